// SPDX-License-Identifier: Apache-2.0
#include "pipes/kept_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tutti::pipes {

namespace {

constexpr std::size_t lengthBytes = sizeof(std::uint32_t);

std::size_t lengthOf(std::span<const std::byte> stream) {
  std::uint32_t length = 0;
  std::memcpy(&length, stream.data(), sizeof length);
  return length;
}

}  // namespace

std::size_t KeptStream::storageFor(std::size_t messageBytes) const {
  const std::size_t all = head_ + bytes() + lengthBytes + messageBytes;
  return std::max(storage(), (all + blockBytes - 1) / blockBytes * blockBytes);
}

void KeptStream::put(std::span<const std::byte> message) {
  const auto length = static_cast<std::uint32_t>(message.size());
  append(std::as_bytes(std::span(&length, 1)));
  append(message);
}

void KeptStream::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t at = head_ + this->bytes();
    if (at == storage()) {
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(blockBytes));
    }
    const std::size_t offset = at % blockBytes;
    const std::size_t part = std::min(bytes.size(), blockBytes - offset);
    std::memcpy(blocks_.back().get() + offset, bytes.data(), part);
    end_ += part;
    bytes = bytes.subspan(part);
  }
}

std::span<const std::byte> KeptStream::from(std::uint64_t position, std::size_t most) const {
  if (position < begin_ || position >= end_) return {};
  const std::size_t at = head_ + (position - begin_);
  const std::size_t offset = at % blockBytes;
  const std::size_t inBlock = std::min<std::uint64_t>(blockBytes - offset, end_ - position);
  return {blocks_[at / blockBytes].get() + offset, std::min(most, inBlock)};
}

bool KeptStream::acknowledge(std::uint64_t position) {
  if (position > end_) return false;
  if (position <= begin_) return true;  // older than what is known
  head_ += position - begin_;
  begin_ = position;
  // One block is kept: the next message is on its way.
  while (head_ >= blockBytes && blocks_.size() > 1) {
    blocks_.pop_front();
    head_ -= blockBytes;
  }
  if (begin_ == end_) head_ = 0;
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
