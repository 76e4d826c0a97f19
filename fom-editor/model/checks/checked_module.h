// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string_view>
#include <vector>

#include "fom-editor/model/loaded_model.h"
#include "fom-editor/model/module_source.h"

namespace tutti::fomedit {

/// A module in XML, as the checks see it.
struct CheckedModule {
  QString path;  ///< as it was given
  omt::Edition edition = omt::Edition::Ieee2010;
  ModuleSource source;
};

/// The item that an element belongs to: "object:HLAobjectRoot.Track" for a class and all that is in
/// it, "datatype:GeoPosition" for a row of a datatype table. Empty where it belongs to none.
QString itemOf(const ModuleSource& source, ElementId id);

/// What a person calls an element: "Track.position", "GeoPosition.latitude", "the table objects".
QString subjectOf(const ModuleSource& source, ElementId id);

/// A finding about an element, with file, line, column and item.
Finding findingAt(const CheckedModule& module, ElementId id, Level level, const QString& rule,
                  const QString& text, const QString& hint);

/// The full name of a class element, "HLAobjectRoot.Track"; a topmost class other than the root is
/// below the root.
std::string fullNameOf(const ModuleSource& source, ElementId classElement);

bool isClassElement(std::string_view element);
/// A row of a datatype table.
bool isDataTypeRow(const ModuleSource& source, ElementId id);
/// Whether a class is only named, to say where its subclasses belong (IEEE 1516.2-2010, Annex C).
bool isScaffolding(const ModuleSource& source, ElementId classElement);

/// All elements of that name, in the order of the file.
std::vector<ElementId> elementsOf(const ModuleSource& source, std::string_view element);

/// Whether nothing is lost with an element: it has no elements, text, comments or XML attributes.
bool holdsNothing(const ModuleSource& source, ElementId id);

/// Deletes an element without content, by itself where it holds nothing; `name` is what the button
/// calls it.
Fix deletionOf(const ModuleSource& source, ElementId id, const QString& name);

/// `<name>` for messages.
QString tag(std::string_view element);

}  // namespace tutti::fomedit
