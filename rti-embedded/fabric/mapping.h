// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <boost/interprocess/mapped_region.hpp>
#include <cstddef>
#include <new>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "fabric/layout.h"

namespace tutti::fabric {

/// A memfd mapped whole. Thread-safe for reading; the memory outlives the descriptor.
class Mapping {
 public:
  enum class Access { ReadOnly, ReadWrite };

  Mapping() = default;
  /// At `address`, when that is not null, in place of what is mapped there.
  static tl::expected<Mapping, std::string> map(int descriptor, std::size_t bytes, Access access,
                                                void* address = nullptr);

  std::byte* data() const { return static_cast<std::byte*>(region_.get_address()); }
  std::size_t size() const { return region_.get_size(); }
  explicit operator bool() const { return data() != nullptr; }

 private:
  boost::interprocess::mapped_region region_;
};

/// The two memfds of an arena (layout.h). Borrowed descriptors.
struct ArenaMemory {
  int published = -1;
  int shared = -1;
  std::uint64_t publishedBytes = 0;
  std::uint64_t bytes = 0;  ///< of both
};

/// A mapped arena: turns offsets into addresses, checked against what is backed by memory.
class Arena {
 public:
  Arena() = default;
  /// Checks magic, version and size; the error says what differs. The published part is mapped for
  /// reading only, the other one as `access` says.
  static tl::expected<Arena, std::string> open(const ArenaMemory& memory,
                                               Mapping::Access access = Mapping::Access::ReadWrite);
  /// For the node that has made the memory, before it is sealed: everything can be written.
  static tl::expected<Arena, std::string> openOwn(const ArenaMemory& memory);

  ArenaHeader& header() const { return *reinterpret_cast<ArenaHeader*>(start_); }

  /// Null when [offset, offset + bytes) is not backed, or offset is 0 or not aligned to 8.
  std::byte* at(Offset offset, std::size_t bytes) const {
    if (offset == 0 || (offset & 7) != 0) return nullptr;
    const ArenaHeader& own = header();
    const auto& end = offset < firstShared_ ? own.published : own.committed;
    const std::uint64_t limit = end.load(std::memory_order_acquire);
    if (offset > limit || bytes > limit - offset) return nullptr;
    return start_ + offset;
  }
  template <class T>
  T* as(Offset offset) const {
    return offset % alignof(T) == 0 ? reinterpret_cast<T*>(at(offset, sizeof(T))) : nullptr;
  }
  explicit operator bool() const { return static_cast<bool>(shared_); }
  /// All that is mapped, backed or not.
  std::span<std::byte> whole() const { return {start_, published_.size() + shared_.size()}; }
  std::uint64_t firstShared() const { return firstShared_; }

 private:
  static tl::expected<Arena, std::string> map(const ArenaMemory& memory, Mapping::Access published,
                                              Mapping::Access shared);
  tl::expected<void, std::string> check(std::uint64_t bytes) const;

  std::byte* start_ = nullptr;
  std::uint64_t firstShared_ = 0;
  Mapping published_;
  Mapping shared_;
};

}  // namespace tutti::fabric
