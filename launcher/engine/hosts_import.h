// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/error.h"
#include "launcher/engine/hosts.h"

// Hosts and clusters that other programs know of. Both programs and their files are others': what
// they say is bounded and checked, and nothing of it is run. Blocking; any thread.
namespace tutti::launcher {

/// Hosts of an ssh configuration.
struct SshHosts {
  std::vector<Host> hosts;  ///< by name
  QStringList left;         ///< one sentence for each host that was left out
};

/// The concrete names after `Host` in `file` and in what it includes (wildcards and negations are
/// no hosts), each as `ssh -G` resolves it. Of the person's own file, ~/.ssh/config (empty `file`),
/// a host keeps its alias as destination, so that all its settings apply; of another file it gets
/// user, host name, port and the files of keys, and a host behind a proxy is left out. Keys are
/// named, never read. ssh runs what `Match ... exec` of the file says, as it does on connecting.
tl::expected<SshHosts, composer::Error> hostsOfSshConfig(const QString& file = {});

/// The cluster that `sinfo` tells of on the login host `destination`, through ssh, or here (empty).
/// Its name is the destination's host, or "slurm".
tl::expected<Cluster, composer::Error> askSinfo(const QString& destination = {});

/// What a cluster of a hosts file has now: its partitions are replaced.
tl::expected<Cluster, composer::Error> askSinfo(const Cluster& known);

/// The cluster in the answers of `sinfo --json` (of Slurm 22.05 or later) and `sinfo --noheader
/// --format=%R|%a|%l`: partitions with their states and time limits. Without a name.
tl::expected<Cluster, composer::Error> clusterOfSinfo(const QByteArray& json,
                                                      const QByteArray& partitions);

/// Puts what was imported into `deployment`. What a host of that name has and ssh does not know
/// (cores, memory, labels, an address) stays; of a cluster of that name the partitions are
/// replaced.
void merge(Deployment& deployment, const std::vector<Host>& hosts,
           const std::vector<Cluster>& clusters);

}  // namespace tutti::launcher
