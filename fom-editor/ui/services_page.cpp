// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/services_page.h"

#include <QAction>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "fom-editor/model/open_modules.h"
#include "fom-editor/model/row_editor.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

using theme::Palette;
using theme::TextStyle;
using theme::Token;

ServiceDelegate::ServiceDelegate(QObject* parent)
    : RowDelegate(parent, theme::height::kRowCompact) {}

void ServiceDelegate::paintContent(QPainter& painter, const QRect& content,
                                   const QStyleOptionViewItem&, const QModelIndex& index,
                                   const Palette& palette) const {
  const QVariant used = index.siblingAtColumn(0).data(ServiceModel::UsedRole);
  QRect rest = content;
  if (used.isValid() && index.column() == ServiceModel::UsedColumn) {
    const QRect mark(rest.left(), rest.center().y() - 8, 20, 17);
    if (used.toBool()) {
      const theme::StateColors ok = theme::colors(theme::State::Ok, palette);
      painter.setRenderHint(QPainter::Antialiasing);
      painter.setPen(Qt::NoPen);
      painter.setBrush(ok.tint);
      painter.drawRoundedRect(mark, 3, 3);
      theme::paintIcon(painter, QRectF(mark.center().x() - 6, mark.center().y() - 6, 13, 13),
                       QStringLiteral("check"), ok.fg);
      rest.setLeft(mark.right() + 6);
    }
  }
  const bool group = !used.isValid();
  const bool muted = index.column() != ServiceModel::NameColumn || (!group && !used.toBool());
  paintText(painter, rest, index.data().toString(),
            palette[muted ? Token::TextSecondary : Token::TextPrimary],
            textFont(group && index.column() == 0 ? TextStyle::Label : TextStyle::Table),
            Qt::AlignLeft);
}

ServicesPage::ServicesPage(RowEditor& rows, OpenModules& modules, QWidget* parent)
    : ModulePage(QStringLiteral("services"), rows, modules, false, parent),
      model_(new ServiceModel(this)) {
  filter_ = new theme::SegmentedControl({tr("All"), tr("Used"), tr("Not used")}, this);
  filter_->setObjectName(QStringLiteral("servicesFilter"));
  filter_->setAccessibleName(tr("What to show"));
  search_ = new theme::SearchField(tr("Service, clause or group"), {}, this);
  search_->setObjectName(QStringLiteral("servicesSearch"));
  search_->setAccessibleName(tr("Filter services"));
  search_->setMinimumWidth(150);
  search_->setMaximumWidth(240);
  search_->setProperty("dense", true);
  bar()->addWidget(search_, 3);
  bar()->addStretch(1);
  bar()->addWidget(filter_);

  tree_ = new ModuleTree(QStringLiteral("servicesTree"), this);
  tree_->setAccessibleName(tr("Services"));
  tree_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  tree_->setItemDelegate(new ServiceDelegate(tree_));
  tree_->setModel(model_);
  tree_->viewport()->installEventFilter(this);
  tree_->header()->setSectionResizeMode(ServiceModel::NameColumn, QHeaderView::Stretch);
  tree_->header()->resizeSection(ServiceModel::SectionColumn, 80);
  tree_->header()->resizeSection(ServiceModel::InitiatorColumn, 150);
  tree_->header()->resizeSection(ServiceModel::UsedColumn, 110);
  search_->setFocusTarget(tree_);
  none_ = new theme::EmptyView(QString(), this);
  none_->setObjectName(QStringLiteral("servicesEmpty"));
  addTable_ = none_->setButton(tr("Add the table"));
  addTable_->setObjectName(QStringLiteral("servicesAdd"));
  stack_ = new QStackedWidget(this);
  stack_->addWidget(tree_);
  stack_->addWidget(none_);
  column()->addWidget(stack_, 1);
  keys_ = theme::makeLabel(
      tr("Click a mark, or Space, to say whether a service is used; on a group all of it. "
         "† is called by the RTI."),
      "caption", this);
  keys_->setContentsMargins(12, 4, 12, 6);
  keys_->setWordWrap(true);
  column()->addWidget(keys_);

  toggle_ = new QAction(tr("Used, or not"), tree_);
  toggle_->setObjectName(QStringLiteral("servicesToggle"));
  toggle_->setShortcut(Qt::Key_Space);
  toggle_->setShortcutContext(Qt::WidgetShortcut);
  tree_->addAction(toggle_);
  connect(toggle_, &QAction::triggered, this, &ServicesPage::toggle);
  remove_ = new QAction(theme::icon(QStringLiteral("remove")), tr("Remove the table"), tree_);
  remove_->setObjectName(QStringLiteral("servicesRemove"));
  tree_->addAction(remove_);
  connect(remove_, &QAction::triggered, this,
          [this] { this->rows().apply(removeServiceTable(this->rows().changes(), module())); });
  connect(none_, &theme::EmptyView::buttonClicked, this, [this] {
    if (this->rows().apply(addServiceTable(this->rows().changes(), module()))) {
      tree_->setFocus(Qt::OtherFocusReason);
    }
  });
  connect(filter_, &theme::SegmentedControl::currentIndexChanged, this, &ServicesPage::select);
  connect(search_, &QLineEdit::textChanged, this, &ServicesPage::select);
  connect(search_, &theme::SearchField::leftDownward, this,
          [this] { tree_->setFocus(Qt::OtherFocusReason); });
  connect(model_, &QAbstractItemModel::modelReset, tree_, &QTreeView::expandAll);
  connect(tree_, &QWidget::customContextMenuRequested, this, &ServicesPage::showMenu);
}

