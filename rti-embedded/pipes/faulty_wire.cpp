// SPDX-License-Identifier: Apache-2.0
#include "pipes/faulty_wire.h"

#include <charconv>
#include <string>

namespace tutti::pipes {

tl::expected<Faults, std::string> Faults::parse(std::string_view text) {
  Faults faults;
  const auto wrong = [&](std::string_view part) {
    return tl::unexpected("'" + std::string(part) +
                          "' is no fault of a network: they are loss, duplicate and reorder, each "
                          "=0 to 1000 of a thousand datagrams, and seed=NUMBER, such as "
                          "loss=50,reorder=20,seed=7");
  };
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) return wrong(part);
    const auto name = part.substr(0, equals);
    const auto digits = part.substr(equals + 1);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
      return wrong(part);
    }
    unsigned* permille = name == "loss"        ? &faults.loss
                         : name == "duplicate" ? &faults.duplicate
                         : name == "reorder"   ? &faults.reorder
                                               : nullptr;
    if (name == "seed") {
      faults.seed = value;
    } else if (permille != nullptr && value <= 1000) {
      *permille = static_cast<unsigned>(value);
    } else {
      return wrong(part);
    }
  }
  return faults;
}

FaultyWire::Sent FaultyWire::send(const SocketAddress& to, std::span<const std::byte> datagram) {
  constexpr unsigned farthest = 8;
  for (Late& one : late_) --one.behind;
  Sent result = Sent::Yes;
  if (happens(faults_.loss)) {
    ++lost_;
  } else if (happens(faults_.reorder)) {
    const auto behind = static_cast<unsigned>(1 + random_() % farthest);
    late_.push_back({to, {datagram.begin(), datagram.end()}, behind});
  } else {
    result = wire_->send(to, datagram);
    if (result == Sent::Yes && happens(faults_.duplicate)) wire_->send(to, datagram);
  }
  std::erase_if(late_, [&](const Late& one) {
    if (one.behind != 0) return false;
    wire_->send(one.to, one.datagram);
    return true;
  });
  return result;
}

}  // namespace tutti::pipes
