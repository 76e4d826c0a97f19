// SPDX-License-Identifier: Apache-2.0
// Ownership management (IEEE 1516.1-2010, 7): what this federate asks for, and what it is told.
#include <algorithm>
#include <string>
#include <utility>

#include "core/federate.h"

namespace tutti::core {
namespace {

using fabric::OwnershipEvent;
using fabric::OwnershipOperation;
using fabric::Request;

// Values of rti1516e::ResignAction.
constexpr std::uint32_t deleteObjects = 1;
constexpr std::uint32_t cancelPendingAcquisitions = 2;
constexpr std::uint32_t cancelThenDeleteThenDivest = 4;
constexpr std::uint32_t noAction = 5;

std::vector<Attribute> eachOnce(std::vector<Attribute> attributes) {
  std::sort(attributes.begin(), attributes.end());
  attributes.erase(std::unique(attributes.begin(), attributes.end()), attributes.end());
  return attributes;
}

}  // namespace

// --- who owns what -------------------------------------------------------------------------------

std::vector<Attribute> Federate::listOf(ObjectClass objectClass, const AttributeSet& set) const {
  std::vector<Attribute> list;
  const auto& all = model_->objectClass(objectClass).attributes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (set.test(i)) list.push_back(all[i]);
  }
  return list;
}

AttributeSet Federate::setOf(ObjectClass objectClass, const std::vector<Attribute>& list) const {
  AttributeSet set;
  for (const Attribute attribute : list) {
    const int index = model_->indexOf(objectClass, attribute);
    if (index >= 0) set.set(static_cast<std::size_t>(index));
  }
  return set;
}

FederateNumber Federate::ownerOf(ObjectInstance instance, const Known& known,
                                 Attribute attribute) const {
  if (const auto traded = traded_.find(instance); traded != traded_.end()) {
    const auto found = traded->second.attributes.find(attribute);
    return found == traded->second.attributes.end() ? 0 : found->second.owner;
  }
  const int index = model_->indexOf(known.registeredClass, attribute);
  const bool atFirst = index >= 0 && known.atFirst.test(static_cast<std::size_t>(index));
  return atFirst && members_.contains(known.producer()) ? known.producer() : 0;
}

void Federate::setOwned(ObjectInstance instance, Known& known, Attribute attribute, bool owned) {
  const int index = model_->indexOf(known.registeredClass, attribute);
  if (index < 0 || known.owned.test(static_cast<std::size_t>(index)) == owned) return;
  if (owned) {
    known.owned.set(static_cast<std::size_t>(index));
  } else {
    known.owned.reset(static_cast<std::size_t>(index));
  }
  if (known.regions.set != nullptr) {
    // The regions with which it is updated are its owner's choice: they go with ownership, and
    // those chosen before it was acquired count from then on.
    AttributeRegions regions = regionsOf(known);
    const auto ofAttribute = [attribute](const AttributeRegion& one) {
      return one.attribute == attribute;
    };
    if (std::any_of(regions.begin(), regions.end(), ofAttribute)) {
      if (!owned) std::erase_if(regions, ofAttribute);
      associate(known, regions);
    }
  }
  if (!owned && !turnedOn_.empty()) {
    if (const auto told = turnedOn_.find(instance); told != turnedOn_.end()) {
      told->second.erase(attribute);
    }
  }
  if (attribute != model_->privilegeToDelete()) return;
  auto& deletable = block_->counters.instancesDeletable;
  const std::uint64_t number = deletable.load(std::memory_order_relaxed);
  deletable.store(owned ? number + 1 : number - 1, std::memory_order_relaxed);
}

/// With the notification (7.7), or by HLAmodifyAttributeState.
void Federate::takeOwnership(ObjectInstance instance, Known& known, Attribute attribute) {
  // Of whichever request: it is what was asked for.
  if (const auto sought = sought_.find(instance); sought != sought_.end()) {
    sought->second.erase(attribute);
    if (sought->second.empty()) sought_.erase(sought);
  }
  setOwned(instance, known, attribute, true);
  if (known.kinds) {
    const int index = model_->indexOf(known.registeredClass, attribute);
    (*known.kinds)[static_cast<std::size_t>(index)] = modelKindOf(attribute);
  }
}

