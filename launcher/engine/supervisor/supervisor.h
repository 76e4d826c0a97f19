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

#include "launcher/engine/supervisor/log_file.h"
#include "launcher/engine/supervisor/plan.h"
#include "launcher/engine/supervisor/restart_schedule.h"
#include "launcher/engine/supervisor/spawn.h"

namespace tutti::launcher {

/// Starts, watches and ends the processes of one plan; README.md describes the protocol.
///
/// One thread, one poll() loop; nothing in it blocks: a client that does not read loses output
/// lines, counted, and no other event; a process that floods its output is always read. The calling
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
    bool ready = false;
    bool blockedReported = false;
    pid_t pid = 0;  ///< Kept after the end: the number of its process group.
    int attempt = 0;
    Stream out;
    Stream err;
    LogFile log;
    Allowance lines{200, 500};
    std::uint64_t droppedLines = 0;
    std::int64_t startedMs = 0;            ///< Wall clock of the last start.
    std::int64_t endedMs = 0;              ///< Likewise; valid when Ended.
    int status = 0;                        ///< Of waitpid(); valid when Ended.
    bool endAsked = false;                 ///< Somebody asked for this end.
    RestartSchedule schedule;              ///< of restarts that nobody asked for
    TimePoint startedAt{};                 ///< the last start
    TimePoint restartAt{};                 ///< valid in BackOff
    RestartSchedule::Restart restart;      ///< likewise: which one it waits for
    /// When it is ready by ReadyWhen::Delay.
    TimePoint readyAt() const;
    std::optional<TimePoint> startAt;      ///< Its turn came; the delay ends then.
    std::optional<TimePoint> notReadyAt;   ///< When to report that it is not ready.
    std::optional<TimePoint> killAt;       ///< A stop of this one: SIGKILL from then on.
    std::optional<TimePoint> groupKillAt;  ///< Its main process has ended, others of its group not.
  };

  void emit(nlohmann::json event);
  void emitError(const std::string& id, const SpawnError& error);
  void flushEvents();

  void readInput();
  void handleLine(std::string_view line);
  void handleCommand(const nlohmann::json& command);
  void refusePlan(const std::string& why);
  /// Those that were given up because of one that may yet become ready get their chance again.
  void reviveBlocked();
  void takeKey(const nlohmann::json& command);
  /// How a process fares that another supervisor of the run has.
  void hearElsewhere(const nlohmann::json& command);
  /// Whether a process may still become ready, wherever it is.
  enum class Prospect { Ready, Awaited, Never };
  Prospect prospectOf(const std::string& id) const;
  /// With Plan::silenceSeconds: says that this one is there, and minds that the client is.
  void mindSilence(TimePoint now);

  /// What a kept run holds; keep.cpp.
  struct Keep {
    Descriptor listener;             ///< for the client that comes back
    std::string mark;                ///< file that says so, locked as long as it is true
    Descriptor lock;                 ///< of the mark
    Descriptor plan;                 ///< held, so that nobody tidies the folder away
    std::set<std::string> required;  ///< without a client, the run stops with any of these
    std::optional<TimePoint> stopAt;
  };
  void keep(const nlohmann::json& command);
  void endKeep();
  bool isUnattended() const;
  /// The client has gone: the end of the run, unless it is to be kept.
  void clientLost(const std::string& why, double graceSeconds);
  /// Stops an unattended run for what its client would stop it for.
  void mindEnd();
  void acceptClient();
  void tellState();
  void emitEnd(const Child& child);
  /// Starts it again later, if its policy says so; else says that it gives it up.
  void planRestart(Child& child, bool failed);
  void emitRestart(const Child& child, TimePoint now);
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
  void ended(Child& child, int status);
  void reportAllEnded();

  void beginStop(const std::string& why, double graceSeconds);
  void continueStop(TimePoint now);
  void stopOne(Child& child, double graceSeconds);
  void killTree(const Child& child);
  void checkDeadlines(TimePoint now);
  std::set<pid_t> lastOnes() const;
  bool finished() const;

  int pollTimeout(TimePoint now) const;
  Child* find(const std::string& id);

  int in_;
  int out_;
  Descriptor signals_;
  rlimit childOpenFiles_{};
  std::string input_;
  std::string events_;          ///< Not yet written to `out_`.
  std::size_t eventsSent_ = 0;  ///< How much of its front is already written.
  bool inputOpen_ = true;
  bool outputOpen_ = true;
  std::optional<Keep> keep_;
  Descriptor client_;  ///< The one that came back; `in_` and `out_` then.
  bool planRead_ = false;
  Plan plan_;
  Descriptor key_;  ///< In memory only; closed to all that do not get it.
  std::map<std::string, Prospect> elsewhere_;
  TimePoint heard_{};  ///< When the client was last heard, with Plan::silenceSeconds.
  TimePoint nextSignOfLife_{};
  std::vector<std::unique_ptr<Child>> children_;  ///< In start order.
  Allowance allLines_{2000, 4000};
  TimePoint nextDropReport_{};
  bool over_ = false;  ///< A process has said that the run has come to its end.
  bool allEndedReported_ = false;
  Phase phase_ = Phase::Running;
  bool stopping_ = false;
  bool holdsLast_ = false;  ///< Those that stop last wait for another command to stop.
  int exitCode_ = 0;
  TimePoint killFrom_{};     ///< In a stop phase: SIGKILL from then on.
  TimePoint abandonFrom_{};  ///< In a stop phase: what lives then cannot be ended.
  std::set<pid_t> toldToEnd_;
  std::vector<pollfd> polled_;
};

/// "SIGSEGV" for 11.
std::string signalName(int signal);
/// 11 for "SIGSEGV", "SEGV" or "11"; 0 when there is none.
int signalNumber(const std::string& name);

}  // namespace tutti::launcher
