// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the samples as processes against the RTI and watches them with a federate of its own.
#include <RTI/time/HLAfloat64Time.h>
#include <signal.h>

#include <QProcess>
#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "common/air_traffic.h"
#include "common/airports.h"
#include "common/federate.h"
#include "conflict-detector/separation.h"
#include "radar/antenna.h"

using namespace samples;

namespace {

const QString kComponents = QStringLiteral(TUTTI_SOURCE_DIR "/resources/components/");
const QStringList kAirTraffic{
    QStringLiteral("--federation"),
    QStringLiteral("air"),
    QStringLiteral("--fom"),
    kComponents + QStringLiteral("aircraft-flow/AirTraffic-Flight.xml"),
    QStringLiteral("--fom"),
    kComponents + QStringLiteral("radar/AirTraffic-Radar.xml"),
    QStringLiteral("--fom"),
    kComponents + QStringLiteral("conflict-detector/AirTraffic-Conflict.xml")};
const QStringList kPingPong{QStringLiteral("--federation"), QStringLiteral("game"),
                            QStringLiteral("--fom"),
                            kComponents + QStringLiteral("ping/PingPong.xml")};
constexpr int kLimit = 60'000;  // ms; nothing here takes nearly as long

/// One sample as a process. Ends with the object.
class Sample {
 public:
  Sample(const QString& id, const QStringList& arguments) {
    process_.setProcessChannelMode(QProcess::MergedChannels);
    QObject::connect(&process_, &QProcess::readyRead, &process_,
                     [this] { output_ += QString::fromUtf8(process_.readAll()); });
    process_.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/components/%1/%1").arg(id), arguments);
  }
  ~Sample() {
    if (process_.state() == QProcess::NotRunning) return;
    process_.kill();
    process_.waitForFinished(kLimit);
  }

  QProcess& process() { return process_; }
  const QString& output() const { return output_; }
  bool isReady() const { return output_.contains(QStringLiteral(": ready")); }
  /// Exit code, -1 when it has not ended in time or by a signal.
  int exitCode() {
    if (!QTest::qWaitFor([this] { return process_.state() == QProcess::NotRunning; }, kLimit))
      return -1;
    return process_.exitStatus() == QProcess::NormalExit ? process_.exitCode() : -1;
  }
  void askToStop() { ::kill(static_cast<pid_t>(process_.processId()), SIGTERM); }

 private:
  QProcess process_;
  QString output_;
};

/// Sees everything of the air traffic, and holds its time back: it regulates with a lookahead of 1
/// s.
class Observer : public Federate {
 public:
  explicit Observer(Options& options) : Federate(options, "observer") {}
  static std::unique_ptr<Observer> make() {
    std::vector<QByteArray> words{"observer"};
    for (const QString& word : kAirTraffic) words.push_back(word.toUtf8());
    std::vector<const char*> argv;
    for (const QByteArray& word : words) argv.push_back(word.constData());
    Options options{static_cast<int>(argv.size()), argv.data()};
    return std::make_unique<Observer>(options);
  }

  struct Track {
    std::map<double, FlightState> states;  // by time stamp; complete ones
    bool gone = false;
  };

  void start() {
    join();
    flight_.resolve(rti());
    plot_.resolve(rti());
    conflict_.resolve(rti());
    manageTime(true, true, 1.0);
    rti().subscribeInteractionClass(plot_.handle());
    rti().subscribeInteractionClass(conflict_.handle());
    rti().subscribeObjectClassAttributes(flight_.handle(), flight_.allAttributes());
  }
  /// Evokes callbacks until `done` or for a minute.
  template <typename Done>
  bool evokeUntil(Done done) {
    return QTest::qWaitFor(
        [&] {
          evoke(0.01);
          return done();
        },
        kLimit);
  }
  /// Removals come in receive order, which otherwise waits for the next time advance.
  void hearAtOnce() { rti().enableAsynchronousDelivery(); }
  void advance(double to) {
    lastGrant_ = time();
    advanceTo(to);
  }
  std::size_t inTheAir() const {
    return static_cast<std::size_t>(std::count_if(
        tracks.begin(), tracks.end(), [](const auto& track) { return !track.second.gone; }));
  }
  /// Positions of all flights that have a state of that time stamp.
  std::vector<const FlightState*> skyAt(double stamp) const {
    std::vector<const FlightState*> result;
    for (const auto& [object, track] : tracks) {
      if (const auto found = track.states.find(stamp); found != track.states.end())
        result.push_back(&found->second);
    }
    return result;
  }

