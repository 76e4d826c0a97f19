// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace tutti::launcher {

/// When a process counts as ready, so that those that wait for it may start.
enum class ReadyWhen {
  Started,  ///< As soon as it was executed.
  Line,     ///< A line of its standard output equals `text`.
  Output,   ///< A line of its standard output contains `text`.
  Socket,   ///< The Unix socket `text` accepts a connection; a leading '@' names an abstract one.
  Told,     ///< The client says so with the command `ready`.
  Port,     ///< The TCP port `text` of the loopback address accepts a connection.
  Delay,    ///< `delaySeconds` after its start.
};

struct ReadyCondition {
  ReadyWhen when = ReadyWhen::Started;
  std::string text;
  double timeoutSeconds = 10.0;  ///< After this, `not_ready` is reported once; > 0.
  double delaySeconds = 0.0;

  friend bool operator==(const ReadyCondition&, const ReadyCondition&) = default;
};

/// What is done when a process ends that nobody told to end.
enum class RestartWhen { Never, OnFailure, Always };

/// Whether and when a process is started again after its end. The wait before a restart doubles
/// from one to the next; restarts that helped are forgotten (RestartSchedule).
struct RestartPolicy {
  static constexpr int mostRestarts = 1000;
  static constexpr double longestBackoffSeconds = 60;

  RestartWhen when = RestartWhen::Never;
  int limit = 5;                ///< Restarts in a row, 1 to mostRestarts; then it is given up.
  double backoffSeconds = 1.0;  ///< Before the first restart, 0 to longestBackoffSeconds.

  friend bool operator==(const RestartPolicy&, const RestartPolicy&) = default;
};

/// "never", "on-failure" or "always", as files spell it.
const char* nameOf(RestartWhen when);

/// 5000 for "5000"; 0 for what is no TCP port.
std::uint16_t portNumber(const std::string& text);

/// One process of a launch plan. Paths are absolute; the environment is the supervisor's own with
/// `env` on top.
struct PlannedProcess {
  std::string id;  ///< Unique in the plan: a federate's name, or "rti".
  std::vector<std::string>
      command;      ///< Executable (a path, or a name looked up in PATH) and arguments.
  std::string cwd;  ///< Working directory; empty: the supervisor's.
  std::map<std::string, std::string> env;
  std::string logFile;               ///< Both output streams are appended here; empty: not kept.
  std::vector<std::string> waitFor;  ///< Ids that must have been ready before this one starts.
  ReadyCondition ready;
  int nice = 5;        ///< Niceness, -20 to 19.
  int startOrder = 0;  ///< Lower ones start first; the same order: as listed.
  double delaySeconds =
      0.0;                ///< Time between the last of `waitFor` being ready and the start; >= 0.
  bool stopLast = false;  ///< Stopped after all others have ended (the RTI node).
  /// A line of its standard output that equals this says that the run has come to its end; empty:
  /// none does.
  std::string overLine;
  RestartPolicy restart;
  /// Its descriptor `keyDescriptor` reads the key that the client sent; it does not start without.
  bool getsKey = false;

  /// Waits no more for `wait`, which is gone, but for what that one waited for.
  void replaceWait(const std::string& wait, const std::vector<std::string>& instead);

  friend bool operator==(const PlannedProcess&, const PlannedProcess&) = default;
};

/// What a run starts on one host, and in which order.
struct Plan {
  static constexpr int version = 1;
  /// On end-of-file or a signal the supervisor gives its processes no longer than this to end.
  static constexpr double longestGraceUnattended = 1.5;
  /// Where a process that gets the key finds it: for `--key-file /proc/self/fd/3`.
  static constexpr int keyDescriptor = 3;

  std::string run;            ///< Run identifier.
  double graceSeconds = 1.5;  ///< Time between SIGTERM and SIGKILL when a run is stopped; >= 0.
  std::vector<PlannedProcess> processes;
  /// Ids that processes may wait for and that other supervisors of the run start: the client tells
  /// how they fare.
  std::vector<std::string> elsewhere;
  /// Other supervisors follow this one, whose last processes end after theirs: when another than
  /// its owner stops the run, the owner still has to stop those.
  bool leads = false;
  /// Above 0: the client says every second that it is there, and its silence for this time is its
  /// end, in seconds; for a channel whose far end may vanish without a word. The supervisor then
  /// says every second that it is there too, and how its host fares. 3 s are enough when a process
  /// that stops last has ended: those that need it have nothing to wait for.
  double silenceSeconds = 0.0;

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Why a plan cannot be used: what, where in it, and what to do.
struct PlanError {
  std::string message;
};

/// Reads a plan. Unknown keys are refused, so that a misspelt one is not silently without effect;
/// but "launch", at the top, is free for what the plan's maker wants to remember.
tl::expected<Plan, PlanError> planFromJson(const nlohmann::json& json);
tl::expected<Plan, PlanError> planFromText(const std::string& text);

/// Writes all fields that differ from their defaults, keys sorted.
nlohmann::json planToJson(const Plan& plan);

}  // namespace tutti::launcher
