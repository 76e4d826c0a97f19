// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <future>
#include <stop_token>

#include "launcher/engine/run_record.h"

namespace tutti::launcher {

class Run;
struct HostReport;

/// Writes who has come to a run and left it into the record in its folder; for a run that no
/// program has, whose record nobody else writes. The error is a sentence. Blocks; any thread.
tl::expected<void, QString> recordChanges(const QString& folder, std::vector<RunChange> changes);

/// Takes over what a host has said of itself.
void describe(RecordedHost& host, const HostReport& report);

/// Keeps the record of one run in its folder: its plans and the check sums of its files when it
/// starts, its outcome and the logs of other hosts when it has ended. Reading files and asking
/// hosts is done in threads of the pool; signals come on the thread that made it.
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
  /// Fetches no more logs.
  void cancel() { stop_.request_stop(); }

 signals:
  void over();

 private:
  void begin();
  void noteChanges();
  void end();

  Run& run_;
  QString rerunOf_;
  QString folder_;
  std::stop_source stop_;
  struct Written {
    RunRecord record;
    QString problem;
  };
  std::shared_future<Written> begun_;
  std::vector<RunChange> changes_;     ///< of the run, which close() cannot ask any more
  std::shared_future<void> changing_;  ///< the last change is being written
  std::shared_future<void> ending_;
  RunRecord record_;
  QString problem_;
  bool over_ = false;
};

}  // namespace tutti::launcher
