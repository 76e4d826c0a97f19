// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/codegen/component_plan.h"

#include <algorithm>

#include "fom-editor/codegen/identifiers.h"
#include "fom-editor/model/item.h"

namespace tutti::fomedit {

namespace {

/// What every object class inherits, and nobody updates.
const QString privilegeToDelete = QStringLiteral("HLAprivilegeToDeleteObject");

class Planner {
 public:
  Planner(ComponentPlan& plan, const QList<ClassRequest>& requests)
      : plan_(plan), model_(*plan.model), requests_(requests) {}

  tl::expected<void, QString> run() {
    if (requests_.isEmpty()) {
      return tl::unexpected(QStringLiteral(
          "No class is named. Name those that the component publishes and subscribes."));
    }
    for (const ClassRequest& request : requests_) {
      if (auto added = add(request); !added) return added;
    }
    std::sort(plan_.classes.begin(), plan_.classes.end(),
              [](const PlannedClass& a, const PlannedClass& b) {
                return a.isObject != b.isObject ? a.isObject : a.name < b.name;
              });
    nameClasses();
    nameMembers();
    planDataTypes();
    return {};
  }

 private:
  tl::expected<void, QString> add(const ClassRequest& request) {
    const std::string name = request.name.toStdString();
    const omt::ObjectClass* object = model_.findObjectClass(name);
    const omt::InteractionClass* interaction = model_.findInteractionClass(name);
    if (object != nullptr && object->handle == omt::objectRootHandle) object = nullptr;
    if (interaction != nullptr && interaction->handle == omt::interactionRootHandle)
      interaction = nullptr;
    if (object != nullptr && interaction != nullptr) {
      return tl::unexpected(
          QStringLiteral("%1 is an object class and an interaction class. Write HLAobjectRoot.%1 "
                         "or HLAinteractionRoot.%1.")
              .arg(request.name));
    }
    if (object != nullptr) return addObject(request, *object);
    if (interaction != nullptr) return addInteraction(request, *interaction);
    return tl::unexpected(unknown(request.name));
  }

  /// Classes are written in full; a person may know the last part only.
  QString unknown(const QString& name) const {
    QStringList like;
    const auto consider = [&](const std::string& own, const std::string& full) {
      if (text(own).compare(name.section(u'.', -1), Qt::CaseInsensitive) != 0) return;
      like << text(full).section(u'.', 1);
    };
    for (const auto& c : model_.objectClasses()) consider(c.name, c.fullName);
    for (const auto& c : model_.interactionClasses()) consider(c.name, c.fullName);
    like.removeAll(QString());
    const QString what = QStringLiteral("No module defines the class %1.").arg(name);
    return like.isEmpty()
               ? what + QStringLiteral(
                            " Write it as Track.Flight, and name the modules that define it.")
               : what + QStringLiteral(" Did you mean %1?")
                            .arg(like.mid(0, 3).join(QStringLiteral(" or ")));
  }

  PlannedClass& entry(const QString& name, const std::string& semantics, bool isObject) {
    for (PlannedClass& known : plan_.classes) {
      if (known.name == name && known.isObject == isObject) return known;
    }
    PlannedClass planned;
    planned.name = name;
    planned.isObject = isObject;
    planned.semantics = text(semantics);
    plan_.classes << planned;
    return plan_.classes.back();
  }

  static PlannedMember& member(PlannedClass& of, const std::string& name,
                               const std::string& dataType, const std::string& semantics) {
    for (PlannedMember& known : of.members) {
      if (known.name == text(name)) return known;
    }
    of.members << PlannedMember{text(name), {}, text(dataType), text(semantics), {}, false, false};
    return of.members.back();
  }

  tl::expected<void, QString> addObject(const ClassRequest& request, const omt::ObjectClass& c) {
    if (c.scaffolding)
      return tl::unexpected(
          QStringLiteral(
              "No module defines the class %1; it is only named. Name the module that does.")
              .arg(request.name));
    PlannedClass& planned = entry(text(c.fullName), c.semantics, true);
    (request.publish ? planned.published : planned.subscribed) = true;
    for (const QString& name : request.attributes) {
      if (model_.findAttribute(c.handle, name.toStdString()) == nullptr) {
        return tl::unexpected(
            QStringLiteral("%1 has no attribute %2. It has %3.")
                .arg(planned.shortName(), name, attributesOf(c).join(QStringLiteral(", "))));
      }
    }
    bool any = false;
    for (const omt::Attribute* a : model_.allAttributes(c.handle)) {
      const bool isAsked = request.attributes.isEmpty()
                               ? text(a->name) != privilegeToDelete
                               : request.attributes.contains(text(a->name));
      // All are members, in the model's order, so that it does not depend on the order of requests.
      PlannedMember& m = member(planned, a->name, a->dataType, a->semantics);
      if (isAsked) (request.publish ? m.published : m.subscribed) = true;
      any = any || isAsked;
    }
    if (!any)
      return tl::unexpected(
          QStringLiteral("%1 has no attribute to publish or subscribe.").arg(planned.shortName()));
    return {};
  }

  QStringList attributesOf(const omt::ObjectClass& c) const {
    QStringList names;
    for (const omt::Attribute* a : model_.allAttributes(c.handle)) {
      if (text(a->name) != privilegeToDelete) names << text(a->name);
    }
    return names;
  }

