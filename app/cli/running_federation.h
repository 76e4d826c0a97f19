// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <tl/expected.hpp>

namespace tutti::app {

/// A federation execution at an RTI node of this user on this host.
struct RunningFederation {
  QString node;  ///< name of the RTI node
  QString federation;
  [[nodiscard]] QString designator() const { return QStringLiteral("shm:") + node; }
};

/// The federation that is meant: the only one of that name, or the only one there is when `wanted`
/// is empty, those without federates only where there is no other; at the node of `designator` (shm:NAME), or at any when it is empty. The error lists
/// those that run.
tl::expected<RunningFederation, QString> findFederation(const QString& wanted,
                                                        const QString& designator);

}  // namespace tutti::app
