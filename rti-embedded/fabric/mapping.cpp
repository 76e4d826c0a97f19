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

tl::expected<Mapping, std::string> Mapping::map(int descriptor, std::size_t bytes, Access access) {
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
    mapping.region_ =
        ip::mapped_region(BorrowedDescriptor(descriptor),
                          access == Access::ReadOnly ? ip::read_only : ip::read_write, 0, bytes);
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

tl::expected<Arena, std::string> Arena::open(int descriptor, std::size_t bytes,
                                             Mapping::Access access) {
  if (bytes < sizeof(ArenaHeader)) return refused(std::to_string(bytes) + " bytes are no arena");
  auto mapping = Mapping::map(descriptor, bytes, access);
  if (!mapping) return tl::unexpected(mapping.error());
  Arena arena;
  arena.mapping_ = std::move(*mapping);
  const ArenaHeader& header = arena.header();
  if (header.magic != ArenaHeader::magicValue) return refused("it is no arena");
  if (header.version != layoutVersion) {
    return refused("its layout has version " + std::to_string(header.version) +
                   ", this library's is " + std::to_string(layoutVersion) +
                   "; use the library and the node (tutti-rti) of one version of Tutti");
  }
  if (header.size != bytes) {
    return refused("its header says " + std::to_string(header.size) + " bytes, the node " +
                   std::to_string(bytes));
  }
  return arena;
}

}  // namespace tutti::fabric
