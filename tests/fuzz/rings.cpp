// SPDX-License-Identifier: GPL-3.0-or-later
// What a federate reads in memory that other federates may write: its rings with their chunks, and
// their tables of instances, regions and update regions. Parts: 0 and 1 append a record to one of two
// rings as a sender does, whose bytes are | type 1 | flags 1 | count 2 | body |; 2 and 3 append it
// with the head as it stands; 4 writes 8 bytes anywhere: | place 2 (in words) | bytes |; the others
// read: all records, records in place, into private queues, the tables.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/inbox.h"
#include "core/instance_table.h"
#include "core/records.h"
#include "core/regions.h"
#include "core/update_regions.h"
#include "fabric/mapping.h"
#include "target.h"

namespace tutti::fuzz {

namespace {

using fabric::FederateBlock;
using fabric::RecordHead;
using fabric::RingHeader;

Landmark update("an update was read from a ring");
Landmark chunk("a record was read whose body lies in a chunk");
Landmark inPlace("a body was read in place");
Landmark queued("a record was moved into a private queue and read from there");
Landmark moved("the reader followed its sender into a further ring");
Landmark instance("an instance was found in a table");
Landmark region("a region was found in a table");

constexpr std::size_t publishedBytes = 4096;
constexpr std::size_t arenaBytes = 96 * 1024;
constexpr fabric::Offset blockAt = 4096;
constexpr fabric::Offset ringAt[] = {16384, 24576};
constexpr fabric::Offset furtherAt = 32768;
constexpr fabric::Offset chunkAt = 40960;
constexpr fabric::Offset instancesAt = 53248;
constexpr fabric::Offset regionsAt = 57344;
constexpr fabric::Offset updateRegionsAt = 61440;
constexpr std::uint32_t ringBytes = 4096;

/// The arena of an execution in which two federates send to a third one.
struct Memory {
  Memory() {
    const fabric::ArenaMemory memory{memoryOf(publishedBytes), memoryOf(arenaBytes - publishedBytes),
                                     publishedBytes, arenaBytes};
    auto mapped = fabric::Arena::openOwn(memory);
    require(mapped.has_value(), "memory can be mapped");
    own = std::move(*mapped);
    reset();
    auto opened = fabric::Arena::open(memory);
    require(opened.has_value(), "the arena can be opened");
    arena = std::move(*opened);
    ::close(memory.published);
    ::close(memory.shared);
  }

  template <class T>
  T& at(fabric::Offset offset) {
    return *reinterpret_cast<T*>(start() + offset);
  }

  void makeRing(fabric::Offset offset, fabric::FederateNumber sender) {
    auto& ring = at<RingHeader>(offset);
    ring.magic = RingHeader::magicValue;
    ring.capacity = ringBytes;
    ring.sender = sender;
    ring.receiver = 3;
  }

  void reset() {
    std::memset(start(), 0, arenaBytes);
    auto& header = at<fabric::ArenaHeader>(0);
    header.magic = fabric::ArenaHeader::magicValue;
    header.version = fabric::layoutVersion;
    header.size = arenaBytes;
    header.firstShared = publishedBytes;
    header.published.store(publishedBytes);
    header.committed.store(arenaBytes);
    auto& block = at<FederateBlock>(blockAt);
    block.magic = FederateBlock::magicValue;
    block.federate = 3;
    for (std::uint32_t i = 0; i < 2; ++i) {
      makeRing(ringAt[i], i + 1);
      block.inbound.entries[i].ring.store(ringAt[i]);
      block.inbound.entries[i].sender.store(i + 1);
    }
    makeRing(furtherAt, 1);
    at<RingHeader>(ringAt[0]).successor.store(furtherAt);
    auto& instances = at<fabric::InstanceBlock>(instancesAt);
    instances.capacity = 8;
    instances.used.store(2);
    auto* rows = reinterpret_cast<fabric::InstanceRow*>(&instances + 1);
    for (std::uint32_t i = 0; i < 2; ++i) {
      rows[i].handle.store((std::uint64_t{1} << 32) | (i + 1));
      rows[i].objectClass.store(2);
      rows[i].nameBytes.store(4);
      rows[i].name.store(chunkAt);
      rows[i].state.store(fabric::InstanceRow::alive);
    }
    auto& regions = at<fabric::RegionBlock>(regionsAt);
    regions.rows = 4;
    regions.dimensions = 2;
    auto& updateRegions = at<fabric::UpdateRegionBlock>(updateRegionsAt);
    updateRegions.rows = 8;
    updateRegions.used.store(2);
  }

