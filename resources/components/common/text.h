// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace samples {

/// UTF-8 to the wide strings of the HLA API; a malformed sequence becomes U+FFFD.
std::wstring widen(const std::string& utf8);

/// The API's wide strings to UTF-8.
std::string narrow(const std::wstring& wide);

}  // namespace samples
