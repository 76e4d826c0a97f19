// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/fetch_logs.h"

#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <QLockFile>
#include <algorithm>
#include <future>
#include <map>
#include <mutex>
#include <utility>

#include "launcher/engine/log_fetch.h"

namespace tutti::launcher {

namespace {

/// Which file here each log gets; all hosts ask at once.
class NamesHere {
 public:
  NamesHere(const RunRecord& record, const LaunchPlan& plan) {
    for (const auto& host : record.hosts) {
      for (const auto& log : host.logs) takenBy_[log.file] = host.name;
    }
    const auto add = [&](const QString& host) {
      for (const auto& process : plan.planOf(host).processes)
        runsOn_[QFileInfo(QString::fromStdString(process.logFile)).fileName()] = host;
    };
    add({});
    for (const auto& one : plan.hosts) add(one.host.name);
  }

  QString of(const QString& host, const QString& log) {
    const std::lock_guard lock(mutex_);
    const auto owner = runsOn_.find(log);
    const bool isAnothers = owner != runsOn_.end() && owner->second != host;
    const auto taken = takenBy_.find(log);
    const bool isTaken = taken != takenBy_.end() && taken->second != host;
    QString file = log;
    if (isAnothers || isTaken) {
      QString plain = host;
      for (QChar& c : plain) {
        const bool isPlain = c.isLetterOrNumber() || c == u'-' || c == u'_' || c == u'.';
        if (!isPlain) c = u'-';
      }
      file.insert(file.size() - 4, u'.' + plain);
    }
    takenBy_[file] = host;
    return file;
  }

 private:
  std::mutex mutex_;                    ///< guards takenBy_
  std::map<QString, QString> takenBy_;  ///< host by file here
  std::map<QString, QString> runsOn_;   ///< host by log; empty: this machine
};

RecordedHost* hostOf(RunRecord& record, const QString& name) {
  const auto found = std::find_if(record.hosts.begin(), record.hosts.end(),
                                  [&](const auto& one) { return one.name == name; });
  return found == record.hosts.end() ? nullptr : &*found;
}

}  // namespace

void fetchRunLogs(RunRecord& record, const LaunchPlan& plan, const LogLimits& limits,
                  const std::stop_token& stop, LogProgress* progress, const QStringList& skipped) {
  std::vector<std::pair<const PlannedHost*, RecordedHost*>> hosts;
  for (const auto& one : plan.hosts) {
    auto* host = hostOf(record, one.host.name);
    if (host != nullptr && !skipped.contains(one.host.name)) hosts.emplace_back(&one, host);
  }
  if (hosts.empty()) return;
  QLockFile lock(QDir(plan.folder).filePath(QLatin1String(logLockFile)));
  lock.setStaleLockTime(0);
  if (!lock.tryLock(0)) {
    const QString why = lock.error() == QLockFile::LockFailedError
                            ? QStringLiteral("another program is fetching them")
                            : QStringLiteral("%1 cannot be written to").arg(plan.folder);
    for (const auto& [one, host] : hosts) {
      host->logsFetched = false;
      host->logProblem =
          QStringLiteral("The logs of %1 could not be fetched: %2. They are in %1:%3.")
              .arg(host->name, why, one->folder);
    }
    return;
  }
  NamesHere names(record, plan);
  // All hosts at once: one that is lost takes its time.
  std::vector<std::future<MissingLogs>> fetched;
  for (const auto& [one, host] : hosts)
    fetched.push_back(std::async(std::launch::async, [&, one = one, host = host] {
      const auto nameHere = [&](const QString& log) { return names.of(host->name, log); };
      return fetchHostLogs({one->host, one->folder, plan.folder, host->logs, nameHere}, limits,
                           stop, progress);
    }));
  for (std::size_t index = 0; index < hosts.size(); ++index) {
    auto& host = *hosts[index].second;
    const MissingLogs missing = fetched[index].get();
    host.logsFetched = missing.problem.isEmpty();
    host.logProblem = missing.problem;
    if (!host.logsFetched && !missing.isGone)
      host.logProblem += QStringLiteral(" To fetch them: tutti logs %1 --fetch").arg(record.run);
  }
}

LogHere logHere(const QString& folder, const RecordedLog& log) {
  const QString file = QDir(folder).filePath(QFileInfo(log.file).fileName());
  if (const QFileInfo whole(file); whole.isFile()) return {whole.size(), true};
  const QFileInfo part(partFile(file));
  return {part.isFile() ? part.size() : 0, false};
}

QString logSizeText(qint64 bytes) {
  return QLocale::c().formattedDataSize(bytes, 1, QLocale::DataSizeSIFormat);
}

}  // namespace tutti::launcher
