// SPDX-License-Identifier: GPL-3.0-or-later
// The first federate updates its instance as fast as it can, in cycles; the second counts what
// arrives, in order and complete by the sequence numbers, and says so before the next cycle. Time
// is taken at the receiver, from the first update of a cycle that arrives to the last. With
// --receivers N there are N of the second kind.
#include "bench_federate.h"

namespace {

using namespace tutti::bench;
using namespace rti1516e;

class Stream : public BenchFederate {
 public:
  Stream(const Options& options, bool first)
      : BenchFederate(options),
        first_(first),
        receivers_(static_cast<int>(options.number("receivers", 1))),
        mayLose_(options.text("transport", "reliable") == "best-effort"),
        count_(static_cast<std::uint64_t>(options.number("count", 200'000))),
        cycles_(static_cast<std::uint64_t>(options.number("cycles", 1))),
        payload_(makePayload(static_cast<std::size_t>(options.number("size", 128)),
                             static_cast<std::uint64_t>(options.number("seed", 1)))) {}

  void run() {
    meet(first_);
    values_[attribute_] = VariableLengthData(payload_.data(), payload_.size());
    if (first_) {
      sendAll();
    } else {
      receiveAll();
    }
    part();
  }

  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap& values,
                              const VariableLengthData& tag, OrderType, TransportationType,
                              SupplementalReflectInfo) TUTTI_BENCH_THROWS override {
    if (tag.size() != 0) {
      ++ended_;
      return;
    }
    const auto value = values.find(theirAttribute_);
    if (value == values.end()) return;
    if (heard_ == 0) start_ = nowNanoseconds();
    counter_.hear(value->second.data(), value->second.size(), payload_.size());
    ++heard_;
    if (mayLose_ || counter_.reached() >= count_) end_ = nowNanoseconds();
  }

 private:
  void sendAll() {
    for (std::uint64_t cycle = 0; cycle < cycles_; ++cycle) {
      ended_ = 0;
      for (std::uint64_t i = 1; i <= count_; ++i) {
        writeSequence(payload_.data(), payload_.size(), i);
        values_[attribute_].setData(payload_.data(), payload_.size());
        rti_->updateAttributeValues(instance_, values_, VariableLengthData());
      }
      if (mayLose_) sayDone();
      awaitThat([this] { return ended_ == receivers_; }, "the receivers to have everything");
    }
  }

  void receiveAll() {
    std::vector<std::uint64_t> nanoseconds, intervals, lost;
    for (std::uint64_t cycle = 0; cycle < cycles_; ++cycle) {
      heard_ = end_ = 0;
      ended_ = 0;
      counter_ = Counter();
      if (mayLose_) {
        awaitThat([this] { return ended_ != 0; }, "the end of a cycle");
        // What is still under way when the sender says that it is done arrives within this time.
        for (std::uint64_t before = heard_; counter_.reached() < count_; before = heard_) {
          if (!awaitFor([&] { return heard_ != before; }, 0.1)) break;
        }
        if (heard_ == 0) end_ = start_ = nowNanoseconds();
      } else {
        while (end_ == 0) {
          const std::uint64_t before = heard_;
          awaitThat([&] { return heard_ >= before + 10'000 || end_ != 0; },
                    "the rest of the updates");
        }
      }
      // The first update started the clock: what came in that time is one less.
      intervals.push_back(heard_ == 0 ? 0 : heard_ - 1);
      nanoseconds.push_back(end_ - start_);
      lost.push_back(counter_.missing(count_));
      sayDone();
    }
    printSamples("lost", lost);
    printSamples("intervals", intervals);
    printSamples("receivenanoseconds", nanoseconds);
  }

  /// A cycle's end, told by the tag, and reliably even when the updates are best effort.
  void sayDone() {
    const char word = 'e';
    AttributeHandleValueMap end;
    end[reliable_] = VariableLengthData(payload_.data(), payload_.size());
    rti_->updateAttributeValues(instance_, end, VariableLengthData(&word, 1));
  }

  bool first_;
  int receivers_;
  bool mayLose_;
  std::uint64_t count_;
  std::uint64_t cycles_;
  std::vector<unsigned char> payload_;
  AttributeHandleValueMap values_;
  Counter counter_;
  int ended_ = 0;
  std::uint64_t heard_ = 0;
  std::uint64_t start_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace

int main(int count, char** values) {
  return runMain("bench-throughput", count, values, [](const Options& options) {
    Stream(options, options.text("role", "first") == "first").run();
  });
}
