// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/benchmarks/runner.h"

#include <sys/prctl.h>

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QFileInfo>
#include <QMap>
#include <QProcess>
#include <QThread>
#include <algorithm>
#include <array>
#include <csignal>
#include <limits>
#include <memory>
#include <random>

namespace tutti::bench {
namespace {

/// Longest time one repeat may take before it is given up, in seconds. The programs give up by
/// themselves after 20 s without news; this is for one that hangs.
constexpr int repeatLimitSeconds = 300;

/// What one program printed: "key value ..." lines.
using Report = QMap<QString, std::vector<double>>;

Report parse(const QByteArray& output) {
  Report report;
  for (const QByteArray& line : output.split('\n')) {
    const QList<QByteArray> words = line.split(' ');
    if (words.size() < 2) continue;
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(words.size()) - 1);
    for (qsizetype i = 1; i < words.size(); ++i) values.push_back(words[i].toDouble());
    report[QString::fromLatin1(words[0])] = std::move(values);
  }
  return report;
}

double firstOf(const Report& report, const char* key) {
  const auto found = report.constFind(QString::fromLatin1(key));
  return found == report.constEnd() || found->empty() ? std::numeric_limits<double>::quiet_NaN()
                                                      : found->front();
}

std::unique_ptr<QProcess> start(const QString& program, const QStringList& arguments,
                                const QProcessEnvironment& environment) {
  auto process = std::make_unique<QProcess>();
  process->setProgram(program);
  process->setArguments(arguments);
  process->setProcessEnvironment(environment);
  process->setStandardInputFile(QProcess::nullDevice());
  // Whoever kills the runner ends what it started.
  process->setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
  process->start();
  return process;
}

struct Measured {
  std::vector<double> values;  ///< in the kind's unit
  std::uint64_t lost = 0;
};

class Runner {
 public:
  Runner(const Settings& settings, const Tools& tools, const std::function<bool()>& cancelled)
      : settings_(settings), tools_(tools), cancelled_(cancelled) {
    // Two processors that this process may use, the last two: interrupts often go to the first.
    const int processors = QThread::idealThreadCount();
    switch (settings.pinning) {
      case Pinning::OwnCores:
        processors_ = {processors - 2, processors - 1};
        break;
      case Pinning::OneCore:
        processors_ = {processors - 1, processors - 1};
        break;
      case Pinning::Free:
        processors_ = {-1, -1};
        break;
    }
  }

  tl::expected<Measured, RunError> ring(int size) {
    QStringList arguments{QStringLiteral("--mode"), kindName(settings_.kind)};
    arguments << shared(size) << QStringLiteral("--cpu") << QString::number(processors_[0])
              << QStringLiteral("--cpu2") << QString::number(processors_[1]);
    std::vector<std::unique_ptr<QProcess>> processes;
    processes.push_back(start(tools_.folder + QStringLiteral("/bench-ring"), arguments,
                              QProcessEnvironment::systemEnvironment()));
    auto reports = finish(processes);
    if (!reports) return tl::unexpected(reports.error());
    return measured(reports->front(), reports->front());
  }

  tl::expected<Measured, RunError> rti(int size) {
    // A federation of its own on a node of its own, so that nothing of a run before is left.
    static int run = 0;
    const QString name =
        QStringLiteral("bench-%1-%2").arg(QCoreApplication::applicationPid()).arg(++run);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("TUTTI_RTI"), QStringLiteral("shm:") + name);
    std::vector<std::unique_ptr<QProcess>> processes;
    for (const int role : {0, 1}) {
      QStringList arguments{QStringLiteral("--role"),
                            role == 0 ? QStringLiteral("first") : QStringLiteral("second"),
                            QStringLiteral("--fom"),
                            tools_.module,
                            QStringLiteral("--federation"),
                            name,
                            QStringLiteral("--evoke"),
                            settings_.wait ? QStringLiteral("wait") : QStringLiteral("poll"),
                            QStringLiteral("--cpu"),
                            QString::number(processors_[static_cast<std::size_t>(role)])};
      arguments << shared(size);
      processes.push_back(
          start(tools_.folder + QStringLiteral("/bench-") + kindName(settings_.kind), arguments,
                environment));
    }
    auto reports = finish(processes);
    if (!reports) return tl::unexpected(reports.error());
    return measured(reports->at(0), reports->at(1));
  }

