// SPDX-License-Identifier: Apache-2.0
#include "router/mesh.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace tutti::router {

using fabric::Bytes;
using fabric::FederateNumber;
using pipes::Clock;

tl::expected<std::unique_ptr<Mesh>, std::string> Mesh::open(const pipes::Address& home,
                                                            std::string nodeName,
                                                            Services services) {
  const auto to = pipes::SocketAddress::of(home);
  if (!to) return tl::unexpected(to.error());
  const auto own = pipes::UdpWire::addressTowards(*to);
  if (!own) return tl::unexpected(own.error());
  auto listener = pipes::TcpListener::listen(own->address(), services.rules);
  if (!listener) return tl::unexpected(listener.error().text);
  return std::make_unique<Mesh>(std::move(*listener), std::move(nodeName), std::move(services));
}

Mesh::Mesh(pipes::TcpListener listener, std::string nodeName, Services services)
    : listener_(std::move(listener)), services_(std::move(services)) {
  greeting_.node = std::move(nodeName);
  listener_.onRefusal([](const std::string& text) { spdlog::warn("{}", text); });
  services_.watch(listener_.descriptor(), services_.firstId);
}

void Mesh::useStreams(MessageStreams::Judge judge,
                      std::function<void(std::span<const std::byte>)> take) {
  streams_ = std::make_unique<MessageStreams>(
      std::move(judge), [this, take = std::move(take)](NodeId from, auto message) {
        if (maySpeak(from, message)) take(message);
      });
}

/// A node sends data of federates that live there. One whose node is gone lives nowhere, and what
/// it has sent before is taken.
bool Mesh::maySpeak(NodeId from, std::span<const std::byte> message) {
  LinkHead head;
  FederateNumber sender = 0;
  std::span<const std::byte> record;
  if (!readLinkHead(message, head) ||
      !readData(message.subspan(linkHeadBytes), sender, nullptr, record)) {
    return false;
  }
  const auto place = places_.find({head.execution, sender});
  if (place == places_.end() || place->second == from) return true;
  const std::string what = "it speaks for federate " + std::to_string(sender) +
                           ", which does not live there; no RTI node of this version does so: look "
                           "who else has the key";
  const auto peer = peers_.find(from);
  if (peer != peers_.end()) {
    if (const auto line = lines_.find(peer->second.line); line != lines_.end()) {
      line->second.failure = what;
    }
  }
  if (told_.mayTell(std::to_string(from))) {
    spdlog::warn("data of the linked node {} is dropped: {} (told once a minute)", from, what);
  }
  return false;
}

// --- who is there --------------------------------------------------------------------------------

void Mesh::place(std::uint64_t execution, FederateNumber federate, NodeId node) {
  places_[{execution, federate}] = node;
}

void Mesh::forget(std::uint64_t execution) {
  std::erase_if(places_, [execution](const auto& item) { return item.first.first == execution; });
}

void Mesh::introduced(const NeighbourIntroduced& node) {
  if (node.own) {
    streams_->setOwn(node.node);
    return;
  }
  const auto where = pipes::SocketAddress::of({node.host, node.port});
  if (!where || gone_.contains(node.node)) return;
  Peer& peer = peers_[node.node];
  peer.where = *where;
  peer.token = node.token;
  // Of two the later one connects: the other has heard of it by then, or soon will.
  if (streams_->own() > node.node) connect(node.node, peer);
  for (auto& [id, line] : lines_) {
    if (line.node == node.node && line.heard) attach(id, line);
  }
}

/// Its link to the home has ended. What it has sent before may still come.
void Mesh::gone(NodeId node) {
  gone_.insert(node);
  const auto found = peers_.find(node);
  if (found == peers_.end() || found->second.line == 0) return forgetPeer(node);
  found->second.gone = true;
  found->second.waitUntil = Clock::now() + lastWords;
}

void Mesh::forgetPeer(NodeId node) {
  streams_->end(node);
  if (const auto peer = peers_.find(node); peer != peers_.end()) {
    charge_.remove(peer->second.unacknowledgedBytes);
    peers_.erase(peer);
  }
  std::erase_if(places_, [node](const auto& item) { return item.second == node; });
}

