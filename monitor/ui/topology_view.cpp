// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/topology_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "monitor/ui/topology_layout.h"
#include "monitor/ui/view_text.h"
#include "resources/theme/format.h"
#include "resources/theme/theme.h"

namespace tutti::monitor {

using theme::Token;

namespace {

constexpr double padding = 14;
constexpr double gutter = 20;  ///< between columns; trunks run there
constexpr double rowGap = 14;
constexpr double underBar = 26;  ///< between the node's bar and the first row
constexpr double footer = 36;
constexpr double smallestZoom = 0.1;
constexpr double largestZoom = 3;

QString componentOf(const FederateView& view) {
  return view.component.isEmpty() ? QStringLiteral("Federates") : view.component;
}

}  // namespace

TopologyView::TopologyView(QWidget* parent) : QGraphicsView(parent) {
  setObjectName(QStringLiteral("topology"));
  setScene(new QGraphicsScene(this));
  // Positions change together; an index would be rebuilt more often than it helps.
  scene()->setItemIndexMethod(QGraphicsScene::NoIndex);
  setViewportUpdateMode(QGraphicsView::MinimalViewportUpdate);
  setOptimizationFlag(QGraphicsView::DontAdjustForAntialiasing);
  setFrameShape(QFrame::NoFrame);
  setDragMode(QGraphicsView::ScrollHandDrag);
  viewport()->setCursor(Qt::ArrowCursor);
  setTransformationAnchor(QGraphicsView::AnchorUnderMouse);
  setAlignment(Qt::AlignCenter);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Topology of the run"));
  setAccessibleDescription(tr("The federates table lists the same federates with their states."));
}

void TopologyView::setMode(Mode mode) {
  if (mode_ == mode) return;
  mode_ = mode;
  userZoomed_ = false;
  signature_.clear();
  if (snapshot_) setSnapshot(snapshot_, true);
}

QString TopologyView::signature() const {
  QString result = QString::number(static_cast<int>(mode_));
  for (const FederateView& each : snapshot_->federates) {
    result += u'\n' + each.name + u'\t' + each.host + u'\t' + each.component;
  }
  for (const QString& each : open_) result += u'\r' + each;
  if (mode_ == Mode::DataFlow) {
    for (std::size_t i = 0; i < bundles_.size(); ++i) {
      if (bundles_[i].links > 0) result += u' ' + QString::number(i);
    }
  }
  return result;
}

void TopologyView::bundleLinks() {
  const bool grouped = static_cast<int>(snapshot_->federates.size()) >= groupsFrom;
  boxNames_.clear();
  std::vector<std::size_t> boxOfFederate;
  QHash<QString, std::size_t> index;
  for (const FederateView& each : snapshot_->federates) {
    const QString name = grouped ? componentOf(each) : each.name;
    const auto found = index.constFind(name);
    if (found != index.constEnd()) {
      boxOfFederate.push_back(*found);
      continue;
    }
    index.insert(name, static_cast<std::size_t>(boxNames_.size()));
    boxOfFederate.push_back(static_cast<std::size_t>(boxNames_.size()));
    boxNames_ << name;
  }
  const auto count = static_cast<std::size_t>(boxNames_.size());
  bundles_.assign(count * count, {});
  for (const LinkView& link : snapshot_->links) {
    const std::size_t from = boxOfFederate[link.sender];
    const std::size_t to = boxOfFederate[link.receiver];
    if (from == to) continue;
    Bundle& bundle = bundles_[from * count + to];
    bundle.rate += link.perSecond;
    if (!(bundle.fill >= link.fill)) bundle.fill = link.fill;
    ++bundle.links;
  }
}

void TopologyView::setSnapshot(const SnapshotPointer& snapshot, bool text) {
  snapshot_ = snapshot;
  // Structure changes with texts, at 2 Hz.
  if (text) {
    if (mode_ == Mode::DataFlow) bundleLinks();
    const QString now = signature();
    if (now != signature_) {
      signature_ = now;
      rebuild();
      refresh(true);
      return;
    }
  }
  refresh(text);
}

QSizeF TopologyView::openSize(qsizetype count) const {
  const double columns = std::min<double>(static_cast<double>(count), count > 24 ? 6 : 3);
  const double rows = std::ceil(static_cast<double>(count) / std::max(columns, 1.0));
  return {24 + columns * (FederateItem::fullSize.width() + 8) - 8,
          GroupItem::headerHeight + rows * (FederateItem::fullSize.height() + 8) + 4};
}

QList<BoxItem*> TopologyView::makeBoxes(const QStringList& names) {
  QList<BoxItem*> boxes;
  if (!grouped_) {
    for (const QString& name : names) {
      auto* item = new FederateItem(name);
      scene()->addItem(item);
      federates_.insert(name, item);
      boxes << item;
    }
    return boxes;
  }
  QMap<QString, QStringList> byComponent;
  for (const QString& name : names) byComponent[componentOf(*snapshot_->find(name))] << name;
  for (auto group = byComponent.cbegin(); group != byComponent.cend(); ++group) {
    auto* item = new GroupItem(group.key());
    scene()->addItem(item);
    groups_.insert(group.key(), item);
    for (const QString& name : group.value()) groupOf_.insert(name, group.key());
    refreshGroup(item, true);
    if (open_.contains(group.key())) {
      item->setOpen(true, openSize(group.value().size()));
      for (const QString& name : group.value()) {
        auto* federate = new FederateItem(name);
        federate->setZValue(1);
        scene()->addItem(federate);
        federates_.insert(name, federate);
      }
    }
    boxes << item;
  }
  return boxes;
}

void TopologyView::rebuild() {
  scene()->clear();
  federates_.clear();
  groups_.clear();
  groupOf_.clear();
  hosts_.clear();
  uplinks_.clear();
  flows_.clear();
  grouped_ = static_cast<int>(snapshot_->federates.size()) >= groupsFrom;
  if (mode_ == Mode::Hosts) {
    buildHosts();
  } else {
    buildDataFlow();
  }
  // Federates of open groups lie in their group's box.
  for (auto group = groups_.cbegin(); group != groups_.cend(); ++group) {
    if (!group.value()->isOpen()) continue;
    const QPointF origin = group.value()->pos() + QPointF(12, GroupItem::headerHeight);
    const double width = group.value()->size().width();
    double x = 0;
    double y = 0;
    for (const FederateView& each : snapshot_->federates) {
      if (groupOf_.value(each.name) != group.key()) continue;
      FederateItem* item = federates_.value(each.name);
      if (item == nullptr) continue;
      if (x + FederateItem::fullSize.width() > width - 12) {
        x = 0;
        y += FederateItem::fullSize.height() + 8;
      }
      item->setPos(origin + QPointF(x, y));
      x += FederateItem::fullSize.width() + 8;
    }
  }
  afterBuild();
}

void TopologyView::buildHosts() {
  QMap<QString, QStringList> byHost;
  for (const FederateView& each : snapshot_->federates) byHost[each.host] << each.name;
  if (byHost.isEmpty()) return;
  const bool single = byHost.size() == 1;
  double x = 0;
  double y = 0;
  double rowHeight = 0;
  int inRow = 0;
  for (auto host = byHost.cbegin(); host != byHost.cend(); ++host) {
    auto* item = new HostItem(host.key());
    item->setZValue(-2);
    scene()->addItem(item);
    hosts_.insert(host.key(), item);
    QList<BoxItem*> boxes = makeBoxes(host.value());

    // Columns of boxes under the bar: federates row by row, groups where there is room.
    const int count = static_cast<int>(boxes.size());
    int columns =
        single ? std::clamp(static_cast<int>(std::ceil(std::sqrt(count * 1.8))), 2, 8) : 2;
    if (grouped_) columns = std::clamp(count, 1, 4);
    columns = std::min(columns, std::max(count, 2));
    if (grouped_) {
      std::stable_sort(boxes.begin(), boxes.end(), [](const BoxItem* a, const BoxItem* b) {
        return a->size().height() > b->size().height();
      });
    }
    std::vector<double> bottoms(static_cast<std::size_t>(columns), 0);
    std::vector<double> widths(static_cast<std::size_t>(columns), 0);
    std::vector<std::pair<std::size_t, double>> places;  // column, top
    for (int i = 0; i < count; ++i) {
      auto column = static_cast<std::size_t>(i % columns);
      if (grouped_) {
        column = static_cast<std::size_t>(std::min_element(bottoms.begin(), bottoms.end()) -
                                          bottoms.begin());
      }
      places.emplace_back(column, bottoms[column]);
      bottoms[column] += boxes[i]->size().height() + rowGap;
      widths[column] = std::max(widths[column], boxes[i]->size().width());
    }
    double width = padding + gutter * columns;
    for (const double each : widths) width += each;
    const double height = HostItem::barTop + HostItem::barHeight + underBar + footer +
                          *std::max_element(bottoms.begin(), bottoms.end());
    item->setSize({std::max(width, 312.0), height});
    if (!single && inRow == 3) {
      x = 0;
      y += rowHeight + 52;
      rowHeight = 0;
      inRow = 0;
    }
    item->setPos(x, y);
    const QRectF bar = item->barRect().translated(item->pos());
    std::vector<int> used(static_cast<std::size_t>(columns), 0);
    for (int i = 0; i < count; ++i) {
      const auto& [column, top] = places[static_cast<std::size_t>(i)];
      double boxX = x + padding + gutter / 2;
      for (std::size_t before = 0; before < column; ++before) boxX += widths[before] + gutter;
      const double boxY = bar.bottom() + underBar + top;
      BoxItem* box = boxes[i];
      box->setPos(boxX, boxY);
      auto* link = new LinkItem;
      link->setEnds(box->name(), QStringLiteral("the RTI"));
      QPainterPath path;
      const int above = used[column]++;
      if (above == 0) {
        const double middle = boxX + box->size().width() / 2;
        path.moveTo(middle, bar.bottom());
        path.lineTo(middle, boxY);
        link->setQueueRect(QRectF(middle - 4, bar.bottom() + 3, 8, underBar - 6),
                           QPointF(middle + 9, bar.bottom() + underBar / 2));
      } else {
        // Through the gutter on the left; those further down keep further left.
        const double lane = boxX - 6 - std::min(2.5 * (above - 1), 9.0);
        const double level = boxY + std::min(box->size().height() / 2, 24.0);
        path.moveTo(lane, bar.bottom());
        path.lineTo(lane, level);
        path.lineTo(boxX, level);
      }
      link->setPath(path);
      scene()->addItem(link);
      uplinks_.insert(box->name(), link);
    }
    x += item->size().width() + 52;
    rowHeight = std::max(rowHeight, item->size().height());
    ++inRow;
  }
}

BoxItem* TopologyView::boxOf(const QString& federate) const {
  const auto group = groupOf_.constFind(federate);
  if (group != groupOf_.constEnd()) return groups_.value(*group);
  return federates_.value(federate);
}

void TopologyView::buildDataFlow() {
  QStringList names;
  for (const FederateView& each : snapshot_->federates) names << each.name;
  const QList<BoxItem*> boxes = makeBoxes(names);
  QHash<const BoxItem*, std::size_t> index;
  std::vector<LayoutNode> nodes;
  for (BoxItem* box : boxes) {
    index.insert(box, nodes.size());
    nodes.push_back({box->size(), {}});
  }
  QHash<QString, BoxItem*> byName;
  for (BoxItem* box : boxes) byName.insert(box->name(), box);
  QMap<QPair<QString, QString>, int> pairs;
  const auto count = static_cast<std::size_t>(boxNames_.size());
  for (std::size_t i = 0; i < bundles_.size(); ++i) {
    if (bundles_[i].links == 0) continue;
    const QString& sender = boxNames_[static_cast<qsizetype>(i / count)];
    const QString& receiver = boxNames_[static_cast<qsizetype>(i % count)];
    pairs.insert({sender, receiver}, bundles_[i].links);
    nodes[index.value(byName.value(sender))].to.push_back(index.value(byName.value(receiver)));
  }
  const auto places = layoutByFlow(nodes, grouped_ ? 110 : 96, grouped_ ? 30 : 22);
  for (BoxItem* box : boxes) box->setPos(places[index.value(box)]);

  const bool labels = pairs.size() <= 16;
  for (auto pair = pairs.cbegin(); pair != pairs.cend(); ++pair) {
    const BoxItem* from = byName.value(pair.key().first);
    const BoxItem* to = byName.value(pair.key().second);
    auto* link = new LinkItem;
    link->setEnds(pair.key().first, pair.key().second);
    const bool answered = pairs.contains({pair.key().second, pair.key().first});
    const QRectF source(from->pos(), from->size());
    const QRectF target(to->pos(), to->size());
    QPainterPath path;
    if (source.right() < target.left()) {
      const double shift = answered ? -7 : 0;
      const QPointF start(source.right(), source.center().y() + shift);
      const QPointF end(target.left(), target.center().y() + shift);
      const double bend = std::max(40.0, (end.x() - start.x()) * 0.5);
      path.moveTo(start);
      path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end);
    } else if (target.right() < source.left()) {
      // Back against the flow.
      const double shift = answered ? 7 : 0;
      const QPointF start(source.left(), source.center().y() + shift);
      const QPointF end(target.right(), target.center().y() + shift);
      const double bend = std::max(40.0, (start.x() - end.x()) * 0.5);
      path.moveTo(start);
      path.cubicTo(start - QPointF(bend, 0), end + QPointF(bend, 0), end);
    } else {
      // In one column: round the right side.
      const QPointF start(source.right(), source.center().y() + 7);
      const QPointF end(target.right(), target.center().y() - 7);
      path.moveTo(start);
      path.cubicTo(start + QPointF(46, 0), end + QPointF(46, 0), end);
    }
    link->setPath(path);
    link->setLabelAt(path.pointAtPercent(answered ? 0.3 : 0.5), labels);
    scene()->addItem(link);
    flows_.insert(pair.key(), link);
  }
}

