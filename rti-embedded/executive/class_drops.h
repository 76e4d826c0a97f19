// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fabric/layout.h"
#include "fabric/protocol.h"

namespace tutti::executive {

/// What a page says of best effort that never arrived, with the names that its classes have in the
/// compact object model.
std::vector<fabric::DropStatus> dropsOf(const fabric::FederateBlock& page,
                                        const fabric::Bytes& compactModel);

}  // namespace tutti::executive
