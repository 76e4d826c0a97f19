// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/start_offer.h"

#include <QStringList>
#include <algorithm>

#include "launcher/engine/slurm.h"

namespace tutti::launcher {

namespace {

constexpr std::size_t mostSteps = 8;  ///< numbers of nodes that are tried from above

QString counted(int number, const QString& what) {
  return number == 1 ? QStringLiteral("1 ") + what : QStringLiteral("%1 %2s").arg(number).arg(what);
}

QString clock(const QDateTime& time, const QDateTime& now) {
  const bool today = time.date() == now.date();
  return time.toString(today ? QStringLiteral("HH:mm") : QStringLiteral("yyyy-MM-dd HH:mm"));
}

}  // namespace

bool startsNow(const JobForecast& forecast, const QDateTime& now) {
  return forecast.isAllowed && forecast.start.isValid() &&
         now.secsTo(forecast.start) < startsNowSeconds;
}

QDateTime StartOffer::end() const {
  const int minutes = minutesOf(request);
  return minutes == 0 ? QDateTime() : forecast.start.addSecs(60 * qint64(minutes));
}

std::optional<Allocation::Request> withLessTime(const Allocation::Request& request) {
  if (request.cluster.timeLimit == 0 || request.seconds <= 0) return {};
  Allocation::Request shorter = request;
  shorter.cluster.timeLimit = 0;
  const int minutes = minutesOf(shorter);
  if (minutes >= request.cluster.timeLimit) return {};
  shorter.cluster.timeLimit = minutes;
  return shorter;
}

std::vector<Allocation::Request> withFewerNodes(const Allocation::Request& wanted,
                                                const std::vector<NodeFederate>& federates,
                                                const Partition& offer) {
  std::vector<Allocation::Request> result;
  for (int nodes = wanted.nodes - 1; nodes > 0; --nodes) {
    const auto numbers = spreadOver(federates, nodes);
    // A federate that is pinned to a node stays there with fewer still.
    if (!numbers) continue;
    const auto needs = needsOn(federates, *numbers);
    if (static_cast<int>(needs.size()) != nodes || !whyNotInPartition(offer, needs).isEmpty())
      continue;
    Allocation::Request request = wanted;
    request.nodes = nodes;
    request.cores = 0;
    request.memoryMb = 0;
    for (const NodeNeed& need : needs) {
      request.cores = std::max(request.cores, need.cores);
      request.memoryMb = std::max(request.memoryMb, need.memoryMb);
    }
    result.push_back(std::move(request));
  }
  return result;
}

std::optional<StartOffer> findOffer(const Allocation::Request& wanted,
                                    const std::vector<Allocation::Request>& fewer,
                                    const AskForecast& ask, const QDateTime& now) {
  bool isAnswered = true;
  const auto tried = [&](const Allocation::Request& request) -> std::optional<StartOffer> {
    if (!isAnswered) return {};
    const auto forecast = ask(request);
    isAnswered = forecast.has_value();
    if (!isAnswered || !startsNow(*forecast, now)) return {};
    return StartOffer{request, *forecast, false, {}};
  };
  const auto shortest = [&](const Allocation::Request& request) {
    const auto shorter = withLessTime(request);
    auto offer = tried(shorter.value_or(request));
    if (offer) offer->isShorter = shorter.has_value();
    return offer;
  };
  if (const auto shorter = withLessTime(wanted)) {
    if (auto offer = tried(*shorter)) {
      offer->isShorter = true;
      return offer;
    }
  }
  if (fewer.empty()) return {};
  // In equal steps from most nodes to fewest, then between the last that waits and the first that
  // does not.
  std::optional<StartOffer> best;
  std::size_t above = 0;  // Where fewer[above - 1] is known to wait.
  std::size_t found = 0;
  const std::size_t steps = std::min(mostSteps, fewer.size());
  for (std::size_t step = 0; step < steps && !best && isAnswered; ++step) {
    found = steps == 1 ? 0 : step * (fewer.size() - 1) / (steps - 1);
    best = shortest(fewer[found]);
    if (!best) above = found + 1;
  }
  while (best && above < found && isAnswered) {
    const std::size_t middle = (above + found) / 2;
    if (auto better = shortest(fewer[middle])) {
      best = better;
      found = middle;
    } else {
      above = middle + 1;
    }
  }
  if (best && best->isShorter) {
    if (auto whole = tried(fewer[found])) best = whole;
  }
  return best;
}

std::optional<NextTaker> nextOn(const QString& nodes, const QByteArray& squeue,
                                const QDateTime& now) {
  const QStringList wanted = nodesOfList(nodes);
  std::optional<NextTaker> next;
  for (const QByteArray& line : squeue.split('\n')) {
    const QStringList fields = QString::fromUtf8(line).trimmed().split(u'|');
    if (fields.size() != 3) continue;
    const QDateTime start = QDateTime::fromString(fields[1], Qt::ISODate);
    if (!start.isValid() || start < now || (next && next->start <= start)) continue;
    const QStringList its = nodesOfList(fields[2]);
    const bool meets = std::any_of(its.begin(), its.end(),
                                   [&](const QString& each) { return wanted.contains(each); });
    // An array is "48201_[1-9]".
    if (meets) next = NextTaker{fields[0].section(u'_', 0, 0).toLongLong(), start};
  }
  return next;
}

std::optional<StartOffer> askOffer(const Allocation::Request& wanted,
                                   const std::vector<Allocation::Request>& fewer,
                                   const std::stop_token& stop) {
  const auto now = QDateTime::currentDateTime();
  auto offer = findOffer(
      wanted, fewer,
      [&](const Allocation::Request& request) -> std::optional<JobForecast> {
        const auto answer = forecast(request, stop);
        return answer && !stop.stop_requested() ? std::optional(*answer) : std::nullopt;
      },
      now);
  if (!offer) return offer;
  const auto queue =
      askSlurm(wanted.cluster,
               {QStringLiteral("squeue"), QStringLiteral("--noheader"),
                QStringLiteral("--states=PENDING"), QStringLiteral("--format=%i|%S|%Y")},
               stop);
  if (queue) offer->next = nextOn(offer->forecast.nodes, *queue, now);
  return offer;
}

QString offerTitle(const StartOffer& offer) {
  const int minutes = minutesOf(offer.request);
  const QString nodes = counted(offer.request.nodes, QStringLiteral("node"));
  return minutes == 0
             ? QStringLiteral("%1 could start now").arg(nodes)
             : QStringLiteral("%1 for %2 could start now").arg(nodes, durationText(60.0 * minutes));
}

QString offerReason(const StartOffer& offer, double coresNeeded, double coresOfNode,
                    const QDateTime& now) {
  const bool one = offer.request.nodes == 1;
  QStringList said;
  const QDateTime end = offer.end();
  if (end.isValid()) {
    QString text = one ? QStringLiteral("It ends at %1").arg(clock(end, now))
                       : QStringLiteral("They end at %1").arg(clock(end, now));
    if (offer.next && offer.next->start >= end)
      text += QStringLiteral(", before job %1 takes %2 at %3")
                  .arg(offer.next->job)
                  .arg(one ? QStringLiteral("it") : QStringLiteral("them"),
                       clock(offer.next->start, now));
    said << text + u'.';
  }
  QStringList run;
  if (coresNeeded > 0 && coresOfNode > 0)
    run << QStringLiteral("needs %1 of %2 %3 cores")
               .arg(QString::number(coresNeeded, 'g', 4),
                    one ? QStringLiteral("its") : QStringLiteral("their"),
                    QString::number(offer.request.nodes * coresOfNode, 'g', 6));
  if (offer.request.seconds > 0)
    run << QStringLiteral("stops after %1").arg(durationText(offer.request.seconds));
  if (!run.isEmpty()) said << QStringLiteral("The run ") + run.join(QStringLiteral(" and ")) + u'.';
  return said.join(u' ');
}

}  // namespace tutti::launcher
