// SPDX-License-Identifier: GPL-3.0-or-later
// A federate that sends, receives, advances its time and in the end resigns, and says on the board
// which of it it is doing. It is killed at some point of that.
#include <cstring>
#include <map>

#include "federates/board.h"
#include "federates/role.h"

namespace federates {

using namespace rti1516e;

namespace {

constexpr double lookahead = 1.0;
constexpr int burst = 20;

class Member : public Recorder {
 public:
  Member(Board& board, std::uint32_t slot, std::uint32_t generation)
      : Recorder(memberName(slot, generation)),
        board_(board),
        own_(board.members[slot]),
        slot_(slot),
        generation_(generation) {
    quiet = true;
    onReflect = [this](auto, const AttributeHandleValueMap& values) {
      note(values.begin()->second, nullptr);
    };
    onGrant = [this](double time) {
      if (time != requested_) wrong(QString("granted %1, not %2").arg(time).arg(requested_));
      time_ = time;
      granted_ = true;
    };
  }

  void takePart(const QString& federation) {
    phase(Phase::Joining);
    enter(federation);
    phase(Phase::Idle);
    publish("Vehicle", {"position"});
    subscribe("Vehicle", {"position"});
    publishInteraction("Event");
    subscribeInteraction("Event");
    position_ = attribute("Vehicle", "position");
    event_ = interactionClass("Event");
    eventNumber_ = parameter("Event", "number");
    car_ = rti().registerObjectInstance(objectClass("Vehicle"));
    rti().enableAsynchronousDelivery();
    rti().enableTimeRegulation(HLAfloat64Interval(lookahead));
    rti().enableTimeConstrained();
    if (!pumpUntil([this] { return count("regulating") == 1 && count("constrained") == 1; },
                   30000)) {
      wrong("time management was not enabled within 30 s");
    }
    HLAfloat64Time now;
    rti().queryLogicalTime(now);
    time_ = start_ = now.getTime();
    own_.joinedRound.store(board_.round.load());
    while (board_.stop.load() == 0 && board_.leave[slot_].load() != generation_) turn();
    phase(Phase::Resigning);
    rti().resignFederationExecution(DELETE_OBJECTS_THEN_DIVEST);
    phase(Phase::Left);
    rti().disconnect();
  }

  void wrong(const QString& text) {
    if (own_.errors.load() == 0) {
      const QByteArray bytes = text.toUtf8().left(sizeof own_.text - 1);
      std::memcpy(own_.text, bytes.constData(), static_cast<std::size_t>(bytes.size()));
    }
    own_.errors.store(own_.errors.load() + 1);
  }

  void connectionLost(const std::wstring& reason) override {
    wrong("connection lost: " + QString::fromStdWString(reason));
  }
  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap& values,
                          const VariableLengthData&, OrderType, TransportationType,
                          const LogicalTime& time, OrderType received, MessageRetractionHandle,
                          SupplementalReceiveInfo) override {
    const double stamp = dynamic_cast<const HLAfloat64Time&>(time).getTime();
    if (received != TIMESTAMP) {
      // One who begins to regulate begins where it is nobody's past (8.2); what was on its way to
      // him before may be of his own, and only that.
      HLAfloat64Time now;
      rti().queryLogicalTime(now);
      if (own_.joinedRound.load() != 0 || stamp >= now.getTime()) {
        wrong(QString("an event of time %1 was not received in timestamp order at %2")
                  .arg(stamp)
                  .arg(now.getTime()));
      }
    }
    note(values.begin()->second, &stamp, received == TIMESTAMP);
  }

 private:
  void phase(Phase now) { own_.phase.store(static_cast<std::uint32_t>(now)); }

  VariableLengthData value(std::uint64_t round, std::uint64_t number) const {
    const Payload head{slot_ | generation_ << 8, static_cast<std::uint32_t>(round), number};
    return VariableLengthData(&head, sizeof head);
  }

  void update(std::uint64_t round) {
    own_.begun.store(own_.begun.load() + 1);
    rti().updateAttributeValues(car_, {{position_, value(round, ++updates_)}}, {});
    own_.ended.store(own_.ended.load() + 1);
  }

