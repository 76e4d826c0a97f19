// SPDX-License-Identifier: Apache-2.0
// The executive's part of the MOM (IEEE 1516.1-2010, 11): the hidden member that serves it, and
// what only the executive knows.
#include <algorithm>
#include <utility>

#include "executive/federation_execution.h"

namespace tutti::executive {

using namespace fabric;

namespace {

/// HLAsynchPointStatus.
constexpr std::uint32_t movingToSynchPoint = 2;
constexpr std::uint32_t waitingForRestOfFederation = 3;

/// rti1516e::NO_ACTION, the last of rti1516e::ResignAction.
constexpr std::uint32_t mostResignAction = 5;

std::vector<std::string> designatorsOf(const std::vector<ModuleText>& modules) {
  std::vector<std::string> result;
  for (const ModuleText& module : modules) result.push_back(module.designator);
  return result;
}

}  // namespace

FederateNumber FederationExecution::management() const {
  return management_.empty() ? 0 : management_.begin()->first;
}

Answer<void> FederationExecution::openManagement(FederateNumber federate) {
  const ManagementClasses& classes = model_->management();
  if (!management_.empty() || classes.subscribed.empty()) return {};
  JoinRequest request;
  request.federation = name_;
  request.federateName = "HLAmanager";
  request.federateType = "HLAmanager";
  // A connection past the last bit of the spin page: it never polls.
  const Joiner node{0, SpinPage::spinWords * 64};
  if (federate == 0) federate = ++lastFederate_;
  auto reply = admit(request, node, nullptr, true, federate);
  if (!reply) return tl::unexpected(reply.error());
  managementReply_ = std::move(*reply);

  const auto open = [&]() -> Answer<void> {
    for (const auto& published : classes.published) {
      DeclareObjectClassRequest declaration;
      declaration.objectClass = published.objectClass;
      declaration.publish = true;
      declaration.attributes = published.attributes;
      if (auto declared = declare(federate, declaration); !declared) return declared;
    }
    for (const std::uint32_t interactionClass : classes.subscribed) {
      const DeclareInteractionClassRequest declaration{interactionClass, false, true, false};
      if (auto declared = declare(federate, declaration); !declared) return declared;
    }
    return {};
  };
  if (auto opened = open(); !opened) {
    leave(federate, FederateState::Resigned, true);
    return opened;
  }
  return {};
}

std::vector<ModuleText> FederationExecution::textsOf(
    const std::vector<ModuleBytes>& modules) const {
  std::vector<ModuleText> result;
  if (modules.empty()) return result;
  const std::vector<ModuleText> known = model_->moduleTexts();
  for (const ModuleBytes& module : modules) {
    const auto same = std::find_if(known.begin(), known.end(), [&](const ModuleText& text) {
      return text.content != nullptr && *text.content == module.content;
    });
    result.push_back({module.name, same != known.end()
                                       ? same->content
                                       : std::make_shared<const Bytes>(module.content)});
  }
  return result;
}

Answer<JoinReply> FederationExecution::attachManagement() {
  if (!managementReply_) {
    return refuse(Refusal::Internal, "'" + name_ + "' has no member that waits to serve the MOM");
  }
  JoinReply reply = std::move(*managementReply_);
  managementReply_.reset();
  return reply;
}

MomInformation FederationExecution::momInformation() const {
  MomInformation information;
  information.timeImplementation = timeImplementation_;
  information.mim = model_->mim().designator;
  information.modules = designatorsOf(model_->moduleTexts());
  for (const auto& [federate, member] : members_) {
    MomFederate one;
    one.federate = federate;
    one.name = member.name;
    one.type = member.type;
    one.reportPeriod = member.reportPeriod;
    one.host = member.process.host;
    information.federates.push_back(std::move(one));
  }
  constexpr std::uint32_t saving = 3;
  constexpr std::uint32_t restoring = 5;
  if (saveRestore_.isSaving()) information.federateState = saving;
  if (saveRestore_.isRestoring()) information.federateState = restoring;
  information.lastSave = lastSave_;
  information.lastSaveHasTime = lastSaveTime_.has_value();
  information.lastSaveTime = lastSaveTime_.value_or(0);
  if (const auto& next = saveRestore_.scheduled()) {
    information.nextSave = next->label;
    information.nextSaveHasTime = true;
    information.nextSaveTime = next->time;
  }
  for (const auto& [label, point] : points_.open()) {
    MomSynchronizationPoint one;
    one.label = label;
    for (const FederateNumber federate : point.members) {
      one.federates.push_back({federate, point.achieved.contains(federate)
                                             ? waitingForRestOfFederation
                                             : movingToSynchPoint});
    }
    information.synchronizationPoints.push_back(std::move(one));
  }
  return information;
}

MomTextReply FederationExecution::momText(const MomTextRequest& request) const {
  MomTextReply reply;
  const auto take = [&](const ModuleText& module) {
    if (module.content == nullptr) return;
    reply.found = true;
    reply.text = *module.content;
  };
  switch (request.kind) {
    case MomTextKind::Fdd: {
      const std::string text = model_->fdd();
      const auto* first = reinterpret_cast<const std::byte*>(text.data());
      reply.text.assign(first, first + text.size());
      reply.found = true;
      break;
    }
    case MomTextKind::Mim:
      take(model_->mim());
      break;
    case MomTextKind::FomModule: {
      std::vector<ModuleText> modules;
      if (request.federate == 0) {
        modules = model_->moduleTexts();
      } else if (const auto found = members_.find(request.federate); found != members_.end()) {
        modules = found->second.modules;
      }
      if (request.index < modules.size()) take(modules[request.index]);
      break;
    }
  }
  return reply;
}

Answer<void> FederationExecution::momCommand(const MomCommand& command) {
  if (!members_.contains(command.federate)) {
    return refuse(
        Refusal::FederateNotExecutionMember,
        "federate " + std::to_string(command.federate) + " is not joined to '" + name_ + "'");
  }
  const auto number = log_.append(LogRecordType::MomCommand, command);
  if (!number) return refuse(Refusal::OutOfMemory, number.error());
  return {};
}

Answer<std::vector<ResignPart>> FederationExecution::resignByMom(
    const OperateResignRequest& request) {
  const ManagementClasses::Resign& service = model_->management().resign;
  if (service.interactionClass == 0) {
    return refuse(Refusal::Internal, "the object model of '" + name_ +
                                         "' has no HLAresignFederationExecution of the MOM");
  }
  if (request.hasAction && request.action > mostResignAction) {
    return refuse(Refusal::Internal, "there is no such resign action");
  }
  std::set<std::string> missing(request.federates.begin(), request.federates.end());
  std::vector<ResignPart> parts;
  for (const auto& [federate, member] : members_) {
    if (missing.erase(member.name) == 0 && !request.federates.empty()) continue;
    parts.push_back({federate, member.name, ResignState::Awaited, {}});
  }
  if (!missing.empty()) {
    return refuse(Refusal::FederateNotExecutionMember,
                  "'" + *missing.begin() + "' is not joined to '" + name_ + "'");
  }
  if (parts.empty()) {
    return refuse(Refusal::FederateNotExecutionMember, "no federate is joined to '" + name_ + "'");
  }
  for (const ResignPart& part : parts) {
    const std::uint32_t action = request.hasAction
                                     ? request.action
                                     : blockOf(members_.at(part.federate))
                                           .automaticResignAction.load(std::memory_order_relaxed);
    // HLAresignAction is an HLAinteger32BE that counts from 1.
    const auto value = static_cast<std::byte>(std::min(action, mostResignAction) + 1);
    const Bytes encoded{std::byte{0}, std::byte{0}, std::byte{0}, value};
    if (auto told =
            momCommand({part.federate, service.interactionClass, {{service.action, encoded}}});
        !told) {
      return tl::unexpected(told.error());
    }
  }
  return parts;
}

Answer<void> FederationExecution::momSwitches(const MomSwitches& switches) {
  const auto number = log_.append(LogRecordType::MomSwitches, switches);
  if (!number) return refuse(Refusal::OutOfMemory, number.error());
  autoProvide_ = switches.autoProvide;
  return {};
}

Answer<void> FederationExecution::momTiming(const MomTiming& timing) {
  const auto found = members_.find(timing.federate);
  if (found == members_.end()) return {};
  const auto number = log_.append(LogRecordType::MomTiming, timing);
  if (!number) return refuse(Refusal::OutOfMemory, number.error());
  found->second.reportPeriod = timing.reportPeriod;
  return {};
}

}  // namespace tutti::executive
