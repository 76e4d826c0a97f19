// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/slurm_step.h"

#include "launcher/engine/ssh.h"

namespace tutti::launcher {

QStringList slurmWords(const Host& login, const QString& configuration, const QStringList& words) {
  QStringList all = words;
  if (!configuration.isEmpty())
    all = QStringList{QStringLiteral("env"), QStringLiteral("SLURM_CONF=") + configuration} + all;
  if (login.destination.isEmpty()) return all;
  return QStringList{QStringLiteral("ssh")} + sshArguments(login) +
         QStringList{QStringLiteral("exec ") + shellCommand(all)};
}

QStringList stepWords(const Host& host, const QString& command) {
  const JobNode& node = *host.jobNode;
  // Of the environment here what a login would set there. Where ssh leads to the login host, its
  // SSH_CONNECTION says where the cluster finds this machine.
  QString environment = QStringLiteral("HOME,USER,LOGNAME,PATH,LANG");
  if (!host.destination.isEmpty()) environment += QStringLiteral(",SSH_CONNECTION");
  return slurmWords(
      host, node.configuration,
      {QStringLiteral("srun"), QStringLiteral("--jobid=%1").arg(node.job),
       QStringLiteral("--nodelist=") + node.node, QStringLiteral("--nodes=1"),
       QStringLiteral("--ntasks=1"),
       // Its cores and memory are those of the job, which all steps on the node share.
       QStringLiteral("--overlap"), QStringLiteral("--cpu-bind=none"), QStringLiteral("--mpi=none"),
       QStringLiteral("--chdir=/"), QStringLiteral("--export=") + environment,
       QStringLiteral("--job-name=tutti"), QStringLiteral("/bin/sh"), QStringLiteral("-c"),
       command});
}

namespace {

/// What srun says when it starts no step in a job any more.
bool saysJobIsOver(const QByteArray& words) {
  return words.contains("Expired or invalid job") || words.contains("Invalid job id") ||
         words.contains("Job/step already completing");
}

/// All of stepLoss() but its reason.
Agent::Loss textsOfLoss(const Host& host, const QByteArray& words, int exitCode, bool greeted) {
  const JobNode& node = *host.jobNode;
  const QString all = QString::fromLocal8Bit(words);
  const auto says = [&](const char* part) { return all.contains(QLatin1String(part)); };
  const auto because = [&](const QString& why, const QString& next) {
    return Agent::Loss{host.name, why, next};
  };
  const auto taken = [&](const QString& why, const QString& next, bool takesJob = true) {
    return Agent::Loss{host.name, why, next, true, takesJob};
  };
  const QString job = QStringLiteral("job %1").arg(node.job);
  if (says("DUE TO TIME LIMIT")) {
    Agent::Loss loss = taken(
        QStringLiteral("%1 has reached its time limit").arg(job),
        QStringLiteral("Set a longer \"timeLimit\" of the cluster in the hosts file, as far as the "
                       "partition allows, and run again."));
    loss.atLimit = true;
    return loss;
  }
  if (says("DUE TO PREEMPTION"))
    return taken(QStringLiteral("%1 was preempted: Slurm gave the nodes to a job of higher "
                                "rank")
                     .arg(job),
                 QStringLiteral("Run again: it waits in the queue until nodes are free."));
  if (says("Node failure on") || says("DUE TO NODE FAILURE"))
    return taken(
        QStringLiteral("its node %1 has failed: Slurm does not hear it any more").arg(node.node),
        QStringLiteral("Its federates end there by themselves. Run again: Slurm gives another "
                       "node; scontrol show node %1 says more.")
            .arg(node.node),
        false);
  if (says("CANCELLED AT"))
    return taken(QStringLiteral("%1 was cancelled, and not by this run").arg(job),
                 QStringLiteral("Ask who has used scancel, and run again."));
  if (says("Unable to confirm allocation") || saysJobIsOver(words))
    return Agent::Loss{
        host.name, QStringLiteral("%1 is over").arg(job),
        QStringLiteral("Run again: another job is asked for. sacct -j %1 says how it "
                       "ended, where Slurm keeps accounts.")
            .arg(node.job),
        false, true};
  if (says("Unable to contact slurm controller"))
    return because(QStringLiteral("Slurm's controller does not answer"),
                   QStringLiteral("Check whether slurmctld runs: scontrol ping."));
  QString last;
  for (const QString& line : all.split(u'\n', Qt::SkipEmptyParts)) {
    if (line.startsWith(QStringLiteral("srun: error:"))) last = printable(line.mid(12).trimmed());
  }
  // What ssh says on the way to the login host, and of commands that are not there.
  if (last.isEmpty() && !host.destination.isEmpty())
    return sshLoss(host.name, words, exitCode, greeted);
  const QString saying = last.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(last);
  if (greeted)
    return because(
        QStringLiteral("its step of %1 on %2 has ended%3").arg(job, node.node, saying),
        QStringLiteral("Its federates end there by themselves. See what slurmd logs on %1, and "
                       "run again.")
            .arg(node.node));
  if (exitCode == 127)
    return because(QStringLiteral("the command is not on %1%2").arg(node.node, saying),
                   QStringLiteral("Let Tutti's programs be copied there, or install them."));
  return because(QStringLiteral("Slurm runs no step of %1 on %2%3").arg(job, node.node, saying),
                 QStringLiteral("See what slurmd logs on %1; scontrol show job %2 says how the job "
                                "is.")
                     .arg(node.node)
                     .arg(node.job));
}

}  // namespace

Agent::Loss stepLoss(const Host& host, const QByteArray& words, int exitCode, bool greeted) {
  Agent::Loss loss = textsOfLoss(host, words, exitCode, greeted);
  if (saysJobIsOver(words)) loss.reason = Agent::Loss::Reason::JobOver;
  return loss;
}

}  // namespace tutti::launcher
