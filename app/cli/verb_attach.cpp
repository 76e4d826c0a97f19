// SPDX-License-Identifier: GPL-3.0-or-later
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <QEventLoop>
#include <QJsonDocument>
#include <QSocketNotifier>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/cli/run_reach.h"
#include "launcher/engine/kept_runs.h"
#include "launcher/engine/relay_link.h"
#include "launcher/engine/run_recording.h"
#include "launcher/engine/unseen_end.h"

namespace {

using namespace tutti;
using namespace tutti::app;
using launcher::LogLine;
using launcher::RelayLink;
using launcher::Run;
using nlohmann::json;

/// One that goes on, here or on another machine, as the list has it.
struct Listed {
  QString run;
  QString federation;
  int federates = 0;
  int hosts = 1;
  bool attended = false;
  bool kept = false;
  QString folder;
};

int list(Invocation& invocation, const std::vector<Listed>& runs, const QString& machine) {
  json array = json::array();
  for (const Listed& each : runs) {
    if (invocation.json) {
      array.push_back({{"run", each.run.toStdString()},
                       {"federation", each.federation.toStdString()},
                       {"federates", each.federates},
                       {"hosts", each.hosts},
                       {"attended", each.attended},
                       {"kept", each.kept},
                       {"folder", each.folder.toStdString()}});
      if (!machine.isEmpty()) array.back()["on"] = machine.toStdString();
      continue;
    }
    const QString how = each.attended ? each.kept ? QStringLiteral("attended, goes on without that")
                                                  : QStringLiteral("attended")
                                      : QStringLiteral("left alone");
    const auto counted = [](int count, const char* noun) {
      return QStringLiteral("%1 %2%3").arg(count).arg(QLatin1String(noun),
                                                      count == 1 ? QString() : QStringLiteral("s"));
    };
    invocation.out << QStringLiteral("%1  %2  %3, %4  %5")
                          .arg(each.run, each.federation, counted(each.federates, "federate"),
                               counted(each.hosts, "host"), how)
                   << '\n';
  }
  if (invocation.json)
    invocation.print(array);
  else if (runs.empty())
    invocation.out << (machine.isEmpty()
                           ? QStringLiteral("No run is active on this machine.")
                           : QStringLiteral("No run of this account is active on %1.").arg(machine))
                   << '\n';
  invocation.out.flush();
  return Ok;
}

int listHere(Invocation& invocation) {
  launcher::recordUnseenEnds();
  std::vector<Listed> runs;
  for (const auto& each : launcher::goingRuns())
    runs.push_back({each.plan.run, each.plan.federation, static_cast<int>(each.federates),
                    static_cast<int>(each.plan.hosts.size()) + 1, each.attended, each.kept,
                    each.plan.folder});
  return list(invocation, runs, {});
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

  /// Tells of the connection to another machine.
  void listenTo(RelayLink& link) {
    QObject::connect(&link, &RelayLink::stateChanged, &loop_, [this, &link] { tellOf(link); });
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

  /// Returns when what is kept of a run that has ended is complete; a signal ends fetching logs.
  void await(launcher::RunRecording& recording, int ends) {
    QSocketNotifier notifier(ends, QSocketNotifier::Read);
    QObject::connect(&notifier, &QSocketNotifier::activated, &loop_, [&] {
      signalfd_siginfo info{};
      if (::read(ends, &info, sizeof info) > 0) recording.cancel();
    });
    QObject::connect(&recording, &launcher::RunRecording::over, &loop_, &QEventLoop::quit);
    if (!recording.isOver()) loop_.exec();
    if (!invocation_.json && !recording.problem().isEmpty())
      invocation_.err << recording.problem() << Qt::endl;
  }

 private:
  void tellOf(const RelayLink& link) {
    const auto state = link.state();
    const bool up = state == RelayLink::State::Up;
    if (state == RelayLink::State::Over || up == std::exchange(up_, up)) return;
    const QString machine = link.host().name;
    if (invocation_.json) {
      const QJsonObject event{{"event", "connection"},
                              {"on", machine},
                              {"up", up},
                              {"why", up ? QString() : whyNot(link)}};
      invocation_.out << QString::fromUtf8(QJsonDocument(event).toJson(QJsonDocument::Compact))
                      << Qt::endl;
      return;
    }
    invocation_.err << (up ? QStringLiteral("connected to %1 again").arg(machine) : whyNot(link))
                    << Qt::endl;
  }
  static QString whyNot(const RelayLink& link) {
    if (link.state() == RelayLink::State::Silent)
      return QStringLiteral("%1 is not heard; the run does not notice").arg(link.host().name);
    return QStringLiteral("connection to %1 lost: %2; trying again in %3 s")
        .arg(link.host().name, link.whyLost().why)
        .arg(link.secondsToRetry());
  }

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
  bool up_ = true;
};

/// What SIGINT, SIGTERM and SIGHUP come to instead of ending this process.
int signalsToEnd() {
  sigset_t handled;
  ::sigemptyset(&handled);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&handled, signal);
  ::sigprocmask(SIG_BLOCK, &handled, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  return ::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
}

/// How the run was when it was left, as the exit code.
int outcomeOf(Invocation& invocation, const Run& followed, int signal) {
  const QString federation = followed.plan().federation;
  if (!followed.isOver()) {
    if (!invocation.json)
      invocation.err << QStringLiteral("%1 goes on.").arg(federation) << Qt::endl;
    return Ok;
  }
  if (!invocation.json && followed.phase() == Run::Phase::Ended)
    invocation.err << QStringLiteral("%1 has ended (%2).").arg(federation, followed.stopReason())
                   << Qt::endl;
  if (followed.phase() == Run::Phase::Failed) return signal == 0 ? Usage : Findings;
  return followed.deaths().empty() ? Ok : Findings;
}

QString sentence(const launcher::Agent::Loss& loss) {
  return QStringLiteral("%1: %2. %3").arg(loss.where, loss.why, loss.next).trimmed();
}

/// `words`: the run, and what of it is meant; empty: the runs there are listed.
int runElsewhere(Invocation& invocation, const QString& machine, const QString& hostsFile,
                 QStringList words, const QString& pattern) {
  const auto host = launcher::hostNamed(machine, hostsFile);
  if (!host) return invocation.fail(host.error());
  const auto runs = launcher::runsOn(*host);
  if (!runs) return invocation.fail(sentence(runs.error()));
  if (words.isEmpty()) {
    std::vector<Listed> listed;
    for (const auto& each : *runs)
      listed.push_back({each.run, each.federation, each.federates, each.hosts, each.attended,
                        each.kept, each.folder});
    return list(invocation, listed, machine);
  }
  const auto meant = launcher::findFarRun(*runs, words.takeFirst(), machine);
  if (!meant) return invocation.fail(meant.error());

  const int ends = signalsToEnd();
  const auto link = std::make_shared<RelayLink>(*host, meant->run);
  std::optional<launcher::LaunchPlan> plan;
  QEventLoop opening;
  QObject::connect(link.get(), &RelayLink::opened, &opening, [&](const launcher::LaunchPlan& its) {
    plan = its;
    opening.quit();
  });
  QObject::connect(link.get(), &RelayLink::closed, &opening, &QEventLoop::quit);
  bool ended = false;
  {
    QSocketNotifier notifier(ends, QSocketNotifier::Read);
    QObject::connect(&notifier, &QSocketNotifier::activated, &opening, [&] {
      ended = true;
      opening.quit();
    });
    link->open();
    if (link->state() == RelayLink::State::Connecting) opening.exec();
  }
  if (ended || !plan) {
    ::close(ends);
    return invocation.fail(ended ? QStringLiteral("Ended before %1 had answered.").arg(machine)
                                 : sentence(link->whyLost()));
  }
  Run followed(*plan);
  QStringList federates;
  if (!words.isEmpty()) {
    // Those that have come to it since are not in its plan: their names are taken as they are.
    federates = launcher::processesNamed(*plan, words).value_or(words);
  }
  Follower follower(invocation, federates, pattern);
  follower.listenTo(followed);
  follower.listenTo(*link);
  followed.watchThrough(link);
  const int signal = follower.follow(followed, ends, [&](int /*number*/) { follower.leave(); });
  ::close(ends);
  return outcomeOf(invocation, followed, signal);
}

int run(Invocation& invocation) {
  const auto verb = QStringLiteral("attach");
  const bool own = invocation.takeFlag(QStringLiteral("--own"));
  const bool keep = invocation.takeFlag(QStringLiteral("--keep"));
  const auto machine = invocation.takeOption(QStringLiteral("--on"));
  const auto hostsFile = invocation.takeOption(QStringLiteral("--hosts"));
  const QString pattern = invocation.takeOption(QStringLiteral("--grep")).value_or(QString());
  QStringList words = invocation.arguments;
  for (const QString& word : words) {
    if (word.startsWith(u'-'))
      return invocation.usage(verb, QStringLiteral("there is no option %1").arg(word));
  }
  if (keep && !own)
    return invocation.usage(verb, QStringLiteral("--keep is for --own: a run that is only watched "
                                                 "goes on in any case"));
  if (hostsFile && !machine) return invocation.usage(verb, QStringLiteral("--hosts is for --on"));
  if (machine && own)
    return invocation.usage(verb, QStringLiteral("--own is for runs of this machine: log in at "
                                                 "the other one to take a run over"));
  if (machine)
    return runElsewhere(invocation, *machine, hostsFile.value_or(QString()), words, pattern);
  if (words.isEmpty()) return listHere(invocation);
  auto plan = launcher::findGoingRun(words.takeFirst());
  if (!plan) return invocation.fail(plan.error());
  auto federates = launcher::processesNamed(*plan, words);
  if (!federates) {
    // It may have come to the run since that began, which its supervisors know.
    RunReach reach(*plan);
    if (reach.watch()) federates = launcher::processesNamed(reach.run().plan(), words);
  }
  if (!federates) return invocation.fail(federates.error());

  const int ends = signalsToEnd();
  Run followed(*plan);
  Follower follower(invocation, words.isEmpty() ? QStringList() : *federates, pattern);
  follower.listenTo(followed);
  std::optional<launcher::RunRecording> recording;
  if (own) recording.emplace(followed);
  if (own)
    followed.attach(keep);
  else
    followed.watch(true);
  const int signal = follower.follow(followed, ends, [&](int number) {
    if (own && !(followed.isKept() && (keep || number == SIGHUP)))
      followed.stop(number == SIGINT ? QStringLiteral("Ctrl+C") : QStringLiteral("asked"));
    else
      follower.leave();
  });
  if (followed.isOver() && recording) follower.await(*recording, ends);
  ::close(ends);
  return outcomeOf(invocation, followed, signal);
}

const RegisterVerb registered{
    {QStringLiteral("attach"),
     QStringLiteral("[--on HOST [--hosts FILE]] [RUN [FEDERATE|@GROUP ...] [--grep TEXT] [--own "
                    "[--keep]]]"),
     QStringLiteral("List the active runs, or follow one"),
     QStringLiteral(
         "Without RUN: the active runs of this user on this machine, whoever started them.\n"
         "With RUN: its state, what its supervisors still have of its output (the last 8 MiB each; "
         "all of it is\n"
         "in the log files), and then everything that happens, on all its hosts, until it ends or "
         "Ctrl+C. The\n"
         "run does not notice.\n"
         "  --on HOST    the runs of this account on another machine: a name that ssh knows, or "
         "one "
         "of --hosts\n"
         "               FILE. It is reached with ssh and your own keys, and Tutti has to be there "
         "too. Such a run\n"
         "               is only watched; what changes it is done there: ssh HOST tutti stop RUN. "
         "A "
         "connection that\n"
         "               is lost is made anew, and no line is missing or shown twice\n"
         "  --grep TEXT  of what federates write only lines with this text\n"
         "  --own        take over a run that was left alone (tutti run --keep, or a console that "
         "was closed):\n"
         "               Ctrl+C stops it then, unless --keep is given\n"
         "  --json       one event a line, numbered by host; launcher/engine/supervisor/README.md "
         "lists them\n"
         "RUN is its identifier, the beginning of it, or the name of its federation.\n"
         "Exit code 1: a federate died; 2: there is no such run or machine, or the run could not "
         "be "
         "taken over."),
     &run}};

}  // namespace
