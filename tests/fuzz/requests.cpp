// SPDX-License-Identifier: GPL-3.0-or-later
// What processes can ask the executive of a node: four connections, of which each may send anything
// at any time, and close. Parts: the lower two bits of the kind name the connection; with bit 2 the
// bytes are a whole datagram, else | request 2 | body |, and the head is put in front; 8 closes the
// connection and opens another one in its place; 12 lets the executive do what is due.
#include <spdlog/spdlog.h>

#include <bit>
#include <cstring>

#include "../node/fake_models.h"
#include "executive/executive.h"
#include "executive_parts.h"
#include "fabric/link_status.h"
#include "fabric/protocol_mom.h"
#include "fabric/protocol_order.h"
#include "fabric/protocol_ownership.h"
#include "fabric/protocol_save.h"
#include "target.h"

namespace tutti::fuzz {

namespace {

using executive::Executive;
using fabric::Refusal;
using fabric::Request;

Landmark joined("a federate joined");
Landmark resigned("a federate resigned");
Landmark lost("a joined federate was lost");
Landmark ring("a ring was opened");
Landmark declared("a class was declared");
Landmark synchronized("a synchronization point was achieved");
Landmark owned("ownership was asked about an instance that is in a table");
Landmark saved("a save was begun");
Landmark savedState("the state of a federate was taken for a save");
Landmark freed("memory was given back");
Landmark restored("a federate entered what was restored");

constexpr std::size_t connections = 4;
constexpr fabric::Offset lastExtent = 8;
constexpr std::uint64_t budgetBytes = std::uint64_t{8} << 20;

struct Host {
  Host() { executive.keepSavesIn(saves); }

  void reopen(std::size_t which) {
    if (clients[which] != 0) {
      if (executive.membership(clients[which]).federate != 0) lost.reach();
      executive.closed(clients[which]);
    }
    clients[which] = executive.opened(4711);
    numbers[which] = 0;
  }

  void ask(std::size_t which, Input datagram, Request request) {
    const auto reply = executive.answer(clients[which], datagram);
    require(executive.budget().used() <= budgetBytes, "the memory budget is kept");
    if (!reply.bytes.empty()) {
      fabric::ReplyHead head;
      fabric::WireReader reader(reply.bytes);
      reader(head);
      require(!reader.failed(), "a reply has a head");
      require(head.refusal == Refusal::None || !head.message.empty(), "a refusal says why");
      if (head.refusal == Refusal::None) {
        fabric::JoinReply join;
        if (request == Request::Join) reader(join);
        fabric::AllocateReply allocated;
        if (request == Request::Allocate) reader(allocated), allocatedLast = allocated.extent;
        accepted(which, request, join);
      }
    }
    if (reply.close) reopen(which);
  }

  /// A request to free `lastExtent` means what was allocated last.
  Bytes bodyOf(Request request, Input body) const {
    Bytes own(body.begin(), body.end());
    fabric::FreeRequest free;
    if (request == Request::Free && fabric::fromWire(body, free) && free.extent == lastExtent) {
      own = fabric::toWire(fabric::FreeRequest{allocatedLast});
    }
    return own;
  }

  void accepted(std::size_t which, Request request, const fabric::JoinReply& join) {
    switch (request) {
      case Request::Join:
        joined.reach();
        registerInstance(which, join);
        break;
      case Request::Resign: resigned.reach(); break;
      case Request::OpenRing: ring.reach(); break;
      case Request::DeclareObjectClass: declared.reach(); break;
      case Request::SynchronizationPointAchieved: synchronized.reach(); break;
      case Request::Ownership: owned.reach(); break;
      case Request::SaveBegun: saved.reach(); break;
      case Request::SavedState: savedState.reach(); break;
      case Request::Free: freed.reach(); break;
      case Request::EnterRestored: restored.reach(); break;
      default: break;
    }
  }

  /// As the library of a federate registers its first instance, of number (federate, 1).
  void registerInstance(std::size_t which, const fabric::JoinReply& join) {
    const auto execution = executive.execution(executive.membership(clients[which]).federation);
    if (!execution) return;
    constexpr auto code = static_cast<std::uint16_t>(Request::Allocate);
    const auto body = fabric::toWire(fabric::AllocateRequest{4096, fabric::Purpose::Instances});
    const auto reply = executive.answer(clients[which], datagramOf(which, code, body));
    fabric::ReplyHead head;
    fabric::AllocateReply memory;
    fabric::WireReader reader(reply.bytes);
    reader(head, memory);
    if (reader.failed() || head.refusal != Refusal::None) return;
    registerFirstInstance(execution->arena().arena(), join, memory.extent);
  }

  Bytes datagramOf(std::size_t which, std::uint16_t request, Input body) {
    return requestDatagram(request, ++numbers[which], body);
  }

