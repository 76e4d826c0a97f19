// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/benchmarks/runner.h"

#include <QDir>
#include <QFileInfo>
#include <QThread>
#include <algorithm>
#include <random>

#include "monitor/benchmarks/load.h"
#include "monitor/benchmarks/plan.h"
#include "monitor/benchmarks/processes.h"

namespace tutti::bench {
namespace {

/// Longest time one repeat may take before it is given up, in seconds. The programs give up by
/// themselves after 20 s without news; this is for one that hangs.
constexpr int repeatLimitSeconds = 300;
const QString usualArchitecture = QStringLiteral("decentralized");

class Runner {
 public:
  Runner(const Settings& settings, const Tools& tools, const std::function<bool()>& cancelled)
      : settings_(settings), tools_(tools), cancelled_(cancelled) {}

  tl::expected<Measured, RunError> measure(const Line& line, double at) {
    const QString name = Processes::newFederationName();
    Processes processes(tools_.folder, name, settings_.designator);
    if (!line.yardstick) {
      processes.setArchitecture(line.architecture);
      if (line.hosts > 1) {
        if (auto started = processes.startNodes(line.hosts); !started) {
          return tl::unexpected(started.error());
        }
      }
    }
    for (const Program& program :
         programsOf(settings_, line, at, name, tools_.folder,
                    [this](int number) { return processorOf(settings_.pinning, number); })) {
      processes.start(program);
    }
    const auto reports = processes.finish(cancelled_, repeatLimitSeconds);
    if (!reports) return tl::unexpected(reports.error());
    if (!line.yardstick) {
      const QMap<QString, QString>& said = reports->front().texts;
      rti_ = {said.value(QStringLiteral("rti")), said.value(QStringLiteral("rtiversion"))};
    }
    const auto measured = measuredOf(settings_, line, *reports);
    if (!measured) {
      return tl::unexpected(RunError{RunError::Kind::Failed, measured.error()});
    }
    return *measured;
  }

  /// Known once it was measured.
  const Rti& rti() const { return rti_; }

