// SPDX-License-Identifier: Apache-2.0
#include "node/datagrams.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "pipes/faulty_wire.h"

namespace tutti::node {

using pipes::SocketAddress;
using router::BestEffort;

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

tl::expected<std::unique_ptr<BestEffort>, std::string> over(
    std::unique_ptr<pipes::DatagramWire> wire, const DatagramOptions& options) {
  if (!options.faults.empty()) {
    const auto faults = pipes::Faults::parse(options.faults);
    if (!faults) return tl::unexpected("TUTTI_WIRE_FAULTS: " + faults.error());
    wire = std::make_unique<pipes::FaultyWire>(std::move(wire), *faults);
  }
  auto port = pipes::DatagramPort::make(std::move(wire),
                                        {options.bundle, options.sealed, options.memory});
  if (!port) return tl::unexpected(port.error());
  return std::make_unique<BestEffort>(std::move(*port));
}

}  // namespace

tl::expected<pipes::Address, std::string> parseGroup(const std::string& text) {
  const auto wrong = [&] {
    return tl::unexpected("'" + text +
                          "' is no multicast group: it is GROUP or GROUP:PORT with an address "
                          "from 224.0.0.0 to 239.255.255.255, such as 239.255.0.1, or an IPv6 one "
                          "such as [ff02::77]:7401");
  };
  // What is no more than an address.
  const bool hasPort = text.starts_with('[') ? text.find("]:") != std::string::npos
                                             : text.find(':') != std::string::npos;
  const auto address = pipes::parseAddress(
      hasPort ? text : text + ":" + std::to_string(DatagramOptions::usualGroupPort));
  if (!address || address->port == 0) return wrong();
  if (address->host.find_first_not_of("0123456789abcdefABCDEF.:%") != std::string::npos) {
    return wrong();
  }
  const auto group = SocketAddress::of(*address);
  if (!group || !group->isMulticast()) return wrong();
  return *address;
}

tl::expected<std::chrono::microseconds, std::string> parseBundle(const std::string& text) {
  std::int64_t value = -1;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || rest != end || value < 0 ||
      value > DatagramOptions::longestBundle.count()) {
    return tl::unexpected("'" + text +
                          "' is no time for bundling: it is a number of microseconds "
                          "from 0 to " +
                          std::to_string(DatagramOptions::longestBundle.count()));
  }
  return std::chrono::microseconds(value);
}

tl::expected<DatagramOptions, std::string> DatagramOptions::fromEnvironment() {
  DatagramOptions options;
  options.use = variable("TUTTI_DATAGRAMS") != "0";
  options.faults = variable("TUTTI_WIRE_FAULTS");
  if (const std::string text = variable("TUTTI_MULTICAST"); !text.empty()) {
    auto group = parseGroup(text);
    if (!group) return tl::unexpected("TUTTI_MULTICAST: " + group.error());
    options.multicast = std::move(*group);
  }
  if (const std::string text = variable("TUTTI_BUNDLE"); !text.empty()) {
    const auto bundle = parseBundle(text);
    if (!bundle) return tl::unexpected("TUTTI_BUNDLE: " + bundle.error());
    options.bundle = *bundle;
  }
  return options;
}

tl::expected<std::unique_ptr<BestEffort>, std::string> listenForDatagrams(
    const DatagramOptions& options, const pipes::Address& listensAt) {
  const auto at = SocketAddress::of(listensAt, true);
  if (!at) return tl::unexpected(at.error());
  auto wire = pipes::UdpWire::bind(*at);
  if (!wire) return tl::unexpected(wire.error());
  (*wire)->sendGroupsThrough((*wire)->address());
  return over(std::move(*wire), options);
}

tl::expected<std::unique_ptr<BestEffort>, std::string> openDatagrams(const DatagramOptions& options,
                                                                     const pipes::Address& home) {
  const auto to = SocketAddress::of(home);
  if (!to) return tl::unexpected(to.error());
  auto wire = pipes::UdpWire::bindTowards(*to);
  if (!wire) return tl::unexpected(wire.error());
  (*wire)->sendGroupsThrough((*wire)->address());
  return over(std::move(*wire), options);
}

}  // namespace tutti::node
