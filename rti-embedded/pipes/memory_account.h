// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tutti::pipes {

/// Who pays for memory that grows with what others send: the budget of a node.
class MemoryAccount {
 public:
  virtual ~MemoryAccount() = default;
  /// False: there is not so much left, and nothing was taken.
  virtual bool take(std::uint64_t bytes) = 0;
  virtual void giveBack(std::uint64_t bytes) = 0;
};

}  // namespace tutti::pipes
