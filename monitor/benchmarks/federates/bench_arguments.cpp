// SPDX-License-Identifier: GPL-3.0-or-later
// The second yardstick: the bare ring, and what the standard API itself demands of whoever calls
// it. The sender sets the value in its map of attributes, as a federate does; the receiver builds
// the map that a callback is given and calls through the ambassador's interface.
//   as bench-ring --mode latency
#include "bench_federate.h"
#include "ring_job.h"

namespace {

using namespace tutti::bench;
using namespace rti1516e;

class Receiver : public NullFederateAmbassador {
 public:
  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap& values,
                              const VariableLengthData&, OrderType, TransportationType,
                              SupplementalReflectInfo) TUTTI_BENCH_THROWS override {
    heard_ += values.begin()->second.size();
  }

 private:
  std::size_t heard_ = 0;
};

class ApiCarrier {
 public:
  void send(Producer& producer, const unsigned char* payload, std::size_t size) {
    VariableLengthData& value = sent_[attribute_];
    value.setData(payload, size);
    producer.put(static_cast<const unsigned char*>(value.data()), value.size());
  }
  void deliver(unsigned char* payload, std::size_t size) {
    AttributeHandleValueMap values;
    // The bytes need not be copied once more for the callback.
    values[attribute_].setDataPointer(payload, size);
    FederateAmbassador& ambassador = receiver_;
    ambassador.reflectAttributeValues(instance_, values, tag_, RECEIVE, RELIABLE,
                                      SupplementalReflectInfo());
  }

 private:
  Receiver receiver_;
  AttributeHandle attribute_;
  ObjectInstanceHandle instance_;
  AttributeHandleValueMap sent_;
  VariableLengthData tag_;
};

}  // namespace

int main(int count, char** values) {
  return runRing("bench-arguments", count, values, [](const Options& options, Job& job) {
    Team team(options, 2, 2, std::max(job.size, job.ack));
    team.run([&](int me) { latency(team, job, me, ApiCarrier()); });
  });
}
