// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "monitor/benchmarks/benchmark.h"

namespace tutti::bench {

const std::vector<KindFacts>& allKinds() {
  constexpr bool times = true;
  constexpr bool rates = false;
  constexpr bool means = true;
  constexpr bool medians = false;
  const char* const rtibmNote =
      "Each sample of each pair is one measurement. Mode is the value that most samples are nearly "
      "as large as, frequency how many of them.";
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
      {Kind::Sweep, "sweep", "sweep", "Round-trip sweep over message sizes", "µs", "updates",
       "With --fresh each measured round trip has a federation execution of its own.", times, means,
       Axis::Size},
      {Kind::Dbe, "dbe", "dbe", "DBE: round trip with a 4-byte acknowledgement", "µs", "updates",
       "Jitter is the mean change from one round trip to the next.", times, means, Axis::Size},
      {Kind::Rtiperf, "rtiperf", "rtiperf", "rtiperf: round trip of many pairs at once", "µs",
       "exchanges",
       "Pairs of one federation execution that do not hear each other; the mean of each pair is "
       "one "
       "measurement.",
       times, means, Axis::Size},
      {Kind::Fanout, "fanout", "fanout", "Updates of one publisher received by each subscriber",
       "updates/s", "updates", "The rate is that of the slowest subscriber.", rates, medians,
       Axis::Size},
      {Kind::Oversubscribed, "oversubscribed", "oversubscribed",
       "Callbacks of all of many busy federates on two processors", "callbacks/s", "updates",
       "Pairs that do not hear each other: both send frames of updates, and each goes on when the "
       "other's frame has arrived. The ratio is that of the first line to each.",
       rates, medians, Axis::Federates},
      {Kind::Clutter, "clutter", "clutter", "Updates of a crowd of which each viewer sees 1 %",
       "updates/s", "updates",
       "Vehicles and people of 8 federates, each updated in turn with the region of the cell it is "
       "in, as fast as possible. A rate above the number of instances is enough for one update of "
       "each a second. The ring's line is one process sending 24 bytes to another.",
       rates, medians, Axis::Instances},
      {Kind::RtibmOwot, "rtibm-owot", "rtibm", "RTIBM OWOT: attribute updates received, one way",
       "updates/s", "updates", rtibmNote, rates, means, Axis::Instances, true},
      {Kind::RtibmOwit, "rtibm-owit", "rtibm", "RTIBM OWIT: interactions received, one way",
       "interactions/s", "interactions", rtibmNote, rates, means, Axis::Size, true},
      {Kind::RtibmRtol, "rtibm-rtol", "rtibm", "RTIBM RTOL: round trip of attribute updates", "µs",
       "updates", rtibmNote, times, means, Axis::Instances, true},
      {Kind::RtibmRtil, "rtibm-rtil", "rtibm", "RTIBM RTIL: round trip of interactions", "µs",
       "interactions", rtibmNote, times, means, Axis::Size, true},
  };
  return kinds;
}

const KindFacts& factsOf(Kind kind) {
  return *std::find_if(allKinds().begin(), allKinds().end(),
                       [&](const KindFacts& each) { return each.kind == kind; });
}

const std::vector<CostFacts>& allCosts() {
  static const std::vector<CostFacts> costs{
      {"ns/update", "ns/update", "an update",
       "Processor time of all processes, owners and viewers together, by the updates sent", false},
      {"ns/registered", "ns/new", "registering one",
       "Processor time of a federate for registering its instances, by their number", false},
      {"B/registered", "B/owned", "owned",
       "Growth of the processes that register, private and shared memory (RssAnon, RssShmem), by "
       "the instances they registered: with what a federate has once",
       true},
      {"B/known", "B/known", "known",
       "Growth of the processes that look on, private and shared memory (RssAnon, RssShmem), by "
       "the instances they discovered: with what a federate has once",
       true},
  };
  return costs;
}

bool hasCosts(Kind kind) { return kind == Kind::Clutter; }

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

const QStringList& allArchitectures() {
  static const QStringList names{QStringLiteral("decentralized"), QStringLiteral("federated"),
                                 QStringLiteral("centralized")};
  return names;
}

namespace {
std::vector<int> powersOfTwo(int from, int to) {
  std::vector<int> result;
  for (int size = from; size <= to; size *= 2) result.push_back(size);
  return result;
}
}  // namespace

