// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "fabric/link_status.h"

namespace tutti::observe {

/// The links of a node of this machine with nodes of other hosts. The error is a sentence for a
/// person.
tl::expected<std::vector<fabric::LinkStatus>, std::string> linksOf(const std::string& nodeName);

}  // namespace tutti::observe