  std::byte* start() const { return reinterpret_cast<std::byte*>(&own.header()); }

  fabric::Arena own;    ///< all of it can be written
  fabric::Arena arena;  ///< as the receiver has mapped it

 private:
  static int memoryOf(std::size_t bytes) {
    const int descriptor = ::memfd_create("fuzzed arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    require(descriptor >= 0 && ::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0 &&
                ::fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK) == 0,
            "memory can be had");
    return descriptor;
  }
};

/// As the library of the receiver takes a record apart.
void takeApart(std::span<const std::byte> record, std::span<const std::byte> body) {
  core::RecordReader reader(record, body);
  static_cast<void>(core::classKeyOf(reader.head().type, body));
  std::size_t read = 0;
  if (reader.head().type == fabric::RecordType::Update) {
    core::UpdateBody fixed{};
    reader.take(fixed);
    std::vector<core::ValueHead> values(reader.head().count);
    for (auto& value : values) reader.take(value);
    read += reader.takeBytes(fixed.tagBytes).size();
    for (const auto& value : values) read += reader.takeBytes(value.bytes).size();
    if (!reader.failed()) update.reach();
  } else if (reader.head().type == fabric::RecordType::Discover) {
    core::DiscoverBody fixed{};
    reader.take(fixed);
    read += reader.takeBytes(fixed.nameBytes).size();
  } else {
    core::RequestBody fixed{};
    reader.take(fixed);
    read += reader.takeBytes(fixed.tagBytes).size();
  }
  require(read <= body.size(), "no more is taken from a record than it has");
}

void readAll(core::Inbox& inbox, bool asTheyStand) {
  std::vector<std::byte> record;
  fabric::FederateNumber sender = 0;
  core::Inbox::Source* source = nullptr;
  for (int i = 0; i < 4096; ++i) {
    if (!(asTheyStand ? inbox.nextInPlace(record, sender, source)
                      : inbox.next(record, sender, source))) {
      return;
    }
    require(record.size() >= sizeof(RecordHead), "a record has a head");
    RecordHead head;
    std::memcpy(&head, record.data(), sizeof head);
    if (asTheyStand && core::Inbox::isReference(record)) {
      const auto body = inbox.bodyOf(record);
      if (!body.empty()) inPlace.reach();
      takeApart(record, body);
      inbox.release();
    } else {
      if (record.size() > ringBytes) chunk.reach();
      takeApart(record, std::span<const std::byte>(record).subspan(sizeof head));
    }
    if ((head.flags & fabric::recordFlag::timestampOrder) != 0) inbox.countTaken(source);
  }
}

void readTables(const fabric::Arena& arena) {
  core::visitInstances(arena, instancesAt, [&](const core::InstanceEntry& entry) {
    if (!entry.name.empty()) instance.reach();
    static_cast<void>(core::findInstance(arena, instancesAt, entry.row, entry.instance));
  });
  static_cast<void>(core::instanceRows(arena, instancesAt));
  core::Ranges ranges;
  core::visitRegions(arena, regionsAt,
                     [&](core::Region one, const core::Ranges&, const core::RegionTable::Room&) {
                       region.reach();
                       static_cast<void>(core::readRegion(arena, regionsAt, one, ranges));
                       static_cast<void>(core::findRegion(arena, regionsAt, one));
                     });
  core::visitRows(arena, updateRegionsAt, [](const core::UpdateRegion&, std::uint32_t) {});
}

Bytes recordPart(fabric::RecordType type, std::uint8_t flags, std::uint16_t count, Input body) {
  Bytes part{static_cast<std::byte>(type), static_cast<std::byte>(flags)};
  const Input number = std::as_bytes(std::span(&count, 1));
  part.insert(part.end(), number.begin(), number.end());
  part.insert(part.end(), body.begin(), body.end());
  return part;
}

}  // namespace

