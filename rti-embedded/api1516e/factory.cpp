// SPDX-License-Identifier: Apache-2.0
#include <RTI/RTI1516.h>
#include <RTI/RTIambassadorFactory.h>

#include <memory>
#include <string>

#include "api1516e/make_ambassador.h"

namespace rti1516e {

std::wstring rtiName() { return L"Tutti"; }
std::wstring rtiVersion() { return L"" TUTTI_VERSION; }

RTIambassadorFactory::RTIambassadorFactory() {}
RTIambassadorFactory::~RTIambassadorFactory() noexcept {}

std::auto_ptr<RTIambassador> RTIambassadorFactory::createRTIambassador() {
  return std::auto_ptr<RTIambassador>(tutti::api1516e::makeAmbassador().release());
}

}  // namespace rti1516e
