// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fom-editor/model/module_merge.h"

namespace tutti::fomedit {

/// `text` with the splices that `mine` and `other` have in common, and with both results, between
/// the lines that git writes, where they differ.
std::string withMarkers(std::string_view text, const Splices& mine, const Splices& other,
                        const std::string& newline);
/// A comment on conflicts between the lines that git writes, so that the module is no XML until
/// somebody has looked at them.
std::string toldConflicts(std::span<const MergeConflict> conflicts, const std::string& newline);

}  // namespace tutti::fomedit
