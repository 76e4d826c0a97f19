// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/checks.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tutti::composer {

namespace {

QString quotedList(const QStringList& names) {
  if (names.size() < 2) return names.join(QString{});
  return names.mid(0, names.size() - 1).join(QStringLiteral(", ")) + QStringLiteral(" and ") +
         names.last();
}

QString withUnit(const Json& value, const QString& unit) {
  return unit.isEmpty() ? Parameter::textOf(value) : Parameter::textOf(value) + u' ' + unit;
}

/// One pass of all checks over one composition.
class Checker {
 public:
  Checker(const Composition& composition, const Catalog& catalog, const CheckInput& input)
      : composition_{composition}, catalog_{catalog}, input_{input} {
    for (const Federate* federate : composition.inStartOrder()) {
      if (!federate->enabled) continue;
      members_.push_back({federate, catalog.find(federate->component, federate->version)});
    }
  }

  std::vector<Finding> run() {
    components();
    brokenManifests();
    names();
    parameters();
    dataFlow();
    objectModel();
    time();
    start();
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
    return std::move(findings_);
  }

 private:
  struct Member {
    const Federate* federate;
    const Manifest* manifest;  ///< null when the catalog has no such component
  };

  Finding& add(Severity severity, Check check, QString text, QString why, Where where) {
    findings_.push_back(
        {severity, check, std::move(text), std::move(why), std::move(where), std::nullopt});
    return findings_.back();
  }

  /// Manifests that could not be read; those a federate needs are told with it.
  void brokenManifests() {
    for (const Error& problem : catalog_.problems()) {
      const bool needed = std::any_of(members_.begin(), members_.end(), [&](const Member& member) {
        return !member.manifest && problem.file.contains(u'/' + member.federate->component + u'/');
      });
      if (needed) continue;
      add(Severity::Warning, Check::Components,
          QStringLiteral("%1 cannot be read: %2")
              .arg(QFileInfo{problem.file}.dir().dirName(), problem.what),
          QStringLiteral("The catalog leaves it out. %1 %2").arg(problem.place(), problem.next).trimmed(),
          {{}, {}, {}, problem.file, problem.line});
    }
  }

  void components() {
    if (composition_.federates.empty()) {
      add(Severity::Error, Check::Components, QStringLiteral("The composition has no federate."),
          QStringLiteral("Drag a component from the catalog onto the canvas."), {});
      return;
    }
    if (members_.empty()) {
      const QString first = composition_.inStartOrder().front()->id;
      add(Severity::Error, Check::Components,
          QStringLiteral("Every federate is disabled: nothing would start."),
          QStringLiteral("Enable at least one."), {})
          .fix = Fix{Fix::Kind::SetEnabled,
                     QStringLiteral("Enable %1").arg(composition_.find(first)->name),
                     first,
                     {},
                     true};
    }
    std::map<const Manifest*, bool> executables;  // whether there is one; looked for once each
    for (const auto& [federate, manifest] : members_) {
      const Where where{federate->id, {}, {}, {}, 0};
      if (!manifest) {
        QStringList folders;
        for (const auto& folder : catalog_.folders()) folders.append(folder.path);
        QString why = folders.isEmpty()
                          ? QStringLiteral("No catalog folder was found.")
                          : QStringLiteral("Looked in %1.").arg(folders.join(QStringLiteral(", ")));
        for (const Error& problem : catalog_.problems()) {
          if (problem.file.contains(u'/' + federate->component + u'/'))
            why += u' ' + problem.message();
        }
        add(Severity::Error, Check::Components,
            QStringLiteral("%1 needs the component %2 %3, which no catalog has.")
                .arg(federate->name, federate->component, federate->version)
                .simplified(),
            why + QStringLiteral(" Add the component's folder to a catalog or to TUTTI_CATALOG."),
            where)
            .fix = Fix{Fix::Kind::RemoveFederate,
                       QStringLiteral("Remove %1").arg(federate->name),
                       federate->id,
                       {},
                       {}};
        continue;
      }
      if (manifest->version != federate->version) {
        add(Severity::Warning, Check::Components,
            QStringLiteral("%1 was composed with %2 %3; the catalog has %4.")
                .arg(federate->name, federate->component,
                     federate->version.isEmpty() ? QStringLiteral("of no version")
                                                 : federate->version,
                     manifest->version),
            QStringLiteral("Parameters or classes may have changed; %1 would start with %2.")
                .arg(federate->name, manifest->version),
            where)
            .fix = Fix{Fix::Kind::SetVersion,
                       QStringLiteral("Use %1").arg(manifest->version),
                       federate->id,
                       {},
                       manifest->version.toStdString()};
      }
      const auto [looked, isFirst] = executables.try_emplace(manifest, false);
      if (isFirst) looked->second = findExecutable(*manifest, input_.binaryFolders).has_value();
      if (!looked->second) {
        QStringList places{manifest->folder};
        places += input_.binaryFolders;
        add(Severity::Error, Check::Components,
            QStringLiteral("%1 cannot start: its executable \"%2\" is not there.")
                .arg(federate->name, manifest->command.executable),
            QStringLiteral("Looked in %1. Build or install %2 %3, or name its folder in TUTTI_BIN.")
                .arg(places.join(QStringLiteral(", ")), manifest->id, manifest->version),
            {federate->id, {}, {}, manifest->file, 0});
      }
    }
  }

