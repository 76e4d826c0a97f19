// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileInfo>
#include <QString>
#include <QTemporaryDir>

namespace tutti::fomedit {

/// The folder ".NAME-XXXXXX" beside a folder NAME that an export is about to make: pages are
/// written into it, and it gets its name when all are there. It is removed with this object
/// otherwise.
///
/// An export that is killed leaves it behind. The next one to the same place can tell it from the
/// folder of an export that goes on:
/// 1. The export makes the folder.
/// 2. It locks the folder (flock). The kernel frees the lock when the process ends, however.
/// 3. It writes the list of pages, then the pages.
/// So a folder with a list and without a lock is abandoned. One without a list may be between 1 and
/// 3 and stays; as does any folder on a file system that has no locks.
class HiddenFolder {
 public:
  /// Beside `target`, an absolute path.
  explicit HiddenFolder(const QFileInfo& target);
  ~HiddenFolder();
  HiddenFolder(const HiddenFolder&) = delete;
  HiddenFolder& operator=(const HiddenFolder&) = delete;

  bool isValid() const { return made_.isValid(); }
  QString errorString() const { return made_.errorString(); }
  QString path() const { return made_.path(); }
  QString filePath(const QString& name) const { return made_.filePath(name); }
  /// Gives it the name of the target, for all to read. False: it could not be renamed.
  bool publish();

 private:
  QFileInfo target_;
  QTemporaryDir made_;
  int lock_ = -1;
};

/// Removes abandoned folders beside `target`: those of this user that hold nothing but the pages in
/// their list. What cannot be removed stays.
void removeAbandoned(const QFileInfo& target);

}  // namespace tutti::fomedit
