// SPDX-License-Identifier: Apache-2.0
#include "omt/hla13_writing.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "omt/text.h"
#include "omt/written_names.h"

namespace tutti::omt {

namespace {

constexpr std::string_view privilege = "HLAprivilegeToDeleteObject";
/// Of a routing space, as readers take it.
constexpr std::size_t maxSpaceDimensions = 100;
constexpr std::uint32_t spaceBound = 4294967295U;
constexpr std::string_view spaceDefault = "[0..4294967295)";

const std::vector<Attribute>& membersOf(const ModuleObjectClass& c) { return c.attributes; }
const std::vector<Parameter>& membersOf(const ModuleInteractionClass& c) { return c.parameters; }

/// What stands where a routing space may, and is none.
bool isDeliveryWord(std::string_view name) {
  static constexpr std::array<std::string_view, 6> words{"reliable", "best_effort", "timestamp",
                                                         "receive",  reliableName,  bestEffortName};
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return sameIgnoringCase(word, name); }) ||
         meansNothing(name);
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string keyOf(const std::vector<std::string>& names) {
  std::string key;
  for (const std::string& name : sorted(names)) (key += name) += '\n';
  return key;
}

/// Where the names that all of them begin with may end: places of '_', the last first.
std::vector<std::size_t> prefixEnds(const std::vector<std::string>& names) {
  const std::string& first = names.front();
  std::size_t same = first.size();
  for (const std::string& name : names) {
    const auto differs = std::mismatch(first.begin(), first.begin() + static_cast<long>(same),
                                       name.begin(), name.end());
    same = static_cast<std::size_t>(differs.first - first.begin());
  }
  std::vector<std::size_t> ends;
  for (std::size_t at = same; at-- > 1;) {
    const bool leavesNames =
        first[at] == '_' && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
          return name.size() > at + 1 && name[at + 1] != ' ' && name[at - 1] != ' ';
        });
    if (leavesNames) ends.push_back(at);
  }
  return ends;
}

}  // namespace

Hla13Writing::Hla13Writing(const Module& module, bool allowsQuotes, LossReport& report)
    : module_(module), allowsQuotes_(allowsQuotes), report_(report) {
  objects_ = joinedRoot(module.objectClasses, report);
  objects_.name = "ObjectRoot";
  adoptObjects(objects_, 1);
  interactions_ = joinedRoot(module.interactionClasses, report);
  interactions_.name = "InteractionRoot";
  adoptInteractions(interactions_, 1);
  if (!interactions_.dimensions.empty()) {
    report_.lost("Dimensions of the root of interactions", "left out", interactions_.name,
                 interactions_.line);
    interactions_.dimensions.clear();
  }
  for (const Dimension& d : module.dimensions) dimensions_.emplace(d.name, &d);
  planSpaces();
}

std::string Hla13Writing::name(const std::string& name, int line) {
  if (allowsQuotes_ || name.find('"') == std::string::npos) return name;
  std::string other = name;
  std::replace(other.begin(), other.end(), '"', '\'');
  report_.guessed("Names with quotation marks", "names with apostrophes", name, line);
  return other;
}

template <typename Class>
void Hla13Writing::adoptBelow(std::vector<Class>& below, int depth) {
  if (depth > 1) return;
  std::erase_if(below, [&](const Class& c) {
    // Of a file that was made of one of HLA 1.3.
    if (sameIgnoringCase(c.name, "RTIprivate") && c.subclasses.empty() && membersOf(c).empty()) {
      report_.guessed("An empty class RTIprivate", "the one that HLA 1.3 has", c.name, c.line);
      return true;
    }
    if (c.name != "HLAmanager") return false;
    report_.lost("The MOM of IEEE 1516", "left out: HLA 1.3 has one of its own", c.name, c.line);
    return true;
  });
  for (Class& c : below) {
    if (!sameIgnoringCase(c.name, "Manager") && !sameIgnoringCase(c.name, "RTIprivate")) continue;
    report_.guessed("Classes with names that HLA 1.3 keeps for itself", "named with _ behind it",
                    c.name, c.line);
    c.name += '_';
  }
}

void Hla13Writing::adoptObjects(ModuleObjectClass& c, int depth) {
  if (depth > 1) {
    c.name = name(c.name, c.line);
    if (c.isScaffolding()) {
      report_.guessed("Classes that are only named, for another module to define",
                      "defined: the edition has no modules", c.name, c.line);
    }
  }
  for (Attribute& a : c.attributes) {
    if (a.name == privilege) {
      a.name = "privilegeToDelete";
    } else if (sameIgnoringCase(a.name, "privilegeToDelete")) {
      report_.guessed("Attributes with names that HLA 1.3 keeps for itself",
                      "named with _ behind it", memberName(c.name, a.name), a.where.line);
      a.name += '_';
    } else {
      a.name = name(a.name, a.where.line);
    }
  }
  adoptBelow(c.subclasses, depth);
  for (ModuleObjectClass& below : c.subclasses) adoptObjects(below, depth + 1);
}

