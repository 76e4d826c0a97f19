// SPDX-License-Identifier: GPL-3.0-or-later
// The stop time of a run: the node lets nobody go beyond it, and says when all have come to it.
#include <RTI/time/HLAinteger64Interval.h>

#include <QProcess>
#include <QtTest>
#include <optional>

#include "observe/observer.h"
#include "recorder.h"

using namespace rti1516e;
using tutti::observe::Observer;

class tst_stop_time : public QObject {
  Q_OBJECT

  OwnNode node_;
  QProcess process_;
  QByteArray said_;

  bool reached() {
    said_ += process_.readAllStandardOutput();
    return said_.contains("stop time reached\n");
  }
  /// Long enough for the node to look several times.
  void pumpForLong(std::initializer_list<Recorder*> all) {
    for (int i = 0; i < 30; ++i) {
      for (Recorder* each : all) each->pump();
      process_.waitForReadyRead(10);
    }
  }

 private slots:
  void nobodyIsGrantedBeyondIt_data();
  void nobodyIsGrantedBeyondIt();
  void aWrongTimeIsRefused();
};

void tst_stop_time::nobodyIsGrantedBeyondIt_data() {
  QTest::addColumn<QString>("time");
  QTest::newRow("float") << "HLAfloat64Time";
  QTest::newRow("integer") << "HLAinteger64Time";
}

void tst_stop_time::nobodyIsGrantedBeyondIt() {
  QFETCH(QString, time);
  const bool integer = time == "HLAinteger64Time";
  said_.clear();
  process_.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti-rti"),
                 {"--shm", node_.name(), "--stay", "--stop-time", integer ? "5.9" : "5"});
  QVERIFY(process_.waitForReadyRead(10'000));
  said_ = process_.readAllStandardOutput();
  QVERIFY(said_.startsWith("ready\n"));
  {
    const QString federation = uniqueName("stops");
    Recorder a("a");
    Recorder b("b");
    for (Recorder* r : {&a, &b}) {
      r->enter(federation, HLA_EVOKED, time);
      if (integer) {
        r->rti().enableTimeRegulation(HLAinteger64Interval(1));
      } else {
        r->rti().enableTimeRegulation(HLAfloat64Interval(1.0));
      }
      r->rti().enableTimeConstrained();
    }
    for (Recorder* r : {&a, &b}) QVERIFY(r->expect("regulating") && r->expect("constrained"));
    const auto ask = [integer](Recorder& r, int to) {
      if (integer) {
        r.rti().timeAdvanceRequest(HLAinteger64Time(to));
      } else {
        r.rti().timeAdvanceRequest(HLAfloat64Time(to));
      }
    };
    auto observer = Observer::connect(node_.name().toStdString());
    QVERIFY(observer.has_value());
    const auto isHeld = [&] {
      observer->refresh();
      return observer->sample().federations.at(0).held;
    };
    // Its stop time is no pause.
    QVERIFY(!isHeld());
    ask(a, 5);
    ask(b, 3);
    QVERIFY(b.expect("granted 3"));
    // One has not come so far, and has not asked for more: it computes.
    pumpForLong({&a, &b});
    QVERIFY(!reached());
    // A pause before it, and a step over it, change nothing about it.
    QVERIFY(observer->holdTime(federation.toStdString(), 3).has_value());
    QVERIFY(isHeld());
    ask(b, 4);
    pumpForLong({&a, &b});
    QCOMPARE(b.count("granted"), 1);
    QVERIFY(observer->holdTime(federation.toStdString(), 40).has_value());
    QVERIFY(b.expect("granted 4"));
    QVERIFY(observer->releaseTime(federation.toStdString()).has_value());
    // The last message that is of the run still comes, and one that is not does not.
    a.publishInteraction("Event");
    b.subscribeInteraction("Event");
    ask(b, 7);
    QVERIFY(a.expect("granted 5"));
    pumpForLong({&a, &b});
    QCOMPARE(b.count("granted"), 2);
    QTRY_VERIFY_WITH_TIMEOUT(reached(), 10'000);
    ask(a, 6);
    pumpForLong({&a, &b});
    QCOMPARE(a.count("granted"), 1);
    QCOMPARE(b.count("granted"), 2);
    QCOMPARE(said_.count("stop time reached"), 1);
  }
  process_.terminate();
  QVERIFY(process_.waitForFinished(10'000));
}

void tst_stop_time::aWrongTimeIsRefused() {
  for (const char* word : {"soon", "", "nan", "1e999"}) {
    QProcess wrong;
    wrong.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti-rti"),
                {"--shm", uniqueName("wrong"), "--stop-time", QString::fromLatin1(word)});
    QVERIFY(wrong.waitForFinished(10'000));
    QCOMPARE(wrong.exitCode(), 2);
    QVERIFY(wrong.readAllStandardError().contains("--stop-time needs a logical time"));
  }
}

QTEST_GUILESS_MAIN(tst_stop_time)
#include "tst_stop_time.moc"
