// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>

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
};

}  // namespace tutti::executive
