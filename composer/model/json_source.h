// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <nlohmann/json.hpp>
#include <string>
#include <tl/expected.hpp>
#include <unordered_map>

#include "composer/model/error.h"

namespace tutti::composer {

using Json = nlohmann::json;

/// A JSON document that still knows on which line of its file each value stands.
class JsonSource {
 public:
  /// Parses `bytes`; `file` is only for messages. A key given twice in one object is an error,
  /// because one of the two values would silently be lost.
  static tl::expected<JsonSource, Error> parse(const QByteArray& bytes, const QString& file);
  /// Reads and parses a file of at most 16 MiB.
  static tl::expected<JsonSource, Error> read(const QString& file);

  [[nodiscard]] const Json& root() const { return root_; }
  [[nodiscard]] const QString& file() const { return file_; }
  /// 1-based line of the value at `pointer`, or of its nearest ancestor that exists.
  [[nodiscard]] int lineOf(const std::string& pointer) const;
  /// An error about the value at `pointer`, with file and line filled in.
  [[nodiscard]] Error error(const std::string& pointer, QString what, QString next = {}) const;

 private:
  Json root_;
  QString file_;
  std::unordered_map<std::string, int> lines_;
};

/// The deterministic bytes of a document: sorted keys, two blanks a level, UTF-8, a final newline.
QByteArray canonicalBytes(const Json& value);

/// Replaces `file` in one step: on any failure (full disk, no right) the old file is intact.
tl::expected<void, Error> replaceFile(const QString& file, const QByteArray& bytes);

/// `key` as one token of a JSON pointer ("a/b" becomes "a~1b").
std::string pointerToken(const std::string& key);

inline QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

}  // namespace tutti::composer