void TopologyView::afterBuild() {
  setSceneRect(contentRect().adjusted(-8, -8, 8, 8));
  if (!userZoomed_) fit();
  applySelection();
}

QRectF TopologyView::contentRect() const {
  const QRectF all = scene()->itemsBoundingRect();
  return all.isEmpty() ? QRectF(0, 0, 100, 100) : all;
}

void TopologyView::refreshGroup(GroupItem* group, bool text) {
  std::vector<GroupItem::Cell> cells;
  double out = 0;
  double in = 0;
  for (const FederateView& each : snapshot_->federates) {
    if (groupOf_.value(each.name) != group->name()) continue;
    cells.push_back({each.name, each.condition, each.cpuUser + each.cpuSystem});
    if (!std::isnan(each.sentPerSecond)) out += each.sentPerSecond;
    if (!std::isnan(each.receivedPerSecond)) in += each.receivedPerSecond;
  }
  group->setCells(std::move(cells), out, in, text);
}

void TopologyView::refresh(bool text) {
  const bool stale = !snapshot_->problem.isEmpty();
  QHash<QString, int> joined;
  QHash<QString, int> expected;
  struct Sum {
    double rate = 0;
    double fill = unknown;
    bool dead = true;
  };
  QHash<QString, Sum> sums;
  for (const FederateView& each : snapshot_->federates) {
    if (FederateItem* item = federates_.value(each.name)) item->setView(each, text, stale);
    ++expected[each.host];
    const bool gone =
        each.condition == FederateCondition::Dead || each.condition == FederateCondition::Resigned;
    if (!gone && each.number != 0) ++joined[each.host];
    if (mode_ != Mode::Hosts) continue;
    const BoxItem* box = boxOf(each.name);
    if (box == nullptr) continue;
    Sum& sum = sums[box->name()];
    if (!std::isnan(each.sentPerSecond)) sum.rate += each.sentPerSecond;
    if (!std::isnan(each.receivedPerSecond)) sum.rate += each.receivedPerSecond;
    if (!(sum.fill >= each.queueFill)) sum.fill = each.queueFill;
    sum.dead = sum.dead && each.condition == FederateCondition::Dead;
  }
  for (GroupItem* group : std::as_const(groups_)) refreshGroup(group, text);
  for (auto host = hosts_.cbegin(); host != hosts_.cend(); ++host) {
    host.value()->setView(host.key() == snapshot_->host.name ? &snapshot_->host : nullptr,
                          joined.value(host.key()), expected.value(host.key()), text);
  }
  for (auto link = uplinks_.cbegin(); link != uplinks_.cend(); ++link) {
    const Sum sum = sums.value(link.key());
    link.value()->setView(sum.rate, sum.fill,
                          sum.dead ? LinkItem::Style::Dead : LinkItem::Style::Flow, text);
  }
  if (mode_ != Mode::DataFlow || !text) return;
  const auto count = static_cast<std::size_t>(boxNames_.size());
  for (std::size_t i = 0; i < bundles_.size(); ++i) {
    LinkItem* link = flows_.value({boxNames_[static_cast<qsizetype>(i / count)],
                                   boxNames_[static_cast<qsizetype>(i % count)]});
    if (link == nullptr) continue;
    link->setView(bundles_[i].rate, bundles_[i].fill,
                  bundles_[i].links > 0 ? LinkItem::Style::Flow : LinkItem::Style::Dead, true);
  }
}

