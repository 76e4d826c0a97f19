// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/error.h"
#include "composer/model/json_source.h"
#include "launcher/engine/launch_plan.h"

namespace tutti::launcher {

/// Which RTI node each federate of a launch plan is at, how the nodes are linked, and what ends
/// with which part. Made from a launch plan; its file is read by people, and by the launch. A
/// value; any thread.
///
/// A person may change in the file: the architecture, where the home listens, and the grace of the
/// links. The rest follows from the launch plan, and a file that says otherwise is refused.
struct ConnectionPlan {
  struct Node {
    QString process;  ///< Id of its process in the launch plan.
    QString name;     ///< "run-plan" of "shm:run-plan"; another one in each run.
    QString host;     ///< Empty: this machine.
    friend bool operator==(const Node&, const Node&) = default;
  };
  enum class Transport { Tcp, Udp };
  struct Link {
    QString from;  ///< A node; in the centralized architecture also a federate.
    QString to;    ///< A node.
    Transport transport = Transport::Tcp;
    bool key = false;             ///< Encrypted, and open only to those with the key.
    std::optional<double> grace;  ///< Seconds; a link without one is replaced by the way past home.
    QString carries;              ///< In words.
    friend bool operator==(const Link&, const Link&) = default;
  };
  struct Member {
    QString name;        ///< Of the federate.
    QString node;        ///< Process of its node.
    QString host;        ///< Empty: this machine.
    QString designator;  ///< Its TUTTI_RTI.
    friend bool operator==(const Member&, const Member&) = default;
  };
  /// A part without which something ends.
  struct Risk {
    QString part;          ///< "host lab1", "federate radar-west" ...
    QString consequence;   ///< Sentences, what becomes of the run first.
    bool endsRun = false;  ///< Not written: the consequence says so.
    QString federate{};    ///< Likewise: the part is this one alone.
    QString host{};        ///< Likewise: of the part, when it is one other host's.
    friend bool operator==(const Risk&, const Risk&) = default;
  };

  QString federation;
  QString architecture;  ///< One of composer::architectures.
  QString home;          ///< Process of the node that decides; empty: none is started.
  std::optional<ListenAddress> listen;  ///< Of the home; nothing: other hosts cannot reach it.
  std::vector<Node> nodes;              ///< The home first.
  std::vector<Link> links;
  std::vector<Member> federates;  ///< In start order.
  std::vector<Risk> risks;

  /// What follows from a launch plan that is not settled. `architecture`: empty means the first.
  static ConnectionPlan of(const LaunchPlan& plan, const QString& architecture);

  /// Which host coordinates and why it is that one, a sentence; empty: no node is started.
  [[nodiscard]] QString coordination() const;

  /// Deterministic: sorted keys, no times, the same bytes for the same plan.
  [[nodiscard]] QByteArray toBytes() const;
  /// The first fault is the error.
  static tl::expected<ConnectionPlan, composer::Error> fromSource(
      const composer::JsonSource& source);

  friend bool operator==(const ConnectionPlan&, const ConnectionPlan&) = default;
};

/// Makes what a connection plan says true of a launch plan that is not settled. The error names the
/// file and line where the two contradict each other; then `plan` is as it was. The sources are
/// what both were read from.
tl::expected<void, composer::Error> applyConnections(LaunchPlan& plan,
                                                     const composer::JsonSource& launch,
                                                     const composer::JsonSource& connections);

}  // namespace tutti::launcher
