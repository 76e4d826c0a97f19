// SPDX-License-Identifier: Apache-2.0
#include "executive/control_log.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "fabric/futex.h"

namespace tutti::executive {

using fabric::Bytes;
using fabric::FederateBlock;
using fabric::FederateNumber;
using fabric::LogBlock;
using fabric::LogNumber;
using fabric::LogRecord;
using fabric::LogRecordType;

namespace {

constexpr std::size_t recordBytes(std::size_t body) {
  return (sizeof(LogRecord) + body + 7) / 8 * 8;
}

static_assert(sizeof(LogRecord) == 16 && sizeof(LogBlock) == 16);

}  // namespace

void encodeRecord(Bytes& out, LogRecordType type, LogNumber number, const Bytes& body) {
  LogRecord head{};
  head.bytes = static_cast<std::uint32_t>(recordBytes(body.size()));
  head.type = static_cast<std::uint16_t>(type);
  head.version = fabric::protocolVersion;
  head.number = number;
  const std::size_t start = out.size();
  out.resize(start + head.bytes);
  std::memcpy(out.data() + start, &head, sizeof head);
  std::copy(body.begin(), body.end(),
            out.begin() + static_cast<std::ptrdiff_t>(start + sizeof head));
}

tl::expected<ControlLog, std::string> ControlLog::make(ArenaAllocator& arena) {
  ControlLog log(arena);
  auto first = log.makeBlock(blockBytes);
  if (!first) return tl::unexpected(first.error());
  auto spare = log.makeBlock(blockBytes);
  if (!spare) {
    arena.release(first->offset);
    return tl::unexpected(spare.error());
  }
  first->first = 1;
  log.blocks_.push_back(*first);
  log.spare_ = *spare;
  return log;
}

tl::expected<ControlLog::Block, std::string> ControlLog::makeBlock(std::uint64_t bytes) {
  auto extent = arena_->publish(bytes, "the control log");
  if (!extent) return tl::unexpected(extent.error());
  auto* block = new (arena_->at(extent->offset, extent->bytes)) LogBlock{};
  block->bytes = extent->bytes;
  return Block{extent->offset, extent->bytes, 0};
}

tl::expected<void, std::string> ControlLog::reserve(std::size_t records, std::size_t bytes,
                                                    Urgency urgency) {
  // A block always keeps room for the EndOfBlock record.
  const std::uint64_t needed = bytes + records * (sizeof(LogRecord) + 7) + sizeof(LogRecord);
  if (at_ + needed <= blocks_.back().bytes) return {};
  reclaim();

  if (needed + sizeof(LogBlock) > blockBytes) {
    auto block = makeBlock(needed + sizeof(LogBlock));
    if (!block) return tl::unexpected(block.error());
    enter(*block);
    return {};
  }
  auto next = makeBlock(blockBytes);
  if (next) {
    if (spare_.offset == 0) {
      spare_ = *next;
      next = makeBlock(blockBytes);
    } else {
      std::swap(spare_, *next);
    }
  }
  if (!next) {
    if (urgency == Urgency::Ordinary || spare_.offset == 0) return tl::unexpected(next.error());
    next = std::exchange(spare_, Block{});
  }
  enter(*next);
  return {};
}

void ControlLog::enter(Block block) {
  const auto& last = blocks_.back();
  auto* header = arena_->as<LogBlock>(last.offset);
  header->next.store(block.offset, std::memory_order_release);
  Bytes end;
  encodeRecord(end, LogRecordType::EndOfBlock, 0, {});
  write(end);
  block.first = tail_ + 1;
  blocks_.push_back(block);
  at_ = sizeof(LogBlock);
}

void ControlLog::write(std::span<const std::byte> record) {
  std::memcpy(arena_->at(blocks_.back().offset, blocks_.back().bytes) + at_, record.data(),
              record.size());
  at_ += record.size();
}

tl::expected<LogNumber, std::string> ControlLog::appendBody(LogRecordType type, const Bytes& body,
                                                            Urgency urgency) {
  if (auto room = reserve(1, body.size(), urgency); !room) return tl::unexpected(room.error());
  Bytes record;
  encodeRecord(record, type, tail_ + 1, body);
  write(record);
  ++tail_;
  arena_->header().logTail.store(tail_, std::memory_order_seq_cst);
  ringReaders();
  return tail_;
}

void ControlLog::startAfter(LogNumber number) {
  tail_ = number;
  blocks_.back().first = number + 1;
  arena_->header().logTail.store(number, std::memory_order_seq_cst);
}

void ControlLog::addReader(FederateNumber federate, FederateBlock& block) {
  block.appliedLog.store(tail_ - 1, std::memory_order_release);
  readers_.push_back({federate, &block, tail_ - 1});
}

void ControlLog::removeReader(FederateNumber federate) {
  std::erase_if(readers_, [federate](const auto& reader) { return reader.federate == federate; });
}

LogNumber ControlLog::applied() const {
  LogNumber least = tail_;
  for (const Reader& reader : readers_) {
    const LogNumber said = reader.block->appliedLog.load(std::memory_order_acquire);
    if (said > reader.applied && said <= tail_) reader.applied = said;
    least = std::min(least, reader.applied);
  }
  return least;
}

void ControlLog::ringReaders() const {
  for (const Reader& reader : readers_) fabric::ringDoorbell(*reader.block);
}

void ControlLog::reclaim() {
  // A reader is in the block of the record that it will read next only once it has read it: until
  // then it stands at the end of the block before.
  const LogNumber passed = applied();
  while (blocks_.size() > 1 && passed >= blocks_[1].first) {
    arena_->release(blocks_.front().offset);
    blocks_.pop_front();
  }
}

}  // namespace tutti::executive
