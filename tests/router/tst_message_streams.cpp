// SPDX-License-Identifier: GPL-3.0-or-later
// Data that goes straight between linked nodes, in one order with what goes through their home:
// all histories of a small federation at random, with ways of any slowness, that break and come
// back.
#include <QtTest>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "pipes/memory_account.h"
#include "router/mesh_hub.h"
#include "router/message_streams.h"

using namespace tutti;
using fabric::Bytes;
using router::FrameRelayed;
using router::LinkHead;
using router::LinkMessage;
using router::MeshHub;
using router::MessagesKnown;
using router::MessageStreams;
using router::NodeId;

namespace {

constexpr NodeId leaves = 4;

/// What a leaf tells another, or asks the home, or the home tells all.
struct Event {
  std::uint64_t id = 0;
  std::uint32_t kind = 0;  ///< data, log or table
  NodeId from = 0;
  NodeId to = 0;                      ///< of data
  std::uint64_t log = 0;              ///< data: what its sender knew; log: its number
  std::uint64_t tables = 0;           ///< data: what its sender had told
  std::vector<std::uint64_t> causes;  ///< of data and log: the data that has led to it
  template <class A>
  void fields(A& a) {
    a(id, kind, from, to, log, tables, causes);
  }
};
enum : std::uint32_t { data, logRecord, table };
constexpr LinkMessage carried = LinkMessage::Data;

Bytes messageOf(const Event& event) { return router::linkMessage(carried, 0, event); }
bool read(std::span<const std::byte> message, LinkHead& head, Event& event) {
  return router::readLinkHead(message, head) && head.kind == carried &&
         fabric::fromWire(message.subspan(router::linkHeadBytes), event);
}

/// Three kinds of ways: up to the home, down from it, and straight; each keeps its order.
class Federation {
 public:
  explicit Federation(unsigned seed) : random_(seed) {
    for (NodeId i = 1; i <= leaves; ++i) {
      Leaf& leaf = leaves_[i];
      leaf.streams = std::make_unique<MessageStreams>(
          [this, i](auto message, std::uint64_t changes) { return judge(i, message, changes); },
          [this, i](NodeId, auto message) {
            LinkHead head;
            Event event;
            read(message, head, event);
            take(i, event);
          });
      leaf.streams->setOwn(i);
      hub_.introduce(i, {}, i);
    }
    for (auto& [to, queue] : down_) queue.clear();
  }

  QString fault;

  void step() {
    const NodeId i = anyLeaf();
    switch (random_() % 8) {
      case 0:
      case 1:
        return put(i, anyLeaf());
      case 2:
        return ask(i, random_() % 4 == 0 ? table : logRecord);
      case 3:
        return flush(i);
      case 4:
        return random_() % 100 == 0 && dead_.size() + 2 < leaves ? die(i) : toggle(i, anyLeaf());
      default:
        move();
    }
  }
  /// Until nothing is on its way.
  void finish() {
    for (NodeId i = 1; i <= leaves; ++i) flush(i);
    do {
      while (move(true)) {
      }
      for (NodeId i = 1; i <= leaves; ++i) proceed(i);
    } while (move(true));
    for (const auto& [id, event] : events_) {
      const bool isOver = dead_.contains(event.from) || dead_.contains(event.to);
      if (event.kind == data && !isOver && !leaves_[event.to].seen.contains(id)) {
        say(QString("data %1 from %2 to %3 never comes").arg(id).arg(event.from).arg(event.to));
      }
    }
    for (const auto& [i, leaf] : leaves_) {
      if (dead_.contains(i)) continue;
      if (leaf.log != log_ || !leaf.held.empty()) say(QString("%1 waits for ever").arg(i));
    }
    for (const auto& [i, queue] : waiting_) {
      if (!queue.empty()) say("the home waits for ever");
    }
  }
  std::size_t straight() const { return straight_; }
  std::size_t again() const { return again_; }
  std::size_t dead() const { return dead_.size(); }

 private:
  struct Leaf {
    std::unique_ptr<MessageStreams> streams;
    std::set<std::uint64_t> seen;     ///< data that was taken here
    std::set<std::uint64_t> history;  ///< data that may have led to what it does
    std::map<NodeId, std::uint64_t> last;
    std::map<NodeId, std::uint64_t> tables;
    std::uint64_t log = 0;
    std::deque<Bytes> held;
    std::map<NodeId, bool> connected;  ///< frames to it go straight
    std::map<NodeId, std::vector<Bytes>> sent;
    std::set<NodeId> gone;  ///< from the home; what they have sent straight may still come
  };

