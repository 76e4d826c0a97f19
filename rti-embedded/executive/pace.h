// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tutti::executive {

/// Up to which logical time federates are granted that keep a pace: units of logical time per
/// second of wall clock. Has no clock of its own and asks nobody; it is told at each look where the
/// federates are.
///
/// A time is due when the wall clock has come to it: it starts with the first request, stands in a
/// pause, and is never behind what has been granted already. The ceiling follows it, but leads no
/// further than `slack` beyond the foremost federate unless somebody waits for nothing else; and
/// who asks for a time that has been due for longer than `slack` is granted it and catches up no
/// more. See docs/decisions/0026.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  /// What a federation that was late may catch up of, in seconds of wall clock.
  static constexpr std::chrono::milliseconds slack{500};
  /// How often the federates are looked at while they are not held.
  static constexpr std::chrono::milliseconds looks{10};

  /// Why `perSecond` is none; empty: it is one.
  static std::string whatIsWrong(double perSecond);

  /// The federates that take part in time, as of one look. All times are finite.
  struct Standing {
    bool any = false;     ///< there is one
    bool begun = false;   ///< one of them has been granted a time, or asks for one
    double foremost = 0;  ///< greatest logical time that has been granted; see standingForPace()
    /// Beyond the ceiling: what federates would be granted at once but for it.
    std::vector<double> targets;
    bool whole = true;  ///< of all; false: one has changed its time whenever it was looked at
  };

  explicit Pace(double perSecond) : perSecond_(perSecond) {}

  double perSecond() const { return perSecond_; }
  /// Before the first look nobody is granted anything.
  double ceiling() const { return ceiling_; }

  /// Another pace from now on; what was earned on the way to the next grant stays.
  void change(double perSecond, Clock::time_point now);
  /// Time stands by a hold from now on; what passes until resume() is not earned.
  void suspend(Clock::time_point now);
  void resume(Clock::time_point now);
  bool isSuspended() const { return suspended_; }

  /// Moves the ceiling, and says when to look next. Not while it is suspended.
  Clock::time_point look(const Standing& standing, Clock::time_point now);

 private:
  void anchor(double time, Clock::time_point now);
  double due(Clock::time_point now) const;

  double perSecond_;
  double ceiling_ = -std::numeric_limits<double>::infinity();
  bool anchored_ = false;
  bool begun_ = false;     ///< at one of the looks since somebody took part
  double anchorTime_ = 0;  ///< was due at `anchorAt_`
  Clock::time_point anchorAt_;
  bool suspended_ = false;
};

}  // namespace tutti::executive
