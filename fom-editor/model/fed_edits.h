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
/// All words of that kind: an earlier one would count.
Splices removeFedCell(const ModuleSource& source, ElementId row, std::string_view cell);
/// One word, which is a cell, whether it counts or not.
Splices setFedWord(const ModuleSource& source, ElementId word, std::string_view value);
/// An earlier word goes alone; the one that counts takes those before it with it.
Splices removeFedWord(const ModuleSource& source, ElementId word);
/// A blank, where the characters around [begin, end) would be one word without it; else nothing.
std::string_view blankInstead(std::string_view text, std::size_t begin, std::size_t end);

/// A new list with what FED can say of it, in the letters that the file has.
std::string fedText(const ModuleSource& source, const NewElement& element,
                    const std::optional<std::string>& indent, const std::string& unit);
Splices addFedLists(const ModuleSource& source, ElementId parent,
                    const std::vector<Addition>& additions, const std::string& unit);
/// The bytes of a list, to stand on a line with that indentation.
std::string copyOfFed(const ModuleSource& from, ElementId id,
                      const std::optional<std::string>& indent);

}  // namespace tutti::fomedit
