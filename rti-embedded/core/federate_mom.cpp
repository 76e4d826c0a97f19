// SPDX-License-Identifier: Apache-2.0
// Management (IEEE 1516.1-2010, 11): what this library does when the MOM addresses its federate,
// and what the node's own member looks at.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/federate.h"
#include "core/records.h"

namespace tutti::core {
namespace {

using fabric::RecordType;

constexpr std::string_view managerPrefix = "HLAinteractionRoot.HLAmanager.";

/// A parameter that is missing, or is no value of its datatype.
struct BadParameter {
  std::string text;
};

}  // namespace

// --- the node's own member -----------------------------------------------------------------------

void Federate::joinAsManagement(fabric::Endpoint endpoint, const std::string& nodeName,
                                const std::string& federation) {
  connection_.adopt(std::move(endpoint), nodeName);
  mom_.serving = true;
  const auto reply =
      connection_.ask<fabric::JoinReply>(fabric::Request::MomAttach, fabric::MomAttachRequest{});
  federation_ = federation;
  enter(reply, nullptr);
}

ObjectInstance Federate::registerInstanceAs(std::uint64_t number, ObjectClass objectClass,
                                            const std::vector<AttributesWithRegions>& regions) {
  instanceCounter_ = number - 1;
  return regions.empty() ? registerInstance(objectClass, nullptr)
                         : registerInstanceWithRegions(objectClass, regions, nullptr);
}

std::vector<FederateNumber> Federate::joinedFederates() const {
  std::vector<FederateNumber> result;
  for (const auto& [federate, member] : members_) {
    if (!member.hidden) result.push_back(federate);
  }
  return result;
}

const fabric::FederateBlock* Federate::page(FederateNumber federate) const {
  const auto found = members_.find(federate);
  return found == members_.end() ? nullptr : found->second.block;
}

TimeView Federate::timeOf(FederateNumber federate) const {
  const fabric::FederateBlock* block = page(federate);
  std::uint64_t sequence = 0;
  return block != nullptr ? readSlot(block->time, sequence) : TimeView{};
}

std::uint32_t Federate::timeFlags(FederateNumber federate) const {
  const fabric::FederateBlock* block = page(federate);
  if (block == nullptr) return 0;
  const std::uint64_t sequence = block->time.sequence.load(std::memory_order_acquire);
  return block->time.states[sequence & 1].flags.load(std::memory_order_relaxed);
}

std::optional<std::uint64_t> Federate::galtOf(FederateNumber federate) {
  std::vector<TimeView> others;
  bool unsure =
      false;  // a request for a next message depends on what is on its way to its federate
  for (const auto& [number, member] : members_) {
    if (number == federate) continue;
    others.push_back(timeOf(number));
    others.back().federate = number;
    unsure = unsure || messagesInFlightTo(*member.block);
  }
  const TimeView self = timeOf(federate);
  const TimeBound bound = unsure ? conservativeAvailable(others, time_.kind)
                                 : greatestAvailable(others, &self, time_.kind);
  if (bound.isNone()) return std::nullopt;
  return time_.kind.bits(bound.key);
}

// --- reports -------------------------------------------------------------------------------------

bool Federate::isReported(std::string_view interactionClass) {
  const InteractionClass handle =
      model_->compact().interactionClass(std::string("HLAmanager.").append(interactionClass));
  return handle != 0 && (!declarations_.interactionRoutes(handle, self_).empty() ||
                         declarations_.interactionSubscribedAt(self_, handle) != 0);
}

InteractionClass Federate::serviceReports() const {
  return model_->compact().interactionClass(
      "HLAmanager.HLAfederate.HLAreport.HLAreportServiceInvocation");
}

/// 5.8, 9.10: nobody is told of his own services.
void Federate::checkServicesNotReported(InteractionClass interactionClass) const {
  if (!mom_.serviceReporting || interactionClass != serviceReports()) return;
  fail(Fault::FederateServiceInvocationsAreBeingReportedViaMOM,
       "The services of this federate are being reported: it cannot subscribe the reports.");
}

/// The point of the federate, and of the service group. The region's number is none that
/// createRegion() gives: who is told of it knows its bounds from the message.
SentRegions Federate::reportRegions(InteractionClass interactionClass, FederateNumber about,
                                    std::optional<std::uint32_t> serviceGroup) const {
  const omt::CompactModel& model = model_->compact();
  Ranges ranges;
  for (const Dimension dimension : model.interactionDimensions(interactionClass)) {
    if (dimension == model.dimension("HLAfederate") && about != 0) {
      ranges.push_back({dimension, about, about + 1});
    } else if (dimension == model.dimension("HLAserviceGroup") && serviceGroup) {
      ranges.push_back({dimension, *serviceGroup, *serviceGroup + 1});
    }
  }
  SentRegions sent;
  if (ranges.empty()) return sent;
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.dimension < b.dimension; });
  constexpr std::uint32_t noUse = (1u << fabric::regionUseBits) - 1;
  const std::uint32_t noSlot = fabric::regionSlotLimit - 1 - (serviceGroup ? *serviceGroup + 1 : 0);
  sent.setOf({sent.indexOf(fabric::regionNumber(about, noUse, noSlot), ranges)});
  return sent;
}

