// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <tl/expected.hpp>

#include "launcher/engine/run_record.h"

namespace tutti::app {

/// "stopped", "running", "end not seen"
QString outcomeOf(const launcher::PastRun& run);

/// The run that a person means: the folder of one, a run identifier or the beginning of one, or,
/// when empty, the newest. `toStart`: of those whose plans can be started again. Completes records
/// that nobody has completed, and asks hosts for that. The error is a sentence.
tl::expected<launcher::PastRun, QString> findPastRun(const QString& wanted, bool toStart);

}  // namespace tutti::app
