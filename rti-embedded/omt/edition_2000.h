// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libxml/tree.h>

namespace tutti::omt {

/// Whether an object model is of IEEE 1516-2000, in which a cell is an XML attribute of its row, as
/// in <objectClass name="HLAobjectRoot">; from 2010 on it is an element.
bool isEdition2000(const xmlNode* root);

/// Adds to each row below `root` the elements that its XML attributes stand for, unless it has
/// them: afterwards the document reads as one of 2010. Some files have rows of both kinds.
/// What an editor has left of the template ("nmtoken") stands for nothing.
void addElementsOfAttributes(xmlNode* root);

/// Gives the rows below `root`, of a model of 2000 with its elements added, what 2010 calls by
/// another name: notes of a row, labels of notes, and of transportation types their semantics and,
/// of HLAbestEffort, that it is not reliable.
void renameCellsOf2000(xmlNode* root);

}  // namespace tutti::omt
