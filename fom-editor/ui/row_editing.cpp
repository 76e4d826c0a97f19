// SPDX-License-Identifier: GPL-3.0-or-later
// How rows are edited in the table and in the outline: keys, mouse, actions.
#include <QAction>
#include <QApplication>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <algorithm>

#include "fom-editor/model/outline.h"
#include "fom-editor/ui/cell_editing.h"
#include "fom-editor/ui/notes_page.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/icons.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

using theme::Palette;
using theme::Token;

namespace {

QAction* makeAction(QWidget* view, const char* icon, const QString& text, const char* name,
                    const QKeySequence& key) {
  auto* action = new QAction(view);
  if (*icon != '\0') action->setIcon(theme::icon(QLatin1String(icon)));
  action->setText(text);
  action->setObjectName(QLatin1String(name));
  action->setShortcut(key);
  action->setShortcutContext(Qt::WidgetShortcut);
  action->setEnabled(false);
  view->addAction(action);
  return action;
}

/// What a person types to begin a cell; empty for keys that do something else.
QString typedText(const QKeyEvent& event) {
  const auto other = Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier;
  if ((event.modifiers() & other) != 0) return {};
  const QString text = event.text();
  return !text.isEmpty() && text.front().isPrint() && !text.front().isSpace() ? text : QString();
}

constexpr int kScrollMargin = 20;

void scrollAtEdge(QAbstractItemView* view, int y) {
  QScrollBar* bar = view->verticalScrollBar();
  if (y < kScrollMargin) bar->setValue(bar->value() - kScrollMargin);
  if (y > view->viewport()->height() - kScrollMargin) bar->setValue(bar->value() + kScrollMargin);
}

}  // namespace

// Delegates

QWidget* TableDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                     const QModelIndex& index) const {
  return editing_ != nullptr ? editing_->create(parent, index) : nullptr;
}

void TableDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                         const QModelIndex&) const {
  if (editing_ != nullptr) editing_->place(editor, option.rect);
}

/// The editors know their keys and when they are left.
bool TableDelegate::eventFilter(QObject*, QEvent*) { return false; }

QWidget* OutlineDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                       const QModelIndex& index) const {
  return editing_ != nullptr ? editing_->create(parent, index) : nullptr;
}

void OutlineDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                           const QModelIndex&) const {
  constexpr int iconWidth = 20;
  if (editing_ != nullptr) editing_->place(editor, option.rect.adjusted(iconWidth, 0, 0, 0));
}

bool OutlineDelegate::eventFilter(QObject*, QEvent*) { return false; }

// TableView

void TableView::buildEditing() {
  edit_ = makeAction(this, "", tr("Edit the cell"), "editCell", QKeySequence(Qt::Key_F2));
  add_ = makeAction(this, "add", tr("Add a row"), "addRow", QKeySequence(Qt::Key_Insert));
  remove_ =
      makeAction(this, "remove", tr("Remove the row"), "removeRow", QKeySequence(Qt::Key_Delete));
  remove_->setAutoRepeat(false);  // a key that is held would remove what comes next
  up_ = makeAction(this, "up", tr("Move up"), "moveRowUp", QKeySequence(Qt::ALT | Qt::Key_Up));
  down_ = makeAction(this, "down", tr("Move down"), "moveRowDown",
                     QKeySequence(Qt::ALT | Qt::Key_Down));
  connect(edit_, &QAction::triggered, this, [this] {
    if (!editing_->open(currentIndex())) editing_->open(nextCell(currentIndex(), true));
  });
  connect(add_, &QAction::triggered, this, [this] {
    if (table_->addRow() >= 0) editing_->open(table_->index(table_->addRow(), 0));
  });
  connect(remove_, &QAction::triggered, this, [this] {
    const TableRow* row = table_->row(currentIndex());
    if (row != nullptr && editor_ != nullptr) editor_->remove(row->ref);
  });
  connect(up_, &QAction::triggered, this, [this] { moveRow(-1); });
  connect(down_, &QAction::triggered, this, [this] { moveRow(1); });
  connect(editing_, &CellEditing::left, this, &TableView::leaveCell);
}

