// SPDX-License-Identifier: GPL-3.0-or-later
// Habits of federates that were written for other RTIs.
#include <RTI/RTI1516fedTime.h>
#include <sched.h>

#include <QSet>
#include <QtTest>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "federates/process.h"
#include "patience.h"
#include "recorder.h"

using namespace rti1516e;

namespace {

using Turn = std::function<void(RTIambassador&)>;

std::unique_ptr<RTIambassador> ambassador() {
  return std::unique_ptr<RTIambassador>(RTIambassadorFactory().createRTIambassador().release());
}

/// Gives each federate a turn, one after the other, until something has happened.
template <class Federates>
bool byTurns(const Federates& federates, const Turn& turn, const std::function<bool()>& done) {
  QElapsedTimer timer;
  timer.start();
  while (!done()) {
    if (timer.elapsed() > 60000) return false;
    for (const auto& federate : federates) turn(federate->rti());
  }
  return true;
}

}  // namespace

class tst_unmodified_programs : public QObject {
  Q_OBJECT

  OwnNode node_;

 private slots:
  void settingsOfOthers_data();
  void settingsOfOthers();
  void everyoneCreates();
  void everyoneDestroys();
  void evokeLoops_data();
  void evokeLoops();
  void pollingAt100kHz();
  void ownCallbacksComeAtOnce();
  void evokesInImmediate();
  void pollsThenSleeps();
  void neverResigns_data();
  void neverResigns();
  void joinsWithoutName();
  void manyOnOneThread_data();
  void manyOnOneThread();
  void burstToThoseWhoDoNotListen();
  void historicTimes();
};

void tst_unmodified_programs::settingsOfOthers_data() {
  QTest::addColumn<QString>("designator");
  QTest::newRow("nothing") << QString();
  QTest::newRow("a name") << "CERTI";
  QTest::newRow("a host") << "localhost";
  QTest::newRow("a host and a port") << "192.168.0.7:8989";
  QTest::newRow("crcAddress") << "crcAddress=localhost:8989";
  QTest::newRow("lines") << "crcHost=localhost\ncrcPort=8989\n";
  QTest::newRow("a URL") << "rti://localhost:14321";
  QTest::newRow("a web address") << "http://localhost/rti?x=y&z#w";
  QTest::newRow("in process") << "thread://";
  QTest::newRow("a file") << "/etc/rti/RTI.rid";
  QTest::newRow("a file of Windows") << "C:\\Program Files\\rti\\RTI.rid";
  QTest::newRow("XML") << "<rti><connection type=\"udp\"/></rti>";
  QTest::newRow("spaces") << "   ";
  QTest::newRow("letters of all kinds") << QString::fromUtf8("Größe=😀;Ωμέγα");
  QTest::newRow("long") << QString(100000, 'x');
}

void tst_unmodified_programs::settingsOfOthers() {
  QFETCH(QString, designator);
  const QString federation = uniqueName("settings");
  Recorder a("a"), b("b");
  a.connect(HLA_EVOKED, designator);
  a.create(federation, {testFom()});
  a.join(federation);
  b.enter(federation);  // finds the same RTI
  QCOMPARE(b.rti().getFederateHandle(L"a"), a.handle());
}

void tst_unmodified_programs::everyoneCreates() {
  const QString federation = uniqueName("created");
  std::vector<std::unique_ptr<Recorder>> federates;
  int refused = 0;
  for (int i = 0; i < 4; ++i) {
    auto& one = *federates.emplace_back(std::make_unique<Recorder>(QString("f%1").arg(i)));
    one.connect();
    try {
      one.create(federation, {testFom()});
    } catch (const FederationExecutionAlreadyExists&) {
      ++refused;
    }
    one.join(federation);
  }
  QCOMPARE(refused, 3);
  // Also of one who is joined already, and whatever the other arguments are.
  for (const QStringList& modules : {QStringList(testFom()), QStringList("/nowhere.xml")}) {
    QVERIFY_EXCEPTION_THROWN(federates[0]->create(federation, modules), Exception);
  }
  QCOMPARE(federates::joinedNames(node_.name(), federation), QStringList({"f0", "f1", "f2", "f3"}));
}

