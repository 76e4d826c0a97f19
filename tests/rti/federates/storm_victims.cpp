// SPDX-License-Identifier: GPL-3.0-or-later
// Those who are killed, each in the middle of what it does over and over.
#include <sys/resource.h>
#include <unistd.h>

#include <utility>

#include "federates/board.h"
#include "federates/role.h"
#include "federates/storm.h"

namespace federates {
namespace storm {

using namespace rti1516e;

namespace {

class Victim : public Stormer {
 public:
  Victim(Board& board, std::uint32_t slot, std::uint32_t generation, State state)
      : Stormer(board, slot, generation), generation_(generation), state_(state) {
    toNext_ = state == State::AdvancingToNext;
  }

  void run(const QString& federation) {
    federation_ = federation;
    name_ = nameOf(slot_, generation_);
    connect();
    if (state_ == State::Joining) return join();
    if (state_ == State::Executions) return makeExecutions();
    enter(federation_, name_);
    if (state_ == State::Advancing || state_ == State::AdvancingToNext) enableTime();
    awaitBegin();
    while (goesOn()) once();
    leave();
  }

 private:
  bool goesOn() const { return board_.stop.load() == 0 && own_.errors.load() == 0; }
  /// Delivers callbacks until all victims are ready; those that act from the start hold others up.
  void awaitBegin() {
    own_.ready.store(generation_);
    while (board_.begin.load() == 0 && goesOn()) {
      if (car_.isValid()) {
        turn(0.001);
      } else {
        ::usleep(1000);
      }
    }
  }

  void once() {
    switch (state_) {
      case State::LargeValues:
        within(true);
        update(car_, std::size_t{1} << 20);
        within(false);
        return turn(0.001);
      case State::Advancing:
      case State::AdvancingToNext:
        sendEvent(now_.time + 1.0);
        if (!requestAdvance()) return turn(0.001);
        within(true);
        while (now_.advancing && own_.errors.load() == 0) turn(0.001);
        return within(false);
      case State::Objects:
        return manyObjects();
      case State::Ownership:
        return trade();
      case State::Saving:
        return save();
      case State::Restoring:
        return restore();
      case State::Synchronizing:
        return synchronize();
      case State::Subscribing:
        return subscribe();
      case State::Unread:
        return leaveUnread();
      case State::Joining:
      case State::Executions:
        return;
    }
  }

  void join() {
    awaitBegin();
    const std::uint32_t first = sender_;
    for (std::uint32_t times = 1; goesOn(); ++times) {
      // Each time another one, for whom the first may already be gone.
      sender_ = first + (times << 20);
      within(true);
      if (times != 1) connect();
      enter(federation_, name_);
      within(false);
      for (int i = 0; i < 20; ++i) update(car_, 64);
      turn(0.0);
      leave();
    }
  }

  void makeExecutions() {
    awaitBegin();
    within(true);
    while (goesOn()) {
      // Few names, so that what others have left behind is met.
      const std::wstring name = (federation_ + QString("-%1").arg(random_() % 4)).toStdWString();
      attempt<FederationExecutionAlreadyExists>("createFederationExecution", [&] {
        rti().createFederationExecution(name, std::vector<std::wstring>{STORM_FOM});
      });
      bool joined = false;
      if (random_() % 2 == 0) {
        joined = attempt<FederationExecutionDoesNotExist>("joinFederationExecution", [&] {
          rti().joinFederationExecution(name_.toStdWString(), L"storm", name);
        });
      }
      if (joined) {
        attempt("publish", [&] {
          const auto vehicle = rti().getObjectClassHandle(L"Vehicle");
          rti().publishObjectClassAttributes(vehicle,
                                             {rti().getAttributeHandle(vehicle, L"position")});
          rti().registerObjectInstance(vehicle);
        });
        turn(0.0);
        attempt("resignFederationExecution",
                [&] { rti().resignFederationExecution(CANCEL_THEN_DELETE_THEN_DIVEST); });
      }
      attempt<FederatesCurrentlyJoined, FederationExecutionDoesNotExist>(
          "destroyFederationExecution", [&] { rti().destroyFederationExecution(name); });
    }
  }

  void manyObjects() {
    constexpr int count = 10000;
    within(true);
    std::vector<ObjectInstanceHandle> instances;
    for (int i = 0; i < count && own_.errors.load() == 0; ++i) {
      attempt("registerObjectInstance",
              [&] { instances.push_back(rti().registerObjectInstance(vehicle_)); });
      if (i % 500 == 0) turn(0.0);
    }
    for (const auto& one : instances) update(one, 64);
    turn(0.0);
    for (const auto& one : instances) {
      if (own_.errors.load() != 0) return;
      while (!attempt("deleteObjectInstance",
                      [&] { rti().deleteObjectInstance(one, VariableLengthData()); }) &&
             own_.errors.load() == 0) {
        turn(0.001);
      }
    }
    within(false);
  }

