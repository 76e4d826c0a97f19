// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractScrollArea>

#include "monitor/engine/snapshot.h"
#include "resources/theme/theme.h"

namespace tutti::monitor {

/// Logical time of every time-managed federate on one axis: granted (square), requested (triangle),
/// lookahead (bar), GALT (tick) and the least stamp in its queue (triangle). The one that holds the
/// others is marked, and says until where. The range moves in whole steps, so that it stands still
/// between them.
class TimeAxis : public QAbstractScrollArea {
  Q_OBJECT

 public:
  /// Of one federate; 19 px, or more where rows are large.
  static int rowHeight();
  static constexpr int axisHeight = 20;

  explicit TimeAxis(QWidget* parent = nullptr);
  void setSnapshot(const SnapshotPointer& snapshot);
  void select(const QString& federate);
  /// Everything, not only what is scrolled into view.
  void renderAll(QPainter& painter, const QSize& size, const theme::Palette& palette) const;
  QSize fullSize() const;
  QSize sizeHint() const override { return {600, 170}; }

  /// Part of a row, from and to which x.
  struct Span {
    double from = 0;
    double to = 0;
    double length() const { return to - from; }
  };
  /// Where between `left` and `right` a sentence of that length stands without covering a mark:
  /// right of all marks where there is room, else left of them, else in the widest gap, cut.
  static Span notePlace(std::vector<Span> marks, double length, double left, double right);

  /// The range shown, for tests.
  double from() const { return from_; }
  double to() const { return to_; }

 signals:
  void federateSelected(const QString& federate);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  struct Row {
    QString name;
    FederateCondition condition = FederateCondition::Running;
    TimeReading time;
    std::optional<double> galt;
    bool holds = false;
    QString note;
  };
  void updateRange();
  void updateScroll();
  double xOf(double time, int width) const;
  void paintRow(QPainter& painter, const Row& row, int top, int width,
                const theme::Palette& palette) const;
  void paintAxis(QPainter& painter, int top, int width, int gridTop,
                 const theme::Palette& palette) const;

  std::vector<Row> rows_;
  QString selected_;
  double from_ = 0;
  double to_ = 1;
  double step_ = 0.2;
  int decimals_ = 2;
  bool stale_ = false;
};

}  // namespace tutti::monitor
