// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
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

}  // namespace tutti::monitor
