// SPDX-License-Identifier: GPL-3.0-or-later
// A storm of deaths. Survivors at one to three nodes send, advance and check all they are told,
// while up to three victims at a time are killed in the middle of something: by SIGKILL, SIGSEGV, or
// after they were stopped for a while; the home node is stopped for short spells, too. After each
// round all survivors hear each other, are granted, know who is joined by the MOM, have no save,
// restore or synchronization point open, and own what is theirs.
//
// TUTTI_STORM: number of kills (24). TUTTI_SEED: of the choices. TUTTI_STORM_LOAD: busy loops beside
// it. TUTTI_STORM_STATE, TUTTI_STORM_ROW: only this state, by its number, and only this row.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "federates/process.h"
#include "federates/storm.h"
#include "patience.h"
#include "recorder.h"

using federates::Process;
using namespace federates::storm;

namespace {

constexpr int goOnLimit = 30000;  ///< ms until all go on after a death
constexpr int killsOfOneFederation = 200;

enum class End { Kill, Fault, StopThenKill, StopThenGoOn };
const char* nameOf(End end) {
  constexpr const char* names[] = {"SIGKILL", "SIGSEGV", "SIGSTOP, then SIGKILL",
                                   "SIGSTOP, SIGCONT, then SIGKILL"};
  return names[static_cast<int>(end)];
}

struct Row {
  const char* name;
  int hosts;
  const char* architecture;
};
constexpr Row rows[] = {
    {"one node", 1, "decentralized"},
    {"two nodes", 2, "decentralized"},
    {"three nodes", 3, "decentralized"},
    {"three nodes, each in between", 3, "federated"},
    {"three nodes, the home in between", 3, "centralized"},
    {"one node in between", 1, "federated"},
};

int numberOfEnvironment(const char* name, int otherwise) {
  const int given = qEnvironmentVariableIntValue(name);
  return given > 0 ? given : otherwise;
}

}  // namespace

class tst_storm : public QObject {
  Q_OBJECT

  struct Victim {
    std::uint32_t slot = 0;
    int host = 0;
    State state = State::LargeValues;
    End end = End::Kill;
    std::unique_ptr<Process> process;
  };

  QTemporaryDir saves_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Process>> load_;
  std::map<State, int> hits_;
  std::map<State, int> aimed_;
  std::map<End, int> ends_;
  int kills_ = 0;
  int outside_ = 0;  ///< killed when it was not in its state
  int slowest_ = 0;
  std::uint64_t messages_ = 0, saved_ = 0, restored_ = 0;
  int homeStops_ = 0;

  // Of one federation.
  Row row_{};
  std::unique_ptr<LinkedNodes> nodes_;
  std::unique_ptr<federates::OwnBoardOf<Board>> board_;
  QString federation_;
  std::vector<std::unique_ptr<Process>> survivors_;

  std::uint64_t below(std::uint64_t limit) {
    return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random_);
  }
  Process::Options optionsAt(int host) const;
  int hostOf(std::uint32_t survivor) const { return static_cast<int>(survivor) % row_.hosts; }
  State nextState();
  void begin(const Row& row);
  void end();
  void round();
  bool start(Victim& victim);
  void strike(std::vector<Victim>& victims);
  QString whatIsMissing(std::uint64_t round) const;
  void everyoneGoesOn(const std::vector<Victim>& victims);
  void tellWhere(const std::vector<Victim>& victims) const;

 private slots:
  void initTestCase();
  void survivorsGoOn_data();
  void survivorsGoOn();
  void everyStateWasHit();
  void cleanupTestCase();
};

void tst_storm::initTestCase() {
  qputenv("XDG_STATE_HOME", saves_.path().toUtf8());
  const QByteArray seed = qgetenv("TUTTI_SEED");
  const std::uint64_t number = seed.isEmpty() ? 20100816 : seed.toULongLong();
  qInfo("seed %llu (set TUTTI_SEED for another)", static_cast<unsigned long long>(number));
  random_.seed(number);
  const int load = numberOfEnvironment("TUTTI_STORM_LOAD", 0);
  for (int i = 0; i < load; ++i) load_.push_back(std::make_unique<Process>(QStringList{"busy"}));
}

Process::Options tst_storm::optionsAt(int host) const {
  Process::Options options;
  options.board = board_->descriptor();
  options.environment << "TUTTI_RTI=" + nodes_->designator(host)
                      << QString("TUTTI_ARCHITECTURE=") + row_.architecture;
  return options;
}

