// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "monitor/engine/run_store.h"

namespace tutti::monitor {

/// What a process has written, as a line of the run's log. Standard error is a warning, but for the
/// lines of an RTI node: those carry a time, a level and a process of their own
/// ("2026-11-23 14:02:28.914 I [4711] federate 3 'radar' joins"), of which the level is taken and
/// the rest left out: the log has its own time, and the node is the sender.
LogRecord logRecordOf(Milliseconds at, const QString& subject, bool isStandardError,
                      const QString& text);

}  // namespace tutti::monitor
