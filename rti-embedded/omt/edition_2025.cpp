// SPDX-License-Identifier: Apache-2.0
#include "omt/edition_2025.h"

#include <algorithm>
#include <array>

#include "omt/xml_nodes.h"

namespace tutti::omt {

namespace {

template <std::size_t n>
bool isOneOf(std::string_view name, const std::array<std::string_view, n>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Elements below `parent`, which is a few hundred levels deep at most.
bool hasElementOf2025(const xmlNode* parent) {
  static constexpr std::array<std::string_view, 6> names{
      "logicalTime",         "logicalTimeInterval", "referenceDataTypes",
      "directedInteraction", "valueRequired",       "referenceDataType"};
  for (const xmlNode* child : Children(parent)) {
    const std::string_view name = nameOf(child);
    if (isOneOf(name, names) || isSwitchOf2025(name) || hasElementOf2025(child)) return true;
  }
  return false;
}

}  // namespace

bool isSwitchOf2025(std::string_view name) {
  static constexpr std::array<std::string_view, 4> names{"nonRegulatedGrant", "allowRelaxedDDM",
                                                         "advisoriesUseKnownClass",
                                                         "sendServiceReportsToFile"};
  return isOneOf(name, names);
}

bool isEdition2025(const xmlNode* root) {
  const std::string_view space = root->ns != nullptr ? view(root->ns->href) : std::string_view();
  if (space.find("2025") != std::string_view::npos) return true;
  if (space.starts_with("http://standards.ieee.org/IEEE1516-")) return false;
  return hasElementOf2025(root);
}

}  // namespace tutti::omt
