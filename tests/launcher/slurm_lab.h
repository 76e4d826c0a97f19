// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QJsonArray>
#include <QTest>

#include "tests/launcher/lab.h"
#include "tests/launcher/supervisor_client.h"

namespace tutti::launcher::test {

constexpr int slurmMs = 60000;

/// Why no host can be made on this machine; empty when one can. Slurm itself must be there.
/// With TUTTI_NO_SKIP set a test does not ask, and fails.
inline QString noNamespaces() {
  if (qEnvironmentVariableIsSet("TUTTI_NO_SKIP")) return {};
  QProcess unshare;
  unshare.setProcessChannelMode(QProcess::MergedChannels);
  unshare.start("unshare", {"--net", "--mount", "--uts", "true"});
  if (unshare.waitForFinished(10000) && unshare.exitCode() == 0) return {};
  return "network, mount and host-name namespaces cannot be made here (needs root): " +
         QString::fromLocal8Bit(unshare.readAll()).trimmed();
}

/// A lab whose hosts are the nodes of a Slurm of its own. Its partition `name()` has all of them.
class SlurmLab : public Lab {
 public:
  explicit SlurmLab(int hosts, const QStringList& options = {})
      : Lab(hosts, QStringList{"--slurm"} + options) {}

  QString partition() const { return host(1).chopped(1); }
  /// The abstract node of that number, of the partition or the one that ranks higher.
  QString node(int number) const {
    return QStringLiteral("slurm/%1/%2").arg(partition()).arg(number);
  }
  QString configuration() const { return folder() + "/slurm/slurm.conf"; }

  /// A command of Slurm; empty also when it fails.
  QByteArray slurm(const QStringList& words) const {
    QProcess process;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("SLURM_CONF", configuration());
    process.setProcessEnvironment(environment);
    process.start(words.front(), words.mid(1));
    process.waitForFinished(30000);
    return process.readAllStandardOutput().trimmed();
  }
  /// Numbers of the jobs that wait or run; with a name, of that user's jobs of Tutti only.
  QList<int> jobs(bool ofTutti = true) const {
    QList<int> result;
    const auto lines = slurm({"squeue", "--noheader", "--format=%i %j"}).split('\n');
    for (const QByteArray& line : lines) {
      if (line.isEmpty() || (ofTutti && !line.contains(" tutti-"))) continue;
      result << line.split(' ').front().toInt();
    }
    return result;
  }
  /// A job of somebody else that has so many nodes for itself.
  int occupy(int nodes, const QString& where) const {
    slurm({"salloc", "--no-shell", "--exclusive", "--job-name=other", "--partition=" + where,
           "--nodes=" + QString::number(nodes)});
    return slurm({"squeue", "--noheader", "--format=%i", "--name=other", "--partition=" + where})
        .toInt();
  }

  /// Changes what the hosts file says of the cluster.
  template <typename Change>
  void editCluster(Change&& change) const {
    QFile file(hostsFile());
    if (!file.open(QIODevice::ReadOnly)) qFatal("the hosts file cannot be read");
    auto document = QJsonDocument::fromJson(file.readAll()).object();
    auto clusters = document["clusters"].toObject();
    auto cluster = clusters["slurm"].toObject();
    change(cluster);
    clusters["slurm"] = cluster;
    document["clusters"] = clusters;
    file.close();
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) qFatal("it cannot be written");
    file.write(QJsonDocument(document).toJson());
  }
  /// From now on Slurm's commands are given on the first host, the login host, which ssh reaches.
  void reachThroughFirstHost() const {
    QFile file(hostsFile());
    if (!file.open(QIODevice::ReadOnly)) qFatal("the hosts file cannot be read");
    const auto hosts = QJsonDocument::fromJson(file.readAll()).object().value("hosts").toObject();
    const auto first = hosts.value(host(1)).toObject();
    editCluster([&](QJsonObject& cluster) {
      for (const char* key : {"destination", "identityFile", "knownHostsFile"})
        cluster[QLatin1String(key)] = first[QLatin1String(key)];
    });
  }

  /// Commands, shared memory and jobs that are left of a run.
  QByteArray left(int hosts) const {
    QByteArray result;
    for (const int job : jobs()) result += "job " + QByteArray::number(job) + '\n';
    for (int number = 1; number <= hosts; ++number) {
      for (const pid_t pid : processes(number)) {
        if (alive(pid)) result += commandOf(pid) + '\n';
      }
    }
    return result;
  }

  /// `tutti` with these arguments and a state of its own.
  void start(QProcess& process, const QStringList& arguments) const {
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_STATE_HOME", root() + "/state");
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"), arguments);
  }
  /// The sample with radar-west and flow-north on the first, radar-east and detector on the second
  /// node of a partition (empty: the lab's).
  void startRun(QProcess& process, const QStringList& options, bool required = true) const {
    startRunAt({{"radar-west", node(1)},
                {"flow-north", node(1)},
                {"radar-east", node(2)},
                {"detector", node(2)}},
               process, options, required);
  }
  /// One of them on each of four nodes.
  void startRunOnFour(QProcess& process, const QStringList& options, bool required = true) const {
    startRunAt({{"radar-west", node(1)},
                {"radar-east", node(2)},
                {"detector", node(3)},
                {"flow-north", node(4)}},
               process, options, required);
  }

 private:
  void startRunAt(const QHash<QString, QString>& places, QProcess& process,
                  const QStringList& options, bool required) const {
    const QString file = sampleAt(places, required);
    start(process, QStringList{"run", file, "--hosts", hostsFile()} + options);
  }
};

/// Processes of any host whose command begins with `begin` and contains `part`.
inline QList<pid_t> commandsWith(const QByteArray& begin, const QByteArray& part) {
  QList<pid_t> result;
  for (const QString& entry : QDir("/proc").entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    const pid_t pid = entry.toInt();
    if (pid <= 0) continue;
    const QByteArray command = Lab::commandOf(pid);
    if (command.startsWith(begin) && command.contains(part)) result << pid;
  }
  return result;
}

/// Whether `text` is in what the process prints, before it ends.
inline bool awaitSaid(QProcess& process, QByteArray& out, const QByteArray& text) {
  QElapsedTimer timer;
  timer.start();
  while (!out.contains(text) && timer.elapsed() < slurmMs) {
    const bool over = process.state() == QProcess::NotRunning;
    process.waitForReadyRead(200);
    out += process.readAllStandardOutput() + process.readAllStandardError();
    if (over) break;
  }
  return out.contains(text);
}

}  // namespace tutti::launcher::test
