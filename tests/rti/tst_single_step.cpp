// SPDX-License-Identifier: GPL-3.0-or-later
// A federate dies between any two instructions of a service: the others must not notice more than
// its death.
//
// A victim process is stepped through one service, instruction by instruction, and killed. Two
// kills with nothing changed in shared memory in between are the same for everybody else; so there
// is one victim for every change that the service makes there, killed right after it, and besides
// them victims at evenly spread steps (16, or TUTTI_STEPS). Services that consist of requests to
// the node are also killed before and after each of their system calls.
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <QtTest>
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "fabric/layout.h"
#include "fabric/mapping.h"
#include "federates/process.h"
#include "federates/role.h"
#include "observe/node_client.h"
#include "recorder.h"

using namespace rti1516e;
using federates::Process;
namespace fabric = tutti::fabric;

namespace {

constexpr int patience = 10000;

/// A federate that stays alive, and what it heard of each instance.
class Survivor : public Recorder {
 public:
  explicit Survivor(const QString& name) : Recorder(name) {
    quiet = true;
    onReflect = [this](ObjectInstanceHandle instance, const AttributeHandleValueMap& values) {
      const std::lock_guard guard(mutex_);
      heard_[instance] << numberIn(values.begin()->second);
    };
    onReceive = [this](auto, const ParameterHandleValueMap& values) {
      const std::lock_guard guard(mutex_);
      events_ << numberIn(values.begin()->second);
    };
    onGrant = [this](double time) {
      const std::lock_guard guard(mutex_);
      time_ = time;
    };
  }
  QStringList heard(ObjectInstanceHandle instance) {
    const std::lock_guard guard(mutex_);
    return heard_[instance];
  }
  std::map<ObjectInstanceHandle, QStringList> all() {
    const std::lock_guard guard(mutex_);
    return heard_;
  }
  QStringList events() {
    const std::lock_guard guard(mutex_);
    return events_;
  }
  double time() const {
    const std::lock_guard guard(mutex_);
    return time_;
  }
  void forget() {
    clearLog();
    const std::lock_guard guard(mutex_);
    heard_.clear();
    events_.clear();
  }

 private:
  /// The number that a value carries, or "torn" when not all of it belongs to that.
  static QString numberIn(const VariableLengthData& data) {
    federates::Payload head;
    if (data.size() != 64) return "torn";
    const auto* bytes = static_cast<const char*>(data.data());
    std::memcpy(&head, bytes, sizeof head);
    const char filling = static_cast<char>('a' + static_cast<int>(head.number % 26));
    const bool whole = std::all_of(bytes + sizeof head, bytes + data.size(),
                                   [filling](char one) { return one == filling; });
    return whole ? QString::number(head.number) : QString("torn");
  }

  mutable std::mutex mutex_;
  std::map<ObjectInstanceHandle, QStringList> heard_;
  QStringList events_;
  double time_ = 0;
};

/// The way from the victim to one survivor, as it lies in the shared memory.
struct LinkState {
  std::uint64_t tail = 0;
  std::uint64_t stamped = 0;
  bool ready = false;
  bool summary = false;
  std::uint32_t sleeping = 0;
  std::uint32_t doorbell = 0;
  std::uint64_t data = 0;  ///< how often the ring's bytes have changed
  bool open = false;
  bool watched = false;
};

/// Bytes of the shared memory as they were, to see whether they changed.
class Copy {
 public:
  /// True when they differ from those of the last call.
  bool update(const std::byte* bytes, std::size_t count) {
    if (bytes == nullptr) count = 0;
    if (bytes_.size() == count && (count == 0 || std::memcmp(bytes_.data(), bytes, count) == 0)) {
      return false;
    }
    bytes_.assign(bytes, bytes + count);
    return true;
  }

 private:
  std::vector<std::byte> bytes_;
};

/// The memory of a federation execution, for looking at it.
struct Memory {
  tutti::observe::NodeClient client;
  fabric::Arena arena;

