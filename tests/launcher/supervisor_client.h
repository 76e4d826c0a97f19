// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QList>
#include <QProcess>
#include <QSet>
#include <QStringList>
#include <functional>

#include "launcher/engine/supervisor/process_tree.h"

namespace tutti::launcher::test {

inline const QString supervisorProgram = QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti-supervisor");
inline const QString fakeFederate = QStringLiteral(TUTTI_BINARY_DIR "/tests/fake_federate");

/// Zombies are dead: orphans may wait a while for whoever reaps them.
inline bool alive(pid_t pid) {
  const auto entry = processEntry(pid);
  return entry && !entry->dead();
}

/// "SELF CHILD DAEMON" as fake_federate writes it; empty until the file is there.
inline QList<pid_t> writtenPids(const QString& path) {
  QFile file(path);
  QList<pid_t> result;
  if (!file.open(QIODevice::ReadOnly)) return result;
  for (const auto& word : file.readAll().split(' ')) result << word.toInt();
  return result;
}

/// A supervisor and all events it has sent.
class SupervisorClient {
 public:
  explicit SupervisorClient(const QStringList& arguments = {}) {
    process.setProcessChannelMode(QProcess::SeparateChannels);
    process.start(supervisorProgram, arguments);
    process.waitForStarted();
  }
  ~SupervisorClient() {
    process.closeWriteChannel();
    if (!process.waitForFinished(10000)) process.kill();
    process.waitForFinished(5000);
  }

  void send(const QJsonObject& line) {
    process.write(QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n');
    process.waitForBytesWritten(5000);
  }

  /// A run of its own each: tests run at the same time.
  QString runName() const { return QStringLiteral("test-%1").arg(process.processId()); }

  static QJsonObject planned(const QString& id, const QStringList& arguments,
                             QJsonObject more = {}) {
    more["id"] = id;
    more["command"] = QJsonArray::fromStringList(QStringList(fakeFederate) + arguments);
    return more;
  }

  void sendPlan(const QJsonArray& processes, double grace = 1.5) {
    send({{"version", 1}, {"run", runName()}, {"grace_s", grace}, {"processes", processes}});
  }

  /// Reads events until there is one that satisfies `wanted` and was not returned before; an empty
  /// object after `limitMs`, or at the end.
  QJsonObject waitFor(const std::function<bool(const QJsonObject&)>& wanted, int limitMs = 15000) {
    QElapsedTimer timer;
    timer.start();
    for (;;) {
      const bool running = process.state() != QProcess::NotRunning;
      take();  // Waiting below does not count what an event loop has read meanwhile.
      for (qsizetype index = 0; index < events.size(); ++index) {
        if (taken_.contains(index) || !wanted(events[index])) continue;
        taken_.insert(index);
        return events[index];
      }
      const int left = limitMs - static_cast<int>(timer.elapsed());
      if (left <= 0 || !running) return {};
      process.waitForReadyRead(left);
    }
  }
  QJsonObject waitFor(const QString& event, const QString& id = {}) {
    return waitFor([&](const QJsonObject& one) {
      return one["event"].toString() == event && (id.isEmpty() || one["id"].toString() == id);
    });
  }

  /// All events of this kind so far.
  QList<QJsonObject> all(const QString& event, const QString& id = {}) const {
    QList<QJsonObject> result;
    for (const auto& one : events) {
      if (one["event"].toString() == event && (id.isEmpty() || one["id"].toString() == id))
        result << one;
    }
    return result;
  }

  QStringList lines(const QString& id) const {
    QStringList result;
    for (const auto& one : all(QStringLiteral("output"), id)) result << one["line"].toString();
    return result;
  }

  /// The worker, which the first event names; the guardian is process.processId().
  pid_t worker() {
    if (all("hello").isEmpty()) waitFor("hello");
    return all("hello").first()["pid"].toInt();
  }

  /// Ends standard input and returns how long the supervisor then lives, in ms; -1: over the limit.
  qint64 endInput(int limitMs = 10000) {
    QElapsedTimer timer;
    timer.start();
    process.closeWriteChannel();
    if (process.state() != QProcess::NotRunning && !process.waitForFinished(limitMs)) return -1;
    take();
    return timer.elapsed();
  }

  QProcess process;
  QList<QJsonObject> events;

 private:
  void take() {
    buffer_ += process.readAllStandardOutput();
    for (;;) {
      const auto end = buffer_.indexOf('\n');
      if (end < 0) return;
      events << QJsonDocument::fromJson(buffer_.left(end)).object();
      buffer_.remove(0, end + 1);
    }
  }

  QByteArray buffer_;
  QSet<qsizetype> taken_;  ///< Events that waitFor() has returned.
};

/// The supervisor of a run of this machine; 0: there is none.
inline pid_t supervisorOf(const QString& run) {
  QProcess relay;
  relay.start(supervisorProgram, {"--attach", run});
  relay.write("{\"do\":\"attach\"}\n");
  if (!relay.waitForReadyRead(10000)) return 0;
  const auto hello = QJsonDocument::fromJson(relay.readLine()).object();
  relay.kill();
  relay.waitForFinished(10000);
  return hello["pid"].toInt();
}

}  // namespace tutti::launcher::test
