// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_merge.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "fom-editor/model/element_order.h"
#include "fom-editor/model/module_edits.h"
#include "omt/merge.h"
#include "omt/module.h"
#include "omt/reader.h"
#include "omt/text.h"

namespace tutti::fomedit {

namespace {

using omt::collapsed;

constexpr std::size_t mostDescribed = 3;
/// Conflicts that are listed; nobody resolves as many one by one.
constexpr std::size_t mostConflicts = 1000;

void addConflict(std::vector<MergeConflict>& conflicts, MergeConflict conflict) {
  if (conflicts.size() < mostConflicts) {
    conflicts.push_back(std::move(conflict));
  } else if (conflicts.size() == mostConflicts) {
    conflicts.push_back({"the module", "There are more conflicts.", {}, {}, {}});
  }
}

/// Numbers for what elements say: two elements of any version have the same number when they mean
/// the same. White space, comments and the order of rows other than fields do not count.
class Meanings {
 public:
  std::vector<int> of(const ModuleSource& source) {
    std::vector<int> numbers(source.elements().size());
    // Children have greater ids than their parents.
    for (ElementId id = static_cast<ElementId>(numbers.size()); id-- > 0;) {
      std::string words(source.nameOf(id));
      std::map<std::string, std::string> attributes;
      for (const SourceAttribute& a : source.attributes(id)) {
        attributes[std::string(source.text(a.name))] = collapsed(source.resolved(a.value));
      }
      for (const auto& [name, value] : attributes) words += '\x1f' + name + '=' + value;
      words += '\x1e' + collapsed(source.rawText(id));
      std::vector<int> rows;
      std::vector<int> fields;
      for (const ElementId c : source.children(id)) {
        (source.nameOf(c) == "field" ? fields : rows).push_back(numbers[c]);
      }
      std::sort(rows.begin(), rows.end());
      rows.insert(rows.end(), fields.begin(), fields.end());
      for (const int number : rows) words += '\x1d' + std::to_string(number);
      numbers[id] = known_.emplace(std::move(words), static_cast<int>(known_.size())).first->second;
    }
    return numbers;
  }

 private:
  std::unordered_map<std::string, int> known_;
};

/// Whether such an element is one of many that are told apart by a name or label.
bool isNamedRow(const ModuleSource& source, ElementId id) {
  const std::string_view name = source.nameOf(id);
  if (name == "modelIdentification" || name == "objectModel") return false;
  const bool named = isKnownIn(name, "name") || isKnownIn(name, "label");
  if (!named) return false;
  // A dimension of a class or attribute is a name only.
  return source.at(id).firstChild != noElement || !source.attributes(id).empty();
}

/// Cells of which the first is what a row goes by, see rowIdentity().
bool tellsRowsApart(std::string_view cell) {
  return cell == "name" || cell == "label" || cell == "enumerator";
}

std::string rowIdentity(const ModuleSource& source, ElementId id) {
  if (source.nameOf(id) == "alternative") {
    return cellOf(source, id, "enumerator").value_or("");
  }
  return rowName(source, id);
}

/// What an element is called in a message: its kind and name, "datatype Length".
std::string words(const ModuleSource& source, ElementId id) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kinds{
      {{"objectClass", "object class"},
       {"interactionClass", "interaction class"},
       {"basicData", "datatype"},
       {"simpleData", "datatype"},
       {"referenceDataType", "datatype"},
       {"enumeratedData", "datatype"},
       {"arrayData", "datatype"},
       {"fixedRecordData", "datatype"},
       {"variantRecordData", "datatype"},
       {"synchronizationPoint", "synchronization point"},
       {"synchronization", "synchronization point"},
       {"updateRate", "update rate"}}};
  std::string text(source.nameOf(id));
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const auto& kind) { return kind.first == text; });
  if (found != kinds.end()) text = found->second;
  if (isNamedRow(source, id)) text += ' ' + omt::shortened(rowIdentity(source, id));
  return text;
}

/// Where an element is in the model.
std::string placeOf(const ModuleSource& source, ElementId id) {
  std::vector<ElementId> path;
  for (; id != noElement; id = source.at(id).parent) path.insert(path.begin(), id);
  std::string place;
  std::string classes;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const std::string_view name = source.nameOf(path[i]);
    const bool isClass = name == "objectClass" || name == "interactionClass";
    if (isClass) {
      classes += (classes.empty() ? "" : ".") + omt::shortened(rowName(source, path[i]));
      place = (name == "objectClass" ? "object class " : "interaction class ") + classes;
      continue;
    }
    // Tables say nothing that their rows do not say.
    const bool isTable = !isNamedRow(source, path[i]) && source.at(path[i]).firstChild != noElement;
    if (isTable && i + 1 < path.size() && name != "modelIdentification" && classes.empty())
      continue;
    place += (place.empty() ? "" : ", ") + words(source, path[i]);
  }
  return place.empty() ? "the module" : place;
}

/// A version with what is asked of it often.
struct Version {
  const ModuleSource& source;
  std::vector<int> meanings;

  int meaning(ElementId id) const { return meanings[id]; }
};

/// Children by what tells them apart, in document order.
struct Keyed {
  std::vector<std::pair<std::string, ElementId>> rows;
  std::map<std::string, ElementId> byKey;

  ElementId find(const std::string& key) const {
    const auto it = byKey.find(key);
    return it == byKey.end() ? noElement : it->second;
  }
};

/// The children of one place in three versions, each with its key.
std::array<Keyed, 3> keyed(const std::array<const Version*, 3>& versions,
                           const std::array<ElementId, 3>& parents) {
  // What has no name and stands once in each version is the same; otherwise its meaning tells.
  std::set<std::string> many;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (parents[i] == noElement) continue;
    const ModuleSource& source = versions[i]->source;
    std::set<std::string> seen;
    for (const ElementId c : source.children(parents[i])) {
      const std::string name(source.nameOf(c));
      if (!isNamedRow(source, c) && !seen.insert(name).second) many.insert(name);
    }
  }
  std::array<Keyed, 3> result;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (parents[i] == noElement) continue;
    const ModuleSource& source = versions[i]->source;
    std::map<std::string, int> counts;
    for (const ElementId c : source.children(parents[i])) {
      std::string key(source.nameOf(c));
      if (isNamedRow(source, c)) {
        key += '\x1f' + rowIdentity(source, c);
      } else if (many.contains(key) && !tellsRowsApart(key)) {
        key += '\x1e' + std::to_string(versions[i]->meaning(c));
      }
      if (const int before = counts[key]++; before > 0) key += '\x1d' + std::to_string(before);
      result[i].byKey.emplace(key, c);
      result[i].rows.emplace_back(std::move(key), c);
    }
  }
  return result;
}

