// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of a run on another machine: what is analysed here is what the monitor there would show,
// and nothing that comes is trusted.
#include <QTest>
#include <cmath>
#include <limits>

#include "monitor/engine/far_sample.h"
#include "monitor/engine/run_analysis.h"
#include "tests/monitor/fake_run.h"

using namespace tutti::monitor;
using test::FakeProbe;
using test::FakeSource;

class TestFarSample : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    probe_ = std::make_shared<FakeProbe>();
    source_ = std::make_shared<FakeSource>(probe_);
    source_->reading.federation = "air";
    source_->reading.nodePid = 900;
    probe_->processes[900] = {5, 5, 1000, 'S'};
    sampler_ = std::make_unique<FarSampler>(source_, probe_);
    samples_ = std::make_shared<FarSamples>("borea");
  }

  void linksBetweenOtherHostsComeAsTheyWereRead() {
    FarSample sample;
    NeighbourReading& sent = sample.reading.neighbourLinks.emplace_back();
    sent.ends[0] = {"run-7.borea", "10.0.0.2:1", true, 12, 34, 56};
    sent.ends[1].node = "run-7.cirrus";
    sent.way = HostWay::Broken;
    sent.awaySeconds = 2.5;
    sent.keptBytes = 78;
    sent.lost = 9;
    const QByteArray json = sample.toJson();
    const auto read = FarSample::fromJson(json);
    QVERIFY(read);
    QCOMPARE(read->reading.neighbourLinks.size(), std::size_t(1));
    const NeighbourReading& link = read->reading.neighbourLinks[0];
    QCOMPARE(link.ends[0].node + link.ends[0].address, "run-7.borea10.0.0.2:1");
    QVERIFY(link.ends[0].told && !link.ends[1].told);
    QCOMPARE(link.ends[0].asOfNanoseconds, 12);
    QCOMPARE(link.ends[0].messages, 34u);
    QCOMPARE(link.ends[0].bytes, 56u);
    QCOMPARE(link.ends[1].node, "run-7.cirrus");
    QVERIFY(link.way == HostWay::Broken && !link.roundTripSeconds && !link.datagrams);
    QCOMPARE(link.awaySeconds, 2.5);
    QCOMPARE(link.keptBytes, 78u);
    QVERIFY(!link.keptLimitBytes && link.lost == 9u);
    // No way that there is.
    QVERIFY(!FarSample::fromJson(QByteArray(json).replace("2,2.5,78", "3,2.5,78")));
    // A relay of before does not know of them.
    const auto before = FarSample::fromJson(QByteArray(json).replace("neighbours", "other"));
    QVERIFY(before && before->reading.neighbourLinks.empty());
  }

  /// The same run, analysed beside it and from afar.
  void theFiguresAreThoseOfTheOtherMachine() {
    auto& sender = source_->add("flow");
    sender.counters.instancesRegistered = 3;
    test::manageTime(sender, 1, 0.5);
    source_->add("radar");
    source_->owned[1] = {{"Flight", 3, 3}};
    source_->declared = {{"flow", {"Flight"}, {}}, {"radar", {}, {"Flight"}}};
    source_->reading.flows = {{1, 2, 0, 100, 1000}};
    source_->reading.synchronizationPoints = {{"ready", {2}}};
    source_->reading.hostLinks.resize(1);
    source_->reading.hostLinks[0].address = "10.0.0.2:1";
    source_->reading.hostLinks[0].federates = QStringList{"radar"};
    source_->reading.hostLinks[0].roundTripSeconds = 0.25;
    RunAnalysis there(source_, probe_);
    RunAnalysis here(samples_->source(), samples_->probe());
    Snapshot near;
    Snapshot far;
    for (int turn = 0; turn < 60; ++turn) {
      source_->at("flow").counters.updatesSent += 4;
      source_->at("flow").time.logicalTime += 0.1;
      probe_->processes[1001].userTicks += 2;
      probe_->hostNow.userTicks += 4;
      probe_->hostNow.idleTicks += 16;
      source_->reading.flows[0].messages += 4;
      near = there.step();
      const auto sample = sampler_->take();
      QVERIFY(sample);
      samples_->put(sample->toJson());
      far = here.step();
      // A second look at the same figures changes none.
      far = here.step();
      probe_->advance(0.1);
    }
    QVERIFY(far.problem.isEmpty());
    QCOMPARE(far.federation, QString("air"));
    QCOMPARE(far.host.name, QString("borea"));
    QCOMPARE(far.host.cpuUser, near.host.cpuUser);
    QCOMPARE(far.federates.size(), near.federates.size());
    const auto* a = near.find("flow");
    const auto* b = far.find("flow");
    QVERIFY(a && b);
    QVERIFY(a->sentPerSecond > 39 && a->cpuUser > 0.19);
    QCOMPARE(b->sentPerSecond, a->sentPerSecond);
    QCOMPARE(b->cpuUser, a->cpuUser);
    QCOMPARE(b->time.logicalTime, a->time.logicalTime);
    QCOMPARE(far.logicalTime, near.logicalTime);
    QCOMPARE(far.links.size(), near.links.size());
    QCOMPARE(far.hostLinks.size(), std::size_t(1));
    QCOMPARE(far.hostLinks[0].address, near.hostLinks[0].address);
    const auto lost = here.consequences("flow");
    const auto lostThere = there.consequences("flow");
    QVERIFY(lost && lostThere);
    QCOMPARE(lost->instances, std::uint64_t(3));
    QCOMPARE(lost->byClass.size(), lostThere->byClass.size());
    QCOMPARE(lost->unpublished, lostThere->unpublished);
    QCOMPARE(lost->unpublished, QStringList{"Flight"});
  }

  void timesWithoutEndSurvive() {
    auto& federate = source_->add("a");
    federate.time.galt = std::numeric_limits<double>::infinity();
    federate.time.requestedTime = -std::numeric_limits<double>::infinity();
    federate.time.lookahead = std::nan("");
    federate.name = QString::fromUtf8("\"n\\a\n\xC3\xA9");
    const auto sample = FarSample::fromJson(sampler_->take()->toJson());
    QVERIFY2(sample, qPrintable(sample ? QString() : sample.error()));
    const auto& read = sample->reading.federates[0];
    QVERIFY(std::isinf(*read.time.galt) && *read.time.galt > 0);
    QVERIFY(std::isinf(read.time.requestedTime) && read.time.requestedTime < 0);
    QVERIFY(std::isnan(read.time.lookahead));
    QVERIFY(!read.time.leastStamp);
    QCOMPARE(read.name, federate.name);
  }

  void aLostConnectionIsSaidAndTheClockGoesOn() {
    source_->add("a");
    RunAnalysis here(samples_->source(), samples_->probe());
    QCOMPARE(here.step().problem, QString("borea has not sent figures yet."));
    samples_->put(sampler_->take()->toJson());
    QVERIFY(here.step().problem.isEmpty());
    const std::int64_t then = samples_->probe()->monotonicNanoseconds();
    QCOMPARE(then, probe_->now);
    samples_->setConnected(false);
    QCOMPARE(here.step().problem, QString("The connection to borea is lost."));
    // Its figures get old.
    QTRY_VERIFY_WITH_TIMEOUT(samples_->probe()->monotonicNanoseconds() > then, 20000);
    QTRY_VERIFY_WITH_TIMEOUT(here.step().ageSeconds > 0, 20000);
    samples_->setConnected(true);
    const std::int64_t later = samples_->probe()->monotonicNanoseconds();
    probe_->advance(0.1);
    samples_->put(sampler_->take()->toJson());
    QVERIFY(here.step().problem.isEmpty());
    QVERIFY(samples_->probe()->monotonicNanoseconds() >= later);
    // One that is older than what is known changes nothing.
    const QByteArray old = sampler_->take()->toJson();
    probe_->advance(5);
    samples_->put(sampler_->take()->toJson());
    const auto newest = samples_->source();
    QCOMPARE(newest->read()->monotonicNanoseconds, probe_->now);
    samples_->put(old);
    QCOMPARE(newest->read()->monotonicNanoseconds, probe_->now);
  }

  void nothingThatComesIsTrusted_data() {
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::newRow("no JSON") << QByteArray("{") << QByteArray("{{");
    QTest::newRow("a negative number")
        << QByteArray("\"federates\":[[1,") << QByteArray("\"federates\":[[-1,");
    QTest::newRow("a number too large")
        << QByteArray("\"federates\":[[1,") << QByteArray("\"federates\":[[4294967296,");
    QTest::newRow("a fraction") << QByteArray("\"federates\":[[1,")
                                << QByteArray("\"federates\":[[1.5,");
    QTest::newRow("a text instead")
        << QByteArray("\"federates\":[[1,") << QByteArray("\"federates\":[[\"x\",");
    QTest::newRow("too short") << QByteArray("\"federates\":[[1,")
                               << QByteArray("\"federates\":[[1],[1,");
    QTest::newRow("no such membership") << QByteArray("1001,0,true") << QByteArray("1001,9,true");
    QTest::newRow("a name without end")
        << QByteArray("\"victim\"") << QByteArray('"' + QByteArray(5000, 'x') + '"');
    QTest::newRow("a negative number where there may be none")
        << QByteArray("null,null,77") << QByteArray("null,null,-1");
    QTest::newRow("a number without end where there may be none")
        << QByteArray("null,null,77") << QByteArray("null,null,1e300");
    QTest::newRow("waiting for a negative number")
        << QByteArray("[\"ready\",[2]]") << QByteArray("[\"ready\",[-2]]");
    QTest::newRow("waiting for a number too large")
        << QByteArray("[\"ready\",[2]]") << QByteArray("[\"ready\",[1e300]]");
    QTest::newRow("nothing of the host") << QByteArray("\"host\":") << QByteArray("\"ghost\":");
    QTest::newRow("longer than 4 MiB")
        << QByteArray("\"victim\"") << QByteArray('"' + QByteArray(5 << 20, 'x') + '"');
    QTest::newRow("lists in lists")
        << QByteArray("\"points\":[") << QByteArray("\"points\":[" + QByteArray(1 << 20, '['));
  }
  void nothingThatComesIsTrusted() {
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    addVictim();
    const QByteArray good = sampler_->take()->toJson();
    QVERIFY(FarSample::fromJson(good));
    QVERIFY2(good.contains(from), good);
    QByteArray bad = good;
    bad.replace(bad.indexOf(from), from.size(), to);
    const auto read = FarSample::fromJson(bad);
    QVERIFY(!read);
    QVERIFY(read.error().startsWith("Figures that came"));
    samples_->put(bad);
    QCOMPARE(samples_->source()->read().error(), read.error());
    // What is right again is taken again.
    samples_->put(good);
    QVERIFY(samples_->source()->read());
  }

  /// Every byte changed, one at a time: read or refused, and nothing else.
  void anyByteMayBeWrong() {
    addVictim();
    source_->reading.flows = {{1, 1, 2, 3, 4}};
    const QByteArray good = sampler_->take()->toJson();
    int refused = 0;
    for (qsizetype at = 0; at < good.size(); ++at) {
      for (const char byte : {'\0', '9', '"', '[', '-', 'e', '\xff'}) {
        QByteArray bad = good;
        bad[at] = byte;
        refused += FarSample::fromJson(bad) ? 0 : 1;
      }
    }
    QVERIFY(refused > good.size());
  }

  /// What is too long loses what is asked for least, and what is too long even so is not sent.
  void aLongSampleIsShortened() {
    FarSample sample;
    sample.reading.flows.resize(10);
    for (int count = 0; count < 2000; ++count)
      sample.owned[1].push_back({QString(4000, 'x'), 1, 1});
    sample.declarations.push_back({"a", {"Flight"}, {}});
    auto read = FarSample::fromJson(sample.toJson());
    QVERIFY2(read, qPrintable(read ? QString() : read.error()));
    QVERIFY(read->reading.flows.empty() && read->owned.empty());
    QCOMPARE(read->declarations.size(), std::size_t(1));
    for (int count = 0; count < 2000; ++count)
      sample.declarations.push_back({QString(4000, 'x'), {}, {}});
    read = FarSample::fromJson(sample.toJson());
    QVERIFY2(read, qPrintable(read ? QString() : read.error()));
    QVERIFY(read->declarations.empty());
    for (int count = 0; count < 2000; ++count)
      sample.reading.synchronizationPoints.push_back({QString(4000, 'x'), {}});
    QVERIFY(sample.toJson().isEmpty());
  }

 private:
  /// One of everything.
  void addVictim() {
    source_->add("victim");
    source_->reading.synchronizationPoints = {{"ready", {2}}};
    source_->reading.hostLinks.resize(1);
    source_->reading.hostLinks[0].lost = 77;
  }

  std::shared_ptr<FakeProbe> probe_;
  std::shared_ptr<FakeSource> source_;
  std::unique_ptr<FarSampler> sampler_;
  std::shared_ptr<FarSamples> samples_;
};

QTEST_GUILESS_MAIN(TestFarSample)
#include "tst_far_sample.moc"
