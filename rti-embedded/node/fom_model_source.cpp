// SPDX-License-Identifier: Apache-2.0
#include "node/fom_model_source.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "omt/compact_writer.h"
#include "omt/merge.h"
#include "omt/model_writer.h"
#include "omt/reader.h"

namespace tutti::node {

using executive::Answer;
using executive::FederationModel;
using executive::Refused;
using fabric::Bytes;
using fabric::ModuleBytes;
using fabric::Refusal;

namespace {

/// What was read so far; the MIM of a federate among it.
using Contents = std::vector<executive::ModuleText>;

Refusal refusalFor(omt::ErrorKind kind) {
  switch (kind) {
    case omt::ErrorKind::CouldNotOpen:
      return Refusal::CouldNotOpenFDD;
    case omt::ErrorKind::ErrorReading:
      return Refusal::ErrorReadingFDD;
    case omt::ErrorKind::Inconsistent:
      return Refusal::InconsistentFDD;
    case omt::ErrorKind::CouldNotOpenMim:
      return Refusal::CouldNotOpenMIM;
    case omt::ErrorKind::ErrorReadingMim:
      return Refusal::ErrorReadingMIM;
  }
  return Refusal::Internal;
}

tl::unexpected<Refused> refused(const omt::Error& error) {
  return executive::refuse(refusalFor(error.kind), error.toText());
}

void log(const std::vector<omt::Error>& warnings) {
  for (const omt::Error& warning : warnings) spdlog::info("{}", warning.toText());
}

bool contains(const Contents& contents, const Bytes& content) {
  return std::any_of(contents.begin(), contents.end(),
                     [&](const auto& known) { return *known.content == content; });
}

/// Reads those of `modules` that `known` does not hold, and adds them to it.
tl::expected<std::vector<omt::Module>, omt::Error> readNew(const std::vector<ModuleBytes>& modules,
                                                           Contents& known) {
  std::vector<omt::Module> result;
  for (const ModuleBytes& module : modules) {
    if (contains(known, module.content)) continue;
    auto read = omt::readModule(module.content, module.name);
    if (!read) return tl::unexpected(read.error());
    log(read->warnings);
    result.push_back(std::move(*read));
    known.push_back({module.name, std::make_shared<const Bytes>(module.content)});
  }
  return result;
}

/// What of a federate `c` adjusts.
void adopt(const omt::ObjectModel& model, const omt::InteractionClass& c,
           executive::ManagementClasses& classes) {
  using Switch = executive::ManagementClasses::Switch;
  const auto take = [&](std::string_view name, std::string_view parameterName, Switch& taken) {
    if (c.fullName !=
        std::string("HLAinteractionRoot.HLAmanager.HLAfederate.HLAadjust.").append(name)) {
      return;
    }
    for (const omt::Parameter* parameter : model.allParameters(c.handle)) {
      if (parameter->name == parameterName) taken = {c.handle, parameter->handle};
    }
  };
  take("HLAsetSwitches", "HLAconveyRegionDesignatorSets", classes.conveyRegionDesignatorSets);
  take("HLAsetSwitches", "HLAconveyProducingFederate", classes.conveyProducingFederate);
  take("HLAsetServiceReporting", "HLAreportingState", classes.serviceReporting);
  take("HLAsetExceptionReporting", "HLAreportingState", classes.exceptionReporting);
  Switch instance, attribute, state;
  take("HLAmodifyAttributeState", "HLAobjectInstance", instance);
  take("HLAmodifyAttributeState", "HLAattribute", attribute);
  take("HLAmodifyAttributeState", "HLAattributeState", state);
  if (instance.interactionClass != 0) {
    classes.attributeState = {instance.interactionClass, instance.parameter, attribute.parameter,
                              state.parameter};
  }
}

/// What the RTI does itself in the MOM of `model` (IEEE 1516.1-2010, 11.2 to 11.4).
executive::ManagementClasses managementOf(const omt::ObjectModel& model) {
  executive::ManagementClasses classes;
  const auto within = [](const std::string& name, std::string_view root) {
    return name.starts_with(root) && (name.size() == root.size() || name[root.size()] == '.');
  };
  for (const omt::ObjectClass& c : model.objectClasses()) {
    if (c.parent == 0 || within(c.fullName, "HLAobjectRoot.HLAmanager")) {
      classes.objectClasses.insert(c.handle);
    }
    if (c.fullName == "HLAobjectRoot.HLAmanager.HLAfederate" ||
        c.fullName == "HLAobjectRoot.HLAmanager.HLAfederation") {
      executive::ManagementClasses::Published published{c.handle, {}};
      for (const omt::Attribute* attribute : model.allAttributes(c.handle)) {
        published.attributes.push_back(attribute->handle);
      }
      std::sort(published.attributes.begin(), published.attributes.end());
      classes.published.push_back(std::move(published));
    }
  }
  for (const omt::InteractionClass& c : model.interactionClasses()) {
    if (c.parent != 0 && !within(c.fullName, "HLAinteractionRoot.HLAmanager")) continue;
    classes.interactionClasses.insert(c.handle);
    if (c.fullName ==
        "HLAinteractionRoot.HLAmanager.HLAfederate.HLAservice.HLAresignFederationExecution") {
      classes.resign.interactionClass = c.handle;
      for (const omt::Parameter* parameter : model.allParameters(c.handle)) {
        if (parameter->name == "HLAresignAction") classes.resign.action = parameter->handle;
      }
    }
    adopt(model, c, classes);
    // What the MIM has there with a meaning; subclasses of others are received as one of these.
    if (!c.subclasses.empty() && c.sharing == omt::Sharing::Neither) continue;
    for (const std::string_view group : {".HLAadjust.", ".HLArequest.", ".HLAservice."}) {
      if (c.fullName.find(group) != std::string::npos) classes.subscribed.push_back(c.handle);
    }
  }
  return classes;
}

class FomModel final : public FederationModel {
 public:
  FomModel(omt::ObjectModel model, Contents contents, executive::ModuleText mim,
           executive::ModelHistory history)
      : model_(std::move(model)),
        contents_(std::move(contents)),
        mim_(std::move(mim)),
        history_(std::move(history)),
        compact_(omt::encode(model_)),
        management_(managementOf(model_)) {}

