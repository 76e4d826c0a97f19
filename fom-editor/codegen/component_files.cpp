// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/codegen/component_files.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "fom-editor/codegen/data_type_source.h"
#include "fom-editor/codegen/federate_source.h"
#include "fom-editor/codegen/source_text.h"
#include "fom-editor/model/item.h"

namespace tutti::fomedit {

namespace {

/// A JSON string with its quotes.
QString jsonString(const QString& text) {
  const QByteArray list = QJsonDocument(QJsonArray{text}).toJson(QJsonDocument::Compact);
  return QString::fromUtf8(list.mid(1, list.size() - 2));
}

QString jsonStrings(const QStringList& texts) {
  QStringList quoted;
  for (const QString& text : texts) quoted << jsonString(text);
  return u'[' + quoted.join(QStringLiteral(", ")) + u']';
}

/// "publishes" or "subscribes" of component.json; empty where there is nothing.
QString interests(const ComponentPlan& plan, bool publishes) {
  QStringList objects, interactions;
  for (const PlannedClass& c : plan.classes) {
    if (!(publishes ? c.published : c.subscribed)) continue;
    if (!c.isObject) {
      interactions << jsonString(c.shortName());
      continue;
    }
    QStringList attributes;
    for (const PlannedMember& m : c.members) {
      if (publishes ? m.published : m.subscribed) attributes << m.name;
    }
    objects << QStringLiteral("{ \"class\": %1, \"attributes\": %2%3 }")
                   .arg(jsonString(c.shortName()), jsonStrings(attributes),
                        publishes ? QStringLiteral(", \"rate\": \"1 / step\"") : QString());
  }
  QStringList lists;
  const auto add = [&lists](const char* name, const QStringList& of) {
    if (of.isEmpty()) return;
    lists << QStringLiteral("    \"%1\": [\n      %2\n    ]")
                 .arg(QLatin1String(name), of.join(QStringLiteral(",\n      ")));
  };
  add("objects", objects);
  add("interactions", interactions);
  if (lists.isEmpty()) return {};
  return QStringLiteral("  \"%1\": {\n%2\n  },\n")
      .arg(publishes ? QStringLiteral("publishes") : QStringLiteral("subscribes"),
           lists.join(QStringLiteral(",\n")));
}

QString manifest(const ComponentPlan& plan) {
  QStringList in, out, modules;
  for (const PlannedClass& c : plan.classes) {
    if (c.published) out << c.shortName();
    if (c.subscribed) in << c.shortName();
  }
  for (const QString& module : plan.modules) modules << QStringLiteral("fom/") + module;
  QString title = QString(plan.id).replace(u'-', u' ');
  title = title.left(1).toUpper() + title.mid(1);
  QStringList says;
  if (!out.isEmpty()) says << QStringLiteral("publishes ") + out.join(QStringLiteral(", "));
  if (!in.isEmpty()) says << QStringLiteral("subscribes to ") + in.join(QStringLiteral(", "));
  QString summary = says.join(QStringLiteral("; ")) + u'.';
  summary = summary.left(1).toUpper() + summary.mid(1);
  QString time;
  if (plan.time.regulating || plan.time.constrained) {
    time = QStringLiteral(
               "  \"time\": {\n    \"regulating\": %1,\n    \"constrained\": %2,\n%3    \"type\": "
               "\"HLAfloat64Time\"\n  },\n")
               .arg(plan.time.regulating ? QStringLiteral("true") : QStringLiteral("false"),
                    plan.time.constrained ? QStringLiteral("true") : QStringLiteral("false"),
                    plan.time.regulating ? QStringLiteral("    \"lookahead\": \"step\",\n")
                                         : QString());
  }
  return QStringLiteral(
             "{\n"
             "  \"id\": %1,\n  \"name\": %2,\n  \"version\": \"1.0\",\n  \"summary\": %3,\n"
             "  \"category\": \"My own\",\n  \"api\": \"IEEE 1516.1-2010 C++\",\n"
             "  \"command\": {\n    \"executable\": %4,\n    \"arguments\": [\n"
             "      [\"--federate\", \"{federate}\"],\n      [\"--federation\", "
             "\"{federation}\"],\n"
             "      [\"--fom\", \"{fom}\"],\n      [\"--pace\", \"{pace}\"],\n      [\"--step\", "
             "\"{step}\"]\n"
             "    ]\n  },\n"
             "  \"parameters\": [\n    {\n      \"name\": \"step\",\n      \"label\": \"Step\",\n"
             "      \"help\": \"Time between two steps.\",\n      \"kind\": \"real\",\n      "
             "\"unit\": \"s\",\n"
             "      \"min\": 0.001,\n      \"max\": 3600,\n      \"default\": 1\n    }\n  ],\n"
             "  \"fom\": %5,\n%6%7%8"
             "  \"resources\": {\n    \"cores\": 0.1,\n    \"memory\": 20\n  },\n"
             "  \"ready\": {\n    \"when\": \"joined\"\n  },\n"
             "  \"abilities\": [\"late-join\"]\n}\n")
      .arg(jsonString(plan.id), jsonString(title), jsonString(summary),
           jsonString(QStringLiteral("build/") + plan.target()), jsonStrings(modules),
           interests(plan, true), interests(plan, false), time);
}

QString buildFile(const ComponentPlan& plan) {
  return QStringLiteral(
             "# Builds the federate %1 into the folder where its component.json looks for it:\n"
             "#   cmake -S . -B build && cmake --build build\n"
             "# This file is yours: `tutti component regenerate` leaves it as it is once you have "
             "changed it.\n"
             "cmake_minimum_required(VERSION 3.18)\n"
             "project(%2 LANGUAGES CXX)\n\n"
             "if(NOT CMAKE_BUILD_TYPE)\n  set(CMAKE_BUILD_TYPE Release)\nendif()\n"
             "set(CMAKE_CXX_STANDARD 17)\nset(CMAKE_CXX_STANDARD_REQUIRED ON)\n\n"
             "find_package(RTI1516e REQUIRED)\n"
             "add_subdirectory(generated)\n"
             "add_executable(%3 main.cpp)\n"
             "target_compile_options(%3 PRIVATE -Wall -Wextra)\n"
             "target_link_libraries(%3 PRIVATE generated)\n")
      .arg(plan.id, plan.nameSpace(), plan.target());
}

QString generatedBuildFile() {
  return QStringLiteral(
             "# %1\n"
             "add_library(generated STATIC datatypes.cpp federate.cpp member.cpp)\n"
             "target_compile_options(generated PRIVATE -Wall -Wextra)\n"
             "target_include_directories(generated PUBLIC \"${CMAKE_CURRENT_SOURCE_DIR}/..\")\n"
             "target_link_libraries(generated PUBLIC RTI1516e::rti1516e RTI1516e::fedtime1516e)\n")
      .arg(generatedStamp());
}

QString cppOf(const PlannedType& type) {
  switch (type.shape) {
    case CodeShape::Enumeration:
      return QStringLiteral("enum of ") + type.cpp;
    case CodeShape::Record:
    case CodeShape::Variant:
      return QStringLiteral("struct");
    default:
      return type.cpp;
  }
}

}  // namespace

QList<ComponentFile> componentFiles(const ComponentPlan& plan) {
  const QString space = plan.nameSpace();
  const QList<std::pair<QString, QString>> names{{QStringLiteral("namespace"), space},
                                                 {QStringLiteral("id"), plan.id}};
  QList<ComponentFile> files;
  const auto add = [&files](const char* path, const QString& content, FileOwner owner) {
    files << ComponentFile{QString::fromLatin1(path), content.toUtf8(), owner};
  };
  add("component.json", manifest(plan), FileOwner::Person);
  add("CMakeLists.txt", buildFile(plan), FileOwner::Person);
  add("main.cpp", mainSource(plan), FileOwner::Person);
  add("generated/CMakeLists.txt", generatedBuildFile(), FileOwner::Generator);
  add("generated/octets.h", templateText(QStringLiteral("octets.h"), names), FileOwner::Generator);
  add("generated/member.h", templateText(QStringLiteral("member.h"), names), FileOwner::Generator);
  add("generated/member.cpp", templateText(QStringLiteral("member.cpp"), names),
      FileOwner::Generator);
  add("generated/datatypes.h", dataTypeHeader(*plan.dataTypes, space), FileOwner::Generator);
  add("generated/datatypes.cpp", dataTypeSource(*plan.dataTypes, space), FileOwner::Generator);
  add("generated/federate.h", federateHeader(plan), FileOwner::Generator);
  add("generated/federate.cpp", federateSource(plan), FileOwner::Generator);
  return files;
}

QMap<QString, QString> interfaceOf(const ComponentPlan& plan) {
  QMap<QString, QString> names;
  for (const PlannedClass& c : plan.classes) {
    QStringList does;
    if (c.published) does << QStringLiteral("published");
    if (c.subscribed) does << QStringLiteral("subscribed");
    names.insert(c.identifier, does.join(QStringLiteral(", ")));
    for (const PlannedMember& m : c.members) {
      const PlannedType* type = m.problem.isEmpty() ? plan.dataTypes->find(m.dataType) : nullptr;
      names.insert(c.identifier + u'.' + m.identifier,
                   type == nullptr ? QStringLiteral("Octets")
                                   : QStringLiteral("types::") + type->identifier);
    }
  }
  for (const PlannedType& type : plan.dataTypes->types()) {
    const QString own = QStringLiteral("types::") + type.identifier;
    names.insert(own, cppOf(type));
    const auto typeName = [&](const QString& name) {
      return QStringLiteral("types::") + plan.dataTypes->find(name)->identifier;
    };
    for (const PlannedPart& part : type.parts) {
      names.insert(own + u'.' + part.identifier,
                   part.typeName.isEmpty() ? QStringLiteral("no data") : typeName(part.typeName));
    }
    if (!type.discriminantIdentifier.isEmpty()) {
      names.insert(own + u'.' + type.discriminantIdentifier, typeName(type.elementType));
    }
    for (qsizetype i = 0; i < type.enumerators.size(); ++i) {
      const auto values = enumeratorValues(type.type->enumerators[static_cast<std::size_t>(i)],
                                           type.octets, type.isSigned);
      names.insert(own + QStringLiteral("::") + type.enumerators[i],
                   QString::number(values->front()));
    }
  }
  return names;
}

}  // namespace tutti::fomedit
