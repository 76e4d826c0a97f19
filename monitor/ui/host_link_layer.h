// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMap>

#include "monitor/engine/snapshot.h"
#include "monitor/ui/host_pairs.h"

class QGraphicsScene;

namespace tutti::monitor {

class HostItem;
class LinkItem;
class RateItem;

/// The links between the hosts of a run on the canvas: from RTI node to RTI node, what goes over
/// them, and which do not answer. The items belong to the scene.
class HostLinkLayer {
 public:
  /// Chooses the links that are drawn; with each snapshot, before build() or refresh().
  void look(const Snapshot& snapshot) { pairs_.look(snapshot); }
  const HostPairs& pairs() const { return pairs_; }

  /// Forgets the items; the scene has removed them.
  void clear();
  /// `columnOf`: hosts of one column are linked beside it. Labels are drawn larger by `growth`.
  void build(QGraphicsScene& scene, const QMap<QString, HostItem*>& hosts,
             const QMap<QString, int>& columnOf, const Snapshot& snapshot, double growth);
  void refresh(const Snapshot& snapshot);

 private:
  void placeLabels(const QMap<QString, HostItem*>& hosts, double growth);
  HostPairs pairs_;
  QMap<HostPair, LinkItem*> links_;
  QMap<HostPair, RateItem*> labels_;
};

}  // namespace tutti::monitor
