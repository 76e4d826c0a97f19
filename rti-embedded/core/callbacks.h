// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fabric/layout.h"
#include "fabric/protocol.h"
#include "fabric/protocol_save.h"

namespace tutti::core {

using ObjectClass = std::uint32_t;
using InteractionClass = std::uint32_t;
using Attribute = std::uint32_t;
using Parameter = std::uint32_t;
using ObjectInstance = std::uint64_t;
using fabric::FederateNumber;
using Region = fabric::RegionNumber;

/// An attribute or parameter value; the bytes are borrowed for the duration of the call.
struct Value {
  std::uint32_t handle = 0;
  std::span<const std::byte> bytes;
};

/// What accompanies a message.
struct MessageInfo {
  std::span<const std::byte> tag;
  bool timestampOrderSent = false;
  bool timestampOrderReceived = false;
  bool bestEffort = false;
  bool hasTime = false;
  std::uint64_t time = 0;  ///< bits
  FederateNumber producer = 0;
  std::uint64_t retraction = 0;     ///< names a message sent in timestamp order (8.21)
  std::span<const Region> regions;  ///< it was sent with; empty: the default region
  bool isServiceReport = false;     ///< reported itself, reports would never end
};

/// What a federate core tells the API above it. Called without the core's lock, from the thread
/// that evokes (or the delivery thread with HLA_IMMEDIATE); times are bits as in TimeKind.
class Callbacks {
 public:
  virtual ~Callbacks() = default;

  virtual void connectionLost(const std::string& reason) = 0;
  virtual void federationExecutionsReported(
      const std::vector<fabric::FederationInformation>& executions) = 0;
  virtual void synchronizationPointRegistered(const std::string& label) = 0;
  virtual void synchronizationPointRefused(const std::string& label, std::uint32_t reason) = 0;
  virtual void synchronizationPointAnnounced(const std::string& label,
                                             std::span<const std::byte> tag) = 0;
  virtual void federationSynchronized(const std::string& label,
                                      const std::vector<FederateNumber>& failed) = 0;

  /// `time` is null for a save without one.
  virtual void saveInitiated(const std::string& label, const std::uint64_t* time) = 0;
  virtual void saveEnded(const fabric::EndedRecord& ended) = 0;
  virtual void saveStatusReported(const std::vector<fabric::FederateSaveStatus>& federates) = 0;
  virtual void restoreRequestAnswered(const std::string& label, bool accepted) = 0;
  virtual void restoreBegun() = 0;
  virtual void restoreInitiated(const std::string& label, const std::string& federateName,
                                FederateNumber federate) = 0;
  virtual void restoreEnded(const fabric::EndedRecord& ended) = 0;
  virtual void restoreStatusReported(
      const std::vector<fabric::FederateRestoreStatus>& federates) = 0;

  virtual void registrationRelevant(ObjectClass objectClass, bool relevant) = 0;
  virtual void interactionsRelevant(InteractionClass interactionClass, bool relevant) = 0;

  virtual void nameReserved(const std::vector<std::string>& names, bool single, bool reserved) = 0;
  virtual void discovered(ObjectInstance instance, ObjectClass objectClass, const std::string& name,
                          FederateNumber producer) = 0;
  virtual void reflected(ObjectInstance instance, ObjectClass objectClass,
                         std::span<const Value> values, const MessageInfo& info) = 0;
  virtual void received(InteractionClass interactionClass, std::span<const Value> values,
                        const MessageInfo& info) = 0;
  virtual void removed(ObjectInstance instance, const MessageInfo& info) = 0;
  virtual void updateRequested(ObjectInstance instance, std::span<const Attribute> attributes,
                               std::span<const std::byte> tag) = 0;
  virtual void scopeChanged(ObjectInstance instance, std::span<const Attribute> attributes,
                            bool inScope) = 0;

  virtual void attributeTransportationChanged(ObjectInstance instance,
                                              std::span<const Attribute> attributes,
                                              bool bestEffort) = 0;
  virtual void attributeTransportationReported(ObjectInstance instance, Attribute attribute,
                                               bool bestEffort) = 0;
  virtual void interactionTransportationChanged(InteractionClass interactionClass,
                                                bool bestEffort) = 0;
  virtual void interactionTransportationReported(FederateNumber federate,
                                                 InteractionClass interactionClass,
                                                 bool bestEffort) = 0;

  /// HLAmanager.HLAfederate.HLAadjust.HLAsetSwitches set what accompanies this federate's messages;
  /// called with the core's lock held.
  virtual void conveyanceSet(bool regionDesignatorSets, bool producingFederate) = 0;

  /// Asked while this federate joins, with the core's lock: whether times of this representation
  /// are int64, else double. Throws CouldNotCreateLogicalTimeFactory when nobody knows it.
  virtual bool countsInIntegers(const std::string& timeImplementation) = 0;

