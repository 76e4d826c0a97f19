// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "monitor/engine/snapshot.h"
#include "monitor/ui/fact_list.h"

namespace tutti::monitor {

/// The links with other hosts as a list: suspect ones first, each with its state in a word, who
/// waits for it and what is behind it. Empty without links.
std::vector<Fact> linkFacts(const std::vector<HostLinkView>& links);

}  // namespace tutti::monitor
