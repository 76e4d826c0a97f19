// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "launcher/engine/federate_move.h"
#include "monitor/engine/federation_saves.h"

namespace tutti::app {

/// Saves and restores the federation execution of a run that a federate is moved in.
inline launcher::FederateMove::Operate operateSavesOf(const launcher::LaunchPlan& plan) {
  constexpr std::chrono::seconds patience{60};
  return [node = plan.node, federation = plan.federation, patience](
             bool restore, const QString& label,
             const std::stop_token& stop) -> tl::expected<void, QString> {
    return monitor::operateSave(node, federation,
                                restore ? monitor::SaveVerb::Restore : monitor::SaveVerb::Save,
                                label, patience, {}, stop);
  };
}

}  // namespace tutti::app
