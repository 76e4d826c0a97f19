// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>

#include "composer/model/error.h"
#include "launcher/engine/slurm_allocation.h"

// What Slurm's accounting knows of the account that jobs are charged to.
namespace tutti::launcher {

struct SlurmAccount {
  bool isKept = false;  ///< false: the cluster keeps no accounts, and all else is empty
  QString name;         ///< empty: the user has none
  /// Of the account with all its users, decayed as the cluster's fair share is.
  std::optional<double> hoursUsed;
  std::optional<double> hoursLimit;  ///< nothing: there is none
  bool areCoreHours = false;         ///< of cores, whose limit the cluster sets, instead of nodes
  std::optional<int> jobsAtATime;    ///< of this user that may run; nothing: as many as there are
  std::optional<double> fairShare;   ///< 0 to 1, the factor of this user
  int rank = 0;                      ///< by it, among `users` of the account; 0: not known
  int users = 0;
  friend bool operator==(const SlurmAccount&, const SlurmAccount&) = default;
};

/// Whether the answer of `scontrol show config` names a database of accounts.
bool keepsAccounts(const QByteArray& config);
/// From the answers of `sacctmgr --format=User,Partition,MaxJobs` for the associations of an
/// account, and of `sshare --format=Account,User,FairShare,GrpTRESMins,GrpTRESRaw`. Pure.
SlurmAccount accountOf(const QString& account, const QString& user, const QByteArray& associations,
                       const QByteArray& shares);

/// Asks scontrol, sacctmgr and sshare for the cluster's account, or else the user's own. The error
/// says which of them does not answer. Blocks; any thread.
tl::expected<SlurmAccount, composer::Error> askAccount(const Cluster& cluster, const QString& user,
                                                       const std::stop_token& stop = {});

/// Hours that a job takes of as many nodes at most; nothing: it has no limit.
std::optional<double> nodeHoursAtMost(const Allocation::Request& request,
                                      const Partition& partition);

/// "1 840 of 5 000", "12.5"; hours have no more digits than a person reads.
QString hoursText(double hours);
/// "0.62, 9th of 24"
QString fairShareText(const SlurmAccount& account);

}  // namespace tutti::launcher
