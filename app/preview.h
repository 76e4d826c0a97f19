// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QWidget>

#include "composer/model/composition.h"
#include "composer/model/data_flow.h"

namespace tutti::composer {
class Catalog;
}

namespace tutti::app {

/// A composition in miniature: its boxes where the canvas has them, its data flow as lines. Painted
/// from the file, so that a recent file is recognized by its shape.
class Preview : public QWidget {
  Q_OBJECT
 public:
  explicit Preview(QWidget* parent = nullptr);

  void setComposition(const composer::Composition& composition, const composer::Catalog& catalog);
  /// A dashed box with a plus: start from nothing.
  void setEmpty();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Box {
    QString id;
    QRectF rect;
  };
  struct Line {
    int from;
    int to;
    int series;
  };
  QList<Box> boxes_;
  QList<Line> lines_;
};

}  // namespace tutti::app
