// SPDX-License-Identifier: Apache-2.0
#include "pipes/datagram_source.h"

#include <algorithm>
#include <cstring>

namespace tutti::pipes {

// --- fragments -----------------------------------------------------------------------------------

void Reassembly::giveUp(std::map<Key, Partial>::iterator partial) {
  bytes_ -= partial->second.message.size();
  charge_.remove(partial->second.message.size());
  byAge_.erase(partial->second.age);
  partials_.erase(partial);
}

bool Reassembly::makeRoom(std::size_t bytes) {
  while (bytes_ + bytes > limit_ || !charge_.add(bytes)) {
    if (byAge_.empty()) return false;
    ++givenUp_;
    giveUp(partials_.find(byAge_.front()));
  }
  return true;
}

std::optional<std::vector<std::byte>> Reassembly::add(std::uint64_t source,
                                                      const FragmentHead& head,
                                                      std::span<const std::byte> part,
                                                      Clock::time_point now) {
  const bool sound = head.piece != 0 && head.total != 0 && head.total <= largestDatagramMessage &&
                     head.offset < head.total && head.offset % head.piece == 0 &&
                     part.size() == std::min(head.piece, head.total - head.offset);
  if (!sound || head.total > limit_) return std::nullopt;
  const Key key{source, head.message};
  auto found = partials_.find(key);
  if (found == partials_.end()) {
    if (!makeRoom(head.total)) {
      ++givenUp_;
      return std::nullopt;
    }
    found = partials_.try_emplace(key).first;
    Partial& fresh = found->second;
    fresh.message.resize(head.total);
    fresh.piece = head.piece;
    fresh.missing = (head.total + head.piece - 1) / head.piece;
    fresh.has.resize(fresh.missing);
    fresh.age = byAge_.insert(byAge_.end(), key);
    bytes_ += head.total;
  }
  Partial& partial = found->second;
  if (partial.message.size() != head.total || partial.piece != head.piece) return std::nullopt;
  partial.last = now;
  byAge_.splice(byAge_.end(), byAge_, partial.age);
  const std::size_t index = head.offset / head.piece;
  if (partial.has[index]) return std::nullopt;
  partial.has[index] = true;
  std::memcpy(partial.message.data() + head.offset, part.data(), part.size());
  if (--partial.missing != 0) return std::nullopt;
  std::vector<std::byte> whole = std::move(partial.message);
  partial.message.clear();
  bytes_ -= whole.size();
  charge_.remove(whole.size());
  byAge_.erase(partial.age);
  partials_.erase(found);
  return whole;
}

void Reassembly::expire(Clock::time_point now) {
  while (!byAge_.empty()) {
    const auto oldest = partials_.find(byAge_.front());
    if (now - oldest->second.last < patience) return;
    ++givenUp_;
    giveUp(oldest);
  }
}

void Reassembly::forget(std::uint64_t source) {
  for (auto partial = partials_.begin(); partial != partials_.end();) {
    const auto one = partial++;
    if (one->first.first == source) giveUp(one);
  }
}

// --- one sender ----------------------------------------------------------------------------------

bool DatagramSource::take(const DatagramHead& head, std::span<const std::byte> payload,
                          Clock::time_point now, const Pipe::Take& take) {
  if (!window_.isNew(head.sequence)) {
    ++duplicates_;
    return true;
  }
  window_.add(head.sequence);
  if (head.kind == DatagramKind::Fragment) {
    FragmentHead fragment;
    if (payload.size() < sizeof fragment) return false;
    std::memcpy(&fragment, payload.data(), sizeof fragment);
    if (auto whole = reassembly_.add(key_, fragment, payload.subspan(sizeof fragment), now)) {
      take(*whole);
    }
    return true;
  }
  while (!payload.empty()) {
    std::uint32_t bytes = 0;
    if (payload.size() < sizeof bytes) return false;
    std::memcpy(&bytes, payload.data(), sizeof bytes);
    payload = payload.subspan(sizeof bytes);
    if (payload.size() < bytes) return false;
    take(payload.first(bytes));
    payload = payload.subspan(bytes);
  }
  return true;
}

}  // namespace tutti::pipes
