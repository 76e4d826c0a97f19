// SPDX-License-Identifier: Apache-2.0
// What an operator adjusts by the MOM (IEEE 1516.1-2010, 11.4): the services of HLAadjust, asked
// for by one who has joined nothing.
#include <algorithm>
#include <utility>

#include "executive/federation_execution.h"

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

/// HLAboolean and HLAswitch are HLAinteger32BE.
Bytes encoded(bool on) {
  return {std::byte{0}, std::byte{0}, std::byte{0}, on ? std::byte{1} : std::byte{0}};
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

}  // namespace tutti::executive
