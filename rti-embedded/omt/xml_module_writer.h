// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "omt/loss_report.h"
#include "omt/module.h"

namespace tutti::omt {

/// A module as XML of IEEE 1516.2-2000, 2010 or 2025. See writeModule().
std::string writeXmlModule(const Module& module, Edition edition, LossReport& report);

}  // namespace tutti::omt
