// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QList>
#include <QString>
#include <QStringList>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "omt/module.h"

namespace tutti::fomedit {

/// How much of a folder is looked at. What is beyond is said in FolderContent::notes.
struct FolderLimits {
  int depth = 8;           ///< folders below the given one
  int folders = 2000;      ///< in all
  int files = 100000;      ///< whose first bytes are read
  int modules = 1000;      ///< that are listed
  qint64 bytes = 1 << 30;  ///< of modules that are read
};

/// A file of a folder that is an object model by its content, or would be if it could be read.
struct FolderModule {
  /// Device, inode, size, time of the last change in seconds and nanoseconds.
  using Status = std::array<std::int64_t, 5>;

  QString path;     ///< below the folder as it was given
  QString name;     ///< the same without the folder
  QString edition;  ///< "IEEE 1516-2010"; empty where it cannot be read
  QString kind;     ///< "FOM", "SOM" or "MIM"
  /// Whether it belongs to the merged model, unless a person decides otherwise.
  bool takesPart = true;
  /// Why it does not, or why it cannot be read: one sentence. Empty: nothing is to be said.
  QString reason;
  int line = 0;  ///< of what cannot be read
  Status status{};
  std::shared_ptr<const omt::Module> module;  ///< null: it cannot be read

  bool isBroken() const { return module == nullptr; }
  /// All but the module itself.
  bool operator==(const FolderModule& other) const;
};

/// The modules of a folder and of those below it at one moment.
struct FolderContent {
  QString folder;  ///< as it was given
  QString fault;   ///< why the folder cannot be listed; empty: it can
  /// First those that take part, each behind those that it takes something from, then the others by
  /// name.
  QList<FolderModule> modules;
  int files = 0;      ///< that were looked at
  QStringList notes;  ///< what was not looked at, and why; a sentence each
  bool operator==(const FolderContent&) const = default;

  /// Paths of the modules that take part, in their order.
  QStringList takingPart() const;
};

/// Finds the modules of a folder by their first bytes, whatever their names: neither hidden files
/// and folders nor what is no regular file. A folder or file that links lead to twice is taken
/// once. Of what `known` has with the same status nothing is read again. Stops with what it has
/// when `goOn` says false; that is asked, with the files looked at so far, before each file. Waits
/// for the file system. Thread-safe.
FolderContent contentOfFolder(const QString& folder, const FolderLimits& limits = {},
                              const FolderContent& known = {},
                              const std::function<bool(int files)>& goOn = {});

/// Decides which modules take part and puts them in order. Left out are the standard MIM, modules
/// that others repeat in the same or another edition, older versions of one, and SOM modules beside
/// FOM modules that define something; the reason says beside what. Broken modules take part: the
/// checks say what is wrong. Where `goOn` says false, which is asked for each module, it stops with
/// what it has.
void chooseModules(QList<FolderModule>& modules, const std::function<bool()>& goOn = {});

/// Whether a path is below a folder, both as they are given.
bool isBelow(const QString& path, const QString& folder);

/// Whether a file that begins with these bytes is meant as an object model.
bool beginsAsModule(const QByteArray& begin);

}  // namespace tutti::fomedit
