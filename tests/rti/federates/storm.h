// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <RTI/NullFederateAmbassador.h>
#include <RTI/RTI1516.h>
#include <RTI/time/HLAfloat64Interval.h>
#include <RTI/time/HLAfloat64Time.h>

#include <QString>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/// The federates of the storm (tst_storm.cpp): survivors, who check what they are told, and victims,
/// each of which does one thing over and over until it is killed.
namespace federates::storm {

/// What a victim is killed in the middle of.
enum class State : std::uint32_t {
  LargeValues,      ///< sends values of 1 MiB
  Joining,          ///< connects and joins, again and again
  Advancing,        ///< waits for the grant of a time advance request
  AdvancingToNext,  ///< of a next message request
  Objects,          ///< registers, updates and deletes 10,000 object instances
  Ownership,        ///< trades attributes with the survivors
  Saving,
  Restoring,
  Synchronizing,
  Executions,   ///< creates and destroys federation executions, and is in them
  Subscribing,  ///< subscribes and unsubscribes, with regions and without
  Unread,       ///< reads nothing while the others send, and sends much itself: rings grow
};
inline constexpr std::size_t stateCount = 12;
inline const char* nameOf(State state) {
  constexpr const char* names[stateCount] = {"large values",
                                             "joining",
                                             "advancing",
                                             "advancing to the next",
                                             "objects",
                                             "ownership",
                                             "saving",
                                             "restoring",
                                             "synchronizing",
                                             "executions",
                                             "subscribing",
                                             "unread"};
  return names[static_cast<std::size_t>(state) % stateCount];
}

inline constexpr std::uint32_t mostSurvivors = 4;
inline constexpr std::uint32_t mostVictims = 3;
inline constexpr std::uint32_t slotCount = mostSurvivors + mostVictims;

/// What one federate tells; it is the only writer but for `generation`.
struct Slot {
  std::atomic<std::uint32_t> generation;  ///< test: which of the federates in this slot is meant
  std::atomic<std::uint32_t> ready;       ///< generation that is joined, and has begun
  std::atomic<std::uint32_t> within;      ///< it is in its state right now
  std::atomic<std::uint64_t> updateFrom[slotCount];  ///< newest round heard by an update of a slot
  std::atomic<std::uint64_t> eventFrom[slotCount];   ///< ... by an event in timestamp order
  std::atomic<std::uint64_t> members;    ///< of the names of all HLAfederate instances known
  std::atomic<std::uint32_t> busy;       ///< bits of Busy
  std::atomic<std::uint64_t> round;      ///< to which all of this belongs
  std::atomic<std::uint64_t> sent;
  std::atomic<std::uint64_t> received;
  std::atomic<std::uint64_t> grants;
  std::atomic<std::uint64_t> saved;
  std::atomic<std::uint64_t> restored;
  std::atomic<std::uint64_t> errors;     ///< things that must not happen; text of the first below
  char text[600];
};

/// What of a survivor has not come to its end; all of it does without the victims.
namespace Busy {
inline constexpr std::uint32_t saveOrRestore = 1;
inline constexpr std::uint32_t synchronizationPoint = 2;
inline constexpr std::uint32_t ownLoadIsAway = 4;
inline constexpr std::uint32_t instanceWithoutName = 8;  ///< of HLAfederate
}  // namespace Busy

struct Board {
  std::atomic<std::uint64_t> round;  ///< test: each survivor sends once per round
  std::atomic<std::uint32_t> stop;   ///< test: resign and end
  std::atomic<std::uint32_t> begin;  ///< test: all victims are there, and begin
  std::atomic<std::uint32_t> flood;  ///< a victim reads nothing: the survivors send more
  Slot all[slotCount];
};

inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}
/// What a name adds to the number by which Slot::members stands for a set of names.
inline std::uint64_t digestOf(const QString& name) {
  std::uint64_t hash = 0x5bd1e995;
  for (const QChar one : name) hash = mixed(hash, one.unicode());
  return hash;
}
/// Name of the federate of a slot.
inline QString nameOf(std::uint32_t slot, std::uint32_t generation) {
  return QString("f%1.%2").arg(slot).arg(generation);
}

/// A federate of the storm. What any of them does: takes part in saves, restores and
/// synchronization, and writes onto the board what must not happen.
class Stormer : public rti1516e::NullFederateAmbassador {
 public:
  Stormer(Board& board, std::uint32_t slot, std::uint32_t generation);

  void wrong(const QString& text);
  void connect();
  /// Creates unless it exists, joins, declares, and registers an instance.
  void enter(const QString& federation, const QString& name);
  void leave();

  rti1516e::RTIambassador& rti() { return *rti_; }
  bool isFrozen() const { return frozen_; }

