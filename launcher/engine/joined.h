// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <optional>
#include <vector>

namespace tutti::launcher {

/// A federate that is joined, or was and has resigned.
struct JoinedFederate {
  QString name;
  qint64 pid = 0;   ///< 0: not known.
  bool now = true;  ///< False: it has left.
  QStringList achieved{};  ///< Labels of synchronization points, open or synchronized.
};

/// Who has joined, as the RTI says; nothing while it cannot be asked. Called in a thread of its
/// own, never twice at once.
using JoinedSource = std::function<std::optional<std::vector<JoinedFederate>>()>;

/// Asks the RTI node of a designator (shm:NAME) about one federation execution. Connects when first
/// asked, and again after the node has gone.
JoinedSource joinedAtNode(const QString& designator, const QString& federation);

}  // namespace tutti::launcher
