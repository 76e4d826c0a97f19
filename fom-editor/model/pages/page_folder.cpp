// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QSet>
#include <optional>

#include "fom-editor/model/pages/hidden_folder.h"
#include "fom-editor/model/pages/model_pages.h"
#include "fom-editor/model/pages/page_list.h"

namespace tutti::fomedit {

namespace {

/// Replaces a file, all or nothing.
tl::expected<void, QString> writeFile(const QString& path, const QByteArray& content) {
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && file.write(content) == content.size() && file.commit()) {
    return {};
  }
  return tl::unexpected(QStringLiteral("%1 cannot be written: %2.").arg(path, file.errorString()));
}

/// Into a folder that nobody sees yet.
tl::expected<void, QString> writeFirst(const QString& path, const QByteArray& content) {
  QFile file(path);
  if (file.open(QIODevice::WriteOnly | QIODevice::NewOnly) &&
      file.write(content) == content.size() && file.flush()) {
    return {};
  }
  return tl::unexpected(QStringLiteral("%1 cannot be written: %2.").arg(path, file.errorString()));
}

/// The pages that an earlier export has noted; nothing: there was none.
std::optional<QSet<QString>> listedIn(const QString& folder) {
  QFile file(QDir(folder).filePath(QLatin1String(pagesListName)));
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  return pagesOfList(file.readAll());
}

/// Whether a folder with a list takes Foo.html and foo.html for one file.
bool ignoresCase(const QDir& dir, const QStringList& present) {
  const QString other = QString::fromLatin1(pagesListName).toUpper();
  return !present.contains(other) && QFileInfo::exists(dir.filePath(other));
}

/// Files only: what a list names may have become something else.
void remove(const QDir& dir, const QStringList& names) {
  for (const QString& name : names) {
    const QFileInfo old(dir.filePath(name));
    if (old.isFile() && !old.isSymLink()) QFile::remove(old.filePath());
  }
}

tl::expected<void, QString> writeNew(const QFileInfo& target, const QList<ModelPage>& pages,
                                     const QSet<QString>& names) {
  HiddenFolder made(target);
  const QString folder = target.filePath();
  if (!made.isValid()) {
    return tl::unexpected(
        QStringLiteral("The folder %1 cannot be made: %2.").arg(folder, made.errorString()));
  }
  if (auto written = writeFirst(made.filePath(QLatin1String(pagesListName)), pageList(names));
      !written) {
    return written;
  }
  for (const ModelPage& page : pages) {
    if (auto written = writeFirst(made.filePath(page.name), page.content); !written) return written;
  }
  if (!made.publish()) {
    return tl::unexpected(QStringLiteral("The folder %1 cannot be made.").arg(folder));
  }
  return {};
}

}  // namespace

tl::expected<void, QString> writePages(const QString& folder, const QList<ModelPage>& pages) {
  QSet<QString> names;
  for (const ModelPage& page : pages) names << page.name;
  const QFileInfo target(QDir::cleanPath(folder));
  removeAbandoned(target);
  if (!target.exists() && !target.isSymLink()) return writeNew(target, pages, names);
  if (!target.isDir()) {
    return tl::unexpected(QStringLiteral("%1 is no folder. Name another one.").arg(folder));
  }
  const QDir dir(folder);
  const QStringList present =
      dir.entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
  const auto before = listedIn(folder);
  if (!present.isEmpty() && !before) {
    return tl::unexpected(QStringLiteral("The folder %1 has files that are no pages of an object "
                                         "model. Name a new or empty folder.")
                              .arg(folder));
  }
  const QSet<QString> own = before.value_or(QSet<QString>());
  const PageReplacement change = replacementOf(own, names, present, ignoresCase(dir, present));
  QString foreign = change.foreign;
  for (const QString& name : names) {
    if (foreign.isEmpty() && QFileInfo(dir.filePath(name)).isSymLink()) foreign = name;
  }
  if (!foreign.isEmpty()) {
    return tl::unexpected(QStringLiteral("%1 is not a page of an earlier export and is not "
                                         "replaced. Name another folder.")
                              .arg(dir.filePath(foreign)));
  }
  // A list that has both: an export that ends early leaves nothing that the next one does not know.
  const QString list = dir.filePath(QLatin1String(pagesListName));
  if (auto written = writeFile(list, pageList(own | names)); !written) return written;
  remove(dir, change.removeFirst);
  for (const ModelPage& page : pages) {
    if (auto written = writeFile(dir.filePath(page.name), page.content); !written) return written;
  }
  remove(dir, change.removeLast);
  return writeFile(list, pageList(names));
}

}  // namespace tutti::fomedit
