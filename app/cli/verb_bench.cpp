// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <QCoreApplication>
#include <QJsonDocument>
#include <QSaveFile>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>

#include "app/cli/verb.h"
#include "fabric/printable.h"
#include "monitor/benchmarks/compare.h"
#include "monitor/benchmarks/csv.h"
#include "monitor/benchmarks/options.h"
#include "monitor/benchmarks/runner.h"
#include "monitor/benchmarks/sequence_runner.h"
#include "monitor/engine/run_store.h"

namespace {

using namespace tutti::app;
using namespace tutti::bench;

std::atomic<bool> interrupted = false;

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

QString pinningText(Pinning pinning) {
  switch (pinning) {
    case Pinning::OwnCores:
      return QStringLiteral("each process on its own core");
    case Pinning::OneCore:
      return QStringLiteral("all processes on one core");
    case Pinning::Free:
      return QStringLiteral("left to the kernel");
  }
  return {};
}

QString ratio(double value) {
  return std::isfinite(value) ? QStringLiteral("%1 x").arg(value, 0, 'f', 2) : QStringLiteral("-");
}

void printTable(QTextStream& out, const Result& result) {
  const Settings& settings = result.settings;
  const KindFacts& facts = factsOf(settings.kind);
  const bool rate = !facts.times;
  out << kindTitle(settings.kind) << ", " << unitOf(settings.kind) << ", ";
  if (settings.cycles > 1) out << settings.cycles << " cycles of ";
  out << settings.count << ' ' << facts.counted << ", " << settings.repeats
      << (settings.repeats == 1 ? " repeat" : " repeats") << ", seed " << settings.seed << '\n';
  out << "RTI:     " << result.rti.name << ' ' << result.rti.version << '\n';
  out << "Machine: " << result.machine.line() << ", " << result.machine.kernel << '\n';
  out << "Load:    of other work " << result.machine.loadLine()
      << (result.machine.isBusy() ? " (busy: expect noise)" : "") << '\n';
  out << "Build:   " << result.build.version << ' ' << result.build.type << ", "
      << result.build.compiler << '\n';
  out << "Pinned:  " << pinningText(settings.pinning) << ", "
      << (settings.wait ? "evokeCallback waits" : "evokeMultipleCallbacks polls") << "\n\n";
  int widest = 22;
  std::vector<std::pair<const Series*, const Point*>> rows;
  for (const Series& series : result.series) {
    widest = std::max(widest, static_cast<int>(series.label.size()) + 2);
    for (const Point& point : series.points) rows.emplace_back(&series, &point);
  }
  // What is to be compared stands together.
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second->at < b.second->at; });
  struct Column {
    const char* title;
    int width;
    std::function<QString(const Point&)> text;
  };
  const auto of = [&](double Summary::*which) {
    return [which, rate](const Point& point) { return figure(point.summary.*which, rate); };
  };
  std::vector<Column> columns{{"Median", 10, of(&Summary::median)},
                              {"Mean", 10, of(&Summary::mean)},
                              {"SD", 10, of(&Summary::deviation)}};
  if (facts.sequence) {
    columns.push_back({"Mode", 10, [&](const Point& point) { return figure(point.mode, rate); }});
    columns.push_back(
        {"Frequency", 12, [](const Point& point) {
           return QStringLiteral("%1 of %2").arg(point.frequency).arg(point.summary.count);
         }});
  } else {
    columns.push_back(rate ? Column{"Least", 10, of(&Summary::least)}
                           : Column{"p99", 10, of(&Summary::p99)});
    if (!rate) columns.push_back({"Jitter", 10, of(&Summary::jitter)});
    const bool ring = result.find(QStringLiteral("ring")) != nullptr;
    columns.push_back({ring ? "To ring" : "To first", 10,
                       [](const Point& point) { return ratio(point.ratioToRing); }});
    if (result.find(QStringLiteral("ring/arguments")) != nullptr) {
      columns.push_back(
          {"To args", 10, [](const Point& point) { return ratio(point.ratioToArguments); }});
    }
  }
  columns.push_back({"Lost", 8, [](const Point& point) { return QString::number(point.lost); }});
  std::map<QString, QByteArray> costs;
  for (const auto& [series, point] : rows) {
    for (const auto& [name, value] : point->costs) costs[name] = name.toLatin1();
  }
  for (const auto& [name, title] : costs) {
    columns.push_back({title.constData(), 15, [name = name](const Point& point) {
                         const auto found = point.costs.find(name);
                         return found == point.costs.end() ? QStringLiteral("-")
                                                           : figure(found->second, false);
                       }});
  }
  out << QStringLiteral("At").leftJustified(18) << QStringLiteral("Series").leftJustified(widest);
  for (const Column& each : columns) {
    out << QString::fromLatin1(each.title).rightJustified(each.width);
  }
  out << '\n';
  for (const auto& [series, point] : rows) {
    out << axisText(settings.kind, point->at).leftJustified(18)
        << series->label.leftJustified(widest);
    for (const Column& each : columns) out << each.text(*point).rightJustified(each.width);
    out << '\n';
  }
  const QString note = QString::fromUtf8(facts.note);
  if (!note.isEmpty()) out << '\n' << note << '\n';
}

