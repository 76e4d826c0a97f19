// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <atomic>
#include <cmath>
#include <csignal>

#include "app/cli/verb.h"
#include "monitor/benchmarks/runner.h"
#include "monitor/engine/run_store.h"

namespace {

using namespace tutti::app;
using namespace tutti::bench;

std::atomic<bool> interrupted = false;

/// A number of the option's value, or a message.
template <class Read>
bool read(Invocation& invocation, const char* name, QString& problem, Read&& take) {
  const auto text = invocation.takeOption(QString::fromLatin1(name));
  if (!text) return true;
  if (take(*text)) return true;
  problem = QStringLiteral("%1 cannot be \"%2\"").arg(QString::fromLatin1(name), *text);
  return false;
}

/// "128", "4k", "1M": powers of two.
std::optional<int> sizeOf(QString text) {
  int factor = 1;
  if (text.endsWith(u'k', Qt::CaseInsensitive)) factor = 1024;
  if (text.endsWith(u'm', Qt::CaseInsensitive)) factor = 1024 * 1024;
  if (factor > 1) text.chop(1);
  bool good = false;
  const int value = text.toInt(&good);
  if (!good || value < 1 || value > 64 * 1024 * 1024 / factor) return std::nullopt;
  return value * factor;
}

QString sizeText(int bytes) {
  if (bytes == 0) return QStringLiteral("-");
  if (bytes >= 1024 * 1024 && bytes % (1024 * 1024) == 0) {
    return QStringLiteral("%1 MiB").arg(bytes / (1024 * 1024));
  }
  if (bytes >= 1024 && bytes % 1024 == 0) return QStringLiteral("%1 KiB").arg(bytes / 1024);
  return QStringLiteral("%1 B").arg(bytes);
}

/// Three significant digits, with a prefix for rates.
QString figure(double value, bool rate) {
  if (!std::isfinite(value)) return QStringLiteral("-");
  QString prefix;
  if (rate && value >= 1e6) {
    value /= 1e6;
    prefix = QStringLiteral(" M");
  } else if (rate && value >= 1e3) {
    value /= 1e3;
    prefix = QStringLiteral(" k");
  }
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return QString::number(value, 'f', decimals) + prefix;
}

void printTable(QTextStream& out, const Result& result) {
  const Settings& settings = result.settings;
  const bool rate = !lowerIsBetter(settings.kind);
  out << kindTitle(settings.kind) << ", " << unitOf(settings.kind) << ", "
      << settings.countOrDefault()
      << (settings.kind == Kind::TimeAdvance ? " grants, " : " updates, ") << settings.repeats
      << (settings.repeats == 1 ? " repeat" : " repeats") << ", seed " << settings.seed << '\n';
  out << "Machine: " << result.machine.line() << ", " << result.machine.kernel << ", load "
      << QString::number(result.machine.load, 'f', 2)
      << (result.machine.isQuiet() ? "" : " (busy: expect noise)") << '\n';
  out << "Build:   " << result.build.version << ' ' << result.build.type << ", "
      << result.build.compiler << '\n';
  out << "Pinned:  "
      << (settings.pinning == Pinning::OwnCores  ? "each process on its own core"
          : settings.pinning == Pinning::OneCore ? "both processes on one core"
                                                 : "left to the kernel")
      << ", " << (settings.wait ? "evokeCallback waits" : "evokeMultipleCallbacks polls") << "\n\n";
  const auto cell = [&](const QString& text, int width) { out << text.rightJustified(width); };
  out << QStringLiteral("Size").leftJustified(10) << QStringLiteral("Series").leftJustified(22);
  for (const char* title : {"Median", "Mean", "SD"}) cell(QString::fromLatin1(title), 10);
  cell(rate ? QStringLiteral("Least") : QStringLiteral("p99"), 10);
  cell(QStringLiteral("To ring"), 10);
  cell(QStringLiteral("Lost"), 6);
  out << '\n';
  for (std::size_t at = 0; at < settings.sizes.size(); ++at) {
    for (const Series& series : result.series) {
      const Point& point = series.points[at];
      out << sizeText(point.size).leftJustified(10) << series.label.leftJustified(22);
      cell(figure(point.summary.median, rate), 10);
      cell(figure(point.summary.mean, rate), 10);
      cell(figure(point.summary.deviation, rate), 10);
      cell(figure(rate ? point.summary.least : point.summary.p99, rate), 10);
      cell(std::isfinite(point.ratioToRing)
               ? QStringLiteral("%1 x").arg(point.ratioToRing, 0, 'f', 1)
               : QStringLiteral("-"),
           10);
      cell(QString::number(point.lost), 6);
      out << '\n';
    }
  }
  if (settings.kind == Kind::Throughput) {
    out << "\nA rate is taken at the receiver; each repeat is one measurement.\n";
  }
  if (settings.kind == Kind::TimeAdvance) {
    out << "\nLookahead " << settings.lookahead << ", step " << settings.step
        << "; two federates, grants of one of them. The ring's line is two processes in step that "
           "only\npublish their bounds to each other.\n";
  }
}

int run(Invocation& invocation) {
  const QString verb = QStringLiteral("bench");
  if (invocation.arguments.isEmpty()) {
    return invocation.usage(
        verb, QStringLiteral("name what to measure: latency, throughput or timeadvance"));
  }
  Settings settings;
  const auto kind = kindOf(invocation.arguments.takeFirst());
  if (!kind)
    return invocation.usage(verb, QStringLiteral("there are latency, throughput and timeadvance"));
  settings.kind = *kind;
  QString problem;
  const bool good = read(invocation, "--size", problem,
                         [&](const QString& text) {
                           settings.sizes.clear();
                           const QStringList sizes = text.split(u',');
                           for (const QString& each : sizes) {
                             const auto size = sizeOf(each.trimmed());
                             if (!size) return false;
                             settings.sizes.push_back(*size);
                           }
                           return true;
                         }) &&
                    read(invocation, "--count", problem,
                         [&](const QString& text) {
                           bool number = false;
                           settings.count = text.toULongLong(&number);
                           return number && settings.count > 0;
                         }) &&
                    read(invocation, "--warm-up", problem,
                         [&](const QString& text) {
                           bool number = false;
                           settings.warmUp = text.toULongLong(&number);
                           return number;
                         }) &&
                    read(invocation, "--repeats", problem,
                         [&](const QString& text) {
                           bool number = false;
                           settings.repeats = text.toInt(&number);
                           return number;
                         }) &&
                    read(invocation, "--seed", problem,
                         [&](const QString& text) {
                           bool number = false;
                           settings.seed = text.toULongLong(&number);
                           return number;
                         }) &&
                    read(invocation, "--lookahead", problem,
                         [&](const QString& text) {
                           bool number = false;
                           settings.lookahead = text.toDouble(&number);
                           return number;
                         }) &&
                    read(invocation, "--step", problem,
                         [&](const QString& text) {
                           bool number = false;
                           settings.step = text.toDouble(&number);
                           return number;
                         }) &&
                    read(invocation, "--pin", problem, [&](const QString& text) {
                      const auto pinning = pinningOf(text);
                      if (pinning) settings.pinning = *pinning;
                      return pinning.has_value();
                    });
  if (!good) return invocation.usage(verb, problem);
  settings.wait = invocation.takeFlag(QStringLiteral("--wait"));
  const bool progressLines = invocation.takeFlag(QStringLiteral("--progress"));
  const bool keep = !invocation.takeFlag(QStringLiteral("--no-store"));
  const QString tools = invocation.takeOption(QStringLiteral("--tools"))
                            .value_or(QCoreApplication::applicationDirPath());
  if (!invocation.arguments.isEmpty()) {
    return invocation.usage(
        verb, QStringLiteral("\"%1\" is not understood").arg(invocation.arguments.front()));
  }

  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    std::signal(number, [](int) { interrupted = true; });
  }
  const bool chatty = !invocation.json && !progressLines;
  const auto result = runBenchmark(
      settings, Tools::beside(tools),
      [&](const Progress& progress) {
        if (progressLines) {
          // For the console: one line each, easily read by a program.
          invocation.err << "progress " << progress.done << ' ' << progress.total << ' '
                         << progress.text << Qt::endl;
        } else if (chatty) {
          invocation.err << QStringLiteral("\r[%1/%2] %3")
                                .arg(progress.done)
                                .arg(progress.total)
                                .arg(progress.text, -50)
                         << Qt::flush;
        }
      },
      [] { return interrupted.load(); });
  if (chatty) invocation.err << QStringLiteral("\r%1\r").arg(QString(), 62) << Qt::flush;
  if (!result) {
    const RunError& error = result.error();
    if (error.kind == RunError::Kind::Settings) return invocation.usage(verb, error.message);
    if (invocation.json) {
      invocation.print({{"error", error.message.toStdString()}});
    } else {
      invocation.err << "tutti bench: " << error.message << Qt::endl;
    }
    return Findings;
  }

