// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/ui/canvas_view.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QPainter>
#include <QScrollBar>
#include <cmath>

#include "composer/ui/looks.h"
#include "resources/theme/theme.h"

namespace tutti::composer {

using theme::Palette;
using theme::Token;

namespace {

constexpr qreal kLeastZoom = 0.1;
constexpr qreal kMostZoom = 4.0;
constexpr qreal kDots = 16;
constexpr qreal kDot = 1.5;  // side of a dot on the screen
constexpr QSizeF kGhost(150, 70);

}  // namespace

CanvasView::CanvasView(CanvasScene& scene, QWidget* parent)
    : QGraphicsView(&scene, parent), scene_(scene), minimap_(new Minimap(*this, scene)) {
  setObjectName(QStringLiteral("canvas"));
  setAccessibleName(tr("Canvas; the outline holds the same as a tree"));
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setDragMode(QGraphicsView::RubberBandDrag);
  setViewportUpdateMode(QGraphicsView::MinimalViewportUpdate);
  setOptimizationFlag(QGraphicsView::DontSavePainterState);
  setTransformationAnchor(QGraphicsView::NoAnchor);
  setResizeAnchor(QGraphicsView::NoAnchor);
  setAcceptDrops(true);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  connect(&scene, &CanvasScene::contentChanged, this, [this] {
    updateSceneRect();
    minimap_->update();
  });
  theme::followTheme(this, [this](const Palette&) {
    viewport()->update();
    minimap_->update();
  });
}

QString CanvasView::componentMimeType() { return QStringLiteral("application/x-tutti-component"); }

void CanvasView::updateSceneRect() {
  // Half a view of free ground around everything, so that any box can come to the middle.
  const QRectF content = scene_.contentRect();
  const QSizeF half = QSizeF(viewport()->size()) / (2 * zoom());
  QRectF wanted = content.adjusted(-half.width() - 200, -half.height() - 200, half.width() + 200,
                                   half.height() + 200);
  wanted |= mapToScene(viewport()->rect()).boundingRect();
  setSceneRect(wanted);
}

qreal CanvasView::zoom() const { return transform().m11(); }

QPointF CanvasView::centre() const { return mapToScene(viewport()->rect().center()); }

void CanvasView::setZoom(qreal zoom) { zoomBy(zoom / this->zoom(), viewport()->rect().center()); }

void CanvasView::zoomBy(qreal factor, const QPoint& anchor) {
  fitted_ = false;
  const qreal wanted = std::clamp(zoom() * factor, kLeastZoom, kMostZoom);
  const QPointF under = mapToScene(anchor);
  setTransform(QTransform::fromScale(wanted, wanted));
  updateSceneRect();
  const QPointF now = mapToScene(anchor);
  centerOn(centre() + under - now);
  minimap_->update();
  Q_EMIT zoomChanged(wanted);
}

void CanvasView::fit() {
  const QRectF content = scene_.contentRect().adjusted(-12, -12, 12, 12);
  if (scene_.nodes().isEmpty()) {
    setZoom(1);
    return;
  }
  const QSizeF room = viewport()->size();
  const qreal wanted =
      std::clamp(std::min({room.width() / content.width(), room.height() / content.height(), 1.0}),
                 kLeastZoom, 1.0);
  setTransform(QTransform::fromScale(wanted, wanted));
  updateSceneRect();
  centerOn(content.center());
  fitted_ = true;
  minimap_->update();
  Q_EMIT zoomChanged(wanted);
}

void CanvasView::resetView() { fit(); }

void CanvasView::reveal(const QString& federateId) {
  if (NodeItem* item = scene_.node(scene_.shownAs(federateId)))
    ensureVisible(item->frame(), 48, 48);
}

void CanvasView::drawBackground(QPainter* painter, const QRectF& rect) {
  const Palette palette = Palette::of(this);
  painter->fillRect(rect, palette[Token::BgCanvas]);
  if (zoom() < 0.5) return;
  const qreal left = std::floor(rect.left() / kDots) * kDots;
  const qreal top = std::floor(rect.top() / kDots) * kDots;
  // As small rectangles of whole pixels: a pen would be stroked for each of some thousand dots.
  const QTransform& toView = painter->worldTransform();
  QList<QRectF> dots;
  for (qreal x = left; x < rect.right() + kDots; x += kDots)
    for (qreal y = top; y < rect.bottom() + kDots; y += kDots)
      dots << QRectF(toView.map(QPointF(x, y)).toPoint(), QSizeF(kDot, kDot));
  QColor color = palette[Token::LineStrong];
  color.setAlphaF(0.6F);
  painter->save();
  painter->resetTransform();
  painter->setRenderHint(QPainter::Antialiasing, false);
  painter->setPen(Qt::NoPen);
  painter->setBrush(color);
  painter->drawRects(dots);
  painter->restore();
}

void CanvasView::drawForeground(QPainter* painter, const QRectF&) {
  if (!ghost_) return;
  // Where the box will be when the mouse button is let go.
  const Palette palette = Palette::of(this);
  painter->setRenderHint(QPainter::Antialiasing);
  QPen pen(palette[Token::Accent], 2);
  makeCosmetic(pen, *painter);
  pen.setDashPattern({4, 3});
  painter->setPen(pen);
  QColor fill = palette[Token::BgSelected];
  fill.setAlphaF(0.7F);
  painter->setBrush(fill);
  const QRectF box(*ghost_, kGhost);
  painter->drawRoundedRect(box, theme::radius::kNode, theme::radius::kNode);
  painter->setPen(palette[Token::TextPrimary]);
  painter->setFont(theme::textFont(theme::TextStyle::Label, QFont::DemiBold));
  painter->drawText(box, Qt::AlignCenter, ghostName_);
}

void CanvasView::wheelEvent(QWheelEvent* event) {
  if (event->modifiers() & Qt::ControlModifier) {
    zoomBy(std::pow(1.0015, event->angleDelta().y()), event->position().toPoint());
    event->accept();
    return;
  }
  fitted_ = false;
  const QPoint by = event->pixelDelta().isNull() ? event->angleDelta() / 2 : event->pixelDelta();
  const bool sideways = event->modifiers() & Qt::ShiftModifier;
  horizontalScrollBar()->setValue(horizontalScrollBar()->value() - (sideways ? by.y() : by.x()));
  if (!sideways) verticalScrollBar()->setValue(verticalScrollBar()->value() - by.y());
  event->accept();
}

void CanvasView::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::MiddleButton || (spaceHeld_ && event->button() == Qt::LeftButton)) {
    panFrom_ = event->pos();
    fitted_ = false;
    viewport()->setCursor(Qt::ClosedHandCursor);
    return;
  }
  QGraphicsView::mousePressEvent(event);
}

