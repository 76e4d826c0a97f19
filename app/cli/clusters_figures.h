// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "launcher/engine/hosts.h"

// Parts of the verb `clusters`: what the page Deploy shows of an account, and of a start.
namespace tutti::app {

struct Invocation;

/// Prints the figures of the account that jobs on that cluster are charged to; an exit code.
int printAccount(Invocation& invocation, const launcher::Cluster& cluster);
/// Prints when Slurm would start the jobs of a composition, and which smaller ones it would start
/// now. Nothing is submitted. An exit code.
int printStart(Invocation& invocation, const QString& composition, const QString& hosts);

}  // namespace tutti::app