void Federate::report(std::string_view interactionClass, FederateNumber about,
                      std::span<const ReportValue> values,
                      std::optional<std::uint32_t> serviceGroup) {
  const omt::CompactModel& model = model_->compact();
  const InteractionClass handle =
      model.interactionClass(std::string("HLAmanager.").append(interactionClass));
  if (handle == 0) return;
  std::vector<FederateNumber> receivers = declarations_.interactionRoutes(handle, self_);
  const bool self = declarations_.interactionSubscribedAt(self_, handle) != 0;
  if (receivers.empty() && !self) return;
  const SentRegions regions = reportRegions(handle, about, serviceGroup);
  if (!regions.empty()) {
    interactionReceivers(handle, regions);
    receivers = receivers_;
  }
  std::vector<std::pair<Parameter, mom::Octets>> all;
  if (about != 0) all.emplace_back(model.parameter(handle, "HLAfederate"), mom::handle(about));
  for (const ReportValue& value : values) {
    all.emplace_back(model.parameter(handle, value.parameter), value.value);
  }
  std::size_t bytes = 0;
  for (const auto& [parameter, value] : all) bytes += value.size();

  std::vector<std::byte> record;
  RecordWriter writer(record);
  writer.put(InteractionBody{handle, 0, static_cast<std::uint32_t>(bytes), 0});
  for (const auto& [parameter, value] : all) {
    writer.put(ValueHead{parameter, static_cast<std::uint32_t>(value.size())});
  }
  for (const auto& [parameter, value] : all) writer.put(value.data(), value.size());
  std::uint8_t flags = fabric::recordFlag::fromRti;
  if (!regions.empty()) {
    regions.write(writer);
    flags |= fabric::recordFlag::regions;
  }
  writer.finish(RecordType::Interaction, flags, all.size(), log_.applied, 0);
  if (self) {
    Queued item;
    item.record = record;
    item.sender = self_;
    queue_.push_back(std::move(item));
  }
  outbox_.send(record, receivers);
}

void Federate::reportProblem(std::string_view service, const std::string& what,
                             bool parameterError) {
  const ReportValue values[] = {{"HLAservice", mom::text(service)},
                                {"HLAexception", mom::text(what)},
                                {"HLAparameterError", mom::boolean(parameterError)}};
  report("HLAfederate.HLAreport.HLAreportMOMexception", self_, values);
}

void Federate::tell(const fabric::CallbackFault& fault) {
  if (connection_.isOpen() && !connection_.lost()) {
    connection_.tell(fabric::Request::CallbackFault, fault);
  }
}

void Federate::reportService(std::string_view service, std::uint32_t group, bool success,
                             const std::vector<std::string>& supplied,
                             const std::vector<std::string>& returned,
                             const std::string& exception) {
  const auto listOf = [](const std::vector<std::string>& texts) {
    std::vector<mom::Octets> elements;
    for (const std::string& text : texts) elements.push_back(mom::text(text));
    return mom::list(elements);
  };
  if (!wantsServiceReport()) return;
  const ReportValue values[] = {{"HLAservice", mom::text(service)},
                                {"HLAsuccessIndicator", mom::boolean(success)},
                                {"HLAsuppliedArguments", listOf(supplied)},
                                {"HLAreturnedArguments", listOf(returned)},
                                {"HLAexception", mom::text(exception)},
                                {"HLAserialNumber", mom::count(mom_.serviceReports++)}};
  report("HLAfederate.HLAreport.HLAreportServiceInvocation", self_, values, group);
}