void CanvasView::mouseMoveEvent(QMouseEvent* event) {
  if (panFrom_) {
    const QPoint by = event->pos() - *panFrom_;
    panFrom_ = event->pos();
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - by.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() - by.y());
    return;
  }
  QGraphicsView::mouseMoveEvent(event);
}

void CanvasView::mouseReleaseEvent(QMouseEvent* event) {
  if (panFrom_) {
    panFrom_.reset();
    viewport()->unsetCursor();
    return;
  }
  QGraphicsView::mouseReleaseEvent(event);
}

void CanvasView::contextMenuEvent(QContextMenuEvent* event) {
  QPoint at = event->globalPos();
  if (event->reason() == QContextMenuEvent::Keyboard) {
    if (NodeItem* item = scene_.node(scene_.focusNode()))
      at = viewport()->mapToGlobal(mapFromScene(item->frame().center()));
  } else {
    // The menu is about what is under the pointer.
    for (QGraphicsItem* item : items(event->pos())) {
      if (item->type() == EdgeType) continue;
      if (!item->isSelected()) {
        scene_.clearSelection();
        item->setSelected(true);
      }
      break;
    }
  }
  Q_EMIT menuRequested(at);
}

// Keys

void CanvasView::focusOn(const QString& key, bool select) {
  NodeItem* item = scene_.node(key);
  if (!item) return;
  scene_.setShowsFocus(true);
  scene_.setFocusNode(key);
  if (select) {
    scene_.clearSelection();
    item->setSelected(true);
    scene_.setFocusNode(key);
  }
  ensureVisible(item->frame(), 48, 48);
}

void CanvasView::moveFocus(int key) {
  NodeItem* from = scene_.node(scene_.focusNode());
  if (!from) {
    const QStringList order = scene_.flowOrder();
    if (!order.isEmpty()) focusOn(order.first(), true);
    return;
  }
  const QPointF start = from->frame().center();
  const QPointF direction = key == Qt::Key_Left    ? QPointF(-1, 0)
                            : key == Qt::Key_Right ? QPointF(1, 0)
                            : key == Qt::Key_Up    ? QPointF(0, -1)
                                                   : QPointF(0, 1);
  NodeItem* best = nullptr;
  qreal bestCost = std::numeric_limits<qreal>::max();
  for (NodeItem* item : scene_.nodes()) {
    if (item == from) continue;
    const QPointF by = item->frame().center() - start;
    const qreal along = QPointF::dotProduct(by, direction);
    const qreal aside = std::abs(by.x() * direction.y() - by.y() * direction.x());
    if (along < 8 || aside > 2.5 * along + 40) continue;
    const qreal cost = along + 2 * aside;
    if (cost < bestCost) {
      bestCost = cost;
      best = item;
    }
  }
  if (best) focusOn(best->key(), true);
}

