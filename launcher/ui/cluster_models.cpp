// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/cluster_models.h"

#include <QCollator>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "launcher/ui/hosts_model.h"
#include "resources/theme/format.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

namespace {

constexpr double leastMove = 0.001;  ///< of the axis of times: about a pixel

QString momentText(const QDateTime& time) {
  return time.isValid() ? theme::formatMoment(time, QDateTime::currentDateTime()) : QString();
}

}  // namespace

QString limitText(int minutes) {
  if (minutes == 0) return PartitionsModel::tr("none");
  if (minutes >= 2880 && minutes % 1440 == 0)
    return PartitionsModel::tr("%1 d").arg(minutes / 1440);
  return minutes % 60 == 0 ? PartitionsModel::tr("%1 h").arg(minutes / 60)
                           : durationText(60.0 * minutes);
}

NodeCounts countNodes(const ClusterState& state, const QString& partition) {
  NodeCounts counts;
  for (const ClusterNode& node : state.nodesOf(partition)) {
    switch (nodeUse(node.state)) {
      case NodeUse::Idle:
        ++counts.idle;
        break;
      case NodeUse::Allocated: {
        ++counts.allocated;
        const SlurmJob* job = state.jobOn(node.name);
        if (job != nullptr && state.isOwn(*job)) ++counts.ours;
        break;
      }
      case NodeUse::Down:
        ++counts.down;
        break;
      case NodeUse::Drained:
        ++counts.drained;
        break;
      case NodeUse::Unavailable:
        ++counts.unavailable;
        break;
    }
  }
  return counts;
}

QString nodeCountsText(const NodeCounts& counts) {
  QStringList parts;
  const auto add = [&](int number, const QString& text) {
    if (number > 0) parts << text.arg(number);
  };
  add(counts.idle, PartitionsModel::tr("%1 idle"));
  add(counts.allocated, PartitionsModel::tr("%1 allocated"));
  add(counts.ours, PartitionsModel::tr("%1 of them ours"));
  add(counts.down, PartitionsModel::tr("%1 down"));
  add(counts.drained, PartitionsModel::tr("%1 drained"));
  add(counts.unavailable, PartitionsModel::tr("%1 not available"));
  return parts.join(QStringLiteral(", "));
}

// PartitionsModel

void PartitionsModel::setState(const std::optional<ClusterState>& state) {
  std::vector<PartitionRow> rows;
  if (state) {
    if (state->cluster.partitions.size() > 1) rows.push_back({{}, countNodes(*state, {})});
    for (const Partition& each : state->cluster.partitions)
      rows.push_back({each, countNodes(*state, each.name)});
  }
  setRows(std::move(rows), [](const PartitionRow& a, const PartitionRow& b) {
    return a.partition.name == b.partition.name;
  });
}

int PartitionsModel::rowOf(const QString& partition) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const PartitionRow& one) {
    return one.partition.name == partition;
  });
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int PartitionsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : Columns;
}

QVariant PartitionsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const PartitionRow& row = rows_[static_cast<std::size_t>(index.row())];
  const NodeCounts& counts = row.counts;
  const bool up = row.partition.state.isEmpty() || row.partition.state == QStringLiteral("up");
  switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
      switch (index.column()) {
        case Name:
          return row.partition.name.isEmpty() ? tr("all") : row.partition.name;
        case InUse:
          return tr("%1 of %2").arg(counts.allocated).arg(counts.all());
        case Idle:
          return up ? QString::number(counts.idle) : row.partition.state;
        case Limit:
          return row.partition.name.isEmpty() ? QString() : limitText(row.partition.timeLimit);
        default:
          return {};
      }
    case NameRole:
      return row.partition.name;
    case Qt::ToolTipRole:
      if (row.partition.name.isEmpty()) return tr("All partitions: %1").arg(nodeCountsText(counts));
      return theme::wrappedTip(
          tr("%1: %2 nodes, %3. Jobs of %4.")
              .arg(row.partition.name)
              .arg(counts.all())
              .arg(nodeCountsText(counts),
                   row.partition.timeLimit == 0
                       ? tr("any length")
                       : tr("up to %1").arg(limitText(row.partition.timeLimit))) +
          (up ? QString()
              : tr(" It is %1: its jobs do not start until an administrator sets it up again.")
                    .arg(row.partition.state)));
    case Qt::TextAlignmentRole:
      return index.column() >= Idle ? QVariant(int(Qt::AlignRight | Qt::AlignVCenter)) : QVariant();
    case theme::StaleRole:
      return !up;
    case CountsRole:
      return QVariant::fromValue(counts);
    default:
      return {};
  }
}

