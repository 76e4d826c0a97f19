// SPDX-License-Identifier: GPL-3.0-or-later
// Time management against a plain reference: random federations of six, one thread, by turns.
#include <QtTest>
#include <algorithm>
#include <barrier>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "recorder.h"

using namespace rti1516e;

namespace {

constexpr int federates = 6;
constexpr double endOfTime = 12.0;

enum class Advance { TAR, TARA, NMR, NMRA };

/// The reference: what each federate has promised, and who was granted what. It knows every message
/// sent, and judges each grant and each delivery by the words of 8.8 to 8.13.
struct Reference {
  struct Message {
    int sender;
    int number;
    double stamp;
  };
  struct Federate {
    bool constrained = true;
    bool regulating = true;
    double lookahead = 0;
    double time = 0;
    bool advancing = false;
    Advance how = Advance::TAR;
    double requested = 0;
    bool strict = false;               ///< what it sends is later than its bound
    std::vector<Message> undelivered;  ///< sent to it, not yet delivered
    double lastDelivered = -1;
    bool left = false;
  };
  Federate all[federates];
  QString problem;

  void fail(const QString& text) {
    if (problem.isEmpty()) problem = text;
  }

  void sent(int from, int number, double stamp) {
    for (int to = 0; to < federates; ++to) {
      if (to == from || !all[to].constrained || all[to].left) continue;
      Federate& f = all[to];
      // A message may not come from the receiver's past.
      if (stamp < f.time || (stamp == f.time && f.strict)) {
        fail(QString("%1 sent %2 to %3, which is at %4").arg(from).arg(stamp).arg(to).arg(f.time));
      }
      f.undelivered.push_back({from, number, stamp});
    }
  }

  void delivered(int to, int from, int number, double stamp) {
    Federate& f = all[to];
    const auto found =
        std::find_if(f.undelivered.begin(), f.undelivered.end(),
                     [&](const Message& m) { return m.sender == from && m.number == number; });
    if (found == f.undelivered.end()) {
      fail(QString("%1 got message %2 of %3 twice or never sent").arg(to).arg(number).arg(from));
      return;
    }
    f.undelivered.erase(found);
    if (stamp < f.lastDelivered) {
      fail(QString("%1 got %2 after %3").arg(to).arg(stamp).arg(f.lastDelivered));
    }
    f.lastDelivered = stamp;
    if (stamp < f.time) fail(QString("%1 at %2 got %3 late").arg(to).arg(f.time).arg(stamp));
  }

  void granted(int who, double time) {
    Federate& f = all[who];
    if (!f.advancing) fail(QString("%1 was granted %2 unasked").arg(who).arg(time));
    const bool next = f.how == Advance::NMR || f.how == Advance::NMRA;
    if (time > f.requested || time < f.time || (!next && time != f.requested)) {
      fail(QString("%1 asked for %2 and was granted %3").arg(who).arg(f.requested).arg(time));
    }
    if (f.constrained) {
      // Nothing that was sent and is due may be missing. The "available" services leave room for
      // messages at the granted time itself.
      const bool available = f.how == Advance::TARA || f.how == Advance::NMRA;
      for (const Message& m : f.undelivered) {
        if (m.stamp < time || (m.stamp == time && !available)) {
          fail(QString("%1 was granted %2 before message %3 of %4")
                   .arg(who)
                   .arg(time)
                   .arg(m.stamp)
                   .arg(m.sender));
        }
      }
      if (next && time < f.requested && f.lastDelivered != time) {
        fail(QString("%1 was granted %2 without a message there").arg(who).arg(time));
      }
    }
    f.advancing = false;
    f.strict = f.how == Advance::TAR || f.how == Advance::NMR;
    f.time = time;
  }
};

}  // namespace

class tst_time : public QObject {
  Q_OBJECT

  OwnNode node_;

  void runSeed(unsigned seed, const QString& federation);

 private slots:
  void random_data();
  void random();
  void inParallel_data();
  void inParallel();
  void twoWithoutLookahead();
  void constrainedJoinsLate();
  void regulatingJoinsLate();
  void resigningReleasesTheOthers();
  void nextMessageAfterRingsHaveGrown();
  void receiveOrderWaitsForAsynchronousDelivery();
};

void tst_time::random_data() {
  QTest::addColumn<unsigned>("first");
  QTest::addColumn<unsigned>("count");
  for (unsigned i = 0; i < 10; ++i) {
    QTest::addRow("seeds %u to %u", i * 100 + 1, i * 100 + 100) << i * 100 + 1 << 100u;
  }
}