  // --- ownership ---

  void trade() {
    if (!subscribed_) {
      subscribed_ = attempt("subscribeObjectClassAttributes", [&] {
        rti().subscribeObjectClassAttributes(vehicle_, {load_});
      });
    }
    within(true);
    for (const auto& [instance, owned] : cars_) {
      if (owned) {
        attempt<AttributeNotOwned, ObjectInstanceNotKnown>(
            "unconditionalAttributeOwnershipDivestiture", [&, instance = instance] {
              rti().unconditionalAttributeOwnershipDivestiture(instance, {load_});
              cars_[instance] = false;
            });
      } else {
        attempt<AttributeAlreadyBeingAcquired, FederateOwnsAttributes, ObjectInstanceNotKnown>(
            "attributeOwnershipAcquisition", [&, instance = instance] {
              rti().attributeOwnershipAcquisition(instance, {load_}, VariableLengthData());
            });
      }
    }
    if (ownsOwn_) {
      attempt<AttributeAlreadyBeingDivested, AttributeNotOwned>(
          "negotiatedAttributeOwnershipDivestiture", [&] {
            rti().negotiatedAttributeOwnershipDivestiture(car_, {load_}, VariableLengthData());
          });
    } else {
      attempt<AttributeAlreadyBeingAcquired, FederateOwnsAttributes>(
          "attributeOwnershipAcquisition", [&] {
            rti().attributeOwnershipAcquisition(car_, {load_}, VariableLengthData());
          });
    }
    turn(0.002);
  }

  void discoverObjectInstance(ObjectInstanceHandle instance, ObjectClassHandle objectClass,
                              const std::wstring&) override {
    if (objectClass == vehicle_ && state_ == State::Ownership) cars_[instance] = false;
  }
  void discoverObjectInstance(ObjectInstanceHandle instance, ObjectClassHandle objectClass,
                              const std::wstring& name, FederateHandle) override {
    discoverObjectInstance(instance, objectClass, name);
  }
  void removeObjectInstance(ObjectInstanceHandle instance, const VariableLengthData&, OrderType,
                            SupplementalRemoveInfo) override {
    cars_.erase(instance);
  }
  void attributeOwnershipAcquisitionNotification(ObjectInstanceHandle instance,
                                                 const AttributeHandleSet&,
                                                 const VariableLengthData&) override {
    if (instance == car_) {
      ownsOwn_ = true;
    } else if (const auto found = cars_.find(instance); found != cars_.end()) {
      found->second = true;
    }
  }
  void requestDivestitureConfirmation(ObjectInstanceHandle instance,
                                      const AttributeHandleSet& attributes) override {
    attempt<NoAcquisitionPending, AttributeDivestitureWasNotRequested, AttributeNotOwned>(
        "confirmDivestiture", [&] {
          rti().confirmDivestiture(instance, attributes, VariableLengthData());
          if (instance == car_) ownsOwn_ = false;
        });
  }
  void requestAttributeOwnershipRelease(ObjectInstanceHandle instance,
                                        const AttributeHandleSet& attributes,
                                        const VariableLengthData&) override {
    attempt<AttributeNotOwned>("attributeOwnershipDivestitureIfWanted", [&] {
      AttributeHandleSet divested;
      rti().attributeOwnershipDivestitureIfWanted(instance, attributes, divested);
      if (instance == car_ && !divested.empty()) ownsOwn_ = false;
    });
  }

  // --- saves, restores and synchronization ---

  void save() {
    const std::wstring label =
        (federation_ + QString("-%1-%2").arg(slot_).arg(++times_ % 4)).toStdWString();
    const std::uint64_t before = saved_ + notSaved_;
    if (attempt("requestFederationSave", [&] { rti().requestFederationSave(label); })) {
      within(true);
      while (saved_ + notSaved_ == before && own_.errors.load() == 0) {
        turn(random_() % 2 == 0 ? 0.0 : 0.002);
      }
      within(false);
    }
    for (int i = 0; i < 3; ++i) update(car_, 500);
    turn(0.001);
  }

  void restore() {
    while (saved_ == 0 && own_.errors.load() == 0) {
      label_ = (federation_ + "-r").toStdWString();
      const std::uint64_t before = saved_ + notSaved_;
      if (!attempt("requestFederationSave", [&] { rti().requestFederationSave(label_); })) {
        turn(0.001);
        continue;
      }
      while (saved_ + notSaved_ == before && own_.errors.load() == 0) turn(0.001);
    }
    for (int i = 0; i < 20; ++i) update(car_, 200);
    const std::uint64_t before = restored_ + notRestored_ + refused_;
    if (!attempt("requestFederationRestore", [&] { rti().requestFederationRestore(label_); })) {
      return turn(0.001);
    }
    within(true);
    while (restored_ + notRestored_ + refused_ == before && own_.errors.load() == 0) turn(0.001);
    within(false);
  }

