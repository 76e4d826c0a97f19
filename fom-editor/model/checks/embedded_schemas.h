// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "fom-editor/model/checks/schema_validation.h"

namespace tutti::fomedit {

/// The text of a schema of fom-editor/schemas, which is compiled in.
std::string_view embeddedSchema(Schema schema);

}  // namespace tutti::fomedit
