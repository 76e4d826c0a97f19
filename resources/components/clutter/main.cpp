// SPDX-License-Identifier: Apache-2.0
// clutter: civilian vehicles and people on a street grid, each updated with the region of its cell.
#include <chrono>
#include <limits>
#include <memory>
#include <sstream>

#include "clutter/crowd.h"
#include "common/federate.h"

namespace samples {

namespace {

using Clock = std::chrono::steady_clock;

/// Of a second; in each a part of the instances is updated, so that the work is spread evenly.
constexpr int kTurns = 20;

class Clutter : public Federate {
 public:
  explicit Clutter(Options& options) : Federate(options, "clutter") {
    settings_.instances = static_cast<std::size_t>(options.integer("instances", 12500, 1, 2000000));
    settings_.side = static_cast<int>(options.integer("area", 10, 1, 200)) * 10'000;
    settings_.vehicles = static_cast<int>(options.integer("vehicles", 70, 0, 100));
    settings_.seed = static_cast<std::uint32_t>(options.integer("seed", 1, 0, 2147483647));
    cells_ = static_cast<int>(options.integer("cells", 40, 1, 1000));
    rate_ = options.real("rate", 1.0, 0.01, 100.0);
    until_ = options.real("until", std::numeric_limits<double>::infinity(), 0.0, 1e9);
  }

  void run() override {
    movement_.resolve(rti());
    rti().publishObjectClassAttributes(movement_.vehicle(), movement_.attributes());
    rti().publishObjectClassAttributes(movement_.person(), movement_.attributes());
    crowd_ = std::make_unique<Crowd>(rti(), movement_, settings_, cells_);
    while (crowd_->enter(5000)) evoke(0.0);
    ready();
    const auto turn = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(1.0 / (rate_ * kTurns)));
    const int milliseconds = static_cast<int>(1000.0 / rate_);
    const std::size_t all = crowd_->size();
    const auto start = Clock::now();
    auto due = start;
    for (std::size_t number = 0;; ++number) {
      evokeUntil(due);
      evoke(0.0);
      if (std::chrono::duration<double>(Clock::now() - start).count() >= until_) return;
      const std::size_t part = number % kTurns;
      for (std::size_t i = all * part / kTurns; i < all * (part + 1) / kTurns; ++i) {
        crowd_->update(i, milliseconds);
      }
      due += turn;
      if (Clock::now() > due + std::chrono::seconds(1)) {
        // The machine is too slow for the rate: later, not all at once.
        ++late_;
        due = Clock::now();
      }
    }
  }

  std::string summary() const override {
    std::ostringstream text;
    text << (crowd_ ? crowd_->updates() : 0) << " updates of " << (crowd_ ? crowd_->size() : 0)
         << " instances, " << (crowd_ ? crowd_->crossings() : 0) << " times into another cell";
    if (late_ > 0) text << ", " << late_ << " times more than a second late";
    text << ".";
    return text.str();
  }

 private:
  Streets::Settings settings_;
  int cells_ = 40;
  double rate_ = 1.0;
  double until_ = 0.0;
  MovementClass movement_;
  std::unique_ptr<Crowd> crowd_;
  unsigned long long late_ = 0;
};

}  // namespace

}  // namespace samples

int main(int argc, char** argv) {
  return samples::drive(
      argc, argv,
      " [--instances 12500] [--area KM] [--vehicles PERCENT]\n"
      "  [--seed 1] [--rate UPDATES_PER_SECOND] [--cells 40] [--until SECONDS]",
      [](samples::Options& options) { return std::make_unique<samples::Clutter>(options); });
}
