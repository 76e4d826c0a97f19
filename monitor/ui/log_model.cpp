// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/log_model.h"

#include <QDateTime>

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
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
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

void LogFilter::setLeast(LogLevel level) {
  if (least_ == level) return;
  least_ = level;
  invalidateFilter();
}

void LogFilter::setSubject(const QString& subject) {
  if (subject_ == subject) return;
  subject_ = subject;
  invalidateFilter();
}

void LogFilter::setText(const QString& text) {
  if (text_ == text) return;
  text_ = text;
  invalidateFilter();
}

bool LogFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex index = sourceModel()->index(row, 0, parent);
  if (index.data(LogModel::LevelRole).toInt() < static_cast<int>(least_)) return false;
  if (!subject_.isEmpty() && index.data(LogModel::SubjectRole).toString() != subject_) return false;
  return text_.isEmpty() || sourceModel()
                                ->index(row, LogModel::Text, parent)
                                .data()
                                .toString()
                                .contains(text_, Qt::CaseInsensitive);
}

}  // namespace tutti::monitor