  std::map<rti1516e::ObjectInstanceHandle, Track> tracks;
  std::vector<RadarPlot> plots;
  std::vector<Conflict> conflicts;
  QStringList disorder;  // what did not come in time-stamp order

  void run() override {}
  std::string summary() const override { return {}; }

 protected:
  void discovered(rti1516e::ObjectInstanceHandle object, rti1516e::ObjectClassHandle) override {
    tracks[object];
  }
  void removed(rti1516e::ObjectInstanceHandle object) override { tracks[object].gone = true; }
  void reflected(rti1516e::ObjectInstanceHandle object,
                 const rti1516e::AttributeHandleValueMap& values, double stamp) override {
    inOrder("update", stamp);
    Track& track = tracks[object];
    FlightState state = track.states.empty() ? FlightState{} : track.states.rbegin()->second;
    flight_.decode(values, state);
    if (std::isnan(stamp)) {
      disorder.append("an update without a time stamp");
    } else {
      track.states[stamp] = state;
    }
  }
  void received(rti1516e::InteractionClassHandle interaction,
                const rti1516e::ParameterHandleValueMap& values, double stamp) override {
    inOrder("interaction", stamp);
    if (interaction == plot_.handle()) plots.push_back(plot_.decode(values));
    if (interaction == conflict_.handle()) conflicts.push_back(conflict_.decode(values));
  }

 private:
  void inOrder(const char* what, double stamp) {
    if (stamp >= lastStamp_ && stamp > lastGrant_) {
      lastStamp_ = stamp;
      return;
    }
    disorder.append(QStringLiteral("%1 of %2 after %3, granted %4")
                        .arg(what)
                        .arg(stamp)
                        .arg(lastStamp_)
                        .arg(lastGrant_));
  }

  FlightClass flight_;
  RadarPlotClass plot_;
  ConflictClass conflict_;
  double lastStamp_ = 0.0;
  double lastGrant_ = 0.0;
};

}  // namespace

class TestSamplesRun : public QObject {
  Q_OBJECT

  QString node_;

 private slots:
  void init() {
    // An RTI of its own for every test, so that nothing is inherited from the one before.
    static int count = 0;
    node_ = QStringLiteral("samples-%1-%2").arg(QCoreApplication::applicationPid()).arg(++count);
    qputenv("TUTTI_RTI", ("shm:" + node_).toUtf8());
  }
  void cleanup() {
    QProcess stop;
    stop.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti-rti"), {"--stop", "--shm", node_});
    stop.waitForFinished(kLimit);
  }

  void pingAndPong_data() {
    QTest::addColumn<int>("size");
    QTest::addColumn<int>("count");
    QTest::newRow("empty messages") << 0 << 200;
    QTest::newRow("small ones") << 128 << 2000;
    QTest::newRow("larger than a ring's first size") << 100'000 << 50;
    QTest::newRow("a megabyte") << 1'048'576 << 10;
  }
  void pingAndPong() {
    QFETCH(int, size);
    QFETCH(int, count);
    Sample ping{"ping", kPingPong + QStringList{"--size", QString::number(size), "--count",
                                                QString::number(count)}};
    Sample pong{"pong", kPingPong};
    QVERIFY2(ping.exitCode() == 0, qPrintable(ping.output()));
    QVERIFY2(pong.exitCode() == 0, qPrintable(pong.output()));
    QVERIFY2(ping.output().contains(
                 QStringLiteral("%1 round trips of %2 B: median ").arg(count).arg(size)),
             qPrintable(ping.output()));
    const auto answers = QRegularExpression{"done\\. (\\d+) answers"}.match(pong.output());
    QVERIFY2(answers.captured(1).toInt() > count,
             qPrintable(pong.output()));  // and at least one greeting
  }

