// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/composition.h"

#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>

#include "composer/model/json_fields.h"

namespace tutti::composer {

namespace {

constexpr int kFormat = 1;
constexpr int kMaximumCount = 1000;
constexpr int kMaximumRestarts = 1000;
constexpr double kLongestBackoff = 60;

Json pointJson(const QPointF& point) {
  return Json{{"x", std::llround(point.x())}, {"y", std::llround(point.y())}};
}

/// What a policy of "never" says beyond that word has no effect and is not kept.
Restart readRestart(Fields fields, Json& extra) {
  Restart restart;
  const QString word = fields.string("when", restart.word());
  restart.limit = fields.integer("limit", restart.limit, 1, kMaximumRestarts);
  restart.backoff = fields.real("backoff", restart.backoff, 0, kLongestBackoff);
  const auto when = Restart::whenOf(word);
  if (!when) {
    fields.fail("when", QStringLiteral("\"%1\" is no restart policy.").arg(word),
                QStringLiteral("Write never, on-failure or always."));
  }
  restart.when = when.value_or(Restart::When::Never);
  if (Json rest = fields.rest(); !rest.empty()) extra["restart"] = std::move(rest);
  return restart.when == Restart::When::Never ? Restart{} : restart;
}

/// A whole number is written without a decimal point, as a person writes it.
Json numberJson(double value) {
  constexpr double greatestExact = 9007199254740992;  // 2^53
  if (value == std::floor(value) && value < greatestExact) return static_cast<std::int64_t>(value);
  return value;
}

OwnResources readResources(Fields fields, Json& extra) {
  OwnResources resources;
  resources.cores = fields.notNegative("cores");
  resources.memory = fields.notNegative("memory");
  resources.labels = fields.strings("labels");
  for (const QString& label : std::as_const(resources.labels)) {
    if (label.trimmed().isEmpty())
      fields.fail("labels", QStringLiteral("A label is empty."),
                  QStringLiteral("Name it, or take it out."));
  }
  if (Json rest = fields.rest(); !rest.empty()) extra["resources"] = std::move(rest);
  return resources;
}

Federate readFederate(Fields fields, const QString& id, const JsonSource& source,
                      std::optional<Error>& fault) {
  Federate federate;
  federate.id = id;
  federate.component = fields.string("component");
  if (federate.component.isEmpty()) {
    fields.fail("", QStringLiteral("The federate \"%1\" names no component.").arg(id),
                QStringLiteral("Add \"component\", the id of one."));
  }
  federate.version = fields.string("version");
  federate.name = fields.string("name", id);
  federate.count = fields.integer("count", 1, 1, kMaximumCount);
  federate.enabled = fields.boolean("enabled", true);
  federate.required = fields.boolean("required", true);
  federate.startOrder = fields.integer("startOrder", 0, -1000, 1000);
  federate.waitsFor = fields.strings("waitsFor");
  federate.host = fields.string("host");
  federate.pinned = fields.boolean("pinned", false);
  federate.apart = fields.strings("apart");
  federate.group = fields.string("group");
  federate.position = fields.point("position");
  if (const auto parameters = fields.take("parameters")) {
    if (!parameters->is_object()) {
      fields.fail("parameters", QStringLiteral("\"parameters\" is not an object."));
    } else {
      for (const auto& [key, value] : parameters->items()) {
        if (value.is_structured()) {
          fields.fail(("parameters/" + pointerToken(key)).c_str(),
                      QStringLiteral("The value of a parameter is a list or an object."));
        }
        federate.parameters[text(key)] = value;
      }
    }
  }
  Json nestedExtra = Json::object();
  if (const auto resources = fields.take("resources")) {
    if (!resources->is_object()) {
      fields.fail("resources", QStringLiteral("\"resources\" is not an object."),
                  QStringLiteral("Write it as {\"cores\": 2, \"memory\": 500}."));
    } else {
      federate.resources =
          readResources(Fields{source, *resources, fields.at() + "/resources", fault}, nestedExtra);
    }
  }
  if (const auto restart = fields.take("restart")) {
    if (!restart->is_object()) {
      fields.fail("restart", QStringLiteral("\"restart\" is not an object."),
                  QStringLiteral("Write it as {\"when\": \"on-failure\"}."));
    } else {
      federate.restart =
          readRestart(Fields{source, *restart, fields.at() + "/restart", fault}, nestedExtra);
    }
  }
  federate.extra = fields.rest();
  federate.extra.update(nestedExtra);
  return federate;
}

Json federateJson(const Federate& federate) {
  Json json = federate.extra;
  json["component"] = federate.component.toStdString();
  if (!federate.version.isEmpty()) json["version"] = federate.version.toStdString();
  json["name"] = federate.name.toStdString();
  if (federate.count != 1) json["count"] = federate.count;
  if (!federate.enabled) json["enabled"] = false;
  if (!federate.required) json["required"] = false;
  if (const Restart& restart = federate.restart; restart.when != Restart::When::Never) {
    json["restart"]["when"] = restart.word().toStdString();
    if (restart.limit != Restart{}.limit) json["restart"]["limit"] = restart.limit;
    if (restart.backoff != Restart{}.backoff) json["restart"]["backoff"] = restart.backoff;
  }
  if (const OwnResources& own = federate.resources; !own.isEmpty()) {
    if (own.cores) json["resources"]["cores"] = numberJson(*own.cores);
    if (own.memory) json["resources"]["memory"] = numberJson(*own.memory);
    if (!own.labels.isEmpty()) json["resources"]["labels"] = stringsJson(own.labels);
  }
  if (federate.startOrder != 0) json["startOrder"] = federate.startOrder;
  if (!federate.waitsFor.isEmpty()) json["waitsFor"] = stringsJson(federate.waitsFor);
  if (!federate.host.isEmpty()) json["host"] = federate.host.toStdString();
  if (federate.pinned) json["pinned"] = true;
  if (!federate.apart.isEmpty()) json["apart"] = stringsJson(federate.apart);
  if (!federate.group.isEmpty()) json["group"] = federate.group.toStdString();
  json["position"] = pointJson(federate.position);
  if (!federate.parameters.empty()) {
    Json& parameters = json["parameters"] = Json::object();
    for (const auto& [name, value] : federate.parameters) parameters[name.toStdString()] = value;
  }
  return json;
}

QString slug(const QString& name, const QString& otherwise) {
  static const QRegularExpression others{QStringLiteral("[^a-z0-9]+")};
  QString result = name.toLower().replace(others, QStringLiteral("-"));
  while (result.startsWith(u'-')) result.remove(0, 1);
  while (result.endsWith(u'-')) result.chop(1);
  return result.isEmpty() ? otherwise : result.left(40);
}

template <typename Taken>
QString numbered(const QString& base, Taken&& isTaken) {
  if (!isTaken(base)) return base;
  for (int i = 2;; ++i) {
    const QString candidate = base + u'-' + QString::number(i);
    if (!isTaken(candidate)) return candidate;
  }
}

}  // namespace

std::optional<Restart::When> Restart::whenOf(const QString& word) {
  for (const When when : {When::Never, When::OnFailure, When::Always}) {
    if (word == Restart{when}.word()) return when;
  }
  return std::nullopt;
}

QString Restart::word() const {
  switch (when) {
    case When::Never:
      return QStringLiteral("never");
    case When::OnFailure:
      return QStringLiteral("on-failure");
    case When::Always:
      return QStringLiteral("always");
  }
  return {};
}

QStringList Federate::instanceNames() const {
  if (count <= 1) return {name};
  QStringList names;
  for (int i = 1; i <= count; ++i) names.append(name + u'-' + QString::number(i));
  return names;
}

Resources Federate::needs(const Manifest* manifest) const {
  Resources needs = manifest == nullptr ? Resources{} : manifest->resources;
  needs.cores = resources.cores.value_or(needs.cores);
  needs.memory = resources.memory.value_or(needs.memory);
  needs.labels += resources.labels;
  needs.labels.removeDuplicates();
  return needs;
}

tl::expected<Composition, Error> Composition::load(const QString& file) {
  return JsonSource::read(file).and_then(&Composition::fromSource);
}

tl::expected<Composition, Error> Composition::fromSource(const JsonSource& source) {
  Composition composition;
  std::optional<Error> fault;
  Fields root{source, source.root(), "", fault};
  const int format = root.integer("format", kFormat, 1, 1000000);
  if (!fault && format > kFormat) {
    root.fail("format",
              QStringLiteral("This composition has format %1; this version reads up to %2.")
                  .arg(format)
                  .arg(kFormat),
              QStringLiteral("Open it with a newer version."));
  }
  Settings& settings = composition.settings;
  settings.federation = root.string("federation");
  if (settings.federation.trimmed().isEmpty()) {
    root.fail("",
              QStringLiteral("\"federation\" is missing, the name of the federation execution."),
              QStringLiteral("Add it, a text."));
  }
  settings.fomModules = root.strings("fomModules");
  settings.pace = root.notNegative("pace").value_or(1.0);
  if (auto stop = root.take("stop")) {
    Fields fields{source, *stop, "/stop", fault};
    settings.stopAfter = fields.notNegative("elapsed");
    settings.stopAtLogicalTime = fields.notNegative("logicalTime");
    if (Json rest = fields.rest(); !rest.empty()) settings.extra["stop"] = std::move(rest);
  }
  settings.architecture = root.string("architecture");
  const auto isKnown = [&](const Architecture& one) {
    return settings.architecture == QLatin1String(one.name);
  };
  if (!settings.architecture.isEmpty() &&
      std::none_of(std::begin(architectures), std::end(architectures), isKnown)) {
    root.fail("architecture",
              QStringLiteral("\"%1\" is no architecture.").arg(settings.architecture),
              QStringLiteral("Write decentralized, federated or centralized."));
  }
  if (auto hubs = root.take("hubs")) {
    if (!hubs->is_object()) {
      root.fail("hubs", QStringLiteral("\"hubs\" is not an object."));
    } else {
      Fields fields{source, *hubs, "/hubs", fault};
      for (const auto& [key, value] : hubs->items())
        settings.hubPositions[text(key)] = fields.point(key.c_str());
    }
  }
  if (auto groups = root.take("groups")) {
    if (!groups->is_object()) {
      root.fail("groups", QStringLiteral("\"groups\" is not an object."),
                QStringLiteral("Write it as {\"id\": {\"name\": ...}}."));
    } else {
      for (const auto& [key, value] : groups->items()) {
        Fields fields{source, value, "/groups/" + pointerToken(key), fault};
        Group group;
        group.id = text(key);
        group.name = fields.string("name", group.id);
        group.collapsed = fields.boolean("collapsed", false);
        group.extra = fields.rest();
        composition.groups.emplace(group.id, std::move(group));
      }
    }
  }
  if (auto federates = root.take("federates")) {
    if (!federates->is_object()) {
      root.fail("federates", QStringLiteral("\"federates\" is not an object."),
                QStringLiteral("Write it as {\"id\": {\"component\": ...}}."));
    } else {
      for (const auto& [key, value] : federates->items()) {
        composition.federates.emplace(
            text(key), readFederate(Fields{source, value, "/federates/" + pointerToken(key), fault},
                                    text(key), source, fault));
      }
    }
  }
  Json rest = root.rest();
  for (auto& [key, value] : rest.items()) settings.extra[key] = std::move(value);
  if (fault) return tl::unexpected(*fault);
  return composition;
}

QByteArray Composition::toBytes() const {
  Json json = settings.extra;
  json["format"] = kFormat;
  json["federation"] = settings.federation.toStdString();
  if (!settings.fomModules.isEmpty()) json["fomModules"] = stringsJson(settings.fomModules);
  if (settings.pace != 1.0) json["pace"] = settings.pace;
  if (!settings.architecture.isEmpty()) {
    json["architecture"] = settings.architecture.toStdString();
  }
  if (settings.stopAfter) json["stop"]["elapsed"] = *settings.stopAfter;
  if (settings.stopAtLogicalTime) json["stop"]["logicalTime"] = *settings.stopAtLogicalTime;
  for (const auto& [name, position] : settings.hubPositions)
    json["hubs"][name.toStdString()] = pointJson(position);
  for (const auto& [id, group] : groups) {
    Json item = group.extra;
    item["name"] = group.name.toStdString();
    if (group.collapsed) item["collapsed"] = true;
    json["groups"][id.toStdString()] = std::move(item);
  }
  json["federates"] = Json::object();
  for (const auto& [id, federate] : federates)
    json["federates"][id.toStdString()] = federateJson(federate);
  return canonicalBytes(json);
}

tl::expected<void, Error> Composition::save(const QString& file) const {
  return replaceFile(file, toBytes());
}

std::vector<const Federate*> Composition::inStartOrder() const {
  std::vector<const Federate*> result;
  result.reserve(federates.size());
  for (const auto& [id, federate] : federates) result.push_back(&federate);
  std::sort(result.begin(), result.end(), [](const Federate* a, const Federate* b) {
    return std::tie(a->startOrder, a->name, a->id) < std::tie(b->startOrder, b->name, b->id);
  });
  return result;
}

const Federate* Composition::find(const QString& id) const {
  const auto found = federates.find(id);
  return found == federates.end() ? nullptr : &found->second;
}

const Federate* Composition::findByName(const QString& name) const {
  for (const auto& [id, federate] : federates) {
    if (federate.name == name) return &federate;
  }
  return nullptr;
}

QString Composition::freeFederateId(const QString& name) const {
  return numbered(slug(name, QStringLiteral("federate")),
                  [&](const QString& id) { return federates.contains(id); });
}

QString Composition::freeGroupId(const QString& name) const {
  return numbered(slug(name, QStringLiteral("group")),
                  [&](const QString& id) { return groups.contains(id); });
}

QString Composition::freeName(const QString& base) const {
  std::set<QString> taken;
  for (const auto& [id, federate] : federates) {
    taken.insert(federate.name);
    for (const QString& name : federate.instanceNames()) taken.insert(name);
  }
  return numbered(base, [&](const QString& name) { return taken.contains(name); });
}

}  // namespace tutti::composer
