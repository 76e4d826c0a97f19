// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace tutti::pipes {

/// Where a node listens, or is to be found.
struct Address {
  std::string host;        ///< a name, or an IPv4 or IPv6 address without brackets
  std::uint16_t port = 0;  ///< 0: any that is free, for listening only

  std::string text() const;  ///< as parseAddress() reads it
  friend bool operator==(const Address&, const Address&) = default;
};

/// `HOST:PORT`, `[IPv6]:PORT`, `:PORT` or `PORT`; without a host it is 127.0.0.1. The error says
/// what is wrong with it and how it should look.
tl::expected<Address, std::string> parseAddress(std::string_view text);

}  // namespace tutti::pipes
