// SPDX-License-Identifier: Apache-2.0
#include "node/home.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <tuple>
#include <utility>

namespace tutti::node {

using executive::Executive;
using executive::FederationExecution;
using fabric::Bytes;
using fabric::LogRecord;
using fabric::LogRecordType;
using fabric::Refusal;
using fabric::Request;
using fabric::RequestHead;
using fabric::UniqueFd;
using router::LinkHead;
using router::linkMessage;
using router::LinkMessage;
using router::NumberBody;

namespace {

constexpr std::chrono::milliseconds figuresInterval{200};
/// What a node waits for comes within the longest grace of a link, and what an operator adds to it,
/// or its sender's link has ended.
constexpr std::chrono::seconds usualHold{
    15 + std::chrono::ceil<std::chrono::seconds>(pipes::SessionPipe::longestGrace).count()};
constexpr std::size_t largestQueue = std::size_t{32} << 20;
/// So much is let into a link whatever is left: pipes do not pay for it.
constexpr std::size_t leastQueue = 64 * 1024;
constexpr const char* noMemoryForIt =
    "no memory is left for what waits here of it; set TUTTI_MEMORY to more";

/// While it lives no link goes.
class Reading {
 public:
  explicit Reading(bool& reading) : reading_(reading), before_(std::exchange(reading, true)) {}
  ~Reading() { reading_ = before_; }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

