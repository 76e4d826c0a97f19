// SPDX-License-Identifier: Apache-2.0
// The values of the MOM's attributes (IEEE 1516.1-2010, 11.2), read where the federates keep them.
#include "node/mom/mom_attributes.h"

#include <algorithm>

namespace tutti::node {

namespace {

namespace mom = core::mom;
using fabric::Counters;
using omt::UpdateType;
using Counter = std::atomic<std::uint64_t> Counters::*;

std::uint64_t read(const std::atomic<std::uint64_t>& counter) {
  return counter.load(std::memory_order_relaxed);
}

mom::Octets textList(const std::vector<std::string>& texts) {
  std::vector<mom::Octets> elements;
  for (const std::string& text : texts) elements.push_back(mom::text(text));
  return mom::list(elements);
}

mom::Octets milliseconds(std::uint64_t nanoseconds) { return mom::count(nanoseconds / 1'000'000); }

std::uint64_t nanosecondsSince(std::chrono::steady_clock::time_point start) {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count());
}

}  // namespace

/// What stands in the federate's page.
struct MomEndpoint::Page {
  using Object = FederateObject;
  using Result = std::optional<Octets>;

  static const fabric::FederateBlock* of(MomEndpoint& self, const Object& object) {
    return self.federate_.page(object.federate);
  }
  template <Counter counter>
  static Result count(MomEndpoint& self, Object& object) {
    const auto* page = of(self, object);
    if (page == nullptr) return std::nullopt;
    return mom::count(read(page->counters.*counter));
  }
  template <std::uint32_t which>
  static Result setting(MomEndpoint& self, Object& object) {
    const auto* page = of(self, object);
    if (page == nullptr) return std::nullopt;
    return mom::boolean((page->switches.load(std::memory_order_relaxed) & which) != 0);
  }
  /// Time spent advancing since the federate joined, the request now waited for included.
  static std::uint64_t advancing(const fabric::FederateBlock& page) {
    const std::uint64_t done = read(page.counters.advancingNanoseconds);
    const std::uint64_t since = read(page.counters.advancingSince);
    if (since == 0) return done;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    const std::uint64_t at = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
                             static_cast<std::uint64_t>(now.tv_nsec);
    return done + (at > since ? at - since : 0);
  }
};