  bool open(const QString& node, const QString& federation) {
    auto connected = tutti::observe::NodeClient::connect(node.toStdString());
    if (!connected || !connected->hello("tst_single_step")) return false;
    client = std::move(*connected);
    auto memory = client.observe(federation.toStdString());
    if (!memory) return false;
    auto opened = memory->map();
    if (!opened) return false;
    arena = std::move(*opened);
    return true;
  }
};

/// Looks at what a victim writes into the memory of its federation execution.
class Watch {
 public:
  /// `survivors` in the order in which they joined.
  Watch(Memory& memory, const QString& federation, const QString& victim,
        const QStringList& survivors)
      : arena_(memory.arena) {
    const auto status = memory.client.status();
    if (!status) return;
    for (const auto& execution : status->federations) {
      if (execution.federation != federation.toStdString()) continue;
      for (const auto& federate : execution.federates) {
        const QString name = QString::fromStdString(federate.name);
        auto* block = arena_.as<fabric::FederateBlock>(federate.block);
        if (federate.state != static_cast<std::uint32_t>(fabric::FederateState::Joined)) continue;
        if (name == victim) {
          victim_ = federate.federate;
          victimBlock_ = block;
        } else if (survivors.contains(name)) {
          blocks_.push_back(block);
        }
      }
    }
  }

  /// From here on changes count. Waits until the first survivor sleeps.
  bool begin() {
    if (!isGood()) return false;
    const bool sleeps = federates::waitUntil(
        [&] {
          links_ = look();
          return links_[0].sleeping == 1 && !links_[0].ready && !links_[0].summary;
        },
        patience);
    first_ = links_;
    ownChanged();
    return sleeps;
  }

  bool isGood() const { return victimBlock_ != nullptr && blocks_.size() == 2; }

  /// True when the victim has changed anything since the last call.
  bool changed() {
    const auto now = look();
    bool result = ownChanged();
    for (std::size_t i = 0; i < now.size(); ++i) {
      const LinkState& a = links_[i];
      const LinkState& b = now[i];
      // What a survivor takes back by itself is no change of the victim's.
      result = result || a.tail != b.tail || a.stamped != b.stamped || a.data != b.data ||
               a.open != b.open || (!a.ready && b.ready) || (!a.summary && b.summary) ||
               (a.sleeping == 1 && b.sleeping == 0) || a.doorbell != b.doorbell;
    }
    links_ = now;
    return result;
  }

  /// How the first survivor is.
  QString firstState() const {
    const LinkState& link = links_[0];
    return QString("the survivor %1; ready %2, summary %3, tail %4, doorbell %5")
        .arg(link.sleeping == 1 ? "sleeps" : "is awake")
        .arg(link.ready)
        .arg(link.summary)
        .arg(link.tail)
        .arg(link.doorbell);
  }

  const std::vector<LinkState>& links() const { return links_; }
  const std::vector<LinkState>& first() const { return first_; }

  /// Between which two writes of a send the victim is now, for each survivor.
  QStringList moments() const {
    QStringList result;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const LinkState& then = first_[i];
      const LinkState& now = links_[i];
      if (!then.open || now.tail == then.tail) {
        if (then.open && now.stamped != then.stamped) {
          result << "counted, tail not moved";
        } else if (then.open && now.data != then.data) {
          result << "payload begun, tail not moved";
        }
      } else if (!then.ready && !now.ready && !then.summary && !now.summary &&
                 now.doorbell == then.doorbell) {
        result << "tail moved, ready bit not set";
      } else if (now.ready && !now.summary && now.doorbell == then.doorbell) {
        result << "ready bit set, summary not set";
      } else if (now.ready && now.summary && now.sleeping == 1) {
        result << "all bits set, sleeper not woken";
      } else if (now.ready && now.summary && then.sleeping == 1 && now.doorbell == then.doorbell) {
        result << "sleeper taken, doorbell not rung";
      } else if (now.ready && now.summary && now.doorbell != then.doorbell) {
        result << "doorbell rung, sleeper not awake";
      }
    }
    return result;
  }

