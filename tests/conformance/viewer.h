// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "regions.h"

/// What the tests of data distribution management have in common.
namespace viewing {

using namespace rti1516e;
using regions::Bounds;

/// A federate that also writes down advisories of scope and relevance, and the regions that
/// messages were sent with.
class Viewer : public regions::Noting<Member> {
 public:
  using Noting::Noting;
  ~Viewer() RTI_NOEXCEPT override { end(); }

  void enterWith(const QString& federation, const QString& objectModel = {}) {
    enter(federation, HLA_EVOKED, {},
          objectModel.isEmpty() ? modulePath("regions.xml") : objectModel);
  }

  DimensionHandle dimension(const QString& name) { return rti().getDimensionHandle(wide(name)); }

  /// A region with these bounds, committed.
  RegionHandle region(const Bounds& bounds) { return regions::make(rti(), bounds); }
  void set(const RegionHandle& region, const Bounds& bounds) {
    regions::set(rti(), region, bounds);
  }
  void move(const RegionHandle& region, const Bounds& bounds) {
    regions::move(rti(), region, bounds);
  }
  AttributeHandleSetRegionHandleSetPairVector pair(const QStringList& names,
                                                   const RegionHandleSet& regions) {
    return {{attributes("Thing", names), regions}};
  }
  void subscribeWith(const QStringList& names, const RegionHandleSet& regions) {
    rti().subscribeObjectClassAttributesWithRegions(objectClass("Thing"), pair(names, regions));
  }
  /// An instance of Thing with a name.
  ObjectInstanceHandle thing(const QString& name, const QStringList& names,
                             const RegionHandleSet& regions) {
    rti().reserveObjectInstanceName(wide(name));
    if (!expect("reserved " + name)) qWarning("%s was not reserved", qPrintable(name));
    const auto instance = rti().registerObjectInstanceWithRegions(objectClass("Thing"),
                                                                  pair(names, regions), wide(name));
    const std::lock_guard guard(mutex_);
    classes_[instance] = objectClass("Thing");
    names_[instance] = name;
    return instance;
  }
  QString text(const RegionHandle& region) { return regions::text(rti(), region); }

  void attributesInScope(ObjectInstanceHandle instance, const AttributeHandleSet& set) override {
    scope("in scope ", instance, set);
  }
  void attributesOutOfScope(ObjectInstanceHandle instance, const AttributeHandleSet& set) override {
    scope("out of scope ", instance, set);
  }
  void turnUpdatesOnForObjectInstance(ObjectInstanceHandle instance,
                                      const AttributeHandleSet& set) override {
    scope("on ", instance, set);
  }
  void turnUpdatesOnForObjectInstance(ObjectInstanceHandle instance, const AttributeHandleSet& set,
                                      const std::wstring& rate) override {
    scope("on at " + narrow(rate) + " ", instance, set);
  }
  void turnUpdatesOffForObjectInstance(ObjectInstanceHandle instance,
                                       const AttributeHandleSet& set) override {
    scope("off ", instance, set);
  }

 private:
  void scope(const QString& which, ObjectInstanceHandle instance, const AttributeHandleSet& set) {
    QStringList names;
    for (const AttributeHandle& one : set) {
      names << narrow(rti().getAttributeName(rti().getKnownObjectClassHandle(instance), one));
    }
    names.sort();
    write(which + nameOfInstance(instance) + " " + names.join(','));
  }
};

inline QString modelWith(const QString& which, bool on) {
  QFile file(modulePath("regions.xml"));
  if (!file.open(QIODevice::ReadOnly)) qFatal("%s cannot be read", qPrintable(file.fileName()));
  QByteArray model = file.readAll();
  const auto row = [&](bool value) {
    return QString("<%1 isEnabled=\"%2\"/>").arg(which, value ? "true" : "false").toUtf8();
  };
  if (!model.contains(row(!on))) qFatal("no switch %s to be changed", qPrintable(which));
  model.replace(row(!on), row(on));
  return fileWith("regions-" + which + ".xml", model);
}

inline QStringList lines(const QString& line) { return {line}; }

/// An owner of Things, who publishes everything, and a viewer, who subscribes nothing yet.
struct Pair {
  explicit Pair(const QString& federation, const QString& objectModel = {}) {
    owner.enterWith(federation, objectModel);
    viewer.enterWith(federation, objectModel);
    owner.publish("Thing", {"place", "mark", "track", "glow", "label"});
    owner.publishInteraction("Shout");
    owner.publishInteraction("Shout.Cry");
  }
  Viewer owner{"owner"}, viewer{"viewer"};
};

}  // namespace viewing
