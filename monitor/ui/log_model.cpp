// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/log_model.h"

#include <QDateTime>
#include <algorithm>
#include <utility>

#include "resources/theme/delegates.h"
#include "resources/theme/format.h"

namespace tutti::monitor {

using theme::State;

namespace {

State stateOfLevel(LogLevel level) {
  switch (level) {
    case LogLevel::Error:
      return State::Error;
    case LogLevel::Warning:
      return State::Warning;
    case LogLevel::Info:
      return State::Info;
    default:
      return State::Idle;
  }
}

}  // namespace

LogModel::LogModel(QObject* parent) : QAbstractTableModel(parent) {}

void LogModel::append(const std::vector<LogRecord>& lines) {
  // Folding changes rows that are there; new rows are then added at once.
  std::vector<Line> fresh;
  const std::int64_t end = removed_ + static_cast<std::int64_t>(lines_.size());
  for (const LogRecord& record : lines) {
    const auto newest = newestOf_.constFind(record.subject);
    if (newest != newestOf_.constEnd() && *newest >= removed_) {
      Line& line = *newest < end ? lines_[static_cast<std::size_t>(*newest - removed_)]
                                 : fresh[static_cast<std::size_t>(*newest - end)];
      if (line.record.text == record.text && line.record.level == record.level) {
        ++line.count;
        line.last = record.at;
        if (*newest < end) {
          const int row = static_cast<int>(*newest - removed_);
          emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
        }
        continue;
      }
    }
    newestOf_[record.subject] = end + static_cast<std::int64_t>(fresh.size());
    fresh.push_back({record, record.at, 1});
  }
  if (fresh.empty()) return;
  if (fresh.size() > static_cast<std::size_t>(capacity)) {
    const std::size_t surplus = fresh.size() - static_cast<std::size_t>(capacity);
    clear();
    removed_ = end + static_cast<std::int64_t>(surplus);
    fresh.erase(fresh.begin(), fresh.begin() + static_cast<std::ptrdiff_t>(surplus));
    newestOf_.clear();
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      newestOf_[fresh[i].record.subject] = removed_ + static_cast<std::int64_t>(i);
    }
  }
  const int first = rowCount();
  beginInsertRows({}, first, first + static_cast<int>(fresh.size()) - 1);
  for (Line& line : fresh) lines_.push_back(std::move(line));
  endInsertRows();
  const int surplus = rowCount() - capacity;
  if (surplus > 0) {
    beginRemoveRows({}, 0, surplus - 1);
    lines_.erase(lines_.begin(), lines_.begin() + surplus);
    removed_ += surplus;
    endRemoveRows();
  }
}

void LogModel::clear() {
  beginResetModel();
  lines_.clear();
  newestOf_.clear();
  removed_ = 0;
  endResetModel();
}

QString LogModel::textOf(int row) const {
  const Line& line = lines_[static_cast<std::size_t>(row)];
  return QStringLiteral("%1 %2 %3")
      .arg(theme::formatClock(QDateTime::fromMSecsSinceEpoch(line.record.at)), line.record.subject,
           line.record.text);
}

int LogModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

int LogModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Line& line = lines_[static_cast<std::size_t>(index.row())];
  const LogRecord& record = line.record;
  switch (role) {
    case Qt::DisplayRole:
      switch (index.column()) {
        case Time:
          return theme::formatClock(QDateTime::fromMSecsSinceEpoch(record.at));
        case Subject:
          return record.subject;
        case Text: {
          // Columns made of spaces do not line up in this font; they only take the room.
          const QString text = record.text.simplified();
          return line.count == 1 ? text : QStringLiteral("%1  × %2").arg(text).arg(line.count);
        }
        default:
          return {};
      }
    case Qt::ToolTipRole:
      if (index.column() == Time) {
        QString text = theme::formatClockLong(QDateTime::fromMSecsSinceEpoch(record.at));
        if (line.count > 1) {
          text += QStringLiteral("\nlast of %1: ").arg(line.count) +
                  theme::formatClockLong(QDateTime::fromMSecsSinceEpoch(line.last));
        }
        return text;
      }
      return index.column() == Text ? QVariant(record.text) : QVariant();
    case theme::StateRole:
      return index.column() == Subject ? QVariant::fromValue(stateOfLevel(record.level))
                                       : QVariant();
    case theme::TintRole:
      return record.level == LogLevel::Error ? QVariant::fromValue(State::Error) : QVariant();
    case theme::LinkRole:
      return index.column() == Subject ? record.subject : QString();
    case theme::StaleRole:
      return index.column() == Time;
    case LevelRole:
      return static_cast<int>(record.level);
    case SubjectRole:
      return record.subject;
    case CountRole:
      return line.count;
    default:
      return {};
  }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case Time:
      return QStringLiteral("Time");
    case Subject:
      return QStringLiteral("From");
    case Text:
      return QStringLiteral("Text");
    default:
      return {};
  }
}

