// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/attribute_set.h"
#include "core/callbacks.h"
#include "core/seldom.h"
#include "core/update_regions.h"
#include "fabric/instance_name.h"

namespace tutti::core {

using fabric::generatedName;
using fabric::instanceCounterBits;
using fabric::instanceOfGeneratedName;
using fabric::registrantOf;

/// Messages by transportation: reliable, best effort.
using MessageCounts = std::array<std::uint64_t, 2>;

/// What a federate keeps of an object instance that it knows or registered. There may be a million
/// of them (docs/performance.md, Scale), so what few need lies elsewhere.
struct KnownInstance {
  ObjectInstance instance = 0;
  ObjectClass objectClass = 0;  ///< known class
  ObjectClass registeredClass = 0;
  std::uint32_t row = 0;     ///< in its producer's table
  Seldom<std::string> name;  ///< none: the generated one
  // By their index in registeredClass:
  AttributeSet owned;    ///< by this federate
  AttributeSet atFirst;  ///< what its producer owned when it registered it
  /// How each attribute is sent, by its index in registeredClass, as MessageKind; none: all as the
  /// object model says.
  Seldom<std::vector<std::uint8_t>> kinds;
  MessageCounts updates{};      ///< sent
  MessageCounts reflections{};  ///< received
  UpdateRegions regions;        ///< what this federate updates it with

  FederateNumber producer() const { return registrantOf(instance); }
  std::string nameText() const { return name ? *name : generatedName(instance); }
  /// Empty: the generated one.
  std::string_view ownName() const { return name ? std::string_view(*name) : std::string_view(); }
};

}  // namespace tutti::core
