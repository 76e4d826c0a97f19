// SPDX-License-Identifier: Apache-2.0
#include "common/federate.h"

#include <RTI/time/HLAfloat64Interval.h>
#include <RTI/time/HLAfloat64Time.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <iostream>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "common/saved_state.h"
#include "common/text.h"

namespace samples {

namespace {

volatile std::sig_atomic_t stopRequested = 0;

void requestStop(int) { stopRequested = 1; }

/// Somebody asked the process to stop.
struct Stopped {};
/// The connection to the RTI is gone.
struct ConnectionGone {};
/// The federation execution is what it was at a save, and so is this federate.
struct Restored {};

double seconds(const rti1516e::LogicalTime& time) {
  if (const auto* known = dynamic_cast<const rti1516e::HLAfloat64Time*>(&time))
    return known->getTime();
  return rti1516e::HLAfloat64Time(time).getTime();
}

constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();
const double kPoll = 0.1;  // s; how soon a signal is noticed

}  // namespace

Federate::Federate(Options& options, const std::string& type)
    : name_(options.text("federate", type)),
      type_(type),
      federation_(options.required("federation")) {
  for (const auto& module : options.all("fom")) modules_.push_back(widen(module));
  if (modules_.empty()) throw UsageError("--fom is missing");
}

Federate::~Federate() { leave(); }

void Federate::join() {
  // auto_ptr is how the standard hands the ambassador over; it is not named so that no language
  // version minds.
  rti_.reset(rti1516e::RTIambassadorFactory().createRTIambassador().release());
  rti_->connect(*this, rti1516e::HLA_EVOKED);
  connected_ = true;
  const std::wstring federation = widen(federation_);
  // Between finding the federation execution there and joining it, its last member may leave and
  // destroy it.
  constexpr int kTries = 10;
  for (int attempt = 1;; ++attempt) {
    try {
      rti_->createFederationExecution(federation, modules_, L"HLAfloat64Time");
    } catch (const rti1516e::FederationExecutionAlreadyExists&) {
    }
    try {
      rti_->joinFederationExecution(widen(name_), widen(type_), federation, modules_);
      joined_ = true;
      return;
    } catch (const rti1516e::FederationExecutionDoesNotExist&) {
      if (attempt == kTries) throw;
    }
  }
}

void Federate::leave() noexcept {
  if (!rti_) return;
  // Each step is tried whatever became of the one before: after a lost connection they all fail,
  // and that is fine.
  try {
    if (joined_) rti_->resignFederationExecution(rti1516e::CANCEL_THEN_DELETE_THEN_DIVEST);
  } catch (...) {
  }
  joined_ = false;
  try {
    if (connected_) rti_->destroyFederationExecution(widen(federation_));
  } catch (...) {
  }
  try {
    if (connected_) rti_->disconnect();
  } catch (...) {
  }
  connected_ = false;
  rti_.reset();
}

void Federate::evokeOne(double atMost) {
  // One that the MOM made to resign (IEEE 1516.1-2010, 11.4) gets no callback about it: the next
  // service throws, so that there has to be one.
  if (!rti_->evokeCallback(atMost) && !lost_) rti_->getObjectClassHandle(L"HLAobjectRoot");
}

void Federate::evoke(double atMost) {
  evokeOne(atMost);
  if (lost_) throw ConnectionGone{};
  if (stopRequested) throw Stopped{};
  if (saveAsked_) takePartInSave();
  if (restoreAsked_) takePartInRestore();
  idle();
}

void Federate::await(const bool& flag) {
  while (flag) {
    evokeOne(kPoll);
    if (lost_) throw ConnectionGone{};
    if (stopRequested) throw Stopped{};
  }
}

void Federate::takePartInSave() {
  saveAsked_ = false;
  saving_ = true;
  rti_->federateSaveBegun();
  if (const std::string own = isReady_ ? state() : std::string();
      !own.empty() && writeStateFile(stateFile(federation_, label_, name_), own)) {
    rti_->federateSaveComplete();
  } else {
    std::cerr << name_ << ": its part of the save '" << label_ << "' cannot be written to "
              << stateFile(federation_, label_, name_) << std::endl;
    rti_->federateSaveNotComplete();
  }
  await(saving_);
}

void Federate::takePartInRestore() {
  restoreAsked_ = false;
  restored_ = false;
  const std::string file = stateFile(federation_, label_, restoredName_);
  const auto own = readStateFile(file);
  if (own) {
    rti_->federateRestoreComplete();
  } else {
    std::cerr << name_ << ": its part of the save '" << label_ << "' cannot be read from " << file
              << std::endl;
    rti_->federateRestoreNotComplete();
  }
  await(restoring_);
  if (!restored_) return;
  name_ = restoredName_;
  apply(*own);
  // It was, when it was saved: one that had only just joined is now.
  isReady_ = true;
  std::cout << name_ << ": restored from '" << label_ << "'";
  if (timeManaged_) std::cout << ", at logical time " << time_ << " s";
  std::cout << std::endl;
  throw Restored{};
}

/// Empty: it has nothing that could be restored.
std::string Federate::state() const {
  std::ostringstream text;
  writeText(text, type_);
  writeNumber(text, time_);
  writeNumber(text, advancing_ ? 1.0 : 0.0);
  return writeState(text) ? text.str() : std::string();
}

void Federate::apply(const std::string& state) {
  std::istringstream text(state);
  const std::string type = readText(text);
  time_ = readNumber(text);
  advancing_ = readNumber(text) != 0.0;
  waitingForTime_ = advancing_;
  readState(text);
  if (!text || type != type_)
    throw std::runtime_error("its part of the save '" + label_ + "' is damaged, or of another " +
                             "version of " + type_);
}

void Federate::initiateFederateSave(const std::wstring& label) {
  label_ = narrow(label);
  saveAsked_ = true;
}

void Federate::initiateFederateSave(const std::wstring& label, const rti1516e::LogicalTime&) {
  initiateFederateSave(label);
}

void Federate::federationSaved() {
  saving_ = false;
  std::cout << name_ << ": saved as '" << label_ << "'" << std::endl;
}

void Federate::federationNotSaved(rti1516e::SaveFailureReason) {
  saveAsked_ = false;
  saving_ = false;
  std::cout << name_ << ": not saved as '" << label_ << "'" << std::endl;
}

void Federate::initiateFederateRestore(const std::wstring& label, const std::wstring& federateName,
                                       rti1516e::FederateHandle) {
  label_ = narrow(label);
  restoredName_ = narrow(federateName);
  restoreAsked_ = true;
  restoring_ = true;
}

void Federate::federationRestored() {
  restoring_ = false;
  restored_ = true;
}

void Federate::federationNotRestored(rti1516e::RestoreFailureReason) {
  restoreAsked_ = false;
  restoring_ = false;
  std::cout << name_ << ": not restored from '" << label_ << "'" << std::endl;
}

void Federate::evokeUntil(std::chrono::steady_clock::time_point moment) {
  for (;;) {
    const double left =
        std::chrono::duration<double>(moment - std::chrono::steady_clock::now()).count();
    if (left <= 0.0) return;
    evoke(std::min(left, kPoll));
  }
}

void Federate::manageTime(bool regulating, bool constrained, double lookahead) {
  timeManaged_ = regulating || constrained;
  if (regulating) {
    waitingForTime_ = true;
    rti_->enableTimeRegulation(rti1516e::HLAfloat64Interval(lookahead));
    while (waitingForTime_) evoke(kPoll);
  }
  if (constrained) {
    waitingForTime_ = true;
    rti_->enableTimeConstrained();
    while (waitingForTime_) evoke(kPoll);
  }
}

void Federate::ready() {
  isReady_ = true;
  std::cout << name_ << ": ready";
  if (timeManaged_) std::cout << " at logical time " << time_ << " s";
  std::cout << std::endl;
}

void Federate::advanceTo(double to) {
  if (!advancing_) {
    waitingForTime_ = true;
    advancing_ = true;
    rti_->timeAdvanceRequest(rti1516e::HLAfloat64Time(to));
  }
  while (waitingForTime_) evoke(kPoll);
}

void Federate::connectionLost(const std::wstring& reason) {
  lost_ = true;
  lostBecause_ = narrow(reason);
}

void Federate::discoverObjectInstance(rti1516e::ObjectInstanceHandle object,
                                      rti1516e::ObjectClassHandle objectClass,
                                      const std::wstring&) {
  discovered(object, objectClass);
}

void Federate::discoverObjectInstance(rti1516e::ObjectInstanceHandle object,
                                      rti1516e::ObjectClassHandle objectClass, const std::wstring&,
                                      rti1516e::FederateHandle) {
  discovered(object, objectClass);
}

void Federate::reflectAttributeValues(rti1516e::ObjectInstanceHandle object,
                                      const rti1516e::AttributeHandleValueMap& values,
                                      const rti1516e::VariableLengthData&, rti1516e::OrderType,
                                      rti1516e::TransportationType,
                                      rti1516e::SupplementalReflectInfo) {
  reflected(object, values, kNoTime);
}

void Federate::reflectAttributeValues(rti1516e::ObjectInstanceHandle object,
                                      const rti1516e::AttributeHandleValueMap& values,
                                      const rti1516e::VariableLengthData&, rti1516e::OrderType,
                                      rti1516e::TransportationType,
                                      const rti1516e::LogicalTime& stamp, rti1516e::OrderType,
                                      rti1516e::SupplementalReflectInfo) {
  reflected(object, values, seconds(stamp));
}

void Federate::reflectAttributeValues(rti1516e::ObjectInstanceHandle object,
                                      const rti1516e::AttributeHandleValueMap& values,
                                      const rti1516e::VariableLengthData&, rti1516e::OrderType,
                                      rti1516e::TransportationType,
                                      const rti1516e::LogicalTime& stamp, rti1516e::OrderType,
                                      rti1516e::MessageRetractionHandle,
                                      rti1516e::SupplementalReflectInfo) {
  reflected(object, values, seconds(stamp));
}

void Federate::receiveInteraction(rti1516e::InteractionClassHandle interaction,
                                  const rti1516e::ParameterHandleValueMap& values,
                                  const rti1516e::VariableLengthData&, rti1516e::OrderType,
                                  rti1516e::TransportationType, rti1516e::SupplementalReceiveInfo) {
  received(interaction, values, kNoTime);
}

void Federate::receiveInteraction(rti1516e::InteractionClassHandle interaction,
                                  const rti1516e::ParameterHandleValueMap& values,
                                  const rti1516e::VariableLengthData&, rti1516e::OrderType,
                                  rti1516e::TransportationType, const rti1516e::LogicalTime& stamp,
                                  rti1516e::OrderType, rti1516e::SupplementalReceiveInfo) {
  received(interaction, values, seconds(stamp));
}

void Federate::receiveInteraction(rti1516e::InteractionClassHandle interaction,
                                  const rti1516e::ParameterHandleValueMap& values,
                                  const rti1516e::VariableLengthData&, rti1516e::OrderType,
                                  rti1516e::TransportationType, const rti1516e::LogicalTime& stamp,
                                  rti1516e::OrderType, rti1516e::MessageRetractionHandle,
                                  rti1516e::SupplementalReceiveInfo) {
  received(interaction, values, seconds(stamp));
}

void Federate::removeObjectInstance(rti1516e::ObjectInstanceHandle object,
                                    const rti1516e::VariableLengthData&, rti1516e::OrderType,
                                    rti1516e::SupplementalRemoveInfo) {
  removed(object);
}

void Federate::removeObjectInstance(rti1516e::ObjectInstanceHandle object,
                                    const rti1516e::VariableLengthData&, rti1516e::OrderType,
                                    const rti1516e::LogicalTime&, rti1516e::OrderType,
                                    rti1516e::SupplementalRemoveInfo) {
  removed(object);
}

void Federate::removeObjectInstance(rti1516e::ObjectInstanceHandle object,
                                    const rti1516e::VariableLengthData&, rti1516e::OrderType,
                                    const rti1516e::LogicalTime&, rti1516e::OrderType,
                                    rti1516e::MessageRetractionHandle,
                                    rti1516e::SupplementalRemoveInfo) {
  removed(object);
}

void Federate::provideAttributeValueUpdate(rti1516e::ObjectInstanceHandle object,
                                           const rti1516e::AttributeHandleSet&,
                                           const rti1516e::VariableLengthData&) {
  valuesRequested(object);
}

void Federate::timeRegulationEnabled(const rti1516e::LogicalTime& at) {
  time_ = seconds(at);
  waitingForTime_ = false;
}

void Federate::timeConstrainedEnabled(const rti1516e::LogicalTime& at) {
  time_ = seconds(at);
  waitingForTime_ = false;
}

void Federate::timeAdvanceGrant(const rti1516e::LogicalTime& at) {
  time_ = seconds(at);
  advancing_ = false;
  waitingForTime_ = false;
}

int drive(int argc, const char* const* argv, const std::string& usage,
          const std::function<std::unique_ptr<Federate>(Options&)>& make) {
  const std::string program = argc > 0 ? argv[0] : "federate";
  std::unique_ptr<Federate> federate;
  try {
    Options options(argc, argv);
    if (options.flag("help")) {
      std::cout << "usage: " << program << " --federation NAME --fom FILE ... [--federate NAME]"
                << usage << std::endl;
      return kDone;
    }
    federate = make(options);
    options.done();
  } catch (const UsageError& error) {
    std::cerr << program << ": " << error.what() << "; --help shows the options" << std::endl;
    return kUsage;
  }

  struct sigaction action = {};
  action.sa_handler = requestStop;
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);