  void names() {
    std::map<QString, const Federate*> owners;
    for (const auto& [federate, manifest] : members_) {
      if (federate->name.trimmed().isEmpty()) {
        add(Severity::Error, Check::Names,
            QStringLiteral("A federate of %1 has no name.").arg(federate->component),
            QStringLiteral("It joins the federation under its name."),
            {federate->id, {}, {}, {}, 0})
            .fix = Fix{Fix::Kind::SetName,
                       QStringLiteral("Call it %1").arg(composition_.freeName(federate->component)),
                       federate->id,
                       {},
                       composition_.freeName(federate->component).toStdString()};
        continue;
      }
      for (const QString& name : federate->instanceNames()) {
        const auto [at, isNew] = owners.emplace(name, federate);
        if (isNew) continue;
        const QString free = composition_.freeName(federate->name);
        add(Severity::Error, Check::Names, QStringLiteral("Two federates are called %1.").arg(name),
            QStringLiteral("Federate names are unique in a federation execution (IEEE 1516.1-2010, "
                           "4.9): the second could not join."),
            {federate->id, {}, {}, {}, 0})
            .fix = Fix{Fix::Kind::SetName,
                       QStringLiteral("Call it %1").arg(free),
                       federate->id,
                       {},
                       free.toStdString()};
        break;
      }
    }
  }

  void parameters() {
    for (const auto& [federate, manifest] : members_) {
      if (!manifest) continue;
      for (const Parameter& parameter : manifest->parameters) {
        const Where where{federate->id, parameter.name, {}, {}, 0};
        const Json value = manifest->effectiveValue(parameter.name, federate->parameters);
        const Json& offer =
            parameter.suggestion.is_null() ? parameter.defaultValue : parameter.suggestion;
        std::optional<Fix> fix;
        if (!offer.is_null()) {
          fix = Fix{Fix::Kind::SetParameter,
                    QStringLiteral("Use %1").arg(withUnit(offer, parameter.unit)), federate->id,
                    parameter.name, offer};
        }
        if (value.is_null()) {
          if (!parameter.required) continue;
          const QString consequence = parameter.help.isEmpty() ? QString{} : u' ' + parameter.help;
          add(Severity::Error, Check::Parameters,
              QStringLiteral("%1 has no %2.").arg(federate->name, parameter.label.toLower()),
              parameter.requirement() + u'.' + consequence, where)
              .fix = fix;
        } else if (const auto fault = parameter.fault(value)) {
          add(Severity::Error, Check::Parameters,
              QStringLiteral("%1 cannot use %2 as its %3.")
                  .arg(federate->name, withUnit(value, parameter.unit), parameter.label.toLower()),
              *fault, where)
              .fix = fix;
        }
      }
      for (const auto& [name, value] : federate->parameters) {
        if (manifest->parameter(name)) continue;
        add(Severity::Warning, Check::Parameters,
            QStringLiteral("%1 sets %2, which %3 %4 does not have.")
                .arg(federate->name, name, manifest->id, manifest->version),
            QStringLiteral("The value is kept in the file and not passed on."),
            {federate->id, name, {}, {}, 0})
            .fix = Fix{
            Fix::Kind::SetParameter, QStringLiteral("Remove %1").arg(name), federate->id, name, {}};
      }
    }
  }

