// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "omt/object_model.h"

namespace tutti::omt {

/// The merged model as one document of IEEE 1516.2-2010, UTF-8: the current FDD (IEEE 1516.1-2010,
/// 11.5). Read and merged again it gives the same model: classes, datatypes, tables and switches.
std::string writeModel(const ObjectModel& model);

}  // namespace tutti::omt