  void turn() {
    phase(Phase::Sending);
    const std::uint64_t round = board_.round.load();
    if (round != round_) {
      round_ = round;
      update(round);
      rti().sendInteraction(event_, {{eventNumber_, value(round, ++events_)}}, {},
                            HLAfloat64Time(time_ + lookahead));
    }
    for (int i = 0; i < burst; ++i) update(0);
    phase(Phase::Receiving);
    pump();
    phase(Phase::Granting);
    granted_ = false;
    requested_ = time_ + 1.0;
    rti().timeAdvanceRequest(HLAfloat64Time(requested_));
    while (!granted_ && board_.stop.load() == 0) {
      rti().evokeMultipleCallbacks(0.005, 0.05);
      lookAround();
    }
    own_.grants.store(own_.grants.load() + 1);
    phase(Phase::Idle);
    lookAround();
  }

  /// Who is joined, as far as this federate knows.
  void lookAround() {
    std::uint64_t known = 0;
    for (std::uint32_t slot = 0; slot < slotCount; ++slot) {
      const std::uint32_t generation = board_.members[slot].generation.load();
      if (generation == 0) continue;
      // Of the former ones in its place, nobody.
      for (std::uint32_t one = generation > 2 ? generation - 2 : 1; one <= generation; ++one) {
        if (!isJoined(memberName(slot, one))) continue;
        known |= std::uint64_t{1} << (one == generation ? slot : slot + 32);
      }
    }
    own_.known.store(known);
    own_.knownRound.store(board_.round.load());
  }

  bool isJoined(const QString& name) {
    try {
      rti().getFederateHandle(name.toStdWString());
      return true;
    } catch (const NameNotFound&) {
      return false;
    }
  }

  /// What was heard: nothing lost, nothing twice, nothing late.
  void note(const VariableLengthData& data, const double* stamp, bool granted = false) {
    Payload head;
    if (data.size() != sizeof head) return wrong("a torn value");
    std::memcpy(&head, data.data(), sizeof head);
    const std::uint32_t slot = head.sender & 0xff;
    if (slot >= slotCount) return wrong("a value of nobody");
    std::uint64_t& last = last_[{head.sender, stamp != nullptr}];
    if (last != 0 && head.number != last + 1) {
      wrong(QString("%1 %2 of %3 follows %4")
                .arg(stamp != nullptr ? "event" : "update")
                .arg(head.number)
                .arg(memberName(slot, head.sender >> 8))
                .arg(last));
    }
    last = head.number;
    // One becomes constrained when GALT is not before its time (8.6): then a message of just that
    // time may still come.
    const bool late = stamp != nullptr && (*stamp < time_ || (*stamp == time_ && time_ != start_));
    if (granted && (late || granted_ || *stamp > requested_)) {
      wrong(QString("an event of time %1 on the way from %2 to %3")
                .arg(*stamp)
                .arg(time_)
                .arg(requested_));
    }
    if (head.reserved == 0 || board_.members[slot].generation.load() != head.sender >> 8) return;
    auto& heard = stamp != nullptr ? own_.eventFrom[slot] : own_.updateFrom[slot];
    heard.store(head.reserved);
  }

  Board& board_;
  Slot& own_;
  std::uint32_t slot_;
  std::uint32_t generation_;
  AttributeHandle position_;
  InteractionClassHandle event_;
  ParameterHandle eventNumber_;
  ObjectInstanceHandle car_;
  std::uint64_t round_ = 0;
  std::uint64_t updates_ = 0;
  std::uint64_t events_ = 0;
  std::map<std::pair<std::uint32_t, bool>, std::uint64_t> last_;
  double start_ = 0;  ///< where its time began
  double time_ = 0;
  double requested_ = 0;
  bool granted_ = true;
};

}  // namespace

/// member FEDERATION SLOT GENERATION
int runMember(const QStringList& arguments) {
  Board& board = openBoard();
  Member member(board, arguments.value(1).toUInt(), arguments.value(2).toUInt());
  try {
    member.takePart(arguments.value(0));
  } catch (const Exception& exception) {
    member.wrong("exception " + QString::fromStdWString(exception.what()));
    return 1;
  }
  return 0;
}

}  // namespace federates
