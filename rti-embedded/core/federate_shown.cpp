// SPDX-License-Identifier: Apache-2.0
// What this federate shows in its tables, for federates of other hosts: the nodes there keep the
// same tables by what is told here.
#include "core/federate.h"
#include "core/records.h"

namespace tutti::core {

using fabric::RecordType;

/// `instance` 0: the row is free.
void Federate::showRow(std::uint32_t row, ObjectInstance instance, ObjectClass objectClass,
                       std::string_view name, const std::vector<Attribute>& owned) {
  RecordWriter writer(shown_);
  writer.put(DiscoverBody{instance, row, objectClass, static_cast<std::uint32_t>(name.size()),
                          static_cast<std::uint32_t>(owned.size())});
  writer.put(name.data(), name.size());
  writer.put(owned.data(), owned.size() * sizeof(Attribute));
  writer.finish(RecordType::TableRow, 0, 0, log_.applied, 0);
  outbox_.sendToHosts(shown_, router_);
}

void Federate::showRegionTables() {
  while (!unshown_.empty()) {
    // Each as it is by now. Sending may lead to more of them, behind these.
    const std::vector<Unshown> changes = std::exchange(unshown_, {});
    for (const Unshown& change : changes) {
      if (change.region != 0) {
        showRegion(change.region);
      } else {
        showUpdateRegion(change.row);
      }
    }
  }
}

void Federate::tellThenApplyLog() {
  tellThenApplyLog([] {});
}

void Federate::showRegion(Region region) {
  const auto found = regions_.find(region);
  const RegionTable::Room room = regionTable_.roomOf(region);
  RecordWriter writer(shown_);
  std::size_t count = 0;
  writer.put(TableRegionBody{region, room.first, room.rows, room.dimensions,
                             found != regions_.end() ? 1u : 0u});
  if (found != regions_.end()) {
    for (const Range& range : found->second.committed) writer.put(range);
    count = found->second.committed.size();
  }
  writer.finish(RecordType::TableRegion, 0, count, log_.applied, 0);
  outbox_.sendToHosts(shown_, router_);
}

void Federate::showUpdateRegion(std::uint32_t row) {
  const UpdateRegion entry = regionSets_.table().entryIn(row).value_or(UpdateRegion{});
  RecordWriter writer(shown_);
  writer.put(
      TableUpdateRegionBody{entry.instance, entry.region, entry.attribute, entry.row, row, 0});
  writer.finish(RecordType::TableUpdateRegion, 0, 0, log_.applied, 0);
  outbox_.sendToHosts(shown_, router_);
}

void Federate::confirmTables() {
  if (router_ == 0) return;
  connection_.tell(fabric::Request::Confirm, fabric::FederationNameRequest{});
  applyLog();
}

}  // namespace tutti::core
