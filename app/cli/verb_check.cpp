// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileInfo>

#include "app/cli/verb.h"
#include "composer/model/catalog.h"
#include "composer/model/checks.h"
#include "composer/model/command_line.h"
#include "composer/model/composition.h"
#include "composer/model/object_models.h"

namespace {

using namespace tutti::app;
using namespace tutti::composer;

nlohmann::json findingJson(const Finding& finding, const Composition& composition) {
  nlohmann::json json{{"severity", severityName(finding.severity).toStdString()},
                      {"check", checkName(finding.check).toStdString()},
                      {"text", finding.text.toStdString()},
                      {"why", finding.why.toStdString()},
                      {"place", finding.place(composition).toStdString()}};
  nlohmann::json where = nlohmann::json::object();
  if (!finding.where.federate.isEmpty()) where["federate"] = finding.where.federate.toStdString();
  if (!finding.where.parameter.isEmpty())
    where["parameter"] = finding.where.parameter.toStdString();
  if (!finding.where.className.isEmpty()) where["class"] = finding.where.className.toStdString();
  if (!finding.where.file.isEmpty()) where["file"] = finding.where.file.toStdString();
  if (finding.where.line > 0) where["line"] = finding.where.line;
  json["where"] = where;
  if (finding.fix) json["fix"] = finding.fix->label.toStdString();
  return json;
}

QString counted(int number, const QString& noun) {
  return QStringLiteral("%1 %2%3").arg(number).arg(noun,
                                                   number == 1 ? QString{} : QStringLiteral("s"));
}

int run(Invocation& invocation) {
  if (invocation.arguments.size() != 1)
    return invocation.usage(QStringLiteral("check"), QStringLiteral("name one composition file"));
  const QString file = invocation.arguments.front();
  const auto composition = Composition::load(file);
  if (!composition) {
    if (invocation.json) {
      const Error& error = composition.error();
      invocation.print({{"error", error.message().toStdString()},
                        {"file", error.file.toStdString()},
                        {"line", error.line},
                        {"pointer", error.pointer.toStdString()}});
    } else {
      invocation.err << composition.error().message() << Qt::endl;
    }
    return Usage;
  }
  const Catalog catalog = Catalog::readDefault();
  const QString folder = QFileInfo{file}.absolutePath();
  const ObjectModelReport objectModel =
      examineModules(effectiveModules(*composition, catalog, folder));
  const auto findings =
      checkComposition(*composition, catalog, {folder, Catalog::binaryFolders(), &objectModel});

  int counts[3] = {0, 0, 0};
  for (const Finding& finding : findings) ++counts[static_cast<int>(finding.severity)];
  if (invocation.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const Finding& finding : findings) list.push_back(findingJson(finding, *composition));
    invocation.print({{"federation", composition->settings.federation.toStdString()},
                      {"federates", composition->federates.size()},
                      {"canRun", canRun(findings)},
                      {"findings", list}});
  } else {
    for (const Finding& finding : findings) {
      const QString place = finding.place(*composition);
      invocation.out << severityName(finding.severity).leftJustified(8)
                     << checkName(finding.check).leftJustified(13)
                     << (place.isEmpty() ? QString{} : place + QStringLiteral(": ")) << finding.text
                     << '\n';
      if (!finding.why.isEmpty()) invocation.out << QString(21, u' ') << finding.why << '\n';
      if (finding.fix) invocation.out << QString(21, u' ') << "Fix: " << finding.fix->label << '\n';
    }
    invocation.out << composition->settings.federation << ": "
                   << counted(static_cast<int>(composition->federates.size()),
                              QStringLiteral("federate"))
                   << ", " << counted(counts[0], QStringLiteral("error")) << ", "
                   << counted(counts[1], QStringLiteral("warning")) << ", "
                   << counted(counts[2], QStringLiteral("info")) << Qt::endl;
  }
  return canRun(findings) ? Ok : Findings;
}

const RegisterVerb registered{
    {QStringLiteral("check"), QStringLiteral("FILE"),
     QStringLiteral("Check a composition as the console does before a run"),
     QStringLiteral(
         "Prints one finding a line with its reason and, where there is one, its fix.\n"
         "Exit code 0: it may run; 1: there is an error; 2: the file could not be read."),
     &run}};

}  // namespace