void target(Input input) {
  static Memory memory;
  memory.reset();
  auto& block = memory.at<FederateBlock>(blockAt);
  core::Inbox inbox;
  inbox.open(memory.arena, block);
  fabric::RingWriter writers[] = {
      fabric::RingWriter({&memory.at<RingHeader>(ringAt[0]), ringBytes}),
      fabric::RingWriter({&memory.at<RingHeader>(ringAt[1]), ringBytes})};
  for (const Part& part : parts(input)) {
    const std::size_t which = part.kind % 2;
    switch (part.kind % 10) {
      case 0:
      case 1:
      case 2:
      case 3: {
        Bytes record(part.bytes.begin(), part.bytes.end());
        if (part.kind % 10 < 2) {
          if (record.size() < 4) break;
          RecordHead head{};
          std::memcpy(&head.type, record.data(), 4);
          record.erase(record.begin(), record.begin() + 4);
          head.bytes = static_cast<std::uint32_t>(sizeof head + record.size());
          head.logNumber = 1;
          const Bytes front = valueBytes(head);
          record.insert(record.begin(), front.begin(), front.end());
        }
        if (record.empty() || record.size() > writers[which].largestRecord()) break;
        if (!writers[which].tryWrite(record, false)) break;
        block.inbound.ready.fetch_or(std::uint64_t{1} << which);
        block.readySummary.fetch_or(1);
        break;
      }
      case 4: {
        std::uint16_t place = 0;
        std::uint64_t word = 0;
        if (part.bytes.size() < sizeof place) break;
        std::memcpy(&place, part.bytes.data(), sizeof place);
        const Input bytes = part.bytes.subspan(sizeof place);
        std::memcpy(&word, bytes.data(), std::min(bytes.size(), sizeof word));
        // The head of the arena and the page of the reader itself are written by nobody else.
        const std::size_t offset =
            ringAt[0] + (std::size_t{place} * 8) % (arenaBytes - ringAt[0]);
        std::memcpy(memory.start() + offset, &word, sizeof word);
        break;
      }
      case 5: readAll(inbox, false); break;
      case 6: readAll(inbox, true); break;
      case 7:
        inbox.makeRoom();
        if (inbox.hasNews()) queued.reach();
        break;
      case 8: readTables(memory.arena); break;
      default:
        if (inbox.prepareSleep()) inbox.wakeUp();
        static_cast<void>(inbox.emptyRingOf(which + 1));
    }
  }
  readAll(inbox, true);
  readTables(memory.arena);
  if (memory.at<fabric::InboundBlock>(blockAt + offsetof(FederateBlock, inbound))
          .entries[0]
          .ring.load() == furtherAt) {
    moved.reach();
  }
  inbox.close();
}

std::vector<Bytes> seeds() {
  using fabric::RecordType;
  const Bytes text = bytesOf("tag and value");
  Bytes updateBody = valueBytes(core::UpdateBody{1, 0, 2, 4, 9}, core::ValueHead{1, 9});
  updateBody.insert(updateBody.end(), text.begin(), text.end());
  Bytes plain;
  for (int i = 0; i < 3; ++i) {
    appendPart(plain, 0, recordPart(RecordType::Update, 0, 1, updateBody));
    appendPart(plain, 1, recordPart(RecordType::Discover, 0, 0, valueBytes(core::DiscoverBody{})));
  }
  appendPart(plain, 7, {});
  appendPart(plain, 5, {});
  appendPart(plain, 8, {});
  Bytes chunks;
  const Bytes reference = valueBytes(fabric::ChunkReference{chunkAt, 12000});
  for (const std::uint8_t how : {5, 6, 7, 9}) {
    appendPart(chunks, 0,
               recordPart(RecordType::Interaction, fabric::recordFlag::chunk, 1, reference));
    appendPart(chunks, how, {});
  }
  Bytes follow;
  appendPart(follow, 0, recordPart(RecordType::Update, 1, 1, updateBody));
  appendPart(follow, 0, recordPart(RecordType::Moved, 0, 0, {}));
  appendPart(follow, 5, {});
  Bytes scribbled;
  appendPart(scribbled, 3, Bytes(40, std::byte{40}));
  // The state of the first region: alive, of this creator and row.
  for (std::uint16_t word = 0; word < 12; ++word) {
    const auto place =
        static_cast<std::uint16_t>((regionsAt - ringAt[0]) / 8 + sizeof(fabric::RegionBlock) / 8 +
                                   word);
    appendPart(scribbled, 4, valueBytes(place, std::uint64_t{1}));
  }
  appendPart(scribbled, 8, {});
  return {plain, chunks, follow, scribbled};
}

}  // namespace tutti::fuzz
