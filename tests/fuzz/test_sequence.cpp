// SPDX-License-Identifier: GPL-3.0-or-later
// The test-sequence file of RTIBM.
#include "monitor/benchmarks/test_sequence.h"

#include "target.h"

namespace tutti::fuzz {

namespace {
Landmark parsed("a sequence was read");
Landmark several("a sequence with several federation executions was read");
Landmark refused("an error was reported with its line");
}  // namespace

void target(Input input) {
  const auto text = QString::fromUtf8(textOf(input).data(), static_cast<qsizetype>(input.size()));
  const auto sequence = bench::parseSequence(text, QStringLiteral("fuzzed.tsf"));
  if (!sequence) {
    require(sequence.error().startsWith(QStringLiteral("fuzzed.tsf:")), "an error names its place");
    refused.reach();
    return;
  }
  parsed.reach();
  if (sequence->federations.size() > 1) several.reach();
  int id = 0;
  for (const auto& federation : sequence->federations) {
    require(federation.pairs() >= 1, "a federation execution has pairs");
    for (const auto& test : federation.tests) {
      require(test.samples >= 1 && test.sampleSize >= 2 && test.instances >= 1,
              "variables are within their limits");
      require(!bench::describe(test, ++id).isEmpty(), "a test can be described");
    }
  }
}

std::vector<Bytes> seeds() {
  return {fileContent("monitor/benchmarks/federates/rtibm.tsf")};
}

}  // namespace tutti::fuzz
