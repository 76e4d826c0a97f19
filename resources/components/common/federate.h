// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/RTI1516.h>

#include <chrono>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "common/options.h"

namespace samples {

/// How a run of a sample ended; the exit codes of every sample.
enum ExitCode : int {
  kDone = 0,            ///< it finished, or was asked to stop (SIGTERM, SIGINT) and resigned
  kRefused = 1,         ///< a service threw an exception; the message says which and why
  kUsage = 2,           ///< the command line is wrong
  kConnectionLost = 3,  ///< the RTI, or the membership in the federation execution, is gone
};

/// Base of the samples: one federate that is driven by evoked callbacks on one thread. It uses
/// nothing but the standard's API. Derived classes override the hooks below, which gather the
/// standard's overloads, and run().
class Federate : public rti1516e::NullFederateAmbassador {
 public:
  /// Takes --federate, --federation and --fom.
  Federate(Options& options, const std::string& type);
  ~Federate() override;
  Federate(const Federate&) = delete;
  Federate& operator=(const Federate&) = delete;

  /// What it does between joining and leaving. Ends by returning or by any of the exceptions that
  /// drive() knows.
  virtual void run() = 0;
  /// What run() does after ready(): goes on after a restore.
  virtual void goOn() {}
  /// What it did, one line for the end.
  virtual std::string summary() const = 0;

  const std::string& name() const { return name_; }
  /// Connects, creates the federation execution unless it is there, and joins it under name().
  void join();
  /// Resigns, deletes what it owns, destroys the federation execution if it was the last,
  /// disconnects. Never throws.
  void leave() noexcept;
  bool connectionIsLost() const { return lost_; }
  const std::string& lostBecause() const { return lostBecause_; }

 protected:
  rti1516e::RTIambassador& rti() { return *rti_; }

  /// Enables time regulation and constraint (IEEE 1516.1-2010, 8.2, 8.5) and waits until both are.
  void manageTime(bool regulating, bool constrained, double lookahead);
  /// Says in one line of standard output that everything is declared and the work begins. From here
  /// on it can be saved.
  void ready();
  /// Logical time, s.
  double time() const { return time_; }
  /// Requests `to` (8.8) and evokes callbacks until it is granted. After a restore only waits, when
  /// it was waiting when it was saved.
  void advanceTo(double to);
  bool isAdvancing() const { return advancing_; }
  /// Evokes callbacks for at most `seconds`, at least once. Throws when the run has to end.
  void evoke(double seconds);
  /// Evokes callbacks until that moment.
  void evokeUntil(std::chrono::steady_clock::time_point moment);

  // Hooks. A message without a time stamp has time NaN.
  virtual void discovered(rti1516e::ObjectInstanceHandle, rti1516e::ObjectClassHandle) {}
  virtual void reflected(rti1516e::ObjectInstanceHandle, const rti1516e::AttributeHandleValueMap&,
                         double) {}
  virtual void received(rti1516e::InteractionClassHandle, const rti1516e::ParameterHandleValueMap&,
                        double) {}
  virtual void removed(rti1516e::ObjectInstanceHandle) {}
  virtual void valuesRequested(rti1516e::ObjectInstanceHandle) {}
  /// Called after every evocation.
  virtual void idle() {}

  // Save and restore (4.16 to 4.32). A federate is saved while it evokes callbacks, and restored by
  // goOn() being called anew.

  /// Writes what is not the RTI's to keep, for readState(). False: it cannot be saved, and says so.
  virtual bool writeState(std::ostream&) const { return false; }
  virtual void readState(std::istream&) {}

 private:
  /// Evokes one callback; throws FederateNotExecutionMember when this federate was made to resign.
  void evokeOne(double atMost);
  /// Evokes callbacks until `flag` is false, whatever they are.
  void await(const bool& flag);
  void takePartInSave();
  void takePartInRestore();
  std::string state() const;
  void apply(const std::string& state);

