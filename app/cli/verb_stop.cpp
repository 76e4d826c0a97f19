// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/batch_following.h"
#include "app/cli/run_reach.h"

namespace {

using namespace tutti::app;

int run(Invocation& invocation) {
  const auto verb = QStringLiteral("stop");
  const bool now = invocation.takeFlag(QStringLiteral("--now"));
  const auto words = JobWords::take(invocation);
  if (!words) return invocation.usage(verb, words.error());
  if (now && !*words)
    return invocation.usage(verb, QStringLiteral("--now is for --job; tutti kill RUN ends a run of "
                                                 "this machine at once"));
  if (!*words) return commandRun(invocation, verb);
  if (!invocation.arguments.isEmpty())
    return invocation.usage(verb, QStringLiteral("with --job the whole run ends: name nothing "
                                                 "else"));
  return stopJob(invocation, **words, now);
}

const RegisterVerb registered{
    {QStringLiteral("stop"),
     QStringLiteral("RUN [FEDERATE|@GROUP ...] [--remove] | --job JOB [--now] [--cluster NAME] "
                    "[--hosts FILE]"),
     QStringLiteral("Stop a run, or some of its federates"),
     QStringLiteral(
         "Without names the run ends, on all its hosts, as with Ctrl+C at tutti run or Stop in the "
         "window.\n"
         "With names these federates are told to end (SIGTERM) and the run goes on, even without "
         "required\n"
         "ones; one that does not end is killed after the grace time of the launch plan. None of "
         "them is\n"
         "restarted by its policy.\n"
         "  --remove     they leave the run: federates that wait for them wait no longer, and "
         "tutti start\n"
         "               brings one back only as a new one, from the composition\n"
         "  --job JOB    a run that was submitted as a job of Slurm: one that waits is taken out "
         "of "
         "the queue, one\n"
         "               that runs is told to end in order, with its record; nothing continues "
         "it. --now, or a\n"
         "               second stop, has Slurm end it at once. Of one that is over, the one that "
         "continues it\n"
         "               is ended\n"
         "RUN is its identifier, the beginning of it, or the name of its federation; whoever "
         "started it. FEDERATE\n"
         "is a federate or a box with several, @GROUP a group of the composition.\n"
         "Exit code 1: something has not ended; 2: there is no such run or federate."),
     &run}};

}  // namespace
