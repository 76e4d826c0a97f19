// SPDX-License-Identifier: Apache-2.0
#include "executive/executive.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace tutti::executive {

using namespace fabric;

namespace {

/// What federates have read by now is looked at this often while there is something to free.
constexpr std::chrono::milliseconds reclaimInterval{200};
constexpr std::chrono::milliseconds stopTimeLooks{20};

const char* nameOf(Request request) {
  switch (request) {
    case Request::Hello:
      return "Hello";
    case Request::CreateFederation:
      return "CreateFederation";
    case Request::DestroyFederation:
      return "DestroyFederation";
    case Request::ListFederations:
      return "ListFederations";
    case Request::Join:
      return "Join";
    case Request::Resign:
      return "Resign";
    case Request::DeclareObjectClass:
      return "DeclareObjectClass";
    case Request::DeclareInteractionClass:
      return "DeclareInteractionClass";
    case Request::RegisterSynchronizationPoint:
      return "RegisterSynchronizationPoint";
    case Request::SynchronizationPointAchieved:
      return "SynchronizationPointAchieved";
    case Request::ReserveNames:
      return "ReserveNames";
    case Request::ReleaseNames:
      return "ReleaseNames";
    case Request::OpenRing:
      return "OpenRing";
    case Request::Allocate:
      return "Allocate";
    case Request::Free:
      return "Free";
    case Request::Status:
      return "Status";
    case Request::Observe:
      return "Observe";
    case Request::Stop:
      return "Stop";
    case Request::RequestSave:
      return "RequestSave";
    case Request::SaveTimeReached:
      return "SaveTimeReached";
    case Request::SaveBegun:
      return "SaveBegun";
    case Request::SaveCompleted:
      return "SaveCompleted";
    case Request::SavedState:
      return "SavedState";
    case Request::AbortSave:
      return "AbortSave";
    case Request::QuerySaveStatus:
      return "QuerySaveStatus";
    case Request::RequestRestore:
      return "RequestRestore";
    case Request::RestoreCompleted:
      return "RestoreCompleted";
    case Request::AbortRestore:
      return "AbortRestore";
    case Request::QueryRestoreStatus:
      return "QueryRestoreStatus";
    case Request::EnterRestored:
      return "EnterRestored";
    case Request::SubscribeObjectClassWithRegions:
      return "SubscribeObjectClassWithRegions";
    case Request::SubscribeInteractionClassWithRegions:
      return "SubscribeInteractionClassWithRegions";
    case Request::HoldTime:
      return "HoldTime";
    case Request::OperateSave:
      return "OperateSave";
    case Request::ListSaves:
      return "ListSaves";
    case Request::OperateResign:
      return "OperateResign";
    case Request::ListResigns:
      return "ListResigns";
    case Request::OperateLink:
      return "OperateLink";
    case Request::SetPace:
      return "SetPace";
    case Request::ChangeAttributeTransportation:
      return "ChangeAttributeTransportation";
    case Request::ChangeInteractionTransportation:
      return "ChangeInteractionTransportation";
    case Request::Confirm:
      return "Confirm";
    case Request::CallbackFault:
      return "CallbackFault";
    case Request::ResignRefused:
      return "ResignRefused";
    case Request::OperateAdjust:
      return "OperateAdjust";
    case Request::ListAdjustments:
      return "ListAdjustments";
    case Request::AdjustRefused:
      return "AdjustRefused";
    case Request::ModifyAttributeState:
      return "ModifyAttributeState";
    case Request::FindOwner:
      return "FindOwner";
    case Request::MomAttach:
      return "MomAttach";
    case Request::MomInformation:
      return "MomInformation";
    case Request::MomText:
      return "MomText";
    case Request::MomCommand:
      return "MomCommand";
    case Request::MomSwitches:
      return "MomSwitches";
    case Request::MomTiming:
      return "MomTiming";
    case Request::Ownership:
      return "Ownership";
    case Request::UnpublishInstances:
      return "UnpublishInstances";
    case Request::DeleteInstance:
      return "DeleteInstance";
  }
  return "unknown";
}

std::string quoted(const std::string& text) { return "'" + text + "'"; }

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    text += (i == 0 ? "" : ", ") + quoted(names[i]);
  }
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

bool isStandardTime(const std::string& name) {
  return name == "HLAfloat64Time" || name == "HLAinteger64Time";
}

/// Requests that come from the connection's federate.
bool needsHello(Request request) {
  return request != Request::Hello && request != Request::Status && request != Request::Stop;
}

