// SPDX-License-Identifier: GPL-3.0-or-later
// Several threads of one federate: calls at the same time, callbacks that come one after the other,
// callbacks by the RTI's own thread (HLA_IMMEDIATE) while others call in, and an end meanwhile.
#include <RTI/RangeBounds.h>

#include <QtTest>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <thread>
#include <vector>

#include "recorder.h"

using namespace rti1516e;

namespace {

constexpr int messages = 2000;

VariableLengthData number(std::uint64_t value) { return {&value, sizeof value}; }
std::uint64_t numberOf(const VariableLengthData& data) {
  std::uint64_t value = 0;
  if (data.size() == sizeof value) std::memcpy(&value, data.data(), sizeof value);
  return value;
}

/// Notes whether two of its callbacks were ever made at the same time.
class OneByOne : public Recorder {
 public:
  explicit OneByOne(const QString& name) : Recorder(name) { quiet = true; }
  ~OneByOne() RTI_NOEXCEPT override { end(); }

  std::atomic<bool> overlapped{false};
  std::atomic<int> received{0};
  std::atomic<bool> inOrder{true};
  std::array<std::atomic<std::uint64_t>, 8> last{};  ///< by sending thread
  std::function<void()> also;

  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap& values,
                          const VariableLengthData& tag, OrderType, TransportationType,
                          SupplementalReceiveInfo) override {
    if (inside_.exchange(true)) overlapped = true;
    const std::uint64_t thread = numberOf(tag) % last.size();
    const std::uint64_t value = numberOf(values.begin()->second);
    if (value != last[thread] + 1) inOrder = false;
    last[thread] = value;
    ++received;
    if (also) also();
    inside_ = false;
  }

 private:
  std::atomic<bool> inside_{false};
};

/// The name of what `call` throws; empty: nothing.
QString thrown(const std::function<void()>& call) {
  try {
    call();
  } catch (const FederateNotExecutionMember&) {
    return "FederateNotExecutionMember";
  } catch (const NotConnected&) {
    return "NotConnected";
  } catch (const Exception& exception) {
    return QString::fromStdWString(exception.what());
  }
  return {};
}

void models() {
  QTest::addColumn<bool>("immediate");
  QTest::newRow("evoked") << false;
  QTest::newRow("immediate") << true;
}

CallbackModel modelOf(bool immediate) { return immediate ? HLA_IMMEDIATE : HLA_EVOKED; }

}  // namespace

class tst_threads : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

  /// Has `federate` send numbers from `threads` threads, each its own; waits for them.
  void sendFrom(Recorder& federate, int threads, int count);

 private slots:
  void init() { federation_ = uniqueName("threads"); }
  void callsOfAllKinds_data() { models(); }
  void callsOfAllKinds();
  void callbacksComeOneByOne();
  void servicesWhileACallbackLasts_data() { models(); }
  void servicesWhileACallbackLasts();
  void immediateCallbacksWhileOthersCallIn();
  void anEndWhileAnotherThreadEvokes();
  void anEndWhileOthersCallIn_data() { models(); }
  void anEndWhileOthersCallIn();
  void callbacksSwitchedByAnotherThread();
  void othersTakeTheMemoryOfOneWhoResigned_data() { models(); }
  void othersTakeTheMemoryOfOneWhoResigned();
};

void tst_threads::sendFrom(Recorder& federate, int threads, int count) {
  const auto message = federate.interactionClass("Message");
  const auto text = federate.parameter("Message", "text");
  std::vector<std::thread> senders;
  for (int thread = 0; thread < threads; ++thread) {
    senders.emplace_back([&, thread] {
      for (int i = 1; i <= count; ++i) {
        federate.rti().sendInteraction(message, {{text, number(static_cast<std::uint64_t>(i))}},
                                       number(static_cast<std::uint64_t>(thread)));
      }
    });
  }
  for (std::thread& sender : senders) sender.join();
}

