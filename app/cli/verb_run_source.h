// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>

#include "monitor/engine/sample_source.h"

namespace tutti::app {

/// What `tutti run` shows of one federation execution: who is joined, counters and logical times,
/// from the shared memory of the run's RTI node.
std::shared_ptr<monitor::SampleSource> makeRunSource(const QString& designator,
                                                     const QString& federation);

}  // namespace tutti::app
