// SPDX-License-Identifier: Apache-2.0
// What an operator adjusts by the MOM (IEEE 1516.1-2010, 11.4): the interactions of HLAadjust,
// asked for by one who has joined nothing.
#include <algorithm>
#include <utility>

#include "executive/federation_execution.h"
#include "fabric/instance_name.h"

namespace tutti::executive {

using namespace fabric;

namespace {

using Switch = ManagementClasses::Switch;

struct Setting {
  std::uint32_t which = 0;  ///< bit of adjustment
  Switch place;
};

/// In an order that brings those of one class together.
std::vector<Setting> settings(const ManagementClasses& classes) {
  return {{adjustment::conveyRegionDesignatorSets, classes.conveyRegionDesignatorSets},
          {adjustment::conveyProducingFederate, classes.conveyProducingFederate},
          {adjustment::serviceReporting, classes.serviceReporting},
          {adjustment::exceptionReporting, classes.exceptionReporting}};
}

/// HLAboolean, HLAswitch and HLAownership are HLAinteger32BE.
Bytes encoded(bool on) {
  return {std::byte{0}, std::byte{0}, std::byte{0}, on ? std::byte{1} : std::byte{0}};
}

/// HLAhandle: the number of octets, then these.
Bytes encodedHandle(std::uint64_t handle) {
  constexpr std::byte octets{8};
  Bytes result{std::byte{0}, std::byte{0}, std::byte{0}, octets};
  for (unsigned shift = 64; shift > 0; shift -= 8)
    result.push_back(static_cast<std::byte>((handle >> (shift - 8)) & 0xff));
  return result;
}

}  // namespace

Answer<void> FederationExecution::adjustByMom(const OperateAdjustRequest& request) {
  const std::uint32_t which = request.which;
  if (which == 0 || (which & ~adjustment::all) != 0) {
    return refuse(Refusal::Internal, "the MOM has nothing of that to adjust");
  }
  if ((which & adjustment::reportPeriod) != 0 && request.reportPeriod < 0) {
    return refuse(Refusal::Internal,
                  "the report period is negative: " + std::to_string(request.reportPeriod) +
                      " s; 0 s ends the periodic updates");
  }
  std::set<std::string> missing(request.federates.begin(), request.federates.end());
  std::vector<FederateNumber> told;
  for (const auto& [federate, member] : members_) {
    if (missing.erase(member.name) == 0 && !request.federates.empty()) continue;
    told.push_back(federate);
  }
  if (!missing.empty()) {
    return refuse(Refusal::FederateNotExecutionMember,
                  "'" + *missing.begin() + "' is not joined to '" + name_ + "'");
  }
  if (told.empty() && (which & adjustment::ofFederates) != 0) {
    return refuse(Refusal::FederateNotExecutionMember, "no federate is joined to '" + name_ + "'");
  }
  // One interaction sets the switches of one class.
  std::vector<MomCommand> commands;
  for (const Setting& setting : settings(model_->management())) {
    if ((which & setting.which) == 0) continue;
    const auto [interactionClass, parameter] = setting.place;
    if (interactionClass == 0) {
      return refuse(Refusal::Internal,
                    "the object model of '" + name_ + "' has no such interaction of the MOM");
    }
    if (commands.empty() || commands.back().interactionClass != interactionClass) {
      commands.push_back({0, interactionClass, {}});
    }
    commands.back().values.push_back({parameter, encoded((request.on & setting.which) != 0)});
  }
  if ((which & adjustment::autoProvide) != 0) {
    if (auto done = momSwitches({(request.on & adjustment::autoProvide) != 0}); !done) return done;
  }
  for (const FederateNumber federate : told) {
    if ((which & adjustment::ofFederates) == 0) break;
    members_.at(federate).adjustRefused.clear();
    for (MomCommand& command : commands) {
      command.federate = federate;
      if (auto done = momCommand(command); !done) return done;
    }
    if ((which & adjustment::reportPeriod) == 0) continue;
    const auto seconds = static_cast<std::uint32_t>(request.reportPeriod);
    if (auto done = momTiming({federate, seconds}); !done) return done;
  }
  return {};
}

AdjustmentsReply FederationExecution::adjustments() const {
  AdjustmentsReply reply;
  reply.autoProvide = autoProvide_.value_or(model_->autoProvide());
  for (const auto& [federate, member] : members_) {
    const std::uint32_t switches =
        blockOf(member).switches.load(std::memory_order_relaxed) & adjustment::ofFederates;
    reply.federates.push_back(
        {federate, member.name, switches, member.reportPeriod, member.adjustRefused});
  }
  return reply;
}

Answer<void> FederationExecution::adjustRefused(FederateNumber federate,
                                                const AdjustRefused& refused) {
  members_.at(federate).adjustRefused = refused.why.substr(0, AdjustRefused::longestText);
  return {};
}

// --- who owns an instance attribute --------------------------------------------------------------

Answer<FederationExecution::NamedAttribute> FederationExecution::findAttribute(
    const std::string& instance, const std::string& attribute, const InstancePlace& place) const {
  const std::uint64_t generated = instanceOfGeneratedName(instance);
  const auto isMeant = [&](const InstanceRow& row) {
    if (generated != 0) return row.handle.load(std::memory_order_relaxed) == generated;
    // There may be a million of them, and the node serves nobody else meanwhile.
    return row.nameBytes.load(std::memory_order_relaxed) == instance.size() &&
           nameIn(row) == instance;
  };
  NamedAttribute found;
  std::uint32_t objectClass = 0;
  const auto take = [&](const InstanceRow& row, std::uint32_t number) {
    const std::uint64_t state = row.state.load(std::memory_order_acquire);
    if (!isMeant(row)) return false;
    found.instance = row.handle.load(std::memory_order_relaxed);
    found.row = number;
    objectClass = row.objectClass.load(std::memory_order_relaxed);
    // Its registrant may have made it another one's row meanwhile.
    if (row.state.load(std::memory_order_seq_cst) != state) found.instance = 0;
    return true;
  };
  std::vector<Offset> tables;
  const auto* row = place.instance == 0 ? nullptr : rowOf(place.instance, place.row);
  if (row != nullptr && take(*row, place.row) && found.instance == place.instance) {
    // It is still where it was found before.
  } else if (generated != 0) {
    tables.push_back(tableOf(registrantOf(generated)));
  } else if (names_.contains(instance)) {
    for (const auto& [federate, member] : members_) tables.push_back(tableOf(federate));
    for (const AdoptedTable& table : adopted_) tables.push_back(table.instances);
  }
  for (const Offset table : tables) {
    visitRows(table, take);
    if (found.instance != 0) break;
  }
  if (found.instance == 0) {
    return refuse(Refusal::ObjectInstanceNotKnown,
                  "there is no object instance '" + instance + "' in '" + name_ + "'");
  }
  found.attribute = model_->attribute(objectClass, attribute);
  if (found.attribute == 0) {
    return refuse(Refusal::NameNotFound,
                  "the class of '" + instance + "' has no attribute '" + attribute + "'");
  }
  return found;
}

Answer<void> FederationExecution::modifyAttributeState(const ModifyAttributeStateRequest& request) {
  const auto [interactionClass, instance, attribute, state] = model_->management().attributeState;
  if (interactionClass == 0) {
    return refuse(Refusal::Internal,
                  "the object model of '" + name_ + "' has no HLAmodifyAttributeState of the MOM");
  }
  const auto member = std::find_if(members_.begin(), members_.end(), [&](const auto& one) {
    return one.second.name == request.federate;
  });
  if (member == members_.end()) {
    return refuse(Refusal::FederateNotExecutionMember,
                  "'" + request.federate + "' is not joined to '" + name_ + "'");
  }
  const auto found = findAttribute(request.instance, request.attribute, request.place);
  if (!found) return tl::unexpected(found.error());
  member->second.adjustRefused.clear();
  return momCommand({member->first,
                     interactionClass,
                     {{instance, encodedHandle(found->instance)},
                      {attribute, encodedHandle(found->attribute)},
                      {state, encoded(request.owned)}}});
}

Answer<FindOwnerReply> FederationExecution::findOwner(const FindOwnerRequest& request) const {
  const auto found = findAttribute(request.instance, request.attribute, request.place);
  if (!found) return tl::unexpected(found.error());
  const FederateNumber registrant = registrantOf(found->instance);
  FederateNumber owner = 0;
  if (const auto* traded = ownership_.find(found->instance)) {
    owner = traded->owner(found->attribute);
  } else if (const auto* row = rowOf(found->instance, found->row)) {
    owner = asRegistered(*row, registrant, found->row).owner(found->attribute);
  }
  return FindOwnerReply{owner != 0, nameOf(owner), {found->instance, found->row}};
}

}  // namespace tutti::executive
