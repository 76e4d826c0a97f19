// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstddef>

#include "fom-editor/model/module_source.h"

namespace tutti::fomedit {

/// A change of the module of a finding after which the finding is gone.
struct Fix {
  QString label;    ///< what it does, in the imperative: "Delete the empty <objects>"; empty: none
  Splices splices;  ///< of the text that was checked
  std::size_t text = 0;    ///< textIdOf() that text; splices of another text mean nothing
  bool automatic = false;  ///< only one correction is possible, and it loses nothing

  bool isNull() const { return label.isEmpty(); }
  bool operator==(const Fix&) const = default;
};

/// Tells texts of modules apart, within one process.
std::size_t textIdOf(const ModuleSource& source);

/// A fix, whose text checkModules() adds; none where there are no splices.
Fix makeFix(const QString& label, Splices splices, bool automatic);

}  // namespace tutti::fomedit
