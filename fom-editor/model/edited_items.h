// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QSet>
#include <QString>
#include <string>

#include "fom-editor/model/module_source.h"

namespace tutti::fomedit {

/// What stands in a module for an item, by itemPath().
using ItemDefinitions = QHash<QString, std::string>;
ItemDefinitions itemDefinitions(const ModuleSource& source);

/// itemPath() of the classes and datatypes that a module defines otherwise than its saved text, or
/// that are new in it. A class counts for its own members, not for its subclasses.
QSet<QString> editedItems(const ItemDefinitions& saved, const ItemDefinitions& now);
QSet<QString> editedItems(const ModuleSource& saved, const ModuleSource& now);

}  // namespace tutti::fomedit
