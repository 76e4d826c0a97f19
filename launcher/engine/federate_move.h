// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>

#include "launcher/engine/run.h"

namespace tutti::composer {
class Catalog;
}

namespace tutti::launcher {

/// Takes a federate of a running federation to another host of its run: the federation execution is
/// saved (IEEE 1516.1-2010, 4.16), the federate's own part of that is brought to the other host, it
/// resigns and ends, starts there, and the federation execution is restored (4.24), so that all go
/// on from the logical time of the save. What fails before the federate is stopped leaves the run
/// as it was; what fails later takes it back to the host that it was on, in the same way.
///
/// The restore sets the others back too: what they do meanwhile is lost, unless `Operate` holds
/// their time.
class FederateMove : public QObject {
  Q_OBJECT

 public:
  enum class Step { Look, Save, Carry, Stop, Start, Join, Restore };
  Q_ENUM(Step)

  /// Saves or restores the federation execution of a run under a label; blocks, any thread. The
  /// error is sentences. What it keeps for the move (a hold on time) ends with it, when the move is
  /// over.
  using Operate = std::function<tl::expected<void, QString>(bool restore, const QString& label,
                                                            const std::stop_token& stop)>;

  /// Where the federate is in the end.
  enum class Outcome {
    Moved,        ///< On the other host, restored.
    NotStopped,   ///< Where it was, and never left it: the run has not noticed.
    Back,         ///< Where it was, restored after it had left it.
    NotRestored,  ///< Where it was, and without what it knew.
    Gone,         ///< In the run no more; the save has its state.
  };

  /// Why it cannot be moved there now, one or more sentences; empty: it can be tried. Pure.
  static QString whyNot(const Run& run, const QString& federate, const QString& host,
                        const composer::Catalog& catalog);

  /// `host`: one of the run's, empty for this machine. `run` outlives it.
  FederateMove(Run& run, QString federate, QString host, Operate operate,
               QObject* parent = nullptr);
  ~FederateMove() override;

  void start();
  /// Gives up what has not stopped the federate yet; later it comes to its end.
  void cancel() { stop_.request_stop(); }
  const QString& federate() const { return federate_; }
  const QString& host() const { return to_.host; }
  /// Where it is to go on: that host or, when it goes back, the one that it was on.
  const QString& place() const { return target().host; }
  /// Under which the federation execution is saved; an earlier one of that federate is replaced.
  const QString& label() const { return label_; }
  Step step() const { return step_; }
  /// It goes back to where it was.
  bool isReturning() const { return returning_; }
  bool isOver() const { return outcome_.has_value(); }
  Outcome outcome() const { return *outcome_; }
  /// What has come of it, what state the run is in and what to do: sentences.
  const QString& message() const { return message_; }
  /// "Saves the federation", for a list of what happens.
  static QString stepText(Step step, const QString& federate, const QString& host);

 Q_SIGNALS:
  void stepBegan();
  void finished();

 private:
  /// How it is started on one of the two hosts.
  struct Place {
    QString host;
    Addition addition;
  };
  void begin(Step step);
  void look();
  void save();
  void carry();
  void leave();
  void enter();
  void awaitJoined();
  void restore();
  /// It was stopped, and cannot go on where it should.
  void fail(const QString& why);
  void end(Outcome outcome, const QString& message);
  void watch();
  /// Of the one that starts: why it will never join; empty: it still may.
  QString whyNeverJoined() const;
  void askWhoJoined(std::function<void(bool joined)> then);
  const Place& target() const { return returning_ ? from_ : to_; }

  Run& run_;
  QString federate_;
  Place from_;
  Place to_;
  Operate operate_;
  JoinedSource joined_;
  QString label_;
  bool required_ = true;
  Step step_ = Step::Look;
  bool returning_ = false;
  bool asking_ = false;
  std::optional<Outcome> outcome_;
  QString message_;
  QString failure_;  ///< Why it goes back.
  std::size_t troubles_ = 0;
  QTimer poll_;
  QElapsedTimer since_;  ///< Of the step.
  std::stop_source stop_;
};

}  // namespace tutti::launcher
