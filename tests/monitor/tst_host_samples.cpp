// SPDX-License-Identifier: GPL-3.0-or-later
// What other hosts say of themselves and their processes: from the event of a supervisor to the
// snapshot.
#include <QJsonArray>
#include <QTest>
#include <cmath>
#include <limits>
#include <memory>

#include "monitor/engine/host_samples.h"
#include "monitor/engine/run_analysis.h"
#include "tests/monitor/fake_run.h"

using namespace tutti::monitor;
using namespace tutti::monitor::test;

namespace {

/// After `seconds` of a host with 4 cores, of which it has used 2 for user and 1 for system; its
/// federate "radar" has used half of one and a tenth, its RTI node a fifth.
QJsonObject said(double seconds, qint64 radarPid = 70) {
  const auto ticks = [&](double share) { return qint64(std::llround(100 * share * seconds)); };
  return {{"event", "sample"},
          {"at_ms", qint64(std::llround(1000 * seconds)) + 5'000'000},
          {"ticks_per_s", 100},
          {"processors", 4},
          {"cpu", QJsonArray{ticks(2), ticks(1), ticks(1)}},
          {"memory", QJsonArray{16e9, 12e9}},
          {"network", qint64(1'000'000 * seconds)},
          {"processes",
           QJsonObject{{"radar", QJsonArray{radarPid, ticks(0.5), ticks(0.1), 50'000'000, "S"}},
                       {"rti-borea", QJsonArray{60, ticks(0.2), 0, 9'000'000, "S"}}}}};
}

}  // namespace

class TestHostSamples : public QObject {
  Q_OBJECT

 private:
  std::shared_ptr<FakeProbe> probe_;
  std::shared_ptr<FakeSource> source_;
  std::unique_ptr<RunAnalysis> analysis_;
  Snapshot now_;

  void step(double seconds) {
    for (int i = 0; i < static_cast<int>(seconds * 10 + 0.5); ++i) {
      probe_->advance(0.1);
      now_ = analysis_->step();
    }
  }
  void note(const QJsonObject& one, const QString& host = QStringLiteral("borea")) {
    const auto sample = hostSampleFrom(host, one);
    QVERIFY2(sample, sample ? "" : qPrintable(sample.error()));
    analysis_->noteSample(*sample);
  }
  const FederateView& radar() const { return *now_.find(QStringLiteral("radar")); }
  const HostView& borea() const { return now_.otherHosts.front(); }
  static bool near(double a, double b) { return std::abs(a - b) < 1e-6; }

 private Q_SLOTS:
  void init() {
    probe_ = std::make_shared<FakeProbe>();
    source_ = std::make_shared<FakeSource>(probe_);
    // On another host: the RTI does not tell the process.
    source_->add(QStringLiteral("radar")).pid = 0;
    source_->add(QStringLiteral("log"));
    analysis_ = std::make_unique<RunAnalysis>(source_, probe_);
    analysis_->setRoster({{QStringLiteral("radar"), QStringLiteral("radar 1.0"), "borea", 0},
                          {QStringLiteral("log"), QStringLiteral("log 1.0"), "atlas", 1002}});
    RosterHost borea;
    borea.name = QStringLiteral("borea");
    borea.state = RosterHost::State::Up;
    borea.node = QStringLiteral("rti-borea");
    analysis_->setHosts({borea});
    step(0.5);
  }