bool Federate::wantsServiceReport() {
  return mom_.serviceReporting && joined() &&
         isReported("HLAfederate.HLAreport.HLAreportServiceInvocation");
}

void Federate::reportException(std::string_view service, const std::string& exception) {
  if (!mom_.exceptionReporting || !joined()) return;
  const ReportValue values[] = {{"HLAservice", mom::text(service)},
                                {"HLAexception", mom::text(exception)}};
  report("HLAfederate.HLAreport.HLAreportException", self_, values);
}

void Federate::setReporting(bool services, bool exceptions) {
  mom_.serviceReporting = services;
  mom_.exceptionReporting = exceptions;
  setSwitch(fabric::federateSwitch::serviceReporting, services);
  setSwitch(fabric::federateSwitch::exceptionReporting, exceptions);
  callbacks_.reportingSet(services, exceptions);
}

// --- what this federate counts -------------------------------------------------------------------

void Federate::keepCounts(const Known& known) {
  const auto keep = [&](const MessageCounts& counts, auto& former, auto& instances) {
    if (counts[0] + counts[1] == 0) return;
    former[known.registeredClass][0] += counts[0];
    former[known.registeredClass][1] += counts[1];
    ++instances[known.registeredClass];
  };
  keep(known.updates, mom_.formerUpdates, mom_.formerlyUpdated);
  keep(known.reflections, mom_.formerReflections, mom_.formerlyReflected);
}

void Federate::setSwitch(std::uint32_t which, bool on) {
  mom_.switches = on ? mom_.switches | which : mom_.switches & ~which;
  block_->switches.store(mom_.switches, std::memory_order_relaxed);
}

void Federate::countDeletable() {
  std::uint64_t number = 0;
  for (const auto& [instance, known] : instances_) {
    number += ownsPrivilegeToDelete(known) ? 1 : 0;
  }
  block_->counters.instancesDeletable.store(number, std::memory_order_relaxed);
}

void Federate::endAdvancing() {
  fabric::Counters& counters = block_->counters;
  const std::uint64_t since = counters.advancingSince.load(std::memory_order_relaxed);
  if (since == 0) return;
  counters.advancingSince.store(0, std::memory_order_relaxed);
  const std::uint64_t now = counters.lastCallNanoseconds.load(std::memory_order_relaxed);
  counters.advancingNanoseconds.store(
      counters.advancingNanoseconds.load(std::memory_order_relaxed) + now - since,
      std::memory_order_relaxed);
}

// --- saved and restored --------------------------------------------------------------------------

namespace {

/// What has happened so far, in a federate's page.
template <class Counters, class F>
void eachCounter(Counters& counters, F&& f) {
  f(counters.updatesSent);
  f(counters.reflectionsReceived);
  f(counters.interactionsSent);
  f(counters.interactionsReceived);
  f(counters.instancesRegistered);
  f(counters.instancesDeleted);
  f(counters.instancesDiscovered);
  f(counters.instancesRemoved);
  f(counters.instancesUpdated);
  f(counters.instancesReflected);
}

}  // namespace

SavedManagement Federate::savedManagement() const {
  SavedManagement saved;
  saved.serviceReporting = mom_.serviceReporting;
  saved.exceptionReporting = mom_.exceptionReporting;
  saved.serviceReports = mom_.serviceReports;
  saved.switches = mom_.switches;
  eachCounter(block_->counters, [&](const auto& counter) {
    saved.counters.push_back(counter.load(std::memory_order_relaxed));
  });
  const auto pair = [](const MessageCounts& counts) {
    return std::vector<std::uint64_t>(counts.begin(), counts.end());
  };
  for (const auto& [handle, counts] : mom_.formerUpdates) {
    saved.formerUpdates.push_back({handle, pair(counts)});
  }
  for (const auto& [handle, counts] : mom_.formerReflections) {
    saved.formerReflections.push_back({handle, pair(counts)});
  }
  std::map<ObjectClass, std::vector<std::uint64_t>> instances;
  for (const auto& [handle, number] : mom_.formerlyUpdated) instances[handle] = {number, 0};
  for (const auto& [handle, number] : mom_.formerlyReflected) {
    instances[handle].resize(2);
    instances[handle][1] = number;
  }
  for (const auto& [handle, numbers] : instances)
    saved.formerInstances.push_back({handle, numbers});
  for (std::uint32_t c = 1; c < interactionCounts_.size(); ++c) {
    const auto& [sent, received] = interactionCounts_[c];
    if (sent[0] + sent[1] + received[0] + received[1] == 0) continue;
    saved.interactions.push_back({c, {sent[0], sent[1], received[0], received[1]}});
  }
  return saved;
}

