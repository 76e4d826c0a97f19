// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/supervisor/supervisor.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "launcher/engine/supervisor/keep.h"
#include "launcher/engine/supervisor/process_tree.h"

namespace tutti::launcher {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;

constexpr std::size_t longestLine = 16 * 1024;     ///< Longer output lines come in pieces.
constexpr std::size_t unreadEvents = 1024 * 1024;  ///< Beyond it output lines are dropped.
constexpr milliseconds readinessPoll{20};
constexpr milliseconds signOfLife{1000};
constexpr milliseconds stopPoll{20};
constexpr milliseconds groupGrace{1000};
constexpr milliseconds resignedGrace{10000};   ///< For a process whose federate was made to resign.
constexpr milliseconds longestStall{3000};     ///< Of a client that is told the last events.
constexpr milliseconds longestTelling{30000};  ///< Likewise, while it reads.
constexpr milliseconds lastGrace{500};         ///< For the processes that stop last.
constexpr milliseconds longestHold{10000};     ///< Then the last ones are waited for no longer.
constexpr milliseconds unkillable{5000};       ///< After SIGKILL: what lives then never ends.
constexpr double silenceWithoutNode = 3;       ///< Instead of Plan::silenceSeconds, in seconds.

milliseconds fromSeconds(double seconds) {
  return milliseconds(static_cast<std::int64_t>(std::llround(seconds * 1000)));
}

/// "2025-01-31T14:02:28.914Z"
std::string timeText() {
  const auto now = wallClockMs();
  const auto seconds = static_cast<std::time_t>(now / 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[40];
  const auto length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  char fraction[8];
  std::snprintf(fraction, sizeof fraction, ".%03dZ", static_cast<int>(now % 1000));
  return std::string(text, length) + fraction;
}

std::string describeEnd(int status) {
  if (WIFEXITED(status)) return "exited with code " + std::to_string(WEXITSTATUS(status));
  return "ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
         signalName(WTERMSIG(status)) + ")" + (WCOREDUMP(status) ? ", core dumped" : "");
}

/// Whether somebody accepts on the Unix socket. A leading '@' names an abstract one.
bool accepts(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, name.data(), name.size());
  auto length = offsetof(sockaddr_un, sun_path) + name.size() + 1;
  if (name.front() == '@') {
    address.sun_path[0] = '\0';
    --length;
  }
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto connectAs = [&](int fd) {
    return ::connect(fd, reinterpret_cast<const sockaddr*>(&address),
                     static_cast<socklen_t>(length)) == 0;
  };
  if (connectAs(socket.get())) return true;
  if (errno != EPROTOTYPE) return false;
  const Descriptor packets(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return connectAs(packets.get());
}

/// Whether somebody accepts at the TCP port of the loopback address, IPv4 or IPv6.
bool acceptsAt(std::uint16_t port) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  six.sin6_addr = in6addr_loopback;
  const auto answers = [](const auto& address) {
    const Descriptor socket(::socket(reinterpret_cast<const sockaddr*>(&address)->sa_family,
                                     SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) return false;
    // On the loopback a connection is there at once, or the queue of the listener is full.
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      return true;
    pollfd ready{socket.get(), POLLOUT, 0};
    int error = 0;
    socklen_t length = sizeof error;
    return errno == EINPROGRESS && ::poll(&ready, 1, 0) == 1 &&
           ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0;
  };
  return answers(four) || answers(six);
}

/// Readiness that is looked for again and again.
bool isPolled(const ReadyCondition& ready) {
  return ready.when == ReadyWhen::Socket || ready.when == ReadyWhen::Port;
}

}  // namespace

std::int64_t wallClockMs() {
  return std::chrono::duration_cast<milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string signalName(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

int signalNumber(const std::string& name) {
  for (int signal = 1; signal < NSIG; ++signal) {
    const char* known = ::sigabbrev_np(signal);
    if (std::to_string(signal) == name) return signal;
    if (known != nullptr && (name == known || name == std::string("SIG") + known)) return signal;
  }
  return 0;
}

Supervisor::TimePoint Supervisor::Child::readyAt() const {
  return startedAt + fromSeconds(plan.ready.delaySeconds);
}

bool Supervisor::Allowance::take(TimePoint now) {
  if (last_ != TimePoint{}) {
    const std::chrono::duration<double> passed = now - last_;
    left_ = std::min(burst_, left_ + passed.count() * rate_);
  }
  last_ = now;
  if (left_ < 1) return false;
  left_ -= 1;
  return true;
}

Supervisor::Supervisor(int in, int out) {
  clients_.push_back(std::make_unique<ClientChannel>(in, out));
  owner_ = clients_.front().get();
  sigset_t handled;
  ::sigemptyset(&handled);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT})
    ::sigaddset(&handled, signal);
  ::sigprocmask(SIG_BLOCK, &handled, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  signals_.reset(::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK));
  // Three descriptors a process: many processes need more than the usual 1024. The processes get
  // the limit that was in force before, since programs that use select() rely on it.
  ::getrlimit(RLIMIT_NOFILE, &childOpenFiles_);
  rlimit most = childOpenFiles_;
  most.rlim_cur = most.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &most);
}

