// SPDX-License-Identifier: GPL-3.0-or-later
// Which exception each function of RTIambassador throws, and which of two when both apply: the one
// that stands later in the function's list
// (docs/decisions/0010-exceptions-from-the-end-of-the-list.md). A row for each exception of each
// function that a federate can provoke; the others are named with the reason.
#include <RTI/RangeBounds.h>
#include <RTI/time/HLAinteger64Interval.h>

#include "member.h"
#include "service_calls.h"

using namespace rti1516e;

namespace {

using Time = HLAfloat64Time;
using Interval = HLAfloat64Interval;

/// Says when a save or restore asks something of it.
class Saver : public Member {
 public:
  using Member::Member;
  ~Saver() RTI_NOEXCEPT override { end(); }
  void initiateFederateSave(const std::wstring&) override { write("initiate save"); }
  void federationSaved() override { write("saved"); }
  void initiateFederateRestore(const std::wstring&, const std::wstring&, FederateHandle) override {
    write("initiate restore");
  }
};

/// A federation of two: `a`, whom most rows are about, publishes and owns; `b` looks on.
struct Stage {
  Stage() : federation(uniqueName("exceptions")) {
    a.enter(federation);
    b.enter(federation);
    a.rti().disableInteractionRelevanceAdvisorySwitch();
    a.publish("Vehicle", {"position", "track"});
    a.publishInteraction("Message");
    a.publishInteraction("Event");
    b.publishInteraction("Message");
    b.subscribe("Vehicle", {"position", "track"});
    a.subscribeInteraction("Message");
    car = a.registerNamed("Vehicle", "car");
    b.expect("discover car");
    vehicle = a.objectClass("Vehicle");
    depot = a.objectClass("Depot");
    message = a.interactionClass("Message");
    event = a.interactionClass("Event");
    hail = a.interactionClass("Hail");
    position = a.attribute("Vehicle", "position");
    track = a.attribute("Vehicle", "track");
    fuel = a.attribute("Vehicle", "fuel");        // not published, so not owned
    load = a.attribute("Vehicle.Truck", "load");  // not of Vehicle
    text = a.parameter("Message", "text");
    number = a.parameter("Event", "number");
  }

  RTIambassador& rti() { return a.rti(); }
  RTIambassador& other() { return b.rti(); }
  /// Runs `call` in one of a's callbacks; what it throws comes out here.
  void within(const std::function<void()>& call) {
    std::exception_ptr thrown;
    bool called = false;
    a.onReceive = [&](auto, const auto&) {
      try {
        called = true;
        call();
      } catch (...) {
        thrown = std::current_exception();
      }
    };
    b.send("Message", {});
    a.pumpUntil([&] { return called; });
    a.onReceive = nullptr;
    if (thrown) std::rethrow_exception(thrown);
  }
  /// From here on the federation is being saved, or restored.
  void save() {
    a.rti().requestFederationSave(L"exceptions");
    a.expect("initiate save");
    b.expect("initiate save");
  }
  void restore() {
    save();
    for (Saver* m : {&a, &b}) m->rti().federateSaveBegun();
    for (Saver* m : {&a, &b}) m->rti().federateSaveComplete();
    for (Saver* m : {&a, &b}) m->expect("saved");
    a.rti().requestFederationRestore(L"exceptions");
    for (Saver* m : {&a, &b}) m->expect("initiate restore");
  }

