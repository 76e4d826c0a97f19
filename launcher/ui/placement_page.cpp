// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/placement_page.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "launcher/ui/auto_placement.h"
#include "launcher/ui/host_watch.h"
#include "launcher/ui/matrix_view.h"
#include "launcher/ui/partition_placement.h"
#include "launcher/ui/placement_board.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

PlacementPage::PlacementPage(composer::Document* document, HostWatch* watch,
                             AutoPlacement* placement, PartitionPlacement* partitions,
                             QWidget* parent)
    : QWidget(parent),
      document_(document),
      watch_(watch),
      placement_(placement),
      partitions_(partitions),
      board_(new PlacementBoard(this)),
      matrix_(new MatrixView(this)),
      views_(new QStackedWidget(this)),
      partition_(new QComboBox(this)),
      caption_(new theme::ElidedLabel("caption", this)),
      order_(new theme::SegmentedControl({tr("By host"), tr("By need")}, this)),
      place_(new QPushButton(theme::icon(QStringLiteral("bolt")), tr("Place automatically"), this)),
      reason_(new theme::ElidedLabel("caption", this)) {
  setObjectName(QStringLiteral("placementPage"));
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  caption_->setObjectName(QStringLiteral("placementCaption"));
  order_->setObjectName(QStringLiteral("placementOrder"));
  order_->setAccessibleName(tr("Order of the placement"));
  partition_->setObjectName(QStringLiteral("placementPartition"));
  partition_->setAccessibleName(tr("Partition of the placement"));
  partition_->hide();
  place_->setObjectName(QStringLiteral("placeAutomatically"));
  place_->setProperty("dense", true);
  reason_->setObjectName(QStringLiteral("placementReason"));

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* bar = new QFrame(this);
  bar->setProperty("role", QByteArray("bar"));
  bar->setFixedHeight(theme::height::kTool);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(12, 0, 8, 0);
  row->setSpacing(8);
  row->addWidget(theme::makeLabel(tr("Placement"), "heading", bar));
  row->addWidget(caption_, 1);
  row->addWidget(partition_);
  row->addWidget(order_);
  row->addWidget(place_);
  column->addWidget(bar);
  views_->addWidget(board_);
  views_->addWidget(matrix_);
  column->addWidget(views_, 1);
  column->addWidget(theme::rule(this));
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(12, 4, 12, 4);
  foot->addWidget(reason_, 1);
  column->addLayout(foot);

  board_->setTip([this](const QString& id) {
    const auto* federate = document_->federate(id);
    if (federate == nullptr) return QString();
    const auto refused = placement_->refused().find(id);
    return federate->name + QStringLiteral(": ") +
           (refused != placement_->refused().end() ? refused->second.reason
                                                   : placement_->reasonOf(id));
  });
  connect(order_, &theme::SegmentedControl::currentIndexChanged, this, [this] {
    isOrderChosen_ = true;
    show();
  });
  connect(partition_, &QComboBox::activated, this, &PlacementPage::show);
  connect(matrix_, &MatrixView::countEntered, this, &PlacementPage::setCount);
  connect(matrix_, &MatrixView::moveRequested, this, &PlacementPage::moveTo);
  connect(matrix_, &MatrixView::pinRequested, document_, &composer::Document::setPinned);
  connect(matrix_, &MatrixView::menuRequested, this, &PlacementPage::showMenu);
  connect(matrix_, &MatrixView::activated, this, &PlacementPage::showOnComposeRequested);
  connect(matrix_, &MatrixView::currentChanged, this, &PlacementPage::currentChanged);
  connect(matrix_, &MatrixView::selectionChanged, this, &PlacementPage::showReason);
  connect(place_, &QPushButton::clicked, placement_, &AutoPlacement::place);
  connect(board_, &PlacementBoard::moveRequested, this, &PlacementPage::move);
  connect(board_, &PlacementBoard::pinRequested, document_, &composer::Document::setPinned);
  connect(board_, &PlacementBoard::menuRequested, this, &PlacementPage::showMenu);
  connect(board_, &PlacementBoard::activated, this, &PlacementPage::showOnComposeRequested);
  connect(board_, &PlacementBoard::hostClicked, this, &PlacementPage::hostClicked);
  connect(board_, &PlacementBoard::currentChanged, this, [this](const QString& id) {
    showReason();
    Q_EMIT currentChanged(id);
  });
  connect(board_, &PlacementBoard::selectionChanged, this, &PlacementPage::showReason);

  // Many edits together, and the answers of many hosts, are one change of what is shown.
  refresh_.setSingleShot(true);
  refresh_.setInterval(0);
  connect(&refresh_, &QTimer::timeout, this, &PlacementPage::show);
  connect(placement_, &AutoPlacement::changed, this, &PlacementPage::refresh);
  connect(watch_, &HostWatch::hostsChanged, this, &PlacementPage::refresh);
  connect(watch_, &HostWatch::jobNodesChanged, this, &PlacementPage::refresh);
  connect(watch_, &HostWatch::hostChanged, this, [this](const QString& key) {
    // This machine is looked at twice a second, and nothing of that is on the board.
    if (!key.isEmpty()) refresh();
  });
  show();
}