bool Federate::isDeletedHere(ObjectInstance instance) const {
  return std::any_of(deleted_.begin(), deleted_.end(),
                     [&](const Deleted& deletion) { return deletion.instance == instance; });
}

/// 6.9: there is a subscribed attribute within a region, that another federate owns, `now`, or else
/// when the instance was registered: its registrant may have left since it told of it.
bool Federate::isDiscoverable(const InstanceEntry& entry, FederateNumber registrant, bool now,
                              std::span<const AttributeRegion> regions) {
  if (!model_->hasObjectClass(entry.objectClass) || removed_.contains(entry.instance) ||
      isDeletedHere(entry.instance)) {
    return false;
  }
  const ObjectClass knownAs = declarations_.subscribedAt(self_, entry.objectClass);
  if (knownAs == 0) return false;
  const bool anywhere = regions.empty() && declarations_.withRegions(self_, knownAs) == nullptr;
  if (!anywhere) bounds_.clear();
  const std::vector<Attribute> wanted = declarations_.allSubscribed(self_, knownAs);
  const auto isWanted = [&](Attribute attribute) {
    if (std::find(wanted.begin(), wanted.end(), attribute) == wanted.end()) return false;
    if (anywhere) return true;
    const auto ranges = rangesOf(regions, attribute);
    return ranges && isSubscribedInScope(knownAs, attribute, *ranges);
  };
  const auto traded = traded_.find(entry.instance);
  if (traded != traded_.end()) {
    const auto& attributes = traded->second.attributes;
    const bool owned = std::any_of(attributes.begin(), attributes.end(), [&](const auto& item) {
      return item.second.owner != 0 && item.second.owner != self_ && isWanted(item.first);
    });
    if (owned || now) return owned;
  }
  return registrant != self_ && (!now || members_.contains(registrant)) &&
         std::any_of(entry.owned.begin(), entry.owned.end(), isWanted);
}

// --- services ------------------------------------------------------------------------------------

Federate::Known& Federate::checkInstanceAttributes(ObjectInstance instance,
                                                   const std::vector<Attribute>& attributes) {
  requireJoined();
  applyLog();
  Known& known = knownInstance(instance);
  checkObjectClass(known.objectClass, attributes);
  return known;
}

void Federate::checkOwned(const Known& known, const std::vector<Attribute>& attributes) const {
  for (const Attribute attribute : attributes) {
    const int index = model_->indexOf(known.registeredClass, attribute);
    if (index >= 0 && known.owned.test(static_cast<std::size_t>(index))) continue;
    fail(Fault::AttributeNotOwned, "Attribute " + model_->attribute(attribute).name + " of '" +
                                       known.nameText() + "' is not owned by this federate.");
  }
}

void Federate::checkAcquirable(const Known& known, const std::vector<Attribute>& attributes) const {
  for (const Attribute attribute : attributes) {
    const int index = model_->indexOf(known.registeredClass, attribute);
    if (index < 0 || !known.owned.test(static_cast<std::size_t>(index))) continue;
    fail(Fault::FederateOwnsAttributes, "Attribute " + model_->attribute(attribute).name + " of '" +
                                            known.nameText() +
                                            "' is owned by this federate already.");
  }
  const auto* own = declarations_.of(self_);
  if (own == nullptr || !own->published.contains(known.objectClass)) {
    fail(Fault::ObjectClassNotPublished, "This federate does not publish object class " +
                                             model_->objectClass(known.objectClass).name +
                                             ", as which it knows '" + known.nameText() +
                                             "': publish it before acquiring attributes.");
  }
  const std::vector<Attribute>& published = own->published.at(known.objectClass).attributes;
  for (const Attribute attribute : attributes) {
    if (std::find(published.begin(), published.end(), attribute) != published.end()) continue;
    fail(Fault::AttributeNotPublished, "This federate does not publish attribute " +
                                           model_->attribute(attribute).name + " of object class " +
                                           model_->objectClass(known.objectClass).name +
                                           ": publish it before acquiring it.");
  }
}

