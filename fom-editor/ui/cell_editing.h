// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPersistentModelIndex>
#include <QPointer>

#include "fom-editor/model/row_editor.h"
#include "fom-editor/ui/cell_editors.h"

class QAbstractItemView;

namespace tutti::fomedit {

/// Edits cells of a view in place. The model's setData() takes what is written; where it refuses,
/// the editor stays and says why.
class CellEditing : public QObject {
  Q_OBJECT
 public:
  explicit CellEditing(QAbstractItemView* view);

  /// What is edited in an index: a row and its cell. Overridden by what the view shows.
  struct Target {
    RowRef row;
    QString cell;
  };
  using TargetOf = std::function<Target(const QModelIndex&)>;
  /// Not owned; null: nothing can be edited.
  void setEditor(RowEditor* editor, TargetOf targetOf);
  RowEditor* editor() const { return editor_; }

  /// Opens the editor of a cell. False: it has none.
  bool open(const QModelIndex& index, const QString& typed = {});
  bool isOpen() const { return widget_ != nullptr; }
  /// The open editor.
  QWidget* widget() const { return widget_; }
  QModelIndex index() const { return index_; }

  /// For the view's delegate.
  QWidget* create(QWidget* parent, const QModelIndex& index);
  void place(QWidget* widget, const QRect& cell) const;

 Q_SIGNALS:
  /// The editor is closed; what was written is taken unless it was cancelled.
  void left(const QPersistentModelIndex& index, tutti::fomedit::Leave how);

 private:
  void finish(Leave how);
  void close(Leave how);
  void askForDataType(const QString& name);
  QAbstractItemView* view_;
  QPointer<RowEditor> editor_;
  TargetOf targetOf_;
  QPointer<QWidget> widget_;
  QPersistentModelIndex index_;
  QString typed_;
};

/// Lets a cell be edited over a label that shows it: by click, Return or F2.
class CellLabel : public QObject {
  Q_OBJECT
 public:
  explicit CellLabel(QWidget* label);
  ~CellLabel() override;
  /// A null row or editor: the label is only read.
  void setCell(RowEditor* editor, const RowRef& row, const QString& cell);
  void open();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void finish(Leave how);

  QWidget* label_;
  QPointer<RowEditor> editor_;
  RowRef row_;
  QString cell_;
  RowRef openRow_;  ///< what the field edits, whatever the label shows by now
  QString openCell_;
  QPointer<QWidget> field_;
};

/// Asks of which kind a new datatype is, at the widget; offers reference datatypes where that is
/// given.
void chooseDataTypeKind(QWidget* at, const QPoint& globalPosition, const QString& name,
                        const std::function<void(omt::DataTypeKind)>& chosen,
                        const std::function<void()>& reference = {});

/// A role of models with editable cells: why setData() refused the last value.
inline constexpr int refusalRole = Qt::UserRole + 900;

}  // namespace tutti::fomedit
