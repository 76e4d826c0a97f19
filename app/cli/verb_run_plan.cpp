// SPDX-License-Identifier: GPL-3.0-or-later
// tutti plan: what the Deploy page shows, on the command line.
#include <QFile>
#include <QFileInfo>

#include "app/cli/verb.h"
#include "composer/model/catalog.h"
#include "composer/model/checks.h"
#include "composer/model/command_line.h"
#include "composer/model/composition.h"
#include "composer/model/object_models.h"
#include "launcher/engine/launch_plan.h"
#include "launcher/engine/preflight.h"

namespace {

using namespace tutti;
using namespace tutti::app;
using launcher::LaunchPlan;
using launcher::PreflightCheck;

QString levelName(PreflightCheck::Level level) {
  switch (level) {
    case PreflightCheck::Level::Passed:
      return QStringLiteral("passed");
    case PreflightCheck::Level::Warning:
      return QStringLiteral("warning");
    case PreflightCheck::Level::Error:
      return QStringLiteral("error");
  }
  return {};
}

nlohmann::json asJson(const PreflightCheck& check) {
  nlohmann::json fixes = nlohmann::json::array();
  for (const auto& fix : check.fixes)
    fixes.push_back({{"label", fix.label.toStdString()}, {"command", fix.command.toStdString()}});
  return {{"check", check.id.toStdString()},    {"level", levelName(check.level).toStdString()},
          {"title", check.title.toStdString()}, {"detail", check.detail.toStdString()},
          {"where", check.where.toStdString()}, {"fixes", fixes}};
}

int plan(Invocation& invocation) {
  const auto verb = QStringLiteral("plan");
  const auto output = invocation.takeOption(QStringLiteral("--output"));
  const auto hosts = invocation.takeOption(QStringLiteral("--hosts"));
  if (invocation.arguments.size() != 1)
    return invocation.usage(verb, QStringLiteral("name one composition"));
  const auto file = invocation.arguments.front();
  const auto refuse = [&](const QString& message) {
    if (invocation.json)
      invocation.print({{"error", message.toStdString()}});
    else
      invocation.err << message << Qt::endl;
    return Usage;
  };
  const auto composition = composer::Composition::load(file);
  if (!composition) return refuse(composition.error().message());
  const auto catalog = composer::Catalog::readDefault();
  const LaunchPlan::Options options{
      {}, QFileInfo(file).absoluteFilePath(), QFileInfo(file).absolutePath(), {}, hosts.value_or(QString())};
  const auto objectModel =
      composer::examineModules(composer::effectiveModules(*composition, catalog, options.folder));
  const auto findings = composer::checkComposition(
      *composition, catalog, {options.folder, composer::Catalog::binaryFolders(), &objectModel});
  const auto checks =
      launcher::preflight(*composition, catalog, findings, options, launcher::MachineState::now());
  const auto made = LaunchPlan::make(*composition, catalog, options);
  if (output && made) {
    QFile target(*output);
    if (!target.open(QIODevice::WriteOnly | QIODevice::Truncate) ||
        target.write(made->toBytes()) < 0 || !target.flush())
      return refuse(QStringLiteral("%1 cannot be written: %2").arg(*output, target.errorString()));
  }
  const bool mayRun = launcher::mayRun(checks) && made.has_value();
  if (invocation.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& check : checks) list.push_back(asJson(check));
    nlohmann::json result{{"mayRun", mayRun}, {"preflight", list}};
    if (made) result["plan"] = nlohmann::json::parse(made->toBytes().toStdString());
    if (output && made) result["file"] = output->toStdString();
    invocation.print(result);
    return mayRun ? Ok : Findings;
  }
  for (const auto& check : checks) {
    invocation.out << levelName(check.level).leftJustified(9) << check.title;
    if (!check.detail.isEmpty()) invocation.out << ". " << check.detail;
    invocation.out << '\n';
    for (const auto& fix : check.fixes) {
      invocation.out << QString(9, u' ')
                     << "Fix: " << (fix.command.isEmpty() ? fix.label : fix.command) << '\n';
    }
  }
  if (made) {
    invocation.out << '\n';
    for (const auto& process : made->plan.processes) {
      const auto id = QString::fromStdString(process.id);
      invocation.out << id << ": " << made->shellLine(id) << '\n';
    }
    if (output)
      invocation.out << "\nWrote " << *output << ". Start it with: tutti run "
                     << composer::shellQuoted(*output) << '\n';
  }
  invocation.out.flush();
  return mayRun ? Ok : Findings;
}

const RegisterVerb registered{
    {QStringLiteral("plan"), QStringLiteral("FILE [--output FILE] [--hosts FILE]"),
     QStringLiteral("Show what a run would start, and what stands in its way"),
     QStringLiteral(
         "Prints the pre-flight checks with their fixes and the command of each process; --output "
         "writes the\nlaunch plan, which tutti run and tutti-supervisor read.\n"
         "  --hosts FILE the hosts that federates are placed on; else as tutti run finds it\n"
         "Exit code 0: it may run; 1: something stops it; 2: the file could not be read."),
     &plan}};

}  // namespace