void tst_time::random() {
  QFETCH(unsigned, first);
  QFETCH(unsigned, count);
  for (unsigned seed = first; seed < first + count; ++seed) {
    runSeed(seed, uniqueName("time"));
    if (QTest::currentTestFailed()) return;
  }
}

void tst_time::runSeed(unsigned seed, const QString& federation) {
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % unsigned(n)); };
  Reference reference;
  std::vector<std::unique_ptr<Recorder>> all;
  const bool zeroForAll = pick(4) == 0;
  for (int i = 0; i < federates; ++i) {
    all.push_back(std::make_unique<Recorder>(QString::number(i)));
    Recorder& r = *all.back();
    r.quiet = true;
    r.enter(federation);
    r.publishInteraction("Event");
    r.subscribeInteraction("Event");
    auto& f = reference.all[i];
    f.lookahead = zeroForAll ? 0.0 : 0.5 * pick(4);
    f.regulating = pick(8) != 0;
    f.constrained = pick(8) != 0;
    if (f.regulating) r.rti().enableTimeRegulation(HLAfloat64Interval(f.lookahead));
    if (f.constrained) r.rti().enableTimeConstrained();
  }
  for (int i = 0; i < federates; ++i) {
    if (reference.all[i].regulating) QVERIFY(all[i]->expect("regulating"));
    if (reference.all[i].constrained) QVERIFY(all[i]->expect("constrained"));
  }
  const InteractionClassHandle event = all[0]->interactionClass("Event");
  const ParameterHandle number = all[0]->parameter("Event", "number");
  struct Payload {
    int sender;
    int number;
    double stamp;
  };
  int sentCount = 0;
  const auto send = [&](int i) {
    auto& f = reference.all[i];
    if (!f.regulating) return;
    const double from = (f.advancing ? f.requested : f.time) + f.lookahead;
    const bool strict = f.lookahead == 0 &&
                        (f.advancing ? f.how == Advance::TAR || f.how == Advance::NMR : f.strict);
    const double stamp = from + (strict ? 0.25 : 0.0) + 0.25 * pick(8);
    const Payload payload{i, ++sentCount, stamp};
    ParameterHandleValueMap values;
    values[number] = VariableLengthData(&payload, sizeof payload);
    reference.sent(i, payload.number, stamp);
    all[i]->rti().sendInteraction(event, values, VariableLengthData(), HLAfloat64Time(stamp));
  };
  for (int i = 0; i < federates; ++i) {
    all[i]->onReceive = [&, i](auto, const ParameterHandleValueMap& values) {
      Payload payload;
      std::memcpy(&payload, values.begin()->second.data(), sizeof payload);
      if (reference.all[i].constrained) {
        reference.delivered(i, payload.sender, payload.number, payload.stamp);
      }
      if (pick(6) == 0) send(i);  // from inside a callback, before the grant
    };
    all[i]->onGrant = [&, i](double time) { reference.granted(i, time); };
  }

  const auto finished = [&] {
    return std::all_of(std::begin(reference.all), std::end(reference.all),
                       [](const auto& f) { return f.left; });
  };
  int idle = 0;
  while (!finished() && reference.problem.isEmpty()) {
    const int i = pick(federates);
    auto& f = reference.all[i];
    if (f.left) continue;
    bool active = false;
    if (!f.advancing && f.time == endOfTime) {
      // Whoever has reached the end goes, and no longer holds the others.
      f.left = true;
      all[i]->rti().resignFederationExecution(NO_ACTION);
      idle = 0;
      continue;
    }
    if (!f.advancing) {
      for (int k = pick(3); k > 0; --k) send(i);
      f.how = static_cast<Advance>(pick(4));
      f.requested = std::min(f.time + 0.25 * (1 + pick(5)), endOfTime);
      f.advancing = true;
      const HLAfloat64Time to(f.requested);
      switch (f.how) {
        case Advance::TAR:
          all[i]->rti().timeAdvanceRequest(to);
          break;
        case Advance::TARA:
          all[i]->rti().timeAdvanceRequestAvailable(to);
          break;
        case Advance::NMR:
          all[i]->rti().nextMessageRequest(to);
          break;
        case Advance::NMRA:
          all[i]->rti().nextMessageRequestAvailable(to);
          break;
      }
      active = true;
    }
    const auto before = f.advancing;
    for (int k = pick(4); k >= 0; --k) all[i]->rti().evokeCallback(0.0);
    if (active || before != f.advancing) {
      idle = 0;
    } else if (++idle > 3000) {
      break;
    }
  }
  QString state;
  for (int i = 0; i < federates; ++i) {
    const auto& f = reference.all[i];
    state += QString(" [%1 %2%3 L%4 at %5 %6 %7]")
                 .arg(i)
                 .arg(f.regulating ? "R" : "")
                 .arg(f.constrained ? "C" : "")
                 .arg(f.lookahead)
                 .arg(f.time)
                 .arg(f.advancing ? "asks" : "idle")
                 .arg(f.requested);
  }
  QVERIFY2(reference.problem.isEmpty(),
           qPrintable(QString("seed %1: %2;%3").arg(seed).arg(reference.problem, state)));
  QVERIFY2(finished(), qPrintable(QString("seed %1: time stands:%2").arg(seed).arg(state)));
}

