// SPDX-License-Identifier: GPL-3.0-or-later
// A federate writes random words into all memory that it shares with others. The node lives, a
// federation execution beside goes on as if nothing were, newcomers can join there, and the other
// members of the scribbler's own execution go on or are told that their connection is lost: none of
// them dies, and none hangs.
//
// TUTTI_SCRIBBLES is the number of scribblers (8); each has another seed, from TUTTI_SEED on. From 200
// on every word of the headers gets one of its own; TUTTI_SCRIBBLED_WORD is one of them, written to
// TUTTI_SCRIBBLES times.
#include <signal.h>
#include <sys/wait.h>

#include <QtTest>
#include <memory>
#include <vector>

#include "federates/process.h"
#include "recorder.h"

using federates::Process;
using federates::waitUntil;

namespace {

constexpr int limit = 60000;  ///< ms until something has to have happened
constexpr std::uint32_t survivorSlots[] = {0, 1};
constexpr std::uint32_t scribblerSlot = 2;
constexpr std::uint32_t bystanderSlots[] = {3, 4};

}  // namespace

class tst_scribbled_memory : public QObject {
  Q_OBJECT

  OwnNode node_;
  federates::OwnBoard board_;
  std::unique_ptr<Process> bystanders_[2];
  std::vector<std::unique_ptr<Process>> survivors_;
  QString federation_;
  qint32 nodePid_ = 0;
  int runs_ = 0;
  int wentOn_ = 0;
  int lost_ = 0;
  std::uint64_t headerWords_ = 0;
  QString wrote_;  ///< by the last scribbler

  std::unique_ptr<Process> start(const QStringList& arguments, std::uint32_t slot);
  void startSurvivors();
  void run(std::uint64_t seed, int words, const QString& what = {});
  bool advances(std::uint32_t slot);

 private slots:
  void initTestCase();
  void randomWordsHarmNobodyElse();
  void aRingThatSeemsToBeWatchedHoldsNobodyUp();
  void aWordOfAHeaderHarmsNobodyElse();
  void cleanupTestCase();
};

std::unique_ptr<Process> tst_scribbled_memory::start(const QStringList& arguments,
                                                     std::uint32_t slot) {
  auto& place = board_->members[slot];
  place.joinedRound.store(0);
  place.ended.store(0);
  place.grants.store(0);
  board_->leave[slot].store(0);
  Process::Options options;
  options.board = board_.descriptor();
  return std::make_unique<Process>(arguments, options);
}

void tst_scribbled_memory::startSurvivors() {
  federation_ = uniqueName("scribbled") + QString::number(runs_);
  survivors_.clear();
  for (const std::uint32_t slot : survivorSlots) {
    survivors_.push_back(start({"worker", federation_, QString("survivor%1").arg(slot),
                                QString::number(slot)},
                               slot));
    QCOMPARE(survivors_.back()->listen(limit).value_or("(nothing)"), QString("ready"));
  }
}

void tst_scribbled_memory::initTestCase() {
  for (const std::uint32_t slot : bystanderSlots) {
    auto& one = bystanders_[slot - bystanderSlots[0]];
    one = start({"worker", "beside", QString("bystander%1").arg(slot), QString::number(slot)}, slot);
    QCOMPARE(one->listen(limit).value_or("(nothing)"), QString("ready"));
  }
  const auto status = federates::nodeStatus(node_.name());
  QVERIFY(status.has_value());
  nodePid_ = status->pid;
}

/// Both a turn and a grant more.
bool tst_scribbled_memory::advances(std::uint32_t slot) {
  auto& place = board_->members[slot];
  const std::uint64_t turns = place.ended.load();
  const std::uint64_t grants = place.grants.load();
  return waitUntil(
      [&] { return place.ended.load() > turns + 1 && place.grants.load() > grants + 1; }, limit);
}

