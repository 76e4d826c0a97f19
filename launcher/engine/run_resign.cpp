// SPDX-License-Identifier: GPL-3.0-or-later
// Federates of a run that somebody has resign by the MOM: what becomes of their processes.
#include <algorithm>

#include "launcher/engine/run.h"

namespace tutti::launcher {

QStringList Run::processesOf(const std::vector<JoinedFederate>& joined,
                             const QStringList& federates) const {
  QStringList result;
  for (const ProcessStatus& one : processes_) {
    if (one.isNode) continue;
    const bool its = std::any_of(joined.begin(), joined.end(), [&](const JoinedFederate& each) {
      if (!each.now || !(federates.isEmpty() || federates.contains(each.name))) return false;
      return each.name == one.id || (one.host.isEmpty() && one.pid != 0 && each.pid == one.pid);
    });
    if (its) result << one.id;
  }
  return result;
}

QHash<QString, QString> Run::processByFederate(const std::vector<JoinedFederate>& joined) const {
  QHash<QString, QString> result;
  for (const JoinedFederate& each : joined) {
    if (const QStringList ids = processesOf({each}, {}); !ids.isEmpty())
      result.insert(each.name, ids.front());
  }
  return result;
}

QStringList Run::federatesOf(const std::vector<JoinedFederate>& joined,
                             const QStringList& processes) const {
  QStringList result;
  for (const JoinedFederate& each : joined) {
    if (!each.now) continue;
    for (const QString& id : processes) {
      const ProcessStatus* one = process(id);
      if (one == nullptr) continue;
      if (each.name == id || (one->host.isEmpty() && one->pid != 0 && each.pid == one->pid)) {
        result << each.name;
        break;
      }
    }
  }
  return result;
}

bool Run::isAwaitingResign(const QStringList& processes) const {
  return std::all_of(processes.begin(), processes.end(), [&](const QString& id) {
    const ProcessStatus* one = process(id);
    return one == nullptr || !one->alive() || one->resigning;
  });
}

void Run::expectResign(const QStringList& processes) { sendAll(processes, "resign"); }

void Run::noteResigned(const QStringList& resigned, const QStringList& remaining) {
  sendAll(resigned, "resigned");
  sendAll(remaining, "remains");
}

}  // namespace tutti::launcher
