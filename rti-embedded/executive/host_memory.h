// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "fabric/endpoint.h"
#include "fabric/layout.h"
#include "fabric/mapping.h"

namespace tutti::executive {

/// The host page of a node (fabric/layout.h), made and kept by it. Not thread-safe.
class HostMemory {
 public:
  static tl::expected<HostMemory, std::string> make();

  int descriptor() const { return descriptor_.get(); }
  fabric::HostPage& page() const { return *reinterpret_cast<fabric::HostPage*>(mapping_.data()); }

  /// The connection has ended: whether or not it was spinning, it no longer is.
  void clearSpinning(std::uint32_t connection);

 private:
  fabric::UniqueFd descriptor_;
  fabric::Mapping mapping_;
};

}  // namespace tutti::executive