 private:
  QStringList shared(int size) const {
    return {QStringLiteral("--size"),      QString::number(size),
            QStringLiteral("--count"),     QString::number(settings_.countOrDefault()),
            QStringLiteral("--warmup"),    QString::number(settings_.warmUp),
            QStringLiteral("--seed"),      QString::number(settings_.seed),
            QStringLiteral("--lookahead"), QString::number(settings_.lookahead, 'g', 17),
            QStringLiteral("--step"),      QString::number(settings_.step, 'g', 17)};
  }

  /// Waits for all to end; the first that fails ends the others.
  tl::expected<std::vector<Report>, RunError> finish(
      std::vector<std::unique_ptr<QProcess>>& processes) {
    const QDeadlineTimer limit(repeatLimitSeconds * 1000);
    tl::expected<std::vector<Report>, RunError> result;
    for (;;) {
      bool running = false;
      for (auto& process : processes) {
        // Also moves what was printed, so that no pipe fills up.
        if (process->state() != QProcess::NotRunning) process->waitForFinished(20);
        running = running || process->state() != QProcess::NotRunning;
        const QString program = QFileInfo(process->program()).fileName();
        if (process->error() == QProcess::FailedToStart) {
          result = tl::unexpected(RunError{RunError::Kind::Missing,
                                           QStringLiteral("%1 could not be started: %2.")
                                               .arg(process->program(), process->errorString())});
        } else if (process->state() == QProcess::NotRunning &&
                   (process->exitStatus() != QProcess::NormalExit || process->exitCode() != 0)) {
          QString why =
              QString::fromUtf8(process->readAllStandardError()).trimmed().section(u'\n', -1);
          if (why.isEmpty()) {
            why = process->exitStatus() == QProcess::CrashExit
                      ? QStringLiteral("it crashed")
                      : QStringLiteral("exit code %1").arg(process->exitCode());
          }
          if (why.startsWith(program + QStringLiteral(": "))) why = why.mid(program.size() + 2);
          result = tl::unexpected(RunError{RunError::Kind::Failed,
                                           QStringLiteral("%1 ended early: %2").arg(program, why)});
        } else if (limit.hasExpired() && running) {
          result = tl::unexpected(RunError{
              RunError::Kind::Failed,
              QStringLiteral("%1 did not end within %2 s.").arg(program).arg(repeatLimitSeconds)});
        }
        if (!result) break;
      }
      if (result && cancelled_()) {
        result = tl::unexpected(RunError{RunError::Kind::Cancelled, QStringLiteral("Cancelled.")});
      }
      if (!result || !running) break;
    }
    if (!result) {
      for (auto& process : processes) process->kill();
      for (auto& process : processes) process->waitForFinished(2000);
      return result;
    }
    for (auto& process : processes) result->push_back(parse(process->readAllStandardOutput()));
    return result;
  }

  tl::expected<Measured, RunError> measured(const Report& first, const Report& second) const {
    Measured result;
    double lost = std::numeric_limits<double>::quiet_NaN();
    switch (settings_.kind) {
      case Kind::Latency:
        lost = firstOf(first, "lost");
        for (const double nanoseconds : first.value(QStringLiteral("nanoseconds"))) {
          result.values.push_back(nanoseconds / 1000);
        }
        break;
      case Kind::Throughput:
        lost = firstOf(second, "lost");
        result.values = {firstOf(second, "intervals") / firstOf(second, "receivenanoseconds") *
                         1e9};
        break;
      case Kind::TimeAdvance:
        lost = firstOf(first, "lost");
        result.values = {firstOf(first, "grants") / firstOf(first, "nanoseconds") * 1e9};
        break;
    }
    // The comparison also refuses "not a number".
    if (result.values.empty() || !(result.values.front() > 0) || !(lost >= 0)) {
      return tl::unexpected(RunError{RunError::Kind::Failed,
                                     QStringLiteral("The measuring program printed no result.")});
    }
    result.lost = static_cast<std::uint64_t>(lost);
    return result;
  }

  const Settings& settings_;
  const Tools& tools_;
  const std::function<bool()>& cancelled_;
  std::array<int, 2> processors_{};
};

QString sizeText(int bytes) {
  if (bytes >= 1024 * 1024 && bytes % (1024 * 1024) == 0) {
    return QStringLiteral("%1 MiB").arg(bytes / (1024 * 1024));
  }
  if (bytes >= 1024 && bytes % 1024 == 0) return QStringLiteral("%1 KiB").arg(bytes / 1024);
  return QStringLiteral("%1 B").arg(bytes);
}

}  // namespace

Tools Tools::beside(const QString& executableFolder) {
  return {executableFolder, executableFolder + QStringLiteral("/bench.xml")};
}

