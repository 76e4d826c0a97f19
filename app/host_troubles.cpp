// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/host_troubles.h"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>

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

bool RefusingHosts::note(const launcher::HostReport& report) {
  if (report.reached) return refusals_.remove(report.host) > 0;
  refusals_[report.host] = report.loss;
  return true;
}

QList<RunTrouble> RefusingHosts::troubles(const launcher::Run& run) const {
  QList<RunTrouble> result;
  for (const HostStatus& host : run.hosts()) {
    const auto refusal = refusals_.constFind(host.name);
    // Of one that is not heard either, its silence is told.
    if (refusal == refusals_.constEnd() || host.state != HostStatus::State::Up) continue;
    RunTrouble trouble = warningOf(
        QStringLiteral("refuses"), host.name, tr("%1 takes no new connection").arg(host.name),
        {sentence(refusal->why),
         tr("What runs there goes on over the connection that it has. Federates cannot be started "
            "or moved there, and its logs will be missing after the run."),
         sentence(refusal->next)});
    trouble.brief = tr("%1 refuses").arg(host.name);
    trouble.pill = tr("No connection");
    result << trouble;
  }
  return result;
}

}  // namespace tutti::app
