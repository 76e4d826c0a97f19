// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/FederateAmbassador.h>
#include <RTI/time/HLAfloat64Time.h>
#include <RTI/time/HLAinteger64Time.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api1516e/ambassador_base.h"
#include "api1516e/ambassador_report.h"
#include "api1516e/attribute_map.h"
#include "api1516e/fork.h"
#include "api1516e/time_conversion.h"
#include "core/federate.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace tutti::api1516e {

// The RTIambassador of the IEEE 1516.1-2010 C++ API over one core::Federate: turns its types into
// numbers and bytes and back, keeps the lock, and drives the callbacks.
//
// Any thread may call any service. A callback runs without the lock, so it may call services, and
// so may other threads meanwhile; only one callback runs at a time.
//
// In a process that fork() made it is not connected: the federate stays the parent's alone.
class Ambassador final : public AmbassadorBase, private core::Callbacks, private ForkListener {
 public:
  Ambassador();
  ~Ambassador() override;

  // Federation management
  void connect(rti1516e::FederateAmbassador& federateAmbassador,
               rti1516e::CallbackModel theCallbackModel,
               const std::wstring& localSettingsDesignator) override;
  void disconnect() override;
  void createFederationExecution(const std::wstring& federationExecutionName,
                                 const std::wstring& fomModule,
                                 const std::wstring& logicalTimeImplementationName) override;
  void createFederationExecution(const std::wstring& federationExecutionName,
                                 const std::vector<std::wstring>& fomModules,
                                 const std::wstring& logicalTimeImplementationName) override;
  void createFederationExecutionWithMIM(const std::wstring& federationExecutionName,
                                        const std::vector<std::wstring>& fomModules,
                                        const std::wstring& mimModule,
                                        const std::wstring& logicalTimeImplementationName) override;
  void destroyFederationExecution(const std::wstring& federationExecutionName) override;
  void listFederationExecutions() override;
  rti1516e::FederateHandle joinFederationExecution(
      const std::wstring& federateType, const std::wstring& federationExecutionName,
      const std::vector<std::wstring>& additionalFomModules) override;
  rti1516e::FederateHandle joinFederationExecution(
      const std::wstring& federateName, const std::wstring& federateType,
      const std::wstring& federationExecutionName,
      const std::vector<std::wstring>& additionalFomModules) override;
  void resignFederationExecution(rti1516e::ResignAction resignAction) override;
  void registerFederationSynchronizationPoint(
      const std::wstring& label, const rti1516e::VariableLengthData& theUserSuppliedTag) override;
  void registerFederationSynchronizationPoint(
      const std::wstring& label, const rti1516e::VariableLengthData& theUserSuppliedTag,
      const rti1516e::FederateHandleSet& synchronizationSet) override;
  void synchronizationPointAchieved(const std::wstring& label, bool successfully) override;

  // Save and restore
  void requestFederationSave(const std::wstring& label) override;
  void requestFederationSave(const std::wstring& label,
                             const rti1516e::LogicalTime& theTime) override;
  void federateSaveBegun() override;
  void federateSaveComplete() override;
  void federateSaveNotComplete() override;
  void abortFederationSave() override;
  void queryFederationSaveStatus() override;
  void requestFederationRestore(const std::wstring& label) override;
  void federateRestoreComplete() override;
  void federateRestoreNotComplete() override;
  void abortFederationRestore() override;
  void queryFederationRestoreStatus() override;

  // Declaration management
  void publishObjectClassAttributes(rti1516e::ObjectClassHandle theClass,
                                    const rti1516e::AttributeHandleSet& attributeList) override;
  void unpublishObjectClass(rti1516e::ObjectClassHandle theClass) override;
  void unpublishObjectClassAttributes(rti1516e::ObjectClassHandle theClass,
                                      const rti1516e::AttributeHandleSet& attributeList) override;
  void publishInteractionClass(rti1516e::InteractionClassHandle theInteraction) override;
  void unpublishInteractionClass(rti1516e::InteractionClassHandle theInteraction) override;
  void subscribeObjectClassAttributes(rti1516e::ObjectClassHandle theClass,
                                      const rti1516e::AttributeHandleSet& attributeList,
                                      bool active,
                                      const std::wstring& updateRateDesignator) override;
  void unsubscribeObjectClass(rti1516e::ObjectClassHandle theClass) override;
  void unsubscribeObjectClassAttributes(rti1516e::ObjectClassHandle theClass,
                                        const rti1516e::AttributeHandleSet& attributeList) override;
  void subscribeInteractionClass(rti1516e::InteractionClassHandle theClass, bool active) override;
  void unsubscribeInteractionClass(rti1516e::InteractionClassHandle theClass) override;