  void initiateFederateSave(const std::wstring& label) override;
  void initiateFederateSave(const std::wstring& label, const rti1516e::LogicalTime& time) override;
  void federationSaved() override;
  void federationNotSaved(rti1516e::SaveFailureReason reason) override;
  void initiateFederateRestore(const std::wstring& label, const std::wstring& federateName,
                               rti1516e::FederateHandle handle) override;
  void federationRestored() override;
  void federationNotRestored(rti1516e::RestoreFailureReason reason) override;
  void connectionLost(const std::wstring& reason) override;
  void discoverObjectInstance(rti1516e::ObjectInstanceHandle object,
                              rti1516e::ObjectClassHandle objectClass,
                              const std::wstring& name) override;
  void discoverObjectInstance(rti1516e::ObjectInstanceHandle object,
                              rti1516e::ObjectClassHandle objectClass, const std::wstring& name,
                              rti1516e::FederateHandle producer) override;
  void reflectAttributeValues(rti1516e::ObjectInstanceHandle object,
                              const rti1516e::AttributeHandleValueMap& values,
                              const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                              rti1516e::TransportationType transportation,
                              rti1516e::SupplementalReflectInfo info) override;
  void reflectAttributeValues(rti1516e::ObjectInstanceHandle object,
                              const rti1516e::AttributeHandleValueMap& values,
                              const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                              rti1516e::TransportationType transportation,
                              const rti1516e::LogicalTime& stamp, rti1516e::OrderType receivedOrder,
                              rti1516e::SupplementalReflectInfo info) override;
  void reflectAttributeValues(rti1516e::ObjectInstanceHandle object,
                              const rti1516e::AttributeHandleValueMap& values,
                              const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                              rti1516e::TransportationType transportation,
                              const rti1516e::LogicalTime& stamp, rti1516e::OrderType receivedOrder,
                              rti1516e::MessageRetractionHandle retraction,
                              rti1516e::SupplementalReflectInfo info) override;
  void receiveInteraction(rti1516e::InteractionClassHandle interaction,
                          const rti1516e::ParameterHandleValueMap& values,
                          const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                          rti1516e::TransportationType transportation,
                          rti1516e::SupplementalReceiveInfo info) override;
  void receiveInteraction(rti1516e::InteractionClassHandle interaction,
                          const rti1516e::ParameterHandleValueMap& values,
                          const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                          rti1516e::TransportationType transportation,
                          const rti1516e::LogicalTime& stamp, rti1516e::OrderType receivedOrder,
                          rti1516e::SupplementalReceiveInfo info) override;
  void receiveInteraction(rti1516e::InteractionClassHandle interaction,
                          const rti1516e::ParameterHandleValueMap& values,
                          const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                          rti1516e::TransportationType transportation,
                          const rti1516e::LogicalTime& stamp, rti1516e::OrderType receivedOrder,
                          rti1516e::MessageRetractionHandle retraction,
                          rti1516e::SupplementalReceiveInfo info) override;
  void removeObjectInstance(rti1516e::ObjectInstanceHandle object,
                            const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                            rti1516e::SupplementalRemoveInfo info) override;
  void removeObjectInstance(rti1516e::ObjectInstanceHandle object,
                            const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                            const rti1516e::LogicalTime& stamp, rti1516e::OrderType receivedOrder,
                            rti1516e::SupplementalRemoveInfo info) override;
  void removeObjectInstance(rti1516e::ObjectInstanceHandle object,
                            const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                            const rti1516e::LogicalTime& stamp, rti1516e::OrderType receivedOrder,
                            rti1516e::MessageRetractionHandle retraction,
                            rti1516e::SupplementalRemoveInfo info) override;
  void provideAttributeValueUpdate(rti1516e::ObjectInstanceHandle object,
                                   const rti1516e::AttributeHandleSet& attributes,
                                   const rti1516e::VariableLengthData& tag) override;
  void timeRegulationEnabled(const rti1516e::LogicalTime& at) override;
  void timeConstrainedEnabled(const rti1516e::LogicalTime& at) override;
  void timeAdvanceGrant(const rti1516e::LogicalTime& at) override;

  std::string name_;
  std::string type_;
  std::string federation_;
  std::vector<std::wstring> modules_;
  std::unique_ptr<rti1516e::RTIambassador> rti_;
  bool connected_ = false;
  bool joined_ = false;
  bool lost_ = false;
  std::string lostBecause_;
  bool timeManaged_ = false;
  double time_ = 0.0;
  bool waitingForTime_ = false;  ///< a time service was called and its callback has not come
  bool advancing_ = false;       ///< it was timeAdvanceRequest
  bool isReady_ = false;
  std::string label_;  ///< of the save or restore that it is to take part in
  bool saveAsked_ = false;
  bool saving_ = false;
  bool restoreAsked_ = false;
  std::string restoredName_;
  bool restoring_ = false;
  bool restored_ = false;
};

/// Makes the federate, joins, runs and leaves it; prints what happened in one line and returns an
/// ExitCode.
int drive(int argc, const char* const* argv, const std::string& usage,
          const std::function<std::unique_ptr<Federate>(Options&)>& make);

}  // namespace samples
