// SPDX-License-Identifier: Apache-2.0
#include "executive/ownership.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace tutti::executive {

using fabric::Bytes;
using fabric::FederateNumber;
using fabric::OwnershipEvent;
using fabric::OwnershipOperation;
using fabric::Refusal;

namespace {

using Attribute = Ownership::Attribute;
using Seeker = Ownership::Seeker;
using State = Ownership::State;

fabric::AttributeOwnership told(Attribute attribute, const State& state) {
  return {attribute, state.owner, state.available(), state.available() ? state.offer : Bytes{}};
}

/// Changes an instance and notes what everybody has to be told of it.
class Change {
 public:
  explicit Change(const Ownership::Instance& before) : before_(before) {
    decision_.instance = before;
  }

  State& at(Attribute attribute) { return decision_.instance.attributes[attribute]; }

  void tell(FederateNumber federate, OwnershipEvent event, Attribute attribute,
            const Bytes& tag = {}, std::uint64_t serial = 0) {
    auto& notices = decision_.record.notices;
    const auto same = std::find_if(notices.begin(), notices.end(), [&](const auto& notice) {
      return notice.federate == federate && notice.event == event && notice.tag == tag &&
             notice.serial == serial;
    });
    if (same != notices.end()) {
      same->attributes.push_back(attribute);
    } else {
      notices.push_back({federate, event, {attribute}, tag, serial});
    }
  }

  /// The owner gives the attribute up: to the first in line, else to nobody.
  void release(Attribute attribute, const Bytes& tag) {
    State& state = at(attribute);
    state.divesting = false;
    state.offer.clear();
    state.owner = 0;
    if (state.seekers.empty()) return;
    const Seeker first = state.seekers.front();
    state.owner = first.federate;
    state.seekers.erase(state.seekers.begin());
    tell(state.owner, OwnershipEvent::Acquired, attribute, tag, first.serial);
    ownerKeeps(attribute);
  }

  /// The attribute has an owner who does not want to give it away: those who would have taken it
  /// only then are told, and the owner of those who go on seeking.
  void ownerKeeps(Attribute attribute) {
    State& state = at(attribute);
    for (const Seeker& seeker : state.seekers) {
      if (seeker.ifAvailable) {
        tell(seeker.federate, OwnershipEvent::Unavailable, attribute, {}, seeker.serial);
      } else {
        tell(state.owner, OwnershipEvent::ReleaseRequested, attribute, seeker.tag);
      }
    }
    std::erase_if(state.seekers, [](const Seeker& seeker) { return seeker.ifAvailable; });
  }

  void acquire(FederateNumber federate, Attribute attribute,
               const fabric::OwnershipRequest& request) {
    const bool ifAvailable = request.operation == OwnershipOperation::AcquisitionIfAvailable;
    State& state = at(attribute);
    // Its notification may still be on the way.
    if (state.owner == federate) return;
    if (state.owner == 0) {
      state.owner = federate;
      tell(federate, OwnershipEvent::Acquired, attribute, {}, request.serial);
      return;
    }
    const auto mine =
        std::find_if(state.seekers.begin(), state.seekers.end(),
                     [federate](const Seeker& seeker) { return seeker.federate == federate; });
    const bool isNew = mine == state.seekers.end();
    if (ifAvailable && (!isNew || !state.divesting)) {
      if (isNew) tell(federate, OwnershipEvent::Unavailable, attribute, {}, request.serial);
      return;
    }
    const bool first = state.seekers.empty();
    if (isNew) {
      state.seekers.push_back({federate, ifAvailable, request.tag, request.serial});
    } else {
      mine->ifAvailable = false;
      mine->tag = request.tag;
      mine->serial = request.serial;
    }
    if (!state.divesting) {
      tell(state.owner, OwnershipEvent::ReleaseRequested, attribute, request.tag);
    } else if (first) {
      tell(state.owner, OwnershipEvent::DivestitureConfirmationRequested, attribute);
    }
  }

