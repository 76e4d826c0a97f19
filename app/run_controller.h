// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QList>
#include <QSet>
#include <QString>
#include <QTimer>
#include <functional>
#include <memory>
#include <vector>

#include "app/awaited_hosts.h"
#include "app/far_watch.h"
#include "app/going_runs.h"
#include "app/host_troubles.h"
#include "app/job_limit.h"
#include "app/resign_control.h"
#include "app/run_members.h"
#include "app/run_preparation.h"
#include "app/save_control.h"
#include "launcher/engine/run.h"
#include "launcher/engine/run_recording.h"
#include "launcher/engine/slurm.h"
#include "monitor/engine/feed.h"
#include "monitor/engine/link_decision.h"
#include "resources/theme/run_status.h"

namespace tutti::composer {
class Document;
}
namespace tutti::monitor {
class Recorder;
}

namespace tutti::app {

class RunLog;

/// The run of the window's composition: makes the launch plan, starts and ends the processes, lets
/// the feed sample and the recorder write, and tells the pulse bar. One run at a time.
class RunController : public theme::RunStatus {
  Q_OBJECT
 public:
  /// All outlive the controller; `recorder` may be null.
  RunController(composer::Document& document, monitor::Feed& feed, monitor::Recorder* recorder,
                QObject* parent = nullptr);
  ~RunController() override;

  /// The processes of the run that goes on, or of the last one; null before the first.
  launcher::Run* current() const { return run_.get(); }
  /// What publishes and subscribes, as the manifests say, of the current run's federates.
  const std::vector<monitor::Declarations>& declarations() const { return declarations_; }
  /// What the monitor finds wrong, worst first; shown beside what the launcher reports.
  void setTroubleSource(std::function<QList<theme::RunTrouble>()> source);
  /// Tells that it has changed.
  void troublesChanged();
  /// Why the machine does not let the composition run (empty when it does), and whether that is
  /// being looked at now; whoever provides it calls preflightChanged().
  /// `isAwaited`: it has never been looked at.
  void setPreflight(std::function<QString()> whyNot, std::function<bool()> isChecking,
                    std::function<bool()> isAwaited);
  void preflightChanged();
  /// The hosts file to start with, asked for at each start; an empty one: that beside the
  /// composition.
  void setHostsFile(std::function<QString()> file) {
    members_.setHostsFile(file);
    hostsFile_ = std::move(file);
  }
  /// Asked whenever a person starts a run; false: not now.
  void setMayStart(std::function<bool()> mayStart) { mayStart_ = std::move(mayStart); }
  /// What was done to a host of the run on purpose; whoever provides it calls hostFaultsChanged().
  void setHostFault(std::function<QString(const QString& host)> faultOf) {
    faultOf_ = std::move(faultOf);
  }
  void hostFaultsChanged() { tellProcesses(); }
  /// What a host has answered to whoever has asked it meanwhile.
  void noteHostAnswer(const launcher::HostReport& report);
  /// What is still being built, so that programs may be missing for a while; empty when nothing is.
  void setBuildNote(const QString& note);

  Phase phase() const override;
  double logicalTime() const override;
  int timeDecimals() const override;
  double pace() const override;
  double wantedPace() const override;
  double elapsed() const override;
  int federatesJoined() const override;
  int federatesExpected() const override;
  double updatesPerSecond() const override;
  QString runName() const override;
  QString federation() const override;
  QString lastRun() const override { return lastRun_; }
  QString whyNotRun() const override;
  bool isAwaitingChecks() const override;
  void showWhyNotRun() override;
  std::optional<QueuedJob> queued() const override;
  /// The plan whose Slurm jobs wait, as it was submitted, with their places; null: none do.
  std::shared_ptr<const launcher::LaunchPlan> submitted() const { return preparation_.submitted(); }
  std::vector<launcher::QueuePlace> places() const { return preparation_.places(); }
  QList<theme::RunTrouble> troubles() const override;
  bool canPause() const override;
  bool canKeep() const override;
  bool isKept() const override;
  bool canSave() const override;
  QString faultOfLabel(const QString& label) const override;
  bool canRestartAll() const override;
  bool canKillAll() const override;
  bool canResign() const override;
  bool canAdjust() const override;
  QList<KeptSave> saves() const override { return saving_.saves(); }

