// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <vector>

#include "omt/module.h"

namespace tutti::fomedit {

/// What a module defines or takes from others.
enum class NameKind : std::uint8_t {
  ObjectClass,
  InteractionClass,
  DataType,
  Dimension,
  Transportation
};
/// "object class", "datatype"; plural: "object classes".
QString kindName(NameKind kind, bool plural = false);

/// A definition of a module. Classes that it only names, to say where its own belong, are none.
struct ModuleOffer {
  NameKind kind = NameKind::ObjectClass;
  QString name;  ///< of a class the full one
  int line = 0;
  bool operator==(const ModuleOffer&) const = default;
};

/// A name that a module uses and does not define.
struct ModuleNeed {
  static constexpr int nobody = -1;
  NameKind kind = NameKind::ObjectClass;
  QString name;
  int line = 0;           ///< of the first use, from 1
  int provider = nobody;  ///< the first module that defines it
  bool operator==(const ModuleNeed&) const = default;
};

struct ModuleDependencies {
  QString file;               ///< display name
  QList<ModuleOffer> offers;  ///< by kind, then in order of definition
  QList<ModuleNeed> needs;    ///< by kind and name, each once
  /// Modules that it takes something from, ascending, without the MIM.
  QList<int> providers() const;
};

/// Which module takes what from which. Element 0 is the standard MIM.
struct DependencyGraph {
  QList<ModuleDependencies> modules;
  /// Modules that need each other, each circle once, ascending. An RTI merges them nonetheless
  /// (IEEE 1516.2-2010, Annex C), but none of them can be used without the others.
  QList<QList<int>> circles;
  /// All but the MIM, each behind those that it takes something from; within a circle as given.
  QList<int> order;
};

/// Of modules as they were read; none of them is a MIM. What is not found in them and the standard
/// MIM has no provider. Thread-safe.
DependencyGraph dependenciesOf(const std::vector<omt::Module>& modules);

}  // namespace tutti::fomedit
