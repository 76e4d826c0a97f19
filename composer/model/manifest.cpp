// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/manifest.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "composer/model/formula.h"

namespace tutti::composer {

namespace {

const std::vector<std::pair<ParameterKind, QString>>& kindNames() {
  static const std::vector<std::pair<ParameterKind, QString>> names{
      {ParameterKind::Integer, QStringLiteral("int")},
      {ParameterKind::Real, QStringLiteral("real")},
      {ParameterKind::Text, QStringLiteral("text")},
      {ParameterKind::Boolean, QStringLiteral("bool")},
      {ParameterKind::Choice, QStringLiteral("enum")},
      {ParameterKind::Airport, QStringLiteral("airport")},
      {ParameterKind::File, QStringLiteral("file")}};
  return names;
}

constexpr double kLongestDelay = 3600;  ///< s until a component is ready

QString number(double value) { return QString::number(value, 'g', QLocale::FloatingPointShortest); }

/// Up to `most` of the choices, those first whose beginning is most like what was typed.
QStringList likest(QStringList choices, const QString& typed, qsizetype most) {
  const auto common = [&typed](const QString& choice) {
    const qsizetype length = std::min(choice.size(), typed.size());
    qsizetype same = 0;
    while (same < length && choice[same] == typed[same]) ++same;
    return same;
  };
  std::stable_sort(choices.begin(), choices.end(), [&common](const QString& a, const QString& b) {
    return common(a) > common(b);
  });
  return choices.mid(0, most);
}

const QStringList& builtInPlaceholders() {
  static const QStringList names{QStringLiteral("federate"), QStringLiteral("federation"),
                                 QStringLiteral("fom"), QStringLiteral("pace"),
                                 QStringLiteral("component")};
  return names;
}

/// Reads fields of one manifest. The first fault is kept; after it every read returns a default, so
/// that the reading code stays a plain list of fields.
class Reader {
 public:
  explicit Reader(const JsonSource& source) : source_{source} {}

  std::optional<Error> fault;

  void fail(const std::string& pointer, const QString& what, const QString& next = {}) {
    if (!fault) fault = source_.error(pointer, what, next);
  }

  const Json* find(const Json& object, const char* key) const {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }

  QString string(const Json& object, const std::string& at, const char* key,
                 bool required = false) {
    const Json* value = find(object, key);
    if (!value) {
      if (required)
        fail(at, QStringLiteral("\"%1\" is missing.").arg(QLatin1String(key)),
             QStringLiteral("Add it, a text."));
      return {};
    }
    if (!value->is_string()) {
      fail(at + "/" + key, QStringLiteral("\"%1\" is not a text.").arg(QLatin1String(key)),
           QStringLiteral("Put it in quotes."));
      return {};
    }
    const QString result = text(value->get<std::string>());
    if (required && result.trimmed().isEmpty())
      fail(at + "/" + key, QStringLiteral("\"%1\" is empty.").arg(QLatin1String(key)));
    return result;
  }

  QStringList strings(const Json& object, const std::string& at, const char* key) {
    const Json* value = find(object, key);
    if (!value) return {};
    const std::string here = at + "/" + key;
    if (!value->is_array()) {
      fail(here, QStringLiteral("\"%1\" is not a list of texts.").arg(QLatin1String(key)));
      return {};
    }
    return strings(*value, here);
  }

  QStringList strings(const Json& array, const std::string& here) {
    QStringList result;
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (!array[i].is_string()) {
        fail(here + "/" + std::to_string(i), QStringLiteral("This entry is not a text."));
        return {};
      }
      result.append(text(array[i].get<std::string>()));
    }
    return result;
  }

  bool boolean(const Json& object, const std::string& at, const char* key, bool otherwise) {
    const Json* value = find(object, key);
    if (!value) return otherwise;
    if (!value->is_boolean()) {
      fail(at + "/" + key,
           QStringLiteral("\"%1\" is neither true nor false.").arg(QLatin1String(key)));
      return otherwise;
    }
    return value->get<bool>();
  }

  std::optional<double> real(const Json& object, const std::string& at, const char* key) {
    const Json* value = find(object, key);
    if (!value) return std::nullopt;
    if (!value->is_number()) {
      fail(at + "/" + key, QStringLiteral("\"%1\" is not a number.").arg(QLatin1String(key)));
      return std::nullopt;
    }
    return value->get<double>();
  }