  QString federation;
  Saver a{"a"}, b{"b"};
  ObjectClassHandle vehicle, depot;
  InteractionClassHandle message, event, hail;
  AttributeHandle position, track, fuel, load;
  ParameterHandle text, number;
  ObjectInstanceHandle car;
};

using Step = std::function<void(Stage&)>;

struct Row {
  int slot;
  QStringList conditions;  ///< exceptions that apply
  Step call;
};

AttributeHandleValueMap values(const std::vector<AttributeHandle>& attributes) {
  AttributeHandleValueMap map;
  for (const AttributeHandle& attribute : attributes) map[attribute] = data("x");
  return map;
}

std::unique_ptr<RTIambassador> fresh() {
  return std::unique_ptr<RTIambassador>(RTIambassadorFactory().createRTIambassador().release());
}

NullFederateAmbassador& nobody() {
  static NullFederateAmbassador callbacks;
  return callbacks;
}

std::wstring model() { return wide(modulePath("fom.xml")); }
std::wstring conflicting() { return wide(modulePath("conflict.xml")); }
std::wstring malformed() {
  return wide(fileWith("exceptions-malformed.xml", "<objectModel><objects>"));
}
/// Contradicts itself.
std::wstring contradicting() {
  const QByteArray begin =
      "<?xml version=\"1.0\"?><objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\">"
      "<modelIdentification><name>contradiction</name><type>FOM</type><version>1</version>"
      "<securityClassification>Unclassified</securityClassification><description>d</description>"
      "</modelIdentification>";
  const QByteArray dimension =
      "<dimension><name>Twice</name><dataType>HLAinteger64BE</dataType><upperBound>%</upperBound>"
      "<normalization>linear</normalization><value>Excluded</value></dimension>";
  return wide(fileWith("exceptions-contradicting.xml",
                       begin + "<dimensions>" + QByteArray(dimension).replace('%', "10") +
                           QByteArray(dimension).replace('%', "20") +
                           "</dimensions></objectModel>"));
}
const std::wstring missing = L"/no/such/module.xml";

class Table {
 public:
  std::vector<Row> rows;
  void operator()(int slot, const char* conditions, Step call) {
    rows.push_back({slot, QString(conditions).split('+'), std::move(call)});
  }
};

void federationManagement(Table& on) {
  const auto seven = static_cast<CallbackModel>(7);
  const auto withoutSetting = [](const std::function<void()>& call) {
    const QByteArray kept = qgetenv("TUTTI_RTI");
    const auto restore = qScopeGuard([&] { qputenv("TUTTI_RTI", kept); });
    qunsetenv("TUTTI_RTI");
    call();
  };
  on(2, "AlreadyConnected", [](Stage& s) { s.rti().connect(s.a, HLA_EVOKED); });
  on(2, "UnsupportedCallbackModel", [=](Stage&) { fresh()->connect(nobody(), seven); });
  on(2, "UnsupportedCallbackModel+AlreadyConnected",
     [=](Stage& s) { s.rti().connect(s.a, seven); });
  on(2, "InvalidLocalSettingsDesignator", [=](Stage&) {
    withoutSetting([] { fresh()->connect(nobody(), HLA_EVOKED, L"tcp:somewhere:8989"); });
  });
  on(2, "InvalidLocalSettingsDesignator+UnsupportedCallbackModel", [=](Stage&) {
    withoutSetting([&] { fresh()->connect(nobody(), seven, L"tcp:somewhere:8989"); });
  });
  on(2, "AlreadyConnected+CallNotAllowedFromWithinCallback",
     [](Stage& s) { s.within([&] { s.rti().connect(s.a, HLA_EVOKED); }); });
  on(3, "FederateIsExecutionMember", [](Stage& s) { s.rti().disconnect(); });
  on(3, "FederateIsExecutionMember+CallNotAllowedFromWithinCallback",
     [](Stage& s) { s.within([&] { s.rti().disconnect(); }); });

  using Create = std::function<void(RTIambassador&, const std::wstring& name,
                                    const std::wstring& module, const std::wstring& time)>;
  const std::vector<std::pair<int, Create>> creates = {
      {4, [](auto& rti, auto& n, auto& m, auto& t) { rti.createFederationExecution(n, m, t); }},
      {5, [](auto& rti, auto& n, auto& m,
             auto& t) { rti.createFederationExecution(n, std::vector<std::wstring>{m}, t); }},
      {6, [](auto& rti, auto& n, auto& m, auto& t) {
         static const std::wstring mim =
             wide(QString(TUTTI_SOURCE_DIR) + "/rti-embedded/omt/standard_mim.xml");
         rti.createFederationExecutionWithMIM(n, {m}, mim, t);
       }}};
  for (const auto& [slot, create] : creates) {
    const auto refused = [&, create = create](const char* conditions, bool exists,
                                              const std::wstring& module,
                                              const std::wstring& time = {}) {
      on(slot, conditions, [=](Stage& s) {
        const std::wstring name = wide(exists ? s.federation : uniqueName("none"));
        create(s.rti(), name, module, time);
      });
    };
    refused("FederationExecutionAlreadyExists", true, model());
    refused("CouldNotOpenFDD+FederationExecutionAlreadyExists", true, missing);
    refused("ErrorReadingFDD+FederationExecutionAlreadyExists", true, malformed());
    refused("CouldNotOpenFDD", false, missing);
    refused("CouldNotCreateLogicalTimeFactory+CouldNotOpenFDD", false, missing, L"StardateTime");
    refused("ErrorReadingFDD", false, malformed());
    refused("CouldNotCreateLogicalTimeFactory+ErrorReadingFDD", false, malformed(),
            L"StardateTime");
    refused("InconsistentFDD", false, contradicting());
    refused("CouldNotCreateLogicalTimeFactory", false, model(), L"StardateTime");
  }
  const auto withMim = [&](const char* conditions, bool exists, const std::wstring& module,
                           const std::wstring& mim) {
    on(6, conditions, [=](Stage& s) {
      const std::wstring name = wide(exists ? s.federation : uniqueName("none"));
      s.rti().createFederationExecutionWithMIM(name, {module}, mim);
    });
  };
  withMim("DesignatorIsHLAstandardMIM", false, model(), L"HLAstandardMIM");
  withMim("CouldNotOpenMIM", false, model(), missing);
  withMim("ErrorReadingMIM", false, model(), malformed());
  withMim("CouldNotOpenMIM+FederationExecutionAlreadyExists", true, model(), missing);
  withMim("CouldNotOpenFDD+CouldNotOpenMIM", false, missing, missing);
  withMim("CouldNotOpenFDD+DesignatorIsHLAstandardMIM", false, missing, L"HLAstandardMIM");
  withMim("ErrorReadingFDD+ErrorReadingMIM", false, malformed(),
          wide(fileWith("exceptions-mim.xml", "no object model")));

  on(7, "FederatesCurrentlyJoined",
     [](Stage& s) { s.rti().destroyFederationExecution(wide(s.federation)); });
  on(7, "FederationExecutionDoesNotExist",
     [](Stage& s) { s.rti().destroyFederationExecution(L"none"); });

  for (const int slot : {9, 10}) {
    const auto join = [slot](RTIambassador& rti, const std::wstring& federation,
                             const std::vector<std::wstring>& modules,
                             const std::wstring& name = L"c") {
      if (slot == 9) {
        rti.joinFederationExecution(L"type", federation, modules);
      } else {
        rti.joinFederationExecution(name, L"type", federation, modules);
      }
    };
    const auto joining = [&](const char* conditions, bool exists,
                             const std::vector<std::wstring>& modules) {
      on(slot, conditions, [=](Stage& s) {
        const auto rti = fresh();
        rti->connect(nobody(), HLA_EVOKED);
        join(*rti, exists ? wide(s.federation) : L"none", modules);
      });
    };
    joining("FederationExecutionDoesNotExist", false, {});
    joining("FederationExecutionDoesNotExist+CouldNotOpenFDD", false, {missing});
    joining("CouldNotOpenFDD", true, {missing});
    joining("ErrorReadingFDD", true, {malformed()});
    joining("InconsistentFDD", true, {conflicting()});
    on(slot, "FederateAlreadyExecutionMember",
       [=](Stage& s) { join(s.rti(), wide(s.federation), {}); });
    on(slot, "CouldNotOpenFDD+FederateAlreadyExecutionMember",
       [=](Stage& s) { join(s.rti(), wide(s.federation), {missing}); });
    on(slot, "FederateAlreadyExecutionMember+CallNotAllowedFromWithinCallback",
       [=](Stage& s) { s.within([&] { join(s.rti(), wide(s.federation), {}); }); });
    if (slot == 10) {
      on(slot, "FederateNameAlreadyInUse", [=](Stage& s) {
        const auto rti = fresh();
        rti->connect(nobody(), HLA_EVOKED);
        join(*rti, wide(s.federation), {}, L"a");
      });
    }
    on(slot, "SaveInProgress", [=](Stage& s) {
      s.save();
      const auto rti = fresh();
      rti->connect(nobody(), HLA_EVOKED);
      join(*rti, wide(s.federation), {});
    });
    on(slot, "RestoreInProgress", [=](Stage& s) {
      s.restore();
      const auto rti = fresh();
      rti->connect(nobody(), HLA_EVOKED);
      join(*rti, wide(s.federation), {});
    });
  }

  on(11, "InvalidResignAction",
     [](Stage& s) { s.rti().resignFederationExecution(static_cast<ResignAction>(42)); });
  on(11, "FederateOwnsAttributes", [](Stage& s) { s.rti().resignFederationExecution(NO_ACTION); });
  on(11, "FederateOwnsAttributes+CallNotAllowedFromWithinCallback",
     [](Stage& s) { s.within([&] { s.rti().resignFederationExecution(NO_ACTION); }); });
  on(13, "InvalidFederateHandle", [](Stage& s) {
    s.rti().registerFederationSynchronizationPoint(L"p", {}, FederateHandleSet{FederateHandle()});
  });
  on(14, "SynchronizationPointLabelNotAnnounced",
     [](Stage& s) { s.rti().synchronizationPointAchieved(L"none"); });

  on(16, "FederateUnableToUseTime", [](Stage& s) { s.rti().requestFederationSave(L"s", Time(5)); });
  on(16, "InvalidLogicalTime+FederateUnableToUseTime",
     [](Stage& s) { s.rti().requestFederationSave(L"s", HLAinteger64Time(5)); });
  on(16, "InvalidLogicalTime", [](Stage& s) {
    s.a.regulate(1);
    s.rti().requestFederationSave(L"s", HLAinteger64Time(5));
  });
  on(16, "LogicalTimeAlreadyPassed", [](Stage& s) {
    s.a.regulate(1);
    s.a.advance(5);
    s.rti().requestFederationSave(L"s", Time(3));
  });
  on(17, "SaveNotInitiated", [](Stage& s) { s.rti().federateSaveBegun(); });
  on(18, "FederateHasNotBegunSave", [](Stage& s) { s.rti().federateSaveComplete(); });
  on(19, "FederateHasNotBegunSave", [](Stage& s) { s.rti().federateSaveNotComplete(); });
  on(20, "SaveNotInProgress", [](Stage& s) { s.rti().abortFederationSave(); });
  on(23, "RestoreNotRequested", [](Stage& s) { s.rti().federateRestoreComplete(); });
  on(24, "RestoreNotRequested", [](Stage& s) { s.rti().federateRestoreNotComplete(); });
  on(25, "RestoreNotInProgress", [](Stage& s) { s.rti().abortFederationRestore(); });
}

void declarationManagement(Table& on) {
  const ObjectClassHandle noClass;
  const InteractionClassHandle noInteraction;
  on(27, "ObjectClassNotDefined",
     [=](Stage& s) { s.rti().publishObjectClassAttributes(noClass, {s.position}); });
  on(27, "AttributeNotDefined", [](Stage& s) {
    s.rti().publishObjectClassAttributes(s.vehicle, {s.position, s.load});
  });
  on(27, "AttributeNotDefined+ObjectClassNotDefined",
     [=](Stage& s) { s.rti().publishObjectClassAttributes(noClass, {AttributeHandle()}); });
  on(28, "ObjectClassNotDefined", [=](Stage& s) { s.rti().unpublishObjectClass(noClass); });
  on(29, "ObjectClassNotDefined",
     [=](Stage& s) { s.rti().unpublishObjectClassAttributes(noClass, {s.position}); });
  on(29, "AttributeNotDefined",
     [](Stage& s) { s.rti().unpublishObjectClassAttributes(s.vehicle, {s.load}); });
  on(30, "InteractionClassNotDefined",
     [=](Stage& s) { s.rti().publishInteractionClass(noInteraction); });
  on(31, "InteractionClassNotDefined",
     [=](Stage& s) { s.rti().unpublishInteractionClass(noInteraction); });
  on(32, "ObjectClassNotDefined",
     [=](Stage& s) { s.rti().subscribeObjectClassAttributes(noClass, {s.position}); });
  on(32, "AttributeNotDefined",
     [](Stage& s) { s.rti().subscribeObjectClassAttributes(s.vehicle, {s.load}); });
  on(32, "InvalidUpdateRateDesignator", [](Stage& s) {
    s.rti().subscribeObjectClassAttributes(s.vehicle, {s.position}, true, L"none");
  });
  on(32, "ObjectClassNotDefined+InvalidUpdateRateDesignator", [=](Stage& s) {
    s.rti().subscribeObjectClassAttributes(noClass, {s.position}, true, L"none");
  });
  on(33, "ObjectClassNotDefined", [=](Stage& s) { s.rti().unsubscribeObjectClass(noClass); });
  on(34, "ObjectClassNotDefined",
     [=](Stage& s) { s.rti().unsubscribeObjectClassAttributes(noClass, {s.position}); });
  on(34, "AttributeNotDefined",
     [](Stage& s) { s.rti().unsubscribeObjectClassAttributes(s.vehicle, {s.load}); });
  on(35, "InteractionClassNotDefined",
     [=](Stage& s) { s.rti().subscribeInteractionClass(noInteraction); });
  on(36, "InteractionClassNotDefined",
     [=](Stage& s) { s.rti().unsubscribeInteractionClass(noInteraction); });
}

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

using Pairs = AttributeHandleSetRegionHandleSetPairVector;

RegionHandle regionOf(RTIambassador& rti, const wchar_t* dimension = L"Area") {
  return rti.createRegion({rti.getDimensionHandle(dimension)});
}

void dataDistribution(Table& on) {
  const auto zone = [](Stage& s) { return s.a.attribute("Vehicle", "zone"); };
  const RegionHandle noRegion;
  on(86, "InvalidDimensionHandle", [](Stage& s) { s.rti().createRegion({DimensionHandle()}); });
  on(87, "InvalidRegion", [=](Stage& s) { s.rti().commitRegionModifications({noRegion}); });
  on(87, "RegionNotCreatedByThisFederate",
     [](Stage& s) { s.rti().commitRegionModifications({regionOf(s.other())}); });
  on(87, "RegionNotCreatedByThisFederate+InvalidRegion", [](Stage& s) {
    const RegionHandle gone = regionOf(s.rti());
    s.rti().deleteRegion(gone);
    s.rti().commitRegionModifications({regionOf(s.other()), gone});
  });
  on(88, "InvalidRegion", [=](Stage& s) { s.rti().deleteRegion(noRegion); });
  on(88, "RegionNotCreatedByThisFederate",
     [](Stage& s) { s.rti().deleteRegion(regionOf(s.other())); });
  on(88, "RegionInUseForUpdateOrSubscription", [=](Stage& s) {
    const RegionHandle used = regionOf(s.rti());
    s.rti().subscribeInteractionClassWithRegions(s.hail, {used});
    s.rti().deleteRegion(used);
  });

  // Services of a class, attributes and regions.
  using OfClass = std::function<void(Stage&, const ObjectClassHandle&, const Pairs&)>;
  const QList<QPair<int, OfClass>> ofClass = {
      {89, [](auto& s, auto c, auto p) { s.rti().registerObjectInstanceWithRegions(c, p); }},
      {90,
       [](auto& s, auto c, auto p) { s.rti().registerObjectInstanceWithRegions(c, p, L"none"); }},
      {93,
       [](auto& s, auto c, auto p) { s.rti().subscribeObjectClassAttributesWithRegions(c, p); }},
      {94,
       [](auto& s, auto c, auto p) { s.rti().unsubscribeObjectClassAttributesWithRegions(c, p); }},
      {99, [](auto& s, auto c, auto p) {
         s.rti().requestAttributeValueUpdateWithRegions(c, p, data(""));
       }}};
  for (const auto& [slot, call] : ofClass) {
    const auto with = [&, call = call, slot = slot](const char* conditions, bool attributeDefined,
                                                    auto regions) {
      on(slot, conditions, [=](Stage& s) {
        s.a.publish("Vehicle", {"zone"});
        call(s, s.vehicle, {{{attributeDefined ? zone(s) : s.load}, regions(s)}});
      });
    };
    const auto theirs = [](Stage& s) { return RegionHandleSet{regionOf(s.other())}; };
    const auto none = [](Stage&) { return RegionHandleSet{RegionHandle()}; };
    const auto both = [](Stage& s) { return RegionHandleSet{RegionHandle(), regionOf(s.other())}; };
    const auto elsewhere = [](Stage& s) {
      return RegionHandleSet{regionOf(s.rti(), L"HLAserviceGroup")};
    };
    const auto theirsElsewhere = [](Stage& s) {
      return RegionHandleSet{regionOf(s.other(), L"HLAserviceGroup")};
    };
    on(slot, "ObjectClassNotDefined", [=, call = call](Stage& s) { call(s, {}, {}); });
    on(slot, "ObjectClassNotDefined+AttributeNotDefined", [=, call = call](Stage& s) {
      call(s, {}, {{{s.load}, {}}});
    });
    with("AttributeNotDefined", false, [](Stage&) { return RegionHandleSet(); });
    with("AttributeNotDefined+InvalidRegion", false, none);
    with("InvalidRegion", true, none);
    with("RegionNotCreatedByThisFederate", true, theirs);
    with("RegionNotCreatedByThisFederate+InvalidRegion", true, both);
    if (slot == 94) continue;
    with("InvalidRegionContext", true, elsewhere);
    with("InvalidRegionContext+RegionNotCreatedByThisFederate", true, theirsElsewhere);
  }
  on(93, "InvalidUpdateRateDesignator+ObjectClassNotDefined", [](Stage& s) {
    s.rti().subscribeObjectClassAttributesWithRegions(ObjectClassHandle(), {}, true, L"none");
  });
  for (const int slot : {89, 90}) {
    const auto registering = [slot](Stage& s, const ObjectClassHandle& c, const Pairs& pairs,
                                    const wchar_t* name = L"none") {
      if (slot == 89) {
        s.rti().registerObjectInstanceWithRegions(c, pairs);
      } else {
        s.rti().registerObjectInstanceWithRegions(c, pairs, name);
      }
    };
    on(slot, "ObjectClassNotPublished", [=](Stage& s) { registering(s, s.depot, {}); });
    on(slot, "AttributeNotPublished", [=](Stage& s) {
      registering(s, s.vehicle, {{{zone(s)}, {regionOf(s.rti())}}});
    });
    on(slot, "AttributeNotPublished+InvalidRegion", [=](Stage& s) {
      registering(s, s.vehicle, {{{zone(s)}, {noRegion}}});
    });
    if (slot == 89) continue;
    on(slot, "ObjectInstanceNameInUse", [=](Stage& s) { registering(s, s.vehicle, {}, L"car"); });
    on(slot, "ObjectInstanceNameNotReserved", [=](Stage& s) { registering(s, s.vehicle, {}); });
    on(slot, "ObjectInstanceNameNotReserved+InvalidRegionContext", [=](Stage& s) {
      registering(s, s.vehicle, {{{s.position}, {regionOf(s.rti())}}});
    });
  }

  using OfInstance = std::function<void(Stage&, const ObjectInstanceHandle&, const Pairs&)>;
  const QList<QPair<int, OfInstance>> ofInstance = {
      {91, [](auto& s, auto o, auto p) { s.rti().associateRegionsForUpdates(o, p); }},
      {92, [](auto& s, auto o, auto p) { s.rti().unassociateRegionsForUpdates(o, p); }}};
  for (const auto& [slot, given] : ofInstance) {
    const OfInstance call = given;
    on(slot, "ObjectInstanceNotKnown", [=](Stage& s) { call(s, {}, {}); });
    on(slot, "ObjectInstanceNotKnown+AttributeNotDefined", [=](Stage& s) {
      call(s, {}, {{{s.load}, {}}});
    });
    on(slot, "AttributeNotDefined", [=](Stage& s) { call(s, s.car, {{{s.load}, {}}}); });
    on(slot, "AttributeNotDefined+InvalidRegion", [=](Stage& s) {
      call(s, s.car, {{{s.load}, {noRegion}}});
    });
    on(slot, "InvalidRegion", [=](Stage& s) { call(s, s.car, {{{zone(s)}, {noRegion}}}); });
    on(slot, "RegionNotCreatedByThisFederate", [=](Stage& s) {
      call(s, s.car, {{{zone(s)}, {regionOf(s.other())}}});
    });
    if (slot == 91) {
      on(slot, "InvalidRegionContext", [=](Stage& s) {
        call(s, s.car, {{{s.position}, {regionOf(s.rti())}}});
      });
    }
  }

  using OfInteraction =
      std::function<void(Stage&, const InteractionClassHandle&, const RegionHandleSet&)>;
  const QList<QPair<int, OfInteraction>> ofInteraction = {
      {95, [](auto& s, auto c, auto r) { s.rti().subscribeInteractionClassWithRegions(c, r); }},
      {96, [](auto& s, auto c, auto r) { s.rti().unsubscribeInteractionClassWithRegions(c, r); }},
      {97, [](auto& s, auto c, auto r) { s.rti().sendInteractionWithRegions(c, {}, r, data("")); }},
      {98, [](auto& s, auto c, auto r) {
         s.rti().sendInteractionWithRegions(c, {}, r, data(""), HLAfloat64Time(5));
       }}};
  for (const auto& [slot, given] : ofInteraction) {
    const OfInteraction call = given;
    on(slot, "InteractionClassNotDefined", [=](Stage& s) { call(s, {}, {}); });
    on(slot, "InteractionClassNotDefined+InvalidRegion",
       [=](Stage& s) { call(s, {}, {noRegion}); });
    on(slot, "InvalidRegion", [=](Stage& s) { call(s, s.message, {noRegion}); });
    on(slot, "RegionNotCreatedByThisFederate",
       [=](Stage& s) { call(s, s.message, {regionOf(s.other())}); });
    if (slot == 96) continue;
    on(slot, "InvalidRegionContext", [=](Stage& s) { call(s, s.message, {regionOf(s.rti())}); });
    if (slot == 95) continue;
    on(slot, "InteractionClassNotPublished", [=](Stage& s) { call(s, s.hail, {}); });
    on(slot, "InteractionClassNotPublished+InvalidRegion",
       [=](Stage& s) { call(s, s.hail, {noRegion}); });
  }
  on(97, "InteractionParameterNotDefined", [](Stage& s) {
    s.rti().sendInteractionWithRegions(s.message, {{s.number, data("")}}, {}, data(""));
  });
  on(98, "InteractionParameterNotDefined+InteractionClassNotPublished", [](Stage& s) {
    s.rti().sendInteractionWithRegions(s.hail, {{s.number, data("")}}, {}, data(""),
                                       HLAfloat64Time(5));
  });
  on(98, "InvalidLogicalTime", [](Stage& s) {
    s.a.regulate(1);
    s.rti().sendInteractionWithRegions(s.event, {}, {}, data(""), HLAfloat64Time(0.5));
  });
  on(98, "InvalidLogicalTime+InvalidRegionContext", [](Stage& s) {
    s.a.regulate(1);
    s.rti().sendInteractionWithRegions(s.event, {}, {regionOf(s.rti())}, data(""),
                                       HLAfloat64Time(0.5));
  });

  const auto area = [](Stage& s) { return s.rti().getDimensionHandle(L"Area"); };
  const DimensionHandle noDimension;
  on(112, "ObjectInstanceNotKnown",
     [](Stage& s) { s.rti().getUpdateRateValueForAttribute(ObjectInstanceHandle(), s.position); });
  on(112, "AttributeNotDefined",
     [](Stage& s) { s.rti().getUpdateRateValueForAttribute(s.car, s.load); });
  on(112, "AttributeNotDefined+ObjectInstanceNotKnown", [](Stage& s) {
    s.rti().getUpdateRateValueForAttribute(ObjectInstanceHandle(), AttributeHandle());
  });
  on(126, "InvalidRegion", [=](Stage& s) { s.rti().getDimensionHandleSet(noRegion); });
  on(127, "InvalidRegion+RegionDoesNotContainSpecifiedDimension",
     [=](Stage& s) { s.rti().getRangeBounds(noRegion, noDimension); });
  on(127, "RegionDoesNotContainSpecifiedDimension",
     [=](Stage& s) { s.rti().getRangeBounds(regionOf(s.rti()), noDimension); });
  on(128, "InvalidRegion+InvalidRangeBound",
     [=](Stage& s) { s.rti().setRangeBounds(noRegion, area(s), RangeBounds(5, 5)); });
  on(128, "RegionNotCreatedByThisFederate+RegionDoesNotContainSpecifiedDimension", [=](Stage& s) {
    s.rti().setRangeBounds(regionOf(s.other()), noDimension, RangeBounds(0, 1));
  });
  on(128, "RegionDoesNotContainSpecifiedDimension+InvalidRangeBound",
     [=](Stage& s) { s.rti().setRangeBounds(regionOf(s.rti()), noDimension, RangeBounds(5, 5)); });
  on(128, "InvalidRangeBound",
     [=](Stage& s) { s.rti().setRangeBounds(regionOf(s.rti()), area(s), RangeBounds(0, 1001)); });
  on(135, "AttributeScopeAdvisorySwitchIsOn", [](Stage& s) {
    s.rti().enableAttributeScopeAdvisorySwitch();
    s.rti().enableAttributeScopeAdvisorySwitch();
  });
  on(136, "AttributeScopeAdvisorySwitchIsOff",
     [](Stage& s) { s.rti().disableAttributeScopeAdvisorySwitch(); });
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

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    Table table;
    federationManagement(table);
    declarationManagement(table);
    objectManagement(table);
    ownershipManagement(table);
    timeManagement(table);
    dataDistribution(table);
    supportServices(table);
    return table.rows;
  }();
  return all;
}

