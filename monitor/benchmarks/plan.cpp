// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/benchmarks/plan.h"

#include <algorithm>
#include <cmath>

namespace tutti::bench {
namespace {

/// What the measuring programs do, of which several kinds use the same.
enum class Method { RoundTrip, Stream, Advance };

Method methodOf(Kind kind) {
  const KindFacts& facts = factsOf(kind);
  if (facts.axis == Axis::Lookahead) return Method::Advance;
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
  for (const Transport transport : settings.transports) {
    Line line;
    line.id = QStringLiteral("rti/") + transportName(transport);
    line.transport = transport;
    if (settings.transports.size() > 1 || transport != Transport::Reliable) {
      line.label = transport == Transport::Reliable ? QStringLiteral("reliable")
                                                    : QStringLiteral("best effort");
    }
    result.push_back(line);
  }
  result.push_back({QStringLiteral("ring"), QStringLiteral("Bare ring"), true, {}});
  return result;
}

std::vector<Program> programsOf(const Settings& settings, const Line& line, double at,
                                const QString& federation, const QString& module,
                                const std::function<int(int)>& processor) {
  const Method method = methodOf(settings.kind);
  QStringList shared;
  const auto pass = [&](const char* name, const QString& value) {
    shared << QString::fromLatin1(name) << value;
  };
  pass("--count", QString::number(settings.count));
  pass("--warmup", QString::number(settings.warmUp));
  pass("--cycles", QString::number(settings.cycles));
  pass("--seed", QString::number(settings.seed));
  if (method == Method::Advance) {
    pass("--lookahead", QString::number(at, 'g', 17));
    pass("--step", QString::number(settings.step, 'g', 17));
  } else {
    pass("--size", QString::number(static_cast<int>(at)));
  }
  if (settings.kind == Kind::DmsoLatency) pass("--one-way", QStringLiteral("1"));

  if (line.yardstick) {
    pass("--mode", programOf(method));
    pass("--cpus", QStringLiteral("%1,%2").arg(processor(0)).arg(processor(1)));
    return {{QStringLiteral("bench-ring"), shared}};
  }
  pass("--transport", transportName(line.transport));
  pass("--fom", module);
  pass("--federation", federation);
  pass("--evoke", settings.wait ? QStringLiteral("wait") : QStringLiteral("poll"));
  if (!settings.designator.isEmpty()) pass("--rti", settings.designator);
  std::vector<Program> result;
  for (const int number : {0, 1}) {
    result.push_back(
        {QStringLiteral("bench-") + programOf(method),
         shared + QStringList{QStringLiteral("--role"),
                              number == 0 ? QStringLiteral("first") : QStringLiteral("second"),
                              QStringLiteral("--cpu"), QString::number(processor(number))}});
  }
  return result;
}

tl::expected<Measured, QString> measuredOf(const Settings& settings, const Line&,
                                           const std::vector<Report>& reports) {
  Measured result;
  const std::vector<double> lost = all(reports, "lost");
  switch (methodOf(settings.kind)) {
    case Method::RoundTrip:
      for (const double nanoseconds : all(reports, "nanoseconds")) {
        result.values.push_back(nanoseconds / 1000);
      }
      break;
    case Method::Stream: {
      const std::vector<double> intervals = all(reports, "intervals");
      const std::vector<double> nanoseconds = all(reports, "receivenanoseconds");
      for (std::size_t i = 0; i < std::min(intervals.size(), nanoseconds.size()); ++i) {
        result.values.push_back(nanoseconds[i] > 0 ? intervals[i] / nanoseconds[i] * 1e9 : 0);
      }
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
