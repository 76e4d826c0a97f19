// SPDX-License-Identifier: GPL-3.0-or-later
// GALT against a plain relaxation of its definition, over random sets of federates.
#include <QtTest>
#include <random>

#include "core/galt.h"

using tutti::core::TimeBound;
using tutti::core::TimeKind;
using tutti::core::TimeView;
using tutti::fabric::TimeAdvance;

namespace {

constexpr TimeKind integers{true};

// What a federate has promised for ever: it sends nothing before its time plus lookahead, nor
// before what a longer lookahead once promised.
TimeBound promised(const TimeView& v) {
  const TimeBound granted{integers.keyAfter(v.logical, v.lookahead),
                          v.exclusive && v.lookahead == 0};
  return std::max(granted, v.floor);
}

bool asksForNext(const TimeView& v) {
  return v.advance == TimeAdvance::NextMessageRequest ||
         v.advance == TimeAdvance::NextMessageRequestAvailable;
}

// Lowers all bounds from infinity-by-own until nothing changes: the greatest fixed point.
std::vector<TimeBound> relaxed(const std::vector<TimeView>& all) {
  std::vector<TimeBound> bound;
  for (const TimeView& v : all) bound.push_back(tutti::core::ownBound(v, integers));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (!all[j].regulating || !all[j].constrained || !asksForNext(all[j])) continue;
      TimeBound galt = TimeBound::none();
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (k != j) galt = std::min(galt, bound[k]);
      }
      if (galt.isNone()) continue;
      const bool strict =
          all[j].lookahead == 0 && all[j].advance == TimeAdvance::NextMessageRequest;
      const TimeBound through = std::max(
          promised(all[j]),
          TimeBound{integers.keyAfter(galt.key, all[j].lookahead), galt.exclusive || strict});
      if (through < bound[j]) {
        bound[j] = through;
        changed = true;
      }
    }
  }
  return bound;
}

}  // namespace

class tst_galt : public QObject {
  Q_OBJECT
 private slots:
  void keysKeepTheOrderOfTimes();
  void equalsTheRelaxation();
  void conservativeIsNeverLater();
  void flushIsBoundByWhatWasPromised();
  void regulationStartsAsEarlyAsIsLegal_data();
  void regulationStartsAsEarlyAsIsLegal();
};

void tst_galt::keysKeepTheOrderOfTimes() {
  const TimeKind doubles{false};
  const std::vector<double> times{-1e300, -1.5, -0.0, 0.0, 1e-300, 0.1, 1.0, 1e300};
  for (double a : times) {
    for (double b : times) {
      const auto ka = doubles.key(std::bit_cast<std::uint64_t>(a));
      const auto kb = doubles.key(std::bit_cast<std::uint64_t>(b));
      QCOMPARE(ka < kb, a < b);
      QCOMPARE(ka == kb, a == b);
    }
    QCOMPARE(std::bit_cast<double>(doubles.bits(doubles.key(std::bit_cast<std::uint64_t>(a)))), a);
  }
  const TimeKind whole{true};
  QVERIFY(whole.key(std::bit_cast<std::uint64_t>(std::int64_t{-5})) < whole.key(0));
  const auto last = std::bit_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  QCOMPARE(whole.add(last, 1), last);
}

void tst_galt::equalsTheRelaxation() {
  std::mt19937 random(20260101);
  const auto pick = [&](int n) { return static_cast<std::uint64_t>(random() % unsigned(n)); };
  for (int round = 0; round < 20000; ++round) {
    std::vector<TimeView> all(2 + pick(5));
    for (TimeView& v : all) {
      v.regulating = pick(5) != 0;
      v.constrained = pick(5) != 0;
      v.advance = static_cast<TimeAdvance>(pick(6));
      v.lookahead = pick(3);
      v.logical = integers.key(pick(6));
      v.requested = integers.key(integers.bits(v.logical) + pick(5));
      v.exclusive = v.lookahead == 0 && pick(2) == 0;
      if (pick(4) == 0) v.floor.key = integers.key(integers.bits(v.logical) + pick(5));
      if (pick(2) == 0) v.leastStamp = integers.key(integers.bits(v.logical) + pick(5));
    }
    const auto bound = relaxed(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      TimeBound expected = TimeBound::none();
      std::vector<TimeView> others;
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (k == i) continue;
        expected = std::min(expected, bound[k]);
        others.push_back(all[k]);
      }
      const TimeBound got = tutti::core::greatestAvailable(others, &all[i], integers);
      QVERIFY2(got == expected, qPrintable(QString("round %1 federate %2").arg(round).arg(i)));
    }
  }
}