Settings usualSettings(Kind kind) {
  // A number, a usual update, one that does not fit into a line or two of the cache, a large one.
  const std::vector<int> standardSizes{8, 128, 1024, 64 * 1024};
  Settings result;
  result.kind = kind;
  switch (kind) {
    case Kind::Latency:
      result.sizes = standardSizes;
      break;
    case Kind::Throughput:
      result.sizes = standardSizes;
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
    case Kind::Sweep:
      result.sizes = powersOfTwo(8, 1024 * 1024);
      result.transports = {Transport::Reliable, Transport::BestEffort};
      result.count = 100;
      result.warmUp = 100;
      break;
    case Kind::Dbe:
      result.sizes = powersOfTwo(4, 16 * 1024);
      result.ack = 4;
      result.architectures.assign(allArchitectures().begin(), allArchitectures().end());
      result.hosts = {1, 2};
      break;
    case Kind::Rtiperf:
      result.pairs = 48;
      result.count = 1000;
      result.warmUp = 100;
      result.pinning = Pinning::Free;
      result.wait = true;
      break;
    case Kind::Fanout:
      result.receivers = 7;
      result.count = 100'000;
      result.pinning = Pinning::Free;
      result.wait = true;
      break;
    case Kind::Oversubscribed:
      result.federates = {2, 20};
      result.burst = 100;
      result.count = 100'000;
      result.wait = true;
      break;
    case Kind::Clutter:
      result.sizes = {24};
      result.instances = {1000, 10'000, 100'000, 1'000'000};
      result.receivers = 4;
      result.count = 1'000'000;
      result.cycles = 3;
      result.repeats = 3;
      result.pinning = Pinning::Free;
      result.wait = true;
      break;
    case Kind::RtibmOwot:
    case Kind::RtibmOwit:
    case Kind::RtibmRtol:
    case Kind::RtibmRtil:
      result.repeats = 1;
      break;
  }
  return result;
}

int Settings::processes() const {
  if (kind == Kind::Rtiperf) return 2 * pairs;
  if (kind == Kind::Fanout) return 1 + receivers;
  if (kind == Kind::Clutter) return crowds + receivers;
  if (kind == Kind::Oversubscribed) return *std::max_element(federates.begin(), federates.end());
  return 2;
}

std::vector<double> Settings::axis() const {
  if (factsOf(kind).axis == Axis::Lookahead) return lookaheads;
  if (kind == Kind::Clutter) return {instances.begin(), instances.end()};
  const std::vector<int>& values = factsOf(kind).axis == Axis::Size ? sizes : federates;
  return {values.begin(), values.end()};
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
  if (!settings.tools.isEmpty()) result << QStringLiteral("--tools") << settings.tools;
  if (!settings.designator.isEmpty()) result << QStringLiteral("--rti") << settings.designator;
  if (facts.sequence) {
    // What is measured stands in the file.
    result << QStringLiteral("--seed") << QString::number(settings.seed);
    if (!settings.sequence.isEmpty()) {
      result << QStringLiteral("--sequence") << settings.sequence;
    }
    if (settings.pinning != usual.pinning) {
      result << QStringLiteral("--pin") << pinningName(settings.pinning);
    }
    if (settings.wait) result << QStringLiteral("--wait");
    option(result, "--architecture", settings.architectures, usual.architectures,
           [](const QString& each) { return each; });
    return result;
  }
  if (facts.axis != Axis::Lookahead) option(result, "--size", settings.sizes, usual.sizes, digits);
  option(result, "--transport", settings.transports, usual.transports, transportName);
  number(result, "--count", settings.count, usual.count);
  number(result, "--cycles", settings.cycles, usual.cycles);
  number(result, "--warm-up", settings.warmUp, usual.warmUp);
  result << QStringLiteral("--repeats") << QString::number(settings.repeats);
  result << QStringLiteral("--seed") << QString::number(settings.seed);
  if (settings.pinning != usual.pinning) {
    result << QStringLiteral("--pin") << pinningName(settings.pinning);
  }
  if (settings.wait != usual.wait) {
    result << (settings.wait ? QStringLiteral("--wait") : QStringLiteral("--poll"));
  }
  number(result, "--ack", settings.ack, usual.ack);
  number(result, "--pairs", settings.pairs, usual.pairs);
  number(result, "--receivers", settings.receivers, usual.receivers);
  number(result, "--crowds", settings.crowds, usual.crowds);
  option(result, "--instances", settings.instances, usual.instances, digits);
  number(result, "--burst", settings.burst, usual.burst);
  if (settings.fresh) result << QStringLiteral("--fresh");
  option(result, "--architecture", settings.architectures, usual.architectures,
         [](const QString& each) { return each; });
  option(result, "--hosts", settings.hosts, usual.hosts, digits);
  if (facts.axis == Axis::Federates) {
    option(result, "--federates", settings.federates, usual.federates, digits);
  }
  if (facts.axis == Axis::Lookahead) {
    option(result, "--lookahead", settings.lookaheads, usual.lookaheads, digits);
    number(result, "--step", settings.step, usual.step);
  }
  return result;
}

}  // namespace tutti::bench
