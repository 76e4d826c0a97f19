// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "launcher/engine/placement_input.h"

namespace tutti::app {

/// What the federates exchanged in the last recorded run of the composition in that file; none when
/// the records cannot be read. Any thread; waits where another program has locked the records.
launcher::MeasuredExchanges lastExchanges(const QString& file,
                                          const composer::Composition& composition);

}  // namespace tutti::app
