// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <memory>

#include "fom-editor/model/compatibility.h"
#include "fom-editor/model/difference.h"

namespace tutti::fomedit {

/// Two models, how they differ and what that means; what is shown, printed and exported.
struct DifferenceReport {
  QString before;  ///< how a person calls the model before: "Base.xml", "14 modules of rpr2"
  QString after;
  ModelDifference difference;
  Compatibility compatibility;
  bool withComponents = false;  ///< components were looked at
  QList<ComponentImpact> components;
};

/// For a terminal: the verdict with its reasons, then the differences by kind, aligned, with the
/// lines of both sides. Ends with a line feed.
QString toText(const DifferenceReport& report);
/// One object as resources/schemas/model-difference.schema.json describes it; sorted keys.
QByteArray toJson(const DifferenceReport& report);
/// One page that needs nothing else: no scripts, no other files; light and dark as the browser
/// asks. UTF-8.
QByteArray toHtml(const DifferenceReport& report);

/// Compares two sides of loaded models, judges, and looks at components. Reads the files of both
/// sides again to see whether they load together. Thread-safe.
DifferenceReport reportOf(const LoadedModel& before, const LoadedModel& after,
                          const DifferenceOptions& options = {},
                          const QList<ComponentUse>* components = nullptr);

/// What a person calls modules: the name of the one file, else "3 modules of FOLDER".
QString sideTitle(const QStringList& paths);

}  // namespace tutti::fomedit
