// SPDX-License-Identifier: Apache-2.0
#include "pipes/local_pipe.h"

#include <cstdint>
#include <cstring>

namespace tutti::pipes {

std::pair<std::unique_ptr<LocalPipe>, std::unique_ptr<LocalPipe>> LocalPipe::pair(
    const Greeting& greeting, MemoryAccount* memory) {
  std::unique_ptr<LocalPipe> one(new LocalPipe(greeting, memory));
  std::unique_ptr<LocalPipe> two(new LocalPipe(greeting, memory));
  one->other_ = two.get();
  two->other_ = one.get();
  return {std::move(one), std::move(two)};
}

LocalPipe::~LocalPipe() {
  if (other_ == nullptr) return;
  other_->other_ = nullptr;
  other_->arrived();
}

void LocalPipe::arrived() {
  if (arrived_) arrived_();
}

void LocalPipe::send(std::span<const std::byte> message) {
  const auto bytes = static_cast<std::uint32_t>(message.size());
  // flush() says so.
  overdrawn_ = overdrawn_ || !charge_.set(queuedBytes() + sizeof bytes + message.size());
  if (overdrawn_) return;
  const auto* head = reinterpret_cast<const std::byte*>(&bytes);
  out_.insert(out_.end(), head, head + sizeof bytes);
  out_.insert(out_.end(), message.begin(), message.end());
}

Outcome LocalPipe::flush() {
  if (overdrawn_) {
    return tl::unexpected(PipeError{PipeError::Kind::System,
                                    "the memory budget has no room for what waits for it; set "
                                    "TUTTI_MEMORY to more"});
  }
  if (other_ == nullptr || out_.empty()) return {};
  if (other_->in_.empty()) {
    other_->in_.swap(out_);
    other_->arrived();
  } else {
    other_->in_.insert(other_->in_.end(), out_.begin(), out_.end());
    out_.clear();
  }
  return {};
}

Outcome LocalPipe::receive(const Take& take) {
  // What comes while these are taken waits for the next call.
  received_.swap(in_);
  if (other_ != nullptr) other_->charge_.set(other_->queuedBytes());
  std::uint32_t bytes = 0;
  for (std::size_t at = 0; at < received_.size(); at += sizeof bytes + bytes) {
    std::memcpy(&bytes, received_.data() + at, sizeof bytes);
    take({received_.data() + at + sizeof bytes, bytes});
  }
  received_.clear();
  return tick({});
}

Outcome LocalPipe::tick(Clock::time_point) {
  if (other_ != nullptr || !in_.empty()) return {};
  return tl::unexpected(PipeError{PipeError::Kind::Closed, "its federate has left"});
}

std::size_t LocalPipe::queuedBytes() const {
  return out_.size() + (other_ != nullptr ? other_->in_.size() : 0);
}

}  // namespace tutti::pipes
