// SPDX-License-Identifier: Apache-2.0
// Declaration and object management: what this federate says.
#include <algorithm>
#include <atomic>
#include <utility>

#include "core/federate.h"
#include "core/records.h"
#include "core/value_list.h"

namespace tutti::core {
namespace {

using fabric::RecordType;
using fabric::Request;

void count(std::atomic<std::uint64_t>& counter) {
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

// --- declarations --------------------------------------------------------------------------------

void Federate::checkObjectClass(ObjectClass objectClass,
                                const std::vector<Attribute>& attributes) const {
  if (!model_->hasObjectClass(objectClass)) {
    fail(Fault::ObjectClassNotDefined, "Object class " + std::to_string(objectClass) +
                                           " is not in the object model of '" + federation_ + "'.");
  }
  for (const Attribute attribute : attributes) {
    if (model_->indexOf(objectClass, attribute) < 0) {
      fail(Fault::AttributeNotDefined, "Attribute " + std::to_string(attribute) +
                                           " is not available at object class " +
                                           model_->objectClass(objectClass).name + ".");
    }
  }
}

void Federate::checkInteractionClass(InteractionClass interactionClass) const {
  if (model_->hasInteractionClass(interactionClass)) return;
  fail(Fault::InteractionClassNotDefined, "Interaction class " + std::to_string(interactionClass) +
                                              " is not in the object model of '" + federation_ +
                                              "'.");
}

void Federate::declareObjects(ObjectClass objectClass, bool publish, bool passive,
                              std::vector<Attribute> attributes) {
  std::sort(attributes.begin(), attributes.end());
  attributes.erase(std::unique(attributes.begin(), attributes.end()), attributes.end());
  connection_.tell(
      Request::DeclareObjectClass,
      fabric::DeclareObjectClassRequest{objectClass, publish, passive, std::move(attributes)});
  applyLog();
}

void Federate::declareSubscription(ObjectClass objectClass,
                                   Declarations::ClassDeclaration declaration) {
  fabric::DeclareObjectClassRequest request{objectClass, false, false,
                                            std::move(declaration.attributes)};
  request.passiveAttributes = std::move(declaration.passiveAttributes);
  request.updateRates = std::move(declaration.updateRates);
  if (!request.attributes.empty() &&
      request.passiveAttributes.size() == request.attributes.size()) {
    request.passive = true;
    request.passiveAttributes.clear();
  }
  if (std::all_of(request.updateRates.begin(), request.updateRates.end(),
                  [](const std::string& rate) { return rate.empty(); })) {
    request.updateRates.clear();
  }
  connection_.tell(Request::DeclareObjectClass, request);
  applyLog();
}

void Federate::publishObjectClass(ObjectClass objectClass,
                                  const std::vector<Attribute>& attributes) {
  requireJoined();
  applyLog();
  checkObjectClass(objectClass, attributes);
  if (attributes.empty()) return;  // 5.2.2: an empty set changes nothing
  std::vector<Attribute> all = attributes;
  // 5.2: publishing a class makes its privilege to delete available without being named.
  all.push_back(model_->privilegeToDelete());
  if (const auto* own = declarations_.of(self_)) {
    if (const auto found = own->published.find(objectClass); found != own->published.end()) {
      all.insert(all.end(), found->second.attributes.begin(), found->second.attributes.end());
    }
  }
  declareObjects(objectClass, true, false, std::move(all));
  offerAvailableWhere([objectClass](ObjectInstance, const Known& known) {
    return known.objectClass == objectClass;
  });
}

void Federate::unpublishObjectClass(ObjectClass objectClass,
                                    const std::vector<Attribute>* attributes) {
  requireJoined();
  applyLog();
  checkObjectClass(objectClass, attributes != nullptr ? *attributes : std::vector<Attribute>{});
  if (attributes != nullptr && attributes->empty()) return;  // 5.3.2: an empty set changes nothing
  const auto* own = declarations_.of(self_);
  const auto* declared = own != nullptr && own->published.contains(objectClass)
                             ? &own->published.at(objectClass)
                             : nullptr;
  if (declared == nullptr) return;
  std::vector<Attribute> rest;
  if (attributes != nullptr) {
    for (const Attribute a : declared->attributes) {
      if (std::find(attributes->begin(), attributes->end(), a) == attributes->end()) {
        rest.push_back(a);
      }
    }
    if (rest.size() == 1 && rest[0] == model_->privilegeToDelete()) rest.clear();
  }
  std::vector<Attribute> gone;
  for (const Attribute a : declared->attributes) {
    if (std::find(rest.begin(), rest.end(), a) == rest.end()) gone.push_back(a);
  }
  checkNotSought(objectClass, gone);
  declareObjects(objectClass, true, false, std::move(rest));
  unpublishInstances(objectClass, gone);
}

void Federate::subscribeObjectClass(ObjectClass objectClass,
                                    const std::vector<Attribute>& attributes, bool active,
                                    const std::string& updateRate) {
  requireJoined();
  applyLog();
  checkObjectClass(objectClass, attributes);
  if (attributes.empty()) return;
  // Those named are subscribed anew, the others stay as they are (5.6).
  struct How {
    bool passive = false;
    std::string updateRate;
  };
  std::map<Attribute, How> all;
  const auto* own = declarations_.of(self_);
  if (own != nullptr && own->subscribed.contains(objectClass)) {
    const auto& declared = own->subscribed.at(objectClass);
    for (const Attribute a : declared.attributes) {
      all[a] = {declared.isPassive(a), declared.updateRate(a)};
    }
  }
  for (const Attribute a : attributes) all[a] = {!active, updateRate};
  Declarations::ClassDeclaration declaration;
  for (auto& [attribute, how] : all) {
    declaration.attributes.push_back(attribute);
    if (how.passive) declaration.passiveAttributes.push_back(attribute);
    declaration.updateRates.push_back(std::move(how.updateRate));
  }
  declareSubscription(objectClass, std::move(declaration));
  discoverExisting(objectClass);
}

void Federate::unsubscribeObjectClass(ObjectClass objectClass,
                                      const std::vector<Attribute>* attributes) {
  requireJoined();
  applyLog();
  checkObjectClass(objectClass, attributes != nullptr ? *attributes : std::vector<Attribute>{});
  const auto* own = declarations_.of(self_);
  const auto* declared = own != nullptr && own->subscribed.contains(objectClass)
                             ? &own->subscribed.at(objectClass)
                             : nullptr;
  if (declared == nullptr) return;
  Declarations::ClassDeclaration rest;
  if (attributes != nullptr) {
    for (const Attribute a : declared->attributes) {
      if (std::find(attributes->begin(), attributes->end(), a) != attributes->end()) continue;
      rest.attributes.push_back(a);
      if (declared->isPassive(a)) rest.passiveAttributes.push_back(a);
      rest.updateRates.push_back(declared->updateRate(a));
    }
  }
  const bool last = rest.attributes.empty();
  declareSubscription(objectClass, std::move(rest));
  // Now the next class above counts, at which other attributes may be subscribed (6.9).
  if (last && declarations_.subscribedAt(self_, objectClass) != 0) discoverExisting(objectClass);
}

void Federate::publishInteractionClass(InteractionClass interactionClass, bool publish) {
  requireJoined();
  applyLog();
  checkInteractionClass(interactionClass);
  if (!publish) endInteractionKind(interactionClass);
  connection_.tell(Request::DeclareInteractionClass,
                   fabric::DeclareInteractionClassRequest{interactionClass, true, publish, false});
  applyLog();
}

void Federate::subscribeInteractionClass(InteractionClass interactionClass, bool subscribe,
                                         bool active) {
  requireJoined();
  applyLog();
  checkInteractionClass(interactionClass);
  if (subscribe) checkServicesNotReported(interactionClass);
  connection_.tell(
      Request::DeclareInteractionClass,
      fabric::DeclareInteractionClassRequest{interactionClass, false, subscribe, !active});
  applyLog();
}

void Federate::discoverExisting(ObjectClass) {
  // Whoever registers from now on sees the subscription in the log and tells us; whatever was
  // registered before stands in the tables.
  discoverInTables(true);
  // Where those with regions are, their updates say.
  std::vector<std::pair<InstanceEntry, FederateNumber>> deleted;
  visitDeletedLater([&](const InstanceEntry& entry, FederateNumber registrant, Described how) {
    if (how == Described::Yes) deleted.emplace_back(entry, registrant);
  });
  for (const auto& [entry, registrant] : deleted) discoverFound(registrant, entry, {});
}

void Federate::putEntry(RecordWriter& writer, const InstanceEntry& entry) {
  writer.put(DiscoverBody{entry.instance, entry.row, entry.objectClass,
                          static_cast<std::uint32_t>(entry.name.size()),
                          static_cast<std::uint32_t>(entry.owned.size())});
  writer.put(entry.name.data(), entry.name.size());
  writer.put(entry.owned.data(), entry.owned.size() * sizeof(Attribute));
}

void Federate::discoverFound(FederateNumber producer, const InstanceEntry& entry,
                             std::span<const AttributeRegion> regions) {
  if (instances_.contains(entry.instance) || !isDiscoverable(entry, producer, true, regions)) {
    return;
  }
  Queued item;
  RecordWriter writer(item.record);
  putEntry(writer, entry);
  for (const AttributeRegion& region : regions) writer.put(region);
  writer.finish(RecordType::Discover, regions.empty() ? 0 : fabric::recordFlag::regions,
                regions.size(), 0, 0);
  item.sender = producer;
  queue_.push_back(std::move(item));
}

// --- names and instances
// ---------------------------------------------------------------------------

/// Null: there is none of that name.
const Federate::Known* Federate::knownByName(const std::string& name) const {
  // A generated name tells the instance; a reserved one cannot look like it.
  const auto instance = instanceOfGeneratedName(name);
  if (instance == 0) {
    const auto found = instanceByName_.find(name);
    return found == instanceByName_.end() ? nullptr : &instances_.at(found->second);
  }
  const auto found = instances_.find(instance);
  return found == instances_.end() || found->second.name ? nullptr : &found->second;
}

/// Puts it among the known instances.
Federate::Known& Federate::keep(Known known) {
  const auto [place, isNew] = instances_.try_emplace(known.instance);
  Known& kept = place->second;
  if (!isNew) forgetName(kept);
  kept = std::move(known);
  if (kept.name) {
    instanceByName_.erase(*kept.name);  // of one whose removal is on the way
    instanceByName_.emplace(*kept.name, kept.instance);
  }
  return kept;
}

void Federate::forgetName(const Known& known) {
  if (!known.name) return;
  const auto found = instanceByName_.find(*known.name);
  if (found != instanceByName_.end() && found->second == known.instance) {
    instanceByName_.erase(found);
  }
}

fabric::Offset Federate::tableOf(FederateNumber registrant) const {
  if (const auto found = members_.find(registrant); found != members_.end()) {
    return found->second.block->instances.load(std::memory_order_acquire);
  }
  const auto adopted = adoptedTables_.find(registrant);
  return adopted == adoptedTables_.end() ? 0 : adopted->second;
}

void Federate::reserveNames(const std::vector<std::string>& names, bool single) {
  requireJoined();
  if (names.empty()) fail(Fault::NameSetWasEmpty, "There is no name in the set to be reserved.");
  for (const std::string& name : names) {
    if (name.empty() || name.starts_with("HLA")) {
      fail(Fault::IllegalName, "'" + name +
                                   "' cannot be reserved: a name has at least one character and "
                                   "does not start with HLA.");
    }
  }
  const auto reply = connection_.ask<fabric::ReserveNamesReply>(Request::ReserveNames,
                                                                fabric::NamesRequest{names});
  if (reply.reserved) reservedNames_.insert(names.begin(), names.end());
  queueCall([names, single, reserved = reply.reserved](Callbacks& c) {
    c.nameReserved(names, single, reserved);
  });
}

void Federate::releaseNames(const std::vector<std::string>& names) {
  requireJoined();
  for (const std::string& name : names) {
    const bool taken = isNameInUse(name);
    if (!reservedNames_.contains(name) || taken) {
      fail(Fault::ObjectInstanceNameNotReserved,
           "'" + name + "' is not reserved by this federate" +
               (taken ? ": an instance has that name." : "."));
    }
  }
  connection_.tell(Request::ReleaseNames, fabric::NamesRequest{names});
  for (const std::string& name : names) reservedNames_.erase(name);
}

ObjectInstance Federate::registerInstance(ObjectClass objectClass, const std::string* name,
                                          const std::vector<AttributesWithRegions>* regions) {
  requireJoined();
  applyLog();
  checkObjectClass(objectClass, {});
  if (!deleted_.empty()) forgetDeletions(false);
  const auto* own = declarations_.of(self_);
  if (own == nullptr || !own->published.contains(objectClass)) {
    fail(Fault::ObjectClassNotPublished, "This federate does not publish object class " +
                                             model_->objectClass(objectClass).name + ".");
  }
  if (name != nullptr) {
    if (!reservedNames_.contains(*name)) {
      fail(Fault::ObjectInstanceNameNotReserved,
           "'" + *name +
               "' is not reserved by this federate: reserve it and wait for the success "
               "callback.");
    }
    if (isNameInUse(*name)) {
      fail(Fault::ObjectInstanceNameInUse, "'" + *name + "' is the name of another instance.");
    }
  }
  const ObjectInstance instance =
      (static_cast<ObjectInstance>(self_) << instanceCounterBits) | (instanceCounter_ + 1);
  Known known;
  known.instance = instance;
  known.objectClass = known.registeredClass = objectClass;
  if (name != nullptr) known.name = *name;
  const std::vector<Attribute> published = own->published.at(objectClass).attributes;
  known.owned = known.atFirst = setOf(objectClass, published);
  const std::string_view given = name != nullptr ? *name : std::string_view{};
  if (regions == nullptr) {
    known.row = table_.add(instance, objectClass, given, published);
  } else {
    AttributeRegions updates;
    for (const AttributesWithRegions& pair : *regions) add(updates, pair);
    try {
      table_.add(instance, objectClass, given, published, [&](std::uint32_t row) {
        known.row = row;
        associate(known, updates);
      });
    } catch (...) {
      dropAssociations(known);
      throw;
    }
  }
  ++instanceCounter_;
  tellThenApplyLog([&] { showRow(known.row, instance, objectClass, given, published); });

  const Known& kept = keep(std::move(known));
  count(block_->counters.instancesRegistered);
  count(block_->counters.instancesDeletable);
  if (updateAdvisory_) refreshUpdateAdvisory(instance, kept);
  announce(instance, kept);
  return instance;
}

void Federate::announce(ObjectInstance instance, const Known& known) {
  receivers_.clear();
  if (needsDetail(known)) {
    for (const auto& route : scopedRoutes(known).routes) receivers_.push_back(route.receiver);
  } else {
    for (const auto& route : declarations_.objectRoutes(known.registeredClass, self_)) {
      receivers_.push_back(route.receiver);
    }
  }
  sendDiscover(instance, known);
}

Federate::Known& Federate::knownInstance(ObjectInstance instance) {
  const auto found = instances_.find(instance);
  if (found == instances_.end()) {
    fail(Fault::ObjectInstanceNotKnown,
         "Object instance " + std::to_string(instance) + " is not known to this federate.");
  }
  return found->second;
}

std::uint8_t Federate::orderFlags(std::uint8_t kind, const std::uint64_t* time) const {
  const bool timestampOrder = (kind & MessageKind::timestampOrder) != 0;
  const bool bestEffort = (kind & MessageKind::bestEffort) != 0;
  std::uint8_t flags = mom_.serving ? fabric::recordFlag::fromRti : 0;
  if (time != nullptr) {
    flags |= fabric::recordFlag::stamped;
    if (timestampOrder && time_.regulationTold) flags |= fabric::recordFlag::timestampOrder;
  }
  if (bestEffort) flags |= fabric::recordFlag::bestEffort;
  return flags;
}

/// Sends to receivers_ a record whose body of `bytes` `put` writes: a large one to where it stays.
template <class Put>
void Federate::sendRecord(fabric::RecordType type, std::uint8_t flags, std::size_t count,
                          const std::uint64_t* time, std::uint64_t serial, std::size_t bytes,
                          const Put& put) {
  if (receivers_.empty()) return;
  const bool ordered = (flags & fabric::recordFlag::timestampOrder) != 0;
  const std::size_t bodyBytes = bytes + (ordered ? sizeof serial : 0);
  const fabric::RecordHead head{static_cast<std::uint32_t>(sizeof head + bodyBytes),
                                type,
                                flags,
                                static_cast<std::uint16_t>(count),
                                log_.applied,
                                time != nullptr ? *time : 0};
  const bool large = Outbox::needsChunk(bodyBytes);
  if (!large) outgoing_.resize(head.bytes);
  BodyWriter writer(large ? outbox_.body(bodyBytes, flags)
                          : std::span(outgoing_).subspan(sizeof head));
  put(writer);
  if (ordered) writer.put(serial);
  if (large) {
    outbox_.sendBody(head, receivers_);
  } else {
    std::memcpy(outgoing_.data(), &head, sizeof head);
    outbox_.send(outgoing_, receivers_);
  }
}

/// With the switch Delay Subscription Evaluation a message in timestamp order is for whoever
/// subscribes it when it is delivered, so it goes to all, who decide then.
void Federate::takeEveryone(const std::vector<FederateNumber>& routes) {
  receivers_.clear();
  for (const auto& [federate, member] : members_) {
    if (federate == self_) continue;
    const bool isRouted = std::find(routes.begin(), routes.end(), federate) != routes.end();
    if (!member.hidden || isRouted) receivers_.push_back(federate);
  }
}

std::uint64_t Federate::update(ObjectInstance instance, std::span<const Value> values,
                               std::span<const std::byte> tag, const std::uint64_t* time) {
  requireJoined();
  applyLog();
  Known& known = knownInstance(instance);
  const ObjectClass objectClass = known.registeredClass;
  updated_.clear();
  unsigned kinds = 0;  // which combinations of order and transportation occur
  Attribute notOwned = 0;
  for (const Value& value : values) {
    const int index = model_->indexOf(objectClass, value.handle);
    if (index < 0) {
      fail(Fault::AttributeNotDefined, "Attribute " + std::to_string(value.handle) +
                                           " is not available at object class " +
                                           model_->objectClass(objectClass).name + ".");
    }
    if (!known.owned.test(static_cast<std::size_t>(index))) notOwned = value.handle;
    updated_.set(static_cast<std::size_t>(index));
    kinds |= 1u << kindOf(known, static_cast<std::size_t>(index), value.handle);
  }
  if (notOwned != 0) {
    for (const Value& value : values) checkObjectClass(known.objectClass, {value.handle});
    fail(Fault::AttributeNotOwned, "Attribute " + model_->attribute(notOwned).name + " of '" +
                                       known.nameText() + "' is not owned by this federate.");
  }
  checkStamp(time);
  count(block_->counters.updatesSent);
  if (known.updates[0] + known.updates[1] == 0) count(block_->counters.instancesUpdated);
  known.updates[0] += (kinds & 0b0011) != 0 || kinds == 0;
  known.updates[1] += (kinds & 0b1100) != 0;
  // Two of the four combinations are in timestamp order.
  const bool inTimestampOrder = time != nullptr && time_.regulationTold && (kinds & 0b1010) != 0;
  if (values.empty()) return 0;
  const std::uint64_t serial = inTimestampOrder ? nextMessage(*time) : 0;
  const std::uint64_t message = inTimestampOrder ? messageNumber(self_, serial) : 0;
  const auto& routes = declarations_.objectRoutes(objectClass, self_);
  const bool detailed = needsDetail(known);
  const bool delayed = inTimestampOrder && model_->switches().delaySubscriptionEvaluation;
  if (routes.empty() && !detailed && !delayed) return message;
  const ScopedRoutes* const scoped = detailed ? &scopedRoutes(known) : nullptr;
  if (detailed && scoped->routes.empty() && !delayed) return message;

  const std::uint32_t row = known.row;
  FirstFault failed;
  // What fails for the receivers of one part keeps those of the next from nothing.
  const auto sendPart = [&](std::span<const Value> part, unsigned kind,
                            const SentRegions* regions = nullptr) {
    try {
      const std::uint32_t valueBytes = bytesOf(part);
      std::uint8_t flags = orderFlags(static_cast<std::uint8_t>(kind), time);
      const auto put = [&](auto& writer) {
        writer.put(UpdateBody{instance, row, objectClass, static_cast<std::uint32_t>(tag.size()),
                              valueBytes});
        putValues(writer, part, tag);
      };
      if (regions == nullptr) {
        const std::size_t bytes = sizeof(UpdateBody) + listBytes(part.size(), tag, valueBytes);
        sendRecord(RecordType::Update, flags, part.size(), time, serial, bytes, put);
        return;
      }
      RecordWriter writer(outgoing_);
      put(writer);
      regions->write(writer);
      flags |= fabric::recordFlag::regions;
      writer.finish(RecordType::Update, flags, part.size(), log_.applied,
                    time != nullptr ? *time : 0, serial);
      outbox_.send(outgoing_, receivers_);
    } catch (const ServiceFault&) {
      failed.keep();
    }
  };
  const auto sendToAll = [&](const auto& all, std::span<const Value> part, unsigned kind,
                             RegionSet* set) {
    // Those who want all of it get one and the same record.
    receivers_.clear();
    for (const auto& route : all) {
      if (updated_.within(route.attributes)) receivers_.push_back(route.receiver);
    }
    if (set == nullptr) {
      sendPart(part, kind);
    } else if (!receivers_.empty()) {
      sendPart(part, kind, sentWith(set, part));
    }
    for (const auto& route : all) {
      if (updated_.within(route.attributes) || !updated_.intersects(route.attributes)) continue;
      std::vector<Value> wanted;
      for (const Value& value : part) {
        const int index = model_->indexOf(objectClass, value.handle);
        if (route.attributes.test(static_cast<std::size_t>(index))) wanted.push_back(value);
      }
      if (wanted.empty()) continue;
      receivers_.assign(1, route.receiver);
      sendPart(wanted, kind, sentWith(set, wanted));
    }
  };
  for (unsigned kind = 0; kind < 4; ++kind) {
    if ((kinds & (1u << kind)) == 0) continue;
    std::vector<Value> ofKind;
    std::span<const Value> part = values;
    if (kinds != (1u << kind)) {
      for (const Value& value : values) {
        const int index = model_->indexOf(objectClass, value.handle);
        if (kindOf(known, static_cast<std::size_t>(index), value.handle) == kind) {
          ofKind.push_back(value);
        }
      }
      part = ofKind;
    }
    if (delayed && (kind & MessageKind::timestampOrder) != 0) {
      takeEveryone({});
      sendPart(part, kind, sentWith(known.regions.shown, part));
    } else if (!detailed) {
      sendToAll(routes, part, kind, nullptr);
    } else if (!scoped->rated) {
      sendToAll(scoped->routes, part, kind, known.regions.shown);
    } else {
      const std::uint8_t how = orderFlags(static_cast<std::uint8_t>(kind), time);
      const bool ordered = (how & fabric::recordFlag::timestampOrder) != 0;
      const bool reducible = !ordered && (how & fabric::recordFlag::bestEffort) != 0;
      sendDetailed(known, part, kind, reducible, sendPart);
    }
  }
  failed.throwIfAny();
  return message;
}

std::uint64_t Federate::send(InteractionClass interactionClass, std::span<const Value> values,
                             std::span<const std::byte> tag, const std::uint64_t* time,
                             const std::vector<Region>* regions) {
  requireJoined();
  applyLog();
  checkInteractionClass(interactionClass);
  const auto& info = model_->interactionClass(interactionClass);
  for (const Value& value : values) {
    if (!model_->hasParameter(interactionClass, value.handle)) {
      fail(Fault::InteractionParameterNotDefined, "Parameter " + std::to_string(value.handle) +
                                                      " is not available at interaction class " +
                                                      info.name + ".");
    }
  }
  const auto* own = declarations_.of(self_);
  if (own == nullptr || !own->publishedInteractions.contains(interactionClass)) {
    fail(Fault::InteractionClassNotPublished,
         "This federate does not publish interaction class " + info.name + ".");
  }
  // With no region at all it overlaps nobody's: sendInteraction() sends with the default region.
  if (regions != nullptr) {
    requireOwnRegions({{{}, *regions}});
    checkRegionContext(interactionClass, *regions);
  }
  checkStamp(time);
  count(block_->counters.interactionsSent);
  const auto& routes = declarations_.interactionRoutes(interactionClass, self_);
  std::uint8_t order = orderFlags(interactionKindOf(interactionClass), time);
  ++interactionCounts_[interactionClass].sent[(order & fabric::recordFlag::bestEffort) != 0];
  const bool inTimestampOrder = (order & fabric::recordFlag::timestampOrder) != 0;
  const std::uint64_t serial = inTimestampOrder ? nextMessage(*time) : 0;
  const std::uint64_t message = inTimestampOrder ? messageNumber(self_, serial) : 0;
  const bool delayed = inTimestampOrder && model_->switches().delaySubscriptionEvaluation;
  if (routes.empty() && !delayed) return message;
  const std::uint32_t valueBytes = bytesOf(values);
  const auto put = [&](auto& writer) {
    writer.put(
        InteractionBody{interactionClass, static_cast<std::uint32_t>(tag.size()), valueBytes, 0});
    putValues(writer, values, tag);
  };
  if (regions == nullptr) {
    receivers_ = routes;
    if (delayed) takeEveryone(routes);
    const std::size_t bytes = sizeof(InteractionBody) + listBytes(values.size(), tag, valueBytes);
    sendRecord(RecordType::Interaction, order, values.size(), time, serial, bytes, put);
    return message;
  }
  RecordWriter writer(outgoing_);
  put(writer);
  const SentRegions sent = sentWith(*regions);
  sent.write(writer);
  order |= fabric::recordFlag::regions;
  if (delayed) {
    takeEveryone(routes);
  } else {
    interactionReceivers(interactionClass, sent);
  }
  writer.finish(RecordType::Interaction, order, values.size(), log_.applied,
                time != nullptr ? *time : 0, serial);
  outbox_.send(outgoing_, receivers_);
  return message;
}

bool Federate::ownsPrivilegeToDelete(const Known& known) const {
  const int index = model_->indexOf(known.registeredClass, model_->privilegeToDelete());
  return index >= 0 && known.owned.test(static_cast<std::size_t>(index));
}

std::uint64_t Federate::deleteInstance(ObjectInstance instance, std::span<const std::byte> tag,
                                       const std::uint64_t* time) {
  requireJoined();
  applyLog();
  Known& known = knownInstance(instance);
  if (!ownsPrivilegeToDelete(known)) {
    fail(Fault::DeletePrivilegeNotHeld,
         "This federate does not own the privilege to delete '" + known.nameText() + "'.");
  }
  checkStamp(time);
  const ObjectClass objectClass = known.registeredClass;
  const int privilege = model_->indexOf(objectClass, model_->privilegeToDelete());
  // A removal is always reliable.
  const std::uint8_t order =
      orderFlags(kindOf(known, static_cast<std::size_t>(privilege), model_->privilegeToDelete()) &
                     MessageKind::timestampOrder,
                 time);
  const bool inTimestampOrder = (order & fabric::recordFlag::timestampOrder) != 0;
  const std::uint64_t serial = inTimestampOrder ? nextMessage(*time) : 0;
  const std::string name = known.nameText();
  // What the executive keeps of it stays there until the deletion can no longer be retracted.
  const bool stays = inTimestampOrder && traded_.contains(instance);
  if (!stays) endInstance(instance, known.row);

  RecordWriter writer(outgoing_);
  const bool delayed = inTimestampOrder && model_->switches().delaySubscriptionEvaluation;
  const Described described = !delayed || stays                ? Described::No
                              : known.regions.set == nullptr ? Described::Yes
                                                             : Described::WithRegions;
  writer.put(RemoveBody{instance, static_cast<std::uint32_t>(tag.size()), described});
  writer.put(tag.data(), tag.size());
  if (described != Described::No) {
    putEntry(writer, {instance, objectClass, std::string(known.ownName()), known.row,
                      listOf(objectClass, known.atFirst)});
  }
  writer.finish(RecordType::Remove, order, 0, log_.applied, time != nullptr ? *time : 0, serial);
  receivers_ = declarations_.onceSubscribed(objectClass, self_);
  if (delayed) takeEveryone(std::vector<FederateNumber>(receivers_));
  // Its registrant knows it without a subscription.
  const FederateNumber registrant = known.producer();
  if (registrant != self_ && members_.contains(registrant) &&
      std::find(receivers_.begin(), receivers_.end(), registrant) == receivers_.end()) {
    receivers_.push_back(registrant);
  }
  if (inTimestampOrder) {
    // Kept, with its name, until the deletion can no longer be retracted.
    deleted_.push_back({serial, time_.kind.key(*time), instance, known, receivers_});
    deleted_.back().known.updates = {};  // counted by now, should the deletion be retracted
  }
  if (!inTimestampOrder) {
    endTransportation(instance, known);
    dropAssociations(known);
  }
  forgetInstance(instance);
  count(block_->counters.instancesDeleted);
  FirstFault failed;
  failed.guard([&] { outbox_.send(outgoing_, receivers_); });
  if (!inTimestampOrder && reservedNames_.erase(name) != 0) {
    connection_.tell(Request::ReleaseNames, fabric::NamesRequest{{name}});
  }
  failed.throwIfAny();
  return inTimestampOrder ? messageNumber(self_, serial) : 0;
}

/// Nobody finds the instance any more.
void Federate::endInstance(ObjectInstance instance, std::uint32_t row) {
  if (!traded_.contains(instance)) {
    table_.clear(row);
    // A subscriber or acquirer who still saw it is in the log by then.
    tellThenApplyLog([&] { showRow(row, 0, 0, {}, {}); });
    if (!traded_.contains(instance)) {
      table_.release(row);
      return;
    }
  }
  connection_.tell(Request::DeleteInstance, fabric::DeleteInstanceRequest{instance});
  applyLog();
}

void Federate::localDelete(ObjectInstance instance) {
  requireJoined();
  applyLog();
  Known& known = knownInstance(instance);
  if (!known.owned.empty()) {
    fail(Fault::FederateOwnsAttributes, "This federate owns attributes of '" + known.nameText() +
                                            "': it cannot be deleted locally.");
  }
  if (sought_.contains(instance)) {
    fail(Fault::OwnershipAcquisitionPending,
         "This federate has asked to own attributes of '" + known.nameText() +
             "': cancel that and wait for the answer, then delete it locally.");
  }
  forgotOwn_ = forgotOwn_ || known.producer() == self_;
  dropAssociations(known);
  forgetInstance(instance);
}

/// By an instance that this federate registered, known here or not.
bool Federate::isNameInUse(const std::string& name) const {
  if (!reservedNames_.contains(name)) return false;
  if (instanceByName_.contains(name) || isNameOfDeleted(name)) return true;
  bool found = false;
  if (forgotOwn_) {
    visitInstances(*arena_, tableOf(self_),
                   [&](const InstanceEntry& entry) { found = found || entry.name == name; });
  }
  return found;
}

void Federate::forgetInstance(ObjectInstance instance) {
  const auto found = instances_.find(instance);
  if (found == instances_.end()) return;
  keepCounts(found->second);
  if (ownsPrivilegeToDelete(found->second)) {
    auto& deletable = block_->counters.instancesDeletable;
    deletable.store(deletable.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }
  forgetName(found->second);
  instances_.erase(found);
  sought_.erase(instance);
  offered_.erase(instance);
  turnedOn_.erase(instance);
  if (const auto traded = traded_.find(instance); traded != traded_.end() && traded->second.ended) {
    traded_.erase(traded);
  }
}

// --- requests
// --------------------------------------------------------------------------------------

void Federate::requestUpdate(ObjectInstance instance, const std::vector<Attribute>& attributes,
                             std::span<const std::byte> tag) {
  requireJoined();
  applyLog();
  const Known& known = knownInstance(instance);
  checkObjectClass(known.objectClass, attributes);
  // Each owner is asked for its own part.
  std::map<FederateNumber, std::vector<Attribute>> asked;
  for (const Attribute attribute : attributes) {
    const FederateNumber owner = ownerOf(instance, known, attribute);
    if (owner != 0 && owner != self_) asked[owner].push_back(attribute);
  }
  FirstFault failed;
  for (const auto& [owner, wanted] : asked) {
    RecordWriter writer(outgoing_);
    writer.put(
        RequestBody{instance, known.registeredClass, static_cast<std::uint32_t>(tag.size())});
    for (const Attribute attribute : wanted) writer.put(attribute);
    writer.put(tag.data(), tag.size());
    writer.finish(RecordType::RequestUpdate, 0, wanted.size(), log_.applied, 0);
    receivers_.assign(1, owner);
    failed.guard([&] { outbox_.send(outgoing_, receivers_); });
  }
  failed.throwIfAny();
}

void Federate::requestClassUpdate(ObjectClass objectClass, const std::vector<Attribute>& attributes,
                                  std::span<const std::byte> tag,
                                  const std::vector<Region>* regions) {
  requireJoined();
  applyLog();
  checkObjectClass(objectClass, attributes);
  if (attributes.empty()) return;
  RecordWriter writer(outgoing_);
  writer.put(RequestBody{0, objectClass, static_cast<std::uint32_t>(tag.size())});
  for (const Attribute attribute : attributes) writer.put(attribute);
  writer.put(tag.data(), tag.size());
  if (regions != nullptr) sentWith(*regions).write(writer);
  writer.finish(RecordType::RequestClassUpdate,
                regions != nullptr ? fabric::recordFlag::regions : 0, attributes.size(),
                log_.applied, 0);
  // Whoever can own an attribute: by having registered instances, or by a transfer.
  std::set<FederateNumber> owners;
  for (const auto& [federate, member] : members_) {
    if (member.block->instances.load(std::memory_order_acquire) != 0) owners.insert(federate);
  }
  for (const auto& [instance, traded] : traded_) {
    for (const auto& [attribute, state] : traded.attributes) {
      if (members_.contains(state.owner)) owners.insert(state.owner);
    }
  }
  owners.erase(self_);
  receivers_.assign(owners.begin(), owners.end());
  outbox_.send(outgoing_, receivers_);
}

ObjectInstance Federate::instanceByName(const std::string& name) {
  requireMember();
  const Known* known = knownByName(name);
  if (known == nullptr) {
    fail(Fault::ObjectInstanceNotKnown, "No object instance '" + name + "' is known here.");
  }
  return known->instance;
}

std::string Federate::instanceName(ObjectInstance instance) {
  requireMember();
  return knownInstance(instance).nameText();
}

ObjectClass Federate::knownClass(ObjectInstance instance) {
  requireMember();
  return knownInstance(instance).objectClass;
}

}  // namespace tutti::core
