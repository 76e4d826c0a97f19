// SPDX-License-Identifier: Apache-2.0
#include "api1516e/ambassador_fault.h"

#include <RTI/Exception.h>

#include "api1516e/text.h"

namespace tutti::api1516e {

void throwFault(const core::ServiceFault& fault) {
  const std::wstring text = fromUtf8(fault.text);
  switch (fault.fault) {
    case core::Fault::AlreadyConnected:
      throw rti1516e::AlreadyConnected(text);
    case core::Fault::AsynchronousDeliveryAlreadyDisabled:
      throw rti1516e::AsynchronousDeliveryAlreadyDisabled(text);
    case core::Fault::AsynchronousDeliveryAlreadyEnabled:
      throw rti1516e::AsynchronousDeliveryAlreadyEnabled(text);
    case core::Fault::AttributeNotDefined:
      throw rti1516e::AttributeNotDefined(text);
    case core::Fault::AttributeNotOwned:
      throw rti1516e::AttributeNotOwned(text);
    case core::Fault::AttributeNotPublished:
      throw rti1516e::AttributeNotPublished(text);
    case core::Fault::ConnectionFailed:
      throw rti1516e::ConnectionFailed(text);
    case core::Fault::CouldNotCreateLogicalTimeFactory:
      throw rti1516e::CouldNotCreateLogicalTimeFactory(text);
    case core::Fault::CouldNotOpenFDD:
      throw rti1516e::CouldNotOpenFDD(text);
    case core::Fault::CouldNotOpenMIM:
      throw rti1516e::CouldNotOpenMIM(text);
    case core::Fault::DeletePrivilegeNotHeld:
      throw rti1516e::DeletePrivilegeNotHeld(text);
    case core::Fault::DesignatorIsHLAstandardMIM:
      throw rti1516e::DesignatorIsHLAstandardMIM(text);
    case core::Fault::ErrorReadingFDD:
      throw rti1516e::ErrorReadingFDD(text);
    case core::Fault::ErrorReadingMIM:
      throw rti1516e::ErrorReadingMIM(text);
    case core::Fault::FederateAlreadyExecutionMember:
      throw rti1516e::FederateAlreadyExecutionMember(text);
    case core::Fault::FederateIsExecutionMember:
      throw rti1516e::FederateIsExecutionMember(text);
    case core::Fault::FederateNameAlreadyInUse:
      throw rti1516e::FederateNameAlreadyInUse(text);
    case core::Fault::FederateNotExecutionMember:
      throw rti1516e::FederateNotExecutionMember(text);
    case core::Fault::FederatesCurrentlyJoined:
      throw rti1516e::FederatesCurrentlyJoined(text);
    case core::Fault::FederationExecutionAlreadyExists:
      throw rti1516e::FederationExecutionAlreadyExists(text);
    case core::Fault::FederationExecutionDoesNotExist:
      throw rti1516e::FederationExecutionDoesNotExist(text);
    case core::Fault::IllegalName:
      throw rti1516e::IllegalName(text);
    case core::Fault::InTimeAdvancingState:
      throw rti1516e::InTimeAdvancingState(text);
    case core::Fault::InconsistentFDD:
      throw rti1516e::InconsistentFDD(text);
    case core::Fault::InteractionClassNotDefined:
      throw rti1516e::InteractionClassNotDefined(text);
    case core::Fault::InteractionClassNotPublished:
      throw rti1516e::InteractionClassNotPublished(text);
    case core::Fault::InteractionParameterNotDefined:
      throw rti1516e::InteractionParameterNotDefined(text);
    case core::Fault::InvalidLogicalTime:
      throw rti1516e::InvalidLogicalTime(text);
    case core::Fault::InvalidLookahead:
      throw rti1516e::InvalidLookahead(text);
    case core::Fault::LogicalTimeAlreadyPassed:
      throw rti1516e::LogicalTimeAlreadyPassed(text);
    case core::Fault::NameNotFound:
      throw rti1516e::NameNotFound(text);
    case core::Fault::NameSetWasEmpty:
      throw rti1516e::NameSetWasEmpty(text);
    case core::Fault::NotConnected:
      throw rti1516e::NotConnected(text);
    case core::Fault::ObjectClassNotDefined:
      throw rti1516e::ObjectClassNotDefined(text);
    case core::Fault::ObjectClassNotPublished:
      throw rti1516e::ObjectClassNotPublished(text);
    case core::Fault::ObjectInstanceNameInUse:
      throw rti1516e::ObjectInstanceNameInUse(text);
    case core::Fault::ObjectInstanceNameNotReserved:
      throw rti1516e::ObjectInstanceNameNotReserved(text);
    case core::Fault::ObjectInstanceNotKnown:
      throw rti1516e::ObjectInstanceNotKnown(text);
    case core::Fault::RTIinternalError:
      throw rti1516e::RTIinternalError(text);
    case core::Fault::RequestForTimeConstrainedPending:
      throw rti1516e::RequestForTimeConstrainedPending(text);
    case core::Fault::RequestForTimeRegulationPending:
      throw rti1516e::RequestForTimeRegulationPending(text);
    case core::Fault::SynchronizationPointLabelNotAnnounced:
      throw rti1516e::SynchronizationPointLabelNotAnnounced(text);
    case core::Fault::TimeConstrainedAlreadyEnabled:
      throw rti1516e::TimeConstrainedAlreadyEnabled(text);
    case core::Fault::TimeConstrainedIsNotEnabled:
      throw rti1516e::TimeConstrainedIsNotEnabled(text);
    case core::Fault::TimeRegulationAlreadyEnabled:
      throw rti1516e::TimeRegulationAlreadyEnabled(text);
    case core::Fault::TimeRegulationIsNotEnabled:
      throw rti1516e::TimeRegulationIsNotEnabled(text);
    case core::Fault::FederateOwnsAttributes:
      throw rti1516e::FederateOwnsAttributes(text);
    case core::Fault::InvalidLocalSettingsDesignator:
      throw rti1516e::InvalidLocalSettingsDesignator(text);
  }
  throw rti1516e::RTIinternalError(text);
}

}  // namespace tutti::api1516e
