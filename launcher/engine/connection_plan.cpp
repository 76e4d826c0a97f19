// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/connection_plan.h"

#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "composer/model/composition.h"

namespace tutti::launcher {

namespace {

using composer::Error;
using composer::Json;
using composer::JsonSource;
using composer::pointerToken;
using Transport = ConnectionPlan::Transport;

constexpr int formatOfFile = 1;
const QString decentralized = QStringLiteral("decentralized");
const QString centralized = QStringLiteral("centralized");
// Neither can be the name of a host: names have no blanks.
const QString thisMachine = QStringLiteral("this machine");
const std::string anyPort = "any that is free";
const std::string anyAddress = "auto";

std::string bytes(const QString& text) { return text.toStdString(); }
QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

QString hostWord(const QString& host) { return host.isEmpty() ? thisMachine : host; }

QString listed(const QStringList& names) {
  if (names.size() < 2) return names.value(0);
  return names.mid(0, names.size() - 1).join(QStringLiteral(", ")) + QStringLiteral(" and ") +
         names.back();
}

/// "federate a", "federates a and b"
QString federatesText(const QStringList& names) {
  return (names.size() == 1 ? QStringLiteral("federate ") : QStringLiteral("federates ")) +
         listed(names);
}

// ---- what follows from a launch plan -----------------------------------------------------------

std::vector<ConnectionPlan::Link> linksOf(const LaunchPlan& plan, const ConnectionPlan& result) {
  std::vector<ConnectionPlan::Link> links;
  if (plan.hosts.empty()) return links;
  const auto add = [&](const QString& from, const QString& to, Transport transport,
                       std::optional<double> grace, const char* carries) {
    links.push_back({from, to, transport, true, grace, QLatin1String(carries)});
  };
  const bool isCentralized = result.architecture == centralized;
  for (const auto& host : plan.hosts) {
    add(host.nodeProcess, result.home, Transport::Tcp, plan.grace,
        isCentralized ? "requests of the node"
                      : "requests, logical time, and reliable data between these two");
    if (!isCentralized)
      add(host.nodeProcess, result.home, Transport::Udp, {}, "best effort between these two");
  }
  if (isCentralized) {
    for (const auto& one : plan.federates) {
      if (!one.host.isEmpty())
        add(one.name, result.home, Transport::Tcp, plan.grace, "all that this federate exchanges");
    }
    return links;
  }
  for (auto one = plan.hosts.begin(); one != plan.hosts.end(); ++one) {
    for (auto other = std::next(one); other != plan.hosts.end(); ++other) {
      add(one->nodeProcess, other->nodeProcess, Transport::Tcp, {},
          "reliable data between these two; past the home while it is broken");
      add(one->nodeProcess, other->nodeProcess, Transport::Udp, {},
          "best effort between these two");
    }
  }
  return links;
}

QString areText(const QStringList& names, const QString& what) {
  return names.size() == 1 ? QStringLiteral("%1 is %2").arg(names.front(), what)
                           : QStringLiteral("%1 are %2").arg(listed(names), what);
}

/// A sentence begins with it.
QString capital(const QString& text) { return text.left(1).toUpper() + text.mid(1); }

/// What is lost together: federates of hosts, with these or, without them, by themselves.
class Loss {
 public:
  Loss(const LaunchPlan& plan, const QStringList& hosts, bool withHosts) {
    bool allComeBack = withHosts;
    for (const auto& one : plan.federates) {
      if (!hosts.contains(one.host)) continue;
      federates_ << one.name;
      if (!one.required) continue;
      required_ << one.name;
      allComeBack = allComeBack && one.spareNeeds.has_value();
    }
    for (const auto& one : plan.hosts) {
      if (allComeBack && one.spare && !hosts.contains(one.host.name)) spares_ << one.host.name;
    }
  }

