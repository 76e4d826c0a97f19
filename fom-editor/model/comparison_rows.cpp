// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/comparison_rows.h"

#include <algorithm>

namespace tutti::fomedit {

namespace {

const Entry& at(const std::vector<Entry>& all, int i) { return all[static_cast<std::size_t>(i)]; }

bool isClassKind(EntryKind kind) {
  return kind == EntryKind::ObjectClass || kind == EntryKind::InteractionClass;
}

}  // namespace

void ComparisonRows::setComparison(std::shared_ptr<const Comparison> comparison) {
  beginResetModel();
  comparison_ = std::move(comparison);
  choose();
  endResetModel();
}

void ComparisonRows::setFilter(const ComparisonFilter& filter) {
  if (filter == filter_) return;
  beginResetModel();
  filter_ = filter;
  choose();
  endResetModel();
}

bool ComparisonRows::isHit(const DifferenceRow& row) const {
  if (row.difference < 0) return false;
  const auto i = static_cast<std::size_t>(row.difference);
  const Difference& d = difference().differences[i];
  if (!filter_.marks[static_cast<std::size_t>(d.mark)]) return false;
  if (filter_.kind >= 0 && static_cast<int>(d.kind) != filter_.kind) return false;
  if (filter_.onTheWire && !comparison_->report.compatibility.onTheWire[i]) return false;
  if (filter_.text.isEmpty()) return true;
  const auto contains = [&](const std::vector<Entry>& all, int entry) {
    return entry >= 0 && at(all, entry).shortPath().contains(filter_.text, Qt::CaseInsensitive);
  };
  return contains(difference().before, d.before) || contains(difference().after, d.after);
}

void ComparisonRows::choose() {
  lines_.clear();
  hits_.clear();
  if (!comparison_ || !comparison_->fault.isEmpty()) return;
  const std::vector<DifferenceRow>& rows = difference().rows;
  std::vector<bool> shown(rows.size(), !filter_.onlyDifferences);
  std::vector<std::size_t> above;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    above.resize(static_cast<std::size_t>(rows[i].depth));
    if (isHit(rows[i])) {
      shown[i] = true;
      for (const std::size_t up : above) shown[up] = true;
    }
    above.push_back(i);
  }
  int heading = -1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!shown[i]) continue;
    const DifferenceRow& row = rows[i];
    const EntryKind kind = row.before >= 0 ? at(difference().before, row.before).kind
                                           : at(difference().after, row.after).kind;
    if (row.depth == 0 && !isClassKind(kind) && heading != static_cast<int>(kind)) {
      heading = static_cast<int>(kind);
      lines_.push_back({-1, kind});
    }
    // What has moved is met once, where it is now.
    if (isHit(row) && !row.movedAway) hits_.push_back(static_cast<int>(lines_.size()));
    lines_.push_back({static_cast<int>(i), kind});
  }
}

int ComparisonRows::numberOf(int row) const {
  const auto found = std::lower_bound(hits_.begin(), hits_.end(), row);
  return found != hits_.end() && *found == row ? static_cast<int>(found - hits_.begin()) + 1 : 0;
}

int ComparisonRows::nextDifference(int row, int direction) const {
  if (hits_.empty()) return -1;
  if (direction > 0) {
    const auto next = std::upper_bound(hits_.begin(), hits_.end(), row);
    return next != hits_.end() ? *next : hits_.front();
  }
  const auto found = std::lower_bound(hits_.begin(), hits_.end(), row);
  return found != hits_.begin() ? *std::prev(found) : hits_.back();
}

int ComparisonRows::rowOf(int wanted) const {
  for (const int hit : hits_) {
    const auto row = static_cast<std::size_t>(lines_[static_cast<std::size_t>(hit)].row);
    if (difference().rows[row].difference == wanted) return hit;
  }
  return -1;
}

int ComparisonRows::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

int ComparisonRows::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : AfterColumn + 1;
}

