// SPDX-License-Identifier: Apache-2.0
#include "api1516e/time_factories.h"

#include <RTI/LogicalTimeFactory.h>

#include <memory>
#include <string>

namespace tutti::api1516e {

// LogicalTimeFactoryFactory::makeLogicalTimeFactory, if some library of the process has it. The
// reference is weak, so that a federate that needs no time factories need not link libfedtime1516e.
[[gnu::weak]] RTI_EXPORT std::auto_ptr<rti1516e::LogicalTimeFactory>
makeFactoryOfFederate(const std::wstring&) __asm__(
    "_ZN8rti1516e25LogicalTimeFactoryFactory22makeLogicalTimeFactoryERKNSt7__cxx1112basic_"
    "stringIwSt11char_traitsIwESaIwEEE");

std::unique_ptr<rti1516e::LogicalTimeFactory> makeTimeFactory(const std::wstring& name) {
  if (makeFactoryOfFederate != nullptr) {
    if (auto* factory = makeFactoryOfFederate(name).release()) {
      return std::unique_ptr<rti1516e::LogicalTimeFactory>(factory);
    }
  }
  return std::unique_ptr<rti1516e::LogicalTimeFactory>(
      rti1516e::HLAlogicalTimeFactoryFactory::makeLogicalTimeFactory(name).release());
}

}  // namespace tutti::api1516e
