// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/host_watch.h"

#include <QCollator>
#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QPointer>
#include <algorithm>
#include <utility>

#include "launcher/engine/host_files.h"

namespace tutti::launcher {

using Condition = HostView::Condition;

namespace {

constexpr int sampleMs = 500;
constexpr int atOnce = 16;  ///< SSH connections that are made together

/// Busy and all ticks of all processors since boot, from the first line of /proc/stat.
std::pair<quint64, quint64> processorTicks() {
  QFile file(QStringLiteral("/proc/stat"));
  if (!file.open(QIODevice::ReadOnly)) return {0, 0};
  const auto fields = file.readLine().simplified().split(' ');
  quint64 total = 0;
  quint64 idle = 0;
  // user nice system idle iowait irq softirq steal; guest time is part of user.
  for (qsizetype field = 1; field < std::min<qsizetype>(fields.size(), 9); ++field) {
    const auto ticks = fields.at(field).toULongLong();
    total += ticks;
    if (field == 4 || field == 5) idle += ticks;
  }
  return {total - idle, total};
}

}  // namespace

HostWatch::HostWatch(QObject* parent) : QObject(parent) {
  threads_.setMaxThreadCount(atOnce);
  sampling_.setInterval(sampleMs);
  connect(&sampling_, &QTimer::timeout, this, &HostWatch::sample);
  staleness_.setInterval(staleSeconds * 1000);
  connect(&staleness_, &QTimer::timeout, this, &HostWatch::askAll);
  read();
  sample();
}

HostWatch::~HostWatch() {
  stop_.request_stop();
  threads_.waitForDone();
}

void HostWatch::open(const QString& file) {
  cancel();
  file_ = file;
  read();
  Q_EMIT hostsChanged();
}

void HostWatch::reload() {
  if (file_.isEmpty() || QFileInfo(file_).lastModified() == changed_) return;
  read();
  Q_EMIT hostsChanged();
}

void HostWatch::read() {
  deployment_ = {};
  problem_.clear();
  changed_ = QFileInfo(file_).lastModified();
  if (!file_.isEmpty()) {
    if (auto found = Deployment::read(file_))
      deployment_ = std::move(*found);
    else
      problem_ = found.error().message();
  }
  const auto before = std::exchange(hosts_, {});
  const auto add = [&](const QString& key, const QString& name, const Host& host) {
    HostView view;
    view.key = key;
    view.name = name;
    view.host = host;
    view.condition = key.isEmpty() ? Condition::Here : Condition::NotAsked;
    const auto known = std::find_if(before.begin(), before.end(), [&](const HostView& one) {
      return one.key == key && (key.isEmpty() || (one.host.destination == host.destination &&
                                                  one.host.port == host.port));
    });
    if (known != before.end()) {
      view = *known;
      view.host = host;
    }
    if (host.cores > 0 || view.cores == 0) view.cores = host.cores;
    if (host.memoryMb > 0 || view.memoryMb == 0) view.memoryMb = host.memoryMb;
    hosts_.push_back(std::move(view));
  };
  const Host* here = deployment_.host({});
  add({}, tr("this machine"), here == nullptr ? Host{} : *here);
  for (const Host& host : deployment_.hosts) {
    if (!host.isThisMachine()) add(host.name, host.name, host);
  }
  // node2 before node10.
  QCollator order{QLocale(QLocale::English, QLocale::UnitedStates)};
  order.setNumericMode(true);
  std::sort(hosts_.begin() + 1, hosts_.end(), [&](const HostView& a, const HostView& b) {
    return order.compare(a.name, b.name) < 0;
  });
  hosts_.front().cores = machine_.cores;
  hosts_.front().memoryMb = machine_.memoryTotalMb;
  addJobNodes();
}

void HostWatch::addJobNodes() {
  for (const JobNodeOffer& offer : jobNodes_) {
    const auto host = deployment_.jobNode(offer.name);
    if (!host || !*host) continue;
    HostView view;
    view.key = offer.name;
    view.name = offer.title;
    view.host = **host;
    view.host.labels = offer.labels;
    view.condition = Condition::AtStart;
    view.cores = offer.cores;
    view.memoryMb = offer.memoryMb;
    hosts_.push_back(std::move(view));
  }
}

void HostWatch::setJobNodes(const std::vector<JobNodeOffer>& nodes) {
  if (nodes == jobNodes_) return;
  jobNodes_ = nodes;
  std::erase_if(hosts_, [](const HostView& one) { return one.isJobNode(); });
  addJobNodes();
  Q_EMIT jobNodesChanged();
}

tl::expected<void, composer::Error> HostWatch::change(
    const QString& file, const std::function<void(Deployment&)>& edit) {
  Deployment next;
  if (QFileInfo::exists(file)) {
    auto known = Deployment::read(file);
    if (!known) return tl::unexpected(known.error());
    next = std::move(*known);
  }
  edit(next);
  if (auto saved = next.save(file); !saved) return saved;
  file_ = file;
  read();
  Q_EMIT hostsChanged();
  return {};
}

const HostView* HostWatch::find(const QString& host) const {
  const auto found = std::find_if(hosts_.begin(), hosts_.end(), [&](const HostView& one) {
    return one.key == host || (one.isHere() && one.host.name == host);
  });
  return found == hosts_.end() ? nullptr : &*found;
}

HostView* HostWatch::at(const QString& key) {
  const auto found = std::find_if(hosts_.begin(), hosts_.end(),
                                  [&](const HostView& one) { return one.key == key; });
  return found == hosts_.end() ? nullptr : &*found;
}

Deployment HostWatch::known() const {
  Deployment result = deployment_;
  for (Host& host : result.hosts) {
    const HostView* view = find(host.isThisMachine() ? QString() : host.name);
    if (view == nullptr) continue;
    if (host.cores == 0) host.cores = static_cast<int>(view->cores);
    if (host.memoryMb == 0) host.memoryMb = view->memoryMb;
  }
  return result;
}

// ---- asking ------------------------------------------------------------------------------------

void HostWatch::askAll() {
  for (const HostView& one : std::as_const(hosts_)) {
    if (!one.isHere() && !one.isJobNode()) ask(one.key);
  }
}

void HostWatch::ask(const QString& key) {
  HostView* view = at(key);
  if (view == nullptr || view->isHere() || view->isJobNode() || view->asking) return;
  view->asking = true;
  if (view->condition == Condition::NotAsked) view->condition = Condition::Asking;
  Q_EMIT hostChanged(key);
  threads_.start([host = view->host, stop = stop_.get_token(), self = QPointer<HostWatch>(this)] {
    if (stop.stop_requested()) return;
    const HostReport report = askHost(host, HostFiles{}, stop);
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, stop, report] {
          if (self && !stop.stop_requested()) self->take(report);
        },
        Qt::QueuedConnection);
  });
}

