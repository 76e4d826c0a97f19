// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QTextStream;

namespace tutti::fomedit {

/// `tutti fom modules [--json] FILE|FOLDER...`, with what follows "modules": what each module
/// offers, what it takes from which other, and an order in which each comes behind those it needs.
/// Exit code 0: all that is used is defined; 1: a module uses a name that none defines; 2: wrong
/// arguments, or a module cannot be read.
int runFomModules(const QStringList& arguments, QTextStream& out, QTextStream& err);

}  // namespace tutti::fomedit
