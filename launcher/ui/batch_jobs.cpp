// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/batch_jobs.h"

#include <QAction>
#include <QCoreApplication>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QThreadPool>
#include <algorithm>
#include <utility>

#include "launcher/engine/relay_link.h"
#include "launcher/engine/slurm_nodes.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"

namespace tutti::launcher {

namespace {

/// `work` in a thread of the pool, then `then` on the window's thread if `owner` is still there.
template <class Work, class Then>
void inPool(QObject* owner, Work work, Then then) {
  QThreadPool::globalInstance()->start(
      [owner = QPointer<QObject>(owner), work = std::move(work), then = std::move(then)] {
        auto result = work();
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [owner, then, result = std::move(result)] {
              if (owner) then(result);
            },
            Qt::QueuedConnection);
      });
}

/// Where a run in a job is, to be watched.
struct FoundRun {
  Host host;
  QString run;
};

tl::expected<FoundRun, QString> findRun(const Cluster& cluster, qint64 job,
                                        const std::stop_token& stop) {
  const auto submitted = submittedJob(job, cluster);
  const auto asked = askJobs(cluster, stop);
  if (!asked) return tl::unexpected(asked.error().message());
  if (const auto fault = faultOfJob(job, cluster, *asked, submitted))
    return tl::unexpected(fault->message());
  const SlurmJob& known = *asked->find(job);
  if (!known.runs() || known.firstNode.isEmpty())
    return tl::unexpected(BatchJobs::tr("It does not run: %1.").arg(stateText(known, asked->jobs)));
  const Host host = firstNodeOf(known, cluster, submitted);
  const auto runs = runsOn(host, stop);
  if (!runs)
    return tl::unexpected(
        BatchJobs::tr("%1: %2. %3").arg(runs.error().where, runs.error().why, runs.error().next));
  for (const FarRun& each : *runs) {
    if (each.job == job) return FoundRun{host, each.run};
  }
  return tl::unexpected(
      BatchJobs::tr("Its run is still being prepared. Try again in some seconds; what the job "
                    "prints is in %1.")
          .arg(known.output));
}

}  // namespace

BatchJobs::BatchJobs(QWidget* page)
    : QObject(page),
      page_(page),
      submit_(new QAction(tr("Su&bmit as a batch job…"), this)),
      watch_(new QAction(theme::icon(QStringLiteral("activity")), tr("Watch the job's run"), this)),
      end_(new QAction(theme::icon(QStringLiteral("stop")), tr("Cancel the job…"), this)) {
  submit_->setObjectName(QStringLiteral("submitJob"));
  watch_->setObjectName(QStringLiteral("watchJob"));
  end_->setObjectName(QStringLiteral("endJob"));
  connect(submit_, &QAction::triggered, this, &BatchJobs::askToSubmit);
  connect(watch_, &QAction::triggered, this, &BatchJobs::watch);
  connect(end_, &QAction::triggered, this, &BatchJobs::askToEnd);
  update();
}

BatchJobs::~BatchJobs() { stop_.request_stop(); }

void BatchJobs::setRequest(const std::optional<BatchRequest>& request, const QString& why) {
  request_ = request;
  why_ = why;
  update();
}

void BatchJobs::setJob(const Cluster& cluster, const std::optional<SlurmJob>& job) {
  cluster_ = cluster;
  job_ = job;
  update();
}

void BatchJobs::setBusy(bool busy) {
  busy_ = busy;
  update();
}

void BatchJobs::update() {
  const QString hindrance = why_.isEmpty() && lastCheck_ ? lastCheck_() : why_;
  submit_->setEnabled(!busy_ && request_ && hindrance.isEmpty());
  submit_->setToolTip(hindrance.isEmpty()
                          ? tr("Runs on the nodes that it names without this window, as "
                               "tutti submit")
                          : hindrance);
  const bool isRun = job_ && job_->isBatch && job_->name.startsWith(QStringLiteral("tutti-"));
  const QString whyNot = !job_    ? tr("Select one of your jobs")
                         : !isRun ? tr("Job %1 is no run that was submitted").arg(job_->id)
                                  : QString();
  watch_->setEnabled(!busy_ && isRun && job_->runs());
  watch_->setToolTip(!whyNot.isEmpty() ? whyNot
                     : job_->runs()
                         ? tr("Watch job %1 on the page Run; it does not notice").arg(job_->id)
                         : tr("Job %1 does not run yet").arg(job_->id));
  end_->setEnabled(!busy_ && isRun);
  end_->setToolTip(
      whyNot.isEmpty() ? tr("Take job %1 out of the queue, or have it end").arg(job_->id) : whyNot);
}