// --- connections ---------------------------------------------------------------------------------

void Mesh::connect(NodeId node, Peer& peer) {
  peer.nextTry = Clock::now() + retryAfter;
  auto pipe = pipes::TcpPipe::begin(peer.where, greeting_, services_.rules);
  if (!pipe) return;
  peer.line = add(std::move(*pipe), node);
  sayHello(lines_.at(peer.line), peer);
}

void Mesh::accept() {
  while (auto pipe = listener_.accept(greeting_)) add(std::move(pipe), 0);
}

std::uint64_t Mesh::add(std::unique_ptr<pipes::TcpPipe> pipe, NodeId node) {
  pipe->setPatience(patience);
  const std::uint64_t id = services_.firstId + ++lastLine_;
  services_.watch(pipe->descriptor(), id);
  Line& line = lines_[id];
  line.pipe = std::move(pipe);
  line.node = node;
  line.since = Clock::now();
  return id;
}

void Mesh::sayHello(Line& line, const Peer& peer) {
  line.said = true;
  line.pipe->send(linkMessage(LinkMessage::NeighbourHello, 0,
                              NeighbourHello{streams_->own(), peer.token}));
}

/// The other side has said who it is, and shown our token.
void Mesh::attach(std::uint64_t id, Line& line) {
  const auto found = peers_.find(line.node);
  if (found == peers_.end()) return;  // the home will tell of it
  Peer& peer = found->second;
  if (peer.line != id) {
    // It connects anew, and knows better whether the one before was of use.
    if (const auto before = lines_.find(peer.line); before != lines_.end()) {
      before->second.failure = "another one has taken its place";
      end(peer.line);
    }
    peer.line = id;
  }
  if (!line.said) sayHello(line, peer);
  peer.wasReached = true;
  if (const auto& greeting = line.pipe->peer()) peer.name = greeting->node;
  spdlog::info("data to the node at {} goes straight", line.pipe->remoteName());
}

bool Mesh::Line::isOpen() const { return heard && said && failure.empty(); }

Mesh::Line* Mesh::openLine(const Peer& peer) {
  const auto found = lines_.find(peer.line);
  return found != lines_.end() && found->second.isOpen() ? &found->second : nullptr;
}

bool Mesh::reaches(NodeId node) const {
  const auto peer = peers_.find(node);
  if (peer == peers_.end()) return false;
  const auto line = lines_.find(peer->second.line);
  return line != lines_.end() && line->second.isOpen();
}

void Mesh::takeFrom(std::uint64_t id, std::span<const std::byte> message) {
  Line& line = lines_.at(id);
  if (!line.failure.empty()) return;
  LinkHead head;
  const bool readable = readLinkHead(message, head);
  const auto body = message.subspan(readable ? linkHeadBytes : 0);
  if (readable && head.kind == LinkMessage::NeighbourHello && !line.heard) {
    NeighbourHello hello;
    const bool known = fabric::fromWire(body, hello) && hello.token == token_ &&
                       !gone_.contains(hello.from) &&
                       (line.node == 0 || line.node == hello.from);
    if (!known) {
      line.failure = "it is no node that the home has told of";
      return;
    }
    line.node = hello.from;
    line.heard = true;
    return attach(id, line);
  }
  const auto peer = peers_.find(line.node);
  if (readable && line.heard && peer != peers_.end()) {
    if (head.kind == LinkMessage::Frame) {
      if (const auto taken = streams_->arrived(line.node, body)) {
        return acknowledged(peer->second, *taken);
      }
    } else if (FramesTaken taken;
               head.kind == LinkMessage::FramesTaken && fabric::fromWire(body, taken)) {
      return acknowledged(peer->second, taken.number);
    }
  }
  line.failure = "it sent what cannot be read";
}

void Mesh::receive(std::uint64_t id, Line& line) {
  const auto received = line.pipe->receive([this, id](auto message) { takeFrom(id, message); });
  if (!received && line.failure.empty()) line.failure = received.error().text;
}

