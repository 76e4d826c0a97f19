// SPDX-License-Identifier: GPL-3.0-or-later
// Round trip of an attribute update: the first federate updates its instance, the second reflects
// it and answers with an update. Prints each round trip in nanoseconds.
//   --ack BYTES    the answer has so many bytes; else it has as many as the update
//   --one-way 1    the second federate prints the time from a stamp in the payload to its callback;
//                  the stamp is CLOCK_MONOTONIC, so both must be on one host
//   --fresh 1      each measured round trip has a federation execution of its own
//   --transport reliable|best-effort
#include "bench_federate.h"

namespace {

using namespace tutti::bench;
using namespace rti1516e;

class Player : public BenchFederate {
 public:
  Player(const Options& options, bool first)
      : BenchFederate(options),
        first_(first),
        oneWay_(options.number("one-way", 0) != 0),
        fresh_(options.number("fresh", 0) != 0),
        mayLose_(options.text("transport", "reliable") == "best-effort"),
        rounds_(static_cast<std::uint64_t>(options.number("count", 10'000))),
        warmUp_(static_cast<std::uint64_t>(options.number("warmup", 1'000))),
        size_(static_cast<std::size_t>(options.number("size", 128))),
        answerSize_(static_cast<std::size_t>(options.number("ack", static_cast<long long>(size_)))),
        payload_(makePayload(first ? size_ : answerSize_,
                             static_cast<std::uint64_t>(options.number("seed", 1)))) {
    samples_.reserve(rounds_);
  }

  void play() {
    if (!fresh_) {
      playOnce(rounds_);
    } else {
      const std::wstring name = federation();
      for (std::uint64_t i = 1; i <= rounds_; ++i) {
        setFederation(name + L"-" + std::to_wstring(i));
        playOnce(1);
      }
    }
    std::printf("lost %llu\n", static_cast<unsigned long long>(wrong_));
    if (!samples_.empty()) printSamples("nanoseconds", samples_);
  }

  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap& values,
                              const VariableLengthData&, OrderType, TransportationType,
                              SupplementalReflectInfo) TUTTI_BENCH_THROWS override {
    const auto value = values.find(theirAttribute_);
    if (value == values.end()) return;
    const void* const bytes = value->second.data();
    heardSize_ = value->second.size();
    last_ = readSequence(bytes, heardSize_);
    ++heard_;
    if (first_) return;
    if (oneWay_ && heard_ > warmUp_) {
      samples_.push_back(nowNanoseconds() - readStamp(bytes, heardSize_));
    }
    if (heardSize_ != size_) ++wrong_;
    send(last_, 0);
  }

 private:
  void send(std::uint64_t number, std::uint64_t stamp) {
    writeSequence(payload_.data(), payload_.size(), number);
    if (stamp != 0) writeStamp(payload_.data(), payload_.size(), stamp);
    values_[attribute_].setData(payload_.data(), payload_.size());
    rti_->updateAttributeValues(instance_, values_, tag_);
  }

  void playOnce(std::uint64_t rounds) {
    heard_ = 0;
    meet(first_);
    gather();
    values_.clear();
    values_[attribute_] = VariableLengthData(payload_.data(), payload_.size());
    if (first_) {
      measure(rounds);
    } else {
      answer(rounds);
    }
    part();
  }

  void measure(std::uint64_t rounds) {
    for (std::uint64_t round = 1; round <= warmUp_ + rounds; ++round) {
      const std::uint64_t expected = truncated(round, answerSize_);
      const std::uint64_t before = heard_;
      const std::uint64_t start = nowNanoseconds();
      send(round, oneWay_ ? start : 0);
      const auto answered = [&] { return heard_ != before && last_ == expected; };
      if (!mayLose_) {
        awaitThat([&] { return heard_ != before; }, "the answer to an update");
      } else if (!awaitFor(answered, 0.5)) {
        // Best effort: either way may have lost it.
        ++wrong_;
        continue;
      }
      const std::uint64_t end = nowNanoseconds();
      if (last_ != expected || heardSize_ != answerSize_) ++wrong_;
      if (round > warmUp_ && !oneWay_) samples_.push_back(end - start);
    }
  }

  void answer(std::uint64_t rounds) {
    // When an update was lost fewer come than were sent: the first then leaves.
    const std::uint64_t last = warmUp_ + rounds;
    while (heard_ != last && !gone_) {
      const std::uint64_t before = heard_;
      awaitThat([&] { return heard_ != before || gone_; }, "the next update");
    }
  }

  bool first_;
  bool oneWay_;
  bool fresh_;
  bool mayLose_;
  std::uint64_t rounds_;
  std::uint64_t warmUp_;
  std::size_t size_;
  std::size_t answerSize_;
  std::vector<unsigned char> payload_;
  std::vector<std::uint64_t> samples_;
  AttributeHandleValueMap values_;
  VariableLengthData tag_;
  std::uint64_t heard_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t wrong_ = 0;
  std::size_t heardSize_ = 0;
};

}  // namespace

int main(int count, char** values) {
  return runMain("bench-latency", count, values, [](const Options& options) {
    Player(options, options.text("role", "first") == "first").play();
  });
}
