// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/host_troubles.h"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QPointer>
#include <algorithm>
#include <utility>

#include "launcher/engine/host_files.h"
#include "resources/theme/format.h"

namespace tutti::app {

using launcher::HostStatus;
using theme::RunTrouble;

namespace {

QString tr(const char* text) { return QCoreApplication::translate("HostTroubles", text); }

QString sentence(QString part) {
  if (part.isEmpty()) return part;
  part[0] = part[0].toUpper();
  if (!part.endsWith(u'.')) part += u'.';
  return part;
}

RunTrouble warningOf(const QString& id, const QString& host, const QString& title,
                     const QStringList& sentences) {
  RunTrouble trouble;
  trouble.state = theme::State::Warning;
  trouble.id = id + u'/' + host;
  trouble.where = host;
  trouble.title = title;
  trouble.detail = sentences.join(u' ').simplified();
  trouble.actions << RunTrouble::Action{tr("Copy"), [text = title + u'\n' + trouble.detail] {
                                          QApplication::clipboard()->setText(text);
                                        }};
  return trouble;
}

}  // namespace

QList<RunTrouble> unseenTroubles(const launcher::Run& run) {
  QList<RunTrouble> result;
  const QDateTime now = QDateTime::currentDateTime();
  for (const HostStatus& host : run.hosts()) {
    if (!host.unseen || !host.seen.isValid()) continue;
    const double seconds = static_cast<double>(host.seen.msecsTo(now)) / 1000;
    RunTrouble trouble = warningOf(
        QStringLiteral("unseen"), host.name,
        tr("%1 has not been seen since %2")
            .arg(host.name, host.seen.toString(QStringLiteral("HH:mm:ss"))),
        {tr("For %1: %2.").arg(theme::formatDuration(seconds), host.whyUnseen),
         tr("What runs there may go on; what is shown of it is from then. It is sought again; see "
            "whether it and the network are up.")});
    trouble.brief = tr("%1 not seen").arg(host.name);
    trouble.pill = tr("Not seen");
    result << trouble;
  }
  return result;
}

RefusingHosts::RefusingHosts(Ask ask, QObject* parent) : QObject(parent), ask_(std::move(ask)) {
  if (!ask_) {
    ask_ = [](const launcher::Host& host, const std::stop_token& stop) {
      return launcher::askHost(host, launcher::HostFiles{}, stop);
    };
  }
  again_.setInterval(askAgainSeconds * 1000);
  connect(&again_, &QTimer::timeout, this, &RefusingHosts::askAgain);
}

RefusingHosts::~RefusingHosts() {
  stop_.request_stop();
  threads_.waitForDone();
}

void RefusingHosts::note(const launcher::HostReport& report,
                         const std::vector<launcher::PlannedHost>& hosts) {
  const auto planned = std::find_if(hosts.begin(), hosts.end(), [&](const auto& one) {
    return one.host.name == report.host && one.host.destination == report.destination &&
           one.host.port == report.port;
  });
  if (planned == hosts.end()) return;
  if (!report.reached) refusals_[report.host].host = planned->host;
  take(report);
}

void RefusingHosts::take(const launcher::HostReport& report) {
  const auto refusal = refusals_.find(report.host);
  if (refusal == refusals_.end()) return;
  if (report.reached)
    refusals_.erase(refusal);
  else
    refusal->loss = report.loss;
  if (refusals_.isEmpty())
    again_.stop();
  else if (!again_.isActive())
    again_.start();
  Q_EMIT changed();
}

void RefusingHosts::askAgain() {
  for (Refusal& refusal : refusals_) {
    if (std::exchange(refusal.asking, true)) continue;
    threads_.start([ask = ask_, host = refusal.host, stop = stop_.get_token(),
                    self = QPointer<RefusingHosts>(this)] {
      if (stop.stop_requested()) return;
      const launcher::HostReport report = ask(host, stop);
      QMetaObject::invokeMethod(
          QCoreApplication::instance(),
          [self, stop, report] {
            if (!self || stop.stop_requested()) return;
            const auto asked = self->refusals_.find(report.host);
            if (asked != self->refusals_.end()) asked->asking = false;
            self->take(report);
          },
          Qt::QueuedConnection);
    });
  }
}

void RefusingHosts::clear() {
  stop_.request_stop();
  stop_ = std::stop_source();
  again_.stop();
  refusals_.clear();
}

QList<RunTrouble> RefusingHosts::troubles(const std::vector<HostStatus>& hosts) const {
  QList<RunTrouble> result;
  for (const HostStatus& host : hosts) {
    const auto refusal = refusals_.constFind(host.name);
    // Of one that is not heard either, its silence is told.
    if (refusal == refusals_.constEnd() || host.state != HostStatus::State::Up) continue;
    RunTrouble trouble = warningOf(
        QStringLiteral("refuses"), host.name, tr("%1 takes no new connection").arg(host.name),
        {sentence(refusal->loss.why),
         tr("What runs there goes on over the connection that it has. Federates cannot be started "
            "or moved there, and its logs will be missing after the run."),
         tr("It is asked again every minute."), sentence(refusal->loss.next)});
    trouble.brief = tr("%1 refuses").arg(host.name);
    trouble.pill = tr("No connection");
    result << trouble;
  }
  return result;
}

}  // namespace tutti::app
