// SPDX-License-Identifier: Apache-2.0
#include "core/outbox.h"

#include <time.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "core/local_federates.h"
#include "core/records.h"
#include "fabric/futex.h"

namespace tutti::core {
namespace {

using fabric::RecordHead;
using fabric::RecordType;

constexpr std::uint64_t firstRing = 4096;
constexpr std::uint64_t largestRing = std::uint64_t{1} << 20;
constexpr std::uint64_t growthFactor = 8;
/// Bytes of records and their chunks that wait for one receiver when the outbox spills.
constexpr std::size_t largestSpill = std::size_t{4} << 20;

std::uint64_t nowNanoseconds() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
}

void add(std::atomic<std::uint64_t>& counter, std::uint64_t amount) {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

}  // namespace

void Outbox::open(Surroundings surroundings) {
  around_ = std::move(surroundings);
  for (ChunkPool* pool : {&chunks_, &droppable_}) {
    pool->open(*around_.connection, *around_.arena,
               [this](const ChunkPool::Use& use) { return passed(use.receiver, use.position); });
  }
}

void Outbox::close() {
  links_.clear();
  byNumber_.clear();
  via_ = 0;
  kept_ = 0;
  chunks_.close();
  droppable_.close();
  written_ = writtenBytes_ = 0;
}

std::vector<FederateNumber> Outbox::receivers() const {
  std::vector<FederateNumber> all;
  for (const auto& [receiver, link] : links_) {
    if (receiver != via_) all.push_back(receiver);
  }
  return all;
}

void Outbox::forget(FederateNumber receiver) {
  if (receiver < byNumber_.size()) byNumber_[receiver] = nullptr;
  const auto found = links_.find(receiver);
  if (found == links_.end()) return;
  kept_ -= found->second->kept[0].size() + found->second->kept[1].size();
  links_.erase(found);
}

Link* Outbox::link(FederateNumber receiver) {
  if (receiver < byNumber_.size() && byNumber_[receiver] != nullptr) return byNumber_[receiver];
  fabric::FederateBlock* block = around_.blockOf(receiver);
  if (block == nullptr) return nullptr;
  auto made = std::make_unique<Link>();
  made->receiver = receiver;
  made->block = block;
  made->via = block->via;
  made->special = around_.spills || made->via != 0;
  const auto keep = [&] {
    if (byNumber_.size() <= receiver) byNumber_.resize(receiver + 1);
    Link* result = made.get();
    byNumber_[receiver] = result;
    links_[receiver] = std::move(made);
    return result;
  };
  if (made->via != 0) return keep();
  try {
    if (!openRing(*made)) return nullptr;
  } catch (const ServiceFault& fault) {
    // An outbox that spills keeps what it sends until there is memory for the ring.
    if (!around_.spills || fault.fault == Fault::NotConnected) throw;
  }
  return keep();
}

/// False: the receiver has just left.
bool Outbox::openRing(Link& link) {
  fabric::OpenRingReply reply;
  try {
    reply = around_.connection->ask<fabric::OpenRingReply>(
        fabric::Request::OpenRing, fabric::OpenRingRequest{link.receiver, firstRing, 0});
  } catch (const ServiceFault& fault) {
    if (fault.fault == Fault::FederateNotExecutionMember) return false;
    throw;
  }
  const auto ring = fabric::ringAt(*around_.arena, reply.ring);
  auto* inbound = around_.arena->as<fabric::InboundBlock>(reply.inboundBlock);
  if (!ring || inbound == nullptr || reply.entry >= fabric::InboundBlock::entryCount) {
    fail(Fault::RTIinternalError, "The RTI node opened a ring outside of the shared memory.");
  }
  link.ring = fabric::RingWriter(ring);
  link.ringOffset = reply.ring;
  link.extentBytes = firstRing;
  link.inbound = inbound;
  link.readyBit = std::uint64_t{1} << reply.entry;
  link.summaryBit = std::uint64_t{1} << (reply.blockIndex % 64);
  link.attention = around_.spills;
  return true;
}

void Outbox::sendSpecially(Link& to, std::span<const std::byte> record, std::size_t chunk) {
  if (to.via != 0) {
    elsewhere_.push_back(to.receiver);
    via_ = to.via;
  } else {
    writeOrSpill(to, record, chunk);
  }
}

void Outbox::sendToRest(const ServiceFault& fault, std::span<const FederateNumber> receivers,
                        std::size_t failed, std::span<const std::byte> record, std::size_t chunk,
                        std::function<void(FederateNumber)> toLink) {
  std::vector<FederateNumber> missed;
  if (failed < receivers.size()) {
    missed.push_back(receivers[failed]);
    for (const FederateNumber receiver : receivers.subspan(failed + 1)) {
      try {
        toLink(receiver);
      } catch (const ServiceFault&) {
        missed.push_back(receiver);
      }
    }
    try {
      if (!elsewhere_.empty()) sendElsewhere(record, chunk);
    } catch (const ServiceFault&) {
    }
  }
  missed.insert(missed.end(), elsewhere_.begin(), elsewhere_.end());
  elsewhere_.clear();
  if (fault.fault == Fault::NotConnected || missed.empty()) throw fault;
  std::string text = "A message did not reach federate " + std::to_string(missed.front());
  if (missed.size() > 1) text += " and " + std::to_string(missed.size() - 1) + " more";
  text += ", of " + std::to_string(receivers.size()) + " receivers; all others got it: ";
  fail(fault.fault, text + fault.text);
}

void Outbox::sendElsewhere(std::span<const std::byte> record, std::size_t chunk) {
  RecordHead head;
  std::memcpy(&head, record.data(), sizeof head);
  const bool bestEffort = mayBeDropped(head.flags);
  // As with a ring that is full: who sends waits, or drops what need not arrive.
  std::uint64_t blockedSince = 0;
  std::erase_if(elsewhere_, [&](FederateNumber receiver) {
    Link& to = *byNumber_[receiver];
    const fabric::FederateBlock& block = *to.block;
    if (around_.spills) {
      if (to.spilled.empty() && block.congested.load(std::memory_order_acquire) == 0) return false;
      spill(to, record, chunk);
      return true;
    }
    while (block.congested.load(std::memory_order_acquire) != 0) {
      if (bestEffort) {
        countDropped(record);
        return true;
      }
      if (blockedSince == 0) blockedSince = nowNanoseconds();
      if (!around_.whileBlocked(receiver)) return true;
    }
    return false;
  });
  if (blockedSince != 0) add(around_.counters->blockedNanoseconds, nowNanoseconds() - blockedSince);
  if (!elsewhere_.empty()) sendByRouter(record, chunk);
  elsewhere_.clear();
}

/// Gives the router a record for those of `elsewhere_`.
void Outbox::sendByRouter(std::span<const std::byte> record, std::size_t chunk) {
  RecordHead head;
  std::memcpy(&head, record.data(), sizeof head);
  const bool bestEffort = mayBeDropped(head.flags);
  const bool timestamped = (head.flags & fabric::recordFlag::timestampOrder) != 0;
  const auto put = [&](const void* data, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(data);
    routed_.insert(routed_.end(), first, first + bytes);
  };
  const auto count = static_cast<std::uint32_t>(elsewhere_.size());
  routed_.assign(record.begin(), record.end());
  put(elsewhere_.data(), count * sizeof(FederateNumber));
  put(&count, sizeof count);
  head.bytes = static_cast<std::uint32_t>(routed_.size());
  std::memcpy(routed_.data(), &head, sizeof head);
  Link* router = link(via_);
  if (router == nullptr) {
    // The federation execution is at its end.
  } else if (around_.spills) {
    writeOrSpill(*router, routed_, chunk);
  } else if (bestEffort && chunk != ChunkPool::none) {
    writeDroppableBody(*router, routed_);
  } else if (write(*router, routed_, timestamped, bestEffort) && chunk != ChunkPool::none) {
    noteUse(*router, chunks_, chunk);
  }
}

void Outbox::sendToHosts(std::span<const std::byte> record, FederateNumber router) {
  via_ = router;
  Link* to = link(router);
  if (to == nullptr) return;
  const std::uint32_t nobody = 0;
  routed_.assign(record.begin(), record.end());
  const auto* first = reinterpret_cast<const std::byte*>(&nobody);
  routed_.insert(routed_.end(), first, first + sizeof nobody);
  RecordHead head;
  std::memcpy(&head, routed_.data(), sizeof head);
  head.bytes = static_cast<std::uint32_t>(routed_.size());
  std::memcpy(routed_.data(), &head, sizeof head);
  if (around_.spills) {
    writeOrSpill(*to, routed_, ChunkPool::none);
  } else {
    write(*to, routed_, false, false);
  }
}

std::string Outbox::findDamage() const {
  for (const auto& [receiver, link] : links_) {
    if (!link->ring) continue;
    const fabric::RingHeader& ring = link->ring.header();
    if (ring.magic == fabric::RingHeader::magicValue && ring.sender == around_.self &&
        ring.receiver == receiver && link->ring.isPlausible() &&
        ring.timestampedSent.load(std::memory_order_relaxed) == link->timestampedSent) {
      continue;
    }
    return "somebody else has written the ring from here to federate " + std::to_string(receiver);
  }
  return {};
}

void Outbox::tend(Link& link) {
  if (!link.former.empty()) releaseFormer(link);
  if (link.keeps()) sendKept(link);
}

void Outbox::notify(Link& link) {
  // The tail was stored before, sequentially consistent. A receiver that watches looks at it again
  // after it has stopped to. If the bit is still set, the receiver has not looked since an earlier
  // record and will see this one as well.
  if (link.ring.header().watched.load(std::memory_order_seq_cst) != 0) return;
  if ((link.inbound->ready.load(std::memory_order_seq_cst) & link.readyBit) != 0) return;
  link.inbound->ready.fetch_or(link.readyBit, std::memory_order_seq_cst);
  link.block->readySummary.fetch_or(link.summaryBit, std::memory_order_seq_cst);
  fabric::wakeIfSleeping(*link.block);
}

void Outbox::releaseFormer(Link& link) {
  std::erase_if(link.former, [&](Link::Former& former) {
    if (!former.ring.passed(former.ring.tail()) || !former.ring.chunksPassed(former.lastChunk)) {
      return false;
    }
    try {
      around_.connection->tell(fabric::Request::Free, fabric::FreeRequest{former.offset});
    } catch (const ServiceFault& fault) {
      // Memory that is not taken back is nothing that a message has to wait for.
      if (fault.fault == Fault::NotConnected) throw;
    }
    return true;
  });
  link.attention = around_.spills || !link.former.empty() || link.keeps();
}

bool Outbox::grow(Link& link, std::size_t recordBytes, bool mayWait) {
  if (link.growthRefused || link.extentBytes >= largestRing) return false;
  // For room for the record that leads to the larger ring.
  if (!mayWait && !link.ring.fits(sizeof(RecordHead))) return false;
  const std::uint64_t wanted = std::min(
      std::max(link.extentBytes * growthFactor, std::bit_ceil(recordBytes * 4)), largestRing);
  fabric::OpenRingReply reply;
  try {
    reply = around_.connection->ask<fabric::OpenRingReply>(
        fabric::Request::OpenRing, fabric::OpenRingRequest{link.receiver, wanted, link.ringOffset});
  } catch (const ServiceFault& fault) {
    if (fault.fault == Fault::NotConnected) throw;
    link.growthRefused = true;  // the memory budget: what there is has to do
    return false;
  }
  const auto larger = fabric::ringAt(*around_.arena, reply.ring);
  if (!larger) {
    link.growthRefused = true;
    return false;
  }
  fabric::RingHeader* const header = larger.header;
  // Positions go on in the new ring, past any that the old one can still reach, so that the uses of
  // chunks stay comparable.
  RecordHead moved{};
  moved.bytes = sizeof moved;
  moved.type = RecordType::Moved;
  const std::uint64_t start = link.ring.tail() + 2 * std::uint64_t{link.ring.capacity()};
  header->timestampedSent.store(link.timestampedSent, std::memory_order_relaxed);
  header->messages.store(link.ring.header().messages.load(std::memory_order_relaxed),
                         std::memory_order_relaxed);
  header->head.store(start, std::memory_order_relaxed);
  header->chunkHead.store(start, std::memory_order_relaxed);
  header->tail.store(start, std::memory_order_relaxed);
  link.ring.header().successor.store(reply.ring, std::memory_order_release);
  fabric::RingWriter next(larger);

  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(&moved), sizeof moved);
  while (!link.ring.tryWrite(bytes, false)) {
    notify(link);
    if (around_.neighbours->empty(link.receiver, around_.self)) continue;
    if (!around_.whileBlocked(link.receiver)) return false;
  }
  notify(link);
  link.former.push_back({link.ring, link.ringOffset, std::exchange(link.lastChunk, 0)});
  link.attention = true;
  link.ring = next;
  link.ringOffset = reply.ring;
  link.extentBytes = wanted;
  return true;
}

