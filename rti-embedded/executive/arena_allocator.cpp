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
/// Addresses of the published part: the control log may wait for a federate that is stopped.
constexpr std::uint64_t publishedShare = 8;  ///< of those of the shared part, and at least ...
constexpr std::uint64_t leastPublished = std::uint64_t{64} << 20;

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
  if (::fcntl(memory.descriptor.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
    return refuse("sealing it");
  }
  return memory;
}

tl::expected<void, std::string> SharedMemory::seal(Writers writers) {
  const int seals = F_SEAL_SEAL | (writers == Writers::Mappers ? F_SEAL_FUTURE_WRITE : 0);
  if (::fcntl(descriptor.get(), F_ADD_SEALS, seals) == 0) return {};
  return tl::unexpected(std::string("cannot seal shared memory: ") + std::strerror(errno) +
                        (errno == EINVAL ? "; the RTI needs Linux 5.1 or later" : ""));
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

tl::expected<ArenaAllocator::Part, std::string> ArenaAllocator::makePart(const char* name,
                                                                         std::uint64_t first,
                                                                         std::uint64_t limit) {
  auto memory = SharedMemory::make(name, limit - first);
  if (!memory) return tl::unexpected(memory.error());
  Part part;
  part.memory = std::move(*memory);
  part.first = part.committed = part.fresh = first;
  part.limit = limit;
  return part;
}

tl::expected<std::unique_ptr<ArenaAllocator>, std::string> ArenaAllocator::make(Budget& budget) {
  const std::uint64_t size = roundUp(std::max<std::uint64_t>(budget.total(), pageBytes), pageBytes);
  const std::uint64_t publishedSize =
      roundUp(std::max(size / publishedShare, std::min(size, leastPublished)), pageBytes);
  auto published = makePart("tutti-published", 0, publishedSize);
  if (!published) return tl::unexpected(published.error());
  auto shared = makePart("tutti-arena", publishedSize, publishedSize + size);
  if (!shared) return tl::unexpected(shared.error());
  auto readOnly = shared->memory.readOnly();
  if (!readOnly) return tl::unexpected(readOnly.error());
  if (auto taken = budget.take(pageBytes, "the header of a federation execution"); !taken) {
    return tl::unexpected(taken.error());
  }
  auto arena = std::make_unique<ArenaAllocator>(Made{}, budget);
  arena->published_ = std::move(*published);
  arena->shared_ = std::move(*shared);
  arena->published_.committed = arena->published_.fresh = pageBytes;
  arena->readOnly_ = std::move(*readOnly);
  if (auto backed = arena->published_.memory.back(0, pageBytes); !backed) {
    return tl::unexpected(backed.error());
  }
  auto mapped = fabric::Arena::openOwn(arena->memory());
  if (!mapped) return tl::unexpected(mapped.error());
  arena->arena_ = std::move(*mapped);
  auto* header = new (&arena->arena_.header()) ArenaHeader{};
  header->magic = ArenaHeader::magicValue;
  header->version = fabric::layoutVersion;
  header->size = arena->size();
  header->firstShared = publishedSize;
  header->published.store(pageBytes, std::memory_order_release);
  header->committed.store(publishedSize, std::memory_order_release);
  using Writers = SharedMemory::Writers;
  if (auto sealed = arena->published_.memory.seal(Writers::Mappers); !sealed) {
    return tl::unexpected(sealed.error());
  }
  if (auto sealed = arena->shared_.memory.seal(Writers::All); !sealed) {
    return tl::unexpected(sealed.error());
  }
  return arena;
}

ArenaAllocator::~ArenaAllocator() { budget_.giveBack(committed()); }

tl::expected<ArenaAllocator::Extent, std::string> ArenaAllocator::allocate(
    std::uint64_t bytes, FederateNumber owner, std::string_view purpose) {
  return allocate(shared_, bytes, owner, purpose);
}

tl::expected<ArenaAllocator::Extent, std::string> ArenaAllocator::publish(
    std::uint64_t bytes, std::string_view purpose) {
  return allocate(published_, bytes, execution, purpose);
}

tl::expected<ArenaAllocator::Extent, std::string> ArenaAllocator::allocate(
    Part& part, std::uint64_t bytes, FederateNumber owner, std::string_view purpose) {
  if (bytes > part.limit - part.first) {
    return tl::unexpected("no memory for " + std::string(purpose) + ": " + bytesText(bytes) +
                          " are more than the RTI's whole budget of " + bytesText(budget_.total()) +
                          "; set TUTTI_MEMORY to more before the RTI node starts");
  }
  const std::uint64_t wanted = std::max<std::uint64_t>(std::bit_ceil(bytes), pageBytes);
  auto fitting = part.freeBySize.lower_bound({wanted, 0});
  if (fitting == part.freeBySize.end() && shortage_) {
    shortage_();
    fitting = part.freeBySize.lower_bound({wanted, 0});
  }
  if (fitting == part.freeBySize.end()) {
    if (auto grown = grow(part, wanted, purpose); !grown) return tl::unexpected(grown.error());
    fitting = part.freeBySize.lower_bound({wanted, 0});
  }
  const Extent range{fitting->second, fitting->first};
  part.removeFree(part.free.find(range.offset));
  if (range.bytes > wanted) part.addFree(range.offset + wanted, range.bytes - wanted);

  // What lies beyond `fresh` is zero as it came from the kernel.
  if (range.offset < part.fresh) {
    const std::uint64_t dirty = std::min(wanted, part.fresh - range.offset);
    std::memset(at(range.offset, dirty), 0, dirty);
  }
  part.fresh = std::max(part.fresh, range.offset + wanted);
  used_.emplace(range.offset, InUse{wanted, owner});
  usedByOwner_.emplace(owner, range.offset);
  return Extent{range.offset, wanted};
}

tl::expected<void, std::string> ArenaAllocator::grow(Part& part, std::uint64_t bytes,
                                                     std::string_view purpose) {
  // A free range at the end is continued.
  std::uint64_t have = 0;
  if (!part.free.empty()) {
    const auto& [offset, length] = *part.free.rbegin();
    if (offset + length == part.committed) have = length;
  }
  const std::uint64_t missing = bytes - have;
  const std::uint64_t room = part.limit - part.committed;
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
  if (auto backed = part.memory.back(part.committed - part.first, step); !backed) {
    budget_.giveBack(step);
    return tl::unexpected("no memory for " + std::string(purpose) + ": " + backed.error());
  }
  part.addFree(part.committed, step);
  part.committed += step;
  header().published.store(published_.committed, std::memory_order_release);
  header().committed.store(shared_.committed, std::memory_order_release);
  return {};
}

bool ArenaAllocator::release(Offset extent) {
  const auto found = used_.find(extent);
  if (found == used_.end()) return false;
  partOf(extent).addFree(extent, found->second.bytes);
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
  for (auto it = retired_.begin(); it != end; ++it) {
    partOf(it->second.offset).addFree(it->second.offset, it->second.bytes);
  }
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

void ArenaAllocator::Part::addFree(Offset offset, std::uint64_t bytes) {
  auto next = free.lower_bound(offset);
  if (next != free.end() && offset + bytes == next->first) {
    bytes += next->second;
    removeFree(next);
  }
  auto previous = free.lower_bound(offset);
  if (previous != free.begin() && (--previous, previous->first + previous->second == offset)) {
    offset = previous->first;
    bytes += previous->second;
    removeFree(previous);
  }
  free.emplace(offset, bytes);
  freeBySize.emplace(bytes, offset);
}

void ArenaAllocator::Part::removeFree(std::map<Offset, std::uint64_t>::iterator range) {
  freeBySize.erase({range->second, range->first});
  free.erase(range);
}

}  // namespace tutti::executive
