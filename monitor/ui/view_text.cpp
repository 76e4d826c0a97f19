// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/view_text.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <optional>

#include "monitor/engine/consequences.h"
#include "monitor/engine/host_links.h"
#include "resources/theme/format.h"

namespace tutti::monitor {

using theme::State;
using theme::Token;

State stateOf(FederateCondition condition) {
  switch (condition) {
    case FederateCondition::Running:
      return State::Running;
    case FederateCondition::Held:
      return State::Paused;
    case FederateCondition::Starting:
      return State::Starting;
    case FederateCondition::Resigned:
      return State::Idle;
    case FederateCondition::LostRti:
      return State::Error;
    case FederateCondition::Stopped:
      return State::Paused;
    case FederateCondition::OutOfReach:
      return State::Warning;
    case FederateCondition::Late:
      return State::Late;
    case FederateCondition::Dead:
      return State::Dead;
  }
  return State::Idle;
}

bool needsSomeone(FederateCondition condition) {
  return condition == FederateCondition::Late || condition == FederateCondition::Stopped ||
         condition == FederateCondition::Dead;
}

bool canWaitFor(const HostLinkView& link) {
  return link.suspect && !link.toHome && link.longestWaitSeconds > 0;
}

QString cpuText(double user, double system) {
  const double all = user + system;
  if (std::isnan(all)) return theme::noValue();
  // Below 1 % with a decimal: a federate that does little is no federate that does nothing.
  return theme::formatPercent(all);
}

QString queueText(double fill) {
  if (!(fill >= 0.05)) return {};
  return QStringLiteral("queue %1\u202f%").arg(std::lround(fill * 100));
}

double linkWidth(double perSecond) {
  if (!(perSecond > 0)) return 1.5;
  return std::clamp(1.5 + 1.1 * std::log10(perSecond / 10), 1.5, 7.0);
}

QColor heatColor(double cpu, const theme::Palette& palette) {
  const QColor cold = palette[Token::GaugeIdle];
  if (std::isnan(cpu)) return cold;
  const QColor hot = palette[Token::GaugeUser];
  const double share = std::clamp(cpu, 0.0, 1.0) * 0.9 + 0.08;
  const auto mix = [&](int a, int b) { return static_cast<int>(std::lround(a + share * (b - a))); };
  return QColor(mix(cold.red(), hot.red()), mix(cold.green(), hot.green()),
                mix(cold.blue(), hot.blue()));
}

void paintPie(QPainter& painter, const QRectF& rect, double user, double system,
              const theme::Palette& palette) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  if (std::isnan(user) || std::isnan(system)) {
    QPen pen(palette[Token::LineControl], 1);
    pen.setDashPattern({2, 2});
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(rect.adjusted(0.5, 0.5, -0.5, -0.5));
    painter.setPen(QPen(palette[Token::TextMuted], 1.2));
    painter.drawLine(QPointF(rect.center().x() - 3, rect.center().y()),
                     QPointF(rect.center().x() + 3, rect.center().y()));
    painter.restore();
    return;
  }
  painter.setPen(Qt::NoPen);
  painter.setBrush(palette[Token::GaugeIdle]);
  painter.drawEllipse(rect);
  // Several threads may use more than one processor; the pie is full then.
  const double all = std::max(user + system, 1e-9);
  const double scale = all > 1 ? 1 / all : 1;
  const double userSpan = user * scale * 360;
  const double systemSpan = system * scale * 360;
  const auto angle = [](double degrees) { return static_cast<int>(std::lround(degrees * 16)); };
  const QColor gap = palette[Token::GaugeIdle];
  const auto slice = [&](double from, double span, Token token) {
    if (span < 0.5) return;
    painter.setBrush(palette[token]);
    painter.drawPie(rect, angle(90 - from), angle(-span));
    if (span < 359) {
      painter.setPen(QPen(gap, 1));
      const QPointF centre = rect.center();
      for (const double edge : {from, from + span}) {
        const double radians = (90 - edge) * M_PI / 180;
        painter.drawLine(
            centre, centre + QPointF(std::cos(radians), -std::sin(radians)) * (rect.width() / 2));
      }
      painter.setPen(Qt::NoPen);
    }
  };
  slice(0, userSpan, Token::GaugeUser);
  slice(userSpan, systemSpan, Token::GaugeSystem);
  painter.restore();
}

