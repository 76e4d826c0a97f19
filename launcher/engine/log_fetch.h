// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>
#include <stop_token>
#include <vector>

#include "launcher/engine/fetch_logs.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/run_record.h"

namespace tutti::launcher {

/// Held in the folder of a run by the program that fetches logs; a host that has it too has that
/// folder.
constexpr const char* logLockFile = "logs.lock";

/// The logs of one host that are to come to a folder here.
struct HostLogs {
  const Host& host;
  QString there;                                         ///< their folder there
  QString here;                                          ///< a folder with logLockFile
  std::vector<RecordedLog>& logs;                        ///< as known; brought up to date
  std::function<QString(const QString& name)> nameHere;  ///< for a log that is not known
};

/// What is missing of them.
struct MissingLogs {
  QString problem;      ///< Which and why, whole sentences; empty: nothing is missing.
  bool isGone = false;  ///< The host has nothing of that.
};

/// Brings them, as fetchRunLogs() says. Blocks; any thread, one for a folder and host.
MissingLogs fetchHostLogs(const HostLogs& wanted, const LogLimits& limits,
                          const std::stop_token& stop, LogProgress* progress);

/// The file in which a log is until it is whole.
QString partFile(const QString& file);

}  // namespace tutti::launcher
