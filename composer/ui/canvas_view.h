// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsView>
#include <optional>

#include "composer/ui/canvas_scene.h"

namespace tutti::composer {

class Minimap;

/// The canvas: dotted ground, zoom, panning, drops from the catalog, and all keys of the canvas.
class CanvasView : public QGraphicsView {
  Q_OBJECT
 public:
  explicit CanvasView(CanvasScene& scene, QWidget* parent = nullptr);

  /// What a drag from the catalog carries: "component\nversion", UTF-8.
  static QString componentMimeType();

  qreal zoom() const;
  void setZoom(qreal zoom);
  void zoomBy(qreal factor, const QPoint& anchor);
  /// All of the content, at most 100 %.
  void fit();
  /// 100 % with the content in the middle, or what fits when that is more than the view.
  void resetView();
  void reveal(const QString& federateId);
  Minimap* minimap() const { return minimap_; }
  /// Where the middle of the view is on the canvas.
  QPointF centre() const;

 Q_SIGNALS:
  void zoomChanged(qreal zoom);
  /// A component was dropped; `position` is its top left corner.
  void componentDropped(const QString& component, const QPointF& position);
  void deleteRequested();
  void renameRequested();
  void enableRequested();
  void groupRequested();
  void propertiesRequested();
  void menuRequested(const QPoint& globalPosition);

 protected:
  void drawBackground(QPainter* painter, const QRectF& rect) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  bool focusNextPrevChild(bool next) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragMoveEvent(QDragMoveEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;

 private:
  void updateSceneRect();
  void moveFocus(int key);
  void moveSelection(int key, bool fine);
  void focusOn(const QString& key, bool select);
  QPointF dropCorner(const QPoint& at) const;

  CanvasScene& scene_;
  Minimap* minimap_;
  std::optional<QPointF> ghost_;
  QString ghostName_;
  std::optional<QPoint> panFrom_;
  bool spaceHeld_ = false;
  bool fitted_ = false;  ///< Shows everything; stays so when the view gets another size.
};

/// The whole canvas in a corner; click or drag moves the view.
class Minimap : public QWidget {
  Q_OBJECT
 public:
  Minimap(CanvasView& view, CanvasScene& scene);
  QSize sizeHint() const override { return QSize(145, 94); }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  QTransform toMap() const;
  void goTo(const QPointF& at);

  CanvasView& view_;
  CanvasScene& scene_;
};

}  // namespace tutti::composer
