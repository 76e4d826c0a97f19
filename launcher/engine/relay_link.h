// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QElapsedTimer>
#include <QJsonObject>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

#include "launcher/engine/agent.h"
#include "launcher/engine/launch_plan.h"

namespace tutti::launcher {

/// What the script that looks for a relay has said before it, as relay_protocol.h lists it.
struct ScriptSaid {
  QString program;  ///< path of tutti there; empty: it was not said
  /// Why no relay speaks: NoTutti or OldTutti; Other: that was not said.
  Agent::Loss::Reason noRelay = Agent::Loss::Reason::Other;
  QString version;  ///< of an OldTutti; empty: it does not say

  /// One line of its output; what is none of the script's is left out.
  void take(const QByteArray& line);
};

/// The connection to a run on another machine: `tutti relay RUN` at the far end of ssh, with the
/// account's own keys (relay_protocol.h). It reads only. When the connection is lost it is made
/// anew, at growing intervals, for as long as this object is there; whoever uses it then asks for
/// what came after the last event that it has. Signals come on the thread that made it. What comes
/// from the other machine is bounded and checked; nothing of it is executed.
class RelayLink : public QObject {
  Q_OBJECT

 public:
  enum class State {
    Connecting,  ///< For the first time.
    Up,
    Silent,  ///< Connected, and not heard for 3 s.
    Lost,    ///< It is made anew; whyLost() says why, secondsToRetry() when.
    Over,    ///< It will not be made again; whyLost() says why.
  };

  RelayLink(Host host, QString run, QObject* parent = nullptr);
  ~RelayLink() override;

  const Host& host() const { return host_; }
  const QString& run() const { return run_; }
  State state() const { return state_; }
  /// Name that the other machine has for itself; empty until it was reached.
  const QString& machine() const { return machine_; }
  const Agent::Loss& whyLost() const { return loss_; }
  /// It was there when it was looked for last, and is no longer.
  bool isGone() const { return gone_; }
  /// Seconds until the next attempt, rounded up; 0 unless Lost.
  int secondsToRetry() const;

  /// Connects. opened() or closed() tells what has come of it.
  void open();
  /// Ends it for this reason, as closed() then says.
  void close(const Agent::Loss& loss);
  /// Does not wait for the next attempt.
  void retryNow();
  /// Asks for what the supervisor of that host says after event `after`; empty: the machine's own.
  /// `state`: its state is not known yet, and is wanted too.
  void attach(const QString& host, qint64 after, bool state = false);
  /// Asks for sampled() at most so often, over this connection and those that come; 0 ms: never,
  /// as at first.
  void sample(int everyMs);

 signals:
  void stateChanged();
  /// The machine was reached for the first time; attach() can be called.
  void opened(const tutti::launcher::LaunchPlan& plan);
  /// It was reached again: nobody is attached yet.
  void reopened();
  void received(const QString& host, const QJsonObject& event);
  void reachableChanged(const QString& host, bool reachable);
  void partEnded(const QString& host, const tutti::launcher::Agent::Loss& loss);
  void partFailed(const QString& host, const tutti::launcher::Agent::Loss& loss);
  /// Figures as the relay's machine has them, one JSON value.
  void sampled(const QByteArray& json);
  /// The state is Over: no run, no way to the machine, or nothing that is understood.
  void closed(const tutti::launcher::Agent::Loss& loss);

 private:
  void connectNow();
  void read();
  void take(const QByteArray& line);
  void greet(const QJsonObject& greeting);
  void mind();
  void send(const QJsonObject& command);
  void dropProcess();
  /// The process has ended, or is to be ended.
  void lose(const Agent::Loss& loss);
  void setState(State state);

  Host host_;
  QString run_;
  State state_ = State::Connecting;
  QString machine_;
  Agent::Loss loss_;
  bool gone_ = false;
  bool opened_ = false;   ///< once at least
  bool greeted_ = false;  ///< over this connection
  std::unique_ptr<QProcess> process_;
  QByteArray received_;
  QByteArray complaints_;
  qsizetype skipped_ = 0;  ///< bytes of lines that came before the greeting
  QElapsedTimer begun_;    ///< this connection
  qint64 heardAt_ = 0;     ///< ms, time asleep included
  QTimer pulse_;
  QTimer retry_;
  int attempts_ = 0;  ///< in vain, one after the other
  int everyMs_ = 0;
  ScriptSaid said_;  ///< over this connection
};

/// No attempt gets a relay there before a person has installed another Tutti.
bool needsInstallation(const Agent::Loss& loss);

/// A run that is active on another machine.
struct FarRun {
  QString run;
  QString federation;  ///< empty: not known
  int federates = 0;
  int hosts = 1;
  bool attended = false;  ///< A program has it there.
  bool kept = false;
  QString folder;  ///< Of its logs there.
  qint64 job = 0;  ///< Slurm job that it is in; 0: none.
};

/// The account's active runs on that machine, oldest first. Blocks for at most 20 s; any thread.
/// Where the machine's host key is not known the error shows its fingerprint.
tl::expected<std::vector<FarRun>, Agent::Loss> runsOn(const Host& host,
                                                      const std::stop_token& stop = {});

/// The one that a person means by its identifier, the beginning of it, or its federation. The error
/// is a sentence that names those there are.
tl::expected<FarRun, QString> findFarRun(const std::vector<FarRun>& runs, const QString& wanted,
                                         const QString& machine);

/// The host that a person means: one of the hosts file (empty: there is none), else what ssh knows
/// by that name. The error is a sentence.
tl::expected<Host, QString> hostNamed(const QString& name, const QString& hostsFile);

/// The command that starts tutti's relay in a shell of the other machine. `program`: path of tutti
/// there; empty: it is looked for. `run` may be empty. `stateHome`: XDG_STATE_HOME of the runs
/// there, empty: as it is in a shell there. A line "tutti-relay: at PATH" comes first.
QString relayCommand(const QString& program, const QString& run, const QString& stateHome = {});

/// The greeting of a relay as it comes, or why it is none that is understood here. `program`: its
/// path there; empty: it is not known.
tl::expected<QJsonObject, Agent::Loss> readGreeting(const QString& host, const QByteArray& line,
                                                    const QString& program = {});

}  // namespace tutti::launcher
