// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QLockFile>
#include <QString>
#include <memory>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/composition.h"

namespace tutti::composer {

/// Edits of a document that a console left unsaved when it ended unexpectedly.
struct Recoverable {
  QString file;      ///< the recovery file
  QString document;  ///< absolute path of the document it belongs to; empty when it was never saved
  QString federation;
  QDateTime written;  ///< when it was last written
};

/// The recovery file of one open document. A lock held while the document is open tells a console
/// that died from one that still runs.
class Recovery {
 public:
  /// Claims a recovery file for `document` (empty: never saved yet).
  explicit Recovery(const QString& document);
  /// Removes the recovery file: whoever closes a document properly has nothing to recover.
  ~Recovery();
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  [[nodiscard]] tl::expected<void, Error> write(const Composition& composition) const;
  void remove() const;

  /// Recovery files whose console is gone, newest first.
  static std::vector<Recoverable> list();
  static tl::expected<Composition, Error> load(const QString& file);
  static void discard(const QString& file);
  /// $XDG_DATA_HOME/tutti/recovery
  static QString folder();

 private:
  QString document_;
  QString file_;
  std::unique_ptr<QLockFile> lock_;
};

}  // namespace tutti::composer
