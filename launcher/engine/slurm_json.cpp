// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/slurm_json.h"

#include <cmath>

namespace tutti::launcher {

using composer::Error;
using composer::Json;
using composer::JsonSource;
using composer::text;

double numberIn(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return 0;
  const bool wrapped = found->is_object() && found->contains("number");
  if (wrapped) {
    const auto is = [&](const char* flag) {
      const auto value = found->find(flag);
      return value != found->end() && value->is_boolean() && value->get<bool>();
    };
    if (is("infinite") || (found->contains("set") && !is("set"))) return 0;
  }
  const Json& value = wrapped ? found->at("number") : *found;
  const double number = value.is_number() ? value.get<double>() : 0;
  return number > 0 ? std::floor(number) : 0;
}

QString textIn(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? text(found->get<std::string>()) : QString{};
}

QStringList textsIn(const Json& object, const char* key) {
  QStringList result;
  const auto found = object.find(key);
  if (found == object.end()) return result;
  if (found->is_string()) return {text(found->get<std::string>())};
  if (!found->is_array()) return result;
  for (const Json& each : *found) {
    if (each.is_string()) result << text(each.get<std::string>());
  }
  return result;
}

tl::expected<JsonSource, Error> answerOf(const QString& program, const QByteArray& json) {
  auto source = JsonSource::parse(json, QStringLiteral("the answer of %1 --json").arg(program));
  if (!source) return source;
  const Json& root = source->root();
  if (!root.is_object())
    return tl::unexpected(source->error("", QStringLiteral("It is not an object.")));
  const auto errors = root.find("errors");
  if (errors == root.end() || !errors->is_array() || errors->empty()) return source;
  QString why = errors->front().is_object() ? textIn(errors->front(), "error") : QString{};
  if (why.isEmpty()) why = QStringLiteral("no reason given");
  return tl::unexpected(Error{{},
                              0,
                              {},
                              QStringLiteral("%1 failed: %2.").arg(program, why.left(200)),
                              QStringLiteral("Check whether slurmctld answers: scontrol ping.")});
}

}  // namespace tutti::launcher