Supervisor::~Supervisor() = default;

void Supervisor::usePlan(Plan plan) {
  plan_ = std::move(plan);
  planRead_ = true;
  heard_ = Clock::now();
  for (const auto& id : plan_.elsewhere) elsewhere_.emplace(id, Prospect::Awaited);
  if (!plan_.processes.empty() && !plan_.processes.front().logFile.empty())
    endFile_ =
        std::filesystem::path(plan_.processes.front().logFile).replace_extension(endOfRun).string();
  for (auto& process : plan_.processes) children_.push_back(std::make_unique<Child>(process));
  std::stable_sort(children_.begin(), children_.end(), [](const auto& a, const auto& b) {
    return a->plan.startOrder < b->plan.startOrder;
  });
  tell(*owner_, hello());
  listen();
}

int Supervisor::run() {
  while (!finished()) {
    const auto now = Clock::now();
    if (stopping_) {
      continueStop(now);
      if (finished()) break;
    } else {
      reviewRestarts();
      startDue(now);
      checkReadiness(now);
    }
    checkDeadlines(now);
    mindSilence(now);
    forgetRemoved();
    reportDrops(now);
    flushEvents();

    polled_.clear();
    polled_.push_back({signals_.get(), POLLIN, 0});
    polled_.push_back({listener_.get(), POLLIN, 0});
    const std::size_t firstClient = polled_.size();
    const std::size_t clients = clients_.size();
    for (const auto& client : clients_) {
      polled_.push_back({client->in(), POLLIN, 0});
      polled_.push_back(
          {client->out(), static_cast<short>(client->hasMore(history_) ? POLLOUT : 0), 0});
    }
    const std::size_t firstStream = polled_.size();
    for (const auto& child : children_) {
      polled_.push_back({child->out.pipe.get(), POLLIN, 0});
      polled_.push_back({child->err.pipe.get(), POLLIN, 0});
    }
    if (::poll(polled_.data(), polled_.size(), pollTimeout(Clock::now())) < 0 && errno != EINTR) {
      const int error = errno;
      emitError("", {"The supervisor of this run cannot watch its processes", "tutti-supervisor",
                     error == EINVAL ? "it may have fewer open files than it has processes and logs"
                                     : std::strerror(error),
                     "Allow more open files (ulimit -n), or run fewer federates.", error});
      flushEvents();
      return 3;
    }

    // What a process wrote is read before its end is noticed, so that events come in this order.
    for (std::size_t index = 0; index < children_.size(); ++index) {
      auto& child = *children_[index];
      if (polled_[firstStream + 2 * index].revents != 0) readOutput(child, child.out, false);
      if (polled_[firstStream + 2 * index + 1].revents != 0) readOutput(child, child.err, true);
      mindLog(child, child.log.write(Clock::now()));
    }
    if (polled_[0].revents != 0) handleSignals();
    for (std::size_t index = 0; index < clients; ++index)
      mindClient(*clients_[index], polled_[firstClient + 2 * index].revents,
                 polled_[firstClient + 2 * index + 1].revents);
    forgetClosed();
    if (polled_[1].revents != 0) acceptClient();
  }
  reportDrops(TimePoint::max());
  if (exitCode_ == 2) {
    endKeep();
  } else {
    const auto left = livingDescendants(::getpid());
    Json event = {{"event", "ended"}, {"left", left.size()}};
    for (const auto& entry : left)
      event["processes"].push_back({{"pid", entry.pid}, {"name", entry.name}});
    // As long as it is kept nobody takes it for one whose end was not seen.
    writeEnd(event);
    endKeep();
    emit(std::move(event));
    if (!left.empty()) exitCode_ = 3;
  }
  // A slow line gets the time it needs for the last events; who reads nothing does not hold the end
  // up for long.
  flushEvents();
  std::size_t unread = unreadByAll();
  TimePoint moved = Clock::now();
  const TimePoint latest = moved + longestTelling;
  while (!isToldAll() && Clock::now() < std::min(latest, moved + longestStall)) {
    ::poll(nullptr, 0, 5);
    flushEvents();
    if (const std::size_t now = unreadByAll(); now != unread) {
      unread = now;
      moved = Clock::now();
    }
  }
  return exitCode_;
}

