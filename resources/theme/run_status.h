// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QList>
#include <QObject>
#include <QSet>
#include <QString>
#include <QStringList>
#include <functional>
#include <limits>
#include <optional>

#include "resources/theme/state.h"

namespace tutti::theme {

/// One thing wrong with the run, for the banner and the badge.
struct RunTrouble {
  struct Action {
    QString text;  ///< Verb and object: "Show radar-west".
    std::function<void()> run;
  };
  State state = State::Dead;
  QString id;      ///< Stable as long as the trouble lasts; a dismissed id stays dismissed.
  QString title;   ///< "Time stands at 128.40 s: radar-west has held it for 1.4 s".
  QString detail;  ///< Why, and what follows.
  QString brief;   ///< Two or three words for "1 more: detector died".
  QString pill;    ///< Two words for the state pill: "Time stands".
  QList<Action> actions;
  QString tip{};  ///< All of it where title and detail leave names out, else empty.
  QString where{};      ///< The host it is about; empty: none, or several.
  QStringList items{};  ///< What F8 shows of it on the page Run, one after the other.
};

/// What the pulse bar shows of the current run and what it can ask of it. Implemented over the
/// launcher and the monitor by the window; views only read it. All on the window's thread.
class RunStatus : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  enum class Phase { NotRunning, Starting, Running, Paused, Stopping, Ended };
  static constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

  virtual Phase phase() const = 0;
  /// Logical time in seconds (the smallest granted), or kNoValue.
  virtual double logicalTime() const { return kNoValue; }
  virtual int timeDecimals() const { return 2; }
  /// Logical seconds per wall-clock second, mean of 5 s, or kNoValue.
  virtual double pace() const { return kNoValue; }
  /// That the RTI keeps, 0: as fast as possible; kNoValue: not known.
  virtual double wantedPace() const { return kNoValue; }
  /// Seconds since the run started, or kNoValue.
  virtual double elapsed() const { return kNoValue; }
  virtual int federatesJoined() const { return 0; }
  virtual int federatesExpected() const { return 0; }
  /// Attribute updates and interactions sent per second, mean of 5 s, or kNoValue.
  virtual double updatesPerSecond() const { return kNoValue; }
  /// "run 42, this machine"; shown under the composition's name while it runs.
  virtual QString runName() const { return {}; }
  /// The federation of the run, which need not be that of the open composition; empty: no run.
  virtual QString federation() const { return {}; }
  /// How the last run went: "Yesterday 17:20, 31 min".
  virtual QString lastRun() const { return {}; }
  /// Why Run is disabled, empty when it is not: "Run needs 1 fix: radar-west › range".
  virtual QString whyNotRun() const { return {}; }
  /// Whether it only waits for checks that go on: nothing is known to be wrong.
  virtual bool isAwaitingChecks() const { return false; }
  virtual void showWhyNotRun() {}
  /// A job that the start of the run waits for.
  struct QueuedJob {
    QString cluster;
    qint64 job = 0;
    int nodes = 0;
    QString place;    ///< "3rd"; empty: not known
    QString reason;   ///< why it waits, the cluster's word
    QDateTime since;  ///< it was submitted
    QDateTime start;  ///< as the cluster plans it; invalid: it plans none yet
    int others = 0;   ///< more jobs of the run that wait
  };
  /// That which starts last; nothing: no job waits.
  virtual std::optional<QueuedJob> queued() const { return {}; }
  /// Worst first.
  virtual QList<RunTrouble> troubles() const { return {}; }
  /// Whether the person has taken the trouble with that id off the screen. One that comes back
  /// after it was gone is news.
  bool isDismissed(const QString& id) const { return dismissed_.contains(id); }
  void dismiss(const QStringList& ids) {
    for (const QString& id : ids) dismissed_ << id;
    Q_EMIT changed();
  }
  /// What was dismissed shows again.
  void showDismissed() {
    dismissed_.clear();
    Q_EMIT changed();
  }
  /// Of whoever knows all there are: the others are forgotten.
  void forgetDismissedBut(const QSet<QString>& present) { dismissed_.intersect(present); }
  virtual bool canPause() const { return false; }
  /// Whether the run can be left alone when the window goes, and whether it will be.
  virtual bool canKeep() const { return false; }
  virtual bool isKept() const { return false; }
  /// A save of the federation that it can be restored from.
  struct KeptSave {
    QString label;
    qint64 bytes = 0;
    QDateTime savedAt;
  };
  /// Whether save() and restore() do something now.
  virtual bool canSave() const { return false; }
  /// Why save() cannot use that label, a sentence; empty: it can.
  virtual QString faultOfLabel(const QString& /*label*/) const { return {}; }
  /// Whether restartAll() does something now, and whether killAll() does.
  virtual bool canRestartAll() const { return false; }
  virtual bool canKillAll() const { return false; }
  /// Whether resignAll() does something now.
  virtual bool canResign() const { return false; }
  /// Whether adjust() does something now.
  virtual bool canAdjust() const { return false; }
  /// The newest first, as last looked for.
  virtual QList<KeptSave> saves() const { return {}; }
  /// Whether another program has the run, which this one only watches: then stop() leaves it alone.
  virtual bool isWatched() const { return false; }
  /// A run on this machine that another program has.
  struct OtherRun {
    QString run;         ///< its identifier
    QString federation;  ///< empty: not known
    int federates = 0;
    int hosts = 1;

    friend bool operator==(const OtherRun&, const OtherRun&) = default;
  };
  /// As last looked for, oldest first.
  virtual QList<OtherRun> otherRuns() const { return {}; }
  /// Federates of the composition that the run, which goes on, does not have.
  virtual QStringList missingFederates() const { return {}; }

 public Q_SLOTS:
  virtual void run() = 0;
  virtual void stop() = 0;
  /// Stops the federates that run, then starts all of them; the run goes on.
  virtual void restartAll() {}
  /// Ends the run, with SIGKILL for every process.
  virtual void killAll() {}
  virtual void pause() {}
  virtual void resume() {}
  virtual void step() {}
  /// While canPause(): logical seconds per second, 0: as fast as possible. said() or a trouble
  /// tells what came of it.
  virtual void setPace(double /*perSecond*/) {}
  /// changed() tells when it holds.
  virtual void setKept(bool /*kept*/) {}
  /// Saves the federation, under the time of now where `label` is empty; said() or a trouble tells
  /// what came of it.
  virtual void save(const QString& /*label*/ = {}) {}
  virtual void restore(const QString& /*label*/) {}
  virtual void lookForSaves() {}
  virtual void lookForRuns() {}
  /// Watches one of otherRuns(), while no run of this program goes on.
  virtual void watchRun(const QString& /*run*/) {}
  /// Asks for a run on another machine to be watched, while no run of this program goes on.
  virtual void askForFarRun() {}
  /// Has all federates resign by the RTI; said() or a trouble tells what came of it.
  virtual void resignAll() {}
  /// Shows what the MOM lets an operator adjust, of one federate or of all (empty).
  virtual void adjust(const QString& /*federate*/) {}
  /// Starts some of missingFederates() in the run.
  virtual void addFederates(const QStringList& /*names*/) {}

 Q_SIGNALS:
  /// Anything above changed; the pulse bar repaints at most twice a second but for the phase.
  void changed();
  void phaseChanged();
  void savesChanged();
  void otherRunsChanged();
  /// Something that was asked for is done, in a sentence.
  void said(const QString& what);

 private:
  QSet<QString> dismissed_;
};

}  // namespace tutti::theme
