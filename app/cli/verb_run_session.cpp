// SPDX-License-Identifier: GPL-3.0-or-later
// One run in a terminal, from start to end: for the verbs run, launch and rerun.
#include "app/cli/verb_run_session.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QDir>
#include <QEventLoop>
#include <QPointer>
#include <QSocketNotifier>
#include <QSysInfo>
#include <QTimer>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "app/awaited_hosts.h"
#include "app/cli/verb.h"
#include "app/cli/verb_run_input.h"
#include "app/cli/verb_run_table.h"
#include "app/host_figures.h"
#include "app/job_limit.h"
#include "composer/model/command_line.h"
#include "launcher/engine/fetch_logs.h"
#include "launcher/engine/run.h"
#include "launcher/engine/run_recording.h"
#include "launcher/engine/watched_end.h"
#include "monitor/engine/feed.h"
#include "monitor/engine/host_links.h"
#include "monitor/engine/observe_source.h"
#include "monitor/engine/recorder.h"

namespace {

using namespace tutti;
using namespace tutti::app;
using launcher::LaunchPlan;
using launcher::Run;
using nlohmann::json;

std::string utf8(const QString& text) { return text.toStdString(); }

/// NaN has no place in JSON: null is "not known".
json number(double value) { return std::isnan(value) ? json() : json(value); }

/// Between two words on how far the logs of other hosts are.
constexpr int fetchingMs = 3000;

/// A job of Slurm gives what it runs two seconds to end, on some clusters.
constexpr int longestWatchedMs = 5000;

/// The terminal that standard output is, if it is one.
struct Terminal {
  bool present = ::isatty(STDOUT_FILENO) == 1;
  bool colour = present && qEnvironmentVariableIsEmpty("NO_COLOR") &&
                qEnvironmentVariable("TERM") != QStringLiteral("dumb");
  static winsize size() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
      size.ws_col = 100;
      size.ws_row = 40;
    }
    return size;
  }
};

/// One run with everything that watches it, from start to end.
class RunSession {
 public:
  RunSession(RunInput input, Invocation& invocation, const RunOptions& options)
      : run_(std::move(input.plan)),
        recording_(run_),
        more_(options.more),
        invocation_(invocation),
        table_(options.table && terminal_.present && !invocation.json),
        quiet_(invocation.json || !options.table),
        record_(options.record),
        keep_(options.keep),
        restore_(options.restore) {
    for (const auto& one : run_.plan().hosts) {
      if (!one.host.jobNode) continue;
      continues_ = one.host.jobNode->continues || options.continues;
      saveMinutes_ = options.saveBeforeLimit.value_or(one.host.jobNode->saveBeforeLimit);
    }
    recording_.setRerunOf(options.rerunOf);
    feed_.setDeclarations(std::move(input.declarations));
    listen();
  }

