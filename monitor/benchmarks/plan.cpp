// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/benchmarks/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

namespace tutti::bench {
namespace {

/// What the measuring programs do, of which several kinds use the same.
enum class Method { RoundTrip, Stream, Advance, Busy, Crowd };

Method methodOf(Kind kind) {
  const KindFacts& facts = factsOf(kind);
  if (facts.axis == Axis::Lookahead) return Method::Advance;
  if (facts.axis == Axis::Federates) return Method::Busy;
  if (kind == Kind::Clutter) return Method::Crowd;
  return facts.times ? Method::RoundTrip : Method::Stream;
}

QString programOf(Method method) {
  switch (method) {
    case Method::RoundTrip:
      return QStringLiteral("latency");
    case Method::Stream:
      return QStringLiteral("throughput");
    case Method::Advance:
      return QStringLiteral("timeadvance");
    case Method::Busy:
      return QStringLiteral("busy");
    case Method::Crowd:
      return QStringLiteral("clutter");
  }
  return {};
}

std::vector<double> all(const std::vector<Report>& reports, const char* key) {
  std::vector<double> result;
  for (const Report& each : reports) {
    const std::vector<double> values = each.numbers.value(QString::fromLatin1(key));
    result.insert(result.end(), values.begin(), values.end());
  }
  return result;
}

}  // namespace

Report parseReport(const QByteArray& output) {
  Report report;
  for (const QByteArray& line : output.split('\n')) {
    const QList<QByteArray> words = line.split(' ');
    if (words.size() < 2) continue;
    const QString key = QString::fromLatin1(words[0]);
    report.texts[key] = QString::fromUtf8(line.mid(words[0].size() + 1));
    std::vector<double>& values = report.numbers[key];
    values.reserve(values.size() + static_cast<std::size_t>(words.size()) - 1);
    for (qsizetype i = 1; i < words.size(); ++i) values.push_back(words[i].toDouble());
  }
  return report;
}

std::vector<Line> linesOf(const Settings& settings) {
  std::vector<Line> result;
  const auto add = [&](int hosts, const QString& architecture, Transport transport) {
    Line line;
    line.id = QStringLiteral("rti/") + transportName(transport);
    line.transport = transport;
    line.architecture = architecture;
    line.hosts = hosts;
    const bool usual = architecture == QStringLiteral("decentralized");
    if (!usual) line.id += u'/' + architecture;
    if (hosts > 1) line.id += QStringLiteral("/%1 hosts").arg(hosts);
    QStringList words;
    if (settings.architectures.size() > 1 || !usual) words << architecture;
    if (settings.hosts.size() > 1 || hosts > 1) {
      words << (hosts == 1 ? QStringLiteral("1 host") : QStringLiteral("%1 hosts").arg(hosts));
    }
    if (settings.transports.size() > 1 || transport != Transport::Reliable) {
      words << (transport == Transport::Reliable ? QStringLiteral("reliable")
                                                 : QStringLiteral("best effort"));
    }
    line.label = words.join(QStringLiteral(", "));
    result.push_back(line);
  };
  for (const int hosts : settings.hosts) {
    for (const QString& architecture : settings.architectures) {
      for (const Transport transport : settings.transports) add(hosts, architecture, transport);
    }
  }
  if (settings.kind == Kind::Latency || settings.kind == Kind::Sweep) {
    result.push_back(
        {QStringLiteral("ring/arguments"), QStringLiteral("Ring and API arguments"), true, {}});
  }
  if (settings.kind != Kind::Oversubscribed) {
    result.push_back({QStringLiteral("ring"), QStringLiteral("Bare ring"), true, {}});
  }
  const Method method = methodOf(settings.kind);
  const bool several = *std::max_element(settings.hosts.begin(), settings.hosts.end()) > 1;
  if (several && settings.processes() == 2 && settings.kind != Kind::DmsoLatency &&
      (method == Method::RoundTrip || method == Method::Stream)) {
    result.push_back({QStringLiteral("tcp"), QStringLiteral("Bare TCP connection"), true, {}});
  }
  return result;
}

std::vector<Program> programsOf(const Settings& settings, const Line& line, double at,
                                const QString& federation, const QString& folder,
                                const std::function<int(int)>& processor) {
  const Method method = methodOf(settings.kind);
  QStringList shared;
  const auto pass = [&](const char* name, const auto& value) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
      shared << QString::fromLatin1(name) << QString::number(value);
    } else {
      shared << QString::fromLatin1(name) << value;
    }
  };
  pass("--count", settings.count);
  pass("--warmup", settings.warmUp);
  pass("--cycles", settings.cycles);
  pass("--seed", settings.seed);
  if (method == Method::Advance) {
    pass("--lookahead", QString::number(at, 'g', 17));
    pass("--step", QString::number(settings.step, 'g', 17));
  } else {
    pass("--size",
         factsOf(settings.kind).axis == Axis::Size ? static_cast<int>(at) : settings.sizes.front());
  }
  if (settings.ack != 0) pass("--ack", settings.ack);
  if (settings.kind == Kind::DmsoLatency) pass("--one-way", 1);
  if (settings.kind == Kind::Fanout) pass("--receivers", settings.receivers);

  if (line.yardstick) {
    QStringList processors;
    const int processes = method == Method::Crowd ? 2 : settings.processes();
    for (int i = 0; i < processes; ++i) processors << QString::number(processor(i));
    pass("--mode", programOf(method == Method::Crowd ? Method::Stream : method));
    pass("--cpus", processors.join(u','));
    if (settings.kind == Kind::Rtiperf) pass("--pairs", settings.pairs);
    const QString program = line.id == QStringLiteral("ring")  ? QStringLiteral("bench-ring")
                            : line.id == QStringLiteral("tcp") ? QStringLiteral("bench-tcp")
                                                               : QStringLiteral("bench-arguments");
    return {{program, shared}};
  }
  pass("--transport", transportName(line.transport));
  pass("--federation", federation);
  pass("--evoke", settings.wait ? QStringLiteral("wait") : QStringLiteral("poll"));
  if (settings.fresh) pass("--fresh", 1);
  if (method == Method::Busy) pass("--burst", settings.burst);
  if (!settings.designator.isEmpty()) pass("--rti", settings.designator);

  const QString program = QStringLiteral("bench-") + programOf(method);
  std::vector<Program> result;
  const auto add = [&](bool first, const QString& name, int number, const QStringList& more) {
    result.push_back({program,
                      shared +
                          QStringList{QStringLiteral("--role"),
                                      first ? QStringLiteral("first") : QStringLiteral("second"),
                                      QStringLiteral("--name"), name, QStringLiteral("--cpu"),
                                      QString::number(processor(number))} +
                          more,
                      number % line.hosts});
  };
  if (method == Method::Busy || settings.kind == Kind::Rtiperf) {
    const int pairs = method == Method::Busy ? static_cast<int>(at) / 2 : settings.pairs;
    pass("--fom", folder + QStringLiteral("/bench-pairs-") + transportName(line.transport) +
                      QStringLiteral(".xml"));
    pass("--members", 2 * pairs);
    pass("--patience", 60 + pairs);
    for (int pair = 0; pair < pairs; ++pair) {
      const QStringList mine{QStringLiteral("--pair"), QString::number(pair)};
      // The busy ones share two processors, on whatever machine.
      const int number = method == Method::Busy ? 0 : 2 * pair;
      add(true, QStringLiteral("first-%1").arg(pair), number, mine);
      add(false, QStringLiteral("second-%1").arg(pair), number + 1, mine);
    }
    return result;
  }
  if (method == Method::Crowd) {
    pass("--fom", folder + QStringLiteral("/bench-clutter.xml"));
    pass("--instances", static_cast<int>(at));
    pass("--parts", settings.crowds);
    pass("--receivers", settings.receivers);
    pass("--patience", 120);
    for (int i = 0; i < settings.processes(); ++i) {
      const bool first = i < settings.crowds;
      const int part = first ? i : i - settings.crowds;
      add(first, QStringLiteral("%1-%2").arg(first ? "first" : "second").arg(part), i,
          {QStringLiteral("--part"), QString::number(part)});
    }
    return result;
  }
  pass("--fom", folder + QStringLiteral("/bench.xml"));
  add(true, QStringLiteral("first"), 0, {});
  const int others = settings.kind == Kind::Fanout ? settings.receivers : 1;
  for (int i = 1; i <= others; ++i) {
    add(false, others == 1 ? QStringLiteral("second") : QStringLiteral("second-%1").arg(i), i, {});
  }
  return result;
}

