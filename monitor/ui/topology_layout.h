// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainterPath>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <vector>

namespace tutti::monitor {

/// A box to be placed, and who it sends to.
struct LayoutNode {
  QSizeF size;
  std::vector<std::size_t> to;  ///< indices
};

/// Top left corners for boxes in the order of the data flow: senders left of their receivers, as
/// far as there are no loops; boxes that nobody is joined with stand below. Deterministic: the
/// same nodes in the same order get the same places.
std::vector<QPointF> layoutByFlow(const std::vector<LayoutNode>& nodes, double gapX, double gapY);

/// Boxes in columns, and how large all of them are.
struct Columns {
  struct Place {
    std::size_t column = 0;
    double top = 0;
  };
  std::vector<Place> places;   ///< in the order of the sizes
  std::vector<double> widths;  ///< of the columns
  double height = 0;

  /// Sum of the widths with `gap` between the columns.
  double width(double gap) const;
  /// Left edge of a column, from that of the first.
  double left(std::size_t column, double gap) const;
};

/// Puts boxes into columns, `gap` below each: one after the other in rows, or each where the
/// columns are shortest so far.
Columns packInRows(const std::vector<QSizeF>& sizes, std::size_t columns, double gap);
Columns packTightly(const std::vector<QSizeF>& sizes, std::size_t columns, double gap);

/// A way from box to box that bends round what stands between: straight on where nothing does,
/// above or below the obstacles where something does. For a target to the right of its source.
QPainterPath wayAround(QPointF start, QPointF end, const std::vector<QRectF>& obstacles);

/// Where on `way` a label fits: near its middle, or a little beside it where that is taken.
/// `room` is the label's, about its place.
QPointF placeOnWay(const QPainterPath& way, const QRectF& room, const std::vector<QRectF>& taken);

}  // namespace tutti::monitor
