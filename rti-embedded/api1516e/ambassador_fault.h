// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fault.h"

namespace tutti::api1516e {

// Throws the exception of the standard that `fault` names.
[[noreturn]] void throwFault(const core::ServiceFault& fault);

}  // namespace tutti::api1516e
