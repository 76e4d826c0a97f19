// SPDX-License-Identifier: Apache-2.0
#include <RTI/NullFederateAmbassador.h>
#include <RTI/RTI1516.h>

#include <iostream>

using namespace rti1516e;

class Ears : public NullFederateAmbassador {
  using NullFederateAmbassador::receiveInteraction;
  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap&,
                          const VariableLengthData& tag, OrderType, TransportationType,
                          SupplementalReceiveInfo) override {
    std::cout << std::string(static_cast<const char*>(tag.data()), tag.size()) << std::endl;
  }
};

int main(int, char** argv) try {
  Ears ears;
  const auto rti = RTIambassadorFactory().createRTIambassador();
  rti->connect(ears, HLA_EVOKED);
  try {
    rti->createFederationExecution(L"greetings", L"resources/components/ping/PingPong.xml");
  } catch (const FederationExecutionAlreadyExists&) {
  }
  rti->joinFederationExecution(L"greeter", L"greetings");
  const InteractionClassHandle ping = rti->getInteractionClassHandle(L"Ping");
  rti->publishInteractionClass(ping);
  rti->subscribeInteractionClass(ping);
  const std::string words = std::string("hello from ") + argv[1];
  for (int i = 0; i < 5; ++i) {
    rti->sendInteraction(ping, {}, VariableLengthData(words.data(), words.size()));
    rti->evokeMultipleCallbacks(1.0, 1.0);
  }
  rti->resignFederationExecution(NO_ACTION);
  rti->disconnect();
} catch (const Exception& error) {
  std::wcerr << error.what() << std::endl;
  return 1;
}