  std::uint64_t lost = 0;
  for (const Series& series : result->series) {
    for (const Point& point : series.points) lost += point.lost;
  }
  const QJsonObject document = toJson(*result);
  QString notStored;
  qint64 stored = 0;
  if (keep) {
    auto store = tutti::monitor::RunStore::open();
    if (store) {
      tutti::monitor::BenchmarkRecord record;
      record.at = result->at.toMSecsSinceEpoch();
      record.kind = kindName(settings.kind);
      record.build = result->build.version;
      record.machine = result->machine.line();
      record.seed = settings.seed;
      record.repeats = settings.repeats;
      record.document = document;
      const auto id = (*store)->addBenchmark(record);
      if (id) {
        stored = *id;
      } else {
        notStored = id.error().message;
      }
    } else {
      notStored = store.error().message;
    }
  }
  if (invocation.json) {
    nlohmann::json value = nlohmann::json::parse(QJsonDocument(document).toJson().toStdString());
    if (stored != 0) value["storedAs"] = stored;
    invocation.print(value);
  } else {
    printTable(invocation.out, *result);
    if (stored != 0) invocation.out << "\nStored as result " << stored << '.' << Qt::endl;
  }
  if (!notStored.isEmpty()) invocation.err << "tutti bench: not stored: " << notStored << Qt::endl;
  if (lost != 0) {
    invocation.err << "tutti bench: " << lost << " updates were lost or out of order." << Qt::endl;
  }
  return lost != 0 ? Findings : Ok;
}

