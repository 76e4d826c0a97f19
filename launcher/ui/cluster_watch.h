// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

#include "launcher/engine/cluster_state.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/slurm_account.h"

namespace tutti::launcher {

class HostWatch;

/// A Slurm cluster of the hosts file, as it is known at this moment.
struct ClusterView {
  Cluster cluster;                       ///< as the hosts file describes it
  std::optional<ClusterState> state;     ///< of the last answer; kept when a later question failed
  QDateTime asked;                       ///< when that came
  double seconds = 0;                    ///< that it took
  std::optional<composer::Error> error;  ///< of the last question; none: it was answered
  QDateTime failed;                      ///< when that error came
  bool asking = false;
  std::optional<SlurmAccount> account;  ///< of the last answer; nothing: not known
  QString accountProblem;               ///< why it is not; empty: it was not asked yet
  QDateTime accountAsked;               ///< when that was known, of `cluster.account`

  /// The partitions as they are now, or else as the hosts file has them.
  [[nodiscard]] const std::vector<Partition>& partitions() const {
    return state ? state->cluster.partitions : cluster.partitions;
  }
};

/// The clusters of a HostWatch's file with what Slurm answers. It is asked in threads: the cluster
/// that is looked at again and again while the page is shown, others once a minute.
class ClusterWatch : public QObject {
  Q_OBJECT

 public:
  explicit ClusterWatch(HostWatch* hosts, QObject* parent = nullptr);
  /// Ends what is being asked, within about a second.
  ~ClusterWatch() override;

  /// By name.
  const std::vector<ClusterView>& clusters() const { return clusters_; }
  const ClusterView* find(const QString& name) const;
  void setActive(bool active);
  /// The cluster that a person looks at; empty: none.
  void lookAt(const QString& name);
  void ask(const QString& name);
  void askAll();
  bool isAsking() const;
  /// Lets go of what is being asked.
  void cancel();
  /// What somebody asked of that cluster has answered.
  void take(const QString& name, const tl::expected<ClusterState, composer::Error>& answer,
            double seconds);
  void takeAccount(const QString& name, const tl::expected<SlurmAccount, composer::Error>& answer);

 Q_SIGNALS:
  /// There are other clusters.
  void clustersChanged();
  /// Something of that cluster has changed.
  void clusterChanged(const QString& name);

 private:
  void read();
  void askDue();
  ClusterView* at(const QString& name);

  HostWatch* hosts_;
  std::vector<ClusterView> clusters_;
  QString lookedAt_;
  QTimer due_;
  std::stop_source stop_;
  QThreadPool threads_;
};

}  // namespace tutti::launcher