  void figuresAreThoseOfTheHost() {
    QVERIFY(std::isnan(radar().cpuUser) && std::isnan(borea().cpuUser));
    note(said(10));
    step(0.1);
    // What was counted so far is no rate yet.
    QVERIFY(std::isnan(radar().cpuUser) && std::isnan(borea().cpuUser));
    QVERIFY(near(radar().residentBytes, 50e6));
    QVERIFY(near(borea().memoryTotal, 16e9) && near(borea().memoryUsed, 4e9));
    QCOMPARE(borea().processors, 4);
    step(0.9);
    note(said(11));
    step(0.1);
    QVERIFY(near(radar().cpuUser, 0.5) && near(radar().cpuSystem, 0.1));
    QVERIFY(near(borea().cpuUser, 0.5) && near(borea().cpuSystem, 0.25));
    QVERIFY(near(borea().networkPerSecond, 1e6));
    QVERIFY(near(borea().nodeCpu, 0.2));
    QCOMPARE(radar().pid, 0);
    // One that comes at once makes no rate, and takes none away.
    note(said(11.01));
    step(0.1);
    QVERIFY(near(radar().cpuUser, 0.5) && near(borea().networkPerSecond, 1e6));
    // Samples that are lost, or late here, make it no wrong figure.
    step(2.2);
    note(said(17));
    step(0.1);
    QVERIFY(near(radar().cpuUser, 0.5) && near(borea().networkPerSecond, 1e6));
    // The history beside the figures, and what is recorded, have it as well.
    step(1);
    QVERIFY(std::abs(radar().cpu.at(History::size - 1) - 0.6F) < 1e-5F);
    QVERIFY(std::isnan(now_.host.nodeCpu));
  }

  void oldFiguresAreNotKnown() {
    note(said(10));
    note(said(11));
    step(2.9);
    QVERIFY(!std::isnan(radar().cpuUser) && !std::isnan(borea().cpuUser));
    step(0.2);
    QVERIFY(std::isnan(radar().cpuUser) && std::isnan(radar().residentBytes));
    QVERIFY(std::isnan(borea().cpuUser) && std::isnan(borea().memoryTotal));
    QVERIFY(std::isnan(borea().networkPerSecond) && std::isnan(borea().nodeCpu));
    note(said(14));
    step(0.1);
    QVERIFY(near(borea().networkPerSecond, 1e6));
  }

  void anotherProcessAndAnotherStartCountAnew() {
    note(said(100));
    note(said(101));
    step(0.1);
    QVERIFY(near(radar().cpuUser, 0.5));
    // Started again: its counters are of another process.
    QJsonObject restarted = said(102, 71);
    QJsonObject processes = restarted["processes"].toObject();
    processes["radar"] = QJsonArray{71, 30, 0, 50'000'000, "S"};
    restarted["processes"] = processes;
    note(restarted);
    step(0.1);
    QVERIFY(std::isnan(radar().cpuUser));
    QVERIFY(near(borea().cpuUser, 0.5));
    processes["radar"] = QJsonArray{71, 60, 0, 50'000'000, "S"};
    QJsonObject next = said(103, 71);
    next["processes"] = processes;
    note(next);
    step(0.1);
    QVERIFY(near(radar().cpuUser, 0.3));
    // A child of it ended, whose time is counted no more.
    processes["radar"] = QJsonArray{71, 10, 0, 50'000'000, "S"};
    next = said(104, 71);
    next["processes"] = processes;
    note(next);
    step(0.1);
    QVERIFY(near(radar().cpuUser, 0));
    // Or was counted twice: more than there are processors is none.
    processes["radar"] = QJsonArray{71, 10 + 460, 0, 50'000'000, "S"};
    next = said(105, 71);
    next["processes"] = processes;
    note(next);
    step(0.1);
    QVERIFY(std::isnan(radar().cpuUser) && near(radar().residentBytes, 50e6));
    // The host has started again: its clock and its counters begin anew.
    note(said(2));
    step(0.1);
    QVERIFY(std::isnan(radar().cpuUser) && std::isnan(borea().cpuUser));
    note(said(3));
    step(0.1);
    QVERIFY(near(radar().cpuUser, 0.5) && near(borea().cpuUser, 0.5));
  }

  void aHostTellsOfItsOwnFederatesOnly() {
    note(said(10), QStringLiteral("cirrus"));
    note(said(11), QStringLiteral("cirrus"));
    QJsonObject lie = said(11);
    lie["processes"] = QJsonObject{{"log", QJsonArray{1002, 0, 0, 1, "T"}}};
    note(said(10));
    note(lie);
    step(1);
    QVERIFY(std::isnan(borea().nodeCpu) && std::isnan(radar().cpuUser));
    QVERIFY(near(now_.find(QStringLiteral("log"))->residentBytes, 10e6));
    QCOMPARE(now_.find(QStringLiteral("log"))->condition, FederateCondition::Running);
    QCOMPARE(now_.otherHosts.size(), std::size_t(1));
  }