/// The first changes from one version of an element to another, for a message.
void describeChanges(const Version& before, ElementId a, const Version& after, ElementId b,
                     std::vector<std::string>& into) {
  if (into.size() > mostDescribed || before.meaning(a) == after.meaning(b)) return;
  const auto name = [&](const ModuleSource& s, ElementId id) { return words(s, id); };
  const std::string was = collapsed(before.source.rawText(a));
  const std::string is = collapsed(after.source.rawText(b));
  if (was != is) {
    into.push_back(name(after.source, b) + ": " + omt::shortened(was) + " -> " +
                   omt::shortened(is));
  }
  std::map<std::string, std::array<std::string, 2>> values;
  for (const SourceAttribute& x : before.source.attributes(a)) {
    values[std::string(before.source.text(x.name))][0] = collapsed(before.source.resolved(x.value));
  }
  for (const SourceAttribute& x : after.source.attributes(b)) {
    values[std::string(after.source.text(x.name))][1] = collapsed(after.source.resolved(x.value));
  }
  for (const auto& [attribute, value] : values) {
    if (value[0] == value[1]) continue;
    into.push_back(attribute + ": " + omt::shortened(value[0]) + " -> " + omt::shortened(value[1]));
  }
  const auto [first, second, none] = keyed({&before, &after, &after}, {a, b, noElement});
  for (const auto& [key, id] : first.rows) {
    if (const ElementId other = second.find(key); other != noElement) {
      describeChanges(before, id, after, other, into);
    } else {
      into.push_back("removed " + name(before.source, id));
    }
  }
  for (const auto& [key, id] : second.rows) {
    if (first.find(key) == noElement) into.push_back("added " + name(after.source, id));
  }
}

MergeSide valueSide(const Version& version, ElementId id, const std::optional<std::string>& value) {
  return {value ? omt::shortened(*value) : "not there",
          id == noElement ? 0 : version.source.lineOf(id)};
}

MergeSide changeSide(const Version& base, ElementId a, const Version& version, ElementId b) {
  if (b == noElement) return {"not there", 0};
  const int line = version.source.lineOf(b);
  if (a == noElement) return {words(version.source, b), line};
  if (base.meaning(a) == version.meaning(b)) return {"as before", line};
  std::vector<std::string> changes;
  describeChanges(base, a, version, b, changes);
  const bool more = changes.size() > mostDescribed;
  if (more) changes.resize(mostDescribed);
  std::string text;
  for (const std::string& change : changes) text += (text.empty() ? "" : "; ") + change;
  if (more) text += "; and more";
  return {text.empty() ? "another order" : text, line};
}

/// "<?xml ... ?>"; empty: none.
std::string_view declarationOf(const ModuleSource& source) {
  const std::string_view text = source.text();
  constexpr std::string_view mark = "?>";
  const bool there = text.starts_with("<?xml") && text.size() > 5 && omt::isBlank(text[5]);
  return there ? text.substr(0, text.find(mark) + mark.size()) : std::string_view();
}

/// What stands before the first element, without the XML declaration: that is of the file's own
/// encoding.
ByteRange prologOf(const ModuleSource& source) {
  return {declarationOf(source).size(), source.at(ModuleSource::root()).whole.begin};
}

ByteRange epilogOf(const ModuleSource& source) {
  return {source.at(ModuleSource::root()).whole.end, source.text().size()};
}

std::string withNewlines(std::string_view text, const std::string& newline) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' && text[i] != '\n') {
      result += text[i];
      continue;
    }
    if (text[i] == '\r' && text.substr(i + 1).starts_with('\n')) ++i;
    result += newline;
  }
  return result;
}

/// Walks over three versions and plans what changes in `ours`.
class Merger {
 public:
  /// `theirsWins`: what conflicts is as `theirs` has it.
  Merger(const Version& base, const Version& ours, const Version& theirs, bool theirsWins)
      : b_(base), o_(ours), t_(theirs), theirsWins_(theirsWins) {}

  void run() {
    mergeOutside("before the first element", &prologOf);
    mergeElement(ModuleSource::root(), ModuleSource::root(), ModuleSource::root(), splices);
    mergeOutside("behind the last element", &epilogOf);
  }

  Splices splices;
  std::vector<MergeConflict> conflicts;
  int taken = 0;

 private:
  static void append(Splices& into, const Splices& more) {
    into.insert(into.end(), more.begin(), more.end());
  }

  void conflict(std::string place, std::string reason, MergeSide base, MergeSide ours,
                MergeSide theirs) {
    addConflict(conflicts, {std::move(place), std::move(reason), std::move(base), std::move(ours),
                            std::move(theirs)});
  }

  /// The place as that version names it that has it.
  std::string place(ElementId b, ElementId o, ElementId t) const {
    if (o != noElement) return placeOf(o_.source, o);
    if (t != noElement) return placeOf(t_.source, t);
    return placeOf(b_.source, b);
  }

