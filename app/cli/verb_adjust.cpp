// SPDX-License-Identifier: GPL-3.0-or-later
// tutti adjust: what the MOM of a running federation execution lets an operator set.
#include <algorithm>
#include <limits>

#include "app/cli/interruption.h"
#include "app/cli/running_federation.h"
#include "app/cli/verb.h"
#include "monitor/engine/attribute_state.h"
#include "monitor/engine/federation_adjust.h"

namespace {

using namespace tutti;
using namespace tutti::app;
using monitor::Adjustment;
using monitor::FederateAdjustments;
using monitor::FederationAdjustments;
using nlohmann::json;

const QString verbName = QStringLiteral("adjust");

struct Switch {
  QString option;
  std::optional<bool> Adjustment::*setting;
};

const std::vector<Switch>& switches() {
  static const std::vector<Switch> all{
      {QStringLiteral("--auto-provide"), &Adjustment::autoProvide},
      {QStringLiteral("--service-reporting"), &Adjustment::serviceReporting},
      {QStringLiteral("--exception-reporting"), &Adjustment::exceptionReporting},
      {QStringLiteral("--convey-regions"), &Adjustment::conveyRegionDesignatorSets},
      {QStringLiteral("--convey-producer"), &Adjustment::conveyProducingFederate},
  };
  return all;
}

/// The error says which option is wrong.
tl::expected<Adjustment, QString> takeAdjustment(Invocation& invocation) {
  Adjustment wanted;
  for (const auto& [option, setting] : switches()) {
    const auto given = invocation.takeOption(option);
    if (!given) continue;
    if (*given != QStringLiteral("on") && *given != QStringLiteral("off"))
      return tl::unexpected(QStringLiteral("%1 is on or off").arg(option));
    wanted.*setting = *given == QStringLiteral("on");
  }
  if (const auto given = invocation.takeOption(QStringLiteral("--report-period"))) {
    bool valid = false;
    const int seconds = given->toInt(&valid);
    if (!valid || seconds < 0)
      return tl::unexpected(
          QStringLiteral("--report-period needs whole seconds, at most %1; 0 ends the updates")
              .arg(std::numeric_limits<int>::max()));
    wanted.reportPeriod = seconds;
  }
  return wanted;
}

/// HLAmodifyAttributeState, as the options say.
struct AttributeState {
  monitor::InstanceAttribute which;
  bool owned = false;
};

/// Nothing: neither option is there. The error says what is wrong.
tl::expected<std::optional<AttributeState>, QString> takeAttributeState(Invocation& invocation) {
  const QString own = QStringLiteral("--owned");
  const QString disown = QStringLiteral("--unowned");
  const auto owned = invocation.takeOption(own);
  const auto unowned = invocation.takeOption(disown);
  if (!owned && !unowned) return std::optional<AttributeState>();
  if (owned && unowned)
    return tl::unexpected(QStringLiteral("%1 and %2 go one at a time").arg(own, disown));
  const auto which = monitor::InstanceAttribute::parsed(owned ? *owned : *unowned);
  if (!which)
    return tl::unexpected(QStringLiteral("%1 needs INSTANCE.ATTRIBUTE").arg(owned ? own : disown));
  return AttributeState{*which, owned.has_value()};
}

int modifyAttribute(Invocation& invocation, const RunningFederation& target,
                    const QString& federate, const AttributeState& wanted,
                    std::chrono::milliseconds patience) {
  const Interruption interruption;
  const auto done =
      monitor::modifyAttributeState(target.node, target.federation, federate, wanted.which,
                                    wanted.owned, patience, interruption.token());
  if (!done) return invocation.fail(done.error());
  const auto jsonOfOwner = [](const monitor::AttributeOwner& owner) {
    return owner.isOwned ? json(owner.text().toStdString()) : json();
  };
  const QString why = done->whyNot(federate);
  if (invocation.json) {
    invocation.print({{"federation", target.federation.toStdString()},
                      {"rti", target.designator().toStdString()},
                      {"instance", wanted.which.instance.toStdString()},
                      {"attribute", wanted.which.attribute.toStdString()},
                      {"ownerBefore", jsonOfOwner(done->before)},
                      {"owner", jsonOfOwner(done->now)},
                      {"done", done->isDone},
                      {"refused", done->refused.toStdString()}});
  } else {
    invocation.out << QStringLiteral("%1 is owned by %2, before by %3")
                          .arg(wanted.which.text(), done->now.text(), done->before.text())
                   << Qt::endl;
    if (!why.isEmpty()) invocation.err << why << Qt::endl;
  }
  return done->isDone ? Ok : Findings;
}

QString word(bool on) { return on ? QStringLiteral("on") : QStringLiteral("off"); }

void printTable(QTextStream& out, const FederationAdjustments& now,
                const std::vector<const FederateAdjustments*>& shown) {
  out << QStringLiteral("auto provide: %1").arg(word(now.autoProvide)) << '\n';
  std::vector<QStringList> rows{{QStringLiteral("federate"), QStringLiteral("services"),
                                 QStringLiteral("exceptions"), QStringLiteral("regions"),
                                 QStringLiteral("producer"), QStringLiteral("report period")}};
  for (const FederateAdjustments* one : shown)
    rows.push_back({one->name, word(one->serviceReporting), word(one->exceptionReporting),
                    word(one->conveyRegionDesignatorSets), word(one->conveyProducingFederate),
                    one->reportPeriod == 0 ? QStringLiteral("none")
                                           : QStringLiteral("%1 s").arg(one->reportPeriod)});
  if (rows.size() == 1) return;
  QList<qsizetype> widths(rows.front().size(), 0);
  for (const QStringList& row : rows)
    for (qsizetype i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const QStringList& row : rows) {
    QString line;
    for (qsizetype i = 0; i < row.size(); ++i) line += row[i].leftJustified(widths[i] + 2);
    out << line.trimmed() << '\n';
  }
}

json jsonOf(const RunningFederation& target, const FederationAdjustments& now,
            const std::vector<const FederateAdjustments*>& shown) {
  json federates = json::array();
  for (const FederateAdjustments* one : shown)
    federates.push_back({{"name", one->name.toStdString()},
                         {"serviceReporting", one->serviceReporting},
                         {"exceptionReporting", one->exceptionReporting},
                         {"conveyRegionDesignatorSets", one->conveyRegionDesignatorSets},
                         {"conveyProducingFederate", one->conveyProducingFederate},
                         {"reportPeriod", one->reportPeriod},
                         {"awaited", now.awaited.contains(one->name)},
                         {"refused", one->refused.toStdString()}});
  return {{"federation", target.federation.toStdString()},
          {"rti", target.designator().toStdString()},
          {"autoProvide", now.autoProvide},
          {"federates", federates}};
}

int run(Invocation& invocation) {
  const QString designator = invocation.takeOption(QStringLiteral("--rti")).value_or(QString());
  const auto timeout = invocation.takeOption(QStringLiteral("--timeout"));
  double seconds = 10;
  if (timeout) {
    bool valid = false;
    seconds = timeout->toDouble(&valid);
    if (!valid || !(seconds > 0 && seconds <= 1e6))
      return invocation.usage(
          verbName, QStringLiteral("--timeout needs seconds, above 0 and at most 1000000"));
  }
  const auto wanted = takeAdjustment(invocation);
  if (!wanted) return invocation.usage(verbName, wanted.error());
  const auto attribute = takeAttributeState(invocation);
  if (!attribute) return invocation.usage(verbName, attribute.error());
  if (*attribute && !wanted->isEmpty())
    return invocation.usage(verbName,
                            QStringLiteral("--owned and --unowned go without other settings"));
  QStringList names = invocation.arguments;
  for (const QString& argument : names) {
    if (argument.startsWith(u'-'))
      return invocation.usage(verbName, QStringLiteral("there is no option %1").arg(argument));
  }
  const QString federation = names.isEmpty() ? QString() : names.takeFirst();
  const auto found = findTarget(federation, designator);
  if (!found) return invocation.fail(found.error());
  const RunningFederation& target = found->federation;
  const std::chrono::milliseconds patience(static_cast<qint64>(seconds * 1000));
  if (*attribute) {
    if (names.size() != 1)
      return invocation.usage(
          verbName, QStringLiteral("name the federation and the federate that is to own it, or is "
                                   "not: tutti adjust RUN FEDERATE --owned INSTANCE.ATTRIBUTE"));
    return modifyAttribute(invocation, target, names.front(), **attribute, patience);
  }
  if (wanted->autoProvide && !wanted->concernsFederates() && !names.isEmpty())
    return invocation.usage(verbName,
                            QStringLiteral("auto provide is of the federation: name no federate"));

  const Interruption interruption;
  const auto now = wanted->isEmpty()
                       ? monitor::adjustmentsOf(target.node, target.federation)
                       : monitor::operateAdjust(target.node, target.federation, names, *wanted,
                                                patience, interruption.token());
  if (!now) return invocation.fail(now.error());
  std::vector<const FederateAdjustments*> shown;
  for (const FederateAdjustments& one : now->federates) {
    if (names.isEmpty() || names.contains(one.name)) shown.push_back(&one);
  }
  for (const QString& name : names) {
    if (now->find(name) == nullptr)
      return invocation.fail(
          QStringLiteral("'%1' is not joined to '%2'").arg(name, target.federation));
  }
  if (invocation.json) {
    invocation.print(jsonOf(target, *now, shown));
  } else {
    printTable(invocation.out, *now, shown);
    invocation.out.flush();
    if (const QString why = now->whyNotAll(); !why.isEmpty()) invocation.err << why << Qt::endl;
  }
  return now->isDone() ? Ok : Findings;
}

const RegisterVerb registered{
    {QStringLiteral("adjust"),
     QStringLiteral("[RUN|FEDERATION] [FEDERATE ...] [--auto-provide on|off] "
                    "[--service-reporting on|off] [--exception-reporting on|off] "
                    "[--convey-regions on|off] [--convey-producer on|off] "
                    "[--report-period SECONDS] [--owned|--unowned INSTANCE.ATTRIBUTE] "
                    "[--rti shm:NAME] [--timeout SECONDS]"),
     QStringLiteral("Show and set what the MOM reports and conveys in a running federation"),
     QStringLiteral(
         "Without a setting, prints what holds now. With settings, sets them by the MOM (IEEE "
         "1516.1-2010, 11.4,\n"
         "HLAadjust) for all federates, or those that are named, as if a federate had sent the "
         "interaction, and prints what\n"
         "holds then.\n"
         "--auto-provide         of the federation: owners are asked for values when an instance "
         "is discovered\n"
         "--service-reporting    each service call is told by HLAreportServiceInvocation\n"
         "--exception-reporting  each exception is told by HLAreportException\n"
         "--convey-regions       callbacks tell the sent regions\n"
         "--convey-producer      callbacks tell the producing federate\n"
         "--report-period        the periodic attributes of its HLAfederate are updated so often; "
         "0: not\n"
         "--owned, --unowned     of one federate: it owns that attribute of the object instance, "
         "whoever "
         "owned it before, or\n"
         "                       owns it no longer (HLAmodifyAttributeState). No callback tells a "
         "federate of it. Without\n"
         "                       other settings\n"
         "A federate that hangs is named after --timeout (10 s), and does it when it evokes "
         "callbacks again. One that\n"
         "subscribes HLAreportServiceInvocation cannot have its services reported.\n"
         "Exit code 0: it is so; 1: a federate has not done it; 2: there is no such federation, "
         "federate or setting."),
     &run}};

}  // namespace