  // Object management
  void reserveObjectInstanceName(const std::wstring& theObjectInstanceName) override;
  void releaseObjectInstanceName(const std::wstring& theObjectInstanceName) override;
  void reserveMultipleObjectInstanceName(
      const std::set<std::wstring>& theObjectInstanceNames) override;
  void releaseMultipleObjectInstanceName(
      const std::set<std::wstring>& theObjectInstanceNames) override;
  rti1516e::ObjectInstanceHandle registerObjectInstance(
      rti1516e::ObjectClassHandle theClass) override;
  rti1516e::ObjectInstanceHandle registerObjectInstance(
      rti1516e::ObjectClassHandle theClass, const std::wstring& theObjectInstanceName) override;
  void updateAttributeValues(rti1516e::ObjectInstanceHandle theObject,
                             const rti1516e::AttributeHandleValueMap& theAttributeValues,
                             const rti1516e::VariableLengthData& theUserSuppliedTag) override;
  rti1516e::MessageRetractionHandle updateAttributeValues(
      rti1516e::ObjectInstanceHandle theObject,
      const rti1516e::AttributeHandleValueMap& theAttributeValues,
      const rti1516e::VariableLengthData& theUserSuppliedTag,
      const rti1516e::LogicalTime& theTime) override;
  void sendInteraction(rti1516e::InteractionClassHandle theInteraction,
                       const rti1516e::ParameterHandleValueMap& theParameterValues,
                       const rti1516e::VariableLengthData& theUserSuppliedTag) override;
  rti1516e::MessageRetractionHandle sendInteraction(
      rti1516e::InteractionClassHandle theInteraction,
      const rti1516e::ParameterHandleValueMap& theParameterValues,
      const rti1516e::VariableLengthData& theUserSuppliedTag,
      const rti1516e::LogicalTime& theTime) override;
  void deleteObjectInstance(rti1516e::ObjectInstanceHandle theObject,
                            const rti1516e::VariableLengthData& theUserSuppliedTag) override;
  rti1516e::MessageRetractionHandle deleteObjectInstance(
      rti1516e::ObjectInstanceHandle theObject,
      const rti1516e::VariableLengthData& theUserSuppliedTag,
      const rti1516e::LogicalTime& theTime) override;
  void localDeleteObjectInstance(rti1516e::ObjectInstanceHandle theObject) override;
  void requestAttributeValueUpdate(rti1516e::ObjectInstanceHandle theObject,
                                   const rti1516e::AttributeHandleSet& theAttributes,
                                   const rti1516e::VariableLengthData& theUserSuppliedTag) override;
  void requestAttributeValueUpdate(rti1516e::ObjectClassHandle theClass,
                                   const rti1516e::AttributeHandleSet& theAttributes,
                                   const rti1516e::VariableLengthData& theUserSuppliedTag) override;

