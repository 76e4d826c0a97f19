// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/command_line.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <QTextStream>
#include <algorithm>

#include "fom-editor/model/checks/check_command.h"
#include "fom-editor/model/loaded_model.h"
#include "fom-editor/model/pages/export_command.h"
#include "fom-editor/model/tables.h"

namespace tutti::fomedit {

namespace {

int show(QStringList arguments, QTextStream& out, QTextStream& err) {
  const bool csv = arguments.removeAll(QStringLiteral("--csv")) > 0;
  const QString name = arguments.takeFirst();
  for (const QString& file : arguments) {
    if (QFileInfo::exists(file)) continue;
    err << "tutti fom: there is no file " << file << '\n';
    return 2;
  }
  const LoadedModel loaded = loadModel(arguments);
  const Item item = findItem(*loaded.model, name);
  if (item.isNull()) {
    // What is asked for may be in a module that is not there.
    bool whole = true;
    for (const Finding& f : loaded.findings) {
      if (f.level != Level::Loads) continue;
      whole = false;
      err << "tutti fom: " << placeText(f.file, f.line) << ": " << f.text << '\n';
    }
    if (!whole) return 2;
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
  if (verb == QStringLiteral("check")) return runFomCheck(rest, out, err);
  if (verb == QStringLiteral("export")) return runFomExport(rest, out, err);
  for (const QString& word : rest) {
    if (word.startsWith(u'-') && word != QStringLiteral("--csv")) {
      err << "tutti fom: unknown option " << word << '\n';
      return 2;
    }
  }
  const auto files = std::count_if(rest.begin(), rest.end(),
                                   [](const QString& word) { return !word.startsWith(u'-'); });
  if (verb == QStringLiteral("show") && files >= 2) return show(rest, out, err);
  err << "usage: tutti fom check [--level loads|strict|dif|omt] [--style] [--fix [--dry-run]] "
         "[--json] "
         "FILE...\n"
         "       tutti fom show [--csv] ITEM FILE...\n"
         "       tutti fom modules [--json] FILE|FOLDER...\n"
         "       tutti fom export --html FOLDER FILE...\n"
         "       tutti fom diff [--json | --html FILE] [--no-renames] [--components FOLDER] A B\n"
         "       tutti fom merge [-o FILE] [--markers] [--json] BASE OURS THEIRS\n"
         "       tutti fom convert FILE --to EDITION [-o FILE] [--json] [--force]\n"
         "       tutti fom join FILE... -o FILE [--to EDITION] [--name NAME] [--json] [--force]\n"
         "       tutti fom extract FILE CLASS... -o NEW [--no-subclasses] [--shared "
         "stay|copy|move]\n"
         "                         [--name NAME] [--json] [--force]\n"
         "       tutti fom new FILE [--edition EDITION] [--name NAME] [--force]\n";
  return 2;
}

QString shellWord(QString word) {
  static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:=,+@%-]+$"));
  if (plain.match(word).hasMatch()) return word;
  return u'\'' + word.replace(u'\'', QStringLiteral("'\\''")) + u'\'';
}

QString fomDiffCommandLine(const QStringList& before, const QStringList& after) {
  return QStringList{QStringLiteral("tutti fom diff"), shellWord(before.join(u',')),
                     shellWord(after.join(u','))}
      .join(u' ');
}

QString fomCheckCommandLine(const QStringList& paths) {
  QStringList words{QStringLiteral("tutti fom check")};
  for (const QString& path : paths) words << shellWord(path);
  return paths.isEmpty() ? QString() : words.join(u' ');
}

}  // namespace tutti::fomedit