/// Services whose rows are still to be written.
const QStringList rowsToCome = {"enableAttributeRelevanceAdvisorySwitch",
                                "disableAttributeRelevanceAdvisorySwitch"};

/// Listed exceptions that no federate of this test can provoke, and why. "*": of any function.
const QMap<QPair<QString, QString>, QString>& unprovoked() {
  static const QMap<QPair<QString, QString>, QString> reasons = {
      {{"*", "RTIinternalError"}, "What a failure inside the RTI is told by; tst_faults has some."},
      {{"*", "NotConnected"}, "Of every function: tst_every_service."},
      {{"*", "FederateNotExecutionMember"}, "Of every function: tst_every_service."},
      {{"connect", "ConnectionFailed"}, "Needs a node that refuses: tst_faults."},
      {{"joinFederationExecution", "CouldNotCreateLogicalTimeFactory"},
       "Needs a process that does not know the execution's time type."},
      {{"*", "FederateServiceInvocationsAreBeingReportedViaMOM"}, "tst_mom."},
  };
  return reasons;
}

}  // namespace

class tst_exceptions : public QObject {
  Q_OBJECT

  QTemporaryDir state_;
  OwnNode node_;
  QMap<int, QStringList> row_;  ///< by slot: name of the function and exceptions it may throw
  std::unique_ptr<Stage> saving_, restoring_;

