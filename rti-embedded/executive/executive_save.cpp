// SPDX-License-Identifier: Apache-2.0
// What a save or restore asks of more than one federation execution: the files, and the execution
// that takes the place of another.
#include <spdlog/spdlog.h>

#include <utility>

#include "executive/executive.h"

namespace tutti::executive {

using namespace fabric;

Answer<Executive::Body> Executive::savedState(Connection& connection,
                                              const SavedStateRequest& request) {
  auto member = joined(connection);
  if (!member) return tl::unexpected(member.error());
  FederationExecution& execution = member->execution;
  const auto complete = execution.savedState(member->federate, request);
  if (!complete) return tl::unexpected(complete.error());
  if (*complete) {
    const SavedExecution saved = execution.takeSaved();
    tl::expected<void, std::string> written =
        tl::unexpected<std::string>("this RTI node keeps no saves");
    if (saves_ != nullptr) written = saves_->write(saved.federation, saved.label, toWire(saved));
    if (written) {
      spdlog::info("'{}' is saved as '{}'", saved.federation, saved.label);
    } else {
      spdlog::error("'{}' cannot be saved as '{}': {}", saved.federation, saved.label,
                    written.error());
    }
    auto ended = execution.endSave(written ? std::nullopt
                                           : std::optional(SaveRestore::SaveFailure::RtiUnable));
    if (!ended) return tl::unexpected(ended.error());
  }
  return Body{{}, {}, execution.logTail()};
}

Answer<SavedExecution> Executive::readSave(const std::string& federation,
                                           const std::string& label) const {
  const auto unreadable = [&](const std::string& why) {
    return refuse(Refusal::Internal,
                  "'" + federation + "' cannot be restored from '" + label + "': " + why);
  };
  if (saves_ == nullptr) return unreadable("this RTI node keeps no saves");
  const auto content = saves_->read(federation, label);
  if (!content) return unreadable(content.error());
  if (!*content) return unreadable("nothing was saved under that label");
  SavedExecution saved;
  if (!fromWire(**content, saved) || saved.format != SavedExecution::currentFormat) {
    return unreadable("the file is damaged, or of another version of Tutti");
  }
  return saved;
}

Answer<Executive::Body> Executive::requestRestore(Connection& connection,
                                                  const RequestRestoreRequest& request) {
  settle();
  auto member = joined(connection);
  if (!member) return tl::unexpected(member.error());
  FederationExecution& execution = member->execution;
  if (auto idle = execution.checkIdle(); !idle) return tl::unexpected(idle.error());
  const auto whyNot = beginRestore(execution, request.label);
  if (!whyNot) return tl::unexpected(whyNot.error());
  if (!whyNot->empty()) spdlog::warn("{}", *whyNot);
  // 4.25: what is wrong with the save is told by a callback.
  return Body{toWire(RequestRestoreReply{whyNot->empty()}), {}, execution.logTail()};
}

Answer<std::string> Executive::beginRestore(FederationExecution& execution,
                                            const std::string& label) {
  const auto saved = readSave(execution.name(), label);
  if (!saved) return saved.error().message;
  const auto begun = execution.beginRestore(*saved);
  if (!begun) return tl::unexpected(begun.error());
  if (*begun) return std::string();
  std::string members;
  for (const SavedMember& member : saved->members) {
    members += (members.empty() ? "" : ", ") + member.name + " (" + member.type + ")";
  }
  return "'" + execution.name() + "' cannot be restored from '" + label + "': it was saved with " +
         members + ", and the federates joined now are not as many of each type";
}

Answer<Executive::Body> Executive::operateSave(ConnectionId id, const OperateSaveRequest& request) {
  settle();
  const auto found = federations_.find(request.federation);
  if (found == federations_.end()) return noSuchFederation(request.federation);
  FederationExecution& execution = *found->second.execution;
  const auto withMembers = [&](const char* what) -> Answer<void> {
    if (execution.hasMembers()) return {};
    return refuse(Refusal::FederateNotExecutionMember, "'" + request.federation + "' cannot be " +
                                                           what + ": no federate is joined to it");
  };
  Answer<void> done;
  switch (request.action) {
    case SaveAction::Save:
      done = withMembers("saved").and_then([&] {
        return execution.requestSave(0, RequestSaveRequest{request.label, false, 0});
      });
      break;
    case SaveAction::AbortSave:
      done = execution.abortSave();
      break;
    case SaveAction::AbortRestore:
      done = execution.abortRestore();
      break;
    case SaveAction::Restore: {
      done = withMembers("restored").and_then([&] { return execution.checkIdle(); });
      if (!done) break;
      const auto whyNot = beginRestore(execution, request.label);
      if (!whyNot) {
        done = tl::unexpected(whyNot.error());
      } else if (!whyNot->empty()) {
        done = refuse(Refusal::Internal, *whyNot);
      }
      break;
    }
    default:
      done = refuse(Refusal::Internal, "what is asked of the save or restore is unknown");
  }
  if (!done) return tl::unexpected(done.error());
  spdlog::info("process {} asks to {} '{}'{}", connections_.at(id).pid,
               request.action == SaveAction::Save        ? "save"
               : request.action == SaveAction::AbortSave ? "abort the save of"
               : request.action == SaveAction::Restore   ? "restore"
                                                         : "abort the restore of",
               request.federation, request.label.empty() ? "" : " as '" + request.label + "'");
  return Body{};
}

Answer<Executive::Body> Executive::listSaves(const FederationNameRequest& request) const {
  SavesReply reply;
  if (const auto found = federations_.find(request.federation); found != federations_.end()) {
    reply = found->second.execution->saves();
  }
  if (saves_ != nullptr) {
    for (const SaveStore::Kept& kept : saves_->list(request.federation)) {
      SavedExecution saved;
      WireReader reader(kept.head);
      reader(saved.format, saved.federation, saved.label);
      // Names are part of the file's name, which a long one does not fit into.
      const bool usable = !reader.failed() && saved.format == SavedExecution::currentFormat &&
                          saved.federation == request.federation;
      if (usable) reply.saves.push_back({std::move(saved.label), kept.bytes, kept.savedAt});
    }
  }
  return Body{toWire(reply), {}, 0};
}

Answer<Executive::Body> Executive::restoreCompleted(Connection& connection,
                                                    const CompletedRequest& request) {
  auto member = joined(connection);
  if (!member) return tl::unexpected(member.error());
  FederationExecution& execution = member->execution;
  const auto complete = execution.restoreCompleted(member->federate, request);
  if (!complete) return tl::unexpected(complete.error());
  if (!*complete) return Body{{}, {}, execution.logTail()};

  auto next = restored(execution);
  if (!next) {
    spdlog::error("{}", next.error().message);
    auto ended = execution.endRestore(SaveRestore::RestoreFailure::RtiUnable);
    if (!ended) return tl::unexpected(ended.error());
    return Body{{}, {}, execution.logTail()};
  }
  const auto identities = execution.identities();
  auto ended = execution.endRestore(std::nullopt);
  if (!ended) return tl::unexpected(ended.error());
  const std::string name = execution.name();
  endManagement(name);
  Federation& federation = federations_.at(name);
  resigns_.restored(name, federation.number, lastFederation_ + 1, identities);
  federation.number = ++lastFederation_;
  if (options_.stopTime) (*next)->limitTime(*options_.stopTime);
  if (execution.pace() > 0) {
    (*next)->keepPace(execution.pace(), Clock::now());
    federation.paceLook = Clock::time_point{};
  }
  if (execution.heldAt()) (*next)->holdTime(*execution.heldAt());
  federation.stopTimeTold = false;  // its time may lie before it again
  federation.atStopTimeSince.reset();
  (*next)->continueOutcomes(execution);
  federation.execution = std::move(*next);  // the federates keep the old arena mapped until they go
  for (auto& [id, other] : connections_) {
    if (other.federation != name) continue;
    for (const RestoredIdentity& identity : identities) {
      if (identity.before != other.federate) continue;
      other.federate = identity.after;
      break;
    }
  }
  spdlog::info("'{}' is restored with {} federates", name, identities.size());
  return Body{};
}

Answer<std::unique_ptr<FederationExecution>> Executive::restored(
    const FederationExecution& execution) {
  const auto saved = readSave(execution.name(), execution.restoredLabel());
  if (!saved) return tl::unexpected(saved.error());
  auto model = models_.create(saved->model.modules, saved->model.mim);
  if (!model) return tl::unexpected(model.error());
  for (const auto& modules : saved->model.joins) {
    auto extended = (*model)->extended(modules);
    if (!extended) return tl::unexpected(extended.error());
    if (*extended) *model = std::move(*extended);
  }
  std::map<FederateNumber, Joiner> joiners;
  for (const RestoredIdentity& identity : execution.identities()) {
    for (const auto& [id, connection] : connections_) {
      if (connection.federation == execution.name() && connection.federate == identity.before) {
        joiners[identity.after] = {connection.pid, *connection.index, connection.remote,
                                   connection.host};
      }
    }
  }
  if (joiners.size() != saved->members.size()) {
    return refuse(Refusal::Internal, "'" + execution.name() + "' cannot be restored from '" +
                                         saved->label + "': the file was changed meanwhile");
  }
  return FederationExecution::restore(*saved, std::move(*model), joiners, budget_);
}

Answer<Executive::Body> Executive::enterRestored(Connection& connection) {
  auto member = joined(connection);
  if (!member) return tl::unexpected(member.error());
  auto reply = member->execution.enterRestored(member->federate);
  if (!reply) return tl::unexpected(reply.error());
  reply->join.execution = federations_.at(connection.federation).number;
  return Body{toWire(*reply), member->execution.arena().descriptors(), 0};
}

}  // namespace tutti::executive
