// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>

#include "fabric/wire.h"
#include "pipes/pipe.h"

namespace tutti::pipes {

/// What one side of a session sends, as one stream of bytes that are counted from 0: the messages,
/// each behind its length of 4 bytes. What the other side has not acknowledged is kept, and can be
/// sent again from any position.
///
/// In blocks: however much is kept, one message more costs no copy of it, nor memory beyond a block.
class KeptStream {
 public:
  static constexpr std::size_t blockBytes = std::size_t{64} << 10;

  void put(std::span<const std::byte> message);
  /// Bytes of memory it has, and will have with a message of that size behind.
  std::size_t storage() const { return blocks_.size() * blockBytes; }
  std::size_t storageFor(std::size_t messageBytes) const;
  /// Kept bytes from there on, `most` of them at most, or fewer, but not none while there are some;
  /// none outside of what is kept.
  std::span<const std::byte> from(std::uint64_t position, std::size_t most) const;
  /// The other side has all before `position`. False: it cannot, for that was not put yet.
  bool acknowledge(std::uint64_t position);
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  std::size_t bytes() const { return end_ - begin_; }

 private:
  void append(std::span<const std::byte> bytes);

  std::deque<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t head_ = 0;  ///< of the first block: acknowledged
  std::uint64_t begin_ = 0, end_ = 0;
};

/// Makes messages of such a stream again, in whatever pieces it comes.
class StreamReader {
 public:
  /// Hands out what is whole now. False: no node sends this.
  bool put(std::span<const std::byte> piece, const Pipe::Take& take);
  /// Bytes of memory it has, and can have with a piece of that size behind.
  std::size_t storage() const { return part_.capacity(); }
  std::size_t storageFor(std::size_t pieceBytes) const;

 private:
  fabric::Bytes part_;  ///< the beginning of a message, behind its length
};

}  // namespace tutti::pipes
