// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/wire.h"

/// What the library of a saved federate knows of it, beyond what the node knows.
namespace tutti::core {

struct SavedTime {
  bool regulating = false;
  bool constrained = false;
  bool regulationPending = false;
  bool constrainedPending = false;
  bool advancing = false;
  bool exclusive = false;
  bool strict = false;
  bool asynchronousDelivery = false;
  std::uint32_t requestedHow = 0;  ///< fabric::TimeAdvance
  std::uint32_t advance = 0;       ///< fabric::TimeAdvance
  std::uint64_t regulationFrom = 0;
  std::uint64_t logical = 0;
  std::uint64_t requested = 0;
  std::uint64_t lookahead = 0;
  std::uint64_t floor = 0;
  bool floorExclusive = false;
  template <class A>
  void fields(A& a) {
    a(regulating, constrained, regulationPending, constrainedPending, advancing, exclusive, strict,
      asynchronousDelivery, requestedHow, advance, regulationFrom, logical, requested, lookahead,
      floor, floorExclusive);
  }
};

struct SavedKnownInstance {
  std::uint64_t instance = 0;
  std::uint32_t objectClass = 0;
  std::uint32_t registeredClass = 0;
  std::uint32_t producer = 0;
  std::uint32_t row = 0;
  std::string name;
  std::vector<std::uint32_t> owned;    ///< attributes
  std::vector<std::uint32_t> atFirst;  ///< by its producer
  std::vector<std::uint8_t> kinds;     ///< how they are sent; empty: as the object model says
  std::vector<std::uint64_t> counts;   ///< updates and reflections: each reliable, best effort
  template <class A>
  void fields(A& a) {
    a(instance, objectClass, registeredClass, producer, row, name, owned, atFirst, kinds, counts);
  }
};

/// A row of the table of the instances it registered.
struct SavedRow {
  std::uint32_t row = 0;
  std::uint64_t instance = 0;
  std::uint32_t objectClass = 0;
  std::string name;  ///< empty: the generated one
  std::vector<std::uint32_t> owned;
  template <class A>
  void fields(A& a) {
    a(row, instance, objectClass, name, owned);
  }
};

/// A message that was not delivered yet.
struct SavedMessage {
  fabric::Bytes record;
  std::uint32_t sender = 0;
  bool granted = false;
  std::uint64_t sequence = 0;  ///< in timestamp order only
  template <class A>
  void fields(A& a) {
    a(record, sender, granted, sequence);
  }
};

/// A message it may still retract.
struct SavedRetractable {
  std::uint64_t serial = 0;
  std::uint64_t time = 0;
  template <class A>
  void fields(A& a) {
    a(serial, time);
  }
};
/// A deletion it may still retract.
struct SavedDeletion {
  std::uint64_t serial = 0;
  std::uint64_t time = 0;
  SavedKnownInstance instance;
  std::vector<std::uint32_t> told;  ///< federates
  template <class A>
  void fields(A& a) {
    a(serial, time, instance, told);
  }
};
/// A message that was delivered to it and may still be retracted.
struct SavedDelivered {
  std::uint32_t sender = 0;
  std::uint64_t serial = 0;
  std::uint64_t time = 0;
  template <class A>
  void fields(A& a) {
    a(sender, serial, time);
  }
};
struct SavedInteractionKind {
  std::uint32_t interactionClass = 0;
  std::uint8_t kind = 0;
  template <class A>
  void fields(A& a) {
    a(interactionClass, kind);
  }
};

/// A class, and what was last told of it.
struct SavedAdvisory {
  std::uint32_t handle = 0;
  bool relevant = false;
  template <class A>
  void fields(A& a) {
    a(handle, relevant);
  }
};

struct SavedRange {
  std::uint32_t dimension = 0;
  std::uint32_t lower = 0;
  std::uint32_t upper = 0;
  template <class A>
  void fields(A& a) {
    a(dimension, lower, upper);
  }
};
struct SavedRegion {
  std::uint64_t region = 0;
  std::vector<SavedRange> pending;
  std::vector<SavedRange> committed;
  template <class A>
  void fields(A& a) {
    a(region, pending, committed);
  }
};
/// Attributes of an instance: with which regions they are updated.
struct SavedAssociation {
  std::uint64_t instance = 0;
  std::uint32_t attribute = 0;
  std::vector<std::uint64_t> regions;
  template <class A>
  void fields(A& a) {
    a(instance, attribute, regions);
  }
};
/// Attributes of an instance that were told to be in scope.
struct SavedScope {
  std::uint64_t instance = 0;
  std::vector<std::uint32_t> attributes;
  template <class A>
  void fields(A& a) {
    a(instance, attributes);
  }
};
struct SavedRegions {
  std::vector<SavedRegion> own;
  std::vector<SavedRegion> conveyed;  ///< of other federates; as sent
  std::vector<SavedAssociation> associations;
  bool scopeAdvisory = false;
  std::vector<SavedScope> inScope;
  template <class A>
  void fields(A& a) {
    a(own, conveyed, associations, scopeAdvisory, inScope);
  }
};

/// What a federate has asked for (7.8, 7.9), and what it was offered (7.4).
struct SavedSoughtAttribute {
  std::uint32_t attribute = 0;
  std::uint64_t serial = 0;
  bool willing = false;
  template <class A>
  void fields(A& a) {
    a(attribute, serial, willing);
  }
};
struct SavedSought {
  std::uint64_t instance = 0;
  std::vector<SavedSoughtAttribute> attributes;
  std::vector<std::uint32_t> offered;
  template <class A>
  void fields(A& a) {
    a(instance, attributes, offered);
  }
};

/// Numbers that the MOM tells of a class.
struct SavedCounts {
  std::uint32_t handle = 0;
  std::vector<std::uint64_t> counts;
  template <class A>
  void fields(A& a) {
    a(handle, counts);
  }
};

/// What the MOM tells of the federate, and lets it report.
struct SavedManagement {
  bool serviceReporting = false;
  bool exceptionReporting = false;
  std::uint32_t serviceReports = 0;
  std::uint32_t switches = 0;
  std::vector<std::uint64_t> counters;         ///< of its page
  std::vector<SavedCounts> formerUpdates;      ///< of instances no longer known
  std::vector<SavedCounts> formerReflections;  ///< the same
  std::vector<SavedCounts> formerInstances;    ///< updated, reflected
  std::vector<SavedCounts> interactions;       ///< sent and received: reliable, best effort
  template <class A>
  void fields(A& a) {
    a(serviceReporting, exceptionReporting, serviceReports, switches, counters, formerUpdates,
      formerReflections, formerInstances, interactions);
  }
};

/// An attribute whose owner was told that its updates are wanted (6.21).
struct SavedTurnedOn {
  std::uint64_t instance = 0;
  std::uint32_t attribute = 0;
  std::string updateRate;
  template <class A>
  void fields(A& a) {
    a(instance, attribute, updateRate);
  }
};
struct SavedUpdateAdvisories {
  bool on = false;
  std::vector<SavedTurnedOn> told;
  template <class A>
  void fields(A& a) {
    a(on, told);
  }
};

struct SavedName {
  fabric::FederateNumber federate = 0;
  std::string name;
  template <class A>
  void fields(A& a) {
    a(federate, name);
  }
};

struct SavedFederate {
  SavedTime time;
  std::uint64_t instanceCounter = 0;
  std::uint64_t timestampedSequence = 0;
  bool objectAdvisory = false;
  bool interactionAdvisory = false;
  std::vector<SavedAdvisory> registrationTold;
  std::vector<SavedAdvisory> interactionsTold;
  std::vector<std::string> reservedNames;
  std::vector<SavedKnownInstance> instances;
  std::vector<SavedRow> rows;
  std::vector<SavedMessage> queued;
  std::vector<SavedMessage> held;
  std::vector<SavedMessage> timestamped;
  std::uint64_t messageSerial = 0;
  std::vector<SavedRetractable> retractable;
  std::vector<SavedDeletion> deleted;
  std::vector<SavedDelivered> delivered;
  std::vector<SavedInteractionKind> interactionKinds;
  SavedRegions regions;
  SavedUpdateAdvisories updateAdvisories;
  std::vector<SavedSought> sought;
  std::uint64_t soughtSerial = 0;
  fabric::Bytes deferred;  ///< records of the log that have not acted yet
  SavedManagement management;
  std::vector<SavedName> formerNames;  ///< of those who have left
  template <class A>
  void fields(A& a) {
    a(time, instanceCounter, timestampedSequence, objectAdvisory, interactionAdvisory,
      registrationTold, interactionsTold, reservedNames, instances, rows, queued, held, timestamped,
      messageSerial, retractable, deleted, delivered, interactionKinds, regions, updateAdvisories,
      sought, soughtSerial, deferred, management, formerNames);
  }
};

}  // namespace tutti::core
