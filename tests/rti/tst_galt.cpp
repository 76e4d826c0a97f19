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
      const TimeBound through{integers.keyAfter(galt.key, all[j].lookahead),
                              galt.exclusive || strict};
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
      v.advance = static_cast<TimeAdvance>(pick(5));
      v.lookahead = pick(3);
      v.logical = integers.key(pick(6));
      v.requested = integers.key(integers.bits(v.logical) + pick(5));
      v.exclusive = v.lookahead == 0 && v.advance == TimeAdvance::None && pick(2) == 0;
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
      v.advance = static_cast<TimeAdvance>(pick(5));
      v.lookahead = pick(3);
      v.logical = integers.key(pick(6));
      v.requested = integers.key(integers.bits(v.logical) + pick(5));
    }
    QVERIFY(!(tutti::core::greatestAvailable(others, nullptr, integers) <
              tutti::core::conservativeAvailable(others, integers)));
  }
}

QTEST_GUILESS_MAIN(tst_galt)
#include "tst_galt.moc"
