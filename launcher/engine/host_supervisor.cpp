// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/host_supervisor.h"

#include "launcher/engine/ssh.h"

namespace tutti::launcher {

QString supervisorCommand(const PlannedHost& host, const QStringList& arguments) {
  QStringList words = QStringList{host.supervisor} + arguments;
  if (!host.libraries.isEmpty())
    words =
        QStringList{QStringLiteral("env"), QStringLiteral("LD_LIBRARY_PATH=") + host.libraries} +
        words;
  return QStringLiteral("exec ") + shellCommand(words);
}

QString attachCommand(const PlannedHost& host, const QString& run) {
  return supervisorCommand(host, {QStringLiteral("--attach"), host.socketRun(run)});
}

double silenceHere(const LaunchPlan& plan) {
  // An operator may have the RTI wait for a host until the very end of its grace, and what was
  // decided is known here a moment later.
  constexpr double moment = 5;
  return plan.silenceOfHosts() + (plan.longestWait > 0 ? moment : 0);
}

}  // namespace tutti::launcher