std::span<const MomEndpoint::FederateAttribute> MomEndpoint::federateAttributes() {
  using Object = FederateObject;
  using Result = std::optional<Octets>;
  static constexpr FederateAttribute attributes[] = {
      {"HLAfederateHandle", UpdateType::Static,
       [](MomEndpoint&, Object& object) -> Result { return mom::handle(object.federate); }},
      {"HLAfederateName", UpdateType::Static,
       [](MomEndpoint&, Object& object) -> Result { return mom::text(object.name); }},
      {"HLAfederateType", UpdateType::Static,
       [](MomEndpoint&, Object& object) -> Result { return mom::text(object.type); }},
      {"HLAfederateHost", UpdateType::Static,
       [](MomEndpoint&, Object& object) -> Result { return mom::text(object.host); }},
      {"HLARTIversion", UpdateType::Static,
       [](MomEndpoint&, Object&) -> Result { return mom::text("Tutti " TUTTI_VERSION); }},
      {"HLAFOMmoduleDesignatorList", UpdateType::Static,
       [](MomEndpoint&, Object& object) -> Result { return textList(object.modules); }},
      {"HLAtimeConstrained", UpdateType::Conditional,
       [](MomEndpoint& self, Object& object) -> Result {
         return mom::boolean(self.federate_.timeFlags(object.federate) &
                             fabric::timeFlag::constrained);
       }},
      {"HLAtimeRegulating", UpdateType::Conditional,
       [](MomEndpoint& self, Object& object) -> Result {
         return mom::boolean(self.federate_.timeFlags(object.federate) &
                             fabric::timeFlag::regulating);
       }},
      {"HLAasynchronousDelivery", UpdateType::Conditional,
       Page::setting<fabric::federateSwitch::asynchronousDelivery>},
      {"HLAfederateState", UpdateType::Conditional,
       [](MomEndpoint& self, Object&) -> Result {
         return mom::integer32(self.information().federateState);
       }},
      {"HLAtimeManagerState", UpdateType::Conditional,
       [](MomEndpoint& self, Object& object) -> Result {
         return mom::integer32(
             self.federate_.timeOf(object.federate).advance == fabric::TimeAdvance::None ? 0 : 1);
       }},
      {"HLAlogicalTime", UpdateType::Periodic,
       [](MomEndpoint& self, Object& object) -> Result {
         const core::TimeView view = self.federate_.timeOf(object.federate);
         return mom::time(self.federate_.timeKind().bits(view.logical));
       }},
      {"HLAlookahead", UpdateType::Periodic,
       [](MomEndpoint& self, Object& object) -> Result {
         // Defined for those only that regulate.
         const std::uint32_t flags = self.federate_.timeFlags(object.federate);
         if ((flags & fabric::timeFlag::regulating) == 0) return mom::noTime();
         return mom::time(self.federate_.timeOf(object.federate).lookahead);
       }},
      {"HLAGALT", UpdateType::Periodic,
       [](MomEndpoint& self, Object& object) -> Result {
         const auto galt = self.federate_.galtOf(object.federate);
         return galt ? mom::time(*galt) : mom::noTime();
       }},
      {"HLALITS", UpdateType::Periodic,
       [](MomEndpoint& self, Object& object) -> Result {
         const auto* page = Page::of(self, object);
         if (page == nullptr) return std::nullopt;
         const core::TimeKind kind = self.federate_.timeKind();
         auto least = self.federate_.galtOf(object.federate);
         if (read(page->counters.timestampOrderQueued) != 0) {
           const std::uint64_t queued = read(page->counters.leastQueuedStamp);
           if (!least || kind.key(queued) < kind.key(*least)) least = queued;
         }
         return least ? mom::time(*least) : mom::noTime();
       }},
      {"HLAROlength", UpdateType::Periodic, Page::count<&Counters::receiveOrderQueued>},
      {"HLATSOlength", UpdateType::Periodic, Page::count<&Counters::timestampOrderQueued>},
      {"HLAreflectionsReceived", UpdateType::Periodic, Page::count<&Counters::reflectionsReceived>},
      {"HLAupdatesSent", UpdateType::Periodic, Page::count<&Counters::updatesSent>},
      {"HLAinteractionsReceived", UpdateType::Periodic,
       Page::count<&Counters::interactionsReceived>},
      {"HLAinteractionsSent", UpdateType::Periodic, Page::count<&Counters::interactionsSent>},
      {"HLAobjectInstancesThatCanBeDeleted", UpdateType::Periodic,
       Page::count<&Counters::instancesDeletable>},
      {"HLAobjectInstancesUpdated", UpdateType::Periodic, Page::count<&Counters::instancesUpdated>},
      {"HLAobjectInstancesReflected", UpdateType::Periodic,
       Page::count<&Counters::instancesReflected>},
      {"HLAobjectInstancesDeleted", UpdateType::Periodic, Page::count<&Counters::instancesDeleted>},
      {"HLAobjectInstancesRemoved", UpdateType::Periodic, Page::count<&Counters::instancesRemoved>},
      {"HLAobjectInstancesRegistered", UpdateType::Periodic,
       Page::count<&Counters::instancesRegistered>},
      {"HLAobjectInstancesDiscovered", UpdateType::Periodic,
       Page::count<&Counters::instancesDiscovered>},
      {"HLAtimeGrantedTime", UpdateType::Periodic,
       [](MomEndpoint& self, Object& object) -> Result {
         const auto* page = Page::of(self, object);
         if (page == nullptr) return std::nullopt;
         const std::uint64_t advancing = Page::advancing(*page);
         const std::uint64_t passed = nanosecondsSince(object.grantedTold);
         const std::uint64_t advanced =
             advancing - std::min(advancing, std::exchange(object.advancingGranted, advancing));
         object.grantedTold = Clock::now();
         return milliseconds(passed - std::min(passed, advanced));
       }},
      {"HLAtimeAdvancingTime", UpdateType::Periodic,
       [](MomEndpoint& self, Object& object) -> Result {
         const auto* page = Page::of(self, object);
         if (page == nullptr) return std::nullopt;
         const std::uint64_t advancing = Page::advancing(*page);
         return milliseconds(advancing -
                             std::min(advancing, std::exchange(object.advancingTold, advancing)));
       }},
      {"HLAconveyRegionDesignatorSets", UpdateType::Conditional,
       Page::setting<fabric::federateSwitch::conveyRegionDesignatorSets>},
      {"HLAconveyProducingFederate", UpdateType::Conditional,
       Page::setting<fabric::federateSwitch::conveyProducingFederate>},
  };
  return attributes;
}