  [[nodiscard]] const QStringList& federates() const { return federates_; }
  [[nodiscard]] bool endsRun() const { return !required_.isEmpty() && spares_.isEmpty(); }
  [[nodiscard]] QString consequence() const {
    if (endsRun())
      return QStringLiteral("The run ends: %1.")
          .arg(areText(required_, QStringLiteral("required")));
    if (!required_.isEmpty())
      return QStringLiteral("%1 on a spare host (%2); where none has what is needed, the run ends.")
          .arg(areText(required_, QStringLiteral("started again")), listed(spares_));
    if (federates_.isEmpty()) return QStringLiteral("The run goes on.");
    return QStringLiteral("The others go on without %1.").arg(federatesText(federates_));
  }

 private:
  QStringList federates_;
  QStringList required_;
  QStringList spares_;
};

/// Slurm may take all nodes of a job at once, and each step goes through the login host.
void addJobs(std::vector<ConnectionPlan::Risk>& risks, const LaunchPlan& plan) {
  std::map<QString, std::map<QString, std::vector<const PlannedHost*>>> clusters;  // by partition
  for (const auto& host : plan.hosts) {
    if (host.host.jobNode)
      clusters[host.host.jobNode->cluster][host.host.jobNode->partition].push_back(&host);
  }
  for (const auto& [cluster, jobs] : clusters) {
    QStringList all;
    for (const auto& [partition, nodes] : jobs) {
      QStringList names;
      for (const auto* node : nodes) names << node->host.name;
      all << names;
      const Loss loss(plan, names, true);
      const auto& asked = *nodes.front()->host.jobNode;
      const QString limit = asked.timeLimit > 0
                                ? QStringLiteral("its time limit (%1 min)").arg(asked.timeLimit)
                                : QStringLiteral("its time limit (that of the partition)");
      QString after;
      if (asked.continues && asked.saveBeforeLimit > 0)
        after = QStringLiteral(" At the limit another job goes on from a save of %1 min before.")
                    .arg(asked.saveBeforeLimit);
      risks.push_back({QStringLiteral("Slurm job in %1/%2").arg(cluster, partition),
                       QStringLiteral("%1 %2 go%3 together when the job reaches %4, is preempted "
                                      "or is cancelled.%5")
                           .arg(loss.consequence(), listed(names),
                                names.size() == 1 ? QStringLiteral("es") : QString(), limit, after),
                       loss.endsRun()});
    }
    const auto& login = jobs.begin()->second.front()->host;
    if (login.destination.isEmpty()) continue;
    const Loss loss(plan, all, true);
    risks.push_back({QStringLiteral("login host %1").arg(login.destination),
                     QStringLiteral("%1 What is started on nodes of %2 goes through it: when it is "
                                    "silent for longer than %3 s, the nodes count as lost.")
                         .arg(loss.consequence(), cluster)
                         .arg(plan.grace),
                     loss.endsRun()});
  }
}

std::vector<ConnectionPlan::Risk> risksOf(const LaunchPlan& plan, const ConnectionPlan& result) {
  std::vector<ConnectionPlan::Risk> risks;
  const QString grace = QString::number(plan.grace);
  if (!result.home.isEmpty())
    risks.push_back({QStringLiteral("RTI node %1").arg(result.home),
                     QStringLiteral("The run ends: it is the home of the federation execution, and "
                                    "every federate loses its connection."),
                     true});
  risks.push_back({thisMachine,
                   plan.hosts.empty()
                       ? QStringLiteral("The run ends: all of it is here.")
                       : QStringLiteral("The run ends: the home and the launch are here, and the "
                                        "other hosts end what they run when they have heard "
                                        "nothing for %1 s.")
                             .arg(grace),
                   true});
  if (result.architecture == centralized && !plan.hosts.empty())
    risks.push_back({QStringLiteral("network of this machine"),
                     QStringLiteral("The run ends when it is gone for longer than %1 s: all "
                                    "messages go through it, also those between two federates of "
                                    "another host.")
                         .arg(grace),
                     true});
  addJobs(risks, plan);
  for (const auto& host : plan.hosts) {
    const QString& name = host.host.name;
    if (host.spare) {
      risks.push_back({QStringLiteral("host %1").arg(name),
                       QStringLiteral("It is a spare host: the run goes on without it."),
                       false,
                       {},
                       name});
      continue;
    }
    const Loss withHost(plan, {name}, true);
    const Loss alone(plan, {name}, false);
    risks.push_back({QStringLiteral("host %1").arg(name),
                     QStringLiteral("%1 When it is silent for longer than %2 s, it counts as lost.")
                         .arg(withHost.consequence(), grace),
                     withHost.endsRun(),
                     {},
                     name});
    const bool isOne = alone.federates().size() == 1;
    risks.push_back({QStringLiteral("RTI node %1").arg(host.nodeProcess),
                     QStringLiteral("%1 %2 there %3 connection.")
                         .arg(alone.consequence(), capital(federatesText(alone.federates())),
                              isOne ? QStringLiteral("loses its") : QStringLiteral("lose their")),
                     alone.endsRun(),
                     {},
                     name});
  }
  for (const auto& one : plan.federates) {
    if (!one.required) continue;
    const auto* process = plan.process(one.name);
    const bool restarts = process != nullptr && process->restart.when != RestartWhen::Never;
    risks.push_back({QStringLiteral("federate %1").arg(one.name),
                     restarts ? QStringLiteral("The run ends when its restarts do not help: it is "
                                               "required.")
                              : QStringLiteral("The run ends with it: it is required."),
                     true, one.name});
  }
  return risks;
}

// ---- JSON --------------------------------------------------------------------------------------

Json listenPart(const ListenAddress& listen) {
  Json part = {{"address", listen.address.isEmpty() ? anyAddress : bytes(listen.address)}};
  if (listen.firstPort == listen.lastPort)
    part["port"] = listen.firstPort;
  else
    part["port"] = std::to_string(listen.firstPort) + "-" + std::to_string(listen.lastPort);
  if (!listen.keyFile.isEmpty()) part["keyFile"] = bytes(listen.keyFile);
  return part;
}

Json toJson(const ConnectionPlan& plan) {
  Json json = {{"format", formatOfFile},
               {"federation", bytes(plan.federation)},
               {"architecture", bytes(plan.architecture)},
               {"home", bytes(plan.home)}};
  auto& nodes = json["nodes"] = Json::object();
  for (const auto& node : plan.nodes) {
    Json one = {{"host", bytes(hostWord(node.host))}, {"name", bytes(node.name)}};
    if (node.process != plan.home)
      one["listen"] = {{"address", anyAddress}, {"port", anyPort}};
    else
      one["listen"] = plan.listen ? listenPart(*plan.listen) : Json();
    nodes[bytes(node.process)] = std::move(one);
  }
  auto& links = json["links"] = Json::array();
  for (const auto& link : plan.links) {
    Json one = {{"from", bytes(link.from)},
                {"to", bytes(link.to)},
                {"transport", link.transport == Transport::Tcp ? "TCP" : "UDP"},
                {"key", link.key},
                {"carries", bytes(link.carries)}};
    if (link.grace) one["grace"] = *link.grace;
    links.push_back(std::move(one));
  }
  auto& federates = json["federates"] = Json::object();
  for (const auto& one : plan.federates)
    federates[bytes(one.name)] = {{"node", bytes(one.node)},
                                  {"host", bytes(hostWord(one.host))},
                                  {"designator", bytes(one.designator)}};
  auto& risks = json["singlePointsOfFailure"] = Json::array();
  for (const auto& risk : plan.risks)
    risks.push_back({{"part", bytes(risk.part)}, {"consequence", bytes(risk.consequence)}});
  return json;
}

/// Reads one connection plan; the first fault stays.
class Reader {
 public:
  explicit Reader(const JsonSource& source) : source_(source) {}

