// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QFrame>
#include <QTreeView>
#include <QWidget>
#include <utility>

#include "fom-editor/model/loaded_model.h"
#include "fom-editor/model/tables.h"
#include "resources/theme/delegates.h"

class QAction;
class QLabel;

namespace tutti::fomedit {

class CellEditing;
class CellLabel;
class RowEditor;
enum class Leave;

/// State icon of a finding of that level.
theme::State stateOf(Level level);

/// Icon, name, what is at the right end and a warning, for the outline and the modules.
class OutlineDelegate : public theme::RowDelegate {
  Q_OBJECT
 public:
  explicit OutlineDelegate(QObject* parent = nullptr);
  void setEditing(CellEditing* editing) { editing_ = editing; }
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;
  void setEditorData(QWidget*, const QModelIndex&) const override {}
  void setModelData(QWidget*, QAbstractItemModel*, const QModelIndex&) const override {}
  void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override;

 private:
  CellEditing* editing_ = nullptr;
};

class ModuleDelegate : public theme::RowDelegate {
  Q_OBJECT
 public:
  explicit ModuleDelegate(QObject* parent = nullptr);
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;
  /// Whether the last click was on a switch; asked once.
  bool tookClick() { return std::exchange(tookClick_, false); }

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override;

 private:
  bool tookClick_ = false;
};

/// A tree whose selection reaches from edge to edge, with thin chevrons. With an editor its classes
/// and other rows are renamed, added, removed, and dragged below another class.
class OutlineView : public QTreeView {
  Q_OBJECT
 public:
  explicit OutlineView(QWidget* parent = nullptr);
  /// Not owned; null: read only.
  void setEditor(RowEditor* editor);
  CellEditing* editing() const { return editing_; }
  /// Rename, add, remove and move, as they are for the current row.
  QList<QAction*> editActions() const;
  /// Opens the editor of a row that was added and waits to be named.
  void nameWaiting();

 protected:
  void drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

 private:
  void buildEditing();
  void updateActions();
  RowRef current() const;
  QModelIndex sourceOf(const QModelIndex& index) const;
  void addBelow();
  void askForSuperclass();
  void dragTo(const QPoint& at);
  void endDrag(bool drop);

  RowEditor* editor_ = nullptr;
  CellEditing* editing_;
  QAction* rename_;
  QAction* add_;
  QAction* remove_;
  QAction* up_;
  QAction* down_;
  QAction* reparent_;
  QString naming_;  ///< itemPath() of what is named as soon as it is shown
  QPoint pressed_;
  RowRef dragged_;  ///< null: nothing is
  RowRef below_;    ///< the class that it would be below
  QString over_;    ///< the class under the pointer; what it would mean is in hint_
  QLabel* hint_;    ///< follows the pointer
};

/// What is drawn before a row of a tree: its selection, and a thin chevron where it has rows.
void paintBranch(const QTreeView& tree, QPainter* painter, const QRect& rect,
                 const QModelIndex& index);

/// Sections, links and muted inherited rows of a TableModel.
class TableDelegate : public theme::RowDelegate {
  Q_OBJECT
 public:
  explicit TableDelegate(QObject* parent = nullptr);
  /// Colour of the mark before a member's name.
  void setAccent(theme::Token accent) { accent_ = accent; }

  void setEditing(CellEditing* editing) { editing_ = editing; }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;
  void setEditorData(QWidget*, const QModelIndex&) const override {}
  void setModelData(QWidget*, QAbstractItemModel*, const QModelIndex&) const override {}
  void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override;

