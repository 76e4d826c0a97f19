// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/going_runs.h"

#include <QDateTime>
#include <algorithm>
#include <utility>

#include "app/in_pool.h"
#include "resources/theme/format.h"

namespace tutti::app {

using theme::RunTrouble;

void GoingRuns::lookForKept() {
  inPool(
      this, [] { return launcher::keptRuns(); },
      [this](const std::vector<launcher::KeptRun>& found) {
        kept_ = found;
        Q_EMIT keptChanged();
      });
}

void GoingRuns::forgetKept(const QString& run) {
  std::erase_if(kept_, [&](const launcher::KeptRun& kept) { return kept.plan.run == run; });
}

QList<RunTrouble> GoingRuns::troubles() const {
  QList<RunTrouble> result;
  for (const launcher::KeptRun& kept : kept_) {
    const QString name = kept.plan.federation;
    RunTrouble trouble;
    trouble.state = theme::State::Info;
    trouble.id = QStringLiteral("kept/") + kept.plan.run;
    trouble.title = tr("%1 keeps running without a window").arg(name);
    trouble.detail =
        tr("%1 of run %2, kept since %3.")
            .arg(theme::formatNoun(static_cast<qint64>(kept.plan.federates.size()), tr("federate"),
                                   tr("federates")),
                 kept.plan.run, theme::formatWhen(kept.since, QDateTime::currentDateTime()));
    trouble.brief = tr("%1 goes on").arg(name);
    trouble.pill = tr("Not running");
    auto* self = const_cast<GoingRuns*>(this);
    trouble.actions << RunTrouble::Action{
        tr("Watch %1").arg(name), [self, plan = kept.plan] { Q_EMIT self->attachRequested(plan); }};
    trouble.actions << RunTrouble::Action{
        tr("Stop %1").arg(name), [self, plan = kept.plan] { Q_EMIT self->stopRequested(plan); }};
    result << trouble;
  }
  return result;
}

void GoingRuns::lookForOthers(const QString& own) {
  struct Found {
    std::vector<launcher::LaunchPlan> plans;
    QList<OtherRun> runs;
  };
  inPool(
      this,
      [own] {
        Found found;
        for (launcher::GoingRun& each : launcher::goingRuns()) {
          if (!each.attended || each.plan.run == own) continue;
          found.runs << OtherRun{each.plan.run, each.plan.federation,
                                 static_cast<int>(each.federates),
                                 static_cast<int>(each.plan.hosts.size()) + 1};
          found.plans.push_back(std::move(each.plan));
        }
        return found;
      },
      [this](const Found& found) {
        if (found.runs == others_) return;
        plans_ = found.plans;
        others_ = found.runs;
        Q_EMIT othersChanged();
      });
}

std::optional<launcher::LaunchPlan> GoingRuns::planOf(const QString& run) const {
  const auto found =
      std::find_if(plans_.begin(), plans_.end(),
                   [&](const launcher::LaunchPlan& plan) { return plan.run == run; });
  if (found == plans_.end()) return {};
  return *found;
}

}  // namespace tutti::app
