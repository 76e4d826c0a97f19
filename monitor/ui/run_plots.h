// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <map>
#include <optional>
#include <vector>

#include "monitor/ui/bench_plots.h"
#include "monitor/ui/run_series.h"

class QLabel;
class QPushButton;

namespace tutti::theme {
class SegmentedControl;
}

namespace tutti::monitor {

/// One quantity of up to eight federates against the time of day.
class QuantityPlot : public BenchPlot {
  Q_OBJECT

 public:
  explicit QuantityPlot(RunQuantity quantity, QWidget* parent = nullptr);

  struct Line {
    QString federate;
    int color = 0;  ///< 0 to 7
    std::vector<RunSeries::Point> points;
  };
  /// `from` and `to`: s since the epoch.
  void setLines(std::vector<Line> lines, double from, double to);
  /// A line at that moment, and the values there above the plot; nothing: none.
  void setCursor(std::optional<double> at);
  /// "flow-north 200, radar 8.00": the values at the cursor.
  QString valuesAtCursor() const;

 Q_SIGNALS:
  /// The pointer is at that moment, or has left.
  void pointed(std::optional<double> at);

 protected:
  void draw(const theme::Palette& palette) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void note();

  RunQuantity quantity_;
  std::vector<Line> lines_;
  double from_ = 0;
  double to_ = 1;
  std::optional<double> cursor_;
};

/// What the federates of a run sent, received and took of the processors over the last minutes: the
/// selected one, or the eight busiest. The three plots have one time axis and one cursor. Pausing
/// them holds the picture and nothing else: what happens meanwhile is there when they go on.
class RunPlots : public QWidget {
  Q_OBJECT

 public:
  explicit RunPlots(QWidget* parent = nullptr);

  /// To be called twice a second, also while this is not seen. `now`: s since the epoch.
  void setSnapshot(const Snapshot& snapshot, double now);
  void clear();
  /// Empty: the busiest.
  void setFederate(const QString& federate);
  void setPaused(bool paused);
  bool isPaused() const { return paused_; }
  const RunSeries& series() const { return series_; }
  const std::vector<QuantityPlot*>& plots() const { return plots_; }
  /// Draws all of it for paper.
  void renderLight(QPainter& painter, QSize size);
  QSize fullSize() const;
  /// "time,federate,sent_per_s,received_per_s,processor", one line a value of all federates, of the
  /// whole time that is kept.
  QString csv() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void showLines();
  void moveCursor(std::optional<double> at);
  double seconds() const;
  int colorOf(const QString& federate, const std::vector<QString>& shown);

  RunSeries series_;
  QString federate_;
  bool paused_ = false;
  double pausedAt_ = 0;
  std::optional<double> cursor_;
  std::map<QString, int> colors_;
  std::vector<QuantityPlot*> plots_;
  theme::SegmentedControl* window_;
  QPushButton* pause_;
  QLabel* what_;
  QWidget* key_;
};

}  // namespace tutti::monitor
