// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/checks/check_command.h"

#include <QFileInfo>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTextStream>
#include <algorithm>
#include <optional>

#include "fom-editor/model/checks/checks.h"
#include "fom-editor/model/checks/fixes.h"
#include "omt/reader.h"

namespace tutti::fomedit {

namespace {

constexpr const char* kUsage =
    "usage: tutti fom check [--level loads|strict|dif|omt] [--style] [--fix [--dry-run]] [--json] "
    "FILE...\n";

/// Of a source line, and of changed lines of one module.
constexpr qsizetype mostCharacters = 100;
constexpr int mostChangedLines = 200;

struct Call {
  QStringList files;
  std::optional<Level> level;
  bool json = false;
  bool style = false;
  bool fix = false;
  bool dryRun = false;
  QString fault;
};

Call parsed(const QStringList& arguments) {
  Call call;
  for (qsizetype i = 0; i < arguments.size(); ++i) {
    QString word = arguments[i];
    if (word == QStringLiteral("--level") || word.startsWith(QStringLiteral("--level="))) {
      const QString given = word.contains(u'=') ? word.section(u'=', 1) : arguments.value(++i);
      call.level = levelOfWord(given);
      if (!call.level) {
        call.fault = QStringLiteral("--level is loads, strict, dif or omt, not \"%1\"").arg(given);
      }
    } else if (word == QStringLiteral("--json")) {
      call.json = true;
    } else if (word == QStringLiteral("--style")) {
      call.style = true;
    } else if (word == QStringLiteral("--fix")) {
      call.fix = true;
    } else if (word == QStringLiteral("--dry-run")) {
      call.dryRun = true;
    } else if (word.startsWith(u'-') && word.size() > 1) {
      call.fault = QStringLiteral("unknown option ") + word;
    } else {
      call.files << word;
    }
  }
  if (call.fault.isEmpty() && call.files.isEmpty()) {
    call.fault = QStringLiteral("name a file");
  } else if (call.fault.isEmpty() && call.dryRun && !call.fix) {
    call.fault = QStringLiteral("--dry-run needs --fix");
  }
  return call;
}

QString severityOf(const Finding& f) {
  if (f.isStyle) return QStringLiteral("style");
  switch (f.level) {
    case Level::Loads:
      return QStringLiteral("error");
    case Level::Strict:
    case Level::Complete:
      return QStringLiteral("warning");
    case Level::Described:
      return QStringLiteral("note");
  }
  return {};
}

QString counted(qsizetype count, const char* singular, const char* plural) {
  return QStringLiteral("%1 %2").arg(count).arg(QLatin1String(count == 1 ? singular : plural));
}

/// What a module says may hold control characters, which would steer a terminal.
QString plain(QString text) {
  for (QChar& c : text) {
    if (c.category() == QChar::Other_Control) c = u' ';
  }
  return text;
}

/// Lines of modules, for findings with two places.
class SourceLines {
 public:
  QString line(const QString& file, int number) {
    if (number <= 0) return {};
    auto found = files_.find(file);
    if (found == files_.end()) {
      const auto bytes = moduleBytes(file);
      QStringList lines;
      if (bytes)
        lines =
            QString::fromUtf8(bytes->data(), static_cast<qsizetype>(bytes->size())).split(u'\n');
      found = files_.insert(file, lines);
    }
    const QString line = plain(found->value(number - 1)).trimmed();
    return line.size() > mostCharacters ? line.left(mostCharacters - 1) + u'…' : line;
  }

 private:
  QHash<QString, QStringList> files_;
};

QString placeOf(const QString& file, int line, int column) {
  QString place = file;
  if (line > 0) place += QStringLiteral(":%1").arg(line);
  if (line > 0 && column > 0) place += QStringLiteral(":%1").arg(column);
  return place;
}

class CheckReport {
 public:
  CheckReport(const Call& call, const LoadedModel& loaded, const FixedModules* fixed)
      : call_(call), loaded_(loaded), fixed_(fixed) {
    for (const Finding& f : loaded.findings) {
      if (isListed(f)) listed_ << f;
    }
  }