void tst_storm::begin(const Row& row) {
  row_ = row;
  nodes_ = std::make_unique<LinkedNodes>(uniqueName("storm"), row.hosts);
  board_ = std::make_unique<federates::OwnBoardOf<Board>>();
  federation_ = uniqueName("storm");
  Board& board = **board_;
  board.round.store(1);
  const std::uint32_t count = row.hosts == 2 ? 4 : 3;
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    board.all[slot].generation.store(1);
    survivors_.push_back(std::make_unique<Process>(
        QStringList{"survivor", federation_, QString::number(slot)}, optionsAt(hostOf(slot))));
    // One after the other: linked nodes are started by the first who connects there.
    QVERIFY2(federates::waitUntil([&] { return board.all[slot].ready.load() == 1; }, goOnLimit),
             board.all[slot].text);
  }
}

/// Of what has been hit least.
State tst_storm::nextState() {
  if (qEnvironmentVariableIsSet("TUTTI_STORM_STATE")) {
    return static_cast<State>(qEnvironmentVariableIntValue("TUTTI_STORM_STATE") % stateCount);
  }
  std::vector<State> least;
  int lowest = 0;
  for (std::uint32_t i = 0; i < stateCount; ++i) {
    const auto state = static_cast<State>(i);
    const int count = aimed_[state];
    if (!least.empty() && count > lowest) continue;
    if (!least.empty() && count < lowest) least.clear();
    lowest = count;
    least.push_back(state);
  }
  return least[below(least.size())];
}

bool tst_storm::start(Victim& victim) {
  Slot& place = (*board_)->all[victim.slot];
  const std::uint32_t generation = place.generation.load() + 1;
  place.within.store(0);
  place.generation.store(generation);
  victim.process = std::make_unique<Process>(
      QStringList{"victim", federation_, QString::number(victim.slot), QString::number(generation),
                  QString::number(static_cast<int>(victim.state))},
      optionsAt(victim.host));
  return federates::waitUntil(
      [&] { return place.ready.load() == generation || place.errors.load() != 0; }, goOnLimit);
}

void tst_storm::strike(std::vector<Victim>& victims) {
  Board& board = **board_;
  const bool stopsHome = row_.hosts > 1 && below(4) == 0;
  if (stopsHome) {
    ::kill(static_cast<pid_t>(nodes_->homePid()), SIGSTOP);
    ++homeStops_;
  }
  for (Victim& victim : victims) {
    Slot& place = board.all[victim.slot];
    const auto isWithin = [&] { return place.within.load() != 0; };
    federates::waitUntil(isWithin, stopsHome ? 100 : 5000);
    // What takes long is met anywhere in it, what takes short mostly at its begin.
    const std::uint64_t longest = victim.state == State::Objects ? 500000
                                  : victim.state == State::Unread ? 100000
                                                                  : 3000;
    const auto then = std::chrono::steady_clock::now() + std::chrono::microseconds(below(longest));
    while (std::chrono::steady_clock::now() < then) ::usleep(100);
    const bool stops = victim.end == End::StopThenKill || victim.end == End::StopThenGoOn;
    if (stops) {
      victim.process->signal(SIGSTOP);
      ::usleep(static_cast<useconds_t>(1000 * below(300)));
      if (victim.end == End::StopThenGoOn) {
        victim.process->signal(SIGCONT);
        ::usleep(static_cast<useconds_t>(1000 * below(50)));
        federates::waitUntil(isWithin, 2000);
      }
    }
    if (victim.end == End::Fault) {
      victim.process->signal(SIGSEGV);
      victim.process->wait();
    } else {
      victim.process->kill();
    }
    ++kills_;
    ++ends_[victim.end];
    if (isWithin()) {
      ++hits_[victim.state];
    } else {
      ++outside_;
    }
  }
  if (stopsHome) {
    ::usleep(static_cast<useconds_t>(1000 * below(200)));
    ::kill(static_cast<pid_t>(nodes_->homePid()), SIGCONT);
  }
}

