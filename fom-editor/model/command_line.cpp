// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/command_line.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTextStream>
#include <algorithm>

#include "fom-editor/model/loaded_model.h"
#include "fom-editor/model/tables.h"

namespace tutti::fomedit {

namespace {

QString levelWord(Level level) {
  switch (level) {
    case Level::Loads:
      return QStringLiteral("error");
    case Level::Complete:
      return QStringLiteral("warning");
    case Level::Described:
      return QStringLiteral("note");
  }
  return {};
}

QString counted(int count, const char* singular, const char* plural) {
  return QStringLiteral("%1 %2").arg(count).arg(QLatin1String(count == 1 ? singular : plural));
}

bool areThere(const QStringList& files) {
  return std::all_of(files.begin(), files.end(),
                     [](const QString& file) { return QFileInfo(file).isFile(); });
}

int check(QStringList files, QTextStream& out) {
  const bool json = files.removeAll(QStringLiteral("--json")) > 0;
  const LoadedModel loaded = loadModel(files);
  const int errors = loaded.count(Level::Loads);
  if (json) {
    QJsonArray findings;
    for (const Finding& f : loaded.findings) {
      findings.append(QJsonObject{{"level", levelWord(f.level)},
                                  {"text", f.text},
                                  {"hint", f.hint},
                                  {"file", f.file},
                                  {"line", f.line},
                                  {"otherFile", f.otherFile},
                                  {"otherLine", f.otherLine},
                                  {"item", f.item}});
    }
    QJsonArray modules;
    for (const ModuleStatus& m : loaded.modules) {
      if (m.isMim) continue;
      modules.append(QJsonObject{{"file", m.path}, {"edition", m.edition}, {"loads", m.merged}});
    }
    out << QJsonDocument(QJsonObject{{"loads", errors == 0},
                                     {"modules", modules},
                                     {"objectClasses", loaded.objectClassCount()},
                                     {"interactionClasses", loaded.interactionClassCount()},
                                     {"findings", findings}})
               .toJson();
  } else {
    for (const Finding& f : loaded.findings) {
      out << f.file;
      if (f.line > 0) out << ':' << f.line;
      out << ": " << levelWord(f.level) << ": " << f.text;
      if (!f.hint.isEmpty()) out << ' ' << f.hint;
      out << '\n';
    }
    for (const ModuleStatus& m : loaded.modules) {
      if (!m.isMim && !m.edition.isEmpty()) out << m.path << ": " << m.edition << '\n';
    }
    out << (errors == 0 ? "The modules load in an RTI: " : "The modules do not load in an RTI: ")
        << counted(loaded.objectClassCount(), "object class", "object classes") << ", "
        << counted(loaded.interactionClassCount(), "interaction class", "interaction classes")
        << "; " << counted(errors, "error", "errors") << ", "
        << counted(loaded.count(Level::Complete), "warning", "warnings") << ", "
        << counted(loaded.count(Level::Described), "note", "notes") << ".\n";
  }
  return errors == 0 ? 0 : areThere(files) ? 1 : 2;
}

int show(QStringList arguments, QTextStream& out, QTextStream& err) {
  const bool csv = arguments.removeAll(QStringLiteral("--csv")) > 0;
  const QString name = arguments.takeFirst();
  for (const QString& file : arguments) {
    if (QFileInfo(file).isFile()) continue;
    err << "tutti fom: there is no file " << file << '\n';
    return 2;
  }
  const LoadedModel loaded = loadModel(arguments);
  const Item item = findItem(*loaded.model, name);
  if (item.isNull()) {
    err << "tutti fom: no class, datatype or dimension is called " << name
        << " in these modules. Write it as Track.Flight or datatype:GeoPosition.\n";
    return 1;
  }
  const Table table = tableOf(*loaded.model, item);
  if (csv) {
    // A terminal needs neither a byte-order mark nor the line ends of RFC 4180.
    out << QString::fromUtf8(toCsv(table).mid(3))
               .replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
    return 0;
  }
  QList<qsizetype> widths;
  for (int column = 0; column < table.headers.size(); ++column) {
    qsizetype width = table.headers[column].size();
    for (const TableRow& row : table.rows) {
      if (!row.isSection) width = qMax(width, qMin(row.cells.value(column).size(), qsizetype{60}));
    }
    widths << width;
  }
  const auto line = [&](const QStringList& cells) {
    QString words;
    for (int column = 0; column < cells.size(); ++column) {
      const QString cell =
          cells[column].size() > 60 ? cells[column].left(59) + u'…' : cells[column];
      words += table.numberColumns.contains(column) ? cell.rightJustified(widths.value(column))
                                                    : cell.leftJustified(widths.value(column));
      words += QStringLiteral("  ");
    }
    while (words.endsWith(u' ')) words.chop(1);
    out << words << '\n';
  };
  const omt::SourceLocation place = itemPlace(*loaded.model, item);
  out << table.title << ", " << placeText(*loaded.model, place);
  const omt::Edition edition = loaded.model->modules()[place.module].edition;
  if (edition != omt::Edition::Ieee2010) out << " (" << text(omt::toText(edition)) << ')';
  out << '\n';
  line(table.headers);
  for (const TableRow& row : table.rows) {
    if (row.isSection) {
      out << row.cells.value(0) << ":\n";
    } else if (!row.onlyToEdit) {
      line(row.cells);
    }
  }
  if (table.rows.isEmpty()) out << table.empty << '\n';
  return 0;
}

}  // namespace

int runFomCommand(const QStringList& arguments, QTextStream& out, QTextStream& err) {
  const QString verb = arguments.value(0);
  const QStringList rest = arguments.mid(1);
  for (const QString& word : rest) {
    if (word.startsWith(u'-') && word != QStringLiteral("--json") &&
        word != QStringLiteral("--csv")) {
      err << "tutti fom: unknown option " << word << '\n';
      return 2;
    }
  }
  const auto files = std::count_if(rest.begin(), rest.end(),
                                   [](const QString& word) { return !word.startsWith(u'-'); });
  if (verb == QStringLiteral("check") && files >= 1 && !rest.contains(QStringLiteral("--csv"))) {
    return check(rest, out);
  }
  if (verb == QStringLiteral("show") && files >= 2 && !rest.contains(QStringLiteral("--json"))) {
    return show(rest, out, err);
  }
  err << "usage: tutti fom check [--json] FILE...\n"
         "       tutti fom show [--csv] ITEM FILE...\n"
         "       tutti fom diff [--json | --html FILE] [--no-renames] [--components FOLDER] A B\n"
         "       tutti fom merge [-o FILE] [--markers] [--json] BASE OURS THEIRS\n";
  return 2;
}

namespace {

QString quoted(QString word) {
  static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:=,+@%-]+$"));
  if (plain.match(word).hasMatch()) return word;
  return u'\'' + word.replace(u'\'', QStringLiteral("'\\''")) + u'\'';
}

}  // namespace

QString fomDiffCommandLine(const QStringList& before, const QStringList& after) {
  return QStringList{QStringLiteral("tutti fom diff"), quoted(before.join(u',')),
                     quoted(after.join(u','))}
      .join(u' ');
}

QString fomCheckCommandLine(const QStringList& paths) {
  QStringList words{QStringLiteral("tutti fom check")};
  for (const QString& path : paths) words << quoted(path);
  return paths.isEmpty() ? QString() : words.join(u' ');
}

}  // namespace tutti::fomedit
