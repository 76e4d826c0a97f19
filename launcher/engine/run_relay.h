// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QElapsedTimer>
#include <QJsonObject>
#include <QObject>
#include <QSocketNotifier>
#include <QString>
#include <QTimer>
#include <map>
#include <memory>
#include <optional>

#include "launcher/engine/agent.h"
#include "launcher/engine/kept_runs.h"

namespace tutti::launcher {

/// The end of a relay on the machine of the run: passes on what the run's supervisors say, to
/// somebody on another machine who only watches. relay_protocol.h has what is said. One thread;
/// neither a slow reader nor a silent one blocks it: it ends when its input does, and when nobody
/// has spoken to it for a while. While much waits to be read it holds the supervisors' channels,
/// so that its memory is bounded by what one read of each of them brings.
class RunRelay : public QObject {
  Q_OBJECT

 public:
  /// Reads from and writes to these descriptors, which get O_NONBLOCK. The greeting is written.
  RunRelay(LaunchPlan plan, int in, int out, QObject* parent = nullptr);
  ~RunRelay() override;

  /// The first line: for a run; for one that is not active, or cannot be watched for the reason
  /// `why`; of all runs.
  static QByteArray greetingOf(const LaunchPlan& plan);
  static QByteArray greetingWithout(const QString& why = {});
  static QByteArray greetingOf(const std::vector<GoingRun>& runs);

  /// A line of JSON without its newline; where much waits to be read, the newest of them later.
  void sendSample(const QByteArray& line);

  /// Bytes that the other side has not taken yet.
  qsizetype waiting() const { return waiting_.size(); }
  /// The supervisors are not read until more of these have been taken.
  bool isHolding() const { return holding_; }

 signals:
  /// sendSample() is to be called so often; 0 ms: not any more.
  void samplesWanted(int everyMs);
  /// The other side has gone, or is silent.
  void over();

 private:
  void read();
  void take(const QByteArray& line);
  /// The supervisor of a host, and how far it was passed on.
  struct Part {
    std::unique_ptr<Agent> agent;
    qint64 pid = 0;
    qint64 last = 0;                  ///< event that was passed on, or told as missed
    bool wantsState = false;          ///< It was not passed on yet.
    bool wasHeard = false;            ///< Of this channel something was passed on.
    bool saidItsEnd = false;          ///< Or why it ends this channel.
    bool isSought = false;            ///< It is to be attached to again, when there is room.
    std::optional<Agent::Loss> lost;  ///< Why the channel before this one ended.
  };
  void attach(const QString& host, qint64 after, bool state);
  void reach(const QString& host, Part& part);
  void leave(Part& part);
  void passOn(const QString& host, Part& part, const QJsonObject& event);
  void partEnded(const QString& host, Part& part, const Agent::Loss& loss);
  void partFailed(const QString& host, Part& part, const Agent::Loss& loss);
  void setHolding(bool holding);
  void say(const QString& host, const char* what, const QJsonValue& value);
  void write(const QByteArray& line);
  void flush();
  void end();
  void mindSilence();

  LaunchPlan plan_;
  int in_;
  int out_;
  std::unique_ptr<QSocketNotifier> readable_;
  std::unique_ptr<QSocketNotifier> writable_;
  QByteArray received_;
  QByteArray waiting_;  ///< to be written
  QByteArray sample_;   ///< Likewise, as soon as little waits; empty: there is none
  bool holding_ = false;
  bool wantsSamples_ = false;  ///< figures of the hosts, too
  std::map<QString, Part> parts_;  ///< by host; empty: this machine
  QTimer pulse_;
  QElapsedTimer heard_;
  bool over_ = false;
};

}  // namespace tutti::launcher