void TableView::setEditor(RowEditor* editor) {
  editor_ = editor;
  editing_->setEditor(editor, [this](const QModelIndex& index) {
    return CellEditing::Target{table_->refOf(index), table_->cellOf(index)};
  });
  if (table_ != nullptr) table_->setWriter(editor);
  if (editor == nullptr) return;
  connect(editor, &RowEditor::added, this, [this](const RowRef& row) {
    if (row.kind != table_->table().adds.kind || row.owner != table_->table().adds.owner) return;
    newRow_ = row;
  });
}

QList<QAction*> TableView::editActions() const {
  if (editor_ == nullptr) return {};
  return {edit_, add_, remove_, up_, down_};
}

void TableView::updateActions() {
  if (editor_ == nullptr || table_ == nullptr) return;
  const TableRow* row = table_->row(currentIndex());
  const int main = row != nullptr && !row->cell.isEmpty() ? 1 : 0;
  const bool own = row != nullptr && !row->ref.isNull() && row->readOnly.isEmpty() &&
                   table_->readOnlyReason(currentIndex().siblingAtColumn(main)).isEmpty();
  const bool adds =
      table_->addRow() >= 0 && table_->readOnlyReason(table_->index(table_->addRow(), 0)).isEmpty();
  const bool kept = !own || row->ref.kind == RowKind::Switch || row->ref.kind == RowKind::TypeUse ||
                    row->ref.kind == RowKind::Identification ||
                    (!row->cell.isEmpty() && row->inherited) || row->onlyToEdit ||
                    (row->ref.kind == RowKind::DataType && !row->cell.isEmpty());
  const QString what = own ? shortName(row->ref) : QString();
  edit_->setEnabled(own || (adds && currentIndex().row() == table_->addRow()));
  add_->setEnabled(adds);
  add_->setText(table_->addRow() >= 0 ? tr("Add %1").arg(wordOf(table_->table().adds.kind))
                                      : tr("Add a row"));
  remove_->setEnabled(!kept);
  remove_->setText(kept || what.isEmpty() ? tr("Remove the row") : tr("Remove %1").arg(what));
  up_->setEnabled(!kept);
  down_->setEnabled(!kept);
}

void TableView::moveRow(int by) {
  const TableRow* row = table_ != nullptr ? table_->row(currentIndex()) : nullptr;
  if (row == nullptr || editor_ == nullptr) return;
  // The table shows the row at its old place until the model is read again.
  const bool again = !moved_.isNull() && row->ref == movedFrom_;
  RowRef ref = again ? moved_ : row->ref;
  const int from = again ? movedTo_ : currentIndex().row();
  const RowRef shown = row->ref;
  if (!editor_->move(ref, by)) return;
  if (ref.position >= 0) ref.position += by;
  moved_ = ref;
  movedFrom_ = shown;
  movedTo_ = from + by;
}

/// The row that is moved stays chosen.
void TableView::continueAtMovedRow() {
  if (moved_.isNull() || table_ == nullptr) return;
  const QList<TableRow>& rows = table_->table().rows;
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [this](const TableRow& row) { return row.ref == moved_; });
  if (found == rows.end()) return;
  const auto at = static_cast<int>(found - rows.begin());
  const RowRef moved = moved_;
  const QModelIndex index = table_->index(at, std::max(0, currentIndex().column()));
  setCurrentIndex(index);
  scrollTo(index);
  moved_ = at == movedTo_ ? RowRef{} : moved;
}

QModelIndex TableView::nextCell(const QModelIndex& from, bool forward) const {
  if (table_ == nullptr || !from.isValid()) return {};
  const int columns = table_->columnCount();
  int at = from.row() * columns + from.column() + (forward ? 1 : -1);
  for (; at >= 0 && at < table_->rowCount() * columns; at += forward ? 1 : -1) {
    const QModelIndex index = table_->index(at / columns, at % columns);
    if (table_->flags(index).testFlag(Qt::ItemIsEditable)) return index;
  }
  return {};
}

