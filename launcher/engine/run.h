// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QElapsedTimer>
#include <QFile>
#include <QHash>
#include <QJsonObject>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "launcher/engine/agent.h"
#include "launcher/engine/held_restarts.h"
#include "launcher/engine/joined.h"
#include "launcher/engine/launch_plan.h"
#include "launcher/engine/preflight.h"
#include "launcher/engine/run_change.h"
#include "launcher/engine/slurm_nodes.h"
#include "launcher/engine/spare_restart.h"

namespace tutti::launcher {

/// One line that a process wrote, or that the supervisor says about it.
struct LogLine {
  enum class Stream { Output, Error, Supervisor };
  QDateTime time;
  QString process;
  Stream stream = Stream::Output;
  QString text;
};

/// A process of a run, as it is now.
struct ProcessStatus {
  enum class State {
    Waiting,     ///< Its turn has not come, or what it waits for is not ready.
    Starting,    ///< It runs and is not ready yet.
    Running,     ///< It runs and was ready.
    Exited,      ///< It ended by itself; see exitCode.
    Signalled,   ///< A signal ended it; see signal.
    NotStarted,  ///< It could not be started, or never had its turn; see detail.
    Lost,        ///< Its host is out of reach: it is ended there, and nobody knows how.
  };
  QString id;    ///< Federate name, or the node process of the plan or of one of its hosts.
  QString host;  ///< Where it runs; empty: on this machine.
  bool isNode = false;
  bool required = true;
  bool unseen = false;  ///< Its host's supervisor cannot be watched: what is here is of `seen`.
  QDateTime seen{};     ///< When it was watched last, while unseen; invalid: never.
  State state = State::Waiting;
  qint64 pid = 0;   ///< 0 before the first start; kept after the end.
  int attempt = 0;  ///< 1 after the first start.
  int exitCode = 0;
  int signal = 0;
  QString signalName;  ///< "SIGSEGV"
  bool coreDumped = false;
  bool endAsked = false;   ///< Somebody asked for the end, so it is no death.
  bool late = false;       ///< It was not ready within its time.
  bool joined = false;     ///< The RTI has shown that it joined, while that was asked for.
  bool resigning = false;  ///< Its supervisor knows that it is being made to resign.
  bool resigned = false;   ///< It was made to resign; its process may still be there.
  QDateTime startedAt;
  QDateTime endedAt;
  std::optional<QDateTime> restartAt;  ///< It has ended, and is started again then.
  int restart = 0;                     ///< Which restart in a row that is, or was; 0: none.
  int restartLimit = 0;                ///< Of how many.
  QString detail;  ///< Why it did not start: "waits for radar-west, which has ended".
  QString spare;   ///< Its host is lost, and it is about to be started again on this one.

