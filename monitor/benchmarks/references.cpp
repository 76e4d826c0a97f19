// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include "monitor/benchmarks/benchmark.h"

namespace tutti::bench {
namespace {

std::vector<Reference> make() {
  const double unpublished = std::numeric_limits<double>::quiet_NaN();
  const QString twoCores = QStringLiteral(
      " Measured between two processes on 2 virtual cores of another machine than this one.");
  std::vector<Reference> result{
      {QStringLiteral("Best open RTI"),
       QStringLiteral("The best of the open RTIs, medians; at 128 bytes the others took up to "
                      "280 µs.") +
           twoCores,
       Kind::Latency,
       {{128, 92, unpublished}, {64 * 1024, 56, unpublished}, {1024 * 1024, 614, unpublished}}},
      {QStringLiteral("Best open RTI"),
       QStringLiteral("The best of the open RTIs, 128-byte attribute updates.") + twoCores,
       Kind::Throughput,
       {{128, 0.2e6, unpublished}}},
      {QStringLiteral("Best open RTI"),
       QStringLiteral("The best of the open RTIs.") + twoCores,
       Kind::TimeAdvance,
       {{0.1, 41e3, unpublished}, {10, 98e3, unpublished}}},
  };
  const QString xeons = QStringLiteral(
      " \"HP-CERTI\", the DMSO benchmark with two federates on one computer of four 1.4 GHz Xeons "
      "with Linux 2.4: other hardware, not to be compared in microseconds.");
  // Three papers' tables in the order of socket CERTI, SHM-CERTI and RTI-NG V6.
  struct Table {
    const char* label;
    std::vector<Reference::Point> latency;     ///< mean and SD in µs of one way
    std::vector<Reference::Point> grants;      ///< by lookahead
    std::vector<Reference::Point> throughput;  ///< by size
  };
  const std::vector<Table> tables{
      {"Socket CERTI",
       {{128, 574, 775}, {512, 591, 286}, {1024, 577, 365}, {2048, 709, 405}},
       {{0.1, 4494.45, 541.262}, {1, 3356.11, 497.207}, {10, 3917.24, 367.424}},
       {{128, 3828.55, 307.13},
        {512, 3679.741, 239.36},
        {1024, 3279.397, 246.11},
        {2048, 2526.201, 142.08}}},
      {"SHM-CERTI",
       {{128, 351, 496}, {512, 339, 335}, {1024, 456, 478}, {2048, 682, 463}},
       {{0.1, 5110.32, 927.939}, {1, 4303.63, 1099.12}, {10, 6408.9, 234.555}},
       {{128, 4421.802, 204.66},
        {512, 4116.422, 176.45},
        {1024, 3678.043, 41.56},
        {2048, 4455.867, 413.74}}},
      {"RTI-NG V6",
       {{128, 541, 31}, {512, 551, 70}, {1024, 589, 51}, {2048, 681, 108}},
       {{0.1, 756.457, 131.858}, {1, 987.606, 188.879}, {10, 792.233, 205.943}},
       {{128, 4916.593, 139.56},
        {512, 3902.945, 76.21},
        {1024, 3347.505, 772.87},
        {2048, 2005.916, 3.01}}},
  };
  for (const Table& each : tables) {
    const QString label = QString::fromLatin1(each.label);
    const auto add = [&](const char* what, Kind kind, const std::vector<Reference::Point>& points) {
      result.push_back({label, label + QString::fromLatin1(what) + xeons, kind, points});
    };
    add(": means and standard deviations of the one-way time.", Kind::DmsoLatency, each.latency);
    add(": means and standard deviations of 20 cycles.", Kind::DmsoTimeAdvance, each.grants);
    add(": means and standard deviations of 20 cycles.", Kind::DmsoThroughput, each.throughput);
  }
  return result;
}

}  // namespace

const std::vector<Reference>& publishedReferences() {
  static const std::vector<Reference> references = make();
  return references;
}

}  // namespace tutti::bench