namespace {

/// Federates that a line names; the rest is in the tool tip.
constexpr qsizetype namesShown = 3;

std::optional<theme::RunTrouble> linkTrouble(const Snapshot& snapshot,
                                             const std::function<void(const QString&)>& show,
                                             const LinkDecisions& decisions) {
  // The last sample of a run that is over says nothing of now.
  const bool over = std::all_of(snapshot.federates.begin(), snapshot.federates.end(),
                                [](const FederateView& each) { return isOver(each.condition); });
  const auto suspect = suspectLinks(snapshot.hostLinks, namesShown);
  if (!suspect || over) return std::nullopt;
  QStringList addresses;
  for (const HostLinkView& each : suspect->links) addresses << each.address;
  addresses.sort();
  const bool one = suspect->links.size() == 1;
  theme::RunTrouble trouble;
  trouble.state = State::Warning;
  trouble.id = linkTroubleId + addresses.join(u',');
  trouble.title = suspect->title;
  trouble.detail = suspect->detail;
  trouble.tip = suspect->whole;
  trouble.brief = one ? QStringLiteral("1 link suspect")
                      : QStringLiteral("%1 links suspect").arg(addresses.size());
  trouble.pill = one ? QStringLiteral("Link suspect") : trouble.brief;
  trouble.items = {linksItem};
  if (one) trouble.where = hostBehind(suspect->links.front());
  trouble.actions = {{one ? QStringLiteral("Show link") : QStringLiteral("Show links"),
                      [show] { show(linksItem); }}};
  if (!one) return trouble;
  const HostLinkView& link = suspect->links.front();
  const QString address = link.address;
  if (decisions.wait && canWaitFor(link)) {
    trouble.actions << theme::RunTrouble::Action{
        QStringLiteral("Wait %1 s").arg(waitSeconds, 0, 'f', 0),
        [wait = decisions.wait, address] { wait(address); }};
  }
  if (decisions.giveUp) {
    trouble.actions << theme::RunTrouble::Action{
        QStringLiteral("Give up %1…").arg(linkEnd(link)),
        [giveUp = decisions.giveUp, address] { giveUp(address); }};
  }
  return trouble;
}

}  // namespace