const RegisterVerb registered{
    {QStringLiteral("bench"),
     QStringLiteral("latency|throughput|timeadvance [--size BYTES,...] [--count N] [--repeats N]"
                    " [--seed N] [--pin own|one|free]"),
     QStringLiteral("Measure the RTI beside the bare limit of shared memory"),
     QStringLiteral(
         "latency      round trip of an attribute update between two federate processes, µs\n"
         "throughput   attribute updates received a second, none may be lost\n"
         "timeadvance  time advance grants a second of one of two federates in step\n"
         "Each repeat starts new processes, in turn with a bare ring in shared memory under the "
         "same\n"
         "pinning: \"to ring\" says how far from that limit the RTI is.\n\n"
         "  --size BYTES,...   payload, as 128, 4k or 1M (default 128)\n"
         "  --count N          measured updates or grants a repeat\n"
         "  --warm-up N        more before them (default 1000)\n"
         "  --repeats N        default 5; comparisons need at least 4\n"
         "  --seed N           order of the measurements and payload bytes (default 1207)\n"
         "  --pin own|one|free each process on its own core, both on one, or as the kernel likes\n"
         "  --wait             federates wait in evokeCallback instead of polling\n"
         "  --lookahead X, --step X  for timeadvance (default 0.1)\n"
         "  --no-store         do not keep the result in runs.sqlite\n"
         "  --progress         one line of progress for each measurement on standard error\n"
         "Exit code 0: measured; 1: something was lost or could not be run; 2: wrong command "
         "line."),
     &run}};

}  // namespace