  bool passed() const {
    const Level gate = call_.level.value_or(Level::Loads);
    return std::none_of(loaded_.findings.begin(), loaded_.findings.end(),
                        [&](const Finding& f) { return !f.isStyle && f.level <= gate; });
  }

  void toJson(QTextStream& out) const {
    QJsonArray findings;
    for (const Finding& f : listed_) {
      QJsonValue fix = QJsonValue::Null;
      if (!f.fix.isNull()) {
        fix = QJsonObject{{"label", f.fix.label}, {"automatic", f.fix.automatic}};
      }
      findings.append(QJsonObject{{"level", levelWord(f.level)},
                                  {"severity", severityOf(f)},
                                  {"rule", f.rule},
                                  {"text", f.text},
                                  {"hint", f.hint},
                                  {"source", f.source},
                                  {"file", f.file},
                                  {"line", f.line},
                                  {"column", f.column},
                                  {"otherFile", f.otherFile},
                                  {"otherLine", f.otherLine},
                                  {"item", f.item},
                                  {"fix", fix}});
    }
    QJsonArray modules;
    for (const ModuleStatus& m : loaded_.modules) {
      if (m.isMim) continue;
      modules.append(QJsonObject{{"file", m.path}, {"edition", m.edition}, {"loads", m.merged}});
    }
    QJsonObject root{{"loads", loaded_.count(Level::Loads) == 0},
                     {"level", levelWord(call_.level.value_or(Level::Loads))},
                     {"passed", passed()},
                     {"modules", modules},
                     {"objectClasses", loaded_.objectClassCount()},
                     {"interactionClasses", loaded_.interactionClassCount()},
                     {"findings", findings}};
    if (fixed_ != nullptr) {
      QJsonArray fixes;
      for (const AppliedFix& f : fixed_->fixes) {
        fixes.append(QJsonObject{
            {"file", f.file}, {"line", f.line}, {"column", f.column}, {"label", f.label}});
      }
      root["fixes"] = fixes;
      root["written"] = !call_.dryRun;
    }
    out << QJsonDocument(root).toJson();
  }

  void toText(QTextStream& out) {
    if (fixed_ != nullptr) printFixes(out);
    SourceLines lines;
    for (const Finding& f : listed_) {
      out << placeOf(f.file, f.line, f.column) << ": " << severityOf(f) << ": " << plain(f.text);
      if (!f.hint.isEmpty()) out << ' ' << plain(f.hint);
      out << " [" << f.rule;
      if (!f.source.isEmpty()) out << ": " << f.source;
      out << "]\n";
      if (!f.fix.isNull()) {
        out << "    fix" << (f.fix.automatic ? ": " : " (by hand): ") << plain(f.fix.label) << '\n';
      }
      if (f.otherFile.isEmpty() || f.otherLine <= 0) continue;
      const QString other = lines.line(f.otherFile, f.otherLine);
      if (other.isEmpty()) continue;  // of the MIM
      const QString here = placeOf(QFileInfo(f.file).fileName(), f.line, 0);
      const QString there = placeOf(QFileInfo(f.otherFile).fileName(), f.otherLine, 0);
      const qsizetype width = std::max(here.size(), there.size());
      out << "    " << here.leftJustified(width) << "  " << lines.line(f.file, f.line) << '\n';
      out << "    " << there.leftJustified(width) << "  " << other << '\n';
    }
    for (const ModuleStatus& m : loaded_.modules) {
      if (!m.isMim && !m.edition.isEmpty()) out << m.path << ": " << m.edition << '\n';
    }
    const int errors = loaded_.count(Level::Loads);
    out << (errors == 0 ? "The modules load in an RTI: " : "The modules do not load in an RTI: ")
        << counted(loaded_.objectClassCount(), "object class", "object classes") << ", "
        << counted(loaded_.interactionClassCount(), "interaction class", "interaction classes")
        << "; " << counted(errors, "error", "errors") << ", "
        << counted(loaded_.count(Level::Strict) + loaded_.count(Level::Complete), "warning",
                   "warnings")
        << ", " << counted(loaded_.count(Level::Described), "note", "notes") << ".\n";
    printLevels(out);
  }

