// SPDX-License-Identifier: GPL-3.0-or-later
// A federate that watches who is joined, by the MOM's instances of HLAfederate, stands still while
// others leave, die and join, with more unread than the RTI keeps of values and reports. When it
// reads again it knows just those that are joined.
#include <signal.h>

#include <QtTest>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "federates/process.h"
#include "recorder.h"

using namespace rti1516e;
using federates::Process;

namespace {

const QString requests = "HLAmanager.HLAfederation.HLArequest.HLArequestSynchronizationPoints";
const QString reports = "HLAmanager.HLAfederation.HLAreport.HLAreportSynchronizationPoints";

/// Answered to asker_ when all requests before it are.
const QString lastRequest = "HLAmanager.HLAfederation.HLArequest.HLArequestMIMdata";
const QString lastReport = "HLAmanager.HLAfederation.HLAreport.HLAreportMIMdata";

constexpr int most = 24;  ///< joined beside the watcher and who asks

}  // namespace

class tst_standing_watcher : public QObject {
  Q_OBJECT

  std::unique_ptr<LinkedNodes> nodes_;
  QString federation_;
  std::unique_ptr<Process> watcher_;
  std::vector<std::unique_ptr<Recorder>> others_;
  int came_ = 0;  ///< that join() has made
  int left_ = 0;  ///< of them, that have left or died

  std::unique_ptr<Recorder> asker_;  ///< always knows who is joined

  void beginWatching(int host, const QString& interactionClass);
  /// What the watcher knows when it has read; and how many interactions it has received.
  QStringList read(int* received = nullptr) const;
  /// Who is joined, by their instances of HLAfederate: asker_ has heard of everybody who came and
  /// left, of whom there were `more` beside asker_ and those that join() made.
  QStringList joined(int more = 1) const;
  std::unique_ptr<Recorder> join();
  void someLeaveDieAndJoin();

 private slots:
  void init() {
    nodes_ = std::make_unique<LinkedNodes>(uniqueName("watch"), 2);
    federation_ = uniqueName("watch");
    came_ = left_ = 0;
    asker_ = std::make_unique<Recorder>("asker");
    nodes_->enter(*asker_, 0, federation_);
    asker_->quiet = true;
    asker_->subscribe("HLAmanager.HLAfederate", {"HLAfederateName"});
    for (int i = 0; i < most; ++i) others_.push_back(join());
  }
  void cleanup() {
    others_.clear();
    asker_.reset();
    watcher_.reset();
    nodes_.reset();
  }
  void knowsWhoIsJoined_data();
  void knowsWhoIsJoined();
  void whileItsSendersWait();
};

void tst_standing_watcher::beginWatching(int host, const QString& interactionClass) {
  Process::Options options;
  options.environment << "TUTTI_RTI=" + nodes_->designator(host);
  watcher_ = std::make_unique<Process>(
      QStringList{"watcher", federation_, "watcher", interactionClass}, options);
  QCOMPARE(watcher_->listen(), QString("ready"));
}

QStringList tst_standing_watcher::read(int* received) const {
  const QStringList words = watcher_->ask("read").split(' ');
  if (received != nullptr) *received = words.value(1, "-1").toInt();
  return words.value(3).split(',');
}

QStringList tst_standing_watcher::joined(int more) const {
  asker_->pumpUntil([&] {
    return asker_->count("discover") == came_ + more + 1 && asker_->count("remove") == left_;
  });
  return asker_->knownInstances();
}

std::unique_ptr<Recorder> tst_standing_watcher::join() {
  auto one = std::make_unique<Recorder>(QString("other-%1").arg(++came_));
  nodes_->enter(*one, 0, federation_);
  return one;
}

/// As many as before are joined afterwards; of those, half are new.
void tst_standing_watcher::someLeaveDieAndJoin() {
  for (std::size_t i = 0; i < others_.size() / 2; ++i) {
    if (i % 2 == 0) {
      others_[i]->kill();
    } else {
      others_[i]->leave();
    }
    others_[i] = join();
    join()->leave();
    left_ += 2;
  }
}

