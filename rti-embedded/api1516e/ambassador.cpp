// SPDX-License-Identifier: Apache-2.0
// Connection, federation executions, evoking. Services: ambassador_services.cpp; callbacks:
// ambassador_callbacks.cpp.
#include "api1516e/ambassador.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include "api1516e/ambassador_service.h"
#include "api1516e/make_ambassador.h"
#include "api1516e/text.h"
#include "api1516e/time_factories.h"

namespace tutti::api1516e {
namespace {

using core::Fault;
using Clock = core::Federate::Clock;

/// The path that a designator means: itself, or that of a file: URL (RFC 8089).
std::string pathOf(const std::string& designator) {
  std::size_t start = 0;
  for (const std::string_view prefix : {"file://localhost", "file://", "file:"}) {
    const bool isHost = prefix.ends_with('t');
    if (!designator.starts_with(prefix) || (isHost && designator[prefix.size()] != '/')) continue;
    start = prefix.size();
    break;
  }
  if (start == 0) return designator;
  std::string path;
  for (std::size_t i = start; i < designator.size(); ++i) {
    unsigned code = 0;
    const char* const digits = designator.data() + i + 1;
    const bool isEncoded = designator[i] == '%' && designator.size() - i > 2 &&
                           std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
    path += isEncoded ? static_cast<char>(code) : designator[i];
    if (isEncoded) i += 2;
  }
  return path;
}

/// Reads a module as the caller's process sees it: its directory, its rights. A designator may be a
/// path or a file: URL.
fabric::ModuleBytes readModule(const std::wstring& designator, Fault cannotOpen) {
  fabric::ModuleBytes module;
  module.name = toUtf8(designator);
  std::FILE* file = std::fopen(pathOf(module.name).c_str(), "rb");
  if (file == nullptr) {
    core::fail(cannotOpen, "The object model module '" + module.name +
                               "' cannot be opened: " + std::strerror(errno) + ".");
  }
  std::byte buffer[65536];
  std::size_t count = 0;
  while ((count = std::fread(buffer, 1, sizeof buffer, file)) != 0) {
    module.content.insert(module.content.end(), buffer, buffer + count);
  }
  const bool failed = std::ferror(file) != 0;
  const int why = errno;
  std::fclose(file);
  if (failed) {
    core::fail(cannotOpen, "The object model module '" + module.name +
                               "' cannot be read: " + std::strerror(why) + ".");
  }
  return module;
}

Clock::duration seconds(double value) {
  // What is no number means no time.
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(value > 0.0 ? std::min(value, 1.0e9) : 0.0));
}

}  // namespace

std::unique_ptr<rti1516e::RTIambassador> makeAmbassador() { return std::make_unique<Ambassador>(); }

Ambassador::Ambassador() : federate_(*this) { addForkListener(*this); }

Ambassador::~Ambassador() {
  removeForkListener(*this);
  stopThread();
}

void Ambassador::forked() noexcept {
  federate_.closeInherited();
  renew(federate_, static_cast<core::Callbacks&>(*this));
  federate_.noteForked();
  renew(mutex_);
  renew(callbacksChanged_);
  renew(evokingEnded_);
  evokersWaiting_ = 0;
  renew(thread_);
  renew(values_);
  renew(faults_);
  ownTime_ = nullptr;
  renew(ownTimes_);
  stopping_ = true;  // should this be a callback in the delivering thread
  if (inCallback_.load() == std::this_thread::get_id()) return;  // it goes on in the child
  inCallback_ = std::thread::id();
  evoking_ = false;
  renew(attributeMap_);
  renew(parameterMap_);
  renew(handleValues_);
  renew(tag_);
}

void Ambassador::refuseInCallback(const char* what) const {
  if (inCallback_.load() == std::this_thread::get_id()) {
    throw rti1516e::CallNotAllowedFromWithinCallback(
        fromUtf8(std::string(what) + " was called from within a callback."));
  }
}

