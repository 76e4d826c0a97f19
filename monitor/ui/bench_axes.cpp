// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/bench_axes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "resources/theme/format.h"
#include "resources/theme/plot.h"

namespace tutti::monitor {

using theme::textFont;
using theme::TextStyle;
using theme::Token;

void setLogTicks(QCPAxis* axis, double from, double to,
                 const std::function<QString(double)>& text) {
  QSharedPointer<QCPAxisTickerText> ticks(new QCPAxisTickerText);
  const bool few = std::log10(to / from) < 1.8;
  for (double decade = std::pow(10.0, std::floor(std::log10(from))); decade <= to * 1.001;
       decade *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor != 1.0 && !few) continue;
      const double value = decade * factor;
      if (value < from * 0.999 || value > to * 1.001) continue;
      ticks->addTick(value, text(value));
    }
  }
  axis->setTicker(ticks);
}

void setPlaceTicks(QCPAxis* axis, const std::vector<ShownSeries>& series, bench::Kind kind) {
  QSharedPointer<QCPAxisTickerText> ticks(new QCPAxisTickerText);
  const QCPRange range = axis->range();
  if (bench::factsOf(kind).axis != bench::Axis::Size) {
    for (const double place : placesOf(series)) ticks->addTick(place, placeText(place, kind));
  } else {
    // As many names as there is room for beside each other.
    const double span = std::log2(range.upper / range.lower);
    const double fit = std::max(1.0, std::max(axis->axisRect()->width(), 100) / 52.0);
    const int step = std::max(1, static_cast<int>(std::ceil(span / fit)));
    for (int power = 0; power <= 26; ++power) {
      const double size = std::pow(2.0, power);
      if (!range.contains(size)) continue;
      ticks->addTick(size, power % step == 1 % step ? theme::formatMessageSize(size) : QString());
    }
  }
  axis->setTicker(ticks);
  axis->setTickLabels(true);
}

QCPItemText* makePlotLabel(QCustomPlot* plot, const QString& text, const theme::Palette& palette,
                           bool muted) {
  auto* item = new QCPItemText(plot);
  item->setText(text);
  item->setFont(textFont(TextStyle::Caption, muted ? QFont::Medium : QFont::DemiBold));
  item->setColor(palette[muted ? Token::TextMuted : Token::TextPrimary]);
  item->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  item->setClipToAxisRect(false);
  return item;
}

void moveApart(std::vector<double>& heights, double distance, double lowest) {
  std::vector<std::size_t> order(heights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return heights[a] > heights[b]; });
  double last = 1e9;
  for (const std::size_t i : order) {
    heights[i] = std::min(heights[i], last - distance);
    last = heights[i];
  }
  // What was pushed out at the bottom goes up again.
  double floor = lowest;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    heights[*i] = std::max(heights[*i], floor);
    floor = heights[*i] + distance;
  }
}

void drawLineEnds(QCustomPlot* plot, const std::vector<LineEnd>& ends, double largest,
                  const theme::Palette& palette) {
  int widest = 0;
  const QFontMetrics metrics(textFont(TextStyle::Caption, QFont::DemiBold));
  std::map<double, std::vector<double>> heights;  // by the place where the lines end
  for (const LineEnd& end : ends) {
    heights[end.x].push_back(std::log(end.y));
    if (end.x >= largest) widest = std::max(widest, metrics.horizontalAdvance(end.text));
  }
  plot->axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom | QCP::msTop);
  plot->axisRect()->setMargins(QMargins(0, 12, std::min(widest + 18, 200), 0));
  const QCPRange range = plot->yAxis->range();
  const double room = std::max(plot->axisRect()->height(), 100);
  const double line = 15 * std::log(range.upper / range.lower) / room;
  for (auto& [x, values] : heights) moveApart(values, line, std::log(range.lower) + line / 2);
  std::map<double, std::size_t> next;
  for (const LineEnd& end : ends) {
    QCPItemText* item = makePlotLabel(plot, end.text, palette, end.muted);
    item->setPadding(QMargins(10, 0, 0, 0));
    item->position->setCoords(end.x, std::exp(heights[end.x][next[end.x]++]));
  }
}

std::vector<double> placesOf(const std::vector<ShownSeries>& series) {
  std::vector<double> result;
  for (const ShownSeries& each : series) {
    if (each.series == nullptr) continue;
    for (const bench::Point& point : each.series->points) result.push_back(point.at);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::optional<double> nearestPlace(const std::vector<double>& places, double wanted) {
  if (places.empty() || wanted <= 0) return std::nullopt;
  return *std::min_element(places.begin(), places.end(), [&](double a, double b) {
    return std::abs(std::log(a / wanted)) < std::abs(std::log(b / wanted));
  });
}

}  // namespace tutti::monitor
