// SPDX-License-Identifier: Apache-2.0
#include "core/galt.h"

#include <algorithm>

namespace tutti::core {
namespace {

using fabric::TimeAdvance;

/// At zero lookahead, what is sent after a grant by TAR or NMR is strictly later than the grant.
bool strictlyLater(const TimeView& view, TimeKind kind) {
  return kind.isZero(view.lookahead) && (view.advance == TimeAdvance::TimeAdvanceRequest ||
                                         view.advance == TimeAdvance::NextMessageRequest);
}

TimeBound grantedBound(const TimeView& view, TimeKind kind) {
  const TimeBound granted{kind.keyAfter(view.logical, view.lookahead),
                          view.exclusive && kind.isZero(view.lookahead)};
  return std::max(granted, view.floor);
}

/// What follows a grant at `from`, which another request than this one may already have promised.
TimeBound boundAfter(const TimeView& view, TimeKey from, bool exclusive, TimeKind kind) {
  const TimeBound after{kind.keyAfter(from, view.lookahead), exclusive};
  return std::max(after, grantedBound(view, kind));
}

/// The bound of one who asks for a next message and has GALT `available`.
TimeBound boundThrough(const TimeView& view, TimeBound available, TimeKind kind) {
  if (available.isNone()) return TimeBound::none();
  return boundAfter(view, available.key, available.exclusive || strictlyLater(view, kind), kind);
}

}  // namespace

bool asksForNext(TimeAdvance advance) {
  return advance == TimeAdvance::NextMessageRequest ||
         advance == TimeAdvance::NextMessageRequestAvailable;
}

TimeBound ownBound(const TimeView& view, TimeKind kind) {
  if (!view.regulating) return TimeBound::none();
  // A flush of the queue is granted at once, at a time that is not known before.
  if (view.advance == TimeAdvance::None || view.advance == TimeAdvance::FlushQueueRequest) {
    return grantedBound(view, kind);
  }
  TimeKey from = view.requested;
  if (asksForNext(view.advance) && view.leastStamp) from = std::min(from, *view.leastStamp);
  // A grant is never before the present time, whatever is in the queue.
  from = std::max(from, view.logical);
  return boundAfter(view, from, strictlyLater(view, kind), kind);
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
    if (!view.regulating || !view.constrained || !asksForNext(view.advance)) continue;
    result = std::min(result, boundThrough(view, own, kind));
  }
  return result;
}

TimeBound conservativeAvailable(std::span<const TimeView> others, TimeKind kind) {
  TimeBound least = TimeBound::none();
  for (const TimeView& view : others) {
    if (!view.regulating) continue;
    least = std::min(least,
                     asksForNext(view.advance) ? grantedBound(view, kind) : ownBound(view, kind));
  }
  return least;
}

TimeKey regulationStart(TimeKey from, std::uint64_t lookahead, TimeBound needed, TimeKind kind) {
  // At zero lookahead the start itself can be the bound, without its own time.
  if (kind.isZero(lookahead)) return std::max(from, needed.key);
  const auto suffices = [&](TimeKey start) {
    return TimeBound{kind.keyAfter(start, lookahead), false} >= needed;
  };
  if (suffices(from)) return from;
  TimeKey fails = from;
  TimeKey works = needed.key + 1;
  // The difference itself, unless more is needed, or it came out too small by rounding.
  const std::uint64_t difference = kind.subtract(kind.bits(needed.key), lookahead);
  if (const TimeKey exact = kind.key(difference); exact > from && exact < works) {
    if (suffices(exact)) return exact;
    fails = exact;
  }
  while (works - fails > 1) {
    const TimeKey middle = fails + (works - fails) / 2;
    (suffices(middle) ? works : fails) = middle;
  }
  return works;
}

}  // namespace tutti::core
