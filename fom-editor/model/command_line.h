// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QTextStream;

namespace tutti::fomedit {

/// `tutti fom ...`, with what follows "fom":
///   check [--json] FILE...        findings; exit code 0 when an RTI loads the modules, 1 when not
///   show [--csv] ITEM FILE...     the table of a class, datatype or dimension; 1 when unknown
/// Exit code 2: wrong arguments, or a file is not there. Results go to `out`, messages about arguments to `err`.
int runFomCommand(const QStringList& arguments, QTextStream& out, QTextStream& err);

/// A word of a command line, in quotes where a shell needs them.
QString shellWord(QString word);

/// The command line with the result of the page's checks, paths quoted for a shell:
/// "tutti fom check A.xml B.xml". Empty without paths.
QString fomCheckCommandLine(const QStringList& paths);

/// The one with the result of a comparison: "tutti fom diff A.xml B.xml,C.xml".
QString fomDiffCommandLine(const QStringList& before, const QStringList& after);

}  // namespace tutti::fomedit
