// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/matrix_model.h"

#include <QMimeData>
#include <algorithm>

#include "launcher/ui/hosts_model.h"
#include "resources/theme/delegates.h"
#include "resources/theme/format.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

namespace {

/// Of a row; a federate has the number of its row, from 1.
constexpr quintptr isRow = 0;

bool isInColumn(const MatrixFederate& one, const MatrixColumn& column) {
  return column.isElsewhere()
             ? one.node == 0
             : std::find(column.nodes.begin(), column.nodes.end(), one.node) != column.nodes.end();
}

bool haveSameRows(const PlacementMatrix& a, const PlacementMatrix& b) {
  return std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(),
                    [](const MatrixRow& one, const MatrixRow& other) {
                      return one.key == other.key &&
                             std::equal(one.federates.begin(), one.federates.end(),
                                        other.federates.begin(), other.federates.end(),
                                        [](const MatrixFederate& x, const MatrixFederate& y) {
                                          return x.id == y.id;
                                        });
                    });
}

}  // namespace

void MatrixModel::setMatrix(PlacementMatrix matrix, std::vector<MatrixColumn> columns) {
  if (matrix == matrix_ && columns == columns_) return;
  // A selection stays while rows and columns are of the same things.
  if (columns == columns_ && haveSameRows(matrix, matrix_)) {
    matrix_ = std::move(matrix);
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    for (int row = 0; row < rowCount(); ++row) {
      const QModelIndex parent = index(row, 0);
      if (rowCount(parent) > 0)
        Q_EMIT dataChanged(index(0, 0, parent),
                           index(rowCount(parent) - 1, columnCount() - 1, parent));
    }
    return;
  }
  beginResetModel();
  matrix_ = std::move(matrix);
  columns_ = std::move(columns);
  endResetModel();
}

const MatrixColumn* MatrixModel::columnAt(int section) const {
  const int column = section - Heads;
  return column < 0 || column >= static_cast<int>(columns_.size())
             ? nullptr
             : &columns_[static_cast<std::size_t>(column)];
}

const MatrixRow* MatrixModel::rowAt(const QModelIndex& index) const {
  if (!index.isValid()) return nullptr;
  const auto row = index.internalId() == isRow ? static_cast<std::size_t>(index.row())
                                               : static_cast<std::size_t>(index.internalId() - 1);
  return row < matrix_.rows.size() ? &matrix_.rows[row] : nullptr;
}

const MatrixFederate* MatrixModel::federateAt(const QModelIndex& index) const {
  const MatrixRow* row = rowAt(index);
  if (row == nullptr) return nullptr;
  if (index.internalId() != isRow) return &row->federates[static_cast<std::size_t>(index.row())];
  return rowCount(index.siblingAtColumn(0)) == 0 ? &row->federates.front() : nullptr;
}

QModelIndex MatrixModel::indexOf(const QString& federate) const {
  for (int row = 0; row < static_cast<int>(matrix_.rows.size()); ++row) {
    const auto& all = matrix_.rows[static_cast<std::size_t>(row)].federates;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const MatrixFederate& one) { return one.id == federate; });
    if (found == all.end()) continue;
    const QModelIndex parent = index(row, 0);
    return rowCount(parent) == 0 ? parent : index(static_cast<int>(found - all.begin()), 0, parent);
  }
  return {};
}

QModelIndex MatrixModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column,
                     parent.isValid() ? static_cast<quintptr>(parent.row() + 1) : isRow);
}

QModelIndex MatrixModel::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == isRow) return {};
  return createIndex(static_cast<int>(child.internalId() - 1), 0, isRow);
}

int MatrixModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid())
    return matrix_.rows.empty() ? 0 : static_cast<int>(matrix_.rows.size()) + 1;
  if (parent.internalId() != isRow || parent.column() != 0) return 0;
  const MatrixRow* row = rowAt(parent);
  // One alone has nothing to open.
  if (row == nullptr || row->federates.size() < 2) return 0;
  return static_cast<int>(row->federates.size());
}

int MatrixModel::columnCount(const QModelIndex&) const {
  return Heads + static_cast<int>(columns_.size());
}

std::pair<int, int> MatrixModel::leastAndMost(const MatrixRow& row,
                                              const MatrixColumn& column) const {
  if (column.isElsewhere()) return {row.countOn(0), row.countOn(0)};
  int least = row.countOn(column.nodes.front());
  int most = least;
  for (const int node : column.nodes) {
    least = std::min(least, row.countOn(node));
    most = std::max(most, row.countOn(node));
  }
  return {least, most};
}

