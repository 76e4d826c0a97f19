// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

#include "launcher/engine/host_check.h"
#include "launcher/engine/slurm.h"

namespace tutti::app {

/// The same nodes for whoever may not wait: when the last of these is let go of, they are given
/// back at once, and a thread of Qt's pool waits for that.
launcher::Allocations givenBackInPool(launcher::Allocations allocations);

/// Gets the hosts of a plan ready in a thread of Qt's pool: waits for the nodes of Slurm jobs, asks
/// hosts, copies what they lack. While its jobs wait, the plan can be replaced by another: the jobs
/// of the other one are submitted first, and only when Slurm has them are the first ones cancelled.
/// So there is always one of the two. All on the window's thread.
class RunPreparation : public QObject {
  Q_OBJECT
 public:
  /// launcher::prepareHosts(), and launcher::awaitGone(); others in tests. Called in threads.
  struct Ways {
    std::function<launcher::HostPreparation(
        launcher::LaunchPlan& plan, const std::stop_token& stop,
        const std::function<void(const launcher::QueuePlace&)>& queue)>
        prepare;
    std::function<tl::expected<void, composer::Error>(const launcher::Cluster& cluster, qint64 job,
                                                     const std::stop_token& stop)>
        awaitGone;
  };
  static Ways usual();

  explicit RunPreparation(Ways ways = usual(), QObject* parent = nullptr);
  /// Lets go of all: jobs that wait are cancelled, and old ones are not looked at any more.
  ~RunPreparation() override;

  bool isActive() const { return current_.has_value() || next_.has_value(); }
  bool isReplacing() const { return next_.has_value() && current_.has_value(); }
  /// The plan whose jobs wait, as it was submitted; null: none do.
  std::shared_ptr<const launcher::LaunchPlan> submitted() const;
  /// The places of its jobs.
  std::vector<launcher::QueuePlace> places() const;

  /// Lets go of what there was.
  void begin(launcher::LaunchPlan plan);
  /// As begin() when nothing is being prepared; does nothing while one is being replaced.
  void replace(launcher::LaunchPlan plan);
  void stop();

 Q_SIGNALS:
  /// Anything above changed.
  void changed();
  /// The plan's hosts are ready, or the checks say why not; it is not active any more.
  void prepared(const tutti::launcher::LaunchPlan& plan,
                const tutti::launcher::HostPreparation& preparation);
  /// Slurm has the new jobs, and the old ones are being cancelled.
  void replaced(const QList<qint64>& old);
  /// The new jobs are not there, why; the old ones stay.
  void notReplaced(const QString& why);
  /// That old job is still there, why: it takes nodes that nobody uses, until it is cancelled.
  void notCancelled(const QString& cluster, qint64 job, const QString& why);

 private:
  struct Attempt {
    quint64 id = 0;
    std::shared_ptr<const launcher::LaunchPlan> plan;
    std::stop_source stop;
    std::vector<launcher::QueuePlace> places;
    std::vector<launcher::Allocation::Request> requests;
  };

  Attempt start(launcher::LaunchPlan plan);
  Attempt* find(quint64 id);
  void takePlace(quint64 id, const launcher::QueuePlace& place);
  void take(quint64 id, const launcher::LaunchPlan& plan,
            const launcher::HostPreparation& preparation);
  void takeOver();
  static bool isAccepted(const Attempt& attempt);

  Ways ways_;
  quint64 lastId_ = 0;
  std::optional<Attempt> current_;
  std::optional<Attempt> next_;  ///< that is to replace it
  std::stop_source looking_;     ///< whether old jobs are gone
};

}  // namespace tutti::app
