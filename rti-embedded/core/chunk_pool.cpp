// SPDX-License-Identifier: Apache-2.0
#include "core/chunk_pool.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tutti::core {
namespace {

constexpr std::uint64_t smallest = 2048;
/// Chunks up to this size share an extent, so that not each of a burst is asked for.
constexpr std::uint64_t largestShared = 16384;
constexpr std::uint64_t sharedExtent = 262144;
/// A chunk may be so much larger than what is put there.
constexpr std::uint64_t largestFactor = 4;

}  // namespace

void ChunkPool::open(Connection& connection, const fabric::Arena& arena,
                     std::function<bool(const Use&)> passed) {
  connection_ = &connection;
  arena_ = &arena;
  passed_ = std::move(passed);
}

void ChunkPool::close() {
  chunks_.clear();
  vacant_.clear();
  bySize_.clear();
  bytes_ = 0;
}

bool ChunkPool::isUnused(Chunk& chunk) {
  std::erase_if(chunk.uses, passed_);
  return chunk.uses.empty();
}

std::size_t ChunkPool::unused(std::size_t bytes, bool thoroughly) {
  const std::uint64_t most = std::max(largestFactor * bytes, sharedExtent / 4);
  for (auto size = bySize_.lower_bound(bytes); size != bySize_.end() && size->first <= most;
       ++size) {
    std::deque<std::size_t>& chunks = size->second;
    // The one used last is in the caches; if it is being read, the one used first is the first to
    // be free, or those behind it, when somebody reads that one for long.
    if (!chunks.empty() && isUnused(chunks_[chunks.back()])) return chunks.back();
    const std::size_t likely = thoroughly ? chunks.size() : std::min<std::size_t>(chunks.size(), 2);
    for (std::size_t i = 0; i < likely; ++i) {
      const std::size_t chunk = chunks[i];
      if (!isUnused(chunks_[chunk])) continue;
      chunks.erase(chunks.begin() + static_cast<std::ptrdiff_t>(i));
      chunks.push_back(chunk);
      return chunk;
    }
  }
  return none;
}

std::size_t ChunkPool::allocate(std::size_t bytes) {
  const std::uint64_t size = std::max<std::uint64_t>(std::bit_ceil(bytes), smallest);
  const bool shares = size <= largestShared;
  const std::uint64_t wanted = shares ? sharedExtent : bytes;
  const auto reply = connection_->ask<fabric::AllocateReply>(
      fabric::Request::Allocate, fabric::AllocateRequest{wanted, fabric::Purpose::Chunk});
  if (reply.bytes < wanted || arena_->at(reply.extent, reply.bytes) == nullptr) {
    fail(Fault::RTIinternalError, "The RTI node gave a chunk outside of the shared memory.");
  }
  const std::uint64_t each = shares ? size : reply.bytes;
  std::deque<std::size_t>& chunks = bySize_[each];
  for (std::uint64_t at = 0; at + each <= reply.bytes; at += each) {
    Chunk chunk{reply.extent + at, each, shares, {}};
    std::size_t index = chunks_.size();
    if (vacant_.empty()) {
      chunks_.push_back(std::move(chunk));
    } else {
      index = vacant_.back();
      vacant_.pop_back();
      chunks_[index] = std::move(chunk);
    }
    chunks.push_back(index);
    bytes_ += each;
  }
  return chunks.back();
}

std::vector<ChunkPool::Use>::iterator ChunkPool::waiting(std::size_t chunk,
                                                         FederateNumber receiver) {
  std::vector<Use>& uses = chunks_[chunk].uses;
  return std::find_if(uses.begin(), uses.end(), [receiver](const Use& use) {
    return use.receiver == receiver && use.position == notYetWritten;
  });
}

void ChunkPool::written(std::size_t chunk, FederateNumber receiver, std::uint64_t position) {
  const auto use = waiting(chunk, receiver);
  if (use != chunks_[chunk].uses.end()) use->position = position;
}

void ChunkPool::withdraw(std::size_t chunk, FederateNumber receiver) {
  const auto use = waiting(chunk, receiver);
  if (use != chunks_[chunk].uses.end()) chunks_[chunk].uses.erase(use);
}

void ChunkPool::giveBackUnused() {
  for (auto& [size, chunks] : bySize_) {
    std::erase_if(chunks, [&](std::size_t index) {
      Chunk& chunk = chunks_[index];
      if (chunk.shares || !isUnused(chunk)) return false;
      connection_->tell(fabric::Request::Free, fabric::FreeRequest{chunk.offset});
      bytes_ -= chunk.bytes;
      vacant_.push_back(index);
      return true;
    });
  }
}

std::map<FederateNumber, std::size_t> ChunkPool::unread() {
  std::map<FederateNumber, std::size_t> counts;
  for (const auto& [size, chunks] : bySize_) {
    for (const std::size_t index : chunks) {
      if (isUnused(chunks_[index])) continue;
      for (const Use& use : chunks_[index].uses) ++counts[use.receiver];
    }
  }
  return counts;
}

void ChunkPool::forget(FederateNumber receiver) {
  for (Chunk& chunk : chunks_) {
    std::erase_if(chunk.uses, [&](const Use& use) { return use.receiver == receiver; });
  }
}

}  // namespace tutti::core
