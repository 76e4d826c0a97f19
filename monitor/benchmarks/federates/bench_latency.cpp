// SPDX-License-Identifier: GPL-3.0-or-later
// Round trip of an attribute update: the first federate updates its instance, the second reflects
// it and answers with an update of the same bytes. Prints each round trip in nanoseconds.
#include "bench_federate.h"

namespace {

using namespace tutti::bench;
using namespace rti1516e;

class Player : public BenchFederate {
 public:
  Player(const Options& options, bool first)
      : BenchFederate(options),
        first_(first),
        rounds_(static_cast<std::uint64_t>(options.number("count", 10'000))),
        warmUp_(static_cast<std::uint64_t>(options.number("warmup", 1'000))),
        payload_(makePayload(static_cast<std::size_t>(options.number("size", 128)),
                             static_cast<std::uint64_t>(options.number("seed", 1)))) {}

  void play() {
    meet(first_);
    values_[attribute_] = VariableLengthData(payload_.data(), payload_.size());
    if (first_) {
      measure();
    } else {
      awaitThat([this] { return heard_ == rounds_ + warmUp_; }, "the next update");
    }
    part();
  }

  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap& values,
                              const VariableLengthData&, OrderType, TransportationType,
                              SupplementalReflectInfo) override {
    const auto value = values.find(theirAttribute_);
    if (value == values.end()) return;
    last_ = readSequence(value->second.data(), value->second.size());
    size_ = value->second.size();
    ++heard_;
    if (!first_) send(last_);
  }

 private:
  void send(std::uint64_t number) {
    writeSequence(payload_.data(), payload_.size(), number);
    values_[attribute_].setData(payload_.data(), payload_.size());
    rti_->updateAttributeValues(instance_, values_, tag_);
  }

  void measure() {
    std::vector<std::uint64_t> samples;
    samples.reserve(rounds_);
    std::uint64_t wrong = 0;
    for (std::uint64_t round = 1; round <= warmUp_ + rounds_; ++round) {
      const std::uint64_t start = nowNanoseconds();
      send(round);
      awaitThat([this, round] { return heard_ == round; }, "the answer to an update");
      const std::uint64_t end = nowNanoseconds();
      if (last_ != truncated(round, payload_.size()) || size_ != payload_.size()) ++wrong;
      if (round > warmUp_) samples.push_back(end - start);
    }
    std::printf("lost %llu\n", static_cast<unsigned long long>(wrong));
    printSamples("nanoseconds", samples);
  }

  bool first_;
  std::uint64_t rounds_;
  std::uint64_t warmUp_;
  std::vector<unsigned char> payload_;
  AttributeHandleValueMap values_;
  VariableLengthData tag_;
  std::uint64_t heard_ = 0;
  std::uint64_t last_ = 0;
  std::size_t size_ = 0;
};

}  // namespace

int main(int count, char** values) {
  return runMain("bench-latency", count, values, [](const Options& options) {
    Player(options, options.text("role", "first") == "first").play();
  });
}
