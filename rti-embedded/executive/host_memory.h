// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "fabric/endpoint.h"
#include "fabric/layout.h"
#include "fabric/mapping.h"

namespace tutti::executive {

/// The host page and the spin page of a node (fabric/layout.h), made and kept by it. Not thread-safe.
class HostMemory {
 public:
  static tl::expected<HostMemory, std::string> make();

  /// Of the host page, which only this can write, and of the spin page.
  std::vector<int> descriptors() const { return {host_.get(), spin_.get()}; }
  const fabric::HostPage& page() const {
    return *reinterpret_cast<const fabric::HostPage*>(hostMapping_.data());
  }

  /// Those that may have their bits set from now on: all others are cleared, whoever has set them.
  void keepSpinning(const std::set<std::uint32_t>& connections);

 private:
  fabric::UniqueFd host_;
  fabric::UniqueFd spin_;
  fabric::Mapping hostMapping_;
  fabric::Mapping spinMapping_;
};

}  // namespace tutti::executive
