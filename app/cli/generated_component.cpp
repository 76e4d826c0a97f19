// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/generated_component.h"

#include <QDir>
#include <QFileInfo>

#include "composer/model/command_line.h"
#include "fom-editor/codegen/component_folder.h"

namespace tutti::app {

namespace {

namespace fomedit = tutti::fomedit;

const QString verbName = QStringLiteral("component");

/// Every value of an option that may be given more than once; nothing where it is not given.
std::optional<QStringList> takeAll(Invocation& invocation, const QString& option) {
  std::optional<QStringList> values;
  while (const auto value = invocation.takeOption(option)) {
    if (!values) values.emplace();
    *values << *value;
  }
  return values;
}

struct Options {
  std::optional<QStringList> modules;
  std::optional<QList<fomedit::ClassRequest>> classes;
  std::optional<fomedit::TimeRequest> time;
};

/// A FOM module, those of a folder, or several joined by commas.
tl::expected<QStringList, QString> modulesOf(const QStringList& values) {
  QStringList modules;
  for (const QString& value : values) {
    const QStringList parts =
        QFileInfo::exists(value) ? QStringList{value} : value.split(u',', Qt::SkipEmptyParts);
    if (parts.isEmpty()) return tl::unexpected(QStringLiteral("--fom needs a FOM module"));
    for (const QString& part : parts) {
      const QFileInfo info(part);
      if (info.isDir()) {
        const QFileInfoList inside =
            QDir(part).entryInfoList({QStringLiteral("*.xml")}, QDir::Files, QDir::Name);
        if (inside.isEmpty())
          return tl::unexpected(
              QStringLiteral("the folder %1 holds no FOM module (*.xml)").arg(part));
        for (const QFileInfo& module : inside) modules << module.absoluteFilePath();
      } else if (info.isFile()) {
        modules << info.absoluteFilePath();
      } else {
        return tl::unexpected(QStringLiteral("there is no file %1").arg(part));
      }
    }
  }
  return modules;
}

/// "Track.Flight", "Flight,Weather" or "Flight:position,altitude".
tl::expected<void, QString> addClasses(const QString& option, const QStringList& values,
                                       bool publish, QList<fomedit::ClassRequest>& into) {
  for (const QString& value : values) {
    const QString attributes = value.section(u':', 1);
    QStringList names = value.section(u':', 0, 0).split(u',', Qt::SkipEmptyParts);
    for (QString& name : names) name = name.trimmed();
    names.removeAll(QString());
    if (names.isEmpty()) {
      return tl::unexpected(
          QStringLiteral("%1 needs a class, such as Track.Flight or Track.Flight:position,altitude")
              .arg(option));
    }
    if (value.contains(u':') && names.size() > 1) {
      return tl::unexpected(
          QStringLiteral(
              "%1 %2: attributes belong to one class; give the option once for each class")
              .arg(option, value));
    }
    for (const QString& name : names) {
      fomedit::ClassRequest request{name, {}, publish};
      for (const QString& attribute : attributes.split(u',', Qt::SkipEmptyParts))
        request.attributes << attribute.trimmed();
      into << request;
    }
  }
  return {};
}

tl::expected<Options, QString> takeOptions(Invocation& invocation) {
  Options options;
  if (const auto values = takeAll(invocation, QStringLiteral("--fom"))) {
    const auto modules = modulesOf(*values);
    if (!modules) return tl::unexpected(modules.error());
    options.modules = *modules;
  }
  for (const auto& [option, publish] : {std::pair(QStringLiteral("--publish"), true),
                                        std::pair(QStringLiteral("--subscribe"), false)}) {
    const auto values = takeAll(invocation, option);
    if (!values) continue;
    if (!options.classes) options.classes.emplace();
    if (auto added = addClasses(option, *values, publish, *options.classes); !added) {
      return tl::unexpected(added.error());
    }
  }
  if (const auto time = invocation.takeOption(QStringLiteral("--time"))) {
    const bool both = *time == QStringLiteral("both");
    const fomedit::TimeRequest request{both || *time == QStringLiteral("regulating"),
                                       both || *time == QStringLiteral("constrained")};
    if (!request.regulating && !request.constrained && *time != QStringLiteral("none")) {
      return tl::unexpected(
          QStringLiteral("--time is none, regulating, constrained or both, not \"%1\"").arg(*time));
    }
    options.time = request;
  }
  return options;
}

nlohmann::json jsonOf(const QStringList& texts) {
  nlohmann::json list = nlohmann::json::array();
  for (const QString& text : texts) list.push_back(text.toStdString());
  return list;
}

void printNotes(Invocation& invocation, const fomedit::GeneratedComponent& made) {
  for (const QString& note : made.notes) invocation.out << "Note: " << note << '\n';
}

}  // namespace

bool asksForClasses(const Invocation& invocation) {
  for (const QString& word : invocation.arguments) {
    for (const char* option : {"--fom", "--publish", "--subscribe", "--time"}) {
      const QString name = QString::fromLatin1(option);
      if (word == name || word.startsWith(name + u'=')) return true;
    }
  }
  return false;
}

int createFromClasses(Invocation& invocation, const QString& id, const QString& folder,
                      const QString& build) {
  const auto options = takeOptions(invocation);
  if (!options) return invocation.usage(verbName, options.error());
  if (invocation.arguments.size() != 1) {
    return invocation.usage(verbName, QStringLiteral("new needs one name, such as fire-truck"));
  }
  if (!options->modules) {
    return invocation.usage(verbName,
                            QStringLiteral("--fom names no module that defines the classes"));
  }
  fomedit::ComponentRequest request{id, *options->modules,
                                    options->classes.value_or(QList<fomedit::ClassRequest>()),
                                    options->time.value_or(fomedit::TimeRequest{})};
  const auto made = fomedit::createComponent(folder, request);
  if (!made) return invocation.fail(made.error());
  if (invocation.json) {
    invocation.print({{"id", id.toStdString()},
                      {"folder", folder.toStdString()},
                      {"build", build.toStdString()},
                      {"written", jsonOf(made->written)},
                      {"notes", jsonOf(made->notes)}});
    return Ok;
  }
  invocation.out
      << "Written: " << folder << "\n"
      << "  component.json  what the console knows of it\n"
      << "  main.cpp        the federate: yours to write\n"
      << "  generated/      its classes and datatypes in C++, written anew when the FOM changes\n"
      << "  fom/            its FOM modules\n";
  printNotes(invocation, *made);
  return Ok;
}

int regenerateFromClasses(Invocation& invocation) {
  const auto options = takeOptions(invocation);
  if (!options) return invocation.usage(verbName, options.error());
  if (invocation.arguments.size() != 1) {
    return invocation.usage(verbName, QStringLiteral("regenerate needs one folder"));
  }
  const QString folder =
      QDir::cleanPath(QFileInfo(invocation.arguments.front()).absoluteFilePath());
  const auto made =
      fomedit::regenerateComponent(folder, {options->modules, options->classes, options->time});
  if (!made) return invocation.fail(made.error());
  if (invocation.json) {
    nlohmann::json follow = nlohmann::json::array();
    for (const fomedit::Following& f : made->follow) {
      follow.push_back({{"what", f.what.toStdString()}, {"places", jsonOf(f.places)}});
    }
    invocation.print({{"folder", folder.toStdString()},
                      {"written", jsonOf(made->written)},
                      {"kept", jsonOf(made->kept)},
                      {"unused", jsonOf(made->unused)},
                      {"follow", follow},
                      {"notes", jsonOf(made->notes)}});
    return made->mustFollow() ? Findings : Ok;
  }
  if (made->written.isEmpty()) {
    invocation.out << "Nothing to write: " << folder << " is as its object model says.\n";
  } else {
    invocation.out << "Written in " << folder << ":\n";
    for (const QString& path : made->written) invocation.out << "  " << path << '\n';
  }
  if (!made->kept.isEmpty()) {
    invocation.out << "Kept, as you edited them: " << made->kept.join(QStringLiteral(", ")) << '\n';
  }
  for (const QString& path : made->unused) {
    invocation.out << path << " no longer belongs to it; delete it when you need it no more.\n";
  }
  if (!made->follow.isEmpty()) {
    invocation.out << "Changed for what you wrote:\n";
    for (const fomedit::Following& f : made->follow) {
      invocation.out << "  " << f.what;
      if (!f.places.isEmpty())
        invocation.out << " Follow it in " << f.places.join(QStringLiteral(", ")) << '.';
      invocation.out << '\n';
    }
  }
  printNotes(invocation, *made);
  return made->mustFollow() ? Findings : Ok;
}

}  // namespace tutti::app
