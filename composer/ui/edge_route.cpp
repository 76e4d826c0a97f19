// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/ui/edge_route.h"

#include <QPolygonF>
#include <QVarLengthArray>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tutti::composer {

namespace {

constexpr qreal kStub = 16;  // straight out of a port and into one
constexpr qreal kTrack = 6;  // between lines side by side
constexpr int kTracks = 5;
constexpr qreal kClearance = 10;  // between a line and a box that it goes around
constexpr qreal kCorner = 8;
constexpr qreal kLeastForward = 28;  // less room to the right makes a curve swing back
constexpr int kNearest = 10;         // boxes whose edges are tried as lanes
// What a corner and a crossed box cost, in px of length.
constexpr qreal kPerCorner = 24;
constexpr qreal kPerCrossing = 1e5;

/// The ends and corners of a way. Hundreds are tried for a line, so they stay off the heap.
using Corners = QVarLengthArray<QPointF, 6>;

/// Long distances bend more, but never so much that a curve overshoots a neighbour.
qreal bendOf(qreal distance) { return std::clamp(std::abs(distance) * 0.55, 24.0, 120.0); }

QPainterPath curve(const QPointF& from, const QPointF& to) {
  QPainterPath path(from);
  const qreal bend = bendOf(to.x() - from.x());
  path.cubicTo(from + QPointF(bend, 0), to - QPointF(bend, 0), to);
  return path;
}

/// Whether any of the line from `a` to `b` lies within the box: what each side cuts off is left
/// out.
bool meets(const QPointF& a, const QPointF& b, const QRectF& box) {
  const QPointF way = b - a;
  qreal enters = 0;
  qreal leaves = 1;
  const auto cut = [&](qreal speed, qreal distance) {
    if (speed == 0) return distance >= 0;
    const qreal at = distance / speed;
    if (speed < 0)
      enters = std::max(enters, at);
    else
      leaves = std::min(leaves, at);
    return enters <= leaves;
  };
  return cut(-way.x(), a.x() - box.left()) && cut(way.x(), box.right() - a.x()) &&
         cut(-way.y(), a.y() - box.top()) && cut(way.y(), box.bottom() - a.y());
}

/// The curve as short lines: a path takes itself for the area it encloses, and to ask it for each
/// of many boxes takes long.
bool curveMeets(const QPointF& from, const QPointF& to, const QList<QRectF>& obstacles) {
  if (obstacles.isEmpty()) return false;
  constexpr int steps = 16;
  const QPointF bend(bendOf(to.x() - from.x()), 0);
  QPolygonF line{from};
  for (int step = 1; step <= steps; ++step) {
    const qreal t = static_cast<qreal>(step) / steps;
    const qreal u = 1 - t;
    line << u * u * u * from + 3 * u * u * t * (from + bend) + 3 * u * t * t * (to - bend) +
                t * t * t * to;
  }
  const QRectF all = line.boundingRect();
  for (const QRectF& box : obstacles) {
    if (box.bottom() < all.top() || box.top() > all.bottom()) continue;
    for (qsizetype i = 1; i < line.size(); ++i)
      if (meets(line[i - 1], line[i], box)) return true;
  }
  return false;
}

/// Horizontal and vertical pieces with round corners.
QPainterPath rounded(const Corners& line) {
  QPainterPath path(line.first());
  for (qsizetype i = 1; i + 1 < line.size(); ++i) {
    const QPointF before = line[i - 1] - line[i];
    const QPointF after = line[i + 1] - line[i];
    const qreal in = std::hypot(before.x(), before.y());
    const qreal out = std::hypot(after.x(), after.y());
    if (in < 0.5 || out < 0.5) continue;
    const qreal radius = std::min({kCorner, in / 2, out / 2});
    path.lineTo(line[i] + before * (radius / in));
    path.quadTo(line[i], line[i] + after * (radius / out));
  }
  path.lineTo(line.last());
  return path;
}

/// Out to `out`, along the lane at height `lane`, in from `in`; without pieces of no length.
Corners pieces(const LineEnds& ends, qreal out, qreal lane, qreal in) {
  Corners line{ends.from};
  const auto add = [&line](const QPointF& at) {
    if (line.last() == at) return;
    // Two pieces in one direction are one.
    if (line.size() > 1) {
      const QPointF& one = line[line.size() - 2];
      const QPointF& two = line.last();
      const bool level = one.y() == two.y() && two.y() == at.y();
      const bool upright = one.x() == two.x() && two.x() == at.x();
      if ((level && (two.x() - one.x()) * (at.x() - two.x()) > 0) ||
          (upright && (two.y() - one.y()) * (at.y() - two.y()) > 0)) {
        line.last() = at;
        return;
      }
    }
    line << at;
  };
  add(QPointF(out, ends.from.y()));
  add(QPointF(out, lane));
  add(QPointF(in, lane));
  add(QPointF(in, ends.to.y()));
  add(ends.to);
  return line;
}

qreal lengthOf(const Corners& line) {
  qreal length = 0;
  for (qsizetype i = 1; i < line.size(); ++i)
    length += std::abs(line[i].x() - line[i - 1].x()) + std::abs(line[i].y() - line[i - 1].y());
  return length + kPerCorner * static_cast<qreal>(line.size() - 2);
}

/// Boxes that the line crosses, counted no further than `most`.
int crossings(const Corners& line, const QList<QRectF>& boxes, int most) {
  int found = 0;
  for (const QRectF& box : boxes)
    for (qsizetype i = 1; i < line.size(); ++i)
      if (meets(line[i - 1], line[i], box)) {
        if (++found == most) return found;
        break;
      }
  return found;
}

/// The nearest to the line's ends first.
QList<QRectF> byDistance(const LineEnds& ends, QList<QRectF> boxes) {
  const QRectF between = QRectF(ends.from, ends.to).normalized();
  const auto distance = [&between](const QRectF& box) {
    const qreal x = std::max({0.0, box.left() - between.right(), between.left() - box.right()});
    const qreal y = std::max({0.0, box.top() - between.bottom(), between.top() - box.bottom()});
    return x + y;
  };
  std::stable_sort(boxes.begin(), boxes.end(),
                   [&](const QRectF& a, const QRectF& b) { return distance(a) < distance(b); });
  return boxes;
}

/// Of all ways with one lane the shortest that crosses no box, or the fewest.
Corners byLane(const LineEnds& ends, const QList<QRectF>& obstacles) {
  const qreal aside = kTrack * ((ends.fromPort + ends.toPort) % kTracks);
  const qreal leave = ends.from.x() + kStub + kTrack * (ends.fromPort % kTracks);
  const qreal enter = ends.to.x() - kStub - kTrack * (ends.toPort % kTracks);
  QList<qreal> outs{leave};
  QList<qreal> ins{enter};
  QList<qreal> lanes{ends.from.y(), ends.to.y()};
  if (leave < enter) {
    outs << (leave + enter) / 2 << enter;
    ins << leave;
  }
  // Midway between the two boxes where they stand one above the other.
  if (ends.sender.bottom() < ends.receiver.top())
    lanes << (ends.sender.bottom() + ends.receiver.top()) / 2;
  if (ends.receiver.bottom() < ends.sender.top())
    lanes << (ends.receiver.bottom() + ends.sender.top()) / 2;
  QList<QRectF> boxes = byDistance(ends, obstacles);
  QList<QRectF> around = boxes.first(std::min<qsizetype>(boxes.size(), kNearest));
  const qsizetype others = around.size();
  around << ends.sender << ends.receiver;
  for (qsizetype i = 0; i < around.size(); ++i) {
    const QRectF& box = around[i];
    lanes << box.top() - kClearance - aside << box.bottom() + kClearance + aside;
    if (i >= others || i >= 4) continue;
    outs << box.right() + kClearance + aside;
    ins << box.left() - kClearance - aside;
  }
  // The ends' own boxes are touched where the line begins and ends.
  boxes << ends.sender.adjusted(1, 1, -1, -1) << ends.receiver.adjusted(1, 1, -1, -1);

  Corners best;
  qreal least = std::numeric_limits<qreal>::max();
  for (const qreal out : std::as_const(outs)) {
    if (out < leave) continue;
    for (const qreal in : std::as_const(ins)) {
      if (in > enter) continue;
      for (const qreal lane : std::as_const(lanes)) {
        const qreal withoutCorners = std::abs(out - ends.from.x()) + std::abs(in - out) +
                                     std::abs(ends.to.x() - in) + std::abs(lane - ends.from.y()) +
                                     std::abs(ends.to.y() - lane);
        if (withoutCorners >= least) continue;
        const Corners line = pieces(ends, out, lane, in);
        qreal cost = lengthOf(line);
        if (cost >= least) continue;
        const qreal affordable = std::min((least - cost) / kPerCrossing, 1e6);
        cost += kPerCrossing * crossings(line, boxes, 1 + static_cast<int>(affordable));
        if (cost >= least) continue;
        least = cost;
        best = line;
      }
    }
  }
  return best;
}

}  // namespace

QPainterPath routeLine(const LineEnds& ends, const QList<QRectF>& obstacles) {
  const bool forward = ends.to.x() >= ends.from.x() + kLeastForward;
  if (forward && !curveMeets(ends.from, ends.to, obstacles)) return curve(ends.from, ends.to);
  return rounded(byLane(ends, obstacles));
}

}  // namespace tutti::composer
