// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "monitor/benchmarks/benchmark.h"

namespace tutti::bench {

/// Takes the options that say what is measured ("--size 128,4k", "--hosts=1,2", "--wait") out of
/// `words` into `settings`, whoever wrote them: the command line and the Benchmarks page read the
/// same. Words that are none of them stay in their order. Gives the first that cannot be read in
/// one sentence without its stop, or an empty text. Whether the settings make sense together says
/// whyNot() of runner.h.
QString takeSettings(QStringList& words, Settings& settings);

}  // namespace tutti::bench