  void whileFrozen_data(const QString& exception);
  void whileFrozen(Stage& stage, const QString& exception);

 private slots:
  void initTestCase();
  void cleanupTestCase();
  void throws_data();
  void throws();
  void saveInProgress_data() { whileFrozen_data("SaveInProgress"); }
  void saveInProgress();
  void restoreInProgress_data() { whileFrozen_data("RestoreInProgress"); }
  void restoreInProgress();
  void everyExceptionIsProvokedOrExplained();
};

void tst_exceptions::initTestCase() {
  QVERIFY(state_.isValid());
  qputenv("XDG_STATE_HOME", state_.path().toUtf8());  // what is saved
  QFile table(QString(TUTTI_SOURCE_DIR) + "/tests/data/rti1516e.tsv");
  QVERIFY(table.open(QIODevice::ReadOnly | QIODevice::Text));
  const QStringList columns = QString(table.readLine()).trimmed().split('\t');
  while (!table.atEnd()) {
    const QStringList cells = QString(table.readLine()).remove('\n').split('\t');
    const auto cell = [&](const QString& column) { return cells.value(columns.indexOf(column)); };
    if (cell("class") != "rti1516e::RTIambassador" || cell("kind") != "method") continue;
    row_[cell("vtable_slot").toInt()] = QStringList(cell("name")) + cell("throws").split(',');
  }
  QVERIFY(row_.size() > 150);
}