/// What a federate of another host may ask. Its own node serves what concerns memory and answers
/// what inspects that node; what stops or holds is for processes of this host alone.
bool mayComeFromElsewhere(Request request) {
  switch (request) {
    case Request::CreateFederation:
    case Request::DestroyFederation:
    case Request::ListFederations:
    case Request::Join:
    case Request::Resign:
    case Request::DeclareObjectClass:
    case Request::DeclareInteractionClass:
    case Request::RegisterSynchronizationPoint:
    case Request::SynchronizationPointAchieved:
    case Request::ReserveNames:
    case Request::ReleaseNames:
    case Request::RequestSave:
    case Request::SaveTimeReached:
    case Request::SaveBegun:
    case Request::SaveCompleted:
    case Request::SavedState:
    case Request::AbortSave:
    case Request::QuerySaveStatus:
    case Request::RequestRestore:
    case Request::RestoreCompleted:
    case Request::AbortRestore:
    case Request::QueryRestoreStatus:
    case Request::EnterRestored:
    case Request::SubscribeObjectClassWithRegions:
    case Request::SubscribeInteractionClassWithRegions:
    case Request::Ownership:
    case Request::UnpublishInstances:
    case Request::DeleteInstance:
    case Request::ChangeAttributeTransportation:
    case Request::ChangeInteractionTransportation:
    case Request::Confirm:
    case Request::CallbackFault:
    case Request::ResignRefused:
    case Request::AdjustRefused:
      return true;
    case Request::Hello:
    case Request::OpenRing:
    case Request::Allocate:
    case Request::Free:
    case Request::Status:
    case Request::Observe:
    case Request::Stop:
    case Request::HoldTime:
    case Request::OperateSave:
    case Request::ListSaves:
    case Request::OperateResign:
    case Request::ListResigns:
    case Request::OperateLink:
    case Request::SetPace:
    case Request::MomAttach:
    case Request::MomInformation:
    case Request::MomText:
    case Request::MomCommand:
    case Request::MomSwitches:
    case Request::MomTiming:
    case Request::OperateAdjust:
    case Request::ListAdjustments:
    case Request::ModifyAttributeState:
    case Request::FindOwner:
      return false;
  }
  return false;
}

}  // namespace

Executive::Executive(Options options, Budget budget, HostMemory host, ModelSource& models)
    : options_(std::move(options)), budget_(budget), host_(std::move(host)), models_(models) {}

tl::unexpected<Refused> Executive::noSuchFederation(const std::string& name) {
  return refuse(Refusal::FederationExecutionDoesNotExist,
                "federation execution " + quoted(name) +
                    " does not exist at this RTI node; create it first, or check its name and the "
                    "node's (shm:NAME)");
}

Executive::ConnectionId Executive::opened(std::int32_t pid) {
  connections_[++lastConnection_].pid = pid;
  return lastConnection_;
}

Executive::ConnectionId Executive::openedForManagement(const std::string& federation) {
  const ConnectionId id = opened(::getpid());
  Connection& connection = connections_.at(id);
  connection.management = true;
  const auto found = federations_.find(federation);
  if (found == federations_.end()) return id;
  connection.federation = federation;
  connection.federate = found->second.execution->management();
  return id;
}

Executive::ConnectionId Executive::openedRemote(std::int32_t pid, const std::string& program,
                                                const std::string& host) {
  const ConnectionId id = opened(pid);
  Connection& connection = connections_.at(id);
  connection.remote = true;
  connection.program = program;
  connection.host = host;
  // Past the last bit of the spin page: it polls on its own host, where it has a bit.
  connection.index = SpinPage::spinWords * 64;
  wasUsed_ = true;
  return id;
}

Executive::Membership Executive::membership(ConnectionId id) const {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return {};
  return {found->second.federation, found->second.federate};
}

std::shared_ptr<FederationExecution> Executive::execution(const std::string& federation) const {
  const auto found = federations_.find(federation);
  return found == federations_.end() ? nullptr : found->second.execution;
}

std::uint64_t Executive::executionNumber(const std::string& federation) const {
  const auto found = federations_.find(federation);
  return found == federations_.end() ? 0 : found->second.number;
}

void Executive::endManagement(const std::string& federation) {
  managementWanted_.erase(federation);
  for (auto& [id, connection] : connections_) {
    if (!connection.management || connection.federation != federation) continue;
    connection.federation.clear();
    connection.federate = 0;
    doomed_.insert(id);
  }
}

void Executive::closed(ConnectionId id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  if (connection.federate != 0) lose(connection);
  if (connection.index) {
    usedIndices_.erase(*connection.index);
    host_.keepSpinning(usedIndices_);
  }
  const std::int32_t pid = connection.pid;
  connections_.erase(found);
  doomed_.erase(id);
  for (auto& [name, federation] : federations_) {
    if (federation.timeHolder == id) {
      spdlog::warn("time of '{}' goes on: process {} held it, and its connection has ended", name,
                   pid);
      federation.timeHolder.reset();
      federation.execution->releaseTime();
      federation.paceLook = Clock::time_point{};
    }
    if (federation.holders.erase(id) != 0) noteEmpty(name);
  }
}

