// SPDX-License-Identifier: GPL-3.0-or-later
// Callbacks that throw: whatever it is, it ends there, and all that follows still comes.
#include <QtTest>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>

#include "recorder.h"

using namespace rti1516e;

namespace {

// clang-format off
#define EXCEPTIONS_OF_THE_STANDARD(X)                                                              \
  X(AlreadyConnected) X(AsynchronousDeliveryAlreadyDisabled) X(AsynchronousDeliveryAlreadyEnabled) \
  X(AttributeAcquisitionWasNotCanceled) X(AttributeAcquisitionWasNotRequested)                     \
  X(AttributeAlreadyBeingAcquired) X(AttributeAlreadyBeingChanged)                                 \
  X(AttributeAlreadyBeingDivested) X(AttributeAlreadyOwned) X(AttributeDivestitureWasNotRequested) \
  X(AttributeNotDefined) X(AttributeNotOwned) X(AttributeNotPublished) X(AttributeNotRecognized)   \
  X(AttributeNotSubscribed) X(AttributeRelevanceAdvisorySwitchIsOff)                               \
  X(AttributeRelevanceAdvisorySwitchIsOn) X(AttributeScopeAdvisorySwitchIsOff)                     \
  X(AttributeScopeAdvisorySwitchIsOn) X(BadInitializationParameter)                                \
  X(CallNotAllowedFromWithinCallback) X(ConnectionFailed) X(CouldNotCreateLogicalTimeFactory)      \
  X(CouldNotDecode) X(CouldNotDiscover) X(CouldNotEncode) X(CouldNotOpenFDD) X(CouldNotOpenMIM)    \
  X(CouldNotInitiateRestore) X(DeletePrivilegeNotHeld) X(DesignatorIsHLAstandardMIM)               \
  X(RequestForTimeConstrainedPending) X(NoRequestToEnableTimeConstrainedWasPending)                \
  X(RequestForTimeRegulationPending) X(NoRequestToEnableTimeRegulationWasPending)                  \
  X(NoFederateWillingToAcquireAttribute) X(ErrorReadingFDD) X(ErrorReadingMIM)                     \
  X(FederateAlreadyExecutionMember) X(FederateHandleNotKnown) X(FederateHasNotBegunSave)           \
  X(FederateInternalError) X(FederateIsExecutionMember) X(FederateNameAlreadyInUse)                \
  X(FederateNotExecutionMember) X(FederateOwnsAttributes)                                          \
  X(FederateServiceInvocationsAreBeingReportedViaMOM) X(FederateUnableToUseTime)                   \
  X(FederatesCurrentlyJoined) X(FederationExecutionAlreadyExists)                                  \
  X(FederationExecutionDoesNotExist) X(IllegalName) X(IllegalTimeArithmetic) X(InconsistentFDD)    \
  X(InteractionClassAlreadyBeingChanged) X(InteractionClassNotDefined)                             \
  X(InteractionClassNotPublished) X(InteractionClassNotRecognized)                                 \
  X(InteractionClassNotSubscribed) X(InteractionParameterNotDefined)                               \
  X(InteractionParameterNotRecognized) X(InteractionRelevanceAdvisorySwitchIsOff)                  \
  X(InteractionRelevanceAdvisorySwitchIsOn) X(InTimeAdvancingState) X(InvalidAttributeHandle)      \
  X(InvalidDimensionHandle) X(InvalidFederateHandle) X(InvalidInteractionClassHandle)              \
  X(InvalidLocalSettingsDesignator) X(InvalidLogicalTime) X(InvalidLogicalTimeInterval)            \
  X(InvalidLookahead) X(InvalidObjectClassHandle) X(InvalidOrderName) X(InvalidOrderType)          \
  X(InvalidParameterHandle) X(InvalidRangeBound) X(InvalidRegion) X(InvalidResignAction)           \
  X(InvalidRegionContext) X(InvalidMessageRetractionHandle) X(InvalidServiceGroup)                 \
  X(InvalidTransportationName) X(InvalidTransportationType) X(InvalidUpdateRateDesignator)         \
  X(JoinedFederateIsNotInTimeAdvancingState) X(LogicalTimeAlreadyPassed)                           \
  X(MessageCanNoLongerBeRetracted) X(NameNotFound) X(NameSetWasEmpty) X(NoAcquisitionPending)      \
  X(NotConnected) X(ObjectClassNotDefined) X(ObjectClassNotKnown) X(ObjectClassNotPublished)       \
  X(ObjectClassRelevanceAdvisorySwitchIsOff) X(ObjectClassRelevanceAdvisorySwitchIsOn)             \
  X(ObjectInstanceNameInUse) X(ObjectInstanceNameNotReserved) X(ObjectInstanceNotKnown)            \
  X(OwnershipAcquisitionPending) X(RTIinternalError) X(RegionDoesNotContainSpecifiedDimension)     \
  X(RegionInUseForUpdateOrSubscription) X(RegionNotCreatedByThisFederate) X(RestoreInProgress)     \
  X(RestoreNotInProgress) X(RestoreNotRequested) X(SaveInProgress) X(SaveNotInProgress)            \
  X(SaveNotInitiated) X(SpecifiedSaveLabelDoesNotExist) X(SynchronizationPointLabelNotAnnounced)   \
  X(TimeConstrainedAlreadyEnabled) X(TimeConstrainedIsNotEnabled) X(TimeRegulationAlreadyEnabled)  \
  X(TimeRegulationIsNotEnabled) X(UnableToPerformSave) X(UnknownName) X(UnsupportedCallbackModel)  \
  X(InternalError)
// clang-format on

struct OfItsOwn {};

/// What a callback may throw, by name.
const std::map<QString, std::function<void()>>& throwers() {
  static const std::map<QString, std::function<void()>> all{
#define THROWER(name) {#name, [] { throw name(L"thrown by a callback"); }},
      EXCEPTIONS_OF_THE_STANDARD(THROWER)
#undef THROWER
          {"std::runtime_error", [] { throw std::runtime_error("thrown by a callback"); }},
      {"std::bad_alloc", [] { throw std::bad_alloc(); }},
      {"int", [] { throw 42; }},
      {"const char*", [] { throw "thrown by a callback"; }},
      {"a type of its own", [] { throw OfItsOwn(); }},
  };
  return all;
}

/// Writes down which callbacks came, and throws in one of them.
class Thrower : public NullFederateAmbassador {
 public:
  QString where;
  std::function<void()> thrower;

