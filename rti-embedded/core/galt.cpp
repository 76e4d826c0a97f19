// SPDX-License-Identifier: Apache-2.0
#include "core/galt.h"

#include <algorithm>

namespace tutti::core {
namespace {

using fabric::TimeAdvance;

bool asksForNext(const TimeView& view) {
  return view.advance == TimeAdvance::NextMessageRequest ||
         view.advance == TimeAdvance::NextMessageRequestAvailable ||
         view.advance == TimeAdvance::FlushQueueRequest;
}

/// At zero lookahead, what is sent after a grant by TAR or NMR is strictly later than the grant.
bool strictlyLater(const TimeView& view, TimeKind kind) {
  return kind.isZero(view.lookahead) && (view.advance == TimeAdvance::TimeAdvanceRequest ||
                                         view.advance == TimeAdvance::NextMessageRequest);
}

TimeBound grantedBound(const TimeView& view, TimeKind kind) {
  return {kind.keyAfter(view.logical, view.lookahead),
          view.exclusive && kind.isZero(view.lookahead)};
}

/// The bound of one who asks for a next message and has GALT `available`.
TimeBound boundThrough(const TimeView& view, TimeBound available, TimeKind kind) {
  if (available.isNone()) return TimeBound::none();
  return {kind.keyAfter(available.key, view.lookahead),
          available.exclusive || strictlyLater(view, kind)};
}

}  // namespace

TimeBound ownBound(const TimeView& view, TimeKind kind) {
  if (!view.regulating) return TimeBound::none();
  if (view.advance == TimeAdvance::None) return grantedBound(view, kind);
  TimeKey from = view.requested;
  if (asksForNext(view) && view.leastStamp) from = std::min(from, *view.leastStamp);
  // A grant is never before the present time, whatever is in the queue.
  from = std::max(from, view.logical);
  return {kind.keyAfter(from, view.lookahead), strictlyLater(view, kind)};
}

TimeBound greatestAvailable(std::span<const TimeView> others, const TimeView* self, TimeKind kind) {
  TimeBound least = TimeBound::none();
  for (const TimeView& view : others) least = std::min(least, ownBound(view, kind));
  if (self == nullptr) return least;
  const TimeBound own = ownBound(*self, kind);
  if (own >= least) return least;

  // The asker itself holds those others that wait for a next message: it may come from here.
  TimeBound result = least;
  for (const TimeView& view : others) {
    if (!view.regulating || !view.constrained || !asksForNext(view)) continue;
    result = std::min(result, boundThrough(view, own, kind));
  }
  return result;
}

TimeBound conservativeAvailable(std::span<const TimeView> others, TimeKind kind) {
  TimeBound least = TimeBound::none();
  for (const TimeView& view : others) {
    if (!view.regulating) continue;
    least = std::min(least, asksForNext(view) ? grantedBound(view, kind) : ownBound(view, kind));
  }
  return least;
}

}  // namespace tutti::core