void Supervisor::writeEnd(const Json& lastEvent) const {
  if (endFile_.empty()) return;
  const std::string unfinished = endFile_ + "~";
  std::error_code failed;
  std::ofstream file(unfinished, std::ios::trunc);
  file << stateText() << eventText(lastEvent);
  file.close();
  // Where it cannot be written, whoever looks for it says that nobody saw the end.
  if (file)
    std::filesystem::rename(unfinished, endFile_, failed);
  else
    std::filesystem::remove(unfinished, failed);
}

// ---- starting ----------------------------------------------------------------------------------

void Supervisor::reviveBlocked() {
  for (auto& other : children_) {
    if (other->state != State::NotStarted || !other->blockedReported) continue;
    other->state = State::Waiting;
    other->blockedReported = false;
  }
}

Supervisor::Prospect Supervisor::prospectOf(const std::string& id) const {
  if (const auto other = elsewhere_.find(id); other != elsewhere_.end()) return other->second;
  const auto& child = **std::find_if(children_.begin(), children_.end(),
                                     [&](const auto& one) { return one->plan.id == id; });
  // What is ending to be started again is nothing to rely on.
  if (child.state == State::Running && child.restartAsked) return Prospect::Awaited;
  if (child.ready) return Prospect::Ready;
  return child.state == State::Ended || child.state == State::NotStarted ? Prospect::Never
                                                                         : Prospect::Awaited;
}

void Supervisor::reviewRestarts() {
  if (restarts_.isEmpty()) return;
  for (const auto& [key, ids] : restarts_.review(ending()))
    emit({{"event", "held"}, {"hold", key}, {"ids", ids}});
}

std::set<std::string> Supervisor::ending() const {
  std::set<std::string> result;
  for (const auto& child : children_) {
    const bool isEnding = child->state == State::Running && child->endAsked;
    if (isEnding || child->groupKillAt) result.insert(child->plan.id);
  }
  return result;
}

bool Supervisor::mayStart(Child& child, TimePoint now) {
  if (restarts_.holdsBack(child.plan.id)) return false;
  for (const auto& name : child.plan.waitFor) {
    const auto prospect = prospectOf(name);
    if (prospect == Prospect::Ready) continue;
    if (prospect == Prospect::Never) {
      child.state = State::NotStarted;
      child.blockedReported = true;
      emit({{"event", "blocked"}, {"id", child.plan.id}, {"by", name}});
      reportAllEnded();
    }
    return false;
  }
  if (!child.startAt) child.startAt = now + fromSeconds(child.plan.delaySeconds);
  return now >= *child.startAt;
}

void Supervisor::startDue(TimePoint now) {
  for (auto& child : children_) {
    const bool due = child->state == State::BackOff
                         ? now >= child->restartAt
                         : child->state == State::Waiting && mayStart(*child, now);
    if (!due) continue;
    start(*child, now);
    // Between two starts the others' output is read and commands are heard.
    return;
  }
}