 private:
  std::vector<LinkState> look() {
    std::vector<LinkState> result;
    rings_.resize(blocks_.size());
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const auto* block = blocks_[i];
      LinkState state;
      state.sleeping = block->sleeping.load();
      state.doorbell = block->doorbell.load();
      for (std::size_t e = 0; e < fabric::InboundBlock::entryCount; ++e) {
        const auto& entry = block->inbound.entries[e];
        if (entry.sender.load() != victim_) continue;
        const auto* ring = arena_.as<fabric::RingHeader>(entry.ring.load());
        if (ring == nullptr) continue;
        state.open = true;
        state.tail = ring->tail.load();
        state.watched = ring->watched.load() != 0;
        state.stamped = ring->timestampedSent.load();
        state.ready = (block->inbound.ready.load() >> e & 1) != 0;
        state.summary = (block->readySummary.load() & 1) != 0;
        if (rings_[i].bytes.update(
                reinterpret_cast<const std::byte*>(ring) + fabric::ringHeaderBytes,
                ring->capacity)) {
          ++rings_[i].changes;
        }
        state.data = rings_[i].changes;
      }
      result.push_back(state);
    }
    return result;
  }

  /// The victim's page, the first block of its instance table, how far it has read its rings.
  bool ownChanged() {
    const auto* page = reinterpret_cast<const std::byte*>(victimBlock_);
    bool result = page_.update(page, sizeof(fabric::FederateBlock));
    const fabric::Offset table = victimBlock_->instances.load();
    result = table_.update(arena_.at(table, fabric::pageBytes), fabric::pageBytes) || result;
    std::array<std::uint64_t, 2 * fabric::InboundBlock::entryCount> read{};
    std::size_t at = 0;
    for (const auto& entry : victimBlock_->inbound.entries) {
      const auto* ring = arena_.as<fabric::RingHeader>(entry.ring.load());
      if (ring == nullptr) continue;
      read[at++] = ring->head.load();
      read[at++] = ring->timestampedTaken.load();
    }
    const auto* positions = reinterpret_cast<const std::byte*>(read.data());
    return read_.update(positions, at * sizeof(std::uint64_t)) || result;
  }

  struct Ring {
    Copy bytes;
    std::uint64_t changes = 0;
  };

  const fabric::Arena& arena_;
  fabric::FederateNumber victim_ = 0;
  fabric::FederateBlock* victimBlock_ = nullptr;
  std::vector<fabric::FederateBlock*> blocks_;
  std::vector<LinkState> links_;
  std::vector<LinkState> first_;
  std::vector<Ring> rings_;
  Copy page_;
  Copy table_;
  Copy read_;
};

/// How far a victim gets.
struct Fate {
  enum class By { Change, Step, SystemCall } by = By::Change;
  int number = 0;  ///< killed right after so many of them
};

struct Death {
  bool completed = false;  ///< the service ended before that
  int steps = 0;
  int changes = 0;
  QStringList moments;
  std::vector<LinkState> first;
  std::vector<LinkState> last;
};

}  // namespace

class tst_single_step : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;
  Memory memory_;
  /// One sleeps in a thread of the library, the other is evoked by the test, and not meanwhile.
  std::unique_ptr<Survivor> sleeper_;
  std::unique_ptr<Survivor> evoked_;
  ObjectInstanceHandle sleepers_;
  ObjectInstanceHandle evokeds_;
  std::map<QString, int> moments_;
  int victims_ = 0;
  int steps_ = 0;    ///< of a service that was not killed
  int changes_ = 0;  ///< ... in shared memory
  int calls_ = 0;    ///< ... of the system, entered and left
  std::uint64_t echoes_ = 0;

  using Prepare = std::function<void(Process&)>;
  using Check = std::function<void(const Death&)>;

  void killEverywhere(const QString& what, const Prepare& before, const Check& after,
                      const QList<Fate::By>& ways);
  std::unique_ptr<Process> start(const QString& what, const QString& name, const Prepare& before);
  void checkHeard(const Death& death, int sentBefore);
  Death step(Process& victim, Watch* watch, const Fate& fate);
  bool hears(Survivor& survivor, const std::function<bool()>& done);
  void goOn();
  void hearRemovals();
  void advance(Survivor& survivor, bool next);

 private slots:
  void init();
  void cleanup();
  void aSender();
  void aSenderToOneWhoWatches();
  void aSenderInTimestampOrder();
  void aReceiver();
  void aRegistrant_data();
  void aRegistrant();
  void aGranter();
  void oneWhoJoins();
  void oneWhoResigns();

 private:
  double target_ = 0;  ///< logical time that everyone is asked to go to
};

