// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_follower.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <QJsonDocument>
#include <QSocketNotifier>
#include <utility>

namespace tutti::app {

using launcher::LogLine;
using launcher::RelayLink;
using launcher::Run;

namespace {

QString whyNot(const RelayLink& link) {
  if (link.state() == RelayLink::State::Silent)
    return QStringLiteral("%1 is not heard; the run does not notice").arg(link.host().name);
  return QStringLiteral("connection to %1 lost: %2; trying again in %3 s")
      .arg(link.host().name, link.whyLost().why)
      .arg(link.secondsToRetry());
}

}  // namespace

RunFollower::RunFollower(Invocation& invocation, QStringList federates, QString pattern)
    : invocation_(invocation), federates_(std::move(federates)), pattern_(std::move(pattern)) {}

void RunFollower::listenTo(Run& run) {
  if (invocation_.json) {
    QObject::connect(
        &run, &Run::eventArrived, &loop_,
        [this](const QString& host, const QJsonObject& event) { printEvent(host, event); });
    QObject::connect(&run, &Run::troubled, &loop_, [this](const launcher::Trouble& trouble) {
      if (!concerns(trouble.process) && !trouble.process.isEmpty()) return;
      print({{"event", "trouble"},
             {"id", trouble.process},
             {"what", trouble.what},
             {"where", trouble.where},
             {"why", trouble.why},
             {"next", trouble.next}});
    });
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
  QObject::connect(&run, &Run::hostChanged, &loop_, [this, &run](const QString& name) {
    for (const launcher::HostStatus& host : run.hosts()) {
      if (host.name == name) tellOf(host);
    }
  });
  QObject::connect(&run, &Run::finished, &loop_, &QEventLoop::quit);
}

void RunFollower::listenTo(RelayLink& link) {
  QObject::connect(&link, &RelayLink::stateChanged, &loop_, [this, &link] { tellOf(link); });
}

int RunFollower::follow(const Run& run, int ends, const std::function<void(int)>& signalled) {
  QSocketNotifier notifier(ends, QSocketNotifier::Read);
  int last = 0;
  QObject::connect(&notifier, &QSocketNotifier::activated, &loop_, [&] {
    const int signal = takeSignal(ends);
    if (signal != 0) signalled(last = signal);
  });
  if (!run.isOver()) loop_.exec();
  return last;
}

void RunFollower::await(launcher::RunRecording& recording, int ends) {
  QSocketNotifier notifier(ends, QSocketNotifier::Read);
  QObject::connect(&notifier, &QSocketNotifier::activated, &loop_, [&] {
    if (takeSignal(ends) != 0) recording.cancel();
  });
  QObject::connect(&recording, &launcher::RunRecording::over, &loop_, &QEventLoop::quit);
  if (!recording.isOver()) loop_.exec();
  if (!invocation_.json && !recording.problem().isEmpty())
    invocation_.err << recording.problem() << Qt::endl;
}

void RunFollower::tellOf(const RelayLink& link) {
  const auto state = link.state();
  const bool up = state == RelayLink::State::Up;
  if (state == RelayLink::State::Over || up == std::exchange(up_, up)) return;
  const QString machine = link.host().name;
  if (invocation_.json) {
    const QJsonObject event{{"event", "connection"},
                            {"on", machine},
                            {"up", up},
                            {"why", up ? QString() : whyNot(link)}};
    print(event);
    return;
  }
  invocation_.err << (up ? QStringLiteral("connected to %1 again").arg(machine) : whyNot(link))
                  << Qt::endl;
}

void RunFollower::tellOf(const launcher::HostStatus& host) {
  const bool unseen = host.unseen && host.seen.isValid();
  if (unseen == unseen_.contains(host.name)) return;
  if (unseen)
    unseen_ << host.name;
  else
    unseen_.removeAll(host.name);
  // What has become of it else is told by itself.
  if (!unseen && host.state != launcher::HostStatus::State::Up) return;
  if (invocation_.json) {
    const QJsonValue since =
        unseen ? QJsonValue(host.seen.toUTC().toString(Qt::ISODate)) : QJsonValue();
    print({{"event", "unseen"}, {"host", host.name}, {"since", since}, {"why", host.whyUnseen}});
    return;
  }
  invocation_.err << (unseen
                          ? QStringLiteral("%1 has not been seen since %2: %3. What runs there may "
                                           "go on; it is sought again.")
                                .arg(host.name, host.seen.toString(QStringLiteral("HH:mm:ss")),
                                     host.whyUnseen)
                          : QStringLiteral("%1 is seen again.").arg(host.name))
                  << Qt::endl;
}

void RunFollower::printEvent(const QString& host, const QJsonObject& event) {
  const QString id = event["id"].toString();
  if (!id.isEmpty() && !concerns(id)) return;
  if (event["event"] == QStringLiteral("output") && !event["line"].toString().contains(pattern_))
    return;
  if (event["event"] == QStringLiteral("alive") || event["event"] == QStringLiteral("sample"))
    return;
  QJsonObject shown = event;
  shown["host"] = host;
  print(shown);
}

void RunFollower::print(const QJsonObject& event) {
  invocation_.out << QString::fromUtf8(QJsonDocument(event).toJson(QJsonDocument::Compact))
                  << Qt::endl;
}

void RunFollower::printLine(const LogLine& line) {
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

int signalsToEnd() {
  sigset_t handled;
  ::sigemptyset(&handled);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&handled, signal);
  ::sigprocmask(SIG_BLOCK, &handled, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  return ::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
}

int takeSignal(int ends) {
  signalfd_siginfo info{};
  const bool came = ::read(ends, &info, sizeof info) == static_cast<ssize_t>(sizeof info);
  return came ? static_cast<int>(info.ssi_signo) : 0;
}

std::optional<launcher::LaunchPlan> openLink(RelayLink& link, int ends, int& signal) {
  std::optional<launcher::LaunchPlan> plan;
  QEventLoop opening;
  QObject::connect(&link, &RelayLink::opened, &opening, [&](const launcher::LaunchPlan& its) {
    plan = its;
    opening.quit();
  });
  QObject::connect(&link, &RelayLink::closed, &opening, &QEventLoop::quit);
  QSocketNotifier notifier(ends, QSocketNotifier::Read);
  QObject::connect(&notifier, &QSocketNotifier::activated, &opening, [&] {
    signal = takeSignal(ends);
    if (signal != 0) opening.quit();
  });
  link.open();
  if (link.state() == RelayLink::State::Connecting) opening.exec();
  return signal == 0 ? plan : std::nullopt;
}

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

}  // namespace tutti::app
