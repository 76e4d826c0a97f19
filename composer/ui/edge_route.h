// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPainterPath>
#include <QPointF>
#include <QRectF>

namespace tutti::composer {

/// Where a line of the canvas begins and ends. It leaves its sender to the right and enters its
/// receiver from the left.
struct LineEnds {
  QPointF from;
  QPointF to;
  QRectF sender;    ///< the box at `from`, which the line may touch but not cross
  QRectF receiver;  ///< the box at `to`; the same as `sender` when a box sends to itself
  // Lines from or to different ports of a box go side by side.
  int fromPort = 0;  ///< from the top, from 0 on
  int toPort = 0;
};

/// The line between two boxes, around the others: one curve where the receiver is to the right and
/// nothing is between, otherwise horizontal and vertical pieces with round corners.
QPainterPath routeLine(const LineEnds& ends, const QList<QRectF>& obstacles);

}  // namespace tutti::composer