void tst_scribbled_memory::run(std::uint64_t seed, int words, const QString& what) {
  ++runs_;
  if (survivors_.empty()) startSurvivors();
  if (QTest::currentTestFailed()) return;
  auto scribbler = start({"scribbler", federation_, QString("scribbler%1").arg(seed),
                          QString::number(scribblerSlot), QString::number(seed),
                          QString::number(words), what},
                         scribblerSlot);
  QCOMPARE(scribbler->listen(limit).value_or("(nothing)"), QString("ready"));
  const QStringList wrote = scribbler->listen(limit).value_or("(nothing)").split(' ');
  QCOMPARE(wrote.value(0), QString("wrote"));
  QVERIFY2(wrote.value(1).toInt() > 0, "nothing was written");
  if (words == 0) headerWords_ = wrote.value(3).toULongLong();
  wrote_ = wrote.join(' ');
  // What becomes of the scribbler itself is its own affair, but that it ends.
  if (!scribbler->wait(limit)) scribbler->kill();

  // Those of its own execution: they advance, or they have ended by themselves, with the word.
  bool whole = true;
  for (std::size_t i = 0; i < survivors_.size(); ++i) {
    const std::uint32_t slot = survivorSlots[i];
    auto& place = board_->members[slot];
    const std::uint64_t turns = place.ended.load();
    const std::uint64_t grants = place.grants.load();
    Process& survivor = *survivors_[i];
    const bool done = waitUntil(
        [&] {
          return survivor.wait(0).has_value() ||
                 (place.ended.load() > turns + 1 && place.grants.load() > grants + 1);
        },
        limit);
    QVERIFY2(done, qPrintable(QString("%1: %2 stands at turn %3, grant %4 (was %5, %6)")
                                  .arg(wrote_)
                                  .arg(slot)
                                  .arg(place.ended.load())
                                  .arg(place.grants.load())
                                  .arg(turns)
                                  .arg(grants)));
    const auto status = survivor.wait(0);
    if (!status) {
      ++wentOn_;
      continue;
    }
    QVERIFY2(WIFEXITED(*status) && WEXITSTATUS(*status) == 0,
             qPrintable(QString("survivor %1 died: status %2").arg(slot).arg(*status)));
    const QString last = survivor.listen(1000).value_or("(nothing)");
    QVERIFY2(last.startsWith("lost"), qPrintable(last));
    ++lost_;
    whole = false;
  }

  // The others: nothing has happened to them.
  const auto status = federates::nodeStatus(node_.name());
  QVERIFY2(status.has_value(), "the node does not answer");
  QCOMPARE(status->pid, nodePid_);
  for (const std::uint32_t slot : bystanderSlots) {
    QVERIFY2(advances(slot), qPrintable(QString("bystander %1 stands").arg(slot)));
    QVERIFY(!bystanders_[slot - bystanderSlots[0]]->wait(0).has_value());
  }
  if (runs_ % 8 == 1) {
    Recorder newcomer("newcomer");
    newcomer.enter("beside");
    newcomer.subscribe("Vehicle", {"position"});
    QVERIFY(newcomer.expect("discover"));
    newcomer.leave();
  }
  if (whole) return;
  // Who is left in the damaged execution ends with it: each run begins with a sound one.
  for (std::size_t i = 0; i < survivors_.size(); ++i) {
    if (survivors_[i]->wait(0)) continue;
    board_->leave[survivorSlots[i]].store(1);
    const auto ended = survivors_[i]->wait(limit);
    QVERIFY2(ended.has_value(), "a survivor does not resign");
    QVERIFY(WIFEXITED(*ended));
  }
  survivors_.clear();
}

void tst_scribbled_memory::randomWordsHarmNobodyElse() {
  const int asked = qEnvironmentVariableIntValue("TUTTI_SCRIBBLES");
  const int wanted = asked > 0 ? asked : 8;
  const int first = qEnvironmentVariableIntValue("TUTTI_SEED");
  for (int i = 0; i < wanted; ++i) {
    // From a word here and there to most of them.
    const int words = 16 << (3 * (i % 5));
    run(static_cast<std::uint64_t>(first + i), words);
    if (QTest::currentTestFailed()) {
      qWarning("seed %d, %d words", first + i, words);
      return;
    }
  }
  qInfo("%d scribblers: survivors went on %d times, lost their connection %d times", runs_, wentOn_,
        lost_);
  QVERIFY(lost_ > 0);
}

// Found by a word of a header, and by many turns after it: until the ring was full the others went
// on.
void tst_scribbled_memory::aRingThatSeemsToBeWatchedHoldsNobodyUp() {
  const int before = lost_;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    run(seed, 0, "watched");
    if (QTest::currentTestFailed()) return;
    for (std::size_t i = 0; i < survivors_.size(); ++i) {
      const auto& place = board_->members[survivorSlots[i]];
      const std::uint64_t turns = place.ended.load() + 500;
      QVERIFY2(waitUntil([&] { return survivors_[i]->wait(0) || place.ended.load() > turns; }, limit),
               qPrintable(QString("%1 stands at turn %2").arg(i).arg(place.ended.load())));
    }
  }
  qInfo("%d survivors lost their connection", lost_ - before);
}

void tst_scribbled_memory::aWordOfAHeaderHarmsNobodyElse() {
  const int asked = qEnvironmentVariableIntValue("TUTTI_SCRIBBLES");
  const bool all = asked >= 200;
  wentOn_ = lost_ = 0;
  run(0, 0);
  const std::uint64_t count = headerWords_;
  QVERIFY(count > 100);
  const std::uint64_t step = all ? 1 : std::max<std::uint64_t>(1, count / 8);
  if (const auto one = qEnvironmentVariable("TUTTI_SCRIBBLED_WORD").toULongLong(); one != 0) {
    for (int i = 0; i < std::max(1, asked) && !QTest::currentTestFailed(); ++i) {
      run(one, 0);
      qInfo("%s", qPrintable(wrote_));
    }
    return;
  }
  for (std::uint64_t word = 1; word < count && !QTest::currentTestFailed(); word += step) {
    run(word, 0);
    if (QTest::currentTestFailed()) {
      qWarning("word %llu of %llu", static_cast<unsigned long long>(word),
               static_cast<unsigned long long>(count));
    }
  }
  qInfo("%llu words of headers: survivors went on %d times, lost their connection %d times",
        static_cast<unsigned long long>(count), wentOn_, lost_);
}

void tst_scribbled_memory::cleanupTestCase() {
  board_->stop.store(1);
  for (auto& survivor : survivors_) QVERIFY(survivor->wait(limit).has_value());
  for (auto& bystander : bystanders_) {
    const auto status = bystander->wait(limit);
    QVERIFY(status.has_value());
    QCOMPARE(*status, 0);
    QCOMPARE(bystander->listen(1000).value_or("(nothing)"), QString("resigned"));
  }
}

QTEST_GUILESS_MAIN(tst_scribbled_memory)
#include "tst_scribbled_memory.moc"