bool Outbox::write(Link& link, std::span<const std::byte> record, bool timestamped,
                   bool bestEffort) {
  if (link.attention) {
    tend(link);
    if (bestEffort && link.keeps()) {
      keep(link, record);
      return false;
    }
  }
  Written written = Written::InRing;
  if (!link.ring.tryWrite(record, timestamped)) {
    written = writeLater(link, record, timestamped, bestEffort);
    if (written == Written::Not) return false;
  }
  // Only now: a ring that replaced a full one meanwhile began with the count of those before.
  if (timestamped) ++link.timestampedSent;
  add(around_.counters->bytesSent, record.size());
  notify(link);
  return written == Written::InRing;
}

Outbox::Written Outbox::writeLater(Link& link, std::span<const std::byte> record, bool timestamped,
                                   bool bestEffort) {
  std::uint64_t blockedSince = 0;
  const auto end = [&](Written written) {
    if (blockedSince != 0) {
      add(around_.counters->blockedNanoseconds, nowNanoseconds() - blockedSince);
    }
    return written;
  };
  do {
    if (grow(link, record.size(), !bestEffort)) continue;
    if (bestEffort) {
      keep(link, record);
      return Written::Not;
    }
    if (blockedSince == 0) blockedSince = nowNanoseconds();
    notify(link);
    if (around_.neighbours->append(link.receiver, around_.self, link.ring, record, timestamped)) {
      return end(Written::Beside);
    }
    if (!around_.whileBlocked(link.receiver)) return Written::Not;
  } while (!link.ring.tryWrite(record, timestamped));
  return end(Written::InRing);
}

