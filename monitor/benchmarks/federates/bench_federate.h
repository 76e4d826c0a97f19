// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <RTI/NullFederateAmbassador.h>
#include <RTI/RTI1516.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

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
        name_(wide(options.text("name", options.text("role", "first")))),
        pair_(static_cast<int>(options.number("pair", -1))),
        members_(static_cast<int>(options.number("members", 2))),
        peers_(static_cast<int>(options.number("receivers", 1))),
        seconds_(options.real("patience", 20.0)),
        leads_(options.text("role", "first") != "second" && pair_ <= 0 &&
               options.number("part", 0) == 0),
        waits_(options.text("evoke", "poll") == "wait") {
    pinTo(options.number("cpu", -1));
  }
  BenchFederate(const BenchFederate&) = delete;
  BenchFederate& operator=(const BenchFederate&) = delete;

  /// Connects and joins.
  void enter() {
    rti1516e::RTIambassadorFactory factory;
    rti_.reset(factory.createRTIambassador().release());
    rti_->connect(*this, rti1516e::HLA_EVOKED, designator_);
    join();
  }

  /// Joins, and returns when the other one's instance is discovered: from then on each hears what
  /// the other sends. With `--pair K` both use a class of their own, so that other pairs of the
  /// federation execution are not heard. With `--receivers N` the first waits for N others.
  void meet(bool first) {
    using namespace rti1516e;
    met_ = 0;
    gone_ = false;
    enter();
    std::wstring ping = L"HLAobjectRoot.Ping";
    std::wstring pong = L"HLAobjectRoot.Pong";
    std::wstring payload = payloadName_;
    std::wstring reliable = L"payload";
    if (pair_ >= 0) {
      const std::wstring number = std::to_wstring(pair_ % 32 + 1);
      ping = L"HLAobjectRoot.S" + number;
      pong = L"HLAobjectRoot.R" + number;
      payload = reliable = L"A" + std::to_wstring(pair_ / 32 % 32 + 1);
    }
    const ObjectClassHandle mine = rti_->getObjectClassHandle(first ? ping : pong);
    theirClass_ = rti_->getObjectClassHandle(first ? pong : ping);
    attribute_ = rti_->getAttributeHandle(mine, payload);
    theirAttribute_ = rti_->getAttributeHandle(theirClass_, payload);
    reliable_ = rti_->getAttributeHandle(mine, reliable);
    AttributeHandleSet attributes;
    attributes.insert(theirAttribute_);
    attributes.insert(rti_->getAttributeHandle(theirClass_, reliable));
    rti_->subscribeObjectClassAttributes(theirClass_, attributes);
    attributes.clear();
    attributes.insert(attribute_);
    attributes.insert(reliable_);
    rti_->publishObjectClassAttributes(mine, attributes);
    instance_ = rti_->registerObjectInstance(mine);
    const int wanted = first ? peers_ : 1;
    awaitThat([&] { return met_ >= wanted; }, "the other federate");
  }

  /// Returns when all federates of all pairs are there and ready, at about the same time in each.
  void gather() {
    using namespace rti1516e;
    if (pair_ < 0) return;
    hereClass_ = rti_->getObjectClassHandle(L"HLAobjectRoot.Here");
    AttributeHandleSet attributes;
    attributes.insert(rti_->getAttributeHandle(hereClass_, L"name"));
    if (leads_) {
      rti_->subscribeObjectClassAttributes(hereClass_, attributes);
      awaitThat([this] { return here_ == members_ - 1; }, "the other pairs");
    } else {
      rti_->publishObjectClassAttributes(hereClass_, attributes);
      rti_->registerObjectInstance(hereClass_);
    }
    synchronize();
  }

  /// Returns when all joined federates are here.
  void synchronize() {
    if (leads_) {
      rti_->registerFederationSynchronizationPoint(label_, rti1516e::VariableLengthData());
    }
    awaitThat([this] { return announced_; }, "the synchronization point");
    rti_->synchronizationPointAchieved(label_);
    awaitThat([this] { return synchronized_; }, "the other federates to synchronize");
  }

  /// What it joins as, instead of --name.
  void setName(const std::wstring& name) { name_ = name; }
  /// The name of the federation execution that is met in next.
  void setFederation(const std::wstring& name) { federation_ = name; }
  const std::wstring& federation() const { return federation_; }

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
  virtual void turn() {
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

  void discoverObjectInstance(rti1516e::ObjectInstanceHandle, rti1516e::ObjectClassHandle of,
                              const std::wstring&) TUTTI_BENCH_THROWS override {
    discovered(of);
  }
  void discoverObjectInstance(rti1516e::ObjectInstanceHandle, rti1516e::ObjectClassHandle of,
                              const std::wstring&,
                              rti1516e::FederateHandle) TUTTI_BENCH_THROWS override {
    discovered(of);
  }
  void announceSynchronizationPoint(const std::wstring& label, const rti1516e::VariableLengthData&)
      TUTTI_BENCH_THROWS override {
    if (label == label_) announced_ = true;
  }
  void federationSynchronized(const std::wstring& label,
                              const rti1516e::FederateHandleSet&) TUTTI_BENCH_THROWS override {
    if (label == label_) synchronized_ = true;
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
  /// The first of all creates the federation execution; the others wait for it, so that only one
  /// reads the module.
  void join() {
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds_);
    for (;;) {
      try {
        if (leads_) rti_->createFederationExecution(federation_, module_, L"HLAfloat64Time");
      } catch (const rti1516e::FederationExecutionAlreadyExists&) {
      }
      try {
        rti_->joinFederationExecution(name_, L"benchmark", federation_);
        return;
      } catch (const rti1516e::FederationExecutionDoesNotExist&) {
        if (std::chrono::steady_clock::now() > deadline) throw;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    }
  }

  void discovered(rti1516e::ObjectClassHandle of) {
    if (of == theirClass_) ++met_;
    if (of == hereClass_) ++here_;
  }

  std::wstring federation_;
  std::wstring module_;
  std::wstring designator_;
  std::wstring payloadName_;
  std::wstring name_;
  int pair_;
  int members_;
  int peers_;
  double seconds_;
  bool leads_;
  bool waits_;
  const std::wstring label_ = L"go";
  rti1516e::ObjectClassHandle theirClass_;
  rti1516e::ObjectClassHandle hereClass_;
  int met_ = 0;
  int here_ = 0;
  bool announced_ = false;
  bool synchronized_ = false;
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
