// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/host_links.h"

#include <QSet>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tutti::monitor {
namespace {

/// Names in an event, which stands in a list.
constexpr qsizetype namesInEvents = 8;

QString seconds(double value) { return QStringLiteral("%1 s").arg(value, 0, 'f', 1); }

/// Times that another machine has told may be any.
double secondsBetween(std::int64_t from, std::int64_t to) {
  return (static_cast<double>(to) - static_cast<double>(from)) / 1e9;
}

QString federates(qsizetype count) {
  return count == 1 ? QStringLiteral("1 federate") : QStringLiteral("%1 federates").arg(count);
}

}  // namespace

std::vector<HostLinkView> hostLinksOf(const Reading& reading, const TimeAnalysis& time,
                                      std::int64_t now) {
  std::vector<HostLinkView> result;
  for (const HostLinkReading& from : reading.hostLinks) {
    HostLinkView link;
    link.peer = from.peer;
    link.address = from.address;
    link.toHome = from.toHome;
    link.suspect = from.suspect;
    link.waitedSeconds = from.waitedSeconds;
    link.longestWaitSeconds = from.longestWaitSeconds;
    link.suspicions = from.suspicions;
    link.resumptions = from.resumptions;
    link.keptBytes = from.keptBytes;
    link.federates = from.federates;
    link.waitForAnswer = from.waiting;
    link.port = from.port;
    link.datagrams = from.datagrams;
    if (from.keptLimitBytes) {
      link.queueFill = std::min(
          1.0, static_cast<double>(from.keptBytes) / static_cast<double>(*from.keptLimitBytes));
    }
    if (from.lost) link.lost = static_cast<double>(*from.lost);
    if (from.roundTripSeconds && !from.suspect) link.roundTripSeconds = *from.roundTripSeconds;
    if (from.suspect) {
      const double since =
          std::max(0.0, static_cast<double>(now - from.asOfNanoseconds) / 1'000'000'000);
      link.silentSeconds = from.silentSeconds + since;
      link.leftSeconds = std::max(0.0, from.leftSeconds - since);
      const QSet<QString> named(from.federates.begin(), from.federates.end());
      for (const Wait& wait : time.waits) {
        const QString& waiter = reading.federates[wait.waiter].name;
        const QString& root = reading.federates[wait.root].name;
        // Towards the home, those that are named are here, and all others are not.
        if (named.contains(root) != from.toHome && named.contains(waiter) == from.toHome) {
          link.waitForTime << waiter;
        }
      }
    }
    result.push_back(std::move(link));
  }
  return result;
}

std::vector<HostLinkView> neighbourLinksOf(const Reading& reading, std::int64_t now) {
  std::vector<HostLinkView> result;
  for (const NeighbourReading& from : reading.neighbourLinks) {
    HostLinkView link;
    link.from = from.ends[0].node;
    link.fromAddress = from.ends[0].address;
    link.peer = from.ends[1].node;
    link.address = from.ends[1].address;
    double newest = std::numeric_limits<double>::infinity();
    for (const NeighbourReading::End& end : from.ends) {
      if (!end.told) continue;
      const double age = std::max(0.0, secondsBetween(end.asOfNanoseconds, now));
      link.ageSeconds = std::max(link.ageSeconds, age);
      newest = std::min(newest, age);
    }
    link.way = from.way;
    if (from.way != HostWay::Straight && newest < oldSeconds) {
      link.awaySeconds = from.awaySeconds + newest;
    }
    link.keptBytes = from.keptBytes;
    link.datagrams = from.datagrams;
    if (from.keptLimitBytes) {
      link.queueFill = std::min(
          1.0, static_cast<double>(from.keptBytes) / static_cast<double>(*from.keptLimitBytes));
    }
    if (from.lost) link.lost = static_cast<double>(*from.lost);
    if (from.roundTripSeconds) link.roundTripSeconds = *from.roundTripSeconds;
    result.push_back(std::move(link));
  }
  return result;
}

bool isBetweenOthers(const HostLinkView& link) { return !link.fromAddress.isEmpty(); }

bool isSilent(const HostLinkView& link) { return link.suspect || link.way == HostWay::Broken; }

QHash<QString, double> outOfReach(const Reading& reading, const std::vector<HostLinkView>& links) {
  QHash<QString, double> result;
  for (const HostLinkView& link : links) {
    if (!link.suspect) continue;
    const QSet<QString> named(link.federates.begin(), link.federates.end());
    for (const FederateReading& each : reading.federates) {
      if (each.membership != Membership::Joined) continue;
      if (named.contains(each.name) != link.toHome) result[each.name] = link.silentSeconds;
    }
  }
  return result;
}

QString hostOfNode(const QString& node) {
  // The launcher calls the nodes of a run "run-<id>.<host>": the host is what a person knows.
  const auto dot = node.indexOf(u'.');
  return dot < 0 || !node.startsWith(QStringLiteral("run-")) ? QString() : node.mid(dot + 1);
}

QString hostBehind(const HostLinkView& link) {
  return link.toHome ? QString() : hostOfNode(link.peer);
}

QString runBehind(const HostLinkView& link) {
  constexpr qsizetype prefix = 4;
  return hostBehind(link).isEmpty() ? QString()
                                    : link.peer.mid(prefix, link.peer.indexOf(u'.') - prefix);
}

QString linkName(const HostLinkView& link) {
  const QString host = hostBehind(link);
  if (!host.isEmpty()) return QStringLiteral("host %1 at %2").arg(host, link.address);
  const bool named = !link.peer.isEmpty() && !link.peer.startsWith(QStringLiteral("tcp-"));
  return (link.toHome ? QStringLiteral("the home, ") : QString()) +
         (named ? QStringLiteral("node '%1' at %2").arg(link.peer, link.address)
                : QStringLiteral("the node at %1").arg(link.address));
}

QString linkEnd(const HostLinkView& link) {
  const QString host = hostBehind(link);
  if (!host.isEmpty()) return host;
  const bool named = !link.peer.isEmpty() && !link.peer.startsWith(QStringLiteral("tcp-"));
  return (link.toHome ? QStringLiteral("the home, ") : QString()) +
         (named ? QStringLiteral("node '%1'").arg(link.peer) : link.address);
}

QString linkBegin(const HostLinkView& link) {
  HostLinkView begin;
  begin.peer = link.from;
  begin.address = link.fromAddress;
  return linkEnd(begin);
}

QStringList waitingFor(const HostLinkView& link) {
  QStringList all = link.waitForAnswer + link.waitForTime;
  all.removeDuplicates();
  return all;
}

QString elidedNames(const QStringList& names, qsizetype most) {
  // "and 1 more" would take the room of a name.
  if (names.size() <= most + 1) return names.join(QStringLiteral(", "));
  return QStringLiteral("%1 and %2 more")
      .arg(names.mid(0, most).join(QStringLiteral(", ")))
      .arg(names.size() - most);
}

QString suspectTitle(const HostLinkView& link) {
  return QStringLiteral("Link to %1 is suspect: nothing acknowledged for %2")
      .arg(linkName(link), seconds(link.silentSeconds));
}

QString suspectDetail(const HostLinkView& link, qsizetype most, QChar between) {
  const QStringList waiting = waitingFor(link);
  const QString left = seconds(link.leftSeconds);
  QStringList parts;
  parts << QStringLiteral("Waiting for the link: %1.")
               .arg(waiting.isEmpty() ? QStringLiteral("nobody yet") : elidedNames(waiting, most));
  if (link.federates.isEmpty()) {
    parts << QStringLiteral("In %1 it is lost; no federate is behind it.").arg(left);
  } else if (link.toHome) {
    parts << QStringLiteral("In %1 federates here lose their connection: %2.")
                 .arg(left, elidedNames(link.federates, most));
  } else {
    parts << QStringLiteral("In %1 the federates behind it are resigned: %2.")
                 .arg(left, elidedNames(link.federates, most));
  }
  return parts.join(between);
}

std::optional<SuspectLinks> suspectLinks(const std::vector<HostLinkView>& links, qsizetype most) {
  SuspectLinks result;
  QStringList waiting;
  QStringList whole;
  qsizetype behind = 0;
  double longest = 0;
  for (const HostLinkView& each : links) {
    if (!each.suspect) continue;
    result.links.push_back(each);
    whole << suspectTitle(each) + QStringLiteral(".\n") + suspectDetail(each, mostNames, u'\n');
    waiting << waitingFor(each);
    behind += each.federates.size();
    longest = std::max(longest, each.silentSeconds);
  }
  if (result.links.empty()) return std::nullopt;
  result.whole = whole.join(QStringLiteral("\n\n"));
  std::stable_sort(
      result.links.begin(), result.links.end(),
      [](const auto& a, const auto& b) { return a.leftSeconds < b.leftSeconds; });
  const HostLinkView& first = result.links.front();
  if (result.links.size() == 1) {
    result.title = suspectTitle(first);
    result.detail = suspectDetail(first, most);
    return result;
  }
  waiting.removeDuplicates();
  result.title = QStringLiteral("%1 links to other hosts are suspect: nothing acknowledged for %2")
                     .arg(result.links.size())
                     .arg(seconds(longest));
  result.detail =
      QStringLiteral("Waiting for them: %1. %2 behind them. The first is lost in %3: %4.")
          .arg(waiting.isEmpty() ? QStringLiteral("nobody yet") : elidedNames(waiting, most),
               federates(behind) + (behind == 1 ? QStringLiteral(" is") : QStringLiteral(" are")),
               seconds(first.leftSeconds), linkName(first));
  return result;
}

void HostLinkRates::Meter::add(std::int64_t at, std::uint64_t messages, std::uint64_t bytes) {
  constexpr double window = 5;
  // Another link has the same name: what it has counted is its own.
  if (!points_.empty() && messages < points_.back().messages) points_.clear();
  if (points_.empty() || at > points_.back().at) points_.push_back({at, messages, bytes});
  // The last that is old enough stays: a mean of less would jump.
  while (points_.size() > 2 && secondsBetween(points_[1].at, points_.back().at) >= window)
    points_.pop_front();
}

void HostLinkRates::Meter::addRates(double& messages, double& bytes) const {
  if (points_.empty()) return;
  const double seconds = secondsBetween(points_.front().at, points_.back().at);
  if (seconds < 0.5) return;
  const auto add = [seconds](double& sum, std::uint64_t from, std::uint64_t to) {
    const double rate = to < from ? 0 : static_cast<double>(to - from) / seconds;
    sum = std::isnan(sum) ? rate : sum + rate;
  };
  add(messages, points_.front().messages, points_.back().messages);
  add(bytes, points_.front().bytes, points_.back().bytes);
}

HostLinkRates::Tracker& HostLinkRates::tracker(HostLinkView& link, std::int64_t now) {
  constexpr auto historyEvery = static_cast<std::int64_t>(History::secondsPerValue * 1e9);
  Tracker& tracker =
      trackers_[link.from + link.fromAddress + u' ' + link.peer + u' ' + link.address];
  tracker.seen = true;
  if (tracker.historyAt == 0 || now - tracker.historyAt >= historyEvery) {
    tracker.historyAt = now;
    tracker.roundTrip.push(link.roundTripSeconds);
  }
  link.roundTrip = tracker.roundTrip;
  return tracker;
}

void HostLinkRates::look(const Reading& reading, std::vector<HostLinkView>& links,
                         std::vector<HostLinkView>& neighbours, std::int64_t now) {
  for (Tracker& each : trackers_) each.seen = false;
  for (std::size_t i = 0; i < links.size(); ++i) {
    HostLinkView& link = links[i];
    const HostLinkReading& from = reading.hostLinks[i];
    Meter& meter = tracker(link, now).meters[0];
    if (!from.messages || !from.bytes) {
      meter.clear();
      continue;
    }
    meter.add(from.asOfNanoseconds, *from.messages, *from.bytes);
    if (link.suspect) {
      link.messagesPerSecond = 0;
      link.bytesPerSecond = 0;
    } else {
      meter.addRates(link.messagesPerSecond, link.bytesPerSecond);
    }
  }
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    HostLinkView& link = neighbours[i];
    Tracker& tracked = tracker(link, now);
    for (std::size_t which = 0; which < tracked.meters.size(); ++which) {
      const NeighbourReading::End& end = reading.neighbourLinks[i].ends[which];
      Meter& meter = tracked.meters[which];
      if (end.told) meter.add(end.asOfNanoseconds, end.messages, end.bytes);
      meter.addRates(link.messagesPerSecond, link.bytesPerSecond);
    }
  }
  trackers_.removeIf([](QMap<QString, Tracker>::iterator item) { return !item->seen; });
}

