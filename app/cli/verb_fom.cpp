// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verb.h"
#include "fom-editor/model/command_line.h"

namespace {

using namespace tutti::app;

int run(Invocation& invocation) {
  QStringList arguments = invocation.arguments;
  if (invocation.json) arguments << QStringLiteral("--json");
  const int code = tutti::fomedit::runFomCommand(arguments, invocation.out, invocation.err);
  invocation.out.flush();
  invocation.err.flush();
  return code;
}

const RegisterVerb registered{
    {QStringLiteral("fom"), QStringLiteral("check|show [ITEM] FILE ..."),
     QStringLiteral("Check FOM modules, or show a class or datatype"),
     QStringLiteral(
         "fom check FILE ...\n"
         "  Reads the modules, merges them with the standard MIM and says what is wrong, "
         "with file and line.\n"
         "  Exit code 0 when an RTI would load them.\n"
         "fom show [--csv] ITEM FILE ...\n"
         "  Prints the attributes of a class, the parameters of an interaction class, or "
         "a datatype.\n"
         "  ITEM is a name such as Flight, Track.Flight or datatype:GeoPosition."),
     &run}};

}  // namespace