void Executive::lose(Connection& connection) {
  const std::string name = std::exchange(connection.federation, {});
  const FederateNumber federate = std::exchange(connection.federate, 0);
  FederationExecution& execution = *federations_.at(name).execution;
  if (connection.management) {
    spdlog::error("the MOM of '{}' is no longer served", name);
    execution.lose(federate);
    return;
  }
  spdlog::warn(
      "federate {} of process {} ({}) is lost: its connection ended without a resign from "
      "'{}'; resigned by its automatic resign action",
      federate, connection.pid, connection.program, name);
  noteLeft(name, federate, ResignState::Lost);
  try {
    if (!execution.lose(federate)) doom(name);
  } catch (const std::exception& error) {
    endDamaged(name, std::string("what federate ") + std::to_string(federate) +
                         " leaves behind cannot be read: " + error.what());
  }
  nextReclaim_ = Clock::now() + reclaimInterval;
  noteEmpty(name);
}

void Executive::doom(const std::string& name) {
  // Those that stay would wait for ever for what could not be written: they lose their connection.
  spdlog::error("'{}' has no memory left for its control log and ends: {}", name,
                "set TUTTI_MEMORY to more");
  for (const auto& [id, connection] : connections_) {
    if (connection.federation == name) doomed_.insert(id);
  }
}

void Executive::endDamaged(const std::string& name, const std::string& what) {
  spdlog::error(
      "'{}' ends, its federates lose their connections: its shared memory is damaged: {}; one of "
      "its federates writes where it must not: run them with a memory checker",
      name, what);
  for (const auto& [id, connection] : connections_) {
    if (connection.federation == name) doomed_.insert(id);
  }
}

void Executive::noteEmpty(const std::string& name) {
  const auto found = federations_.find(name);
  if (found == federations_.end()) return;
  Federation& federation = found->second;
  if (!federation.execution->hasMembers()) endManagement(name);
  if (federation.execution->hasMembers() || !federation.holders.empty()) {
    federation.emptySince.reset();
  } else if (!federation.emptySince) {
    federation.emptySince = Clock::now();
  }
}

void Executive::keepEnded(const Federation& federation) {
  constexpr std::size_t kept = 4;
  FederationStatus status = federation.execution->status();
  status.execution = federation.number;
  status.model = 0;  // its memory goes
  status.modelBytes = 0;
  ended_.push_back(std::move(status));
  if (ended_.size() > kept) ended_.pop_front();
}

void Executive::tick(Clock::time_point now) {
  std::erase_if(federations_, [&](const auto& item) {
    const auto& [name, federation] = item;
    if (!federation.emptySince || now - *federation.emptySince < options_.linger) return false;
    spdlog::info("'{}' is destroyed: it had no federates for {:.0f} s", name,
                 std::chrono::duration<double>(options_.linger).count());
    keepEnded(federation);
    return true;
  });
  lookForStopTime(now);
  followPace(now);
  if (nextReclaim_ && now >= *nextReclaim_) {
    nextReclaim_.reset();
    for (auto& [name, federation] : federations_) {
      federation.execution->reclaim();
      if (federation.execution->hasLeftovers()) nextReclaim_ = now + reclaimInterval;
    }
  }
}

std::optional<Executive::Clock::time_point> Executive::nextTick() const {
  std::optional<Clock::time_point> next = nextReclaim_;
  if (options_.stopTime) {
    const bool waits = std::any_of(federations_.begin(), federations_.end(), [](const auto& item) {
      return !item.second.stopTimeTold && item.second.execution->hasMembers();
    });
    if (waits) next = std::min(next.value_or(Clock::time_point::max()), nextLook_);
  }
  for (const auto& [name, federation] : federations_) {
    if (federation.paceLook && (!next || *federation.paceLook < *next)) next = federation.paceLook;
    if (!federation.emptySince) continue;
    const auto end = *federation.emptySince + options_.linger;
    if (!next || end < *next) next = end;
  }
  return next;
}

void Executive::lookForStopTime(Clock::time_point now) {
  if (!options_.stopTime || now < nextLook_) return;
  nextLook_ = now + stopTimeLooks;
  for (auto& [name, federation] : federations_) {
    if (federation.stopTimeTold) continue;
    if (!federation.execution->isAtTimeLimit()) {
      federation.atStopTimeSince.reset();
    } else if (!federation.atStopTimeSince) {
      federation.atStopTimeSince = now;
    } else {
      federation.stopTimeTold = true;
      spdlog::info("'{}' has come to the stop time {}", name, *options_.stopTime);
      if (stopTimeReached_) stopTimeReached_(name);
    }
  }
}

