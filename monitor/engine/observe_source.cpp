// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/observe_source.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "fabric/printable.h"
#include "monitor/engine/host_links.h"
#include "observe/observer.h"

namespace tutti::monitor {
namespace {

FederateCounters countersOf(const observe::CounterValues& from) {
  FederateCounters to;
  to.updatesSent = from.updatesSent;
  to.reflectionsReceived = from.reflectionsReceived;
  to.interactionsSent = from.interactionsSent;
  to.interactionsReceived = from.interactionsReceived;
  to.instancesRegistered = from.instancesRegistered;
  to.instancesDeleted = from.instancesDeleted;
  to.instancesDiscovered = from.instancesDiscovered;
  to.timeAdvanceGrants = from.timeAdvanceGrants;
  to.bytesSent = from.bytesSent;
  to.bytesReceived = from.bytesReceived;
  to.receiveOrderQueued = from.receiveOrderQueued;
  to.timestampOrderQueued = from.timestampOrderQueued;
  to.queuedBytes = from.queuedBytes;
  to.bestEffortDropped = from.bestEffortDropped;
  to.bestEffortLost = from.bestEffortLost;
  to.blockedNanoseconds = from.blockedNanoseconds;
  to.lastCallNanoseconds = from.lastCallNanoseconds;
  return to;
}

TimeReading timeOf(const observe::TimeValues& from) {
  static_assert(static_cast<int>(fabric::TimeAdvance::None) ==
                static_cast<int>(TimeReading::Advance::None));
  static_assert(static_cast<int>(fabric::TimeAdvance::FlushQueueRequest) ==
                static_cast<int>(TimeReading::Advance::FlushQueueRequest));
  TimeReading to;
  to.regulating = from.regulating;
  to.constrained = from.constrained;
  to.advance = static_cast<TimeReading::Advance>(from.advance);
  to.logicalTime = from.logicalTime;
  to.requestedTime = from.requestedTime.value_or(from.logicalTime);
  to.lookahead = from.lookahead.value_or(0);
  to.exclusive = from.exclusive;
  to.galt = from.galt;
  to.leastStamp = from.leastStamp;
  return to;
}

/// As it may stand on a screen.
QString oneLine(const std::string& text) { return QString::fromStdString(fabric::printable(text)); }

/// Without the root that all share; nothing for the RTI's own classes.
QString classNameOf(const std::string& full) {
  const QString name = QString::fromStdString(full);
  const qsizetype dot = name.indexOf(u'.');
  const QString rest = dot < 0 ? QString() : name.mid(dot + 1);
  return rest.startsWith(QStringLiteral("HLAmanager")) ? QString() : rest;
}

/// Figures that are older are as good as any, ms.
constexpr std::uint64_t longestAge = 86'400'000;

/// `suffix` is what the node puts behind the names of this federation's federates.
HostLinkReading hostLinkOf(const fabric::LinkStatus& from, std::int64_t asOf,
                           const std::string& suffix) {
  const auto seconds = [](std::uint64_t milliseconds) {
    return static_cast<double>(milliseconds) / 1000;
  };
  const auto names = [&](const std::vector<std::string>& all) {
    QStringList result;
    for (const std::string& each : all) {
      const bool here = each.ends_with(suffix);
      result << oneLine(here ? each.substr(0, each.size() - suffix.size()) : each);
    }
    return result;
  };
  HostLinkReading to;
  to.peer = oneLine(from.peer);
  to.address = oneLine(from.node);
  to.toHome = from.toHome;
  to.suspect = from.suspect;
  to.asOfNanoseconds = asOf;
  to.silentSeconds = seconds(from.suspectMilliseconds);
  to.leftSeconds = seconds(from.leftMilliseconds);
  to.waitedSeconds = seconds(from.waitedMilliseconds);
  to.longestWaitSeconds = seconds(from.longestWaitMilliseconds);
  to.suspicions = from.suspicions;
  to.resumptions = from.resumptions;
  to.keptBytes = from.keptBytes;
  to.federates = names(from.federates);
  to.waiting = names(from.waiting);
  to.port = static_cast<int>(from.listenPort);
  to.datagrams = from.datagrams;
  to.messages = from.messagesSent + from.messagesReceived + from.datagramMessagesSent +
                from.datagramMessagesReceived;
  to.bytes =
      from.bytesSent + from.bytesReceived + from.datagramBytesSent + from.datagramBytesReceived;
  if (from.roundTripMicroseconds != 0) {
    to.roundTripSeconds = static_cast<double>(from.roundTripMicroseconds) / 1e6;
  }
  if (from.keptLimitBytes != 0) to.keptLimitBytes = from.keptLimitBytes;
  if (from.lossesKnown) to.lost = from.lost;
  return to;
}

NeighbourReading neighbourOf(const fabric::NeighbourLinkStatus& from, std::int64_t asOf) {
  NeighbourReading to;
  const fabric::NeighbourEnd* ends[] = {&from.end, &from.otherEnd};
  to.ends[0].node = oneLine(from.peer);
  to.ends[0].address = oneLine(from.node);
  to.ends[1].node = oneLine(from.otherPeer);
  to.ends[1].address = oneLine(from.otherNode);
  double fullest = -1;
  for (std::size_t i = 0; i < to.ends.size(); ++i) {
    const fabric::NeighbourEnd& end = *ends[i];
    if (!end.told) continue;
    to.ends[i].told = true;
    to.ends[i].asOfNanoseconds =
        asOf - static_cast<std::int64_t>(std::min(end.ageMilliseconds, longestAge)) * 1'000'000;
    to.ends[i].messages = end.messagesSent;
    to.ends[i].bytes = end.bytesSent;
    // The two enums are of one order; the worse of the two is told.
    to.way =
        std::max(to.way, static_cast<HostWay>(std::min(end.way, fabric::NeighbourWay::Broken)));
    to.awaySeconds = std::max(to.awaySeconds, static_cast<double>(end.awayMilliseconds) / 1000);
    const double fill = end.keptLimitBytes == 0 ? 0
                                                : static_cast<double>(end.keptBytes) /
                                                      static_cast<double>(end.keptLimitBytes);
    if (fill > fullest) {
      fullest = fill;
      to.keptBytes = end.keptBytes;
      if (end.keptLimitBytes != 0) to.keptLimitBytes = end.keptLimitBytes;
    }
    if (end.roundTripMicroseconds != 0) {
      to.roundTripSeconds = std::max(to.roundTripSeconds.value_or(0),
                                     static_cast<double>(end.roundTripMicroseconds) / 1e6);
    }
    to.datagrams = to.datagrams || end.datagrams;
    // Both count what was lost on the way, and each what it could not send.
    if (end.lossesKnown) to.lost = std::max(to.lost.value_or(0), end.lost);
  }
  const auto host = [](const NeighbourReading::End& end) {
    const QString name = hostOfNode(end.node);
    return std::pair(name.isEmpty() ? end.node : name, end.address);
  };
  if (host(to.ends[1]) < host(to.ends[0])) std::swap(to.ends[0], to.ends[1]);
  return to;
}

/// A node that does not answer holds up no sampling: the figures are in memory.
constexpr std::chrono::milliseconds longestWait{250};

class ObserveSource final : public SampleSource {
 public:
  ObserveSource(const QString& designator, const QString& federation)
      : designator_(designator.toStdString()), federation_(federation.toStdString()) {}

