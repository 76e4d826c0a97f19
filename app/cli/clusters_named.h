// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/error.h"
#include "launcher/engine/hosts.h"

namespace tutti::app {

/// The clusters of a hosts file; without one, the cluster that this machine belongs to.
tl::expected<std::vector<launcher::Cluster>, composer::Error> clustersOf(
    const std::optional<QString>& file);

/// The cluster of that name; the only one when the name is empty.
tl::expected<launcher::Cluster, composer::Error> clusterCalled(const std::optional<QString>& file,
                                                               const QString& name);

/// The cluster that a person means by the number of a job: the one that a hosts file names; else
/// the one to which this account has submitted that job from here, of several none; else as
/// clusterCalled().
tl::expected<launcher::Cluster, composer::Error> clusterOfJob(qint64 job,
                                                              const std::optional<QString>& file,
                                                              const QString& name);

}  // namespace tutti::app
