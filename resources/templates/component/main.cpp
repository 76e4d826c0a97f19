// @id@: counts in an object instance of its own and prints what the others of its kind count.
//   @id@ FEDERATION FEDERATE PERIOD FOM-MODULE...
#include <RTI/NullFederateAmbassador.h>
#include <RTI/RTI1516.h>
#include <RTI/encoding/BasicDataElements.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

using namespace rti1516e;

namespace {

volatile std::sig_atomic_t stopped = 0;

std::wstring wide(const std::string& text) { return {text.begin(), text.end()}; }

class Federate : public NullFederateAmbassador {
 public:
  bool lost = false;

  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle,
                              const std::wstring& name) override {
    std::wcout << L"discovered " << name << std::endl;
  }

  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap& values,
                              const VariableLengthData&, OrderType, TransportationType,
                              SupplementalReflectInfo) override {
    HLAinteger32BE count;
    count.decode(values.begin()->second);
    std::wcout << L"somebody counts " << count.get() << std::endl;
  }

  void connectionLost(const std::wstring& reason) override {
    std::wcerr << reason << std::endl;
    lost = true;
  }

  // One name, several argument lists: the others stay those of the base class.
  using NullFederateAmbassador::discoverObjectInstance;
  using NullFederateAmbassador::reflectAttributeValues;
};

}  // namespace

int main(int argc, char* argv[]) {
  if (argc < 5) {
    std::cerr << "usage: @id@ FEDERATION FEDERATE PERIOD FOM-MODULE..." << std::endl;
    return 2;
  }
  const std::wstring federation = wide(argv[1]);
  const double period = std::atof(argv[3]);
  std::vector<std::wstring> modules;
  for (int i = 4; i < argc; ++i) modules.push_back(wide(argv[i]));
  std::signal(SIGTERM, [](int) { stopped = 1; });
  std::signal(SIGINT, [](int) { stopped = 1; });

  Federate federate;
  try {
    std::unique_ptr<RTIambassador> rti(RTIambassadorFactory().createRTIambassador().release());
    rti->connect(federate, HLA_EVOKED);
    try {
      rti->createFederationExecution(federation, modules);
    } catch (const FederationExecutionAlreadyExists&) {
      // The first federate creates it.
    }
    rti->joinFederationExecution(wide(argv[2]), L"@id@", federation, modules);

    const ObjectClassHandle counter = rti->getObjectClassHandle(L"@Class@");
    const AttributeHandle count = rti->getAttributeHandle(counter, L"Count");
    rti->publishObjectClassAttributes(counter, {count});
    rti->subscribeObjectClassAttributes(counter, {count});
    const ObjectInstanceHandle own = rti->registerObjectInstance(counter);

    for (int number = 1; !stopped && !federate.lost; ++number) {
      AttributeHandleValueMap values;
      values[count] = HLAinteger32BE(number).encode();
      rti->updateAttributeValues(own, values, VariableLengthData());
      rti->evokeMultipleCallbacks(period, period);
    }
    if (federate.lost) return 3;

    rti->resignFederationExecution(CANCEL_THEN_DELETE_THEN_DIVEST);
    try {
      rti->destroyFederationExecution(federation);
    } catch (const FederatesCurrentlyJoined&) {
      // The last federate destroys it.
    } catch (const FederationExecutionDoesNotExist&) {
    }
    rti->disconnect();
  } catch (const Exception& error) {
    std::wcerr << error.what() << std::endl;
    return 1;
  }
  return 0;
}
