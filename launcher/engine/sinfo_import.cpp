// SPDX-License-Identifier: GPL-3.0-or-later
// Slurm 22.05 answers `sinfo --json` with its nodes, each with the names of its partitions, and
// with exit code 0 and an entry in "errors" when it failed. What it says of partitions it says as
// text only.
#include <algorithm>
#include <cmath>
#include <map>

#include "launcher/engine/hosts_import.h"
#include "launcher/engine/other_program.h"

namespace tutti::launcher {

namespace {

using composer::Error;
using composer::Json;
using composer::JsonSource;
using composer::text;

constexpr int longestAnswerMs = 60'000;
constexpr qsizetype mostAnswer = 16 << 20;
constexpr std::size_t mostNodes = 100'000;
constexpr std::size_t mostPlaces = 200'000;  // nodes, counted in each of their partitions

/// A whole number, which later versions wrap with whether it is set; 0 when there is none.
double numberIn(const Json& node, const char* key) {
  const auto found = node.find(key);
  if (found == node.end()) return 0;
  const Json& value =
      found->is_object() && found->contains("number") ? found->at("number") : *found;
  const double number = value.is_number() ? value.get<double>() : 0;
  return number > 0 ? std::floor(number) : 0;
}

QString textIn(const Json& node, const char* key) {
  const auto found = node.find(key);
  return found != node.end() && found->is_string() ? text(found->get<std::string>()) : QString{};
}

QStringList textsIn(const Json& node, const char* key) {
  QStringList result;
  const auto found = node.find(key);
  if (found == node.end() || !found->is_array()) return result;
  for (const Json& each : *found) {
    if (each.is_string()) result << text(each.get<std::string>());
  }
  return result;
}

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

ClusterNode nodeOf(const Json& json) {
  ClusterNode node;
  node.name = textIn(json, "name");
  node.state = textIn(json, "state").toLower().left(64);
  for (const QString& flag : textsIn(json, "state_flags").mid(0, 8))
    node.state += u'+' + flag.toLower().left(32);
  node.cores = int(std::min(numberIn(json, "cpus"), 1e6));
  // Slurm counts MiB.
  node.memoryMb = std::min(std::floor(numberIn(json, "real_memory") * 1.048576), 1e12);
  QStringList labels = textIn(json, "features").split(u',', Qt::SkipEmptyParts);
  labels.removeIf([](const QString& each) { return !faultOfName(each).isEmpty(); });
  labels.removeDuplicates();
  labels.sort();
  node.labels = labels.mid(0, 64);
  return node;
}

Error failed(const QString& what, const QString& next = {}) { return {{}, 0, {}, what, next}; }

}  // namespace

tl::expected<Cluster, Error> clusterOfSinfo(const QByteArray& json, const QByteArray& partitions) {
  const auto source = JsonSource::parse(json, QStringLiteral("the answer of sinfo --json"));
  if (!source) return tl::unexpected(source.error());
  const Json& root = source->root();
  if (!root.is_object())
    return tl::unexpected(source->error("", QStringLiteral("It is not an object.")));
  if (const auto errors = root.find("errors");
      errors != root.end() && errors->is_array() && !errors->empty()) {
    QString why = errors->front().is_object() ? textIn(errors->front(), "error") : QString{};
    if (why.isEmpty()) why = QStringLiteral("no reason given");
    return tl::unexpected(failed(QStringLiteral("sinfo failed: %1.").arg(why.left(200)),
                                 QStringLiteral("Look whether slurmctld answers: scontrol ping.")));
  }
  const auto nodes = root.find("nodes");
  if (nodes == root.end() || !nodes->is_array()) {
    return tl::unexpected(
        source->error("", QStringLiteral("It has no list \"nodes\", as Slurm 22.05 answers.")));
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
    const std::string at = "/nodes/" + std::to_string(i);
    const Json& each = (*nodes)[i];
    if (!each.is_object())
      return tl::unexpected(source->error(at, QStringLiteral("A node is not an object.")));
    const ClusterNode node = nodeOf(each);
    if (const QString fault = faultOfName(node.name); !fault.isEmpty())
      return tl::unexpected(source->error(at + "/name", fault));
    QStringList names = textsIn(each, "partitions");
    names.removeDuplicates();
    for (const QString& name : std::as_const(names)) {
      if (const QString fault = faultOfName(name); !fault.isEmpty())
        return tl::unexpected(source->error(at + "/partitions", fault));
      if (++places > mostPlaces)
        return tl::unexpected(source->error(
            at, QStringLiteral("It has more than %1 nodes in partitions.").arg(mostPlaces)));
      byName[name].nodes.push_back(node);
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

tl::expected<Cluster, Error> askSinfo(const QString& destination) {
  if (const QString fault = faultOfDestination(destination); !fault.isEmpty())
    return tl::unexpected(failed(fault));
  const QString where =
      destination.isEmpty() ? QString{} : QStringLiteral(" on %1").arg(destination);
  const auto ask = [&](const QString& option) -> tl::expected<QByteArray, Error> {
    // The login host's shell sees the words as one line; ours does not see them.
    const auto answer =
        destination.isEmpty()
            ? askProgram(QStringLiteral("sinfo"), QStringList{QStringLiteral("--noheader"), option},
                         longestAnswerMs, mostAnswer)
            : askProgram(QStringLiteral("ssh"),
                         {QStringLiteral("-T"), QStringLiteral("-o"),
                          QStringLiteral("BatchMode=yes"), QStringLiteral("--"), destination,
                          QStringLiteral("sinfo --noheader '%1'").arg(option)},
                         longestAnswerMs, mostAnswer);
    if (!answer) {
      return tl::unexpected(failed(
          answer.error().what,
          QStringLiteral("sinfo comes with Slurm; name the login host of a cluster where it is.")));
    }
    if (answer->exitCode != 0) {
      const QString last = answer->lastError();
      return tl::unexpected(
          failed(QStringLiteral("sinfo%1 failed with exit code %2%3")
                     .arg(where)
                     .arg(answer->exitCode)
                     .arg(last.isEmpty() ? QStringLiteral(".") : QStringLiteral(": ") + last)));
    }
    return answer->output;
  };
  const auto json = ask(QStringLiteral("--json"));
  if (!json) return tl::unexpected(json.error());
  const auto partitions = ask(QStringLiteral("--format=%R|%a|%l"));
  // What failed in the first answer says more than what it makes of the second.
  auto cluster = clusterOfSinfo(*json, partitions.value_or(QByteArray{}));
  if (!cluster) return cluster;
  if (!partitions) return tl::unexpected(partitions.error());
  cluster->destination = destination;
  cluster->name = destination.isEmpty() ? QStringLiteral("slurm")
                                        : destination.mid(destination.lastIndexOf(u'@') + 1);
  return cluster;
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
      *known = cluster;
  }
}

}  // namespace tutti::launcher
