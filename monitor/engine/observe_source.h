// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>

#include "monitor/engine/sample_source.h"

namespace tutti::monitor {

/// Reads a federation execution from the RTI node of this host: who is there from the node, all
/// figures from the shared memory the federates keep them in. `designator` as in connect()
/// (shm:NAME); an empty `federation` takes the first that the node has. Connects when it is first
/// refreshed, and again after the node went away.
std::shared_ptr<SampleSource> makeObserveSource(const QString& designator,
                                                const QString& federation = {});

}  // namespace tutti::monitor
