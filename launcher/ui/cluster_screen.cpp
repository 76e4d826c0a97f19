// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/cluster_screen.h"

#include <QDockWidget>

#include "launcher/engine/slurm_nodes.h"
#include "launcher/engine/slurm_replace.h"
#include "launcher/engine/slurm_script.h"
#include "launcher/engine/start_offer.h"
#include "launcher/ui/account_pane.h"
#include "launcher/ui/allocation_pane.h"
#include "launcher/ui/batch_jobs.h"
#include "launcher/ui/cluster_models.h"
#include "launcher/ui/cluster_panes.h"
#include "launcher/ui/cluster_preflight.h"
#include "launcher/ui/cluster_watch.h"
#include "launcher/ui/host_watch.h"
#include "launcher/ui/own_jobs_pane.h"
#include "launcher/ui/script_pane.h"
#include "resources/theme/widgets.h"
#include "resources/theme/workspace.h"

namespace tutti::launcher {

ClusterScreen::ClusterScreen(theme::Workspace* page, HostWatch* hosts, ClusterWatch* clusters,
                             PartitionPlacement* partitions, const Neighbours& neighbours)
    : QObject(page),
      page_(page),
      hosts_(hosts),
      clusters_(clusters),
      partitions_(partitions),
      preflight_(new ClusterPreflight(this)),
      panes_(new ClusterPanes(page, clusters)),
      batch_(new BatchJobs(page)) {
  page_->tabifyDockWidget(neighbours.nodes, panes_->nodesDock());
  page_->tabifyDockWidget(neighbours.queue, panes_->queueDock());
  neighbours.nodes->raise();
  addAllocation(neighbours.allocation);
  addScript();
  addAccount();
  connect(panes_, &ClusterPanes::partitionChanged, this, &ClusterScreen::offerNodes);
  connect(panes_->partitions(), &PartitionsModel::dropped, this,
          [this](const QStringList& ids, const QString& partition) {
            Q_EMIT federatesDropped(ids, {panes_->cluster(), partition});
          });
  connect(panes_, &ClusterPanes::failed, this, &ClusterScreen::failed);
  connect(panes_, &ClusterPanes::done, this, &ClusterScreen::done);
  connect(preflight_, &ClusterPreflight::changed, this, &ClusterScreen::changed);
}

void ClusterScreen::addAllocation(QDockWidget* behind) {
  allocation_ = new AllocationPane(hosts_, clusters_, partitions_, preflight_, page_);
  auto* dock = page_->addPane(QStringLiteral("allocationPane"), tr("Allocation"), allocation_,
                              Qt::RightDockWidgetArea, 380);
  panes_->follow(dock);
  page_->tabifyDockWidget(behind, dock);
  behind->raise();
  const auto caption = [this, dock] {
    const PartitionName& current = allocation_->current();
    const SubmittedJob* job = allocation_->submitted();
    page_->titleBar(dock)->setCaption(
        job != nullptr      ? tr("job %1 on %2").arg(job->place.job).arg(job->place.cluster)
        : current.isValid() ? current.text()
                            : QString());
  };
  connect(allocation_, &AllocationPane::currentChanged, this, caption);
  connect(allocation_, &AllocationPane::submittedChanged, this, caption);
  connect(allocation_, &AllocationPane::replaceRequested, this, &ClusterScreen::runRequested);
  connect(preflight_, &ClusterPreflight::changed, this, caption);
  connect(allocation_, &AllocationPane::offerTaken, this, &ClusterScreen::take);
}

void ClusterScreen::take(const StartOffer& offer, bool start) {
  const PartitionName name{offer.request.cluster.name, offer.request.partition};
  const int nodes = offer.request.nodes;
  if (static_cast<int>(partitions_->numbersOf(name).size()) != nodes) {
    if (const QString why = partitions_->spread(name, nodes); !why.isEmpty()) {
      Q_EMIT failed(tr("%1 was not placed so").arg(name.text()), why);
      return;
    }
  }
  if (!start) {
    Q_EMIT placementRequested();
    return;
  }
  if (offer.isShorter) {
    const auto changed = hosts_->change(hosts_->file(), [&](Deployment& deployment) {
      for (Cluster& cluster : deployment.clusters) {
        if (cluster.name == name.cluster) cluster.timeLimit = offer.request.cluster.timeLimit;
      }
    });
    if (!changed) {
      Q_EMIT failed(tr("The time limit was not changed"), changed.error().message());
      return;
    }
  }
  Q_EMIT runRequested();
}

void ClusterScreen::addScript() {
  script_ = new ScriptPane(page_);
  scriptDock_ = page_->addPane(QStringLiteral("scriptPane"), tr("sbatch script"), script_,
                               Qt::BottomDockWidgetArea, 230);
  page_->titleBar(scriptDock_)->setCaption(tr("starts this composition without a console"));
  page_->titleBar(scriptDock_)->addAction(script_->copyAction());
  page_->titleBar(scriptDock_)->addAction(script_->saveAction());
  panes_->follow(scriptDock_);
  page_->tabifyDockWidget(panes_->queueDock(), scriptDock_);
  connect(script_, &ScriptPane::failed, this, &ClusterScreen::failed);
  connect(script_, &ScriptPane::done, this, &ClusterScreen::done);
  connect(allocation_, &AllocationPane::scriptRequested, this, [this] {
    scriptDock_->show();
    scriptDock_->raise();
  });
}

void ClusterScreen::addAccount() {
  ownJobs_ = new OwnJobsPane(page_);
  ownJobsDock_ = page_->addPane(QStringLiteral("ownJobsPane"), tr("Your jobs"), ownJobs_,
                                Qt::LeftDockWidgetArea, 288);
  account_ = new AccountPane(page_);
  accountDock_ = page_->addPane(QStringLiteral("accountPane"), tr("Account"), account_,
                                Qt::LeftDockWidgetArea, 288);
  for (QDockWidget* dock : {ownJobsDock_, accountDock_}) panes_->follow(dock);
  connect(ownJobs_, &OwnJobsPane::jobChosen, panes_, &ClusterPanes::showJob);
  ownJobs_->setActions({batch_->watchAction(), batch_->endAction()});
  page_->titleBar(ownJobsDock_)->addAction(batch_->watchAction());
  page_->titleBar(ownJobsDock_)->addAction(batch_->endAction());
  connect(ownJobs_, &OwnJobsPane::currentChanged, this, [this] {
    const ClusterView* view = clusters_->find(panes_->cluster());
    batch_->setJob(view == nullptr ? Cluster() : view->cluster, ownJobs_->current());
  });
  connect(batch_, &BatchJobs::queueChanged, clusters_, &ClusterWatch::ask);
  connect(batch_, &BatchJobs::failed, this, &ClusterScreen::failed);
  connect(batch_, &BatchJobs::done, this, &ClusterScreen::done);
  connect(clusters_, &ClusterWatch::clusterChanged, this, &ClusterScreen::showAccount);
  connect(clusters_, &ClusterWatch::clustersChanged, this, &ClusterScreen::showAccount);
  connect(preflight_, &ClusterPreflight::changed, this, &ClusterScreen::showAccount);
  connect(allocation_, &AllocationPane::currentChanged, this, &ClusterScreen::showAccount);
  showAccount();
}

void ClusterScreen::showAccount() {
  const ClusterView* view = clusters_->find(panes_->cluster());
  const auto state = view == nullptr ? std::optional<ClusterState>() : view->state;
  ownJobs_->setState(state);
  page_->titleBar(ownJobsDock_)
      ->setCaption(ownJobs_->count() > 0 ? QString::number(ownJobs_->count()) : QString());
  AccountPane::Figures figures;
  figures.cluster = panes_->cluster();
  if (view != nullptr) {
    figures.account = view->account;
    figures.problem = view->accountProblem;
  }
  if (state) {
    for (const SlurmJob& job : state->jobs) figures.jobs += state->isOwn(job) && !job.waits();
  }
  const PartitionName& asked = allocation_->current();
  const auto* finding = preflight_->find(asked.cluster, asked.partition);
  if (finding != nullptr && asked.cluster == figures.cluster) {
    const Partition* partition = partitions_->find(asked);
    figures.isAskedFor = true;
    figures.jobHours =
        nodeHoursAtMost(finding->request, partition == nullptr ? Partition() : *partition);
  }
  page_->titleBar(accountDock_)->setCaption(figures.account ? figures.account->name : QString());
  account_->setFigures(figures);
}

void ClusterScreen::setPlan(const std::optional<LaunchPlan>& plan, const QStringList& binaryFolders,
                            const QString& architecture) {
  plan_ = plan;
  preflight_->setPlan(plan, [this](const Allocation::Request& wanted) {
    const PartitionName name{wanted.cluster.name, wanted.partition};
    const Partition* partition = partitions_->find(name);
    return withFewerNodes(wanted, partitions_->federatesIn(name),
                          partition == nullptr ? Partition() : *partition);
  });
  allocation_->refresh();
  showSubmitted();
  const auto tutti = programOfTutti(QStringLiteral("tutti"), binaryFolders);
  script_->setPlan(plan, hosts_->file(), tutti);
  // What has no script has no job; a composition that was never saved has a job all the same.
  BatchRequest request;
  QString why = script_->why();
  if (plan && tutti) {
    request.plan = *plan;
    request.architecture = architecture;
    request.tutti = *tutti;
    const auto script = sbatchScript(*plan, {*tutti});
    why = script ? QString() : script.error().what + u' ' + script.error().next;
  }
  batch_->setRequest(plan && tutti ? std::optional(request) : std::nullopt, why);
}

void ClusterScreen::setSubmitted(const std::shared_ptr<const LaunchPlan>& plan,
                                 const std::vector<QueuePlace>& places) {
  if (plan == submitted_ && places == places_) return;
  submitted_ = plan;
  places_ = places;
  showSubmitted();
}

QStringList ClusterScreen::changesSince(const QueuePlace& place) const {
  // What cannot be planned cannot be submitted either; the pre-flight says why.
  if (!plan_ || !submitted_) return {};
  const auto find = [](const std::vector<Allocation::Request>& requests, const QString& cluster,
                       const QString& partition) -> const Allocation::Request* {
    for (const Allocation::Request& one : requests) {
      if (one.cluster.name == cluster && (partition.isEmpty() || one.partition == partition))
        return &one;
    }
    return nullptr;
  };
  const auto before = requestsOf(*submitted_);
  const auto after = requestsOf(*plan_);
  const auto* was = find(before, place.cluster, place.partition);
  const auto* is = find(after, place.cluster, place.partition);
  if (is == nullptr) is = find(after, place.cluster, {});
  QStringList changes;
  if (is == nullptr)
    changes << tr("no federate on a node of %1").arg(place.cluster);
  else if (was != nullptr)
    changes = requestChanges(*was, *is);
  const QString same = QStringLiteral("same");
  if (changes.isEmpty() && plan_->renewed(same).toBytes() != submitted_->renewed(same).toBytes())
    changes << tr("the composition");
  return changes;
}

void ClusterScreen::showSubmitted() {
  std::vector<SubmittedJob> jobs;
  for (const QueuePlace& place : places_) jobs.push_back({place, changesSince(place)});
  allocation_->setSubmitted(jobs);
}

void ClusterScreen::setActive(bool active) {
  clusters_->setActive(active);
  preflight_->setActive(active);
}

void ClusterScreen::choose(const QString& cluster) {
  panes_->show(cluster);
  panes_->raise();
  showAccount();
  offerNodes();
}

void ClusterScreen::offerNodes() {
  const QString partition = panes_->partition();
  const auto* known = panes_->partitions();
  // The only one needs no choice.
  const bool only = partition.isEmpty() && known->rowCount() == 1;
  partitions_->setChosen(
      {panes_->cluster(),
       only ? known->index(0, 0).data(PartitionsModel::NameRole).toString() : partition});
}

void ClusterScreen::askAgain() {
  clusters_->askAll();
  preflight_->askAgain();
}

std::vector<PreflightCheck> ClusterScreen::checks() const {
  std::vector<PreflightCheck> result;
  for (const PartitionName& partition : partitions_->used()) {
    const QString why = partitions_->whyNot(partition);
    if (why.isEmpty()) continue;
    result.push_back(
        {QStringLiteral("partition-") + partition.text(),
         PreflightCheck::Level::Error,
         tr("%1 cannot give what is placed there").arg(partition.text()),
         why,
         partition.text(),
         {},
         {{tr("Open the allocation"), {}, {}, QStringLiteral("allocation ") + partition.cluster}}});
  }
  const auto forecasts = preflight_->checks();
  result.insert(result.end(), forecasts.begin(), forecasts.end());
  return result;
}

}  // namespace tutti::launcher