  void requestAttributeTransportationTypeChange(rti1516e::ObjectInstanceHandle theObject,
                                                const rti1516e::AttributeHandleSet& theAttributes,
                                                rti1516e::TransportationType theType) override;
  void queryAttributeTransportationType(rti1516e::ObjectInstanceHandle theObject,
                                        rti1516e::AttributeHandle theAttribute) override;
  void requestInteractionTransportationTypeChange(rti1516e::InteractionClassHandle theClass,
                                                  rti1516e::TransportationType theType) override;
  void queryInteractionTransportationType(rti1516e::FederateHandle theFederate,
                                          rti1516e::InteractionClassHandle theInteraction) override;
  // Data distribution management
  rti1516e::RegionHandle createRegion(const rti1516e::DimensionHandleSet& theDimensions) override;
  void commitRegionModifications(const rti1516e::RegionHandleSet& theRegionHandleSet) override;
  void deleteRegion(const rti1516e::RegionHandle& theRegion) override;
  rti1516e::ObjectInstanceHandle registerObjectInstanceWithRegions(
      rti1516e::ObjectClassHandle theClass,
      const rti1516e::AttributeHandleSetRegionHandleSetPairVector& regions) override;
  rti1516e::ObjectInstanceHandle registerObjectInstanceWithRegions(
      rti1516e::ObjectClassHandle theClass,
      const rti1516e::AttributeHandleSetRegionHandleSetPairVector& regions,
      const std::wstring& theObjectInstanceName) override;
  void associateRegionsForUpdates(
      rti1516e::ObjectInstanceHandle theObject,
      const rti1516e::AttributeHandleSetRegionHandleSetPairVector& regions) override;
  void unassociateRegionsForUpdates(
      rti1516e::ObjectInstanceHandle theObject,
      const rti1516e::AttributeHandleSetRegionHandleSetPairVector& regions) override;
  void subscribeObjectClassAttributesWithRegions(
      rti1516e::ObjectClassHandle theClass,
      const rti1516e::AttributeHandleSetRegionHandleSetPairVector& regions, bool active,
      const std::wstring& updateRateDesignator) override;
  void unsubscribeObjectClassAttributesWithRegions(
      rti1516e::ObjectClassHandle theClass,
      const rti1516e::AttributeHandleSetRegionHandleSetPairVector& regions) override;
  void subscribeInteractionClassWithRegions(rti1516e::InteractionClassHandle theClass,
                                            const rti1516e::RegionHandleSet& regions,
                                            bool active) override;
  void unsubscribeInteractionClassWithRegions(rti1516e::InteractionClassHandle theClass,
                                              const rti1516e::RegionHandleSet& regions) override;
  void sendInteractionWithRegions(rti1516e::InteractionClassHandle theInteraction,
                                  const rti1516e::ParameterHandleValueMap& theParameterValues,
                                  const rti1516e::RegionHandleSet& regions,
                                  const rti1516e::VariableLengthData& theUserSuppliedTag) override;
  rti1516e::MessageRetractionHandle sendInteractionWithRegions(
      rti1516e::InteractionClassHandle theInteraction,
      const rti1516e::ParameterHandleValueMap& theParameterValues,
      const rti1516e::RegionHandleSet& regions,
      const rti1516e::VariableLengthData& theUserSuppliedTag,
      const rti1516e::LogicalTime& theTime) override;
  void requestAttributeValueUpdateWithRegions(
      rti1516e::ObjectClassHandle theClass,
      const rti1516e::AttributeHandleSetRegionHandleSetPairVector& regions,
      const rti1516e::VariableLengthData& theUserSuppliedTag) override;

  // Ownership management
  void unconditionalAttributeOwnershipDivestiture(
      rti1516e::ObjectInstanceHandle theObject,
      const rti1516e::AttributeHandleSet& theAttributes) override;
  void negotiatedAttributeOwnershipDivestiture(
      rti1516e::ObjectInstanceHandle theObject, const rti1516e::AttributeHandleSet& theAttributes,
      const rti1516e::VariableLengthData& theUserSuppliedTag) override;
  void confirmDivestiture(rti1516e::ObjectInstanceHandle theObject,
                          const rti1516e::AttributeHandleSet& confirmedAttributes,
                          const rti1516e::VariableLengthData& theUserSuppliedTag) override;
  void attributeOwnershipAcquisition(
      rti1516e::ObjectInstanceHandle theObject,
      const rti1516e::AttributeHandleSet& desiredAttributes,
      const rti1516e::VariableLengthData& theUserSuppliedTag) override;
  void attributeOwnershipAcquisitionIfAvailable(
      rti1516e::ObjectInstanceHandle theObject,
      const rti1516e::AttributeHandleSet& desiredAttributes) override;
  void attributeOwnershipReleaseDenied(rti1516e::ObjectInstanceHandle theObject,
                                       const rti1516e::AttributeHandleSet& theAttributes) override;
  void attributeOwnershipDivestitureIfWanted(
      rti1516e::ObjectInstanceHandle theObject, const rti1516e::AttributeHandleSet& theAttributes,
      rti1516e::AttributeHandleSet& theDivestedAttributes) override;
  void cancelNegotiatedAttributeOwnershipDivestiture(
      rti1516e::ObjectInstanceHandle theObject,
      const rti1516e::AttributeHandleSet& theAttributes) override;
  void cancelAttributeOwnershipAcquisition(
      rti1516e::ObjectInstanceHandle theObject,
      const rti1516e::AttributeHandleSet& theAttributes) override;
  void queryAttributeOwnership(rti1516e::ObjectInstanceHandle theObject,
                               rti1516e::AttributeHandle theAttribute) override;
  bool isAttributeOwnedByFederate(rti1516e::ObjectInstanceHandle theObject,
                                  rti1516e::AttributeHandle theAttribute) override;

