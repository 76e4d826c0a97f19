// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tutti::node {

/// Makes the default logger of this process write to standard error, a line at a time, from any
/// thread. Names in what is logged come from federates, object models and other hosts: every line
/// is escaped (fabric::printable).
void startLog();

}  // namespace tutti::node
