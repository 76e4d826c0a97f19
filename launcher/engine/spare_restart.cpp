// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/spare_restart.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>
#include <algorithm>
#include <utility>

#include "launcher/engine/run.h"
#include "launcher/engine/run_additions.h"

namespace tutti::launcher {

namespace {

constexpr int pollMs = 100;
/// After the grace of the links the RTI has given up a host that is lost.
constexpr qint64 longestWaitMs = 30000;

QString withStop(QString sentence) {
  if (!sentence.isEmpty() && !sentence.endsWith(u'.')) sentence += u'.';
  return sentence;
}

}  // namespace

Placement chooseSpares(const LaunchPlan& plan, const QStringList& federates,
                       const QStringList& spares, const std::vector<PlacedFederate>& taken) {
  PlacementInput input;
  for (const QString& name : spares) {
    if (const auto* host = plan.host(name))
      input.hosts.push_back({name, host->host.cores, host->host.memoryMb, host->host.labels});
  }
  const auto needsOf = [&](const QString& name) {
    const auto* federate = plan.federate(name);
    return federate == nullptr ? std::optional<FederateNeeds>() : federate->spareNeeds;
  };
  for (const auto& one : taken) {
    const auto needs = needsOf(one.federate);
    for (auto& host : input.hosts) {
      if (!needs || host.name != one.host) continue;
      host.coresInUse += needs->cores;
      host.memoryInUseMb += needs->memoryMb;
      // Only who must be apart from it minds it.
      input.federates.push_back({one.federate, 0, 0, {}, {}, one.host, needs->apart});
    }
  }
  for (const QString& name : federates) {
    if (const auto needs = needsOf(name))
      input.federates.push_back({name,
                                 needs->cores,
                                 needs->memoryMb,
                                 needs->labels,
                                 plan.federate(name)->group,
                                 {},
                                 needs->apart});
  }
  Placement placement = place(input);
  std::erase_if(placement.placed,
                [&](const auto& one) { return !federates.contains(one.federate); });
  return placement;
}

SpareRestart::SpareRestart(Run& run, QObject* parent) : QObject(parent), run_(run) {
  poll_.setInterval(pollMs);
  connect(&poll_, &QTimer::timeout, this, &SpareRestart::look);
}

QStringList SpareRestart::usableSpares() const {
  QStringList result;
  QStringList unheard;
  for (const auto& host : run_.hosts()) {
    const auto* planned = run_.plan().host(host.name);
    const bool isUp = host.state == HostStatus::State::Up;
    if (planned == nullptr || !planned->spare) continue;
    if (!isUp && host.state != HostStatus::State::Unreachable) continue;
    const auto* node = run_.process(planned->nodeProcess);
    const bool runs =
        node != nullptr && (node->alive() || node->state == ProcessStatus::State::Waiting);
    if (runs && run_.whyNotAdd(host.name).isEmpty()) (isUp ? result : unheard) << host.name;
  }
  // What cuts one host off may cut others off for a moment.
  return result.isEmpty() ? unheard : result;
}

QString SpareRestart::begin(const QString& host, const QStringList& federates,
                            const QString& whyLost) {
  const LaunchPlan& plan = run_.plan();
  for (const QString& name : federates) {
    const auto* federate = plan.federate(name);
    if (federate != nullptr && federate->spareNeeds) continue;
    const auto* process = plan.process(name);
    return process != nullptr && process->restart.when == RestartWhen::Never
               ? QStringLiteral("%1 is not started again, as its restart policy is \"never\".")
                     .arg(name)
               : QStringLiteral("%1 was not prepared for a spare host before the run started.")
                     .arg(name);
  }
  const QStringList spares = usableSpares();
  if (spares.isEmpty()) return QStringLiteral("No spare host is left.");
  std::vector<PlacedFederate> taken;
  for (const auto& one : run_.processes()) {
    const bool isThere = one.alive() || one.restartAt || one.state == ProcessStatus::State::Waiting;
    if (!one.isNode && isThere && spares.contains(one.host))
      taken.push_back({one.id, one.host, {}});
  }
  for (const auto& one : restarts_) taken.push_back({one.federate, one.spare, {}});
  const Placement placement = chooseSpares(plan, federates, spares, taken);
  if (!placement.refused.empty()) {
    const auto isNew = [&](const auto& one) { return federates.contains(one.federate); };
    const auto found = std::find_if(placement.refused.begin(), placement.refused.end(), isNew);
    const auto& first = found == placement.refused.end() ? placement.refused.front() : *found;
    return QStringLiteral("No spare host takes %1: %2").arg(first.federate, first.reason);
  }
  for (const auto& one : placement.placed) {
    const QString chosen =
        spares.size() == 1
            ? QStringLiteral("It is the only spare host that is left.")
            : QStringLiteral("Of the spare hosts %1 it was chosen for what %2 needs.")
                  .arg(spares.join(QStringLiteral(", ")), one.federate);
    restarts_.push_back(
        {one.federate, host, one.host,
         QStringLiteral("%1 is lost: %2 %3: %4").arg(host, withStop(whyLost), one.host, chosen)});
    restarts_.back().since.start();
  }
  poll_.start();
  return {};
}

QString SpareRestart::spareOf(const QString& federate) const {
  for (const auto& one : restarts_) {
    if (one.federate == federate) return one.spare;
  }
  return {};
}

void SpareRestart::look() {
  if (run_.phase() == Run::Phase::Stopping || run_.isOver()) restarts_.clear();
  const bool waits = std::any_of(restarts_.begin(), restarts_.end(),
                                 [](const Restart& one) { return !one.isSent; });
  if (!waits) {
    poll_.stop();
    return;
  }
  if (asking_) return;
  asking_ = true;
  if (!joined_) joined_ = joinedAtNode(run_.plan().designator(), run_.plan().federation);
  QThreadPool::globalInstance()->start([source = joined_, self = QPointer<SpareRestart>(this)] {
    auto joined = source();
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, joined = std::move(joined)] {
          if (!self) return;
          self->asking_ = false;
          QStringList free;
          for (const auto& one : std::vector(self->restarts_)) {
            if (one.isSent) continue;
            const bool isJoined =
                !joined || std::any_of(joined->begin(), joined->end(), [&](const auto& each) {
                  return each.now && each.name == one.federate;
                });
            const LaunchPlan& plan = self->run_.plan();
            const auto grace = static_cast<qint64>(1000 * (plan.grace + plan.longestWait));
            if (!isJoined)
              free << one.federate;
            else if (one.since.elapsed() > grace + longestWaitMs)
              self->giveUp(one, QStringLiteral("%1 is still joined: it may go on running on %2.")
                                    .arg(one.federate, one.from));
          }
          if (!free.isEmpty()) self->send(free);
        },
        Qt::QueuedConnection);
  });
}

