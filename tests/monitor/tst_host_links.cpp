// SPDX-License-Identifier: GPL-3.0-or-later
// Links with other hosts: from what the node says to what a person reads.
#include <QTest>
#include <memory>

#include "monitor/engine/host_links.h"
#include "monitor/engine/run_analysis.h"
#include "tests/monitor/fake_run.h"

using namespace tutti::monitor;
using namespace tutti::monitor::test;

namespace {

HostLinkReading upLink(const QStringList& federates) {
  HostLinkReading link;
  link.peer = QStringLiteral("b");
  link.address = QStringLiteral("10.0.0.2:15165");
  link.federates = federates;
  return link;
}

QStringList numbered(int count) {
  QStringList result;
  for (int i = 1; i <= count; ++i) result << QStringLiteral("f%1").arg(i);
  return result;
}

QStringList texts(const std::vector<EventRecord>& events) {
  QStringList result;
  for (const EventRecord& each : events) result << each.text;
  return result;
}

}  // namespace

class TestHostLinks : public QObject {
  Q_OBJECT

 private:
  std::shared_ptr<FakeProbe> probe_;
  std::shared_ptr<FakeSource> source_;
  std::unique_ptr<RunAnalysis> analysis_;

  HostLinkReading& link() { return source_->reading.hostLinks.front(); }
  /// As the node says it: nothing acknowledged since `silent` seconds, of a grace of 15 s.
  void suspect(HostLinkReading& link, double silent) {
    link.suspect = true;
    link.suspicions += 1;
    link.asOfNanoseconds = probe_->now;
    link.silentSeconds = silent;
    link.leftSeconds = 15 - (silent - 1.4);
  }
  Snapshot step(double seconds) {
    Snapshot last;
    for (int i = 0; i < static_cast<int>(seconds * 10 + 0.5); ++i) {
      probe_->advance(0.1);
      last = analysis_->step();
    }
    return last;
  }

 private slots:
  void init() {
    probe_ = std::make_shared<FakeProbe>();
    source_ = std::make_shared<FakeSource>(probe_);
    analysis_ = std::make_unique<RunAnalysis>(source_, probe_);
  }

  void withoutLinksNothingIsSaid() {
    source_->add(QStringLiteral("flow"));
    const Snapshot now = step(2);
    QVERIFY(now.hostLinks.empty());
    QVERIFY(!suspectLinks(now.hostLinks, 5));
    HostLinkWatch watch;
    QCOMPARE(texts(watch.look(now)), QStringList());
  }

  void silenceGrowsAndWhatIsLeftShrinksBetweenTwoAnswersOfTheNode() {
    source_->add(QStringLiteral("flow"));
    source_->reading.hostLinks = {upLink({QStringLiteral("radar")})};
    QVERIFY(!step(1).hostLinks.at(0).suspect);
    suspect(link(), 1.5);
    const Snapshot now = step(2);
    QCOMPARE(now.hostLinks.at(0).silentSeconds, 3.5);
    QCOMPARE(now.hostLinks.at(0).leftSeconds, 12.9);
    QCOMPARE(step(20).hostLinks.at(0).leftSeconds, 0.0);
  }