  [[nodiscard]] bool alive() const { return state == State::Starting || state == State::Running; }
  /// "running", "exit code 3", "signal 11 (SIGSEGV), core dumped" ..., for people; with "again in
  /// 3 s, restart 2 of 5" behind it while it waits for that.
  [[nodiscard]] QString description() const;
  /// "again in 3 s, restart 2 of 5"; empty unless it waits to be started again.
  [[nodiscard]] QString restartText(const QDateTime& now = QDateTime::currentDateTime()) const;
};

/// Signals that a stop sends, or that somebody sends to stop: anything else on the way down is a
/// crash.
bool isOrderlySignal(int signal);

/// A federate that comes to a going run, with how it is started there; run_changes.h makes them.
struct Addition {
  PlannedFederate federate;
  PlannedProcess process;              ///< As its host starts it.
  PlannedProcess planned{};            ///< As it was before it was settled for that host.
  std::optional<QString> movedFrom{};  ///< The host that it has left for this one.
  QString whyLost{};                   ///< That host is lost: why, and why this one was chosen.
};

/// What happened when a process ended that should not have.
struct ProcessDeath {
  ProcessStatus process;
  QDateTime when;
  QString cause;                   ///< "signal 9 (SIGKILL)", "exit code 3"
  std::vector<LogLine> lastLines;  ///< Up to 20, oldest first.
  QString logFile;
};

/// A host of a run besides this machine, as it is now.
struct HostStatus {
  enum class State {
    Connecting,   ///< Its supervisor has not been heard yet.
    Up,           ///< It is heard once a second.
    Unreachable,  ///< It was not heard for 3 s; what it runs goes on.
    Lost,   ///< It was not heard for the grace, or its connection has ended: what it ran ends.
    Ended,  ///< All that it ran has ended.
  };
  QString name;
  State state = State::Connecting;
  double load = 0;  ///< Runnable processes there, mean of the last minute.
  QDateTime since;  ///< Of this state.
  /// When its supervisor was told to end, by Slurm say, while the run went on; by its own clock.
  QDateTime toldToEnd{};
  /// Of a run that is only watched: its supervisor cannot be. What runs there may go on.
  bool unseen = false;
  QDateTime seen{};     ///< When it was heard last, while unseen; invalid: never.
  QString whyUnseen{};  ///< Part of a sentence.
};

/// Something a person must know about: what, where, why, what next.
struct Trouble {
  QString process;  ///< Empty: the run as a whole.
  QString what;
  QString where;
  QString why;
  QString next;
  bool late = false;  ///< the process is not ready in time, and may still get ready
  /// All of it, in sentences.
  [[nodiscard]] QString message() const;
  /// Likewise, behind a title that says `what`.
  [[nodiscard]] QString detail() const;
};

/// The life of one run. It owns no federate: a supervisor process does, and ends all of them when
/// this object goes or its process is killed. Signals come on the thread that made it.
///
/// Preflight -> Starting (until all are ready, ended or late) -> Running -> Stopping -> Ended, or
/// Failed when it did not come to run. A run ends when asked, when stopAfter has passed, when all
/// federates have ended, when a required one died or could not start, or when its RTI node died.
class Run : public QObject {
  Q_OBJECT

 public:
  enum class Phase { NotStarted, Preflight, Starting, Running, Stopping, Ended, Failed };
  Q_ENUM(Phase)

  /// What came of it, once the phase is Ended or Failed.
  enum class Outcome {
    Clean,           ///< It ended as asked, or all federates ended with exit code 0.
    FederateDied,    ///< At least one process died.
    NotReady,        ///< It ended as asked, but a federate had never become ready.
    CouldNotStart,   ///< Preflight failed, or a required federate could not be started.
    SupervisorLost,  ///< The supervisor was killed; what it had started ended with it.
  };
  Q_ENUM(Outcome)

  explicit Run(LaunchPlan plan, QObject* parent = nullptr);
  /// Ends the run, waiting at most 3 s for its processes to go; one that is kept or only watched
  /// goes on.
  ~Run() override;

