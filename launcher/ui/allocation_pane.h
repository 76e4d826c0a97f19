// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "launcher/ui/partition_placement.h"
#include "launcher/ui/submitted_job.h"
#include "resources/theme/state.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QSpinBox;

namespace tutti::theme {
class SegmentedControl;
}

namespace tutti::launcher {

class ClusterPreflight;
class ReplaceLine;
class StartOfferBox;
struct StartOffer;

/// What is asked of Slurm for the nodes that federates are placed on, and what Slurm says to it.
/// Partition and number of nodes are edits of the document; time limit, account and quality of
/// service are the cluster's in the hosts file, of all its jobs.
class AllocationPane : public QWidget {
  Q_OBJECT

 public:
  AllocationPane(HostWatch* hosts, ClusterWatch* clusters, PartitionPlacement* partitions,
                 ClusterPreflight* preflight, QWidget* parent = nullptr);

  /// Shows what is known now.
  void refresh();
  /// The jobs of the composition that wait.
  void setSubmitted(const std::vector<SubmittedJob>& jobs);
  /// The one in the partition that is shown, or else the first; null: none waits.
  const SubmittedJob* submitted() const;
  /// The one of several that is shown.
  void setCurrent(const PartitionName& partition);
  const PartitionName& current() const { return current_; }
  /// "Could start about 15:35", "Slurm does not give this".
  QString headline() const;

 Q_SIGNALS:
  void currentChanged();
  void submittedChanged();
  void scriptRequested();
  void replaceRequested();
  /// Place as the offer says, and start or not.
  void offerTaken(const tutti::launcher::StartOffer& offer, bool start);

 private:
  void build();
  QWidget* buildNoSpare();
  void fill();
  void showFinding();
  void showOffer();
  /// What is said beside the fields of what Slurm and the run know.
  void showNotes();
  /// "; job 7 must end first", or which one probably; empty: not known.
  QString endsBefore(const QueuePlace& place) const;
  void showProblem(const QString& problem);
  void changePartition(int index);
  void changeNodes();
  void changeCluster();
  void changeSpares(bool restarts, int nodes);
  void showSpares(const Cluster& cluster);

  HostWatch* hosts_;
  ClusterWatch* clusters_;
  PartitionPlacement* partitions_;
  ClusterPreflight* preflight_;
  PartitionName current_;
  QWidget* empty_ = nullptr;
  QWidget* page_ = nullptr;
  QScrollArea* scroll_ = nullptr;  ///< around page_
  QLabel* icon_ = nullptr;
  QLabel* headline_ = nullptr;
  QLabel* detail_ = nullptr;
  StartOfferBox* offer_ = nullptr;
  ReplaceLine* replace_ = nullptr;
  std::vector<SubmittedJob> submitted_;
  QComboBox* which_ = nullptr;
  QComboBox* partition_ = nullptr;
  QSpinBox* nodes_ = nullptr;
  QSpinBox* limit_ = nullptr;
  QSpinBox* save_ = nullptr;
  QCheckBox* continue_ = nullptr;
  theme::SegmentedControl* start_ = nullptr;
  QCheckBox* exclusive_ = nullptr;
  QComboBox* ifNodeDies_ = nullptr;
  QSpinBox* spares_ = nullptr;
  QLabel* sparesNote_ = nullptr;
  QWidget* noSpare_ = nullptr;
  QLabel* noSpareTitle_ = nullptr;
  QLabel* noSpareDetail_ = nullptr;
  QPushButton* askForSpare_ = nullptr;
  QLineEdit* account_ = nullptr;
  QLineEdit* qos_ = nullptr;
  QLabel* partitionNote_ = nullptr;
  QLabel* nodesNote_ = nullptr;
  QLabel* limitNote_ = nullptr;
  QLabel* accountNote_ = nullptr;
  QLabel* fileNote_ = nullptr;
  QLabel* problem_ = nullptr;
  QPushButton* again_ = nullptr;
  theme::State state_ = theme::State::Idle;
};

}  // namespace tutti::launcher
