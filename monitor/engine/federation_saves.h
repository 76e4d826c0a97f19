// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>
#include <QStringList>
#include <chrono>
#include <functional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

namespace tutti::monitor {

/// A save of a federation execution that can be restored.
struct KeptSave {
  QString label;
  qint64 bytes = 0;  ///< on the disk of the host of the RTI node
  QDateTime savedAt;
};

/// How far a save or a restore is.
struct SaveProgress {
  double elapsed = 0;   ///< s since it was asked for
  QStringList awaited;  ///< names of federates that have not done their part
  int federates = 0;    ///< that take part
  bool operator==(const SaveProgress&) const = default;
};

/// Saves that the RTI node of this host keeps of that federation execution, the newest first; also
/// of one that does not exist now. `node` is its name. Blocks for up to 2 s; any thread.
tl::expected<std::vector<KeptSave>, QString> keptSaves(const QString& node,
                                                       const QString& federation);

enum class SaveVerb { Save, Restore };

/// Why no save or restore may have `label`, one sentence; empty when it may.
QString faultOfLabel(const QString& label);

/// Has a federation execution saved or restored (IEEE 1516.1-2010, 4.16, 4.24) and waits for the
/// end. What is not done within `patience`, or when `stop` is asked for, is aborted (4.21, 4.30).
/// The error names the federate that is to blame and says what to do. `progress` is called on this
/// thread whenever it changes. Blocks; any thread.
tl::expected<void, QString> operateSave(
    const QString& node, const QString& federation, SaveVerb verb, const QString& label,
    std::chrono::milliseconds patience,
    const std::function<void(const SaveProgress&)>& progress = {},
    const std::stop_token& stop = {});

}  // namespace tutti::monitor
