// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QMetaType>
#include <QString>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "fom-editor/model/module_source.h"

namespace tutti::fomedit {

/// A module's bytes, shared by all that show them; null: there is no such file.
using ModuleBytes = std::shared_ptr<const std::string>;
/// What is read in the place of files, by path as it was given.
using ModuleTexts = QHash<QString, ModuleBytes>;

/// A module as its file has it at one moment.
struct ModuleFile {
  QString path;                                ///< as it was given
  ModuleBytes bytes;                           ///< null: there is no file, or it cannot be read
  bool isGone = false;                         ///< there is no file
  std::shared_ptr<const ModuleSource> source;  ///< null: it is no XML module that can be edited
  /// Why it cannot be edited and saved, one sentence; never empty without a source.
  QString readOnlyReason;
};

/// A module whose notation is that of its first characters: XML, or a FED file.
tl::expected<ModuleSource, omt::Error> parseByContent(std::string bytes, std::string displayName);
/// The text of such a module, in UTF-8.
tl::expected<DecodedText, std::string> decodedByContent(std::string bytes);

/// Reads a module to show and edit it. May wait for the file system. Thread-safe.
ModuleFile readForEditing(const QString& path);
/// The same, from bytes that were read before.
ModuleFile readForEditing(const QString& path, ModuleBytes bytes);

/// Why a file cannot be replaced, in one sentence; empty: it can, as far as its rights tell.
QString whyNotWritable(const QString& path);

/// Why a module was not written. The file is as it was.
struct WriteFault {
  bool changedOnDisk = false;  ///< it does not hold what was expected, but `onDisk`
  ModuleBytes onDisk;
  QString text;  ///< what, where, why and what next
};

/// Puts `bytes` in the place of a file that holds `expected` (null: that does not exist), all or
/// nothing. The file keeps its mode, access control list and "user." attributes and, where that is
/// allowed, its owner and group; of a symbolic link the target is replaced, a file with several
/// hard links is not. The content is compared just before that, so nobody else's change is
/// overwritten. Waits for the disk. Thread-safe.
tl::expected<void, WriteFault> replaceModuleFile(const QString& path, std::string_view bytes,
                                                 const ModuleBytes& expected);

}  // namespace tutti::fomedit

Q_DECLARE_METATYPE(tutti::fomedit::ModuleFile)
