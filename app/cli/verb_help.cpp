// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verb.h"

namespace {

using namespace tutti::app;

int run(Invocation& invocation) {
  if (invocation.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const Verb& verb : verbs()) {
      list.push_back({{"name", verb.name.toStdString()},
                      {"arguments", verb.arguments.toStdString()},
                      {"summary", verb.summary.toStdString()}});
    }
    invocation.print({{"verbs", list}});
    return Ok;
  }
  if (!invocation.arguments.isEmpty()) {
    const Verb* verb = findVerb(invocation.arguments.front());
    if (!verb)
      return invocation.usage(
          QStringLiteral("help"),
          QStringLiteral("there is no verb \"%1\"").arg(invocation.arguments.front()));
    invocation.out << "tutti " << verb->name << ' ' << verb->arguments << "\n\n"
                   << verb->summary << "\n";
    if (!verb->details.isEmpty()) invocation.out << '\n' << verb->details << '\n';
    invocation.out.flush();
    return Ok;
  }
  invocation.out << "usage: tutti VERB [ARGUMENT ...] [--json]\n\n";
  for (const Verb& verb : verbs()) {
    invocation.out << "  " << verb.name.leftJustified(12) << verb.summary << '\n';
  }
  invocation.out << "\n`tutti help VERB` shows its arguments.\n"
                    "Exit codes: 0 done, 1 something is wrong with what was checked or run, 2 "
                    "the command line or a file\n"
                    "could not be understood. --json prints one JSON value.\n";
  invocation.out.flush();
  return Ok;
}

const RegisterVerb registered{{QStringLiteral("help"),
                               QStringLiteral("[VERB]"),
                               QStringLiteral("List the commands"),
                               {},
                               &run}};

}  // namespace
