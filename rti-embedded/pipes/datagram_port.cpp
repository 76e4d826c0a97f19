// SPDX-License-Identifier: Apache-2.0
#include "pipes/datagram_port.h"

#include <sys/random.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tutti::pipes {

namespace {

/// Datagrams read in one go, before anything else has its turn.
constexpr std::size_t mostDatagrams = 512;
/// So many probes of a size without an answer, and a smaller one is tried; of a size that has been
/// answered more, for they follow each other faster then.
constexpr unsigned probesPerSize = 4;
constexpr unsigned probesPerAnsweredSize = 8;
/// While there is no answer yet, probes follow each other faster.
constexpr std::chrono::milliseconds firstProbes{50};
constexpr unsigned fastProbes = 24;
/// And when so many in a row were not answered: a lossy way must not be taken for one that ends.
constexpr unsigned doubtfulProbes = 2;
constexpr std::chrono::milliseconds doubtfulInterval{100};
constexpr std::size_t leastWindow = std::size_t{32} << 10;

DatagramHead headTo(std::uint64_t token, std::uint64_t from, bool group) {
  DatagramHead head;
  head.token = token;
  head.from = from;
  head.flags = group ? datagramFlag::group : std::uint8_t{0};
  return head;
}

std::vector<std::size_t> sizesUpTo(std::size_t largest) {
  std::vector<std::size_t> sizes{largest};
  for (const std::size_t one : {usualDatagram, leastDatagram}) {
    if (one < sizes.back()) sizes.push_back(one);
  }
  return sizes;
}

}  // namespace

std::uint64_t DatagramPort::randomToken() {
  std::uint64_t token = 0;
  while (token == 0) {
    if (::getrandom(&token, sizeof token, 0) != sizeof token && errno != EINTR) break;
  }
  return token;
}

tl::expected<std::unique_ptr<DatagramPort>, std::string> DatagramPort::make(
    std::unique_ptr<DatagramWire> wire, const Options& options) {
  std::unique_ptr<DatagramPort> port(new DatagramPort(std::move(wire), options));
  if (!port->timer_) {
    return tl::unexpected(std::string("no timer for datagrams: ") + std::strerror(errno));
  }
  return port;
}

DatagramPort::DatagramPort(std::unique_ptr<DatagramWire> wire, const Options& options)
    : wire_(std::move(wire)),
      options_(options),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      token_(randomToken()),
      reassembly_(Reassembly::mostBytes, options.memory) {}

// --- who is there --------------------------------------------------------------------------------

void DatagramPort::startSources(PeerId id, Peer& peer) {
  peer.source = std::make_unique<DatagramSource>(2 * id, reassembly_);
  peer.groupSource = std::make_unique<DatagramSource>(2 * id + 1, reassembly_);
}

DatagramWire::Sent DatagramPort::transmit(const SocketAddress& where, Sealer* sealer,
                                          std::span<const std::byte> datagram) {
  if (!options_.sealed) return wire_->send(where, datagram);
  const auto sealed = sealer != nullptr ? sealer->seal(datagram) : std::span<const std::byte>();
  return sealed.empty() ? DatagramWire::Sent::Failed : wire_->send(where, sealed);
}

void DatagramPort::makeGroupOpener(Peer& peer) {
  if (!options_.sealed || !group_) return;
  peer.groupOpener = std::make_unique<Opener>(group_->key, peer.token, group_->token);
}

void DatagramPort::addPeer(PeerId id, const SocketAddress& where, std::uint64_t token,
                           std::span<const std::byte> key) {
  removePeer(id);
  Peer& peer = peers_[id];
  peer.where = where;
  peer.token = token;
  peer.direct.sizes = sizesUpTo(wire_->largestTo(where));
  peer.viaGroup.sizes = {leastDatagram};
  if (options_.sealed) {
    peer.sealer = std::make_unique<Sealer>(key, token_, token);
    peer.opener = std::make_unique<Opener>(key, token, token_);
    makeGroupOpener(peer);
  }
  peer.path = std::make_unique<DatagramPath>(
      headTo(token, token_, false),
      [this, where, sealer = peer.sealer.get()](std::span<const std::byte> datagram) {
        return transmit(where, sealer, datagram);
      });
  peer.path->setLargest(leastDatagram - overhead());
  peer.path->setDeadline(options_.deadline);
  startSources(id, peer);
  byToken_[token] = id;
}

