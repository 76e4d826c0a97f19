// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "fabric/wire.h"

namespace tutti::executive {

/// Where saved federation executions are kept, by the name of the execution and the label.
class SaveStore {
 public:
  virtual ~SaveStore() = default;

  /// Replaces what was saved under the label; on a failure that is still there. The error says
  /// what failed, where and why.
  virtual tl::expected<void, std::string> write(const std::string& federation,
                                                const std::string& label,
                                                const fabric::Bytes& content) = 0;
  /// Nothing when there is no such save.
  virtual tl::expected<std::optional<fabric::Bytes>, std::string> read(
      const std::string& federation, const std::string& label) const = 0;

  struct Kept {
    fabric::Bytes head;        ///< how the content begins: up to `headBytes`
    std::uint64_t bytes = 0;   ///< of all of it
    std::int64_t savedAt = 0;  ///< seconds since 1970, UTC
  };
  static constexpr std::size_t headBytes = 16384;
  static constexpr std::size_t mostListed = 1000;
  /// What is kept of an execution, the newest first, at most `mostListed`. What cannot be read is
  /// left out.
  virtual std::vector<Kept> list(const std::string& federation) const = 0;
};

}  // namespace tutti::executive
