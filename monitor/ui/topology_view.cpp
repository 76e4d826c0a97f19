// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/topology_view.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "monitor/ui/host_item.h"
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
/// Between rows of hosts, and between columns, where the links run.
constexpr double betweenRows = 52;
constexpr double betweenHosts = 200;
constexpr double border = 12;  ///< round all of it, in a view that fits
/// Room that has changed makes groups take another shape where they are so much larger in it.
constexpr double worthMoving = 1.2;
/// More bundles show their rates in their tooltips only.
constexpr qsizetype mostRates = 16;

/// Separates the parts of a key; no name has it.
constexpr QChar keySeparator(0x1f);

/// A host's box round what stands in it.
QSizeF hostSize(const Columns& boxes) {
  return {std::max(boxes.width(gutter) + padding + gutter, 312.0),
          HostItem::barTop + HostItem::barHeight + underBar + footer + boxes.height};
}

/// The tallest first, so that the columns end at about the same height.
void sortByHeight(std::vector<QSizeF>& sizes) {
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](QSizeF a, QSizeF b) { return a.height() > b.height(); });
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

QString TopologyView::boxKeyOf(const FederateView& view) const {
  const QString group = groupsOf_.groupOf(view);
  if (group.isEmpty()) return view.name;
  // A group may have federates on several hosts, and the name of a federate.
  return (mode_ == Mode::Hosts ? view.host : QString()) + keySeparator + group;
}

QStringList TopologyView::groups() const {
  QStringList names;
  for (const GroupItem* group : groups_) names << group->name();
  names.removeDuplicates();
  names.sort();
  return names;
}

void TopologyView::setComposed(ComposedRun composed) {
  composed_ = std::move(composed);
  groupsOf_.setComposed(composed_.groups, composed_.collapsed);
  boxClasses_.clear();
  signature_.clear();
  if (snapshot_) setSnapshot(snapshot_, true);
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
    const QString group = groupsOf_.groupOf(each);
    result += u'\n' + each.name + u'\t' + each.host + u'\t' + group;
    if (!group.isEmpty() && groupsOf_.isOpen(group)) result += u'\r';
  }
  if (mode_ == Mode::Hosts) {
    for (const HostView& each : snapshot_->otherHosts) result += u'\v' + each.name;
    QStringList pairs;
    for (const HostPair& pair : hostLinks_.pairs().drawn())
      pairs << pair.first + u'\t' + pair.second;
    pairs.sort();
    result += pairs.join(u'\v');
  }
  if (mode_ == Mode::DataFlow) {
    for (std::size_t i = 0; i < bundles_.size(); ++i) {
      if (bundles_[i].links > 0) result += u' ' + QString::number(i);
    }
  }
  return result;
}