void TableView::leaveCell(const QPersistentModelIndex& from, Leave how) {
  fitColumns();
  if (!from.isValid() || table_ == nullptr) return;
  if (from.row() == table_->addRow() && !newRow_.isNull()) {
    // What follows is edited as soon as the model has the row.
    newRowColumn_ = how == Leave::Next ? 1 : how == Leave::Enter ? 0 : -1;
    continueAtNewRow();
    return;
  }
  switch (how) {
    case Leave::Next:
    case Leave::Previous:
      editing_->open(nextCell(from, how == Leave::Next));
      break;
    case Leave::Enter: {
      const QModelIndex below = table_->index(from.row() + 1, from.column());
      if (below.isValid() && from.row() + 1 != table_->addRow()) setCurrentIndex(below);
      break;
    }
    default:
      break;
  }
}

void TableView::continueAtNewRow() {
  if (newRow_.isNull() || table_ == nullptr) return;
  const QList<TableRow>& rows = table_->table().rows;
  for (int i = 0; i < rows.size(); ++i) {
    if (rows[i].ref.kind != newRow_.kind || rows[i].ref.name != newRow_.name || rows[i].inherited) {
      continue;
    }
    const int column = newRowColumn_;
    newRow_ = {};
    newRowColumn_ = -1;
    const QModelIndex index = table_->index(i, std::max(0, column));
    setCurrentIndex(index);
    scrollTo(index);
    if (column > 0) {
      QMetaObject::invokeMethod(
          this,
          [this, at = QPersistentModelIndex(index)] {
            if (!editing_->open(at)) editing_->open(nextCell(at, true));
          },
          Qt::QueuedConnection);
    }
    return;
  }
}

void TableView::keyPressEvent(QKeyEvent* event) {
  const bool go = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  const QModelIndex at = currentIndex();
  const TableRow* row = table_ != nullptr ? table_->row(at) : nullptr;
  if (go && row != nullptr && !row->link.isNull()) {
    Q_EMIT linkActivated(*row);
    return;
  }
  if (editor_ != nullptr && at.isValid()) {
    if (go && editing_->open(at)) return;
    const bool across = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
    if (across && event->modifiers() == Qt::NoModifier) {
      const int column = at.column() + (event->key() == Qt::Key_Left ? -1 : 1);
      if (column >= 0 && column < table_->columnCount()) {
        setCurrentIndex(at.siblingAtColumn(column));
      }
      return;
    }
    const QString typed = typedText(*event);
    if (!typed.isEmpty() && editing_->open(at, typed)) return;
  }
  QTreeView::keyPressEvent(event);
}

void TableView::mousePressEvent(QMouseEvent* event) {
  QTreeView::mousePressEvent(event);
  if (editor_ == nullptr || event->button() != Qt::LeftButton) return;
  pressed_ = event->pos();
  const QModelIndex at = indexAt(event->pos());
  const TableRow* row = table_->row(at);
  dragged_ = row != nullptr && up_->isEnabled() && row->readOnly.isEmpty() ? at.row() : -1;
  drop_ = -1;
}

/// The row before which a dragged row would be; -1: nowhere.
int TableView::dropPlace(const QPoint& at) const {
  const QModelIndex index = indexAt(at);
  const auto fits = [&](int row) {
    const TableRow* r = table_->row(table_->index(row, 0));
    return r != nullptr && r->ref.kind == table_->table().rows[dragged_].ref.kind &&
           r->readOnly.isEmpty();
  };
  if (!index.isValid()) return -1;
  const QRect rect = visualRect(index);
  const int place = index.row() + (at.y() > rect.center().y() ? 1 : 0);
  return fits(place) || (place > 0 && fits(place - 1)) ? place : -1;
}

