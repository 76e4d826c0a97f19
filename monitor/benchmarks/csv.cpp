// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/benchmarks/csv.h"

#include "resources/csv.h"

namespace tutti::bench {

const QStringList& originHeads() {
  static const QStringList heads{QStringLiteral("run"),     QStringLiteral("measured_at"),
                                 QStringLiteral("build"),   QStringLiteral("seed"),
                                 QStringLiteral("machine"), QStringLiteral("load")};
  return heads;
}

QStringList originOf(const Result& result, qint64 run) {
  const Build& build = result.build;
  return {run > 0 ? QString::number(run) : QString(),
          result.at.toUTC().toString(Qt::ISODate),
          csvField(QStringLiteral("%1 %2 %3").arg(build.version, build.type, build.compiler)),
          QString::number(result.settings.seed),
          csvField(result.machine.line()),
          QString::number(result.machine.otherLoad(), 'f', 2)};
}

}  // namespace tutti::bench