  /// Components of the catalog that publish `className`, for a fix.
  const Manifest* publisherOf(const QString& className, bool isObject) const {
    for (const auto& component : catalog_.components()) {
      for (const Interest& published : component->publishes) {
        if (published.isObject == isObject && isSameOrAncestor(className, published.className))
          return component.get();
      }
    }
    return nullptr;
  }

  void dataFlow() {
    const DataFlow flow = deriveDataFlow(composition_, catalog_);
    for (const UnmetSubscription& unmet : flow.unmet) {
      const Federate* federate = composition_.find(unmet.federate);
      const QString name = unmet.className.mid(unmet.className.lastIndexOf(u'.') + 1);
      const ClassFlow* published = flow.find(unmet.className, unmet.isObject);
      QString why =
          published
              ? QStringLiteral(
                    "The attributes it needs are not among those published, or only it publishes "
                    "them.")
              : QStringLiteral("No enabled federate publishes %1 or a class below it.").arg(name);
      Finding& finding =
          add(Severity::Warning, Check::DataFlow,
              QStringLiteral("%1 subscribes to %2; nobody publishes it.").arg(federate->name, name),
              why, {federate->id, {}, unmet.className, {}, 0});
      for (const Federate* other : composition_.inStartOrder()) {
        const Manifest* manifest =
            other->enabled ? nullptr : catalog_.find(other->component, other->version);
        if (!manifest) continue;
        for (const Interest& interest : manifest->publishes) {
          if (interest.isObject == unmet.isObject &&
              isSameOrAncestor(unmet.className, interest.className)) {
            finding.fix = Fix{Fix::Kind::SetEnabled,
                              QStringLiteral("Enable %1").arg(other->name),
                              other->id,
                              {},
                              true};
          }
        }
      }
      if (finding.fix) continue;
      if (const Manifest* candidate = publisherOf(unmet.className, unmet.isObject)) {
        finding.fix = Fix{Fix::Kind::AddFederate,
                          QStringLiteral("Add %1").arg(candidate->id),
                          {},
                          {},
                          candidate->id.toStdString()};
      }
    }
    missingAttributes(flow);
    for (const ClassFlow& published : flow.flows) {
      if (!published.subscribers.empty()) continue;
      QStringList names;
      for (const FlowEnd& end : published.publishers)
        names.append(composition_.find(end.federate)->name);
      add(Severity::Info, Check::DataFlow,
          QStringLiteral("%1 is published; nobody subscribes to it.").arg(published.shortName()),
          QStringLiteral(
              "Published by %1. It costs nothing: what no federate subscribes to is not sent.")
              .arg(quotedList(names)),
          {published.publishers.front().federate, {}, published.className, {}, 0});
    }
  }

  /// Attributes that somebody subscribes to and no publisher of the class publishes, though it
  /// publishes others.
  void missingAttributes(const DataFlow& flow) {
    for (const auto& [federate, manifest] : members_) {
      if (!manifest) continue;
      for (const Interest& subscribed : manifest->subscribes) {
        QStringList missing = subscribed.attributes;
        bool anyPublisher = false;
        for (const ClassFlow& published : flow.flows) {
          if (published.isObject != subscribed.isObject ||
              !isSameOrAncestor(subscribed.className, published.className))
            continue;
          for (const FlowEnd& end : published.publishers) {
            if (end.federate == federate->id && federate->count < 2) continue;
            anyPublisher = true;
            if (end.attributes.isEmpty()) missing.clear();
            for (const QString& attribute : end.attributes) missing.removeAll(attribute);
          }
        }
        // Without any common attribute the subscription as a whole is unmet and has its own
        // finding.
        if (!anyPublisher || missing.isEmpty() || missing.size() == subscribed.attributes.size())
          continue;
        add(Severity::Warning, Check::DataFlow,
            QStringLiteral("%1 subscribes to %2 of %3; nobody publishes %4.")
                .arg(federate->name, quotedList(missing), subscribed.shortName(),
                     missing.size() == 1 ? QStringLiteral("it") : QStringLiteral("them")),
            QStringLiteral("%1 would never get a value.")
                .arg(missing.size() == 1 ? QStringLiteral("It") : QStringLiteral("They")),
            {federate->id, {}, subscribed.className, {}, 0});
      }
    }
  }