void tst_exceptions::cleanupTestCase() {
  for (auto* stage : {&saving_, &restoring_}) stage->reset();
}

void tst_exceptions::throws_data() {
  QTest::addColumn<int>("index");
  QMap<QString, int> seen;
  for (std::size_t i = 0; i < rows().size(); ++i) {
    const Row& row = rows()[i];
    const QString name = QString("%1 %2 %3")
                             .arg(row_[row.slot].first())
                             .arg(row.slot)
                             .arg(row.conditions.join(" and "));
    const int again = ++seen[name];
    QTest::addRow("%s%s", qPrintable(name), again > 1 ? qPrintable(QString(" #%1").arg(again)) : "")
        << static_cast<int>(i);
  }
}

void tst_exceptions::throws() {
  QFETCH(int, index);
  const Row& row = rows().at(static_cast<std::size_t>(index));
  const QStringList listed = row_[row.slot].mid(1);
  QString expected;
  for (const QString& condition : row.conditions) {
    QVERIFY2(listed.contains(condition), qPrintable(condition));
    if (expected.isEmpty() || listed.indexOf(condition) > listed.indexOf(expected)) {
      expected = condition;
    }
  }
  Stage stage;
  QCOMPARE(refusal([&] { row.call(stage); }), expected);
}

void tst_exceptions::whileFrozen_data(const QString& exception) {
  QTest::addColumn<int>("slot");
  for (const ServiceCall& one : serviceCalls(nobody())) {
    if (!row_[one.slot].contains(exception)) continue;
    if (QString(one.service) == "joinFederationExecution") continue;  // of one who is not joined
    if (rowsToCome.contains(one.service)) continue;
    QTest::addRow("%s %d", one.service, one.slot) << one.slot;
  }
}

