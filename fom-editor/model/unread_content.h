// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "omt/loss_report.h"
#include "omt/module.h"

namespace tutti::fomedit {

/// Says what a file has that omt::readModule() does not take and does not warn of either: comments,
/// unknown elements and lists, cells that no Module has a place for. `bytes` is the file that
/// `module` was read from. Together with the warnings of the module this is all that reading loses.
void reportUnread(std::string_view bytes, const omt::Module& module, omt::LossReport& report);

}  // namespace tutti::fomedit
