// SPDX-License-Identifier: Apache-2.0
// Tables that federates show to all others: their instances, their regions, and what they update
// with which. Each node keeps those of the federates of other hosts by what they tell of every
// change.
#include <utility>

#include "core/records.h"
#include "router/router.h"

namespace tutti::router {

using fabric::FederateNumber;
using fabric::RecordType;

/// All there is to one who is new. Who changes a table meanwhile tells of it afterwards: whatever a
/// federate wrote before it knew of routers is found here.
void Router::sendTables(LinkId link, const Page& page) {
  const fabric::Arena& arena = execution_.arena().arena();
  const fabric::LogNumber tail = execution_.logTail();
  std::vector<std::byte> record;
  core::RecordWriter writer(record);
  const auto begin = [&] { record.resize(sizeof(fabric::RecordHead)); };
  const auto send = [&](RecordType type, std::size_t count) {
    writer.finish(type, 0, count, tail, 0);
    sendData(link, page.federate, {}, record);
  };
  core::visitRegions(
      arena, page.block->regions.load(std::memory_order_seq_cst),
      [&](core::Region region, const core::Ranges& ranges, const core::RegionTable::Room& room) {
        begin();
        writer.put(core::TableRegionBody{region, room.first, room.rows, room.dimensions, 1});
        for (const core::Range& range : ranges) writer.put(range);
        send(RecordType::TableRegion, ranges.size());
      });
  core::visitRows(arena, page.block->updateRegions.load(std::memory_order_seq_cst),
                  [&](const core::UpdateRegion& entry, std::uint32_t row) {
                    begin();
                    writer.put(core::TableUpdateRegionBody{entry.instance, entry.region,
                                                           entry.attribute, entry.row, row, 0});
                    send(RecordType::TableUpdateRegion, 0);
                  });
  for (const executive::SavedInstance& row : execution_.rowsOf(page.federate)) {
    begin();
    writer.put(core::DiscoverBody{row.instance, row.row, row.objectClass,
                                  static_cast<std::uint32_t>(row.name.size()),
                                  static_cast<std::uint32_t>(row.owned.size())});
    writer.put(row.name.data(), row.name.size());
    writer.put(row.owned.data(), row.owned.size() * sizeof(core::Attribute));
    send(RecordType::TableRow, 0);
  }
}

bool Router::applyTable(FederateNumber sender, std::span<const std::byte> record) {
  StandIn* own = standIn(sender);
  if (own == nullptr) return true;  // it has just left
  core::RecordReader reader(record);
  switch (reader.head().type) {
    case RecordType::TableRow:
      return applyRow(*own, reader);
    case RecordType::TableRegion:
      return applyRegion(*own, reader);
    case RecordType::TableUpdateRegion:
      return applyUpdateRegion(*own, reader);
    default:
      return false;
  }
}

bool Router::applyRow(StandIn& own, core::RecordReader& reader) {
  core::DiscoverBody body{};
  reader.take(body);
  const auto name = reader.takeBytes(body.nameBytes);
  executive::SavedInstance row{body.row,
                               body.instance,
                               body.objectClass,
                               {reinterpret_cast<const char*>(name.data()), name.size()},
                               {}};
  for (std::uint32_t i = 0; i < body.owned && !reader.failed(); ++i) {
    reader.take(row.owned.emplace_back());
  }
  constexpr std::uint32_t mostRows = std::uint32_t{1} << 26;
  if (reader.failed() || row.row > mostRows) return false;
  if (row.instance != 0) {
    own.placeRow(row);
  } else {
    own.freeRow(row.row);
  }
  return true;
}

bool Router::applyRegion(StandIn& own, core::RecordReader& reader) {
  core::TableRegionBody body{};
  reader.take(body);
  core::Ranges ranges(reader.head().count);
  for (core::Range& range : ranges) reader.take(range);
  if (reader.failed()) return false;
  return own.showRegion(body.region, body.exists != 0 ? &ranges : nullptr,
                        {body.first, body.rows, body.dimensions});
}

bool Router::applyUpdateRegion(StandIn& own, core::RecordReader& reader) {
  core::TableUpdateRegionBody body{};
  reader.take(body);
  if (reader.failed()) return false;
  const core::UpdateRegion entry{body.instance, body.region, body.attribute, body.instanceRow};
  return own.showUpdateRegion(body.row, body.region != 0 ? &entry : nullptr);
}

}  // namespace tutti::router
