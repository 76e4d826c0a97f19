// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>

#include "app/cli/verb.h"
#include "composer/model/catalog.h"
#include "fom-editor/model/command_line.h"
#include "fom-editor/model/conversion_command.h"
#include "fom-editor/model/difference_command.h"
#include "fom-editor/model/extraction_command.h"
#include "fom-editor/model/merge_command.h"
#include "fom-editor/model/modules_command.h"

namespace {

using namespace tutti::app;
namespace fomedit = tutti::fomedit;

/// The components of a folder, or of its folders, as the object model's room wants to know them.
tl::expected<QList<fomedit::ComponentUse>, QString> readComponents(const QString& folder) {
  using tutti::composer::Catalog;
  if (!QDir(folder).exists()) {
    return tl::unexpected(QStringLiteral("there is no folder %1").arg(folder));
  }
  const Catalog catalog = Catalog::read({folder});
  if (!catalog.problems().empty()) return tl::unexpected(catalog.problems().front().message());
  if (catalog.components().empty()) {
    return tl::unexpected(QStringLiteral("%1 holds no component.json").arg(folder));
  }
  QList<fomedit::ComponentUse> components;
  for (const auto& manifest : catalog.components()) {
    fomedit::ComponentUse use{manifest->id + u' ' + manifest->version, manifest->fomModules, {}};
    for (const auto& [interests, publishes] :
         {std::pair(&manifest->publishes, true), std::pair(&manifest->subscribes, false)}) {
      for (const auto& interest : *interests) {
        use.interests.append(
            {interest.className, interest.isObject, interest.attributes, publishes});
      }
    }
    components << use;
  }
  return components;
}

int run(Invocation& invocation) {
  QStringList arguments = invocation.arguments;
  if (invocation.json) arguments << QStringLiteral("--json");
  const QString action = arguments.value(0);
  int code = 0;
  if (action == QStringLiteral("diff")) {
    code = fomedit::runFomDifference(arguments.mid(1), &readComponents, invocation.out,
                                     invocation.err);
  } else if (action == QStringLiteral("merge")) {
    code = fomedit::runFomMerge(arguments.mid(1), invocation.out, invocation.err);
  } else if (action == QStringLiteral("modules")) {
    code = fomedit::runFomModules(arguments.mid(1), invocation.out, invocation.err);
  } else if (action == QStringLiteral("convert") || action == QStringLiteral("join") ||
             action == QStringLiteral("new")) {
    code = fomedit::runFomConversion(arguments, invocation.out, invocation.err);
  } else if (action == QStringLiteral("extract")) {
    code = fomedit::runFomExtraction(arguments.mid(1), invocation.out, invocation.err);
  } else {
    code = fomedit::runFomCommand(arguments, invocation.out, invocation.err);
  }
  invocation.out.flush();
  invocation.err.flush();
  return code;
}

const RegisterVerb registered{
    {QStringLiteral("fom"),
     QStringLiteral(
         "check|show|modules|export|diff|merge|convert|join|extract|new [ITEM] FILE ..."),
     QStringLiteral("Check FOM modules, show a class or datatype, compare, merge and convert"),
     QStringLiteral(
         "fom check [--level LEVEL] [--style] [--fix [--dry-run]] FILE ...\n"
         "  Reads the modules, merges them with the standard MIM and says what is wrong, "
         "with file, line, column, rule and a fix where there is one.\n"
         "  They may be of HLA 1.3 (FED or OMT) or IEEE 1516-2000, 2010 or 2025; which one is "
         "said.\n"
         "  Levels: loads (this RTI loads them), strict (so do RTIs that are known to be "
         "stricter), "
         "dif (as the DIF schema and the\n"
         "  standard want modules for interchange), omt (complete by the OMT schema).\n"
         "  Exit code 0 when nothing of the level or of one before it was found, 1 when something "
         "was.\n"
         "  --level LEVEL         what has to be clean, and up to where findings are listed; "
         "without it loads has to be, and dif is listed\n"
         "  --style               lists hints of style too, which never count\n"
         "  --fix                 writes the corrections that are certain, up to the level (dif "
         "without --level); other bytes stay\n"
         "  --dry-run             with --fix: shows what would change, writes nothing\n"
         "fom show [--csv] ITEM FILE ...\n"
         "  Prints the attributes of a class, the parameters of an interaction class, or "
         "a datatype.\n"
         "  ITEM is a name such as Flight, Track.Flight or datatype:GeoPosition.\n"
         "fom modules FILE|FOLDER ...\n"
         "  Prints what each module offers, what it needs of which other, and an order in which "
         "each "
         "comes behind those that it\n"
         "  needs. Exit code 0 when all that is used is defined, 1 when not, 2 when a module "
         "cannot "
         "be read.\n"
         "fom export --html FOLDER FILE ...\n"
         "  Writes the object model as pages for a browser: a page for each class and datatype, "
         "with "
         "search, for publishing.\n"
         "  FOLDER is new, empty, or one of an earlier export, whose pages are replaced.\n"
         "fom diff A B [--html FILE] [--no-renames] [--components FOLDER]\n"
         "  Prints what was added, removed, renamed, moved and changed from A to B, and whether "
         "federates that were built\n"
         "  for A run in a federation with B. A and B are each a module, a folder of modules, or "
         "modules joined by commas.\n"
         "  Exit code 0 when both define the same, 1 when not, 2 when one cannot be read.\n"
         "  --html FILE           writes a report as one page\n"
         "  --no-renames          lists what was renamed or moved as removed and added\n"
         "  --components FOLDER   says which components of the folder break\n"
         "fom diff --git-driver PATH OLD-FILE OLD-HEX OLD-MODE NEW-FILE NEW-HEX NEW-MODE\n"
         "  As git calls it: git config diff.fom.command 'tutti fom diff --git-driver', and "
         "*.xml diff=fom in .gitattributes.\n"
         "fom merge BASE OURS THEIRS [--choose [PLACE=]SIDE ...] [-o FILE] [--markers]\n"
         "  Brings what changed from BASE to THEIRS into the module OURS: by classes, attributes, "
         "datatypes and other rows, not by\n"
         "  lines. Exit code 0 when they merge, 1 when there are conflicts, 2 when a module cannot "
         "be read.\n"
         "  -o FILE               writes the result, which has the bytes of OURS where nothing "
         "changed; FILE may be OURS\n"
         "  --choose [PLACE=]SIDE decides the conflict of that place, or all others: SIDE is ours, "
         "theirs, base or both\n"
         "  --markers             writes it also with conflicts, each between <<<<<<< and >>>>>>>\n"
         "fom merge --git BASE OURS THEIRS PATH\n"
         "  As git calls it: git config merge.fom.driver 'tutti fom merge --git %O %A %B %P', and "
         "*.xml merge=fom in .gitattributes.\n"
         "  What is no object model in XML is merged by lines.\n"
         "fom convert FILE --to EDITION [-o FILE] [--force]\n"
         "  Writes the module in the notation of another edition of HLA: 1.3-fed, 1.3-omt, 2000, "
         "2010 "
         "or 2025. Says what\n"
         "  that edition cannot say, and what was guessed, each with its lines. Exit code 0 when "
         "nothing "
         "is lost, 1 when\n"
         "  something is lost or said in another way, 2 when a file cannot be read or written.\n"
         "  -o FILE               writes a file, as a whole or not at all; without it the standard "
         "output\n"
         "  --force               replaces a file that is there\n"
         "fom join FILE ... -o FILE [--to EDITION] [--name NAME] [--force]\n"
         "  Writes what the modules define as one module, merged as an RTI would, without the "
         "standard "
         "MIM. Exit codes as above.\n"
         "  --to EDITION          2010 unless given\n"
         "  --name NAME           its name; unless given that of the file\n"
         "fom extract FILE CLASS ... -o NEW [--no-subclasses] [--shared stay|copy|move] [--name "
         "NAME] "
         "[--force]\n"
         "  Puts classes of a module into a new one, with the datatypes, dimensions, "
         "transportation "
         "types and notes that they alone\n"
         "  use; the module loses them. Merged, the two are what the one was. CLASS is a full name "
         "or the end of one. Exit code 0\n"
         "  when it is done, 2 when nothing was written.\n"
         "  --no-subclasses       leaves what is below the classes where it is\n"
         "  --shared HOW          what others of the module use too: stays (as without it), is "
         "copied, or moves\n"
         "fom new FILE [--edition EDITION] [--name NAME] [--force]\n"
         "  Writes a module with nothing in it yet but its name and the roots."),
     &run}};

}  // namespace
