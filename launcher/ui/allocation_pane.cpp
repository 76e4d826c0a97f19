// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/allocation_pane.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "launcher/ui/cluster_models.h"
#include "launcher/ui/cluster_preflight.h"
#include "launcher/ui/cluster_watch.h"
#include "launcher/ui/host_watch.h"
#include "launcher/ui/queue_timeline.h"
#include "launcher/ui/replace_line.h"
#include "launcher/ui/start_offer_box.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

using theme::State;

namespace {

constexpr int mostMinutes = 5'000'000;
constexpr int mostNodes = 10'000;
constexpr int wideField = 200;
constexpr int iconMargin = 8;
constexpr int iconSize = 16;

/// What a person should know, on the tint of a warning, with its icon at the top left.
class WarningNote : public QFrame {
 public:
  using QFrame::QFrame;

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const auto palette = theme::Palette::of(this);
    painter.fillRect(rect(), theme::colors(State::Warning, palette).tint);
    theme::paintState(painter, QRectF(iconMargin, 9, iconSize, iconSize), State::Warning, palette);
  }
};

}  // namespace

AllocationPane::AllocationPane(HostWatch* hosts, ClusterWatch* clusters,
                               PartitionPlacement* partitions, ClusterPreflight* preflight,
                               QWidget* parent)
    : QWidget(parent),
      hosts_(hosts),
      clusters_(clusters),
      partitions_(partitions),
      preflight_(preflight) {
  setObjectName(QStringLiteral("allocationPage"));
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  build();
  connect(preflight_, &ClusterPreflight::changed, this, &AllocationPane::showFinding);
  connect(clusters_, &ClusterWatch::clusterChanged, this, &AllocationPane::refresh);
  theme::followTheme(this, [this](const theme::Palette& palette) {
    icon_->setPixmap(theme::statePixmap(state_, 20, palette, devicePixelRatioF()));
  });
  refresh();
}

