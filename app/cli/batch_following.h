// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

#include "app/cli/verb.h"
#include "launcher/engine/batch_queue.h"

namespace tutti::app {

/// `--job N [--cluster NAME] [--hosts FILE]`, as attach and stop take them.
struct JobWords {
  qint64 job = 0;
  QString cluster;
  std::optional<QString> hosts;

  /// Takes them out of the arguments; nothing when there is no --job. The error says what is wrong.
  static tl::expected<std::optional<JobWords>, QString> take(Invocation& invocation);
};

/// `tutti attach --job`: waits in the queue with the job, follows its run on its first node until
/// the end, and then the job that continues it. A signal leaves them alone.
int followJob(Invocation& invocation, const JobWords& words, const QStringList& federates,
              const QString& pattern);

/// `tutti stop --job`: has the run end in order, or `now`, and waits until its job is over. Of a
/// job that is over the one that continues it is ended, which is said.
int stopJob(Invocation& invocation, const JobWords& words, bool now);

/// Runs of this account that wait or run as jobs, as a line and as JSON.
QString lineOf(const launcher::ListedJob& listed);
nlohmann::json asJson(const launcher::ListedJob& listed);

}  // namespace tutti::app