  QStringList came() const {
    const std::lock_guard guard(mutex_);
    return came_;
  }
  int count(const QString& callback) const { return static_cast<int>(came().count(callback)); }
  int thrown() const { return thrown_; }

  void synchronizationPointRegistrationSucceeded(const std::wstring&) override {
    note("registered");
  }
  void announceSynchronizationPoint(const std::wstring&, const VariableLengthData&) override {
    note("announced");
  }
  void federationSynchronized(const std::wstring&, const FederateHandleSet&) override {
    note("synchronized");
  }
  void reportFederationExecutions(const FederationExecutionInformationVector&) override {
    note("executions");
  }
  void startRegistrationForObjectClass(ObjectClassHandle) override { note("start"); }
  void turnInteractionsOn(InteractionClassHandle) override { note("on"); }
  void objectInstanceNameReservationSucceeded(const std::wstring&) override { note("reserved"); }
  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle, const std::wstring&,
                              FederateHandle) override {
    note("discovered");
  }
  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap&,
                              const VariableLengthData&, OrderType, TransportationType,
                              SupplementalReflectInfo) override {
    note("reflected");
  }
  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap&,
                          const VariableLengthData&, OrderType, TransportationType,
                          SupplementalReceiveInfo) override {
    note("received");
  }
  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap&,
                          const VariableLengthData&, OrderType, TransportationType,
                          const LogicalTime&, OrderType, MessageRetractionHandle,
                          SupplementalReceiveInfo) override {
    note("received in timestamp order");
  }
  void removeObjectInstance(ObjectInstanceHandle, const VariableLengthData&, OrderType,
                            SupplementalRemoveInfo) override {
    note("removed");
  }
  void provideAttributeValueUpdate(ObjectInstanceHandle, const AttributeHandleSet&,
                                   const VariableLengthData&) override {
    note("asked");
  }
  void timeRegulationEnabled(const LogicalTime&) override { note("regulating"); }
  void timeConstrainedEnabled(const LogicalTime&) override { note("constrained"); }
  void timeAdvanceGrant(const LogicalTime&) override { note("granted"); }

  using NullFederateAmbassador::discoverObjectInstance;
  using NullFederateAmbassador::receiveInteraction;
  using NullFederateAmbassador::reflectAttributeValues;
  using NullFederateAmbassador::removeObjectInstance;

 private:
  void note(const QString& callback) {
    {
      const std::lock_guard guard(mutex_);
      came_ << callback;
    }
    if (callback != where) return;
    ++thrown_;
    thrower();
  }

  mutable std::mutex mutex_;
  QStringList came_;  ///< guarded by mutex_
  std::atomic<int> thrown_{0};
};