  int execute() {
    blockSignals();
    QSocketNotifier interrupted(signals_, QSocketNotifier::Read);
    QObject::connect(&interrupted, &QSocketNotifier::activated, &loop_, [this] {
      signalfd_siginfo info{};
      if (::read(signals_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return;
      if (info.ssi_signo == SIGHUP && run_.isKept()) {
        left_ = true;
        loop_.quit();
        return;
      }
      if (run_.isOver()) recording_.cancel();
      run_.stop(info.ssi_signo == SIGINT ? QStringLiteral("Ctrl+C") : QStringLiteral("asked"));
    });
    QTimer refresh;
    refresh.setInterval(table_ ? 500 : 1000);
    QObject::connect(&refresh, &QTimer::timeout, &loop_, [this] { show(); });
    refresh.start();
    run_.start();
    if (!run_.isOver()) loop_.exec();
    refresh.stop();
    if (left_) {
      // Its terminal has gone: there is nobody to tell.
      feed_.stop();
      if (recorder_) recorder_->endRun(QStringLiteral("left running"));
      ::close(signals_);
      return Ok;
    }
    // Logs of other hosts are fetched meanwhile; another Ctrl+C leaves them there.
    QObject::connect(&recording_, &launcher::RunRecording::over, &loop_, &QEventLoop::quit);
    QTimer fetching;
    QObject::connect(&fetching, &QTimer::timeout, &loop_, [this] { noteFetching(); });
    fetching.start(fetchingMs);
    if (!recording_.isOver()) loop_.exec();
    fetching.stop();
    feed_.stop();
    endRecord();
    finishTable();
    report();
    // With this process its job ends, and whoever reads the last lines on this node.
    if (run_.plan().job() != 0) launcher::awaitUnwatched(run_.plan().folder, longestWatchedMs);
    interrupted.setEnabled(false);
    ::close(signals_);
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
    noteContinuation();
    if (restoreFailed_) return Findings;
    switch (run_.outcome()) {
      case Run::Outcome::Clean:
        return Ok;
      case Run::Outcome::CouldNotStart:
        return Usage;
      case Run::Outcome::FederateDied:
      case Run::Outcome::NotReady:
      case Run::Outcome::SupervisorLost:
        return Findings;
    }
    return Findings;
  }

  Run& run() { return run_; }
  /// The save that the run goes on from in another job; nothing: it does not.
  const std::optional<QString>& continuesFrom() const { return continuesFrom_; }

 private:
  void blockSignals() {
    sigset_t handled;
    ::sigemptyset(&handled);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&handled, signal);
    ::sigprocmask(SIG_BLOCK, &handled, &before_);
    ::signal(SIGPIPE, SIG_IGN);
    signals_ = ::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  void listen() {
    if (table_ || record_ || invocation_.json) passSamples(run_, feed_);
    // Who left before the first sample has its figures too; those of the run are the ones from
    // before its federates are told to leave.
    run_.setLastLook([this](const std::function<void()>& goOn) {
      feed_.look([this, goOn] {
        last_ = feed_.current();
        goOn();
      });
    });
    QObject::connect(&run_, &Run::finished, &loop_, &QEventLoop::quit);
    QObject::connect(&run_, &Run::phaseChanged, &loop_, [this](Run::Phase phase) {
      if (phase == Run::Phase::Starting) beginWatching();
      if (phase == Run::Phase::Running && keep_) run_.setKept(true);
      if (phase == Run::Phase::Running) mindLimit();
      if (phase == Run::Phase::Stopping) last_ = feed_.current();
    });
    QObject::connect(&run_, &Run::processChanged, &loop_, [this](const QString& id) {
      const auto* process = run_.process(id);
      if (process->isNode) {
        if (process->host.isEmpty() && !process->alive() && process->pid != 0 && !process->endAsked)
          feed_.noteNodeEnd();
        return;
      }
      updateRoster();
      // How one ended whose host is lost nobody knows.
      const bool isLost = process->state == launcher::ProcessStatus::State::Lost;
      if (!process->alive() && process->pid != 0 && !isLost)
        feed_.noteEnd(id, {process->exitCode, process->signal, process->endAsked});
    });
    QObject::connect(&run_, &Run::federateAdded, &loop_, [this](const QString& id) {
      updateRoster();
      // One that comes back on a spare is told of as what has become of its host.
      const auto* arrival = run_.arrivalOf(id);
      if (arrival->kind == launcher::RunChange::Kind::Restarted)
        feed_.dismiss(id);
      else
        note(arrival->text());
    });
    QObject::connect(&run_, &Run::federateRemoved, &loop_, [this](const QString& id) {
      updateRoster();
      feed_.dismiss(id);
      note(QStringLiteral("%1 was removed from the run").arg(id));
    });
    QObject::connect(&run_, &Run::hostChanged, &loop_, [this](const QString& name) {
      for (const auto& host : run_.hosts()) {
        if (host.name == name) noteHost(host);
      }
    });
    QObject::connect(&run_, &Run::processDied, &loop_, [this](const launcher::ProcessDeath& death) {
      note(QStringLiteral("%1 died: %2").arg(death.process.id, death.cause));
      if (recorder_)
        recorder_->event({death.when.toMSecsSinceEpoch(), monitor::LogLevel::Error,
                          death.process.id, QStringLiteral("died: %1").arg(death.cause)});
    });
    QObject::connect(&run_, &Run::restartPlanned, &loop_, [this](const QString& id) {
      note(QStringLiteral("%1 starts %2").arg(id, run_.process(id)->restartText()));
    });
    QObject::connect(&feed_, &monitor::Feed::sampled, &loop_, [this] {
      run_.noteLogicalTime(feed_.current()->logicalTime);
      if (!std::isnan(feed_.current()->logicalTime)) run_.notePace(feed_.current()->wantedPace);
      awaitedHosts_.look(*feed_.current(), run_);
      for (const auto& event : links_.look(*feed_.current())) note(event.text);
      noteTime(*feed_.current());
    });
    QObject::connect(&run_, &Run::troubled, &loop_,
                     [this](const launcher::Trouble& trouble) { note(trouble.message()); });
    QObject::connect(&run_, &Run::lineArrived, &loop_, [this](const launcher::LogLine& line) {
      if (!recorder_) return;
      recorder_->log({line.time.toMSecsSinceEpoch(),
                      line.stream == launcher::LogLine::Stream::Error ? monitor::LogLevel::Warning
                                                                      : monitor::LogLevel::Info,
                      line.process, line.text});
    });
  }

  /// A sentence of another thread.
  std::function<void(const QString&)> sayer() {
    return [this, alive = QPointer<QObject>(&loop_)](const QString& text) {
      QMetaObject::invokeMethod(
          QCoreApplication::instance(),
          [this, alive, text] {
            if (alive) note(text);
          },
          Qt::QueuedConnection);
    };
  }

  void mindLimit() {
    if (restoring_) restoring_->allAreReady();
    if (saveMinutes_ > 0 && !limit_) limit_.emplace(run_.plan(), saveMinutes_, continues_, sayer());
  }

  void beginRestore() {
    restoring_.emplace(run_.plan().node, run_.plan().federation, restore_,
                       [this, alive = QPointer<QObject>(&loop_)](const QString& why) {
                         QMetaObject::invokeMethod(
                             QCoreApplication::instance(),
                             [this, alive, why] {
                               if (alive) endRestore(why);
                             },
                             Qt::QueuedConnection);
                       });
  }

  void endRestore(const QString& why) {
    if (why.isEmpty()) {
      note(QStringLiteral("%1 is restored from '%2'.").arg(run_.plan().federation, restore_));
      return;
    }
    // It never goes on from something else than what was asked for.
    restoreFailed_ = true;
    invocation_.err
        << QStringLiteral("The run ends, since it cannot go on from '%1': %2").arg(restore_, why)
        << Qt::endl;
    run_.stop(QStringLiteral("it could not be restored"));
  }

  void noteContinuation() {
    if (!limit_) return;
    const auto result = limit_->result();
    limit_.reset();
    QCoreApplication::processEvents();  // what it has said last
    if (!run_.hasReachedJobLimit() || !continues_ || result.following != 0) return;
    // Inside of the job there is no next one to ask for.
    if (!qEnvironmentVariableIsEmpty("SLURM_JOB_ID")) return;
    if (result.label.isEmpty()) {
      invocation_.err << QStringLiteral(
                             "No other job continues the run: there is no complete save "
                             "before the limit. %1")
                             .arg(result.problem)
                      << Qt::endl;
      return;
    }
    continuesFrom_ = result.label;
  }

  void beginWatching() {
    if (!restore_.isEmpty()) beginRestore();
    const auto designator = run_.plan().designator();
    const auto federation = run_.plan().federation;
    updateRoster();
    feed_.start(
        [designator, federation] { return monitor::makeObserveSource(designator, federation); });
    if (!record_) return;
    recorder_ = std::make_unique<monitor::Recorder>();
    recorder_->attach(&feed_);
    QObject::connect(recorder_.get(), &monitor::Recorder::problemChanged, &loop_,
                     [this](const QString& problem) { noteUnrecorded(problem); });
    monitor::RunRecord record;
    record.federation = federation;
    record.composition = run_.plan().composition;
    record.designator = designator;
    record.host = QSysInfo::machineHostName();
    record.build = QCoreApplication::applicationVersion();
    record.command = QStringLiteral("tutti run ") + composer::shellQuoted(run_.plan().planFile());
    record.writer = QCoreApplication::applicationPid();
    record.started = QDateTime::currentMSecsSinceEpoch();
    recorder_->beginRun(record);
  }

  /// What the store could not take has been said when this returns.
  void endRecord() {
    if (!recorder_) return;
    recorder_->endRun(run_.outcomeWord());
    recorder_->finish();
    recorder_.reset();
  }

  void updateRoster() {
    std::vector<monitor::RosterEntry> roster;
    for (const auto& one : run_.processes()) {
      if (one.isNode) continue;
      const auto* federate = run_.plan().federate(one.id);
      // Processes of other hosts are none of this kernel's.
      const bool here = one.host.isEmpty();
      roster.push_back({one.id, federate->component + u' ' + federate->version,
                        here ? QSysInfo::machineHostName() : one.host,
                        here && one.alive() ? one.pid : 0});
    }
    feed_.setRoster(std::move(roster));
  }

  /// Said at once, unless the table stands there, and again in the end.
  void noteUnrecorded(const QString& problem) {
    if (problem.isEmpty()) {
      note(QStringLiteral("The run is recorded again"));
      return;
    }
    unrecorded_ = QStringLiteral("The run is not recorded: ") + problem;
    note(unrecorded_);
  }

  /// Something that a log of this terminal must show at its time; the table shows it by itself.
  void note(const QString& text) {
    if (quiet_ || table_) return;
    invocation_.out << text << Qt::endl;
    justSaid_ << text;
  }

  /// Once when time has come to stand, again when somebody else holds it, and when it goes on.
  void noteTime(const monitor::Snapshot& snapshot) {
    const QString holder = snapshot.standing && run_.phase() == Run::Phase::Running
                               ? snapshot.standing->holder
                               : QString();
    if (holder == timeHolder_) return;
    timeHolder_ = holder;
    note(holder.isEmpty() ? QStringLiteral("Time goes on.") : standingText(snapshot));
  }

  /// Once when a host is out of reach, and when it is back.
  void noteHost(const launcher::HostStatus& host) {
    using State = launcher::HostStatus::State;
    if (host.state == State::Unreachable && !silentHosts_.contains(host.name)) {
      silentHosts_ << host.name;
      note(QStringLiteral("%1 does not answer; what runs there goes on.").arg(host.name));
    } else if (host.state != State::Unreachable && silentHosts_.removeAll(host.name) > 0 &&
               host.state == State::Up) {
      note(QStringLiteral("%1 answers again.").arg(host.name));
    }
  }

  /// How far the logs of other hosts are, when they take longer than a moment.
  void noteFetching() {
    const auto& progress = recording_.progress();
    if (quiet_ || progress.all == 0) return;
    const QString text =
        QStringLiteral("Logs of other hosts: %1 of %2 are here; Ctrl+C leaves the rest there")
            .arg(launcher::logSizeText(progress.here), launcher::logSizeText(progress.all));
    if (table_)
      draw({text});
    else
      invocation_.err << text << Qt::endl;
  }

  void show() {
    if (quiet_) return;
    const auto& snapshot = *feed_.current();
    if (!table_) {
      justSaid_.clear();
      invocation_.out << runHeadline(run_, snapshot) << Qt::endl;
      return;
    }
    const auto size = Terminal::size();
    draw(QStringList{printable(runHeadline(run_, snapshot)).left(size.ws_col)} +
         runTable(run_, snapshot,
                  {size.ws_col, std::max(3, static_cast<int>(size.ws_row) - 7), terminal_.colour}));
  }

  void draw(const QStringList& lines) {
    QString text;
    if (drawn_ > 0) text += QStringLiteral("\x1b[%1A\x1b[J").arg(drawn_);
    for (const auto& line : lines) text += line + u'\n';
    drawn_ = static_cast<int>(lines.size());
    // Past the escaping of what verbs print: the texts in the table were escaped one by one.
    invocation_.out.flush();
    const QByteArray bytes = text.toUtf8();
    std::fwrite(bytes.constData(), 1, static_cast<std::size_t>(bytes.size()), stdout);
    std::fflush(stdout);
  }

  /// The summary takes the place of the live table.
  void finishTable() {
    if (table_) draw({});
  }

  void report() {
    const auto& snapshot = last_ ? *last_ : *feed_.current();
    if (invocation_.json) {
      invocation_.print(asJson(snapshot));
      return;
    }
    if (run_.outcome() == Run::Outcome::CouldNotStart && (quiet_ || table_)) {
      for (const auto& trouble : run_.troubles()) {
        invocation_.err << trouble.message() << Qt::endl;
        justSaid_ << trouble.message();
      }
    }
    for (const auto& line : runSummary(run_, snapshot, recording_.record())) {
      if (!justSaid_.contains(line)) invocation_.out << line << '\n';
    }
    invocation_.out.flush();
    for (const QString& problem : {unrecorded_, recording_.problem()}) {
      if (!problem.isEmpty()) invocation_.err << problem << Qt::endl;
    }
  }

  static json asJson(const std::optional<monitor::TimeStanding>& standing) {
    if (!standing) return {};
    json waiters = json::array();
    for (const auto& waiter : standing->waiters) waiters.push_back(utf8(waiter));
    return {{"holder", utf8(standing->holder)},
            {"at", number(standing->at)},
            {"seconds", number(standing->seconds)},
            {"lookahead", number(standing->lookahead)},
            {"waiters", waiters}};
  }

  json asJson(const monitor::Snapshot& snapshot) const {
    json federates = json::array();
    for (const auto& one : run_.processes()) {
      json entry = {{"name", utf8(one.id)},     {"node", one.isNode},
                    {"host", utf8(one.host)},   {"state", utf8(one.description())},
                    {"pid", one.pid},           {"starts", one.attempt},
                    {"endAsked", one.endAsked}, {"log", utf8(run_.logFile(one.id))}};
      if (one.state == launcher::ProcessStatus::State::Exited) entry["exitCode"] = one.exitCode;
      if (one.state == launcher::ProcessStatus::State::Signalled) entry["signal"] = one.signal;
      if (const auto* view = one.isNode ? nullptr : snapshot.find(one.id)) {
        entry["joined"] = view->number != 0;
        entry["cpu"] = number(view->cpuUser + view->cpuSystem);
        entry["sentPerSecond"] = number(view->sentPerSecond);
        entry["receivedPerSecond"] = number(view->receivedPerSecond);
        entry["grantsPerSecond"] = number(view->grantsPerSecond);
        entry["updatesSent"] = view->counters.updatesSent;
        entry["interactionsSent"] = view->counters.interactionsSent;
        entry["reflectionsReceived"] = view->counters.reflectionsReceived;
        entry["interactionsReceived"] = view->counters.interactionsReceived;
        entry["timeAdvanceGrants"] = view->counters.timeAdvanceGrants;
        entry["instancesRegistered"] = view->counters.instancesRegistered;
        entry["instancesDiscovered"] = view->counters.instancesDiscovered;
        if (view->timeManaged) entry["logicalTime"] = number(view->time.logicalTime);
      }
      federates.push_back(std::move(entry));
    }
    json deaths = json::array();
    for (const auto& death : run_.deaths()) {
      json lines = json::array();
      for (const auto& line : death.lastLines) lines.push_back(utf8(line.text));
      deaths.push_back({{"name", utf8(death.process.id)},
                        {"cause", utf8(death.cause)},
                        {"at", utf8(death.when.toUTC().toString(Qt::ISODateWithMs))},
                        {"lastLines", lines},
                        {"log", utf8(death.logFile)}});
    }
    json troubles = json::array();
    for (const auto& trouble : run_.troubles()) {
      troubles.push_back({{"what", utf8(trouble.what)},
                          {"where", utf8(trouble.where)},
                          {"why", utf8(trouble.why)},
                          {"next", utf8(trouble.next)}});
    }
    json hosts = json::array();
    for (const auto& one : recording_.record().hosts) {
      if (one.name.isEmpty()) continue;
      hosts.push_back({{"name", utf8(one.name)},
                       {"folder", utf8(one.folder)},
                       {"logsFetched", one.logsFetched},
                       {"logProblem", utf8(one.logProblem)}});
    }
    json result = {{"run", utf8(run_.plan().run)},
                   {"federation", utf8(run_.plan().federation)},
                   {"designator", utf8(run_.plan().designator())},
                   {"outcome", utf8(run_.outcomeWord())},
                   {"stopReason", utf8(run_.stopReason())},
                   {"elapsed", run_.elapsed()},
                   {"logicalTime", number(snapshot.logicalTime)},
                   {"timeStands", asJson(snapshot.standing)},
                   {"folder", utf8(run_.plan().folder)},
                   {"federates", federates},
                   {"deaths", deaths},
                   {"troubles", troubles},
                   {"hosts", hosts},
                   {"notRecorded", utf8(unrecorded_)},
                   {"recordProblem", utf8(recording_.problem())}};
    if (more_.is_object()) result.update(more_);
    return result;
  }

  QEventLoop loop_;
  Run run_;
  launcher::RunRecording recording_;
  json more_;
  monitor::Feed feed_;
  std::unique_ptr<monitor::Recorder> recorder_;
  monitor::HostLinkWatch links_;
  AwaitedHosts awaitedHosts_;
  QStringList justSaid_;  ///< Nothing else has been printed since.
  QStringList silentHosts_;
  QString timeHolder_;  ///< Empty: time does not stand.
  QString unrecorded_;  ///< Why a part of the record is missing; empty: all of it was written.
  monitor::SnapshotPointer last_;
  Invocation& invocation_;
  Terminal terminal_;
  bool table_;
  bool quiet_;
  bool record_;
  bool keep_;
  QString restore_;  ///< label; empty: it begins anew
  bool restoreFailed_ = false;
  bool continues_ = false;
  int saveMinutes_ = 0;
  std::optional<LimitSave> limit_;
  std::optional<RestoreAtStart> restoring_;
  std::optional<QString> continuesFrom_;
  sigset_t before_{};  ///< signals that were blocked
  bool left_ = false;  ///< It goes on without this process.
  int drawn_ = 0;      ///< Lines of the table on the terminal.
  int signals_ = -1;
};

/// For the supervisor's pipes, the run's record, the node and the threads that look at it.
constexpr int leastDescriptors = 32;

/// Descriptors that this process may still open.
int freeDescriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return leastDescriptors;
  const auto open = QDir(QStringLiteral("/proc/self/fd"))
                        .entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot)
                        .size();
  const auto most = static_cast<qint64>(std::min<rlim_t>(limit.rlim_cur, 1 << 20));
  return static_cast<int>(std::max<qint64>(most - open, 0));
}

