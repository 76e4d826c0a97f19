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
#include <set>
#include <utility>

#include "launcher/engine/log_fetch.h"
#include "launcher/engine/plan_hosts.h"

namespace tutti::launcher {

namespace {

QString logNameOf(const QString& process) {
  return QFileInfo(logFileIn(QStringLiteral("/"), process)).fileName();
}

/// Which file here each log gets; all hosts ask at once.
class NamesHere {
 public:
  NamesHere(const RunRecord& record, const LaunchPlan& plan) {
    for (const auto& host : record.hosts) {
      for (const auto& log : host.logs) taken_.insert(log.file);
    }
    const auto add = [&](const QString& host) {
      for (const auto& process : plan.planOf(host).processes)
        runsOn_[QFileInfo(QString::fromStdString(process.logFile)).fileName()] = host;
    };
    add({});
    for (const auto& one : plan.hosts) add(one.host.name);
    // A file that no host is known to have is a log of this machine, of a federate that was moved
    // away too; or was fetched by a program that did not come to say so.
    const auto wereElsewhere = neverHere(record);
    for (const QString& file :
         QDir(plan.folder).entryList({QStringLiteral("*.log")}, QDir::Files | QDir::Hidden)) {
      const auto runsOn = runsOn_.find(file);
      const bool isFetched =
          wereElsewhere.contains(file) && runsOn != runsOn_.end() && !runsOn->second.isEmpty();
      if (!isFetched) taken_.insert(file);
    }
  }

  QString of(const QString& host, const QString& log) {
    const std::lock_guard lock(mutex_);
    const auto owner = runsOn_.find(log);
    const bool isAnothers = owner != runsOn_.end() && owner->second != host;
    QString file = log;
    if (isAnothers || taken_.contains(file)) {
      QString plain = host;
      for (QChar& c : plain) {
        if (!isLogName(QLatin1Char('-') + QString(c) + QStringLiteral(".log"))) c = u'-';
      }
      const QString start = log.chopped(4).left(mostLetters) + u'.' + plain.left(mostLetters);
      file = start + QStringLiteral(".log");
      for (int number = 2; taken_.contains(file); ++number)
        file = QStringLiteral("%1.%2.log").arg(start).arg(number);
    }
    taken_.insert(file);
    return file;
  }

 private:
  static constexpr qsizetype mostLetters = 110;  ///< of a log and of a host in a name of both

  /// Logs of processes that were on other hosts, and on this machine at no time.
  static std::set<QString> neverHere(const RunRecord& record) {
    std::set<QString> here;
    std::set<QString> there;
    const auto add = [&](const QString& process, const QString& host) {
      (host.isEmpty() ? here : there).insert(logNameOf(process));
    };
    for (const auto& one : record.processes) add(one.id, one.host);
    for (const auto& one : record.changes) {
      if (one.kind == RunChange::Kind::Paced) continue;
      add(one.federate, one.host);
      if (one.kind == RunChange::Kind::Moved) add(one.federate, one.from);
    }
    for (const QString& one : here) there.erase(one);
    return there;
  }

  std::mutex mutex_;                   ///< guards taken_
  std::set<QString> taken_;            ///< files here
  std::map<QString, QString> runsOn_;  ///< host by log; empty: this machine
};

RecordedHost* hostOf(RunRecord& record, const QString& name) {
  const auto found = std::find_if(record.hosts.begin(), record.hosts.end(),
                                  [&](const auto& one) { return one.name == name; });
  return found == record.hosts.end() ? nullptr : &*found;
}

}  // namespace

FetchedLogs fetchRunLogs(RunRecord& record, const LaunchPlan& plan, const LogLimits& limits,
                         const std::stop_token& stop, LogProgress* progress,
                         const QStringList& skipped) {
  std::vector<std::pair<const PlannedHost*, RecordedHost*>> hosts;
  for (const auto& one : plan.hosts) {
    auto* host = hostOf(record, one.host.name);
    if (host != nullptr && !skipped.contains(one.host.name)) hosts.emplace_back(&one, host);
  }
  if (hosts.empty()) return FetchedLogs::Tried;
  QLockFile lock(QDir(plan.folder).filePath(QLatin1String(logLockFile)));
  lock.setStaleLockTime(0);
  if (!lock.tryLock(0)) {
    if (lock.error() == QLockFile::LockFailedError) return FetchedLogs::Busy;
    const QString why = QStringLiteral("%1 cannot be written to").arg(plan.folder);
    for (const auto& [one, host] : hosts) {
      host->logsFetched = false;
      host->logProblem =
          QStringLiteral("The logs of %1 could not be fetched: %2. They are in %1:%3.")
              .arg(host->name, why, one->folder);
    }
    return FetchedLogs::Tried;
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
    // Nobody gets to the node of a job when that is over.
    if (!host.logsFetched && !missing.isGone && !hosts[index].first->host.jobNode)
      host.logProblem += QStringLiteral(" To fetch them: tutti logs %1 --fetch").arg(record.run);
  }
  return FetchedLogs::Tried;
}

tl::expected<void, composer::Error> saveLogs(const RunRecord& fetched, const QString& folder) {
  auto now = RunRecord::read(QDir(folder).filePath(QLatin1String(recordFile)));
  if (!now) return tl::unexpected(now.error());
  for (const auto& host : fetched.hosts) {
    auto* saved = host.name.isEmpty() ? nullptr : hostOf(*now, host.name);
    if (saved == nullptr) continue;
    saved->logs = host.logs;
    saved->logsFetched = host.logsFetched;
    saved->logProblem = host.logProblem;
  }
  return now->save(folder);
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
