// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/slurm_script.h"

#include <QFileInfo>
#include <map>

#include "launcher/engine/slurm_nodes.h"
#include "launcher/engine/ssh.h"

namespace tutti::launcher {

namespace {

/// A federation's name as part of a file's and a job's: Slurm replaces what begins with %.
QString fileName(QString name) {
  for (QChar& each : name) {
    const bool plain = each.isLetterOrNumber() && each.unicode() < 128;
    if (!plain && each != u'-' && each != u'_' && each != u'.') each = u'-';
  }
  return name.isEmpty() ? QStringLiteral("federation") : name;
}

/// As sbatch reads it in a script.
QString optionValue(const QString& value) {
  if (!value.contains(u' ')) return value;
  return u'"' + value + u'"';
}

}  // namespace

tl::expected<QByteArray, composer::Error> sbatchScript(const LaunchPlan& plan,
                                                       const QStringList& command,
                                                       const ScriptPlace& place) {
  const auto requests = requestsOf(plan);
  if (requests.empty())
    return tl::unexpected(composer::Error{
        plan.composition, 0, QStringLiteral("/federates"),
        QStringLiteral("No federate is placed on a node of a cluster."),
        QStringLiteral("Name CLUSTER/PARTITION/1 as the host of one, of a cluster of the hosts "
                       "file.")});
  if (requests.size() > 1)
    return tl::unexpected(composer::Error{
        plan.composition, 0, QStringLiteral("/federates"),
        QStringLiteral("Federates are placed on nodes of %1 and %2, and a job has nodes of one "
                       "partition.")
            .arg(requests[0].cluster.name + u'/' + requests[0].partition,
                 requests[1].cluster.name + u'/' + requests[1].partition),
        QStringLiteral("Place them in one partition, or start the run with tutti run, which asks "
                       "for a job in each.")});
  const QString name = fileName(plan.federation);
  QString script = QStringLiteral("#!/bin/bash\n#SBATCH --job-name=tutti-%1\n").arg(name);
  for (const QString& option : sallocOptions(requests.front()))
    script += QStringLiteral("#SBATCH ") + option + u'\n';
  if (requests.front().cluster.immediate) {
    // sbatch has no --immediate. A job that could not end by then any more is removed.
    if (const int minutes = minutesOf(requests.front()); minutes > 0)
      script += QStringLiteral("#SBATCH --deadline=now+%1minutes\n").arg(minutes + 1);
    else
      script += QStringLiteral(
          "# It waits in the queue: to start now or not at all, a script needs a time limit.\n");
  }
  // Started again it would find logs and shared memory of a run that nobody has ended.
  const QString folder = QFileInfo(place.script).path();
  QString output = name + QStringLiteral("-%j.log");
  if (!place.script.isEmpty()) {
    output.prepend(QString(folder).replace(u'%', QStringLiteral("%%")) + u'/');
    script += QStringLiteral("#SBATCH --chdir=%1\n").arg(optionValue(folder));
  }
  script += QStringLiteral("#SBATCH --no-requeue\n#SBATCH --output=%1\n").arg(optionValue(output));
  std::map<int, QString> bound;
  for (const auto& one : plan.hosts) {
    if (one.host.jobNode) bound[one.host.jobNode->number] = one.host.name;
  }
  QStringList names;
  for (const auto& [number, host] : bound) names << host;
  script += QStringLiteral("# Its nodes become, in their order: %1.\n")
                .arg(names.join(QStringLiteral(", ")));
  script += QStringLiteral(
      "# Submitted again by the run, with the label of a save, when it is to go on after the time "
      "limit.\n");
  script += QStringLiteral("export TUTTI_JOB_SCRIPT=%1\n")
                .arg(place.script.isEmpty() ? QStringLiteral("$0") : shellCommand({place.script}));
  if (!place.stateHome.isEmpty())
    script += QStringLiteral("export XDG_STATE_HOME=%1\n").arg(shellCommand({place.stateHome}));
  if (!place.script.isEmpty())
    script += QStringLiteral("echo \"$SLURM_JOB_ID\" >> %1\n")
                  .arg(shellCommand({folder + QStringLiteral("/jobs")}));
  script +=
      QStringLiteral("exec ") + shellCommand(command) + QStringLiteral(" ${1:+--restore \"$1\"}\n");
  return script.toUtf8();
}

}  // namespace tutti::launcher