QStringList MatrixModel::idsAt(const QModelIndex& index) const {
  const MatrixRow* row = rowAt(index);
  if (row == nullptr) return {};
  const MatrixColumn* column = columnAt(index.column());
  const MatrixFederate* only = federateAt(index);
  QStringList ids;
  for (const MatrixFederate& one : row->federates) {
    if (only != nullptr && only != &one) continue;
    if (column == nullptr || isInColumn(one, *column)) ids << one.id;
  }
  return ids;
}

QString MatrixModel::textAt(const QModelIndex& index) const {
  const MatrixRow* row = rowAt(index);
  const MatrixColumn* column = columnAt(index.column());
  if (row == nullptr) {
    switch (index.column()) {
      case Group:
        return tr("RTI node");
      case Federates:
        return QString::number(matrix_.nodes.size());
      case Need:
        return tr("one a node");
      default:
        return column == nullptr || column->isElsewhere() || column->isFree ? QString()
                                                                            : QStringLiteral("1");
    }
  }
  const MatrixFederate* one = index.internalId() == isRow ? nullptr : federateAt(index);
  switch (index.column()) {
    case Group:
      return one == nullptr ? row->name : one->name;
    case Federates:
      return QString::number(one == nullptr ? row->count() : one->count);
    case Need:
      return one == nullptr ? row->need : one->need;
    default:
      break;
  }
  if (column == nullptr) return {};
  if (one != nullptr) {
    if (!isInColumn(*one, *column)) return {};
    if (column->isRange()) return tr("on %1").arg(one->node);
    return QString::number(one->count);
  }
  const auto [least, most] = leastAndMost(*row, *column);
  return least == most ? QString::number(least) : tr("%1–%2").arg(least).arg(most);
}

QString MatrixModel::readAt(const QModelIndex& index) const {
  const MatrixColumn* column = columnAt(index.column());
  const QString text = textAt(index);
  if (column == nullptr) return text;
  const QString what = textAt(index.siblingAtColumn(Group));
  const QString count = text.isEmpty() ? tr("none") : text;
  if (column->isElsewhere()) return tr("%1 elsewhere: %2").arg(what, count);
  return tr("%1 on %2: %3")
      .arg(what, headerData(index.column(), Qt::Horizontal, Qt::AccessibleTextRole).toString(),
           count);
}

QString MatrixModel::tipAt(const QModelIndex& index) const {
  const MatrixRow* row = rowAt(index);
  if (row == nullptr) return tr("Each node of the job runs one RTI node for its federates.");
  const MatrixColumn* column = columnAt(index.column());
  const MatrixFederate* one = federateAt(index);
  const QString what = one == nullptr ? row->name : one->name;
  if (column == nullptr) {
    if (index.column() == Need) return tr("%1: %2").arg(what, row->need);
    return what;
  }
  if (column->isElsewhere()) {
    QStringList places;
    for (const MatrixFederate& each : row->federates) {
      if (each.node == 0 && (one == nullptr || one == &each))
        places << tr("%1 on %2").arg(each.name, each.where);
    }
    const auto more = places.size() - 8;
    if (more > 0) places = places.mid(0, 8) << tr("and %1 more").arg(more);
    return places.isEmpty() ? tr("%1: none elsewhere").arg(what) : places.join(u'\n');
  }
  QStringList parts;
  for (const int node : column->nodes) {
    QStringList names;
    for (const MatrixFederate& each : row->federates) {
      if (each.node == node && (one == nullptr || one == &each)) names << each.name;
    }
    const auto more = names.size() - 6;
    if (more > 0) names = names.mid(0, 6) << tr("%1 more").arg(more);
    if (!names.isEmpty())
      parts << tr("Node %1: %2").arg(node).arg(names.join(QStringLiteral(", ")));
    if (parts.size() == 8 && column->nodes.size() > 8) {
      parts << tr("…");
      break;
    }
  }
  if (!parts.isEmpty()) return parts.join(u'\n');
  return column->isFree ? tr("Node %1 is not asked for yet: it is once a federate is on it")
                              .arg(column->nodes.front())
                        : tr("None of %1 here").arg(what);
}

