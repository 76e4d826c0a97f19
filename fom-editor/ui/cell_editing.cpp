// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/cell_editing.h"

#include <QAbstractItemView>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QTimer>
#include <algorithm>

#include "resources/theme/icons.h"

namespace tutti::fomedit {

namespace {

QList<CellChoice> choices(const RowEditor* rows, const RowRef& row, const CellEditor& editor,
                          const QString& typed) {
  QList<CellChoice> all;
  if (rows == nullptr) return all;
  if (editor.kind == CellEditor::Kind::DataType) {
    bool known = typed.isEmpty();
    for (const DataTypeChoice& type : rows->dataTypes(typed)) {
      if (row.kind == RowKind::DataType && type.name == row.name) continue;
      known = known || type.name == typed;
      all << CellChoice{type.name, type.detail};
    }
    if (!known) all << CellChoice{QObject::tr("New datatype “%1”…").arg(typed), {}, true};
    return all;
  }
  for (const QString& choice : editor.choices) {
    if (choice.startsWith(typed, Qt::CaseInsensitive)) all << CellChoice{choice, {}};
  }
  return all;
}

/// The editor of a cell, with its choices.
CellField* makeField(QWidget* parent, const QPointer<RowEditor>& rows, const RowRef& row,
                     const CellEditor& editor) {
  using Kind = CellEditor::Kind;
  auto* field = new CellField(parent);
  if (editor.kind == Kind::Text) return field;
  field->setChoices(
      [rows, row, editor](const QString& typed) { return choices(rows, row, editor, typed); },
      editor.kind == Kind::List         ? CellField::Take::Several
      : editor.kind == Kind::OpenChoice ? CellField::Take::Written
                                        : CellField::Take::One);
  return field;
}

}  // namespace

void chooseDataTypeKind(QWidget* at, const QPoint& globalPosition, const QString& name,
                        const std::function<void(omt::DataTypeKind)>& chosen,
                        const std::function<void()>& reference) {
  auto* menu = new QMenu(at);
  menu->setObjectName(QStringLiteral("dataTypeKinds"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addSection(name.isEmpty() ? QObject::tr("New datatype")
                                  : QObject::tr("New datatype %1").arg(name));
  const std::pair<omt::DataTypeKind, QString> kinds[] = {
      {omt::DataTypeKind::Enumerated, QObject::tr("Enumerated: one of named values")},
      {omt::DataTypeKind::Simple, QObject::tr("Simple: a number with a unit")},
      {omt::DataTypeKind::FixedRecord, QObject::tr("Fixed record: several fields")},
      {omt::DataTypeKind::VariantRecord, QObject::tr("Variant record: alternatives")},
      {omt::DataTypeKind::Array, QObject::tr("Array: many of one datatype")},
      {omt::DataTypeKind::Basic, QObject::tr("Basic: bits of its own")}};
  for (const auto& [kind, text] : kinds) {
    QAction* action = menu->addAction(theme::icon(QStringLiteral("datatype")), text);
    QObject::connect(action, &QAction::triggered, at, [chosen, kind = kind] { chosen(kind); });
  }
  if (reference) {
    QAction* action =
        menu->addAction(theme::icon(QStringLiteral("datatype")),
                        QObject::tr("Reference: an object instance (IEEE 1516-2025)"));
    QObject::connect(action, &QAction::triggered, at, reference);
  }
  menu->setActiveAction(menu->actions().value(1));
  menu->popup(globalPosition);
}

CellEditing::CellEditing(QAbstractItemView* view) : QObject(view), view_(view) {}

void CellEditing::setEditor(RowEditor* editor, TargetOf targetOf) {
  editor_ = editor;
  targetOf_ = std::move(targetOf);
}

bool CellEditing::open(const QModelIndex& index, const QString& typed) {
  if (!editor_ || !index.isValid() || !index.flags().testFlag(Qt::ItemIsEditable)) return false;
  if (widget_) finish(Leave::FocusLost);
  view_->setCurrentIndex(index);
  view_->scrollTo(index);
  typed_ = typed;
  view_->edit(index);
  return widget_ != nullptr;
}

QWidget* CellEditing::create(QWidget* parent, const QModelIndex& index) {
  if (!editor_) return nullptr;
  const Target target = targetOf_(index);
  const CellEditor editor = editor_->editorOf(target.row, target.cell);
  const QString text = index.data(Qt::EditRole).toString();
  index_ = index;
  using Kind = CellEditor::Kind;
  if (editor.kind == Kind::None) return nullptr;
  if (editor.kind == Kind::Prose) {
    auto* field = new ProseField(parent);
    connect(field, &ProseField::left, this, &CellEditing::finish);
    widget_ = field;
    QTimer::singleShot(0, field, [field] { field->setFocus(); });
    field->start(text, typed_);
  } else {
    CellField* field = makeField(parent, editor_, target.row, editor);
    connect(field, &CellField::left, this, &CellEditing::finish);
    connect(field, &CellField::newRequested, this, &CellEditing::askForDataType);
    widget_ = field;
    field->start(text, typed_);
  }
  typed_.clear();
  widget_->setAccessibleName(view_->model()->headerData(index.column(), Qt::Horizontal).toString());
  return widget_;
}

void CellEditing::place(QWidget* widget, const QRect& cell) const {
  const QRect room = view_->viewport()->rect();
  QRect at = cell.adjusted(0, 0, 0, 0);
  if (qobject_cast<ProseField*>(widget) != nullptr) {
    constexpr int least = 280;
    constexpr int high = 76;
    at.setSize(QSize(std::min(room.width(), std::max(at.width(), least)), high));
  } else {
    constexpr int least = 110;
    constexpr int newRow = 220;
    const auto* field = qobject_cast<const CellField*>(widget);
    const int text = field != nullptr ? field->fontMetrics().horizontalAdvance(field->text()) : 0;
    // The row that adds one spans all columns.
    if (index_.data(TableModel::AddRole).toBool()) at.setWidth(std::min(at.width(), newRow));
    at.setWidth(std::min(room.width(), std::max({at.width(), least, text + 28})));
  }
  if (at.right() > room.right()) at.moveRight(room.right());
  if (at.left() < 0) at.moveLeft(0);
  if (at.bottom() > room.bottom()) at.moveBottom(room.bottom());
  if (at.top() < 0) at.moveTop(0);
  widget->setGeometry(at);
}

void CellEditing::close(Leave how) {
  QWidget* widget = widget_;
  const QPersistentModelIndex index = index_;
  widget_ = nullptr;
  if (widget != nullptr) {
    Q_EMIT view_->itemDelegate()->closeEditor(widget, QAbstractItemDelegate::NoHint);
  }
  if (how != Leave::FocusLost) view_->setFocus(Qt::OtherFocusReason);
  Q_EMIT left(index, how);
}

void CellEditing::finish(Leave how) {
  if (!widget_) return;
  if (how == Leave::Cancel || !index_.isValid()) {
    close(Leave::Cancel);
    return;
  }
  auto* field = qobject_cast<CellField*>(widget_);
  auto* prose = qobject_cast<ProseField*>(widget_);
  const QString text = field != nullptr ? field->text() : prose->text();
  // Not const: the view's own model takes what is written.
  QAbstractItemModel* model = view_->model();
  if (!model->setData(index_, text)) {
    const QString reason = index_.data(refusalRole).toString();
    if (how == Leave::FocusLost) {
      if (editor_ && !reason.isEmpty()) Q_EMIT editor_->refused(reason);
    } else if (!reason.isEmpty()) {
      field != nullptr ? field->refuse(reason) : prose->refuse(reason);
      return;
    }
  }
  close(how);
}

void CellEditing::askForDataType(const QString& name) {
  if (!editor_ || !index_.isValid()) return;
  const Target target = targetOf_(index_);
  const QPoint at = widget_ ? widget_->mapToGlobal(QPoint(0, widget_->height())) : QCursor::pos();
  close(Leave::Cancel);
  chooseDataTypeKind(view_, at, name, [editor = editor_, target, name](omt::DataTypeKind kind) {
    if (editor) editor->setNewDataType(target.row, target.cell, kind, name);
  });
}

// CellLabel

CellLabel::CellLabel(QWidget* label) : QObject(label), label_(label) {
  label->installEventFilter(this);
}

/// The field is a child of the window, which would keep it.
CellLabel::~CellLabel() {
  if (!field_) return;
  field_->disconnect(this);
  field_->hide();
  field_->deleteLater();
}

void CellLabel::setCell(RowEditor* editor, const RowRef& row, const QString& cell) {
  editor_ = row.isNull() ? nullptr : editor;
  row_ = row;
  cell_ = cell;
  const bool edited = !editor_.isNull();
  label_->setFocusPolicy(edited ? Qt::TabFocus : Qt::NoFocus);
  label_->setCursor(edited ? Qt::IBeamCursor : Qt::ArrowCursor);
  if (edited && label_->toolTip().isEmpty()) label_->setToolTip(tr("Click, or F2, to edit"));
}

void CellLabel::open() {
  if (!editor_ || field_) return;
  openRow_ = row_;
  openCell_ = cell_;
  const CellEditor editor = editor_->editorOf(row_, cell_);
  const QString text = editor_->cell(row_, cell_);
  QWidget* window = label_->window();
  QRect at(label_->mapTo(window, QPoint(-3, -3)), label_->size() + QSize(6, 6));
  if (editor.kind == CellEditor::Kind::Prose) {
    auto* field = new ProseField(window);
    constexpr int least = 76;
    at.setHeight(std::max(at.height(), least));
    at.setWidth(std::max(at.width(), 240));
    connect(field, &ProseField::left, this, &CellLabel::finish);
    field->start(text);
    field_ = field;
  } else {
    CellField* field = makeField(window, editor_, row_, editor);
    at.setWidth(std::max(at.width(), 150));
    at.setHeight(std::max(at.height(), 24));
    connect(field, &CellField::left, this, &CellLabel::finish);
    field_ = field;
  }
  if (at.right() > window->width() - 4) at.moveRight(window->width() - 4);
  field_->setGeometry(at);
  field_->show();
  field_->raise();
  field_->setFocus(Qt::OtherFocusReason);
  if (auto* field = qobject_cast<CellField*>(field_)) field->start(text);
}

void CellLabel::finish(Leave how) {
  if (!field_) return;
  auto* field = qobject_cast<CellField*>(field_);
  auto* prose = qobject_cast<ProseField*>(field_);
  if (how != Leave::Cancel && editor_) {
    const auto done =
        editor_->setCell(openRow_, openCell_, field != nullptr ? field->text() : prose->text());
    if (!done && how != Leave::FocusLost) {
      field != nullptr ? field->refuse(done.error()) : prose->refuse(done.error());
      return;
    }
    if (!done) Q_EMIT editor_->refused(done.error());
  }
  QWidget* widget = field_;
  field_ = nullptr;
  widget->hide();
  widget->deleteLater();
  if (how != Leave::FocusLost) label_->setFocus(Qt::OtherFocusReason);
}

bool CellLabel::eventFilter(QObject* watched, QEvent* event) {
  if (editor_) {
    if (event->type() == QEvent::MouseButtonRelease &&
        static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton) {
      open();
      return true;
    }
    if (event->type() == QEvent::KeyPress) {
      const int key = static_cast<QKeyEvent*>(event)->key();
      if (key == Qt::Key_F2 || key == Qt::Key_Return || key == Qt::Key_Enter) {
        open();
        return true;
      }
    }
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) label_->update();
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace tutti::fomedit
