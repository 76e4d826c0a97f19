// SPDX-License-Identifier: GPL-3.0-or-later
// tutti move: a federate goes on on another host of its run.
#include <signal.h>

#include <QEventLoop>
#include <QTimer>
#include <atomic>

#include "app/cli/run_members.h"
#include "app/operate_saves.h"
#include "composer/model/catalog.h"
#include "launcher/engine/kept_runs.h"

namespace {

using namespace tutti;
using namespace tutti::app;
using launcher::FederateMove;
using launcher::Run;

const QString verb = QStringLiteral("move");
const QString here = QStringLiteral("here");

std::atomic<bool> interrupted = false;

const char* wordOf(FederateMove::Outcome outcome) {
  switch (outcome) {
    case FederateMove::Outcome::Moved:
      return "moved";
    case FederateMove::Outcome::NotStopped:
      return "not moved";
    case FederateMove::Outcome::Back:
      return "back";
    case FederateMove::Outcome::NotRestored:
      return "not restored";
    case FederateMove::Outcome::Gone:
      return "gone";
  }
  return "";
}

/// Until it is over; Ctrl+C gives up what can still be given up.
void follow(Invocation& invocation, FederateMove& move) {
  interrupted = false;
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = true; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
  QEventLoop loop;
  QTimer look;
  QObject::connect(&look, &QTimer::timeout, &loop, [&] {
    if (!interrupted.exchange(false)) return;
    move.cancel();
    if (!invocation.json && move.step() >= FederateMove::Step::Stop)
      invocation.err << QStringLiteral(
                            "%1 has been stopped already: the move comes to its end, or "
                            "is undone.")
                            .arg(move.federate())
                     << Qt::endl;
  });
  look.start(50);
  QObject::connect(&move, &FederateMove::stepBegan, &loop, [&] {
    if (invocation.json) return;
    if (move.isReturning() && move.step() == FederateMove::Step::Stop)
      invocation.out << "That has failed. Back to where it was:" << '\n';
    invocation.out << FederateMove::stepText(move.step(), move.federate(), move.place())
                   << Qt::endl;
  });
  QObject::connect(&move, &FederateMove::finished, &loop, &QEventLoop::quit);
  move.start();
  if (!move.isOver()) loop.exec();
}

int run(Invocation& invocation) {
  const QStringList words = invocation.arguments;
  for (const QString& word : words) {
    if (word.startsWith(u'-'))
      return invocation.usage(verb, QStringLiteral("there is no option %1").arg(word));
  }
  if (words.size() < 2 || words.size() > 3)
    return invocation.usage(verb,
                            QStringLiteral("name a federate, a host of its run and, if there are "
                                           "several runs, the run"));
  auto plan = launcher::findGoingRun(words.value(2));
  if (!plan) return invocation.fail(plan.error());
  const bool isHome = words[1] == here && plan->host(here) == nullptr;
  const QString host = isHome ? QString() : words[1];
  RunReach reach(*plan);
  if (!reach.watch()) return invocation.fail(reach.why());
  // Nobody else would see that it has joined, and hold the host that it leaves.
  const bool isAlone = !reach.run().isAttended();
  if (isAlone && !reach.own(true)) return invocation.fail(reach.why());
  reach.await([&] { return reach.run().phase() != Run::Phase::Starting; });
  Run& run = reach.run();
  const QString& name = words[0];
  if (const QString why = FederateMove::whyNot(run, name, host, composer::Catalog::readDefault());
      !why.isEmpty())
    return invocation.fail(why);
  const QString from = run.process(name)->host;
  const bool required = run.process(name)->required;
  FederateMove move(run, name, host, operateSavesOf(run.plan()));
  follow(invocation, move);
  // That the run ends with it is heard back from its supervisor: only then it holds, and the record
  // has it.
  if (required) {
    reach.await([&] {
      const auto* process = run.process(name);
      return process == nullptr || process->required;
    });
  }
  if (isAlone) recordChangesOf(invocation, run);
  const bool done = move.outcome() == FederateMove::Outcome::Moved;
  if (invocation.json)
    invocation.print({{"run", run.plan().run.toStdString()},
                      {"federation", run.plan().federation.toStdString()},
                      {"federate", name.toStdString()},
                      {"from", from.toStdString()},
                      {"host", host.toStdString()},
                      {"label", move.label().toStdString()},
                      {"outcome", wordOf(move.outcome())},
                      {"message", move.message().toStdString()}});
  else
    (done ? invocation.out : invocation.err) << move.message() << Qt::endl;
  return done ? Ok : Findings;
}

const RegisterVerb registered{
    {verb, QStringLiteral("FEDERATE HOST [RUN]"),
     QStringLiteral("Move a federate of a run to another host of it"),
     QStringLiteral(
         "Saves the federation execution, stops the federate where it is, starts it on HOST and "
         "restores:\n"
         "all federates go on from the logical time of the save. HOST is a host that the run uses "
         "already, or\n"
         "\"here\" for this machine. All federates that run must be able to save and restore, as "
         "their manifests\n"
         "say; else nothing is stopped.\n"
         "What fails once the federate was stopped is undone: it goes back to the host that it was "
         "on. Ctrl+C\n"
         "gives the move up as long as the federate runs. The save is called move-FEDERATE; the "
         "next move of\n"
         "that federate replaces it.\n"
         "RUN is its identifier, the beginning of it, or the name of its federation; not needed "
         "for the only one.\n"
         "Exit code 0: moved; 1: not moved, the message says where it is; 2: there is no such run, "
         "or it cannot\n"
         "be moved."),
     &run}};

}  // namespace