 protected:
  /// Calls a service. False: a save or a restore is in progress, or it threw one of `Allowed`.
  /// Anything else is wrong.
  template <class... Allowed, class Call>
  bool attempt(const char* service, Call&& call) {
    try {
      call();
      return true;
    } catch (const rti1516e::SaveInProgress&) {
    } catch (const rti1516e::RestoreInProgress&) {
    } catch (const rti1516e::Exception& exception) {
      if (!(isA<Allowed>(exception) || ...)) threw(service, exception);
    }
    return false;
  }
  template <class Allowed>
  static bool isA(const rti1516e::Exception& exception) {
    return dynamic_cast<const Allowed*>(&exception) != nullptr;
  }
  void threw(const char* service, const rti1516e::Exception& exception);

  /// Delivers callbacks, and does what they have asked for.
  void turn(double seconds);
  bool update(rti1516e::ObjectInstanceHandle instance, std::size_t bytes, std::uint64_t round = 0);
  bool sendEvent(double time, std::uint64_t round = 0);
  void within(bool is) { own_.within.store(is ? 1 : 0); }
  rti1516e::AttributeHandle attribute(const wchar_t* name);
  bool enableTime();
  bool requestAdvance();

  /// What belongs to the state of the federate, and is restored with it.
  struct Memory {
    std::uint64_t updates = 0;  ///< sent
    std::uint64_t events = 0;
    double time = 0;
    double requested = 0;
    bool advancing = false;
    std::map<std::pair<std::uint32_t, bool>, std::uint64_t> heard;  ///< by sender; events apart
    std::set<std::uint32_t> gone;                     ///< senders whose first instance was removed
    std::map<rti1516e::ObjectInstanceHandle, std::uint32_t> known;  ///< 0, or whose first it is
    std::map<rti1516e::ObjectInstanceHandle, QString> federates;    ///< HLAfederate
    std::set<std::wstring> points;  ///< announced, not yet synchronized
    std::set<std::wstring> unachieved;
    bool ownsLoad = true;
    bool seeksLoad = false;
  };

  // FederateAmbassador
  void connectionLost(const std::wstring& reason) override;
  void announceSynchronizationPoint(const std::wstring& label,
                                    const rti1516e::VariableLengthData&) override;
  void federationSynchronized(const std::wstring& label,
                              const rti1516e::FederateHandleSet&) override;
  void initiateFederateSave(const std::wstring& label) override;
  void federationSaved() override;
  void federationNotSaved(rti1516e::SaveFailureReason reason) override;
  void requestFederationRestoreFailed(const std::wstring& label) override;
  void federationRestoreBegun() override { frozen_ = true; }
  void initiateFederateRestore(const std::wstring& label, const std::wstring&,
                               rti1516e::FederateHandle) override;
  void federationRestored() override;
  void federationNotRestored(rti1516e::RestoreFailureReason reason) override;
  void timeRegulationEnabled(const rti1516e::LogicalTime& time) override;
  void timeConstrainedEnabled(const rti1516e::LogicalTime& time) override;
  void timeAdvanceGrant(const rti1516e::LogicalTime& time) override;

  Board& board_;
  Slot& own_;
  std::uint32_t slot_;
  std::uint32_t sender_;  ///< by which the others know it; a former one of the slot had another
  std::mt19937 random_;
  Memory now_;
  std::unique_ptr<rti1516e::RTIambassador> rti_;
  rti1516e::ObjectClassHandle vehicle_;
  rti1516e::AttributeHandle position_, place_, load_;
  rti1516e::InteractionClassHandle event_;
  rti1516e::ParameterHandle number_;
  rti1516e::ObjectInstanceHandle car_;
  bool toNext_ = false;  ///< time is advanced by next message request
  bool regulating_ = false, constrained_ = false;
  int pauseBeforeBegun_ = 0;  ///< turns
  std::uint64_t saved_ = 0, notSaved_ = 0, restored_ = 0, notRestored_ = 0, refused_ = 0;

 private:
  void takePart();

  bool frozen_ = false;
  std::wstring saving_, restoring_;  ///< a label that is to be answered
  std::wstring saves_;               ///< the label whose state `saved` is going to be
  std::map<std::wstring, Memory> memories_;
  Memory atSave_;
  std::vector<std::uint64_t> words_;
};

/// What a value carries; words that follow from it fill the rest.
struct Value {
  std::uint32_t sender = 0;
  std::uint32_t first = 0;  ///< its instance is the first of its sender
  std::uint64_t number = 0;
  std::uint64_t round = 0;
  std::uint64_t checksum = 0;
};
std::uint64_t checksumOf(const Value& value, const std::uint64_t* words, std::size_t count);

}  // namespace federates::storm
