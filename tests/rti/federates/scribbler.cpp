// SPDX-License-Identifier: GPL-3.0-or-later
// A federate that writes where it must not, and those that have to live with it.
#include <sys/mman.h>
#include <unistd.h>

#include <QFile>
#include <algorithm>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "fabric/layout.h"
#include "fabric/region_layout.h"
#include "federates/board.h"
#include "federates/role.h"

namespace federates {

using namespace rti1516e;

namespace {

constexpr double lookahead = 1.0;

/// Sends small and large values and advances its time, a turn at a time. What the standard's services
/// throw once its memory is damaged does not matter; that they return does.
class Worker : public Recorder {
 public:
  Worker(const QString& name, Slot& own) : Recorder(name), own_(own) {
    quiet = true;
    onGrant = [this](double time) {
      time_ = time;
      advancing_ = false;
      own_.grants.store(own_.grants.load() + 1);
    };
  }

  void takePart(const QString& federation) {
    enter(federation);
    publish("Vehicle", {"position", "hint"});
    subscribe("Vehicle", {"position", "hint"});
    publishInteraction("Event");
    subscribeInteraction("Event");
    values_[attribute("Vehicle", "position")];
    event_ = interactionClass("Event");
    number_ = parameter("Event", "number");
    for (int i = 0; i < 3; ++i) {
      cars_.push_back(rti().registerObjectInstance(objectClass("Vehicle")));
    }
    rti().enableAsynchronousDelivery();
    rti().enableTimeRegulation(HLAfloat64Interval(lookahead));
    rti().enableTimeConstrained();
    pumpUntil([this] { return count("regulating") == 1 && count("constrained") == 1; }, 30000);
    HLAfloat64Time now;
    rti().queryLogicalTime(now);
    time_ = now.getTime();
    own_.joinedRound.store(1);
  }

  bool isLost() const { return lost_; }

  void turn() {
    try {
      const std::size_t bytes = turns_ % 8 == 0 ? 5000 : 32;
      std::vector<char> text(bytes, 'x');
      values_.begin()->second.setData(text.data(), text.size());
      rti().updateAttributeValues(cars_[turns_ % cars_.size()], values_, {});
      if (!advancing_) {
        rti().sendInteraction(event_, {{number_, VariableLengthData(text.data(), 16)}}, {},
                              HLAfloat64Time(time_ + lookahead));
        rti().timeAdvanceRequest(HLAfloat64Time(time_ + 1.0));
        advancing_ = true;
      }
    } catch (const rti1516e::Exception&) {
      ++refused_;
    }
    try {
      rti().evokeMultipleCallbacks(0.001, 0.01);
    } catch (const rti1516e::Exception&) {
      ++refused_;
    }
    own_.ended.store(++turns_);
  }

  void connectionLost(const std::wstring& reason) override {
    lost_ = true;
    why_ = QString::fromStdWString(reason);
  }
  QString why() const { return why_; }
  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap&,
                          const VariableLengthData&, OrderType, TransportationType,
                          const LogicalTime&, OrderType, MessageRetractionHandle,
                          SupplementalReceiveInfo) override {}

 private:
  Slot& own_;
  AttributeHandleValueMap values_;
  InteractionClassHandle event_;
  ParameterHandle number_;
  std::vector<ObjectInstanceHandle> cars_;
  double time_ = 0.0;
  bool advancing_ = false;
  bool lost_ = false;
  QString why_;
  std::uint64_t turns_ = 0;
  std::uint64_t refused_ = 0;
};

struct Range {
  std::byte* start = nullptr;
  std::size_t bytes = 0;
};

/// All that this process has mapped of the RTI and may write, as far as there is memory behind it.
std::vector<Range> writableMemory() {
  struct Mapped {
    std::byte* start;
    std::size_t bytes;
    bool writable;
    QByteArray what;
  };
  std::vector<Mapped> all;
  QFile maps("/proc/self/maps");
  if (!maps.open(QIODevice::ReadOnly)) return {};
  for (const QByteArray& line : maps.readAll().split('\n')) {
    const auto at = line.indexOf("/memfd:tutti-");
    if (at < 0 || line.contains("board")) continue;
    const auto dash = line.indexOf('-');
    const auto space = line.indexOf(' ');
    const auto first = line.left(dash).toULongLong(nullptr, 16);
    const auto end = line.mid(dash + 1, space - dash - 1).toULongLong(nullptr, 16);
    all.push_back({reinterpret_cast<std::byte*>(first), end - first, line[space + 2] == 'w',
                   line.mid(at)});
  }
  std::vector<Range> result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].writable) continue;
    std::size_t bytes = all[i].bytes;
    // The shared part of an arena lies behind the published one, which says how much of it is there.
    if (all[i].what.startsWith("/memfd:tutti-arena") && i != 0) {
      const auto* header = reinterpret_cast<const tutti::fabric::ArenaHeader*>(all[i - 1].start);
      bytes = std::min<std::size_t>(bytes, header->committed.load() - header->firstShared);
    }
    const bool isArena = all[i].what.startsWith("/memfd:tutti-arena");
    result.insert(isArena ? result.begin() : result.end(), {all[i].start, bytes});
  }
  return result;
}

