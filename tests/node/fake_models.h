// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "executive/model_source.h"

/// Object models without FOM files: the "compact model" is the list of module names, one a line.
/// A module whose content is "broken" is refused.
namespace tutti::test {

inline fabric::Bytes bytesOf(const std::string& text) {
  fabric::Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

inline std::string textOf(const std::byte* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

class FakeModel final : public executive::FederationModel {
 public:
  FakeModel(std::vector<std::string> modules, std::uint32_t action)
      : modules_(std::move(modules)), action_(action) {
    std::string text;
    for (const std::string& module : modules_) text += module + "\n";
    compact_ = bytesOf(text);
  }
  const fabric::Bytes& compact() const override { return compact_; }
  std::vector<std::string> modules() const override { return modules_; }
  executive::ModelHistory history() const override {
    executive::ModelHistory history;
    for (const std::string& module : modules_) history.modules.push_back({module, {}});
    return history;
  }
  std::uint32_t automaticResignAction() const override { return action_; }
  std::uint32_t privilegeToDelete() const override { return 1; }
  executive::Answer<std::shared_ptr<const executive::FederationModel>> extended(
      const std::vector<fabric::ModuleBytes>& modules) const override {
    std::vector<std::string> all = modules_;
    for (const auto& module : modules) {
      if (module.content == bytesOf("broken")) {
        return executive::refuse(fabric::Refusal::ErrorReadingFDD, module.name + ":1: is broken");
      }
      if (std::find(all.begin(), all.end(), module.name) == all.end()) all.push_back(module.name);
    }
    if (all.size() == modules_.size()) {
      return std::shared_ptr<const executive::FederationModel>();
    }
    return std::make_shared<const FakeModel>(std::move(all), action_);
  }

 private:
  std::vector<std::string> modules_;
  std::uint32_t action_;
  fabric::Bytes compact_;
};

class FakeModelSource final : public executive::ModelSource {
 public:
  executive::Answer<std::shared_ptr<const executive::FederationModel>> create(
      const std::vector<fabric::ModuleBytes>& modules,
      const std::vector<fabric::ModuleBytes>& /*mim*/) override {
    const auto base = std::make_shared<const FakeModel>(std::vector<std::string>{"MIM"}, action);
    auto model = base->extended(modules);
    if (!model) return tl::unexpected(model.error());
    if (!*model) return std::shared_ptr<const executive::FederationModel>(base);
    return *model;
  }

  std::uint32_t action = 4;  ///< CANCEL_THEN_DELETE_THEN_DIVEST
};

}  // namespace tutti::test