  /// Comments, instructions and the document type outside the first element, as one text.
  void mergeOutside(const char* place, ByteRange (*rangeOf)(const ModuleSource&)) {
    const ByteRange range = rangeOf(o_.source);
    const auto textOf = [&](const Version& v) {
      return withNewlines(v.source.text(rangeOf(v.source)), newlineOf(o_.source));
    };
    const std::string was = collapsed(textOf(b_));
    const std::string mine = collapsed(textOf(o_));
    const std::string other = collapsed(textOf(t_));
    if (mine == other || was == other) return;
    if (was != mine) {
      const auto side = [&](const Version& v, const std::string& text) {
        if (text.empty()) return MergeSide{"not there", 0};
        const ByteRange whole = rangeOf(v.source);
        const std::size_t blanks = v.source.text(whole).find_first_not_of(" \t\r\n");
        return MergeSide{omt::shortened(text), v.source.lineOf(whole.begin + blanks)};
      };
      conflict(place, "Both have changed it, to different values.", side(b_, was), side(o_, mine),
               side(t_, other));
      if (!theirsWins_) return;
    } else {
      ++taken;
    }
    // Lines that both have stay.
    const std::string_view before = o_.source.text(range);
    const std::string after = textOf(t_);
    const auto [x, y] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    const std::size_t alike = static_cast<std::size_t>(x - before.begin());
    const std::size_t lineEnd = before.substr(0, alike).rfind('\n');
    const std::size_t kept = lineEnd == std::string_view::npos ? 0 : lineEnd + 1;
    splices.push_back({range.begin + kept, before.size() - kept, after.substr(kept)});
  }

  /// `b` may be noElement: both have added it.
  void mergeElement(ElementId b, ElementId o, ElementId t, Splices& into) {
    if (o_.meaning(o) == t_.meaning(t)) return;
    if (b != noElement && b_.meaning(b) == t_.meaning(t)) return;
    mergeAttributes(b, o, t, into);
    mergeText(b, o, t, into);
    mergeChildren(b, o, t, into);
  }

  using Values = std::map<std::string, std::string>;
  static Values valuesOf(const Version& version, ElementId id) {
    Values values;
    if (id == noElement) return values;
    for (const SourceAttribute& a : version.source.attributes(id)) {
      values[std::string(version.source.text(a.name))] =
          collapsed(version.source.resolved(a.value));
    }
    return values;
  }

  void mergeAttributes(ElementId b, ElementId o, ElementId t, Splices& into) {
    const Values base = valuesOf(b_, b);
    const Values ours = valuesOf(o_, o);
    const Values theirs = valuesOf(t_, t);
    std::set<std::string> names;
    for (const Values* values : {&base, &ours, &theirs}) {
      for (const auto& [name, value] : *values) names.insert(name);
    }
    const auto of = [](const Values& values, const std::string& name) {
      const auto it = values.find(name);
      return it == values.end() ? std::nullopt : std::optional(it->second);
    };
    for (const std::string& name : names) {
      const auto was = of(base, name);
      const auto mine = of(ours, name);
      const auto other = of(theirs, name);
      if (mine == other || was == other) continue;
      if (was != mine) {
        conflict(place(b, o, t) + ", " + name, reasonOf(was, mine, other), valueSide(b_, b, was),
                 valueSide(o_, o, mine), valueSide(t_, t, other));
        if (!theirsWins_) continue;
      } else {
        ++taken;
      }
      if (!other) {
        append(into, removeAttribute(o_.source, o, localName(name)));
        continue;
      }
      const auto a = attributeNamed(t_.source, t, name);
      append(into, setAttribute(o_.source, o, mine ? localName(name) : name,
                                t_.source.resolved(a->value)));
    }
  }

  static std::string_view localName(const std::string& name) {
    const std::size_t colon = name.rfind(':');
    return colon == std::string::npos ? name : std::string_view(name).substr(colon + 1);
  }

  static std::optional<SourceAttribute> attributeNamed(const ModuleSource& source, ElementId id,
                                                       std::string_view name) {
    for (const SourceAttribute& a : source.attributes(id)) {
      if (source.text(a.name) == name) return a;
    }
    return std::nullopt;
  }

  static std::string reasonOf(const std::optional<std::string>& was,
                              const std::optional<std::string>& mine,
                              const std::optional<std::string>& other) {
    if (!was) return "Both have added it, with different values.";
    return mine && other ? "Both have changed it, to different values."
                         : "One has removed it, the other has changed it.";
  }

  void mergeText(ElementId b, ElementId o, ElementId t, Splices& into) {
    const auto textOf = [](const Version& v, ElementId id) {
      return id == noElement ? std::optional<std::string>()
                             : std::optional(collapsed(v.source.rawText(id)));
    };
    const auto was = textOf(b_, b);
    const auto mine = textOf(o_, o);
    const auto other = textOf(t_, t);
    if (mine == other || was == other) return;
    if (was != mine) {
      conflict(place(b, o, t), reasonOf(was, mine, other), valueSide(b_, b, was),
               valueSide(o_, o, mine), valueSide(t_, t, other));
      if (!theirsWins_) return;
    } else {
      ++taken;
    }
    // Where theirs has elements in the place of the text, these are added with the other children.
    if (t_.source.at(t).firstChild != noElement) {
      append(into, replaceContent(o_.source, o, {}));
      return;
    }
    std::string_view content = t_.source.text(t_.source.at(t).content);
    while (!content.empty() && omt::isBlank(content.front())) content.remove_prefix(1);
    while (!content.empty() && omt::isBlank(content.back())) content.remove_suffix(1);
    append(into, replaceContent(o_.source, o, std::string(content)));
  }

  /// What becomes of children while their parent is merged.
  struct Plan {
    std::set<ElementId> removed;    ///< of ours
    std::set<ElementId> additions;  ///< of theirs
  };

