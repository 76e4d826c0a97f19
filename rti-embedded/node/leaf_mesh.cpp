// SPDX-License-Identifier: Apache-2.0
// A linked node among others: data that comes straight from them, in one order with what comes of
// the home.
#include <algorithm>
#include <new>
#include <tuple>
#include <utility>

#include "node/leaf.h"

namespace tutti::node {

using fabric::Bytes;
using router::LinkHead;
using router::linkMessage;
using router::LinkMessage;

namespace {

constexpr router::Router::LinkId toHome = 0;

}  // namespace

void Leaf::useMesh(router::Mesh& mesh) {
  mesh_ = &mesh;
  mesh.onSend([this](auto message) { send(message); });
  mesh.useStreams([this](auto message, std::uint64_t changes) { return judge(message, changes); },
                  [this](auto message) { takeStraight(message); });
  mesh.payFrom(services_.memory);
}

void Leaf::send(std::span<const std::byte> message) {
  if (mesh_ != nullptr) {
    router::MessagesKnown known{mesh_->streams().newsForHome()};
    if (!known.counts.empty()) {
      pipe_->send(linkMessage(LinkMessage::MessagesKnown, 0, known));
      mesh_->streams().sentToHome();
    }
    mesh_->streams().sentToHome();
  }
  pipe_->send(message);
}

void Leaf::neighbourReady(std::uint64_t id) {
  if (!failure_.empty()) return;
  try {
    mesh_->ready(id);
  } catch (const std::bad_alloc&) {
    return failNoMemory();
  }
  proceed();
  finishTurn();
}

void Leaf::tickMesh(pipes::Clock::time_point now) {
  try {
    mesh_->tick(now);
  } catch (const std::bad_alloc&) {
    failNoMemory();
  }
}

std::vector<router::NeighbourFigures> Leaf::neighbours(pipes::Clock::time_point now) const {
  std::vector<router::NeighbourFigures> all;
  if (mesh_ != nullptr) all = mesh_->figures(now);
  const auto limit = mesh_ == nullptr ? 0 : roomIn(0, mesh_->peers(), services_.memory);
  for (auto& one : all) one.keptLimitBytes = router::capped(limit);
  if (bestEffort_ == nullptr) return all;
  for (const auto& way : bestEffort_->ways()) {
    const bool isKnown =
        std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.node == way.node; });
    if (way.node == router::BestEffort::home || isKnown) continue;
    // Without connections of linked nodes: best effort goes straight all the same.
    all.emplace_back().node = way.node;
  }
  for (auto& one : all) {
    const auto traffic = bestEffort_->trafficWith(one.node);
    if (!traffic) continue;
    one.lossesKnown = true;
    one.datagrams = traffic->direct;
    one.datagramMessagesSent = traffic->messagesSent;
    one.datagramBytesSent = traffic->bytesSent;
    one.lost = router::capped(traffic->lost);
  }
  return all;
}

void Leaf::tellHome(pipes::Clock::time_point now) {
  if (now < nextTold_) return;
  nextTold_ = now + router::NeighboursTold::interval;
  // Behind a link that is suspect they would wait, and be old when they come.
  const auto session = pipe_->session();
  if (session && session->suspectSince) return;
  for (auto& [number, replica] : replicas_) replica.router->tellFlows();
  const auto told = router::nextTold(neighbours(now), lastTold_);
  if (!told.links.empty()) send(linkMessage(LinkMessage::NeighboursTold, 0, told));
}

std::vector<fabric::NeighbourLinkStatus> Leaf::describeNeighbours(
    const std::string& ownName) const {
  std::vector<fabric::NeighbourLinkStatus> links;
  for (const auto& one : neighbours(pipes::Clock::now())) {
    fabric::NeighbourLinkStatus link;
    link.peer = ownName;
    if (mesh_ != nullptr) std::tie(link.otherPeer, link.otherNode) = mesh_->nameOf(one.node);
    link.end = router::endOf(one, std::chrono::milliseconds(0));
    links.push_back(std::move(link));
  }
  return links;
}

void Leaf::arrive(std::span<const std::byte> message) try {
  if (!failure_.empty()) return;
  LinkHead head;
  if (mesh_ != nullptr && router::readLinkHead(message, head) &&
      (head.kind == LinkMessage::FrameRelayed || head.kind == LinkMessage::NeighbourIntroduced ||
       head.kind == LinkMessage::NeighbourGone)) {
    // What waits may wait for these.
    if (!mesh_->take(head, message)) {
      fail("the RTI node at " + pipe_->remoteName() + " sent garbage");
    }
    return;
  }
  if (held_.empty() && mayTake(message)) return take(message);
  if (!charge_.add(message.size())) return failNoMemory();
  held_.emplace_back(message.begin(), message.end());
} catch (const std::bad_alloc&) {
  failNoMemory();
}

bool Leaf::mayTake(std::span<const std::byte> message) {
  LinkHead head;
  router::MessagesKnown known;
  if (mesh_ == nullptr || !router::readLinkHead(message, head) ||
      head.kind != LinkMessage::MessagesKnown ||
      !fabric::fromWire(message.subspan(router::linkHeadBytes), known)) {
    return true;
  }
  mesh_->streams().proceed();
  return mesh_->streams().has(known.counts);
}

void Leaf::proceed() {
  if (mesh_ == nullptr) return;
  for (bool more = true; more && failure_.empty();) {
    more = mesh_->streams().proceed();
    while (!held_.empty() && failure_.empty() && mayTake(held_.front())) {
      const Bytes message = std::move(held_.front());
      held_.pop_front();
      charge_.remove(message.size());
      take(message);
      more = true;
    }
  }
}

router::MessageStreams::Arrival Leaf::judge(std::span<const std::byte> message,
                                            std::uint64_t tableChanges) {
  using Arrival = router::MessageStreams::Arrival;
  LinkHead head;
  fabric::FederateNumber sender = 0;
  std::span<const std::byte> record;
  if (!router::readLinkHead(message, head) || head.kind != LinkMessage::Data ||
      !router::readData(message.subspan(router::linkHeadBytes), sender, nullptr, record)) {
    return Arrival::Late;
  }
  const auto found = replicas_.find(head.execution);
  if (found == replicas_.end()) {
    return closed_.contains(head.execution) ? Arrival::Late : Arrival::Early;
  }
  return found->second.router->isTooEarly(sender, tableChanges, record) ? Arrival::Early
                                                                        : Arrival::Ready;
}

void Leaf::takeStraight(std::span<const std::byte> message) {
  LinkHead head;
  router::readLinkHead(message, head);
  try {
    replicas_.at(head.execution).router->take(toHome, head, message);
  } catch (const std::bad_alloc&) {
    failNoMemory();
  }
}

void Leaf::failNoMemory() {
  fail("no memory is left for what comes from " + pipe_->remoteName() +
       " and other nodes; set TUTTI_MEMORY to more");
}

}  // namespace tutti::node
