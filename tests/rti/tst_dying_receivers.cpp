// SPDX-License-Identifier: GPL-3.0-or-later
// Receivers are killed while a sender is within a send to them and to others. No service of the
// sender throws, and everybody else, on this host and on another one, gets every message, once and
// in order.
//
// The sender is held within the send by a receiver that stands and whose ring is full to the brim.
// Receivers are served in the order in which they have joined, so those that joined later, the
// victim first and the witnesses after it, are still to be served while the victim dies and the node
// buries it.
//
// TUTTI_KILLS is the number of kills of each kind (3).
#include <QtTest>
#include <atomic>
#include <memory>
#include <thread>

#include "federates/process.h"
#include "observe/observer.h"
#include "recorder.h"

using namespace rti1516e;
using federates::Process;
using federates::waitUntil;

namespace {

/// Bytes of the record that carries one value.
constexpr std::uint64_t recordBytes(int valueBytes) {
  return 24 + 16 + 8 + static_cast<std::uint64_t>(valueBytes);
}
/// Of an event. Of such, 5 fit into the first ring, 50 and 404 into the next ones, and in each the
/// record that leads to the next ring has room behind them.
constexpr int eventBytes = 600;
/// Of what fills a ring to the brim.
constexpr int fillBytes = 56;
constexpr std::uint64_t largestRing = std::uint64_t{1} << 20;

/// What the dead receiver was to the sender.
enum class Victim {
  New,            ///< never sent anything to: the sender opens a ring to it
  Full,           ///< its first ring has no room: the sender asks for a larger one
  Read,           ///< has read all of smaller rings: the sender gives them back
  Behind,         ///< reads nothing, its smaller rings are full
  Blocking,       ///< the sender waits for room in its largest ring
  BlockingLarge,  ///< the sender waits until it has read large values
};

}  // namespace

Q_DECLARE_METATYPE(Victim)

class tst_dying_receivers : public QObject {
  Q_OBJECT

  std::unique_ptr<LinkedNodes> nodes_;
  QString federation_;
  int host_ = 0;  ///< where the sender and its receivers are; the far witness is on the other
  std::unique_ptr<Recorder> sender_;
  std::unique_ptr<Process> standing_, far_;
  std::optional<tutti::observe::Observer> observer_;
  int sent_ = 0;

  std::unique_ptr<Process> startListener(int host, const QString& name, const QStringList& classes);
  std::optional<tutti::observe::LinkSample> linkTo(const QString& receiver);
  std::uint64_t sentAsCounted();
  void sendEvent(int bytes = eventBytes);
  void sendMessage(int bytes);
  void fill(const QString& receiver, const std::function<void()>& sendOne);
  bool isBuried(const QString& name) const;
  void prepare(Victim kind, Process& victim, const QString& name);
  void killWithinASend(Victim kind, int number);

 private slots:
  void initTestCase_data();
  void init();
  void everybodyElseGetsTheMessage_data();
  void everybodyElseGetsTheMessage();
  void cleanup();
};

std::unique_ptr<Process> tst_dying_receivers::startListener(int host, const QString& name,
                                                            const QStringList& classes) {
  Process::Options options;
  options.environment << "TUTTI_RTI=" + nodes_->designator(host);
  auto process =
      std::make_unique<Process>(QStringList{"listener", federation_, name} + classes, options);
  if (process->listen() != "ready") return nullptr;
  return process;
}

/// The rings from the sender to a receiver.
std::optional<tutti::observe::LinkSample> tst_dying_receivers::linkTo(const QString& receiver) {
  const auto snapshot = observer_->sample();
  for (const auto& federation : snapshot.federations) {
    if (federation.name != federation_.toStdString()) continue;
    const auto numberOf = [&](const QString& name) {
      for (const auto& federate : federation.federates) {
        if (federate.live && federate.name == name.toStdString()) return federate.number;
      }
      return tutti::fabric::FederateNumber{0};
    };
    for (const auto& link : federation.links) {
      if (link.sender == numberOf("sender") && link.receiver == numberOf(receiver)) return link;
    }
  }
  return std::nullopt;
}