 private:
  bool& reading_;
  const bool before_;
};

bool readRequest(std::span<const std::byte> datagram, RequestHead& head) {
  fabric::WireReader reader(datagram);
  reader(head);
  return !reader.failed();
}

}  // namespace

std::size_t roomIn(std::size_t queuedBytes, std::size_t links, const pipes::MemoryAccount* memory) {
  std::size_t most = largestQueue;
  if (memory != nullptr) {
    // Half: the storage of a queue is doubled when it grows.
    const auto share = memory->left() / 2 / std::max<std::size_t>(links, 1);
    most = std::clamp<std::uint64_t>(share, leastQueue, largestQueue);
  }
  return most - std::min(most, queuedBytes);
}

Bytes answerTo(const RequestHead& head, Refusal refusal, const std::string& message) {
  fabric::ReplyHead reply;
  reply.number = head.number;
  reply.refusal = refusal;
  reply.message = message;
  return fabric::toWire(reply);
}

std::uint64_t heldAnswerBytes(std::span<const std::byte> answer) {
  constexpr std::size_t besideItsBytes = 256;
  return besideItsBytes + answer.size();
}

Bytes noRoomToHold(std::span<const std::byte> answer) {
  fabric::WireReader reader(answer);
  fabric::ReplyHead reply;
  reader(reply);
  RequestHead head;
  head.number = reply.number;
  return answerTo(head, Refusal::OutOfMemory,
                  "the memory budget of the RTI node has no room for an answer that has to "
                  "wait for other hosts; set TUTTI_MEMORY to more there");
}

Bytes noRoomToWait(const RequestHead& head) {
  return answerTo(head, Refusal::OutOfMemory,
                  "the memory budget of the RTI node has no room for a request that has to wait "
                  "until an object model is read; set TUTTI_MEMORY to more there");
}

Home::Home(Executive& executive, std::string nodeName, NodeServices services)
    : executive_(executive), services_(std::move(services)) {
  greeting_.node = std::move(nodeName);
}

void Home::useDatagrams(router::BestEffort& bestEffort) {
  bestEffort_ = &bestEffort;
  greeting_.datagramPort = bestEffort.port().address().port();
  greeting_.token = bestEffort.port().token();
  bestEffort.onSend([this](std::uint64_t link, auto message) { send(link, message); }, true);
  bestEffort.onAnswers([this](std::uint64_t link) {
    const auto found = links_.find(link);
    const auto session = found == links_.end() ? std::nullopt : found->second.pipe->session();
    return session && !session->suspectSince;
  });
}

void Home::lookForCongestion() {
  for (auto& [number, linked] : linked_) {
    linked.again = linked.router->lookForCongestion() || linked.again;
  }
}

// --- links ---------------------------------------------------------------------------------------

void Home::accept() {
  while (auto pipe = listener_->accept(greeting_, pipes::Clock::now())) {
    spdlog::info("the node '{}' at {} connects", pipe->peer()->node, pipe->remoteName());
    services_.watch(pipe->descriptor(), services_.firstPipe + lastLink_ + 1);
    // What came with the beginning is not shown by the descriptor any more.
    ready(add(std::move(pipe)));
  }
  release();
}

bool Home::makeRoom() {
  return listener_ && listener_->turnAwayWaiting("this process has no descriptor left for it");
}

std::uint64_t Home::add(std::unique_ptr<pipes::Pipe> pipe) {
  const std::uint64_t id = ++lastLink_;
  Link& link = links_[id];
  link.pipe = std::move(pipe);
  link.charge = pipes::Charge(services_.memory);
  if (auto flushed = link.pipe->flush(); !flushed) failed_[id] = flushed.error().text;
  return services_.firstPipe + id;
}

void Home::ready(std::uint64_t id) {
  id -= services_.firstPipe;
  const auto found = links_.find(id);
  if (found == links_.end()) return;
  {
    const Reading reading(reading_);
    const auto received = found->second.pipe->receive([&](auto message) {
      if (!failed_.contains(id)) arrive(id, message);
    });
    if (!received) failed_.emplace(id, received.error().text);
  }
  proceed();
  lookForCongestion();
  release();
}

void Home::greet(std::uint64_t id, Link& link) {
  if (link.greeted || !link.pipe->peer()) return;
  link.greeted = true;
  const pipes::Greeting peer = *link.pipe->peer();
  auto where = link.pipe->remoteAddress();
  if (!where) return;
  if (bestEffort_ != nullptr && peer.datagramPort != 0) {
    link.hearsPlaces = true;
    where->setPort(peer.datagramPort);
    bestEffort_->introduce(id, *where, peer.token);
  }
  if (usesMesh_ && peer.neighbourPort != 0) {
    link.hearsPlaces = true;
    where->setPort(peer.neighbourPort);
    mesh_.introduce(id, *where, peer.token);
  }
}

void Home::arrive(std::uint64_t id, std::span<const std::byte> message) {
  const auto found = links_.find(id);
  if (found == links_.end()) return;
  Link& link = found->second;
  if (link.givenUp) return;
  greet(id, link);
  if (link.held.empty() && mesh_.mayTake(message)) return takeNext(id, message);
  if (!link.charge.add(message.size())) {
    // What it has said and waits does not count: with it the link would stay until that is taken.
    link.held.clear();
    link.charge.set(0);
    failed_.emplace(id, noMemoryForIt);
    return;
  }
  link.held.emplace_back(message.begin(), message.end());
}

void Home::takeNext(std::uint64_t id, std::span<const std::byte> message) {
  take(id, message);
  mesh_.taken(id);
}

/// Takes what has waited for others. A request among it may be what notices the death of a federate
/// of this host, and with that the links that have failed would be done away with: not while what
/// came over one of them is taken.
void Home::proceed() {
  const Reading reading(reading_);
  for (bool more = true; more;) {
    more = false;
    std::vector<std::uint64_t> waiting;
    for (const auto& [id, link] : links_) {
      if (!link.held.empty()) waiting.push_back(id);
    }
    for (const std::uint64_t id : waiting) {
      for (auto link = links_.find(id); link != links_.end() && !link->second.held.empty() &&
                                        mesh_.mayTake(link->second.held.front());
           link = links_.find(id)) {
        const Bytes message = std::move(link->second.held.front());
        link->second.held.pop_front();
        link->second.charge.remove(message.size());
        takeNext(id, message);
        more = true;
      }
    }
  }
}

bool Home::isWaiting(std::uint64_t id) const {
  const auto found = links_.find(id);
  return found != links_.end() && !found->second.held.empty();
}

void Home::send(std::uint64_t id, std::span<const std::byte> message) {
  const auto found = links_.find(id);
  if (found == links_.end()) return;
  if (const auto first = mesh_.before(id)) found->second.pipe->send(*first);
  found->second.pipe->send(message);
}

void Home::flush() {
  if (bestEffort_ != nullptr) bestEffort_->flush();
  for (auto& [id, link] : links_) {
    if (failed_.contains(id)) continue;
    if (auto flushed = link.pipe->flush(); !flushed) failed_.emplace(id, flushed.error().text);
    const bool writes = link.pipe->wantsWrite();
    if (writes == link.writes) continue;
    link.writes = writes;
    services_.watchWrites(link.pipe->descriptor(), services_.firstPipe + id, writes);
  }
}

void Home::drop(std::uint64_t id, const std::string& why) {
  const auto found = links_.find(id);
  if (found == links_.end()) return;
  {
    const Reading reading(reading_);
    pipes::receiveRest(*found->second.pipe, [&](auto message) {
      if (!failed_.contains(id)) arrive(id, message);
    });
  }
  failed_.erase(id);
  if (isWaiting(id)) {
    // What it has said still counts: its end comes behind it.
    failed_.emplace(id, why);
    return;
  }
  if (!found->second.connections.empty()) {
    spdlog::warn("the node at {} is gone with its {} connections: {}",
                 found->second.pipe->remoteName(), found->second.connections.size(), why);
  }
  const std::vector<std::pair<std::uint64_t, ConnectionId>> connections(
      found->second.connections.begin(), found->second.connections.end());
  links_.erase(found);
  if (bestEffort_ != nullptr) bestEffort_->linkEnded(id);
  mesh_.ended(id);
  neighbours_.ended(id);
  for (auto& [number, linked] : linked_) linked.router->removeLink(id);
  for (Held& held : held_) held.waitsFor.erase(id);
  for (const auto& [theirs, connection] : connections) {
    remote_.erase(connection);
    asks_.erase(connection);
    executive_.closed(connection);
  }
}

/// Sends what waited for nothing but what has come, and does away with links that have failed.
void Home::release() {
  for (;;) {
    follow();
    // One at a time: an answer may lead to others.
    const auto ready = std::find_if(held_.begin(), held_.end(),
                                    [](const Held& held) { return held.waitsFor.empty(); });
    if (ready != held_.end()) {
      const Held held = std::move(*ready);
      held_.erase(ready);
      std::vector<int> descriptors;
      for (const UniqueFd& one : held.descriptors) descriptors.push_back(one.get());
      deliver(held.connection, held.bytes, descriptors, held.close);
      continue;
    }
    flush();
    if (reading_) return;  // whoever reads comes here again behind it
    const auto ended = std::find_if(failed_.begin(), failed_.end(),
                                    [this](const auto& item) { return !isWaiting(item.first); });
    if (ended == failed_.end()) return;
    const auto [id, why] = *ended;
    failed_.erase(ended);
    drop(id, why);
  }
}

void Home::deliver(ConnectionId connection, const Bytes& bytes, std::span<const int> descriptors,
                   bool close) {
  const auto remote = remote_.find(connection);
  if (remote == remote_.end()) {
    services_.answer(connection, bytes, descriptors, close);
    return;
  }
  const auto [link, theirs] = remote->second;
  send(link, linkMessage(LinkMessage::RequestAnswered, 0, router::Forwarded{theirs, bytes, close}));
  if (!close) return;
  std::erase_if(held_, [&](const Held& held) { return held.connection == connection; });
  remote_.erase(connection);
  if (const auto found = links_.find(link); found != links_.end()) {
    found->second.connections.erase(theirs);
  }
  executive_.closed(connection);
}

bool Home::end(ConnectionId connection) {
  if (!remote_.contains(connection)) return false;
  deliver(connection, {}, {}, true);
  release();
  return true;
}

void Home::giveUpWaiting(Link& link, pipes::Clock::time_point now) const {
  if (!link.endedAt) link.endedAt = now;
  const auto limit =
      usualHold + (listener_ ? std::chrono::ceil<std::chrono::seconds>(listener_->longestWait())
                             : std::chrono::seconds(0));
  if (link.held.empty() || now - *link.endedAt < limit) return;
  spdlog::warn(
      "{} messages of the node at {}, which is gone, are dropped: they wait for messages of "
      "another node that have not come within {} s",
      link.held.size(), link.pipe->remoteName(), limit.count());
  link.held.clear();
  link.charge.set(0);
}

void Home::tick(pipes::Clock::time_point now) {
  proceed();
  for (auto& [id, link] : links_) {
    if (failed_.contains(id)) {
      giveUpWaiting(link, now);
      continue;
    }
    if (auto ticked = link.pipe->tick(now); !ticked) failed_.emplace(id, ticked.error().text);
    if (const auto news = link.watch.look(*link.pipe, now)) {
      spdlog::log(news->suspect ? spdlog::level::warn : spdlog::level::info,
                  "{} ({} connections of federates)", news->text, link.connections.size());
    }
  }
  if (listener_) listener_->tick(now);
  if (now >= nextFigures_) {
    nextFigures_ = now + figuresInterval;
    for (auto& [number, linked] : linked_) {
      linked.router->sendFigures();
      if (const std::string damage = linked.router->damage(); !damage.empty()) {
        executive_.endDamaged(linked.name, damage);
      }
    }
  }
  if (bestEffort_ != nullptr) bestEffort_->tick(now);
  release();
}

std::optional<std::chrono::milliseconds> Home::nextLook() const {
  if (links_.empty() && !(listener_ && listener_->hasWaiting())) return std::nullopt;
  const bool again = std::any_of(linked_.begin(), linked_.end(),
                                 [](const auto& item) { return item.second.again; });
  return again ? std::chrono::milliseconds(1) : std::chrono::milliseconds(100);
}

std::vector<std::string> Home::behind(const Link& link, const fabric::StatusReply& status) const {
  std::vector<std::string> names;
  for (const auto& [theirs, connection] : link.connections) {
    const auto member = executive_.membership(connection);
    if (member.federate != 0) {
      names.push_back(memberText(status, member.federation, member.federate));
    }
  }
  return names;
}

std::optional<Bytes> Home::operateLink(std::span<const std::byte> datagram, std::int32_t pid) {
  const auto asked = operateLinkOf(datagram);
  if (!asked) return std::nullopt;
  const auto& [head, request] = *asked;
  const auto found = std::find_if(links_.begin(), links_.end(), [&](const auto& item) {
    return item.second.pipe->remoteName() == request.node && !failed_.contains(item.first);
  });
  if (found == links_.end()) {
    return answerTo(head, Refusal::Internal,
                    "there is no link to " + request.node + " any more: it is lost, or has ended");
  }
  auto& [id, link] = *found;
  // It may be the one that is being read, and may not go meanwhile.
  if (reading_)
    return answerTo(head, Refusal::Internal, "this node hears of other hosts just now: ask again");
  // One that has just come back is found to be there.
  if (auto ticked = link.pipe->tick(pipes::Clock::now()); !ticked) {
    failed_.emplace(id, ticked.error().text);
    return answerTo(head, Refusal::Internal, ticked.error().text);
  }
  if (const std::string why = whyNotOperate(*link.pipe, request); !why.empty()) {
    return answerTo(head, Refusal::Internal, why);
  }
  fabric::OperateLinkReply reply;
  if (request.giveUp) {
    link.givenUp = true;
    link.held.clear();
    link.charge.set(0);
    failed_.emplace(id, "process " + std::to_string(pid) + " has given the other host up");
    return answerToOperateLink(head, reply);
  }
  reply.addedMilliseconds = static_cast<std::uint64_t>(
      link.pipe->waitLonger(std::chrono::milliseconds(request.milliseconds)).count());
  if (const auto status = linkStatusOf(*link.pipe, pipes::Clock::now())) {
    reply.leftMilliseconds = status->leftMilliseconds;
  }
  spdlog::info("process {} has this node wait {} ms longer for the node at {}", pid,
               reply.addedMilliseconds, link.pipe->remoteName());
  return answerToOperateLink(head, reply);
}

std::vector<fabric::LinkStatus> Home::describeLinks(const fabric::StatusReply& status) const {
  std::vector<fabric::LinkStatus> links;
  const auto now = pipes::Clock::now();
  for (const auto& [id, link] : links_) {
    auto one = linkStatusOf(*link.pipe, now);
    if (!one) continue;
    one->federates = behind(link, status);
    one->keptLimitBytes = roomIn(0, links_.size(), services_.memory);
    if (listener_) one->listenPort = listener_->address().port;
    addTraffic(*one, bestEffort_, id);
    for (const Held& held : held_) {
      if (!held.waitsFor.contains(id)) continue;
      const auto member = executive_.membership(held.connection);
      one->waiting.push_back(member.federate == 0
                                 ? "a process"
                                 : memberText(status, member.federation, member.federate));
    }
    links.push_back(std::move(*one));
  }
  return links;
}

std::vector<fabric::NeighbourLinkStatus> Home::describeNeighbours() const {
  std::vector<fabric::NeighbourLinkStatus> links;
  const auto name = [this](router::NodeId node) -> std::pair<std::string, std::string> {
    const auto found = links_.find(node);
    if (found == links_.end()) return {};
    const pipes::Pipe& pipe = *found->second.pipe;
    return {pipe.remoteName(), pipe.peer() ? pipe.peer()->node : std::string()};
  };
  for (const auto& one : neighbours_.links(pipes::Clock::now())) {
    fabric::NeighbourLinkStatus link;
    std::tie(link.node, link.peer) = name(one.first);
    std::tie(link.otherNode, link.otherPeer) = name(one.second);
    link.end = one.firstEnd;
    link.otherEnd = one.secondEnd;
    links.push_back(std::move(link));
  }
  return links;
}

const std::vector<fabric::FlowStatus>& Home::describeFlows(pipes::Clock::time_point now) {
  if (now < nextFlows_) return flows_;
  // Not less: the linked nodes tell no more often.
  nextFlows_ = now + std::chrono::seconds(1);
  flows_.clear();
  for (const auto& [number, linked] : linked_) {
    linked.router->eachFlow([&, execution = number](const router::FlowCount& one) {
      flows_.push_back({execution, one.sender, one.receiver, one.messages});
    });
  }
  if (flows_.size() > fabric::FlowStatus::most) {
    const auto end = flows_.begin() + static_cast<std::ptrdiff_t>(fabric::FlowStatus::most);
    std::nth_element(flows_.begin(), end, flows_.end(),
                     [](const auto& a, const auto& b) { return a.messages > b.messages; });
    flows_.erase(end, flows_.end());
  }
  return flows_;
}

// --- executions ----------------------------------------------------------------------------------

Home::Linked* Home::linkedOf(const std::string& federation) {
  const auto found = linked_.find(executive_.executionNumber(federation));
  if (found == linked_.end() || found->second.name != federation) return nullptr;
  return &found->second;
}

tl::expected<Home::Linked*, std::string> Home::open(const std::string& federation) {
  if (Linked* linked = linkedOf(federation)) return linked;
  const auto execution = executive_.execution(federation);
  if (auto opened = execution->openRouter(); !opened) {
    return tl::unexpected(opened.error().message);
  }
  const std::uint64_t number = executive_.executionNumber(federation);
  Linked linked;
  linked.name = federation;
  linked.execution = execution;
  linked.log = execution->logEnd();
  linked.router = std::make_unique<router::Router>(
      *execution, number, [this](std::uint64_t link, auto message) { send(link, message); });
  auto watch = router::RingWatch::make(*execution, services_.routerEvents);
  if (!watch) return tl::unexpected(watch.error());
  linked.watch = std::move(*watch);
  execution->onRowFreed([this, number](std::uint64_t instance, std::uint32_t row) {
    const auto found = linked_.find(number);
    if (found == linked_.end()) return;
    for (const std::uint64_t link : found->second.router->links()) {
      send(link, linkMessage(LinkMessage::RowFreed, number, router::RowFreed{instance, row}));
    }
  });
  execution->onTablePlaced([this, number](fabric::FederateNumber federate, const auto& instances) {
    const auto found = linked_.find(number);
    if (found == linked_.end()) return;
    for (const std::uint64_t link : found->second.router->links()) {
      send(link,
           linkMessage(LinkMessage::TablePlaced, number, router::TablePlaced{federate, instances}));
    }
  });
  Linked& kept = linked_.emplace(number, std::move(linked)).first->second;
  if (bestEffort_ != nullptr) bestEffort_->attach(*kept.router);
  pump(kept);
  return &kept;
}

void Home::openAt(std::uint64_t id, Linked& linked, std::uint64_t number, bool restored) {
  Link& link = links_.at(id);
  if (link.executions.contains(number)) return;
  pumpAll(linked);
  link.executions.insert(number);
  auto start = restored ? linked.execution->restoredStart() : linked.execution->replicaStart();
  for (const auto& [connection, where] : remote_) {
    const auto member = executive_.membership(connection);
    if (member.federation != linked.name || member.federate == 0) continue;
    linked.router->place(member.federate, where.first);
    if (bestEffort_ != nullptr) bestEffort_->place(number, member.federate, where.first);
    if (where.first == id) start.returning.push_back({member.federate, where.second});
  }
  send(id, linkMessage(LinkMessage::ExecutionOpened, number, start));
  linked.router->addLink(id);
  for (const auto& page : linked.execution->pages()) tellPlace(id, linked, page.federate);
  if (bestEffort_ != nullptr) bestEffort_->openAt(id, *linked.router);
  if (linked.ceilingActive != 0) {
    send(id,
         linkMessage(LinkMessage::CeilingChanged, number,
                     router::CeilingChanged{linked.ceiling, linked.ceilingActive, linked.pace}));
  }
}

void Home::tellPlace(std::uint64_t id, const Linked& linked, fabric::FederateNumber federate) {
  const std::uint64_t at = linked.router->placeOf(federate);
  if (at == id || !links_.at(id).hearsPlaces) return;
  send(id, linkMessage(LinkMessage::FederateAt, linked.router->number(),
                       router::FederateAt{federate, at}));
}

void Home::reopen(const std::string& federation, const std::set<std::uint64_t>& links) {
  auto linked = open(federation);
  for (const std::uint64_t link : links) {
    if (linked) {
      openAt(link, **linked, (*linked)->router->number(), true);
    } else {
      failed_.emplace(
          link, "'" + federation + "' was restored, and cannot be shown there: " + linked.error());
    }
  }
}

void Home::passOnLog(Linked& linked, std::uint64_t number) {
  const fabric::Arena& arena = linked.execution->arena().arena();
  const auto tail = linked.execution->logTail();
  while (linked.log.applied < tail) {
    const std::byte* at = arena.at(linked.log.block + linked.log.at, sizeof(LogRecord));
    if (at == nullptr) break;
    LogRecord record;
    std::memcpy(&record, at, sizeof record);
    const auto type = static_cast<LogRecordType>(record.type);
    if (type == LogRecordType::EndOfBlock) {
      linked.log.block =
          arena.as<fabric::LogBlock>(linked.log.block)->next.load(std::memory_order_acquire);
      linked.log.at = sizeof(fabric::LogBlock);
      continue;
    }
    const Bytes body(at + sizeof record, at + record.bytes);
    Bytes message = linkMessage(LinkMessage::LogRecordAppended, number,
                                router::LogRecordAppended{record.type, record.number, body});
    fabric::FederateResignedRecord resigned;
    fabric::ModelExtendedRecord model;
    if (type == LogRecordType::FederateResigned && fabric::fromWire(body, resigned)) {
      linked.router->left(resigned.federate, record.number);
    } else if (fabric::FederateJoinedRecord joined;
               type == LogRecordType::FederateJoined && fabric::fromWire(body, joined)) {
      for (const std::uint64_t link : linked.router->links()) {
        tellPlace(link, linked, joined.federate);
      }
    } else if (type == LogRecordType::ModelExtended && fabric::fromWire(body, model)) {
      router::ModelReplaced replaced{record.number, {}};
      if (const std::byte* bytes = arena.at(model.model, model.bytes)) {
        replaced.compact.assign(bytes, bytes + model.bytes);
      }
      message = linkMessage(LinkMessage::ModelReplaced, number, replaced);
    }
    for (const std::uint64_t link : linked.router->links()) send(link, message);
    linked.log.at += record.bytes;
    linked.log.applied = record.number;
  }
  linked.execution->routerPage()->appliedLog.store(linked.log.applied, std::memory_order_release);
  const auto& header = linked.execution->arena().header();
  const std::uint32_t active = header.ceilingActive.load(std::memory_order_acquire);
  const std::uint64_t ceiling = header.ceiling.load(std::memory_order_acquire);
  const std::uint64_t pace = header.pace.load(std::memory_order_relaxed);
  if (active != linked.ceilingActive || ceiling != linked.ceiling || pace != linked.pace) {
    linked.ceiling = ceiling;
    linked.ceilingActive = active;
    linked.pace = pace;
    for (const std::uint64_t link : linked.router->links()) {
      send(link, linkMessage(LinkMessage::CeilingChanged, number,
                             router::CeilingChanged{ceiling, active, pace}));
    }
  }
}

void Home::follow() {
  for (auto item = linked_.begin(); item != linked_.end();) {
    auto& [number, linked] = *item;
    if (executive_.executionNumber(linked.name) != number) {
      // What came last in it: that it was restored, for one.
      passOnLog(linked, number);
      const std::set<std::uint64_t> links = linked.router->links();
      for (const std::uint64_t link : links) {
        send(link, linkMessage(LinkMessage::ExecutionClosed, number));
        links_.at(link).executions.erase(number);
      }
      for (Held& held : held_) {
        if (held.execution == number) held.waitsFor.clear();
      }
      if (bestEffort_ != nullptr) bestEffort_->detach(number);
      const std::string name = linked.name;
      item = linked_.erase(item);
      const auto next = executive_.execution(name);
      if (next != nullptr && next->router() != 0) reopen(name, links);
      continue;
    }
    passOnLog(linked, number);
    ++item;
  }
}

void Home::pump(Linked& linked) {
  const std::uint32_t doorbell = linked.watch->doorbell();
  std::size_t room = largestQueue;
  for (const std::uint64_t link : linked.router->links()) {
    room = std::min(room,
                    roomIn(links_.at(link).pipe->queuedBytes(), links_.size(), services_.memory));
  }
  const bool crowded = room == 0;
  const bool all = crowded || linked.router->pump(room);
  linked.again = linked.router->lookForCongestion() || !all || crowded;
  linked.watch->rearm(doorbell);
}

/// Until nothing is left: what is done next has to come behind it.
void Home::pumpAll(Linked& linked) {
  constexpr int limit = 256;
  for (int i = 0; i < limit && !linked.router->pump(); ++i) {
  }
}

void Home::route() {
  follow();
  try {
    for (auto& [number, linked] : linked_) pump(linked);
  } catch (const std::bad_alloc&) {
    spdlog::error("the memory budget is used up: links are dropped; set TUTTI_MEMORY to more");
    for (const auto& [id, link] : links_) failed_.emplace(id, "no memory left for its federates");
  }
  release();
}

// --- requests of this host's federates -----------------------------------------------------------

void Home::beforeRequest(ConnectionId connection) {
  if (linked_.empty()) return;
  const auto member = executive_.membership(connection);
  asks_[connection] = member.federation;
  if (member.federate == 0) return;
  if (Linked* linked = linkedOf(member.federation)) pumpAll(*linked);
}

void Home::beforeEnd(ConnectionId connection) {
  asks_.erase(connection);
  std::erase_if(held_, [&](const Held& held) { return held.connection == connection; });
  if (linked_.empty()) return;
  const auto member = executive_.membership(connection);
  if (member.federate == 0) return;
  if (Linked* linked = linkedOf(member.federation)) {
    linked->execution->announce(member.federate);
    pumpAll(*linked);
  }
}

bool Home::takesOver(ConnectionId connection, std::span<const std::byte> datagram) {
  if (linked_.empty()) return false;
  RequestHead head;
  if (!readRequest(datagram, head)) return false;
  if (head.request != Request::Confirm) return false;
  auto member = executive_.membership(connection);
  if (member.federate == 0) {
    // Somebody who looks on says of which execution he means it.
    fabric::FederationNameRequest named;
    if (!fabric::fromWire(datagram.subspan(fabric::toWire(head).size()), named)) return false;
    member.federation = named.federation;
  }
  Linked* linked = linkedOf(member.federation);
  if (linked == nullptr) return false;
  if (member.federate == 0) pumpAll(*linked);
  const std::uint64_t barrier = ++lastBarrier_;
  Held held;
  held.connection = connection;
  held.bytes = answerTo(head, Refusal::None, {});
  held.isBarrier = true;
  hold(std::move(held), *linked, barrier, connection);
  const Held& waiting = held_.back();
  for (const std::uint64_t link : waiting.waitsFor) {
    send(link, linkMessage(LinkMessage::BarrierSet, waiting.execution, NumberBody{barrier}));
  }
  release();
  return true;
}

void Home::hold(Held held, Linked& linked, std::uint64_t number, ConnectionId connection) {
  held.execution = linked.router->number();
  held.number = number;
  const auto remote = remote_.find(connection);
  for (const std::uint64_t link : linked.router->links()) {
    // What the asker's own node has comes before the answer anyway.
    if (remote == remote_.end() || remote->second.first != link) held.waitsFor.insert(link);
  }
  held.charge = pipes::Charge(services_.memory);
  if (!held.charge.add(heldAnswerBytes(held.bytes))) {
    held.bytes = noRoomToHold(held.bytes);
    held.descriptors.clear();
    held.close = true;
    held.waitsFor.clear();
  }
  held_.push_back(std::move(held));
}

bool Home::holds(ConnectionId connection, const Executive::Reply& reply) {
  // Who has just resigned is a member of none any more.
  const auto asked = asks_.extract(connection);
  auto federation = executive_.membership(connection).federation;
  if (federation.empty() && !asked.empty()) federation = asked.mapped();
  Linked* linked = federation.empty() ? nullptr : linkedOf(federation);
  if (linked == nullptr) return false;
  const auto before = linked->log.applied;
  follow();
  if (linked->log.applied == before || linked->router->links().empty()) return false;
  // The answer comes behind what federates of this host told before they could know of the change.
  pumpAll(*linked);
  Held held;
  held.connection = connection;
  held.bytes = reply.bytes;
  held.close = reply.close;
  for (const int one : reply.descriptors) {
    held.descriptors.emplace_back(::fcntl(one, F_DUPFD_CLOEXEC, 0));
  }
  hold(std::move(held), *linked, linked->log.applied, connection);
  release();
  return true;
}

void Home::passed(std::uint64_t link, std::uint64_t execution, std::uint64_t number,
                  bool isBarrier) {
  for (Held& held : held_) {
    if (held.execution != execution || held.isBarrier != isBarrier) continue;
    if (isBarrier ? held.number == number : held.number <= number) held.waitsFor.erase(link);
  }
}

// --- requests of other hosts ---------------------------------------------------------------------

void Home::take(std::uint64_t id, std::span<const std::byte> message) {
  const auto garbage = [&] { failed_.emplace(id, "it sent what cannot be read"); };
  LinkHead head;
  if (!router::readLinkHead(message, head)) return garbage();
  const auto body = message.subspan(router::linkHeadBytes);
  Link& link = links_.at(id);
  switch (head.kind) {
    case LinkMessage::ConnectionOpened: {
      router::ConnectionOpened opened;
      // A number that is in use: of the federate behind it nothing more could be told.
      if (!fabric::fromWire(body, opened) || link.connections.contains(opened.connection)) {
        return garbage();
      }
      const ConnectionId connection = executive_.openedRemote(
          opened.pid, opened.program + " at " + link.pipe->remoteName(), opened.host);
      link.connections[opened.connection] = connection;
      remote_[connection] = {id, opened.connection};
      return;
    }
    case LinkMessage::ConnectionClosed: {
      router::ConnectionClosed closed;
      if (!fabric::fromWire(body, closed)) return garbage();
      const auto found = link.connections.find(closed.connection);
      if (found == link.connections.end()) return;
      const ConnectionId connection = found->second;
      link.connections.erase(found);
      std::erase_if(held_, [&](const Held& held) { return held.connection == connection; });
      remote_.erase(connection);
      asks_.erase(connection);
      executive_.closed(connection);
      follow();
      return;
    }
    case LinkMessage::RequestMade: {
      router::Forwarded forwarded;
      if (!fabric::fromWire(body, forwarded)) return garbage();
      return request(id, forwarded);
    }
    case LinkMessage::LogApplied:
    case LinkMessage::BarrierPassed: {
      NumberBody number;
      if (!fabric::fromWire(body, number)) return garbage();
      return passed(id, head.execution, number.number, head.kind == LinkMessage::BarrierPassed);
    }
    case LinkMessage::NeighboursTold: {
      router::NeighboursTold told;
      return fabric::fromWire(body, told) ? takeNeighbours(id, told) : garbage();
    }
    default:
      if (mesh_.take(id, head, message)) return;
      if (bestEffort_ != nullptr && bestEffort_->take(id, head, message)) return;
      break;
  }
  const auto found = linked_.find(head.execution);
  if (found == linked_.end()) return;  // it has just ended
  try {
    router::Router& router = *found->second.router;
    if (router.take(id, head, message)) return;
    if (router.pretence().empty()) return garbage();
    failed_.emplace(id, router.pretence() +
                            "; no RTI node of this version does so: look for another program "
                            "with the key");
  } catch (const std::bad_alloc&) {
    failed_.emplace(id, "no memory is left for what it sends; set TUTTI_MEMORY to more");
  }
}

void Home::takeNeighbours(std::uint64_t id, const router::NeighboursTold& told) {
  using Whose = router::NeighbourTable::Whose;
  const auto look = [&](router::NodeId node) {
    if (links_.contains(node)) return Whose::Linked;
    return node != 0 && node <= lastLink_ ? Whose::Gone : Whose::Never;
  };
  const auto taken = neighbours_.take(id, told, look, pipes::Clock::now());
  if (taken) return;
  failed_.emplace(id, taken.error() +
                          "; no RTI node of this version does so: look for another "
                          "program with the key");
}

void Home::request(std::uint64_t id, const router::Forwarded& forwarded) {
  Link& link = links_.at(id);
  const auto found = link.connections.find(forwarded.connection);
  RequestHead head;
  if (found == link.connections.end() || !readRequest(forwarded.datagram, head)) return;
  const ConnectionId connection = found->second;
  if (services_.desk != nullptr) {
    if (services_.desk->isWaiting(connection)) {
      deliver(
          connection,
          answerTo(head, Refusal::Internal, "a request came before the one before it was answered"),
          {}, true);
      return;
    }
    // The link is there when it is resumed: with it the connection would have ended.
    const auto resume = [this, id, connection, theirs = forwarded.connection](
                            const Bytes& datagram, const executive::ModelRead* read) {
      answer(id, connection, {theirs, datagram, false}, read);
      release();
    };
    try {
      if (services_.desk->takes(connection, forwarded.datagram, resume)) return;
    } catch (const std::bad_alloc&) {
      return deliver(connection, noRoomToWait(head), {}, false);
    }
  }
  answer(id, connection, forwarded, nullptr);
}

void Home::answer(std::uint64_t id, ConnectionId connection, const router::Forwarded& forwarded,
                  const executive::ModelRead* read) {
  RequestHead head;
  if (!readRequest(forwarded.datagram, head)) return;
  if (head.request == Request::Join) {
    fabric::JoinRequest join;
    const auto body = std::span(forwarded.datagram).subspan(fabric::toWire(head).size());
    if (fabric::fromWire(body, join) && executive_.execution(join.federation) != nullptr) {
      auto linked = open(join.federation);
      if (!linked) {
        deliver(connection,
                answerTo(head, Refusal::Internal,
                         "'" + join.federation +
                             "' cannot have federates of other hosts: " + linked.error()),
                {}, false);
        return;
      }
      openAt(id, **linked, executive_.executionNumber(join.federation));
    }
  }
  beforeRequest(connection);
  if (takesOver(connection, forwarded.datagram)) return;
  const Executive::Reply reply = executive_.answer(connection, forwarded.datagram, read);
  // Before anything changes in one that may have been restored.
  if (head.request == Request::RestoreCompleted) follow();
  if (head.request == Request::Join) {
    const auto member = executive_.membership(connection);
    Linked* linked = member.federate == 0 ? nullptr : linkedOf(member.federation);
    fabric::ReplyHead replyHead;
    router::JoinPrepared prepared;
    fabric::WireReader reader(reply.bytes);
    reader(replyHead);
    if (linked != nullptr && replyHead.refusal == Refusal::None) {
      reader(prepared.reply);
      prepared.connection = forwarded.connection;
      const auto& arena = linked->execution->arena();
      if (const std::byte* bytes =
              arena.at(prepared.reply.snapshot, prepared.reply.snapshotBytes)) {
        prepared.snapshot.assign(bytes, bytes + prepared.reply.snapshotBytes);
      }
      const std::uint64_t number = linked->router->number();
      linked->router->place(member.federate, id);
      if (bestEffort_ != nullptr) bestEffort_->place(number, member.federate, id);
      router::FederatePlaced placed{member.federate, forwarded.connection};
      for (const auto& page : linked->execution->pages()) {
        if (page.federate == member.federate) {
          placed.automaticResignAction = page.block->automaticResignAction.load();
        }
      }
      send(id, linkMessage(LinkMessage::FederatePlaced, number, placed));
      const auto before = linked->log.applied;
      follow();
      send(id, linkMessage(LinkMessage::JoinPrepared, number, prepared));
      Held held;
      held.connection = connection;
      held.bytes = reply.bytes;
      if (linked->log.applied != before)
        hold(std::move(held), *linked, linked->log.applied, connection);
      return;
    }
  }
  if (!holds(connection, reply) && !reply.bytes.empty()) {
    deliver(connection, reply.bytes, {}, reply.close);
  }
}

}  // namespace tutti::node
