// SPDX-License-Identifier: GPL-3.0-or-later
// Federates are killed at random while they send, receive, join, resign and wait for grants. After
// each death the others go on: every survivor hears an update and, through a grant, an event in
// timestamp order of every other within 2 s, and all know who is joined.
//
// TUTTI_KILLS is the number of kills (20), TUTTI_SEED the seed of the choices.
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include <QtTest>
#include <array>
#include <map>
#include <memory>
#include <random>

#include "federates/process.h"
#include "recorder.h"

using federates::memberName;
using federates::nameOf;
using federates::Phase;
using federates::Process;

namespace {

constexpr int memberCount = 6;
constexpr std::uint32_t joinerSlot = memberCount;  ///< for those who die while they join
/// ms from a death to what everyone must have heard, on a machine that is not overloaded. On one
/// that is, a round in which nobody died takes long as well: it may take `asLong` times that.
constexpr int goOnLimit = 2000;
constexpr int asLong = 20;
constexpr int hangLimit = 60'000;  ///< ms; who has not heard all by then never will
constexpr std::array targets{Phase::Sending, Phase::Receiving, Phase::Joining, Phase::Resigning,
                             Phase::Granting};

}  // namespace

class tst_kill : public QObject {
  Q_OBJECT

  OwnNode node_;
  federates::OwnBoard board_;
  QString federation_;
  std::array<std::unique_ptr<Process>, memberCount + 1> members_;
  std::mt19937_64 random_;
  std::map<Phase, int> hits_;
  int slowest_ = 0;       ///< ms until everyone had heard everyone after a death
  int slowestQuiet_ = 0;  ///< ms, nobody having died

  std::uint64_t below(std::uint64_t limit) {
    return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random_);
  }
  Phase phaseOf(std::uint32_t slot) const {
    return static_cast<Phase>(board_->members[slot].phase.load());
  }
  void start(std::uint32_t slot);
  bool isReady(std::uint32_t slot);
  Phase nextTarget();
  std::uint32_t killOne(Phase target);
  int nextRound();
  void everyoneGoesOn(std::uint32_t dead);
  QString whatIsMissing(std::uint64_t round) const;

 private slots:
  void initTestCase();
  void survivorsGoOn();
  void cleanupTestCase();
};

void tst_kill::start(std::uint32_t slot) {
  auto& place = board_->members[slot];
  const std::uint32_t generation = place.generation.load() + 1;
  place.phase.store(static_cast<std::uint32_t>(Phase::Starting));
  place.joinedRound.store(0);
  place.known.store(0);
  place.knownRound.store(0);
  for (auto& heard : place.updateFrom) heard.store(0);
  for (auto& heard : place.eventFrom) heard.store(0);
  for (auto& other : board_->members) {
    other.updateFrom[slot].store(0);
    other.eventFrom[slot].store(0);
  }
  place.generation.store(generation);
  Process::Options options;
  options.board = board_.descriptor();
  members_[slot] = std::make_unique<Process>(
      QStringList{"member", federation_, QString::number(slot), QString::number(generation)},
      options);
}

bool tst_kill::isReady(std::uint32_t slot) {
  return federates::waitUntil([&] { return board_->members[slot].joinedRound.load() != 0; }, 30000);
}

void tst_kill::initTestCase() {
  const QByteArray seed = qgetenv("TUTTI_SEED");
  const std::uint64_t number = seed.isEmpty() ? 20100816 : seed.toULongLong();
  qInfo("seed %llu (set TUTTI_SEED for another)", static_cast<unsigned long long>(number));
  random_.seed(number);
  federation_ = uniqueName("kill");
  board_->round.store(1);
  for (std::uint32_t slot = 0; slot < memberCount; ++slot) start(slot);
  for (std::uint32_t slot = 0; slot < memberCount; ++slot) {
    QVERIFY2(isReady(slot), board_->members[slot].text);
  }
}

/// Of what has been hit least.
Phase tst_kill::nextTarget() {
  std::vector<Phase> least;
  for (const Phase phase : targets) {
    if (!least.empty() && hits_[phase] > hits_[least.front()]) continue;
    if (!least.empty() && hits_[phase] < hits_[least.front()]) least.clear();
    least.push_back(phase);
  }
  return least[below(least.size())];
}

/// Kills one that seems to be in that phase. Where it really was is on the board afterwards.
std::uint32_t tst_kill::killOne(Phase target) {
  std::uint32_t slot = static_cast<std::uint32_t>(below(memberCount));
  auto spread = std::chrono::microseconds(below(200));
  if (target == Phase::Joining) {
    slot = joinerSlot;
    spread = std::chrono::microseconds(below(4000));
    start(slot);
  } else if (target == Phase::Resigning) {
    board_->leave[slot].store(board_->members[slot].generation.load());
  }
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (phaseOf(slot) != target && phaseOf(slot) != Phase::Left &&
         std::chrono::steady_clock::now() < limit) {
    sched_yield();
  }
  const auto then = std::chrono::steady_clock::now() + spread;
  while (std::chrono::steady_clock::now() < then) {
  }
  members_[slot]->kill();
  return slot;
}