std::vector<Attribute> Federate::askOwnership(OwnershipOperation operation, ObjectInstance instance,
                                              const std::vector<Attribute>& attributes,
                                              std::span<const std::byte> tag) {
  fabric::OwnershipRequest request;
  request.operation = operation;
  request.instance = instance;
  request.row = instances_.at(instance).row;
  request.attributes = eachOnce(attributes);
  request.tag.assign(tag.begin(), tag.end());
  request.serial = soughtSerial_;
  try {
    auto reply = connection_.ask<fabric::OwnershipReply>(Request::Ownership, request);
    return std::move(reply.divested);
  } catch (const ServiceFault& fault) {
    if (fault.fault != Fault::ObjectInstanceNotKnown) throw;
  }
  // It is deleted, as by the death of its registrant, and this federate knows it until the removal
  // is delivered: that ends all that could be asked for. What is given away is so at once.
  if (operation == OwnershipOperation::UnconditionalDivestiture ||
      operation == OwnershipOperation::ConfirmDivestiture) {
    Known& known = instances_.at(instance);
    for (const Attribute attribute : request.attributes) {
      setOwned(instance, known, attribute, false);
    }
  }
  return {};
}

void Federate::seek(OwnershipOperation operation, ObjectInstance instance,
                    const std::vector<Attribute>& attributes, std::span<const std::byte> tag) {
  ++soughtSerial_;
  askOwnership(operation, instance, attributes, tag);
  auto& sought = sought_[instance];
  for (const Attribute attribute : attributes) {
    sought[attribute] = {soughtSerial_, operation == OwnershipOperation::AcquisitionIfAvailable};
  }
  applyLog();
}

void Federate::unconditionalDivestiture(ObjectInstance instance,
                                        const std::vector<Attribute>& attributes) {
  checkOwned(checkInstanceAttributes(instance, attributes), attributes);
  if (attributes.empty()) return;
  askOwnership(OwnershipOperation::UnconditionalDivestiture, instance, attributes);
  applyLog();
}

void Federate::negotiatedDivestiture(ObjectInstance instance,
                                     const std::vector<Attribute>& attributes,
                                     std::span<const std::byte> tag) {
  checkOwned(checkInstanceAttributes(instance, attributes), attributes);
  if (attributes.empty()) return;
  askOwnership(OwnershipOperation::NegotiatedDivestiture, instance, attributes, tag);
  applyLog();
}

void Federate::confirmDivestiture(ObjectInstance instance, const std::vector<Attribute>& attributes,
                                  std::span<const std::byte> tag) {
  checkOwned(checkInstanceAttributes(instance, attributes), attributes);
  if (attributes.empty()) return;
  askOwnership(OwnershipOperation::ConfirmDivestiture, instance, attributes, tag);
  applyLog();
}

void Federate::acquire(ObjectInstance instance, const std::vector<Attribute>& attributes,
                       std::span<const std::byte> tag) {
  checkAcquirable(checkInstanceAttributes(instance, attributes), attributes);
  if (attributes.empty()) return;
  seek(OwnershipOperation::Acquisition, instance, attributes, tag);
}

void Federate::acquireIfAvailable(ObjectInstance instance,
                                  const std::vector<Attribute>& attributes) {
  const Known& known = checkInstanceAttributes(instance, attributes);
  checkAcquirable(known, attributes);
  if (attributes.empty()) return;
  if (const auto sought = sought_.find(instance); sought != sought_.end()) {
    for (const Attribute attribute : attributes) {
      if (!sought->second.contains(attribute)) continue;
      fail(Fault::AttributeAlreadyBeingAcquired,
           "This federate has asked already to own attribute " + model_->attribute(attribute).name +
               " of '" + known.nameText() + "': wait for the answer.");
    }
  }
  seek(OwnershipOperation::AcquisitionIfAvailable, instance, attributes, {});
}

void Federate::denyRelease(ObjectInstance instance, const std::vector<Attribute>& attributes) {
  checkOwned(checkInstanceAttributes(instance, attributes), attributes);
  if (attributes.empty()) return;
  askOwnership(OwnershipOperation::ReleaseDenied, instance, attributes);
  applyLog();
}

std::vector<Attribute> Federate::divestIfWanted(ObjectInstance instance,
                                                const std::vector<Attribute>& attributes) {
  checkOwned(checkInstanceAttributes(instance, attributes), attributes);
  if (attributes.empty()) return {};
  auto divested = askOwnership(OwnershipOperation::DivestitureIfWanted, instance, attributes);
  applyLog();
  return divested;
}

