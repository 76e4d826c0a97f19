// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "monitor/ui/bench_models.h"

class QCPScatterStyle;
class QCustomPlot;
class QLabel;
class QPainter;
class QPen;

namespace tutti::theme {
class Palette;
}

namespace tutti::monitor {

/// How a series is drawn wherever it is: in plots, lists and tables.
QPen penOf(const ShownSeries& series, const theme::Palette& palette);
QCPScatterStyle markerOf(const ShownSeries& series, const theme::Palette& palette);

/// A plot with its title above: what all of ours have in common. The curves carry their names.
class BenchPlot : public QWidget {
  Q_OBJECT

 public:
  explicit BenchPlot(QWidget* parent = nullptr);
  QCustomPlot* plot() const { return plot_; }
  QString title() const;
  /// Draws the plot for paper, whatever the screen shows.
  void renderLight(QPainter& painter, QSize size);

 protected:
  void setTitle(const QString& title, const QString& note);
  /// Draws everything with these colours; called again when the theme changes.
  virtual void draw(const theme::Palette& palette) = 0;
  void redraw();
  void resizeEvent(QResizeEvent* event) override;
  QCustomPlot* plot_;

 private:
  QLabel* title_;
  QLabel* note_;
};

/// The measured value against the message size, the lookahead or what else the kind's axis is, both
/// logarithmic; where only one lookahead was measured, one bar a result. Published figures are
/// marked points without a line. The vertical line marks the place that the other views show, with
/// its values.
class SizePlot : public BenchPlot {
  Q_OBJECT

 public:
  explicit SizePlot(QWidget* parent = nullptr);
  void setSeries(std::vector<ShownSeries> series, bench::Kind kind);
  void setSize(double place);

 signals:
  void sizeSelected(double place);

 protected:
  void draw(const theme::Palette& palette) override;

 private:
  void drawLines(const theme::Palette& palette);
  void drawBars(const theme::Palette& palette);
  void drawOneEach(double smallest, double largest, const theme::Palette& palette);
  void drawCursor(const theme::Palette& palette);
  /// Of the axis rectangle, from (0, 0) above left to (1, 1) below right.
  QPointF emptiestCorner() const;
  /// With one place only there is no line: one bar a result.
  bool hasBars() const;
  std::vector<ShownSeries> series_;
  bench::Kind kind_ = bench::Kind::Latency;
  double place_ = 128;
};

/// How the measurements of one place are distributed: shares against times, or for rates the single
/// repeats.
class SpreadPlot : public BenchPlot {
  Q_OBJECT

 public:
  explicit SpreadPlot(QWidget* parent = nullptr);
  void setSeries(std::vector<ShownSeries> series, bench::Kind kind, double place);

 protected:
  void draw(const theme::Palette& palette) override;

 private:
  /// Of rates there are only repeats.
  bool hasDistribution() const;
  void drawDistribution(const theme::Palette& palette);
  void drawRepeats(const theme::Palette& palette);
  std::vector<ShownSeries> series_;
  bench::Kind kind_ = bench::Kind::Latency;
  double place_ = 128;
};

}  // namespace tutti::monitor
