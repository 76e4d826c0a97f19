// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QString>
#include <QStringList>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <tl/expected.hpp>

#include "launcher/engine/agent.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/slurm.h"

class QProcess;

namespace tutti::launcher {

/// Nodes of a Slurm partition that are a run's for as long as this object is there.
///
/// `salloc` holds them, below a guard on the login host (or here): a shell script that reads a line
/// a second from this process. When the lines end, or none comes for 20 s, the guard ends the
/// allocation, in the queue or running. So no job stays when this process is killed, when the
/// connection to the login host is cut, or when salloc alone is killed. When the guard is killed,
/// salloc gives the job back, and a shell that this process starts looks that Slurm has heard it.
/// What remains: the login host loses its power with salloc and guard; the job is then idle until
/// its time limit, or Slurm's InactiveLimit. A guard on a node would not help either: a batch
/// script ends the whole job when its own node fails.
///
/// Any thread may call; a thread of its own talks to the guard.
class Allocation {
 public:
  struct Request {
    Cluster cluster;
    QString partition;
    QString name;  ///< of the job; no other job of the user may have it
    int nodes = 1;
    double cores = 0;     ///< that each node must have free; 0: one
    double memoryMb = 0;  ///< likewise; 0: the partition's own
    double seconds = 0;   ///< that it is needed; 0: as long as the cluster's or partition's limit
  };
  enum class Stage { Asked, Queued, Running, Over };
  struct State {
    Stage stage = Stage::Asked;
    qint64 job = 0;     ///< 0: Slurm has not numbered it yet
    QStringList nodes;  ///< while it runs
    Agent::Loss loss;   ///< why it is over, unless end() was called
  };

  explicit Allocation(Request request);
  /// end(), and waits for it, at most 5 s.
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  [[nodiscard]] const Request& request() const { return request_; }
  [[nodiscard]] State state() const;
  /// Blocks until it runs; `progress` gets a line whenever something is new about its place in the
  /// queue, and `queue` the place itself, at last that it does not wait any more. The error says
  /// why it will not run; then it is over, also when `stop` was asked for.
  tl::expected<State, Agent::Loss> await(const std::function<void(const QString&)>& progress,
                                         const std::stop_token& stop = {},
                                         const std::function<void(const QueuePlace&)>& queue = {});
  /// Gives the nodes back; does not block.
  void end();

 private:
  tl::expected<State, Agent::Loss> awaitNodes(const std::function<void(const QString&)>& progress,
                                              const std::stop_token& stop,
                                              const std::function<void(const QueuePlace&)>& tell);
  void talk(const std::stop_token& stop);
  void read(const QByteArray& line);
  void noteEnd(const QProcess& guard);
  [[nodiscard]] QString name() const;

  const Request request_;
  mutable std::mutex mutex_;  ///< guards state_ and words_
  State state_;
  QString refusal_;  ///< The last error that salloc has written.
  std::jthread thread_;
};

/// The time limit that salloc is asked for, minutes; 0: the partition's own.
int minutesOf(const Allocation::Request& request);
/// What salloc is asked for, beside the name of the job, and that it shall not wait, which sbatch
/// does not know.
QStringList sallocOptions(const Allocation::Request& request);

}  // namespace tutti::launcher