void Federate::takeManagement(const SavedManagement& saved) {
  mom_.switches = saved.switches;
  setReporting(saved.serviceReporting, saved.exceptionReporting);
  mom_.serviceReports = saved.serviceReports;
  setSwitch(fabric::federateSwitch::asynchronousDelivery, time_.asynchronousDelivery);
  callbacks_.conveyanceSet(
      (mom_.switches & fabric::federateSwitch::conveyRegionDesignatorSets) != 0,
      (mom_.switches & fabric::federateSwitch::conveyProducingFederate) != 0);
  std::size_t next = 0;
  eachCounter(block_->counters, [&](auto& counter) {
    if (next < saved.counters.size()) {
      counter.store(saved.counters[next++], std::memory_order_relaxed);
    }
  });
  const auto pair = [](const SavedCounts& one) {
    return one.counts.size() == 2 ? MessageCounts{one.counts[0], one.counts[1]} : MessageCounts{};
  };
  for (const auto& one : saved.formerUpdates) mom_.formerUpdates[one.handle] = pair(one);
  for (const auto& one : saved.formerReflections) mom_.formerReflections[one.handle] = pair(one);
  for (const auto& one : saved.formerInstances) {
    if (const auto [updated, reflected] = pair(one); updated + reflected != 0) {
      mom_.formerlyUpdated[one.handle] = updated;
      mom_.formerlyReflected[one.handle] = reflected;
    }
  }
  for (const auto& one : saved.interactions) {
    if (one.handle >= interactionCounts_.size() || one.counts.size() != 4) continue;
    interactionCounts_[one.handle] = {{one.counts[0], one.counts[1]},
                                      {one.counts[2], one.counts[3]}};
  }
}

// --- what the MOM asks of this federate ----------------------------------------------------------

/// The interactions of the MOM that the library of the addressed federate performs.
struct MomActions {
  Federate& federate;
  const fabric::MomCommand& command;

  /// The parameter's value; throws BadParameter when there is none.
  mom::Decoder required(std::string_view name) const {
    const Parameter handle = federate.model_->compact().parameter(command.interactionClass, name);
    for (const fabric::MomValue& value : command.values) {
      if (value.handle == handle && handle != 0) return {value.bytes};
    }
    throw BadParameter{"The parameter " + std::string(name) + " is missing."};
  }
  bool has(std::string_view name) const {
    const Parameter handle = federate.model_->compact().parameter(command.interactionClass, name);
    return std::any_of(command.values.begin(), command.values.end(),
                       [&](const auto& value) { return value.handle == handle; });
  }
  template <class Read>
  auto read(std::string_view name, Read&& get) const {
    mom::Decoder decoder = required(name);
    auto result = get(decoder);
    if (!decoder.ok) {
      throw BadParameter{"The parameter " + std::string(name) + " is no value of its datatype."};
    }
    return result;
  }
  std::uint64_t handle(std::string_view name) const {
    return read(name, [](mom::Decoder& d) { return d.handle(); });
  }
  std::uint32_t smallHandle(std::string_view name) const {
    const std::uint64_t value = handle(name);
    return value <= 0xffffffffu ? static_cast<std::uint32_t>(value) : 0;
  }
  std::vector<std::uint32_t> attributes() const {
    std::vector<std::uint32_t> result;
    for (const std::uint64_t value :
         read("HLAattributeList", [](mom::Decoder& d) { return d.handles(); })) {
      result.push_back(value <= 0xffffffffu ? static_cast<std::uint32_t>(value) : 0);
    }
    return result;
  }
  std::uint32_t integer(std::string_view name) const {
    return read(name, [](mom::Decoder& d) { return d.integer32(); });
  }
  /// HLAboolean, HLAswitch and other enumerations from 0 to `most`.
  std::uint32_t choice(std::string_view name, std::uint32_t most) const {
    const std::uint32_t value = integer(name);
    if (value > most) {
      throw BadParameter{"The parameter " + std::string(name) + " is " + std::to_string(value) +
                         ", which its datatype does not have."};
    }
    return value;
  }
  std::uint64_t time(std::string_view name) const {
    return read(name, [](mom::Decoder& d) { return d.time(); });
  }
  std::string text(std::string_view name) const {
    return read(name, [](mom::Decoder& d) { return d.text(); });
  }