/// Each kind of service by a thread of its own, while one more delivers.
void tst_threads::callsOfAllKinds() {
  QFETCH(bool, immediate);
  OneByOne busy("busy");
  OneByOne peer("peer");
  busy.enter(federation_, modelOf(immediate));
  peer.enter(federation_);
  busy.publish("Vehicle", {"position"});
  busy.publishInteraction("Message");
  busy.subscribeInteraction("Message");
  peer.publishInteraction("Message");
  peer.subscribeInteraction("Message");
  peer.subscribe("Vehicle", {"position"});
  std::uint64_t reflected = 0;
  bool updatesInOrder = true;
  peer.onReflect = [&](auto, const AttributeHandleValueMap& values) {
    const std::uint64_t value = numberOf(values.begin()->second);
    updatesInOrder = updatesInOrder && value == reflected + 1;
    reflected = value;
  };
  const auto vehicle = busy.objectClass("Vehicle");
  const auto truck = busy.objectClass("Vehicle.Truck");
  const auto position = busy.attribute("Vehicle", "position");
  const auto load = busy.attribute("Vehicle.Truck", "load");
  const auto car = busy.registerInstance("Vehicle");
  RTIambassador& rti = busy.rti();
  std::atomic<int> working{0};
  QStringList problems;
  std::mutex mutex;
  std::vector<std::thread> threads;
  const auto work = [&](std::function<void(int)> call, int times) {
    ++working;
    threads.emplace_back([&, call = std::move(call), times] {
      for (int i = 1; i <= times; ++i) {
        const QString problem = thrown([&] { call(i); });
        if (problem.isEmpty()) continue;
        const std::lock_guard guard(mutex);
        problems << problem;
        break;
      }
      --working;
    });
  };
  work(
      [&](int i) {
        rti.updateAttributeValues(car, {{position, number(static_cast<std::uint64_t>(i))}}, {});
      },
      messages);
  work([&](int) { rti.deleteObjectInstance(rti.registerObjectInstance(vehicle), {}); },
       messages / 10);
  work(
      [&](int) {
        rti.subscribeObjectClassAttributes(truck, {load});
        rti.unsubscribeObjectClass(truck);
      },
      messages / 20);
  work(
      [&](int i) {
        if (rti.getObjectClassHandle(L"HLAobjectRoot.Vehicle") != vehicle ||
            rti.getAttributeName(vehicle, position) != L"position") {
          throw RTIinternalError(L"another handle");
        }
        HLAfloat64Time time(i);
        rti.queryLogicalTime(time);
      },
      messages);
  work(
      [&](int) {
        const auto dimension = rti.getDimensionHandle(L"HLAserviceGroup");
        const auto region = rti.createRegion({dimension});
        rti.setRangeBounds(region, dimension, RangeBounds(1, 2));
        rti.commitRegionModifications({region});
        rti.deleteRegion(region);
      },
      messages / 20);
  threads.emplace_back([&] { sendFrom(busy, 2, messages); });
  // The peer answers, so that callbacks are delivered to the busy one meanwhile.
  const auto message = peer.interactionClass("Message");
  const auto text = peer.parameter("Message", "text");
  std::uint64_t sent = 0;
  QElapsedTimer limit;
  limit.start();
  while ((working != 0 || peer.received < 2 * messages || reflected < messages) &&
         limit.elapsed() < 60000) {
    if (sent < messages) peer.rti().sendInteraction(message, {{text, number(++sent)}}, number(0));
    peer.pump();
    if (!immediate) busy.rti().evokeMultipleCallbacks(0.0, 0.01);
  }
  for (std::thread& thread : threads) thread.join();
  QCOMPARE(problems, QStringList());
  QVERIFY(busy.pumpUntil([&] { return busy.received == static_cast<int>(sent); }));
  QCOMPARE(peer.received.load(), 2 * messages);
  QCOMPARE(reflected, std::uint64_t{messages});
  QVERIFY(updatesInOrder && peer.inOrder && busy.inOrder);
  QVERIFY(!busy.overlapped);
  QVERIFY(peer.pumpUntil([&] { return peer.count("remove") == messages / 10; }));
}

/// However many threads evoke: never two callbacks at a time, each once, in order.
void tst_threads::callbacksComeOneByOne() {
  OneByOne many("many");
  Recorder sender("sender");
  many.enter(federation_);
  sender.enter(federation_);
  many.subscribeInteraction("Message");
  sender.publishInteraction("Message");
  std::atomic<bool> done{false};
  std::vector<std::thread> evokers;
  for (int i = 0; i < 4; ++i) {
    evokers.emplace_back([&, i] {
      while (!done) {
        if (i % 2 == 0) {
          many.rti().evokeCallback(0.001);
        } else {
          many.rti().evokeMultipleCallbacks(0.001, 0.002);
        }
      }
    });
  }
  sendFrom(sender, 3, messages);
  QTRY_COMPARE_WITH_TIMEOUT(many.received.load(), 3 * messages, 60000);
  done = true;
  for (std::thread& evoker : evokers) evoker.join();
  QVERIFY(many.inOrder);
  QVERIFY(!many.overlapped);
}

