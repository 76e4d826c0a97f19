// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/ui/outline_pane.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QPainter>
#include <algorithm>

#include "composer/ui/looks.h"
#include "resources/theme/delegates.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"

namespace tutti::composer {

using theme::Palette;
using theme::Token;

namespace {

constexpr int kFederateRole = Qt::UserRole + 1;
constexpr int kGroupRole = Qt::UserRole + 2;

}  // namespace

OutlinePane::OutlinePane(Document& document, Selection& selection, QWidget* parent)
    : QTreeView(parent), document_(document), selection_(selection) {
  setObjectName(QStringLiteral("outline"));
  setAccessibleName(tr("Outline of the composition"));
  setModel(&model_);
  setHeaderHidden(true);
  setUniformRowHeights(true);
  setIndentation(18);
  setMouseTracking(true);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* delegate = new theme::StatusNameDelegate(this, theme::height::kRowCompact);
  delegate->setStateAtEnd(true);
  delegate->setRuled(false);
  setItemDelegate(delegate);
  timer_.setSingleShot(true);
  timer_.setInterval(0);
  connect(&timer_, &QTimer::timeout, this, &OutlinePane::sync);
  const auto later = [this] {
    if (!timer_.isActive()) timer_.start();
  };
  connect(&document_, &Document::wasReset, this, later);
  connect(&document_, &Document::federateAdded, this, later);
  connect(&document_, &Document::federateRemoved, this, later);
  connect(&document_, &Document::groupAdded, this, later);
  connect(&document_, &Document::groupRemoved, this, later);
  connect(&document_, &Document::groupChanged, this, later);
  connect(&document_, &Document::settingsChanged, this, later);
  connect(&document_, &Document::findingsChanged, this, later);
  connect(&document_, &Document::federateChanged, this,
          [later](const QString&, FederateChanges changes) {
            if (changes != FederateChange::Position) later();
          });
  connect(&model_, &QStandardItemModel::itemChanged, this, [this](QStandardItem* item) {
    // The editor's text; anything else is set while the tree is filled, with signals off.
    const QString federate = item->data(kFederateRole).toString();
    const QString group = item->data(kGroupRole).toString();
    if (!federate.isEmpty())
      document_.renameFederate(federate, item->text());
    else if (!group.isEmpty())
      document_.renameGroup(group, item->text());
    if (!timer_.isActive()) timer_.start();
  });
  connect(&selection_, &Selection::changed, this, &OutlinePane::applySelection);
  connect(this, &QTreeView::activated, this, [this](const QModelIndex& index) {
    const QString id = index.data(kFederateRole).toString();
    if (!id.isEmpty()) Q_EMIT revealRequested(id);
  });
  connect(this, &QTreeView::clicked, this, [this](const QModelIndex& index) {
    const QString id = index.data(kFederateRole).toString();
    if (!id.isEmpty()) Q_EMIT revealRequested(id);
  });
  sync();
}

void OutlinePane::setFilter(const QString& text) {
  filter_ = text.trimmed();
  sync();
}

void OutlinePane::fillItem(QStandardItem& item, const QString& id) const {
  const Federate* federate = document_.federate(id);
  item.setText(federate->name);
  item.setData(id, kFederateRole);
  item.setData(iconOf(document_.manifestOf(id)), theme::IconNameRole);
  item.setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable);
  item.setData(!federate->enabled, theme::StaleRole);
  if (federate->count > 1)
    item.setData(QStringLiteral("× %1").arg(federate->count), theme::DetailRole);
  QStringList spoken{federate->name, componentText(document_, id)};
  if (const auto state = stateOf(document_, id)) {
    item.setData(QVariant::fromValue(*state), theme::StateRole);
    spoken << theme::stateWord(*state);
  }
  QStringList tips{componentText(document_, id)};
  for (const Finding& finding : document_.findings())
    if (finding.where.federate == id) tips << finding.text;
  item.setToolTip(tips.join(u'\n'));
  spoken << tips.mid(1);
  item.setData(spoken.join(QStringLiteral(", ")), Qt::AccessibleTextRole);
}

