// SPDX-License-Identifier: Apache-2.0
#include "pipes/kept_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tutti::pipes {

namespace {

/// Storage above this is given back when nothing is kept any more.
constexpr std::size_t usualBytes = std::size_t{1} << 20;
constexpr std::size_t lengthBytes = sizeof(std::uint32_t);

std::size_t lengthOf(std::span<const std::byte> stream) {
  std::uint32_t length = 0;
  std::memcpy(&length, stream.data(), sizeof length);
  return length;
}

}  // namespace

bool KeptStream::headIsLarge() const { return head_ > usualBytes && head_ > kept_.size() / 2; }

std::size_t KeptStream::leastStorageFor(std::size_t messageBytes) const {
  const std::size_t all =
      (headIsLarge() ? bytes() : kept_.size()) + sizeof(std::uint32_t) + messageBytes;
  return std::max(all, storage());
}

std::size_t KeptStream::storageFor(std::size_t messageBytes) const {
  const std::size_t least = leastStorageFor(messageBytes);
  return least == storage() ? least : std::max(least, 2 * storage());
}

void KeptStream::put(std::span<const std::byte> message) {
  if (headIsLarge()) {
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
  const auto length = static_cast<std::uint32_t>(message.size());
  const auto* first = reinterpret_cast<const std::byte*>(&length);
  kept_.insert(kept_.end(), first, first + sizeof length);
  kept_.insert(kept_.end(), message.begin(), message.end());
}

std::span<const std::byte> KeptStream::from(std::uint64_t position, std::size_t most) const {
  if (position < begin_ || position >= end()) return {};
  const auto kept = std::span(kept_).subspan(head_ + (position - begin_));
  return kept.first(std::min(most, kept.size()));
}

bool KeptStream::acknowledge(std::uint64_t position) {
  if (position > end()) return false;
  if (position <= begin_) return true;  // older than what is known
  head_ += position - begin_;
  begin_ = position;
  if (head_ == kept_.size()) {
    head_ = 0;
    kept_.clear();
    if (kept_.capacity() > usualBytes) kept_.shrink_to_fit();
  }
  return true;
}

std::size_t StreamReader::storageFor(std::size_t pieceBytes) const {
  const std::size_t all = part_.size() + pieceBytes;
  return all <= storage() ? storage() : std::max(all, 2 * part_.size());
}

bool StreamReader::put(std::span<const std::byte> piece, const Pipe::Take& take) {
  while (!piece.empty()) {
    if (part_.empty() && piece.size() >= lengthBytes) {
      // Whole messages are handed out where they are.
      const std::size_t length = lengthOf(piece);
      if (length > Pipe::largestMessage) return false;
      if (piece.size() - lengthBytes >= length) {
        take(piece.subspan(lengthBytes, length));
        piece = piece.subspan(lengthBytes + length);
        continue;
      }
    }
    const std::size_t wanted =
        part_.size() < lengthBytes ? lengthBytes : lengthBytes + lengthOf(part_);
    const std::size_t more = std::min(wanted - part_.size(), piece.size());
    part_.insert(part_.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(more));
    piece = piece.subspan(more);
    if (part_.size() < lengthBytes) return true;
    const std::size_t length = lengthOf(part_);
    if (length > Pipe::largestMessage) return false;
    if (part_.size() < lengthBytes + length) continue;
    const fabric::Bytes whole = std::exchange(part_, {});
    take(std::span(whole).subspan(lengthBytes));
  }
  return true;
}

}  // namespace tutti::pipes
