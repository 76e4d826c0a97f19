// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QTextStream;

namespace tutti::fomedit {

/// `tutti fom extract FILE CLASS... -o NEW`: puts classes of a module into a new one; `arguments`
/// is what follows "extract". Exit code: 0 done, 2 nothing was written.
int runFomExtraction(const QStringList& arguments, QTextStream& out, QTextStream& err);

/// The same for what a person does in the window.
QString fomExtractionCommandLine(const QString& file, const QStringList& classes,
                                 const QString& into, bool withSubclasses, const QString& shared);

}  // namespace tutti::fomedit
