// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/composition.h"
#include "launcher/engine/launch_plan.h"

namespace tutti::launcher {

// What launch_plan.cpp needs for the hosts of a plan.

/// Name of the node of that host in a run whose own node is `home`.
QString hostNode(const QString& home, const QString& host);

/// "10.0.0.1:4711", with an IPv6 address in brackets.
QString addressWithPort(const QString& address, quint16 port);

/// Finds the hosts that federates are placed on. The file that describes them is read when the
/// first federate asks for a host, so that a composition that uses this machine only needs none.
class Placing {
 public:
  explicit Placing(const LaunchPlan::Options& options) : options_(options) {}

  /// Where a federate is to run: the plan's entry of that host, made when there is none yet; null:
  /// this machine. Good until the next call. `names`: those of all federates, which no node gets.
  tl::expected<PlannedHost*, composer::Error> place(const composer::Federate& federate,
                                                    LaunchPlan& plan, const QStringList& names);

  /// Plans spares, if the file has them, for the required federates of other hosts whose restart
  /// policy is not "never"; notes of each what it needs there.
  void addSpares(LaunchPlan& plan, const composer::Composition& composition,
                 const composer::Catalog& catalog, const QStringList& names) const;

  /// Deployment::longestWait of the file; 0 when it was not read.
  [[nodiscard]] double longestWait() const;

  /// Where other hosts reach this machine, as the file says; empty: it does not, or was not read.
  [[nodiscard]] QString homeAddress() const;

 private:
  const tl::expected<Deployment, composer::Error>& deployment();
  static PlannedHost planned(const Host& host, const LaunchPlan& plan, const QStringList& names);

  const LaunchPlan::Options& options_;
  std::optional<tl::expected<Deployment, composer::Error>> deployment_;
};

/// Adds the RTI nodes of the hosts behind the run's own, which they wait for.
void planHostNodes(LaunchPlan& plan);

/// File of a process's log in that folder.
QString logFileIn(const QString& folder, const QString& process);
/// Whether a file of a folder may be a log by its name: ASCII letters, digits, space and "-._~%",
/// ".log" at its end, no dot at its beginning. All names of logFileIn() are such.
bool isLogName(const QString& file);

/// The texts of a list in an object; none where there is no such list.
QStringList textsOf(const nlohmann::json& object, const char* key);

nlohmann::json hostsPart(const std::vector<PlannedHost>& hosts);
/// Throws nlohmann::json::exception when it is not as Tutti writes it.
std::vector<PlannedHost> readHostsPart(const nlohmann::json& hosts);

}  // namespace tutti::launcher
