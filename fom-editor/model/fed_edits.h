// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fom-editor/model/module_edits.h"

/// What module_edits.h plans, for FED files of HLA 1.3. `unit` is by how much lists stand further
/// in than those around them.
namespace tutti::fomedit {

/// Cells: "name", "transportation", "order" and "dimensions" (a routing space), with the words of
/// the model; others, and what no FED file has, change nothing.
Splices setFedCell(const ModuleSource& source, ElementId row, std::string_view cell,
                   std::string_view value);
Splices removeFedCell(const ModuleSource& source, ElementId row, std::string_view cell);

/// A new list with what FED can say of it, in the letters that the file has.
std::string fedText(const ModuleSource& source, const NewElement& element,
                    const std::optional<std::string>& indent, const std::string& unit);
Splices addFedLists(const ModuleSource& source, ElementId parent,
                    const std::vector<Addition>& additions, const std::string& unit);
/// The bytes of a list, to stand on a line with that indentation.
std::string copyOfFed(const ModuleSource& from, ElementId id,
                      const std::optional<std::string>& indent);

}  // namespace tutti::fomedit
