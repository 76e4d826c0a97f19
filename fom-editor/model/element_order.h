// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string_view>

namespace tutti::fomedit {

/// Where `child` belongs among the children of `parent`, by the schemas of IEEE 1516.2-2010 and
/// 2025, whose orders agree: those of less rank stand before it. What the schemas do not know there
/// comes last, all of one rank.
std::size_t rankIn(std::string_view parent, std::string_view child);

/// Whether the schemas know such a child.
bool isKnownIn(std::string_view parent, std::string_view child);

/// The child with the name of a row: "label" of notes and synchronization points (in IEEE 1516-2000
/// notes have a name), "name" of others.
std::string_view nameCellOf(std::string_view row, bool of2000);

/// What IEEE 1516-2000 calls a cell that has another name from 2010 on, as "values" of enumerators.
std::string_view nameIn2000(std::string_view row, std::string_view cell);

}  // namespace tutti::fomedit
