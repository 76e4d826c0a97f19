// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of federates that an operator has resign, also when their execution is restored
// meanwhile.
#include <QtTest>

#include "executive/operated_resigns.h"

using tutti::executive::OperatedResigns;
using tutti::fabric::ResignState;

class tst_resign_progress : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    resigns_ = {};
    resigns_.begin("air", 7,
                   {{3, "radar", ResignState::Awaited, {}}, {4, "log", ResignState::Awaited, {}}});
  }

  void anotherExecutionOfTheNameIsNotMeant() {
    resigns_.note("air", 8, 3, ResignState::Resigned);
    QCOMPARE(state(0), ResignState::Awaited);
    resigns_.note("air", 7, 3, ResignState::Resigned);
    QCOMPARE(state(0), ResignState::Resigned);
    resigns_.note("air", 7, 3, ResignState::Lost);
    QCOMPARE(state(0), ResignState::Resigned);
  }

  void theRestoredOneIs() {
    // Of the numbers of before the restore one is another's now.
    resigns_.restored("air", 7, 9, {{3, 4, "radar"}, {4, 5, "log"}});
    resigns_.note("air", 9, 4, ResignState::Resigned);
    QCOMPARE(state(0), ResignState::Resigned);
    QCOMPARE(state(1), ResignState::Awaited);
    resigns_.note("air", 9, 5, ResignState::Lost);
    QCOMPARE(state(1), ResignState::Lost);
  }

  void whoLeftBeforeTheRestoreIsNobody() {
    resigns_.note("air", 7, 3, ResignState::Refused, "owns attributes");
    resigns_.restored("air", 7, 9, {{4, 3, "log"}});
    resigns_.note("air", 9, 3, ResignState::Resigned);
    QCOMPARE(state(0), ResignState::Refused);
    QCOMPARE(state(1), ResignState::Resigned);
  }

 private:
  ResignState state(std::size_t part) const { return resigns_.of("air").parts.at(part).state; }

  OperatedResigns resigns_;
};

QTEST_GUILESS_MAIN(tst_resign_progress)
#include "tst_resign_progress.moc"
