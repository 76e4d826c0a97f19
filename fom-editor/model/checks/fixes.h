// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <string>
#include <tl/expected.hpp>

#include "fom-editor/model/loaded_model.h"

namespace tutti::fomedit {

/// A fix that was applied; line and column at the time, which earlier fixes may have moved.
struct AppliedFix {
  QString file;
  int line = 0;
  int column = 0;
  QString label;
  QString text;  ///< of the finding
};

/// A module with its fixes.
struct FixedModule {
  QString path;
  std::string before;  ///< bytes of the file
  std::string after;
};

struct FixedModules {
  QList<AppliedFix> fixes;     ///< in the order in which they were applied
  QList<FixedModule> modules;  ///< those that changed
  LoadedModel loaded;          ///< checked with the fixes
};

/// Reads and checks modules, and applies the automatic fixes of findings up to that level until
/// none is left. A fix that makes a module worse (it no longer loads) is not kept. Nothing is
/// written. Thread-safe.
FixedModules fixModules(const QStringList& paths, Level level);

/// Writes the modules, each all or nothing. A file that holds something else than `before` by now
/// is not overwritten. The error names each file that was not written and why.
tl::expected<void, QString> writeFixes(const QList<FixedModule>& modules);

/// The lines of two texts that differ, as "-" and "+" lines with the number in the text before; at
/// most `most` of them.
QStringList changedLines(const std::string& before, const std::string& after, int most);

}  // namespace tutti::fomedit
