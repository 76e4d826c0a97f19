// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_dependencies.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "fom-editor/model/item.h"
#include "omt/merge.h"

namespace tutti::fomedit {

namespace {

using Name = std::pair<NameKind, QString>;

/// What one module defines and uses, each name with the line of its first place.
struct Names {
  QList<ModuleOffer> offers;
  std::set<Name> defined;
  std::map<Name, int> used;

  void define(NameKind kind, const QString& name, int line) {
    if (defined.emplace(kind, name).second) offers.append({kind, name, line});
  }
  void use(NameKind kind, const std::string& name, int line) {
    if (!name.empty() && name != "NA") used.try_emplace({kind, text(name)}, line);
  }
  void use(const omt::TypeUse& type) { use(NameKind::DataType, type.dataType, type.where.line); }
};

void collect(const std::vector<omt::ModuleObjectClass>& classes, const QString& above,
             Names& names) {
  for (const omt::ModuleObjectClass& c : classes) {
    const QString name = above + text(c.name);
    if (c.isScaffolding()) {
      names.used.try_emplace({NameKind::ObjectClass, name}, c.line);
    } else {
      names.define(NameKind::ObjectClass, name, c.line);
    }
    for (const omt::Attribute& a : c.attributes) {
      names.use(NameKind::DataType, a.dataType, a.where.line);
      names.use(NameKind::Transportation, a.transportation, a.where.line);
      for (const std::string& dimension : a.dimensions) {
        names.use(NameKind::Dimension, dimension, a.where.line);
      }
    }
    collect(c.subclasses, name + u'.', names);
  }
}

void collect(const std::vector<omt::ModuleInteractionClass>& classes, const QString& above,
             Names& names) {
  for (const omt::ModuleInteractionClass& c : classes) {
    const QString name = above + text(c.name);
    if (c.isScaffolding()) {
      names.used.try_emplace({NameKind::InteractionClass, name}, c.line);
    } else {
      names.define(NameKind::InteractionClass, name, c.line);
    }
    names.use(NameKind::Transportation, c.transportation, c.line);
    for (const std::string& dimension : c.dimensions) {
      names.use(NameKind::Dimension, dimension, c.line);
    }
    for (const omt::Parameter& p : c.parameters) {
      names.use(NameKind::DataType, p.dataType, p.where.line);
    }
    collect(c.subclasses, name + u'.', names);
  }
}

Names namesOf(const omt::Module& module) {
  Names names;
  collect(module.objectClasses, {}, names);
  collect(module.interactionClasses, {}, names);
  for (const omt::DataType& type : module.dataTypes) {
    const int line = type.where.line;
    names.define(NameKind::DataType, text(type.name), line);
    names.use(NameKind::DataType, type.representation, line);
    names.use(NameKind::DataType, type.elementType, line);
    names.use(NameKind::DataType, type.discriminantType, line);
    for (const omt::RecordField& field : type.fields) {
      names.use(NameKind::DataType, field.dataType, field.line);
    }
    for (const omt::VariantAlternative& alternative : type.alternatives) {
      names.use(NameKind::DataType, alternative.dataType, alternative.line);
    }
  }
  for (const omt::Dimension& row : module.dimensions) {
    names.define(NameKind::Dimension, text(row.name), row.where.line);
    names.use(NameKind::DataType, row.dataType, row.where.line);
  }
  for (const omt::Transportation& row : module.transportations) {
    names.define(NameKind::Transportation, text(row.name), row.where.line);
  }
  for (const omt::SynchronizationPoint& row : module.synchronizationPoints) {
    names.use(NameKind::DataType, row.dataType, row.where.line);
  }
  const omt::UserTags& tags = module.userTags;
  for (const omt::TypeUse* type :
       {&tags.updateReflect, &tags.sendReceive, &tags.deleteRemove, &tags.divestitureRequest,
        &tags.divestitureCompletion, &tags.acquisitionRequest, &tags.requestUpdate,
        &module.timeStamp, &module.lookahead}) {
    names.use(*type);
  }
  std::stable_sort(names.offers.begin(), names.offers.end(),
                   [](const ModuleOffer& a, const ModuleOffer& b) { return a.kind < b.kind; });
  return names;
}

/// Tarjan's strongly connected components: each is found behind all that it leads to.
class Components {
 public:
  explicit Components(const QList<ModuleDependencies>& modules)
      : modules_(modules), states_(static_cast<std::size_t>(modules.size())) {
    for (int i = 1; i < modules.size(); ++i) {
      if (states_[static_cast<std::size_t>(i)].index == 0) visit(i);
    }
  }
  QList<QList<int>> list;

