// SPDX-License-Identifier: Apache-2.0
#include "omt/merge.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "omt/reader.h"
#include "omt/standard_mim.h"

namespace tutti::omt {

namespace {

/// The first thing in which two definitions of one name differ.
struct Difference {
  std::string what;
  std::string mine;
  std::string other;
};
using MaybeDifference = std::optional<Difference>;

std::string shown(std::string_view text) { return text.empty() ? "not given" : std::string(text); }

MaybeDifference compare(std::string_view what, std::string_view mine, std::string_view other) {
  if (mine == other) return std::nullopt;
  return Difference{std::string(what), shown(mine), shown(other)};
}

std::string joined(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  std::string text;
  for (const std::string& w : words) {
    if (!text.empty()) text += ", ";
    text += w;
  }
  return text;
}

MaybeDifference difference(const Attribute& mine, const Attribute& other) {
  if (auto d = compare("datatype", mine.dataType, other.dataType)) return d;
  if (auto d = compare("order", toText(mine.order), toText(other.order))) return d;
  if (auto d = compare("transportation", mine.transportation, other.transportation)) return d;
  if (auto d = compare("set of dimensions", joined(mine.dimensions), joined(other.dimensions))) {
    return d;
  }
  if (auto d = compare("update type", toText(mine.updateType), toText(other.updateType))) return d;
  if (auto d = compare("ownership", toText(mine.ownership), toText(other.ownership))) return d;
  return compare("sharing", toText(mine.sharing), toText(other.sharing));
}

MaybeDifference difference(const Parameter& mine, const Parameter& other) {
  return compare("datatype", mine.dataType, other.dataType);
}

MaybeDifference difference(const Dimension& mine, const Dimension& other) {
  const auto bound = [](const Dimension& d) {
    return d.upperBound ? std::to_string(*d.upperBound) : std::string();
  };
  if (auto d = compare("datatype", mine.dataType, other.dataType)) return d;
  if (auto d = compare("upper bound", bound(mine), bound(other))) return d;
  return compare("default value", mine.defaultValue, other.defaultValue);
}

MaybeDifference difference(const Transportation& mine, const Transportation& other) {
  return compare("reliability", mine.reliable ? "Yes" : "No", other.reliable ? "Yes" : "No");
}

MaybeDifference difference(const UpdateRate& mine, const UpdateRate& other) {
  if (mine.rate == other.rate) return std::nullopt;
  return Difference{"rate", std::to_string(mine.rate), std::to_string(other.rate)};
}

std::string listed(const Enumerator& e) { return e.name + " = " + joined(e.values); }
std::string listed(const RecordField& f) { return f.name + " of " + shown(f.dataType); }
std::string listed(const VariantAlternative& a) {
  return a.enumerators + ": " + shown(a.name) + " of " + shown(a.dataType);
}

template <typename Row>
MaybeDifference compareRows(std::string_view what, const std::vector<Row>& mine,
                            const std::vector<Row>& other) {
  for (std::size_t i = 0; i < std::max(mine.size(), other.size()); ++i) {
    const std::string a = i < mine.size() ? listed(mine[i]) : std::string();
    const std::string b = i < other.size() ? listed(other[i]) : std::string();
    if (a != b) {
      return Difference{std::string(what) + " " + std::to_string(i + 1), shown(a), shown(b)};
    }
  }
  return std::nullopt;
}

/// What decides the bytes on the wire or their meaning. Interpretation, resolution and accuracy are
/// descriptions; the encoding of a basic representation is prose too.
MaybeDifference difference(const DataType& mine, const DataType& other) {
  if (auto d = compare("kind", toText(mine.kind), toText(other.kind))) return d;
  if (mine.kind == DataTypeKind::Basic) {
    if (auto d = compare("size", std::to_string(mine.sizeBits), std::to_string(other.sizeBits))) {
      return d;
    }
    return compare("endian", mine.bigEndian ? "Big" : "Little", other.bigEndian ? "Big" : "Little");
  }
  if (auto d = compare("encoding", mine.encoding, other.encoding)) return d;
  if (auto d = compare("representation", mine.representation, other.representation)) return d;
  if (auto d = compare("kind", mine.isReference ? "Reference" : "Simple",
                       other.isReference ? "Reference" : "Simple")) {
    return d;
  }
  if (auto d = compare("referenced class", mine.referenceClass, other.referenceClass)) return d;
  if (auto d = compare("referenced attribute", mine.referencedAttribute,
                       other.referencedAttribute)) {
    return d;
  }
  if (auto d = compare("unit", mine.units, other.units)) return d;
  if (auto d = compare("element type", mine.elementType, other.elementType)) return d;
  if (auto d = compare("cardinality", mine.cardinality, other.cardinality)) return d;
  if (auto d = compare("discriminant type", mine.discriminantType, other.discriminantType)) {
    return d;
  }
  if (auto d = compareRows("enumerator", mine.enumerators, other.enumerators)) return d;
  if (auto d = compareRows("field", mine.fields, other.fields)) return d;
  return compareRows("alternative", mine.alternatives, other.alternatives);
}

bool isMomName(std::string_view fullName) {
  const auto below = [&](std::string_view root) {
    return fullName.size() >= root.size() && fullName.substr(0, root.size()) == root &&
           (fullName.size() == root.size() || fullName[root.size()] == '.');
  };
  return below("HLAobjectRoot.HLAmanager") || below("HLAinteractionRoot.HLAmanager");
}

/// Classes of a merged model, object and interaction classes each; and its attributes and
/// parameters. What the largest published models have, thirty times over.
constexpr std::size_t maxClasses = 50'000;
constexpr std::size_t maxMembers = 500'000;
constexpr std::size_t maxFullNameBytes = 4000;

/// Names that begin so belong to the standard (IEEE 1516.2-2010, 4.2).
bool isReserved(std::string_view name) { return name.starts_with("HLA"); }

/// What all modules that are merged say of a class, before any is merged: what a class inherits is
/// known in whatever order its module and that of its superclass come.
struct StatedClass {
  struct Member {
    std::string dataType;
    std::string file;
    int line = 0;
  };
  const StatedClass* parent = nullptr;
  std::unordered_map<std::string, Member> members;
  std::unordered_map<std::string, std::unique_ptr<StatedClass>> subclasses;
};

/// An attribute or parameter of a class, by name.
struct MemberKey {
  std::uint32_t declaringClass = 0;
  std::string name;
  bool operator==(const MemberKey&) const = default;
};
struct MemberKeyHash {
  std::size_t operator()(const MemberKey& key) const {
    return std::hash<std::string>{}(key.name) ^
           (key.declaringClass * std::size_t{0x9E3779B97F4A7C15});
  }
};
using MemberIndex = std::unordered_map<MemberKey, std::uint32_t, MemberKeyHash>;

}  // namespace

/// Adds modules to a model one after the other. After the first error nothing more is done.
class Merger {
 public:
  Merger() = default;
  explicit Merger(const ObjectModel& running) : model_(running), extending_(true) {
    for (const Attribute& a : model_.attributes_) {
      attributes_.emplace(MemberKey{a.declaringClass, a.name}, a.handle);
    }
    for (const Parameter& p : model_.parameters_) {
      parameters_.emplace(MemberKey{p.declaringClass, p.name}, p.handle);
    }
  }

