// SPDX-License-Identifier: GPL-3.0-or-later
// tutti launch: runs the two plans of a folder as they are written.
#include "app/cli/verb.h"
#include "app/cli/verb_run_input.h"
#include "app/cli/verb_run_session.h"

namespace {

using namespace tutti;
using namespace tutti::app;

int launch(Invocation& invocation) {
  const auto verb = QStringLiteral("launch");
  const auto options = RunOptions::take(invocation);
  if (!options) return invocation.usage(verb, options.error());
  for (const QString& argument : invocation.arguments) {
    if (argument.startsWith(u'-'))
      return invocation.usage(verb, QStringLiteral("there is no option %1").arg(argument));
  }
  if (invocation.arguments.size() != 1)
    return invocation.usage(verb, QStringLiteral("name one folder that tutti plan has written"));
  auto input = readPlans(invocation.arguments.front());
  if (!input) {
    if (invocation.json)
      invocation.print({{"error", input.error().toStdString()}});
    else
      invocation.err << input.error() << Qt::endl;
    return Usage;
  }
  return startRun(invocation, std::move(*input), *options);
}

const RegisterVerb registered{
    {QStringLiteral("launch"),
     QStringLiteral("FOLDER [--duration SECONDS] [--no-copy] [--quiet] [--no-record]"),
     QStringLiteral("Run the plans that tutti plan has written to a folder"),
     QStringLiteral(
         "FOLDER has launch.json and connections.json, of tutti plan FILE -o FOLDER. Both can be "
         "changed by\nhand; where they contradict each other nothing is started, and the message "
         "names file and line.\nThe composition is not read. Results and exit codes are those of "
         "tutti run.\n"
         "  --duration SECONDS  stop so long after all were ready\n"
         "  --no-copy           copy nothing to hosts that lack files; refuse instead\n"
         "  --quiet             only the summary\n"
         "  --no-record         keep no record in the run store\n"
         "Exit code 0: it ended in order; 1: a federate died or was never ready; 2: nothing could "
         "be started."),
     &launch}};

}  // namespace