 private:
  struct State {
    int index = 0;  ///< from 1; 0: not visited
    int lowest = 0;
    bool open = false;
  };
  State& at(int module) { return states_[static_cast<std::size_t>(module)]; }

  void visit(int module) {
    at(module) = {++visited_, visited_, true};
    path_.append(module);
    for (const int provider : modules_[module].providers()) {
      if (at(provider).index == 0) {
        visit(provider);
        at(module).lowest = std::min(at(module).lowest, at(provider).lowest);
      } else if (at(provider).open) {
        at(module).lowest = std::min(at(module).lowest, at(provider).index);
      }
    }
    if (at(module).lowest != at(module).index) return;
    QList<int> component;
    while (at(module).open) {
      at(path_.last()).open = false;
      component.append(path_.takeLast());
    }
    std::sort(component.begin(), component.end());
    list.append(component);
  }

  const QList<ModuleDependencies>& modules_;
  std::vector<State> states_;
  QList<int> path_;
  int visited_ = 0;
};

}  // namespace

QString kindName(NameKind kind, bool plural) {
  switch (kind) {
    case NameKind::ObjectClass:
      return plural ? QStringLiteral("object classes") : QStringLiteral("object class");
    case NameKind::InteractionClass:
      return plural ? QStringLiteral("interaction classes") : QStringLiteral("interaction class");
    case NameKind::DataType:
      return plural ? QStringLiteral("datatypes") : QStringLiteral("datatype");
    case NameKind::Dimension:
      return plural ? QStringLiteral("dimensions") : QStringLiteral("dimension");
    case NameKind::Transportation:
      return plural ? QStringLiteral("transportation types")
                    : QStringLiteral("transportation type");
  }
  return {};
}

QList<int> ModuleDependencies::providers() const {
  std::set<int> found;
  for (const ModuleNeed& need : needs) {
    if (need.provider > 0) found.insert(need.provider);
  }
  return {found.begin(), found.end()};
}

DependencyGraph dependenciesOf(const std::vector<omt::Module>& modules) {
  DependencyGraph graph;
  std::vector<Names> names;
  std::map<Name, int> providers;
  const auto add = [&](const omt::Module& module, const QString& file) {
    names.push_back(namesOf(module));
    const int position = static_cast<int>(graph.modules.size());
    for (const ModuleOffer& offer : names.back().offers) {
      providers.try_emplace({offer.kind, offer.name}, position);
    }
    graph.modules.append({file, names.back().offers, {}});
  };
  add(omt::standardMim(), QStringLiteral("HLAstandardMIM"));
  for (const omt::Module& module : modules) add(module, text(module.file));
  for (int i = 0; i < graph.modules.size(); ++i) {
    const Names& own = names[static_cast<std::size_t>(i)];
    for (const auto& [name, line] : own.used) {
      if (own.defined.contains(name)) continue;
      const auto provider = providers.find(name);
      graph.modules[i].needs.append(
          {name.first, name.second, line,
           provider == providers.end() ? ModuleNeed::nobody : provider->second});
    }
  }
  for (const QList<int>& component : Components(graph.modules).list) {
    graph.order += component;
    if (component.size() > 1) graph.circles.append(component);
  }
  return graph;
}

}  // namespace tutti::fomedit
