// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/launch_order_view.h"

#include <QComboBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QListWidget>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "launcher/ui/launch_order_model.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

using theme::Token;

namespace {

constexpr int boxSize = 14;
constexpr int tableRow = theme::height::kRow;

QRectF boxIn(const QRect& cell) {
  return QRectF(cell.left() + 8.5, cell.center().y() - boxSize / 2 + 0.5, boxSize - 1, boxSize - 1);
}

}  // namespace

// CheckDelegate

QSize CheckDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
  return {boxSize + 16, theme::RowDelegate::rowHeight()};
}

void CheckDelegate::paintContent(QPainter& painter, const QRect& content,
                                 const QStyleOptionViewItem&, const QModelIndex& index,
                                 const theme::Palette& palette) const {
  const auto box = boxIn(content.adjusted(-8, 0, 8, 0));
  const bool checked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  const bool changeable = index.flags().testFlag(Qt::ItemIsUserCheckable);
  const auto accent = palette[changeable ? Token::Accent : Token::LineControl];
  painter.setPen(QPen(checked ? accent : palette[Token::LineControl], 1));
  painter.setBrush(checked ? QBrush(accent) : QBrush(palette[Token::BgPanel]));
  painter.drawRoundedRect(box, 3, 3);
  if (!checked) return;
  QPainterPath mark(box.topLeft() + QPointF(3.1, 6.7));
  mark.lineTo(box.topLeft() + QPointF(5.3, 9.0));
  mark.lineTo(box.topLeft() + QPointF(9.7, 4.0));
  painter.setPen(QPen(palette[Token::AccentOn], 1.7, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(mark);
}

bool CheckDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                                const QStyleOptionViewItem&, const QModelIndex& index) {
  if (!index.flags().testFlag(Qt::ItemIsUserCheckable)) return false;
  bool toggle = false;
  if (event->type() == QEvent::MouseButtonRelease) {
    toggle = static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton;
  } else if (event->type() == QEvent::KeyPress) {
    toggle = static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
  }
  if (!toggle) return false;
  const bool checked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  return model->setData(index, checked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

// LaunchEditDelegate

QWidget* LaunchEditDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                          const QModelIndex& index) const {
  if (index.column() == LaunchOrderModel::Order) {
    auto* box = new QSpinBox(parent);
    box->setObjectName(QStringLiteral("startOrderEditor"));
    box->setRange(-9999, 9999);
    box->setFrame(false);
    return box;
  }
  auto* box = new QComboBox(parent);
  if (index.column() == LaunchOrderModel::Host) {
    box->setObjectName(QStringLiteral("hostChoice"));
    const QStringList keys = index.data(LaunchOrderModel::HostKeysRole).toStringList();
    const QStringList names = index.data(LaunchOrderModel::HostNamesRole).toStringList();
    for (qsizetype i = 0; i < keys.size(); ++i) box->addItem(names.value(i), keys.at(i));
  } else {
    box->setObjectName(QStringLiteral("ifItEndsEditor"));
    box->addItem(tr("stops the run"), true);
    box->addItem(tr("the run goes on"), false);
  }
  connect(box, &QComboBox::activated, this, [this, box] {
    auto* self = const_cast<LaunchEditDelegate*>(this);
    Q_EMIT self->commitData(box);
    Q_EMIT self->closeEditor(box);
  });
  return box;
}

void LaunchEditDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
  if (auto* number = qobject_cast<QSpinBox*>(editor)) {
    number->setValue(index.data(Qt::EditRole).toInt());
  } else if (auto* choice = qobject_cast<QComboBox*>(editor)) {
    choice->setCurrentIndex(choice->findData(index.data(Qt::EditRole)));
  }
}

void LaunchEditDelegate::setModelData(QWidget* editor, QAbstractItemModel* model,
                                      const QModelIndex& index) const {
  if (auto* number = qobject_cast<QSpinBox*>(editor)) {
    number->interpretText();
    model->setData(index, number->value());
  } else if (auto* choice = qobject_cast<QComboBox*>(editor)) {
    model->setData(index, choice->currentData());
  }
}

// WaitsPopup

WaitsPopup::WaitsPopup(composer::Document* document, const QString& federate, QWidget* parent)
    : QFrame(parent, Qt::Popup),
      document_(document),
      federate_(federate),
      filter_(new theme::SearchField(tr("Filter federates"), {}, this)),
      list_(new QListWidget(this)) {
  setObjectName(QStringLiteral("waitsPopup"));
  setAttribute(Qt::WA_DeleteOnClose);
  setFrameShape(QFrame::Box);
  filter_->setObjectName(QStringLiteral("waitsFilter"));
  list_->setObjectName(QStringLiteral("waitsList"));
  list_->setUniformItemSizes(true);
  list_->setItemDelegate(new theme::PlainRowDelegate(list_));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 8, 8, 8);
  column->setSpacing(6);
  const auto* self = document->federate(federate);
  column->addWidget(theme::makeLabel(
      self == nullptr ? QString() : tr("%1 starts when these are ready").arg(self->name), "label",
      this));
  column->addWidget(filter_);
  column->addWidget(list_);
  column->addWidget(theme::makeLabel(tr("Esc leaves it as it was"), "caption", this));

  // Whoever waits for this one, directly or not, would wait for itself.
  QStringList dependents{federate};
  for (qsizetype at = 0; at < dependents.size(); ++at) {
    for (const auto& [id, other] : document->composition().federates) {
      if (other.waitsFor.contains(dependents.at(at)) && !dependents.contains(id)) dependents << id;
    }
  }
  for (const auto* other : document->composition().inStartOrder()) {
    if (other->id == federate) continue;
    auto* item = new QListWidgetItem(other->name, list_);
    item->setData(Qt::UserRole, other->id);
    const bool waits = self != nullptr && self->waitsFor.contains(other->id);
    item->setCheckState(waits ? Qt::Checked : Qt::Unchecked);
    if (dependents.contains(other->id) && !waits) {
      item->setFlags(Qt::NoItemFlags);
      item->setText(tr("%1: waits for this one").arg(other->name));
    } else if (!other->enabled) {
      item->setText(tr("%1 (disabled)").arg(other->name));
    }
  }
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    for (int row = 0; row < list_->count(); ++row)
      list_->item(row)->setHidden(!list_->item(row)->text().contains(text, Qt::CaseInsensitive));
  });
  connect(filter_, &theme::SearchField::leftDownward, list_,
          [this] { list_->setFocus(Qt::TabFocusReason); });
  filter_->setVisible(list_->count() > 8);
  const int rows = std::clamp(list_->count(), 2, 10);
  list_->setFixedHeight(rows * theme::rowHeight(theme::height::kRowCompact) + 4);
  setMinimumWidth(240);
  (filter_->isVisibleTo(this) ? static_cast<QWidget*>(filter_) : list_)->setFocus();
  if (list_->count() > 0) list_->setCurrentRow(0);
}