  test::FakeModelSource models;
  MemoryStore saves;
  Executive executive{{"fuzzed", std::chrono::seconds(60), std::nullopt},
                      executive::Budget(budgetBytes), hostMemory(), models};
  Executive::ConnectionId clients[connections] = {};
  std::uint64_t numbers[connections] = {};
  fabric::Offset allocatedLast = 0;  ///< of the last allocation
};

template <class Body>
void add(Bytes& input, std::uint8_t client, Request request, const Body& body) {
  const auto code = static_cast<std::uint16_t>(request);
  Bytes part(sizeof code);
  std::memcpy(part.data(), &code, sizeof code);
  const auto bytes = fabric::toWire(body);
  part.insert(part.end(), bytes.begin(), bytes.end());
  appendPart(input, client, part);
}

Bytes begun(std::uint8_t federates) {
  Bytes input;
  for (std::uint8_t i = 0; i < federates; ++i) {
    add(input, i, Request::Hello, fabric::HelloRequest{});
    if (i == 0) {
      add(input, i, Request::CreateFederation, fabric::CreateFederationRequest{"w", {}, {}, ""});
    }
    add(input, i, Request::Join, fabric::JoinRequest{"w", i == 0 ? "a" : "", "t", {}});
  }
  return input;
}

}  // namespace

void target(Input input) {
  spdlog::set_level(spdlog::level::off);
  Host host;
  const std::uint64_t used = host.executive.budget().used();
  for (std::size_t i = 0; i < connections; ++i) host.reopen(i);
  const auto now = Executive::Clock::now();
  for (const Part& part : parts(input)) {
    const std::size_t which = part.kind % connections;
    switch (part.kind & 12) {
      case 0: {
        if (part.bytes.size() < 2) break;
        std::uint16_t request = 0;
        std::memcpy(&request, part.bytes.data(), sizeof request);
        const auto body = host.bodyOf(static_cast<Request>(request), part.bytes.subspan(2));
        host.ask(which, host.datagramOf(which, request, body), static_cast<Request>(request));
        break;
      }
      case 4:
        host.ask(which, part.bytes, Request{});
        break;
      case 8:
        host.reopen(which);
        break;
      default:
        host.executive.tick(now + std::chrono::seconds(part.bytes.size()));
        for (const auto connection : host.executive.takeDoomed()) {
          for (std::size_t i = 0; i < connections; ++i) {
            if (host.clients[i] == connection) host.reopen(i);
          }
        }
        static_cast<void>(host.executive.status());
        static_cast<void>(host.executive.takeManagementWanted());
    }
  }
  for (const auto connection : host.clients) host.executive.closed(connection);
  host.executive.tick(now + std::chrono::hours(1));
  require(!host.executive.hasFederations(), "an execution without members ends");
  require(host.executive.budget().used() == used, "all memory is given back in the end");
}

std::vector<Bytes> seeds() {
  using fabric::CompletedRequest;
  using fabric::NoArguments;
  Bytes life = begun(2);
  add(life, 0, Request::DeclareObjectClass,
      fabric::DeclareObjectClassRequest{1, true, false, {1, 2}});
  add(life, 1, Request::DeclareObjectClass,
      fabric::DeclareObjectClassRequest{1, false, true, {1}, {1}, {"Low"}});
  add(life, 1, Request::DeclareInteractionClass,
      fabric::DeclareInteractionClassRequest{1, false, true, false});
  add(life, 0, Request::OpenRing, fabric::OpenRingRequest{2, 4096, 0});
  add(life, 0, Request::Allocate, fabric::AllocateRequest{100000, fabric::Purpose::Chunk});
  add(life, 0, Request::Free, fabric::FreeRequest{lastExtent});
  add(life, 1, Request::ListFederations, NoArguments{});
  add(life, 1, Request::Status, NoArguments{});
  add(life, 2, Request::Hello, fabric::HelloRequest{});
  add(life, 2, Request::Observe, fabric::FederationNameRequest{"w"});
  add(life, 2, Request::HoldTime, fabric::HoldTimeRequest{"w", true, 12});
  add(life, 2, Request::SetPace, fabric::SetPaceRequest{"w", std::bit_cast<std::uint64_t>(2.0)});
  add(life, 2, Request::OperateSave, fabric::OperateSaveRequest{"w", fabric::SaveAction::Save, "s"});
  add(life, 2, Request::ListSaves, fabric::FederationNameRequest{"w"});
  add(life, 2, Request::OperateResign, fabric::OperateResignRequest{"w", {"f1"}, true, 4});
  add(life, 2, Request::ListResigns, fabric::FederationNameRequest{"w"});
  add(life, 2, Request::OperateLink, fabric::OperateLinkRequest{"10.0.0.1:7400", 1, false, 60'000});
  add(life, 0, Request::ResignRefused, fabric::ResignRefused{"FederateOwnsAttributes"});
  add(life, 2, Request::OperateAdjust,
      fabric::OperateAdjustRequest{"w", {"f1"}, fabric::adjustment::all, 1, 2});
  add(life, 2, Request::ListAdjustments, fabric::FederationNameRequest{"w"});
  add(life, 0, Request::AdjustRefused, fabric::AdjustRefused{"RTIinternalError"});
  add(life, 2, Request::ModifyAttributeState,
      fabric::ModifyAttributeStateRequest{"w", "f1", "HLA1-1", "HLAprivilegeToDeleteObject", true});
  add(life, 2, Request::FindOwner,
      fabric::FindOwnerRequest{"w", "HLA1-1", "HLAprivilegeToDeleteObject"});
  add(life, 1, Request::Resign, fabric::ResignRequest{4, true});
  appendPart(life, 8, {});
  appendPart(life, 12, Bytes(100));
  add(life, 1, Request::DestroyFederation, fabric::FederationNameRequest{"w"});

  Bytes points = begun(2);
  add(points, 0, Request::RegisterSynchronizationPoint,
      fabric::RegisterSynchronizationPointRequest{"p", bytesOf("tag"), true, {}});
  add(points, 0, Request::RegisterSynchronizationPoint,
      fabric::RegisterSynchronizationPointRequest{"q", {}, false, {1, 7}});
  add(points, 0, Request::SynchronizationPointAchieved,
      fabric::SynchronizationPointAchievedRequest{"p", true});
  add(points, 1, Request::SynchronizationPointAchieved,
      fabric::SynchronizationPointAchievedRequest{"p", false});
  add(points, 1, Request::ReserveNames, fabric::NamesRequest{{"n", "m"}});
  add(points, 0, Request::ReserveNames, fabric::NamesRequest{{"n"}});
  add(points, 1, Request::ReleaseNames, fabric::NamesRequest{{"n"}});

  const std::uint64_t instance = (std::uint64_t{1} << 40) | 1;
  Bytes trade = begun(2);
  using Operation = fabric::OwnershipOperation;
  for (const auto& [client, operation] :
       {std::pair<std::uint8_t, Operation>{0, Operation::NegotiatedDivestiture},
        {1, Operation::Acquisition}, {0, Operation::ConfirmDivestiture},
        {0, Operation::Acquisition}, {1, Operation::ReleaseDenied},
        {0, Operation::CancelAcquisition}, {1, Operation::UnconditionalDivestiture},
        {0, Operation::AcquisitionIfAvailable}, {0, Operation::DivestitureIfWanted},
        {1, Operation::Grant}, {1, Operation::Withdraw}}) {
    add(trade, client, Request::Ownership,
        fabric::OwnershipRequest{operation, instance, 0, {1}, bytesOf("t"), 1});
  }
  add(trade, 0, Request::UnpublishInstances,
      fabric::UnpublishInstancesRequest{{{instance, 0, {1}}}});
  add(trade, 0, Request::ChangeAttributeTransportation,
      fabric::AttributeTransportationRequest{instance, {1}, true, false});
  add(trade, 0, Request::ChangeInteractionTransportation,
      fabric::InteractionTransportationRequest{1, true, false});
  add(trade, 0, Request::DeleteInstance, fabric::DeleteInstanceRequest{instance});
  appendPart(trade, 8, {});

  Bytes save = begun(2);
  add(save, 0, Request::RequestSave, fabric::RequestSaveRequest{"s", false, 0});
  for (std::uint8_t i = 0; i < 2; ++i) add(save, i, Request::SaveBegun, NoArguments{});
  for (std::uint8_t i = 0; i < 2; ++i) {
    add(save, i, Request::SaveCompleted, CompletedRequest{true});
  }
  for (std::uint8_t i = 0; i < 2; ++i) {
    add(save, i, Request::SavedState,
        fabric::SavedStateRequest{bytesOf("state"), Bytes(sizeof(fabric::TimeState))});
  }
  add(save, 1, Request::QuerySaveStatus, NoArguments{});
  add(save, 0, Request::RequestRestore, fabric::RequestRestoreRequest{"s"});
  add(save, 0, Request::QueryRestoreStatus, NoArguments{});
  for (std::uint8_t i = 0; i < 2; ++i) {
    add(save, i, Request::RestoreCompleted, CompletedRequest{true});
  }
  for (std::uint8_t i = 0; i < 2; ++i) add(save, i, Request::EnterRestored, NoArguments{});

  Bytes abandoned = begun(2);
  add(abandoned, 0, Request::RequestSave, fabric::RequestSaveRequest{"s", true, 7});
  add(abandoned, 0, Request::SaveTimeReached, fabric::SaveTimeReachedRequest{1});
  add(abandoned, 0, Request::AbortSave, NoArguments{});
  add(abandoned, 0, Request::AbortRestore, NoArguments{});
  add(abandoned, 1, Request::MomAttach, fabric::MomAttachRequest{});
  add(abandoned, 1, Request::MomInformation, fabric::MomInformationRequest{});
  add(abandoned, 1, Request::MomText, fabric::MomTextRequest{fabric::MomTextKind::Fdd, 0, 0});
  add(abandoned, 1, Request::MomCommand, fabric::MomCommand{1, 1, {{1, bytesOf("v")}}});
  add(abandoned, 1, Request::MomSwitches, fabric::MomSwitches{true});
  add(abandoned, 1, Request::MomTiming, fabric::MomTiming{1, 2});
  appendPart(abandoned, 4, fabric::toWire(fabric::RequestHead{}));
  appendPart(abandoned, 9, {});
  return {life, points, trade, save, abandoned};
}

}  // namespace tutti::fuzz