 private:
  bool isListed(const Finding& f) const {
    if (f.isStyle) return call_.style;
    return f.level <= call_.level.value_or(Level::Complete);
  }

  void printFixes(QTextStream& out) const {
    for (const AppliedFix& f : fixed_->fixes) {
      out << placeOf(f.file, f.line, f.column) << (call_.dryRun ? ": would fix: " : ": fixed: ")
          << plain(f.label) << '\n';
    }
    if (!call_.dryRun) return;
    for (const FixedModule& module : fixed_->modules) {
      out << module.path << '\n';
      for (const QString& line : changedLines(module.before, module.after, mostChangedLines)) {
        out << plain(line) << '\n';
      }
    }
  }

  void printLevels(QTextStream& out) const {
    out << "Levels:";
    bool clean = true;
    for (const Level level : {Level::Loads, Level::Strict, Level::Complete, Level::Described}) {
      const int count = loaded_.count(level);
      clean = clean && count == 0;
      out << (level == Level::Loads ? " " : ", ") << levelWord(level) << ' '
          << (clean ? QStringLiteral("passed") : counted(count, "finding", "findings"));
    }
    const auto hints = std::count_if(loaded_.findings.begin(), loaded_.findings.end(),
                                     [](const Finding& f) { return f.isStyle; });
    if (hints > 0) out << "; " << counted(hints, "hint", "hints") << " of style";
    out << ".\n";
    QStringList options;
    if (!call_.level && loaded_.count(Level::Described) > 0)
      options << QStringLiteral("--level omt");
    if (!call_.style && hints > 0) options << QStringLiteral("--style");
    if (!options.isEmpty())
      out << "Not listed; see " << options.join(QStringLiteral(", ")) << ".\n";
  }

  const Call& call_;
  const LoadedModel& loaded_;
  const FixedModules* fixed_;
  QList<Finding> listed_;
};

/// A pipe gives what it has only once.
ModuleTexts textsOfPipes(const QStringList& files) {
  ModuleTexts texts;
  for (const QString& file : files) {
    if (QFileInfo(file).isFile()) continue;
    if (auto bytes = omt::readModuleBytes(file.toStdString()))
      texts.insert(file, std::make_shared<const std::string>(std::move(*bytes)));
  }
  return texts;
}

}  // namespace

int runFomCheck(const QStringList& arguments, QTextStream& out, QTextStream& err) {
  const Call call = parsed(arguments);
  if (!call.fault.isEmpty()) {
    err << "tutti fom: " << call.fault << '\n' << kUsage;
    return 2;
  }
  const ModuleTexts pipes = call.fix ? ModuleTexts() : textsOfPipes(call.files);
  std::optional<FixedModules> fixed;
  LoadedModel loaded;
  if (call.fix) {
    fixed = fixModules(call.files, call.level.value_or(Level::Complete));
    loaded = fixed->loaded;
    if (!call.dryRun) {
      if (const auto written = writeFixes(fixed->modules); !written) {
        err << "tutti fom: " << written.error() << '\n';
        return 2;
      }
    }
  } else {
    loaded = pipes.isEmpty() ? loadModel(call.files) : loadModel(call.files, pipes);
    checkModules(loaded, [&](const QString& path) -> std::optional<std::string> {
      if (const ModuleBytes bytes = pipes.value(path)) return *bytes;
      return moduleBytes(path);
    });
  }
  CheckReport report(call, loaded, fixed ? &*fixed : nullptr);
  if (call.json) {
    report.toJson(out);
  } else {
    report.toText(out);
  }
  const bool there = std::all_of(call.files.begin(), call.files.end(), [&](const QString& file) {
    return QFileInfo(file).isFile() || pipes.contains(file);
  });
  return !there ? 2 : report.passed() ? 0 : 1;
}

}  // namespace tutti::fomedit
