// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/lists.h"

namespace tutti::fomedit {

void ModuleListModel::setModules(const QList<ModuleStatus>& modules) {
  if (modules == modules_) return;
  beginResetModel();
  modules_ = modules;
  endResetModel();
}

void ModuleListModel::setEditStates(const QHash<QString, ModuleEditState>& states) {
  if (states == states_) return;
  states_ = states;
  if (!modules_.isEmpty()) {
    Q_EMIT dataChanged(index(0), index(static_cast<int>(modules_.size()) - 1));
  }
}

QString ModuleListModel::toolTip(const ModuleStatus& module) const {
  QStringList lines{module.path};
  if (!module.edition.isEmpty()) {
    lines << (module.kind.isEmpty() ? module.edition : module.edition + u' ' + module.kind);
  }
  if (!module.takesPart) {
    lines << QStringLiteral("Not part of the merged model. ") +
                 (module.reason.isEmpty() ? QStringLiteral("It is switched off.") : module.reason);
  } else if (!module.reason.isEmpty()) {
    lines << module.reason;
  }
  const ModuleEditState state = states_.value(module.path);
  if (module.isMim) lines << QStringLiteral("Read only: the standard's module, built in.");
  if (!state.readOnlyReason.isEmpty()) {
    lines << QStringLiteral("Read only: ") + state.readOnlyReason;
  }
  if (state.changedOnDisk) {
    lines << QStringLiteral("Another program changed the file; reload it or keep your edits.");
  }
  return lines.join(u'\n');
}

QString ModuleListModel::detail(const ModuleStatus& module) const {
  if (module.isMim) return QStringLiteral("read only");
  const ModuleEditState state = states_.value(module.path);
  QStringList said;
  if (state.isGone) said << QStringLiteral("not on disk");
  if (state.changedOnDisk) said << QStringLiteral("changed on disk");
  if (state.edits == 1) said << QStringLiteral("1 edit");
  if (state.edits > 1) said << QStringLiteral("%1 edits").arg(state.edits);
  if (!module.merged) {
    said << (module.edition.isEmpty() ? QStringLiteral("broken") : QStringLiteral("left out"));
  }
  if (!said.isEmpty()) return said.join(QStringLiteral(", "));
  if (module.kind == QStringLiteral("SOM") || module.kind == QStringLiteral("MIM")) {
    said << module.kind;
  }
  if (!said.isEmpty() && module.edition == QStringLiteral("IEEE 1516-2010")) return said.front();
  if (!said.isEmpty()) return said.front() + QStringLiteral(", ") + module.edition;
  // What most are needs no words.
  return module.edition == QStringLiteral("IEEE 1516-2010") ? QString() : module.edition;
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
      return toolTip(m);
    case PathRole:
      return m.path;
    case DetailRole:
      return detail(m);
    case MimRole:
      return m.isMim;
    case LockRole:
      return m.isMim || !states_.value(m.path).readOnlyReason.isEmpty();
    case EditsRole:
      return states_.value(m.path).edits;
    case ReasonRole:
      if (m.takesPart && m.merged) return QString();
      return m.reason.isEmpty() ? QStringLiteral("It is switched off.") : m.reason;
    case SwitchRole:
      return m.hasSwitch;
    case Qt::CheckStateRole:
      if (!m.hasSwitch) return {};
      return m.takesPart ? Qt::Checked : Qt::Unchecked;
    case Qt::AccessibleTextRole: {
      const QString said = detail(m);
      QStringList parts{m.name};
      if (!said.isEmpty()) parts << said;
      if (!m.takesPart) parts << QStringLiteral("not part of the merged model");
      if (!m.reason.isEmpty()) parts << m.reason;
      return parts.join(QStringLiteral(", "));
    }
    case LevelRole:
      if (m.errors > 0) return static_cast<int>(Level::Loads);
      return m.warnings > 0 ? QVariant(static_cast<int>(Level::Complete)) : QVariant();
    default:
      return {};
  }
}

bool ModuleListModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::CheckStateRole || !index.data(SwitchRole).toBool()) return false;
  Q_EMIT switched(modules_[index.row()].path, value.toInt() == Qt::Checked);
  return true;
}

Qt::ItemFlags ModuleListModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags plain = QAbstractListModel::flags(index);
  return index.data(SwitchRole).toBool() ? plain | Qt::ItemIsUserCheckable : plain;
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
  if (parent.isValid()) return 0;
  return withFixes_ ? ColumnCount : FixColumn;
}

QVariant FindingModel::data(const QModelIndex& index, int role) const {
  const Finding* f = finding(index);
  if (f == nullptr) return {};
  switch (role) {
    case Qt::DisplayRole:
      if (index.column() == FixColumn) return f->fix.label;
      return index.column() == TextColumn ? f->text : placeText(f->file, f->line);
    case Qt::ToolTipRole: {
      if (index.column() == FixColumn && !f->fix.isNull()) return f->fix.label;
      QStringList lines{f->text};
      if (!f->hint.isEmpty()) lines << f->hint;
      if (!f->source.isEmpty()) lines << f->source;
      return lines.join(u'\n');
    }
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
  return section == TextColumn    ? QStringLiteral("Finding")
         : section == PlaceColumn ? QStringLiteral("Where")
                                  : QStringLiteral("Fix");
}

}  // namespace tutti::fomedit
