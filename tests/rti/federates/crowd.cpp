// SPDX-License-Identifier: GPL-3.0-or-later
// Several federates on one thread, each publishing and subscribing the same classes.
#include <QElapsedTimer>
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "federates/role.h"
#include "patience.h"

namespace federates {

using namespace rti1516e;

namespace {

constexpr int limit = 45000 * patience;  ///< ms
constexpr int payloadBytes = 40;

class CrowdMember : public Recorder {
 public:
  CrowdMember(const QString& name, std::uint32_t number) : Recorder(name), number_(number) {
    quiet = true;
    onReflect = [this](auto, const AttributeHandleValueMap& values) {
      take(values.begin()->second);
    };
    onReceive = [this](auto, const ParameterHandleValueMap& values) {
      take(values.begin()->second);
    };
  }

  void declare(bool mixed) {
    mixed_ = mixed;
    publish("Vehicle", {"position"});
    subscribe("Vehicle", {"position"});
    position_ = attribute("Vehicle", "position");
    if (!mixed) return;
    publish("Vehicle.Truck", {"load"});
    subscribe("Vehicle.Truck", {"load"});
    publishInteraction("Message");
    subscribeInteraction("Message");
    load_ = attribute("Vehicle.Truck", "load");
    message_ = interactionClass("Message");
    text_ = parameter("Message", "text");
  }

  void registerAll() {
    vehicle_ = rti().registerObjectInstance(objectClass("Vehicle"));
    if (mixed_) truck_ = rti().registerObjectInstance(objectClass("Vehicle.Truck"));
  }

  void sendNext() {
    const VariableLengthData value = payload(sent_);
    const auto way = mixed_ ? sent_ % 3 : 0;
    ++sent_;
    if (way == 0) {
      rti().updateAttributeValues(vehicle_, {{position_, value}}, VariableLengthData());
    } else if (way == 1) {
      rti().updateAttributeValues(truck_, {{load_, value}}, VariableLengthData());
    } else {
      rti().sendInteraction(message_, {{text_, value}}, VariableLengthData());
    }
  }

  std::uint64_t received() const { return received_; }
  std::uint64_t errors() const { return errors_; }
  /// As much from each of `others` as was sent here.
  bool heardAll(std::uint64_t others) const {
    if (sent_ == 0) return true;
    if (next_.size() < others) return false;
    return std::all_of(next_.begin(), next_.end(),
                       [this](const auto& one) { return one.second >= sent_; });
  }
  std::size_t senders() const { return next_.size(); }
  int discoveries() const { return discoveries_; }
  int values() const { return values_; }
  int provides() const { return provides_; }

  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle,
                              const std::wstring&) override {
    ++discoveries_;
  }
  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle, const std::wstring&,
                              FederateHandle) override {
    ++discoveries_;
  }
  void provideAttributeValueUpdate(ObjectInstanceHandle instance, const AttributeHandleSet&,
                                   const VariableLengthData&) override {
    ++provides_;
    const bool truck = mixed_ && instance == truck_;
    rti().updateAttributeValues(instance, {{truck ? load_ : position_, payload(provided)}},
                                VariableLengthData());
  }

 private:
  static constexpr std::uint64_t provided = ~std::uint64_t{0};

  VariableLengthData payload(std::uint64_t number) const {
    char bytes[payloadBytes];
    std::memset(bytes, static_cast<int>(number % 251), sizeof bytes);
    const Payload head{number_, 0, number};
    std::memcpy(bytes, &head, sizeof head);
    return VariableLengthData(bytes, sizeof bytes);
  }

  /// Exactly once and in order: the next number of that sender, and a whole payload.
  void take(const VariableLengthData& data) {
    Payload head;
    if (data.size() != payloadBytes) {
      ++errors_;
      return;
    }
    const auto* bytes = static_cast<const unsigned char*>(data.data());
    std::memcpy(&head, bytes, sizeof head);
    for (std::size_t i = sizeof head; i < payloadBytes; ++i) {
      if (bytes[i] != head.number % 251) {
        ++errors_;
        return;
      }
    }
    if (head.number == provided) {
      ++values_;
      return;
    }
    ++received_;
    if (next_[head.sender]++ != head.number) ++errors_;
  }

  std::uint32_t number_;
  bool mixed_ = false;
  AttributeHandle position_;
  AttributeHandle load_;
  InteractionClassHandle message_;
  ParameterHandle text_;
  ObjectInstanceHandle vehicle_;
  ObjectInstanceHandle truck_;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t errors_ = 0;
  std::map<std::uint32_t, std::uint64_t> next_;
  int discoveries_ = 0;
  int values_ = 0;
  int provides_ = 0;
};