  NodeId anyLeaf() { return 1 + random_() % leaves; }
  void say(const QString& text) {
    if (fault.isEmpty()) fault = text;
  }

  void put(NodeId from, NodeId to) {
    if (from == to || dead_.contains(from) || leaves_[from].gone.contains(to)) return;
    Leaf& leaf = leaves_[from];
    Event event{++lastId_,
                data,
                from,
                to,
                leaf.log,
                leaf.tables[from],
                {leaf.history.begin(), leaf.history.end()}};
    events_[event.id] = event;
    leaf.history.insert(event.id);
    leaf.streams->put(to, event.tables, messageOf(event));
  }
  /// Some of what it has sent is still on its way.
  void die(NodeId i) {
    flush(i);
    if (!dead_.insert(i).second) return;
    const auto cut = [this](std::deque<Bytes>& queue) {
      if (!queue.empty()) queue.resize(random_() % (queue.size() + 1));
    };
    cut(up_[i]);
    down_[i].clear();
    leaves_[i].held.clear();
    for (NodeId to = 1; to <= leaves; ++to) {
      cut(across_[{i, to}]);
      across_[{to, i}].clear();
    }
    endAtHome();
  }
  /// Whoever is dead is gone when all has been taken of it that came.
  void endAtHome() {
    for (const NodeId i : dead_) {
      if (ended_.contains(i) || !up_[i].empty() || !waiting_[i].empty()) continue;
      ended_.insert(i);
      hub_.ended(i);
      takeWaiting();
    }
  }
  void endStraight(NodeId i) {
    for (const NodeId gone : leaves_[i].gone) {
      if (across_[{gone, i}].empty()) leaves_[i].streams->end(gone);
    }
  }
  void up(NodeId i, const Bytes& message) {
    if (dead_.contains(i)) return;
    leaves_[i].streams->sentToHome();
    up_[i].push_back(message);
  }
  void sendUp(NodeId i, const Bytes& message) {
    const MessagesKnown known{leaves_[i].streams->newsForHome()};
    if (!known.counts.empty()) up(i, router::linkMessage(LinkMessage::MessagesKnown, 0, known));
    up(i, message);
  }
  void ask(NodeId i, std::uint32_t kind) {
    if (dead_.contains(i)) return;
    Leaf& leaf = leaves_[i];
    Event event{++lastId_, kind, i, 0, 0, 0, {}};
    if (kind == table) {
      event.tables = ++leaf.tables[i];
    } else {
      event.causes.assign(leaf.history.begin(), leaf.history.end());
    }
    sendUp(i, messageOf(event));
  }
  void flush(NodeId i) {
    if (dead_.contains(i)) return;
    Leaf& leaf = leaves_[i];
    for (NodeId to = 1; to <= leaves; ++to) {
      while (auto frame = leaf.streams->nextFrame(to)) {
        if (leaf.connected[to]) {
          ++straight_;
          across_[{i, to}].push_back(frame->bytes);
          leaf.sent[to].push_back(std::move(frame->bytes));
        } else {
          sendUp(i, router::linkMessage(LinkMessage::FrameRelayed, 0,
                                        FrameRelayed{to, std::move(frame->bytes)}));
        }
      }
    }
  }
  /// A connection is made, or breaks with a part of what is on it; all is sent again.
  void toggle(NodeId i, NodeId to) {
    if (dead_.contains(i) || dead_.contains(to)) return;
    Leaf& leaf = leaves_[i];
    bool& connected = leaf.connected[to];
    connected = !connected && i != to;
    if (connected) return;
    flush(i);
    auto& across = across_[{i, to}];
    if (!across.empty()) across.resize(random_() % across.size());
    for (Bytes& frame : leaf.sent[to]) {
      ++again_;
      sendUp(i,
             router::linkMessage(LinkMessage::FrameRelayed, 0, FrameRelayed{to, std::move(frame)}));
    }
    leaf.sent[to].clear();
  }