  // HLAadjust
  void setSwitches() {
    const auto now = federate.mom_.switches;
    const auto setting = [&](std::string_view name, std::uint32_t which) {
      return has(name) ? choice(name, 1) != 0 : (now & which) != 0;
    };
    const bool regions = setting("HLAconveyRegionDesignatorSets",
                                 fabric::federateSwitch::conveyRegionDesignatorSets);
    const bool producer =
        setting("HLAconveyProducingFederate", fabric::federateSwitch::conveyProducingFederate);
    federate.setSwitch(fabric::federateSwitch::conveyRegionDesignatorSets, regions);
    federate.setSwitch(fabric::federateSwitch::conveyProducingFederate, producer);
    federate.callbacks_.conveyanceSet(regions, producer);
  }
  void setServiceReporting() {
    const bool on = choice("HLAreportingState", 1) != 0;
    const InteractionClass reports = federate.serviceReports();
    if (on && federate.declarations_.interactionSubscribedAt(federate.self_, reports) == reports) {
      fail(Fault::RTIinternalError,
           "This federate subscribes HLAreportServiceInvocation: its services cannot be reported.");
    }
    federate.setReporting(on, federate.mom_.exceptionReporting);
  }
  void setExceptionReporting() {
    federate.setReporting(federate.mom_.serviceReporting, choice("HLAreportingState", 1) != 0);
  }

  // HLArequest
  using Counts = MessageCounts;
  using Report = Federate::ReportValue;

