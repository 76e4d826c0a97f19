// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <RTI/encoding/BasicDataElements.h>

#include "saver.h"

/// What the tests of the MOM have in common: values as the MIM says, and a federate that watches.
namespace mom {

using namespace rti1516e;

// --- values as the datatypes of the MIM say ------------------------------------------------------

inline quint32 integer(const QByteArray& octets, int at = 0) {
  quint32 value = 0;
  for (int i = 0; i < 4; ++i)
    value = (value << 8) | static_cast<quint8>(at + i < octets.size() ? octets[at + i] : 0);
  return value;
}

inline QByteArray integer(quint32 value) {
  QByteArray octets;
  for (int shift = 24; shift >= 0; shift -= 8) octets += static_cast<char>(value >> shift);
  return octets;
}

inline QByteArray octetsOf(const VariableLengthData& data) {
  return {static_cast<const char*>(data.data()), static_cast<qsizetype>(data.size())};
}

template <class Handle>
inline QByteArray encoded(const Handle& handle) {
  const QByteArray octets = octetsOf(handle.encode());
  return integer(static_cast<quint32>(octets.size())) + octets;
}

template <class Handle>
inline QByteArray encoded(const std::vector<Handle>& handles) {
  QByteArray octets = integer(static_cast<quint32>(handles.size()));
  for (const Handle& handle : handles) octets += encoded(handle);
  return octets;
}

inline QByteArray encodedText(const QString& text) {
  return octetsOf(HLAunicodeString(wide(text)).encode());
}

inline QByteArray encodedTime(double time) {
  const QByteArray octets = octetsOf(HLAfloat64Time(time).encode());
  return integer(static_cast<quint32>(octets.size())) + octets;
}

inline QString text(const QByteArray& octets) {
  HLAunicodeString string;
  string.decode(data(octets));
  return narrow(string.get());
}

/// HLAvariableArray of HLAunicodeString.
inline QStringList texts(const QByteArray& octets) {
  QStringList result;
  int at = 4;
  for (quint32 i = 0; i < integer(octets); ++i) {
    at = (at + 3) / 4 * 4;
    const int bytes = 4 + 2 * static_cast<int>(integer(octets, at));
    result += text(octets.mid(at, bytes));
    at += bytes;
  }
  return result;
}

/// HLAvariableArray of records that begin with a handle and end with 32 bits: "class 3, ...", with
/// the names that `name` gives.
inline QStringList counts(const QByteArray& octets,
                          const std::function<QString(const QByteArray&)>& name) {
  QStringList result;
  int at = 4;
  for (quint32 i = 0; i < integer(octets); ++i) {
    const int bytes = static_cast<int>(integer(octets, at));
    result +=
        name(octets.mid(at + 4, bytes)) + " " + QString::number(integer(octets, at + 4 + bytes));
    at += 8 + bytes;
  }
  return result;
}

inline const QString federateClass = "HLAmanager.HLAfederate";
inline const QString federationClass = "HLAmanager.HLAfederation";
inline const QString adjust = "HLAmanager.HLAfederate.HLAadjust.";
inline const QString request = "HLAmanager.HLAfederate.HLArequest.";
inline const QString report = "HLAmanager.HLAfederate.HLAreport.";
inline const QString service = "HLAmanager.HLAfederate.HLAservice.";
inline const QString ofFederation = "HLAmanager.HLAfederation.";

inline const QStringList federateAttributes{"HLAfederateHandle",
                                            "HLAfederateName",
                                            "HLAfederateType",
                                            "HLAfederateHost",
                                            "HLARTIversion",
                                            "HLAFOMmoduleDesignatorList",
                                            "HLAtimeConstrained",
                                            "HLAtimeRegulating",
                                            "HLAasynchronousDelivery",
                                            "HLAfederateState",
                                            "HLAtimeManagerState",
                                            "HLAlogicalTime",
                                            "HLAlookahead",
                                            "HLAGALT",
                                            "HLALITS",
                                            "HLAROlength",
                                            "HLATSOlength",
                                            "HLAreflectionsReceived",
                                            "HLAupdatesSent",
                                            "HLAinteractionsReceived",
                                            "HLAinteractionsSent",
                                            "HLAobjectInstancesThatCanBeDeleted",
                                            "HLAobjectInstancesUpdated",
                                            "HLAobjectInstancesReflected",
                                            "HLAobjectInstancesDeleted",
                                            "HLAobjectInstancesRemoved",
                                            "HLAobjectInstancesRegistered",
                                            "HLAobjectInstancesDiscovered",
                                            "HLAtimeGrantedTime",
                                            "HLAtimeAdvancingTime",
                                            "HLAconveyRegionDesignatorSets",
                                            "HLAconveyProducingFederate"};

inline const QStringList federationAttributes{"HLAfederationName",
                                              "HLAfederatesInFederation",
                                              "HLARTIversion",
                                              "HLAMIMdesignator",
                                              "HLAFOMmoduleDesignatorList",
                                              "HLAcurrentFDD",
                                              "HLAtimeImplementationName",
                                              "HLAlastSaveName",
                                              "HLAlastSaveTime",
                                              "HLAnextSaveName",
                                              "HLAnextSaveTime",
                                              "HLAautoProvide"};

/// Watches a federation through its MOM.
class Watcher : public Saver {
 public:
  struct Report {
    QString name;  ///< without HLAinteractionRoot.HLAmanager
    QMap<QString, QByteArray> values;
  };