  /// A message comes one step further. False: none is on its way; with `any` also where it was put.
  bool move(bool any = false) {
    std::vector<std::function<void()>> ways;
    for (auto& [i, queue] : up_) {
      if (!queue.empty()) ways.emplace_back([this, i = i] { arriveAtHome(i, next(up_[i])); });
    }
    for (auto& [i, queue] : down_) {
      if (!queue.empty()) ways.emplace_back([this, i = i] { arriveFromHome(i, next(down_[i])); });
    }
    for (auto& [way, queue] : across_) {
      if (queue.empty()) continue;
      ways.emplace_back([this, way = way] {
        if (!leaves_[way.second].streams->arrived(way.first, next(across_[way]))) say("garbage");
        proceed(way.second);
      });
    }
    if (ways.empty()) {
      if (!any) return false;
      bool more = false;
      for (NodeId i = 1; i <= leaves; ++i) {
        more = more || leaves_[i].streams->hasUnsent();
        flush(i);
      }
      return more;
    }
    ways[random_() % ways.size()]();
    return true;
  }
  static Bytes next(std::deque<Bytes>& queue) {
    Bytes message = std::move(queue.front());
    queue.pop_front();
    return message;
  }

  // The home, as node/home.cpp.
  void toLeaf(NodeId to, std::span<const std::byte> message) {
    if (dead_.contains(to)) return;
    if (const auto first = hub_.before(to)) down_[to].push_back(*first);
    down_[to].emplace_back(message.begin(), message.end());
  }
  void arriveAtHome(NodeId from, Bytes message) {
    waiting_[from].push_back(std::move(message));
    takeWaiting();
    endAtHome();
  }
  void takeWaiting() {
    for (bool more = true; more;) {
      more = false;
      for (auto& [i, queue] : waiting_) {
        while (!queue.empty() && hub_.mayTake(queue.front())) {
          takeAtHome(i, next(queue));
          hub_.taken(i);
          more = true;
        }
      }
    }
  }
  void takeAtHome(NodeId from, const Bytes& message) {
    LinkHead head;
    Event event;
    if (!read(message, head, event)) {
      if (!hub_.take(from, head, message)) say("the home cannot read it");
      return;
    }
    if (event.kind == logRecord) event.log = ++log_;
    for (NodeId to = 1; to <= leaves; ++to) {
      if (event.kind == logRecord || to != from) toLeaf(to, messageOf(event));
    }
  }

  // A leaf, as node/leaf.cpp.
  void arriveFromHome(NodeId i, Bytes message) {
    LinkHead head;
    Leaf& leaf = leaves_[i];
    FrameRelayed relayed;
    router::readLinkHead(message, head);
    router::NeighbourGone gone;
    if (head.kind == LinkMessage::NeighbourGone) {
      fabric::fromWire(std::span(message).subspan(router::linkHeadBytes), gone);
      leaf.gone.insert(gone.node);
    } else if (head.kind == LinkMessage::FrameRelayed) {
      fabric::fromWire(std::span(message).subspan(router::linkHeadBytes), relayed);
      if (!leaf.streams->arrived(relayed.node, relayed.frame)) say("garbage");
    } else {
      leaf.held.push_back(std::move(message));
    }
    proceed(i);
  }
  void proceed(NodeId i) {
    Leaf& leaf = leaves_[i];
    endStraight(i);
    for (bool more = true; more;) {
      more = leaf.streams->proceed();
      while (!leaf.held.empty()) {
        LinkHead head;
        Event event;
        MessagesKnown known;
        const auto body = std::span(leaf.held.front()).subspan(router::linkHeadBytes);
        if (read(leaf.held.front(), head, event)) {
          take(i, event);
        } else if (fabric::fromWire(body, known) && !leaf.streams->has(known.counts)) {
          break;
        }
        leaf.held.pop_front();
        more = true;
      }
    }
  }
  MessageStreams::Arrival judge(NodeId i, std::span<const std::byte> message,
                                std::uint64_t changes) {
    LinkHead head;
    Event event;
    if (!read(message, head, event)) say("garbage");
    const Leaf& leaf = leaves_[i];
    const auto tables = leaf.tables.find(event.from);
    const bool early =
        event.log > leaf.log || changes > (tables == leaf.tables.end() ? 0 : tables->second);
    return early ? MessageStreams::Arrival::Early : MessageStreams::Arrival::Ready;
  }
  /// What every leaf may rely on.
  void take(NodeId i, const Event& event) {
    Leaf& leaf = leaves_[i];
    if (event.kind == table) {
      leaf.tables[event.from] = event.tables;
      return;
    }
    for (const std::uint64_t cause : event.causes) {
      const Event& before = events_.at(cause);
      if (before.to == i && !leaf.seen.contains(cause) && !dead_.contains(before.from)) {
        say(QString("%1 comes at %2 before %3, which has led to it")
                .arg(event.id)
                .arg(i)
                .arg(cause));
      }
    }
    leaf.history.insert(event.causes.begin(), event.causes.end());
    if (event.kind == logRecord) {
      if (event.log != ++leaf.log) say("the log has a gap");
      return;
    }
    if (event.log > leaf.log) say(QString("data %1 comes before the log").arg(event.id));
    if (event.tables > leaf.tables[event.from]) {
      say(QString("data %1 comes before the table").arg(event.id));
    }
    if (event.id <= std::exchange(leaf.last[event.from], event.id)) say("out of order, or twice");
    leaf.seen.insert(event.id);
    leaf.history.insert(event.id);
  }

