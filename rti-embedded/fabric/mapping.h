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
  static tl::expected<Mapping, std::string> map(int descriptor, std::size_t bytes, Access access);

  std::byte* data() const { return static_cast<std::byte*>(region_.get_address()); }
  std::size_t size() const { return region_.get_size(); }
  explicit operator bool() const { return data() != nullptr; }

 private:
  boost::interprocess::mapped_region region_;
};

/// A mapped arena: turns offsets into addresses, checked against what is backed by memory.
class Arena {
 public:
  Arena() = default;
  /// Checks magic, version and size; the error says what differs.
  static tl::expected<Arena, std::string> open(int descriptor, std::size_t bytes,
                                               Mapping::Access access = Mapping::Access::ReadWrite);

  ArenaHeader& header() const { return *reinterpret_cast<ArenaHeader*>(mapping_.data()); }

  /// Null when [offset, offset + bytes) is not backed, or offset is 0 or not aligned to 8.
  std::byte* at(Offset offset, std::size_t bytes) const {
    if (offset == 0 || (offset & 7) != 0) return nullptr;
    const auto limit = header().committed.load(std::memory_order_acquire);
    if (limit > mapping_.size() || offset > limit || bytes > limit - offset) return nullptr;
    return mapping_.data() + offset;
  }
  template <class T>
  T* as(Offset offset) const {
    return reinterpret_cast<T*>(at(offset, sizeof(T)));
  }
  explicit operator bool() const { return static_cast<bool>(mapping_); }

 private:
  Mapping mapping_;
};

}  // namespace tutti::fabric
