// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <stop_token>

#include "launcher/engine/hosts.h"

namespace tutti::launcher {

/// What came of fetching the logs of a host.
struct FetchedLogs {
  int files = 0;
  qint64 bytes = 0;
  QString problem;  ///< What was not fetched and why, whole sentences; empty: nothing.
};

/// Copies the logs of a run from a host into a folder of this machine: of each at most 4 MiB, the
/// first and the last half of that, and at most 64 MiB together. A log that is there already is
/// left alone: hosts may share the folder. Blocks for up to 60 s; any thread.
FetchedLogs fetchLogs(const Host& host, const QString& from, const QString& to,
                      const std::stop_token& stop = {});

}  // namespace tutti::launcher
