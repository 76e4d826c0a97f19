// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_controller.h"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QFileInfo>
#include <QPointer>
#include <QRegularExpression>
#include <QSysInfo>
#include <QThreadPool>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/host_figures.h"
#include "app/in_pool.h"
#include "app/pace_menu.h"
#include "app/run_log.h"
#include "composer/model/command_line.h"
#include "composer/model/document.h"
#include "launcher/engine/host_check.h"
#include "monitor/engine/observe_source.h"
#include "monitor/engine/recorder.h"
#include "resources/theme/format.h"

namespace tutti::app {

using launcher::Run;
using theme::RunTrouble;
using theme::State;

namespace {

/// How the last recorded run of a composition went; empty when there is none. Any thread.
QString lastRunOf(const QString& composition) {
  if (!QFileInfo::exists(monitor::RunStore::defaultPath())) return {};
  const auto store = monitor::RunStore::open();
  if (!store) return {};
  const auto runs = (*store)->runs(100);
  if (!runs) return {};
  for (const monitor::RunRecord& record : *runs) {
    if (record.composition != composition || !record.ended) continue;
    return theme::formatWhen(QDateTime::fromMSecsSinceEpoch(record.started),
                             QDateTime::currentDateTime()) +
           QStringLiteral(", ") +
           theme::formatDuration(static_cast<double>(*record.ended - record.started) / 1000.0);
  }
  return {};
}

/// Lets it end in another thread: its own may be asking Slurm, or the RTI node, and the window does
/// not wait for that.
template <typename T>
void endElsewhere(std::unique_ptr<T>& one) {
  if (!one) return;
  QThreadPool::globalInstance()->start(
      [last = std::shared_ptr<T>(std::move(one))]() mutable { last.reset(); });
}

/// A host of the run for the monitor, which knows no launcher.
monitor::RosterHost rosterHost(const Run& run, const launcher::HostStatus& host) {
  using From = launcher::HostStatus::State;
  using To = monitor::RosterHost::State;
  const auto state = [&] {
    switch (host.state) {
      case From::Connecting:
        return To::Starting;
      case From::Up:
        return To::Up;
      case From::Unreachable:
        return To::Unreachable;
      case From::Lost:
        return To::Lost;
      case From::Ended:
        return To::Ended;
    }
    return To::Starting;
  };
  monitor::RosterHost result;
  result.name = host.name;
  result.state = state();
  result.load = host.load;
  if (host.unseen) {
    // Only that supervisor is out of reach from here. What the links between the RTI nodes tell of
    // the host is shown; what only the supervisor could tell is not known.
    result.state = To::Up;
    result.load = std::numeric_limits<double>::quiet_NaN();
  }
  result.ageSeconds = static_cast<double>(host.since.msecsTo(QDateTime::currentDateTime())) / 1000;
  for (const launcher::ProcessStatus& process : run.processes()) {
    if (!process.isNode || process.host != host.name) continue;
    result.node = process.id;
    if (!process.alive() && process.pid != 0) result.nodeEnd = process.description();
  }
  return result;
}

/// The host of the plan that the first of these texts names; empty: none of them names one.
QString hostIn(const launcher::LaunchPlan& plan, const QStringList& texts) {
  for (const QString& text : texts) {
    for (const launcher::PlannedHost& one : plan.hosts) {
      const QRegularExpression name(QStringLiteral("(?<![\\w.-])%1(?![\\w-])")
                                        .arg(QRegularExpression::escape(one.host.name)));
      if (text.contains(name)) return one.host.name;
    }
  }
  return {};
}

/// The supervisor of its host was told to end, by Slurm say, and has ended it before itself.
bool wasEndedWithItsHost(const Run& run, const launcher::ProcessStatus& process) {
  using State = launcher::HostStatus::State;
  const bool crashed = process.state == launcher::ProcessStatus::State::Signalled &&
                       !launcher::isOrderlySignal(process.signal);
  if (process.alive() || crashed) return false;
  return std::any_of(run.hosts().begin(), run.hosts().end(), [&](const auto& host) {
    if (host.name != process.host) return false;
    if (host.state == State::Lost) return process.endAsked;
    // At the end of a run each host ends, and that says nothing of a death. Slurm tells all that a
    // job runs at once, so that a federate may end before its supervisor has heard of it.
    constexpr qint64 before = 5;  // s
    return host.state == State::Ended && host.toldToEnd.isValid() &&
           (process.endAsked || process.endedAt >= host.toldToEnd.addSecs(-before));
  });
}

/// Of what the monitor tells: that federates died.
bool isDeath(const RunTrouble& trouble) { return trouble.id.startsWith(QStringLiteral("dead/")); }

}  // namespace

RunController::RunController(composer::Document& document, monitor::Feed& feed,
                             monitor::Recorder* recorder, QObject* parent)
    : RunStatus(parent),
      document_(document),
      feed_(feed),
      recorder_(recorder),
      members_(document, feed) {
  connect(&document_, &composer::Document::findingsChanged, this, [this] {
    Q_EMIT changed();
    startIfPending();
  });
  connect(&document_, &composer::Document::wasReset, this, [this] {
    // Another composition: what the last run left on screen is not about it.
    if (!isActive() && !preparation_.isActive()) {
      own_.clear();
      log_.reset();
      members_.setRun(nullptr);
      resigning_.setRun(nullptr);
      run_.reset();
      last_.reset();
      feed_.clear();
      Q_EMIT phaseChanged();
    }
  });
  connect(&document_, &composer::Document::pathChanged, this,
          [this] { QTimer::singleShot(0, this, &RunController::readLastRun); });
  connect(&document_, &composer::Document::federateAdded, this, &RunController::changed);
  connect(&document_, &composer::Document::federateRemoved, this, &RunController::changed);
  connect(&feed_, &monitor::Feed::sampled, this, &RunController::onSample);
  connect(&refusingHosts_, &RefusingHosts::changed, this, &RunController::troublesChanged);
  connect(&feed_, &monitor::Feed::timeControlFailed, this,
          [this](const QString& why) { report(tr("Time was not paused"), why); });
  connect(&feed_, &monitor::Feed::paceRefused, this,
          [this](const QString& why) { report(tr("The pace was not changed"), why); });
  connect(&feed_, &monitor::Feed::paceSet, this, [this](double pace) {
    Q_EMIT said(pace > 0 ? tr("The pace is %1 from here on").arg(paceText(pace))
                         : tr("Time goes on as fast as possible from here on"));
  });
  if (recorder_) {
    connect(recorder_, &monitor::Recorder::runStarted, this, &RunController::changed);
    connect(recorder_, &monitor::Recorder::problemChanged, this, [this](const QString& problem) {
      if (!problem.isEmpty()) report(tr("The run is not recorded"), problem);
    });
  }
  connect(&preparation_, &RunPreparation::changed, this, &RunController::phaseChanged);
  connect(&preparation_, &RunPreparation::prepared, this, &RunController::launchPrepared);
  connect(&preparation_, &RunPreparation::notCancelled, this, &RunController::reportNotCancelled);
  connect(&preparation_, &RunPreparation::notReplaced, this,
          [this](const QString& why) { report(tr("The job was not replaced"), why); });
  connect(&preparation_, &RunPreparation::replaced, this, [this](const QList<qint64>& old) {
    for (const qint64 job : old) Q_EMIT said(tr("Replaced job %1").arg(job));
  });
  connect(&saving_, &SaveControl::changed, this, &RunController::troublesChanged);
  connect(&saving_, &SaveControl::savesChanged, this, &RunController::savesChanged);
  connect(&saving_, &SaveControl::done, this, &RunController::said);
  connect(&resigning_, &ResignControl::changed, this, &RunController::troublesChanged);
  connect(&resigning_, &ResignControl::done, this, &RunController::said);
  connect(&members_, &RunMembers::changed, this, &RunController::troublesChanged);
  connect(&members_, &RunMembers::said, this, &RunController::said);
  connect(&members_, &RunMembers::failed, this,
          [this](const QString& title, const QString& detail) { report(title, detail); });
  connect(&members_, &RunMembers::membersChanged, this, [this] {
    updateDeclarations();
    tellProcesses();
    Q_EMIT membersChanged();
  });
  // Hundreds of processes start and end together, each with an event of its own.
  processesChanged_.setSingleShot(true);
  processesChanged_.setInterval(20);
  connect(&processesChanged_, &QTimer::timeout, this, &RunController::tellProcesses);
  QTimer::singleShot(0, this, &RunController::readLastRun);
  connect(&far_, &FarWatch::opened, this, [this](const launcher::LaunchPlan& plan) {
    beginWatching(plan);
    Q_EMIT farRunBegan();
  });
  connect(&far_, &FarWatch::failed, this, &RunController::farRunFailed);
  connect(&far_, &FarWatch::changed, this, &RunController::troublesChanged);
  connect(&goingRuns_, &GoingRuns::keptChanged, this, &RunController::changed);
  connect(&goingRuns_, &GoingRuns::othersChanged, this, &RunController::otherRunsChanged);
  connect(&goingRuns_, &GoingRuns::attachRequested, this, &RunController::attachRequested);
  connect(&goingRuns_, &GoingRuns::stopRequested, this, [this](const launcher::LaunchPlan& plan) {
    stopAttached_ = true;
    attach(plan);
  });
  goingRuns_.lookForKept();
  lookForRuns();
}

RunController::~RunController() {
  preparation_.disconnect(this);
  preparation_.stop();
  document_.disconnect(this);
  feed_.disconnect(this);
  if (recorder_) recorder_->disconnect(this);
  if (!run_) return;
  run_->disconnect(this);
  limit_.reset();
  restoring_.reset();
  feed_.stop();
  const bool active = isActive();
  const bool kept = active && run_->isKept();
  log_.reset();
  members_.setRun(nullptr);
  resigning_.disconnect(this);
  resigning_.setRun(nullptr);
  run_.reset();  // ends every process, waiting at most 3 s, unless the run is kept
  if (active && !kept && recording_) recording_->close(QStringLiteral("stopped"));
  if (active && recorder_)
    recorder_->endRun(watched_ ? QStringLiteral("watched")
                      : kept   ? QStringLiteral("left running")
                               : QStringLiteral("stopped"));
}

bool RunController::isActive() const {
  return run_ && run_->phase() != Run::Phase::NotStarted && !run_->isOver();
}

theme::RunStatus::Phase RunController::phase() const {
  if (startPending_ || preparation_.isActive()) return Phase::Starting;
  if (!run_) return Phase::NotRunning;
  switch (run_->phase()) {
    case Run::Phase::NotStarted:
    case Run::Phase::Failed:
      return Phase::NotRunning;
    case Run::Phase::Preflight:
    case Run::Phase::Starting:
      return Phase::Starting;
    case Run::Phase::Running:
      return feed_.current()->held ? Phase::Paused : Phase::Running;
    case Run::Phase::Stopping:
      return Phase::Stopping;
    case Run::Phase::Ended:
      return Phase::Ended;
  }
  return Phase::NotRunning;
}

double RunController::logicalTime() const {
  if (!run_) return kNoValue;
  return (last_ ? last_ : feed_.current())->logicalTime;
}

int RunController::timeDecimals() const { return (last_ ? last_ : feed_.current())->timeDecimals; }

double RunController::pace() const { return isActive() ? feed_.current()->pace : kNoValue; }

double RunController::wantedPace() const {
  const auto now = feed_.current();
  return isActive() && !std::isnan(now->logicalTime) ? now->wantedPace : kNoValue;
}

double RunController::elapsed() const { return run_ ? run_->elapsed() : kNoValue; }

int RunController::federatesJoined() const {
  if (!isActive()) return 0;
  int joined = 0;
  for (const monitor::FederateView& federate : feed_.current()->federates)
    joined += federate.number != 0 && !monitor::isOver(federate.condition);
  return joined;
}

int RunController::federatesExpected() const {
  return run_ ? static_cast<int>(run_->plan().federates.size()) : 0;
}

double RunController::updatesPerSecond() const {
  return isActive() ? feed_.current()->updatesPerSecond : kNoValue;
}

QString RunController::runName() const {
  if (!run_) return {};
  const auto others = static_cast<qint64>(run_->plan().hosts.size());
  const QString home = machine().isEmpty() ? tr("this machine") : machine();
  const QString where = others == 0 ? home : theme::formatNoun(others + 1, tr("host"), tr("hosts"));
  if (recorder_ && recorder_->runId() > 0)
    return tr("run %1, %2").arg(recorder_->runId()).arg(where);
  return tr("run %1, %2").arg(run_->plan().run, where);
}

QString RunController::federation() const { return run_ ? run_->plan().federation : QString(); }

void RunController::setBuildNote(const QString& note) {
  buildNote_ = note;
  preflightChanged();
}

QString RunController::whyNotRun() const {
  const QString why = whatIsWrong();
  return why.isEmpty() || buildNote_.isEmpty() ? why : tr("Run waits: %1").arg(buildNote_);
}

QString RunController::whatIsWrong() const {
  int enabled = 0;
  for (const auto& [id, federate] : document_.composition().federates)
    enabled += federate.enabled ? 1 : 0;
  if (document_.composition().federates.empty()) return tr("Run needs a federate");
  if (enabled == 0) return tr("Run needs an enabled federate");
  int errors = 0;
  const composer::Finding* first = nullptr;
  for (const composer::Finding& finding : document_.findings()) {
    if (finding.severity != composer::Severity::Error) continue;
    ++errors;
    if (!first) first = &finding;
  }
  if (errors == 0) return preflight_ ? preflight_() : QString();
  QString place = first->place(document_.composition());
  if (place.isEmpty()) place = first->text;
  return errors == 1 ? tr("Run needs 1 fix: %1").arg(place)
                     : tr("Run needs %1 fixes, first %2").arg(errors).arg(place);
}

bool RunController::isAwaitingChecks() const {
  // What the composition itself lacks is said first, and that is known.
  return preflightAwaited_ && preflightAwaited_() && whatIsWrong() == preflight_();
}

void RunController::showWhyNotRun() { Q_EMIT problemsRequested(); }

bool RunController::isChecking() const {
  return document_.isChecking() || (preflightRuns_ && preflightRuns_());
}

void RunController::startIfPending() {
  if ((!startPending_ && !replacePending_) || isChecking()) return;
  startPending_ = false;
  // The job that was to be replaced may run, or be gone, by now.
  if (std::exchange(replacePending_, false))
    startAnew();
  else
    start();
}

void RunController::setPreflight(std::function<QString()> whyNot, std::function<bool()> isChecking,
                                 std::function<bool()> isAwaited) {
  preflight_ = std::move(whyNot);
  preflightRuns_ = std::move(isChecking);
  preflightAwaited_ = std::move(isAwaited);
}

void RunController::preflightChanged() {
  Q_EMIT changed();
  // Its owner may still be in the middle of telling.
  QTimer::singleShot(0, this, &RunController::startIfPending);
}

void RunController::setTroubleSource(std::function<QList<RunTrouble>()> source) {
  troubleSource_ = std::move(source);
}

void RunController::troublesChanged() {
  Q_EMIT changed();
  Q_EMIT phaseChanged();
}

QList<RunTrouble> RunController::troubles() const {
  // What failed, then what the run suffers from, whose source knows what is worst: time that stands
  // stops all of them, a death one.
  QList<RunTrouble> result = own_;
  if (isActive()) result += far_.troubles();
  if (troubleSource_ && run_) {
    QList<RunTrouble> seen = troubleSource_();
    // What a lost host took with it is said with the host.
    if (allDiedWithTheirHost()) seen.removeIf([](const auto& one) { return isDeath(one); });
    result += seen;
  }
  if (isActive()) result += unseenTroubles(*run_) + refusingHosts_.troubles(run_->hosts());
  if (isActive()) result += saving_.troubles() + resigning_.troubles();
  result += notReadyTroubles();
  if (!isActive()) result += goingRuns_.troubles();
  result += members_.troubles();
  return result;
}

void RunController::noteHostAnswer(const launcher::HostReport& report) {
  // Who watches reaches the hosts of that run by ways of its own.
  if (isActive() && !watched_) refusingHosts_.note(report, run_->plan().hosts);
}

bool RunController::allDiedWithTheirHost() const {
  const auto snapshot = feed_.current();
  return snapshot &&
         std::all_of(snapshot->deaths.begin(), snapshot->deaths.end(), [&](const auto& death) {
           const auto* process = run_->process(death.federate);
           return process != nullptr && (process->state == launcher::ProcessStatus::State::Lost ||
                                         wasEndedWithItsHost(*run_, *process));
         });
}

QList<RunTrouble> RunController::notReadyTroubles() const {
  if (!isActive()) return {};
  QStringList names;
  QString why;
  for (const launcher::ProcessStatus& one : run_->processes()) {
    if (!one.late || !one.alive() || one.isNode) continue;
    if (names.isEmpty()) why = run_->whyNotReady(one);
    names << one.id;
  }
  if (names.isEmpty()) return {};
  const QString first = names.front();
  auto* self = const_cast<RunController*>(this);
  RunTrouble trouble;
  trouble.state = State::Late;
  trouble.id = QStringLiteral("not-ready/") + names.join(u',');
  trouble.title =
      names.size() == 1
          ? tr("%1 has started and is not ready").arg(first)
          : tr("%1 and %2 have started and are not ready")
                .arg(first, theme::formatNoun(names.size() - 1, tr("other"), tr("others")));
  trouble.detail = tr("%1: %2 within %3 s. Those that wait for it have not started.")
                       .arg(first, why)
                       .arg(launcher::federateReadySeconds);
  trouble.brief = tr("%1 not ready").arg(names.size() == 1 ? first : QString::number(names.size()));
  trouble.pill = tr("%1 not ready").arg(names.size());
  trouble.tip = names.join(u'\n');
  trouble.actions = {{tr("Its log"), [self, first] { Q_EMIT self->logRequested(first); }}};
  if (!watched_) {
    trouble.actions << RunTrouble::Action{tr("Stop %1").arg(first),
                                          [self, first] { self->stopFederates({first}); }};
  }
  return {trouble};
}

void RunController::report(const QString& title, const QString& detail,
                           const QList<RunTrouble::Action>& actions, const QString& where) {
  RunTrouble trouble;
  trouble.state = State::Error;
  trouble.id = QStringLiteral("run/%1").arg(++troubleNumber_);
  trouble.title = title;
  trouble.detail = detail;
  trouble.brief = title;
  trouble.pill = tr("Failed");
  trouble.where = where;
  trouble.actions = actions;
  trouble.actions << RunTrouble::Action{
      tr("Copy"), [title, detail] { QApplication::clipboard()->setText(title + u'\n' + detail); }};
  own_ << trouble;
  Q_EMIT changed();
  Q_EMIT phaseChanged();
}

// Life of a run

void RunController::run() {
  if (isActive() || preparation_.isActive()) return;
  if (!mayStart_ || mayStart_()) start();
}

void RunController::start() {
  // While something was asked, a run may have begun.
  if (isActive() || preparation_.isActive()) return;
  if (isChecking()) {
    // A moment later it is known whether it may run.
    startPending_ = true;
    Q_EMIT phaseChanged();
    return;
  }
  if (!whyNotRun().isEmpty()) {
    Q_EMIT phaseChanged();
    Q_EMIT problemsRequested();
    return;
  }
  begin();
}

void RunController::runAnew() {
  if (isActive()) return;
  if (!mayStart_ || mayStart_()) startAnew();
}

void RunController::startAnew() {
  if (isActive()) return;
  if (!preparation_.isActive()) return start();
  if (isChecking()) {
    replacePending_ = true;
    return;
  }
  if (!whyNotRun().isEmpty()) {
    Q_EMIT problemsRequested();
    return;
  }
  own_.clear();
  auto plan = planNow();
  if (!plan) return;
  // It goes on as the one that it replaces would have: from the save, for what is left.
  if (!restore_.isEmpty() && plan->stopAfter)
    plan->stopAfter = std::max(0.0, *plan->stopAfter - ranBefore_);
  preparation_.replace(std::move(*plan));
}

std::optional<launcher::LaunchPlan> RunController::planNow() {
  const composer::Composition& composition = document_.composition();
  auto plan = launcher::LaunchPlan::make(
      composition, document_.catalog(),
      {{}, document_.path(), document_.folder(), {}, hostsFile_ ? hostsFile_() : QString()});
  if (plan) return std::move(*plan);
  for (const composer::Error& error : plan.error())
    report(tr("%1 was not started").arg(composition.settings.federation), error.message());
  return {};
}

void RunController::begin() {
  own_.clear();
  last_.reset();
  restore_.clear();
  ranBefore_ = 0;
  stopAttached_ = false;
  watched_ = false;
  far_.leave();
  auto plan = planNow();
  if (!plan) return;
  if (plan->hosts.empty())
    launch(std::move(*plan));
  else
    preparation_.begin(std::move(*plan));
}

void RunController::reportNotCancelled(const QString& cluster, qint64 job, const QString& why) {
  const QString command =
      QStringLiteral("tutti clusters cancel %1 %2").arg(composer::shellQuoted(cluster)).arg(job);
  report(tr("Job %1 was replaced, and could not be cancelled").arg(job),
         tr("It keeps its place, and nodes that nobody uses once it starts. %1").arg(why),
         {{tr("Copy the command"), [command] { QApplication::clipboard()->setText(command); }}});
}

std::optional<theme::RunStatus::QueuedJob> RunController::queued() const {
  const auto waiting = preparation_.places();
  if (waiting.empty()) return {};
  // No plan yet is later than any.
  const auto last =
      std::max_element(waiting.begin(), waiting.end(),
                       [](const launcher::QueuePlace& a, const launcher::QueuePlace& b) {
                         return a.start.isValid() && (!b.start.isValid() || a.start < b.start);
                       });
  QueuedJob result;
  result.cluster = last->cluster;
  result.job = last->job;
  result.nodes = last->nodes;
  if (last->place > 0) result.place = launcher::ordinal(last->place);
  result.reason = last->reason;
  result.since = last->since;
  result.start = last->start;
  result.others = static_cast<int>(waiting.size()) - 1;
  return result;
}

void RunController::launchPrepared(launcher::LaunchPlan plan,
                                   const launcher::HostPreparation& prepared) {
  for (const launcher::PreflightCheck& check : prepared.checks) {
    if (check.level != launcher::PreflightCheck::Level::Error) continue;
    QString detail = check.detail;
    QList<RunTrouble::Action> actions;
    for (const launcher::PreflightFix& fix : check.fixes) {
      if (!fix.command.isEmpty())
        actions << RunTrouble::Action{
            fix.label, [command = fix.command] { QApplication::clipboard()->setText(command); }};
      else if (!fix.edit && fix.action.isEmpty())
        detail += QStringLiteral(" %1.").arg(fix.label);
    }
    report(tr("%1, so nothing was started").arg(check.title), detail, actions,
           hostIn(plan, {check.where, check.title}));
  }
  if (launcher::mayRun(prepared.checks)) {
    launch(std::move(plan), prepared.allocations);
    return;
  }
  if (!restore_.isEmpty()) tellHowToContinue(std::exchange(restore_, {}));
  Q_EMIT phaseChanged();
}

void RunController::launch(launcher::LaunchPlan plan, const launcher::Allocations& allocations) {
  take(std::move(plan));
  run_->hold(allocations);
  run_->start();
  Q_EMIT phaseChanged();
}

void RunController::take(launcher::LaunchPlan plan) {
  killed_.clear();
  refusingHosts_.clear();
  last_.reset();
  endElsewhere(limit_);
  endElsewhere(restoring_);
  if (run_) run_->disconnect(this);
  log_.reset();
  if (recording_ && !recording_->isOver()) {
    // It fetches the logs of the run before.
    launcher::RunRecording* const before = recording_.release();
    before->setParent(this);
    connect(before, &launcher::RunRecording::over, before, &QObject::deleteLater);
  }
  recording_.reset();
  members_.setRun(nullptr);
  resigning_.setRun(nullptr);
  run_ = std::make_unique<Run>(std::move(plan));
  if (!watched_) {
    members_.setRun(run_.get());
    resigning_.setRun(run_.get());
    keepRecord();
  }
  listen(*run_);
  feed_.clear();
  updateDeclarations();
  if (!watched_) saving_.setFederation(run_->plan().node, run_->plan().federation);
  Q_EMIT runBegan();
}

void RunController::keepRecord() {
  recording_ = std::make_unique<launcher::RunRecording>(*run_);
  connect(recording_.get(), &launcher::RunRecording::over, this,
          [this, recording = recording_.get()] {
            const QString run = recording->record().run;
            if (!recording->problem().isEmpty())
              report(tr("The record of run %1 is incomplete").arg(run), recording->problem());
            for (const launcher::RecordedHost& host : recording->record().hosts) {
              if (!host.logProblem.isEmpty())
                report(tr("Logs of %1 are missing in the folder of the run").arg(host.name),
                       host.logProblem, {}, host.name);
            }
          });
}

// Runs without a window

void RunController::lookForRuns() {
  goingRuns_.lookForOthers(run_ && !isWatched() ? run_->plan().run : QString());
}

void RunController::watchRun(const QString& run) {
  if (const auto plan = goingRuns_.planOf(run)) Q_EMIT watchRequested(*plan);
}

void RunController::watch(launcher::LaunchPlan plan) {
  if (isActive() || preparation_.isActive()) return;
  far_.leave();
  beginWatching(std::move(plan));
}

void RunController::watchFar(const launcher::Host& host, const QString& run) {
  if (!isActive() && !preparation_.isActive()) far_.open(host, run);
}

void RunController::giveUpFar() {
  if (!isActive()) far_.leave();
}

void RunController::beginWatching(launcher::LaunchPlan plan) {
  own_.clear();
  restore_.clear();
  ranBefore_ = 0;
  stopAttached_ = false;
  watched_ = true;
  take(std::move(plan));
  if (far_.link())
    run_->watchThrough(far_.link());
  else
    run_->watch(true);
  Q_EMIT phaseChanged();
}

/// What is shown of a watched run goes; the run does not notice.
void RunController::leave() {
  feed_.finish();
  if (log_) log_->finish();
  log_.reset();
  if (recorder_) recorder_->endRun(QStringLiteral("watched"));
  run_->disconnect(this);
  run_.reset();
  saving_.setFederation({}, {});
  last_.reset();
  own_.clear();
  far_.leave();
  Q_EMIT changed();
  Q_EMIT phaseChanged();
  Q_EMIT runEnded();
}

void RunController::attach(launcher::LaunchPlan plan) {
  if (isActive() || preparation_.isActive()) {
    stopAttached_ = false;
    return;
  }
  own_.clear();
  restore_.clear();
  ranBefore_ = 0;
  watched_ = false;
  far_.leave();
  goingRuns_.forgetKept(plan.run);
  take(std::move(plan));
  run_->attach();
  Q_EMIT phaseChanged();
}

bool RunController::canKeep() const {
  return !watched_ && run_ && run_->phase() == Run::Phase::Running;
}

bool RunController::isKept() const { return isActive() && run_->isKept(); }

bool RunController::canSave() const {
  return !watched_ && run_ && run_->phase() == Run::Phase::Running && !saving_.isBusy();
}

QString RunController::faultOfLabel(const QString& label) const {
  return monitor::faultOfLabel(label);
}

bool RunController::canResign() const {
  return !watched_ && run_ && run_->phase() == Run::Phase::Running && !resigning_.isBusy();
}

bool RunController::canAdjust() const {
  return !watched_ && run_ && run_->phase() == Run::Phase::Running;
}

void RunController::adjust(const QString& federate) {
  if (canAdjust()) Q_EMIT adjustRequested(run_->plan().node, run_->plan().federation, federate);
}

void RunController::setKept(bool kept) {
  if (canKeep()) run_->setKept(kept);
}

void RunController::listen(Run& run) {
  run.setLastLook([this, which = QPointer<Run>(&run)](const std::function<void()>& goOn) {
    feed_.look([this, which, goOn] {
      if (which != run_.get()) return;
      last_ = feed_.current();
      goOn();
    });
  });
  passSamples(run, feed_);
  connect(&run, &Run::phaseChanged, this, &RunController::onPhase);
  connect(&run, &Run::keptChanged, this, &RunController::changed);
  connect(&run, &Run::processChanged, this, &RunController::onProcess);
  connect(&run, &Run::hostChanged, this, [this] {
    if (!processesChanged_.isActive()) processesChanged_.start();
  });
  connect(&run, &Run::troubled, this, [this](const launcher::Trouble& trouble) {
    // Deaths of federates are the monitor's to tell, and who is late is told for as long as it is;
    // here it is about the run.
    const launcher::ProcessStatus* process = run_->process(trouble.process);
    if (!trouble.late || process == nullptr || process->isNode)
      report(trouble.what, trouble.detail(), {},
             process != nullptr && !process->host.isEmpty()
                 ? process->host
                 : hostIn(run_->plan(), {trouble.where, trouble.what}));
  });
  log_ = recorder_ ? std::make_unique<RunLog>(run, *recorder_) : nullptr;
  connect(&run, &Run::processDied, this, [this](const launcher::ProcessDeath& death) {
    if (death.process.isNode && death.process.host.isEmpty()) {
      report(
          tr("The RTI node died, %1, and the run has ended").arg(death.cause),
          tr("Nothing of the run is left, so it can be run again. Without the node no federate can "
             "join, and no death would be noticed. Its last messages are in %1.")
              .arg(death.logFile),
          {{tr("Run again"), [this] { this->run(); }}});
    }
  });
  connect(&run, &Run::finished, this, [this] {
    stopAttached_ = false;
    if (processesChanged_.isActive()) tellProcesses();
    feed_.finish();
    LimitSave::Result limit = limit_ ? limit_->result() : LimitSave::Result{};
    // Somebody may have saved it once more behind that.
    if (!limit.label.isEmpty()) limit.label = newestSave(saving_.saves(), limit.label);
    endElsewhere(limit_);
    endElsewhere(restoring_);
    if (log_) log_->finish();
    if (recorder_) recorder_->endRun(run_->outcomeWord());
    QTimer::singleShot(500, this, &RunController::readLastRun);
    Q_EMIT phaseChanged();
    saving_.setFederation({}, {});
    Q_EMIT runEnded();
    endByJobLimit(limit);
  });
}

void RunController::onPhase(Run::Phase phase) {
  if (phase == Run::Phase::Starting) {
    updateRoster();
    const QString designator = run_->plan().designator();
    const QString federation = run_->plan().federation;
    if (const auto samples = far_.samples())
      feed_.start([samples] { return samples->source(); }, samples->probe());
    else
      feed_.start(
          [designator, federation] { return monitor::makeObserveSource(designator, federation); });
    startRecording();
    beginRestore();
  }
  if (phase == Run::Phase::Running) {
    if (restoring_) restoring_->allAreReady();
    mindJobLimit();
  }
  if (phase == Run::Phase::Running && std::exchange(stopAttached_, false)) run_->stop();
  // The figures of the run are those from before its federates are told to leave.
  if (phase == Run::Phase::Stopping) last_ = feed_.current();
  if (run_->isOver()) refusingHosts_.clear();
  Q_EMIT phaseChanged();
}

void RunController::mindJobLimit() {
  if (watched_) return;
  for (const launcher::PlannedHost& one : run_->plan().hosts) {
    if (!one.host.jobNode || one.host.jobNode->saveBeforeLimit == 0) continue;
    limit_ =
        std::make_unique<LimitSave>(run_->plan(), one.host.jobNode->saveBeforeLimit, false,
                                    [self = QPointer<RunController>(this)](const QString& text) {
                                      QMetaObject::invokeMethod(
                                          QCoreApplication::instance(),
                                          [self, text] {
                                            if (!self) return;
                                            Q_EMIT self->said(text);
                                            self->saving_.refresh();
                                          },
                                          Qt::QueuedConnection);
                                    });
    return;
  }
}

void RunController::endByJobLimit(const LimitSave::Result& limit) {
  const bool reached = run_->hasReachedJobLimit();
  if (!reached || limit.label.isEmpty()) {
    if (!limit.problem.isEmpty())
      report(tr("There is no save from before the time limit of its job"), limit.problem);
    return;
  }
  const auto& hosts = run_->plan().hosts;
  const bool continues =
      std::any_of(hosts.begin(), hosts.end(), [](const launcher::PlannedHost& one) {
        return one.host.jobNode && one.host.jobNode->continues;
      });
  if (continues) {
    Q_EMIT said(tr("The run goes on in another job, from '%1'.").arg(limit.label));
    // What ended the job is no trouble of the next one.
    own_.clear();
    restore_ = limit.label;
    ranBefore_ += run_->elapsed();
    preparation_.begin(continuation(run_->plan(), run_->elapsed()));
    return;
  }
  tellHowToContinue(limit.label);
}

/// Of the run that has ended, from a save of it.
void RunController::tellHowToContinue(const QString& label) {
  const QString command =
      QStringLiteral("tutti rerun %1 --restore %2").arg(run_->plan().run, label);
  report(tr("The run has a save from before the time limit of its job"),
         tr("It goes on from '%1' in another job with: %2").arg(label, command),
         {{tr("Copy the command"), [command] { QApplication::clipboard()->setText(command); }}});
}

void RunController::beginRestore() {
  if (restore_.isEmpty()) return;
  restoring_ =
      std::make_unique<RestoreAtStart>(run_->plan().node, run_->plan().federation, restore_,
                                       [self = QPointer<RunController>(this),
                                        which = QPointer<Run>(run_.get())](const QString& why) {
                                         QMetaObject::invokeMethod(
                                             QCoreApplication::instance(),
                                             [self, which, why] {
                                               if (self && which && which == self->run_.get())
                                                 self->endRestore(why);
                                             },
                                             Qt::QueuedConnection);
                                       });
}

void RunController::endRestore(const QString& why) {
  const QString label = std::exchange(restore_, {});
  endElsewhere(restoring_);
  if (why.isEmpty()) {
    Q_EMIT said(tr("%1 is restored from '%2'.").arg(run_->plan().federation, label));
    return;
  }
  // It never goes on from something else than what was saved.
  report(tr("The run ends, since it cannot go on from '%1'").arg(label), why);
  run_->stop(QStringLiteral("it could not be restored"));
}

void RunController::onProcess(const QString& id) {
  const launcher::ProcessStatus* process = run_->process(id);
  if (!process) return;
  if (process->isNode) {
    if (process->host.isEmpty() && !process->alive() && process->pid != 0 && !process->endAsked)
      feed_.noteNodeEnd();
    return;
  }
  // How one ended whose host is lost nobody knows: its connection is gone, as the RTI tells.
  const bool isLost = process->state == launcher::ProcessStatus::State::Lost;
  if (!process->alive() && process->pid != 0 && !isLost)
    feed_.noteEnd(id,
                  {process->exitCode, process->signal, process->endAsked, killed_.contains(id)});
  if (!processesChanged_.isActive()) processesChanged_.start();
}

void RunController::tellProcesses() {
  processesChanged_.stop();
  if (!run_) return;
  updateRoster();
  Q_EMIT changed();
}

void RunController::updateDeclarations() {
  declarations_.clear();
  for (const launcher::PlannedFederate& one : run_->plan().federates) {
    const composer::Manifest* manifest = document_.catalog().find(one.component, one.version);
    if (!manifest) continue;
    monitor::Declarations declared{one.name, {}, {}};
    for (const auto& interest : manifest->publishes) declared.publishes << interest.shortName();
    for (const auto& interest : manifest->subscribes) declared.subscribes << interest.shortName();
    declarations_.push_back(std::move(declared));
  }
  feed_.setDeclarations(declarations_);
}

void RunController::updateRoster() {
  std::vector<monitor::RosterEntry> roster;
  QHash<QString, QString> components;
  for (const launcher::PlannedFederate& one : run_->plan().federates)
    components.insert(one.name, one.component + u' ' + one.version);
  const QString host = machine().isEmpty() ? QSysInfo::machineHostName() : machine();
  for (const launcher::ProcessStatus& one : run_->processes()) {
    if (one.isNode) continue;
    // Processes of other hosts are none of this kernel's.
    const bool here = one.host.isEmpty();
    roster.push_back({one.id, components.value(one.id), here ? host : one.host,
                      here && one.alive() ? one.pid : 0});
  }
  feed_.setRoster(std::move(roster));
  std::vector<monitor::RosterHost> hosts;
  for (const launcher::HostStatus& one : run_->hosts()) {
    hosts.push_back(rosterHost(*run_, one));
    if (faultOf_) hosts.back().fault = faultOf_(one.name);
  }
  feed_.setHosts(std::move(hosts));
}

void RunController::startRecording() {
  if (!recorder_) return;
  monitor::RunRecord record;
  record.federation = run_->plan().federation;
  record.composition = run_->plan().composition;
  record.designator = run_->plan().designator();
  record.host = machine().isEmpty() ? QSysInfo::machineHostName() : machine();
  record.build = QApplication::applicationVersion();
  record.command = QStringLiteral("tutti run ") + composer::shellQuoted(run_->plan().planFile());
  record.writer = QApplication::applicationPid();
  record.started = QDateTime::currentMSecsSinceEpoch();
  recorder_->beginRun(record);
}

void RunController::stop() {
  if (startPending_) {
    startPending_ = false;
    Q_EMIT phaseChanged();
    return;
  }
  if (preparation_.isActive()) {
    // Nothing was started; what was copied stays, and is not copied again.
    replacePending_ = false;
    preparation_.stop();
    if (!restore_.isEmpty()) tellHowToContinue(std::exchange(restore_, {}));
    return;
  }
  if (isWatched() && isActive())
    leave();
  else if (run_)
    run_->stop();
}

bool RunController::canPause() const {
  if (watched_ || !run_ || run_->phase() != Run::Phase::Running) return false;
  const auto& federates = feed_.current()->federates;
  return std::any_of(federates.begin(), federates.end(),
                     [](const monitor::FederateView& each) { return each.timeManaged; });
}

void RunController::pause() { feed_.controlTime(monitor::TimeControl::Pause); }

void RunController::resume() { feed_.controlTime(monitor::TimeControl::Resume); }

void RunController::step() { feed_.controlTime(monitor::TimeControl::Step); }

void RunController::onSample() {
  const bool pausable = canPause();
  const bool held = feed_.current()->held;
  if (run_) run_->noteLogicalTime(feed_.current()->logicalTime);
  if (run_) run_->notePace(wantedPace());
  members_.look();
  if (run_) awaitedHosts_.look(*feed_.current(), *run_);
  const bool phaseDiffers =
      std::exchange(pausable_, pausable) != pausable || std::exchange(held_, held) != held;
  if (phaseDiffers)
    Q_EMIT phaseChanged();
  else
    Q_EMIT changed();
}

void RunController::waitForHost(const monitor::SuspectLink& link, double seconds) {
  if (!run_ || watched_) return;
  inPool(
      this,
      [node = run_->plan().node, link, seconds] {
        return monitor::decideLink(node, link, seconds);
      },
      [this, link](const tl::expected<monitor::LinkDecision, QString>& result) {
        if (!result)
          return report(tr("%1 is not waited for longer").arg(link.host), result.error(), {},
                        link.host);
        Q_EMIT said(tr("%1 is waited for %2 longer: it is lost in %3.")
                        .arg(link.host, theme::formatDuration(result->addedSeconds),
                             theme::formatDuration(result->leftSeconds)));
      });
}

void RunController::giveUpHost(const monitor::SuspectLink& link) {
  if (!run_ || watched_) return;
  inPool(
      this,
      [node = run_->plan().node, link] { return monitor::decideLink(node, link, std::nullopt); },
      [this, link](const tl::expected<monitor::LinkDecision, QString>& result) {
        if (!result)
          return report(tr("%1 was not given up").arg(link.host), result.error(), {}, link.host);
        Q_EMIT said(tr("%1 is given up; the others go on.").arg(link.host));
      });
}

QStringList RunController::federates() const {
  QStringList names;
  if (!run_) return names;
  for (const launcher::ProcessStatus& one : run_->processes())
    if (!one.isNode) names << one.id;
  return names;
}

QStringList RunController::removableFederates() const {
  // Of another composition than the run's a name says nothing.
  return canAdjust() && document_.path() == run_->plan().composition ? federates() : QStringList();
}

void RunController::stopFederates(const QStringList& names) {
  if (run_ && !watched_) run_->stopProcesses(names);
}

void RunController::killFederates(const QStringList& names) {
  if (!run_ || watched_) return;
  for (const QString& name : names) {
    killed_ << name;
    if (log_) log_->noteKill(name);
  }
  run_->killProcesses(names);
}

void RunController::restartFederates(const QStringList& names) {
  if (!run_ || watched_) return;
  for (const QString& name : names) {
    feed_.dismiss(name);
    killed_.remove(name);
    if (log_) log_->noteRestart(name);
  }
  run_->restartProcesses(names);
}

bool RunController::canRestartAll() const {
  return !watched_ && run_ && run_->phase() == Run::Phase::Running;
}

bool RunController::canKillAll() const { return !watched_ && isActive(); }

void RunController::killAll() {
  if (canKillAll()) run_->kill();
}

QStringList RunController::lastLinesOf(const QString& federate) const {
  QStringList texts;
  if (!run_) return texts;
  const auto& deaths = run_->deaths();
  const auto last = std::find_if(deaths.rbegin(), deaths.rend(),
                                 [&](const auto& death) { return death.process.id == federate; });
  if (last == deaths.rend()) return texts;
  for (const launcher::LogLine& line : last->lastLines) texts << line.text;
  return texts;
}

void RunController::readLastRun() {
  lastRun_.clear();
  Q_EMIT changed();
  const QString composition = document_.path();
  if (composition.isEmpty() || !recorder_) return;
  // In a thread of its own: the store may be large, or its disk slow.
  QThreadPool::globalInstance()->start([composition, self = QPointer<RunController>(this)] {
    const QString text = lastRunOf(composition);
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, composition, text] {
          if (!self || self->document_.path() != composition) return;
          self->lastRun_ = text;
          Q_EMIT self->changed();
        },
        Qt::QueuedConnection);
  });
}

}  // namespace tutti::app