void TopologyView::bundleLinks() {
  boxNames_.clear();
  boxClasses_.clear();
  std::vector<std::size_t> boxOfFederate;
  QHash<QString, std::size_t> index;
  for (const FederateView& each : snapshot_->federates) {
    const QString name = boxKeyOf(each);
    BoxClasses& classes = boxClasses_[name];
    classes.sends.resize(composed_.classes.size());
    classes.receives.resize(composed_.classes.size());
    for (std::size_t i = 0; i < composed_.classes.size(); ++i) {
      if (composed_.classes[i].publishers.contains(each.name)) classes.sends[i] = true;
      if (composed_.classes[i].subscribers.contains(each.name)) classes.receives[i] = true;
    }
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
  groupsOf_.setFederates(snapshot->federates.size());
  // Structure changes with texts, at 2 Hz.
  if (text) {
    if (mode_ == Mode::DataFlow) bundleLinks();
    hostLinks_.look(*snapshot);
    if (!userZoomed_ && viewport()->size() != shapedFor_) {
      shapedFor_ = viewport()->size();
      if (isWorthMoving()) signature_.clear();
    }
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

bool TopologyView::isWorthMoving() const {
  if (isGrouped()) {
    const double now = fittingZoom(sizeIn(shape_));
    return fittingZoom(sizeIn(bestShape())) > worthMoving * now;
  }
  if (mode_ != Mode::Hosts || hosts_.size() < 2) return false;
  std::vector<QSizeF> sizes;
  for (const QString& name : hostNames()) {
    if (const HostItem* host = hosts_.value(name)) sizes.push_back(host->size());
  }
  const double now = fittingZoom(gridOf(sizes, hostsInRow_).size);
  return fittingZoom(gridOf(sizes, bestHostsInRow(sizes)).size) > worthMoving * now;
}

QSizeF TopologyView::openSize(qsizetype count) const {
  const double most = !isGrouped() ? 2 : count > 24 ? 6 : 3;
  const double columns = std::min(static_cast<double>(count), most);
  const double rows = std::ceil(static_cast<double>(count) / std::max(columns, 1.0));
  return {24 + columns * (FederateItem::fullSize.width() + 8) - 8,
          GroupItem::headerHeight + rows * (FederateItem::fullSize.height() + 8) + 4};
}

QSizeF TopologyView::groupSize(const QString& group, qsizetype federates,
                               const Shape& shape) const {
  return groupsOf_.isOpen(group)
             ? openSize(federates)
             : GroupItem::sizeFor(static_cast<std::size_t>(federates), shape.across);
}

QSizeF TopologyView::sizeIn(const Shape& shape) const {
  if (mode_ == Mode::DataFlow) {
    QMap<QString, qsizetype> counts;
    for (const FederateView& each : snapshot_->federates) ++counts[boxKeyOf(each)];
    std::vector<QSizeF> sizes;
    for (auto group = counts.cbegin(); group != counts.cend(); ++group) {
      sizes.push_back(groupSize(group.key().mid(1), group.value(), shape));
    }
    const auto places = flowPlaces(counts.keys(), sizes);
    QRectF all;
    for (std::size_t i = 0; i < sizes.size(); ++i) all |= QRectF(places[i], sizes[i]);
    return all.size();
  }
  QMap<QString, QMap<QString, qsizetype>> counts;
  for (const FederateView& each : snapshot_->federates)
    ++counts[each.host][groupsOf_.groupOf(each)];
  std::vector<QSizeF> hosts;
  for (const auto& groups : std::as_const(counts)) {
    std::vector<QSizeF> sizes;
    for (auto group = groups.cbegin(); group != groups.cend(); ++group) {
      sizes.push_back(groupSize(group.key(), group.value(), shape));
    }
    sortByHeight(sizes);
    hosts.push_back(hostSize(
        packTightly(sizes, std::clamp<std::size_t>(sizes.size(), 1, shape.columns), rowGap)));
  }
  return gridOf(hosts, bestHostsInRow(hosts)).size;
}

TopologyView::Grid TopologyView::gridOf(const std::vector<QSizeF>& hosts, std::size_t inRow) const {
  Grid grid;
  grid.inRow = inRow;
  grid.left.assign(inRow, 0);
  std::vector<double> widths(inRow, 0);
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (i % inRow == 0) grid.heights.push_back(0);
    widths[i % inRow] = std::max(widths[i % inRow], hosts[i].width());
    grid.heights.back() = std::max(grid.heights.back(), hosts[i].height());
  }
  double x = 0;
  for (std::size_t column = 0; column < inRow; ++column) {
    grid.left[column] = x;
    x += widths[column] + betweenHosts;
  }
  double y = 0;
  for (const double height : grid.heights) {
    grid.top.push_back(y);
    y += height + betweenRows;
  }
  grid.size = {x - betweenHosts, y - betweenRows};
  return grid;
}

std::size_t TopologyView::bestHostsInRow(const std::vector<QSizeF>& hosts) const {
  std::size_t best = 1;
  double largest = 0;
  for (std::size_t inRow = 1; inRow <= std::min<std::size_t>(hosts.size(), 6); ++inRow) {
    const double zoom = fittingZoom(gridOf(hosts, inRow).size);
    if (zoom > largest * 1.02) {
      best = inRow;
      largest = zoom;
    }
  }
  return best;
}

TopologyView::Shape TopologyView::bestShape() const {
  Shape best;
  double largest = 0;
  for (const int across : {17, 12, 24, 34, 48, 64}) {
    for (const std::size_t columns : {4, 3, 2, 1, 6}) {
      const Shape shape{across, columns};
      const double zoom = fittingZoom(sizeIn(shape));
      // A hair larger is no reason to look otherwise.
      if (zoom > largest * 1.02) {
        best = shape;
        largest = zoom;
      }
      if (mode_ == Mode::DataFlow) break;
    }
  }
  return best;
}

QList<BoxItem*> TopologyView::makeBoxes(const QStringList& names) {
  QList<BoxItem*> boxes;
  const auto makeFederate = [this](const QString& name) {
    auto* item = new FederateItem(name);
    scene()->addItem(item);
    federates_.insert(name, item);
    return item;
  };
  QMap<QString, QPair<QString, QStringList>> byGroup;  // by key: name, federates
  for (const QString& name : names) {
    const FederateView& view = *snapshot_->find(name);
    const QString group = groupsOf_.groupOf(view);
    if (group.isEmpty()) {
      boxes << makeFederate(name);
      continue;
    }
    auto& members = byGroup[boxKeyOf(view)];
    members.first = group;
    members.second << name;
  }
  for (auto group = byGroup.cbegin(); group != byGroup.cend(); ++group) {
    const auto& [title, members] = group.value();
    auto* item = new GroupItem(title, group.key(), shape_.across);
    scene()->addItem(item);
    groups_.insert(group.key(), item);
    for (const QString& name : members) groupOf_.insert(name, group.key());
    refreshGroup(item, true);
    if (groupsOf_.isOpen(title)) {
      item->setOpen(true, openSize(members.size()));
      for (const QString& name : members) makeFederate(name)->setZValue(1);
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
  rates_.clear();
  hostLinks_.clear();
  shape_ = {};
  if (isGrouped()) {
    shape_ = bestShape();
    shapedFor_ = viewport()->size();
  }
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

QStringList TopologyView::hostNames() const {
  QSet<QString> others;
  for (const HostView& each : snapshot_->otherHosts) others.insert(each.name);
  for (const FederateView& each : snapshot_->federates) others.insert(each.host);
  const bool here = !snapshot_->otherHosts.empty() || others.contains(snapshot_->host.name);
  others.remove(snapshot_->host.name);
  QStringList names(others.begin(), others.end());
  names.sort();
  // Its RTI node runs here in any case.
  if (here) names.prepend(snapshot_->host.name);
  return names;
}

void TopologyView::buildHosts() {
  QMap<QString, QStringList> byHost;
  for (const FederateView& each : snapshot_->federates) byHost[each.host] << each.name;
  const QStringList names = hostNames();
  struct Host {
    HostItem* item;
    QList<BoxItem*> boxes;
    Columns columns;
  };
  std::vector<Host> hosts;
  std::vector<QSizeF> sizes;
  for (const QString& name : names) {
    auto* item = new HostItem(name);
    item->setZValue(-2);
    scene()->addItem(item);
    hosts_.insert(name, item);
    QList<BoxItem*> boxes = makeBoxes(byHost.value(name));
    Columns columns = hostColumns(boxes, names.size() == 1);
    item->setSize(hostSize(columns));
    sizes.push_back(item->size());
    hosts.push_back({item, std::move(boxes), std::move(columns)});
  }
  if (hosts.empty()) return;
  hostsInRow_ = bestHostsInRow(sizes);
  shapedFor_ = viewport()->size();
  const Grid grid = gridOf(sizes, hostsInRow_);
  QMap<QString, int> columnOf;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::size_t column = i % hostsInRow_;
    columnOf.insert(hosts[i].item->name(), static_cast<int>(column));
    hosts[i].item->setPos(grid.left[column], grid.top[i / hostsInRow_]);
    placeInHost(*hosts[i].item, hosts[i].boxes, hosts[i].columns);
  }
  if (snapshot_->otherHosts.empty()) return;
  const QRectF content = contentRect();
  hostLinks_.build(*scene(), hosts_, columnOf, *snapshot_,
                   textGrowth(userZoomed_ ? zoom() : fittingZoom(content.size())));
}

Columns TopologyView::hostColumns(QList<BoxItem*>& boxes, bool alone) const {
  std::vector<QSizeF> sizes;
  const auto count = static_cast<std::size_t>(boxes.size());
  if (isGrouped()) {
    std::stable_sort(boxes.begin(), boxes.end(), [](const BoxItem* a, const BoxItem* b) {
      return a->size().height() > b->size().height();
    });
    for (const BoxItem* box : boxes) sizes.push_back(box->size());
    return packTightly(sizes, std::clamp<std::size_t>(count, 1, shape_.columns), rowGap);
  }
  for (const BoxItem* box : boxes) sizes.push_back(box->size());
  const auto wanted =
      alone ? std::clamp(
                  static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count) * 1.8))),
                  std::size_t{2}, std::size_t{8})
            : std::size_t{2};
  return packInRows(sizes, std::min(wanted, std::max(count, std::size_t{2})), rowGap);
}

