// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <poll.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/engine/supervisor/client_channel.h"
#include "launcher/engine/supervisor/event_history.h"
#include "launcher/engine/supervisor/joint_restart.h"
#include "launcher/engine/supervisor/log_file.h"
#include "launcher/engine/supervisor/plan.h"
#include "launcher/engine/supervisor/restart_schedule.h"
#include "launcher/engine/supervisor/spawn.h"

namespace tutti::launcher {

/// Starts, watches and ends the processes of one plan; README.md describes the protocol.
///
/// One thread, one poll() loop; nothing in it blocks: of what processes write more than its owner
/// reads is left out, counted; another client that reads too slowly is dropped; a process that
/// floods its output is always read. The calling
/// process must be a child subreaper, so that what its processes leave behind is given to it:
/// waitpid() without a child then proves that nothing is left.
class Supervisor {
 public:
  /// Reads the plan (unless one is given) and commands from `in`, writes events to `out`.
  Supervisor(int in, int out);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// Uses this plan instead of reading one as the first line.
  void usePlan(Plan plan);

  /// Runs until everything has ended. Exit codes: 0 nothing is left, 2 unusable plan, 3 processes
  /// are left that could not be ended.
  int run();

 private:
  using Clock = std::chrono::steady_clock;
  using TimePoint = Clock::time_point;

  /// BackOff: it has ended and is started again when its time comes.
  enum class State { Waiting, Running, BackOff, Ended, NotStarted };

  /// Running: as usual. StoppingOthers: all but the processes that stop last. StoppingLast: all.
  enum class Phase { Running, StoppingOthers, StoppingLast };

  struct Stream {
    Descriptor pipe;
    std::string partial;  ///< The beginning of a line whose end has not come.
  };

  /// Allows `rate` a second on average and `burst` at once.
  class Allowance {
   public:
    Allowance(double rate, double burst) : rate_(rate), burst_(burst), left_(burst) {}
    bool take(TimePoint now);

   private:
    double rate_;
    double burst_;
    double left_;
    TimePoint last_{};
  };

  struct Child {
    explicit Child(PlannedProcess p) : plan(std::move(p)), schedule(plan.restart) {}
    PlannedProcess plan;
    State state = State::Waiting;
    bool removing = false;  ///< It leaves the plan once it has ended.
    bool ready = false;
    bool blockedReported = false;
    pid_t pid = 0;  ///< Kept after the end: the number of its process group.
    int attempt = 0;
    Stream out;
    Stream err;
    LogFile log;
    Allowance lines{200, 500};
    std::uint64_t droppedLines = 0;
    std::int64_t startedMs = 0;        ///< Wall clock of the last start.
    std::int64_t endedMs = 0;          ///< Likewise; valid when Ended.
    int status = 0;                    ///< Of waitpid(); valid when Ended.
    bool endAsked = false;             ///< Somebody asked for this end.
    int failures = 0;                  ///< Unasked ends by a signal or with an exit code.
    bool restartAsked = false;         ///< And for a start after it.
    bool resigning = false;            ///< Its federate has been told to resign.
    bool resigned = false;             ///< And has.
    std::optional<TimePoint> tellAt;   ///< Resigned: told to end from then on, not killed.
    RestartSchedule schedule;          ///< of restarts that nobody asked for
    TimePoint startedAt{};             ///< the last start
    TimePoint restartAt{};             ///< valid in BackOff
    RestartSchedule::Restart restart;  ///< likewise: which one it waits for
    /// When it is ready by ReadyWhen::Delay.
    TimePoint readyAt() const;
    std::optional<TimePoint> startAt;      ///< Its turn came; the delay ends then.
    std::optional<TimePoint> notReadyAt;   ///< When to report that it is not ready.
    std::optional<TimePoint> killAt;       ///< A stop of this one: SIGKILL from then on.
    std::optional<TimePoint> groupKillAt;  ///< Its main process has ended, others of its group not.
  };