void Mesh::ready(std::uint64_t id) {
  if (id == services_.firstId) {
    accept();
  } else if (const auto found = lines_.find(id); found != lines_.end()) {
    receive(id, found->second);
  }
  reap();
}

void Mesh::reap() {
  std::vector<std::uint64_t> failed;
  for (const auto& [id, line] : lines_) {
    if (!line.failure.empty()) failed.push_back(id);
  }
  for (const std::uint64_t id : failed) end(id);
}

/// Called outside of receive() of that connection.
void Mesh::end(std::uint64_t id) {
  const auto found = lines_.find(id);
  if (found == lines_.end()) return;
  Line line = std::move(found->second);
  lines_.erase(found);
  const auto known = peers_.find(line.node);
  if (known == peers_.end() || known->second.line != id) return;
  Peer& peer = known->second;
  peer.line = 0;
  peer.nextTry = Clock::now() + retryAfter;
  if (line.heard) {
    peer.away = Clock::now();
    spdlog::info("data to the node at {} goes past the home: {}", line.pipe->remoteName(),
                 line.failure);
  }
  if (peer.gone) return forgetPeer(line.node);
  auto again = std::move(peer.unacknowledged);
  peer.unacknowledged.clear();
  charge_.remove(std::exchange(peer.unacknowledgedBytes, 0));
  for (MessageStreams::Frame& frame : again) transmit(line.node, peer, std::move(frame));
}

// --- what leaves ---------------------------------------------------------------------------------

void Mesh::send(const Router& router, FederateNumber sender, std::span<const std::byte> record,
                std::vector<FederateNumber>& receivers) {
  sections_.clear();
  std::erase_if(receivers, [&](FederateNumber receiver) {
    const auto place = places_.find({router.number(), receiver});
    if (place == places_.end() || gone_.contains(place->second)) return false;
    if (!peers_.contains(place->second)) return false;
    auto section = std::find_if(sections_.begin(), sections_.end(),
                                [&](const auto& one) { return one.first == place->second; });
    if (section == sections_.end()) {
      section = sections_.insert(sections_.end(), {place->second, {}});
    }
    section->second.push_back(receiver);
    return true;
  });
  for (const auto& [node, those] : sections_) {
    message_.clear();
    writeData(message_, router.number(), sender, those, record);
    streams_->put(node, router.tableChanges(sender), message_);
  }
}

void Mesh::transmit(NodeId node, Peer& peer, MessageStreams::Frame frame) {
  Line* line = openLine(peer);
  // What cannot be kept until it is acknowledged goes where nothing gets lost.
  if (line == nullptr || !charge_.add(frame.bytes.size())) {
    return toHome_(linkMessage(LinkMessage::FrameRelayed, 0,
                               FrameRelayed{node, std::move(frame.bytes)}));
  }
  message_.clear();
  fabric::WireWriter writer(message_);
  writer(LinkMessage::Frame, std::uint64_t{0});
  message_.insert(message_.end(), frame.bytes.begin(), frame.bytes.end());
  line->pipe->send(message_);
  peer.messagesSent += frame.messages;
  peer.bytesSent += message_.size();
  peer.unacknowledgedBytes += frame.bytes.size();
  peer.unacknowledged.push_back(std::move(frame));
}

void Mesh::acknowledged(Peer& peer, std::uint64_t number) {
  while (!peer.unacknowledged.empty() && peer.unacknowledged.front().last <= number) {
    peer.unacknowledgedBytes -= peer.unacknowledged.front().bytes.size();
    charge_.remove(peer.unacknowledged.front().bytes.size());
    peer.unacknowledged.pop_front();
  }
}

void Mesh::report(NodeId node, Peer& peer, std::uint64_t least) {
  const std::uint64_t taken = streams_->taken(node);
  Line* line = openLine(peer);
  if (line == nullptr || taken < peer.reported + least) return;
  peer.reported = taken;
  line->pipe->send(linkMessage(LinkMessage::FramesTaken, 0, FramesTaken{taken}));
}

