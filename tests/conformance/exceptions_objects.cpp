// SPDX-License-Identifier: GPL-3.0-or-later
// What the services of object and ownership management throw (clauses 6, 7).
#include "exceptions.h"

namespace exceptions {

void objectManagement(Table& on) {
  const ObjectInstanceHandle unknown;
  const InteractionClassHandle noInteraction;
  const HLAinteger64Time wrong(5);
  const auto seven = static_cast<TransportationType>(7);
  on(37, "IllegalName", [](Stage& s) { s.rti().reserveObjectInstanceName(L"HLAcar"); });
  on(38, "ObjectInstanceNameNotReserved",
     [](Stage& s) { s.rti().releaseObjectInstanceName(L"none"); });
  on(39, "IllegalName", [](Stage& s) {
    s.rti().reserveMultipleObjectInstanceName({L"fine", L"HLAcar"});
  });
  on(39, "NameSetWasEmpty", [](Stage& s) { s.rti().reserveMultipleObjectInstanceName({}); });
  on(40, "ObjectInstanceNameNotReserved",
     [](Stage& s) { s.rti().releaseMultipleObjectInstanceName({L"none"}); });
  on(41, "ObjectClassNotDefined",
     [](Stage& s) { s.rti().registerObjectInstance(ObjectClassHandle()); });
  on(41, "ObjectClassNotPublished", [](Stage& s) { s.rti().registerObjectInstance(s.depot); });
  on(42, "ObjectInstanceNameNotReserved+ObjectClassNotDefined",
     [](Stage& s) { s.rti().registerObjectInstance(ObjectClassHandle(), L"none"); });
  on(42, "ObjectInstanceNameNotReserved+ObjectClassNotPublished",
     [](Stage& s) { s.rti().registerObjectInstance(s.depot, L"none"); });
  on(42, "ObjectInstanceNameNotReserved",
     [](Stage& s) { s.rti().registerObjectInstance(s.vehicle, L"none"); });
  on(42, "ObjectInstanceNameInUse",
     [](Stage& s) { s.rti().registerObjectInstance(s.vehicle, L"car"); });
  on(42, "ObjectInstanceNameInUse+ObjectClassNotPublished",
     [](Stage& s) { s.rti().registerObjectInstance(s.depot, L"car"); });

  for (const int slot : {43, 44}) {
    const auto update = [&](const char* conditions, bool known, bool otherFederate,
                            std::vector<AttributeHandle Stage::*> attributes, int timeOf = 0) {
      if (slot == 43 && timeOf != 0) return;
      on(slot, conditions, [=](Stage& s) {
        std::vector<AttributeHandle> list;
        for (const auto attribute : attributes) list.push_back(s.*attribute);
        RTIambassador& rti = otherFederate ? s.other() : s.rti();
        const auto instance = known ? s.car : unknown;
        if (slot == 43) return rti.updateAttributeValues(instance, values(list), {});
        if (timeOf == 1) {  // of another representation
          rti.updateAttributeValues(instance, values(list), {}, wrong);
        } else if (timeOf == 2) {  // before what it may send
          s.a.regulate(5);
          rti.updateAttributeValues(instance, values(list), {}, Time(4));
        } else {
          rti.updateAttributeValues(instance, values(list), {}, Time(6));
        }
      });
    };
    update("ObjectInstanceNotKnown", false, false, {&Stage::position});
    update("AttributeNotDefined", true, false, {&Stage::position, &Stage::load});
    update("AttributeNotOwned", true, false, {&Stage::position, &Stage::fuel});
    update("AttributeNotOwned", true, true, {&Stage::position});
    update("AttributeNotOwned+AttributeNotDefined", true, false, {&Stage::fuel, &Stage::load});
    update("InvalidLogicalTime", true, false, {&Stage::position}, 1);
    update("InvalidLogicalTime", true, false, {&Stage::position}, 2);
    update("InvalidLogicalTime+ObjectInstanceNotKnown", false, false, {&Stage::position}, 1);
    update("InvalidLogicalTime+AttributeNotDefined", true, false, {&Stage::load}, 1);
    update("InvalidLogicalTime+AttributeNotOwned", true, false, {&Stage::fuel}, 1);
    update("InvalidLogicalTime+AttributeNotOwned", true, false, {&Stage::fuel}, 2);
  }
  for (const int slot : {45, 46}) {
    const auto send = [&](const char* conditions, InteractionClassHandle Stage::*interaction,
                          ParameterHandle Stage::*parameter, int timeOf = 0) {
      if (slot == 45 && timeOf != 0) return;
      on(slot, conditions, [=](Stage& s) {
        ParameterHandleValueMap map;
        if (parameter != nullptr) map[s.*parameter] = data("x");
        const auto which = interaction != nullptr ? s.*interaction : noInteraction;
        if (slot == 45) return s.rti().sendInteraction(which, map, {});
        if (timeOf == 1) {
          s.rti().sendInteraction(which, map, {}, wrong);
        } else if (timeOf == 2) {
          s.a.regulate(5);
          s.rti().sendInteraction(which, map, {}, Time(4));
        } else {
          s.rti().sendInteraction(which, map, {}, Time(6));
        }
      });
    };
    send("InteractionClassNotDefined", nullptr, nullptr);
    send("InteractionParameterNotDefined+InteractionClassNotDefined", nullptr, &Stage::text);
    send("InteractionParameterNotDefined", &Stage::message, &Stage::number);
    send("InteractionClassNotPublished", &Stage::hail, nullptr);
    send("InteractionClassNotPublished+InteractionParameterNotDefined", &Stage::hail, &Stage::text);
    send("InvalidLogicalTime", &Stage::event, &Stage::number, 1);
    send("InvalidLogicalTime", &Stage::event, &Stage::number, 2);
    send("InvalidLogicalTime+InteractionClassNotDefined", nullptr, nullptr, 1);
    send("InvalidLogicalTime+InteractionParameterNotDefined", &Stage::event, &Stage::text, 1);
    send("InvalidLogicalTime+InteractionClassNotPublished", &Stage::hail, nullptr, 1);
  }
  on(47, "ObjectInstanceNotKnown", [=](Stage& s) { s.rti().deleteObjectInstance(unknown, {}); });
  on(47, "DeletePrivilegeNotHeld", [](Stage& s) { s.other().deleteObjectInstance(s.car, {}); });
  on(48, "ObjectInstanceNotKnown",
     [=](Stage& s) { s.rti().deleteObjectInstance(unknown, {}, Time(5)); });
  on(48, "InvalidLogicalTime+ObjectInstanceNotKnown",
     [=](Stage& s) { s.rti().deleteObjectInstance(unknown, {}, wrong); });
  on(48, "DeletePrivilegeNotHeld",
     [](Stage& s) { s.other().deleteObjectInstance(s.car, {}, Time(5)); });
  on(48, "InvalidLogicalTime+DeletePrivilegeNotHeld",
     [=](Stage& s) { s.other().deleteObjectInstance(s.car, {}, wrong); });
  on(48, "InvalidLogicalTime", [=](Stage& s) { s.rti().deleteObjectInstance(s.car, {}, wrong); });
  on(48, "InvalidLogicalTime", [](Stage& s) {
    s.a.regulate(5);
    s.rti().deleteObjectInstance(s.car, {}, Time(4));
  });
  on(49, "ObjectInstanceNotKnown", [=](Stage& s) { s.rti().localDeleteObjectInstance(unknown); });
  on(49, "FederateOwnsAttributes", [](Stage& s) { s.rti().localDeleteObjectInstance(s.car); });
  on(50, "ObjectInstanceNotKnown+AttributeNotDefined",
     [=](Stage& s) { s.rti().requestAttributeValueUpdate(unknown, {s.load}, {}); });
  on(50, "AttributeNotDefined",
     [](Stage& s) { s.rti().requestAttributeValueUpdate(s.car, {s.load}, {}); });
  on(51, "ObjectClassNotDefined",
     [](Stage& s) { s.rti().requestAttributeValueUpdate(ObjectClassHandle(), {s.load}, {}); });
  on(51, "AttributeNotDefined",
     [](Stage& s) { s.rti().requestAttributeValueUpdate(s.vehicle, {s.load}, {}); });

  const auto transport = [&](const char* conditions, bool known,
                             std::vector<AttributeHandle Stage::*> attributes,
                             TransportationType type, bool twice = false) {
    on(52, conditions, [=](Stage& s) {
      AttributeHandleSet set;
      for (const auto attribute : attributes) set.insert(s.*attribute);
      if (twice) s.rti().requestAttributeTransportationTypeChange(s.car, {s.position}, RELIABLE);
      s.rti().requestAttributeTransportationTypeChange(known ? s.car : unknown, set, type);
    });
  };
  transport("ObjectInstanceNotKnown", false, {&Stage::position}, RELIABLE);
  transport("AttributeNotDefined", true, {&Stage::load}, RELIABLE);
  transport("AttributeNotOwned", true, {&Stage::fuel}, RELIABLE);
  transport("AttributeNotOwned+AttributeNotDefined", true, {&Stage::fuel, &Stage::load}, RELIABLE);
  transport("InvalidTransportationType", true, {&Stage::position}, seven);
  transport("ObjectInstanceNotKnown+InvalidTransportationType", false, {&Stage::position}, seven);
  transport("AttributeAlreadyBeingChanged", true, {&Stage::position}, BEST_EFFORT, true);
  transport("AttributeAlreadyBeingChanged+AttributeNotOwned", true,
            {&Stage::position, &Stage::fuel}, BEST_EFFORT, true);
  on(53, "ObjectInstanceNotKnown",
     [=](Stage& s) { s.rti().queryAttributeTransportationType(unknown, s.position); });
  on(53, "AttributeNotDefined",
     [](Stage& s) { s.rti().queryAttributeTransportationType(s.car, s.load); });
  on(54, "InteractionClassNotDefined", [=](Stage& s) {
    s.rti().requestInteractionTransportationTypeChange(noInteraction, RELIABLE);
  });
  on(54, "InteractionClassNotPublished",
     [](Stage& s) { s.rti().requestInteractionTransportationTypeChange(s.hail, RELIABLE); });
  on(54, "InvalidTransportationType",
     [=](Stage& s) { s.rti().requestInteractionTransportationTypeChange(s.message, seven); });
  on(54, "InteractionClassNotDefined+InvalidTransportationType",
     [=](Stage& s) { s.rti().requestInteractionTransportationTypeChange(noInteraction, seven); });
  on(54, "InteractionClassAlreadyBeingChanged", [](Stage& s) {
    s.rti().requestInteractionTransportationTypeChange(s.message, BEST_EFFORT);
    s.rti().requestInteractionTransportationTypeChange(s.message, BEST_EFFORT);
  });
  on(55, "InteractionClassNotDefined",
     [=](Stage& s) { s.rti().queryInteractionTransportationType(s.a.handle(), noInteraction); });
}

void ownershipManagement(Table& on) {
  const ObjectInstanceHandle unknown;
  using Change =
      std::function<void(RTIambassador&, ObjectInstanceHandle, const AttributeHandleSet&)>;
  const auto ifWanted = [](RTIambassador& rti, ObjectInstanceHandle object,
                           const AttributeHandleSet& set) {
    AttributeHandleSet divested;
    rti.attributeOwnershipDivestitureIfWanted(object, set, divested);
  };
  // By who must own the attributes.
  const std::vector<std::pair<int, Change>> byOwner = {
      {56,
       [](auto& r, auto o, auto& set) { r.unconditionalAttributeOwnershipDivestiture(o, set); }},
      {57,
       [](auto& r, auto o, auto& set) { r.negotiatedAttributeOwnershipDivestiture(o, set, {}); }},
      {58, [](auto& r, auto o, auto& set) { r.confirmDivestiture(o, set, {}); }},
      {61, [](auto& r, auto o, auto& set) { r.attributeOwnershipReleaseDenied(o, set); }},
      {62, ifWanted},
      {63, [](auto& r, auto o, auto& set) {
         r.cancelNegotiatedAttributeOwnershipDivestiture(o, set);
       }}};
  for (const auto& [slot, change] : byOwner) {
    on(slot, "ObjectInstanceNotKnown",
       [=, change = change](Stage& s) { change(s.rti(), unknown, {s.position}); });
    on(slot, "AttributeNotDefined", [change = change](Stage& s) {
      change(s.rti(), s.car, {s.position, s.load});
    });
    on(slot, "AttributeNotOwned",
       [change = change](Stage& s) { change(s.rti(), s.car, {s.fuel}); });
    on(slot, "AttributeNotOwned",
       [change = change](Stage& s) { change(s.other(), s.car, {s.position}); });
    on(slot, "AttributeNotOwned+AttributeNotDefined", [change = change](Stage& s) {
      change(s.rti(), s.car, {s.fuel, s.load});
    });
  }
  on(57, "AttributeAlreadyBeingDivested", [](Stage& s) {
    s.rti().negotiatedAttributeOwnershipDivestiture(s.car, {s.position}, {});
    s.rti().negotiatedAttributeOwnershipDivestiture(s.car, {s.position}, {});
  });
  on(58, "AttributeDivestitureWasNotRequested",
     [](Stage& s) { s.rti().confirmDivestiture(s.car, {s.position}, {}); });
  on(58, "NoAcquisitionPending", [](Stage& s) {
    s.rti().negotiatedAttributeOwnershipDivestiture(s.car, {s.position}, {});
    s.rti().confirmDivestiture(s.car, {s.position}, {});
  });
  on(63, "AttributeDivestitureWasNotRequested",
     [](Stage& s) { s.rti().cancelNegotiatedAttributeOwnershipDivestiture(s.car, {s.position}); });
  // By who wants them.
  const std::vector<std::pair<int, Change>> byOther = {
      {59, [](auto& r, auto o, auto& set) { r.attributeOwnershipAcquisition(o, set, {}); }},
      {60, [](auto& r, auto o, auto& set) { r.attributeOwnershipAcquisitionIfAvailable(o, set); }}};
  for (const auto& [slot, acquire] : byOther) {
    on(slot, "ObjectInstanceNotKnown",
       [=, acquire = acquire](Stage& s) { acquire(s.other(), unknown, {s.position}); });
    on(slot, "AttributeNotDefined",
       [acquire = acquire](Stage& s) { acquire(s.other(), s.car, {s.load}); });
    on(slot, "FederateOwnsAttributes",
       [acquire = acquire](Stage& s) { acquire(s.rti(), s.car, {s.position}); });
    on(slot, "ObjectClassNotPublished",
       [acquire = acquire](Stage& s) { acquire(s.other(), s.car, {s.position}); });
    on(slot, "ObjectClassNotPublished+AttributeNotDefined",
       [acquire = acquire](Stage& s) { acquire(s.other(), s.car, {s.load}); });
    on(slot, "AttributeNotPublished", [acquire = acquire](Stage& s) {
      s.b.publish("Vehicle", {"track"});
      acquire(s.other(), s.car, {s.position});
    });
  }
  const auto pending = [](Stage& s) {
    s.b.publish("Vehicle", {"position"});
    s.other().attributeOwnershipAcquisition(s.car, {s.position}, {});
  };
  on(60, "AttributeAlreadyBeingAcquired", [=](Stage& s) {
    pending(s);
    s.other().attributeOwnershipAcquisitionIfAvailable(s.car, {s.position});
  });
  on(64, "ObjectInstanceNotKnown",
     [=](Stage& s) { s.other().cancelAttributeOwnershipAcquisition(unknown, {s.position}); });
  on(64, "AttributeNotDefined",
     [](Stage& s) { s.other().cancelAttributeOwnershipAcquisition(s.car, {s.load}); });
  on(64, "AttributeAlreadyOwned",
     [](Stage& s) { s.rti().cancelAttributeOwnershipAcquisition(s.car, {s.position}); });
  on(64, "AttributeAcquisitionWasNotRequested",
     [](Stage& s) { s.other().cancelAttributeOwnershipAcquisition(s.car, {s.position}); });
  on(65, "ObjectInstanceNotKnown",
     [=](Stage& s) { s.rti().queryAttributeOwnership(unknown, s.position); });
  on(65, "AttributeNotDefined", [](Stage& s) { s.rti().queryAttributeOwnership(s.car, s.load); });
  on(66, "ObjectInstanceNotKnown",
     [=](Stage& s) { s.rti().isAttributeOwnedByFederate(unknown, s.position); });
  on(66, "AttributeNotDefined",
     [](Stage& s) { s.rti().isAttributeOwnedByFederate(s.car, s.load); });
  // Services of other clauses that an acquisition stands in the way of.
  on(11, "OwnershipAcquisitionPending", [=](Stage& s) {
    pending(s);
    s.other().resignFederationExecution(NO_ACTION);
  });
  on(28, "OwnershipAcquisitionPending", [=](Stage& s) {
    pending(s);
    s.other().unpublishObjectClass(s.vehicle);
  });
  on(29, "OwnershipAcquisitionPending", [=](Stage& s) {
    pending(s);
    s.other().unpublishObjectClassAttributes(s.vehicle, {s.position});
  });
  on(49, "OwnershipAcquisitionPending", [=](Stage& s) {
    pending(s);
    s.other().localDeleteObjectInstance(s.car);
  });
}

}  // namespace exceptions