  /// A number or a formula, as formula text.
  QString formula(const Json& object, const std::string& at, const char* key,
                  const std::set<QString>& known) {
    const Json* value = find(object, key);
    if (!value) return {};
    const std::string here = at + "/" + key;
    if (value->is_number()) return number(value->get<double>());
    if (!value->is_string()) {
      fail(here,
           QStringLiteral("\"%1\" is neither a number nor a formula.").arg(QLatin1String(key)));
      return {};
    }
    const QString result = text(value->get<std::string>());
    double next = 1.0;
    const auto checked = evaluateFormula(result, [&](const QString& name) -> std::optional<double> {
      if (!known.contains(name)) return std::nullopt;
      return next += 0.1357911131719;
    });
    if (!checked)
      fail(here, checked.error(),
           QStringLiteral("Use numbers and numeric parameters of this component."));
    return result;
  }

  const Json& object(const Json& parent, const std::string& at, const char* key) {
    static const Json empty = Json::object();
    const Json* value = find(parent, key);
    if (!value) return empty;
    if (!value->is_object()) {
      fail(at + "/" + key, QStringLiteral("\"%1\" is not an object.").arg(QLatin1String(key)));
      return empty;
    }
    return *value;
  }

  const Json& array(const Json& parent, const std::string& at, const char* key) {
    static const Json empty = Json::array();
    const Json* value = find(parent, key);
    if (!value) return empty;
    if (!value->is_array()) {
      fail(at + "/" + key, QStringLiteral("\"%1\" is not a list.").arg(QLatin1String(key)));
      return empty;
    }
    return *value;
  }

 private:
  const JsonSource& source_;
};

bool isName(const QString& name) {
  static const QRegularExpression pattern{QStringLiteral("^[A-Za-z][A-Za-z0-9_]*$")};
  return pattern.match(name).hasMatch();
}

Parameter readParameter(Reader& reader, const Json& item, const std::string& at) {
  Parameter parameter;
  if (!item.is_object()) {
    reader.fail(at, QStringLiteral("A parameter is not an object."));
    return parameter;
  }
  parameter.name = reader.string(item, at, "name", true);
  if (!parameter.name.isEmpty() && !isName(parameter.name)) {
    reader.fail(at + "/name", QStringLiteral("\"%1\" is not a parameter name.").arg(parameter.name),
                QStringLiteral("Use a letter, then letters, digits or _."));
  }
  if (builtInPlaceholders().contains(parameter.name)) {
    reader.fail(at + "/name",
                QStringLiteral("\"%1\" is the name of a built-in placeholder.").arg(parameter.name),
                QStringLiteral("Choose another name."));
  }
  parameter.label = reader.string(item, at, "label");
  if (parameter.label.isEmpty()) parameter.label = parameter.name;
  parameter.help = reader.string(item, at, "help");
  parameter.unit = reader.string(item, at, "unit");
  const QString kind = reader.string(item, at, "kind", true);
  const auto& kinds = kindNames();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.second == kind; });
  if (found == kinds.end()) {
    reader.fail(at + "/kind", QStringLiteral("There is no parameter kind \"%1\".").arg(kind),
                QStringLiteral("Use int, real, text, bool, enum, airport or file."));
  } else {
    parameter.kind = found->first;
  }
  parameter.minimum = reader.real(item, at, "min");
  parameter.maximum = reader.real(item, at, "max");
  if (parameter.minimum && parameter.maximum && *parameter.minimum > *parameter.maximum) {
    reader.fail(at + "/min", QStringLiteral("\"min\" is greater than \"max\"."));
  }
  parameter.required = reader.boolean(item, at, "required", false);
  parameter.choices = reader.strings(item, at, "choices");
  if (parameter.kind == ParameterKind::Choice && parameter.choices.isEmpty()) {
    reader.fail(at, QStringLiteral("An enum parameter has no \"choices\"."),
                QStringLiteral("List the values allowed."));
  }
  for (const auto& [key, field] : {std::pair{"default", &parameter.defaultValue},
                                   std::pair{"suggestion", &parameter.suggestion}}) {
    const Json* value = reader.find(item, key);
    if (!value) continue;
    if (const auto fault = parameter.fault(*value)) {
      reader.fail(at + "/" + key, QStringLiteral("\"%1\" of %2 does not fit: %3")
                                      .arg(QLatin1String(key), parameter.name, *fault));
    }
    *field = *value;
  }
  return parameter;
}