void SpareRestart::send(const QStringList& federates) {
  std::vector<Restart> those;
  for (auto& one : restarts_) {
    if (one.isSent || !federates.contains(one.federate)) continue;
    one.isSent = true;
    those.push_back(one);
  }
  // In a thread of its own: plans are read.
  QThreadPool::globalInstance()->start([plan = run_.plan(), planned = run_.plannedAdditions(),
                                        those, self = QPointer<SpareRestart>(this)] {
    std::vector<std::pair<Restart, tl::expected<Addition, QString>>> made;
    for (const auto& one : those)
      made.emplace_back(one, planOnSpare(plan, planned, one.federate, one.spare));
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, made = std::move(made)]() mutable {
          if (!self) return;
          std::vector<Addition> additions;
          for (auto& [restart, addition] : made) {
            // Meanwhile it may go to another spare, as this one is lost too.
            if (self->spareOf(restart.federate) != restart.spare) continue;
            if (!addition) {
              self->giveUp(restart, withStop(addition.error()));
              continue;
            }
            addition->movedFrom = restart.from;
            addition->whyLost = restart.why;
            additions.push_back(std::move(*addition));
          }
          if (!additions.empty()) self->run_.startOnSpare(additions);
        },
        Qt::QueuedConnection);
  });
}

void SpareRestart::noteLost(const QString& host, const QString& why) {
  std::vector<Restart> those;
  std::copy_if(restarts_.begin(), restarts_.end(), std::back_inserter(those),
               [&](const Restart& one) { return one.spare == host; });
  std::erase_if(restarts_, [&](const Restart& one) { return one.spare == host; });
  for (const auto& one : those) {
    if (const QString whyNot = begin(one.from, {one.federate}, why); !whyNot.isEmpty())
      Q_EMIT failed(one.federate, one.from, whyNot);
  }
}

void SpareRestart::noteRefused(const QString& host, const QString& why) {
  for (const auto& one : std::vector(restarts_)) {
    if (one.spare == host && one.isSent) giveUp(one, withStop(why));
  }
}

void SpareRestart::noteStarted(const QString& federate) {
  std::erase_if(restarts_, [&](const Restart& one) { return one.federate == federate; });
}

void SpareRestart::giveUp(const Restart& restart, const QString& why) {
  const auto [federate, from] = std::pair(restart.federate, restart.from);
  std::erase_if(restarts_, [&](const Restart& one) { return one.federate == federate; });
  Q_EMIT failed(federate, from, why);
}

}  // namespace tutti::launcher
