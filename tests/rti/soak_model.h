// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <RTI/NullFederateAmbassador.h>
#include <RTI/RTI1516.h>
#include <RTI/time/HLAfloat64Time.h>

#include <QRegularExpression>
#include <QString>
#include <QStringList>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/// A plain model of the rules, for tst_soak: what is true of a federation execution, and for each
/// federate what it is entitled to. It tells of every callback whether it was allowed.
namespace soak {

using namespace rti1516e;

/// What all times, of federates and messages, are multiples of, in seconds of logical time.
inline constexpr double quantum = 0.5;

inline constexpr int slotCount = 12;

struct ClassFacts {
  const wchar_t* name;
  int parent;
  std::vector<const wchar_t*> attributes;  ///< all that are available, inherited ones first
};
inline const std::array<ClassFacts, 3> classes{{
    {L"Vehicle", -1, {L"position", L"fuel", L"track", L"zone"}},
    {L"Vehicle.Truck", 0, {L"position", L"fuel", L"track", L"zone", L"load"}},
    {L"Depot", -1, {L"stock"}},
}};
inline const std::set<std::wstring> timestamped{L"track"};
inline constexpr unsigned long areaBound = 1000;

/// What every value says of itself.
struct Payload {
  std::uint64_t sequence;      ///< of the sending, over all federates
  int sender;                  ///< life of a federate
  double time;                 ///< negative: none
  unsigned long lower, upper;  ///< the update region of `zone`; 0, 0: none
};

inline VariableLengthData bytes(const Payload& payload) {
  return VariableLengthData(&payload, sizeof payload);
}
inline Payload payloadOf(const VariableLengthData& data) {
  Payload payload{};
  if (data.size() == sizeof payload) std::memcpy(&payload, data.data(), sizeof payload);
  return payload;
}

enum class How { None, TAR, TARA, NMR, NMRA, FQR };
inline const char* nameOf(How how) {
  constexpr const char* names[] = {"-", "TAR", "TARA", "NMR", "NMRA", "FQR"};
  return names[static_cast<int>(how)];
}

using Attributes = std::set<std::wstring>;

inline QString textOf(const ObjectInstanceHandle& handle) {
  return QString::fromStdWString(handle.toString());
}

struct Instance {
  int objectClass = 0;
  bool alive = true;
  std::map<std::wstring, int> owner;  ///< life of the owner; missing: nobody
  int deleter = 0;                    ///< life of who owns the privilege to delete
  std::map<std::wstring, Payload> last;
};

class Federate;

/// What is true of the federation execution, and the first thing that was not as it has to be.
struct World {
  std::map<ObjectInstanceHandle, Instance> instances;
  std::uint64_t sequence = 0;
  std::uint64_t callbacks = 0;
  std::map<QString, std::uint64_t> counts;
  QString divergence;
  QStringList history;

  void diverge(const QString& who, const QString& what) {
    if (!divergence.isEmpty()) return;
    divergence = who + " " + what;
    const QStringList own = qEnvironmentVariableIsSet("TUTTI_SOAK_HISTORY")
                                ? history
                                : history.filter(QRegularExpression("^" + who + " "));
    for (const QString& line :
         own.mid(std::max<qsizetype>(0, own.size() - (own == history ? 400000 : 40)))) {
      divergence += "\n  " + line;
    }
  }
  void note(const QString& what) {
    history.append(QString("%1 [%2]").arg(what).arg(++noted));
    if (history.size() > 400000) history.removeFirst();
  }
  std::uint64_t noted = 0;
};

/// One life of a federate, and what it is entitled to.
class Federate : public NullFederateAmbassador {
 public:
  struct Known {
    int as = 0;                                                  ///< known class
    std::map<std::pair<std::wstring, int>, std::uint64_t> seen;  ///< by attribute and sender
    std::map<std::wstring, std::uint64_t> owed;                  ///< value that has to arrive
  };
  struct Event {
    std::uint64_t sequence;
    double time;
  };

  Federate(World& world, int number) : world_(world), life(number) {
    rti.reset(RTIambassadorFactory().createRTIambassador().release());
  }
  ~Federate() RTI_NOEXCEPT override = default;

  bool subscribes(int c, const std::wstring& attribute) const {
    const auto found = subscribed.find(c);
    return found != subscribed.end() && found->second.contains(attribute);
  }
  int subscribedAt(int c) const {
    for (; c >= 0; c = classes[static_cast<std::size_t>(c)].parent) {
      if (subscribed.contains(c)) return c;
    }
    return -1;
  }
  QString who() const { return QString("federate %1").arg(life); }