int fail(Invocation& invocation, const QString& why, int code) {
  if (invocation.json)
    invocation.print({{"error", utf8(why)}});
  else
    invocation.err << why << Qt::endl;
  return code;
}

}  // namespace

namespace tutti::app {

tl::expected<RunOptions, QString> RunOptions::take(Invocation& invocation) {
  RunOptions options;
  const auto duration = invocation.takeOption(QStringLiteral("--duration"));
  options.copy = !invocation.takeFlag(QStringLiteral("--no-copy"));
  options.table = !invocation.takeFlag(QStringLiteral("--quiet"));
  options.record = !invocation.takeFlag(QStringLiteral("--no-record"));
  options.keep = invocation.takeFlag(QStringLiteral("--keep"));
  options.continues = invocation.takeFlag(QStringLiteral("--continue"));
  if (const auto label = invocation.takeOption(QStringLiteral("--restore"))) {
    if (label->isEmpty())
      return tl::unexpected(QStringLiteral("--restore needs the label of a save"));
    options.restore = *label;
  }
  if (const auto before = invocation.takeOption(QStringLiteral("--save-before-limit"))) {
    bool isNumber = false;
    options.saveBeforeLimit = before->toInt(&isNumber);
    if (!isNumber || *options.saveBeforeLimit < 0)
      return tl::unexpected(
          QStringLiteral("--save-before-limit needs minutes, a whole number; 0: no save"));
  }
  // Nothing of these verbs needs a display; said by those who want to be sure.
  invocation.takeFlag(QStringLiteral("--no-display"));
  if (!duration) return options;
  bool valid = false;
  options.seconds = duration->toDouble(&valid);
  if (!valid || !(*options.seconds > 0 && *options.seconds <= 1e6))
    return tl::unexpected(QStringLiteral("--duration needs seconds, above 0 and at most 1000000"));
  return options;
}

int startRun(Invocation& invocation, RunInput input, const RunOptions& options) {
  // Before anything is started: Qt ends the process when one of its threads finds none.
  if (const int left = freeDescriptors(); left < leastDescriptors) {
    return fail(invocation,
                QStringLiteral("The run did not start: this process may open %1 more files and "
                               "sockets, and needs %2: too many open files. Allow more "
                               "(ulimit -n), or close some.")
                    .arg(left)
                    .arg(leastDescriptors),
                Findings);
  }
  // Before the hosts are asked: the run's folder keeps the plan as it is now.
  if (options.seconds) input.plan.stopAfter = options.seconds;
  RunInput following = input;
  const auto settled = settleHosts(input.plan, options.copy, [&](const QString& line) {
    if (!invocation.json) invocation.out << line << Qt::endl;
  });
  if (!settled) return fail(invocation, settled.error(), Usage);
  int code = Ok;
  std::optional<QString> label;
  {
    RunSession session(std::move(input), invocation, options);
    session.run().hold(*settled);
    code = session.execute();
    label = session.continuesFrom();
    if (!label) return code;
    following.plan = continuation(session.run().plan(), session.run().elapsed());
  }
  if (!invocation.json)
    invocation.out << QStringLiteral("The run goes on in another job, from '%1'.").arg(*label)
                   << Qt::endl;
  RunOptions next = options;
  next.seconds.reset();
  next.restore = *label;
  return startRun(invocation, std::move(following), next);
}

}  // namespace tutti::app
