// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>
#include <QHash>
#include <QPainterPath>
#include <QString>
#include <optional>

#include "composer/model/data_flow.h"
#include "composer/ui/edge_route.h"
#include "resources/theme/state.h"

namespace tutti::composer {

class CanvasScene;
class Document;

/// One input or output of a box.
struct Port {
  QString className;  ///< fully qualified; of an input the class subscribed
  QString label;
  bool isObject = true;
  int series = -1;  ///< colour of the class's flow, -1 while nobody is at the other end
};

/// What kinds of items are on the canvas; QGraphicsItem::type().
enum CanvasItemType {
  NodeType = QGraphicsItem::UserType + 1,
  HubType,
  EdgeType,
  GroupType,
};

/// A federate, or a collapsed group of them, as one box: header with icon, name and component, one
/// row a port. Painted as a whole, without child items; below 70 % zoom without ports, below 35 %
/// as a block with its state.
class NodeItem : public QGraphicsItem {
 public:
  NodeItem(CanvasScene& scene, const QString& id, bool isGroup);

  const QString& id() const { return id_; }
  /// Unique among federates and groups.
  QString key() const { return keyOf(id_, isGroup_); }
  static QString keyOf(const QString& id, bool isGroup) {
    return isGroup ? QStringLiteral("group/") + id : id;
  }
  const QString& name() const { return name_; }
  bool isGroup() const { return isGroup_; }
  /// Reads name, ports and state from the document again.
  void refresh();
  /// Only colours of ports and the state: what findings and data flow change.
  void refreshState();

  QSizeF size() const { return size_; }
  QRectF frame() const { return QRectF(pos(), size_); }
  /// Where an edge of that class meets the box, in scene coordinates.
  QPointF inputPoint(const QString& className) const;
  QPointF outputPoint(const QString& className) const;
  /// Which port from the top that is; 0 when the box has none of that class.
  int inputRow(const QString& className) const;
  int outputRow(const QString& className) const;
  const QList<Port>& inputs() const { return inputs_; }
  const QList<Port>& outputs() const { return outputs_; }
  bool isEnabledFederate() const { return enabled_; }
  std::optional<theme::State> state() const { return state_; }

  QRectF boundingRect() const override;
  QPainterPath shape() const override;
  int type() const override { return NodeType; }
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 protected:
  QVariant itemChange(GraphicsItemChange change, const QVariant& value) override;

 private:
  void readFederate();
  void readGroup();
  /// What it shows of the document, without its state.
  void read();
  void measure();
  qreal portY(qsizetype row) const;
  void paintFar(QPainter& painter, const theme::Palette& palette, qreal zoom) const;
  void paintFocus(QPainter& painter, const theme::Palette& palette, const QRectF& frame) const;

  CanvasScene& scene_;
  QString id_;
  bool isGroup_;
  QString name_;
  QString detail_;
  QString icon_;
  QList<Port> inputs_;
  QList<Port> outputs_;
  QSizeF size_{140, 70};
  std::optional<theme::State> state_;
  bool enabled_ = true;
  bool many_ = false;
};

/// The pill of a class with two or more publishers and subscribers.
class HubItem : public QGraphicsItem {
 public:
  HubItem(CanvasScene& scene, const QString& className, bool isObject);

  const QString& className() const { return className_; }
  bool isObject() const { return isObject_; }
  void setFlow(const ClassFlow& flow);
  QSizeF size() const { return size_; }
  QRectF frame() const { return QRectF(pos(), size_); }
  QPointF inputPoint() const { return pos() + QPointF(0, size_.height() / 2); }
  QPointF outputPoint() const { return pos() + QPointF(size_.width(), size_.height() / 2); }

  QRectF boundingRect() const override;
  QPainterPath shape() const override;
  int type() const override { return HubType; }
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 protected:
  QVariant itemChange(GraphicsItemChange change, const QVariant& value) override;

 private:
  CanvasScene& scene_;
  QString className_;
  bool isObject_;
  QString name_;
  QString rate_;
  int series_ = 0;
  QSizeF size_{90, 36};
};

/// One line of the data flow. Never drawn by hand: the scene makes and removes it.
class EdgeItem : public QGraphicsItem {
 public:
  EdgeItem(CanvasScene& scene, const FlowEdge& flow, int series, const QString& asClass);

  const FlowEdge& flow() const { return flow_; }
  const QString& asClass() const { return asClass_; }
  void setFlow(const FlowEdge& flow, int series, const QString& asClass);
  /// Between two boxes around `obstacles`.
  void route(const LineEnds& ends, const QList<QRectF>& obstacles);
  const QPainterPath& path() const { return path_; }
  void setDimmed(bool dimmed);
  bool isDimmed() const { return dimmed_; }

  QRectF boundingRect() const override;
  QPainterPath shape() const override;
  int type() const override { return EdgeType; }
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  /// Cosmetic width in px: 1.5 + 1.1 log10(rate / 10 per s), 1.5 to 7.
  static qreal widthOf(const std::optional<double>& rate);

 private:
  CanvasScene& scene_;
  FlowEdge flow_;
  QString asClass_;
  int series_ = 0;
  bool dimmed_ = false;
  QPainterPath path_;
};

/// The dashed frame behind the members of an open group.
class GroupItem : public QGraphicsItem {
 public:
  GroupItem(CanvasScene& scene, const QString& id);

  const QString& id() const { return id_; }
  void setFrame(const QRectF& frame, const QString& name, int members);
  QRectF headerRect() const;
  QRectF frame() const { return frame_; }

  QRectF boundingRect() const override;
  QPainterPath shape() const override;
  int type() const override { return GroupType; }
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 protected:
  void mousePressEvent(QGraphicsSceneMouseEvent* event) override;
  void mouseMoveEvent(QGraphicsSceneMouseEvent* event) override;
  void mouseReleaseEvent(QGraphicsSceneMouseEvent* event) override;
  void mouseDoubleClickEvent(QGraphicsSceneMouseEvent* event) override;

 private:
  void paintFarTitle(QPainter& painter, const theme::Palette& palette, qreal zoom) const;

  CanvasScene& scene_;
  QString id_;
  QRectF frame_;
  QString name_;
  int members_ = 0;
  QPointF grabbed_;
  bool dragging_ = false;
};

}  // namespace tutti::composer
