// SPDX-License-Identifier: Apache-2.0
#include "core/inbox.h"

#include <bit>
#include <cstring>
#include <utility>

namespace tutti::core {

using fabric::InboundBlock;
using fabric::RecordHead;
using fabric::RecordType;

struct Inbox::Source {
  FederateNumber sender = 0;
  fabric::InboundEntry* entry = nullptr;
  fabric::RingReader ring;
  std::deque<std::vector<std::byte>> queue;
  std::uint64_t timestampedTaken = 0;
  bool pending = false;
};

Inbox::Inbox() = default;
Inbox::~Inbox() = default;

void Inbox::open(const fabric::Arena& arena, fabric::FederateBlock& block) {
  const std::lock_guard guard(mutex_);
  arena_ = &arena;
  block_ = &block;
  blocks_ = {&block.inbound};
  sources_.clear();
  sources_.resize(1);
  sources_[0].resize(InboundBlock::entryCount);
  pending_.clear();
}

void Inbox::close() {
  const std::lock_guard guard(mutex_);
  pending_.clear();
  sources_.clear();
  blocks_.clear();
  block_ = nullptr;
}

Inbox::Source* Inbox::sourceAt(std::size_t block, std::size_t entry) {
  fabric::InboundEntry& place = blocks_[block]->entries[entry];
  auto& slot = sources_[block][entry];
  const FederateNumber sender = place.sender.load(std::memory_order_acquire);
  if (slot && slot->sender == sender) return slot.get();
  if (slot && slot->pending) return slot.get();  // still to be read to its end
  const fabric::Offset offset = place.ring.load(std::memory_order_acquire);
  auto* header = arena_->as<fabric::RingHeader>(offset);
  if (sender == 0 || header == nullptr || header->magic != fabric::RingHeader::magicValue ||
      header->capacity == 0 ||
      arena_->at(offset, fabric::ringHeaderBytes + header->capacity) == nullptr) {
    slot.reset();
    return nullptr;
  }
  slot = std::make_unique<Source>();
  slot->sender = sender;
  slot->entry = &place;
  slot->ring = fabric::RingReader(header, header->capacity);
  return slot.get();
}

void Inbox::collectReady() {
  if (block_->readySummary.load(std::memory_order_acquire) == 0) return;
  const std::uint64_t summary = block_->readySummary.exchange(0, std::memory_order_seq_cst);
  for (;;) {
    const fabric::Offset next = blocks_.back()->next.load(std::memory_order_acquire);
    auto* block = arena_->as<InboundBlock>(next);
    if (block == nullptr) break;
    blocks_.push_back(block);
    sources_.emplace_back().resize(InboundBlock::entryCount);
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (((summary >> (b % 64)) & 1) == 0) continue;
    std::uint64_t ready = blocks_[b]->ready.exchange(0, std::memory_order_seq_cst);
    while (ready != 0) {
      const auto entry = static_cast<std::size_t>(std::countr_zero(ready));
      ready &= ready - 1;
      Source* source = sourceAt(b, entry);
      if (source == nullptr || source->pending) continue;
      source->pending = true;
      pending_.push_back(source);
    }
  }
}

void Inbox::copyOut(const RecordHead& head, std::vector<std::byte>& record) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&head);
  if ((head.flags & fabric::recordFlag::chunk) == 0) {
    record.assign(bytes, bytes + head.bytes);
    return;
  }
  fabric::ChunkReference reference{};
  const std::byte* body = nullptr;
  if (head.bytes >= sizeof(RecordHead) + sizeof reference) {
    std::memcpy(&reference, bytes + sizeof(RecordHead), sizeof reference);
    body = arena_->at(reference.offset, reference.bytes);
  }
  if (body == nullptr) reference.bytes = 0;
  record.resize(sizeof(RecordHead) + reference.bytes);
  RecordHead whole = head;
  whole.bytes = static_cast<std::uint32_t>(record.size());
  whole.flags = static_cast<std::uint8_t>(whole.flags & ~fabric::recordFlag::chunk);
  std::memcpy(record.data(), &whole, sizeof whole);
  if (reference.bytes != 0) {
    std::memcpy(record.data() + sizeof(RecordHead), body, reference.bytes);
  }
}