void Mesh::flush(std::uint64_t id, Line& line) {
  if (!line.failure.empty()) return;
  if (auto flushed = line.pipe->flush(); !flushed) {
    line.failure = flushed.error().text;
    return;
  }
  const bool writes = line.pipe->wantsWrite();
  if (writes == line.writes) return;
  line.writes = writes;
  services_.watchWrites(line.pipe->descriptor(), id, writes);
}

void Mesh::flush() {
  for (auto& [node, peer] : peers_) {
    while (auto frame = streams_->nextFrame(node)) {
      if (!peer.gone) transmit(node, peer, std::move(*frame));
    }
    report(node, peer, mostUnreported);
  }
  for (auto& [id, line] : lines_) flush(id, line);
  reap();
}

bool Mesh::hasUndelivered() const {
  return streams_->hasUnsent() ||
         std::any_of(peers_.begin(), peers_.end(), [](const auto& item) {
           return !item.second.gone && !item.second.unacknowledged.empty();
         });
}

std::size_t Mesh::queuedBytes() const {
  std::size_t most = 0;
  for (const auto& [node, peer] : peers_) most = std::max(most, peer.unacknowledgedBytes);
  return most;
}

std::vector<NeighbourFigures> Mesh::figures(Clock::time_point now) const {
  std::vector<NeighbourFigures> all;
  for (const auto& [node, peer] : peers_) {
    if (peer.gone) continue;
    NeighbourFigures one;
    one.node = node;
    one.messagesSent = peer.messagesSent;
    one.bytesSent = peer.bytesSent;
    one.keptBytes = capped(peer.unacknowledgedBytes);
    const auto line = lines_.find(peer.line);
    if (line != lines_.end() && line->second.isOpen()) {
      one.way = fabric::NeighbourWay::Straight;
      if (const auto trip = line->second.pipe->roundTrip()) {
        one.roundTripMicroseconds = capped(static_cast<std::uint64_t>(trip->count()));
      }
    } else {
      one.way = peer.wasReached ? fabric::NeighbourWay::Broken : fabric::NeighbourWay::NotYet;
      const auto away = std::chrono::duration_cast<std::chrono::milliseconds>(
          std::max(now - peer.away, Clock::duration::zero()));
      one.awayMilliseconds = capped(static_cast<std::uint64_t>(away.count()));
    }
    all.push_back(one);
  }
  return all;
}

std::pair<std::string, std::string> Mesh::nameOf(NodeId node) const {
  const auto found = peers_.find(node);
  if (found == peers_.end()) return {};
  return {found->second.name, found->second.where.address().text()};
}

// --- the home, and time --------------------------------------------------------------------------

bool Mesh::take(const LinkHead& head, std::span<const std::byte> message) {
  const auto body = message.subspan(linkHeadBytes);
  if (head.kind == LinkMessage::NeighbourIntroduced) {
    NeighbourIntroduced node;
    if (!fabric::fromWire(body, node)) return false;
    introduced(node);
    return true;
  }
  if (head.kind == LinkMessage::NeighbourGone) {
    NeighbourGone node;
    if (!fabric::fromWire(body, node)) return false;
    gone(node.node);
    return true;
  }
  FrameRelayed relayed;
  return fabric::fromWire(body, relayed) &&
         streams_->arrived(relayed.node, relayed.frame).has_value();
}

void Mesh::tick(Clock::time_point now) {
  for (auto& [id, line] : lines_) {
    if (!line.failure.empty()) continue;
    if (auto ticked = line.pipe->tick(now); !ticked) {
      pipes::receiveRest(*line.pipe, [this, id = id](auto message) { takeFrom(id, message); });
      line.failure = ticked.error().text;
    } else if (!line.heard && now - line.since > patience) {
      line.failure = "nothing was said over it";
    }
  }
  std::vector<NodeId> wait;
  for (auto& [node, peer] : peers_) {
    report(node, peer, 1);
    if (peer.gone && now > peer.waitUntil) {
      if (const auto line = lines_.find(peer.line); line != lines_.end()) {
        line->second.failure = "its node is gone from the home";
      }
    } else if (!peer.gone && peer.line == 0 && streams_->own() > node && now >= peer.nextTry) {
      connect(node, peer);
    }
  }
  flush();
}

}  // namespace tutti::router
