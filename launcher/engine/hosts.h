// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/error.h"
#include "composer/model/json_source.h"

namespace tutti::launcher {

/// A node of a Slurm job. Compositions name it by cluster, partition and number,
/// "slurm/sim/1": which node that is Slurm decides when the job starts.
struct JobNode {
  QString cluster;
  QString partition;
  int number = 1;           ///< among the nodes that a composition names of the partition, from 1
  QString configuration;    ///< slurm.conf of the cluster, on its login host; empty: Slurm's own
  QString account;          ///< that the job is charged to; empty: the user's own
  QString qos;              ///< quality of service; empty: the account's own
  int timeLimit = 0;        ///< of the job, minutes; 0: the partition's own
  qint64 job = 0;           ///< 0: there is no job yet
  QString node;             ///< Slurm's name of it; empty: there is no job yet
  int saveBeforeLimit = 5;  ///< as Cluster has it
  bool continues = false;   ///< likewise
  bool immediate = false;   ///< likewise
  bool exclusive = false;   ///< likewise
  /// The run's home is on the same node: `tutti run` was started there, inside of the job.
  bool withHome = false;
  friend bool operator==(const JobNode&, const JobNode&) = default;
};

/// A host that federates can be placed on. A composition names it in the `host` of a federate.
struct Host {
  QString name;
  QString destination;  ///< what ssh is given: [user@]host or an alias; empty: this machine
  QString
      identityFile;  ///< private key for ssh, absolute or beginning with ~/; empty: ssh's choice
  QString knownHostsFile;  ///< likewise, ssh's list of host keys
  int port = 0;            ///< of the ssh server, 1 to 65535; 0: ssh's own choice
  int cores = 0;           ///< processor cores; 0: not known
  double memoryMb = 0;     ///< MB (10^6 bytes); 0: not known
  QStringList labels;      ///< that components ask for, such as "gpu"
  QString address;         ///< where nodes of other hosts reach it; empty: what ssh connected to
  bool spare = false;      ///< kept for the federates of a host that is lost
  std::optional<JobNode> jobNode;  ///< of a Slurm job; how ssh is called is then the login host's
  composer::Json extra = composer::Json::object();  ///< keys this version does not know, kept

  [[nodiscard]] bool isThisMachine() const { return destination.isEmpty() && !jobNode; }
  friend bool operator==(const Host&, const Host&) = default;
};

/// A node of a Slurm partition.
struct ClusterNode {
  QString name;
  QString state;        ///< Slurm's word, in lower case: "idle", "allocated", "down" ...
  int cores = 0;        ///< what Slurm calls CPUs; 0: not known
  double memoryMb = 0;  ///< MB (10^6 bytes); 0: not known
  QStringList labels;   ///< Slurm's features
  composer::Json extra = composer::Json::object();
  friend bool operator==(const ClusterNode&, const ClusterNode&) = default;
};

struct Partition {
  QString name;
  QString state;      ///< "up", "down", "drain" or "inactive"; empty: not known
  int timeLimit = 0;  ///< longest run of a job, minutes; 0: not known or without a limit
  std::vector<ClusterNode> nodes;  ///< by name; a node may be in several partitions
  composer::Json extra = composer::Json::object();
  friend bool operator==(const Partition&, const Partition&) = default;
};

/// A Slurm cluster, as its login host tells of it.
struct Cluster {
  QString name;
  QString destination;                ///< its login host as ssh is given it; empty: this machine
  std::vector<Partition> partitions;  ///< by name
  QString identityFile;               ///< of the login host, as Host has it
  QString knownHostsFile;             ///< likewise
  int port = 0;                       ///< likewise
  QString configuration;              ///< slurm.conf there, absolute; empty: Slurm's own
  QString account;                    ///< that jobs are charged to; empty: the user's own
  QString qos;                        ///< quality of service of jobs; empty: the account's own
  int timeLimit = 0;                  ///< of jobs, minutes; 0: the partition's own
  /// Minutes before the limit of a run's job at which the federation is saved; 0: it is not.
  int saveBeforeLimit = 5;
  /// A run whose job has reached its limit goes on from that save in another job.
  bool continues = false;
  bool immediate = false;  ///< jobs get their nodes at once, or are refused, instead of waiting
  bool exclusive = false;  ///< jobs share no node with other jobs
  /// Nodes more that a run asks for in each partition that it uses, when restartsOnSpare is set.
  int spareNodes = 0;
  composer::Json extra = composer::Json::object();
  /// Its login host, as ssh reaches it; this machine when it names none.
  [[nodiscard]] Host loginHost() const;
  friend bool operator==(const Cluster&, const Cluster&) = default;
};

/// Where federates can run: the content of a `*.hosts.json`. A value without behaviour beyond
/// reading and writing; any thread.
struct Deployment {
  QString file;                   ///< absolute path it was read from; empty: none
  std::vector<Host> hosts;        ///< by name
  std::vector<Cluster> clusters;  ///< by name
  /// Federates of a host that is lost are started again on a spare: a host that is marked, a spare
  /// node of a cluster or, where there is neither, each host that carries no federate.
  bool restartsOnSpare = false;
  /// So much longer than the grace an operator may have a run wait for a host that does not answer,
  /// s. Its supervisors and federates, which cannot be told, stay at least that long on their own.
  int longestWait = 0;
  composer::Json extra = composer::Json::object();

  /// The host that a federate's `host` means: the one of that name; for the empty name the one that
  /// is this machine. Null when there is none.
  [[nodiscard]] const Host* host(const QString& name) const;
  [[nodiscard]] const Cluster* cluster(const QString& name) const;
  /// A host is marked as a spare, or spare nodes are asked for.
  [[nodiscard]] bool namesSpares() const;
  /// That host is a spare of runs that have no federate on it.
  [[nodiscard]] bool isSpare(const Host& host) const;
  /// The host that "CLUSTER/PARTITION/NUMBER" means; the error says what is wrong with it. Nothing
  /// when the name is none of this form, or begins with no cluster of this file.
  [[nodiscard]] std::optional<tl::expected<Host, composer::Error>> jobNode(
      const QString& name) const;

  static tl::expected<Deployment, composer::Error> read(const QString& file);
  /// The first fault is the error: also a destination that ssh would take for an option, and a
  /// second host that is this machine.
  static tl::expected<Deployment, composer::Error> fromSource(const composer::JsonSource& source);
  /// Deterministic: sorted by name, without what is at its default.
  [[nodiscard]] QByteArray toBytes() const;
  /// Replaces `to` in one step; on failure, or when the file could not be read again (a name twice,
  /// a value out of its limits), the old file is intact.
  [[nodiscard]] tl::expected<void, composer::Error> save(const QString& to) const;

  friend bool operator==(const Deployment&, const Deployment&) = default;
};

/// The hosts file of a composition that names none: the one beside it with its name
/// (air.federation.json: air.hosts.json), else the only one of its folder; empty: there is none, or
/// there are several, or the composition was never saved.
QString hostsFileOf(const QString& compositionFile);

/// Why `destination` cannot be given to ssh, one sentence; empty when it can be. An empty one can.
QString faultOfDestination(const QString& destination);
/// Why a host, cluster, partition or node cannot have that name, one sentence; empty when it can.
QString faultOfName(const QString& name);

}  // namespace tutti::launcher
