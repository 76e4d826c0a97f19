// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/topology_layout.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace tutti::monitor {

std::vector<QPointF> layoutByFlow(const std::vector<LayoutNode>& nodes, double gapX, double gapY) {
  const std::size_t count = nodes.size();
  std::vector<QPointF> places(count);
  if (count == 0) return places;

  // Edges that lead back in a walk from the nodes in their order are left out of the layering.
  std::vector<std::vector<std::size_t>> forward(count);
  std::vector<std::size_t> incoming(count, 0);
  for (const LayoutNode& node : nodes) {
    for (const std::size_t to : node.to) ++incoming[to];
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Pure senders first: they are sources of the flow, whatever their place in the list.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return (incoming[a] == 0) > (incoming[b] == 0);
  });
  enum class Mark { New, Open, Done };
  std::vector<Mark> mark(count, Mark::New);
  const std::function<void(std::size_t)> walk = [&](std::size_t node) {
    mark[node] = Mark::Open;
    for (const std::size_t to : nodes[node].to) {
      if (to == node || mark[to] == Mark::Open) continue;
      forward[node].push_back(to);
      if (mark[to] == Mark::New) walk(to);
    }
    mark[node] = Mark::Done;
  };
  for (const std::size_t node : order) {
    if (mark[node] == Mark::New) walk(node);
  }

  // Layer: the longest way from a source.
  std::vector<std::size_t> layer(count, 0);
  for (std::size_t round = 0; round < count; ++round) {
    bool changed = false;
    for (std::size_t node = 0; node < count; ++node) {
      for (const std::size_t to : forward[node]) {
        if (layer[to] < layer[node] + 1) {
          layer[to] = layer[node] + 1;
          changed = true;
        }
      }
    }
    if (!changed) break;
  }
  std::vector<std::size_t> alone;
  std::vector<std::vector<std::size_t>> layers;
  for (std::size_t node = 0; node < count; ++node) {
    if (nodes[node].to.empty() && incoming[node] == 0) {
      alone.push_back(node);
      continue;
    }
    if (layers.size() <= layer[node]) layers.resize(layer[node] + 1);
    layers[layer[node]].push_back(node);
  }

  // Fewer crossings: each node near the middle of those it hears, a few times back and forth.
  std::vector<double> rank(count, 0);
  const auto number = [&] {
    for (const auto& each : layers) {
      for (std::size_t i = 0; i < each.size(); ++i) {
        rank[each[i]] = (static_cast<double>(i) + 0.5) / static_cast<double>(each.size());
      }
    }
  };
  number();
  for (int round = 0; round < 4; ++round) {
    std::vector<double> sum(count, 0);
    std::vector<int> degree(count, 0);
    for (std::size_t node = 0; node < count; ++node) {
      for (const std::size_t to : forward[node]) {
        const std::size_t moved = round % 2 == 0 ? to : node;
        sum[moved] += rank[round % 2 == 0 ? node : to];
        ++degree[moved];
      }
    }
    for (auto& each : layers) {
      std::stable_sort(each.begin(), each.end(), [&](std::size_t a, std::size_t b) {
        const double left = degree[a] > 0 ? sum[a] / degree[a] : rank[a];
        const double right = degree[b] > 0 ? sum[b] / degree[b] : rank[b];
        return left < right;
      });
    }
    number();
  }

  // A layer that is much taller than wide is broken into several columns.
  double tallest = 0;
  std::vector<std::vector<std::vector<std::size_t>>> columns;
  for (const auto& each : layers) {
    constexpr std::size_t most = 12;
    const std::size_t parts = (each.size() + most - 1) / most;
    const std::size_t size = parts == 0 ? 0 : (each.size() + parts - 1) / parts;
    std::vector<std::vector<std::size_t>> split;
    for (std::size_t at = 0; at < each.size(); at += size) {
      split.emplace_back(
          each.begin() + static_cast<std::ptrdiff_t>(at),
          each.begin() + static_cast<std::ptrdiff_t>(std::min(at + size, each.size())));
      double height = -gapY;
      for (const std::size_t node : split.back()) height += nodes[node].size.height() + gapY;
      tallest = std::max(tallest, height);
    }
    columns.push_back(std::move(split));
  }
  double x = 0;
  for (const auto& split : columns) {
    double right = x;
    for (const auto& column : split) {
      double height = -gapY;
      double width = 0;
      for (const std::size_t node : column) {
        height += nodes[node].size.height() + gapY;
        width = std::max(width, nodes[node].size.width());
      }
      double y = (tallest - height) / 2;
      for (const std::size_t node : column) {
        places[node] = QPointF(right, std::round(y));
        y += nodes[node].size.height() + gapY;
      }
      right += width + gapY;
    }
    x = right - gapY + gapX;
  }
  const double width = std::max(x - gapX, 900.0);
  double alongX = 0;
  double alongY = tallest > 0 ? tallest + gapY : 0;
  double rowHeight = 0;
  for (const std::size_t node : alone) {
    if (alongX > 0 && alongX + nodes[node].size.width() > width) {
      alongX = 0;
      alongY += rowHeight + gapY;
      rowHeight = 0;
    }
    places[node] = QPointF(alongX, alongY);
    alongX += nodes[node].size.width() + gapY;
    rowHeight = std::max(rowHeight, nodes[node].size.height());
  }
  return places;
}

