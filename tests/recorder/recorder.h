// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <RTI/NullFederateAmbassador.h>
#include <RTI/RTI1516.h>
#include <RTI/time/HLAfloat64Interval.h>
#include <RTI/time/HLAfloat64Time.h>
#include <RTI/time/HLAinteger64Time.h>

#include <QByteArray>
#include <QRegularExpression>
#include <QString>
#include <QStringList>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "network.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/// A federate for tests: writes down each callback as one line of text and lets a test react to it.
///
/// Lines: "discover NAME as CLASS", "reflect NAME attr=value,... [@time TSO|RO]", "remove NAME",
/// "receive CLASS p=value,... [@time TSO|RO]", "provide NAME attrs", "announce LABEL", "granted 5"
/// ...
///
/// `details` has a line for each discover, reflect, receive and remove, about what accompanies it,
/// so that a test sees which form of the callback came:
///   "RO reliable from a"                           without a time
///   "RO best effort @5 as RO from a"               with a time
///   "TSO reliable @5 as TSO retractable from a"    with a time and a retraction handle
/// (a remove has no transportation; a discover has only "from a"). The first order is the sender's,
/// the second that of the delivery.
class Recorder : public rti1516e::NullFederateAmbassador {
 public:
  explicit Recorder(const QString& name) : name_(name) {}
  ~Recorder() RTI_NOEXCEPT override;

  rti1516e::RTIambassador& rti() { return *rti_; }
  rti1516e::FederateHandle handle() const { return handle_; }
  const QString& name() const { return name_; }

  void connect(rti1516e::CallbackModel model = rti1516e::HLA_EVOKED,
               const QString& designator = {});
  void create(const QString& federation, const QStringList& modules,
              const QString& timeImplementation = {});
  void join(const QString& federation, const QStringList& modules = {});
  /// connect, create unless it exists, join.
  void enter(const QString& federation, rti1516e::CallbackModel model = rti1516e::HLA_EVOKED,
             const QString& timeImplementation = {});
  void leave(rti1516e::ResignAction action = rti1516e::DELETE_OBJECTS_THEN_DIVEST);
  /// It is gone without a word: nothing can be called any more.
  void kill() { rti_.reset(); }
  bool isGone() const { return rti_ == nullptr; }

  rti1516e::ObjectClassHandle objectClass(const QString& name);
  rti1516e::AttributeHandle attribute(const QString& objectClass, const QString& name);
  rti1516e::InteractionClassHandle interactionClass(const QString& name);
  rti1516e::ParameterHandle parameter(const QString& interactionClass, const QString& name);
  rti1516e::AttributeHandleSet attributes(const QString& objectClass, const QStringList& names);

  void publish(const QString& objectClass, const QStringList& attributes);
  void subscribe(const QString& objectClass, const QStringList& attributes);
  void publishInteraction(const QString& name);
  void subscribeInteraction(const QString& name);
  rti1516e::ObjectInstanceHandle registerInstance(const QString& objectClass);
  rti1516e::MessageRetractionHandle update(rti1516e::ObjectInstanceHandle instance,
                                           const QString& objectClass,
                                           const QList<QPair<QString, QByteArray>>& values,
                                           double time = -1);
  rti1516e::MessageRetractionHandle send(const QString& interactionClass,
                                         const QList<QPair<QString, QByteArray>>& values,
                                         double time = -1);

  /// Delivers what is there, without waiting.
  void pump();
  /// Delivers until `done` or the limit; true when done.
  bool pumpUntil(const std::function<bool()>& done, int limitMilliseconds = 10000);
  /// Delivers for as long; not longer with instrumented code, for something else stands meanwhile.
  void pumpFor(int milliseconds);
  /// Until the log holds `count` lines that start with `prefix`.
  bool expect(const QString& prefix, int count = 1, int limitMilliseconds = 10000);

  QStringList log() const {
    const std::lock_guard guard(mutex_);
    return {log_.begin(), log_.end()};  // nothing shared: another thread may write the next line
  }
  QStringList linesWith(const QString& prefix) const {
    const std::lock_guard guard(mutex_);
    return log_.filter(QRegularExpression("^" + QRegularExpression::escape(prefix)));
  }
  int count(const QString& prefix) const { return static_cast<int>(linesWith(prefix).size()); }
  /// Names of the instances that it has discovered and that were not removed, in order; by the log.
  QStringList knownInstances() const;
  void clearLog() {
    const std::lock_guard guard(mutex_);
    log_.clear();
  }

