// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/sharing_page.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStackedWidget>
#include <QToolButton>
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

namespace {

constexpr int kMark = 20;

}  // namespace

SharingDelegate::SharingDelegate(QObject* parent)
    : RowDelegate(parent, theme::height::kRowCompact) {}

QSize SharingDelegate::sizeHint(const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
  QSize size = RowDelegate::sizeHint(option, index);
  if (index.column() == SharingModel::NameColumn) size.rwidth() += 28;
  return size;
}

void SharingDelegate::paintContent(QPainter& painter, const QRect& content,
                                   const QStyleOptionViewItem&, const QModelIndex& index,
                                   const Palette& palette) const {
  const bool inherited = index.data(SharingModel::InheritedRole).toBool();
  const bool isClass = !index.parent().isValid();
  const QColor color = palette[inherited ? Token::TextMuted : Token::TextPrimary];
  const QVariant shares = index.data(SharingModel::SharesRole);
  QRect rest = content;
  if (shares.isValid()) {
    const theme::StateColors ok = theme::colors(theme::State::Ok, palette);
    const QRect mark(rest.left(), rest.center().y() - 8, kMark, 17);
    if (shares.toBool()) {
      if (!inherited) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(ok.tint);
        painter.drawRoundedRect(mark, 3, 3);
      }
      theme::paintIcon(painter, QRectF(mark.center().x() - 6, mark.center().y() - 6, 13, 13),
                       QStringLiteral("check"), inherited ? palette[Token::TextMuted] : ok.fg);
    } else {
      paintText(painter, mark, QStringLiteral("–"), palette[Token::TextMuted],
                textFont(TextStyle::Table), Qt::AlignHCenter);
    }
    return;
  }
  if (index.column() == SharingModel::NameColumn) {
    const QString item = index.data(SharingModel::ItemRole).toString();
    const bool isObject = item.startsWith(u"object:");
    const char* name = !isClass ? "attribute" : isObject ? "object-class" : "interaction-class";
    theme::paintIcon(painter, QRect(rest.left(), rest.center().y() - 7, 15, 15),
                     QLatin1String(name),
                     palette[inherited  ? Token::TextMuted
                             : isObject ? Token::Series1
                                        : Token::Series2]);
    rest.setLeft(rest.left() + 21);
    paintText(painter, rest, index.data().toString(), color,
              textFont(isClass ? TextStyle::Label : TextStyle::Table), Qt::AlignLeft);
    return;
  }
  const bool muted = inherited || index.column() == SharingModel::PlaceColumn ||
                     index.data().toString() == u"Neither" || index.data().toString() == u"–";
  paintText(painter, rest, index.data().toString(),
            palette[muted ? Token::TextMuted : Token::TextPrimary], textFont(TextStyle::Table),
            Qt::AlignLeft);
}