  // Time management
  void enableTimeRegulation(const rti1516e::LogicalTimeInterval& theLookahead) override;
  void disableTimeRegulation() override;
  void enableTimeConstrained() override;
  void disableTimeConstrained() override;
  void timeAdvanceRequest(const rti1516e::LogicalTime& theTime) override;
  void timeAdvanceRequestAvailable(const rti1516e::LogicalTime& theTime) override;
  void nextMessageRequest(const rti1516e::LogicalTime& theTime) override;
  void nextMessageRequestAvailable(const rti1516e::LogicalTime& theTime) override;
  void flushQueueRequest(const rti1516e::LogicalTime& theTime) override;
  void enableAsynchronousDelivery() override;
  void disableAsynchronousDelivery() override;
  bool queryGALT(rti1516e::LogicalTime& theTime) override;
  void queryLogicalTime(rti1516e::LogicalTime& theTime) override;
  bool queryLITS(rti1516e::LogicalTime& theTime) override;
  void queryLookahead(rti1516e::LogicalTimeInterval& interval) override;
  void modifyLookahead(const rti1516e::LogicalTimeInterval& theLookahead) override;
  void retract(rti1516e::MessageRetractionHandle theHandle) override;
  void changeAttributeOrderType(rti1516e::ObjectInstanceHandle theObject,
                                const rti1516e::AttributeHandleSet& theAttributes,
                                rti1516e::OrderType theType) override;
  void changeInteractionOrderType(rti1516e::InteractionClassHandle theClass,
                                  rti1516e::OrderType theType) override;

