// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QTextStream;

namespace tutti::fomedit {

/// `tutti fom export --html FOLDER FILE...`, with what follows "export": the object model as pages
/// for a browser. Exit code 0 when they are written, 1 when the modules do not load together, 2
/// with wrong arguments or when the folder cannot be written.
int runFomExport(const QStringList& arguments, QTextStream& out, QTextStream& err);

}  // namespace tutti::fomedit
