// SPDX-License-Identifier: GPL-3.0-or-later
// Federates that come to a run, and leave it, while it goes on. The supervisors have the truth of
// it: whoever follows the run hears of each change from them, also one that comes later.
#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <QUuid>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

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

Json fromProcess(const PlannedProcess& process) {
  Plan plan;
  plan.processes = {process};
  return planToJson(plan)["processes"].front();
}

/// A process as it is in an event; nothing when this build does not understand it.
std::optional<PlannedProcess> processOf(const QJsonValue& value) {
  const Json process = fromQt(value);
  // What it waits for was checked by the supervisor, which knows all of the plan.
  const auto plan = planFromJson({{"version", Plan::version},
                                  {"elsewhere", process.value("wait_for", Json::array())},
                                  {"processes", Json::array({process})}});
  if (!plan) return std::nullopt;
  return plan->processes.front();
}

}  // namespace

QString RunChange::text() const {
  const auto named = [](const QString& name) {
    return name.isEmpty() ? QStringLiteral("this machine") : name;
  };
  switch (kind) {
    case Kind::Added:
      return QStringLiteral("%1 was added to the run").arg(federate);
    case Kind::Removed:
      return QStringLiteral("%1 was removed from the run").arg(federate);
    case Kind::Moved:
      return QStringLiteral("%1 was moved to %2 from %3").arg(federate, named(host), named(from));
    case Kind::Restarted:
      return QStringLiteral("%1 was started again on %2 (spare), for %3 is lost")
          .arg(federate, named(host), named(from));
    case Kind::Paced:
      return pace > 0 ? QStringLiteral("the pace was set to %1×").arg(pace)
                      : QStringLiteral("the pace was set to as fast as possible");
  }
  return {};
}

void Run::notePace(double wanted) {
  if (phase_ != Phase::Running || !(wanted >= 0)) return;
  // The first one is what it was started with.
  if (const double before = std::exchange(pace_, wanted).value_or(wanted); before == wanted) return;
  RunChange change{RunChange::Kind::Paced, {}, {}, QDateTime::currentDateTime()};
  change.pace = wanted;
  noteChange(std::move(change));
}

const char* Run::prospectOf(const ProcessStatus& process) {
  if (process.state == State::Running) return "ready";
  const bool awaited = process.alive() || process.state == State::Waiting || process.restartAt ||
                       !process.spare.isEmpty();
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
  entering_ = {};
  entering_.key = QUuid::createUuid().toString(QUuid::WithoutBraces);
  for (const auto& one : additions) {
    entering_.all << one.federate.name;
    entering_.awaited[one.federate.host] << one.federate.name;
  }
  entering_.onSeveralHosts = entering_.awaited.size() > 1;
  sendAdditions(additions, entering_.key);
}

void Run::startOnSpare(const std::vector<Addition>& additions) {
  sendAdditions(additions, QUuid::createUuid().toString(QUuid::WithoutBraces));
}

