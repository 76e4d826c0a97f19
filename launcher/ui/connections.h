// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "launcher/engine/launch_plan.h"

namespace tutti::launcher {

class HostWatch;

/// The RTI nodes of a run and the links between them, as they will be when it starts: the
/// ConnectionPlan of its launch plan, as it is drawn.
struct Connections {
  struct Node {
    QString key;  ///< of its host
    QString name;
    QString shortName;      ///< of a node of a job without its partition; else its name
    bool isHome = false;    ///< it coordinates
    QString why{};          ///< then: why it does, a sentence
    QStringList federates;  ///< names of the processes there
    friend bool operator==(const Node&, const Node&) = default;
  };
  struct Link {
    int one = 0;  ///< index of a node
    int other = 0;
    bool toHome = false;  ///< made by the host's node; else between two hosts, for data only
    QString transport;    ///< "TCP and UDP 15164 to 15264"
    friend bool operator==(const Link&, const Link&) = default;
  };
  /// What the run cannot do without, and what is lost with it.
  struct SinglePoint {
    QString what;
    QString then;
    bool endsRun = false;
    friend bool operator==(const SinglePoint&, const SinglePoint&) = default;
  };
  QString architecture;     ///< a name of composer::architectures
  QString whyNone{};        ///< a sentence; empty: there are nodes
  std::vector<Node> nodes;  ///< this machine's first
  std::vector<Link> links;
  std::vector<SinglePoint> singlePoints;  ///< those that end the run first
  friend bool operator==(const Connections&, const Connections&) = default;

  /// A line each: nodes, links, single points.
  QStringList lines() const;
};

/// Nothing but the architecture as long as there is no launch plan. `architecture`: empty means the
/// first.
Connections connectionsOf(const std::optional<LaunchPlan>& plan, const QString& architecture,
                          const HostWatch& watch);

}  // namespace tutti::launcher
