// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace tutti::core {

// The exceptions of the standard that a service can end with, by their names.
// clang-format off
#define TUTTI_FAULTS(X)                                \
  X(AlreadyConnected)                                  \
  X(AsynchronousDeliveryAlreadyDisabled)               \
  X(AsynchronousDeliveryAlreadyEnabled)                \
  X(AttributeAcquisitionWasNotRequested)               \
  X(AttributeAlreadyBeingAcquired)                     \
  X(AttributeAlreadyBeingChanged)                      \
  X(AttributeAlreadyBeingDivested)                     \
  X(AttributeAlreadyOwned)                             \
  X(AttributeDivestitureWasNotRequested)               \
  X(AttributeNotDefined)                               \
  X(AttributeNotOwned)                                 \
  X(AttributeNotPublished)                             \
  X(AttributeRelevanceAdvisorySwitchIsOff)             \
  X(AttributeRelevanceAdvisorySwitchIsOn)              \
  X(AttributeScopeAdvisorySwitchIsOff)                 \
  X(AttributeScopeAdvisorySwitchIsOn)                  \
  X(CallNotAllowedFromWithinCallback)                  \
  X(ConnectionFailed)                                  \
  X(CouldNotCreateLogicalTimeFactory)                  \
  X(CouldNotDecode)                                    \
  X(CouldNotOpenFDD)                                   \
  X(CouldNotOpenMIM)                                   \
  X(DeletePrivilegeNotHeld)                            \
  X(DesignatorIsHLAstandardMIM)                        \
  X(ErrorReadingFDD)                                   \
  X(ErrorReadingMIM)                                   \
  X(FederateAlreadyExecutionMember)                    \
  X(FederateHandleNotKnown)                            \
  X(FederateHasNotBegunSave)                           \
  X(FederateIsExecutionMember)                         \
  X(FederateNameAlreadyInUse)                          \
  X(FederateNotExecutionMember)                        \
  X(FederateOwnsAttributes)                            \
  X(FederateServiceInvocationsAreBeingReportedViaMOM)  \
  X(FederateUnableToUseTime)                           \
  X(FederatesCurrentlyJoined)                          \
  X(FederationExecutionAlreadyExists)                  \
  X(FederationExecutionDoesNotExist)                   \
  X(IllegalName)                                       \
  X(InTimeAdvancingState)                              \
  X(InconsistentFDD)                                   \
  X(InteractionClassAlreadyBeingChanged)               \
  X(InteractionClassNotDefined)                        \
  X(InteractionClassNotPublished)                      \
  X(InteractionParameterNotDefined)                    \
  X(InteractionRelevanceAdvisorySwitchIsOff)           \
  X(InteractionRelevanceAdvisorySwitchIsOn)            \
  X(InvalidAttributeHandle)                            \
  X(InvalidDimensionHandle)                            \
  X(InvalidFederateHandle)                             \
  X(InvalidInteractionClassHandle)                     \
  X(InvalidLocalSettingsDesignator)                    \
  X(InvalidLogicalTime)                                \
  X(InvalidLookahead)                                  \
  X(InvalidMessageRetractionHandle)                    \
  X(InvalidObjectClassHandle)                          \
  X(InvalidOrderName)                                  \
  X(InvalidOrderType)                                  \
  X(InvalidParameterHandle)                            \
  X(InvalidRangeBound)                                 \
  X(InvalidRegion)                                     \
  X(InvalidRegionContext)                              \
  X(InvalidResignAction)                               \
  X(InvalidServiceGroup)                               \
  X(InvalidTransportationName)                         \
  X(InvalidTransportationType)                         \
  X(InvalidUpdateRateDesignator)                       \
  X(LogicalTimeAlreadyPassed)                          \
  X(MessageCanNoLongerBeRetracted)                     \
  X(NameNotFound)                                      \
  X(NameSetWasEmpty)                                   \
  X(NoAcquisitionPending)                              \
  X(NotConnected)                                      \
  X(ObjectClassNotDefined)                             \
  X(ObjectClassNotPublished)                           \
  X(ObjectClassRelevanceAdvisorySwitchIsOff)           \
  X(ObjectClassRelevanceAdvisorySwitchIsOn)            \
  X(ObjectInstanceNameInUse)                           \
  X(ObjectInstanceNameNotReserved)                     \
  X(ObjectInstanceNotKnown)                            \
  X(OwnershipAcquisitionPending)                       \
  X(RTIinternalError)                                  \
  X(RegionDoesNotContainSpecifiedDimension)            \
  X(RegionInUseForUpdateOrSubscription)                \
  X(RegionNotCreatedByThisFederate)                    \
  X(RequestForTimeConstrainedPending)                  \
  X(RequestForTimeRegulationPending)                   \
  X(RestoreInProgress)                                 \
  X(RestoreNotInProgress)                              \
  X(RestoreNotRequested)                               \
  X(SaveInProgress)                                    \
  X(SaveNotInProgress)                                 \
  X(SaveNotInitiated)                                  \
  X(SynchronizationPointLabelNotAnnounced)             \
  X(TimeConstrainedAlreadyEnabled)                     \
  X(TimeConstrainedIsNotEnabled)                       \
  X(TimeRegulationAlreadyEnabled)                      \
  X(TimeRegulationIsNotEnabled)                        \
  X(UnsupportedCallbackModel)
// clang-format on

enum class Fault {
#define TUTTI_FAULT(name) name,
  TUTTI_FAULTS(TUTTI_FAULT)
#undef TUTTI_FAULT
};

/// The exception's name.
constexpr const char* nameOf(Fault fault) {
  switch (fault) {
#define TUTTI_NAME(name) \
  case Fault::name:      \
    return #name;
    TUTTI_FAULTS(TUTTI_NAME)
#undef TUTTI_NAME
  }
  return "RTIinternalError";
}

/// Ends a service; the API adapter turns it into the exception of the same name. It never leaves
/// the library.
struct ServiceFault {
  Fault fault;
  std::string text;
};

[[noreturn]] inline void fail(Fault fault, std::string text) {
  throw ServiceFault{fault, std::move(text)};
}

/// For a service of several steps, none of which may be left out because another failed: does them
/// all, then throws what the first one that failed has thrown.
class FirstFault {
 public:
  template <class Step>
  void guard(Step&& step) {
    try {
      step();
    } catch (const ServiceFault&) {
      keep();
    }
  }
  /// The one that is being caught.
  [[gnu::cold, gnu::noinline]] void keep() {
    if (!first_) first_ = std::current_exception();
  }
  void throwIfAny() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::exception_ptr first_;
};

}  // namespace tutti::core
