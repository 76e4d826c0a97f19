// SPDX-License-Identifier: GPL-3.0-or-later
// The pace of a federation: nobody is granted a time before it is due, whoever has set it and
// wherever the federates are. tst_pace has the rules with a clock of its own.
#include <RTI/time/HLAinteger64Interval.h>

#include <QElapsedTimer>
#include <QProcess>
#include <QtTest>
#include <limits>
#include <optional>

#include "observe/observer.h"
#include "recorder.h"

using namespace rti1516e;
using tutti::observe::Observer;

namespace {

/// Two federates that regulate and are constrained, and one who looks on.
struct Pair {
  explicit Pair(const QString& node, const QString& time = QStringLiteral("HLAfloat64Time"))
      : node_(node), federation(uniqueName("paced")), integer(time == "HLAinteger64Time") {
    for (Recorder* r : {&a, &b}) {
      r->enter(federation, HLA_EVOKED, time);
      if (integer) {
        r->rti().enableTimeRegulation(HLAinteger64Interval(1));
      } else {
        r->rti().enableTimeRegulation(HLAfloat64Interval(1.0));
      }
      r->rti().enableTimeConstrained();
    }
    ready = a.expect("regulating") && b.expect("regulating") && a.expect("constrained") &&
            b.expect("constrained");
    look();
    ready = ready && observer.has_value();
  }
  void look() {
    auto connected = Observer::connect(node_.toStdString());
    if (connected) observer.emplace(std::move(*connected));
  }
  void ask(Recorder& r, int to) {
    if (integer) {
      r.rti().timeAdvanceRequest(HLAinteger64Time(to));
    } else {
      r.rti().timeAdvanceRequest(HLAfloat64Time(to));
    }
  }
  bool setPace(double pace) {
    return observer->setPace(federation.toStdString(), pace).has_value();
  }
  double pace() {
    observer->refresh();
    for (const auto& each : observer->sample().federations) {
      if (each.name == federation.toStdString()) return each.pace;
    }
    return -1;
  }
  /// Longer than the node takes to look several times.
  void pumpForLong() {
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < 100) {
      a.pump();
      b.pump();
    }
  }
  int grants() const { return a.count("granted") + b.count("granted"); }

  QString node_;
  QString federation;
  bool integer;
  Recorder a{"a"};
  Recorder b{"b"};
  std::optional<Observer> observer;
  bool ready = false;
};

constexpr double slow = 0.001;

}  // namespace

class tst_kept_pace : public QObject {
  Q_OBJECT

  OwnNode node_;

 private slots:
  void nobodyIsGrantedBeforeItIsDue_data() {
    QTest::addColumn<QString>("time");
    QTest::newRow("float") << "HLAfloat64Time";
    QTest::newRow("integer") << "HLAinteger64Time";
  }
  void nobodyIsGrantedBeforeItIsDue() {
    QFETCH(QString, time);
    Pair pair(node_.name(), time);
    QVERIFY(pair.ready);
    constexpr double pace = 20;
    QVERIFY(pair.setPace(pace));
    QElapsedTimer clock;
    clock.start();
    for (int to = 1; to <= 20; ++to) {
      pair.ask(pair.a, to);
      pair.ask(pair.b, to);
      QVERIFY(pair.a.expect(QStringLiteral("granted %1").arg(to)));
      QVERIFY(pair.b.expect(QStringLiteral("granted %1").arg(to)));
      QVERIFY2(static_cast<double>(clock.nsecsElapsed()) * 1e-9 >= to / pace,
               qPrintable(QStringLiteral("%1 after %2 s")
                              .arg(to)
                              .arg(static_cast<double>(clock.nsecsElapsed()) * 1e-9)));
    }
  }

  void aPaceThatIsSetMeanwhileHoldsThoseWhoWait() {
    Pair pair(node_.name());
    QVERIFY(pair.ready);
    QCOMPARE(pair.pace(), 0.0);
    for (int to = 1; to <= 5; ++to) {
      for (Recorder* r : {&pair.a, &pair.b}) pair.ask(*r, to);
      for (Recorder* r : {&pair.a, &pair.b})
        QVERIFY(r->expect(QStringLiteral("granted %1").arg(to)));
    }
    QVERIFY(pair.setPace(slow));
    QCOMPARE(pair.pace(), slow);
    const int before = pair.grants();
    for (Recorder* r : {&pair.a, &pair.b}) pair.ask(*r, 7);
    pair.pumpForLong();
    QCOMPARE(pair.grants(), before);
    QVERIFY(pair.setPace(0));
    QVERIFY(pair.a.expect("granted 7"));
    QVERIFY(pair.b.expect("granted 7"));
  }

  void aSleeperIsWokenWhenItsTimeIsDue() {
    const QString federation = uniqueName("asleep");
    Recorder alone("alone");
    alone.enter(federation, HLA_IMMEDIATE);
    auto observer = Observer::connect(node_.name().toStdString());
    QVERIFY(observer.has_value());
    QElapsedTimer clock;
    clock.start();
    QVERIFY(observer->setPace(federation.toStdString(), 10).has_value());
    alone.rti().timeAdvanceRequest(HLAfloat64Time(5));
    QTRY_COMPARE(alone.count("granted 5"), 1);
    QVERIFY(clock.elapsed() >= 490);
  }