  std::function<void(rti1516e::ObjectInstanceHandle, const rti1516e::AttributeHandleValueMap&)>
      onReflect;
  std::function<void(double)> onGrant;
  std::function<void(const rti1516e::MessageRetractionHandle&)> onRetraction;
  std::function<void(rti1516e::ObjectInstanceHandle, const rti1516e::AttributeHandleSet&)>
      onProvide;
  std::function<void(rti1516e::InteractionClassHandle, const rti1516e::ParameterHandleValueMap&)>
      onReceive;
  bool quiet = false;   ///< no lines and details for reflects and interactions
  QStringList details;  ///< with HLA_IMMEDIATE, of the delivering thread until leave()
  long reflections = 0;
  long interactions = 0;

  // FederateAmbassador
  void connectionLost(const std::wstring& reason) override;
  void reportFederationExecutions(
      const rti1516e::FederationExecutionInformationVector& list) override;
  void synchronizationPointRegistrationSucceeded(const std::wstring& label) override;
  void synchronizationPointRegistrationFailed(
      const std::wstring& label, rti1516e::SynchronizationPointFailureReason reason) override;
  void announceSynchronizationPoint(const std::wstring& label,
                                    const rti1516e::VariableLengthData& tag) override;
  void federationSynchronized(const std::wstring& label,
                              const rti1516e::FederateHandleSet& failed) override;
  void startRegistrationForObjectClass(rti1516e::ObjectClassHandle objectClass) override;
  void stopRegistrationForObjectClass(rti1516e::ObjectClassHandle objectClass) override;
  void turnInteractionsOn(rti1516e::InteractionClassHandle interactionClass) override;
  void turnInteractionsOff(rti1516e::InteractionClassHandle interactionClass) override;
  void objectInstanceNameReservationSucceeded(const std::wstring& name) override;
  void objectInstanceNameReservationFailed(const std::wstring& name) override;
  void multipleObjectInstanceNameReservationSucceeded(const std::set<std::wstring>& names) override;
  void multipleObjectInstanceNameReservationFailed(const std::set<std::wstring>& names) override;
  void discoverObjectInstance(rti1516e::ObjectInstanceHandle instance,
                              rti1516e::ObjectClassHandle objectClass,
                              const std::wstring& instanceName) override;
  void discoverObjectInstance(rti1516e::ObjectInstanceHandle instance,
                              rti1516e::ObjectClassHandle objectClass,
                              const std::wstring& instanceName,
                              rti1516e::FederateHandle producer) override;
  void reflectAttributeValues(rti1516e::ObjectInstanceHandle instance,
                              const rti1516e::AttributeHandleValueMap& values,
                              const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                              rti1516e::TransportationType transportation,
                              rti1516e::SupplementalReflectInfo info) override;
  void reflectAttributeValues(rti1516e::ObjectInstanceHandle instance,
                              const rti1516e::AttributeHandleValueMap& values,
                              const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                              rti1516e::TransportationType transportation,
                              const rti1516e::LogicalTime& time, rti1516e::OrderType received,
                              rti1516e::SupplementalReflectInfo info) override;
  void reflectAttributeValues(rti1516e::ObjectInstanceHandle instance,
                              const rti1516e::AttributeHandleValueMap& values,
                              const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                              rti1516e::TransportationType transportation,
                              const rti1516e::LogicalTime& time, rti1516e::OrderType received,
                              rti1516e::MessageRetractionHandle retraction,
                              rti1516e::SupplementalReflectInfo info) override;
  void receiveInteraction(rti1516e::InteractionClassHandle interactionClass,
                          const rti1516e::ParameterHandleValueMap& values,
                          const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                          rti1516e::TransportationType transportation,
                          rti1516e::SupplementalReceiveInfo info) override;
  void receiveInteraction(rti1516e::InteractionClassHandle interactionClass,
                          const rti1516e::ParameterHandleValueMap& values,
                          const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                          rti1516e::TransportationType transportation,
                          const rti1516e::LogicalTime& time, rti1516e::OrderType received,
                          rti1516e::SupplementalReceiveInfo info) override;
  void receiveInteraction(rti1516e::InteractionClassHandle interactionClass,
                          const rti1516e::ParameterHandleValueMap& values,
                          const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                          rti1516e::TransportationType transportation,
                          const rti1516e::LogicalTime& time, rti1516e::OrderType received,
                          rti1516e::MessageRetractionHandle retraction,
                          rti1516e::SupplementalReceiveInfo info) override;
  void removeObjectInstance(rti1516e::ObjectInstanceHandle instance,
                            const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                            rti1516e::SupplementalRemoveInfo info) override;
  void removeObjectInstance(rti1516e::ObjectInstanceHandle instance,
                            const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                            const rti1516e::LogicalTime& time, rti1516e::OrderType received,
                            rti1516e::SupplementalRemoveInfo info) override;
  void removeObjectInstance(rti1516e::ObjectInstanceHandle instance,
                            const rti1516e::VariableLengthData& tag, rti1516e::OrderType sent,
                            const rti1516e::LogicalTime& time, rti1516e::OrderType received,
                            rti1516e::MessageRetractionHandle retraction,
                            rti1516e::SupplementalRemoveInfo info) override;
  void provideAttributeValueUpdate(rti1516e::ObjectInstanceHandle instance,
                                   const rti1516e::AttributeHandleSet& attributes,
                                   const rti1516e::VariableLengthData& tag) override;
  void timeRegulationEnabled(const rti1516e::LogicalTime& time) override;
  void timeConstrainedEnabled(const rti1516e::LogicalTime& time) override;
  void timeAdvanceGrant(const rti1516e::LogicalTime& time) override;
  void requestRetraction(rti1516e::MessageRetractionHandle message) override;
  void confirmAttributeTransportationTypeChange(
      rti1516e::ObjectInstanceHandle instance, rti1516e::AttributeHandleSet attributes,
      rti1516e::TransportationType transportation) override;
  void reportAttributeTransportationType(rti1516e::ObjectInstanceHandle instance,
                                         rti1516e::AttributeHandle attribute,
                                         rti1516e::TransportationType transportation) override;
  void confirmInteractionTransportationTypeChange(
      rti1516e::InteractionClassHandle interactionClass,
      rti1516e::TransportationType transportation) override;
  void reportInteractionTransportationType(rti1516e::FederateHandle federate,
                                           rti1516e::InteractionClassHandle interactionClass,
                                           rti1516e::TransportationType transportation) override;

