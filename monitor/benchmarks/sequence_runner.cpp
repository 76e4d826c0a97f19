// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/benchmarks/sequence_runner.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryFile>
#include <QThread>
#include <algorithm>

#include "monitor/benchmarks/csv.h"
#include "monitor/benchmarks/load.h"
#include "monitor/benchmarks/processes.h"
#include "resources/csv.h"

namespace tutti::bench {
namespace {

constexpr int limitSeconds = 3600;

const SequenceTest& testOf(const TestSequence& sequence, const Sample& sample) {
  return sequence.federations[sample.federation].tests[sample.test];
}

/// What sets a test apart from others of its kind, but for the axis; the transport first.
QStringList wordsOf(const SequenceTest& test) {
  const auto many = [](int number, const char* one, const char* more) {
    return QStringLiteral("%1 %2").arg(number).arg(QString::fromLatin1(number == 1 ? one : more));
  };
  QStringList words{test.transport == Transport::Reliable ? QStringLiteral("reliable")
                                                          : QStringLiteral("best effort"),
                    many(test.pairs, "pair", "pairs"),
                    many(test.types, "type", "types"),
                    many(test.attributes, "attribute", "attributes"),
                    QStringLiteral("tick after %1").arg(test.dataThreshold),
                    QStringLiteral("gather %1").arg(test.updateThreshold),
                    many(test.hosts, "host", "hosts"),
                    test.bundling == 0 ? QStringLiteral("no bundling")
                                       : QStringLiteral("bundling %1 µs").arg(test.bundling)};
  if (factsOf(test.kind).axis != Axis::Size) words << sizeText(test.buffer);
  return words;
}

/// Those words by which tests of this kind differ in this sequence, and the transport.
QString labelOf(const SequenceTest& test, const TestSequence& sequence) {
  const QStringList mine = wordsOf(test);
  QStringList result{mine.front()};
  for (qsizetype i = 1; i < mine.size(); ++i) {
    bool same = true;
    for (const SequenceFederation& federation : sequence.federations) {
      for (const SequenceTest& each : federation.tests) {
        same = same && (each.kind != test.kind || wordsOf(each)[i] == mine[i]);
      }
    }
    if (!same) result << mine[i];
  }
  return result.join(QStringLiteral(", "));
}

double placeOf(const SequenceTest& test) {
  return factsOf(test.kind).axis == Axis::Size ? test.buffer : test.instances;
}

Point pointOf(const SequenceTest& test, const std::vector<const Sample*>& samples,
              double tolerance) {
  Point point;
  point.at = placeOf(test);
  point.size = test.buffer;
  std::vector<double> values;
  std::vector<std::vector<double>> bySample(static_cast<std::size_t>(test.samples));
  for (const Sample* each : samples) {
    values.push_back(each->value);
    point.lost += each->dropped;
    const auto number = static_cast<std::size_t>(each->number - 1);
    if (number < bySample.size()) bySample[number].push_back(each->value);
  }
  point.summary = summarize(values);
  for (const std::vector<double>& each : bySample) {
    if (!each.empty()) point.repeats.push_back({summarize(each), 0});
  }
  const Mode mode = modeOf(values, tolerance);
  point.mode = mode.value;
  point.frequency = static_cast<double>(mode.frequency);
  point.ratioToRing = std::numeric_limits<double>::quiet_NaN();
  return point;
}

}  // namespace

tl::expected<std::vector<Sample>, QString> samplesOf(const std::vector<double>& numbers,
                                                     std::size_t federation) {
  constexpr std::size_t columns = 6;
  if (numbers.empty() || numbers.size() % columns != 0) {
    return tl::unexpected(QStringLiteral("The measuring program printed no samples."));
  }
  std::vector<Sample> result;
  for (std::size_t i = 0; i < numbers.size(); i += columns) {
    Sample sample;
    sample.federation = federation;
    sample.test = static_cast<std::size_t>(numbers[i] - 1);
    sample.number = static_cast<int>(numbers[i + 1]);
    sample.pair = static_cast<int>(numbers[i + 2]);
    sample.value = numbers[i + 3];
    sample.received = static_cast<std::uint64_t>(numbers[i + 4]);
    sample.dropped = static_cast<std::uint64_t>(numbers[i + 5]);
    result.push_back(sample);
  }
  return result;
}

tl::expected<Samples, RunError> runSequence(const TestSequence& sequence, const Settings& settings,
                                            const Tools& tools,
                                            const std::function<void(const Progress&)>& progress,
                                            const std::function<bool()>& cancelled) {
  const QString program = QStringLiteral("bench-rtibm");
  if (const QString file = tools.folder + u'/' + program; !QFileInfo::exists(file)) {
    return tl::unexpected(RunError{
        RunError::Kind::Missing,
        QStringLiteral(
            "%1 is missing, so nothing can be measured. Build or install Tutti completely.")
            .arg(file)});
  }
  Samples result;
  Progress state;
  state.total = static_cast<int>(sequence.federations.size());
  result.machine = machineBefore(state.total, progress);
  for (std::size_t i = 0; i < sequence.federations.size(); ++i) {
    const SequenceFederation& federation = sequence.federations[i];
    state.text =
        QStringLiteral("federation %1, %2 tests").arg(federation.name).arg(federation.tests.size());
    progress(state);
    QTemporaryFile tests(QDir::tempPath() + QStringLiteral("/tutti-rtibm-XXXXXX"));
    if (!tests.open()) {
      return tl::unexpected(RunError{RunError::Kind::Failed,
                                     QStringLiteral("No temporary file can be written in %1: %2.")
                                         .arg(QDir::tempPath(), tests.errorString())});
    }
    for (std::size_t test = 0; test < federation.tests.size(); ++test) {
      tests.write((describe(federation.tests[test], static_cast<int>(test) + 1) + u'\n').toUtf8());
    }
    tests.close();

    const QString name = Processes::newFederationName();
    const int members = 2 * federation.pairs();
    // More federates than processors would take each other's turns by polling.
    const bool wait = settings.wait || settings.pinning == Pinning::OneCore ||
                      members > QThread::idealThreadCount();
    QStringList shared{QStringLiteral("--federation"),
                       name,
                       QStringLiteral("--fom"),
                       tools.folder + QStringLiteral("/bench-pairs-") +
                           transportName(federation.tests.front().transport) +
                           QStringLiteral(".xml"),
                       QStringLiteral("--members"),
                       QString::number(members),
                       QStringLiteral("--seed"),
                       QString::number(settings.seed),
                       QStringLiteral("--patience"),
                       QStringLiteral("120")};
    if (!settings.designator.isEmpty()) {
      shared << QStringLiteral("--rti") << settings.designator;
    }
    Processes processes(tools.folder, name, settings.designator);
    const SequenceTest& any = federation.tests.front();
    processes.setArchitecture(settings.architectures.front());
    if (any.bundling != 0) processes.setBundling(any.bundling);
    if (any.hosts > 1) {
      if (!settings.tools.isEmpty() || !settings.designator.isEmpty()) {
        return tl::unexpected(RunError{
            RunError::Kind::Settings,
            QStringLiteral("Hosts of a test sequence are linked nodes of Tutti: write \"hosts = "
                           "local\" for another RTI.")});
      }
      if (auto started = processes.startNodes(any.hosts); !started) {
        return tl::unexpected(started.error());
      }
    }
    processes.start(
        {program, shared + QStringList{QStringLiteral("--role"), QStringLiteral("first"),
                                       QStringLiteral("--name"), QStringLiteral("master"),
                                       QStringLiteral("--evoke"), QStringLiteral("wait"),
                                       QStringLiteral("--tests"), tests.fileName()}});
    for (int number = 0; number < members; ++number) {
      const QString side = number % 2 == 0 ? QStringLiteral("send") : QStringLiteral("return");
      processes.start(
          {program,
           shared + QStringList{QStringLiteral("--role"), QStringLiteral("second"),
                                QStringLiteral("--pair"), QString::number(number / 2),
                                QStringLiteral("--side"), side, QStringLiteral("--name"),
                                QStringLiteral("%1-%2").arg(side).arg(number / 2),
                                QStringLiteral("--evoke"),
                                wait ? QStringLiteral("wait") : QStringLiteral("poll"),
                                QStringLiteral("--cpu"),
                                QString::number(processorOf(settings.pinning, number))},
           number % any.hosts});
    }
    const auto reports = processes.finish(cancelled, limitSeconds);
    if (!reports) return tl::unexpected(reports.error());
    const Report& master = reports->front();
    result.rti = {master.texts.value(QStringLiteral("rti")),
                  master.texts.value(QStringLiteral("rtiversion"))};
    const auto samples = samplesOf(master.numbers.value(QStringLiteral("sample")), i);
    if (!samples) return tl::unexpected(RunError{RunError::Kind::Failed, samples.error()});
    result.samples.insert(result.samples.end(), samples->begin(), samples->end());
    ++state.done;
  }
  result.machine.loadAfter = otherLoad();
  state.text = QStringLiteral("done");
  progress(state);
  return result;
}

std::vector<Result> resultsOf(const TestSequence& sequence, const Samples& samples,
                              const Settings& settings) {
  std::vector<Result> results;
  for (const KindFacts& facts : allKinds()) {
    if (!facts.sequence) continue;
    Result result;
    for (std::size_t f = 0; f < sequence.federations.size(); ++f) {
      const std::vector<SequenceTest>& tests = sequence.federations[f].tests;
      for (std::size_t t = 0; t < tests.size(); ++t) {
        if (tests[t].kind != facts.kind) continue;
        std::vector<const Sample*> mine;
        for (const Sample& each : samples.samples) {
          if (each.federation == f && each.test == t) mine.push_back(&each);
        }
        const QString label = labelOf(tests[t], sequence);
        const QString id = QStringLiteral("rti/") + wordsOf(tests[t]).join(QStringLiteral(", "));
        auto series = std::find_if(result.series.begin(), result.series.end(),
                                   [&](const Series& each) { return each.id == id; });
        // The same place again is a line of its own.
        if (series == result.series.end() || series->at(placeOf(tests[t])) != nullptr) {
          const bool again = series != result.series.end();
          const QString more =
              again ? QStringLiteral(" (%1)").arg(sequence.federations[f].name) : QString();
          result.series.push_back(
              {id + more, samples.rti.name + QStringLiteral(", ") + label + more, {}});
          series = result.series.end() - 1;
        }
        series->points.push_back(pointOf(tests[t], mine, sequence.modeTolerance));
        result.settings.count = static_cast<std::uint64_t>(tests[t].sampleSize);
        result.settings.cycles = tests[t].samples;
      }
    }
    if (result.series.empty()) continue;
    const Settings used = result.settings;
    result.settings = settings;
    result.settings.kind = facts.kind;
    result.settings.count = used.count;
    result.settings.cycles = used.cycles;
    result.rti = samples.rti;
    result.machine = samples.machine;
    result.build = thisBuild();
    result.at = QDateTime::currentDateTime();
    results.push_back(std::move(result));
  }
  return results;
}

QString csvOf(const TestSequence& sequence, const std::vector<Sample>& samples,
              const std::map<Kind, QStringList>& origins) {
  QStringList lines{
      QStringLiteral("federation,test,transport,hosts,bundling,pairs,types,instances,attributes,"
                     "buffer,sample_size,"
                     "data_threshold,update_threshold,sample,pair,value,unit,received,dropped,") +
      originHeads().join(u',')};
  for (const Sample& each : samples) {
    const SequenceTest& test = testOf(sequence, each);
    QStringList row{csvField(sequence.federations[each.federation].name),
                    kindName(test.kind).section(u'-', 1).toUpper(), transportName(test.transport)};
    for (const int value : {test.hosts, test.bundling, test.pairs, test.types, test.instances,
                            test.attributes, test.buffer, test.sampleSize, test.dataThreshold,
                            test.updateThreshold, each.number, each.pair}) {
      row << QString::number(value);
    }
    row << QString::number(each.value, 'g', 10) << unitOf(test.kind)
        << QString::number(each.received) << QString::number(each.dropped) << origins.at(test.kind);
    lines << row.join(u',');
  }
  return lines.join(u'\n') + u'\n';
}

}  // namespace tutti::bench
