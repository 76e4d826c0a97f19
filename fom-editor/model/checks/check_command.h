// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QTextStream;

namespace tutti::fomedit {

/// `tutti fom check ...`, with what follows "check":
///   [--level loads|strict|dif|omt] [--style] [--fix [--dry-run]] [--json] FILE...
/// Exit code 0 when there is no finding of that level (loads without the option) or below it, 1
/// when there is one, 2 with wrong arguments or when a file is not there or cannot be written.
/// Hints of style never count.
int runFomCheck(const QStringList& arguments, QTextStream& out, QTextStream& err);

}  // namespace tutti::fomedit
