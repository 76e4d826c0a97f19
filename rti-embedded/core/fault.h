// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace tutti::core {

/// The standard's exceptions that the core can end a service with, by their names.
enum class Fault {
  AlreadyConnected,
  AsynchronousDeliveryAlreadyDisabled,
  AsynchronousDeliveryAlreadyEnabled,
  AttributeNotDefined,
  AttributeNotOwned,
  AttributeNotPublished,
  ConnectionFailed,
  CouldNotCreateLogicalTimeFactory,
  CouldNotOpenFDD,
  CouldNotOpenMIM,
  DeletePrivilegeNotHeld,
  DesignatorIsHLAstandardMIM,
  ErrorReadingFDD,
  ErrorReadingMIM,
  FederateAlreadyExecutionMember,
  FederateIsExecutionMember,
  FederateNameAlreadyInUse,
  FederateNotExecutionMember,
  FederatesCurrentlyJoined,
  FederationExecutionAlreadyExists,
  FederationExecutionDoesNotExist,
  IllegalName,
  InTimeAdvancingState,
  InconsistentFDD,
  InteractionClassNotDefined,
  InteractionClassNotPublished,
  InteractionParameterNotDefined,
  InvalidLogicalTime,
  InvalidLookahead,
  LogicalTimeAlreadyPassed,
  NameNotFound,
  NameSetWasEmpty,
  NotConnected,
  ObjectClassNotDefined,
  ObjectClassNotPublished,
  ObjectInstanceNameInUse,
  ObjectInstanceNameNotReserved,
  ObjectInstanceNotKnown,
  RTIinternalError,
  RequestForTimeConstrainedPending,
  RequestForTimeRegulationPending,
  SynchronizationPointLabelNotAnnounced,
  TimeConstrainedAlreadyEnabled,
  TimeConstrainedIsNotEnabled,
  TimeRegulationAlreadyEnabled,
  TimeRegulationIsNotEnabled,
  FederateOwnsAttributes,
  InvalidLocalSettingsDesignator,
};

/// Ends a service; the API adapter turns it into the exception of the same name. It never leaves
/// the library.
struct ServiceFault {
  Fault fault;
  std::string text;
};

[[noreturn]] inline void fail(Fault fault, std::string text) {
  throw ServiceFault{fault, std::move(text)};
}

}  // namespace tutti::core
