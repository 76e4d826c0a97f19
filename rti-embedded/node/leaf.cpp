// SPDX-License-Identifier: Apache-2.0
#include "node/leaf.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <new>
#include <type_traits>
#include <utility>

#include "fabric/host_name.h"

namespace tutti::node {

using executive::Answer;
using executive::FederationExecution;
using fabric::Bytes;
using fabric::FederateNumber;
using fabric::LogRecordType;
using fabric::Refusal;
using fabric::Request;
using fabric::RequestHead;
using router::LinkHead;
using router::linkMessage;
using router::LinkMessage;
using router::NumberBody;

namespace {

constexpr std::chrono::milliseconds figuresInterval{200};
constexpr router::Router::LinkId toHome = 0;
using router::firstBehind;

}  // namespace

Leaf::Leaf(executive::Executive& executive, std::unique_ptr<pipes::Pipe> pipe,
           NodeServices services)
    : executive_(executive),
      pipe_(std::move(pipe)),
      services_(std::move(services)),
      lastBehind_(firstBehind),
      relay_(*this, services_.memory),
      charge_(services_.memory) {
  services_.watch(pipe_->descriptor(), services_.firstPipe);
  spdlog::info("linked to the RTI node '{}' at {}", pipe_->peer()->node, pipe_->remoteName());
}

void Leaf::useDatagrams(router::BestEffort& bestEffort) {
  bestEffort_ = &bestEffort;
  bestEffort.onSend([this](std::uint64_t, auto message) { send(message); }, false);
  bestEffort.onAnswers([this](router::BestEffort::NodeId node) {
    if (node != router::BestEffort::home) return mesh_ != nullptr && mesh_->reaches(node);
    const auto session = pipe_->session();
    return session && !session->suspectSince;
  });
  const pipes::Greeting& home = *pipe_->peer();
  auto where = pipe_->remoteAddress();
  if (!where || home.datagramPort == 0) return;
  where->setPort(home.datagramPort);
  bestEffort.introduceHome(*where, home.token);
}

void Leaf::lookForCongestion() {
  for (auto& [number, replica] : replicas_) {
    replica.again = replica.router->lookForCongestion() || replica.again;
  }
  relay_.flush();
}

void Leaf::fail(const std::string& why) {
  if (failure_.empty()) failure_ = why;
}

void Leaf::flush() {
  if (!failure_.empty()) return;
  if (bestEffort_ != nullptr) bestEffort_->flush();
  if (mesh_ != nullptr) mesh_->flush();
  relay_.flush();
  if (auto flushed = pipe_->flush(); !flushed) return fail(flushed.error().text);
  const bool writes = pipe_->wantsWrite();
  if (writes == writes_) return;
  writes_ = writes;
  services_.watchWrites(pipe_->descriptor(), services_.firstPipe, writes);
}

void Leaf::tick(pipes::Clock::time_point now) {
  if (!failure_.empty()) return;
  if (auto ticked = pipe_->tick(now); !ticked) return fail(ticked.error().text);
  if (const auto news = watch_.look(*pipe_, now)) {
    spdlog::log(news->suspect ? spdlog::level::warn : spdlog::level::info, news->text);
  }
  if (now >= nextFigures_) {
    nextFigures_ = now + figuresInterval;
    for (auto& [number, replica] : replicas_) {
      replica.router->sendFigures();
      if (replica.execution->hasLeftovers()) replica.execution->reclaim();
    }
    endDamaged();
  }
  if (bestEffort_ != nullptr) {
    if (const auto session = pipe_->session())
      bestEffort_->setGrace(session->grace - session->longestWait, session->longestWait);
    bestEffort_->tick(now);
  }
  if (mesh_ != nullptr) {
    tickMesh(now);
    proceed();
  }
  tellHome(now);
  finishTurn();
}

/// What a federate has written wrongly costs the federates here that are in its execution.
void Leaf::endDamaged() {
  std::vector<ConnectionId> ending;
  for (auto& [number, replica] : replicas_) {
    const std::string damage = replica.router->damage();
    if (damage.empty()) continue;
    for (const auto& [id, connection] : connections_) {
      if (connection.execution == number && connection.federate != 0 && id < firstBehind) {
        ending.push_back(id);
      }
    }
    if (ending.empty()) continue;
    spdlog::error(
        "the federates of '{}' on this host lose their connections: its shared memory is damaged: "
        "{}; one of them writes where it must not: run them with a memory checker",
        replica.execution->name(), damage);
  }
  for (const ConnectionId id : ending) services_.answer(id, {}, {}, true);
}

bool Leaf::hasUndelivered() const {
  return failure_.empty() &&
         (pipe_->queuedBytes() != 0 || (mesh_ != nullptr && mesh_->hasUndelivered()));
}

std::optional<std::chrono::milliseconds> Leaf::nextLook() const {
  const bool again = std::any_of(replicas_.begin(), replicas_.end(),
                                 [](const auto& item) { return item.second.again; });
  return again ? std::chrono::milliseconds(1) : std::chrono::milliseconds(100);
}

std::size_t Leaf::room() const {
  const std::size_t room = roomIn(pipe_->queuedBytes(), 1, services_.memory);
  if (mesh_ == nullptr) return room;
  return std::min(room, roomIn(mesh_->queuedBytes(), mesh_->peers(), services_.memory));
}

void Leaf::pump(Replica& replica) {
  const std::uint32_t doorbell = replica.watch->doorbell();
  const std::size_t most = room();
  const bool crowded = most == 0;
  const bool all = crowded || replica.router->pump(most);
  replica.again = replica.router->lookForCongestion() || !all || crowded;
  replica.watch->rearm(doorbell);
}

/// Until nothing is left: what is said next has to come behind it.
void Leaf::pumpAll(Replica& replica) {
  constexpr int limit = 256;
  for (int i = 0; i < limit && !replica.router->pump(); ++i) {
  }
}

void Leaf::route() {
  for (auto& [number, replica] : replicas_) pump(replica);
  flush();
}

// --- this host's federates -----------------------------------------------------------------------

void Leaf::request(ConnectionId connection, std::int32_t pid, std::span<const std::byte> datagram) {
  RequestHead head;
  fabric::WireReader reader(datagram);
  reader(head);
  const bool here = reader.failed() || head.version != fabric::protocolVersion ||
                    head.request == Request::Hello || head.request == Request::Stop;
  if (here) {
    const auto answer = executive_.answer(connection, datagram);
    fabric::HelloRequest hello;
    if (!answer.close && !reader.failed() && head.request == Request::Hello &&
        fabric::fromWire(datagram.subspan(fabric::toWire(head).size()), hello) &&
        !connections_.contains(connection)) {
      connections_[connection].pid = pid;
      send(linkMessage(
          LinkMessage::ConnectionOpened, 0,
          router::ConnectionOpened{connection, pid, hello.program, fabric::hostName()}));
    }
    services_.answer(connection, answer.bytes, answer.descriptors, answer.close);
    return flush();
  }
  if (head.request == Request::Status) return status(connection, datagram);
  if (head.request == Request::OperateLink) return operateLink(connection, pid, datagram);
  const auto body = datagram.subspan(fabric::toWire(head).size());
  if (head.request == Request::Observe) return observe(connection, head, body);
  const auto found = connections_.find(connection);
  if (found == connections_.end()) {
    const auto refused = executive_.answer(connection, datagram);  // there was no Hello
    return services_.answer(connection, refused.bytes, refused.descriptors, refused.close);
  }
  if (head.request == Request::OpenRing || head.request == Request::Allocate ||
      head.request == Request::Free) {
    return serveHere(connection, head, body);
  }
  found->second.returning = head.request == Request::EnterRestored;
  if (found->second.federate == 0 && head.request == Request::Confirm) {
    for (auto& [number, one] : replicas_) pumpAll(one);
  }
  forward(connection, datagram);
}

void Leaf::forward(ConnectionId connection, std::span<const std::byte> datagram) {
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return;
  const auto replica = replicas_.find(found->second.execution);
  if (found->second.federate != 0 && replica != replicas_.end()) {
    pumpAll(replica->second);
    RequestHead head;
    fabric::WireReader reader(datagram);
    reader(head);
    if (head.request == Request::Confirm) {
      relay_.confirm(connection, found->second.execution);
    }
  }
  found->second.waits = true;
  send(linkMessage(LinkMessage::RequestMade, 0,
                   router::Forwarded{connection, {datagram.begin(), datagram.end()}, false}));
  flush();
}

template <class Result>
void Leaf::reply(ConnectionId connection, const RequestHead& head, const Result& result,
                 fabric::LogNumber tail) {
  fabric::ReplyHead replyHead;
  replyHead.number = head.number;
  replyHead.logTail = tail;
  Bytes bytes;
  if (!result) {
    replyHead.refusal = result.error().refusal;
    replyHead.message = result.error().message;
  }
  fabric::WireWriter writer(bytes);
  writer(replyHead);
  if constexpr (!std::is_void_v<typename Result::value_type>) {
    if (result) writer(*result);
  }
  services_.answer(connection, bytes, {}, false);
}

void Leaf::serveHere(ConnectionId connection, const RequestHead& head,
                     std::span<const std::byte> body) {
  const Connection& asker = connections_.at(connection);
  const auto found = replicas_.find(asker.execution);
  if (asker.federate == 0 || found == replicas_.end()) {
    return reply(
        connection, head,
        Answer<void>(executive::refuse(Refusal::FederateNotExecutionMember,
                                       "this connection has not joined a federation execution")),
        0);
  }
  FederationExecution& execution = *found->second.execution;
  const fabric::LogNumber tail = execution.logTail();
  const auto malformed = [&] {
    reply(connection, head,
          Answer<void>(executive::refuse(Refusal::Internal, "the request is malformed")), tail);
  };
  if (head.request == Request::OpenRing) {
    fabric::OpenRingRequest request;
    if (!fabric::fromWire(body, request)) return malformed();
    reply(connection, head, execution.openRing(asker.federate, request), tail);
  } else if (head.request == Request::Allocate) {
    fabric::AllocateRequest request;
    if (!fabric::fromWire(body, request)) return malformed();
    reply(connection, head, execution.allocate(asker.federate, request), tail);
  } else {
    fabric::FreeRequest request;
    if (!fabric::fromWire(body, request)) return malformed();
    reply(connection, head, execution.free(asker.federate, request), tail);
  }
}

void Leaf::status(ConnectionId connection, std::span<const std::byte> datagram) {
  auto answer = executive_.answer(connection, datagram);
  fabric::ReplyHead head;
  fabric::StatusReply status;
  fabric::WireReader reader(answer.bytes);
  reader(head, status);
  if (!reader.failed() && head.refusal == Refusal::None) {
    for (const auto& [number, replica] : replicas_) {
      status.federations.push_back(replica.execution->status());
      status.federations.back().execution = number;
    }
    answer.bytes = fabric::toWire(head);
    fabric::WireWriter writer(answer.bytes);
    writer(status, describeLink(status), describeNeighbours(status.nodeName));
  }
  services_.answer(connection, answer.bytes, answer.descriptors, answer.close);
}

/// The link to the home: only that it is given up can be asked for, since this side waits for as
/// long as the home might anyway.
void Leaf::operateLink(ConnectionId connection, std::int32_t pid,
                       std::span<const std::byte> datagram) {
  const auto asked = operateLinkOf(datagram);
  if (!asked) return;
  const auto& [head, request] = *asked;
  const auto refused = [&](const std::string& why) {
    services_.answer(connection, answerTo(head, Refusal::Internal, why), {}, false);
  };
  if (request.node != pipe_->remoteName()) {
    return refused("this node has no link to " + request.node + "; ask at the home, " +
                   pipe_->remoteName());
  }
  if (auto ticked = pipe_->tick(pipes::Clock::now()); !ticked) {
    refused(ticked.error().text);
    return fail(ticked.error().text);
  }
  if (const std::string why = whyNotOperate(*pipe_, request); !why.empty()) return refused(why);
  const auto status = linkStatusOf(*pipe_, pipes::Clock::now());
  if (!request.giveUp && status) {
    return services_.answer(connection, answerToOperateLink(head, {0, status->leftMilliseconds}),
                            {}, false);
  }
  services_.answer(connection, answerToOperateLink(head, {}), {}, false);
  fail("process " + std::to_string(pid) + " has given up the home at " + pipe_->remoteName());
}

std::vector<fabric::LinkStatus> Leaf::describeLink(const fabric::StatusReply& status) const {
  auto one = linkStatusOf(*pipe_, pipes::Clock::now());
  if (!one) return {};
  one->toHome = true;
  one->keptLimitBytes = roomIn(0, 1, services_.memory);
  if (const auto where = pipe_->remoteAddress()) one->listenPort = where->port();
  addTraffic(*one, bestEffort_, router::BestEffort::home);
  for (const auto& [id, connection] : connections_) {
    const auto replica = replicas_.find(connection.execution);
    const std::string name =
        connection.federate == 0 || replica == replicas_.end()
            ? "process " + std::to_string(connection.pid)
            : memberText(status, replica->second.execution->name(), connection.federate);
    if (connection.federate != 0) one->federates.push_back(name);
    if (connection.waits) one->waiting.push_back(name);
  }
  return {std::move(*one)};
}

void Leaf::observe(ConnectionId connection, const RequestHead& head,
                   std::span<const std::byte> body) {
  fabric::FederationNameRequest request;
  if (fabric::fromWire(body, request)) {
    for (const auto& [number, replica] : replicas_) {
      if (replica.execution->name() != request.federation) continue;
      const auto& arena = replica.execution->arena();
      fabric::ReplyHead replyHead;
      replyHead.number = head.number;
      Bytes bytes;
      fabric::WireWriter writer(bytes);
      writer(replyHead, fabric::ObserveReply{arena.size(), arena.publishedBytes()});
      return services_.answer(connection, bytes, arena.readOnlyDescriptors(), false);
    }
  }
  reply(
      connection, head,
      Answer<void>(executive::refuse(Refusal::FederationExecutionDoesNotExist,
                                     "no federate of this host has joined '" + request.federation +
                                         "'; observe it at its home, " + pipe_->remoteName())),
      0);
}

void Leaf::closed(ConnectionId connection) {
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return;
  const auto replica = replicas_.find(found->second.execution);
  if (found->second.federate != 0 && replica != replicas_.end() && connection < firstBehind) {
    // Its last data first, wherever it was cut off.
    replica->second.execution->announce(found->second.federate);
    pumpAll(replica->second);
  }
  connections_.erase(found);
  send(linkMessage(LinkMessage::ConnectionClosed, 0, router::ConnectionClosed{connection}));
  flush();
}

// --- cells ---------------------------------------------------------------------------------------

std::uint64_t Leaf::addCell(std::unique_ptr<pipes::Pipe> pipe) {
  return services_.firstPipe + relay_.add(std::move(pipe));
}

Leaf::ConnectionId Leaf::openedBehind(std::int32_t pid, const std::string& program,
                                      const std::string& host) {
  const ConnectionId connection = ++lastBehind_;
  connections_[connection].pid = pid;
  send(linkMessage(LinkMessage::ConnectionOpened, 0,
                   router::ConnectionOpened{connection, pid, program, host}));
  return connection;
}

router::Router* Leaf::routerOf(std::uint64_t execution) {
  const auto found = replicas_.find(execution);
  return found == replicas_.end() ? nullptr : found->second.router.get();
}

void Leaf::caughtUp(std::uint64_t execution) {
  const auto found = replicas_.find(execution);
  if (found != replicas_.end()) acknowledge(execution, found->second);
}

void Leaf::barrierPassed(std::uint64_t execution, std::uint64_t barrier) {
  const auto found = replicas_.find(execution);
  if (found == replicas_.end()) return;
  pumpAll(found->second);
  send(linkMessage(LinkMessage::BarrierPassed, execution, NumberBody{barrier}));
}

// --- the home ------------------------------------------------------------------------------------

void Leaf::ready(std::uint64_t pipe) {
  if (!failure_.empty()) return;
  if (pipe == services_.firstPipe) {
    receive();
  } else {
    relay_.ready(pipe - services_.firstPipe);
  }
  finishTurn();
}

void Leaf::finishTurn() {
  for (auto& [number, replica] : replicas_) {
    replica.again = replica.router->lookForCongestion() || replica.again;
    acknowledge(number, replica);
  }
  flush();
}

void Leaf::receive() {
  const auto received = pipe_->receive([this](auto message) { arrive(message); });
  if (!received) fail(received.error().text);
  proceed();
}

/// Tells the home up to where the log has come, here and at all cells.
void Leaf::acknowledge(std::uint64_t number, Replica& replica) {
  fabric::LogNumber tail = replica.execution->logTail();
  if (const auto cells = relay_.applied(number)) tail = std::min(tail, *cells);
  if (replica.told >= tail) return;
  replica.told = tail;
  pumpAll(replica);
  send(linkMessage(LinkMessage::LogApplied, number, NumberBody{tail}));
}

void Leaf::take(std::span<const std::byte> message) try {
  const auto garbage = [&] { fail("the RTI node at " + pipe_->remoteName() + " sent garbage"); };
  LinkHead head;
  if (!router::readLinkHead(message, head)) return garbage();
  const auto body = message.subspan(router::linkHeadBytes);
  if (head.kind == LinkMessage::RequestAnswered) {
    router::Forwarded forwarded;
    if (!fabric::fromWire(body, forwarded)) return garbage();
    const auto asker = connections_.find(forwarded.connection);
    if (asker == connections_.end()) return;
    const auto replica = replicas_.find(asker->second.execution);
    if (replica != replicas_.end()) {
      // The answer to one behind this node comes behind what federates of this host told before
      // they could know of the change that it answers.
      if (forwarded.connection >= firstBehind) pumpAll(replica->second);
      if (relay_.holds(forwarded, replica->first, replica->second.execution->logTail())) return;
    }
    return answered(forwarded);
  }
  if (head.kind == LinkMessage::ExecutionOpened) {
    if (!openReplica(head, body)) garbage();
    return;
  }
  if (head.kind == LinkMessage::ExecutionClosed) {
    relay_.executionClosed(head.execution);
    if (bestEffort_ != nullptr) bestEffort_->detach(head.execution);
    if (mesh_ != nullptr) mesh_->forget(head.execution);
    closed_.insert(head.execution);
    replicas_.erase(head.execution);
    for (auto& [id, connection] : connections_) {
      if (connection.execution == head.execution) connection.execution = connection.federate = 0;
    }
    return;
  }
  if (head.kind == LinkMessage::MessagesKnown) return;  // what it names has been taken
  if (head.kind == LinkMessage::FederateAt && mesh_ != nullptr) {
    router::FederateAt place;
    if (fabric::fromWire(body, place)) mesh_->place(head.execution, place.federate, place.node);
    if (bestEffort_ == nullptr) return;
  }
  if (bestEffort_ != nullptr && bestEffort_->take(toHome, head, message)) return;
  if (!takeForReplica(head, message)) garbage();
} catch (const std::bad_alloc&) {
  failNoMemory();
}

bool Leaf::openReplica(const LinkHead& head, std::span<const std::byte> body) {
  executive::ReplicaStart start;
  if (!fabric::fromWire(body, start)) return false;
  const auto ofCells = std::stable_partition(
      start.returning.begin(), start.returning.end(),
      [](const executive::ReturningFederate& one) { return one.connection < firstBehind; });
  const std::vector<executive::ReturningFederate> behind(ofCells, start.returning.end());
  start.returning.erase(ofCells, start.returning.end());
  auto execution = FederationExecution::replica(start, executive_.budget());
  if (!execution) {
    fail("'" + start.name + "' cannot be shown here: " + execution.error().message);
    return true;
  }
  Replica replica;
  replica.execution = std::move(*execution);
  replica.told = start.logNumber;
  replica.router = std::make_unique<router::Router>(
      *replica.execution, head.execution, [this](router::Router::LinkId link, auto message) {
        link == toHome ? send(message) : relay_.send(link, message);
      });
  if (mesh_ != nullptr) {
    replica.router->sendStraight(
        [this, own = replica.router.get()](FederateNumber sender, std::span<const std::byte> record,
                                           std::vector<FederateNumber>& receivers) {
          mesh_->send(*own, sender, record, receivers);
        });
  }
  replica.router->addLink(toHome);
  for (const auto& member : start.members) {
    const auto here = std::find_if(
        start.returning.begin(), start.returning.end(),
        [&](const executive::ReturningFederate& one) { return one.federate == member.federate; });
    if (here == start.returning.end()) {
      replica.router->place(member.federate, toHome);
      continue;
    }
    comesBack(*here, head.execution);
  }
  for (const auto& one : behind) comesBack(one, head.execution);
  auto watch = router::RingWatch::make(*replica.execution, services_.routerEvents);
  if (!watch) {
    fail(watch.error());
    return true;
  }
  replica.watch = std::move(*watch);
  spdlog::info("'{}' has a replica here, from record {} of its log", start.name, start.logNumber);
  auto& kept = replicas_.insert_or_assign(head.execution, std::move(replica)).first->second;
  if (bestEffort_ != nullptr) bestEffort_->attach(*kept.router);
  relay_.openRestored(*kept.router, behind);
  pump(kept);
  return true;
}

/// One that has died meanwhile is as good as any: its end is on the way.
void Leaf::comesBack(const executive::ReturningFederate& federate, std::uint64_t execution) {
  const auto connection = connections_.find(federate.connection);
  if (connection == connections_.end()) return;
  connection->second.execution = execution;
  connection->second.federate = federate.federate;
}

bool Leaf::takeForReplica(const LinkHead& head, std::span<const std::byte> message) {
  const auto found = replicas_.find(head.execution);
  if (found == replicas_.end()) return false;
  Replica& replica = found->second;
  const auto body = message.subspan(router::linkHeadBytes);
  switch (head.kind) {
    case LinkMessage::FederatePlaced: {
      router::FederatePlaced placed;
      if (!fabric::fromWire(body, placed)) return false;
      replica.placed[placed.federate] = placed;
      if (placed.connection < firstBehind) return true;
      pumpAll(replica);
      relay_.place(*replica.router, placed);
      return true;
    }
    case LinkMessage::LogRecordAppended: {
      router::LogRecordAppended record;
      if (!fabric::fromWire(body, record) || record.number != replica.execution->logTail() + 1) {
        return false;
      }
      if (!applyRecord(replica, record)) return false;
      relay_.passOn(head.execution, message);
      return true;
    }
    case LinkMessage::ModelReplaced: {
      router::ModelReplaced model;
      if (!fabric::fromWire(body, model)) return false;
      if (auto done = replica.execution->replicateModel(model.compact); !done) {
        fail(done.error().message);
      }
      relay_.passOn(head.execution, message);
      return true;
    }
    case LinkMessage::JoinPrepared: {
      router::JoinPrepared prepared;
      if (!fabric::fromWire(body, prepared)) return false;
      const auto connection = connections_.find(prepared.connection);
      if (connection == connections_.end()) return true;  // it has just died
      if (relay_.prepareJoin(head.execution, prepared)) {
        connection->second.execution = head.execution;
        connection->second.federate = prepared.reply.federate;
        return true;
      }
      auto joined = replica.execution->replicatedJoin(prepared.reply, prepared.snapshot);
      if (!joined) {
        fail(joined.error().message);
        return true;
      }
      connection->second.execution = head.execution;
      connection->second.federate = joined->federate;
      connection->second.joining = std::move(*joined);
      return true;
    }
    case LinkMessage::RowFreed: {
      router::RowFreed row;
      if (!fabric::fromWire(body, row)) return false;
      replica.execution->replicateFreedRow(row.instance, row.row);
      relay_.passOn(head.execution, message);
      return true;
    }
    case LinkMessage::TablePlaced: {
      router::TablePlaced table;
      if (!fabric::fromWire(body, table)) return false;
      auto placed = replica.execution->replicateTable(table.federate, table.instances);
      if (!placed) fail(placed.error().message);
      relay_.passOn(head.execution, message);
      return true;
    }
    case LinkMessage::CeilingChanged: {
      router::CeilingChanged ceiling;
      if (!fabric::fromWire(body, ceiling)) return false;
      replica.execution->replicateCeiling(ceiling.ceiling, ceiling.active, ceiling.pace);
      relay_.passOn(head.execution, message);
      return true;
    }
    case LinkMessage::BarrierSet: {
      NumberBody barrier;
      if (!fabric::fromWire(body, barrier)) return false;
      pumpAll(replica);
      if (!relay_.setBarrier(head.execution, barrier.number)) {
        send(linkMessage(LinkMessage::BarrierPassed, head.execution, barrier));
      }
      return true;
    }
    default:
      return replica.router->take(toHome, head, message);
  }
}

bool Leaf::applyRecord(Replica& replica, const router::LogRecordAppended& record) {
  FederationExecution& execution = *replica.execution;
  const auto type = static_cast<LogRecordType>(record.type);
  Answer<void> done;
  if (type == LogRecordType::FederateJoined) {
    fabric::FederateJoinedRecord joined;
    if (!fabric::fromWire(record.body, joined)) return false;
    const auto placed = replica.placed.find(joined.federate);
    const bool isPlaced = placed != replica.placed.end();
    const bool here = isPlaced && placed->second.connection < firstBehind;
    executive::Joiner joiner;
    if (here) {
      // One that has died meanwhile is as good as any: its end is on the way.
      const auto connection = connections_.find(placed->second.connection);
      if (connection != connections_.end()) joiner.pid = connection->second.pid;
      joiner.connection = fabric::SpinPage::spinWords * 64;
    } else if (!isPlaced) {
      replica.router->place(joined.federate, toHome);
    }
    done = execution.replicateJoined(joined, here ? &joiner : nullptr,
                                     here ? placed->second.automaticResignAction : 0);
  } else if (type == LogRecordType::FederateResigned) {
    fabric::FederateResignedRecord resigned;
    if (!fabric::fromWire(record.body, resigned)) return false;
    replica.placed.erase(resigned.federate);
    for (auto& [id, connection] : connections_) {
      if (connection.execution == replica.router->number() &&
          connection.federate == resigned.federate) {
        connection.federate = 0;
        connection.execution = 0;
      }
    }
    done = execution.replicateResigned(resigned);
    if (done) replica.router->left(resigned.federate, record.number);
  } else {
    done = execution.replicateRecord(type, record.body);
  }
  if (!done) fail(done.error().message);
  return true;
}

void Leaf::answered(const router::Forwarded& forwarded) {
  const auto found = connections_.find(forwarded.connection);
  if (found == connections_.end()) return;
  found->second.waits = false;
  if (relay_.answer(forwarded)) {
    if (forwarded.close) connections_.erase(found);
    return;
  }
  Connection& asker = found->second;
  if (std::exchange(asker.returning, false)) return returned(forwarded, asker);
  if (!asker.joining) {
    return services_.answer(forwarded.connection, forwarded.datagram, {}, forwarded.close);
  }
  const fabric::JoinReply joined = std::move(*asker.joining);
  asker.joining.reset();
  const auto replica = replicas_.find(asker.execution);
  fabric::ReplyHead head;
  fabric::WireReader reader(forwarded.datagram);
  reader(head);
  if (reader.failed() || replica == replicas_.end()) {
    return services_.answer(forwarded.connection, {}, {}, true);
  }
  Bytes bytes = fabric::toWire(head);
  fabric::WireWriter writer(bytes);
  writer(joined);
  services_.answer(forwarded.connection, bytes, replica->second.execution->arena().descriptors(),
                   forwarded.close);
}

void Leaf::returned(const router::Forwarded& forwarded, Connection& asker) {
  fabric::ReplyHead head;
  fabric::EnterRestoredReply entered;
  fabric::WireReader reader(forwarded.datagram);
  reader(head);
  if (!reader.failed() && head.refusal == Refusal::None) reader(entered);
  if (reader.failed() || head.refusal != Refusal::None) {
    return services_.answer(forwarded.connection, forwarded.datagram, {}, forwarded.close);
  }
  const auto replica = replicas_.find(asker.execution);
  if (replica == replicas_.end()) return services_.answer(forwarded.connection, {}, {}, true);
  FederationExecution& execution = *replica->second.execution;
  auto join = execution.replicatedReturn(entered.join);
  if (!join) return fail(join.error().message);
  entered.join = std::move(*join);
  Bytes bytes = fabric::toWire(head);
  fabric::WireWriter writer(bytes);
  writer(entered);
  services_.answer(forwarded.connection, bytes, execution.arena().descriptors(), forwarded.close);
}

}  // namespace tutti::node