void TopologyView::placeInHost(const HostItem& host, const QList<BoxItem*>& boxes,
                               const Columns& columns) {
  const QRectF bar = host.barRect().translated(host.pos());
  std::vector<int> used(columns.widths.size(), 0);
  for (qsizetype i = 0; i < boxes.size(); ++i) {
    const auto& [column, top] = columns.places[static_cast<std::size_t>(i)];
    const double boxX = host.pos().x() + padding + gutter / 2 + columns.left(column, gutter);
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
    uplinks_.insert(box->key(), link);
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
  QStringList boxNames;
  std::vector<QSizeF> sizes;
  QHash<QString, BoxItem*> byName;
  for (BoxItem* box : boxes) {
    boxNames << box->key();
    sizes.push_back(box->size());
    byName.insert(box->key(), box);
  }
  const auto places = flowPlaces(boxNames, sizes);
  std::vector<QRectF> taken;
  for (std::size_t i = 0; i < places.size(); ++i) {
    boxes[static_cast<qsizetype>(i)]->setPos(places[i]);
    taken.emplace_back(places[i], sizes[i]);
  }
  QSet<QPair<QString, QString>> pairs;
  const auto count = static_cast<std::size_t>(boxNames_.size());
  for (std::size_t i = 0; i < bundles_.size(); ++i) {
    if (bundles_[i].links == 0) continue;
    pairs.insert({boxNames_[static_cast<qsizetype>(i / count)],
                  boxNames_[static_cast<qsizetype>(i % count)]});
  }

  for (const auto& pair : std::as_const(pairs)) {
    const BoxItem* from = byName.value(pair.first);
    const BoxItem* to = byName.value(pair.second);
    auto* link = new LinkItem;
    link->setEnds(from->name(), to->name());
    const bool answered = pairs.contains({pair.second, pair.first});
    const QRectF source(from->pos(), from->size());
    const QRectF target(to->pos(), to->size());
    QPainterPath path;
    if (source.right() < target.left()) {
      const double shift = answered ? -7 : 0;
      const QPointF start(source.right(), source.center().y() + shift);
      const QPointF end(target.left(), target.center().y() + shift);
      std::vector<QRectF> between;
      for (const QRectF& box : taken) {
        if (box != source && box != target) between.push_back(box);
      }
      path = wayAround(start, end, between);
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
    link->setClasses(classesBetween(pair.first, pair.second));
    scene()->addItem(link);
    flows_.insert(pair, link);
  }
  if (flows_.size() <= mostRates) placeRates();
}

QStringList TopologyView::classesBetween(const QString& from, const QString& to) const {
  const auto sender = boxClasses_.constFind(from);
  const auto receiver = boxClasses_.constFind(to);
  QStringList names;
  if (sender == boxClasses_.constEnd() || receiver == boxClasses_.constEnd()) return names;
  for (std::size_t i = 0; i < composed_.classes.size(); ++i) {
    if (sender->sends[i] && receiver->receives[i]) names << composed_.classes[i].name;
  }
  return names;
}

void TopologyView::placeRates() {
  std::vector<QRectF> taken;
  for (const FederateItem* each : std::as_const(federates_)) {
    taken.emplace_back(each->pos(), each->size());
  }
  for (const GroupItem* each : std::as_const(groups_))
    taken.emplace_back(each->pos(), each->size());
  QRectF all;
  for (const QRectF& box : taken) all |= box;
  const double growth = textGrowth(userZoomed_ ? zoom() : fittingZoom(all.size()));
  for (auto flow = flows_.cbegin(); flow != flows_.cend(); ++flow) {
    auto* rate = new RateItem;
    rate->setClasses(flow.value()->classes());
    const QPainterPath& path = flow.value()->path();
    const QRectF room = rate->room(growth);
    const QPointF place = placeOnWay(path, room, taken);
    rate->setPos(place);
    taken.push_back(room.translated(place));
    scene()->addItem(rate);
    rates_.insert(flow.key(), rate);
  }
}

std::vector<QPointF> TopologyView::flowPlaces(const QStringList& names,
                                              const std::vector<QSizeF>& sizes) const {
  std::vector<LayoutNode> nodes;
  for (const QSizeF size : sizes) nodes.push_back({size, {}});
  const auto count = static_cast<std::size_t>(boxNames_.size());
  for (std::size_t i = 0; i < bundles_.size(); ++i) {
    if (bundles_[i].links == 0) continue;
    const qsizetype from = names.indexOf(boxNames_[static_cast<qsizetype>(i / count)]);
    const qsizetype to = names.indexOf(boxNames_[static_cast<qsizetype>(i % count)]);
    // A request against the flow of the classes does not turn it round.
    if (from >= 0 && to >= 0 &&
        (composed_.classes.empty() || !classesBetween(names[from], names[to]).isEmpty())) {
      nodes[static_cast<std::size_t>(from)].to.push_back(static_cast<std::size_t>(to));
    }
  }
  // Between the columns there is room for what a link carries.
  return layoutByFlow(nodes, isGrouped() ? 150 : 128, isGrouped() ? 36 : 30);
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
    if (groupOf_.value(each.name) != group->key()) continue;
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
    const bool gone = isOver(each.condition);
    if (!gone && each.number != 0) ++joined[each.host];
    if (mode_ != Mode::Hosts) continue;
    const BoxItem* box = boxOf(each.name);
    if (box == nullptr) continue;
    Sum& sum = sums[box->key()];
    if (!std::isnan(each.sentPerSecond)) sum.rate += each.sentPerSecond;
    if (!std::isnan(each.receivedPerSecond)) sum.rate += each.receivedPerSecond;
    if (!(sum.fill >= each.queueFill)) sum.fill = each.queueFill;
    sum.dead = sum.dead && each.condition == FederateCondition::Dead;
  }
  for (GroupItem* group : std::as_const(groups_)) refreshGroup(group, text);
  const bool several = !snapshot_->otherHosts.empty();
  const auto show = [&](const HostView& view) {
    if (HostItem* host = hosts_.value(view.name))
      host->setView(view, {joined.value(view.name), expected.value(view.name)},
                    several && view.reach == HostReach::Here, text);
  };
  show(snapshot_->host);
  for (const HostView& each : snapshot_->otherHosts) show(each);
  if (text) hostLinks_.refresh(*snapshot_);
  for (auto link = uplinks_.cbegin(); link != uplinks_.cend(); ++link) {
    const Sum sum = sums.value(link.key());
    link.value()->setView(sum.rate, sum.fill,
                          sum.dead ? LinkItem::Style::Dead : LinkItem::Style::Flow, text);
  }
  if (mode_ != Mode::DataFlow || !text) return;
  const auto count = static_cast<std::size_t>(boxNames_.size());
  for (std::size_t i = 0; i < bundles_.size(); ++i) {
    const QPair<QString, QString> pair(boxNames_[static_cast<qsizetype>(i / count)],
                                       boxNames_[static_cast<qsizetype>(i % count)]);
    LinkItem* link = flows_.value(pair);
    if (link == nullptr) continue;
    link->setView(bundles_[i].rate, bundles_[i].fill,
                  bundles_[i].links > 0 ? LinkItem::Style::Flow : LinkItem::Style::Dead, true);
    if (RateItem* rate = rates_.value(pair)) rate->setView(bundles_[i].rate);
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
    item->setSelected(item->key() == selected_ || item->key() == group);
  }
  const BoxItem* box = groups_.contains(selected_) ? groups_.value(selected_) : boxOf(selected_);
  const QString key = box != nullptr ? box->key() : QString();
  for (auto flow = flows_.cbegin(); flow != flows_.cend(); ++flow) {
    const bool dimmed = !key.isEmpty() && flow.key().first != key && flow.key().second != key;
    flow.value()->setDimmed(dimmed);
    if (RateItem* rate = rates_.value(flow.key())) rate->setDimmed(dimmed);
  }
}

void TopologyView::toggleGroup(const QString& group) {
  groupsOf_.setOpen(group, !groupsOf_.isOpen(group));
  setSnapshot(snapshot_, true);
}

void TopologyView::setAllGroupsOpen(bool open) {
  for (const QString& group : groups()) groupsOf_.setOpen(group, open);
  userZoomed_ = false;
  if (snapshot_) setSnapshot(snapshot_, true);
}

void TopologyView::setZoom(double zoom) {
  userZoomed_ = true;
  const double wanted = std::clamp(zoom, smallestZoom, largestZoom);
  setTransform(QTransform::fromScale(wanted, wanted));
  emit zoomChanged(wanted);
}

double TopologyView::fittingZoom(QSizeF content) const {
  return std::clamp(std::min(viewport()->width() / (content.width() + 2 * border),
                             viewport()->height() / (content.height() + 2 * border)),
                    smallestZoom, 1.0);
}

void TopologyView::fit() {
  userZoomed_ = false;
  const QRectF content = contentRect();
  const double wanted = fittingZoom(content.size());
  setTransform(QTransform::fromScale(wanted, wanted));
  centerOn(content.center());
  emit zoomChanged(wanted);
}

void TopologyView::renderAll(QPainter& painter, const QRectF& target) {
  scene()->render(&painter, target, contentRect().adjusted(-border, -border, border, border));
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
        if (inside.y() < GroupItem::headerHeight && inside.x() < 24) {
          toggleGroup(group->name());
        } else {
          const QString federate = group->federateAt(inside);
          select(federate.isEmpty() ? group->key() : federate);
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
  if (current == nullptr) current = groups_.value(selected_);
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
  for (const GroupItem* item : std::as_const(groups_)) {
    if (!item->isOpen()) consider(item);
  }
  if (best == nullptr) return;
  select(best->key());
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

QString TopologyView::hostTip(const HostItem& host) const {
  if (host.name() == snapshot_->host.name)
    return tr(
        "Processor time, memory and network of this host from /proc; the RTI node's "
        "processor time from its own /proc entry, shared memory as the node reports it");
  return tr("The load is the number of runnable processes of %1, mean of the last minute, as its "
            "supervisor reports it once a second. That it does not answer is told by the "
            "supervisor "
            "or by the link between the RTI nodes, whichever notices first.")
      .arg(host.name());
}

QStringList TopologyView::federatesOf(const QString& group) const {
  QStringList names;
  if (!snapshot_) return names;
  for (const FederateView& each : snapshot_->federates)
    if (groupsOf_.groupOf(each) == group || groupOf_.value(each.name) == group) names << each.name;
  return names;
}

void TopologyView::contextMenuEvent(QContextMenuEvent* event) {
  const auto ofGroup = [&](const GroupItem& group) {
    emit federatesMenuRequested(federatesOf(group.key()), event->globalPos(), group.name());
  };
  event->accept();
  if (event->reason() == QContextMenuEvent::Keyboard && !selected_.isEmpty()) {
    if (const GroupItem* group = groups_.value(selected_)) return ofGroup(*group);
    emit federatesMenuRequested({selected_}, event->globalPos(), {});
    return;
  }
  for (QGraphicsItem* item : items(event->pos())) {
    if (const auto* federate = dynamic_cast<FederateItem*>(item)) {
      emit federatesMenuRequested({federate->name()}, event->globalPos(), {});
      return;
    }
    if (const auto* group = dynamic_cast<GroupItem*>(item)) {
      const QString one = group->federateAt(mapToScene(event->pos()) - group->pos());
      if (one.isEmpty()) return ofGroup(*group);
      emit federatesMenuRequested({one}, event->globalPos(), {});
      return;
    }
    if (const auto* host = dynamic_cast<HostItem*>(item)) {
      emit hostMenuRequested(host->name(), event->globalPos());
      return;
    }
  }
  event->ignore();
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
        text = hostTip(*static_cast<HostItem*>(item));
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
