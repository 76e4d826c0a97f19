// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verb_run_input.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStringList>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "composer/model/catalog.h"
#include "composer/model/checks.h"
#include "composer/model/command_line.h"
#include "composer/model/composition.h"
#include "composer/model/object_models.h"
#include "launcher/engine/host_check.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/plan_folder.h"

namespace tutti::app {

namespace {

/// A launch plan of an earlier run is a JSON object with a list of processes.
bool looksLikePlan(const QString& file) {
  QFile input(file);
  if (!input.open(QIODevice::ReadOnly)) return false;
  const auto document = nlohmann::json::parse(input.readAll().toStdString(), nullptr, false);
  return document.is_object() && document.contains("processes");
}

RunInput inputOf(launcher::LaunchPlan plan, const composer::Catalog& catalog) {
  RunInput input{std::move(plan), {}, {}};
  for (const auto& one : input.plan.federates) {
    const auto* manifest = catalog.find(one.component, one.version);
    if (manifest == nullptr) continue;
    monitor::Declarations declared{one.name, {}, {}};
    for (const auto& interest : manifest->publishes) declared.publishes << interest.shortName();
    for (const auto& interest : manifest->subscribes) declared.subscribes << interest.shortName();
    input.declarations.push_back(std::move(declared));
  }
  return input;
}

}  // namespace

tl::expected<RunInput, QString> readPlans(const QString& folder) {
  const QDir place(folder);
  for (const char* name : {launcher::launchFile, launcher::connectionsFile}) {
    if (QFileInfo::exists(place.filePath(QLatin1String(name)))) continue;
    return tl::unexpected(
        QStringLiteral("%1 is not there, so %2 is no folder of tutti plan. Write one with tutti "
                       "plan FILE -o FOLDER; a composition is started with tutti run FILE.")
            .arg(place.filePath(QLatin1String(name)), folder));
  }
  auto read = launcher::readPlanFolder(folder);
  if (!read) return tl::unexpected(read.error().message());
  return inputOf(read->plan.renewed(launcher::newRunIdentifier()),
                 composer::Catalog::readDefault());
}

tl::expected<RunInput, QString> readRunInput(const QString& file, const QString& hosts,
                                             const std::optional<PlaceOptions>& place) {
  const QFileInfo info(file);
  if (place && looksLikePlan(file))
    return tl::unexpected(QStringLiteral("%1 is a launch plan, whose federates have their hosts. "
                                         "--place is for compositions.")
                              .arg(file));
  if (info.fileName() == QLatin1String(launcher::launchFile) &&
      QFileInfo::exists(info.dir().filePath(QLatin1String(launcher::connectionsFile))))
    return readPlans(info.path());
  if (looksLikePlan(file)) {
    const auto earlier = launcher::LaunchPlan::load(file);
    if (!earlier) return tl::unexpected(earlier.error().message());
    return inputOf(earlier->renewed(launcher::newRunIdentifier()),
                   composer::Catalog::readDefault());
  }
  auto composition = composer::Composition::load(file);
  if (!composition) return tl::unexpected(composition.error().message());
  // A file that is named is there, whether a federate is placed by it or not.
  if (!hosts.isEmpty()) {
    if (const auto read = launcher::Deployment::read(hosts); !read)
      return tl::unexpected(read.error().message());
  }
  const auto catalog = composer::Catalog::readDefault();
  const auto folder = QFileInfo(file).absolutePath();
  const auto objectModel =
      composer::examineModules(composer::effectiveModules(*composition, catalog, folder));
  const auto findings = composer::checkComposition(
      *composition, catalog, {folder, composer::Catalog::binaryFolders(), &objectModel});
  QStringList lines;
  if (!composer::canRun(findings)) {
    for (const auto& finding : findings) {
      if (finding.severity != composer::Severity::Error) continue;
      const auto where = finding.place(*composition);
      lines << (where.isEmpty() ? finding.text : where + QStringLiteral(": ") + finding.text);
    }
    lines << QStringLiteral("Nothing was started. tutti check %1 says more.")
                 .arg(composer::shellQuoted(file));
    return tl::unexpected(lines.join(u'\n'));
  }
  std::optional<PlacedLaunch> placed;
  if (place) {
    auto found = placeAtLaunch(*composition, catalog, file, hosts, *place);
    if (!found) return tl::unexpected(found.error());
    if (const QString refusals = found->refusals(); !refusals.isEmpty())
      return tl::unexpected(refusals + QStringLiteral("\nNothing was started."));
    *composition = found->found.composition;
    placed = std::move(*found);
  }
  auto plan = launcher::LaunchPlan::make(
      *composition, catalog, {{}, QFileInfo(file).absoluteFilePath(), folder, {}, hosts});
  if (!plan) {
    for (const auto& error : plan.error()) lines << error.message();
    return tl::unexpected(lines.join(u'\n'));
  }
  RunInput input = inputOf(std::move(*plan), catalog);
  if (placed) placed->record(input.plan);
  input.placed = std::move(placed);
  return input;
}

tl::expected<launcher::Allocations, QString> settleHosts(
    launcher::LaunchPlan& plan, bool copy, const std::function<void(const QString&)>& tell) {
  const bool settled = std::none_of(plan.hosts.begin(), plan.hosts.end(),
                                    [](const auto& one) { return one.folder.isEmpty(); });
  const bool needsJob = std::any_of(plan.hosts.begin(), plan.hosts.end(), [](const auto& one) {
    return !one.folder.isEmpty() && one.host.jobNode && one.host.jobNode->job == 0;
  });
  if (needsJob)
    return tl::unexpected(QStringLiteral(
        "This plan is of a run on nodes of a Slurm job that is over. Nothing was started. Run the "
        "composition again, which asks for other nodes."));
  if (settled) {
    plan.listenByHand();
    return launcher::Allocations{};
  }
  QStringList errors;
  const auto prepared = launcher::prepareHosts(plan, copy, tell);
  for (const auto& check : prepared.checks) {
    QString line =
        check.detail.isEmpty() ? check.title : check.title + QStringLiteral(": ") + check.detail;
    for (const auto& fix : check.fixes) {
      line += QStringLiteral("\n  Fix: ") + fix.label;
      if (!fix.command.isEmpty()) line += QStringLiteral(": ") + fix.command;
    }
    if (check.level == launcher::PreflightCheck::Level::Error) errors << line;
    if (check.level == launcher::PreflightCheck::Level::Warning) tell(line);
  }
  if (errors.isEmpty()) return prepared.allocations;
  errors << QStringLiteral("Nothing was started.");
  return tl::unexpected(errors.join(u'\n'));
}

}  // namespace tutti::app