tl::expected<Measured, QString> measuredOf(const Settings& settings, const Line& line,
                                           const std::vector<Report>& reports) {
  Measured result;
  std::vector<double> lost = all(reports, "lost");
  switch (methodOf(settings.kind)) {
    case Method::RoundTrip:
      if (settings.kind == Kind::Rtiperf && !line.yardstick) {
        for (const Report& each : reports) {
          const std::vector<double> pair = all({each}, "nanoseconds");
          if (!pair.empty()) result.values.push_back(summarize(pair).mean / 1000);
        }
        break;
      }
      for (const double nanoseconds : all(reports, "nanoseconds")) {
        result.values.push_back(nanoseconds / 1000);
      }
      break;
    case Method::Stream: {
      const std::vector<double> intervals = all(reports, "intervals");
      const std::vector<double> nanoseconds = all(reports, "receivenanoseconds");
      // Of several receivers, one after the other, each cycle counts for the slowest.
      const std::size_t cycles = static_cast<std::size_t>(settings.cycles);
      for (std::size_t i = 0; i < std::min(intervals.size(), nanoseconds.size()); ++i) {
        const double rate = nanoseconds[i] > 0 ? intervals[i] / nanoseconds[i] * 1e9 : 0;
        if (i < cycles) {
          result.values.push_back(rate);
        } else {
          result.values[i % cycles] = std::min(result.values[i % cycles], rate);
        }
      }
      break;
    }
    case Method::Busy: {
      const std::vector<double> callbacks = all(reports, "callbacks");
      const std::vector<double> starts = all(reports, "start");
      const std::vector<double> ends = all(reports, "end");
      if (starts.empty() || ends.empty()) break;
      const double nanoseconds = *std::max_element(ends.begin(), ends.end()) -
                                 *std::min_element(starts.begin(), starts.end());
      result.values = {std::accumulate(callbacks.begin(), callbacks.end(), 0.0) / nanoseconds *
                       1e9};
      break;
    }
    case Method::Crowd: {
      if (line.yardstick) {
        const std::vector<double> nanoseconds = all(reports, "receivenanoseconds");
        const std::vector<double> intervals = all(reports, "intervals");
        for (std::size_t i = 0; i < std::min(intervals.size(), nanoseconds.size()); ++i) {
          result.values.push_back(nanoseconds[i] > 0 ? intervals[i] / nanoseconds[i] * 1e9 : 0);
        }
        break;
      }
      const auto sum = [&](const char* key) {
        const std::vector<double> values = all(reports, key);
        return std::accumulate(values.begin(), values.end(), 0.0);
      };
      const double sent = sum("sent");  // in a cycle
      for (int cycle = 0; cycle < settings.cycles; ++cycle) {
        double start = std::numeric_limits<double>::infinity();
        double end = 0;
        for (const Report& each : reports) {
          const std::vector<double> starts = all({each}, "start");
          const std::vector<double> ends = all({each}, "end");
          const auto at = static_cast<std::size_t>(cycle);
          if (at >= starts.size() || at >= ends.size()) continue;
          start = std::min(start, starts[at]);
          end = std::max(end, ends[at]);
        }
        if (end > start) result.values.push_back(sent / (end - start) * 1e9);
      }
      lost.assign(1, std::abs(sum("expected") - sum("received")));
      const auto cost = [&](const char* name, double whole, double parts) {
        if (parts > 0) result.costs[QString::fromLatin1(name)] = whole / parts;
      };
      cost("ns/update", sum("processor"), sent * settings.cycles);
      cost("ns/registered", sum("registration"), sum("registered"));
      cost("B/registered", sum("registeredbytes"), sum("registered"));
      cost("B/known", sum("knownbytes"), sum("known"));
      break;
    }
    case Method::Advance: {
      // Both federates print; one of them is what is asked for.
      if (reports.empty()) break;
      const std::vector<double> grants = all({reports.front()}, "grants");
      for (const double nanoseconds : all({reports.front()}, "nanoseconds")) {
        if (!grants.empty()) result.values.push_back(grants.front() / nanoseconds * 1e9);
      }
      break;
    }
  }
  const auto isGood = [](double value) { return std::isfinite(value) && value >= 0; };
  if (result.values.empty() || lost.empty() ||
      !std::all_of(result.values.begin(), result.values.end(), isGood)) {
    return tl::unexpected(
        QStringLiteral("The measuring program printed no result. It may be of another version of "
                       "Tutti: build it again, or name its folder with --tools."));
  }
  for (const double each : lost) result.lost += static_cast<std::uint64_t>(each);
  return result;
}

}  // namespace tutti::bench
