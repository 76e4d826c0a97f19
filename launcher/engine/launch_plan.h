// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QString>
#include <QStringList>
#include <functional>
#include <memory>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/error.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/supervisor/plan.h"

namespace tutti::composer {
class Catalog;
struct Composition;
}  // namespace tutti::composer

namespace tutti::launcher {

/// How long a process may take until it is ready, in seconds; then the run says so.
constexpr double nodeReadySeconds = 5.0;
constexpr double federateReadySeconds = 10.0;

/// How long a host may be out of reach before what it runs is lost, in seconds, unless the
/// connection plan says otherwise; and the longest such time.
constexpr double usualGraceSeconds = 15.0;
constexpr double longestGraceSeconds = 45.0;

/// The run identifier of plans that are written to files: each run of them gets one of its own.
constexpr const char* runOfFiles = "plan";

/// Where the run's RTI node listens to the nodes of other hosts.
struct ListenAddress {
  QString address;            ///< Of this machine; empty: the one at which the hosts see it.
  quint16 firstPort = 15164;  ///< The first port from here
  quint16 lastPort = 15264;   ///< to here that is free for TCP and UDP.
  QString keyFile;            ///< For hosts that are started by hand; else the run draws a key.

  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

/// What a federate needs of a host, as its component and its box say.
struct FederateNeeds {
  double cores = 0;
  double memoryMb = 0;  ///< MB (10^6 bytes)
  QStringList labels;
  QStringList apart;  ///< Names of sets of which no two federates may share a host.

  friend bool operator==(const FederateNeeds&, const FederateNeeds&) = default;
};

/// What a launch plan knows of a process beyond how to start it.
struct PlannedFederate {
  QString name;          ///< Federate name, and the process's id in the plan.
  QString federate;      ///< Id of the composition's box it is an instance of.
  QString component;     ///< Id of its manifest.
  QString version;       ///< Of the component.
  bool required = true;  ///< The run stops when it ends unexpectedly.
  bool joins = false;    ///< It is ready when it has joined; the RTI's slots tell.
  QString host;          ///< Where it runs; empty: on this machine.
  QString group{};       ///< Name of the composition's group that its box is in; empty: none.
  QString point{};       ///< It must also have achieved this synchronization point to be ready.
  /// It is started again on a spare that has this when its host is lost; nothing: it is not.
  std::optional<FederateNeeds> spareNeeds{};
  QString placedBecause{};  ///< Why a placement at launch put it on its host; empty: none did.

  friend bool operator==(const PlannedFederate&, const PlannedFederate&) = default;
};

nlohmann::json toJson(const PlannedFederate& federate);
/// Throws nlohmann::json::exception when it is not as Tutti writes it.
PlannedFederate federateFromJson(const nlohmann::json& json);

struct HostPreparation;

/// A host of a run besides this machine, as its plan knows it.
struct PlannedHost {
  Host host;            ///< How ssh reaches it.
  QString node;         ///< Name of its RTI node, which is linked to the run's.
  QString nodeProcess;  ///< Id of that node's process in the plan.
  QString folder;       ///< Where its logs are kept there; empty: not settled yet.
  QString supervisor;   ///< Path of tutti-supervisor there.
  QString libraries;    ///< LD_LIBRARY_PATH of all that is started there.
  double memoryMb = 0;  ///< What the federates need there together, MB (10^6 bytes).
  double cores = 0;     ///< Likewise, processor cores.
  /// It is there for the federates of a host that is lost: their files are there before the run
  /// starts, and its RTI node runs.
  bool spare = false;
  QString copies{};     ///< Of a spare, settled: where these files are there; empty: as here.
  QStringList roots{};  ///< Likewise: the paths that are below `copies`, as HostFiles has them.

  /// What the run is called by its supervisor there, and found by at its socket. Where the home is
  /// on the same node that has the run's own name: this one is not listed as a run.
  [[nodiscard]] QString socketRun(const QString& run) const;

  friend bool operator==(const PlannedHost&, const PlannedHost&) = default;
};

/// Which command runs where, in which order: everything that a run needs to know, made once from a
/// composition and a catalog. A value; its file is readable, can be edited by hand, started again
/// with `tutti run` and, without the RTI's knowledge of who has joined, with `tutti-supervisor`.
struct LaunchPlan {
  QString run;             ///< Run identifier, "20250131-140228-3f9c01ab".
  QString federation;      ///< Federation execution name.
  QString composition;     ///< Absolute path of the composition; empty when it was never saved.
  QString node;            ///< The run's own RTI node: "run-<id>" of "shm:run-<id>".
  QString nodeProcess;     ///< Id of the node's process in `plan`; empty: the plan starts none.
  QString folder;          ///< Where the run's logs and this plan are kept, absolute.
  QStringList fomModules;  ///< Absolute paths.
  std::optional<double> stopAfter;          ///< Seconds of real time from when all are ready.
  std::optional<double> stopAtLogicalTime;  ///< In the federation's unit.
  double memoryMb = 0;  ///< What the federates need on this machine together, MB.
  double cores = 0;     ///< Likewise, processor cores.
  std::vector<PlannedFederate> federates;  ///< In start order.
  std::vector<PlannedHost> hosts;          ///< Besides this machine, where the run's node is.
  /// Federates of a host that is lost are to be started again on a spare.
  bool restartsOnSpare = false;
  ListenAddress listen;              ///< Of the run's node, when there are hosts; not in the file.
  double grace = usualGraceSeconds;  ///< Of the links to the run's node, seconds.
  /// So much longer an operator may have the home wait for a host (s); the supervisors there, which
  /// nobody can tell, stay for that time, and for as long again until they hear this host.
  double longestWait = 0;
  std::shared_ptr<const HostPreparation> prepared;  ///< How it was settled; null: it was not now.
  Plan plan;  ///< All processes: the node, those of the other hosts, then the federates.

