// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/RTIambassador.h>

#include <memory>

namespace tutti::api1516e {

// A new ambassador, not connected. Never null; throws rti1516e::RTIinternalError.
std::unique_ptr<rti1516e::RTIambassador> makeAmbassador();

}  // namespace tutti::api1516e