QWidget* ServicesPage::mainView() const { return tree_; }

QWidget* ServicesPage::searchField() const { return search_; }

ServiceTable ServicesPage::services() const {
  const ModuleSource* source = module() < 0 ? nullptr : modules().readableSource(module());
  if (source != nullptr) return servicesIn(*source);
  ServiceTable none;
  none.none = module() < 0 ? tr("Open a module to see which services it uses.")
                           : tr("HLA 1.3 has no service utilization table in its files.");
  return none;
}

Table ServicesPage::table() const {
  return serviceTableText(
      QFileInfo(modules().path(module())).completeBaseName() + QStringLiteral(" services"),
      services());
}

/// One that has the table, else the first.
int ServicesPage::firstModule() const {
  for (int m = 0; m < modules().count(); ++m) {
    const ModuleSource* source = modules().readableSource(m);
    if (source != nullptr && servicesIn(*source).exists) return m;
  }
  return -1;
}

void ServicesPage::refresh() {
  const ServiceTable table = services();
  const QString name = QFileInfo(modules().path(module())).fileName();
  model_->setServices(table.exists ? table : ServiceTable{});
  const QString reason = module() < 0 ? QString() : modules().readOnlyReason(module());
  if (!table.exists) {
    none_->setSentence(!table.none.isEmpty()
                           ? table.none
                           : tr("%1 does not say which services it uses.").arg(name));
    none_->setDetail(!table.none.isEmpty() ? QString()
                     : reason.isEmpty()
                         ? tr("The table lists all services of the edition, each as used or not.")
                         : reason);
    addTable_->setVisible(table.none.isEmpty());
    addTable_->setEnabled(reason.isEmpty());
  } else {
    none_->setSentence(tr("No service fits. Choose All, or clear the filter."));
    none_->setDetail({});
    addTable_->hide();
  }
  remove_->setEnabled(table.exists && reason.isEmpty());
  if (!tree_->currentIndex().isValid() && model_->rowCount() > 0) {
    tree_->setCurrentIndex(model_->index(0, 0, model_->index(0, 0)));
  }
  showCounts();
}

void ServicesPage::select() {
  model_->setFilter(static_cast<ServiceFilter>(filter_->currentIndex()), search_->text());
  refresh();
}

void ServicesPage::showCounts() {
  const int used = model_->usedCount();
  filter_->setText(0, tr("All %1").arg(model_->count()));
  filter_->setText(1, tr("Used %1").arg(used));
  filter_->setText(2, tr("Not used %1").arg(model_->count() - used));
  const bool empty = model_->rowCount() == 0;
  keys_->setVisible(!empty);
  filter_->setEnabled(model_->count() > 0);
  search_->setEnabled(model_->count() > 0);
  stack_->setCurrentWidget(empty ? static_cast<QWidget*>(none_) : tree_);
}

void ServicesPage::toggle() {
  QStringList elements;
  bool all = true;
  const auto take = [&](const QModelIndex& index) {
    const QString element = index.data(ServiceModel::ElementsRole).toStringList().value(0);
    if (elements.contains(element)) return;
    elements << element;
    all = all && index.data(ServiceModel::UsedRole).toBool();
  };
  for (const QModelIndex& index : tree_->selectionModel()->selectedRows()) {
    if (index.parent().isValid()) {
      take(index);
      continue;
    }
    // What the filter hides stays as it is.
    for (int row = 0; row < model_->rowCount(index); ++row) take(model_->index(row, 0, index));
  }
  if (elements.isEmpty()) return;
  rows().apply(setServicesUsed(rows().changes(), module(), elements, !all));
}

void ServicesPage::showMenu(const QPoint& at) {
  QMenu menu(this);
  menu.addAction(toggle_);
  const ServiceUse* use = model_->service(tree_->currentIndex());
  if (use != nullptr && use->line > 0) {
    const QString file = modules().path(module());
    QAction* source = menu.addAction(tr("Show in %1").arg(placeText(file, use->line)));
    connect(source, &QAction::triggered, this,
            [this, file, line = use->line] { Q_EMIT placeActivated(file, line); });
  }
  menu.addSeparator();
  menu.addAction(remove_);
  menu.exec(tree_->viewport()->mapToGlobal(at));
}

/// A click on a mark turns it over; of a row among the selected ones all of them.
bool ServicesPage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == tree_->viewport() && event->type() == QEvent::MouseButtonPress) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    const QModelIndex at = tree_->indexAt(mouse->position().toPoint());
    if (at.column() == ServiceModel::UsedColumn && mouse->button() == Qt::LeftButton &&
        mouse->modifiers() == Qt::NoModifier) {
      if (!tree_->selectionModel()->isSelected(at)) {
        tree_->selectionModel()->setCurrentIndex(
            at, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
      }
      tree_->setFocus(Qt::MouseFocusReason);
      toggle();
      return true;
    }
  }
  return ModulePage::eventFilter(watched, event);
}

}  // namespace tutti::fomedit