  /// All modules that will be added, before the first is.
  void announce(const Module& module) {
    for (const ModuleObjectClass& c : module.objectClasses) state(c, statedObjects_, module.file);
    for (const ModuleInteractionClass& c : module.interactionClasses) {
      state(c, statedInteractions_, module.file);
    }
  }

  /// A restated MIM definition that differs becomes an error.
  void setStrictMim(bool strict) { strictMim_ = strict; }

  void add(const Module& module, bool isMim) {
    if (failure_) return;
    module_ = &module;
    isMim_ = isMim;
    index_ = static_cast<std::uint32_t>(model_.modules_.size());
    model_.modules_.push_back({module.file, module.identification, isMim, module.allowsAdditions,
                               module.edition});
    for (const Error& warning : module.warnings) addWarning(warnings_, warning);

    addRows("Transportation type", module.transportations, model_.transportations_,
            model_.transportationIndex_);
    addRows("Dimension", module.dimensions, model_.dimensions_, model_.dimensionIndex_);
    for (const RoutingSpace& space : module.routingSpaces) {
      model_.routingSpaces_.push_back({space.name, placed(space.where)});
    }
    addRows("Update rate", module.updateRates, model_.updateRates_, model_.updateRateIndex_);
    addRows("Datatype", module.dataTypes, model_.dataTypes_, model_.dataTypeIndex_);
    addSynchronizationPoints();
    for (const Note& note : module.notes) {
      model_.notes_.push_back(note);
      model_.notes_.back().where.module = index_;
    }
    addUse("time stamp", module.timeStamp, model_.timeStamp_);
    addUse("lookahead", module.lookahead, model_.lookahead_);
    addTags();
    addSwitches();
    for (const ModuleObjectClass& c : module.objectClasses) addClass(c, 0, {}, &statedObjects_);
    for (const ModuleInteractionClass& c : module.interactionClasses) {
      addClass(c, 0, {}, &statedInteractions_);
    }
    checkSize();
  }

  tl::expected<Merged, Error> finish() {
    if (!failure_) checkReferences();
    if (!failure_) checkInherited();
    if (failure_) return tl::unexpected(*failure_);
    return Merged{std::move(model_), std::move(warnings_)};
  }

 private:
  SourceLocation placed(SourceLocation where) const { return {index_, where.line}; }

  /// "Base.xml:118": messages name files without their folders; Error has the whole path.
  std::string place(const SourceLocation& where) const {
    const std::string whole = model_.placeOf(where);
    return whole.substr(whole.find_last_of('/') + 1);
  }

  Error finding(const SourceLocation& mine, std::string message, std::string hint,
                const std::optional<SourceLocation>& other = std::nullopt) const {
    Error e{ErrorKind::Inconsistent,
            model_.fileOf(mine),
            mine.line,
            std::move(message),
            std::move(hint),
            {},
            0};
    if (other) {
      e.otherFile = model_.fileOf(*other);
      e.otherLine = other->line;
    }
    return e;
  }