Answer<Executive::Body> Executive::callbackFault(Connection& connection,
                                                 const CallbackFault& fault) {
  // One that has just lost its federation execution has nobody to be shown to.
  const auto found = federations_.find(connection.federation);
  if (connection.federate == 0 || found == federations_.end()) return Body{};
  FederationExecution& execution = *found->second.execution;
  const std::string name = execution.nameOf(connection.federate);
  if (!execution.note(connection.federate, fault)) return Body{};
  const std::string what =
      (fault.type + (fault.text.empty() ? "" : ": " + fault.text)).substr(0, fault.longestText);
  if (fault.callback.empty()) {
    spdlog::error(
        "callbacks of federate '{}' (process {}) in '{}' cannot be delivered: {}; its library "
        "tries again, once a second at least",
        name, connection.pid, connection.federation, what);
  } else {
    spdlog::warn(
        "federate '{}' (process {}) in '{}' threw out of its callback {}: {}; the callback ended "
        "there, and the federate goes on",
        name, connection.pid, connection.federation, fault.callback.substr(0, 64), what);
  }
  return Body{};
}

void Executive::settle() {
  // Requests that are found on the way are answered without settling again.
  if (settling_ || !settle_) return;
  settling_ = true;
  settle_();
  settling_ = false;
}

// --- requests ------------------------------------------------------------------------------------

std::optional<ModelWanted> Executive::modelWanted(ConnectionId id,
                                                  std::span<const std::byte> datagram) const {
  const auto connection = connections_.find(id);
  if (connection == connections_.end() || !connection->second.index) return std::nullopt;
  RequestHead head;
  WireReader reader(datagram);
  reader(head);
  if (reader.failed() || head.version != protocolVersion) return std::nullopt;
  const auto body = datagram.subspan(toWire(head).size());
  if (head.request == Request::CreateFederation) {
    CreateFederationRequest request;
    if (!fromWire(body, request) || federations_.contains(request.federation)) return std::nullopt;
    return ModelWanted{nullptr, std::move(request.modules), std::move(request.mim)};
  }
  if (head.request != Request::Join || connection->second.federate != 0) return std::nullopt;
  JoinRequest request;
  if (!fromWire(body, request) || request.modules.empty()) return std::nullopt;
  const auto found = federations_.find(request.federation);
  if (found == federations_.end()) return std::nullopt;
  auto base = found->second.execution->model();
  if (base->contains(request.modules)) return std::nullopt;
  return ModelWanted{std::move(base), std::move(request.modules), {}};
}

Executive::Reply Executive::answer(ConnectionId id, std::span<const std::byte> datagram,
                                   const ModelRead* read) {
  // Requests that are answered within this one, while it settles, have nothing of it.
  struct Provided {
    const ModelRead*& place;
    const ModelRead* before;
    ~Provided() { place = before; }
  };
  const Provided provided{modelRead_, std::exchange(modelRead_, read)};
  Reply reply;
  const auto found = connections_.find(id);
  if (found == connections_.end()) {
    reply.close = true;
    return reply;
  }
  Connection& connection = found->second;

  RequestHead head;
  WireReader reader(datagram);
  reader(head);
  // Those who look on may be many, and any time: they cost the federates nothing.
  if (head.request != Request::Status && head.request != Request::Observe) ++requests_;
  if (reader.failed()) {
    spdlog::warn("process {} sent {} bytes that are no request: its connection is closed",
                 connection.pid, datagram.size());
    reply.close = true;
    return reply;
  }
  // Hello and Observe have no effect that a second time would double, and bring descriptors.
  if (head.number != 0 && head.number == connection.lastNumber &&
      head.request == connection.lastRequest && head.request != Request::Hello &&
      head.request != Request::Observe) {
    reply.bytes = connection.lastReply;
    if ((head.request == Request::Join || head.request == Request::EnterRestored) &&
        connection.federate != 0) {
      reply.descriptors = federations_.at(connection.federation).execution->arena().descriptors();
    }
    return reply;
  }

  ReplyHead replyHead;
  replyHead.number = head.number;
  Answer<Body> outcome = [&]() -> Answer<Body> {
    if (head.version != protocolVersion) {
      reply.close = true;
      return refuse(Refusal::Internal,
                    "the RTI library of process " + std::to_string(connection.pid) +
                        " speaks version " + std::to_string(head.version) +
                        " of the protocol, this node version " + std::to_string(protocolVersion) +
                        "; use the library and the node (tutti-rti) of one version of Tutti");
    }
    if (needsHello(head.request) && !connection.index) {
      return refuse(Refusal::Internal, "a connection begins with Hello");
    }
    if (connection.remote && !mayComeFromElsewhere(head.request)) {
      return refuse(Refusal::Internal,
                    std::string(nameOf(head.request)) +
                        " is not accepted from another host; ask on the host of the RTI node '" +
                        options_.nodeName + "' itself (shm:" + options_.nodeName + ")");
    }
    try {
      const auto body = datagram.subspan(toWire(head).size());
      return dispatch(id, connection, head.request, body);
    } catch (const std::bad_alloc&) {
      return refuse(Refusal::OutOfMemory, "the RTI node has no memory to answer this request");
    } catch (const std::length_error&) {
      return refuse(Refusal::Internal, "the request is malformed");
    } catch (const std::exception& error) {
      return refuse(Refusal::Internal, std::string("the node cannot do it: ") + error.what());
    }
  }();

  if (outcome) {
    replyHead.logTail = outcome->logTail;
    reply.bytes = toWire(replyHead);
    reply.bytes.insert(reply.bytes.end(), outcome->bytes.begin(), outcome->bytes.end());
    reply.descriptors = std::move(outcome->descriptors);
  } else {
    replyHead.refusal = outcome.error().refusal;
    replyHead.message = outcome.error().message;
    if (connection.federate != 0) {
      replyHead.logTail = federations_.at(connection.federation).execution->logTail();
    }
    // Federates that start and end together each create and destroy the federation execution; one
    // succeeds, and the others expect these answers.
    const bool expected = replyHead.refusal == Refusal::FederationExecutionAlreadyExists ||
                          replyHead.refusal == Refusal::FederatesCurrentlyJoined ||
                          (replyHead.refusal == Refusal::FederationExecutionDoesNotExist &&
                           head.request == Request::DestroyFederation);
    spdlog::log(expected ? spdlog::level::info : spdlog::level::warn,
                "{} of process {} is refused: {}", nameOf(head.request), connection.pid,
                replyHead.message);
    reply.bytes = toWire(replyHead);
  }
  if (!nextReclaim_ && connection.federate != 0 &&
      federations_.at(connection.federation).execution->hasLeftovers()) {
    nextReclaim_ = Clock::now() + reclaimInterval;
  }
  if (!connection.management && connection.federate != 0) {
    const auto& execution = *federations_.at(connection.federation).execution;
    if (execution.managementWaits()) managementWanted_.insert(connection.federation);
  }
  connection.lastNumber = head.number;
  connection.lastRequest = head.request;
  connection.lastReply = reply.bytes;
  return reply;
}

