// SPDX-License-Identifier: GPL-3.0-or-later
// Slurm 22.05 answers `sinfo --json` with its nodes, each with the names of its partitions, and
// with exit code 0 and an entry in "errors" when it failed. From 23.02 on it answers with rows,
// each of the nodes of one partition that are alike. What 22.05 says of partitions it says as text
// only.
#include <algorithm>
#include <cmath>
#include <map>

#include "launcher/engine/hosts_import.h"
#include "launcher/engine/slurm.h"
#include "launcher/engine/slurm_json.h"

namespace tutti::launcher {

namespace {

using composer::Error;
using composer::Json;
using composer::JsonSource;
using composer::text;

constexpr std::size_t mostNodes = 100'000;
constexpr std::size_t mostPlaces = 200'000;  // nodes, counted in each of their partitions

/// Minutes of "30:00", "1:00:00", "2-00:00:00" or "infinite"; 0 when unlimited or not understood.
int minutesOf(QString limit) {
  double days = 0;
  if (const auto dash = limit.indexOf(u'-'); dash > 0) {
    days = limit.left(dash).toUInt();
    limit = limit.mid(dash + 1);
  }
  double seconds = 0;
  for (const QString& part : limit.split(u':')) {
    bool ok = false;
    const uint number = part.toUInt(&ok);
    if (!ok) return 0;
    seconds = 60 * seconds + number;
  }
  // A single number is one of minutes.
  if (!limit.contains(u':')) seconds *= 60;
  return int(std::min(std::ceil(days * 1440 + seconds / 60), 5e6));
}

QStringList labelsOf(const QString& features) {
  QStringList labels = features.split(u',', Qt::SkipEmptyParts);
  labels.removeIf([](const QString& each) { return !faultOfName(each).isEmpty(); });
  labels.removeDuplicates();
  labels.sort();
  return labels.mid(0, 64);
}

ClusterNode nodeOf(const Json& json) {
  ClusterNode node;
  node.name = textIn(json, "name");
  // From 23.02 on the state is a list, with the flags in it.
  for (const QString& word : (textsIn(json, "state") + textsIn(json, "state_flags")).mid(0, 9))
    node.state +=
        (node.state.isEmpty() ? QString{} : QStringLiteral("+")) + word.toLower().left(64);
  node.cores = int(std::min(numberIn(json, "cpus"), 1e6));
  // Slurm counts MiB.
  node.memoryMb = std::min(std::floor(numberIn(json, "real_memory") * 1.048576), 1e12);
  node.labels = labelsOf(textsIn(json, "features").join(u','));
  return node;
}

/// The nodes of a row of 23.02 and later.
std::vector<ClusterNode> nodesOfRow(const Json& row) {
  const auto part = [&](const char* key) -> const Json& {
    static const Json none = Json::object();
    const auto found = row.find(key);
    return found != row.end() && found->is_object() ? *found : none;
  };
  ClusterNode alike;
  for (const QString& word : textsIn(part("node"), "state").mid(0, 9))
    alike.state +=
        (alike.state.isEmpty() ? QString{} : QStringLiteral("+")) + word.toLower().left(64);
  alike.cores = int(std::min(numberIn(part("cpus"), "minimum"), 1e6));
  alike.memoryMb = std::min(std::floor(numberIn(part("memory"), "minimum") * 1.048576), 1e12);
  alike.labels = labelsOf(textIn(part("features"), "total"));
  std::vector<ClusterNode> nodes;
  for (const QString& name : textsIn(part("nodes"), "nodes")) {
    alike.name = name;
    nodes.push_back(alike);
  }
  return nodes;
}

}  // namespace

tl::expected<Cluster, Error> clusterOfSinfo(const QByteArray& json, const QByteArray& partitions) {
  const auto source = answerOf(QStringLiteral("sinfo"), json);
  if (!source) return tl::unexpected(source.error());
  const Json& root = source->root();
  const auto rows = root.find("sinfo");
  const bool hasRows = rows != root.end() && rows->is_array();
  const auto nodes = hasRows ? rows : root.find("nodes");
  if (nodes == root.end() || !nodes->is_array()) {
    return tl::unexpected(source->error(
        "", QStringLiteral("It has neither a list \"nodes\", as Slurm 22.05 answers, nor a list "
                           "\"sinfo\", as later versions do.")));
  }
  if (nodes->size() > mostNodes)
    return tl::unexpected(
        source->error("/nodes", QStringLiteral("It has more than %1 nodes.").arg(mostNodes)));

  std::map<QString, Partition> byName;
  for (const QByteArray& line : partitions.split('\n')) {
    const QStringList words = QString::fromUtf8(line.trimmed()).split(u'|');
    if (words.size() != 3 || !faultOfName(words[0]).isEmpty()) continue;
    Partition& partition = byName[words[0]];
    partition.state = words[1].left(64);
    partition.timeLimit = minutesOf(words[2]);
  }
  std::size_t places = 0;
  for (std::size_t i = 0; i < nodes->size(); ++i) {
    const std::string at = (hasRows ? "/sinfo/" : "/nodes/") + std::to_string(i);
    const Json& each = (*nodes)[i];
    if (!each.is_object())
      return tl::unexpected(source->error(at, QStringLiteral("A node is not an object.")));
    const auto partition = hasRows ? each.find("partition") : each.end();
    QStringList names = textsIn(each, "partitions");
    if (partition != each.end() && partition->is_object()) names << textIn(*partition, "name");
    names.removeDuplicates();
    for (const ClusterNode& node : hasRows ? nodesOfRow(each) : std::vector{nodeOf(each)}) {
      if (const QString fault = faultOfName(node.name); !fault.isEmpty())
        return tl::unexpected(source->error(at + (hasRows ? "/nodes" : "/name"), fault));
      for (const QString& name : std::as_const(names)) {
        if (const QString fault = faultOfName(name); !fault.isEmpty())
          return tl::unexpected(source->error(at + "/partitions", fault));
        if (++places > mostPlaces)
          return tl::unexpected(source->error(
              at, QStringLiteral("It has more than %1 nodes in partitions.").arg(mostPlaces)));
        byName[name].nodes.push_back(node);
      }
    }
  }
  Cluster cluster;
  for (auto& [name, partition] : byName) {
    partition.name = name;
    std::sort(partition.nodes.begin(), partition.nodes.end(),
              [](const ClusterNode& a, const ClusterNode& b) { return a.name < b.name; });
    const auto twice = std::adjacent_find(
        partition.nodes.begin(), partition.nodes.end(),
        [](const ClusterNode& a, const ClusterNode& b) { return a.name == b.name; });
    if (twice != partition.nodes.end())
      return tl::unexpected(source->error(
          "/nodes", QStringLiteral("The node \"%1\" is there twice.").arg(twice->name)));
    cluster.partitions.push_back(std::move(partition));
  }
  return cluster;
}

tl::expected<Cluster, Error> askSinfo(const Cluster& known) {
  const auto ask = [&](const QString& option) {
    return askSlurm(known, {QStringLiteral("sinfo"), QStringLiteral("--noheader"), option});
  };
  const auto json = ask(QStringLiteral("--json"));
  if (!json) return tl::unexpected(json.error());
  const auto partitions = ask(QStringLiteral("--format=%R|%a|%l"));
  // What failed in the first answer says more than what it makes of the second.
  auto cluster = clusterOfSinfo(*json, partitions.value_or(QByteArray{}));
  if (!cluster) return cluster;
  if (!partitions) return tl::unexpected(partitions.error());
  Cluster result = known;
  result.partitions = std::move(cluster->partitions);
  return result;
}

tl::expected<Cluster, Error> askSinfo(const QString& destination) {
  Cluster cluster;
  cluster.destination = destination;
  cluster.name = destination.isEmpty() ? QStringLiteral("slurm")
                                       : destination.mid(destination.lastIndexOf(u'@') + 1);
  return askSinfo(cluster);
}

void merge(Deployment& deployment, const std::vector<Host>& hosts,
           const std::vector<Cluster>& clusters) {
  for (const Host& host : hosts) {
    const auto known = std::find_if(deployment.hosts.begin(), deployment.hosts.end(),
                                    [&](const Host& each) { return each.name == host.name; });
    if (known == deployment.hosts.end()) {
      deployment.hosts.push_back(host);
      continue;
    }
    known->destination = host.destination;
    known->identityFile = host.identityFile;
    known->knownHostsFile = host.knownHostsFile;
    known->port = host.port;
    if (known->address.isEmpty()) known->address = host.address;
  }
  for (const Cluster& cluster : clusters) {
    const auto known = std::find_if(deployment.clusters.begin(), deployment.clusters.end(),
                                    [&](const Cluster& each) { return each.name == cluster.name; });
    if (known == deployment.clusters.end())
      deployment.clusters.push_back(cluster);
    else
      known->partitions = cluster.partitions;
  }
}

}  // namespace tutti::launcher