/// Keeps the result. Nothing, or why it could not be kept.
tl::expected<qint64, QString> keep(const Result& result, const QJsonObject& document) {
  auto store = tutti::monitor::RunStore::open();
  if (!store) return tl::unexpected(store.error().message);
  tutti::monitor::BenchmarkRecord record;
  record.at = result.at.toMSecsSinceEpoch();
  record.kind = kindName(result.settings.kind);
  record.build = result.build.version;
  record.machine = result.machine.line();
  record.seed = result.settings.seed;
  record.repeats = result.settings.repeats;
  record.document = document;
  const auto id = (*store)->addBenchmark(record);
  if (!id) return tl::unexpected(id.error().message);
  return *id;
}

struct Wanted {
  Tools tools;
  bool progressLines = false;
  bool keep = true;
};

/// Tells how far it is: for the console one line each, easily read by a program.
std::function<void(const Progress&)> reporter(Invocation& invocation, const Wanted& wanted) {
  return [&](const Progress& progress) {
    if (!progress.warning.isEmpty()) {
      invocation.err << (wanted.progressLines ? "warning " : "tutti bench: warning: ")
                     << progress.warning << Qt::endl;
    }
    if (wanted.progressLines) {
      invocation.err << "progress " << progress.done << ' ' << progress.total << ' '
                     << progress.text << Qt::endl;
    } else if (!invocation.json && ::isatty(STDERR_FILENO) == 1) {
      const std::string line = QStringLiteral("[%1/%2] %3")
                                   .arg(progress.done)
                                   .arg(progress.total)
                                   .arg(progress.text)
                                   .toStdString();
      // To the terminal itself: what verbs print otherwise moves no cursor. The last one only
      // clears the line.
      std::fprintf(stderr, "\r\033[K%s",
                   progress.done == progress.total ? "" : tutti::fabric::printable(line).c_str());
      std::fflush(stderr);
    }
  };
}

int tell(Invocation& invocation, const RunError& error) {
  if (error.kind == RunError::Kind::Settings) {
    return invocation.usage(QStringLiteral("bench"), error.message);
  }
  if (invocation.json) {
    invocation.print({{"error", error.message.toStdString()}});
  } else {
    invocation.err << "tutti bench: " << error.message << Qt::endl;
  }
  return Findings;
}

/// Keeps and prints a result; as JSON it goes into `list`, if there is one. `run` becomes the
/// number under which it is stored, or 0.
int publish(Invocation& invocation, const Result& result, const Wanted& wanted,
            nlohmann::json* list, qint64& run) {
  std::uint64_t lost = 0;
  for (const Series& series : result.series) {
    // Best effort may lose; that is a figure, not a fault.
    if (series.id.startsWith(QStringLiteral("rti/best"))) continue;
    for (const Point& point : series.points) lost += point.lost;
  }
  const QJsonObject document = toJson(result);
  const auto stored =
      wanted.keep ? keep(result, document) : tl::expected<qint64, QString>(qint64{0});
  run = stored.value_or(0);
  if (invocation.json) {
    nlohmann::json value = nlohmann::json::parse(QJsonDocument(document).toJson().toStdString());
    if (stored && *stored != 0) value["storedAs"] = *stored;
    if (list != nullptr) {
      list->push_back(value);
    } else {
      invocation.print(value);
    }
  } else {
    printTable(invocation.out, result);
    if (stored && *stored != 0) invocation.out << "\nStored as result " << *stored << ".\n";
    invocation.out << Qt::flush;
  }
  if (!stored) invocation.err << "tutti bench: not stored: " << stored.error() << Qt::endl;
  if (lost != 0) {
    invocation.err << "tutti bench: " << lost << " messages were lost or out of order." << Qt::endl;
  }
  return lost != 0 ? Findings : Ok;
}

