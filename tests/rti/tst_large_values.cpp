// SPDX-License-Identifier: GPL-3.0-or-later
// Values that receivers read where their sender wrote them: they stay as they are until the
// callback has returned, whatever becomes of the sender, the receiver and the memory meanwhile.
#include <QtTest>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "federates/process.h"
#include "recorder.h"

using namespace rti1516e;

namespace {

constexpr int kMebibyte = 1 << 20;

QByteArray valueOf(int number, int bytes = kMebibyte) {
  return QByteArray(bytes, static_cast<char>('a' + number % 26));
}

QByteArray copyOf(const VariableLengthData& value) {
  return {static_cast<const char*>(value.data()), static_cast<qsizetype>(value.size())};
}

/// Publishes Vehicle.position, with an instance.
struct Sender : Recorder {
  Sender(const QString& name, const QString& federation) : Recorder(name) {
    enter(federation);
    publish("Vehicle", {"position"});
    car = registerInstance("Vehicle");
  }
  void sendValue(const QByteArray& value) { update(car, "Vehicle", {{"position", value}}); }
  ObjectInstanceHandle car;
};

/// Subscribes it; `reads` has the value in the sender's memory, once, in the first reflect.
struct Reader : Recorder {
  Reader(const QString& name, const QString& federation, CallbackModel model = HLA_EVOKED)
      : Recorder(name) {
    quiet = true;
    onReflect = [this](auto, const AttributeHandleValueMap& values) {
      const VariableLengthData& value = values.begin()->second;
      if (reads) std::exchange(reads, nullptr)(value);
      got.append(copyOf(value));
    };
    enter(federation, model);
    subscribe("Vehicle", {"position"});
  }
  ~Reader() override { end(); }
  std::function<void(const VariableLengthData&)> reads;
  QList<QByteArray> got;
};

}  // namespace

class tst_large_values : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

 private slots:
  void init() { federation_ = uniqueName("large values"); }
  void senderGoesOnMeanwhile();
  void senderResignsMeanwhile();
  void senderDiesMeanwhile();
  void readerResignsMeanwhile();
  void bothSendInTheirCallbacks();
  void slowReaderHoldsTheSenderUp();
  void inTimestampOrder();
};

void tst_large_values::senderGoesOnMeanwhile() {
  Sender a("a", federation_);
  Reader b("b", federation_);
  QList<QByteArray> sent{valueOf(0)};
  a.sendValue(sent[0]);
  bool intact = true;
  b.reads = [&](const VariableLengthData& value) {
    // As many as make the ring be replaced by a larger one twice, and every chunk be used again.
    for (int i = 1; i <= 300; ++i) {
      sent.append(valueOf(i, i % 3 == 0 ? kMebibyte : 3000));
      a.sendValue(sent.last());
      for (int small = 0; small < 100; ++small) {
        sent.append(valueOf(small, 100));
        a.sendValue(sent.last());
      }
      intact = intact && copyOf(value) == sent[0];
    }
  };
  QVERIFY(b.pumpUntil([&] { return b.got.size() == sent.size(); }, 60000));
  QVERIFY(intact);
  for (int i = 0; i < sent.size(); ++i)
    QVERIFY2(b.got[i] == sent[i], qPrintable(QString::number(i)));
}

void tst_large_values::senderResignsMeanwhile() {
  auto a = std::make_unique<Sender>("a", federation_);
  Reader b("b", federation_);
  a->sendValue(valueOf(1));
  bool read = false, intact = true;
  b.reads = [&](const VariableLengthData& value) {
    read = true;
    a.reset();
    Sender c("c", federation_);
    Reader d("d", federation_);
    // This makes b read the log, in which its sender's end stands.
    b.subscribeInteraction("Message");
    // Whoever asks for memory now must not get what is being read.
    for (int i = 2; i < 20; ++i) {
      c.sendValue(valueOf(i));
      intact = intact && copyOf(value) == valueOf(1);
    }
    QVERIFY(d.pumpUntil([&] { return d.got.size() == 18; }));
  };
  QVERIFY(b.pumpUntil([&] { return b.got.size() == 19; }));
  QVERIFY(read && intact);
}

void tst_large_values::senderDiesMeanwhile() {
  federates::OwnBoard board;
  Reader b("b", federation_);
  federates::Process::Options options;
  options.board = board.descriptor();
  federates::Process a({"sender", federation_, "a", "1", QString::number(4 * kMebibyte)}, options);
  bool read = false, intact = true;
  QStringList names;
  b.reads = [&](const VariableLengthData& value) {
    read = true;
    intact = copyOf(value) == QByteArray("\x01\0\0\0\0\0\0\0", 8).repeated(kMebibyte / 2);
    const QByteArray before = copyOf(value);
    QVERIFY(a.wait());
    QVERIFY(federates::waitUntil(
        [&] { return federates::joinedNames(node_.name(), federation_) == QStringList{"b"}; }));
    Sender c("c", federation_);
    Reader d("d", federation_);
    for (int i = 0; i < 20; ++i) c.sendValue(valueOf(i, 4 * kMebibyte));
    // This makes b read the log, in which its sender's end stands.
    b.subscribeInteraction("Message");
    QVERIFY(d.pumpUntil([&] { return d.got.size() == 20; }));
    intact = intact && copyOf(value) == before;
  };
  QVERIFY(b.pumpUntil([&] { return b.got.size() >= 1; }));
  QVERIFY(read && intact);
}