  QStringList missingFederates() const override { return members_.missing(); }
  bool isWatched() const override { return watched_ && run_; }
  /// The machine that the watched run is on; empty: this one.
  QString machine() const { return watched_ ? far_.machine() : QString(); }
  /// The Slurm job in which the run that is watched is, 0: none.
  qint64 job() const {
    const bool isInJob = watched_ && far_.link() && far_.link()->host().jobNode;
    return isInJob ? far_.link()->host().jobNode->job : 0;
  }
  QList<OtherRun> otherRuns() const override { return goingRuns_.others(); }

  /// Those that the run has now.
  QStringList federates() const;
  /// Of these all, while federates can be taken out of the run.
  QStringList removableFederates() const;
  void stopFederates(const QStringList& names);
  /// They resign, end, and are no federates of the run any more.
  void removeFederates(const QStringList& names) { members_.remove(names); }
  /// It goes on on another host of the run (empty: this machine), and all from a save.
  void moveFederate(const QString& name, const QString& host) { members_.move(name, host); }
  /// The run's RTI node waits so much longer for a host that does not answer; said() or a trouble
  /// tells what came of it.
  void waitForHost(const monitor::SuspectLink& link, double seconds);
  /// It takes the host for lost now.
  void giveUpHost(const monitor::SuspectLink& link);
  /// The hosts that it can be asked to be moved to.
  QStringList moveTargets(const QString& name) const { return members_.moveTargets(name); }
  void killFederates(const QStringList& names);
  /// Stops those that run, then starts all of them.
  void restartFederates(const QStringList& names);
  /// The newest lines that a federate wrote before it died last, at most 20, oldest first.
  QStringList lastLinesOf(const QString& federate) const;

 public Q_SLOTS:
  void run() override;
  /// As run(); while a Slurm job of a run waits, submits that of the composition as it is now, and
  /// then cancels the one that waits.
  void runAnew();
  void stop() override;
  void pause() override;
  void resume() override;
  void step() override;
  void setPace(double perSecond) override { feed_.setPace(perSecond); }
  void setKept(bool kept) override;
  void save(const QString& label = {}) override { saving_.begin(monitor::SaveVerb::Save, label); }
  void restartAll() override { restartFederates(federates()); }
  void killAll() override;
  void restore(const QString& label) override { saving_.begin(monitor::SaveVerb::Restore, label); }
  void resignAll() override { resigning_.begin(); }
  void adjust(const QString& federate) override;
  void lookForSaves() override { saving_.refresh(); }
  void lookForRuns() override;
  void watchRun(const QString& run) override;
  void addFederates(const QStringList& names) override { members_.add(names); }
  /// Takes over a run that was kept; the document is the caller's matter.
  void attach(launcher::LaunchPlan plan);
  /// Follows a run that another program has; nothing here changes it, and it is left alone when the
  /// window goes.
  void watch(launcher::LaunchPlan plan);
  void askForFarRun() override { Q_EMIT farRunAsked(); }
  /// Likewise one of another machine: farRunBegan() or farRunFailed() tells what has come of it.
  void watchFar(const tutti::launcher::Host& host, const QString& run);
  /// It has not begun yet, and is not to.
  void giveUpFar();
  /// Whether a person can see the window.
  void setSeen(bool seen) { far_.setSeen(seen); }