std::span<const MomEndpoint::FederationAttribute> MomEndpoint::federationAttributes() {
  using Result = std::optional<Octets>;
  static constexpr FederationAttribute attributes[] = {
      {"HLAfederationName", UpdateType::Static,
       [](MomEndpoint& self) -> Result { return mom::text(self.federation_); }},
      {"HLAfederatesInFederation", UpdateType::Conditional,
       [](MomEndpoint& self) -> Result {
         std::vector<Octets> handles;
         for (const auto& [federate, object] : self.federates_) {
           handles.push_back(mom::handle(federate));
         }
         return mom::list(handles);
       }},
      {"HLARTIversion", UpdateType::Static,
       [](MomEndpoint&) -> Result { return mom::text("Tutti " TUTTI_VERSION); }},
      {"HLAMIMdesignator", UpdateType::Static,
       [](MomEndpoint& self) -> Result { return mom::text(self.information().mim); }},
      {"HLAFOMmoduleDesignatorList", UpdateType::Conditional,
       [](MomEndpoint& self) -> Result { return textList(self.information().modules); }},
      {"HLAcurrentFDD", UpdateType::Conditional,
       [](MomEndpoint& self) -> Result { return self.textOf(fabric::MomTextKind::Fdd); }},
      {"HLAtimeImplementationName", UpdateType::Static,
       [](MomEndpoint& self) -> Result {
         return mom::text(self.information().timeImplementation);
       }},
      {"HLAlastSaveName", UpdateType::Conditional,
       [](MomEndpoint& self) -> Result { return mom::text(self.information().lastSave); }},
      {"HLAlastSaveTime", UpdateType::Conditional,
       [](MomEndpoint& self) -> Result {
         const auto& known = self.information();
         return known.lastSaveHasTime ? mom::time(known.lastSaveTime) : mom::noTime();
       }},
      {"HLAnextSaveName", UpdateType::Conditional,
       [](MomEndpoint& self) -> Result { return mom::text(self.information().nextSave); }},
      {"HLAnextSaveTime", UpdateType::Conditional,
       [](MomEndpoint& self) -> Result {
         const auto& known = self.information();
         return known.nextSaveHasTime ? mom::time(known.nextSaveTime) : mom::noTime();
       }},
      {"HLAautoProvide", UpdateType::Conditional,
       [](MomEndpoint& self) -> Result { return mom::boolean(self.federate_.autoProvide()); }},
  };
  return attributes;
}

void MomEndpoint::resolveAttributes() {
  const omt::CompactModel& model = federate_.model().compact();
  federateClass_ = model.objectClass("HLAmanager.HLAfederate");
  federationClass_ = model.objectClass("HLAmanager.HLAfederation");
  for (const FederateAttribute& attribute : federateAttributes()) {
    federateHandles_.push_back(model.attribute(federateClass_, attribute.name));
  }
  for (const FederationAttribute& attribute : federationAttributes()) {
    federationHandles_.push_back(model.attribute(federationClass_, attribute.name));
  }
  const core::Dimension dimension = model.dimension("HLAfederate");
  for (const core::Attribute attribute : federateHandles_) {
    const auto dimensions = model.attributeDimensions(attribute);
    if (std::find(dimensions.begin(), dimensions.end(), dimension) == dimensions.end()) continue;
    regionalHandles_.push_back(attribute);
  }
}

MomEndpoint::Octets MomEndpoint::textOf(fabric::MomTextKind kind) {
  const auto reply = federate_.connection().ask<fabric::MomTextReply>(
      fabric::Request::MomText, fabric::MomTextRequest{kind, 0, 0});
  return mom::text({reinterpret_cast<const char*>(reply.text.data()), reply.text.size()});
}

