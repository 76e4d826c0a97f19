// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/supervisor/plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

namespace tutti::launcher {
namespace {

constexpr std::size_t mostProcesses = 10'000;

using Json = nlohmann::json;

/// Thrown and caught inside this file only: reading a nested document by expected values would bury
/// the shape of the document under checks.
struct Refusal {
  std::string message;
};

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw Refusal{"launch plan, " + where + ": " + why};
}

void requireKeys(const Json& object, const std::string& where,
                 std::initializer_list<std::string_view> known) {
  if (!object.is_object()) refuse(where, "is not a JSON object");
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      refuse(where, "unknown key \"" + key + "\"");
  }
}

std::string text(const Json& object, const std::string& where, const char* key,
                 const std::string& fallback) {
  const auto found = object.find(key);
  if (found == object.end()) return fallback;
  if (!found->is_string()) refuse(where, std::string("\"") + key + "\" is not a text");
  auto value = found->get<std::string>();
  if (value.find('\0') != std::string::npos)
    refuse(where, std::string("\"") + key + "\" contains a zero byte");
  return value;
}

double number(const Json& object, const std::string& where, const char* key, double fallback) {
  const auto found = object.find(key);
  if (found == object.end()) return fallback;
  if (!found->is_number()) refuse(where, std::string("\"") + key + "\" is not a number");
  const auto value = found->get<double>();
  if (!std::isfinite(value) || value < 0 || value > 1e6)
    refuse(where, std::string("\"") + key + "\" is not between 0 and 1000000 seconds");
  return value;
}

int integer(const Json& object, const std::string& where, const char* key, int fallback, int least,
            int most) {
  const auto found = object.find(key);
  if (found == object.end()) return fallback;
  if (!found->is_number_integer()) refuse(where, std::string("\"") + key + "\" is not an integer");
  const auto value = found->get<long long>();
  if (value < least || value > most)
    refuse(where, std::string("\"") + key + "\" is not between " + std::to_string(least) + " and " +
                      std::to_string(most));
  return static_cast<int>(value);
}

bool boolean(const Json& object, const std::string& where, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return false;
  if (!found->is_boolean()) refuse(where, std::string("\"") + key + "\" is not true or false");
  return found->get<bool>();
}

std::vector<std::string> texts(const Json& object, const std::string& where, const char* key) {
  std::vector<std::string> result;
  const auto found = object.find(key);
  if (found == object.end()) return result;
  if (!found->is_array()) refuse(where, std::string("\"") + key + "\" is not a list of texts");
  for (const auto& element : *found) {
    if (!element.is_string()) refuse(where, std::string("\"") + key + "\" is not a list of texts");
    result.push_back(element.get<std::string>());
    if (result.back().find('\0') != std::string::npos)
      refuse(where, std::string("\"") + key + "\" contains a zero byte");
  }
  return result;
}

}  // namespace

std::uint16_t portNumber(const std::string& text) {
  std::uint16_t port = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  return error == std::errc() && stop == end ? port : 0;
}