void Supervisor::start(Child& child, TimePoint now) {
  // What is left of the last attempt had less time to end than it might have.
  if (child.groupKillAt) killTree(child);
  child.out = {};
  child.err = {};
  child.ready = false;
  child.killAt.reset();
  child.groupKillAt.reset();
  ++child.attempt;
  std::optional<SpawnError> noLog;
  if (!child.log.isOpen() && !child.plan.logFile.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(child.plan.logFile).parent_path(),
                                        ignored);
    const int error = child.log.open(child.plan.logFile);
    if (error == ENOSPC || error == EDQUOT) {
      noLog = SpawnError{"there is no log of " + child.plan.id, child.plan.logFile,
                         std::string("it cannot be written: ") + std::strerror(error),
                         "Make room on the disk; the federate goes on.", error};
    } else if (error != 0) {
      child.state = State::NotStarted;
      emitError(child.plan.id, {child.plan.id + " did not start", child.plan.logFile,
                                std::string("its log cannot be written: ") + std::strerror(error),
                                "Make room, or correct the rights of the folder.", error});
      reportAllEnded();
      return;
    }
  }
  auto spawned = spawn(child.plan, childOpenFiles_, key_.get());
  if (!spawned) {
    child.state = State::NotStarted;
    const auto& error = spawned.error();
    logLine(child, "tut", error.what + ": " + error.where + ": " + error.why);
    mindLog(child, child.log.flush());
    emitError(child.plan.id, error);
    reportAllEnded();
    return;
  }
  child.state = State::Running;
  child.startedMs = wallClockMs();
  child.startedAt = Clock::now();
  child.endAsked = child.restartAsked = false;
  child.resigning = child.resigned = false;
  child.tellAt.reset();
  child.pid = spawned->pid;
  child.out.pipe = std::move(spawned->out);
  child.err.pipe = std::move(spawned->err);
  std::string line = "started as process " + std::to_string(child.pid) + ":";
  for (const auto& word : child.plan.command) line += " " + word;
  logLine(child, "tut", line);
  emit({{"event", "started"},
        {"id", child.plan.id},
        {"pid", child.pid},
        {"attempt", child.attempt}});
  if (noLog) emitError(child.plan.id, *noLog);
  if (child.plan.ready.when == ReadyWhen::Started)
    markReady(child);
  else if (child.plan.ready.when != ReadyWhen::Delay)
    child.notReadyAt = now + fromSeconds(child.plan.ready.timeoutSeconds);
}

void Supervisor::markReady(Child& child) {
  if (child.ready) return;
  child.ready = true;
  child.notReadyAt.reset();
  emit({{"event", "ready"}, {"id", child.plan.id}});
}

void Supervisor::checkReadiness(TimePoint now) {
  for (auto& child : children_) {
    if (child->state != State::Running || child->ready) continue;
    const auto& ready = child->plan.ready;
    if ((ready.when == ReadyWhen::Socket && accepts(ready.text)) ||
        (ready.when == ReadyWhen::Port && acceptsAt(portNumber(ready.text))) ||
        (ready.when == ReadyWhen::Delay && now >= child->readyAt())) {
      markReady(*child);
    } else if (child->notReadyAt && now >= *child->notReadyAt) {
      child->notReadyAt.reset();
      emit({{"event", "not_ready"},
            {"id", child->plan.id},
            {"after_s", child->plan.ready.timeoutSeconds}});
    }
  }
}

// ---- output ------------------------------------------------------------------------------------

void Supervisor::readOutput(Child& child, Stream& stream, bool isError) {
  char buffer[65536];
  // Bounded, so that one that never stops writing does not keep the others from being heard.
  for (int round = 0; round < 4 && stream.pipe; ++round) {
    const auto got = ::read(stream.pipe.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      if (!stream.partial.empty()) takeLine(child, stream.partial, isError);
      stream = {};
      return;
    }
    std::string_view rest(buffer, static_cast<std::size_t>(got));
    while (!rest.empty()) {
      const auto end = rest.find('\n');
      const auto part = rest.substr(0, end);
      if (end != std::string_view::npos && stream.partial.empty() && part.size() <= longestLine) {
        takeLine(child, part, isError);
      } else {
        stream.partial += part;
        while (stream.partial.size() > longestLine) {
          takeLine(child, std::string_view(stream.partial).substr(0, longestLine), isError);
          stream.partial.erase(0, longestLine);
        }
        if (end != std::string_view::npos) {
          takeLine(child, stream.partial, isError);
          stream.partial.clear();
        }
      }
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
    }
  }
}