QStringList WaitsPopup::chosen() const {
  QStringList result;
  for (int row = 0; row < list_->count(); ++row) {
    if (list_->item(row)->checkState() == Qt::Checked)
      result << list_->item(row)->data(Qt::UserRole).toString();
  }
  return result;
}

void WaitsPopup::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) cancelled_ = true;
  if (event->key() == Qt::Key_Escape || event->key() == Qt::Key_Return ||
      event->key() == Qt::Key_Enter) {
    close();
    return;
  }
  QFrame::keyPressEvent(event);
}

void WaitsPopup::closeEvent(QCloseEvent* event) {
  const auto* self = document_->federate(federate_);
  if (!cancelled_ && self != nullptr) {
    auto before = self->waitsFor;
    auto after = chosen();
    before.sort();
    after.sort();
    if (before != after) document_->setWaitsFor(federate_, chosen());
  }
  QFrame::closeEvent(event);
}

// LaunchOrderView

LaunchOrderView::LaunchOrderView(composer::Document* document, QWidget* parent)
    : QTreeView(parent), document_(document) {
  setObjectName(QStringLiteral("launchOrder"));
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setAllColumnsShowFocus(true);
  setMouseTracking(true);
  setEditTriggers(DoubleClicked | EditKeyPressed);
  setSelectionMode(ExtendedSelection);
  setTextElideMode(Qt::ElideRight);
  setContextMenuPolicy(Qt::CustomContextMenu);
  setItemDelegate(new theme::RowDelegate(this, tableRow));
  setItemDelegateForColumn(LaunchOrderModel::On, new CheckDelegate(this, tableRow));
  setItemDelegateForColumn(LaunchOrderModel::Federate,
                           new theme::StatusNameDelegate(this, tableRow));
  auto* edits = new LaunchEditDelegate(this, tableRow);
  setItemDelegateForColumn(LaunchOrderModel::Host, edits);
  setItemDelegateForColumn(LaunchOrderModel::Order, edits);
  setItemDelegateForColumn(LaunchOrderModel::IfItEnds, edits);
  header()->setHighlightSections(false);
  header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  header()->setStretchLastSection(false);
  header()->setMinimumSectionSize(32);
}

void LaunchOrderView::setModel(QAbstractItemModel* model) {
  QTreeView::setModel(model);
  if (model == nullptr) return;
  struct Width {
    int column;
    int width;
  };
  for (const auto& [column, width] :
       {Width{LaunchOrderModel::On, 34}, Width{LaunchOrderModel::Federate, 138},
        Width{LaunchOrderModel::Host, 88}, Width{LaunchOrderModel::Order, 48},
        Width{LaunchOrderModel::ReadyWhen, 96}, Width{LaunchOrderModel::TimeOut, 68},
        Width{LaunchOrderModel::IfItEnds, 108}})
    header()->resizeSection(column, width);
  header()->setSectionResizeMode(LaunchOrderModel::StartsWhen, QHeaderView::Stretch);
  header()->setSectionResizeMode(LaunchOrderModel::On, QHeaderView::Fixed);
}

bool LaunchOrderView::edit(const QModelIndex& index, EditTrigger trigger, QEvent* event) {
  if (index.isValid() && index.column() == LaunchOrderModel::StartsWhen &&
      (trigger == DoubleClicked || trigger == EditKeyPressed) &&
      index.flags().testFlag(Qt::ItemIsEditable)) {
    editWaits(index);
    return true;
  }
  return QTreeView::edit(index, trigger, event);
}

void LaunchOrderView::editWaits(const QModelIndex& index) {
  const auto id = index.data(LaunchOrderModel::IdRole).toString();
  if (id.isEmpty()) return;
  const auto cell = visualRect(index.siblingAtColumn(LaunchOrderModel::StartsWhen));
  auto* popup = new WaitsPopup(document_, id, this);
  popup->move(viewport()->mapToGlobal(cell.bottomLeft()));
  popup->show();
}

}  // namespace tutti::launcher
