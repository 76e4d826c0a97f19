// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QMap>
#include <QString>
#include <QStringList>
#include <functional>
#include <tl/expected.hpp>
#include <vector>

#include "monitor/benchmarks/benchmark.h"

/// Which programs measure what, and what their output says.
namespace tutti::bench {

/// What one program printed: "key value ..." lines. A key that comes again continues its list.
struct Report {
  QMap<QString, std::vector<double>> numbers;
  QMap<QString, QString> texts;  ///< the same lines as they stand
};
Report parseReport(const QByteArray& output);

/// One line of the plot: the RTI with one transport, or a yardstick.
struct Line {
  QString id;
  QString label;  ///< of the RTI's lines without its name: "best effort"; may be empty
  bool yardstick = false;
  Transport transport = Transport::Reliable;
  QString architecture = QStringLiteral("decentralized");
  int hosts = 1;
};
/// The RTI's first, yardsticks last.
std::vector<Line> linesOf(const Settings& settings);

/// A process of one measurement. Its number decides its processor.
struct Program {
  QString name;  ///< "bench-latency"
  QStringList arguments;
  int host = 0;  ///< on which of the line's hosts
};
/// `folder` has the programs and the modules, `processor` says where the process of a number goes
/// (-1: anywhere).
std::vector<Program> programsOf(const Settings& settings, const Line& line, double at,
                                const QString& federation, const QString& folder,
                                const std::function<int(int)>& processor);

struct Measured {
  std::vector<double> values;  ///< in the kind's unit
  std::uint64_t lost = 0;
  /// What it took, by a name with its unit: "ns/update".
  std::map<QString, double> costs{};
};
/// An error is one sentence.
tl::expected<Measured, QString> measuredOf(const Settings& settings, const Line& line,
                                           const std::vector<Report>& reports);

}  // namespace tutti::bench