void Run::sendAdditions(const std::vector<Addition>& additions, const QString& key) {
  for (auto& part : parts_) {
    const QString host = part->agent->host();
    Plan plan;
    Json about = Json::object();
    for (const auto& one : additions) {
      if (one.federate.host != host) continue;
      plan.processes.push_back(one.process);
      Json& federate = about[one.process.id] = toJson(one.federate);
      const auto entered = entries_.find(one.federate.name);
      federate["entry"] = entered == entries_.end() ? 1 : entered->second + 1;
      federate["planned"] = fromProcess(one.planned.id.empty() ? one.process : one.planned);
      federate["added_with"] = key.toStdString();
      if (one.movedFrom) federate["moved_from"] = one.movedFrom->toStdString();
      if (one.movedFrom && !one.whyLost.isEmpty()) federate["lost"] = one.whyLost.toStdString();
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

void Run::noteEntered(const QString& host, const QString& id) {
  entering_.come << id;
  if (const auto there = entering_.awaited.find(host); there != entering_.awaited.end()) {
    there->second.removeAll(id);
    if (there->second.isEmpty()) entering_.awaited.erase(there);
  }
  if (entering_.refused) removeProcesses({id});
}

void Run::takeBackAdditions(const QString& host, const QString& why) {
  entering_.awaited.erase(host);
  if (!entering_.onSeveralHosts || std::exchange(entering_.refused, true)) return;
  removeProcesses(entering_.come);
  addTrouble({{},
              QStringLiteral("None of %1 was added to the run")
                  .arg(entering_.all.join(QStringLiteral(", "))),
              host.isEmpty() ? QStringLiteral("this machine") : host,
              why,
              QStringLiteral("What other hosts have taken of them is removed again. Correct it, "
                             "and add them together again.")});
}

bool Run::isTakingBack() const {
  return entering_.refused &&
         (!entering_.awaited.empty() ||
          std::any_of(entering_.come.begin(), entering_.come.end(),
                      [&](const QString& id) { return process(id) != nullptr; }));
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

void Run::setRequired(const QString& id, bool required) { send(id, "require", {{"on", required}}); }

void Run::handleRequired(const QString& id, bool required) {
  if (auto* one = find(id)) one->required = required;
  for (auto& federate : plan_.federates) {
    if (federate.name == id) federate.required = required;
  }
}

void Run::handleAdded(Part& part, const QJsonObject& event) {
  const QString id = event["id"].toString();
  const QString host = part.agent->host();
  const auto about = event["federate"].toObject();
  const int entry = about["entry"].toInt(1);
  RunChange change{RunChange::Kind::Added, id, host, timeOf(event)};
  if (about.contains(QStringLiteral("moved_from"))) {
    change.kind = RunChange::Kind::Moved;
    change.from = about["moved_from"].toString();
  }
  if (about.contains(QStringLiteral("lost"))) {
    change.kind = RunChange::Kind::Restarted;
    change.why = about["lost"].toString();
  }
  const QDateTime when = change.time;
  // Events of one supervisor come in order, those of two may not: one that has moved may be heard
  // of on its next host first. It is where it came last.
  int& last = entries_[id];
  const bool isNews = entry > last;
  last = std::max(last, entry);
  const auto* before = process(id);
  if (!isNews || (before != nullptr && before->host == host)) {
    // It was told again to one that comes later.
    noteChange(std::move(change));
    return;
  }
  auto process = processOf(event["process"]);
  if (!process) {
    addTrouble({id, QStringLiteral("%1 was added to the run, and is not shown here").arg(id), host,
                QStringLiteral("another version of Tutti has added it"),
                QStringLiteral("Use the same version for all that follow a run.")});
    return;
  }
  const bool isRestarted = change.kind == RunChange::Kind::Restarted;
  if (before != nullptr) takeOut(id, when, isRestarted);
  PlannedFederate federate = federateFromJson(fromQt(about));
  federate.name = id;
  federate.host = host;
  ProcessStatus status;
  status.id = id;
  status.host = host;
  status.required = federate.required;
  plan_.federates.push_back(std::move(federate));
  additions_[id] = processOf(about["planned"]).value_or(*process);
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
  const QString what = change.text();
  spares_.noteStarted(id);
  if (isRestarted) noteRestarted(change);
  noteChange(std::move(change));
  addLine({when, id, LogLine::Stream::Supervisor, what});
  emit federateAdded(id);
  if (about["added_with"].toString() == entering_.key) noteEntered(host, id);
}

void Run::handleRemoved(Part& part, const QJsonObject& event) {
  const QString id = event["id"].toString();
  noteChange({RunChange::Kind::Removed, id, part.agent->host(), timeOf(event)});
  const auto* gone = process(id);
  if (gone == nullptr || gone->isNode || gone->host != part.agent->host()) return;
  takeOut(id, timeOf(event));
}

/// All that come back from one host to one spare are told of at once.
void Run::noteRestarted(const RunChange& change) {
  auto& names = restarted_[{change.from, change.host}];
  names << change.federate;
  if (names.size() > 1) return;
  QTimer::singleShot(0, this, [this, from = change.from, to = change.host] {
    constexpr qsizetype mostNames = 4;
    QStringList those = std::exchange(restarted_[{from, to}], {});
    const auto more = those.size() - mostNames + 1;
    if (more > 1)
      those = those.mid(0, mostNames - 1) << QStringLiteral("%1 more federates").arg(more);
    addTrouble({{},
                QStringLiteral("%1 is lost: %2 started again on %3 (spare)")
                    .arg(from, those.join(QStringLiteral(", ")), to),
                to,
                {},
                {}});
  });
}

/// It is no process of the run any more; or comes to it again at once, and who waits for it goes on
/// to wait.
void Run::takeOut(const QString& id, const QDateTime& when, bool comesAgain) {
  const auto gone = std::find_if(processes_.begin(), processes_.end(),
                                 [&](const auto& one) { return one.id == id; });
  const auto* planned = plan_.process(id);
  const std::string key = id.toStdString();
  const auto waits = planned == nullptr ? std::vector<std::string>() : planned->waitFor;
  if (!comesAgain) tellElsewhere(id, "removed");
  Part* const part = partOf(id);
  removed_.push_back(*gone);
  processes_.erase(gone);
  std::erase_if(plan_.federates, [&](const auto& one) { return one.name == id; });
  additions_.erase(id);
  const auto dropFrom = [&](Plan& plan) {
    std::erase_if(plan.processes, [&](const auto& one) { return one.id == key; });
    if (comesAgain) return;
    for (auto& other : plan.processes) other.replaceWait(key, waits);
  };
  dropFrom(plan_.plan);
  if (part != nullptr) dropFrom(part->plan);
  if (comesAgain) {
    // It is no news that it was there no more.
    return;
  }
  for (auto& other : parts_) std::erase(other->plan.elsewhere, key);
  addLine({when, id, LogLine::Stream::Supervisor, QStringLiteral("removed from the run")});
  emit federateRemoved(id);
  reviewPhase();
}

const RunChange* Run::arrivalOf(const QString& id) const {
  const auto found = std::find_if(changes_.rbegin(), changes_.rend(), [&](const auto& one) {
    return one.federate == id && one.kind != RunChange::Kind::Removed;
  });
  return found == changes_.rend() ? nullptr : &*found;
}

void Run::noteChange(RunChange change) {
  if (std::find(changes_.begin(), changes_.end(), change) != changes_.end()) return;
  const auto later = std::find_if(changes_.begin(), changes_.end(),
                                  [&](const auto& one) { return one.time > change.time; });
  changes_.insert(later, std::move(change));
}

}  // namespace tutti::launcher