  void aStoppedProcessIsSeen() {
    QJsonObject stopped = said(10);
    stopped["processes"] = QJsonObject{{"radar", QJsonArray{70, 1, 1, 1000, "T"}}};
    note(stopped);
    step(0.1);
    QCOMPARE(radar().condition, FederateCondition::Stopped);
    step(3.1);  // what is that old says nothing of now
    QCOMPARE(radar().condition, FederateCondition::Running);
  }

  void whatIsOutOfItsRangeIsRefused_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QJsonValue>("value");
    const QJsonArray row{70, 1, 1, 1, "S"};
    const auto with = [&](int at, const QJsonValue& value) {
      QJsonArray other = row;
      other[at] = value;
      return QJsonObject{{"radar", other}};
    };
    QTest::newRow("no time") << "at_ms" << QJsonValue();
    QTest::newRow("time before 0") << "at_ms" << QJsonValue(-1);
    QTest::newRow("time beyond all") << "at_ms" << QJsonValue(9e15);
    QTest::newRow("no ticks") << "ticks_per_s" << QJsonValue(0);
    QTest::newRow("too many processors") << "processors" << QJsonValue(1e9);
    QTest::newRow("text") << "processors" << QJsonValue("4");
    QTest::newRow("short list") << "cpu" << QJsonValue(QJsonArray{1, 2});
    QTest::newRow("below 0") << "cpu" << QJsonValue(QJsonArray{1, -2, 3});
    QTest::newRow("too large") << "cpu" << QJsonValue(QJsonArray{1, 1e300, 3});
    QTest::newRow("more free than there is") << "memory" << QJsonValue(QJsonArray{1, 2});
    QTest::newRow("no network") << "network" << QJsonValue(QJsonObject());
    QTest::newRow("process 0") << "processes" << QJsonValue(with(0, 0));
    QTest::newRow("resident below 0") << "processes" << QJsonValue(with(3, -1));
    QTest::newRow("no row") << "processes" << QJsonValue(QJsonObject{{"radar", 7}});
    QJsonObject many;
    for (int i = 0; i <= 10'000; ++i) many[QString::number(i)] = row;
    QTest::newRow("too many processes") << "processes" << QJsonValue(many);
  }
  void whatIsOutOfItsRangeIsRefused() {
    QFETCH(QString, key);
    QFETCH(QJsonValue, value);
    QJsonObject one = said(10);
    QVERIFY(hostSampleFrom(QStringLiteral("borea"), one));
    one[key] = value;
    QVERIFY(!hostSampleFrom(QStringLiteral("borea"), one));
  }

  /// The largest of all that is taken.
  void extremesAreNoDivisionByNothing() {
    const double most = 9007199254740992.0;
    QJsonObject one = said(0);
    one["cpu"] = QJsonArray{0, 0, 0};
    note(one);
    one["at_ms"] = one["at_ms"].toInteger() + 1;
    one["network"] = most;
    note(one);
    step(0.1);
    QVERIFY(std::isnan(borea().networkPerSecond) && std::isnan(borea().cpuUser));
    one["at_ms"] = 8e12;
    one["cpu"] = QJsonArray{most, most, most};
    one["memory"] = QJsonArray{most, 0};
    one["processes"] = QJsonObject{{"radar", QJsonArray{70, most, most, most, "\u00ff"}}};
    note(one);
    one["at_ms"] = 8e12 + 1000;
    note(one);
    step(0.1);
    QVERIFY(near(radar().cpuUser, 0) && near(borea().networkPerSecond, 0));
    QVERIFY(std::isnan(borea().cpuUser));
    one["processes"] = QJsonObject();
    note(one);
  }
};

QTEST_GUILESS_MAIN(TestHostSamples)
#include "tst_host_samples.moc"