  // Telling.
  static std::string eventText(nlohmann::json event);
  /// Tells all clients, those too that come later and ask for what they have missed.
  void emit(nlohmann::json event);
  void emitError(const std::string& id, const SpawnError& error);
  static void tell(ClientChannel& client, nlohmann::json event);
  /// Tells the client whose command is being followed.
  void answer(nlohmann::json event);
  nlohmann::json hello() const;
  nlohmann::json endEvent(const Child& child) const;
  static nlohmann::json resignedEvent(const Child& child);
  static nlohmann::json restartEvent(const Child& child, TimePoint now);
  /// All that has happened, as events, for a client that comes now.
  std::string stateText() const;
  void flushEvents();
  bool isToldAll() const;

  // Clients: one owns the run, others watch it and may start, stop and kill.
  void listen();
  void acceptClient();
  void attach(ClientChannel& client, const nlohmann::json& command);
  void mindClient(ClientChannel& client, short in, short out);
  void readClient(ClientChannel& client);
  void dropSlow(ClientChannel& client);
  void forgetClosed();
  /// Its owner is there, and can say what is to be done.
  bool isAttended() const;
  std::size_t unreadByOwner() const;
  std::size_t unreadByAll() const;
  void ownerEnded();
  /// The owner has gone: the end of the run, unless it is to be kept.
  void clientLost(const std::string& why, double graceSeconds);

  // Commands.
  void handleLine(std::string_view line);
  void handleCommand(const nlohmann::json& command);
  void commandOne(const std::string& verb, const std::string& id, const nlohmann::json& command,
                  bool several);
  void complain(const std::string& verb, const std::string& id, const std::string& why,
                const std::string& next);
  static std::vector<std::string> idsOf(const nlohmann::json& command);
  std::vector<std::string> idsOfFederates() const;
  void startAgain(Child& child);
  /// All of these end before the first starts again.
  void restartTogether(const std::vector<std::string>& ids, const nlohmann::json& command);
  /// Who was asked to end and is still there, or has left something in its process group.
  std::set<std::string> ending() const;
  /// Lets those start that waited for the last one to end.
  void reviewRestarts();
  void refusePlan(const std::string& why);
  /// Those that were given up because of one that may yet become ready get their chance again.
  void reviveBlocked();
  void takeKey(const nlohmann::json& command);
  /// How a process fares that another supervisor of the run has.
  void hearElsewhere(const nlohmann::json& command);
  /// Whether a process may still become ready, wherever it is.
  enum class Prospect { Ready, Awaited, Never };
  Prospect prospectOf(const std::string& id) const;
  void noteResigned(Child& child);
  // Changes of the plan while it runs; changes.cpp.
  void add(const nlohmann::json& command);
  void remove(Child& child, double graceSeconds);
  void require(const Child& child, bool on);
  /// Takes those out of the plan that were to leave it and have ended.
  void forgetRemoved();
  /// Nobody waits for that one any more, but for those it waited for itself.
  void dropFromWaits(const std::string& id, const std::vector<std::string>& instead);
  /// Tells a client that knows the plan of the beginning what has come and gone since.
  void tellChanges(ClientChannel& client) const;

  /// With Plan::silenceSeconds: says that this one is there, and minds that the client is.
  void mindSilence(TimePoint now);
  /// To those who have asked: what the kernel counts for the host and for each process that runs,
  /// with what that has started; samples.cpp.
  void tellSamples();

  /// What a kept run holds; keep.cpp.
  struct Keep {
    std::string mark;                ///< file that says so, locked as long as it is true
    Descriptor lock;                 ///< of the mark
    Descriptor plan;                 ///< held, so that nobody tidies the folder away
    std::set<std::string> required;  ///< without a client, the run stops with any of these
    std::optional<TimePoint> stopAt;
  };
  void keep(const nlohmann::json& command);
  void endKeep();
  bool isUnattended() const;
  /// Stops an unattended run for what its owner would stop it for.
  void mindEnd();
  /// Of the plan, whether they run or not.
  bool hasFederates() const;
  /// Starts it again later, if its policy says so; else says that it gives it up.
  void planRestart(Child& child, bool failed);
  bool willRestart(const Child& child) const;
  /// It waits to be started again, and is not.
  void cancelRestart(Child& child, const std::string& why);

