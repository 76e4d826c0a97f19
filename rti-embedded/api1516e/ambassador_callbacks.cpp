// SPDX-License-Identifier: Apache-2.0
#include <type_traits>
#include <utility>

#include "api1516e/ambassador.h"
#include "api1516e/ambassador_callback.h"
#include "api1516e/text.h"
#include "api1516e/time_conversion.h"

namespace tutti::api1516e {

using rti1516e::FederateHandle;

const rti1516e::LogicalTime& Ambassador::timeObject(std::uint64_t bits) {
  if (const OwnTimeType* own = ownTime_.load(std::memory_order_acquire)) {
    own->set(own->callbackTime(), bits);
    return own->callbackTime();
  }
  if (integerTime_.load(std::memory_order_relaxed)) {
    setTime(integerTimeObject_, bits, {core::TimeKind{true}});
    return integerTimeObject_;
  }
  setTime(floatTime_, bits, {core::TimeKind{false}});
  return floatTime_;
}

const rti1516e::VariableLengthData& Ambassador::tagObject(std::span<const std::byte> tag) {
  borrow(tag_, tag.data(), tag.size());
  return tag_;
}

void Ambassador::connectionLost(const std::string& reason) {
  callback([&](auto& federate) { federate.connectionLost(fromUtf8(reason)); });
}

void Ambassador::federationExecutionsReported(
    const std::vector<fabric::FederationInformation>& executions) {
  rti1516e::FederationExecutionInformationVector list;
  for (const auto& execution : executions) {
    list.emplace_back(fromUtf8(execution.federation), fromUtf8(execution.timeImplementation));
  }
  callback([&](auto& federate) { federate.reportFederationExecutions(list); });
}

void Ambassador::synchronizationPointRegistered(const std::string& label) {
  callback(
      [&](auto& federate) { federate.synchronizationPointRegistrationSucceeded(fromUtf8(label)); });
}

void Ambassador::synchronizationPointRefused(const std::string& label, std::uint32_t reason) {
  callback([&](auto& federate) {
    federate.synchronizationPointRegistrationFailed(
        fromUtf8(label), static_cast<rti1516e::SynchronizationPointFailureReason>(reason));
  });
}

void Ambassador::synchronizationPointAnnounced(const std::string& label,
                                               std::span<const std::byte> tag) {
  callback([&](auto& federate) {
    federate.announceSynchronizationPoint(fromUtf8(label), tagObject(tag));
  });
}

void Ambassador::federationSynchronized(const std::string& label,
                                        const std::vector<core::FederateNumber>& failed) {
  rti1516e::FederateHandleSet set;
  for (const core::FederateNumber federate : failed)
    set.insert(makeHandle<FederateHandle>(federate));
  callback([&](auto& federate) { federate.federationSynchronized(fromUtf8(label), set); });
}

void Ambassador::registrationRelevant(core::ObjectClass objectClass, bool relevant) {
  const auto handle = makeHandle<rti1516e::ObjectClassHandle>(objectClass);
  callback([&](auto& federate) {
    if (relevant) {
      federate.startRegistrationForObjectClass(handle);
    } else {
      federate.stopRegistrationForObjectClass(handle);
    }
  });
}

void Ambassador::interactionsRelevant(core::InteractionClass interactionClass, bool relevant) {
  const auto handle = makeHandle<rti1516e::InteractionClassHandle>(interactionClass);
  callback([&](auto& federate) {
    if (relevant) {
      federate.turnInteractionsOn(handle);
    } else {
      federate.turnInteractionsOff(handle);
    }
  });
}

void Ambassador::nameReserved(const std::vector<std::string>& names, bool single, bool reserved) {
  if (single) {
    const std::wstring name = fromUtf8(names.front());
    callback([&](auto& federate) {
      if (reserved) {
        federate.objectInstanceNameReservationSucceeded(name);
      } else {
        federate.objectInstanceNameReservationFailed(name);
      }
    });
    return;
  }
  std::set<std::wstring> set;
  for (const std::string& name : names) set.insert(fromUtf8(name));
  callback([&](auto& federate) {
    if (reserved) {
      federate.multipleObjectInstanceNameReservationSucceeded(set);
    } else {
      federate.multipleObjectInstanceNameReservationFailed(set);
    }
  });
}

void Ambassador::discovered(core::ObjectInstance instance, core::ObjectClass objectClass,
                            const std::string& name, core::FederateNumber producer) {
  const auto object = makeHandle<rti1516e::ObjectInstanceHandle>(instance);
  const auto handle = makeHandle<rti1516e::ObjectClassHandle>(objectClass);
  callback([&](auto& federate) {
    if (conveysProducer() && producer != 0) {
      federate.discoverObjectInstance(object, handle, fromUtf8(name),
                                      makeHandle<FederateHandle>(producer));
    } else {
      federate.discoverObjectInstance(object, handle, fromUtf8(name));
    }
  });
}

namespace {

template <class Info>
Info supplement(bool conveys, const core::MessageInfo& info) {
  // What the RTI itself sends has no producing federate.
  const bool produced = conveys && info.producer != 0;
  if constexpr (std::is_constructible_v<Info, const rti1516e::RegionHandleSet&>) {
    if (!info.regions.empty()) {
      rti1516e::RegionHandleSet regions;
      for (const core::Region region : info.regions) {
        regions.insert(makeHandle<rti1516e::RegionHandle>(region));
      }
      return produced ? Info(makeHandle<FederateHandle>(info.producer), regions) : Info(regions);
    }
  }
  return produced ? Info(makeHandle<FederateHandle>(info.producer)) : Info();
}

rti1516e::OrderType order(bool timestamp) {
  return timestamp ? rti1516e::TIMESTAMP : rti1516e::RECEIVE;
}

rti1516e::MessageRetractionHandle retractionOf(const core::MessageInfo& info) {
  return makeHandle<rti1516e::MessageRetractionHandle>(info.retraction);
}

rti1516e::TransportationType transportation(const core::MessageInfo& info) {
  return info.bestEffort ? rti1516e::BEST_EFFORT : rti1516e::RELIABLE;
}

void fill(std::vector<HandleValue>& out, std::span<const core::Value> values) {
  out.clear();
  for (const core::Value& value : values) {
    out.push_back({value.handle, value.bytes.data(), value.bytes.size()});
  }
}

}  // namespace

// A message sent in timestamp order comes with a retraction handle, one with just a time without,
// and one without a time through the form that has none (6.11, 6.13, 6.15).
template <class Tell>
void Ambassador::tellWithTime(const core::MessageInfo& info, Tell&& tell) {
  if (!info.hasTime) {
    tell();
    return;
  }
  const auto received = order(info.timestampOrderReceived);
  if (info.timestampOrderSent) {
    tell(timeObject(info.time), received, retractionOf(info));
  } else {
    tell(timeObject(info.time), received);
  }
}

void Ambassador::reflected(core::ObjectInstance instance, core::ObjectClass,
                           std::span<const core::Value> values, const core::MessageInfo& info) {
  fill(handleValues_, values);
  const auto& map = attributeMap_.rebuild(handleValues_);
  const auto& tag = tagObject(info.tag);
  const auto object = makeHandle<rti1516e::ObjectInstanceHandle>(instance);
  const auto more = supplement<rti1516e::SupplementalReflectInfo>(conveysProducer(), info);
  callback([&](auto& federate) {
    tellWithTime(info, [&](const auto&... when) {
      federate.reflectAttributeValues(object, map, tag, order(info.timestampOrderSent),
                                      transportation(info), when..., more);
    });
  });
}

void Ambassador::received(core::InteractionClass interactionClass,
                          std::span<const core::Value> values, const core::MessageInfo& info) {
  fill(handleValues_, values);
  const auto& map = parameterMap_.rebuild(handleValues_);
  const auto& tag = tagObject(info.tag);
  const auto handle = makeHandle<rti1516e::InteractionClassHandle>(interactionClass);
  const auto more = supplement<rti1516e::SupplementalReceiveInfo>(conveysProducer(), info);
  callback(
      [&](auto& federate) {
        tellWithTime(info, [&](const auto&... when) {
          federate.receiveInteraction(handle, map, tag, order(info.timestampOrderSent),
                                      transportation(info), when..., more);
        });
      },
      !info.isServiceReport);
}

void Ambassador::removed(core::ObjectInstance instance, const core::MessageInfo& info) {
  const auto& tag = tagObject(info.tag);
  const auto object = makeHandle<rti1516e::ObjectInstanceHandle>(instance);
  const auto more = supplement<rti1516e::SupplementalRemoveInfo>(conveysProducer(), info);
  callback([&](auto& federate) {
    tellWithTime(info, [&](const auto&... when) {
      federate.removeObjectInstance(object, tag, order(info.timestampOrderSent), when..., more);
    });
  });
}

void Ambassador::updateRequested(core::ObjectInstance instance,
                                 std::span<const core::Attribute> attributes,
                                 std::span<const std::byte> tag) {
  rti1516e::AttributeHandleSet set;
  for (const core::Attribute a : attributes) set.insert(makeHandle<rti1516e::AttributeHandle>(a));
  callback([&](auto& federate) {
    federate.provideAttributeValueUpdate(makeHandle<rti1516e::ObjectInstanceHandle>(instance), set,
                                         tagObject(tag));
  });
}

void Ambassador::conveyanceSet(bool, bool producingFederate) {
  conveyProducer_ = producingFederate;
}

void Ambassador::scopeChanged(core::ObjectInstance instance,
                              std::span<const core::Attribute> attributes, bool inScope) {
  rti1516e::AttributeHandleSet set;
  for (const core::Attribute a : attributes) set.insert(makeHandle<rti1516e::AttributeHandle>(a));
  const auto object = makeHandle<rti1516e::ObjectInstanceHandle>(instance);
  callback([&](auto& federate) {
    if (inScope) {
      federate.attributesInScope(object, set);
    } else {
      federate.attributesOutOfScope(object, set);
    }
  });
}

void Ambassador::timeRegulationEnabled(std::uint64_t time) {
  callback([&](auto& federate) { federate.timeRegulationEnabled(timeObject(time)); });
}

void Ambassador::timeConstrainedEnabled(std::uint64_t time) {
  callback([&](auto& federate) { federate.timeConstrainedEnabled(timeObject(time)); });
}

void Ambassador::timeAdvanceGranted(std::uint64_t time) {
  callback([&](auto& federate) { federate.timeAdvanceGrant(timeObject(time)); });
}

}  // namespace tutti::api1516e