  void fail(Error error) {
    if (!failure_) failure_ = std::move(error);
  }

  bool isFromMim(const SourceLocation& where) const {
    return where.module < index_ && model_.modules_[where.module].isMim;
  }

  /// A definition of this module differs from one that the model has.
  void report(const std::string& subject, const Difference& d, const SourceLocation& mine,
              const SourceLocation& other) {
    std::string message = subject + ": " + d.what + " is " + d.mine + " here and " + d.other +
                          " in " + place(other) + ".";
    if (isFromMim(other) && !strictMim_) {
      addWarning(warnings_, finding(mine, std::move(message) + " The MIM counts.",
                                  "Delete it here or restate it as the MIM has it.", other));
      return;
    }
    fail(finding(mine, std::move(message), "Make both the same, or rename one.", other));
  }

  /// Tables whose rows are united by name.
  template <typename Row>
  void addRows(std::string_view kind, const std::vector<Row>& rows, std::vector<Row>& all,
               ObjectModel::NameIndex& index) {
    for (const Row& row : rows) {
      const SourceLocation where = placed(row.where);
      const auto found = index.find(row.name);
      if (found != index.end()) {
        const Row& old = all[found->second - 1];
        if (const auto d = difference(row, old)) {
          report(std::string(kind) + " " + row.name, *d, where, old.where);
          if (failure_) return;
        }
        continue;
      }
      if constexpr (std::is_same_v<Row, Dimension>) checkBound(row, where);
      all.push_back(row);
      Row& added = all.back();
      added.where = where;
      if constexpr (requires { added.handle; }) {
        added.handle = static_cast<std::uint32_t>(all.size());
      }
      index.emplace(row.name, static_cast<std::uint32_t>(all.size()));
    }
  }

  /// Only the standard leaves a bound to the RTI (HLAfederate of the MIM).
  void checkBound(const Dimension& row, const SourceLocation& where) {
    if (row.upperBound || isMim_) return;
    addWarning(warnings_,
               finding(where, "Dimension " + row.name + " has no upper bound; 4294967295 is used.",
                       "Write an <upperBound>: federates and regions go by it."));
  }

  void addSynchronizationPoints() {
    for (const SynchronizationPoint& point : module_->synchronizationPoints) {
      // What a federate can do with a point is its own affair; the first description is kept.
      if (model_.syncPointIndex_.contains(point.label)) continue;
      model_.syncPoints_.push_back(point);
      model_.syncPoints_.back().where.module = index_;
      model_.syncPointIndex_.emplace(point.label,
                                     static_cast<std::uint32_t>(model_.syncPoints_.size()));
    }
  }

  /// What is agreed on once for all federates: time, and user-supplied tags. A module that says
  /// nothing of it ("NA") agrees with any (1516.2-2010, annex C).
  void addUse(const std::string& what, const TypeUse& mine, TypeUse& kept) {
    if (mine.dataType.empty()) return;
    const SourceLocation where = placed(mine.where);
    if (kept.dataType.empty()) {
      kept = mine;
      kept.where = where;
    } else if (kept.dataType != mine.dataType) {
      fail(finding(where,
                   "The " + what + " is " + mine.dataType + " here and " + kept.dataType + " in " +
                       place(kept.where) + ".",
                   "Use one datatype of it in all modules.", kept.where));
    }
  }

  void addTags() {
    const std::array<std::pair<std::string, TypeUse UserTags::*>, 7> rows{
        {{"update/reflect tag", &UserTags::updateReflect},
         {"send/receive tag", &UserTags::sendReceive},
         {"delete/remove tag", &UserTags::deleteRemove},
         {"divestiture request tag", &UserTags::divestitureRequest},
         {"divestiture completion tag", &UserTags::divestitureCompletion},
         {"acquisition request tag", &UserTags::acquisitionRequest},
         {"request update tag", &UserTags::requestUpdate}}};
    for (const auto& [name, member] : rows) {
      addUse(name, module_->userTags.*member, model_.userTags_.*member);
    }
  }

