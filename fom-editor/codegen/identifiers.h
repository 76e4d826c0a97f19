// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace tutti::fomedit {

/// A C++ identifier for a name of an object model: itself where it is one; otherwise what C++ does
/// not allow in it becomes an underscore, a letter with an accent its base letter, another letter
/// "u" and its code point, a first digit gets "n" before it, and keywords and macros of the headers
/// that generated code includes an underscore behind them. No result begins with an underscore or
/// has two in a row, which C++ reserves.
QString identifierOf(const QString& name);

/// What two identifiers of one scope may differ by.
enum class Distinct {
  ByCase,        ///< C++'s own rule
  IgnoringCase,  ///< for names that others are derived from: setAltitude for "altitude" and
                 ///< "Altitude"
};

/// Identifiers for the names of one scope, in their order and all different; none is among `taken`.
/// A name that is an identifier already keeps it; others that clash get "_2", "_3" ... in their
/// order.
QStringList identifiersOf(const QStringList& names, Distinct distinct = Distinct::ByCase,
                          const QStringList& taken = {});

/// "WeatherGen" for "weather-gen".
QString camelCase(const QString& id);

}  // namespace tutti::fomedit
