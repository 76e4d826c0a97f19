// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_reach.h"

namespace {

using namespace tutti::app;

int run(Invocation& invocation) { return commandRun(invocation, QStringLiteral("stop")); }

const RegisterVerb registered{
    {QStringLiteral("stop"), QStringLiteral("RUN [FEDERATE|@GROUP ...] [--remove]"),
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
         "RUN is its identifier, the beginning of it, or the name of its federation; whoever "
         "started it. FEDERATE\n"
         "is a federate or a box with several, @GROUP a group of the composition.\n"
         "Exit code 1: something has not ended; 2: there is no such run or federate."),
     &run}};

}  // namespace
