// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tutti::launcher {
class Run;
}
namespace tutti::monitor {
class Feed;
}

namespace tutti::app {

/// Has the other hosts of a run, before it starts, say what they and their processes use, and
/// passes it on to the feed, which has to outlive the run. What one says that is not understood is
/// as if it had said nothing.
void passSamples(launcher::Run& run, monitor::Feed& feed);

}  // namespace tutti::app
