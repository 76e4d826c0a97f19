// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as VISUAL's section "Numbers" wants them; "~" stands for the narrow no-break space.
#include <QTest>
#include <QTimeZone>
#include <cmath>
#include <limits>

#include "resources/theme/format.h"

using namespace tutti::theme;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

QString spaced(const char* text) {
  return QString::fromUtf8(text).replace(u'~', QChar(0x202F)).replace(u'_', QChar(0x2212));
}

}  // namespace

class FormatTest : public QObject {
  Q_OBJECT

  static void rows(std::initializer_list<std::pair<double, const char*>> list) {
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    for (const auto& [value, text] : list)
      QTest::newRow(qPrintable(QString::number(value, 'g', 12))) << value << spaced(text);
  }

 private Q_SLOTS:
  void rate_data() {
    rows({{0, "0"},
          {0.4, "0.40"},
          {9.994, "9.99"},
          {9.996, "10.0"},
          {12, "12.0"},
          {99.96, "100"},
          {826, "826"},
          {999.4, "999"},
          {999.6, "1.00~k"},
          {1440, "1.44~k"},
          {118000, "118~k"},
          {2e6, "2.00~M"},
          {-1440, "_1.44~k"},
          {kNan, "–"},
          {std::numeric_limits<double>::infinity(), "–"}});
  }
  void rate() {
    QFETCH(double, value);
    QTEST(formatRate(value), "text");
  }

  void rateWithColumnPrefix() {
    QCOMPARE(formatRate(300, SiPrefix{1}), spaced("0.30~k"));
    QCOMPARE(formatRate(0, SiPrefix{1}), spaced("0.00~k"));
  }

  void columnPrefixChangesUpAt1000AndDownAt900() {
    ColumnPrefix column;
    const auto largest = [&column](double value) {
      const double values[]{value, value / 10};
      return column.update(values).step;
    };
    QCOMPARE(largest(999), 0);
    QCOMPARE(largest(1000), 1);
    QCOMPARE(largest(950), 1);
    QCOMPARE(largest(900), 1);
    QCOMPARE(largest(899), 0);
    QCOMPARE(largest(2e6), 2);
    QCOMPARE(largest(950e3), 2);
    QCOMPARE(largest(10), 0);
  }

  void columnWithoutValuesKeepsItsPrefix() {
    ColumnPrefix column;
    const double busy[]{5000, 700};
    column.update(busy);
    const double silent[]{0, kNan};
    QCOMPARE(column.update(silent).step, 1);
    QCOMPARE(column.format(0), spaced("0.00~k"));
  }

  void columnOverThreeDecadesGivesEachItsOwnPrefix() {
    ColumnPrefix column;
    const double wide[]{118000, 20};
    column.update(wide);
    QVERIFY(!column.shared());
    QCOMPARE(column.format(118000), spaced("118~k"));
    QCOMPARE(column.format(20), QStringLiteral("20.0"));
  }

  void duration_data() {
    rows({{0, "0~s"},
          {6e-7, "0.60~µs"},
          {9.48e-6, "9.48~µs"},
          {0.0005, "500~µs"},
          {0.0144, "14.4~ms"},
          {0.9996, "1.0~s"},
          {4.2, "4.2~s"},
          {104, "104~s"},
          {1860, "31~min"},
          {7500, "2~h~05~min"},
          {5e-8, "50.0~ns"},
          {kNan, "–"}});
  }
  void duration() {
    QFETCH(double, value);
    QTEST(formatDuration(value), "text");
  }

  void elapsed_data() {
    rows({{0, "00:00:00"},
          {761.9, "00:12:41"},
          {86399, "23:59:59"},
          {93605, "1~d 02:00:05"},
          {kNan, "–"}});
  }
  void elapsed() {
    QFETCH(double, value);
    QTEST(formatElapsed(value), "text");
  }

  void age_data() {
    rows({{0.4, "now"},
          {12.9, "12~s ago"},
          {119, "119~s ago"},
          {180, "3~min ago"},
          {7200, "2~h ago"},
          {172800, "2~d ago"},
          {kNan, "–"}});
  }
  void age() {
    QFETCH(double, value);
    QTEST(formatAge(value), "text");
  }