void Hla13Writing::adoptInteractions(ModuleInteractionClass& c, int depth) {
  if (depth > 1) {
    c.name = name(c.name, c.line);
    if (c.isScaffolding()) {
      report_.guessed("Classes that are only named, for another module to define",
                      "defined: the edition has no modules", c.name, c.line);
    }
  }
  for (Parameter& p : c.parameters) p.name = name(p.name, p.where.line);
  adoptBelow(c.subclasses, depth);
  for (ModuleInteractionClass& below : c.subclasses) adoptInteractions(below, depth + 1);
}

std::string_view Hla13Writing::transportation(const std::string& name, const std::string& of,
                                              int line) {
  if (name.empty() || name == reliableName) return "reliable";
  if (name == bestEffortName) return "best_effort";
  const auto own = std::find_if(module_.transportations.begin(), module_.transportations.end(),
                                [&](const Transportation& t) { return t.name == name; });
  const bool reliable = own == module_.transportations.end() || own->reliable;
  report_.guessed("Transportation types besides the two of the standard", "reliable or best_effort",
                  of + ": " + name, line);
  return reliable ? "reliable" : "best_effort";
}

void Hla13Writing::gather(const std::vector<std::string>& dimensions) {
  if (dimensions.empty()) return;
  if (spaceOfSet_.try_emplace(keyOf(dimensions)).second) sets_.push_back(sorted(dimensions));
}

void Hla13Writing::gatherObjects(const ModuleObjectClass& c) {
  for (const Attribute& a : c.attributes) gather(a.dimensions);
  for (const ModuleObjectClass& below : c.subclasses) gatherObjects(below);
}

void Hla13Writing::gatherInteractions(const ModuleInteractionClass& c) {
  gather(c.dimensions);
  for (const ModuleInteractionClass& below : c.subclasses) gatherInteractions(below);
}

const Dimension* Hla13Writing::find(const std::string& name) const {
  const auto found = dimensions_.find(name);
  return found == dimensions_.end() ? nullptr : found->second;
}

void Hla13Writing::planSpaces() {
  gatherObjects(objects_);
  gatherInteractions(interactions_);
  // As the file lists its dimensions, so that a file of HLA 1.3 keeps its order.
  std::unordered_map<std::string_view, std::size_t> places;
  for (const Dimension& d : module_.dimensions) places.emplace(d.name, places.size());
  const auto placeOf = [&](const std::string& name) {
    const auto found = places.find(name);
    return found == places.end() ? places.size() : found->second;
  };
  const auto earlier = [&](const std::string& a, const std::string& b) {
    return placeOf(a) < placeOf(b);
  };
  // What no row has belongs together by its names.
  std::unordered_set<std::string> used;
  for (const auto& set : sets_) used.insert(set.begin(), set.end());
  std::unordered_map<std::string, std::size_t> byPrefix;
  for (const Dimension& d : module_.dimensions) {
    if (used.contains(d.name)) continue;
    const std::size_t end = d.name.rfind('_');
    const std::string prefix = end == std::string::npos ? d.name : d.name.substr(0, end + 1);
    const auto [group, isNew] = byPrefix.try_emplace(prefix, sets_.size());
    if (isNew) sets_.emplace_back();
    sets_[group->second].push_back(d.name);
  }
  for (auto& set : sets_) std::stable_sort(set.begin(), set.end(), earlier);
  std::stable_sort(sets_.begin(), sets_.end(),
                   [&](const auto& a, const auto& b) { return earlier(a.front(), b.front()); });
  for (const auto& set : sets_) placeSet(set);
  for (const Dimension& d : module_.dimensions) {
    if (!d.dataType.empty() || !d.normalization.empty()) {
      report_.lost("Datatypes and normalization of dimensions", "left out", d.name, d.where.line);
    }
    if (d.upperBound != spaceBound || (d.defaultValue != spaceDefault)) {
      report_.lost("Upper bounds and defaults of dimensions",
                   "left out: a routing space has the bounds that its RTI gives", d.name,
                   d.where.line);
    }
  }
}