  tl::expected<void, QString> addInteraction(const ClassRequest& request,
                                             const omt::InteractionClass& c) {
    if (c.scaffolding)
      return tl::unexpected(
          QStringLiteral(
              "No module defines the class %1; it is only named. Name the module that does.")
              .arg(request.name));
    PlannedClass& planned = entry(text(c.fullName), c.semantics, false);
    (request.publish ? planned.published : planned.subscribed) = true;
    if (!request.attributes.isEmpty()) {
      return tl::unexpected(
          QStringLiteral("%1 is an interaction class: its parameters always travel together. Name "
                         "the class alone.")
              .arg(planned.shortName()));
    }
    for (const omt::Parameter* p : model_.allParameters(c.handle)) {
      PlannedMember& m = member(planned, p->name, p->dataType, p->semantics);
      (request.publish ? m.published : m.subscribed) = true;
    }
    return {};
  }

  /// The last part of a class's name, with as many parts before it as it takes to be the only one.
  void nameClasses() {
    QStringList names;
    for (const PlannedClass& c : plan_.classes) {
      const QStringList parts = c.name.split(u'.');
      int count = 1;
      const auto isAlone = [&] {
        const QString tail = parts.mid(parts.size() - count).join(u'.').toLower();
        return std::none_of(plan_.classes.begin(), plan_.classes.end(),
                            [&](const PlannedClass& other) {
                              if (other.name == c.name && other.isObject == c.isObject)
                                return false;
                              const QString lower = other.name.toLower();
                              return lower == tail || lower.endsWith(u'.' + tail);
                            });
      };
      while (count < parts.size() && !isAlone()) ++count;
      QString name;
      for (const QString& part : parts.mid(parts.size() - count)) name += part;
      names << name;
    }
    const QStringList identifiers = identifiersOf(
        names, Distinct::IgnoringCase, namesBesideClasses() + QStringList{plan_.nameSpace()});
    for (qsizetype i = 0; i < names.size(); ++i) plan_.classes[i].identifier = identifiers[i];
  }

  void nameMembers() {
    for (PlannedClass& c : plan_.classes) {
      c.members.removeIf([](const PlannedMember& m) { return !m.published && !m.subscribed; });
      QStringList names;
      for (const PlannedMember& m : c.members) names << m.name;
      const QStringList identifiers =
          identifiersOf(names, Distinct::ByCase, {c.identifier, QStringLiteral("Octets")});
      for (qsizetype i = 0; i < names.size(); ++i) c.members[i].identifier = identifiers[i];
    }
  }

  void planDataTypes() {
    QStringList names;
    for (const PlannedClass& c : plan_.classes) {
      for (const PlannedMember& m : c.members) {
        if (!m.dataType.isEmpty() && m.dataType != QStringLiteral("NA")) names << m.dataType;
      }
    }
    std::sort(names.begin(), names.end());
    names.removeDuplicates();
    plan_.dataTypes = std::make_shared<DataTypePlan>(model_, names);
    for (PlannedClass& c : plan_.classes) {
      for (PlannedMember& m : c.members) {
        if (m.dataType.isEmpty() || m.dataType == QStringLiteral("NA")) {
          m.problem = QStringLiteral("The object model gives it no datatype.");
        } else {
          m.problem = plan_.dataTypes->problem(m.dataType);
        }
      }
    }
  }

  ComponentPlan& plan_;
  const omt::ObjectModel& model_;
  const QList<ClassRequest>& requests_;
};

}  // namespace

QStringList namesBesideClasses() {
  QStringList names;
  for (const char* name :
       {"Octets", "EncodingError", "Instance", "Options", "Received", "Member", "FederateBase",
        "wide", "utf8", "types", "codec", "detail", "dataOf", "octetsOf"}) {
    names << QString::fromLatin1(name);
  }
  return names;
}

QString PlannedClass::shortName() const { return name.section(u'.', 1); }

QString ComponentPlan::nameSpace() const {
  // C and POSIX have functions of a person's words, which a namespace cannot share its name with.
  return identifierOf(QString(id).replace(u'-', u'_') + QStringLiteral("_federate"));
}

QString ComponentPlan::target() const {
  static const QStringList taken{
      QStringLiteral("all"),           QStringLiteral("clean"),
      QStringLiteral("depend"),        QStringLiteral("edit_cache"),
      QStringLiteral("generated"),     QStringLiteral("help"),
      QStringLiteral("install"),       QStringLiteral("list_install_components"),
      QStringLiteral("package"),       QStringLiteral("package_source"),
      QStringLiteral("preinstall"),    QStringLiteral("rebuild_cache"),
      QStringLiteral("test"),          QStringLiteral("default_target"),
      QStringLiteral("all_build"),     QStringLiteral("run_tests"),
      QStringLiteral("zero_check"),    QStringLiteral("uninstall"),
      QStringLiteral("cmake_force"),   QStringLiteral("cmake_check_build_system"),
      QStringLiteral("cmake_depends"), QStringLiteral("cmakefiles")};
  return taken.contains(id, Qt::CaseInsensitive) ? nameSpace() : id;
}

QStringList ComponentPlan::notes() const {
  QStringList lines;
  for (const PlannedClass& c : classes) {
    for (const PlannedMember& m : c.members) {
      if (m.problem.isEmpty()) continue;
      lines << QStringLiteral("%1.%2 stays octets. %3").arg(c.shortName(), m.name, m.problem);
    }
  }
  return lines + dataTypes->notes();
}

tl::expected<ComponentPlan, QString> planComponent(const QString& id,
                                                   std::shared_ptr<const omt::ObjectModel> model,
                                                   const QStringList& moduleNames,
                                                   const QList<ClassRequest>& requests,
                                                   const TimeRequest& time) {
  ComponentPlan plan;
  plan.id = id;
  plan.time = time;
  plan.modules = moduleNames;
  plan.model = std::move(model);
  if (auto done = Planner(plan, requests).run(); !done) return tl::unexpected(done.error());
  return plan;
}

}  // namespace tutti::fomedit