void Federate::cancelNegotiatedDivestiture(ObjectInstance instance,
                                           const std::vector<Attribute>& attributes) {
  checkOwned(checkInstanceAttributes(instance, attributes), attributes);
  if (attributes.empty()) return;
  askOwnership(OwnershipOperation::CancelNegotiatedDivestiture, instance, attributes);
  applyLog();
}

void Federate::cancelAcquisition(ObjectInstance instance,
                                 const std::vector<Attribute>& attributes) {
  const Known& known = checkInstanceAttributes(instance, attributes);
  for (const Attribute attribute : attributes) {
    const int index = model_->indexOf(known.registeredClass, attribute);
    if (!known.owned.test(static_cast<std::size_t>(index))) continue;
    fail(Fault::AttributeAlreadyOwned, "Attribute " + model_->attribute(attribute).name + " of '" +
                                           known.nameText() +
                                           "' is owned by this federate already.");
  }
  const auto sought = sought_.find(instance);
  for (const Attribute attribute : attributes) {
    if (sought != sought_.end()) {
      const auto one = sought->second.find(attribute);
      if (one != sought->second.end() && !one->second.willing) continue;
    }
    fail(Fault::AttributeAcquisitionWasNotRequested,
         "This federate has not requested the acquisition of attribute " +
             model_->attribute(attribute).name + " of '" + known.nameText() + "'.");
  }
  if (attributes.empty()) return;
  askOwnership(OwnershipOperation::CancelAcquisition, instance, attributes);
  applyLog();
}

void Federate::queryOwnership(ObjectInstance instance, Attribute attribute) {
  const Known& known = checkInstanceAttributes(instance, {attribute});
  // What the log says is what the executive decided last.
  FederateNumber owner = ownerOf(instance, known, attribute);
  if (owner != 0 && owner == mom_.endpoint) owner = fabric::ownedByRti;
  drainAll();
  queueCall([instance, attribute, owner](Callbacks& c) {
    c.ownershipInformed(instance, attribute, owner);
  });
}

void Federate::setOwnership(ObjectInstance instance, Attribute attribute, bool owned) {
  const std::vector<Attribute> attributes{attribute};
  const Known& known = checkInstanceAttributes(instance, attributes);
  const int index = model_->indexOf(known.registeredClass, attribute);
  if (known.owned.test(static_cast<std::size_t>(index)) == owned) return;
  if (owned) {
    checkAcquirable(known, attributes);
    const FederateNumber owner = ownerOf(instance, known, attribute);
    if (owner != 0 && owner == mom_.endpoint) {
      fail(Fault::RTIinternalError, "Attribute " + model_->attribute(attribute).name + " of '" +
                                        known.nameText() + "' is owned by the RTI.");
    }
  }
  askOwnership(owned ? OwnershipOperation::Grant : OwnershipOperation::Withdraw, instance,
               attributes);
  applyLog();
}

bool Federate::owns(ObjectInstance instance, Attribute attribute) {
  const Known& known = checkInstanceAttributes(instance, {attribute});
  const int index = model_->indexOf(known.registeredClass, attribute);
  return known.owned.test(static_cast<std::size_t>(index));
}

// --- what other services have to do with ownership -----------------------------------------------

void Federate::checkNotSought(ObjectClass objectClass,
                              const std::vector<Attribute>& attributes) const {
  for (const auto& [instance, sought] : sought_) {
    const auto known = instances_.find(instance);
    if (known == instances_.end() || known->second.objectClass != objectClass) continue;
    for (const Attribute attribute : attributes) {
      const auto one = sought.find(attribute);
      if (one == sought.end() || one->second.willing) continue;
      fail(Fault::OwnershipAcquisitionPending,
           "This federate has asked to own attribute " + model_->attribute(attribute).name +
               " of '" + known->second.nameText() +
               "': cancel that and wait for the answer before it is no longer published.");
    }
  }
}

