// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/slurm_account.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <vector>

#include "launcher/engine/slurm.h"

namespace tutti::launcher {

using composer::Error;

namespace {

std::vector<QStringList> rowsOf(const QByteArray& answer, qsizetype fields) {
  std::vector<QStringList> rows;
  for (const QByteArray& line : answer.split('\n')) {
    QStringList row;
    // sshare indents accounts below their parents.
    for (const QString& field : QString::fromUtf8(line).split(u'|')) row << field.trimmed();
    if (row.size() >= fields) rows.push_back(std::move(row));
  }
  return rows;
}

std::optional<double> numberOf(const QString& text) {
  bool isNumber = false;
  const double number = text.toDouble(&isNumber);
  return isNumber && std::isfinite(number) && number >= 0 ? std::optional(number) : std::nullopt;
}

/// Of "cpu=120,mem=0,node=30".
std::optional<double> minutesOfTres(const QString& list, const QString& what) {
  for (const QString& each : list.split(u',')) {
    if (each.section(u'=', 0, 0) == what) return numberOf(each.section(u'=', 1));
  }
  return {};
}

}  // namespace

bool keepsAccounts(const QByteArray& config) {
  for (const QByteArray& line : config.split('\n')) {
    const QString text = QString::fromUtf8(line).simplified();
    if (text.startsWith(QStringLiteral("AccountingStorageType =")))
      return text.endsWith(QStringLiteral("/slurmdbd"));
  }
  return false;
}

SlurmAccount accountOf(const QString& account, const QString& user, const QByteArray& associations,
                       const QByteArray& shares) {
  SlurmAccount result;
  result.isKept = true;
  result.name = account;
  for (const QStringList& row : rowsOf(associations, 3)) {
    // One that is for a single partition says nothing about others.
    if (row[0] != user || !row[1].isEmpty()) continue;
    if (const auto jobs = numberOf(row[2])) result.jobsAtATime = static_cast<int>(*jobs);
  }
  std::vector<double> factors;
  for (const QStringList& row : rowsOf(shares, 5)) {
    if (row[0] != account) continue;
    if (row[1].isEmpty()) {
      const QString nodes = QStringLiteral("node");
      const QString cores = QStringLiteral("cpu");
      result.hoursLimit = minutesOfTres(row[3], nodes);
      result.areCoreHours = !result.hoursLimit && minutesOfTres(row[3], cores);
      if (result.areCoreHours) result.hoursLimit = minutesOfTres(row[3], cores);
      result.hoursUsed = minutesOfTres(row[4], result.areCoreHours ? cores : nodes);
      if (result.hoursLimit) *result.hoursLimit /= 60;
      if (result.hoursUsed) *result.hoursUsed /= 60;
    } else if (const auto factor = numberOf(row[2])) {
      factors.push_back(*factor);
      if (row[1] == user) result.fairShare = factor;
    }
  }
  // One who sees nobody else has no place among them.
  if (result.fairShare && factors.size() > 1) {
    result.users = static_cast<int>(factors.size());
    result.rank =
        1 + static_cast<int>(std::count_if(factors.begin(), factors.end(), [&](double factor) {
          return factor > *result.fairShare;
        }));
  }
  return result;
}

tl::expected<SlurmAccount, Error> askAccount(const Cluster& cluster, const QString& user,
                                             const std::stop_token& stop) {
  const auto ask = [&](const QStringList& words) { return askSlurm(cluster, words, stop); };
  const auto config =
      ask({QStringLiteral("scontrol"), QStringLiteral("show"), QStringLiteral("config")});
  if (!config) return tl::unexpected(config.error());
  if (!keepsAccounts(*config)) return SlurmAccount{};
  QString account = cluster.account;
  if (account.isEmpty()) {
    const auto own = ask({QStringLiteral("sacctmgr"), QStringLiteral("--noheader"),
                          QStringLiteral("--parsable2"), QStringLiteral("show"),
                          QStringLiteral("user"), user, QStringLiteral("format=DefaultAccount")});
    if (!own) return tl::unexpected(own.error());
    account = QString::fromUtf8(*own).section(u'\n', 0, 0).trimmed();
  }
  if (account.isEmpty() || !faultOfName(account).isEmpty()) {
    SlurmAccount none;
    none.isKept = true;
    return none;
  }
  const auto associations = ask(
      {QStringLiteral("sacctmgr"), QStringLiteral("--noheader"), QStringLiteral("--parsable2"),
       QStringLiteral("show"), QStringLiteral("associations"), QStringLiteral("account=") + account,
       QStringLiteral("user=") + user, QStringLiteral("format=User,Partition,MaxJobs")});
  if (!associations) return tl::unexpected(associations.error());
  const auto shares =
      ask({QStringLiteral("sshare"), QStringLiteral("--noheader"), QStringLiteral("--parsable2"),
           QStringLiteral("--all"), QStringLiteral("--accounts=") + account,
           QStringLiteral("--format=Account,User,FairShare,GrpTRESMins,GrpTRESRaw")});
  if (!shares) return tl::unexpected(shares.error());
  return accountOf(account, user, *associations, *shares);
}

std::optional<double> nodeHoursAtMost(const Allocation::Request& request,
                                      const Partition& partition) {
  const int own = minutesOf(request);
  const int minutes = own > 0 ? own : partition.timeLimit;
  if (minutes <= 0) return {};
  return request.nodes * minutes / 60.0;
}

QString hoursText(double hours) {
  if (hours > 0 && hours < 10) return QString::number(hours, 'g', 2);
  QString digits = QString::number(qint64(std::llround(std::min(hours, 1e15))));
  // Narrow no-break spaces, as all counts on the screen have.
  for (qsizetype at = digits.size() - 3; at > 0; at -= 3) digits.insert(at, QChar(0x202f));
  return digits;
}

QString fairShareText(const SlurmAccount& account) {
  if (!account.fairShare) return {};
  const QString factor = QString::number(*account.fairShare, 'f', 2);
  return account.rank == 0
             ? factor
             : QStringLiteral("%1, %2 of %3").arg(factor, ordinal(account.rank)).arg(account.users);
}

}  // namespace tutti::launcher
