// SPDX-License-Identifier: Apache-2.0
#include "fabric/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <boost/interprocess/exceptions.hpp>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "fabric/fork_guard.h"

namespace tutti::fabric {

namespace {

/// What mapped_region asks of the thing it maps: a borrowed descriptor.
class BorrowedDescriptor {
 public:
  explicit BorrowedDescriptor(int descriptor) : descriptor_(descriptor) {}

  boost::interprocess::mapping_handle_t get_mapping_handle() const {
    return boost::interprocess::ipcdetail::mapping_handle_from_file_handle(descriptor_);
  }

 private:
  int descriptor_;
};

tl::unexpected<std::string> refused(const std::string& what) {
  return tl::unexpected("cannot map the shared memory of the RTI node: " + what);
}

}  // namespace

tl::expected<Mapping, std::string> Mapping::map(int descriptor, std::size_t bytes, Access access,
                                                void* address) {
  struct stat information {};
  if (::fstat(descriptor, &information) != 0) return refused(std::strerror(errno));
  if (bytes == 0 || static_cast<std::uint64_t>(information.st_size) < bytes) {
    return refused("it has " + std::to_string(information.st_size) + " bytes, not " +
                   std::to_string(bytes));
  }
  // Memory that another process may shorten would end in SIGBUS.
  const int seals = ::fcntl(descriptor, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
    return refused("it is not sealed against shrinking");
  try {
    namespace ip = boost::interprocess;
    Mapping mapping;
    const std::lock_guard guard(forkGuard());
    mapping.region_ = ip::mapped_region(
        BorrowedDescriptor(descriptor), access == Access::ReadOnly ? ip::read_only : ip::read_write,
        0, bytes, address, address == nullptr ? ip::default_map_options : MAP_FIXED);
    // A federate that crashes leaves its own memory in its core file, not everybody's.
    ::madvise(mapping.region_.get_address(), mapping.region_.get_size(), MADV_DONTDUMP);
    // A process that it forks is no federate: it neither writes here nor keeps the memory.
    ::madvise(mapping.region_.get_address(), mapping.region_.get_size(), MADV_DONTFORK);
    return mapping;
  } catch (const boost::interprocess::interprocess_exception& error) {
    return refused(std::to_string(bytes >> 20) + " MiB of addresses: " + error.what() +
                   "; see `ulimit -v`, or set TUTTI_MEMORY to a smaller budget");
  }
}

tl::expected<Arena, std::string> Arena::map(const ArenaMemory& memory, Mapping::Access published,
                                            Mapping::Access shared) {
  if (memory.publishedBytes < sizeof(ArenaHeader) || memory.bytes <= memory.publishedBytes ||
      memory.publishedBytes % pageBytes != 0) {
    return refused(std::to_string(memory.bytes) + " bytes, " +
                   std::to_string(memory.publishedBytes) + " of them published, are no arena");
  }
  // Addresses for both, so that an offset leads into either.
  void* const place =
      ::mmap(nullptr, memory.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) {
    return refused(std::to_string(memory.bytes >> 20) + " MiB of addresses: " +
                   std::strerror(errno) + "; see `ulimit -v`, or set TUTTI_MEMORY to a smaller budget");
  }
  Arena arena;
  arena.start_ = static_cast<std::byte*>(place);
  arena.firstShared_ = memory.publishedBytes;
  std::byte* const second = arena.start_ + memory.publishedBytes;
  const std::uint64_t secondBytes = memory.bytes - memory.publishedBytes;
  auto first = Mapping::map(memory.published, memory.publishedBytes, published, place);
  if (!first) {
    ::munmap(place, memory.bytes);
    return tl::unexpected(first.error());
  }
  arena.published_ = std::move(*first);
  auto rest = Mapping::map(memory.shared, secondBytes, shared, second);
  if (!rest) {
    ::munmap(second, secondBytes);
    return tl::unexpected(rest.error());
  }
  arena.shared_ = std::move(*rest);
  return arena;
}

tl::expected<void, std::string> Arena::check(std::uint64_t bytes) const {
  const ArenaHeader& own = header();
  if (own.magic != ArenaHeader::magicValue) return refused("it is no arena");
  if (own.version != layoutVersion) {
    return refused("its layout has version " + std::to_string(own.version) +
                   ", this library's is " + std::to_string(layoutVersion) +
                   "; use the library and the node (tutti-rti) of one version of Tutti");
  }
  if (own.size != bytes || own.firstShared != firstShared_) {
    return refused("its header says " + std::to_string(own.size) + " bytes, shared from " +
                   std::to_string(own.firstShared) + ", the node " + std::to_string(bytes) + " and " +
                   std::to_string(firstShared_));
  }
  return {};
}

tl::expected<Arena, std::string> Arena::open(const ArenaMemory& memory, Mapping::Access access) {
  auto arena = map(memory, Mapping::Access::ReadOnly, access);
  if (!arena) return arena;
  if (auto checked = arena->check(memory.bytes); !checked) return tl::unexpected(checked.error());
  return arena;
}

tl::expected<Arena, std::string> Arena::openOwn(const ArenaMemory& memory) {
  return map(memory, Mapping::Access::ReadWrite, Mapping::Access::ReadWrite);
}

}  // namespace tutti::fabric
