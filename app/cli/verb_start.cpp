// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_reach.h"

namespace {

using namespace tutti::app;

int run(Invocation& invocation) { return commandRun(invocation, QStringLiteral("start")); }

const RegisterVerb registered{
    {QStringLiteral("start"), QStringLiteral("RUN [FEDERATE|@GROUP ...] [--restart]"),
     QStringLiteral("Start federates of a run again"),
     QStringLiteral("Starts those that have ended or were stopped, in a run that goes on; without "
                    "names all of "
                    "them.\n"
                    "RUN is its identifier, the beginning of it, or the name of its federation; "
                    "whoever started "
                    "it. FEDERATE\n"
                    "is a federate or a box with several, @GROUP a group of the composition.\n"
                    "  --restart    those that run are stopped first\n"
                    "tutti run starts a federation. Exit code 1: not all have started; 2: there is "
                    "no such run "
                    "or federate."),
     &run}};

}  // namespace
