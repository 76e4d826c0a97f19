// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSaveFile>
#include <QStandardPaths>
#include <array>
#include <utility>

#include "app/cli/generated_component.h"
#include "app/cli/verb.h"
#include "composer/model/catalog.h"
#include "composer/model/checks.h"
#include "composer/model/command_line.h"
#include "composer/model/composition.h"
#include "launcher/engine/shared_libraries.h"

namespace {

using namespace tutti;
using namespace tutti::app;
using namespace tutti::composer;

const QString verbName = QStringLiteral("component");

/// "fire-truck" as a class is called: "FireTruck".
QString className(const QString& id) {
  QString result;
  for (const QString& word : id.split(QRegularExpression(QStringLiteral("[-_.]")))) {
    result += word.left(1).toUpper() + word.mid(1);
  }
  return result;
}

/// And as people read it: "Fire truck".
QString title(const QString& id) {
  QString words = id;
  words.replace(QRegularExpression(QStringLiteral("[-_.]")), QStringLiteral(" "));
  return words.left(1).toUpper() + words.mid(1);
}

/// Writes what a template of resources/templates/component becomes for a component; why not.
tl::expected<void, QString> write(const QString& from, const QString& to, const QString& id) {
  QFile source(from);
  if (!source.open(QIODevice::ReadOnly))
    return tl::unexpected(from + QStringLiteral(": ") + source.errorString());
  QString text = QString::fromUtf8(source.readAll());
  const std::array<std::pair<const char*, QString>, 3> names{
      {{"@id@", id}, {"@Class@", className(id)}, {"@Name@", title(id)}}};
  for (const auto& [name, value] : names) text.replace(QLatin1String(name), value);
  QSaveFile file(to);
  if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0 || !file.commit())
    return tl::unexpected(to + QStringLiteral(": ") + file.errorString());
  return {};
}

/// The option for CMake that leads it to RTI1516e; empty where it looks anyway.
QString prefixOption() {
  const QString libraries = launcher::rtiLibraryFolder(Catalog::binaryFolders());
  if (libraries.isEmpty() ||
      QStringList{QStringLiteral("/usr/lib"), QStringLiteral("/usr/local/lib")}.contains(libraries))
    return {};
  return QStringLiteral(" -DRTI1516e_DIR=") +
         shellQuoted(libraries + QStringLiteral("/cmake/RTI1516e"));
}

QString ownCatalog() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
         QStringLiteral("/tutti/components");
}

/// The name among the words of `component new`: what is neither an option nor the value of one.
QString nameOf(const QStringList& words) {
  for (qsizetype i = 0; i < words.size(); ++i) {
    if (!words[i].startsWith(u'-')) return words[i];
    if (!words[i].contains(u'=')) ++i;
  }
  return {};
}

/// What a component from the template consists of.
int createFromTemplate(Invocation& invocation, const QString& id, const QString& folder) {
  const QString templates = Catalog::templatesFolder() + QStringLiteral("/component/");
  if (!QFileInfo(templates).isDir())
    return invocation.usage(verbName,
                            QStringLiteral("the templates of components are not installed"));
  if (!QDir().mkpath(folder))
    return invocation.usage(verbName, QStringLiteral("%1 cannot be made").arg(folder));
  for (const QString& name : {QStringLiteral("component.json"), QStringLiteral("Fom.xml"),
                              QStringLiteral("CMakeLists.txt"), QStringLiteral("main.cpp")}) {
    const QString target = name == QStringLiteral("Fom.xml") ? className(id) + ".xml" : name;
    if (const auto written = write(templates + name, folder + u'/' + target, id); !written) {
      QDir(folder).removeRecursively();
      return invocation.usage(verbName, written.error());
    }
  }
  if (!invocation.json) {
    invocation.out << "Written: " << folder << "\n"
                   << "  component.json  what the console knows of it\n"
                   << "  " << (className(id) + ".xml").leftJustified(15) << " its FOM module\n"
                   << "  main.cpp        the federate\n";
  }
  return Ok;
}

int create(Invocation& invocation) {
  const auto in = invocation.takeOption(QStringLiteral("--in"));
  if (in && in->isEmpty()) return invocation.usage(verbName, QStringLiteral("--in needs a folder"));
  const bool fromClasses = asksForClasses(invocation);
  if (!fromClasses && invocation.arguments.size() != 1)
    return invocation.usage(verbName, QStringLiteral("new needs one name, such as fire-truck"));
  const QString id = fromClasses ? nameOf(invocation.arguments) : invocation.arguments.front();
  static const QRegularExpression allowed(QStringLiteral("^[a-z][a-z0-9]*(-[a-z0-9]+)*$"));
  if (!allowed.match(id).hasMatch())
    return invocation.usage(
        verbName,
        QStringLiteral("\"%1\" is no name for a component; lower case letters, digits and "
                       "single hyphens make one, such as fire-truck")
            .arg(id));
  const QString catalog = QDir::cleanPath(QFileInfo(in.value_or(ownCatalog())).absoluteFilePath());
  const QString folder = catalog + u'/' + id;
  if (QFileInfo::exists(folder))
    return invocation.usage(verbName, QStringLiteral("%1 is there already").arg(folder));
  const QString build = folder + QStringLiteral("/build");
  const QString commands = QStringLiteral("cmake -S %1 -B %2%3 && cmake --build %2")
                               .arg(shellQuoted(folder), shellQuoted(build), prefixOption());
  const int code = fromClasses ? createFromClasses(invocation, id, folder, commands)
                               : createFromTemplate(invocation, id, folder);
  if (code != Ok) return code;
  if (invocation.json) {
    if (!fromClasses) {
      invocation.print({{"id", id.toStdString()},
                        {"folder", folder.toStdString()},
                        {"build", commands.toStdString()}});
    }
    return Ok;
  }
  invocation.out << "Build it:\n  " << commands
                 << "\nCheck whether it can run:\n  tutti component check " << shellQuoted(folder)
                 << "\n";
  if (!Catalog::searchPath().contains(catalog)) {
    invocation.out << "The console finds it with:\n  export TUTTI_CATALOG=" << shellQuoted(catalog)
                   << "\n";
  }
  invocation.out.flush();
  return Ok;
}

