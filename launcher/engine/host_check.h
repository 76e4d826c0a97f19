// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "launcher/engine/agent.h"
#include "launcher/engine/home_port.h"
#include "launcher/engine/host_files.h"
#include "launcher/engine/launch_plan.h"
#include "launcher/engine/port_use.h"
#include "launcher/engine/preflight.h"
#include "launcher/engine/slurm_nodes.h"

namespace tutti::launcher {

/// What a host said of itself over one SSH connection.
struct HostReport {
  QString host;
  QString destination;  ///< what ssh was given, as Host::destination
  int port = 0;         ///< likewise, as Host::port
  bool reached = false;
  Agent::Loss loss;    ///< unless reached
  double seconds = 0;  ///< the whole answer took
  QString machine;     ///< "x86_64"
  QString folder;      ///< where Tutti keeps copies there
  QString runs;        ///< where Tutti keeps the logs of runs there
  QString console;     ///< this machine's address as that host sees it
  int cores = 0;
  double load = 0;
  double memoryAvailableMb = 0;
  double memoryTotalMb = 0;
  double diskFreeMb = 0;     ///< where the copies are
  double logDiskFreeMb = 0;  ///< where the logs are
  double clockAheadSeconds = 0;
  double clockUncertainSeconds = 0;  ///< the clock is off by no more and no less than that
  std::optional<bool> reachesHome;   ///< it could connect to this machine; nothing: not tried
  QString whyNotHome;                ///< "Connection refused"
  bool same = false;                 ///< all files are there at the paths that they have here
  QStringList toCopy;                ///< files that the copies there lack, unless same
  QStringList differing;             ///< those of them that are there with another content
  qint64 bytesToCopy = 0;
  /// Of the ports that were asked for: those at which something listens there, and what.
  std::map<quint16, PortHolder> taken;

  /// Its clock differs from this machine's by more than 20 ms, for certain.
  [[nodiscard]] bool isClockOff() const;
};

/// Asks a host; blocks for up to 30 s, any thread. With `port` it tries to connect there: to
/// `address`, or where its connection comes from when that is empty. `federatePorts`: TCP ports
/// that are to be free there.
HostReport askHost(const Host& host, const HostFiles& files, const std::stop_token& stop = {},
                   quint16 port = 0, const QString& address = {},
                   const QList<quint16>& federatePorts = {});

/// Copies what the report says is missing, then asks again. The error says why not. Blocks for as
/// long as it takes; any thread.
tl::expected<HostReport, Agent::Loss> copyToHost(const Host& host, const HostFiles& files,
                                                 const HostReport& report,
                                                 const std::stop_token& stop = {});

/// What has come of preparing the hosts of a plan.
struct HostPreparation {
  std::vector<PreflightCheck> checks;  ///< errors first
  std::vector<HostReport> reports;     ///< in the plan's order
  LaunchPlan asPlanned;                ///< the plan before it was settled
  Allocations allocations;             ///< the jobs of nodes of clusters, for Run::hold()
  std::shared_ptr<HomePort> homePort;  ///< reserved until the run is over
};

/// Waits for the nodes of clusters that the plan names, then asks all hosts of a plan at once,
/// copies what they lack when `copy` is set (else that is an error with a fix), and settles the
/// plan for them if none lacks anything; nothing is started. Blocks; any thread. `progress` is
/// called from other threads, with one line at a time, `queue` likewise with the places of jobs
/// that wait. All end soon, as if they had failed, when `stop` is asked for.
HostPreparation prepareHosts(LaunchPlan& plan, bool copy,
                             const std::function<void(const QString&)>& progress = {},
                             const std::stop_token& stop = {},
                             const std::function<void(const QueuePlace&)>& queue = {});

/// Asks all hosts of a plan at once and changes nothing. Missing files are warnings: a run copies
/// them. Blocks; any thread.
HostPreparation lookAtHosts(const LaunchPlan& plan, const std::stop_token& stop = {});

}  // namespace tutti::launcher