  void addSwitches() {
    if (!module_->switches) return;
    const ModuleSwitches& mine = *module_->switches;
    Switches& kept = model_.switches_;
    const bool first = !extending_ && !model_.switchesWhere_;
    const SourceLocation where{index_, mine.line};
    std::string differing;
    const auto take = [&](std::string_view name, const auto& value, auto& target) {
      if (!value || *value == target) return;
      if (first) {
        target = *value;
      } else {
        if (!differing.empty()) differing += ", ";
        differing += name;
      }
    };
    take("autoProvide", mine.autoProvide, kept.autoProvide);
    take("conveyRegionDesignatorSets", mine.conveyRegionDesignatorSets,
         kept.conveyRegionDesignatorSets);
    take("conveyProducingFederate", mine.conveyProducingFederate, kept.conveyProducingFederate);
    take("attributeScopeAdvisory", mine.attributeScopeAdvisory, kept.attributeScopeAdvisory);
    take("attributeRelevanceAdvisory", mine.attributeRelevanceAdvisory,
         kept.attributeRelevanceAdvisory);
    take("objectClassRelevanceAdvisory", mine.objectClassRelevanceAdvisory,
         kept.objectClassRelevanceAdvisory);
    take("interactionRelevanceAdvisory", mine.interactionRelevanceAdvisory,
         kept.interactionRelevanceAdvisory);
    take("serviceReporting", mine.serviceReporting, kept.serviceReporting);
    take("exceptionReporting", mine.exceptionReporting, kept.exceptionReporting);
    take("delaySubscriptionEvaluation", mine.delaySubscriptionEvaluation,
         kept.delaySubscriptionEvaluation);
    take("automaticResignAction", mine.automaticResignAction, kept.automaticResignAction);
    for (const auto& [name, on] : mine.of2025) {
      auto& all = model_.switchesOf2025_;
      const auto same = std::find_if(all.begin(), all.end(),
                                     [&](const auto& known) { return known.first == name; });
      // What the first table leaves open, a later one says, as long as nothing runs with it.
      if (same == all.end() && !extending_) {
        all.emplace_back(name, on);
      } else if (on != (same != all.end() && same->second)) {
        if (!differing.empty()) differing += ", ";
        differing += name;
      }
    }
    if (first) {
      model_.switchesWhere_ = where;
    } else if (!differing.empty()) {
      addWarning(warnings_, finding(where,
                                  "These switches are set differently before: " + differing +
                                      ". The earlier setting counts.",
                                  "Keep one module with a switches table.", model_.switchesWhere_));
    }
  }

  // Object and interaction classes go through the same steps; these overloads say what differs.
  std::vector<ObjectClass>& allOf(const ModuleObjectClass&) { return model_.objectClasses_; }
  std::vector<InteractionClass>& allOf(const ModuleInteractionClass&) {
    return model_.interactionClasses_;
  }
  ObjectModel::NameIndex& indexOf(const ModuleObjectClass&) { return model_.objectClassIndex_; }
  ObjectModel::NameIndex& indexOf(const ModuleInteractionClass&) {
    return model_.interactionClassIndex_;
  }
  std::vector<Attribute>& membersOf(const ModuleObjectClass&) { return model_.attributes_; }
  std::vector<Parameter>& membersOf(const ModuleInteractionClass&) { return model_.parameters_; }
  static std::vector<std::uint32_t>& own(ObjectClass& c) { return c.attributes; }
  static std::vector<std::uint32_t>& own(InteractionClass& c) { return c.parameters; }
  static const std::vector<Attribute>& stated(const ModuleObjectClass& c) { return c.attributes; }
  static const std::vector<Parameter>& stated(const ModuleInteractionClass& c) {
    return c.parameters;
  }
  static std::string_view classKind(const ObjectClass&) { return "Object class"; }
  static std::string_view classKind(const InteractionClass&) { return "Interaction class"; }

  static void define(ObjectClass&, const ModuleObjectClass&) {}
  static void define(InteractionClass& c, const ModuleInteractionClass& mine) {
    c.transportation = mine.transportation.empty() ? reliableName : mine.transportation;
    c.order = mine.order.value_or(OrderType::Receive);
    c.transportationGiven = !mine.transportation.empty();
    c.orderGiven = mine.order.has_value();
    c.dimensions = mine.dimensions;
  }
  /// What the definitions before have left open, so that their order makes no difference.
  static void complete(ObjectClass&, const ModuleObjectClass&) {}
  static void complete(InteractionClass& c, const ModuleInteractionClass& mine) {
    if (!c.transportationGiven && !mine.transportation.empty()) {
      c.transportation = mine.transportation;
      c.transportationGiven = true;
    }
    if (!c.orderGiven && mine.order) {
      c.order = *mine.order;
      c.orderGiven = true;
    }
  }
  static MaybeDifference differenceOfClass(const ModuleObjectClass& mine, const ObjectClass& c) {
    if (mine.sharing == Sharing::Unspecified || c.sharing == Sharing::Unspecified) {
      return std::nullopt;
    }
    return compare("sharing", toText(mine.sharing), toText(c.sharing));
  }
  MaybeDifference differenceOfClass(const ModuleInteractionClass& mine,
                                    const InteractionClass& c) const {
    if (mine.sharing != Sharing::Unspecified && c.sharing != Sharing::Unspecified) {
      if (auto d = compare("sharing", toText(mine.sharing), toText(c.sharing))) return d;
    }
    // Federates that run already go by what holds where none is given.
    if (!mine.transportation.empty() && (c.transportationGiven || extending_)) {
      if (auto d = compare("transportation", mine.transportation, c.transportation)) return d;
    }
    if (mine.order && (c.orderGiven || extending_)) {
      if (auto d = compare("order", toText(*mine.order), toText(c.order))) return d;
    }
    return compare("set of dimensions", joined(mine.dimensions), joined(c.dimensions));
  }

  template <typename ModuleClass>
  void state(const ModuleClass& mine, StatedClass& parent, const std::string& file) {
    std::unique_ptr<StatedClass>& c = parent.subclasses[mine.name];
    if (!c) c = std::make_unique<StatedClass>();
    c->parent = &parent;
    for (const auto& row : stated(mine)) {
      c->members.try_emplace(row.name, StatedClass::Member{row.dataType, file, row.where.line});
    }
    for (const auto& sub : mine.subclasses) state(sub, *c, file);
  }

