// SPDX-License-Identifier: Apache-2.0
// radar: turns the flights in range of an airport's antenna into plots, as the antenna passes them.
#include <RTI/time/HLAfloat64Time.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <sstream>

#include "common/airports.h"
#include "common/federate.h"
#include "common/saved_state.h"
#include "radar/antenna.h"

namespace samples {

namespace {

constexpr double kLookahead = 1.0;  // s
constexpr double kStep = 1.0;       // s

class Radar : public Federate {
 public:
  explicit Radar(Options& options) : Federate(options, "radar") {
    const std::string site = options.required("site");
    const Airport* airport = findAirport(site);
    if (!airport) throw UsageError("--site: the airport \"" + site + "\" is not known");
    Antenna::Settings settings;
    settings.site = airport->position;
    settings.range = options.requiredReal("range", 1.0, 500.0) * 1000.0;
    settings.sweep = options.real("sweep", 4.0, 1.0, 60.0);
    settings.seed = static_cast<std::uint32_t>(options.integer("seed", 1207, 0, 2147483647));
    until_ = options.real("until", std::numeric_limits<double>::infinity(), 0.0, 1e15);
    antenna_ = std::make_unique<Antenna>(settings);
  }

  void run() override {
    flight_.resolve(rti());
    plot_.resolve(rti());
    rti().publishInteractionClass(plot_.handle());
    manageTime(true, true, kLookahead);
    rti().subscribeObjectClassAttributes(flight_.handle(), flight_.observedAttributes());
    // Flights that were there before have sent what does not change already.
    rti().requestAttributeValueUpdate(flight_.handle(), flight_.observedAttributes(),
                                      rti1516e::VariableLengthData());
    ready();
    goOn();
  }

  void goOn() override {
    while (time() < until_) {
      // An empty sky needs no sweep, and without a flow nobody would hold the time back.
      while (tracks_.empty()) evoke(0.1);
      const double before = time();
      advanceTo((std::floor(time() / kStep + 1e-6) + 1.0) * kStep);
      sweep(before, time());
    }
  }

  std::string summary() const override {
    std::ostringstream text;
    text << plots_ << " plots up to " << time() << " s.";
    return text.str();
  }

 protected:
  void discovered(rti1516e::ObjectInstanceHandle object, rti1516e::ObjectClassHandle) override {
    tracks_[object];
  }
  void reflected(rti1516e::ObjectInstanceHandle object,
                 const rti1516e::AttributeHandleValueMap& values, double stamp) override {
    const auto found = tracks_.find(object);
    if (found == tracks_.end()) return;
    flight_.decode(values, found->second.state);
    found->second.stamp = std::isnan(stamp) ? time() : stamp;
  }
  void removed(rti1516e::ObjectInstanceHandle object) override { tracks_.erase(object); }

  bool writeState(std::ostream& to) const override {
    antenna_->write(to);
    to << plots_ << ' ' << tracks_.size() << ' ';
    for (const auto& [object, track] : tracks_) {
      writeHandle(to, object);
      writeFlight(to, track.state);
      for (const double number :
           {track.stamp, track.seen ? 1.0 : 0.0, track.before.latitude, track.before.longitude})
        writeNumber(to, number);
    }
    return true;
  }
  void readState(std::istream& from) override {
    antenna_->read(from);
    std::size_t count = 0;
    from >> plots_ >> count;
    tracks_.clear();
    for (std::size_t i = 0; i < count && from; ++i) {
      Track& track = tracks_[readHandle(from, rti())];
      track.state = readFlight(from);
      track.stamp = readNumber(from);
      track.seen = readNumber(from) != 0.0;
      track.before.latitude = readNumber(from);
      track.before.longitude = readNumber(from);
    }
  }

 private:
  struct Track {
    FlightState state;
    double stamp = 0.0;  // of state
    bool seen = false;
    GeoPoint before;  // where it was at the end of the last sweep step
  };

  /// The state at that logical time: a flow may update more seldom than the antenna turns.
  static FlightState predict(const Track& track, double at) {
    FlightState state = track.state;
    if (at > track.stamp && state.located) {
      state.position = destination(state.position, state.heading,
                                   state.groundSpeed * kKnot * (at - track.stamp));
    }
    return state;
  }

  /// Sends what the antenna saw in (from, to]. A plot comes out one step and the lookahead after
  /// the echo: the time a radar needs to process it.
  void sweep(double from, double to) {
    const rti1516e::VariableLengthData noTag;
    for (auto& entry : tracks_) {
      Track& track = entry.second;
      const FlightState now = predict(track, to);
      if (!now.located) continue;
      const GeoPoint before = track.seen ? track.before : now.position;
      track.before = now.position;
      track.seen = true;
      auto plot = antenna_->look(before, now, from, to);
      if (!plot) continue;
      plot->radar = name();
      rti().sendInteraction(plot_.handle(), plot_.encode(*plot), noTag,
                            rti1516e::HLAfloat64Time(to + kLookahead + (plot->time - from)));
      ++plots_;
    }
  }

  double until_ = 0.0;
  std::unique_ptr<Antenna> antenna_;
  FlightClass flight_;
  RadarPlotClass plot_;
  std::map<rti1516e::ObjectInstanceHandle, Track> tracks_;
  unsigned long long plots_ = 0;
};

}  // namespace

}  // namespace samples

int main(int argc, char** argv) {
  return samples::drive(
      argc, argv, " --site ICAO --range KM [--sweep 4] [--seed 1207]\n  [--until LOGICAL_SECONDS]",
      [](samples::Options& options) { return std::make_unique<samples::Radar>(options); });
}
