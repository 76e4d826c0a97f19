// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <deque>

#include "monitor/benchmarks/benchmark.h"

/// What other work takes of the processors while nothing is measured.
namespace tutti::bench {

/// Counts the processes of other programs that run or wait for a processor, now and then: the
/// kernel's load average of a minute would still hold the benchmark that has just ended.
class LoadMeter {
 public:
  /// Of the last `looks` looks; at least 1.
  explicit LoadMeter(std::size_t looks, QString file = QStringLiteral("/proc/loadavg"))
      : looks_(looks), file_(std::move(file)) {}

  void look();
  void clear() { counts_.clear(); }
  bool isFull() const { return counts_.size() == looks_; }
  /// Not a number before the first look, and where the kernel does not tell.
  double mean() const;

 private:
  std::size_t looks_;
  QString file_;
  std::deque<int> counts_;
};

/// The load of other work in the next half second. Blocks so long; none of the processes that
/// measure may run.
double otherLoad();

/// Why results that are measured now will be noisy, as a warning to a person; empty below half a
/// processor of other work for each processor.
QString loadWarning(double load, int processors);

}  // namespace tutti::bench
