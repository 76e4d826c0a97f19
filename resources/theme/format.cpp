// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/theme/format.h"

#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>

namespace tutti::theme {

namespace {

constexpr QChar kGap(0x202F);
constexpr QChar kMinus(0x2212);

constexpr int kLowestStep = -3;
constexpr int kHighestStep = 5;

/// Decimals that give three significant digits: 1.44, 14.4, 144.
int decimalsFor(double magnitude) {
  if (magnitude >= 99.95) return 0;
  if (magnitude >= 9.995) return 1;
  return 2;
}

SiPrefix prefixFor(double magnitude) {
  SiPrefix prefix;
  if (magnitude <= 0 || !std::isfinite(magnitude)) return prefix;
  // 999.6 rounds to 1000: it already reads better as 1.00 k.
  while (prefix.step < kHighestStep && magnitude / prefix.factor() >= 999.5) ++prefix.step;
  return prefix;
}

QString withUnit(const QString& number, const QString& unit) { return number + kGap + unit; }

}  // namespace

QString noValue() { return QStringLiteral("–"); }

double SiPrefix::factor() const { return std::pow(1000.0, step); }

QString SiPrefix::symbol() const {
  static const std::array<QString, 9> kSymbols{
      QStringLiteral("n"), QStringLiteral("µ"), QStringLiteral("m"),
      QString(),           QStringLiteral("k"), QStringLiteral("M"),
      QStringLiteral("G"), QStringLiteral("T"), QStringLiteral("P")};
  return kSymbols[static_cast<std::size_t>(std::clamp(step, kLowestStep, kHighestStep) -
                                           kLowestStep)];
}

QString formatFixed(double value, int decimals, bool plus) {
  if (!std::isfinite(value)) return noValue();
  QString text = QString::number(std::abs(value), 'f', decimals);
  const bool isZero =
      std::none_of(text.begin(), text.end(), [](QChar c) { return c >= u'1' && c <= u'9'; });
  if (value < 0 && !isZero) text.prepend(kMinus);
  if (value > 0 && plus && !isZero) text.prepend(u'+');
  return text;
}

QString formatRate(double perSecond) {
  if (!std::isfinite(perSecond)) return noValue();
  const double magnitude = std::abs(perSecond);
  const SiPrefix prefix = prefixFor(magnitude);
  if (magnitude == 0) return QStringLiteral("0");
  const double scaled = perSecond / prefix.factor();
  const QString number = formatFixed(scaled, decimalsFor(std::abs(scaled)));
  return prefix.step == 0 ? number : withUnit(number, prefix.symbol());
}

QString formatRate(double perSecond, SiPrefix prefix) {
  if (!std::isfinite(perSecond)) return noValue();
  const double scaled = perSecond / prefix.factor();
  const QString number = formatFixed(scaled, decimalsFor(std::abs(scaled)));
  return prefix.step == 0 ? number : withUnit(number, prefix.symbol());
}

SiPrefix ColumnPrefix::update(std::span<const double> values) {
  double largest = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (const double value : values) {
    const double magnitude = std::abs(value);
    if (!std::isfinite(magnitude) || magnitude == 0) continue;
    largest = std::max(largest, magnitude);
    smallest = std::min(smallest, magnitude);
  }
  if (largest == 0) return prefix_;
  shared_ = largest / smallest < 1000;
  while (prefix_.step < kHighestStep && largest >= 1000 * prefix_.factor()) ++prefix_.step;
  while (prefix_.step > 0 && largest < 900 * SiPrefix{prefix_.step - 1}.factor()) --prefix_.step;
  return prefix_;
}

QString ColumnPrefix::format(double perSecond) const {
  return shared_ ? formatRate(perSecond, prefix_) : formatRate(perSecond);
}

int timeDecimals(double smallestStep) {
  if (!std::isfinite(smallestStep) || smallestStep <= 0) return 2;
  for (int decimals = 1; decimals < 9; ++decimals) {
    const double scaled = smallestStep * std::pow(10.0, decimals);
    // Enough when the step itself is written exactly; one more for steps below one, so that half
    // a step can be told as well.
    if (scaled >= 0.999 && std::abs(scaled - std::round(scaled)) < 1e-6 * scaled)
      return smallestStep < 1 ? std::max(decimals, 2) : decimals;
  }
  return 9;
}

QString formatTime(double seconds, int decimals) { return formatFixed(seconds, decimals); }

QString formatDuration(double seconds) {
  if (!std::isfinite(seconds)) return noValue();
  const double magnitude = std::abs(seconds);
  if (magnitude == 0) return withUnit(QStringLiteral("0"), QStringLiteral("s"));
  struct Unit {
    double below;
    double factor;
    const char16_t* name;
  };
  static constexpr std::array kUnits{Unit{1e-7, 1e9, u"ns"}, Unit{0.9995e-3, 1e6, u"µs"},
                                     Unit{0.9995, 1e3, u"ms"}};
  for (const Unit& unit : kUnits) {
    if (magnitude >= unit.below) continue;
    const double scaled = seconds * unit.factor;
    return withUnit(formatFixed(scaled, decimalsFor(std::abs(scaled))),
                    QString::fromUtf16(unit.name));
  }
  if (magnitude < 99.95) return withUnit(formatFixed(seconds, 1), QStringLiteral("s"));
  if (magnitude < 120) return withUnit(formatFixed(seconds, 0), QStringLiteral("s"));
  const auto minutes = static_cast<qint64>(std::llround(magnitude / 60));
  if (minutes < 120) return withUnit(QString::number(minutes), QStringLiteral("min"));
  return withUnit(QString::number(minutes / 60), QStringLiteral("h")) + kGap +
         withUnit(QStringLiteral("%1").arg(minutes % 60, 2, 10, QLatin1Char('0')),
                  QStringLiteral("min"));
}

QString formatElapsed(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return noValue();
  const auto whole = static_cast<qint64>(seconds);
  const QString clock = QStringLiteral("%1:%2:%3")
                            .arg(whole / 3600 % 24, 2, 10, QLatin1Char('0'))
                            .arg(whole / 60 % 60, 2, 10, QLatin1Char('0'))
                            .arg(whole % 60, 2, 10, QLatin1Char('0'));
  const qint64 days = whole / 86400;
  return days > 0 ? withUnit(QString::number(days), QStringLiteral("d")) + u' ' + clock : clock;
}

QString formatAge(double seconds) {
  if (!std::isfinite(seconds)) return noValue();
  if (seconds < 1) return QStringLiteral("now");
  const auto whole = static_cast<qint64>(seconds);
  QString amount;
  if (whole < 120)
    amount = withUnit(QString::number(whole), QStringLiteral("s"));
  else if (whole < 7200)
    amount = withUnit(QString::number(whole / 60), QStringLiteral("min"));
  else if (whole < 172800)
    amount = withUnit(QString::number(whole / 3600), QStringLiteral("h"));
  else
    amount = withUnit(QString::number(whole / 86400), QStringLiteral("d"));
  return amount + QStringLiteral(" ago");
}

QString formatClock(const QDateTime& time) {
  return time.isValid() ? time.toLocalTime().toString(QStringLiteral("HH:mm:ss.zzz")) : noValue();
}

QString formatClockLong(const QDateTime& time) {
  if (!time.isValid()) return noValue();
  return time.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz")) +
         time.toUTC().toString(QStringLiteral("', 'HH:mm:ss.zzz' UTC'"));
}

QString formatMoment(const QDateTime& time, const QDateTime& now) {
  if (!time.isValid()) return noValue();
  const QDateTime local = time.toLocalTime();
  const bool today = local.date() == now.toLocalTime().date();
  return QLocale::c().toString(local,
                               today ? QStringLiteral("HH:mm") : QStringLiteral("d MMM HH:mm"));
}

QString formatWhen(const QDateTime& time, const QDateTime& now) {
  if (!time.isValid()) return noValue();
  const QDateTime local = time.toLocalTime();
  const qint64 days = local.date().daysTo(now.toLocalTime().date());
  const QString clock = local.toString(QStringLiteral("HH:mm"));
  if (days == 0) return clock;
  if (days == 1) return QStringLiteral("Yesterday ") + clock;
  return QLocale::c().toString(local.date(), QStringLiteral("d MMM yyyy"));
}

QString formatBytes(double bytes) {
  if (!std::isfinite(bytes)) return noValue();
  static const std::array<QString, 5> kUnits{QStringLiteral("B"), QStringLiteral("kB"),
                                             QStringLiteral("MB"), QStringLiteral("GB"),
                                             QStringLiteral("TB")};
  std::size_t unit = 0;
  double value = bytes;
  while (unit + 1 < kUnits.size() && std::abs(value) >= 999.5) {
    value /= 1000;
    ++unit;
  }
  const int decimals = unit == 0 || std::abs(value) >= 99.95 ? 0 : 1;
  return withUnit(formatFixed(value, decimals), kUnits[unit]);
}

QString formatMessageSize(double bytes) {
  if (!std::isfinite(bytes)) return noValue();
  static const std::array<QString, 4> kUnits{QStringLiteral("B"), QStringLiteral("KiB"),
                                             QStringLiteral("MiB"), QStringLiteral("GiB")};
  std::size_t unit = 0;
  double value = bytes;
  while (unit + 1 < kUnits.size() && std::abs(value) >= 1024) {
    value /= 1024;
    ++unit;
  }
  const bool whole = std::abs(value - std::round(value)) < 0.05;
  return withUnit(formatFixed(value, whole ? 0 : 1), kUnits[unit]);
}

QString formatPercent(double fraction) {
  if (!std::isfinite(fraction)) return noValue();
  const double percent = fraction * 100;
  const bool small = percent != 0 && std::abs(percent) < 0.95;
  return withUnit(formatFixed(percent, small ? 1 : 0), QStringLiteral("%"));
}

QString formatRatio(double ratio) {
  if (!std::isfinite(ratio)) return noValue();
  const double magnitude = std::abs(ratio);
  const int decimals = magnitude >= 99.95 ? 0 : magnitude < 0.995 ? 2 : 1;
  return withUnit(formatFixed(ratio, decimals), QStringLiteral("×"));
}

QString formatCount(qint64 count) {
  QString digits = QString::number(count < 0 ? -count : count);
  for (qsizetype at = digits.size() - 3; at > 0; at -= 3) digits.insert(at, kGap);
  if (count < 0) digits.prepend(kMinus);
  return digits;
}

QString formatNoun(qint64 count, const QString& singular, const QString& plural) {
  return formatCount(count) + u' ' + (count == 1 ? singular : plural);
}

}  // namespace tutti::theme