void readInterests(Reader& reader, const Json& root, const char* key,
                   const std::set<QString>& known, std::vector<Interest>& result) {
  const Json& block = reader.object(root, "", key);
  const std::string blockAt = std::string{"/"} + key;
  for (const bool isObject : {true, false}) {
    const char* listKey = isObject ? "objects" : "interactions";
    const Json& list = reader.array(block, blockAt, listKey);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string at = blockAt + "/" + listKey + "/" + std::to_string(i);
      Interest interest;
      interest.isObject = isObject;
      if (list[i].is_string()) {
        interest.className = text(list[i].get<std::string>());
      } else if (list[i].is_object()) {
        interest.className = reader.string(list[i], at, "class", true);
        interest.attributes = reader.strings(list[i], at, "attributes");
        interest.rate = reader.formula(list[i], at, "rate", known);
        if (!isObject && !interest.attributes.isEmpty()) {
          reader.fail(at + "/attributes", QStringLiteral("Interactions have no attributes."),
                      QStringLiteral("Remove the list: parameters always travel together."));
        }
      } else {
        reader.fail(at, QStringLiteral("A class is neither a text nor an object."));
      }
      interest.className = qualifiedClassName(interest.className, isObject);
      for (const auto& other : result) {
        if (other.className == interest.className && other.isObject == isObject) {
          reader.fail(at, QStringLiteral("%1 is listed twice.").arg(interest.className));
        }
      }
      result.push_back(interest);
    }
  }
}

CommandTemplate readCommand(Reader& reader, const Json& root,
                            const std::vector<Parameter>& parameters) {
  CommandTemplate command;
  const Json& block = reader.object(root, "", "command");
  if (!reader.find(root, "command")) {
    reader.fail("", QStringLiteral("\"command\" is missing."),
                QStringLiteral("Say which executable starts this component."));
    return command;
  }
  command.executable = reader.string(block, "/command", "executable", true);
  const auto checkPlaceholders = [&](const QString& word, const std::string& at) {
    static const QRegularExpression placeholder{QStringLiteral("\\{([^{}]*)\\}")};
    for (auto match = placeholder.globalMatch(word); match.hasNext();) {
      const QString name = match.next().captured(1);
      const bool known = builtInPlaceholders().contains(name) ||
                         std::any_of(parameters.begin(), parameters.end(),
                                     [&](const Parameter& p) { return p.name == name; });
      if (!known) {
        reader.fail(at, QStringLiteral("The placeholder {%1} names no parameter.").arg(name),
                    QStringLiteral("Declare it under \"parameters\", or use {federate}, "
                                   "{federation}, {fom}, {pace} or {component}."));
      }
    }
  };
  const Json& arguments = reader.array(block, "/command", "arguments");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string at = "/command/arguments/" + std::to_string(i);
    QStringList group;
    if (arguments[i].is_string()) {
      group = {text(arguments[i].get<std::string>())};
    } else if (arguments[i].is_array()) {
      group = reader.strings(arguments[i], at);
    } else {
      reader.fail(at, QStringLiteral("An argument is neither a text nor a list of texts."));
    }
    for (const QString& word : group) checkPlaceholders(word, at);
    command.arguments.push_back(group);
  }
  const Json& environment = reader.object(block, "/command", "environment");
  for (const auto& [key, value] : environment.items()) {
    const std::string at = "/command/environment/" + pointerToken(key);
    if (!value.is_string()) {
      reader.fail(at,
                  QStringLiteral("The environment variable \"%1\" is not a text.").arg(text(key)));
      continue;
    }
    command.environment[text(key)] = text(value.get<std::string>());
    checkPlaceholders(text(value.get<std::string>()), at);
  }
  return command;
}

