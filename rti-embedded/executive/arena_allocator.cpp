// SPDX-License-Identifier: Apache-2.0
#include "executive/arena_allocator.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <new>

namespace tutti::executive {

using fabric::ArenaHeader;
using fabric::FederateNumber;
using fabric::LogNumber;
using fabric::Offset;
using fabric::pageBytes;

namespace {

/// Memory is asked of the kernel in steps of this, when the budget has it.
constexpr std::uint64_t growthStep = 64 * 1024;

std::uint64_t roundUp(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

tl::expected<SharedMemory, std::string> SharedMemory::make(const char* name, std::uint64_t bytes) {
  const auto refuse = [&](const std::string& what) {
    return tl::unexpected("cannot make shared memory of " + bytesText(bytes) + ": " + what + ": " +
                          std::strerror(errno));
  };
  SharedMemory memory;
  memory.descriptor = fabric::UniqueFd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.descriptor) return refuse("memfd_create");
  if (::ftruncate(memory.descriptor.get(), static_cast<off_t>(bytes)) != 0) {
    return refuse("ftruncate");
  }
  if (::fcntl(memory.descriptor.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) !=
      0) {
    return refuse("sealing it");
  }
  return memory;
}

tl::expected<void, std::string> SharedMemory::back(std::uint64_t offset, std::uint64_t bytes) {
  int error = 0;
  do {
    error =
        ::posix_fallocate(descriptor.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (error == EINTR);
  if (error != 0) {
    return tl::unexpected("the system refuses " + bytesText(bytes) +
                          " of memory within the RTI's budget: " + std::strerror(error));
  }
  return {};
}

tl::expected<fabric::UniqueFd, std::string> SharedMemory::readOnly() const {
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor.get());
  fabric::UniqueFd reader(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!reader) {
    return tl::unexpected("cannot open shared memory for reading: " +
                          std::string(std::strerror(errno)));
  }
  return reader;
}

tl::expected<std::unique_ptr<ArenaAllocator>, std::string> ArenaAllocator::make(Budget& budget) {
  const std::uint64_t size = roundUp(std::max<std::uint64_t>(budget.total(), pageBytes), pageBytes);
  auto memory = SharedMemory::make("tutti-arena", size);
  if (!memory) return tl::unexpected(memory.error());
  auto readOnly = memory->readOnly();
  if (!readOnly) return tl::unexpected(readOnly.error());
  if (auto taken = budget.take(pageBytes, "the header of a federation execution"); !taken) {
    return tl::unexpected(taken.error());
  }
  auto arena = std::make_unique<ArenaAllocator>(Made{}, budget, std::move(*memory));
  arena->committed_ = arena->fresh_ = pageBytes;
  arena->readOnly_ = std::move(*readOnly);
  if (auto backed = arena->memory_.back(0, pageBytes); !backed) {
    return tl::unexpected(backed.error());
  }
  {
    auto page =
        fabric::Mapping::map(arena->descriptor(), pageBytes, fabric::Mapping::Access::ReadWrite);
    if (!page) return tl::unexpected(page.error());
    auto* header = new (page->data()) ArenaHeader{};
    header->magic = ArenaHeader::magicValue;
    header->version = fabric::layoutVersion;
    header->size = size;
    header->committed.store(pageBytes, std::memory_order_release);
  }
  auto mapped = fabric::Arena::open(arena->descriptor(), size);
  if (!mapped) return tl::unexpected(mapped.error());
  arena->arena_ = std::move(*mapped);
  return arena;
}

ArenaAllocator::~ArenaAllocator() { budget_.giveBack(committed_); }

tl::expected<ArenaAllocator::Extent, std::string> ArenaAllocator::allocate(
    std::uint64_t bytes, FederateNumber owner, std::string_view purpose) {
  if (bytes > size()) {
    return tl::unexpected("no memory for " + std::string(purpose) + ": " + bytesText(bytes) +
                          " are more than the RTI's whole budget of " + bytesText(budget_.total()) +
                          "; set TUTTI_MEMORY to more before the RTI node starts");
  }
  const std::uint64_t wanted = std::max<std::uint64_t>(std::bit_ceil(bytes), pageBytes);
  auto fitting = freeBySize_.lower_bound({wanted, 0});
  if (fitting == freeBySize_.end() && shortage_) {
    shortage_();
    fitting = freeBySize_.lower_bound({wanted, 0});
  }
  if (fitting == freeBySize_.end()) {
    if (auto grown = grow(wanted, purpose); !grown) return tl::unexpected(grown.error());
    fitting = freeBySize_.lower_bound({wanted, 0});
  }
  const Extent range{fitting->second, fitting->first};
  removeFree(free_.find(range.offset));
  if (range.bytes > wanted) addFree(range.offset + wanted, range.bytes - wanted);

  // What lies beyond fresh_ is zero as it came from the kernel.
  if (range.offset < fresh_) {
    const std::uint64_t dirty = std::min(wanted, fresh_ - range.offset);
    std::memset(at(range.offset, dirty), 0, dirty);
  }
  fresh_ = std::max(fresh_, range.offset + wanted);
  used_.emplace(range.offset, InUse{wanted, owner});
  usedByOwner_.emplace(owner, range.offset);
  return Extent{range.offset, wanted};
}

tl::expected<void, std::string> ArenaAllocator::grow(std::uint64_t bytes,
                                                     std::string_view purpose) {
  // A free range at the end is continued.
  std::uint64_t have = 0;
  if (!free_.empty()) {
    const auto& [offset, length] = *free_.rbegin();
    if (offset + length == committed_) have = length;
  }
  const std::uint64_t missing = bytes - have;
  const std::uint64_t room = size() - committed_;
  const std::uint64_t roomy = std::max(missing, std::min({growthStep, budget_.left(), room}));
  const std::uint64_t step = std::max(missing, roomy / pageBytes * pageBytes);
  if (auto taken = budget_.take(step, purpose); !taken) return taken;
  if (step > room) {
    budget_.giveBack(step);
    return tl::unexpected("no memory for " + std::string(purpose) + ": " + bytesText(bytes) +
                          " in one piece are not left of the RTI's budget of " +
                          bytesText(budget_.total()) +
                          "; set TUTTI_MEMORY to more before the RTI node starts");
  }
  if (auto backed = memory_.back(committed_, step); !backed) {
    budget_.giveBack(step);
    return tl::unexpected("no memory for " + std::string(purpose) + ": " + backed.error());
  }
  addFree(committed_, step);
  committed_ += step;
  header().committed.store(committed_, std::memory_order_release);
  return {};
}

bool ArenaAllocator::release(Offset extent) {
  const auto found = used_.find(extent);
  if (found == used_.end()) return false;
  addFree(extent, found->second.bytes);
  usedByOwner_.erase({found->second.owner, extent});
  used_.erase(found);
  return true;
}

bool ArenaAllocator::retire(Offset extent, LogNumber number) {
  const auto found = used_.find(extent);
  if (found == used_.end()) return false;
  retired_.emplace(number, Extent{extent, found->second.bytes});
  usedByOwner_.erase({found->second.owner, extent});
  used_.erase(found);
  return true;
}

void ArenaAllocator::reclaim(LogNumber applied) {
  const auto end = retired_.upper_bound(applied);
  for (auto it = retired_.begin(); it != end; ++it) addFree(it->second.offset, it->second.bytes);
  retired_.erase(retired_.begin(), end);
}

bool ArenaAllocator::isInUse(Offset offset) const {
  const auto behind = used_.upper_bound(offset);
  if (behind == used_.begin()) return false;
  const auto& [start, extent] = *std::prev(behind);
  return offset - start < extent.bytes;
}

std::optional<FederateNumber> ArenaAllocator::ownerOf(Offset extent) const {
  const auto found = used_.find(extent);
  if (found == used_.end()) return std::nullopt;
  return found->second.owner;
}

void ArenaAllocator::giveTo(Offset extent, FederateNumber owner) {
  const auto found = used_.find(extent);
  if (found == used_.end()) return;
  usedByOwner_.erase({found->second.owner, extent});
  found->second.owner = owner;
  usedByOwner_.emplace(owner, extent);
}

std::vector<Offset> ArenaAllocator::ownedBy(FederateNumber owner) const {
  std::vector<Offset> extents;
  for (auto it = usedByOwner_.lower_bound({owner, 0});
       it != usedByOwner_.end() && it->first == owner; ++it) {
    extents.push_back(it->second);
  }
  return extents;
}

void ArenaAllocator::addFree(Offset offset, std::uint64_t bytes) {
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + bytes == next->first) {
    bytes += next->second;
    removeFree(next);
  }
  auto previous = free_.lower_bound(offset);
  if (previous != free_.begin() && (--previous, previous->first + previous->second == offset)) {
    offset = previous->first;
    bytes += previous->second;
    removeFree(previous);
  }
  free_.emplace(offset, bytes);
  freeBySize_.emplace(bytes, offset);
}

void ArenaAllocator::removeFree(std::map<Offset, std::uint64_t>::iterator range) {
  freeBySize_.erase({range->second, range->first});
  free_.erase(range);
}

}  // namespace tutti::executive