void HostWatch::cancel() {
  stop_.request_stop();
  stop_ = std::stop_source();
  for (HostView& one : hosts_) {
    if (!std::exchange(one.asking, false)) continue;
    if (one.condition == Condition::Asking) one.condition = Condition::NotAsked;
    Q_EMIT hostChanged(one.key);
  }
}

bool HostWatch::isAsking() const {
  return std::any_of(hosts_.begin(), hosts_.end(), [](const HostView& one) { return one.asking; });
}

void HostWatch::take(const HostReport& report) {
  HostView* view = at(report.host);
  if (view == nullptr || view->isHere()) return;
  // Another host of that name: of a file that was open when it was asked, or of what this one said.
  if (report.destination != view->host.destination || report.port != view->host.port) return;
  view->asking = false;
  view->report = report;
  view->asked = QDateTime::currentDateTime();
  view->condition = !report.reached       ? Condition::Silent
                    : report.isClockOff() ? Condition::ClockOff
                                          : Condition::Reachable;
  if (report.reached) {
    // What the file says is what may be used; the host itself says what there is.
    if (view->host.cores == 0) view->cores = report.cores;
    if (view->host.memoryMb == 0) view->memoryMb = report.memoryTotalMb;
    view->coresInUse = report.load;
    view->memoryInUseMb = std::max(0.0, report.memoryTotalMb - report.memoryAvailableMb);
  }
  Q_EMIT hostChanged(report.host);
  Q_EMIT hostAnswered(report);
  if (!isAsking()) Q_EMIT answered();
}

// ---- this machine ------------------------------------------------------------------------------

void HostWatch::setActive(bool active) {
  if (!active) {
    sampling_.stop();
    staleness_.stop();
    return;
  }
  sampling_.start();
  staleness_.start();
  reload();
  const auto stale = QDateTime::currentDateTime().addSecs(-staleSeconds / 2);
  for (const HostView& one : std::as_const(hosts_)) {
    if (!one.isHere() && !one.isJobNode() && (!one.asked.isValid() || one.asked < stale))
      ask(one.key);
  }
}

void HostWatch::sample() {
  machine_ = MachineState::now();
  const auto [busy, total] = processorTicks();
  if (lastTotal_ != 0 && total > lastTotal_) {
    const auto share =
        static_cast<double>(busy - lastBusy_) / static_cast<double>(total - lastTotal_);
    // Half of the old value: steady enough to read, fast enough to see a run start.
    busyCores_ = (busyCores_ + share * machine_.cores) / 2;
  }
  lastBusy_ = busy;
  lastTotal_ = total;
  HostView& here = hosts_.front();
  here.asked = QDateTime::currentDateTime();
  here.cores = machine_.cores;
  here.coresInUse = busyCores_;
  here.memoryMb = machine_.memoryTotalMb;
  here.memoryInUseMb = machine_.memoryTotalMb - machine_.memoryAvailableMb;
  Q_EMIT hostChanged({});
}

}  // namespace tutti::launcher
