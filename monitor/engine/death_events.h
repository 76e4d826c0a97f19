// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMap>
#include <QString>
#include <optional>
#include <vector>

#include "monitor/engine/run_store.h"
#include "monitor/engine/snapshot.h"

namespace tutti::monitor {

/// Makes one event of a death that is told by two, in any order: whoever watches the process knows
/// how it ended, the samples know what was lost with it. The event waits for both, for a while.
class DeathEvents {
 public:
  static constexpr Milliseconds patience = 2000;

  void processDied(Milliseconds at, const QString& name, const QString& cause, Milliseconds now);
  /// A death of the newest sample; the same one may come with each.
  void sampled(const Death& death, Milliseconds now);
  /// It was started again: its next death is another.
  void forget(const QString& name) { known_.remove(name); }
  void clear() { known_.clear(); }
  /// Events that are complete or have waited long enough, each once; with `all` every one that is
  /// left.
  std::vector<EventRecord> take(Milliseconds now, bool all);

 private:
  struct Known {
    Milliseconds at = 0;
    Milliseconds since = 0;
    QString cause;
    bool causeKnown = false;
    std::optional<QString> lost;
    bool told = false;
  };
  Known& entry(const QString& name, Milliseconds now);
  QMap<QString, Known> known_;
};

}  // namespace tutti::monitor
