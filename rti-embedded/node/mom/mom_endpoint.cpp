// SPDX-License-Identifier: Apache-2.0
#include "node/mom/mom_endpoint.h"

#include <algorithm>

#include "fabric/host_name.h"
#include "node/mom/mom_attributes.h"

namespace tutti::node {

namespace {

/// What changes by itself is looked at this often while somebody subscribes it.
constexpr std::chrono::milliseconds lookInterval{25};
constexpr std::chrono::milliseconds retryInterval{5};
constexpr std::size_t keptRegions = 1024;
/// Numbers of its instances: the same in a restored execution.
constexpr std::uint64_t federationObject = 1;
constexpr std::uint64_t federateObject(core::FederateNumber federate) { return 1u + federate; }

}  // namespace

MomEndpoint::MomEndpoint(fabric::Endpoint socket, std::string nodeName, std::string federation,
                         const std::atomic<bool>& stop)
    : socket_(std::move(socket)),
      nodeName_(std::move(nodeName)),
      federation_(std::move(federation)),
      stop_(stop),
      federate_(*this) {}

void MomEndpoint::run() {
  core::Federate::Lock lock(mutex_);
  federate_.onMemberJoined = [this](const fabric::FederateJoinedRecord& joined) {
    FederateObject& object = joined_.emplace_back();
    object.federate = joined.federate;
    object.name = joined.name;
    object.type = joined.type;
    object.modules = joined.modules;
    object.grantedTold = object.advancingToldAt = Clock::now();
  };
  federate_.onMemberLeft = [this](core::FederateNumber federate, const auto& block, bool lost) {
    const fabric::TimeSlot& slot = block.time;
    const auto sequence = slot.sequence.load(std::memory_order_acquire);
    left_.push_back(
        {federate, lost, slot.states[sequence & 1].logicalTime.load(std::memory_order_relaxed)});
    keepLast(federate);
  };
  federate_.onReportPeriod = [this](const fabric::MomTiming& timing) {
    // One that is still to be registered gets its period there.
    const auto found = federates_.find(timing.federate);
    if (found != federates_.end()) setPeriod(found->second, timing.reportPeriod);
  };
  federate_.joinAsManagement(std::move(socket_), nodeName_, federation_);
  resolveAttributes();
  while (!stop_.load(std::memory_order_relaxed) && !ended_) {
    // First the members, so that an object is there before somebody asks for its values.
    bool any = false;
    do {
      any = federate_.deliverOne(lock);
      if (ended_) return;
      followMembers();
      handleNews();
    } while (any && !stop_.load(std::memory_order_relaxed));
    const auto now = Clock::now();
    if (now >= nextLook_) {
      tellConditions();
      nextLook_ = now + lookInterval;
    }
    tellPeriods(now);
    // One who does not read his reports is not waited for; they are for him when he reads again.
    const auto deadline = nextDeadline(Clock::now());
    federate_.wait(lock, federate_.flush() ? deadline : std::min(deadline, now + retryInterval));
  }
}

void MomEndpoint::connectionLost(const std::string&) { ended_ = true; }

void MomEndpoint::received(core::InteractionClass interactionClass,
                           std::span<const core::Value> values, const core::MessageInfo& info) {
  Interaction interaction;
  interaction.handle = interactionClass;
  interaction.sender = info.producer;
  for (const core::Value& value : values) {
    interaction.values.push_back({value.handle, {value.bytes.begin(), value.bytes.end()}});
  }
  interactions_.push_back(std::move(interaction));
}

void MomEndpoint::updateRequested(core::ObjectInstance instance,
                                  std::span<const core::Attribute> attributes,
                                  std::span<const std::byte>) {
  provides_.push_back({instance, {attributes.begin(), attributes.end()}});
}

void MomEndpoint::handleNews() {
  for (const Left& left : std::exchange(left_, {})) {
    if (left.lost) reportLost(left);
  }
  for (const Provide& request : std::exchange(provides_, {})) provide(request);
  for (Interaction& interaction : std::exchange(interactions_, {})) {
    constexpr std::string_view prefix = "HLAinteractionRoot.HLAmanager.";
    interaction.name = federate_.model().interactionClass(interaction.handle).name;
    if (interaction.name.starts_with(prefix)) interaction.name.erase(0, prefix.size());
    act(interaction);
  }
}

const fabric::MomInformation& MomEndpoint::information() {
  if (!information_ || informationAt_ != federate_.appliedLog()) {
    informationAt_ = federate_.appliedLog();
    information_ = federate_.connection().ask<fabric::MomInformation>(
        fabric::Request::MomInformation, fabric::MomInformationRequest{});
  }
  return *information_;
}

const fabric::MomFederate* MomEndpoint::informationOf(core::FederateNumber federate) {
  const auto& all = information().federates;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const auto& one) { return one.federate == federate; });
  return found == all.end() ? nullptr : &*found;
}

