// SPDX-License-Identifier: Apache-2.0
// What the library holds of the abstract classes: their constructors, and the destructors that a
// federate's own classes call.
#include <RTI/FederateAmbassador.h>
#include <RTI/LogicalTime.h>
#include <RTI/LogicalTimeFactory.h>
#include <RTI/LogicalTimeInterval.h>
#include <RTI/NullFederateAmbassador.h>
#include <RTI/RTIambassador.h>
#include <RTI/encoding/DataElement.h>

#include <ostream>
#include <typeinfo>

#include "api1516e/octets.h"

namespace rti1516e {

RTIambassador::RTIambassador() noexcept {}
RTIambassador::~RTIambassador() {}

FederateAmbassador::FederateAmbassador() {}
FederateAmbassador::~FederateAmbassador() noexcept {}

LogicalTime::~LogicalTime() noexcept {}
LogicalTimeInterval::~LogicalTimeInterval() noexcept {}
LogicalTimeFactory::~LogicalTimeFactory() noexcept {}

std::wostream& operator<<(std::wostream& stream, const LogicalTime& time) {
  return stream << time.toString();
}

std::wostream& operator<<(std::wostream& stream, const LogicalTimeInterval& interval) {
  return stream << interval.toString();
}

DataElement::~DataElement() {}

bool DataElement::isSameTypeAs(const DataElement& inData) const {
  return typeid(*this) == typeid(inData);
}

Integer64 DataElement::hash() const {
  const VariableLengthData octets = encode();
  return static_cast<Integer64>(tutti::api1516e::hashOf(octets.data(), octets.size()));
}

}  // namespace rti1516e

namespace tutti::api1516e {

// A federate compiled elsewhere may expect the vtable of this class, all of whose functions are
// inline, in the library. Making an object puts it there.
[[gnu::used]] rti1516e::FederateAmbassador* anchorVtable() {
  return new rti1516e::NullFederateAmbassador;
}

}  // namespace tutti::api1516e
