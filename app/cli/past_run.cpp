// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/past_run.h"

#include <QDir>
#include <QFileInfo>
#include <utility>
#include <vector>

#include "launcher/engine/unseen_end.h"

namespace tutti::app {

using launcher::PastRun;

QString outcomeOf(const PastRun& run) {
  if (run.goesOn) return QStringLiteral("running");
  return run.record.outcome.isEmpty() ? QStringLiteral("end not seen") : run.record.outcome;
}

tl::expected<PastRun, QString> findPastRun(const QString& wanted, bool toStart) {
  const auto refuse = [](const QString& what) {
    return tl::unexpected(what + QStringLiteral(" tutti rerun --list shows the runs there are."));
  };
  if (QFileInfo(wanted).isDir()) {
    const QString folder = QDir::cleanPath(QFileInfo(wanted).absoluteFilePath());
    auto record = launcher::RunRecord::read(QDir(folder).filePath(launcher::recordFile));
    if (!record) return refuse(record.error().message());
    return PastRun{folder, std::move(*record), launcher::runGoesOn(folder), true};
  }
  launcher::recordUnseenEnds();
  std::vector<PastRun> found;
  for (auto& one : launcher::pastRuns()) {
    if (!one.record.run.startsWith(wanted)) continue;
    if (wanted.isEmpty() && toStart && !one.canRun) continue;
    found.push_back(std::move(one));
    if (wanted.isEmpty()) break;  // the newest
  }
  if (found.empty()) {
    if (!wanted.isEmpty())
      return refuse(
          QStringLiteral("There is no run %1 in %2.").arg(wanted, launcher::runsFolder()));
    return refuse((toStart ? QStringLiteral("There is no run to start again in %1.")
                           : QStringLiteral("There is no run in %1."))
                      .arg(launcher::runsFolder()));
  }
  if (found.size() > 1)
    return refuse(QStringLiteral("%1 runs begin with %2. Name one.").arg(found.size()).arg(wanted));
  if (toStart && !found.front().canRun)
    return refuse(QStringLiteral("The run %1 has left no plans to start again.")
                      .arg(found.front().record.run));
  return std::move(found.front());
}

}  // namespace tutti::app
