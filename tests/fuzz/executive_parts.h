// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "executive/executive.h"
#include "target.h"

namespace tutti::fuzz {

/// Saves of federation executions, in the memory of the target.
class MemoryStore final : public executive::SaveStore {
 public:
  tl::expected<void, std::string> write(const std::string& federation, const std::string& label,
                                        const fabric::Bytes& content) override {
    saves_[{federation, label}] = content;
    return {};
  }
  tl::expected<std::optional<fabric::Bytes>, std::string> read(
      const std::string& federation, const std::string& label) const override {
    const auto found = saves_.find({federation, label});
    return found == saves_.end() ? std::nullopt : std::optional(found->second);
  }

  std::vector<Kept> list(const std::string& federation) const override {
    std::vector<Kept> kept;
    for (const auto& [key, content] : saves_) {
      if (key.first != federation) continue;
      const std::size_t head = std::min(content.size(), headBytes);
      kept.push_back({{content.begin(), content.begin() + static_cast<std::ptrdiff_t>(head)},
                      content.size(),
                      0});
    }
    return kept;
  }

 private:
  std::map<std::pair<std::string, std::string>, fabric::Bytes> saves_;
};

inline executive::HostMemory hostMemory() {
  auto made = executive::HostMemory::make();
  require(made.has_value(), "a host page can be made");
  return std::move(*made);
}

inline Bytes requestDatagram(std::uint16_t request, std::uint64_t number, Input body) {
  fabric::RequestHead head;
  head.request = static_cast<fabric::Request>(request);
  head.number = number;
  Bytes bytes = fabric::toWire(head);
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

/// As the library of a federate that has just joined registers its first instance, of number
/// (federate, 1): `memory` was allocated for its table.
inline void registerFirstInstance(const fabric::Arena& arena, const fabric::JoinReply& join,
                                  fabric::Offset memory) {
  auto* block = arena.as<fabric::FederateBlock>(join.block);
  auto* table = arena.as<fabric::InstanceBlock>(memory);
  require(block != nullptr && table != nullptr, "the page and the table of a federate are there");
  block->appliedLog.store(join.logNumber);
  table->capacity = 8;
  auto* row = reinterpret_cast<fabric::InstanceRow*>(table + 1);
  row->handle.store((std::uint64_t{join.federate} << 40) | 1);
  row->objectClass.store(1);
  row->state.store(fabric::InstanceRow::alive | 256);
  table->used.store(1);
  block->instances.store(memory);
}

}  // namespace tutti::fuzz