void tst_unmodified_programs::everyoneDestroys() {
  const QString federation = uniqueName("destroyed");
  Recorder a("a"), b("b");
  a.enter(federation);
  b.enter(federation);
  const std::wstring name = federation.toStdWString();
  for (Recorder* one : {&a, &b}) {
    QVERIFY_EXCEPTION_THROWN(one->rti().destroyFederationExecution(name), FederatesCurrentlyJoined);
  }
  a.rti().resignFederationExecution(NO_ACTION);
  QVERIFY_EXCEPTION_THROWN(a.rti().destroyFederationExecution(name), FederatesCurrentlyJoined);
  b.rti().resignFederationExecution(NO_ACTION);
  b.rti().destroyFederationExecution(name);
  QVERIFY_EXCEPTION_THROWN(a.rti().destroyFederationExecution(name),
                           FederationExecutionDoesNotExist);
  // And once more from the beginning, with the same ambassadors.
  a.create(federation, {testFom()});
  a.join(federation);
  b.join(federation);
  a.rti().resignFederationExecution(NO_ACTION);
  a.rti().disconnect();
  a.rti().disconnect();  // NotConnected is not in its list
}

void tst_unmodified_programs::evokeLoops_data() {
  QTest::addColumn<Turn>("turn");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto one = [](double least) {
    return Turn([=](RTIambassador& rti) { rti.evokeCallback(least); });
  };
  const auto many = [](double least, double most) {
    return Turn([=](RTIambassador& rti) { rti.evokeMultipleCallbacks(least, most); });
  };
  QTest::newRow("as long as there are more") << Turn([](RTIambassador& rti) {
    while (rti.evokeCallback(0.0)) {
    }
  });
  QTest::newRow("one") << one(0.0);
  QTest::newRow("one, waiting") << one(0.001);
  QTest::newRow("one, less than no time") << one(-1.0);
  QTest::newRow("one, no number") << one(nan);
  QTest::newRow("many, no time") << many(0.0, 0.0);
  QTest::newRow("many") << many(0.001, 0.002);
  QTest::newRow("many, at once") << many(0.0, 1.0);
  QTest::newRow("many, least above most") << many(0.002, 0.001);
  QTest::newRow("many, less than no time") << many(-1.0, -1.0);
  QTest::newRow("many, without end, when there are some") << many(0.0, infinity);
  QTest::newRow("many, no numbers") << many(nan, nan);
  QTest::newRow("many, no number at the end") << many(0.0, nan);
}

void tst_unmodified_programs::evokeLoops() {
  QFETCH(Turn, turn);
  const QString federation = uniqueName("evoke");
  Recorder a("a"), b("b");
  a.enter(federation);
  b.enter(federation);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  b.quiet = true;
  for (int i = 0; i < 100; ++i) a.send("Message", {{"text", QByteArray::number(i)}});
  const std::vector<Recorder*> both{&a, &b};
  QVERIFY(byTurns(both, turn, [&] { return b.interactions == 100; }));
}

void tst_unmodified_programs::pollingAt100kHz() {
  using namespace std::chrono_literals;
  const QString federation = uniqueName("polling");
  Recorder poller("poller"), sender("sender");
  poller.enter(federation);
  sender.enter(federation);
  sender.publishInteraction("Message");
  poller.subscribeInteraction("Message");
  QStringList heard;
  poller.onReceive = [&](auto, const ParameterHandleValueMap& values) {
    const auto& value = values.begin()->second;
    heard << QString::fromLatin1(static_cast<const char*>(value.data()),
                                 static_cast<int>(value.size()));
  };
  poller.quiet = true;
  QStringList sent;
  const auto sendNext = [&] {
    sent << QString::number(sent.size());
    sender.send("Message", {{"text", sent.last().toLatin1()}});
  };
  // The ring between the two grows, by requests, until it holds all that may ever wait in it; the
  // next message gives the outgrown one back.
  constexpr int kMessages = 2000;
  for (int i = 0; i < kMessages; ++i) sendNext();
  poller.pump();
  sendNext();
  poller.pump();
  QCOMPARE(heard, sent);
  const auto requests = [this] { return federates::nodeStatus(node_.name())->requests; };
  const auto before = requests();
  std::atomic<bool> polls{false};
  std::thread thread([&] {
    while (!polls) sched_yield();
    for (int i = 0; i < kMessages; ++i) {
      sendNext();
      sched_yield();
    }
  });
  QElapsedTimer timer;
  timer.start();
  auto next = std::chrono::steady_clock::now();
  // At least 20,000 polls, most of which find nothing.
  for (int i = 0; (i < 20000 || heard.size() < 2 * kMessages + 1) && timer.elapsed() < 60000; ++i) {
    poller.rti().evokeCallback(0.0);
    polls = true;
    for (next += 10us; std::chrono::steady_clock::now() < next;) {
    }
    next = std::max(next, std::chrono::steady_clock::now() - 1ms);
  }
  thread.join();
  QCOMPARE(heard, sent);
  QCOMPARE(requests(), before);  // nobody was asked for it
}

