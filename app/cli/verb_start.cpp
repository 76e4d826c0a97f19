// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_reach.h"

namespace {

using namespace tutti::app;

int run(Invocation& invocation) { return commandRun(invocation, QStringLiteral("start")); }

const RegisterVerb registered{
    {QStringLiteral("start"),
     QStringLiteral("RUN [FEDERATE|@GROUP ...] [--restart] [--hosts FILE]"),
     QStringLiteral("Start federates of a run again, or add new ones to it"),
     QStringLiteral(
         "Starts those that have ended or were stopped, in a run that goes on; without names all "
         "of "
         "them.\n"
         "One that the run's composition has by now, and the run does not, joins it: on this "
         "machine or\n"
         "on a host that the run uses already. It is started as those that were there from the "
         "beginning.\n"
         "RUN is its identifier, the beginning of it, or the name of its federation; whoever "
         "started it. FEDERATE\n"
         "is a federate or a box with several, @GROUP a group of the composition.\n"
         "  --restart    those that run are stopped first; none starts before all have ended\n"
         "  --hosts FILE where new ones may be placed, if it is not the *.hosts.json beside the "
         "composition\n"
         "tutti run starts a federation. Exit code 1: not all have started; 2: there is no such "
         "run "
         "or federate."),
     &run}};

}  // namespace
