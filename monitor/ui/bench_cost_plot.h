// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "monitor/ui/bench_plots.h"

namespace tutti::monitor {

/// What a measurement takes besides its figure (Point::costs) against the kind's axis, both
/// logarithmic: processor time or memory, one line a cost and result. The vertical line marks the
/// place that the other views show, with its values.
class CostPlot : public BenchPlot {
  Q_OBJECT

 public:
  /// Of all costs those that are bytes, or those that are times.
  explicit CostPlot(bool bytes, QWidget* parent = nullptr);
  void setSeries(std::vector<ShownSeries> series, bench::Kind kind);
  void setPlace(double place);

 signals:
  void placeSelected(double place);

 protected:
  void draw(const theme::Palette& palette) override;

 private:
  struct Line {
    const ShownSeries* series = nullptr;
    const bench::CostFacts* cost = nullptr;
    int rank = 0;  ///< of the cost among those of this plot
    std::vector<std::pair<double, double>> points;
  };
  /// Those with points; their series are those of `series_`.
  std::vector<Line> lines() const;
  QString valueText(double value) const;
  void drawPlace(const std::vector<Line>& lines, const theme::Palette& palette);

  bool bytes_;
  std::vector<ShownSeries> series_;
  bench::Kind kind_ = bench::Kind::Clutter;
  double place_ = 0;
};

}  // namespace tutti::monitor