template <class Message, class Handler>
Answer<Executive::Body> Executive::parsed(std::span<const std::byte> body, Handler&& handler) {
  Message message;
  if (!fromWire(body, message)) return refuse(Refusal::Internal, "the request is malformed");
  return handler(message);
}

/// Runs `handler(execution, federate, message)` for the federate of the connection; what it returns
/// becomes the body of the reply.
template <class Message, class Handler>
Answer<Executive::Body> Executive::asMember(Connection& connection, std::span<const std::byte> body,
                                            Handler&& handler) {
  return parsed<Message>(body, [&](const Message& message) -> Answer<Body> {
    auto member = joined(connection);
    if (!member) return tl::unexpected(member.error());
    auto result = handler(member->execution, member->federate, message);
    Body reply;
    if constexpr (requires { result.error(); }) {
      if (!result) return tl::unexpected(result.error());
      if constexpr (!std::is_void_v<typename decltype(result)::value_type>) {
        reply.bytes = toWire(*result);
      }
    } else {
      reply.bytes = toWire(result);
    }
    reply.logTail = member->execution.logTail();
    return reply;
  });
}

Answer<Executive::Body> Executive::dispatch(ConnectionId id, Connection& connection,
                                            Request request, std::span<const std::byte> body) {
  switch (request) {
    case Request::Hello:
      return parsed<HelloRequest>(body,
                                  [&](const auto& message) { return hello(connection, message); });
    case Request::CreateFederation:
      return parsed<CreateFederationRequest>(
          body, [&](const auto& message) { return create(id, message); });
    case Request::DestroyFederation:
      return parsed<FederationNameRequest>(body,
                                           [&](const auto& message) { return destroy(message); });
    case Request::ListFederations:
      return list();
    case Request::Join:
      return parsed<JoinRequest>(body, [&](const auto& message) { return join(id, message); });
    case Request::Resign:
      return parsed<ResignRequest>(
          body, [&](const auto& message) { return resign(connection, message); });
    case Request::DeclareObjectClass:
      return asMember<DeclareObjectClassRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.declare(federate, message);
          });
    case Request::DeclareInteractionClass:
      return asMember<DeclareInteractionClassRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.declare(federate, message);
          });
    case Request::ChangeAttributeTransportation:
      return asMember<AttributeTransportationRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.changeTransportation(federate, message);
          });
    case Request::ChangeInteractionTransportation:
      return asMember<InteractionTransportationRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.changeTransportation(federate, message);
          });
    case Request::SubscribeObjectClassWithRegions:
      return asMember<SubscribeObjectClassWithRegionsRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.declare(federate, message);
          });
    case Request::SubscribeInteractionClassWithRegions:
      return asMember<SubscribeInteractionClassWithRegionsRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.declare(federate, message);
          });
    case Request::RegisterSynchronizationPoint:
      return asMember<RegisterSynchronizationPointRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.registerSynchronizationPoint(federate, message);
          });
    case Request::SynchronizationPointAchieved:
      return asMember<SynchronizationPointAchievedRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.synchronizationPointAchieved(federate, message);
          });
    case Request::ReserveNames:
      settle();
      return asMember<NamesRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.reserveNames(federate, message);
          });
    case Request::ReleaseNames:
      return asMember<NamesRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.releaseNames(federate, message);
          });
    case Request::Ownership:
      return asMember<OwnershipRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.ownership(federate, message);
          });
    case Request::UnpublishInstances:
      return asMember<UnpublishInstancesRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.unpublishInstances(federate, message);
          });
    case Request::DeleteInstance:
      return asMember<DeleteInstanceRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.deleteInstance(federate, message);
          });
    case Request::OpenRing:
      return asMember<OpenRingRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.openRing(federate, message);
          });
    case Request::Allocate:
      return asMember<AllocateRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.allocate(federate, message);
          });
    case Request::Free:
      return asMember<FreeRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.free(federate, message);
          });
    case Request::RequestSave:
      return asMember<RequestSaveRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.requestSave(federate, message);
          });
    case Request::SaveTimeReached:
      return asMember<SaveTimeReachedRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.saveTimeReached(federate, message);
          });
    case Request::SaveBegun:
      return asMember<NoArguments>(connection, body,
                                   [](auto& execution, [[maybe_unused]] FederateNumber federate,
                                      const auto&) { return execution.saveBegun(federate); });
    case Request::SaveCompleted:
      return asMember<CompletedRequest>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.saveCompleted(federate, message);
          });
    case Request::AbortSave:
      return asMember<NoArguments>(connection, body,
                                   [](auto& execution, [[maybe_unused]] FederateNumber federate,
                                      const auto&) { return execution.abortSave(); });
    case Request::QuerySaveStatus:
      return asMember<NoArguments>(connection, body,
                                   [](auto& execution, [[maybe_unused]] FederateNumber federate,
                                      const auto&) { return execution.saveStatus(); });
    case Request::AbortRestore:
      return asMember<NoArguments>(connection, body,
                                   [](auto& execution, [[maybe_unused]] FederateNumber federate,
                                      const auto&) { return execution.abortRestore(); });
    case Request::QueryRestoreStatus:
      return asMember<NoArguments>(connection, body,
                                   [](auto& execution, [[maybe_unused]] FederateNumber federate,
                                      const auto&) { return execution.restoreStatus(); });
    case Request::SavedState:
      return parsed<SavedStateRequest>(
          body, [&](const auto& message) { return savedState(connection, message); });
    case Request::RequestRestore:
      return parsed<RequestRestoreRequest>(
          body, [&](const auto& message) { return requestRestore(connection, message); });
    case Request::RestoreCompleted:
      return parsed<CompletedRequest>(
          body, [&](const auto& message) { return restoreCompleted(connection, message); });
    case Request::EnterRestored:
      return enterRestored(connection);
    case Request::Status:
      return Body{toWire(status()), {}, 0};
    case Request::Observe:
      return parsed<FederationNameRequest>(body,
                                           [&](const auto& message) { return observe(message); });
    case Request::Confirm:  // there is no other host
      return Body{};
    case Request::CallbackFault:
      return parsed<CallbackFault>(
          body, [&](const auto& message) { return callbackFault(connection, message); });
    case Request::ResignRefused:
      return parsed<ResignRefused>(
          body, [&](const auto& message) { return resignRefused(connection, message); });
    case Request::AdjustRefused:
      return asMember<AdjustRefused>(
          connection, body, [](auto& execution, FederateNumber federate, const auto& message) {
            return execution.adjustRefused(federate, message);
          });
    case Request::MomAttach:
    case Request::MomInformation:
    case Request::MomText:
    case Request::MomCommand:
    case Request::MomSwitches:
    case Request::MomTiming:
      break;  // from the node's own connection only
    case Request::Stop:
      spdlog::info("process {} asks this node to stop", connection.pid);
      stopRequested_ = true;
      return Body{};
    case Request::HoldTime:
      return parsed<HoldTimeRequest>(body,
                                     [&](const auto& message) { return holdTime(id, message); });
    case Request::SetPace:
      return parsed<SetPaceRequest>(body,
                                    [&](const auto& message) { return setPace(id, message); });
    case Request::OperateSave:
      return parsed<OperateSaveRequest>(
          body, [&](const auto& message) { return operateSave(id, message); });
    case Request::ListSaves:
      return parsed<FederationNameRequest>(body,
                                           [&](const auto& message) { return listSaves(message); });
    case Request::OperateResign:
      return parsed<OperateResignRequest>(
          body, [&](const auto& message) { return operateResign(id, message); });
    case Request::ListResigns:
      return parsed<FederationNameRequest>(
          body, [&](const auto& message) { return listResigns(message); });
    case Request::OperateAdjust:
      return parsed<OperateAdjustRequest>(
          body, [&](const auto& message) { return operateAdjust(id, message); });
    case Request::ListAdjustments:
      return parsed<FederationNameRequest>(
          body, [&](const auto& message) { return listAdjustments(message); });
    case Request::ModifyAttributeState:
      return parsed<ModifyAttributeStateRequest>(
          body, [&](const auto& message) { return modifyAttributeState(id, message); });
    case Request::FindOwner:
      return parsed<FindOwnerRequest>(body,
                                      [&](const auto& message) { return findOwner(message); });
    case Request::OperateLink:
      return refuse(Refusal::Internal,
                    "this node has no links with other hosts");  // else it answers
  }
  if (connection.management) return dispatchManagement(connection, request, body);
  return refuse(Refusal::Internal,
                "request " + std::to_string(static_cast<unsigned>(request)) + " is unknown");
}

