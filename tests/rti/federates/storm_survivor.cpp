// SPDX-License-Identifier: GPL-3.0-or-later
// One that is never killed, and checks all it is told.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "federates/board.h"
#include "federates/role.h"
#include "federates/storm.h"

namespace federates {
namespace storm {

using namespace rti1516e;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int burst = 5;
constexpr int flood = 60;

class Survivor : public Stormer {
 public:
  Survivor(Board& board, std::uint32_t slot) : Stormer(board, slot, 1) {
    toNext_ = slot % 2 == 1;
  }

  void run(const QString& federation) {
    connect();
    enter(federation, nameOf(slot_, 1));
    manager_ = rti().getObjectClassHandle(L"HLAmanager.HLAfederate");
    nameOfFederate_ = rti().getAttributeHandle(manager_, L"HLAfederateName");
    surely("subscribeObjectClassAttributes",
           [&] { rti().subscribeObjectClassAttributes(vehicle_, {position_, place_, load_}); });
    surely("subscribeObjectClassAttributes",
           [&] { rti().subscribeObjectClassAttributes(manager_, {nameOfFederate_}); });
    surely("subscribeInteractionClass", [&] { rti().subscribeInteractionClass(event_); });
    enableTime();
    checksTime_ = true;
    own_.ready.store(1);
    while (board_.stop.load() == 0) live();
    leave();
  }

 private:
  template <class Call>
  void surely(const char* service, Call&& call) {
    while (own_.errors.load() == 0 && !attempt(service, call)) turn(0.001);
  }

  void live() {
    const std::uint64_t round = board_.round.load();
    if (!isFrozen()) {
      if (round != updated_ && update(car_, 64, round)) updated_ = round;
      if (!now_.advancing) {
        if (round != told_ && sendEvent(now_.time + 1.0, round)) told_ = round;
        requestAdvance();
      }
      const bool many = board_.flood.load() != 0;
      for (int i = 0; i < (many ? flood : burst) && !isFrozen(); ++i) {
        if (!update(car_, sizes_[random_() % (many ? 4 : 8)])) break;
      }
      if (Clock::now() > nextLook_) {
        nextLook_ = Clock::now() + std::chrono::milliseconds(50);
        lookAround();
      }
    }
    turn(0.001);
    show(round);
  }

  /// Now and then: what went wrong because of somebody's death is tried again.
  void lookAround() {
    for (const auto& [instance, name] : now_.federates) {
      if (!name.isEmpty()) continue;
      attempt<ObjectInstanceNotKnown>("requestAttributeValueUpdate", [&] {
        rti().requestAttributeValueUpdate(instance, {nameOfFederate_}, VariableLengthData());
      });
    }
    if (!now_.ownsLoad && !now_.seeksLoad) {
      now_.seeksLoad = attempt("attributeOwnershipAcquisitionIfAvailable", [&] {
        rti().attributeOwnershipAcquisitionIfAvailable(car_, {load_});
      });
    }
    attempt("updateAttributeValues", [&] {
      const std::uint64_t place = random_();
      rti().updateAttributeValues(car_, {{place_, VariableLengthData(&place, sizeof place)}},
                                  VariableLengthData());
    });
  }

  void show(std::uint64_t round) {
    std::uint64_t digest = 0;
    bool nameless = false;
    for (const auto& [instance, name] : now_.federates) {
      digest += digestOf(name);
      nameless = nameless || name.isEmpty();
    }
    own_.members.store(digest);
    own_.busy.store((isFrozen() ? Busy::saveOrRestore : 0) |
                    (now_.points.empty() ? 0 : Busy::synchronizationPoint) |
                    (now_.ownsLoad ? 0 : Busy::ownLoadIsAway) |
                    (nameless ? Busy::instanceWithoutName : 0));
    own_.round.store(round);
  }

  // --- what it is told ---

  void discoverObjectInstance(ObjectInstanceHandle instance, ObjectClassHandle objectClass,
                              const std::wstring& name) override {
    discoverObjectInstance(instance, objectClass, name, FederateHandle());
  }
  void discoverObjectInstance(ObjectInstanceHandle instance, ObjectClassHandle objectClass,
                              const std::wstring& name, FederateHandle) override {
    const bool isNew = objectClass == manager_ ? now_.federates.try_emplace(instance).second
                                               : now_.known.try_emplace(instance, 0u).second;
    if (!isNew) wrong("discovered twice: " + QString::fromStdWString(name));
    if (objectClass == manager_) nextLook_ = {};
  }
  void removeObjectInstance(ObjectInstanceHandle instance, const VariableLengthData&, OrderType,
                            SupplementalRemoveInfo) override {
    if (now_.federates.erase(instance) != 0) return;
    const auto found = now_.known.find(instance);
    if (found == now_.known.end()) {
      return wrong("removed what was never discovered: " +
                   QString::fromStdWString(instance.toString()));
    }
    if (found->second != 0) now_.gone.insert(found->second);
    now_.known.erase(found);
  }

