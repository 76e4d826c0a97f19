// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/placement_matrix.h"

#include <QCoreApplication>
#include <algorithm>
#include <limits>
#include <set>

#include "launcher/ui/host_watch.h"
#include "resources/theme/format.h"

namespace tutti::launcher {

namespace {

QString say(const char* text) { return QCoreApplication::translate("PlacementMatrix", text); }

QString coresText(double cores) {
  return cores == 1 ? say("1 core") : say("%1 cores").arg(QString::number(cores, 'g', 4));
}

/// What all of a row need, as far as they are alike, and how many are pinned.
QString needOf(const std::vector<MatrixFederate>& federates, const composer::Document& document) {
  std::set<double> cores;
  std::set<QString> labels;
  qsizetype pinned = 0;
  qsizetype apart = 0;
  for (const MatrixFederate& one : federates) {
    cores.insert(one.cores / one.count);
    const composer::Federate& federate = *document.federate(one.id);
    const QStringList needed = federate.needs(document.manifestOf(one.id)).labels;
    labels.insert(needed.begin(), needed.end());
    pinned += one.pinned;
    apart += !federate.apart.isEmpty();
  }
  QStringList parts;
  parts << (cores.size() == 1
                ? coresText(*cores.begin())
                : say("%1 to %2")
                      .arg(QString::number(*cores.begin(), 'g', 4), coresText(*cores.rbegin())));
  for (const QString& label : labels) parts << say("label %1").arg(label);
  const auto all = static_cast<qsizetype>(federates.size());
  if (apart > 0) parts << (apart == all ? say("apart") : say("%1 apart").arg(apart));
  if (pinned > 0) parts << (pinned == all ? say("pinned") : say("%1 pinned").arg(pinned));
  return parts.join(QStringLiteral(", "));
}

/// Cores in use of each node of the matrix, while federates are being moved.
class NodeCores {
 public:
  explicit NodeCores(const PlacementMatrix& matrix) {
    for (const int node : matrix.nodes) cores_[node] = matrix.coresOn(node);
  }
  void add(int node, double cores) { cores_[node] += cores; }
  int least(const std::vector<int>& nodes) const {
    return *std::min_element(nodes.begin(), nodes.end(), [&](int a, int b) {
      return std::pair(at(a), a) < std::pair(at(b), b);
    });
  }