const QStringList everyCallback{
    "executions", "registered",  "announced", "synchronized", "reserved",
    "regulating", "constrained", "start",     "on",           "discovered",
    "reflected",  "received",    "asked",     "granted",      "received in timestamp order",
    "removed"};

}  // namespace

class tst_throwing_callbacks : public QObject {
  Q_OBJECT

  OwnNode node_;

  /// Runs both through all that the callbacks tell of; each must come twice.
  void twice(Recorder& a, RTIambassador& b, Thrower& thrower, bool immediate);

 private slots:
  void anyException_data();
  void anyException();
  void anyCallback_data();
  void anyCallback();
  void everyExceptionIsTried();
};

void tst_throwing_callbacks::twice(Recorder& a, RTIambassador& b, Thrower& thrower,
                                   bool immediate) {
  const auto comes = [&](const QString& callback, int wanted) {
    return a.pumpUntil([&] {
      if (!immediate) b.evokeMultipleCallbacks(0.0, 0.01);
      return thrower.count(callback) >= wanted;
    });
  };
  const auto vehicle = b.getObjectClassHandle(L"Vehicle");
  const AttributeHandleSet position{b.getAttributeHandle(vehicle, L"position")};
  const auto message = b.getInteractionClassHandle(L"Message");
  const auto event = b.getInteractionClassHandle(L"Event");
  a.publish("Vehicle", {"position"});
  a.publishInteraction("Message");
  a.publishInteraction("Event");
  a.rti().enableTimeRegulation(HLAfloat64Interval(1.0));
  QVERIFY(a.expect("regulating"));
  for (int round = 1; round <= 2; ++round) {
    b.listFederationExecutions();
    QVERIFY(comes("executions", round));
    const std::wstring label = L"point " + std::to_wstring(round);
    b.registerFederationSynchronizationPoint(label, VariableLengthData());
    QVERIFY(comes("announced", round));
    QVERIFY(comes("registered", round));
    a.rti().synchronizationPointAchieved(label);
    b.synchronizationPointAchieved(label);
    QVERIFY(comes("synchronized", round));
    b.reserveObjectInstanceName(L"name " + std::to_wstring(round));
    QVERIFY(comes("reserved", round));

    b.publishObjectClassAttributes(vehicle, position);
    b.publishInteractionClass(message);
    a.subscribe("Vehicle", {"position"});
    a.subscribeInteraction("Message");
    QVERIFY(comes("start", round));
    QVERIFY(comes("on", round));
    const auto own = b.registerObjectInstance(vehicle);
    QVERIFY(comes("start", round) && a.expect("discover", round));
    a.rti().requestAttributeValueUpdate(own, position, VariableLengthData());
    QVERIFY(comes("asked", round));

    b.subscribeObjectClassAttributes(vehicle, position);
    b.subscribeInteractionClass(message);
    b.subscribeInteractionClass(event);
    const auto car = a.registerInstance("Vehicle");
    QVERIFY(comes("discovered", round));
    a.update(car, "Vehicle", {{"position", "x"}});
    QVERIFY(comes("reflected", round));
    a.send("Message", {{"text", "y"}});
    QVERIFY(comes("received", round));

    b.enableTimeRegulation(HLAfloat64Interval(1.0));
    QVERIFY(comes("regulating", round));
    b.enableTimeConstrained();
    QVERIFY(comes("constrained", round));
    HLAfloat64Time now;
    b.queryLogicalTime(now);
    const double next = now.getTime() + 2.0;
    a.send("Event", {{"number", "z"}}, next);
    b.timeAdvanceRequest(HLAfloat64Time(next));
    a.rti().timeAdvanceRequest(HLAfloat64Time(next));
    QVERIFY(comes("granted", round) && a.expect("granted", round));
    QVERIFY(comes("received in timestamp order", round));
    b.queryLogicalTime(now);
    QCOMPARE(now.getTime(), next);
    b.disableTimeConstrained();
    b.disableTimeRegulation();

    a.rti().deleteObjectInstance(car, VariableLengthData());
    QVERIFY(comes("removed", round));
    b.deleteObjectInstance(own, VariableLengthData());
    b.unpublishObjectClass(vehicle);
    b.unpublishInteractionClass(message);
    b.unsubscribeObjectClass(vehicle);
    b.unsubscribeInteractionClass(message);
    b.unsubscribeInteractionClass(event);
    a.rti().unsubscribeObjectClass(a.objectClass("Vehicle"));
    a.rti().unsubscribeInteractionClass(message);
    QVERIFY(a.expect("remove", round));
  }
}

