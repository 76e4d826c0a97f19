// SPDX-License-Identifier: Apache-2.0
#include "router/best_effort.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "core/records.h"

namespace tutti::router {

using fabric::Bytes;
using fabric::ClassKey;
using fabric::FederateNumber;
using fabric::RecordHead;
using fabric::RecordType;
using pipes::Clock;

namespace {

constexpr std::chrono::milliseconds reportInterval{100};
/// An entry of a map by stream takes about so much.
constexpr std::size_t bytesOfStream = 96;

template <class T>
void append(Bytes& to, const T& value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  to.insert(to.end(), first, first + sizeof value);
}
template <class T>
bool takeFrom(std::span<const std::byte>& from, T& value) {
  if (from.size() < sizeof value) return false;
  std::memcpy(&value, from.data(), sizeof value);
  from = from.subspan(sizeof value);
  return true;
}

/// Of a new value of an attribute there will be another; an interaction happens once.
std::size_t priorityOf(ClassKey key) { return fabric::isInteraction(key) ? 1 : 0; }

}  // namespace

BestEffort::BestEffort(std::unique_ptr<pipes::DatagramPort> port) : port_(std::move(port)) {}

BestEffort::~BestEffort() {
  for (const auto& [execution, router] : routers_) router->sendDirectly({});
}

void BestEffort::attach(Router& router) {
  // Of another life of the execution, if it had one.
  forgetEarly(router.number());
  routers_[router.number()] = &router;
  router.sendDirectly([this, &router](FederateNumber sender, std::span<const std::byte> record,
                                      std::vector<FederateNumber>& receivers) {
    send(router, sender, record, receivers);
  });
}

void BestEffort::detach(std::uint64_t execution) {
  routers_.erase(execution);
  const auto isOfIt = [execution](const auto& item) { return item.first.first == execution; };
  const auto isStreamOfIt = [execution](const auto& item) {
    return std::get<0>(item.first) == execution;
  };
  std::erase_if(places_, isOfIt);
  forgetEarly(execution);
  for (auto& [id, node] : nodes_) {
    std::erase_if(node.sent, isStreamOfIt);
    std::erase_if(node.received, isStreamOfIt);
  }
  for (auto& [id, lane] : lanes_) {
    for (auto& queue : lane.waiting) {
      std::erase_if(queue, [&](const Waiting& one) {
        if (std::get<0>(one.stream) != execution) return false;
        lane.bytes -= one.record->size();
        return true;
      });
    }
    lane.charge.set(lane.bytes);
  }
  for (auto& [origin, streams] : lost_) std::erase_if(streams, isStreamOfIt);
  std::erase_if(shown_, isStreamOfIt);
  payForStreams();
  std::erase_if(lostSince_,
                [execution](const Stream& stream) { return std::get<0>(stream) == execution; });
}

// --- who is there --------------------------------------------------------------------------------

Bytes BestEffort::newKey() const {
  return port_->isSealed() ? pipes::randomDatagramKey() : Bytes();
}

void BestEffort::addNode(NodeId id, const pipes::SocketAddress& where, std::uint64_t token,
                         const Bytes& key) {
  Node& node = nodes_[id];
  node = {};
  node.where = where;
  node.token = token;
  port_->addPeer(id, where, token, key);
}

void BestEffort::removeNode(NodeId id) {
  nodes_.erase(id);
  lanes_.erase(id);
  port_->removePeer(id);
  std::erase_if(places_, [id](const auto& item) { return item.second == id; });
  payForStreams();
}

tl::expected<void, std::string> BestEffort::openGroup(const pipes::SocketAddress& group) {
  auto wire = pipes::UdpWire::joinGroup(group, port_->address());
  if (!wire) return tl::unexpected(wire.error());
  group_ = group;
  groupToken_ = pipes::DatagramPort::randomToken();
  groupKey_ = newKey();
  port_->openGroup(std::move(*wire), group, groupToken_, groupKey_);
  if (watch_) watch_(port_->groupDescriptor());
  return {};
}

NodeIntroduced BestEffort::introductionOf(NodeId id, bool own, const Bytes& key) const {
  const Node& node = nodes_.at(id);
  const auto address = node.where.address();
  NodeIntroduced result{id, own, address.host, address.port, node.token, {}, 0, 0, key, {}};
  if (group_) {
    result.groupHost = group_->address().host;
    result.groupPort = group_->port();
    result.groupToken = groupToken_;
    result.groupKey = groupKey_;
  }
  return result;
}

void BestEffort::introduce(Router::LinkId link, const pipes::SocketAddress& where,
                           std::uint64_t token) {
  const Bytes own = newKey();
  addNode(link, where, token, own);
  send_(link, linkMessage(LinkMessage::NodeIntroduced, 0, introductionOf(link, true, own)));
  for (const auto& [id, node] : nodes_) {
    if (id == link) continue;
    const Bytes key = newKey();  // which this node forgets
    send_(link, linkMessage(LinkMessage::NodeIntroduced, 0, introductionOf(id, false, key)));
    send_(id, linkMessage(LinkMessage::NodeIntroduced, 0, introductionOf(link, false, key)));
  }
}

void BestEffort::linkEnded(Router::LinkId link) {
  if (!nodes_.contains(link)) return;
  removeNode(link);
  toLinks(link, linkMessage(LinkMessage::NodeGone, 0, NodeGone{link}));
}

void BestEffort::place(std::uint64_t execution, FederateNumber federate, Router::LinkId link) {
  places_[{execution, federate}] = link;
}

void BestEffort::openAt(Router::LinkId link, const Router& router) {
  if (!nodes_.contains(link)) return;
  for (const auto& [origin, streams] : lost_) {
    BestEffortLost lost{origin, {}};
    for (const auto& [stream, count] : streams) {
      const auto& [execution, sender, classKey] = stream;
      if (execution == router.number()) lost.lost.push_back({execution, sender, classKey, count});
    }
    if (!lost.lost.empty()) send_(link, linkMessage(LinkMessage::BestEffortLost, 0, lost));
  }
}

void BestEffort::introduceHome(const pipes::SocketAddress& where, std::uint64_t token) {
  if (port_->isSealed()) {
    homeWithoutKey_.emplace(where, token);
  } else {
    addNode(home, where, token, {});
  }
}

void BestEffort::takeIntroduction(const NodeIntroduced& node) {
  if (!node.own) {
    if (auto where = pipes::SocketAddress::of({node.host, node.port})) {
      addNode(node.node, *where, node.token, node.key);
    }
    return;
  }
  if (homeWithoutKey_) {
    addNode(home, homeWithoutKey_->first, homeWithoutKey_->second, node.key);
    homeWithoutKey_.reset();
  }
  if (node.groupHost.empty() || port_->hasGroup()) return;
  const auto group = pipes::SocketAddress::of({node.groupHost, node.groupPort});
  if (!group) return;
  auto wire = pipes::UdpWire::joinGroup(*group, port_->address());
  if (!wire) {
    spdlog::warn("best effort goes to each host by itself: {}", wire.error());
    return;
  }
  group_ = *group;
  groupToken_ = node.groupToken;
  groupKey_ = node.groupKey;
  port_->openGroup(std::move(*wire), *group, groupToken_, groupKey_);
  if (watch_) watch_(port_->groupDescriptor());
}

void BestEffort::toLinks(Router::LinkId except, std::span<const std::byte> message) {
  if (!atHome_) {
    send_(home, message);
    return;
  }
  for (const auto& [id, node] : nodes_) {
    if (id != except) send_(id, message);
  }
}

bool BestEffort::take(Router::LinkId from, const LinkHead& head,
                      std::span<const std::byte> message) {
  const auto body = message.subspan(linkHeadBytes);
  switch (head.kind) {
    case LinkMessage::NodeIntroduced: {
      NodeIntroduced node;
      if (!atHome_ && fabric::fromWire(body, node)) takeIntroduction(node);
      return true;
    }
    case LinkMessage::NodeGone: {
      NodeGone gone;
      if (!atHome_ && fabric::fromWire(body, gone)) removeNode(gone.node);
      return true;
    }
    case LinkMessage::FederateAt: {
      FederateAt place;
      if (!atHome_ && fabric::fromWire(body, place)) {
        places_[{head.execution, place.federate}] = place.node;
      }
      return true;
    }
    case LinkMessage::BestEffortSent: {
      BestEffortSent sent;
      if (!fabric::fromWire(body, sent)) return true;
      if (atHome_) sent.from = from;
      if (atHome_ && sent.to != home) {
        if (nodes_.contains(sent.to)) {
          send_(sent.to, linkMessage(LinkMessage::BestEffortSent, 0, sent));
        }
        return true;
      }
      const auto node = nodes_.find(sent.from);
      if (node != nodes_.end()) {
        // What is lost of those is counted with the next report.
        pipes::Charge charge(memory_);
        if (!charge.set(sent.streams.size() * sizeof(ClassNumber))) return true;
        node->second.reports.push_back(
            {Clock::now() + underway, std::move(sent.streams), std::move(charge)});
      }
      return true;
    }
    case LinkMessage::BestEffortLost: {
      BestEffortLost lost;
      if (!fabric::fromWire(body, lost) || lost.origin == port_->token()) return true;
      // A node says what it has missed itself; the home passes on what others have.
      if (atHome_ && (!nodes_.contains(from) || nodes_.at(from).token != lost.origin)) return true;
      for (const ClassNumber& one : lost.lost) {
        const Stream stream{one.execution, one.sender, one.classKey};
        if (!routers_.contains(one.execution)) continue;
        std::uint64_t* number = paidNumber(lost_[lost.origin], stream);
        if (number == nullptr) continue;
        *number = one.number;
        showLost(stream);
      }
      if (atHome_) toLinks(from, message);
      return true;
    }
    default:
      return false;
  }
}

// --- what leaves ---------------------------------------------------------------------------------

void BestEffort::send(const Router& router, FederateNumber sender,
                      std::span<const std::byte> record, std::vector<FederateNumber>& receivers) {
  constexpr std::size_t perReceiver = sizeof(BestEffortSection) + sizeof(FederateNumber);
  if (nodes_.empty() || record.size() + sizeof(BestEffortHead) + receivers.size() * perReceiver >
                            pipes::largestDatagramMessage) {
    return;
  }
  const auto classKey = core::classKeyOf(record);
  if (!classKey) return;
  std::vector<Section> direct;
  std::vector<Section> throughGroup;
  std::map<NodeId, std::uint64_t> lost;
  std::erase_if(receivers, [&](FederateNumber receiver) {
    const auto place = places_.find({router.number(), receiver});
    if (place == places_.end()) return false;
    const NodeId node = place->second;
    const bool inGroup = port_->groupReaches(node);
    if (!inGroup && !port_->reaches(node)) {
      const bool isLost = isCutOff(node);
      if (isLost) ++lost[node];
      return isLost;
    }
    auto& sections = inGroup ? throughGroup : direct;
    auto section = std::find_if(sections.begin(), sections.end(),
                                [node](const Section& one) { return one.node == node; });
    if (section == sections.end()) section = sections.insert(sections.end(), Section{node, {}});
    section->receivers.push_back(receiver);
    return true;
  });
  for (const auto& [node, count] : lost)
    countLost(node, {router.number(), sender, *classKey}, count);
  if (direct.empty() && throughGroup.empty()) return;
  // For one alone the group brings nothing, but to be read by the others.
  if (throughGroup.size() == 1 && port_->reaches(throughGroup.front().node)) {
    direct.push_back(std::move(throughGroup.front()));
    throughGroup.clear();
  }
  Waiting waiting;
  waiting.tableChanges = router.tableChanges(sender);
  waiting.stream = {router.number(), sender, *classKey};
  waiting.record = std::make_shared<const Bytes>(record.begin(), record.end());
  if (!throughGroup.empty()) {
    Waiting toGroup = waiting;
    toGroup.sections = std::move(throughGroup);
    enqueue(groupLane, std::move(toGroup));
  }
  for (Section& section : direct) {
    const NodeId node = section.node;
    Waiting toNode = waiting;
    toNode.sections.push_back(std::move(section));
    enqueue(node, std::move(toNode));
  }
}

bool BestEffort::isCutOff(NodeId node) const {
  if (port_->isInterrupted(node, grace_)) return true;
  return port_->isInterrupted(node, grace_ + longestWait_) && !(answers_ && answers_(node));
}

bool BestEffort::laneHasRoom(NodeId lane) const {
  return lane == groupLane ? port_->groupHasRoom() : port_->hasRoom(lane);
}

void BestEffort::enqueue(NodeId id, Waiting waiting) {
  const auto [found, isNew] = lanes_.try_emplace(id);
  Lane& lane = found->second;
  if (isNew) lane.charge = pipes::Charge(memory_);
  if (lane.empty() && laneHasRoom(id)) {
    transmit(id, waiting);
    return;
  }
  waiting.order = ++order_;
  lane.bytes += waiting.record->size();
  lane.waiting[priorityOf(std::get<2>(waiting.stream))].push_back(std::move(waiting));
  while (lane.bytes > mostWaiting || !lane.charge.set(lane.bytes)) dropOldest(lane);
}

void BestEffort::dropOldest(Lane& lane) {
  auto& queue = lane.waiting[lane.waiting[0].empty() ? 1 : 0];
  lane.bytes -= queue.front().record->size();
  drop(queue.front());
  queue.pop_front();
}

void BestEffort::drop(const Waiting& waiting) {
  for (const Section& section : waiting.sections)
    countLost(section.node, waiting.stream, section.receivers.size());
}

void BestEffort::transmit(NodeId lane, const Waiting& waiting) {
  const auto& [execution, sender, classKey] = waiting.stream;
  message_.clear();
  append(message_, BestEffortHead{execution, waiting.tableChanges, sender, classKey,
                                  static_cast<std::uint32_t>(waiting.sections.size()), 0});
  for (const Section& section : waiting.sections) {
    const auto found = nodes_.find(section.node);
    // One that has just gone: nobody reads it.
    Node gone;
    Node& node = found == nodes_.end() ? gone : found->second;
    const auto count = static_cast<std::uint32_t>(section.receivers.size());
    Sent& sent = node.sent[waiting.stream];
    append(message_, BestEffortSection{node.token, sent.number, count, 0});
    sent.number += count;
    ++node.traffic.messagesSent;
    for (const FederateNumber receiver : section.receivers) append(message_, receiver);
  }
  message_.insert(message_.end(), waiting.record->begin(), waiting.record->end());
  for (const Section& section : waiting.sections) {
    const auto found = nodes_.find(section.node);
    if (found != nodes_.end()) found->second.traffic.bytesSent += message_.size();
  }
  if (lane == groupLane) {
    port_->sendToGroup(message_);
  } else {
    port_->send(lane, message_);
  }
}

void BestEffort::proceed() {
  for (auto& [id, lane] : lanes_) {
    while (!lane.empty()) {
      if (id != groupLane && !port_->reaches(id)) {
        // It will not get better soon; what follows goes over the link.
        while (!lane.empty()) dropOldest(lane);
        lane.charge.set(0);
        break;
      }
      if (!laneHasRoom(id)) break;
      auto& low = lane.waiting[0];
      auto& high = lane.waiting[1];
      auto& queue =
          low.empty() || (!high.empty() && high.front().order < low.front().order) ? high : low;
      lane.bytes -= queue.front().record->size();
      lane.charge.set(lane.bytes);
      transmit(id, queue.front());
      queue.pop_front();
    }
  }
}

void BestEffort::flush() {
  if (!early_.empty()) retryEarly(Clock::now());
  port_->flush();
  proceed();
}

void BestEffort::timeout() {
  port_->timeout();
  proceed();
}

// --- what comes ----------------------------------------------------------------------------------

bool BestEffort::ready() {
  const bool all =
      port_->receive([this](NodeId from, auto message) { takeMessage(from, message); });
  proceed();
  port_->flush();
  return all;
}

/// All up to there that has not come is lost: what comes of it still is dropped, because something
/// newer has been delivered.
void BestEffort::missed(NodeId id, Node& node, const Stream& stream, std::uint64_t until) {
  std::uint64_t* next = paidNumber(node.received, stream);
  if (next == nullptr || until <= *next) return;
  countLost(id, stream, until - *next);
  *next = until;
}

BestEffort::Residence BestEffort::residence(std::uint64_t execution, FederateNumber federate,
                                            NodeId node) const {
  const auto place = places_.find({execution, federate});
  if (place != places_.end()) {
    return place->second == node ? Residence::There : Residence::Elsewhere;
  }
  // The home decides where they live; it tells a linked node with the log.
  return atHome_ ? Residence::Elsewhere : Residence::Unknown;
}

void BestEffort::reportForeign(NodeId from, FederateNumber sender) {
  const auto node = nodes_.find(from);
  const std::string name = node == nodes_.end() ? "?" : node->second.where.address().text();
  if (!told_.mayTell(name)) return;
  spdlog::warn(
      "best effort of the node at {} is dropped: it speaks for federate {}, which does not "
      "live there; no RTI node of this version does so: look for another program with the "
      "key (told once a minute)",
      name, sender);
}

void BestEffort::takeMessage(NodeId from, std::span<const std::byte> message) {
  BestEffortHead head;
  const auto found = nodes_.find(from);
  const std::size_t bytesCome = message.size();
  if (found == nodes_.end() || !takeFrom(message, head)) return;
  std::optional<std::uint64_t> number;
  std::vector<FederateNumber> receivers;
  for (std::uint32_t i = 0; i < head.sections; ++i) {
    BestEffortSection section;
    if (!takeFrom(message, section) ||
        message.size() / sizeof(FederateNumber) < section.receivers) {
      return;
    }
    const std::size_t bytes = section.receivers * sizeof(FederateNumber);
    if (section.token == port_->token()) {
      number = section.number;
      receivers.resize(section.receivers);
      if (bytes != 0) std::memcpy(receivers.data(), message.data(), bytes);
    }
    message = message.subspan(bytes);
  }
  const auto router = routers_.find(head.execution);
  RecordHead record;
  if (!number || router == routers_.end() || message.size() < sizeof record) return;
  std::memcpy(&record, message.data(), sizeof record);
  if (record.bytes != message.size()) return;

  const Residence lives = residence(head.execution, head.sender, from);
  if (lives == Residence::Elsewhere) return reportForeign(from, head.sender);
  Node& node = found->second;
  const Stream stream{head.execution, head.sender, head.classKey};
  const std::uint64_t* next = paidNumber(node.received, stream);
  if (next == nullptr || *number < *next) return;  // late: counted as lost, or there twice
  missed(from, node, stream, *number);
  node.received[stream] = *number + receivers.size();
  ++node.traffic.messagesReceived;
  node.traffic.bytesReceived += bytesCome;

  const std::pair key(head.execution, head.sender);
  if (lives == Residence::There && !early_.contains(key) &&
      !router->second->isTooEarly(head.sender, head.tableChanges, message)) {
    deliver(from, *router->second, head.sender, head.classKey, receivers, message);
    return;
  }
  if (earlyBytes_ + message.size() > mostEarly || !earlyCharge_.add(message.size())) {
    countLost(from, stream, receivers.size());
    return;
  }
  earlyBytes_ += message.size();
  early_[key].push_back({from, head.tableChanges, head.classKey, std::move(receivers),
                         Bytes(message.begin(), message.end()), Clock::now()});
}

void BestEffort::forgetEarly(std::uint64_t execution) {
  std::erase_if(early_, [&](const auto& item) {
    if (item.first.first != execution) return false;
    for (const Early& one : item.second) earlyBytes_ -= one.record.size();
    return true;
  });
  earlyCharge_.set(earlyBytes_);
}

void BestEffort::retryEarly(Clock::time_point now) {
  for (auto item = early_.begin(); item != early_.end();) {
    auto& [key, queue] = *item;
    Router& router = *routers_.at(key.first);
    while (!queue.empty()) {
      Early& one = queue.front();
      const Residence lives = residence(key.first, key.second, one.from);
      const bool tooEarly = lives == Residence::Unknown ||
                            router.isTooEarly(key.second, one.tableChanges, one.record);
      if (lives == Residence::Elsewhere) {
        reportForeign(one.from, key.second);
      } else if (tooEarly && now - one.since < earlyPatience) {
        break;
      } else if (tooEarly) {
        countLost(one.from, {key.first, key.second, one.classKey}, one.receivers.size());
      } else {
        deliver(one.from, router, key.second, one.classKey, one.receivers, one.record);
      }
      earlyBytes_ -= one.record.size();
      earlyCharge_.set(earlyBytes_);
      queue.pop_front();
    }
    item = queue.empty() ? early_.erase(item) : std::next(item);
  }
}

void BestEffort::deliver(NodeId from, Router& router, FederateNumber sender, ClassKey classKey,
                         std::span<const FederateNumber> receivers,
                         std::span<const std::byte> record) {
  std::size_t dropped = 0;
  try {
    dropped = router.takeDirectly(sender, receivers, record);
  } catch (const std::bad_alloc&) {
    spdlog::error("best effort is dropped: the memory budget is used up; set TUTTI_MEMORY to more");
    dropped = receivers.size();
  }
  if (dropped != 0) countLost(from, {router.number(), sender, classKey}, dropped);
}

// --- what was lost -------------------------------------------------------------------------------

void BestEffort::countLost(NodeId node, const Stream& stream, std::uint64_t count) {
  // Of one that has gone there is no link to be shown any more.
  if (const auto found = nodes_.find(node); found != nodes_.end()) {
    found->second.traffic.lost += count;
  }
  lost_[port_->token()][stream] += count;
  lostSince_.insert(stream);
  showLost(stream);
}

std::uint64_t* BestEffort::paidNumber(std::map<Stream, std::uint64_t>& numbers,
                                      const Stream& stream) {
  if (const auto found = numbers.find(stream); found != numbers.end()) return &found->second;
  if (!streamsCharge_.add(bytesOfStream)) return nullptr;
  return &numbers[stream];
}

void BestEffort::payForStreams() {
  std::size_t count = 0;
  for (const auto& [id, node] : nodes_) count += node.received.size();
  for (const auto& [origin, streams] : lost_) {
    if (origin != port_->token()) count += streams.size();
  }
  streamsCharge_.set(count * bytesOfStream);
}

void BestEffort::showLost(const Stream& stream) {
  const auto& [execution, sender, classKey] = stream;
  const auto router = routers_.find(execution);
  if (router == routers_.end()) return;
  std::uint64_t all = 0;
  for (const auto& [origin, streams] : lost_) {
    const auto found = streams.find(stream);
    if (found != streams.end()) all += found->second;
  }
  std::uint64_t& shown = shown_[stream];
  if (all > shown && router->second->showLost(sender, classKey, all - shown)) shown = all;
}

void BestEffort::sendReports(Clock::time_point now) {
  if (now < nextReports_) return;
  nextReports_ = now + reportInterval;
  if (!lostSince_.empty()) {
    BestEffortLost lost{port_->token(), {}};
    const auto& own = lost_[port_->token()];
    for (const Stream& stream : lostSince_) {
      const auto& [execution, sender, classKey] = stream;
      lost.lost.push_back({execution, sender, classKey, own.at(stream)});
    }
    lostSince_.clear();
    toLinks(home, linkMessage(LinkMessage::BestEffortLost, 0, lost));
  }
  if (port_->hasGroup() && !port_->groupHasRoom()) return;
  for (auto& [id, node] : nodes_) {
    // What is half sent will be longer on its way.
    if (!port_->hasRoom(id)) continue;
    BestEffortSent report{0, id, {}};
    for (auto& [stream, sent] : node.sent) {
      if (sent.number == sent.reported) continue;
      sent.reported = sent.number;
      const auto& [execution, sender, classKey] = stream;
      report.streams.push_back({execution, sender, classKey, sent.number});
    }
    if (report.streams.empty()) continue;
    send_(atHome_ ? id : home, linkMessage(LinkMessage::BestEffortSent, 0, report));
  }
}

void BestEffort::takeReports(Clock::time_point now) {
  for (auto& [id, node] : nodes_) {
    while (!node.reports.empty() && node.reports.front().due <= now) {
      for (const ClassNumber& one : node.reports.front().streams) {
        if (!routers_.contains(one.execution) ||
            residence(one.execution, one.sender, id) != Residence::There) {
          continue;
        }
        missed(id, node, {one.execution, one.sender, one.classKey}, one.number);
      }
      node.reports.pop_front();
    }
  }
}

void BestEffort::tick(Clock::time_point now) {
  port_->tick(now);
  // Whatever lies in the socket was sent before what is reported to be missing.
  constexpr int limit = 64;
  for (int i = 0; i < limit && !ready(); ++i) {
  }
  takeReports(now);
  if (!early_.empty()) retryEarly(now);
  sendReports(now);
}

std::vector<BestEffort::Way> BestEffort::ways() const {
  std::vector<Way> result;
  for (const auto& [id, node] : nodes_) {
    result.push_back({id, node.where.address().text(), port_->reaches(id), port_->groupReaches(id),
                      port_->largestTo(id)});
  }
  return result;
}

std::optional<BestEffort::Traffic> BestEffort::trafficWith(NodeId id) const {
  const auto found = nodes_.find(id);
  if (found == nodes_.end()) return std::nullopt;
  Traffic traffic = found->second.traffic;
  traffic.direct = port_->reaches(id) || port_->groupReaches(id);
  const auto missedThere = lost_.find(found->second.token);
  if (missedThere == lost_.end()) return traffic;
  for (const auto& [stream, count] : missedThere->second) {
    // What others have sent there, be they gone since, is not of this link.
    if (found->second.sent.contains(stream)) traffic.lost += count;
  }
  return traffic;
}

}  // namespace tutti::router
