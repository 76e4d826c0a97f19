// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/pages/hidden_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>

#include "fom-editor/model/pages/model_pages.h"
#include "fom-editor/model/pages/page_list.h"

namespace tutti::fomedit {

namespace {

constexpr int mostListBytes = 16 << 20;
constexpr qsizetype randomLetters = 6;

QString prefixOf(const QFileInfo& target) { return u'.' + target.fileName() + u'-'; }

int openFolder(const QByteArray& path) {
  return ::open(path.constData(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

bool isFile(int folder, const QByteArray& name) {
  struct stat status {};
  return ::fstatat(folder, name.constData(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(status.st_mode);
}

std::optional<QSet<QString>> listIn(int folder) {
  if (!isFile(folder, pagesListName)) return std::nullopt;
  const int descriptor =
      ::openat(folder, pagesListName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  QFile file;
  if (!file.open(descriptor, QIODevice::ReadOnly, QFileDevice::AutoCloseHandle)) {
    ::close(descriptor);
    return std::nullopt;
  }
  return pagesOfList(file.read(mostListBytes));
}

/// All files of an abandoned folder; nothing: it holds others, or it may be in use.
std::optional<QList<QByteArray>> abandonedIn(DIR* folder, const QByteArray& path) {
  const int descriptor = ::dirfd(folder);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || status.st_uid != ::geteuid()) return std::nullopt;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  // Its export may have published it, and ended, since it was opened.
  struct stat there {};
  if (::lstat(path.constData(), &there) != 0 || there.st_ino != status.st_ino ||
      there.st_dev != status.st_dev) {
    return std::nullopt;
  }
  const auto pages = listIn(descriptor);
  if (!pages) return std::nullopt;
  QList<QByteArray> files;
  for (const dirent* entry = ::readdir(folder); entry != nullptr; entry = ::readdir(folder)) {
    const QByteArray name = entry->d_name;
    if (name == "." || name == "..") continue;
    const bool isOwn = name == pagesListName || pages->contains(QString::fromUtf8(name));
    if (!isOwn || !isFile(descriptor, name)) return std::nullopt;
    if (name != pagesListName) files << name;
  }
  files << pagesListName;  // last: a removal that is killed can be continued
  return files;
}

}  // namespace

HiddenFolder::HiddenFolder(const QFileInfo& target)
    : target_(target),
      made_(target.absolutePath() + u'/' + prefixOf(target) + QString(randomLetters, u'X')) {
  if (!made_.isValid()) return;
  lock_ = openFolder(QFile::encodeName(made_.path()));
  // Another export may hold the lock for as long as it looks for a list.
  while (lock_ >= 0 && ::flock(lock_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

HiddenFolder::~HiddenFolder() {
  if (made_.autoRemove()) made_.remove();  // still locked
  if (lock_ >= 0) ::close(lock_);
}

bool HiddenFolder::publish() {
  QFile::setPermissions(made_.path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner |
                                          QFile::ReadGroup | QFile::ExeGroup | QFile::ReadOther |
                                          QFile::ExeOther);
  if (!QDir().rename(made_.path(), target_.absoluteFilePath())) return false;
  made_.setAutoRemove(false);
  return true;
}

void removeAbandoned(const QFileInfo& target) {
  const QString prefix = prefixOf(target);
  const QDir parent(target.absolutePath());
  const QStringList names =
      parent.entryList(QDir::Dirs | QDir::Hidden | QDir::NoSymLinks | QDir::NoDotAndDotDot);
  for (const QString& name : names) {
    const QString letters = name.mid(prefix.size());
    if (!name.startsWith(prefix) || letters.size() != randomLetters ||
        !std::all_of(letters.begin(), letters.end(),
                     [](QChar c) { return c.unicode() < 128 && c.isLetterOrNumber(); })) {
      continue;
    }
    const QByteArray path = QFile::encodeName(parent.filePath(name));
    const int descriptor = openFolder(path);
    if (descriptor < 0) continue;
    const Folder folder(::fdopendir(descriptor));
    if (!folder) {
      ::close(descriptor);
      continue;
    }
    const auto files = abandonedIn(folder.get(), path);
    if (!files) continue;
    for (const QByteArray& file : *files) ::unlinkat(descriptor, file.constData(), 0);
    ::rmdir(path.constData());
  }
}

}  // namespace tutti::fomedit
