// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace tutti::api1516e {

/// The service group of a function of RTIambassador or FederateAmbassador, as
/// normalizeServiceGroup() gives it (IEEE 1516.1-2010, 10.32): the number of its clause, from 0.
std::uint32_t serviceGroup(std::string_view function);

}  // namespace tutti::api1516e