QString whyNot(const Settings& settings) {
  if (settings.repeats < 1 || settings.repeats > 1000) {
    return QStringLiteral("Repeats must be 1 to 1000, not %1.").arg(settings.repeats);
  }
  if (settings.kind != Kind::TimeAdvance) {
    if (settings.sizes.empty()) return QStringLiteral("At least one message size is needed.");
    for (const int size : settings.sizes) {
      if (size < 1 || size > 64 * 1024 * 1024) {
        return QStringLiteral("A message size must be 1 byte to 64 MiB, not %1.").arg(size);
      }
    }
  } else if (!(settings.lookahead > 0) || !(settings.step > 0)) {
    return QStringLiteral("Lookahead and step must be above 0.");
  }
  if (settings.countOrDefault() < 2) return QStringLiteral("The count must be at least 2.");
  if (settings.pinning == Pinning::OwnCores && QThread::idealThreadCount() < 2) {
    return QStringLiteral(
        "This machine has one processor only. Use --pin one to measure both processes on it.");
  }
  return {};
}

tl::expected<Result, RunError> runBenchmark(const Settings& settings, const Tools& tools,
                                            const std::function<void(const Progress&)>& progress,
                                            const std::function<bool()>& cancelled) {
  if (const QString reason = whyNot(settings); !reason.isEmpty()) {
    return tl::unexpected(RunError{RunError::Kind::Settings, reason});
  }
  for (const QString& needed :
       {tools.folder + QStringLiteral("/bench-ring"),
        tools.folder + QStringLiteral("/bench-") + kindName(settings.kind), tools.module}) {
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
  if (settings.kind == Kind::TimeAdvance) result.settings.sizes = {0};
  result.machine = thisMachine();
  result.build = thisBuild();
  result.at = QDateTime::currentDateTime();

  struct Task {
    std::size_t series;
    std::size_t point;
    int repeat;
  };
  const std::vector<int>& sizes = result.settings.sizes;
  std::vector<Task> tasks;
  std::mt19937_64 random(settings.seed);
  // Repeats stay in order, so that a slow drift of the machine hits all sizes and both series;
  // within one the order is drawn.
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    const auto begin = static_cast<std::ptrdiff_t>(tasks.size());
    for (std::size_t point = 0; point < sizes.size(); ++point) {
      for (const std::size_t series : {0U, 1U}) tasks.push_back({series, point, repeat});
    }
    std::shuffle(tasks.begin() + begin, tasks.end(), random);
  }

  result.series = {{QStringLiteral("tutti-shm"), QStringLiteral("Tutti, shared memory"), {}},
                   {QStringLiteral("ring"), QStringLiteral("Bare ring"), {}}};
  std::vector<std::vector<std::vector<double>>> values(2);
  for (std::size_t series = 0; series < 2; ++series) {
    values[series].resize(sizes.size());
    for (const int size : sizes) {
      Point point;
      point.size = size;
      result.series[series].points.push_back(point);
    }
  }

  Runner runner(settings, tools, cancelled);
  Progress state;
  state.total = static_cast<int>(tasks.size());
  for (const Task& task : tasks) {
    Point& point = result.series[task.series].points[task.point];
    state.text =
        (settings.kind == Kind::TimeAdvance ? QString()
                                            : sizeText(point.size) + QStringLiteral(", ")) +
        QStringLiteral("repeat %1 of %2, %3")
            .arg(task.repeat + 1)
            .arg(settings.repeats)
            .arg(result.series[task.series].label);
    progress(state);
    const auto measured = task.series == 0 ? runner.rti(point.size) : runner.ring(point.size);
    if (!measured) return tl::unexpected(measured.error());
    Repeat repeat;
    repeat.summary = summarize(measured->values);
    repeat.lost = measured->lost;
    point.lost += measured->lost;
    point.repeats.push_back(repeat);
    auto& all = values[task.series][task.point];
    all.insert(all.end(), measured->values.begin(), measured->values.end());
    ++state.done;
  }
  state.text = QStringLiteral("done");
  progress(state);

  for (std::size_t series = 0; series < 2; ++series) {
    for (std::size_t at = 0; at < sizes.size(); ++at) {
      Point& point = result.series[series].points[at];
      point.summary = summarize(values[series][at]);
      if (settings.kind == Kind::Latency) point.distribution = distribution(values[series][at]);
      const double limit = summarize(values[1][at]).median;
      point.ratioToRing = lowerIsBetter(settings.kind) ? point.summary.median / limit
                                                       : limit / point.summary.median;
    }
  }
  return result;
}

}  // namespace tutti::bench