  // What a node counts becomes means of 5 s; what it does not say is not known, which is not 0.
  void ratesAreMeansAndWhatIsNotSaidIsNotKnown() {
    source_->add(QStringLiteral("flow"));
    source_->reading.hostLinks = {upLink({}), upLink({})};
    source_->reading.hostLinks[1].address = QStringLiteral("10.0.0.3:15165");
    Snapshot now = step(1);
    for (const HostLinkView& each : now.hostLinks) {
      for (const double value : {each.messagesPerSecond, each.bytesPerSecond, each.roundTripSeconds,
                                 each.queueFill, each.lost})
        QVERIFY(std::isnan(value));
    }
    link().lost = 0;
    link().keptLimitBytes = 1000;
    link().keptBytes = 190;
    link().roundTripSeconds = 0.00021;
    std::uint64_t sent = 0;
    const auto second = [&](std::uint64_t messages) {
      sent += messages;
      link().messages = sent;
      link().bytes = sent * 10;
      link().asOfNanoseconds = probe_->now;
      now = step(1);
    };
    second(0);
    QVERIFY(std::isnan(now.hostLinks.at(0).messagesPerSecond));  // of one count there is no mean
    for (int i = 0; i < 10; ++i) second(100);
    QCOMPARE(now.hostLinks.at(0).messagesPerSecond, 100.0);
    QCOMPARE(now.hostLinks.at(0).bytesPerSecond, 1000.0);
    QCOMPARE(now.hostLinks.at(0).queueFill, 0.19);
    QCOMPARE(now.hostLinks.at(0).lost, 0.0);
    QCOMPARE(now.hostLinks.at(0).roundTrip.at(History::size - 1), 0.00021f);
    QVERIFY(std::isnan(now.hostLinks.at(1).messagesPerSecond));
    // Older seconds than five are forgotten.
    for (int i = 0; i < 5; ++i) second(200);
    QCOMPARE(now.hostLinks.at(0).messagesPerSecond, 200.0);
    // Without an answer nothing gets through, and nobody knows how long it would take.
    suspect(link(), 1.5);
    now = step(1.2);
    QCOMPARE(now.hostLinks.at(0).messagesPerSecond, 0.0);
    QVERIFY(std::isnan(now.hostLinks.at(0).roundTripSeconds));
    QVERIFY(std::isnan(now.hostLinks.at(0).roundTrip.at(History::size - 1)));
    // Another link with the same name counts from the beginning.
    link().suspect = false;
    sent = 3;
    second(0);
    QVERIFY(std::isnan(now.hostLinks.at(0).messagesPerSecond));
  }

  void whoWaitsForTimeOfTheOtherSideIsNamed_data() {
    QTest::addColumn<bool>("toHome");
    QTest::newRow("seen at the home") << false;
    QTest::newRow("seen at the linked host") << true;
  }
  void whoWaitsForTimeOfTheOtherSideIsNamed() {
    QFETCH(bool, toHome);
    // "far" is on the other host and has not asked; "near" and "next" wait for its grant.
    for (const char* name : {"near", "next", "far", "free"}) {
      source_->add(QString::fromLatin1(name));
    }
    for (const char* name : {"near", "next"}) {
      manageTime(source_->at(QString::fromLatin1(name)), 1, 10);
      request(source_->at(QString::fromLatin1(name)), 2);
    }
    manageTime(source_->at(QStringLiteral("far")), 1, 0.5);
    HostLinkReading there = upLink(toHome ? QStringList{"near", "next", "free"}
                                          : QStringList{"far"});
    there.toHome = toHome;
    there.waiting = {QStringLiteral("free")};
    source_->reading.hostLinks = {there};
    QCOMPARE(waitingFor(step(1).hostLinks.at(0)), QStringList{"free"});  // up: by the node alone
    suspect(link(), 1.4);
    const HostLinkView view = step(0.1).hostLinks.at(0);
    QCOMPARE(view.waitForAnswer, QStringList{"free"});
    QCOMPARE(view.waitForTime, QStringList({"near", "next"}));
    QCOMPARE(waitingFor(view), QStringList({"free", "near", "next"}));
  }

  void whoComputesHereIsNotTheLinksFault() {
    for (const char* name : {"near", "busy", "far"}) source_->add(QString::fromLatin1(name));
    manageTime(source_->at(QStringLiteral("near")), 1, 10);
    request(source_->at(QStringLiteral("near")), 2);
    manageTime(source_->at(QStringLiteral("busy")), 1, 0.1);
    manageTime(source_->at(QStringLiteral("far")), 1, 5);
    source_->reading.hostLinks = {upLink({QStringLiteral("far")})};
    suspect(link(), 1.4);
    QCOMPARE(step(0.1).hostLinks.at(0).waitForTime, QStringList());
  }