void TopologyView::select(const QString& name) {
  if (selected_ == name) return;
  selected_ = name;
  applySelection();
}

void TopologyView::applySelection() {
  const QString group = groupOf_.value(selected_);
  for (FederateItem* item : std::as_const(federates_)) item->setSelected(item->name() == selected_);
  for (GroupItem* item : std::as_const(groups_)) {
    item->setSelected(item->name() == selected_ || item->name() == group);
  }
  const BoxItem* box = boxOf(selected_);
  const QString boxName = box != nullptr ? box->name() : QString();
  for (LinkItem* link : std::as_const(flows_)) {
    link->setDimmed(!boxName.isEmpty() && link->from() != boxName && link->to() != boxName);
  }
}

void TopologyView::toggleGroup(const QString& component) {
  if (!open_.remove(component)) open_.insert(component);
  setSnapshot(snapshot_, true);
}

void TopologyView::setZoom(double zoom) {
  userZoomed_ = true;
  const double wanted = std::clamp(zoom, smallestZoom, largestZoom);
  setTransform(QTransform::fromScale(wanted, wanted));
  emit zoomChanged(wanted);
}

void TopologyView::fit() {
  userZoomed_ = false;
  const QRectF content = contentRect().adjusted(-12, -12, 12, 12);
  const double wanted = std::clamp(
      std::min(viewport()->width() / content.width(), viewport()->height() / content.height()),
      smallestZoom, 1.0);
  setTransform(QTransform::fromScale(wanted, wanted));
  centerOn(content.center());
  emit zoomChanged(wanted);
}

