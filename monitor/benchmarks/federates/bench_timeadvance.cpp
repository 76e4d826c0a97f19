// SPDX-License-Identifier: GPL-3.0-or-later
// Two federates that regulate and are constrained advance in equal steps; each prints its grants
// and the time they took, cycle by cycle.
#include <RTI/time/HLAfloat64Interval.h>
#include <RTI/time/HLAfloat64Time.h>

#include "bench_federate.h"

namespace {

using namespace tutti::bench;
using namespace rti1516e;

class Stepper : public BenchFederate {
 public:
  Stepper(const Options& options, bool first)
      : BenchFederate(options),
        first_(first),
        grants_(static_cast<std::uint64_t>(options.number("count", 100'000))),
        cycles_(static_cast<std::uint64_t>(options.number("cycles", 1))),
        warmUp_(static_cast<std::uint64_t>(options.number("warmup", 1'000))),
        lookahead_(options.real("lookahead", 0.1)),
        step_(options.real("step", 0.1)) {}

  void run() {
    meet(first_);
    rti_->enableTimeRegulation(HLAfloat64Interval(lookahead_));
    awaitThat([this] { return regulating_; }, "time regulation");
    rti_->enableTimeConstrained();
    awaitThat([this] { return constrained_; }, "time constraint");
    // Neither starts before the other takes part, or it would run ahead alone.
    synchronize();

    double time = now_;
    std::vector<std::uint64_t> nanoseconds;
    for (std::uint64_t cycle = 0; cycle <= cycles_; ++cycle) {
      const std::uint64_t start = nowNanoseconds();
      const std::uint64_t grants = cycle == 0 ? warmUp_ : grants_;
      for (std::uint64_t i = 0; i < grants; ++i) {
        time += step_;
        granted_ = false;
        rti_->timeAdvanceRequest(HLAfloat64Time(time));
        awaitThat([this] { return granted_; }, "a time advance grant");
      }
      if (cycle > 0) nanoseconds.push_back(nowNanoseconds() - start);
    }
    std::printf("grants %llu\n", static_cast<unsigned long long>(grants_));
    printSamples("nanoseconds", nanoseconds);
    // Each grant must have been for what was asked.
    std::printf("lost %d\n", now_ == time ? 0 : 1);
    part();
  }

  void timeRegulationEnabled(const LogicalTime& time) TUTTI_BENCH_THROWS override {
    now_ = HLAfloat64Time(time).getTime();
    regulating_ = true;
  }
  void timeConstrainedEnabled(const LogicalTime& time) TUTTI_BENCH_THROWS override {
    now_ = HLAfloat64Time(time).getTime();
    constrained_ = true;
  }
  void timeAdvanceGrant(const LogicalTime& time) TUTTI_BENCH_THROWS override {
    now_ = static_cast<const HLAfloat64Time&>(time).getTime();
    granted_ = true;
  }

 private:
  bool first_;
  std::uint64_t grants_;
  std::uint64_t cycles_;
  std::uint64_t warmUp_;
  double lookahead_;
  double step_;
  double now_ = 0;
  bool regulating_ = false;
  bool constrained_ = false;
  bool granted_ = false;
};

}  // namespace

int main(int count, char** values) {
  return runMain("bench-timeadvance", count, values, [](const Options& options) {
    Stepper(options, options.text("role", "first") == "first").run();
  });
}
