// SPDX-License-Identifier: Apache-2.0
// aircraft-flow: flights along great circles between 40 airports, updated in time-stamp order.
#include <RTI/time/HLAfloat64Time.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <sstream>

#include "aircraft-flow/traffic.h"
#include "common/federate.h"
#include "common/saved_state.h"

namespace samples {

namespace {

constexpr double kLookahead = 1.0;  // s

class AircraftFlow : public Federate {
 public:
  explicit AircraftFlow(Options& options) : Federate(options, "aircraft-flow") {
    Traffic::Settings settings;
    settings.flights = static_cast<int>(options.integer("flights", 200, 1, 20000));
    settings.seed = static_cast<std::uint32_t>(options.integer("seed", 1, 0, 2147483647));
    const std::string region = options.text("region", "everywhere");
    if (region == "north") {
      settings.region = Region::North;
    } else if (region == "south") {
      settings.region = Region::South;
    } else if (region != "everywhere") {
      throw UsageError("--region needs everywhere, north or south, not \"" + region + "\"");
    }
    step_ = options.real("step", 1.0, 0.05, 60.0);
    pace_ = options.real("pace", 1.0, 0.0, 1e6);
    until_ = options.real("until", std::numeric_limits<double>::infinity(), 0.0, 1e15);
    traffic_ = std::make_unique<Traffic>(settings);
  }

  void run() override {
    flight_.resolve(rti());
    rti().publishObjectClassAttributes(flight_.handle(), flight_.allAttributes());
    manageTime(true, true, kLookahead);
    for (std::size_t i = 0; i < traffic_->flights().size(); ++i) objects_.push_back(enter());
    // The states published at logical time t are those of t + lookahead: the earliest that can
    // still be sent.
    rebase();
    ready();
    goOn();
  }

  void goOn() override {
    while (time() < until_) {
      // One that was restored has published already: it was saved while it waited.
      if (publishedAt_ < time()) publish(time() + kLookahead);
      publishedAt_ = time();
      const double next = (std::floor(time() / step_ + 1e-6) + 1.0) * step_;
      if (!isAdvancing()) keepPace(next);
      const double before = time();
      advanceTo(next);
      const auto arrived = traffic_->advance(time() - before);
      for (const std::size_t index : arrived) {
        rti().deleteObjectInstance(objects_[index], rti1516e::VariableLengthData(),
                                   rti1516e::HLAfloat64Time(time() + kLookahead));
        objects_[index] = enter();
        ++arrivals_;
      }
    }
  }

  std::string summary() const override {
    std::ostringstream text;
    text << updates_ << " updates and " << arrivals_ << " arrivals up to " << time() << " s.";
    return text.str();
  }

 protected:
  void valuesRequested(rti1516e::ObjectInstanceHandle object) override {
    incomplete_.insert(object);
  }

  bool writeState(std::ostream& to) const override {
    traffic_->write(to);
    writeNumber(to, publishedAt_);
    to << updates_ << ' ' << arrivals_ << ' ' << objects_.size() << ' ';
    for (const auto& object : objects_) {
      writeHandle(to, object);
      writeNumber(to, incomplete_.count(object) > 0 ? 1.0 : 0.0);
    }
    return true;
  }
  void readState(std::istream& from) override {
    traffic_->read(from);
    publishedAt_ = readNumber(from);
    std::size_t count = 0;
    from >> updates_ >> arrivals_ >> count;
    objects_.clear();
    incomplete_.clear();
    for (std::size_t i = 0; i < count && from; ++i) {
      objects_.push_back(readHandle(from, rti()));
      if (readNumber(from) != 0.0) incomplete_.insert(objects_.back());
    }
    rebase();
  }

 private:
  rti1516e::ObjectInstanceHandle enter() {
    const auto object = rti().registerObjectInstance(flight_.handle());
    incomplete_.insert(object);
    return object;
  }

  void publish(double stamp) {
    const rti1516e::HLAfloat64Time time(stamp);
    const rti1516e::VariableLengthData noTag;
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      const bool complete = incomplete_.count(objects_[i]) > 0;
      rti().updateAttributeValues(
          objects_[i], flight_.encode(traffic_->flights()[i].state(), complete), noTag, time);
      ++updates_;
    }
    incomplete_.clear();
  }

  /// Logical time and real time are in step from now on.
  void rebase() {
    realStart_ = std::chrono::steady_clock::now();
    logicalStart_ = time();
  }

  void keepPace(double next) {
    if (pace_ <= 0.0) return;
    const std::chrono::duration<double> target((next - logicalStart_) / pace_);
    const auto moment =
        realStart_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(target);
    // Whoever was held up for long, for example by a pause, does not race to catch up.
    if (std::chrono::steady_clock::now() - moment > std::chrono::seconds(2)) {
      rebase();
      return;
    }
    evokeUntil(moment);
  }

  double step_ = 1.0;
  double pace_ = 1.0;
  double until_ = 0.0;
  double publishedAt_ = -1.0;  // logical time that the newest updates belong to
  std::unique_ptr<Traffic> traffic_;
  FlightClass flight_;
  std::vector<rti1516e::ObjectInstanceHandle> objects_;  // as the flights of traffic_
  std::set<rti1516e::ObjectInstanceHandle> incomplete_;  // whose next update holds all attributes
  std::chrono::steady_clock::time_point realStart_;
  double logicalStart_ = 0.0;
  unsigned long long updates_ = 0;
  unsigned long long arrivals_ = 0;
};

}  // namespace

}  // namespace samples

int main(int argc, char** argv) {
  return samples::drive(
      argc, argv,
      " [--flights 200] [--region everywhere|north|south] [--step 1]\n"
      "  [--pace 1 (real-time factor, 0: as fast as possible)] [--seed 1] [--until "
      "LOGICAL_SECONDS]",
      [](samples::Options& options) { return std::make_unique<samples::AircraftFlow>(options); });
}
