// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <functional>

#include "fom-editor/model/note_table.h"
#include "fom-editor/ui/module_page.h"
#include "resources/theme/delegates.h"

class QAction;
class QMenu;
class QPushButton;
class QStackedWidget;
class QTreeView;

namespace tutti::theme {
class EmptyView;
class SearchField;
}  // namespace tutti::theme

namespace tutti::fomedit {

class CellEditing;

/// The notes of a module as a tree: notes, and below each where it is used.
class NoteModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum Column { LabelColumn, SemanticsColumn, UsedColumn, ColumnCount };
  enum Role { RefusalRole = Qt::UserRole + 900 };  ///< QString, as in TableModel
  using QAbstractItemModel::QAbstractItemModel;

  /// `path` is the module's. Rows that stay keep their places.
  void setNotes(const QString& path, const QList<NoteEntry>& notes, bool editable);
  /// Shows notes whose label, semantics or places have these words.
  void setFilter(const QString& words);
  void setWriter(CellWriter* writer) { writer_ = writer; }
  const NoteEntry* note(const QModelIndex& index) const;
  const NoteUse* use(const QModelIndex& index) const;
  RowRef refOf(const QModelIndex& index) const;
  QString cellOf(const QModelIndex& index) const;
  QModelIndex indexOf(const QString& label) const;
  int count() const { return static_cast<int>(notes_.size()); }

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& = {}) const override { return ColumnCount; }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

 private:
  void select();

  QString path_;
  QList<NoteEntry> notes_;
  std::vector<qsizetype> shown_;
  QStringList words_;
  bool editable_ = false;
  CellWriter* writer_ = nullptr;
  QString refusal_;
};

class NoteDelegate : public theme::RowDelegate {
  Q_OBJECT
 public:
  explicit NoteDelegate(QObject* parent = nullptr);
  void setEditing(CellEditing* editing) { editing_ = editing; }
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;
  void setEditorData(QWidget*, const QModelIndex&) const override {}
  void setModelData(QWidget*, QAbstractItemModel*, const QModelIndex&) const override {}
  void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const override;
  /// The editors know their keys and when they are left.
  bool eventFilter(QObject*, QEvent*) override { return false; }

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override;

 private:
  CellEditing* editing_ = nullptr;
};

/// The notes of a module, with what refers to them.
class NotesPage : public ModulePage {
  Q_OBJECT
 public:
  NotesPage(RowEditor& rows, OpenModules& modules, QWidget* parent);
  Table table() const override;
  QWidget* mainView() const override;
  QWidget* searchField() const override;

 protected:
  void refresh() override;
  int firstModule() const override;

 private:
  void edit(const QModelIndex& index);
  void addNote();
  void removeCurrent();
  /// Whether a note goes with what refers to it.
  bool mayRemove(const NoteEntry& note);
  void activate(const QModelIndex& index);
  void updateActions();
  void showMenu(const QPoint& at);

  NoteModel* model_;
  QTreeView* tree_;
  CellEditing* editing_;
  QStackedWidget* stack_;
  theme::EmptyView* none_;
  QPushButton* addFirst_;
  theme::SearchField* search_;
  QAction* edit_;
  QAction* add_;
  QAction* remove_;
  QString toEdit_;  ///< label of a note that was added
};

/// Adds to a menu which notes of its module a row refers to; choosing one changes that. A row
/// without a module that can be changed gets nothing.
void addNotesMenu(QMenu& menu, RowEditor& rows, const RowRef& row);

}  // namespace tutti::fomedit
