// SPDX-License-Identifier: Apache-2.0
#include "core/inbox.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "fabric/futex.h"

namespace tutti::core {

using fabric::InboundBlock;
using fabric::largestBody;
using fabric::RecordHead;
using fabric::RecordType;

struct Inbox::Source {
  FederateNumber sender = 0;
  fabric::InboundEntry* entry = nullptr;
  fabric::RingReader ring;
  std::deque<std::vector<std::byte>> queue;
  std::uint64_t timestampedTaken = 0;
  std::uint64_t chunkHead = 0;  ///< as its ring was told
  bool pending = false;
  bool left = false;  ///< its sender; the memory of its ring may have been given back
};

namespace {
/// So often in a row a ring is read, the federate not sleeping in between, before it is watched.
constexpr unsigned visitsBeforeWatching = 16;
}  // namespace

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
  hasPending_.store(false, std::memory_order_relaxed);
  asleep_ = false;
  damage_.clear();
}

void Inbox::close() {
  const std::lock_guard guard(mutex_);
  dropWatch();
  pending_.clear();
  hasPending_.store(false, std::memory_order_relaxed);
  sources_.clear();
  blocks_.clear();
  block_ = nullptr;
  inPlace_ = {};
}

Inbox::Source* Inbox::sourceAt(std::size_t block, std::size_t entry) {
  fabric::InboundEntry& place = blocks_[block]->entries[entry];
  auto& slot = sources_[block][entry];
  const FederateNumber sender = place.sender.load(std::memory_order_acquire);
  if (slot && slot->sender == sender) return slot.get();
  if (slot && slot->pending) return slot.get();  // still to be read to its end
  const fabric::Offset offset = place.ring.load(std::memory_order_acquire);
  const auto ring = fabric::ringAt(*arena_, offset);
  if (sender == 0 || !ring) {
    // An entry that is just being cleared has no ring, and may still have a sender.
    if (sender != 0 && offset != 0) noteDamage(sender, "has no ring where the directory says");
    if (slot && slot.get() == watchedSource_) dropWatch();
    slot.reset();
    return nullptr;
  }
  if (slot && slot.get() == watchedSource_) dropWatch();
  slot = std::make_unique<Source>();
  slot->sender = sender;
  slot->chunkHead = ring.header->chunkHead.load(std::memory_order_relaxed);
  slot->entry = &place;
  slot->ring = fabric::RingReader(ring);
  return slot.get();
}

void Inbox::noteDamage(FederateNumber sender, const char* what) {
  if (damage_.empty()) damage_ = "federate " + std::to_string(sender) + " " + what;
}

std::string Inbox::damage() const {
  const std::lock_guard guard(mutex_);
  return damage_;
}

std::string Inbox::findDamage() {
  const std::lock_guard guard(mutex_);
  if (block_ == nullptr || !damage_.empty()) return damage_;
  for (const auto& block : sources_) {
    for (const auto& source : block) {
      if (!source || source->left || source->ring.broken()) continue;
      const fabric::RingHeader& ring = source->ring.header();
      const bool reads = inPlace_.ring == &ring;
      if (!source->ring.headIsOwn() ||
          ring.timestampedTaken.load(std::memory_order_relaxed) != source->timestampedTaken ||
          ring.chunkHead.load(std::memory_order_relaxed) != source->chunkHead ||
          ring.chunkInUse.load(std::memory_order_relaxed) != (reads ? inPlace_.position : 0) ||
          // A sender that takes its ring for watched tells nobody of what it writes.
          (ring.watched.load(std::memory_order_relaxed) != 0) != (source.get() == watchedSource_)) {
        noteDamage(source->sender,
                   "has a ring to here of which somebody else wrote how it is read");
      }
    }
  }
  return damage_;
}

void Inbox::addPending(Source* source) {
  pending_.push_back(source);
  hasPending_.store(true, std::memory_order_relaxed);
}

void Inbox::watch(Source& source) {
  if (watchedSource_ == &source || asleep_) return;
  unwatch();
  fabric::RingHeader& ring = source.ring.header();
  watchedSource_ = &source;
  watchedPosition_.store(source.ring.position(), std::memory_order_relaxed);
  watchedTail_.store(&ring.tail, std::memory_order_release);
  ring.watched.store(1, std::memory_order_release);
}

void Inbox::dropWatch() {
  watchedTail_.store(nullptr, std::memory_order_relaxed);
  watchedSource_ = nullptr;
  lastSource_ = nullptr;
  visits_ = 0;
}

