// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/partition_placement.h"

#include <algorithm>
#include <set>

#include "launcher/ui/cluster_watch.h"
#include "launcher/ui/host_watch.h"
#include "resources/theme/format.h"

namespace tutti::launcher {

namespace {

int firstFree(const std::vector<int>& numbers) {
  int free = 1;
  while (std::find(numbers.begin(), numbers.end(), free) != numbers.end()) ++free;
  return free;
}

}  // namespace

PartitionPlacement::PartitionPlacement(composer::Document* document, HostWatch* hosts,
                                       ClusterWatch* clusters, QObject* parent)
    : QObject(parent), document_(document), hosts_(hosts), clusters_(clusters) {
  connect(clusters_, &ClusterWatch::clustersChanged, this, &PartitionPlacement::refresh);
  connect(clusters_, &ClusterWatch::clusterChanged, this, &PartitionPlacement::refresh);
}

void PartitionPlacement::setChosen(const PartitionName& partition) {
  chosen_ = partition;
  refresh();
}

void PartitionPlacement::refresh() {
  std::vector<JobNodeOffer> offers;
  for (const PartitionName& name : partitions()) {
    std::vector<int> numbers = numbersOf(name);
    const Partition* partition = find(name);
    const bool isOffered = !numbers.empty() || name == chosen_;
    const auto most = partition == nullptr || partition->nodes.empty() ? numbers.size() + 1
                                                                       : partition->nodes.size();
    if (isOffered && numbers.size() < most) {
      numbers.push_back(firstFree(numbers));
      std::sort(numbers.begin(), numbers.end());
    }
    const NodeNeed offer = partition == nullptr ? NodeNeed{} : offerOf(*partition);
    for (const int number : numbers) {
      const QString title = clusters_->clusters().size() > 1
                                ? tr("Node %1 of %2").arg(number).arg(name.text())
                                : tr("Node %1 of %2").arg(number).arg(name.partition);
      offers.push_back({name.node(number), title, offer.cores, offer.memoryMb, offer.labels});
    }
  }
  hosts_->setJobNodes(offers);
}

std::vector<PartitionName> PartitionPlacement::partitions() const {
  std::vector<PartitionName> result;
  for (const ClusterView& view : clusters_->clusters()) {
    for (const Partition& each : view.partitions())
      result.push_back({view.cluster.name, each.name});
    // Of a file that lists none, what the composition names.
    if (!view.cluster.partitions.empty()) continue;
    for (const auto& [id, federate] : document_->composition().federates) {
      const auto node = nodeOf(federate.host);
      if (node && node->first.cluster == view.cluster.name) result.push_back(node->first);
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::vector<PartitionName> PartitionPlacement::used() const {
  std::set<PartitionName> result;
  for (const auto& [id, federate] : document_->composition().federates) {
    const auto node = nodeOf(federate.host);
    if (federate.enabled && node) result.insert(node->first);
  }
  return {result.begin(), result.end()};
}

std::vector<int> PartitionPlacement::numbersOf(const PartitionName& partition) const {
  std::set<int> result;
  for (const auto& [id, federate] : document_->composition().federates) {
    const auto node = nodeOf(federate.host);
    if (node && node->first == partition) result.insert(node->second);
  }
  return {result.begin(), result.end()};
}

QString PartitionPlacement::freeNode(const PartitionName& partition) const {
  return partition.node(firstFree(numbersOf(partition)));
}

const Partition* PartitionPlacement::find(const PartitionName& partition) const {
  const ClusterView* view = clusters_->find(partition.cluster);
  if (view == nullptr) return nullptr;
  for (const Partition& each : view->partitions()) {
    if (each.name == partition.partition) return &each;
  }
  return nullptr;
}

std::optional<std::pair<PartitionName, int>> PartitionPlacement::nodeOf(const QString& host) const {
  const auto node = hosts_->deployment().jobNode(host);
  if (!node || !*node) return std::nullopt;
  const JobNode& is = *(*node)->jobNode;
  return std::pair{PartitionName{is.cluster, is.partition}, is.number};
}

PartitionPlacement::Required PartitionPlacement::requiredIn(const PartitionName& partition) const {
  Required result;
  for (const auto& [id, federate] : document_->composition().federates) {
    const auto node = nodeOf(federate.host);
    if (!federate.enabled || !federate.required || !node || node->first != partition) continue;
    const bool never = federate.restart.when == composer::Restart::When::Never;
    (never ? result.never : result.comeBack) += federate.count;
  }
  return result;
}

// ---- whether it can be given -------------------------------------------------------------------

std::map<QString, QString> PartitionPlacement::hostsNow() const {
  std::map<QString, QString> result;
  for (const auto& [id, federate] : document_->composition().federates) result[id] = federate.host;
  return result;
}

std::vector<NodeNeed> PartitionPlacement::needsIn(const std::map<QString, QString>& hosts,
                                                  const PartitionName& partition) const {
  std::map<int, NodeNeed> nodes;
  for (const auto& [id, host] : hosts) {
    const auto* federate = document_->federate(id);
    const auto node = nodeOf(host);
    if (federate == nullptr || !federate->enabled || !node || node->first != partition) continue;
    const NodeNeed need = nodeNeedOf(*federate, document_->manifestOf(id));
    NodeNeed& there = nodes[node->second];
    there.cores += need.cores;
    there.memoryMb += need.memoryMb;
    there.labels += need.labels;
  }
  std::vector<NodeNeed> result;
  for (auto& [number, need] : nodes) result.push_back(std::move(need));
  return result;
}

QString PartitionPlacement::whyNot(const QStringList& ids, const QString& host) const {
  const auto node = nodeOf(host);
  if (!node) return {};
  const Partition* partition = find(node->first);
  if (partition == nullptr) return {};
  auto hosts = hostsNow();
  for (const QString& id : ids) hosts[id] = host;
  return whyNotInPartition(*partition, needsIn(hosts, node->first));
}

QString PartitionPlacement::whyNot(const PartitionName& name) const {
  const Partition* partition = find(name);
  const ClusterView* view = clusters_->find(name.cluster);
  if (partition == nullptr || view == nullptr) return {};
  // Slurm takes such a job, and never starts it.
  if (partition->timeLimit > 0 && view->cluster.timeLimit > partition->timeLimit)
    return tr("Jobs in %1 run for %2 at most, and %3 are asked for: such a job never starts. Set a "
              "shorter time limit in the pane Allocation, or place the federates in another "
              "partition.")
        .arg(name.partition, durationText(60.0 * partition->timeLimit),
             durationText(60.0 * view->cluster.timeLimit));
  return whyNotInPartition(*partition, needsIn(hostsNow(), name));
}

// ---- changes of all of a partition -------------------------------------------------------------

QString PartitionPlacement::place(const std::map<QString, QString>& moved,
                                  const PartitionName& into, const QString& text) {
  auto hosts = hostsNow();
  for (const auto& [id, host] : moved) hosts[id] = host;
  const Partition* partition = find(into);
  if (partition != nullptr) {
    if (const QString why = whyNotInPartition(*partition, needsIn(hosts, into)); !why.isEmpty())
      return why;
  }
  document_->setHosts(moved, text);
  return {};
}

QString PartitionPlacement::moveAll(const PartitionName& from, const PartitionName& to) {
  std::map<QString, QString> moved;
  for (const auto& [id, host] : hostsNow()) {
    const auto node = nodeOf(host);
    if (node && node->first == from) moved[id] = to.node(node->second);
  }
  if (from == to || moved.empty()) return {};
  return place(moved, to, tr("move %1 to %2").arg(from.text(), to.text()));
}

std::vector<NodeFederate> PartitionPlacement::federatesIn(const PartitionName& partition) const {
  return launcher::federatesIn(document_->composition(), document_->catalog(), hosts_->deployment(),
                               partition.cluster, partition.partition);
}

double PartitionPlacement::coresNeeded(const PartitionName& partition) const {
  double cores = 0;
  for (const NodeFederate& one : federatesIn(partition)) cores += one.need.cores;
  return cores;
}

QString PartitionPlacement::spread(const PartitionName& partition, int nodes) {
  const auto numbers = spreadOver(federatesIn(partition), nodes);
  if (!numbers) return numbers.error();
  return put(*numbers, partition,
             tr("spread %1 over %2")
                 .arg(partition.text(), theme::formatNoun(nodes, tr("node"), tr("nodes"))));
}

QString PartitionPlacement::put(const std::map<QString, int>& numbers,
                                const PartitionName& partition, const QString& text) {
  std::map<QString, QString> moved;
  for (const auto& [id, number] : numbers) moved[id] = partition.node(number);
  return place(moved, partition, text);
}

}  // namespace tutti::launcher