void TableView::mouseMoveEvent(QMouseEvent* event) {
  const bool far = (event->pos() - pressed_).manhattanLength() >= QApplication::startDragDistance();
  if (dragged_ >= 0 && event->buttons().testFlag(Qt::LeftButton) && (far || drop_ >= 0)) {
    scrollAtEdge(this, event->pos().y());
    drop_ = dropPlace(event->pos());
    viewport()->setCursor(drop_ >= 0 ? Qt::ClosedHandCursor : Qt::ForbiddenCursor);
    viewport()->update();
    return;
  }
  QTreeView::mouseMoveEvent(event);
  viewport()->setCursor(isLink(indexAt(event->pos())) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void TableView::mouseReleaseEvent(QMouseEvent* event) {
  const int from = std::exchange(dragged_, -1);
  const int to = std::exchange(drop_, -1);
  if (to >= 0 && from >= 0) {
    viewport()->unsetCursor();
    viewport()->update();
    const int by = to > from ? to - from - 1 : to - from;
    setCurrentIndex(table_->index(from, currentIndex().column()));
    if (by != 0) moveRow(by);
    return;
  }
  QTreeView::mouseReleaseEvent(event);
  // The row that adds one needs no second click.
  const QModelIndex at = indexAt(event->pos());
  if (editor_ != nullptr && event->button() == Qt::LeftButton && at.isValid() &&
      at.row() == table_->addRow()) {
    editing_->open(table_->index(at.row(), 0));
  }
}

void TableView::mouseDoubleClickEvent(QMouseEvent* event) {
  dragged_ = -1;
  const QModelIndex at = indexAt(event->pos());
  if (event->button() == Qt::LeftButton && editing_->open(at)) return;
  QTreeView::mouseDoubleClickEvent(event);
}

void TableView::paintEvent(QPaintEvent* event) {
  QTreeView::paintEvent(event);
  if (editor_ == nullptr || table_ == nullptr) return;
  QPainter painter(viewport());
  const Palette palette = Palette::of(this);
  const QModelIndex at = currentIndex();
  // Which cell F2 and typing are about.
  if (hasFocus() && at.flags().testFlag(Qt::ItemIsEditable) && !editing_->isOpen()) {
    painter.setPen(QPen(palette[Token::LineFocus], 1));
    painter.drawRect(visualRect(at).adjusted(0, 0, -1, -2));
  }
  if (drop_ < 0) return;
  const QModelIndex before = table_->index(drop_, 0);
  const int y = before.isValid() && drop_ < table_->rowCount()
                    ? visualRect(before).top()
                    : visualRect(table_->index(drop_ - 1, 0)).bottom();
  painter.fillRect(QRect(0, std::max(0, y - 1), viewport()->width(), 2), palette[Token::Accent]);
}

void TableView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTreeView::currentChanged(current, previous);
  moved_ = {};  // another row is chosen now
  viewport()->update();
  updateActions();
  Q_EMIT currentRowChanged(table_ != nullptr ? table_->row(current) : nullptr);
}

// OutlineView

void OutlineView::buildEditing() {
  rename_ = makeAction(this, "", tr("Rename"), "renameItem", QKeySequence(Qt::Key_F2));
  add_ = makeAction(this, "add", tr("Add subclass"), "addItem", QKeySequence(Qt::Key_Insert));
  remove_ = makeAction(this, "remove", tr("Remove"), "removeItem", QKeySequence(Qt::Key_Delete));
  remove_->setAutoRepeat(false);
  up_ = makeAction(this, "up", tr("Move up"), "moveItemUp", QKeySequence(Qt::ALT | Qt::Key_Up));
  down_ = makeAction(this, "down", tr("Move down"), "moveItemDown",
                     QKeySequence(Qt::ALT | Qt::Key_Down));
  connect(rename_, &QAction::triggered, this, [this] { editing_->open(currentIndex()); });
  connect(add_, &QAction::triggered, this, &OutlineView::addBelow);
  connect(remove_, &QAction::triggered, this, [this] {
    if (editor_ != nullptr) editor_->remove(current());
  });
  connect(up_, &QAction::triggered, this, [this] {
    if (editor_ != nullptr) editor_->move(current(), -1);
  });
  connect(down_, &QAction::triggered, this, [this] {
    if (editor_ != nullptr) editor_->move(current(), 1);
  });
  reparent_ = makeAction(this, "", tr("Move below another class…"), "reparentItem",
                         QKeySequence(Qt::CTRL | Qt::Key_M));
  connect(reparent_, &QAction::triggered, this, &OutlineView::askForSuperclass);
  hint_ = new QLabel(this);
  hint_->setObjectName(QStringLiteral("dragHint"));
  hint_->setProperty("role", QByteArray("card"));
  hint_->setTextFormat(Qt::PlainText);
  hint_->setContentsMargins(10, 6, 10, 6);
  hint_->setAttribute(Qt::WA_TransparentForMouseEvents);
  hint_->setAutoFillBackground(true);
  hint_->hide();
}

void OutlineView::setEditor(RowEditor* editor) {
  editor_ = editor;
  editing_->setEditor(editor, [this](const QModelIndex& index) {
    const auto* outline = qobject_cast<const OutlineModel*>(sourceOf(index).model());
    return CellEditing::Target{outline != nullptr ? outline->refOf(sourceOf(index)) : RowRef{},
                               QStringLiteral("name")};
  });
  if (editor == nullptr) return;
  connect(editor, &RowEditor::added, this, [this](const RowRef& row) {
    if (row.isClass() || row.kind == RowKind::DataType) naming_ = ModelChanges::itemOf(row);
  });
}

QModelIndex OutlineView::sourceOf(const QModelIndex& index) const {
  const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(model());
  return proxy != nullptr ? proxy->mapToSource(index) : index;
}

RowRef OutlineView::current() const {
  const QModelIndex source = sourceOf(currentIndex());
  const auto* outline = qobject_cast<const OutlineModel*>(source.model());
  return outline != nullptr ? outline->refOf(source) : RowRef{};
}

QList<QAction*> OutlineView::editActions() const {
  if (editor_ == nullptr) return {};
  return {rename_, add_, remove_, up_, down_, reparent_};
}

void OutlineView::updateActions() {
  if (editor_ == nullptr) return;
  const QModelIndex at = currentIndex();
  const RowRef row = current();
  const ItemKind kind = at.data(OutlineModel::ItemRole).value<Item>().kind;
  const bool editable = at.flags().testFlag(Qt::ItemIsEditable);
  const QString name = at.data().toString();
  reparent_->setEnabled(editable && row.isClass());
  rename_->setEnabled(editable);
  remove_->setEnabled(editable);
  up_->setEnabled(editable);
  down_->setEnabled(editable);
  rename_->setText(editable ? tr("Rename %1").arg(name) : tr("Rename"));
  QString remove = editable ? tr("Remove %1").arg(name) : tr("Remove");
  remove_->setText(remove);
  const bool table = kind == ItemKind::Dimensions || kind == ItemKind::Transportations ||
                     kind == ItemKind::UpdateRates || kind == ItemKind::SynchronizationPoints;
  const bool types = kind == ItemKind::DataTypes || kind == ItemKind::DataType;
  add_->setEnabled(row.isClass() || types || table);
  add_->setText(row.isClass() ? tr("Add a subclass of %1").arg(name)
                : types       ? tr("Add a datatype…")
                : table       ? tr("Add a row")
                              : tr("Add"));
}

void OutlineView::addBelow() {
  if (editor_ == nullptr) return;
  const RowRef row = current();
  const ItemKind kind = currentIndex().data(OutlineModel::ItemRole).value<Item>().kind;
  if (row.isClass()) {
    expand(currentIndex());
    editor_->addSubclass(row);
  } else if (kind == ItemKind::DataTypes || kind == ItemKind::DataType) {
    const QRect at = visualRect(currentIndex());
    std::function<void()> reference;
    if (editor_->offersReferenceDataTypes()) {
      reference = [this] { editor_->addReferenceDataType(); };
    }
    chooseDataTypeKind(
        this, viewport()->mapToGlobal(at.bottomLeft()), {},
        [this](omt::DataTypeKind chosen) { editor_->addDataType(chosen); }, reference);
  } else if (kind == ItemKind::Dimensions) {
    editor_->addNamed({RowKind::Dimension, {}, {}, -1, -1}, QStringLiteral("NewDimension"));
  } else if (kind == ItemKind::Transportations) {
    editor_->addNamed({RowKind::Transportation, {}, {}, -1, -1}, QStringLiteral("NewTransport"));
  } else if (kind == ItemKind::UpdateRates) {
    editor_->addNamed({RowKind::UpdateRate, {}, {}, -1, -1}, QStringLiteral("NewRate"));
  } else if (kind == ItemKind::SynchronizationPoints) {
    editor_->addNamed({RowKind::SynchronizationPoint, {}, {}, -1, -1}, QStringLiteral("NewPoint"));
  }
}

/// What dragging does, by keyboard.
void OutlineView::askForSuperclass() {
  if (editor_ == nullptr || !reparent_->isEnabled()) return;
  const RowRef row = current();
  auto* field = new CellField(window());
  field->setAccessibleName(tr("Superclass of %1").arg(shortName(row)));
  field->setPlaceholderText(tr("Below which class?"));
  const QPointer<RowEditor> editor = editor_;
  field->setChoices(
      [editor, row](const QString& typed) {
        constexpr qsizetype most = 60;
        QList<CellChoice> choices;
        if (!editor) return choices;
        const ModelChanges changes = editor->changes();
        for (const QString& name : namesOf(changes.modules(), row.kind)) {
          const bool own = name == row.name || name.startsWith(row.name + u'.');
          if (own || name == superclassOf(row.name)) continue;
          if (!name.contains(typed, Qt::CaseInsensitive) || choices.size() >= most) continue;
          const QString effect = changes.reparentEffect(row, name);
          choices << CellChoice{
              name, effect.isEmpty() ? tr("keeps what it inherits") : effect, false,
              row.kind == RowKind::ObjectClass ? QStringLiteral("object-class")
                                               : QStringLiteral("interaction-class")};
        }
        return choices;
      },
      CellField::Take::One);
  connect(field, &CellField::left, this, [this, field, row](Leave how) {
    if (how == Leave::Enter || how == Leave::Next) {
      const auto change = editor_->changes().reparent(row, field->text().trimmed());
      if (!change) {
        field->refuse(change.error());
        return;
      }
      field->hide();
      editor_->apply(change);
    }
    field->hide();
    field->deleteLater();
    if (how != Leave::FocusLost) setFocus(Qt::OtherFocusReason);
  });
  QRect at = visualRect(currentIndex());
  at.moveTopLeft(viewport()->mapTo(window(), at.topLeft()));
  at.setRight(mapTo(window(), QPoint(width(), 0)).x() - 4);
  field->setGeometry(at);
  field->show();
  field->raise();
  field->setFocus(Qt::OtherFocusReason);
  field->start({});
}

void OutlineView::nameWaiting() {
  if (naming_.isEmpty() || model() == nullptr) return;
  const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(model());
  const auto* outline =
      qobject_cast<const OutlineModel*>(proxy != nullptr ? proxy->sourceModel() : model());
  if (outline == nullptr) return;
  const QModelIndexList found =
      outline->match(outline->index(0, 0), OutlineModel::PathRole, naming_, 1,
                     Qt::MatchExactly | Qt::MatchCaseSensitive | Qt::MatchRecursive);
  if (found.isEmpty()) return;
  naming_.clear();
  const QModelIndex index = proxy != nullptr ? proxy->mapFromSource(found.front()) : found.front();
  if (!index.isValid()) return;
  for (QModelIndex up = index.parent(); up.isValid(); up = up.parent()) expand(up);
  QMetaObject::invokeMethod(
      this, [this, at = QPersistentModelIndex(index)] { editing_->open(at); },
      Qt::QueuedConnection);
}

void OutlineView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && !dragged_.isNull()) {
    endDrag(false);
    return;
  }
  QTreeView::keyPressEvent(event);
}

