// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMap>
#include <QPair>
#include <QSet>
#include <QString>

#include "monitor/engine/snapshot.h"

namespace tutti::monitor {

/// Names of two hosts: this host first, else by name.
using HostPair = QPair<QString, QString>;
HostPair hostPair(const QString& a, const QString& b, const QString& here);

/// Which hosts of a run are joined by a line on the canvas: this one with each other; of two
/// others, those between which data goes, at most `mostBetweenOthers`: every two RTI nodes are
/// connected, and all those lines, which mostly carry nothing, would hide the few that do.
///
/// A line stays as long as there is room, so that the canvas stands still.
class HostPairs {
 public:
  static constexpr qsizetype mostBetweenOthers = 8;

  /// To be called with each snapshot that is drawn.
  void look(const Snapshot& snapshot);

  const QSet<HostPair>& drawn() const { return drawn_; }
  /// Pairs of other hosts that have no line, though data goes between them.
  qsizetype left() const { return left_; }

  /// What goes between two hosts, messages a second: as the RTI nodes count it where they tell of
  /// their link, else as is seen of it from here. Pairs of which nothing is known are not there.
  static QMap<HostPair, double> rates(const Snapshot& snapshot);
  /// The links between two other hosts whose direct connection is broken, and for how many seconds.
  static QMap<HostPair, double> broken(const Snapshot& snapshot);

 private:
  QSet<HostPair> drawn_;
  qsizetype left_ = 0;
};

}  // namespace tutti::monitor