void tst_throwing_callbacks::anyException_data() {
  QTest::addColumn<QString>("what");
  for (const auto& [name, thrower] : throwers()) QTest::newRow(qPrintable(name)) << name;
}

void tst_throwing_callbacks::anyException() {
  QFETCH(QString, what);
  Thrower thrower;
  thrower.where = "received";
  thrower.thrower = throwers().at(what);
  const QString federation = uniqueName("throwing");
  Recorder a("a");
  a.enter(federation);
  a.publishInteraction("Message");
  std::unique_ptr<RTIambassador> b(RTIambassadorFactory().createRTIambassador().release());
  b->connect(thrower, HLA_EVOKED);
  b->joinFederationExecution(L"b", federation.toStdWString());
  b->subscribeInteractionClass(b->getInteractionClassHandle(L"Message"));
  for (int i = 0; i < 3; ++i) a.send("Message", {{"text", "now"}});
  QVERIFY(a.pumpUntil([&] {
    b->evokeCallback(0.0);
    return thrower.count("received") == 3;
  }));
  QCOMPARE(thrower.thrown(), 3);
  b->resignFederationExecution(NO_ACTION);
  b->disconnect();
}

void tst_throwing_callbacks::anyCallback_data() {
  QTest::addColumn<QString>("where");
  QTest::addColumn<QString>("what");
  QTest::addColumn<bool>("immediate");
  for (const bool immediate : {false, true}) {
    for (const QString& callback : everyCallback) {
      QTest::addRow("%s, %s", qPrintable(callback), immediate ? "immediate" : "evoked")
          << callback << (immediate ? "int" : "FederateInternalError") << immediate;
    }
  }
}

void tst_throwing_callbacks::anyCallback() {
  QFETCH(QString, where);
  QFETCH(QString, what);
  QFETCH(bool, immediate);
  Thrower thrower;
  thrower.where = where;
  thrower.thrower = throwers().at(what);
  const QString federation = uniqueName("throwing");
  Recorder a("a");
  a.enter(federation);
  std::unique_ptr<RTIambassador> b(RTIambassadorFactory().createRTIambassador().release());
  b->connect(thrower, immediate ? HLA_IMMEDIATE : HLA_EVOKED);
  b->joinFederationExecution(L"b", federation.toStdWString());
  twice(a, *b, thrower, immediate);
  if (QTest::currentTestFailed()) qWarning("came: %s", qPrintable(thrower.came().join(", ")));
  QVERIFY(thrower.thrown() >= 2);
  b->resignFederationExecution(DELETE_OBJECTS);
  b->disconnect();
}

void tst_throwing_callbacks::everyExceptionIsTried() {
  QFile table(QString(TUTTI_SOURCE_DIR) + "/tests/data/rti1516e.tsv");
  QVERIFY(table.open(QIODevice::ReadOnly | QIODevice::Text));
  int found = 0;
  while (!table.atEnd()) {
    const QStringList cells = QString(table.readLine()).split('\t');
    if (cells.value(0) != "RTI/Exception.h" || cells.value(1) != "class") continue;
    if (cells.value(3) == "Exception") continue;
    ++found;
    QVERIFY2(throwers().count(cells.value(3)) == 1, qPrintable(cells.value(3)));
  }
  QVERIFY(found > 100);
}

QTEST_GUILESS_MAIN(tst_throwing_callbacks)
#include "tst_throwing_callbacks.moc"