void Ambassador::connect(rti1516e::FederateAmbassador& federateAmbassador,
                         rti1516e::CallbackModel theCallbackModel,
                         const std::wstring& localSettingsDesignator) {
  refuseInCallback("connect");
  service(given(theCallbackModel, localSettingsDesignator), [&] {
    federate_.requireNotConnected();
    if (theCallbackModel != rti1516e::HLA_IMMEDIATE && theCallbackModel != rti1516e::HLA_EVOKED) {
      throw rti1516e::UnsupportedCallbackModel(
          L"The callback model is HLA_IMMEDIATE or HLA_EVOKED.");
    }
    federate_.connect(toUtf8(localSettingsDesignator));
  });
  stopThread();
  target_ = &federateAmbassador;
  model_ = theCallbackModel;
  callbacksEnabled_ = true;
  stopping_ = false;
  if (model_ == rti1516e::HLA_IMMEDIATE) thread_ = std::thread([this] { deliverByThread(); });
}

void Ambassador::disconnect() {
  refuseInCallback("disconnect");
  try {
    service([&] { federate_.disconnect(); });
  } catch (const rti1516e::NotConnected&) {
    // Not in this service's list of exceptions: there is nothing left to be done.
  }
  stopThread();
}

void Ambassador::stopThread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    federate_.interruptWait();
  }
  callbacksChanged_.notify_all();
  thread_.join();
}

/// This thread is the one that delivers callbacks, from now on until the end. Both under the lock.
class Ambassador::Evoking {
 public:
  Evoking(Ambassador& ambassador, core::Federate::Lock& lock)
      : ambassador_(ambassador), lock_(lock) {
    while (ambassador_.evoking_) {
      ++ambassador_.evokersWaiting_;
      ambassador_.evokingEnded_.wait(lock_);
      --ambassador_.evokersWaiting_;
    }
    ambassador_.evoking_ = true;
  }
  ~Evoking() {
    if (!lock_.owns_lock()) lock_.lock();
    ambassador_.evoking_ = false;
    if (ambassador_.evokersWaiting_ != 0) ambassador_.evokingEnded_.notify_one();
  }

 private:
  Ambassador& ambassador_;
  core::Federate::Lock& lock_;
};

/// How long the delivering thread waits before it tries again what has just failed: not at all the
/// first time, then longer and longer while it fails in the same way.
class Ambassador::RetryDelay {
 public:
  static constexpr Clock::duration longest = std::chrono::seconds(1);
  Clock::duration after(const std::string& fault) {
    using namespace std::chrono_literals;
    delay_ = fault != fault_ ? Clock::duration(0) : std::clamp<Clock::duration>(2 * delay_, 10ms, longest);
    fault_ = fault;
    return delay_;
  }
  void delivered() { fault_.clear(); }

 private:
  std::string fault_;
  Clock::duration delay_{};
};

void Ambassador::deliveryFailed(core::Federate::Lock& lock, RetryDelay& delay,
                                std::string_view type, std::string_view text) {
  if (!lock.owns_lock()) lock.lock();
  Clock::duration pause = RetryDelay::longest;
  try {
    pause = delay.after(std::string(type).append(text));
    tellFault({}, std::string(type), std::string(text));
  } catch (const std::exception&) {
    // The connection is lost, which the next round tells of, or there is no memory.
  }
  if (pause > pause.zero()) callbacksChanged_.wait_for(lock, pause, [this] { return stopping_; });
}

void Ambassador::deliverByThread() {
  core::Federate::Lock lock(mutex_);
  const Evoking evoking(*this, lock);
  RetryDelay delay;
  while (!stopping_) {
    if (!callbacksEnabled_) {
      callbacksChanged_.wait(lock);
      continue;
    }
    try {
      if (!federate_.deliverOne(lock) && !stopping_) {
        federate_.wait(lock, Clock::now() + std::chrono::milliseconds(100));
      }
      delay.delivered();
    } catch (const core::ServiceFault& fault) {
      deliveryFailed(lock, delay, core::nameOf(fault.fault), fault.text);
    } catch (const std::exception& failure) {
      deliveryFailed(lock, delay, "RTIinternalError", failure.what());
    }
  }
}

