// SPDX-License-Identifier: Apache-2.0
// What need not arrive: it is written where there is room, waits for some, or is dropped and
// counted (docs/decisions/0017-best-effort-goes-straight-and-is-counted.md).
#include <algorithm>
#include <utility>

#include "core/outbox.h"
#include "core/records.h"

namespace tutti::core {
namespace {

using fabric::RecordHead;
using fabric::RecordType;

/// Bytes of best effort that wait for one receiver.
constexpr std::size_t largestKept = std::size_t{4} << 20;

}  // namespace

// --- counts --------------------------------------------------------------------------------------

std::span<const std::byte> Outbox::bodyOf(std::span<const std::byte> record) const {
  RecordHead head;
  std::memcpy(&head, record.data(), sizeof head);
  const auto body = record.subspan(sizeof head);
  if ((head.flags & fabric::recordFlag::chunk) == 0) return body;
  fabric::ChunkReference reference;
  std::memcpy(&reference, body.data(), sizeof reference);
  const std::byte* at = around_.arena->at(reference.offset, reference.bytes);
  return at == nullptr ? std::span<const std::byte>() : std::span(at, reference.bytes);
}

void Outbox::countDropped(RecordType type, std::span<const std::byte> body,
                          std::uint64_t receivers) {
  auto& all = around_.counters->bestEffortDropped;
  all.store(all.load(std::memory_order_relaxed) + receivers, std::memory_order_relaxed);
  if (const auto key = classKeyOf(type, body)) around_.dropped->add(*key, receivers);
}

void Outbox::countDropped(std::span<const std::byte> record, std::uint64_t receivers) {
  RecordHead head;
  std::memcpy(&head, record.data(), sizeof head);
  countDropped(head.type, bodyOf(record), receivers);
}

void Outbox::countDropped(const Link& link, std::span<const std::byte> record) {
  std::uint32_t receivers = 1;
  if (link.receiver == via_) {
    std::memcpy(&receivers, record.last(sizeof receivers).data(), sizeof receivers);
  }
  countDropped(record, receivers);
}

// --- large bodies --------------------------------------------------------------------------------

/// Takes more memory where the sender of something reliable would wait: hasRoomForBody() and keep()
/// see to it that no receiver can ask for much.
std::span<std::byte> Outbox::droppableBody(std::size_t bytes) {
  if (around_.spills) return reliableBody(bytes);  // then nobody is waited for anyway
  writtenBytes_ = bytes;
  const std::uint64_t usual = std::max<std::uint64_t>(largestUnread, leastUnreadBodies * bytes);
  for (;;) {
    const bool full = droppable_.bytes() + bytes > usual;
    written_ = droppable_.unused(bytes, full);
    if (written_ != ChunkPool::none) break;
    if (full) droppable_.giveBackUnused();
    try {
      written_ = droppable_.allocate(bytes);
      break;
    } catch (const ServiceFault& fault) {
      if (fault.fault == Fault::NotConnected) throw;
      if (dropOldestOfAll()) continue;
      if (droppable_.unread().empty()) throw;
      refused_.resize(bytes);
      return refused_;
    }
  }
  writtenOffset_ = droppable_.offset(written_);
  return droppable_.memory(written_, bytes);
}

void Outbox::sendDroppableBody(std::span<const std::byte> record,
                               std::span<const FederateNumber> receivers) {
  if (written_ == ChunkPool::none) {
    RecordHead head;
    std::memcpy(&head, record.data(), sizeof head);
    countDropped(head.type, refused_, receivers.size());
    return;
  }
  sendToEach(receivers, record, written_, [this, record](Link& to) { writeDroppableBody(to, record); });
}

/// Of a record that refers to the chunk written last.
void Outbox::writeDroppableBody(Link& link, std::span<const std::byte> record) {
  if (link.attention) tend(link);
  if (link.keeps() || !hasRoomForBody(link, writtenBytes_)) {
    keep(link, record);
  } else if (write(link, record, false, true)) {
    noteUse(link, droppable_, written_);
    noteBody(link, writtenBytes_);
  }
}

bool Outbox::hasRoomForBody(Link& link, std::size_t bytes) {
  while (!link.unread.empty() && passed(link.receiver, link.unread.front().position)) {
    link.unreadBytes -= link.unread.front().bytes;
    link.unread.pop_front();
  }
  return link.unread.size() < leastUnreadBodies || link.unreadBytes + bytes <= largestUnread;
}

/// One stands in the ring now.
void Outbox::noteBody(Link& link, std::size_t bytes) {
  link.unread.push_back({link.ring.tail(), bytes});
  link.unreadBytes += bytes;
}

// --- what waits for room -------------------------------------------------------------------------

void Outbox::keep(Link& link, std::span<const std::byte> record) {
  RecordHead head;
  std::memcpy(&head, record.data(), sizeof head);
  const bool inChunk = (head.flags & fabric::recordFlag::chunk) != 0;
  const std::size_t chunk = inChunk ? written_ : ChunkPool::none;
  const std::size_t bytes = record.size() + (inChunk ? writtenBytes_ : 0);
  const std::size_t priority = head.type == RecordType::Interaction ? 1 : 0;
  while (link.keeps() && link.keptBytes + bytes > largestKept) {
    if (priority == 0 && link.kept[0].empty()) {
      // Nothing but interactions wait: this is the oldest update.
      countDropped(link, record);
      return;
    }
    dropOldest(link);
  }
  link.kept[priority].push_back({++keptOrder_, {record.begin(), record.end()}, chunk, bytes});
  link.keptBytes += bytes;
  link.attention = true;
  ++kept_;
  if (inChunk) droppable_.uses(chunk).push_back({link.receiver, ChunkPool::notYetWritten});
}

void Outbox::dropOldest(Link& link) {
  auto& queue = link.kept[link.kept[0].empty() ? 1 : 0];
  const Link::Kept& oldest = queue.front();
  countDropped(link, oldest.record);
  if (oldest.chunk != ChunkPool::none) droppable_.withdraw(oldest.chunk, link.receiver);
  link.keptBytes -= oldest.bytes;
  queue.pop_front();
  --kept_;
}

/// False: nothing waits.
bool Outbox::dropOldestOfAll() {
  for (const std::size_t priority : {0, 1}) {
    Link* oldest = nullptr;
    for (const auto& [receiver, link] : links_) {
      if (link->kept[priority].empty()) continue;
      if (oldest == nullptr ||
          link->kept[priority].front().order < oldest->kept[priority].front().order) {
        oldest = link.get();
      }
    }
    if (oldest == nullptr) continue;
    dropOldest(*oldest);
    return true;
  }
  return false;
}

/// `atLast`: as much as the ring takes, however much its receiver has still to read.
void Outbox::sendKept(Link& link, bool atLast) {
  while (link.keeps()) {
    const bool updateFirst =
        link.kept[1].empty() ||
        (!link.kept[0].empty() && link.kept[0].front().order < link.kept[1].front().order);
    auto& queue = link.kept[updateFirst ? 0 : 1];
    const Link::Kept& oldest = queue.front();
    const bool inChunk = oldest.chunk != ChunkPool::none;
    if (inChunk && !atLast && !hasRoomForBody(link, oldest.bytes)) return;
    if (!tryWriteSpilling(link, oldest.record)) return;
    if (inChunk) {
      link.lastChunk = link.ring.tail();
      droppable_.written(oldest.chunk, link.receiver, link.lastChunk);
      noteBody(link, oldest.bytes);
    }
    link.keptBytes -= oldest.bytes;
    queue.pop_front();
    --kept_;
  }
}

void Outbox::sendKept() {
  for (auto& [receiver, link] : links_) sendKept(*link);
}

void Outbox::dropKept() {
  for (auto& [receiver, link] : links_) {
    sendKept(*link, true);
    while (link->keeps()) dropOldest(*link);
  }
}

}  // namespace tutti::core