  // Support services
  rti1516e::ResignAction getAutomaticResignDirective() override;
  void setAutomaticResignDirective(rti1516e::ResignAction resignAction) override;
  rti1516e::FederateHandle getFederateHandle(const std::wstring& theName) override;
  std::wstring getFederateName(rti1516e::FederateHandle theHandle) override;
  rti1516e::ObjectClassHandle getObjectClassHandle(const std::wstring& theName) override;
  std::wstring getObjectClassName(rti1516e::ObjectClassHandle theHandle) override;
  rti1516e::ObjectClassHandle getKnownObjectClassHandle(
      rti1516e::ObjectInstanceHandle theObject) override;
  rti1516e::ObjectInstanceHandle getObjectInstanceHandle(const std::wstring& theName) override;
  std::wstring getObjectInstanceName(rti1516e::ObjectInstanceHandle theHandle) override;
  rti1516e::AttributeHandle getAttributeHandle(rti1516e::ObjectClassHandle whichClass,
                                               const std::wstring& theAttributeName) override;
  std::wstring getAttributeName(rti1516e::ObjectClassHandle whichClass,
                                rti1516e::AttributeHandle theHandle) override;
  double getUpdateRateValue(const std::wstring& updateRateDesignator) override;
  rti1516e::InteractionClassHandle getInteractionClassHandle(const std::wstring& theName) override;
  std::wstring getInteractionClassName(rti1516e::InteractionClassHandle theHandle) override;
  rti1516e::ParameterHandle getParameterHandle(rti1516e::InteractionClassHandle whichClass,
                                               const std::wstring& theName) override;
  std::wstring getParameterName(rti1516e::InteractionClassHandle whichClass,
                                rti1516e::ParameterHandle theHandle) override;
  rti1516e::OrderType getOrderType(const std::wstring& orderName) override;
  std::wstring getOrderName(rti1516e::OrderType orderType) override;
  rti1516e::TransportationType getTransportationType(
      const std::wstring& transportationName) override;
  std::wstring getTransportationName(rti1516e::TransportationType transportationType) override;
  rti1516e::DimensionHandleSet getAvailableDimensionsForClassAttribute(
      rti1516e::ObjectClassHandle theClass, rti1516e::AttributeHandle theHandle) override;
  rti1516e::DimensionHandleSet getAvailableDimensionsForInteractionClass(
      rti1516e::InteractionClassHandle theClass) override;
  rti1516e::DimensionHandle getDimensionHandle(const std::wstring& theName) override;
  std::wstring getDimensionName(rti1516e::DimensionHandle theHandle) override;
  unsigned long getDimensionUpperBound(rti1516e::DimensionHandle theHandle) override;
  rti1516e::DimensionHandleSet getDimensionHandleSet(
      rti1516e::RegionHandle theRegionHandle) override;
  rti1516e::RangeBounds getRangeBounds(rti1516e::RegionHandle theRegionHandle,
                                       rti1516e::DimensionHandle theDimensionHandle) override;
  void setRangeBounds(rti1516e::RegionHandle theRegionHandle,
                      rti1516e::DimensionHandle theDimensionHandle,
                      const rti1516e::RangeBounds& theRangeBounds) override;
  double getUpdateRateValueForAttribute(rti1516e::ObjectInstanceHandle theObject,
                                        rti1516e::AttributeHandle theAttribute) override;
  void enableAttributeRelevanceAdvisorySwitch() override;
  void disableAttributeRelevanceAdvisorySwitch() override;
  void enableAttributeScopeAdvisorySwitch() override;
  void disableAttributeScopeAdvisorySwitch() override;
  unsigned long normalizeFederateHandle(rti1516e::FederateHandle theFederateHandle) override;
  unsigned long normalizeServiceGroup(rti1516e::ServiceGroup theServiceGroup) override;
  void enableObjectClassRelevanceAdvisorySwitch() override;
  void disableObjectClassRelevanceAdvisorySwitch() override;
  void enableInteractionRelevanceAdvisorySwitch() override;
  void disableInteractionRelevanceAdvisorySwitch() override;
  bool evokeCallback(double approximateMinimumTimeInSeconds) override;
  bool evokeMultipleCallbacks(double approximateMinimumTimeInSeconds,
                              double approximateMaximumTimeInSeconds) override;
  void enableCallbacks() override;
  void disableCallbacks() override;
  std::auto_ptr<rti1516e::LogicalTimeFactory> getTimeFactory() const override;
  rti1516e::FederateHandle decodeFederateHandle(
      const rti1516e::VariableLengthData& encodedValue) const override;
  rti1516e::ObjectClassHandle decodeObjectClassHandle(
      const rti1516e::VariableLengthData& encodedValue) const override;
  rti1516e::InteractionClassHandle decodeInteractionClassHandle(
      const rti1516e::VariableLengthData& encodedValue) const override;
  rti1516e::ObjectInstanceHandle decodeObjectInstanceHandle(
      const rti1516e::VariableLengthData& encodedValue) const override;
  rti1516e::AttributeHandle decodeAttributeHandle(
      const rti1516e::VariableLengthData& encodedValue) const override;
  rti1516e::ParameterHandle decodeParameterHandle(
      const rti1516e::VariableLengthData& encodedValue) const override;
  rti1516e::DimensionHandle decodeDimensionHandle(
      const rti1516e::VariableLengthData& encodedValue) const override;
  rti1516e::MessageRetractionHandle decodeMessageRetractionHandle(
      const rti1516e::VariableLengthData& encodedValue) const override;
  rti1516e::RegionHandle decodeRegionHandle(
      const rti1516e::VariableLengthData& encodedValue) const override;

