// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/benchmarks/benchmark.h"

namespace tutti::bench {

const std::vector<Reference>& publishedReferences() {
  static const QString twoCores = QStringLiteral(
      "Measured between two processes on 2 virtual cores, another machine than this one.");
  static const std::vector<Reference> references{
      {QStringLiteral("Open RTIs, the best"),
       QStringLiteral(
           "The best of the open RTIs, 128-byte attribute updates; the others took up to "
           "280 µs. ") +
           twoCores,
       Kind::Latency,
       {{128, 92}}},
      {QStringLiteral("Fast DDS"),
       QStringLiteral("Over shared memory, no HLA. ") + twoCores,
       Kind::Latency,
       {{64, 127}}},
      {QStringLiteral("Cyclone DDS"),
       QStringLiteral("No HLA. ") + twoCores,
       Kind::Latency,
       {{64, 113}}},
      {QStringLiteral("ZeroMQ ipc"),
       QStringLiteral("No HLA. ") + twoCores,
       Kind::Latency,
       {{64, 98}}},
      {QStringLiteral("iceoryx, polling"),
       QStringLiteral("No HLA. ") + twoCores,
       Kind::Latency,
       {{64, 3.3}}},
      {QStringLiteral("Open RTIs, the best"),
       QStringLiteral("The best of the open RTIs, 128-byte attribute updates. ") + twoCores,
       Kind::Throughput,
       {{128, 0.2e6}}},
      {QStringLiteral("ZeroMQ ipc"),
       QStringLiteral("No HLA. ") + twoCores,
       Kind::Throughput,
       {{128, 4.7e6}}},
      {QStringLiteral("Cyclone DDS"),
       QStringLiteral("No HLA. ") + twoCores,
       Kind::Throughput,
       {{128, 1.2e6}}},
      {QStringLiteral("iceoryx"),
       QStringLiteral("No HLA. ") + twoCores,
       Kind::Throughput,
       {{128, 0.8e6}}},
      {QStringLiteral("Open RTIs, the best"),
       QStringLiteral("The best of the open RTIs, lookahead 0.1. ") + twoCores,
       Kind::TimeAdvance,
       {{0, 41e3}}},
  };
  return references;
}

}  // namespace tutti::bench