void OutlineView::mousePressEvent(QMouseEvent* event) {
  QTreeView::mousePressEvent(event);
  pressed_ = event->button() == Qt::LeftButton && editor_ != nullptr ? event->pos() : QPoint();
}

void OutlineView::mouseMoveEvent(QMouseEvent* event) {
  const bool left = event->buttons().testFlag(Qt::LeftButton);
  if (left && !pressed_.isNull() && dragged_.isNull() &&
      (event->pos() - pressed_).manhattanLength() >= QApplication::startDragDistance()) {
    const QModelIndex at = indexAt(pressed_);
    if (at.flags().testFlag(Qt::ItemIsEditable)) {
      const auto* outline = qobject_cast<const OutlineModel*>(sourceOf(at).model());
      const RowRef row = outline != nullptr ? outline->refOf(sourceOf(at)) : RowRef{};
      if (row.isClass()) dragged_ = row;
    }
    pressed_ = {};
  }
  if (!dragged_.isNull() && left) {
    dragTo(event->pos());
    return;
  }
  if (left) return;  // no selection by drawing over rows
  QTreeView::mouseMoveEvent(event);
}

void OutlineView::dragTo(const QPoint& at) {
  scrollAtEdge(this, at.y());
  const QModelIndex source = sourceOf(indexAt(at));
  const auto* outline = qobject_cast<const OutlineModel*>(source.model());
  const RowRef over = outline != nullptr ? outline->refOf(source) : RowRef{};
  if (over_ != over.name || over.isNull() || !hint_->isVisible()) {
    over_ = over.name;
    QString effect;
    bool fits = over.kind == dragged_.kind && over.name != superclassOf(dragged_.name);
    if (over.name == dragged_.name) {
      fits = false;
    } else if (fits) {
      const auto change = editor_->changes().reparent(dragged_, over.name);
      fits = change.has_value();
      effect = fits ? editor_->changes().reparentEffect(dragged_, over.name) : change.error();
      if (fits && effect.isEmpty()) effect = tr("keeps what it inherits");
      if (fits) effect = tr("below %1: %2").arg(shortName(over), effect);
    } else {
      effect = over.kind == dragged_.kind ? tr("is there already") : tr("drop it on another class");
    }
    below_ = fits ? over : RowRef{};
    hint_->setText(effect.isEmpty() ? shortName(dragged_) : shortName(dragged_) + u'\n' + effect);
  }
  hint_->setWordWrap(false);
  hint_->adjustSize();
  const int room = viewport()->width();
  if (hint_->width() > room - 8) {
    hint_->setWordWrap(true);
    hint_->resize(room - 8, hint_->heightForWidth(room - 8));
  }
  const QPoint place = viewport()->mapTo(this, at) + QPoint(12, 14);
  hint_->move(std::clamp(place.x(), 4, std::max(4, width() - hint_->width() - 4)),
              std::min(place.y(), height() - hint_->height() - 4));
  hint_->show();
  hint_->raise();
  viewport()->setCursor(below_.isNull() ? Qt::ForbiddenCursor : Qt::ClosedHandCursor);
  viewport()->update();
}