  void airTrafficIsPhysicallyPlausible() {
    constexpr int kFlights = 150;  // a flow
    constexpr double kEnd = 240.0;
    auto observer = Observer::make();
    observer->start();
    const auto flow = [](const char* name, const char* region, int seed) {
      return kAirTraffic + QStringList{"--federate", name,
                                       "--region",   region,
                                       "--seed",     QString::number(seed),
                                       "--flights",  QString::number(kFlights),
                                       "--pace",     "0"};
    };
    const auto ready = [&](const std::vector<Sample*>& samples) {
      return observer->evokeUntil([&] {
        return std::all_of(samples.begin(), samples.end(),
                           [](const Sample* sample) { return sample->isReady(); });
      });
    };
    Sample west{"radar", kAirTraffic + QStringList{"--federate", "radar-west", "--site", "EDDF",
                                                   "--range", "250"}};
    Sample east{"radar", kAirTraffic + QStringList{"--federate", "radar-east", "--site", "LSZH",
                                                   "--range", "120", "--sweep", "5"}};
    Sample detector{"conflict-detector", kAirTraffic + QStringList{"--federate", "detector"}};
    Sample log{"traffic-log", kAirTraffic + QStringList{"--federate", "log", "--interval", "0.1"}};
    QVERIFY(ready({&west, &east, &detector, &log}));
    // A flow sends its states of 1 s as soon as it is there, so that whoever is to hear all of
    // them has to be there before.
    Sample north{"aircraft-flow", flow("flow-north", "north", 1)};
    Sample south{"aircraft-flow", flow("flow-south", "south", 2)};
    QVERIFY(ready({&north, &south}));
    const std::vector<Sample*> all{&north, &south, &west, &east, &detector, &log};
    QVERIFY(observer->evokeUntil([&] { return observer->tracks.size() == 2 * kFlights; }));
    for (double time = 1.0; time <= kEnd; time += 1.0) observer->advance(time);

    // Everybody is asked to stop in the middle of its work, while some wait for a grant.
    for (Sample* sample : all) sample->askToStop();
    for (Sample* sample : all) {
      const bool ended = observer->evokeUntil([&] {
        QCoreApplication::processEvents();
        return sample->process().state() == QProcess::NotRunning;
      });
      QVERIFY2(ended && sample->exitCode() == 0, qPrintable(sample->output()));
      QVERIFY2(sample->output().contains(": stopped. "), qPrintable(sample->output()));
    }
    observer->hearAtOnce();
    QVERIFY(observer->evokeUntil([&] { return observer->inTheAir() == 0; }));
    QCOMPARE(observer->disorder, QStringList{});

    // --- Flights: speed, course and height of what was published
    // -----------------------------------------------------
    int steps = 0;
    std::set<std::string> callsigns;
    for (const auto& [object, track] : observer->tracks) {
      QVERIFY(!track.states.empty());
      const FlightState& first = track.states.begin()->second;
      QVERIFY(!first.callsign.empty());
      QVERIFY2(callsigns.insert(first.callsign).second, first.callsign.c_str());
      const Airport* origin = findAirport(first.origin);
      const Airport* destination = findAirport(first.destination);
      QVERIFY(origin && destination && origin != destination);
      const double length = distance(origin->position, destination->position);
      const FlightState* before = nullptr;
      double beforeStamp = 0.0;
      for (const auto& [stamp, state] : track.states) {
        const double fromOrigin = distance(origin->position, state.position);
        const double toDestination = distance(state.position, destination->position);
        QVERIFY(fromOrigin + toDestination - length < 10.0);
        QVERIFY(state.altitude >= 0.0 && state.altitude <= 41000.0);
        QVERIFY(state.groundSpeed > 130.0 && state.groundSpeed < 460.0);
        if (toDestination > 5000.0)
          QVERIFY(std::abs(std::remainder(
                      state.heading - bearing(state.position, destination->position), 360.0)) <
                  0.1);
        if (before) {
          ++steps;
          QCOMPARE(stamp - beforeStamp, 1.0);
          const double moved = distance(before->position, state.position);
          QVERIFY2(std::abs(moved - before->groundSpeed * kKnot) < 1.0,
                   qPrintable(QString::number(moved)));
          QVERIFY(std::abs((state.altitude - before->altitude) - state.verticalRate / 60.0) < 1e-6);
        }
        before = &state;
        beforeStamp = stamp;
      }
    }
    QVERIFY2(steps > 2 * kFlights * (kEnd - 10), qPrintable(QString::number(steps)));

    // --- Plots: each is a flight in range, measured with the radar's noise; none is left out
    // ------------------------
    struct Site {
      const char* radar;
      const char* airport;
      double range;
      double sweep;
    };
    std::map<std::string, const Observer::Track*> byCallsign;
    for (const auto& [object, track] : observer->tracks)
      byCallsign[track.states.begin()->second.callsign] = &track;
    for (const Site& site :
         {Site{"radar-west", "EDDF", 250e3, 4.0}, Site{"radar-east", "LSZH", 120e3, 5.0}}) {
      const GeoPoint place = findAirport(site.airport)->position;
      std::map<std::string, std::vector<double>> times;
      int plots = 0;
      for (const RadarPlot& plot : observer->plots) {
        if (plot.radar != site.radar) continue;
        ++plots;
        const auto flight = byCallsign.find(plot.callsign);
        QVERIFY2(flight != byCallsign.end(), plot.callsign.c_str());
        times[plot.callsign].push_back(plot.time);
        QVERIFY(plot.range * 1000.0 <= site.range);
        const auto before = flight->second->states.find(std::ceil(plot.time) - 1.0);
        const auto after = flight->second->states.find(std::ceil(plot.time));
        if (before == flight->second->states.end() || after == flight->second->states.end())
          continue;
        const double share = plot.time - before->first;
        const double way = distance(before->second.position, after->second.position) * share;
        const GeoPoint truth = destination(
            before->second.position, bearing(before->second.position, after->second.position), way);
        const double ground = distance(place, truth);
        const double slant = slantRange(ground, after->second.altitude * kFoot);
        QVERIFY2(std::abs(slant - plot.range * 1000.0) < 5 * Antenna::kRangeNoise + 5.0,
                 qPrintable(QString::number(slant - plot.range * 1000.0)));
        QVERIFY(std::abs(std::remainder(plot.azimuth - bearing(place, truth), 360.0)) <
                5 * Antenna::kAzimuthNoise + 1e-3);
        QVERIFY(distance(plot.position, truth) <
                5 * Antenna::kRangeNoise + 5 * Antenna::kAzimuthNoise / 57.3 * ground + 30.0);
        QVERIFY(std::abs(plot.altitude - after->second.altitude) <= 50.0);
      }
      QVERIFY2(plots > 100, qPrintable(QString::number(plots)));
      // A flight that is well inside all the time is seen once a turn, from the first turn to the
      // last.
      int complete = 0;
      for (const auto& [callsign, track] : byCallsign) {
        const bool inside =
            std::all_of(track->states.begin(), track->states.end(), [&](const auto& entry) {
              const double ground = distance(place, entry.second.position);
              const double altitude = entry.second.altitude * kFoot;
              return ground > 10e3 && slantRange(ground, altitude) < site.range - 1000.0 &&
                     ground < horizon(25.0, altitude) - 1000.0;
            });
        if (!inside || track->states.size() < kEnd - 5) continue;
        ++complete;
        const auto& seen = times[callsign];
        QVERIFY2(std::abs(static_cast<double>(seen.size()) - kEnd / site.sweep) <= 3.0,
                 qPrintable(QString::number(seen.size())));
        for (std::size_t i = 1; i < seen.size(); ++i)
          QVERIFY(std::abs(seen[i] - seen[i - 1] - site.sweep) < 0.15 * site.sweep);
      }
      QVERIFY2(complete >= 3, qPrintable(QString::number(complete)));
    }

    // --- Conflicts: exactly the pairs that a comparison of everybody with everybody finds
    // ---------------------------
    std::map<double, std::vector<const Conflict*>> reported;
    for (const Conflict& conflict : observer->conflicts)
      reported[conflict.time].push_back(&conflict);
    using Pair = std::pair<std::string, std::string>;
    std::set<Pair> active;
    int begun = 0;
    for (double time = 1.0; time <= kEnd - 2.0; time += 1.0) {
      const auto states = observer->skyAt(time);
      std::map<Pair, std::pair<const FlightState*, const FlightState*>> expected;
      for (std::size_t i = 0; i < states.size(); ++i) {
        for (std::size_t j = i + 1; j < states.size(); ++j) {
          const FlightState* a = states[i];
          const FlightState* b = states[j];
          if (b->callsign < a->callsign) std::swap(a, b);
          if (a->altitude >= 3000.0 && b->altitude >= 3000.0 &&
              std::abs(a->altitude - b->altitude) < 1000.0 &&
              distance(a->position, b->position) < 5.0 * 1852.0) {
            expected[{a->callsign, b->callsign}] = {a, b};
          }
        }
      }
      for (const Conflict* conflict : reported[time]) {
        const Pair pair{conflict->first, conflict->second};
        if (!conflict->active) {
          QCOMPARE(active.erase(pair), 1u);
          continue;
        }
        ++begun;
        QVERIFY2(active.insert(pair).second, conflict->first.c_str());
        QVERIFY2(expected.contains(pair), conflict->first.c_str());
        const auto& [a, b] = expected[pair];
        QVERIFY(std::abs(conflict->horizontal -
                         distance(a->position, b->position) / kNauticalMile) < 1e-6);
        QVERIFY(std::abs(conflict->vertical - std::abs(a->altitude - b->altitude)) < 1e-6);
        QVERIFY(conflict->horizontal < 5.0 && conflict->vertical < 1000.0);
      }
      std::set<Pair> pairs;
      for (const auto& [pair, states2] : expected) pairs.insert(pair);
      QVERIFY2(pairs == active, qPrintable(QStringLiteral("at %1 s: %2 pairs, %3 reported")
                                               .arg(time)
                                               .arg(pairs.size())
                                               .arg(active.size())));
    }
    QVERIFY2(begun >= 2, qPrintable(QString::number(begun)));
    QVERIFY2(QRegularExpression{"time .* flights +300 .* conflicts"}.match(log.output()).hasMatch(),
             qPrintable(log.output().right(500)));
    observer->leave();
  }