/// A host that does not answer says so with its own link; here is what goes wrong between two that
/// both answer, and lasts.
void HostLinkWatch::lookBetween(const Snapshot& snapshot, std::vector<EventRecord>& events) {
  constexpr double lasting = 2;
  QSet<QString> silent;
  for (const HostLinkView& link : snapshot.hostLinks) {
    if (link.suspect) silent << link.address;
  }
  const auto say = [&](LogLevel level, const QString& text) {
    events.push_back({0, level, QStringLiteral("rti"), text});
  };
  QMap<QString, double> broken;
  for (const HostLinkView& link : snapshot.neighbourLinks) {
    const QString id = link.fromAddress + u' ' + link.address;
    const auto known = broken_.constFind(id);
    const bool told = known != broken_.constEnd();
    if (link.way == HostWay::Broken) {
      const bool isCause = silent.contains(link.fromAddress) || silent.contains(link.address);
      if (!told && (isCause || link.awaySeconds < lasting)) continue;
      if (!told) {
        say(LogLevel::Warning,
            QStringLiteral("%1 and %2 have lost their direct connection; what they send each other "
                           "goes past the home, nothing is lost")
                .arg(linkBegin(link), linkEnd(link)));
      }
      broken.insert(id, std::max(told ? *known : 0.0, link.awaySeconds));
    } else if (told) {
      say(LogLevel::Info, QStringLiteral("%1 and %2 have a direct connection again after %3")
                              .arg(linkBegin(link), linkEnd(link), seconds(*known)));
    }
  }
  broken_ = std::move(broken);
}

