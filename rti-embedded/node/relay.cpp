// SPDX-License-Identifier: Apache-2.0
#include "node/relay.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <new>
#include <utility>

#include "node/home.h"

namespace tutti::node {

using router::LinkHead;
using router::linkMessage;
using router::LinkMessage;
using router::NumberBody;

namespace {

/// Numbers of barriers that were set here; those of the home are below.
constexpr std::uint64_t ownBarriers = std::uint64_t{1} << 63;

}  // namespace

Relay::CellId Relay::add(std::unique_ptr<pipes::Pipe> pipe) {
  cells_[++lastCell_].pipe = std::move(pipe);
  return lastCell_;
}

void Relay::send(CellId cell, std::span<const std::byte> message) {
  if (const auto found = cells_.find(cell); found != cells_.end())
    found->second.pipe->send(message);
}

void Relay::flush() {
  std::vector<CellId> failed;
  for (auto& [id, cell] : cells_) {
    const auto flushed = cell.pipe->flush();
    if (flushed) continue;
    spdlog::error("the connections of a federate that shares no memory end: {}",
                  flushed.error().text);
    failed.push_back(id);
  }
  for (const CellId id : failed) drop(id);
}

void Relay::ready(CellId id) {
  const auto found = cells_.find(id);
  if (found == cells_.end()) return;
  const auto received = found->second.pipe->receive([&](auto message) {
    if (!found->second.failed) take(id, message);
  });
  if (!received || found->second.failed) drop(id);
  release();
}

void Relay::drop(CellId id) {
  const auto found = cells_.find(id);
  const auto connections = std::move(found->second.connections);
  const auto executions = std::move(found->second.applied);
  cells_.erase(found);
  for (const auto& [execution, applied] : executions) {
    if (router::Router* router = owner_.routerOf(execution)) router->removeLink(id);
  }
  for (const auto& [theirs, connection] : connections) {
    forget(connection);
    owner_.closed(connection);
  }
  for (Held& held : held_) held.waitsFor.erase(id);
  for (std::size_t i = barriers_.size(); i-- > 0;) {
    const Barrier barrier = barriers_[i];
    passed(id, barrier.execution, barrier.number);
  }
  for (const auto& [execution, applied] : executions) owner_.caughtUp(execution);
}

void Relay::forget(ConnectionId connection) {
  connections_.erase(connection);
  std::erase_if(held_, [&](const Held& held) { return held.answer.connection == connection; });
  std::erase_if(barriers_, [&](const Barrier& one) { return one.asker == connection; });
}

// --- what comes of a cell ------------------------------------------------------------------------

void Relay::take(CellId id, std::span<const std::byte> message) {
  LinkHead head;
  if (!router::readLinkHead(message, head)) return;
  const auto body = message.subspan(router::linkHeadBytes);
  Cell& cell = cells_.at(id);
  const auto known = [&](std::uint64_t theirs) -> ConnectionId {
    const auto found = cell.connections.find(theirs);
    return found == cell.connections.end() ? 0 : found->second;
  };
  switch (head.kind) {
    case LinkMessage::ConnectionOpened: {
      router::ConnectionOpened opened;
      if (!fabric::fromWire(body, opened) || known(opened.connection) != 0) return;
      const ConnectionId connection = owner_.openedBehind(opened.pid, opened.program, opened.host);
      cell.connections[opened.connection] = connection;
      connections_[connection] = {id, opened.connection};
      return;
    }
    case LinkMessage::ConnectionClosed: {
      router::ConnectionClosed closed;
      if (!fabric::fromWire(body, closed)) return;
      const ConnectionId connection = known(closed.connection);
      if (connection == 0) return;
      cell.connections.erase(closed.connection);
      forget(connection);
      owner_.closed(connection);
      return;
    }
    case LinkMessage::RequestMade: {
      router::Forwarded request;
      if (!fabric::fromWire(body, request)) return;
      if (const ConnectionId connection = known(request.connection); connection != 0) {
        owner_.forward(connection, request.datagram);
      }
      return;
    }
    case LinkMessage::LogApplied: {
      NumberBody number;
      if (!fabric::fromWire(body, number)) return;
      cell.applied[head.execution] = number.number;
      for (Held& held : held_) {
        if (held.execution == head.execution && held.number <= number.number) {
          held.waitsFor.erase(id);
        }
      }
      owner_.caughtUp(head.execution);
      return;
    }
    case LinkMessage::BarrierPassed: {
      NumberBody number;
      if (fabric::fromWire(body, number)) passed(id, head.execution, number.number);
      return;
    }
    default:
      try {
        if (router::Router* router = owner_.routerOf(head.execution)) {
          if (router->take(id, head, message) || router->pretence().empty()) return;
          spdlog::error(
              "the connections of a federate that shares no memory end: {}; it writes where it "
              "must not: run it with a memory checker",
              router->pretence());
          cell.failed = true;
        }
      } catch (const std::bad_alloc&) {
        spdlog::error(
            "the connections of a federate that shares no memory end: the memory budget is used "
            "up, and nothing of what it sends can be kept; set TUTTI_MEMORY to more");
        cell.failed = true;
      }
      return;
  }
}

void Relay::passed(CellId cell, std::uint64_t execution, std::uint64_t number) {
  const auto found = std::find_if(barriers_.begin(), barriers_.end(), [&](const Barrier& one) {
    return one.execution == execution && one.number == number;
  });
  if (found == barriers_.end()) return;
  found->waitsFor.erase(cell);
  if (!found->waitsFor.empty()) return;
  const bool ofHome = found->asker == 0;
  barriers_.erase(found);
  if (ofHome) owner_.barrierPassed(execution, number);
}

// --- what comes of the home ----------------------------------------------------------------------

bool Relay::place(router::Router& router, const router::FederatePlaced& placed) {
  const auto found = connections_.find(placed.connection);
  if (found == connections_.end()) return false;
  const auto [id, theirs] = found->second;
  Cell& cell = cells_.at(id);
  const std::uint64_t number = router.number();
  if (!cell.applied.contains(number)) open(id, router, router.execution().replicaStart());
  router.place(placed.federate, id);
  send(id,
       linkMessage(LinkMessage::FederatePlaced, number,
                   router::FederatePlaced{placed.federate, theirs, placed.automaticResignAction}));
  return true;
}

void Relay::open(CellId id, router::Router& router, const executive::ReplicaStart& start) {
  const std::uint64_t number = router.number();
  cells_.at(id).applied[number] = start.logNumber;
  send(id, linkMessage(LinkMessage::ExecutionOpened, number, start));
  router.addLink(id);
  const auto& header = router.execution().arena().header();
  if (const auto active = header.ceilingActive.load(std::memory_order_acquire); active != 0) {
    send(id,
         linkMessage(LinkMessage::CeilingChanged, number,
                     router::CeilingChanged{header.ceiling.load(std::memory_order_acquire), active,
                                            header.pace.load(std::memory_order_relaxed)}));
  }
}

void Relay::openRestored(router::Router& router,
                         std::span<const executive::ReturningFederate> behind) {
  std::map<CellId, std::vector<executive::ReturningFederate>> returning;
  for (const auto& one : behind) {
    const auto found = connections_.find(one.connection);
    if (found == connections_.end()) continue;  // it has died meanwhile: its end is on the way
    const auto [id, theirs] = found->second;
    returning[id].push_back({one.federate, theirs});
    router.place(one.federate, id);
  }
  if (returning.empty()) return;
  executive::ReplicaStart start = router.execution().restoredStart();
  for (auto& [id, ofCell] : returning) {
    start.returning = std::move(ofCell);
    open(id, router, start);
  }
}

bool Relay::prepareJoin(std::uint64_t execution, const router::JoinPrepared& prepared) {
  const auto found = connections_.find(prepared.connection);
  if (found == connections_.end()) return false;
  router::JoinPrepared theirs = prepared;
  theirs.connection = found->second.theirs;
  send(found->second.cell, linkMessage(LinkMessage::JoinPrepared, execution, theirs));
  return true;
}

void Relay::passOn(std::uint64_t execution, std::span<const std::byte> message) {
  for (auto& [id, cell] : cells_) {
    if (cell.applied.contains(execution)) cell.pipe->send(message);
  }
}

void Relay::executionClosed(std::uint64_t execution) {
  passOn(execution, linkMessage(LinkMessage::ExecutionClosed, execution));
  for (auto& [id, cell] : cells_) cell.applied.erase(execution);
  std::erase_if(barriers_, [&](const Barrier& one) { return one.execution == execution; });
  for (Held& held : held_) {
    if (held.execution == execution) held.waitsFor.clear();
  }
  release();
}

// --- waiting -------------------------------------------------------------------------------------

std::optional<fabric::LogNumber> Relay::applied(std::uint64_t execution) const {
  std::optional<fabric::LogNumber> result;
  for (const auto& [id, cell] : cells_) {
    const auto found = cell.applied.find(execution);
    if (found != cell.applied.end() && (!result || found->second < *result)) {
      result = found->second;
    }
  }
  return result;
}

std::set<Relay::CellId> Relay::othersWith(std::uint64_t execution, ConnectionId asker) const {
  const auto own = connections_.find(asker);
  std::set<CellId> result;
  for (const auto& [id, cell] : cells_) {
    const bool asks = own != connections_.end() && own->second.cell == id;
    if (cell.applied.contains(execution) && !asks) result.insert(id);
  }
  return result;
}

bool Relay::setBarrier(std::uint64_t execution, std::uint64_t number) {
  Barrier barrier{execution, number, 0, othersWith(execution, 0)};
  if (barrier.waitsFor.empty()) return false;
  passOn(execution, linkMessage(LinkMessage::BarrierSet, execution, NumberBody{number}));
  barriers_.push_back(std::move(barrier));
  return true;
}

void Relay::confirm(ConnectionId connection, std::uint64_t execution) {
  Barrier barrier{execution, ownBarriers + ++lastBarrier_, connection,
                  othersWith(execution, connection)};
  if (barrier.waitsFor.empty()) return;
  for (const CellId id : barrier.waitsFor) {
    send(id, linkMessage(LinkMessage::BarrierSet, execution, NumberBody{barrier.number}));
  }
  barriers_.push_back(std::move(barrier));
}

bool Relay::holds(const router::Forwarded& answer, std::uint64_t execution,
                  fabric::LogNumber tail) {
  Held held{answer, execution, tail, {}};
  for (const CellId id : othersWith(execution, answer.connection)) {
    if (cells_.at(id).applied.at(execution) < tail) held.waitsFor.insert(id);
  }
  const bool waits = !held.waitsFor.empty() ||
                     std::any_of(barriers_.begin(), barriers_.end(), [&](const Barrier& one) {
                       return one.asker == answer.connection;
                     });
  if (!waits) return false;
  held.charge = pipes::Charge(memory_);
  if (held.charge.add(heldAnswerBytes(answer.datagram))) {
    held_.push_back(std::move(held));
  } else {
    owner_.answered({answer.connection, noRoomToHold(answer.datagram), true});
  }
  return true;
}

void Relay::release() {
  for (;;) {
    const auto ready = std::find_if(held_.begin(), held_.end(), [&](const Held& held) {
      return held.waitsFor.empty() &&
             std::none_of(barriers_.begin(), barriers_.end(),
                          [&](const Barrier& one) { return one.asker == held.answer.connection; });
    });
    if (ready == held_.end()) return;
    const router::Forwarded answer = std::move(ready->answer);
    held_.erase(ready);
    owner_.answered(answer);
  }
}

bool Relay::answer(const router::Forwarded& answer) {
  const auto found = connections_.find(answer.connection);
  if (found == connections_.end()) return false;
  const auto [id, theirs] = found->second;
  send(id, linkMessage(LinkMessage::RequestAnswered, 0,
                       router::Forwarded{theirs, answer.datagram, answer.close}));
  if (answer.close) {
    cells_.at(id).connections.erase(theirs);
    forget(answer.connection);
  }
  return true;
}

}  // namespace tutti::node