  void mergeChildren(ElementId b, ElementId o, ElementId t, Splices& into) {
    const auto [base, ours, theirs] = keyed({&b_, &o_, &t_}, {b, o, t});
    Plan plan;
    const std::map<std::string, bool> units = decideUnits(base, ours, theirs);
    const std::set<std::string> asTheirs = findReplacements(base, ours, theirs, b, o, t, units);
    // Nothing: it is no unit; else whether the unit is to be as theirs.
    const auto unitOf = [&](const std::string& key) -> std::optional<bool> {
      const auto unit = units.find(withoutNumber(key));
      return unit == units.end() ? std::nullopt : std::optional(unit->second);
    };
    for (const auto& [key, mine] : ours.rows) {
      if (const auto unit = unitOf(key)) {
        if (*unit) plan.removed.insert(mine);
      } else if (theirs.find(key) == noElement) {
        decideMissing(key, base.find(key), mine, asTheirs, plan);
      }
    }
    for (const auto& [key, other] : theirs.rows) {
      if (const auto unit = unitOf(key)) {
        if (*unit) plan.additions.insert(other);
      } else if (ours.find(key) == noElement) {
        decideNew(base.find(key), other, plan);
      }
    }
    const bool reordered = mergesOrder(base, ours, theirs, b, o, t, plan);
    if (reordered) reorderFields(base, ours, theirs, plan, into);
    for (const auto& [key, mine] : ours.rows) {
      const ElementId other = theirs.find(key);
      if (other == noElement || unitOf(key) || (reordered && isField(o_, mine))) continue;
      mergeElement(base.find(key), mine, other, into);
    }
    for (const ElementId id : plan.removed) {
      if (!reordered || !isField(o_, id)) append(into, removeElement(o_.source, id));
    }
    std::vector<Addition> additions;
    // Each goes behind what it stands behind in theirs.
    ElementId anchor = noElement;
    std::map<std::string_view, ElementId> firstPlaces;
    for (const auto& [key, other] : theirs.rows) {
      if (const ElementId mine = ours.find(key); mine != noElement && !unitOf(key)) {
        if (!plan.removed.contains(mine)) anchor = mine;
        continue;
      }
      if (!plan.additions.contains(other) || (reordered && isField(t_, other))) continue;
      const ElementId id = other;
      const std::string_view name = t_.source.nameOf(id);
      ElementId after = anchor;
      if (after == noElement) {
        const auto [it, isNew] = firstPlaces.try_emplace(name, noElement);
        if (isNew) it->second = firstPlaceOf(name, o, plan);
        after = it->second;
      }
      additions.push_back({after, std::string(name), t_.source.at(id).firstChild == noElement,
                           [this, id](const std::optional<std::string>& indent) {
                             return copyOf(t_.source, id, o_.source, indent);
                           }});
    }
    append(into, addChildren(o_.source, o, additions));
  }

  static bool isField(const Version& version, ElementId id) {
    return version.source.nameOf(id) == "field";
  }

  /// Ours has it, theirs has not.
  void decideMissing(const std::string& key, ElementId b, ElementId mine,
                     const std::set<std::string>& asTheirs, Plan& plan) {
    const std::string name = key.substr(0, key.find_first_of("\x1f\x1e\x1d"));
    if (b == noElement) {
      if (asTheirs.contains(name)) plan.removed.insert(mine);
      return;
    }
    if (b_.meaning(b) == o_.meaning(mine)) {
      ++taken;
      plan.removed.insert(mine);
      return;
    }
    conflict(placeOf(o_.source, mine), "One has removed it, the other has changed it.",
             {words(b_.source, b), b_.source.lineOf(b)}, changeSide(b_, b, o_, mine),
             {"not there", 0});
    if (theirsWins_) plan.removed.insert(mine);
  }

  /// Theirs has it, ours has not.
  void decideNew(ElementId b, ElementId other, Plan& plan) {
    if (b == noElement) {
      if (notTaken_.contains(other)) return;
      ++taken;
      plan.additions.insert(other);
      return;
    }
    if (b_.meaning(b) == t_.meaning(other)) return;
    conflict(placeOf(t_.source, other), "One has removed it, the other has changed it.",
             {words(b_.source, b), b_.source.lineOf(b)}, {"not there", 0},
             changeSide(b_, b, t_, other));
    if (theirsWins_) plan.additions.insert(other);
  }

  static bool isFieldKey(const std::string& key) { return key.starts_with("field\x1f"); }
  static std::string withoutNumber(const std::string& key) {
    return key.substr(0, key.find('\x1d'));
  }

  /// Rows that nothing tells apart in one of the versions are one unit, which is as a whole that of
  /// the side that has changed it: by key without number, true: it is to be as theirs.
  std::map<std::string, bool> decideUnits(const Keyed& base, const Keyed& ours,
                                          const Keyed& theirs) {
    std::map<std::string, std::array<std::vector<ElementId>, 3>> alike;
    std::size_t number = 0;
    for (const Keyed* rows : {&base, &ours, &theirs}) {
      for (const auto& [key, id] : rows->rows) alike[withoutNumber(key)][number].push_back(id);
      ++number;
    }
    std::map<std::string, bool> units;
    for (const auto& [key, rows] : alike) {
      const auto& [before, mine, other] = rows;
      // Of fields the order counts too, see mergesOrder().
      if (std::max({before.size(), mine.size(), other.size()}) < 2 || isFieldKey(key)) continue;
      const auto means = [](const Version& version, const std::vector<ElementId>& ids) {
        std::vector<int> list;
        for (const ElementId id : ids) list.push_back(version.meaning(id));
        return list;
      };
      const std::vector<int> b = means(b_, before);
      const std::vector<int> o = means(o_, mine);
      const std::vector<int> t = means(t_, other);
      bool asTheirs = false;
      if (o != t && b == o) {
        asTheirs = true;
        ++taken;
      } else if (o != t && b != t) {
        const auto side = [](const Version& v, const std::vector<ElementId>& ids) {
          if (ids.empty()) return MergeSide{"not there", 0};
          std::string text = words(v.source, ids.back());
          if (ids.size() > 1) text += ", " + std::to_string(ids.size()) + " times";
          return MergeSide{text, v.source.lineOf(ids.back())};
        };
        conflict(mine.empty() ? placeOf(t_.source, other.back()) : placeOf(o_.source, mine.back()),
                 "Both have changed it, and one of the versions has it more "
                 "than once.",
                 side(b_, before), side(o_, mine), side(t_, other));
        asTheirs = theirsWins_;
      }
      units.emplace(key, asTheirs);
    }
    return units;
  }

