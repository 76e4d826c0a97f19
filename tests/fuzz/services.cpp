// SPDX-License-Identifier: GPL-3.0-or-later
// Sequences of services of two federates in one process, with any arguments: each returns, or ends
// with an exception of the standard that says why; no connection is lost, and nothing is left when
// both have gone. Parts: the lower bit of the kind names the federate, the bytes are
// | service 1 | arguments |; what is missing of the arguments is 0.
#include <array>
#include <bit>
#include <cstring>

#include "federates.h"

namespace tutti::fuzz {

namespace {

using core::Federate;

Landmark updated("an attribute value was reflected");
Landmark granted("a time advance was granted");
Landmark saved("a save was initiated");
Landmark restored("a restore was begun");
Landmark acquired("a federate was asked for an attribute that it owns");

/// Arguments, as far as the input has them.
class Arguments {
 public:
  explicit Arguments(Input bytes) : bytes_(bytes) {}
  std::uint8_t number() {
    if (bytes_.empty()) return 0;
    const auto value = static_cast<std::uint8_t>(bytes_[0]);
    bytes_ = bytes_.subspan(1);
    return value;
  }
  bool flag() { return (number() & 1) != 0; }
  template <class T>
  T of(std::initializer_list<T> choices) {
    return choices.begin()[number() % choices.size()];
  }
  std::uint64_t time() { return std::bit_cast<std::uint64_t>((number() % 16) * 0.5); }
  std::string name() { return std::string(1, static_cast<char>('a' + number() % 3)); }
  Input rest() { return bytes_; }

 private:
  Input bytes_;
};

struct Handles {
  explicit Handles(const omt::CompactModel& model) {
    for (const char* name : {"Vehicle", "Vehicle.Truck", "Depot", "HLAobjectRoot",
                             "HLAmanager.HLAfederate"}) {
      classes.push_back(model.objectClass(name));
    }
    classes.push_back(9999);
    for (const char* name : {"position", "fuel", "track", "hint", "zone", "load"}) {
      attributes.push_back(model.attribute(classes[1], name));
    }
    attributes.push_back(model.attribute(classes[2], "stock"));
    attributes.push_back(model.attribute(classes[0], "HLAprivilegeToDeleteObject"));
    for (const char* name : {"Message", "Message.Order", "Event", "Hail", "HLAinteractionRoot"}) {
      interactions.push_back(model.interactionClass(name));
    }
    interactions.push_back(9999);
    parameter = model.parameter(interactions[0], "text");
    dimensions = {model.dimension("Area"), model.dimension("HLAfederate"), 99};
  }
  core::Dimension dimension(Arguments& a) const {
    return dimensions[a.number() % dimensions.size()];
  }
  core::ObjectClass objectClass(Arguments& a) const { return classes[a.number() % classes.size()]; }
  core::InteractionClass interaction(Arguments& a) const {
    return interactions[a.number() % interactions.size()];
  }
  core::Attribute attribute(Arguments& a) const {
    return attributes[a.number() % attributes.size()];
  }
  /// One for each bit.
  std::vector<core::Attribute> set(Arguments& a) const {
    std::vector<core::Attribute> chosen;
    const std::uint8_t bits = a.number();
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      if ((bits >> i & 1) != 0) chosen.push_back(attributes[i]);
    }
    return chosen;
  }

  std::vector<core::ObjectClass> classes;
  std::vector<core::Attribute> attributes;
  std::vector<core::InteractionClass> interactions;
  std::vector<core::Dimension> dimensions;
  core::Parameter parameter = 0;
};

/// One of them, or one that never was.
template <class T>
T oneOf(const std::vector<T>& list, Arguments& a) {
  const std::size_t at = a.number();
  return list.empty() || at == 255 ? T{77} : list[at % list.size()];
}

/// Both federates know the same instances and regions.
struct Scene {
  Rti rti;
  std::array<std::unique_ptr<Member>, 2> members;
  std::vector<core::ObjectInstance> instances;
  std::vector<core::Region> regions;
  std::vector<std::uint64_t> messages;
  std::unique_ptr<const Handles> handles;

