// SPDX-License-Identifier: Apache-2.0
// Service and exception reporting (IEEE 1516.1-2010, 11.4): HLAreportServiceInvocation and
// HLAreportException of what this federate calls and is told.
#include "api1516e/ambassador_report.h"

#include <RTI/FederateAmbassador.h>

#include <string_view>
#include <vector>

#include "api1516e/ambassador.h"
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
    federate_.reportService(service, exception == nullptr, texts(supplied), results, problem);
  }
  if (exception != nullptr) federate_.reportException(service, problem);
}

/// Stands before the federate while its services are reported: callbacks are services as well.
class Ambassador::Reporter final : public FederateAmbassador {
 public:
  Reporter(FederateAmbassador& target, const Ambassador& ambassador)
      : target_(target), ambassador_(ambassador) {}

  void connectionLost(const std::wstring& faultDescription) override {
    tell("connectionLost", given(faultDescription),
         [&] { target_.connectionLost(faultDescription); });
  }
  void reportFederationExecutions(
      const FederationExecutionInformationVector& theFederationExecutionInformationList) override {
    tell("reportFederationExecutions", given(theFederationExecutionInformationList),
         [&] { target_.reportFederationExecutions(theFederationExecutionInformationList); });
  }
  void synchronizationPointRegistrationSucceeded(const std::wstring& label) override {
    tell("synchronizationPointRegistrationSucceeded", given(label),
         [&] { target_.synchronizationPointRegistrationSucceeded(label); });
  }
  void synchronizationPointRegistrationFailed(const std::wstring& label,
                                              SynchronizationPointFailureReason reason) override {
    tell("synchronizationPointRegistrationFailed", given(label, reason),
         [&] { target_.synchronizationPointRegistrationFailed(label, reason); });
  }
  void announceSynchronizationPoint(const std::wstring& label,
                                    const VariableLengthData& theUserSuppliedTag) override {
    tell("announceSynchronizationPoint", given(label, theUserSuppliedTag),
         [&] { target_.announceSynchronizationPoint(label, theUserSuppliedTag); });
  }
  void federationSynchronized(const std::wstring& label,
                              const FederateHandleSet& failedToSyncSet) override {
    tell("federationSynchronized", given(label, failedToSyncSet),
         [&] { target_.federationSynchronized(label, failedToSyncSet); });
  }
  void initiateFederateSave(const std::wstring& label) override {
    tell("initiateFederateSave", given(label), [&] { target_.initiateFederateSave(label); });
  }
  void initiateFederateSave(const std::wstring& label, const LogicalTime& theTime) override {
    tell("initiateFederateSave", given(label, theTime),
         [&] { target_.initiateFederateSave(label, theTime); });
  }
  void federationSaved() override {
    tell("federationSaved", given(), [&] { target_.federationSaved(); });
  }
  void federationNotSaved(SaveFailureReason theSaveFailureReason) override {
    tell("federationNotSaved", given(theSaveFailureReason),
         [&] { target_.federationNotSaved(theSaveFailureReason); });
  }
  void federationSaveStatusResponse(
      const FederateHandleSaveStatusPairVector& theFederateStatusVector) override {
    tell("federationSaveStatusResponse", given(theFederateStatusVector),
         [&] { target_.federationSaveStatusResponse(theFederateStatusVector); });
  }
  void requestFederationRestoreSucceeded(const std::wstring& label) override {
    tell("requestFederationRestoreSucceeded", given(label),
         [&] { target_.requestFederationRestoreSucceeded(label); });
  }
  void requestFederationRestoreFailed(const std::wstring& label) override {
    tell("requestFederationRestoreFailed", given(label),
         [&] { target_.requestFederationRestoreFailed(label); });
  }
  void federationRestoreBegun() override {
    tell("federationRestoreBegun", given(), [&] { target_.federationRestoreBegun(); });
  }
  void initiateFederateRestore(const std::wstring& label, const std::wstring& federateName,
                               FederateHandle handle) override {
    tell("initiateFederateRestore", given(label, federateName, handle),
         [&] { target_.initiateFederateRestore(label, federateName, handle); });
  }
  void federationRestored() override {
    tell("federationRestored", given(), [&] { target_.federationRestored(); });
  }
  void federationNotRestored(RestoreFailureReason theRestoreFailureReason) override {
    tell("federationNotRestored", given(theRestoreFailureReason),
         [&] { target_.federationNotRestored(theRestoreFailureReason); });
  }
  void federationRestoreStatusResponse(
      const FederateRestoreStatusVector& theFederateRestoreStatusVector) override {
    tell("federationRestoreStatusResponse", given(theFederateRestoreStatusVector),
         [&] { target_.federationRestoreStatusResponse(theFederateRestoreStatusVector); });
  }
  void startRegistrationForObjectClass(ObjectClassHandle theClass) override {
    tell("startRegistrationForObjectClass", given(theClass),
         [&] { target_.startRegistrationForObjectClass(theClass); });
  }
  void stopRegistrationForObjectClass(ObjectClassHandle theClass) override {
    tell("stopRegistrationForObjectClass", given(theClass),
         [&] { target_.stopRegistrationForObjectClass(theClass); });
  }
  void turnInteractionsOn(InteractionClassHandle theHandle) override {
    tell("turnInteractionsOn", given(theHandle), [&] { target_.turnInteractionsOn(theHandle); });
  }
  void turnInteractionsOff(InteractionClassHandle theHandle) override {
    tell("turnInteractionsOff", given(theHandle), [&] { target_.turnInteractionsOff(theHandle); });
  }
  void objectInstanceNameReservationSucceeded(const std::wstring& theObjectInstanceName) override {
    tell("objectInstanceNameReservationSucceeded", given(theObjectInstanceName),
         [&] { target_.objectInstanceNameReservationSucceeded(theObjectInstanceName); });
  }
  void objectInstanceNameReservationFailed(const std::wstring& theObjectInstanceName) override {
    tell("objectInstanceNameReservationFailed", given(theObjectInstanceName),
         [&] { target_.objectInstanceNameReservationFailed(theObjectInstanceName); });
  }
  void multipleObjectInstanceNameReservationSucceeded(
      const std::set<std::wstring>& theObjectInstanceNames) override {
    tell("multipleObjectInstanceNameReservationSucceeded", given(theObjectInstanceNames),
         [&] { target_.multipleObjectInstanceNameReservationSucceeded(theObjectInstanceNames); });
  }
  void multipleObjectInstanceNameReservationFailed(
      const std::set<std::wstring>& theObjectInstanceNames) override {
    tell("multipleObjectInstanceNameReservationFailed", given(theObjectInstanceNames),
         [&] { target_.multipleObjectInstanceNameReservationFailed(theObjectInstanceNames); });
  }
  void discoverObjectInstance(ObjectInstanceHandle theObject, ObjectClassHandle theObjectClass,
                              const std::wstring& theObjectInstanceName) override {
    tell("discoverObjectInstance", given(theObject, theObjectClass, theObjectInstanceName),
         [&] { target_.discoverObjectInstance(theObject, theObjectClass, theObjectInstanceName); });
  }
  void discoverObjectInstance(ObjectInstanceHandle theObject, ObjectClassHandle theObjectClass,
                              const std::wstring& theObjectInstanceName,
                              FederateHandle producingFederate) override {
    tell("discoverObjectInstance",
         given(theObject, theObjectClass, theObjectInstanceName, producingFederate), [&] {
           target_.discoverObjectInstance(theObject, theObjectClass, theObjectInstanceName,
                                          producingFederate);
         });
  }
  void reflectAttributeValues(ObjectInstanceHandle theObject,
                              const AttributeHandleValueMap& theAttributeValues,
                              const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                              TransportationType theType,
                              SupplementalReflectInfo theReflectInfo) override {
    tell("reflectAttributeValues",
         given(theObject, theAttributeValues, theUserSuppliedTag, sentOrder, theType,
               theReflectInfo),
         [&] {
           target_.reflectAttributeValues(theObject, theAttributeValues, theUserSuppliedTag,
                                          sentOrder, theType, theReflectInfo);
         });
  }
  void reflectAttributeValues(ObjectInstanceHandle theObject,
                              const AttributeHandleValueMap& theAttributeValues,
                              const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                              TransportationType theType, const LogicalTime& theTime,
                              OrderType receivedOrder,
                              SupplementalReflectInfo theReflectInfo) override {
    tell("reflectAttributeValues",
         given(theObject, theAttributeValues, theUserSuppliedTag, sentOrder, theType, theTime,
               receivedOrder, theReflectInfo),
         [&] {
           target_.reflectAttributeValues(theObject, theAttributeValues, theUserSuppliedTag,
                                          sentOrder, theType, theTime, receivedOrder,
                                          theReflectInfo);
         });
  }
  void reflectAttributeValues(ObjectInstanceHandle theObject,
                              const AttributeHandleValueMap& theAttributeValues,
                              const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                              TransportationType theType, const LogicalTime& theTime,
                              OrderType receivedOrder, MessageRetractionHandle theHandle,
                              SupplementalReflectInfo theReflectInfo) override {
    tell("reflectAttributeValues",
         given(theObject, theAttributeValues, theUserSuppliedTag, sentOrder, theType, theTime,
               receivedOrder, theHandle, theReflectInfo),
         [&] {
           target_.reflectAttributeValues(theObject, theAttributeValues, theUserSuppliedTag,
                                          sentOrder, theType, theTime, receivedOrder, theHandle,
                                          theReflectInfo);
         });
  }
  void receiveInteraction(InteractionClassHandle theInteraction,
                          const ParameterHandleValueMap& theParameterValues,
                          const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                          TransportationType theType,
                          SupplementalReceiveInfo theReceiveInfo) override {
    tell("receiveInteraction",
         given(theInteraction, theParameterValues, theUserSuppliedTag, sentOrder, theType,
               theReceiveInfo),
         [&] {
           target_.receiveInteraction(theInteraction, theParameterValues, theUserSuppliedTag,
                                      sentOrder, theType, theReceiveInfo);
         });
  }
  void receiveInteraction(InteractionClassHandle theInteraction,
                          const ParameterHandleValueMap& theParameterValues,
                          const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                          TransportationType theType, const LogicalTime& theTime,
                          OrderType receivedOrder,
                          SupplementalReceiveInfo theReceiveInfo) override {
    tell("receiveInteraction",
         given(theInteraction, theParameterValues, theUserSuppliedTag, sentOrder, theType, theTime,
               receivedOrder, theReceiveInfo),
         [&] {
           target_.receiveInteraction(theInteraction, theParameterValues, theUserSuppliedTag,
                                      sentOrder, theType, theTime, receivedOrder, theReceiveInfo);
         });
  }
  void receiveInteraction(InteractionClassHandle theInteraction,
                          const ParameterHandleValueMap& theParameterValues,
                          const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                          TransportationType theType, const LogicalTime& theTime,
                          OrderType receivedOrder, MessageRetractionHandle theHandle,
                          SupplementalReceiveInfo theReceiveInfo) override {
    tell("receiveInteraction",
         given(theInteraction, theParameterValues, theUserSuppliedTag, sentOrder, theType, theTime,
               receivedOrder, theHandle, theReceiveInfo),
         [&] {
           target_.receiveInteraction(theInteraction, theParameterValues, theUserSuppliedTag,
                                      sentOrder, theType, theTime, receivedOrder, theHandle,
                                      theReceiveInfo);
         });
  }
  void removeObjectInstance(ObjectInstanceHandle theObject,
                            const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                            SupplementalRemoveInfo theRemoveInfo) override {
    tell("removeObjectInstance", given(theObject, theUserSuppliedTag, sentOrder, theRemoveInfo),
         [&] {
           target_.removeObjectInstance(theObject, theUserSuppliedTag, sentOrder, theRemoveInfo);
         });
  }
  void removeObjectInstance(ObjectInstanceHandle theObject,
                            const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                            const LogicalTime& theTime, OrderType receivedOrder,
                            SupplementalRemoveInfo theRemoveInfo) override {
    tell("removeObjectInstance",
         given(theObject, theUserSuppliedTag, sentOrder, theTime, receivedOrder, theRemoveInfo),
         [&] {
           target_.removeObjectInstance(theObject, theUserSuppliedTag, sentOrder, theTime,
                                        receivedOrder, theRemoveInfo);
         });
  }
  void removeObjectInstance(ObjectInstanceHandle theObject,
                            const VariableLengthData& theUserSuppliedTag, OrderType sentOrder,
                            const LogicalTime& theTime, OrderType receivedOrder,
                            MessageRetractionHandle theHandle,
                            SupplementalRemoveInfo theRemoveInfo) override {
    tell("removeObjectInstance",
         given(theObject, theUserSuppliedTag, sentOrder, theTime, receivedOrder, theHandle,
               theRemoveInfo),
         [&] {
           target_.removeObjectInstance(theObject, theUserSuppliedTag, sentOrder, theTime,
                                        receivedOrder, theHandle, theRemoveInfo);
         });
  }
  void attributesInScope(ObjectInstanceHandle theObject,
                         const AttributeHandleSet& theAttributes) override {
    tell("attributesInScope", given(theObject, theAttributes),
         [&] { target_.attributesInScope(theObject, theAttributes); });
  }
  void attributesOutOfScope(ObjectInstanceHandle theObject,
                            const AttributeHandleSet& theAttributes) override {
    tell("attributesOutOfScope", given(theObject, theAttributes),
         [&] { target_.attributesOutOfScope(theObject, theAttributes); });
  }
  void provideAttributeValueUpdate(ObjectInstanceHandle theObject,
                                   const AttributeHandleSet& theAttributes,
                                   const VariableLengthData& theUserSuppliedTag) override {
    tell("provideAttributeValueUpdate", given(theObject, theAttributes, theUserSuppliedTag), [&] {
      target_.provideAttributeValueUpdate(theObject, theAttributes, theUserSuppliedTag);
    });
  }
  void turnUpdatesOnForObjectInstance(ObjectInstanceHandle theObject,
                                      const AttributeHandleSet& theAttributes) override {
    tell("turnUpdatesOnForObjectInstance", given(theObject, theAttributes),
         [&] { target_.turnUpdatesOnForObjectInstance(theObject, theAttributes); });
  }
  void turnUpdatesOnForObjectInstance(ObjectInstanceHandle theObject,
                                      const AttributeHandleSet& theAttributes,
                                      const std::wstring& updateRateDesignator) override {
    tell("turnUpdatesOnForObjectInstance", given(theObject, theAttributes, updateRateDesignator),
         [&] {
           target_.turnUpdatesOnForObjectInstance(theObject, theAttributes, updateRateDesignator);
         });
  }
  void turnUpdatesOffForObjectInstance(ObjectInstanceHandle theObject,
                                       const AttributeHandleSet& theAttributes) override {
    tell("turnUpdatesOffForObjectInstance", given(theObject, theAttributes),
         [&] { target_.turnUpdatesOffForObjectInstance(theObject, theAttributes); });
  }
  void confirmAttributeTransportationTypeChange(ObjectInstanceHandle theObject,
                                                AttributeHandleSet theAttributes,
                                                TransportationType theTransportation) override {
    tell("confirmAttributeTransportationTypeChange",
         given(theObject, theAttributes, theTransportation), [&] {
           target_.confirmAttributeTransportationTypeChange(theObject, theAttributes,
                                                            theTransportation);
         });
  }
  void reportAttributeTransportationType(ObjectInstanceHandle theObject,
                                         AttributeHandle theAttribute,
                                         TransportationType theTransportation) override {
    tell("reportAttributeTransportationType", given(theObject, theAttribute, theTransportation),
         [&] {
           target_.reportAttributeTransportationType(theObject, theAttribute, theTransportation);
         });
  }
  void confirmInteractionTransportationTypeChange(InteractionClassHandle theInteraction,
                                                  TransportationType theTransportation) override {
    tell("confirmInteractionTransportationTypeChange", given(theInteraction, theTransportation),
         [&] {
           target_.confirmInteractionTransportationTypeChange(theInteraction, theTransportation);
         });
  }
  void reportInteractionTransportationType(FederateHandle federateHandle,
                                           InteractionClassHandle theInteraction,
                                           TransportationType theTransportation) override {
    tell("reportInteractionTransportationType",
         given(federateHandle, theInteraction, theTransportation), [&] {
           target_.reportInteractionTransportationType(federateHandle, theInteraction,
                                                       theTransportation);
         });
  }
  void requestAttributeOwnershipAssumption(ObjectInstanceHandle theObject,
                                           const AttributeHandleSet& offeredAttributes,
                                           const VariableLengthData& theUserSuppliedTag) override {
    tell("requestAttributeOwnershipAssumption",
         given(theObject, offeredAttributes, theUserSuppliedTag), [&] {
           target_.requestAttributeOwnershipAssumption(theObject, offeredAttributes,
                                                       theUserSuppliedTag);
         });
  }
  void requestDivestitureConfirmation(ObjectInstanceHandle theObject,
                                      const AttributeHandleSet& releasedAttributes) override {
    tell("requestDivestitureConfirmation", given(theObject, releasedAttributes),
         [&] { target_.requestDivestitureConfirmation(theObject, releasedAttributes); });
  }
  void attributeOwnershipAcquisitionNotification(
      ObjectInstanceHandle theObject, const AttributeHandleSet& securedAttributes,
      const VariableLengthData& theUserSuppliedTag) override {
    tell("attributeOwnershipAcquisitionNotification",
         given(theObject, securedAttributes, theUserSuppliedTag), [&] {
           target_.attributeOwnershipAcquisitionNotification(theObject, securedAttributes,
                                                             theUserSuppliedTag);
         });
  }
  void attributeOwnershipUnavailable(ObjectInstanceHandle theObject,
                                     const AttributeHandleSet& theAttributes) override {
    tell("attributeOwnershipUnavailable", given(theObject, theAttributes),
         [&] { target_.attributeOwnershipUnavailable(theObject, theAttributes); });
  }
  void requestAttributeOwnershipRelease(ObjectInstanceHandle theObject,
                                        const AttributeHandleSet& candidateAttributes,
                                        const VariableLengthData& theUserSuppliedTag) override {
    tell("requestAttributeOwnershipRelease",
         given(theObject, candidateAttributes, theUserSuppliedTag), [&] {
           target_.requestAttributeOwnershipRelease(theObject, candidateAttributes,
                                                    theUserSuppliedTag);
         });
  }
  void confirmAttributeOwnershipAcquisitionCancellation(
      ObjectInstanceHandle theObject, const AttributeHandleSet& theAttributes) override {
    tell("confirmAttributeOwnershipAcquisitionCancellation", given(theObject, theAttributes), [&] {
      target_.confirmAttributeOwnershipAcquisitionCancellation(theObject, theAttributes);
    });
  }
  void informAttributeOwnership(ObjectInstanceHandle theObject, AttributeHandle theAttribute,
                                FederateHandle theOwner) override {
    tell("informAttributeOwnership", given(theObject, theAttribute, theOwner),
         [&] { target_.informAttributeOwnership(theObject, theAttribute, theOwner); });
  }
  void attributeIsNotOwned(ObjectInstanceHandle theObject, AttributeHandle theAttribute) override {
    tell("attributeIsNotOwned", given(theObject, theAttribute),
         [&] { target_.attributeIsNotOwned(theObject, theAttribute); });
  }
  void attributeIsOwnedByRTI(ObjectInstanceHandle theObject,
                             AttributeHandle theAttribute) override {
    tell("attributeIsOwnedByRTI", given(theObject, theAttribute),
         [&] { target_.attributeIsOwnedByRTI(theObject, theAttribute); });
  }
  void timeRegulationEnabled(const LogicalTime& theFederateTime) override {
    tell("timeRegulationEnabled", given(theFederateTime),
         [&] { target_.timeRegulationEnabled(theFederateTime); });
  }
  void timeConstrainedEnabled(const LogicalTime& theFederateTime) override {
    tell("timeConstrainedEnabled", given(theFederateTime),
         [&] { target_.timeConstrainedEnabled(theFederateTime); });
  }
  void timeAdvanceGrant(const LogicalTime& theTime) override {
    tell("timeAdvanceGrant", given(theTime), [&] { target_.timeAdvanceGrant(theTime); });
  }
  void requestRetraction(MessageRetractionHandle theHandle) override {
    tell("requestRetraction", given(theHandle), [&] { target_.requestRetraction(theHandle); });
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
        ambassador_.federate_.reportService(name, problem.empty(), supplied, {}, problem);
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

void Ambassador::callReporting(const std::function<void(FederateAmbassador&)>& call) {
  Reporter reporter(*target_, *this);
  call(reporter);
}

void Ambassador::reportingSet(bool services, bool exceptions) {
  reports_.store(services || exceptions, std::memory_order_relaxed);
}

}  // namespace tutti::api1516e
