// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/benchmarks/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tutti::bench {

double quantile(const std::vector<double>& sorted, double fraction) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double at = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double share = at - static_cast<double>(below);
  return sorted[below] + share * (sorted[below + 1] - sorted[below]);
}

Summary summarize(std::vector<double> values) {
  Summary result;
  double changes = 0;
  for (std::size_t i = 1; i < values.size(); ++i) changes += std::abs(values[i] - values[i - 1]);
  std::sort(values.begin(), values.end());
  result.count = values.size();
  result.median = quantile(values, 0.5);
  result.p10 = quantile(values, 0.1);
  result.p90 = quantile(values, 0.9);
  result.p99 = quantile(values, 0.99);
  result.least = quantile(values, 0);
  result.greatest = quantile(values, 1);
  const double count = static_cast<double>(values.size());
  result.mean = values.empty() ? std::numeric_limits<double>::quiet_NaN()
                               : std::accumulate(values.begin(), values.end(), 0.0) / count;
  result.jitter = values.size() < 2 ? 0 : changes / (count - 1);
  // Two passes: the sum of squares of 1e6 round trips would lose the digits that matter.
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.deviation = values.empty()       ? std::numeric_limits<double>::quiet_NaN()
                     : values.size() == 1 ? 0.0
                                          : std::sqrt(squares / (count - 1));
  return result;
}

std::vector<std::pair<double, double>> distribution(std::vector<double> values) {
  std::vector<std::pair<double, double>> result;
  if (values.empty()) return result;
  std::sort(values.begin(), values.end());
  const auto add = [&](double fraction) {
    result.emplace_back(fraction, quantile(values, fraction));
  };
  for (int percent = 0; percent < 90; percent += 2) add(percent / 100.0);
  // From here each decade of the remaining share gets the same number of points, as far as the
  // measurements reach: the last point is the share that one measurement stands for.
  const double finest = std::max(1e-4, 1.0 / static_cast<double>(values.size()));
  for (double rest = 0.1; rest > finest * 1.0001; rest /= std::pow(10.0, 0.05)) add(1 - rest);
  add(1 - finest);
  return result;
}

Mode modeOf(std::vector<double> values, double tolerance) {
  Mode result{std::numeric_limits<double>::quiet_NaN(), 0};
  std::sort(values.begin(), values.end());
  for (auto value = values.begin(); value != values.end(); ++value) {
    const double reach = std::abs(*value) * tolerance;
    const auto from = std::lower_bound(values.begin(), value, *value - reach);
    const auto to = std::upper_bound(value, values.end(), *value + reach);
    const auto near = static_cast<std::uint64_t>(to - from);
    if (near > result.frequency) result = {*value, near};
  }
  return result;
}

bool isBeyondNoise(const Difference& difference) {
  return difference.verdict == Difference::Verdict::Better ||
         difference.verdict == Difference::Verdict::Worse;
}

Difference compare(const std::vector<double>& before, const std::vector<double>& after,
                   bool lowerIsBetter) {
  Difference result;
  const Summary old = summarize(before);
  const Summary now = summarize(after);
  result.before = old.median;
  result.after = now.median;
  result.change = now.median / old.median - 1;
  if (before.empty() || after.empty()) return result;
  // Chance that all of one lie below all of the other, either way round: 2 / C(n + m, n).
  double orders = 1;
  for (std::size_t i = 1; i <= before.size(); ++i) {
    orders *= static_cast<double>(after.size() + i) / static_cast<double>(i);
  }
  const bool overlap = old.least <= now.greatest && now.least <= old.greatest;
  if (overlap) {
    result.verdict = Difference::Verdict::Noise;
  } else if (2 / orders >= 0.05) {
    result.verdict = Difference::Verdict::TooFew;
  } else {
    const bool less = now.greatest < old.least;
    result.verdict =
        less == lowerIsBetter ? Difference::Verdict::Better : Difference::Verdict::Worse;
  }
  return result;
}

}  // namespace tutti::bench
