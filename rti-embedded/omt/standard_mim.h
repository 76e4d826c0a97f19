// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tutti::omt {

/// The text of standard_mim.xml, compiled in.
std::string_view embeddedStandardMim();

}  // namespace tutti::omt
