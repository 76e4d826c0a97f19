// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <spdlog/spdlog.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../node/fake_models.h"
#include "executive_parts.h"
#include "node/home.h"
#include "node/leaf.h"
#include "target.h"

/// A home and a node linked to it without wires between them, for the targets of either side and
/// for the messages that both really send.
namespace tutti::fuzz {

inline constexpr std::uint64_t linkBudget = std::uint64_t{8} << 20;

/// What goes over a pipe.
struct Line {
  std::deque<Bytes> said;   ///< by the other node
  std::deque<Bytes> heard;  ///< of this one
  bool ended = false;       ///< by the other node
  bool given = false;       ///< up by this one

  /// The other node is silent, and answers again.
  void fallSilent() {
    if (session.suspectSince) return;
    session.suspectSince = pipes::Clock::now();
    ++session.suspicions;
  }
  void answerAgain() {
    session.suspectSince.reset();
    session.waited = {};
  }
  pipes::SessionState session = [] {
    pipes::SessionState usual;
    usual.grace = std::chrono::seconds(15);
    usual.longestWait = std::chrono::seconds(60);
    return usual;
  }();
};

/// This node's end.
class MessagePipe final : public pipes::Pipe {
 public:
  /// `meshed`: the other node takes part in the connections between linked nodes.
  explicit MessagePipe(bool meshed = false) {
    greeting_->node = remoteName();
    greeting_->neighbourPort = meshed ? 7 : 0;
    greeting_->token = 1;
  }
  ~MessagePipe() override { line_->given = true; }
  std::shared_ptr<Line> line() const { return line_; }

  void send(std::span<const std::byte> message) override {
    line_->heard.emplace_back(message.begin(), message.end());
  }
  pipes::Outcome flush() override { return {}; }
  pipes::Outcome receive(const Take& take) override {
    while (!line_->said.empty()) {
      const Bytes message = std::move(line_->said.front());
      line_->said.pop_front();
      if (take) take(message);
    }
    if (!line_->ended) return {};
    return tl::unexpected(pipes::PipeError{pipes::PipeError::Kind::Closed, "it has ended"});
  }
  pipes::Outcome tick(pipes::Clock::time_point) override { return {}; }
  std::size_t queuedBytes() const override { return 0; }
  const std::optional<pipes::Greeting>& peer() const override { return greeting_; }
  int descriptor() const override { return -1; }
  std::string remoteName() const override { return otherNode; }
  static constexpr const char* otherNode = "the other node";
  std::optional<pipes::SessionState> session() const override { return line_->session; }
  std::chrono::milliseconds waitLonger(std::chrono::milliseconds by) override {
    auto& session = line_->session;
    const auto added =
        std::clamp(by, std::chrono::milliseconds(0), session.longestWait - session.waited);
    session.waited += added;
    return added;
  }
  std::optional<pipes::SocketAddress> remoteAddress() const override {
    const auto address = pipes::SocketAddress::of({"127.0.0.1", 7});
    return address ? std::optional(*address) : std::nullopt;
  }

 private:
  std::shared_ptr<Line> line_ = std::make_shared<Line>();
  std::optional<pipes::Greeting> greeting_{std::in_place};
};

/// What both kinds of nodes are made of. Processes of its host are named by 0 and 1.
struct LinkedHost {
  using ConnectionId = executive::Executive::ConnectionId;
  static constexpr std::size_t processes = 2;
  static constexpr std::uint64_t firstPipe = 1000;

  LinkedHost() {
    spdlog::set_level(spdlog::level::off);
    executive.keepSavesIn(saves);
    for (ConnectionId& one : process) one = executive.opened(4711);
  }
  node::NodeServices services() {
    node::NodeServices result;
    result.watch = [](int, std::uint64_t) {};
    result.watchWrites = [](int, std::uint64_t, bool) {};
    result.answer = [this](ConnectionId to, const Bytes& bytes, std::span<const int> descriptors,
                           bool close) {
      arenas += descriptors.size() > 1 ? 1 : 0;
      answered(to, bytes, close);
    };
    result.routerEvents = events.get();
    result.firstPipe = firstPipe;
    return result;
  }
  void answered(ConnectionId to, const Bytes& bytes, bool close) {
    if (close) doomed.insert(to);
    lastAnswer = bytes;
  }
  void checkBudget() {
    require(executive.budget().used() <= linkBudget, "the memory budget is kept");
  }

