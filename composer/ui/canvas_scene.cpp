// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/ui/canvas_scene.h"

#include <QGraphicsSceneHelpEvent>
#include <QGraphicsSceneMouseEvent>
#include <QGraphicsView>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <queue>

#include "resources/theme/theme.h"

namespace tutti::composer {

namespace {

constexpr qreal kGrid = 8;
constexpr qreal kGroupPadding = 12;
constexpr qreal kGroupHeader = 30;
constexpr qreal kClearance = 5;

template <typename Item>
Item* itemAs(QGraphicsItem* item, int type) {
  return item && item->type() == type ? static_cast<Item*>(item) : nullptr;
}

}  // namespace

CanvasScene::CanvasScene(Document& document, Selection& selection, QObject* parent)
    : QGraphicsScene(parent), document_(document), selection_(selection) {
  setItemIndexMethod(
      QGraphicsScene::NoIndex);  // most items move; the index costs more than it saves
  timer_.setSingleShot(true);
  timer_.setInterval(0);
  connect(&timer_, &QTimer::timeout, this, &CanvasScene::sync);

  const auto structure = [this] {
    structureDirty_ = true;
    schedule();
  };
  connect(&document_, &Document::wasReset, this, [this] {
    firstSync_ = true;
    focus_.clear();
    selection_.clear();
    structureDirty_ = flowDirty_ = statesDirty_ = true;
    for (const auto& [id, federate] : document_.composition().federates) dirtyNodes_ << id;
    schedule();
  });
  connect(&document_, &Document::federateAdded, this, structure);
  connect(&document_, &Document::federateRemoved, this, [this](const QString& id) {
    if (selection_.contains(id)) {
      QStringList rest = selection_.federates();
      rest.removeAll(id);
      selection_.setFederates(rest);
    }
    structureDirty_ = true;
    schedule();
  });
  connect(&document_, &Document::federateChanged, this,
          [this](const QString& id, FederateChanges changes) {
            if (changes.testFlag(FederateChange::Group)) structureDirty_ = true;
            dirty(id);
          });
  connect(&document_, &Document::groupAdded, this, structure);
  connect(&document_, &Document::groupRemoved, this, [this](const QString& id) {
    if (selection_.group() == id) selection_.clear();
    structureDirty_ = true;
    schedule();
  });
  connect(&document_, &Document::groupChanged, this, structure);
  connect(&document_, &Document::catalogChanged, this, [this] {
    for (const auto& [id, federate] : document_.composition().federates) dirtyNodes_ << id;
    structureDirty_ = flowDirty_ = true;
    schedule();
  });
  connect(&document_, &Document::settingsChanged, this, [this] {
    flowDirty_ = true;
    schedule();
  });
  connect(&document_, &Document::dataFlowChanged, this, [this] {
    flowDirty_ = statesDirty_ = true;
    schedule();
  });
  connect(&document_, &Document::findingsChanged, this, [this] {
    statesDirty_ = true;
    schedule();
  });
  connect(this, &QGraphicsScene::selectionChanged, this, &CanvasScene::readSelection);
  connect(&selection_, &Selection::changed, this, &CanvasScene::applySelection);
  for (const auto& [id, federate] : document_.composition().federates) dirtyNodes_ << id;
  schedule();
}

CanvasScene::~CanvasScene() {
  // Items speak to the scene when they are removed.
  disconnect(this, nullptr, this, nullptr);
  syncing_ = true;
  qDeleteAll(slides_);
  slides_.clear();
  clear();
}

void CanvasScene::schedule() {
  if (!timer_.isActive()) timer_.start();
}

void CanvasScene::dirty(const QString& federateId) {
  dirtyNodes_ << federateId;
  schedule();
}

QString CanvasScene::shownAs(const QString& federateId) const {
  const Federate* federate = document_.federate(federateId);
  if (!federate) return {};
  const auto& groups = document_.composition().groups;
  const auto group = groups.find(federate->group);
  if (group != groups.end() && group->second.collapsed) return NodeItem::keyOf(group->first, true);
  return federateId;
}

void CanvasScene::sync() {
  timer_.stop();
  if (dragging_) return;  // the drop brings everything up to date
  syncing_ = true;
  const bool geometry = structureDirty_ || flowDirty_ || !dirtyNodes_.isEmpty();
  // All of the view once, and not the place of each box and line that is new: their sum is slow.
  if (structureDirty_ || flowDirty_) update();
  syncNodes();
  if (flowDirty_ || structureDirty_) {
    syncHubs();
    syncEdges();
  }
  if (statesDirty_ || flowDirty_ || structureDirty_)
    for (NodeItem* item : std::as_const(nodes_)) item->refreshState();
  syncGroups();
  syncing_ = false;
  if (geometry) routeAll();
  structureDirty_ = flowDirty_ = statesDirty_ = firstSync_ = false;
  applySelection();
  Q_EMIT contentChanged();
}

void CanvasScene::syncNodes() {
  const Composition& composition = document_.composition();
  QSet<NodeItem*> fresh;  // they have read what they show
  if (structureDirty_) {
    QSet<QString> wanted;
    for (const auto& [id, federate] : composition.federates) {
      const QString key = shownAs(id);
      wanted << key;
      if (nodes_.contains(key)) continue;
      const bool isGroup = key != id;
      auto* item = new NodeItem(*this, isGroup ? federate.group : id, isGroup);
      fresh << item;
      nodes_.insert(key, item);
      addItem(item);
      item->setPos(positionOf(*item));  // a new box does not slide in
    }
    for (const QString& key : nodes_.keys()) {
      if (wanted.contains(key)) continue;
      NodeItem* gone = nodes_.take(key);
      endSlide(*gone);
      if (focus_ == key) focus_.clear();
      delete gone;
    }
  }
  QSet<NodeItem*> touched;
  for (const QString& id : std::as_const(dirtyNodes_))
    if (NodeItem* item = nodes_.value(shownAs(id))) touched << item;
  dirtyNodes_.clear();
  if (structureDirty_)
    for (NodeItem* item : std::as_const(nodes_))
      if (item->isGroup()) touched << item;
  touched.subtract(fresh);
  for (NodeItem* item : std::as_const(touched)) item->refresh();
  for (NodeItem* item : std::as_const(nodes_)) place(*item, positionOf(*item));
}

QPointF CanvasScene::positionOf(const NodeItem& item) const {
  const Composition& composition = document_.composition();
  if (!item.isGroup()) {
    const Federate* federate = composition.find(item.id());
    return federate ? federate->position : QPointF();
  }
  // A collapsed group stands where the corner of its open frame was.
  QPointF corner(std::numeric_limits<qreal>::max(), std::numeric_limits<qreal>::max());
  for (const auto& [id, federate] : composition.federates) {
    if (federate.group != item.id()) continue;
    corner.rx() = std::min(corner.x(), federate.position.x());
    corner.ry() = std::min(corner.y(), federate.position.y());
  }
  return corner;
}

void CanvasScene::endSlide(QGraphicsItem& item) {
  auto* slide = slides_.take(&item);
  if (slide == nullptr) return;
  // Deleted later it would go on until then, and move an item that may be gone by now.
  slide->stop();
  slide->deleteLater();
}

void CanvasScene::place(QGraphicsItem& item, const QPointF& position) {
  if (auto* slide = slides_.value(&item)) {
    if (slide->endValue().toPointF() == position) return;
    endSlide(item);
  }
  if (item.pos() == position) return;
  const int milliseconds = firstSync_ ? 0 : theme::duration(theme::motion::kNormal);
  if (milliseconds == 0) {
    item.setPos(position);
    return;
  }
  // What moved by itself slides, so that the eye can follow.
  auto* slide = new QVariantAnimation(this);
  slide->setStartValue(item.pos());
  slide->setEndValue(position);
  slide->setDuration(milliseconds);
  slide->setEasingCurve(QEasingCurve::OutCubic);
  slides_.insert(&item, slide);
  connect(slide, &QVariantAnimation::valueChanged, this,
          [&item](const QVariant& value) { item.setPos(value.toPointF()); });
  connect(slide, &QVariantAnimation::finished, this, [this, slide, target = &item] {
    slides_.remove(target);
    slide->deleteLater();
    if (slides_.isEmpty()) {
      routeAll();
      Q_EMIT contentChanged();
    }
  });
  slide->start();
}

void CanvasScene::syncGroups() {
  const Composition& composition = document_.composition();
  QHash<QString, QList<NodeItem*>> members;
  QHash<QString, int> counts;
  for (const auto& [id, federate] : composition.federates) {
    const auto group = composition.groups.find(federate.group);
    if (group == composition.groups.end() || group->second.collapsed) continue;
    if (NodeItem* item = nodes_.value(id)) {
      members[federate.group] << item;
      counts[federate.group] += federate.count;
    }
  }
  for (const QString& id : groups_.keys())
    if (!members.contains(id)) delete groups_.take(id);
  for (auto [id, items] : members.asKeyValueRange()) {
    QRectF frame;
    for (const NodeItem* item : items) frame |= item->frame();
    frame.adjust(-kGroupPadding, -kGroupHeader - 2, kGroupPadding, kGroupPadding + 4);
    GroupItem*& item = groups_[id];
    if (!item) {
      item = new GroupItem(*this, id);
      addItem(item);
    }
    item->setFrame(frame, composition.groups.at(id).name, counts.value(id));
  }
}

void CanvasScene::syncHubs() {
  const DataFlow& flow = document_.dataFlow();
  QSet<QString> wanted;
  for (const ClassFlow& one : flow.flows) {
    if (!one.hub) continue;
    wanted << one.className;
    HubItem*& item = hubs_[one.className];
    const bool fresh = !item;
    if (fresh) {
      item = new HubItem(*this, one.className, one.isObject);
      addItem(item);
    }
    item->setFlow(one);
  }
  for (const QString& name : hubs_.keys()) {
    if (wanted.contains(name)) continue;
    HubItem* gone = hubs_.take(name);
    endSlide(*gone);
    delete gone;
  }
  for (const ClassFlow& one : flow.flows)
    if (HubItem* item = hubs_.value(one.className)) placeHub(*item, one);
}

void CanvasScene::placeHub(HubItem& item, const ClassFlow& flow) {
  const auto& byHand = document_.composition().settings.hubPositions;
  const auto kept = byHand.find(flow.className);
  if (kept != byHand.end()) {
    place(item, kept->second);
    return;
  }
  // Between the publishers and the nearest subscribers, at the height of their middle.
  qreal right = std::numeric_limits<qreal>::lowest();
  qreal left = std::numeric_limits<qreal>::max();
  qreal height = 0;
  int ends = 0;
  const auto target = [this](NodeItem* node) { return positionOf(*node); };
  for (const FlowEnd& end : flow.publishers)
    if (NodeItem* node = nodes_.value(shownAs(end.federate))) {
      right = std::max(right, target(node).x() + node->size().width());
      height += target(node).y() + node->outputPoint(flow.className).y() - node->pos().y();
      ++ends;
    }
  for (const FlowEnd& end : flow.subscribers)
    if (NodeItem* node = nodes_.value(shownAs(end.federate))) {
      if (target(node).x() > right) left = std::min(left, target(node).x());
      height += target(node).y() + node->inputPoint(end.asClass).y() - node->pos().y();
      ++ends;
    }
  if (ends == 0) return;
  if (left == std::numeric_limits<qreal>::max()) left = right + 2 * item.size().width();
  QPointF position((right + left - item.size().width()) / 2,
                   height / ends - item.size().height() / 2);
  position = QPointF(std::round(position.x()), std::round(position.y()));
  // Not on top of a box or another hub: the nearest free height.
  const auto isFree = [&](const QPointF& at) {
    const QRectF frame = QRectF(at, item.size()).adjusted(-6, -6, 6, 6);
    for (NodeItem* node : nodes_)
      if (frame.intersects(QRectF(target(node), node->size()))) return false;
    for (HubItem* other : hubs_)
      if (other != &item && frame.intersects(other->frame())) return false;
    return true;
  };
  QPointF found = position;
  for (int step = 1; !isFree(found) && step < 60; ++step)
    found = position + QPointF(0, (step % 2 ? 1 : -1) * 10.0 * ((step + 1) / 2));
  place(item, found);
}

QString CanvasScene::keyOfEdge(const FlowEdge& edge) const {
  return edge.className + u'|' + (edge.from.isEmpty() ? QString() : shownAs(edge.from)) + u'|' +
         (edge.to.isEmpty() ? QString() : shownAs(edge.to));
}

void CanvasScene::syncEdges() {
  const DataFlow& flow = document_.dataFlow();
  struct Wanted {
    FlowEdge edge;
    int series;
    QString asClass;
  };
  QHash<QString, Wanted> wanted;
  for (const FlowEdge& edge : flow.edges()) {
    if (!edge.from.isEmpty() && !edge.to.isEmpty() && shownAs(edge.from) == shownAs(edge.to) &&
        edge.from != edge.to)
      continue;  // inside a collapsed group
    const ClassFlow* one = flow.find(edge.className, edge.isObject);
    if (!one) continue;
    QString asClass = edge.className;
    for (const FlowEnd& end : one->subscribers)
      if (end.federate == edge.to) asClass = end.asClass;
    const QString key = keyOfEdge(edge);
    const auto known = wanted.find(key);
    if (known == wanted.end()) {
      wanted.insert(key, {edge, one->series, asClass});
    } else if (edge.rate) {  // two members of a collapsed group share a line
      known->edge.rate = known->edge.rate.value_or(0) + *edge.rate;
    }
  }
  for (const QString& key : edges_.keys())
    if (!wanted.contains(key)) delete edges_.take(key);
  for (auto [key, one] : wanted.asKeyValueRange()) {
    EdgeItem*& item = edges_[key];
    if (item) {
      item->setFlow(one.edge, one.series, one.asClass);
    } else {
      item = new EdgeItem(*this, one.edge, one.series, one.asClass);
      addItem(item);
    }
  }
}

std::vector<CanvasScene::Box> CanvasScene::boxes() const {
  std::vector<Box> result;
  for (const NodeItem* node : nodes_)
    result.push_back({node, node->frame().adjusted(-kClearance, -kClearance, kClearance,
                                                   kClearance)});
  for (const HubItem* hub : hubs_) result.push_back({hub, hub->frame()});
  return result;
}

void CanvasScene::routeEdge(EdgeItem& edge, const std::vector<Box>& boxes) {
  const FlowEdge& flow = edge.flow();
  NodeItem* fromNode = flow.from.isEmpty() ? nullptr : nodes_.value(shownAs(flow.from));
  NodeItem* toNode = flow.to.isEmpty() ? nullptr : nodes_.value(shownAs(flow.to));
  HubItem* hub = hubs_.value(flow.className);
  if ((!fromNode || !toNode) && !hub) return;
  LineEnds ends;
  ends.from = fromNode ? fromNode->outputPoint(flow.className) : hub->outputPoint();
  ends.to = toNode ? toNode->inputPoint(edge.asClass()) : hub->inputPoint();
  ends.sender = fromNode ? fromNode->frame() : hub->frame();
  ends.receiver = toNode ? toNode->frame() : hub->frame();
  if (fromNode) ends.fromPort = fromNode->outputRow(flow.className);
  if (toNode) ends.toPort = toNode->inputRow(edge.asClass());
  const QRectF region =
      (ends.sender | ends.receiver).normalized().adjusted(-120, -200, 120, 200);
  QList<QRectF> obstacles;
  for (const Box& box : boxes) {
    if (box.item == fromNode || box.item == toNode || box.item == hub) continue;
    if (box.frame.intersects(region)) obstacles << box.frame;
  }
  edge.route(ends, obstacles);
}

void CanvasScene::routeAll() {
  const std::vector<Box> all = boxes();
  for (EdgeItem* edge : std::as_const(edges_)) routeEdge(*edge, all);
}

QList<EdgeItem*> CanvasScene::edgesOf(const QString& key) const {
  QList<EdgeItem*> result;
  for (EdgeItem* edge : edges_) {
    const FlowEdge& flow = edge->flow();
    if ((!flow.from.isEmpty() && shownAs(flow.from) == key) ||
        (!flow.to.isEmpty() && shownAs(flow.to) == key))
      result << edge;
  }
  return result;
}

// Moving

QPointF CanvasScene::snapped(const QPointF& position) const {
  return QPointF(std::round(position.x() / kGrid) * kGrid,
                 std::round(position.y() / kGrid) * kGrid);
}

void CanvasScene::nodeMoved(NodeItem& item) {
  if (syncing_) return;
  const std::vector<Box> all = boxes();
  for (EdgeItem* edge : edgesOf(item.key())) routeEdge(*edge, all);
  const Federate* federate = item.isGroup() ? nullptr : document_.federate(item.id());
  if (federate && !federate->group.isEmpty()) syncGroups();
  if (dragging_) Q_EMIT contentChanged();
}

void CanvasScene::hubMoved(HubItem& item) {
  if (syncing_) return;
  const std::vector<Box> all = boxes();
  for (EdgeItem* edge : std::as_const(edges_))
    if (edge->flow().className == item.className()) routeEdge(*edge, all);
}

void CanvasScene::dragGroup(const QString& groupId, const QPointF& by) {
  if (!dragging_) {
    dragging_ = true;
    moved_.clear();
    for (const auto& [id, federate] : document_.composition().federates)
      if (federate.group == groupId && nodes_.contains(id))
        moved_ << Moved{id, false, nodes_.value(id)->pos()};
  }
  const QPointF step = snapped(by);
  for (const Moved& one : std::as_const(moved_))
    if (NodeItem* item = nodes_.value(one.key)) item->setPos(one.from + step);
}

void CanvasScene::dropDragged() {
  if (!dragging_) return;
  dragging_ = false;
  QHash<QString, QPointF> federates;
  QList<HubItem*> hubs;
  for (const Moved& one : std::as_const(moved_)) {
    if (one.isHub) {
      HubItem* item = hubs_.value(one.key);
      if (item && item->pos() != one.from) hubs << item;
      continue;
    }
    NodeItem* item = nodes_.value(one.key);
    if (!item || item->pos() == one.from) continue;
    if (!item->isGroup()) {
      federates.insert(item->id(), item->pos());
      continue;
    }
    const QPointF by = item->pos() - one.from;
    for (const auto& [id, federate] : document_.composition().federates)
      if (federate.group == item->id()) federates.insert(id, federate.position + by);
  }
  moved_.clear();
  const bool several = hubs.size() + (federates.isEmpty() ? 0 : 1) > 1;
  if (several)
    document_.undoStack().beginMacro(tr("move %1 items").arg(hubs.size() + federates.size()));
  if (!federates.isEmpty()) document_.moveFederates(federates);
  for (const HubItem* item : hubs) document_.moveHub(item->className(), item->pos());
  if (several) document_.undoStack().endMacro();
  // A hub that was not moved by hand follows its ends.
  flowDirty_ = true;
  schedule();
}

void CanvasScene::mousePressEvent(QGraphicsSceneMouseEvent* event) {
  QGraphicsScene::mousePressEvent(event);
  QGraphicsItem* grabbed = mouseGrabberItem();
  if (event->button() != Qt::LeftButton || !grabbed) return;
  if (grabbed->type() != NodeType && grabbed->type() != HubType) return;
  moved_.clear();
  for (QGraphicsItem* item : selectedItems()) {
    if (auto* node = itemAs<NodeItem>(item, NodeType))
      moved_ << Moved{node->key(), false, node->pos()};
    else if (auto* hub = itemAs<HubItem>(item, HubType))
      moved_ << Moved{hub->className(), true, hub->pos()};
  }
  dragging_ = true;
  setShowsFocus(false);
  if (auto* node = itemAs<NodeItem>(grabbed, NodeType)) setFocusNode(node->key());
}

void CanvasScene::mouseReleaseEvent(QGraphicsSceneMouseEvent* event) {
  QGraphicsScene::mouseReleaseEvent(event);
  if (event->button() == Qt::LeftButton) dropDragged();
}

void CanvasScene::mouseDoubleClickEvent(QGraphicsSceneMouseEvent* event) {
  QGraphicsScene::mouseDoubleClickEvent(event);
  for (QGraphicsItem* item : items(event->scenePos())) {
    if (auto* node = itemAs<NodeItem>(item, NodeType)) {
      if (node->isGroup())
        document_.setGroupCollapsed(node->id(), false);
      else
        Q_EMIT propertiesRequested(node->id());
      return;
    }
  }
}

void CanvasScene::helpEvent(QGraphicsSceneHelpEvent* event) { QGraphicsScene::helpEvent(event); }

// Selection and focus

void CanvasScene::readSelection() {
  if (selecting_ || syncing_) return;
  selecting_ = true;
  QStringList federates;
  QString className;
  QString group;
  for (QGraphicsItem* item : selectedItems()) {
    if (auto* node = itemAs<NodeItem>(item, NodeType)) {
      if (node->isGroup())
        group = node->id();
      else
        federates << node->id();
    } else if (auto* hub = itemAs<HubItem>(item, HubType)) {
      className = hub->className();
    } else if (auto* frame = itemAs<GroupItem>(item, GroupType)) {
      group = frame->id();
    }
  }
  if (!federates.isEmpty())
    selection_.setFederates(federates);
  else if (!group.isEmpty())
    selection_.setGroup(group);
  else
    selection_.setClass(className);
  selecting_ = false;
  dimEdges();
}

void CanvasScene::applySelection() {
  if (!selecting_) {
    selecting_ = true;
    for (NodeItem* item : std::as_const(nodes_))
      item->setSelected(item->isGroup() ? selection_.group() == item->id()
                                        : selection_.contains(item->id()));
    for (HubItem* item : std::as_const(hubs_))
      item->setSelected(selection_.className() == item->className());
    for (GroupItem* item : std::as_const(groups_))
      item->setSelected(selection_.group() == item->id());
    selecting_ = false;
  }
  if (!selection_.single().isEmpty()) setFocusNode(shownAs(selection_.single()));
  dimEdges();
}

void CanvasScene::dimEdges() {
  if (selection_.isEmpty()) {
    for (EdgeItem* edge : std::as_const(edges_)) edge->setDimmed(false);
    return;
  }
  const auto chosen = [this](const QString& id) {
    if (id.isEmpty()) return false;
    if (selection_.contains(id)) return true;
    const Federate* federate = document_.federate(id);
    return federate && !selection_.group().isEmpty() && federate->group == selection_.group();
  };
  // Through a hub the flow goes on: what a selected publisher sends, and who sends to a selected
  // subscriber.
  QSet<QString> sends;
  QSet<QString> receives;
  for (EdgeItem* edge : std::as_const(edges_)) {
    if (chosen(edge->flow().from) && edge->flow().to.isEmpty()) sends << edge->flow().className;
    if (chosen(edge->flow().to) && edge->flow().from.isEmpty()) receives << edge->flow().className;
  }
  for (EdgeItem* edge : std::as_const(edges_)) {
    const FlowEdge& flow = edge->flow();
    const bool lit = chosen(flow.from) || chosen(flow.to) ||
                     flow.className == selection_.className() ||
                     (flow.from.isEmpty() && sends.contains(flow.className)) ||
                     (flow.to.isEmpty() && receives.contains(flow.className));
    edge->setDimmed(!lit);
  }
}

void CanvasScene::setFocusNode(const QString& key) {
  if (key == focus_) return;
  NodeItem* before = nodes_.value(focus_);
  focus_ = key;
  if (before) before->update();
  if (NodeItem* now = nodes_.value(focus_)) now->update();
}

void CanvasScene::setShowsFocus(bool shows) {
  if (shows == showsFocus_) return;
  showsFocus_ = shows;
  if (NodeItem* item = nodes_.value(focus_)) item->update();
}

QStringList CanvasScene::flowOrder() const {
  QHash<QString, QSet<QString>> next;
  QHash<QString, int> incoming;
  for (const ClassFlow& flow : document_.dataFlow().flows)
    for (const FlowEnd& from : flow.publishers)
      for (const FlowEnd& to : flow.subscribers) {
        const QString a = shownAs(from.federate);
        const QString b = shownAs(to.federate);
        if (a == b || next[a].contains(b)) continue;
        next[a] << b;
        ++incoming[b];
      }
  const auto before = [this](const QString& a, const QString& b) {
    const QPointF left = nodes_.value(a)->pos();
    const QPointF right = nodes_.value(b)->pos();
    if (left.x() != right.x()) return left.x() < right.x();
    if (left.y() != right.y()) return left.y() < right.y();
    return a < b;
  };
  QStringList keys = nodes_.keys();
  std::sort(keys.begin(), keys.end(), before);
  QStringList order;
  QSet<QString> done;
  // Ranks of the data flow; a cycle is entered at its leftmost box.
  while (order.size() < keys.size()) {
    QStringList rank;
    for (const QString& key : std::as_const(keys))
      if (!done.contains(key) && incoming.value(key) <= 0) rank << key;
    if (rank.isEmpty())
      for (const QString& key : std::as_const(keys))
        if (!done.contains(key)) {
          rank << key;
          break;
        }
    for (const QString& key : std::as_const(rank)) {
      done << key;
      order << key;
      for (const QString& after : next.value(key)) --incoming[after];
    }
  }
  return order;
}

void CanvasScene::setEqualWidths(bool equal) {
  if (equal == equalWidths_) return;
  equalWidths_ = equal;
  update();
}

QPointF CanvasScene::freePlace(const QPointF& wanted, const QSizeF& size) const {
  const auto isFree = [&](const QPointF& at) {
    const QRectF frame = QRectF(at, size).adjusted(-12, -12, 12, 12);
    for (NodeItem* item : nodes_)
      if (frame.intersects(item->frame())) return false;
    for (HubItem* item : hubs_)
      if (frame.intersects(item->frame())) return false;
    return true;
  };
  // Rings of growing distance around the place asked for; to the right first, as data flows.
  for (int ring = 0; ring < 40; ++ring)
    for (int x = ring; x >= -ring; --x)
      for (int step = 0; step <= 2 * ring; ++step) {
        const int y = step % 2 ? (step + 1) / 2 : -step / 2;
        if (std::max(std::abs(x), std::abs(y)) != ring) continue;
        const QPointF at = snapped(wanted + QPointF(x * 48.0, y * 40.0));
        if (isFree(at)) return at;
      }
  return snapped(wanted);
}

QRectF CanvasScene::contentRect() const {
  QRectF content;
  for (NodeItem* item : nodes_) content |= item->frame();
  for (HubItem* item : hubs_) content |= item->frame();
  for (GroupItem* item : groups_) content |= item->frame();
  for (EdgeItem* item : edges_) content |= item->path().boundingRect();
  return content;
}

}  // namespace tutti::composer
