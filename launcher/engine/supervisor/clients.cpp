// SPDX-License-Identifier: GPL-3.0-or-later
// Who the supervisor talks to: the owner of the run, and any others that watch it or command it.
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "launcher/engine/supervisor/run_socket.h"
#include "launcher/engine/supervisor/supervisor.h"

namespace tutti::launcher {

using Json = nlohmann::json;

namespace {

constexpr std::size_t mostClients = 32;  ///< Of the socket, at once.
/// Of a command; the plan is one, which only comes from the process that started this one.
constexpr std::size_t longestCommand = 64 * 1024 * 1024;
constexpr std::size_t longestOfOthers = 1024 * 1024;
/// A client that leaves more answers to its own commands unread is not served any longer.
constexpr std::size_t mostUnreadAnswers = 16 * 1024 * 1024;

std::string textOf(const Json& command, const char* key) {
  const auto found = command.find(key);
  return found != command.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool flagOf(const Json& command, const char* key, bool otherwise) {
  const auto found = command.find(key);
  return found != command.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

std::uint64_t numberOf(const Json& command, const char* key) {
  const auto found = command.find(key);
  return found != command.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

double graceOf(const Json& command, double fallback) {
  const auto found = command.find("grace_s");
  if (found == command.end() || !found->is_number()) return fallback;
  const auto value = found->get<double>();
  return std::isfinite(value) ? std::clamp(value, 0.0, 3600.0) : fallback;
}

std::vector<std::string> textsOf(const Json& command, const char* key) {
  std::vector<std::string> result;
  const auto list = command.find(key);
  if (list == command.end() || !list->is_array()) return result;
  for (const auto& text : *list) {
    if (text.is_string()) result.push_back(text.get<std::string>());
  }
  return result;
}

/// The number of the signal that a command names; 0: none.
int signalOf(const Json& command) {
  const auto given = command.find("signal");
  if (given == command.end()) return 0;
  return given->is_number_integer() ? signalNumber(std::to_string(given->get<long long>()))
                                    : signalNumber(textOf(command, "signal"));
}

}  // namespace

// ---- events ------------------------------------------------------------------------------------

std::string Supervisor::eventText(Json event) {
  if (!event.contains("time_ms")) event["time_ms"] = wallClockMs();
  return event.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

void Supervisor::emit(Json event) {
  const bool isOutput = event["event"] == "output" || event["event"] == "dropped";
  event["n"] = history_.next();
  history_.add(eventText(std::move(event)), isOutput);
}

void Supervisor::tell(ClientChannel& client, Json event) {
  client.tell(eventText(std::move(event)));
}

void Supervisor::answer(Json event) {
  // What the owner is told comes in one order.
  if (speaker_ == nullptr || speaker_ == owner_)
    emit(std::move(event));
  else
    tell(*speaker_, std::move(event));
}

void Supervisor::emitError(const std::string& id, const SpawnError& error) {
  emit({{"event", "error"},
        {"id", id},
        {"what", error.what},
        {"where", error.where},
        {"why", error.why},
        {"next", error.next},
        {"errno", error.errorNumber}});
}

bool Supervisor::isAttended() const { return owner_ != nullptr && owner_->inOpen(); }

std::size_t Supervisor::unreadByOwner() const {
  return owner_ == nullptr ? 0 : owner_->unread(history_);
}

std::size_t Supervisor::unreadByAll() const {
  std::size_t bytes = 0;
  for (const auto& client : clients_) bytes += client->unread(history_);
  return bytes;
}

void Supervisor::flushEvents() {
  // By index: a client that is lost may end the run, which tells the others.
  for (std::size_t index = 0; index < clients_.size(); ++index) {
    auto& client = *clients_[index];
    if (!client.outOpen()) continue;
    const bool isOwner = &client == owner_;
    if (!client.flush(history_)) {
      if (isOwner)
        clientLost("nobody reads the events", Plan::longestGraceUnattended);
      else
        client.close();
    } else if (client.isOvertaken(history_) ||
               (!isOwner && client.unread(history_) > mostUnreadAnswers)) {
      dropSlow(client);
    }
  }
  forgetClosed();
}

void Supervisor::dropSlow(ClientChannel& client) {
  if (&client == owner_) {
    clientLost("the console does not read the events", Plan::longestGraceUnattended);
    return;
  }
  emit({{"event", "client_dropped"},
        {"pid", client.process()},
        {"why", "it reads too slowly; what it has missed is in the log files"}});
  client.close();
}

void Supervisor::forgetClosed() {
  for (const auto& client : clients_) {
    if (!client->inOpen() || !client->outOpen()) restarts_.releaseOf(client.get());
  }
  std::erase_if(clients_, [&](const auto& client) {
    return client.get() != owner_ && client.get() != speaker_ && !client->outOpen();
  });
}

bool Supervisor::isToldAll() const {
  return std::none_of(clients_.begin(), clients_.end(), [&](const auto& client) {
    return client->outOpen() && client->hasMore(history_);
  });
}

// ---- clients -----------------------------------------------------------------------------------

void Supervisor::listen() {
  if (plan_.run.empty()) return;
  auto listener = listenAt(runSocketName(plan_.run));
  if (listener) {
    listener_ = std::move(*listener);
    return;
  }
  emit({{"event", "error"},
        {"what", "nobody else can watch or command this run"},
        {"where", plan_.run},
        {"why", listener.error()},
        {"next", "The run goes on; only the program that started it can end it."}});
}

void Supervisor::acceptClient() {
  Descriptor caller(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!caller) return;
  ucred peer{};
  socklen_t length = sizeof peer;
  if (::getsockopt(caller.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 ||
      peer.uid != ::getuid())
    return;
  auto client = std::make_unique<ClientChannel>(std::move(caller), peer.pid);
  if (clients_.size() > mostClients) {
    tell(*client, {{"event", "busy"}, {"why", "too many programs watch this run"}});
    client->closeWhenTold();
  }
  clients_.push_back(std::move(client));
}

void Supervisor::readClient(ClientChannel& client) {
  speaker_ = &client;
  const auto input = client.read(client.process() == 0 ? longestCommand : longestOfOthers,
                                 [this](std::string_view line) { handleLine(line); });
  speaker_ = nullptr;
  const bool isOwner = &client == owner_;
  if (isOwner && input == ClientChannel::Input::Open) heard_ = Clock::now();
  switch (input) {
    case ClientChannel::Input::Open:
      return;
    case ClientChannel::Input::TooLong:
      client.closeInput();
      if (!planRead_)
        refusePlan("its first line is longer than 64 MiB");
      else if (isOwner)
        beginStop("a command longer than 64 MiB", plan_.graceSeconds);
      else
        client.close();
      return;
    case ClientChannel::Input::Ended:
      if (!planRead_)
        refusePlan("the input ended before a plan came; its first line is the launch plan as JSON");
      else if (isOwner)
        ownerEnded();
      else
        client.close();
      return;
  }
}

void Supervisor::ownerEnded() {
  if (keep_) {
    clientLost("end of input", Plan::longestGraceUnattended);
    return;
  }
  // It may still read how the run ends.
  holdsLast_ = false;
  beginStop("end of input", std::min(plan_.graceSeconds, Plan::longestGraceUnattended));
}

void Supervisor::clientLost(const std::string& why, double graceSeconds) {
  holdsLast_ = false;
  if (owner_ != nullptr) std::exchange(owner_, nullptr)->close();
  if (!keep_ || stopping_) {
    beginStop(why, graceSeconds);
    return;
  }
  emit({{"event", "left_alone"}, {"why", why}});
  // Of what has happened just now the client may not have heard.
  mindEnd();
}

void Supervisor::attach(ClientChannel& client, const Json& command) {
  const bool own = flagOf(command, "own", false);
  if (own && &client != owner_) {
    if (isAttended()) {
      tell(
          client,
          {{"event", "busy"}, {"pid", owner_->process()}, {"why", "another program has this run"}});
      client.closeWhenTold();
      return;
    }
    if (owner_ != nullptr) owner_->close();
    owner_ = &client;
    heard_ = Clock::now();
  }
  const bool output = flagOf(command, "output", true);
  const auto after = numberOf(command, "after");
  // One whose last channel broke before it had been told the state wants that too.
  const bool resumes = !flagOf(command, "state", false) && after > 0 && after < history_.next() &&
                       after + 1 >= history_.first();
  tell(client, hello());
  if (resumes) {
    client.follow(after + 1, 0, eventText({{"event", "attached"}, {"resumed", true}}), output);
    return;
  }
  tellChanges(client);
  const auto from = after < history_.next() ? after + 1 : 1;
  if (from < history_.first()) {
    tell(client, {{"event", "missed"},
                  {"from", from},
                  {"to", history_.first() - 1},
                  {"why", "they are kept no longer; the log files have them"}});
  }
  client.follow(std::max(from, history_.first()), history_.next(), stateText(), output);
}

Json Supervisor::hello() const {
  return {{"event", "hello"},         {"version", Plan::version},      {"pid", ::getpid()},
          {"run", plan_.run},         {"processes", children_.size()}, {"attended", isAttended()},
          {"kept", keep_.has_value()}};
}

std::string Supervisor::stateText() const {
  std::string text;
  std::int64_t first = 0;
  for (const auto& child : children_) {
    const auto& id = child->plan.id;
    if (child->attempt == 0) {
      if (child->state == State::NotStarted)
        text += eventText({{"event", "blocked"}, {"id", id}, {"by", "what it waited for"}});
      continue;
    }
    if (first == 0 || child->startedMs < first) first = child->startedMs;
    text += eventText({{"event", "started"},
                       {"id", id},
                       {"pid", child->pid},
                       {"attempt", child->attempt},
                       {"time_ms", child->startedMs}});
    if (child->ready) text += eventText({{"event", "ready"}, {"id", id}});
    if (child->resigned) text += eventText(resignedEvent(*child));
    if (child->state == State::Ended || child->state == State::BackOff)
      text += eventText(endEvent(*child));
    if (child->state == State::BackOff) text += eventText(restartEvent(*child, Clock::now()));
  }
  text += eventText({{"event", "attached"}, {"started_ms", first}, {"next", history_.next()}});
  if (stopping_)
    text += eventText({{"event", "stopping"}, {"why", stopReason_}, {"time_ms", stoppingMs_}});
  if (allEndedReported_) text += eventText({{"event", "all_ended"}});
  if (over_) text += eventText({{"event", "over"}});
  return text;
}

// ---- commands ----------------------------------------------------------------------------------

void Supervisor::handleLine(std::string_view line) {
  if (exitCode_ == 2 || line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  if (!planRead_) {
    if (const auto first = Json::parse(line, nullptr, false);
        first.is_object() && textOf(first, "do") == "key") {
      takeKey(first);
      return;
    }
    auto plan = planFromText(std::string(line));
    if (plan)
      usePlan(std::move(*plan));
    else
      refusePlan(plan.error().message);
    return;
  }
  const auto command = Json::parse(line, nullptr, false);
  if (command.is_object()) {
    handleCommand(command);
  } else {
    answer({{"event", "error"},
            {"what", "a command was not understood"},
            {"where", std::string(line.substr(0, 200))},
            {"why", "it is not a JSON object on one line"},
            {"next", "Send for example {\"do\": \"stop\"}."}});
  }
}

void Supervisor::refusePlan(const std::string& why) {
  emit({{"event", "error"},
        {"what", "nothing was started"},
        {"where", "launch plan"},
        {"why", why},
        {"next", "Correct the plan and start again."}});
  exitCode_ = 2;
}

void Supervisor::complain(const std::string& verb, const std::string& id, const std::string& why,
                          const std::string& next) {
  answer({{"event", "error"},
          {"id", id},
          {"what", "the command \"" + verb + "\" had no effect"},
          {"where", id},
          {"why", why},
          {"next", next}});
}

void Supervisor::handleCommand(const Json& command) {
  const auto verb = textOf(command, "do");
  if (verb == "alive") {
    speaker_->wantSamples(flagOf(command, "samples", false));
    return;
  }
  if (verb == "attach" && speaker_->process() != 0) {
    attach(*speaker_, command);
    return;
  }
  const bool owns = speaker_ == owner_;
  if (verb == "elsewhere" || verb == "keep" || verb == "ready") {
    if (!owns) {
      complain(verb, textOf(command, "id"), "only the program that has the run may say that",
               "Take the run over first.");
      return;
    }
    if (verb == "elsewhere") hearElsewhere(command);
    if (verb == "keep") keep(command);
    if (verb != "ready") return;
  }
  if (verb == "add") {
    add(command);
    if (!owns) answer({{"event", "done"}, {"do", verb}});
    return;
  }
  if (verb == "release") {
    restarts_.release(textOf(command, "hold"));
    if (!owns) answer({{"event", "done"}, {"do", verb}});
    return;
  }
  auto ids = idsOf(command);
  const bool endsAll = ids.empty() && (verb == "stop" || verb == "kill");
  if (endsAll) {
    // The owner ends those of other hosts; it hears of it now.
    holdsLast_ = owns ? flagOf(command, "hold_last", false) : plan_.leads && isAttended();
    const double grace = verb == "kill" ? 0 : graceOf(command, plan_.graceSeconds);
    beginStop(owns ? "asked" : "asked by process " + std::to_string(speaker_->process()), grace);
  } else {
    if (ids.empty() && (verb == "start" || verb == "restart")) ids = idsOfFederates();
    if (ids.empty()) ids.push_back(textOf(command, "id"));
    for (const auto& id : ids) commandOne(verb, id, command, ids.size() > 1);
    if (verb == "restart") restartTogether(ids, command);
  }
  if (!owns) answer({{"event", "done"}, {"do", verb}, {"ids", ids}});
}

std::vector<std::string> Supervisor::idsOf(const Json& command) {
  std::vector<std::string> result = textsOf(command, "ids");
  if (auto one = textOf(command, "id"); !one.empty()) result.insert(result.begin(), std::move(one));
  return result;
}

std::vector<std::string> Supervisor::idsOfFederates() const {
  std::vector<std::string> result;
  for (const auto& child : children_) {
    if (!child->plan.stopLast) result.push_back(child->plan.id);
  }
  return result;
}

/// `several`: one of those named is in the state that is asked for already, which is no mistake.
void Supervisor::commandOne(const std::string& verb, const std::string& id, const Json& command,
                            bool several) {
  auto* child = find(id);
  if (child == nullptr) {
    complain(verb, id, "no process of the plan is called \"" + id + "\"", "Name one of the plan.");
    return;
  }
  const bool running = child->state == State::Running;
  if (verb == "start" || verb == "restart") {
    if (stopping_) {
      complain(verb, id, "the run is being stopped", "Start a new run.");
    } else if (child->removing) {
      complain(verb, id, "it is being removed from the run", "Add it again once it has left.");
    } else if (running && verb == "restart") {
      child->restartAsked = true;
      child->endAsked = true;
      stopOne(*child, graceOf(command, plan_.graceSeconds));
    } else if (running) {
      if (!several) complain(verb, id, "it is running already", "Stop it first.");
    } else {
      startAgain(*child);
    }
  } else if (verb == "remove") {
    if (child->plan.stopLast)
      complain(verb, id, "it is no federate, and the federates need it", "Stop the run.");
    else
      remove(*child, graceOf(command, plan_.graceSeconds));
  } else if (verb == "require") {
    require(*child, flagOf(command, "on", true));
  } else if (verb == "ready") {
    if (running && speaker_ == owner_) markReady(*child);
  } else if (verb == "resign") {
    child->resigning = true;
    emit({{"event", "resigning"}, {"id", id}});
    if (child->state == State::BackOff) cancelRestart(*child, "its federate has to resign");
  } else if (verb == "remains") {
    if (child->resigned) return;
    child->resigning = false;
    emit({{"event", "remains"}, {"id", id}});
  } else if (verb == "resigned") {
    if (child->attempt > 0) noteResigned(*child);
  } else if (verb == "stop" || verb == "kill" || verb == "signal") {
    // One that was restarted with others may wait for their end.
    const bool isBetweenStarts =
        child->state == State::BackOff || (child->state == State::Waiting && child->attempt > 0);
    if (isBetweenStarts && verb != "signal") {
      child->endAsked = true;
      cancelRestart(*child, "it was asked to end");
    } else if (!running) {
      if (!several) complain(verb, id, "it is not running", "Start it first.");
    } else if (verb == "stop") {
      child->endAsked = true;
      child->restartAsked = false;
      stopOne(*child, graceOf(command, plan_.graceSeconds));
    } else if (verb == "kill") {
      child->endAsked = true;
      child->restartAsked = false;
      killTree(*child);
    } else if (const int number = signalOf(command); number == 0) {
      complain(verb, id, "it names no signal", "Send for example \"signal\": \"SIGSTOP\".");
    } else {
      ::kill(child->pid, number);
    }
  } else {
    complain(
        verb, id, "there is no such command",
        "There are start, restart, stop, kill, resign, resigned, remains, require, add, remove, "
        "signal, ready, keep, elsewhere, release, attach and alive.");
  }
}

void Supervisor::startAgain(Child& child) {
  child.state = State::Waiting;
  child.ready = false;
  child.schedule.reset();
  child.startAt.reset();
  child.blockedReported = false;
  allEndedReported_ = false;
  reviveBlocked();
}

void Supervisor::restartTogether(const std::vector<std::string>& ids, const Json& command) {
  if (stopping_) return;
  for (const auto& id : textsOf(command, "with")) {
    // It is about to end there; who waits for it waits for the new one.
    if (const auto other = elsewhere_.find(id); other != elsewhere_.end())
      other->second = Prospect::Awaited;
  }
  const std::string key = textOf(command, "hold");
  if (key.empty() && ids.size() < 2) return;
  restarts_.begin({ids.begin(), ids.end()}, key, speaker_);
}

void Supervisor::takeKey(const Json& command) {
  const std::string text = textOf(command, "key");
  Descriptor memory(::memfd_create("tutti-key", MFD_CLOEXEC));
  if (!memory || ::fchmod(memory.get(), S_IRUSR | S_IWUSR) != 0 ||
      ::write(memory.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    refusePlan(std::string("the run's key cannot be held: ") + std::strerror(errno));
    return;
  }
  key_ = std::move(memory);
}

void Supervisor::hearElsewhere(const Json& command) {
  const auto known = elsewhere_.find(textOf(command, "id"));
  if (known == elsewhere_.end()) return;
  const std::string state = textOf(command, "state");
  if (state == "removed") {
    const std::string id = known->first;
    elsewhere_.erase(known);
    std::erase(plan_.elsewhere, id);
    dropFromWaits(id, {});
    if (!stopping_) reviveBlocked();
    return;
  }
  known->second = state == "ready"   ? Prospect::Ready
                  : state == "never" ? Prospect::Never
                                     : Prospect::Awaited;
  if (known->second != Prospect::Never && !stopping_) reviveBlocked();
}

}  // namespace tutti::launcher
