// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QTextStream;

namespace tutti::fomedit {

/// `tutti fom merge ...`, with what follows "merge":
///   BASE OURS THEIRS [--choose [PLACE=]SIDE ...] [-o FILE] [--markers] [--json]
///     brings what changed from BASE to THEIRS into OURS and writes FILE, which may be OURS;
///     without -o it only says what would come of it. SIDE, ours, theirs, base or both, decides the
///     conflict of that place, or all that have no choice of their own. Exit code 0 when they
///     merge, 1 when there are conflicts without a choice: then FILE is written with --markers
///     only, and is no XML. 2 when a module cannot be read, a choice makes no sense or FILE cannot
///     be written.
///   --git BASE OURS THEIRS [PATH]
///     as git calls a merge driver: the result is written into OURS, with markers at conflicts.
///     What is no object model in XML is left to `git merge-file`; a binary file keeps the content
///     of OURS, which is a conflict. Exit code 0 or 1; 129 when OURS could not be read or written:
///     git before 2.42 then lists PATH as a conflict with the content of OURS, later versions stop
///     the whole merge.
int runFomMerge(const QStringList& arguments, QTextStream& out, QTextStream& err);

}  // namespace tutti::fomedit
