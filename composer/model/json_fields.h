// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QString>
#include <QStringList>
#include <optional>
#include <string>

#include "composer/model/error.h"
#include "composer/model/json_source.h"

namespace tutti::composer {

/// Takes known keys out of a copy of one object of a document; what is left over at the end is what
/// this version does not know. A value of the wrong type or outside its limits is a fault, null
/// too; the first fault of a document is kept, and reading goes on with what `otherwise` says.
class Fields {
 public:
  /// `object` stands at the JSON pointer `at` of `source`. `source` and `fault` outlive this.
  Fields(const JsonSource& source, const Json& object, std::string at, std::optional<Error>& fault);

  std::optional<Json> take(const char* key);
  QString string(const char* key, const QString& otherwise = {});
  bool boolean(const char* key, bool otherwise);
  /// Limits are inclusive.
  int integer(const char* key, int otherwise, int least, int greatest);
  double real(const char* key, double otherwise, double least, double greatest);
  /// Of at least 0; null counts as a missing key.
  std::optional<double> notNegative(const char* key);
  QStringList strings(const char* key);
  /// Whole pixels, up to 10 000 000 either way.
  QPointF point(const char* key);
  Json rest() { return std::move(left_); }
  [[nodiscard]] const std::string& at() const { return at_; }

  /// A fault of the value of `key`, which may be a pointer into it; of the object when empty.
  void fail(const char* key, const QString& what, const QString& next = {});

 private:
  const JsonSource& source_;
  Json left_;
  std::string at_;
  std::optional<Error>& fault_;
};

Json stringsJson(const QStringList& strings);

}  // namespace tutti::composer
