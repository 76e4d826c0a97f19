// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <functional>
#include <tl/expected.hpp>

#include "fom-editor/model/compatibility.h"

class QTextStream;

namespace tutti::fomedit {

/// Reads the manifests below a folder; the error is one sentence.
using ComponentReader =
    std::function<tl::expected<QList<ComponentUse>, QString>(const QString& folder)>;

/// `tutti fom diff ...`, with what follows "diff":
///   A B [--json | --html FILE] [--no-renames] [--components FOLDER]
///     A and B are each a module, a folder of modules, or modules joined by commas. Exit code 0
///     when they define the same, 1 when not, 2 when a side cannot be read or does not fit
///     together.
///   --git-driver PATH OLD-FILE OLD-HEX OLD-MODE NEW-FILE NEW-HEX NEW-MODE
///     as git calls an external diff program; exit code 0, because git takes any other for a crash.
int runFomDifference(const QStringList& arguments, const ComponentReader& readComponents,
                     QTextStream& out, QTextStream& err);

/// The modules of one side; empty where there are none.
QStringList modulesOfSide(const QString& side);

}  // namespace tutti::fomedit