bool Outbox::tryWriteSpilling(Link& link, std::span<const std::byte> record) {
  if (!link.ring) return false;  // there was no memory for it yet
  // Room is left for the record that leads to a larger ring, which grow() would wait for.
  const std::size_t withMoved = record.size() + 2 * sizeof(RecordHead);
  if (!link.ring.fits(withMoved) && !(link.ring.fits(sizeof(RecordHead)) &&
                                      grow(link, record.size()) && link.ring.fits(withMoved))) {
    return false;
  }
  link.ring.tryWrite(record, false);
  add(around_.counters->bytesSent, record.size());
  notify(link);
  return true;
}

void Outbox::writeOrSpill(Link& link, std::span<const std::byte> record, std::size_t chunk) {
  if (link.attention && !link.former.empty()) releaseFormer(link);
  if (!link.spilled.empty() || !tryWriteSpilling(link, record)) {
    spill(link, record, chunk);
  } else if (chunk != ChunkPool::none) {
    noteUse(link, chunks_, chunk);
  }
}

/// Keeps a record until flush() finds room for it.
void Outbox::spill(Link& link, std::span<const std::byte> record, std::size_t chunk) {
  const std::size_t bytes =
      record.size() + (chunk != ChunkPool::none ? bodyOf(record).size() : 0);
  if (link.spilledBytes != 0 && link.spilledBytes + bytes > largestSpill) {
    RecordHead head;
    std::memcpy(&head, record.data(), sizeof head);
    const bool isData = head.type == RecordType::Update || head.type == RecordType::Interaction;
    if (isData) return countDropped(link, record);
    if (head.type == RecordType::Remove && link.receiver != via_ && forgetSpilled(link, record)) {
      return;
    }
  }
  link.spilled.push_back({{record.begin(), record.end()}, chunk, bytes});
  link.spilledBytes += bytes;
  if (chunk != ChunkPool::none) {
    chunks_.uses(chunk).push_back({link.receiver, ChunkPool::notYetWritten});
  }
}