template <class Deliver>
bool Ambassador::evoke(double leastSeconds, Deliver&& deliver) {
  return service([&](core::Federate::Lock& lock) {
    if (model_ == rti1516e::HLA_IMMEDIATE) {
      // Callbacks come by themselves: a loop that evokes them has only to pass its time.
      lock.unlock();
      if (leastSeconds > 0.0) std::this_thread::sleep_for(seconds(leastSeconds));
      return false;
    }
    const Evoking evoking(*this, lock);
    // A loop that evokes them has to pass its time also while they are disabled.
    if (!callbacksEnabled_ && leastSeconds > 0.0) {
      callbacksChanged_.wait_for(lock, seconds(leastSeconds), [&] { return callbacksEnabled_; });
    }
    return callbacksEnabled_ && deliver(lock);
  });
}

bool Ambassador::evokeCallback(double approximateMinimumTimeInSeconds) {
  refuseInCallback("evokeCallback");
  return evoke(approximateMinimumTimeInSeconds, [&](core::Federate::Lock& lock) {
    if (federate_.deliverOne(lock)) return federate_.hasPending();
    if (approximateMinimumTimeInSeconds <= 0.0) {
      federate_.glance(lock);
      return false;
    }
    const auto deadline = Clock::now() + seconds(approximateMinimumTimeInSeconds);
    while (Clock::now() < deadline) {
      federate_.wait(lock, deadline);
      if (federate_.deliverOne(lock)) return federate_.hasPending();
    }
    return false;
  });
}

bool Ambassador::evokeMultipleCallbacks(double approximateMinimumTimeInSeconds,
                                        double approximateMaximumTimeInSeconds) {
  refuseInCallback("evokeMultipleCallbacks");
  return evoke(approximateMinimumTimeInSeconds, [&](core::Federate::Lock& lock) {
    if (approximateMinimumTimeInSeconds <= 0.0) {
      if (!federate_.deliverOne(lock)) {
        federate_.glance(lock);
        return false;
      }
      if (approximateMaximumTimeInSeconds <= 0.0) return federate_.hasPending();
    }
    const auto start = Clock::now();
    const auto least = start + seconds(approximateMinimumTimeInSeconds);
    const auto most = start + seconds(approximateMaximumTimeInSeconds);
    for (;;) {
      while (federate_.deliverOne(lock)) {
        if (Clock::now() >= most) return federate_.hasPending();
      }
      if (Clock::now() >= least) return false;
      federate_.wait(lock, least);
    }
  });
}

void Ambassador::enableCallbacks() {
  service([&] {
    federate_.checkNoSaveNorRestore();
    callbacksEnabled_ = true;
  });
  callbacksChanged_.notify_all();
}

void Ambassador::disableCallbacks() {
  service([&] {
    federate_.checkNoSaveNorRestore();
    callbacksEnabled_ = false;
  });
}

// --- federation executions -----------------------------------------------------------------------

void Ambassador::create(const std::wstring& name, const std::vector<std::wstring>& modules,
                        const std::wstring* mim, const std::wstring& timeImplementation) {
  service(given(name, modules, timeImplementation), [&] {
    federate_.requireConnected();
    fabric::CreateFederationRequest request;
    request.federation = toUtf8(name);
    request.timeImplementation = toUtf8(timeImplementation);
    request.timeKnown = makeTimeFactory(timeImplementation) != nullptr;
    try {
      if (mim != nullptr && !mim->empty()) {  // an empty designator: the standard MIM
        if (*mim == L"HLAstandardMIM") {
          core::fail(
              Fault::DesignatorIsHLAstandardMIM,
              "'HLAstandardMIM' names the standard MIM, which is there without being named.");
        }
        request.mim.push_back(readModule(*mim, Fault::CouldNotOpenMIM));
      }
      for (const std::wstring& module : modules) {
        request.modules.push_back(readModule(module, Fault::CouldNotOpenFDD));
      }
    } catch (const core::ServiceFault&) {
      federate_.requireNoFederation(request.federation);
      throw;
    }
    federate_.createFederation(request);
  });
}

void Ambassador::createFederationExecution(const std::wstring& federationExecutionName,
                                           const std::wstring& fomModule,
                                           const std::wstring& logicalTimeImplementationName) {
  create(federationExecutionName, {fomModule}, nullptr, logicalTimeImplementationName);
}