  const Bytes& compact() const override { return compact_; }

  std::vector<std::string> modules() const override {
    std::vector<std::string> names;
    for (const omt::ModuleInfo& module : model_.modules()) names.push_back(module.file);
    return names;
  }

  executive::ModelHistory history() const override { return history_; }

  std::uint32_t automaticResignAction() const override {
    return static_cast<std::uint32_t>(model_.switches().automaticResignAction);
  }

  bool autoProvide() const override { return model_.switches().autoProvide; }

  std::uint32_t attribute(std::uint32_t objectClass, const std::string& name) const override {
    for (const omt::Attribute* one : model_.allAttributes(objectClass)) {
      if (one->name == name) return one->handle;
    }
    return 0;
  }

  std::uint32_t privilegeToDelete() const override {
    const auto* root = model_.findObjectClass("HLAobjectRoot");
    const auto* privilege = root == nullptr
                                ? nullptr
                                : model_.findAttribute(root->handle, "HLAprivilegeToDeleteObject");
    return privilege == nullptr ? 0 : privilege->handle;
  }

  Answer<std::shared_ptr<const FederationModel>> extended(
      const std::vector<ModuleBytes>& modules) const override {
    Contents contents = contents_;
    auto read = readNew(modules, contents);
    if (!read) return refused(read.error());
    if (read->empty()) return std::shared_ptr<const FederationModel>();
    auto merged = omt::extend(model_, *read);
    if (!merged) return refused(merged.error());
    log(merged->warnings);
    executive::ModelHistory history = history_;
    history.joins.push_back(modules);
    return std::make_shared<const FomModel>(std::move(merged->model), std::move(contents), mim_,
                                            std::move(history));
  }

  bool contains(const std::vector<ModuleBytes>& modules) const override {
    return std::all_of(modules.begin(), modules.end(), [&](const ModuleBytes& module) {
      return node::contains(contents_, module.content);
    });
  }

  const executive::ManagementClasses& management() const override { return management_; }
  std::vector<executive::ModuleText> moduleTexts() const override {
    Contents modules = contents_;
    std::erase_if(modules, [&](const auto& module) { return module.content == mim_.content; });
    return modules;
  }
  executive::ModuleText mim() const override { return mim_; }
  std::string fdd() const override { return omt::writeModel(model_); }

 private:
  omt::ObjectModel model_;
  Contents contents_;
  executive::ModuleText mim_;
  executive::ModelHistory history_;
  Bytes compact_;
  executive::ManagementClasses management_;
};

Bytes bytesOf(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

}  // namespace

Answer<std::shared_ptr<const FederationModel>> FomModelSource::create(
    const std::vector<ModuleBytes>& modules, const std::vector<ModuleBytes>& mim) {
  std::optional<omt::Module> ownMim;
  if (!mim.empty()) {
    auto module = omt::readModule(mim.front().content, mim.front().name);
    if (!module) {
      omt::Error error = module.error();
      error.kind = omt::ErrorKind::ErrorReadingMim;
      return refused(error);
    }
    if (auto checked = omt::checkMim(*module); !checked) return refused(checked.error());
    ownMim = std::move(*module);
  }
  Contents contents;
  auto read = readNew(modules, contents);
  if (!read) return refused(read.error());

  tl::expected<omt::Merged, omt::Error> merged;
  executive::ModuleText mimText;
  if (ownMim) {
    mimText = {mim.front().name, std::make_shared<const Bytes>(mim.front().content)};
    contents.push_back(mimText);
    merged = omt::merge(*ownMim, *read);
  } else {
    mimText = {std::string(omt::standardMimDesignator),
               std::make_shared<const Bytes>(bytesOf(omt::standardMimText()))};
    merged = omt::merge(*read);
  }
  if (!merged) return refused(merged.error());
  log(merged->warnings);
  return std::make_shared<const FomModel>(std::move(merged->model), std::move(contents),
                                          std::move(mimText),
                                          executive::ModelHistory{mim, modules, {}});
}

}  // namespace tutti::node
