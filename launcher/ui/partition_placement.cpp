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

// ---- whether it can be given -------------------------------------------------------------------

NodeNeed PartitionPlacement::needOf(const composer::Federate& federate) const {
  NodeNeed need;
  need.cores = federate.count;
  if (const auto* manifest = document_->manifestOf(federate.id)) {
    need.cores = manifest->resources.cores * federate.count;
    need.memoryMb = manifest->resources.memory * federate.count;
    need.labels = manifest->resources.labels;
  }
  return need;
}

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
    const NodeNeed need = needOf(*federate);
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

QString PartitionPlacement::spread(const PartitionName& partition, int nodes) {
  struct One {
    QString id;
    double cores = 0;
    QStringList apart;
  };
  struct Target {
    double cores = 0;
    int federates = 0;
    QStringList sets;
  };
  std::vector<One> movable;
  std::vector<Target> targets(static_cast<std::size_t>(std::max(nodes, 1)));
  const auto put = [](Target& target, double cores, const QStringList& apart) {
    target.cores += cores;
    ++target.federates;
    target.sets += apart;
  };
  for (const auto& [id, federate] : document_->composition().federates) {
    const auto node = nodeOf(federate.host);
    if (!node || node->first != partition) continue;
    const double cores = federate.enabled ? needOf(federate).cores : 0;
    if (!federate.pinned)
      movable.push_back({id, cores, federate.apart});
    else if (node->second <= nodes)
      put(targets[static_cast<std::size_t>(node->second - 1)], cores, federate.apart);
    else
      return tr("%1 is pinned to node %2. Unpin it to use only %3.")
          .arg(federate.name)
          .arg(node->second)
          .arg(theme::formatNoun(nodes, tr("node"), tr("nodes")));
  }
  if (static_cast<int>(movable.size()) <
      nodes - static_cast<int>(std::count_if(targets.begin(), targets.end(),
                                             [](const Target& one) { return one.federates > 0; })))
    return tr("%1 cannot be spread over %2: a node without a federate is not asked for.")
        .arg(
            theme::formatNoun(static_cast<qint64>(movable.size()), tr("federate"), tr("federates")),
            theme::formatNoun(nodes, tr("node"), tr("nodes")));
  // The largest first, each to where there is least; equal ones by id, so that it is the same
  // again.
  std::stable_sort(movable.begin(), movable.end(),
                   [](const One& a, const One& b) { return a.cores > b.cores; });
  std::map<QString, QString> moved;
  std::size_t left = movable.size();
  for (const One& one : movable) {
    const auto empty = static_cast<std::size_t>(std::count_if(
        targets.begin(), targets.end(), [](const Target& each) { return each.federates == 0; }));
    // Those that remain have to fill the empty ones.
    const bool onlyEmpty = left-- <= empty;
    Target* best = nullptr;
    const auto rank = [&](const Target& each) {
      const bool meets = std::any_of(one.apart.begin(), one.apart.end(),
                                     [&](const QString& set) { return each.sets.contains(set); });
      return std::tuple(onlyEmpty && each.federates > 0, meets, each.cores, each.federates);
    };
    for (Target& each : targets) {
      if (best == nullptr || rank(each) < rank(*best)) best = &each;
    }
    put(*best, one.cores, one.apart);
    moved[one.id] = partition.node(static_cast<int>(best - targets.data()) + 1);
  }
  return place(moved, partition,
               tr("spread %1 over %2")
                   .arg(partition.text(), theme::formatNoun(nodes, tr("node"), tr("nodes"))));
}

}  // namespace tutti::launcher
