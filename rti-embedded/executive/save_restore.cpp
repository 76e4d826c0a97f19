// SPDX-License-Identifier: Apache-2.0
#include "executive/save_restore.h"

#include <algorithm>
#include <utility>

namespace tutti::executive {

using fabric::FederateNumber;
using fabric::Refusal;

Answer<void> SaveRestore::checkIdle() const {
  if (saving_) {
    return refuse(Refusal::SaveInProgress,
                  "the federation execution is being saved as '" + label_ +
                      "': wait for federationSaved or federationNotSaved, or abort the save");
  }
  if (restoring_) {
    return refuse(Refusal::RestoreInProgress,
                  "the federation execution is being restored from '" + label_ +
                      "': wait for federationRestored or federationNotRestored, or abort it");
  }
  return {};
}

const SaveRestore::Scheduled& SaveRestore::schedule(std::string label, std::uint64_t time) {
  scheduled_ = {++lastSave_, std::move(label), time};
  reached_.clear();
  return *scheduled_;
}

bool SaveRestore::reached(std::uint64_t save, FederateNumber federate,
                          const std::set<FederateNumber>& joined) {
  if (!scheduled_ || scheduled_->save != save) return false;
  reached_.insert(federate);
  return std::includes(reached_.begin(), reached_.end(), joined.begin(), joined.end());
}

void SaveRestore::initiateSave(std::string label, const std::set<FederateNumber>& joined) {
  scheduled_.reset();
  reached_.clear();
  saving_ = true;
  label_ = std::move(label);
  parts_.clear();
  for (const FederateNumber federate : joined) parts_[federate];
}

Answer<bool> SaveRestore::saveBegun(FederateNumber federate) {
  const auto part = parts_.find(federate);
  if (!saving_ || part == parts_.end() || part->second.status != SaveStatus::Instructed) {
    return refuse(Refusal::SaveNotInitiated,
                  "no save is waiting for this federate to begin: begin after the "
                  "initiateFederateSave callback, once");
  }
  part->second.status = SaveStatus::Saving;
  return std::none_of(parts_.begin(), parts_.end(), [](const auto& item) {
    return item.second.status == SaveStatus::Instructed;
  });
}

Answer<void> SaveRestore::checkSaveBegun(FederateNumber federate) const {
  const auto part = parts_.find(federate);
  if (!saving_ || part == parts_.end() || part->second.status != SaveStatus::Saving) {
    return refuse(Refusal::FederateHasNotBegunSave,
                  "this federate is not saving: call federateSaveBegun after the "
                  "initiateFederateSave callback first");
  }
  return {};
}

Answer<void> SaveRestore::saveCompleted(FederateNumber federate) {
  if (auto begun = checkSaveBegun(federate); !begun) return begun;
  parts_.at(federate).status = SaveStatus::Waiting;
  return {};
}

bool SaveRestore::saved(FederateNumber federate, fabric::SavedStateRequest state) {
  const auto part = parts_.find(federate);
  if (!saving_ || part == parts_.end() || part->second.status != SaveStatus::Waiting) {
    // Its save has ended since: another federate died or said that it could not save.
    return false;
  }
  part->second.state = std::move(state);
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const auto& item) { return item.second.state.has_value(); });
}

std::map<FederateNumber, fabric::SavedStateRequest> SaveRestore::takeStates() {
  std::map<FederateNumber, fabric::SavedStateRequest> states;
  for (auto& [federate, part] : parts_) states[federate] = std::move(*part.state);
  return states;
}

void SaveRestore::endSave() {
  saving_ = false;
  parts_.clear();
}

Answer<void> SaveRestore::checkSaving() const {
  if (saving_) return {};
  return refuse(Refusal::SaveNotInProgress, "the federation execution is not being saved");
}

std::vector<fabric::FederateSaveStatus> SaveRestore::saveStatus(
    const std::set<FederateNumber>& joined) const {
  std::vector<fabric::FederateSaveStatus> list;
  for (const FederateNumber federate : joined) {
    const auto part = parts_.find(federate);
    const auto status = part == parts_.end() ? SaveStatus::None : part->second.status;
    list.push_back({federate, static_cast<std::uint32_t>(status)});
  }
  return list;
}

void SaveRestore::beginRestore(std::string label, std::vector<fabric::RestoredIdentity> federates) {
  restoring_ = true;
  label_ = std::move(label);
  identities_ = std::move(federates);
  restored_.clear();
}

Answer<bool> SaveRestore::restoreCompleted(FederateNumber federate) {
  if (!restoring_ || restored_.contains(federate)) {
    return refuse(Refusal::RestoreNotRequested,
                  "no restore is waiting for this federate: complete after the "
                  "initiateFederateRestore callback, once");
  }
  restored_.insert(federate);
  return restored_.size() == identities_.size();
}

Answer<void> SaveRestore::checkRestoring() const {
  if (restoring_) return {};
  return refuse(Refusal::RestoreNotInProgress, "the federation execution is not being restored");
}

void SaveRestore::endRestore() {
  restoring_ = false;
  identities_.clear();
  restored_.clear();
}

std::vector<fabric::FederateRestoreStatus> SaveRestore::restoreStatus(
    const std::set<FederateNumber>& joined) const {
  std::vector<fabric::FederateRestoreStatus> list;
  for (const FederateNumber federate : joined) {
    const auto identity =
        std::find_if(identities_.begin(), identities_.end(),
                     [&](const auto& candidate) { return candidate.before == federate; });
    RestoreStatus status = RestoreStatus::None;
    if (restoring_) {
      status = restored_.contains(federate) ? RestoreStatus::Waiting : RestoreStatus::Restoring;
    }
    list.push_back({federate, identity == identities_.end() ? 0 : identity->after,
                    static_cast<std::uint32_t>(status)});
  }
  return list;
}

bool SaveRestore::left(FederateNumber federate, const std::set<FederateNumber>& joined) {
  reached_.erase(federate);
  return scheduled_ && !joined.empty() &&
         std::includes(reached_.begin(), reached_.end(), joined.begin(), joined.end());
}

}  // namespace tutti::executive
