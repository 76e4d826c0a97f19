// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>
#include <span>

namespace tutti::theme {

// How numbers are written everywhere. Not a number is "–"; zero is written; minus is U+2212; the
// gap before a prefix or unit is the narrow no-break space U+202F.

/// What stands for a value that does not exist.
QString noValue();

/// SI prefix of a rate: 10^(3 * step). -2 is micro, 0 none, 1 kilo, 2 mega, 3 giga.
struct SiPrefix {
  int step = 0;
  double factor() const;
  QString symbol() const;
  bool operator==(const SiPrefix&) const = default;
};

/// Three significant digits with its own prefix: "1.44 k", "118 k", "2.00 M", "0.40".
QString formatRate(double perSecond);
/// With a given prefix, so that a column compares by position: "0.30 k", "1.44 k".
QString formatRate(double perSecond, SiPrefix prefix);

/// One prefix for a column of rates. Changes up when the largest value reaches 1000 of the
/// current prefix, down when it falls below 900 of the smaller one, so it does not flicker.
class ColumnPrefix {
 public:
  /// The prefix for these values, or nullopt-like `shared() == false` when they span three
  /// decades or more and each value needs its own.
  SiPrefix update(std::span<const double> values);
  SiPrefix prefix() const { return prefix_; }
  bool shared() const { return shared_; }
  /// Formats with the shared prefix, or with the value's own.
  QString format(double perSecond) const;

 private:
  SiPrefix prefix_;
  bool shared_ = true;
};

/// Decimals that logical times need so that the smallest lookahead or step (seconds) is visible:
/// 0.1 -> 2, 1 -> 1, 0.02 -> 2. At least 1, at most 9.
int timeDecimals(double smallestStep);
/// Logical time with fixed decimals, no unit: "128.40".
QString formatTime(double seconds, int decimals);

/// A duration with the unit that fits: "0.60 µs", "4.2 s", "31 min", "2 h 05 min".
QString formatDuration(double seconds);
/// Time since a start: "00:12:41"; over a day "1 d 02:00:05".
QString formatElapsed(double seconds);
/// "12 s ago", "3 min ago"; under a second "now".
QString formatAge(double seconds);
/// Local wall clock of a log line: "14:02:28.914".
QString formatClock(const QDateTime& time);
/// The same with date and UTC, for tooltips: "2026-11-19 14:02:28.914, 13:02:28.914 UTC".
QString formatClockLong(const QDateTime& time);
/// A moment at hand, past or planned: "15:35", on another day than `now` "25 Nov 15:35".
QString formatMoment(const QDateTime& time, const QDateTime& now);
/// When something was last done, as people say it: "14:20", "Yesterday 17:20", "18 Nov 2026".
QString formatWhen(const QDateTime& time, const QDateTime& now);

/// Memory, disk and network amounts in powers of ten: "312 B", "2.1 MB", "15.6 GB".
QString formatBytes(double bytes);
/// Message sizes in powers of two: "128 B", "1 KiB", "1.5 MiB".
QString formatMessageSize(double bytes);

/// A share of one: 0.36 -> "36 %". Below 1 % with one decimal.
QString formatPercent(double fraction);
/// "2.2 ×".
QString formatRatio(double ratio);
/// Grouped by thousands with narrow spaces: "1 000 000".
QString formatCount(qint64 count);
/// Fixed decimals with U+2212 for minus and, when asked, an explicit plus.
QString formatFixed(double value, int decimals, bool plus = false);
/// "1 federate", "5 federates": the count and its noun.
QString formatNoun(qint64 count, const QString& singular, const QString& plural);

}  // namespace tutti::theme
