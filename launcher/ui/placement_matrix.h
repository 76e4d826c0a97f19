// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <tl/expected.hpp>
#include <vector>

#include "launcher/ui/partition_placement.h"

// Groups of federates against the numbered nodes of a partition: how many of each are where. Pure.
namespace tutti::launcher {

/// An enabled federate of a row, with all its instances.
struct MatrixFederate {
  QString id;
  QString name;
  QString icon;
  QString need;   ///< "0.5 cores each, label net, pinned"
  QString where;  ///< of one elsewhere: the host's name
  int count = 1;
  double cores = 0;  ///< all instances
  int node = 0;      ///< 0: elsewhere
  bool pinned = false;
  friend bool operator==(const MatrixFederate&, const MatrixFederate&) = default;
};

/// A group of the composition, or the federates of one component that are in none.
struct MatrixRow {
  QString key;
  QString name;
  QString icon;
  QString need;
  std::vector<MatrixFederate> federates;
  [[nodiscard]] int countOn(int node) const;
  [[nodiscard]] int count() const;
  friend bool operator==(const MatrixRow&, const MatrixRow&) = default;
};

struct PlacementMatrix {
  PartitionName partition;
  std::vector<int> nodes;  ///< that federates are on, in order
  int free = 0;            ///< one that nothing is on, and that the partition still has; 0: none
  double coresOfNode = 0;  ///< 0: not known
  std::vector<MatrixRow> rows;
  [[nodiscard]] double coresOn(int node) const;
  [[nodiscard]] bool hasElsewhere() const;
  friend bool operator==(const PlacementMatrix&, const PlacementMatrix&) = default;
};

PlacementMatrix matrixOf(const composer::Document& document, const HostWatch& hosts,
                         const PartitionPlacement& partitions, const PartitionName& partition);

/// A column: one node, several beside each other, or every other host.
struct MatrixColumn {
  std::vector<int> nodes;  ///< empty: elsewhere
  bool isFree = false;
  [[nodiscard]] bool isElsewhere() const { return nodes.empty(); }
  [[nodiscard]] bool isRange() const { return nodes.size() > 1; }
  friend bool operator==(const MatrixColumn&, const MatrixColumn&) = default;
};
/// At most `most` columns for the nodes: if there are more, each column has several. `open`: a node
/// whose range is shown as single nodes, between one column of those before and one of those
/// behind; 0: none. Elsewhere comes first, the free node last, if there are such.
std::vector<MatrixColumn> columnsOf(const PlacementMatrix& matrix, int most, int open);
/// Up to so many, all of one figure, have "Node" before it.
constexpr std::size_t fewNodes = 6;
/// "Node 3", "12", "17–24", "Elsewhere"
QString titleOf(const MatrixColumn& column, const PlacementMatrix& matrix);

/// Node numbers by federate.
using MatrixMoves = std::map<QString, int>;

/// What makes `count` federates of the row be on each of the nodes. More come from elsewhere, then
/// from the nodes with most of the row; what is too many goes to the nodes with the fewest cores in
/// use. Pinned federates stay. The text says why it cannot be.
tl::expected<MatrixMoves, QString> withCount(const PlacementMatrix& matrix, const MatrixRow& row,
                                             const std::vector<int>& nodes, int count);
/// These federates to these nodes, each to where the fewest cores are in use. Pinned ones stay.
MatrixMoves movedTo(const PlacementMatrix& matrix, const QStringList& ids,
                    const std::vector<int>& nodes);

/// A line for each row, for Copy and for screen readers: "Flows, 32: node 1 4, node 2 4".
QString matrixText(const PlacementMatrix& matrix);

}  // namespace tutti::launcher
