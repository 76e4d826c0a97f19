// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/model_rows.h"

#include <QSet>
#include <algorithm>

#include "fom-editor/model/element_order.h"
#include "fom-editor/model/fed_source.h"
#include "fom-editor/model/module_edits.h"
#include "omt/merge.h"
#include "omt/object_model.h"

namespace tutti::fomedit {

namespace {

QString qt(std::string_view utf8) {
  return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

bool isClassElement(std::string_view name) {
  return name == "objectClass" || name == "interactionClass";
}

std::string_view rootName(bool isObject) {
  return isObject ? omt::objectRootName : omt::interactionRootName;
}

/// Calls `visit` for each child of that name.
template <typename Visit>
void eachChild(const ModuleSource& source, ElementId parent, std::string_view name, Visit visit) {
  for (ElementId c = source.at(parent).firstChild; c != noElement; c = source.at(c).next) {
    if (source.nameOf(c) == name) visit(c);
  }
}

void collectClass(const ModuleSource& source, std::string_view element, ElementId parent,
                  const QStringList& names, qsizetype at, std::vector<ElementId>& found) {
  eachChild(source, parent, element, [&](ElementId c) {
    if (qt(rowName(source, c)) != names[at]) return;
    if (at + 1 == names.size()) {
      found.push_back(c);
    } else {
      collectClass(source, element, c, names, at + 1, found);
    }
  });
}

std::vector<ElementId> classPlaces(const ModuleSource& source, bool isObject,
                                   const QString& fullName) {
  std::vector<ElementId> found;
  if (fullName.isEmpty()) return found;
  const QStringList names = fullName.split(u'.');
  const std::string_view element = isObject ? "objectClass" : "interactionClass";
  const std::string_view table = isObject ? "objects" : "interactions";
  eachChild(source, ModuleSource::root(), table, [&](ElementId t) {
    collectClass(source, element, t, names, 0, found);
    // A topmost class that is not the root is read as a subclass of it.
    if (names.size() > 1 && names.front() == qt(rootName(isObject))) {
      collectClass(source, element, t, names, 1, found);
    }
  });
  return found;
}

bool isOfObjects(RowKind kind) {
  return kind == RowKind::ObjectClass || kind == RowKind::Attribute ||
         kind == RowKind::DirectedInteraction;
}

std::vector<ElementId> dataTypePlaces(const ModuleSource& source, const QString& name) {
  std::vector<ElementId> found;
  const std::string wanted = name.toStdString();
  eachChild(source, ModuleSource::root(), "dataTypes", [&](ElementId tables) {
    for (ElementId t = source.at(tables).firstChild; t != noElement; t = source.at(t).next) {
      for (ElementId row = source.at(t).firstChild; row != noElement; row = source.at(row).next) {
        if (isKnownIn(source.nameOf(t), source.nameOf(row)) && rowName(source, row) == wanted) {
          found.push_back(row);
        }
      }
    }
  });
  return found;
}

/// What the table of a module shows of a row without a name.
QString shownText(const ModuleSource& source, ElementId row, RowKind kind) {
  if (kind == RowKind::UseHistory) return qt(source.rawText(row)).simplified();
  const char* cell = kind == RowKind::Keyword   ? "keywordValue"
                     : kind == RowKind::Contact ? "pocName"
                                                : "identification";
  return qt(cellOf(source, row, cell).value_or("")).simplified();
}

std::vector<std::string> namesOfTypeUse(const std::string& name) {
  if (name == "timeStamp" || name == "logicalTime") return {"timeStamp", "logicalTime"};
  if (name == "lookahead" || name == "logicalTimeInterval") {
    return {"lookahead", "logicalTimeInterval"};
  }
  return {name};
}

}  // namespace

QString wordOf(RowKind kind) {
  switch (kind) {
    case RowKind::ObjectClass:
      return QStringLiteral("object class");
    case RowKind::InteractionClass:
      return QStringLiteral("interaction class");
    case RowKind::Attribute:
      return QStringLiteral("attribute");
    case RowKind::Parameter:
      return QStringLiteral("parameter");
    case RowKind::DirectedInteraction:
      return QStringLiteral("directed interaction");
    case RowKind::DataType:
      return QStringLiteral("datatype");
    case RowKind::Enumerator:
      return QStringLiteral("enumerator");
    case RowKind::Field:
      return QStringLiteral("field");
    case RowKind::Alternative:
      return QStringLiteral("alternative");
    case RowKind::Dimension:
      return QStringLiteral("dimension");
    case RowKind::RoutingSpace:
      return QStringLiteral("routing space");
    case RowKind::Transportation:
      return QStringLiteral("transportation type");
    case RowKind::UpdateRate:
      return QStringLiteral("update rate");
    case RowKind::SynchronizationPoint:
      return QStringLiteral("synchronization point");
    case RowKind::TypeUse:
      return QStringLiteral("datatype use");
    case RowKind::Switch:
      return QStringLiteral("switch");
    case RowKind::Identification:
      return QStringLiteral("identification");
    case RowKind::Keyword:
      return QStringLiteral("keyword");
    case RowKind::Contact:
      return QStringLiteral("point of contact");
    case RowKind::Reference:
      return QStringLiteral("reference");
    case RowKind::UseHistory:
      return QStringLiteral("use history");
    case RowKind::Note:
      return QStringLiteral("note");
    case RowKind::None:
      break;
  }
  return QStringLiteral("row");
}

QString wordOf(const RowRef& row) {
  if (row.kind != RowKind::TypeUse) return wordOf(row.kind);
  return row.name.endsWith(u"Tag") ? QStringLiteral("user-supplied tag")
                                   : QStringLiteral("time representation");
}

QString shortName(const RowRef& row) {
  constexpr qsizetype most = 40;
  if (row.isText() && row.name.size() > most) return row.name.left(most - 1).trimmed() + u'…';
  return row.isClass() ? row.name.mid(row.name.lastIndexOf(u'.') + 1) : row.name;
}

QString superclassOf(const QString& fullName) {
  return fullName.left(std::max<qsizetype>(fullName.lastIndexOf(u'.'), 0));
}

const ModuleSource& mimSource() {
  static const ModuleSource source = [] {
    auto parsed = ModuleSource::parse(std::string(omt::standardMimText()), "HLAstandardMIM");
    return std::move(*parsed);  // it is part of this program
  }();
  return source;
}

std::string_view elementOf(RowKind kind, bool of2000) {
  switch (kind) {
    case RowKind::ObjectClass:
      return "objectClass";
    case RowKind::InteractionClass:
      return "interactionClass";
    case RowKind::Attribute:
      return "attribute";
    case RowKind::Parameter:
      return "parameter";
    case RowKind::DirectedInteraction:
      return "directedInteraction";
    case RowKind::Enumerator:
      return "enumerator";
    case RowKind::Field:
      return "field";
    case RowKind::Alternative:
      return "alternative";
    case RowKind::Dimension:
      return "dimension";
    case RowKind::RoutingSpace:
      return "space";
    case RowKind::Transportation:
      return "transportation";
    case RowKind::UpdateRate:
      return "updateRate";
    case RowKind::SynchronizationPoint:
      return of2000 ? "synchronization" : "synchronizationPoint";
    case RowKind::Keyword:
      return "keyword";
    case RowKind::Contact:
      return "poc";
    case RowKind::Reference:
      return "reference";
    case RowKind::UseHistory:
      return "useHistory";
    case RowKind::Note:
      return "note";
    default:
      return "";
  }
}

std::vector<std::string_view> tablePath(RowKind kind) {
  switch (kind) {
    case RowKind::Dimension:
      return {"dimensions"};
    case RowKind::RoutingSpace:
      return {"spaces"};
    case RowKind::Transportation:
      return {"transportations"};
    case RowKind::UpdateRate:
      return {"updateRates"};
    case RowKind::SynchronizationPoint:
      return {"synchronizations"};
    case RowKind::Switch:
      return {"switches"};
    case RowKind::Identification:
    case RowKind::Keyword:
    case RowKind::Contact:
    case RowKind::Reference:
    case RowKind::UseHistory:
      return {"modelIdentification"};
    case RowKind::Note:
      return {"notes"};
    default:
      return {};
  }
}

namespace {

/// The dimensions of the routing spaces of a FED file, with their names in the model.
template <typename Visit>
void eachFedDimension(const ModuleSource& source, Visit visit) {
  eachChild(source, ModuleSource::root(), "spaces", [&](ElementId table) {
    eachChild(source, table, "space", [&](ElementId space) {
      eachChild(source, space, "dimension",
                [&](ElementId d) { visit(d, fedDimensionName(source, d)); });
    });
  });
}

}  // namespace

std::vector<ElementId> placesOf(const ModuleSource& source, const RowRef& row) {
  std::vector<ElementId> found;
  const std::string name = row.name.toStdString();
  if (source.isFed() && row.kind == RowKind::Dimension) {
    eachFedDimension(source, [&](ElementId d, const std::string& full) {
      if (full == name) found.push_back(d);
    });
    return found;
  }
  const auto positioned = [&](ElementId parent, std::string_view element) {
    int position = 0;
    eachChild(source, parent, element, [&](ElementId c) {
      const bool here = row.position < 0 || position == row.position;
      if (here && (row.name.isEmpty() || rowName(source, c) == name)) found.push_back(c);
      ++position;
    });
  };
  switch (row.kind) {
    case RowKind::ObjectClass:
    case RowKind::InteractionClass:
      return classPlaces(source, isOfObjects(row.kind), row.name);
    case RowKind::Attribute:
    case RowKind::Parameter:
    case RowKind::DirectedInteraction:
      for (const ElementId c : classPlaces(source, isOfObjects(row.kind), row.owner)) {
        eachChild(source, c, elementOf(row.kind, false), [&](ElementId member) {
          if (rowName(source, member) == name) found.push_back(member);
        });
      }
      break;
    case RowKind::DataType:
      return dataTypePlaces(source, row.name);
    case RowKind::Enumerator:
    case RowKind::Field:
    case RowKind::Alternative:
      for (const ElementId type : dataTypePlaces(source, row.owner)) {
        positioned(type, elementOf(row.kind, false));
      }
      break;
    case RowKind::TypeUse:
      for (const char* table : {"time", "tags"}) {
        eachChild(source, ModuleSource::root(), table, [&](ElementId t) {
          // Modules of other editions call it something else.
          for (const std::string& each : namesOfTypeUse(name)) {
            eachChild(source, t, each, [&](ElementId c) { found.push_back(c); });
          }
        });
      }
      break;
    case RowKind::Switch:
      eachChild(source, ModuleSource::root(), "switches", [&](ElementId t) { found.push_back(t); });
      break;
    case RowKind::Identification:
      if (source.isOf2000()) {
        found.push_back(ModuleSource::root());
      } else {
        eachChild(source, ModuleSource::root(), "modelIdentification",
                  [&](ElementId t) { found.push_back(t); });
      }
      break;
    case RowKind::Keyword:
    case RowKind::Contact:
    case RowKind::Reference:
    case RowKind::UseHistory: {
      const ElementId table = source.child(ModuleSource::root(), "modelIdentification");
      int position = 0;
      if (table == noElement) break;
      eachChild(source, table, elementOf(row.kind, false), [&](ElementId c) {
        // A row at its place that says something else is another one, which took its place.
        const bool here = row.position < 0 || position == row.position;
        if (here && shownText(source, c, row.kind) == row.name.simplified()) found.push_back(c);
        ++position;
      });
      break;
    }
    case RowKind::SynchronizationPoint:
      for (const bool of2000 : {false, true}) {
        eachChild(source, ModuleSource::root(), "synchronizations", [&](ElementId t) {
          eachChild(source, t, elementOf(row.kind, of2000), [&](ElementId c) {
            if (rowName(source, c) == name) found.push_back(c);
          });
        });
      }
      break;
    case RowKind::Dimension:
    case RowKind::RoutingSpace:
    case RowKind::Transportation:
    case RowKind::UpdateRate:
    case RowKind::Note:
      eachChild(source, ModuleSource::root(), tablePath(row.kind).front(),
                [&](ElementId t) { positioned(t, elementOf(row.kind, false)); });
      break;
    case RowKind::None:
      break;
  }
  return found;
}

std::vector<FoundRow> placesOf(const EditableModules& modules, const RowRef& row) {
  std::vector<FoundRow> found;
  for (int m = 0; m < modules.size(); ++m) {
    if (modules[m].source == nullptr || (row.module >= 0 && row.module != m)) continue;
    for (const ElementId id : placesOf(*modules[m].source, row)) found.push_back({m, id});
  }
  return found;
}

bool isInMim(const RowRef& row) {
  switch (row.kind) {
    case RowKind::None:
    case RowKind::TypeUse:
    case RowKind::Switch:
    case RowKind::Identification:
    case RowKind::Keyword:
    case RowKind::Contact:
    case RowKind::Reference:
    case RowKind::UseHistory:
    case RowKind::Note:
      return false;
    default:
      return !placesOf(mimSource(), row).empty();
  }
}

bool definesByNaming(const ModuleSource& source) { return source.isOf2000() || source.isFed(); }

bool definesClass(const ModuleSource& source, ElementId element) {
  if (definesByNaming(source)) {
    const ElementId parent = source.at(element).parent;
    return parent != noElement && isClassElement(source.nameOf(parent));
  }
  for (ElementId c = source.at(element).firstChild; c != noElement; c = source.at(c).next) {
    const std::string_view name = source.nameOf(c);
    if (name == "attribute" || name == "parameter" || name == "transportation" || name == "order") {
      return true;
    }
    if (name == "sharing" && !cellOf(source, element, "sharing").value_or("").empty()) return true;
  }
  return false;
}

namespace {

void collectNames(const ModuleSource& source, std::string_view element, ElementId parent,
                  const QString& above, QSet<QString>& into) {
  eachChild(source, parent, element, [&](ElementId c) {
    QString name = qt(rowName(source, c));
    if (name.isEmpty()) return;
    if (!above.isEmpty()) name = above + u'.' + name;
    into.insert(name);
    collectNames(source, element, c, name, into);
  });
}

/// Every module that can be read, the MIM first.
template <typename Visit>
void eachSource(const EditableModules& modules, Visit visit) {
  visit(mimSource());
  for (const EditableModule& m : modules) {
    if (m.source != nullptr) visit(*m.source);
  }
}

}  // namespace

QStringList namesOf(const EditableModules& modules, RowKind kind) {
  QSet<QString> names;
  eachSource(modules, [&](const ModuleSource& source) {
    const ElementId root = ModuleSource::root();
    switch (kind) {
      case RowKind::ObjectClass:
      case RowKind::InteractionClass: {
        const bool isObject = kind == RowKind::ObjectClass;
        const std::string_view element = elementOf(kind, false);
        eachChild(source, root, isObject ? "objects" : "interactions", [&](ElementId table) {
          eachChild(source, table, element, [&](ElementId top) {
            const QString name = qt(rowName(source, top));
            if (name.isEmpty()) return;
            const QString rootText = qt(rootName(isObject));
            const QString full = name == rootText ? name : rootText + u'.' + name;
            names.insert(full);
            collectNames(source, element, top, full, names);
          });
        });
        break;
      }
      case RowKind::DataType:
        eachChild(source, root, "dataTypes", [&](ElementId tables) {
          for (ElementId t = source.at(tables).firstChild; t != noElement; t = source.at(t).next) {
            for (ElementId c = source.at(t).firstChild; c != noElement; c = source.at(c).next) {
              if (!isKnownIn(source.nameOf(t), source.nameOf(c))) continue;
              const QString name = qt(rowName(source, c));
              if (!name.isEmpty()) names.insert(name);
            }
          }
        });
        break;
      default: {
        if (kind == RowKind::Dimension && source.isFed()) {
          eachFedDimension(source,
                           [&](ElementId, const std::string& full) { names.insert(qt(full)); });
          break;
        }
        const auto path = tablePath(kind);
        if (path.empty()) break;
        eachChild(source, root, path.front(), [&](ElementId table) {
          for (const bool of2000 : {false, true}) {
            eachChild(source, table, elementOf(kind, of2000), [&](ElementId c) {
              const QString name = qt(rowName(source, c));
              if (!name.isEmpty()) names.insert(name);
            });
          }
        });
      }
    }
  });
  QStringList sorted(names.begin(), names.end());
  sorted.sort(Qt::CaseInsensitive);
  return sorted;
}

QStringList membersOf(const EditableModules& modules, bool isObject, const QString& fullName) {
  QStringList names;
  eachSource(modules, [&](const ModuleSource& source) {
    for (const ElementId c : classPlaces(source, isObject, fullName)) {
      eachChild(source, c, isObject ? "attribute" : "parameter", [&](ElementId member) {
        const QString name = qt(rowName(source, member));
        if (!name.isEmpty() && !names.contains(name)) names << name;
      });
    }
  });
  return names;
}

QStringList subclassesOf(const EditableModules& modules, bool isObject, const QString& fullName) {
  QStringList names;
  eachSource(modules, [&](const ModuleSource& source) {
    for (const ElementId c : classPlaces(source, isObject, fullName)) {
      eachChild(source, c, isObject ? "objectClass" : "interactionClass", [&](ElementId sub) {
        const QString name = qt(rowName(source, sub));
        const QString full = fullName + u'.' + name;
        if (!name.isEmpty() && !names.contains(full)) names << full;
      });
    }
  });
  return names;
}

}  // namespace tutti::fomedit
