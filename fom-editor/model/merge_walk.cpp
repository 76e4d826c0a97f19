// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/merge_walk.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "fom-editor/model/element_order.h"
#include "fom-editor/model/module_edits.h"
#include "omt/text.h"

namespace tutti::fomedit {

using omt::collapsed;

namespace {

/// Changes that are listed.
constexpr std::size_t mostChanges = 1000;

MergeSide valueSide(const Version& version, ElementId id, const std::optional<std::string>& value) {
  return {value ? omt::shortened(*value) : "not there",
          id == noElement ? 0 : version.source.lineOf(id), id};
}

std::string shown(const std::optional<std::string>& value) {
  if (!value) return "not there";
  return value->empty() ? "empty" : omt::shortened(*value);
}

/// What stands before the first element, without the XML declaration: that is of the file's own
/// encoding.
ByteRange prologOf(const ModuleSource& source) {
  return {xmlDeclarationOf(source).size(), source.at(ModuleSource::root()).whole.begin};
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
  Merger(const Version& base, const Version& ours, const Version& theirs,
         const MergeChoices& choices, const RowDecisions& rows, MergeChoice open)
      : conflicts(choices), b_(base), o_(ours), t_(theirs), rows_(rows), open_(open) {}

  void run() {
    mergeOutside("before the first element", &prologOf);
    mergeElement(ModuleSource::root(), ModuleSource::root(), ModuleSource::root(), splices);
    mergeOutside("behind the last element", &epilogOf);
  }

  MergePlan result() {
    return {std::move(splices), std::move(conflicts), taken, std::move(changes)};
  }

 private:
  static void append(Splices& into, const Splices& more) {
    into.insert(into.end(), more.begin(), more.end());
  }

  /// What the result has at a conflict.
  MergeDecision decide(std::string place, std::string reason, MergeSide base, MergeSide ours,
                       MergeSide theirs, std::vector<MergeChoice> offered) {
    const auto chosen = conflicts.add({std::move(place), std::move(reason), std::move(base),
                                       std::move(ours), std::move(theirs), std::move(offered)});
    return chosen.value_or(MergeDecision{open_, {}});
  }

  static std::vector<MergeChoice> offers(bool hasBase, bool canEdit) {
    std::vector<MergeChoice> offered{MergeChoice::Ours, MergeChoice::Theirs};
    if (hasBase) offered.push_back(MergeChoice::Base);
    if (canEdit) offered.push_back(MergeChoice::Edited);
    return offered;
  }

  void took(const std::string& place, std::string text, int line) {
    ++taken;
    if (changes.size() < mostChanges) changes.push_back({place, std::move(text), line});
  }

  /// The place as that version names it that has it.
  std::string place(ElementId b, ElementId o, ElementId t) const {
    if (o != noElement) return mergePlace(o_.source, o);
    if (t != noElement) return mergePlace(t_.source, t);
    return mergePlace(b_.source, b);
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
    const Version* from = &t_;
    if (was != mine) {
      const auto side = [&](const Version& v, const std::string& text) {
        if (text.empty()) return MergeSide{"not there", 0};
        const ByteRange whole = rangeOf(v.source);
        const std::size_t blanks = v.source.text(whole).find_first_not_of(" \t\r\n");
        return MergeSide{omt::shortened(text), v.source.lineOf(whole.begin + blanks)};
      };
      const MergeChoice choice =
          decide(place, "Both have changed it, to different values.", side(b_, was), side(o_, mine),
                 side(t_, other), offers(true, false))
              .choice;
      if (choice == MergeChoice::Ours) return;
      if (choice == MergeChoice::Base) from = &b_;
    } else {
      took(place, "changed", 1);
    }
    // Lines that both have stay.
    const std::string_view before = o_.source.text(range);
    const std::string after = textOf(*from);
    const auto [x, y] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    const std::size_t alike = static_cast<std::size_t>(x - before.begin());
    const std::size_t lineEnd = before.substr(0, alike).rfind('\n');
    const std::size_t kept = lineEnd == std::string_view::npos ? 0 : lineEnd + 1;
    splices.push_back({range.begin + kept, before.size() - kept, after.substr(kept)});
  }

  /// `b` may be noElement: both have added it.
  void mergeElement(ElementId b, ElementId o, ElementId t, Splices& into) {
    if (o_.meaning(o) == t_.meaning(t)) return;
    const bool asBefore = b != noElement && b_.meaning(b) == t_.meaning(t);
    if (asBefore && !holds(t_, t, rows_.takeTheirs) && !holds(o_, o, rows_.dropOurs)) return;
    mergeAttributes(b, o, t, into);
    mergeText(b, o, t, into);
    mergeChildren(b, o, t, into);
  }

  /// Whether an element is one of these rows of its version, or has one of them within.
  static bool holds(const Version& version, ElementId element, const std::set<ElementId>& rows) {
    const ByteRange whole = version.source.at(element).whole;
    return std::any_of(rows.begin(), rows.end(), [&](ElementId id) {
      const std::size_t at = version.source.at(id).whole.begin;
      return at >= whole.begin && at < whole.end;
    });
  }

  /// Removes from a table all but these rows.
  static Splices reduction(const Version& version, ElementId table,
                           const std::set<ElementId>& rows) {
    Splices edits;
    for (const ElementId c : version.source.children(table)) {
      if (rows.contains(c)) continue;
      append(edits, holds(version, c, rows) ? reduction(version, c, rows)
                                            : removeElement(version.source, c));
    }
    return edits;
  }

  using SharedSource = std::shared_ptr<const ModuleSource>;
  /// A version in which something within one element is other; ids up to that element stay.
  static SharedSource changedCopy(const Version& version, const Splices& edits) {
    auto copy = std::make_shared<ModuleSource>(version.source);
    // Whole elements come and go. A copy that would be too large stays whole.
    static_cast<void>(copy->apply(edits));
    return copy;
  }

  /// Puts these rows of the same table of another version into a table of base.
  Splices grafts(ElementId table, const Version& from, ElementId fromTable,
                 const std::set<ElementId>& rows) const {
    Splices edits;
    std::vector<Addition> additions;
    const std::vector<ElementId> known = b_.source.children(table);
    for (const ElementId c : from.source.children(fromTable)) {
      if (!holds(from, c, rows)) continue;
      const auto same = std::find_if(known.begin(), known.end(), [&](ElementId id) {
        return b_.source.nameOf(id) == from.source.nameOf(c) &&
               (!isNamedRow(b_.source, id) || rowName(b_.source, id) == rowName(from.source, c));
      });
      if (same == known.end()) {
        const SharedSource copy =
            changedCopy(from, rows.contains(c) ? Splices{} : reduction(from, c, rows));
        additions.push_back({known.empty() ? noElement : known.back(),
                             std::string(from.source.nameOf(c)), false,
                             [this, copy, c](const std::optional<std::string>& indent) {
                               return copyOf(*copy, c, b_.source, indent);
                             }});
      } else if (rows.contains(c)) {
        const ByteRange range = b_.source.at(*same).whole;
        edits.push_back({range.begin, range.size(),
                         copyOf(from.source, c, b_.source, indentOf(b_.source, *same))});
      } else {
        append(edits, grafts(*same, from, c, rows));
      }
    }
    append(edits, addChildren(b_.source, table, additions));
    return edits;
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
      const Version* from = &t_;
      ElementId id = t;
      if (was != mine) {
        const MergeDecision decision =
            decide(place(b, o, t) + ", " + name, reasonOf(was, mine, other), valueSide(b_, b, was),
                   valueSide(o_, o, mine), valueSide(t_, t, other), offers(was.has_value(), true));
        if (decision.choice == MergeChoice::Ours) continue;
        if (decision.choice == MergeChoice::Edited) {
          append(into, setAttribute(o_.source, o, mine ? localName(name) : name, decision.text));
          continue;
        }
        if (decision.choice == MergeChoice::Base) {
          from = &b_;
          id = b;
        }
      } else {
        took(place(b, o, t) + ", " + name, shown(was) + " -> " + shown(other), t_.source.lineOf(t));
      }
      const auto a = attributeNamed(from->source, id, name);
      if (!a) {
        append(into, removeAttribute(o_.source, o, localName(name)));
        continue;
      }
      append(into, setAttribute(o_.source, o, mine ? localName(name) : name,
                                from->source.resolved(a->value)));
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
    const Version* from = &t_;
    ElementId id = t;
    if (was != mine) {
      const bool hasValue = b != noElement && b_.source.at(b).firstChild == noElement;
      const bool canEdit = t_.source.at(t).firstChild == noElement;
      const MergeDecision decision =
          decide(place(b, o, t), reasonOf(was, mine, other), valueSide(b_, b, was),
                 valueSide(o_, o, mine), valueSide(t_, t, other), offers(hasValue, canEdit));
      if (decision.choice == MergeChoice::Ours) return;
      if (decision.choice == MergeChoice::Edited) {
        append(into, replaceContent(o_.source, o, escapedText(decision.text)));
        return;
      }
      if (decision.choice == MergeChoice::Base) {
        from = &b_;
        id = b;
      }
    } else {
      took(place(b, o, t), shown(was) + " -> " + shown(other), t_.source.lineOf(t));
    }
    // Where theirs has elements in the place of the text, these are added with the other children.
    if (from->source.at(id).firstChild != noElement) {
      append(into, replaceContent(o_.source, o, {}));
      return;
    }
    std::string_view content = from->source.text(from->source.at(id).content);
    while (!content.empty() && omt::isBlank(content.front())) content.remove_prefix(1);
    while (!content.empty() && omt::isBlank(content.back())) content.remove_suffix(1);
    append(into, replaceContent(o_.source, o, std::string(content)));
  }

  /// What becomes of children while their parent is merged.
  struct Plan {
    std::set<ElementId> removed;             ///< of ours
    std::set<ElementId> additions;           ///< of theirs
    std::map<ElementId, ElementId> asBase;   ///< rows of ours that become those of base
    std::map<ElementId, ElementId> addBase;  ///< additions that are as base has them
    Splices reduced;                         ///< of tables of ours that stay for chosen rows
    std::map<ElementId, SharedSource>
        reducedTheirs;                          ///< tables of additions, with chosen rows only
    std::map<ElementId, SharedSource> grafted;  ///< tables of base, with chosen rows of a side
    std::vector<ElementId> restored;            ///< of base, that neither has
    std::set<ElementId> oursDecided;            ///< rows of ours with a conflict of their own
    std::set<ElementId> theirsDecided;          ///< the same of theirs
    bool orderIsChosen = false;                 ///< fields are in the order of theirs by choice
  };

  void mergeChildren(ElementId b, ElementId o, ElementId t, Splices& into) {
    const auto [base, ours, theirs] = keyed({&b_, &o_, &t_}, {b, o, t});
    Plan plan;
    const std::map<std::string, bool> units = decideUnits(base, ours, theirs);
    const std::set<std::string> asTheirs =
        findReplacements(base, ours, theirs, b, o, t, units, plan);
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
    append(into, plan.reduced);
    for (const auto& [mine, was] : plan.asBase) {
      const ByteRange range = o_.source.at(mine).whole;
      const auto grafted = plan.grafted.find(was);
      const ModuleSource& from = grafted == plan.grafted.end() ? b_.source : *grafted->second;
      into.push_back(
          {range.begin, range.size(), copyOf(from, was, o_.source, indentOf(o_.source, mine))});
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
      const auto was = plan.addBase.find(id);
      additions.push_back(was == plan.addBase.end()
                              ? addition(t_, id, after, plan.reducedTheirs)
                              : addition(b_, was->second, after, plan.grafted));
    }
    for (const ElementId was : plan.restored) {
      additions.push_back(
          addition(b_, was, firstPlaceOf(b_.source.nameOf(was), o, plan), plan.grafted));
    }
    append(into, addChildren(o_.source, o, additions));
  }

  /// A copy of a row of that version, or of a changed copy of the version, to stand in ours.
  Addition addition(const Version& from, ElementId id, ElementId after,
                    const std::map<ElementId, SharedSource>& changedCopies) const {
    const auto it = changedCopies.find(id);
    const SharedSource changed = it == changedCopies.end() ? nullptr : it->second;
    return {after, std::string(from.source.nameOf(id)), from.source.at(id).firstChild == noElement,
            [this, &from, id, changed](const std::optional<std::string>& indent) {
              return copyOf(changed ? *changed : from.source, id, o_.source, indent);
            }};
  }

  static bool isField(const Version& version, ElementId id) {
    return version.source.nameOf(id) == "field";
  }

  /// Ours has it, theirs has not.
  void decideMissing(const std::string& key, ElementId b, ElementId mine,
                     const std::set<std::string>& asTheirs, Plan& plan) {
    const std::string name = key.substr(0, key.find_first_of("\x1f\x1e\x1d"));
    const bool kept = rows_.keepOurs.contains(mine);
    if (b == noElement) {
      const bool goes = asTheirs.contains(name) || rows_.dropOurs.contains(mine);
      if (goes && !kept) removeOurs(mine, plan);
      return;
    }
    if (b_.meaning(b) == o_.meaning(mine)) {
      if (kept) return;
      took(mergePlace(o_.source, mine), "removed", 0);
      removeOurs(mine, plan);
      return;
    }
    const MergeChoice choice =
        decide(mergePlace(o_.source, mine), "One has removed it, the other has changed it.",
               {mergeWords(b_.source, b), b_.source.lineOf(b), b}, changeSide(b_, b, o_, mine),
               {"not there", 0}, offers(!isField(o_, mine), false))
            .choice;
    plan.oursDecided.insert(mine);
    if (kept || choice == MergeChoice::Ours) return;
    if (choice == MergeChoice::Base) {
      plan.asBase.emplace(mine, b);
      if (holds(o_, mine, rows_.keepOurs)) {
        plan.grafted.emplace(b, changedCopy(b_, grafts(b, o_, mine, rows_.keepOurs)));
      }
    } else {
      removeOurs(mine, plan);
    }
  }

  /// Removes what ours has. A table stays for rows that stay by choice.
  void removeOurs(ElementId mine, Plan& plan) {
    if (holds(o_, mine, rows_.keepOurs)) {
      append(plan.reduced, reduction(o_, mine, rows_.keepOurs));
    } else {
      plan.removed.insert(mine);
    }
  }

  /// Theirs has it, ours has not.
  void decideNew(ElementId b, ElementId other, Plan& plan) {
    const bool isBack = rows_.takeTheirs.contains(other);
    if (b == noElement) {
      const bool stays = notTaken_.contains(other) || rows_.leaveTheirs.contains(other);
      if (stays && !isBack) return;
      took(mergePlace(t_.source, other), "added", t_.source.lineOf(other));
      plan.additions.insert(other);
      return;
    }
    const bool holdsBack = !isBack && holds(t_, other, rows_.takeTheirs);
    // A table comes back with the rows that come back by choice.
    const auto addReduced = [&] {
      plan.additions.insert(other);
      plan.reducedTheirs.emplace(other, changedCopy(t_, reduction(t_, other, rows_.takeTheirs)));
    };
    if (b_.meaning(b) == t_.meaning(other)) {
      if (isBack) plan.additions.insert(other);
      if (holdsBack) addReduced();
      return;
    }
    const MergeChoice choice =
        decide(mergePlace(t_.source, other), "One has removed it, the other has changed it.",
               {mergeWords(b_.source, b), b_.source.lineOf(b), b}, {"not there", 0},
               changeSide(b_, b, t_, other), offers(!isField(t_, other), false))
            .choice;
    plan.theirsDecided.insert(other);
    if (!isBack && choice == MergeChoice::Ours) {
      if (holdsBack) addReduced();
      return;
    }
    plan.additions.insert(other);
    if (isBack || choice != MergeChoice::Base) return;
    plan.addBase.emplace(other, b);
    if (holdsBack) {
      plan.grafted.emplace(b, changedCopy(b_, grafts(b, t_, other, rows_.takeTheirs)));
    }
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
        took(other.empty() ? mergePlace(o_.source, mine.back())
                           : mergePlace(t_.source, other.back()),
             "changed", other.empty() ? 0 : t_.source.lineOf(other.back()));
      } else if (o != t && b != t) {
        const auto side = [](const Version& v, const std::vector<ElementId>& ids) {
          if (ids.empty()) return MergeSide{"not there", 0};
          std::string text = mergeWords(v.source, ids.back());
          if (ids.size() > 1) text += ", " + std::to_string(ids.size()) + " times";
          return MergeSide{text, v.source.lineOf(ids.back()), ids.back()};
        };
        const std::string where =
            mine.empty() ? mergePlace(t_.source, other.back()) : mergePlace(o_.source, mine.back());
        asTheirs =
            decide(where, "Both have changed it, and one of the versions has it more than once.",
                   side(b_, before), side(o_, mine), side(t_, other), offers(false, false))
                .choice == MergeChoice::Theirs;
      }
      units.emplace(key, asTheirs);
    }
    return units;
  }

