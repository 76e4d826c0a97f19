// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTreeView>
#include <QWidget>
#include <memory>

#include "fom-editor/model/tables.h"

class QComboBox;
class QHBoxLayout;
class QVBoxLayout;

namespace tutti::fomedit {

class OpenModules;
class RowEditor;

/// A tree of rows that are edited in place, with the chevrons of the outline.
class ModuleTree : public QTreeView {
  Q_OBJECT
 public:
  ModuleTree(const QString& name, QWidget* parent);

 protected:
  void drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override;
};

/// A table of one module at a time, or of all: a bar to choose the module, and below it what the
/// class that derives from it shows.
class ModulePage : public QWidget {
  Q_OBJECT
 public:
  /// `all`: a first entry shows all modules. Neither is owned.
  ModulePage(const QString& name, RowEditor& rows, OpenModules& modules, bool all, QWidget* parent);

  /// What the page shows is of this model.
  void setModel(std::shared_ptr<const omt::ObjectModel> model);
  /// Shows what the modules hold now.
  void update();
  /// Shows a module; a path that is not open changes nothing.
  void showModule(const QString& path);
  /// What is shown, to export.
  virtual Table table() const = 0;
  /// What takes the focus.
  virtual QWidget* mainView() const = 0;
  /// Where the filter is; may be null.
  virtual QWidget* searchField() const { return nullptr; }

 Q_SIGNALS:
  /// Asks to show an item, by itemPath().
  void itemActivated(const QString& item);
  void placeActivated(const QString& file, int line);

 protected:
  virtual void refresh() = 0;
  /// The module to begin with; -1: none is better than the others.
  virtual int firstModule() const { return -1; }

  /// By its place in OpenModules; -1: all, or there is none.
  int module() const;
  RowEditor& rows() const { return rows_; }
  OpenModules& modules() const { return modules_; }
  const std::shared_ptr<const omt::ObjectModel>& model() const { return model_; }
  /// Behind the modules.
  QHBoxLayout* bar() const { return bar_; }
  /// Below the bar.
  QVBoxLayout* column() const { return column_; }

 private:
  void fillModules();

  RowEditor& rows_;
  OpenModules& modules_;
  std::shared_ptr<const omt::ObjectModel> model_;
  bool all_;
  bool filling_ = false;
  QString chosen_;  ///< path; empty: all, or nothing yet
  QComboBox* chooser_;
  QHBoxLayout* bar_;
  QVBoxLayout* column_;
};

}  // namespace tutti::fomedit
