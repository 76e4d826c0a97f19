// SPDX-License-Identifier: GPL-3.0-or-later
// Federates that come to a plan, and leave it, while it runs.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "launcher/engine/supervisor/supervisor.h"

namespace tutti::launcher {

using Json = nlohmann::json;

namespace {

Json objectOf(const Json& command, const char* key) {
  const auto found = command.find(key);
  return found != command.end() && found->is_object() ? *found : Json::object();
}

bool contains(const std::vector<std::string>& list, const std::string& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

}  // namespace

/// All of a command or, when anything of it does not fit the plan, nothing: whoever sent it may be
/// gone before it is read.
void Supervisor::add(const Json& command) {
  // Without an id: a process of that name may be there, and is none the worse for it.
  const auto refuse = [&](const std::string& why, const std::string& next) {
    answer({{"event", "error"},
            {"what", "no federate was added"},
            {"where", plan_.run},
            {"why", why},
            {"next", next}});
  };
  if (stopping_) return refuse("the run is being stopped", "Start a new run.");
  Plan whole = plan_;
  whole.processes.clear();
  for (const auto& child : children_) whole.processes.push_back(child->plan);
  const auto elsewhere = objectOf(command, "elsewhere");
  for (const auto& [id, state] : elsewhere.items()) {
    if (!contains(whole.elsewhere, id) && find(id) == nullptr) whole.elsewhere.push_back(id);
  }
  const std::size_t before = whole.processes.size();
  const auto list = command.find("processes");
  const auto comes = [&](const std::string& id) {
    return list != command.end() && list->is_array() &&
           std::any_of(list->begin(), list->end(), [&](const Json& one) {
             return one.is_object() && one.contains("id") && one["id"] == id;
           });
  };
  // One that was elsewhere until now: whoever waits for it here goes on to wait.
  std::erase_if(whole.elsewhere, comes);
  Json json = planToJson(whole);
  if (list == command.end() || !list->is_array() || list->empty())
    return refuse("the command names no processes", "Send them as a launch plan has them.");
  for (const auto& one : *list) {
    const auto id = one.is_object() && one.contains("id") && one["id"].is_string()
                        ? one["id"].get<std::string>()
                        : std::string();
    if (find(id) != nullptr)
      return refuse(id + " is in the run already", "Start it, if it does not run.");
    json["processes"].push_back(one);
  }
  auto plan = planFromJson(json);
  if (!plan) return refuse(plan.error().message, "Correct it, and add it again.");
  for (std::size_t index = before; index < plan->processes.size(); ++index) {
    const auto& one = plan->processes[index];
    if (one.stopLast || one.getsKey)
      return refuse(one.id + " is no federate", "An RTI node comes with a new run only.");
  }
  const auto about = objectOf(command, "federates");
  plan_.elsewhere = plan->elsewhere;
  std::erase_if(elsewhere_, [&](const auto& one) { return comes(one.first); });
  for (const auto& [id, state] : elsewhere.items()) {
    if (find(id) != nullptr) continue;
    elsewhere_.emplace(id, state == "ready"   ? Prospect::Ready
                           : state == "never" ? Prospect::Never
                                              : Prospect::Awaited);
  }
  for (std::size_t index = before; index < plan->processes.size(); ++index) {
    const auto& one = plan->processes[index];
    const Json federate = objectOf(about, one.id.c_str());
    children_.push_back(std::make_unique<Child>(one));
    // Whoever leaves the run alone has said who is required; of these it did not know.
    if (keep_ && federate.contains("required") && federate["required"] == true)
      keep_->required.insert(one.id);
    Json event = {{"event", "added"},
                  {"id", one.id},
                  {"process", (*list)[index - before]},
                  {"federate", federate},
                  {"elsewhere", plan_.elsewhere},
                  {"time_ms", wallClockMs()}};
    if (speaker_ != nullptr && speaker_ != owner_) event["by"] = speaker_->process();
    changes_.push_back(eventText(event));
    emit(std::move(event));
  }
  std::stable_sort(children_.begin(), children_.end(), [](const auto& a, const auto& b) {
    return a->plan.startOrder < b->plan.startOrder;
  });
  allEndedReported_ = false;
}

void Supervisor::remove(Child& child, double graceSeconds) {
  child.removing = true;
  child.endAsked = true;
  child.restartAsked = false;
  if (child.state == State::Running)
    stopOne(child, graceSeconds);
  else if (child.state == State::BackOff)
    cancelRestart(child, "it was removed from the run");
  else if (child.state == State::Waiting)
    child.state = State::NotStarted;
}

void Supervisor::require(const Child& child, bool on) {
  const std::string& id = child.plan.id;
  if (keep_ && on) keep_->required.insert(id);
  if (keep_ && !on) keep_->required.erase(id);
  Json event = {{"event", "required"}, {"id", id}, {"on", on}, {"time_ms", wallClockMs()}};
  changes_.push_back(eventText(event));
  emit(std::move(event));
}

void Supervisor::forgetRemoved() {
  bool any = false;
  for (std::size_t index = 0; index < children_.size();) {
    Child& child = *children_[index];
    // What is left of its process group is ended by its number, which it keeps until then.
    if (!child.removing || child.state == State::Running || child.groupKillAt) {
      ++index;
      continue;
    }
    if (child.droppedLines != 0)
      emit({{"event", "dropped"}, {"id", child.plan.id}, {"lines", child.droppedLines}});
    const PlannedProcess plan = child.plan;
    children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(index));
    if (keep_) keep_->required.erase(plan.id);
    dropFromWaits(plan.id, plan.waitFor);
    Json event = {{"event", "removed"}, {"id", plan.id}, {"time_ms", wallClockMs()}};
    changes_.push_back(eventText(event));
    emit(std::move(event));
    any = true;
  }
  if (!any || stopping_) return;
  reviveBlocked();
  reportAllEnded();
}

void Supervisor::dropFromWaits(const std::string& id, const std::vector<std::string>& instead) {
  for (auto& child : children_) child->plan.replaceWait(id, instead);
}

void Supervisor::tellChanges(ClientChannel& client) const {
  for (const auto& change : changes_) client.tell(change);
}

}  // namespace tutti::launcher
