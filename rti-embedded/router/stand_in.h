// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/instance_table.h"
#include "core/regions.h"
#include "core/update_regions.h"
#include "executive/federation_execution.h"
#include "fabric/ring.h"

namespace tutti::router {

/// Does on this host what a federate of another host does there: writes its records into the rings
/// of the receivers here, and keeps its table of instances.
///
/// It never waits. A ring that is full is followed by a larger one; how much a receiver has not
/// read is told by unread(), so that those who send to it can be held up where they are.
/// Throws std::bad_alloc when the memory budget is used up. Not thread-safe.
class StandIn {
 public:
  /// `execution` outlives it.
  StandIn(executive::FederationExecution& execution, fabric::FederateNumber federate,
          fabric::FederateBlock& page);

  /// Writes a record, whole and without a ChunkReference, for one receiver of this host.
  void deliver(const executive::FederationExecution::Page& receiver,
               std::span<const std::byte> record);
  /// A row of its table as it is there now.
  void placeRow(const executive::SavedInstance& row);
  void freeRow(std::uint32_t row);
  /// The same of its regions, and of what it updates with them. False: there can be no such.
  bool showRegion(core::Region region, const core::Ranges* ranges,
                  const core::RegionTable::Room& room);
  bool showUpdateRegion(std::uint32_t row, const core::UpdateRegion* entry);

  /// Gives back what was read; to be called now and then.
  void giveBackRead();
  std::uint64_t unread(fabric::FederateNumber receiver) const;
  void forget(fabric::FederateNumber receiver);
  /// Whether somebody else has written one of its rings, or how far a receiver has read it.
  bool isDamaged() const { return damaged_; }

 private:
  /// The way to one receiver, as a Link of core::Outbox.
  struct Way {
    fabric::FederateBlock* block = nullptr;
    fabric::RingWriter ring;
    fabric::Offset offset = 0;
    std::uint64_t bytes = 0;
    fabric::InboundBlock* inbound = nullptr;
    std::uint64_t readyBit = 0;
    std::uint64_t summaryBit = 0;
    std::uint64_t timestampedSent = 0;
    struct Former {
      fabric::RingWriter ring;
      fabric::Offset offset;
    };
    std::vector<Former> former;
    struct Chunk {
      fabric::RingWriter ring;
      fabric::Offset ringOffset;
      std::uint64_t position;
      fabric::Offset extent;
      std::uint64_t bytes;
    };
    std::vector<Chunk> chunks;
  };
  Way& wayTo(const executive::FederationExecution::Page& receiver);
  void open(Way& way, fabric::FederateNumber receiver, std::uint64_t bytes);
  void write(Way& way, fabric::FederateNumber receiver, std::span<const std::byte> record,
             bool timestamped);
  static void notify(Way& way);
  void giveBackRead(Way& way);

  executive::FederationExecution& execution_;
  fabric::FederateNumber federate_;
  core::InstanceTable table_;
  core::RegionTable regions_;
  core::UpdateRegionTable updateRegions_;
  std::map<fabric::FederateNumber, Way> ways_;
  bool damaged_ = false;
};

}  // namespace tutti::router
