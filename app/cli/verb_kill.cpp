// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_reach.h"

namespace {

using namespace tutti::app;

int run(Invocation& invocation) { return commandRun(invocation, QStringLiteral("kill")); }

const RegisterVerb registered{
    {QStringLiteral("kill"), QStringLiteral("RUN [FEDERATE|@GROUP ...]"),
     QStringLiteral("Kill federates of a run, or all of it"),
     QStringLiteral("As tutti stop, but at once: SIGKILL, also to the processes that they have "
                    "started. To the\n"
                    "others it is as if they had died.\n"
                    "Exit code 1: something has not ended; 2: there is no such run or federate."),
     &run}};

}  // namespace