void tst_single_step::init() {
  federation_ = uniqueName("step");
  moments_.clear();
  victims_ = steps_ = changes_ = calls_ = 0;
  target_ = 0;
  sleeper_ = std::make_unique<Survivor>("sleeper");
  evoked_ = std::make_unique<Survivor>("evoked");
  sleeper_->enter(federation_, HLA_IMMEDIATE);
  evoked_->enter(federation_);
  for (Survivor* survivor : {sleeper_.get(), evoked_.get()}) {
    survivor->publish("Vehicle", {"position"});
    survivor->subscribe("Vehicle", {"position"});
    survivor->subscribeInteraction("Event");
  }
  sleepers_ = sleeper_->registerInstance("Vehicle");
  evokeds_ = evoked_->registerInstance("Vehicle");
  QVERIFY(hears(*sleeper_, [&] { return sleeper_->count("discover") == 1; }));
  QVERIFY(hears(*evoked_, [&] { return evoked_->count("discover") == 1; }));
  QVERIFY(memory_.open(node_.name(), federation_));
}

void tst_single_step::cleanup() {
  sleeper_.reset();
  evoked_.reset();
  memory_ = {};
}

bool tst_single_step::hears(Survivor& survivor, const std::function<bool()>& done) {
  if (&survivor == evoked_.get()) return survivor.pumpUntil(done, patience);
  return federates::waitUntil(done, patience);
}

/// A victim that stands right before its service.
std::unique_ptr<Process> tst_single_step::start(const QString& what, const QString& name,
                                                const Prepare& before) {
  auto victim = std::make_unique<Process>(
      QStringList{"stepped", what, federation_, name, QString::number(target_)});
  if (before) {
    if (victim->listen() != "ready") return {};
    before(*victim);
    victim->say("go");
  }
  int status = 0;
  if (::waitpid(victim->pid(), &status, __WALL) != victim->pid() || !WIFSTOPPED(status)) {
    victim->noteEnd(status);
    return {};
  }
  return victim;
}

/// Lets it go until its fate, and kills it there.
Death tst_single_step::step(Process& victim, Watch* watch, const Fate& fate) {
  Death death;
  if (watch != nullptr) death.first = watch->first();
  const bool calls = fate.by == Fate::By::SystemCall;
  int changes = 0;
  while (fate.number > 0) {
    int status = 0;
    ::ptrace(calls ? PTRACE_SYSCALL : PTRACE_SINGLESTEP, victim.pid(), nullptr, nullptr);
    if (::waitpid(victim.pid(), &status, __WALL) != victim.pid() || !WIFSTOPPED(status)) {
      victim.noteEnd(status);
      break;
    }
    if (WSTOPSIG(status) == SIGSTOP) {
      death.completed = true;
      break;
    }
    ++death.steps;
    if (watch != nullptr && fate.by == Fate::By::Change && watch->changed()) ++changes;
    if (fate.number == (fate.by == Fate::By::Change ? changes : death.steps)) break;
  }
  death.changes = changes;
  if (watch != nullptr) {
    watch->changed();
    death.last = watch->links();
    if (!death.completed) death.moments = watch->moments();
  }
  victim.kill();
  return death;
}

