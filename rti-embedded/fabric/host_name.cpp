// SPDX-License-Identifier: Apache-2.0
#include "fabric/host_name.h"

#include <unistd.h>

#include <array>

namespace tutti::fabric {

std::string hostName() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

}  // namespace tutti::fabric