void tst_time::inParallel_data() {
  QTest::addColumn<unsigned>("seed");
  for (unsigned seed = 1; seed <= 40; ++seed) QTest::addRow("seed %u", seed) << seed;
}

// The same kind of federation, a thread for each federate; what each saw is compared afterwards.
void tst_time::inParallel() {
  QFETCH(unsigned, seed);
  const QString federation = uniqueName("parallel");
  struct Message {
    int sender;
    int number;
    double stamp;
  };
  struct Seen {
    std::vector<Message> sent;
    std::vector<Message> got;
    QString problem;
    bool regulating = false;
    bool constrained = false;
    double end = 0;
  };
  std::vector<Seen> seen(federates);
  std::barrier together(federates);
  const auto run = [&](int i) {
    std::mt19937 random(seed * 100 + static_cast<unsigned>(i));
    const auto pick = [&](int n) { return static_cast<int>(random() % unsigned(n)); };
    Seen& mine = seen[static_cast<std::size_t>(i)];
    Recorder r(QString::number(i));
    r.quiet = true;
    r.enter(federation);
    r.publishInteraction("Event");
    r.subscribeInteraction("Event");
    const InteractionClassHandle event = r.interactionClass("Event");
    const ParameterHandle number = r.parameter("Event", "number");
    const double lookahead = seed % 4 == 0 ? 0.0 : 0.5 * pick(4);
    mine.regulating = pick(8) != 0;
    mine.constrained = pick(8) != 0;
    together.arrive_and_wait();
    if (mine.regulating) r.rti().enableTimeRegulation(HLAfloat64Interval(lookahead));
    if (mine.constrained) r.rti().enableTimeConstrained();
    const bool ready = r.pumpUntil([&] {
      return (!mine.regulating || r.count("regulating")) &&
             (!mine.constrained || r.count("constrained"));
    });
    if (!ready) mine.problem = "time management was not enabled";
    together.arrive_and_wait();
    double time = 0;
    bool advancing = false;
    bool strict = false;
    double requested = 0;
    Advance how = Advance::TAR;
    const auto send = [&] {
      if (!mine.regulating) return;
      const bool later =
          lookahead == 0 && (advancing ? how == Advance::TAR || how == Advance::NMR : strict);
      const double stamp =
          (advancing ? requested : time) + lookahead + (later ? 0.25 : 0.0) + 0.25 * pick(8);
      const Message message{i, static_cast<int>(mine.sent.size()), stamp};
      mine.sent.push_back(message);
      ParameterHandleValueMap values;
      values[number] = VariableLengthData(&message, sizeof message);
      r.rti().sendInteraction(event, values, VariableLengthData(), HLAfloat64Time(stamp));
    };
    r.onReceive = [&](auto, const ParameterHandleValueMap& values) {
      Message message;
      std::memcpy(&message, values.begin()->second.data(), sizeof message);
      if (mine.constrained && (message.stamp < time || (message.stamp == time && strict))) {
        mine.problem = QString("at %1 came %2").arg(time).arg(message.stamp);
      }
      mine.got.push_back(message);
      if (pick(8) == 0 && mine.sent.size() < 400) send();
    };
    r.onGrant = [&](double to) {
      time = to;
      advancing = false;
      strict = how == Advance::TAR || how == Advance::NMR;
    };
    while (time < endOfTime && mine.problem.isEmpty()) {
      for (int k = pick(3); k > 0; --k) send();
      how = static_cast<Advance>(pick(4));
      requested = std::min(time + 0.25 * (1 + pick(5)), endOfTime);
      advancing = true;
      const HLAfloat64Time to(requested);
      switch (how) {
        case Advance::TAR:
          r.rti().timeAdvanceRequest(to);
          break;
        case Advance::TARA:
          r.rti().timeAdvanceRequestAvailable(to);
          break;
        case Advance::NMR:
          r.rti().nextMessageRequest(to);
          break;
        case Advance::NMRA:
          r.rti().nextMessageRequestAvailable(to);
          break;
      }
      if (!r.pumpUntil([&] { return !advancing; })) {
        mine.problem = QString("time stands at %1, asked for %2").arg(time).arg(requested);
      }
    }
    mine.end = time;
    r.rti().resignFederationExecution(NO_ACTION);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < federates; ++i) threads.emplace_back(run, i);
  for (auto& thread : threads) thread.join();

  for (int to = 0; to < federates; ++to) {
    const Seen& mine = seen[static_cast<std::size_t>(to)];
    QVERIFY2(mine.problem.isEmpty(),
             qPrintable(QString("federate %1: %2").arg(to).arg(mine.problem)));
    std::set<std::pair<int, int>> got;
    for (const Message& m : mine.got) QVERIFY(got.insert({m.sender, m.number}).second);
    if (!mine.constrained) continue;
    for (int from = 0; from < federates; ++from) {
      if (from == to) continue;
      for (const Message& m : seen[static_cast<std::size_t>(from)].sent) {
        // Everything due before its end, and nothing else.
        if (m.stamp < mine.end) QVERIFY(got.contains({m.sender, m.number}));
        if (m.stamp > mine.end) QVERIFY(!got.contains({m.sender, m.number}));
      }
    }
  }
}

