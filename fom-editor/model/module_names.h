// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace tutti::fomedit {

/// Names of modules for places with little room, in the order of `files`: without folder and suffix
/// of the file, and without what says nothing beside the others: what all end with ("_v2.0"), or
/// their versions; and what all begin with, or several do ("RPR-"). Never two alike that were not.
QStringList shortModuleNames(const QStringList& files);

}  // namespace tutti::fomedit
