// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// The API speaks std::wstring (whole characters), everything below it UTF-8. A surrogate or a value
// beyond Unicode becomes U+FFFD; so does a malformed sequence of octets.
namespace tutti::api1516e {

std::string toUtf8(std::wstring_view text);
std::wstring fromUtf8(std::string_view text);

}  // namespace tutti::api1516e
