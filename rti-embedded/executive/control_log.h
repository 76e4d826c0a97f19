// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "executive/arena_allocator.h"
#include "fabric/layout.h"
#include "fabric/protocol.h"
#include "fabric/wire.h"

namespace tutti::executive {

/// Adds `record` to `out` as it stands in a log or a snapshot: head, body, padding to 8 bytes.
void encodeRecord(fabric::Bytes& out, fabric::LogRecordType type, fabric::LogNumber number,
                  const fabric::Bytes& body);

/// The numbered, append-only control log of a federation execution: its only writer. Records stand
/// in chained blocks of an arena; a reader knows by `ArenaHeader::logTail` how far it may read.
/// Blocks that all readers have left are freed. Not thread-safe.
class ControlLog {
 public:
  static constexpr std::uint64_t blockBytes = 64 * 1024;

  /// How much an append may take of the memory that is kept for the ends of federates.
  enum class Urgency {
    Ordinary,  ///< is refused when afterwards no block would be in reserve
    Urgent,    ///< may use up the reserve: a death has to be told
  };

  /// `arena` outlives the log.
  static tl::expected<ControlLog, std::string> make(ArenaAllocator& arena);

  /// Makes room for records of together `bytes` bodies, so that appending them cannot fail.
  tl::expected<void, std::string> reserve(std::size_t records, std::size_t bytes,
                                          Urgency urgency = Urgency::Ordinary);

  /// Appends a record, then makes it known (sequentially consistent) and rings every reader.
  template <class Record>
  tl::expected<fabric::LogNumber, std::string> append(fabric::LogRecordType type,
                                                      const Record& record,
                                                      Urgency urgency = Urgency::Ordinary) {
    return appendBody(type, fabric::toWire(record), urgency);
  }

  /// The same with a body that is there as bytes.
  tl::expected<fabric::LogNumber, std::string> appendBody(fabric::LogRecordType type,
                                                          const fabric::Bytes& body,
                                                          Urgency urgency);
  /// Of a log that goes on where another has got to: the first record is the one after `number`.
  void startAfter(fabric::LogNumber number);

  fabric::LogNumber tail() const { return tail_; }
  /// Where the record after tail() will be.
  fabric::LogPosition end() const { return {blocks_.back().offset, at_, tail_}; }

  /// A federate that reads on from end(). It counts as having applied tail() - 1 until it says
  /// more: the record of its own join is still to be read, from its snapshot.
  void addReader(fabric::FederateNumber federate, fabric::FederateBlock& block);
  void removeReader(fabric::FederateNumber federate);
  /// The number that every reader has applied; tail() when there is none.
  fabric::LogNumber applied() const;
  void ringReaders() const;

  /// Gives back blocks that every reader has left.
  void reclaim();
  std::size_t blockCount() const { return blocks_.size(); }

 private:
  struct Block {
    fabric::Offset offset = 0;
    std::uint64_t bytes = 0;
    fabric::LogNumber first = 0;  ///< number of its first record
  };

  explicit ControlLog(ArenaAllocator& arena) : arena_(&arena) {}

  tl::expected<Block, std::string> makeBlock(std::uint64_t bytes);
  void write(std::span<const std::byte> record);
  void enter(Block block);

  ArenaAllocator* arena_;
  std::deque<Block> blocks_;  ///< oldest first; the last one is written to
  Block spare_;               ///< offset 0: none
  std::uint64_t at_ = sizeof(fabric::LogBlock);
  fabric::LogNumber tail_ = 0;
  struct Reader {
    fabric::FederateNumber federate = 0;
    fabric::FederateBlock* block = nullptr;
    /// The last number of its that it could have: anyone may write that word, and what a wrong one
    /// would give back is still read.
    mutable fabric::LogNumber applied = 0;
  };
  std::vector<Reader> readers_;
};

}  // namespace tutti::executive