  tl::expected<ConnectionPlan, Error> read() {
    const Json& root = source_.root();
    object("", root,
           {"format", "federation", "architecture", "home", "nodes", "links", "federates",
            "singlePointsOfFailure", "$schema"});
    if (!error_ && root.value("format", Json(formatOfFile)) != Json(formatOfFile))
      fail("/format",
           QStringLiteral("This connection plan has format %1; this version reads %2.")
               .arg(text(root["format"].dump()))
               .arg(formatOfFile),
           QStringLiteral("Open it with the version that wrote it."));
    ConnectionPlan plan;
    plan.federation = string("/federation");
    plan.architecture = string("/architecture");
    if (!error_ &&
        std::none_of(std::begin(composer::architectures), std::end(composer::architectures),
                     [&](const auto& one) { return plan.architecture == QLatin1String(one.name); }))
      fail("/architecture",
           QStringLiteral("There is no architecture \"%1\".").arg(plan.architecture),
           QStringLiteral("Use decentralized, federated or centralized."));
    plan.home = string("/home");
    const Json empty = Json::object();
    const Json& nodes = value("/nodes", Json::value_t::object, empty);
    for (const auto& [process, node] : nodes.items()) {
      const std::string at = "/nodes/" + pointerToken(process);
      object(at, node, {"host", "name", "listen"});
      plan.nodes.push_back({text(process), string(at + "/name"), host(at + "/host")});
      if (plan.nodes.back().process == plan.home) plan.listen = listen(at + "/listen");
    }
    // The home first, as it is written.
    std::stable_partition(plan.nodes.begin(), plan.nodes.end(),
                          [&](const auto& node) { return node.process == plan.home; });
    readLinks(plan);
    const Json& federates = value("/federates", Json::value_t::object, empty);
    for (const auto& [name, federate] : federates.items()) {
      const std::string at = "/federates/" + pointerToken(name);
      object(at, federate, {"node", "host", "designator"});
      plan.federates.push_back(
          {text(name), string(at + "/node"), host(at + "/host"), string(at + "/designator")});
    }
    if (error_) return tl::unexpected(*error_);
    return plan;
  }