  void whoIsOutOfReachIsNeitherLateNorHoldsTime() {
    source_->add(QStringLiteral("near"));
    source_->add(QStringLiteral("far"));
    const auto tick = [this](double seconds) {
      for (int i = 0; i < static_cast<int>(seconds * 10); ++i) {
        for (const char* name : {"near", "far"}) {
          FederateReading& each = source_->at(QString::fromLatin1(name));
          manageTime(each, 0.1 * static_cast<double>(each.counters.timeAdvanceGrants), 0.1);
          ++each.counters.timeAdvanceGrants;
        }
        step(0.1);
      }
    };
    source_->reading.hostLinks = {upLink({QStringLiteral("far")})};
    tick(3);
    // What the link does not bring stands; the other asks, and waits.
    request(source_->at(QStringLiteral("near")), 50);
    suspect(link(), 1.4);
    Snapshot now = step(5);
    QCOMPARE(now.find("far")->condition, FederateCondition::OutOfReach);
    QCOMPARE(now.find("far")->detail, QStringLiteral("no answer 6.4 s"));
    QVERIFY(!now.standing);
    QCOMPARE(now.hostLinks.at(0).waitForTime, QStringList{"near"});
    // Back: it has not been late meanwhile.
    link().suspect = false;
    now = step(0.3);
    QCOMPARE(now.find("far")->condition, FederateCondition::Running);
    // One that then really does not ask is late, and holds time.
    now = step(5);
    QCOMPARE(now.find("far")->condition, FederateCondition::Late);
    QVERIFY(now.standing && now.standing->holder == QStringLiteral("far"));
  }

  void namesAreElided_data() {
    QTest::addColumn<int>("count");
    QTest::addColumn<QString>("text");
    QTest::newRow("none") << 0 << QString();
    QTest::newRow("one") << 1 << QStringLiteral("f1");
    QTest::newRow("as many as fit") << 3 << QStringLiteral("f1, f2, f3");
    QTest::newRow("one more takes no more room by name") << 4 << QStringLiteral("f1, f2, f3, f4");
    QTest::newRow("many") << 300 << QStringLiteral("f1, f2, f3 and 297 more");
  }
  void namesAreElided() {
    QFETCH(int, count);
    QFETCH(QString, text);
    QCOMPARE(elidedNames(numbered(count), 3), text);
  }

  void theWordsNameWhoWaitsAndWhatBecomesOfIt() {
    HostLinkView view;
    view.peer = QStringLiteral("b");
    view.address = QStringLiteral("10.0.0.2:15165");
    view.suspect = true;
    view.silentSeconds = 3.2;
    view.leftSeconds = 11.8;
    view.federates = numbered(3);
    view.waitForAnswer = {QStringLiteral("radar")};
    view.waitForTime = {QStringLiteral("aircraft-2"), QStringLiteral("radar")};
    auto said = suspectLinks({view}, 5);
    QVERIFY(said);
    QCOMPARE(said->title, QStringLiteral("Link to node 'b' at 10.0.0.2:15165 is suspect: nothing "
                                         "acknowledged for 3.2 s"));
    QCOMPARE(said->detail,
             QStringLiteral("Waiting for the link: radar, aircraft-2. In 11.8 s the federates behind "
                            "it are resigned: f1, f2, f3."));
    view.peer = QStringLiteral("run-20250131-140228-3f9c01ab.atlas");
    QCOMPARE(suspectLinks({view}, 5)->title, QStringLiteral("Link to host atlas at 10.0.0.2:15165 is "
                                                            "suspect: nothing acknowledged for 3.2 s"));
    view.peer = QStringLiteral("b");
    view.federates = numbered(300);
    said = suspectLinks({view}, 5);
    QVERIFY(said->detail.contains(QStringLiteral("f5 and 295 more.")));
    QVERIFY(said->whole.contains(QStringLiteral("f299, f300.")));
    QCOMPARE(said->whole.count(u'\n'), 2);
    // Of the way to the home the name says nothing; and here nobody is resigned.
    view.peer = QStringLiteral("tcp-10.0.0.2:15165");
    view.toHome = true;
    said = suspectLinks({view}, 5);
    QVERIFY(said->title.startsWith(
        QStringLiteral("Link to the home, the node at 10.0.0.2:15165 is suspect")));
    QVERIFY(said->detail.contains(
        QStringLiteral("In 11.8 s federates here lose their connection: f1, ")));
    view.federates.clear();
    view.waitForAnswer.clear();
    view.waitForTime.clear();
    QCOMPARE(suspectLinks({view}, 5)->detail,
             QStringLiteral("Waiting for the link: nobody yet. In 11.8 s it is lost; no federate "
                            "is behind it."));
  }

