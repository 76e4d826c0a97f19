// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "fom-editor/model/module_source.h"
#include "omt/s_expressions.h"

namespace tutti::fomedit {

/// The lists of a FED file of HLA 1.3 as ModuleSource has elements, with the names of IEEE 1516: a
/// list that the reader takes is an element, the words behind its head are cells.
///
///     (class Ship (attribute speed reliable timestamp Map))
///     objectClass { name, attribute { name, transportation, order, dimensions } }
///
/// A routing space is "space" with a "dimension" for each of its own, its table "spaces"; the list
/// Federation is "modelIdentification". Other lists, and words that the reader passes over, are no
/// elements. A cell has an empty start tag; its content is without quotes. Of several words of one
/// kind, such as two routing spaces, the last counts; those before it are called earlierCell().
struct FedElements {
  std::vector<SourceElement> elements;
  std::vector<std::string_view> names;  ///< of each; texts of this program
};

/// Whether a word ends before such a character.
bool endsFedWord(char c);
/// "earlierDimensions" of "dimensions"; empty for a cell that a list has once.
std::string_view earlierCell(std::string_view cell);

/// The fault has the line in `text`, which is UTF-8.
tl::expected<FedElements, omt::SExpressions::Fault> readFedElements(std::string_view text);

/// Whether a document begins as a FED file.
bool beginsAsFed(std::string_view text);

/// Comments (Other) and what is between them (Text).
std::vector<SourceRun> fedRuns(std::string_view text, ByteRange between);

/// The name of a row as the model has it: ObjectRoot is HLAobjectRoot there, privilegeToDelete
/// HLAprivilegeToDeleteObject. Of a dimension its own, without that of its space.
std::string fedRowName(const ModuleSource& source, ElementId row);
/// Reverse: what FED calls a class or attribute of the standard; others keep their names.
std::string nameInFed(std::string_view name);
/// "Map_X", the name of a dimension of a space in the model.
std::string fedDimensionName(const ModuleSource& source, ElementId dimension);
/// The words of the model for those of FED: "reliable" is HLAreliable, "timestamp" TimeStamp;
/// others stay.
std::string valueFromFed(std::string_view cell, std::string_view word);
std::string valueInFed(std::string_view cell, std::string_view value);

}  // namespace tutti::fomedit
