// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/composition.h"

#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

namespace tutti::composer {

namespace {

constexpr int kFormat = 1;
constexpr int kMaximumCount = 1000;

/// Takes known keys out of a copy of an object; what is left over at the end is what this version
/// does not know.
class Fields {
 public:
  Fields(const JsonSource& source, const Json& object, std::string at, std::optional<Error>& fault)
      : source_{source}, left_(object), at_{std::move(at)}, fault_{fault} {
    if (!object.is_object()) {
      fail("", QStringLiteral("This is not an object."));
      left_ = Json::object();
    }
  }

  std::optional<Json> take(const char* key) {
    const auto found = left_.find(key);
    if (found == left_.end()) return std::nullopt;
    Json value = std::move(*found);
    left_.erase(found);
    return value;
  }
  QString string(const char* key, const QString& otherwise = {}) {
    const auto value = take(key);
    if (!value) return otherwise;
    if (!value->is_string())
      return fail(key, QStringLiteral("\"%1\" is not a text.").arg(QLatin1String(key))), otherwise;
    return text(value->get<std::string>());
  }
  bool boolean(const char* key, bool otherwise) {
    const auto value = take(key);
    if (!value) return otherwise;
    if (!value->is_boolean())
      return fail(key, QStringLiteral("\"%1\" is neither true nor false.").arg(QLatin1String(key))),
             otherwise;
    return value->get<bool>();
  }
  int integer(const char* key, int otherwise, int least, int greatest) {
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
  std::optional<double> notNegative(const char* key) {
    const auto value = take(key);
    if (!value || value->is_null()) return std::nullopt;
    if (!value->is_number() || value->get<double>() < 0.0) {
      fail(key, QStringLiteral("\"%1\" is not a number of at least 0.").arg(QLatin1String(key)));
      return std::nullopt;
    }
    return value->get<double>();
  }
  QStringList strings(const char* key) {
    const auto value = take(key);
    QStringList result;
    if (!value) return result;
    if (!value->is_array())
      return fail(key, QStringLiteral("\"%1\" is not a list of texts.").arg(QLatin1String(key))),
             result;
    for (const Json& item : *value) {
      if (!item.is_string())
        return fail(key, QStringLiteral("\"%1\" is not a list of texts.").arg(QLatin1String(key))),
               result;
      result.append(text(item.get<std::string>()));
    }
    return result;
  }
  QPointF point(const char* key) {
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
  Json rest() { return std::move(left_); }
  const std::string& at() const { return at_; }

  void fail(const char* key, const QString& what, const QString& next = {}) {
    const std::string pointer = *key ? at_ + "/" + key : at_;
    if (!fault_) fault_ = source_.error(pointer, what, next);
  }

 private:
  const JsonSource& source_;
  Json left_;
  std::string at_;
  std::optional<Error>& fault_;
};

Json pointJson(const QPointF& point) {
  return Json{{"x", std::llround(point.x())}, {"y", std::llround(point.y())}};
}

Json stringsJson(const QStringList& strings) {
  Json result = Json::array();
  for (const QString& string : strings) result.push_back(string.toStdString());
  return result;
}

Federate readFederate(Fields fields, const QString& id) {
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
  federate.extra = fields.rest();
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
  if (federate.startOrder != 0) json["startOrder"] = federate.startOrder;
  if (!federate.waitsFor.isEmpty()) json["waitsFor"] = stringsJson(federate.waitsFor);
  if (!federate.host.isEmpty()) json["host"] = federate.host.toStdString();
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

QStringList Federate::instanceNames() const {
  if (count <= 1) return {name};
  QStringList names;
  for (int i = 1; i <= count; ++i) names.append(name + u'-' + QString::number(i));
  return names;
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
                                    text(key)));
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
