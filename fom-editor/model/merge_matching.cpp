// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/merge_matching.h"

#include <algorithm>
#include <optional>
#include <set>

#include "fom-editor/model/element_order.h"
#include "fom-editor/model/module_edits.h"
#include "omt/text.h"

namespace tutti::fomedit {

using omt::collapsed;

namespace {

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

}  // namespace

std::vector<int> Meanings::of(const ModuleSource& source) {
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

bool isNamedRow(const ModuleSource& source, ElementId id) {
  const std::string_view name = source.nameOf(id);
  if (name == "modelIdentification" || name == "objectModel") return false;
  const bool named = isKnownIn(name, "name") || isKnownIn(name, "label");
  if (!named) return false;
  // A dimension of a class or attribute is a name only.
  return source.at(id).firstChild != noElement || !source.attributes(id).empty();
}

std::string mergeWords(const ModuleSource& source, ElementId id) {
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

std::string mergePlace(const ModuleSource& source, ElementId id) {
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
    place += (place.empty() ? "" : ", ") + mergeWords(source, path[i]);
  }
  return place.empty() ? "the module" : place;
}

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

namespace {

/// The first changes from one version of an element to another, for a message.
void describeChanges(const Version& before, ElementId a, const Version& after, ElementId b,
                     std::vector<std::string>& into) {
  if (into.size() > mostDescribed || before.meaning(a) == after.meaning(b)) return;
  const auto name = [&](const ModuleSource& s, ElementId id) { return mergeWords(s, id); };
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

}  // namespace

MergeSide changeSide(const Version& base, ElementId a, const Version& version, ElementId b) {
  if (b == noElement) return {"not there", 0};
  const int line = version.source.lineOf(b);
  if (a == noElement) return {mergeWords(version.source, b), line, b};
  if (base.meaning(a) == version.meaning(b)) return {"as before", line, b};
  std::vector<std::string> changes;
  describeChanges(base, a, version, b, changes);
  const bool more = changes.size() > mostDescribed;
  if (more) changes.resize(mostDescribed);
  std::string text;
  for (const std::string& change : changes) text += (text.empty() ? "" : "; ") + change;
  if (more) text += "; and more";
  return {text.empty() ? "another order" : text, line, b};
}

}  // namespace tutti::fomedit
