// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_preparation.h"

#include <QCoreApplication>
#include <QPointer>
#include <QStringList>
#include <QThreadPool>
#include <algorithm>
#include <utility>

#include "launcher/engine/slurm_nodes.h"
#include "launcher/engine/slurm_replace.h"

namespace tutti::app {

using launcher::HostPreparation;
using launcher::LaunchPlan;
using launcher::QueuePlace;

namespace {

void toWindow(std::function<void()> what) {
  QMetaObject::invokeMethod(QCoreApplication::instance(), std::move(what), Qt::QueuedConnection);
}

}  // namespace

launcher::Allocations givenBackInPool(launcher::Allocations allocations) {
  for (auto& one : allocations) {
    launcher::Allocation* const same = one.get();
    one = std::shared_ptr<launcher::Allocation>(same, [owned = std::move(one)](
                                                          launcher::Allocation* last) mutable {
      last->end();
      QThreadPool::globalInstance()->start([waits = std::move(owned)]() mutable { waits.reset(); });
    });
  }
  return allocations;
}

RunPreparation::Ways RunPreparation::usual() {
  return {[](LaunchPlan& plan, const std::stop_token& stop,
             const std::function<void(const QueuePlace&)>& queue) {
            return launcher::prepareHosts(plan, true, {}, stop, queue);
          },
          [](const launcher::Cluster& cluster, qint64 job, const std::stop_token& stop) {
            return launcher::awaitGone(cluster, job, stop);
          }};
}

RunPreparation::RunPreparation(Ways ways, QObject* parent)
    : QObject(parent), ways_(std::move(ways)) {}

RunPreparation::~RunPreparation() {
  looking_.request_stop();
  stop();
}

std::shared_ptr<const LaunchPlan> RunPreparation::submitted() const {
  const auto& attempt = current_ ? current_ : next_;
  return attempt && !attempt->places.empty() ? attempt->plan : nullptr;
}

std::vector<QueuePlace> RunPreparation::places() const {
  const auto& attempt = current_ ? current_ : next_;
  if (!attempt) return {};
  std::vector<QueuePlace> waiting;
  for (const QueuePlace& place : attempt->places) {
    if (place.waits) waiting.push_back(place);
  }
  return waiting;
}

void RunPreparation::begin(LaunchPlan plan) {
  stop();
  current_ = start(std::move(plan));
  Q_EMIT changed();
}

void RunPreparation::replace(LaunchPlan plan) {
  if (!isActive()) return begin(std::move(plan));
  if (isReplacing()) return;
  next_ = start(std::move(plan));
  Q_EMIT changed();
}

void RunPreparation::stop() {
  if (!isActive()) return;
  for (auto* attempt : {&current_, &next_}) {
    if (*attempt) (*attempt)->stop.request_stop();
    attempt->reset();
  }
  Q_EMIT changed();
}

RunPreparation::Attempt RunPreparation::start(LaunchPlan plan) {
  Attempt attempt;
  attempt.id = ++lastId_;
  attempt.requests = launcher::requestsOf(plan);
  attempt.plan = std::make_shared<const LaunchPlan>(plan);
  QThreadPool::globalInstance()->start([plan = std::move(plan), id = attempt.id,
                                        stop = attempt.stop.get_token(), prepare = ways_.prepare,
                                        self = QPointer<RunPreparation>(this)]() mutable {
    auto preparation = prepare(plan, stop, [&](const QueuePlace& place) {
      toWindow([self, id, place] {
        if (self) self->takePlace(id, place);
      });
    });
    // A window that has let go of it, or of the run that it was for, does not wait for Slurm.
    preparation.allocations = givenBackInPool(std::move(preparation.allocations));
    toWindow([self, id, plan = std::move(plan), preparation = std::move(preparation)] {
      if (self) self->take(id, plan, preparation);
    });
  });
  return attempt;
}

RunPreparation::Attempt* RunPreparation::find(quint64 id) {
  for (auto* attempt : {&current_, &next_}) {
    if (*attempt && (*attempt)->id == id) return &**attempt;
  }
  return nullptr;
}

bool RunPreparation::isAccepted(const Attempt& attempt) {
  // One that is to have its nodes now or not at all may still be refused while it waits.
  const bool isPatient = std::none_of(attempt.requests.begin(), attempt.requests.end(),
                                      [](const auto& one) { return one.cluster.immediate; });
  const auto counts = [&](const QueuePlace& place) { return isPatient || !place.waits; };
  return static_cast<std::size_t>(std::count_if(attempt.places.begin(), attempt.places.end(),
                                                counts)) >= attempt.requests.size() &&
         !attempt.requests.empty();
}

void RunPreparation::takePlace(quint64 id, const QueuePlace& place) {
  Attempt* attempt = find(id);
  if (attempt == nullptr) return;
  const auto known = std::find_if(
      attempt->places.begin(), attempt->places.end(),
      [&](const QueuePlace& one) { return one.cluster == place.cluster && one.job == place.job; });
  if (known == attempt->places.end())
    attempt->places.push_back(place);
  else
    *known = place;
  if (next_ && next_->id == id && current_ && isAccepted(*next_)) takeOver();
  Q_EMIT changed();
}

void RunPreparation::takeOver() {
  Attempt old = *std::exchange(current_, std::exchange(next_, std::nullopt));
  old.stop.request_stop();
  QList<qint64> jobs;
  for (const QueuePlace& place : old.places) {
    const auto request =
        std::find_if(old.requests.begin(), old.requests.end(), [&](const auto& one) {
          return one.cluster.name == place.cluster && one.partition == place.partition;
        });
    if (request == old.requests.end()) continue;
    jobs << place.job;
    QThreadPool::globalInstance()->start([cluster = request->cluster, job = place.job,
                                          awaitGone = ways_.awaitGone, stop = looking_.get_token(),
                                          self = QPointer<RunPreparation>(this)] {
      const auto gone = awaitGone(cluster, job, stop);
      if (gone || stop.stop_requested()) return;
      toWindow([self, cluster = cluster.name, job, why = gone.error().message()] {
        if (self) Q_EMIT self->notCancelled(cluster, job, why);
      });
    });
  }
  Q_EMIT replaced(jobs);
}

void RunPreparation::take(quint64 id, const LaunchPlan& plan, const HostPreparation& preparation) {
  if (find(id) == nullptr) return;
  const bool isReady = launcher::mayRun(preparation.checks);
  if (next_ && next_->id == id) {
    if (!isReady && current_) {
      next_.reset();
      QStringList whys;
      for (const auto& check : preparation.checks) {
        if (check.level == launcher::PreflightCheck::Level::Error)
          whys << check.title + QStringLiteral(": ") + check.detail;
      }
      Q_EMIT notReplaced(whys.join(QStringLiteral("; ")));
      Q_EMIT changed();
      return;
    }
    if (current_)
      takeOver();
    else
      current_ = std::exchange(next_, std::nullopt);
  }
  current_.reset();
  if (next_) {
    if (!isReady) {
      // The old job is over, and the new one is still on its way.
      current_ = std::exchange(next_, std::nullopt);
      Q_EMIT changed();
      return;
    }
    next_->stop.request_stop();
    next_.reset();
    Q_EMIT notReplaced(
        tr("It got its nodes before Slurm had the new one, so it runs as it was submitted"));
  }
  Q_EMIT prepared(plan, preparation);
  Q_EMIT changed();
}

}  // namespace tutti::app
