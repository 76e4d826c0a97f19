// SPDX-License-Identifier: GPL-3.0-or-later
// The control log as a federate reads it: whatever is in it, the federate goes on or is told that
// its connection is lost. Parts: 0 a record, | type 2 | body |; 1 the federate evokes callbacks;
// 2 it sends; 3 another federate of the execution does.
#include <cstring>

#include "fabric/protocol_mom.h"
#include "fabric/protocol_order.h"
#include "fabric/protocol_ownership.h"
#include "fabric/protocol_regions.h"
#include "fabric/protocol_save.h"
#include "federates.h"

namespace tutti::fuzz {

namespace {

using fabric::LogRecordType;

constexpr std::size_t mostParts = 150;

Landmark applied("a record was applied");
Landmark told("a record led to a callback");

template <class Record>
void add(Bytes& input, LogRecordType type, const Record& record) {
  const auto code = static_cast<std::uint16_t>(type);
  Bytes part(sizeof code);
  std::memcpy(part.data(), &code, sizeof code);
  const auto body = fabric::toWire(record);
  part.insert(part.end(), body.begin(), body.end());
  appendPart(input, 0, part);
  appendPart(input, 1, {});
}

void scribe(core::Federate& f, const std::string& name, core::ObjectInstance& instance) {
  f.join({"w", name, "t", {}});
  const auto& model = f.model().compact();
  const auto vehicle = model.objectClass("Vehicle");
  const std::vector<core::Attribute> attributes{model.attribute(vehicle, "position"),
                                                model.attribute(vehicle, "zone")};
  f.publishObjectClass(vehicle, attributes);
  f.subscribeObjectClass(vehicle, attributes, true, "");
  const auto message = model.interactionClass("Message");
  f.publishInteractionClass(message, true);
  f.subscribeInteractionClass(message, true, true);
  instance = f.registerInstance(vehicle, nullptr);
}

void send(Member& member, core::ObjectInstance instance) {
  const Bytes bytes = bytesOf("value");
  member.service([&](core::Federate& f) {
    const auto& model = f.model().compact();
    const auto position = model.attribute(model.objectClass("Vehicle"), "position");
    const core::Value value{position, bytes};
    f.update(instance, std::span(&value, 1), {}, nullptr);
  });
  member.service([&](core::Federate& f) {
    f.send(f.model().compact().interactionClass("Message"), {}, bytes, nullptr);
  });
}

}  // namespace

void target(Input input) {
  Rti rti;
  {
    Member reader(rti), other(rti);
    core::ObjectInstance own = 0, others = 0;
    const bool made = reader.service([](core::Federate& f) {
      f.createFederation({"w", {}, {}, "", true});
    });
    require(made && reader.service([&](core::Federate& f) { scribe(f, "a", own); }) &&
                other.service([&](core::Federate& f) { scribe(f, "b", others); }),
            "two federates can join");
    reader.evoke(100);
    other.evoke(100);
    reader.damaged = other.damaged = true;
    auto all = parts(input);
    if (all.size() > mostParts) all.resize(mostParts);
    for (const Part& part : all) {
      switch (part.kind & 3) {
        case 0: {
          std::uint16_t type = 0;
          if (part.bytes.size() < sizeof type) break;
          std::memcpy(&type, part.bytes.data(), sizeof type);
          if (rti.appendToLog(type, part.bytes.subspan(sizeof type))) applied.reach();
          break;
        }
        case 1: {
          const std::uint64_t before = reader.callbacks;
          reader.evoke(50);
          if (reader.callbacks != before) told.reach();
          break;
        }
        case 2:
          send(reader, own);
          break;
        default:
          send(other, others);
          other.evoke(50);
      }
    }
    reader.evoke(50);
  }
}

std::vector<Bytes> seeds() {
  // Federates 1 and 2 are joined, with an instance each.
  const std::uint64_t instance = (std::uint64_t{2} << 40) | 1;
  constexpr core::ObjectClass anyClass = 1;
  Bytes members;
  add(members, LogRecordType::FederateJoined, fabric::FederateJoinedRecord{3, 0, "c", "t"});
  add(members, LogRecordType::ObjectClassDeclared,
      fabric::ObjectClassDeclaredRecord{2, anyClass, true, false, {1}});
  add(members, LogRecordType::InteractionClassDeclared,
      fabric::InteractionClassDeclaredRecord{2, anyClass, false, true, false});
  add(members, LogRecordType::SynchronizationPointAnnounced,
      fabric::SynchronizationPointAnnouncedRecord{"p", bytesOf("tag"), {1, 2}});
  add(members, LogRecordType::FederationSynchronized,
      fabric::FederationSynchronizedRecord{"p", {1, 2}, {2}});
  add(members, LogRecordType::MomSwitches, fabric::MomSwitches{true});
  add(members, LogRecordType::MomTiming, fabric::MomTiming{1, 2});
  for (const std::uint32_t command : {1, 2, 3, 4, 5, 6}) {
    add(members, LogRecordType::MomCommand, fabric::MomCommand{1, command, {{1, bytesOf("v")}}});
  }
  add(members, LogRecordType::InstancesAdopted, fabric::InstancesAdoptedRecord{});
  appendPart(members, 3, {});
  add(members, LogRecordType::FederateResigned, fabric::FederateResignedRecord{2, true});
  Bytes trade;
  add(trade, LogRecordType::OwnershipBegun, fabric::OwnershipBegunRecord{instance, 0, {}});
  add(trade, LogRecordType::OwnershipChanged, fabric::OwnershipChangedRecord{instance, {}, {}});
  appendPart(trade, 3, {});
  add(trade, LogRecordType::AttributeTransportationChanged,
      fabric::AttributeTransportationRecord{2, {instance, {1}, true, false}});
  add(trade, LogRecordType::InteractionTransportationChanged,
      fabric::InteractionTransportationRecord{2, {anyClass, true, false}});
  add(trade, LogRecordType::ObjectClassRegions, fabric::ObjectClassRegionsRecord{2, anyClass, {}});
  add(trade, LogRecordType::InteractionClassRegions,
      fabric::InteractionClassRegionsRecord{2, anyClass, {}});
  appendPart(trade, 2, {});
  add(trade, LogRecordType::OwnershipEnded, fabric::OwnershipEndedRecord{instance, 0});
  Bytes save;
  add(save, LogRecordType::SaveScheduled, fabric::SaveScheduledRecord{1, 7});
  add(save, LogRecordType::SaveInitiated, fabric::SaveInitiatedRecord{"s"});
  appendPart(save, 3, {});
  add(save, LogRecordType::SaveBegunByAll, fabric::NoArguments{});
  add(save, LogRecordType::SaveEnded, fabric::EndedRecord{false, 1});
  appendPart(save, 2, {});
  add(save, LogRecordType::RestoreBegun, fabric::RestoreBegunRecord{"s", {}});
  add(save, LogRecordType::RestoreEnded, fabric::EndedRecord{false, 1});
  Bytes broken;
  add(broken, LogRecordType::ModelExtended, fabric::ModelExtendedRecord{});
  add(broken, LogRecordType::EndOfBlock, fabric::NoArguments{});
  return {members, trade, save, broken};
}

}  // namespace tutti::fuzz
