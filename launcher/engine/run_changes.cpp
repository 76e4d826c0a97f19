// SPDX-License-Identifier: GPL-3.0-or-later
// Federates that come to a run, and leave it, while it goes on. The supervisors have the truth of
// it: whoever follows the run hears of each change from them, also one that comes later.
#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "launcher/engine/run.h"

namespace tutti::launcher {

namespace {

using Json = nlohmann::json;
using State = ProcessStatus::State;

Json fromQt(const QJsonValue& value) {
  const auto bytes = QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact);
  return Json::parse(bytes.begin(), bytes.end());
}

QDateTime timeOf(const QJsonObject& event) {
  return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(event["time_ms"].toDouble()));
}

/// The process of an event; nothing when this build does not understand it.
std::optional<PlannedProcess> processOf(const QJsonObject& event) {
  const Json process = fromQt(event["process"]);
  // What it waits for was checked by the supervisor, which knows all of the plan.
  const auto plan = planFromJson({{"version", Plan::version},
                                  {"elsewhere", process.value("wait_for", Json::array())},
                                  {"processes", Json::array({process})}});
  if (!plan) return std::nullopt;
  return plan->processes.front();
}

}  // namespace

const char* Run::prospectOf(const ProcessStatus& process) {
  if (process.state == State::Running) return "ready";
  const bool awaited = process.alive() || process.state == State::Waiting || process.restartAt;
  return awaited ? "awaited" : "never";
}

bool Run::isAttended() const { return !watches_ || (!parts_.empty() && parts_.front()->attended); }

QString Run::whyNotAdd(const QString& host) const {
  if (phase_ == Phase::Stopping || isOver())
    return QStringLiteral("The run %1 is being stopped, or has ended.").arg(plan_.run);
  if (phase_ != Phase::Starting && phase_ != Phase::Running)
    return QStringLiteral("The run %1 has not started yet.").arg(plan_.run);
  for (const auto& part : parts_) {
    if (part->agent->host() != host) continue;
    if (!part->over && part->agent->isConnected()) return {};
    return host.isEmpty()
               ? QStringLiteral("The supervisor of this machine is not reached.")
               : QStringLiteral("The host %1 is out of reach, or what ran there has ended.")
                     .arg(host);
  }
  QStringList hosts{QStringLiteral("this machine")};
  for (const auto& one : plan_.hosts) hosts << one.host.name;
  return QStringLiteral("%1 is no host of the run %2, which uses %3.")
      .arg(host, plan_.run, hosts.join(QStringLiteral(", ")));
}

void Run::add(const std::vector<Addition>& additions) {
  for (auto& part : parts_) {
    const QString host = part->agent->host();
    Plan plan;
    Json about = Json::object();
    for (const auto& one : additions) {
      if (one.federate.host != host) continue;
      plan.processes.push_back(one.process);
      about[one.process.id] = toJson(one.federate);
    }
    if (plan.processes.empty()) continue;
    Json elsewhere = Json::object();
    for (const auto& process : plan.processes) {
      for (const auto& name : process.waitFor) {
        if (about.contains(name)) continue;
        const auto* other = find(QString::fromStdString(name));
        if (other != nullptr && other->host == host) continue;
        elsewhere[name] = other == nullptr ? "awaited" : prospectOf(*other);
      }
    }
    const Json command = {{"do", "add"},
                          {"processes", planToJson(plan)["processes"]},
                          {"federates", about},
                          {"elsewhere", elsewhere}};
    part->agent->sendLine(
        QByteArray::fromStdString(command.dump(-1, ' ', false, Json::error_handler_t::replace)));
  }
}

void Run::removeProcesses(const QStringList& ids) {
  if (phase_ == Phase::Stopping || isOver()) return;
  QStringList those;
  for (const QString& id : ids) {
    auto* one = find(id);
    if (one == nullptr || one->isNode) continue;
    if (one->alive()) one->endAsked = true;
    those << id;
  }
  sendAll(those, "remove");
}

void Run::handleAdded(Part& part, const QJsonObject& event) {
  const QString id = event["id"].toString();
  const QString host = part.agent->host();
  if (find(id) == nullptr) {
    auto process = processOf(event);
    if (!process) {
      addTrouble({id, QStringLiteral("%1 was added to the run, and is not shown here").arg(id),
                  host, QStringLiteral("another version of Tutti has added it"),
                  QStringLiteral("Use the same version for all that follow a run.")});
      return;
    }
    PlannedFederate federate = federateFromJson(fromQt(event["federate"]));
    federate.name = id;
    federate.host = host;
    ProcessStatus status;
    status.id = id;
    status.host = host;
    status.required = federate.required;
    plan_.federates.push_back(std::move(federate));
    part.plan.processes.push_back(*process);
    plan_.plan.processes.push_back(std::move(*process));
    processes_.push_back(status);
    if (std::none_of(lines_.begin(), lines_.end(), [&](const auto& one) { return one.id == id; }))
      lines_.push_back({id, {}});
    part.plan.elsewhere.clear();
    for (const auto& one : event["elsewhere"].toArray())
      part.plan.elsewhere.push_back(one.toString().toStdString());
    for (const auto& one : processes_) {
      if (one.host != host) tellElsewhere(one.id, prospectOf(one));
    }
    // Who is required is said anew.
    if (kept_ && !watches_) keepPart(part, true);
    noteChange({RunChange::Kind::Added, id, host, timeOf(event)});
    addLine({timeOf(event), id, LogLine::Stream::Supervisor, QStringLiteral("added to the run")});
    emit federateAdded(id);
    return;
  }
  // It was told again to one that comes later.
  noteChange({RunChange::Kind::Added, id, host, timeOf(event)});
}

void Run::handleRemoved(Part& part, const QJsonObject& event) {
  const QString id = event["id"].toString();
  noteChange({RunChange::Kind::Removed, id, part.agent->host(), timeOf(event)});
  const auto gone = std::find_if(processes_.begin(), processes_.end(),
                                 [&](const auto& one) { return one.id == id; });
  if (gone == processes_.end() || gone->isNode) return;
  const auto* planned = plan_.process(id);
  const std::string key = id.toStdString();
  const auto waits = planned == nullptr ? std::vector<std::string>() : planned->waitFor;
  tellElsewhere(id, "removed");
  removed_.push_back(*gone);
  processes_.erase(gone);
  std::erase_if(plan_.federates, [&](const auto& one) { return one.name == id; });
  for (Plan* plan : {&plan_.plan, &part.plan}) {
    std::erase_if(plan->processes, [&](const auto& one) { return one.id == key; });
    for (auto& other : plan->processes) other.replaceWait(key, waits);
  }
  for (auto& other : parts_) std::erase(other->plan.elsewhere, key);
  addLine({timeOf(event), id, LogLine::Stream::Supervisor, QStringLiteral("removed from the run")});
  emit federateRemoved(id);
  reviewPhase();
}

void Run::noteChange(RunChange change) {
  if (std::find(changes_.begin(), changes_.end(), change) == changes_.end())
    changes_.push_back(std::move(change));
}

}  // namespace tutti::launcher
