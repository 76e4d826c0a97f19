// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tutti::executive {

/// Up to which logical time federates are granted that keep a pace: logical seconds per second of
/// wall clock. Has no clock of its own and asks nobody; it is told at each look where the federates
/// are. What has no federate's time in it (a federation that has not begun to advance, a pause)
/// earns nothing, and a federation that cannot keep up earns no more than `slack`: see
/// docs/decisions/0026.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr double least = 1e-6;
  static constexpr double most = 1e6;
  /// What a federation that was late may catch up of, in seconds of wall clock.
  static constexpr std::chrono::milliseconds slack{500};
  /// How often the federates are looked at while they are not held.
  static constexpr std::chrono::milliseconds looks{10};

  /// Why `perSecond` is none; empty: it is one.
  static std::string whatIsWrong(double perSecond);

  /// A federate that would be granted `target` at once but for the ceiling.
  struct Waiter {
    double logical = 0;
    double target = 0;
  };
  /// The federates that take part in time, as of one look.
  struct Standing {
    bool any = false;    ///< there is one
    bool begun = false;  ///< one of them has been granted a time, or asks for one
    double least = 0;    ///< least logical time of those that have begun, else of all
    std::vector<Waiter> waiters;
  };

  explicit Pace(double perSecond) : perSecond_(perSecond) {}

  double perSecond() const { return perSecond_; }
  /// Before the first look nobody is granted anything.
  double ceiling() const { return ceiling_; }

  /// Another pace from now on, from where the ceiling is.
  void change(double perSecond, Clock::time_point now);
  /// Time stands by a hold from now on; what passes until resume() is not earned.
  void suspend(Clock::time_point now);
  void resume(Clock::time_point now);
  bool isSuspended() const { return suspended_; }

  /// Moves the ceiling, and says when to look next. Not while it is suspended.
  Clock::time_point look(const Standing& standing, Clock::time_point now);

 private:
  void anchor(double time, Clock::time_point now);
  double earned(Clock::time_point now) const;

  double perSecond_;
  double ceiling_ = -std::numeric_limits<double>::infinity();
  bool anchored_ = false;
  bool begun_ = false;     ///< at the last look
  double anchorTime_ = 0;  ///< logical, at `anchorAt_`
  Clock::time_point anchorAt_;
  double position_ = -std::numeric_limits<double>::infinity();  ///< at the last look
  bool suspended_ = false;
  bool resumed_ = false;  ///< since the last look: steps may have led beyond the anchor
};

}  // namespace tutti::executive