/// Interactions whose sending has begun, and for which the sender has looked into the control log.
std::uint64_t tst_dying_receivers::sentAsCounted() {
  const auto snapshot = observer_->sample();
  for (const auto& federation : snapshot.federations) {
    if (federation.name != federation_.toStdString()) continue;
    for (const auto& federate : federation.federates) {
      if (federate.name == "sender") return federate.counters.interactionsSent;
    }
  }
  return 0;
}

void tst_dying_receivers::sendEvent(int bytes) {
  QByteArray value(bytes, '.');
  value.replace(0, 8, QByteArray::number(++sent_).rightJustified(8, '0'));
  sender_->send("Event", {{"number", value}});
}

void tst_dying_receivers::sendMessage(int bytes) {
  sender_->send("Message", {{"text", QByteArray(bytes, 'm')}});
}

/// Until the largest ring to `receiver`, which stands, has no room for an event.
void tst_dying_receivers::fill(const QString& receiver, const std::function<void()>& sendOne) {
  for (;;) {
    observer_->refresh();
    const auto link = linkTo(receiver);
    QVERIFY(link.has_value());
    QVERIFY(link->capacityBytes > largestRing / 2 && link->capacityBytes <= largestRing);
    const std::uint64_t room = link->capacityBytes - link->bytesWaiting;
    if (room < recordBytes(eventBytes)) return;
    // Each has room, also where the end of the ring is skipped.
    const auto count = (room - recordBytes(eventBytes)) / recordBytes(fillBytes);
    for (std::uint64_t i = 0; i <= count; ++i) sendOne();
  }
}

bool tst_dying_receivers::isBuried(const QString& name) const {
  return !federates::joinedNames(nodes_->nodeName(host_), federation_).contains(name);
}

void tst_dying_receivers::initTestCase_data() {
  QTest::addColumn<int>("host");
  QTest::newRow("at the home") << 0;
  QTest::newRow("at a linked node") << 1;
}

void tst_dying_receivers::init() {
  QFETCH_GLOBAL(int, host);
  host_ = host;
  nodes_ = std::make_unique<LinkedNodes>(uniqueName("dying"), 2);
  federation_ = uniqueName("dying");
  sent_ = 0;
  sender_ = std::make_unique<Recorder>("sender");
  nodes_->enter(*sender_, host_, federation_);
  sender_->publishInteraction("Event");
  sender_->publishInteraction("Message");
  standing_ = startListener(host_, "standing", {"Event", "Message"});
  far_ = startListener(1 - host_, "far", {"Event"});
  QVERIFY(standing_ && far_);
  auto observer = tutti::observe::Observer::connect(nodes_->nodeName(host_).toStdString());
  QVERIFY(observer.has_value());
  observer_.emplace(std::move(*observer));
  // Until it reads, a receiver that stands gets larger rings; from now on it has the largest.
  for (int i = 0; i < 500; ++i) sendMessage(eventBytes);
  standing_->ask("read");
}

void tst_dying_receivers::cleanup() {
  observer_.reset();
  standing_.reset();
  far_.reset();
  sender_.reset();
  nodes_.reset();
}

void tst_dying_receivers::everybodyElseGetsTheMessage_data() {
  QTest::addColumn<Victim>("kind");
  QTest::newRow("before its first ring is opened") << Victim::New;
  QTest::newRow("before its ring grows") << Victim::Full;
  QTest::newRow("before its former rings are given back") << Victim::Read;
  QTest::newRow("that is far behind") << Victim::Behind;
  QTest::newRow("that the sender waits for") << Victim::Blocking;
  QTest::newRow("whose reading of large values the sender waits for") << Victim::BlockingLarge;
}

