// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFile>
#include <QObject>
#include <QString>
#include <future>
#include <map>
#include <memory>
#include <stop_token>

#include "launcher/engine/fetch_logs.h"
#include "launcher/engine/run_record.h"
#include "launcher/engine/slurm_nodes.h"

namespace tutti::launcher {

class Run;
struct HostReport;

/// Who is in a run that goes on, and how they have come to it.
struct Membership {
  LaunchPlan plan;  ///< Settled, as the run has it now.
  std::map<QString, PlannedProcess> additions;
  std::vector<RunChange> changes;
  static Membership of(const Run& run);
};

/// Writes that into the folder of the run: its changes, the plans that start it again with those
/// that are in it now where they are now, and the check sums of their files. The plans stay as they
/// are while nobody is in it. The error is a sentence. Blocks; any thread, one at a time.
tl::expected<void, QString> recordMembership(const Membership& members);

/// Takes over what a host has said of itself.
void describe(RecordedHost& host, const HostReport& report);

/// Keeps the record of one run in its folder: its plans and the check sums of its files when it
/// starts, its outcome and the logs of other hosts when it has ended. Slurm jobs that the run held
/// are ended when the logs of their nodes are here, 20 s after the run at the latest. Reading files
/// and asking hosts is done in threads of the pool; signals come on the thread that made it.
class RunRecording : public QObject {
  Q_OBJECT

 public:
  /// To be made before the run starts; `run` is not used after its signal finished().
  explicit RunRecording(Run& run, QObject* parent = nullptr);
  /// Gives up fetching logs, and waits until nothing is written any more.
  ~RunRecording() override;

  /// The run whose plans are started again.
  void setRerunOf(const QString& run) { rerunOf_ = run; }
  /// The run has ended and all that is kept of it is written, or was given up.
  bool isOver() const { return over_; }
  /// What was written, once it is over.
  const RunRecord& record() const { return record_; }
  /// Why something of it is missing, for a person; empty: nothing is.
  const QString& problem() const { return problem_; }
  /// Instead of the run, which its owner has ended with its object: writes that outcome. Blocks for
  /// as long as writing takes.
  void close(const QString& outcome);
  /// How far fetching the logs has come, once the run has ended.
  const LogProgress& progress() const { return *progress_; }
  /// Fetches no more logs, and ends the jobs that are held for it.
  void cancel();

 signals:
  void over();

 private:
  void begin();
  void noteChanges();
  void end();
  void endJobs();

  Run& run_;
  QString rerunOf_;
  QString folder_;
  QFile held_;  ///< The run's plan, until its record is complete: nobody else completes it.
  std::stop_source stop_;
  std::shared_ptr<LogProgress> progress_ = std::make_shared<LogProgress>();
  struct Written {
    RunRecord record;
    QString problem;
  };
  Allocations jobs_;
  std::shared_future<Written> begun_;
  std::shared_future<void> changing_;  ///< the last change is being written
  std::shared_future<void> ending_;
  RunRecord record_;
  QString problem_;
  bool over_ = false;
};

}  // namespace tutti::launcher
