// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/host_samples.h"

#include <QJsonArray>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace tutti::monitor {
namespace {

/// As many as a launch plan may have.
constexpr qsizetype mostProcesses = 10'000;
/// Whole numbers up to here are exact in JSON: 8 PiB, or a million years of processor time.
constexpr std::int64_t mostCount = std::int64_t{1} << 53;
/// 285 years since the host started: in ns no number of 64 bits has more.
constexpr std::int64_t mostMilliseconds = 9'000'000'000'000;
/// Between two samples. Less says nothing, more is another time.
constexpr double leastSeconds = 0.1;
constexpr double mostSeconds = 600;
/// What a process uses beyond all processors is an error of counting, as when a child ends while
/// the counters are read; the next sample is right.
constexpr double countingSlack = 0.5;

std::int64_t numberOf(const QJsonValue& value, std::int64_t least, std::int64_t most) {
  const double real = value.toDouble(-1);
  if (!value.isDouble() || !(real >= static_cast<double>(least)) ||
      !(real <= static_cast<double>(most)))
    throw std::out_of_range("a number is missing or out of its range");
  return static_cast<std::int64_t>(real);
}

std::uint64_t countOf(const QJsonValue& value) {
  return static_cast<std::uint64_t>(numberOf(value, 0, mostCount));
}

double grown(std::uint64_t from, std::uint64_t to) {
  return to >= from ? static_cast<double>(to - from) : 0;
}

bool isFresh(std::int64_t heard, std::int64_t now) {
  return heard != 0 && static_cast<double>(now - heard) / 1e9 <= HostSamples::freshSeconds;
}

/// From what is known to a sample; 0: no rate comes of it, as when the host has started again.
double secondsOfRate(const auto& known, const HostSample& sample) {
  const double seconds = static_cast<double>(sample.nanoseconds - known.nanoseconds) / 1e9;
  return known.heard != 0 && seconds >= leastSeconds && seconds <= mostSeconds ? seconds : 0;
}

}  // namespace

tl::expected<HostSample, QString> hostSampleFrom(const QString& host, const QJsonObject& event) {
  try {
    HostSample sample;
    sample.host = host;
    sample.nanoseconds = numberOf(event["at_ms"], 0, mostMilliseconds) * 1'000'000;
    sample.ticksPerSecond = static_cast<double>(numberOf(event["ticks_per_s"], 1, 1'000'000));
    HostReading& reading = sample.reading;
    reading.processors = static_cast<int>(numberOf(event["processors"], 1, 1'000'000));
    reading.userTicks = countOf(event["cpu"][0]);
    reading.systemTicks = countOf(event["cpu"][1]);
    reading.idleTicks = countOf(event["cpu"][2]);
    reading.memoryTotal = countOf(event["memory"][0]);
    reading.memoryAvailable = countOf(event["memory"][1]);
    if (reading.memoryAvailable > reading.memoryTotal)
      throw std::out_of_range("more memory is available than there is");
    reading.networkBytes = countOf(event["network"]);
    const QJsonObject processes = event["processes"].toObject();
    if (processes.size() > mostProcesses) throw std::length_error("there are too many processes");
    sample.processes.reserve(processes.size());
    for (auto each = processes.begin(); each != processes.end(); ++each) {
      const QJsonValue row = each.value();
      HostSample::Process process;
      process.pid = numberOf(row[0], 1, mostCount);
      process.reading.userTicks = countOf(row[1]);
      process.reading.systemTicks = countOf(row[2]);
      process.reading.residentBytes = countOf(row[3]);
      const QString state = row[4].toString();
      process.reading.state = state.size() == 1 ? state[0].toLatin1() : '?';
      sample.processes.insert(each.key(), process);
    }
    return sample;
  } catch (const std::exception& fault) {
    return tl::unexpected(QStringLiteral("Figures of %1 are not understood: %2.")
                              .arg(host, QString::fromUtf8(fault.what())));
  }
}

void HostSamples::take(const HostSample& sample, std::int64_t now) {
  Host& host = hosts_[sample.host];
  const std::int64_t passed = sample.nanoseconds - host.self.nanoseconds;
  // Nothing can be told from it, and what is known stays.
  if (host.self.heard != 0 && passed >= 0 && static_cast<double>(passed) / 1e9 < leastSeconds)
    return;
  const HostReading& reading = sample.reading;
  const HostReading& before = host.self.last;
  HostView figures;
  figures.processors = reading.processors;
  figures.memoryTotal = static_cast<double>(reading.memoryTotal);
  figures.memoryUsed = static_cast<double>(reading.memoryTotal - reading.memoryAvailable);
  if (const double seconds = secondsOfRate(host.self, sample); seconds > 0) {
    const double user = grown(before.userTicks, reading.userTicks);
    const double system = grown(before.systemTicks, reading.systemTicks);
    const double all = user + system + grown(before.idleTicks, reading.idleTicks);
    if (all > 0) {
      figures.cpuUser = user / all;
      figures.cpuSystem = system / all;
    }
    figures.networkPerSecond = grown(before.networkBytes, reading.networkBytes) / seconds;
  }
  host.self = {reading, sample.nanoseconds, now, figures};

  for (auto each = sample.processes.begin(); each != sample.processes.end(); ++each) {
    auto& known = host.processes[each.key()];
    const ProcessReading& old = known.last.reading;
    const ProcessReading& counted = each->reading;
    Process process;
    process.residentBytes = static_cast<double>(counted.residentBytes);
    process.state = counted.state;
    const double ticks = sample.ticksPerSecond * secondsOfRate(known, sample);
    if (ticks > 0 && known.last.pid == each->pid) {
      const double user = grown(old.userTicks, counted.userTicks) / ticks;
      const double system = grown(old.systemTicks, counted.systemTicks) / ticks;
      if (user + system <= reading.processors + countingSlack) {
        process.cpuUser = user;
        process.cpuSystem = system;
      }
    }
    known = {*each, sample.nanoseconds, now, process};
  }
  // Of many processes a sample has some only.
  erase_if(host.processes, [&](const auto& each) { return !isFresh(each.value().heard, now); });
}

void HostSamples::show(HostView& view, const QString& nodeProcess, std::int64_t now) const {
  const auto host = hosts_.constFind(view.name);
  if (host == hosts_.constEnd() || !isFresh(host->self.heard, now)) return;
  const HostView& figures = host->self.figures;
  view.processors = figures.processors;
  view.cpuUser = figures.cpuUser;
  view.cpuSystem = figures.cpuSystem;
  view.memoryTotal = figures.memoryTotal;
  view.memoryUsed = figures.memoryUsed;
  view.networkPerSecond = figures.networkPerSecond;
  if (const Process* const node = process(view.name, nodeProcess, now))
    view.nodeCpu = node->cpuUser + node->cpuSystem;
}

const HostSamples::Process* HostSamples::process(const QString& host, const QString& id,
                                                 std::int64_t now) const {
  const auto found = hosts_.constFind(host);
  if (found == hosts_.constEnd()) return nullptr;
  const auto process = found->processes.constFind(id);
  if (process == found->processes.constEnd() || !isFresh(process->heard, now)) return nullptr;
  return &process->figures;
}

}  // namespace tutti::monitor
