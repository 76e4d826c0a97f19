// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

/// What the marks on the page "Run" mean, beside what they explain.
namespace tutti::monitor {

/// Explains pies and link widths, or heat cells. Says as much as there is room for.
class TopologyLegend : public QWidget {
  Q_OBJECT

 public:
  explicit TopologyLegend(QWidget* parent = nullptr);
  /// Heat cells instead of pies and links.
  void setGrouped(bool grouped);
  /// Whether there is a federate of a host that does not answer.
  void setOutOfReach(bool any);
  /// So many links between hosts carry data and have no line.
  void setLinksLeft(qsizetype links);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {0, height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  /// Draws it, or only measures it where there is no painter; returns the width.
  int explainCells(QPainter* painter) const;
  int explainLinks(QPainter* painter) const;
  template <class Line>
  void explainLeft(Line& line) const;

  bool grouped_ = false;
  bool outOfReach_ = false;
  qsizetype linksLeft_ = 0;
};

/// Explains the marks of the time axis.
class TimeLegend : public QWidget {
  Q_OBJECT

 public:
  explicit TimeLegend(QWidget* parent = nullptr);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace tutti::monitor
