// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>
#include <optional>
#include <vector>

#include "launcher/engine/launch_plan.h"
#include "launcher/engine/preflight.h"
#include "launcher/engine/slurm.h"
#include "launcher/ui/partition_placement.h"

class QDockWidget;

namespace tutti::theme {
class Workspace;
}

namespace tutti::launcher {

class AccountPane;
class AllocationPane;
class BatchJobs;
class ClusterPanes;
class ClusterPreflight;
class OwnJobsPane;
class ScriptPane;
struct StartOffer;

/// The part of the page Deploy that is about Slurm: what clusters have and do, what is asked of
/// them and whether they would give it, and the script that asks without a console. Its panes are
/// there only with a cluster.
class ClusterScreen : public QObject {
  Q_OBJECT

 public:
  /// The docks of the page that its own are behind.
  struct Neighbours {
    QDockWidget* nodes;
    QDockWidget* queue;
    QDockWidget* allocation;
  };

  ClusterScreen(theme::Workspace* page, HostWatch* hosts, ClusterWatch* clusters,
                PartitionPlacement* partitions, const Neighbours& neighbours);

  void setPlan(const std::optional<LaunchPlan>& plan, const QStringList& binaryFolders,
               const QString& architecture);
  /// The plan of a run whose jobs wait at these places, as it was submitted; null: none waits.
  void setSubmitted(const std::shared_ptr<const LaunchPlan>& plan,
                    const std::vector<QueuePlace>& places);
  /// Submits the composition as a job, watches and ends jobs of this account.
  BatchJobs* batchJobs() const { return batch_; }
  void setActive(bool active);
  /// Shows a cluster of the hosts file and brings nodes and queue to the front.
  void choose(const QString& cluster);
  void askAgain();
  /// What stands in the way of what is placed on clusters, and what Slurm says to it.
  std::vector<PreflightCheck> checks() const;

 Q_SIGNALS:
  /// checks() is another.
  void changed();
  void federatesDropped(const QStringList& ids, const tutti::launcher::PartitionName& partition);
  /// Start the composition as it is now.
  void runRequested();
  /// Show where its federates are placed.
  void placementRequested();
  void failed(const QString& title, const QString& detail);
  void done(const QString& text);

 private:
  void addAllocation(QDockWidget* behind);
  void addScript();
  void addAccount();
  void showSubmitted();
  QStringList changesSince(const QueuePlace& place) const;
  void showAccount();
  void offerNodes();
  void take(const StartOffer& offer, bool start);

  theme::Workspace* page_;
  HostWatch* hosts_;
  ClusterWatch* clusters_;
  PartitionPlacement* partitions_;
  ClusterPreflight* preflight_;
  ClusterPanes* panes_;
  AllocationPane* allocation_ = nullptr;
  ScriptPane* script_ = nullptr;
  BatchJobs* batch_;
  std::optional<LaunchPlan> plan_;
  std::shared_ptr<const LaunchPlan> submitted_;
  std::vector<QueuePlace> places_;
  OwnJobsPane* ownJobs_ = nullptr;
  AccountPane* account_ = nullptr;
  QDockWidget* ownJobsDock_ = nullptr;
  QDockWidget* accountDock_ = nullptr;
  QDockWidget* scriptDock_ = nullptr;
};

}  // namespace tutti::launcher
