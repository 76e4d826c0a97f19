// SPDX-License-Identifier: GPL-3.0-or-later
// A small federate that stops itself before and after one service, for a tracer that steps it
// through that service and kills it on the way.
#include <signal.h>
#include <sys/ptrace.h>

#include <cstring>
#include <functional>
#include <map>

#include "federates/role.h"

namespace federates {

using namespace rti1516e;

namespace {

/// Does next to nothing in callbacks, so that the steps are the RTI's.
class Victim : public NullFederateAmbassador {
 public:
  int discoveries = 0;
  bool regulating = false;
  bool constrained = false;
  bool granted = false;
  bool reserved = false;

  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle, const std::wstring&,
                              FederateHandle) override {
    ++discoveries;
  }
  void objectInstanceNameReservationSucceeded(const std::wstring&) override { reserved = true; }
  void timeRegulationEnabled(const LogicalTime&) override { regulating = true; }
  void timeConstrainedEnabled(const LogicalTime&) override { constrained = true; }
  void timeAdvanceGrant(const LogicalTime&) override { granted = true; }
};

VariableLengthData payload(std::uint64_t number) {
  char bytes[64];
  std::memset(bytes, static_cast<int>('a' + number % 26), sizeof bytes);
  const Payload head{0, 0, number};
  std::memcpy(bytes, &head, sizeof head);
  return VariableLengthData(bytes, sizeof bytes);
}

constexpr std::uint64_t sentBefore = 3;

}  // namespace

/// stepped WHAT FEDERATION NAME TIME
int runStepped(const QStringList& arguments) {
  const QString what = arguments.value(0);
  const std::wstring federation = arguments.value(1).toStdWString();
  const std::wstring name = arguments.value(2).toStdWString();
  Victim victim;
  auto rti = RTIambassadorFactory().createRTIambassador();
  rti->connect(victim, HLA_EVOKED);

  ObjectClassHandle vehicle;
  AttributeHandle position;
  InteractionClassHandle event;
  ParameterHandle eventNumber;
  ObjectInstanceHandle car;
  const auto join = [&] {
    rti->joinFederationExecution(name, L"victim", federation);
    vehicle = rti->getObjectClassHandle(L"Vehicle");
    position = rti->getAttributeHandle(vehicle, L"position");
    event = rti->getInteractionClassHandle(L"Event");
    eventNumber = rti->getParameterHandle(event, L"number");
  };
  const auto declare = [&] {
    rti->publishObjectClassAttributes(vehicle, {position});
    rti->subscribeObjectClassAttributes(vehicle, {position});
    rti->publishInteractionClass(event);
  };
  const auto evokeUntil = [&](const bool& done) {
    while (!done) rti->evokeMultipleCallbacks(0.01, 0.1);
  };
  const VariableLengthData tag;
  AttributeHandleValueMap values;
  ParameterHandleValueMap numbers;
  const auto update = [&](std::uint64_t number) {
    values[position] = payload(number);
    rti->updateAttributeValues(car, values, tag);
  };

  std::function<void()> service;
  if (what == "join") {
    service = join;
  } else {
    join();
    declare();
    if (what != "register first") car = rti->registerObjectInstance(vehicle);
  }
  const HLAfloat64Time time(arguments.value(3).toDouble());
  if (what == "update") {
    for (std::uint64_t i = 0; i < sentBefore; ++i) update(i);
    values[position] = payload(sentBefore);
    service = [&] { rti->updateAttributeValues(car, values, tag); };
  } else if (what == "update often") {
    constexpr std::uint64_t rounds = 24;
    say("ready");
    for (std::uint64_t i = 0; i < rounds; ++i) {
      Input().line();
      update(i);
    }
    Input().line();
    values[position] = payload(rounds);
    service = [&] { rti->updateAttributeValues(car, values, tag); };
  } else if (what == "register" || what == "register first") {
    service = [&] { rti->registerObjectInstance(vehicle); };
  } else if (what == "register named") {
    const std::wstring reserved = L"of " + name;
    rti->reserveObjectInstanceName(reserved);
    evokeUntil(victim.reserved);
    service = [&, reserved] { rti->registerObjectInstance(vehicle, reserved); };
  } else if (what == "evoke") {
    while (victim.discoveries < 2) rti->evokeMultipleCallbacks(0.01, 0.1);
    say("ready");
    Input().line();  // the test has sent something by now
    service = [&] {
      while (rti->evokeCallback(0.0)) {
      }
    };
  } else if (what == "grant" || what == "timestamped") {
    rti->enableTimeRegulation(HLAfloat64Interval(1.0));
    evokeUntil(victim.regulating);
    rti->enableTimeConstrained();
    evokeUntil(victim.constrained);
    if (what == "grant") {
      say("ready");
      Input().line();  // the others have asked for their advance by now
      service = [&] {
        rti->timeAdvanceRequest(time);
        while (!victim.granted) rti->evokeCallback(0.0);
      };
    } else {
      numbers[eventNumber] = payload(0);
      rti->sendInteraction(event, numbers, tag, time);
      numbers[eventNumber] = payload(1);
      say("ready");
      Input().line();
      service = [&] { rti->sendInteraction(event, numbers, tag, time); };
    }
  } else if (what == "resign") {
    service = [&] { rti->resignFederationExecution(DELETE_OBJECTS_THEN_DIVEST); };
  }

  ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  ::raise(SIGSTOP);
  service();
  ::raise(SIGSTOP);
  return 0;
}

}  // namespace federates