BoardOrder PlacementPage::order() const {
  return order_->currentIndex() == 1 ? BoardOrder::ByNeed : BoardOrder::ByHost;
}

bool PlacementPage::isMatrix() const { return order_->currentIndex() == 2; }

QWidget* PlacementPage::shownView() const {
  return isMatrix() ? static_cast<QWidget*>(matrix_) : board_;
}

QStringList PlacementPage::selection() const {
  return isMatrix() ? matrix_->selection() : board_->selection();
}

void PlacementPage::setCurrent(const QString& id) {
  board_->setCurrent(id);
  matrix_->setCurrent(id);
}

void PlacementPage::showMatrix() {
  auto shown = partitions_->used();
  const PartitionName& chosen = partitions_->chosen();
  const QString firstUsed = shown.empty() ? QString() : shown.front().text();
  const bool isUsed = std::find(shown.begin(), shown.end(), chosen) != shown.end();
  if (chosen.isValid() && !isUsed)
    shown.insert(std::upper_bound(shown.begin(), shown.end(), chosen), chosen);
  const QSignalBlocker blocked[] = {QSignalBlocker(order_), QSignalBlocker(partition_)};
  // A new composition is looked at anew.
  if (shown.empty()) isOrderChosen_ = false;
  const int order = order_->currentIndex();
  QStringList orders{tr("By host"), tr("By need")};
  if (!shown.empty()) orders << tr("By node");
  if (orders.size() != order_->count()) order_->setSegments(orders);
  int onNodes = 0;
  int enabled = 0;
  for (const auto& [id, federate] : document_->composition().federates) {
    if (!federate.enabled) continue;
    enabled += federate.count;
    if (partitions_->nodeOf(federate.host)) onNodes += federate.count;
  }
  const bool follows = !isOrderChosen_ && order != 1;
  order_->setCurrentIndex(follows ? (2 * onNodes > enabled ? 2 : 0)
                                  : std::min(order, static_cast<int>(orders.size()) - 1));
  const QString before = partition_->currentText();
  QStringList names;
  for (const PartitionName& each : shown) names << each.text();
  QStringList now;
  for (int i = 0; i < partition_->count(); ++i) now << partition_->itemText(i);
  if (names != now) {
    partition_->clear();
    partition_->addItems(names);
  }
  const QString is = names.contains(before) ? before : firstUsed;
  partition_->setCurrentIndex(std::max(0, static_cast<int>(names.indexOf(is))));
  partition_->setVisible(isMatrix() && names.size() > 1);
  views_->setCurrentWidget(shownView());
  if (shown.empty()) return matrix_->setMatrix({});
  const auto index = static_cast<std::size_t>(std::max(0, partition_->currentIndex()));
  matrix_->setMatrix(matrixOf(*document_, *watch_, *partitions_, shown[index]));
}