/// A callback that waits for another thread's call, as one does that takes a lock which the caller
/// holds: nothing of the RTI's is locked meanwhile.
void tst_threads::servicesWhileACallbackLasts() {
  QFETCH(bool, immediate);
  OneByOne waiting("waiting");
  Recorder sender("sender");
  waiting.enter(federation_, modelOf(immediate));
  sender.enter(federation_);
  waiting.subscribeInteraction("Message");
  waiting.publish("Vehicle", {"position"});
  sender.publishInteraction("Message");
  std::mutex mutex;
  std::condition_variable changed;
  bool inside = false, called = false, left = false;
  bool waited = false;
  waiting.also = [&] {
    std::unique_lock lock(mutex);
    inside = true;
    changed.notify_all();
    waited = changed.wait_for(lock, std::chrono::seconds(30), [&] { return called; });
    left = true;
    changed.notify_all();
  };
  std::thread caller([&] {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::seconds(30), [&] { return inside; });
    const auto car = waiting.registerInstance("Vehicle");
    waiting.update(car, "Vehicle", {{"position", "1"}});
    waiting.rti().subscribeObjectClassAttributes(waiting.objectClass("Vehicle.Truck"),
                                                 waiting.attributes("Vehicle.Truck", {"load"}));
    called = true;
    changed.notify_all();
  });
  sendFrom(sender, 1, 1);
  QVERIFY(waiting.pumpUntil([&] { return waiting.received == 1; }));
  caller.join();
  std::unique_lock lock(mutex);
  QVERIFY(changed.wait_for(lock, std::chrono::seconds(30), [&] { return left; }));
  QVERIFY(waited);
}

/// Callbacks call back and send; the main thread does the same all the time.
void tst_threads::immediateCallbacksWhileOthersCallIn() {
  OneByOne a("a"), b("b");
  for (OneByOne* one : {&a, &b}) {
    one->enter(federation_, HLA_IMMEDIATE);
    one->publishInteraction("Message");
    one->publishInteraction("Event");
  }
  // What `a` hears it tells on, from inside its callback.
  std::atomic<std::uint64_t> told{0};
  const auto event = a.interactionClass("Event");
  const auto numberParameter = a.parameter("Event", "number");
  a.also = [&] {
    a.rti().sendInteraction(event, {{numberParameter, number(++told)}}, number(1));
    if (!a.rti().getObjectClassHandle(L"Vehicle").isValid()) told = 0;
  };
  a.subscribeInteraction("Message");
  b.subscribeInteraction("Event");
  std::thread other([&] {
    for (int i = 0; i < messages; ++i) a.rti().getInteractionClassName(event);
  });
  sendFrom(b, 2, messages);
  other.join();
  QTRY_COMPARE_WITH_TIMEOUT(b.received.load(), 2 * messages, 60000);
  QVERIFY(a.inOrder && b.inOrder);
  QVERIFY(!a.overlapped && !b.overlapped);
}

/// One waits for callbacks for long; the other resigns and disconnects meanwhile.
void tst_threads::anEndWhileAnotherThreadEvokes() {
  for (int round = 0; round < 20; ++round) {
    Recorder leaving("leaving");
    leaving.enter(federation_);
    std::atomic<bool> evoking{false}, ended{false};
    QString problem;
    std::thread evoker([&] {
      while (!ended && problem.isEmpty()) {
        evoking = true;
        problem = thrown([&] { leaving.rti().evokeMultipleCallbacks(0.05, 0.1); });
      }
    });
    while (!evoking) std::this_thread::yield();
    QCOMPARE(thrown([&] { leaving.rti().resignFederationExecution(NO_ACTION); }), QString());
    QCOMPARE(thrown([&] { leaving.rti().disconnect(); }), QString());
    ended = true;
    evoker.join();
    QCOMPARE(problem, QString());
  }
}