QVariant PartitionsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section >= Idle)
    return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  static const char* const heads[] = {QT_TR_NOOP("Partition"), QT_TR_NOOP("Nodes in use"),
                                      QT_TR_NOOP("Idle"), QT_TR_NOOP("Limit")};
  return tr(heads[section]);
}

Qt::ItemFlags PartitionsModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  auto result = QAbstractTableModel::flags(index) | Qt::ItemNeverHasChildren;
  if (!index.data(NameRole).toString().isEmpty()) result |= Qt::ItemIsDropEnabled;
  return result;
}

QStringList PartitionsModel::mimeTypes() const { return mimeTypesOfFederates(); }

bool PartitionsModel::canDropMimeData(const QMimeData* data, Qt::DropAction, int row, int,
                                      const QModelIndex& parent) const {
  // On a row, not between two.
  return row < 0 && parent.flags().testFlag(Qt::ItemIsDropEnabled) &&
         !federatesOfMime(data).isEmpty();
}

bool PartitionsModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row,
                                   int column, const QModelIndex& parent) {
  if (!canDropMimeData(data, action, row, column, parent)) return false;
  Q_EMIT dropped(federatesOfMime(data), parent.data(NameRole).toString());
  return true;
}

// NodesModel

void NodesModel::setState(const std::optional<ClusterState>& state, const QString& partition) {
  std::vector<NodeRow> rows;
  if (state) {
    for (ClusterNode& node : state->nodesOf(partition)) {
      NodeRow row;
      QStringList names;
      for (const launcher::Partition& each : state->cluster.partitions) {
        const bool isIn =
            std::any_of(each.nodes.begin(), each.nodes.end(),
                        [&](const ClusterNode& one) { return one.name == node.name; });
        if (isIn) names << each.name;
      }
      row.partitions = names.join(QStringLiteral(", "));
      row.use = nodeUse(node.state);
      const auto reason = state->reasons.find(node.name);
      if (reason != state->reasons.end()) row.reason = reason->second;
      if (const SlurmJob* job = state->jobOn(node.name)) {
        row.job = *job;
        row.ours = state->isOwn(*job);
      }
      row.node = std::move(node);
      rows.push_back(std::move(row));
    }
    // n2 before n10.
    QCollator order{QLocale(QLocale::English, QLocale::UnitedStates)};
    order.setNumericMode(true);
    std::sort(rows.begin(), rows.end(), [&](const NodeRow& a, const NodeRow& b) {
      return order.compare(a.node.name, b.node.name) < 0;
    });
  }
  setRows(std::move(rows),
          [](const NodeRow& a, const NodeRow& b) { return a.node.name == b.node.name; });
}

int NodesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : Columns;
}

QString NodesModel::textOf(const NodeRow& row, int column) const {
  switch (column) {
    case Name:
      return row.node.name;
    case Partitions:
      return row.partitions;
    case State:
      return row.ours ? tr("allocated, ours") : nodeUseText(row.use);
    case Reason: {
      if (row.reason.text.isEmpty()) return {};
      return row.reason.by.isEmpty() ? row.reason.text
                                     : tr("%1 (%2)").arg(row.reason.text, row.reason.by);
    }
    case Since:
      return momentText(row.reason.since);
    case Job:
      return row.job ? tr("%1 %2").arg(row.job->id).arg(row.job->name) : QString();
    case Cores:
      return row.node.cores > 0 ? QString::number(row.node.cores) : theme::noValue();
    case Memory:
      return row.node.memoryMb > 0 ? theme::formatBytes(row.node.memoryMb * 1e6) : theme::noValue();
    default:
      return {};
  }
}

