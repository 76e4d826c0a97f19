// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "omt/loss_report.h"
#include "omt/module.h"

/// What all writers of modules share.
namespace tutti::omt {

/// "Ship.position": a class with one of its attributes, as a person finds them.
inline std::string memberName(const std::string& owner, const std::string& member) {
  return owner + '.' + member;
}

/// No edition before 2025 has them.
inline void lostDirected(const ModuleObjectClass& c, LossReport& report) {
  for (const DirectedInteraction& d : c.directedInteractions) {
    report.lost("Directed interactions", "left out", memberName(c.name, d.name), d.where.line);
  }
}

/// One root: a module may state HLAobjectRoot several times, documents have it once. Without any,
/// the result has no name.
template <typename Class>
Class joinedRoot(const std::vector<Class>& roots, LossReport& report) {
  if (roots.empty()) return {};
  Class root = roots.front();
  for (std::size_t i = 1; i < roots.size(); ++i) {
    const Class& more = roots[i];
    if (root.sharing == Sharing::Unspecified) root.sharing = more.sharing;
    if (root.semantics.empty()) root.semantics = more.semantics;
    if (root.notes.empty()) root.notes = more.notes;
    if (root.sharing != more.sharing || root.semantics != more.semantics ||
        root.notes != more.notes) {
      report.guessed("A root class that is stated again", "joined with the first", more.name,
                     more.line);
    }
    if constexpr (requires { root.parameters; }) {
      root.parameters.insert(root.parameters.end(), more.parameters.begin(), more.parameters.end());
      if (root.transportation.empty()) root.transportation = more.transportation;
      if (!root.order) root.order = more.order;
      if (root.dimensions.empty()) root.dimensions = more.dimensions;
    } else {
      root.attributes.insert(root.attributes.end(), more.attributes.begin(), more.attributes.end());
      root.directedInteractions.insert(root.directedInteractions.end(),
                                       more.directedInteractions.begin(),
                                       more.directedInteractions.end());
    }
    root.subclasses.insert(root.subclasses.end(), more.subclasses.begin(), more.subclasses.end());
  }
  return root;
}

}  // namespace tutti::omt