  /// 6.21, 6.22; with an empty `updateRate` each update is wanted.
  virtual void updatesRelevant(ObjectInstance instance, std::span<const Attribute> attributes,
                               bool relevant, const std::string& updateRate) = 0;
  virtual void ownershipOffered(ObjectInstance instance, std::span<const Attribute> attributes,
                                std::span<const std::byte> tag) = 0;
  virtual void divestitureConfirmationRequested(ObjectInstance instance,
                                                std::span<const Attribute> attributes) = 0;
  virtual void ownershipAcquired(ObjectInstance instance, std::span<const Attribute> attributes,
                                 std::span<const std::byte> tag) = 0;
  virtual void ownershipUnavailable(ObjectInstance instance,
                                    std::span<const Attribute> attributes) = 0;
  virtual void ownershipReleaseRequested(ObjectInstance instance,
                                         std::span<const Attribute> attributes,
                                         std::span<const std::byte> tag) = 0;
  virtual void acquisitionCancelled(ObjectInstance instance,
                                    std::span<const Attribute> attributes) = 0;
  /// 0: nobody owns it; fabric::ownedByRti: the RTI does.
  virtual void ownershipInformed(ObjectInstance instance, Attribute attribute,
                                 FederateNumber owner) = 0;

  /// Whether services or exceptions of this federate are reported by the MOM now; called with the
  /// core's lock held.
  virtual void reportingSet(bool services, bool exceptions) = 0;

  virtual void timeRegulationEnabled(std::uint64_t time) = 0;
  virtual void timeConstrainedEnabled(std::uint64_t time) = 0;
  virtual void timeAdvanceGranted(std::uint64_t time) = 0;
  virtual void retractionRequested(std::uint64_t message) = 0;
};

/// Passes over everything; for whoever wants a few of them.
class QuietCallbacks : public Callbacks {
 public:
  void connectionLost(const std::string&) override {}
  void federationExecutionsReported(const std::vector<fabric::FederationInformation>&) override {}
  void synchronizationPointRegistered(const std::string&) override {}
  void synchronizationPointRefused(const std::string&, std::uint32_t) override {}
  void synchronizationPointAnnounced(const std::string&, std::span<const std::byte>) override {}
  void federationSynchronized(const std::string&, const std::vector<FederateNumber>&) override {}
  void saveInitiated(const std::string&, const std::uint64_t*) override {}
  void saveEnded(const fabric::EndedRecord&) override {}
  void saveStatusReported(const std::vector<fabric::FederateSaveStatus>&) override {}
  void restoreRequestAnswered(const std::string&, bool) override {}
  void restoreBegun() override {}
  void restoreInitiated(const std::string&, const std::string&, FederateNumber) override {}
  void restoreEnded(const fabric::EndedRecord&) override {}
  void restoreStatusReported(const std::vector<fabric::FederateRestoreStatus>&) override {}
  void registrationRelevant(ObjectClass, bool) override {}
  void interactionsRelevant(InteractionClass, bool) override {}
  void nameReserved(const std::vector<std::string>&, bool, bool) override {}
  void discovered(ObjectInstance, ObjectClass, const std::string&, FederateNumber) override {}
  void reflected(ObjectInstance, ObjectClass, std::span<const Value>, const MessageInfo&) override {
  }
  void received(InteractionClass, std::span<const Value>, const MessageInfo&) override {}
  void removed(ObjectInstance, const MessageInfo&) override {}
  void updateRequested(ObjectInstance, std::span<const Attribute>,
                       std::span<const std::byte>) override {}
  void scopeChanged(ObjectInstance, std::span<const Attribute>, bool) override {}
  void conveyanceSet(bool, bool) override {}
  void reportingSet(bool, bool) override {}
  bool countsInIntegers(const std::string& timeImplementation) override {
    return timeImplementation == "HLAinteger64Time";
  }
  void attributeTransportationChanged(ObjectInstance, std::span<const Attribute>, bool) override {}
  void attributeTransportationReported(ObjectInstance, Attribute, bool) override {}
  void interactionTransportationChanged(InteractionClass, bool) override {}
  void interactionTransportationReported(FederateNumber, InteractionClass, bool) override {}
  void updatesRelevant(ObjectInstance, std::span<const Attribute>, bool,
                       const std::string&) override {}
  void ownershipOffered(ObjectInstance, std::span<const Attribute>,
                        std::span<const std::byte>) override {}
  void divestitureConfirmationRequested(ObjectInstance, std::span<const Attribute>) override {}
  void ownershipAcquired(ObjectInstance, std::span<const Attribute>,
                         std::span<const std::byte>) override {}
  void ownershipUnavailable(ObjectInstance, std::span<const Attribute>) override {}
  void ownershipReleaseRequested(ObjectInstance, std::span<const Attribute>,
                                 std::span<const std::byte>) override {}
  void acquisitionCancelled(ObjectInstance, std::span<const Attribute>) override {}
  void ownershipInformed(ObjectInstance, Attribute, FederateNumber) override {}
  void timeRegulationEnabled(std::uint64_t) override {}
  void timeConstrainedEnabled(std::uint64_t) override {}
  void timeAdvanceGranted(std::uint64_t) override {}
  void retractionRequested(std::uint64_t) override {}
};

}  // namespace tutti::core