  /// Every process of a federate has TUTTI_RTI = "shm:<node>" in its environment, and
  /// TUTTI_ARCHITECTURE when the composition names one. One of composer::architectures, for all
  /// federates; empty: none.
  void setArchitecture(const QString& name);
  [[nodiscard]] QString designator() const { return QStringLiteral("shm:") + node; }
  [[nodiscard]] QString planFile() const;
  [[nodiscard]] const PlannedProcess* process(const QString& id) const;
  [[nodiscard]] const PlannedFederate* federate(const QString& name) const;
  [[nodiscard]] const PlannedHost* host(const QString& name) const;
  /// Name of the host of a process; empty: this machine.
  [[nodiscard]] QString hostOf(const QString& process) const;
  [[nodiscard]] bool isNode(const QString& process) const;
  [[nodiscard]] bool hasSpares() const;
  /// The Slurm job that the run is inside of, with its home; 0: none.
  [[nodiscard]] qint64 job() const;
  /// Takes that host out, with its RTI node; no federate is on it.
  void dropHost(const QString& name);
  [[nodiscard]] LaunchPlan withoutSpares() const;
  /// What the supervisor of that host gets (empty: this machine); the others' processes are
  /// elsewhere.
  [[nodiscard]] Plan planOf(const QString& host) const;
  /// Seconds without a word after which a host ends what it runs: the grace, but long enough for
  /// the word of each second.
  [[nodiscard]] double silenceOfHosts() const;
  /// How a process is started, as one would type it in a shell.
  [[nodiscard]] QString shellLine(const QString& id) const;

  struct Options {
    QString run;                ///< Empty: a new identifier.
    QString compositionFile;    ///< Empty: never saved.
    QString folder;             ///< Where relative paths of the composition start.
    QStringList binaryFolders;  ///< Empty: composer::Catalog::binaryFolders().
    QString hostsFile{};  ///< Of the hosts that federates are placed on; empty: hostsFileOf().
  };

  /// Expands a composition. The errors say of each federate why it cannot be started; then there is
  /// no plan. Disabled federates are left out, also where others wait for them.
  static tl::expected<LaunchPlan, std::vector<composer::Error>> make(
      const composer::Composition& composition, const composer::Catalog& catalog,
      const Options& options);

  /// How a host differs from this machine.
  struct Site {
    QString folder;      ///< Of the run's logs there, absolute.
    QString supervisor;  ///< Path of tutti-supervisor there.
    QString libraries;   ///< LD_LIBRARY_PATH for what needs more than the host has; may be empty.
    QString home;        ///< "address:port" at which it reaches this machine's RTI node.
    std::function<QString(const QString&)> there;  ///< A word of a command with its paths there.
  };
  /// Makes what is planned for that host, in terms of this machine until now, true there.
  void settle(const QString& hostName, const Site& site);
  /// Lets the run's node be linked to from other hosts, at "address:port", with the plan's grace.
  void listenAt(const QString& address);
  /// Likewise at `listen`, for hosts that are started by hand with its key; only if it has one.
  void listenByHand();

  /// The same plan for another run: new identifier, node name and folder, wherever they occur.
  [[nodiscard]] LaunchPlan renewed(const QString& newRun) const;

  [[nodiscard]] QByteArray toBytes() const;
  static tl::expected<LaunchPlan, composer::Error> fromBytes(const QByteArray& bytes,
                                                             const QString& file = {});
  static tl::expected<LaunchPlan, composer::Error> load(const QString& file);
  /// Writes planFile(); makes the folder when needed.
  [[nodiscard]] tl::expected<void, composer::Error> save() const;
};

/// A new run identifier: local time and eight random hexadecimal digits, so that two consoles that
/// start in the same second, on hosts that share a home too, differ; sorts by time, fits a file
/// name.
QString newRunIdentifier(const QDateTime& now = QDateTime::currentDateTime());

/// $XDG_STATE_HOME/tutti/runs, by default ~/.local/state/tutti/runs.
QString runsFolder();

/// Makes the folder and what it is in; only its owner may look into it. The error says why not.
tl::expected<void, QString> makePrivateFolder(const QString& folder);

/// Removes the oldest run folders beyond `keep`; folders of runs that are still going are kept,
/// since their supervisor holds files in them. Returns how many were removed.
int removeOldRuns(int keep, const QString& folder = runsFolder());

/// Full path of a program of Tutti ("tutti-supervisor", "tutti-rti"); nothing when it is nowhere.
std::optional<QString> programOfTutti(const QString& name, const QStringList& binaryFolders);

}  // namespace tutti::launcher
