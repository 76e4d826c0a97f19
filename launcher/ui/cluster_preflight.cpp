// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/cluster_preflight.h"

#include <QCoreApplication>
#include <QPointer>
#include <algorithm>

#include "launcher/engine/slurm_nodes.h"
#include "resources/theme/format.h"

namespace tutti::launcher {

using Level = PreflightCheck::Level;

namespace {

constexpr int afterEditMs = 700;

/// Another text, and it is another question.
QString questionOf(const Allocation::Request& request) {
  const Cluster& cluster = request.cluster;
  return (QStringList{cluster.name, cluster.destination, cluster.identityFile,
                      cluster.knownHostsFile, QString::number(cluster.port),
                      cluster.configuration} +
          sallocOptions(request))
      .join(u'\x1f');
}

/// Also those about a smaller one.
QStringList questionsOf(const ClusterPreflight::Finding& finding) {
  QStringList questions{questionOf(finding.request), QString::number(finding.request.seconds)};
  for (const Allocation::Request& each : finding.fewer) questions << questionOf(each);
  return questions;
}

QString whereOf(const Allocation::Request& request) {
  return request.cluster.name + u'/' + request.partition;
}

}  // namespace

QString plannedStart(const QDateTime& start, const QDateTime& now) {
  if (!start.isValid() || now.secsTo(start) < startsNowSeconds) return ClusterPreflight::tr("now");
  return ClusterPreflight::tr("about %1").arg(theme::formatMoment(start, now));
}

ClusterPreflight::ClusterPreflight(QObject* parent) : QObject(parent) {
  threads_.setMaxThreadCount(1);
  later_.setSingleShot(true);
  later_.setInterval(afterEditMs);
  connect(&later_, &QTimer::timeout, this, &ClusterPreflight::ask);
}

ClusterPreflight::~ClusterPreflight() {
  stop_.request_stop();
  threads_.waitForDone();
}

void ClusterPreflight::setPlan(const std::optional<LaunchPlan>& plan, const Fewer& fewer) {
  std::vector<Finding> next;
  bool isOther = false;
  if (plan) {
    for (const Allocation::Request& request : requestsOf(*plan)) {
      const Finding* known = find(request.cluster.name, request.partition);
      Finding now{request, {}, fewer ? fewer(request) : std::vector<Allocation::Request>(), {}};
      const bool same = known != nullptr && questionsOf(*known) == questionsOf(now);
      if (same) {
        now.answer = known->answer;
        now.offer = known->offer;
      }
      next.push_back(std::move(now));
      isOther = isOther || !same;
    }
  }
  isOther = isOther || next.size() != findings_.size();
  findings_ = std::move(next);
  if (!isOther) return;
  // What is being answered is of other questions.
  stop_.request_stop();
  stop_ = std::stop_source();
  asking_ = false;
  due_ = !findings_.empty();
  if (active_ && due_) later_.start();
  Q_EMIT changed();
}

void ClusterPreflight::setActive(bool active) {
  active_ = active;
  if (active_ && due_ && !later_.isActive()) later_.start();
}

void ClusterPreflight::askAgain() {
  due_ = !findings_.empty();
  if (due_) ask();
}

const ClusterPreflight::Finding* ClusterPreflight::find(const QString& cluster,
                                                        const QString& partition) const {
  const auto found = std::find_if(findings_.begin(), findings_.end(), [&](const Finding& one) {
    return one.request.cluster.name == cluster && one.request.partition == partition;
  });
  return found == findings_.end() ? nullptr : &*found;
}

void ClusterPreflight::ask() {
  if (asking_ || findings_.empty()) return;
  asking_ = true;
  due_ = false;
  Q_EMIT changed();
  threads_.start([findings = findings_, stop = stop_.get_token(),
                  self = QPointer<ClusterPreflight>(this)]() mutable {
    const auto tell = [&](bool withOffers) {
      QMetaObject::invokeMethod(
          QCoreApplication::instance(),
          [self, stop, findings, withOffers] {
            if (self && !stop.stop_requested()) self->take(findings, withOffers);
          },
          Qt::QueuedConnection);
    };
    for (Finding& one : findings) {
      if (stop.stop_requested()) return;
      one.answer = forecast(one.request, stop);
      one.offer.reset();
    }
    tell(false);
    const auto now = QDateTime::currentDateTime();
    for (Finding& one : findings) {
      const bool waits = *one.answer && (*one.answer)->isAllowed && !startsNow(**one.answer, now);
      if (waits && !stop.stop_requested()) one.offer = askOffer(one.request, one.fewer, stop);
    }
    tell(true);
  });
}

void ClusterPreflight::take(const std::vector<Finding>& answered, bool withOffers) {
  // Asked for again meanwhile: these offers are of what was said before.
  if (withOffers && asking_) return;
  findings_ = answered;
  asking_ = false;
  // Asked for again meanwhile: these answers say what was before.
  if (due_ && active_) later_.start();
  Q_EMIT changed();
}

std::vector<PreflightCheck> ClusterPreflight::checks() const {
  std::vector<PreflightCheck> result;
  const auto now = QDateTime::currentDateTime();
  for (const Finding& one : findings_) {
    if (!one.answer) continue;
    const QString where = whereOf(one.request);
    const QString what =
        tr("%1 of %2").arg(theme::formatNoun(one.request.nodes, tr("node"), tr("nodes")), where);
    PreflightCheck check;
    check.id = QStringLiteral("forecast-") + where;
    check.where = where;
    const PreflightFix again{
        tr("Ask again"), {}, {}, QStringLiteral("ask-cluster ") + one.request.cluster.name};
    if (!*one.answer) {
      check.level = Level::Error;
      check.title = tr("Slurm of %1 does not answer").arg(one.request.cluster.name);
      check.detail = one.answer->error().message();
      check.fixes = {again};
    } else if (!(*one.answer)->isAllowed) {
      check.level = Level::Error;
      check.title = tr("Slurm does not give %1").arg(what);
      check.detail =
          tr("sbatch --test-only says: %1. Ask for less in the pane Allocation, or place "
             "the federates in another partition.")
              .arg((*one.answer)->words);
      check.fixes = {again};
    } else {
      const JobForecast& forecast = **one.answer;
      check.title = tr("Slurm gives %1").arg(what);
      check.detail =
          tr("It would start %1%2, says sbatch --test-only")
              .arg(plannedStart(forecast.start, now),
                   forecast.nodes.isEmpty() ? QString() : tr(" on %1").arg(forecast.nodes));
    }
    result.push_back(std::move(check));
  }
  return result;
}

}  // namespace tutti::launcher