  const LaunchPlan& plan() const { return plan_; }
  Phase phase() const { return phase_; }
  Outcome outcome() const { return outcome_; }
  /// The RTI node died before it ended, and it was not a signal that ended it unasked.
  bool hasLostRti(const ProcessStatus& process) const;
  /// A Slurm job that it runs in has reached its time limit.
  bool hasReachedJobLimit() const { return reachedJobLimit_; }
  bool isOver() const { return phase_ == Phase::Ended || phase_ == Phase::Failed; }
  /// Whether the run goes on when this object or its process goes, whatever ends them.
  bool isKept() const { return kept_; }
  /// Whether another program has the run, and this object only watches it and passes commands on.
  bool watches() const { return watches_; }
  /// The way to the other machine that it is on; null: it is on this one.
  RelayLink* link() const { return link_.get(); }
  /// A program has the run: another one, or this.
  bool isAttended() const;
  /// It could not be taken over because another program has it.
  bool isHeldByAnother() const { return heldByAnother_; }
  /// Why the run was stopped: "asked", "20 s have passed", "radar-west died"; empty before.
  const QString& stopReason() const { return stopReason_; }
  /// What the run record says of it, once it is over: "finished" (by itself, or at the logical time
  /// that its plan names), "stopped", "federate died", "not started", "lost".
  QString outcomeWord() const;
  /// Seconds since the supervisor began to start processes; stands still after the end; 0 before.
  double elapsed() const;
  /// The node first, then the federates in start order.
  const std::vector<ProcessStatus>& processes() const { return processes_; }
  /// "it has not joined air-traffic": what is waited for before it counts as ready.
  [[nodiscard]] QString whyNotReady(const ProcessStatus& process) const;
  const ProcessStatus* process(const QString& id) const;
  /// Those that were removed, as they were last, oldest first.
  const std::vector<ProcessStatus>& removed() const { return removed_; }
  /// Who has come and gone since it began, whoever asked for it, oldest first.
  const std::vector<RunChange>& changes() const { return changes_; }
  /// How that federate came to it last; null: it was there from the beginning.
  const RunChange* arrivalOf(const QString& id) const;
  /// How the federates that were added since are started, on whatever host, by their ids.
  const std::map<QString, PlannedProcess>& plannedAdditions() const { return additions_; }
  const std::vector<HostStatus>& hosts() const { return hosts_; }
  const std::vector<ProcessDeath>& deaths() const { return deaths_; }
  const std::vector<Trouble>& troubles() const { return troubles_; }
  const std::vector<PreflightCheck>& preflightChecks() const { return checks_; }
  /// The newest lines of one process (empty id: of all), oldest first; at most 2000 are kept of
  /// each.
  std::vector<LogLine> lines(const QString& id, std::size_t most = 2000) const;
  /// The processes of federates that are joined now (of all: empty), also of such that have joined
  /// under another name than the plan's; and the other way round.
  QStringList processesOf(const std::vector<JoinedFederate>& joined,
                          const QStringList& federates) const;
  /// The process of each federate that is joined now, by the federate's name.
  QHash<QString, QString> processByFederate(const std::vector<JoinedFederate>& joined) const;
  /// Whether the supervisors of all of these know that they are being made to resign.
  bool isAwaitingResign(const QStringList& processes) const;
  QStringList federatesOf(const std::vector<JoinedFederate>& joined,
                          const QStringList& processes) const;
  /// The file with all lines of a process.
  QString logFile(const QString& id) const;

  /// Instead of the run's own node; to be set before start().
  void setJoinedSource(JoinedSource source) { joinedSource_ = std::move(source); }
  /// The least logical time of all joined federates that take part in time, as a watcher sees it;
  /// not a number while nobody does. Stops a running run at the plan's stopAtLogicalTime, should
  /// the RTI not have said so: it does not know the order of times that federates bring.
  void noteLogicalTime(double least);
  /// The pace that the RTI keeps, as a watcher sees it, 0: as fast as possible; another one than
  /// before is a change of the run.
  void notePace(double wanted);
  /// The host is not lost for its silence before so many seconds have passed; 0: as ever.
  void awaitHost(const QString& host, double seconds);
  /// What is called when the run begins to stop, before anybody is told to end: a watcher's last
  /// look at who was there. The run ends when it calls back, or after half a second.
  using LastLook = std::function<void(std::function<void()> goOn)>;
  void setLastLook(LastLook look) { lastLook_ = std::move(look); }
  /// Other hosts say once a second what they and their processes use: eventArrived() with the event
  /// `sample`. To be set before start() and its like.
  void wantSamples() { wantsSamples_ = true; }
  /// Why no federate can be added there now (empty: this machine), a sentence; empty: one can.
  [[nodiscard]] QString whyNotAdd(const QString& host) const;
  /// Starts these in the running federation, as its own are started; federateAdded() tells of each.
  /// All of them or, when a supervisor refuses one or is lost meanwhile, none: those that others
  /// have taken are removed again, and a trouble says so.
  void add(const std::vector<Addition>& additions);
  /// Starts federates of lost hosts again on spares, each by itself.
  void startOnSpare(const std::vector<Addition>& additions);
  /// Removes again what of the last add() has come or comes yet, because of that host.
  void takeBackAdditions(const QString& host, const QString& why);
  /// That is not done yet.
  bool isTakingBack() const;
  /// Keeps the nodes of Slurm jobs that the plan's hosts are on until the run is over and
  /// finished() was received.
  void hold(Allocations allocations) { allocations_ = std::move(allocations); }
  /// For whom needs the nodes longer: who has taken them ends their jobs.
  Allocations takeAllocations() { return std::exchange(allocations_, {}); }
  /// Hosts that nothing was heard of any more, and nodes that Slurm has taken away: why.
  QHash<QString, QString> unreachableHosts() const;
  /// Seconds from when all are ready until the run is stopped; replaces the plan's.
  void setStopAfter(std::optional<double> seconds);

