// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fabric/layout.h"

namespace tutti::fabric {

/// An object instance's handle is its registrant's number and, in so many bits below it, one that
/// the registrant counts.
inline constexpr unsigned instanceCounterBits = 40;

constexpr FederateNumber registrantOf(std::uint64_t instance) {
  return static_cast<FederateNumber>(instance >> instanceCounterBits);
}

/// The name of an instance that was registered without one: HLA, registrant, -, number.
std::string generatedName(std::uint64_t instance);
/// The instance that a generated name tells; 0: it is none.
std::uint64_t instanceOfGeneratedName(std::string_view name);

}  // namespace tutti::fabric
