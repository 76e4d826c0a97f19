// SPDX-License-Identifier: GPL-3.0-or-later
// Best effort to one who does not read, in a process of its own: its sender never waits, what is
// dropped are the oldest values, each counted, and the newest is there when it reads again.
#include <QtTest>
#include <memory>

#include "federates/process.h"
#include "observe/observer.h"
#include "recorder.h"

using namespace rti1516e;

namespace {

constexpr qsizetype kMebibyte = 1 << 20;

QByteArray numbered(int number, qsizetype bytes) {
  QByteArray value = QByteArray::number(number).rightJustified(8, '0');
  return value.append(bytes - 8, static_cast<char>('a' + number % 26));
}

/// One of those in a process of its own.
class Reader {
 public:
  Reader(const QString& federation, const QString& name) : process_({"reader", federation, name}) {
    ready_ = process_.listen() == "ready";
  }
  bool isReady() const { return ready_; }
  /// Reads what is there.
  void read() {
    const QStringList words = process_.ask("read").split(' ');
    hints = words.value(1).toInt();
    newest = words.value(3).toInt();
    messages = words.value(5).toInt();
    wrong = words.value(7, "1").toInt();
  }
  int hints = 0;
  int newest = -1;
  int messages = 0;
  int wrong = 0;

 private:
  federates::Process process_;
  bool ready_ = false;
};

}  // namespace

class tst_standing_reader : public QObject {
  Q_OBJECT

  std::unique_ptr<OwnNode> node_;
  QString federation_;

  struct Figures {
    qint64 updatesDropped = 0;
    qint64 interactionsDropped = 0;
    quint64 dropped = 0;  ///< of all classes
    quint64 blockedNanoseconds = 0;
  };
  /// Of the federate "a".
  Figures figures() const;
  quint64 memory() const { return federates::nodeStatus(node_->name())->committedBytes; }
  /// Until all that was sent was read, or dropped.
  bool readAll(Recorder& a, Reader& reader, int hints);

 private slots:
  void init() {
    node_ = std::make_unique<OwnNode>();
    federation_ = uniqueName("standing");
  }
  void cleanup() { node_.reset(); }
  void itsSenderGoesOn_data();
  void itsSenderGoesOn();
  void interactionsBeforeUpdates();
  void othersGetEverything();
  void itsSenderLeaves();
  void itDies();
  void memoryIsUsedUp();
};

tst_standing_reader::Figures tst_standing_reader::figures() const {
  Figures result;
  auto observer = tutti::observe::Observer::connect(node_->name().toStdString(), "test");
  if (!observer || !observer->refresh()) return result;
  const tutti::observe::Snapshot now = observer->sample();
  for (const auto& federation : now.federations) {
    for (const auto& federate : federation.federates) {
      if (federate.name != "a") continue;
      result.dropped = federate.counters.bestEffortDropped;
      result.blockedNanoseconds = federate.counters.blockedNanoseconds;
      for (const auto& drop : federate.drops) {
        const auto number = static_cast<qint64>(drop.dropped);
        if (drop.className == "HLAobjectRoot.Vehicle") result.updatesDropped += number;
        if (drop.className == "HLAinteractionRoot.Message") result.interactionsDropped += number;
      }
    }
  }
  return result;
}

bool tst_standing_reader::readAll(Recorder& a, Reader& reader, int hints) {
  return federates::waitUntil([&] {
    a.pump();
    reader.read();
    return reader.hints + figures().updatesDropped == hints;
  });
}

/// Publishes Vehicle.hint, which is best effort, with an instance.
struct Sender : Recorder {
  explicit Sender(const QString& federation) : Recorder("a") {
    enter(federation);
    publish("Vehicle", {"hint", "position"});
    car = registerInstance("Vehicle");
  }
  ~Sender() override { end(); }
  void sendHint(int number, qsizetype bytes) {
    update(car, "Vehicle", {{"hint", numbered(number, bytes)}});
  }
  ObjectInstanceHandle car;
};

