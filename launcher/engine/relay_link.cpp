// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/relay_link.h"

#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QPointer>
#include <QRegularExpression>
#include <algorithm>
#include <utility>

#include "launcher/engine/host_key.h"
#include "launcher/engine/relay_protocol.h"
#include "launcher/engine/ssh.h"
#include "launcher/engine/way.h"

namespace tutti::launcher {

namespace {

constexpr int pulseMs = 500;
constexpr qint64 wordMs = 1000;     ///< that this side is there
constexpr qint64 unheardMs = 3000;  ///< then the machine is shown as silent
constexpr qint64 greetingMs = 20000;
constexpr int firstRetryMs = 1000;
constexpr int longestRetryMs = 30000;
constexpr int longestListMs = 20000;
constexpr qint64 mostOfList = 4 * 1024 * 1024;
constexpr qsizetype mostBeforeGreeting = 64 * 1024;  ///< what a login shell may print
constexpr qsizetype complaintsKept = 16 * 1024;
constexpr qsizetype mostRuns = 10000;

const QByteArray greetingBegin = QByteArrayLiteral("{\"relay\":");
const QByteArray sampleBegin = QByteArrayLiteral("{\"sample\":");

/// It connects and goes through a shell: looks for tutti beside the account's supervisors there, in
/// PATH, then where people put programs. The shell stays to ask one that takes no such command
/// whether it knows the verb, and for its version. No exclamation mark and no newline: csh reads it
/// too.
constexpr const char* relayScript =
    "t=$1; r=$2; if [ -n \"$3\" ]; then XDG_STATE_HOME=$3; export XDG_STATE_HOME; fi; case \"$t\" "
    "in \"~/\"*) t=$HOME/${t#\"~/\"};; esac; "
    "if [ -z \"$t\" ]; then for e in /proc/[0-9]*; do "
    "if [ -O \"$e\" ]; then p=$(readlink \"$e/exe\" 2>/dev/null); case \"$p\" in "
    "*/tutti-supervisor) for d in \"${p%/*}\" \"${p%/*}/../../bin\"; do "
    "if [ -z \"$t\" ] && [ -x \"$d/tutti\" ]; then t=$d/tutti; fi; done;; esac; fi; done; fi; "
    "if [ -z \"$t\" ]; then t=$(command -v tutti); fi; "
    "for d in \"$HOME/.local/bin\" /usr/local/bin /opt/tutti/bin; do "
    "if [ -z \"$t\" ] && [ -x \"$d/tutti\" ]; then t=$d/tutti; fi; done; "
    "if [ -x \"$t\" ]; then echo \"tutti-relay: at $t\"; \"$t\" relay ${r:+\"$r\"}; s=$?; "
    "if [ $s = 2 ]; then \"$t\" help relay < /dev/null > /dev/null 2>&1 || { echo; "
    "echo \"tutti-relay: end no-relay $(\"$t\" --version < /dev/null 2>&1 | head -n 1)\"; }; fi; "
    "exit $s; fi; "
    "echo; echo \"tutti-relay: end no-program ${t:-tutti}\"; exit 127";

/// What the hosts file, or who has submitted a job, says of a host that only this needs: "tutti",
/// where it is there, and "stateHome"; empty: nothing.
QString wordOf(const Host& host, const char* key) {
  const auto named = host.extra.find(key);
  if (named == host.extra.end() || !named->is_string()) return {};
  return QString::fromStdString(named->get<std::string>());
}
QString relayOn(const Host& host, const QString& run) {
  return relayCommand(wordOf(host, "tutti"), run, wordOf(host, "stateHome"));
}

/// Of a clock that goes on while this machine sleeps: the relay hears nothing meanwhile, and ends.
qint64 nowMs() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return qint64(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

Agent::Loss lossFor(Agent::Loss::Reason reason, const QString& where, const QString& why,
                    const QString& next) {
  Agent::Loss loss{where, why, next};
  loss.reason = reason;
  return loss;
}

/// Where the program is that was found, as it is named in a sentence.
QString at(const QString& program) {
  return program.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(program);
}

/// Of ssh's own, or of the relay's program.
Agent::Loss lossOfRelay(const Host& host, const QByteArray& words, int exitCode, bool greeted,
                        const ScriptSaid& said) {
  const QString name = host.name;
  if (said.noRelay == Agent::Loss::Reason::NoTutti)
    return lossFor(said.noRelay, name, QStringLiteral("Tutti is not found there"),
                   QStringLiteral("Install it there, have PATH of commands over ssh name its "
                                  "folder, or name the program as \"tutti\" of %1 in a hosts file.")
                       .arg(name));
  if (said.noRelay == Agent::Loss::Reason::OldTutti)
    return lossFor(
        said.noRelay, name,
        QStringLiteral("its Tutti%1%2 is older than this one (%3) and has no relay for other "
                       "machines")
            .arg(said.version.isEmpty() ? QString() : u' ' + said.version, at(said.program),
                 QCoreApplication::applicationVersion()),
        QStringLiteral("Install the version of this machine there, or name the newer program "
                       "as \"tutti\" of %1 in a hosts file.")
            .arg(name));
  Agent::Loss loss = lossOf(host, words, exitCode, greeted);
  // What lossOf() says of hosts of a run is not so here: nothing ends with this connection.
  if (greeted)
    loss.next = QStringLiteral(
        "The run does not notice. See whether the machine and the network "
        "are up.");
  return loss;
}

Agent::Loss lossFrom(const QJsonObject& json) {
  constexpr qsizetype longest = 2000;
  return {json["where"].toString().left(longest), json["why"].toString().left(longest),
          json["next"].toString().left(longest)};
}

Agent::Loss notUnderstood(const QString& host) {
  return {host, QStringLiteral("it sends what is not understood"),
          QStringLiteral("See what its login shell prints, and that Tutti there is as it was "
                         "installed.")};
}

}  // namespace

void ScriptSaid::take(const QByteArray& line) {
  constexpr qsizetype longest = 300;
  const auto behind = [&](const QByteArray& begin) {
    return QString::fromUtf8(line.mid(begin.size())).trimmed().left(longest);
  };
  if (line.startsWith(relay::atWords)) program = behind(relay::atWords);
  if (!line.startsWith(relay::endWords)) return;
  const QString end = behind(relay::endWords);
  const QString reason = end.section(u' ', 0, 0);
  if (reason == QLatin1String(relay::noProgram)) noRelay = Agent::Loss::Reason::NoTutti;
  if (reason != QLatin1String(relay::noRelay)) return;
  noRelay = Agent::Loss::Reason::OldTutti;
  static const QRegularExpression number(QStringLiteral("^tutti ([0-9][0-9A-Za-z.+~-]*)$"));
  version = number.match(end.section(u' ', 1)).captured(1).left(40);
}

bool needsInstallation(const Agent::Loss& loss) {
  using Reason = Agent::Loss::Reason;
  return loss.reason == Reason::NoTutti || loss.reason == Reason::OldTutti ||
         loss.reason == Reason::OtherProtocol;
}

QString relayCommand(const QString& program, const QString& run, const QString& stateHome) {
  return QStringLiteral("exec ") +
         shellCommand({QStringLiteral("sh"), QStringLiteral("-c"), QLatin1String(relayScript),
                       QStringLiteral("tutti-relay"), program, run, stateHome});
}

tl::expected<QJsonObject, Agent::Loss> readGreeting(const QString& host, const QByteArray& line,
                                                    const QString& program) {
  const QJsonObject greeting = QJsonDocument::fromJson(line).object();
  if (!greeting["relay"].isDouble()) return tl::unexpected(notUnderstood(host));
  if (const int spoken = greeting["relay"].toInt(); spoken != relay::protocol) {
    return tl::unexpected(lossFor(
        Agent::Loss::Reason::OtherProtocol, host,
        QStringLiteral("its Tutti %1%2 and this one (%3) do not understand each other (relay %4 "
                       "and %5)")
            .arg(greeting["version"].toString().left(40), at(program),
                 QCoreApplication::applicationVersion())
            .arg(spoken)
            .arg(relay::protocol),
        QStringLiteral("Install the same version on both machines.")));
  }
  return greeting;
}

RelayLink::RelayLink(Host host, QString run, QObject* parent)
    : QObject(parent), host_(std::move(host)), run_(std::move(run)) {
  pulse_.setInterval(pulseMs);
  connect(&pulse_, &QTimer::timeout, this, &RelayLink::mind);
  retry_.setSingleShot(true);
  connect(&retry_, &QTimer::timeout, this, &RelayLink::connectNow);
}

// The relay there ends with its input, which is gone with ssh.
RelayLink::~RelayLink() {
  if (process_) letEnd(std::move(process_));
}

void RelayLink::dropProcess() {
  pulse_.stop();
  received_.clear();
  if (process_) letEnd(std::move(process_));
}

int RelayLink::secondsToRetry() const {
  return retry_.isActive() ? (retry_.remainingTime() + 999) / 1000 : 0;
}

void RelayLink::open() { connectNow(); }

void RelayLink::retryNow() {
  if (state_ != State::Lost || !retry_.isActive()) return;
  retry_.stop();
  connectNow();
}

void RelayLink::connectNow() {
  dropProcess();
  greeted_ = false;
  skipped_ = 0;
  said_ = {};
  complaints_.clear();
  process_ = std::make_unique<QProcess>();
  QProcess* const process = process_.get();
  connect(process, &QProcess::readyReadStandardOutput, this, &RelayLink::read);
  connect(process, &QProcess::readyReadStandardError, this, [this] {
    complaints_ = (complaints_ + process_->readAllStandardError()).right(complaintsKept);
  });
  connect(process, &QProcess::finished, this, [this](int exitCode) {
    const QPointer<RelayLink> self = this;
    read();
    if (!self || !process_) return;
    complaints_ += process_->readAllStandardError();
    const Agent::Loss loss = lossOfRelay(host_, complaints_, exitCode, greeted_, said_);
    if (loss.reason == Agent::Loss::Reason::Other)
      lose(loss);
    else
      close(loss);
  });
  connect(process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;
    const QString program = process_->program();
    close({program, process_->errorString(), nextWithout(program)});
  });
  // A Ctrl+C in our terminal is ours to handle, and ssh does not outlive this process.
  process->setChildProcessModifier([] {
    ::setsid();
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  });
  QStringList words = wordsFor(host_, relayOn(host_, run_));
  const QString program = words.takeFirst();
  if (!host_.jobNode) words.prepend(QStringLiteral("-C"));  // Figures are mostly the same again.
  begun_.start();
  heardAt_ = nowMs();
  pulse_.start();
  process->start(program, words);
}

void RelayLink::send(const QJsonObject& command) {
  if (!process_ || !greeted_) return;
  process_->write(QJsonDocument(command).toJson(QJsonDocument::Compact) + '\n');
}

void RelayLink::attach(const QString& host, qint64 after, bool state) {
  QJsonObject command{{"do", "attach"}, {"part", host}, {"after", after}};
  if (state) command["state"] = true;
  send(command);
}

void RelayLink::sample(int everyMs) {
  if (std::exchange(everyMs_, everyMs) != everyMs) send({{"do", "sample"}, {"every_ms", everyMs}});
}

void RelayLink::read() {
  if (!process_) return;
  received_ += process_->readAllStandardOutput();
  if (!received_.isEmpty()) heardAt_ = nowMs();
  if (greeted_ && state_ == State::Silent) setState(State::Up);
  const QPointer<RelayLink> self = this;
  const QProcess* const process = process_.get();
  qsizetype begin = 0;
  for (;;) {
    const qsizetype lineEnd = received_.indexOf('\n', begin);
    if (lineEnd < 0) break;
    const QByteArray line = received_.mid(begin, lineEnd - begin);
    begin = lineEnd + 1;
    take(line);
    // A receiver may delete this object, and the line may have ended the connection.
    if (!self || process_.get() != process) return;
  }
  received_.remove(0, begin);
  if (received_.size() > relay::longestLine ||
      (!greeted_ && skipped_ + received_.size() > mostBeforeGreeting &&
       !received_.startsWith(greetingBegin)))
    close(notUnderstood(host_.name));
}

void RelayLink::take(const QByteArray& line) {
  if (!greeted_) {
    // Before it a login shell may have printed something.
    if (!line.startsWith(greetingBegin)) {
      said_.take(line);
      skipped_ += line.size() + 1;
      if (skipped_ > mostBeforeGreeting) close(notUnderstood(host_.name));
      return;
    }
    const auto greeting = readGreeting(host_.name, line, said_.program);
    if (!greeting)
      close(greeting.error());
    else
      greet(*greeting);
    return;
  }
  if (line.startsWith(sampleBegin)) {
    if (line.endsWith('}'))
      emit sampled(line.mid(sampleBegin.size(), line.size() - sampleBegin.size() - 1));
    return;
  }
  const QJsonObject frame = QJsonDocument::fromJson(line).object();
  const QString host = frame["part"].toString();
  if (const QJsonValue event = frame["event"]; event.isObject())
    emit received(host, event.toObject());
  else if (const QJsonValue reachable = frame["reachable"]; reachable.isBool())
    emit reachableChanged(host, reachable.toBool());
  else if (const QJsonValue ended = frame["ended"]; ended.isObject())
    emit partEnded(host, lossFrom(ended.toObject()));
  else if (const QJsonValue failed = frame["failed"]; failed.isObject())
    emit partFailed(host, lossFrom(failed.toObject()));
  else if (!frame.contains("alive") && !frame.contains("refused"))
    close(notUnderstood(host_.name));
}

void RelayLink::greet(const QJsonObject& greeting) {
  machine_ = greeting["machine"].toString().left(255);
  if (greeting["gone"].toBool()) {
    gone_ = true;
    close(opened_ ? Agent::Loss{host_.name, QStringLiteral("the run is active there no longer"),
                                QStringLiteral("How it ended was not seen: its logs are there.")}
                  : Agent::Loss{
                        host_.name, QStringLiteral("the run %1 is not active there").arg(run_),
                        QStringLiteral("See which are: tutti attach --on %1.").arg(host_.name)});
    return;
  }
  if (const QString why = greeting["refused"].toString().left(2000); !why.isEmpty()) {
    close({host_.name, why, {}});
    return;
  }
  const auto plan =
      LaunchPlan::fromBytes(QJsonDocument(greeting["plan"].toObject()).toJson(), host_.name);
  if (!plan || plan->run != run_) {
    close({host_.name, QStringLiteral("the launch plan of the run %1 is not understood").arg(run_),
           plan ? QStringLiteral("It is of another run.") : plan.error().message()});
    return;
  }
  greeted_ = true;
  attempts_ = 0;
  if (everyMs_ > 0) send({{"do", "sample"}, {"every_ms", everyMs_}});
  if (std::exchange(opened_, true)) {
    setState(State::Up);
    emit reopened();
    return;
  }
  setState(State::Up);
  emit opened(*plan);
}

void RelayLink::mind() {
  if (!process_) return;
  const qint64 silent = nowMs() - heardAt_;
  if (!greeted_) {
    // Whatever else it says meanwhile.
    if (begun_.elapsed() > greetingMs)
      lose({host_.name, QStringLiteral("it did not answer within %1 s").arg(greetingMs / 1000),
            QStringLiteral("See how busy it and the network are.")});
    return;
  }
  // Twice as often as is needed: one may be late.
  send({{"do", "alive"}});
  if (silent > 1000 * relay::silenceSeconds) {
    lose({host_.name,
          QStringLiteral("nothing was heard from it for %1 s").arg(relay::silenceSeconds),
          QStringLiteral("The run does not notice. See whether the machine and the network are "
                         "up.")});
  } else if (silent > unheardMs) {
    setState(State::Silent);
  }
}

void RelayLink::lose(const Agent::Loss& loss) {
  dropProcess();
  if (!opened_) {
    close(loss);
    return;
  }
  loss_ = loss;
  const int pause = std::min(longestRetryMs, firstRetryMs << std::min(attempts_++, 5));
  retry_.start(pause);
  // Also when it was lost before: another reason, and another time.
  state_ = State::Lost;
  emit stateChanged();
}

void RelayLink::close(const Agent::Loss& loss) {
  dropProcess();
  retry_.stop();
  loss_ = loss;
  const QPointer<RelayLink> self = this;
  setState(State::Over);
  if (self) emit closed(loss);
}

void RelayLink::setState(State state) {
  if (std::exchange(state_, state) != state) emit stateChanged();
}

// ---- the runs of a machine ----------------------------------------------------------------------

tl::expected<std::vector<FarRun>, Agent::Loss> runsOn(const Host& host,
                                                      const std::stop_token& stop) {
  const HostAnswer answer = askOn(host, relayOn(host, {}), {}, longestListMs, stop, mostOfList);
  ScriptSaid said;
  for (const QByteArray& line : answer.output.left(mostBeforeGreeting).split('\n')) said.take(line);
  if (!answer.ok) {
    Agent::Loss loss = lossOfRelay(host, answer.errors, answer.exitCode, false, said);
    if (answer.exitCode < 0) loss = answer.loss;
    showHostKey(host, loss, stop);
    return tl::unexpected(loss);
  }
  const qsizetype begin =
      answer.output.startsWith(greetingBegin) ? 0 : answer.output.indexOf('\n' + greetingBegin) + 1;
  const auto greeting =
      readGreeting(host.name, answer.output.mid(begin, answer.output.indexOf('\n', begin) - begin),
                   said.program);
  if (!greeting) return tl::unexpected(greeting.error());
  std::vector<FarRun> result;
  const QJsonArray runs = (*greeting)["runs"].toArray();
  for (const QJsonValue& each : runs) {
    const QJsonObject one = each.toObject();
    FarRun run{one["run"].toString().left(255),
               one["federation"].toString().left(1000),
               std::max(0, one["federates"].toInt()),
               std::max(1, one["hosts"].toInt(1)),
               one["attended"].toBool(),
               one["kept"].toBool(),
               one["folder"].toString().left(4096),
               one["job"].toInteger()};
    if (!run.run.isEmpty() && std::ssize(result) < mostRuns) result.push_back(std::move(run));
  }
  return result;
}

tl::expected<FarRun, QString> findFarRun(const std::vector<FarRun>& runs, const QString& wanted,
                                         const QString& machine) {
  QStringList names;
  std::vector<const FarRun*> meant;
  for (const FarRun& each : runs) {
    names << (each.federation.isEmpty() ? each.run
                                        : QStringLiteral("%1 (%2)").arg(each.run, each.federation));
    if (each.run.startsWith(wanted) || each.federation == wanted) meant.push_back(&each);
  }
  const QString all = names.join(QStringLiteral(", "));
  if (runs.empty())
    return tl::unexpected(QStringLiteral("No run of this account is active on %1.").arg(machine));
  if (meant.empty())
    return tl::unexpected(
        QStringLiteral("There is no run \"%1\" on %2; there are %3.").arg(wanted, machine, all));
  if (meant.size() > 1)
    return tl::unexpected(QStringLiteral("Several runs on %1 are meant: %2. Name one by its "
                                         "identifier.")
                              .arg(machine, all));
  return *meant.front();
}

tl::expected<Host, QString> hostNamed(const QString& name, const QString& hostsFile) {
  if (!hostsFile.isEmpty()) {
    const auto deployment = Deployment::read(hostsFile);
    if (!deployment) return tl::unexpected(deployment.error().message());
    if (const Host* host = deployment->host(name); host != nullptr && !name.isEmpty()) {
      if (host->isThisMachine())
        return tl::unexpected(QStringLiteral("%1 is this machine. Leave --on away.").arg(name));
      return *host;
    }
  }
  if (name.isEmpty()) return tl::unexpected(QStringLiteral("No machine is named."));
  if (const QString fault = faultOfDestination(name); !fault.isEmpty())
    return tl::unexpected(fault);
  Host host;
  host.name = name;
  host.destination = name;
  return host;
}

}  // namespace tutti::launcher
