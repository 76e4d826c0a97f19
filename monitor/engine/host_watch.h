// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMap>
#include <QString>
#include <cstdint>
#include <vector>

#include "monitor/engine/host_samples.h"
#include "monitor/engine/snapshot.h"

namespace tutti::monitor {

/// Another host of the run, as the launcher sees it.
struct RosterHost {
  enum class State : std::uint8_t { Starting, Up, Unreachable, Lost, Ended };
  QString name;
  State state = State::Starting;
  double load = 0;        ///< runnable processes there, mean of the last minute; NaN: not watched
  double ageSeconds = 0;  ///< of the state
  QString node;           ///< id of the process that is its RTI node
  QString nodeEnd;        ///< how its RTI node ended; empty: it has not
  QString fault;          ///< made on purpose, to practise: "cable pulled"
};

/// Joins what the launcher hears of the run's other hosts with what the links between RTI nodes
/// tell. A link notices a silence sooner than the launcher and knows when the host is given up.
class HostWatch {
 public:
  /// A host that answers again is said to be back for so long.
  static constexpr double backSeconds = 10;

  /// `now` in ns, on the clock of the readings.
  void set(const std::vector<RosterHost>& hosts, std::int64_t now);
  /// The hosts as of `now`, by name.
  std::vector<HostView> look(const std::vector<HostLinkView>& links, const HostSamples& samples,
                             std::int64_t now);

 private:
  struct Known {
    RosterHost host;
    std::int64_t since = 0;   ///< of its state
    bool silent = false;      ///< at the last look
    double away = 0;          ///< how long the last silence was
    std::int64_t backAt = 0;  ///< when it ended; 0: none did
  };
  QMap<QString, Known> known_;
};

}  // namespace tutti::monitor
