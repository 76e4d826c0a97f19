// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QList>
#include <QRectF>
#include <QString>
#include <functional>

#include "monitor/engine/snapshot.h"
#include "resources/theme/run_status.h"
#include "resources/theme/state.h"

class QPainter;

/// How the monitor's values look and read, in one place for all its views.
namespace tutti::monitor {

theme::State stateOf(FederateCondition condition);
/// Whether a person should look: late, stopped or dead.
bool needsSomeone(FederateCondition condition);

/// "36 %", "–".
QString cpuText(double user, double system);
/// "queue 62 %"; empty below 5 %.
QString queueText(double fill);

/// Width of a link in px for its rate: 1.5 + 1.1 log10(rate / 10), 1.5 to 7.
double linkWidth(double perSecond);

/// Colour of a heat cell: share of one processor, 0 to 1; unknown is cold.
QColor heatColor(double cpu, const theme::Palette& palette);

/// Processor time as a pie: user, system, the rest idle. Dashed and with a "–" when unknown.
void paintPie(QPainter& painter, const QRectF& rect, double user, double system,
              const theme::Palette& palette);

/// What `show` of troublesOf() gets for the list of links with other hosts.
inline const QString linksItem = QStringLiteral("needs:links");
/// What the id of the trouble of suspect links begins with.
inline const QString linkTroubleId = QStringLiteral("links/");

/// What can be decided about a link that is suspect, by its address; empty: it is not offered.
struct LinkDecisions {
  std::function<void(const QString& address)> wait;
  std::function<void(const QString& address)> giveUp;
};
/// So much longer a host is waited for at once.
constexpr double waitSeconds = 60;
/// Whether it can be waited for longer: the home decides, within its longest wait.
bool canWaitFor(const HostLinkView& link);

/// What the banner says of a run, worst first: suspect links in one line, time stands, dead
/// federates (of one kind in one line), late ones. `show` and `showLog` get a federate's name, or
/// `show` what is to be listed.
QList<theme::RunTrouble> troublesOf(const Snapshot& snapshot,
                                    const std::function<void(const QString&)>& show,
                                    const std::function<void(const QString&)>& showLog,
                                    const std::function<void(const QString&)>& restart,
                                    const LinkDecisions& links = {});

}  // namespace tutti::monitor