  template <typename ModuleClass>
  void addClass(const ModuleClass& mine, std::uint32_t parent, const std::string& parentName,
                const StatedClass* above) {
    auto& all = allOf(mine);
    auto& index = indexOf(mine);
    const std::string fullName = parentName.empty() ? mine.name : parentName + '.' + mine.name;
    std::uint32_t handle = 0;
    if (const auto found = index.find(fullName); found != index.end()) {
      handle = found->second;
    } else {
      const SourceLocation where{index_, mine.line};
      if (!mayAddClass(all.size(), fullName, where)) return;
      handle = static_cast<std::uint32_t>(all.size() + 1);
      auto& c = all.emplace_back();
      c.handle = handle;
      c.name = mine.name;
      c.fullName = fullName;
      c.parent = parent;
      c.scaffolding = true;
      c.where = where;
      if constexpr (requires { c.transportation; }) c.transportation = reliableName;
      index.emplace(fullName, handle);
      if (parent != 0) all[parent - 1].subclasses.push_back(handle);
      checkReserved(std::string(classKind(c)) + " " + c.name, c.name, where);
    }
    const StatedClass* said = nullptr;
    if (const auto found = above->subclasses.find(mine.name); found != above->subclasses.end()) {
      said = found->second.get();
    }
    if (said == nullptr) return;  // announce() has met every class
    if (!mine.isScaffolding()) addDefinition(mine, all[handle - 1], *said);
    if constexpr (std::is_same_v<ModuleClass, ModuleObjectClass>) {
      addDirected(mine, all[handle - 1]);
    }
    for (const auto& sub : mine.subclasses) {
      if (failure_) return;
      addClass(sub, handle, fullName, said);
    }
  }

  /// Modules may add to the list of another one; the first that names an interaction class counts.
  void addDirected(const ModuleObjectClass& mine, ObjectClass& c) {
    if (!mine.dimensions.empty()) {
      std::unordered_set<std::string> dimensions(c.dimensions.begin(), c.dimensions.end());
      for (const std::string& name : mine.dimensions) {
        if (dimensions.insert(name).second) c.dimensions.push_back(name);
      }
    }
    if (mine.directedInteractions.empty()) return;
    std::unordered_set<std::string> known;
    for (const DirectedInteraction& d : c.directedInteractions) known.insert(d.name);
    for (const DirectedInteraction& d : mine.directedInteractions) {
      if (!known.insert(d.name).second) continue;
      c.directedInteractions.push_back(d);
      c.directedInteractions.back().where = placed(d.where);
    }
  }

  bool mayAddClass(std::size_t count, const std::string& fullName, const SourceLocation& where) {
    if (count >= maxClasses) {
      fail(finding(where, "The model has more than " + std::to_string(maxClasses) + " classes.",
                   "Leave out modules that no federate needs."));
    } else if (fullName.size() > maxFullNameBytes) {
      fail(finding(where,
                   "The full name of a class has more than " + std::to_string(maxFullNameBytes) +
                       " bytes.",
                   "Shorten its name or those of its superclasses."));
    }
    return !failure_;
  }

  void checkSize() {
    if (failure_) return;
    if (model_.attributes_.size() <= maxMembers && model_.parameters_.size() <= maxMembers) return;
    fail(finding({index_, 0},
                 "The model has more than " + std::to_string(maxMembers) +
                     " attributes or parameters.",
                 "Leave out modules that no federate needs."));
  }

  void checkReserved(const std::string& subject, std::string_view name,
                     const SourceLocation& where) {
    if (isMim_ || !isReserved(name)) return;
    addWarning(warnings_,
               finding(where, subject + " has a name that the standard keeps for itself.",
                       "Names that begin with HLA are those of IEEE 1516; give it another one."));
  }

  template <typename ModuleClass, typename Class>
  void addDefinition(const ModuleClass& mine, Class& c, const StatedClass& said) {
    const SourceLocation where{index_, mine.line};
    if (c.scaffolding) {
      c.scaffolding = false;
      c.sharing = mine.sharing;
      c.semantics = mine.semantics;
      c.notes = mine.notes;
      c.where = where;
      define(c, mine);
    } else {
      if (const auto d = differenceOfClass(mine, c)) {
        report(std::string(classKind(c)) + " " + c.name, *d, where, c.where);
        if (failure_) return;
      }
      if (c.sharing == Sharing::Unspecified) c.sharing = mine.sharing;
      complete(c, mine);
      if (c.semantics.empty()) c.semantics = mine.semantics;
    }
    if (!stated(mine).empty()) addMembers(mine, c, where, said);
  }