  Scene() {
    for (auto& member : members) {
      member = std::make_unique<Member>(rti);
      const bool first = member == members[0];
      require(member->service([&](Federate& f) {
        if (first) f.createFederation({"w", {}, {}, "", true});
        f.join({"w", first ? "a" : "b", "t", {}});
        if (first) handles = std::make_unique<Handles>(f.model().compact());
      }), "two federates can join");
    }
  }
  std::vector<core::Region> regionSet(Arguments& a) {
    std::vector<core::Region> chosen;
    for (std::uint8_t n = a.number() % 3; n > 0; --n) chosen.push_back(oneOf(regions, a));
    return chosen;
  }
  std::vector<core::AttributesWithRegions> pairs(Arguments& a) {
    std::vector<core::AttributesWithRegions> chosen;
    for (std::uint8_t n = 1 + a.number() % 2; n > 0; --n) {
      auto attributes = handles->set(a);
      chosen.push_back({std::move(attributes), regionSet(a)});
    }
    return chosen;
  }

  void serve(Member& member, Input bytes);
};

void Scene::serve(Member& member, Input bytes) {
  Arguments a(bytes);
  const std::uint8_t which = a.number();
  // What the adapters of the API above look at first is looked at here too.
  member.service([&](Federate& f) {
    const Handles& h = *handles;
    const auto instance = [&] { return oneOf(instances, a); };
    const auto newInstance = [&](core::ObjectInstance made) { instances.push_back(made); };
    const auto message = [&](std::uint64_t sent) {
      if (sent != 0) messages.push_back(sent);
    };
    const auto send = [&](bool timed) {
      const auto target = instance();
      const auto attributes = h.set(a);
      const std::uint64_t time = a.time();
      const Bytes content((std::size_t{a.number()} << 4) & 4095);
      std::vector<core::Value> values;
      for (const auto attribute : attributes) values.push_back({attribute, content});
      message(f.update(target, values, a.rest(), timed ? &time : nullptr));
    };
    const auto interact = [&](bool timed, bool regional) {
      const auto sent = h.interaction(a);
      const std::uint64_t time = a.time();
      const auto with = regional ? regionSet(a) : std::vector<core::Region>();
      const core::Value value{h.parameter, a.rest()};
      message(f.send(sent, std::span(&value, a.flag() ? 1 : 0), {}, timed ? &time : nullptr,
                     regional ? &with : nullptr));
    };
    const auto advance = [&](fabric::TimeAdvance how) {
      const std::uint64_t time = a.time();
      f.requireTimeGranted();
      f.requestTime(how, time);
    };
    switch (which % 80) {
      case 0: {
        const auto of = h.objectClass(a);
        f.publishObjectClass(of, h.set(a));
        break;
      }
      case 1: {
        const auto of = h.objectClass(a);
        const auto attributes = h.set(a);
        f.unpublishObjectClass(of, a.flag() ? nullptr : &attributes);
        break;
      }
      case 2: {
        const auto of = h.objectClass(a);
        const auto attributes = h.set(a);
        const bool active = a.flag();
        f.subscribeObjectClass(of, attributes, active, a.of({"", "Slow", "Fast"}));
        break;
      }
      case 3: {
        const auto of = h.objectClass(a);
        const auto attributes = h.set(a);
        f.unsubscribeObjectClass(of, a.flag() ? nullptr : &attributes);
        break;
      }
      case 4: {
        const auto of = h.interaction(a);
        f.publishInteractionClass(of, a.flag());
        break;
      }
      case 5: {
        const auto of = h.interaction(a);
        const bool on = a.flag();
        f.subscribeInteractionClass(of, on, a.flag());
        break;
      }
      case 6: f.reserveNames({a.name()}, true); break;
      case 7: f.reserveNames({a.name(), "b"}, false); break;
      case 8: f.releaseNames({a.name()}); break;
      case 9: newInstance(f.registerInstance(h.objectClass(a), nullptr)); break;
      case 10: {
        const auto of = h.objectClass(a);
        const std::string name = a.name();
        newInstance(f.registerInstance(of, &name));
        break;
      }
      case 11:
      case 12: send(false); break;
      case 13: send(true); break;
      case 14: interact(false, false); break;
      case 15: interact(true, false); break;
      case 16: {
        const auto gone = instance();
        message(f.deleteInstance(gone, a.rest(), nullptr));
        break;
      }
      case 17: {
        const auto gone = instance();
        const std::uint64_t time = a.time();
        message(f.deleteInstance(gone, a.rest(), &time));
        break;
      }
      case 18: {
        const auto gone = instance();
        f.localDelete(gone);
        member.forget(gone);
        break;
      }
      case 19: {
        const auto of = instance();
        const auto attributes = h.set(a);
        f.requestUpdate(of, attributes, a.rest());
        break;
      }
      case 20: {
        const auto of = h.objectClass(a);
        const auto attributes = h.set(a);
        f.requestClassUpdate(of, attributes, a.rest());
        break;
      }
      case 21: regions.push_back(f.createRegion({h.dimension(a)})); break;
      case 22: f.commitRegions(regionSet(a)); break;
      case 23: f.deleteRegion(oneOf(regions, a)); break;
      case 24: {
        const auto of = h.objectClass(a);
        newInstance(f.registerInstanceWithRegions(of, pairs(a), nullptr));
        break;
      }
      case 25: {
        const auto of = instance();
        f.associateRegions(of, pairs(a));
        break;
      }
      case 26: {
        const auto of = instance();
        f.unassociateRegions(of, pairs(a));
        break;
      }
      case 27: {
        const auto of = h.objectClass(a);
        const auto with = pairs(a);
        const bool active = a.flag();
        f.subscribeWithRegions(of, with, active, a.of({"", "Slow"}));
        break;
      }
      case 28: {
        const auto of = h.objectClass(a);
        f.unsubscribeWithRegions(of, pairs(a));
        break;
      }
      case 29: {
        const auto of = h.interaction(a);
        const auto with = regionSet(a);
        f.subscribeInteractionWithRegions(of, with, a.flag());
        break;
      }
      case 30: {
        const auto of = h.interaction(a);
        f.unsubscribeInteractionWithRegions(of, regionSet(a));
        break;
      }
      case 31: interact(false, true); break;
      case 32: {
        const auto of = h.objectClass(a);
        f.requestClassUpdateWithRegions(of, pairs(a), {});
        break;
      }
      case 33: {
        const auto of = oneOf(regions, a);
        const auto dimension = h.dimension(a);
        const std::uint64_t lower = a.number() * 4u;
        f.setRangeBounds(of, dimension, lower, lower + a.number() * 4u);
        break;
      }
      case 34: {
        const auto of = oneOf(regions, a);
        f.rangeBounds(of, h.dimension(a));
        break;
      }
      case 35: f.regionDimensions(oneOf(regions, a)); break;
      case 36: {
        const auto of = instance();
        f.unconditionalDivestiture(of, h.set(a));
        break;
      }
      case 37: {
        const auto of = instance();
        const auto attributes = h.set(a);
        f.negotiatedDivestiture(of, attributes, a.rest());
        break;
      }
      case 38: {
        const auto of = instance();
        const auto attributes = h.set(a);
        f.confirmDivestiture(of, attributes, a.rest());
        break;
      }
      case 39: {
        const auto of = instance();
        const auto attributes = h.set(a);
        f.acquire(of, attributes, a.rest());
        break;
      }
      case 40: {
        const auto of = instance();
        f.acquireIfAvailable(of, h.set(a));
        break;
      }
      case 41: {
        const auto of = instance();
        f.denyRelease(of, h.set(a));
        break;
      }
      case 42: {
        const auto of = instance();
        f.divestIfWanted(of, h.set(a));
        break;
      }
      case 43: {
        const auto of = instance();
        f.cancelNegotiatedDivestiture(of, h.set(a));
        break;
      }
      case 44: {
        const auto of = instance();
        f.cancelAcquisition(of, h.set(a));
        break;
      }
      case 45: {
        const auto of = instance();
        f.queryOwnership(of, h.attribute(a));
        break;
      }
      case 46: {
        const auto of = instance();
        f.owns(of, h.attribute(a));
        break;
      }
      case 47:
        f.requireCanRegulate();
        f.enableTimeRegulation(a.time());
        break;
      case 48: f.disableTimeRegulation(); break;
      case 49: f.enableTimeConstrained(); break;
      case 50: f.disableTimeConstrained(); break;
      case 51: advance(fabric::TimeAdvance::TimeAdvanceRequest); break;
      case 52: advance(fabric::TimeAdvance::TimeAdvanceRequestAvailable); break;
      case 53: advance(fabric::TimeAdvance::NextMessageRequest); break;
      case 54: advance(fabric::TimeAdvance::NextMessageRequestAvailable); break;
      case 55: advance(fabric::TimeAdvance::FlushQueueRequest); break;
      case 56: f.setAsynchronousDelivery(a.flag()); break;
      case 57:
        f.queryGALT();
        f.queryLITS();
        break;
      case 58:
        f.queryLogicalTime();
        f.queryLookahead();
        break;
      case 59:
        f.requireCanModifyLookahead();
        f.modifyLookahead(a.time());
        break;
      case 60: {
        const auto of = instance();
        const auto attributes = h.set(a);
        f.changeAttributeTransportation(of, attributes, a.flag());
        break;
      }
      case 61: {
        const auto of = instance();
        f.queryAttributeTransportation(of, h.attribute(a));
        break;
      }
      case 62: {
        const auto of = h.interaction(a);
        f.changeInteractionTransportation(of, a.flag());
        break;
      }
      case 63:  // of one who is joined: for others the standard has RTIinternalError only
        f.queryInteractionTransportation(f.self(), h.interaction(a));
        break;
      case 64: f.retract(oneOf(messages, a)); break;
      case 65: {
        const auto of = instance();
        const auto attributes = h.set(a);
        f.changeAttributeOrder(of, attributes, a.flag());
        break;
      }
      case 66: {
        const auto of = h.interaction(a);
        f.changeInteractionOrder(of, a.flag());
        break;
      }
      case 67: {
        const std::string label = a.name();
        f.registerSynchronizationPoint(label, a.rest(), nullptr);
        break;
      }
      case 68: {
        const std::string label = a.name();
        f.synchronizationPointAchieved(label, a.flag());
        break;
      }
      case 69: {
        const std::string label = a.name();
        const std::uint64_t time = a.time();
        f.requestSave(label, a.flag() ? &time : nullptr);
        break;
      }
      case 70: f.saveBegun(); break;
      case 71: f.saveCompleted(!a.flag()); break;
      case 72: a.flag() ? f.abortSave() : f.querySaveStatus(); break;
      case 73: f.requestRestore(a.name()); break;
      case 74: f.restoreCompleted(!a.flag()); break;
      case 75: a.flag() ? f.abortRestore() : f.queryRestoreStatus(); break;
      case 76: {
        const bool objects = a.flag();
        f.setAdvisory(objects, a.flag());
        break;
      }
      case 77: a.flag() ? f.switchScopeAdvisory(a.flag()) : f.switchUpdateAdvisory(a.flag()); break;
      case 78:
        f.resign(a.number() % 6);
        member.forget();
        break;
      default:
        f.join({"w", a.name(), "t", {}});
        member.forget();
    }
  });
}

enum : std::uint8_t { evoked = 2 };
/// Each is a conversation with the executive, which is another thread's.
constexpr std::size_t mostParts = 150;

void add(Bytes& input, std::uint8_t federate, std::initializer_list<std::uint8_t> bytes) {
  appendPart(input, federate, std::as_bytes(std::span(bytes)));
}
/// Both federates evoke callbacks.
void evoke(Bytes& input) {
  for (const std::uint8_t federate : {0, 1, 0, 1}) appendPart(input, federate | evoked, {});
}

}  // namespace