std::vector<EventRecord> HostLinkWatch::look(const Snapshot& snapshot) {
  std::vector<EventRecord> events;
  if (!snapshot.problem.isEmpty()) return events;
  const auto say = [&](LogLevel level, const QString& text) {
    events.push_back({0, level, QStringLiteral("rti"), text});
  };
  QMap<QString, HostLinkView> now;
  for (const HostLinkView& link : snapshot.hostLinks) {
    const auto known = last_.constFind(link.address);
    const bool was = known != last_.constEnd() && known->suspect;
    if (link.suspect && !was) {
      say(LogLevel::Warning,
          QStringLiteral("link suspect, nothing acknowledged for %1: %2; %3 %4")
              .arg(seconds(link.silentSeconds), linkName(link),
                   link.toHome ? QStringLiteral("federates that depend on it:")
                               : QStringLiteral("federates behind it:"),
                   link.federates.isEmpty() ? QStringLiteral("none")
                                            : elidedNames(link.federates, namesInEvents)));
    } else if (!link.suspect && was) {
      say(LogLevel::Info, QStringLiteral("link resumed after %1, nothing lost: %2")
                              .arg(seconds(known->silentSeconds), linkName(link)));
    } else if (!link.suspect && known != last_.constEnd() &&
               link.suspicions > known->suspicions) {
      say(LogLevel::Info,
          QStringLiteral("link resumed after a moment, nothing lost: %1").arg(linkName(link)));
    }
    now.insert(link.address, link);
  }
  for (const HostLinkView& link : std::as_const(last_)) {
    if (!link.suspect || now.contains(link.address)) continue;
    say(LogLevel::Error,
        QStringLiteral("link lost after %1: %2; %3")
            .arg(seconds(link.silentSeconds), linkName(link),
                 link.federates.isEmpty() ? QStringLiteral("no federate was behind it")
                 : link.toHome
                     ? QStringLiteral("%1 here lost their connection")
                           .arg(federates(link.federates.size()))
                     : QStringLiteral("%1 behind it %2 resigned")
                           .arg(federates(link.federates.size()),
                                link.federates.size() == 1 ? QStringLiteral("is")
                                                           : QStringLiteral("are"))));
  }
  last_ = std::move(now);
  lookBetween(snapshot, events);
  return events;
}

}  // namespace tutti::monitor