void AllocationPane::build() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  empty_ = new QWidget(this);
  auto* emptyColumn = new QVBoxLayout(empty_);
  emptyColumn->setContentsMargins(16, 14, 16, 14);
  auto* sentence = theme::makeLabel(
      tr("No federate is on a node of a cluster, so nothing is asked of Slurm. Drop federates on a "
         "partition at the left, or choose one there and drop them on its first node."),
      "caption", empty_);
  sentence->setObjectName(QStringLiteral("allocationEmpty"));
  sentence->setWordWrap(true);
  emptyColumn->addWidget(sentence);
  column->addWidget(empty_);

  page_ = new QWidget(this);
  auto* rows = new QVBoxLayout(page_);
  rows->setContentsMargins(16, 12, 16, 12);
  rows->setSpacing(10);
  auto* top = new QHBoxLayout;
  top->setSpacing(10);
  icon_ = new QLabel(page_);
  top->addWidget(icon_, 0, Qt::AlignTop);
  auto* said = new QVBoxLayout;
  said->setSpacing(2);
  headline_ = theme::makeLabel({}, "title", page_);
  headline_->setObjectName(QStringLiteral("allocationHeadline"));
  headline_->setWordWrap(true);
  detail_ = theme::makeLabel({}, "caption", page_);
  detail_->setObjectName(QStringLiteral("allocationDetail"));
  detail_->setWordWrap(true);
  detail_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  said->addWidget(headline_);
  said->addWidget(detail_);
  top->addLayout(said, 1);
  again_ = new QPushButton(tr("Ask again"), page_);
  again_->setObjectName(QStringLiteral("allocationAgain"));
  again_->setProperty("dense", true);
  connect(again_, &QPushButton::clicked, preflight_, &ClusterPreflight::askAgain);
  top->addWidget(again_, 0, Qt::AlignTop);
  rows->addLayout(top);
  offer_ = new StartOfferBox(page_);
  connect(offer_, &StartOfferBox::startRequested, this,
          [this] { Q_EMIT offerTaken(StartOffer(*offer_->offer()), true); });
  connect(offer_, &StartOfferBox::placementRequested, this,
          [this] { Q_EMIT offerTaken(StartOffer(*offer_->offer()), false); });
  rows->addWidget(offer_);
  rows->addWidget(theme::rule(page_));
  which_ = new QComboBox(page_);
  which_->setObjectName(QStringLiteral("allocationWhich"));
  which_->setAccessibleName(tr("Job"));
  connect(which_, &QComboBox::activated, this, [this](int index) {
    const auto used = partitions_->used();
    if (index >= 0 && static_cast<std::size_t>(index) < used.size())
      setCurrent(used[static_cast<std::size_t>(index)]);
  });
  rows->addWidget(which_);
  rows->addWidget(theme::makeLabel(tr("What is asked for"), "label", page_));

  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(10);
  grid->setVerticalSpacing(8);
  grid->setColumnStretch(2, 1);
  int row = 0;
  const auto add = [&](const char* name, const QString& text, QWidget* field) {
    field->setObjectName(QLatin1String(name));
    field->setAccessibleName(text);
    field->setFixedWidth(132);
    auto* label = theme::makeLabel(text, "secondary", page_);
    label->setBuddy(field);
    auto* note = theme::makeLabel({}, "caption", page_);
    note->setWordWrap(true);
    grid->addWidget(label, row, 0);
    grid->addWidget(field, row, 1);
    grid->addWidget(note, row++, 2);
    return note;
  };
  partition_ = new QComboBox(page_);
  partitionNote_ = add("allocationPartition", tr("Partition"), partition_);
  nodes_ = new QSpinBox(page_);
  nodes_->setRange(1, mostNodes);
  nodes_->setKeyboardTracking(false);
  nodesNote_ = add("allocationNodes", tr("Nodes"), nodes_);
  limit_ = new QSpinBox(page_);
  limit_->setRange(0, mostMinutes);
  limit_->setSuffix(tr(" min"));
  limit_->setKeyboardTracking(false);
  limitNote_ = add("allocationLimit", tr("Time limit"), limit_);
  save_ = new QSpinBox(page_);
  save_->setRange(0, mostMinutes);
  save_->setSuffix(tr(" min before"));
  save_->setSpecialValueText(tr("never"));
  save_->setKeyboardTracking(false);
  add("allocationSave", tr("Save"), save_)->setText(tr("of the federation, before the limit"));
  continue_ = new QCheckBox(tr("In another job"), page_);
  add("allocationContinue", tr("Continue"), continue_)
      ->setText(tr("from that save, after the limit"));
  account_ = new QLineEdit(page_);
  account_->setPlaceholderText(tr("your own"));
  accountNote_ = add("allocationAccount", tr("Account"), account_);
  qos_ = new QLineEdit(page_);
  qos_->setPlaceholderText(tr("the account's"));
  add("allocationQos", tr("Quality of service"), qos_);
  start_ = new theme::SegmentedControl({tr("Queue"), tr("Now or not at all")}, page_);
  start_->setObjectName(QStringLiteral("allocationStart"));
  start_->setAccessibleName(tr("Start"));
  start_->setToolTip(theme::wrappedTip(
      tr("Now or not at all: nothing is started unless Slurm gives the nodes within ten seconds "
         "(salloc --immediate).")));
  grid->addWidget(theme::makeLabel(tr("Start"), "secondary", page_), row, 0);
  grid->addWidget(start_, row++, 1, 1, 2, Qt::AlignLeft);
  exclusive_ = new QCheckBox(tr("No, each node for this run alone"), page_);
  exclusive_->setObjectName(QStringLiteral("allocationExclusive"));
  exclusive_->setToolTip(theme::wrappedTip(
      tr("No other job gets cores of a node that this one has (--exclusive). A whole node may be "
         "waited for longer.")));
  auto* shared = theme::makeLabel(tr("Nodes shared"), "secondary", page_);
  shared->setBuddy(exclusive_);
  grid->addWidget(shared, row, 0);
  grid->addWidget(exclusive_, row++, 1, 1, 2);
  ifNodeDies_ = new QComboBox(page_);
  ifNodeDies_->addItem(tr("Do not restart"));
  ifNodeDies_->addItem(tr("Restart on a spare node"));
  ifNodeDies_->setToolTip(
      tr("Required federates of a node that fails are started again on a spare one, unless their "
         "restart policy is \"never\". It holds for all hosts of the file."));
  add("allocationIfNodeDies", tr("If a node dies"), ifNodeDies_)->hide();
  // Its words need the place of the note.
  ifNodeDies_->setFixedWidth(wideField);
  grid->removeWidget(ifNodeDies_);
  grid->addWidget(ifNodeDies_, row - 1, 1, 1, 2, Qt::AlignLeft);
  spares_ = new QSpinBox(page_);
  spares_->setRange(0, mostNodes);
  spares_->setKeyboardTracking(false);
  sparesNote_ = add("allocationSpares", tr("Spare nodes"), spares_);
  rows->addLayout(grid);
  rows->addWidget(buildNoSpare());
  fileNote_ = theme::makeLabel({}, "caption", page_);
  fileNote_->setWordWrap(true);
  rows->addWidget(fileNote_);
  problem_ = theme::makeLabel({}, "error", page_);
  problem_->setObjectName(QStringLiteral("allocationProblem"));
  problem_->setWordWrap(true);
  problem_->hide();
  rows->addWidget(problem_);
  auto* script =
      new QPushButton(theme::icon(QStringLiteral("document")), tr("Show the sbatch script"), page_);
  script->setObjectName(QStringLiteral("allocationScript"));
  connect(script, &QPushButton::clicked, this, &AllocationPane::scriptRequested);
  rows->addWidget(script);
  replace_ = new ReplaceLine(page_);
  connect(replace_, &ReplaceLine::replaceRequested, this, &AllocationPane::replaceRequested);
  rows->addWidget(replace_);
  rows->addStretch(1);
  scroll_ = new QScrollArea(this);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setWidget(page_);
  // What is asked for has the pane's ground, not the window's.
  page_->setBackgroundRole(QPalette::Base);
  scroll_->viewport()->setBackgroundRole(QPalette::Base);
  column->addWidget(scroll_, 1);
  column->addStretch(0);

  connect(partition_, &QComboBox::activated, this, &AllocationPane::changePartition);
  connect(nodes_, &QSpinBox::valueChanged, this, &AllocationPane::changeNodes);
  connect(limit_, &QSpinBox::valueChanged, this, &AllocationPane::changeCluster);
  connect(save_, &QSpinBox::valueChanged, this, &AllocationPane::changeCluster);
  connect(continue_, &QCheckBox::toggled, this, &AllocationPane::changeCluster);
  connect(start_, &theme::SegmentedControl::currentIndexChanged, this,
          &AllocationPane::changeCluster);
  connect(exclusive_, &QCheckBox::toggled, this, &AllocationPane::changeCluster);
  connect(ifNodeDies_, &QComboBox::activated, this,
          [this](int index) { changeSpares(index == 1, spares_->value()); });
  connect(spares_, &QSpinBox::valueChanged, this,
          [this](int nodes) { changeSpares(ifNodeDies_->currentIndex() == 1, nodes); });
  connect(account_, &QLineEdit::editingFinished, this, &AllocationPane::changeCluster);
  connect(qos_, &QLineEdit::editingFinished, this, &AllocationPane::changeCluster);
}