QVariant MatrixModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const MatrixRow* row = rowAt(index);
  const MatrixColumn* column = columnAt(index.column());
  switch (role) {
    case Qt::DisplayRole:
      return textAt(index);
    case Qt::EditRole: {
      if (column == nullptr || row == nullptr) return textAt(index);
      // Of a range whose nodes differ no figure is the one of each.
      const auto [least, most] = leastAndMost(*row, *column);
      return least == most ? QVariant(least) : QVariant(QString());
    }
    case Qt::AccessibleTextRole:
      return readAt(index);
    case Qt::ToolTipRole:
      return theme::wrappedTip(tipAt(index));
    case Qt::TextAlignmentRole:
      if (index.column() == Federates) return int(Qt::AlignRight | Qt::AlignVCenter);
      return column == nullptr ? QVariant() : QVariant(int(Qt::AlignCenter));
    case theme::IconNameRole: {
      if (index.column() != Group) return {};
      if (row == nullptr) return QStringLiteral("activity");
      const MatrixFederate* one = federateAt(index);
      return one == nullptr ? row->icon : one->icon;
    }
    case theme::StaleRole:
      return row == nullptr || index.column() == Need;
    case ShareRole: {
      if (column == nullptr || row == nullptr || column->isElsewhere()) return {};
      if (index.internalId() != isRow) return {};
      const int most = leastAndMost(*row, *column).second;
      if (most == 0) return {};
      int largest = 1;
      for (const int node : matrix_.nodes) largest = std::max(largest, row->countOn(node));
      return static_cast<double>(most) / largest;
    }
    case IdsRole:
      return idsAt(index);
    case KeyRole:
      return row == nullptr ? QString() : row->key;
    default:
      return {};
  }
}

bool MatrixModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !flags(index).testFlag(Qt::ItemIsEditable)) return false;
  bool isNumber = false;
  const int count = value.toInt(&isNumber);
  const MatrixRow* row = rowAt(index);
  const auto [least, most] = leastAndMost(*row, *columnAt(index.column()));
  if (!isNumber || count < 0 || (count == least && count == most)) return false;
  Q_EMIT countEntered(row->key, columnAt(index.column())->nodes, count);
  return true;
}

QVariant MatrixModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const MatrixColumn* column = columnAt(section);
  switch (role) {
    case Qt::DisplayRole:
      if (section == Group) return tr("Group");
      if (section == Federates) return tr("Federates");
      if (section == Need) return tr("Needs");
      return column == nullptr ? QVariant() : titleOf(*column, matrix_);
    case Qt::TextAlignmentRole:
      if (section == Federates) return int(Qt::AlignRight | Qt::AlignVCenter);
      return column == nullptr ? int(Qt::AlignLeft | Qt::AlignVCenter) : int(Qt::AlignCenter);
    case Qt::AccessibleTextRole:
      if (column == nullptr) return headerData(section, orientation, Qt::DisplayRole);
      if (column->isElsewhere()) return tr("elsewhere");
      return column->isRange()
                 ? tr("nodes %1 to %2").arg(column->nodes.front()).arg(column->nodes.back())
                 : tr("node %1").arg(column->nodes.front());
    case Qt::ToolTipRole:
      if (column == nullptr) return {};
      if (column->isElsewhere())
        return theme::wrappedTip(tr("On this machine, on other hosts or in another partition"));
      if (column->isFree)
        return theme::wrappedTip(tr("Node %1 is not asked for yet: it is once a federate is on it")
                                     .arg(column->nodes.front()));
      if (column->isRange())
        return theme::wrappedTip(
            tr("How many are on each of the nodes %1 to %2. Click, or press Space in the column, "
               "to see each node.")
                .arg(column->nodes.front())
                .arg(column->nodes.back()));
      return theme::wrappedTip(tr("Node %1 of %2. Slurm chooses which real one that is when the "
                                  "job starts.")
                                   .arg(column->nodes.front())
                                   .arg(matrix_.partition.text()));
    default:
      return {};
  }
}

Qt::ItemFlags MatrixModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  Qt::ItemFlags result = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
  const MatrixColumn* column = columnAt(index.column());
  const bool isNode = column != nullptr && !column->isElsewhere();
  if (isNode) result |= Qt::ItemIsDropEnabled;
  if (rowAt(index) == nullptr) return result;
  if (isNode && index.internalId() == isRow) result |= Qt::ItemIsEditable;
  if (!idsAt(index).isEmpty()) result |= Qt::ItemIsDragEnabled;
  return result;
}

QStringList MatrixModel::mimeTypes() const { return mimeTypesOfFederates(); }

QMimeData* MatrixModel::mimeData(const QModelIndexList& indexes) const {
  QStringList ids;
  for (const QModelIndex& index : indexes) ids += idsAt(index);
  ids.removeDuplicates();
  return mimeOfFederates(ids);
}

bool MatrixModel::canDropMimeData(const QMimeData* data, Qt::DropAction, int row, int,
                                  const QModelIndex& parent) const {
  return row < 0 && parent.flags().testFlag(Qt::ItemIsDropEnabled) &&
         !federatesOfMime(data).isEmpty();
}

bool MatrixModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                               const QModelIndex& parent) {
  if (!canDropMimeData(data, action, row, column, parent)) return false;
  Q_EMIT dropped(federatesOfMime(data), columnAt(parent.column())->nodes);
  return true;
}

}  // namespace tutti::launcher