  /// It becomes the owner without being told of it, and whoever was the owner is not told either.
  void grant(FederateNumber federate, Attribute attribute) {
    if (at(attribute).owner == federate) return;
    withdraw(federate, attribute);
    State& state = at(attribute);
    state.owner = federate;
    state.divesting = false;
    state.offer.clear();
    ownerKeeps(attribute);
  }

  /// Takes the federate out of the line: its place in it, if it stood there.
  std::optional<Seeker> withdraw(FederateNumber federate, Attribute attribute) {
    auto& seekers = at(attribute).seekers;
    const auto mine = std::find_if(seekers.begin(), seekers.end(), [federate](const Seeker& one) {
      return one.federate == federate;
    });
    if (mine == seekers.end()) return std::nullopt;
    Seeker gone = std::move(*mine);
    seekers.erase(mine);
    return gone;
  }

  std::vector<Attribute>& divested() { return decision_.divested; }

  Ownership::Decision finish() {
    static const State unowned;
    for (const auto& [attribute, state] : decision_.instance.attributes) {
      const auto found = before_.attributes.find(attribute);
      const State& old = found == before_.attributes.end() ? unowned : found->second;
      if (old.owner == state.owner && old.available() == state.available()) continue;
      decision_.record.changes.push_back(told(attribute, state));
    }
    std::erase_if(decision_.instance.attributes,
                  [](const auto& item) { return item.second == unowned; });
    return std::move(decision_);
  }

 private:
  const Ownership::Instance& before_;
  Ownership::Decision decision_;
};

std::string list(const std::vector<Attribute>& attributes) {
  std::string text;
  for (const Attribute attribute : attributes) {
    text += (text.empty() ? "" : ", ") + std::to_string(attribute);
  }
  return text;
}

/// Refuses when the condition fails for one of the attributes.
template <class Condition>
Answer<void> demand(const std::vector<Attribute>& attributes, Refusal refusal, const char* what,
                    Condition&& holds) {
  std::vector<Attribute> wrong;
  std::copy_if(attributes.begin(), attributes.end(), std::back_inserter(wrong),
               [&](Attribute attribute) { return !holds(attribute); });
  if (wrong.empty()) return {};
  return refuse(refusal, "of attribute " + list(wrong) + " " + what);
}

}  // namespace

FederateNumber Ownership::Instance::owner(Attribute attribute) const {
  const auto found = attributes.find(attribute);
  return found == attributes.end() ? 0 : found->second.owner;
}

