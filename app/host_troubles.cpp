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

}  // namespace tutti::app
