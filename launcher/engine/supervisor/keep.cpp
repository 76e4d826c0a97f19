// SPDX-License-Identifier: GPL-3.0-or-later
// A run that goes on without a client, and the client that comes back to it.
#include "launcher/engine/supervisor/keep.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>

#include "launcher/engine/supervisor/supervisor.h"

namespace tutti::launcher {

using Json = nlohmann::json;

std::string keptSocketName(const std::string& run) {
  return "tutti-run/" + std::to_string(::getuid()) + "/" + run;
}

namespace {

tl::expected<Descriptor, std::string> listenAt(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() + 1 > sizeof address.sun_path) {
    return tl::unexpected(std::string("its name is too long: ") + name);
  }
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      ::listen(socket.get(), 4) != 0) {
    return tl::unexpected(std::string("the socket @") + name + ": " + std::strerror(errno));
  }
  return socket;
}

}  // namespace

void Supervisor::keep(const Json& command) {
  const auto on = command.find("on");
  if (on != command.end() && on->is_boolean() && !on->get<bool>()) {
    endKeep();
    emit({{"event", "kept"}, {"on", false}});
    return;
  }
  const auto fail = [&](const std::string& where, const std::string& why) {
    emit({{"event", "error"},
          {"what", "the run cannot go on without its window"},
          {"where", where},
          {"why", why},
          {"next", "Leave the window open, or stop the run."}});
    keep_.reset();
  };
  const auto folder = command.value("folder", std::string());
  if (folder.empty()) return fail("keep", "no folder was named");
  Keep wanted;
  wanted.mark = folder + "/" + keptMark;
  wanted.lock.reset(::open(wanted.mark.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!wanted.lock) return fail(wanted.mark, std::strerror(errno));
  if (::flock(wanted.lock.get(), LOCK_EX | LOCK_NB) != 0 && !keep_)
    return fail(wanted.mark, "somebody else holds it");
  // Whoever tidies up old runs leaves those alone whose plan is held.
  wanted.plan.reset(::open((folder + "/plan.json").c_str(), O_RDONLY | O_CLOEXEC));
  if (wanted.plan) ::flock(wanted.plan.get(), LOCK_SH | LOCK_NB);
  if (keep_) {
    wanted.listener = std::move(keep_->listener);
    wanted.lock = std::move(keep_->lock);
  } else {
    auto listener = listenAt(keptSocketName(plan_.run));
    if (!listener) return fail(plan_.run, listener.error());
    wanted.listener = std::move(*listener);
  }
  for (const auto& id : command.value("required", Json::array())) {
    if (id.is_string()) wanted.required.insert(id.get<std::string>());
  }
  if (const auto after = command.find("stop_after_s");
      after != command.end() && after->is_number()) {
    const auto seconds = std::clamp(after->get<double>(), 0.0, 1e7);
    wanted.stopAt =
        Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  }
  keep_ = std::move(wanted);
  emit({{"event", "kept"}, {"on", true}});
}

void Supervisor::endKeep() {
  if (!keep_) return;
  ::unlink(keep_->mark.c_str());
  keep_.reset();
}

bool Supervisor::isUnattended() const { return keep_ && !inputOpen_; }

void Supervisor::clientLost(const std::string& why, double graceSeconds) {
  inputOpen_ = outputOpen_ = holdsLast_ = false;
  if (!keep_ || stopping_) {
    beginStop(why, graceSeconds);
    return;
  }
  client_.reset();
  input_.clear();
  events_.clear();
  eventsSent_ = 0;
  // Of what has happened just now the client may not have heard.
  mindEnd();
}

void Supervisor::mindEnd() {
  if (!isUnattended() || stopping_) return;
  const auto diedOf = [&](const Child& child) {
    const bool well =
        WIFEXITED(child.status) && WEXITSTATUS(child.status) == 0 && !child.plan.stopLast;
    return child.state == State::Ended && !well && !child.endAsked &&
           keep_->required.contains(child.plan.id);
  };
  const auto dead = std::find_if(children_.begin(), children_.end(),
                                 [&](const auto& child) { return diedOf(*child); });
  if (dead != children_.end()) {
    beginStop((*dead)->plan.id + " died", Plan::longestGraceUnattended);
  } else if (allEndedReported_) {
    beginStop("all federates have ended", Plan::longestGraceUnattended);
  } else if (over_) {
    beginStop("it has come to its stop time", Plan::longestGraceUnattended);
  } else if (keep_->stopAt && Clock::now() >= *keep_->stopAt) {
    beginStop("its time has passed", Plan::longestGraceUnattended);
  }
}

void Supervisor::acceptClient() {
  Descriptor caller(
      ::accept4(keep_->listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!caller) return;
  ucred peer{};
  socklen_t length = sizeof peer;
  if (::getsockopt(caller.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 ||
      peer.uid != ::getuid())
    return;
  if (inputOpen_) {
    static constexpr char busy[] = "{\"event\":\"busy\"}\n";
    [[maybe_unused]] const auto told = ::write(caller.get(), busy, sizeof busy - 1);
    return;
  }
  client_ = std::move(caller);
  in_ = out_ = client_.get();
  inputOpen_ = outputOpen_ = true;
  tellState();
}

void Supervisor::tellState() {
  emit({{"event", "hello"},
        {"version", Plan::version},
        {"pid", ::getpid()},
        {"run", plan_.run},
        {"processes", children_.size()}});
  std::int64_t first = 0;
  for (const auto& child : children_) {
    const auto& id = child->plan.id;
    if (child->attempt == 0) {
      if (child->state == State::NotStarted)
        emit({{"event", "blocked"}, {"id", id}, {"by", "what it waited for"}});
      continue;
    }
    if (first == 0 || child->startedMs < first) first = child->startedMs;
    emit({{"event", "started"},
          {"id", id},
          {"pid", child->pid},
          {"attempt", child->attempt},
          {"time_ms", child->startedMs}});
    if (child->ready) emit({{"event", "ready"}, {"id", id}});
    if (child->state == State::Ended || child->state == State::BackOff) emitEnd(*child);
    if (child->state == State::BackOff) emitRestart(*child, Clock::now());
  }
  emit({{"event", "attached"}, {"started_ms", first}});
  if (allEndedReported_) emit({{"event", "all_ended"}});
  if (over_) emit({{"event", "over"}});
}

}  // namespace tutti::launcher