void OutlinePane::sync() {
  timer_.stop();
  if (state() == QAbstractItemView::EditingState) {  // not under the operator's hands
    timer_.start(100);
    return;
  }
  timer_.setInterval(0);
  QSet<QString> closed;
  for (auto [key, item] : items_.asKeyValueRange())
    if (item->hasChildren() && !isExpanded(item->index())) closed << key;
  selecting_ = true;
  const QSignalBlocker quiet(&model_);
  model_.clear();
  items_.clear();
  const Composition& composition = document_.composition();
  auto* root = new QStandardItem(composition.settings.federation);
  root->setData(QStringLiteral("compose"), theme::IconNameRole);
  root->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  root->setData(
      tr("%1, %2").arg(composition.settings.federation,
                       theme::formatNoun(static_cast<qint64>(composition.federates.size()),
                                         tr("federate"), tr("federates"))),
      Qt::AccessibleTextRole);
  QHash<QString, QStandardItem*> groups;
  std::vector<const Federate*> federates;
  for (const auto& [id, federate] : composition.federates)
    if (filter_.isEmpty() || federate.name.contains(filter_, Qt::CaseInsensitive) ||
        federate.component.contains(filter_, Qt::CaseInsensitive))
      federates.push_back(&federate);
  std::sort(federates.begin(), federates.end(), [](const Federate* a, const Federate* b) {
    return a->name.localeAwareCompare(b->name) < 0;
  });
  std::vector<const Group*> sorted;
  for (const auto& [id, group] : composition.groups) sorted.push_back(&group);
  std::sort(sorted.begin(), sorted.end(),
            [](const Group* a, const Group* b) { return a->name.localeAwareCompare(b->name) < 0; });
  for (const Group* group : sorted) {
    auto* item = new QStandardItem(group->name);
    item->setData(group->id, kGroupRole);
    item->setData(QStringLiteral("group"), theme::IconNameRole);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable);
    groups.insert(group->id, item);
    items_.insert(QStringLiteral("group/") + group->id, item);
  }
  QList<QStandardItem*> loose;
  for (const Federate* federate : federates) {
    auto* item = new QStandardItem;
    fillItem(*item, federate->id);
    items_.insert(federate->id, item);
    if (QStandardItem* group = groups.value(federate->group))
      group->appendRow(item);
    else
      loose << item;
  }
  for (const Group* group : sorted) {
    QStandardItem* item = groups.value(group->id);
    if (item->rowCount() == 0 && !filter_.isEmpty()) {
      items_.remove(QStringLiteral("group/") + group->id);
      delete item;
      continue;
    }
    item->setData(theme::formatCount(item->rowCount()), theme::DetailRole);
    root->appendRow(item);
  }
  for (QStandardItem* item : loose) root->appendRow(item);
  items_.insert(QStringLiteral("/"), root);
  model_.appendRow(root);
  // clear() and appendRow() were silent; the view takes the new tree at once.
  setModel(nullptr);
  setModel(&model_);
  expandAll();
  for (const QString& key : closed)
    if (QStandardItem* item = items_.value(key)) setExpanded(item->index(), false);
  selecting_ = false;
  applySelection();
}

void OutlinePane::selectionChanged(const QItemSelection& selected,
                                   const QItemSelection& deselected) {
  QTreeView::selectionChanged(selected, deselected);
  readSelection();
}

void OutlinePane::readSelection() {
  if (selecting_) return;
  selecting_ = true;
  QStringList federates;
  QString group;
  for (const QModelIndex& index : selectionModel()->selectedIndexes()) {
    const QString id = index.data(kFederateRole).toString();
    if (!id.isEmpty())
      federates << id;
    else if (!index.data(kGroupRole).toString().isEmpty())
      group = index.data(kGroupRole).toString();
  }
  if (!federates.isEmpty())
    selection_.setFederates(federates);
  else if (!group.isEmpty())
    selection_.setGroup(group);
  else
    selection_.clear();
  selecting_ = false;
}

void OutlinePane::applySelection() {
  if (selecting_) return;
  selecting_ = true;
  QItemSelection wanted;
  QModelIndex current;
  const auto take = [&](const QString& key) {
    if (QStandardItem* item = items_.value(key)) {
      current = item->index();
      wanted.select(current, current);
    }
  };
  for (const QString& id : selection_.federates()) take(id);
  if (!selection_.group().isEmpty()) take(QStringLiteral("group/") + selection_.group());
  selectionModel()->select(wanted, QItemSelectionModel::ClearAndSelect);
  if (current.isValid()) {
    selectionModel()->setCurrentIndex(current, QItemSelectionModel::NoUpdate);
    scrollTo(current);
  }
  selecting_ = false;
}

void OutlinePane::renameSelected() {
  const QModelIndex index = currentIndex();
  if (index.flags().testFlag(Qt::ItemIsEditable)) edit(index);
}

void OutlinePane::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Delete)
    Q_EMIT deleteRequested();
  else if (event->key() == Qt::Key_F2)
    renameSelected();
  else
    QTreeView::keyPressEvent(event);
}

void OutlinePane::contextMenuEvent(QContextMenuEvent* event) {
  Q_EMIT menuRequested(event->globalPos());
}

void OutlinePane::drawBranches(QPainter* painter, const QRect& rect,
                               const QModelIndex& index) const {
  const Palette palette = Palette::of(this);
  if (selectionModel()->isSelected(index))
    painter->fillRect(rect, palette[hasFocus() ? Token::BgSelected : Token::BgSelectedIdle]);
  if (!model()->hasChildren(index)) return;
  theme::paintIcon(*painter, QRectF(rect.right() - 13, rect.center().y() - 6, 13, 13),
                   isExpanded(index) ? QStringLiteral("down") : QStringLiteral("next"),
                   palette[Token::TextMuted]);
}

}  // namespace tutti::composer
