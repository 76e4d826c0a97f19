// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <functional>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

#include "launcher/engine/launch_plan.h"
#include "launcher/engine/preflight.h"
#include "launcher/engine/slurm_forecast.h"
#include "launcher/engine/start_offer.h"

namespace tutti::launcher {

/// Asks Slurm whether it would give the nodes that a plan names, without submitting anything, and
/// where they have to be waited for, which smaller request would start now. It is asked again when
/// something else is asked for, while active.
class ClusterPreflight : public QObject {
  Q_OBJECT

 public:
  struct Finding {
    Allocation::Request request;
    /// Nothing: it was not answered yet.
    std::optional<tl::expected<JobForecast, composer::Error>> answer;
    /// What could be asked for in its place, most nodes first.
    std::vector<Allocation::Request> fewer = {};
    /// The one of them that would start now; nothing: none would, or it is not known yet.
    std::optional<StartOffer> offer = {};
  };

  explicit ClusterPreflight(QObject* parent = nullptr);
  /// Ends what is being asked, within about a second.
  ~ClusterPreflight() override;

  /// `fewer`: the requests with fewer nodes that could take the place of one.
  using Fewer = std::function<std::vector<Allocation::Request>(const Allocation::Request&)>;
  void setPlan(const std::optional<LaunchPlan>& plan, const Fewer& fewer = {});
  void setActive(bool active);
  void askAgain();

  /// One for each partition of the plan.
  const std::vector<Finding>& findings() const { return findings_; }
  const Finding* find(const QString& cluster, const QString& partition) const;
  bool isAsking() const { return asking_; }
  /// The findings as checks; their fixes name the action "ask-cluster CLUSTER" of the page.
  std::vector<PreflightCheck> checks() const;

 Q_SIGNALS:
  void changed();

 private:
  void ask();
  void take(const std::vector<Finding>& answered, bool withOffers);

  std::vector<Finding> findings_;
  QTimer later_;
  bool active_ = false;
  bool asking_ = false;
  bool due_ = false;
  std::stop_source stop_;
  QThreadPool threads_;
};

/// "now", "about 15:35"; for a start that Slurm plans.
QString plannedStart(const QDateTime& start, const QDateTime& now);

}  // namespace tutti::launcher
