// SPDX-License-Identifier: Apache-2.0
#include "node/fom_model_source.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "omt/compact_writer.h"
#include "omt/merge.h"
#include "omt/reader.h"

namespace tutti::node {

using executive::Answer;
using executive::FederationModel;
using executive::Refused;
using fabric::Bytes;
using fabric::ModuleBytes;
using fabric::Refusal;

namespace {

using Contents = std::vector<std::shared_ptr<const Bytes>>;

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
                     [&](const auto& known) { return *known == content; });
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
    known.push_back(std::make_shared<const Bytes>(module.content));
  }
  return result;
}

class FomModel final : public FederationModel {
 public:
  FomModel(omt::ObjectModel model, Contents contents, executive::ModelHistory history)
      : model_(std::move(model)),
        contents_(std::move(contents)),
        history_(std::move(history)),
        compact_(omt::encode(model_)) {}

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
    return std::make_shared<const FomModel>(std::move(merged->model), std::move(contents),
                                            std::move(history));
  }

 private:
  omt::ObjectModel model_;
  Contents contents_;
  executive::ModelHistory history_;
  Bytes compact_;
};

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
  if (ownMim) {
    contents.push_back(std::make_shared<const Bytes>(mim.front().content));
    merged = omt::merge(*ownMim, *read);
  } else {
    merged = omt::merge(*read);
  }
  if (!merged) return refused(merged.error());
  log(merged->warnings);
  return std::make_shared<const FomModel>(std::move(merged->model), std::move(contents),
                                          executive::ModelHistory{mim, modules, {}});
}

}  // namespace tutti::node
