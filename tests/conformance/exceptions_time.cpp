// SPDX-License-Identifier: GPL-3.0-or-later
// What the services of time management and the support services throw (clauses 8, 10).
#include "exceptions.h"

namespace exceptions {

void timeManagement(Table& on) {
  const HLAinteger64Time wrong(5);
  const auto pendingRegulation = [](Stage& s) { s.rti().enableTimeRegulation(Interval(1)); };
  const auto pendingConstrained = [](Stage& s) { s.rti().enableTimeConstrained(); };
  const auto advancing = [](Stage& s) { s.rti().timeAdvanceRequest(Time(5)); };
  on(67, "InvalidLookahead",
     [](Stage& s) { s.rti().enableTimeRegulation(HLAinteger64Interval(1)); });
  on(67, "InvalidLookahead", [](Stage& s) { s.rti().enableTimeRegulation(Interval(-1)); });
  on(67, "InTimeAdvancingState", [=](Stage& s) {
    advancing(s);
    s.rti().enableTimeRegulation(Interval(1));
  });
  on(67, "InvalidLookahead+InTimeAdvancingState", [=](Stage& s) {
    advancing(s);
    s.rti().enableTimeRegulation(Interval(-1));
  });
  on(67, "InvalidLookahead+RequestForTimeRegulationPending", [=](Stage& s) {
    pendingRegulation(s);
    s.rti().enableTimeRegulation(Interval(-1));
  });
  on(67, "InvalidLookahead+TimeRegulationAlreadyEnabled", [](Stage& s) {
    s.a.regulate(1);
    s.rti().enableTimeRegulation(Interval(-1));
  });
  on(67, "InTimeAdvancingState+TimeRegulationAlreadyEnabled", [=](Stage& s) {
    s.a.regulate(1);
    advancing(s);
    s.rti().enableTimeRegulation(Interval(1));
  });
  on(68, "TimeRegulationIsNotEnabled", [](Stage& s) { s.rti().disableTimeRegulation(); });
  on(69, "InTimeAdvancingState", [=](Stage& s) {
    advancing(s);
    s.rti().enableTimeConstrained();
  });
  on(69, "RequestForTimeConstrainedPending", [=](Stage& s) {
    pendingConstrained(s);
    s.rti().enableTimeConstrained();
  });
  on(69, "InTimeAdvancingState+TimeConstrainedAlreadyEnabled", [=](Stage& s) {
    s.a.constrain();
    advancing(s);
    s.rti().enableTimeConstrained();
  });
  on(70, "TimeConstrainedIsNotEnabled", [](Stage& s) { s.rti().disableTimeConstrained(); });

  using Request = void (RTIambassador::*)(const LogicalTime&);
  const std::vector<std::pair<int, Request>> requests = {
      {71, &RTIambassador::timeAdvanceRequest},
      {72, &RTIambassador::timeAdvanceRequestAvailable},
      {73, &RTIambassador::nextMessageRequest},
      {74, &RTIambassador::nextMessageRequestAvailable},
      {75, &RTIambassador::flushQueueRequest}};
  for (const auto& [slot, request] : requests) {
    const auto refused = [&, request = request](const char* conditions, const Step& arrange,
                                                bool wrongType, double time) {
      on(slot, conditions, [=](Stage& s) {
        arrange(s);
        if (wrongType) {
          (s.rti().*request)(wrong);
        } else {
          (s.rti().*request)(Time(time));
        }
      });
    };
    const Step at5 = [](Stage& s) { s.a.advance(5); };
    refused("LogicalTimeAlreadyPassed", at5, false, 4);
    refused("InvalidLogicalTime", at5, true, 0);
    refused("InTimeAdvancingState", advancing, false, 6);
    refused("InvalidLogicalTime+InTimeAdvancingState", advancing, true, 0);
    refused(
        "LogicalTimeAlreadyPassed+InTimeAdvancingState",
        [=](Stage& s) {
          at5(s);
          s.rti().timeAdvanceRequest(Time(6));
        },
        false, 4);
    refused("RequestForTimeRegulationPending", pendingRegulation, false, 5);
    refused("InvalidLogicalTime+RequestForTimeRegulationPending", pendingRegulation, true, 0);
    refused("RequestForTimeConstrainedPending", pendingConstrained, false, 5);
    refused(
        "RequestForTimeRegulationPending+RequestForTimeConstrainedPending",
        [=](Stage& s) {
          pendingRegulation(s);
          pendingConstrained(s);
        },
        false, 5);
  }
  on(76, "AsynchronousDeliveryAlreadyEnabled", [](Stage& s) {
    s.rti().enableAsynchronousDelivery();
    s.rti().enableAsynchronousDelivery();
  });
  on(77, "AsynchronousDeliveryAlreadyDisabled",
     [](Stage& s) { s.rti().disableAsynchronousDelivery(); });
  on(81, "TimeRegulationIsNotEnabled", [](Stage& s) { s.rti().modifyLookahead(Interval(1)); });
  on(81, "InvalidLookahead+TimeRegulationIsNotEnabled",
     [](Stage& s) { s.rti().modifyLookahead(Interval(-1)); });
  on(81, "InvalidLookahead", [](Stage& s) {
    s.a.regulate(1);
    s.rti().modifyLookahead(Interval(-1));
  });
  on(81, "InvalidLookahead+InTimeAdvancingState", [=](Stage& s) {
    s.a.regulate(1);
    advancing(s);
    s.rti().modifyLookahead(HLAinteger64Interval(1));
  });
  on(82, "TimeRegulationIsNotEnabled", [](Stage& s) {
    Interval lookahead;
    s.rti().queryLookahead(lookahead);
  });
  on(83, "InvalidMessageRetractionHandle+TimeRegulationIsNotEnabled",
     [](Stage& s) { s.rti().retract(MessageRetractionHandle()); });
  on(83, "InvalidMessageRetractionHandle", [](Stage& s) {
    s.a.regulate(1);
    s.rti().retract(MessageRetractionHandle());
  });
  on(83, "MessageCanNoLongerBeRetracted", [](Stage& s) {
    s.a.regulate(1);
    const auto handle = s.a.send("Event", {}, 3);
    s.a.advance(5);
    s.rti().retract(handle);
  });
  on(83, "MessageCanNoLongerBeRetracted+TimeRegulationIsNotEnabled", [](Stage& s) {
    s.a.regulate(1);
    const auto handle = s.a.send("Event", {}, 3);
    s.a.advance(5);
    s.rti().disableTimeRegulation();
    s.rti().retract(handle);
  });
  on(84, "ObjectInstanceNotKnown", [](Stage& s) {
    s.rti().changeAttributeOrderType(ObjectInstanceHandle(), {s.position}, RECEIVE);
  });
  on(84, "AttributeNotDefined",
     [](Stage& s) { s.rti().changeAttributeOrderType(s.car, {s.load}, RECEIVE); });
  on(84, "AttributeNotOwned",
     [](Stage& s) { s.rti().changeAttributeOrderType(s.car, {s.fuel}, RECEIVE); });
  on(84, "AttributeNotOwned+AttributeNotDefined", [](Stage& s) {
    s.rti().changeAttributeOrderType(s.car, {s.fuel, s.load}, RECEIVE);
  });
  on(85, "InteractionClassNotDefined",
     [](Stage& s) { s.rti().changeInteractionOrderType(InteractionClassHandle(), RECEIVE); });
  on(85, "InteractionClassNotPublished",
     [](Stage& s) { s.rti().changeInteractionOrderType(s.hail, RECEIVE); });
}

void supportServices(Table& on) {
  const ObjectClassHandle noClass;
  const InteractionClassHandle noInteraction;
  const AttributeHandle noAttribute;
  on(101, "InvalidResignAction",
     [](Stage& s) { s.rti().setAutomaticResignDirective(static_cast<ResignAction>(42)); });
  on(102, "NameNotFound", [](Stage& s) { s.rti().getFederateHandle(L"none"); });
  on(103, "InvalidFederateHandle", [](Stage& s) { s.rti().getFederateName(FederateHandle()); });
  on(103, "FederateHandleNotKnown", [](Stage& s) {
    Member c("c");
    const QString elsewhere = uniqueName("exceptions");
    c.enter(elsewhere);
    std::vector<std::unique_ptr<Member>> more;
    while (c.handle() == s.a.handle() || c.handle() == s.b.handle()) {
      c.rti().resignFederationExecution(NO_ACTION);
      c.join(elsewhere);
    }
    s.rti().getFederateName(c.handle());
  });
  on(104, "NameNotFound", [](Stage& s) { s.rti().getObjectClassHandle(L"none"); });
  on(105, "InvalidObjectClassHandle", [=](Stage& s) { s.rti().getObjectClassName(noClass); });
  on(106, "ObjectInstanceNotKnown",
     [](Stage& s) { s.rti().getKnownObjectClassHandle(ObjectInstanceHandle()); });
  on(107, "ObjectInstanceNotKnown", [](Stage& s) { s.rti().getObjectInstanceHandle(L"none"); });
  on(108, "ObjectInstanceNotKnown",
     [](Stage& s) { s.rti().getObjectInstanceName(ObjectInstanceHandle()); });
  on(109, "NameNotFound+InvalidObjectClassHandle",
     [=](Stage& s) { s.rti().getAttributeHandle(noClass, L"none"); });
  on(109, "NameNotFound", [](Stage& s) { s.rti().getAttributeHandle(s.vehicle, L"none"); });
  on(110, "InvalidAttributeHandle+InvalidObjectClassHandle",
     [=](Stage& s) { s.rti().getAttributeName(noClass, noAttribute); });
  on(110, "InvalidAttributeHandle",
     [=](Stage& s) { s.rti().getAttributeName(s.vehicle, noAttribute); });
  on(110, "AttributeNotDefined", [](Stage& s) { s.rti().getAttributeName(s.vehicle, s.load); });
  on(111, "InvalidUpdateRateDesignator", [](Stage& s) { s.rti().getUpdateRateValue(L"none"); });
  on(113, "NameNotFound", [](Stage& s) { s.rti().getInteractionClassHandle(L"none"); });
  on(114, "InvalidInteractionClassHandle",
     [=](Stage& s) { s.rti().getInteractionClassName(noInteraction); });
  on(115, "NameNotFound+InvalidInteractionClassHandle",
     [=](Stage& s) { s.rti().getParameterHandle(noInteraction, L"none"); });
  on(115, "NameNotFound", [](Stage& s) { s.rti().getParameterHandle(s.message, L"none"); });
  on(116, "InvalidParameterHandle+InvalidInteractionClassHandle",
     [=](Stage& s) { s.rti().getParameterName(noInteraction, ParameterHandle()); });
  on(116, "InvalidParameterHandle",
     [](Stage& s) { s.rti().getParameterName(s.message, ParameterHandle()); });
  on(116, "InteractionParameterNotDefined",
     [](Stage& s) { s.rti().getParameterName(s.message, s.number); });
  on(117, "InvalidOrderName", [](Stage& s) { s.rti().getOrderType(L"none"); });
  on(118, "InvalidOrderType", [](Stage& s) { s.rti().getOrderName(static_cast<OrderType>(42)); });
  on(119, "InvalidTransportationName", [](Stage& s) { s.rti().getTransportationType(L"none"); });
  on(120, "InvalidTransportationType",
     [](Stage& s) { s.rti().getTransportationName(static_cast<TransportationType>(42)); });
  on(121, "InvalidAttributeHandle+InvalidObjectClassHandle",
     [=](Stage& s) { s.rti().getAvailableDimensionsForClassAttribute(noClass, noAttribute); });
  on(121, "InvalidAttributeHandle",
     [=](Stage& s) { s.rti().getAvailableDimensionsForClassAttribute(s.vehicle, noAttribute); });
  on(121, "AttributeNotDefined",
     [](Stage& s) { s.rti().getAvailableDimensionsForClassAttribute(s.vehicle, s.load); });
  on(122, "InvalidInteractionClassHandle",
     [=](Stage& s) { s.rti().getAvailableDimensionsForInteractionClass(noInteraction); });
  on(123, "NameNotFound", [](Stage& s) { s.rti().getDimensionHandle(L"none"); });
  on(124, "InvalidDimensionHandle", [](Stage& s) { s.rti().getDimensionName(DimensionHandle()); });
  on(125, "InvalidDimensionHandle",
     [](Stage& s) { s.rti().getDimensionUpperBound(DimensionHandle()); });
  on(129, "InvalidFederateHandle",
     [](Stage& s) { s.rti().normalizeFederateHandle(FederateHandle()); });
  on(130, "InvalidServiceGroup",
     [](Stage& s) { s.rti().normalizeServiceGroup(static_cast<ServiceGroup>(42)); });
  on(131, "ObjectClassRelevanceAdvisorySwitchIsOn",
     [](Stage& s) { s.rti().enableObjectClassRelevanceAdvisorySwitch(); });
  on(132, "ObjectClassRelevanceAdvisorySwitchIsOff", [](Stage& s) {
    s.rti().disableObjectClassRelevanceAdvisorySwitch();
    s.rti().disableObjectClassRelevanceAdvisorySwitch();
  });
  on(137, "InteractionRelevanceAdvisorySwitchIsOn",
     [](Stage& s) { s.other().enableInteractionRelevanceAdvisorySwitch(); });
  on(138, "InteractionRelevanceAdvisorySwitchIsOff",
     [](Stage& s) { s.rti().disableInteractionRelevanceAdvisorySwitch(); });
  on(139, "CallNotAllowedFromWithinCallback",
     [](Stage& s) { s.within([&] { s.rti().evokeCallback(0); }); });
  on(140, "CallNotAllowedFromWithinCallback",
     [](Stage& s) { s.within([&] { s.rti().evokeMultipleCallbacks(0, 0); }); });
  const VariableLengthData rubbish("rubbish", 7);
  on(144, "CouldNotDecode", [=](Stage& s) { s.rti().decodeFederateHandle(rubbish); });
  on(145, "CouldNotDecode", [=](Stage& s) { s.rti().decodeObjectClassHandle(rubbish); });
  on(146, "CouldNotDecode", [=](Stage& s) { s.rti().decodeInteractionClassHandle(rubbish); });
  on(147, "CouldNotDecode", [=](Stage& s) { s.rti().decodeObjectInstanceHandle(rubbish); });
  on(148, "CouldNotDecode", [=](Stage& s) { s.rti().decodeAttributeHandle(rubbish); });
  on(149, "CouldNotDecode", [=](Stage& s) { s.rti().decodeParameterHandle(rubbish); });
  on(150, "CouldNotDecode", [=](Stage& s) { s.rti().decodeDimensionHandle(rubbish); });
  on(151, "CouldNotDecode", [=](Stage& s) { s.rti().decodeMessageRetractionHandle(rubbish); });
  on(152, "CouldNotDecode", [=](Stage& s) { s.rti().decodeRegionHandle(rubbish); });
}

}  // namespace exceptions