/// One victim for each place where it can die, `after` each of them.
void tst_single_step::killEverywhere(const QString& what, const Prepare& before, const Check& after,
                                     const QList<Fate::By>& ways) {
  for (const Fate::By by : ways) {
    const bool watched = by != Fate::By::SystemCall;
    // Places between changes are all the same to the others: some of them, evenly spread.
    const int spread = qEnvironmentVariableIntValue("TUTTI_STEPS");
    const int stride = by == Fate::By::Step ? std::max(1, steps_ / (spread > 0 ? spread : 16)) : 1;
    for (int number = by == Fate::By::Step ? stride / 2 + 1 : 1;; number += stride) {
      const QString name = QString("victim %1").arg(++victims_);
      sleeper_->forget();
      evoked_->forget();
      auto victim = start(what, name, before);
      QVERIFY2(victim != nullptr, qPrintable(what));
      evoked_->pump();
      std::optional<Watch> watch;
      if (watched) {
        watch.emplace(memory_, federation_, name, QStringList{"sleeper", "evoked"});
        QVERIFY2(watch->begin(),
                 qPrintable(QString("victim %1: %2")
                                .arg(victims_)
                                .arg(watch->isGood() ? watch->firstState() : "is not joined")));
      }
      const Death death = step(*victim, watched ? &*watch : nullptr, {by, number});
      if (death.completed) {
        (by == Fate::By::SystemCall ? calls_ : steps_) = death.steps;
        if (by == Fate::By::Change) changes_ = death.changes;
      }
      for (const QString& moment : death.moments) ++moments_[moment];
      // The node knows of a death before anyone can ask it something.
      QVERIFY(federates::waitUntil([&] {
        return federates::joinedNames(node_.name(), federation_) ==
               QStringList({"evoked", "sleeper"});
      }));
      after(death);
      if (QTest::currentTestFailed()) {
        qWarning("%s: %s, killed after %d %s (%d steps)", qPrintable(name), qPrintable(what),
                 number,
                 by == Fate::By::Change ? "changes"
                 : by == Fate::By::Step ? "steps"
                                        : "system calls",
                 death.steps);
        return;
      }
      if (death.completed) break;
    }
  }
  qInfo(
      "%s: %d victims; the service has %d steps with %d changes in shared memory, %d ends of "
      "system calls",
      qPrintable(what), victims_, steps_, changes_, calls_);
  for (const auto& [moment, count] : moments_) {
    qInfo("  %3d links: %s", count, qPrintable(moment));
  }
}

/// Each survivor still hears the other.
void tst_single_step::goOn() {
  const auto tell = [&](Survivor& from, ObjectInstanceHandle instance, Survivor& to) {
    const auto number = ++echoes_;
    QByteArray value(64, static_cast<char>('a' + static_cast<int>(number % 26)));
    const federates::Payload head{0, 0, number};
    std::memcpy(value.data(), &head, sizeof head);
    from.update(instance, "Vehicle", {{"position", value}});
    return hears(to, [&] { return to.heard(instance).contains(QString::number(number)); });
  };
  QVERIFY(tell(*sleeper_, sleepers_, *evoked_));
  QVERIFY(tell(*evoked_, evokeds_, *sleeper_));
}

/// What was discovered is removed again, once.
void tst_single_step::hearRemovals() {
  evoked_->pump();  // all that has come, whichever ring it came by
  for (Survivor* survivor : {sleeper_.get(), evoked_.get()}) {
    QVERIFY(
        hears(*survivor, [&] { return survivor->count("remove") == survivor->count("discover"); }));
    QStringList discovered;
    QStringList removed;
    for (const QString& line : survivor->linesWith("discover")) {
      discovered << line.section(' ', 1, -3);
    }
    for (const QString& line : survivor->linesWith("remove")) removed << line.section(' ', 1);
    discovered.sort();
    removed.sort();
    QCOMPARE(removed, discovered);
  }
}

