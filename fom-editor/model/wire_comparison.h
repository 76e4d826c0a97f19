// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QSet>
#include <QString>
#include <utility>

#include "omt/object_model.h"

namespace tutti::fomedit {

/// What a difference means to a federate that was built for the other model.
enum class Impact : std::uint8_t {
  None,   ///< nothing
  Check,  ///< it runs; somebody should look at it
  Breaks  ///< it does not run, or takes values for what they are not
};

struct WireResult {
  Impact impact = Impact::None;
  QString why;  ///< "altitude: 4 bytes in A, 8 bytes in B"; empty for None
};

/// Whether values that are encoded by a datatype of one model are understood by federates that go
/// by a datatype of the other (IEEE 1516.2-2010, 4.13). Names of datatypes, fields and enumerators
/// are not on the wire and do not count. Both models must outlive it; for one thread.
class WireComparison {
 public:
  WireComparison(const omt::ObjectModel& before, const omt::ObjectModel& after)
      : before_(before), after_(after) {}

  WireResult compare(const QString& before, const QString& after);
  /// Whether a comparison so far has led to this datatype of the model before, or after.
  bool reachedBefore(const QString& name) const { return reachedBefore_.contains(name); }
  bool reachedAfter(const QString& name) const { return reachedAfter_.contains(name); }

 private:
  WireResult compareTypes(const omt::DataType& before, const omt::DataType& after);
  WireResult compareNumbers(const omt::DataType& before, const omt::DataType& after);
  WireResult compareEnumerators(const omt::DataType& before, const omt::DataType& after) const;
  WireResult compareArrays(const omt::DataType& before, const omt::DataType& after);
  WireResult compareRecords(const omt::DataType& before, const omt::DataType& after);
  WireResult compareVariants(const omt::DataType& before, const omt::DataType& after);

  const omt::ObjectModel& before_;
  const omt::ObjectModel& after_;
  QHash<std::pair<QString, QString>, WireResult> known_;  // those being compared count as equal
  QSet<QString> reachedBefore_;
  QSet<QString> reachedAfter_;
};

}  // namespace tutti::fomedit
