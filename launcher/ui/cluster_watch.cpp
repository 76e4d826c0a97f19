// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/cluster_watch.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QPointer>
#include <algorithm>
#include <utility>

#include "launcher/ui/host_watch.h"

namespace tutti::launcher {

namespace {

constexpr int atOnce = 4;
constexpr int dueMs = 1000;
constexpr double shortestPause = 5;    ///< seconds between an answer and the next question
constexpr double pausesOfAnswer = 20;  ///< a controller that takes long is asked less often
constexpr double otherPause = 60;      ///< of clusters that nobody looks at
constexpr double accountPause = 60;    ///< figures of accounts are sums of ended jobs

bool isReachedAlike(const Cluster& a, const Cluster& b) {
  return a.destination == b.destination && a.port == b.port && a.configuration == b.configuration;
}

bool isAccountDue(const ClusterView& view) {
  return !view.accountAsked.isValid() ||
         static_cast<double>(view.accountAsked.secsTo(QDateTime::currentDateTime())) >=
             accountPause;
}

}  // namespace

ClusterWatch::ClusterWatch(HostWatch* hosts, QObject* parent) : QObject(parent), hosts_(hosts) {
  threads_.setMaxThreadCount(atOnce);
  due_.setInterval(dueMs);
  connect(&due_, &QTimer::timeout, this, &ClusterWatch::askDue);
  connect(hosts_, &HostWatch::hostsChanged, this, &ClusterWatch::read);
  read();
}

ClusterWatch::~ClusterWatch() {
  stop_.request_stop();
  threads_.waitForDone();
}

void ClusterWatch::read() {
  const auto before = std::exchange(clusters_, {});
  for (const Cluster& cluster : hosts_->deployment().clusters) {
    ClusterView view;
    const auto known = std::find_if(before.begin(), before.end(), [&](const ClusterView& one) {
      return one.cluster.name == cluster.name && isReachedAlike(one.cluster, cluster);
    });
    if (known != before.end()) view = *known;
    if (view.cluster.account != cluster.account) view.accountAsked = {};
    view.cluster = cluster;
    clusters_.push_back(std::move(view));
  }
  Q_EMIT clustersChanged();
  if (due_.isActive()) askDue();
}

const ClusterView* ClusterWatch::find(const QString& name) const {
  const auto found = std::find_if(clusters_.begin(), clusters_.end(),
                                  [&](const ClusterView& one) { return one.cluster.name == name; });
  return found == clusters_.end() ? nullptr : &*found;
}

ClusterView* ClusterWatch::at(const QString& name) {
  return const_cast<ClusterView*>(std::as_const(*this).find(name));
}

void ClusterWatch::setActive(bool active) {
  if (!active) return due_.stop();
  due_.start();
  askDue();
}

void ClusterWatch::lookAt(const QString& name) {
  lookedAt_ = name;
  if (due_.isActive()) askDue();
}

void ClusterWatch::askDue() {
  const auto now = QDateTime::currentDateTime();
  QStringList names;
  for (const ClusterView& one : std::as_const(clusters_)) {
    const QDateTime last = one.error ? one.failed : one.asked;
    const double pause = one.cluster.name != lookedAt_
                             ? otherPause
                             : std::max(shortestPause, pausesOfAnswer * one.seconds);
    if (!last.isValid() || static_cast<double>(last.msecsTo(now)) / 1000 >= pause)
      names << one.cluster.name;
  }
  for (const QString& name : std::as_const(names)) ask(name);
}

void ClusterWatch::askAll() {
  QStringList names;
  for (const ClusterView& one : std::as_const(clusters_)) names << one.cluster.name;
  for (const QString& name : std::as_const(names)) ask(name);
}

void ClusterWatch::ask(const QString& name) {
  ClusterView* view = at(name);
  if (view == nullptr || view->asking) return;
  view->asking = true;
  Q_EMIT clusterChanged(name);
  threads_.start([cluster = view->cluster, isAccountDue = isAccountDue(*view),
                  stop = stop_.get_token(), self = QPointer<ClusterWatch>(this)] {
    QElapsedTimer timer;
    timer.start();
    const auto answer = askClusterState(cluster, stop);
    const double seconds = static_cast<double>(timer.elapsed()) / 1000;
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, stop, answer, seconds, cluster] {
          if (!self || stop.stop_requested()) return;
          const ClusterView* now = self->find(cluster.name);
          // The file may say by now that it is reached another way.
          if (now != nullptr && isReachedAlike(now->cluster, cluster))
            self->take(cluster.name, answer, seconds);
        },
        Qt::QueuedConnection);
    if (!answer || !isAccountDue || stop.stop_requested()) return;
    const auto account = askAccount(cluster, answer->user, stop);
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, stop, account, cluster] {
          if (!self || stop.stop_requested()) return;
          const ClusterView* now = self->find(cluster.name);
          if (now != nullptr && isReachedAlike(now->cluster, cluster) &&
              now->cluster.account == cluster.account)
            self->takeAccount(cluster.name, account);
        },
        Qt::QueuedConnection);
  });
}

void ClusterWatch::takeAccount(const QString& name,
                               const tl::expected<SlurmAccount, composer::Error>& answer) {
  ClusterView* view = at(name);
  if (view == nullptr) return;
  view->accountAsked = QDateTime::currentDateTime();
  view->account = answer ? std::optional(*answer) : std::nullopt;
  view->accountProblem = answer ? QString() : answer.error().message();
  Q_EMIT clusterChanged(name);
}

void ClusterWatch::cancel() {
  stop_.request_stop();
  stop_ = std::stop_source();
  QStringList names;
  for (ClusterView& one : clusters_) {
    if (std::exchange(one.asking, false)) names << one.cluster.name;
  }
  for (const QString& name : std::as_const(names)) Q_EMIT clusterChanged(name);
}

bool ClusterWatch::isAsking() const {
  return std::any_of(clusters_.begin(), clusters_.end(),
                     [](const ClusterView& one) { return one.asking; });
}

void ClusterWatch::take(const QString& name,
                        const tl::expected<ClusterState, composer::Error>& answer, double seconds) {
  ClusterView* view = at(name);
  if (view == nullptr) return;
  view->asking = false;
  view->seconds = seconds;
  const auto now = QDateTime::currentDateTime();
  if (answer) {
    view->state = *answer;
    view->asked = now;
    view->error.reset();
  } else {
    // What it said before is still shown, with its age.
    view->error = answer.error();
    view->failed = now;
  }
  Q_EMIT clusterChanged(name);
}

}  // namespace tutti::launcher