void tst_time::twoWithoutLookahead() {
  const QString federation = uniqueName("zero");
  Recorder a("a"), b("b");
  for (Recorder* r : {&a, &b}) {
    r->enter(federation);
    r->rti().enableTimeRegulation(HLAfloat64Interval(0.0));
    r->rti().enableTimeConstrained();
  }
  for (Recorder* r : {&a, &b}) {
    QVERIFY(r->expect("regulating 0"));
    QVERIFY(r->expect("constrained 0"));
  }
  a.rti().timeAdvanceRequest(HLAfloat64Time(10));
  a.pump();
  QCOMPARE(a.count("granted"), 0);
  b.rti().timeAdvanceRequest(HLAfloat64Time(10));
  QVERIFY(a.expect("granted 10"));
  QVERIFY(b.expect("granted 10"));
  // After a grant by TAR at zero lookahead nothing can be sent at the granted time any more.
  b.publishInteraction("Event");
  QVERIFY_EXCEPTION_THROWN(b.send("Event", {{"number", "x"}}, 10.0), InvalidLogicalTime);
  b.send("Event", {{"number", "x"}}, 10.5);
}

void tst_time::constrainedJoinsLate() {
  const QString federation = uniqueName("late");
  Recorder a("a");
  a.enter(federation);
  a.rti().enableTimeRegulation(HLAfloat64Interval(1.0));
  QVERIFY(a.expect("regulating 0"));
  a.rti().timeAdvanceRequest(HLAfloat64Time(5));
  QVERIFY(a.expect("granted 5"));
  Recorder b("b");
  b.enter(federation);
  b.rti().enableTimeConstrained();
  QVERIFY(b.expect("constrained 0"));
  HLAfloat64Time galt;
  QVERIFY(b.rti().queryGALT(galt));
  QCOMPARE(galt.getTime(), 6.0);
  b.rti().timeAdvanceRequest(HLAfloat64Time(6));
  b.pump();
  QCOMPARE(b.count("granted"), 0);
  b.rti().evokeCallback(0.0);
  a.rti().timeAdvanceRequest(HLAfloat64Time(5.5));
  QVERIFY(b.expect("granted 6"));
}