 private:
  theme::Token accent_ = theme::Token::Series1;
  CellEditing* editing_ = nullptr;
};

/// Shows a TableModel: sections span the row, columns are as wide as their content and never wider
/// together than the view.
class TableView : public QTreeView {
  Q_OBJECT
 public:
  explicit TableView(QWidget* parent = nullptr);
  void setTableModel(TableModel* model);
  void setAccent(theme::Token accent);
  /// As high as its rows, up to `maximum`.
  void setFitRows(int maximum);
  /// Lets cells be edited, rows be added, removed and moved. Not owned; null: read only.
  void setEditor(RowEditor* editor);
  CellEditing* editing() const { return editing_; }
  /// Edit, add, remove and move, as they are for the current row.
  QList<QAction*> editActions() const;

 Q_SIGNALS:
  /// A link was clicked, or Return pressed on its row.
  void linkActivated(const tutti::fomedit::TableRow& row);
  void currentRowChanged(const tutti::fomedit::TableRow* row);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

 private:
  void adopt();
  void buildEditing();
  void updateActions();
  QModelIndex nextCell(const QModelIndex& from, bool forward) const;
  void leaveCell(const QPersistentModelIndex& from, Leave how);
  void continueAtNewRow();
  void moveRow(int by);
  void continueAtMovedRow();
  int dropPlace(const QPoint& at) const;
  void fitColumns();
  void fitHeight();
  bool isLink(const QModelIndex& index) const;

  TableModel* table_ = nullptr;
  TableDelegate* delegate_;
  RowEditor* editor_ = nullptr;
  CellEditing* editing_;
  QAction* edit_;
  QAction* add_;
  QAction* remove_;
  QAction* up_;
  QAction* down_;
  RowRef newRow_;          ///< was added and is not shown yet
  int newRowColumn_ = -1;  ///< to edit in it; -1: it is only selected
  RowRef moved_;           ///< as the model will have it, until it is shown where it was moved to
  RowRef movedFrom_;       ///< the same as it is shown
  int movedTo_ = -1;       ///< its row then
  QPoint pressed_;
  int dragged_ = -1;  ///< row; -1: none
  int drop_ = -1;     ///< row before which it would be
  QList<int> wanted_;
  QList<int> least_;  ///< what the column's title needs
  int fitRows_ = 0;
};

/// State icon and sentence, place as a link.
class FindingDelegate : public theme::RowDelegate {
  Q_OBJECT
 public:
  explicit FindingDelegate(QObject* parent = nullptr);

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override;
};

/// One of the three answers of the Checks pane; checked: only its findings are shown.
class LevelCard : public QAbstractButton {
  Q_OBJECT
 public:
  explicit LevelCard(Level level, QWidget* parent = nullptr);
  void setResult(theme::State state, const QString& detail);
  QString detail() const { return detail_; }
  QSize sizeHint() const override { return {200, 44}; }
  QSize minimumSizeHint() const override { return {120, 44}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  theme::State state_ = theme::State::Idle;
  QString detail_;
};

/// "AirTraffic-Base.xml:118" on a grey tag; a click goes there.
class PlaceButton : public QAbstractButton {
  Q_OBJECT
 public:
  explicit PlaceButton(QWidget* parent = nullptr);
  /// Where there is no room for all of it, the tool tip has it.
  void setPlace(const QString& place);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

/// A row of a short list: a link at the left, how it is meant at the right.
class LinkRow : public QAbstractButton {
  Q_OBJECT
 public:
  LinkRow(const QString& link, const QString& detail, QWidget* parent = nullptr);
  QSize sizeHint() const override { return {120, 22}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString detail_;
};

/// Text of up to three lines that ends with an ellipsis; the whole is in the tool tip. With a cell
/// to edit, a click, Return or F2 opens its editor in place.
class ElidedText : public QWidget {
  Q_OBJECT
 public:
  explicit ElidedText(int maximumLines, QWidget* parent = nullptr);
  /// What the text is of; a null row: it is only read.
  void setCell(RowEditor* editor, const RowRef& row, const QString& cell);
  void setText(const QString& text);
  QString text() const { return text_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QStringList lines(int width) const;
  QString text_;
  int maximumLines_;
  CellLabel* cell_;
};

}  // namespace tutti::fomedit
