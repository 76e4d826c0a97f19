// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tutti::fabric {

/// The name of this computer, as its users know it; "localhost" when it has none.
std::string hostName();

}  // namespace tutti::fabric
