// SPDX-License-Identifier: Apache-2.0
// What the MOM does when an interaction of HLAmanager arrives (IEEE 1516.1-2010, 11.3 and 11.4),
// and the reports that need no federate's library.
#include <algorithm>
#include <map>
#include <set>

#include "node/mom/mom_endpoint.h"

namespace tutti::node {

namespace {

namespace mom = core::mom;
using core::Federate;
using Report = Federate::ReportValue;

/// The interaction cannot be acted on because of its parameters.
struct BadParameter {
  std::string text;
};

constexpr std::string_view ofFederate = "HLAfederate.";
constexpr std::string_view ofFederation = "HLAfederation.";

mom::Octets handleList(const std::vector<std::uint32_t>& handles) {
  std::vector<mom::Octets> elements;
  for (const std::uint32_t handle : handles) elements.push_back(mom::handle(handle));
  return mom::list(elements);
}

/// Of a class, over all its attributes and regions.
struct Subscription {
  bool active = false;
  std::string updateRate;  ///< its designator; empty: none
};

Subscription subscriptionOf(const core::Declarations::Federate& declared,
                            core::ObjectClass objectClass) {
  Subscription result;
  const auto add = [&](bool passive, const std::string& updateRate) {
    result.active = result.active || !passive;
    if (result.updateRate.empty()) result.updateRate = updateRate;
  };
  if (const auto one = declared.subscribed.find(objectClass); one != declared.subscribed.end()) {
    for (const core::Attribute attribute : one->second.attributes) {
      add(one->second.isPassive(attribute), one->second.updateRate(attribute));
    }
  }
  if (const auto one = declared.withRegions.find(objectClass); one != declared.withRegions.end()) {
    for (const auto& [attribute, regions] : one->second) {
      for (const auto& region : regions) add(region.passive, region.updateRate);
    }
  }
  return result;
}

}  // namespace

mom::Decoder MomEndpoint::required(const Interaction& interaction, std::string_view parameter) {
  const core::Parameter handle =
      federate_.model().compact().parameter(interaction.handle, parameter);
  for (const fabric::MomValue& value : interaction.values) {
    if (value.handle == handle) return {value.bytes};
  }
  throw BadParameter{"The parameter " + std::string(parameter) + " is missing."};
}

std::uint32_t MomEndpoint::integer(const Interaction& interaction, std::string_view parameter) {
  mom::Decoder decoder = required(interaction, parameter);
  const std::uint32_t value = decoder.integer32();
  if (!decoder.ok) {
    throw BadParameter{"The parameter " + std::string(parameter) + " is no value of its datatype."};
  }
  return value;
}

void MomEndpoint::act(const Interaction& interaction) {
  const std::string_view name = interaction.name;
  const auto problem = [&](const std::string& what, bool parameterError) {
    core::FederateNumber concerned = interaction.sender;
    try {
      mom::Decoder decoder = required(interaction, "HLAfederate");
      const std::uint64_t given = decoder.handle();
      if (decoder.ok) concerned = static_cast<core::FederateNumber>(given);
    } catch (const BadParameter&) {
    }
    const Report values[] = {
        {"HLAservice", mom::text("HLAinteractionRoot.HLAmanager." + interaction.name)},
        {"HLAexception", mom::text(what)},
        {"HLAparameterError", mom::boolean(parameterError)}};
    federate_.report("HLAfederate.HLAreport.HLAreportMOMexception", concerned, values);
  };
  try {
    if (name.starts_with(ofFederate)) {
      actOnFederate(interaction, name.substr(ofFederate.size()));
    } else if (name.starts_with(ofFederation)) {
      actOnFederation(interaction, name.substr(ofFederation.size()));
    }
  } catch (const BadParameter& bad) {
    problem(bad.text, true);
  } catch (const core::ServiceFault& fault) {
    if (fault.fault == core::Fault::NotConnected) throw;
    problem(fault.text, fault.fault == core::Fault::FederateNotExecutionMember);
  }
}

void MomEndpoint::actOnFederate(const Interaction& interaction, std::string_view name) {
  mom::Decoder decoder = required(interaction, "HLAfederate");
  const std::uint64_t given = decoder.handle();
  const auto found = federates_.find(static_cast<core::FederateNumber>(given));
  if (!decoder.ok || given > 0xffffffffu || found == federates_.end()) {
    throw BadParameter{"The parameter HLAfederate is no handle of a joined federate of '" +
                       federation_ + "'."};
  }
  const core::FederateNumber federate = found->first;
  if (name == "HLAadjust.HLAsetTiming") {
    setTiming(federate, interaction);
  } else if (name == "HLArequest.HLArequestPublications") {
    reportPublications(federate);
  } else if (name == "HLArequest.HLArequestSubscriptions") {
    reportSubscriptions(federate);
  } else if (name == "HLArequest.HLArequestFOMmoduleData") {
    reportModule(interaction, federate);
  } else {
    fabric::MomCommand command;
    command.federate = federate;
    command.interactionClass = interaction.handle;
    command.values = interaction.values;
    federate_.connection().tell(fabric::Request::MomCommand, command);
  }
}

/// The log brings it back, as it brings what an operator has set.
void MomEndpoint::setTiming(core::FederateNumber federate, const Interaction& interaction) {
  const auto period = static_cast<std::int32_t>(integer(interaction, "HLAreportPeriod"));
  if (period < 0) throw BadParameter{"The parameter HLAreportPeriod is negative."};
  federate_.connection().tell(fabric::Request::MomTiming,
                              fabric::MomTiming{federate, static_cast<std::uint32_t>(period)});
}

void MomEndpoint::actOnFederation(const Interaction& interaction, std::string_view name) {
  if (name == "HLAadjust.HLAsetSwitches") {
    const std::uint32_t value = integer(interaction, "HLAautoProvide");
    if (value > 1) throw BadParameter{"The parameter HLAautoProvide is no value of HLAswitch."};
    federate_.connection().tell(fabric::Request::MomSwitches, fabric::MomSwitches{value == 1});
  } else if (name == "HLArequest.HLArequestSynchronizationPoints") {
    std::vector<mom::Octets> labels;
    for (const auto& point : information().synchronizationPoints) {
      labels.push_back(mom::text(point.label));
    }
    const Report values[] = {{"HLAsyncPoints", mom::list(labels)}};
    federate_.report("HLAfederation.HLAreport.HLAreportSynchronizationPoints", 0, values);
  } else if (name == "HLArequest.HLArequestSynchronizationPointStatus") {
    for (const auto& point : information().synchronizationPoints) {
      std::vector<mom::Octets> progress;
      for (const auto& one : point.federates) {
        progress.push_back(mom::record(mom::handle(one.federate), mom::integer32(one.status)));
      }
      const Report values[] = {{"HLAsyncPointName", mom::text(point.label)},
                               {"HLAsyncPointFederates", mom::list(progress)}};
      federate_.report("HLAfederation.HLAreport.HLAreportSynchronizationPointStatus", 0, values);
    }
  } else if (name == "HLArequest.HLArequestFOMmoduleData") {
    reportModule(interaction, 0);
  } else if (name == "HLArequest.HLArequestMIMdata") {
    const Report values[] = {{"HLAMIMdata", textOf(fabric::MomTextKind::Mim)}};
    federate_.report("HLAfederation.HLAreport.HLAreportMIMdata", 0, values);
  }
}

void MomEndpoint::reportModule(const Interaction& interaction, core::FederateNumber federate) {
  const std::uint32_t index = integer(interaction, "HLAFOMmoduleIndicator");
  const auto reply = federate_.connection().ask<fabric::MomTextReply>(
      fabric::Request::MomText,
      fabric::MomTextRequest{fabric::MomTextKind::FomModule, federate, index});
  if (!reply.found) {
    throw BadParameter{"There is no FOM module of index " + std::to_string(index) +
                       "; the first one has index 0."};
  }
  std::vector<Report> values;
  values.push_back({"HLAFOMmoduleIndicator", mom::integer32(index)});
  values.push_back({"HLAFOMmoduleData", mom::text({reinterpret_cast<const char*>(reply.text.data()),
                                                   reply.text.size()})});
  federate_.report(federate != 0 ? "HLAfederate.HLAreport.HLAreportFOMmoduleData"
                                 : "HLAfederation.HLAreport.HLAreportFOMmoduleData",
                   federate, values);
}

void MomEndpoint::reportPublications(core::FederateNumber federate) {
  constexpr std::string_view objects = "HLAfederate.HLAreport.HLAreportObjectClassPublication";
  const auto* declared = federate_.declarations().of(federate);
  const std::size_t classes = declared != nullptr ? declared->published.size() : 0;
  const Report number{"HLAnumberOfClasses", mom::count(classes)};
  if (classes == 0) federate_.report(objects, federate, std::vector<Report>{number});
  std::vector<std::uint32_t> interactions;
  if (declared != nullptr) {
    for (const auto& [objectClass, declaration] : declared->published) {
      federate_.report(
          objects, federate,
          std::vector<Report>{number,
                              {"HLAobjectClass", mom::handle(objectClass)},
                              {"HLAattributeList", handleList(declaration.attributes)}});
    }
    for (const auto& [interactionClass, declaration] : declared->publishedInteractions) {
      interactions.push_back(interactionClass);
    }
  }
  federate_.report("HLAfederate.HLAreport.HLAreportInteractionPublication", federate,
                   std::vector<Report>{{"HLAinteractionClassList", handleList(interactions)}});
}

void MomEndpoint::reportSubscriptions(core::FederateNumber federate) {
  constexpr std::string_view objects = "HLAfederate.HLAreport.HLAreportObjectClassSubscription";
  static const core::Declarations::Federate nothing;
  const auto* found = federate_.declarations().of(federate);
  const core::Declarations::Federate& declared = found != nullptr ? *found : nothing;
  // With regions or the default region, or both.
  std::set<core::ObjectClass> classes;
  for (const auto& [objectClass, declaration] : declared.subscribed) classes.insert(objectClass);
  for (const auto& [objectClass, attributes] : declared.withRegions) classes.insert(objectClass);
  const Report number{"HLAnumberOfClasses", mom::count(classes.size())};
  if (classes.empty()) federate_.report(objects, federate, std::vector<Report>{number});
  for (const core::ObjectClass objectClass : classes) {
    const Subscription subscription = subscriptionOf(declared, objectClass);
    const auto attributes = federate_.declarations().allSubscribed(federate, objectClass);
    federate_.report(objects, federate,
                     std::vector<Report>{number,
                                         {"HLAobjectClass", mom::handle(objectClass)},
                                         {"HLAactive", mom::boolean(subscription.active)},
                                         {"HLAmaxUpdateRate", mom::text(subscription.updateRate)},
                                         {"HLAattributeList", handleList(attributes)}});
  }
  std::map<core::InteractionClass, bool> active;
  for (const auto& [interactionClass, declaration] : declared.subscribedInteractions) {
    active[interactionClass] = !declaration.passive;
  }
  for (const auto& [interactionClass, regions] : declared.interactionsWithRegions) {
    bool& any = active[interactionClass];
    for (const auto& one : regions) any = any || !one.passive;
  }
  std::vector<mom::Octets> interactions;
  for (const auto& [interactionClass, isActive] : active) {
    interactions.push_back(mom::record(mom::handle(interactionClass), mom::boolean(isActive)));
  }
  federate_.report("HLAfederate.HLAreport.HLAreportInteractionSubscription", federate,
                   std::vector<Report>{{"HLAinteractionClassList", mom::list(interactions)}});
}

void MomEndpoint::reportLost(const Left& left) {
  const Report values[] = {
      {"HLAfederateName", mom::text(federate_.federateName(left.federate))},
      {"HLAtimeStamp", mom::time(left.time)},
      {"HLAfaultDescription",
       mom::text("The federate's process ended, or its connection to the RTI broke, without a "
                 "resign. It was resigned by its automatic resign action.")}};
  federate_.report("HLAfederate.HLAreport.HLAreportFederateLost", left.federate, values);
}

}  // namespace tutti::node