double Columns::width(double gap) const {
  return std::accumulate(widths.begin(), widths.end(), 0.0) +
         gap * static_cast<double>(std::max<std::size_t>(widths.size(), 1) - 1);
}

double Columns::left(std::size_t column, double gap) const {
  return std::accumulate(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(column),
                         0.0) +
         gap * static_cast<double>(column);
}

namespace {

template <typename Choose>
Columns pack(const std::vector<QSizeF>& sizes, std::size_t columns, double gap, Choose&& choose) {
  Columns result;
  result.widths.assign(columns, 0);
  std::vector<double> bottoms(columns, 0);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t column = choose(i, bottoms);
    result.places.push_back({column, bottoms[column]});
    bottoms[column] += sizes[i].height() + gap;
    result.widths[column] = std::max(result.widths[column], sizes[i].width());
  }
  result.height = *std::max_element(bottoms.begin(), bottoms.end());
  return result;
}

}  // namespace

Columns packInRows(const std::vector<QSizeF>& sizes, std::size_t columns, double gap) {
  return pack(sizes, columns, gap, [&](std::size_t i, const auto&) { return i % columns; });
}

Columns packTightly(const std::vector<QSizeF>& sizes, std::size_t columns, double gap) {
  return pack(sizes, columns, gap, [](std::size_t, const std::vector<double>& bottoms) {
    return static_cast<std::size_t>(std::min_element(bottoms.begin(), bottoms.end()) -
                                    bottoms.begin());
  });
}

QPainterPath wayAround(QPointF start, QPointF end, const std::vector<QRectF>& obstacles) {
  constexpr double clearance = 14;
  const auto curve = [](QPainterPath& path, QPointF to) {
    const QPointF from = path.currentPosition();
    const double bend = std::max(40.0, (to.x() - from.x()) * 0.5);
    path.cubicTo(from + QPointF(bend, 0), to - QPointF(bend, 0), to);
  };
  QPainterPath straight(start);
  curve(straight, end);
  QRectF block;
  // By points of the line: a path takes itself for the area that it encloses.
  constexpr int points = 40;
  for (int i = 0; i <= points; ++i) {
    const QPointF at = straight.pointAtPercent(static_cast<double>(i) / points);
    for (const QRectF& each : obstacles) {
      if (each.contains(at)) block |= each;
    }
  }
  if (block.isEmpty()) return straight;
  const double above = block.top() - clearance;
  const double below = block.bottom() + clearance;
  const double middle = (start.y() + end.y()) / 2;
  const double level = middle - above < below - middle ? above : below;
  QPainterPath path(start);
  curve(path, {std::max(block.left(), start.x() + 8), level});
  path.lineTo(std::min(block.right(), end.x() - 8), level);
  curve(path, end);
  return path;
}

QPointF placeOnWay(const QPainterPath& way, const QRectF& room, const std::vector<QRectF>& taken) {
  for (const double aside : {0.0, 0.5, -0.5, 1.0, -1.0}) {
    for (int step = 0; step <= 16; ++step) {
      const double share = 0.5 + (step % 2 == 0 ? 1 : -1) * ((step + 1) / 2) * 0.05;
      const QPointF at = way.pointAtPercent(share) + QPointF(0, aside * room.height());
      const QRectF place = room.translated(at);
      if (std::none_of(taken.begin(), taken.end(),
                       [&](const QRectF& other) { return other.intersects(place); }))
        return at;
    }
  }
  return way.pointAtPercent(0.5);
}

}  // namespace tutti::monitor