void PlacementPage::show() {
  showMatrix();
  board_->setContent(boardContent(*document_, *watch_, *placement_, order()));
  showCaption();
  const QString why = placement_->whyNot();
  place_->setEnabled(why.isEmpty());
  place_->setText(placement_->isBusy() ? tr("Choosing hosts…") : tr("Place automatically"));
  place_->setToolTip(theme::wrappedTip(
      why.isEmpty() ? tr("A host for each federate that is not pinned: those that "
                         "exchange much data together, by what the last run has measured and "
                         "components declare, as cores, memory and labels allow. One undo step")
                    : why));
  showReason();
}

void PlacementPage::showCaption() {
  const auto& composition = document_->composition();
  int all = 0;
  int enabled = 0;
  int placed = 0;
  for (const auto& [id, federate] : composition.federates) {
    all += federate.count;
    if (!federate.enabled) continue;
    enabled += federate.count;
    if (watch_->find(federate.host) != nullptr && placement_->refused().count(id) == 0)
      placed += federate.count;
  }
  const QString count = enabled == all
                            ? theme::formatNoun(all, tr("federate"), tr("federates"))
                            : tr("%1 of %2")
                                  .arg(enabled)
                                  .arg(theme::formatNoun(all, tr("federate"), tr("federates")));
  const auto hosts = needsByHost(*document_, *watch_);
  if (isMatrix()) {
    const PlacementMatrix& matrix = matrix_->matrix();
    int there = 0;
    for (const MatrixRow& row : matrix.rows) there += row.count() - row.countOn(0);
    caption_->setText(tr("%1 of %2 on %3, bound to real ones at the start")
                          .arg(there)
                          .arg(theme::formatNoun(enabled, tr("federate"), tr("federates")),
                               theme::formatNoun(static_cast<qint64>(matrix.nodes.size()),
                                                 tr("node"), tr("nodes"))));
  } else if (placed < enabled)
    caption_->setText(tr("%1 of %2 placed")
                          .arg(placed)
                          .arg(theme::formatNoun(enabled, tr("federate"), tr("federates"))));
  else if (hosts.isEmpty() || (hosts.size() == 1 && hosts.contains({})))
    caption_->setText(tr("%1, all on this machine").arg(count));
  else
    caption_->setText(
        tr("%1 on %2").arg(count, theme::formatNoun(hosts.size(), tr("host"), tr("hosts"))));
  caption_->setToolTip(caption_->text());
}

void PlacementPage::showReason() {
  const QStringList ids = selection();
  QString text;
  if (ids.size() == 1) {
    const auto* federate = document_->federate(ids.front());
    const auto refused = placement_->refused().find(ids.front());
    if (federate != nullptr)
      text = federate->name + QStringLiteral(": ") +
             (refused != placement_->refused().end() ? refused->second.reason
                                                     : placement_->reasonOf(ids.front()));
  } else if (ids.size() > 1 && isMatrix()) {
    text = tr("%1 selected: type how many shall be in a cell, drag it, or press Ctrl+Left and "
              "Ctrl+Right for one of it, with Shift for all")
               .arg(theme::formatNoun(ids.size(), tr("federate"), tr("federates")));
  } else if (ids.size() > 1) {
    text = tr("%1 selected: drag them to a host, or Ctrl+Left and Ctrl+Right")
               .arg(theme::formatNoun(ids.size(), tr("federate"), tr("federates")));
  } else if (isMatrix()) {
    text =
        tr("Type how many federates of a group shall be on a node, drag them, or press "
           "Ctrl+Right; P pins them");
  } else if (!placement_->summary().isEmpty()) {
    text = placement_->summary();
  } else if (watch_->hosts().size() > 1) {
    text = tr("Drag federates to hosts, or select some and press Ctrl+Right; P pins them");
  } else {
    text = tr("All federates run on this machine, with one RTI node in shared memory");
  }
  reason_->setText(text);
  reason_->setToolTip(theme::wrappedTip(text));
}