  void refresh() override {
    if (observer_ && observer_->refreshWithin(longestWait)) return;
    observer_.reset();
    auto connected = observe::Observer::connect(designator_, "tutti console");
    if (!connected) {
      problem_ = QString::fromStdString(connected.error());
      return;
    }
    observer_.emplace(std::move(*connected));
    observer_->refresh();
  }

  tl::expected<Reading, QString> read() override {
    if (!observer_) return tl::unexpected(problem_);
    observe::Snapshot sample = observer_->sample();
    const observe::FederationSample* federation = chosen(sample);
    if (federation != nullptr && someoneJustLeft(*federation)) {
      // Ask at once whether it resigned or died, rather than up to a second later.
      observer_->refreshWithin(longestWait);
      sample = observer_->sample();
      federation = chosen(sample);
    }
    if (!sample.connected) {
      problem_ = QString::fromStdString(sample.problem);
      return tl::unexpected(problem_);
    }
    Reading reading;
    reading.monotonicNanoseconds = sample.monotonicNanoseconds;
    reading.nodePid = sample.nodePid;
    const std::string suffix = " of " + (federation != nullptr ? federation->name : federation_);
    for (const fabric::LinkStatus& each : sample.nodeLinks) {
      reading.hostLinks.push_back(hostLinkOf(each, sample.nodeLinksNanoseconds, suffix));
    }
    for (const fabric::NeighbourLinkStatus& each : sample.neighbourLinks) {
      // A linked node tells of its own end only, and of no address: there the table is the home's.
      if (!each.node.empty())
        reading.neighbourLinks.push_back(neighbourOf(each, sample.nodeLinksNanoseconds));
    }
    if (federation == nullptr) {
      reading.federation = QString::fromStdString(federation_);
      return reading;
    }
    reading.federation = QString::fromStdString(federation->name);
    watchedName_ = federation->name;
    names_.clear();
    reading.committedBytes = federation->committedBytes;
    reading.held = federation->held;
    reading.paced = federation->paced;
    reading.ceiling = federation->ceiling;
    reading.pace = federation->pace;
    noteWhoIsElsewhere(reading.hostLinks, federation->federates);
    for (const observe::FederateSample& each : federation->federates) {
      FederateReading federate;
      federate.number = each.number;
      federate.name = QString::fromStdString(each.name);
      federate.type = QString::fromStdString(each.type);
      // Here that number is another process's, or nobody's.
      federate.pid = elsewhere_.contains(each.number) ? 0 : each.pid;
      names_[federate.number] = federate.name;
      federate.membership = each.state == fabric::FederateState::Lost     ? Membership::Lost
                            : each.state == fabric::FederateState::Joined ? Membership::Joined
                                                                          : Membership::Resigned;
      if (each.live || each.last) {
        federate.counters = countersOf(each.counters);
        federate.time = timeOf(each.time);
        last_[each.number] = {federate.counters, federate.time};
      } else if (const auto known = last_.find(each.number); known != last_.end()) {
        federate.counters = known->second.first;
        federate.time = known->second.second;
      } else {
        federate.known = false;
      }
      for (const observe::CallbackFaultSample& fault : each.faults) {
        federate.faults.push_back(
            {oneLine(fault.callback), oneLine(fault.type), oneLine(fault.text), fault.count});
      }
      reading.federates.push_back(std::move(federate));
    }
    for (const observe::LinkSample& each : federation->links) {
      reading.flows.push_back(
          {each.sender, each.receiver, each.messages, each.bytesWaiting, each.capacityBytes});
    }
    for (const observe::SynchronizationPointSample& each : federation->synchronizationPoints) {
      reading.synchronizationPoints.push_back(
          {QString::fromStdString(each.label), each.waitingFor});
    }
    return reading;
  }

