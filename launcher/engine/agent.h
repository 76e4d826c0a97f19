// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QJsonObject>
#include <QLocalSocket>
#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <memory>
#include <optional>

#include "launcher/engine/hosts.h"

namespace tutti::launcher {

class PacedOutput;
class RelayLink;

/// The channel to the supervisor of one host: a child of this process, one at the far end of an SSH
/// connection, or one that runs already, here, there, or of a run on another machine. Signals come
/// on the thread that made it, those about its end last and once.
class Agent : public QObject {
  Q_OBJECT

 public:
  /// Why a channel has ended that should not have, or never came about.
  struct Loss {
    /// What programs decide by; the texts are for people.
    enum class Reason {
      Other,          ///< Another attempt may succeed.
      NotLetIn,       ///< ssh refuses the host key, or the host all keys.
      JobOver,        ///< The Slurm job is over, and no step starts in it any more.
      NoTutti,        ///< There is no program tutti on that machine.
      OldTutti,       ///< Its tutti has no relay.
      OtherProtocol,  ///< Its relay speaks another protocol.
      Silent,         ///< Nothing was heard of it for too long.
    };
    QString where;  ///< The program, or the host.
    QString why;
    QString next;
    bool bySlurm = false;   ///< Slurm has ended the step, with its node or its job.
    bool takesJob = false;  ///< And with it all nodes of the job.
    bool atLimit = false;   ///< And that because the job has reached its time limit.
    Reason reason = Reason::Other;
  };

  /// Bytes of a line: a longer one ends the channel.
  static constexpr qsizetype longestLine = 15 * 1024 * 1024;

  explicit Agent(QString host, QObject* parent = nullptr);
  /// Ends the supervisor and so all it has started, waiting at most 3 s; leave() prevents it.
  ~Agent() override;

  /// Name of its host; empty: this machine.
  const QString& host() const { return host_; }

  /// Starts the supervisor as a child of this process.
  void start(const QString& program, const QStringList& arguments);
  /// Starts it on another host, with this command there. It is lost when nothing was heard of it
  /// for `silenceSeconds`, which also is what it waits for this side.
  void startOn(const Host& host, const QString& command, double silenceSeconds);
  /// Connects to one of this machine that runs, at its abstract socket. What is had of it, and from
  /// where on, is for the first command to say: `attach`.
  void attach(const QString& socketName);
  /// Likewise on another host, where the command `tutti-supervisor --attach` passes everything on.
  void attachOn(const Host& host, const QString& command, double silenceSeconds);

  /// To be called before attach() or attachOn(): from then on hold() has an effect.
  void setPaced() { paced_ = true; }
  /// While it is held, nothing is received but what has been read, at most some 64 KiB, and the
  /// supervisor has to keep what it tells; it ends a client that has too much to read. Its silence
  /// meanwhile means nothing.
  void hold(bool held);

  /// Likewise of a run on another machine, which is only watched: of all commands `attach` alone
  /// gets there. The connection may be lost and come again; it has ended when it is closed.
  void attachThrough(RelayLink& link);

  /// The supervisor was there before this channel.
  bool isAttached() const { return attached_; }
  /// A command can reach it.
  bool isConnected() const;
  void send(const QJsonObject& command);
  void sendLine(const QByteArray& line);
  /// Has the supervisor end all it has started, as its client's end would.
  void beginEnd();
  /// Lets go of it without ending what it has started; for a run that is kept.
  void leave();

  /// Whether the supervisor of another host is to say once a second what its host and its processes
  /// use: the event `sample`, which received() passes on.
  void wantSamples(bool on) { wantsSamples_ = on; }
  /// It is not lost for its silence before so many seconds have passed from now; 0: as ever.
  void await(double seconds);
  /// From now on it is lost after so many seconds of silence at most, awaited or not.
  void limitSilence(double seconds);
  /// Seconds since it was last heard, on another host; 0 while that is normal (below 3 s).
  double silence() const;

  static constexpr double unreachableAfter = 3;  ///< s without a word

 signals:
  void received(const QJsonObject& event);
  /// It is silent for longer than unreachableAfter, or is heard again.
  void reachableChanged(bool reachable);
  /// The supervisor has ended, after its last event was received. `loss` says why if it has not
  /// said so itself.
  void ended(const tutti::launcher::Agent::Loss& loss);
  /// It never came about.
  void failed(const tutti::launcher::Agent::Loss& loss);

 private:
  void listenTo(QProcess& process);
  void read();
  /// What has come from it, a little of it where it is paced.
  QByteArray takeInput();
  void end(const Loss& loss);
  /// The same, without waiting for the other side to end.
  void cutOff(const Loss& loss);
  void fail(const Loss& loss);
  void mindSilence();
  Loss lossOfProcess() const;

  QString host_;
  std::unique_ptr<QProcess> process_;
  std::unique_ptr<QLocalSocket> socket_;
  std::unique_ptr<PacedOutput> output_;  ///< of process_, where it is paced
  QPointer<RelayLink> link_;
  QByteArray received_;
  QByteArray complaints_;  ///< The last words of what leads there.
  bool paced_ = false;
  bool held_ = false;
  bool drains_ = false;  ///< Its end has come: what is there is read even so.
  bool over_ = false;
  bool greeted_ = false;
  bool attached_ = false;
  bool wantsSamples_ = false;
  std::optional<Host> elsewhere_;  ///< Where it was started, unless here.
  bool reachable_ = true;
  double silenceSeconds_ = 0;
  QDeadlineTimer awaited_{0};
  QElapsedTimer heard_;
  QTimer pulse_;
};

}  // namespace tutti::launcher
