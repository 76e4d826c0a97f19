// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/lists.h"

namespace tutti::fomedit {

void ModuleListModel::setModules(const QList<ModuleStatus>& modules) {
  if (modules == modules_) return;
  beginResetModel();
  modules_ = modules;
  endResetModel();
}

int ModuleListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(modules_.size());
}

QVariant ModuleListModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= modules_.size()) return {};
  const ModuleStatus& m = modules_[index.row()];
  switch (role) {
    case Qt::DisplayRole:
      return m.name;
    case Qt::ToolTipRole:
      return m.edition.isEmpty() ? m.path : m.path + u'\n' + m.edition;
    case PathRole:
      return m.path;
    case DetailRole:
      if (m.isMim) return QStringLiteral("read only");
      if (!m.merged) return QStringLiteral("left out");
      // What most are needs no words.
      return m.edition == QStringLiteral("IEEE 1516-2010") ? QString() : m.edition;
    case MimRole:
      return m.isMim;
    case LevelRole:
      if (m.errors > 0) return static_cast<int>(Level::Loads);
      return m.warnings > 0 ? QVariant(static_cast<int>(Level::Complete)) : QVariant();
    default:
      return {};
  }
}

void FindingModel::setFindings(const QList<Finding>& findings) {
  if (findings == all_) return;
  all_ = findings;
  select();
}

void FindingModel::setLevel(int level) {
  if (level == level_) return;
  level_ = level;
  select();
}

void FindingModel::select() {
  beginResetModel();
  shown_.clear();
  for (const Finding& f : all_) {
    if (level_ < 0 || static_cast<int>(f.level) == level_) shown_.append(f);
  }
  endResetModel();
}

const Finding* FindingModel::finding(const QModelIndex& index) const {
  return index.isValid() && index.row() < shown_.size() ? &shown_[index.row()] : nullptr;
}

int FindingModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

int FindingModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant FindingModel::data(const QModelIndex& index, int role) const {
  const Finding* f = finding(index);
  if (f == nullptr) return {};
  switch (role) {
    case Qt::DisplayRole:
      return index.column() == TextColumn ? f->text : placeText(f->file, f->line);
    case Qt::ToolTipRole:
      return f->hint.isEmpty() ? f->text : f->text + u'\n' + f->hint;
    case LevelRole:
      return static_cast<int>(f->level);
    case FindingRole: {
      QString whole = f->file;
      if (f->line > 0) whole += QStringLiteral(":%1").arg(f->line);
      whole += QStringLiteral(": ") + f->text;
      if (!f->hint.isEmpty()) whole += u' ' + f->hint;
      if (!f->otherFile.isEmpty()) {
        whole += QStringLiteral(" See %1:%2.").arg(f->otherFile).arg(f->otherLine);
      }
      return whole;
    }
    default:
      return {};
  }
}

QVariant FindingModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == TextColumn ? QStringLiteral("Finding") : QStringLiteral("Where");
}

}  // namespace tutti::fomedit