void tst_time::regulatingJoinsLate() {
  const QString federation = uniqueName("late");
  Recorder a("a");
  a.enter(federation);
  a.rti().enableTimeConstrained();
  QVERIFY(a.expect("constrained 0"));
  a.rti().timeAdvanceRequest(HLAfloat64Time(5));
  QVERIFY(a.expect("granted 5"));
  Recorder b("b");
  b.enter(federation);
  b.rti().enableTimeRegulation(HLAfloat64Interval(1.0));
  // It begins where it cannot send into the past of the other.
  QVERIFY(b.expect("regulating 5"));
  a.rti().timeAdvanceRequest(HLAfloat64Time(6));
  a.pump();
  QCOMPARE(a.count("granted"), 1);
  b.rti().timeAdvanceRequest(HLAfloat64Time(5.5));
  QVERIFY(a.expect("granted 6"));
}

// Counts of messages sent and taken decide whether a request for a next message is seen whole: they
// must agree after a ring was replaced by a larger one in the middle of a burst.
void tst_time::nextMessageAfterRingsHaveGrown() {
  const QString federation = uniqueName("grown");
  Recorder a("a"), b("b"), c("c");
  for (Recorder* r : {&a, &b, &c}) {
    r->enter(federation);
    r->publishInteraction("Event");
    r->subscribeInteraction("Event");
    r->rti().enableTimeRegulation(HLAfloat64Interval(0.0));
    r->rti().enableTimeConstrained();
    QVERIFY(r->expect("regulating"));
  }
  for (Recorder* r : {&a, &b, &c}) {
    QVERIFY(r->expect("constrained"));
    r->quiet = true;
  }
  for (int i = 0; i < 2000; ++i) a.send("Event", {{"number", QByteArray(100, 'x')}}, 5.0);
  int granted = 0;
  for (Recorder* r : {&a, &b, &c}) {
    r->onGrant = [&](double time) { granted += time == 5.0 || time == 6.0; };
    r->rti().nextMessageRequest(HLAfloat64Time(6.0));
  }
  // b and c get the messages of 5; at zero lookahead nobody is granted by a plain lower bound.
  QElapsedTimer timer;
  timer.start();
  while (granted < 3 && timer.elapsed() < 10000) {
    for (Recorder* r : {&a, &b, &c}) {
      r->pump();
    }
    if (b.interactions == 2000 && c.interactions == 2000 && granted == 2) {
      b.rti().nextMessageRequest(HLAfloat64Time(6.0));
      c.rti().nextMessageRequest(HLAfloat64Time(6.0));
      granted = -10;  // from here on all three wait for 6
    }
    if (granted == -7) break;
  }
  QCOMPARE(granted, -7);
}

void tst_time::resigningReleasesTheOthers() {
  const QString federation = uniqueName("resign");
  Recorder a("a");
  a.enter(federation);
  a.rti().enableTimeConstrained();
  auto b = std::make_unique<Recorder>("b");
  b->enter(federation);
  b->rti().enableTimeRegulation(HLAfloat64Interval(1.0));
  QVERIFY(b->expect("regulating"));
  QVERIFY(a.expect("constrained"));
  a.rti().timeAdvanceRequest(HLAfloat64Time(100));
  a.pump();
  QCOMPARE(a.count("granted"), 0);
  b->leave();
  QVERIFY(a.expect("granted 100"));
}

void tst_time::receiveOrderWaitsForAsynchronousDelivery() {
  const QString federation = uniqueName("async");
  Recorder a("a"), b("b");
  a.enter(federation);
  b.enter(federation);
  a.publishInteraction("Message");
  a.publishInteraction("Event");
  b.subscribeInteraction("Message");
  b.subscribeInteraction("Event");
  a.rti().enableTimeRegulation(HLAfloat64Interval(1.0));
  QVERIFY(a.expect("regulating"));
  b.rti().enableTimeConstrained();
  QVERIFY(b.expect("constrained"));
  b.clearLog();
  a.send("Event", {{"number", "1"}}, 2.0);
  a.send("Message", {{"text", "hello"}});
  for (int i = 0; i < 100; ++i) b.rti().evokeCallback(0.0);
  QCOMPARE(b.log(), QStringList());
  a.rti().timeAdvanceRequest(HLAfloat64Time(5));
  b.rti().timeAdvanceRequest(HLAfloat64Time(3));
  QVERIFY(b.expect("granted"));
  QCOMPARE(b.log(), QStringList({"receive Message text=hello", "receive Event number=1 @2 TSO",
                                 "granted 3"}));
  b.rti().enableAsynchronousDelivery();
  a.send("Message", {{"text", "now"}});
  QVERIFY(b.expect("receive Message text=now"));
}

QTEST_GUILESS_MAIN(tst_time)
#include "tst_time.moc"