SharingPage::SharingPage(RowEditor& rows, OpenModules& modules, QWidget* parent)
    : ModulePage(QStringLiteral("sharing"), rows, modules, true, parent),
      shared_(new SharingModel(this)) {
  filter_ = new theme::SegmentedControl(
      {tr("All"), tr("Published"), tr("Subscribed"), tr("Neither")}, this);
  filter_->setObjectName(QStringLiteral("sharingFilter"));
  filter_->setAccessibleName(tr("What to show"));
  search_ = new theme::SearchField(tr("Class or attribute"), {}, this);
  search_->setObjectName(QStringLiteral("sharingSearch"));
  search_->setAccessibleName(tr("Filter classes and attributes"));
  search_->setMinimumWidth(150);
  search_->setMaximumWidth(240);
  search_->setProperty("dense", true);
  auto* inherited = theme::smallButton(QStringLiteral("group"), {}, this);
  inherited_ =
      new QAction(theme::icon(QStringLiteral("group")), tr("Show inherited attributes"), this);
  inherited_->setObjectName(QStringLiteral("sharingInherited"));
  inherited_->setCheckable(true);
  inherited_->setChecked(true);
  inherited->setDefaultAction(inherited_);
  bar()->addWidget(search_, 3);
  bar()->addStretch(1);
  bar()->addWidget(inherited);
  bar()->addWidget(filter_);

  tree_ = new ModuleTree(QStringLiteral("sharingTree"), this);
  tree_->setAccessibleName(tr("What is published and subscribed"));
  tree_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  tree_->setItemDelegate(new SharingDelegate(tree_));
  tree_->setModel(shared_);
  tree_->viewport()->installEventFilter(this);
  tree_->header()->setSectionResizeMode(SharingModel::NameColumn, QHeaderView::Stretch);
  tree_->header()->resizeSection(SharingModel::PublishColumn, 76);
  tree_->header()->resizeSection(SharingModel::SubscribeColumn, 86);
  tree_->header()->resizeSection(SharingModel::WordColumn, 132);
  tree_->header()->resizeSection(SharingModel::PlaceColumn, 190);
  search_->setFocusTarget(tree_);
  none_ = new theme::EmptyView(QString(), this);
  none_->setObjectName(QStringLiteral("sharingEmpty"));
  stack_ = new QStackedWidget(this);
  stack_->addWidget(tree_);
  stack_->addWidget(none_);
  column()->addWidget(stack_, 1);
  auto* keys = theme::makeLabel(
      tr("Click a mark, or P publish, S subscribe, B both, N neither; with Shift a class with all "
         "its attributes."),
      "caption", this);
  keys->setContentsMargins(12, 4, 12, 6);
  keys->setWordWrap(true);
  column()->addWidget(keys);
  buildActions();

  connect(filter_, &theme::SegmentedControl::currentIndexChanged, this, &SharingPage::select);
  connect(search_, &QLineEdit::textChanged, this, &SharingPage::select);
  connect(search_, &theme::SearchField::leftDownward, this,
          [this] { tree_->setFocus(Qt::OtherFocusReason); });
  connect(inherited_, &QAction::toggled, this, &SharingPage::select);
  connect(tree_, &QTreeView::collapsed, this, [this](const QModelIndex& index) {
    closed_.insert(index.data(SharingModel::KeyRole).toString());
  });
  connect(tree_, &QTreeView::expanded, this, [this](const QModelIndex& index) {
    closed_.remove(index.data(SharingModel::KeyRole).toString());
  });
  connect(tree_, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
    Q_EMIT itemActivated(index.data(SharingModel::ItemRole).toString());
  });
  connect(tree_, &QWidget::customContextMenuRequested, this, &SharingPage::showMenu);
}

void SharingPage::buildActions() {
  struct Named {
    Key key;
    QString text;
    QString all;
    int letter;
    const char* name;
  };
  const Named named[] = {
      {Key::Publish, tr("Publish"), tr("Publish with all attributes"), Qt::Key_P, "Publish"},
      {Key::Subscribe, tr("Subscribe"), tr("Subscribe with all attributes"), Qt::Key_S,
       "Subscribe"},
      {Key::Both, tr("Publish and subscribe"), tr("Publish and subscribe with all attributes"),
       Qt::Key_B, "Both"},
      {Key::Neither, tr("Neither"), tr("Neither, with all attributes"), Qt::Key_N, "Neither"}};
  for (const Named& each : named) {
    for (const bool all : {false, true}) {
      auto* action = new QAction(all ? each.all : each.text, tree_);
      action->setObjectName(QStringLiteral("sharing") + QLatin1String(each.name) +
                            (all ? QStringLiteral("All") : QString()));
      action->setShortcut(QKeySequence(all ? each.letter | Qt::SHIFT : each.letter));
      action->setShortcutContext(Qt::WidgetShortcut);
      tree_->addAction(action);
      (all ? allActions_ : actions_) << action;
      connect(action, &QAction::triggered, this,
              [this, key = each.key, all] { setSelected(key, all); });
    }
  }
}

