// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QTest>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "aircraft-flow/traffic.h"
#include "common/airports.h"
#include "common/geo.h"
#include "common/options.h"
#include "common/ping_pong.h"
#include "common/text.h"
#include "conflict-detector/separation.h"
#include "radar/antenna.h"

using namespace samples;

namespace {

GeoPoint at(const char* code) { return findAirport(code)->position; }

/// Flights of both regions, as in the air-traffic federation, after some minutes.
std::vector<FlightState> sky(std::uint32_t seed, int perFlow, double seconds) {
  std::vector<FlightState> states;
  for (const Region region : {Region::North, Region::South}) {
    Traffic traffic({perFlow, region, seed});
    for (double flown = 0.0; flown < seconds; flown += 1.0) traffic.advance(1.0);
    for (const auto& flight : traffic.flights()) states.push_back(flight.state());
  }
  return states;
}

}  // namespace

class TestSampleLogic : public QObject {
  Q_OBJECT

 private slots:
  void distancesAgreeWithPublishedOnes_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<double>("kilometres");
    QTest::newRow("Frankfurt - Heathrow") << "EDDF"
                                          << "EGLL" << 655.0;
    QTest::newRow("Frankfurt - Munich") << "EDDF"
                                        << "EDDM" << 300.0;
    QTest::newRow("Madrid - Helsinki") << "LEMD"
                                       << "EFHK" << 2950.0;
    QTest::newRow("Lisbon - Istanbul") << "LPPT"
                                       << "LTFM" << 3210.0;
    QTest::newRow("Gatwick - Heathrow") << "EGKK"
                                        << "EGLL" << 40.5;
  }
  void distancesAgreeWithPublishedOnes() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(double, kilometres);
    const double found = distance(at(qPrintable(from)), at(qPrintable(to))) / 1000.0;
    QVERIFY2(std::abs(found - kilometres) < 0.012 * kilometres, qPrintable(QString::number(found)));
  }

  void destinationUndoesDistanceAndBearing() {
    std::mt19937 random{7};
    std::uniform_real_distribution<double> latitude{-85, 85};
    std::uniform_real_distribution<double> longitude{-180, 180};
    for (int i = 0; i < 1000; ++i) {
      const GeoPoint a{latitude(random), longitude(random)};
      const GeoPoint b{latitude(random), longitude(random)};
      const GeoPoint reached = destination(a, bearing(a, b), distance(a, b));
      QVERIFY(distance(reached, b) < 1.0);
      QVERIFY(bearing(a, b) >= 0.0 && bearing(a, b) < 360.0);
      QVERIFY(reached.longitude >= -180.0 && reached.longitude <= 180.0);
    }
  }

  void slantRangeAndHorizon() {
    QCOMPARE(slantRange(0.0, 10000.0), 10000.0);
    QVERIFY(std::abs(slantRange(3000.0, 4000.0) - 5000.0) < 2.0);
    QVERIFY(slantRange(200e3, 10000.0) > 200e3);
    // A flight at 10 km is seen to about 412 km from the ground.
    QVERIFY(std::abs(horizon(0.0, 10000.0) / 1000.0 - 412.0) < 2.0);
  }

  void airportsAreFortyDifferentOnesInEurope() {
    std::set<std::string> codes;
    for (const Airport& airport : airports()) {
      codes.insert(airport.code);
      QCOMPARE(airport.code.size(), 4u);
      QCOMPARE(findAirport(airport.code), &airport);
      QVERIFY(airport.position.latitude > 35.0 && airport.position.latitude < 61.0);
      QVERIFY(airport.position.longitude > -10.0 && airport.position.longitude < 30.0);
    }
    QCOMPARE(codes.size(), 40u);
    QCOMPARE(findAirport("KJFK"), nullptr);
  }

  void radarManifestKnowsTheSameAirports() {
    QFile file{QStringLiteral(TUTTI_SOURCE_DIR "/resources/components/radar/component.json")};
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto manifest = nlohmann::json::parse(file.readAll().toStdString());
    std::vector<std::string> known;
    for (const Airport& airport : airports()) known.push_back(airport.code);
    QCOMPARE(manifest["parameters"][0]["choices"].get<std::vector<std::string>>(), known);
  }

  void flightsObeyPhysics() {
    Traffic traffic({100, Region::Everywhere, 3});
    std::vector<FlightState> before;
    for (const auto& flight : traffic.flights()) before.push_back(flight.state());
    int arrivals = 0;
    constexpr double kStep = 2.0;
    for (int i = 0; i < 1800; ++i) {
      const auto replaced = traffic.advance(kStep);
      arrivals += static_cast<int>(replaced.size());
      for (std::size_t f = 0; f < traffic.flights().size(); ++f) {
        const FlightState& now = traffic.flights()[f].state();
        const FlightState& old = before[f];
        QVERIFY(now.altitude >= 0.0 && now.altitude <= 41000.0);
        QVERIFY(now.groundSpeed >= 130.0 && now.groundSpeed <= 460.0);
        QVERIFY(now.heading >= 0.0 && now.heading < 360.0);
        if (now.callsign == old.callsign) {
          const double speed = distance(old.position, now.position) / kStep / kKnot;
          QVERIFY2(std::abs(speed - old.groundSpeed) < 0.01 * old.groundSpeed ||
                       traffic.flights()[f].length() - traffic.flights()[f].flown() < 1000.0,
                   qPrintable(QString::number(speed)));
          QVERIFY2(std::abs(now.verticalRate) < 3500.0,
                   qPrintable(QString::number(now.verticalRate)));
          // On the great circle: the ways from both ends add up to the whole.
          const double detour = distance(at(now.origin.c_str()), now.position) +
                                distance(now.position, at(now.destination.c_str())) -
                                traffic.flights()[f].length();
          QVERIFY2(detour < 10.0, qPrintable(QString::number(detour)));
        } else {
          // Whoever was replaced had arrived, and the new one stands at its airport.
          QVERIFY(distance(old.position, at(old.destination.c_str())) < 2000.0);
          QVERIFY(old.altitude < 500.0);
          QVERIFY(distance(now.position, at(now.origin.c_str())) < 1e-3);
        }
        before[f] = now;
      }
    }
    QVERIFY(arrivals > 20);
  }

  void regionsAreWhereFlightsStart() {
    const Traffic north({200, Region::North, 1});
    const Traffic south({200, Region::South, 1});
    for (const auto& flight : north.flights())
      QVERIFY(at(flight.state().origin.c_str()).latitude >= 48.0);
    for (const auto& flight : south.flights())
      QVERIFY(at(flight.state().origin.c_str()).latitude < 48.0);
  }

  void callsignsAreUniqueInBothFlows() {
    std::set<std::string> callsigns;
    for (const FlightState& state : sky(1, 2000, 0.0)) {
      QVERIFY(state.callsign.size() <= 8);
      QVERIFY2(callsigns.insert(state.callsign).second, state.callsign.c_str());
    }
  }

  void aSeedMeansTheSameEverywhere() {
    Traffic a({50, Region::Everywhere, 9});
    Traffic b({50, Region::Everywhere, 9});
    Traffic c({50, Region::Everywhere, 10});
    for (int i = 0; i < 50; ++i) {
      a.advance(7.0);
      b.advance(7.0);
      c.advance(7.0);
    }
    int different = 0;
    for (std::size_t i = 0; i < 50; ++i) {
      QCOMPARE(a.flights()[i].state().position.latitude, b.flights()[i].state().position.latitude);
      QCOMPARE(a.flights()[i].state().callsign, b.flights()[i].state().callsign);
      if (a.flights()[i].state().origin != c.flights()[i].state().origin) ++different;
    }
    QVERIFY(different > 25);
    // Of the standard's generator itself, so that a change of the drawing is noticed: the first
    // flight of seed 1.
    const Traffic one({1, Region::Everywhere, 1});
    QCOMPARE(one.flights()[0].state().callsign, std::string{"TUT100B"});
  }

  void aTargetIsPassedOnceASweep_data() {
    QTest::addColumn<double>("sweep");
    QTest::addColumn<double>("step");
    QTest::addColumn<double>("azimuth");
    QTest::addColumn<double>("drift");  // degrees a second
    QTest::newRow("standing still") << 4.0 << 1.0 << 45.0 << 0.0;
    QTest::newRow("north, where degrees wrap") << 4.0 << 1.0 << 0.0 << 0.0;
    QTest::newRow("drifting over north") << 4.0 << 1.0 << 355.0 << 0.2;
    QTest::newRow("drifting back over north") << 12.0 << 1.0 << 5.0 << -0.2;
    QTest::newRow("fast with the antenna") << 4.0 << 1.0 << 90.0 << 30.0;
    QTest::newRow("fast against it") << 4.0 << 1.0 << 90.0 << -30.0;
    QTest::newRow("odd steps") << 5.0 << 0.3 << 359.9 << 0.01;
    QTest::newRow("one a step") << 1.0 << 1.0 << 180.0 << 0.1;
  }
  void aTargetIsPassedOnceASweep() {
    QFETCH(double, sweep);
    QFETCH(double, step);
    QFETCH(double, azimuth);
    QFETCH(double, drift);
    Antenna::Settings settings;
    settings.sweep = sweep;
    const Antenna antenna{settings};
    const auto at = [&](double time) {
      return std::fmod(std::fmod(azimuth + drift * time, 360.0) + 360.0, 360.0);
    };
    std::vector<double> hits;
    constexpr int kSteps = 1000;
    for (int i = 0; i < kSteps; ++i) {
      const double from = i * step;
      const double to = (i + 1) * step;
      const auto moment = antenna.pass(at(from), at(to), from, to);
      if (!moment) continue;
      QVERIFY(*moment >= from && *moment <= to);
      QVERIFY(std::abs(std::remainder(antenna.azimuthAt(*moment) - at(*moment), 360.0)) < 1e-6);
      hits.push_back(*moment);
    }
    // The antenna laps a drifting target later or earlier, but with the same period all the time.
    const double period = 360.0 / (360.0 / sweep - drift);
    if (period > step) {
      for (std::size_t i = 1; i < hits.size(); ++i)
        QVERIFY2(std::abs(hits[i] - hits[i - 1] - period) < 1e-6,
                 qPrintable(QString::number(hits[i])));
      QVERIFY(std::abs(static_cast<double>(hits.size()) - kSteps * step / period) <= 1.0);
    }
  }

  void radarSeesExactlyWhatIsInRange() {
    Antenna::Settings settings;
    settings.site = at("EDDF");
    settings.range = 250e3;
    Antenna antenna{settings};
    int seen = 0;
    int near = 0;
    for (const FlightState& state : sky(1, 2000, 600.0)) {
      const double way = state.groundSpeed * kKnot * 4.0;
      const GeoPoint before = destination(state.position, state.heading + 180.0, way);
      const auto plot = antenna.look(before, state, 96.0, 100.0);  // one whole sweep
      const double ground = distance(settings.site, state.position);
      const double slant = slantRange(ground, state.altitude * kFoot);
      const double sight = horizon(settings.height, state.altitude * kFoot);
      const bool inRange = slant < settings.range && ground < sight;
      // Within the distance flown in a sweep of the edge, or where its bearing turns fast, either
      // answer is right.
      const double margin = std::min(std::abs(slant - settings.range), std::abs(ground - sight));
      if (margin > 1500.0 && !inRange) QVERIFY(!plot);
      if (inRange) ++near;
      if (!plot) continue;
      ++seen;
      QVERIFY(inRange || margin < 1500.0);
      QCOMPARE(plot->callsign, state.callsign);
      QVERIFY(plot->range <= 250.0);
      QVERIFY(plot->azimuth >= 0.0 && plot->azimuth < 360.0);
      QVERIFY(std::abs(plot->altitude - state.altitude) <= 50.0);
      // The measured place is where the flight was at that moment but for five sigma of noise.
      const GeoPoint truth =
          destination(before, bearing(before, state.position), way * (plot->time - 96.0) / 4.0);
      QVERIFY(distance(plot->position, truth) <
              5 * Antenna::kRangeNoise + 5 * Antenna::kAzimuthNoise / 57.3 * ground + 5.0);
      QVERIFY(plot->snr >= 13.0);
    }
    QVERIFY2(seen > 50 && std::abs(seen - near) < 10,
             qPrintable(QStringLiteral("%1 of %2").arg(seen).arg(near)));
  }

  void measurementNoiseHasItsSigma() {
    Antenna::Settings settings;
    settings.site = {50.0, 8.0};
    Antenna antenna{settings};
    FlightState state;
    state.located = true;
    state.altitude = 30000.0;
    state.position = destination(settings.site, 90.0, 100e3);
    const double truth = slantRange(100e3, state.altitude * kFoot);
    double sum = 0.0;
    double squares = 0.0;
    constexpr int kSamples = 4000;
    for (int i = 0; i < kSamples; ++i) {
      const auto plot = antenna.look(state.position, state, 0.0, 4.0);
      QVERIFY(plot);
      const double error = plot->range * 1000.0 - truth;
      sum += error;
      squares += error * error;
    }
    QVERIFY(std::abs(sum / kSamples) < 4.0);
    QVERIFY(std::abs(std::sqrt(squares / kSamples) - Antenna::kRangeNoise) < 3.0);
  }

  void gridFindsWhatBruteForceFinds_data() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 20; ++seed) QTest::addRow("seed %u", seed) << seed;
  }
  void gridFindsWhatBruteForceFinds() {
    QFETCH(unsigned, seed);
    std::mt19937 random{seed};
    // Some seeds crowd the pole, the date line and the equator, where a grid in degrees would go
    // wrong.
    const GeoPoint centre = seed % 4 == 0   ? GeoPoint{89.9, 10}
                            : seed % 4 == 1 ? GeoPoint{10, 179.95}
                            : seed % 4 == 2 ? GeoPoint{0, 0}
                                            : GeoPoint{50, 8};
    std::uniform_real_distribution<double> course{0, 360};
    std::uniform_real_distribution<double> far{0, 60e3};
    std::uniform_real_distribution<double> altitude{0, 8000};
    std::vector<Aircraft> aircraft;
    for (int i = 0; i < 300; ++i)
      aircraft.push_back({destination(centre, course(random), far(random)), altitude(random)});
    const Separation separation;
    std::vector<std::pair<std::size_t, std::size_t>> expected;
    for (std::size_t i = 0; i < aircraft.size(); ++i) {
      for (std::size_t j = i + 1; j < aircraft.size(); ++j) {
        const bool near = distance(aircraft[i].position, aircraft[j].position) < 5 * 1852.0 &&
                          std::abs(aircraft[i].altitude - aircraft[j].altitude) < 1000.0;
        if (near && aircraft[i].altitude >= 3000.0 && aircraft[j].altitude >= 3000.0)
          expected.emplace_back(i, j);
      }
    }
    QVERIFY(expected.size() > 10);
    QVERIFY(findConflicts(aircraft, separation) == expected);
  }

  void theSampleSkyHasAPleasantNumberOfConflicts() {
    // What the manifests promise as rates is of the right order: plots by radar, and now and then a
    // conflict.
    std::set<std::pair<std::size_t, std::size_t>> active;
    int begun = 0;
    int plots = 0;
    Antenna::Settings settings;
    settings.site = at("EDDF");
    Antenna antenna{settings};
    Traffic north({200, Region::North, 1});
    Traffic south({200, Region::South, 2});
    constexpr int kSeconds = 600;
    for (int t = 1; t <= kSeconds; ++t) {
      north.advance(1.0);
      south.advance(1.0);
      std::vector<Aircraft> aircraft;
      for (const auto* traffic : {&north, &south}) {
        for (const auto& flight : traffic->flights()) {
          aircraft.push_back({flight.state().position, flight.state().altitude});
          if (antenna.look(flight.state().position, flight.state(), t - 1.0, t)) ++plots;
        }
      }
      const auto pairs = findConflicts(aircraft, Separation{});
      for (const auto& pair : pairs) begun += active.count(pair) == 0;
      active = {pairs.begin(), pairs.end()};
    }
    qInfo("%d conflicts begun and %d plots of one radar in %d s", begun, plots, kSeconds);
    QVERIFY(begun >= 3 && begun <= 600);
    const double plotsPerSecond = plots / double{kSeconds};
    QVERIFY2(plotsPerSecond > 3.0 && plotsPerSecond < 40.0,
             qPrintable(QString::number(plotsPerSecond)));
  }

  void optionsAreStrict_data() {
    QTest::addColumn<QList<QByteArray>>("words");
    QTest::addColumn<QString>("fault");
    QTest::newRow("fine") << QList<QByteArray>{"--range", "12.5",  "--fom=a.xml",
                                               "--fom",   "b.xml", "--on"}
                          << "";
    QTest::newRow("negative value") << QList<QByteArray>{"--range", "-3", "--fom=a.xml"}
                                    << "--range needs a number from 1 to 500, not \"-3\"";
    QTest::newRow("missing") << QList<QByteArray>{"--fom=a"} << "--range is missing";
    QTest::newRow("not a number") << QList<QByteArray>{"--range", "12km", "--fom=a"}
                                  << "not \"12km\"";
    QTest::newRow("infinite") << QList<QByteArray>{"--range", "inf", "--fom=a"} << "not \"inf\"";
    QTest::newRow("unknown") << QList<QByteArray>{"--range", "3", "--rnage", "4", "--fom=a"}
                             << "there is no option --rnage";
    QTest::newRow("no value") << QList<QByteArray>{"--range", "3", "--fom"} << "--fom has no value";
    QTest::newRow("stray word") << QList<QByteArray>{"radar"} << "\"radar\" is not an option";
  }
  void optionsAreStrict() {
    QFETCH(QList<QByteArray>, words);
    QFETCH(QString, fault);
    std::vector<const char*> argv{"program"};
    for (const QByteArray& word : words) argv.push_back(word.constData());
    QString said;
    try {
      Options options{static_cast<int>(argv.size()), argv.data()};
      const double range = options.requiredReal("range", 1, 500);
      const auto modules = options.all("fom");
      const bool on = options.flag("on");
      options.done();
      if (fault.isEmpty()) {
        QCOMPARE(range, 12.5);
        QCOMPARE(modules, (std::vector<std::string>{"a.xml", "b.xml"}));
        QVERIFY(on);
      }
    } catch (const UsageError& error) {
      said = error.what();
    }
    QCOMPARE(said.isEmpty(), fault.isEmpty());
    QVERIFY2(said.contains(fault), qPrintable(said));
  }

  void textGoesBothWays() {
    for (const char* sample : {"", "flow-north", "Köln", "Ελλάδα", "日本", "🛩"})
      QCOMPARE(narrow(widen(sample)), std::string{sample});
    QCOMPARE(widen("🛩").size(), 1u);
    QCOMPARE(widen("a\xff"
                   "b"),
             std::wstring(L"a\uFFFD"
                          L"b"));
    QCOMPARE(widen("a\xe2\x82"), std::wstring(L"a\uFFFD"));
  }

  void positionsTravelBitByBit() {
    GeoPositionCodec codec;
    const GeoPoint point{50.0333333333333, -8.5706};
    const auto data = codec.encode(point);
    QCOMPARE(data.size(), 16u);
    // 1.0 is 3F F0 00 ... in the big-endian form of the standard.
    const auto one = codec.encode({1.0, 0.0});
    QCOMPARE(static_cast<const unsigned char*>(one.data())[0], static_cast<unsigned char>(0x3F));
    const GeoPoint back = GeoPositionCodec{}.decode(data);
    QVERIFY(back.latitude == point.latitude && back.longitude == point.longitude);
    QVERIFY_EXCEPTION_THROWN(codec.decode(rti1516e::VariableLengthData("short", 5)),
                             rti1516e::EncoderException);
  }

  void payloadHasTheSizeAskedFor() {
    QCOMPARE(BallClass::makePayload(0).size(), 4u);
    QCOMPARE(BallClass::makePayload(128).size(), 132u);
  }
};

QTEST_GUILESS_MAIN(TestSampleLogic)
#include "tst_sample_logic.moc"
