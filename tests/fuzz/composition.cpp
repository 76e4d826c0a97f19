// SPDX-License-Identifier: GPL-3.0-or-later
// Composition documents (*.federation.json): reading, and that what was read is written and read
// again as the same.
#include "composer/model/composition.h"

#include "composer/model/json_source.h"
#include "target.h"

namespace tutti::fuzz {

namespace {
Landmark json("a JSON document was read");
Landmark read("a composition was read");
Landmark federates("a composition with federates was written and read again");
}  // namespace

void target(Input input) {
  const QByteArray bytes(textOf(input).data(), static_cast<qsizetype>(input.size()));
  const auto source = composer::JsonSource::parse(bytes, QStringLiteral("fuzzed.federation.json"));
  if (!source) {
    require(!source.error().what.isEmpty(), "an error says what is wrong");
    return;
  }
  json.reach();
  const auto composition = composer::Composition::fromSource(*source);
  if (!composition) {
    require(!composition.error().what.isEmpty(), "an error says what is wrong");
    return;
  }
  read.reach();
  const QByteArray written = composition->toBytes();
  const auto again = composer::JsonSource::parse(written, QStringLiteral("written"));
  require(again.has_value(), "what was written is JSON");
  const auto same = composer::Composition::fromSource(*again);
  require(same.has_value(),
          same ? std::string()
               : "what was written can be read: " + same.error().message().toStdString());
  require(same->toBytes() == written, "what was read is written the same");
  if (!composition->federates.empty()) federates.reach();
  for (const auto* federate : composition->inStartOrder()) {
    require(!federate->instanceNames().isEmpty(), "a federate has an instance");
    static_cast<void>(composition->freeName(federate->name));
    static_cast<void>(composition->freeFederateId(federate->name));
  }
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> list;
  for (const char* name : {"city-clutter", "air-traffic", "ping-pong"}) {
    list.push_back(
        fileContent("resources/federations/" + std::string(name) + ".federation.json"));
  }
  return list;
}

}  // namespace tutti::fuzz
