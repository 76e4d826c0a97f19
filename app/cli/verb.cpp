// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verb.h"

#include <algorithm>
#include <utility>

namespace tutti::app {

namespace {

std::vector<Verb>& registry() {
  static std::vector<Verb> verbs;
  return verbs;
}

}  // namespace

RegisterVerb::RegisterVerb(Verb verb) {
  auto& all = registry();
  const auto place = std::lower_bound(all.begin(), all.end(), verb,
                                      [](const Verb& a, const Verb& b) { return a.name < b.name; });
  all.insert(place, std::move(verb));
}

const std::vector<Verb>& verbs() { return registry(); }

const Verb* findVerb(const QString& name) {
  for (const Verb& verb : registry()) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

int Invocation::usage(const QString& verb, const QString& message) const {
  if (json) {
    print({{"error", message.toStdString()}});
  } else {
    err << "tutti " << verb << ": " << message << Qt::endl;
    if (const Verb* known = findVerb(verb))
      err << "usage: tutti " << known->name << ' ' << known->arguments << Qt::endl;
  }
  return Usage;
}

int Invocation::fail(const QString& why, ExitCode code) const {
  if (json)
    print({{"error", why.toStdString()}});
  else
    err << why << Qt::endl;
  return code;
}

void Invocation::print(const nlohmann::json& value) const {
  out << QString::fromStdString(value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace))
      << Qt::endl;
}

std::optional<QString> Invocation::takeOption(const QString& name) {
  const QString prefix = name + u'=';
  for (qsizetype i = 0; i < arguments.size(); ++i) {
    if (arguments[i].startsWith(prefix)) return arguments.takeAt(i).mid(prefix.size());
    if (arguments[i] != name) continue;
    arguments.removeAt(i);
    return i < arguments.size() ? arguments.takeAt(i) : QString{};
  }
  return std::nullopt;
}

bool Invocation::takeFlag(const QString& name) { return arguments.removeAll(name) > 0; }

}  // namespace tutti::app
