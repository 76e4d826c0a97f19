// SPDX-License-Identifier: Apache-2.0
#include "omt/model_module.h"

#include <algorithm>
#include <utility>

namespace tutti::omt {

namespace {

class Extraction {
 public:
  explicit Extraction(const ObjectModel& model) : model_(model) {
    for (const ModuleInfo& info : model.modules()) {
      if (!info.isMim) own_.push_back(&info);
    }
  }

  Module extract() {
    identification();
    if (auto root = objectClass(objectRootHandle); root.second) {
      module_.objectClasses.push_back(std::move(root.first));
    }
    if (auto root = interactionClass(interactionRootHandle); root.second) {
      module_.interactionClasses.push_back(std::move(root.first));
    }
    take(model_.dimensions(), module_.dimensions);
    take(model_.routingSpaces(), module_.routingSpaces);
    take(model_.transportations(), module_.transportations);
    take(model_.updateRates(), module_.updateRates);
    take(model_.dataTypes(), module_.dataTypes);
    take(model_.synchronizationPoints(), module_.synchronizationPoints);
    take(model_.notes(), module_.notes);
    for (DataType& t : module_.dataTypes) placeParts(t);
    switches();
    const UserTags& tags = model_.userTags();
    for (const auto member :
         {&UserTags::updateReflect, &UserTags::sendReceive, &UserTags::deleteRemove,
          &UserTags::divestitureRequest, &UserTags::divestitureCompletion,
          &UserTags::acquisitionRequest, &UserTags::requestUpdate}) {
      take(tags.*member, module_.userTags.*member);
    }
    take(model_.timeStamp(), module_.timeStamp);
    take(model_.lookahead(), module_.lookahead);
    return std::move(module_);
  }

 private:
  bool isOwn(const SourceLocation& where) const {
    return where.module < model_.modules().size() && !model_.modules()[where.module].isMim;
  }
  int lineOf(const SourceLocation& where) const { return own_.size() == 1 ? where.line : 0; }

  template <typename Row>
  void take(const std::vector<Row>& from, std::vector<Row>& to) const {
    for (const Row& row : from) {
      if (!isOwn(row.where)) continue;
      Row& mine = to.emplace_back(row);
      mine.where = {0, lineOf(row.where)};
      if constexpr (requires { mine.handle; }) mine.handle = 0;
    }
  }
  void take(const TypeUse& from, TypeUse& to) const {
    if (!isOwn(from.where)) return;
    to = from;
    to.where = {0, lineOf(from.where)};
  }

  void placeParts(DataType& t) const {
    if (own_.size() == 1) return;
    for (Enumerator& e : t.enumerators) e.line = 0;
    for (RecordField& f : t.fields) f.line = 0;
    for (VariantAlternative& v : t.alternatives) v.line = 0;
  }

  /// With whether anything of it is a module's.
  std::pair<ModuleObjectClass, bool> objectClass(ObjectClassHandle handle) const {
    const ObjectClass& c = *model_.objectClass(handle);
    std::pair<ModuleObjectClass, bool> result;
    auto& [mine, any] = result;
    mine.name = c.name;
    any = isOwn(c.where);
    if (any) {
      mine.line = lineOf(c.where);
      mine.sharing = c.sharing;
      mine.semantics = c.semantics;
      mine.notes = c.notes;
      mine.defined = !c.scaffolding && handle != objectRootHandle;
    }
    take(c.directedInteractions, mine.directedInteractions);
    any = any || !mine.directedInteractions.empty();
    if (any) mine.dimensions = c.dimensions;
    for (const AttributeHandle own : c.attributes) {
      const Attribute& a = *model_.attribute(own);
      if (!isOwn(a.where)) continue;
      any = true;
      Attribute& added = mine.attributes.emplace_back(a);
      added.handle = added.declaringClass = 0;
      added.where = {0, lineOf(a.where)};
    }
    for (const ObjectClassHandle below : c.subclasses) {
      auto [subclass, isMine] = objectClass(below);
      if (!isMine) continue;
      any = true;
      mine.subclasses.push_back(std::move(subclass));
    }
    return result;
  }

