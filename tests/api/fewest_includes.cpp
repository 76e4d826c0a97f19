// SPDX-License-Identifier: GPL-3.0-or-later
// A federate that includes no more headers than those of other RTIs make it include: a time brings
// its interval, an exception of the encoding helpers brings their types, which bring std::vector.
#include <RTI/RTIambassadorFactory.h>
#include <RTI/encoding/EncodingExceptions.h>
#include <RTI/time/HLAfloat64Time.h>
#include <RTI/time/HLAinteger64Time.h>

#include <iostream>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

int main() {
  const std::vector<rti1516e::Octet> octets(3);
  rti1516e::HLAfloat64Time number(1.0);
  number += rti1516e::HLAfloat64Interval(0.5);
  rti1516e::HLAinteger64Time count(rti1516e::Integer64(octets.size()));
  count += rti1516e::HLAinteger64Interval(4);
  RTI_UNIQUE_PTR<rti1516e::RTIambassador> rti;
  rti = rti1516e::RTIambassadorFactory().createRTIambassador();
  std::cout << number.getTime() << ' ' << count.getTime() << ' ' << (rti.get() != nullptr) << '\n';
}