 private:
  // core::Callbacks
  void connectionLost(const std::string& reason) override;
  void federationExecutionsReported(
      const std::vector<fabric::FederationInformation>& executions) override;
  void synchronizationPointRegistered(const std::string& label) override;
  void synchronizationPointRefused(const std::string& label, std::uint32_t reason) override;
  void synchronizationPointAnnounced(const std::string& label,
                                     std::span<const std::byte> tag) override;
  void federationSynchronized(const std::string& label,
                              const std::vector<core::FederateNumber>& failed) override;
  void saveInitiated(const std::string& label, const std::uint64_t* time) override;
  void saveEnded(const fabric::EndedRecord& ended) override;
  void saveStatusReported(const std::vector<fabric::FederateSaveStatus>& federates) override;
  void restoreRequestAnswered(const std::string& label, bool accepted) override;
  void restoreBegun() override;
  void restoreInitiated(const std::string& label, const std::string& federateName,
                        core::FederateNumber federate) override;
  void restoreEnded(const fabric::EndedRecord& ended) override;
  void restoreStatusReported(const std::vector<fabric::FederateRestoreStatus>& federates) override;
  void registrationRelevant(core::ObjectClass objectClass, bool relevant) override;
  void interactionsRelevant(core::InteractionClass interactionClass, bool relevant) override;
  void nameReserved(const std::vector<std::string>& names, bool single, bool reserved) override;
  void discovered(core::ObjectInstance instance, core::ObjectClass objectClass,
                  const std::string& name, core::FederateNumber producer) override;
  void reflected(core::ObjectInstance instance, core::ObjectClass objectClass,
                 std::span<const core::Value> values, const core::MessageInfo& info) override;
  void received(core::InteractionClass interactionClass, std::span<const core::Value> values,
                const core::MessageInfo& info) override;
  void removed(core::ObjectInstance instance, const core::MessageInfo& info) override;
  void updateRequested(core::ObjectInstance instance, std::span<const core::Attribute> attributes,
                       std::span<const std::byte> tag) override;
  void attributeTransportationChanged(core::ObjectInstance instance,
                                      std::span<const core::Attribute> attributes,
                                      bool bestEffort) override;
  void attributeTransportationReported(core::ObjectInstance instance, core::Attribute attribute,
                                       bool bestEffort) override;
  void interactionTransportationChanged(core::InteractionClass interactionClass,
                                        bool bestEffort) override;
  void interactionTransportationReported(core::FederateNumber federate,
                                         core::InteractionClass interactionClass,
                                         bool bestEffort) override;
  void conveyanceSet(bool regionDesignatorSets, bool producingFederate) override;
  bool countsInIntegers(const std::string& timeImplementation) override;
  void scopeChanged(core::ObjectInstance instance, std::span<const core::Attribute> attributes,
                    bool inScope) override;
  void updatesRelevant(core::ObjectInstance instance, std::span<const core::Attribute> attributes,
                       bool relevant, const std::string& updateRate) override;
  void ownershipOffered(core::ObjectInstance instance, std::span<const core::Attribute> attributes,
                        std::span<const std::byte> tag) override;
  void divestitureConfirmationRequested(core::ObjectInstance instance,
                                        std::span<const core::Attribute> attributes) override;
  void ownershipAcquired(core::ObjectInstance instance, std::span<const core::Attribute> attributes,
                         std::span<const std::byte> tag) override;
  void ownershipUnavailable(core::ObjectInstance instance,
                            std::span<const core::Attribute> attributes) override;
  void ownershipReleaseRequested(core::ObjectInstance instance,
                                 std::span<const core::Attribute> attributes,
                                 std::span<const std::byte> tag) override;
  void acquisitionCancelled(core::ObjectInstance instance,
                            std::span<const core::Attribute> attributes) override;
  void ownershipInformed(core::ObjectInstance instance, core::Attribute attribute,
                         core::FederateNumber owner) override;
  void reportingSet(bool services, bool exceptions) override;
  void timeRegulationEnabled(std::uint64_t time) override;
  void timeConstrainedEnabled(std::uint64_t time) override;
  void timeAdvanceGranted(std::uint64_t time) override;
  void retractionRequested(std::uint64_t message) override;