  std::pair<ModuleInteractionClass, bool> interactionClass(InteractionClassHandle handle) const {
    const InteractionClass& c = *model_.interactionClass(handle);
    std::pair<ModuleInteractionClass, bool> result;
    auto& [mine, any] = result;
    mine.name = c.name;
    any = isOwn(c.where);
    if (any) {
      mine.line = lineOf(c.where);
      mine.sharing = c.sharing;
      mine.dimensions = c.dimensions;
      if (c.transportationGiven) mine.transportation = c.transportation;
      if (c.orderGiven) mine.order = c.order;
      mine.semantics = c.semantics;
      mine.notes = c.notes;
      mine.defined = !c.scaffolding && handle != interactionRootHandle;
    }
    for (const ParameterHandle own : c.parameters) {
      const Parameter& p = *model_.parameter(own);
      if (!isOwn(p.where)) continue;
      any = true;
      Parameter& added = mine.parameters.emplace_back(p);
      added.handle = added.declaringClass = 0;
      added.where = {0, lineOf(p.where)};
    }
    for (const InteractionClassHandle below : c.subclasses) {
      auto [subclass, isMine] = interactionClass(below);
      if (!isMine) continue;
      any = true;
      mine.subclasses.push_back(std::move(subclass));
    }
    return result;
  }

  void switches() {
    const auto& where = model_.switchesWhere();
    if (!where || !isOwn(*where)) return;
    const Switches& s = model_.switches();
    ModuleSwitches& mine = module_.switches.emplace();
    mine.autoProvide = s.autoProvide;
    mine.conveyRegionDesignatorSets = s.conveyRegionDesignatorSets;
    mine.conveyProducingFederate = s.conveyProducingFederate;
    mine.attributeScopeAdvisory = s.attributeScopeAdvisory;
    mine.attributeRelevanceAdvisory = s.attributeRelevanceAdvisory;
    mine.objectClassRelevanceAdvisory = s.objectClassRelevanceAdvisory;
    mine.interactionRelevanceAdvisory = s.interactionRelevanceAdvisory;
    mine.serviceReporting = s.serviceReporting;
    mine.exceptionReporting = s.exceptionReporting;
    mine.delaySubscriptionEvaluation = s.delaySubscriptionEvaluation;
    mine.automaticResignAction = s.automaticResignAction;
    mine.of2025 = model_.switchesOf2025();
    mine.line = lineOf(*where);
  }

  void identification() {
    if (own_.empty()) return;
    module_.file = own_.front()->file;
    module_.edition = own_.front()->edition;
    Identification& id = module_.identification;
    id = own_.front()->identification;
    const auto agree = [&](auto Identification::*member) {
      const bool all = std::all_of(own_.begin(), own_.end(), [&](const ModuleInfo* info) {
        return info->identification.*member == id.*member;
      });
      if (!all) id.*member = {};
    };
    for (const ModuleInfo* info : own_) {
      if (info->edition != module_.edition) module_.edition = Edition::Ieee2010;
    }
    agree(&Identification::type);
    agree(&Identification::version);
    agree(&Identification::modificationDate);
    agree(&Identification::securityClassification);
    agree(&Identification::purpose);
    agree(&Identification::applicationDomain);
    agree(&Identification::description);
    agree(&Identification::useLimitation);
    agree(&Identification::useHistory);
    agree(&Identification::keywords);
    agree(&Identification::contacts);
    agree(&Identification::references);
    agree(&Identification::other);
    if (own_.size() < 2) return;
    if (id.type.empty()) id.type = "FOM";
    for (const ModuleInfo* info : own_) {
      const std::string& name = info->identification.name;
      if (!name.empty()) id.references.emplace_back("Composed_From", name);
    }
  }

  const ObjectModel& model_;
  std::vector<const ModuleInfo*> own_;  ///< all but the MIM
  Module module_;
};

}  // namespace

Module moduleOf(const ObjectModel& model) { return Extraction(model).extract(); }

}  // namespace tutti::omt
