// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tutti::node {

/// Makes the default logger of this process write to standard error, a line at a time, from any
/// thread. Names in what is logged come from federates, object models and other hosts: every line
/// is escaped (fabric::printable). With the name of a node that is a process of its own, standard
/// error is its log file, which is bounded (LogSink).
void startLog(const std::string& detachedNode);

}  // namespace tutti::node