  /// Rows of one kind that both have removed, each adding others: whether these stand for the same
  /// cannot be told. Gives the kinds that are to be as theirs.
  std::set<std::string> findReplacements(const Keyed& base, const Keyed& ours, const Keyed& theirs,
                                         ElementId b, ElementId o, ElementId t,
                                         const std::map<std::string, bool>& units) {
    std::set<std::string> asTheirs;
    std::map<std::string, std::array<std::vector<ElementId>, 3>> kinds;
    const auto nameIn = [](const Version& v, ElementId id) {
      return std::string(v.source.nameOf(id));
    };
    for (const auto& [key, id] : base.rows) {
      if (units.contains(withoutNumber(key))) continue;
      if (ours.find(key) == noElement && theirs.find(key) == noElement) {
        kinds[nameIn(b_, id)][0].push_back(id);
      }
    }
    for (const auto& [key, id] : ours.rows) {
      if (units.contains(withoutNumber(key))) continue;
      if (base.find(key) == noElement && theirs.find(key) == noElement) {
        kinds[nameIn(o_, id)][1].push_back(id);
      }
    }
    for (const auto& [key, id] : theirs.rows) {
      if (units.contains(withoutNumber(key))) continue;
      if (base.find(key) == noElement && ours.find(key) == noElement) {
        kinds[nameIn(t_, id)][2].push_back(id);
      }
    }
    const auto side = [](const Version& v, const std::vector<ElementId>& ids) {
      std::string text;
      for (std::size_t i = 0; i < ids.size() && i < mostDescribed; ++i) {
        std::string word = words(v.source, ids[i]);
        if (!isNamedRow(v.source, ids[i])) {
          word += ' ' + omt::shortened(collapsed(v.source.rawText(ids[i])));
        }
        text += (text.empty() ? "" : "; ") + word;
      }
      return MergeSide{text, v.source.lineOf(ids.front())};
    };
    for (const auto& [name, ids] : kinds) {
      if (ids[0].empty() || ids[1].empty() || ids[2].empty()) continue;
      conflict(place(b, o, t), "Both have removed the same, and each has added something else.",
               side(b_, ids[0]), side(o_, ids[1]), side(t_, ids[2]));
      if (theirsWins_) {
        asTheirs.insert(name);
      } else {
        notTaken_.insert(ids[2].begin(), ids[2].end());
      }
    }
    return asTheirs;
  }

  /// The child of ours behind which elements of that name begin, by the schema.
  ElementId firstPlaceOf(std::string_view name, ElementId o, const Plan& plan) const {
    const std::string_view parent = o_.source.nameOf(o);
    const std::size_t rank = rankIn(parent, name);
    ElementId last = noElement;
    for (ElementId c = o_.source.at(o).firstChild; c != noElement; c = o_.source.at(c).next) {
      if (plan.removed.contains(c)) continue;
      if (rankIn(parent, o_.source.nameOf(c)) >= rank) break;
      last = c;
    }
    return last;
  }

  using Sequence = std::vector<std::string>;
  static Sequence fieldsOf(const Version& version, const Keyed& rows) {
    Sequence keys;
    for (const auto& [key, id] : rows.rows) {
      if (isField(version, id)) keys.push_back(key);
    }
    return keys;
  }

  /// Whether what both have in common stands in the same order.
  static bool isInOrder(const Sequence& some, const Sequence& all) {
    const auto common = [](const Sequence& keys, const Sequence& others) {
      const std::set<std::string> known(others.begin(), others.end());
      Sequence left;
      for (const std::string& key : keys) {
        if (known.contains(key)) left.push_back(key);
      }
      return left;
    };
    return common(all, some) == common(some, all);
  }

  /// The order of a record's fields is what its values look like on the wire. True: the fields are
  /// to be put into the order of theirs.
  bool mergesOrder(const Keyed& base, const Keyed& ours, const Keyed& theirs, ElementId b,
                   ElementId o, ElementId t, Plan& plan) {
    const Sequence was = fieldsOf(b_, base);
    const Sequence mine = fieldsOf(o_, ours);
    const Sequence other = fieldsOf(t_, theirs);
    if (other == was || other == mine) return false;
    if (mine == was) return !isInOrder(other, mine);
    const auto side = [](const Version& v, ElementId id, const Sequence& keys) {
      std::string text;
      for (const std::string& key : keys) {
        text += (text.empty() ? "" : ", ") + key.substr(key.find('\x1f') + 1);
      }
      return MergeSide{text, id == noElement ? 0 : v.source.lineOf(id)};
    };
    conflict(place(b, o, t) + ", fields",
             "Both have changed which fields there are, or their order.", side(b_, b, was),
             side(o_, o, mine), side(t_, t, other));
    if (theirsWins_) {
      for (const auto& [key, id] : ours.rows) {
        if (isField(o_, id) && theirs.find(key) == noElement) plan.removed.insert(id);
      }
      for (const auto& [key, id] : theirs.rows) {
        if (isField(t_, id) && ours.find(key) == noElement) plan.additions.insert(id);
      }
      return true;
    }
    std::erase_if(plan.removed, [&](ElementId id) { return isField(o_, id); });
    std::erase_if(plan.additions, [&](ElementId id) { return isField(t_, id); });
    return false;
  }

