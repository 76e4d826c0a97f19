// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "composer/model/document.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/partition_spread.h"

namespace tutti::launcher {

class ClusterWatch;
class HostWatch;

/// A partition of a cluster, as compositions name it.
struct PartitionName {
  QString cluster;
  QString partition;
  [[nodiscard]] QString text() const { return cluster + u'/' + partition; }
  [[nodiscard]] QString node(int number) const { return text() + u'/' + QString::number(number); }
  [[nodiscard]] bool isValid() const { return !cluster.isEmpty() && !partition.isEmpty(); }
  friend bool operator==(const PartitionName&, const PartitionName&) = default;
  friend bool operator<(const PartitionName& a, const PartitionName& b) {
    return std::tie(a.cluster, a.partition) < std::tie(b.cluster, b.partition);
  }
};

/// Federates on the numbered nodes of partitions: which nodes there are to place on, whether a
/// partition can give what is placed there, and changes of all of a partition's. Each change is one
/// undo step of the document.
class PartitionPlacement : public QObject {
  Q_OBJECT

 public:
  PartitionPlacement(composer::Document* document, HostWatch* hosts, ClusterWatch* clusters,
                     QObject* parent = nullptr);

  /// Tells the HostWatch the nodes that federates are on and can be dropped on: of each partition
  /// those that are named and a free one.
  void refresh();
  /// The partition whose first node is offered although nothing is there.
  const PartitionName& chosen() const { return chosen_; }
  void setChosen(const PartitionName& partition);

  /// All partitions of all clusters.
  std::vector<PartitionName> partitions() const;
  /// Those that enabled federates are on.
  std::vector<PartitionName> used() const;
  /// Numbers of its nodes that federates are on, in order.
  std::vector<int> numbersOf(const PartitionName& partition) const;
  /// The first node that no federate is on.
  QString freeNode(const PartitionName& partition) const;
  /// As Slurm tells, else as the hosts file does; null: there is none.
  const Partition* find(const PartitionName& partition) const;
  /// The partition and number of a host's name; nothing when it is no node of a cluster.
  std::optional<std::pair<PartitionName, int>> nodeOf(const QString& host) const;

  /// Required federates there, all instances: those that a spare node may take, for their restart
  /// policy is not "never", and the others.
  struct Required {
    int comeBack = 0;
    int never = 0;
  };
  Required requiredIn(const PartitionName& partition) const;

  /// Why these federates cannot all be on that node beside those that are there; empty: they can.
  QString whyNot(const QStringList& ids, const QString& host) const;
  /// Why what is placed there now cannot be given.
  QString whyNot(const PartitionName& partition) const;
  /// Moves all federates of a partition to another, node by node. The text says why not.
  QString moveAll(const PartitionName& from, const PartitionName& to);
  std::vector<NodeFederate> federatesIn(const PartitionName& partition) const;
  /// Cores that its enabled federates need together.
  double coresNeeded(const PartitionName& partition) const;
  /// Spreads the federates of a partition over so many nodes, as spreadOver() does. The text says
  /// why not.
  QString spread(const PartitionName& partition, int nodes);
  /// Puts federates on nodes of a partition, by their numbers. The text says why not.
  QString put(const std::map<QString, int>& numbers, const PartitionName& partition,
              const QString& text);

 private:
  std::vector<NodeNeed> needsIn(const std::map<QString, QString>& hosts,
                                const PartitionName& partition) const;
  std::map<QString, QString> hostsNow() const;
  QString place(const std::map<QString, QString>& moved, const PartitionName& into,
                const QString& text);

  composer::Document* document_;
  HostWatch* hosts_;
  ClusterWatch* clusters_;
  PartitionName chosen_;
};

}  // namespace tutti::launcher