  void objectModel() {
    if (!input_.objectModel) return;
    for (const auto& fault : input_.objectModel->faults) {
      QString text = fault.error.what;
      Finding& finding = add(Severity::Error, Check::ObjectModel, text, fault.error.next,
                             {{}, {}, {}, fault.error.file, fault.error.line});
      if (!fault.other.isEmpty())
        finding.why = QStringLiteral("The other definition is at %1. %2")
                          .arg(fault.other, fault.error.next)
                          .trimmed();
      for (const QString& module : composition_.settings.fomModules) {
        if (fault.error.file.endsWith(u'/' + QFileInfo{module}.fileName())) {
          finding.fix = Fix{Fix::Kind::RemoveModule,
                            QStringLiteral("Remove %1").arg(QFileInfo{module}.fileName()),
                            {},
                            {},
                            module.toStdString()};
        }
      }
    }
    if (!input_.objectModel->merged) return;
    for (const auto& warning : input_.objectModel->warnings) {
      const QString other =
          warning.other.isEmpty()
              ? QString{}
              : QStringLiteral("The other definition is at %1. ").arg(warning.other);
      add(Severity::Info, Check::ObjectModel, warning.error.what,
          (other + warning.error.next).trimmed(),
          {{}, {}, {}, warning.error.file, warning.error.line});
    }
    undefinedNames();
  }

  /// Classes and attributes that the components use and no module defines; one finding each,
  /// however many use them.
  void undefinedNames() {
    const auto& model = *input_.objectModel;
    struct Missing {
      QStringList users;
      Where where;
      QString why;
    };
    std::map<QString, Missing> missing;  // by the sentence's object
    const auto note = [&](const Member& member, const Interest& interest, const QString& what,
                          const QString& why) {
      Missing& entry = missing[what];
      if (entry.users.isEmpty()) {
        entry.where = {member.federate->id, {}, interest.className, member.manifest->file, 0};
        entry.why = why;
      }
      if (!entry.users.contains(member.federate->name)) entry.users.append(member.federate->name);
    };
    bool anyClass = false;
    for (const Member& member : members_) {
      if (!member.manifest) continue;
      for (const auto* interests : {&member.manifest->publishes, &member.manifest->subscribes}) {
        for (const Interest& interest : *interests) {
          anyClass = true;
          const QString advice = QStringLiteral("Add the module that defines it, or correct %1.")
                                     .arg(member.manifest->file);
          if (!interest.isObject) {
            if (!model.interactionClasses.contains(interest.className)) {
              note(member, interest,
                   QStringLiteral("the interaction class %1").arg(interest.shortName()), advice);
            }
            continue;
          }
          const auto known = model.objectClasses.find(interest.className);
          if (known == model.objectClasses.end()) {
            note(member, interest, QStringLiteral("the object class %1").arg(interest.shortName()),
                 advice);
            continue;
          }
          for (const QString& attribute : interest.attributes) {
            if (known->second.contains(attribute)) continue;
            note(member, interest, QStringLiteral("%1.%2").arg(interest.shortName(), attribute),
                 QStringLiteral("The class has %1.").arg(quotedList(known->second)));
          }
        }
      }
    }
    if (model.modules.isEmpty() && anyClass) {
      add(Severity::Error, Check::ObjectModel,
          QStringLiteral("The composition has no FOM module, so no class is known."),
          QStringLiteral("Add modules to the composition or to the components' manifests."), {});
      return;
    }
    for (const auto& [what, entry] : missing) {
      const QStringList users =
          entry.users.size() > 3
              ? entry.users.mid(0, 2) +
                    QStringList{QStringLiteral("%1 others").arg(entry.users.size() - 2)}
              : entry.users;
      add(Severity::Error, Check::ObjectModel,
          QStringLiteral("No FOM module defines %1, used by %2.").arg(what, quotedList(users)),
          entry.why, entry.where);
    }
  }

