// SPDX-License-Identifier: GPL-3.0-or-later
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <QEventLoop>
#include <QJsonDocument>
#include <QSocketNotifier>

#include "app/cli/run_reach.h"
#include "launcher/engine/kept_runs.h"

namespace {

using namespace tutti;
using namespace tutti::app;
using launcher::LogLine;
using launcher::Run;
using nlohmann::json;

int list(Invocation& invocation) {
  const auto runs = launcher::goingRuns();
  json array = json::array();
  for (const auto& run : runs) {
    const auto& plan = run.plan;
    if (invocation.json) {
      array.push_back({{"run", plan.run.toStdString()},
                       {"federation", plan.federation.toStdString()},
                       {"federates", run.federates},
                       {"hosts", plan.hosts.size() + 1},
                       {"attended", run.attended},
                       {"kept", run.kept},
                       {"folder", plan.folder.toStdString()}});
      continue;
    }
    const QString how = run.attended ? run.kept ? QStringLiteral("attended, goes on without that")
                                                : QStringLiteral("attended")
                                     : QStringLiteral("left alone");
    const auto counted = [](std::size_t count, const char* noun) {
      return QStringLiteral("%1 %2%3").arg(count).arg(QLatin1String(noun),
                                                      count == 1 ? QString() : QStringLiteral("s"));
    };
    invocation.out << QStringLiteral("%1  %2  %3, %4  %5")
                          .arg(plan.run, plan.federation, counted(run.federates, "federate"),
                               counted(plan.hosts.size() + 1, "host"), how)
                   << '\n';
  }
  if (invocation.json)
    invocation.print(array);
  else if (runs.empty())
    invocation.out << QStringLiteral("No run is active on this machine.") << '\n';
  invocation.out.flush();
  return Ok;
}

/// Prints what a run tells until it ends or this process is told to leave it.
class Follower {
 public:
  Follower(Invocation& invocation, QStringList federates, QString pattern)
      : invocation_(invocation), federates_(std::move(federates)), pattern_(std::move(pattern)) {}

  void listenTo(Run& run) {
    if (invocation_.json) {
      QObject::connect(
          &run, &Run::eventArrived, &loop_,
          [this](const QString& host, const QJsonObject& event) { printEvent(host, event); });
    } else {
      QObject::connect(&run, &Run::lineArrived, &loop_,
                       [this](const LogLine& line) { printLine(line); });
      QObject::connect(&run, &Run::troubled, &loop_, [this](const launcher::Trouble& trouble) {
        invocation_.err << trouble.message() << Qt::endl;
      });
      QObject::connect(&run, &Run::linesDropped, &loop_, [this](const QString& id, qint64 count) {
        if (concerns(id))
          invocation_.err
              << QStringLiteral("%1: %2 more lines are only in its log").arg(id).arg(count)
              << Qt::endl;
      });
      QObject::connect(&run, &Run::eventsMissed, &loop_, [this](const QString& host, qint64 count) {
        invocation_.err << QStringLiteral("%1 earlier lines and events%2 are only in the log files")
                               .arg(count)
                               .arg(host.isEmpty() ? QString() : QStringLiteral(" of ") + host)
                        << Qt::endl;
      });
    }
    QObject::connect(&run, &Run::finished, &loop_, &QEventLoop::quit);
  }

