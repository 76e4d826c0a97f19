// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/placement_text.h"

#include <algorithm>
#include <set>

#include "composer/model/json_fields.h"
#include "launcher/engine/preflight.h"

namespace tutti::app {

using namespace tutti::launcher;
using tutti::composer::stringsJson;

namespace {

const char* nameOf(PlacementNeed need) {
  switch (need) {
    case PlacementNeed::Pin:
      return "pin";
    case PlacementNeed::Labels:
      return "labels";
    case PlacementNeed::Apart:
      return "apart";
    case PlacementNeed::Memory:
      return "memory";
    case PlacementNeed::Cores:
      return "cores";
  }
  return "";
}

}  // namespace

nlohmann::json placementJson(const Placement& placement, const PlacementInput& input,
                             const MeasuredRates& measured) {
  nlohmann::json placed = nlohmann::json::array();
  for (const PlacedFederate& each : placement.placed) {
    placed.push_back({{"federate", each.federate.toStdString()},
                      {"host", each.host.toStdString()},
                      {"reason", each.reason.toStdString()}});
  }
  nlohmann::json refused = nlohmann::json::array();
  for (const RefusedFederate& each : placement.refused) {
    refused.push_back({{"federate", each.federate.toStdString()},
                       {"need", nameOf(each.need)},
                       {"bestHost", each.bestHost.toStdString()},
                       {"lacking", each.lacking},
                       {"missing", stringsJson(each.missing)},
                       {"reason", each.reason.toStdString()}});
  }
  return {{"placed", placed},
          {"refused", refused},
          {"between", placement.between},
          {"total", placement.total},
          {"unit", input.weightUnit.toStdString()},
          {"measuredPairs", measured.pairs},
          {"measuredRun", measured.pairs > 0 ? nlohmann::json(measured.run) : nlohmann::json()},
          {"exact", placement.exact}};
}

void printPlacement(QTextStream& out, const Placement& placement, const PlacementInput& input,
                    const MeasuredRates& measured) {
  qsizetype names = 0;
  qsizetype hosts = 0;
  std::set<QString> used;
  for (const PlacedFederate& each : placement.placed) {
    names = std::max(names, each.federate.size());
    hosts = std::max(hosts, each.host.size());
    used.insert(each.host);
  }
  for (const RefusedFederate& each : placement.refused)
    names = std::max(names, each.federate.size());
  if (!placement.refused.empty()) hosts = std::max<qsizetype>(hosts, 7);
  const auto line = [&](const QString& federate, const QString& host, const QString& reason) {
    out << federate.leftJustified(names + 2) << host.leftJustified(hosts + 2) << reason << '\n';
  };
  for (const PlacedFederate& each : placement.placed) line(each.federate, each.host, each.reason);
  for (const RefusedFederate& each : placement.refused)
    line(each.federate, QStringLiteral("refused"), each.reason);
  const auto counted = [](std::size_t number, const char* noun) {
    return QStringLiteral("%1 %2%3").arg(number).arg(QLatin1String(noun),
                                                     number == 1 ? QString{} : QStringLiteral("s"));
  };
  out << counted(placement.placed.size(), "federate") << " on " << counted(used.size(), "host")
      << ", " << placement.refused.size() << " refused; "
      << QString::number(placement.between, 'g', 10) << " of "
      << QString::number(placement.total, 'g', 10) << ' ' << input.weightUnit << " between hosts"
      << (placement.exact ? ", as few as can be" : "") << Qt::endl;
  if (measured.pairs > 0) {
    out << QStringLiteral("The rates of %1 are those measured in run %2; the others are declared.")
               .arg(counted(static_cast<std::size_t>(measured.pairs), "pair"))
               .arg(measured.run)
        << Qt::endl;
  }
}

void describeThisMachine(Deployment& deployment) {
  for (Host& host : deployment.hosts) {
    if (!host.isThisMachine()) continue;
    const MachineState machine = MachineState::now();
    if (host.cores == 0) host.cores = machine.cores;
    if (host.memoryMb == 0) host.memoryMb = machine.memoryTotalMb;
  }
}

}  // namespace tutti::app