void Inbox::unwatch() {
  if (watchedSource_ == nullptr) return;
  Source& source = *watchedSource_;
  // The sender stores the tail and looks at `watched`, here it is the other way round: one of us
  // sees the other.
  source.ring.header().watched.store(0, std::memory_order_seq_cst);
  dropWatch();
  const std::uint64_t tail = source.ring.header().tail.load(std::memory_order_seq_cst);
  if (tail == source.ring.position() || source.pending) return;
  source.pending = true;
  addPending(&source);
}

bool Inbox::prepareSleep() {
  const std::lock_guard guard(mutex_);
  unwatch();
  asleep_ = pending_.empty();
  return asleep_;
}

void Inbox::wakeUp() {
  const std::lock_guard guard(mutex_);
  asleep_ = false;
}

void Inbox::forget(FederateNumber sender) {
  const std::lock_guard guard(mutex_);
  if (watchedSource_ != nullptr && watchedSource_->sender == sender) unwatch();
  for (const auto& block : sources_) {
    for (const auto& source : block) {
      if (source && source->sender == sender) source->left = true;
    }
  }
}

void Inbox::collect() {
  collectReady();
  if (watchedSource_ == nullptr || watchedSource_->pending || !watched().hasNews()) return;
  watchedSource_->pending = true;
  addPending(watchedSource_);
}

void Inbox::collectReady() {
  if (block_->readySummary.load(std::memory_order_acquire) == 0) return;
  const std::uint64_t summary = block_->readySummary.exchange(0, std::memory_order_seq_cst);
  for (;;) {
    const fabric::Offset next = blocks_.back()->next.load(std::memory_order_acquire);
    auto* block = arena_->as<InboundBlock>(next);
    if (block == nullptr) break;
    if (std::find(blocks_.begin(), blocks_.end(), block) != blocks_.end()) {
      if (damage_.empty()) damage_ = "the directory of rings to this federate has no end";
      break;
    }
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
      addPending(source);
    }
  }
}

bool Inbox::isReference(std::span<const std::byte> record) {
  RecordHead head;
  std::memcpy(&head, record.data(), sizeof head);
  return (head.flags & fabric::recordFlag::chunk) != 0;
}

std::span<const std::byte> Inbox::bodyOf(std::span<const std::byte> record) const {
  const auto rest = record.subspan(sizeof(RecordHead));
  if (!isReference(record)) return rest;
  fabric::ChunkReference reference{};
  if (rest.size() < sizeof reference) return {};
  std::memcpy(&reference, rest.data(), sizeof reference);
  const std::byte* body = arena_->at(reference.offset, reference.bytes);
  return body == nullptr ? std::span<const std::byte>() : std::span(body, reference.bytes);
}

void Inbox::makeWhole(std::vector<std::byte>& record) const {
  if (!isReference(record)) return;
  RecordHead head;
  std::memcpy(&head, record.data(), sizeof head);
  auto body = bodyOf(record);
  // No sender writes a body that its head could not tell of: this reference is no true one.
  if (body.size() > largestBody) body = {};
  head.bytes = static_cast<std::uint32_t>(sizeof head + body.size());
  head.flags = static_cast<std::uint8_t>(head.flags & ~fabric::recordFlag::chunk);
  record.resize(head.bytes);
  std::memcpy(record.data(), &head, sizeof head);
  if (!body.empty()) std::memcpy(record.data() + sizeof head, body.data(), body.size());
}

void Inbox::release() {
  const std::lock_guard guard(mutex_);
  if (inPlace_.ring == nullptr) return;
  fabric::RingHeader& ring = *inPlace_.ring;
  // Others behind it may have been copied out meanwhile.
  if (inPlace_.source != nullptr) {
    std::uint64_t& head = inPlace_.source->chunkHead;
    head = std::max(head, inPlace_.position);
    ring.chunkHead.store(head, std::memory_order_release);
  }
  ring.chunkInUse.store(0, std::memory_order_release);
  inPlace_ = {};
}

void Inbox::keepChunk() {
  const std::lock_guard guard(mutex_);
  if (inPlace_.chunk.empty()) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(inPlace_.chunk.data()) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(inPlace_.chunk.data()) + inPlace_.chunk.size();
  const std::size_t bytes = (end - first + page - 1) / page * page;
  void* place = reinterpret_cast<void*>(first);
  void* copy = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return;  // then what is read may change
  std::memcpy(copy, place, bytes);
  // At once, because the callback may be reading.
  if (mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED) {
    munmap(copy, bytes);
  }
}

