// SPDX-License-Identifier: Apache-2.0
// traffic-log: a line a second of what is in the air.
#include <chrono>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

#include "common/air_traffic.h"
#include "common/federate.h"
#include "common/saved_state.h"

namespace samples {

namespace {

constexpr double kStep = 1.0;  // s

class TrafficLog : public Federate {
 public:
  explicit TrafficLog(Options& options) : Federate(options, "traffic-log") {
    interval_ = options.real("interval", 1.0, 0.1, 3600.0);
    until_ = options.real("until", std::numeric_limits<double>::infinity(), 0.0, 1e15);
    events_ = options.flag("events");
  }

  void run() override {
    flight_.resolve(rti());
    plot_.resolve(rti());
    conflict_.resolve(rti());
    manageTime(false, true, 0.0);
    rti().subscribeInteractionClass(plot_.handle());
    rti().subscribeInteractionClass(conflict_.handle());
    rti().subscribeObjectClassAttributes(flight_.handle(), flight_.observedAttributes());
    last_ = std::chrono::steady_clock::now();
    ready();
    goOn();
  }

  void goOn() override {
    while (time() < until_) {
      // Without a flow nobody would hold the time back.
      while (flights_.empty()) evoke(0.1);
      advanceTo((std::floor(time() / kStep + 1e-6) + 1.0) * kStep);
      // A grant that comes a little early counts as in time, else every second line would be late.
      if (since() > 0.9 * interval_) print();
    }
  }

  std::string summary() const override {
    std::ostringstream text;
    text << updates_ << " updates, " << plots_ << " plots and " << conflicts_ << " conflicts up to "
         << time() << " s.";
    return text.str();
  }

 protected:
  void discovered(rti1516e::ObjectInstanceHandle object, rti1516e::ObjectClassHandle) override {
    flights_.insert(object);
  }
  void removed(rti1516e::ObjectInstanceHandle object) override { flights_.erase(object); }
  void reflected(rti1516e::ObjectInstanceHandle, const rti1516e::AttributeHandleValueMap& values,
                 double stamp) override {
    ++updates_;
    if (!events_) return;
    FlightState state;
    flight_.decode(values, state);
    std::cout << "flight " << stamp << ' ' << (state.callsign.empty() ? "-" : state.callsign) << ' '
              << state.position.latitude << ' ' << state.position.longitude << ' ' << state.altitude
              << ' ' << state.groundSpeed << '\n';
  }
  void received(rti1516e::InteractionClassHandle interaction,
                const rti1516e::ParameterHandleValueMap& values, double stamp) override {
    if (interaction == plot_.handle()) {
      ++plots_;
      if (!events_) return;
      const RadarPlot plot = plot_.decode(values);
      std::cout << "plot " << stamp << ' ' << plot.radar << ' ' << plot.callsign << ' ' << plot.time
                << ' ' << plot.range << ' ' << plot.azimuth << '\n';
    } else if (interaction == conflict_.handle()) {
      const Conflict conflict = conflict_.decode(values);
      const auto pair = std::make_pair(conflict.first, conflict.second);
      if (conflict.active) {
        ++conflicts_;
        active_.insert(pair);
      } else {
        active_.erase(pair);
      }
      if (!events_) return;
      std::cout << "conflict " << stamp << ' ' << conflict.first << ' ' << conflict.second << ' '
                << (conflict.active ? "begins" : "ends") << ' ' << conflict.horizontal << ' '
                << conflict.vertical << '\n';
    }
  }
  void idle() override {
    // Lines follow the grants, so that one counts whole steps; while time stands they follow the
    // clock.
    if (since() > 1.5 * interval_) print();
  }

  bool writeState(std::ostream& to) const override {
    to << updates_ << ' ' << plots_ << ' ' << conflicts_ << ' ' << flights_.size() << ' ';
    for (const auto& object : flights_) writeHandle(to, object);
    to << active_.size() << ' ';
    for (const auto& [first, second] : active_) {
      writeText(to, first);
      writeText(to, second);
    }
    return true;
  }
  void readState(std::istream& from) override {
    std::size_t count = 0;
    from >> updates_ >> plots_ >> conflicts_ >> count;
    flights_.clear();
    for (std::size_t i = 0; i < count && from; ++i) flights_.insert(readHandle(from, rti()));
    from >> count;
    active_.clear();
    for (std::size_t i = 0; i < count && from; ++i) {
      const std::string first = readText(from);
      active_.insert({first, readText(from)});
    }
    last_ = std::chrono::steady_clock::now();
    lastUpdates_ = updates_;
    lastPlots_ = plots_;
  }

 private:
  double since() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - last_).count();
  }

  void print() {
    if (events_ || last_ == std::chrono::steady_clock::time_point{}) return;
    const double passed = since();
    const auto rate = [passed](unsigned long long now, unsigned long long before) {
      return static_cast<double>(now - before) / passed;
    };
    std::cout << std::fixed << std::setprecision(1) << "time " << std::setw(9) << time()
              << " s   flights " << std::setw(5) << flights_.size() << "   updates " << std::setw(8)
              << rate(updates_, lastUpdates_) << "/s   plots " << std::setw(7)
              << rate(plots_, lastPlots_) << "/s   conflicts " << std::setw(3) << active_.size()
              << " now, " << conflicts_ << " so far" << std::endl;
    last_ = std::chrono::steady_clock::now();
    lastUpdates_ = updates_;
    lastPlots_ = plots_;
  }

  double interval_ = 1.0;  // s of real time
  double until_ = 0.0;
  bool events_ = false;
  FlightClass flight_;
  RadarPlotClass plot_;
  ConflictClass conflict_;
  std::set<rti1516e::ObjectInstanceHandle> flights_;
  std::set<std::pair<std::string, std::string>> active_;
  unsigned long long updates_ = 0;
  unsigned long long plots_ = 0;
  unsigned long long conflicts_ = 0;
  std::chrono::steady_clock::time_point last_;
  unsigned long long lastUpdates_ = 0;
  unsigned long long lastPlots_ = 0;
};

}  // namespace

}  // namespace samples

int main(int argc, char** argv) {
  return samples::drive(
      argc, argv,
      "\n  [--interval 1 (s)] [--events (every message instead of a line a second)] [--until "
      "LOGICAL_SECONDS]",
      [](samples::Options& options) { return std::make_unique<samples::TrafficLog>(options); });
}