namespace {

ReadyCondition readyCondition(const Json& process, const std::string& where) {
  ReadyCondition ready;
  const auto found = process.find("ready");
  if (found == process.end()) return ready;
  requireKeys(*found, where + ", ready", {"when", "text", "timeout_s", "after_s"});
  const auto when = text(*found, where + ", ready", "when", "started");
  if (when == "started") {
    ready.when = ReadyWhen::Started;
  } else if (when == "line") {
    ready.when = ReadyWhen::Line;
  } else if (when == "output") {
    ready.when = ReadyWhen::Output;
  } else if (when == "socket") {
    ready.when = ReadyWhen::Socket;
  } else if (when == "told") {
    ready.when = ReadyWhen::Told;
  } else if (when == "port") {
    ready.when = ReadyWhen::Port;
  } else if (when == "delay") {
    ready.when = ReadyWhen::Delay;
  } else {
    refuse(
        where + ", ready",
        "\"when\" is \"" + when +
            "\"; there are \"started\", \"line\", \"output\", \"socket\", \"told\", \"port\" and "
            "\"delay\"");
  }
  ready.text = text(*found, where + ", ready", "text", "");
  ready.timeoutSeconds = number(*found, where + ", ready", "timeout_s", ready.timeoutSeconds);
  ready.delaySeconds = number(*found, where + ", ready", "after_s", 0.0);
  const bool needsText = ready.when != ReadyWhen::Started && ready.when != ReadyWhen::Told &&
                         ready.when != ReadyWhen::Delay;
  if (needsText && ready.text.empty())
    refuse(where + ", ready", "\"" + when + "\" needs a \"text\"");
  if (ready.when == ReadyWhen::Port && portNumber(ready.text) == 0)
    refuse(where + ", ready", "\"" + ready.text + "\" is no TCP port from 1 to 65535");
  return ready;
}

RestartPolicy restartPolicy(const Json& process, const std::string& where) {
  RestartPolicy policy;
  const auto found = process.find("restart");
  if (found == process.end()) return policy;
  const std::string here = where + ", restart";
  requireKeys(*found, here, {"when", "limit", "backoff_s"});
  const auto when = text(*found, here, "when", "");
  if (when == "on-failure") {
    policy.when = RestartWhen::OnFailure;
  } else if (when == "always") {
    policy.when = RestartWhen::Always;
  } else if (when != "never") {
    refuse(here,
           "\"when\" is \"" + when + "\"; there are \"never\", \"on-failure\" and \"always\"");
  }
  policy.limit = integer(*found, here, "limit", policy.limit, 1, RestartPolicy::mostRestarts);
  policy.backoffSeconds = number(*found, here, "backoff_s", policy.backoffSeconds);
  if (policy.backoffSeconds > RestartPolicy::longestBackoffSeconds)
    refuse(here, "\"backoff_s\" is more than 60");
  return policy;
}

PlannedProcess process(const Json& json, std::size_t index) {
  auto where = "process " + std::to_string(index + 1);
  requireKeys(json, where,
              {"id", "command", "cwd", "env", "nice", "log_file", "start_order", "wait_for",
               "ready", "delay_s", "stop_last", "over_line", "gets_key", "restart"});
  PlannedProcess result;
  result.id = text(json, where, "id", "");
  if (result.id.empty()) refuse(where, "has no \"id\"");
  where = "process \"" + result.id + "\"";
  result.command = texts(json, where, "command");
  if (result.command.empty() || result.command.front().empty())
    refuse(where, "\"command\" names no executable");
  result.cwd = text(json, where, "cwd", "");
  result.logFile = text(json, where, "log_file", "");
  result.overLine = text(json, where, "over_line", "");
  result.waitFor = texts(json, where, "wait_for");
  result.ready = readyCondition(json, where);
  result.restart = restartPolicy(json, where);
  result.nice = integer(json, where, "nice", result.nice, -20, 19);
  result.startOrder = integer(json, where, "start_order", 0, -1000000, 1000000);
  result.delaySeconds = number(json, where, "delay_s", 0.0);
  result.stopLast = boolean(json, where, "stop_last");
  result.getsKey = boolean(json, where, "gets_key");
  if (const auto found = json.find("env"); found != json.end()) {
    if (!found->is_object()) refuse(where, "\"env\" is not a JSON object");
    for (const auto& [name, value] : found->items()) {
      if (name.empty() || name.find('=') != std::string::npos || !value.is_string())
        refuse(where, "\"env\" holds \"" + name + "\", which is not a name with a text");
      result.env[name] = value.get<std::string>();
    }
  }
  return result;
}

void requireSoundOrder(const Plan& plan) {
  std::map<std::string, const PlannedProcess*> byId;
  for (const auto& one : plan.processes) {
    if (!byId.emplace(one.id, &one).second) refuse("process \"" + one.id + "\"", "is listed twice");
  }
  const std::set<std::string> elsewhere(plan.elsewhere.begin(), plan.elsewhere.end());
  for (const auto& name : elsewhere) {
    if (byId.contains(name)) refuse("process \"" + name + "\"", "is also said to be elsewhere");
  }
  for (const auto& one : plan.processes) {
    for (const auto& name : one.waitFor) {
      if (!byId.contains(name) && !elsewhere.contains(name))
        refuse("process \"" + one.id + "\"",
               "waits for \"" + name + "\", which is not in the plan");
    }
  }
  // Depth-first, and not by recursion, as a plan may be anybody's: a process met again on the way
  // down waits for itself.
  struct Step {
    const PlannedProcess* process;
    std::size_t next = 0;  ///< of those that it waits for
  };
  enum class Mark { OnTheWay, Done };
  std::map<const PlannedProcess*, Mark> marks;
  for (const auto& first : plan.processes) {
    if (!marks.emplace(&first, Mark::OnTheWay).second) continue;
    std::vector<Step> path{{&first}};
    while (!path.empty()) {
      Step& last = path.back();
      if (last.next == last.process->waitFor.size()) {
        marks[last.process] = Mark::Done;
        path.pop_back();
        continue;
      }
      const std::string& id = last.process->waitFor[last.next++];
      if (elsewhere.contains(id)) continue;
      const PlannedProcess* const wanted = byId.at(id);
      const auto [known, isNew] = marks.emplace(wanted, Mark::OnTheWay);
      if (isNew) {
        path.push_back({wanted});
      } else if (known->second == Mark::OnTheWay) {
        auto at = std::find_if(path.begin(), path.end(),
                               [&](const Step& step) { return step.process == wanted; });
        std::string circle;
        for (; at != path.end(); ++at) circle += at->process->id + " waits for ";
        refuse("process \"" + id + "\"", "cannot start: " + circle + id);
      }
    }
  }
}

const char* name(ReadyWhen when) {
  switch (when) {
    case ReadyWhen::Started:
      return "started";
    case ReadyWhen::Line:
      return "line";
    case ReadyWhen::Output:
      return "output";
    case ReadyWhen::Socket:
      return "socket";
    case ReadyWhen::Told:
      return "told";
    case ReadyWhen::Port:
      return "port";
    case ReadyWhen::Delay:
      return "delay";
  }
  return "started";
}

}  // namespace