  void startDue(TimePoint now);
  void start(Child& child, TimePoint now);
  bool mayStart(Child& child, TimePoint now);
  void markReady(Child& child);
  void checkReadiness(TimePoint now);

  void readOutput(Child& child, Stream& stream, bool isError);
  void takeLine(Child& child, std::string_view line, bool isError);
  void logLine(Child& child, const char* stream, std::string_view line);
  /// Says so, once, when the log of that process cannot be written.
  void mindLog(const Child& child, int error);
  void reportDrops(TimePoint now);

  void handleSignals();
  void reap();
  /// What has ended leaves nothing in its process group any more.
  void noteEmptyGroups();
  void ended(Child& child, int status);
  void reportAllEnded();

  void beginStop(const std::string& why, double graceSeconds);
  void continueStop(TimePoint now);
  void stopOne(Child& child, double graceSeconds);
  void killTree(const Child& child);
  void checkDeadlines(TimePoint now);
  std::set<pid_t> lastOnes() const;
  bool finished() const;
  /// Leaves a word of the end beside the logs, for whoever asks when nobody has seen it.
  void writeEnd(const nlohmann::json& lastEvent) const;

  int pollTimeout(TimePoint now) const;
  Child* find(const std::string& id);

  Descriptor signals_;
  Descriptor listener_;  ///< for further clients
  rlimit childOpenFiles_{};
  EventHistory history_;
  std::vector<std::unique_ptr<ClientChannel>> clients_;
  ClientChannel* owner_ = nullptr;    ///< One of `clients_`; null: nobody owns the run.
  ClientChannel* speaker_ = nullptr;  ///< Whose line is being read.
  std::optional<Keep> keep_;
  bool planRead_ = false;
  Plan plan_;
  Descriptor key_;  ///< In memory only; closed to all that do not get it.
  std::map<std::string, Prospect> elsewhere_;
  JointRestarts restarts_;
  std::vector<std::string> changes_;  ///< Events of additions and removals, as text, oldest first.
  TimePoint heard_{};  ///< When the client was last heard, with Plan::silenceSeconds.
  TimePoint nextSignOfLife_{};
  std::size_t nextSampled_ = 0;  ///< Index of the child that the next sample begins with.
  /// In start order. Nothing leaves it but at the beginning of a round of the loop.
  std::vector<std::unique_ptr<Child>> children_;
  Allowance allLines_{2000, 4000};
  TimePoint nextDropReport_{};
  bool over_ = false;  ///< A process has said that the run has come to its end.
  bool allEndedReported_ = false;
  Phase phase_ = Phase::Running;
  bool stopping_ = false;
  std::string stopReason_;
  std::int64_t stoppingMs_ = 0;  ///< Wall clock of the beginning of the stop.
  std::string endFile_;          ///< Empty: the plan names no log.
  bool holdsLast_ = false;       ///< Those that stop last wait for another command to stop.
  int exitCode_ = 0;
  TimePoint killFrom_{};     ///< In a stop phase: SIGKILL from then on.
  TimePoint holdUntil_{};    ///< In a stop phase: those that stop last wait no longer.
  TimePoint abandonFrom_{};  ///< In a stop phase: what lives then cannot be ended.
  std::set<pid_t> toldToEnd_;
  std::vector<pollfd> polled_;
};

/// Milliseconds since 1970, UTC.
std::int64_t wallClockMs();
/// "SIGSEGV" for 11.
std::string signalName(int signal);
/// 11 for "SIGSEGV", "SEGV" or "11"; 0 when there is none.
int signalNumber(const std::string& name);

}  // namespace tutti::launcher
