// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "omt/object_model.h"

namespace tutti::omt {

/// The compact form of a merged model, as CompactModel reads it: names, handles, order,
/// transportation, dimensions, rates and switches, without datatypes and semantics. The same model
/// gives the same bytes.
std::vector<std::byte> encode(const ObjectModel& model);

}  // namespace tutti::omt