LogFilter::LogFilter(LogModel* model, QObject* parent) : QAbstractProxyModel(parent) {
  setSourceModel(model);
  fill();
  connect(model, &QAbstractItemModel::rowsInserted, this,
          [this](const QModelIndex&, int first, int last) { append(first, last); });
  connect(model, &QAbstractItemModel::rowsRemoved, this,
          [this](const QModelIndex&, int first, int last) { removeFront(last - first + 1); });
  connect(model, &QAbstractItemModel::modelAboutToBeReset, this, [this] { beginResetModel(); });
  connect(model, &QAbstractItemModel::modelReset, this, [this] {
    fill();
    endResetModel();
  });
  connect(model, &QAbstractItemModel::dataChanged, this,
          [this](const QModelIndex& first, const QModelIndex& last) {
            for (int row = first.row(); row <= last.row(); ++row) {
              const QModelIndex changed = mapFromSource(sourceModel()->index(row, 0));
              if (changed.isValid())
                emit dataChanged(changed, changed.siblingAtColumn(columnCount() - 1));
            }
          });
}

void LogFilter::setLeast(LogLevel level) {
  if (std::exchange(least_, level) != level) filterAll();
}

void LogFilter::setSubject(const QString& subject) {
  if (std::exchange(subject_, subject) != subject) filterAll();
}

void LogFilter::setText(const QString& text) {
  if (std::exchange(text_, text) != text) filterAll();
}

void LogFilter::filterAll() {
  beginResetModel();
  fill();
  endResetModel();
}

void LogFilter::fill() {
  lines_.clear();
  removed_ = 0;
  for (int row = 0; row < sourceModel()->rowCount(); ++row) {
    if (accepts(row)) lines_.push_back(row);
  }
}

void LogFilter::append(int first, int last) {
  std::vector<std::int64_t> fresh;
  for (int row = first; row <= last; ++row) {
    if (accepts(row)) fresh.push_back(removed_ + row);
  }
  if (fresh.empty()) return;
  const int end = rowCount();
  beginInsertRows({}, end, end + static_cast<int>(fresh.size()) - 1);
  lines_.insert(lines_.end(), fresh.begin(), fresh.end());
  endInsertRows();
}

void LogFilter::removeFront(int count) {
  removed_ += count;
  const auto kept = std::lower_bound(lines_.begin(), lines_.end(), removed_);
  if (kept == lines_.begin()) return;
  beginRemoveRows({}, 0, static_cast<int>(kept - lines_.begin()) - 1);
  lines_.erase(lines_.begin(), kept);
  endRemoveRows();
}

bool LogFilter::accepts(int row) const {
  const QModelIndex line = sourceModel()->index(row, LogModel::Text);
  if (line.data(LogModel::LevelRole).toInt() < static_cast<int>(least_)) return false;
  if (!subject_.isEmpty() && line.data(LogModel::SubjectRole).toString() != subject_) return false;
  return text_.isEmpty() || line.data().toString().contains(text_, Qt::CaseInsensitive);
}

QModelIndex LogFilter::mapToSource(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const auto line = lines_[static_cast<std::size_t>(index.row())];
  return sourceModel()->index(static_cast<int>(line - removed_), index.column());
}

QModelIndex LogFilter::mapFromSource(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const std::int64_t line = removed_ + index.row();
  const auto found = std::lower_bound(lines_.begin(), lines_.end(), line);
  if (found == lines_.end() || *found != line) return {};
  return createIndex(static_cast<int>(found - lines_.begin()), index.column());
}

QModelIndex LogFilter::index(int row, int column, const QModelIndex& parent) const {
  return hasIndex(row, column, parent) ? createIndex(row, column) : QModelIndex();
}

QModelIndex LogFilter::parent(const QModelIndex&) const { return {}; }

int LogFilter::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

int LogFilter::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : LogModel::ColumnCount;
}

}  // namespace tutti::monitor