 public slots:
  void start();
  /// Instead of start(): takes over a run that was left alone, with its state and what its
  /// supervisors still have of its output. It is kept no longer then, until asked, unless `kept`.
  void attach(bool kept = false);
  /// Instead of start(): follows a run that another program has, or nobody. It goes on when this
  /// object goes. Commands are passed on; stop() asks the one who has it. `begins`: supervisors of
  /// other hosts that are not there are waited for within the first 30 s of the run.
  void watch(bool begins = false);
  /// Likewise a run of another machine, to which `link` is open; nothing there changes by it. Of a
  /// connection that is made anew it asks for what it has not heard yet.
  void watchThrough(std::shared_ptr<RelayLink> link);
  /// Lets the run go on without this object, or no longer; keptChanged() tells when it holds. The
  /// supervisors then mind what ends a run, each on its host.
  void setKept(bool kept);
  /// Stops everything in order; a second call does not wait for anybody.
  void stop(const QString& reason = QStringLiteral("asked"));
  /// The same without time for anybody to end by itself.
  void kill(const QString& reason = QStringLiteral("asked"));
  void stopProcess(const QString& id) { stopProcesses({id}); }
  void killProcess(const QString& id) { killProcesses({id}); }
  void restartProcess(const QString& id) { restartProcesses({id}); }
  void stopProcesses(const QStringList& ids);
  void killProcesses(const QStringList& ids);
  /// Stops those that run, on whatever hosts, and when all have ended starts all of them in the
  /// plan's order; one that does not end within the grace is killed.
  void restartProcesses(const QStringList& ids);
  /// Starts those that do not run.
  void startProcesses(const QStringList& ids);
  /// Has them resign and end as stopProcesses() does, and takes them out of the run: no policy
  /// starts them again, and nobody waits for them; federateRemoved() tells of each.
  void removeProcesses(const QStringList& ids);
  /// The federates of these are about to be made to resign: as soon as isAwaitingResign() holds, no
  /// end of theirs is a death, and no policy starts them again.
  void expectResign(const QStringList& processes);
  /// What came of it. A process that is still there 10 s after its federate has resigned is told to
  /// end (SIGTERM); nothing kills it. Those that remain are as they were before expectResign().
  void noteResigned(const QStringList& resigned, const QStringList& remaining);
  /// Whether the run stops when it ends unexpectedly, instead of what its plan says.
  void setRequired(const QString& id, bool required);
  /// Any signal by its number; SIGSTOP and SIGCONT hold it and let it go on.
  void signalProcess(const QString& id, int signal);

 signals:
  void phaseChanged(tutti::launcher::Run::Phase phase);
  void keptChanged(bool kept);
  /// What a supervisor has said (its README has the events), before it is acted on; empty host:
  /// the one of this machine.
  void eventArrived(const QString& host, const QJsonObject& event);
  /// So many earlier events of a host are kept no longer; lines among them are in the log files.
  void eventsMissed(const QString& host, qint64 count);
  void processChanged(const QString& id);
  void hostChanged(const QString& name);
  /// It is one of processes() and of the plan from now on, and starts when its turn comes.
  void federateAdded(const QString& id);
  /// It is no longer.
  void federateRemoved(const QString& id);
  void lineArrived(const tutti::launcher::LogLine& line);
  /// So many lines of a process were not passed on, only written to its log.
  void linesDropped(const QString& id, qint64 count);
  void processDied(const tutti::launcher::ProcessDeath& death);
  /// It has ended and will be started again, as its policy says; its restartText() says when.
  void restartPlanned(const QString& id);
  void troubled(const tutti::launcher::Trouble& trouble);
  /// The phase is Ended or Failed and no process is left.
  void finished();

