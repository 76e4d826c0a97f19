// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QSet>
#include <QThread>
#include <functional>
#include <memory>
#include <mutex>

#include "monitor/engine/run_analysis.h"

namespace tutti::monitor {

/// The live picture of one run: samples ten times a second in a thread of its own, so that neither
/// a slow reader nor a stopped RTI node ever holds up the window. All members are called from the
/// thread that made the feed, which also gets the signals.
class Feed : public QObject {
  Q_OBJECT

 public:
  static constexpr int samplesPerSecond = 10;

  explicit Feed(QObject* parent = nullptr);
  ~Feed() override;

  /// Starts to sample a run; an earlier one is forgotten. `makeSource` is called in the sampling
  /// thread, where the source then lives.
  void start(std::function<std::shared_ptr<SampleSource>()> makeSource,
             std::shared_ptr<ProcessProbe> probe = makeProcProbe());
  /// Stops sampling; the last snapshot stays.
  void stop();
  /// The same without waiting for a node that does not answer: sampled() tells when it is done.
  void finish();
  /// One more sample at once, that also asks who has left; `done` is called behind it, in this
  /// thread, also when nothing is sampled.
  void look(std::function<void()> done);
  /// Stops and forgets everything: what a new run begins with.
  void clear();
  bool isSampling() const { return thread_.isRunning(); }

  /// The newest sample; never null.
  SnapshotPointer current() const { return current_; }

  void setRoster(std::vector<RosterEntry> roster);
  /// Hosts of the run besides this one.
  void setHosts(std::vector<RosterHost> hosts);
  /// What another host says of itself and its processes; in the snapshots as what is read here.
  void noteSample(const HostSample& sample);
  void noteEnd(const QString& federate, const ProcessEnd& end);
  /// The RTI node ended unasked: whoever was joined has lost it.
  void noteNodeEnd();
  void dismiss(const QString& federate);
  void setDeclarations(std::vector<Declarations> declarations);
  /// Holds the run's time, steps it or lets it go on; what came of it is in the next sample. One
  /// that cannot be done is told by timeControlFailed().
  void controlTime(TimeControl control);
  /// Sets the pace of the run, 0: as fast as possible; paceSet() or paceRefused() tells what came
  /// of it.
  void setPace(double perSecond);
  /// The federate whose consequences are worked out twice a second; empty: none.
  void watch(const QString& federate);
  /// Of the watched federate; nothing while it is not joined.
  const std::optional<Consequences>& watched() const { return watched_; }

 signals:
  /// A new sample is current; at most ten a second, fewer when this thread is busy.
  void sampled();
  /// watched() changed.
  void consequencesChanged();
  /// One sentence for a person.
  void timeControlFailed(const QString& why);
  void paceSet(double perSecond);
  void paceRefused(const QString& why);
  /// A federate died; it is in current()->deaths.
  void federateDied(const tutti::monitor::Death& death);

 private:
  class Sampler;
  void call(std::function<void(RunAnalysis&)> change);
  void publish();
  void end();

  struct Mail {
    std::mutex mutex;  ///< guards the rest: written by the sampling thread, taken by this one
    SnapshotPointer snapshot;
    std::optional<Consequences> watched;
    bool posted = false;
  };

  QThread thread_;
  Sampler* sampler_ = nullptr;  ///< lives in thread_
  Mail mail_;
  SnapshotPointer current_;
  std::optional<Consequences> watched_;
  std::vector<RosterEntry> roster_;
  std::vector<RosterHost> hosts_;
  std::vector<Declarations> declarations_;
  QString watchedName_;
  QSet<QString> announced_;  ///< deaths, by name and time
};

}  // namespace tutti::monitor
