// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/hosts.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "composer/model/json_fields.h"

namespace tutti::launcher {

namespace {

using composer::Error;
using composer::Fields;
using composer::Json;
using composer::JsonSource;
using composer::pointerToken;
using composer::text;

constexpr int greatestFormat = 1;
constexpr int greatestLongestWait = 120;  // s
constexpr int mostCores = 1'000'000;
constexpr double mostMemory = 1e12;            // MB
constexpr int longestLimit = 10 * 366 * 1440;  // minutes
constexpr qsizetype longestName = 255;
constexpr int mostNodes = 10'000;  // of a job

// What follows for the federates of a host that is lost.
const QString goOn = QStringLiteral("go-on");
const QString restart = QStringLiteral("restart");

/// Blanks and what steers a terminal or a shell script have no place in a name or an address.
bool hasBlankOrControl(const QString& word) {
  return std::any_of(word.begin(), word.end(), [](QChar each) {
    return each.isSpace() || each.category() == QChar::Other_Control ||
           each.category() == QChar::Other_Format;
  });
}

void checkFile(Fields& fields, const char* key, const QString& file) {
  if (file.isEmpty() || file.startsWith(u'/') || file.startsWith(QStringLiteral("~/"))) return;
  fields.fail(key,
              QStringLiteral("\"%1\" is neither an absolute path nor begins with ~/.")
                  .arg(QLatin1String(key)),
              QStringLiteral("Write the whole path: ssh would look for it from the folder that it "
                             "happens to be started in."));
}

QStringList readLabels(Fields& fields) {
  QStringList labels = fields.strings("labels");
  for (const QString& label : std::as_const(labels)) {
    if (label.isEmpty() || hasBlankOrControl(label))
      fields.fail("labels", QStringLiteral("A label is empty or has a blank in it."));
  }
  return labels;
}

QString readDestination(Fields& fields) {
  QString destination = fields.string("destination");
  if (const QString fault = faultOfDestination(destination); !fault.isEmpty())
    fields.fail("destination", fault, QStringLiteral("Write [user@]host or an alias of ssh."));
  return destination;
}

/// How ssh is called, of a host or of a cluster's login host.
template <typename Reached>
void readWay(Fields& fields, Reached& reached) {
  reached.destination = readDestination(fields);
  reached.identityFile = fields.string("identityFile");
  checkFile(fields, "identityFile", reached.identityFile);
  reached.knownHostsFile = fields.string("knownHostsFile");
  checkFile(fields, "knownHostsFile", reached.knownHostsFile);
  reached.port = fields.integer("port", 0, 0, 65535);
}

/// A word of a command of Slurm.
QString readWord(Fields& fields, const char* key) {
  QString word = fields.string(key);
  if (word.startsWith(u'-') || hasBlankOrControl(word))
    fields.fail(
        key,
        QStringLiteral("\"%1\" begins with '-' or has a blank in it.").arg(QLatin1String(key)));
  return word;
}

Host readHost(Fields fields, const QString& name) {
  Host host;
  host.name = name;
  readWay(fields, host);
  host.cores = fields.integer("cores", 0, 0, mostCores);
  host.memoryMb = fields.real("memory", 0, 0, mostMemory);
  host.labels = readLabels(fields);
  host.address = fields.string("address");
  if (host.address.startsWith(u'-') || hasBlankOrControl(host.address))
    fields.fail("address", QStringLiteral("\"%1\" is no address.").arg(host.address),
                QStringLiteral("Write a host name or an IP address."));
  host.spare = fields.boolean("spare", false);
  if (host.spare && host.isThisMachine())
    fields.fail("spare", QStringLiteral("\"%1\" is this machine, which is no spare.").arg(name),
                QStringLiteral("The run ends with this machine: mark another host."));
  host.extra = fields.rest();
  return host;
}

ClusterNode readNode(Fields fields, const QString& name) {
  ClusterNode node;
  node.name = name;
  node.state = fields.string("state");
  node.cores = fields.integer("cores", 0, 0, mostCores);
  node.memoryMb = fields.real("memory", 0, 0, mostMemory);
  node.labels = readLabels(fields);
  node.extra = fields.rest();
  return node;
}

/// Reads the object `key`, whose keys are names, with `read(fields, name)` for each value.
template <typename Read>
void readNamed(const JsonSource& source, Fields& fields, std::optional<Error>& fault,
               const char* key, Read&& read) {
  const auto all = fields.take(key);
  if (!all) return;
  if (!all->is_object()) {
    fields.fail(key, QStringLiteral("\"%1\" is not an object.").arg(QLatin1String(key)),
                QStringLiteral("Write it as {\"name\": {...}}."));
    return;
  }
  for (const auto& [name, value] : all->items()) {
    if (fault) return;
    Fields one{source, value, fields.at() + "/" + key + "/" + pointerToken(name), fault};
    if (const QString wrong = faultOfName(text(name)); !wrong.isEmpty()) one.fail("", wrong);
    read(std::move(one), text(name));
  }
}

void put(Json& json, const char* key, const QString& value) {
  if (!value.isEmpty()) json[key] = value.toStdString();
}
void put(Json& json, const char* key, const QStringList& value) {
  if (!value.isEmpty()) json[key] = composer::stringsJson(value);
}
void put(Json& json, const char* key, int value) {
  if (value != 0) json[key] = value;
}
void put(Json& json, const char* key, double value) {
  if (value == 0.0) return;
  // A whole number stays one, whatever wrote it.
  if (value == std::floor(value) && std::abs(value) <= mostMemory)
    json[key] = static_cast<long long>(value);
  else
    json[key] = value;
}

template <typename Reached>
void putWay(Json& json, const Reached& reached) {
  put(json, "destination", reached.destination);
  put(json, "identityFile", reached.identityFile);
  put(json, "knownHostsFile", reached.knownHostsFile);
  put(json, "port", reached.port);
}

Json hostJson(const Host& host) {
  Json json = host.extra;
  putWay(json, host);
  put(json, "cores", host.cores);
  put(json, "memory", host.memoryMb);
  put(json, "labels", host.labels);
  put(json, "address", host.address);
  if (host.spare) json["spare"] = true;
  return json;
}

Json clusterJson(const Cluster& cluster) {
  Json json = cluster.extra;
  putWay(json, cluster);
  put(json, "configuration", cluster.configuration);
  put(json, "account", cluster.account);
  put(json, "qos", cluster.qos);
  put(json, "timeLimit", cluster.timeLimit);
  if (cluster.saveBeforeLimit != Cluster().saveBeforeLimit)
    json["saveBeforeLimit"] = cluster.saveBeforeLimit;
  if (cluster.continues) json["continue"] = true;
  if (cluster.immediate) json["immediate"] = true;
  if (cluster.exclusive) json["exclusive"] = true;
  put(json, "spareNodes", cluster.spareNodes);
  for (const Partition& partition : cluster.partitions) {
    Json& one = json["partitions"][partition.name.toStdString()] = partition.extra;
    put(one, "state", partition.state);
    put(one, "timeLimit", partition.timeLimit);
    for (const ClusterNode& node : partition.nodes) {
      Json& each = one["nodes"][node.name.toStdString()] = node.extra;
      put(each, "state", node.state);
      put(each, "cores", node.cores);
      put(each, "memory", node.memoryMb);
      put(each, "labels", node.labels);
    }
  }
  return json;
}

/// A name that stands twice among `all`, which would be lost in the file; empty when there is none.
template <typename Named>
QString nameGivenTwice(const std::vector<Named>& all) {
  QStringList names;
  for (const Named& each : all) names.append(each.name);
  names.sort();
  const auto twice = std::adjacent_find(names.cbegin(), names.cend());
  return twice == names.cend() ? QString{} : *twice;
}

QString nameGivenTwice(const Deployment& deployment) {
  QString twice = nameGivenTwice(deployment.hosts);
  if (twice.isEmpty()) twice = nameGivenTwice(deployment.clusters);
  for (const Cluster& cluster : deployment.clusters) {
    if (twice.isEmpty()) twice = nameGivenTwice(cluster.partitions);
    for (const Partition& partition : cluster.partitions)
      if (twice.isEmpty()) twice = nameGivenTwice(partition.nodes);
  }
  return twice;
}

}  // namespace

QString faultOfDestination(const QString& destination) {
  if (destination.startsWith(u'-'))
    return QStringLiteral(
               "The destination \"%1\" begins with '-'; ssh would take it for an option.")
        .arg(destination);
  if (hasBlankOrControl(destination))
    return QStringLiteral("The destination has a blank or a control character in it.");
  if (destination.size() > 2 * longestName)
    return QStringLiteral("The destination is longer than %1 characters.").arg(2 * longestName);
  return {};
}

QString faultOfName(const QString& name) {
  if (name.isEmpty()) return QStringLiteral("A name is empty.");
  if (hasBlankOrControl(name))
    return QStringLiteral("The name has a blank or a control character in it.");
  if (name.startsWith(u'-')) return QStringLiteral("The name \"%1\" begins with '-'.").arg(name);
  if (name.size() > longestName)
    return QStringLiteral("The name is longer than %1 characters.").arg(longestName);
  return {};
}

Host Cluster::loginHost() const {
  Host host;
  host.name = name;
  host.destination = destination;
  host.identityFile = identityFile;
  host.knownHostsFile = knownHostsFile;
  host.port = port;
  return host;
}

std::optional<tl::expected<Host, Error>> Deployment::jobNode(const QString& hostName) const {
  const auto second = hostName.lastIndexOf(u'/');
  const auto first = second > 0 ? hostName.lastIndexOf(u'/', second - 1) : -1;
  if (first <= 0) return std::nullopt;
  const Cluster* in = cluster(hostName.left(first));
  if (in == nullptr) return std::nullopt;
  const QString partition = hostName.mid(first + 1, second - first - 1);
  const auto failed = [&](const QString& what, const QString& next) {
    return tl::unexpected(Error{file, 0, {}, what, next});
  };
  QStringList known;
  for (const Partition& each : in->partitions) known << each.name;
  // A file that lists no partition was not imported: Slurm itself will say what it has not.
  if (!known.isEmpty() && !known.contains(partition))
    return failed(
        QStringLiteral("The cluster %1 has no partition \"%2\".").arg(in->name, partition),
        QStringLiteral("It has %1; tutti hosts import --sinfo brings the file up to date.")
            .arg(known.join(QStringLiteral(", "))));
  bool isNumber = false;
  const int number = hostName.mid(second + 1).toInt(&isNumber);
  if (!isNumber || number < 1 || number > mostNodes)
    return failed(
        QStringLiteral("\"%1\" is not the number of a node.").arg(hostName.mid(second + 1)),
        QStringLiteral("Count the nodes of a partition from 1: %1/%2/1.").arg(in->name, partition));
  Host host = in->loginHost();
  host.name = hostName;
  host.jobNode = JobNode{in->name,      partition, number, in->configuration, in->account, in->qos,
                         in->timeLimit, 0,         {}};
  host.jobNode->saveBeforeLimit = in->saveBeforeLimit;
  host.jobNode->continues = in->continues;
  host.jobNode->immediate = in->immediate;
  host.jobNode->exclusive = in->exclusive;
  return host;
}

const Host* Deployment::host(const QString& name) const {
  const auto found = std::find_if(hosts.begin(), hosts.end(), [&](const Host& each) {
    return name.isEmpty() ? each.isThisMachine() : each.name == name;
  });
  return found == hosts.end() ? nullptr : &*found;
}

bool Deployment::namesSpares() const {
  return std::any_of(hosts.begin(), hosts.end(), [](const Host& one) { return one.spare; }) ||
         std::any_of(clusters.begin(), clusters.end(),
                     [](const Cluster& one) { return one.spareNodes > 0; });
}

bool Deployment::isSpare(const Host& host) const {
  if (!restartsOnSpare || host.isThisMachine() || host.jobNode) return false;
  return host.spare || !namesSpares();
}

const Cluster* Deployment::cluster(const QString& name) const {
  const auto found = std::find_if(clusters.begin(), clusters.end(),
                                  [&](const Cluster& each) { return each.name == name; });
  return found == clusters.end() ? nullptr : &*found;
}

tl::expected<Deployment, Error> Deployment::read(const QString& file) {
  return JsonSource::read(file).and_then(&Deployment::fromSource);
}

tl::expected<Deployment, Error> Deployment::fromSource(const JsonSource& source) {
  Deployment deployment;
  deployment.file = source.file();
  std::optional<Error> fault;
  Fields root{source, source.root(), "", fault};
  const int format = root.integer("format", greatestFormat, 1, 1000000);
  if (!fault && format > greatestFormat) {
    root.fail("format",
              QStringLiteral("This list of hosts has format %1; this version reads up to %2.")
                  .arg(format)
                  .arg(greatestFormat),
              QStringLiteral("Open it with a newer version."));
  }
  const QString ifLost = root.string("ifHostLost", goOn);
  if (ifLost != goOn && ifLost != restart)
    root.fail("ifHostLost", QStringLiteral("\"%1\" is nothing that follows.").arg(ifLost),
              QStringLiteral("Write \"go-on\" or \"restart\"."));
  deployment.restartsOnSpare = ifLost == restart;
  deployment.longestWait = root.integer("longestWait", 0, 0, greatestLongestWait);
  readNamed(source, root, fault, "hosts", [&](Fields fields, const QString& name) {
    const bool hasThisMachine = deployment.host(QString{}) != nullptr;
    const std::string at = fields.at();
    deployment.hosts.push_back(readHost(std::move(fields), name));
    if (!fault && hasThisMachine && deployment.hosts.back().isThisMachine()) {
      fault = source.error(
          at,
          QStringLiteral("\"%1\" is a second host without a destination, which is this machine.")
              .arg(name),
          QStringLiteral("Add \"destination\", what ssh is given to reach it."));
    }
  });
  readNamed(source, root, fault, "clusters", [&](Fields fields, const QString& name) {
    Cluster cluster;
    cluster.name = name;
    readWay(fields, cluster);
    cluster.configuration = fields.string("configuration");
    if (!cluster.configuration.isEmpty() && !cluster.configuration.startsWith(u'/'))
      fields.fail("configuration", QStringLiteral("\"configuration\" is not an absolute path."),
                  QStringLiteral("Write the whole path of slurm.conf on the login host."));
    cluster.account = readWord(fields, "account");
    cluster.qos = readWord(fields, "qos");
    cluster.timeLimit = fields.integer("timeLimit", 0, 0, longestLimit);
    cluster.saveBeforeLimit =
        fields.integer("saveBeforeLimit", cluster.saveBeforeLimit, 0, longestLimit);
    cluster.continues = fields.boolean("continue", false);
    cluster.immediate = fields.boolean("immediate", false);
    cluster.exclusive = fields.boolean("exclusive", false);
    cluster.spareNodes = fields.integer("spareNodes", 0, 0, mostNodes);
    readNamed(source, fields, fault, "partitions", [&](Fields part, const QString& partName) {
      Partition partition;
      partition.name = partName;
      partition.state = part.string("state");
      partition.timeLimit = part.integer("timeLimit", 0, 0, longestLimit);
      readNamed(source, part, fault, "nodes", [&](Fields node, const QString& nodeName) {
        partition.nodes.push_back(readNode(std::move(node), nodeName));
      });
      partition.extra = part.rest();
      cluster.partitions.push_back(std::move(partition));
    });
    cluster.extra = fields.rest();
    deployment.clusters.push_back(std::move(cluster));
  });
  deployment.extra = root.rest();
  if (fault) return tl::unexpected(*fault);
  return deployment;
}

QString hostsFileOf(const QString& compositionFile) {
  if (compositionFile.isEmpty()) return {};
  const QFileInfo composition(compositionFile);
  const QDir folder = composition.absoluteDir();
  QString name = composition.fileName();
  for (const char* ending : {".federation.json", ".json"}) {
    if (!name.endsWith(QLatin1String(ending))) continue;
    name.chop(static_cast<qsizetype>(std::strlen(ending)));
    break;
  }
  const QString own = folder.filePath(name + QStringLiteral(".hosts.json"));
  if (QFileInfo(own).isFile()) return own;
  const auto all = folder.entryList({QStringLiteral("*.hosts.json")}, QDir::Files);
  return all.size() == 1 ? folder.filePath(all.front()) : QString();
}

QByteArray Deployment::toBytes() const {
  Json json = extra;
  json["format"] = greatestFormat;
  if (restartsOnSpare) json["ifHostLost"] = restart.toStdString();
  put(json, "longestWait", longestWait);
  json["hosts"] = Json::object();
  for (const Host& host : hosts) json["hosts"][host.name.toStdString()] = hostJson(host);
  for (const Cluster& cluster : clusters)
    json["clusters"][cluster.name.toStdString()] = clusterJson(cluster);
  return composer::canonicalBytes(json);
}

tl::expected<void, Error> Deployment::save(const QString& to) const {
  if (const QString twice = nameGivenTwice(*this); !twice.isEmpty())
    return tl::unexpected(
        Error{to,
              0,
              {},
              QStringLiteral("The file was not saved: \"%1\" is a name given twice.").arg(twice),
              {}});
  const QByteArray bytes = toBytes();
  // What could not be read again is not written over what could.
  const auto again = JsonSource::parse(bytes, to).and_then(&Deployment::fromSource);
  if (!again)
    return tl::unexpected(Error{
        to, 0, again.error().pointer,
        QStringLiteral("The file was not saved: %1").arg(again.error().what), again.error().next});
  return composer::replaceFile(to, bytes);
}

}  // namespace tutti::launcher