 private:
  void readLinks(ConnectionPlan& plan) {
    const Json none = Json::array();
    const Json& links = value("/links", Json::value_t::array, none);
    for (std::size_t index = 0; index < links.size() && !error_; ++index) {
      const std::string at = "/links/" + std::to_string(index);
      object(at, links[index], {"from", "to", "transport", "key", "grace", "carries"});
      ConnectionPlan::Link link;
      link.from = string(at + "/from");
      link.to = string(at + "/to");
      const QString transport = string(at + "/transport");
      if (!error_ && transport != QStringLiteral("TCP") && transport != QStringLiteral("UDP"))
        fail(at + "/transport", QStringLiteral("There is no transport \"%1\".").arg(transport),
             QStringLiteral("A link is over TCP or UDP."));
      link.transport = transport == QStringLiteral("UDP") ? Transport::Udp : Transport::Tcp;
      const Json no = false;
      link.key = value(at + "/key", Json::value_t::boolean, no).get<bool>();
      if (!error_ && links[index].contains("grace")) link.grace = grace(at + "/grace");
      plan.links.push_back(std::move(link));
    }
  }

  double grace(const std::string& at) {
    const Json& value = source_.root().at(Json::json_pointer(at));
    const double seconds = value.is_number() ? value.get<double>() : -1;
    if (seconds >= 0 && seconds <= longestGraceSeconds) return seconds;
    fail(at,
         QStringLiteral("The grace of a link is a number of seconds from 0 to %1.")
             .arg(longestGraceSeconds),
         QStringLiteral("Federates wait for an answer no longer than a minute."));
    return 0;
  }

  std::optional<ListenAddress> listen(const std::string& at) {
    const Json& root = source_.root();
    const Json::json_pointer pointer(at);
    if (error_ || !root.contains(pointer) || root.at(pointer).is_null()) return {};
    const Json& part = root.at(pointer);
    object(at, part, {"address", "port", "keyFile"});
    ListenAddress result;
    result.address = string(at + "/address");
    if (result.address == text(anyAddress)) result.address.clear();
    if (part.contains("keyFile")) result.keyFile = string(at + "/keyFile");
    const Json& port = root.contains(pointer / "port") ? root.at(pointer / "port") : Json();
    static const QRegularExpression range(QStringLiteral("^(\\d{1,5})(?:-(\\d{1,5}))?$"));
    const auto match = range.match(port.is_string()           ? text(port.get<std::string>())
                                   : port.is_number_integer() ? text(port.dump())
                                                              : QString());
    const int first = match.captured(1).toInt();
    const int last = match.captured(2).isEmpty() ? first : match.captured(2).toInt();
    if (!match.hasMatch() || first < 1 || last > 65535 || first > last)
      fail(at + "/port", QStringLiteral("The port of the home is no port and no range of ports."),
           QStringLiteral("Write a number from 1 to 65535, or \"15164-15264\" for the first that "
                          "is free."));
    result.firstPort = static_cast<quint16>(first);
    result.lastPort = static_cast<quint16>(last);
    return result;
  }