/// Whoever calls in while the federate ends is done, or told that it has ended.
void tst_threads::anEndWhileOthersCallIn() {
  QFETCH(bool, immediate);
  for (int round = 0; round < 20; ++round) {
    Recorder leaving("leaving"), peer("peer");
    leaving.enter(federation_, modelOf(immediate));
    peer.enter(federation_);
    peer.publishInteraction("Message");
    leaving.subscribeInteraction("Message");
    leaving.publish("Vehicle", {"position"});
    const auto vehicle = leaving.objectClass("Vehicle");
    const auto position = leaving.attribute("Vehicle", "position");
    const auto car = leaving.registerInstance("Vehicle");
    std::atomic<int> calling{0};
    std::array<QString, 2> problems;
    std::vector<std::thread> callers;
    for (QString& problem : problems) {
      callers.emplace_back([&] {
        ++calling;
        while (problem.isEmpty()) {
          problem = thrown([&] {
            leaving.rti().updateAttributeValues(car, {{position, number(1)}}, {});
            leaving.rti().getObjectClassName(vehicle);
          });
        }
      });
    }
    while (calling < 2) std::this_thread::yield();
    sendFrom(peer, 1, 10);
    QCOMPARE(thrown([&] { leaving.rti().resignFederationExecution(DELETE_OBJECTS); }), QString());
    QCOMPARE(thrown([&] { leaving.rti().disconnect(); }), QString());
    for (std::thread& caller : callers) caller.join();
    for (const QString& problem : problems) {
      QVERIFY2(problem == "FederateNotExecutionMember" || problem == "NotConnected",
               qPrintable(problem));
    }
  }
}

/// None comes after disableCallbacks() has returned, none is lost.
void tst_threads::callbacksSwitchedByAnotherThread() {
  OneByOne switched("switched");
  Recorder sender("sender");
  switched.enter(federation_, HLA_IMMEDIATE);
  sender.enter(federation_);
  switched.subscribeInteraction("Message");
  sender.publishInteraction("Message");
  std::thread sending([&] { sendFrom(sender, 1, messages); });
  bool quiet = true;
  for (int i = 0; i < 50; ++i) {
    switched.rti().disableCallbacks();
    // One that was being made may still be.
    const int before = switched.received;
    QTest::qWait(1);
    quiet = quiet && switched.received <= before + 1;
    switched.rti().enableCallbacks();
  }
  sending.join();
  QTRY_COMPARE_WITH_TIMEOUT(switched.received.load(), messages, 60000);
  QVERIFY(quiet && switched.inOrder && !switched.overlapped);
}

/// Where the page of a federate was, the node may put the object model of the next one to join as
/// soon as it has answered the resignation: no thread of the one who left touches it any more.
void tst_threads::othersTakeTheMemoryOfOneWhoResigned() {
  QFETCH(bool, immediate);
  constexpr int threads = 4;
  constexpr int rounds = 150;
  const QTemporaryDir directory;
  const auto moduleFile = [&](int thread, int round) {
    const QString name = QString("M%1x%2").arg(thread).arg(round);
    QFile file(directory.filePath(name + ".xml"));
    if (!file.open(QIODevice::WriteOnly)) return QString();
    file.write(QString("<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\">"
                       "<interactions><interactionClass><name>HLAinteractionRoot</name>"
                       "<interactionClass><name>%1</name><sharing>Publish</sharing>"
                       "</interactionClass></interactionClass></interactions></objectModel>")
                   .arg(name)
                   .toUtf8());
    return name;
  };
  Recorder creator("creator");
  creator.connect();
  creator.create(federation_, {testFom()});
  std::array<QString, threads> problems;
  std::vector<std::thread> all;
  for (int thread = 0; thread < threads; ++thread) {
    all.emplace_back([&, thread] {
      auto& problem = problems[static_cast<std::size_t>(thread)];
      problem = thrown([&] {
        Recorder one(QString("f%1").arg(thread));
        one.connect(modelOf(immediate));
        for (int round = 0; round < rounds; ++round) {
          const QString module = moduleFile(thread, round);
          one.join(federation_, {directory.filePath(module + ".xml")});
          one.interactionClass(module);
          one.rti().resignFederationExecution(NO_ACTION);
        }
      });
    });
  }
  for (std::thread& thread : all) thread.join();
  for (const QString& problem : problems) QCOMPARE(problem, QString());
}

QTEST_GUILESS_MAIN(tst_threads)
#include "tst_threads.moc"
