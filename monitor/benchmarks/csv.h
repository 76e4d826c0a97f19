// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include "monitor/benchmarks/benchmark.h"

/// Tables that leave Tutti as comma-separated values (RFC 4180).
namespace tutti::bench {

/// What each line says of the result that it is of: heads of the columns, and their fields. `run`
/// is the number of the stored result; 0: it is not stored.
const QStringList& originHeads();
QStringList originOf(const Result& result, qint64 run);

}  // namespace tutti::bench