void TopologyView::renderAll(QPainter& painter, const QRectF& target) {
  scene()->render(&painter, target, contentRect().adjusted(-12, -12, 12, 12));
}

void TopologyView::drawBackground(QPainter* painter, const QRectF& rect) {
  painter->fillRect(rect, theme::Palette::of(this)[Token::BgCanvas]);
}

void TopologyView::wheelEvent(QWheelEvent* event) {
  if (!event->modifiers().testFlag(Qt::ControlModifier)) {
    QGraphicsView::wheelEvent(event);
    return;
  }
  setZoom(zoom() * std::pow(1.2, event->angleDelta().y() / 120.0));
  event->accept();
}

void TopologyView::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) {
    const QPointF at = mapToScene(event->pos());
    for (QGraphicsItem* item : items(event->pos())) {
      if (auto* federate = dynamic_cast<FederateItem*>(item)) {
        select(federate->name());
        emit federateSelected(federate->name());
        event->accept();
        return;
      }
      if (auto* group = dynamic_cast<GroupItem*>(item)) {
        const QPointF inside = at - group->pos();
        if (inside.y() < 24 && inside.x() < 24) {
          toggleGroup(group->name());
        } else {
          const QString federate = group->federateAt(inside);
          select(federate.isEmpty() ? group->name() : federate);
          if (!federate.isEmpty()) emit federateSelected(federate);
        }
        event->accept();
        return;
      }
    }
    select({});
    emit federateSelected({});
  }
  QGraphicsView::mousePressEvent(event);
}

