// SPDX-License-Identifier: GPL-3.0-or-later
// What the services of federation and declaration management throw (clauses 4, 5).
#include "exceptions.h"

namespace exceptions {

namespace {

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

}  // namespace

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
    withoutSetting([] { fresh()->connect(nobody(), HLA_EVOKED, L"tcp:somewhere"); });
  });
  on(2, "InvalidLocalSettingsDesignator+UnsupportedCallbackModel", [=](Stage&) {
    withoutSetting([&] { fresh()->connect(nobody(), seven, L"tcp:somewhere"); });
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
  on(35, "FederateServiceInvocationsAreBeingReportedViaMOM", [](Stage& s) {
    s.reportServices();
    s.a.subscribeInteraction(s.reports);
  });
  on(36, "InteractionClassNotDefined",
     [=](Stage& s) { s.rti().unsubscribeInteractionClass(noInteraction); });
}

}  // namespace exceptions
