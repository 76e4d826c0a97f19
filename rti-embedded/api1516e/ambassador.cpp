// SPDX-License-Identifier: Apache-2.0
#include "api1516e/ambassador_base.h"
#include "api1516e/make_ambassador.h"

namespace tutti::api1516e {

std::unique_ptr<rti1516e::RTIambassador> makeAmbassador() {
  return std::make_unique<AmbassadorBase>();
}

}  // namespace tutti::api1516e