void tst_standing_reader::itsSenderGoesOn_data() {
  QTest::addColumn<qsizetype>("bytes");
  QTest::addColumn<int>("count");
  // Of the smallest in chunks so many may be unread that the ring has to grow.
  QTest::newRow("200 B") << qsizetype{200} << 40000;
  QTest::newRow("2 KiB") << qsizetype{2048} << 8000;
  QTest::newRow("64 KiB") << qsizetype{65536} << 400;
  QTest::newRow("1 MiB") << kMebibyte << 50;
  QTest::newRow("6 MiB") << 6 * kMebibyte << 25;
}

void tst_standing_reader::itsSenderGoesOn() {
  QFETCH(qsizetype, bytes);
  QFETCH(int, count);
  Sender a(federation_);
  Reader b(federation_, "b");
  QVERIFY(b.isReady());
  const quint64 before = memory();
  for (int i = 0; i < count; ++i) a.sendHint(i, bytes);
  const Figures sent = figures();
  QVERIFY(sent.updatesDropped > 0);
  QCOMPARE(sent.blockedNanoseconds, quint64{0});
  // Eight bodies to be read and one kept, or 4 MiB of each, and the one that is written, each in
  // memory of up to twice the size; and the ring.
  const auto most = static_cast<quint64>(2 * (std::max(8 * bytes, 4 * kMebibyte) +
                                              std::max(bytes, 4 * kMebibyte) + bytes) +
                                         2 * kMebibyte);
  QVERIFY2(memory() - before <= most, qPrintable(QString::number(memory() - before)));
  QVERIFY(readAll(a, b, count));
  QCOMPARE(b.newest, count - 1);
  QCOMPARE(b.wrong, 0);
  // When it reads nothing is dropped, and the memory is used again.
  const Figures read = figures();
  QCOMPARE(read.updatesDropped, sent.updatesDropped);
  QCOMPARE(static_cast<qint64>(read.dropped), read.updatesDropped);
  for (int i = 0; i < 20; ++i) {
    a.sendHint(count + i, bytes);
    QVERIFY(readAll(a, b, count + i + 1));
  }
  QCOMPARE(b.newest, count + 19);
  QCOMPARE(b.wrong, 0);
  QCOMPARE(figures().updatesDropped, sent.updatesDropped);
  QCOMPARE(figures().blockedNanoseconds, quint64{0});
}

void tst_standing_reader::interactionsBeforeUpdates() {
  Sender a(federation_);
  a.publishInteraction("Message");
  a.rti().requestInteractionTransportationTypeChange(a.interactionClass("Message"), BEST_EFFORT);
  QVERIFY(a.expect("changed Message"));
  Reader b(federation_, "b");
  QVERIFY(b.isReady());
  constexpr qsizetype bytes = 65536;
  constexpr int count = 400;
  int calls = 0;
  for (int i = 0; i < count; ++i) {
    a.sendHint(i, bytes);
    // In the middle, when what may be unread is used up: kept.
    if (i > count / 4 && i % 10 == 0) a.send("Message", {{"text", numbered(calls++, bytes)}});
  }
  QVERIFY(readAll(a, b, count));
  QCOMPARE(b.messages, calls);
  QCOMPARE(figures().interactionsDropped, 0);
  QVERIFY(figures().updatesDropped > 0);
  QCOMPARE(b.newest, count - 1);
  // Interactions alone, more than are kept: the oldest of them go, and no update in their place.
  for (int i = 0; i < count; ++i) a.send("Message", {{"text", numbered(i, bytes)}});
  const qint64 dropped = figures().interactionsDropped;
  QVERIFY(dropped > 0);
  const qint64 updatesDropped = figures().updatesDropped;
  a.sendHint(count, bytes);
  QCOMPARE(figures().interactionsDropped, dropped);
  QCOMPARE(figures().updatesDropped, updatesDropped + 1);
  QVERIFY(federates::waitUntil([&] {
    a.pump();
    b.read();
    return b.messages + dropped == calls + count;
  }));
  QCOMPARE(b.wrong, 0);
  QCOMPARE(figures().blockedNanoseconds, quint64{0});
}