QList<theme::RunTrouble> troublesOf(const Snapshot& snapshot,
                                    const std::function<void(const QString&)>& show,
                                    const std::function<void(const QString&)>& showLog,
                                    const std::function<void(const QString&)>& restart,
                                    const LinkDecisions& decisions) {
  QList<theme::RunTrouble> result;
  const auto ago = [&](const Death& death) {
    return theme::formatAge(static_cast<double>(snapshot.monotonicNanoseconds - death.atMonotonic) /
                            1e9);
  };
  if (const auto links = linkTrouble(snapshot, show, decisions)) result << *links;
  if (snapshot.standing) {
    const TimeStanding& standing = *snapshot.standing;
    theme::RunTrouble trouble;
    trouble.state = State::Late;
    trouble.id = QStringLiteral("standing/") + standing.holder;
    trouble.title = QStringLiteral("Time stands at %1 s: %2 has held it for %3")
                        .arg(theme::formatTime(standing.at, snapshot.timeDecimals), standing.holder,
                             theme::formatDuration(standing.seconds));
    QString why;
    if (standing.condition == FederateCondition::Stopped) {
      why = QStringLiteral("Its process is stopped (SIGSTOP)");
    } else if (standing.grantDue) {
      why = QStringLiteral("Its grant is due and it evokes no callback to take it");
    } else {
      why = QStringLiteral("It computes and has not asked to advance");
    }
    const qsizetype waiters = standing.waiters.size();
    trouble.detail =
        QStringLiteral("%1; lookahead %2 s. %3 for it.")
            .arg(why, theme::formatTime(standing.lookahead, snapshot.timeDecimals),
                 waiters == 1 ? standing.waiters.front() + QStringLiteral(" waits")
                              : theme::formatCount(waiters) + QStringLiteral(" federates wait"));
    trouble.brief = QStringLiteral("%1 holds time").arg(standing.holder);
    trouble.pill = QStringLiteral("Time stands");
    const QString name = standing.holder;
    trouble.items = {name};
    trouble.actions = {{QStringLiteral("Show %1").arg(name), [show, name] { show(name); }},
                       {QStringLiteral("Its log"), [showLog, name] { showLog(name); }}};
    result << trouble;
  }
  if (snapshot.deaths.size() == 1) {
    const Death& death = snapshot.deaths.front();
    theme::RunTrouble trouble;
    trouble.state = State::Dead;
    trouble.id = QStringLiteral("dead/%1/%2").arg(death.federate).arg(death.atMonotonic);
    trouble.title = QStringLiteral("%1 died %2, %3").arg(death.federate, ago(death), death.cause);
    trouble.detail = aftermath(death.lost);
    trouble.brief = QStringLiteral("%1 died").arg(death.federate);
    trouble.pill = QStringLiteral("1 dead");
    const QString name = death.federate;
    trouble.items = {name};
    if (restart)
      trouble.actions = {{QStringLiteral("Restart"), [restart, name] { restart(name); }}};
    trouble.actions << theme::RunTrouble::Action{QStringLiteral("Its log"),
                                                 [showLog, name] { showLog(name); }};
    result << trouble;
  } else if (snapshot.deaths.size() > 1) {
    const int late = snapshot.count(FederateCondition::Late);
    theme::RunTrouble trouble;
    trouble.state = State::Dead;
    trouble.id = QStringLiteral("dead/%1/%2")
                     .arg(snapshot.deaths.size())
                     .arg(snapshot.deaths.back().atMonotonic);
    trouble.title =
        QStringLiteral("%1 federates died%2, %3 run")
            .arg(snapshot.deaths.size())
            .arg(late > 0 ? QStringLiteral(", %1 %2 late")
                                .arg(late)
                                .arg(late == 1 ? QStringLiteral("is") : QStringLiteral("are"))
                          : QString())
            .arg(theme::formatCount(snapshot.count(FederateCondition::Running) +
                                    snapshot.count(FederateCondition::Held)));
    std::uint64_t instances = 0;
    QStringList names;
    for (const Death& death : snapshot.deaths) {
      instances += death.lost.instances;
      names << death.federate;
    }
    const QString last = names.back();
    trouble.items = names;
    if (names.size() > 3) {
      names = names.mid(0, 2) << QStringLiteral("%1 others").arg(snapshot.deaths.size() - 2);
    }
    trouble.detail = QStringLiteral("%1. %2 gone with them.")
                         .arg(names.join(QStringLiteral(", ")),
                              theme::formatNoun(static_cast<qint64>(instances),
                                                QStringLiteral("object instance is"),
                                                QStringLiteral("object instances are")));
    trouble.brief = QStringLiteral("%1 died").arg(snapshot.deaths.size());
    trouble.pill = QStringLiteral("%1 dead").arg(snapshot.deaths.size());
    trouble.actions = {{QStringLiteral("Show the %1").arg(snapshot.deaths.size()),
                        [show] { show(QStringLiteral("needs:dead")); }},
                       {QStringLiteral("Last one's log"), [showLog, last] { showLog(last); }}};
    result << trouble;
  }
  QStringList late;
  QStringList stopped;
  for (const FederateView& each : snapshot.federates) {
    if (snapshot.standing && each.name == snapshot.standing->holder) continue;
    if (each.condition == FederateCondition::Late) late << each.name;
    if (each.condition == FederateCondition::Stopped) stopped << each.name;
  }
  const auto several = [&](State state, const QStringList& names, const QString& one,
                           const QString& many, const QString& why, const QString& pill) {
    if (names.isEmpty()) return;
    theme::RunTrouble trouble;
    trouble.state = state;
    trouble.id = pill + u'/' + names.join(u',');
    if (names.size() == 1) {
      trouble.title = QStringLiteral("%1 %2").arg(names.front(), one);
    } else if (names.size() == 2) {
      trouble.title = QStringLiteral("%1 and %2 %3").arg(names[0], names[1], many);
    } else {
      trouble.title = QStringLiteral("%1 and %2 others %3")
                          .arg(names.front(), theme::formatCount(names.size() - 1), many);
    }
    trouble.detail = why;
    trouble.brief = names.size() == 1 ? QStringLiteral("%1 %2").arg(names.front(), pill)
                                      : QStringLiteral("%1 %2").arg(names.size()).arg(pill);
    trouble.pill = QStringLiteral("%1 %2").arg(names.size()).arg(pill);
    const QString name = names.front();
    trouble.items = names;
    trouble.actions = {{names.size() == 1 ? QStringLiteral("Show %1").arg(name)
                                          : QStringLiteral("Show the %1").arg(names.size()),
                        [show, name, many = names.size() > 1] {
                          show(many ? QStringLiteral("needs:late") : name);
                        }}};
    result << trouble;
  };
  several(State::Late, late, QStringLiteral("is late"), QStringLiteral("are late"),
          QStringLiteral("No request to advance for longer than five of their usual steps."),
          QStringLiteral("late"));
  several(State::Paused, stopped, QStringLiteral("is stopped"), QStringLiteral("are stopped"),
          QStringLiteral("The process got SIGSTOP; it sends and receives nothing until SIGCONT."),
          QStringLiteral("stopped"));
  return result;
}

}  // namespace tutti::monitor