void BatchJobs::askToSubmit() {
  if (!submit_->isEnabled()) return;
  if (const QString whyNot = lastCheck_ ? lastCheck_() : QString(); !whyNot.isEmpty()) {
    Q_EMIT failed(tr("The job was not submitted"), whyNot);
    return;
  }
  const auto asked = requestsOf(request_->plan).front();
  auto* box = new QMessageBox(
      QMessageBox::NoIcon, tr("Submit as a batch job"),
      tr("Submit %1 to %2/%3?").arg(request_->plan.federation, asked.cluster.name, asked.partition),
      QMessageBox::NoButton, page_);
  box->setObjectName(QStringLiteral("submitBox"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setInformativeText(
      tr("A job with %1 runs the composition as it is now, and goes on without this window. Page "
         "Deploy, Your jobs, lists it; there it is watched and cancelled.")
          .arg(theme::formatNoun(asked.nodes, tr("node"), tr("nodes"))));
  auto* submit = box->addButton(tr("Submit"), QMessageBox::AcceptRole);
  submit->setObjectName(QStringLiteral("submitAccept"));
  box->setDefaultButton(submit);
  box->addButton(tr("Do not submit"), QMessageBox::RejectRole);
  connect(submit, &QPushButton::clicked, this, &BatchJobs::submit);
  box->open();
}

void BatchJobs::submit() {
  if (!submit_->isEnabled()) return;
  setBusy(true);
  inPool(
      this,
      [request = *request_, stop = stop_.get_token()] { return submitBatchJob(request, stop); },
      [this](const tl::expected<BatchJob, composer::Error>& job) {
        setBusy(false);
        if (!job) {
          Q_EMIT failed(tr("The job was not submitted"), job.error().message());
          return;
        }
        if (job->jobs.isEmpty()) {
          Q_EMIT failed(tr("The job may have been submitted"), job->doubt);
          Q_EMIT queueChanged(job->cluster.name);
          return;
        }
        if (!job->doubt.isEmpty())
          Q_EMIT failed(tr("Job %1 is submitted, but not noted").arg(job->jobs.front()),
                        job->doubt);
        Q_EMIT done(tr("Job %1 of %2 is submitted; tutti attach --job %1 follows it too")
                        .arg(job->jobs.front())
                        .arg(job->cluster.name));
        Q_EMIT queueChanged(job->cluster.name);
      });
}

void BatchJobs::watch() {
  if (!watch_->isEnabled()) return;
  setBusy(true);
  inPool(
      this,
      [cluster = cluster_, job = job_->id, stop = stop_.get_token()] {
        return findRun(cluster, job, stop);
      },
      [this, job = job_->id](const tl::expected<FoundRun, QString>& run) {
        setBusy(false);
        if (!run)
          Q_EMIT failed(tr("Job %1 cannot be watched").arg(job), run.error());
        else
          Q_EMIT watchRequested(run->host, run->run);
      });
}

void BatchJobs::askToEnd() {
  if (!end_->isEnabled()) return;
  const bool runs = !job_->waits();
  auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Cancel the job"),
                              tr("Cancel job %1, %2?").arg(job_->id).arg(job_->name),
                              QMessageBox::NoButton, page_);
  box->setObjectName(QStringLiteral("endJobBox"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setInformativeText(
      runs ? tr("Its run ends in order, with its record and logs; nothing continues it. At once: "
                "Slurm ends it without that.")
           : tr("It waits in the queue, and its place is lost."));
  const auto add = [&](const QString& text, const char* name, bool now) {
    auto* button = box->addButton(text, QMessageBox::DestructiveRole);
    button->setObjectName(QLatin1String(name));
    connect(button, &QPushButton::clicked, this, [this, id = job_->id, now] {
      if (job_ && job_->id == id) end(now);
    });
  };
  if (runs) add(tr("End in order"), "endJobAccept", false);
  add(runs ? tr("End at once") : tr("Cancel job"), runs ? "endJobNow" : "endJobAccept", runs);
  box->setDefaultButton(
      box->addButton(runs ? tr("Let it run") : tr("Keep waiting"), QMessageBox::RejectRole));
  box->open();
}

void BatchJobs::end(bool now) {
  if (!end_->isEnabled()) return;
  setBusy(true);
  inPool(
      this,
      [cluster = cluster_, job = job_->id, now, stop = stop_.get_token()] {
        return stopBatchJob(job, cluster, now, stop);
      },
      [this, job = job_->id,
       cluster = cluster_.name](const tl::expected<Stopped, composer::Error>& result) {
        setBusy(false);
        if (!result)
          Q_EMIT failed(tr("Job %1 was not cancelled").arg(job), result.error().message());
        else
          Q_EMIT done(
              result->result == StopResult::Asked ? tr("Job %1 is asked to end").arg(result->job)
              : result->result == StopResult::WasOver ? tr("Job %1 was over already").arg(job)
                                                      : tr("Job %1 is cancelled").arg(result->job));
        Q_EMIT queueChanged(cluster);
      });
}

}  // namespace tutti::launcher
