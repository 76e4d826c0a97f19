// SPDX-License-Identifier: Apache-2.0
// ping: sends a message, waits for the answer, and prints how long the round trips took.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "common/federate.h"
#include "common/ping_pong.h"

namespace samples {

namespace {

constexpr int kGreeting = -1;            // sequence number of the messages that look for pong
constexpr double kGreetingPeriod = 0.2;  // s
constexpr double kPatience = 10.0;       // s without an answer in mid-game
constexpr double kSearch = 60.0;         // s until pong has to be there

using Clock = std::chrono::steady_clock;

double since(Clock::time_point moment) {
  return std::chrono::duration<double>(Clock::now() - moment).count();
}

class Ping : public Federate {
 public:
  explicit Ping(Options& options) : Federate(options, "ping") {
    size_ = static_cast<std::size_t>(options.integer("size", 128, 0, 16777216));
    count_ = static_cast<int>(options.integer("count", 1000, 1, 100000000));
  }

  void run() override {
    ping_.resolve(rti(), L"Ping");
    pong_.resolve(rti(), L"Pong");
    rti().publishInteractionClass(ping_.handle());
    rti().subscribeInteractionClass(pong_.handle());
    payload_ = BallClass::makePayload(size_);
    find();
    ready();
    roundTrips_.reserve(static_cast<std::size_t>(count_));
    for (int i = 0; i < count_; ++i) {
      const auto sent = Clock::now();
      send(i, i + 1 == count_);
      while (answered_ != i) {
        evoke(0.1);
        if (answered_ != i && since(sent) > kPatience)
          throw std::runtime_error("pong has not answered for 10 s");
      }
      roundTrips_.push_back(since(sent) * 1e6);
    }
  }

  std::string summary() const override {
    if (roundTrips_.empty()) return "No round trip.";
    std::vector<double> sorted = roundTrips_;
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double share) {
      return sorted[std::min(sorted.size() - 1,
                             static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
    };
    const double mean =
        std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << sorted.size() << " round trips of " << size_
         << " B: median " << at(0.5) << " us, mean " << mean << " us, p99 " << at(0.99)
         << " us, least " << sorted.front() << " us, most " << sorted.back() << " us.";
    return text.str();
  }

 protected:
  void received(rti1516e::InteractionClassHandle, const rti1516e::ParameterHandleValueMap& values,
                double) override {
    answered_ = pong_.sequence(values);
    found_ = true;
    const auto payload = pong_.payload(values);
    if (payload.size() != payload_.size() ||
        std::memcmp(payload.data(), payload_.data(), payload.size()) != 0)
      ++damaged_;
    if (damaged_ > 0) throw rti1516e::FederateInternalError(L"the answer is not what was sent");
  }

 private:
  void send(int sequence, bool last) {
    rti().sendInteraction(ping_.handle(), ping_.encode(sequence, last, payload_),
                          rti1516e::VariableLengthData());
  }

  /// What is sent before pong subscribes reaches nobody, so a greeting is repeated until it is
  /// answered.
  void find() {
    const auto begin = Clock::now();
    while (!found_) {
      if (since(begin) > kSearch) throw std::runtime_error("no pong has answered for 60 s");
      send(kGreeting, false);
      for (const auto sent = Clock::now(); !found_ && since(sent) < kGreetingPeriod;) evoke(0.05);
    }
  }

  std::size_t size_ = 128;
  int count_ = 1000;
  BallClass ping_;
  BallClass pong_;
  rti1516e::VariableLengthData payload_;
  bool found_ = false;
  int answered_ = kGreeting - 1;
  int damaged_ = 0;
  std::vector<double> roundTrips_;  // us
};

}  // namespace

}  // namespace samples

int main(int argc, char** argv) {
  return samples::drive(
      argc, argv, "\n  [--size 128 (B)] [--count 1000]",
      [](samples::Options& options) { return std::make_unique<samples::Ping>(options); });
}