QVariant NodesModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const NodeRow& row = rows_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return textOf(row, index.column());
    case UseRole:
      return static_cast<int>(row.use);
    case OursRole:
      return row.ours;
    case CaptionRole:
      if (row.use == NodeUse::Allocated) return row.job ? row.job->name : tr("in use");
      return row.use == NodeUse::Unavailable ? row.node.state : nodeUseText(row.use);
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole: {
      QStringList parts{tr("%1, %2").arg(row.node.name, textOf(row, State)),
                        tr("partitions %1").arg(row.partitions),
                        tr("%1 cores, %2").arg(textOf(row, Cores), textOf(row, Memory))};
      if (row.job) parts << tr("job %1 of %2").arg(textOf(row, Job), row.job->user);
      if (!row.reason.text.isEmpty())
        parts << (row.reason.since.isValid()
                      ? tr("reason: %1, since %2").arg(textOf(row, Reason), textOf(row, Since))
                      : tr("reason: %1").arg(textOf(row, Reason)));
      parts << tr("Slurm says %1").arg(row.node.state);
      return parts.join(role == Qt::ToolTipRole ? QStringLiteral("\n") : QStringLiteral(", "));
    }
    default:
      return {};
  }
}

QVariant NodesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  static const char* const heads[] = {
      QT_TR_NOOP("Node"),  QT_TR_NOOP("Partitions"), QT_TR_NOOP("State"), QT_TR_NOOP("Reason"),
      QT_TR_NOOP("Since"), QT_TR_NOOP("Job"),        QT_TR_NOOP("Cores"), QT_TR_NOOP("Memory")};
  return tr(heads[section]);
}

// QueueModel

void QueueModel::setState(const std::optional<ClusterState>& state, const QString& partition,
                          const QDateTime& now) {
  std::vector<QueueRow> rows;
  if (state) {
    for (SlurmJob& job : state->jobsOf(partition)) {
      const bool own = state->isOwn(job);
      rows.push_back({std::move(job), own});
    }
  }
  running_ = static_cast<int>(std::count_if(rows.begin(), rows.end(),
                                            [](const QueueRow& one) { return !one.job.waits(); }));
  setRows(std::move(rows), [](const QueueRow& a, const QueueRow& b) {
    return a.job.id == b.job.id && a.job.waits() == b.job.waits();
  });
  setNow(now);
}

QueueAxis QueueModel::axisAt(const QDateTime& now) const {
  std::vector<QueueBar> bars;
  for (const QueueRow& row : rows_) {
    if (const auto bar = barOf(row.job, row.own)) bars.push_back(*bar);
  }
  return axisOf(bars, now);
}

void QueueModel::setNow(const QDateTime& now) {
  const QueueAxis next = axisAt(now);
  const bool isSame =
      axis_.now.isValid() && axis_.from.secsTo(axis_.to) == next.from.secsTo(next.to);
  if (isSame && std::abs(next.at(axis_.from)) < leastMove) return;
  axis_ = next;
  if (rows_.empty()) return;
  Q_EMIT dataChanged(index(0, Times), index(rowCount() - 1, Times));
  Q_EMIT headerDataChanged(Qt::Horizontal, Times, Times);
}

int QueueModel::rowOf(qint64 job) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(),
                                  [&](const QueueRow& one) { return one.job.id == job; });
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int QueueModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : Columns;
}