  std::mt19937 random_;
  std::map<NodeId, Leaf> leaves_;
  std::map<NodeId, std::deque<Bytes>> up_, down_, waiting_;
  std::map<std::pair<NodeId, NodeId>, std::deque<Bytes>> across_;
  std::map<std::uint64_t, Event> events_;
  std::set<NodeId> dead_;
  std::set<NodeId> ended_;  ///< at the home
  std::uint64_t lastId_ = 0;
  std::uint64_t log_ = 0;
  std::size_t straight_ = 0;
  std::size_t again_ = 0;
  MeshHub hub_{[this](NodeId to, std::span<const std::byte> message) { toLeaf(to, message); }};
};

struct Account final : pipes::MemoryAccount {
  std::uint64_t taken = 0;
  bool take(std::uint64_t bytes) override {
    taken += bytes;
    return true;
  }
  void giveBack(std::uint64_t bytes) override { taken -= bytes; }
};

}  // namespace

class tst_message_streams : public QObject {
  Q_OBJECT

 private slots:
  void causesComeFirst();
  void whatWaitsBehindAGapEndsWithItsSender();
};

void tst_message_streams::causesComeFirst() {
  std::size_t straight = 0;
  std::size_t again = 0;
  std::size_t dead = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Federation federation(seed);
    for (int i = 0; i < 400 && federation.fault.isEmpty(); ++i) federation.step();
    if (federation.fault.isEmpty()) federation.finish();
    QVERIFY2(federation.fault.isEmpty(),
             qPrintable(QString("seed %1: %2").arg(seed).arg(federation.fault)));
    straight += federation.straight();
    again += federation.again();
    dead += federation.dead();
  }
  QVERIFY(straight > 1000);
  QVERIFY(again > 100);
  QVERIFY(dead > 100);
}

void tst_message_streams::whatWaitsBehindAGapEndsWithItsSender() {
  constexpr NodeId sender = 1, receiver = 2;
  const auto judge = [](std::span<const std::byte>, std::uint64_t) { return MessageStreams::Arrival::Ready; };
  int taken = 0;
  const auto take = [&](NodeId, std::span<const std::byte>) { ++taken; };
  MessageStreams from(judge, take);
  from.setOwn(sender);
  std::vector<MessageStreams::Frame> frames;
  for (std::uint64_t id = 1; id <= 3; ++id) {
    from.put(receiver, 0, messageOf({id, data, sender, receiver, 0, 0, {}}));
    frames.push_back(*from.nextFrame(receiver));
  }
  Account account;
  {
    MessageStreams to(judge, take);
    to.payFrom(&account);
    to.setOwn(receiver);
    // The second is lost with its sender.
    QVERIFY(to.arrived(sender, frames[0].bytes));
    QVERIFY(to.arrived(sender, frames[2].bytes));
    QVERIFY(to.proceed());
    QCOMPARE(taken, 1);
    QCOMPARE(account.taken, std::uint64_t{frames[2].bytes.size()});
    to.end(sender);
    QCOMPARE(account.taken, std::uint64_t{0});
  }
  QCOMPARE(account.taken, std::uint64_t{0});
}

QTEST_GUILESS_MAIN(tst_message_streams)
#include "tst_message_streams.moc"