class Crowd {
 public:
  QString perform(const QStringList& words, Input& input) {
    const QString command = words.value(0);
    const auto number = [&](int i) { return words.value(i).toULongLong(); };
    if (command == "join") {
      for (std::uint64_t i = 0; i < number(3); ++i) {
        const auto id = static_cast<std::uint32_t>(number(2) + i);
        members_.push_back(std::make_unique<CrowdMember>(QString("f%1").arg(id), id));
        members_.back()->enter(words.value(1));
      }
      return "joined";
    }
    if (command == "declare") {
      for (auto& member : members_) member->declare(words.value(1) == "mixed");
      return "declared";
    }
    if (command == "register") {
      for (auto& member : members_) member->registerAll();
      return "registered";
    }
    if (command == "discovered") return discovered(static_cast<int>(number(1)));
    if (command == "exchange") return exchange(number(1), number(2), number(3));
    if (command == "send") {
      send(number(1));
      return "sent";
    }
    if (command == "burst") {
      send(number(1));
      return hear(number(1) * number(2));
    }
    if (command == "hear") return hear(number(1));
    if (command == "serve") {
      say("serving");
      while (!input.ready()) pumpAll(0.002);
      return "served";
    }
    if (command == "report") return report();
    if (command == "leave") {
      for (auto& member : members_) member->leave();
      members_.clear();
      return "left";
    }
    return "unknown command " + command;
  }

 private:
  /// Without evoking in between.
  void send(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      for (auto& member : members_) member->sendNext();
    }
  }

  void pumpAll(double waitOfLast) {
    for (auto& member : members_) member->rti().evokeMultipleCallbacks(0.0, 0.05);
    members_.back()->rti().evokeMultipleCallbacks(waitOfLast, 0.05);
  }

  template <class Done>
  bool pumpUntil(Done&& done) {
    QElapsedTimer timer;
    timer.start();
    while (!done()) {
      if (timer.elapsed() > limit) return false;
      pumpAll(0.002);
    }
    return true;
  }

  QString report() const {
    std::uint64_t received = 0;
    std::uint64_t errors = 0;
    std::size_t senders = ~std::size_t{0};
    int discoveries = 0;
    int values = 0;
    int provides = 0;
    for (const auto& member : members_) {
      received += member->received();
      errors += member->errors();
      senders = std::min(senders, member->senders());
      discoveries += member->discoveries();
      values += member->values();
      provides += member->provides();
    }
    return QString("received %1 errors %2 senders %3 discovered %4 values %5 provided %6")
        .arg(received)
        .arg(errors)
        .arg(senders)
        .arg(discoveries)
        .arg(values)
        .arg(provides);
  }

  QString discovered(int wanted) {
    const bool done = pumpUntil([&] {
      for (const auto& member : members_) {
        if (member->discoveries() < wanted) return false;
      }
      return true;
    });
    for (auto& member : members_) member->pump();
    return (done ? "discovered " : "missing ") + report();
  }

  /// Each member waits for the messages of a round from all `others` before it sends the next one.
  QString exchange(std::uint64_t others, std::uint64_t rounds, std::uint64_t batch) {
    std::vector<std::uint64_t> begun(members_.size(), 0);
    const bool done = pumpUntil([&] {
      bool all = true;
      for (std::size_t i = 0; i < members_.size(); ++i) {
        CrowdMember& member = *members_[i];
        if (member.heardAll(others) && begun[i] < rounds) {
          for (std::uint64_t n = 0; n < batch; ++n) member.sendNext();
          ++begun[i];
        }
        all = all && begun[i] == rounds && member.heardAll(others);
      }
      return all;
    });
    return (done ? "exchanged " : "stuck ") + report();
  }

  QString hear(std::uint64_t wanted) {
    const bool done = pumpUntil([&] {
      for (const auto& member : members_) {
        if (member->received() < wanted) return false;
      }
      return true;
    });
    for (auto& member : members_) member->pump();
    return (done ? "heard " : "missing ") + report();
  }

  std::vector<std::unique_ptr<CrowdMember>> members_;
};

}  // namespace

int runCrowd(const QStringList&) {
  Crowd crowd;
  Input input;
  while (const auto line = input.line()) {
    try {
      say(crowd.perform(line->split(' '), input));
    } catch (const Exception& exception) {
      say("exception " + QString::fromStdWString(exception.what()).simplified());
    }
  }
  return 0;
}

}  // namespace federates