  void bytes_data() {
    rows({{0, "0~B"},
          {312, "312~B"},
          {2.1e6, "2.1~MB"},
          {412e6, "412~MB"},
          {15.6e9, "15.6~GB"},
          {999.6, "1.0~kB"},
          {kNan, "–"}});
  }
  void bytes() {
    QFETCH(double, value);
    QTEST(formatBytes(value), "text");
  }

  void messageSize_data() {
    rows({{128, "128~B"}, {1024, "1~KiB"}, {1536, "1.5~KiB"}, {1048576, "1~MiB"}});
  }
  void messageSize() {
    QFETCH(double, value);
    QTEST(formatMessageSize(value), "text");
  }

  void percent_data() {
    rows({{0, "0~%"},
          {0.004, "0.4~%"},
          {0.36, "36~%"},
          {1, "100~%"},
          {-0.155, "_16~%"},
          {kNan, "–"}});
  }
  void percent() {
    QFETCH(double, value);
    QTEST(formatPercent(value), "text");
  }

  void ratio_data() { rows({{2.2, "2.2~×"}, {0.72, "0.72~×"}, {34.14, "34.1~×"}, {250, "250~×"}}); }
  void ratio() {
    QFETCH(double, value);
    QTEST(formatRatio(value), "text");
  }

  void fixedNeverShowsNegativeZero() {
    QCOMPARE(formatFixed(-0.001, 2), QStringLiteral("0.00"));
    QCOMPARE(formatFixed(-15.5, 1), spaced("_15.5"));
    QCOMPARE(formatFixed(15.5, 1, true), QStringLiteral("+15.5"));
  }

  void count() {
    QCOMPARE(formatCount(999), QStringLiteral("999"));
    QCOMPARE(formatCount(1000000), spaced("1~000~000"));
    QCOMPARE(formatCount(-2041), spaced("_2~041"));
    QCOMPARE(formatNoun(1, "federate", "federates"), QStringLiteral("1 federate"));
    QCOMPARE(formatNoun(0, "federate", "federates"), QStringLiteral("0 federates"));
  }

  void logicalTimeDecimalsFollowTheSmallestStep_data() {
    QTest::addColumn<double>("step");
    QTest::addColumn<int>("decimals");
    QTest::newRow("none known") << 0.0 << 2;
    QTest::newRow("1 s") << 1.0 << 1;
    QTest::newRow("0.1 s") << 0.1 << 2;
    QTest::newRow("0.02 s") << 0.02 << 2;
    QTest::newRow("1 ms") << 0.001 << 3;
    QTest::newRow("1 ns") << 1e-9 << 9;
  }
  void logicalTimeDecimalsFollowTheSmallestStep() {
    QFETCH(double, step);
    QTEST(timeDecimals(step), "decimals");
  }

  void when() {
    const QDateTime now(QDate(2026, 11, 19), QTime(14, 30));
    QCOMPARE(formatWhen(QDateTime(QDate(2026, 11, 19), QTime(14, 20)), now),
             QStringLiteral("14:20"));
    QCOMPARE(formatWhen(QDateTime(QDate(2026, 11, 18), QTime(17, 20)), now),
             QStringLiteral("Yesterday 17:20"));
    QCOMPARE(formatWhen(QDateTime(QDate(2026, 11, 16), QTime(17, 20)), now),
             QStringLiteral("16 Nov 2026"));
    QCOMPARE(formatWhen(QDateTime(), now), QStringLiteral("–"));
    QCOMPARE(formatMoment(QDateTime(QDate(2026, 11, 19), QTime(23, 5)), now),
             QStringLiteral("23:05"));
    QCOMPARE(formatMoment(QDateTime(QDate(2026, 11, 20), QTime(7, 30)), now),
             QStringLiteral("20 Nov 07:30"));
    QCOMPARE(formatMoment(QDateTime(), now), QStringLiteral("–"));
  }

  void clockOfALogLine() {
    const QDateTime time(QDate(2026, 11, 19), QTime(14, 2, 28, 914));
    QCOMPARE(formatClock(time), QStringLiteral("14:02:28.914"));
    QVERIFY(formatClockLong(time).startsWith(QStringLiteral("2026-11-19 14:02:28.914, ")));
    QVERIFY(formatClockLong(time).endsWith(QStringLiteral(" UTC")));
  }
};

QTEST_GUILESS_MAIN(FormatTest)
#include "tst_format.moc"