  /// Puts the fields of theirs, each merged with ours, into the places of ours.
  void reorderFields(const Keyed& base, const Keyed& ours, const Keyed& theirs, const Plan& plan,
                     Splices& into) {
    std::vector<ElementId> places;
    for (const auto& [key, id] : ours.rows) {
      if (isField(o_, id)) places.push_back(id);
    }
    const std::string newline = newlineOf(o_.source);
    const auto indent = places.empty() ? std::nullopt : indentOf(o_.source, places.front());
    std::vector<std::string> texts;
    for (const auto& [key, other] : theirs.rows) {
      if (!isField(t_, other)) continue;
      const ElementId mine = ours.find(key);
      if (mine == noElement) {
        if (plan.additions.contains(other))
          texts.push_back(copyOf(t_.source, other, o_.source, indent));
        continue;
      }
      Splices inner;
      mergeElement(base.find(key), mine, other, inner);
      const ByteRange range = o_.source.at(mine).whole;
      for (Splice& s : inner) s.at -= range.begin;
      arrange(inner, range.size());
      texts.push_back(spliced(o_.source.text(range), inner));
    }
    // A field that ours has changed and theirs has removed stays, where ours wins.
    for (const auto& [key, id] : ours.rows) {
      if (!isField(o_, id) || theirs.find(key) != noElement || plan.removed.contains(id)) continue;
      texts.emplace_back(o_.source.text(o_.source.at(id).whole));
    }
    ++taken;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const ByteRange range = o_.source.at(places[i]).whole;
      if (i >= texts.size()) {
        append(into, removeElement(o_.source, places[i]));
        continue;
      }
      std::string text = texts[i];
      for (std::size_t more = places.size(); i + 1 == places.size() && more < texts.size();
           ++more) {
        text += (indent ? newline + *indent : std::string()) + texts[more];
      }
      into.push_back({range.begin, range.size(), std::move(text)});
    }
  }

  const Version& b_;
  const Version& o_;
  const Version& t_;
  bool theirsWins_;
  std::set<ElementId> notTaken_;  ///< additions of theirs that stand against those of ours
};

/// An element with text beside its elements, which no object model has; noElement: there is none.
ElementId findMixed(const ModuleSource& source) {
  for (ElementId id = 0; id < source.elements().size(); ++id) {
    if (source.at(id).firstChild == noElement) continue;
    if (!collapsed(source.rawText(id)).empty()) return id;
  }
  return noElement;
}

/// Definitions and uses of names in a module.
struct Names {
  using Name = std::pair<std::string, std::string>;  ///< kind, name
  std::map<Name, int> defined;                       ///< with its line
  std::map<Name, int> used;
};

Names namesOf(const ModuleSource& source) {
  Names names;
  const auto uses = [&](const char* kind, ElementId id, std::string_view text) {
    std::string word = collapsed(text);
    if (!omt::meansNothing(word))
      names.used.try_emplace({kind, std::move(word)}, source.lineOf(id));
  };
  for (ElementId id = 1; id < source.elements().size(); ++id) {
    const std::string_view name = source.nameOf(id);
    const std::string_view parent = source.nameOf(source.at(id).parent);
    const bool row = isNamedRow(source, id);
    if (row && isKnownIn("dataTypes", parent)) {
      names.defined.try_emplace({"datatype", rowName(source, id)}, source.lineOf(id));
    } else if (row && (name == "dimension" || name == "transportation") &&
               isKnownIn("objectModel", parent)) {
      names.defined.try_emplace({std::string(name), rowName(source, id)}, source.lineOf(id));
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

/// Enumerators of each enumerated datatype that have one value: (datatype, value) and their names.
std::map<std::pair<std::string, std::string>, std::set<std::string>> sharedValues(
    const ModuleSource& source) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> found;
  for (ElementId id = 1; id < source.elements().size(); ++id) {
    if (source.nameOf(id) != "enumerator" || !isNamedRow(source, id)) continue;
    const auto value = cellOf(source, id, "value");
    if (!value || value->empty()) continue;
    found[{rowName(source, source.at(id).parent), *value}].insert(rowName(source, id));
  }
  std::erase_if(found, [](const auto& entry) { return entry.second.size() < 2; });
  return found;
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
      places.try_emplace(placeOf(source, id), id);
    }
  }
  return places;
}

/// Rows that both have moved, to different places.
void findMovesApart(const ModuleSource& base, const ModuleSource& ours, const ModuleSource& theirs,
                    std::vector<MergeConflict>& conflicts) {
  const auto before = placesOf(base);
  const auto mine = placesOf(ours);
  const auto other = placesOf(theirs);
  using Row = std::pair<std::string, std::string>;
  const auto rowOf = [](const ModuleSource& source, ElementId id) {
    return Row{source.nameOf(id), rowName(source, id)};
  };
  // What is new somewhere, by element and name.
  const auto newRows = [&](const ModuleSource& source, const auto& places) {
    std::map<Row, std::map<std::string, ElementId>> rows;
    for (const auto& [place, id] : places) {
      if (!before.contains(place)) rows[rowOf(source, id)].emplace(place, id);
    }
    return rows;
  };
  const auto newInOurs = newRows(ours, mine);
  const auto newInTheirs = newRows(theirs, other);
  for (const auto& [place, id] : before) {
    if (mine.contains(place) || other.contains(place)) continue;
    // Of what went with its class the class is told.
    const ElementId parent = base.at(id).parent;
    const std::string above = placeOf(base, parent);
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
    addConflict(conflicts, {place,
                            "Both have moved it, to different places.",
                            {place, base.lineOf(id)},
                            {to, ours.lineOf(mineId)},
                            {elsewhere, theirs.lineOf(otherId)}});
  }
}

void addOnce(std::vector<MergeConflict>& conflicts, MergeConflict conflict) {
  const bool known = std::any_of(conflicts.begin(), conflicts.end(), [&](const MergeConflict& c) {
    return c.place == conflict.place && c.reason == conflict.reason;
  });
  if (!known) addConflict(conflicts, std::move(conflict));
}

/// What contradicts itself in a result although it does in neither side.
void checkResult(const ModuleSource& result, const Version& base, const Version& ours,
                 const Version& theirs, std::vector<MergeConflict>& conflicts) {
  if (const ElementId id = findMixed(result); id != noElement) {
    addOnce(conflicts,
            {placeOf(result, id), "One has added text, the other elements.", {}, {}, {}});
  }
  const Names all = namesOf(result);
  const Names b = namesOf(base.source);
  const Names o = namesOf(ours.source);
  const Names t = namesOf(theirs.source);
  const auto side = [](const Names& names, const Names::Name& name) {
    const auto defined = names.defined.find(name);
    const auto used = names.used.find(name);
    if (defined != names.defined.end()) return MergeSide{"defined", defined->second};
    if (used != names.used.end()) return MergeSide{"used", used->second};
    return MergeSide{"not there", 0};
  };
  const auto dangles = [](const Names& names, const Names::Name& name) {
    return names.used.contains(name) && !names.defined.contains(name);
  };
  for (const auto& [name, line] : all.used) {
    if (all.defined.contains(name) || dangles(o, name) || dangles(t, name)) continue;
    if (!o.defined.contains(name) && !t.defined.contains(name)) continue;
    addOnce(conflicts, {name.first + ' ' + omt::shortened(name.second),
                        "One has removed it, the other uses it anew.", side(b, name), side(o, name),
                        side(t, name)});
  }
  const auto mine = sharedValues(ours.source);
  const auto other = sharedValues(theirs.source);
  for (const auto& [value, names] : sharedValues(result)) {
    if (mine.contains(value) || other.contains(value)) continue;
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + omt::shortened(name);
    addOnce(conflicts,
            {"datatype " + omt::shortened(value.first) + ", value " + omt::shortened(value.second),
             "Enumerators of both get the same value: " + list + '.',
             {"not there", 0},
             {"one of them", 0},
             {"one of them", 0}});
  }
}

