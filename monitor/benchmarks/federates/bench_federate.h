// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <RTI/NullFederateAmbassador.h>
#include <RTI/RTI1516.h>

#include <chrono>
#include <memory>
#include <string>

#include "options.h"

/// The exception list of callbacks, for RTIs whose headers have such lists.
#ifndef TUTTI_BENCH_THROWS
#define TUTTI_BENCH_THROWS
#endif

/// One of the two federates of a benchmark: plain IEEE 1516.1-2010, nothing of Tutti in it, so that
/// it measures any RTI it is built with. Each has an object instance of its own class and
/// subscribes to the other's.
namespace tutti::bench {

inline std::wstring wide(const std::string& text) { return {text.begin(), text.end()}; }
inline std::string narrow(const std::wstring& text) {
  std::string result;
  for (const wchar_t letter : text) result += letter < 128 ? static_cast<char>(letter) : '?';
  return result;
}

class BenchFederate : public rti1516e::NullFederateAmbassador {
 public:
  explicit BenchFederate(const Options& options)
      : federation_(wide(options.text("federation", "tutti-bench"))),
        module_(wide(options.text("fom", "bench.xml"))),
        designator_(wide(options.text("rti", ""))),
        payloadName_(options.text("transport", "reliable") == "best-effort" ? L"payloadBestEffort"
                                                                            : L"payload"),
        seconds_(options.real("patience", 20.0)),
        waits_(options.text("evoke", "poll") == "wait") {
    pinTo(options.number("cpu", -1));
  }
  BenchFederate(const BenchFederate&) = delete;
  BenchFederate& operator=(const BenchFederate&) = delete;

  /// Joins, and returns when the other one's instance is discovered: from then on each hears what
  /// the other sends.
  void meet(bool first) {
    using namespace rti1516e;
    RTIambassadorFactory factory;
    rti_.reset(factory.createRTIambassador().release());
    rti_->connect(*this, HLA_EVOKED, designator_);
    try {
      rti_->createFederationExecution(federation_, module_, L"HLAfloat64Time");
    } catch (const FederationExecutionAlreadyExists&) {
    }
    rti_->joinFederationExecution(first ? L"first" : L"second", L"benchmark", federation_);
    const ObjectClassHandle mine =
        rti_->getObjectClassHandle(first ? L"HLAobjectRoot.Ping" : L"HLAobjectRoot.Pong");
    const ObjectClassHandle theirs =
        rti_->getObjectClassHandle(first ? L"HLAobjectRoot.Pong" : L"HLAobjectRoot.Ping");
    attribute_ = rti_->getAttributeHandle(mine, payloadName_);
    theirAttribute_ = rti_->getAttributeHandle(theirs, payloadName_);
    reliable_ = rti_->getAttributeHandle(mine, L"payload");
    AttributeHandleSet attributes;
    attributes.insert(theirAttribute_);
    attributes.insert(rti_->getAttributeHandle(theirs, L"payload"));
    rti_->subscribeObjectClassAttributes(theirs, attributes);
    attributes.clear();
    attributes.insert(attribute_);
    attributes.insert(reliable_);
    rti_->publishObjectClassAttributes(mine, attributes);
    instance_ = rti_->registerObjectInstance(mine);
    awaitThat([this] { return met_; }, "the other federate");
  }

  void part() {
    rti_->resignFederationExecution(rti1516e::DELETE_OBJECTS);
    try {
      rti_->destroyFederationExecution(federation_);
    } catch (const rti1516e::FederatesCurrentlyJoined&) {
    } catch (const rti1516e::FederationExecutionDoesNotExist&) {
    }
    rti_->disconnect();
  }

  /// One turn of the loop every federate has. "poll" asks and returns at once; "wait" lets the RTI
  /// wait for the next callback, as a federate does that shares its processor.
  void turn() {
    if (waits_) {
      rti_->evokeCallback(0.1);
    } else {
      rti_->evokeMultipleCallbacks(0.0, 0.0);
    }
  }

  template <class Condition>
  void awaitThat(Condition&& condition, const char* what) {
    if (!awaitFor(condition, seconds_)) {
      throw std::runtime_error(std::string("waited in vain for ") + what);
    }
  }

  /// Whether the condition became true within so many seconds.
  template <class Condition>
  bool awaitFor(Condition&& condition, double seconds) {
    if (condition()) return true;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    // A turn that waits for a callback is long; one that polls is not worth a look at the clock.
    const unsigned every = waits_ ? 1 : 256;
    for (unsigned turns = 1; !condition(); ++turns) {
      turn();
      if (connectionLost_) {
        throw std::runtime_error("the connection to the RTI was lost: " + lostWhy_);
      }
      if (turns % every == 0 && std::chrono::steady_clock::now() > deadline) return condition();
    }
    return true;
  }

  void discoverObjectInstance(rti1516e::ObjectInstanceHandle, rti1516e::ObjectClassHandle,
                              const std::wstring&) TUTTI_BENCH_THROWS override {
    met_ = true;
  }
  void discoverObjectInstance(rti1516e::ObjectInstanceHandle, rti1516e::ObjectClassHandle,
                              const std::wstring&,
                              rti1516e::FederateHandle) TUTTI_BENCH_THROWS override {
    met_ = true;
  }
  void removeObjectInstance(rti1516e::ObjectInstanceHandle, const rti1516e::VariableLengthData&,
                            rti1516e::OrderType,
                            rti1516e::SupplementalRemoveInfo) TUTTI_BENCH_THROWS override {
    gone_ = true;
  }
  void connectionLost(const std::wstring& why) TUTTI_BENCH_THROWS override {
    connectionLost_ = true;
    lostWhy_ = narrow(why);
  }

 protected:
  std::unique_ptr<rti1516e::RTIambassador> rti_;
  rti1516e::ObjectInstanceHandle instance_;
  rti1516e::AttributeHandle attribute_;  ///< of the transport that is measured
  rti1516e::AttributeHandle reliable_;
  rti1516e::AttributeHandle theirAttribute_;
  bool gone_ = false;  ///< the other's instance was removed

 private:
  std::wstring federation_;
  std::wstring module_;
  std::wstring designator_;
  std::wstring payloadName_;
  double seconds_;
  bool waits_;
  bool met_ = false;
  bool connectionLost_ = false;
  std::string lostWhy_;
};

/// Which RTI this program was built with, for the runner.
inline void printRti() {
  std::printf("rti %s\nrtiversion %s\n", narrow(rti1516e::rtiName()).c_str(),
              narrow(rti1516e::rtiVersion()).c_str());
}

/// Runs a program's body and says why when it cannot go on.
template <class Body>
int runMain(const char* program, int count, char** values, Body&& body) {
  try {
    const Options options(count, values);
    if (options.text("role", "first") == "first") printRti();
    body(options);
    return 0;
  } catch (const rti1516e::Exception& exception) {
    std::fprintf(stderr, "%s: %s\n", program, narrow(exception.what()).c_str());
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "%s: %s\n", program, exception.what());
  }
  return 1;
}

}  // namespace tutti::bench