ReadyCondition readReady(Reader& reader, const Json& root, const std::set<QString>& known) {
  ReadyCondition ready;
  const Json& block = reader.object(root, "", "ready");
  if (block.empty()) return ready;
  const QString when = reader.string(block, "/ready", "when", true);
  if (when == QStringLiteral("started")) {
    ready.kind = ReadyCondition::Kind::Started;
  } else if (when == QStringLiteral("joined")) {
    ready.kind = ReadyCondition::Kind::Joined;
  } else if (when == QStringLiteral("synchronized")) {
    ready.kind = ReadyCondition::Kind::SynchronizationPoint;
    ready.detail = reader.string(block, "/ready", "point", true);
  } else if (when == QStringLiteral("output")) {
    ready.kind = ReadyCondition::Kind::Output;
    ready.detail = reader.string(block, "/ready", "text", true);
  } else if (when == QStringLiteral("port")) {
    ready.kind = ReadyCondition::Kind::Port;
    ready.detail = reader.formula(block, "/ready", "port", known);
    if (ready.detail.isEmpty()) {
      reader.fail("/ready", QStringLiteral("\"port\" is missing."),
                  QStringLiteral("Add the number of a TCP port, or a formula of parameters."));
    }
  } else if (when == QStringLiteral("delay")) {
    ready.kind = ReadyCondition::Kind::Delay;
    ready.seconds = reader.real(block, "/ready", "seconds").value_or(-1);
    if (!(ready.seconds >= 0 && ready.seconds <= kLongestDelay)) {
      reader.fail("/ready", QStringLiteral("\"seconds\" is not a number from 0 to 3600."),
                  QStringLiteral("Say after how many seconds it is ready."));
    }
  } else {
    reader.fail("/ready/when", QStringLiteral("There is no ready condition \"%1\".").arg(when),
                QStringLiteral("Use started, joined, synchronized (with \"point\"), output (with "
                               "\"text\"), port (with "
                               "\"port\") or delay (with \"seconds\")."));
  }
  return ready;
}

}  // namespace

QString parameterKindName(ParameterKind kind) {
  for (const auto& [value, name] : kindNames()) {
    if (value == kind) return name;
  }
  return {};
}

QString Parameter::requirement() const {
  const QString space = unit.isEmpty() ? QString{} : u' ' + unit;
  const QString whole =
      kind == ParameterKind::Integer ? QStringLiteral("a whole number ") : QString{};
  if (kind == ParameterKind::Integer || kind == ParameterKind::Real) {
    if (minimum && maximum) {
      return QStringLiteral("Needs %1%2 to %3%4")
          .arg(whole, number(*minimum), number(*maximum), space);
    }
    if (minimum)
      return QStringLiteral("Needs %1of at least %2%3")
          .arg(whole.isEmpty() ? QStringLiteral("a number ") : whole, number(*minimum), space);
    if (maximum)
      return QStringLiteral("Needs %1of at most %2%3")
          .arg(whole.isEmpty() ? QStringLiteral("a number ") : whole, number(*maximum), space);
    return whole.isEmpty() ? QStringLiteral("Needs a number")
                           : QStringLiteral("Needs a whole number");
  }
  switch (kind) {
    case ParameterKind::Boolean:
      return QStringLiteral("Needs true or false");
    case ParameterKind::Choice:
      return QStringLiteral("Needs one of %1").arg(choices.join(QStringLiteral(", ")));
    case ParameterKind::Airport:
      return QStringLiteral("Needs an airport, as its four-letter ICAO code");
    case ParameterKind::File:
      return QStringLiteral("Needs the path of a file");
    default:
      return QStringLiteral("Needs a text");
  }
}

std::optional<QString> Parameter::fault(const Json& value) const {
  const auto wrong = [&] { return std::optional<QString>{requirement() + u'.'}; };
  switch (kind) {
    case ParameterKind::Integer:
      if (!value.is_number_integer()) return wrong();
      [[fallthrough]];
    case ParameterKind::Real: {
      if (!value.is_number()) return wrong();
      const double number = value.get<double>();
      if (!std::isfinite(number)) return wrong();
      if ((minimum && number < *minimum) || (maximum && number > *maximum)) return wrong();
      return std::nullopt;
    }
    case ParameterKind::Boolean:
      return value.is_boolean() ? std::nullopt : wrong();
    case ParameterKind::Choice:
      return value.is_string() && choices.contains(composer::text(value.get<std::string>()))
                 ? std::nullopt
                 : wrong();
    case ParameterKind::Airport: {
      static const QRegularExpression code{QStringLiteral("^[A-Z]{4}$")};
      if (!value.is_string()) return wrong();
      const QString airport = composer::text(value.get<std::string>());
      if (!code.match(airport).hasMatch()) return wrong();
      if (!choices.isEmpty() && !choices.contains(airport)) {
        return QStringLiteral("The airport %1 is not known to this component, which knows %2 of "
                              "them, such as %3.")
            .arg(airport)
            .arg(choices.size())
            .arg(likest(choices, airport, 4).join(QStringLiteral(", ")));
      }
      return std::nullopt;
    }
    case ParameterKind::Text:
    case ParameterKind::File:
      if (!value.is_string() || (required && value.get<std::string>().empty())) return wrong();
      return std::nullopt;
  }
  return wrong();
}

