// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/death_events.h"

#include "monitor/engine/consequences.h"

namespace tutti::monitor {

DeathEvents::Known& DeathEvents::entry(const QString& name, Milliseconds now) {
  Known& known = known_[name];
  if (known.since == 0) known.at = known.since = now;
  return known;
}

void DeathEvents::processDied(Milliseconds at, const QString& name, const QString& cause,
                              Milliseconds now) {
  Known& known = entry(name, now);
  known.at = at;
  // The samples say more: that it was the person who killed it.
  if (!known.causeKnown) known.cause = cause;
  known.causeKnown = true;
}

void DeathEvents::sampled(const Death& death, Milliseconds now) {
  Known& known = entry(death.federate, now);
  if (known.told) return;
  if (death.endKnown || !known.causeKnown) known.cause = death.cause;
  known.causeKnown = known.causeKnown || death.endKnown;
  known.lost = aftermath(death.lost);
}

std::vector<EventRecord> DeathEvents::take(Milliseconds now, bool all) {
  std::vector<EventRecord> events;
  for (auto known = known_.begin(); known != known_.end(); ++known) {
    const bool complete = known->causeKnown && known->lost;
    if (known->told || !(complete || all || now - known->since >= patience)) continue;
    known->told = true;
    QString text = QStringLiteral("died: ") + known->cause;
    if (known->lost) text += QStringLiteral(". ") + *known->lost;
    events.push_back({known->at, LogLevel::Error, known.key(), text});
  }
  return events;
}

}  // namespace tutti::monitor
