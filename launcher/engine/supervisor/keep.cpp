// SPDX-License-Identifier: GPL-3.0-or-later
// A run that goes on without its owner, and what ends it then.
#include "launcher/engine/supervisor/keep.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "launcher/engine/supervisor/supervisor.h"

namespace tutti::launcher {

using Json = nlohmann::json;

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
  const auto named = command.find("folder");
  const auto folder =
      named != command.end() && named->is_string() ? named->get<std::string>() : std::string();
  if (folder.empty()) return fail("keep", "no folder was named");
  // Where a log could not be written it is not there yet.
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  Keep wanted;
  wanted.mark = folder + "/" + keptMark;
  wanted.lock.reset(::open(wanted.mark.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!wanted.lock) return fail(wanted.mark, std::strerror(errno));
  if (::flock(wanted.lock.get(), LOCK_EX | LOCK_NB) != 0 && !keep_)
    return fail(wanted.mark, "somebody else holds it");
  // Whoever tidies up old runs leaves those alone whose plan is held.
  wanted.plan.reset(::open((folder + "/plan.json").c_str(), O_RDONLY | O_CLOEXEC));
  if (wanted.plan) ::flock(wanted.plan.get(), LOCK_SH | LOCK_NB);
  if (!listener_) return fail(plan_.run, "nobody could take it over: it has no socket");
  if (keep_) wanted.lock = std::move(keep_->lock);
  if (const auto list = command.find("required"); list != command.end() && list->is_array()) {
    for (const auto& id : *list) {
      if (id.is_string()) wanted.required.insert(id.get<std::string>());
    }
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

bool Supervisor::isUnattended() const { return keep_ && !isAttended(); }

bool Supervisor::hasFederates() const {
  return std::any_of(children_.begin(), children_.end(),
                     [](const auto& child) { return !child->plan.stopLast; });
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
  } else if (allEndedReported_ && (plan_.leads || hasFederates())) {
    // One that its federates were taken from may get others, until its RTI node ends with the home.
    beginStop("all federates have ended", Plan::longestGraceUnattended);
  } else if (over_) {
    beginStop("it has come to its stop time", Plan::longestGraceUnattended);
  } else if (keep_->stopAt && Clock::now() >= *keep_->stopAt) {
    beginStop("its time has passed", Plan::longestGraceUnattended);
  }
}

}  // namespace tutti::launcher