/// Forgets all that waits about an object instance, when its discovery does. False: it does not.
bool Outbox::forgetSpilled(Link& link, std::span<const std::byte> removal) {
  const auto instanceOf = [this](std::span<const std::byte> record) {
    ObjectInstance instance = 0;  // the first word of each of these bodies
    const auto body = bodyOf(record);
    if (body.size() >= sizeof instance) std::memcpy(&instance, body.data(), sizeof instance);
    return instance;
  };
  const auto typeOf = [](std::span<const std::byte> record) {
    RecordHead head;
    std::memcpy(&head, record.data(), sizeof head);
    return head.type;
  };
  const ObjectInstance instance = instanceOf(removal);
  const auto isDiscovery = [&](const Link::Spilled& one) {
    return typeOf(one.record) == RecordType::Discover && instanceOf(one.record) == instance;
  };
  if (std::none_of(link.spilled.begin(), link.spilled.end(), isDiscovery)) return false;
  std::erase_if(link.spilled, [&](const Link::Spilled& one) {
    const RecordType type = typeOf(one.record);
    if ((type != RecordType::Discover && type != RecordType::Update) ||
        instanceOf(one.record) != instance) {
      return false;
    }
    link.spilledBytes -= one.bytes;
    if (one.chunk != ChunkPool::none) chunks_.withdraw(one.chunk, link.receiver);
    return true;
  });
  return true;
}

