// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsScene>
#include <QHash>
#include <QPointF>
#include <QSet>
#include <QTimer>
#include <QVariantAnimation>
#include <vector>

#include "composer/model/document.h"
#include "composer/ui/canvas_items.h"
#include "composer/ui/selection.h"

namespace tutti::composer {

/// The composition as boxes, hubs and lines. Shows the document and listens to it; what a person
/// does here becomes an edit of the document, and comes back as its signal. Federates and classes
/// are found in items by two hash maps, nothing else links them.
class CanvasScene : public QGraphicsScene {
  Q_OBJECT
 public:
  /// Both outlive the scene.
  CanvasScene(Document& document, Selection& selection, QObject* parent = nullptr);
  ~CanvasScene() override;

  Document& document() const { return document_; }
  /// Brings the items up to date at once instead of at the next turn of the event loop.
  void sync();

  /// Key of the node that stands for a federate: itself or its collapsed group.
  QString shownAs(const QString& federateId) const;
  NodeItem* node(const QString& key) const { return nodes_.value(key); }
  QList<NodeItem*> nodes() const { return nodes_.values(); }
  HubItem* hub(const QString& className) const { return hubs_.value(className); }
  QList<EdgeItem*> edges() const { return edges_.values(); }
  /// Edges into or out of a node.
  QList<EdgeItem*> edgesOf(const QString& key) const;
  GroupItem* groupFrame(const QString& id) const { return groups_.value(id); }

  /// Node with the keyboard focus; empty for none.
  const QString& focusNode() const { return focus_; }
  void setFocusNode(const QString& key);
  bool showsFocus() const { return showsFocus_; }
  void setShowsFocus(bool shows);
  /// Nodes from sources to sinks, those of one rank from top to bottom: the order of Tab.
  QStringList flowOrder() const;

  bool equalWidths() const { return equalWidths_; }
  void setEqualWidths(bool equal);

  /// Where a new box of that size would not cover another, near `wanted`.
  QPointF freePlace(const QPointF& wanted, const QSizeF& size = {160, 90}) const;
  QRectF contentRect() const;

  /// Boxes are on their way to their places; contentChanged() tells when they are there.
  bool isSliding() const { return !slides_.isEmpty(); }

  // What items tell.
  bool isDragging() const { return dragging_; }
  QPointF snapped(const QPointF& position) const;
  void nodeMoved(NodeItem& node);
  void hubMoved(HubItem& hub);
  void dragGroup(const QString& groupId, const QPointF& by);
  void dropDragged();

 Q_SIGNALS:
  /// Items moved, came or went; the minimap repaints.
  void contentChanged();
  /// Double-click or Enter on a federate.
  void propertiesRequested(const QString& federateId);

 protected:
  void mousePressEvent(QGraphicsSceneMouseEvent* event) override;
  void mouseReleaseEvent(QGraphicsSceneMouseEvent* event) override;
  void mouseDoubleClickEvent(QGraphicsSceneMouseEvent* event) override;
  void helpEvent(QGraphicsSceneHelpEvent* event) override;

 private:
  struct Moved {
    QString key;
    bool isHub;
    QPointF from;
  };

  void schedule();
  void dirty(const QString& federateId);
  void syncNodes();
  void syncGroups();
  void syncHubs();
  void syncEdges();
  /// What lines go around.
  struct Box {
    const QGraphicsItem* item;
    QRectF frame;
  };
  std::vector<Box> boxes() const;
  void routeEdge(EdgeItem& edge, const std::vector<Box>& boxes);
  void routeAll();
  void placeHub(HubItem& hub, const ClassFlow& flow);
  void place(QGraphicsItem& item, const QPointF& position);
  /// The item stays where it is; to be called before it is deleted.
  void endSlide(QGraphicsItem& item);
  QPointF positionOf(const NodeItem& node) const;
  QString keyOfEdge(const FlowEdge& edge) const;
  void applySelection();
  void readSelection();
  void dimEdges();

  Document& document_;
  Selection& selection_;
  QTimer timer_;
  bool structureDirty_ = true;
  bool flowDirty_ = true;
  bool statesDirty_ = true;
  QSet<QString> dirtyNodes_;
  bool firstSync_ = true;
  bool syncing_ = false;
  bool selecting_ = false;

  QHash<QString, NodeItem*> nodes_;
  QHash<QString, HubItem*> hubs_;
  QHash<QString, EdgeItem*> edges_;
  QHash<QString, GroupItem*> groups_;
  QHash<QGraphicsItem*, QVariantAnimation*> slides_;

  QString focus_;
  bool showsFocus_ = false;
  bool equalWidths_ = false;
  bool dragging_ = false;
  QList<Moved> moved_;
};

}  // namespace tutti::composer
