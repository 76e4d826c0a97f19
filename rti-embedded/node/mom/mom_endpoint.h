// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/federate.h"
#include "fabric/endpoint.h"
#include "fabric/protocol_mom.h"

namespace tutti::node {

/// Serves the MOM of one federation execution (IEEE 1516.1-2010, 11): registers HLAfederation and
/// one HLAfederate for each joined federate, keeps their attributes true, and acts on the
/// interactions of HLAmanager. A hidden member of the execution with the same library as any
/// federate. What it tells of a federate it reads in shared memory; what only that federate's
/// library knows, that library reports. One thread.
class MomEndpoint final : private core::QuietCallbacks {
 public:
  /// `socket` leads to the node. `stop` may be set by another thread.
  MomEndpoint(fabric::Endpoint socket, std::string nodeName, std::string federation,
              const std::atomic<bool>& stop);

  /// Serves until the execution has no more members or `stop` is set. Throws core::ServiceFault.
  void run();

 private:
  using Clock = std::chrono::steady_clock;
  using Octets = core::mom::Octets;

  struct Value {
    core::Attribute attribute = 0;
    Octets octets;
  };

  struct FederateObject {
    core::FederateNumber federate = 0;
    std::string name;
    std::string type;
    std::string host;
    core::ObjectInstance instance = 0;
    core::Region region = 0;                 ///< the point of the federate; 0: there is none
    std::vector<std::string> modules;        ///< designators of those it came with
    std::map<core::Attribute, Octets> told;  ///< conditional attributes
    std::map<core::Attribute, Octets> last;  ///< all of one who has left, as they were then
    std::chrono::seconds period{0};          ///< HLAsetTiming; 0: no periodic updates
    Clock::time_point nextUpdate;
    std::uint64_t advancingTold = 0;  ///< ns in the time advancing state when last told
    Clock::time_point grantedTold;    ///< when HLAtimeGrantedTime was last told
    Clock::time_point advancingToldAt;
    std::uint64_t advancingGranted = 0;
  };

  struct Left {
    core::FederateNumber federate = 0;
    bool lost = false;
    std::uint64_t time = 0;
  };

  /// An interaction of the MOM as it came.
  struct Interaction {
    core::InteractionClass handle = 0;
    std::string name;  ///< below HLAinteractionRoot.HLAmanager
    core::FederateNumber sender = 0;
    std::vector<fabric::MomValue> values;
  };
  struct Provide {
    core::ObjectInstance instance = 0;
    std::vector<core::Attribute> attributes;
  };

  struct FederateAttribute;
  struct FederationAttribute;
  struct Page;

  // core::Callbacks
  void connectionLost(const std::string& reason) override;
  void received(core::InteractionClass interactionClass, std::span<const core::Value> values,
                const core::MessageInfo& info) override;
  void updateRequested(core::ObjectInstance instance, std::span<const core::Attribute> attributes,
                       std::span<const std::byte> tag) override;

  // mom_endpoint.cpp
  void handleNews();
  void followMembers();
  void registerNext();
  void keepLast(core::FederateNumber federate);
  core::Region regionOf(core::FederateNumber federate);
  void tellConditions();
  void tellConditions(FederateObject& object);
  void tellPeriods(Clock::time_point now);
  Clock::time_point nextDeadline(Clock::time_point now) const;
  bool isSubscribed(core::ObjectClass objectClass) const;
  const fabric::MomInformation& information();
  const fabric::MomFederate* informationOf(core::FederateNumber federate);

  // mom_attributes.cpp
  static std::span<const FederateAttribute> federateAttributes();
  std::optional<Octets> valueOf(std::size_t attribute, FederateObject& object);
  static std::span<const FederationAttribute> federationAttributes();
  void resolveAttributes();
  void update(core::ObjectInstance instance, const std::vector<Value>& values);
  void provide(const Provide& request);
  Octets textOf(fabric::MomTextKind kind);

  // mom_requests.cpp
  void act(const Interaction& interaction);
  void actOnFederate(const Interaction& interaction, std::string_view name);
  void actOnFederation(const Interaction& interaction, std::string_view name);
  void setTiming(core::FederateNumber federate, const Interaction& interaction);
  static void setPeriod(FederateObject& object, std::uint32_t seconds);
  void reportPublications(core::FederateNumber federate);
  void reportSubscriptions(core::FederateNumber federate);
  void reportModule(const Interaction& interaction, core::FederateNumber federate);
  void reportLost(const Left& left);
  core::mom::Decoder required(const Interaction& interaction, std::string_view parameter);
  std::uint32_t integer(const Interaction& interaction, std::string_view parameter);

  fabric::Endpoint socket_;
  const std::string nodeName_;
  const std::string federation_;
  const std::atomic<bool>& stop_;
  std::mutex mutex_;  ///< what core::Federate wants held; only this thread takes it
  core::Federate federate_;
  bool ended_ = false;

  core::ObjectClass federateClass_ = 0;
  core::ObjectClass federationClass_ = 0;
  std::vector<core::Attribute> federateHandles_;    ///< as federateAttributes()
  std::vector<core::Attribute> federationHandles_;  ///< as federationAttributes()
  std::vector<core::Attribute> regionalHandles_;    ///< those with the dimension HLAfederate
  core::ObjectInstance federationObject_ = 0;
  std::map<core::Attribute, Octets> federationTold_;
  std::map<core::FederateNumber, FederateObject> federates_;
  std::deque<core::Region> formerRegions_;  ///< of those who left last
  std::optional<fabric::MomInformation> information_;
  fabric::LogNumber informationAt_ = 0;

  std::vector<Interaction> interactions_;
  std::vector<Provide> provides_;
  std::deque<FederateObject> joined_;  ///< their objects are still to be registered
  std::vector<Left> left_;
  Clock::time_point nextLook_;
  std::uint64_t fddAt_ = 0;  ///< federate_.modelGeneration() when HLAcurrentFDD was told
};

}  // namespace tutti::node