void Ambassador::createFederationExecution(const std::wstring& federationExecutionName,
                                           const std::vector<std::wstring>& fomModules,
                                           const std::wstring& logicalTimeImplementationName) {
  create(federationExecutionName, fomModules, nullptr, logicalTimeImplementationName);
}

void Ambassador::createFederationExecutionWithMIM(
    const std::wstring& federationExecutionName, const std::vector<std::wstring>& fomModules,
    const std::wstring& mimModule, const std::wstring& logicalTimeImplementationName) {
  create(federationExecutionName, fomModules, &mimModule, logicalTimeImplementationName);
}

void Ambassador::destroyFederationExecution(const std::wstring& federationExecutionName) {
  service(given(federationExecutionName),
          [&] { federate_.destroyFederation(toUtf8(federationExecutionName)); });
}

void Ambassador::listFederationExecutions() {
  service([&] { federate_.listFederations(); });
}

bool Ambassador::countsInIntegers(const std::string& timeImplementation) {
  ownTime_ = nullptr;
  if (timeImplementation == "HLAinteger64Time") return true;
  if (timeImplementation == "HLAfloat64Time") return false;
  auto& type = ownTimes_[timeImplementation];
  if (!type) type = OwnTimeType::make(fromUtf8(timeImplementation));
  if (!type) {
    core::fail(Fault::CouldNotCreateLogicalTimeFactory,
               "No library of this process knows the logical time implementation '" +
                   timeImplementation +
                   "' of the federation execution; link the libfedtime1516e that makes it.");
  }
  ownTime_ = type.get();
  return type->integer();
}

rti1516e::FederateHandle Ambassador::join(const std::wstring& name, const std::wstring& type,
                                          const std::wstring& execution,
                                          const std::vector<std::wstring>& modules) {
  refuseInCallback("joinFederationExecution");
  return service(given(name, type, execution, modules), [&] {
    federate_.requireNotJoined();
    fabric::JoinRequest request;
    request.federateName = toUtf8(name);
    request.federateType = toUtf8(type);
    request.federation = toUtf8(execution);
    for (const std::wstring& module : modules) {
      request.modules.push_back(readModule(module, Fault::CouldNotOpenFDD));
    }
    const core::FederateNumber number = federate_.join(request);
    conveyProducer_ = federate_.model().switches().conveyProducingFederate;
    integerTime_ = federate_.timeKind().integer;
    faults_.clear();  // the node knows none of this member
    return makeHandle<rti1516e::FederateHandle>(number);
  });
}

rti1516e::FederateHandle Ambassador::joinFederationExecution(
    const std::wstring& federateType, const std::wstring& federationExecutionName,
    const std::vector<std::wstring>& additionalFomModules) {
  return join({}, federateType, federationExecutionName, additionalFomModules);
}

rti1516e::FederateHandle Ambassador::joinFederationExecution(
    const std::wstring& federateName, const std::wstring& federateType,
    const std::wstring& federationExecutionName,
    const std::vector<std::wstring>& additionalFomModules) {
  return join(federateName, federateType, federationExecutionName, additionalFomModules);
}

void Ambassador::resignFederationExecution(rti1516e::ResignAction resignAction) {
  refuseInCallback("resignFederationExecution");
  service(given(resignAction), [&] {
    federate_.requireMember();
    if (resignAction < rti1516e::UNCONDITIONALLY_DIVEST_ATTRIBUTES ||
        resignAction > rti1516e::NO_ACTION) {
      throw rti1516e::InvalidResignAction(L"There is no such resign action.");
    }
    // service() holds the lock, which the thread that waits for callbacks needs to stop.
    core::Federate::Lock lock(mutex_, std::adopt_lock);
    federate_.endWait(lock);
    lock.release();
    federate_.resign(static_cast<std::uint32_t>(resignAction));
  });
}

std::auto_ptr<rti1516e::LogicalTimeFactory> Ambassador::getTimeFactory() const {
  const std::wstring name = service([&] {
    federate_.model();  // throws when not joined
    return fromUtf8(federate_.timeImplementation());
  });
  return std::auto_ptr<rti1516e::LogicalTimeFactory>(makeTimeFactory(name).release());
}

}  // namespace tutti::api1516e