 private:
  double at(int node) const {
    const auto found = cores_.find(node);
    return found == cores_.end() ? 0 : found->second;
  }
  std::map<int, double> cores_;
};

/// Whether so many could be there if none of the row were pinned.
bool isFromPins(const PlacementMatrix& matrix, MatrixRow row, const std::vector<int>& nodes,
                int count) {
  bool hasPinned = false;
  for (MatrixFederate& one : row.federates) {
    hasPinned = hasPinned || one.pinned;
    one.pinned = false;
  }
  return hasPinned && withCount(matrix, row, nodes, count).has_value();
}

}  // namespace

int MatrixRow::countOn(int node) const {
  int count = 0;
  for (const MatrixFederate& one : federates) count += one.node == node ? one.count : 0;
  return count;
}

int MatrixRow::count() const {
  int count = 0;
  for (const MatrixFederate& one : federates) count += one.count;
  return count;
}

double PlacementMatrix::coresOn(int node) const {
  double cores = 0;
  for (const MatrixRow& row : rows) {
    for (const MatrixFederate& one : row.federates) cores += one.node == node ? one.cores : 0;
  }
  return cores;
}

bool PlacementMatrix::hasElsewhere() const {
  return std::any_of(rows.begin(), rows.end(),
                     [](const MatrixRow& row) { return row.countOn(0) > 0; });
}

PlacementMatrix matrixOf(const composer::Document& document, const HostWatch& hosts,
                         const PartitionPlacement& partitions, const PartitionName& partition) {
  PlacementMatrix matrix;
  matrix.partition = partition;
  matrix.nodes = partitions.numbersOf(partition);
  const auto free = partitions.nodeOf(partitions.freeNode(partition));
  if (free && hosts.find(partitions.freeNode(partition)) != nullptr) matrix.free = free->second;
  if (const Partition* known = partitions.find(partition))
    matrix.coresOfNode = offerOf(*known).cores;

  std::map<std::pair<bool, QString>, MatrixRow> rows;  // groups first, each kind by name
  const auto& groups = document.composition().groups;
  for (const auto& [id, federate] : document.composition().federates) {
    if (!federate.enabled) continue;
    const auto* manifest = document.manifestOf(id);
    const auto group = groups.find(federate.group);
    const bool isGroup = group != groups.end();
    const QString name = isGroup               ? group->second.name
                         : manifest == nullptr ? federate.component
                                               : manifest->name;
    MatrixRow& row =
        rows[{!isGroup, name + u'\n' + (isGroup ? federate.group : federate.component)}];
    row.key = (isGroup ? QStringLiteral("group ") : QStringLiteral("component ")) +
              (isGroup ? federate.group : federate.component);
    row.name = name;
    MatrixFederate one;
    one.id = id;
    one.name =
        federate.count == 1 ? federate.name : say("%1 ×%2").arg(federate.name).arg(federate.count);
    one.icon = manifest == nullptr || manifest->icon.isEmpty() ? QStringLiteral("component")
                                                               : manifest->icon;
    one.count = federate.count;
    one.cores = nodeNeedOf(federate, manifest).cores;
    one.pinned = federate.pinned;
    const auto node = partitions.nodeOf(federate.host);
    if (node && node->first == partition) {
      one.node = node->second;
    } else {
      const HostView* host = hosts.find(federate.host);
      one.where = host == nullptr ? federate.host : host->name;
    }
    row.icon = row.federates.empty() || row.icon == one.icon ? one.icon : QStringLiteral("group");
    row.federates.push_back(std::move(one));
  }
  for (auto& [name, row] : rows) {
    row.need = needOf(row.federates, document);
    for (MatrixFederate& one : row.federates) one.need = needOf({one}, document);
    std::sort(row.federates.begin(), row.federates.end(),
              [](const MatrixFederate& a, const MatrixFederate& b) {
                return std::pair(a.name, a.id) < std::pair(b.name, b.id);
              });
    // A row of one is that federate.
    if (row.federates.size() == 1 && row.key.startsWith(QStringLiteral("component ")))
      row.name = row.federates.front().name;
    matrix.rows.push_back(std::move(row));
  }
  return matrix;
}

std::vector<MatrixColumn> columnsOf(const PlacementMatrix& matrix, int most, int open) {
  std::vector<MatrixColumn> result;
  if (matrix.hasElsewhere()) result.push_back({});
  const auto& nodes = matrix.nodes;
  const std::size_t all = nodes.size();
  const auto room = static_cast<std::size_t>(std::max(most, 1));
  const auto range = [&](std::size_t from, std::size_t to) {
    if (from < to)
      result.push_back({{nodes.begin() + static_cast<std::ptrdiff_t>(from),
                         nodes.begin() + static_cast<std::ptrdiff_t>(to)},
                        false});
  };
  const std::size_t size = (all + room - 1) / room;
  const auto opened = std::find(nodes.begin(), nodes.end(), open);
  if (size > 1 && opened != nodes.end()) {
    const std::size_t from = static_cast<std::size_t>(opened - nodes.begin()) / size * size;
    const std::size_t to = std::min(from + size, all);
    range(0, from);
    for (std::size_t each = from; each < to; ++each) range(each, each + 1);
    range(to, all);
  } else {
    for (std::size_t from = 0; from < all; from += size) range(from, std::min(from + size, all));
  }
  if (matrix.free > 0) result.push_back({{matrix.free}, true});
  return result;
}

QString titleOf(const MatrixColumn& column, const PlacementMatrix& matrix) {
  if (column.isElsewhere()) return say("Else");
  if (column.isFree) return say("+ %1").arg(column.nodes.front());
  if (column.isRange()) return say("%1–%2").arg(column.nodes.front()).arg(column.nodes.back());
  const bool hasRoom =
      matrix.nodes.size() <= fewNodes && (matrix.nodes.empty() || matrix.nodes.back() < 10);
  return hasRoom ? say("Node %1").arg(column.nodes.front()) : QString::number(column.nodes.front());
}

tl::expected<MatrixMoves, QString> withCount(const PlacementMatrix& matrix, const MatrixRow& row,
                                             const std::vector<int>& nodes, int count) {
  const auto refused = [&](const QString& on, const QString& why) {
    return tl::unexpected(say("%1 of %2 cannot be on %3. %4").arg(count).arg(row.name, on, why));
  };
  const qint64 needed = qint64(count) * static_cast<qint64>(nodes.size());
  if (needed > row.count()) {
    const QString has =
        say("%1 has %2.")
            .arg(row.name, theme::formatNoun(row.count(), say("federate"), say("federates")));
    if (nodes.size() == 1) return refused(say("node %1").arg(nodes.front()), has);
    return refused(say("each of %1 nodes").arg(nodes.size()),
                   say("That needs %1. %2").arg(needed).arg(has));
  }
  qint64 there = 0;
  for (const int node : nodes) there += row.countOn(node);
  const std::set<int> wanted(nodes.begin(), nodes.end());
  std::vector<MatrixFederate> now = row.federates;
  std::map<int, int> counts;
  for (const MatrixFederate& one : now) counts[one.node] += one.count;
  NodeCores cores(matrix);
  MatrixMoves moves;
  const auto move = [&](MatrixFederate& one, int to) {
    counts[one.node] -= one.count;
    counts[to] += one.count;
    cores.add(one.node, -one.cores);
    cores.add(to, one.cores);
    one.node = to;
    moves[one.id] = to;
  };
  std::vector<int> others;
  for (const int node : matrix.nodes) {
    if (!wanted.contains(node)) others.push_back(node);
  }
  if (others.empty() && matrix.free > 0 && !wanted.contains(matrix.free))
    others.push_back(matrix.free);

  for (const int node : nodes) {
    for (MatrixFederate& one : now) {
      if (one.node != node || one.pinned || counts[node] - one.count < count) continue;
      const auto lacking = std::find_if(nodes.begin(), nodes.end(), [&](int other) {
        return counts[other] + one.count <= count;
      });
      if (lacking != nodes.end())
        move(one, *lacking);
      else if (!others.empty())
        move(one, cores.least(others));
    }
  }
  for (const int node : nodes) {
    while (counts[node] < count) {
      MatrixFederate* best = nullptr;
      const auto rank = [&](const MatrixFederate& one) {
        return one.node == 0 ? std::numeric_limits<int>::min() : -counts[one.node];
      };
      for (MatrixFederate& one : now) {
        if (wanted.contains(one.node) || one.pinned || counts[node] + one.count > count) continue;
        if (best == nullptr || rank(one) < rank(*best)) best = &one;
      }
      if (best == nullptr) break;
      move(*best, node);
    }
  }
  for (const int node : nodes) {
    if (counts[node] == count) continue;
    const QString why = others.empty() && there > needed
                            ? say("There is no other node for those that are too many.")
                        : isFromPins(matrix, row, nodes, count)
                            ? say("Pinned federates stay where they are.")
                            : say("Federates with several instances stay together.");
    return refused(say("node %1").arg(node), why);
  }
  // Back where it was is no move.
  for (const MatrixFederate& one : row.federates) {
    const auto moved = moves.find(one.id);
    if (moved != moves.end() && moved->second == one.node) moves.erase(moved);
  }
  return moves;
}

MatrixMoves movedTo(const PlacementMatrix& matrix, const QStringList& ids,
                    const std::vector<int>& nodes) {
  MatrixMoves moves;
  if (nodes.empty()) return moves;
  NodeCores cores(matrix);
  for (const MatrixRow& row : matrix.rows) {
    for (const MatrixFederate& one : row.federates) {
      if (!ids.contains(one.id) || one.pinned ||
          std::find(nodes.begin(), nodes.end(), one.node) != nodes.end())
        continue;
      const int to = cores.least(nodes);
      cores.add(one.node, -one.cores);
      cores.add(to, one.cores);
      moves[one.id] = to;
    }
  }
  return moves;
}

QString matrixText(const PlacementMatrix& matrix) {
  QStringList lines;
  for (const MatrixRow& row : matrix.rows) {
    QStringList parts;
    if (const int count = row.countOn(0); count > 0) parts << say("elsewhere %1").arg(count);
    for (const int node : matrix.nodes) {
      if (const int count = row.countOn(node); count > 0)
        parts << say("node %1: %2").arg(node).arg(count);
    }
    lines << say("%1, %2: %3").arg(row.name).arg(row.count()).arg(parts.join(QStringLiteral(", ")));
  }
  return lines.join(u'\n');
}

}  // namespace tutti::launcher