void PlacementPage::move(const QStringList& ids, const QString& key) {
  const HostView* host = watch_->find(key);
  if (host == nullptr) return;
  if (const QString why = partitions_->whyNot(ids, key); !why.isEmpty()) {
    const auto* federate = document_->federate(ids.value(0));
    const QString what = ids.size() == 1 && federate != nullptr
                             ? federate->name
                             : theme::formatNoun(ids.size(), tr("federate"), tr("federates"));
    Q_EMIT refused(tr("%1 cannot be placed on %2").arg(what, host->name), why);
    return;
  }
  QStringList moved;
  for (const QString& id : ids) {
    const auto* federate = document_->federate(id);
    if (federate == nullptr) continue;
    placement_->accept(id);
    if (watch_->find(federate->host) != host) moved << id;
  }
  if (!moved.isEmpty()) document_->setHost(moved, host->key);
}

void PlacementPage::setCount(const QString& rowKey, const std::vector<int>& nodes, int count) {
  const PlacementMatrix& matrix = matrix_->matrix();
  const auto row = std::find_if(matrix.rows.begin(), matrix.rows.end(),
                                [&](const MatrixRow& one) { return one.key == rowKey; });
  if (row == matrix.rows.end()) return;
  const auto moves = withCount(matrix, *row, nodes, count);
  if (moves) return moveInMatrix(*moves);
  Q_EMIT refused(tr("The federates stay where they are"), moves.error());
}

void PlacementPage::moveTo(const QStringList& ids, const std::vector<int>& nodes) {
  const auto moves = movedTo(matrix_->matrix(), ids, nodes);
  if (!moves.empty()) return moveInMatrix(moves);
  const bool hasPinned = std::any_of(ids.begin(), ids.end(), [&](const QString& id) {
    const auto* federate = document_->federate(id);
    if (federate == nullptr || !federate->pinned) return false;
    const auto node = partitions_->nodeOf(federate->host);
    return !node || node->first != matrix_->matrix().partition ||
           std::find(nodes.begin(), nodes.end(), node->second) == nodes.end();
  });
  if (hasPinned)
    Q_EMIT refused(tr("The federates stay where they are"),
                   tr("They are pinned. Press P to unpin what is selected."));
}

void PlacementPage::moveInMatrix(const std::map<QString, int>& numbers) {
  if (numbers.empty()) return;
  const auto* first = document_->federate(numbers.begin()->first);
  const QString what =
      numbers.size() == 1 && first != nullptr
          ? first->name
          : theme::formatNoun(static_cast<qint64>(numbers.size()), tr("federate"), tr("federates"));
  const QString why =
      partitions_->put(numbers, matrix_->matrix().partition, tr("move %1").arg(what));
  if (!why.isEmpty()) {
    Q_EMIT refused(tr("%1 cannot be placed so").arg(what), why);
    return;
  }
  for (const auto& [id, number] : numbers) placement_->accept(id);
}

void PlacementPage::moveToFreeNode(const QStringList& ids, const PartitionName& partition) {
  // Offered now, if it was not yet.
  partitions_->setChosen(partition);
  const QString key = partitions_->freeNode(partition);
  if (watch_->find(key) != nullptr) return move(ids, key);
  const Partition* known = partitions_->find(partition);
  Q_EMIT refused(tr("%1 has no free node").arg(partition.text()),
                 tr("All its %1 are named already. Drop the federates on one of them.")
                     .arg(known == nullptr ? tr("nodes")
                                           : theme::formatNoun(qint64(known->nodes.size()),
                                                               tr("node"), tr("nodes"))));
}