void TopologyView::mouseDoubleClickEvent(QMouseEvent* event) {
  for (QGraphicsItem* item : items(event->pos())) {
    if (auto* group = dynamic_cast<GroupItem*>(item)) {
      toggleGroup(group->name());
      event->accept();
      return;
    }
  }
  QGraphicsView::mouseDoubleClickEvent(event);
}

void TopologyView::moveSelection(QPointF direction) {
  const BoxItem* current = federates_.value(selected_);
  if (current == nullptr) current = boxOf(selected_);
  const BoxItem* best = nullptr;
  double least = 1e12;
  const auto consider = [&](const BoxItem* box) {
    if (box == current) return;
    if (current == nullptr) {
      const double distance = box->pos().x() + box->pos().y();
      if (distance < least) {
        least = distance;
        best = box;
      }
      return;
    }
    const QPointF way =
        QRectF(box->pos(), box->size()).center() - QRectF(current->pos(), current->size()).center();
    const double along = QPointF::dotProduct(way, direction);
    if (along <= 1) return;
    const double across =
        std::abs(QPointF::dotProduct(way, QPointF(-direction.y(), direction.x())));
    const double distance = along + 3 * across;
    if (distance < least) {
      least = distance;
      best = box;
    }
  };
  for (const FederateItem* item : std::as_const(federates_)) consider(item);
  if (federates_.isEmpty()) {
    for (const GroupItem* item : std::as_const(groups_)) consider(item);
  }
  if (best == nullptr) return;
  select(best->name());
  ensureVisible(best);
  if (best->type() == QGraphicsItem::UserType + 1) emit federateSelected(best->name());
}

