// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QJsonObject>
#include <QString>
#include <cstdint>
#include <tl/expected.hpp>

#include "monitor/engine/snapshot.h"

namespace tutti::monitor {

/// What the supervisor of another host has read of /proc there, all at one time.
struct HostSample {
  struct Process {
    std::int64_t pid = 0;
    ProcessReading reading;  ///< of the process and all it has started
  };
  QString host;
  std::int64_t nanoseconds = 0;  ///< on a monotonic clock of that host
  double ticksPerSecond = 100;
  HostReading reading;
  QHash<QString, Process> processes;  ///< by their ids in the launch plan
};

/// From the event `sample` of a supervisor (launcher/engine/supervisor/README.md). What a host says
/// is not trusted: a number out of its range, or more processes than a plan may have, make it
/// unusable, and the error says which.
tl::expected<HostSample, QString> hostSampleFrom(const QString& host, const QJsonObject& event);

/// Makes shares and rates of the samples of other hosts. Counters only grow: a lost sample makes a
/// rate coarser and never wrong. Not thread-safe. Times in ns, on the clock of the readings here.
class HostSamples {
 public:
  /// For so long a figure is shown; then it is not known.
  static constexpr double freshSeconds = 3;

  struct Process {
    double cpuUser = unknown;  ///< share of one processor
    double cpuSystem = unknown;
    double residentBytes = unknown;
    char state = '?';
  };

  void take(const HostSample& sample, std::int64_t now);
  /// Fills in what is known of that host, and of its RTI node, whose process has that id.
  void show(HostView& view, const QString& nodeProcess, std::int64_t now) const;
  /// Of one process there; null: not known, or no longer.
  const Process* process(const QString& host, const QString& id, std::int64_t now) const;

 private:
  /// What was counted last, and what came of it.
  template <class Counted, class Figures>
  struct Known {
    Counted last;
    std::int64_t nanoseconds = 0;  ///< of `last`, on the clock there
    std::int64_t heard = 0;        ///< here; 0: never
    Figures figures;
  };
  struct Host {
    Known<HostReading, HostView> self;
    QHash<QString, Known<HostSample::Process, Process>> processes;
  };

  QHash<QString, Host> hosts_;
};

}  // namespace tutti::monitor