// Comes before everything that is wrong with the call itself.
void tst_exceptions::whileFrozen(Stage& stage, const QString& exception) {
  const int slot = *static_cast<int*>(QTest::qData("slot", qMetaTypeId<int>()));
  const ServiceCall one = serviceCalls(nobody()).at(static_cast<std::size_t>(slot - 2));
  QCOMPARE(refusal([&] { one.call(stage.rti()); }), exception);
}

void tst_exceptions::saveInProgress() {
  if (!saving_) {
    saving_ = std::make_unique<Stage>();
    saving_->save();
  }
  whileFrozen(*saving_, "SaveInProgress");
}

void tst_exceptions::restoreInProgress() {
  saving_.reset();
  if (!restoring_) {
    restoring_ = std::make_unique<Stage>();
    restoring_->restore();
  }
  whileFrozen(*restoring_, "RestoreInProgress");
}

void tst_exceptions::everyExceptionIsProvokedOrExplained() {
  QStringList open;
  for (auto it = row_.cbegin(); it != row_.cend(); ++it) {
    const QString function = it.value().first();
    if (rowsToCome.contains(function)) continue;
    for (const QString& exception : it.value().mid(1)) {
      if (unprovoked().contains({"*", exception}) || unprovoked().contains({function, exception})) {
        continue;
      }
      if ((exception == "SaveInProgress" || exception == "RestoreInProgress") &&
          function != "joinFederationExecution") {
        continue;  // all of them above
      }
      const bool provoked = std::any_of(rows().begin(), rows().end(), [&](const Row& row) {
        return row.slot == it.key() && row.conditions.contains(exception);
      });
      if (!provoked) open << QString("%1 %2 %3").arg(function).arg(it.key()).arg(exception);
    }
  }
  QVERIFY2(open.isEmpty(), qPrintable(open.join("; ")));
}

CONFORMANCE_MAIN(tst_exceptions)
#include "tst_exceptions.moc"