  QString host(const std::string& at) {
    const QString word = string(at);
    return word == thisMachine ? QString() : word;
  }

  QString string(const std::string& at) {
    static const Json empty = "";
    return text(value(at, Json::value_t::string, empty).get<std::string>());
  }

  static const char* wordFor(Json::value_t type) {
    switch (type) {
      case Json::value_t::object:
        return "an object";
      case Json::value_t::array:
        return "a list";
      case Json::value_t::boolean:
        return "true or false";
      default:
        return "a text";
    }
  }

  const Json& value(const std::string& at, Json::value_t type, const Json& otherwise) {
    if (error_) return otherwise;
    const Json::json_pointer pointer(at);
    const Json& root = source_.root();
    if (root.contains(pointer) && root.at(pointer).type() == type) return root.at(pointer);
    fail(at,
         root.contains(pointer)
             ? QStringLiteral("%1 is not %2.").arg(text(at), QLatin1String(wordFor(type)))
             : QStringLiteral("%1 is missing.").arg(text(at)),
         QStringLiteral("Correct it, or write the plan again with tutti plan."));
    return otherwise;
  }

  void object(const std::string& at, const Json& value, const std::set<std::string>& known) {
    if (error_) return;
    if (!value.is_object())
      return fail(at,
                  QStringLiteral("%1 is not an object.")
                      .arg(at.empty() ? QStringLiteral("The connection plan") : text(at)),
                  QStringLiteral("Correct it, or write the plan again with tutti plan."));
    for (const auto& [key, ignored] : value.items()) {
      if (!known.contains(key))
        return fail(at + "/" + pointerToken(key),
                    QStringLiteral("A connection plan has no key \"%1\" there.").arg(text(key)),
                    QStringLiteral("Remove it, or correct its spelling: it would have no effect."));
    }
  }

  void fail(const std::string& at, const QString& what, const QString& next) {
    if (!error_) error_ = source_.error(at, what, next);
  }

