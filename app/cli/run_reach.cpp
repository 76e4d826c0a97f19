// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_reach.h"

#include <QElapsedTimer>
#include <QTimer>
#include <algorithm>

#include "app/cli/run_members.h"
#include "launcher/engine/kept_runs.h"

namespace tutti::app {

using launcher::ProcessStatus;
using launcher::Run;
using nlohmann::json;

namespace {

/// What has come of it, for a person and as JSON.
int report(Invocation& invocation, const Run& run, const QStringList& ids, const QString& what,
           bool done) {
  if (invocation.json) {
    json federates = json::array();
    for (const QString& id : ids) {
      const auto* one = run.process(id);
      if (one == nullptr) continue;
      federates.push_back({{"name", id.toStdString()},
                           {"host", one->host.toStdString()},
                           {"state", one->description().toStdString()},
                           {"pid", one->pid},
                           {"starts", one->attempt}});
    }
    invocation.print({{"run", run.plan().run.toStdString()},
                      {"federation", run.plan().federation.toStdString()},
                      {"over", run.isOver()},
                      {"done", done},
                      {"federates", federates}});
    return done ? Ok : Findings;
  }
  for (const QString& id : ids) {
    const auto* one = run.process(id);
    invocation.out << id << QStringLiteral(": ")
                   << (one == nullptr ? QStringLiteral("not in the run any more")
                                      : one->description())
                   << '\n';
  }
  invocation.out.flush();
  if (!done) invocation.err << what << Qt::endl;
  return done ? Ok : Findings;
}

/// Ends the whole run: takes it over if nobody has it, else asks the program that has it.
int endRun(Invocation& invocation, RunReach& reach, bool atOnce) {
  if (!reach.own() && !(reach.run().isHeldByAnother() && reach.watch()))
    return invocation.fail(reach.why());
  Run& run = reach.run();
  if (atOnce)
    run.kill();
  else
    run.stop();
  reach.await([] { return false; });
  const bool ended = run.isOver();
  if (const QString problem = reach.awaitRecord(); !problem.isEmpty())
    invocation.err << problem << Qt::endl;
  const auto& plan = run.plan();
  if (!invocation.json && ended) {
    invocation.out << QStringLiteral("%1 has ended (run %2).").arg(plan.federation, plan.run)
                   << Qt::endl;
    return Ok;
  }
  return report(
      invocation, run, launcher::processesNamed(plan, {}).value_or(QStringList()),
      QStringLiteral("%1 has not ended within %2 s. See what still runs: tutti attach %3.")
          .arg(plan.federation)
          .arg(RunReach::longestMs / 1000)
          .arg(plan.run),
      ended);
}

}  // namespace

void RunReach::renew() {
  recording_.reset();
  run_.reset();
  run_ = std::make_unique<Run>(plan_);
}

bool RunReach::reached() {
  await([this] { return run_->phase() != Run::Phase::Preflight; });
  return !run_->isOver() && run_->phase() != Run::Phase::Preflight;
}

bool RunReach::own(bool kept) {
  renew();
  if (!kept) recording_ = std::make_unique<launcher::RunRecording>(*run_);
  run_->attach(kept);
  return reached();
}

bool RunReach::watch() {
  renew();
  run_->watch();
  return reached();
}

QString RunReach::awaitRecord() {
  if (!recording_ || !run_->isOver()) return {};
  QEventLoop loop;
  QObject::connect(recording_.get(), &launcher::RunRecording::over, &loop, &QEventLoop::quit);
  if (!recording_->isOver()) loop.exec();
  return recording_->problem();
}

QString RunReach::why() const {
  QStringList sentences;
  for (const auto& trouble : run_->troubles()) sentences << trouble.message();
  return sentences.isEmpty() ? QStringLiteral("The run %1 does not answer.").arg(plan_.run)
                             : sentences.join(u'\n');
}

bool RunReach::await(const std::function<bool()>& holds, int atMostMs) {
  QElapsedTimer clock;
  clock.start();
  QEventLoop loop;
  QTimer look;
  look.setInterval(20);
  QObject::connect(&look, &QTimer::timeout, &loop, [&] {
    if (holds() || run_->isOver() || clock.elapsed() > atMostMs) loop.quit();
  });
  look.start();
  if (!holds() && !run_->isOver()) loop.exec();
  return holds();
}

int commandRun(Invocation& invocation, const QString& verb) {
  const bool starts = verb == QStringLiteral("start");
  const bool stops = verb == QStringLiteral("stop");
  const bool again = starts && invocation.takeFlag(QStringLiteral("--restart"));
  const bool removes = stops && invocation.takeFlag(QStringLiteral("--remove"));
  const QString hosts =
      starts ? invocation.takeOption(QStringLiteral("--hosts")).value_or(QString()) : QString();
  QStringList words = invocation.arguments;
  for (const QString& word : words) {
    if (word.startsWith(u'-'))
      return invocation.usage(verb, QStringLiteral("there is no option %1").arg(word));
  }
  if (words.isEmpty())
    return invocation.usage(verb, QStringLiteral("name a run: tutti attach lists them"));
  auto plan = launcher::findGoingRun(words.takeFirst());
  if (!plan) return invocation.fail(plan.error());
  if (removes && words.isEmpty())
    return invocation.usage(verb, QStringLiteral("name the federates that are to be removed"));
  RunReach reach(*plan);
  if (!starts && words.isEmpty()) return endRun(invocation, reach, verb == QStringLiteral("kill"));

  // Its federates may be others now than its launch plan has.
  if (!reach.watch()) return invocation.fail(reach.why());
  Run& run = reach.run();
  if (run.phase() == Run::Phase::Stopping)
    return invocation.fail(QStringLiteral("%1 is being stopped. Start it anew: tutti run %2.")
                               .arg(plan->federation, plan->planFile()));
  const auto meantOnes =
      starts ? resolveToStart(run.plan(), words)
             : launcher::processesNamed(run.plan(), words).transform([](QStringList there) {
                 return RunFederates{std::move(there), {}};
               });
  if (!meantOnes) return invocation.fail(meantOnes.error());
  QStringList ids = meantOnes->there;
  QHash<QString, int> before;
  for (const QString& id : ids) before[id] = run.process(id)->attempt;
  const auto isRunning = [&](const QString& id) { return run.process(id)->alive(); };
  QStringList meant;
  for (const QString& id : ids) {
    const bool waitsForRestart = run.process(id)->restartAt.has_value();
    if (removes || (starts ? again || !isRunning(id) : isRunning(id) || waitsForRestart))
      meant << id;
  }
  const QStringList toStart = meant;
  if (!meantOnes->added.isEmpty()) {
    const auto added = addToRun(invocation, reach, *meantOnes, hosts);
    if (!added) return invocation.fail(added.error(), Findings);
    ids << meantOnes->added;
    meant << meantOnes->added;
  }
  if (removes) return removeFromRun(invocation, reach, ids);
  if (stops)
    run.stopProcesses(meant);
  else if (!starts)
    run.killProcesses(meant);
  else
    run.restartProcesses(toStart);
  const bool done = reach.await([&] {
    return std::all_of(meant.begin(), meant.end(), [&](const QString& id) {
      // Somebody else may have removed it just now.
      const auto* one = run.process(id);
      if (one == nullptr) return !starts;
      return starts ? one->attempt > before.value(id) : !one->alive() && !one->restartAt;
    });
  });
  return report(invocation, run, ids,
                starts
                    ? QStringLiteral("Not all have started. Their logs say why: tutti attach %1.")
                          .arg(plan->run)
                    : QStringLiteral("Not all have ended. Kill them: tutti kill %1 %2.")
                          .arg(plan->run, words.join(u' ')),
                done);
}

}  // namespace tutti::app