 private:
  void setPhase(Phase phase);
  /// Sets a phase in which the run is over, and gives back what it held.
  void finish(Phase phase);
  /// `saved`: whether the plan's file could be written.
  void launch(const tl::expected<void, composer::Error>& saved);
  /// One supervisor of the run.
  struct Part {
    std::unique_ptr<Agent> agent;
    Plan plan;                ///< What it was given; empty of one that was taken over.
    qint64 pid = 0;           ///< Of the supervisor, on its host; 0 until it was heard.
    bool saidItsEnd = false;  ///< It has said that nothing is left.
    bool isTaken = false;     ///< Slurm ends its step: why, srun says when it has.
    QStringList needed;       ///< That it ends unasked; spares may take them when it has.
    bool over = false;
    QString whyUnreachable{};  ///< Nothing was heard of it any more, or Slurm has taken its node.
    bool attended = false;     ///< Somebody owned it when this came, or this does.
    bool attached = false;     ///< Its state has been told, since this came.
    bool stated = false;       ///< Its state has been told, over whichever channel.
    QString refusal{};         ///< Why it does not let this watch it.
    bool gone = false;         ///< Its host is there and has no such supervisor.
    bool kept = false;         ///< It would go on without this object.
    qint64 lastNumber = 0;     ///< Of its events.
    QElapsedTimer lostSince;   ///< Valid while its connection is lost and sought again.
    QDateTime heard{};         ///< Its last event came.
    bool unseen = false;  ///< It was heard, and is not for so long that its state is not known.
  };
  Part& addPart(const QString& host);
  void listenTo(Part& part);
  void takePart(bool own);
  /// Connects to a supervisor that runs, from the event on that was missed first.
  void reach(Part& part);
  /// Whether the connection of a supervisor that goes on by itself is sought again.
  bool seeksAgain(Part& part, const Agent::Loss& loss);
  /// It was heard, and cannot be watched for long, which says nothing about it; or is again.
  void setUnseen(Part& part, bool unseen, const Agent::Loss& why = {});
  void handleAttached(Part& part, const QJsonObject& event);
  void handleMissed(Part& part, const QJsonObject& event);
  /// Whether another machine tells of more than a run can have; then this watches it no longer.
  bool isFlooded(const QString& kind);
  /// `loss`, unless the supervisor itself has said why.
  static Agent::Loss whyEnded(const Part& part, const Agent::Loss& loss);
  void noteTaken();
  void keepPart(Part& part, bool kept);
  void noteKept();
  void beginAgents();
  void fail(Outcome outcome, const Trouble& trouble);
  void handleEvent(Part& part, const QJsonObject& event);
  static void noteEnd(ProcessStatus& process, const QJsonObject& event);
  void handleEnd(ProcessStatus& process, const QJsonObject& event);
  void handleAdded(Part& part, const QJsonObject& event);
  void handleRequired(const QString& id, bool required);
  void handleRemoved(Part& part, const QJsonObject& event);
  void noteEntered(const QString& host, const QString& id);
  void takeOut(const QString& id, const QDateTime& when, bool comesAgain = false);
  void sendAdditions(const std::vector<Addition>& additions, const QString& key);
  void noteRestarted(const RunChange& change);
  void noteChange(RunChange change);
  /// How a process fares, in the words that supervisors are told elsewhere.
  static const char* prospectOf(const ProcessStatus& process);
  void handleRestart(ProcessStatus& process, const QJsonObject& event);
  void handleGivenUp(ProcessStatus& process, const QString& why);
  /// Stops the run if it cannot go on without a process that has died for good.
  void stopWithout(const ProcessStatus& process);
  void partEnded(Part& part, const Agent::Loss& loss);
  void hostLost(Part& part, const Agent::Loss& loss);
  /// "The hosts a and b are lost": all nodes of a job go with it. Empty: that was said of another
  /// of them.
  QString sayingOf(const QString& host, const Agent::Loss& loss);
  /// Of a run that is only watched: this supervisor was never heard, which says nothing about it.
  void hostUnseen(const Part& part, const Agent::Loss& loss);
  /// These were on a host that is lost, and the run needs them: spares take them, or it stops.
  void goOnWithout(const QString& host, const QStringList& needed, const QString& why);
  void noteSpareLost(const QString& host, const QString& why);
  /// A spare that no federate has come to.
  bool isIdleSpare(const QString& host) const;
  /// A supervisor of another host ends what it runs, without this run's doing.
  void hostStops(Part& part, const QString& why);
  void stopWhenNobodyIsLeft();
  void nodeOfHostEnded(const ProcessStatus& node);
  void endWhenAllPartsHave();
  /// Tells the supervisors where others wait for it how a process fares: "ready", "never".
  void tellElsewhere(const QString& id, const char* state);
  void setHostState(const QString& host, HostStatus::State state);
  Part* partOf(const QString& process);
  void reviewPhase();
  void askWhoJoined();
  void noteJoined(const std::vector<JoinedFederate>& joined);
  void addLine(LogLine line);
  void addTrouble(Trouble trouble);
  void send(const QString& process, const char* verb, QJsonObject more = {});
  /// One command to each supervisor that has some of these.
  void sendAll(const QStringList& processes, const char* verb);
  void sendRestart(const QStringList& processes, bool someRun);
  void letStart(const std::vector<HeldRestarts::Restart>& restarts);
  void sendStop();
  void askToStop();
  double graceSeconds() const { return grace_.value_or(plan_.plan.graceSeconds); }
  void stopHome();
  void noteWhetherReady(const ProcessStatus& process);
  void stopAtItsTime();
  ProcessStatus* find(const QString& id);

