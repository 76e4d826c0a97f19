// SPDX-License-Identifier: Apache-2.0
// clutter-viewer: counts what moves within a window of the area, and hears of nothing else.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>
#include <unordered_map>

#include "clutter/movement.h"
#include "common/federate.h"

namespace samples {

namespace {

using Clock = std::chrono::steady_clock;

/// Who is not heard of for so long has left the window, and is forgotten until it comes back.
constexpr double kForget = 5.0;  // s

struct HashOfHandle {
  std::size_t operator()(const rti1516e::ObjectInstanceHandle& handle) const {
    return static_cast<std::size_t>(handle.hash());
  }
};

class ClutterViewer : public Federate {
 public:
  explicit ClutterViewer(Options& options) : Federate(options, "clutter-viewer") {
    side_ = std::sqrt(options.real("share", 1.0, 0.0001, 100.0) / 100.0);
    x_ = options.real("x", 45.0, 0.0, 100.0) / 100.0;
    y_ = options.real("y", 45.0, 0.0, 100.0) / 100.0;
    drift_ = options.real("drift", 0.0, 0.0, 100.0) / 100.0;
    interval_ = options.real("interval", 1.0, 0.1, 3600.0);
    until_ = options.real("until", std::numeric_limits<double>::infinity(), 0.0, 1e9);
  }

  void run() override {
    movement_.resolve(rti());
    region_ = movement_.makeRegion(rti(), bounds(x_), bounds(y_));
    rti().subscribeObjectClassAttributesWithRegions(movement_.all(), movement_.with(region_));
    ready();
    const auto start = Clock::now();
    auto next = start;
    const auto step =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(interval_));
    for (;;) {
      next += step;
      listenUntil(next);
      tell();
      forget();
      if (drift_ > 0) pan();
      if (std::chrono::duration<double>(Clock::now() - start).count() >= until_) return;
    }
  }

  std::string summary() const override {
    std::ostringstream text;
    text << updates_ << " updates of " << discovered_ << " discoveries.";
    return text.str();
  }

 protected:
  void discovered(rti1516e::ObjectInstanceHandle object, rti1516e::ObjectClassHandle) override {
    known_[object] = turn_;
    ++discovered_;
  }
  void reflected(rti1516e::ObjectInstanceHandle object,
                 const rti1516e::AttributeHandleValueMap& values, double) override {
    MovementClass::State state;
    if (!movement_.decode(values, state)) return;
    known_[object] = turn_;
    ++updates_;
  }
  void removed(rti1516e::ObjectInstanceHandle object) override { known_.erase(object); }

 private:
  CellGrid::Bounds bounds(double from) const {
    const double span = static_cast<double>(movement_.span());
    const double low = std::min(from, 1.0 - side_);
    const auto lower = static_cast<unsigned long>(std::max(0.0, low) * span);
    const auto upper = static_cast<unsigned long>(std::min(1.0, low + side_) * span);
    return {lower, std::max(upper, lower + 1)};
  }
  void listenUntil(Clock::time_point moment) {
    while (Clock::now() < moment) {
      // All that is there, many a call; then it waits.
      rti().evokeMultipleCallbacks(0.0, 0.02);
      evoke(0.01);
    }
  }
  void tell() {
    std::cout << name() << ": " << known_.size() << " in sight, " << updates_ - told_ << " updates"
              << std::endl;
    told_ = updates_;
    ++turn_;
  }
  void forget() {
    const auto turns = static_cast<unsigned>(std::ceil(kForget / interval_));
    for (auto known = known_.begin(); known != known_.end();) {
      if (turn_ - known->second <= turns) {
        ++known;
        continue;
      }
      rti().localDeleteObjectInstance(known->first);
      known = known_.erase(known);
    }
  }
  /// To the east, and from the edge back to the west.
  void pan() {
    x_ += drift_ * interval_;
    if (x_ > 1.0 - side_) x_ = 0.0;
    movement_.setBounds(rti(), region_, bounds(x_), bounds(y_));
  }

  double side_ = 0.1;
  double x_ = 0.0;
  double y_ = 0.0;
  double drift_ = 0.0;
  double interval_ = 1.0;
  double until_ = 0.0;
  MovementClass movement_;
  rti1516e::RegionHandle region_;
  std::unordered_map<rti1516e::ObjectInstanceHandle, unsigned, HashOfHandle> known_;
  unsigned turn_ = 0;
  unsigned long long updates_ = 0;
  unsigned long long told_ = 0;
  unsigned long long discovered_ = 0;
};

}  // namespace

}  // namespace samples

int main(int argc, char** argv) {
  return samples::drive(
      argc, argv,
      " [--share PERCENT] [--x PERCENT] [--y PERCENT]\n"
      "  [--drift PERCENT_PER_SECOND] [--interval 1] [--until SECONDS]",
      [](samples::Options& options) { return std::make_unique<samples::ClutterViewer>(options); });
}