void tst_galt::conservativeIsNeverLater() {
  std::mt19937 random(7);
  const auto pick = [&](int n) { return static_cast<std::uint64_t>(random() % unsigned(n)); };
  for (int round = 0; round < 5000; ++round) {
    std::vector<TimeView> others(1 + pick(5));
    for (TimeView& v : others) {
      v.regulating = true;
      v.constrained = true;
      v.advance = static_cast<TimeAdvance>(pick(6));
      v.lookahead = pick(3);
      v.logical = integers.key(pick(6));
      v.requested = integers.key(integers.bits(v.logical) + pick(5));
      if (pick(4) == 0) v.floor.key = integers.key(integers.bits(v.logical) + pick(5));
    }
    QVERIFY(!(tutti::core::greatestAvailable(others, nullptr, integers) <
              tutti::core::conservativeAvailable(others, integers)));
  }
}

// A flush may be granted at any time from the present one on: its request promises nothing.
void tst_galt::flushIsBoundByWhatWasPromised() {
  TimeView v;
  v.regulating = v.constrained = true;
  v.advance = TimeAdvance::FlushQueueRequest;
  v.logical = integers.key(5);
  v.requested = integers.key(50);
  v.lookahead = 2;
  v.leastStamp = integers.key(30);
  const TimeBound seven{integers.key(7), false};
  QCOMPARE(tutti::core::ownBound(v, integers) == seven, true);
  QCOMPARE(tutti::core::conservativeAvailable({&v, 1}, integers) == seven, true);
  QCOMPARE(tutti::core::greatestAvailable({&v, 1}, nullptr, integers) == seven, true);
}

void tst_galt::regulationStartsAsEarlyAsIsLegal_data() {
  QTest::addColumn<bool>("integer");
  QTest::addColumn<double>("from");
  QTest::addColumn<double>("lookahead");
  QTest::addColumn<double>("granted");
  QTest::addColumn<bool>("strict");  // by TAR or NMR
  QTest::addColumn<double>("start");
  QTest::newRow("nobody is ahead") << true << 3.0 << 1.0 << 4.0 << false << 3.0;
  QTest::newRow("a message at the granted time may come")
      << true << 0.0 << 3.0 << 10.0 << false << 7.0;
  QTest::newRow("none may come at the granted time") << true << 0.0 << 3.0 << 10.0 << true << 8.0;
  QTest::newRow("own time is later") << true << 9.0 << 3.0 << 10.0 << true << 9.0;
  QTest::newRow("no lookahead") << true << 0.0 << 0.0 << 10.0 << false << 10.0;
  QTest::newRow("no lookahead, strict") << true << 0.0 << 0.0 << 10.0 << true << 10.0;
  QTest::newRow("long lookahead") << true << 0.0 << 100.0 << 10.0 << true << 0.0;
  QTest::newRow("float") << false << 0.0 << 2.5 << 10.0 << false << 7.5;
  QTest::newRow("float, strict") << false << 0.0 << 2.5 << 10.0 << true << 7.5 + 0x1p-49;
  QTest::newRow("float, lookahead below its resolution")
      << false << 0.0 << 1e-30 << 10.0 << true << std::nextafter(10.0, 11.0);
}

void tst_galt::regulationStartsAsEarlyAsIsLegal() {
  QFETCH(bool, integer);
  QFETCH(double, from);
  QFETCH(double, lookahead);
  QFETCH(double, granted);
  QFETCH(bool, strict);
  QFETCH(double, start);
  const TimeKind kind{integer};
  const auto bits = [&](double value) {
    return integer ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                   : std::bit_cast<std::uint64_t>(value);
  };
  const auto got = tutti::core::regulationStart(kind.key(bits(from)), bits(lookahead),
                                                {kind.key(bits(granted)), strict}, kind);
  QVERIFY(got == kind.key(bits(start)));
}

QTEST_GUILESS_MAIN(tst_galt)
#include "tst_galt.moc"