  template <typename ModuleClass, typename Class>
  void addMembers(const ModuleClass& mine, Class& c, const SourceLocation& where,
                  const StatedClass& said) {
    auto& members = membersOf(mine);
    MemberIndex& index = memberIndex(c);
    // A definition of edition 2010 is complete: the next one must list the same names. What modules
    // of edition 2025 add, what a federate's MIM adds to the standard one, and additions to the
    // MOM, stand beside it.
    const bool additions = module_->allowsAdditions || isMim_ || isMomName(c.fullName);
    bool complete = false;
    for (const std::uint32_t m : own(c)) {
      complete = complete || !model_.modules_[members[m - 1].where.module].allowsAdditions;
    }
    std::unordered_set<std::string_view> names;
    for (const auto& row : stated(mine)) {
      const SourceLocation rowWhere = placed(row.where);
      const std::string subject = c.name + "." + row.name;
      if (!names.insert(row.name).second) {
        fail(finding(rowWhere, subject + " stands twice in one class.", "Delete or rename one."));
        return;
      }
      const auto old = index.find({c.handle, row.name});
      if (old != index.end()) {
        if (const auto d = difference(row, members[old->second - 1])) {
          report(subject, *d, rowWhere, members[old->second - 1].where);
        }
      } else if (restatesInherited(row, c, subject, rowWhere, said)) {
        continue;
      } else if (complete && !additions) {
        fail(finding(
            rowWhere,
            subject + " is not part of the definition of the class in " + place(c.where) + ".",
            "Define it in a subclass, or in the module that defines the class.", c.where));
      } else if (!isHandedUp(row, c, subject, rowWhere)) {
        if (failure_) return;
        checkReserved(subject, row.name, rowWhere);
        auto& added = members.emplace_back(row);
        added.handle = static_cast<std::uint32_t>(members.size());
        added.declaringClass = c.handle;
        added.where = rowWhere;
        own(c).push_back(added.handle);
        index.emplace(MemberKey{c.handle, row.name}, added.handle);
      }
      if (failure_) return;
    }
    if (!complete || additions) return;
    for (const std::uint32_t m : own(c)) {
      const auto& old = members[m - 1];
      if (names.contains(old.name) || model_.modules_[old.where.module].allowsAdditions ||
          model_.modules_[old.where.module].isMim) {
        continue;
      }
      fail(finding(where,
                   std::string(classKind(c)) + " " + c.name + " has no " + old.name +
                       " here, but in " + place(old.where) + ".",
                   "List the same names in both, or only name the class here.", old.where));
      return;
    }
  }

  MemberIndex& memberIndex(const ObjectClass&) { return attributes_; }
  MemberIndex& memberIndex(const InteractionClass&) { return parameters_; }

  std::vector<Attribute>& rowsOf(const ObjectClass&) { return model_.attributes_; }
  std::vector<Parameter>& rowsOf(const InteractionClass&) { return model_.parameters_; }
  std::vector<ObjectClass>& classesOf(const ObjectClass&) { return model_.objectClasses_; }
  std::vector<InteractionClass>& classesOf(const InteractionClass&) {
    return model_.interactionClasses_;
  }

  /// While federates run, a superclass gets what one of its subclasses has as its own (its module
  /// came first, and restates what it inherits): the handle that they know moves up. True: it did.
  template <typename Row, typename Class>
  bool isHandedUp(const Row& row, Class& c, const std::string& subject,
                  const SourceLocation& where) {
    if (!extending_) return false;
    Row* below = nullptr;
    const auto& handles = namesBelow(c);
    const auto [first, last] = handles.equal_range(row.name);
    for (auto item = first; item != last; ++item) {
      Row& other = rowsOf(c)[item->second - 1];
      if (!isBelow(classesOf(c), other.declaringClass, c.handle)) continue;
      const bool differs = difference(row, other).has_value();
      if (below != nullptr || differs) {
        failInherited(classesOf(c)[other.declaringClass - 1].name + "." + row.name, other.where,
                      where);
        return false;
      }
      below = &other;
    }
    if (below == nullptr) return false;
    Class& subclass = classesOf(c)[below->declaringClass - 1];
    addWarning(warnings_, finding(below->where,
                                  subclass.name + "." + row.name + " is inherited from " +
                                      place(where) + ", which counts.",
                                  "Delete it here.", where));
    memberIndex(c).erase({subclass.handle, row.name});
    std::erase(own(subclass), below->handle);
    below->declaringClass = c.handle;
    below->where = where;
    own(c).insert(std::upper_bound(own(c).begin(), own(c).end(), below->handle), below->handle);
    memberIndex(c).emplace(MemberKey{c.handle, row.name}, below->handle);
    checkReserved(subject, row.name, where);
    return true;
  }

  /// The handles of the running model by name.
  const std::unordered_multimap<std::string, std::uint32_t>& namesBelow(const ObjectClass&) {
    return byName(attributeNames_, model_.attributes_);
  }
  const std::unordered_multimap<std::string, std::uint32_t>& namesBelow(const InteractionClass&) {
    return byName(parameterNames_, model_.parameters_);
  }
  template <typename Row>
  static const std::unordered_multimap<std::string, std::uint32_t>& byName(
      std::unordered_multimap<std::string, std::uint32_t>& names, const std::vector<Row>& rows) {
    if (names.empty()) {
      for (const Row& row : rows) names.emplace(row.name, row.handle);
    }
    return names;
  }

  template <typename Class>
  static bool isBelow(const std::vector<Class>& all, std::uint32_t handle, std::uint32_t above) {
    while (handle != 0 && handle != above) handle = all[handle - 1].parent;
    return handle == above;
  }

