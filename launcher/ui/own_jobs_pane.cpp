// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/own_jobs_pane.h"

#include <QItemSelectionModel>
#include <QLabel>
#include <QListView>
#include <QVBoxLayout>
#include <algorithm>

#include "resources/theme/format.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

namespace {

/// "queued 3rd, 8 nodes, starts about 15:35", "2 nodes since 13:30, ends by 15:30"
QString detailOf(const SlurmJob& job, const std::vector<SlurmJob>& all) {
  const auto now = QDateTime::currentDateTime();
  const auto moment = [&](const QDateTime& time) { return theme::formatMoment(time, now); };
  const QString nodes =
      theme::formatNoun(job.nodeCount, OwnJobsModel::tr("node"), OwnJobsModel::tr("nodes"));
  if (!job.waits()) {
    QString text =
        job.start.isValid() ? OwnJobsModel::tr("%1 since %2").arg(nodes, moment(job.start)) : nodes;
    const QDateTime end = endOf(job);
    return end.isValid() ? OwnJobsModel::tr("%1, ends by %2").arg(text, moment(end)) : text;
  }
  const int place = placeOf(job, all, now).place;
  const QString queued =
      place > 0 ? OwnJobsModel::tr("queued %1").arg(ordinal(place)) : OwnJobsModel::tr("queued");
  const QString plan = job.start.isValid()
                           ? OwnJobsModel::tr("starts about %1").arg(moment(job.start))
                           : barText(job, now);
  return OwnJobsModel::tr("%1, %2, %3").arg(queued, nodes, plan);
}

}  // namespace

void OwnJobsModel::setState(const std::optional<ClusterState>& state) {
  std::vector<QueueRow> rows;
  if (state) {
    for (SlurmJob& job : state->jobsOf({})) {
      if (state->isOwn(job)) rows.push_back({std::move(job), true});
    }
  }
  all_ = state ? state->jobs : std::vector<SlurmJob>();
  setRows(std::move(rows),
          [](const QueueRow& a, const QueueRow& b) { return a.job.id == b.job.id; });
  // Places change also when the own jobs do not.
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0));
}

int OwnJobsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : 1; }

QVariant OwnJobsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const SlurmJob& job = rows_[static_cast<std::size_t>(index.row())].job;
  switch (role) {
    case Qt::DisplayRole:
      return tr("%1 %2").arg(job.name).arg(job.id);
    case theme::DetailRole:
      return detailOf(job, all_);
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
      return tr("%1 %2, %3").arg(job.name).arg(job.id).arg(detailOf(job, all_));
    case theme::StateRole:
      if (!job.waits()) return QVariant::fromValue(theme::State::Running);
      return QVariant::fromValue(neverStarts(job.reason).isEmpty() ? theme::State::Starting
                                                                   : theme::State::Error);
    case IdRole:
      return job.id;
    default:
      return {};
  }
}

std::optional<SlurmJob> OwnJobsModel::job(const QModelIndex& index) const {
  if (!index.isValid() || index.row() >= rowCount()) return std::nullopt;
  return rows_[static_cast<std::size_t>(index.row())].job;
}

OwnJobsPane::OwnJobsPane(QWidget* parent)
    : QWidget(parent),
      model_(new OwnJobsModel(this)),
      list_(new QListView(this)),
      empty_(theme::makeLabel({}, "caption", this)) {
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  list_->setObjectName(QStringLiteral("ownJobs"));
  list_->setAccessibleName(tr("Your jobs"));
  list_->setModel(model_);
  list_->setItemDelegate(new theme::TwoLineDelegate(list_));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setUniformItemSizes(true);
  list_->setMouseTracking(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  // A pane among others: it takes what is left, down to a row.
  list_->setMinimumHeight(42);
  column->addWidget(list_, 1);
  empty_->setObjectName(QStringLiteral("ownJobsEmpty"));
  empty_->setContentsMargins(12, 8, 12, 8);
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  column->addWidget(empty_, 1);
  const auto choose = [this](const QModelIndex& index) {
    Q_EMIT jobChosen(index.data(OwnJobsModel::IdRole).toLongLong());
  };
  connect(list_, &QListView::clicked, this, choose);
  connect(list_, &QListView::activated, this, choose);
  connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &OwnJobsPane::currentChanged);
  list_->setContextMenuPolicy(Qt::ActionsContextMenu);
  setState({});
}

void OwnJobsPane::setActions(const QList<QAction*>& actions) { list_->addActions(actions); }

std::optional<SlurmJob> OwnJobsPane::current() const { return model_->job(list_->currentIndex()); }

void OwnJobsPane::setState(const std::optional<ClusterState>& state) {
  const auto chosen = current();
  model_->setState(state);
  // Rows that change places are new ones to the list.
  if (chosen && !current()) {
    for (int row = 0; row < model_->rowCount(); ++row) {
      const QModelIndex index = model_->index(row, 0);
      if (index.data(OwnJobsModel::IdRole).toLongLong() == chosen->id)
        list_->setCurrentIndex(index);
    }
  }
  const bool any = model_->rowCount() > 0;
  list_->setVisible(any);
  empty_->setVisible(!any);
  empty_->setText(!state ? tr("Not known yet")
                  : state->user.isEmpty()
                      ? tr("Slurm does not say which user asks, so no job is known as yours.")
                      : tr("No job of %1 waits or runs.").arg(state->user));
  Q_EMIT currentChanged();
}

}  // namespace tutti::launcher
