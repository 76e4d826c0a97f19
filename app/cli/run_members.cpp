// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_members.h"

#include <QFileInfo>
#include <algorithm>

#include "composer/model/catalog.h"
#include "composer/model/checks.h"
#include "composer/model/command_line.h"
#include "composer/model/composition.h"
#include "composer/model/object_models.h"
#include "launcher/engine/kept_runs.h"
#include "launcher/engine/run_additions.h"
#include "launcher/engine/run_recording.h"

namespace tutti::app {

using launcher::Run;
using nlohmann::json;

namespace {

/// What of the composition keeps these from joining, one line each; empty: nothing.
QStringList errorsOf(const composer::Composition& composition, const composer::Catalog& catalog,
                     const QString& folder, const QStringList& names) {
  const auto objectModel =
      composer::examineModules(composer::effectiveModules(composition, catalog, folder));
  QStringList lines;
  for (const auto& finding : composer::checkComposition(
           composition, catalog, {folder, composer::Catalog::binaryFolders(), &objectModel})) {
    if (finding.severity != composer::Severity::Error) continue;
    // What is wrong with others does not concern those that join.
    if (const auto* federate = composition.find(finding.where.federate)) {
      const auto instances = federate->instanceNames();
      if (std::none_of(instances.begin(), instances.end(),
                       [&](const QString& name) { return names.contains(name); }))
        continue;
    }
    const auto place = finding.place(composition);
    lines << (place.isEmpty() ? finding.text : place + QStringLiteral(": ") + finding.text);
  }
  return lines;
}

QString listed(QStringList names) {
  constexpr qsizetype most = 8;
  const auto more = names.size() - most;
  names = names.mid(0, most);
  if (more > 0) names << QStringLiteral("%1 more").arg(more);
  return names.join(QStringLiteral(", "));
}

/// Why the run's supervisors have refused, of troubles that came since `before`.
QString refusal(const Run& run, std::size_t before) {
  QStringList sentences;
  for (std::size_t index = before; index < run.troubles().size(); ++index)
    sentences << run.troubles()[index].message();
  return sentences.join(u'\n');
}

void record(Invocation& invocation, const Run& run) {
  if (!run.isAttended()) recordChangesOf(invocation, run);
}

}  // namespace

void recordChangesOf(Invocation& invocation, const Run& run) {
  if (const auto recorded = launcher::recordMembership(launcher::Membership::of(run)); !recorded)
    invocation.err << QStringLiteral("It is not in the record of the run: %1").arg(recorded.error())
                   << Qt::endl;
}

tl::expected<RunFederates, QString> resolveToStart(const launcher::LaunchPlan& run,
                                                   const QStringList& words) {
  RunFederates result;
  std::optional<tl::expected<composer::Composition, composer::Error>> composition;
  for (const QString& word : words) {
    const auto there = launcher::processesNamed(run, {word});
    if (there) {
      for (const QString& id : *there) {
        if (!result.there.contains(id)) result.there << id;
      }
    }
    if (!run.composition.isEmpty() && !composition)
      composition = composer::Composition::load(run.composition);
    if (composition && *composition) {
      const auto added = launcher::federatesNotIn(run, **composition, word);
      for (const QString& id : added) {
        if (!result.added.contains(id)) result.added << id;
      }
      if (there || !added.isEmpty()) continue;
      const auto others = launcher::federatesNotIn(run, **composition);
      return tl::unexpected(QStringLiteral("%1 %2 does not have it either%3")
                                .arg(there.error(), run.composition,
                                     others.isEmpty()
                                         ? QStringLiteral(".")
                                         : QStringLiteral("; what it has and the run has not: %1.")
                                               .arg(listed(others))));
    }
    if (there) continue;
    return tl::unexpected(composition ? QStringLiteral("%1 Its composition was looked at too: %2")
                                            .arg(there.error(), composition->error().message())
                                      : there.error());
  }
  if (words.isEmpty()) result.there = *launcher::processesNamed(run, {});
  return result;
}

tl::expected<void, QString> addToRun(Invocation& invocation, RunReach& reach,
                                     const RunFederates& federates, const QString& hosts) {
  Run& run = reach.run();
  const QString file = run.plan().composition;
  const auto composition = composer::Composition::load(file);
  if (!composition) return tl::unexpected(composition.error().message());
  const auto catalog = composer::Catalog::readDefault();
  const QString folder = QFileInfo(file).absolutePath();
  QStringList lines = errorsOf(*composition, catalog, folder, federates.added);
  const auto refused = [&] {
    lines << QStringLiteral("Nothing was started; the run goes on.");
    return tl::unexpected(lines.join(u'\n'));
  };
  if (!lines.isEmpty()) return refused();
  auto planned = launcher::planAdditions(run.plan(), *composition, catalog,
                                         {{}, file, folder, {}, hosts}, federates.added);
  if (!planned) {
    for (const auto& error : planned.error()) lines << error.message();
    return refused();
  }
  for (const auto& one : *planned) {
    if (const QString why = run.whyNotAdd(one.federate.host); !why.isEmpty())
      lines << QStringLiteral("%1 cannot join. %2").arg(one.federate.name, why);
  }
  if (!lines.isEmpty()) return refused();
  const auto prepared =
      launcher::prepareAdditions(run.plan(), std::move(*planned), [&](const QString& line) {
        if (!invocation.json) invocation.out << line << Qt::endl;
      });
  for (const auto& check : prepared.checks) {
    const QString line =
        check.detail.isEmpty() ? check.title : check.title + QStringLiteral(": ") + check.detail;
    if (check.level == launcher::PreflightCheck::Level::Error) lines << line;
    if (check.level == launcher::PreflightCheck::Level::Warning) invocation.err << line << Qt::endl;
  }
  if (!lines.isEmpty()) return refused();
  const std::size_t before = run.troubles().size();
  run.add(prepared.additions);
  const auto isThere = [&](const QString& id) { return run.process(id) != nullptr; };
  const bool all = reach.await([&] {
    return run.troubles().size() > before ||
           std::all_of(federates.added.begin(), federates.added.end(), isThere);
  });
  // Of two that add the same at once, one is told that it is there.
  const bool done = std::all_of(federates.added.begin(), federates.added.end(), isThere);
  if (!all || !done) {
    // One host may have taken its own, and another has not: all or none.
    if (run.troubles().size() == before)
      run.takeBackAdditions({}, QStringLiteral("not all supervisors have answered"));
    reach.await([&] { return !run.isTakingBack(); });
    const QString why = refusal(run, before);
    return tl::unexpected(why.isEmpty()
                              ? QStringLiteral("The run %1 has not answered. Look at it: tutti "
                                               "attach %1.")
                                    .arg(run.plan().run)
                              : why);
  }
  record(invocation, run);
  return {};
}

int removeFromRun(Invocation& invocation, RunReach& reach, const QStringList& ids) {
  Run& run = reach.run();
  run.removeProcesses(ids);
  const auto isGone = [&](const QString& id) { return run.process(id) == nullptr; };
  const bool done = reach.await([&] { return std::all_of(ids.begin(), ids.end(), isGone); }) ||
                    std::all_of(ids.begin(), ids.end(), isGone);
  if (done) record(invocation, run);
  json removed = json::array();
  for (const auto& one : run.removed()) {
    if (!ids.contains(one.id)) continue;
    removed.push_back({{"name", one.id.toStdString()}, {"state", one.description().toStdString()}});
    if (!invocation.json)
      invocation.out << QStringLiteral("%1: removed, %2").arg(one.id, one.description())
                     << Qt::endl;
  }
  if (invocation.json)
    invocation.print({{"run", run.plan().run.toStdString()},
                      {"federation", run.plan().federation.toStdString()},
                      {"over", run.isOver()},
                      {"done", done},
                      {"removed", removed}});
  else if (!done)
    invocation.err << QStringLiteral("Not all have ended. Kill them: tutti kill %1 %2.")
                          .arg(run.plan().run, ids.join(u' '))
                   << Qt::endl;
  return done ? Ok : Findings;
}

}  // namespace tutti::app
