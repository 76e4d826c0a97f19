// SPDX-License-Identifier: GPL-3.0-or-later
#include "linked_nodes.h"

#include <bit>
#include <cstring>

#include "core/records.h"
#include "fabric/link_status.h"
#include "fabric/protocol_order.h"
#include "fabric/protocol_ownership.h"
#include "fabric/protocol_save.h"
#include "router/link_protocol.h"
#include "router/neighbour_figures.h"

namespace tutti::fuzz {

namespace {

using fabric::NoArguments;
using fabric::Request;

/// A conversation of the two, and all that went in at both: inputs for the targets of either side.
class Conversation {
 public:
  Conversation() {
    toHome_ = home_.link(pipe_);
  }
  template <class Body>
  void homeAsks(std::size_t which, fabric::Request request, const Body& body) {
    const auto datagram = datagramOf(homeNumbers_[which], request, body);
    appendPart(forHome, static_cast<std::uint8_t>(2 | which << 2), datagram);
    home_.request(which, datagram);
    exchange();
  }
  template <class Body>
  void leafAsks(std::size_t which, fabric::Request request, const Body& body) {
    const auto datagram = datagramOf(leafNumbers_[which], request, body);
    appendPart(forLeaf, static_cast<std::uint8_t>(2 | which << 2), datagram);
    leaf_.request(which, datagram);
    exchange();
  }
  void leafEnds(std::size_t which) {
    appendPart(forLeaf, static_cast<std::uint8_t>(3 | which << 2), Bytes(1, std::byte{1}));
    leaf_.end(leaf_.process[which]);
    exchange();
  }
  /// Federate 1, of the home, has an instance.
  void homeRegisters() {
    fabric::JoinReply join;
    fabric::ReplyHead head;
    fabric::WireReader reader(home_.lastAnswer);
    reader(head, join);
    if (reader.failed()) return;
    homeAsks(0, fabric::Request::Allocate,
             fabric::AllocateRequest{4096, fabric::Purpose::Instances});
    fabric::AllocateReply memory;
    fabric::WireReader allocated(home_.lastAnswer);
    allocated(head, memory);
    const auto execution = home_.executive.execution("w");
    if (allocated.failed() || execution == nullptr) return;
    registerFirstInstance(execution->arena().arena(), join, memory.extent);
  }
  /// As if the linked node, or the home, had said it.
  void homeHears(const Bytes& message) {
    appendPart(forHome, 0, message);
    toHome_->said.push_back(message);
    exchange();
  }
  /// What comes then is not read by anybody.
  void sendGarbage() {
    appendPart(forHome, 0, Bytes(5));
    appendPart(forLeaf, 0, Bytes(5));
  }
  /// Of the link with the home's other linked node, and of one that nobody has.
  void tellOfNeighbours() {
    for (const router::NodeId node : {router::NodeId{2}, router::NodeId{4711}}) {
      router::NeighboursTold told;
      told.links.emplace_back().node = node;
      appendPart(forHome, 0,
                 router::linkMessage(router::LinkMessage::NeighboursTold, 0, told));
    }
  }
  void fallSilent() {
    for (Bytes* input : {&forHome, &forLeaf}) appendPart(*input, 3, Bytes(1, std::byte{3}));
    toHome_->fallSilent();
    leaf_.line->fallSilent();
  }
  void answerAgain() {
    for (Bytes* input : {&forHome, &forLeaf}) appendPart(*input, 3, Bytes(1, std::byte{4}));
    toHome_->answerAgain();
    leaf_.line->answerAgain();
  }
  /// What only one of the two is asked.
  void decideLast(const fabric::OperateLinkRequest& request) {
    appendPart(forHome, 2, datagramOf(homeNumbers_[0], fabric::Request::OperateLink, request));
    appendPart(forLeaf, 2, datagramOf(leafNumbers_[0], fabric::Request::OperateLink, request));
  }
  void endLink() { appendPart(forHome, 3, Bytes(1, std::byte{2})); }
  void leafHears(const Bytes& message) {
    appendPart(forLeaf, 0, message);
    leaf_.line->said.push_back(message);
    exchange();
  }

  Bytes forHome, forLeaf;

 private:
  template <class Body>
  static Bytes datagramOf(std::uint64_t& number, fabric::Request request, const Body& body) {
    return requestDatagram(static_cast<std::uint16_t>(request), ++number, fabric::toWire(body));
  }
  void exchange() {
    for (int quiet = 0; quiet < 2;) {
      ++quiet;
      home_.home.route();
      leaf_.leaf.route();
      while (!leaf_.line->heard.empty()) {
        quiet = 0;
        appendPart(forHome, 0, leaf_.line->heard.front());
        toHome_->said.push_back(std::move(leaf_.line->heard.front()));
        leaf_.line->heard.pop_front();
      }
      home_.home.ready(pipe_);
      while (!toHome_->heard.empty()) {
        quiet = 0;
        appendPart(forLeaf, 0, toHome_->heard.front());
        leaf_.line->said.push_back(std::move(toHome_->heard.front()));
        toHome_->heard.pop_front();
      }
      leaf_.leaf.ready(LinkedHost::firstPipe);
    }
    require(leaf_.leaf.failure().empty(), "the two understand each other: " +
                                              leaf_.leaf.failure());
  }