void tst_large_values::readerResignsMeanwhile() {
  Sender a("a", federation_);
  auto b = std::make_unique<Reader>("b", federation_);
  Reader d("d", federation_);
  a.sendValue(valueOf(1));
  bool read = false, intact = true;
  b->reads = [&](const VariableLengthData& value) {
    read = true;
    // Not from within the callback, which may not, but meanwhile.
    std::thread other([&] { b->rti().resignFederationExecution(NO_ACTION); });
    other.join();
    a.pump();
    for (int i = 2; i < 40; ++i) {
      a.sendValue(valueOf(i));
      d.pump();
      intact = intact && copyOf(value) == valueOf(1);
    }
  };
  QVERIFY(b->pumpUntil([&] { return b->got.size() == 1; }));
  QVERIFY(read && intact);
  QCOMPARE(d.got.size(), 39);
  b->rti().disconnect();
}

/// Each on a thread of its own, with more under way than may be.
void tst_large_values::bothSendInTheirCallbacks() {
  constexpr int rounds = 60;
  struct Player : Recorder {
    Player(const QString& name, const QString& federation) : Recorder(name) {
      quiet = true;
      enter(federation);
      publish("Vehicle", {"position"});
      subscribe("Vehicle", {"position"});
      car = registerInstance("Vehicle");
      onReflect = [this](auto, const AttributeHandleValueMap& values) {
        const QByteArray value = copyOf(values.begin()->second);
        wrong += value != valueOf(heard, 8 * kMebibyte);
        // Two answers to each of the first half: 480 MiB under way and more.
        if (++heard > rounds / 2) return;
        for (int i = 0; i < 2; ++i) {
          update(car, "Vehicle", {{"position", valueOf(sent++, 8 * kMebibyte)}});
        }
      };
    }
    ~Player() override { end(); }
    ObjectInstanceHandle car;
    int heard = 0, sent = 0, wrong = 0;
  };
  Player a("a", federation_), b("b", federation_);
  a.sent = b.sent = 0;
  QVERIFY(a.expect("discover") && b.expect("discover"));
  a.update(a.car, "Vehicle", {{"position", valueOf(a.sent++, 8 * kMebibyte)}});
  b.update(b.car, "Vehicle", {{"position", valueOf(b.sent++, 8 * kMebibyte)}});
  const auto all = [](Player& player) {
    return player.pumpUntil([&] { return player.heard == rounds + 1; }, 120000);
  };
  std::atomic<bool> done{false};
  std::thread other([&] { done = all(b); });
  const bool first = all(a);
  other.join();
  QVERIFY(first);
  QVERIFY(done);
  QCOMPARE(a.wrong + b.wrong, 0);
}

void tst_large_values::slowReaderHoldsTheSenderUp() {
  constexpr std::uint64_t count = 300;
  federates::OwnBoard board;
  Reader b("b", federation_);
  long heard = 0;
  bool right = true;
  b.onReflect = [&](auto, const AttributeHandleValueMap& values) {
    const QByteArray value = copyOf(values.begin()->second);
    const std::uint64_t number = static_cast<std::uint64_t>(++heard);
    right =
        right && value == QByteArray(reinterpret_cast<const char*>(&number), 8).repeated(131072);
  };
  const auto used = [this] { return federates::nodeStatus(node_.name())->committedBytes; };
  const auto before = used();
  federates::Process::Options options;
  options.board = board.descriptor();
  federates::Process a(
      {"sender", federation_, "a", QString::number(count), QString::number(kMebibyte)}, options);
  auto& own = board->members[0];
  // It has begun an update that it cannot end: what it may leave unread is used up.
  std::uint64_t last = 0;
  QVERIFY(federates::waitUntil([&] {
    const std::uint64_t ended = own.ended.load();
    const bool stands = ended > 2 && ended == last && own.begun.load() == ended + 1;
    last = ended;
    if (!stands) QTest::qWait(100);
    return stands;
  }));
  QVERIFY(last < count);
  QVERIFY(used() - before < 20u * kMebibyte);
  QVERIFY(b.pumpUntil([&] { return heard == count; }, 60000));
  QVERIFY(right);
  QVERIFY(a.wait());
}

void tst_large_values::inTimestampOrder() {
  Sender a("a", federation_);
  Reader b("b", federation_);
  a.rti().enableTimeRegulation(HLAfloat64Interval(1.0));
  b.rti().enableTimeConstrained();
  a.publishInteraction("Event");
  b.subscribeInteraction("Event");
  QVERIFY(a.expect("regulating") && b.expect("constrained"));
  QList<QByteArray> events;
  b.onReceive = [&](auto, const ParameterHandleValueMap& values) {
    events.append(copyOf(values.begin()->second));
  };
  bool granted = false;
  b.onGrant = [&](double) { granted = true; };
  // In the queue they outlive the chunks that they came in.
  for (int i = 0; i < 40; ++i) a.send("Event", {{"number", valueOf(i)}}, 40.0 - i);
  a.rti().timeAdvanceRequest(HLAfloat64Time(50.0));
  b.rti().timeAdvanceRequest(HLAfloat64Time(45.0));
  QVERIFY(b.pumpUntil([&] { return granted; }));
  QCOMPARE(events.size(), 40);
  for (int i = 0; i < 40; ++i) QVERIFY(events[i] == valueOf(39 - i));
}

QTEST_GUILESS_MAIN(tst_large_values)
#include "tst_large_values.moc"
