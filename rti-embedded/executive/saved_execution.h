// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executive/model_source.h"
#include "fabric/protocol_mom.h"
#include "fabric/protocol_order.h"
#include "fabric/protocol_save.h"

/// A saved federation execution, as the node keeps it in a file.
namespace tutti::executive {

/// A live row of the table of a federate's instances.
struct SavedInstance {
  std::uint32_t row = 0;
  std::uint64_t instance = 0;
  std::uint32_t objectClass = 0;
  std::string name;                  ///< empty: the generated one
  std::vector<std::uint32_t> owned;  ///< by the registrant when it registered it
  template <class A>
  void fields(A& a) {
    a(row, instance, objectClass, name, owned);
  }
};

struct SavedMember {
  fabric::FederateNumber federate = 0;
  std::string name;
  std::string type;
  std::uint32_t automaticResignAction = 0;
  std::vector<fabric::ObjectClassDeclaredRecord> objectClasses;
  std::vector<fabric::InteractionClassDeclaredRecord> interactions;
  std::vector<std::uint32_t> onceSubscribed;  ///< object classes
  std::vector<fabric::ObjectClassRegionsRecord> objectClassRegions;
  std::vector<fabric::InteractionClassRegionsRecord> interactionRegions;
  std::vector<fabric::ModuleBytes> modules;        ///< it came with them
  std::vector<SavedInstance> instances;            ///< that it registered
  std::uint32_t reportPeriod = 0;                  ///< HLAsetTiming, in seconds
  fabric::SavedStateRequest own;                   ///< what its library knows
  template <class A>
  void fields(A& a) {
    a(federate, name, type, automaticResignAction, objectClasses, interactions, onceSubscribed,
      objectClassRegions, interactionRegions, modules, instances, reportPeriod, own);
  }
};

struct SavedName {
  std::string name;
  fabric::FederateNumber holder = 0;  ///< 0: an instance that nobody owns
  template <class A>
  void fields(A& a) {
    a(name, holder);
  }
};

struct SavedAchievement {
  fabric::FederateNumber federate = 0;
  bool successfully = true;
  template <class A>
  void fields(A& a) {
    a(federate, successfully);
  }
};
struct SavedPoint {
  std::string label;
  fabric::Bytes tag;
  bool everyone = true;
  std::vector<fabric::FederateNumber> members;
  std::vector<SavedAchievement> achieved;
  template <class A>
  void fields(A& a) {
    a(label, tag, everyone, members, achieved);
  }
};

/// Instances whose registrant has left.
struct SavedTable {
  fabric::FederateNumber registrant = 0;
  std::string name;  ///< of the registrant
  std::vector<SavedInstance> instances;
  template <class A>
  void fields(A& a) {
    a(registrant, name, instances);
  }
};

struct SavedSeeker {
  fabric::FederateNumber federate = 0;
  bool ifAvailable = false;
  fabric::Bytes tag;
  std::uint64_t serial = 0;
  template <class A>
  void fields(A& a) {
    a(federate, ifAvailable, tag, serial);
  }
};
struct SavedAttributeOwnership {
  std::uint32_t attribute = 0;
  fabric::FederateNumber owner = 0;
  bool divesting = false;
  fabric::Bytes offer;
  std::vector<SavedSeeker> seekers;
  template <class A>
  void fields(A& a) {
    a(attribute, owner, divesting, offer, seekers);
  }
};
/// Of an instance whose ownership was ever asked about.
struct SavedOwnership {
  std::uint64_t instance = 0;
  std::uint32_t row = 0;
  std::vector<SavedAttributeOwnership> attributes;
  template <class A>
  void fields(A& a) {
    a(instance, row, attributes);
  }
};

struct SavedExecution {
  static constexpr std::uint32_t currentFormat = 7;

  std::uint32_t format = currentFormat;
  std::string federation;
  std::string label;
  std::string timeImplementation;
  ModelHistory model;
  fabric::FederateNumber lastFederate = 0;
  fabric::FederateNumber management = 0;  ///< the hidden member that served the MOM; 0: none
  std::vector<SavedMember> members;
  std::vector<SavedName> names;
  std::vector<SavedPoint> points;
  std::vector<SavedTable> tables;
  std::vector<SavedOwnership> ownership;
  std::uint8_t autoProvide = 0;  ///< 0: as the object model says, 1: off, 2: on
  std::vector<fabric::AttributeTransportationRecord> attributeTransportations;
  std::vector<fabric::InteractionTransportationRecord> interactionTransportations;
  template <class A>
  void fields(A& a) {
    a(format, federation, label, timeImplementation, model, lastFederate, management, members,
      names, points, tables, autoProvide, attributeTransportations, interactionTransportations,
      ownership);
  }
};

}  // namespace tutti::executive
