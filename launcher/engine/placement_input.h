// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
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

/// The input of place(): the enabled federates by name, with what their components need for all
/// instances together, for a federate names one host for all of them. A component that the catalog
/// does not have needs 1 core. Pins and sets of the composition count beside the wishes; who is
/// pinned to this machine, which `deployment` does not describe, stays there and is left out. What
/// two federates exchange is the rate of the classes one publishes and the other subscribes, where
/// the rate is not known 1 message/s. Hosts are those of `deployment`, without nodes of clusters;
/// nothing of them is in use. Pure; any thread.
PlacementInput placementInput(const composer::Composition& composition,
                              const composer::Catalog& catalog, const Deployment& deployment,
                              const PlacementWishes& wishes = {});

}  // namespace tutti::launcher
