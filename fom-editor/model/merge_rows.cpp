// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/merge_rows.h"

#include <QSet>
#include <algorithm>

#include "fom-editor/model/item.h"
#include "fom-editor/model/merge_matching.h"

namespace tutti::fomedit {

namespace {

/// Which side a column shows; none for others.
std::optional<MergeChoice> sideOf(int column) {
  switch (column) {
    case MergeRows::BaseColumn:
      return MergeChoice::Base;
    case MergeRows::OursColumn:
      return MergeChoice::Ours;
    case MergeRows::TheirsColumn:
      return MergeChoice::Theirs;
    default:
      return std::nullopt;
  }
}

}  // namespace

QString mergeChoiceTitle(MergeChoice choice) {
  switch (choice) {
    case MergeChoice::Ours:
      return MergeRows::tr("Ours");
    case MergeChoice::Theirs:
      return MergeRows::tr("Theirs");
    case MergeChoice::Base:
      return MergeRows::tr("Base");
    case MergeChoice::Both:
      return MergeRows::tr("Both");
    case MergeChoice::Edited:
      break;
  }
  return MergeRows::tr("Own value");
}

MergeRows::MergeRows(MergeSession& session, QObject* parent)
    : QAbstractTableModel(parent), session_(session) {
  connect(&session, &MergeSession::merged, this, &MergeRows::adopt);
  connect(&session, &MergeSession::choicesChanged, this, [this] {
    if (!conflicts_.empty()) {
      Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    }
  });
  adopt();
}

void MergeRows::adopt() {
  std::vector<MergeConflict> found;
  if (session_.state()) found = session_.state()->merge.conflicts;
  // Rows stay where they are when a choice brings or removes others.
  QHash<QString, int> places;
  for (std::size_t i = 0; i < conflicts_.size(); ++i) {
    places.insert(text(conflicts_[i].key), static_cast<int>(i));
  }
  const int behind = static_cast<int>(conflicts_.size());
  std::stable_sort(found.begin(), found.end(), [&](const MergeConflict& a, const MergeConflict& b) {
    return places.value(text(a.key), behind) < places.value(text(b.key), behind);
  });
  const bool same =
      std::equal(found.begin(), found.end(), conflicts_.begin(), conflicts_.end(),
                 [](const MergeConflict& a, const MergeConflict& b) { return a.key == b.key; });
  if (same) {
    conflicts_ = std::move(found);
    if (!conflicts_.empty()) {
      Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    }
    return;
  }
  beginResetModel();
  conflicts_ = std::move(found);
  endResetModel();
}

const MergeConflict* MergeRows::conflict(int row) const {
  const bool there = row >= 0 && row < rowCount();
  return there ? &conflicts_[static_cast<std::size_t>(row)] : nullptr;
}

int MergeRows::rowOf(const QString& key) const {
  for (int row = 0; row < rowCount(); ++row) {
    if (text(conflict(row)->key) == key) return row;
  }
  return -1;
}

bool MergeRows::isOpen(int row) const {
  const MergeConflict* c = conflict(row);
  return c != nullptr && !session_.chosen(*c);
}

int MergeRows::next(int row, int direction) const {
  const int rows = rowCount();
  if (rows == 0) return -1;
  const int from = row < 0 ? (direction > 0 ? -1 : 0) : row;
  for (int step = 1; step <= rows; ++step) {
    const int at = ((from + direction * step) % rows + rows) % rows;
    if (isOpen(at)) return at;
  }
  return ((from + direction) % rows + rows) % rows;
}

int MergeRows::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(conflicts_.size());
}

int MergeRows::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant MergeRows::data(const QModelIndex& index, int role) const {
  const MergeConflict* c = conflict(index.row());
  if (c == nullptr) return {};
  const auto chosen = session_.chosen(*c);
  const auto side = sideOf(index.column());
  switch (role) {
    case ReasonRole:
      return text(c->reason);
    case ChoiceRole:
      return chosen ? static_cast<int>(chosen->choice) : -1;
    case OfferedRole: {
      QList<int> offered;
      for (const MergeChoice choice : c->offered) offered << static_cast<int>(choice);
      return QVariant::fromValue(offered);
    }
    case TakenRole:
      return chosen && side &&
             (chosen->choice == *side ||
              (chosen->choice == MergeChoice::Both && *side != MergeChoice::Base));
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
      break;
    default:
      return {};
  }
  if (index.column() == TakeColumn) {
    if (!chosen) return c->offered.empty() ? tr("nothing yet") : tr("open");
    const QString title = mergeChoiceTitle(chosen->choice);
    return chosen->choice == MergeChoice::Edited
               ? QStringLiteral("%1: %2").arg(title, text(chosen->text))
               : title;
  }
  if (!side) {
    return role == Qt::ToolTipRole ? text(c->place + '\n' + c->reason) : text(c->place);
  }
  const MergeSide& shown = *side == MergeChoice::Base   ? c->base
                           : *side == MergeChoice::Ours ? c->ours
                                                        : c->theirs;
  if (shown.text.empty()) return shown.line > 0 ? tr("empty") : QStringLiteral("–");
  return text(shown.text);
}

QVariant MergeRows::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  if (section == WhereColumn) return tr("Where");
  if (section == TakeColumn) return tr("Take");
  const auto side = sideOf(section);
  return side ? mergeChoiceTitle(*side) : QVariant();
}

MergeExcerpt excerptOf(const ModuleSource& source, const MergeSide& side, int mostLines) {
  if (side.element == noElement) return {};
  // A value says more with the row that it is of.
  ElementId row = side.element;
  while (!isNamedRow(source, row) && source.at(row).parent != noElement &&
         source.at(row).parent != ModuleSource::root()) {
    row = source.at(row).parent;
  }
  const std::string_view all = source.text();
  const auto beginOfLine = [&](std::size_t at) {
    const std::size_t end = at == 0 ? std::string_view::npos : all.find_last_of("\r\n", at - 1);
    return end == std::string_view::npos ? 0 : end + 1;
  };
  const std::size_t place = source.at(side.element).whole.begin;
  const int at = source.lineOf(side.element);
  std::size_t begin = beginOfLine(source.at(row).whole.begin);
  // Of a class with all below it, what is around the place.
  if (at - source.lineOf(row) >= mostLines) {
    begin = beginOfLine(place);
    for (int back = 0; back < mostLines / 2 && begin > 0; ++back) {
      const bool isPair = begin > 1 && all.substr(begin - 2, 2) == "\r\n";
      begin = beginOfLine(begin - (isPair ? 2 : 1));
    }
  }
  const int first = source.lineOf(begin);
  QStringList lines;
  std::size_t line = begin;
  while (lines.size() < mostLines && line < source.at(row).whole.end) {
    const std::size_t end = std::min(all.find_first_of("\r\n", line), all.size());
    lines << text(all.substr(line, end - line));
    line = end + (all.substr(end).starts_with("\r\n") ? 2 : 1);
  }
  qsizetype indent = -1;
  for (const QString& one : std::as_const(lines)) {
    const auto word = std::find_if(one.begin(), one.end(), [](QChar c) { return !c.isSpace(); });
    if (word == one.end()) continue;
    const qsizetype blanks = word - one.begin();
    indent = indent < 0 ? blanks : std::min(indent, blanks);
  }
  for (QString& one : lines) one = one.mid(std::max<qsizetype>(indent, 0));
  const int column = source.columnOf(place) - 1;
  return {lines.join(u'\n'), first, at - first,
          std::max(0, column - static_cast<int>(std::max<qsizetype>(indent, 0)))};
}

}  // namespace tutti::fomedit
