// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace tutti::composer {

/// Why something about a document could not be done, in the words a person needs: where, what, why
/// and what next.
struct Error {
  QString file;     ///< absolute path, empty when no file is concerned
  int line = 0;     ///< 1-based, 0 when unknown
  QString pointer;  ///< JSON pointer (RFC 6901) into the file, empty for the whole document
  QString what;     ///< what failed and why, one sentence
  QString next;     ///< what the person can do about it, one sentence; may be empty

  /// "path:line (/pointer): what next", leaving out what is unknown.
  [[nodiscard]] QString message() const;
  /// "path:line" or "path", empty when no file is concerned.
  [[nodiscard]] QString place() const;
};

}  // namespace tutti::composer