void CanvasView::moveSelection(int key, bool fine) {
  const qreal step = fine ? 1 : 16;
  const QPointF by = key == Qt::Key_Left    ? QPointF(-step, 0)
                     : key == Qt::Key_Right ? QPointF(step, 0)
                     : key == Qt::Key_Up    ? QPointF(0, -step)
                                            : QPointF(0, step);
  QHash<QString, QPointF> positions;
  for (QGraphicsItem* item : scene_.selectedItems()) {
    if (item->type() != NodeType && item->type() != GroupType) continue;
    const bool isNode = item->type() == NodeType;
    const auto* node = isNode ? static_cast<NodeItem*>(item) : nullptr;
    const QString group =
        isNode ? (node->isGroup() ? node->id() : QString()) : static_cast<GroupItem*>(item)->id();
    for (const auto& [id, federate] : scene_.document().composition().federates)
      if (group.isEmpty() ? node && node->id() == id : federate.group == group)
        positions.insert(id, federate.position + by);
  }
  if (!positions.isEmpty()) scene_.document().moveFederates(positions, true);
}

void CanvasView::keyPressEvent(QKeyEvent* event) {
  const auto modifiers = event->modifiers() & ~Qt::KeypadModifier;
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
      if (modifiers == Qt::NoModifier) {
        moveFocus(event->key());
        return;
      }
      if (modifiers & Qt::ShiftModifier && !(modifiers & Qt::AltModifier)) {
        moveSelection(event->key(), modifiers & Qt::ControlModifier);
        return;
      }
      break;
    case Qt::Key_Space:
      if (modifiers == Qt::NoModifier) {
        if (!event->isAutoRepeat()) {
          spaceHeld_ = true;
          if (NodeItem* item = scene_.node(scene_.focusNode()))
            item->setSelected(!item->isSelected() || scene_.selectedItems().size() == 1);
        }
        return;
      }
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (NodeItem* item = scene_.node(scene_.focusNode()); item && item->isGroup())
        scene_.document().setGroupCollapsed(item->id(), false);
      else
        Q_EMIT propertiesRequested();
      return;
    case Qt::Key_Escape:
      scene_.clearSelection();
      return;
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
      Q_EMIT deleteRequested();
      return;
    case Qt::Key_F2:
      Q_EMIT renameRequested();
      return;
    case Qt::Key_A:
      if (modifiers == Qt::ControlModifier) {
        for (NodeItem* item : scene_.nodes()) item->setSelected(true);
        return;
      }
      break;
    case Qt::Key_Plus:
    case Qt::Key_Minus: {
      const bool open = event->key() == Qt::Key_Plus;
      if (modifiers & Qt::ControlModifier) {
        zoomBy(open ? 1.25 : 0.8, viewport()->rect().center());
        return;
      }
      NodeItem* item = scene_.node(scene_.focusNode());
      QString group;
      if (item) {
        const Federate* federate =
            item->isGroup() ? nullptr : scene_.document().federate(item->id());
        group = item->isGroup() ? item->id() : federate ? federate->group : QString();
      }
      if (!group.isEmpty()) {
        scene_.document().setGroupCollapsed(group, !open);
        scene_.sync();
        if (!open) focusOn(NodeItem::keyOf(group, true), true);
      }
      return;
    }
    default:
      break;
  }
  QGraphicsView::keyPressEvent(event);
}

void CanvasView::keyReleaseEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) spaceHeld_ = false;
  QGraphicsView::keyReleaseEvent(event);
}

bool CanvasView::focusNextPrevChild(bool next) {
  const QStringList order = scene_.flowOrder();
  const qsizetype at = order.indexOf(scene_.focusNode());
  const qsizetype to = at < 0 ? (next ? 0 : order.size() - 1) : at + (next ? 1 : -1);
  if (to >= 0 && to < order.size()) {
    focusOn(order[to], true);
    return true;
  }
  return QGraphicsView::focusNextPrevChild(next);
}