/// Measures one kind and prints, or says why not.
int measure(Invocation& invocation, const Settings& settings, const Wanted& wanted,
            nlohmann::json* list) {
  const auto result = runBenchmark(settings, wanted.tools, reporter(invocation, wanted),
                                   [] { return interrupted.load(); });
  qint64 run = 0;
  return result ? publish(invocation, *result, wanted, list, run)
                : tell(invocation, result.error());
}

/// RTIBM: all tests of a file, a result of each kind of test.
int measureSequence(Invocation& invocation, const Settings& settings, const Wanted& wanted,
                    const QString& csv) {
  const QString file = settings.sequence.isEmpty()
                           ? wanted.tools.folder + QStringLiteral("/rtibm.tsf")
                           : settings.sequence;
  const auto sequence = readSequence(file);
  if (!sequence) return invocation.usage(QStringLiteral("bench"), sequence.error());
  const auto measured =
      runSequence(*sequence, settings, wanted.tools, reporter(invocation, wanted),
                  [] { return interrupted.load(); });
  if (!measured) return tell(invocation, measured.error());
  int code = Ok;
  nlohmann::json list = nlohmann::json::array();
  std::map<Kind, QStringList> origins;
  for (const Result& result : resultsOf(*sequence, *measured, settings)) {
    qint64 run = 0;
    code = std::max(code, publish(invocation, result, wanted, &list, run));
    origins[result.settings.kind] = originOf(result, run);
    if (!invocation.json) invocation.out << '\n';
  }
  if (!csv.isEmpty()) {
    QSaveFile out(csv);
    const QByteArray text = csvOf(*sequence, measured->samples, origins).toUtf8();
    if (!out.open(QIODevice::WriteOnly) || out.write(text) != text.size() || !out.flush() ||
        !out.commit()) {
      invocation.err << "tutti bench: " << csv << " was not written: " << out.errorString() << '.'
                     << Qt::endl;
      code = Findings;
    }
  }
  if (invocation.json) invocation.print(list);
  return code;
}

/// The kinds that these words name: "latency", or "dmso" for all of that suite, or "dmso latency".
std::vector<Kind> takeKinds(QStringList& words) {
  std::vector<Kind> result;
  const auto collect = [&](const QString& name, bool prefix) {
    for (const KindFacts& each : allKinds()) {
      const QString command = QString::fromLatin1(each.command);
      // A test-sequence file has several kinds at once.
      if (each.sequence && !result.empty()) continue;
      if (command == name || (prefix && command.startsWith(name + u' '))) {
        result.push_back(each.kind);
      }
    }
  };
  if (words.size() > 1) collect(words[0] + u' ' + words[1], false);
  if (!result.empty()) {
    words.remove(0, 2);
  } else if (!words.isEmpty()) {
    collect(words.front(), true);
    if (!result.empty()) words.removeFirst();
  }
  return result;
}

/// The stored results, newest first.
tl::expected<std::vector<std::pair<qint64, Result>>, QString> storedResults() {
  const auto store = tutti::monitor::RunStore::open();
  if (!store) return tl::unexpected(store.error().message);
  const auto records = (*store)->benchmarks();
  if (!records) return tl::unexpected(records.error().message);
  std::vector<std::pair<qint64, Result>> results;
  for (const tutti::monitor::BenchmarkRecord& each : *records) {
    // One of a newer Tutti is left alone.
    if (auto result = resultFromJson(each.document)) {
      results.emplace_back(each.id, std::move(*result));
    }
  }
  return results;
}

int fail(Invocation& invocation, const QString& message) {
  return tell(invocation, RunError{RunError::Kind::Failed, message});
}

