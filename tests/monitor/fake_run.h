// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <functional>
#include <memory>
#include <stdexcept>

#include "monitor/engine/sample_source.h"

/// A run made by hand: a clock that stands until it is moved, federates with counters that a test
/// sets, and the processes behind them.
namespace tutti::monitor::test {

class FakeProbe : public ProcessProbe {
 public:
  std::int64_t now = 1'000'000'000;
  QHash<std::int64_t, ProcessReading> processes;
  HostReading hostNow{100, 50, 850, 8'000'000'000, 6'000'000'000, 0, 2};

  std::int64_t monotonicNanoseconds() const override { return now; }
  long ticksPerSecond() const override { return 100; }
  std::optional<ProcessReading> process(std::int64_t pid) const override {
    const auto found = processes.constFind(pid);
    return found == processes.constEnd() ? std::nullopt : std::optional<ProcessReading>(*found);
  }
  HostReading host() const override { return hostNow; }
  QString hostName() const override { return QStringLiteral("atlas"); }

  void advance(double seconds) { now += static_cast<std::int64_t>(seconds * 1e9 + 0.5); }
};

class FakeSource : public SampleSource {
 public:
  explicit FakeSource(std::shared_ptr<FakeProbe> clock) : clock_(std::move(clock)) {}

  Reading reading;
  QString failure;
  std::function<void(Reading&)> beforeRead;  ///< runs in the sampling thread
  std::vector<Declarations> declared;
  QHash<std::uint32_t, std::vector<OwnedInstances>> owned;

  FederateReading& add(const QString& name, std::int64_t pid = 0) {
    FederateReading federate;
    federate.number = static_cast<std::uint32_t>(reading.federates.size() + 1);
    federate.name = name;
    federate.type = QStringLiteral("sample");
    federate.pid = pid == 0 ? 1000 + federate.number : pid;
    clock_->processes[federate.pid] = {0, 0, 10'000'000, 'S'};
    reading.federates.push_back(federate);
    return reading.federates.back();
  }
  FederateReading& at(const QString& name) {
    for (auto& each : reading.federates) {
      if (each.name == name) return each;
    }
    throw std::out_of_range("no such federate");
  }

  tl::expected<Reading, QString> read() override {
    if (beforeRead) beforeRead(reading);
    if (!failure.isEmpty()) return tl::unexpected(failure);
    reading.monotonicNanoseconds = clock_->now;
    return reading;
  }
  std::vector<OwnedInstances> instancesOf(std::uint32_t number) override {
    return owned.value(number);
  }
  std::vector<Declarations> declarations() override { return declared; }
  tl::expected<void, QString> holdTime(double ceiling) override {
    reading.held = true;
    reading.ceiling = ceiling;
    return {};
  }
  tl::expected<void, QString> releaseTime() override {
    reading.held = false;
    return {};
  }
  tl::expected<void, QString> setPace(double perSecond) override {
    reading.pace = perSecond;
    reading.paced = perSecond > 0;
    return {};
  }

 private:
  std::shared_ptr<FakeProbe> clock_;
};

/// A federate that regulates and is constrained, granted at `time`.
inline void manageTime(FederateReading& federate, double time, double lookahead) {
  federate.time.regulating = federate.time.constrained = true;
  federate.time.logicalTime = time;
  federate.time.lookahead = lookahead;
  federate.time.advance = TimeReading::Advance::None;
}
inline void request(FederateReading& federate, double time,
                    TimeReading::Advance how = TimeReading::Advance::TimeAdvanceRequest) {
  federate.time.advance = how;
  federate.time.requestedTime = time;
}

}  // namespace tutti::monitor::test
