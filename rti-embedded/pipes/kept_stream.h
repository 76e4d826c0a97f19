// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fabric/wire.h"
#include "pipes/pipe.h"

namespace tutti::pipes {

/// What one side of a session sends, as one stream of bytes that are counted from 0: the messages,
/// each behind its length of 4 bytes. What the other side has not acknowledged is kept, and can be
/// sent again from any position.
class KeptStream {
 public:
  void put(std::span<const std::byte> message);
  /// Bytes of memory it has, would best have with a message of that size behind, and needs for it.
  std::size_t storage() const { return kept_.capacity(); }
  std::size_t storageFor(std::size_t messageBytes) const;
  std::size_t leastStorageFor(std::size_t messageBytes) const;
  /// put() takes more only when it needs to.
  void reserve(std::size_t bytes) { kept_.reserve(bytes); }
  /// Kept bytes from there on, `most` of them at most; none outside of what is kept.
  std::span<const std::byte> from(std::uint64_t position, std::size_t most) const;
  /// The other side has all before `position`. False: it cannot, for that was not put yet.
  bool acknowledge(std::uint64_t position);
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return begin_ + bytes(); }
  std::size_t bytes() const { return kept_.size() - head_; }

 private:
  bool headIsLarge() const;

  fabric::Bytes kept_;
  std::size_t head_ = 0;     ///< of kept_: acknowledged
  std::uint64_t begin_ = 0;  ///< position of kept_[head_]
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