/// A thread that asks and waits for its callback in HLA_IMMEDIATE need not wait until the
/// delivering thread looks again by itself, which is ten times a second.
void tst_unmodified_programs::ownCallbacksComeAtOnce() {
  Recorder a("a");
  a.enter(uniqueName("at once"), HLA_IMMEDIATE);
  QElapsedTimer timer;
  timer.start();
  const auto comes = [&](const QString& prefix, int wanted) {
    return federates::waitUntil([&] { return a.count(prefix) >= wanted; });
  };
  a.rti().enableTimeRegulation(HLAfloat64Interval(1.0));
  QVERIFY(comes("regulating", 1));
  a.rti().enableTimeConstrained();
  QVERIFY(comes("constrained", 1));
  for (int i = 1; i <= 100; ++i) {
    a.rti().timeAdvanceRequest(HLAfloat64Time(i));
    QVERIFY(comes("granted", i));
    a.rti().reserveObjectInstanceName(L"name " + std::to_wstring(i));
    QVERIFY(comes("reserved", i));
    a.rti().listFederationExecutions();
    QVERIFY(comes("executions", i));
  }
  QVERIFY(timer.elapsed() < 15000);
}

/// A program that asks for HLA_IMMEDIATE and evokes all the same: its loop passes, and each
/// callback comes once.
void tst_unmodified_programs::evokesInImmediate() {
  const QString federation = uniqueName("both");
  Recorder a("a");
  a.enter(federation, HLA_IMMEDIATE);
  a.subscribeInteraction("Event");
  Recorder b("b");
  b.enter(federation);
  b.rti().publishInteractionClass(b.rti().getInteractionClassHandle(L"Event"));
  for (int i = 1; i <= 20; ++i) {
    b.rti().sendInteraction(b.rti().getInteractionClassHandle(L"Event"), {}, {});
    QVERIFY(federates::waitUntil([&] {
      const bool more = a.rti().evokeCallback(0.001) || a.rti().evokeMultipleCallbacks(0.001, 0.01);
      return !more && a.count("receive") >= i;
    }));
    QCOMPARE(a.count("receive"), i);
  }
}

/// A receiver that reads again and again looks at its sender's ring by itself; when it sleeps, it
/// is woken as ever, and not found by its own look ten times a second.
void tst_unmodified_programs::pollsThenSleeps() {
  const QString federation = uniqueName("poll, sleep");
  Recorder a("a");
  a.enter(federation);
  a.subscribeInteraction("Event");
  Recorder b("b");
  b.enter(federation);
  const auto event = b.rti().getInteractionClassHandle(L"Event");
  b.rti().publishInteractionClass(event);
  qint64 asleep = 0;
  for (int round = 0; round < 100; ++round) {
    for (int sent = 1; sent <= 24; ++sent) {
      b.rti().sendInteraction(event, {}, {});
      QElapsedTimer limit;
      limit.start();
      while (a.count("receive") < sent && limit.elapsed() < 10000) a.rti().evokeCallback(0.0);
      QCOMPARE(a.count("receive"), sent);
    }
    a.clearLog();
    std::thread sender([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      b.rti().sendInteraction(event, {}, {});
    });
    QElapsedTimer timer;
    timer.start();
    a.rti().evokeCallback(5.0);
    asleep += timer.elapsed();
    sender.join();
    QCOMPARE(a.count("receive"), 1);
    a.clearLog();
  }
  // A hundred sleeps that end only by themselves take ten seconds.
  QVERIFY2(asleep < 5000 * patience, qPrintable(QString::number(asleep)));
}

void tst_unmodified_programs::neverResigns_data() {
  QTest::addColumn<bool>("immediate");
  QTest::newRow("evoked") << false;
  QTest::newRow("immediate") << true;
}