/// What was sent before; the last one when its tail was moved, else not: never half.
void tst_single_step::checkHeard(const Death& death, int sentBefore) {
  std::size_t index = 0;
  for (Survivor* survivor : {sleeper_.get(), evoked_.get()}) {
    QStringList heard;
    for (const auto& [instance, numbers] : survivor->all()) {
      if (instance != sleepers_ && instance != evokeds_) heard << numbers;
    }
    const bool sent = death.last.at(index).tail != death.first.at(index).tail;
    ++index;
    QStringList expected;
    for (int i = 0; i < sentBefore + (sent ? 1 : 0); ++i) expected << QString::number(i);
    QCOMPARE(heard, expected);
  }
}

void tst_single_step::aSender() {
  const std::initializer_list<const char*> moments{
      "payload begun, tail not moved",    "tail moved, ready bit not set",
      "ready bit set, summary not set",   "all bits set, sleeper not woken",
      "sleeper taken, doorbell not rung", "doorbell rung, sleeper not awake"};
  const auto isMissing = [this](const char* moment) { return moments_[moment] == 0; };
  // The sleeper may be awake before it is looked at: then once more, everywhere.
  for (int i = 0; i < 5 && std::any_of(moments.begin(), moments.end(), isMissing); ++i) {
    killEverywhere("update", {},
                   [&](const Death& death) {
                     hearRemovals();
                     goOn();
                     checkHeard(death, 3);
                   },
                   {Fate::By::Change, Fate::By::Step});
    if (QTest::currentTestFailed()) return;
  }
  for (const char* moment : moments) QVERIFY2(!isMissing(moment), moment);
}

/// One receiver has read so often that it looks at the ring by itself: no bit tells of the message.
void tst_single_step::aSenderToOneWhoWatches() {
  constexpr int rounds = 24;
  killEverywhere(
      "update often",
      [&](Process& victim) {
        for (int i = 0; i < rounds; ++i) {
          victim.say("next");
          QVERIFY(federates::waitUntil([&] {
            evoked_->rti().evokeCallback(0.0);
            const auto all = evoked_->all();
            return std::any_of(all.begin(), all.end(), [&](const auto& one) {
              return one.first != sleepers_ && one.second.contains(QString::number(i));
            });
          }));
          evoked_->rti().evokeCallback(0.0);  // finds the ring empty
        }
      },
      [&](const Death& death) {
        QVERIFY(death.first.at(1).watched);
        QVERIFY(!death.first.at(0).watched);
        QVERIFY(!death.last.at(1).ready);
        hearRemovals();
        goOn();
        checkHeard(death, rounds);
      },
      {Fate::By::Change, Fate::By::Step});
  QVERIFY(moments_["tail moved, ready bit not set"] > 0);
}

/// Asks for the time `target_`.
void tst_single_step::advance(Survivor& survivor, bool next) {
  if (next) {
    survivor.rti().nextMessageRequest(HLAfloat64Time(target_));
  } else {
    survivor.rti().timeAdvanceRequest(HLAfloat64Time(target_));
  }
}

void tst_single_step::aSenderInTimestampOrder() {
  for (Survivor* survivor : {sleeper_.get(), evoked_.get()}) {
    survivor->rti().enableTimeRegulation(HLAfloat64Interval(1.0));
    QVERIFY(hears(*survivor, [&] { return survivor->count("regulating") == 1; }));
    survivor->rti().enableTimeConstrained();
    QVERIFY(hears(*survivor, [&] { return survivor->count("constrained") == 1; }));
    survivor->rti().enableAsynchronousDelivery();
  }
  target_ = 1;
  killEverywhere(
      "timestamped",
      [&](Process&) {
        advance(*sleeper_, true);
        advance(*evoked_, false);
      },
      [&](const Death& death) {
        int index = 0;
        for (Survivor* survivor : {sleeper_.get(), evoked_.get()}) {
          QVERIFY(hears(*survivor, [&] { return survivor->time() == target_; }));
          const auto i = static_cast<std::size_t>(index++);
          const bool sent = death.last.at(i).tail != death.first.at(i).tail;
          QCOMPARE(survivor->events(), sent ? QStringList({"0", "1"}) : QStringList({"0"}));
        }
        hearRemovals();
        goOn();
        target_ += 1;
      },
      {Fate::By::Change, Fate::By::Step});
  QVERIFY(moments_["counted, tail not moved"] > 0);
  QVERIFY(moments_["tail moved, ready bit not set"] > 0);
}

