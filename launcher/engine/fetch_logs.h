// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <atomic>
#include <stop_token>

#include "launcher/engine/run_record.h"

namespace tutti::launcher {

/// How far fetching logs has come, of all hosts together, in bytes; read by any thread.
struct LogProgress {
  std::atomic<qint64> here{0};  ///< of `all`; also what was here before
  std::atomic<qint64> all{0};   ///< that the hosts which have answered have
};

/// How long fetching may take. What has come by then stays, and the next time goes on behind it.
struct LogLimits {
  int longestMs = 0;     ///< 0: as long as a host goes on sending
  int silentMs = 15000;  ///< without a byte; a cut of 5 s passes
};

/// Limits at the end of a run: whoever waits for it does not wait for a slow line.
constexpr LogLimits limitsAtTheEnd{20000, 15000};

enum class FetchedLogs { Tried, Busy };

/// Why nothing was fetched when it is Busy, for sentences.
constexpr const char* busyWithLogs = "another program is fetching them";

/// Fetches what is missing of the logs of all hosts of a plan at once, into the plan's folder, and
/// brings the hosts of `record` up to date, which is not saved: what they have, and which of it is
/// not here, why, and where it is.
///
/// - Small logs come first. A log has `partOfLog` behind its name until all of it is here. What is
///   here is not sent again when the host's file begins with the same bytes (SHA-256).
/// - Two hosts may have a log of the same name, of a federate that was moved: the log of the host
///   that runs it in `plan` keeps the name, the other is called NAME.HOST.log here. A log of this
///   machine always keeps its name.
/// - Nothing is copied from a host whose folder is the folder here, and nothing that does not fit
///   on the disk.
/// - One program at a time fetches for a folder; the others get Busy, and `record` is as it was.
///
/// Hosts named in `skipped` are left as they are. Blocks; any thread.
FetchedLogs fetchRunLogs(RunRecord& record, const LaunchPlan& plan, const LogLimits& limits = {},
                         const std::stop_token& stop = {}, LogProgress* progress = nullptr,
                         const QStringList& skipped = {});

/// Writes what a record says of logs into the record in the folder of its run, which may say other
/// things than when it was read: how the run has ended. The error names the file and why.
tl::expected<void, composer::Error> saveLogs(const RunRecord& fetched, const QString& folder);

/// Bytes of a log in the folder of a run on this machine.
struct LogHere {
  qint64 size = 0;
  bool whole = false;
};
LogHere logHere(const QString& folder, const RecordedLog& log);

/// "12.4 MB"
QString logSizeText(qint64 bytes);

}  // namespace tutti::launcher