  /// Returns when the run has ended, or when a signal came, whose number it returns.
  int follow(const Run& run, int ends, const std::function<void(int)>& signalled) {
    QSocketNotifier notifier(ends, QSocketNotifier::Read);
    int last = 0;
    QObject::connect(&notifier, &QSocketNotifier::activated, &loop_, [&] {
      signalfd_siginfo info{};
      if (::read(ends, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return;
      last = static_cast<int>(info.ssi_signo);
      signalled(last);
    });
    if (!run.isOver()) loop_.exec();
    return last;
  }
  void leave() { loop_.quit(); }

 private:
  bool concerns(const QString& id) const { return federates_.isEmpty() || federates_.contains(id); }

  void printEvent(const QString& host, const QJsonObject& event) {
    const QString id = event["id"].toString();
    if (!id.isEmpty() && !concerns(id)) return;
    if (event["event"] == QStringLiteral("output") && !event["line"].toString().contains(pattern_))
      return;
    if (event["event"] == QStringLiteral("alive")) return;
    QJsonObject shown = event;
    shown["host"] = host;
    invocation_.out << QString::fromUtf8(QJsonDocument(shown).toJson(QJsonDocument::Compact))
                    << Qt::endl;
  }

  void printLine(const LogLine& line) {
    if (!concerns(line.process)) return;
    const bool isOurs = line.stream == LogLine::Stream::Supervisor;
    if (!isOurs && !line.text.contains(pattern_)) return;
    const QString mark = isOurs                                  ? QStringLiteral("*")
                         : line.stream == LogLine::Stream::Error ? QStringLiteral("!")
                                                                 : QStringLiteral("|");
    invocation_.out << QStringLiteral("%1 %2 %3 %4")
                           .arg(line.time.toString(QStringLiteral("HH:mm:ss.zzz")), line.process,
                                mark, line.text)
                    << Qt::endl;
  }

  Invocation& invocation_;
  QStringList federates_;
  QString pattern_;
  QEventLoop loop_;
};

int run(Invocation& invocation) {
  const auto verb = QStringLiteral("attach");
  const bool own = invocation.takeFlag(QStringLiteral("--own"));
  const bool keep = invocation.takeFlag(QStringLiteral("--keep"));
  const QString pattern = invocation.takeOption(QStringLiteral("--grep")).value_or(QString());
  QStringList words = invocation.arguments;
  for (const QString& word : words) {
    if (word.startsWith(u'-'))
      return invocation.usage(verb, QStringLiteral("there is no option %1").arg(word));
  }
  if (keep && !own)
    return invocation.usage(verb, QStringLiteral("--keep is for --own: a run that is only watched "
                                                 "goes on in any case"));
  if (words.isEmpty()) return list(invocation);
  auto plan = launcher::findGoingRun(words.takeFirst());
  if (!plan) return invocation.fail(plan.error());
  auto federates = launcher::processesNamed(*plan, words);
  if (!federates) {
    // It may have come to the run since that began, which its supervisors know.
    RunReach reach(*plan);
    if (reach.watch()) federates = launcher::processesNamed(reach.run().plan(), words);
  }
  if (!federates) return invocation.fail(federates.error());

  sigset_t handled;
  ::sigemptyset(&handled);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&handled, signal);
  ::sigprocmask(SIG_BLOCK, &handled, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  const int ends = ::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);

  Run followed(*plan);
  Follower follower(invocation, words.isEmpty() ? QStringList() : *federates, pattern);
  follower.listenTo(followed);
  if (own)
    followed.attach(keep);
  else
    followed.watch();
  const int signal = follower.follow(followed, ends, [&](int number) {
    if (own && !(followed.isKept() && (keep || number == SIGHUP)))
      followed.stop(number == SIGINT ? QStringLiteral("Ctrl+C") : QStringLiteral("asked"));
    else
      follower.leave();
  });
  ::close(ends);
  if (!followed.isOver()) {
    if (!invocation.json)
      invocation.err << QStringLiteral("%1 goes on.").arg(plan->federation) << Qt::endl;
    return Ok;
  }
  if (!invocation.json && followed.phase() == Run::Phase::Ended)
    invocation.err
        << QStringLiteral("%1 has ended (%2).").arg(plan->federation, followed.stopReason())
        << Qt::endl;
  if (followed.phase() == Run::Phase::Failed) return signal == 0 ? Usage : Findings;
  return followed.deaths().empty() ? Ok : Findings;
}

const RegisterVerb registered{
    {QStringLiteral("attach"),
     QStringLiteral("[RUN [FEDERATE|@GROUP ...] [--grep TEXT] [--own [--keep]]]"),
     QStringLiteral("List the active runs, or follow one"),
     QStringLiteral(
         "Without RUN: the active runs of this user on this machine, whoever started them.\n"
         "With RUN: its state, what its supervisors still have of its output (the last 8 MiB each; "
         "all of it is\n"
         "in the log files), and then everything that happens, on all its hosts, until it ends or "
         "Ctrl+C. The\n"
         "run does not notice.\n"
         "  --grep TEXT  of what federates write only lines with this text\n"
         "  --own        take over a run that was left alone (tutti run --keep, or a console that "
         "was closed):\n"
         "               Ctrl+C stops it then, unless --keep is given\n"
         "  --json       one event a line, numbered by host; launcher/engine/supervisor/README.md "
         "lists them\n"
         "RUN is its identifier, the beginning of it, or the name of its federation.\n"
         "Exit code 1: a federate died; 2: there is no such run, or it could not be taken over."),
     &run}};

}  // namespace
