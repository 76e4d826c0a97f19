// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "pipes/memory_account.h"

namespace tutti::test {

/// A budget of which can be seen what is taken.
class Account final : public pipes::MemoryAccount {
 public:
  explicit Account(std::uint64_t bytes) : total(bytes) {}
  bool take(std::uint64_t bytes) override {
    if (used + bytes > total) return false;
    used += bytes;
    most = std::max(most, used);
    return true;
  }
  void giveBack(std::uint64_t bytes) override { used -= bytes; }
  std::uint64_t left() const override { return total - used; }
  std::uint64_t total, used = 0, most = 0;
};

}  // namespace tutti::test