  /// Rows of one kind that both have removed, each adding others: whether these stand for the same
  /// cannot be told. Gives the kinds that are to be as theirs.
  std::set<std::string> findReplacements(const Keyed& base, const Keyed& ours, const Keyed& theirs,
                                         ElementId b, ElementId o, ElementId t,
                                         const std::map<std::string, bool>& units, Plan& plan) {
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
        std::string word = mergeWords(v.source, ids[i]);
        if (!isNamedRow(v.source, ids[i])) {
          word += ' ' + omt::shortened(collapsed(v.source.rawText(ids[i])));
        }
        text += (text.empty() ? "" : "; ") + word;
      }
      return MergeSide{text, v.source.lineOf(ids.front()), ids.front()};
    };
    for (const auto& [name, ids] : kinds) {
      if (ids[0].empty() || ids[1].empty() || ids[2].empty()) continue;
      // Of fields the order tells all, see mergesOrder().
      if (name == "field") continue;
      const MergeChoice choice =
          decide(place(b, o, t), "Both have removed the same, and each has added something else.",
                 side(b_, ids[0]), side(o_, ids[1]), side(t_, ids[2]),
                 {MergeChoice::Ours, MergeChoice::Theirs, MergeChoice::Base, MergeChoice::Both})
              .choice;
      const bool isBase = choice == MergeChoice::Base;
      if (isBase || choice == MergeChoice::Theirs) asTheirs.insert(name);
      if (isBase || choice == MergeChoice::Ours) notTaken_.insert(ids[2].begin(), ids[2].end());
      if (isBase) plan.restored.insert(plan.restored.end(), ids[0].begin(), ids[0].end());
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
      return MergeSide{text, id == noElement ? 0 : v.source.lineOf(id), id};
    };
    const MergeChoice choice = decide(place(b, o, t) + ", fields",
                                      "Both have changed which fields there are, or their order.",
                                      side(b_, b, was), side(o_, o, mine), side(t_, t, other),
                                      {MergeChoice::Ours, MergeChoice::Theirs, MergeChoice::Both})
                                   .choice;
    // A field with a conflict of its own is decided there.
    if (choice == MergeChoice::Theirs) {
      for (const auto& [key, id] : ours.rows) {
        if (isField(o_, id) && theirs.find(key) == noElement && !plan.oursDecided.contains(id)) {
          plan.removed.insert(id);
        }
      }
      for (const auto& [key, id] : theirs.rows) {
        if (isField(t_, id) && ours.find(key) == noElement && !plan.theirsDecided.contains(id)) {
          plan.additions.insert(id);
        }
      }
      plan.orderIsChosen = true;
      // Without fields of ours there is nothing to put into another order.
      return !mine.empty();
    }
    if (choice == MergeChoice::Both) return false;
    std::erase_if(plan.removed,
                  [&](ElementId id) { return isField(o_, id) && !plan.oursDecided.contains(id); });
    std::erase_if(plan.additions, [&](ElementId id) {
      return isField(t_, id) && !plan.theirsDecided.contains(id);
    });
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
    if (!plan.orderIsChosen) {
      const ElementId record = o_.source.at(places.front()).parent;
      took(mergePlace(o_.source, record) + ", fields", "in another order",
           t_.source.lineOf(theirs.rows.front().second));
    }
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

  Splices splices;
  MergeConflicts conflicts;
  int taken = 0;
  std::vector<MergeChange> changes;
  const Version& b_;
  const Version& o_;
  const Version& t_;
  const RowDecisions& rows_;
  MergeChoice open_;              ///< what is taken where nothing was chosen
  std::set<ElementId> notTaken_;  ///< additions of theirs that stand against those of ours
};

}  // namespace

std::string_view xmlDeclarationOf(const ModuleSource& source) {
  const std::string_view text = source.text();
  constexpr std::string_view mark = "?>";
  const bool there = text.starts_with("<?xml") && text.size() > 5 && omt::isBlank(text[5]);
  return there ? text.substr(0, text.find(mark) + mark.size()) : std::string_view();
}

MergePlan planMerge(const Version& base, const Version& ours, const Version& theirs,
                    const MergeChoices& choices, const RowDecisions& rows, MergeChoice open) {
  Merger merger(base, ours, theirs, choices, rows, open);
  merger.run();
  return merger.result();
}

}  // namespace tutti::fomedit