QWidget* SharingPage::mainView() const { return tree_; }

QWidget* SharingPage::searchField() const { return search_; }

Table SharingPage::table() const { return sharingTable(shared_->classes()); }

void SharingPage::refresh() {
  keepPlace();
  QList<SharedClass> classes;
  if (model()) {
    std::optional<QSet<QString>> defined;
    if (module() >= 0) {
      if (const ModuleSource* source = modules().readableSource(module())) {
        defined = definedIn(*source);
      } else {
        const Item item = findItem(*model(), QStringLiteral("module:") + modules().path(module()));
        defined = definedIn(*model(), item.isNull() ? UINT32_MAX : item.id - 1);
      }
    }
    classes = sharingOf(*model(), defined);
  }
  shared_->setClasses(model(), classes);
  restorePlace();
  showCounts();
}

void SharingPage::select() {
  keepPlace();
  shared_->setInheritedShown(inherited_->isChecked());
  shared_->setFilter(static_cast<SharingFilter>(filter_->currentIndex()), search_->text());
  restorePlace();
  showCounts();
}

void SharingPage::showCounts() {
  const SharingModel::Counts counts = shared_->counts();
  filter_->setText(0, tr("All %1").arg(counts.all));
  filter_->setText(1, tr("Published %1").arg(counts.published));
  filter_->setText(2, tr("Subscribed %1").arg(counts.subscribed));
  filter_->setText(3, tr("Neither %1").arg(counts.neither));
  const bool empty = shared_->rowCount() == 0;
  if (counts.all == 0) {
    none_->setSentence(tr("This module defines no class. Add one in the pane Classes."));
  } else {
    none_->setSentence(tr("No class or attribute fits. Choose All, or clear the filter."));
  }
  stack_->setCurrentWidget(empty ? static_cast<QWidget*>(none_) : tree_);
}

void SharingPage::keepPlace() {
  if (shared_->rowCount() == 0) return;
  selected_.clear();
  for (const QModelIndex& index : tree_->selectionModel()->selectedRows()) {
    selected_ << index.data(SharingModel::KeyRole).toString();
  }
  current_ = tree_->currentIndex().data(SharingModel::KeyRole).toString();
  column_ = std::max(0, tree_->currentIndex().column());
  scrolled_ = tree_->verticalScrollBar()->value();
}

