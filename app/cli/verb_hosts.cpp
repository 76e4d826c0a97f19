// SPDX-License-Identifier: GPL-3.0-or-later
// tutti hosts: where federates can run, as a file says it and as ssh and Slurm know it.
#include <QFileInfo>
#include <algorithm>

#include "app/cli/verb.h"
#include "composer/model/json_fields.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/hosts_import.h"

namespace {

using namespace tutti::app;
using namespace tutti::launcher;
using tutti::composer::Error;
using tutti::composer::stringsJson;

nlohmann::json asJson(const Host& host) {
  return {{"name", host.name.toStdString()},
          {"destination", host.destination.toStdString()},
          {"thisMachine", host.isThisMachine()},
          {"identityFile", host.identityFile.toStdString()},
          {"knownHostsFile", host.knownHostsFile.toStdString()},
          {"port", host.port},
          {"cores", host.cores},
          {"memory", host.memoryMb},
          {"labels", stringsJson(host.labels)},
          {"address", host.address.toStdString()},
          {"spare", host.spare}};
}

nlohmann::json asJson(const Cluster& cluster) {
  nlohmann::json partitions = nlohmann::json::array();
  for (const Partition& partition : cluster.partitions) {
    nlohmann::json nodes = nlohmann::json::array();
    for (const ClusterNode& node : partition.nodes) {
      nodes.push_back({{"name", node.name.toStdString()},
                       {"state", node.state.toStdString()},
                       {"cores", node.cores},
                       {"memory", node.memoryMb},
                       {"labels", stringsJson(node.labels)}});
    }
    partitions.push_back({{"name", partition.name.toStdString()},
                          {"state", partition.state.toStdString()},
                          {"timeLimit", partition.timeLimit},
                          {"nodes", nodes}});
  }
  return {{"name", cluster.name.toStdString()},
          {"destination", cluster.destination.toStdString()},
          {"partitions", partitions}};
}

nlohmann::json asJson(const Deployment& deployment) {
  nlohmann::json hosts = nlohmann::json::array();
  for (const Host& host : deployment.hosts) hosts.push_back(asJson(host));
  nlohmann::json clusters = nlohmann::json::array();
  for (const Cluster& cluster : deployment.clusters) clusters.push_back(asJson(cluster));
  return {{"file", deployment.file.toStdString()}, {"hosts", hosts}, {"clusters", clusters}};
}

QString orDash(double figure, const QString& unit) {
  return figure > 0 ? QStringLiteral("%1 %2").arg(figure, 0, 'f', 0).arg(unit)
                    : QStringLiteral("-");
}

/// Columns as wide as their longest text.
void printTable(QTextStream& out, const std::vector<QStringList>& rows) {
  std::vector<qsizetype> widths;
  for (const QStringList& row : rows) {
    widths.resize(std::max(widths.size(), std::size_t(row.size())));
    for (qsizetype i = 0; i < row.size(); ++i)
      widths[std::size_t(i)] = std::max(widths[std::size_t(i)], row[i].size());
  }
  for (const QStringList& row : rows) {
    QString line;
    for (qsizetype i = 0; i < row.size(); ++i)
      line += row[i].leftJustified(widths[std::size_t(i)] + 2);
    while (line.endsWith(u' ')) line.chop(1);
    out << line << '\n';
  }
}

QString counted(std::size_t number, const QString& noun) {
  return QStringLiteral("%1 %2%3").arg(number).arg(noun,
                                                   number == 1 ? QString{} : QStringLiteral("s"));
}

int show(Invocation& invocation, const QString& file) {
  const auto deployment = Deployment::read(file);
  if (!deployment) return invocation.fail(deployment.error().message());
  if (invocation.json) {
    invocation.print(asJson(*deployment));
    return Ok;
  }
  std::vector<QStringList> rows;
  for (const Host& host : deployment->hosts) {
    QStringList remarks = host.labels;
    if (host.spare) remarks << QStringLiteral("spare");
    rows.push_back(
        {host.name, host.isThisMachine() ? QStringLiteral("this machine") : host.destination,
         orDash(host.cores, QStringLiteral("cores")), orDash(host.memoryMb, QStringLiteral("MB")),
         remarks.join(QStringLiteral(", "))});
  }
  for (const Cluster& cluster : deployment->clusters) {
    for (const Partition& partition : cluster.partitions) {
      double cores = 0;
      double memory = 0;
      for (const ClusterNode& node : partition.nodes) {
        cores += node.cores;
        memory += node.memoryMb;
      }
      rows.push_back(
          {cluster.name + u'/' + partition.name,
           counted(partition.nodes.size(), QStringLiteral("node")),
           orDash(cores, QStringLiteral("cores")), orDash(memory, QStringLiteral("MB")),
           partition.state + (partition.timeLimit > 0
                                  ? QStringLiteral(", up to %1 min").arg(partition.timeLimit)
                                  : QString{})});
    }
  }
  printTable(invocation.out, rows);
  invocation.out << counted(deployment->hosts.size(), QStringLiteral("host")) << ", "
                 << counted(deployment->clusters.size(), QStringLiteral("cluster")) << Qt::endl;
  return Ok;
}

int importAll(Invocation& invocation) {
  const QString verb = QStringLiteral("hosts");
  const auto output = invocation.takeOption(QStringLiteral("-o"));
  const auto config = invocation.takeOption(QStringLiteral("--ssh-config"));
  const auto login = invocation.takeOption(QStringLiteral("--login"));
  const bool sinfo = invocation.takeFlag(QStringLiteral("--sinfo")) || login;
  if (!output || output->isEmpty())
    return invocation.usage(verb, QStringLiteral("import needs -o FILE"));
  if ((config && config->isEmpty()) || (login && login->isEmpty()))
    return invocation.usage(verb, QStringLiteral("--ssh-config and --login need a value"));
  if (!invocation.arguments.isEmpty())
    return invocation.usage(
        verb, QStringLiteral("\"%1\" is not understood").arg(invocation.arguments.join(u' ')));
  Deployment deployment;
  if (QFileInfo::exists(*output)) {
    auto known = Deployment::read(*output);
    if (!known) return invocation.fail(known.error().message());
    deployment = std::move(*known);
  }
  SshHosts hosts;
  if (config || !sinfo) {
    auto found = hostsOfSshConfig(config.value_or(QString{}));
    if (!found) return invocation.fail(found.error().message());
    hosts = std::move(*found);
  }
  std::vector<Cluster> clusters;
  if (sinfo) {
    auto found = askSinfo(login.value_or(QString{}));
    if (!found) return invocation.fail(found.error().message());
    clusters.push_back(std::move(*found));
  }
  merge(deployment, hosts.hosts, clusters);
  if (const auto saved = deployment.save(*output); !saved)
    return invocation.fail(saved.error().message());
  if (invocation.json) {
    deployment.file = QFileInfo{*output}.absoluteFilePath();
    nlohmann::json result = asJson(deployment);
    result["left"] = stringsJson(hosts.left);
    invocation.print(result);
    return Ok;
  }
  for (const QString& line : std::as_const(hosts.left)) invocation.err << line << Qt::endl;
  invocation.out << "imported " << counted(hosts.hosts.size(), QStringLiteral("host")) << " and "
                 << counted(clusters.size(), QStringLiteral("cluster")) << " into " << *output
                 << Qt::endl;
  return Ok;
}

int run(Invocation& invocation) {
  if (invocation.arguments.value(0) == QStringLiteral("import")) {
    invocation.arguments.removeFirst();
    return importAll(invocation);
  }
  if (invocation.arguments.size() != 1 || invocation.arguments.front().startsWith(u'-'))
    return invocation.usage(QStringLiteral("hosts"),
                            QStringLiteral("name one file of hosts, or import"));
  return show(invocation, invocation.arguments.front());
}

const RegisterVerb registered{
    {QStringLiteral("hosts"),
     QStringLiteral("FILE | import [--ssh-config FILE] [--sinfo | --login DESTINATION] -o FILE"),
     QStringLiteral("Show or import the hosts that federates can be placed on"),
     QStringLiteral(
         "FILE is a *.hosts.json. Shown are its hosts and the partitions of its Slurm clusters.\n"
         "import writes one, or adds to it; what it says of cores, memory and labels of a host "
         "stays.\n"
         "  without an option    the hosts of ~/.ssh/config, each under its alias\n"
         "  --ssh-config FILE    the hosts of another file, each with user, host name, port and "
         "files of\n"
         "                       keys; those behind a proxy are left out. ssh runs what \"Match "
         "exec\" of\n"
         "                       the file says: import only files that you trust\n"
         "  --sinfo              the Slurm cluster that this machine belongs to, as sinfo tells\n"
         "  --login DESTINATION  the cluster of that login host, by ssh\n"
         "Private keys are named, never read.\n"
         "Exit code 2: a file cannot be read or written, or ssh or sinfo is missing or fails; "
         "nothing is\n"
         "written then."),
     &run}};

}  // namespace