  HomeHost home_;
  LeafHost leaf_;
  std::uint64_t pipe_ = 0;
  std::shared_ptr<Line> toHome_;
  std::uint64_t homeNumbers_[LinkedHost::processes] = {};
  std::uint64_t leafNumbers_[LinkedHost::processes] = {};
};

/// Federate 1 is of the home, 3 and 4 are of the linked node; 2 is the router at the home.
void begin(Conversation& talk) {
  using fabric::Request;
  talk.homeAsks(0, Request::Hello, fabric::HelloRequest{});
  talk.homeAsks(0, Request::CreateFederation, fabric::CreateFederationRequest{"w", {}, {}, ""});
  talk.homeAsks(0, Request::Join, fabric::JoinRequest{"w", "a", "t", {}});
  talk.homeRegisters();
  for (std::size_t i = 0; i < LinkedHost::processes; ++i) {
    talk.leafAsks(i, Request::Hello, fabric::HelloRequest{});
    talk.leafAsks(i, Request::Join, fabric::JoinRequest{"w", i == 0 ? "b" : "", "t", {}});
  }
}

Bytes dataOf(fabric::FederateNumber sender,
                    const std::vector<fabric::FederateNumber>& receivers, fabric::RecordType type,
                    std::uint8_t flags, std::uint16_t count, const fabric::Bytes& body) {
  fabric::RecordHead head{};
  head.type = static_cast<decltype(head.type)>(type);
  head.flags = static_cast<decltype(head.flags)>(flags);
  head.count = static_cast<decltype(head.count)>(count);
  head.logNumber = 1;
  head.bytes = static_cast<std::uint32_t>(sizeof head + body.size());
  Bytes record(sizeof head);
  std::memcpy(record.data(), &head, sizeof head);
  record.insert(record.end(), body.begin(), body.end());
  Bytes message;
  router::writeData(message, 1, sender, receivers, record);
  return message;
}


void declare(Conversation& talk) {
  talk.leafAsks(0, Request::DeclareObjectClass,
                fabric::DeclareObjectClassRequest{1, true, false, {1, 2}});
  talk.homeAsks(0, Request::DeclareObjectClass,
                fabric::DeclareObjectClassRequest{1, true, true, {1}, {}, {"Low"}});
  talk.leafAsks(1, Request::DeclareInteractionClass,
                fabric::DeclareInteractionClassRequest{1, false, true, false});
  talk.leafAsks(0, Request::OpenRing, fabric::OpenRingRequest{1, 4096, 0});
  talk.homeAsks(0, Request::OpenRing, fabric::OpenRingRequest{3, 4096, 0});
  talk.leafAsks(0, Request::Confirm, NoArguments{});
  talk.homeAsks(0, Request::Confirm, NoArguments{});
}

void sendData(Conversation& talk) {
  using fabric::RecordType;
  constexpr std::uint64_t own = std::uint64_t{3} << 40;
  constexpr std::uint64_t region = own | 1;
  const auto each = [&](RecordType type, std::uint8_t flags, std::uint16_t count,
                        const Bytes& body) {
    talk.homeHears(dataOf(3, {1}, type, flags, count, body));
    talk.leafHears(dataOf(1, {3, 4}, type, flags, count, body));
  };
  const auto table = [&](RecordType type, std::uint16_t count, const Bytes& body) {
    talk.homeHears(dataOf(3, {}, type, 0, count, body));
    talk.leafHears(dataOf(1, {}, type, 0, count, body));
  };
  table(RecordType::TableRow, 0,
        valueBytes(core::DiscoverBody{own | 1, 0, 1, 0, 1}, std::uint32_t{1}));
  table(RecordType::TableRegion, 1,
        valueBytes(core::TableRegionBody{region, 0, 1, 1, 1}, core::Range{1, 0, 8}));
  table(RecordType::TableUpdateRegion, 0,
        valueBytes(core::TableUpdateRegionBody{own | 1, region, 1, 0, 0, 0}));
  each(RecordType::Discover, 0, 0, valueBytes(core::DiscoverBody{own | 1, 0, 1, 0, 0}));
  each(RecordType::Update, 0, 1,
       valueBytes(core::UpdateBody{own | 1, 0, 1, 0, 4}, core::ValueHead{1, 4}, std::uint32_t{7}));
  each(RecordType::Interaction, fabric::recordFlag::timestampOrder, 0,
       valueBytes(core::InteractionBody{1, 0, 0, 0}));
  each(RecordType::Remove, 0, 0, valueBytes(core::RemoveBody{own | 1, 0, core::Described::No}));
  table(RecordType::TableRow, 0, valueBytes(core::DiscoverBody{0, 0, 0, 0, 0}));
  router::States states;
  states.sent.push_back({3, 1, 1});
  states.pages.push_back({3, std::vector<std::uint64_t>(sizeof(fabric::TimeState) / 8), 3, 1, 0});
  states.taken.push_back({1, 3, 1});
  using router::linkMessage;
  using router::LinkMessage;
  talk.homeHears(linkMessage(LinkMessage::States, 1, states));
  talk.homeHears(linkMessage(LinkMessage::Congestion, 1, router::Congestion{3, true}));
  talk.leafHears(linkMessage(LinkMessage::Congestion, 1, router::Congestion{1, true}));
}

}  // namespace

std::vector<Bytes> conversations(bool atHome) {
  std::vector<Bytes> inputs;
  const auto hold = [&](auto&& what) {
    Conversation talk;
    begin(talk);
    what(talk);
    inputs.push_back(atHome ? talk.forHome : talk.forLeaf);
  };
  hold([](Conversation& talk) {
    declare(talk);
    talk.leafAsks(0, Request::RegisterSynchronizationPoint,
                  fabric::RegisterSynchronizationPointRequest{"p", bytesOf("tag"), true, {}});
    talk.leafAsks(0, Request::SynchronizationPointAchieved,
                  fabric::SynchronizationPointAchievedRequest{"p", true});
    talk.homeAsks(0, Request::SynchronizationPointAchieved,
                  fabric::SynchronizationPointAchievedRequest{"p", true});
    talk.leafAsks(1, Request::ReserveNames, fabric::NamesRequest{{"n", "m"}});
    talk.leafAsks(1, Request::Resign, fabric::ResignRequest{4, true});
    talk.leafEnds(0);
    talk.homeAsks(0, Request::Resign, fabric::ResignRequest{4, true});
    talk.homeAsks(0, Request::DestroyFederation, fabric::FederationNameRequest{"w"});
  });
  hold([](Conversation& talk) {
    declare(talk);
    sendData(talk);
    talk.homeAsks(0, Request::HoldTime, fabric::HoldTimeRequest{"w", true, 12});
    talk.homeAsks(0, Request::SetPace,
                  fabric::SetPaceRequest{"w", std::bit_cast<std::uint64_t>(2.0)});
    talk.tellOfNeighbours();
    talk.sendGarbage();
  });
  hold([](Conversation& talk) {
    declare(talk);
    const std::uint64_t instance = (std::uint64_t{1} << 40) | 1;
    using Operation = fabric::OwnershipOperation;
    talk.homeAsks(0, Request::Ownership,
                  fabric::OwnershipRequest{
                      Operation::NegotiatedDivestiture, instance, 0, {1}, bytesOf("t"), 1});
    talk.leafAsks(0, Request::Ownership,
                  fabric::OwnershipRequest{Operation::Acquisition, instance, 0, {1}, {}, 1});
    talk.homeAsks(0, Request::Ownership,
                  fabric::OwnershipRequest{Operation::ConfirmDivestiture, instance, 0, {1}, {}, 1});
    talk.homeAsks(0, Request::DeleteInstance, fabric::DeleteInstanceRequest{instance});
    talk.leafAsks(0, Request::ChangeInteractionTransportation,
                  fabric::InteractionTransportationRequest{1, true, false});
    talk.endLink();
  });
  hold([](Conversation& talk) {
    talk.leafAsks(0, Request::RequestSave, fabric::RequestSaveRequest{"s", false, 0});
    const auto all = [&](Request request, const auto& body) {
      talk.homeAsks(0, request, body);
      talk.leafAsks(0, request, body);
      talk.leafAsks(1, request, body);
    };
    all(Request::SaveBegun, NoArguments{});
    all(Request::SaveCompleted, fabric::CompletedRequest{true});
    all(Request::SavedState,
        fabric::SavedStateRequest{bytesOf("state"), Bytes(sizeof(fabric::TimeState))});
    talk.leafAsks(0, Request::RequestRestore, fabric::RequestRestoreRequest{"s"});
    all(Request::RestoreCompleted, fabric::CompletedRequest{true});
    all(Request::EnterRestored, NoArguments{});
  });
  hold([](Conversation& talk) {
    const auto decide = [&](const fabric::OperateLinkRequest& request) {
      talk.homeAsks(1, Request::OperateLink, request);
      talk.leafAsks(1, Request::OperateLink, request);
    };
    const std::string node = MessagePipe::otherNode;
    decide({node, 0, false, 60'000});
    talk.fallSilent();
    decide({node, 1, false, 40'000});
    decide({node, 1, false, ~std::uint64_t{0}});
    decide({node, 7, true, 0});
    decide({"elsewhere", 1, true, 0});
    talk.answerAgain();
    decide({node, 1, true, 0});
    talk.fallSilent();
    decide({node, 2, false, 1000});
    // The link ends with it.
    talk.decideLast({node, 2, true, 0});
  });
  return inputs;
}

}  // namespace tutti::fuzz