Answer<Executive::Body> Executive::dispatchManagement(Connection& connection, Request request,
                                                      std::span<const std::byte> body) {
  switch (request) {
    case Request::MomAttach: {
      auto attached = asMember<MomAttachRequest>(connection, body,
                                                 [](auto& execution, FederateNumber, const auto&) {
                                                   return execution.attachManagement();
                                                 });
      if (attached) {
        attached->descriptors =
            federations_.at(connection.federation).execution->arena().descriptors();
      }
      return attached;
    }
    case Request::MomInformation:
      return asMember<MomInformationRequest>(
          connection, body,
          [](auto& execution, FederateNumber, const auto&) { return execution.momInformation(); });
    case Request::MomText:
      return asMember<MomTextRequest>(connection, body,
                                      [](auto& execution, FederateNumber, const auto& message) {
                                        return execution.momText(message);
                                      });
    case Request::MomCommand:
      return asMember<MomCommand>(connection, body,
                                  [](auto& execution, FederateNumber, const auto& message) {
                                    return execution.momCommand(message);
                                  });
    case Request::MomTiming:
      return asMember<MomTiming>(connection, body,
                                 [](auto& execution, FederateNumber, const auto& message) {
                                   return execution.momTiming(message);
                                 });
    case Request::MomSwitches:
      return asMember<MomSwitches>(connection, body,
                                   [](auto& execution, FederateNumber, const auto& message) {
                                     return execution.momSwitches(message);
                                   });
    default:
      return refuse(Refusal::Internal, "the node asked itself for something unknown");
  }
}

