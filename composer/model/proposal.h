// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "composer/model/manifest.h"

namespace tutti::composer {

class Catalog;
struct Composition;

/// Components to add so that somebody publishes what a person needs, and what those components need
/// in turn.
struct Proposal {
  struct Item {
    const Manifest* manifest = nullptr;  ///< of the catalog the proposal was made from
    QString why;                         ///< "publishes Flight, which radar subscribes to"
    QStringList alternatives;            ///< ids of other components that would do as well
    int depth =
        0;  ///< steps of the data flow behind a source: 0 subscribes to nothing that is proposed
  };
  struct Unmet {
    QString className;  ///< fully qualified
    bool isObject = true;
    QString neededBy;  ///< federate or component; empty when the person asked for it
  };
  std::vector<Item> items;   ///< sources first
  std::vector<Unmet> unmet;  ///< classes that no component of the catalog publishes
};

/// A class a person asks for: "Flight", "HLAobjectRoot.Flight" or "HLAinteractionRoot.Conflict". A
/// name without root matches object classes and interaction classes.
struct Need {
  QString className;
};

/// Proposes components of `catalog` for `needs` and for every subscription that `composition`
/// leaves without publisher. What enabled federates publish already is not proposed again. Where
/// several components would do, the one that brings the fewest further needs is taken, then the
/// first by id.
Proposal propose(const Composition& composition, const Catalog& catalog,
                 const std::vector<Need>& needs);

}  // namespace tutti::composer