/// 5.3: what is no longer published is no longer owned.
void Federate::unpublishInstances(ObjectClass objectClass,
                                  const std::vector<Attribute>& attributes) {
  fabric::UnpublishInstancesRequest request;
  for (const auto& [instance, known] : instances_) {
    if (known.objectClass != objectClass) continue;
    const auto sought = sought_.find(instance);
    fabric::UnpublishInstancesRequest::Item item{instance, known.row, {}};
    for (const Attribute attribute : attributes) {
      const int index = model_->indexOf(known.registeredClass, attribute);
      const bool owned = index >= 0 && known.owned.test(static_cast<std::size_t>(index));
      const bool willing = sought != sought_.end() && sought->second.contains(attribute);
      if (owned || willing) item.attributes.push_back(attribute);
    }
    if (!item.attributes.empty()) request.instances.push_back(std::move(item));
  }
  for (const auto& item : request.instances) {
    const auto sought = sought_.find(item.instance);
    if (sought == sought_.end()) continue;
    for (const Attribute attribute : item.attributes) sought->second.erase(attribute);
    if (sought->second.empty()) sought_.erase(sought);
  }
  // In parts that fit into one message to the node.
  constexpr std::size_t atOnce = 256;
  auto& all = request.instances;
  for (std::size_t i = 0; i < all.size(); i += atOnce) {
    fabric::UnpublishInstancesRequest part;
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(i);
    const auto to = all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), i + atOnce));
    part.instances.assign(from, to);
    connection_.tell(Request::UnpublishInstances, part);
  }
  if (!all.empty()) applyLog();
}

/// 4.10.4: the action has to cover what this federate owns and seeks.
void Federate::checkResign(std::uint32_t action) const {
  for (const auto& [instance, known] : instances_) {
    if (known.owned.empty()) continue;
    const bool kept = action == noAction || action == cancelPendingAcquisitions ||
                      (action == deleteObjects && !ownsPrivilegeToDelete(known));
    if (!kept) continue;
    fail(Fault::FederateOwnsAttributes,
         "This federate still owns attributes of '" + known.nameText() +
             "': delete its instances or divest them, or choose another resign action.");
  }
  if (action == cancelPendingAcquisitions || action == cancelThenDeleteThenDivest) return;
  for (const auto& [instance, sought] : sought_) {
    const bool pending = std::any_of(sought.begin(), sought.end(),
                                     [](const auto& one) { return !one.second.willing; });
    if (!pending) continue;
    fail(Fault::OwnershipAcquisitionPending,
         "This federate has asked to own attributes of '" + instances_.at(instance).nameText() +
             "' and has no answer yet: cancel that, or choose a resign action that does.");
  }
}

// --- offers (7.4) --------------------------------------------------------------------------------

/// How the attribute is available to this federate; null when it is not.
const Federate::Traded::State* Federate::availableState(ObjectInstance instance, const Known& known,
                                                        Attribute attribute) const {
  static const Traded::State unowned;
  const int index = model_->indexOf(known.registeredClass, attribute);
  if (index < 0 || known.owned.test(static_cast<std::size_t>(index))) return nullptr;
  const auto sought = sought_.find(instance);
  if (sought != sought_.end() && sought->second.contains(attribute)) return nullptr;
  const FederateNumber owner = ownerOf(instance, known, attribute);
  if (owner == 0) return &unowned;
  const auto traded = traded_.find(instance);
  if (owner == self_ || traded == traded_.end()) return nullptr;
  const Traded::State& state = traded->second.attributes.at(attribute);
  return state.available ? &state : nullptr;
}

