// SPDX-License-Identifier: GPL-3.0-or-later
// Manifests of components (component.json), their parameters and formulas.
#include "composer/model/manifest.h"

#include "composer/model/json_source.h"
#include "target.h"

namespace tutti::fuzz {

namespace {
Landmark json("a JSON document was read");
Landmark read("a manifest was read");
Landmark computed("a formula of a manifest had a value");
Landmark faulty("a default value was found to be unacceptable, or an own one");
}  // namespace

void target(Input input) {
  const QByteArray bytes(textOf(input).data(), static_cast<qsizetype>(input.size()));
  const auto source = composer::JsonSource::parse(bytes, QStringLiteral("/fuzzed/component.json"));
  if (!source) {
    require(!source.error().what.isEmpty(), "an error says what is wrong");
    return;
  }
  json.reach();
  const auto manifest = composer::Manifest::fromSource(*source);
  if (!manifest) {
    require(!manifest.error().what.isEmpty(), "an error says what is wrong");
    return;
  }
  read.reach();
  composer::ParameterValues own;
  for (const auto& parameter : manifest->parameters) {
    static_cast<void>(parameter.requirement());
    for (const char* typed : {"", "-3", "2.5e300", "true", "EDDF"}) {
      if (const auto value = parameter.parse(QString::fromUtf8(typed))) {
        own[parameter.name] = *value;
        if (parameter.fault(*value)) faulty.reach();
        static_cast<void>(composer::Parameter::textOf(*value));
      } else {
        faulty.reach();
      }
    }
  }
  for (const auto* interests : {&manifest->publishes, &manifest->subscribes}) {
    for (const auto& interest : *interests) {
      if (manifest->formula(interest.rate, own)) computed.reach();
      static_cast<void>(interest.shortName());
    }
  }
  static_cast<void>(manifest->formula(manifest->time.lookahead, own));
  static_cast<void>(manifest->flowSummary());
  static_cast<void>(manifest->ready.description());
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> list;
  for (const char* name : {"ping", "pong", "conflict-detector", "clutter", "radar",
                           "aircraft-flow"}) {
    list.push_back(fileContent("resources/components/" + std::string(name) + "/component.json"));
  }
  return list;
}

}  // namespace tutti::fuzz
