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

#include "launcher/engine/agent.h"
#include "launcher/engine/kept_runs.h"

namespace tutti::launcher {

/// The end of a relay on the machine of the run: passes on what the run's supervisors say, to
/// somebody on another machine who only watches. relay_protocol.h has what is said. One thread;
/// neither a slow reader nor a silent one blocks it: it ends when its input does, when nobody has
/// spoken to it for a while, and when too much waits to be read, which the other side takes up
/// again over a new connection.
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

  /// A line of JSON without its newline, unless much waits to be read already.
  void sendSample(const QByteArray& line);

 signals:
  /// The other side has gone, or is silent, or does not read.
  void over();

 private:
  void read();
  void take(const QByteArray& line);
  void attach(const QString& host, qint64 after);
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
  QByteArray waiting_;                                ///< to be written
  std::map<QString, std::unique_ptr<Agent>> agents_;  ///< by host; empty: this machine
  QTimer pulse_;
  QElapsedTimer heard_;
  bool over_ = false;
};

}  // namespace tutti::launcher
