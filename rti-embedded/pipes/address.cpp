// SPDX-License-Identifier: Apache-2.0
#include "pipes/address.h"

#include <charconv>

namespace tutti::pipes {

std::string Address::text() const {
  const bool brackets = host.find(':') != std::string::npos;
  return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

tl::expected<Address, std::string> parseAddress(std::string_view text) {
  const auto wrong = [&] {
    return tl::unexpected("'" + std::string(text) +
                          "' is no address: it is HOST:PORT, such as 192.168.1.10:7400, or PORT "
                          "alone for this machine, with a port from 0 to 65535");
  };
  Address address;
  std::string_view host = "127.0.0.1";
  std::string_view port = text;
  if (const auto colon = text.rfind(':'); colon != std::string_view::npos) {
    if (colon != 0) host = text.substr(0, colon);
    port = text.substr(colon + 1);
  }
  if (host.starts_with('[')) {
    if (!host.ends_with(']') || host.size() < 4) return wrong();
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return wrong();
  }
  if (host.empty() || host.size() > 253 || host.find_first_of(" /\t\n") != std::string_view::npos) {
    return wrong();
  }
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (port.empty() || error != std::errc() || end != port.data() + port.size()) return wrong();
  address.host = host;
  return address;
}

}  // namespace tutti::pipes