void PlannedProcess::replaceWait(const std::string& wait, const std::vector<std::string>& instead) {
  if (std::erase(waitFor, wait) == 0) return;
  for (const auto& other : instead) {
    if (std::find(waitFor.begin(), waitFor.end(), other) == waitFor.end()) waitFor.push_back(other);
  }
}

const char* nameOf(RestartWhen when) {
  switch (when) {
    case RestartWhen::Never:
      return "never";
    case RestartWhen::OnFailure:
      return "on-failure";
    case RestartWhen::Always:
      return "always";
  }
  return "never";
}

tl::expected<Plan, PlanError> planFromJson(const Json& json) {
  try {
    requireKeys(
        json, "top level",
        {"version", "run", "grace_s", "processes", "elsewhere", "silence_s", "leads", "launch"});
    const auto version = json.find("version");
    if (version == json.end()) refuse("top level", "has no \"version\"");
    if (*version != Plan::version)
      refuse("top level", "version " + version->dump() + " is unknown; this build reads version " +
                              std::to_string(Plan::version));
    Plan plan;
    plan.run = text(json, "top level", "run", "");
    plan.graceSeconds = number(json, "top level", "grace_s", plan.graceSeconds);
    plan.silenceSeconds = number(json, "top level", "silence_s", plan.silenceSeconds);
    plan.leads = boolean(json, "top level", "leads");
    plan.elsewhere = texts(json, "top level", "elsewhere");
    const auto processes = json.find("processes");
    if (processes == json.end() || !processes->is_array())
      refuse("top level", "has no list \"processes\"");
    if (processes->size() > mostProcesses)
      refuse("top level", "lists more than " + std::to_string(mostProcesses) + " processes");
    for (std::size_t index = 0; index < processes->size(); ++index)
      plan.processes.push_back(process((*processes)[index], index));
    requireSoundOrder(plan);
    return plan;
  } catch (const Refusal& refusal) {
    return tl::unexpected(PlanError{refusal.message});
  }
}

tl::expected<Plan, PlanError> planFromText(const std::string& text) {
  try {
    return planFromJson(Json::parse(text));
  } catch (const Json::parse_error& error) {
    return tl::unexpected(PlanError{std::string("launch plan is not JSON: ") + error.what()});
  }
}

Json planToJson(const Plan& plan) {
  Json json = {{"version", Plan::version}, {"run", plan.run}, {"grace_s", plan.graceSeconds}};
  if (!plan.elsewhere.empty()) json["elsewhere"] = plan.elsewhere;
  if (plan.leads) json["leads"] = true;
  if (plan.silenceSeconds > 0) json["silence_s"] = plan.silenceSeconds;
  auto& list = json["processes"] = Json::array();
  for (const auto& one : plan.processes) {
    Json entry = {{"id", one.id}, {"command", one.command}, {"nice", one.nice}};
    if (!one.cwd.empty()) entry["cwd"] = one.cwd;
    if (!one.env.empty()) entry["env"] = one.env;
    if (!one.logFile.empty()) entry["log_file"] = one.logFile;
    if (!one.waitFor.empty()) entry["wait_for"] = one.waitFor;
    if (one.startOrder != 0) entry["start_order"] = one.startOrder;
    if (one.delaySeconds > 0) entry["delay_s"] = one.delaySeconds;
    if (one.stopLast) entry["stop_last"] = true;
    if (one.getsKey) entry["gets_key"] = true;
    if (!one.overLine.empty()) entry["over_line"] = one.overLine;
    if (one.ready != ReadyCondition{}) {
      auto& ready = entry["ready"] = Json{{"when", name(one.ready.when)}};
      if (!one.ready.text.empty()) ready["text"] = one.ready.text;
      ready["timeout_s"] = one.ready.timeoutSeconds;
      if (one.ready.when == ReadyWhen::Delay) ready["after_s"] = one.ready.delaySeconds;
    }
    if (one.restart != RestartPolicy{}) {
      entry["restart"] = {{"when", nameOf(one.restart.when)},
                          {"limit", one.restart.limit},
                          {"backoff_s", one.restart.backoffSeconds}};
    }
    list.push_back(std::move(entry));
  }
  return json;
}

}  // namespace tutti::launcher