  explicit Watcher(const QString& name = "watcher") : Saver(name) {
    quiet = true;
    onReflect = [this](ObjectInstanceHandle instance, const AttributeHandleValueMap& values) {
      const auto objectClass = rti().getKnownObjectClassHandle(instance);
      ++reflects[instance];
      for (const auto& [attribute, value] : values) {
        known[instance][narrow(rti().getAttributeName(objectClass, attribute))] = octetsOf(value);
      }
    };
    onReceive = [this](InteractionClassHandle interaction, const ParameterHandleValueMap& values) {
      Report one;
      one.name = narrow(rti().getInteractionClassName(interaction))
                     .remove("HLAinteractionRoot.HLAmanager.");
      for (const auto& [parameter, value] : values) {
        one.values[narrow(rti().getParameterName(interaction, parameter))] = octetsOf(value);
      }
      reports.append(one);
    };
  }
  ~Watcher() RTI_NOEXCEPT override { end(); }

  std::map<ObjectInstanceHandle, QMap<QString, QByteArray>> known;
  std::map<ObjectInstanceHandle, int> reflects;
  QList<Report> reports;

  void watch() {
    subscribe(federateClass, federateAttributes);
    subscribe(federationClass, federationAttributes);
    expect("discover");
  }
  /// Asks for all values and waits until those of `federate` are there; invalid: the federation's.
  ObjectInstanceHandle ask(const FederateHandle& federate) {
    known.clear();
    const QString& objectClassName = federate.isValid() ? federateClass : federationClass;
    const auto& names = federate.isValid() ? federateAttributes : federationAttributes;
    ObjectInstanceHandle found;
    QElapsedTimer asked;
    pumpUntil([&] {
      for (const auto& [instance, values] : known) {
        const QByteArray handle = values.value("HLAfederateHandle");
        if (federate.isValid() ? handle == encoded(federate)
                               : values.contains("HLAfederationName")) {
          if (values.size() == names.size()) found = instance;
        }
      }
      if (found.isValid()) return true;
      // The RTI may be about to register its objects.
      if (asked.isValid() && asked.elapsed() < 1000) return false;
      asked.start();
      rti().requestAttributeValueUpdate(objectClass(objectClassName),
                                        attributes(objectClassName, names), VariableLengthData());
      return false;
    });
    return found;
  }
  /// Sends an interaction of the MOM with a federate's handle and more parameters.
  void tell(const QString& interaction, const FederateHandle& federate,
            QList<QPair<QString, QByteArray>> values = {}) {
    publishInteraction(interaction);
    if (federate.isValid()) values.prepend({"HLAfederate", encoded(federate)});
    send(interaction, values);
  }
  /// Waits for the next report of this class, and takes it away; its values.
  QMap<QString, QByteArray> next(const QString& interaction,
                                 const std::function<void()>& also = {}) {
    QMap<QString, QByteArray> values;
    const bool came = pumpUntil([&] {
      if (also) also();
      for (int i = 0; i < reports.size(); ++i) {
        if ("HLAmanager." + reports[i].name != interaction) continue;
        values = reports.takeAt(i).values;
        return true;
      }
      return false;
    });
    if (!came) qWarning("no %s", qPrintable(interaction));
    return values;
  }
};

/// A federate that does a known number of things.
struct Scene {
  explicit Scene(const QString& federation) {
    worker.enter(federation);
    peer.enter(federation);
    worker.rti().disableObjectClassRelevanceAdvisorySwitch();
    worker.rti().disableInteractionRelevanceAdvisorySwitch();
    worker.publish("Vehicle", {"position", "hint"});
    worker.publish("Vehicle.Truck", {"position", "load"});
    worker.publishInteraction("Message");
    worker.publishInteraction("Hail");
    peer.subscribe("Vehicle", {"position", "hint"});
    peer.subscribeInteraction("Message");
    peer.subscribeInteraction("Hail");
    for (int i = 0; i < 3; ++i) trucks.push_back(worker.registerInstance("Vehicle.Truck"));
    car = worker.registerInstance("Vehicle");
    worker.update(trucks[0], "Vehicle.Truck", {{"position", "1"}});
    worker.update(trucks[0], "Vehicle.Truck", {{"position", "2"}});
    worker.update(trucks[1], "Vehicle.Truck", {{"position", "3"}});
    worker.update(car, "Vehicle", {{"hint", "4"}});
    worker.rti().deleteObjectInstance(trucks[1], VariableLengthData());
    for (int i = 0; i < 3; ++i) worker.send("Message", {{"text", "hello"}});
    worker.send("Hail", {});
    peer.expect("remove");
    peer.expect("receive Hail");
  }
  Saver worker{"worker"}, peer{"peer"};
  std::vector<ObjectInstanceHandle> trucks;
  ObjectInstanceHandle car;
};

}  // namespace mom
