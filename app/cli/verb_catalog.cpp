// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verb.h"
#include "composer/model/catalog.h"

namespace {

using namespace tutti::app;
using namespace tutti::composer;

nlohmann::json interestsJson(const std::vector<Interest>& interests) {
  nlohmann::json list = nlohmann::json::array();
  for (const Interest& interest : interests) {
    nlohmann::json item{{"class", interest.className.toStdString()},
                        {"kind", interest.isObject ? "object" : "interaction"}};
    for (const QString& attribute : interest.attributes)
      item["attributes"].push_back(attribute.toStdString());
    if (!interest.rate.isEmpty()) item["rate"] = interest.rate.toStdString();
    list.push_back(item);
  }
  return list;
}

int run(Invocation& invocation) {
  const Catalog catalog = Catalog::readDefault();
  const auto found = catalog.search(invocation.arguments.join(u' '));
  if (invocation.json) {
    nlohmann::json components = nlohmann::json::array();
    for (const Manifest* manifest : found) {
      nlohmann::json item{{"id", manifest->id.toStdString()},
                          {"name", manifest->name.toStdString()},
                          {"version", manifest->version.toStdString()},
                          {"category", manifest->category.toStdString()},
                          {"summary", manifest->summary.toStdString()},
                          {"folder", manifest->folder.toStdString()},
                          {"publishes", interestsJson(manifest->publishes)},
                          {"subscribes", interestsJson(manifest->subscribes)}};
      const auto executable = findExecutable(*manifest);
      item["executable"] =
          executable ? nlohmann::json(executable->toStdString()) : nlohmann::json();
      nlohmann::json parameters = nlohmann::json::array();
      for (const Parameter& parameter : manifest->parameters) {
        parameters.push_back({{"name", parameter.name.toStdString()},
                              {"kind", parameterKindName(parameter.kind).toStdString()},
                              {"unit", parameter.unit.toStdString()},
                              {"required", parameter.required},
                              {"default", parameter.defaultValue}});
      }
      item["parameters"] = parameters;
      components.push_back(item);
    }
    nlohmann::json problems = nlohmann::json::array();
    for (const Error& problem : catalog.problems())
      problems.push_back(problem.message().toStdString());
    nlohmann::json shadowed = nlohmann::json::array();
    for (const Error& one : catalog.shadowed()) shadowed.push_back(one.message().toStdString());
    nlohmann::json folders = nlohmann::json::array();
    for (const auto& folder : catalog.folders()) {
      folders.push_back({{"path", folder.path.toStdString()},
                         {"name", folder.name.toStdString()},
                         {"readOnly", folder.readOnly},
                         {"components", folder.components}});
    }
    invocation.print({{"components", components},
                      {"folders", folders},
                      {"problems", problems},
                      {"shadowed", shadowed}});
  } else {
    for (const Manifest* manifest : found) {
      invocation.out << manifest->id.leftJustified(20) << ' ' << manifest->version.leftJustified(7)
                     << ' ' << manifest->flowSummary() << '\n';
    }
    if (found.empty()) {
      invocation.out << (invocation.arguments.isEmpty()
                             ? QStringLiteral("No catalog folder holds a component. Looked in %1.")
                                   .arg(Catalog::searchPath().join(QStringLiteral(", ")))
                             : QStringLiteral("No component matches \"%1\".")
                                   .arg(invocation.arguments.join(u' ')))
                     << '\n';
    }
    invocation.out.flush();
    for (const auto* list : {&catalog.problems(), &catalog.shadowed()}) {
      for (const Error& one : *list) invocation.err << one.message() << Qt::endl;
    }
  }
  return catalog.problems().empty() ? Ok : Findings;
}

const RegisterVerb registered{
    {QStringLiteral("catalog"), QStringLiteral("[WORD ...]"),
     QStringLiteral("List components, those that match every word"),
     QStringLiteral(
         "A word matches a name, a tag, or a class published or subscribed. Folders are searched "
         "in this order:\n"
         "TUTTI_CATALOG (colon-separated), resources/components, the user's own folder.\n"
         "Exit code 1: a manifest could not be read."),
     &run}};

}  // namespace