  void aLateRadarLearnsWhatDoesNotChange() {
    auto observer = Observer::make();
    observer->start();
    Sample flow{"aircraft-flow", kAirTraffic + QStringList{"--flights", "200", "--pace", "0"}};
    QVERIFY(observer->evokeUntil([&] { return observer->tracks.size() >= 200 && flow.isReady(); }));
    for (double time = 1.0; time <= 10.0; time += 1.0) observer->advance(time);
    Sample radar{"radar", kAirTraffic + QStringList{"--site", "EDDF", "--range", "500"}};
    QVERIFY(observer->evokeUntil([&] { return radar.isReady(); }));
    for (double time = 11.0; time <= 40.0; time += 1.0) observer->advance(time);
    QVERIFY(observer->plots.size() > 20);
    int named = 0;
    for (const RadarPlot& plot : observer->plots)
      named += plot.time > 16.0 && !plot.callsign.empty();
    int later = 0;
    for (const RadarPlot& plot : observer->plots) later += plot.time > 16.0;
    QVERIFY(later > 10);
    QCOMPARE(named, later);
    observer->leave();
  }

  void lostConnectionIsSaidAndEndsWithItsOwnCode_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<QStringList>("arguments");
    const QStringList site{"--site", "EDDF", "--range", "250"};
    QTest::newRow("a flow that keeps pace") << "aircraft-flow" << kAirTraffic;
    QTest::newRow("a radar under an empty sky") << "radar" << kAirTraffic + site;
    QTest::newRow("detector") << "conflict-detector" << kAirTraffic;
    QTest::newRow("log") << "traffic-log" << kAirTraffic;
    QTest::newRow("pong") << "pong" << kPingPong;
  }
  void lostConnectionIsSaidAndEndsWithItsOwnCode() {
    QFETCH(QString, id);
    QFETCH(QStringList, arguments);
    QProcess node;
    node.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti-rti"), {"--shm", node_});
    QVERIFY(
        QTest::qWaitFor([&] { return node.readAllStandardOutput().contains("ready"); }, kLimit));
    Sample sample{id, arguments};
    QTRY_VERIFY_WITH_TIMEOUT(sample.isReady(), kLimit);
    node.kill();
    QVERIFY(node.waitForFinished(kLimit));
    QVERIFY2(sample.exitCode() == 3, qPrintable(sample.output()));
    QVERIFY2(sample.output().contains(": the connection to the RTI is lost"),
             qPrintable(sample.output()));
  }

  void aSignalWhileWaitingEndsCleanly() {
    Sample ping{"ping", kPingPong};  // no pong comes
    QTRY_VERIFY_WITH_TIMEOUT(ping.output().contains("joined"), kLimit);
    ping.askToStop();
    QVERIFY2(ping.exitCode() == 0, qPrintable(ping.output()));
  }

  void faultsAreSaidInOneLine_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("saying");
    QTest::newRow("no range") << "radar" << kAirTraffic + QStringList{"--site", "EDDF"} << 2
                              << "--range is missing";
    QTest::newRow("range too far")
        << "radar" << kAirTraffic + QStringList{"--site", "EDDF", "--range", "700"} << 2
        << "from 1 to 500";
    QTest::newRow("unknown airport")
        << "radar" << kAirTraffic + QStringList{"--site", "XXXX", "--range", "70"} << 2
        << "\"XXXX\" is not known";
    QTest::newRow("unknown option")
        << "pong" << kPingPong + QStringList{"--sie", "3"} << 2 << "no option --sie";
    QTest::newRow("no FOM") << "pong" << QStringList{"--federation", "x"} << 2
                            << "--fom is missing";
    QTest::newRow("FOM that is not there")
        << "pong" << QStringList{"--federation", "x", "--fom", "/nowhere/A.xml"} << 1
        << "/nowhere/A.xml";
    QTest::newRow("FOM without its classes") << "pong" << kAirTraffic << 1 << "Ping";
    QTest::newRow("help") << "aircraft-flow" << QStringList{"--help"} << 0 << "--flights";
  }
  void faultsAreSaidInOneLine() {
    QFETCH(QString, id);
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, saying);
    Sample sample{id, arguments};
    QVERIFY2(sample.exitCode() == code, qPrintable(sample.output()));
    QVERIFY2(sample.output().contains(saying), qPrintable(sample.output()));
  }

  void aNameThatIsTakenIsRefused() {
    Sample first{"pong", kPingPong + QStringList{"--federate", "same"}};
    QTRY_VERIFY_WITH_TIMEOUT(first.isReady(), kLimit);
    Sample second{"pong", kPingPong + QStringList{"--federate", "same"}};
    QCOMPARE(second.exitCode(), 1);
    QVERIFY2(second.output().contains("same"), qPrintable(second.output()));
    QVERIFY(first.process().state() == QProcess::Running);
  }
};

QTEST_GUILESS_MAIN(TestSamplesRun)
#include "tst_samples_run.moc"
