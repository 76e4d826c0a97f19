// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/extraction_command.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTextStream>
#include <map>
#include <optional>

#include "fom-editor/model/command_line.h"
#include "fom-editor/model/item.h"
#include "fom-editor/model/module_extraction.h"
#include "fom-editor/model/module_file.h"

namespace tutti::fomedit {

namespace {

constexpr const char* kUsage =
    "usage: tutti fom extract FILE CLASS... -o NEW [--no-subclasses] [--shared stay|copy|move]\n"
    "                         [--name NAME] [--json] [--force]\n";

struct Call {
  QString file;
  QStringList classes;
  QString into;
  QString name;
  bool withSubclasses = true;
  SharedRows shared = SharedRows::Stay;
  bool json = false;
  bool force = false;
  QString fault;
};

Call parsed(const QStringList& words) {
  Call call;
  QString shared = QStringLiteral("stay");
  for (qsizetype i = 0; i < words.size() && call.fault.isEmpty(); ++i) {
    const QString& word = words[i];
    const auto value = [&](const QStringList& names) -> std::optional<QString> {
      for (const QString& name : names) {
        if (name.startsWith(QStringLiteral("--")) && word.startsWith(name + u'=')) {
          return word.mid(name.size() + 1);
        }
        if (word != name) continue;
        if (i + 1 < words.size()) return words[++i];
        call.fault = name + QStringLiteral(" needs a value");
        return QString();
      }
      return std::nullopt;
    };
    if (const auto into = value({QStringLiteral("-o"), QStringLiteral("--output")})) {
      call.into = *into;
    } else if (const auto how = value({QStringLiteral("--shared")})) {
      shared = *how;
    } else if (const auto name = value({QStringLiteral("--name")})) {
      call.name = *name;
    } else if (word == QStringLiteral("--no-subclasses")) {
      call.withSubclasses = false;
    } else if (word == QStringLiteral("--json")) {
      call.json = true;
    } else if (word == QStringLiteral("--force")) {
      call.force = true;
    } else if (word.startsWith(u'-')) {
      call.fault = QStringLiteral("unknown option ") + word;
    } else if (call.file.isEmpty()) {
      call.file = word;
    } else {
      call.classes << word;
    }
  }
  if (!call.fault.isEmpty()) return call;
  if (shared == QStringLiteral("copy")) {
    call.shared = SharedRows::Copy;
  } else if (shared == QStringLiteral("move")) {
    call.shared = SharedRows::Move;
  } else if (shared != QStringLiteral("stay")) {
    call.fault = QStringLiteral("--shared is stay, copy or move, not %1").arg(shared);
  }
  if (call.classes.isEmpty()) call.fault = QStringLiteral("a file and classes of it are given");
  if (call.fault.isEmpty() && call.into.isEmpty()) {
    call.fault = QStringLiteral("-o NEW says which file the classes go to");
  }
  if (call.name.isEmpty()) call.name = QFileInfo(call.into).completeBaseName();
  return call;
}

/// A class by its full name or the end of it.
tl::expected<ExtractionRequest::Class, QString> classNamed(const ModuleSource& source,
                                                           const QString& file,
                                                           const QString& name) {
  QStringList all;
  std::optional<ExtractionRequest::Class> found;
  for (const ExtractionRequest::Class& c : classesOf(source)) {
    const QString full = text(c.fullName);
    if (full == name) return c;
    if (!full.endsWith(u'.' + name)) continue;
    all << full;
    found = c;
  }
  if (all.size() == 1) return *found;
  if (all.isEmpty()) {
    return tl::unexpected(QStringLiteral("%1 defines no class %2.").arg(file, name));
  }
  return tl::unexpected(QStringLiteral("%1 has several classes %2: %3. Write the full name.")
                            .arg(file, name, all.join(QStringLiteral(", "))));
}

QJsonArray toJson(const std::vector<ExtractedRow>& rows) {
  QJsonArray list;
  for (const ExtractedRow& row : rows) {
    list.append(QJsonObject{{"kind", text(row.kind)}, {"name", text(row.name)}});
  }
  return list;
}

/// "2 object classes, 1 datatype"
QString counted(const std::vector<ExtractedRow>& rows) {
  std::map<std::string, int> counts;
  for (const ExtractedRow& row : rows) ++counts[row.kind];
  QStringList parts;
  for (const auto& [kind, count] : counts) {
    QString word = text(kind);
    if (count != 1) word += word.endsWith(u's') ? QStringLiteral("es") : QStringLiteral("s");
    parts << QStringLiteral("%1 %2").arg(count).arg(word);
  }
  return parts.join(QStringLiteral(", "));
}

}  // namespace

int runFomExtraction(const QStringList& arguments, QTextStream& out, QTextStream& err) {
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
  const ModuleFile file = readForEditing(call.file);
  if (!file.bytes) return fail(QStringLiteral("%1 cannot be read.").arg(call.file));
  if (!file.source) return fail(QStringLiteral("%1: %2").arg(call.file, file.readOnlyReason));
  const QFileInfo into(call.into);
  if (into.exists() && into.canonicalFilePath() == QFileInfo(call.file).canonicalFilePath()) {
    return fail(QStringLiteral("%1 is the module itself. Give another file.").arg(call.into));
  }
  if (!call.force && (into.exists() || into.isSymLink())) {
    return fail(
        QStringLiteral("%1 is there already. Give another file, or replace it with --force.")
            .arg(call.into));
  }
  ExtractionRequest request;
  request.withSubclasses = call.withSubclasses;
  request.shared = call.shared;
  request.name = call.name.toStdString();
  request.file = into.fileName().toStdString();
  for (const QString& name : call.classes) {
    auto found = classNamed(*file.source, call.file, name);
    if (!found) return fail(found.error());
    request.classes.push_back(std::move(*found));
  }
  const auto extraction = extractionOf(*file.source, request);
  if (!extraction) return fail(extraction.error());

  // The new file first: the classes are in two places for a moment, never in none.
  const ModuleBytes before = into.exists() ? readForEditing(call.into).bytes : nullptr;
  if (auto put = replaceModuleFile(call.into, extraction->text, before); !put) {
    return fail(put.error().text);
  }
  const std::string rest = file.source->bytesOf(spliced(file.source->text(), extraction->changes));
  if (auto put = replaceModuleFile(call.file, rest, file.bytes); !put) {
    const auto written = std::make_shared<const std::string>(extraction->text);
    if (before) {
      static_cast<void>(replaceModuleFile(call.into, *before, written));
    } else {
      QFile::remove(call.into);
    }
    return fail(put.error().text);
  }
  const bool isCompared = extraction->compared != Extraction::Compared::No;
  if (call.json) {
    out << QString::fromUtf8(QJsonDocument(QJsonObject{{"file", call.file},
                                                       {"written", call.into},
                                                       {"moved", toJson(extraction->moved)},
                                                       {"copied", toJson(extraction->copied)},
                                                       {"needed", toJson(extraction->needed)},
                                                       {"compared", isCompared}})
                                 .toJson());
    return 0;
  }
  err << call.into << " has " << counted(extraction->moved) << " of " << call.file;
  if (!extraction->copied.empty()) err << ", and copies of " << counted(extraction->copied);
  err << ".\n";
  if (!extraction->needed.empty()) {
    err << "It needs " << counted(extraction->needed) << " that " << call.file << " keeps.\n";
  }
  if (!isCompared) {
    err << "Not compared with what it was, as it is no model without other modules: "
        << extraction->uncompared << ". Check all of them with tutti fom check.\n";
  }
  return 0;
}

QString fomExtractionCommandLine(const QString& file, const QStringList& classes,
                                 const QString& into, bool withSubclasses, const QString& shared) {
  QStringList words{QStringLiteral("tutti fom extract"), shellWord(file)};
  for (const QString& name : classes) words << shellWord(name);
  words << QStringLiteral("-o") << shellWord(into);
  if (!withSubclasses) words << QStringLiteral("--no-subclasses");
  if (shared != QStringLiteral("stay")) words << QStringLiteral("--shared") << shared;
  return words.join(u' ');
}

}  // namespace tutti::fomedit
