// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "launcher/engine/slurm.h"

namespace tutti::launcher {

/// A job of the composition that waits for its nodes, beside what the composition asks for now.
struct SubmittedJob {
  QueuePlace place;
  QStringList changes;  ///< that the job does not have, "nodes 6, were 8"; empty: none
  friend bool operator==(const SubmittedJob&, const SubmittedJob&) = default;
};

}  // namespace tutti::launcher
