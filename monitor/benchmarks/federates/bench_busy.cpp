// SPDX-License-Identifier: GPL-3.0-or-later
// One federate of a busy pair: both send frames of --burst updates, and each goes on when the
// other's frame has arrived, until --count updates were sent and heard. Prints how many callbacks
// came and when the first and the last frame began and ended (CLOCK_MONOTONIC).
#include "bench_federate.h"

namespace {

using namespace tutti::bench;
using namespace rti1516e;

class Busy : public BenchFederate {
 public:
  Busy(const Options& options, bool first)
      : BenchFederate(options),
        first_(first),
        burst_(static_cast<std::uint64_t>(options.number("burst", 100))),
        frames_((static_cast<std::uint64_t>(options.number("count", 10'000)) + burst_ - 1) /
                burst_),
        warmUp_((static_cast<std::uint64_t>(options.number("warmup", 0)) + burst_ - 1) / burst_),
        payload_(makePayload(static_cast<std::size_t>(options.number("size", 128)),
                             static_cast<std::uint64_t>(options.number("seed", 1)))) {}

  void run() {
    meet(first_);
    values_[attribute_] = VariableLengthData(payload_.data(), payload_.size());
    gather();
    std::uint64_t start = nowNanoseconds();
    for (std::uint64_t frame = 1; frame <= warmUp_ + frames_; ++frame) {
      for (std::uint64_t i = 1; i <= burst_; ++i) {
        writeSequence(payload_.data(), payload_.size(), (frame - 1) * burst_ + i);
        values_[attribute_].setData(payload_.data(), payload_.size());
        rti_->updateAttributeValues(instance_, values_, tag_);
      }
      awaitThat([&] { return counter_.reached() >= frame * burst_; }, "the partner's frame");
      if (frame == warmUp_) start = nowNanoseconds();
    }
    const std::uint64_t end = nowNanoseconds();
    const std::uint64_t sent = (warmUp_ + frames_) * burst_;
    std::printf("callbacks %llu\nlost %llu\nstart %llu\nend %llu\n",
                static_cast<unsigned long long>(frames_ * burst_),
                static_cast<unsigned long long>(counter_.missing(sent)),
                static_cast<unsigned long long>(start), static_cast<unsigned long long>(end));
    part();
  }

  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap& values,
                              const VariableLengthData&, OrderType, TransportationType,
                              SupplementalReflectInfo) TUTTI_BENCH_THROWS override {
    const auto value = values.find(theirAttribute_);
    if (value == values.end()) return;
    counter_.hear(value->second.data(), value->second.size(), payload_.size());
  }

 private:
  bool first_;
  std::uint64_t burst_;
  std::uint64_t frames_;
  std::uint64_t warmUp_;
  std::vector<unsigned char> payload_;
  AttributeHandleValueMap values_;
  VariableLengthData tag_;
  Counter counter_;
};

}  // namespace

int main(int count, char** values) {
  return runMain("bench-busy", count, values, [](const Options& options) {
    Busy(options, options.text("role", "first") == "first").run();
  });
}
