// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <tl/expected.hpp>

#include "launcher/engine/launch_plan.h"

namespace tutti::app {

/// A federation execution at an RTI node of this user on this host.
struct RunningFederation {
  QString node;  ///< name of the RTI node
  QString federation;
  [[nodiscard]] QString designator() const { return QStringLiteral("shm:") + node; }
};

/// The federation that is meant: the only one of that name, or the only one there is when `wanted`
/// is empty, those without federates only where there is no other; at the node of `designator`
/// (shm:NAME), or at any when it is empty. The error lists those that run.
tl::expected<RunningFederation, QString> findFederation(const QString& wanted,
                                                        const QString& designator);

/// A federation, and the run of this user that it is of, if any.
struct Target {
  RunningFederation federation;
  std::optional<launcher::LaunchPlan> run;
};

/// Likewise, where a run may be named too, which is looked for first unless there is a designator.
tl::expected<Target, QString> findTarget(const QString& wanted, const QString& designator);

}  // namespace tutti::app