  void checkReferences() {
    std::string known;
    for (const Transportation& t : model_.transportations_) {
      if (!known.empty()) known += ", ";
      known += t.name;
    }
    const auto transportation = [&](const std::string& subject, const std::string& name,
                                    const SourceLocation& where) {
      if (model_.findTransportation(name) != nullptr) return;
      fail(finding(where, subject + " uses transportation type " + name + ", which no module has.",
                   "Add it to a transportations table, or use one of " + known + "."));
    };
    const auto dimensions = [&](const std::string& subject, const std::vector<std::string>& names,
                                const SourceLocation& where) {
      for (const std::string& name : names) {
        if (model_.findDimension(name) != nullptr) continue;
        fail(finding(where, subject + " uses dimension " + name + ", which no module has.",
                     "Add it to a dimensions table, or delete it here."));
      }
    };
    for (const Attribute& a : model_.attributes_) {
      const std::string subject = model_.objectClasses_[a.declaringClass - 1].name + "." + a.name;
      transportation(subject, a.transportation, a.where);
      dimensions(subject, a.dimensions, a.where);
      dataType(subject, a.dataType, a.where);
    }
    for (const InteractionClass& c : model_.interactionClasses_) {
      transportation(c.name, c.transportation, c.where);
      dimensions(c.name, c.dimensions, c.where);
      scaffolding(c);
    }
    for (const ObjectClass& c : model_.objectClasses_) scaffolding(c);
    for (const Parameter& p : model_.parameters_) {
      dataType(model_.interactionClasses_[p.declaringClass - 1].name + "." + p.name, p.dataType,
               p.where);
    }
    for (const DataType& t : model_.dataTypes_) {
      dataType(t.name, t.representation, t.where);
      dataType(t.name, t.elementType, t.where);
      dataType(t.name, t.discriminantType, t.where);
      for (const RecordField& f : t.fields) {
        dataType(t.name + "." + f.name, f.dataType, {t.where.module, f.line});
      }
      for (const VariantAlternative& v : t.alternatives) {
        dataType(t.name + "." + v.name, v.dataType, {t.where.module, v.line});
      }
    }
  }

  /// An RTI does not look at datatypes, so a missing one does not stop a run. Told once a name.
  void dataType(const std::string& subject, const std::string& name, const SourceLocation& where) {
    if (name.empty() || name == "NA" || model_.findDataType(name) != nullptr) return;
    if (!undefinedTypes_.insert(name).second) return;
    addWarning(warnings_, finding(where,
                                subject + " is of datatype " + name + ", which no module has.",
                                "Add the module that defines " + name + "."));
  }

  template <typename Class>
  void scaffolding(const Class& c) {
    if (!c.scaffolding || c.parent == 0) return;
    addWarning(warnings_, finding(
        c.where, std::string(classKind(c)) + " " + c.name + " is only named; no module defines it.",
        "Add the module that defines it."));
  }

  /// What a superclass in the model has by that name; null: none has.
  template <typename Class>
  auto inherited(const Class& c, const std::string& name) {
    const auto& rows = rowsOf(c);
    const MemberIndex& index = memberIndex(c);
    MemberKey key{c.parent, name};
    while (key.declaringClass != 0) {
      if (const auto found = index.find(key); found != index.end()) {
        return &rows[found->second - 1];
      }
      key.declaringClass = classesOf(c)[key.declaringClass - 1].parent;
    }
    return decltype(&rows[0]){nullptr};
  }

  /// Modules state again in a class what it inherits, as samples of the standard do and many with
  /// HLAprivilegeToDeleteObject: of the same datatype that is no second attribute or parameter,
  /// whether the superclass's module comes before this one or after it.
  template <typename Row, typename Class>
  bool restatesInherited(const Row& row, const Class& c, const std::string& subject,
                         const SourceLocation& where, const StatedClass& said) {
    if (const auto* other = inherited(c, row.name)) {
      if (other->dataType != row.dataType && !isFromMim(other->where)) return false;
      addWarning(warnings_, finding(where,
                                    subject + " is inherited from " + place(other->where) +
                                        ", which counts.",
                                    "Delete it here.", other->where));
      return true;
    }
    for (const StatedClass* above = said.parent; above != nullptr; above = above->parent) {
      const auto found = above->members.find(row.name);
      if (found == above->members.end() || found->second.dataType != row.dataType) continue;
      const StatedClass::Member& other = found->second;
      std::string at = other.file.substr(other.file.find_last_of('/') + 1);
      if (other.line > 0) at += ':' + std::to_string(other.line);
      Error warning = finding(where, subject + " is inherited from " + at + ", which counts.",
                              "Delete it here.");
      warning.otherFile = other.file;
      warning.otherLine = other.line;
      addWarning(warnings_, std::move(warning));
      return true;
    }
    return false;
  }

