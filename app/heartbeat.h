// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <array>

namespace tutti::app {

/// Measures how long the window's event loop stays away: a timer that should fire every 16 ms
/// notes by how much each tick was late. What the operator feels as stutter shows here as a number.
class Heartbeat : public QObject {
  Q_OBJECT
 public:
  static constexpr int kPeriodMs = 16;

  explicit Heartbeat(QObject* parent = nullptr);

  /// Lateness (ms) that `share` of the ticks since the last reset, at most 8192, stayed below.
  double percentile(double share) const;
  double largest() const { return largest_; }
  /// How many of the ticks since the last reset, at most 8192, were later than so many ms.
  int countOver(double milliseconds) const;
  int ticks() const { return ticks_; }
  void reset();

 Q_SIGNALS:
  /// Twice a second: the worst gap (ms) since the last report.
  void reported(double worstGapMs);

 private:
  void tick();

  QTimer timer_;
  QElapsedTimer since_;
  QElapsedTimer report_;
  std::array<float, 8192> gaps_{};
  int ticks_ = 0;
  double largest_ = 0;
  double worst_ = 0;
};

}  // namespace tutti::app