QString tst_kill::whatIsMissing(std::uint64_t round) const {
  std::uint64_t alive = 0;
  for (std::uint32_t slot = 0; slot <= joinerSlot; ++slot) {
    if (members_[slot] && !members_[slot]->ended()) alive |= std::uint64_t{1} << slot;
  }
  for (std::uint32_t slot = 0; slot <= joinerSlot; ++slot) {
    if ((alive >> slot & 1) == 0) continue;
    const auto& place = board_->members[slot];
    const QString name = memberName(slot, place.generation.load());
    if (place.errors.load() != 0) return name + ": " + place.text;
    for (std::uint32_t other = 0; other <= joinerSlot; ++other) {
      if (other == slot || (alive >> other & 1) == 0) continue;
      const QString from =
          QString(" of %1").arg(memberName(other, board_->members[other].generation.load()));
      if (place.updateFrom[other].load() < round) return name + " heard no update" + from;
      if (place.eventFrom[other].load() < round) return name + " was granted to no event" + from;
    }
    if (place.knownRound.load() < round || place.known.load() != alive) {
      return QString("%1 believes that %2 are joined, not %3")
          .arg(name)
          .arg(place.known.load(), 0, 16)
          .arg(alive, 0, 16);
    }
  }
  return {};
}

/// ms until everyone who lives has heard everyone else of a new round; -1: somebody never did.
int tst_kill::nextRound() {
  QElapsedTimer timer;
  timer.start();
  const std::uint64_t round = board_->round.load() + 1;
  board_->round.store(round);
  const bool done = federates::waitUntil([&] { return whatIsMissing(round).isEmpty(); }, hangLimit);
  return done ? static_cast<int>(timer.elapsed()) : -1;
}

void tst_kill::everyoneGoesOn(std::uint32_t dead) {
  const int took = nextRound();
  if (took < 0) {
    for (std::uint32_t slot = 0; slot <= joinerSlot; ++slot) {
      const auto& place = board_->members[slot];
      qWarning("  %s: %s%s, %llu updates, %llu grants",
               qPrintable(memberName(slot, place.generation.load())), nameOf(phaseOf(slot)),
               !members_[slot] || members_[slot]->ended() ? " (dead)" : "",
               static_cast<unsigned long long>(place.ended.load()),
               static_cast<unsigned long long>(place.grants.load()));
    }
  }
  QVERIFY2(took >= 0, qPrintable(whatIsMissing(board_->round.load())));
  slowest_ = std::max(slowest_, took);
  const int quiet = nextRound();
  QVERIFY2(quiet >= 0, qPrintable(whatIsMissing(board_->round.load())));
  slowestQuiet_ = std::max(slowestQuiet_, quiet);
  QVERIFY2(took <= std::max(goOnLimit, asLong * quiet),
           qPrintable(QString("after a death it took %1 ms, else %2 ms").arg(took).arg(quiet)));
  QStringList expected;
  for (std::uint32_t slot = 0; slot <= joinerSlot; ++slot) {
    if (slot == dead || !members_[slot]) continue;
    if (members_[slot]->ended()) continue;
    expected << memberName(slot, board_->members[slot].generation.load());
  }
  QCOMPARE(federates::joinedNames(node_.name(), federation_), expected);
}

void tst_kill::survivorsGoOn() {
  const int asked = qEnvironmentVariableIntValue("TUTTI_KILLS");
  const int wanted = asked > 0 ? asked : 20;
  const int each = std::max(1, wanted / 10);
  const auto everyPhaseHit = [&] {
    return std::all_of(targets.begin(), targets.end(),
                       [&](Phase phase) { return hits_[phase] >= each; });
  };
  int kills = 0;
  for (int tries = 0; tries < 4 * wanted && (kills < wanted || !everyPhaseHit()); ++tries) {
    const Phase target = nextTarget();
    const std::uint32_t victim = killOne(target);
    const Phase died = phaseOf(victim);
    // One that resigned faster than it was killed is no kill, but the others lost it all the same.
    kills += died == Phase::Left ? 0 : 1;
    ++hits_[died];
    everyoneGoesOn(victim);
    if (QTest::currentTestFailed()) {
      qWarning("after kill %d, of %s while %s", kills,
               qPrintable(memberName(victim, board_->members[victim].generation.load())),
               nameOf(died));
      return;
    }
    members_[victim].reset();
    if (victim != joinerSlot) {
      start(victim);
      QVERIFY2(isReady(victim), board_->members[victim].text);
    }
  }
  QStringList summary;
  for (const auto& [phase, count] : hits_)
    summary << QString("%1 %2").arg(count).arg(nameOf(phase));
  qInfo("%d kills: %s; the slowest took %d ms until all had heard all, and %d ms where "
        "nobody had died", kills, qPrintable(summary.join(", ")), slowest_, slowestQuiet_);
  QVERIFY(kills >= wanted);
  for (const Phase phase : targets) {
    QVERIFY2(hits_[phase] >= each, nameOf(phase));
  }
}

void tst_kill::cleanupTestCase() {
  board_->stop.store(1);
  for (auto& member : members_) {
    if (!member) continue;
    const auto status = member->wait(10000);
    QVERIFY(status.has_value());
    QCOMPARE(*status, 0);
  }
  for (const auto& place : board_->members) QVERIFY2(place.errors.load() == 0, place.text);
}

QTEST_GUILESS_MAIN(tst_kill)
#include "tst_kill.moc"
