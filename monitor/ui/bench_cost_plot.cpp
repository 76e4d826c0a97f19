// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/bench_cost_plot.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "monitor/ui/bench_axes.h"
#include "resources/theme/format.h"
#include "resources/theme/plot.h"

namespace tutti::monitor {

using theme::Token;

CostPlot::CostPlot(bool bytes, QWidget* parent) : BenchPlot(parent), bytes_(bytes) {
  setObjectName(bytes ? QStringLiteral("memoryPlot") : QStringLiteral("processorPlot"));
  plot_->setMinimumHeight(140);
  setTitle(bytes ? tr("Memory of an object instance") : tr("Processor time"),
           bytes ? tr("growth of the processes by their instances")
                 : tr("of an update by all processes, of a registration"));
  connect(plot_, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
    const auto nearest =
        nearestPlace(placesOf(series_), plot_->xAxis->pixelToCoord(event->position().x()));
    if (nearest) emit placeSelected(*nearest);
  });
}

void CostPlot::setSeries(std::vector<ShownSeries> series, bench::Kind kind) {
  series_ = std::move(series);
  kind_ = kind;
  redraw();
}

void CostPlot::setPlace(double place) {
  place_ = place;
  redraw();
}

std::vector<CostPlot::Line> CostPlot::lines() const {
  std::vector<Line> result;
  for (const ShownSeries& each : series_) {
    if (each.what != ShownSeries::What::Result || each.series == nullptr) continue;
    int rank = 0;
    for (const bench::CostFacts& cost : bench::allCosts()) {
      if (cost.bytes != bytes_) continue;
      Line line{&each, &cost, rank++, {}};
      for (const bench::Point& point : each.series->points) {
        const auto found = point.costs.find(QString::fromLatin1(cost.name));
        if (found == point.costs.end() || !(found->second > 0)) continue;
        line.points.emplace_back(point.at, found->second);
      }
      if (!line.points.empty()) result.push_back(std::move(line));
    }
  }
  return result;
}

QString CostPlot::valueText(double value) const {
  return bytes_ ? theme::formatCount(std::llround(value)) + QStringLiteral("\u202fB")
                : theme::formatDuration(value * 1e-9);
}

void CostPlot::draw(const theme::Palette& palette) {
  plot_->clearPlottables();
  plot_->clearItems();
  const std::vector<Line> all = lines();
  const bool several = std::any_of(all.begin(), all.end(), [&](const Line& each) {
    return each.series->key != all.front().series->key;
  });
  double least = std::numeric_limits<double>::max();
  double most = 0;
  double smallest = std::numeric_limits<double>::max();
  double largest = 0;
  for (const Line& line : all) largest = std::max(largest, line.points.back().first);
  std::vector<LineEnd> ends;
  for (const Line& line : all) {
    QCPGraph* graph = plot_->addGraph();
    QPen pen = penOf(*line.series, palette);
    QCPScatterStyle marker = markerOf(*line.series, palette);
    // The colour tells the result, the stroke which cost.
    if (line.rank > 0) {
      pen.setDashPattern({1, 1.5});
      marker.setBrush(palette[Token::BgPanel]);
    }
    graph->setPen(pen);
    graph->setScatterStyle(marker);
    QVector<double> x, y;
    for (const auto& [at, value] : line.points) {
      x << at;
      y << value;
      smallest = std::min(smallest, at);
      least = std::min(least, value);
      most = std::max(most, value);
    }
    graph->setData(x, y, true);
    // Of several results those that end early would stand in the others' way; their colour names
    // them.
    if (several && x.last() < largest) continue;
    const QString name = QString::fromLatin1(line.cost->line);
    ends.push_back(
        {x.last(), y.last(), several ? name + QStringLiteral(", ") + line.series->brief : name});
  }
  if (all.empty()) {
    smallest = 1000;
    largest = 1e6;
    least = 100;
    most = 1000;
  }
  plot_->xAxis->setScaleType(QCPAxis::stLogarithmic);
  plot_->yAxis->setScaleType(QCPAxis::stLogarithmic);
  const double widen = largest / smallest < 3 ? 3 : 1.25;
  plot_->xAxis->setRange(smallest / widen, largest * widen);
  const double from = least / 1.6;
  const double to = most * 2;
  plot_->yAxis->setRange(from, to);
  setLogTicks(plot_->yAxis, from, to, [this](double value) {
    // The same digits at all ticks, without decimals that are always zero.
    return bytes_         ? valueText(value)
           : value < 1000 ? QStringLiteral("%1\u202fns").arg(value)
                          : QStringLiteral("%1\u202fµs").arg(value / 1000);
  });
  setPlaceTicks(plot_->xAxis, series_, kind_);
  plot_->xAxis->setLabel(axisTitle(kind_));
  drawLineEnds(plot_, ends, largest, palette);
  drawPlace(all, palette);
}

void CostPlot::drawPlace(const std::vector<Line>& lines, const theme::Palette& palette) {
  std::vector<double> values;
  bool first = false;
  for (const Line& line : lines) {
    const auto point = std::find_if(line.points.begin(), line.points.end(),
                                    [&](const auto& each) { return each.first == place_; });
    if (point == line.points.end()) continue;
    values.push_back(point->second);
    first = first || point == line.points.begin();
  }
  if (values.empty()) return;
  auto* mark = new QCPItemStraightLine(plot_);
  mark->setPen(QPen(palette[Token::Accent], 1));
  mark->point1->setCoords(place_, 1);
  mark->point2->setCoords(place_, 10);
  // Beside the mark: on the side where the lines have been, but for the first place.
  std::vector<double> heights;
  for (const double value : values) heights.push_back(std::log(value));
  const QCPRange range = plot_->yAxis->range();
  const double line = 15 * std::log(range.upper / range.lower) /
                      std::max(plot_->axisRect()->height(), 100);
  for (double& height : heights) height += 0.6 * line;
  moveApart(heights, line, std::log(range.lower) + line / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    QCPItemText* text = makePlotLabel(plot_, valueText(values[i]), palette);
    text->setPositionAlignment((first ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    text->setPadding(QMargins(6, 0, 6, 0));
    text->position->setCoords(place_, std::exp(heights[i]));
  }
}

}  // namespace tutti::monitor
