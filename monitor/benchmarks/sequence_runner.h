// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <map>
#include <tl/expected.hpp>
#include <vector>

#include "monitor/benchmarks/runner.h"
#include "monitor/benchmarks/test_sequence.h"

namespace tutti::bench {

/// One sample of one pair of RTIBM.
struct Sample {
  std::size_t federation = 0;  ///< in the sequence
  std::size_t test = 0;        ///< in the federation
  int number = 0;              ///< 1 to `samples`
  int pair = 0;                ///< from 0
  double value = 0;            ///< messages/s or µs
  std::uint64_t received = 0;
  std::uint64_t dropped = 0;
};

/// What a sequence measured, and of what.
struct Samples {
  Rti rti;
  Machine machine;
  std::vector<Sample> samples;
};

/// Runs the federation executions of a sequence one after the other. Of the settings count seed,
/// pinning, waiting and designator. As runBenchmark otherwise.
tl::expected<Samples, RunError> runSequence(
    const TestSequence& sequence, const Settings& settings, const Tools& tools,
    const std::function<void(const Progress&)>& progress, const std::function<bool()>& cancelled);

/// What a sample line of the master says: test, sample, pair, value, received, dropped, again and
/// again. An error is one sentence.
tl::expected<std::vector<Sample>, QString> samplesOf(const std::vector<double>& numbers,
                                                     std::size_t federation);

/// A result for each kind of test: tests that differ in nothing but the kind's axis are one line.
std::vector<Result> resultsOf(const TestSequence& sequence, const Samples& samples,
                              const Settings& settings);

/// One row a sample, with all variables and `originOf` the result of its kind of test.
QString csvOf(const TestSequence& sequence, const std::vector<Sample>& samples,
              const std::map<Kind, QStringList>& origins);

}  // namespace tutti::bench