QString ComparisonRows::textOf(const Entry& entry, bool detail) const {
  if (!detail) return entry.name;
  switch (entry.kind) {
    case EntryKind::ObjectClass:
    case EntryKind::InteractionClass: {
      const auto& all = &entry >= difference().before.data() &&
                                &entry < difference().before.data() + difference().before.size()
                            ? difference().before
                            : difference().after;
      const auto members = std::count_if(entry.children.begin(), entry.children.end(),
                                         [&](int child) { return isMember(at(all, child).kind); });
      if (members == 0) return {};
      const QString noun = kindName(entry.kind == EntryKind::ObjectClass ? EntryKind::Attribute
                                                                         : EntryKind::Parameter);
      return QStringLiteral("%1 %2%3").arg(members).arg(
          noun, members == 1 ? QString() : QStringLiteral("s"));
    }
    default:
      break;
  }
  for (const char16_t* name : {u"Datatype", u"Value", u"Kind", u"Setting", u"Rate", u"Version"}) {
    if (const QString value = entry.value(name); !value.isEmpty()) return value;
  }
  return {};
}

QVariant ComparisonRows::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Line& line = lines_[static_cast<std::size_t>(index.row())];
  if (role == KindRole) return static_cast<int>(line.kind);
  if (role == HeadingRole) return line.row < 0;
  if (line.row < 0) {
    if (role == Qt::DisplayRole && index.column() != MarkColumn) return kindTitle(line.kind);
    if (role == DifferenceRole || role == MarkRole) return -1;
    return {};
  }
  const DifferenceRow& row = difference().rows[static_cast<std::size_t>(line.row)];
  // What moved away is shown where it was, and where it went on the other side.
  const int entry = index.column() == AfterColumn ? row.after : row.before;
  const bool elsewhere = index.column() == BeforeColumn && row.difference >= 0 && row.after >= 0 &&
                         difference().differences[static_cast<std::size_t>(row.difference)].moved;
  const std::vector<Entry>& all =
      index.column() == AfterColumn ? difference().after : difference().before;
  const bool missing = entry < 0 || elsewhere;
  const Difference* d = row.difference >= 0
                            ? &difference().differences[static_cast<std::size_t>(row.difference)]
                            : nullptr;
  switch (role) {
    case Qt::DisplayRole:
      if (index.column() == MarkColumn)
        return d != nullptr ? QString(markSign(d->mark)) : QString();
      return missing ? QString() : textOf(at(all, entry), false);
    case DetailRole:
      return missing || index.column() == MarkColumn ? QString() : textOf(at(all, entry), true);
    case DifferenceRole:
      return row.difference;
    case MarkRole:
      return d != nullptr ? static_cast<int>(d->mark) : -1;
    case DepthRole:
      return row.depth;
    case MissingRole:
      return index.column() != MarkColumn && missing;
    case WireRole:
      return d != nullptr &&
             comparison_->report.compatibility.onTheWire[static_cast<std::size_t>(row.difference)];
    case Qt::AccessibleTextRole:
    case Qt::ToolTipRole: {
      if (d == nullptr) return missing ? QString() : at(all, entry).shortPath();
      QStringList words{difference().pathOf(*d) + QStringLiteral(", ") + markName(d->mark)};
      const QString meaning = comparison_->report.compatibility.explanations.value(row.difference);
      if (!meaning.isEmpty()) words << meaning;
      return words.join(role == Qt::ToolTipRole ? QStringLiteral("\n") : QStringLiteral(". "));
    }
    default:
      return {};
  }
}

QVariant ComparisonRows::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole || orientation != Qt::Horizontal || !comparison_) return {};
  switch (section) {
    case BeforeColumn:
      return QStringLiteral("A: ") + comparison_->report.before;
    case AfterColumn:
      return QStringLiteral("B: ") + comparison_->report.after;
    default:
      return {};
  }
}

Qt::ItemFlags ComparisonRows::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  if (lines_[static_cast<std::size_t>(index.row())].row < 0) {
    return Qt::ItemIsEnabled;
  }
  return Qt::ItemIsEnabled | Qt::ItemIsSelectable;
}

}  // namespace tutti::fomedit
