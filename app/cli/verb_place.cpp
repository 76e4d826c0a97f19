// SPDX-License-Identifier: GPL-3.0-or-later
// tutti place: a host for each federate of a composition.
#include <QDir>
#include <QFileInfo>

#include "app/cli/placement_text.h"
#include "app/cli/verb.h"
#include "app/measured_exchanges.h"
#include "composer/model/catalog.h"
#include "composer/model/document.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/placement.h"
#include "launcher/engine/placement_input.h"

namespace {

using namespace tutti::app;
using namespace tutti::launcher;
using tutti::composer::Catalog;
using tutti::composer::Composition;
using tutti::composer::Document;
using tutti::composer::Error;

/// Takes the wishes out of the arguments; a text says what is wrong with them.
tl::expected<PlacementWishes, QString> takeWishes(Invocation& invocation) {
  PlacementWishes wishes;
  wishes.keep = invocation.takeFlag(QStringLiteral("--keep"));
  while (const auto pin = invocation.takeOption(QStringLiteral("--pin"))) {
    const auto equals = pin->lastIndexOf(u'=');
    if (equals < 1 || equals + 1 == pin->size())
      return tl::unexpected(QStringLiteral("\"%1\" is not FEDERATE=HOST").arg(*pin));
    wishes.pins[pin->left(equals)] = pin->mid(equals + 1);
  }
  while (const auto apart = invocation.takeOption(QStringLiteral("--apart"))) {
    const QStringList names = apart->split(u',', Qt::SkipEmptyParts);
    if (names.size() < 2)
      return tl::unexpected(QStringLiteral("--apart needs two federates or more, with commas"));
    wishes.apart.push_back(names);
  }
  return wishes;
}

/// Why the wishes do not fit the composition; empty when they do.
QString faultOf(const PlacementWishes& wishes, const Composition& composition) {
  QStringList names;
  for (const auto& [id, federate] : composition.federates) {
    if (names.contains(federate.name))
      return QStringLiteral("two federates are called \"%1\"").arg(federate.name);
    names << federate.name;
  }
  QStringList wished;
  for (const auto& [name, host] : wishes.pins) wished << name;
  for (const QStringList& set : wishes.apart) wished << set;
  for (const QString& name : std::as_const(wished)) {
    if (!names.contains(name)) return QStringLiteral("no federate is called \"%1\"").arg(name);
  }
  return {};
}

int run(Invocation& invocation) {
  const QString verb = QStringLiteral("place");
  const auto fail = [&](const Error& error, ExitCode code = Usage) {
    if (invocation.json) {
      invocation.print({{"error", error.message().toStdString()}});
    } else {
      invocation.err << error.message() << Qt::endl;
    }
    return code;
  };
  const auto hostsFile = invocation.takeOption(QStringLiteral("--hosts"));
  const auto output = invocation.takeOption(QStringLiteral("-o"));
  const bool declared = invocation.takeFlag(QStringLiteral("--declared"));
  const auto wishes = takeWishes(invocation);
  if (!wishes) return invocation.usage(verb, wishes.error());
  if (!hostsFile || hostsFile->isEmpty())
    return invocation.usage(verb, QStringLiteral("name the hosts with --hosts FILE"));
  if (output && output->isEmpty()) return invocation.usage(verb, QStringLiteral("-o needs a file"));
  if (invocation.arguments.size() != 1 || invocation.arguments.front().startsWith(u'-'))
    return invocation.usage(verb, QStringLiteral("name one composition"));

  Document document{Catalog::readDefault()};
  if (const auto loaded = document.load(invocation.arguments.front()); !loaded)
    return fail(loaded.error());
  auto deployment = Deployment::read(*hostsFile);
  if (!deployment) return fail(deployment.error());
  if (const QString fault = faultOf(*wishes, document.composition()); !fault.isEmpty())
    return invocation.usage(verb, fault);
  describeThisMachine(*deployment);
  PlacementInput input =
      placementInput(document.composition(), document.catalog(), *deployment, *wishes);
  MeasuredRates measured;
  if (!declared) {
    const auto last = lastExchanges(document.path(), document.composition());
    measured = {last.run, useMeasured(input, last.exchanges)};
  }
  const Placement placement = place(input);
  if (output && placement.refused.empty()) {
    for (const PlacedFederate& each : placement.placed) {
      const Host* host = deployment->host(each.host);
      document.setHost({document.composition().findByName(each.federate)->id},
                       host->isThisMachine() ? QString{} : host->name);
    }
    const bool same = QDir::cleanPath(QFileInfo{*output}.absoluteFilePath()) == document.path();
    if (const auto saved = same ? document.save() : document.saveAs(*output); !saved)
      return fail(saved.error());
  }
  if (invocation.json) {
    nlohmann::json result = placementJson(placement, input, measured);
    result["file"] = output && placement.refused.empty()
                         ? nlohmann::json(QFileInfo{*output}.absoluteFilePath().toStdString())
                         : nlohmann::json();
    invocation.print(result);
  } else {
    printPlacement(invocation.out, placement, input, measured);
    if (output && !placement.refused.empty())
      invocation.err << "tutti place: nothing was written, because not every federate has a host"
                     << Qt::endl;
  }
  return placement.refused.empty() ? Ok : Findings;
}

const RegisterVerb registered{
    {QStringLiteral("place"),
     QStringLiteral(
         "FEDERATION --hosts FILE [--pin FEDERATE=HOST ...] [--apart FEDERATE,FEDERATE ...] "
         "[--keep] [--declared] [-o FEDERATION]"),
     QStringLiteral("Choose a host for each federate"),
     QStringLiteral(
         "FEDERATION is a composition, FILE a *.hosts.json. Federates that exchange many messages "
         "come\n"
         "on one host, as far as cores, memory and labels allow what they need (resources of "
         "component.json\n"
         "and, before those, of the composition, times the instances); then groups stay together, "
         "and load is\n"
         "spread. Each choice is printed with its reason, each refusal with the need that no host "
         "meets.\n"
         "  --pin FEDERATE=HOST      it goes there or nowhere\n"
         "  --apart FEDERATE,...     no two of these on one host\n"
         "  --keep                   federates that name a host stay there; those on nodes of a "
         "cluster are left out\n"
         "  --declared               by the rates that components declare, also where the last "
         "recorded run\n"
         "                           of the composition has measured others\n"
         "  -o FEDERATION            write the hosts into the composition; may be the same file\n"
         "A host without cores or memory in FILE takes any number; of this machine they are looked "
         "up.\n"
         "Exit code 1: a federate has no host, and nothing is written; 2: a file or the command "
         "line is\n"
         "not understood."),
     &run}};

}  // namespace