 Q_SIGNALS:
  /// The processes are being started; current() is new.
  void runBegan();
  /// Nothing is left of it.
  void runEnded();
  /// Somebody has come to the run or left it; declarations() has them.
  void membersChanged();
  /// A run that goes on without a window is to be taken over; open its composition, then attach().
  void attachRequested(const tutti::launcher::LaunchPlan& plan);
  /// Likewise, then watch().
  void watchRequested(const tutti::launcher::LaunchPlan& plan);
  /// Which run of which machine is to be watched has to be asked for; then watchFar().
  void farRunAsked();
  void farRunBegan();
  void farRunFailed(const QString& what, const QString& next);
  /// Show what keeps the composition from running.
  void problemsRequested();
  /// Show what can be adjusted there, of one federate or of all (empty).
  void adjustRequested(const QString& node, const QString& federation, const QString& federate);
  /// Show what a federate has printed.
  void logRequested(const QString& federate);

 private:
  /// The federates that have started and were not ready in time; none without a run.
  QList<theme::RunTrouble> notReadyTroubles() const;
  bool isActive() const;
  bool isChecking() const;
  void startIfPending();
  void start();
  void startAnew();
  QString whatIsWrong() const;
  void begin();
  std::optional<launcher::LaunchPlan> planNow();
  void reportNotCancelled(const QString& cluster, qint64 job, const QString& why);
  void launchPrepared(launcher::LaunchPlan plan, const launcher::HostPreparation& prepared);
  void launch(launcher::LaunchPlan plan, const launcher::Allocations& allocations = {});
  void take(launcher::LaunchPlan plan);
  void beginWatching(launcher::LaunchPlan plan);
  void keepRecord();
  /// Of all deaths that the monitor shows.
  bool allDiedWithTheirHost() const;
  void leave();
  void listen(launcher::Run& run);
  void mindJobLimit();
  void endByJobLimit(const LimitSave::Result& limit);
  void tellHowToContinue(const QString& label);
  void beginRestore();
  void endRestore(const QString& why);
  void onPhase(launcher::Run::Phase phase);
  void onProcess(const QString& id);
  void onSample();
  /// Who of them runs, for the monitor and the window.
  void tellProcesses();
  void updateRoster();
  void updateDeclarations();
  void startRecording();
  void report(const QString& title, const QString& detail,
              const QList<theme::RunTrouble::Action>& actions = {}, const QString& where = {});
  void readLastRun();

  composer::Document& document_;
  monitor::Feed& feed_;
  monitor::Recorder* recorder_;
  std::unique_ptr<launcher::Run> run_;
  std::unique_ptr<RunLog> log_;  ///< of run_; null where nothing is recorded
  std::unique_ptr<launcher::RunRecording> recording_;
  std::vector<monitor::Declarations> declarations_;
  std::function<QList<theme::RunTrouble>()> troubleSource_;
  std::function<QString()> preflight_;
  std::function<bool()> preflightRuns_;
  std::function<bool()> preflightAwaited_;
  std::function<QString()> hostsFile_;
  std::function<bool()> mayStart_;
  std::function<QString(const QString&)> faultOf_;
  QList<theme::RunTrouble> own_;
  GoingRuns goingRuns_;
  FarWatch far_;
  bool watched_ = false;           ///< run_ is another program's
  bool stopAttached_ = false;      ///< the run is taken over only to be stopped
  monitor::SnapshotPointer last_;  ///< of a run that ended, from before its federates left
  QString lastRun_;
  QString buildNote_;
  QSet<QString> killed_;  ///< the person killed them
  bool startPending_ = false;
  bool replacePending_ = false;  ///< startPending_, of a run whose job waits
  RunPreparation preparation_;
  bool pausable_ = false;  ///< as last told
  bool held_ = false;      ///< likewise
  int troubleNumber_ = 0;
  std::unique_ptr<LimitSave> limit_;
  QString restore_;       ///< save that the run being prepared or started begins with; empty: none
  double ranBefore_ = 0;  ///< s, that the jobs have run which it continues
  std::unique_ptr<RestoreAtStart> restoring_;
  SaveControl saving_;
  ResignControl resigning_;
  RunMembers members_;
  AwaitedHosts awaitedHosts_;
  RefusingHosts refusingHosts_;
  QTimer processesChanged_;
};

}  // namespace tutti::app