  void severalSuspectLinksAreSaidInOneAndTheFirstToBeLostIsNamed() {
    HostLinkView late, early, up;
    late.suspect = early.suspect = true;
    late.address = QStringLiteral("10.0.0.2:1");
    early.address = QStringLiteral("10.0.0.3:1");
    late.silentSeconds = 2;
    late.leftSeconds = 14;
    early.silentSeconds = 6;
    early.leftSeconds = 9;
    late.federates = {QStringLiteral("x")};
    late.waitForAnswer = early.waitForAnswer = {QStringLiteral("radar")};
    const auto said = suspectLinks({late, up, early}, 5);
    QCOMPARE(said->title,
             QStringLiteral("2 links to other hosts are suspect: nothing acknowledged for 6.0 s"));
    QCOMPARE(said->detail,
             QStringLiteral("Waiting for them: radar. 1 federate is behind them. The first is lost "
                            "in 9.0 s: the node at 10.0.0.3:1."));
    QCOMPARE(said->links.front().address, early.address);
    QCOMPARE(said->whole.count(QStringLiteral("Waiting for the link")), 2);
  }

  void whatHappensToALinkIsToldOnce() {
    source_->add(QStringLiteral("flow"));
    source_->reading.hostLinks = {upLink(numbered(20))};
    HostLinkWatch watch;
    QCOMPARE(texts(watch.look(step(0.1))), QStringList());
    suspect(link(), 1.4);
    auto events = watch.look(step(0.1));
    QCOMPARE(texts(events), QStringList{QStringLiteral(
                                "link suspect, nothing acknowledged for 1.5 s: node 'b' at "
                                "10.0.0.2:15165; federates behind it: f1, f2, f3, f4, f5, "
                                "f6, f7, f8 and 12 more")});
    QCOMPARE(events.front().level, LogLevel::Warning);
    QCOMPARE(texts(watch.look(step(1))), QStringList());
    link().suspect = false;
    events = watch.look(step(0.1));
    QCOMPARE(texts(events), QStringList{QStringLiteral(
                                "link resumed after 2.5 s, nothing lost: node 'b' at "
                                "10.0.0.2:15165")});
    QCOMPARE(events.front().level, LogLevel::Info);
    // Suspect and back between two looks.
    link().suspicions += 1;
    QCOMPARE(watch.look(step(0.1)).size(), 1u);
    // While the node cannot be read nothing is known; then it is lost.
    suspect(link(), 14);
    QCOMPARE(watch.look(step(0.1)).size(), 1u);
    source_->failure = QStringLiteral("the node does not answer");
    QCOMPARE(texts(watch.look(step(1))), QStringList());
    source_->failure.clear();
    source_->reading.hostLinks.clear();
    events = watch.look(step(0.1));
    QCOMPARE(texts(events), QStringList{QStringLiteral(
                                "link lost after 14.1 s: node 'b' at 10.0.0.2:15165; 20 federates "
                                "behind it are resigned")});
    QCOMPARE(events.front().level, LogLevel::Error);
    // One that ends while it is up was ended by the other side.
    source_->reading.hostLinks = {upLink({})};
    QCOMPARE(watch.look(step(0.1)).size(), 0u);
    source_->reading.hostLinks.clear();
    QCOMPARE(watch.look(step(0.1)).size(), 0u);
  }
};

QTEST_GUILESS_MAIN(TestHostLinks)
#include "tst_host_links.moc"