  test::FakeModelSource models;
  MemoryStore saves;
  fabric::UniqueFd events = std::move(*router::RingWatch::events());
  executive::Executive executive{{"fuzzed", std::chrono::seconds(60), std::nullopt},
                                 executive::Budget(linkBudget), hostMemory(), models};
  ConnectionId process[processes] = {};
  std::set<ConnectionId> doomed;
  Bytes lastAnswer;
  std::size_t arenas = 0;  ///< that were handed out by the home or the linked node
};

/// The node that decides, as node/node.cpp uses it.
struct HomeHost : LinkedHost {
  /// Of the process: as if the node had read it.
  void request(std::size_t which, Input datagram) {
    const ConnectionId id = process[which];
    if (!executive.isOpen(id)) return;
    if (const auto decided = home.operateLink(datagram, 4711)) {
      answered(id, *decided, false);
      home.afterRequest();
      return settle();
    }
    home.beforeRequest(id);
    if (!home.takesOver(id, datagram)) {
      const auto reply = executive.answer(id, datagram);
      fabric::ReplyHead head;
      fabric::WireReader reader(reply.bytes);
      if (!reply.bytes.empty()) reader(head);
      require(!reader.failed(), "a reply has a head");
      require(head.refusal == fabric::Refusal::None || !head.message.empty(),
              "a refusal says why");
      if (!home.holds(id, reply)) {
        answered(id, reply.bytes, reply.close);
        home.afterRequest();
      }
    }
    settle();
  }
  void end(ConnectionId id) {
    home.beforeEnd(id);
    executive.closed(id);
    home.afterRequest();
  }
  void settle() {
    for (const ConnectionId id : executive.takeDoomed()) {
      if (!home.end(id)) doomed.insert(id);
    }
    for (const ConnectionId id : std::exchange(doomed, {})) {
      if (executive.isOpen(id)) end(id);
    }
    static_cast<void>(executive.takeManagementWanted());
    checkBudget();
  }
  /// A node is linked; `pipe` names it to the home.
  std::shared_ptr<Line> link(std::uint64_t& pipe, bool meshed = false) {
    auto made = std::make_unique<MessagePipe>(meshed);
    auto line = made->line();
    pipe = home.add(std::move(made));
    return line;
  }

  node::Home home{executive, "home", services()};
};

/// The node that is linked.
struct LeafHost : LinkedHost {
  void request(std::size_t which, Input datagram) {
    if (!executive.isOpen(process[which])) return;
    leaf.request(process[which], 4711, datagram);
    settle();
  }
  void end(ConnectionId id) {
    leaf.closed(id);
    executive.closed(id);
  }
  void settle() {
    for (const ConnectionId id : std::exchange(doomed, {})) {
      if (executive.isOpen(id)) end(id);
    }
    checkBudget();
  }

  std::shared_ptr<Line> line;
  node::Leaf leaf{executive, makePipe(), services()};

 private:
  std::unique_ptr<pipes::Pipe> makePipe() {
    auto made = std::make_unique<MessagePipe>();
    line = made->line();
    return made;
  }
};

/// What goes in at the home, or at the linked node, in conversations of the two: inputs for the
/// targets of either side. Parts, by the lower two bits of the kind; bit 2 names a link, or a
/// process of the host: 0 a message from the other side, 2 a datagram of the process, 3 by its
/// first byte: time passes; 1 the process ends, and another one begins; 2 the link ends (of the
/// home only); 3 the other node falls silent; 4 it answers again.
std::vector<Bytes> conversations(bool atHome);

}  // namespace tutti::fuzz