  // --- callbacks ---
  void discoverObjectInstance(ObjectInstanceHandle instance, ObjectClassHandle objectClass,
                              const std::wstring&) override {
    discovered(instance, objectClass);
  }
  void discoverObjectInstance(ObjectInstanceHandle instance, ObjectClassHandle objectClass,
                              const std::wstring&, FederateHandle) override {
    discovered(instance, objectClass);
  }
  void discovered(ObjectInstanceHandle instance, ObjectClassHandle objectClass) {
    called("discover");
    world_.note(who() + " discovers " + textOf(instance));
    const auto found = world_.instances.find(instance);
    if (found == world_.instances.end()) return diverge("discovers what was never registered");
    if (known.contains(instance)) return diverge("discovers what it knows");
    const int as = subscribedAt(found->second.objectClass);
    if (as < 0) {
      return diverge(QString("discovers an instance of %1, which it does not subscribe")
                         .arg(QString::fromStdWString(
                             classes[static_cast<std::size_t>(found->second.objectClass)].name)));
    }
    if (rti->getObjectClassHandle(classes[static_cast<std::size_t>(as)].name) != objectClass) {
      return diverge("discovers as another class than the closest it subscribes");
    }
    known[instance].as = as;
  }

  void reflectAttributeValues(ObjectInstanceHandle instance, const AttributeHandleValueMap& values,
                              const VariableLengthData&, OrderType sent, TransportationType,
                              SupplementalReflectInfo) override {
    reflected(instance, values, sent, RECEIVE, -1);
  }
  void reflectAttributeValues(ObjectInstanceHandle instance, const AttributeHandleValueMap& values,
                              const VariableLengthData&, OrderType sent, TransportationType,
                              const LogicalTime& time, OrderType received,
                              SupplementalReflectInfo) override {
    reflected(instance, values, sent, received, seconds(time));
  }
  void reflectAttributeValues(ObjectInstanceHandle instance, const AttributeHandleValueMap& values,
                              const VariableLengthData&, OrderType sent, TransportationType,
                              const LogicalTime& time, OrderType received, MessageRetractionHandle,
                              SupplementalReflectInfo) override {
    reflected(instance, values, sent, received, seconds(time));
  }
  void reflected(ObjectInstanceHandle instance, const AttributeHandleValueMap& values,
                 OrderType sent, OrderType received, double time) {
    called("reflect");
    const auto found = known.find(instance);
    if (found == known.end()) return diverge("reflects an instance that it does not know");
    Known& k = found->second;
    const auto classHandle =
        rti->getObjectClassHandle(classes[static_cast<std::size_t>(k.as)].name);
    for (const auto& [handle, value] : values) {
      const std::wstring name = rti->getAttributeName(classHandle, handle);
      const Payload payload = payloadOf(value);
      const bool byRegion = name == L"zone" && k.as == 0 && zone.has_value();
      if (!byRegion && !subscribes(k.as, name)) {
        return diverge("reflects '" + QString::fromStdWString(name) + "' without subscribing it");
      }
      if (byRegion && payload.upper != 0 &&
          (payload.upper <= zone->first || zone->second <= payload.lower)) {
        return diverge(QString("reflects zone [%1, %2), and subscribes [%3, %4)")
                           .arg(payload.lower)
                           .arg(payload.upper)
                           .arg(zone->first)
                           .arg(zone->second));
      }
      if (owned(instance, name)) {
        return diverge("reflects '" + QString::fromStdWString(name) + "', which it owns");
      }
      world_.note(QString("%1 got %2 %3 as %4")
                      .arg(who(), QString::fromStdWString(name))
                      .arg(payload.sequence)
                      .arg(sent == RECEIVE ? "RO" : "TSO"));
      std::uint64_t& seen = k.seen[{name, payload.sender}];
      if (sent == RECEIVE && payload.sequence <= seen) {
        return diverge(QString("gets %1 of federate %2 after %3")
                           .arg(payload.sequence)
                           .arg(payload.sender)
                           .arg(seen));
      }
      if (sent == RECEIVE) seen = payload.sequence;
      const auto owed = k.owed.find(name);
      if (owed != k.owed.end() && owed->second == payload.sequence) k.owed.erase(owed);
      inOrder(payload, sent);
      if (received == TIMESTAMP) inTime(payload, time);
    }
  }

  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap& values,
                          const VariableLengthData&, OrderType sent, TransportationType,
                          SupplementalReceiveInfo) override {
    received(values, sent, RECEIVE, -1);
  }
  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap& values,
                          const VariableLengthData&, OrderType sent, TransportationType,
                          const LogicalTime& time, OrderType order,
                          SupplementalReceiveInfo) override {
    received(values, sent, order, seconds(time));
  }
  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap& values,
                          const VariableLengthData&, OrderType sent, TransportationType,
                          const LogicalTime& time, OrderType order, MessageRetractionHandle,
                          SupplementalReceiveInfo) override {
    received(values, sent, order, seconds(time));
  }
  void received(const ParameterHandleValueMap& values, OrderType sent, OrderType order,
                double time) {
    called("receive");
    if (!eventSubscribed) return diverge("receives an interaction that it does not subscribe");
    const Payload payload = payloadOf(values.begin()->second);
    if (time >= 0 && payload.time != time) return diverge("gets another time than was sent");
    if (!receivedEvents.insert(payload.sequence).second) return diverge("gets an event twice");
    std::erase_if(events, [&](const Event& e) { return e.sequence == payload.sequence; });
    inOrder(payload, sent);
    if (order == TIMESTAMP) inTime(payload, time);
  }

  void removeObjectInstance(ObjectInstanceHandle instance, const VariableLengthData&, OrderType,
                            SupplementalRemoveInfo) override {
    removed(instance);
  }
  void removeObjectInstance(ObjectInstanceHandle instance, const VariableLengthData&, OrderType,
                            const LogicalTime&, OrderType, SupplementalRemoveInfo) override {
    removed(instance);
  }
  void removeObjectInstance(ObjectInstanceHandle instance, const VariableLengthData&, OrderType,
                            const LogicalTime&, OrderType, MessageRetractionHandle,
                            SupplementalRemoveInfo) override {
    removed(instance);
  }
  void removed(ObjectInstanceHandle instance) {
    called("remove");
    world_.note(who() + " removes " + textOf(instance));
    if (known.erase(instance) == 0) return diverge("is told to remove what it does not know");
    if (world_.instances.at(instance).alive) diverge("is told to remove what still exists");
  }

  void provideAttributeValueUpdate(ObjectInstanceHandle instance,
                                   const AttributeHandleSet& attributes,
                                   const VariableLengthData&) override {
    called("provide");
    const Instance& i = world_.instances.at(instance);
    const auto classHandle =
        rti->getObjectClassHandle(classes[static_cast<std::size_t>(i.objectClass)].name);
    for (const AttributeHandle& attribute : attributes) {
      if (!owned(instance, rti->getAttributeName(classHandle, attribute))) {
        diverge("is asked for an attribute that it does not own");
      }
    }
  }

  void timeRegulationEnabled(const LogicalTime& time) override {
    called("regulate");
    if (!regulationPending) return diverge("is told that it regulates, unasked");
    regulationPending = false;
    regulating = true;
    logical = seconds(time);
    world_.note(QString("%1 regulates from %2").arg(who()).arg(logical));
  }
  void timeConstrainedEnabled(const LogicalTime& time) override {
    called("constrain");
    if (!constrainedPending) return diverge("is told that it is constrained, unasked");
    constrainedPending = false;
    constrained = true;
    strict = false;  // what was granted before did not hold anybody back
    logical = seconds(time);
  }
  void timeAdvanceGrant(const LogicalTime& time) override {
    called("grant");
    world_.note(QString("%1 is granted %2").arg(who()).arg(seconds(time)));
    const double t = seconds(time);
    if (how == How::None) return diverge("is granted without a request");
    if (t < logical || t > requested) return diverge("is granted what it did not ask for");
    if ((how == How::TAR || how == How::TARA) && t != requested) {
      diverge("is granted another time than it asked for");
    }
    if (constrained) earliestOthers(t);
    const bool inclusive = how == How::TAR || how == How::NMR;
    for (const Event& event : events) {
      if (event.time < t || (inclusive && event.time == t)) {
        return diverge(
            QString("is granted %1 and has not got the event of %2").arg(t).arg(event.time));
      }
    }
    logical = t;
    strict = inclusive;
    how = How::None;
  }

  void attributeOwnershipAcquisitionNotification(ObjectInstanceHandle instance,
                                                 const AttributeHandleSet& attributes,
                                                 const VariableLengthData&) override {
    called("acquire");
    world_.note(who() + " acquires of " + textOf(instance));
    Instance& i = world_.instances.at(instance);
    const auto classHandle =
        rti->getObjectClassHandle(classes[static_cast<std::size_t>(i.objectClass)].name);
    for (const AttributeHandle& attribute : attributes) {
      const std::wstring name = rti->getAttributeName(classHandle, attribute);
      const bool privilege = name.starts_with(L"HLA");
      const int before = privilege ? i.deleter : (i.owner.contains(name) ? i.owner[name] : 0);
      if (before != 0) {
        diverge(QString("acquires '%1', which federate %2 owns")
                    .arg(QString::fromStdWString(name))
                    .arg(before));
      }
      if (privilege) {
        i.deleter = life;
      } else {
        i.owner[name] = life;
      }
      acquiring.erase({instance, name});
      if (const auto k = known.find(instance); k != known.end()) k->second.owed.erase(name);
    }
  }
  void attributeOwnershipUnavailable(ObjectInstanceHandle instance,
                                     const AttributeHandleSet& attributes) override {
    called("unavailable");
    forget(instance, attributes);
  }
  void requestAttributeOwnershipRelease(ObjectInstanceHandle instance,
                                        const AttributeHandleSet& attributes,
                                        const VariableLengthData&) override {
    called("release");
    releases.emplace_back(instance, attributes);
  }
  void requestAttributeOwnershipAssumption(ObjectInstanceHandle, const AttributeHandleSet&,
                                           const VariableLengthData&) override {
    called("assume");
  }

  void connectionLost(const std::wstring&) override { diverge("loses its connection"); }

  bool owned(const ObjectInstanceHandle& instance, const std::wstring& attribute) const {
    const Instance& i = world_.instances.at(instance);
    const auto owner = i.owner.find(attribute);
    return owner != i.owner.end() && owner->second == life;
  }
  void diverge(const QString& what) { world_.diverge(who(), what); }

  World& world_;
  const int life;
  std::unique_ptr<RTIambassador> rti;
  std::map<int, Attributes> published, subscribed;
  std::map<ObjectInstanceHandle, Known> known;
  bool eventSubscribed = false, eventPublished = false;
  std::vector<Event> events;  ///< in timestamp order, on their way to it
  std::set<std::uint64_t> receivedEvents;
  bool regulating = false, constrained = false;
  bool regulationPending = false, constrainedPending = false;
  double logical = 0, requested = 0, lookahead = 0;
  bool strict = false;
  bool asynchronous = false;
  /// Messages in receive order wait for its next time advance.
  bool holds() const { return constrained && !asynchronous && how == How::None; }
  How how = How::None;
  bool asksForLess() const { return how == How::NMR || how == How::NMRA || how == How::FQR; }
  std::set<std::pair<ObjectInstanceHandle, std::wstring>> acquiring;
  std::vector<std::pair<ObjectInstanceHandle, AttributeHandleSet>> releases;
  std::optional<std::pair<unsigned long, unsigned long>> zone;  ///< subscribed for `zone`
  std::optional<RegionHandle> zoneRegion, updateRegion;
  std::pair<unsigned long, unsigned long> updateZone;
  std::function<double(const Federate&)> galtOf;  ///< least bound of those it can be told of

 private:
  void called(const char* what) {
    ++world_.callbacks;
    ++world_.counts[what];
    world_.note(who() + " <- " + what);
  }
  static double seconds(const LogicalTime& time) {
    return dynamic_cast<const HLAfloat64Time&>(time).getTime();
  }
  void forget(ObjectInstanceHandle instance, const AttributeHandleSet& attributes) {
    const Instance& i = world_.instances.at(instance);
    const auto classHandle =
        rti->getObjectClassHandle(classes[static_cast<std::size_t>(i.objectClass)].name);
    for (const AttributeHandle& attribute : attributes) {
      acquiring.erase({instance, rti->getAttributeName(classHandle, attribute)});
    }
  }
  void inOrder(const Payload& payload, OrderType sent) {
    if (sent != RECEIVE) return;
    std::uint64_t& before = lastFrom_[payload.sender];
    if (payload.sequence < before) diverge("gets messages of one sender out of order");
    before = payload.sequence;
  }
  void inTime(const Payload& payload, double time) {
    if (time < logical || (strict && time == logical)) {
      diverge(QString("gets a message of %1 at %2, sent by federate %3 as %4")
                  .arg(time)
                  .arg(logical)
                  .arg(payload.sender)
                  .arg(payload.sequence));
    }
  }
  void earliestOthers(double t) {
    const double galt = galtOf(*this);
    if (galt < t) diverge(QString("is granted %1 while another may send at %2").arg(t).arg(galt));
  }

  std::map<int, std::uint64_t> lastFrom_;
};

}  // namespace soak