bool Inbox::takeFromRing(Source& source, std::vector<std::byte>& record, bool inPlace) {
  for (;;) {
    const std::span<const std::byte> found = source.ring.peek();
    if (found.empty()) {
      if (source.ring.broken()) {
        noteDamage(source.sender, "has a ring to here with a record that cannot be");
        if (&source == watchedSource_) dropWatch();
      }
      return false;
    }
    if (reinterpret_cast<const RecordHead*>(found.data())->type != RecordType::Moved) {
      record.assign(found.begin(), found.end());
      source.ring.advance();
      if (&source == watchedSource_) {
        watchedPosition_.store(source.ring.position(), std::memory_order_relaxed);
      }
      if (!isReference(record)) return true;
      fabric::RingHeader& ring = source.ring.header();
      if (inPlace) {
        ring.chunkInUse.store(source.ring.position(), std::memory_order_release);
        const auto body = bodyOf(record);
        inPlace_ = {&source,
                    &ring,
                    source.ring.position(),
                    {const_cast<std::byte*>(body.data()), body.size()}};
      } else {
        makeWhole(record);
        source.chunkHead = source.ring.position();
        ring.chunkHead.store(source.chunkHead, std::memory_order_release);
      }
      return true;
    }
    // Before the position is published: from then on the sender may give the ring's memory back.
    const fabric::Offset offset = source.ring.header().successor.load(std::memory_order_acquire);
    source.ring.advance();
    source.ring.publish();
    if (&source == watchedSource_) dropWatch();  // the sender finds another ring not watched
    const auto next = fabric::ringAt(*arena_, offset);
    if (!next) {
      noteDamage(source.sender, "has a ring to here that leads to no other");
      return false;
    }
    next.header->timestampedTaken.store(source.timestampedTaken, std::memory_order_relaxed);
    source.chunkHead = next.header->chunkHead.load(std::memory_order_relaxed);
    source.ring = fabric::RingReader(next);
    source.entry->ring.store(offset, std::memory_order_release);
  }
}

bool Inbox::next(std::vector<std::byte>& record, FederateNumber& sender, Source*& source) {
  return take(record, sender, source, false);
}

bool Inbox::nextInPlace(std::vector<std::byte>& record, FederateNumber& sender, Source*& source) {
  return take(record, sender, source, true);
}

bool Inbox::take(std::vector<std::byte>& record, FederateNumber& sender, Source*& source,
                 bool inPlace) {
  if (block_ == nullptr) return false;
  // Mostly there is nothing. Whoever adds to pending_ from another thread sets a bit of the summary
  // afterwards. The fence: what this federate has published of its time comes before the look.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!hasNews() && block_->readySummary.load(std::memory_order_acquire) == 0) return false;
  const std::lock_guard guard(mutex_);
  for (;;) {
    if (pending_.empty()) {
      collect();
      if (pending_.empty()) return false;
    }
    Source* first = pending_.front();
    if (!first->queue.empty()) {
      record = std::move(first->queue.front());
      first->queue.pop_front();
    } else if (!takeFromRing(*first, record, inPlace)) {
      first->pending = false;
      pending_.pop_front();
      hasPending_.store(!pending_.empty(), std::memory_order_relaxed);
      if (first == lastSource_ && ++visits_ >= visitsBeforeWatching) watch(*first);
      continue;
    }
    if (first != lastSource_) {
      lastSource_ = first;
      visits_ = 0;
    }
    sender = first->sender;
    source = first;
    return true;
  }
}

void Inbox::countTaken(Source* source) {
  const std::lock_guard guard(mutex_);
  ++source->timestampedTaken;
  source->ring.header().timestampedTaken.store(source->timestampedTaken, std::memory_order_release);
}

void Inbox::toQueue(Source& source) {
  std::vector<std::byte> record;
  while (takeFromRing(source, record, false)) source.queue.push_back(std::move(record));
  source.ring.publish();
  if (!source.pending && !source.queue.empty()) {
    source.pending = true;
    addPending(&source);
  }
}

// What another thread has taken from the ready bits shows nowhere else to the federate's own
// thread: the summary bit alone makes it look. That thread may have begun to sleep while the bits
// were taken, when the sender had already looked and seen it awake; so it is woken from here.
void Inbox::showPending() {
  if (pending_.empty()) return;
  block_->readySummary.fetch_or(1, std::memory_order_seq_cst);
  fabric::wakeIfSleeping(*block_);
}

void Inbox::makeRoom() {
  const std::lock_guard guard(mutex_);
  if (block_ == nullptr) return;
  collect();
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
  std::vector<std::byte> copy(record.begin(), record.end());
  makeWhole(copy);
  source->queue.push_back(std::move(copy));
  if (!source->pending) {
    source->pending = true;
    addPending(source);
  }
  showPending();
}

}  // namespace tutti::core