 private:
  const Settings& settings_;
  const Tools& tools_;
  const std::function<bool()>& cancelled_;
  Rti rti_;
};

}  // namespace

Tools Tools::beside(const QString& executableFolder) {
  const QString installed = executableFolder + QStringLiteral("/../lib/tutti");
  return {QFileInfo::exists(installed + QStringLiteral("/bench-ring")) ? QDir::cleanPath(installed)
                                                                      : executableFolder};
}

QString sizeText(int bytes) {
  if (bytes >= 1024 * 1024 && bytes % (1024 * 1024) == 0) {
    return QStringLiteral("%1 MiB").arg(bytes / (1024 * 1024));
  }
  if (bytes >= 1024 && bytes % 1024 == 0) return QStringLiteral("%1 KiB").arg(bytes / 1024);
  return QStringLiteral("%1 B").arg(bytes);
}

QString axisText(Kind kind, double at) {
  switch (factsOf(kind).axis) {
    case Axis::Size:
      return sizeText(static_cast<int>(at));
    case Axis::Lookahead:
      return QStringLiteral("lookahead %1").arg(at);
    case Axis::Instances:
      return at == 1 ? QStringLiteral("1 instance")
                     : QStringLiteral("%1 instances").arg(at, 0, 'f', 0);
    case Axis::Federates:
      return QStringLiteral("%1 federates").arg(at);
  }
  return {};
}

QString whyNot(const Settings& settings) {
  const Axis axis = factsOf(settings.kind).axis;
  if (settings.repeats < 1 || settings.repeats > 1000) {
    return QStringLiteral("Repeats must be 1 to 1000, not %1.").arg(settings.repeats);
  }
  if (settings.cycles < 1 || settings.cycles > 10'000) {
    return QStringLiteral("Cycles must be 1 to 10000, not %1.").arg(settings.cycles);
  }
  const QStringList& known = allArchitectures();
  const bool ofTutti = settings.tools.isEmpty() && settings.designator.isEmpty();
  for (const QString& each : settings.architectures) {
    if (!known.contains(each)) {
      return QStringLiteral("There is no architecture \"%1\", but %2.")
          .arg(each, known.join(QStringLiteral(", ")));
    }
    if (!ofTutti && each != known.front()) {
      return QStringLiteral(
          "Architectures can be chosen of Tutti only, not of the RTI that --tools or --rti name.");
    }
  }
  if (settings.architectures.empty()) return QStringLiteral("At least one architecture is needed.");
  if (settings.hosts.empty()) return QStringLiteral("At least one number of hosts is needed.");
  for (const int each : settings.hosts) {
    if (each < 1 || each > 16) {
      return QStringLiteral("The number of hosts must be 1 to 16, not %1.").arg(each);
    }
    if (!ofTutti && each > 1) {
      return QStringLiteral(
          "Hosts are nodes of Tutti that are linked on this machine. For the RTI that --tools or "
          "--rti name, start its own and leave --hosts out.");
    }
  }
  const auto outside = [](const char* what, int value, int least, int most) {
    return value >= least && value <= most ? QString()
                                           : QStringLiteral("%1 must be %2 to %3, not %4.")
                                                 .arg(QString::fromLatin1(what))
                                                 .arg(least)
                                                 .arg(most)
                                                 .arg(value);
  };
  for (const QString& reason :
       {outside("The acknowledgement's size", settings.ack, 0, 64 * 1024 * 1024),
        outside("Pairs", settings.pairs, 1, 512), outside("Receivers", settings.receivers, 1, 100),
        outside("A burst", settings.burst, 1, 100'000),
        outside("The number of crowds", settings.crowds, 1, 100)}) {
    if (!reason.isEmpty()) return reason;
  }
  if (settings.kind == Kind::Clutter && settings.instances.empty()) {
    return QStringLiteral("At least one number of instances is needed.");
  }
  for (const int each : settings.instances) {
    const QString reason = outside("The number of instances", each, settings.crowds, 10'000'000);
    if (!reason.isEmpty()) return reason;
  }
  if (axis == Axis::Federates) {
    if (settings.federates.empty()) return QStringLiteral("At least one number is needed.");
    for (const int each : settings.federates) {
      const QString reason = outside("The number of federates", each, 2, 1024);
      if (!reason.isEmpty()) return reason;
      if (each % 2 != 0) {
        return QStringLiteral("The number of federates must be even, as they come in pairs.");
      }
    }
  }
  if (axis != Axis::Lookahead) {
    if (settings.sizes.empty()) return QStringLiteral("At least one message size is needed.");
    const int least = settings.kind == Kind::DmsoLatency ? 16 : 1;
    for (const int size : settings.sizes) {
      if (size < least || size > 64 * 1024 * 1024) {
        return QStringLiteral("A message size must be %1 to 64 MiB, not %2.")
            .arg(least == 1 ? QStringLiteral("1 byte")
                            : QStringLiteral("16 bytes (a number and a time stamp)"))
            .arg(size);
      }
    }
    if (settings.transports.empty()) return QStringLiteral("At least one transport is needed.");
  }
  if (axis == Axis::Lookahead) {
    if (settings.lookaheads.empty()) return QStringLiteral("At least one lookahead is needed.");
    for (const double each : settings.lookaheads) {
      if (!(each > 0)) return QStringLiteral("Lookaheads must be above 0.");
    }
    if (!(settings.step > 0)) return QStringLiteral("The step must be above 0.");
  }
  if (settings.count < 2) return QStringLiteral("The count must be at least 2.");
  if (settings.pinning == Pinning::OwnCores && QThread::idealThreadCount() < 2) {
    return QStringLiteral(
        "This machine has one processor only. Use --pin one to measure both processes on it.");
  }
  return {};
}

Machine machineBefore(int measurements, const std::function<void(const Progress&)>& progress) {
  Machine machine = thisMachine();
  machine.loadBefore = otherLoad();
  progress({0, measurements, QStringLiteral("starting"),
            loadWarning(machine.loadBefore, machine.processors)});
  return machine;
}

tl::expected<Result, RunError> runBenchmark(const Settings& settings, const Tools& tools,
                                            const std::function<void(const Progress&)>& progress,
                                            const std::function<bool()>& cancelled) {
  if (const QString reason = whyNot(settings); !reason.isEmpty()) {
    return tl::unexpected(RunError{RunError::Kind::Settings, reason});
  }
  const std::vector<Line> lines = linesOf(settings);
  const std::vector<double> axis = settings.axis();
  QStringList neededFiles;
  for (const Line& line : lines) {
    for (const Program& each :
         programsOf(settings, line, axis.front(), {}, {}, [](int) { return -1; })) {
      neededFiles.prepend(tools.folder + u'/' + each.name);
    }
  }
  neededFiles.removeDuplicates();
  for (const QString& needed : neededFiles) {
    if (!QFileInfo::exists(needed)) {
      return tl::unexpected(RunError{
          RunError::Kind::Missing,
          QStringLiteral(
              "%1 is missing, so nothing can be measured. Build or install Tutti completely.")
              .arg(needed)});
    }
  }

  Result result;
  result.settings = settings;
  result.build = thisBuild();
  result.at = QDateTime::currentDateTime();

  struct Task {
    std::size_t series;
    std::size_t point;
    int repeat;
  };
  std::vector<Task> tasks;
  std::mt19937_64 random(settings.seed);
  // Repeats stay in order, so that a slow drift of the machine hits all points and series alike;
  // within one the order is drawn.
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    const auto begin = static_cast<std::ptrdiff_t>(tasks.size());
    for (std::size_t point = 0; point < axis.size(); ++point) {
      for (std::size_t line = 0; line < lines.size(); ++line) {
        tasks.push_back({line, point, repeat});
      }
    }
    std::shuffle(tasks.begin() + begin, tasks.end(), random);
  }

  std::vector<std::vector<std::vector<double>>> values(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Series series{lines[i].id, lines[i].label, {}};
    for (const double at : axis) {
      Point point;
      point.at = at;
      if (factsOf(settings.kind).axis == Axis::Size) point.size = static_cast<int>(at);
      series.points.push_back(point);
    }
    result.series.push_back(std::move(series));
    values[i].resize(axis.size());
  }

  Runner runner(settings, tools, cancelled);
  Progress state;
  state.total = static_cast<int>(tasks.size());
  result.machine = machineBefore(state.total, progress);
  for (const Task& task : tasks) {
    Point& point = result.series[task.series].points[task.point];
    const Line& line = lines[task.series];
    state.text = QStringLiteral("%1, repeat %2 of %3, %4")
                     .arg(axisText(settings.kind, point.at))
                     .arg(task.repeat + 1)
                     .arg(settings.repeats)
                     .arg(line.yardstick         ? line.label
                          : line.label.isEmpty() ? QStringLiteral("RTI")
                                                 : QStringLiteral("RTI, ") + line.label);
    progress(state);
    const auto measured = runner.measure(line, point.at);
    if (!measured) return tl::unexpected(measured.error());
    Repeat repeat;
    repeat.summary = summarize(measured->values);
    repeat.lost = measured->lost;
    point.lost += measured->lost;
    for (const auto& [name, value] : measured->costs) {
      point.costs[name] += value / settings.repeats;
    }
    point.repeats.push_back(repeat);
    auto& all = values[task.series][task.point];
    all.insert(all.end(), measured->values.begin(), measured->values.end());
    ++state.done;
  }
  result.machine.loadAfter = otherLoad();
  state.text = QStringLiteral("done");
  progress(state);

  result.rti = runner.rti();
  const KindFacts& facts = factsOf(settings.kind);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Series& series = result.series[i];
    if (!lines[i].yardstick) {
      const bool direct = lines[i].hosts == 1 && lines[i].architecture == usualArchitecture;
      const QString name =
          !result.rti.isTutti() ? (result.rti.name + u' ' + result.rti.version).trimmed()
          : direct && settings.hosts.size() == 1 && settings.architectures.size() == 1
              ? QStringLiteral("Tutti, shared memory")
              : QStringLiteral("Tutti");
      series.label = lines[i].label.isEmpty() ? name : name + QStringLiteral(", ") + lines[i].label;
    }
    for (std::size_t at = 0; at < axis.size(); ++at) {
      Point& point = series.points[at];
      point.summary = summarize(values[i][at]);
      if (facts.times) point.distribution = distribution(values[i][at]);
      const auto ratioTo = [&](const std::vector<double>& others) {
        // Of medians: one interruption of a whole run must not make a ratio.
        const double limit = summarize(others).median;
        return facts.times ? point.summary.median / limit : limit / point.summary.median;
      };
      const auto lineOf = [&](const char* id) {
        const auto found = std::find_if(lines.begin(), lines.end(), [&](const Line& each) {
          return each.id == QLatin1String(id);
        });
        return static_cast<std::size_t>(found - lines.begin());
      };
      const std::size_t tcp = lineOf("tcp");
      const std::size_t ring = lines[i].hosts > 1 && tcp < lines.size() ? tcp : lineOf("ring");
      const std::size_t arguments = lineOf("ring/arguments");
      point.ratioToRing = ratioTo(ring < lines.size() ? values[ring][at] : values[i][0]);
      if (arguments < lines.size()) point.ratioToArguments = ratioTo(values[arguments][at]);
    }
  }
  return result;
}

}  // namespace tutti::bench
