// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::bench {

/// What is said of a set of measurements. All in the unit of the measurements; not a number where
/// there are none.
struct Summary {
  std::uint64_t count = 0;
  double median = 0;
  double mean = 0;
  double deviation = 0;  ///< standard deviation of a sample (n - 1); 0 for a single one
  double p10 = 0;
  double p90 = 0;
  double p99 = 0;
  double least = 0;
  double greatest = 0;
  double jitter = 0;  ///< mean change from one to the next, without its sign; 0 for a single one
};

/// The value below which the share `fraction` (0 to 1) of `sorted` lies, between neighbours by
/// linear interpolation at fraction * (n - 1), as R (type 7) and NumPy have it.
double quantile(const std::vector<double>& sorted, double fraction);

Summary summarize(std::vector<double> values);

/// (share, value) pairs that draw a distribution up to 99.99 %: dense where it bends.
std::vector<std::pair<double, double>> distribution(std::vector<double> values);

/// The value that most of `values` are nearly as large as: within `tolerance` (a share of it) of
/// it. Of several such values the least. Not a number where there are no values.
struct Mode {
  double value = 0;
  std::uint64_t frequency = 0;  ///< how many are within the tolerance
};
Mode modeOf(std::vector<double> values, double tolerance);

/// How two sets of repeats compare.
struct Difference {
  enum class Verdict {
    TooFew,  ///< with so few repeats even fully separate ones can be chance (over 5 %)
    Noise,   ///< the repeats overlap
    Better,
    Worse,
  };
  Verdict verdict = Verdict::TooFew;
  double before = 0;  ///< median of the repeats
  double after = 0;
  double change = 0;  ///< after / before - 1
};

/// Better or worse.
bool isBeyondNoise(const Difference& difference);

/// A change is significant only when the repeats of both do not overlap at all, and there are enough of
/// them that this is chance in less than 5 % of cases (two-sided, rank sum): from 4 and 4 on.
/// Otherwise it is noise. `lowerIsBetter` for times, not for rates.
Difference compare(const std::vector<double>& before, const std::vector<double>& after,
                   bool lowerIsBetter);

}  // namespace tutti::bench
