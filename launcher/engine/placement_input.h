// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <map>
#include <vector>

#include "composer/model/catalog.h"
#include "composer/model/composition.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/placement.h"

namespace tutti::launcher {

/// What a person asks of a placement beyond what files say.
struct PlacementWishes {
  std::map<QString, QString> pins;  ///< host by federate name
  std::vector<QStringList> apart;   ///< sets of federate names of which no two share a host
  bool keep = false;  ///< federates that name a host stay there; those on this machine are moved
};

/// The input of place(): the enabled federates by name, with what all their instances need
/// together (Federate::needs), for a federate names one host for all of them. A component that the
/// catalog does not have needs 1 core. Pins and sets of the composition count beside the wishes;
/// who is pinned to this machine, which `deployment` does not describe, or to a node of a cluster
/// of its, stays there and is left out. What two federates exchange is the rate of the classes one
/// publishes and the other subscribes, where the rate is not known 1 message/s. Hosts are those of
/// `deployment`, without nodes of clusters and without marked spares to which nobody is pinned;
/// nothing of them is in use. Pure; any thread.
PlacementInput placementInput(const composer::Composition& composition,
                              const composer::Catalog& catalog, const Deployment& deployment,
                              const PlacementWishes& wishes = {});

/// What the federates of a composition exchanged in a run, all instances of one together.
struct MeasuredExchanges {
  qint64 run = 0;  ///< its number; 0: none has measured any
  std::vector<Exchange> exchanges;
};
/// Of the last run of the composition in that file. Any thread; it may take seconds.
using MeasuredSource =
    std::function<MeasuredExchanges(const QString& file, const composer::Composition& composition)>;

/// Lets what a run has measured between two federates count in place of what is expected of them;
/// of the others it stays. Returns of how many pairs it was measured.
int useMeasured(PlacementInput& input, const std::vector<Exchange>& measured);

}  // namespace tutti::launcher
