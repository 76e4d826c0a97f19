// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "core/callbacks.h"
#include "core/connection.h"
#include "fabric/mapping.h"

namespace tutti::core {

/// The chunks of one sender: memory of the arena for the bodies of large records, used again when
/// all who were sent one have read it. Chunks go by their index, which stays. Not thread-safe.
class ChunkPool {
 public:
  /// A record with this chunk, by the position behind it in the ring to its receiver.
  struct Use {
    FederateNumber receiver;
    std::uint64_t position;
  };
  static constexpr std::size_t none = ~std::size_t{0};
  /// Position of a record that waits for its place in the ring.
  static constexpr std::uint64_t notYetWritten = ~std::uint64_t{0};

  /// `passed`: whether the receiver has read it.
  void open(Connection& connection, const fabric::Arena& arena,
            std::function<bool(const Use&)> passed);
  void close();

  /// A chunk for so many bytes that nobody reads any more, or none. `thoroughly`: look at all of
  /// them, not only where one is most likely.
  std::size_t unused(std::size_t bytes, bool thoroughly);
  /// A new one. Throws RTIinternalError when memory is refused.
  std::size_t allocate(std::size_t bytes);
  /// Gives memory back that is not used, but for what small chunks share.
  void giveBackUnused();

  fabric::Offset offset(std::size_t chunk) const { return chunks_[chunk].offset; }
  std::span<std::byte> memory(std::size_t chunk, std::size_t bytes) const {
    return {arena_->at(chunks_[chunk].offset, bytes), bytes};
  }
  std::vector<Use>& uses(std::size_t chunk) { return chunks_[chunk].uses; }
  /// The record that waited stands in the ring now.
  void written(std::size_t chunk, FederateNumber receiver, std::uint64_t position);
  /// It never will.
  void withdraw(std::size_t chunk, FederateNumber receiver);

  std::uint64_t bytes() const { return bytes_; }  ///< of all chunks
  /// How many records each receiver has not read.
  std::map<FederateNumber, std::size_t> unread();
  /// What this receiver was sent it does not read.
  void forget(FederateNumber receiver);

 private:
  struct Chunk {
    fabric::Offset offset;
    std::uint64_t bytes;
    bool shares;  ///< its extent with others
    std::vector<Use> uses;
  };
  bool isUnused(Chunk& chunk);
  std::vector<Use>::iterator waiting(std::size_t chunk, FederateNumber receiver);

  Connection* connection_ = nullptr;
  const fabric::Arena* arena_ = nullptr;
  std::function<bool(const Use&)> passed_;
  std::deque<Chunk> chunks_;
  std::vector<std::size_t> vacant_;  ///< indices of chunks that were given back
  std::map<std::uint64_t, std::deque<std::size_t>> bySize_;  ///< the one used last at the end
  std::uint64_t bytes_ = 0;
};

}  // namespace tutti::core