int list(Invocation& invocation) {
  const auto results = storedResults();
  if (!results) return fail(invocation, results.error());
  nlohmann::json values = nlohmann::json::array();
  for (const auto& [id, result] : *results) {
    const QString at = result.at.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm"));
    if (invocation.json) {
      values.push_back({{"id", id},
                        {"kind", kindName(result.settings.kind).toStdString()},
                        {"rti", result.rti.name.toStdString()},
                        {"at", result.at.toUTC().toString(Qt::ISODate).toStdString()}});
      continue;
    }
    invocation.out << QString::number(id).rightJustified(6) << "  " << at << "  "
                   << kindName(result.settings.kind).leftJustified(18)
                   << (result.rti.name + u' ' + result.rti.version).leftJustified(18)
                   << result.machine.host << '\n';
  }
  if (invocation.json) {
    invocation.print(values);
  } else if (results->empty()) {
    invocation.out << "Nothing has been measured yet.\n";
  }
  return Ok;
}

/// In JSON, and in the table what is no figure.
const char* verdictName(const Change& change) {
  static constexpr const char* verdicts[] = {"few", "noise", "better", "worse"};
  return change.basis == Change::Basis::NotJudged
             ? basisName(change.basis)
             : verdicts[static_cast<int>(change.difference.verdict)];
}

void printComparison(Invocation& invocation, const Comparison& comparison, Kind kind,
                     const QStringList& differ) {
  const auto figures = [](const Difference& of) {
    return nlohmann::json{{"before", of.before}, {"after", of.after}, {"change", of.change}};
  };
  nlohmann::json rows = nlohmann::json::array();
  for (const Change& each : comparison.changes) {
    nlohmann::json row = figures(each.difference);
    row["at"] = each.at;
    row["line"] = each.line.toStdString();
    row["basis"] = basisName(each.basis);
    row["verdict"] = verdictName(each);
    if (each.basis == Change::Basis::Ratio) row["values"] = figures(each.values);
    rows.push_back(row);
  }
  nlohmann::json value{{"kind", kindName(kind).toStdString()},
                       {"changes", rows},
                       {"machineChanged", comparison.machineChanged},
                       {"verdict", comparison.verdict.toStdString()}};
  if (!comparison.warning.isEmpty()) value["warning"] = comparison.warning.toStdString();
  for (const QString& each : differ) value["notTheSame"].push_back(each.toStdString());
  invocation.print(value);
}

/// Two stored results against each other: what changed significantly, and what is noise.
int compareStored(Invocation& invocation) {
  const QString verb = QStringLiteral("bench");
  if (invocation.arguments.size() != 2) {
    return invocation.usage(
        verb, QStringLiteral("compare takes two results: those that \"tutti bench list\" shows"));
  }
  const auto results = storedResults();
  if (!results) return fail(invocation, results.error());
  const auto find = [&](const QString& text) -> const Result* {
    for (const auto& [id, result] : *results) {
      if (QString::number(id) == text) return &result;
    }
    return nullptr;
  };
  const Result* const before = find(invocation.arguments[0]);
  const Result* const after = find(invocation.arguments[1]);
  if (before == nullptr || after == nullptr) {
    return fail(invocation, QStringLiteral("There is no result %1. See \"tutti bench list\".")
                                .arg(invocation.arguments[before == nullptr ? 0 : 1]));
  }
  const Kind kind = after->settings.kind;
  if (before->settings.kind != kind) {
    return fail(invocation, QStringLiteral("Result %1 is of %2 and result %3 of %4: only results "
                                           "of one kind can be compared.")
                                .arg(invocation.arguments[0], kindName(before->settings.kind),
                                     invocation.arguments[1], kindName(kind)));
  }
  const Comparison comparison = compareResults(*before, *after);
  const QStringList differ = otherDifferences(*before, *after);
  if (invocation.json) {
    printComparison(invocation, comparison, kind, differ);
    return Ok;
  }
  const bool rate = !lowerIsBetter(kind);
  QTextStream& out = invocation.out;
  out << kindTitle(kind) << ", " << unitOf(kind) << ", medians\n" << comparison.verdict << '\n';
  for (const QString& line : {comparison.warning, comparison.circumstances}) {
    if (!line.isEmpty()) out << line << '\n';
  }
  out << '\n';
  for (const Change& each : comparison.changes) {
    const auto text = [&](double value) {
      return each.basis == Change::Basis::Ratio ? ratio(value) : figure(value, rate);
    };
    out << axisText(kind, each.at).leftJustified(18) << each.line.leftJustified(24)
        << text(each.difference.before).rightJustified(10)
        << text(each.difference.after).rightJustified(10)
        << (isBeyondNoise(each.difference)
                ? QString::asprintf("%+.1f %%", each.difference.change * 100)
                : QString::fromLatin1(verdictName(each)))
               .rightJustified(12);
    if (each.basis == Change::Basis::Limit) out << "  bare limit, not counted";
    if (each.basis == Change::Basis::Ratio) {
      out << QStringLiteral("  ratio of %1 and %2")
                 .arg(figure(each.values.before, rate), figure(each.values.after, rate));
    }
    out << '\n';
  }
  return Ok;
}

