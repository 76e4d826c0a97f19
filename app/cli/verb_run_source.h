// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>

#include "monitor/engine/sample_source.h"

namespace tutti::app {

/// The monitor's own reader by an older name; new code calls monitor::makeObserveSource.
std::shared_ptr<monitor::SampleSource> makeRunSource(const QString& designator,
                                                     const QString& federation);

}  // namespace tutti::app