  static mom::Octets countsByClass(const std::map<std::uint32_t, std::uint64_t>& counts) {
    std::vector<mom::Octets> elements;
    for (const auto& [classHandle, number] : counts) {
      elements.push_back(mom::record(mom::handle(classHandle), mom::count(number)));
    }
    return mom::list(elements);
  }
  void reportCounts(std::string_view report, std::string_view parameter,
                    const std::map<std::uint32_t, std::uint64_t>& counts) {
    const Report values[] = {{parameter, countsByClass(counts)}};
    federate.report(report, federate.self_, values);
  }
  /// One report for each transportation type.
  void reportByTransportation(std::string_view report, std::string_view parameter,
                              const std::map<std::uint32_t, Counts>& counts) {
    for (const std::size_t kind : {0u, 1u}) {
      std::map<std::uint32_t, std::uint64_t> ofKind;
      for (const auto& [classHandle, numbers] : counts) {
        if (numbers[kind] != 0) ofKind[classHandle] = numbers[kind];
      }
      const Report values[] = {
          {"HLAtransportation", mom::text(kind == 0 ? omt::reliableName : omt::bestEffortName)},
          {parameter, countsByClass(ofKind)}};
      federate.report(report, federate.self_, values);
    }
  }
  void requestDeletable() {
    std::map<std::uint32_t, std::uint64_t> counts;
    for (const auto& [instance, known] : federate.instances_) {
      if (federate.ownsPrivilegeToDelete(known)) ++counts[known.registeredClass];
    }
    reportCounts("HLAfederate.HLAreport.HLAreportObjectInstancesThatCanBeDeleted",
                 "HLAobjectInstanceCounts", counts);
  }
  void requestUpdated() {
    std::map<std::uint32_t, std::uint64_t> counts = federate.mom_.formerlyUpdated;
    for (const auto& [instance, known] : federate.instances_) {
      if (known.updates[0] + known.updates[1] != 0) ++counts[known.registeredClass];
    }
    reportCounts("HLAfederate.HLAreport.HLAreportObjectInstancesUpdated", "HLAobjectInstanceCounts",
                 counts);
  }
  void requestReflected() {
    std::map<std::uint32_t, std::uint64_t> counts = federate.mom_.formerlyReflected;
    for (const auto& [instance, known] : federate.instances_) {
      if (known.reflections[0] + known.reflections[1] != 0) ++counts[known.registeredClass];
    }
    reportCounts("HLAfederate.HLAreport.HLAreportObjectInstancesReflected",
                 "HLAobjectInstanceCounts", counts);
  }
  template <class Member>
  std::map<std::uint32_t, Counts> messages(std::map<std::uint32_t, Counts> counts,
                                           Member member) const {
    for (const auto& [instance, known] : federate.instances_) {
      const Counts& numbers = known.*member;
      if (numbers[0] + numbers[1] == 0) continue;
      counts[known.registeredClass][0] += numbers[0];
      counts[known.registeredClass][1] += numbers[1];
    }
    return counts;
  }
  void requestUpdatesSent() {
    reportByTransportation("HLAfederate.HLAreport.HLAreportUpdatesSent", "HLAupdateCounts",
                           messages(federate.mom_.formerUpdates, &Federate::Known::updates));
  }
  void requestReflectionsReceived() {
    reportByTransportation(
        "HLAfederate.HLAreport.HLAreportReflectionsReceived", "HLAreflectCounts",
        messages(federate.mom_.formerReflections, &Federate::Known::reflections));
  }
  template <class Member>
  std::map<std::uint32_t, Counts> interactions(Member member) const {
    std::map<std::uint32_t, Counts> counts;
    for (std::uint32_t c = 1; c < federate.interactionCounts_.size(); ++c) {
      const Counts& numbers = federate.interactionCounts_[c].*member;
      if (numbers[0] + numbers[1] != 0) counts[c] = numbers;
    }
    return counts;
  }
  void requestInteractionsSent() {
    reportByTransportation("HLAfederate.HLAreport.HLAreportInteractionsSent",
                           "HLAinteractionCounts",
                           interactions(&Federate::InteractionCounts::sent));
  }
  void requestInteractionsReceived() {
    reportByTransportation("HLAfederate.HLAreport.HLAreportInteractionsReceived",
                           "HLAinteractionCounts",
                           interactions(&Federate::InteractionCounts::received));
  }
  void requestInstanceInformation() {
    const ObjectInstance instance = handle("HLAobjectInstance");
    std::vector<Report> values{{"HLAobjectInstance", mom::handle(instance)}};
    const auto found = federate.instances_.find(instance);
    if (found != federate.instances_.end()) {
      const Federate::Known& known = found->second;
      std::vector<mom::Octets> owned;
      const auto& all = federate.model_->objectClass(known.registeredClass).attributes;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (known.owned.test(i)) owned.push_back(mom::handle(all[i]));
      }
      values.push_back({"HLAownedInstanceAttributeList", mom::list(owned)});
      values.push_back({"HLAregisteredClass", mom::handle(known.registeredClass)});
      values.push_back({"HLAknownClass", mom::handle(known.objectClass)});
    }
    federate.report("HLAfederate.HLAreport.HLAreportObjectInstanceInformation", federate.self_,
                    values);
  }

  // HLAservice
  bool bestEffort() const {
    const std::string name = text("HLAtransportation");
    const omt::CompactModel& model = federate.model_->compact();
    const auto handle = model.transportation(name);
    if (handle == 0) throw BadParameter{"There is no transportation type '" + name + "'."};
    return !model.isReliable(handle);
  }
  void requestTime(fabric::TimeAdvance how) { federate.requestTime(how, time("HLAtimeStamp")); }
  void deleteObjectInstance() {
    const ObjectInstance instance = handle("HLAobjectInstance");
    const mom::Octets tag = read("HLAtag", [](mom::Decoder& d) { return d.opaque(); });
    if (has("HLAtimeStamp")) {
      const std::uint64_t stamp = time("HLAtimeStamp");
      federate.deleteInstance(instance, tag, &stamp);
    } else {
      federate.deleteInstance(instance, tag, nullptr);
    }
  }

  using Action = void (*)(MomActions&);
  static const std::unordered_map<std::string_view, Action>& all() {
    using fabric::TimeAdvance;
    static const std::unordered_map<std::string_view, Action> actions{
        {"HLAadjust.HLAsetSwitches", [](MomActions& a) { a.setSwitches(); }},
        {"HLAadjust.HLAsetServiceReporting", [](MomActions& a) { a.setServiceReporting(); }},
        {"HLAadjust.HLAsetExceptionReporting", [](MomActions& a) { a.setExceptionReporting(); }},
        {"HLArequest.HLArequestObjectInstancesThatCanBeDeleted",
         [](MomActions& a) { a.requestDeletable(); }},
        {"HLArequest.HLArequestObjectInstancesUpdated", [](MomActions& a) { a.requestUpdated(); }},
        {"HLArequest.HLArequestObjectInstancesReflected",
         [](MomActions& a) { a.requestReflected(); }},
        {"HLArequest.HLArequestUpdatesSent", [](MomActions& a) { a.requestUpdatesSent(); }},
        {"HLArequest.HLArequestInteractionsSent",
         [](MomActions& a) { a.requestInteractionsSent(); }},
        {"HLArequest.HLArequestReflectionsReceived",
         [](MomActions& a) { a.requestReflectionsReceived(); }},
        {"HLArequest.HLArequestInteractionsReceived",
         [](MomActions& a) { a.requestInteractionsReceived(); }},
        {"HLArequest.HLArequestObjectInstanceInformation",
         [](MomActions& a) { a.requestInstanceInformation(); }},
        {"HLAservice.HLAresignFederationExecution",
         [](MomActions& a) {
           const std::uint32_t action = a.choice("HLAresignAction", 6);
           if (action == 0) throw BadParameter{"The parameter HLAresignAction is 0."};
           a.federate.resign(action - 1);  // HLAresignAction counts from 1
         }},
        {"HLAservice.HLAsynchronizationPointAchieved",
         [](MomActions& a) { a.federate.synchronizationPointAchieved(a.text("HLAlabel"), true); }},
        {"HLAservice.HLAfederateSaveBegun", [](MomActions& a) { a.federate.saveBegun(); }},
        {"HLAservice.HLAfederateSaveComplete",
         [](MomActions& a) { a.federate.saveCompleted(a.choice("HLAsuccessIndicator", 1) != 0); }},
        {"HLAservice.HLAfederateRestoreComplete",
         [](MomActions& a) {
           a.federate.restoreCompleted(a.choice("HLAsuccessIndicator", 1) != 0);
         }},
        {"HLAservice.HLArequestAttributeTransportationTypeChange",
         [](MomActions& a) {
           a.federate.changeAttributeTransportation(a.handle("HLAobjectInstance"), a.attributes(),
                                                    a.bestEffort());
         }},
        {"HLAservice.HLArequestInteractionTransportationTypeChange",
         [](MomActions& a) {
           a.federate.changeInteractionTransportation(a.smallHandle("HLAinteractionClass"),
                                                      a.bestEffort());
         }},
        {"HLAservice.HLApublishObjectClassAttributes",
         [](MomActions& a) {
           a.federate.publishObjectClass(a.smallHandle("HLAobjectClass"), a.attributes());
         }},
        {"HLAservice.HLAunpublishObjectClassAttributes",
         [](MomActions& a) {
           const auto attributes = a.attributes();
           a.federate.unpublishObjectClass(a.smallHandle("HLAobjectClass"), &attributes);
         }},
        {"HLAservice.HLApublishInteractionClass",
         [](MomActions& a) {
           a.federate.publishInteractionClass(a.smallHandle("HLAinteractionClass"), true);
         }},
        {"HLAservice.HLAunpublishInteractionClass",
         [](MomActions& a) {
           a.federate.publishInteractionClass(a.smallHandle("HLAinteractionClass"), false);
         }},
        {"HLAservice.HLAsubscribeObjectClassAttributes",
         [](MomActions& a) {
           a.federate.subscribeObjectClass(a.smallHandle("HLAobjectClass"), a.attributes(),
                                           a.choice("HLAactive", 1) != 0, {});
         }},
        {"HLAservice.HLAunsubscribeObjectClassAttributes",
         [](MomActions& a) {
           const auto attributes = a.attributes();
           a.federate.unsubscribeObjectClass(a.smallHandle("HLAobjectClass"), &attributes);
         }},
        {"HLAservice.HLAsubscribeInteractionClass",
         [](MomActions& a) {
           a.federate.subscribeInteractionClass(a.smallHandle("HLAinteractionClass"), true,
                                                a.choice("HLAactive", 1) != 0);
         }},
        {"HLAservice.HLAunsubscribeInteractionClass",
         [](MomActions& a) {
           a.federate.subscribeInteractionClass(a.smallHandle("HLAinteractionClass"), false, true);
         }},
        {"HLAservice.HLAdeleteObjectInstance", [](MomActions& a) { a.deleteObjectInstance(); }},
        {"HLAservice.HLAlocalDeleteObjectInstance",
         [](MomActions& a) { a.federate.localDelete(a.handle("HLAobjectInstance")); }},
        {"HLAservice.HLAunconditionalAttributeOwnershipDivestiture",
         [](MomActions& a) {
           a.federate.unconditionalDivestiture(a.handle("HLAobjectInstance"), a.attributes());
         }},
        {"HLAadjust.HLAmodifyAttributeState",
         [](MomActions& a) {
           a.federate.setOwnership(a.handle("HLAobjectInstance"), a.smallHandle("HLAattribute"),
                                   a.choice("HLAattributeState", 1) != 0);
         }},
        {"HLAservice.HLAenableTimeRegulation",
         [](MomActions& a) { a.federate.enableTimeRegulation(a.time("HLAlookahead")); }},
        {"HLAservice.HLAdisableTimeRegulation",
         [](MomActions& a) { a.federate.disableTimeRegulation(); }},
        {"HLAservice.HLAenableTimeConstrained",
         [](MomActions& a) { a.federate.enableTimeConstrained(); }},
        {"HLAservice.HLAdisableTimeConstrained",
         [](MomActions& a) { a.federate.disableTimeConstrained(); }},
        {"HLAservice.HLAtimeAdvanceRequest",
         [](MomActions& a) { a.requestTime(TimeAdvance::TimeAdvanceRequest); }},
        {"HLAservice.HLAtimeAdvanceRequestAvailable",
         [](MomActions& a) { a.requestTime(TimeAdvance::TimeAdvanceRequestAvailable); }},
        {"HLAservice.HLAnextMessageRequest",
         [](MomActions& a) { a.requestTime(TimeAdvance::NextMessageRequest); }},
        {"HLAservice.HLAnextMessageRequestAvailable",
         [](MomActions& a) { a.requestTime(TimeAdvance::NextMessageRequestAvailable); }},
        {"HLAservice.HLAflushQueueRequest",
         [](MomActions& a) { a.requestTime(TimeAdvance::FlushQueueRequest); }},
        {"HLAservice.HLAmodifyLookahead",
         [](MomActions& a) { a.federate.modifyLookahead(a.time("HLAlookahead")); }},
        {"HLAservice.HLAchangeAttributeOrderType",
         [](MomActions& a) {
           a.federate.changeAttributeOrder(a.handle("HLAobjectInstance"), a.attributes(),
                                           a.choice("HLAsendOrder", 1) != 0);
         }},
        {"HLAservice.HLAchangeInteractionOrderType",
         [](MomActions& a) {
           a.federate.changeInteractionOrder(a.smallHandle("HLAinteractionClass"),
                                             a.choice("HLAsendOrder", 1) != 0);
         }},
        {"HLAservice.HLAenableAsynchronousDelivery",
         [](MomActions& a) { a.federate.setAsynchronousDelivery(true); }},
        {"HLAservice.HLAdisableAsynchronousDelivery",
         [](MomActions& a) { a.federate.setAsynchronousDelivery(false); }},
    };
    return actions;
  }
};

