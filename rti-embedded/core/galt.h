// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "core/time_kind.h"
#include "fabric/layout.h"

namespace tutti::core {

/// A federate's time slot as read at one moment.
struct TimeView {
  bool regulating = false;
  bool constrained = false;
  bool regulationPending = false;  ///< about to regulate; counts as regulating
  fabric::TimeAdvance advance = fabric::TimeAdvance::None;
  bool exclusive = false;  ///< granted by TAR or NMR at zero lookahead
  bool strict = false;     ///< granted by TAR or NMR: nothing of its time may come any more
  TimeKey logical = 0;
  TimeKey requested = 0;
  std::uint64_t lookahead = 0;        ///< bits; as last asked for
  TimeBound floor;                    ///< nothing earlier is sent, whatever the lookahead (8.19)
  std::optional<TimeKey> leastStamp;  ///< of the undelivered messages in its queue
  fabric::FederateNumber federate = 0;
};

/// By NMR or NMRA: the grant depends on what arrives.
bool asksForNext(fabric::TimeAdvance advance);

/// The earliest message that a regulating federate may still send, were it not to receive any.
TimeBound ownBound(const TimeView& view, TimeKind kind);

/// Greatest available logical time for one who receives from the federates of `others` (8.1.4): the
/// earliest message that any of them may still send. A federate that asked for the next message may
/// be granted as early as its own GALT, which depends on the others and, when `self` is given and
/// regulating, on the asker: the greatest fixed point of
///
///   bound(j) = lookahead(j) + min(own(j), GALT(j)),   GALT(j) = min over k other than j of
///   bound(k)
///
/// Let m be the least own bound of all. No bound can be below m, so the federate that sets m has
/// bound m, and GALT is m for every other one: one pass after finding m settles them all.
TimeBound greatestAvailable(std::span<const TimeView> others, const TimeView* self, TimeKind kind);

/// The same without looking into requests for a next message: such a federate is taken to be able
/// to send from its logical time on. True at any moment, even when slots and messages in flight
/// were not seen together.
TimeBound conservativeAvailable(std::span<const TimeView> others, TimeKind kind);

/// The least logical time, not before `from`, at which a federate may begin to regulate with this
/// lookahead when nobody may be sent a message before `needed` (8.2).
TimeKey regulationStart(TimeKey from, std::uint64_t lookahead, TimeBound needed, TimeKind kind);

}  // namespace tutti::core
