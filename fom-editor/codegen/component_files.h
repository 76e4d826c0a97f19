// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>

#include "fom-editor/codegen/component_plan.h"

namespace tutti::fomedit {

/// Whose file it is.
enum class FileOwner {
  Generator,  ///< written anew whenever the object model changes; nobody edits it
  Person,     ///< written once; from the first edit on it is left alone
};

struct ComponentFile {
  QString path;  ///< below the component's folder: "generated/datatypes.h"
  QByteArray content;
  FileOwner owner = FileOwner::Generator;
};

/// All files of a component but its FOM modules, and but the record of what was written.
QList<ComponentFile> componentFiles(const ComponentPlan& plan);

/// What the hand-written part can see of the generated one, "Flight.altitude" to
/// "std::optional<types::AltitudeFeet>" and so on: what is different in two of them is what the
/// hand-written part has to follow.
QMap<QString, QString> interfaceOf(const ComponentPlan& plan);

}  // namespace tutti::fomedit