int run(Invocation& invocation) {
  const QString verb = QStringLiteral("bench");
  const QString first = invocation.arguments.value(0);
  if (first == QStringLiteral("list") || first == QStringLiteral("compare")) {
    invocation.arguments.removeFirst();
    return first == QStringLiteral("list") ? list(invocation) : compareStored(invocation);
  }
  QStringList commands;
  for (const KindFacts& each : allKinds()) commands << QString::fromLatin1(each.command);
  commands.removeDuplicates();
  const std::vector<Kind> kinds = takeKinds(invocation.arguments);
  if (kinds.empty()) {
    return invocation.usage(
        verb, QStringLiteral("name what to measure: %1").arg(commands.join(QStringLiteral(", "))));
  }
  // Each kind has its own usual settings; an option given is for all of them.
  const QStringList options = invocation.arguments;
  std::vector<Settings> all;
  for (const Kind kind : kinds) {
    invocation.arguments = options;
    Settings settings = usualSettings(kind);
    if (const QString problem = takeSettings(invocation.arguments, settings); !problem.isEmpty()) {
      return invocation.usage(verb, problem);
    }
    if (const QString reason = whyNot(settings); !reason.isEmpty()) {
      return invocation.usage(verb, reason);
    }
    all.push_back(settings);
  }
  Wanted wanted;
  wanted.progressLines = invocation.takeFlag(QStringLiteral("--progress"));
  wanted.keep = !invocation.takeFlag(QStringLiteral("--no-store"));
  const QString folder = all.front().tools;
  wanted.tools = Tools::beside(folder.isEmpty() ? QCoreApplication::applicationDirPath() : folder);
  const QString csv = invocation.takeOption(QStringLiteral("--csv")).value_or(QString());
  const bool sequence = factsOf(kinds.front()).sequence;
  if (!sequence && (!csv.isEmpty() || !all.front().sequence.isEmpty())) {
    return invocation.usage(verb, QStringLiteral("--sequence and --csv are for rtibm"));
  }
  if (!invocation.arguments.isEmpty()) {
    return invocation.usage(
        verb, QStringLiteral("\"%1\" is not understood").arg(invocation.arguments.front()));
  }
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    std::signal(number, [](int) { interrupted = true; });
  }
  if (sequence) return measureSequence(invocation, all.front(), wanted, csv);
  nlohmann::json list = nlohmann::json::array();
  const bool several = all.size() > 1;
  int code = Ok;
  for (const Settings& settings : all) {
    if (&settings != &all.front() && !invocation.json) invocation.out << '\n';
    const int one = measure(invocation, settings, wanted, several ? &list : nullptr);
    code = std::max(code, one);
    if (interrupted) break;
  }
  if (several && invocation.json) invocation.print(list);
  return code;
}

