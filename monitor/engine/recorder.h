// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMap>
#include <QObject>
#include <QThread>
#include <QTimer>
#include <vector>

#include "monitor/engine/death_events.h"
#include "monitor/engine/feed.h"
#include "monitor/engine/host_links.h"
#include "monitor/engine/run_store.h"

namespace tutti::monitor {

/// Writes a run to the store as it happens, in a thread of its own. Log lines and events are told
/// to the views only once they are committed: what was shown outlives a killed console. When
/// nothing can be written any more they are told all the same, with one message, and it tries
/// again every 10 s. The end of a run is tried at once, and until it is written or this goes.
///
/// Called from the thread that made it, which also gets the signals.
class Recorder : public QObject {
  Q_OBJECT

 public:
  explicit Recorder(QString path = RunStore::defaultPath(), QObject* parent = nullptr);
  ~Recorder() override;

  /// Samples of `feed` are recorded once a second, and what happens to its federates as events.
  void attach(Feed* feed);

  void beginRun(RunRecord run);
  void endRun(const QString& outcome);
  /// Waits until everything so far is written, or cannot be: problem() has told then.
  void finish();
  bool isRecording() const { return running_; }
  /// 0 until the store knows the run.
  RowId runId() const { return run_; }
  std::int64_t sizeBytes() const { return size_; }
  /// Why nothing is recorded; empty when all is well.
  QString problem() const { return problem_; }

  void log(LogRecord line);
  void event(EventRecord event);
  /// A process has died; also what the feed's samples tell, with what was lost. Both are one event.
  void died(Milliseconds at, const QString& federate, const QString& cause);

 signals:
  void runStarted(qint64 run);
  /// Twice a second at most.
  void linesRecorded(const std::vector<tutti::monitor::LogRecord>& lines);
  void eventsRecorded(const std::vector<tutti::monitor::EventRecord>& events);
  /// problem() changed: one message when it stops working, an empty one when it works again.
  void problemChanged(const QString& message);

 private:
  class Writer;
  /// `all`: what waits to be complete is written as it is.
  void flush(bool all = false);
  void recordSample();
  void onSampled();
  void noteFaults(const FederateView& view);

  QThread thread_;
  Writer* writer_ = nullptr;  ///< lives in thread_
  QTimer flushTimer_;
  Feed* feed_ = nullptr;
  bool running_ = false;
  RowId run_ = 0;
  std::int64_t size_ = 0;
  QString problem_;
  std::int64_t sampledAt_ = 0;
  QMap<QString, FederateCondition> conditions_;
  QMap<std::pair<QString, std::uint32_t>, std::size_t> faultsTold_;  ///< by name and handle
  DeathEvents deaths_;
  QString standingHolder_;
  bool held_ = false;
  std::optional<double> pace_;  ///< wanted
  HostLinkWatch links_;
  std::vector<LogRecord> lines_;
  std::vector<EventRecord> events_;
};

}  // namespace tutti::monitor