void tst_unmodified_programs::neverResigns() {
  QFETCH(bool, immediate);
  const QString federation = uniqueName("stays");
  Recorder other("other");
  other.enter(federation);
  other.subscribe("Vehicle", {"position"});
  NullFederateAmbassador callbacks;
  auto rti = ambassador();
  rti->connect(callbacks, immediate ? HLA_IMMEDIATE : HLA_EVOKED);
  rti->joinFederationExecution(L"stays", L"test", federation.toStdWString());
  const auto vehicle = rti->getObjectClassHandle(L"Vehicle");
  const auto position = rti->getAttributeHandle(vehicle, L"position");
  rti->publishObjectClassAttributes(vehicle, {position});
  const auto car = rti->registerObjectInstance(vehicle);
  rti->updateAttributeValues(car, {{position, VariableLengthData("x", 1)}}, VariableLengthData());
  QVERIFY_EXCEPTION_THROWN(rti->disconnect(), FederateIsExecutionMember);
  QVERIFY_EXCEPTION_THROWN(rti->joinFederationExecution(L"again", L"test", L"another"),
                           FederateAlreadyExecutionMember);
  rti.reset();
  // What it sent comes, then its end.
  QVERIFY(other.expect("remove"));
  QCOMPARE(other.count("reflect"), 1);
  QCOMPARE(federates::joinedNames(node_.name(), federation), QStringList("other"));
  Recorder again("stays");
  again.enter(federation);
}

void tst_unmodified_programs::joinsWithoutName() {
  const QString federation = uniqueName("nameless");
  Recorder named("named");
  named.enter(federation);
  std::vector<std::unique_ptr<RTIambassador>> nameless;
  NullFederateAmbassador callbacks;
  QSet<QString> names{"named"};
  for (int i = 0; i < 20; ++i) {
    auto& rti = *nameless.emplace_back(ambassador());
    rti.connect(callbacks, HLA_EVOKED);
    const auto handle = rti.joinFederationExecution(L"same type", federation.toStdWString());
    const std::wstring name = rti.getFederateName(handle);
    QVERIFY(!name.empty());
    names << QString::fromStdWString(name);
    QCOMPARE(rti.getFederateHandle(name), handle);
    QCOMPARE(named.rti().getFederateHandle(name), handle);
  }
  QCOMPARE(names.size(), 21);
  // A name that was made is taken like any other.
  Recorder late(QString::fromStdWString(
      named.rti().getFederateName(nameless[0]->getFederateHandle(L"named"))));
  late.connect();
  QVERIFY_EXCEPTION_THROWN(late.join(federation), FederateNameAlreadyInUse);
  for (const auto& rti : nameless) rti->resignFederationExecution(NO_ACTION);
}

void tst_unmodified_programs::manyOnOneThread_data() {
  QTest::addColumn<Turn>("turn");
  QTest::newRow("a callback each") << Turn([](RTIambassador& rti) { rti.evokeCallback(0.0); });
  QTest::newRow("all that there is")
      << Turn([](RTIambassador& rti) { rti.evokeMultipleCallbacks(0.0, 1.0); });
  QTest::newRow("waiting each time") << Turn([](RTIambassador& rti) { rti.evokeCallback(0.0002); });
}

/// A time-stepped simulation of six, of which none may wait for another one in a service.
void tst_unmodified_programs::manyOnOneThread() {
  QFETCH(Turn, turn);
  constexpr int steps = 20;
  const QString federation = uniqueName("turns");
  std::vector<std::unique_ptr<Recorder>> all;
  for (int i = 0; i < 6; ++i) {
    auto& one = *all.emplace_back(std::make_unique<Recorder>(QString("f%1").arg(i)));
    one.enter(federation);
    one.publishInteraction("Event");
    one.subscribeInteraction("Event");
    one.rti().enableTimeRegulation(HLAfloat64Interval(1.0));
    one.rti().enableTimeConstrained();
  }
  const auto everyone = [&](const QString& prefix, int wanted) {
    return byTurns(all, turn, [&] {
      return std::all_of(all.begin(), all.end(),
                         [&](const auto& one) { return one->count(prefix) >= wanted; });
    });
  };
  QVERIFY(everyone("regulating", 1));
  QVERIFY(everyone("constrained", 1));
  for (int step = 1; step <= steps; ++step) {
    for (const auto& one : all) {
      one->send("Event", {{"number", one->name().toLatin1()}}, step);
      one->rti().timeAdvanceRequest(HLAfloat64Time(step));
    }
    QVERIFY(everyone("granted", step));
  }
  for (const auto& one : all) {
    QCOMPARE(one->count("receive Event"), 5 * steps);
    QCOMPARE(one->linesWith("receive Event").filter("TSO").size(), 5 * steps);
  }
}

