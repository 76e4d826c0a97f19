// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <atomic>
#include <cmath>
#include <memory>

#include "monitor/engine/sample_source.h"

/// Runs to look at: federates whose counters follow from a clock, so that any number of them goes
/// on by itself. The clock may go faster than the wall's, to fill a minute of history in seconds.
namespace tutti::monitor::test {

struct Actor {
  QString name;
  QString component;
  double sent = 0;  ///< a second
  double received = 0;
  double cpu = 0.3;
  double step = 0.14;  ///< seconds of the clock between grants; 0: no time
  double lookahead = 0.1;
  bool regulates = true;
  std::uint64_t instances = 0;
  double fill = 0;
  std::vector<std::pair<std::size_t, double>> to;  ///< index, messages a second
};

class SceneClock : public ProcessProbe {
 public:
  explicit SceneClock(double speed)
      : speed_(speed), real_(makeProcProbe()), start_(real_->monotonicNanoseconds()) {}
  double seconds() const {
    return static_cast<double>(real_->monotonicNanoseconds() - start_) / 1e9 * speed_;
  }
  std::int64_t monotonicNanoseconds() const override {
    return 1'000'000'000 + static_cast<std::int64_t>(seconds() * 1e9);
  }
  long ticksPerSecond() const override { return 100'000; }
  std::optional<ProcessReading> process(std::int64_t pid) const override {
    const double share = shares.value(pid, 0.05);
    if (pid == stoppedPid) return ProcessReading{0, 0, 40'000'000, 'T'};
    // A little unrest, so that lines are lines.
    const double t = seconds();
    const double used = share * (t + 0.4 * std::sin(t * 0.9 + static_cast<double>(pid)));
    return ProcessReading{static_cast<std::uint64_t>((2 + used) * 80'000),
                          static_cast<std::uint64_t>((2 + used) * 20'000), 41'000'000, 'S'};
  }
  HostReading host() const override {
    const double t = seconds();
    HostReading host;
    host.userTicks = static_cast<std::uint64_t>(t * 340'00);
    host.systemTicks = static_cast<std::uint64_t>(t * 80'00);
    host.idleTicks = static_cast<std::uint64_t>(t * 580'00);
    host.memoryTotal = 15'600'000'000;
    host.memoryAvailable = 12'500'000'000;
    host.networkBytes = static_cast<std::uint64_t>(t * 9e5);
    host.processors = 4;
    return host;
  }
  QString hostName() const override { return QStringLiteral("atlas"); }

  QHash<std::int64_t, double> shares;
  std::atomic<std::int64_t> stoppedPid = 0;

 private:
  double speed_;
  std::unique_ptr<ProcessProbe> real_;
  std::int64_t start_;
};

class Scene : public SampleSource {
 public:
  Scene(std::shared_ptr<SceneClock> clock, QString federation, std::vector<Actor> actors)
      : clock_(std::move(clock)), federation_(std::move(federation)), actors_(std::move(actors)) {
    for (std::size_t i = 0; i < actors_.size(); ++i) {
      clock_->shares[static_cast<std::int64_t>(4000 + i)] = actors_[i].cpu;
    }
  }

  /// From these times of the clock on; any thread.
  std::atomic<double> deadFrom = 1e18;
  std::atomic<std::size_t> dead = ~std::size_t{0};
  std::atomic<double> lateFrom = 1e18;
  std::atomic<std::size_t> late = ~std::size_t{0};

  /// Links with other hosts; set before the feed starts. The first is suspect between these times.
  std::vector<HostLinkReading> hostLinks;
  std::atomic<double> suspectFrom = 1e18;
  std::atomic<double> suspectUntil = 1e18;
  double grace = 15;
  /// Messages a second over the first link, a half over the next ...; 0: the nodes do not count them.
  double linkRate = 0;

  const QString& firstName() const { return actors_.front().name; }
  /// Of the first federate; set before the feed starts.
  std::vector<CallbackFault> faults;

  tl::expected<Reading, QString> read() override {
    const double t = clock_->seconds();
    const double held = lateFrom.load();
    Reading reading;
    reading.monotonicNanoseconds = clock_->monotonicNanoseconds();
    reading.federation = federation_;
    reading.nodePid = 3999;
    reading.committedBytes = 12'600'000;
    const double pace = 0.72;
    reading.hostLinks = hostLinks;
    double overLink = linkRate;
    for (HostLinkReading& link : reading.hostLinks) {
      if (linkRate == 0) break;
      link.asOfNanoseconds = reading.monotonicNanoseconds;
      link.messages = static_cast<std::uint64_t>(overLink * (t + 1));
      link.bytes = *link.messages * 180;
      link.roundTripSeconds = 0.00021 + 0.00004 * std::sin(t + overLink);
      overLink /= 2;
    }
    if (!hostLinks.empty()) {
      HostLinkReading& first = reading.hostLinks.front();
      first.asOfNanoseconds = reading.monotonicNanoseconds;
      first.suspect = t >= suspectFrom && t < suspectUntil;
      if (t >= suspectFrom) ++first.suspicions;
      if (t >= suspectUntil) ++first.resumptions;
      if (first.suspect) {
        first.silentSeconds = 1.4 + t - suspectFrom;
        first.leftSeconds = std::max(0.0, grace - (t - suspectFrom));
        first.keptBytes = static_cast<std::uint64_t>(9000 * (t - suspectFrom));
      } else {
        first.waiting.clear();
      }
    }
    for (std::size_t i = 0; i < actors_.size(); ++i) {
      const Actor& actor = actors_[i];
      FederateReading federate;
      federate.number = static_cast<std::uint32_t>(i + 1);
      federate.name = actor.name;
      federate.type = actor.component;
      federate.pid = static_cast<std::int64_t>(4000 + i);
      for (const HostLinkReading& link : hostLinks) {
        // Of another host.
        if (link.federates.contains(actor.name) != link.toHome) federate.pid = 0;
      }
      const bool isDead = i == dead && t >= deadFrom;
      federate.membership = isDead ? Membership::Lost : Membership::Joined;
      const double until = isDead ? deadFrom.load() : t;
      const double wave =
          0.15 * std::sin(until * 0.7 + static_cast<double>(i)) + 0.05 * std::sin(until * 3.1);
      auto& counters = federate.counters;
      counters.updatesSent = static_cast<std::uint64_t>(actor.sent * (until + 1 + wave));
      counters.reflectionsReceived =
          static_cast<std::uint64_t>(actor.received * (until + 1 + wave));
      counters.instancesRegistered = actor.instances;
      counters.bytesSent = counters.updatesSent * 128;
      counters.bytesReceived = counters.reflectionsReceived * 128;
      counters.timestampOrderQueued = static_cast<std::uint64_t>(actor.fill * 400);
      counters.queuedBytes = counters.timestampOrderQueued * 128;
      if (actor.step > 0) {
        // What is behind the link stands as it was heard last, and by and by all others.
        const bool cutOff = t >= suspectFrom && t < suspectUntil && !hostLinks.empty();
        const double stands = std::min(until, cutOff ? std::min(held, suspectFrom.load()) : held);
        const double reached = 37 + std::floor(stands / actor.step) * actor.step * pace;
        counters.timeAdvanceGrants = static_cast<std::uint64_t>(stands / actor.step);
        federate.time.regulating = actor.regulates;
        federate.time.constrained = true;
        federate.time.lookahead = actor.lookahead;
        const double grid = std::floor(reached * 10) / 10;
        federate.time.logicalTime = grid;
        const bool isLate = (i == late && t >= held) ||
                            (cutOff && hostLinks.front().federates.contains(actor.name));
        if (!isLate && (t >= held || cutOff || std::fmod(until, actor.step) > actor.step * 0.4)) {
          federate.time.advance = TimeReading::Advance::TimeAdvanceRequest;
          federate.time.requestedTime =
              grid + (i == 2 ? 0.6 : 0.1) + (t >= held || cutOff ? 0.1 : 0.0);
          if (i % 2 == 0) federate.time.leastStamp = grid + 0.1;
        }
      }
      if (i == 0) federate.faults = faults;
      reading.federates.push_back(std::move(federate));
      if (isDead) continue;
      for (const auto& [receiver, rate] : actor.to) {
        if (receiver == dead && t >= deadFrom) continue;
        reading.flows.push_back(
            {static_cast<std::uint32_t>(i + 1), static_cast<std::uint32_t>(receiver + 1),
             static_cast<std::uint64_t>(rate * (t + 1)),
             static_cast<std::uint64_t>(actors_[receiver].fill * 65536), 65536});
      }
    }
    return reading;
  }
  std::vector<OwnedInstances> instancesOf(std::uint32_t number) override {
    const Actor& actor = actors_[number - 1];
    if (actor.instances == 0) return {};
    if (actor.component.startsWith(QStringLiteral("aircraft"))) {
      return {{QStringLiteral("Flight"), actor.instances - 40, 0},
              {QStringLiteral("Airport"), 40, 0}};
    }
    return {{actor.component.startsWith(QStringLiteral("conflict")) ? QStringLiteral("Conflict")
                                                                    : QStringLiteral("Vehicle"),
             actor.instances, 0}};
  }

 private:
  std::shared_ptr<SceneClock> clock_;
  QString federation_;
  std::vector<Actor> actors_;
};

/// The federation of the sample: two flows, two radars, a detector, a display, a recorder.
inline std::vector<Actor> airTraffic() {
  std::vector<Actor> actors(7);
  const char* names[] = {"flow-north", "flow-south", "radar-east", "radar-west",
                         "detector",   "display",    "recorder"};
  const char* components[] = {"aircraft-flow 2.1", "aircraft-flow 2.1",     "radar 1.4",
                              "radar 1.4",         "conflict-detector 1.0", "display 1.2",
                              "recorder 1.0"};
  const double sent[] = {1440, 1440, 300, 300, 6, 0, 0};
  const double received[] = {0, 0, 2880, 2880, 600, 3480, 594};
  const double cpu[] = {0.36, 0.34, 0.52, 0.99, 0.2, 0.31, 0.25};
  const double fill[] = {0, 0, 0.04, 0.62, 0, 0.02, 0};
  const std::uint64_t instances[] = {240, 200, 12, 12, 3, 0, 0};
  for (std::size_t i = 0; i < actors.size(); ++i) {
    actors[i].name = QString::fromLatin1(names[i]);
    actors[i].component = QString::fromLatin1(components[i]);
    actors[i].sent = sent[i];
    actors[i].received = received[i];
    actors[i].cpu = cpu[i];
    actors[i].fill = fill[i];
    actors[i].instances = instances[i];
    actors[i].regulates = i < 5;
    actors[i].lookahead = i == 2 ? 0.5 : i < 2 ? 0.2 : 0.1;
  }
  actors[0].to = {{2, 1440}, {3, 1440}, {5, 1440}};
  actors[1].to = {{2, 1440}, {3, 1440}, {5, 1440}};
  actors[2].to = {{4, 300}, {5, 300}, {6, 300}};
  actors[3].to = {{4, 300}, {5, 300}, {6, 294}};
  actors[4].to = {{5, 6}, {6, 6}};
  return actors;
}

inline std::vector<Declarations> airTrafficDeclarations() {
  const QString flight = QStringLiteral("Flight"), airport = QStringLiteral("Airport"),
                plot = QStringLiteral("RadarPlot"), conflict = QStringLiteral("Conflict");
  return {{QStringLiteral("flow-north"), {flight, airport}, {}},
          {QStringLiteral("flow-south"), {flight}, {}},
          {QStringLiteral("radar-east"), {plot}, {flight}},
          {QStringLiteral("radar-west"), {plot}, {flight}},
          {QStringLiteral("detector"), {conflict}, {plot}},
          {QStringLiteral("display"), {}, {flight, airport, plot, conflict}},
          {QStringLiteral("recorder"), {}, {plot, conflict}}};
}

/// 300 federates of eight components.
inline std::vector<Actor> cityTraffic() {
  struct Kind {
    const char* name;
    const char* component;
    int count;
    double sent, received, cpu;
  };
  const Kind kinds[] = {
      {"flow", "Flows", 96, 100, 0, 0.36},           {"radar", "Radars", 32, 206, 3e3, 0.51},
      {"weather", "Weather", 4, 10, 0, 0.05},        {"vehicle", "Vehicles", 120, 983, 20, 0.61},
      {"detector", "Detectors", 20, 0.3, 6e3, 0.47}, {"display", "Displays", 24, 0, 5e3, 0.3},
      {"recorder", "Recorders", 2, 0, 6e4, 0.4},     {"report", "Analysis", 2, 0, 3, 0.13}};
  std::vector<Actor> actors;
  std::size_t first[8]{};
  for (int kind = 0; kind < 8; ++kind) {
    first[kind] = actors.size();
    for (int i = 0; i < kinds[kind].count; ++i) {
      Actor actor;
      actor.name = QStringLiteral("%1-%2")
                       .arg(QString::fromLatin1(kinds[kind].name))
                       .arg(i + 1, 3, 10, QLatin1Char('0'));
      actor.component = QString::fromLatin1(kinds[kind].component);
      actor.sent = kinds[kind].sent;
      actor.received = kinds[kind].received;
      actor.cpu = std::clamp(kinds[kind].cpu + 0.22 * std::sin(i * 2.4 + kind), 0.02, 0.98);
      actor.instances = kind == 3 ? 1000 : 0;
      actor.regulates = kind < 5;
      actors.push_back(actor);
    }
  }
  const auto join = [&](int from, int to, double rate) {
    for (int i = 0; i < kinds[from].count; ++i) {
      for (int j = 0; j < kinds[to].count; j += std::max(1, kinds[to].count / 6)) {
        actors[first[from] + static_cast<std::size_t>(i)].to.emplace_back(
            first[to] + static_cast<std::size_t>(j), rate);
      }
    }
  };
  join(0, 3, 16);
  join(0, 4, 16);
  join(1, 4, 34);
  join(2, 4, 2);
  join(3, 5, 160);
  join(3, 6, 400);
  join(4, 5, 0.1);
  join(4, 7, 0.1);
  return actors;
}

}  // namespace tutti::monitor::test
