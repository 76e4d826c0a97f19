// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/shared_libraries.h"

#include <elf.h>

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <cstring>
#include <mutex>
#include <set>
#include <tuple>

namespace tutti::launcher {

namespace {

constexpr int longestAnswer = 5000;  // ms
constexpr qint64 mostHeaders = 64 * 1024;

/// The dynamic loader that an ELF program of this machine's kind names; empty for all else.
QString loaderOf(const QString& program) {
  QFile file(program);
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QByteArray bytes = file.read(mostHeaders);
  Elf64_Ehdr head;
  if (bytes.size() < qsizetype(sizeof head)) return {};
  std::memcpy(&head, bytes.constData(), sizeof head);
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    const quint64 at = head.e_phoff + quint64{i} * head.e_phentsize;
    Elf64_Phdr part;
    if (at > quint64(bytes.size()) || quint64(bytes.size()) - at < sizeof part) return {};
    std::memcpy(&part, bytes.constData() + at, sizeof part);
    if (part.p_type != PT_INTERP) continue;
    if (part.p_offset > quint64(bytes.size())) return {};
    return QFile::decodeName(QByteArray(
        bytes.constData() + part.p_offset,
        qsizetype(qstrnlen(bytes.constData() + part.p_offset,
                           std::size_t(bytes.size()) - std::size_t(part.p_offset)))));
  }
  return {};
}

/// What the loader prints of a program's libraries, and its complaints.
struct LoaderAnswer {
  QString list;
  QString complaints;
};

LoaderAnswer askLoader(const QString& loader, const QString& program, const QString& libraryPath) {
  QProcess process;
  auto environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("LD_LIBRARY_PATH"), libraryPath);
  environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C"));
  environment.insert(QStringLiteral("LD_TRACE_LOADED_OBJECTS"), QStringLiteral("1"));
  process.setProcessEnvironment(environment);
  process.start(loader, {program});
  if (!process.waitForFinished(longestAnswer)) return {};
  return {QString::fromLocal8Bit(process.readAllStandardOutput()),
          QString::fromLocal8Bit(process.readAllStandardError())};
}

QStringList missingIn(const LoaderAnswer& answer) {
  QStringList missing;
  static const QRegularExpression notFound(QStringLiteral("^\\s*(\\S+) => not found"),
                                           QRegularExpression::MultilineOption);
  for (const auto& match : notFound.globalMatch(answer.list)) missing << match.captured(1);
  static const QRegularExpression version(QStringLiteral("version `[^']+' not found[^\\n]*"));
  for (const auto& match : version.globalMatch(answer.complaints)) missing << match.captured(0);
  missing.removeDuplicates();
  return missing;
}

}  // namespace

QString rtiLibraryFolder(const QStringList& binaryFolders) {
  for (const QString& folder : binaryFolders) {
    const QString above = folder + QStringLiteral("/../");
    for (const auto* name : {"lib", "lib64"}) {
      const QDir libraries(above + QLatin1String(name));
      // Debian has a folder for each kind of processor.
      QStringList places{libraries.path()};
      for (const QString& kind :
           libraries.entryList({QStringLiteral("*-linux-gnu*")}, QDir::Dirs))
        places << libraries.filePath(kind);
      for (const QString& place : places) {
        if (QFileInfo::exists(place + QStringLiteral("/librti1516e.so.1")))
          return QDir::cleanPath(QFileInfo(place).absoluteFilePath());
      }
    }
  }
  return {};
}

QString libraryPathWith(const QString& wanted, const QString& rtiFolder) {
  QStringList folders = wanted.split(u':', Qt::SkipEmptyParts);
  if (!rtiFolder.isEmpty()) folders << rtiFolder;
  folders << qEnvironmentVariable("LD_LIBRARY_PATH").split(u':', Qt::SkipEmptyParts);
  folders.removeDuplicates();
  return folders.join(u':');
}

QStringList loadedLibraries(const QString& program, const QString& libraryPath) {
  const QString loader = loaderOf(program);
  if (!QFileInfo(loader).isExecutable()) return {};
  static const QRegularExpression found(QStringLiteral("^\\s*(\\S+) => (/\\S+)"),
                                        QRegularExpression::MultilineOption);
  // glibc's own work with the loader of their host only.
  static const QRegularExpression cLibrary(QStringLiteral(
      "^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|nsl|anl|BrokenLocale|nss_.*|thread_db|mvec))"
      "\\.so(\\..*)?$"));
  QStringList files;
  const QString list = askLoader(loader, program, libraryPath).list;
  for (const auto& match : found.globalMatch(list)) {
    if (!cLibrary.match(match.captured(1)).hasMatch()) files << QDir::cleanPath(match.captured(2));
  }
  return files;
}

QStringList missingLibraries(const QString& program, const QString& libraryPath) {
  const QString loader = loaderOf(program);
  if (!QFileInfo(loader).isExecutable()) return {};
  // The checks before a run are made again with every edit. What was missing may come any time.
  using Key = std::tuple<QString, QDateTime, QString>;
  static std::mutex mutex;
  static std::set<Key> complete;
  const Key key(program, QFileInfo(program).lastModified(), libraryPath);
  {
    const std::lock_guard guard(mutex);
    if (complete.contains(key)) return {};
  }
  QStringList missing = missingIn(askLoader(loader, program, libraryPath));
  const std::lock_guard guard(mutex);
  if (missing.isEmpty()) complete.insert(key);
  return missing;
}

}  // namespace tutti::launcher