  void time() {
    std::map<QString, QStringList> types;
    QStringList zero;
    QStringList positive;
    QStringList regulating;
    QStringList constrained;
    const Federate* mixed = nullptr;
    const Federate* firstZero = nullptr;
    const Federate* firstConstrained = nullptr;
    for (const auto& [federate, manifest] : members_) {
      if (!manifest || !manifest->time.managed()) continue;
      auto& users = types[manifest->time.timeType];
      if (users.isEmpty() && types.size() > 1) mixed = federate;
      users.append(federate->name);
      if (manifest->time.constrained) {
        constrained.append(federate->name);
        if (!firstConstrained) firstConstrained = federate;
      }
      if (!manifest->time.regulating) continue;
      regulating.append(federate->name);
      const auto lookahead = manifest->formula(manifest->time.lookahead, federate->parameters);
      if (!lookahead) {
        add(Severity::Error, Check::Time,
            QStringLiteral("The lookahead of %1 cannot be computed.").arg(federate->name),
            QStringLiteral("Its formula is \"%1\"; a parameter in it has no value.")
                .arg(manifest->time.lookahead),
            {federate->id, {}, {}, {}, 0});
      } else if (*lookahead < 0.0) {
        add(Severity::Error, Check::Time,
            QStringLiteral("The lookahead of %1 is negative.").arg(federate->name),
            QStringLiteral("A lookahead is at least 0 (IEEE 1516.1-2010, 8.2)."),
            {federate->id, {}, {}, {}, 0});
      } else if (*lookahead == 0.0) {
        zero.append(federate->name);
        if (!firstZero) firstZero = federate;
      } else {
        positive.append(federate->name);
      }
    }
    if (types.size() > 1) {
      QStringList uses;
      for (const auto& [type, names] : types)
        uses.append(QStringLiteral("%1 by %2").arg(type, quotedList(names)));
      add(Severity::Error, Check::Time,
          QStringLiteral("The federates do not agree on a time type."),
          QStringLiteral("A federation execution has one logical time type (IEEE 1516.1-2010, "
                         "4.5); used are %1.")
              .arg(quotedList(uses)),
          {mixed ? mixed->id : QString{}, {}, {}, {}, 0});
    }
    if (!zero.isEmpty() && !positive.isEmpty()) {
      add(Severity::Warning, Check::Time,
          QStringLiteral("%1 regulates with lookahead 0, others with more.").arg(quotedList(zero)),
          QStringLiteral(
              "All others wait for each step of such a federate; %1 could be further ahead.")
              .arg(quotedList(positive)),
          {firstZero->id, {}, {}, {}, 0});
    }
    if (!constrained.isEmpty() && regulating.isEmpty()) {
      add(Severity::Info, Check::Time,
          QStringLiteral("Nobody regulates time, so %1 advances freely.")
              .arg(quotedList(constrained)),
          QStringLiteral("A constrained federate waits only for regulating ones."),
          {firstConstrained->id, {}, {}, {}, 0});
    }
    // The RTI keeps it where somebody takes part in logical time.
    const bool managed = !types.empty();
    const double pace = composition_.settings.pace;
    if (!managed && !members_.empty() && pace > 0 && pace != 1 &&
        std::none_of(members_.begin(), members_.end(), takesPace)) {
      add(Severity::Info, Check::Time, QStringLiteral("Nobody keeps the pace of %1×.").arg(pace),
          QStringLiteral("No component here takes part in logical time, so the RTI has nothing to "
                         "hold, and none has {pace} in its command."),
          {})
          .fix = Fix{Fix::Kind::SetPace, QStringLiteral("Set the pace to 0"), {}, {}, 0.0};
    }
  }

  static bool takesPace(const Member& member) {
    if (!member.manifest) return true;  // not known
    const QString pace = QStringLiteral("{pace}");
    const CommandTemplate& command = member.manifest->command;
    return std::any_of(command.arguments.begin(), command.arguments.end(),
                       [&](const QStringList& words) {
                         return words.join(u' ').contains(pace);
                       }) ||
           std::any_of(command.environment.begin(), command.environment.end(),
                       [&](const auto& variable) { return variable.second.contains(pace); });
  }