QString tst_storm::whatIsMissing(std::uint64_t round) const {
  Board& board = **board_;
  const auto count = static_cast<std::uint32_t>(survivors_.size());
  std::uint64_t members = 0;
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    members += digestOf(federates::storm::nameOf(slot, 1));
  }
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    const Slot& place = board.all[slot];
    const QString name = federates::storm::nameOf(slot, 1);
    if (place.round.load() < round) return name + " does not go on";
    for (std::uint32_t other = 0; other < count; ++other) {
      if (other == slot) continue;
      const QString from = " of " + federates::storm::nameOf(other, 1);
      if (place.updateFrom[other].load() < round) return name + " heard no update" + from;
      if (place.eventFrom[other].load() < round) return name + " was granted to no event" + from;
    }
    const std::uint32_t busy = place.busy.load();
    if ((busy & Busy::saveOrRestore) != 0) return name + " waits for the end of a save or restore";
    if ((busy & Busy::synchronizationPoint) != 0) return name + " waits to be synchronized";
    if ((busy & Busy::ownLoadIsAway) != 0) return name + " does not get its attribute back";
    if ((busy & Busy::instanceWithoutName) != 0) return name + " knows a federate without a name";
    if (place.members.load() != members) return name + " knows others by the MOM than are joined";
  }
  QStringList expected;
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    expected << federates::storm::nameOf(slot, 1);
  }
  // Centralized federates are connected to the home, wherever they are: it is the only node.
  const int nodes = row_.architecture == QLatin1String("centralized") ? 1 : row_.hosts;
  for (int host = 0; host < nodes; ++host) {
    const QStringList joined = federates::joinedNames(nodes_->nodeName(host), federation_);
    if (joined != expected) {
      return QString("at host %1 are joined: %2").arg(host).arg(joined.join(' '));
    }
  }
  return {};
}

void tst_storm::tellWhere(const std::vector<Victim>& victims) const {
  for (const Victim& victim : victims) {
    const Slot& place = (*board_)->all[victim.slot];
    qWarning("  victim %s at host %d, %s, by %s%s; %llu sent",
             qPrintable(federates::storm::nameOf(victim.slot, place.generation.load())),
             victim.host, federates::storm::nameOf(victim.state), nameOf(victim.end),
             place.within.load() != 0 ? "" : " (outside)",
             static_cast<unsigned long long>(place.sent.load()));
  }
  for (std::uint32_t slot = 0; slot < survivors_.size(); ++slot) {
    const Slot& place = (*board_)->all[slot];
    qWarning("  %s at host %d: round %llu, busy %x, %llu sent, %llu received, %llu grants, %llu "
             "saves, %llu restores, %llu errors %s",
             qPrintable(federates::storm::nameOf(slot, 1)), hostOf(slot),
             static_cast<unsigned long long>(place.round.load()), place.busy.load(),
             static_cast<unsigned long long>(place.sent.load()),
             static_cast<unsigned long long>(place.received.load()),
             static_cast<unsigned long long>(place.grants.load()),
             static_cast<unsigned long long>(place.saved.load()),
             static_cast<unsigned long long>(place.restored.load()),
             static_cast<unsigned long long>(place.errors.load()), place.text);
  }
}

void tst_storm::everyoneGoesOn(const std::vector<Victim>& victims) {
  Board& board = **board_;
  QElapsedTimer timer;
  timer.start();
  const std::uint64_t round = board.round.load() + 1;
  board.round.store(round);
  const auto anyWrong = [&] {
    return std::any_of(std::begin(board.all), std::end(board.all),
                       [](const Slot& place) { return place.errors.load() != 0; });
  };
  const bool done = federates::waitUntil(
      [&] { return anyWrong() || whatIsMissing(round).isEmpty(); }, goOnLimit);
  slowest_ = std::max(slowest_, static_cast<int>(timer.elapsed()));
  if (!done || anyWrong()) tellWhere(victims);
  for (std::uint32_t slot = 0; slot < slotCount; ++slot) {
    const Slot& place = board.all[slot];
    QVERIFY2(place.errors.load() == 0,
             qPrintable(federates::storm::nameOf(slot, place.generation.load()) + ": " +
                        QString::fromUtf8(place.text)));
  }
  QVERIFY2(done, qPrintable(whatIsMissing(round)));
}

void tst_storm::round() {
  Board& board = **board_;
  std::vector<Victim> victims(1 + below(mostVictims));
  for (std::size_t i = 0; i < victims.size(); ++i) {
    Victim& victim = victims[i];
    victim.state = nextState();
    ++aimed_[victim.state];
    victim.slot = mostSurvivors + static_cast<std::uint32_t>(i);
    victim.host = static_cast<int>(below(static_cast<std::uint64_t>(row_.hosts)));
    victim.end = static_cast<End>(below(4));
    // A restore needs those who have saved: nobody else comes or goes meanwhile.
    if (victim.state == State::Restoring) {
      if (i != 0) {
        --aimed_[victim.state];
        victims.resize(i);
        break;
      }
      victims.resize(1);
    }
  }
  board.begin.store(0);
  for (Victim& victim : victims) {
    const bool started = start(victim);
    if (!started) tellWhere(victims);
    QVERIFY2(started, "a victim does not begin");
  }
  for (Victim& victim : victims) {
    if (victim.state == State::Unread) board.flood.store(1);
  }
  board.begin.store(1);
  strike(victims);
  board.flood.store(0);
  everyoneGoesOn(victims);
}