QWidget* AllocationPane::buildNoSpare() {
  noSpare_ = new WarningNote(page_);
  noSpare_->setObjectName(QStringLiteral("allocationNoSpare"));
  auto* row = new QHBoxLayout(noSpare_);
  row->setContentsMargins(iconMargin + iconSize + 8, 8, 8, 8);
  row->setSpacing(8);
  auto* said = new QVBoxLayout;
  said->setSpacing(2);
  noSpareTitle_ = theme::makeLabel({}, "heading", noSpare_);
  noSpareTitle_->setObjectName(QStringLiteral("allocationNoSpareTitle"));
  noSpareDetail_ = theme::makeLabel({}, "caption", noSpare_);
  noSpareDetail_->setObjectName(QStringLiteral("allocationNoSpareDetail"));
  for (QLabel* label : {noSpareTitle_, noSpareDetail_}) {
    label->setWordWrap(true);
    said->addWidget(label);
  }
  row->addLayout(said, 1);
  askForSpare_ = new QPushButton(noSpare_);
  askForSpare_->setObjectName(QStringLiteral("allocationAskForSpare"));
  askForSpare_->setProperty("dense", true);
  connect(askForSpare_, &QPushButton::clicked, this, [this] { changeSpares(true, 1); });
  row->addWidget(askForSpare_, 0, Qt::AlignTop);
  return noSpare_;
}

void AllocationPane::setCurrent(const PartitionName& partition) {
  if (partition == current_) return;
  current_ = partition;
  showProblem({});
  refresh();
  Q_EMIT currentChanged();
}

void AllocationPane::refresh() {
  const auto used = partitions_->used();
  const bool known = std::find(used.begin(), used.end(), current_) != used.end();
  if (!known) current_ = used.empty() ? PartitionName{} : used.front();
  empty_->setVisible(used.empty());
  scroll_->setVisible(!used.empty());
  if (used.empty()) return;
  fill();
  showFinding();
}

