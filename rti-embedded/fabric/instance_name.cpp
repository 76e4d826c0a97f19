// SPDX-License-Identifier: Apache-2.0
#include "fabric/instance_name.h"

#include <charconv>

namespace tutti::fabric {
namespace {

constexpr std::string_view prefix = "HLA";
constexpr std::uint64_t numberMask = (std::uint64_t{1} << instanceCounterBits) - 1;

}  // namespace

std::string generatedName(std::uint64_t instance) {
  return std::string(prefix) + std::to_string(registrantOf(instance)) + "-" +
         std::to_string(instance & numberMask);
}

std::uint64_t instanceOfGeneratedName(std::string_view name) {
  if (!name.starts_with(prefix)) return 0;
  const char* const end = name.data() + name.size();
  FederateNumber registrant = 0;
  const auto first = std::from_chars(name.data() + prefix.size(), end, registrant);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') return 0;
  std::uint64_t number = 0;
  const auto second = std::from_chars(first.ptr + 1, end, number);
  if (second.ec != std::errc() || second.ptr != end || number > numberMask) return 0;
  const std::uint64_t instance =
      (static_cast<std::uint64_t>(registrant) << instanceCounterBits) | number;
  // 012 is no number that was generated.
  return generatedName(instance) == name ? instance : 0;
}

}  // namespace tutti::fabric
