// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/layout.h"
#include "fabric/wire.h"

/// Ownership of instance attributes (IEEE 1516.1-2010, 7) between a federate and the executive.
///
/// An instance belongs to its registrant as its row says until the first request concerns it; from
/// then on what the log says holds, for as long as the instance lives. Instances are named by their
/// handle and their row in the registrant's table.
namespace tutti::fabric {

/// The owner of the instance attributes that the RTI itself updates (7.17: owned by the RTI).
inline constexpr FederateNumber ownedByRti = 0xffffffff;

enum class OwnershipOperation : std::uint8_t {
  UnconditionalDivestiture = 1,     ///< 7.2
  NegotiatedDivestiture = 2,        ///< 7.3
  ConfirmDivestiture = 3,           ///< 7.6
  Acquisition = 4,                  ///< 7.8
  AcquisitionIfAvailable = 5,       ///< 7.9
  ReleaseDenied = 6,                ///< 7.12
  DivestitureIfWanted = 7,          ///< 7.13
  CancelNegotiatedDivestiture = 8,  ///< 7.14
  CancelAcquisition = 9,            ///< 7.15
  Grant = 10,                       ///< HLAmodifyAttributeState (11.4.1): it becomes the owner
  Withdraw = 11,                    ///< the same: it owns it no longer
};

struct OwnershipRequest {
  OwnershipOperation operation{};
  std::uint64_t instance = 0;
  std::uint32_t row = 0;
  std::vector<std::uint32_t> attributes;
  Bytes tag;
  std::uint64_t serial = 0;  ///< of an acquisition: comes back with its answer
  template <class A>
  void fields(A& a) {
    a(operation, instance, row, attributes, tag, serial);
  }
};
struct OwnershipReply {
  std::vector<std::uint32_t> divested;  ///< DivestitureIfWanted: what went to somebody
  template <class A>
  void fields(A& a) {
    a(divested);
  }
};

/// What the federate no longer publishes, by the instances that it knows (5.3): divested if owned,
/// and no longer sought.
struct UnpublishInstancesRequest {
  struct Item {
    std::uint64_t instance = 0;
    std::uint32_t row = 0;
    std::vector<std::uint32_t> attributes;
    template <class A>
    void fields(A& a) {
      a(instance, row, attributes);
    }
  };
  std::vector<Item> instances;
  template <class A>
  void fields(A& a) {
    a(instances);
  }
};

/// 6.14, for an instance that the executive keeps the ownership of.
struct DeleteInstanceRequest {
  std::uint64_t instance = 0;
  template <class A>
  void fields(A& a) {
    a(instance);
  }
};

// --- control log ---------------------------------------------------------------------------------

struct AttributeOwnership {
  std::uint32_t attribute = 0;
  FederateNumber owner = 0;  ///< 0: nobody
  bool available = false;    ///< whoever is able to shall be asked to assume it (7.4)
  Bytes tag;                 ///< of the divestiture request that makes it available
  template <class A>
  void fields(A& a) {
    a(attribute, owner, available, tag);
  }
};

/// From here on the log says who owns what of the instance. What is not listed is unowned.
struct OwnershipBegunRecord {
  std::uint64_t instance = 0;
  std::uint32_t row = 0;
  std::vector<AttributeOwnership> attributes;
  template <class A>
  void fields(A& a) {
    a(instance, row, attributes);
  }
};

/// Each is the callback of one federate.
enum class OwnershipEvent : std::uint8_t {
  DivestitureConfirmationRequested = 1,  ///< 7.5
  Acquired = 2,                          ///< 7.7
  Unavailable = 3,                       ///< 7.10
  ReleaseRequested = 4,                  ///< 7.11
  AcquisitionCancelled = 5,              ///< 7.16
};

struct OwnershipNotice {
  FederateNumber federate = 0;
  OwnershipEvent event{};
  std::vector<std::uint32_t> attributes;
  Bytes tag;
  std::uint64_t serial = 0;  ///< of the request that this answers; of the newest for an attribute
  template <class A>
  void fields(A& a) {
    a(federate, event, attributes, tag, serial);
  }
};

struct OwnershipChangedRecord {
  std::uint64_t instance = 0;
  std::vector<AttributeOwnership> changes;  ///< what holds from here on
  std::vector<OwnershipNotice> notices;
  template <class A>
  void fields(A& a) {
    a(instance, changes, notices);
  }
};

/// The instance is deleted, and its row free. Those who know it are told by its deleter.
struct OwnershipEndedRecord {
  std::uint64_t instance = 0;
  std::uint32_t row = 0;
  template <class A>
  void fields(A& a) {
    a(instance, row);
  }
};

}  // namespace tutti::fabric