void DatagramPort::removePeer(PeerId id) {
  const auto found = peers_.find(id);
  if (found == peers_.end()) return;
  figures_.sent += found->second.path->sentDatagrams();
  figures_.duplicates +=
      found->second.source->duplicates() + found->second.groupSource->duplicates();
  byToken_.erase(found->second.token);
  if (group_) group_->path->removeReceiver(found->second.token);
  peers_.erase(found);
  std::erase_if(acks_, [id](const auto& item) { return item.first.first == id; });
}

void DatagramPort::openGroup(std::unique_ptr<DatagramWire> wire, const SocketAddress& group,
                             std::uint64_t token, std::span<const std::byte> key) {
  group_ = std::make_unique<Group>();
  group_->wire = std::move(wire);
  group_->where = group;
  group_->token = token;
  if (options_.sealed) {
    group_->key.assign(key.begin(), key.end());
    group_->sealer = std::make_unique<Sealer>(key, token_, token);
    for (auto& [id, peer] : peers_) makeGroupOpener(peer);
  }
  group_->prober.sizes = sizesUpTo(wire_->largestTo(group));
  group_->path = std::make_unique<DatagramPath>(
      headTo(token, token_, true),
      [this, group, sealer = group_->sealer.get()](std::span<const std::byte> datagram) {
        return transmit(group, sealer, datagram);
      });
  group_->path->setDeadline(options_.deadline);
  group_->path->setLargest(group_->prober.sizes.front() - overhead());
}

bool DatagramPort::reaches(PeerId id) const {
  const auto found = peers_.find(id);
  return found != peers_.end() && found->second.works;
}

bool DatagramPort::isInterrupted(PeerId id, std::chrono::milliseconds grace) const {
  const auto found = peers_.find(id);
  if (found == peers_.end() || found->second.works || found->second.groupWorks) return false;
  const auto answeredAfter = Clock::now() - patience - grace;
  const auto wasThere = [&](const Prober& prober) {
    return prober.answered && *prober.answered > answeredAfter;
  };
  return wasThere(found->second.direct) || wasThere(found->second.viaGroup);
}

bool DatagramPort::groupReaches(PeerId id) const {
  const auto found = peers_.find(id);
  return group_ && found != peers_.end() && found->second.groupWorks;
}

std::size_t DatagramPort::largestTo(PeerId id) const {
  const auto found = peers_.find(id);
  return found == peers_.end() ? 0 : found->second.path->largest() + overhead();
}

// --- sending -------------------------------------------------------------------------------------

bool DatagramPort::hasRoom(PeerId id) const {
  const auto found = peers_.find(id);
  return found != peers_.end() && found->second.path->hasRoom();
}

bool DatagramPort::groupHasRoom() const { return group_ && group_->path->hasRoom(); }

void DatagramPort::send(PeerId id, std::span<const std::byte> message) {
  const auto found = peers_.find(id);
  if (found != peers_.end()) found->second.path->send(message, Clock::now());
}

void DatagramPort::sendToGroup(std::span<const std::byte> message) {
  if (group_) group_->path->send(message, Clock::now());
}

void DatagramPort::flush() {
  const auto now = Clock::now();
  for (auto& [id, peer] : peers_) peer.path->flush(now);
  if (group_) group_->path->flush(now);
  arm();
}

void DatagramPort::timeout() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(timer_.get(), &count, sizeof count);
  armed_.reset();
  const auto now = Clock::now();
  for (auto& [id, peer] : peers_) peer.path->proceed(now);
  if (group_) group_->path->proceed(now);
  arm();
}