/// Brings the sender's rings to the victim into the state that the next event is to find.
void tst_dying_receivers::prepare(Victim kind, Process& victim, const QString& name) {
  int events = 0;
  switch (kind) {
    case Victim::New:
      break;
    case Victim::Full:
      events = 5;
      break;
    case Victim::Read:
    case Victim::Behind:
      events = 60;  // through two smaller rings
      break;
    case Victim::Blocking:
      events = 500;  // through three
      break;
    case Victim::BlockingLarge:
      break;
  }
  for (int i = 0; i < events; ++i) sendEvent();
  if (kind == Victim::Read || kind == Victim::Blocking) victim.ask("read");
  standing_->ask("read");
  if (kind != Victim::Blocking) return;
  fill(name, [&] {
    sendEvent(fillBytes);
    if (sent_ % 1000 == 0) standing_->ask("read");
  });
  standing_->ask("read");
}

void tst_dying_receivers::killWithinASend(Victim kind, int number) {
  const QString name = QString("victim %1").arg(number);
  const auto victim = startListener(host_, name, {"Event"});
  QVERIFY(victim != nullptr);
  Recorder near(QString("near %1").arg(number));
  nodes_->enter(near, host_, federation_);
  near.quiet = true;
  near.subscribeInteraction("Event");
  const int before = sent_;
  prepare(kind, *victim, name);
  const bool waitsForVictim = kind == Victim::Blocking || kind == Victim::BlockingLarge;
  if (!waitsForVictim) fill("standing", [&] { sendMessage(fillBytes); });

  // More than the sender lets anybody have unread, and less than a host holds for a reader there.
  const int events = kind == Victim::BlockingLarge ? 12 : 1;
  const int bytes = kind == Victim::BlockingLarge ? 500'000 : eventBytes;
  const std::uint64_t counted = sentAsCounted();
  std::atomic<bool> returned = false;
  std::atomic<int> begun = 0;
  QString thrown;
  std::thread sending([&] {
    try {
      for (int i = 0; i < events; ++i) {
        ++begun;
        sendEvent(bytes);
        if (kind == Victim::BlockingLarge) standing_->ask("read");
      }
    } catch (const Exception& exception) {
      thrown = QString::fromStdWString(exception.what());
    }
    returned = true;
  });
  const auto join = qScopeGuard([&] {
    victim->kill();
    while (!returned) {
      near.pump();
      far_->ask("read");
      if (!waitsForVictim) standing_->ask("read");
    }
    sending.join();
  });
  if (kind == Victim::BlockingLarge) {
    // Until it gets no further.
    int last = 0;
    QVERIFY(waitUntil([&] {
      near.pump();
      for (int i = 0; i < 100 && begun == last; ++i) QThread::msleep(1);
      return std::exchange(last, begun.load()) == begun && begun > 1;
    }));
  } else {
    QVERIFY(waitUntil([&] { return sentAsCounted() == counted + 1; }));
  }
  QVERIFY(!returned);
  victim->kill();
  QVERIFY(waitUntil([&] { return isBuried(name); }));
  // The victim died, and the node has buried it, while the sender was within the send.
  if (!waitsForVictim) {
    QVERIFY(!returned);
    QCOMPARE(sentAsCounted(), counted + 1);
    standing_->ask("read");
  }
  QVERIFY(near.pumpUntil([&] { return returned.load(); }, 30000));
  QCOMPARE(thrown, QString());
  QVERIFY2(near.pumpUntil([&] { return near.interactions == sent_ - before; }),
           qPrintable(QString("%1 of %2").arg(near.interactions).arg(sent_ - before)));
  standing_->ask("read");
  const QString all = QString("heard %1 newest %1 wrong 0").arg(sent_);
  QString heard;
  QVERIFY2(waitUntil([&] { return (heard = far_->ask("read")) == all; }), qPrintable(heard));
  QVERIFY2(waitUntil([&] { return (heard = standing_->ask("read")) == all; }), qPrintable(heard));
  near.leave();
}

void tst_dying_receivers::everybodyElseGetsTheMessage() {
  QFETCH(Victim, kind);
  const int asked = qEnvironmentVariableIntValue("TUTTI_KILLS");
  const int kills = asked > 0 ? asked : 3;
  for (int number = 1; number <= kills; ++number) {
    killWithinASend(kind, number);
    if (QTest::currentTestFailed()) return;
  }
  qInfo("%d receivers died within a send", kills);
}

QTEST_GUILESS_MAIN(tst_dying_receivers)
#include "tst_dying_receivers.moc"
