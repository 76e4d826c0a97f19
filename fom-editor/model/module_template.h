// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>

namespace tutti::fomedit {

/// A module of IEEE 1516-2010 that an RTI loads and that has nothing in it yet but its name. `type`
/// is "FOM" or "SOM".
std::string moduleTemplate(const QString& name, const QString& type = QStringLiteral("FOM"));

}  // namespace tutti::fomedit
