// SPDX-License-Identifier: GPL-3.0-or-later
// Two federates of one process, driven by turns: the same work every time, for tools that count
// instructions (scripts/instruction-counts).
//   --what update   an update of one attribute, reflected
//   --what advance  a time advance request of each, granted
#include <RTI/time/HLAfloat64Interval.h>
#include <RTI/time/HLAfloat64Time.h>

#include "bench_federate.h"

namespace {

using namespace tutti::bench;
using namespace rti1516e;

class Player : public BenchFederate {
 public:
  Player(const Options& options, const wchar_t* name) : BenchFederate(options) { setName(name); }

  void take(const Options& options) {
    enter();
    objectClass_ = rti_->getObjectClassHandle(L"HLAobjectRoot.Ping");
    attribute_ = rti_->getAttributeHandle(objectClass_, L"payload");
    const auto payload = makePayload(static_cast<std::size_t>(options.number("size", 128)), 1);
    attributes_[attribute_] = VariableLengthData(payload.data(), payload.size());
  }
  void send() {
    AttributeHandleSet set;
    set.insert(attribute_);
    rti_->publishObjectClassAttributes(objectClass_, set);
    own_ = rti_->registerObjectInstance(objectClass_);
  }
  void hear() {
    AttributeHandleSet set;
    set.insert(attribute_);
    rti_->subscribeObjectClassAttributes(objectClass_, set);
  }
  void manageTime() {
    rti_->enableTimeRegulation(HLAfloat64Interval(1.0));
    rti_->enableTimeConstrained();
  }
  void update() { rti_->updateAttributeValues(own_, attributes_, tag_); }
  void request() {
    time_.setTime(time_.getTime() + 1.0);
    rti_->timeAdvanceRequest(time_);
  }
  void evoke() { rti_->evokeMultipleCallbacks(0.0, 0.0); }
  void leave() { part(); }

  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle, const std::wstring&,
                              FederateHandle) TUTTI_BENCH_THROWS override {
    ++events;
  }
  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle,
                              const std::wstring&) TUTTI_BENCH_THROWS override {
    ++events;
  }
  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap&,
                              const VariableLengthData&, OrderType, TransportationType,
                              SupplementalReflectInfo) TUTTI_BENCH_THROWS override {
    ++events;
  }
  void timeRegulationEnabled(const LogicalTime&) TUTTI_BENCH_THROWS override { ++events; }
  void timeConstrainedEnabled(const LogicalTime&) TUTTI_BENCH_THROWS override { ++events; }
  void timeAdvanceGrant(const LogicalTime&) TUTTI_BENCH_THROWS override { ++events; }

  unsigned long long events = 0;

 private:
  ObjectClassHandle objectClass_;
  ObjectInstanceHandle own_;
  AttributeHandleValueMap attributes_;
  VariableLengthData tag_;
  HLAfloat64Time time_;
};

}  // namespace

int main(int count, char** values) {
  return runMain("bench-turns", count, values, [](const Options& options) {
    const std::string what = options.text("what", "update");
    const auto rounds = static_cast<std::uint64_t>(options.number("count", 1000));
    Player a(options, L"first"), b(options, L"second");
    a.take(options);
    b.take(options);
    const auto until = [&](auto done, const char* awaited) {
      for (int i = 0; i < 1'000'000; ++i) {
        if (done()) return;
        a.evoke();
        b.evoke();
      }
      throw std::runtime_error(std::string("waited in vain for ") + awaited);
    };
    a.send();
    b.hear();
    until([&] { return b.events == 1; }, "the instance");
    if (what == "advance") {
      for (Player* one : {&a, &b}) one->manageTime();
      until([&] { return a.events == 2 && b.events == 3; }, "time management");
    }
    for (std::uint64_t i = 0; i < rounds; ++i) {
      const unsigned long long wanted = b.events + 1;
      if (what == "update") {
        a.update();
      } else if (what == "advance") {
        a.request();
        b.request();
        a.evoke();
      } else {
        throw std::runtime_error("unknown --what '" + what + "'; there are update, advance");
      }
      b.evoke();
      if (b.events != wanted) {
        until([&] { return b.events == wanted; }, "what the other one did");
      }
    }
    b.leave();
    a.leave();
    std::printf("rounds %llu\n", static_cast<unsigned long long>(rounds));
  });
}