const RegisterVerb registered{
    {QStringLiteral("bench"),
     QStringLiteral(
         "latency|throughput|timeadvance|dmso [latency|timeadvance|throughput]|sweep|dbe|"
         "rtiperf|fanout|oversubscribed|clutter|rtibm"
         " [--size BYTES,...] [--count N] [--repeats N] [--seed N]"
         " [--pin own|one|free]"),
     QStringLiteral("Measure the RTI beside the bare limit of shared memory"),
     QStringLiteral(
         "latency      round trip of an attribute update between two federate processes, µs\n"
         "throughput   attribute updates received a second, none may be lost\n"
         "timeadvance  time advance grants a second of one of two federates in step\n"
         "dmso         the three of the DMSO suite, or one of them: one-way time and updates a "
         "second at\n"
         "             128 to 2048 bytes, grants a second at lookahead 0.1, 1 and 10\n"
         "sweep        round trip, 8 bytes to 1 MiB, reliable and best effort\n"
         "dbe          round trip with a 4-byte acknowledgement, 4 bytes to 16 KiB, in each "
         "architecture,\n"
         "             on one and on two hosts\n"
         "rtiperf      round trip of each of 48 pairs at once\n"
         "fanout       updates a second that each of 7 subscribers receives\n"
         "oversubscribed  callbacks a second of all of 2 and of 20 busy federates on two "
         "processors\n"
         "clutter      updates a second of 1000 to 1 million object instances of 8 federates, of "
         "which\n             each of 4 viewers sees 1 %, and what an instance costs\n"
         "rtibm        the tests of a test-sequence file: throughput and latency of updates and "
         "interactions\n"
         "list         the stored results\n"
         "compare BEFORE AFTER  what changed significantly between two stored results. Where the "
         "bare\n             limit changed beyond its noise, the machine did: then the ratio to "
         "it is judged,\n             not the values. The bare limit itself is never counted\n"
         "Each repeat starts new processes, in turn with a bare ring in shared memory under the "
         "same\n"
         "pinning: \"to ring\" says how far from that limit the RTI is. The load of other work is "
         "measured\nbefore and after; above half a processor for each processor it is a warning, "
         "also in comparisons.\n\n"
         "  --size BYTES,...   payload, as 128, 4k or 1M (default 128; 8,128,1k,64k in latency, "
         "which takes\n                     about 20 s, and throughput, about 1 min, longer beside "
         "other work)\n"
         "  --transport T,...  reliable, best-effort: one line each (default reliable)\n"
         "  --count N          measured updates or grants a cycle\n"
         "  --cycles N         one after the other in one federation (default 1; 20 in dmso)\n"
         "  --warm-up N        more before the first cycle (default 1000)\n"
         "  --repeats N        default 5; comparisons need at least 4\n"
         "  --seed N           order of the measurements and payload bytes (default 1207)\n"
         "  --pin own|one|free each process on its own core, both on one, or where the kernel puts "
         "them\n"
         "  --wait, --poll     federates wait in evokeCallback, or poll\n"
         "  --fresh            each measured round trip in a federation execution of its own\n"
         "  --ack BYTES        size of the answer of a round trip\n"
         "  --pairs N          for rtiperf (default 48)\n"
         "  --receivers N      for fanout (default 7)\n"
         "  --federates N,...  for oversubscribed (default 2,20), with --burst N updates a frame\n"
         "  --instances N,...  for clutter, in all (default 1000,10000,100000,1000000), registered "
         "by "
         "\n                     --crowds N federates (default 8), seen by --receivers N\n"
         "  --sequence FILE    test-sequence file of rtibm (default: rtibm.tsf beside the "
         "programs, "
         "which\n                     explains itself)\n"
         "  --csv FILE         each sample of rtibm, with the stored result it is of, build, seed, "
         "machine, load\n"
         "  --architecture A,... of Tutti: decentralized (the default, but in dbe all), federated, "
         "centralized\n"
         "  --hosts N,...      on so many nodes of this machine, linked by TCP as those of so many "
         "hosts\n"
         "                     (default 1; 1,2 in dbe); the federates are on them by turns\n"
         "  --lookahead X,..., --step X  for time advance (default 0.1; in dmso 0.1,1,10 and 1)\n"
         "  --tools FOLDER     measuring programs built for another RTI, see "
         "monitor/benchmarks/README.md\n"
         "  --rti DESIGNATOR   local settings designator with which they connect\n"
         "  --no-store         do not keep the result in runs.sqlite\n"
         "  --progress         one line for each measurement on standard error, and one for a "
         "warning\n"
         "Exit code 0: measured; 1: something was lost or could not be run; 2: wrong command "
         "line."),
     &run}};

}  // namespace
