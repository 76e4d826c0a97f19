// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/command_line.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

#include "composer/model/catalog.h"

namespace tutti::composer {

namespace {

const QString kFom = QStringLiteral("{fom}");

/// `word` with its placeholders replaced; nothing when one of them has no value.
std::optional<QString> expanded(const QString& word, const std::map<QString, QString>& values) {
  static const QRegularExpression placeholder{QStringLiteral("\\{([^{}]*)\\}")};
  QString result;
  qsizetype copied = 0;
  for (auto matches = placeholder.globalMatch(word); matches.hasNext();) {
    const auto match = matches.next();
    const auto value = values.find(match.captured(1));
    if (value == values.end()) return std::nullopt;
    result += word.mid(copied, match.capturedStart() - copied) + value->second;
    copied = match.capturedEnd();
  }
  return result + word.mid(copied);
}

std::optional<QStringList> expanded(const QStringList& words,
                                    const std::map<QString, QString>& values) {
  QStringList result;
  for (const QString& word : words) {
    const auto one = expanded(word, values);
    if (!one) return std::nullopt;
    result.append(*one);
  }
  return result;
}

}  // namespace

QString shellQuoted(const QString& word) {
  static const QRegularExpression plain{QStringLiteral("^[A-Za-z0-9_./:=,+@%-]+$")};
  if (plain.match(word).hasMatch()) return word;
  QString quoted = word;
  return u'\'' + quoted.replace(u'\'', QStringLiteral("'\\''")) + u'\'';
}

QString Command::shellLine() const {
  QStringList words;
  for (const auto& [name, value] : environment) words.append(name + u'=' + shellQuoted(value));
  words.append(shellQuoted(program));
  for (const QString& argument : arguments) words.append(shellQuoted(argument));
  return words.join(u' ');
}

QStringList effectiveModules(const Composition& composition, const Catalog& catalog,
                             const QString& folder) {
  QStringList result;
  QStringList seen;
  const auto add = [&](const QString& path) {
    const QString absolute = QDir::cleanPath(QDir{folder}.absoluteFilePath(path));
    const QString canonical = QFileInfo{absolute}.canonicalFilePath();
    const QString& key = canonical.isEmpty() ? absolute : canonical;
    if (seen.contains(key)) return;
    seen.append(key);
    result.append(absolute);
  };
  for (const QString& module : composition.settings.fomModules) add(module);
  for (const Federate* federate : composition.inStartOrder()) {
    if (!federate->enabled) continue;
    const Manifest* manifest = catalog.find(federate->component, federate->version);
    if (!manifest) continue;
    for (const QString& module : manifest->fomModules) add(module);
  }
  return result;
}

tl::expected<Command, Error> commandFor(const Composition& composition, const Federate& federate,
                                        const QString& instanceName, const Manifest& manifest,
                                        const QStringList& modules,
                                        const QStringList& binaryFolders) {
  Command command;
  const auto program = findExecutable(manifest, binaryFolders);
  if (!program) {
    return tl::unexpected(
        Error{manifest.file, 0, QStringLiteral("/command/executable"),
              QStringLiteral("The executable \"%1\" of %2 %3 is not there.")
                  .arg(manifest.command.executable, manifest.id, manifest.version),
              QStringLiteral("Build or install it into %1 or a folder of TUTTI_BIN.")
                  .arg(manifest.folder)});
  }
  command.program = *program;
  command.workingFolder = manifest.folder;

  std::map<QString, QString> values;
  for (const Parameter& parameter : manifest.parameters) {
    const Json value = manifest.effectiveValue(parameter.name, federate.parameters);
    if (!value.is_null()) {
      values[parameter.name] = Parameter::textOf(value);
    } else if (parameter.required) {
      return tl::unexpected(
          Error{{},
                0,
                {},
                QStringLiteral("%1 has no %2.").arg(federate.name, parameter.label.toLower()),
                parameter.requirement() + u'.'});
    }
  }
  values[QStringLiteral("federate")] = instanceName;
  values[QStringLiteral("federation")] = composition.settings.federation;
  // The RTI keeps the pace of those that take part in logical time; two that keep it would fight
  // when it is changed.
  values[QStringLiteral("pace")] =
      manifest.time.managed()
          ? QStringLiteral("0")
          : QString::number(composition.settings.pace, 'g', QLocale::FloatingPointShortest);
  values[QStringLiteral("component")] = manifest.id;

  for (const QStringList& group : manifest.command.arguments) {
    if (group.join(u' ').contains(kFom)) {
      for (const QString& module : modules) {
        values[QStringLiteral("fom")] = module;
        if (const auto words = expanded(group, values)) command.arguments += *words;
      }
    } else if (const auto words = expanded(group, values)) {
      command.arguments += *words;
    }
  }
  values[QStringLiteral("fom")] = modules.join(u':');
  for (const auto& [name, value] : manifest.command.environment) {
    if (const auto word = expanded(value, values)) command.environment[name] = *word;
  }
  return command;
}

}  // namespace tutti::composer