Answer<Executive::Joined> Executive::joined(Connection& connection) {
  if (connection.federate == 0) {
    return refuse(Refusal::FederateNotExecutionMember,
                  "this connection has not joined a federation execution");
  }
  return Joined{*federations_.at(connection.federation).execution, connection.federate};
}

Answer<Executive::Body> Executive::hello(Connection& connection, const HelloRequest& request) {
  if (request.layout != layoutVersion) {
    return refuse(Refusal::Internal,
                  "the RTI library of process " + std::to_string(connection.pid) +
                      " uses layout version " + std::to_string(request.layout) +
                      " of the shared memory, this node version " + std::to_string(layoutVersion) +
                      "; use the library and the node (tutti-rti) of one version of Tutti");
  }
  if (!connection.index) {
    std::uint32_t index = 0;
    while (usedIndices_.contains(index)) ++index;
    host_.keepSpinning(usedIndices_);
    usedIndices_.insert(index);
    connection.index = index;
    connection.program = request.program;
    wasUsed_ = true;
    spdlog::info("process {} ({}) is connected", connection.pid, request.program);
  }
  HelloReply reply;
  reply.connection = *connection.index;
  reply.nodeName = options_.nodeName;
  return Body{toWire(reply), host_.descriptors(), 0};
}

Answer<Executive::Body> Executive::create(ConnectionId id, const CreateFederationRequest& request) {
  if (federations_.contains(request.federation)) {
    return refuse(Refusal::FederationExecutionAlreadyExists,
                  "federation execution " + quoted(request.federation) +
                      " exists already at this RTI node; join it, or destroy it first");
  }
  const std::string time =
      request.timeImplementation.empty() ? "HLAfloat64Time" : request.timeImplementation;
  const bool isRead = modelRead_ != nullptr && modelRead_->base == nullptr;
  auto model = isRead ? modelRead_->model : models_.create(request.modules, request.mim);
  if (!model) return tl::unexpected(model.error());
  if (!request.timeKnown && !isStandardTime(time)) {
    return refuse(Refusal::CouldNotCreateLogicalTimeFactory,
                  "logical time implementation " + quoted(time) +
                      " is unknown; use HLAfloat64Time or HLAinteger64Time, or link the "
                      "libfedtime1516e that makes it");
  }
  auto execution =
      FederationExecution::create(request.federation, time, std::move(*model), budget_);
  if (!execution) return tl::unexpected(execution.error());
  spdlog::info("'{}' is created by process {} with {}", request.federation, connections_.at(id).pid,
               time);
  Federation& federation = federations_[request.federation];
  federation.number = ++lastFederation_;
  federation.execution = std::move(*execution);
  if (options_.stopTime) federation.execution->limitTime(*options_.stopTime);
  if (options_.pace > 0) {
    federation.execution->keepPace(options_.pace, Clock::now());
    federation.paceLook = Clock::time_point{};
  }
  federation.holders.insert(id);
  return Body{};
}

