// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/plan_hosts.h"

#include <QDir>
#include <QRegularExpression>
#include <QUrl>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "composer/model/catalog.h"
#include "composer/model/json_fields.h"

namespace tutti::launcher {

namespace {

using composer::Error;
using Json = nlohmann::json;

/// Both sides of a connection to a host say each second that they are there.
constexpr double leastSilenceSeconds = 3;
const QString linkOption = QStringLiteral("--link");
const std::string keyFile = "/proc/self/fd/" + std::to_string(Plan::keyDescriptor);

std::string bytes(const QString& text) { return text.toStdString(); }
QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

}  // namespace

QString logFileIn(const QString& folder, const QString& process) {
  // A federate's name may hold anything, '/' included.
  const QString name = QString::fromLatin1(QUrl::toPercentEncoding(process, " ", "."));
  return QDir(folder).filePath(name + QStringLiteral(".log"));
}

bool isLogName(const QString& file) {
  constexpr qsizetype mostLetters = 240;  // of 255 bytes; names here may be longer
  static const QRegularExpression form(
      QStringLiteral("\\A[A-Za-z0-9 _~%-][A-Za-z0-9 ._~%-]*\\.log\\z"));
  return file.size() <= mostLetters && form.match(file).hasMatch();
}

QString addressWithPort(const QString& address, quint16 port) {
  return (address.contains(u':') ? QStringLiteral("[%1]:%2") : QStringLiteral("%1:%2"))
      .arg(address)
      .arg(port);
}

QString hostNode(const QString& home, const QString& host) {
  // It becomes the name of shared memory, which has no folders.
  return home + u'.' + QString(host).replace(u'/', u'-');
}

const tl::expected<Deployment, Error>& Placing::deployment() {
  if (deployment_) return *deployment_;
  const QString file =
      options_.hostsFile.isEmpty() ? hostsFileOf(options_.compositionFile) : options_.hostsFile;
  deployment_ = file.isEmpty() ? Deployment() : Deployment::read(file);
  return *deployment_;
}

tl::expected<PlannedHost*, Error> Placing::place(const composer::Federate& federate,
                                                 LaunchPlan& plan, const QStringList& names) {
  if (federate.host.isEmpty()) return nullptr;
  const auto known = std::find_if(plan.hosts.begin(), plan.hosts.end(),
                                  [&](const auto& one) { return one.host.name == federate.host; });
  if (known != plan.hosts.end()) return &*known;
  const auto& hosts = deployment();
  if (!hosts) return tl::unexpected(hosts.error());
  const auto jobNode = hosts->jobNode(federate.host);
  if (jobNode && !*jobNode) {
    Error error = jobNode->error();
    error.what =
        QStringLiteral("%1 is placed on %2. %3").arg(federate.name, federate.host, error.what);
    return tl::unexpected(error);
  }
  const Host* described = jobNode ? &**jobNode : hosts->host(federate.host);
  if (described == nullptr) {
    const bool isThere = !hosts->file.isEmpty();
    return tl::unexpected(Error{
        options_.compositionFile, 0, QStringLiteral("/federates/") + federate.id,
        QStringLiteral("%1 is placed on the host %2, and %3.")
            .arg(federate.name, federate.host,
                 isThere ? QStringLiteral("%1 does not describe it").arg(hosts->file)
                         : QStringLiteral("there is no hosts file beside the composition")),
        isThere ? QStringLiteral("Add it there, or place %1 on another host.").arg(federate.name)
                : QStringLiteral("Describe it in a *.hosts.json there, or name one with "
                                 "--hosts FILE.")});
  }
  if (described->isThisMachine()) return nullptr;
  plan.hosts.push_back(planned(*described, plan, names));
  return &plan.hosts.back();
}

PlannedHost Placing::planned(const Host& host, const LaunchPlan& plan, const QStringList& names) {
  PlannedHost result;
  result.host = host;
  result.host.extra = Json::object();
  result.host.spare = false;  // Whether it is one for this plan is said of the planned host.
  result.node = hostNode(plan.node, host.name);
  result.nodeProcess = QStringLiteral("tutti-rti@") + host.name;
  while (names.contains(result.nodeProcess)) result.nodeProcess += u'+';
  return result;
}

void Placing::addSpares(LaunchPlan& plan, const composer::Composition& composition,
                        const composer::Catalog& catalog, const QStringList& names) const {
  if (!deployment_ || !*deployment_ || !(*deployment_)->restartsOnSpare) return;
  const Deployment& all = **deployment_;
  std::vector<PlannedHost> spares;
  for (const Host& host : all.hosts) {
    if (all.isSpare(host) && plan.host(host.name) == nullptr)
      spares.push_back(planned(host, plan, names));
  }
  std::map<std::pair<QString, QString>, int> last;  // number, by cluster and partition
  for (const auto& one : plan.hosts) {
    if (const auto& node = one.host.jobNode) {
      int& number = last[{node->cluster, node->partition}];
      number = std::max(number, node->number);
    }
  }
  for (const auto& [place, number] : last) {
    const Cluster* cluster = all.cluster(place.first);
    for (int more = 1; cluster != nullptr && more <= cluster->spareNodes; ++more) {
      const auto node =
          all.jobNode(place.first + u'/' + place.second + u'/' + QString::number(number + more));
      if (node && *node) spares.push_back(planned(**node, plan, names));
    }
  }
  plan.restartsOnSpare = true;
  bool anyComesBack = false;
  std::map<std::pair<QString, QString>, QStringList> asked;  // labels, by cluster and partition
  for (auto& federate : plan.federates) {
    const auto* box = composition.find(federate.federate);
    const auto* manifest = catalog.find(federate.component, federate.version);
    const auto* host = plan.host(federate.host);
    if (box == nullptr || manifest == nullptr || host == nullptr) continue;
    const auto resources = box->needs(manifest);
    if (const auto& node = host->host.jobNode)
      asked[{node->cluster, node->partition}] << resources.labels;
    if (!box->required || box->restart.when == composer::Restart::When::Never) continue;
    federate.spareNeeds = {resources.cores, resources.memory, resources.labels, box->apart};
    anyComesBack = true;
  }
  if (!anyComesBack) return;
  for (auto& spare : spares) {
    spare.spare = true;
    // Slurm chooses it as it chooses the nodes that were named for these components.
    if (const auto& node = spare.host.jobNode) {
      spare.host.labels << asked[{node->cluster, node->partition}];
      spare.host.labels.removeDuplicates();
    }
    plan.hosts.push_back(std::move(spare));
  }
}

double Placing::longestWait() const {
  return deployment_ && *deployment_ ? (*deployment_)->longestWait : 0;
}

QString Placing::homeAddress() const {
  if (!deployment_ || !*deployment_) return {};
  const Host* home = (*deployment_)->host({});
  return home == nullptr ? QString() : home->address;
}

void planHostNodes(LaunchPlan& plan) {
  if (plan.hosts.empty()) return;
  auto& processes = plan.plan.processes;
  PlannedProcess home = processes.front();
  home.command.insert(home.command.end(), {"--key-file", keyFile});
  home.getsKey = true;
  processes.front() = home;
  std::vector<PlannedProcess> nodes;
  for (const auto& host : plan.hosts) {
    PlannedProcess node;
    node.id = bytes(host.nodeProcess);
    node.command = {home.command.front(), "--shm", bytes(host.node), "--stay",
                    bytes(linkOption),    {},      "--key-file",     keyFile};
    node.getsKey = true;
    node.logFile = bytes(logFileIn(plan.folder, host.nodeProcess));
    node.waitFor = {home.id};
    node.ready = home.ready;
    node.stopLast = true;
    node.nice = home.nice;
    node.startOrder = home.startOrder;
    nodes.push_back(std::move(node));
  }
  processes.insert(processes.begin() + 1, nodes.begin(), nodes.end());
}

const PlannedHost* LaunchPlan::host(const QString& name) const {
  const auto found = std::find_if(hosts.begin(), hosts.end(),
                                  [&](const auto& one) { return one.host.name == name; });
  return found == hosts.end() ? nullptr : &*found;
}

bool LaunchPlan::hasSpares() const {
  return std::any_of(hosts.begin(), hosts.end(), [](const auto& one) { return one.spare; });
}

void LaunchPlan::dropHost(const QString& name) {
  const auto gone = std::find_if(hosts.begin(), hosts.end(),
                                 [&](const auto& one) { return one.host.name == name; });
  if (gone == hosts.end()) return;
  const std::string process = bytes(gone->nodeProcess);
  std::erase_if(plan.processes, [&](const auto& one) { return one.id == process; });
  hosts.erase(gone);
}

LaunchPlan LaunchPlan::withoutSpares() const {
  LaunchPlan result = *this;
  for (const auto& one : hosts) {
    if (one.spare) result.dropHost(one.host.name);
  }
  return result;
}

QString LaunchPlan::hostOf(const QString& process) const {
  for (const auto& one : hosts) {
    if (one.nodeProcess == process) return one.host.name;
  }
  const auto* known = federate(process);
  return known == nullptr ? QString() : known->host;
}

bool LaunchPlan::isNode(const QString& process) const {
  return process == nodeProcess || std::any_of(hosts.begin(), hosts.end(), [&](const auto& one) {
           return one.nodeProcess == process;
         });
}

Plan LaunchPlan::planOf(const QString& hostName) const {
  if (hosts.empty()) return plan;
  Plan part;
  const auto* there = host(hostName);
  part.run = there == nullptr ? plan.run : bytes(there->socketRun(run));
  part.graceSeconds = plan.graceSeconds;
  part.leads = hostName.isEmpty();
  if (!hostName.isEmpty()) part.silenceSeconds = silenceOfHosts() + 2 * longestWait;
  std::set<std::string> here;
  for (const auto& one : plan.processes) {
    if (hostOf(text(one.id)) != hostName) continue;
    part.processes.push_back(one);
    here.insert(one.id);
  }
  std::set<std::string> elsewhere;
  for (const auto& one : part.processes) {
    for (const auto& id : one.waitFor) {
      if (!here.contains(id)) elsewhere.insert(id);
    }
  }
  part.elsewhere.assign(elsewhere.begin(), elsewhere.end());
  return part;
}

qint64 LaunchPlan::job() const {
  for (const auto& one : hosts) {
    if (one.host.jobNode && one.host.jobNode->withHome) return one.host.jobNode->job;
  }
  return 0;
}

QString PlannedHost::socketRun(const QString& run) const {
  return host.jobNode && host.jobNode->withHome ? run + QStringLiteral("/beside") : run;
}

double LaunchPlan::silenceOfHosts() const { return std::max(grace, leastSilenceSeconds); }

void LaunchPlan::settle(const QString& hostName, const Site& site) {
  for (auto& one : hosts) {
    if (one.host.name != hostName) continue;
    one.folder = site.folder;
    one.supervisor = site.supervisor;
    one.libraries = site.libraries;
  }
  for (auto& one : plan.processes) {
    const QString id = text(one.id);
    if (hostOf(id) != hostName) continue;
    for (auto& word : one.command) word = bytes(site.there(text(word)));
    if (isNode(id)) {
      const auto link = std::find(one.command.begin(), one.command.end(), bytes(linkOption));
      if (link != one.command.end() && std::next(link) != one.command.end())
        *std::next(link) = bytes(site.home);
    }
    one.cwd = bytes(site.there(text(one.cwd)));
    for (auto& [name, value] : one.env) value = bytes(site.there(text(value)));
    if (!site.libraries.isEmpty()) {
      auto& path = one.env["LD_LIBRARY_PATH"];
      path = path.empty() ? bytes(site.libraries) : path + ":" + bytes(site.libraries);
    }
    one.logFile = bytes(logFileIn(site.folder, id));
  }
}

void LaunchPlan::listenAt(const QString& address) {
  for (auto& one : plan.processes) {
    if (one.id != bytes(nodeProcess)) continue;
    if (longestWait > 0)
      one.command.insert(one.command.end(),
                         {"--longest-wait", bytes(QString::number(longestWait))});
    one.command.insert(one.command.end(), {"--listen", bytes(address)});
    if (grace != usualGraceSeconds)
      one.command.insert(one.command.end(), {"--grace", bytes(QString::number(grace))});
  }
}

void LaunchPlan::listenByHand() {
  if (!hosts.empty() || listen.keyFile.isEmpty()) return;
  listenAt(addressWithPort(listen.address, listen.firstPort));
  for (auto& one : plan.processes) {
    if (one.id == bytes(nodeProcess))
      one.command.insert(one.command.end(), {"--key-file", bytes(listen.keyFile)});
  }
}

QStringList textsOf(const Json& object, const char* key) {
  QStringList result;
  for (const auto& one : object.value(key, Json::array())) result << text(one.get<std::string>());
  return result;
}

Json hostsPart(const std::vector<PlannedHost>& hosts) {
  Json list = Json::array();
  const bool haveSpares =
      std::any_of(hosts.begin(), hosts.end(), [](const auto& one) { return one.spare; });
  for (const auto& one : hosts) {
    list.push_back({{"name", bytes(one.host.name)},
                    {"destination", bytes(one.host.destination)},
                    {"identity_file", bytes(one.host.identityFile)},
                    {"known_hosts_file", bytes(one.host.knownHostsFile)},
                    {"port", one.host.port},
                    {"node", bytes(one.node)},
                    {"node_process", bytes(one.nodeProcess)},
                    {"folder", bytes(one.folder)},
                    {"supervisor", bytes(one.supervisor)},
                    {"libraries", bytes(one.libraries)},
                    {"memory_mb", one.memoryMb},
                    {"cores", one.cores}});
    if (haveSpares) {
      // A host that was lost may be the spare of the next run.
      list.back()["offers"] = {{"cores", one.host.cores},
                               {"memory_mb", one.host.memoryMb},
                               {"labels", composer::stringsJson(one.host.labels)}};
    }
    if (one.spare)
      list.back()["spare"] = {{"copies", bytes(one.copies)},
                              {"roots", composer::stringsJson(one.roots)}};
    if (!one.host.jobNode) continue;
    const JobNode& node = *one.host.jobNode;
    if (node.withHome) list.back()["with_home"] = true;
    list.back()["slurm"] = {{"cluster", bytes(node.cluster)},
                            {"partition", bytes(node.partition)},
                            {"number", node.number},
                            {"configuration", bytes(node.configuration)},
                            {"account", bytes(node.account)},
                            {"qos", bytes(node.qos)},
                            {"time_limit_min", node.timeLimit},
                            {"job", node.job},
                            {"node", bytes(node.node)},
                            {"save_before_limit_min", node.saveBeforeLimit},
                            {"continue", node.continues},
                            {"immediate", node.immediate},
                            {"exclusive", node.exclusive}};
  }
  return list;
}

std::vector<PlannedHost> readHostsPart(const Json& hosts) {
  std::vector<PlannedHost> result;
  const auto word = [](const Json& object, const char* key) {
    return text(object.value(key, std::string()));
  };
  for (const auto& one : hosts) {
    const auto string = [&](const char* key) { return word(one, key); };
    PlannedHost host;
    host.host.name = text(one.at("name").get<std::string>());
    host.host.destination = string("destination");
    host.host.identityFile = string("identity_file");
    host.host.knownHostsFile = string("known_hosts_file");
    host.host.port = one.value("port", 0);
    host.node = string("node");
    host.nodeProcess = string("node_process");
    host.folder = string("folder");
    host.supervisor = string("supervisor");
    host.libraries = string("libraries");
    host.memoryMb = one.value("memory_mb", 0.0);
    host.cores = one.value("cores", 0.0);
    if (one.contains("offers")) {
      const Json& offers = one.at("offers");
      host.host.cores = offers.value("cores", 0);
      host.host.memoryMb = offers.value("memory_mb", 0.0);
      host.host.labels = textsOf(offers, "labels");
    }
    if (one.contains("spare")) {
      host.spare = true;
      host.copies = word(one.at("spare"), "copies");
      host.roots = textsOf(one.at("spare"), "roots");
    }
    if (one.contains("slurm")) {
      const Json& node = one.at("slurm");
      host.host.jobNode = JobNode{word(node, "cluster"),
                                  word(node, "partition"),
                                  node.value("number", 1),
                                  word(node, "configuration"),
                                  word(node, "account"),
                                  word(node, "qos"),
                                  node.value("time_limit_min", 0),
                                  node.value("job", qint64(0)),
                                  word(node, "node"),
                                  node.value("save_before_limit_min", JobNode().saveBeforeLimit),
                                  node.value("continue", false),
                                  node.value("immediate", false),
                                  node.value("exclusive", false),
                                  one.value("with_home", false)};
    }
    result.push_back(std::move(host));
  }
  return result;
}

}  // namespace tutti::launcher
