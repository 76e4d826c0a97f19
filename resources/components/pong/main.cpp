// SPDX-License-Identifier: Apache-2.0
// pong: answers every Ping with a Pong of the same content, until the last one.
#include <memory>
#include <string>

#include "common/federate.h"
#include "common/ping_pong.h"

namespace samples {

namespace {

class Pong : public Federate {
 public:
  explicit Pong(Options& options) : Federate(options, "pong") {}

  void run() override {
    ping_.resolve(rti(), L"Ping");
    pong_.resolve(rti(), L"Pong");
    rti().publishInteractionClass(pong_.handle());
    rti().subscribeInteractionClass(ping_.handle());
    ready();
    while (!done_) evoke(0.1);
  }

  std::string summary() const override { return std::to_string(answers_) + " answers."; }

 protected:
  void received(rti1516e::InteractionClassHandle, const rti1516e::ParameterHandleValueMap& values,
                double) override {
    const bool last = ping_.isLast(values);
    rti().sendInteraction(pong_.handle(),
                          pong_.encode(ping_.sequence(values), last, ping_.payload(values)),
                          rti1516e::VariableLengthData());
    ++answers_;
    done_ = last;
  }

 private:
  BallClass ping_;
  BallClass pong_;
  bool done_ = false;
  unsigned long long answers_ = 0;
};

}  // namespace

}  // namespace samples

int main(int argc, char** argv) {
  return samples::drive(argc, argv, "", [](samples::Options& options) {
    return std::make_unique<samples::Pong>(options);
  });
}
