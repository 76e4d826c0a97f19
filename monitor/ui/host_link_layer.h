// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMap>
#include <QPair>
#include <QSet>

#include "monitor/engine/snapshot.h"

class QGraphicsScene;

namespace tutti::monitor {

class HostItem;
class LinkItem;
class RateItem;

/// The links between the hosts of a run on the canvas: from RTI node to RTI node, what goes over
/// them, and which do not answer. The items belong to the scene.
class HostLinkLayer {
 public:
  using Pair = QPair<QString, QString>;  ///< names of hosts, this host first

  /// This host with each other, and two others with each other where messages are seen to go.
  static QSet<Pair> pairsOf(const Snapshot& snapshot);

  /// Forgets the items; the scene has removed them.
  void clear();
  /// `columnOf`: hosts of one column are linked beside it. Labels are drawn larger by `growth`.
  void build(QGraphicsScene& scene, const QMap<QString, HostItem*>& hosts,
             const QMap<QString, int>& columnOf, const Snapshot& snapshot, double growth);
  void refresh(const Snapshot& snapshot);

 private:
  void placeLabels(const QMap<QString, HostItem*>& hosts, double growth);
  QMap<Pair, LinkItem*> links_;
  QMap<Pair, RateItem*> labels_;
};

}  // namespace tutti::monitor