Answer<Ownership::Decision> Ownership::decide(const Instance& instance, FederateNumber federate,
                                              const fabric::OwnershipRequest& request) {
  Change change(instance);
  const std::vector<Attribute>& attributes = request.attributes;
  const auto owned = [&] {
    return demand(attributes, Refusal::AttributeNotOwned, "this federate is not the owner",
                  [&](Attribute attribute) { return instance.owner(attribute) == federate; });
  };
  const auto divesting = [&] {
    return demand(attributes, Refusal::AttributeDivestitureWasNotRequested,
                  "no negotiated divestiture is in effect",
                  [&](Attribute attribute) { return change.at(attribute).divesting; });
  };

  switch (request.operation) {
    case OwnershipOperation::UnconditionalDivestiture:
      if (auto checked = owned(); !checked) return tl::unexpected(checked.error());
      for (const Attribute attribute : attributes) change.release(attribute, {});
      break;

    case OwnershipOperation::NegotiatedDivestiture: {
      if (auto checked = owned(); !checked) return tl::unexpected(checked.error());
      auto free = demand(attributes, Refusal::AttributeAlreadyBeingDivested,
                         "a negotiated divestiture is in effect already",
                         [&](Attribute attribute) { return !change.at(attribute).divesting; });
      if (!free) return tl::unexpected(free.error());
      for (const Attribute attribute : attributes) {
        State& state = change.at(attribute);
        state.divesting = true;
        state.offer = request.tag;
        if (!state.seekers.empty()) {
          change.tell(federate, OwnershipEvent::DivestitureConfirmationRequested, attribute);
        }
      }
      break;
    }

    case OwnershipOperation::ConfirmDivestiture: {
      if (auto checked = owned(); !checked) return tl::unexpected(checked.error());
      if (auto checked = divesting(); !checked) return tl::unexpected(checked.error());
      auto wanted =
          demand(attributes, Refusal::NoAcquisitionPending, "no acquisition is pending any more",
                 [&](Attribute attribute) { return !change.at(attribute).seekers.empty(); });
      if (!wanted) return tl::unexpected(wanted.error());
      for (const Attribute attribute : attributes) change.release(attribute, request.tag);
      break;
    }

    case OwnershipOperation::Acquisition:
    case OwnershipOperation::AcquisitionIfAvailable:
      for (const Attribute attribute : attributes) change.acquire(federate, attribute, request);
      break;

    case OwnershipOperation::ReleaseDenied:
      if (auto checked = owned(); !checked) return tl::unexpected(checked.error());
      for (const Attribute attribute : attributes) {
        State& state = change.at(attribute);
        if (state.divesting) continue;
        for (const Seeker& seeker : state.seekers) {
          change.tell(seeker.federate, OwnershipEvent::Unavailable, attribute, {}, seeker.serial);
        }
        state.seekers.clear();
      }
      break;

    case OwnershipOperation::DivestitureIfWanted:
      if (auto checked = owned(); !checked) return tl::unexpected(checked.error());
      for (const Attribute attribute : attributes) {
        if (change.at(attribute).seekers.empty()) continue;
        change.release(attribute, {});
        change.divested().push_back(attribute);
      }
      break;

    case OwnershipOperation::CancelNegotiatedDivestiture:
      if (auto checked = owned(); !checked) return tl::unexpected(checked.error());
      if (auto checked = divesting(); !checked) return tl::unexpected(checked.error());
      for (const Attribute attribute : attributes) {
        State& state = change.at(attribute);
        state.divesting = false;
        state.offer.clear();
        change.ownerKeeps(attribute);
      }
      break;

    case OwnershipOperation::CancelAcquisition:
      // Who is no longer in line has its answer on the way.
      for (const Attribute attribute : attributes) {
        if (const auto gone = change.withdraw(federate, attribute)) {
          change.tell(federate, OwnershipEvent::AcquisitionCancelled, attribute, {}, gone->serial);
        }
      }
      break;

    case OwnershipOperation::Grant:
      for (const Attribute attribute : attributes) change.grant(federate, attribute);
      break;

    case OwnershipOperation::Withdraw:
      for (const Attribute attribute : attributes) {
        if (change.at(attribute).owner == federate) change.release(attribute, {});
      }
      break;

    default:
      return refuse(Refusal::Internal, "the ownership request is malformed");
  }
  return change.finish();
}

Ownership::Decision Ownership::unpublish(const Instance& instance, FederateNumber federate,
                                         const std::vector<Attribute>& attributes) {
  Change change(instance);
  for (const Attribute attribute : attributes) {
    change.withdraw(federate, attribute);
    if (change.at(attribute).owner == federate) change.release(attribute, {});
  }
  return change.finish();
}

Ownership::Decision Ownership::leave(const Instance& instance, FederateNumber federate) {
  Change change(instance);
  for (const auto& [attribute, state] : instance.attributes) {
    change.withdraw(federate, attribute);
    if (state.owner == federate) change.release(attribute, {});
  }
  Decision decision = change.finish();
  std::erase_if(decision.record.changes, [](const auto& each) { return each.owner == 0; });
  return decision;
}

const Ownership::Instance* Ownership::find(ObjectInstance instance) const {
  const auto found = instances_.find(instance);
  return found == instances_.end() ? nullptr : &found->second;
}

void Ownership::keep(ObjectInstance instance, Instance state) {
  instances_.insert_or_assign(instance, std::move(state));
}

fabric::OwnershipBegunRecord Ownership::begun(ObjectInstance instance, const Instance& state) {
  fabric::OwnershipBegunRecord record{instance, state.row, {}};
  for (const auto& [attribute, each] : state.attributes) {
    if (each.owner != 0) record.attributes.push_back(told(attribute, each));
  }
  return record;
}

}  // namespace tutti::executive
