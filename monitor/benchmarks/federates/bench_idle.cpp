// SPDX-License-Identifier: GPL-3.0-or-later
// A federate with nothing to do: joined, subscribed, waiting for a grant that does not come. Prints
// the processor time it took meanwhile. With `--role member` it only joins, and resigns when it is
// told to end (SIGTERM).
#include <RTI/time/HLAfloat64Interval.h>
#include <RTI/time/HLAfloat64Time.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>

#include "bench_federate.h"

namespace {

using namespace tutti::bench;
using namespace rti1516e;

volatile std::sig_atomic_t toldToEnd = 0;

double processorSeconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

class Idler : public BenchFederate {
 public:
  Idler(const Options& options, bool first)
      : BenchFederate(options), first_(first), seconds_(options.real("seconds", 10.0)) {}

  void run() {
    meet(first_);
    rti_->enableTimeRegulation(HLAfloat64Interval(1.0));
    awaitThat([this] { return regulating_; }, "time regulation");
    rti_->enableTimeConstrained();
    awaitThat([this] { return constrained_; }, "time constraint");
    // Far past what the other one allows: it waits as long as the other does.
    if (first_) rti_->timeAdvanceRequest(HLAfloat64Time(1000.0));
    using Clock = std::chrono::steady_clock;
    const double before = processorSeconds();
    const auto start = Clock::now();
    const auto end = start + std::chrono::duration<double>(seconds_);
    while (Clock::now() < end) rti_->evokeMultipleCallbacks(0.5, 0.5);
    const std::chrono::duration<double> took = Clock::now() - start;
    std::printf("%s federate: %.3f %% of a core over %.1f s\n", first_ ? "waiting" : "granted",
                100.0 * (processorSeconds() - before) / took.count(), took.count());
    if (!first_) rti_->timeAdvanceRequest(HLAfloat64Time(2000.0));
    part();
  }
  /// Joined until SIGTERM.
  void stay() {
    std::signal(SIGTERM, [](int) { toldToEnd = 1; });
    enter();
    while (toldToEnd == 0) rti_->evokeMultipleCallbacks(0.5, 0.5);
    rti_->resignFederationExecution(NO_ACTION);
    rti_->disconnect();
  }

  void timeRegulationEnabled(const LogicalTime&) TUTTI_BENCH_THROWS override { regulating_ = true; }
  void timeConstrainedEnabled(const LogicalTime&) TUTTI_BENCH_THROWS override {
    constrained_ = true;
  }

 private:
  bool first_;
  double seconds_;
  bool regulating_ = false;
  bool constrained_ = false;
};

}  // namespace

int main(int count, char** values) {
  return runMain("bench-idle", count, values, [](const Options& options) {
    const std::string role = options.text("role", "first");
    Idler idler(options, role == "first");
    role == "member" ? idler.stay() : idler.run();
  });
}