  const std::string& name = federate->name();
  const auto gone = [&] {
    const std::string why =
        federate->lostBecause().empty() ? std::string{} : ": " + federate->lostBecause();
    std::cerr << name << ": the connection to the RTI is lost" << why << ". " << federate->summary()
              << std::endl;
    federate->leave();
    return kConnectionLost;
  };
  try {
    federate->join();
    std::cout << name << ": joined" << std::endl;
    try {
      federate->run();
    } catch (const Restored&) {
      for (bool again = true; again;) {
        try {
          federate->goOn();
          again = false;
        } catch (const Restored&) {
        }
      }
    }
    std::cout << name << ": done. " << federate->summary() << std::endl;
    federate->leave();
    return kDone;
  } catch (const Stopped&) {
    std::cout << name << ": stopped. " << federate->summary() << std::endl;
    federate->leave();
    return kDone;
  } catch (const ConnectionGone&) {
    return gone();
  } catch (const rti1516e::NotConnected&) {
    return gone();
  } catch (const rti1516e::FederateNotExecutionMember& error) {
    std::cerr << name
              << ": is no longer a member of the federation execution: " << narrow(error.what())
              << ". " << federate->summary() << std::endl;
    federate->leave();
    return kConnectionLost;
  } catch (const rti1516e::Exception& error) {
    if (federate->connectionIsLost()) return gone();
    std::cerr << name << ": the RTI refused a service: " << narrow(error.what()) << std::endl;
    federate->leave();
    return kRefused;
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << std::endl;
    federate->leave();
    return kRefused;
  }
}

}  // namespace samples