void AllocationPane::fill() {
  const QSignalBlocker blocked[] = {QSignalBlocker(which_),  QSignalBlocker(partition_),
                                    QSignalBlocker(nodes_),  QSignalBlocker(limit_),
                                    QSignalBlocker(save_),   QSignalBlocker(continue_),
                                    QSignalBlocker(start_),  QSignalBlocker(exclusive_),
                                    QSignalBlocker(spares_), QSignalBlocker(ifNodeDies_)};
  const auto used = partitions_->used();
  which_->setVisible(used.size() > 1);
  which_->clear();
  for (const PartitionName& each : used) {
    which_->addItem(tr("Job in %1").arg(each.text()));
    if (each == current_) which_->setCurrentIndex(which_->count() - 1);
  }
  partition_->clear();
  for (const PartitionName& each : partitions_->partitions()) {
    if (each.cluster != current_.cluster) continue;
    partition_->addItem(each.partition);
    if (each == current_) partition_->setCurrentIndex(partition_->count() - 1);
  }
  const Partition* partition = partitions_->find(current_);
  const NodeNeed offer = partition == nullptr ? NodeNeed{} : offerOf(*partition);
  partitionNote_->setText(offer.cores <= 0 ? QString()
                                           : tr("up to %1 cores, %2 each")
                                                 .arg(QString::number(offer.cores, 'g', 4),
                                                      offer.memoryMb > 0
                                                          ? theme::formatBytes(offer.memoryMb * 1e6)
                                                          : tr("memory not known")));
  // One that is being typed stays.
  if (!nodes_->hasFocus())
    nodes_->setValue(static_cast<int>(partitions_->numbersOf(current_).size()));
  const ClusterView* view = clusters_->find(current_.cluster);
  if (view == nullptr) return;
  const Cluster& cluster = view->cluster;
  if (!limit_->hasFocus()) limit_->setValue(cluster.timeLimit);
  limit_->setSpecialValueText(tr("not set"));
  if (!save_->hasFocus()) save_->setValue(cluster.saveBeforeLimit);
  continue_->setChecked(cluster.continues);
  continue_->setEnabled(cluster.saveBeforeLimit > 0);
  start_->setCurrentIndex(cluster.immediate ? 1 : 0);
  exclusive_->setChecked(cluster.exclusive);
  if (!account_->hasFocus()) account_->setText(cluster.account);
  if (!qos_->hasFocus()) qos_->setText(cluster.qos);
  showSpares(cluster);
  fileNote_->setText(tr("All but partition and nodes are those of all jobs on %1, in %2.")
                         .arg(current_.cluster, QFileInfo(hosts_->file()).fileName()));
}

void AllocationPane::setSubmitted(const std::vector<SubmittedJob>& jobs) {
  if (jobs == submitted_) return;
  submitted_ = jobs;
  showFinding();
  Q_EMIT submittedChanged();
}

const SubmittedJob* AllocationPane::submitted() const {
  const auto found =
      std::find_if(submitted_.begin(), submitted_.end(), [&](const SubmittedJob& one) {
        return one.place.cluster == current_.cluster && one.place.partition == current_.partition;
      });
  if (found != submitted_.end()) return &*found;
  return submitted_.empty() ? nullptr : &submitted_.front();
}

void AllocationPane::showSpares(const Cluster& cluster) {
  const Deployment& all = hosts_->deployment();
  const bool restarts = all.restartsOnSpare;
  ifNodeDies_->setCurrentIndex(restarts ? 1 : 0);
  if (!spares_->hasFocus()) spares_->setValue(cluster.spareNodes);
  spares_->setEnabled(restarts);
  sparesNote_->setText(restarts && cluster.spareNodes > 0
                           ? tr("asked for besides, in each partition")
                           : tr("none asked for"));
  const auto required = partitions_->requiredIn(current_);
  const bool isMarked = std::any_of(all.hosts.begin(), all.hosts.end(),
                                    [&](const Host& one) { return all.isSpare(one); });
  const bool hasSpare = restarts && (cluster.spareNodes > 0 || isMarked);
  const int count = required.comeBack + (hasSpare ? 0 : required.never);
  noSpare_->setVisible(hasSpare ? required.never > 0 : count > 0);
  const QString federates = theme::formatNoun(hasSpare ? required.never : count,
                                              tr("required federate"), tr("required federates"));
  const bool helps = !hasSpare && required.comeBack > 0;
  noSpareTitle_->setText(hasSpare ? tr("A lost node can stop the run")
                                  : tr("No spare: a lost node stops the run"));
  noSpareDetail_->setText(
      helps ? tr("%1 would have no node.").arg(federates)
            : tr("%1 would not be started again: the restart policy is \"never\". Launch order "
                 "changes it.")
                  .arg(federates));
  askForSpare_->setVisible(helps);
  askForSpare_->setText(
      tr("Ask for %1")
          .arg(theme::formatNoun(static_cast<int>(partitions_->numbersOf(current_).size()) + 1,
                                 tr("node"), tr("nodes"))));
}

