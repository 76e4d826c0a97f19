// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/measured_exchanges.h"

#include <QFileInfo>
#include <QHash>

#include "monitor/engine/run_store.h"

namespace tutti::app {

launcher::MeasuredExchanges lastExchanges(const QString& file,
                                          const composer::Composition& composition) {
  using monitor::RunStore;
  launcher::MeasuredExchanges result;
  if (file.isEmpty() || !QFileInfo::exists(RunStore::defaultPath())) return result;
  const auto store = RunStore::open();
  if (!store) return result;
  const auto last = (*store)->lastExchanges(file);
  if (!last || last->run == 0) return result;
  QHash<QString, QString> federateOf;
  for (const auto& [id, federate] : composition.federates) {
    for (const QString& instance : federate.instanceNames()) federateOf[instance] = federate.name;
  }
  result.run = last->run;
  for (const monitor::ExchangeRecord& each : last->exchanges) {
    const QString sender = federateOf.value(each.sender);
    const QString receiver = federateOf.value(each.receiver);
    if (!sender.isEmpty() && !receiver.isEmpty() && sender != receiver)
      result.exchanges.push_back({sender, receiver, each.perSecond});
  }
  return result;
}

}  // namespace tutti::app