void Outbox::noteUse(Link& link, ChunkPool& chunks, std::size_t chunk) {
  link.lastChunk = link.ring.tail();
  chunks.uses(chunk).push_back({link.receiver, link.lastChunk});
}

bool Outbox::flush() {
  bool all = true;
  for (auto& [receiver, link] : links_) {
    if (link->spilled.empty()) continue;
    if (link->via != 0) {
      flushElsewhere(*link);
    } else {
      flush(*link);
    }
    all = all && link->spilled.empty();
  }
  return all;
}

void Outbox::flush(Link& link) {
  if (!link.ring) {
    try {
      if (!openRing(link)) return;
    } catch (const ServiceFault& fault) {
      if (fault.fault == Fault::NotConnected) throw;
      return;  // there is still no memory for it
    }
  }
  while (!link.spilled.empty() && tryWriteSpilling(link, link.spilled.front().record)) {
    const Link::Spilled& first = link.spilled.front();
    link.spilledBytes -= first.bytes;
    if (first.chunk != ChunkPool::none) {
      link.lastChunk = link.ring.tail();
      chunks_.written(first.chunk, link.receiver, link.lastChunk);
    }
    link.spilled.pop_front();
  }
}

/// What waited for a reader of another host goes to the router, as long as that takes it.
void Outbox::flushElsewhere(Link& link) {
  const Link* router = this->link(link.via);
  while (!link.spilled.empty() && (router == nullptr || router->spilled.empty()) &&
         link.block->congested.load(std::memory_order_acquire) == 0) {
    const Link::Spilled first = std::move(link.spilled.front());
    link.spilled.pop_front();
    link.spilledBytes -= first.bytes;
    if (first.chunk != ChunkPool::none) chunks_.withdraw(first.chunk, link.receiver);
    elsewhere_.assign(1, link.receiver);
    via_ = link.via;
    sendByRouter(first.record, first.chunk);
    elsewhere_.clear();
  }
}

bool Outbox::passed(FederateNumber receiver, std::uint64_t position) {
  Link* found = receiver < byNumber_.size() ? byNumber_[receiver] : nullptr;
  if (found == nullptr) return true;  // it left; its rings are no longer read
  for (Link::Former& former : found->former) {
    if (position <= former.ring.tail()) return former.ring.chunkPassed(position);
  }
  return found->ring && found->ring.chunkPassed(position);  // else it waits to be written
}