bool Inbox::takeFromRing(Source& source, std::vector<std::byte>& record) {
  for (;;) {
    const RecordHead* head = source.ring.peek();
    if (head == nullptr) {
      if (source.ring.broken()) ++brokenRings_;
      return false;
    }
    if (head->type != RecordType::Moved) {
      copyOut(*head, record);
      source.ring.advance();
      return true;
    }
    source.ring.advance();
    source.ring.publish();
    const fabric::Offset offset = source.ring.header().successor.load(std::memory_order_acquire);
    auto* header = arena_->as<fabric::RingHeader>(offset);
    if (header == nullptr || header->capacity == 0 ||
        arena_->at(offset, fabric::ringHeaderBytes + header->capacity) == nullptr) {
      ++brokenRings_;
      return false;
    }
    header->timestampedTaken.store(source.timestampedTaken, std::memory_order_relaxed);
    source.ring = fabric::RingReader(header, header->capacity);
    source.entry->ring.store(offset, std::memory_order_release);
  }
}

bool Inbox::next(std::vector<std::byte>& record, FederateNumber& sender, Source*& source) {
  const std::lock_guard guard(mutex_);
  if (block_ == nullptr) return false;
  for (;;) {
    if (pending_.empty()) {
      collectReady();
      if (pending_.empty()) return false;
    }
    Source* first = pending_.front();
    if (!first->queue.empty()) {
      record = std::move(first->queue.front());
      first->queue.pop_front();
    } else if (!takeFromRing(*first, record)) {
      first->pending = false;
      pending_.pop_front();
      continue;
    }
    sender = first->sender;
    source = first;
    return true;
  }
}

bool Inbox::hasPending() const {
  const std::lock_guard guard(mutex_);
  return !pending_.empty();
}

void Inbox::countTaken(Source* source) {
  const std::lock_guard guard(mutex_);
  ++source->timestampedTaken;
  source->ring.header().timestampedTaken.store(source->timestampedTaken, std::memory_order_release);
}

void Inbox::toQueue(Source& source) {
  std::vector<std::byte> record;
  while (takeFromRing(source, record)) source.queue.push_back(std::move(record));
  source.ring.publish();
  if (!source.pending && !source.queue.empty()) {
    source.pending = true;
    pending_.push_back(&source);
  }
}

// What another thread has taken from the ready bits shows nowhere else to the federate's own thread,
// which may be about to sleep: the summary bit alone makes it look.
void Inbox::showPending() {
  if (!pending_.empty()) block_->readySummary.fetch_or(1, std::memory_order_seq_cst);
}

void Inbox::makeRoom() {
  const std::lock_guard guard(mutex_);
  if (block_ == nullptr) return;
  collectReady();
  for (std::size_t i = 0; i < pending_.size(); ++i) toQueue(*pending_[i]);
  showPending();
}

Inbox::Source* Inbox::sourceOf(FederateNumber sender) {
  collectReady();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    for (std::size_t e = 0; e < InboundBlock::entryCount; ++e) {
      if (blocks_[b]->entries[e].sender.load(std::memory_order_acquire) == sender) {
        return sourceAt(b, e);
      }
    }
  }
  return nullptr;
}

bool Inbox::emptyRingOf(FederateNumber sender) {
  const std::lock_guard guard(mutex_);
  if (block_ == nullptr) return false;
  Source* source = sourceOf(sender);
  if (source == nullptr) return false;
  toQueue(*source);
  showPending();
  return true;
}

void Inbox::append(FederateNumber sender, fabric::RingWriter& ring,
                   std::span<const std::byte> record, bool timestamped) {
  const std::lock_guard guard(mutex_);
  if (block_ == nullptr) return;
  Source* source = sourceOf(sender);
  if (source == nullptr) return;
  toQueue(*source);
  if (timestamped) {
    auto& sent = ring.header().timestampedSent;
    sent.store(sent.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  auto& messages = ring.header().messages;
  messages.store(messages.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  std::vector<std::byte> copy;
  copyOut(*reinterpret_cast<const RecordHead*>(record.data()), copy);
  source->queue.push_back(std::move(copy));
  if (!source->pending) {
    source->pending = true;
    pending_.push_back(source);
  }
  showPending();
}

}  // namespace tutti::core