  void thePaceStaysWhenWhoSetItHasGone() {
    Pair pair(node_.name());
    QVERIFY(pair.ready);
    QVERIFY(pair.setPace(slow));
    pair.observer.reset();
    pair.ask(pair.a, 2);
    pair.ask(pair.b, 2);
    pair.pumpForLong();
    QCOMPARE(pair.grants(), 0);
    pair.look();
    QCOMPARE(pair.pace(), slow);
    QVERIFY(pair.setPace(0));
    QVERIFY(pair.a.expect("granted 2"));
  }

  void whoJoinsLaterKeepsItToo() {
    Pair pair(node_.name());
    QVERIFY(pair.ready);
    QVERIFY(pair.setPace(slow));
    // Wherever it is: with several nodes, on another one.
    std::vector<std::unique_ptr<Recorder>> late;
    for (const char* name : {"c", "d", "e"}) {
      late.push_back(std::make_unique<Recorder>(name));
      late.back()->enter(pair.federation);
      late.back()->rti().timeAdvanceRequest(HLAfloat64Time(5));
    }
    for (int i = 0; i < 200; ++i) {
      for (const auto& one : late) one->pump();
    }
    for (const auto& one : late) QCOMPARE(one->count("granted"), 0);
    QVERIFY(pair.setPace(0));
    for (const auto& one : late) QVERIFY(one->expect("granted 5"));
  }

  void aHoldGoesBeforeThePace() {
    Pair pair(node_.name());
    QVERIFY(pair.ready);
    const auto name = pair.federation.toStdString();
    QVERIFY(pair.setPace(1000));
    QVERIFY(pair.observer->holdTime(name, 0).has_value());
    pair.ask(pair.a, 2);
    pair.ask(pair.b, 3);
    pair.pumpForLong();
    QCOMPARE(pair.grants(), 0);
    // A step is granted at once, however slow the pace is.
    QVERIFY(pair.setPace(slow));
    QVERIFY(pair.observer->holdTime(name, 2).has_value());
    QVERIFY(pair.a.expect("granted 2"));
    pair.ask(pair.a, 3);
    QVERIFY(pair.observer->releaseTime(name).has_value());
    pair.pumpForLong();
    QCOMPARE(pair.grants(), 1);
    QVERIFY(pair.setPace(1000));
    QVERIFY(pair.a.expect("granted 3"));
    QVERIFY(pair.b.expect("granted 3"));
  }

  void otherFederationsAreNotSlowedDown() {
    Pair paced(node_.name());
    Pair free(node_.name());
    QVERIFY(paced.ready && free.ready);
    QVERIFY(paced.setPace(slow));
    for (Recorder* r : {&free.a, &free.b}) free.ask(*r, 2);
    QVERIFY(free.a.expect("granted 2"));
    QVERIFY(free.b.expect("granted 2"));
  }

  void whatIsNoPaceIsRefused() {
    Pair pair(node_.name());
    QVERIFY(pair.ready);
    QVERIFY(pair.setPace(3));
    for (const double wrong : {-1.0, 1e-9, 1e13, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
      const auto set = pair.observer->setPace(pair.federation.toStdString(), wrong);
      QVERIFY(!set.has_value());
      QVERIFY(QString::fromStdString(set.error()).contains("from 0.000001 to 1e12"));
    }
    QCOMPARE(pair.pace(), 3.0);
    const auto nowhere = pair.observer->setPace("moon", 1);
    QVERIFY(!nowhere.has_value());
    QVERIFY(QString::fromStdString(nowhere.error()).contains("'moon'"));
  }

  void anOptionOfTheNodeSetsTheFirstPace() {
    const OwnNode node;
    QProcess process;
    process.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti-rti"),
                  {"--shm", node.name(), "--stay", "--pace", "0.001"});
    QVERIFY(process.waitForReadyRead(10'000));
    {
      Recorder alone("alone");
      alone.enter(uniqueName("paced"));
      auto observer = Observer::connect(node.name().toStdString());
      QVERIFY(observer.has_value());
      observer->refresh();
      QCOMPARE(observer->sample().federations.at(0).pace, slow);
      alone.rti().timeAdvanceRequest(HLAfloat64Time(5));
      for (int i = 0; i < 200; ++i) alone.pump();
      QCOMPARE(alone.count("granted"), 0);
      alone.leave();
    }
    process.terminate();
    QVERIFY(process.waitForFinished(10'000));
  }

  void aWrongOptionIsRefused_data() {
    QTest::addColumn<QByteArray>("word");
    for (const char* word : {"", "0", "-1", "nan", "inf", "1e13", "fast", "2x"})
      QTest::newRow(*word == 0 ? "nothing" : word) << QByteArray(word);
  }
  void aWrongOptionIsRefused() {
    QFETCH(QByteArray, word);
    QProcess wrong;
    wrong.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti-rti"),
                {"--shm", uniqueName("wrong"), "--pace", QString::fromLatin1(word)});
    QVERIFY(wrong.waitForFinished(10'000));
    QCOMPARE(wrong.exitCode(), 2);
    QVERIFY(wrong.readAllStandardError().contains("--pace"));
  }
};

QTEST_GUILESS_MAIN(tst_kept_pace)
#include "tst_kept_pace.moc"