void target(Input input) {
  Scene scene;
  auto all = parts(input);
  if (all.size() > mostParts) all.resize(mostParts);
  for (const Part& part : all) {
    Member& member = *scene.members[part.kind & 1];
    if ((part.kind & evoked) != 0) {
      member.evoke(200);
      for (const auto known : member.instances) scene.instances.push_back(known);
      member.instances.clear();
    } else {
      scene.serve(member, part.bytes);
    }
  }
  for (auto& member : scene.members) {
    member->evoke(1000);
    if (member->reflections != 0) updated.reach();
    if (member->grants != 0) granted.reach();
    if (member->saves != 0) saved.reach();
    if (member->restores != 0) restored.reach();
    if (member->releases != 0) acquired.reach();
  }
  for (auto& member : scene.members) member.reset();
  scene.rti.requireEmpty();
}

std::vector<Bytes> seeds() {
  Bytes objects;
  for (const std::uint8_t federate : {0, 1}) {
    add(objects, federate, {0, 0, 0x9f});
    add(objects, federate, {2, 0, 0x1f, 1, 0});
    add(objects, federate, {4, 0, 1});
    add(objects, federate, {5, 0, 1, 1});
  }
  add(objects, 0, {6, 0});
  evoke(objects);
  add(objects, 0, {10, 0, 0});
  add(objects, 1, {9, 0});
  evoke(objects);
  add(objects, 0, {11, 0, 0x1f, 0, 1});
  add(objects, 1, {14, 0, 0, 1, 65});
  add(objects, 1, {20, 0, 1});
  add(objects, 1, {19, 0, 1});
  evoke(objects);
  add(objects, 0, {16, 0});
  add(objects, 1, {18, 0});
  add(objects, 1, {78, 4});
  add(objects, 1, {79, 1});
  evoke(objects);

  Bytes times = objects;
  for (const std::uint8_t federate : {0, 1}) {
    add(times, federate, {47, 2});
    add(times, federate, {49});
  }
  evoke(times);
  add(times, 0, {0, 0, 0x9f});
  add(times, 1, {2, 0, 0x1f, 1, 0});
  add(times, 0, {4, 2, 1});
  add(times, 1, {5, 2, 1, 1});
  add(times, 0, {9, 0});
  add(times, 0, {13, 2, 0x04, 4, 1});
  add(times, 0, {15, 2, 6});
  add(times, 0, {64, 1});
  std::uint8_t until = 2;
  for (const std::uint8_t how : {51, 53, 55, 52, 54}) {
    for (const std::uint8_t federate : {0, 1}) add(times, federate, {how, until});
    ++until;
    evoke(times);
    add(times, 1, {57});
  }
  add(times, 0, {59, 4});
  add(times, 1, {50});

  Bytes trade;
  for (const std::uint8_t federate : {0, 1}) {
    add(trade, federate, {0, 0, 0x9f});
    add(trade, federate, {2, 0, 0x1f, 1, 0});
  }
  add(trade, 0, {9, 0});
  evoke(trade);
  add(trade, 1, {39, 0, 0x01});
  evoke(trade);
  add(trade, 0, {42, 0, 0x01});
  add(trade, 0, {37, 0, 0x02});
  evoke(trade);
  add(trade, 1, {39, 0, 0x02});
  evoke(trade);
  add(trade, 0, {38, 0, 0x02});
  evoke(trade);
  add(trade, 1, {36, 0, 0x03});
  add(trade, 0, {40, 0, 0x03});
  add(trade, 1, {45, 0, 0});
  evoke(trade);

  Bytes regional;
  add(regional, 0, {21, 0});
  add(regional, 1, {21, 0});
  add(regional, 0, {33, 0, 0, 0, 40});
  add(regional, 1, {33, 1, 0, 20, 40});
  add(regional, 0, {22, 1, 0});
  add(regional, 1, {22, 1, 1});
  add(regional, 0, {0, 0, 0x10});
  add(regional, 1, {27, 0, 0, 0x10, 1, 1, 1});
  add(regional, 0, {24, 0, 0, 0x10, 1, 0});
  evoke(regional);
  add(regional, 0, {11, 0, 0x10, 0, 1});
  evoke(regional);
  add(regional, 1, {28, 0, 0, 0x10, 1, 1});
  add(regional, 1, {23, 1});

  Bytes save = trade;
  add(save, 0, {67, 0});
  evoke(save);
  for (const std::uint8_t federate : {0, 1}) add(save, federate, {68, 0, 1});
  add(save, 0, {69, 0, 0, 0});
  evoke(save);
  for (const std::uint8_t service : {70, 71}) {
    for (const std::uint8_t federate : {0, 1}) add(save, federate, {service, 0});
    evoke(save);
  }
  add(save, 1, {73, 0});
  evoke(save);
  for (const std::uint8_t federate : {0, 1}) add(save, federate, {74, 0});
  evoke(save);
  return {objects, times, trade, regional, save};
}

}  // namespace tutti::fuzz
