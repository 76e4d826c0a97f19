// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/benchmarks/benchmark.h"

#include <QFile>
#include <QJsonArray>
#include <QSysInfo>
#include <QThread>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tutti::bench {
namespace {

template <class T>
struct Named {
  T value;
  const char* name;
};
constexpr Named<Kind> kinds[] = {{Kind::Latency, "latency"},
                                 {Kind::Throughput, "throughput"},
                                 {Kind::TimeAdvance, "timeadvance"}};
constexpr Named<Pinning> pinnings[] = {
    {Pinning::OwnCores, "own"}, {Pinning::OneCore, "one"}, {Pinning::Free, "free"}};

template <class T, std::size_t N>
QString nameIn(const Named<T> (&table)[N], T value) {
  for (const auto& each : table) {
    if (each.value == value) return QString::fromLatin1(each.name);
  }
  return {};
}
template <class T, std::size_t N>
std::optional<T> valueIn(const Named<T> (&table)[N], const QString& name) {
  for (const auto& each : table) {
    if (name == QLatin1String(each.name)) return each.value;
  }
  return std::nullopt;
}

/// JSON has no "not a number": such values are left out.
void put(QJsonObject& object, const QString& key, double value) {
  if (std::isfinite(value)) object[key] = value;
}
double get(const QJsonObject& object, const char* key) {
  const QJsonValue value = object[QLatin1String(key)];
  return value.isDouble() ? value.toDouble() : std::numeric_limits<double>::quiet_NaN();
}

void putSummary(QJsonObject& object, const Summary& summary) {
  object[QStringLiteral("count")] = static_cast<qint64>(summary.count);
  put(object, QStringLiteral("median"), summary.median);
  put(object, QStringLiteral("mean"), summary.mean);
  put(object, QStringLiteral("sd"), summary.deviation);
  put(object, QStringLiteral("p10"), summary.p10);
  put(object, QStringLiteral("p90"), summary.p90);
  put(object, QStringLiteral("p99"), summary.p99);
  put(object, QStringLiteral("min"), summary.least);
  put(object, QStringLiteral("max"), summary.greatest);
}
Summary getSummary(const QJsonObject& object) {
  Summary summary;
  summary.count = static_cast<std::uint64_t>(object[QStringLiteral("count")].toInteger());
  summary.median = get(object, "median");
  summary.mean = get(object, "mean");
  summary.deviation = get(object, "sd");
  summary.p10 = get(object, "p10");
  summary.p90 = get(object, "p90");
  summary.p99 = get(object, "p99");
  summary.least = get(object, "min");
  summary.greatest = get(object, "max");
  return summary;
}

QString firstLineOf(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QString::fromUtf8(file.readLine()).trimmed();
}

QString valueInFile(const QString& path, const QString& key) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QStringList lines = QString::fromUtf8(file.readAll()).split(u'\n');
  for (const QString& line : lines) {
    if (line.startsWith(key)) return line.section(u':', 1).trimmed();
  }
  return {};
}

}  // namespace

QString kindName(Kind kind) { return nameIn(kinds, kind); }
std::optional<Kind> kindOf(const QString& name) { return valueIn(kinds, name); }
QString pinningName(Pinning pinning) { return nameIn(pinnings, pinning); }
std::optional<Pinning> pinningOf(const QString& name) { return valueIn(pinnings, name); }

QString kindTitle(Kind kind) {
  switch (kind) {
    case Kind::Latency:
      return QStringLiteral("Round trip of an attribute update");
    case Kind::Throughput:
      return QStringLiteral("Attribute updates received");
    case Kind::TimeAdvance:
      return QStringLiteral("Time advance grants of a federate");
  }
  return {};
}

QString unitOf(Kind kind) {
  switch (kind) {
    case Kind::Latency:
      return QStringLiteral("µs");
    case Kind::Throughput:
      return QStringLiteral("updates/s");
    case Kind::TimeAdvance:
      return QStringLiteral("grants/s");
  }
  return {};
}

bool lowerIsBetter(Kind kind) { return kind == Kind::Latency; }

std::uint64_t Settings::countOrDefault() const {
  if (count != 0) return count;
  switch (kind) {
    case Kind::Latency:
      return 10'000;
    case Kind::Throughput:
      return 500'000;
    case Kind::TimeAdvance:
      return 100'000;
  }
  return 0;
}

QStringList commandLine(const Settings& settings) {
  QStringList result{QStringLiteral("bench"), kindName(settings.kind)};
  const Settings usual;
  if (settings.kind != Kind::TimeAdvance && settings.sizes != usual.sizes) {
    QStringList sizes;
    for (const int size : settings.sizes) sizes << QString::number(size);
    result << QStringLiteral("--size") << sizes.join(u',');
  }
  if (settings.count != 0) result << QStringLiteral("--count") << QString::number(settings.count);
  if (settings.warmUp != usual.warmUp) {
    result << QStringLiteral("--warm-up") << QString::number(settings.warmUp);
  }
  result << QStringLiteral("--repeats") << QString::number(settings.repeats);
  result << QStringLiteral("--seed") << QString::number(settings.seed);
  if (settings.pinning != usual.pinning) {
    result << QStringLiteral("--pin") << pinningName(settings.pinning);
  }
  if (settings.wait) result << QStringLiteral("--wait");
  if (settings.kind == Kind::TimeAdvance) {
    if (settings.lookahead != usual.lookahead) {
      result << QStringLiteral("--lookahead") << QString::number(settings.lookahead);
    }
    if (settings.step != usual.step) {
      result << QStringLiteral("--step") << QString::number(settings.step);
    }
  }
  return result;
}