void Supervisor::takeLine(Child& child, std::string_view line, bool isError) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  logLine(child, isError ? "err" : "out", line);
  const auto& ready = child.plan.ready;
  if (!isError && child.state == State::Running &&
      ((ready.when == ReadyWhen::Line && line == ready.text) ||
       (ready.when == ReadyWhen::Output && line.find(ready.text) != std::string_view::npos)))
    markReady(child);
  if (!isError && !child.plan.overLine.empty() && line == child.plan.overLine && !over_) {
    over_ = true;
    emit({{"event", "over"}, {"id", child.plan.id}});
    mindEnd();
  }
  const auto now = Clock::now();
  if (unreadByOwner() > unreadEvents || !child.lines.take(now) || !allLines_.take(now)) {
    ++child.droppedLines;
    return;
  }
  emit({{"event", "output"},
        {"id", child.plan.id},
        {"stream", isError ? "stderr" : "stdout"},
        {"line", std::string(line)}});
}

void Supervisor::logLine(Child& child, const char* stream, std::string_view line) {
  if (!child.log.isOpen()) return;
  std::string text = timeText();
  text += ' ';
  text += stream;
  text += ' ';
  text += line;
  text += '\n';
  child.log.add(text);
  if (child.log.pending() > longestLine) mindLog(child, child.log.write(Clock::now()));
}

void Supervisor::mindLog(const Child& child, int error) {
  if (error == 0) return;
  emitError(child.plan.id, {"the log of " + child.plan.id + " is incomplete", child.plan.logFile,
                            std::string("it cannot be written: ") + std::strerror(error),
                            "Make room on the disk; the federate goes on.", error});
}

void Supervisor::reportDrops(TimePoint now) {
  if (now < nextDropReport_) return;
  nextDropReport_ = now == TimePoint::max() ? now : now + milliseconds(1000);
  for (auto& child : children_) {
    if (child->droppedLines == 0 || unreadByOwner() > unreadEvents) continue;
    emit({{"event", "dropped"}, {"id", child->plan.id}, {"lines", child->droppedLines}});
    child->droppedLines = 0;
  }
}

// ---- ends --------------------------------------------------------------------------------------

void Supervisor::handleSignals() {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    const auto number = static_cast<int>(info.ssi_signo);
    if (number == SIGCHLD) continue;
    if (!planRead_) {
      exitCode_ = 2;
    } else if (stopping_) {
      killFrom_ = Clock::now();  // Asked twice: no more waiting.
      holdsLast_ = false;
    } else {
      beginStop(signalName(number), std::min(plan_.graceSeconds, Plan::longestGraceUnattended));
    }
  }
  reap();
  if (!restarts_.isEmpty()) noteEmptyGroups();
}

void Supervisor::reap() {
  int status = 0;
  for (;;) {
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return;
    toldToEnd_.erase(pid);
    for (auto& child : children_) {
      if (child->state == State::Running && child->pid == pid) ended(*child, status);
    }
  }
}

void Supervisor::noteEmptyGroups() {
  const bool any = std::any_of(children_.begin(), children_.end(),
                               [](const auto& child) { return child->groupKillAt.has_value(); });
  if (!any) return;
  std::set<pid_t> groups;
  for (const auto& entry : livingDescendants(::getpid())) groups.insert(entry.group);
  for (auto& child : children_) {
    if (child->groupKillAt && !groups.contains(child->pid)) child->groupKillAt.reset();
  }
}