  // Runs a service under the lock and turns faults into the standard's exceptions.
  // `supplied` are its arguments, for those who let services be reported; `name` is the caller's.
  template <class F>
  auto service(std::span<const Argument> supplied, F&& f,
               const char* name = __builtin_FUNCTION()) const;
  template <class F>
  auto service(F&& f, const char* name = __builtin_FUNCTION()) const {
    return service(std::span<const Argument>(), std::forward<F>(f), name);
  }
  void reportService(const char* name, std::span<const Argument> supplied, const Argument* returned,
                     const std::wstring* exception) const;
  class Reporter;
  void callReporting(const std::function<void(rti1516e::FederateAmbassador&)>& call);
  // Calls the federate. What it throws ends there (FederateInternalError; 1.4.2 of the C++ API).
  template <class F>
  void callback(F&& f, bool isReported = true);
  // Tells the node of the exception that is being handled; `again` makes the same callback.
  void noteThrown(
      const std::function<void(rti1516e::FederateAmbassador&)>& again) noexcept;
  // The node logs the first of a callback and type, and hears of the 10th, 100th ...; with mutex_.
  void tellFault(const std::string& callback, const std::string& type, const std::string& text);
  void refuseInCallback(const char* what) const;
  class Evoking;
  template <class Deliver>
  bool evoke(double leastSeconds, Deliver&& deliver);
  void deliverByThread();
  class RetryDelay;
  void deliveryFailed(core::Federate::Lock& lock, RetryDelay& delay, std::string_view type,
                      std::string_view text);
  void stopThread();
  void forked() noexcept override;
  void create(const std::wstring& name, const std::vector<std::wstring>& modules,
              const std::wstring* mim, const std::wstring& timeImplementation);
  rti1516e::FederateHandle join(const std::wstring& name, const std::wstring& type,
                                const std::wstring& execution,
                                const std::vector<std::wstring>& modules);
  void takeValues(const rti1516e::AttributeHandleValueMap& values);
  void takeValues(const rti1516e::ParameterHandleValueMap& values);
  void request(fabric::TimeAdvance how, const rti1516e::LogicalTime& time);
  TimeType timeType() const;
  // The time of a message in `bits`, or what stands for one of another representation.
  const std::uint64_t* stampOf(const rti1516e::LogicalTime& time, std::uint64_t& bits);
  // Throws InvalidTransportationType for one that is none; before that, when not joined.
  bool isBestEffort(rti1516e::TransportationType type);
  // Throws InvalidLookahead for one that is none.
  std::uint64_t lookaheadBits(const rti1516e::LogicalTimeInterval& lookahead);
  const rti1516e::LogicalTime& timeObject(std::uint64_t bits);
  // Calls `tell` with what says when a message was sent, as its form of callback has it.
  template <class Tell>
  void tellWithTime(const core::MessageInfo& info, Tell&& tell);
  bool conveysProducer() const { return conveyProducer_.load(std::memory_order_relaxed); }
  const rti1516e::VariableLengthData& tagObject(std::span<const std::byte> tag);

  mutable std::mutex mutex_;  // guards federate_ and what a service changes
  mutable core::Federate federate_;
  rti1516e::FederateAmbassador* target_ = nullptr;
  rti1516e::CallbackModel model_ = rti1516e::HLA_EVOKED;

  // One thread at a time delivers callbacks; guarded by mutex_.
  bool evoking_ = false;
  unsigned evokersWaiting_ = 0;
  std::condition_variable evokingEnded_;
  std::condition_variable callbacksChanged_;
  bool callbacksEnabled_ = true;             // guarded by mutex_
  std::atomic<std::thread::id> inCallback_;  // the thread that runs a callback
  std::thread thread_;                       // HLA_IMMEDIATE
  bool stopping_ = false;                    // guarded by mutex_
  std::atomic<bool> conveyProducer_{false};
  std::atomic<bool> reports_{false};  // services or exceptions are reported
  std::atomic<bool> integerTime_{false};
  // Of a federation execution whose time representation is not one of the standard's. Types stay as
  // long as the ambassador: a callback may still use one while another thread resigns and joins.
  std::atomic<const OwnTimeType*> ownTime_{nullptr};
  std::map<std::string, std::unique_ptr<OwnTimeType>> ownTimes_;

  std::vector<core::Value> values_;  // guarded by mutex_
  // By callback and type of exception, of this connection; guarded by mutex_.
  std::map<std::pair<std::string, std::string>, std::uint64_t> faults_;

  // Used by the delivering thread only.
  AttributeMapBuilder attributeMap_;
  ParameterMapBuilder parameterMap_;
  std::vector<HandleValue> handleValues_;
  rti1516e::VariableLengthData tag_;
  rti1516e::HLAfloat64Time floatTime_;
  rti1516e::HLAinteger64Time integerTimeObject_;
};

}  // namespace tutti::api1516e

#pragma GCC diagnostic pop