std::vector<double> Point::medians() const {
  std::vector<double> result;
  result.reserve(repeats.size());
  for (const Repeat& each : repeats) result.push_back(each.summary.median);
  return result;
}

const Point* Series::at(int size) const {
  for (const Point& point : points) {
    if (point.size == size) return &point;
  }
  return nullptr;
}

const Series* Result::find(const QString& id) const {
  for (const Series& each : series) {
    if (each.id == id) return &each;
  }
  return nullptr;
}

QString Machine::line() const {
  return QStringLiteral("%1, %2 × %3, governor %4")
      .arg(host)
      .arg(processors)
      .arg(processor, governor);
}

Machine thisMachine() {
  Machine machine;
  machine.host = QSysInfo::machineHostName();
  machine.processor = valueInFile(QStringLiteral("/proc/cpuinfo"), QStringLiteral("model name"));
  if (machine.processor.isEmpty()) machine.processor = QSysInfo::currentCpuArchitecture();
  machine.processors = QThread::idealThreadCount();
  machine.governor =
      firstLineOf(QStringLiteral("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
  if (machine.governor.isEmpty()) machine.governor = QStringLiteral("not shown");
  machine.kernel = QSysInfo::kernelType() + u' ' + QSysInfo::kernelVersion();
  const double kilobytes = valueInFile(QStringLiteral("/proc/meminfo"), QStringLiteral("MemTotal"))
                               .section(u' ', 0, 0)
                               .toDouble();
  machine.memory = QStringLiteral("%1 GB").arg(kilobytes * 1024 / 1e9, 0, 'f', 1);
  machine.load = firstLineOf(QStringLiteral("/proc/loadavg")).section(u' ', 0, 0).toDouble();
  return machine;
}

Build thisBuild() {
  return {
    QStringLiteral(TUTTI_VERSION),
#if defined(__clang__)
        QStringLiteral("clang " __clang_version__),
#else
        QStringLiteral("gcc " __VERSION__),
#endif
        QStringLiteral(TUTTI_BUILD_TYPE)
  };
}

QJsonObject toJson(const Result& result) {
  const Settings& settings = result.settings;
  QJsonArray sizes;
  for (const int size : settings.sizes) sizes.append(size);
  QJsonArray series;
  for (const Series& each : result.series) {
    QJsonArray points;
    for (const Point& point : each.points) {
      QJsonObject object{{QStringLiteral("size"), point.size},
                         {QStringLiteral("lost"), static_cast<qint64>(point.lost)}};
      putSummary(object, point.summary);
      put(object, QStringLiteral("ratioToRing"), point.ratioToRing);
      QJsonArray repeats;
      for (const Repeat& repeat : point.repeats) {
        QJsonObject one{{QStringLiteral("lost"), static_cast<qint64>(repeat.lost)}};
        putSummary(one, repeat.summary);
        repeats.append(one);
      }
      object[QStringLiteral("repeats")] = repeats;
      if (!point.distribution.empty()) {
        QJsonArray shares;
        for (const auto& [share, value] : point.distribution) {
          shares.append(QJsonArray{share, value});
        }
        object[QStringLiteral("distribution")] = shares;
      }
      points.append(object);
    }
    series.append(QJsonObject{{QStringLiteral("id"), each.id},
                              {QStringLiteral("label"), each.label},
                              {QStringLiteral("points"), points}});
  }
  QJsonObject asked{
      {QStringLiteral("sizes"), sizes},
      {QStringLiteral("count"), static_cast<qint64>(settings.countOrDefault())},
      {QStringLiteral("warmUp"), static_cast<qint64>(settings.warmUp)},
      {QStringLiteral("repeats"), settings.repeats},
      // A seed may need more digits than a JSON number keeps.
      {QStringLiteral("seed"), QString::number(settings.seed)},
      {QStringLiteral("pin"), pinningName(settings.pinning)},
      {QStringLiteral("evoke"), settings.wait ? QStringLiteral("wait") : QStringLiteral("poll")}};
  if (settings.kind == Kind::TimeAdvance) {
    asked[QStringLiteral("lookahead")] = settings.lookahead;
    asked[QStringLiteral("step")] = settings.step;
  }
  return {
      {QStringLiteral("document"), QStringLiteral("tutti-benchmark")},
      {QStringLiteral("version"), 1},
      {QStringLiteral("kind"), kindName(settings.kind)},
      {QStringLiteral("title"), kindTitle(settings.kind)},
      {QStringLiteral("unit"), unitOf(settings.kind)},
      {QStringLiteral("at"), result.at.toUTC().toString(Qt::ISODate)},
      {QStringLiteral("settings"), asked},
      {QStringLiteral("machine"),
       QJsonObject{{QStringLiteral("host"), result.machine.host},
                   {QStringLiteral("processor"), result.machine.processor},
                   {QStringLiteral("processors"), result.machine.processors},
                   {QStringLiteral("governor"), result.machine.governor},
                   {QStringLiteral("kernel"), result.machine.kernel},
                   {QStringLiteral("memory"), result.machine.memory},
                   {QStringLiteral("load"), result.machine.load}}},
      {QStringLiteral("build"), QJsonObject{{QStringLiteral("version"), result.build.version},
                                            {QStringLiteral("compiler"), result.build.compiler},
                                            {QStringLiteral("type"), result.build.type}}},
      {QStringLiteral("series"), series},
  };
}

tl::expected<Result, QString> resultFromJson(const QJsonObject& document) {
  if (document[QStringLiteral("document")].toString() != QStringLiteral("tutti-benchmark")) {
    return tl::unexpected(QStringLiteral("This is no benchmark result of Tutti."));
  }
  if (document[QStringLiteral("version")].toInt() != 1) {
    return tl::unexpected(
        QStringLiteral("This benchmark result was written by a newer Tutti (version %1).")
            .arg(document[QStringLiteral("version")].toInt()));
  }
  const auto kind = kindOf(document[QStringLiteral("kind")].toString());
  if (!kind) {
    return tl::unexpected(QStringLiteral("\"%1\" is no benchmark that this Tutti knows.")
                              .arg(document[QStringLiteral("kind")].toString()));
  }
  Result result;
  result.settings.kind = *kind;
  result.at = QDateTime::fromString(document[QStringLiteral("at")].toString(), Qt::ISODate);
  const QJsonObject asked = document[QStringLiteral("settings")].toObject();
  result.settings.sizes.clear();
  const QJsonArray sizes = asked[QStringLiteral("sizes")].toArray();
  for (const QJsonValue& size : sizes) result.settings.sizes.push_back(size.toInt());
  result.settings.count = static_cast<std::uint64_t>(asked[QStringLiteral("count")].toInteger());
  result.settings.warmUp = static_cast<std::uint64_t>(asked[QStringLiteral("warmUp")].toInteger());
  result.settings.repeats = asked[QStringLiteral("repeats")].toInt();
  result.settings.seed = asked[QStringLiteral("seed")].toString().toULongLong();
  result.settings.pinning =
      pinningOf(asked[QStringLiteral("pin")].toString()).value_or(Pinning::Free);
  result.settings.wait = asked[QStringLiteral("evoke")].toString() == QStringLiteral("wait");
  result.settings.lookahead = asked[QStringLiteral("lookahead")].toDouble(0.1);
  result.settings.step = asked[QStringLiteral("step")].toDouble(0.1);
  const QJsonObject machine = document[QStringLiteral("machine")].toObject();
  result.machine = {machine[QStringLiteral("host")].toString(),
                    machine[QStringLiteral("processor")].toString(),
                    machine[QStringLiteral("processors")].toInt(),
                    machine[QStringLiteral("governor")].toString(),
                    machine[QStringLiteral("kernel")].toString(),
                    machine[QStringLiteral("memory")].toString(),
                    machine[QStringLiteral("load")].toDouble()};
  const QJsonObject build = document[QStringLiteral("build")].toObject();
  result.build = {build[QStringLiteral("version")].toString(),
                  build[QStringLiteral("compiler")].toString(),
                  build[QStringLiteral("type")].toString()};
  const QJsonArray allSeries = document[QStringLiteral("series")].toArray();
  for (const QJsonValue& entry : allSeries) {
    const QJsonObject object = entry.toObject();
    Series series;
    series.id = object[QStringLiteral("id")].toString();
    series.label = object[QStringLiteral("label")].toString();
    const QJsonArray points = object[QStringLiteral("points")].toArray();
    for (const QJsonValue& pointEntry : points) {
      const QJsonObject one = pointEntry.toObject();
      Point point;
      point.size = one[QStringLiteral("size")].toInt();
      point.lost = static_cast<std::uint64_t>(one[QStringLiteral("lost")].toInteger());
      point.summary = getSummary(one);
      point.ratioToRing = get(one, "ratioToRing");
      const QJsonArray repeats = one[QStringLiteral("repeats")].toArray();
      for (const QJsonValue& repeat : repeats) {
        point.repeats.push_back(
            {getSummary(repeat.toObject()),
             static_cast<std::uint64_t>(repeat.toObject()[QStringLiteral("lost")].toInteger())});
      }
      const QJsonArray shares = one[QStringLiteral("distribution")].toArray();
      for (const QJsonValue& share : shares) {
        point.distribution.emplace_back(share.toArray().at(0).toDouble(),
                                        share.toArray().at(1).toDouble());
      }
      series.points.push_back(std::move(point));
    }
    result.series.push_back(std::move(series));
  }
  return result;
}

}  // namespace tutti::bench