void tst_standing_watcher::knowsWhoIsJoined_data() {
  QTest::addColumn<int>("host");
  QTest::addColumn<int>("labels");
  QTest::newRow("at the home") << 0 << 6;
  QTest::newRow("at a linked node") << 1 << 6;
  QTest::newRow("at the home, large reports") << 0 << 24;
}

// Reports of the MOM, more than it keeps for one who does not read.
void tst_standing_watcher::knowsWhoIsJoined() {
  QFETCH(int, host);
  QFETCH(int, labels);
  beginWatching(host, reports);
  QVERIFY(federates::waitUntil([&] { return read().size() == most + 2; }));
  QCOMPARE(read(), joined());
  for (int i = 0; i < labels; ++i) {
    const std::wstring label = std::wstring(60, L'x') + std::to_wstring(i);
    asker_->rti().registerFederationSynchronizationPoint(label, VariableLengthData());
    QVERIFY(asker_->expect("registered", i + 1));
  }
  asker_->publishInteraction(requests);
  asker_->publishInteraction(lastRequest);
  asker_->subscribeInteraction(lastReport);
  // Of some 140 bytes a label: behind 16 MiB to a reader of another host, or 1 MiB in a ring (where
  // a large one is but a reference), others are kept up to 4 MiB.
  constexpr int count = 40000;
  watcher_->signal(SIGSTOP);
  for (int i = 0; i < count; ++i) asker_->send(requests, {});
  asker_->send(lastRequest, {});
  QVERIFY(asker_->pumpUntil([&] { return asker_->interactions == 1; }, 60000));
  someLeaveDieAndJoin();
  const QStringList now = joined();
  QCOMPARE(now.size(), most + 2);
  watcher_->signal(SIGCONT);
  QStringList known;
  int received = 0;
  federates::waitUntil([&] { return (known = read(&received)) == now; });
  QCOMPARE(known, now);
  QVERIFY2(received > 0 && received < count, "the MOM never kept as much as it can");
  // It hears of everybody who comes and goes from now on.
  others_.push_back(join());
  QVERIFY(federates::waitUntil([&] { return read() == joined(); }));
  others_.front()->leave();
  ++left_;
  QVERIFY(federates::waitUntil([&] { return read() == joined(); }));
}

// More than 16 MiB of reliable interactions: their sender waits until it reads.
void tst_standing_watcher::whileItsSendersWait() {
  Recorder sender("sender");
  nodes_->enter(sender, 0, federation_);
  sender.publishInteraction("Message");
  beginWatching(1, "Message");
  QVERIFY(federates::waitUntil([&] { return read().size() == most + 3; }));
  constexpr int count = 4000;
  std::atomic<int> sent{0};
  watcher_->signal(SIGSTOP);
  std::thread sending([&] {
    const QByteArray text(20'000, 'x');
    for (; sent < count; ++sent) sender.send("Message", {{"text", text}});
  });
  const auto stands = [&sent] {
    const int before = sent;
    QTest::qWait(500);
    return sent == before;
  };
  const bool waits = federates::waitUntil(stands) && sent < count;
  someLeaveDieAndJoin();
  const QStringList now = joined(2);
  const bool stillWaits = sent < count;
  watcher_->signal(SIGCONT);
  QStringList known;
  int received = 0;
  federates::waitUntil(
      [&] {
        known = read(&received);
        return received == count && known == now;
      },
      30000);
  sending.join();
  QVERIFY2(waits && stillWaits, "the watcher was never so far behind that its sender waited");
  QCOMPARE(received, count);
  QCOMPARE(known, now);
  QCOMPARE(now.size(), most + 3);
}

QTEST_GUILESS_MAIN(tst_standing_watcher)
#include "tst_standing_watcher.moc"
