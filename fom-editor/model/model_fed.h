// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include "fom-editor/model/model_rows.h"
#include "fom-editor/model/module_edits.h"

/// What a FED file of HLA 1.3 can say of an object model: classes, attributes with transportation,
/// order and routing space, interactions and parameters, routing spaces with their dimensions, and
/// the name of the federation. All else is agreed on elsewhere.
namespace tutti::fomedit {

bool fedHas(RowKind kind);
bool fedHas(RowKind kind, const QString& cell);
/// One sentence for a person.
QString whyNotInFed(RowKind kind);
QString whyNotInFed(RowKind kind, const QString& cell);

/// Why FED refuses a name that the model takes: it is one of the standard's, or one of its words.
QString faultOfNameInFed(RowKind kind, const QString& name);

/// The routing spaces of a FED file.
QStringList routingSpacesOf(const ModuleSource& source);
/// "Map" for the dimension Map_X that is to be in one of these; empty: in none of them.
QString spaceOfDimension(const QStringList& spaces, const QString& dimension);

/// The dimensions of a routing space of a FED file, as the model calls them: Map_X, Map_Y.
QStringList dimensionsOfSpace(const ModuleSource& source, const QString& space);
/// The routing space of a FED file that has just these dimensions, in any order; empty: none has.
QString spaceWithDimensions(const ModuleSource& source, const QStringList& dimensions);

/// The words in a FED file that name a routing space, as cells.
std::vector<ElementId> usesOfSpace(const ModuleSource& source, const QString& space);

}  // namespace tutti::fomedit