void TopologyView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      moveSelection({-1, 0});
      return;
    case Qt::Key_Right:
      moveSelection({1, 0});
      return;
    case Qt::Key_Up:
      moveSelection({0, -1});
      return;
    case Qt::Key_Down:
      moveSelection({0, 1});
      return;
    case Qt::Key_Plus:
    case Qt::Key_Minus: {
      const BoxItem* box = boxOf(selected_);
      if (groups_.contains(selected_)) box = groups_.value(selected_);
      const auto* group = dynamic_cast<const GroupItem*>(box);
      if (group != nullptr && group->isOpen() != (event->key() == Qt::Key_Plus)) {
        toggleGroup(group->name());
      } else if (group == nullptr) {
        setZoom(zoom() * (event->key() == Qt::Key_Plus ? 1.2 : 1 / 1.2));
      }
      return;
    }
    default:
      QGraphicsView::keyPressEvent(event);
  }
}

void TopologyView::resizeEvent(QResizeEvent* event) {
  QGraphicsView::resizeEvent(event);
  if (!userZoomed_) fit();
}

bool TopologyView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip && snapshot_) {
    const auto* help = static_cast<QHelpEvent*>(event);
    QString text;
    for (QGraphicsItem* item : items(help->pos())) {
      QString name;
      if (const auto* federate = dynamic_cast<FederateItem*>(item)) name = federate->name();
      if (const auto* group = dynamic_cast<GroupItem*>(item)) {
        name = group->federateAt(mapToScene(help->pos()) - group->pos());
      }
      if (const FederateView* view = name.isEmpty() ? nullptr : snapshot_->find(name)) {
        text = QStringLiteral(
                   "%1: %2\nCPU %3 of one processor (/proc/%4)\n"
                   "%5/s sent, %6/s received, mean of 5 s (RTI counters)")
                   .arg(view->name,
                        view->detail.isEmpty() ? theme::stateWord(stateOf(view->condition))
                                               : view->detail,
                        cpuText(view->cpuUser, view->cpuSystem), QString::number(view->pid),
                        theme::formatRate(view->sentPerSecond),
                        theme::formatRate(view->receivedPerSecond));
        break;
      }
      if (dynamic_cast<HostItem*>(item) != nullptr) {
        text =
            tr("Processor time, memory and network of this host from /proc; the RTI node's "
               "processor time from its own /proc entry, shared memory as the node reports it");
        break;
      }
      if (!item->toolTip().isEmpty()) {
        text = item->toolTip();
        break;
      }
    }
    QToolTip::showText(help->globalPos(), text, viewport());
    return true;
  }
  return QGraphicsView::viewportEvent(event);
}

void TopologyView::changeEvent(QEvent* event) {
  QGraphicsView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
    viewport()->update();
  }
}

}  // namespace tutti::monitor