void DatagramPort::arm() {
  std::optional<Clock::time_point> next;
  const auto consider = [&](const DatagramPath& path) {
    const auto due = path.due();
    if (due && (!next || *due < *next)) next = due;
  };
  for (const auto& [id, peer] : peers_) consider(*peer.path);
  if (group_) consider(*group_->path);
  if (!next || (armed_ && *armed_ <= *next)) return;
  armed_ = next;
  const auto left = std::chrono::nanoseconds(*next - Clock::now());
  const auto wait = std::max(left, std::chrono::nanoseconds(1));
  itimerspec when{};
  when.it_value.tv_sec = static_cast<time_t>(wait.count() / 1'000'000'000);
  when.it_value.tv_nsec = static_cast<long>(wait.count() % 1'000'000'000);
  ::timerfd_settime(timer_.get(), 0, &when, nullptr);
}

// --- probes --------------------------------------------------------------------------------------

void DatagramPort::probe(const SocketAddress& where, Sealer* sealer, DatagramHead head,
                         std::size_t bytes) {
  std::vector<std::byte> datagram(std::max(bytes - overhead(), sizeof head));
  head.kind = DatagramKind::Probe;
  head.sequence = bytes;
  std::memcpy(datagram.data(), &head, sizeof head);
  transmit(where, sealer, datagram);
}

void DatagramPort::tick(Clock::time_point now) {
  reassembly_.expire(now);
  const auto ask = [&](Prober& prober, const SocketAddress& where, Sealer* sealer,
                       const DatagramHead& head) {
    if (now < prober.next) return;
    const unsigned enough = prober.answered ? probesPerAnsweredSize : probesPerSize;
    if (prober.unanswered >= enough && prober.at + 1 < prober.sizes.size()) {
      ++prober.at;
      prober.unanswered = 0;
    } else if (prober.unanswered >= fastProbes) {
      // Nothing gets through. The way may change one day, and begin with its full width.
      prober.at = 0;
      prober.unanswered = 0;
      prober.sizes = sizesUpTo(wire_->largestTo(where));
    }
    const bool fast = !prober.answered && prober.unanswered < fastProbes;
    ++prober.unanswered;
    const bool doubtful = prober.works(now) && prober.unanswered >= doubtfulProbes;
    prober.next = now + (fast ? firstProbes : doubtful ? doubtfulInterval : probeInterval);
    probe(where, sealer, head, prober.sizes[prober.at]);
  };
  for (auto& [id, peer] : peers_) {
    ask(peer.direct, peer.where, peer.sealer.get(), headTo(peer.token, token_, false));
    peer.works = peer.direct.works(now);
    const bool groupWorked = std::exchange(peer.groupWorks, peer.viaGroup.works(now));
    if (groupWorked && !peer.groupWorks) group_->path->removeReceiver(peer.token);
  }
  if (!group_ || peers_.empty()) return;
  Prober& prober = group_->prober;
  prober.answered.reset();
  for (const auto& [id, peer] : peers_) {
    if (peer.viaGroup.answered) prober.answered = peer.viaGroup.answered;
  }
  if (prober.answered && prober.works(now)) prober.unanswered = 0;
  ask(prober, group_->where, group_->sealer.get(), headTo(group_->token, token_, true));
  group_->path->setLargest(prober.sizes[prober.at] - overhead());
}

void DatagramPort::answer(Peer& peer, const DatagramHead& probe, std::size_t bytes) {
  struct {
    DatagramHead head;
    ProbeReport report;
  } datagram{headTo(peer.token, token_, (probe.flags & datagramFlag::group) != 0), {}};
  datagram.head.kind = DatagramKind::ProbeAnswer;
  datagram.head.sequence = probe.sequence;
  // A datagram takes more of the buffer than its bytes, and others send here too.
  const std::size_t buffer = (probe.flags & datagramFlag::group) != 0 && group_
                                 ? group_->wire->receiveBuffer()
                                 : wire_->receiveBuffer();
  datagram.report = {static_cast<std::uint32_t>(bytes),
                     static_cast<std::uint32_t>(std::max(buffer / 4, leastWindow))};
  transmit(peer.where, peer.sealer.get(),
           {reinterpret_cast<const std::byte*>(&datagram), sizeof datagram});
}

void DatagramPort::answered(Peer& peer, const DatagramHead& head,
                            std::span<const std::byte> payload, Clock::time_point now) {
  ProbeReport report;
  if (payload.size() != sizeof report) return;
  std::memcpy(&report, payload.data(), sizeof report);
  const std::size_t window = std::max<std::size_t>(report.window, leastWindow);
  if ((head.flags & datagramFlag::group) != 0) {
    // Of the size that the group has now, or of an earlier, larger one.
    if (!group_ || report.bytes < group_->path->largest() + overhead()) return;
    peer.viaGroup.answered = now;
    peer.groupWorks = true;
    group_->path->setReceiver(peer.token, window);
    return;
  }
  Prober& prober = peer.direct;
  const auto size = std::find(prober.sizes.begin(), prober.sizes.end(), report.bytes);
  if (size == prober.sizes.end()) return;
  // A larger one may be answered after a smaller one is being tried: then it is the one.
  const auto at = static_cast<std::size_t>(size - prober.sizes.begin());
  prober.at = std::min(prober.at, at);
  if (at > prober.at) return;
  prober.unanswered = 0;
  prober.answered = now;
  peer.works = true;
  peer.path->setLargest(report.bytes - overhead());
  peer.path->setReceiver(peer.token, window);
}

// --- receiving -----------------------------------------------------------------------------------

bool DatagramPort::drain(DatagramWire& wire, bool isGroup, const Take& takeMessage) {
  const auto now = Clock::now();
  for (std::size_t i = 0; i < mostDatagrams; ++i) {
    const auto datagram = wire.receive();
    if (!datagram) return true;
    take(*datagram, isGroup, now, takeMessage);
  }
  return false;
}

bool DatagramPort::receive(const Take& takeMessage) {
  bool all = drain(*wire_, false, takeMessage);
  if (group_) all = drain(*group_->wire, true, takeMessage) && all;
  sendAcks();
  // Acknowledgements make room.
  const auto now = Clock::now();
  for (auto& [id, peer] : peers_) {
    if (!peer.path->hasRoom()) peer.path->proceed(now);
  }
  if (group_ && !group_->path->hasRoom()) group_->path->proceed(now);
  arm();
  return all;
}

void DatagramPort::take(std::span<const std::byte> datagram, bool fromGroup, Clock::time_point now,
                        const Take& takeMessage) {
  DatagramHead head;
  if (datagram.size() < sizeof head) {
    ++figures_.strange;
    return;
  }
  std::memcpy(&head, datagram.data(), sizeof head);
  const std::uint64_t own = fromGroup ? group_->token : token_;
  if (head.from == token_) return;  // of our own, to the group
  const auto known = byToken_.find(head.from);
  if (head.magic != DatagramHead::magicValue || head.version != DatagramHead{}.version ||
      head.token != own || known == byToken_.end()) {
    ++figures_.strange;
    return;
  }
  const PeerId id = known->second;
  Peer& peer = peers_.at(id);
  const std::size_t bytes = datagram.size();
  if (options_.sealed) {
    Opener* opener = fromGroup ? peer.groupOpener.get() : peer.opener.get();
    const auto result =
        opener != nullptr ? opener->open(datagram, datagram) : Opener::Result::Forged;
    if (result != Opener::Result::Opened) {
      ++(result == Opener::Result::Repeated ? figures_.duplicates : figures_.strange);
      return;
    }
  }
  ++figures_.received;
  const auto payload = datagram.subspan(sizeof head);
  switch (head.kind) {
    case DatagramKind::Probe:
      answer(peer, head, bytes);
      return;
    case DatagramKind::ProbeAnswer:
      answered(peer, head, payload, now);
      return;
    case DatagramKind::Ack:
      if ((head.flags & datagramFlag::group) == 0) {
        peer.path->acknowledged(peer.token, head.sequence);
      } else if (group_) {
        group_->path->acknowledged(peer.token, head.sequence);
      }
      return;
    case DatagramKind::Bundle:
    case DatagramKind::Fragment: {
      DatagramSource& source = fromGroup ? *peer.groupSource : *peer.source;
      if ((head.flags & datagramFlag::wantsAck) != 0) {
        std::uint64_t& highest = acks_[{id, fromGroup}];
        highest = std::max(highest, head.sequence);
      }
      if (!source.take(head, payload, now, [&](auto message) { takeMessage(id, message); })) {
        ++figures_.strange;
      }
      return;
    }
  }
  ++figures_.strange;
}

void DatagramPort::sendAcks() {
  for (const auto& [key, sequence] : acks_) {
    const auto& [id, group] = key;
    const auto found = peers_.find(id);
    if (found == peers_.end()) continue;
    DatagramHead head = headTo(found->second.token, token_, group);
    head.kind = DatagramKind::Ack;
    head.sequence = sequence;
    transmit(found->second.where, found->second.sealer.get(),
             {reinterpret_cast<const std::byte*>(&head), sizeof head});
  }
  acks_.clear();
}

DatagramPort::Figures DatagramPort::figures() const {
  Figures all = figures_;
  for (const auto& [id, peer] : peers_) {
    all.sent += peer.path->sentDatagrams();
    all.duplicates += peer.source->duplicates() + peer.groupSource->duplicates();
  }
  if (group_) all.sent += group_->path->sentDatagrams();
  all.incomplete = reassembly_.givenUp();
  return all;
}

}  // namespace tutti::pipes
