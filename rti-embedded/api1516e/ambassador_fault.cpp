// SPDX-License-Identifier: Apache-2.0
#include "api1516e/ambassador_fault.h"

#include <RTI/Exception.h>

#include "api1516e/text.h"

namespace tutti::api1516e {

void throwFault(const core::ServiceFault& fault) {
  const std::wstring text = fromUtf8(fault.text);
  switch (fault.fault) {
#define TUTTI_THROW(name) \
  case core::Fault::name: \
    throw rti1516e::name(text);
    TUTTI_FAULTS(TUTTI_THROW)
#undef TUTTI_THROW
  }
  throw rti1516e::RTIinternalError(text);
}

}  // namespace tutti::api1516e
