// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>
#include <tl/expected.hpp>

#include "monitor/benchmarks/benchmark.h"

namespace tutti::bench {

struct Progress {
  int done = 0;  ///< measurements, of
  int total = 0;
  QString text;  ///< "128 B, repeat 3 of 5, bare ring"
  /// Told once, before the first measurement: why the results will be noisy. Else empty.
  QString warning{};
};

/// Where the measuring programs are. By default the folder of the running executable, or, where it is
/// installed, lib/tutti beside that.
struct Tools {
  QString folder;  ///< and the FOM modules
  static Tools beside(const QString& executableFolder);
};

struct RunError {
  enum class Kind { Settings, Missing, Failed, Cancelled };
  Kind kind = Kind::Failed;
  QString message;  ///< what, where, why, what next
};

/// Measures: every repeat starts new processes, the bare ring in turn with the RTI and under the
/// same pinning, in an order that the seed decides. Blocks; `progress` is called between two
/// measurements, and whenever `cancelled` is asked, about ten times a second. Leaves no process
/// behind, however it ends. The load of other work is measured before and after.
tl::expected<Result, RunError> runBenchmark(const Settings& settings, const Tools& tools,
                                            const std::function<void(const Progress&)>& progress,
                                            const std::function<bool()>& cancelled);

/// This machine with the load of other work before anything is measured; `progress` is told the
/// warning, if there is one. Blocks for half a second.
Machine machineBefore(int measurements, const std::function<void(const Progress&)>& progress);

/// Why these settings make no sense, or an empty text.
QString whyNot(const Settings& settings);

/// "128 B", "4 KiB", "1 MiB".
QString sizeText(int bytes);
/// A place on the kind's axis: "128 B", "lookahead 0.1".
QString axisText(Kind kind, double at);

}  // namespace tutti::bench