QString QueueModel::textOf(const QueueRow& row, int number, int column) const {
  const SlurmJob& job = row.job;
  switch (column) {
    case Position:
      return job.waits() ? QString::number(number - running_ + 1) : theme::noValue();
    case Job:
      return QString::number(job.id);
    case Name:
      return job.name;
    case User:
      return row.own ? tr("you") : job.user;
    case Partition:
      return job.partition;
    case Nodes:
      return QString::number(job.nodeCount);
    case State:
      if (job.waits()) return job.reason.isEmpty() ? tr("waiting") : job.reason;
      return job.state.toLower();
    case Starts:
      if (!job.waits()) return momentText(job.start);
      return job.start.isValid() ? tr("about %1").arg(momentText(job.start)) : theme::noValue();
    case Ends: {
      const QDateTime end = endOf(job);
      return end.isValid() ? momentText(end) : theme::noValue();
    }
    case Times:
      return barText(job, QDateTime::currentDateTime());
    default:
      return {};
  }
}

QString QueueModel::tipOf(const QueueRow& row) const {
  const SlurmJob& job = row.job;
  const auto now = QDateTime::currentDateTime();
  const QString nodes = theme::formatNoun(job.nodeCount, tr("node"), tr("nodes"));
  const QString limit =
      job.timeLimit > 0 ? tr("at most %1").arg(limitText(job.timeLimit)) : tr("no time limit");
  QStringList lines{tr("%1 %2 of %3").arg(job.id).arg(job.name, row.own ? tr("you") : job.user),
                    tr("%1, %2").arg(nodes, limit), barText(job, now)};
  if (!job.waits()) {
    if (const double left = job.timeLeft(now); left > 0)
      lines << tr("%1 left").arg(durationText(left));
  } else if (job.start.isValid()) {
    lines << (job.start > now ? tr("in %1, as Slurm plans it now")
                                    .arg(durationText(static_cast<double>(now.secsTo(job.start))))
                              : tr("as Slurm planned it"));
  }
  return lines.join(u'\n');
}

QVariant QueueModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const QueueRow& row = rows_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return textOf(row, index.row(), index.column());
    case Qt::TextAlignmentRole:
      return index.column() == Nodes ? QVariant(int(Qt::AlignRight | Qt::AlignVCenter))
                                     : QVariant();
    case Qt::ToolTipRole: {
      const QString never = row.job.waits() ? neverStarts(row.job.reason) : QString();
      if (!never.isEmpty()) return theme::wrappedTip(tr("It will never start: %1").arg(never));
      if (index.column() == Times) return tipOf(row);
      if (index.column() == Starts || index.column() == Ends)
        return row.job.waits() ? tr("As Slurm plans it now")
                               : tr("Ends at its limit, at the latest");
      return textOf(row, index.row(), index.column());
    }
    case theme::StateRole:
      if (index.column() != State) return {};
      if (!row.job.waits()) return QVariant::fromValue(theme::State::Running);
      return QVariant::fromValue(neverStarts(row.job.reason).isEmpty() ? theme::State::Idle
                                                                       : theme::State::Error);
    case theme::EmphasisRole:
      return row.own;
    case StartRole:
      return row.job.start;
    case EndRole:
      return endOf(row.job);
    case IsOwnRole:
      return row.own;
    case IdRole:
      return row.job.id;
    case BarRole: {
      const auto bar = barOf(row.job, row.own);
      return bar ? QVariant::fromValue(*bar) : QVariant();
    }
    case AxisRole:
      return QVariant::fromValue(axis_);
    default:
      return {};
  }
}

QVariant QueueModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section == Nodes)
    return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::AccessibleTextRole && section == Times) return tr("Times");
  if (role != Qt::DisplayRole || section == Times) return {};
  static const char* const heads[] = {
      QT_TR_NOOP("Pos."),          QT_TR_NOOP("Job"),       QT_TR_NOOP("Name"),
      QT_TR_NOOP("User"),          QT_TR_NOOP("Partition"), QT_TR_NOOP("Nodes"),
      QT_TR_NOOP("State, reason"), QT_TR_NOOP("Starts"),    QT_TR_NOOP("Ends")};
  return tr(heads[section]);
}

}  // namespace tutti::launcher
