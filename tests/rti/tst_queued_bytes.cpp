// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes that wait in a federate's queues, as shown, are those that the sender counted out.
#include <QtTest>
#include <optional>

#include "observe/observer.h"
#include "recorder.h"

using namespace rti1516e;

class tst_queued_bytes : public QObject {
  Q_OBJECT

  OwnNode node_;

  tutti::observe::CounterValues counters(const Recorder& recorder) const {
    auto observer = tutti::observe::Observer::connect(node_.name().toStdString());
    if (!observer) return {};
    const auto sample = observer->sample();
    for (const auto& federation : sample.federations) {
      for (const auto& one : federation.federates) {
        if (one.name == recorder.name().toStdString() &&
            one.state == tutti::fabric::FederateState::Joined) {
          return one.counters;
        }
      }
    }
    return {};
  }

 private slots:
  void areWhatTheSenderCountedOut_data() {
    QTest::addColumn<int>("bytes");
    QTest::newRow("small") << 100;
    QTest::newRow("larger") << 500;
  }
  void areWhatTheSenderCountedOut() {
    QFETCH(int, bytes);
    Recorder a("a"), b("b");
    const QString federation = uniqueName("queues");
    a.enter(federation);
    b.enter(federation);
    a.publishInteraction("Event");
    a.publishInteraction("Message");
    b.subscribeInteraction("Event");
    b.subscribeInteraction("Message");
    a.rti().enableTimeRegulation(HLAfloat64Interval(1.0));
    QVERIFY(a.expect("regulating"));
    b.rti().enableTimeConstrained();
    QVERIFY(b.expect("constrained"));

    const QByteArray value(bytes, 'x');
    const std::uint64_t before = counters(a).bytesSent;
    std::optional<MessageRetractionHandle> last;
    for (int i = 0; i < 8; ++i) last = a.send("Event", {{"number", value}}, 2.0 + i);
    const std::uint64_t stamped = counters(a).bytesSent - before;
    QVERIFY(stamped >= 8U * static_cast<std::uint64_t>(bytes));
    QVERIFY(b.pumpUntil([&] { return counters(b).timestampOrderQueued == 8; }));
    QCOMPARE(counters(b).queuedBytes, stamped);

    // One that is constrained and has not asked to advance has receive order held back.
    for (int i = 0; i < 4; ++i) a.send("Message", {{"text", value}});
    const std::uint64_t all = counters(a).bytesSent - before;
    QVERIFY(b.pumpUntil([&] { return counters(b).receiveOrderQueued == 4; }));
    QCOMPARE(counters(b).queuedBytes, all);

    a.rti().retract(*last);
    QVERIFY(b.pumpUntil([&] { return counters(b).timestampOrderQueued == 7; }));
    QCOMPARE(counters(b).queuedBytes, all - stamped / 8);

    a.rti().timeAdvanceRequest(HLAfloat64Time(3.0));
    b.rti().timeAdvanceRequest(HLAfloat64Time(3.0));
    QVERIFY(a.expect("granted") && b.expect("granted"));
    QCOMPARE(counters(b).timestampOrderQueued, std::uint64_t{5});
    QCOMPARE(counters(b).receiveOrderQueued, std::uint64_t{0});
    QCOMPARE(counters(b).queuedBytes, 5 * stamped / 8);

    // Who is no longer constrained takes what waits, and has it back when it is again.
    b.rti().disableTimeConstrained();
    QVERIFY(b.pumpUntil([&] { return counters(b).timestampOrderQueued == 0; }));
    QCOMPARE(counters(b).queuedBytes, std::uint64_t{0});
    b.leave();
    a.leave();
  }
};

QTEST_GUILESS_MAIN(tst_queued_bytes)
#include "tst_queued_bytes.moc"
