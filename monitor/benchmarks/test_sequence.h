// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <tl/expected.hpp>
#include <vector>

#include "monitor/benchmarks/benchmark.h"

/// The test-sequence file of RTIBM: many tests in several federation executions, as readable text.
/// rtibm.tsf is one, and explains itself.
namespace tutti::bench {

/// The variables of one test.
struct SequenceTest {
  Kind kind = Kind::RtibmOwot;
  // These three are the same in all tests of a federation execution.
  Transport transport = Transport::Reliable;
  int hosts = 1;     ///< linked RTI nodes, with the federates on them by turns
  int bundling = 0;  ///< µs that best effort between hosts may wait for more; 0: for none
  int pairs = 1;
  int types = 1;       ///< object or interaction classes of a pair
  int instances = 1;   ///< of each object class
  int attributes = 1;  ///< or parameters
  int buffer = 128;    ///< bytes of each
  int sampleSize = 2000;
  int samples = 10;
  int dataThreshold = 1;    ///< messages sent before a tick
  int updateThreshold = 1;  ///< messages gathered before they are returned
};

struct SequenceFederation {
  QString name;
  std::vector<SequenceTest> tests;

  int pairs() const;  ///< of the test that has most
};

struct TestSequence {
  std::vector<SequenceFederation> federations;
  double modeTolerance = 0.05;
};

/// An error is "FILE:LINE: what is wrong. What to do.".
tl::expected<TestSequence, QString> parseSequence(const QString& text, const QString& fileName);
tl::expected<TestSequence, QString> readSequence(const QString& fileName);

/// The variables as the measuring programs read them: "id=1 test=OWOT transport=reliable ...".
QString describe(const SequenceTest& test, int id);

}  // namespace tutti::bench