 protected:
  /// Resigns and disconnects where that is to be done. A derived class with members that its
  /// callbacks use calls this in its destructor: no callback comes afterwards.
  void end() RTI_NOEXCEPT;
  void write(const QString& line);
  QString nameOf(rti1516e::ObjectInstanceHandle instance);
  QString namesOf(rti1516e::ObjectInstanceHandle instance,
                  const rti1516e::AttributeHandleSet& attributes);

  mutable std::mutex mutex_;  ///< guards log_, details and the names (HLA_IMMEDIATE)
  std::map<rti1516e::ObjectInstanceHandle, QString> names_;
  std::map<rti1516e::ObjectInstanceHandle, rti1516e::ObjectClassHandle> classes_;

 private:
  /// What accompanies a message.
  struct Message {
    const rti1516e::VariableLengthData& tag;
    rti1516e::OrderType sent = rti1516e::RECEIVE;
    const rti1516e::TransportationType* transportation = nullptr;  ///< null for a remove
    const rti1516e::FederateHandle* producer = nullptr;            ///< null when not conveyed
    const rti1516e::LogicalTime* time = nullptr;
    rti1516e::OrderType received = rti1516e::RECEIVE;
    bool retractable = false;
  };
  void discovered(rti1516e::ObjectInstanceHandle instance, rti1516e::ObjectClassHandle objectClass,
                  const std::wstring& instanceName, const rti1516e::FederateHandle* producer);
  void reflected(rti1516e::ObjectInstanceHandle instance,
                 const rti1516e::AttributeHandleValueMap& values, const Message& message);
  void receivedOne(rti1516e::InteractionClassHandle interactionClass,
                   const rti1516e::ParameterHandleValueMap& values, const Message& message);
  void removed(rti1516e::ObjectInstanceHandle instance, const Message& message);
  void detail(const Message& message);
  void detailFrom(const QString& text, const rti1516e::FederateHandle* producer);

