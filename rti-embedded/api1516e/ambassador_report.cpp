// SPDX-License-Identifier: Apache-2.0
// Service and exception reporting (IEEE 1516.1-2010, 11.4): HLAreportServiceInvocation and
// HLAreportException of what this federate calls and is told.
#include "api1516e/ambassador_report.h"

#include <RTI/FederateAmbassador.h>

#include <string_view>
#include <vector>

#include "api1516e/ambassador.h"
#include "api1516e/service_groups.h"
#include "api1516e/text.h"

namespace tutti::api1516e {

using namespace rti1516e;

std::wstring describe(const VariableLengthData& data) {
  constexpr wchar_t digits[] = L"0123456789ABCDEF";
  const auto* octets = static_cast<const unsigned char*>(data.data());
  std::wstring result;
  result.reserve(2 * data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    result += digits[octets[i] >> 4];
    result += digits[octets[i] & 0xf];
  }
  return result;
}

namespace {

std::string standardName(std::string_view function) {
  // Services whose forms share one function.
  if (function == "create") return "createFederationExecution";
  if (function == "join") return "joinFederationExecution";
  return std::string(function);
}

std::vector<std::string> texts(std::span<const Argument> arguments) {
  std::vector<std::string> result;
  for (const Argument& one : arguments) result.push_back(toUtf8(one.text(one.value)));
  return result;
}

}  // namespace

void Ambassador::reportService(const char* name, std::span<const Argument> supplied,
                               const Argument* returned, const std::wstring* exception) const {
  const std::string service = standardName(name);
  const std::string problem = exception != nullptr ? toUtf8(*exception) : std::string();
  std::vector<std::string> results;
  if (returned != nullptr) results.push_back(toUtf8(returned->text(returned->value)));
  if (federate_.wantsServiceReport()) {
    federate_.reportService(service, serviceGroup(service), exception == nullptr, texts(supplied),
                            results, problem);
  }
  if (exception != nullptr) federate_.reportException(service, problem);
}

// A callback's name and arguments are all there is to say of it.
#define TELL(callback, ...) \
  tell(#callback, given(__VA_ARGS__), [&] { target_.callback(__VA_ARGS__); })

/// Stands before the federate while its services are reported: callbacks are services as well.
class Ambassador::Reporter final : public FederateAmbassador {
 public:
  Reporter(FederateAmbassador& target, const Ambassador& ambassador)
      : target_(target), ambassador_(ambassador) {}

  void connectionLost(const std::wstring& faultDescription) override {
    TELL(connectionLost, faultDescription);
  }
  void reportFederationExecutions(
      const FederationExecutionInformationVector& theFederationExecutionInformationList) override {
    TELL(reportFederationExecutions, theFederationExecutionInformationList);
  }
  void synchronizationPointRegistrationSucceeded(const std::wstring& label) override {
    TELL(synchronizationPointRegistrationSucceeded, label);
  }
  void synchronizationPointRegistrationFailed(const std::wstring& label,
                                              SynchronizationPointFailureReason reason) override {
    TELL(synchronizationPointRegistrationFailed, label, reason);
  }
  void announceSynchronizationPoint(const std::wstring& label,
                                    const VariableLengthData& theUserSuppliedTag) override {
    TELL(announceSynchronizationPoint, label, theUserSuppliedTag);
  }
  void federationSynchronized(const std::wstring& label,
                              const FederateHandleSet& failedToSyncSet) override {
    TELL(federationSynchronized, label, failedToSyncSet);
  }
  void initiateFederateSave(const std::wstring& label) override {
    TELL(initiateFederateSave, label);
  }
  void initiateFederateSave(const std::wstring& label, const LogicalTime& theTime) override {
    TELL(initiateFederateSave, label, theTime);
  }
  void federationSaved() override { TELL(federationSaved); }
  void federationNotSaved(SaveFailureReason theSaveFailureReason) override {
    TELL(federationNotSaved, theSaveFailureReason);
  }
  void federationSaveStatusResponse(
      const FederateHandleSaveStatusPairVector& theFederateStatusVector) override {
    TELL(federationSaveStatusResponse, theFederateStatusVector);
  }
  void requestFederationRestoreSucceeded(const std::wstring& label) override {
    TELL(requestFederationRestoreSucceeded, label);
  }
  void requestFederationRestoreFailed(const std::wstring& label) override {
    TELL(requestFederationRestoreFailed, label);
  }
  void federationRestoreBegun() override { TELL(federationRestoreBegun); }
  void initiateFederateRestore(const std::wstring& label, const std::wstring& federateName,
                               FederateHandle handle) override {
    TELL(initiateFederateRestore, label, federateName, handle);
  }
  void federationRestored() override { TELL(federationRestored); }
  void federationNotRestored(RestoreFailureReason theRestoreFailureReason) override {
    TELL(federationNotRestored, theRestoreFailureReason);
  }
  void federationRestoreStatusResponse(
      const FederateRestoreStatusVector& theFederateRestoreStatusVector) override {
    TELL(federationRestoreStatusResponse, theFederateRestoreStatusVector);
  }
  void startRegistrationForObjectClass(ObjectClassHandle theClass) override {
    TELL(startRegistrationForObjectClass, theClass);
  }
  void stopRegistrationForObjectClass(ObjectClassHandle theClass) override {
    TELL(stopRegistrationForObjectClass, theClass);
  }
  void turnInteractionsOn(InteractionClassHandle theHandle) override {
    TELL(turnInteractionsOn, theHandle);
  }
  void turnInteractionsOff(InteractionClassHandle theHandle) override {
    TELL(turnInteractionsOff, theHandle);
  }
  void objectInstanceNameReservationSucceeded(const std::wstring& theObjectInstanceName) override {
    TELL(objectInstanceNameReservationSucceeded, theObjectInstanceName);
  }
  void objectInstanceNameReservationFailed(const std::wstring& theObjectInstanceName) override {
    TELL(objectInstanceNameReservationFailed, theObjectInstanceName);
  }
  void multipleObjectInstanceNameReservationSucceeded(
      const std::set<std::wstring>& theObjectInstanceNames) override {
    TELL(multipleObjectInstanceNameReservationSucceeded, theObjectInstanceNames);
  }
  void multipleObjectInstanceNameReservationFailed(
      const std::set<std::wstring>& theObjectInstanceNames) override {
    TELL(multipleObjectInstanceNameReservationFailed, theObjectInstanceNames);
  }
  void discoverObjectInstance(ObjectInstanceHandle theObject, ObjectClassHandle theObjectClass,
                              const std::wstring& theObjectInstanceName) override {
    TELL(discoverObjectInstance, theObject, theObjectClass, theObjectInstanceName);
  }
  void discoverObjectInstance(ObjectInstanceHandle theObject, ObjectClassHandle theObjectClass,
                              const std::wstring& theObjectInstanceName,
                              FederateHandle producingFederate) override {
    TELL(discoverObjectInstance, theObject, theObjectClass, theObjectInstanceName,
         producingFederate);
  }
  void reflectAttributeValues(ObjectInstanceHandle theObject,
                              const AttributeHandleValueMap& theAttributeValues,
                              const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                              TransportationType theType,
                              SupplementalReflectInfo theReflectInfo) override {
    TELL(reflectAttributeValues, theObject, theAttributeValues, theUserSuppliedTag, sentOrder,
         theType, theReflectInfo);
  }
  void reflectAttributeValues(ObjectInstanceHandle theObject,
                              const AttributeHandleValueMap& theAttributeValues,
                              const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                              TransportationType theType, const LogicalTime& theTime,
                              OrderType receivedOrder,
                              SupplementalReflectInfo theReflectInfo) override {
    TELL(reflectAttributeValues, theObject, theAttributeValues, theUserSuppliedTag, sentOrder,
         theType, theTime, receivedOrder, theReflectInfo);
  }
  void reflectAttributeValues(ObjectInstanceHandle theObject,
                              const AttributeHandleValueMap& theAttributeValues,
                              const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                              TransportationType theType, const LogicalTime& theTime,
                              OrderType receivedOrder, MessageRetractionHandle theHandle,
                              SupplementalReflectInfo theReflectInfo) override {
    TELL(reflectAttributeValues, theObject, theAttributeValues, theUserSuppliedTag, sentOrder,
         theType, theTime, receivedOrder, theHandle, theReflectInfo);
  }
  void receiveInteraction(InteractionClassHandle theInteraction,
                          const ParameterHandleValueMap& theParameterValues,
                          const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                          TransportationType theType,
                          SupplementalReceiveInfo theReceiveInfo) override {
    TELL(receiveInteraction, theInteraction, theParameterValues, theUserSuppliedTag, sentOrder,
         theType, theReceiveInfo);
  }
  void receiveInteraction(InteractionClassHandle theInteraction,
                          const ParameterHandleValueMap& theParameterValues,
                          const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                          TransportationType theType, const LogicalTime& theTime,
                          OrderType receivedOrder,
                          SupplementalReceiveInfo theReceiveInfo) override {
    TELL(receiveInteraction, theInteraction, theParameterValues, theUserSuppliedTag, sentOrder,
         theType, theTime, receivedOrder, theReceiveInfo);
  }
  void receiveInteraction(InteractionClassHandle theInteraction,
                          const ParameterHandleValueMap& theParameterValues,
                          const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                          TransportationType theType, const LogicalTime& theTime,
                          OrderType receivedOrder, MessageRetractionHandle theHandle,
                          SupplementalReceiveInfo theReceiveInfo) override {
    TELL(receiveInteraction, theInteraction, theParameterValues, theUserSuppliedTag, sentOrder,
         theType, theTime, receivedOrder, theHandle, theReceiveInfo);
  }
  void removeObjectInstance(ObjectInstanceHandle theObject,
                            const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                            SupplementalRemoveInfo theRemoveInfo) override {
    TELL(removeObjectInstance, theObject, theUserSuppliedTag, sentOrder, theRemoveInfo);
  }
  void removeObjectInstance(ObjectInstanceHandle theObject,
                            const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                            const LogicalTime& theTime, OrderType receivedOrder,
                            SupplementalRemoveInfo theRemoveInfo) override {
    TELL(removeObjectInstance, theObject, theUserSuppliedTag, sentOrder, theTime, receivedOrder,
         theRemoveInfo);
  }
  void removeObjectInstance(ObjectInstanceHandle theObject,
                            const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                            const LogicalTime& theTime, OrderType receivedOrder,
                            MessageRetractionHandle theHandle,
                            SupplementalRemoveInfo theRemoveInfo) override {
    TELL(removeObjectInstance, theObject, theUserSuppliedTag, sentOrder, theTime, receivedOrder,
         theHandle, theRemoveInfo);
  }
  void attributesInScope(ObjectInstanceHandle theObject,
                         const AttributeHandleSet& theAttributes) override {
    TELL(attributesInScope, theObject, theAttributes);
  }
  void attributesOutOfScope(ObjectInstanceHandle theObject,
                            const AttributeHandleSet& theAttributes) override {
    TELL(attributesOutOfScope, theObject, theAttributes);
  }
  void provideAttributeValueUpdate(ObjectInstanceHandle theObject,
                                   const AttributeHandleSet& theAttributes,
                                   const VariableLengthData& theUserSuppliedTag) override {
    TELL(provideAttributeValueUpdate, theObject, theAttributes, theUserSuppliedTag);
  }
  void turnUpdatesOnForObjectInstance(ObjectInstanceHandle theObject,
                                      const AttributeHandleSet& theAttributes) override {
    TELL(turnUpdatesOnForObjectInstance, theObject, theAttributes);
  }
  void turnUpdatesOnForObjectInstance(ObjectInstanceHandle theObject,
                                      const AttributeHandleSet& theAttributes,
                                      const std::wstring& updateRateDesignator) override {
    TELL(turnUpdatesOnForObjectInstance, theObject, theAttributes, updateRateDesignator);
  }
  void turnUpdatesOffForObjectInstance(ObjectInstanceHandle theObject,
                                       const AttributeHandleSet& theAttributes) override {
    TELL(turnUpdatesOffForObjectInstance, theObject, theAttributes);
  }
  void confirmAttributeTransportationTypeChange(ObjectInstanceHandle theObject,
                                                AttributeHandleSet theAttributes,
                                                TransportationType theTransportation) override {
    TELL(confirmAttributeTransportationTypeChange, theObject, theAttributes, theTransportation);
  }
  void reportAttributeTransportationType(ObjectInstanceHandle theObject,
                                         AttributeHandle theAttribute,
                                         TransportationType theTransportation) override {
    TELL(reportAttributeTransportationType, theObject, theAttribute, theTransportation);
  }
  void confirmInteractionTransportationTypeChange(InteractionClassHandle theInteraction,
                                                  TransportationType theTransportation) override {
    TELL(confirmInteractionTransportationTypeChange, theInteraction, theTransportation);
  }
  void reportInteractionTransportationType(FederateHandle federateHandle,
                                           InteractionClassHandle theInteraction,
                                           TransportationType theTransportation) override {
    TELL(reportInteractionTransportationType, federateHandle, theInteraction, theTransportation);
  }
  void requestAttributeOwnershipAssumption(ObjectInstanceHandle theObject,
                                           const AttributeHandleSet& offeredAttributes,
                                           const VariableLengthData& theUserSuppliedTag) override {
    TELL(requestAttributeOwnershipAssumption, theObject, offeredAttributes, theUserSuppliedTag);
  }
  void requestDivestitureConfirmation(ObjectInstanceHandle theObject,
                                      const AttributeHandleSet& releasedAttributes) override {
    TELL(requestDivestitureConfirmation, theObject, releasedAttributes);
  }
  void attributeOwnershipAcquisitionNotification(
      ObjectInstanceHandle theObject, const AttributeHandleSet& securedAttributes,
      const VariableLengthData& theUserSuppliedTag) override {
    TELL(attributeOwnershipAcquisitionNotification, theObject, securedAttributes,
         theUserSuppliedTag);
  }
  void attributeOwnershipUnavailable(ObjectInstanceHandle theObject,
                                     const AttributeHandleSet& theAttributes) override {
    TELL(attributeOwnershipUnavailable, theObject, theAttributes);
  }
  void requestAttributeOwnershipRelease(ObjectInstanceHandle theObject,
                                        const AttributeHandleSet& candidateAttributes,
                                        const VariableLengthData& theUserSuppliedTag) override {
    TELL(requestAttributeOwnershipRelease, theObject, candidateAttributes, theUserSuppliedTag);
  }
  void confirmAttributeOwnershipAcquisitionCancellation(
      ObjectInstanceHandle theObject, const AttributeHandleSet& theAttributes) override {
    TELL(confirmAttributeOwnershipAcquisitionCancellation, theObject, theAttributes);
  }
  void informAttributeOwnership(ObjectInstanceHandle theObject, AttributeHandle theAttribute,
                                FederateHandle theOwner) override {
    TELL(informAttributeOwnership, theObject, theAttribute, theOwner);
  }
  void attributeIsNotOwned(ObjectInstanceHandle theObject, AttributeHandle theAttribute) override {
    TELL(attributeIsNotOwned, theObject, theAttribute);
  }
  void attributeIsOwnedByRTI(ObjectInstanceHandle theObject,
                             AttributeHandle theAttribute) override {
    TELL(attributeIsOwnedByRTI, theObject, theAttribute);
  }
  void timeRegulationEnabled(const LogicalTime& theFederateTime) override {
    TELL(timeRegulationEnabled, theFederateTime);
  }
  void timeConstrainedEnabled(const LogicalTime& theFederateTime) override {
    TELL(timeConstrainedEnabled, theFederateTime);
  }
  void timeAdvanceGrant(const LogicalTime& theTime) override { TELL(timeAdvanceGrant, theTime); }
  void requestRetraction(MessageRetractionHandle theHandle) override {
    TELL(requestRetraction, theHandle);
  }

 private:
  template <class Call>
  void tell(const char* name, std::span<const Argument> arguments, Call&& call) {
    // Before the call: the federate may take what is told it apart.
    std::vector<std::string> supplied;
    const bool wanted = [&] {
      const std::lock_guard lock(ambassador_.mutex_);
      return ambassador_.federate_.joined() && ambassador_.federate_.wantsServiceReport();
    }();
    if (wanted) supplied = texts(arguments);
    std::string problem;
    const auto report = [&] {
      const std::lock_guard lock(ambassador_.mutex_);
      if (wanted) {
        ambassador_.federate_.reportService(name, serviceGroup(name), problem.empty(), supplied, {},
                                            problem);
      }
      if (!problem.empty()) ambassador_.federate_.reportException(name, problem);
    };
    try {
      call();
    } catch (const Exception& exception) {
      problem = "FederateInternalError: " + toUtf8(exception.what());
      report();
      throw;
    } catch (...) {
      problem = "FederateInternalError";
      report();
      throw;
    }
    report();
  }

  FederateAmbassador& target_;
  const Ambassador& ambassador_;
};

#undef TELL

void Ambassador::callReporting(const std::function<void(FederateAmbassador&)>& call) {
  Reporter reporter(*target_, *this);
  call(reporter);
}

void Ambassador::reportingSet(bool services, bool exceptions) {
  reports_.store(services || exceptions, std::memory_order_relaxed);
}

}  // namespace tutti::api1516e
