// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <QHash>
#include <QList>

#include "fom-editor/model/loaded_model.h"

namespace tutti::fomedit {

/// How far a module is edited, for the Modules pane.
struct ModuleEditState {
  int edits = 0;  ///< not saved
  bool changedOnDisk = false;
  bool isGone = false;     ///< there is no file any more
  QString readOnlyReason;  ///< empty: it can be edited
  bool operator==(const ModuleEditState&) const = default;
};

/// The Modules pane: the MIM first, then the modules as they were asked for.
class ModuleListModel : public QAbstractListModel {
  Q_OBJECT
 public:
  enum Role {
    PathRole = Qt::UserRole + 1,  ///< QString
    DetailRole,  ///< QString at the right: "4 edits", "left out", "HLA 1.3 FED"; of 2010 empty
    MimRole,     ///< bool
    LockRole,    ///< bool: it cannot be edited; the tool tip says why
    EditsRole,   ///< int: edits that are not saved
    ReasonRole,  ///< QString: why it is not part of the merged model; empty: it is
    SwitchRole,  ///< bool: Qt::CheckStateRole says whether it takes part, and can be set
    LevelRole    ///< int(Level) of its worst finding; absent when it is fine
  };
  using QAbstractListModel::QAbstractListModel;

  void setModules(const QList<ModuleStatus>& modules);
  const QList<ModuleStatus>& modules() const { return modules_; }
  /// By path; those that are not among them are not open for editing.
  void setEditStates(const QHash<QString, ModuleEditState>& states);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 Q_SIGNALS:
  /// A person wants a module to take part in the merged model, or not. It does not change here.
  void switched(const QString& path, bool takesPart);

 private:
  QString toolTip(const ModuleStatus& module) const;
  QString detail(const ModuleStatus& module) const;

  QList<ModuleStatus> modules_;
  QHash<QString, ModuleEditState> states_;
};

/// The Checks pane: one row a finding; columns text with its level, place, and with setWithFixes()
/// the label of its fix.
class FindingModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { TextColumn, PlaceColumn, FixColumn, ColumnCount };
  enum Role {
    LevelRole = Qt::UserRole + 1,  ///< int(Level)
    FindingRole                    ///< the whole as copied text, for Copy
  };
  using QAbstractTableModel::QAbstractTableModel;

  /// Shows the findings of one level, or of all with -1.
  void setFindings(const QList<Finding>& findings);
  void setLevel(int level);
  int level() const { return level_; }
  /// Before a view has it.
  void setWithFixes(bool withFixes) { withFixes_ = withFixes; }
  const Finding* finding(const QModelIndex& index) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void select();
  QList<Finding> all_;
  QList<Finding> shown_;
  int level_ = -1;
  bool withFixes_ = false;
};

}  // namespace tutti::fomedit