QString AllocationPane::headline() const { return headline_->text(); }

void AllocationPane::showFinding() {
  const SubmittedJob* job = submitted();
  replace_->setJob(job == nullptr ? std::nullopt : std::optional(*job));
  if (!current_.isValid()) return;
  const auto* finding = preflight_->find(current_.cluster, current_.partition);
  const QString why = partitions_->whyNot(current_);
  QString title;
  QString detail;
  if (job != nullptr && job->changes.isEmpty()) {
    const auto now = QDateTime::currentDateTime();
    const QueuePlace& place = job->place;
    state_ = State::Starting;
    title = place.start.isValid()
                ? tr("Starts about %1, in %2")
                      .arg(theme::formatMoment(place.start, now),
                           durationText(static_cast<double>(now.secsTo(place.start))))
                : tr("Waits, no start planned");
    detail = place.place > 0
                 ? tr("%1 in the queue of %2").arg(ordinal(place.place), place.partition)
                 : tr("in the queue of %1").arg(place.partition);
    if (!place.reason.isEmpty()) detail = tr("%1 (%2)").arg(detail, place.reason);
    detail += endsBefore(place);
  } else if (!why.isEmpty()) {
    state_ = State::Error;
    title = tr("%1 cannot give this").arg(current_.text());
    detail = why;
  } else if (preflight_->isAsking() || finding == nullptr || !finding->answer) {
    state_ = finding == nullptr ? State::Idle : State::Starting;
    title = finding == nullptr ? tr("Not asked yet") : tr("Asking Slurm");
    detail = finding == nullptr
                 ? tr("There is no launch plan: the pre-flight says what stands in its way.")
                 : tr("sbatch --test-only, which submits nothing");
  } else if (!*finding->answer) {
    state_ = State::Dead;
    title = tr("Slurm does not answer");
    detail = finding->answer->error().message();
  } else if (!(*finding->answer)->isAllowed) {
    state_ = State::Error;
    title = tr("Slurm does not give this");
    detail = tr("sbatch --test-only says: %1.").arg((*finding->answer)->words);
  } else {
    const JobForecast& forecast = **finding->answer;
    const auto now = QDateTime::currentDateTime();
    const bool isRefused = finding->request.cluster.immediate && !startsNow(forecast, now);
    state_ = isRefused ? State::Warning : State::Ok;
    title = isRefused ? tr("Not now: could start %1").arg(plannedStart(forecast.start, now))
                      : tr("Could start %1").arg(plannedStart(forecast.start, now));
    detail = tr("%1%2, as sbatch --test-only says now")
                 .arg(theme::formatNoun(finding->request.nodes, tr("node"), tr("nodes")),
                      forecast.nodes.isEmpty() ? QString() : tr(" on %1").arg(forecast.nodes));
  }
  headline_->setText(title);
  detail_->setText(detail);
  showNotes();
  showOffer();
  again_->setVisible(finding != nullptr && !preflight_->isAsking());
  icon_->setPixmap(theme::statePixmap(state_, 20, theme::Palette::of(icon_), devicePixelRatioF()));
}

QString AllocationPane::endsBefore(const QueuePlace& place) const {
  const ClusterView* view = clusters_->find(place.cluster);
  if (view == nullptr || !view->state) return {};
  for (const SlurmJob& job : view->state->jobs) {
    if (job.id != place.job) continue;
    const QString text = endsFirstText(job, view->state->jobs);
    return text.isEmpty() ? QString() : QStringLiteral("; ") + text;
  }
  return {};
}

