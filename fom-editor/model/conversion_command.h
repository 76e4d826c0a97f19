// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QTextStream;

namespace tutti::fomedit {

/// `tutti fom convert|join|new ...`, with what follows "fom":
///   convert FILE --to EDITION [-o FILE] [--json] [--force]
///     writes an object model in the notation of another edition: to `out`, or with -o to a file.
///     What is lost goes to `err`, with --json to `out` instead of the document.
///   join FILE... -o FILE [--to EDITION] [--name NAME] [--json] [--force]
///     writes what several modules define as one.
///   new FILE [--edition EDITION] [--name NAME] [--force]
///     writes a module with nothing in it yet.
/// EDITION is 1.3-fed, 1.3-omt, 2000, 2010 or 2025. Exit code 0: nothing is lost; 1: something is
/// lost, or said in another way; 2: wrong arguments, a file is not read or not written. An existing
/// file is replaced with --force only; a file is written as a whole or not at all.
int runFomConversion(const QStringList& arguments, QTextStream& out, QTextStream& err);

}  // namespace tutti::fomedit
