// SPDX-License-Identifier: GPL-3.0-or-later
// tutti logs: the logs of a run on all its hosts, and fetches those that are not here.
#include <unistd.h>

#include <QDir>
#include <algorithm>
#include <future>

#include "app/cli/interruption.h"
#include "app/cli/past_run.h"
#include "app/cli/verb.h"
#include "launcher/engine/fetch_logs.h"

namespace {

using namespace tutti;
using namespace tutti::app;
using launcher::logSizeText;
using launcher::PastRun;
using nlohmann::json;

std::string utf8(const QString& text) { return text.toStdString(); }

/// One log of a run, wherever it was written.
struct Log {
  QString host;  ///< empty: this machine
  QString name;  ///< there
  QString file;  ///< here, where it is or will be
  qint64 size = 0;
  qint64 here = 0;
  bool whole = false;
  bool gone = false;

  [[nodiscard]] QString stateText() const {
    if (whole) return {};
    const QString part = here == 0 ? QStringLiteral("not here")
                                   : QStringLiteral("%1 of it here").arg(logSizeText(here));
    return gone ? part + QStringLiteral(", gone there") : part;
  }
};

std::vector<Log> logsOf(const PastRun& run) {
  std::vector<Log> logs;
  QStringList ofHosts;
  for (const auto& host : run.record.hosts) {
    for (const auto& log : host.logs) {
      const auto here = launcher::logHere(run.folder, log);
      ofHosts << log.file;
      logs.push_back({host.name, log.name, log.file, log.size, here.size,
                      here.whole && here.size >= log.size, log.gone});
    }
  }
  std::vector<Log> here;
  for (const QFileInfo& log :
       QDir(run.folder).entryInfoList({QStringLiteral("*.log")}, QDir::Files, QDir::Name)) {
    if (!ofHosts.contains(log.fileName()))
      here.push_back({{}, log.fileName(), log.fileName(), log.size(), log.size(), true, false});
  }
  logs.insert(logs.begin(), here.begin(), here.end());
  return logs;
}

/// Hosts whose logs are not known to be here, with the reason.
std::vector<std::pair<QString, QString>> missingOf(const PastRun& run) {
  std::vector<std::pair<QString, QString>> missing;
  for (const auto& host : run.record.hosts) {
    if (host.name.isEmpty() || host.logsFetched) continue;
    missing.emplace_back(
        host.name, !host.logProblem.isEmpty() ? host.logProblem
                   : run.goesOn
                       ? QStringLiteral("The logs of %1 are fetched when the run ends; until then "
                                        "they are in %1:%2.")
                             .arg(host.name, host.folder)
                       : QStringLiteral("The logs of %1 were not fetched. They are in %1:%2.")
                             .arg(host.name, host.folder));
  }
  return missing;
}

void print(Invocation& invocation, const PastRun& run) {
  const auto logs = logsOf(run);
  const auto missing = missingOf(run);
  if (invocation.json) {
    json array = json::array();
    for (const auto& log : logs) {
      array.push_back({{"host", utf8(log.host)},
                       {"log", utf8(log.name)},
                       {"file", utf8(log.file)},
                       {"size", log.size},
                       {"here", log.here},
                       {"whole", log.whole},
                       {"gone", log.gone}});
    }
    json hosts = json::array();
    for (const auto& [host, problem] : missing)
      hosts.push_back({{"host", utf8(host)}, {"problem", utf8(problem)}});
    invocation.print({{"run", utf8(run.record.run)},
                      {"outcome", utf8(outcomeOf(run))},
                      {"folder", utf8(run.folder)},
                      {"logs", array},
                      {"missing", hosts}});
    return;
  }
  invocation.out << QStringLiteral("%1, %2, %3: logs in %4")
                        .arg(run.record.run, run.record.federation, outcomeOf(run), run.folder)
                 << '\n';
  qsizetype hostWidth = 0;
  qsizetype fileWidth = 0;
  const auto hostText = [](const Log& log) {
    return log.host.isEmpty() ? QStringLiteral("this machine") : log.host;
  };
  for (const auto& log : logs) {
    hostWidth = std::max(hostWidth, hostText(log).size());
    fileWidth = std::max(fileWidth, log.file.size());
  }
  for (const auto& log : logs) {
    invocation.out << "  " << hostText(log).leftJustified(hostWidth) << "  "
                   << log.file.leftJustified(fileWidth) << "  "
                   << logSizeText(log.size).rightJustified(10)
                   << (log.whole ? QString() : QStringLiteral("  ") + log.stateText()) << '\n';
  }
  invocation.out.flush();
  for (const auto& [host, problem] : missing) invocation.err << problem << Qt::endl;
}

/// Fetches, and says once a second how far it is.
launcher::FetchedLogs fetch(Invocation& invocation, PastRun& run,
                            const launcher::LaunchPlan& plan) {
  const Interruption interruption;
  launcher::LogProgress progress;
  QStringList done;
  for (const auto& host : run.record.hosts) {
    if (host.logsFetched) done << host.name;
  }
  auto fetching = std::async(std::launch::async, [&] {
    return launcher::fetchRunLogs(run.record, plan, {}, interruption.token(), &progress, done);
  });
  const bool isTerminal = ::isatty(STDERR_FILENO) == 1;
  qint64 said = -1;
  while (fetching.wait_for(std::chrono::seconds(isTerminal ? 1 : 5)) != std::future_status::ready) {
    if (invocation.json || progress.all == 0 || progress.here == said) continue;
    said = progress.here;
    invocation.err << QStringLiteral(
                          "%1 of %2 are here; Ctrl+C stops, and the next time goes on "
                          "from there")
                          .arg(logSizeText(said), logSizeText(progress.all))
                   << Qt::endl;
  }
  return fetching.get();
}

int logs(Invocation& invocation) {
  const auto verb = QStringLiteral("logs");
  const bool fetches = invocation.takeFlag(QStringLiteral("--fetch"));
  for (const QString& argument : std::as_const(invocation.arguments)) {
    if (argument.startsWith(u'-'))
      return invocation.usage(verb, QStringLiteral("there is no option %1").arg(argument));
  }
  if (invocation.arguments.size() > 1)
    return invocation.usage(verb, QStringLiteral("name at most one run, or the folder of one"));
  auto run = findPastRun(invocation.arguments.value(0), false);
  if (!run) return invocation.fail(run.error());
  if (fetches && run->goesOn)
    return invocation.fail(
        QStringLiteral("The run %1 goes on, or its logs are being fetched: they are fetched when "
                       "it ends. See what it writes with tutti attach %1.")
            .arg(run->record.run),
        Findings);
  if (fetches && !missingOf(*run).empty()) {
    auto plan = launcher::LaunchPlan::load(QDir(run->folder).filePath(QStringLiteral("plan.json")));
    if (!plan) return invocation.fail(plan.error().message(), Findings);
    plan->folder = QDir(run->folder).absolutePath();
    if (fetch(invocation, *run, *plan) == launcher::FetchedLogs::Busy)
      return invocation.fail(
          QStringLiteral(
              "No logs of the run %1 were fetched: %2. tutti logs %1 shows what is here.")
              .arg(run->record.run, QLatin1String(launcher::busyWithLogs)),
          Findings);
    if (const auto saved = launcher::saveLogs(run->record, run->folder); !saved)
      invocation.err << saved.error().message() << Qt::endl;
  }
  print(invocation, *run);
  return missingOf(*run).empty() ? Ok : Findings;
}

const RegisterVerb registered{
    {QStringLiteral("logs"), QStringLiteral("[RUN|FOLDER] [--fetch]"),
     QStringLiteral("List the logs of a run on all its hosts, and fetch those that are missing"),
     QStringLiteral(
         "RUN is a run identifier or its beginning, by default the newest run; FOLDER that of a "
         "run.\n"
         "The logs of other hosts are fetched into the folder of the run when it ends, for at most "
         "20 s.\n"
         "Prints each log with its host and size there, and how much of it is here when that is "
         "not all.\n"
         "  --fetch  gets what is missing, for as long as its host has it and goes on sending. "
         "Ctrl+C stops;\n"
         "           what has come stays, and the next --fetch goes on behind it. Until a log is "
         "whole its\n"
         "           name here ends with .part\n"
         "Exit code 0: all logs are here; 1: some are not, and standard error says which, why and "
         "where\n"
         "they are; 2: there is no such run."),
     &logs}};

}  // namespace