void Supervisor::ended(Child& child, int status) {
  child.state = State::Ended;
  child.status = status;
  child.endedMs = wallClockMs();
  child.killAt.reset();
  child.notReadyAt.reset();
  child.tellAt.reset();
  // Whoever has a federate resign has its process end; which it did before it was said that it had
  // resigned.
  if (child.resigning && !child.endAsked) {
    child.resigned = child.resigned || WIFEXITED(status);
    child.endAsked = true;
  }
  if (!stopping_ && !child.endAsked && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
    ++child.failures;
  // All that the process itself wrote is in the pipes by now.
  readOutput(child, child.out, false);
  readOutput(child, child.err, true);
  logLine(child, "tut", describeEnd(status));
  mindLog(child, child.log.flush());
  planRestart(child, !WIFEXITED(status) || WEXITSTATUS(status) != 0);
  // A federate is what its command runs in the foreground: what it leaves in its group ends with
  // it.
  bool left = false;
  for (const auto& entry : livingDescendants(::getpid())) {
    if (entry.group != child.pid) continue;
    left = true;
    signalProcess(entry, SIGTERM);
    signalProcess(entry, SIGCONT);
  }
  if (left) child.groupKillAt = Clock::now() + groupGrace;
  reportAllEnded();
  mindEnd();
}

void Supervisor::planRestart(Child& child, bool failed) {
  if (stopping_ || child.endAsked) {
    emit(endEvent(child));
    if (!stopping_ && child.restartAsked) startAgain(child);
    return;
  }
  const auto now = Clock::now();
  auto restart = child.schedule.afterEnd(
      failed, std::chrono::duration_cast<RestartSchedule::Duration>(now - child.startedAt));
  // A federate without its RTI node would start another one, which nobody knows.
  std::string goneNode;
  for (const auto& name : child.plan.waitFor) {
    const auto* other = find(name);
    if (other != nullptr && other->plan.stopLast && other->state == State::Ended) goneNode = name;
  }
  if (restart && !goneNode.empty()) {
    emit(endEvent(child));
    cancelRestart(child, goneNode + " has ended");
    return;
  }
  if (restart) {
    child.state = State::BackOff;
    child.restart = *restart;
    child.restartAt = now + restart->wait;
  }
  emit(endEvent(child));
  if (restart) {
    emit(restartEvent(child, now));
  } else if (child.schedule.gaveUp()) {
    cancelRestart(child,
                  std::to_string(child.schedule.restarts()) + " restarts in a row did not help");
  }
}

Json Supervisor::restartEvent(const Child& child, TimePoint now) {
  const std::chrono::duration<double> left = std::max(child.restartAt - now, Clock::duration{});
  return {{"event", "restarting"},
          {"id", child.plan.id},
          {"attempt", child.restart.number},
          {"of", child.plan.restart.limit},
          {"in_s", std::round(left.count() * 1000) / 1000}};
}

void Supervisor::cancelRestart(Child& child, const std::string& why) {
  child.state = State::Ended;
  logLine(child, "tut", "not started again: " + why);
  mindLog(child, child.log.flush());
  emit({{"event", "gave_up"}, {"id", child.plan.id}, {"why", why}});
  reportAllEnded();
  mindEnd();
}

Json Supervisor::endEvent(const Child& child) const {
  Json event = {{"id", child.plan.id},
                {"pid", child.pid},
                {"attempt", child.attempt},
                {"asked", child.endAsked},
                {"resigned", child.resigned},
                {"given_up", child.state == State::Ended && child.schedule.gaveUp()},
                {"failures", child.failures},
                {"restarts", child.state == State::BackOff || willRestart(child)},
                {"time_ms", child.endedMs}};
  if (WIFEXITED(child.status)) {
    event["event"] = "exited";
    event["code"] = WEXITSTATUS(child.status);
  } else {
    event["event"] = "signalled";
    event["signal"] = WTERMSIG(child.status);
    event["name"] = signalName(WTERMSIG(child.status));
    event["core"] = WCOREDUMP(child.status) != 0;
  }
  return event;
}

bool Supervisor::willRestart(const Child& child) const { return !stopping_ && child.restartAsked; }

void Supervisor::reportAllEnded() {
  const bool all = std::all_of(children_.begin(), children_.end(), [](const auto& child) {
    return child->plan.stopLast || child->state == State::Ended ||
           child->state == State::NotStarted;
  });
  if (!all || allEndedReported_) return;
  allEndedReported_ = true;
  emit({{"event", "all_ended"}});
  mindEnd();
}

void Supervisor::stopOne(Child& child, double graceSeconds) {
  ::kill(-child.pid, SIGTERM);
  ::kill(-child.pid, SIGCONT);
  child.killAt = Clock::now() + fromSeconds(graceSeconds);
}

void Supervisor::noteResigned(Child& child) {
  child.resigning = child.resigned = true;
  if (child.state == State::Running) {
    child.tellAt = Clock::now() + resignedGrace;
    logLine(child, "tut", "its federate was made to resign");
  }
  emit(resignedEvent(child));
}

Json Supervisor::resignedEvent(const Child& child) {
  const std::chrono::duration<double> grace = resignedGrace;
  return {{"event", "resigned"}, {"id", child.plan.id}, {"ends_in_s", grace.count()}};
}

void Supervisor::killTree(const Child& child) {
  const bool running = child.state == State::Running;
  // Once it has ended, its number may belong to anybody; that of its group only while it has
  // members.
  const bool reused = !running && std::any_of(children_.begin(), children_.end(), [&](auto& other) {
    return other->state == State::Running && other->pid == child.pid;
  });
  if (reused) return;
  std::vector<ProcessEntry> victims;
  if (running) victims = livingDescendants(child.pid);
  for (const auto& entry : livingDescendants(::getpid())) {
    if (entry.group == child.pid) victims.push_back(entry);
  }
  if (running) ::kill(child.pid, SIGKILL);
  for (const auto& victim : victims) signalProcess(victim, SIGKILL);
}

void Supervisor::checkDeadlines(TimePoint now) {
  if (isUnattended() && keep_->stopAt && now >= *keep_->stopAt) mindEnd();
  for (auto& child : children_) {
    if (child->state == State::Running && child->killAt && now >= *child->killAt) {
      child->killAt = now + milliseconds(200);
      killTree(*child);
    }
    if (child->state == State::Running && child->tellAt && now >= *child->tellAt) {
      child->tellAt.reset();
      logLine(*child, "tut", "its federate was made to resign: told to end");
      ::kill(-child->pid, SIGTERM);
      ::kill(-child->pid, SIGCONT);
    }
    if (child->groupKillAt && now >= *child->groupKillAt) {
      child->groupKillAt.reset();
      killTree(*child);
    }
  }
}

// ---- the end of the run ------------------------------------------------------------------------

void Supervisor::mindClient(ClientChannel& client, short in, short out) {
  // What it sent before it went still counts.
  if (in != 0 && client.inOpen()) readClient(client);
  if ((out & (POLLERR | POLLHUP)) == 0 || !client.outOpen()) return;
  if (&client == owner_)
    clientLost("nobody reads the events", Plan::longestGraceUnattended);
  else
    client.close();
}

void Supervisor::mindSilence(TimePoint now) {
  if (plan_.silenceSeconds <= 0) return;
  // Its node has given up the home, and nobody starts it again. Elsewhere a new copy of a federate
  // may have been started by now, so the old one does not stay until the silence ends.
  const auto node = std::find_if(children_.begin(), children_.end(), [](const auto& child) {
    return child->plan.stopLast && child->state == State::Ended;
  });
  const bool isAlone = node != children_.end();
  const double silence =
      isAlone ? std::min(silenceWithoutNode, plan_.silenceSeconds) : plan_.silenceSeconds;
  if (isAttended() && now >= heard_ + fromSeconds(silence))
    clientLost((isAlone ? (*node)->plan.id + " has ended, and n" : "N") +
                   "othing was heard from the console for " +
                   std::to_string(std::llround(silence)) + " s",
               Plan::longestGraceUnattended);
  if (now < nextSignOfLife_) return;
  nextSignOfLife_ = now + signOfLife;
  Json event = {{"event", "alive"}};
  double load = 0;
  if (::getloadavg(&load, 1) == 1) event["load"] = load;
  for (auto& client : clients_) {
    if (client->isAttached() && client->outOpen()) tell(*client, event);
  }
  tellSamples();
}

std::set<pid_t> Supervisor::lastOnes() const {
  std::set<pid_t> result;
  for (const auto& child : children_) {
    if (child->plan.stopLast && child->state == State::Running) result.insert(child->pid);
  }
  return result;
}

bool Supervisor::finished() const {
  if (exitCode_ != 0) return true;
  if (!stopping_ || phase_ != Phase::StoppingLast) return false;
  // A subreaper without a child has no descendant: whoever loses its parent becomes its child.
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD;
}

void Supervisor::beginStop(const std::string& why, double graceSeconds) {
  if (stopping_) return;
  stopping_ = true;
  stopReason_ = why;
  stoppingMs_ = wallClockMs();
  phase_ = Phase::StoppingOthers;
  killFrom_ = Clock::now() + fromSeconds(graceSeconds);
  abandonFrom_ = killFrom_ + unkillable;
  holdUntil_ = killFrom_ + longestHold;
  emit({{"event", "stopping"}, {"why", why}, {"grace_s", graceSeconds}, {"time_ms", stoppingMs_}});
  for (auto& child : children_) {
    if (child->state == State::Waiting) child->state = State::NotStarted;
    if (child->state == State::BackOff) cancelRestart(*child, "the run ends");
  }
  reportAllEnded();
}

void Supervisor::continueStop(TimePoint now) {
  reap();
  const auto spared = phase_ == Phase::StoppingOthers ? lastOnes() : std::set<pid_t>{};
  const auto living = livingDescendants(::getpid(), spared);
  if (phase_ == Phase::StoppingOthers) {
    // Zombies that wait to be given to us hold nothing up.
    if (living.empty() && (!holdsLast_ || now >= holdUntil_)) {
      phase_ = Phase::StoppingLast;
      killFrom_ = now + lastGrace;
      abandonFrom_ = killFrom_ + unkillable;
      continueStop(now);
      return;
    }
  }
  for (const auto& entry : living) {
    if (now >= killFrom_) {
      signalProcess(entry, SIGKILL);
    } else if (toldToEnd_.insert(entry.pid).second) {
      signalProcess(entry, SIGTERM);
      signalProcess(entry, SIGCONT);  // A stopped one hears SIGTERM only when it goes on.
    }
  }
  if (now >= abandonFrom_ && !living.empty()) {
    for (const auto& entry : living) {
      emit({{"event", "error"},
            {"what", "process " + std::to_string(entry.pid) + " (" + entry.name + ") is left"},
            {"where", "process " + std::to_string(entry.pid)},
            {"why", "SIGKILL did not end it: it belongs to another user, or waits in the kernel"},
            {"next", "End it by hand as the user it belongs to: sudo kill -9 " +
                         std::to_string(entry.pid)}});
    }
    exitCode_ = 3;
  }
}

int Supervisor::pollTimeout(TimePoint now) const {
  if (stopping_) return static_cast<int>(stopPoll.count());
  auto next = TimePoint::max();
  if (!restarts_.isEmpty() && restarts_.isDue(ending())) return 0;
  if (isUnattended() && keep_->stopAt) next = *keep_->stopAt;
  if (plan_.silenceSeconds > 0) next = std::min(next, nextSignOfLife_);
  for (const auto& child : children_) {
    if (child->state == State::Waiting) {
      if (child->startAt) next = std::min(next, *child->startAt);
      bool due = !child->startAt && !restarts_.holdsBack(child->plan.id);
      for (const auto& name : child->plan.waitFor)
        due = due && prospectOf(name) != Prospect::Awaited;
      if (due) return 0;
    }
    if (child->state == State::BackOff) next = std::min(next, child->restartAt);
    if (child->state == State::Running && !child->ready) {
      if (isPolled(child->plan.ready)) next = std::min(next, now + readinessPoll);
      if (child->plan.ready.when == ReadyWhen::Delay) next = std::min(next, child->readyAt());
      if (child->notReadyAt) next = std::min(next, *child->notReadyAt);
    }
    if (child->killAt) next = std::min(next, *child->killAt);
    if (child->groupKillAt) next = std::min(next, *child->groupKillAt);
    if (child->tellAt) next = std::min(next, *child->tellAt);
    if (child->droppedLines != 0) next = std::min(next, nextDropReport_);
    if (const auto due = child->log.dueAt()) next = std::min(next, *due);
  }
  if (next == TimePoint::max()) return -1;
  const auto left = std::chrono::ceil<milliseconds>(next - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60000));
}

Supervisor::Child* Supervisor::find(const std::string& id) {
  for (auto& child : children_) {
    if (child->plan.id == id) return child.get();
  }
  return nullptr;
}

}  // namespace tutti::launcher