void Federate::offerAvailable(ObjectInstance instance) {
  const auto* own = declarations_.of(self_);
  const auto found = instances_.find(instance);
  if (own == nullptr || found == instances_.end()) return;
  const Known& known = found->second;
  const auto published = own->published.find(known.objectClass);
  if (published == own->published.end()) return;
  if (const auto traded = traded_.find(instance); traded != traded_.end() && traded->second.ended) {
    return;
  }
  std::map<fabric::Bytes, std::vector<Attribute>> offers;
  for (const Attribute attribute : published->second.attributes) {
    const Traded::State* state = availableState(instance, known, attribute);
    const auto index =
        static_cast<std::size_t>(std::max(0, model_->indexOf(known.registeredClass, attribute)));
    if (state == nullptr) {
      if (const auto told = offered_.find(instance); told != offered_.end()) {
        told->second.reset(index);
      }
      continue;
    }
    AttributeSet& told = offered_[instance];
    if (told.test(index)) continue;
    told.set(index);
    offers[state->owner == 0 ? fabric::Bytes{} : state->tag].push_back(attribute);
  }
  if (offers.empty()) return;
  drainAll();
  for (auto& [tag, attributes] : offers) {
    Queued item;
    item.effect = [this, instance, tag = tag, attributes = std::move(attributes)] {
      const auto still = instances_.find(instance);
      if (still == instances_.end()) return;
      std::vector<Attribute> available;
      for (const Attribute attribute : attributes) {
        if (availableState(instance, still->second, attribute) != nullptr) {
          available.push_back(attribute);
        }
      }
      if (available.empty()) return;
      Queued told;
      told.call = [instance, tag, available](Callbacks& c) {
        c.ownershipOffered(instance, available, tag);
      };
      queue_.push_front(std::move(told));
    };
    queue_.push_back(std::move(item));
  }
}

void Federate::offerAvailableWhere(
    const std::function<bool(ObjectInstance, const Known&)>& concerned) {
  std::vector<ObjectInstance> instances;
  for (const auto& [instance, known] : instances_) {
    if (concerned(instance, known)) instances.push_back(instance);
  }
  std::sort(instances.begin(), instances.end());
  for (const ObjectInstance instance : instances) offerAvailable(instance);
}

// --- what the log tells --------------------------------------------------------------------------

void Federate::applyOwnershipBegun(const fabric::OwnershipBegunRecord& record) {
  Traded& traded = traded_[record.instance];
  traded.row = record.row;
  for (const auto& each : record.attributes) {
    traded.attributes[each.attribute] = {each.owner, each.available, each.tag};
  }
}

void Federate::applyOwnershipChanged(fabric::OwnershipChangedRecord record) {
  const ObjectInstance instance = record.instance;
  Traded& traded = traded_[instance];
  scopesChanged_ = true;
  const auto told = [&](Attribute attribute) {
    return std::any_of(record.notices.begin(), record.notices.end(), [&](const auto& notice) {
      return notice.federate == self_ && notice.event == OwnershipEvent::Acquired &&
             std::find(notice.attributes.begin(), notice.attributes.end(), attribute) !=
                 notice.attributes.end();
    });
  };
  const auto found = instances_.find(instance);
  for (auto& each : record.changes) {
    Traded::State& state = traded.attributes[each.attribute];
    if (state.owner != each.owner) transportations_.end(instance, each.attribute);
    state = {each.owner, each.available, std::move(each.tag)};
    if (found == instances_.end()) continue;
    const int index = model_->indexOf(found->second.registeredClass, each.attribute);
    if (index < 0) continue;
    // What is given away is gone at once; what is received is there with its callback, so that
    // nothing is updated before and no cancellation comes too late.
    const auto place = static_cast<std::size_t>(index);
    if (each.owner != self_) {
      // It knows what it gave away itself.
      if (each.owner == 0 && found->second.owned.test(place)) offered_[instance].set(place);
      setOwned(instance, found->second, each.attribute, false);
    } else if (!told(each.attribute)) {
      takeOwnership(instance, found->second, each.attribute);
      advisedEpoch_ = 0;  // its updates may be wanted
    }
  }
  for (auto& notice : record.notices) {
    if (notice.federate != self_) continue;
    drainAll();
    Queued item;
    item.effect = [this, instance, notice = std::move(notice)] { deliverNotice(instance, notice); };
    queue_.push_back(std::move(item));
  }
  if (found != instances_.end()) {
    offerAvailable(instance);
    return;
  }
  const FederateNumber registrant = registrantOf(instance);
  if (const auto entry = findInstance(*arena_, tableOf(registrant), traded.row, instance)) {
    drainAll();
    const UpdateRegionsByInstance regions =
        collectUpdateRegions([instance](ObjectInstance one) { return one == instance; });
    const auto updates = regions.find(instance);
    discoverFound(registrant, *entry,
                  updates == regions.end() ? std::span<const AttributeRegion>() : updates->second);
  }
}

