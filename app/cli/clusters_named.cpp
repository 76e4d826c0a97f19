// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/clusters_named.h"

#include <QStringList>
#include <algorithm>

#include "launcher/engine/batch_job.h"

namespace tutti::app {

using composer::Error;
using launcher::Cluster;
using launcher::Deployment;

tl::expected<std::vector<Cluster>, Error> clustersOf(const std::optional<QString>& file) {
  if (!file) {
    Cluster here;
    here.name = QStringLiteral("slurm");
    return std::vector{here};
  }
  auto deployment = Deployment::read(*file);
  if (!deployment) return tl::unexpected(deployment.error());
  if (deployment->clusters.empty())
    return tl::unexpected(Error{*file,
                                0,
                                {},
                                QStringLiteral("The file describes no cluster."),
                                QStringLiteral("Add one: tutti hosts import --sinfo -o %1, or "
                                               "--login DESTINATION.")
                                    .arg(*file)});
  return deployment->clusters;
}

tl::expected<Cluster, Error> clusterCalled(const std::optional<QString>& file,
                                           const QString& name) {
  const auto clusters = clustersOf(file);
  if (!clusters) return tl::unexpected(clusters.error());
  QStringList names;
  for (const Cluster& each : *clusters) {
    if (each.name == name || (name.isEmpty() && clusters->size() == 1)) return each;
    names << each.name;
  }
  return tl::unexpected(
      Error{file.value_or(QString{}),
            0,
            {},
            name.isEmpty() ? QStringLiteral("There are several clusters.")
                           : QStringLiteral("There is no cluster \"%1\".").arg(name),
            QStringLiteral("Name one of %1.").arg(names.join(QStringLiteral(", ")))});
}

tl::expected<Cluster, Error> clusterOfJob(qint64 job, const std::optional<QString>& file,
                                          const QString& name) {
  if (!file) {
    std::vector<Cluster> meant;
    QStringList names;
    for (const auto& each : launcher::submittedJobs()) {
      if (!each.jobs.contains(job) || (!name.isEmpty() && each.cluster.name != name)) continue;
      const bool known = std::any_of(meant.begin(), meant.end(), [&](const Cluster& one) {
        return launcher::isSameCluster(one, each.cluster);
      });
      if (known) continue;
      meant.push_back(each.cluster);
      names << QStringLiteral("%1 in %2, of %3")
                   .arg(each.cluster.name,
                        each.cluster.destination.isEmpty()
                            ? each.folder
                            : each.folder + QStringLiteral(" (") + each.cluster.destination + u')',
                        each.federation);
    }
    if (meant.size() > 1)
      return tl::unexpected(
          Error{{},
                0,
                {},
                QStringLiteral("Several clusters have a job %1 that was submitted from here: %2.")
                    .arg(job)
                    .arg(names.join(QStringLiteral("; "))),
                QStringLiteral("Name one with --cluster, or with --hosts the hosts file that it "
                               "is of.")});
    if (!meant.empty()) return meant.front();
  }
  return clusterCalled(file, name);
}

}  // namespace tutti::app
