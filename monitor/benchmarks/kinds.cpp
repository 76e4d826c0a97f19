// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "monitor/benchmarks/benchmark.h"

namespace tutti::bench {

const std::vector<KindFacts>& allKinds() {
  constexpr bool times = true;
  constexpr bool rates = false;
  constexpr bool means = true;
  constexpr bool medians = false;
  static const std::vector<KindFacts> kinds{
      {Kind::Latency, "latency", "latency", "Round trip of an attribute update", "µs", "updates",
       "", times, medians, Axis::Size},
      {Kind::Throughput, "throughput", "throughput", "Attribute updates received", "updates/s",
       "updates", "A rate is taken at the receiver; each cycle is one measurement.", rates, medians,
       Axis::Size},
      {Kind::TimeAdvance, "timeadvance", "timeadvance", "Time advance grants of a federate",
       "grants/s", "grants",
       "Two federates, grants of one of them. The ring's line is two processes in step that only "
       "publish their bounds to each other.",
       rates, medians, Axis::Lookahead},
      {Kind::DmsoLatency, "dmso-latency", "dmso latency", "DMSO latency: one way of an update",
       "µs", "updates",
       "One-way time from before the update to the callback, by stamps of CLOCK_MONOTONIC in the "
       "payload: it is one clock for all processes of a host, so this is measured on one host "
       "only. One update is under way at a time.",
       times, means, Axis::Size},
      {Kind::DmsoTimeAdvance, "dmso-timeadvance", "dmso timeadvance",
       "DMSO time advance: requests granted", "grants/s", "requests",
       "Two federates that both regulate and are constrained, requests granted to one of them; "
       "each "
       "cycle is one measurement.",
       rates, means, Axis::Lookahead},
      {Kind::DmsoThroughput, "dmso-throughput", "dmso throughput",
       "DMSO throughput: updates received", "updates/s", "updates",
       "A rate is taken at the receiver; each cycle is one measurement. Lost are the updates that "
       "did not arrive.",
       rates, means, Axis::Size},
  };
  return kinds;
}

const KindFacts& factsOf(Kind kind) {
  return *std::find_if(allKinds().begin(), allKinds().end(),
                       [&](const KindFacts& each) { return each.kind == kind; });
}

QString kindName(Kind kind) { return QString::fromLatin1(factsOf(kind).name); }
QString kindTitle(Kind kind) { return QString::fromUtf8(factsOf(kind).title); }
QString unitOf(Kind kind) { return QString::fromUtf8(factsOf(kind).unit); }
bool lowerIsBetter(Kind kind) { return factsOf(kind).times; }

std::optional<Kind> kindOf(const QString& name) {
  for (const KindFacts& each : allKinds()) {
    if (name == QLatin1String(each.name)) return each.kind;
  }
  return std::nullopt;
}

Settings usualSettings(Kind kind) {
  Settings result;
  result.kind = kind;
  switch (kind) {
    case Kind::Latency:
      break;
    case Kind::Throughput:
      result.count = 500'000;
      break;
    case Kind::TimeAdvance:
      result.count = 100'000;
      break;
    case Kind::DmsoLatency:
      result.sizes = {128, 512, 1024, 2048};
      break;
    case Kind::DmsoTimeAdvance:
      result.lookaheads = {0.1, 1, 10};
      result.step = 1;
      result.cycles = 20;
      break;
    case Kind::DmsoThroughput:
      result.sizes = {128, 512, 1024, 2048};
      result.cycles = 20;
      break;
  }
  return result;
}

std::vector<double> Settings::axis() const {
  if (factsOf(kind).axis == Axis::Lookahead) return lookaheads;
  return {sizes.begin(), sizes.end()};
}

namespace {

template <class Values, class Text>
void option(QStringList& line, const char* name, const Values& values, const Values& usual,
            Text&& text) {
  if (values == usual) return;
  QStringList words;
  for (const auto& each : values) words << text(each);
  line << QString::fromLatin1(name) << words.join(u',');
}

template <class Value>
void number(QStringList& line, const char* name, Value value, Value usual) {
  if (value != usual) line << QString::fromLatin1(name) << QString::number(value);
}

}  // namespace

QStringList commandLine(const Settings& settings) {
  const KindFacts& facts = factsOf(settings.kind);
  const Settings usual = usualSettings(settings.kind);
  QStringList result{QStringLiteral("bench")};
  result += QString::fromLatin1(facts.command).split(u' ');
  const auto digits = [](auto value) { return QString::number(value); };
  if (facts.axis == Axis::Size) option(result, "--size", settings.sizes, usual.sizes, digits);
  option(result, "--transport", settings.transports, usual.transports, transportName);
  number(result, "--count", settings.count, usual.count);
  number(result, "--cycles", settings.cycles, usual.cycles);
  number(result, "--warm-up", settings.warmUp, usual.warmUp);
  result << QStringLiteral("--repeats") << QString::number(settings.repeats);
  result << QStringLiteral("--seed") << QString::number(settings.seed);
  if (settings.pinning != usual.pinning) {
    result << QStringLiteral("--pin") << pinningName(settings.pinning);
  }
  if (settings.wait) result << QStringLiteral("--wait");
  if (facts.axis == Axis::Lookahead) {
    option(result, "--lookahead", settings.lookaheads, usual.lookaheads, digits);
    number(result, "--step", settings.step, usual.step);
  }
  if (settings.designator != usual.designator) {
    result << QStringLiteral("--rti") << settings.designator;
  }
  return result;
}

}  // namespace tutti::bench
