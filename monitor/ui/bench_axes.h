// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "monitor/ui/bench_models.h"

class QCPAxis;
class QCPItemText;
class QCustomPlot;

namespace tutti::theme {
class Palette;
}

/// What the plots of the Benchmarks page draw alike.
namespace tutti::monitor {

/// Ticks of a logarithmic axis at decades, of a short one also at 2 and 5, written by `text`.
void setLogTicks(QCPAxis* axis, double from, double to,
                 const std::function<QString(double)>& text);
/// Ticks of a kind's axis at the places that were measured; sizes at powers of two.
void setPlaceTicks(QCPAxis* axis, const std::vector<ShownSeries>& series, bench::Kind kind);
/// A caption in the plot, to the right of its position.
QCPItemText* makePlotLabel(QCustomPlot* plot, const QString& text, const theme::Palette& palette,
                           bool muted = false);
/// Heights (logarithms) of labels, moved apart to at least `distance`, downwards from the highest.
void moveApart(std::vector<double>& heights, double distance, double lowest);

/// The name at the end of a line.
struct LineEnd {
  double x = 0, y = 0;  ///< the line's last point
  QString text;
  bool muted = false;
};
/// Writes names to the right of the axes, those of lines that end before `largest` beside their own
/// last point, and makes the right margin wide enough. The vertical axis is logarithmic and has its
/// range.
void drawLineEnds(QCustomPlot* plot, const std::vector<LineEnd>& ends, double largest,
                  const theme::Palette& palette);

/// Where points were measured, in rising order without repetition.
std::vector<double> placesOf(const std::vector<ShownSeries>& series);
/// The place nearest to a coordinate of a logarithmic axis.
std::optional<double> nearestPlace(const std::vector<double>& places, double wanted);

}  // namespace tutti::monitor