void Federate::applyOwnershipEnded(const fabric::OwnershipEndedRecord& record) {
  transportations_.apply(
      fabric::AttributeTransportationRecord{0, {record.instance, {}, false, true}});
  if (instances_.contains(record.instance)) {
    Traded& traded = traded_[record.instance];
    traded.ended = true;
    for (auto& [attribute, state] : traded.attributes) state.available = false;
  } else {
    traded_.erase(record.instance);
  }
  // The executive has ended the row: it can be used again, and the name with it.
  if (registrantOf(record.instance) != self_) return;
  reservedNames_.erase(table_.nameIn(record.row));
  table_.release(record.row);
}

/// The traded instances that go with `federate`.
std::vector<ObjectInstance> Federate::ownerLeft(FederateNumber federate, bool deletesObjects) {
  scopesChanged_ = true;
  std::vector<ObjectInstance> gone;
  for (auto& [instance, traded] : traded_) {
    const auto privilege = traded.attributes.find(model_->privilegeToDelete());
    const bool deleted = deletesObjects && privilege != traded.attributes.end() &&
                         privilege->second.owner == federate;
    if (deleted) {
      gone.push_back(instance);
      traded.ended = true;
    }
    for (auto& [attribute, state] : traded.attributes) {
      if (deleted) state.available = false;
      if (!deleted && state.owner == federate) state = {};
    }
    if (!deleted || registrantOf(instance) != self_) continue;
    reservedNames_.erase(table_.nameIn(traded.row));
    table_.release(traded.row);
  }
  std::erase_if(traded_, [this](const auto& item) {
    return item.second.ended && !instances_.contains(item.first);
  });
  return gone;
}

void Federate::deliverNotice(ObjectInstance instance, fabric::OwnershipNotice notice) {
  const auto found = instances_.find(instance);
  if (found == instances_.end()) return;
  Known& known = found->second;
  // True: it answers the newest request for the attribute.
  const auto answered = [&](Attribute attribute) {
    const auto sought = sought_.find(instance);
    if (sought == sought_.end()) return false;
    const auto one = sought->second.find(attribute);
    if (one == sought->second.end() || one->second.serial != notice.serial) return false;
    sought->second.erase(one);
    if (sought->second.empty()) sought_.erase(sought);
    return true;
  };
  const auto indexOf = [&](Attribute attribute) {
    return static_cast<std::size_t>(std::max(0, model_->indexOf(known.registeredClass, attribute)));
  };
  std::erase_if(notice.attributes, [&](Attribute attribute) {
    switch (notice.event) {
      case OwnershipEvent::Acquired:
        if (ownerOf(instance, known, attribute) != self_) return true;
        if (known.owned.test(indexOf(attribute))) return true;
        takeOwnership(instance, known, attribute);
        return false;
      case OwnershipEvent::Unavailable:
        // Asked for anew since: the answer to that is what counts.
        return !answered(attribute);
      case OwnershipEvent::AcquisitionCancelled:
        answered(attribute);
        return false;
      case OwnershipEvent::ReleaseRequested:
      case OwnershipEvent::DivestitureConfirmationRequested:
        return !known.owned.test(indexOf(attribute));
    }
    return true;
  });
  if (notice.attributes.empty()) return;
  Queued told;
  told.call = [instance, notice](Callbacks& c) {
    switch (notice.event) {
      case OwnershipEvent::DivestitureConfirmationRequested:
        return c.divestitureConfirmationRequested(instance, notice.attributes);
      case OwnershipEvent::Acquired:
        return c.ownershipAcquired(instance, notice.attributes, notice.tag);
      case OwnershipEvent::Unavailable:
        return c.ownershipUnavailable(instance, notice.attributes);
      case OwnershipEvent::ReleaseRequested:
        return c.ownershipReleaseRequested(instance, notice.attributes, notice.tag);
      case OwnershipEvent::AcquisitionCancelled:
        return c.acquisitionCancelled(instance, notice.attributes);
    }
  };
  const bool acquired = notice.event == OwnershipEvent::Acquired;
  queue_.push_front(std::move(told));
  if (acquired && updateAdvisory_) refreshUpdateAdvisory(instance, known);
}

}  // namespace tutti::core
