// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/pages/export_command.h"

#include <QFileInfo>
#include <QTextStream>

#include "fom-editor/model/pages/model_pages.h"

namespace tutti::fomedit {

int runFomExport(const QStringList& arguments, QTextStream& out, QTextStream& err) {
  QStringList files;
  QString folder;
  QString fault;
  for (qsizetype i = 0; i < arguments.size(); ++i) {
    const QString& word = arguments[i];
    if (word == QStringLiteral("--html")) {
      folder = arguments.value(++i);
    } else if (word.startsWith(QStringLiteral("--html="))) {
      folder = word.section(u'=', 1);
    } else if (word.startsWith(u'-') && word.size() > 1) {
      fault = QStringLiteral("unknown option ") + word;
    } else {
      files << word;
    }
  }
  if (fault.isEmpty() && folder.isEmpty()) fault = QStringLiteral("--html needs a folder");
  if (fault.isEmpty() && files.isEmpty()) fault = QStringLiteral("name a file");
  for (const QString& file : std::as_const(files)) {
    if (fault.isEmpty() && !QFileInfo::exists(file)) {
      fault = QStringLiteral("there is no file ") + file;
    }
  }
  if (!fault.isEmpty()) {
    err << "tutti fom: " << fault << "\nusage: tutti fom export --html FOLDER FILE...\n";
    return 2;
  }
  const LoadedModel loaded = loadModel(files);
  for (const Finding& f : loaded.findings) {
    if (f.level != Level::Loads) continue;
    err << "tutti fom: the modules do not load together, so nothing was written. " << f.file;
    if (f.line > 0) err << ':' << f.line;
    err << ": " << f.text << '\n';
    return 1;
  }
  const auto pages = modelPages(loaded);
  if (!pages) {
    err << "tutti fom: " << pages.error() << '\n';
    return 2;
  }
  if (const auto written = writePages(folder, *pages); !written) {
    err << "tutti fom: " << written.error() << '\n';
    return 2;
  }
  out << folder << "/index.html: " << pages->size() << " files, " << loaded.objectClassCount()
      << " object and " << loaded.interactionClassCount() << " interaction classes.\n";
  return 0;
}

}  // namespace tutti::fomedit
