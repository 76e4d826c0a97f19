// SPDX-License-Identifier: Apache-2.0
// conflict-detector: reports pairs of flights that lose their separation, and when they have it
// again.
#include <RTI/time/HLAfloat64Time.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <sstream>

#include "common/air_traffic.h"
#include "common/federate.h"
#include "common/saved_state.h"
#include "conflict-detector/separation.h"

namespace samples {

namespace {

constexpr double kLookahead = 1.0;  // s
constexpr double kStep = 1.0;       // s

class ConflictDetector : public Federate {
 public:
  explicit ConflictDetector(Options& options) : Federate(options, "conflict-detector") {
    separation_.horizontal = options.real("horizontal", 5.0, 0.5, 50.0) * kNauticalMile;
    separation_.vertical = options.real("vertical", 1000.0, 100.0, 10000.0);
    separation_.floor = options.real("floor", 3000.0, 0.0, 60000.0);
    until_ = options.real("until", std::numeric_limits<double>::infinity(), 0.0, 1e15);
  }

  void run() override {
    flight_.resolve(rti());
    conflict_.resolve(rti());
    rti().publishInteractionClass(conflict_.handle());
    manageTime(true, true, kLookahead);
    rti().subscribeObjectClassAttributes(flight_.handle(), flight_.observedAttributes());
    rti().requestAttributeValueUpdate(flight_.handle(), flight_.observedAttributes(),
                                      rti1516e::VariableLengthData());
    ready();
    goOn();
  }

  void goOn() override {
    while (time() < until_) {
      // Without a flow nobody would hold the time back.
      while (flights_.empty()) evoke(0.1);
      advanceTo((std::floor(time() / kStep + 1e-6) + 1.0) * kStep);
      detect();
    }
  }

  std::string summary() const override {
    std::ostringstream text;
    text << found_ << " conflicts up to " << time() << " s, " << active_.size()
         << " of them not over.";
    return text.str();
  }

 protected:
  void discovered(rti1516e::ObjectInstanceHandle object, rti1516e::ObjectClassHandle) override {
    flights_[object];
  }
  void reflected(rti1516e::ObjectInstanceHandle object,
                 const rti1516e::AttributeHandleValueMap& values, double) override {
    const auto found = flights_.find(object);
    if (found != flights_.end()) flight_.decode(values, found->second);
  }
  void removed(rti1516e::ObjectInstanceHandle object) override { flights_.erase(object); }

  bool writeState(std::ostream& to) const override {
    to << found_ << ' ' << flights_.size() << ' ';
    for (const auto& [object, flight] : flights_) {
      writeHandle(to, object);
      writeFlight(to, flight);
    }
    to << active_.size() << ' ';
    for (const auto& [pair, conflict] : active_) {
      writeHandle(to, pair.first);
      writeHandle(to, pair.second);
      writeText(to, conflict.first);
      writeText(to, conflict.second);
      for (const double number : {conflict.time, conflict.horizontal, conflict.vertical,
                                  conflict.position.latitude, conflict.position.longitude})
        writeNumber(to, number);
    }
    return true;
  }
  void readState(std::istream& from) override {
    std::size_t count = 0;
    from >> found_ >> count;
    flights_.clear();
    for (std::size_t i = 0; i < count && from; ++i) {
      const auto object = readHandle(from, rti());
      flights_[object] = readFlight(from);
    }
    from >> count;
    active_.clear();
    for (std::size_t i = 0; i < count && from; ++i) {
      const auto first = readHandle(from, rti());
      Conflict& conflict = active_[{first, readHandle(from, rti())}];
      conflict.first = readText(from);
      conflict.second = readText(from);
      for (double* number : {&conflict.time, &conflict.horizontal, &conflict.vertical,
                             &conflict.position.latitude, &conflict.position.longitude})
        *number = readNumber(from);
      conflict.active = true;
    }
  }

 private:
  using Pair = std::pair<rti1516e::ObjectInstanceHandle, rti1516e::ObjectInstanceHandle>;

  void detect() {
    std::vector<Aircraft> aircraft;
    std::vector<std::map<rti1516e::ObjectInstanceHandle, FlightState>::const_iterator> owners;
    for (auto flight = flights_.cbegin(); flight != flights_.cend(); ++flight) {
      if (!flight->second.located) continue;
      aircraft.push_back({flight->second.position, flight->second.altitude});
      owners.push_back(flight);
    }
    std::map<Pair, Conflict> now;
    for (const auto& [a, b] : findConflicts(aircraft, separation_)) {
      const FlightState* first = &owners[a]->second;
      const FlightState* second = &owners[b]->second;
      Conflict conflict;
      conflict.horizontal = distance(first->position, second->position) / kNauticalMile;
      conflict.vertical = std::abs(first->altitude - second->altitude);
      if (second->callsign < first->callsign) std::swap(first, second);
      conflict.first = first->callsign;
      conflict.second = second->callsign;
      conflict.position = first->position;
      conflict.active = true;
      now[{owners[a]->first, owners[b]->first}] = conflict;
    }
    for (const auto& [pair, conflict] : now) {
      if (active_.count(pair) > 0) continue;
      ++found_;
      report(conflict);
    }
    for (const auto& [pair, conflict] : active_) {
      if (now.count(pair) > 0) continue;
      Conflict over = conflict;
      over.active = false;
      report(over);
    }
    active_ = std::move(now);
  }

  void report(Conflict conflict) {
    conflict.time = time();
    rti().sendInteraction(conflict_.handle(), conflict_.encode(conflict),
                          rti1516e::VariableLengthData(),
                          rti1516e::HLAfloat64Time(time() + kLookahead));
  }

  Separation separation_;
  double until_ = 0.0;
  FlightClass flight_;
  ConflictClass conflict_;
  std::map<rti1516e::ObjectInstanceHandle, FlightState> flights_;
  std::map<Pair, Conflict> active_;  // as last seen
  unsigned long long found_ = 0;
};

}  // namespace

}  // namespace samples

int main(int argc, char** argv) {
  return samples::drive(argc, argv,
                        "\n  [--horizontal 5 (NM)] [--vertical 1000 (ft)] [--floor 3000 (ft)] "
                        "[--until LOGICAL_SECONDS]",
                        [](samples::Options& options) {
                          return std::make_unique<samples::ConflictDetector>(options);
                        });
}