void MomEndpoint::update(core::ObjectInstance instance, const std::vector<Value>& values) {
  if (values.empty()) return;
  std::vector<core::Value> borrowed;
  for (const Value& value : values) borrowed.push_back({value.attribute, value.octets});
  federate_.update(instance, borrowed, {}, nullptr);
}

void MomEndpoint::provide(const Provide& request) {
  const auto wanted = [&](core::Attribute attribute) {
    return std::find(request.attributes.begin(), request.attributes.end(), attribute) !=
           request.attributes.end();
  };
  std::vector<Value> values;
  if (request.instance == federationObject_) {
    const auto attributes = federationAttributes();
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      if (!wanted(federationHandles_[i])) continue;
      if (auto value = attributes[i].value(*this)) {
        if (attributes[i].type == UpdateType::Conditional) {
          federationTold_[federationHandles_[i]] = *value;
        }
        values.push_back({federationHandles_[i], std::move(*value)});
      }
    }
  } else {
    const auto found = std::find_if(federates_.begin(), federates_.end(), [&](const auto& item) {
      return item.second.instance == request.instance;
    });
    if (found == federates_.end()) return;
    const auto attributes = federateAttributes();
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      if (!wanted(federateHandles_[i])) continue;
      if (auto value = valueOf(i, found->second)) {
        if (attributes[i].type == UpdateType::Conditional) {
          found->second.told[federateHandles_[i]] = *value;
        }
        values.push_back({federateHandles_[i], std::move(*value)});
      }
    }
  }
  update(request.instance, values);
}

std::optional<MomEndpoint::Octets> MomEndpoint::valueOf(std::size_t attribute,
                                                        FederateObject& object) {
  const FederateAttribute& one = federateAttributes()[attribute];
  const bool isHere = federate_.page(object.federate) != nullptr;
  if (isHere || one.type == UpdateType::Static) return one.value(*this, object);
  // What changes can no longer be read of one who has left.
  const auto last = object.last.find(federateHandles_[attribute]);
  if (last == object.last.end()) return std::nullopt;
  return last->second;
}

void MomEndpoint::tellConditions(FederateObject& object) {
  const auto attributes = federateAttributes();
  std::vector<Value> values;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i].type != UpdateType::Conditional) continue;
    auto value = valueOf(i, object);
    Octets& told = object.told[federateHandles_[i]];
    if (!value || *value == told) continue;
    told = *value;
    values.push_back({federateHandles_[i], std::move(*value)});
  }
  update(object.instance, values);
}

void MomEndpoint::tellConditions() {
  if (isSubscribed(federateClass_)) {
    for (auto& [federate, object] : federates_) tellConditions(object);
  }
  if (isSubscribed(federationClass_)) {
    const auto attributes = federationAttributes();
    const std::uint64_t modelAt = federate_.modelGeneration();
    std::vector<Value> values;
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      if (attributes[i].type != UpdateType::Conditional) continue;
      // The FDD is long: it is made again only when a join brought modules.
      if (attributes[i].name == "HLAcurrentFDD" && modelAt == fddAt_) continue;
      auto value = attributes[i].value(*this);
      Octets& told = federationTold_[federationHandles_[i]];
      if (!value || *value == told) continue;
      told = *value;
      values.push_back({federationHandles_[i], std::move(*value)});
    }
    fddAt_ = modelAt;
    update(federationObject_, values);
  }
}

void MomEndpoint::tellPeriods(Clock::time_point now) {
  std::vector<core::Attribute> periodic;
  const auto attributes = federateAttributes();
  for (auto& [federate, object] : federates_) {
    if (object.period.count() == 0 || now < object.nextUpdate) continue;
    object.nextUpdate = now + object.period;
    if (periodic.empty()) {
      for (std::size_t i = 0; i < attributes.size(); ++i) {
        if (attributes[i].type == UpdateType::Periodic) periodic.push_back(federateHandles_[i]);
      }
    }
    provide({object.instance, periodic});
  }
}

}  // namespace tutti::node