void SharingPage::restorePlace() {
  const QSignalBlocker quiet(tree_);
  tree_->expandAll();
  for (int row = 0; row < shared_->rowCount(); ++row) {
    const QModelIndex top = shared_->index(row, 0);
    // What is looked for is not hidden.
    const bool closed =
        search_->text().isEmpty() && closed_.contains(top.data(SharingModel::KeyRole).toString());
    if (closed) tree_->setExpanded(top, false);
  }
  if (shared_->rowCount() == 0) return;
  QModelIndex current = shared_->indexOf(current_);
  if (!current.isValid()) current = shared_->index(0, 0);
  tree_->selectionModel()->setCurrentIndex(
      current.siblingAtColumn(column_),
      QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  const QSet<QString> kept(selected_.begin(), selected_.end());
  if (kept.size() > 1) {
    QItemSelection selection;
    const auto take = [&](const QModelIndex& index) {
      if (!kept.contains(index.data(SharingModel::KeyRole).toString())) return;
      selection.select(index, index.siblingAtColumn(SharingModel::ColumnCount - 1));
    };
    for (int row = 0; row < shared_->rowCount(); ++row) {
      const QModelIndex top = shared_->index(row, 0);
      take(top);
      for (int a = 0; a < shared_->rowCount(top); ++a) take(shared_->index(a, 0, top));
    }
    tree_->selectionModel()->select(selection, QItemSelectionModel::Select);
  }
  tree_->verticalScrollBar()->setValue(scrolled_);
}

/// With attributes: those that the selected classes have themselves.
QList<SharingRow> SharingPage::selectedRows(bool withAttributes) const {
  QList<SharingRow> rows;
  for (const QModelIndex& index : tree_->selectionModel()->selectedRows()) {
    const SharingRow* row = shared_->row(index);
    if (row == nullptr) continue;
    rows << *row;
    if (withAttributes) rows << shared_->ownAttributes(index);
  }
  return rows;
}

bool SharingPage::apply(const QList<SharingRow>& wanted, const Wish& wish) {
  QList<NewSharing> changed;
  QString reason;
  for (const SharingRow& row : wanted) {
    if (!row.readOnly.isEmpty()) {
      if (reason.isEmpty()) reason = row.readOnly;
      continue;
    }
    changed << NewSharing(row.ref, sharingFrom(wish.publish.value_or(row.publishes()),
                                               wish.subscribe.value_or(row.subscribes())));
  }
  if (changed.isEmpty()) {
    if (!reason.isEmpty()) Q_EMIT rows().refused(reason);
    return false;
  }
  if (!rows().apply(setSharing(rows().changes(), changed))) return false;
  shared_->adopt(changed);
  showCounts();
  return true;
}

/// Publish and Subscribe turn over: where all have it already, it goes.
void SharingPage::setSelected(Key key, bool withAttributes) {
  const QList<SharingRow> rows = selectedRows(withAttributes);
  const auto each = [&](bool (SharingRow::*has)() const) {
    return !std::all_of(rows.begin(), rows.end(), [&](const SharingRow& row) {
      return !row.readOnly.isEmpty() || (row.*has)();
    });
  };
  switch (key) {
    case Key::Publish:
      apply(rows, {each(&SharingRow::publishes), std::nullopt});
      break;
    case Key::Subscribe:
      apply(rows, {std::nullopt, each(&SharingRow::subscribes)});
      break;
    case Key::Both:
      apply(rows, {true, true});
      break;
    case Key::Neither:
      apply(rows, {false, false});
      break;
  }
}

void SharingPage::showMenu(const QPoint& at) {
  const QModelIndex index = tree_->indexAt(at);
  const SharingRow* row = shared_->row(index.isValid() ? index : tree_->currentIndex());
  if (row == nullptr) return;
  QMenu menu(this);
  menu.addActions(actions_);
  if (row->ref.kind == RowKind::ObjectClass) {
    menu.addSeparator();
    menu.addActions(allActions_);
  }
  menu.addSeparator();
  const QString path = ModelChanges::itemOf(row->ref);
  const QString of = row->ref.isClass() ? shortName(row->ref)
                                        : shortName({RowKind::ObjectClass, {}, row->ref.owner});
  QAction* go = menu.addAction(tr("Go to %1").arg(of));
  connect(go, &QAction::triggered, this, [this, path] { Q_EMIT itemActivated(path); });
  menu.exec(tree_->viewport()->mapToGlobal(at));
}

/// A click on a mark sets it; of a row among the selected ones all of them.
bool SharingPage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == tree_->viewport() && event->type() == QEvent::MouseButtonPress) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    const QModelIndex at = tree_->indexAt(mouse->position().toPoint());
    const bool mark =
        at.column() == SharingModel::PublishColumn || at.column() == SharingModel::SubscribeColumn;
    if (mark && mouse->button() == Qt::LeftButton && mouse->modifiers() == Qt::NoModifier) {
      const bool among = tree_->selectionModel()->isSelected(at);
      if (!among) {
        tree_->selectionModel()->setCurrentIndex(
            at, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
      }
      tree_->setFocus(Qt::MouseFocusReason);
      setSelected(at.column() == SharingModel::PublishColumn ? Key::Publish : Key::Subscribe,
                  false);
      return true;
    }
  }
  return ModulePage::eventFilter(watched, event);
}

}  // namespace tutti::fomedit
