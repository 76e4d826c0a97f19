// SPDX-License-Identifier: Apache-2.0
// Federates that share memory with nobody but this node, so that it, or its home, routes all that
// they send: the federated and the centralized architecture.
#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <utility>

#include "node/node.h"
#include "pipes/local_pipe.h"

namespace tutti::node {

using fabric::Architecture;
using fabric::Request;

namespace {

/// The architecture that a Hello asks for.
Architecture architectureOf(std::span<const std::byte> datagram) {
  fabric::RequestHead head;
  fabric::HelloRequest hello;
  fabric::WireReader reader(datagram);
  reader(head);
  if (reader.failed() || head.version != fabric::protocolVersion ||
      head.request != Request::Hello) {
    return Architecture::Decentralized;
  }
  reader(hello);
  return reader.failed() ? Architecture::Decentralized : hello.architecture;
}

bool isForTheNode(std::span<const std::byte> datagram) {
  fabric::RequestHead head;
  fabric::WireReader reader(datagram);
  reader(head);
  return head.request == Request::Status || head.request == Request::Observe;
}

}  // namespace

tl::expected<Leaf*, std::string> Node::linkedFor(Id id, std::span<const std::byte> datagram) {
  if (architectureOf(datagram) != Architecture::Decentralized && !cells_.contains(id)) {
    if (auto made = makeLocalCell(id); !made) return tl::unexpected(made.error());
  }
  const auto found = cells_.find(id);
  return found != cells_.end() && !isForTheNode(datagram) ? found->second.leaf.get() : leaf_.get();
}

tl::expected<void, std::string> Node::makeLocalCell(Id id) {
  if (!leaf_) {
    if (auto opened = openHome(); !opened) return opened;
  }
  auto [here, there] = pipes::LocalPipe::pair(greeting(), &memory_);
  here->onArrival([this, id] { arrivals_.push_back(firstCellId + 2 * id); });
  pipes::LocalPipe& far = *there;
  const Id farId = leaf_ ? leaf_->addCell(std::move(there)) : home_->add(std::move(there));
  far.onArrival([this, farId] { arrivals_.push_back(farId); });
  return makeCell(id, std::move(here));
}

tl::expected<void, std::string> Node::makeCell(Id id, std::unique_ptr<pipes::Pipe> pipe) {
  auto events = router::RingWatch::events();
  if (!events) return tl::unexpected(events.error());
  NodeServices cellServices = services();
  cellServices.firstPipe = firstCellId + 2 * id;
  cellServices.routerEvents = events->get();
  watch(events->get(), firstCellId + 2 * id + 1);
  Cell& cell = cells_[id];
  cell.routerEvents = std::move(*events);
  cell.leaf = std::make_unique<Leaf>(executive_, std::move(pipe), std::move(cellServices));
  return {};
}

// --- links of their own --------------------------------------------------------------------------

HomeDialer::Services Node::dialerServices() {
  const auto pipeOf = [](Id connection) { return firstCellId + 2 * connection; };
  return {[this, pipeOf](int descriptor, Id connection) { watch(descriptor, pipeOf(connection)); },
          [this, pipeOf](int descriptor, Id connection, bool writes) {
            watchWrites(descriptor, pipeOf(connection), writes);
          },
          [this](int descriptor) {
            ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
          }};
}

bool Node::dialsFor(Id id, std::span<const std::byte> datagram) {
  if (!leaf_ || cells_.contains(id) || architectureOf(datagram) != Architecture::Centralized) {
    return false;
  }
  const auto home = leaf_->homeAddress();
  if (!home) return false;  // not so: the link of a node is over TCP
  dialer_.begin(id, {datagram.begin(), datagram.end()}, *home, greeting(), rules());
  takeDialled();
  return true;
}

void Node::takeDialled() {
  for (HomeDialer::Dialled& one : dialer_.take()) {
    const Id id = one.connection;
    const auto found = endpoints_.find(id);
    if (found == endpoints_.end()) continue;  // closed by what another was answered
    if (one.link) {
      if (auto made = makeCell(id, std::move(*one.link)); !made) {
        one.link = tl::unexpected(made.error());
      }
    }
    if (one.link) {
      cells_.at(id).leaf->request(id, found->second.peerPid(), one.hello);
      closeIfFailed(id);
      continue;
    }
    spdlog::warn("the connection of process {} is closed: {}", found->second.peerPid(),
                 one.link.error());
    fabric::RequestHead head;
    fabric::WireReader(one.hello)(head);
    answer(id, answerTo(head, fabric::Refusal::Internal, one.link.error()), {}, true);
  }
}

void Node::handleCell(Id id) {
  const Id connection = (id - firstCellId) / 2;
  if (dialer_.isWaiting(connection)) {
    dialer_.ready(connection);
    return takeDialled();
  }
  const auto found = cells_.find(connection);
  if (found == cells_.end()) return;
  std::uint64_t count = 0;
  if ((id & 1) == 0) {
    found->second.leaf->ready(id);
  } else if (::read(found->second.routerEvents.get(), &count, sizeof count) > 0) {
    found->second.leaf->route();
  }
  closeIfFailed(connection);
}

void Node::closeIfFailed(Id connection) {
  const auto found = cells_.find(connection);
  if (found == cells_.end() || found->second.leaf->failure().empty()) return;
  spdlog::error("the connection of a federate ends: {}", found->second.leaf->failure());
  close(connection);
}

void Node::endCell(Id id) {
  const auto found = cells_.find(id);
  if (found == cells_.end()) return;
  found->second.leaf->closed(id);
  endedCells_.push_back(std::move(found->second));
  cells_.erase(found);
}

void Node::tickCells(Executive::Clock::time_point now) {
  std::vector<Id> ids;
  for (auto& [id, cell] : cells_) {
    cell.leaf->tick(now);
    ids.push_back(id);
  }
  for (const Id id : ids) closeIfFailed(id);
  dialer_.tick(now);
  takeDialled();
}

std::optional<std::chrono::milliseconds> Node::nextLook() const {
  std::optional<std::chrono::milliseconds> result;
  const auto consider = [&](std::optional<std::chrono::milliseconds> look) {
    if (look && (!result || *look < *result)) result = look;
  };
  if (home_) consider(home_->nextLook());
  if (leaf_) consider(leaf_->nextLook());
  for (const auto& [id, cell] : cells_) consider(cell.leaf->nextLook());
  return result;
}

/// Until they bring nothing more.
void Node::serveLocalPipes() {
  while (!arrivals_.empty()) {
    for (const Id id : std::exchange(arrivals_, {})) {
      if (id >= firstCellId) {
        handleCell(id);
      } else {
        handlePipe(id);
      }
    }
  }
}

}  // namespace tutti::node
