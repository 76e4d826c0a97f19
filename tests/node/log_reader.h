// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "fabric/layout.h"
#include "fabric/mapping.h"
#include "fabric/protocol.h"
#include "fabric/wire.h"

namespace tutti::test {

struct ReadRecord {
  fabric::LogNumber number = 0;
  fabric::LogRecordType type{};
  fabric::Bytes body;

  template <class T>
  T as() const {
    T record;
    if (!fabric::fromWire(body, record))
      throw std::runtime_error("a record is not as it should be");
    return record;
  }
};

/// Reads the record at `at` and moves behind it.
inline ReadRecord readRecord(const std::byte* at, std::size_t available, std::size_t& bytes) {
  fabric::LogRecord head{};
  if (available < sizeof head) throw std::runtime_error("a record is cut off");
  std::memcpy(&head, at, sizeof head);
  if (head.bytes < sizeof head || head.bytes % 8 != 0 || head.bytes > available) {
    throw std::runtime_error("a record has a false length");
  }
  bytes = head.bytes;
  return {head.number, static_cast<fabric::LogRecordType>(head.type),
          fabric::Bytes(at + sizeof head, at + head.bytes)};
}

/// Applies a control log as a federate does, with nothing but the arena.
class LogReader {
 public:
  LogReader(const fabric::Arena& arena, fabric::LogPosition position)
      : arena_(&arena), position_(position) {}

  /// What is new; appliedLog of `block` follows when one is given.
  std::vector<ReadRecord> read(fabric::FederateBlock* block = nullptr) {
    std::vector<ReadRecord> records;
    const auto tail = arena_->header().logTail.load(std::memory_order_seq_cst);
    while (position_.applied < tail) {
      auto* header = arena_->as<fabric::LogBlock>(position_.block);
      if (header == nullptr) throw std::runtime_error("the log leads out of the arena");
      const std::byte* bytes = arena_->at(position_.block, header->bytes);
      if (bytes == nullptr) throw std::runtime_error("a block of the log is longer than the arena");
      std::size_t length = 0;
      ReadRecord record = readRecord(bytes + position_.at, header->bytes - position_.at, length);
      if (record.type == fabric::LogRecordType::EndOfBlock) {
        position_.block = header->next.load(std::memory_order_acquire);
        position_.at = sizeof(fabric::LogBlock);
        continue;
      }
      if (record.number != position_.applied + 1) throw std::runtime_error("a record is missing");
      position_.at += length;
      position_.applied = record.number;
      records.push_back(std::move(record));
    }
    if (block != nullptr) {
      block->appliedLog.store(position_.applied, std::memory_order_release);
    }
    return records;
  }

  const fabric::LogPosition& position() const { return position_; }

 private:
  const fabric::Arena* arena_;
  fabric::LogPosition position_;
};

/// All records of a snapshot.
inline std::vector<ReadRecord> readSnapshot(const fabric::Arena& arena, fabric::Offset offset,
                                            std::size_t bytes) {
  std::vector<ReadRecord> records;
  const std::byte* at = arena.at(offset, bytes);
  if (at == nullptr) throw std::runtime_error("the snapshot lies outside the arena");
  while (bytes != 0) {
    std::size_t length = 0;
    records.push_back(readRecord(at, bytes, length));
    at += length;
    bytes -= length;
  }
  return records;
}

}  // namespace tutti::test