void checkWithRti(const ModuleSource& result, const ModuleSource& ours, const ModuleSource& theirs,
                  std::vector<MergeConflict>& conflicts) {
  const std::string why = refusalOf(result.bytes());
  // A side that is refused already, for whatever is found first in it, says nothing of the merge.
  if (why.empty() || !refusalOf(ours.bytes()).empty() || !refusalOf(theirs.bytes()).empty()) return;
  addConflict(conflicts, {"the module", "The RTI refuses both together: " + why, {}, {}, {}});
}

/// `ours` with splices. Where its encoding lacks characters of theirs, the result is read again and
/// compared with what was planned.
tl::expected<ModuleSource, omt::Error> changed(const ModuleSource& ours, Splices splices,
                                               Meanings& meanings) {
  ModuleSource result = ours;
  if (const auto applied = result.apply(splices); !applied) {
    return tl::unexpected(applied.error());
  }
  arrange(splices, ours.text().size());
  const std::string planned = spliced(ours.text(), splices);
  if (planned == result.text()) return result;
  constexpr std::string_view utf8Mark = "\xEF\xBB\xBF";
  const auto plan = ModuleSource::parse(std::string(utf8Mark) + planned, ours.displayName());
  const auto written = ModuleSource::parse(result.bytes(), ours.displayName());
  if (!plan) return tl::unexpected(plan.error());
  if (!written) return tl::unexpected(written.error());
  if (meanings.of(*plan).front() == meanings.of(*written).front()) return result;
  omt::Error error;
  error.file = ours.displayName();
  error.line = 1;
  error.message = "Its encoding cannot say what the other version says.";
  error.hint = "Save it in UTF-8.";
  return tl::unexpected(error);
}

/// Comments within the first element, and where each stands first.
std::map<std::string, std::size_t> commentsOf(const ModuleSource& source) {
  std::map<std::string, std::size_t> comments;
  for (ElementId id = 0; id < source.elements().size(); ++id) {
    for (const SourceRun& run : source.runs(id)) {
      if (run.kind != SourceRun::Kind::Other) continue;
      comments.try_emplace(collapsed(source.text(run.range)), run.range.begin);
    }
  }
  return comments;
}

std::size_t beginOfLine(std::string_view text, std::size_t at) {
  const std::size_t end = at == 0 ? std::string_view::npos : text.find_last_of("\r\n", at - 1);
  return end == std::string_view::npos ? 0 : end + 1;
}

std::size_t beginOfNextLine(std::string_view text, std::size_t at) {
  at = text.find_first_of("\r\n", at);
  if (at == std::string_view::npos) return text.size();
  return at + (text.substr(at).starts_with("\r\n") ? 2 : 1);
}

/// Splices of `all`, which are arranged, in a range of lines, for that range alone.
Splices within(const Splices& all, ByteRange lines) {
  Splices some;
  auto s = std::lower_bound(all.begin(), all.end(), lines.begin,
                            [](const Splice& splice, std::size_t at) { return splice.at < at; });
  for (; s != all.end() && s->at < lines.end; ++s) {
    some.push_back({s->at - lines.begin, s->removed, s->inserted});
  }
  return some;
}

/// `text` with the splices that `mine` and `other` have in common, and with both results, between
/// the lines that git writes, where they differ.
std::string withMarkers(std::string_view text, const Splices& mine, const Splices& other,
                        const std::string& newline) {
  std::vector<ByteRange> regions;
  const auto addLines = [&](const Splice& s) {
    const std::size_t last = s.removed > 0 ? s.at + s.removed - 1 : s.at;
    regions.push_back({beginOfLine(text, s.at), beginOfNextLine(text, last)});
  };
  const auto addOthers = [&](const Splices& some, const Splices& all) {
    std::set<std::tuple<std::size_t, std::size_t, std::string_view>> known;
    for (const Splice& s : all) known.emplace(s.at, s.removed, s.inserted);
    for (const Splice& s : some) {
      if (!known.contains({s.at, s.removed, s.inserted})) addLines(s);
    }
  };
  addOthers(mine, other);
  addOthers(other, mine);
  // A splice that lies partly in a region takes the region along.
  const auto join = [&] {
    std::sort(regions.begin(), regions.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
    std::vector<ByteRange> joined;
    for (const ByteRange& r : regions) {
      if (!joined.empty() && r.begin < joined.back().end) {
        joined.back().end = std::max(joined.back().end, r.end);
      } else {
        joined.push_back(r);
      }
    }
    const bool same = joined == regions;
    regions = std::move(joined);
    return same;
  };
  join();
  for (bool grown = true; grown;) {
    grown = false;
    for (const Splices* all : {&mine, &other}) {
      for (const Splice& s : *all) {
        const std::size_t end = s.at + s.removed;
        // The first region that ends behind the splice's beginning; regions do not overlap.
        auto r = std::upper_bound(
            regions.begin(), regions.end(), s.at,
            [](std::size_t place, const ByteRange& region) { return place < region.end; });
        for (; r != regions.end() && (end > r->begin || s.at >= r->begin); ++r) {
          const std::size_t begin = std::min(r->begin, beginOfLine(text, s.at));
          const std::size_t last =
              std::max(r->end, s.removed > 0 ? beginOfNextLine(text, end - 1) : r->end);
          grown = grown || begin < r->begin || last > r->end;
          *r = {begin, last};
        }
      }
    }
    if (!join()) grown = true;
  }
  std::string result;
  std::size_t at = 0;
  const auto add = [&](ByteRange lines, const Splices& splices) {
    result += spliced(text.substr(lines.begin, lines.size()), within(splices, lines));
  };
  const auto endLine = [&] {
    if (!result.ends_with('\n') && !result.ends_with('\r')) result += newline;
  };
  for (const ByteRange& r : regions) {
    add({at, r.begin}, mine);
    result += "<<<<<<< ours" + newline;
    add(r, mine);
    endLine();
    result += "=======" + newline;
    add(r, other);
    endLine();
    result += ">>>>>>> theirs" + newline;
    at = r.end;
  }
  add({at, text.size() + 1}, mine);
  return result;
}

/// Text in which a comment can have all: "--" ends none.
std::string inComment(std::string text) {
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at)) {
    text.insert(at + 1, " ");
  }
  return text;
}

