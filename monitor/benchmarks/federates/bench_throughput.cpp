// SPDX-License-Identifier: GPL-3.0-or-later
// The first federate updates its instance as fast as it can; the second counts what arrives, in
// order and complete by the sequence numbers, and says so. Time is taken at the receiver, from the
// first update that arrives to the last.
#include "bench_federate.h"

namespace {

using namespace tutti::bench;
using namespace rti1516e;

class Stream : public BenchFederate {
 public:
  Stream(const Options& options, bool first)
      : BenchFederate(options),
        first_(first),
        count_(static_cast<std::uint64_t>(options.number("count", 200'000))),
        payload_(makePayload(static_cast<std::size_t>(options.number("size", 128)),
                             static_cast<std::uint64_t>(options.number("seed", 1)))) {}

  void run() {
    meet(first_);
    if (first_) {
      sendAll();
    } else {
      receiveAll();
    }
    part();
  }

  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap& values,
                              const VariableLengthData&, OrderType, TransportationType,
                              SupplementalReflectInfo) override {
    const auto value = values.find(theirAttribute_);
    if (value == values.end()) return;
    if (heard_ == 0) start_ = nowNanoseconds();
    ++heard_;
    const std::uint64_t number = readSequence(value->second.data(), value->second.size());
    if (number != truncated(heard_ + skipped_, value->second.size())) {
      // Count what is missing; with short payloads numbers wrap, and each gap counts once.
      const std::uint64_t expected = heard_ + skipped_;
      if (value->second.size() >= 8 && number > expected) {
        skipped_ += number - expected;
      } else {
        ++disordered_;
      }
    }
    if (value->second.size() != payload_.size()) ++disordered_;
    if (heard_ + skipped_ >= count_) end_ = nowNanoseconds();
  }

 private:
  void sendAll() {
    AttributeHandleValueMap values;
    const VariableLengthData tag;
    VariableLengthData& value = values[attribute_];
    const std::uint64_t start = nowNanoseconds();
    for (std::uint64_t i = 1; i <= count_; ++i) {
      writeSequence(payload_.data(), payload_.size(), i);
      value.setData(payload_.data(), payload_.size());
      rti_->updateAttributeValues(instance_, values, tag);
    }
    const std::uint64_t end = nowNanoseconds();
    // The receiver's one update says that it has everything.
    awaitThat([this] { return heard_ > 0; }, "the receiver to have everything");
    std::printf("sent %llu\n", static_cast<unsigned long long>(count_));
    std::printf("sendnanoseconds %llu\n", static_cast<unsigned long long>(end - start));
  }

  void receiveAll() {
    awaitThat([this] { return end_ != 0; }, "the rest of the updates");
    std::printf("received %llu\n", static_cast<unsigned long long>(heard_));
    std::printf("lost %llu\n", static_cast<unsigned long long>(skipped_ + disordered_));
    // The first update started the clock: what came in that time is one less.
    std::printf("intervals %llu\n", static_cast<unsigned long long>(heard_ - 1));
    std::printf("receivenanoseconds %llu\n", static_cast<unsigned long long>(end_ - start_));
    AttributeHandleValueMap values;
    values[attribute_] = VariableLengthData(payload_.data(), payload_.size());
    rti_->updateAttributeValues(instance_, values, VariableLengthData());
  }

  bool first_;
  std::uint64_t count_;
  std::vector<unsigned char> payload_;
  std::uint64_t heard_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t disordered_ = 0;
  std::uint64_t start_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace

int main(int count, char** values) {
  return runMain("bench-throughput", count, values, [](const Options& options) {
    Stream(options, options.text("role", "first") == "first").run();
  });
}
