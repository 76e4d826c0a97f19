// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verb_run_source.h"

#include "monitor/engine/observe_source.h"

namespace tutti::app {

std::shared_ptr<monitor::SampleSource> makeRunSource(const QString& designator,
                                                     const QString& federation) {
  return monitor::makeObserveSource(designator, federation);
}

}  // namespace tutti::app
