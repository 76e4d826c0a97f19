// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_file.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "fom-editor/model/fed_source.h"
#include "fom-editor/model/item.h"
#include "omt/reader.h"
#include "omt/s_expressions.h"

namespace tutti::fomedit {

namespace {

QString tr(const char* words) { return QCoreApplication::translate("ModuleFile", words); }

/// What rename() would replace: of a symbolic link its target.
QString targetOf(const QString& path) {
  const QString target = QFileInfo(path).canonicalFilePath();
  return target.isEmpty() ? path : target;
}

/// Opening anything else, such as a pipe, would wait.
bool isFile(const QString& path) {
  struct stat status {};
  return ::stat(QFile::encodeName(path).constData(), &status) == 0 && S_ISREG(status.st_mode);
}

bool isThere(const QString& path) {
  struct stat status {};
  return ::stat(QFile::encodeName(path).constData(), &status) == 0 ||
         (errno != ENOENT && errno != ENOTDIR);
}

/// Files of HLA 1.3 are lists in parentheses, with comments behind semicolons.
bool isOfHla13(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  return !omt::firstHead(bytes).empty();
}

bool isFed(const std::string& bytes) {
  if (!bytes.starts_with("\xFF\xFE") && !bytes.starts_with("\xFE\xFF")) return beginsAsFed(bytes);
  const auto wide = decoded(bytes);
  return wide && beginsAsFed(wide->text);
}

constexpr const char* aclName = "system.posix_acl_access";

/// The access control list of the file at `path`, and what people noted at it ("user.*").
void keepAttributes(int descriptor, const char* path) {
  // A folder may give its files a list that the replaced one does not have.
  if (::getxattr(path, aclName, nullptr, 0) < 0) ::fremovexattr(descriptor, aclName);
  const ssize_t size = ::listxattr(path, nullptr, 0);
  if (size <= 0) return;
  std::string names(static_cast<std::size_t>(size), '\0');
  const ssize_t listed = ::listxattr(path, names.data(), names.size());
  names.resize(static_cast<std::size_t>(std::max<ssize_t>(listed, 0)));
  for (std::size_t at = 0; at < names.size();) {
    const std::string name = names.c_str() + at;
    at += name.size() + 1;
    if (name != aclName && !name.starts_with("user.")) continue;
    const ssize_t length = ::getxattr(path, name.c_str(), nullptr, 0);
    if (length < 0) continue;
    std::string value(static_cast<std::size_t>(length), '\0');
    const ssize_t read = ::getxattr(path, name.c_str(), value.data(), value.size());
    // A file system that has none of them is no reason to keep the edits from the disk.
    if (read >= 0)
      ::fsetxattr(descriptor, name.c_str(), value.data(), static_cast<size_t>(read), 0);
  }
}

/// The mode and attributes of the file that is replaced, and its owner and group where this process
/// may set them.
void keepRights(int descriptor, const QString& target) {
  const QByteArray path = QFile::encodeName(target);
  struct stat before {};
  if (::stat(path.constData(), &before) != 0) return;
  if (::fchown(descriptor, before.st_uid, before.st_gid) != 0 &&
      ::fchown(descriptor, static_cast<uid_t>(-1), before.st_gid) != 0) {
    // A file of another owner becomes that of the person who saves it.
  }
  ::fchmod(descriptor, before.st_mode & 07777);
  // Last: the list has the group's rights, of which the mode shows the mask.
  keepAttributes(descriptor, path.constData());
}

/// False with errno: what was written may not reach the disk. File systems without it say EINVAL.
bool sync(int descriptor) { return ::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS; }

}  // namespace

QString whyNotWritable(const QString& path) {
  const QString target = targetOf(path);
  struct stat status {};
  if (::stat(QFile::encodeName(target).constData(), &status) == 0) {
    // A file without any right to write is meant so, even where root could.
    constexpr mode_t anyWrite = S_IWUSR | S_IWGRP | S_IWOTH;
    if ((status.st_mode & anyWrite) == 0) return tr("The file is write-protected.");
    if (!QFileInfo(target).isWritable()) return tr("You have no right to write this file.");
    // A file that is replaced gets a new inode; written in place, half of it could be lost.
    if (S_ISREG(status.st_mode) && status.st_nlink > 1) {
      return tr("The file has %1 names (hard links), and saving would change only this one. Edit a "
                "copy of it, or put a copy in its place.")
          .arg(status.st_nlink);
    }
  }
  const QString folder = QFileInfo(target).absolutePath();
  if (QFileInfo::exists(folder) && !QFileInfo(folder).isWritable()) {
    return tr("You have no right to write in the folder %1.").arg(QDir::toNativeSeparators(folder));
  }
  return {};
}

tl::expected<ModuleSource, omt::Error> parseByContent(std::string bytes, std::string displayName) {
  return isFed(bytes) ? ModuleSource::parseFed(std::move(bytes), std::move(displayName))
                      : ModuleSource::parse(std::move(bytes), std::move(displayName));
}

tl::expected<DecodedText, std::string> decodedByContent(std::string bytes) {
  return isFed(bytes) ? decodedFed(std::move(bytes)) : decoded(std::move(bytes));
}

ModuleFile readForEditing(const QString& path) {
  auto read = omt::readModuleBytes(path.toStdString());
  if (read) return readForEditing(path, std::make_shared<const std::string>(std::move(*read)));
  ModuleFile file;
  file.path = path;
  file.isGone = !isThere(path);
  file.readOnlyReason = text(read.error().message);
  return file;
}

ModuleFile readForEditing(const QString& path, ModuleBytes bytes) {
  ModuleFile file;
  file.path = path;
  file.bytes = std::move(bytes);
  auto source = parseByContent(*file.bytes, path.toStdString());
  if (!source) {
    file.readOnlyReason =
        !isFed(*file.bytes) && isOfHla13(*file.bytes)
            ? tr("OMT files of HLA 1.3 are shown, not edited: convert it to an edition of IEEE "
                 "1516, or edit the FED file.")
            : tr("It can be edited when line %1 is corrected: %2")
                  .arg(QString::number(source.error().line), text(source.error().message));
    return file;
  }
  file.source = std::make_shared<const ModuleSource>(std::move(*source));
  file.readOnlyReason = whyNotWritable(path);
  return file;
}

tl::expected<void, WriteFault> replaceModuleFile(const QString& path, std::string_view bytes,
                                                 const ModuleBytes& expected) {
  const QString name = QFileInfo(path).fileName();
  const QString target = targetOf(path);
  const QString folder = QFileInfo(target).absolutePath();
  const auto failed = [&](const QString& why, const QString& next) {
    WriteFault fault;
    fault.text = tr("%1 was not saved: %2 The file and your edits are as they were. %3")
                     .arg(name, why, next);
    return tl::unexpected(fault);
  };
  if (!QFileInfo::exists(folder)) {
    return failed(tr("its folder %1 is gone.").arg(QDir::toNativeSeparators(folder)),
                  tr("Create the folder again, then save."));
  }
  if (isThere(path) && !isFile(path)) {
    return failed(tr("%1 is no file.").arg(QDir::toNativeSeparators(path)),
                  tr("Move it away, then save."));
  }
  if (const QString why = whyNotWritable(path); !why.isEmpty()) {
    return failed(
        why, tr("As soon as %1 can be written, save again.").arg(QDir::toNativeSeparators(path)));
  }
  QSaveFile output(target);
  const auto failedWriting = [&](const QString& why) {
    return failed(tr("%1 cannot be written: %2.").arg(QDir::toNativeSeparators(target), why),
                  tr("Free space there or check the rights, then save again."));
  };
  if (!output.open(QIODevice::WriteOnly)) return failedWriting(output.errorString());
  if (output.write(bytes.data(), static_cast<qint64>(bytes.size())) !=
      static_cast<qint64>(bytes.size())) {
    return failedWriting(output.errorString());
  }
  // Without this commit() would put a part in the place of the file.
  if (!output.flush()) return failedWriting(output.errorString());
  if (!sync(output.handle())) return failedWriting(QString::fromLocal8Bit(std::strerror(errno)));
  keepRights(output.handle(), target);

  WriteFault fault;
  if (isFile(path)) {
    auto now = omt::readModuleBytes(path.toStdString());
    if (!now)
      return failed(text(now.error().message), tr("Check who may read it, then save again."));
    if (!expected || *now != *expected) {
      fault.changedOnDisk = true;
      fault.onDisk = std::make_shared<const std::string>(std::move(*now));
    }
  }
  // A file that somebody removed is written again: nothing of anybody's is overwritten.
  if (fault.changedOnDisk) {
    fault.text = tr("%1 was not saved: another program has changed the file since it was read. "
                    "Reload it, or keep your edits and save again.")
                     .arg(name);
    return tl::unexpected(fault);
  }
  if (!output.commit()) return failedWriting(output.errorString());
  return {};
}

}  // namespace tutti::fomedit