void Federate::performCommand(const fabric::MomCommand& command) {
  constexpr std::string_view ofFederate = "HLAfederate.";
  if (!model_->hasInteractionClass(command.interactionClass)) return;
  const std::string name = model_->interactionClass(command.interactionClass).name;
  std::string_view action = name;
  if (action.starts_with(managerPrefix)) action.remove_prefix(managerPrefix.size());
  if (action.starts_with(ofFederate)) action.remove_prefix(ofFederate.size());
  const auto found = MomActions::all().find(action);
  try {
    if (found == MomActions::all().end()) {
      fail(Fault::RTIinternalError, "This RTI does not perform " + name + ".");
    }
    MomActions actions{*this, command};
    found->second(actions);
  } catch (const BadParameter& bad) {
    reportProblem(name, bad.text, true);
  } catch (const ServiceFault& fault) {
    if (!joined()) return;
    const std::string what = std::string(nameOf(fault.fault)) + ": " + fault.text;
    reportProblem(name, what, false);
    // An operator who has joined nothing hears no report.
    const fabric::ResignRefused refused{what.substr(0, fabric::ResignRefused::longestText)};
    if (action == "HLAservice.HLAresignFederationExecution") {
      connection_.tell(fabric::Request::ResignRefused, refused);
    } else if (action == "HLAadjust.HLAsetServiceReporting" ||
               action == "HLAadjust.HLAmodifyAttributeState") {
      connection_.tell(fabric::Request::AdjustRefused, refused);
    }
  }
}

}  // namespace tutti::core