int check(Invocation& invocation) {
  if (invocation.arguments.size() != 1)
    return invocation.usage(verbName, QStringLiteral("check needs one folder"));
  const QString folder =
      QDir::cleanPath(QFileInfo(invocation.arguments.front()).absoluteFilePath());
  const QString file = folder + QStringLiteral("/component.json");
  if (!QFileInfo(file).isFile())
    return invocation.usage(verbName, QStringLiteral("there is no %1").arg(file));
  QStringList faults;
  const auto manifest = Manifest::read(file);
  if (!manifest) {
    faults << manifest.error().message();
  } else {
    // As a federation of one: what stands in the way of that stands in the way of every other.
    Composition composition;
    composition.settings.federation = manifest->id;
    Federate federate;
    federate.id = federate.name = manifest->id;
    federate.component = manifest->id;
    federate.version = manifest->version;
    composition.federates[federate.id] = federate;
    const Catalog catalog = Catalog::of(*manifest);
    const ObjectModelReport objectModel =
        examineModules(effectiveModules(composition, catalog, folder));
    for (const Finding& finding :
         checkComposition(composition, catalog, {folder, Catalog::binaryFolders(), &objectModel})) {
      if (finding.severity == Severity::Error) {
        const QString place = finding.place(composition);
        faults << (place.isEmpty() ? QString() : place + QStringLiteral(": ")) + finding.text;
      }
    }
    if (const auto program = findExecutable(*manifest)) {
      const auto wanted = manifest->command.environment.find(QStringLiteral("LD_LIBRARY_PATH"));
      const QString path = launcher::libraryPathWith(
          wanted == manifest->command.environment.end() ? QString() : wanted->second,
          launcher::rtiLibraryFolder(Catalog::binaryFolders()));
      for (const QString& missing : launcher::missingLibraries(*program, path))
        faults << QStringLiteral("%1 needs %2, which the dynamic loader does not find.")
                      .arg(*program, missing);
    }
  }
  if (invocation.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const QString& fault : faults) list.push_back(fault.toStdString());
    invocation.print({{"folder", folder.toStdString()}, {"faults", list}});
  } else {
    for (const QString& fault : faults) invocation.out << fault << '\n';
    if (faults.isEmpty()) {
      invocation.out << manifest->id << ' ' << manifest->version << ": " << manifest->flowSummary()
                     << ". It can run.\n";
    }
    invocation.out.flush();
  }
  return faults.isEmpty() ? Ok : Findings;
}

int run(Invocation& invocation) {
  const QString what =
      invocation.arguments.isEmpty() ? QString() : invocation.arguments.takeFirst();
  if (what == QStringLiteral("new")) return create(invocation);
  if (what == QStringLiteral("check")) return check(invocation);
  if (what == QStringLiteral("regenerate")) return regenerateFromClasses(invocation);
  return invocation.usage(verbName,
                          QStringLiteral("say new NAME, regenerate FOLDER or check FOLDER"));
}

const RegisterVerb registered{
    {verbName, QStringLiteral("new NAME [--fom FILE ...] | regenerate FOLDER | check FOLDER"),
     QStringLiteral("Write a component of your own, or check one"),
     QStringLiteral("component new NAME [--in FOLDER]\n"
                    "  Writes a federate (C++, CMake), its manifest and its FOM module into "
                    "FOLDER/NAME, and says "
                    "how to\n  build it. Without --in the folder is that of your own components, "
                    "which the console "
                    "lists.\n"
                    "component new NAME --fom FILE [--publish CLASS] [--subscribe CLASS] [--time "
                    "POLICY] [--in FOLDER]\n"
                    "  The same for classes of an object model: C++ structs for the classes and "
                    "their datatypes, with "
                    "encoding and\n  decoding, and a federate that sends and receives them. What "
                    "is yours to write is in main.cpp.\n"
                    "  --fom FILE            a FOM module, a folder of modules, or modules joined "
                    "by commas; may be repeated\n"
                    "  --publish CLASS       an object or interaction class, as Track.Flight; "
                    "Track.Flight:position,altitude "
                    "for\n                        some of its attributes; may be repeated\n"
                    "  --subscribe CLASS     likewise\n"
                    "  --time POLICY         none (the default), regulating, constrained or both\n"
                    "component regenerate FOLDER [--fom FILE] [--publish CLASS] [--subscribe "
                    "CLASS] [--time POLICY]\n"
                    "  Writes the generated files anew, from the FOM modules in FOLDER/fom or "
                    "those of --fom, and with other "
                    "classes\n  or another policy where they are given. Files that you edited are "
                    "kept; what they have to follow is "
                    "said. Exit\n  code 1: something has to be followed.\n"
                    "component check FOLDER\n"
                    "  Reads component.json and says what keeps the component from running: the "
                    "manifest, the FOM "
                    "modules,\n  the executable, the shared libraries that it needs. Exit code 1: "
                    "something does."),
     &run}};

}  // namespace