void tst_single_step::aReceiver() {
  killEverywhere(
      "evoke", [&](Process&) { goOn(); },
      [&](const Death&) {
        hearRemovals();
        goOn();
      },
      {Fate::By::Change, Fate::By::Step});
  QVERIFY(changes_ > 6);
}

void tst_single_step::aRegistrant_data() {
  QTest::addColumn<QString>("what");
  QTest::newRow("with a table") << "register";
  QTest::newRow("for the first time") << "register first";
  QTest::newRow("with a name") << "register named";
}

void tst_single_step::aRegistrant() {
  QFETCH(QString, what);
  // With requests to the node it is long: then its system calls are the places, and all changes
  // only when asked for.
  QList ways{what == "register" ? Fate::By::Step : Fate::By::SystemCall};
  if (what != "register first" || qEnvironmentVariableIsSet("TUTTI_STEPS")) {
    ways.prepend(Fate::By::Change);
  }
  killEverywhere(
      what, {},
      [&](const Death&) {
        hearRemovals();
        goOn();
        Recorder late("late");
        late.enter(federation_);
        late.subscribe("Vehicle", {"position"});
        QVERIFY(late.expect("discover", 2));
        late.pump();
        QCOMPARE(late.count("discover"), 2);
        late.leave();
        if (what != "register named") return;
        // The name is free again.
        const QString name = QString("of victim %1").arg(victims_);
        evoked_->rti().reserveObjectInstanceName(name.toStdWString());
        QVERIFY(evoked_->expect("reserved " + name));
        evoked_->rti().releaseObjectInstanceName(name.toStdWString());
      },
      ways);
}

void tst_single_step::aGranter() {
  for (Survivor* survivor : {sleeper_.get(), evoked_.get()}) {
    survivor->rti().enableTimeRegulation(HLAfloat64Interval(1.0));
    QVERIFY(hears(*survivor, [&] { return survivor->count("regulating") == 1; }));
    survivor->rti().enableTimeConstrained();
    QVERIFY(hears(*survivor, [&] { return survivor->count("constrained") == 1; }));
    survivor->rti().enableAsynchronousDelivery();
  }
  target_ = 1;
  killEverywhere(
      "grant",
      [&](Process&) {
        advance(*sleeper_, false);
        advance(*evoked_, false);
      },
      [&](const Death&) {
        for (int i = 0; i < 2; ++i) {
          QVERIFY(hears(*sleeper_, [&] { return sleeper_->time() == target_; }));
          QVERIFY(hears(*evoked_, [&] { return evoked_->time() == target_; }));
          target_ += 1;
          if (i == 0) {
            advance(*sleeper_, false);
            advance(*evoked_, false);
          }
        }
        hearRemovals();
        goOn();
      },
      {Fate::By::Change, Fate::By::Step});
}

void tst_single_step::oneWhoJoins() {
  killEverywhere("join", {},
                 [&](const Death&) {
                   goOn();
                   // Its name is free again.
                   Recorder again(QString("victim %1").arg(victims_));
                   again.enter(federation_);
                   again.leave();
                 },
                 {Fate::By::SystemCall});
}

void tst_single_step::oneWhoResigns() {
  killEverywhere("resign", {},
                 [&](const Death&) {
                   hearRemovals();
                   goOn();
                 },
                 {Fate::By::SystemCall});
}

QTEST_GUILESS_MAIN(tst_single_step)
#include "tst_single_step.moc"