  void start() {
    for (const auto& [federate, manifest] : members_) {
      Json kept = Json::array();
      QStringList lost;
      for (const QString& id : federate->waitsFor) {
        const Federate* awaited = composition_.find(id);
        if (awaited && awaited->enabled && id != federate->id) {
          kept.push_back(id.toStdString());
        } else {
          lost.append(awaited ? awaited->name : id);
        }
      }
      if (lost.isEmpty()) continue;
      add(Severity::Error, Check::Start,
          QStringLiteral("%1 waits for %2, which will not start.")
              .arg(federate->name, quotedList(lost)),
          QStringLiteral("It is disabled, removed, or %1 itself; %1 would wait forever.")
              .arg(federate->name),
          {federate->id, {}, {}, {}, 0})
          .fix = Fix{Fix::Kind::SetWaitsFor,
                     QStringLiteral("Stop waiting for %1").arg(quotedList(lost)),
                     federate->id,
                     {},
                     kept};
    }
    std::set<QString> reported;
    for (const auto& [federate, manifest] : members_) {
      QStringList path;
      std::set<QString> finished;
      if (const auto cycle = cycleFrom(federate->id, path, finished);
          !cycle.isEmpty() && !reported.contains(cycle.front())) {
        QStringList names;
        for (const QString& id : cycle) {
          reported.insert(id);
          names.append(composition_.find(id)->name);
        }
        if (names.size() > 1) {
          const Federate* last = composition_.find(cycle.back());
          Json kept = Json::array();
          for (const QString& id : last->waitsFor) {
            if (id != cycle.front()) kept.push_back(id.toStdString());
          }
          add(Severity::Error, Check::Start,
              QStringLiteral("%1 wait for each other.").arg(quotedList(names)),
              QStringLiteral("None of them would ever start."), {last->id, {}, {}, {}, 0})
              .fix = Fix{Fix::Kind::SetWaitsFor,
                         QStringLiteral("Start %1 without waiting").arg(last->name),
                         last->id,
                         {},
                         kept};
        }
      }
    }
  }

  /// The ids of a circle of waits reachable from `id`, empty when there is none.
  QStringList cycleFrom(const QString& id, QStringList& path, std::set<QString>& finished) const {
    if (const auto at = path.indexOf(id); at >= 0) return path.mid(at);
    if (finished.contains(id)) return {};
    const Federate* federate = composition_.find(id);
    if (!federate || !federate->enabled) return {};
    path.append(id);
    for (const QString& awaited : federate->waitsFor) {
      if (auto cycle = cycleFrom(awaited, path, finished); !cycle.isEmpty()) return cycle;
    }
    path.removeLast();
    finished.insert(id);
    return {};
  }

  const Composition& composition_;
  const Catalog& catalog_;
  const CheckInput& input_;
  std::vector<Member> members_;  ///< enabled federates in start order
  std::vector<Finding> findings_;
};

}  // namespace

QString severityName(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return QStringLiteral("error");
    case Severity::Warning:
      return QStringLiteral("warning");
    case Severity::Info:
      return QStringLiteral("info");
  }
  return {};
}

QString checkName(Check check) {
  switch (check) {
    case Check::Components:
      return QStringLiteral("Components");
    case Check::Parameters:
      return QStringLiteral("Parameters");
    case Check::DataFlow:
      return QStringLiteral("Data flow");
    case Check::ObjectModel:
      return QStringLiteral("Object model");
    case Check::Time:
      return QStringLiteral("Time");
    case Check::Names:
      return QStringLiteral("Names");
    case Check::Start:
      return QStringLiteral("Start");
  }
  return {};
}

QString Finding::place(const Composition& composition) const {
  if (!where.federate.isEmpty()) {
    const Federate* federate = composition.find(where.federate);
    const QString name = federate ? federate->name : where.federate;
    if (!where.parameter.isEmpty()) return name + QStringLiteral(" › ") + where.parameter;
    if (!where.className.isEmpty())
      return name + QStringLiteral(" › ") +
             where.className.mid(where.className.lastIndexOf(u'.') + 1);
    return name;
  }
  if (where.file.isEmpty()) return {};
  const QString file = QFileInfo{where.file}.fileName();
  return where.line > 0 ? QStringLiteral("%1:%2").arg(file).arg(where.line) : file;
}

std::vector<Finding> checkComposition(const Composition& composition, const Catalog& catalog,
                                      const CheckInput& input) {
  return Checker{composition, catalog, input}.run();
}

bool canRun(const std::vector<Finding>& findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.severity == Severity::Error; });
}

}  // namespace tutti::composer
