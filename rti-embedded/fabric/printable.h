// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tutti::fabric {

/// Text from elsewhere (names, object models, messages) as it may be written to a terminal or a
/// log: what steers a terminal or turns the direction of reading is written as an escape that JSON
/// reads too (`\n`, `\t`, `\u001b`), a byte that is not UTF-8 as `\xff`. Everything else stays.
enum class Lines {
  Joined,  ///< one line, whatever the text is
  Kept,    ///< line feeds and tabs stay
};
std::string printable(std::string_view text, Lines lines = Lines::Joined);

}  // namespace tutti::fabric