  LaunchPlan plan_;
  Phase phase_ = Phase::NotStarted;
  Outcome outcome_ = Outcome::Clean;
  QString stopReason_;
  bool reachedTime_ = false;
  bool endedByItself_ = false;
  bool reachedJobLimit_ = false;
  QStringList takenJobs_;  ///< told of as a whole, "cluster/job"
  std::vector<ProcessStatus> processes_;
  std::vector<ProcessStatus> removed_;
  std::vector<RunChange> changes_;
  std::optional<double> pace_;
  std::map<QString, PlannedProcess> additions_;
  /// The last add(). What another client adds at the same time, under the same names too, is not
  /// it.
  struct Entry {
    QString key;
    std::map<QString, QStringList> awaited;  ///< by hosts that have not answered
    QStringList all;
    QStringList come;
    bool onSeveralHosts = false;
    bool refused = false;
  };
  Entry entering_;
  SpareRestart spares_;
  HeldRestarts heldRestarts_;
  std::map<std::pair<QString, QString>, QStringList> restarted_;  ///< not told yet, by from and to
  std::map<QString, int> entries_;  ///< how often each has come to the run; 0: from the beginning
  std::vector<ProcessDeath> deaths_;
  std::vector<Trouble> troubles_;
  std::vector<PreflightCheck> checks_;
  struct ProcessLines {
    QString id;
    std::deque<LogLine> lines;
  };
  std::vector<ProcessLines> lines_;
  JoinedSource joinedSource_;
  Allocations allocations_;                   ///< Outlives the parts, whose steps run in it.
  std::vector<std::unique_ptr<Part>> parts_;  ///< This machine's first.
  std::vector<HostStatus> hosts_;
  bool kept_ = false;
  bool staysKept_ = false;  ///< Also once it is taken over.
  bool watches_ = false;
  bool wantsSamples_ = false;
  bool begins_ = false;  ///< It may not have started everywhere yet.
  std::shared_ptr<RelayLink> link_;
  bool heldByAnother_ = false;
  int errors_ = 0;  ///< that another machine has told of
  QFile held_;      ///< The plan's file, locked as long as the run goes on.
  QElapsedTimer clock_;
  qint64 before_ = 0;      ///< ms that had passed when this took the run over
  qint64 elapsedMs_ = -1;  ///< Of the whole run, once it has ended.
  QTimer joinedTimer_;
  bool asking_ = false;  ///< A thread asks who has joined.
  QTimer stopTimer_;
  LastLook lastLook_;
  bool stopSent_ = false;
  std::optional<double> grace_;  ///< s, instead of the plan's
  QTimer lookTimer_;             ///< the last look takes no longer
  QTimer homeTimer_;             ///< the run's node waits no longer for other hosts to end
};

}  // namespace tutti::launcher

Q_DECLARE_METATYPE(tutti::launcher::LogLine)
Q_DECLARE_METATYPE(tutti::launcher::ProcessDeath)
Q_DECLARE_METATYPE(tutti::launcher::Trouble)