  void synchronize() {
    const std::wstring label =
        QString("%1-%2").arg(name_).arg(++times_).toStdWString();
    within(true);
    if (attempt("registerFederationSynchronizationPoint", [&] {
          rti().registerFederationSynchronizationPoint(label, VariableLengthData());
        })) {
      // Until it was announced, achieved, and all have achieved it.
      bool announced = false;
      while (own_.errors.load() == 0 && (!announced || !now_.points.empty())) {
        turn(0.0);
        announced = announced || now_.points.contains(label) || synchronized_ == label;
      }
    } else {
      turn(0.001);
    }
    within(false);
  }
  void federationSynchronized(const std::wstring& label,
                              const FederateHandleSet& failed) override {
    Stormer::federationSynchronized(label, failed);
    synchronized_ = label;
  }

  // --- subscriptions ---

  void subscribe() {
    within(true);
    RegionHandle region;
    const auto x = rti().getDimensionHandle(L"X");
    bool made = attempt("createRegion", [&] {
      region = rti().createRegion({x});
      const unsigned long from = random_() % 900;
      rti().setRangeBounds(region, x, RangeBounds(from, from + 100));
      rti().commitRegionModifications({region});
    });
    if (!made) return turn(0.001);
    const AttributeHandleSetRegionHandleSetPairVector pairs{
        {AttributeHandleSet{place_}, RegionHandleSet{region}}};
    const auto surely = [&](const char* service, auto&& call) {
      while (own_.errors.load() == 0 && !attempt(service, call)) turn(0.001);
    };
    surely("subscribeObjectClassAttributesWithRegions",
           [&] { rti().subscribeObjectClassAttributesWithRegions(vehicle_, pairs); });
    surely("subscribeObjectClassAttributes",
           [&] { rti().subscribeObjectClassAttributes(vehicle_, {position_}); });
    surely("subscribeInteractionClass", [&] { rti().subscribeInteractionClass(event_); });
    heard_ = true;
    turn(0.001);
    surely("setRangeBounds", [&] {
      rti().setRangeBounds(region, x, RangeBounds(0, 1000));
      rti().commitRegionModifications({region});
    });
    turn(0.001);
    surely("unsubscribeObjectClassAttributesWithRegions",
           [&] { rti().unsubscribeObjectClassAttributesWithRegions(vehicle_, pairs); });
    surely("unsubscribeObjectClass", [&] { rti().unsubscribeObjectClass(vehicle_); });
    heard_ = false;
    surely("unsubscribeInteractionClass", [&] { rti().unsubscribeInteractionClass(event_); });
    surely("deleteRegion", [&] { rti().deleteRegion(region); });
    turn(0.0);
  }
  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap&,
                              const VariableLengthData&, OrderType, TransportationType,
                              SupplementalReflectInfo) override {
    if (state_ == State::Subscribing && !heard_) wrong("a value came after unsubscribing");
    own_.received.store(own_.received.load() + 1);
  }

  // --- rings ---

  void leaveUnread() {
    if (!subscribed_) {
      subscribed_ = attempt("subscribeObjectClassAttributes", [&] {
        rti().subscribeObjectClassAttributes(vehicle_, {position_, place_});
      });
      if (!subscribed_) return turn(0.001);
    }
    within(true);
    for (int i = 0; i < 200; ++i) update(car_, 900);
    ::usleep(20000);
    for (int i = 0; i < 200; ++i) update(car_, 900);
    turn(0.0);
  }

  const std::uint32_t generation_;
  const State state_;
  QString federation_, name_;
  std::map<ObjectInstanceHandle, bool> cars_;  ///< whether it owns their load
  bool ownsOwn_ = true;
  bool subscribed_ = false;
  bool heard_ = false;
  std::uint64_t times_ = 0;
  std::wstring label_, synchronized_;
};

}  // namespace
}  // namespace storm

/// victim FEDERATION SLOT GENERATION STATE
int runVictim(const QStringList& arguments) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);  // SIGSEGV is one of its ends
  auto& board = openBoardOf<storm::Board>();
  storm::Victim victim(board, arguments.value(1).toUInt(), arguments.value(2).toUInt(),
                       static_cast<storm::State>(arguments.value(3).toUInt()));
  try {
    victim.run(arguments.value(0));
  } catch (const rti1516e::Exception& exception) {
    victim.wrong("exception " + QString::fromStdWString(exception.what()));
    return 1;
  }
  return 0;
}

}  // namespace federates