void PlacementPage::addMoves(QMenu& menu, const QStringList& ids) {
  for (const HostView& host : watch_->hosts()) {
    const QString icon = host.isJobNode() ? QStringLiteral("cluster") : QStringLiteral("computer");
    auto* action = menu.addAction(theme::icon(icon), host.name, this,
                                  [this, ids, key = host.key] { this->move(ids, key); });
    const bool there = std::all_of(ids.begin(), ids.end(), [&](const QString& id) {
      const auto* federate = document_->federate(id);
      return federate != nullptr && watch_->find(federate->host) == &host;
    });
    action->setEnabled(!there);
  }
  // Of those that have federates a free node is among the hosts.
  for (const PartitionName& partition : partitions_->partitions()) {
    if (watch_->find(partitions_->freeNode(partition)) != nullptr) continue;
    if (!partitions_->numbersOf(partition).empty()) continue;
    menu.addAction(theme::icon(QStringLiteral("cluster")), tr("A node of %1").arg(partition.text()),
                   this, [this, ids, partition] { moveToFreeNode(ids, partition); });
  }
}

void PlacementPage::fillMenu(QMenu& menu) {
  const QStringList ids = selection();
  const auto what = [&] {
    const auto* federate = document_->federate(ids.value(0));
    return ids.size() == 1 && federate != nullptr
               ? federate->name
               : theme::formatNoun(ids.size(), tr("federate"), tr("federates"));
  }();
  if (!ids.isEmpty()) {
    auto* move = menu.addMenu(tr("Move %1 to").arg(what));
    move->setObjectName(QStringLiteral("moveMenu"));
    addMoves(*move, ids);
    const bool pinned = std::all_of(ids.begin(), ids.end(), [&](const QString& id) {
      const auto* federate = document_->federate(id);
      return federate != nullptr && federate->pinned;
    });
    auto* pin = menu.addAction(pinned ? tr("Unpin %1").arg(what) : tr("Pin %1 here").arg(what),
                               this, [this, ids, pinned] { document_->setPinned(ids, !pinned); });
    pin->setShortcut(QKeySequence(Qt::Key_P));
    const bool apart = std::any_of(ids.begin(), ids.end(), [&](const QString& id) {
      const auto* federate = document_->federate(id);
      return federate != nullptr && !federate->apart.isEmpty();
    });
    auto* keep = menu.addAction(tr("Keep %1 apart").arg(what), this,
                                [this, ids] { document_->keepApart(ids); });
    keep->setEnabled(ids.size() > 1);
    if (apart)
      menu.addAction(tr("Let %1 share a host").arg(what), this,
                     [this, ids] { document_->letShareHosts(ids); });
    const auto* first = document_->federate(ids.front());
    const auto group = first == nullptr ? document_->composition().groups.end()
                                        : document_->composition().groups.find(first->group);
    if (group != document_->composition().groups.end())
      menu.addAction(tr("Select the group %1").arg(group->second.name), this,
                     [this, of = group->first] {
                       QStringList members;
                       for (const auto& [id, federate] : document_->composition().federates) {
                         if (federate.group == of) members << id;
                       }
                       board_->select(members);
                       matrix_->select(members);
                     });
    if (ids.size() == 1)
      menu.addAction(tr("Show %1 on Compose").arg(what), this,
                     [this, id = ids.front()] { Q_EMIT showOnComposeRequested(id); });
    menu.addSeparator();
  }
  menu.addAction(tr("Select all federates"), this,
                 [this] { isMatrix() ? matrix_->selectAll() : board_->selectAll(); })
      ->setShortcut(QKeySequence::SelectAll);
  menu.addAction(tr("Copy the placement as text"), this, [this] {
    QGuiApplication::clipboard()->setText(isMatrix() ? matrixText(matrix_->matrix())
                                                     : boardText(board_->content()));
  });
}

void PlacementPage::showMenu(const QPoint& globalPosition) {
  QMenu menu(this);
  fillMenu(menu);
  menu.exec(globalPosition);
}

}  // namespace tutti::launcher