  std::vector<OwnedInstances> instancesOf(std::uint32_t number) override {
    std::vector<OwnedInstances> result;
    if (!observer_) return result;
    for (const observe::InstanceSample& each : observer_->instancesOf(watchedName_, number)) {
      const QString name = classNameOf(each.className);
      if (!name.isEmpty() && each.owned > 0) result.push_back({name, each.owned, each.total});
    }
    return result;
  }

  tl::expected<void, QString> holdTime(double ceiling) override {
    return told([&] { return observer_->holdTime(watchedName_, ceiling); });
  }
  tl::expected<void, QString> releaseTime() override {
    return told([&] { return observer_->releaseTime(watchedName_); });
  }

  tl::expected<void, QString> setPace(double perSecond) override {
    return told([&] { return observer_->setPace(watchedName_, perSecond); });
  }

  std::vector<Declarations> declarations() override {
    std::map<std::uint32_t, Declarations> byFederate;
    if (observer_) {
      for (const observe::DeclarationSample& each : observer_->declarations(watchedName_)) {
        const QString name = classNameOf(each.className);
        if (name.isEmpty()) continue;
        Declarations& mine = byFederate[each.federate];
        (each.publish ? mine.publishes : mine.subscribes) << name;
      }
    }
    std::vector<Declarations> result;
    for (auto& [number, mine] : byFederate) {
      const auto name = names_.find(number);
      if (name == names_.end()) continue;
      mine.federate = name->second;
      result.push_back(std::move(mine));
    }
    return result;
  }

 private:
  template <class Request>
  tl::expected<void, QString> told(Request&& request) {
    if (!observer_) return tl::unexpected(problem_);
    const tl::expected<void, std::string> answer = request();
    if (!answer) return tl::unexpected(QString::fromStdString(answer.error()));
    return {};
  }
  const observe::FederationSample* chosen(const observe::Snapshot& sample) const {
    for (const observe::FederationSample& each : sample.federations) {
      if (federation_.empty() || each.name == federation_) return &each;
    }
    // Destroyed by the last one that left: the node still knows what they did.
    for (auto each = sample.ended.rbegin(); each != sample.ended.rend(); ++each) {
      if (federation_.empty() || each->name == federation_) return &*each;
    }
    return nullptr;
  }
  /// Whoever is behind a link lives on another host; one that has left stays where it was.
  void noteWhoIsElsewhere(const std::vector<HostLinkReading>& links,
                          const std::vector<observe::FederateSample>& federates) {
    for (const observe::FederateSample& each : federates) {
      if (each.state != fabric::FederateState::Joined) continue;
      const QString name = QString::fromStdString(each.name);
      // Towards the home, those that are named are here, and all others are not.
      const bool isElsewhere = std::any_of(links.begin(), links.end(), [&](const auto& link) {
        return link.federates.contains(name) != link.toHome;
      });
      if (isElsewhere)
        elsewhere_.insert(each.number);
      else
        elsewhere_.erase(each.number);
    }
  }
  static bool someoneJustLeft(const observe::FederationSample& federation) {
    return std::any_of(federation.federates.begin(), federation.federates.end(),
                       [](const observe::FederateSample& each) {
                         return each.state == fabric::FederateState::Joined && !each.live;
                       });
  }

  std::string designator_;
  std::string federation_;
  std::optional<observe::Observer> observer_;
  QString problem_ = QStringLiteral("The RTI node has not been asked yet.");
  std::set<std::uint32_t> elsewhere_;  ///< federates of other hosts
  std::map<std::uint32_t, std::pair<FederateCounters, TimeReading>> last_;
  std::string watchedName_;                 ///< of the federation read last
  std::map<std::uint32_t, QString> names_;  ///< of its federates
};

}  // namespace

std::shared_ptr<SampleSource> makeObserveSource(const QString& designator,
                                                const QString& federation) {
  return std::make_shared<ObserveSource>(designator, federation);
}

}  // namespace tutti::monitor