  QString name_;
  int host_ = 0;  ///< of the environment's
  QString federation_;
  std::unique_ptr<rti1516e::RTIambassador> rti_;
  rti1516e::FederateHandle handle_;
  QStringList log_;
};

/// Path of the object model of these tests.
QString testFom();
/// A name no other test of this machine uses; starts with `stem`.
QString uniqueName(const QString& stem);
/// Gives this test program an RTI of its own (TUTTI_RTI=shm:...), and ends it with the object.
///
/// With TUTTI_TEST_HOSTS=N in the environment there are N nodes instead, all but the first linked
/// to it, and the Recorders are connected to them by turns: as if they were on N hosts.
class OwnNode {
 public:
  OwnNode();
  ~OwnNode();
  OwnNode(const OwnNode&) = delete;
  OwnNode& operator=(const OwnNode&) = delete;
  const QString& name() const { return name_; }
  static int pidOf(const QString& name);

 private:
  QString name_;
  std::unique_ptr<class LinkedNodes> linked_;
};

/// RTI nodes that are linked: what is on several hosts elsewhere, on one machine. Without a cable
/// over the loopback device, else on hosts in namespaces of their own (net/network.h).
class LinkedNodes {
 public:
  /// With TUTTI_TEST_NET="DELAY LOSS" in the environment, in microseconds and frames of a thousand
  /// per cable, a cable of this kind.
  static std::optional<tutti::test::Cable> cableOfEnvironment();

  /// The home is `tutti-rti --shm NAME --listen`; the others are started by who connects first.
  /// With TUTTI_TEST_KEY in the environment they have a key, else they trust the network.
  LinkedNodes(const QString& name, int hosts,
              std::optional<tutti::test::Cable> cable = cableOfEnvironment());
  ~LinkedNodes();
  LinkedNodes(const LinkedNodes&) = delete;
  LinkedNodes& operator=(const LinkedNodes&) = delete;

  int hosts() const { return hosts_; }
  /// Host 0 is the home.
  QString designator(int host) const;
  QString nodeName(int host) const;
  qint64 homePid() const;
  int nodePid(int host) const;
  /// HOST:PORT of the home.
  const QString& address() const { return address_; }
  /// Null over the loopback device.
  tutti::test::Network* network() const { return network_.get(); }
  /// While it lives the calling thread is on that host; null over the loopback device.
  using Visit = std::unique_ptr<tutti::test::Network::Visit>;
  Visit visit(int host) const;
  /// Connects a federate on that host.
  void connect(Recorder& recorder, int host,
               rti1516e::CallbackModel model = rti1516e::HLA_EVOKED) const;
  /// The same, and creates (unless it exists) and joins.
  void enter(Recorder& recorder, int host, const QString& federation) const;
  /// The same with another way to the node there.
  void connectAt(Recorder& recorder, int host, const QString& designator,
                 rti1516e::CallbackModel model = rti1516e::HLA_EVOKED) const;
  /// What `tutti-rti --status` prints on that host, with these options more.
  QByteArray status(int host, const QStringList& options = {}) const;
  /// What the node of a host says of best effort messages of a class that a federate has sent: dropped
  /// for want of room, lost between hosts.
  struct Drops {
    qint64 dropped = 0;
    qint64 lost = 0;
  };
  Drops dropsAt(int host, const QString& federate, const QString& ofClass) const;
  /// Waits until messages from one to the other arrive while the home is stopped. `from` publishes
  /// the interaction class Message, and `to` has subscribed to it; clears the log of `to`.
  bool untilStraight(Recorder& from, Recorder& to) const;
  /// Until all is on that host that was sent on others, as if there were but one.
  void confirm(int host, const QString& federation) const;

 private:
  void makeKey();

  QString name_;
  int hosts_;
  std::unique_ptr<tutti::test::Network> network_;
  QString address_;
  std::unique_ptr<class QProcess> home_;
  std::unique_ptr<class QTemporaryDir> keyFolder_;
  struct Observers;
  std::unique_ptr<Observers> observers_;
};