void CanvasView::focusInEvent(QFocusEvent* event) {
  scene_.setShowsFocus(event->reason() == Qt::TabFocusReason ||
                       event->reason() == Qt::BacktabFocusReason ||
                       event->reason() == Qt::ShortcutFocusReason);
  QGraphicsView::focusInEvent(event);
}

void CanvasView::focusOutEvent(QFocusEvent* event) {
  scene_.setShowsFocus(false);
  spaceHeld_ = false;
  QGraphicsView::focusOutEvent(event);
}

// Drops from the catalog

QPointF CanvasView::dropCorner(const QPoint& at) const {
  return scene_.snapped(mapToScene(at) - QPointF(kGhost.width() / 2, 20));
}

void CanvasView::dragEnterEvent(QDragEnterEvent* event) {
  if (!event->mimeData()->hasFormat(componentMimeType())) {
    event->ignore();
    return;
  }
  const QString component =
      QString::fromUtf8(event->mimeData()->data(componentMimeType())).section(u'\n', 0, 0);
  const Manifest* manifest = scene_.document().catalog().find(component);
  ghostName_ = manifest ? manifest->id : component;
  event->acceptProposedAction();
}

void CanvasView::dragMoveEvent(QDragMoveEvent* event) {
  if (!event->mimeData()->hasFormat(componentMimeType())) {
    event->ignore();
    return;
  }
  ghost_ = dropCorner(event->position().toPoint());
  viewport()->update();
  event->acceptProposedAction();
}

void CanvasView::dragLeaveEvent(QDragLeaveEvent*) {
  ghost_.reset();
  viewport()->update();
}

void CanvasView::dropEvent(QDropEvent* event) {
  ghost_.reset();
  viewport()->update();
  if (!event->mimeData()->hasFormat(componentMimeType())) {
    event->ignore();
    return;
  }
  const QString component =
      QString::fromUtf8(event->mimeData()->data(componentMimeType())).section(u'\n', 0, 0);
  event->acceptProposedAction();
  Q_EMIT componentDropped(component, dropCorner(event->position().toPoint()));
}

void CanvasView::resizeEvent(QResizeEvent* event) {
  QGraphicsView::resizeEvent(event);
  const QSize size = minimap_->sizeHint();
  minimap_->setGeometry(width() - size.width() - 16, height() - size.height() - 16, size.width(),
                        size.height());
  if (fitted_)
    fit();
  else
    updateSceneRect();
}

void CanvasView::scrollContentsBy(int dx, int dy) {
  QGraphicsView::scrollContentsBy(dx, dy);
  minimap_->update();
}

// Minimap

Minimap::Minimap(CanvasView& view, CanvasScene& scene)
    : QWidget(&view), view_(view), scene_(scene) {
  setObjectName(QStringLiteral("minimap"));
  setAccessibleName(tr("Overview of the canvas"));
  setCursor(Qt::ArrowCursor);
}

QTransform Minimap::toMap() const {
  const QRectF shown = view_.mapToScene(view_.viewport()->rect()).boundingRect();
  const QRectF all = (scene_.contentRect() | shown).adjusted(-20, -20, 20, 20);
  const QRectF room = QRectF(rect()).adjusted(5, 5, -5, -5);
  const qreal scale = std::min(room.width() / all.width(), room.height() / all.height());
  QTransform transform;
  transform.translate(room.center().x(), room.center().y());
  transform.scale(scale, scale);
  transform.translate(-all.center().x(), -all.center().y());
  return transform;
}

void Minimap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette palette = Palette::of(this);
  painter.setPen(palette[Token::LineStrong]);
  painter.setBrush(palette[Token::BgPanel]);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  painter.setClipRect(rect().adjusted(2, 2, -2, -2));
  const QTransform map = toMap();
  painter.setPen(Qt::NoPen);
  for (const NodeItem* item : scene_.nodes()) {
    QColor color = palette[Token::LineControl];
    if (item->isSelected())
      color = palette[Token::Accent];
    else if (item->state() && theme::severity(*item->state()) <= 2)
      color = theme::colors(*item->state(), palette).fill;
    painter.setBrush(color);
    painter.drawRoundedRect(map.mapRect(item->frame()), 1.5, 1.5);
  }
  const QRectF shown = map.mapRect(view_.mapToScene(view_.viewport()->rect()).boundingRect());
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(palette[Token::Accent], 1.5));
  painter.drawRect(shown);
}

void Minimap::goTo(const QPointF& at) { view_.centerOn(toMap().inverted().map(at)); }

void Minimap::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) goTo(event->position());
}

void Minimap::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) goTo(event->position());
}

}  // namespace tutti::composer