void tst_unmodified_programs::burstToThoseWhoDoNotListen() {
  constexpr int updates = 20000;
  const QString federation = uniqueName("burst");
  std::vector<std::unique_ptr<Recorder>> all;
  for (int i = 0; i < 4; ++i) {
    auto& one = *all.emplace_back(std::make_unique<Recorder>(QString("f%1").arg(i)));
    one.enter(federation);
    one.publish("Vehicle", {"position"});
    one.subscribe("Vehicle", {"position"});
    one.quiet = true;
  }
  const auto car = all[0]->registerInstance("Vehicle");
  for (int i = 0; i < updates; ++i) all[0]->update(car, "Vehicle", {{"position", "0123456789"}});
  const Turn turn = [](RTIambassador& rti) { rti.evokeMultipleCallbacks(0.0, 0.01); };
  QVERIFY(byTurns(all, turn, [&] {
    return std::all_of(all.begin() + 1, all.end(),
                       [](const auto& one) { return one->reflections == updates; });
  }));
  QCOMPARE(all[0]->reflections, 0L);
}

/// Times as programs of the years before 2010 name them.
void tst_unmodified_programs::historicTimes() {
  class Historic : public NullFederateAmbassador {
   public:
    RTI1516fedTime now{0.0};
    int enabled = 0;
    bool granted = false;
    QStringList received;

    void timeRegulationEnabled(const LogicalTime& time) override {
      now = time;
      ++enabled;
    }
    void timeConstrainedEnabled(const LogicalTime& time) override {
      now = RTI1516fedTime(time);
      ++enabled;
    }
    void timeAdvanceGrant(const LogicalTime& time) override {
      now = time;
      granted = true;
    }
    void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap&,
                            const VariableLengthData&, OrderType, TransportationType,
                            const LogicalTime& time, OrderType, MessageRetractionHandle,
                            SupplementalReceiveInfo) override {
      received << QString::number(RTI1516fedTime(time).getFedTime());
    }
    using NullFederateAmbassador::receiveInteraction;
  };
  const QString federation = uniqueName("historic");
  Historic callbacks;
  auto rti = ambassador();
  rti->connect(callbacks, HLA_EVOKED, L"");
  rti->createFederationExecution(federation.toStdWString(), testFom().toStdWString());
  rti->joinFederationExecution(L"historic", federation.toStdWString());
  rti->enableTimeRegulation(RTI1516fedTimeInterval(0.5));
  rti->enableTimeConstrained();
  while (callbacks.enabled < 2) rti->evokeCallback(0.01);
  Recorder modern("modern");
  modern.enter(federation);
  modern.rti().enableTimeRegulation(HLAfloat64Interval(0.5));
  QVERIFY(modern.expect("regulating"));
  modern.publishInteraction("Event");
  const auto event = rti->getInteractionClassHandle(L"Event");
  rti->subscribeInteractionClass(event);
  rti->publishInteractionClass(event);
  modern.subscribeInteraction("Event");
  rti->sendInteraction(event, {}, VariableLengthData(),
                       RTI1516fedTime(callbacks.now.getFedTime() + 1.5));
  modern.send("Event", {}, 0.75);
  for (int step = 1; step <= 3; ++step) {
    callbacks.granted = false;
    rti->timeAdvanceRequest(RTI1516fedTime(callbacks.now.getFedTime() + 1.0));
    modern.rti().timeAdvanceRequest(HLAfloat64Time(step));
    QVERIFY(modern.pumpUntil([&] {
      rti->evokeCallback(0.0);
      return callbacks.granted && modern.count("granted") == step;
    }));
    QCOMPARE(callbacks.now.getFedTime(), static_cast<double>(step));
  }
  QCOMPARE(callbacks.received, QStringList("0.75"));
  QVERIFY(modern.expect("receive Event  @1.5"));
  RTI1516fedTime asked;
  rti->queryLogicalTime(asked);
  QCOMPARE(asked.getFedTime(), 3.0);
  QVERIFY(rti->queryGALT(asked));
  QCOMPARE(asked.getFedTime(), 3.5);
  RTI1516fedTimeInterval lookahead;
  rti->queryLookahead(lookahead);
  QCOMPARE(lookahead.getInterval(), 0.5);
  rti->resignFederationExecution(NO_ACTION);
  rti->disconnect();
}

QTEST_GUILESS_MAIN(tst_unmodified_programs)
#include "tst_unmodified_programs.moc"