void AllocationPane::showNotes() {
  const auto* finding = preflight_->find(current_.cluster, current_.partition);
  const ClusterView* view = clusters_->find(current_.cluster);
  if (view == nullptr) return;
  const Partition* partition = partitions_->find(current_);
  nodesNote_->setText(finding != nullptr && !finding->fewer.empty()
                          ? tr("%1 or more are enough").arg(finding->fewer.back().nodes)
                          : tr("spread evenly by cores"));
  const int asked = view->cluster.timeLimit;
  const int most = partition == nullptr ? 0 : partition->timeLimit;
  const double needed = finding == nullptr ? 0 : finding->request.seconds;
  limitNote_->setText(asked > 0 && most > 0 && asked > most
                          ? tr("more than the %1 of %2").arg(limitText(most), current_.partition)
                      : needed > 0 ? tr("the run needs %1").arg(durationText(needed))
                      : asked > 0  ? limitText(asked)
                      : most > 0   ? tr("%1 at most").arg(limitText(most))
                                   : tr("the partition's own"));
  QString left;
  if (view->account && view->account->hoursUsed && view->account->hoursLimit) {
    const double hours = std::max(0.0, *view->account->hoursLimit - *view->account->hoursUsed);
    left = view->account->areCoreHours ? tr("%1 core hours left").arg(hoursText(hours))
                                       : tr("%1 node hours left").arg(hoursText(hours));
  }
  accountNote_->setText(left);
}

void AllocationPane::showOffer() {
  const auto* finding = preflight_->find(current_.cluster, current_.partition);
  if (finding == nullptr || preflight_->isAsking() || !partitions_->whyNot(current_).isEmpty())
    return offer_->setOffer({});
  const Partition* partition = partitions_->find(current_);
  offer_->setOffer(finding->offer, partitions_->coresNeeded(current_),
                   partition == nullptr ? 0 : offerOf(*partition).cores);
}

void AllocationPane::showProblem(const QString& problem) {
  problem_->setText(problem);
  problem_->setVisible(!problem.isEmpty());
}

void AllocationPane::changePartition(int index) {
  const PartitionName to{current_.cluster, partition_->itemText(index)};
  const QString why = partitions_->moveAll(current_, to);
  showProblem(why);
  if (why.isEmpty()) {
    current_ = to;
    Q_EMIT currentChanged();
  }
  refresh();
}

void AllocationPane::changeNodes() {
  const int wanted = nodes_->value();
  if (wanted == static_cast<int>(partitions_->numbersOf(current_).size())) return;
  showProblem(partitions_->spread(current_, wanted));
  const QSignalBlocker blocked(nodes_);
  nodes_->setValue(static_cast<int>(partitions_->numbersOf(current_).size()));
}

void AllocationPane::changeCluster() {
  const ClusterView* view = clusters_->find(current_.cluster);
  if (view == nullptr) return;
  const QString account = account_->text().trimmed();
  const QString qos = qos_->text().trimmed();
  const int limit = limit_->value();
  const int save = save_->value();
  const bool continues = continue_->isChecked();
  const bool immediate = start_->currentIndex() == 1;
  const bool exclusive = exclusive_->isChecked();
  if (view->cluster.account == account && view->cluster.qos == qos &&
      view->cluster.timeLimit == limit && view->cluster.saveBeforeLimit == save &&
      view->cluster.continues == continues && view->cluster.immediate == immediate &&
      view->cluster.exclusive == exclusive)
    return;
  const auto changed = hosts_->change(hosts_->file(), [&](Deployment& deployment) {
    for (Cluster& cluster : deployment.clusters) {
      if (cluster.name != current_.cluster) continue;
      cluster.account = account;
      cluster.qos = qos;
      cluster.timeLimit = limit;
      cluster.saveBeforeLimit = save;
      cluster.continues = continues;
      cluster.immediate = immediate;
      cluster.exclusive = exclusive;
    }
  });
  showProblem(changed ? QString() : changed.error().message());
  refresh();
}

void AllocationPane::changeSpares(bool restarts, int nodes) {
  const ClusterView* view = clusters_->find(current_.cluster);
  if (view == nullptr) return;
  if (hosts_->deployment().restartsOnSpare == restarts && view->cluster.spareNodes == nodes) return;
  const auto changed = hosts_->change(hosts_->file(), [&](Deployment& deployment) {
    deployment.restartsOnSpare = restarts;
    for (Cluster& cluster : deployment.clusters) {
      if (cluster.name == current_.cluster) cluster.spareNodes = nodes;
    }
  });
  showProblem(changed ? QString() : changed.error().message());
  refresh();
}

}  // namespace tutti::launcher