void tst_storm::end() {
  Board& board = **board_;
  board.stop.store(1);
  for (std::uint32_t slot = 0; slot < survivors_.size(); ++slot) {
    const auto status = survivors_[slot]->wait(goOnLimit);
    const Slot& place = board.all[slot];
    QVERIFY2(place.errors.load() == 0, place.text);
    QVERIFY(status.has_value());
    QCOMPARE(*status, 0);
    messages_ += place.received.load();
  }
  saved_ += board.all[0].saved.load();
  restored_ += board.all[0].restored.load();
  // Whatever was left by those who were killed while they created or destroyed it can be destroyed.
  QSet<QString> memory;
  std::vector<pid_t> pids;
  for (int host = 0; host < row_.hosts; ++host) {
    if (const int pid = nodes_->nodePid(host); pid > 0) {
      pids.push_back(pid);
      memory += federates::sharedMemoryOf(pid);
    }
  }
  {
    Recorder last("last");
    nodes_->connect(last, 0);
    const auto status = federates::nodeStatus(nodes_->nodeName(0));
    QVERIFY(status.has_value());
    bool own = false;
    for (const auto& one : status->federations) {
      own = own || one.federation == federation_.toStdString();
      last.rti().destroyFederationExecution(QString::fromStdString(one.federation).toStdWString());
    }
    QVERIFY(own);
  }
  survivors_.clear();
  nodes_.reset();
  for (const pid_t pid : pids) {
    QVERIFY(federates::waitUntil([&] { return !federates::isRunning(pid); }));
  }
  QCOMPARE(federates::holdersOf(memory), QStringList());
  board_.reset();
}

void tst_storm::survivorsGoOn_data() {
  QTest::addColumn<int>("row");
  const QByteArray only = qgetenv("TUTTI_STORM_ROW");
  for (int i = 0; i < static_cast<int>(std::size(rows)); ++i) {
    if (only.isEmpty() || only.toInt() == i) QTest::newRow(rows[i].name) << i;
  }
}

void tst_storm::survivorsGoOn() {
  QFETCH(int, row);
  const int rowCount = qEnvironmentVariableIsSet("TUTTI_STORM_ROW") ? 1 : int(std::size(rows));
  const int wanted = kills_ + numberOfEnvironment("TUTTI_STORM", 24) / rowCount;
  while (kills_ < wanted) {
    begin(rows[row]);
    const int until = std::min(wanted, kills_ + killsOfOneFederation);
    while (kills_ < until && !QTest::currentTestFailed()) round();
    if (!QTest::currentTestFailed()) end();
    if (QTest::currentTestFailed()) {
      qWarning("after %d kills", kills_);
      survivors_.clear();
      nodes_.reset();
      return;
    }
  }
}

/// One may have just left its state when it was killed: those that were never hit are tried again.
void tst_storm::everyStateWasHit() {
  const auto isMissing = [&] {
    return !qEnvironmentVariableIsSet("TUTTI_STORM_STATE") && hits_.size() < stateCount;
  };
  if (isMissing()) {
    aimed_ = hits_;
    begin(rows[0]);
    for (int i = 0; i < 24 && isMissing() && !QTest::currentTestFailed(); ++i) round();
    if (!QTest::currentTestFailed()) end();
  }
  QStringList states, ends;
  for (const auto& [state, count] : hits_) {
    states << QString("%1 %2").arg(federates::storm::nameOf(state)).arg(count);
  }
  for (const auto& [end, count] : ends_) ends << QString("%1 %2").arg(nameOf(end)).arg(count);
  qInfo("%d kills: %s; %d outside of it", kills_, qPrintable(states.join(", ")), outside_);
  qInfo("by %s; the home was stopped %d times; %llu messages were checked, %llu saves, %llu "
        "restores; the slowest took %d ms until all went on",
        qPrintable(ends.join(", ")), homeStops_, static_cast<unsigned long long>(messages_),
        static_cast<unsigned long long>(saved_), static_cast<unsigned long long>(restored_),
        slowest_);
  if (qEnvironmentVariableIsSet("TUTTI_STORM_STATE")) return;
  for (std::uint32_t i = 0; i < stateCount; ++i) {
    const auto state = static_cast<State>(i);
    QVERIFY2(hits_[state] > 0, federates::storm::nameOf(state));
  }
}

void tst_storm::cleanupTestCase() { load_.clear(); }

QTEST_GUILESS_MAIN(tst_storm)
#include "tst_storm.moc"