void MomEndpoint::followMembers() {
  if (federationObject_ == 0) {
    federationObject_ = federate_.registerInstanceAs(federationObject, federationClass_, {});
  }
  bool changed = false;
  // One who has left again by now is told of as well: it was there.
  for (; !joined_.empty(); changed = true) registerNext();
  const std::vector<core::FederateNumber> joined = federate_.joinedFederates();
  for (auto it = federates_.begin(); it != federates_.end();) {
    if (std::binary_search(joined.begin(), joined.end(), it->first)) {
      ++it;
      continue;
    }
    changed = true;
    tellConditions(it->second);
    federate_.deleteInstance(it->second.instance, {}, nullptr);
    // Whoever is told late of the object still has to find where it was.
    if (it->second.region != 0) formerRegions_.push_back(it->second.region);
    it = federates_.erase(it);
  }
  for (; formerRegions_.size() > keptRegions; formerRegions_.pop_front()) {
    federate_.deleteRegion(formerRegions_.front());
  }
  if (changed) tellConditions();
}

/// Of one who leaves, while its page can still be read.
void MomEndpoint::keepLast(core::FederateNumber federate) {
  const auto known = federates_.find(federate);
  const auto waiting = std::find_if(joined_.begin(), joined_.end(),
                                    [&](const auto& one) { return one.federate == federate; });
  if (known == federates_.end() && waiting == joined_.end()) return;
  FederateObject& object = known != federates_.end() ? known->second : *waiting;
  for (std::size_t i = 0; i < federateHandles_.size(); ++i) {
    if (auto value = federateAttributes()[i].value(*this, object)) {
      object.last[federateHandles_[i]] = std::move(*value);
    }
  }
}

void MomEndpoint::registerNext() {
  FederateObject& object = joined_.front();
  object.region = regionOf(object.federate);
  std::vector<core::AttributesWithRegions> regions;
  if (object.region != 0) regions.push_back({regionalHandles_, {object.region}});
  object.instance =
      federate_.registerInstanceAs(federateObject(object.federate), federateClass_, regions);
  const auto* known = informationOf(object.federate);
  if (known != nullptr) setPeriod(object, known->reportPeriod);
  object.host = known != nullptr && !known->host.empty() ? known->host : fabric::hostName();
  const core::ObjectInstance instance = object.instance;
  const core::FederateNumber federate = object.federate;
  federates_[federate] = std::move(object);
  joined_.pop_front();
  provide({instance, federateHandles_});
}

void MomEndpoint::setPeriod(FederateObject& object, std::uint32_t seconds) {
  object.period = std::chrono::seconds(seconds);
  object.nextUpdate = Clock::now() + object.period;
}

core::Region MomEndpoint::regionOf(core::FederateNumber federate) {
  if (regionalHandles_.empty()) return 0;
  const core::Dimension dimension = federate_.model().compact().dimension("HLAfederate");
  const core::Region region = federate_.createRegion({dimension});
  federate_.setRangeBounds(region, dimension, federate, std::uint64_t{federate} + 1);
  federate_.commitRegions({region});
  return region;
}

bool MomEndpoint::isSubscribed(core::ObjectClass objectClass) const {
  for (const auto& [federate, object] : federates_) {
    if (federate_.declarations().subscribedAt(federate, objectClass) != 0) return true;
  }
  return false;
}

MomEndpoint::Clock::time_point MomEndpoint::nextDeadline(Clock::time_point now) const {
  auto next = now + std::chrono::seconds(1);
  if (isSubscribed(federateClass_) || isSubscribed(federationClass_)) {
    next = std::min(next, nextLook_);
  }
  for (const auto& [federate, object] : federates_) {
    if (object.period.count() != 0) next = std::min(next, object.nextUpdate);
  }
  return next;
}

}  // namespace tutti::node
