// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <vector>

#include "composer/model/error.h"

namespace tutti::composer {

/// What reading and merging a list of FOM modules found.
struct ObjectModelReport {
  /// A module that cannot be read, or two that contradict each other.
  struct Fault {
    Error error;    ///< where (file, line) and why
    QString other;  ///< place of the contradicting definition, "file:line"; empty for a single
                    ///< module's fault
  };
  QString key;  ///< moduleKey() of the modules this report is about
  QStringList modules;
  std::vector<Fault> faults;
  std::vector<Fault> warnings;  ///< differences without effect on an RTI, undefined datatypes ...
  bool merged = false;  ///< every module was read and merged; otherwise the lists below are empty
  std::map<QString, QStringList>
      objectClasses;               ///< attributes, own and inherited, by qualified class name
  QStringList interactionClasses;  ///< qualified names
};

/// Identity of the modules' present contents: paths, sizes and modification times. Reports with an
/// equal key are equal.
QString moduleKey(const QStringList& modules);

/// Reads and merges modules with the standard MIM. Thread-safe; keeps the last few reports by key,
/// so asking again about unchanged files costs a few system calls.
ObjectModelReport examineModules(const QStringList& modules);

}  // namespace tutti::composer