bool Hla13Writing::isFree(const std::string& space,
                          const std::vector<std::string>& dimensions) const {
  if (space.empty() || takenSpaces_.contains(space) || isDeliveryWord(space)) return false;
  std::unordered_set<std::string_view> own;
  return std::none_of(dimensions.begin(), dimensions.end(), [&](const std::string& d) {
    return !own.insert(d).second || takenDimensions_.contains(space + '_' + d);
  });
}

void Hla13Writing::addSpace(std::string space, std::vector<std::string> dimensions) {
  takenSpaces_.insert(space);
  for (const std::string& d : dimensions) takenDimensions_.insert(space + '_' + d);
  spaces_.push_back({std::move(space), std::move(dimensions)});
}

void Hla13Writing::placeSet(const std::vector<std::string>& names) {
  const int line = find(names.front()) != nullptr ? find(names.front())->where.line : 0;
  if (names.size() > maxSpaceDimensions) {
    report_.lost("Sets of more than 100 dimensions", "left out", names.front(), line);
    return;
  }
  std::vector<std::string> plain;
  for (const std::string& one : names) plain.push_back(name(one, line));
  for (const std::size_t end : prefixEnds(plain)) {
    std::vector<std::string> dimensions;
    for (const std::string& one : plain) dimensions.push_back(one.substr(end + 1));
    const std::string space = plain.front().substr(0, end);
    if (!isFree(space, dimensions)) continue;
    addSpace(space, std::move(dimensions));
    spaceOfSet_[keyOf(names)] = space;
    placed_.insert(names.begin(), names.end());
    return;
  }
  std::string base;
  for (const std::string& one : plain) base += (base.empty() ? "" : "_") + one;
  constexpr std::size_t longest = 200;
  if (base.size() > longest) base = "Space";
  // What stands behind the last '_' is the dimension, also when the file is read and written again.
  std::unordered_set<std::string> own;
  for (std::string& one : plain) {
    std::replace(one.begin(), one.end(), '_', '-');
    const std::string first = one;
    for (int number = 2; !own.insert(one).second; ++number) one = first + std::to_string(number);
  }
  std::string space = base;
  for (int number = 2; !isFree(space, plain); ++number) space = base + std::to_string(number);
  for (const std::string& one : names) {
    const Dimension* d = find(one);
    const bool again = !placed_.insert(one).second;
    report_.guessed(again ? "Dimensions that rows with other dimensions have, too"
                          : "Dimensions that belong to no routing space",
                    again ? "dimensions of several routing spaces: regions of one do not overlap "
                            "with those of another"
                          : "dimensions of a routing space",
                    one + " in " + space, d != nullptr ? d->where.line : 0);
  }
  spaceOfSet_[keyOf(names)] = space;
  addSpace(std::move(space), std::move(plain));
}

std::string Hla13Writing::spaceOf(const std::vector<std::string>& dimensions) const {
  if (dimensions.empty()) return {};
  const auto found = spaceOfSet_.find(keyOf(dimensions));
  return found == spaceOfSet_.end() ? std::string() : found->second;
}

void Hla13Writing::reportTables() {
  const auto lost = [&](std::string_view what, const std::string& of, int line) {
    report_.lost(what, "left out", of, line);
  };
  for (const Transportation& t : module_.transportations) {
    const bool standard =
        (t.name == reliableName && t.reliable) || (t.name == bestEffortName && !t.reliable);
    if (!standard) lost("Transportation types of their own", t.name, t.where.line);
    if (standard && !t.semantics.empty()) {
      lost("Semantics of transportation types", t.name, t.where.line);
    }
  }
  for (const UpdateRate& u : module_.updateRates) lost("Update rates", u.name, u.where.line);
  for (const SynchronizationPoint& p : module_.synchronizationPoints) {
    lost("Synchronization points", p.label, p.where.line);
  }
  if (module_.switches) lost("Switches", {}, module_.switches->line);
  const UserTags& tags = module_.userTags;
  const std::array<std::pair<std::string_view, const TypeUse*>, 9> uses{
      {{"updateReflectTag", &tags.updateReflect},
       {"sendReceiveTag", &tags.sendReceive},
       {"deleteRemoveTag", &tags.deleteRemove},
       {"divestitureRequestTag", &tags.divestitureRequest},
       {"divestitureCompletionTag", &tags.divestitureCompletion},
       {"acquisitionRequestTag", &tags.acquisitionRequest},
       {"requestUpdateTag", &tags.requestUpdate},
       {"timeStamp", &module_.timeStamp},
       {"lookahead", &module_.lookahead}}};
  for (const auto& [what, use] : uses) {
    if (use->dataType.empty() && use->semantics.empty()) continue;
    lost("Datatypes of tags and of time", std::string(what), use->where.line);
  }
}

}  // namespace tutti::omt
