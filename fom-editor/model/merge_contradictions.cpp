// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/merge_contradictions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fom-editor/model/element_order.h"
#include "fom-editor/model/module_edits.h"
#include "omt/merge.h"
#include "omt/module.h"
#include "omt/reader.h"
#include "omt/text.h"

namespace tutti::fomedit {

using omt::collapsed;

namespace {

/// Definitions and uses of names in a module.
struct Names {
  using Name = std::pair<std::string, std::string>;  ///< kind, name
  std::map<Name, ElementId> defined;
  std::map<Name, ElementId> used;
};

Names namesOf(const ModuleSource& source) {
  Names names;
  const auto uses = [&](const char* kind, ElementId id, std::string_view text) {
    std::string word = collapsed(text);
    if (!omt::meansNothing(word)) names.used.try_emplace({kind, std::move(word)}, id);
  };
  for (ElementId id = 1; id < source.elements().size(); ++id) {
    const std::string_view name = source.nameOf(id);
    const std::string_view parent = source.nameOf(source.at(id).parent);
    const bool row = isNamedRow(source, id);
    if (row && isKnownIn("dataTypes", parent)) {
      names.defined.try_emplace({"datatype", rowName(source, id)}, id);
    } else if (row && (name == "dimension" || name == "transportation") &&
               isKnownIn("objectModel", parent)) {
      names.defined.try_emplace({std::string(name), rowName(source, id)}, id);
    }
    const bool leaf = source.at(id).firstChild == noElement;
    if (leaf && (name == "dataType" || name == "representation")) {
      uses("datatype", id, source.rawText(id));
    } else if (leaf && name == "dimension" && !row) {
      uses("dimension", id, source.rawText(id));
    } else if (leaf && name == "transportation" && !row) {
      uses("transportation", id, source.rawText(id));
    }
    for (const SourceAttribute& a : source.attributes(id)) {
      const std::string_view attribute = source.text(a.name);
      if (attribute == "dataType" || attribute == "representation") {
        uses("datatype", id, source.resolved(a.value));
      } else if (attribute == "transportation") {
        uses("transportation", id, source.resolved(a.value));
      }
    }
  }
  return names;
}

using Value = std::pair<std::string, std::string>;     ///< enumerated datatype, value
using Enumerators = std::map<std::string, ElementId>;  ///< by name

/// Enumerators by their value.
std::map<Value, Enumerators> enumeratorsOf(const ModuleSource& source) {
  std::map<Value, Enumerators> found;
  for (ElementId id = 1; id < source.elements().size(); ++id) {
    if (source.nameOf(id) != "enumerator" || !isNamedRow(source, id)) continue;
    const auto value = cellOf(source, id, "value");
    if (!value || value->empty()) continue;
    found[{rowName(source, source.at(id).parent), *value}].emplace(rowName(source, id), id);
  }
  return found;
}

/// Enumerators of which none has its name in the same datatype of another version: rows that were
/// added. None where one was there before.
std::set<ElementId> addedOf(const Value& value, const Enumerators& those, const Enumerators& known,
                            const std::map<Value, Enumerators>& base,
                            const std::map<Value, Enumerators>& other) {
  const auto isIn = [&](const std::map<Value, Enumerators>& all, const std::string& name) {
    return std::any_of(all.begin(), all.end(), [&](const auto& entry) {
      return entry.first.first == value.first && entry.second.contains(name);
    });
  };
  std::set<ElementId> added;
  for (const auto& [name, id] : those) {
    if (known.contains(name)) continue;
    if (isIn(base, name) || isIn(other, name)) return {};
    added.insert(id);
  }
  return added;
}

/// What other modules are to define: dimensions and transportation types by name.
struct Foreign {
  std::set<std::string> dimensions;
  std::set<std::string> transportations;
};

void addUses(const std::vector<omt::ModuleObjectClass>& classes, Foreign& uses) {
  for (const omt::ModuleObjectClass& c : classes) {
    for (const omt::Attribute& a : c.attributes) {
      uses.transportations.insert(a.transportation);
      uses.dimensions.insert(a.dimensions.begin(), a.dimensions.end());
    }
    addUses(c.subclasses, uses);
  }
}

void addUses(const std::vector<omt::ModuleInteractionClass>& classes, Foreign& uses) {
  for (const omt::ModuleInteractionClass& c : classes) {
    uses.transportations.insert(c.transportation);
    uses.dimensions.insert(c.dimensions.begin(), c.dimensions.end());
    addUses(c.subclasses, uses);
  }
}

/// Defines the dimensions and transportation types that a module uses and other modules define.
void addStandIns(omt::Module& module) {
  Foreign uses;
  addUses(module.objectClasses, uses);
  addUses(module.interactionClasses, uses);
  uses.transportations.erase("");
  const auto forget = [&](const omt::Module& known) {
    for (const omt::Dimension& row : known.dimensions) uses.dimensions.erase(row.name);
    for (const omt::Transportation& row : known.transportations) {
      uses.transportations.erase(row.name);
    }
  };
  forget(module);
  forget(omt::standardMim());
  for (const std::string& name : uses.dimensions) {
    module.dimensions.emplace_back().name = name;
  }
  for (const std::string& name : uses.transportations) {
    module.transportations.emplace_back().name = name;
  }
}

/// Why an RTI refuses a module among others that define the names it takes from them; empty: it
/// does not. Without lines, so that two versions of a module can be compared.
std::string refusalOf(const std::string& bytes) {
  static constexpr std::string_view file = "this module";
  auto module = omt::readModule(bytes, std::string(file));
  std::string why;
  if (!module) {
    why = module.error().message;
  } else {
    addStandIns(*module);
    const omt::Module modules[] = {std::move(*module)};
    const auto merged = omt::merge(omt::standardMim(), modules);
    if (!merged) why = merged.error().message;
  }
  const std::string place = std::string(file) + ':';
  for (std::size_t at = why.find(place); at != std::string::npos; at = why.find(place, at + 1)) {
    const std::size_t colon = at + file.size();
    const std::size_t end = std::min(why.find_first_not_of("0123456789", colon + 1), why.size());
    if (end > colon + 1) why.erase(colon, end - colon);
  }
  return why;
}

/// Classes, attributes and parameters by their place.
std::map<std::string, ElementId> placesOf(const ModuleSource& source) {
  std::map<std::string, ElementId> places;
  for (ElementId id = 1; id < source.elements().size(); ++id) {
    const std::string_view name = source.nameOf(id);
    const bool member = name == "attribute" || name == "parameter";
    if ((member || name == "objectClass" || name == "interactionClass") && isNamedRow(source, id)) {
      places.try_emplace(mergePlace(source, id), id);
    }
  }
  return places;
}

}  // namespace

ElementId findMixed(const ModuleSource& source) {
  for (ElementId id = 0; id < source.elements().size(); ++id) {
    if (source.at(id).firstChild == noElement) continue;
    if (!collapsed(source.rawText(id)).empty()) return id;
  }
  return noElement;
}

RowDecisions findMovesApart(const ModuleSource& base, const ModuleSource& ours,
                            const ModuleSource& theirs, MergeConflicts& conflicts) {
  RowDecisions rows;
  const auto before = placesOf(base);
  const auto mine = placesOf(ours);
  const auto other = placesOf(theirs);
  using Row = std::pair<std::string, std::string>;
  const auto rowOf = [](const ModuleSource& source, ElementId id) {
    return Row{source.nameOf(id), rowName(source, id)};
  };
  // What is new somewhere, by element and name.
  const auto newRows = [&](const ModuleSource& source, const auto& places) {
    std::map<Row, std::map<std::string, ElementId>> found;
    for (const auto& [place, id] : places) {
      if (!before.contains(place)) found[rowOf(source, id)].emplace(place, id);
    }
    return found;
  };
  const auto newInOurs = newRows(ours, mine);
  const auto newInTheirs = newRows(theirs, other);
  for (const auto& [place, id] : before) {
    if (mine.contains(place) || other.contains(place)) continue;
    // Of what went with its class the class is told.
    const ElementId parent = base.at(id).parent;
    const std::string above = mergePlace(base, parent);
    const bool classGone = before.contains(above) && !mine.contains(above);
    const bool classGoneInTheirs = before.contains(above) && !other.contains(above);
    if (classGone != classGoneInTheirs) continue;
    const auto first = newInOurs.find(rowOf(base, id));
    const auto second = newInTheirs.find(rowOf(base, id));
    if (first == newInOurs.end() || second == newInTheirs.end()) continue;
    const auto& [to, mineId] = *first->second.begin();
    const auto& [elsewhere, otherId] = *second->second.begin();
    const bool together =
        std::any_of(first->second.begin(), first->second.end(),
                    [&](const auto& row) { return second->second.contains(row.first); });
    if (together) continue;
    const auto wentWithClass = [&](const ModuleSource& source, ElementId row) {
      return rowOf(source, source.at(row).parent) == rowOf(base, parent);
    };
    if (classGone && wentWithClass(ours, mineId) && wentWithClass(theirs, otherId)) continue;
    // The same of a class that both have renamed: below one class, a class for another.
    const auto below = [](const ModuleSource& source, ElementId row, const auto& known) {
      ElementId over = source.at(row).parent;
      while (isNamedRow(source, over) && !known.contains(mergePlace(source, over))) {
        over = source.at(over).parent;
      }
      return mergePlace(source, over);
    };
    const std::string stays = below(base, id, mine);
    if (classGone && stays == below(base, id, other) && stays == below(ours, mineId, before) &&
        stays == below(theirs, otherId, before)) {
      continue;
    }
    // A row within a class that only its version has goes with that class.
    std::vector<MergeChoice> offered{MergeChoice::Both};
    const auto stands = [](const ModuleSource& source, ElementId row, const auto& places) {
      const ElementId over = source.at(row).parent;
      return !isNamedRow(source, over) || places.contains(mergePlace(source, over));
    };
    if (stands(theirs, otherId, mine)) offered.push_back(MergeChoice::Ours);
    if (stands(ours, mineId, other)) offered.push_back(MergeChoice::Theirs);
    const auto chosen = conflicts.add({place,
                                       "Both have moved it, to different places.",
                                       {place, base.lineOf(id), id},
                                       {to, ours.lineOf(mineId), mineId},
                                       {elsewhere, theirs.lineOf(otherId), otherId},
                                       std::move(offered)});
    if (chosen && chosen->choice == MergeChoice::Ours) rows.leaveTheirs.insert(otherId);
    if (chosen && chosen->choice == MergeChoice::Theirs) rows.dropOurs.insert(mineId);
  }
  return rows;
}

RowDecisions checkResult(const ModuleSource& result, const Version& base, const Version& ours,
                         const Version& theirs, MergeConflicts& conflicts) {
  RowDecisions rows;
  if (const ElementId id = findMixed(result); id != noElement) {
    conflicts.addOnce({mergePlace(result, id),
                       "One has added text, the other elements.",
                       {},
                       {},
                       {},
                       {MergeChoice::Both}});
  }
  const Names all = namesOf(result);
  const Names b = namesOf(base.source);
  const Names o = namesOf(ours.source);
  const Names t = namesOf(theirs.source);
  const auto side = [](const Version& version, const Names& names, const Names::Name& name) {
    const auto defined = names.defined.find(name);
    const auto used = names.used.find(name);
    if (defined != names.defined.end()) {
      return MergeSide{"defined", version.source.lineOf(defined->second), defined->second};
    }
    if (used != names.used.end()) {
      return MergeSide{"used", version.source.lineOf(used->second), used->second};
    }
    return MergeSide{"not there", 0};
  };
  const auto dangles = [](const Names& names, const Names::Name& name) {
    return names.used.contains(name) && !names.defined.contains(name);
  };
  for (const auto& [name, id] : all.used) {
    if (all.defined.contains(name) || dangles(o, name) || dangles(t, name)) continue;
    const auto mine = o.defined.find(name);
    const auto other = t.defined.find(name);
    const bool inOurs = mine != o.defined.end();
    const bool inTheirs = other != t.defined.end();
    if (!inOurs && !inTheirs) continue;
    std::vector<MergeChoice> offered{MergeChoice::Ours, MergeChoice::Theirs};
    if (inOurs && inTheirs) offered = {MergeChoice::Both};
    const auto chosen =
        conflicts.addOnce({name.first + ' ' + omt::shortened(name.second),
                           "One has removed it, the other uses it anew.", side(base, b, name),
                           side(ours, o, name), side(theirs, t, name), std::move(offered)});
    if (!chosen) continue;
    // The definition is as the chosen side has it.
    if (inOurs && chosen->choice == MergeChoice::Ours) rows.keepOurs.insert(mine->second);
    if (inTheirs && chosen->choice == MergeChoice::Theirs) rows.takeTheirs.insert(other->second);
  }
  const auto before = enumeratorsOf(base.source);
  const auto mine = enumeratorsOf(ours.source);
  const auto other = enumeratorsOf(theirs.source);
  const auto sharing = [](const std::map<Value, Enumerators>& known, const Value& value) {
    const auto found = known.find(value);
    return found == known.end() ? Enumerators{} : found->second;
  };
  for (const auto& [value, enumerators] : enumeratorsOf(result)) {
    const Enumerators inOurs = sharing(mine, value);
    const Enumerators inTheirs = sharing(other, value);
    if (enumerators.size() < 2 || inOurs.size() > 1 || inTheirs.size() > 1) continue;
    std::string list;
    for (const auto& [name, id] : enumerators) {
      list += (list.empty() ? "" : ", ") + omt::shortened(name);
    }
    // One that was only added can be left out; a value that was changed cannot.
    const auto addedOurs = addedOf(value, inOurs, inTheirs, before, other);
    const auto addedTheirs = addedOf(value, inTheirs, inOurs, before, mine);
    std::vector<MergeChoice> offered{MergeChoice::Both};
    if (!addedTheirs.empty()) offered.push_back(MergeChoice::Ours);
    if (!addedOurs.empty()) offered.push_back(MergeChoice::Theirs);
    const auto enumerator = [](const Version& version, const Enumerators& those) {
      if (those.empty()) return MergeSide{"not there", 0};
      const ElementId id = those.begin()->second;
      return MergeSide{"one of them", version.source.lineOf(id), id};
    };
    const auto chosen = conflicts.addOnce(
        {"datatype " + omt::shortened(value.first) + ", value " + omt::shortened(value.second),
         "Enumerators of both get the same value: " + list + '.',
         {"not there", 0},
         enumerator(ours, inOurs),
         enumerator(theirs, inTheirs),
         std::move(offered)});
    if (!chosen) continue;
    if (chosen->choice == MergeChoice::Ours) {
      rows.leaveTheirs.insert(addedTheirs.begin(), addedTheirs.end());
    } else if (chosen->choice == MergeChoice::Theirs) {
      rows.dropOurs.insert(addedOurs.begin(), addedOurs.end());
    }
  }
  return rows;
}

void checkWithRti(const ModuleSource& result, const ModuleSource& ours, const ModuleSource& theirs,
                  MergeConflicts& conflicts) {
  const std::string why = refusalOf(result.bytes());
  // A side that is refused already, for whatever is found first in it, says nothing of the merge.
  if (why.empty() || !refusalOf(ours.bytes()).empty() || !refusalOf(theirs.bytes()).empty()) return;
  conflicts.addOnce(
      {"the module", "The RTI refuses both together: " + why, {}, {}, {}, {MergeChoice::Both}});
}

}  // namespace tutti::fomedit