tl::expected<Json, QString> Parameter::parse(const QString& typed) const {
  Json value;
  bool ok = true;
  const QString trimmed = typed.trimmed();
  switch (kind) {
    case ParameterKind::Integer: {
      const qlonglong integer = trimmed.toLongLong(&ok);
      if (ok) value = integer;
      break;
    }
    case ParameterKind::Real: {
      const double real = trimmed.toDouble(&ok);
      if (ok) value = real;
      break;
    }
    case ParameterKind::Boolean:
      ok = trimmed == QStringLiteral("true") || trimmed == QStringLiteral("false");
      value = trimmed == QStringLiteral("true");
      break;
    case ParameterKind::Airport:
      value = trimmed.toUpper().toStdString();
      break;
    case ParameterKind::Choice:
      value = trimmed.toStdString();
      break;
    case ParameterKind::Text:
    case ParameterKind::File:
      value = typed.toStdString();
      break;
  }
  if (!ok) return tl::unexpected(requirement() + u'.');
  if (const auto why = fault(value)) return tl::unexpected(*why);
  return value;
}

QString Parameter::textOf(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return composer::text(value.get<std::string>());
  return composer::text(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

QString Interest::shortName() const { return className.mid(className.lastIndexOf(u'.') + 1); }

QString ReadyCondition::description() const {
  switch (kind) {
    case Kind::Started:
      return QStringLiteral("started");
    case Kind::Joined:
      return QStringLiteral("joined");
    case Kind::SynchronizationPoint:
      return QStringLiteral("joined, then \"%1\" achieved").arg(detail);
    case Kind::Output:
      return QStringLiteral("it prints \"%1\"").arg(detail);
    case Kind::Port:
      return QStringLiteral("it accepts at port %1").arg(detail);
    case Kind::Delay:
      return QStringLiteral("%1 s after its start").arg(number(seconds));
  }
  return {};
}

QString qualifiedClassName(const QString& name, bool isObject) {
  const QString root =
      isObject ? QStringLiteral("HLAobjectRoot") : QStringLiteral("HLAinteractionRoot");
  if (name.isEmpty() || name == root || name.startsWith(root + u'.')) return name;
  return root + u'.' + name;
}

tl::expected<Manifest, Error> Manifest::read(const QString& file) {
  return JsonSource::read(file).and_then(&Manifest::fromSource);
}

tl::expected<Manifest, Error> Manifest::fromSource(const JsonSource& source) {
  Reader reader{source};
  Manifest manifest;
  const Json& root = source.root();
  if (!root.is_object())
    return tl::unexpected(source.error("", QStringLiteral("A manifest is a JSON object.")));
  manifest.file = source.file();
  manifest.folder = QFileInfo{source.file()}.absolutePath();
  manifest.id = reader.string(root, "", "id", true);
  static const QRegularExpression idPattern{QStringLiteral("^[a-z0-9][a-z0-9._-]*$")};
  if (!manifest.id.isEmpty() && !idPattern.match(manifest.id).hasMatch()) {
    reader.fail("/id", QStringLiteral("\"%1\" cannot be a component's id.").arg(manifest.id),
                QStringLiteral("Use lower case letters, digits, '-', '_' and '.'."));
  }
  manifest.version = reader.string(root, "", "version", true);
  manifest.name = reader.string(root, "", "name");
  if (manifest.name.isEmpty()) manifest.name = manifest.id;
  manifest.summary = reader.string(root, "", "summary");
  manifest.category = reader.string(root, "", "category");
  manifest.tags = reader.strings(root, "", "tags");
  manifest.icon = reader.string(root, "", "icon");
  const QDir folder{manifest.folder};
  if (!manifest.icon.isEmpty() && QFileInfo{folder.filePath(manifest.icon)}.isFile()) {
    manifest.icon = QDir::cleanPath(folder.absoluteFilePath(manifest.icon));
  }
  manifest.api = reader.string(root, "", "api");

  std::set<QString> numeric;
  const Json& parameters = reader.array(root, "", "parameters");
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string at = "/parameters/" + std::to_string(i);
    Parameter parameter = readParameter(reader, parameters[i], at);
    if (manifest.parameter(parameter.name)) {
      reader.fail(at + "/name",
                  QStringLiteral("The parameter \"%1\" is declared twice.").arg(parameter.name));
    }
    if (parameter.kind == ParameterKind::Integer || parameter.kind == ParameterKind::Real)
      numeric.insert(parameter.name);
    manifest.parameters.push_back(std::move(parameter));
  }
  manifest.command = readCommand(reader, root, manifest.parameters);
  for (const QString& module : reader.strings(root, "", "fom")) {
    manifest.fomModules.append(QDir::cleanPath(folder.absoluteFilePath(module)));
  }
  readInterests(reader, root, "publishes", numeric, manifest.publishes);
  readInterests(reader, root, "subscribes", numeric, manifest.subscribes);

  const Json& time = reader.object(root, "", "time");
  manifest.time.regulating = reader.boolean(time, "/time", "regulating", false);
  manifest.time.constrained = reader.boolean(time, "/time", "constrained", false);
  manifest.time.lookahead = reader.formula(time, "/time", "lookahead", numeric);
  manifest.time.timeType = reader.string(time, "/time", "type");
  if (manifest.time.managed() && manifest.time.timeType.isEmpty()) {
    reader.fail("/time", QStringLiteral("A time-managed component names no time type."),
                QStringLiteral("Add \"type\", for example \"HLAfloat64Time\"."));
  }
  if (manifest.time.regulating && manifest.time.lookahead.isEmpty()) {
    reader.fail("/time", QStringLiteral("A regulating component has no lookahead."),
                QStringLiteral("Add \"lookahead\", a number or a formula; 0 is allowed."));
  }

  const Json& resources = reader.object(root, "", "resources");
  manifest.resources.cores = reader.real(resources, "/resources", "cores").value_or(1.0);
  manifest.resources.memory = reader.real(resources, "/resources", "memory").value_or(0.0);
  manifest.resources.labels = reader.strings(resources, "/resources", "labels");
  if (manifest.resources.cores < 0.0 || manifest.resources.memory < 0.0) {
    reader.fail("/resources", QStringLiteral("A need is negative."));
  }
  manifest.ready = readReady(reader, root, numeric);
  manifest.abilities = reader.strings(root, "", "abilities");
  if (reader.fault) return tl::unexpected(*reader.fault);
  return manifest;
}

const Parameter* Manifest::parameter(const QString& parameterName) const {
  for (const auto& candidate : parameters) {
    if (candidate.name == parameterName) return &candidate;
  }
  return nullptr;
}

Json Manifest::effectiveValue(const QString& parameterName, const ParameterValues& own) const {
  if (const auto found = own.find(parameterName); found != own.end() && !found->second.is_null())
    return found->second;
  const Parameter* known = parameter(parameterName);
  return known ? known->defaultValue : Json{};
}

std::optional<double> Manifest::formula(const QString& formulaText,
                                        const ParameterValues& own) const {
  if (formulaText.isEmpty()) return std::nullopt;
  const auto value =
      evaluateFormula(formulaText, [&](const QString& parameterName) -> std::optional<double> {
        const Json found = effectiveValue(parameterName, own);
        if (!found.is_number()) return std::nullopt;
        return found.get<double>();
      });
  if (!value) return std::nullopt;
  return *value;
}

QString Manifest::flowSummary() const {
  const auto names = [](const std::vector<Interest>& interests) {
    QStringList result;
    for (const auto& interest : interests) result.append(interest.shortName());
    return result.join(QStringLiteral(", "));
  };
  const QString in = names(subscribes);
  const QString out = names(publishes);
  if (in.isEmpty() && out.isEmpty()) return QStringLiteral("exchanges nothing");
  if (in.isEmpty()) return QStringLiteral("publishes %1").arg(out);
  const bool everything = in == QStringLiteral("HLAobjectRoot") ||
                          in == QStringLiteral("HLAinteractionRoot") ||
                          in == QStringLiteral("HLAobjectRoot, HLAinteractionRoot");
  const QString input =
      everything ? QStringLiteral("any class in") : QStringLiteral("%1 in").arg(in);
  return out.isEmpty() ? input : QStringLiteral("%1, %2 out").arg(input, out);
}

}  // namespace tutti::composer
