// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "executive/answer.h"
#include "fabric/protocol_ownership.h"

namespace tutti::executive {

/// Who owns, offers and seeks the attributes of the object instances whose ownership was ever asked
/// about (IEEE 1516.1-2010, 7). The rules only, as plain values: what a request leads to is decided
/// first, written to the log by the caller, and then kept.
///
/// Those who seek an attribute stand in line: it goes to whoever asked first. Only its owner gives
/// an attribute away, by a service of its own or by leaving.
class Ownership {
 public:
  using Attribute = std::uint32_t;
  using ObjectInstance = std::uint64_t;

  struct Seeker {
    fabric::FederateNumber federate = 0;
    bool ifAvailable = false;  ///< 7.9: only while it is unowned or being divested
    fabric::Bytes tag;         ///< of the acquisition request
    std::uint64_t serial = 0;  ///< of its newest request
    bool operator==(const Seeker&) const = default;
  };
  struct State {
    fabric::FederateNumber owner = 0;  ///< 0: nobody
    bool divesting = false;            ///< 7.3 is in effect
    fabric::Bytes offer;               ///< tag of the divestiture request
    std::vector<Seeker> seekers;       ///< first come first; none while nobody owns it

    /// Whoever is able to shall be asked to assume it.
    bool available() const { return owner == 0 || (divesting && seekers.empty()); }
    bool operator==(const State&) const = default;
  };
  struct Instance {
    std::uint32_t row = 0;
    std::map<Attribute, State> attributes;  ///< what is not in here is unowned

    fabric::FederateNumber owner(Attribute attribute) const;
  };

  /// What follows from a request.
  struct Decision {
    Instance instance;                      ///< as it is afterwards
    fabric::OwnershipChangedRecord record;  ///< its instance is not set
    std::vector<Attribute> divested;        ///< 7.13

    bool isNothing() const { return record.changes.empty() && record.notices.empty(); }
  };

  /// What the request of `federate` leads to; refused where its service's exceptions say so.
  static Answer<Decision> decide(const Instance& instance, fabric::FederateNumber federate,
                                 const fabric::OwnershipRequest& request);
  /// 5.3: the federate no longer publishes these attributes.
  static Decision unpublish(const Instance& instance, fabric::FederateNumber federate,
                            const std::vector<Attribute>& attributes);
  /// 4.10: the federate leaves. What it owned without anybody in line is unowned afterwards, which
  /// the record leaves out: everybody concludes that from its resignation.
  static Decision leave(const Instance& instance, fabric::FederateNumber federate);

  const Instance* find(ObjectInstance instance) const;
  void keep(ObjectInstance instance, Instance state);
  void end(ObjectInstance instance) { instances_.erase(instance); }
  const std::map<ObjectInstance, Instance>& instances() const { return instances_; }

  /// The record from which on the log tells how the instance stands.
  static fabric::OwnershipBegunRecord begun(ObjectInstance instance, const Instance& state);

 private:
  std::map<ObjectInstance, Instance> instances_;
};

}  // namespace tutti::executive
