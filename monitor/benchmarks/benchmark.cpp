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
constexpr Named<Pinning> pinnings[] = {
    {Pinning::OwnCores, "own"}, {Pinning::OneCore, "one"}, {Pinning::Free, "free"}};
constexpr Named<Transport> transportNames[] = {{Transport::Reliable, "reliable"},
                                               {Transport::BestEffort, "best-effort"}};

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
  put(object, QStringLiteral("jitter"), summary.jitter);
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
  summary.jitter = get(object, "jitter");
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

QString pinningName(Pinning pinning) { return nameIn(pinnings, pinning); }
std::optional<Pinning> pinningOf(const QString& name) { return valueIn(pinnings, name); }
QString transportName(Transport transport) { return nameIn(transportNames, transport); }
std::optional<Transport> transportOf(const QString& name) { return valueIn(transportNames, name); }

std::vector<double> Point::medians() const {
  std::vector<double> result;
  result.reserve(repeats.size());
  for (const Repeat& each : repeats) result.push_back(each.summary.median);
  return result;
}

const Point* Series::at(double place) const {
  for (const Point& point : points) {
    if (point.at == place) return &point;
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

double Machine::otherLoad() const {
  if (std::isnan(loadBefore) && std::isnan(loadAfter)) return load;
  return std::fmax(loadBefore, loadAfter);  // of one that is not a number, the other
}

bool Machine::isBusy() const { return bench::isBusy(otherLoad(), processors); }

QString Machine::loadLine() const {
  const auto text = [](double value) {
    return std::isnan(value) ? QStringLiteral("unknown") : QString::number(value, 'f', 2);
  };
  if (std::isnan(loadBefore) && std::isnan(loadAfter)) {
    return QStringLiteral("%1 before").arg(text(load));
  }
  return QStringLiteral("%1 before, %2 after").arg(text(loadBefore), text(loadAfter));
}

bool isBusy(double load, int processors) { return load > 0.5 * std::max(processors, 1); }

QString loadText(double load, int processors) {
  return QStringLiteral("load %1 on %2")
      .arg(load, 0, 'f', 1)
      .arg(processors == 1 ? QStringLiteral("1 processor")
                           : QStringLiteral("%1 processors").arg(std::max(processors, 1)));
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
  QJsonObject machine{{QStringLiteral("host"), result.machine.host},
                      {QStringLiteral("processor"), result.machine.processor},
                      {QStringLiteral("processors"), result.machine.processors},
                      {QStringLiteral("governor"), result.machine.governor},
                      {QStringLiteral("kernel"), result.machine.kernel},
                      {QStringLiteral("memory"), result.machine.memory},
                      {QStringLiteral("load"), result.machine.load}};
  put(machine, QStringLiteral("loadBefore"), result.machine.loadBefore);
  put(machine, QStringLiteral("loadAfter"), result.machine.loadAfter);
  const Settings& settings = result.settings;
  QJsonArray sizes;
  for (const int size : settings.sizes) sizes.append(size);
  QJsonArray lookaheads;
  for (const double lookahead : settings.lookaheads) lookaheads.append(lookahead);
  QJsonArray transports;
  for (const Transport each : settings.transports) transports.append(transportName(each));
  QJsonArray series;
  for (const Series& each : result.series) {
    QJsonArray points;
    for (const Point& point : each.points) {
      QJsonObject object{{QStringLiteral("at"), point.at},
                         {QStringLiteral("size"), point.size},
                         {QStringLiteral("lost"), static_cast<qint64>(point.lost)}};
      putSummary(object, point.summary);
      put(object, QStringLiteral("ratioToRing"), point.ratioToRing);
      put(object, QStringLiteral("ratioToArguments"), point.ratioToArguments);
      put(object, QStringLiteral("mode"), point.mode);
      put(object, QStringLiteral("frequency"), point.frequency);
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
      if (!point.costs.empty()) {
        QJsonObject costs;
        for (const auto& [name, value] : point.costs) costs[name] = value;
        object[QStringLiteral("costs")] = costs;
      }
      points.append(object);
    }
    series.append(QJsonObject{{QStringLiteral("id"), each.id},
                              {QStringLiteral("label"), each.label},
                              {QStringLiteral("points"), points}});
  }
  QJsonObject asked{
      {QStringLiteral("sizes"), sizes},
      {QStringLiteral("count"), static_cast<qint64>(settings.count)},
      {QStringLiteral("warmUp"), static_cast<qint64>(settings.warmUp)},
      {QStringLiteral("cycles"), settings.cycles},
      {QStringLiteral("repeats"), settings.repeats},
      {QStringLiteral("transports"), transports},
      // A seed may need more digits than a JSON number keeps.
      {QStringLiteral("seed"), QString::number(settings.seed)},
      {QStringLiteral("pin"), pinningName(settings.pinning)},
      {QStringLiteral("evoke"), settings.wait ? QStringLiteral("wait") : QStringLiteral("poll")}};
  if (factsOf(settings.kind).axis == Axis::Lookahead) {
    asked[QStringLiteral("lookaheads")] = lookaheads;
    asked[QStringLiteral("step")] = settings.step;
  }
  if (factsOf(settings.kind).axis == Axis::Federates) {
    QJsonArray federates;
    for (const int each : settings.federates) federates.append(each);
    asked[QStringLiteral("federates")] = federates;
    asked[QStringLiteral("burst")] = settings.burst;
  }
  if (settings.kind == Kind::Clutter) {
    QJsonArray instances;
    for (const int each : settings.instances) instances.append(each);
    asked[QStringLiteral("instances")] = instances;
    asked[QStringLiteral("crowds")] = settings.crowds;
  }
  if (!settings.sequence.isEmpty()) asked[QStringLiteral("sequence")] = settings.sequence;
  if (settings.ack != 0) asked[QStringLiteral("ack")] = settings.ack;
  if (settings.fresh) asked[QStringLiteral("fresh")] = true;
  if (settings.pairs != 1) asked[QStringLiteral("pairs")] = settings.pairs;
  if (settings.receivers != 1) asked[QStringLiteral("receivers")] = settings.receivers;
  asked[QStringLiteral("architecture")] =
      QStringList(settings.architectures.begin(), settings.architectures.end()).join(u',');
  if (settings.hosts != std::vector<int>{1}) {
    QJsonArray hosts;
    for (const int each : settings.hosts) hosts.append(each);
    asked[QStringLiteral("hosts")] = hosts;
  }
  if (!settings.tools.isEmpty()) asked[QStringLiteral("tools")] = settings.tools;
  if (!settings.designator.isEmpty()) asked[QStringLiteral("designator")] = settings.designator;
  return {
      {QStringLiteral("document"), QStringLiteral("tutti-benchmark")},
      {QStringLiteral("version"), 1},
      {QStringLiteral("kind"), kindName(settings.kind)},
      {QStringLiteral("title"), kindTitle(settings.kind)},
      {QStringLiteral("unit"), unitOf(settings.kind)},
      {QStringLiteral("at"), result.at.toUTC().toString(Qt::ISODate)},
      {QStringLiteral("settings"), asked},
      {QStringLiteral("machine"), machine},
      {QStringLiteral("build"), QJsonObject{{QStringLiteral("version"), result.build.version},
                                            {QStringLiteral("compiler"), result.build.compiler},
                                            {QStringLiteral("type"), result.build.type}}},
      {QStringLiteral("rti"), QJsonObject{{QStringLiteral("name"), result.rti.name},
                                          {QStringLiteral("version"), result.rti.version}}},
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
  result.settings = usualSettings(*kind);
  result.at = QDateTime::fromString(document[QStringLiteral("at")].toString(), Qt::ISODate);
  const QJsonObject asked = document[QStringLiteral("settings")].toObject();
  result.settings.sizes.clear();
  const QJsonArray sizes = asked[QStringLiteral("sizes")].toArray();
  for (const QJsonValue& size : sizes) result.settings.sizes.push_back(size.toInt());
  result.settings.count = static_cast<std::uint64_t>(asked[QStringLiteral("count")].toInteger());
  result.settings.warmUp = static_cast<std::uint64_t>(asked[QStringLiteral("warmUp")].toInteger());
  result.settings.cycles = asked[QStringLiteral("cycles")].toInt(1);
  result.settings.repeats = asked[QStringLiteral("repeats")].toInt();
  const QJsonArray transports = asked[QStringLiteral("transports")].toArray();
  if (!transports.isEmpty()) result.settings.transports.clear();
  for (const QJsonValue& each : transports) {
    result.settings.transports.push_back(
        transportOf(each.toString()).value_or(Transport::Reliable));
  }
  result.settings.seed = asked[QStringLiteral("seed")].toString().toULongLong();
  result.settings.pinning =
      pinningOf(asked[QStringLiteral("pin")].toString()).value_or(Pinning::Free);
  result.settings.wait = asked[QStringLiteral("evoke")].toString() == QStringLiteral("wait");
  // Before there could be several, the lookahead was one number.
  QJsonArray lookaheads = asked[QStringLiteral("lookaheads")].toArray();
  if (lookaheads.isEmpty()) lookaheads.append(asked[QStringLiteral("lookahead")].toDouble(0.1));
  result.settings.lookaheads.clear();
  for (const QJsonValue& each : lookaheads) result.settings.lookaheads.push_back(each.toDouble());
  result.settings.step = asked[QStringLiteral("step")].toDouble(0.1);
  const QJsonArray federates = asked[QStringLiteral("federates")].toArray();
  if (!federates.isEmpty()) result.settings.federates.clear();
  for (const QJsonValue& each : federates) result.settings.federates.push_back(each.toInt());
  result.settings.burst = asked[QStringLiteral("burst")].toInt(result.settings.burst);
  const QJsonArray instances = asked[QStringLiteral("instances")].toArray();
  if (!instances.isEmpty()) result.settings.instances.clear();
  for (const QJsonValue& each : instances) result.settings.instances.push_back(each.toInt());
  result.settings.crowds = asked[QStringLiteral("crowds")].toInt(result.settings.crowds);
  result.settings.sequence = asked[QStringLiteral("sequence")].toString();
  result.settings.ack = asked[QStringLiteral("ack")].toInt();
  result.settings.fresh = asked[QStringLiteral("fresh")].toBool();
  result.settings.pairs = asked[QStringLiteral("pairs")].toInt(1);
  result.settings.receivers = asked[QStringLiteral("receivers")].toInt(1);
  const QString usualArchitecture = QStringLiteral("decentralized");
  const QStringList architectures =
      asked[QStringLiteral("architecture")].toString(usualArchitecture).split(u',');
  result.settings.architectures.assign(architectures.begin(), architectures.end());
  result.settings.hosts.clear();
  const QJsonArray hosts = asked[QStringLiteral("hosts")].toArray();
  for (const QJsonValue& each : hosts) result.settings.hosts.push_back(each.toInt());
  if (hosts.isEmpty()) result.settings.hosts = {1};
  result.settings.tools = asked[QStringLiteral("tools")].toString();
  result.settings.designator = asked[QStringLiteral("designator")].toString();
  const QJsonObject rti = document[QStringLiteral("rti")].toObject();
  result.rti = {rti[QStringLiteral("name")].toString(), rti[QStringLiteral("version")].toString()};
  // Before other RTIs could be measured there was one.
  if (result.rti.name.isEmpty()) result.rti.name = QStringLiteral("Tutti");
  const QJsonObject machine = document[QStringLiteral("machine")].toObject();
  result.machine = {machine[QStringLiteral("host")].toString(),
                    machine[QStringLiteral("processor")].toString(),
                    machine[QStringLiteral("processors")].toInt(),
                    machine[QStringLiteral("governor")].toString(),
                    machine[QStringLiteral("kernel")].toString(),
                    machine[QStringLiteral("memory")].toString(),
                    machine[QStringLiteral("load")].toDouble(),
                    get(machine, "loadBefore"),
                    get(machine, "loadAfter")};
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
      point.at = one[QStringLiteral("at")].toDouble(
          factsOf(*kind).axis == Axis::Size ? point.size : result.settings.lookaheads.front());
      point.lost = static_cast<std::uint64_t>(one[QStringLiteral("lost")].toInteger());
      point.summary = getSummary(one);
      point.ratioToRing = get(one, "ratioToRing");
      point.ratioToArguments = get(one, "ratioToArguments");
      point.mode = get(one, "mode");
      point.frequency = get(one, "frequency");
      const QJsonArray repeats = one[QStringLiteral("repeats")].toArray();
      for (const QJsonValue& repeat : repeats) {
        point.repeats.push_back(
            {getSummary(repeat.toObject()),
             static_cast<std::uint64_t>(repeat.toObject()[QStringLiteral("lost")].toInteger())});
      }
      const QJsonObject costs = one[QStringLiteral("costs")].toObject();
      for (auto cost = costs.begin(); cost != costs.end(); ++cost) {
        point.costs[cost.key()] = cost.value().toDouble();
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
