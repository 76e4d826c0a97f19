// SPDX-License-Identifier: GPL-3.0-or-later
#include "service_calls.h"

#include <RTI/RangeBounds.h>
#include <RTI/time/HLAinteger64Interval.h>
#include <RTI/time/HLAinteger64Time.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

using namespace rti1516e;

std::vector<ServiceCall> serviceCalls(FederateAmbassador& callbacks) {
  const std::wstring word = L"nothing";
  const VariableLengthData tag;
  const HLAinteger64Time time(1);
  const HLAinteger64Interval interval(1);
  const ObjectClassHandle objectClass;
  const InteractionClassHandle interaction;
  const ObjectInstanceHandle instance;
  const AttributeHandle attribute;
  const AttributeHandleSet attributes{attribute};
  const AttributeHandleValueMap values{{attribute, tag}};
  const ParameterHandle parameter;
  const ParameterHandleValueMap parameters{{parameter, tag}};
  const DimensionHandle dimension;
  const RegionHandle region;
  const RegionHandleSet regions{region};
  const AttributeHandleSetRegionHandleSetPairVector pairs{{attributes, regions}};
  const FederateHandle federate;
  const std::set<std::wstring> names{word};
  std::vector<ServiceCall> calls;
  int slot = 2;  // after the destructors; the calls stand in the order of the table
  const auto add = [&](const char* service, std::function<void(RTIambassador&)> call) {
    calls.push_back({service, slot++, std::move(call)});
  };
#define CALL(service, ...) add(#service, [=](RTIambassador& rti) { rti.service(__VA_ARGS__); })
  add("connect", [&callbacks](RTIambassador& rti) { rti.connect(callbacks, HLA_EVOKED); });
  CALL(disconnect);
  CALL(createFederationExecution, word, word);
  CALL(createFederationExecution, word, std::vector<std::wstring>{word});
  CALL(createFederationExecutionWithMIM, word, std::vector<std::wstring>{word}, word);
  CALL(destroyFederationExecution, word);
  CALL(listFederationExecutions);
  CALL(joinFederationExecution, word, word);
  CALL(joinFederationExecution, word, word, word);
  CALL(resignFederationExecution, static_cast<ResignAction>(42));
  CALL(registerFederationSynchronizationPoint, word, tag);
  CALL(registerFederationSynchronizationPoint, word, tag, FederateHandleSet{federate});
  CALL(synchronizationPointAchieved, word);
  CALL(requestFederationSave, word);
  CALL(requestFederationSave, word, time);
  CALL(federateSaveBegun);
  CALL(federateSaveComplete);
  CALL(federateSaveNotComplete);
  CALL(abortFederationSave);
  CALL(queryFederationSaveStatus);
  CALL(requestFederationRestore, word);
  CALL(federateRestoreComplete);
  CALL(federateRestoreNotComplete);
  CALL(abortFederationRestore);
  CALL(queryFederationRestoreStatus);
  CALL(publishObjectClassAttributes, objectClass, attributes);
  CALL(unpublishObjectClass, objectClass);
  CALL(unpublishObjectClassAttributes, objectClass, attributes);
  CALL(publishInteractionClass, interaction);
  CALL(unpublishInteractionClass, interaction);
  CALL(subscribeObjectClassAttributes, objectClass, attributes);
  CALL(unsubscribeObjectClass, objectClass);
  CALL(unsubscribeObjectClassAttributes, objectClass, attributes);
  CALL(subscribeInteractionClass, interaction);
  CALL(unsubscribeInteractionClass, interaction);
  CALL(reserveObjectInstanceName, L"HLA");
  CALL(releaseObjectInstanceName, word);
  CALL(reserveMultipleObjectInstanceName, std::set<std::wstring>{});
  CALL(releaseMultipleObjectInstanceName, names);
  CALL(registerObjectInstance, objectClass);
  CALL(registerObjectInstance, objectClass, word);
  CALL(updateAttributeValues, instance, values, tag);
  CALL(updateAttributeValues, instance, values, tag, time);
  CALL(sendInteraction, interaction, parameters, tag);
  CALL(sendInteraction, interaction, parameters, tag, time);
  CALL(deleteObjectInstance, instance, tag);
  CALL(deleteObjectInstance, instance, tag, time);
  CALL(localDeleteObjectInstance, instance);
  CALL(requestAttributeValueUpdate, instance, attributes, tag);
  CALL(requestAttributeValueUpdate, objectClass, attributes, tag);
  CALL(requestAttributeTransportationTypeChange, instance, attributes, RELIABLE);
  CALL(queryAttributeTransportationType, instance, attribute);
  CALL(requestInteractionTransportationTypeChange, interaction, RELIABLE);
  CALL(queryInteractionTransportationType, federate, interaction);
  CALL(unconditionalAttributeOwnershipDivestiture, instance, attributes);
  CALL(negotiatedAttributeOwnershipDivestiture, instance, attributes, tag);
  CALL(confirmDivestiture, instance, attributes, tag);
  CALL(attributeOwnershipAcquisition, instance, attributes, tag);
  CALL(attributeOwnershipAcquisitionIfAvailable, instance, attributes);
  CALL(attributeOwnershipReleaseDenied, instance, attributes);
  add("attributeOwnershipDivestitureIfWanted", [=](RTIambassador& rti) {
    AttributeHandleSet divested;
    rti.attributeOwnershipDivestitureIfWanted(instance, attributes, divested);
  });
  CALL(cancelNegotiatedAttributeOwnershipDivestiture, instance, attributes);
  CALL(cancelAttributeOwnershipAcquisition, instance, attributes);
  CALL(queryAttributeOwnership, instance, attribute);
  CALL(isAttributeOwnedByFederate, instance, attribute);
  CALL(enableTimeRegulation, interval);
  CALL(disableTimeRegulation);
  CALL(enableTimeConstrained);
  CALL(disableTimeConstrained);
  CALL(timeAdvanceRequest, time);
  CALL(timeAdvanceRequestAvailable, time);
  CALL(nextMessageRequest, time);
  CALL(nextMessageRequestAvailable, time);
  CALL(flushQueueRequest, time);
  CALL(enableAsynchronousDelivery);
  CALL(disableAsynchronousDelivery);
  for (const auto& [service, query] :
       {std::pair<const char*, bool (RTIambassador::*)(LogicalTime&)>{"queryGALT",
                                                                      &RTIambassador::queryGALT},
        {"queryLogicalTime", nullptr},
        {"queryLITS", &RTIambassador::queryLITS}}) {
    add(service, [query = query](RTIambassador& rti) {
      HLAinteger64Time result;
      if (query != nullptr) {
        (rti.*query)(result);
      } else {
        rti.queryLogicalTime(result);
      }
    });
  }
  CALL(modifyLookahead, interval);
  add("queryLookahead", [](RTIambassador& rti) {
    HLAinteger64Interval result;
    rti.queryLookahead(result);
  });
  CALL(retract, MessageRetractionHandle());
  CALL(changeAttributeOrderType, instance, attributes, RECEIVE);
  CALL(changeInteractionOrderType, interaction, RECEIVE);
  CALL(createRegion, DimensionHandleSet{dimension});
  CALL(commitRegionModifications, regions);
  CALL(deleteRegion, region);
  CALL(registerObjectInstanceWithRegions, objectClass, pairs);
  CALL(registerObjectInstanceWithRegions, objectClass, pairs, word);
  CALL(associateRegionsForUpdates, instance, pairs);
  CALL(unassociateRegionsForUpdates, instance, pairs);
  CALL(subscribeObjectClassAttributesWithRegions, objectClass, pairs);
  CALL(unsubscribeObjectClassAttributesWithRegions, objectClass, pairs);
  CALL(subscribeInteractionClassWithRegions, interaction, regions);
  CALL(unsubscribeInteractionClassWithRegions, interaction, regions);
  CALL(sendInteractionWithRegions, interaction, parameters, regions, tag);
  CALL(sendInteractionWithRegions, interaction, parameters, regions, tag, time);
  CALL(requestAttributeValueUpdateWithRegions, objectClass, pairs, tag);
  CALL(getAutomaticResignDirective);
  CALL(setAutomaticResignDirective, static_cast<ResignAction>(42));
  CALL(getFederateHandle, word);
  CALL(getFederateName, federate);
  CALL(getObjectClassHandle, word);
  CALL(getObjectClassName, objectClass);
  CALL(getKnownObjectClassHandle, instance);
  CALL(getObjectInstanceHandle, word);
  CALL(getObjectInstanceName, instance);
  CALL(getAttributeHandle, objectClass, word);
  CALL(getAttributeName, objectClass, attribute);
  CALL(getUpdateRateValue, word);
  CALL(getUpdateRateValueForAttribute, instance, attribute);
  CALL(getInteractionClassHandle, word);
  CALL(getInteractionClassName, interaction);
  CALL(getParameterHandle, interaction, word);
  CALL(getParameterName, interaction, parameter);
  CALL(getOrderType, word);
  CALL(getOrderName, static_cast<OrderType>(42));
  CALL(getTransportationType, word);
  CALL(getTransportationName, static_cast<TransportationType>(42));
  CALL(getAvailableDimensionsForClassAttribute, objectClass, attribute);
  CALL(getAvailableDimensionsForInteractionClass, interaction);
  CALL(getDimensionHandle, word);
  CALL(getDimensionName, dimension);
  CALL(getDimensionUpperBound, dimension);
  CALL(getDimensionHandleSet, region);
  CALL(getRangeBounds, region, dimension);
  CALL(setRangeBounds, region, dimension, RangeBounds(0, 1));
  CALL(normalizeFederateHandle, federate);
  CALL(normalizeServiceGroup, static_cast<ServiceGroup>(42));
  CALL(enableObjectClassRelevanceAdvisorySwitch);
  CALL(disableObjectClassRelevanceAdvisorySwitch);
  CALL(enableAttributeRelevanceAdvisorySwitch);
  CALL(disableAttributeRelevanceAdvisorySwitch);
  CALL(enableAttributeScopeAdvisorySwitch);
  CALL(disableAttributeScopeAdvisorySwitch);
  CALL(enableInteractionRelevanceAdvisorySwitch);
  CALL(disableInteractionRelevanceAdvisorySwitch);
  CALL(evokeCallback, 0.0);
  CALL(evokeMultipleCallbacks, 0.0, 0.0);
  CALL(enableCallbacks);
  CALL(disableCallbacks);
  CALL(getTimeFactory);
  CALL(decodeFederateHandle, tag);
  CALL(decodeObjectClassHandle, tag);
  CALL(decodeInteractionClassHandle, tag);
  CALL(decodeObjectInstanceHandle, tag);
  CALL(decodeAttributeHandle, tag);
  CALL(decodeParameterHandle, tag);
  CALL(decodeDimensionHandle, tag);
  CALL(decodeMessageRetractionHandle, tag);
  CALL(decodeRegionHandle, tag);
#undef CALL
  return calls;
}