Answer<Executive::Body> Executive::destroy(const FederationNameRequest& request) {
  settle();
  const auto found = federations_.find(request.federation);
  if (found == federations_.end()) return noSuchFederation(request.federation);
  if (found->second.execution->hasMembers()) {
    return refuse(Refusal::FederatesCurrentlyJoined,
                  "federation execution " + quoted(request.federation) +
                      " cannot be destroyed while federates are joined: " +
                      listed(found->second.execution->memberNames()) + "; they must resign first");
  }
  spdlog::info("'{}' is destroyed", request.federation);
  keepEnded(found->second);
  federations_.erase(found);
  return Body{};
}

Answer<Executive::Body> Executive::list() const {
  ListFederationsReply reply;
  for (const auto& [name, federation] : federations_) {
    reply.federations.push_back({name, federation.execution->timeImplementation()});
  }
  return Body{toWire(reply), {}, 0};
}

Answer<Executive::Body> Executive::join(ConnectionId id, const JoinRequest& request) {
  settle();
  Connection& connection = connections_.at(id);
  if (connection.federate != 0) {
    return refuse(Refusal::FederateAlreadyExecutionMember,
                  "this ambassador is already joined to federation execution " +
                      quoted(connection.federation) + "; resign first");
  }
  const auto found = federations_.find(request.federation);
  if (found == federations_.end()) return noSuchFederation(request.federation);
  FederationExecution& execution = *found->second.execution;
  auto reply = execution.join(
      request, {connection.pid, *connection.index, connection.remote, connection.host}, modelRead_);
  if (!reply) return tl::unexpected(reply.error());
  reply->execution = found->second.number;
  connection.federation = request.federation;
  connection.federate = reply->federate;
  found->second.holders.insert(id);
  found->second.emptySince.reset();
  if (execution.pace() > 0) found->second.paceLook = Clock::time_point{};
  nextReclaim_ = Clock::now() + reclaimInterval;
  spdlog::info("federate {} '{}' ({}) of process {} joins '{}'", reply->federate,
               reply->federateName, request.federateType, connection.pid, request.federation);
  return Body{toWire(*reply), execution.arena().descriptors(), execution.logTail()};
}

Answer<Executive::Body> Executive::resign(Connection& connection, const ResignRequest& request) {
  auto member = joined(connection);
  if (!member) return tl::unexpected(member.error());
  const std::string name = std::exchange(connection.federation, {});
  connection.federate = 0;
  const bool told = member->execution.resign(member->federate, request).has_value();
  spdlog::info("federate {} of process {} resigns from '{}'", member->federate, connection.pid,
               name);
  noteLeft(name, member->federate, ResignState::Resigned);
  if (!told) doom(name);
  nextReclaim_ = Clock::now() + reclaimInterval;
  noteEmpty(name);
  return Body{};
}

Answer<Executive::Body> Executive::observe(const FederationNameRequest& request) {
  const auto found = federations_.find(request.federation);
  if (found == federations_.end()) return noSuchFederation(request.federation);
  const ArenaAllocator& arena = found->second.execution->arena();
  ObserveReply reply;
  reply.arenaBytes = arena.size();
  reply.publishedBytes = arena.publishedBytes();
  return Body{toWire(reply), arena.readOnlyDescriptors(), 0};
}

Answer<Executive::Body> Executive::holdTime(ConnectionId id, const HoldTimeRequest& request) {
  const auto found = federations_.find(request.federation);
  if (found == federations_.end()) return noSuchFederation(request.federation);
  Federation& federation = found->second;
  const bool wasHeld = federation.execution->heldAt().has_value();
  if (request.held) {
    federation.timeHolder = id;
    federation.execution->holdTime(request.ceiling);
  } else {
    federation.timeHolder.reset();
    federation.execution->releaseTime();
    federation.paceLook = Clock::time_point{};
  }
  if (wasHeld != request.held) {
    spdlog::info("process {} {} '{}'", connections_.at(id).pid,
                 request.held ? "holds the time of" : "lets time go on in", request.federation);
  }
  return Body{};
}

StatusReply Executive::status() const {
  StatusReply status;
  status.nodeName = options_.nodeName;
  status.pid = ::getpid();
  status.requests = requests_;
  status.budgetBytes = budget_.total();
  status.committedBytes = budget_.used();
  status.connections = static_cast<std::uint32_t>(
      std::count_if(connections_.begin(), connections_.end(),
                    [](const auto& item) { return !item.second.management; }));
  for (const auto& [name, federation] : federations_) {
    status.federations.push_back(federation.execution->status());
    status.federations.back().execution = federation.number;
  }
  status.ended.assign(ended_.begin(), ended_.end());
  if (completeStatus_) completeStatus_(status);
  return status;
}

}  // namespace tutti::executive
