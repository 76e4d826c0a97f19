// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include "launcher/engine/run.h"
#include "launcher/engine/run_record.h"
#include "monitor/engine/snapshot.h"

namespace tutti::app {

/// No escape sequence of a federate reaches the terminal: for what is not written through
/// Invocation::out.
QString printable(QString text);

/// How a run looks in a terminal. Rates are 5 s means and come from the RTI's slots, processor
/// shares from /proc; "–" stands for what is not known.
struct RunTableStyle {
  int columns = 100;  ///< Width of the terminal.
  int rows = 0;       ///< Federates to show at most, the worst first; 0: all, in start order.
  bool colour = false;
};

/// One line: phase, elapsed, federates, logical time, rates.
QString runHeadline(const launcher::Run& run, const monitor::Snapshot& snapshot);

/// Heading and one line for each federate, and what needs attention below.
QStringList runTable(const launcher::Run& run, const monitor::Snapshot& snapshot,
                     const RunTableStyle& style);

/// What became of each federate, with totals, and where its log is.
/// `record` says whether those of other hosts were fetched.
QStringList runSummary(const launcher::Run& run, const monitor::Snapshot& snapshot,
                       const launcher::RunRecord& record);

/// Where time stands, who holds it, for how long and why, and who waits; needs snapshot.standing.
QString standingText(const monitor::Snapshot& snapshot);

/// "812", "1.44 k", "2.00 M": three significant digits; "–" when not known.
QString rateText(double perSecond);

}  // namespace tutti::app
