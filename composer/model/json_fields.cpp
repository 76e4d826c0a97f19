// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/json_fields.h"

#include <cmath>
#include <utility>

namespace tutti::composer {

Fields::Fields(const JsonSource& source, const Json& object, std::string at,
               std::optional<Error>& fault)
    : source_{source}, left_(object), at_{std::move(at)}, fault_{fault} {
  if (!object.is_object()) {
    fail("", QStringLiteral("This is not an object."));
    left_ = Json::object();
  }
}

std::optional<Json> Fields::take(const char* key) {
  const auto found = left_.find(key);
  if (found == left_.end()) return std::nullopt;
  Json value = std::move(*found);
  left_.erase(found);
  return value;
}

QString Fields::string(const char* key, const QString& otherwise) {
  const auto value = take(key);
  if (!value) return otherwise;
  if (!value->is_string())
    return fail(key, QStringLiteral("\"%1\" is not a text.").arg(QLatin1String(key))), otherwise;
  return text(value->get<std::string>());
}

bool Fields::boolean(const char* key, bool otherwise) {
  const auto value = take(key);
  if (!value) return otherwise;
  if (!value->is_boolean())
    return fail(key, QStringLiteral("\"%1\" is neither true nor false.").arg(QLatin1String(key))),
           otherwise;
  return value->get<bool>();
}

int Fields::integer(const char* key, int otherwise, int least, int greatest) {
  const auto value = take(key);
  if (!value) return otherwise;
  if (!value->is_number_integer() || value->get<double>() < least ||
      value->get<double>() > greatest) {
    fail(key, QStringLiteral("\"%1\" is not a whole number from %2 to %3.")
                  .arg(QLatin1String(key))
                  .arg(least)
                  .arg(greatest));
    return otherwise;
  }
  return value->get<int>();
}

double Fields::real(const char* key, double otherwise, double least, double greatest) {
  const auto value = take(key);
  if (!value) return otherwise;
  if (!value->is_number() || value->get<double>() < least || value->get<double>() > greatest) {
    fail(key, QStringLiteral("\"%1\" is not a number from %2 to %3.")
                  .arg(QLatin1String(key))
                  .arg(least, 0, 'g', 15)
                  .arg(greatest, 0, 'g', 15));
    return otherwise;
  }
  return value->get<double>();
}

std::optional<double> Fields::notNegative(const char* key) {
  const auto value = take(key);
  if (!value || value->is_null()) return std::nullopt;
  if (!value->is_number() || value->get<double>() < 0.0) {
    fail(key, QStringLiteral("\"%1\" is not a number of at least 0.").arg(QLatin1String(key)));
    return std::nullopt;
  }
  return value->get<double>();
}

QStringList Fields::strings(const char* key) {
  const auto value = take(key);
  QStringList result;
  if (!value) return result;
  const auto wrong = [&] {
    fail(key, QStringLiteral("\"%1\" is not a list of texts.").arg(QLatin1String(key)));
  };
  if (!value->is_array()) return wrong(), result;
  for (const Json& item : *value) {
    if (!item.is_string()) return wrong(), result;
    result.append(text(item.get<std::string>()));
  }
  return result;
}

QPointF Fields::point(const char* key) {
  const auto value = take(key);
  if (!value) return {};
  const auto coordinate = [&](const char* axis) {
    const auto found = value->is_object() ? value->find(axis) : value->end();
    if (!value->is_object() || found == value->end() || !found->is_number() ||
        std::abs(found->get<double>()) > 1e7) {
      fail(key, QStringLiteral("\"%1\" is not a place with x and y up to 10 000 000.")
                    .arg(QLatin1String(key)));
      return 0.0;
    }
    return std::round(found->get<double>());
  };
  const double x = coordinate("x");
  return {x, coordinate("y")};
}

void Fields::fail(const char* key, const QString& what, const QString& next) {
  const std::string pointer = *key ? at_ + "/" + key : at_;
  if (!fault_) fault_ = source_.error(pointer, what, next);
}

Json stringsJson(const QStringList& strings) {
  Json result = Json::array();
  for (const QString& string : strings) result.push_back(string.toStdString());
  return result;
}

}  // namespace tutti::composer