void OutlineView::endDrag(bool drop) {
  const RowRef row = std::exchange(dragged_, {});
  const RowRef below = std::exchange(below_, {});
  hint_->hide();
  viewport()->unsetCursor();
  viewport()->update();
  if (drop && !row.isNull() && !below.isNull()) editor_->reparent(row, below.name);
}

void OutlineView::mouseReleaseEvent(QMouseEvent* event) {
  pressed_ = {};
  if (!dragged_.isNull()) {
    endDrag(true);
    return;
  }
  QTreeView::mouseReleaseEvent(event);
}

void OutlineView::paintEvent(QPaintEvent* event) {
  QTreeView::paintEvent(event);
  if (below_.isNull()) return;
  const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(model());
  const auto* outline =
      qobject_cast<const OutlineModel*>(proxy != nullptr ? proxy->sourceModel() : model());
  if (outline == nullptr) return;
  const QModelIndexList found =
      outline->match(outline->index(0, 0), OutlineModel::PathRole, ModelChanges::itemOf(below_), 1,
                     Qt::MatchExactly | Qt::MatchCaseSensitive | Qt::MatchRecursive);
  if (found.isEmpty()) return;
  const QRect rect =
      visualRect(proxy != nullptr ? proxy->mapFromSource(found.front()) : found.front());
  QPainter painter(viewport());
  painter.setPen(QPen(Palette::of(this)[Token::Accent], 2));
  painter.drawRect(QRect(1, rect.top() + 1, viewport()->width() - 3, rect.height() - 3));
}

void OutlineView::contextMenuEvent(QContextMenuEvent* event) {
  const QModelIndex at = indexAt(event->pos());
  if (editor_ == nullptr || !at.isValid()) return;
  setCurrentIndex(at);
  updateActions();
  // What goes with it is counted only when it is asked for.
  const QString effect =
      remove_->isEnabled() ? editor_->changes().removalEffect(current()) : QString();
  const QString text = remove_->text();
  if (!effect.isEmpty()) {
    remove_->setText(current().isClass() ? tr("%1 with %2").arg(text, effect)
                                         : tr("%1, which has %2").arg(text, effect));
  }
  QMenu menu(this);
  menu.addActions(editActions());
  addNotesMenu(menu, *editor_, current());
  menu.exec(event->globalPos());
  remove_->setText(text);
}

void OutlineView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTreeView::currentChanged(current, previous);
  updateActions();
}

}  // namespace tutti::fomedit
