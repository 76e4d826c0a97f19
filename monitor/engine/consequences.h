// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "monitor/engine/snapshot.h"
#include "monitor/engine/time_holder.h"

namespace tutti::monitor {

/// What one federate's end would take from the others, for `reading.federates[index]`.
/// `declarations` holds at least those of the joined federates; `owned` its instances by class.
Consequences consequencesOf(const Reading& reading, std::size_t index, const TimeAnalysis& time,
                            const std::vector<Declarations>& declarations,
                            const std::vector<OwnedInstances>& owned);

/// "240 objects vanish; Airport loses its only publisher. Time goes on."
QString headline(const Consequences& consequences);
/// The same for one that died: "3 Conflict instances are gone and nobody publishes Conflict; ..."
QString aftermath(const Consequences& consequences);

}  // namespace tutti::monitor