void tst_standing_reader::othersGetEverything() {
  Sender a(federation_);
  Reader b(federation_, "b"), c(federation_, "c");
  QVERIFY(b.isReady() && c.isReady());
  constexpr qsizetype bytes = 65536;
  constexpr int count = 400;
  for (int i = 0; i < count; ++i) {
    a.sendHint(i, bytes);
    if (i % 20 == 19) {
      QVERIFY(federates::waitUntil([&] {
        c.read();
        return c.hints == i + 1;
      }));
    }
  }
  QCOMPARE(c.wrong, 0);
  QVERIFY(figures().updatesDropped > 0);
  // Reliable updates wait for room, and that is what best effort has not taken.
  a.update(a.car, "Vehicle", {{"position", numbered(0, bytes)}});
  QVERIFY(readAll(a, b, count));
  QCOMPARE(b.wrong, 0);
  QCOMPARE(b.newest, count - 1);
  QCOMPARE(figures().blockedNanoseconds, quint64{0});
}

// What is kept until the end is dropped then, when the ring does not take it.
void tst_standing_reader::itsSenderLeaves() {
  auto a = std::make_unique<Sender>(federation_);
  Reader b(federation_, "b");
  QVERIFY(b.isReady());
  constexpr int count = 400;
  for (int i = 0; i < count; ++i) a->sendHint(i, 65536);
  a->rti().resignFederationExecution(CANCEL_THEN_DELETE_THEN_DIVEST);
  qint64 dropped = 0;
  const auto status = federates::nodeStatus(node_->name());
  QVERIFY(status);
  for (const auto& federation : status->federations) {
    for (const auto& federate : federation.federates) {
      for (const auto& drop : federate.drops) dropped += static_cast<qint64>(drop.dropped);
    }
  }
  QVERIFY(dropped > 0);
  QVERIFY(federates::waitUntil([&] {
    b.read();
    return b.hints + dropped == count;
  }));
  QCOMPARE(b.newest, count - 1);
  QCOMPARE(b.wrong, 0);
}

// What was meant for it frees its memory.
void tst_standing_reader::itDies() {
  Sender a(federation_);
  quint64 first = 0;
  for (int round = 0; round < 4; ++round) {
    Reader b(federation_, "b");
    QVERIFY(b.isReady());
    const qint64 dropped = figures().updatesDropped;
    for (int i = 0; i < 200; ++i) a.sendHint(i, 65536);
    QVERIFY(figures().updatesDropped > dropped);
    if (round == 0) first = memory();
  }
  QVERIFY2(memory() < first + 4u * kMebibyte, qPrintable(QString::number(memory() - first)));
  QCOMPARE(figures().blockedNanoseconds, quint64{0});
}

// Then what is kept goes first, and in the end what is sent: it is no error of the sender.
void tst_standing_reader::memoryIsUsedUp() {
  node_.reset();
  qputenv("TUTTI_MEMORY", "24M");
  node_ = std::make_unique<OwnNode>();
  Sender a(federation_);
  qunsetenv("TUTTI_MEMORY");
  Reader b(federation_, "b");
  QVERIFY(b.isReady());
  constexpr int count = 40;
  for (int i = 0; i < count; ++i) a.sendHint(i, 3 * kMebibyte);
  QCOMPARE(figures().blockedNanoseconds, quint64{0});
  QVERIFY(figures().updatesDropped > 0);
  QVERIFY(readAll(a, b, count));
  QCOMPARE(b.wrong, 0);
  QVERIFY(b.hints > 0);
  a.sendHint(count, 3 * kMebibyte);
  QVERIFY(readAll(a, b, count + 1));
  QCOMPARE(b.newest, count);
  // One for which there is never room is told.
  bool refused = false;
  try {
    a.sendHint(count + 1, 64 * kMebibyte);
  } catch (const RTIinternalError&) {
    refused = true;
  }
  QVERIFY(refused);
}

QTEST_GUILESS_MAIN(tst_standing_reader)
#include "tst_standing_reader.moc"
