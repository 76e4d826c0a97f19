// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/difference_command.h"

#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <QTextStream>
#include <optional>

#include "fom-editor/model/difference_report.h"
#include "fom-editor/model/loaded_model.h"

namespace tutti::fomedit {

namespace {

constexpr const char* kUsage =
    "usage: tutti fom diff A B [--json | --html FILE] [--no-renames] [--components FOLDER]\n"
    "       A and B are each a module, a folder of modules, or modules joined by commas\n";

struct Call {
  QStringList sides;
  bool json = false;
  bool renames = true;
  std::optional<QString> html;
  std::optional<QString> components;
  QString fault;
};

Call parsed(const QStringList& arguments) {
  Call call;
  for (qsizetype i = 0; i < arguments.size(); ++i) {
    const QString& word = arguments[i];
    const auto value = [&](const QString& option, std::optional<QString>& into) {
      if (word.startsWith(option + u'=')) {
        into = word.mid(option.size() + 1);
      } else if (word == option && i + 1 < arguments.size()) {
        into = arguments[++i];
      } else if (word == option) {
        call.fault = option + QStringLiteral(" needs a value");
      } else {
        return false;
      }
      return true;
    };
    if (value(QStringLiteral("--html"), call.html) ||
        value(QStringLiteral("--components"), call.components)) {
      continue;
    }
    if (word == QStringLiteral("--json")) {
      call.json = true;
    } else if (word == QStringLiteral("--no-renames")) {
      call.renames = false;
    } else if (word.startsWith(u'-') && word.size() > 1) {
      call.fault = QStringLiteral("unknown option ") + word;
    } else {
      call.sides << word;
    }
  }
  if (call.fault.isEmpty() && call.sides.size() != 2) {
    call.fault = QStringLiteral("two sides are compared, not %1").arg(call.sides.size());
  }
  return call;
}

/// The first reason why the side is not to be compared; empty where there is none.
QString faultOf(const LoadedModel& side) {
  for (const Finding& f : side.findings) {
    if (f.level != Level::Loads) continue;
    return (f.line > 0 ? QStringLiteral("%1:%2: ").arg(f.file).arg(f.line)
                       : f.file + QStringLiteral(": ")) +
           f.text;
  }
  return {};
}

bool isNothing(const QString& file) { return file == QStringLiteral("/dev/null"); }

/// Git gives the two versions under names of its own.
void rename(std::vector<Entry>& entries, const QString& file, const QString& path) {
  for (Entry& e : entries) {
    if (e.file == file) e.file = path;
    if (e.kind == EntryKind::Module && e.name == QFileInfo(file).fileName()) {
      e.name = QFileInfo(path).fileName();
    }
  }
}

int runGitDriver(const QStringList& words, QTextStream& out, QTextStream& err) {
  // With a rename git adds the new path and what it found.
  if (words.size() != 7 && words.size() != 9) {
    err << "tutti fom: --git-driver is called by git with 7 words: PATH OLD-FILE OLD-HEX OLD-MODE "
           "NEW-FILE NEW-HEX NEW-MODE\n";
    return 2;
  }
  const QString path = words[0];
  const QString newPath = words.value(7, path);
  out << "object model " << path;
  if (newPath != path) out << " -> " << newPath;
  out << '\n';
  const auto load = [](const QString& file) {
    return loadModel(isNothing(file) ? QStringList() : QStringList{file});
  };
  const LoadedModel before = load(words[1]);
  const LoadedModel after = load(words[4]);
  for (const auto& [side, file] : {std::pair(&before, words[1]), std::pair(&after, words[4])}) {
    if (faultOf(*side).isEmpty()) continue;
    // Not an error of git's: a version may well be broken, or be no object model.
    out << (side == &before ? "The old version" : "The new version")
        << " cannot be compared: " << faultOf(*side).replace(file, side == &before ? path : newPath)
        << "\nSee it with: git diff --no-ext-diff\n";
    return 0;
  }
  DifferenceReport report;
  report.before = isNothing(words[1]) ? words[1] : QStringLiteral("a/") + path;
  report.after = isNothing(words[4]) ? words[4] : QStringLiteral("b/") + newPath;
  std::vector<Entry> a = entriesOf(*before.model);
  std::vector<Entry> b = entriesOf(*after.model);
  rename(a, words[1], path);
  rename(b, words[4], newPath);
  report.difference = differenceOf(std::move(a), std::move(b));
  QList<Finding> contradictions;
  // Of a module that comes or goes there is nothing to be compatible with.
  if (!report.difference.isEmpty() && !isNothing(words[1]) && !isNothing(words[4])) {
    contradictions = contradictionsOf(before.paths, after.paths);
    for (Finding& f : contradictions) {
      for (QString* file : {&f.file, &f.otherFile}) {
        if (*file == words[1]) *file = path;
        if (*file == words[4]) *file = newPath;
      }
      f.text.replace(QFileInfo(words[1]).fileName(), QFileInfo(path).fileName());
      f.text.replace(QFileInfo(words[4]).fileName(), QFileInfo(newPath).fileName());
    }
  }
  report.compatibility =
      compatibilityOf(report.difference, *before.model, *after.model, contradictions);
  out << toText(report);
  return 0;
}

}  // namespace

QStringList modulesOfSide(const QString& side) {
  if (QFileInfo(side).isDir()) {
    QStringList modules;
    const QDir folder(side);
    for (const QString& name :
         folder.entryList({QStringLiteral("*.xml")}, QDir::Files, QDir::Name)) {
      modules << folder.filePath(name);
    }
    return modules;
  }
  if (QFileInfo::exists(side)) return {side};
  QStringList modules;
  for (const QString& part : side.split(u',', Qt::SkipEmptyParts)) {
    if (!QFileInfo::exists(part)) return {};
    modules << part;
  }
  return modules;
}

int runFomDifference(const QStringList& arguments, const ComponentReader& readComponents,
                     QTextStream& out, QTextStream& err) {
  if (arguments.value(0) == QStringLiteral("--git-driver")) {
    return runGitDriver(arguments.mid(1), out, err);
  }
  const Call call = parsed(arguments);
  const auto fail = [&](const QString& why) {
    err << "tutti fom: " << why << '\n';
    return 2;
  };
  if (!call.fault.isEmpty()) {
    fail(call.fault);
    err << kUsage;
    return 2;
  }
  std::array<LoadedModel, 2> sides;
  for (qsizetype i = 0; i < 2; ++i) {
    const QStringList modules = modulesOfSide(call.sides[i]);
    if (modules.isEmpty()) {
      return fail(QFileInfo(call.sides[i]).isDir()
                      ? QStringLiteral("the folder %1 has no .xml file").arg(call.sides[i])
                      : QStringLiteral("there is no file or folder %1").arg(call.sides[i]));
    }
    for (const QString& module : modules) {
      if (QFileInfo(module).isFile()) continue;
      return fail(QStringLiteral("%1 is a pipe or a device, not a file. Modules are read more than "
                                 "once here: write it to a file, and compare that.")
                      .arg(module));
    }
    sides[static_cast<std::size_t>(i)] = loadModel(modules);
    // A model that is not whole has differences that nobody made.
    if (const QString why = faultOf(sides[static_cast<std::size_t>(i)]); !why.isEmpty()) {
      return fail(QStringLiteral("%1 does not load in an RTI: %2").arg(call.sides[i], why));
    }
  }
  QList<ComponentUse> components;
  if (call.components) {
    const auto read = readComponents ? readComponents(*call.components)
                                     : tl::unexpected(QStringLiteral("no components can be read"));
    if (!read) return fail(read.error());
    components = *read;
  }
  DifferenceOptions options;
  options.matching.guess = call.renames;
  DifferenceReport report =
      reportOf(sides[0], sides[1], options, call.components ? &components : nullptr);
  if (report.before == report.after) {
    report.before = call.sides[0];
    report.after = call.sides[1];
  }
  if (call.html) {
    QSaveFile file(*call.html);
    if (!file.open(QIODevice::WriteOnly) || file.write(toHtml(report)) < 0 || !file.commit()) {
      return fail(QStringLiteral("%1 cannot be written: %2").arg(*call.html, file.errorString()));
    }
  }
  if (call.json) {
    out << QString::fromUtf8(toJson(report));
  } else if (call.html) {
    out << (report.difference.isEmpty() ? QStringLiteral("No differences")
                                        : report.difference.summary())
        << ". " << *call.html << " has the report.\n";
  } else {
    out << toText(report);
  }
  return report.difference.isEmpty() ? 0 : 1;
}

}  // namespace tutti::fomedit
