// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/VariableLengthData.h>

#include <cstddef>

namespace rti1516e {

// The inside of VariableLengthData: one block, this struct followed by `capacity` octets.
//
//   | data size release capacity | capacity octets |
//
// `data` points to those octets (copied), to memory of somebody else (borrowed; `release` is null)
// or to memory taken over (`release` frees it). The block stays when data is borrowed, so that an
// object which is pointed to one thing after another allocates once.
class VariableLengthDataImplementation {
 public:
  const void* data = nullptr;
  std::size_t size = 0;
  VariableLengthDataDeleteFunction release = nullptr;
  std::size_t capacity = 0;

  char* octets() { return reinterpret_cast<char*>(this + 1); }
};

class VariableLengthDataFriend {
 public:
  // Points `target` to memory that must stay valid as long as it is read through `target`. As
  // setDataPointer, for constant memory and without a call; allocates only the first time.
  static void borrow(VariableLengthData& target, const void* data, std::size_t size) {
    VariableLengthDataImplementation* inside = target._impl;
    if (inside == nullptr || inside->release != nullptr) {
      target.setDataPointer(const_cast<void*>(data), size);
      return;
    }
    inside->data = data;
    inside->size = size;
  }
};

}  // namespace rti1516e

namespace tutti::api1516e {

inline void borrow(rti1516e::VariableLengthData& target, const void* data, std::size_t size) {
  rti1516e::VariableLengthDataFriend::borrow(target, data, size);
}

}  // namespace tutti::api1516e