/// Lets the receiver that has most to read do so. False: there is nobody to wait for. Who has a
/// single chunk to read may be in the callback of it, and there wait for us.
bool Outbox::awaitReaders() {
  const auto unread = chunks_.unread();
  const auto most =
      std::max_element(unread.begin(), unread.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == unread.end() || most->second < 2) return false;
  const FederateNumber receiver = most->first;
  if (!around_.neighbours->empty(receiver, around_.self) && !around_.whileBlocked(receiver)) {
    chunks_.forget(receiver);
  }
  return true;
}

std::size_t Outbox::chunkFor(std::size_t bytes) {
  std::uint64_t blockedSince = 0;
  const auto found = [&](std::size_t chunk) {
    if (blockedSince != 0) {
      add(around_.counters->blockedNanoseconds, nowNanoseconds() - blockedSince);
    }
    return chunk;
  };
  const std::uint64_t limit = std::max<std::uint64_t>(largestUnread, leastUnreadBodies * bytes);
  for (;;) {
    const bool full = chunks_.bytes() + bytes > limit;
    const std::size_t chunk = chunks_.unused(bytes, full);
    if (chunk != ChunkPool::none) return found(chunk);
    const bool mayWait = !around_.spills;
    if (full && mayWait) {
      if (blockedSince == 0) blockedSince = nowNanoseconds();
      if (kept_ != 0) sendKept();
      chunks_.giveBackUnused();
      if (awaitReaders()) continue;
    }
    try {
      return found(chunks_.allocate(bytes));
    } catch (const ServiceFault& fault) {
      if (fault.fault == Fault::NotConnected || !mayWait) throw;
      if (blockedSince == 0) blockedSince = nowNanoseconds();
      if (kept_ != 0) sendKept();
      chunks_.giveBackUnused();
      if (!awaitReaders()) throw;
    }
  }
}

std::span<std::byte> Outbox::reliableBody(std::size_t bytes) {
  written_ = chunkFor(bytes);
  writtenOffset_ = chunks_.offset(written_);
  writtenBytes_ = bytes;
  return {around_.arena->at(writtenOffset_, bytes), bytes};
}

void Outbox::sendBody(RecordHead head, std::span<const FederateNumber> receivers) {
  struct {
    RecordHead head;
    fabric::ChunkReference reference;
  } small{head, {writtenOffset_, writtenBytes_}};
  static_assert(sizeof small == sizeof(RecordHead) + sizeof(fabric::ChunkReference));
  small.head.bytes = sizeof small;
  small.head.flags |= fabric::recordFlag::chunk;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(&small), sizeof small);
  if (mayBeDropped(head.flags) && !around_.spills) {
    sendDroppableBody(bytes, receivers);
    return;
  }
  const bool timestamped = (head.flags & fabric::recordFlag::timestampOrder) != 0;
  sendToEach(receivers, bytes, written_, [this, bytes, timestamped](Link& to) {
    if (write(to, bytes, timestamped, false)) noteUse(to, chunks_, written_);
  });
}

void Outbox::send(std::vector<std::byte>& record, std::span<const FederateNumber> receivers) {
  RecordHead head;
  std::memcpy(&head, record.data(), sizeof head);
  const std::size_t bodyBytes = record.size() - sizeof head;
  if (needsChunk(bodyBytes)) {
    if (receivers.empty()) return;
    std::memcpy(body(bodyBytes, head.flags).data(), record.data() + sizeof head, bodyBytes);
    sendBody(head, receivers);
    return;
  }
  const bool timestamped = (head.flags & fabric::recordFlag::timestampOrder) != 0;
  const bool bestEffort = mayBeDropped(head.flags);
  const std::span<const std::byte> bytes(record);
  sendToEach(receivers, bytes, ChunkPool::none,
             [this, bytes, timestamped, bestEffort](Link& to) {
               write(to, bytes, timestamped, bestEffort);
             });
}

}  // namespace tutti::core
