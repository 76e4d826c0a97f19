// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/slurm_allocation.h"

#include <signal.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QProcess>
#include <QRegularExpression>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "launcher/engine/slurm.h"
#include "launcher/engine/slurm_step.h"
#include "launcher/engine/ssh.h"

namespace tutti::launcher {

namespace {

constexpr int pulseMs = 1000;
constexpr int sliceMs = 100;
constexpr int longestEndMs = 5000;
constexpr int shortestPollMs = 2000;
/// An answer of squeue that took t is asked for again after so many t.
constexpr int pollFactor = 20;
/// Starting, saving and stopping take time too.
constexpr double marginSeconds = 300;
constexpr double mostMinutes = 5'000'000;

/// $1 is the job's name. A controller that is killed may never have heard that a job is over, or
/// not have saved it: of a job that salloc gives back it saves that in the next six seconds
/// (SAVE_MAX_WAIT of slurmctld, and a look each second), of one that scancel ends only with the
/// next change of any job. Started again it takes the job for a running one, and nobody ends it. So
/// `undo` changes the job twice before it ends it: a change is saved at once when there was none
/// for five seconds, the second one after that, with the job's end. `undo N` returns when there was
/// no job, nor at any of N looks afterwards, three seconds apart; `watch` does it behind a shell
/// that has ended. Both give up a minute after `begin`.
const QString jobEnd = QStringLiteral(
    "name=$1; shift; "
    "begin() { end=$((SECONDS + 60)); }; "
    "ask() { jobs=$(timeout 20 squeue --noheader --name=\"$name\" --user=\"$(id -un)\" "
    "--states=PENDING,CONFIGURING,RUNNING,SUSPENDED --format=%i 2>/dev/null); }; "
    "change() { for job in $jobs; do "
    "timeout 20 scontrol update JobId=$job Comment=ends > /dev/null 2>&1; done; }; "
    "undo() { looks=$1; while [ $SECONDS -lt $end ]; do "
    "if ask; then case $jobs in '' | *[!0-9[:space:]]*) "
    "[ $looks -eq 0 ] && return; looks=$((looks - 1)); sleep 3; continue;; esac; "
    "change; sleep 0.3; change; timeout 60 scancel --quiet $jobs; fi; "
    "sleep 1; looks=$1; done; }; "
    "watch() { undo 2 < /dev/null > /dev/null 2>&1 & }; ");

/// The arguments behind the name are options of salloc, which gives its job back as soon as it is
/// told to while the job waits, and later when its command has ended. When the guard itself is
/// killed, salloc is told so by the kernel, and its command looks. Where salloc has ended by itself
/// it had no job, or gave it back: then a controller that does not answer is asked once.
const QString guardScript =
    jobEnd +
    QStringLiteral(
        "export TUTTI_GUARD=$$; bound=; own=; "
        "setpriv --pdeathsig TERM true 2>/dev/null && bound='setpriv --pdeathsig TERM'; "
        "$bound salloc --job-name=\"$name\" --kill-command=KILL \"$@\" "
        "sh -c 'echo \"nodes $SLURM_JOB_ID $SLURM_JOB_NODELIST\"; "
        "while kill -0 $PPID 2>/dev/null && kill -0 $TUTTI_GUARD 2>/dev/null; do sleep 1; done' "
        "< /dev/null 2>&1 & pid=$!; trap '' HUP INT TERM; "
        "while IFS= read -r -t 20 line && kill -0 $pid 2>/dev/null; do :; done; "
        "kill -0 $pid 2>/dev/null || { wait $pid; [ $? -ge 128 ] || own=1; }; "
        "kill $pid 2>/dev/null; pkill -P $pid 2>/dev/null; "
        "for try in 1 2 3 4 5 6 7 8 9 10; do kill -0 $pid 2>/dev/null || break; sleep 0.3; done; "
        "kill -9 $pid 2>/dev/null; wait $pid; begin; "
        "if [ -n \"$own\" ]; then { ask && undo 2; } < /dev/null > /dev/null 2>&1 & "
        "else undo 0; watch; fi");

/// Instead of a guard that was killed before it could look whether its job is over. By then salloc
/// has given it back.
const QString lateScript = jobEnd + QStringLiteral("sleep 2; begin; undo 2");

/// A shell of its own session with no signal blocked: one is handled by the thread that waits for
/// it, and a Ctrl+C in our terminal is not for the shell.
std::unique_ptr<QProcess> startShell(const Allocation::Request& request, const QString& script,
                                     const QStringList& options) {
  auto shell = std::make_unique<QProcess>();
  shell->setChildProcessModifier([] {
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::setsid();
  });
  QStringList words = slurmWords(request.cluster.loginHost(), request.cluster.configuration,
                                 QStringList{QStringLiteral("bash"), QStringLiteral("-c"), script,
                                             QStringLiteral("tutti"), request.name} +
                                     options);
  const QString program = words.takeFirst();
  shell->start(program, words);
  shell->waitForStarted();
  return shell;
}

/// A QProcess that is destroyed kills its process: this one goes on, and ends by itself as soon as
/// Slurm answers, or after a minute.
void leaveAlone(std::unique_ptr<QProcess> shell) {
  [[maybe_unused]] auto* const leftAlone = shell.release();
}

/// With one second, a Slurm that defers scheduling refuses always.
QStringList immediateOptions(const Allocation::Request& request) {
  return request.cluster.immediate ? QStringList{QStringLiteral("--immediate=10")} : QStringList();
}

QString lastErrorOf(const QString& line) {
  static const QRegularExpression error(QStringLiteral("^(salloc|slurm|env|bash): (error: )?"));
  return QString(line).remove(error).trimmed();
}

}  // namespace

int minutesOf(const Allocation::Request& request) {
  if (request.cluster.timeLimit > 0 || request.seconds <= 0) return request.cluster.timeLimit;
  return int(std::min(mostMinutes, std::ceil((request.seconds + marginSeconds) / 60)));
}

QStringList sallocOptions(const Allocation::Request& request) {
  const Cluster& cluster = request.cluster;
  QStringList options{QStringLiteral("--partition=") + request.partition,
                      QStringLiteral("--nodes=%1").arg(request.nodes),
                      QStringLiteral("--ntasks-per-node=1"),
                      // One that fails takes only what ran there.
                      QStringLiteral("--no-kill")};
  if (request.cores > 1)
    options << QStringLiteral("--cpus-per-task=%1").arg(int(std::ceil(request.cores)));
  // Slurm counts MiB.
  if (request.memoryMb > 0)
    options << QStringLiteral("--mem=%1").arg(qint64(std::ceil(request.memoryMb / 1.048576)));
  if (const int minutes = minutesOf(request); minutes > 0)
    options << QStringLiteral("--time=%1").arg(minutes);
  if (cluster.exclusive) options << QStringLiteral("--exclusive");
  if (!cluster.account.isEmpty()) options << QStringLiteral("--account=") + cluster.account;
  if (!cluster.qos.isEmpty()) options << QStringLiteral("--qos=") + cluster.qos;
  return options;
}

Allocation::Allocation(Request request)
    : request_(std::move(request)), thread_([this](const std::stop_token& stop) { talk(stop); }) {}

Allocation::~Allocation() { end(); }

Allocation::State Allocation::state() const {
  const std::lock_guard guard(mutex_);
  return state_;
}

void Allocation::end() { thread_.request_stop(); }

QString Allocation::name() const { return request_.cluster.name + u'/' + request_.partition; }

void Allocation::talk(const std::stop_token& stop) {
  // Signals are handled by the thread that waits for them, and the guard has its own.
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  if (const auto fault = faultOfConfiguration(request_.cluster)) {
    const std::lock_guard lock(mutex_);
    state_.stage = Stage::Over;
    QString why = fault->what;
    why.chop(1);
    state_.loss = {name(), why, fault->next};
    return;
  }
  auto process =
      startShell(request_, guardScript, immediateOptions(request_) + sallocOptions(request_));
  QProcess& guard = *process;
  if (guard.state() == QProcess::NotRunning && guard.error() == QProcess::FailedToStart) {
    const std::lock_guard lock(mutex_);
    state_.stage = Stage::Over;
    state_.loss = {guard.program(), guard.errorString(), nextWithout(guard.program())};
    return;
  }
  QElapsedTimer pulse;
  QElapsedTimer ending;
  pulse.start();
  while (guard.state() != QProcess::NotRunning) {
    if (stop.stop_requested() && !ending.isValid()) {
      ending.start();
      guard.closeWriteChannel();
    }
    if (ending.isValid() && ending.elapsed() > longestEndMs) {
      leaveAlone(std::move(process));
      return;
    }
    if (!ending.isValid() && pulse.elapsed() >= pulseMs) {
      guard.write("\n");
      pulse.restart();
    }
    guard.waitForReadyRead(sliceMs);
    while (guard.canReadLine()) read(guard.readLine());
  }
  for (const QByteArray& line : guard.readAllStandardOutput().split('\n')) read(line);
  noteEnd(guard);
  // By a signal, or the connection to the login host was.
  constexpr int killed = 128;
  if (guard.exitStatus() == QProcess::CrashExit || guard.exitCode() > killed) {
    leaveAlone(startShell(request_, lateScript, {}));
  }
}

void Allocation::read(const QByteArray& bytes) {
  const QString line = QString::fromLocal8Bit(bytes).trimmed();
  static const QRegularExpression job(QStringLiteral("[Jj]ob(?: allocation)? (\\d+)"));
  const std::lock_guard guard(mutex_);
  const auto number = job.match(line);
  if (line.startsWith(QStringLiteral("salloc: ")) && number.hasMatch() && state_.job == 0)
    state_.job = number.captured(1).toLongLong();
  if (line.startsWith(QStringLiteral("nodes "))) {
    const QStringList words = line.split(u' ');
    state_.job = words.value(1).toLongLong();
    state_.nodes = nodesOfList(words.value(2));
    if (!state_.nodes.isEmpty()) state_.stage = Stage::Running;
  } else if (line.contains(QStringLiteral("queued and waiting"))) {
    state_.stage = Stage::Queued;
  } else if (line.contains(QStringLiteral("exceeded its time limit"))) {
    state_.loss.why = QStringLiteral("it has reached its time limit");
  } else if (line.contains(QStringLiteral("error:")) ||
             line.contains(QStringLiteral("not found"))) {
    refusal_ = lastErrorOf(line);
  }
}

void Allocation::noteEnd(const QProcess& guard) {
  const std::lock_guard lock(mutex_);
  auto& loss = state_.loss;
  loss.where = name();
  if (!loss.why.isEmpty()) {
    loss.next = QStringLiteral("Set a longer \"timeLimit\" of the cluster in the hosts file.");
  } else if (state_.job != 0 && state_.stage != Stage::Asked) {
    loss.why = QStringLiteral("its job %1 was ended, and not by this run").arg(state_.job);
    loss.next =
        QStringLiteral("scontrol show job %1 says how it ended; run again.").arg(state_.job);
  } else if (!request_.cluster.destination.isEmpty() && guard.exitCode() == 255) {
    loss = sshLoss(request_.cluster.destination, refusal_.toLocal8Bit(), 255, false);
  } else {
    loss.why = QStringLiteral("Slurm gives no nodes: %1")
                   .arg(refusal_.isEmpty()
                            ? QStringLiteral("salloc ended with exit code %1").arg(guard.exitCode())
                            : refusal_);
    loss.next = QStringLiteral(
        "tutti clusters says what the cluster has; ask for less, or name "
        "another partition, account or qos.");
  }
  state_.stage = Stage::Over;
}

tl::expected<Allocation::State, Agent::Loss> Allocation::await(
    const std::function<void(const QString&)>& progress, const std::stop_token& stop,
    const std::function<void(const QueuePlace&)>& queue) {
  std::optional<QueuePlace> told;
  const auto tell = [&](QueuePlace place) {
    place.cluster = request_.cluster.name;
    place.partition = request_.partition;
    place.nodes = request_.nodes;
    if (queue && told != place) queue(place);
    told = place;
  };
  const auto result = awaitNodes(progress, stop, tell);
  if (told && told->waits) {
    QueuePlace over = *told;
    over.waits = false;
    tell(over);
  }
  return result;
}

tl::expected<Allocation::State, Agent::Loss> Allocation::awaitNodes(
    const std::function<void(const QString&)>& progress, const std::stop_token& stop,
    const std::function<void(const QueuePlace&)>& tell) {
  QString said;
  QElapsedTimer sincePoll;
  qint64 pause = 0;
  for (;;) {
    const State now = state();
    if (now.stage == Stage::Running) return now;
    if (now.stage == Stage::Over) return tl::unexpected(now.loss);
    if (stop.stop_requested()) {
      end();
      return tl::unexpected(Agent::Loss{name(), QStringLiteral("it was not waited for any longer"),
                                        QStringLiteral("Run again.")});
    }
    if (now.stage == Stage::Queued && (!sincePoll.isValid() || sincePoll.elapsed() >= pause)) {
      sincePoll.start();
      const auto jobs = askQueue(request_.cluster, stop);
      pause = std::max<qint64>(shortestPollMs, pollFactor * sincePoll.elapsed());
      sincePoll.restart();
      QString text;
      if (!jobs) {
        text = QStringLiteral("the queue cannot be seen: %1").arg(jobs.error().message());
      } else {
        const auto own = std::find_if(jobs->begin(), jobs->end(),
                                      [&](const SlurmJob& each) { return each.id == now.job; });
        if (own != jobs->end() && own->waits()) {
          if (const QString never = neverStarts(own->reason); !never.isEmpty()) {
            end();
            return tl::unexpected(Agent::Loss{
                name(), QStringLiteral("job %1 would never start: %2").arg(own->id).arg(never),
                QStringLiteral("tutti clusters says what the cluster has; ask for "
                               "less, or name another partition.")});
          }
          const auto at = QDateTime::currentDateTime();
          text = waitText(*own, *jobs, at);
          tell(placeOf(*own, *jobs, at));
        }
      }
      if (!text.isEmpty() && text != said && progress)
        progress(QStringLiteral("%1: job %2 waits, %3").arg(name()).arg(now.job).arg(text));
      if (!text.isEmpty()) said = text;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(sliceMs / 2));
  }
}

}  // namespace tutti::launcher
