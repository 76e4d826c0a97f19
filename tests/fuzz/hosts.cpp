// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of hosts (*.hosts.json): reading, and that what was read is written and read again as the
// same; and the answers of sinfo, of which a cluster becomes that can be written.
#include "launcher/engine/hosts.h"

#include "launcher/engine/hosts_import.h"
#include "target.h"

namespace tutti::fuzz {

namespace {

Landmark read("a list of hosts was read");
Landmark kept("hosts and clusters were written and read again");
Landmark answered("an answer of sinfo became a cluster with nodes");

/// Gives what was written back; requires that it is written the same once more.
launcher::Deployment rewritten(const launcher::Deployment& deployment) {
  const QByteArray written = deployment.toBytes();
  const auto again = composer::JsonSource::parse(written, QStringLiteral("written"))
                         .and_then(&launcher::Deployment::fromSource);
  require(again.has_value(),
          again ? std::string()
                : "what was written can be read: " + again.error().message().toStdString());
  require(again->toBytes() == written, "what was read is written the same");
  return *again;
}

}  // namespace

void target(Input input) {
  const QByteArray bytes(textOf(input).data(), static_cast<qsizetype>(input.size()));
  const auto cluster = launcher::clusterOfSinfo(bytes, "short|up|1:00:00\n" + bytes.left(200));
  if (cluster) {
    launcher::Deployment deployment;
    deployment.clusters.push_back(*cluster);
    deployment.clusters.back().name = QStringLiteral("lab");
    require(rewritten(deployment).clusters == deployment.clusters, "a cluster is kept");
    for (const auto& partition : cluster->partitions)
      if (!partition.nodes.empty()) answered.reach();
  } else {
    require(!cluster.error().what.isEmpty(), "an error says what is wrong");
  }
  const auto deployment = composer::JsonSource::parse(bytes, QStringLiteral("fuzzed.hosts.json"))
                              .and_then(&launcher::Deployment::fromSource);
  if (!deployment) {
    require(!deployment.error().what.isEmpty(), "an error says what is wrong");
    return;
  }
  read.reach();
  const auto again = rewritten(*deployment);
  if (!again.hosts.empty() && !again.clusters.empty()) kept.reach();
  for (const auto& host : again.hosts)
    require(again.host(host.name) != nullptr, "a host is found by its name");
}

std::vector<Bytes> seeds() {
  return {fileContent("tests/launcher/sinfo-22.05.json"), bytesOf(R"({"format": 1, "hosts": {
    "alpha": {"destination": "me@alpha", "identityFile": "~/.ssh/lab", "knownHostsFile": "/k",
              "port": 2222, "cores": 8, "memory": 16000.5, "labels": ["gpu"], "address": "10.0.0.1"},
    "desk": {}}, "clusters": {"hpc": {"destination": "login", "partitions": {"short": {
    "state": "up", "timeLimit": 60, "nodes": {"n1": {"state": "idle", "cores": 64,
    "memory": 256000, "labels": ["avx2"]}}}}}}})")};
}

}  // namespace tutti::fuzz