  /// A class may not have two attributes or parameters of one name (IEEE 1516.2-2010, 4.4, 4.5).
  void checkInherited() {
    for (const Attribute& a : model_.attributes_) {
      const ObjectClass& c = model_.objectClasses_[a.declaringClass - 1];
      if (const Attribute* other = inherited(c, a.name)) {
        failInherited(c.name + "." + a.name, a.where, other->where);
      }
    }
    for (const Parameter& p : model_.parameters_) {
      const InteractionClass& c = model_.interactionClasses_[p.declaringClass - 1];
      if (const Parameter* other = inherited(c, p.name)) {
        failInherited(c.name + "." + p.name, p.where, other->where);
      }
    }
  }

  void failInherited(const std::string& subject, const SourceLocation& mine,
                     const SourceLocation& other) {
    fail(finding(mine, subject + " is already inherited from " + place(other) + ".",
                 "Delete or rename one.", other));
  }

  ObjectModel model_;
  bool extending_ = false;
  bool strictMim_ = false;
  bool isMim_ = false;  ///< the module being added
  MemberIndex attributes_;
  MemberIndex parameters_;
  std::unordered_multimap<std::string, std::uint32_t> attributeNames_;  ///< of the running model
  std::unordered_multimap<std::string, std::uint32_t> parameterNames_;
  StatedClass statedObjects_;
  StatedClass statedInteractions_;
  const Module* module_ = nullptr;
  std::uint32_t index_ = 0;
  std::vector<Error> warnings_;
  std::unordered_set<std::string> undefinedTypes_;
  std::optional<Error> failure_;
};

namespace {

template <typename Row>
const Row* named(const std::vector<Row>& rows, std::string_view name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

const std::vector<Attribute>& membersOf(const ModuleObjectClass& c) { return c.attributes; }
const std::vector<Parameter>& membersOf(const ModuleInteractionClass& c) { return c.parameters; }

/// The full name of what `standard` has and `mim` lacks, or "".
template <typename Class>
std::string missingIn(const std::vector<Class>& mim, const std::vector<Class>& standard,
                      const std::string& prefix) {
  for (const Class& c : standard) {
    const std::string fullName = prefix + c.name;
    const Class* mine = named(mim, c.name);
    if (mine == nullptr) return fullName;
    for (const auto& member : membersOf(c)) {
      if (named(membersOf(*mine), member.name) == nullptr) return fullName + "." + member.name;
    }
    std::string missing = missingIn(mine->subclasses, c.subclasses, fullName + ".");
    if (!missing.empty()) return missing;
  }
  return {};
}

template <typename Row>
std::string missingRow(const std::vector<Row>& mim, const std::vector<Row>& standard) {
  for (const Row& row : standard) {
    if (named(mim, row.name) == nullptr) return row.name;
  }
  return {};
}

}  // namespace

std::string_view standardMimText() { return embeddedStandardMim(); }

const Module& standardMim() {
  static const Module module = [] {
    auto read = readModule(embeddedStandardMim(), std::string(standardMimDesignator));
    // The text is compiled in; a test reads it.
    if (!read) std::abort();
    return std::move(*read);
  }();
  return module;
}

tl::expected<void, Error> checkMim(const Module& mim) {
  const Module& standard = standardMim();
  const auto failed = [&](int line, std::string message) {
    return tl::unexpected(Error{ErrorKind::ErrorReadingMim,
                                mim.file,
                                line,
                                std::move(message),
                                "A MIM contains everything of HLAstandardMIM and may add to it.",
                                {},
                                0});
  };
  std::string missing = missingIn(mim.objectClasses, standard.objectClasses, {});
  if (missing.empty()) missing = missingIn(mim.interactionClasses, standard.interactionClasses, {});
  if (missing.empty()) missing = missingRow(mim.dimensions, standard.dimensions);
  if (missing.empty()) missing = missingRow(mim.transportations, standard.transportations);
  if (missing.empty()) missing = missingRow(mim.dataTypes, standard.dataTypes);
  if (!missing.empty()) return failed(0, "The MIM lacks " + missing + ".");

  Merger merger;
  merger.setStrictMim(true);
  merger.announce(standard);
  merger.announce(mim);
  merger.add(standard, true);
  merger.add(mim, true);
  if (const auto merged = merger.finish(); !merged) {
    return failed(merged.error().line, merged.error().message);
  }
  return {};
}

tl::expected<Merged, Error> merge(std::span<const Module> modules) {
  return merge(standardMim(), modules);
}

tl::expected<Merged, Error> merge(const Module& mim, std::span<const Module> modules) {
  Merger merger;
  merger.announce(standardMim());
  if (&mim != &standardMim()) merger.announce(mim);
  for (const Module& module : modules) merger.announce(module);
  // The standard's part first in any case, so that its handles are the same everywhere.
  merger.add(standardMim(), true);
  if (&mim != &standardMim()) {
    if (auto checked = checkMim(mim); !checked) return tl::unexpected(checked.error());
    merger.add(mim, true);
  }
  for (const Module& module : modules) merger.add(module, false);
  return merger.finish();
}

tl::expected<Merged, Error> extend(const ObjectModel& running, std::span<const Module> modules) {
  Merger merger(running);
  for (const Module& module : modules) merger.announce(module);
  for (const Module& module : modules) merger.add(module, false);
  return merger.finish();
}

}  // namespace tutti::omt