/// A comment on conflicts between the lines that git writes, so that the module is no XML until
/// somebody has looked at them.
std::string toldConflicts(std::span<const MergeConflict> conflicts, const std::string& newline) {
  std::string text =
      "<<<<<<< ours" + newline + "=======" + newline +
      "<!-- Conflicts that no two texts show. Correct the module, then delete this:" + newline;
  for (const MergeConflict& c : conflicts) {
    std::string line = c.place + ": " + c.reason;
    const std::array<std::pair<const char*, const MergeSide*>, 3> sides{
        {{" Base: ", &c.base}, {" Ours: ", &c.ours}, {" Theirs: ", &c.theirs}}};
    for (const auto& [word, side] : sides) {
      if (!side->text.empty()) line += word + side->text + '.';
    }
    text += inComment(collapsed(line)) + newline;
  }
  return text + "-->" + newline + ">>>>>>> theirs" + newline;
}

}  // namespace

tl::expected<ModuleMerge, omt::Error> mergeModules(const ModuleSource& base,
                                                   const ModuleSource& ours,
                                                   const ModuleSource& theirs) {
  ModuleMerge result;
  const std::string before = base.bytes();
  const std::string mine = ours.bytes();
  const std::string other = theirs.bytes();
  if (before == other || mine == other || before == mine) {
    result.bytes = before == mine ? other : mine;
    result.marked = result.bytes;
    result.taken = before == mine && mine != other ? 1 : 0;
    return result;
  }
  for (const ModuleSource* version : {&base, &ours, &theirs}) {
    omt::Error error;
    error.file = version->displayName();
    error.line = 1;
    if (const ElementId id = findMixed(*version); id != noElement) {
      error.line = version->lineOf(id);
      error.message = "Text stands beside the elements of <" + omt::shortened(version->nameOf(id)) +
                      ">, as in no object model.";
      error.hint = "Delete it.";
      return tl::unexpected(error);
    }
    if (version->isOf2000() != ours.isOf2000()) {
      error.message = "It is of another edition of IEEE 1516 than " + ours.displayName() + '.';
      error.hint = "Merge modules of one edition.";
      return tl::unexpected(error);
    }
    if (prefixOf(*version, 0) != prefixOf(ours, 0)) {
      error.message = "Its elements have another prefix than those of " + ours.displayName() + '.';
      error.hint = "Write them with the same prefix.";
      return tl::unexpected(error);
    }
  }
  Meanings meanings;
  const Version b{base, meanings.of(base)};
  const Version o{ours, meanings.of(ours)};
  const Version t{theirs, meanings.of(theirs)};
  Merger merger(b, o, t, false);
  merger.run();
  const auto made = changed(ours, merger.splices, meanings);
  if (!made) return tl::unexpected(made.error());
  const ModuleSource& merged = *made;
  result.bytes = merged.bytes();
  std::string marked(merged.text());
  std::size_t shown = 0;  // conflicts with both sides in `marked`
  result.conflicts = merger.conflicts;
  result.taken = merger.taken;
  findMovesApart(base, ours, theirs, result.conflicts);
  checkResult(merged, b, o, t, result.conflicts);
  if (!merger.conflicts.empty()) {
    Merger asTheirs(b, o, t, true);
    asTheirs.run();
    const auto theirResult = changed(ours, asTheirs.splices, meanings);
    if (!theirResult) return tl::unexpected(theirResult.error());
    checkResult(*theirResult, b, o, t, result.conflicts);
    arrange(merger.splices, ours.text().size());
    arrange(asTheirs.splices, ours.text().size());
    marked = withMarkers(ours.text(), merger.splices, asTheirs.splices, newlineOf(ours));
    if (marked != spliced(ours.text(), merger.splices)) shown = merger.conflicts.size();
  }
  if (result.conflicts.empty()) checkWithRti(merged, ours, theirs, result.conflicts);
  if (shown < result.conflicts.size()) {
    const std::string newline = newlineOf(ours);
    if (!marked.ends_with('\n') && !marked.ends_with('\r')) marked += newline;
    marked += toldConflicts(std::span(result.conflicts).subspan(shown), newline);
    result.toldAtEnd = static_cast<int>(result.conflicts.size() - shown);
  }
  result.marked = result.conflicts.empty() ? result.bytes : ours.bytesOf(marked);
  const auto commentsBefore = commentsOf(base);
  const auto commentsAfter = commentsOf(merged);
  for (const auto& [comment, at] : commentsOf(theirs)) {
    if (commentsBefore.contains(comment) || commentsAfter.contains(comment)) continue;
    result.commentsLeft.push_back(theirs.lineOf(at));
  }
  const std::string declared = collapsed(declarationOf(theirs));
  if (declared != collapsed(declarationOf(base)) && declared != collapsed(declarationOf(merged))) {
    result.commentsLeft.push_back(1);
  }
  std::sort(result.commentsLeft.begin(), result.commentsLeft.end());
  return result;
}

}  // namespace tutti::fomedit
