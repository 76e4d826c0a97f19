// SPDX-License-Identifier: GPL-3.0-or-later
// What the services of data distribution management throw (clause 9).
#include "exceptions.h"

namespace exceptions {

namespace {

using RegionOf = std::function<RegionHandle(Stage&)>;
using Pairs = AttributeHandleSetRegionHandleSetPairVector;

RegionHandle regionOf(RTIambassador& rti, const wchar_t* dimension = L"Area") {
  return rti.createRegion({rti.getDimensionHandle(dimension)});
}

}  // namespace

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
  const auto subscribeReports = [&](const char* conditions, const RegionOf& region) {
    on(95, conditions, [=](Stage& s) {
      s.reportServices();
      s.rti().subscribeInteractionClassWithRegions(s.a.interactionClass(s.reports), {region(s)});
    });
  };
  const QByteArray reported = "FederateServiceInvocationsAreBeingReportedViaMOM";
  subscribeReports(reported, [](Stage& s) { return regionOf(s.rti(), L"HLAfederate"); });
  subscribeReports(reported + "+InvalidRegionContext",
                   [](Stage& s) { return regionOf(s.rti(), L"Area"); });
  subscribeReports(reported + "+RegionNotCreatedByThisFederate",
                   [](Stage& s) { return regionOf(s.other(), L"HLAfederate"); });
  subscribeReports(reported + "+InvalidRegion", [](Stage&) { return RegionHandle(); });
  on(133, "AttributeRelevanceAdvisorySwitchIsOn", [](Stage& s) {
    s.rti().enableAttributeRelevanceAdvisorySwitch();
    s.rti().enableAttributeRelevanceAdvisorySwitch();
  });
  on(134, "AttributeRelevanceAdvisorySwitchIsOff",
     [](Stage& s) { s.rti().disableAttributeRelevanceAdvisorySwitch(); });
  on(135, "AttributeScopeAdvisorySwitchIsOn", [](Stage& s) {
    s.rti().enableAttributeScopeAdvisorySwitch();
    s.rti().enableAttributeScopeAdvisorySwitch();
  });
  on(136, "AttributeScopeAdvisorySwitchIsOff",
     [](Stage& s) { s.rti().disableAttributeScopeAdvisorySwitch(); });
}

}  // namespace exceptions
