// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include "launcher/engine/agent.h"
#include "launcher/engine/hosts.h"

// A node of a Slurm job as a host: each command there is a step of the job, in which Slurm counts
// and ends it.
namespace tutti::launcher {

/// A command of Slurm as the cluster of `login` understands it: the program and its arguments, here
/// or through ssh on its login host. `configuration`: its slurm.conf, empty for Slurm's own.
QStringList slurmWords(const Host& login, const QString& configuration, const QStringList& words);

/// The program and its arguments that execute `command` on that node, in /bin/sh, beside the other
/// steps of its job.
QStringList stepWords(const Host& host, const QString& command);

/// Why a step has ended with that exit code of srun (or ssh) and these last words, such as the end
/// of its node or of its whole job.
Agent::Loss stepLoss(const Host& host, const QByteArray& words, int exitCode, bool greeted);

}  // namespace tutti::launcher
