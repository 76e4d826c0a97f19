// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libxml/tree.h>

#include <string_view>

namespace tutti::omt {

/// Whether an object model is of IEEE 1516.2-2025: by its namespace, or, where that is no namespace
/// of IEEE 1516, by an element that no earlier edition has.
bool isEdition2025(const xmlNode* root);

/// A switch that only the edition of 2025 has.
bool isSwitchOf2025(std::string_view name);

}  // namespace tutti::omt