/// Something that is random, or looks as if it could be right.
std::uint64_t someWord(std::mt19937_64& random, std::uint64_t before, std::span<const Range> memory) {
  switch (random() % 8) {
    case 0:
      return 0;
    case 1:
      return ~std::uint64_t{0};
    case 2:
      return random() % 64;
    case 3:
      return before + 1 + random() % 64;
    case 4:
      return before - 1 - random() % 64;
    case 5:  // an offset of the arena, more or less
      return random() % (memory.front().bytes * 4) / 8 * 8;
    case 6:
      return before ^ (std::uint64_t{1} << (random() % 64));
    default:
      return random();
  }
}

struct HeaderWord {
  std::uint64_t* word;
  QString place;
};

/// The words of the structures that begin with a magic number: pages of federates and rings.
std::vector<HeaderWord> headerWords(std::span<const Range> memory) {
  std::vector<HeaderWord> words;
  std::set<std::size_t> seen;
  for (const Range& range : memory) {
    for (std::size_t at = 0; at + 4096 <= range.bytes; at += 4096) {
      const auto magic = *reinterpret_cast<const std::uint32_t*>(range.start + at);
      std::size_t bytes = 0;
      QString name;
      if (magic == tutti::fabric::FederateBlock::magicValue) {
        bytes = sizeof(tutti::fabric::FederateBlock);
        name = QString("page-%1").arg(at);
      } else if (magic == tutti::fabric::RingHeader::magicValue) {
        bytes = tutti::fabric::ringHeaderBytes + 64;
        const auto& ring = *reinterpret_cast<const tutti::fabric::RingHeader*>(range.start + at);
        name = QString("ring-from-%1-to-%2").arg(ring.sender).arg(ring.receiver);
      }
      for (std::size_t i = 0; i + 8 <= bytes; i += 8) {
        words.push_back({reinterpret_cast<std::uint64_t*>(range.start + at + i),
                         QString("%1+%2").arg(name).arg(i)});
      }
    }
  }
  return words;
}

}  // namespace

/// worker FEDERATION NAME SLOT: works until the board says stop or its connection is lost. Says
/// "ready", and in the end "resigned", or "lost" and why.
int runWorker(const QStringList& arguments) {
  Board& board = openBoard();
  Worker worker(arguments.value(1), board.members[arguments.value(2).toUInt()]);
  worker.takePart(arguments.value(0));
  say("ready");
  const auto slot = arguments.value(2).toUInt();
  while (board.stop.load() == 0 && board.leave[slot].load() == 0 && !worker.isLost()) worker.turn();
  if (worker.isLost()) {
    say("lost " + worker.why());
    return 0;
  }
  worker.rti().resignFederationExecution(DELETE_OBJECTS_THEN_DIVEST);
  worker.rti().disconnect();
  say("resigned");
  return 0;
}

/// scribbler FEDERATION NAME SLOT SEED COUNT [watched]: works for a while, then writes COUNT words somewhere
/// into the memory that it shares with others; with a COUNT of 0 a single one, number SEED among
/// those of the headers that there are. Says "wrote N of M": M words it could have written, and
/// behind it which one, with what stood there and what stands there now. With `watched` it writes into
/// each ring that its receiver looks at it by itself, of which the receiver knows nothing. With an
/// even seed it is gone at once then, else it works on for a while, if it can.
int runScribbler(const QStringList& arguments) {
  Board& board = openBoard();
  Worker worker(arguments.value(1), board.members[arguments.value(2).toUInt()]);
  worker.takePart(arguments.value(0));
  say("ready");
  for (int i = 0; i < 30; ++i) worker.turn();
  const std::uint64_t seed = arguments.value(3).toULongLong();
  const std::uint64_t wanted = arguments.value(4).toULongLong();
  std::mt19937_64 random(seed);
  const std::vector<Range> memory = writableMemory();
  std::size_t words = 0;
  for (const Range& range : memory) words += range.bytes / 8;
  std::uint64_t written = 0;
  QString place;
  if (arguments.value(5) == "watched") {
    for (const Range& range : memory) {
      for (std::size_t at = 0; at + 4096 <= range.bytes; at += 4096) {
        auto& ring = *reinterpret_cast<tutti::fabric::RingHeader*>(range.start + at);
        if (ring.magic != tutti::fabric::RingHeader::magicValue) continue;
        ring.watched.store(1);
        ++written;
      }
    }
  } else if (wanted == 0) {
    const auto headers = headerWords(memory);
    words = headers.size();
    if (!headers.empty()) {
      const HeaderWord& one = headers[seed % headers.size()];
      const std::uint64_t before = *one.word;
      *one.word = someWord(random, before, memory);
      place = QString(" %1 %2->%3").arg(one.place).arg(before, 0, 16).arg(*one.word, 0, 16);
      written = 1;
    }
  } else {
    for (; written < wanted && !memory.empty(); ++written) {
      const Range& range = memory[random() % 16 == 0 ? random() % memory.size() : 0];
      auto* word = reinterpret_cast<std::uint64_t*>(range.start) + random() % (range.bytes / 8);
      *word = someWord(random, *word, memory);
    }
  }
  say(QString("wrote %1 of %2%3").arg(written).arg(words).arg(place));
  if (seed % 2 != 0) {
    for (int i = 0; i < 20 && !worker.isLost(); ++i) worker.turn();
  }
  _exit(0);
}

}  // namespace federates
