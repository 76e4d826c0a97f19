// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

namespace tutti::pipes {

/// Who pays for memory that grows with what others send: the budget of a node. Not thread-safe.
class MemoryAccount {
 public:
  virtual ~MemoryAccount() = default;
  /// False: there is not so much left, and nothing was taken.
  virtual bool take(std::uint64_t bytes) = 0;
  virtual void giveBack(std::uint64_t bytes) = 0;
  virtual std::uint64_t left() const { return std::numeric_limits<std::uint64_t>::max(); }
};

/// Bytes that somebody keeps, paid for while this lives. Without an account nobody pays.
class Charge {
 public:
  Charge() = default;
  /// Of what is kept, `free` bytes are not counted. The account outlives this.
  explicit Charge(MemoryAccount* account, std::uint64_t free = 0)
      : account_(account), free_(free) {}
  ~Charge() { set(0); }
  Charge(Charge&& other) noexcept { swap(other); }
  Charge& operator=(Charge&& other) noexcept {
    Charge(std::move(other)).swap(*this);
    return *this;
  }

  /// So many bytes are kept from now on. False: the account refuses them; then it is as before.
  bool set(std::uint64_t bytes) {
    if (account_ == nullptr) return true;
    const std::uint64_t wanted = bytes > free_ ? bytes - free_ : 0;
    if (wanted > paid_ && !account_->take(wanted - paid_)) return false;
    if (wanted < paid_) account_->giveBack(paid_ - wanted);
    paid_ = wanted;
    return true;
  }
  /// The same with more, or less; where nothing is free.
  bool add(std::uint64_t bytes) { return set(paid_ + bytes); }
  void remove(std::uint64_t bytes) { set(paid_ - bytes); }

 private:
  void swap(Charge& other) noexcept {
    std::swap(account_, other.account_);
    std::swap(free_, other.free_);
    std::swap(paid_, other.paid_);
  }
  MemoryAccount* account_ = nullptr;
  std::uint64_t free_ = 0;
  std::uint64_t paid_ = 0;
};

}  // namespace tutti::pipes
