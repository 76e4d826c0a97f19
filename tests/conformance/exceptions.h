// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <RTI/RangeBounds.h>
#include <RTI/time/HLAinteger64Interval.h>

#include "watcher.h"

/// What tst_exceptions is made of: a federation, and rows that say what is called in it and which
/// exceptions apply.
namespace exceptions {

using namespace rti1516e;

using Time = HLAfloat64Time;
using Interval = HLAfloat64Interval;

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
  /// From here on a's services are reported.
  void reportServices() {
    const QString setReporting = mom::adjust + "HLAsetServiceReporting";
    b.subscribeInteraction(reports);
    b.publishInteraction(setReporting);
    b.send(setReporting,
           {{"HLAfederate", mom::encoded(a.handle())}, {"HLAreportingState", mom::integer(1u)}});
    const bool reported = b.pumpUntil([&] {
      a.pump();
      a.rti().getObjectClassName(vehicle);
      return b.interactions != 0;
    });
    if (!reported) qWarning("nothing is reported");
  }
  static inline const QString reports = mom::report + "HLAreportServiceInvocation";
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

class Table {
 public:
  std::vector<Row> rows;
  void operator()(int slot, const char* conditions, Step call) {
    rows.push_back({slot, QString(conditions).split('+'), std::move(call)});
  }
};

inline AttributeHandleValueMap values(const std::vector<AttributeHandle>& attributes) {
  AttributeHandleValueMap map;
  for (const AttributeHandle& attribute : attributes) map[attribute] = data("x");
  return map;
}

/// An ambassador that is not connected.
inline std::unique_ptr<RTIambassador> fresh() {
  return std::unique_ptr<RTIambassador>(RTIambassadorFactory().createRTIambassador().release());
}

inline NullFederateAmbassador& nobody() {
  static NullFederateAmbassador callbacks;
  return callbacks;
}

// The rows of each clause.
void federationManagement(Table& on);
void declarationManagement(Table& on);
void objectManagement(Table& on);
void ownershipManagement(Table& on);
void timeManagement(Table& on);
void dataDistribution(Table& on);
void supportServices(Table& on);

}  // namespace exceptions
