// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "monitor/ui/topology_items.h"
#include "resources/theme/state.h"

namespace tutti::monitor {

/// A host, and in it the bar of its RTI node.
class HostItem : public BoxItem {
 public:
  static constexpr double headerHeight = 44;
  static constexpr double barTop = 54;
  static constexpr double barHeight = 30;
  explicit HostItem(const QString& name) : BoxItem(name, {312, 200}) {}

  /// Its federates: those that are joined, and those of the run.
  struct Federates {
    int joined = 0;
    int expected = 0;
  };
  /// Gauges now, texts only when `text`. `isExecutive`: its RTI node decides, and there are others.
  void setView(const HostView& view, Federates federates, bool isExecutive, bool text);
  QRectF barRect() const { return {12, barTop, size().width() - 24, barHeight}; }
  int type() const override { return UserType + 2; }
  /// What stands in the box beside its federates, for tests and a reader of the canvas.
  QStringList texts() const;

 protected:
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  /// Cores, their use, and memory.
  void setFigures(const HostView& view);
  void setTexts(const HostView& view, Federates federates);
  void paintHeader(QPainter& painter, double growth, const theme::Palette& palette) const;
  void paintBar(QPainter& painter, double growth, const theme::Palette& palette) const;

  double user_ = unknown;
  double system_ = unknown;
  double nodeCpu_ = unknown;
  bool executive_ = false;
  HostReach reach_ = HostReach::Here;
  bool nodeEnded_ = false;
  QString caption_;
  QString status_;  ///< "unreachable 4 s"; empty: nothing is wrong
  QString second_;  ///< below it: "lost in 11 s"
  QString memory_;
  QStringList bar_;   ///< in full, and shorter for where there is less room
  QStringList foot_;  ///< likewise
};

/// State of a host that a person sees: its frame, its icon.
theme::State stateOf(HostReach reach);

}  // namespace tutti::monitor