  void reflectAttributeValues(ObjectInstanceHandle instance, const AttributeHandleValueMap& values,
                              const VariableLengthData&, OrderType, TransportationType,
                              SupplementalReflectInfo) override {
    if (const auto federate = now_.federates.find(instance); federate != now_.federates.end()) {
      if (const auto name = values.find(nameOfFederate_); name != values.end()) {
        federate->second = textOf(name->second);
      }
      return;
    }
    const auto known = now_.known.find(instance);
    if (known == now_.known.end()) {
      return wrong("a value of what is not known: " +
                   QString::fromStdWString(instance.toString()));
    }
    const auto position = values.find(position_);
    if (position == values.end()) return;
    Value head;
    if (!check(position->second, head, false)) return;
    if (head.first != 0) known->second = head.sender;
    const std::uint32_t from = head.sender & 0xff;
    if (from < mostSurvivors && head.round != 0) own_.updateFrom[from].store(head.round);
  }

  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap& values,
                          const VariableLengthData&, OrderType, TransportationType,
                          const LogicalTime& time, OrderType received, MessageRetractionHandle,
                          SupplementalReceiveInfo) override {
    Value head;
    if (!check(values.begin()->second, head, true)) return;
    const double stamp = dynamic_cast<const HLAfloat64Time&>(time).getTime();
    const bool late = stamp < now_.time || stamp > now_.requested || !now_.advancing;
    if (checksTime_ && (late || received != TIMESTAMP)) {
      wrong(QString("an event of time %1 of %2 came %3 on the way from %4 to %5")
                .arg(stamp)
                .arg(nameOf(head.sender & 0xff, head.sender >> 8))
                .arg(received == TIMESTAMP ? "in timestamp order" : "in receive order")
                .arg(now_.time)
                .arg(now_.requested));
    }
    const std::uint32_t from = head.sender & 0xff;
    if (from < mostSurvivors && head.round != 0) own_.eventFrom[from].store(head.round);
  }

  bool check(const VariableLengthData& data, Value& head, bool isEvent) {
    const auto* words = static_cast<const std::uint64_t*>(data.data());
    constexpr std::size_t headWords = sizeof head / sizeof *words;
    const std::size_t count = data.size() / sizeof *words;
    if (count < headWords) {
      wrong(QString("a torn value of %1 octets").arg(data.size()));
      return false;
    }
    std::memcpy(&head, data.data(), sizeof head);
    const QString from = nameOf(head.sender & 0xff, head.sender >> 8);
    if (checksumOf(head, words + headWords, count - headWords) != head.checksum) {
      wrong(QString("a value of %1 octets of %2 has been changed").arg(data.size()).arg(from));
      return false;
    }
    std::uint64_t& last = now_.heard[{head.sender, isEvent}];
    if (last != 0 && head.number != last + 1) {
      wrong(QString("%1 %2 of %3 follows %4, %5 octets, at %6 of its own, %7 saves, %8 restores")
                .arg(isEvent ? "event" : "update")
                .arg(head.number)
                .arg(from)
                .arg(last)
                .arg(data.size())
                .arg(now_.updates)
                .arg(saved_ + notSaved_)
                .arg(restored_ + notRestored_));
    }
    last = head.number;
    if (!isEvent && now_.gone.contains(head.sender)) {
      wrong(QString("update %1 of %2 came after its end").arg(head.number).arg(from));
    }
    own_.received.store(own_.received.load() + 1);
    return true;
  }

  static QString textOf(const VariableLengthData& data) {
    const auto* octets = static_cast<const unsigned char*>(data.data());
    QString text;
    for (std::size_t i = 4; i + 1 < data.size(); i += 2) {
      text += QChar(static_cast<char16_t>(octets[i] << 8 | octets[i + 1]));
    }
    return text;
  }

  // --- trades ---

  void requestAttributeOwnershipRelease(ObjectInstanceHandle instance,
                                        const AttributeHandleSet& attributes,
                                        const VariableLengthData&) override {
    attempt<AttributeNotOwned>("attributeOwnershipDivestitureIfWanted", [&] {
      AttributeHandleSet divested;
      rti().attributeOwnershipDivestitureIfWanted(instance, attributes, divested);
      if (instance == car_ && !divested.empty()) now_.ownsLoad = false;
    });
  }
  void requestAttributeOwnershipAssumption(ObjectInstanceHandle instance, const AttributeHandleSet&,
                                           const VariableLengthData&) override {
    // Of victims' cars it takes what is offered; its own it looks after itself, and those of others
    // it leaves to them.
    if (instance == car_ || now_.known.count(instance) == 0) return;
    const std::uint32_t first = now_.known.at(instance);
    if (first == 0 || (first & 0xff) < mostSurvivors) return;
    attempt<AttributeAlreadyBeingAcquired, FederateOwnsAttributes>(
        "attributeOwnershipAcquisition", [&] {
          rti().attributeOwnershipAcquisition(instance, {load_}, VariableLengthData());
        });
  }
  void attributeOwnershipAcquisitionNotification(ObjectInstanceHandle instance,
                                                 const AttributeHandleSet&,
                                                 const VariableLengthData&) override {
    if (instance != car_) return;
    now_.ownsLoad = true;
    now_.seeksLoad = false;
  }
  void attributeOwnershipUnavailable(ObjectInstanceHandle instance,
                                     const AttributeHandleSet&) override {
    if (instance == car_) now_.seeksLoad = false;
  }

  static constexpr std::size_t sizes_[8] = {1000, 400, 2048, 64, 64, 64, 200, 20000};
  ObjectClassHandle manager_;
  AttributeHandle nameOfFederate_;
  bool checksTime_ = false;
  std::uint64_t updated_ = 0, told_ = 0;  ///< rounds
  Clock::time_point nextLook_{};
};

}  // namespace
}  // namespace storm

/// survivor FEDERATION SLOT
int runSurvivor(const QStringList& arguments) {
  auto& board = openBoardOf<storm::Board>();
  storm::Survivor survivor(board, arguments.value(1).toUInt());
  try {
    survivor.run(arguments.value(0));
  } catch (const rti1516e::Exception& exception) {
    survivor.wrong("exception " + QString::fromStdWString(exception.what()));
    return 1;
  }
  return 0;
}

}  // namespace federates