  const JsonSource& source_;
  std::optional<Error> error_;
};

// ---- two files that belong together ------------------------------------------------------------

/// Texts that explain are no statements; the schema is for editors.
Json statements(Json json) {
  for (const char* key : {"singlePointsOfFailure", "$schema"}) json.erase(key);
  for (auto& link : json["links"]) link.erase("carries");
  return json;
}

/// Where two documents differ first; nothing: nowhere.
std::optional<Json::json_pointer> difference(const Json& a, const Json& b,
                                             const Json::json_pointer& at = Json::json_pointer()) {
  if (a.is_object() && b.is_object()) {
    for (const auto* one : {&a, &b}) {
      for (const auto& [key, ignored] : one->items()) {
        if (!a.contains(key) || !b.contains(key)) return at / key;
        if (auto found = difference(a[key], b[key], at / key)) return found;
      }
    }
    return {};
  }
  if (a.is_array() && b.is_array()) {
    for (std::size_t index = 0; index < std::max(a.size(), b.size()); ++index) {
      if (index >= a.size() || index >= b.size()) return at / index;
      if (auto found = difference(a[index], b[index], at / index)) return found;
    }
    return {};
  }
  return a == b ? std::nullopt : std::optional(at);
}

/// "launch.json:41" of what a launch plan says of that process.
QString placeIn(const JsonSource& launch, const QString& process, const std::string& below = {}) {
  const Json processes = launch.root().value("processes", Json::array());
  std::string pointer = "/processes";
  for (std::size_t index = 0; index < processes.size(); ++index) {
    if (processes[index].value("id", std::string()) == bytes(process))
      pointer += "/" + std::to_string(index) + below;
  }
  return launch.error(pointer, {}).place();
}

QString shown(const Json& document, const Json::json_pointer& at) {
  if (!document.contains(at)) return QStringLiteral("nothing");
  return text(document.at(at).dump(-1, ' ', false, Json::error_handler_t::replace)).left(80);
}

/// The first statement of a connection plan that does not follow from the launch plan.
std::optional<Error> contradiction(const LaunchPlan& plan, const ConnectionPlan& said,
                                   const JsonSource& launch, const JsonSource& connections) {
  ConnectionPlan follows = ConnectionPlan::of(plan, said.architecture);
  follows.listen = said.listen;
  Json theirs = statements(toJson(said));
  // Where a linked node listens is nobody's choice.
  for (auto& [process, node] : theirs["nodes"].items()) {
    if (process != bytes(said.home))
      node["listen"] = connections.root()["nodes"][process]["listen"];
  }
  const Json ours = statements(toJson(follows));
  const auto at = difference(theirs, ours);
  if (!at) return {};
  // The launch plan says it of a process where one is named.
  QString where = launch.file();
  for (auto up = *at; !up.empty(); up = up.parent_pointer()) {
    const QString id = text(up.back());
    if (plan.process(id) != nullptr) {
      where = placeIn(launch, id);
      break;
    }
  }
  return connections.error(
      at->to_string(),
      QStringLiteral(
          "The two plans contradict each other: this is %1 here, and from %2 follows %3.")
          .arg(shown(theirs, *at), where, shown(ours, *at)),
      QStringLiteral(
          "Change it in the composition and write both with tutti plan FILE -o FOLDER; "
          "only the architecture, the home's listen and the grace can be changed here."));
}

/// What a launch plan itself says of what the connection plan decides.
std::optional<Error> foreignWords(const LaunchPlan& plan, const ConnectionPlan& said,
                                  const JsonSource& launch, const QString& connections) {
  for (const auto& process : plan.plan.processes) {
    const QString id = text(process.id);
    const auto refuse = [&](const std::string& below, const QString& what) {
      Error error = launch.error(
          "", what, QStringLiteral("Remove it here; write it in %1.").arg(connections));
      const QString place = placeIn(launch, id, below);
      error.line = place.section(u':', -1).toInt();
      return error;
    };
    const auto way = process.env.find("TUTTI_ARCHITECTURE");
    if (way != process.env.end() && way->second != bytes(said.architecture))
      return refuse(
          "/env/TUTTI_ARCHITECTURE",
          QStringLiteral("%1 gets the architecture %2 here, and %3 in the connection plan.")
              .arg(id, text(way->second), said.architecture));
    if (!plan.isNode(id)) continue;
    for (std::size_t index = 0; index < process.command.size(); ++index) {
      const QString word = text(process.command[index]);
      if (word == QStringLiteral("--listen") || word == QStringLiteral("--grace") ||
          word == QStringLiteral("--longest-wait"))
        return refuse("/command/" + std::to_string(index),
                      QStringLiteral("%1 has %2 in its command, which the connection plan decides.")
                          .arg(id, word));
    }
  }
  return {};
}

/// Where other hosts are started by hand, the file has to say all that nobody else knows.
std::optional<Error> unusable(const LaunchPlan& plan, const ConnectionPlan& said,
                              const JsonSource& connections) {
  const std::string at = "/nodes/" + pointerToken(bytes(said.home)) + "/listen";
  if (!plan.hosts.empty()) {
    if (!said.listen)
      return connections.error(at,
                               QStringLiteral("The home listens nowhere, and %1 is to be linked to "
                                              "it.")
                                   .arg(plan.hosts.front().host.name),
                               QStringLiteral("Write {\"address\": \"auto\", \"port\": "
                                              "\"15164-15264\"}."));
    if (!said.listen->keyFile.isEmpty())
      return connections.error(at + "/keyFile",
                               QStringLiteral("A run over several hosts draws a key of its own."),
                               QStringLiteral("Remove keyFile."));
    std::set<double> graces;
    for (std::size_t index = 0; index < said.links.size(); ++index) {
      if (!said.links[index].grace) continue;
      graces.insert(*said.links[index].grace);
      if (graces.size() > 1)
        return connections.error("/links/" + std::to_string(index) + "/grace",
                                 QStringLiteral("The links have different graces, and a home has "
                                                "one for all."),
                                 QStringLiteral("Write the same number in each."));
    }
    return {};
  }
  if (!said.listen) return {};
  if (said.listen->address.isEmpty() || said.listen->firstPort != said.listen->lastPort)
    return connections.error(at,
                             QStringLiteral("No host of this run says where it reaches the home."),
                             QStringLiteral("Name an address of this machine and one port, for "
                                            "federates that are started by hand."));
  if (said.listen->keyFile.isEmpty())
    return connections.error(at,
                             QStringLiteral("Every host that reaches %1 could join, change and "
                                            "destroy federations.")
                                 .arg(said.listen->address),
                             QStringLiteral("Add \"keyFile\", made with tutti-rti --make-key."));
  return {};
}

}  // namespace

ConnectionPlan ConnectionPlan::of(const LaunchPlan& plan, const QString& architecture) {
  ConnectionPlan result;
  result.federation = plan.federation;
  result.architecture = architecture.isEmpty() ? decentralized : architecture;
  result.home = plan.nodeProcess;
  if (!plan.hosts.empty() || !plan.listen.keyFile.isEmpty()) result.listen = plan.listen;
  if (!result.home.isEmpty()) result.nodes.push_back({result.home, plan.node, {}});
  for (const auto& host : plan.hosts)
    result.nodes.push_back({host.nodeProcess, host.node, host.host.name});
  for (const auto& one : plan.federates) {
    Member member{one.name, result.home, one.host, {}};
    if (const auto* host = plan.host(one.host)) member.node = host->nodeProcess;
    if (const auto* process = plan.process(one.name)) {
      const auto designator = process->env.find("TUTTI_RTI");
      if (designator != process->env.end()) member.designator = text(designator->second);
    }
    result.federates.push_back(std::move(member));
  }
  result.links = linksOf(plan, result);
  result.risks = risksOf(plan, result);
  return result;
}

QString ConnectionPlan::coordination() const {
  if (home.isEmpty()) return {};
  if (nodes.size() < 2) return QStringLiteral("This machine coordinates: all of the run is here.");
  return QStringLiteral(
      "This machine coordinates, because the run ends with it in any case: a home on another host "
      "would be a second one that the run cannot do without.");
}

QByteArray ConnectionPlan::toBytes() const { return composer::canonicalBytes(toJson(*this)); }

tl::expected<ConnectionPlan, Error> ConnectionPlan::fromSource(const JsonSource& source) {
  return Reader(source).read();
}

tl::expected<void, Error> applyConnections(LaunchPlan& plan, const JsonSource& launch,
                                           const JsonSource& connections) {
  const auto home = connections.root().find("home");
  if (home != connections.root().end() && home->is_string() && *home != bytes(plan.nodeProcess))
    return tl::unexpected(
        connections.error("/home",
                          QStringLiteral("The two plans contradict each other: the home is %1 "
                                         "here, and %2 in %3.")
                              .arg(text(home->get<std::string>()), plan.nodeProcess,
                                   placeIn(launch, plan.nodeProcess)),
                          QStringLiteral("The home is always the node of this machine.")));
  const auto said = ConnectionPlan::fromSource(connections);
  if (!said) return tl::unexpected(said.error());
  if (auto fault = unusable(plan, *said, connections)) return tl::unexpected(*fault);
  LaunchPlan result = plan;
  for (const auto& link : said->links) {
    if (link.grace) result.grace = *link.grace;
  }
  if (auto fault = foreignWords(result, *said, launch, connections.file()))
    return tl::unexpected(*fault);
  if (auto fault = contradiction(result, *said, launch, connections)) return tl::unexpected(*fault);
  if (said->listen) result.listen = *said->listen;
  result.setArchitecture(said->architecture);
  plan = std::move(result);
  return {};
}

}  // namespace tutti::launcher
