// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QList>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>

namespace tutti::launcher::test {

/// Hosts with sshd on this machine, as `tutti lab` makes them: "<name>1", "<name>2", ... Needs
/// root.
class Lab {
 public:
  explicit Lab(int hosts, const QStringList& options = {})
      : name_('t' + QString::number(::getpid(), 36)) {
    const QStringList slurm =
        options.contains("--slurm") ? QStringList() : QStringList{"--no-slurm"};
    up_ = call(QStringList{"up", QString::number(hosts)} + options + slurm);
  }
  ~Lab() { call({"down"}); }
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  bool isUp() const { return up_; }
  /// What the last call has said.
  const QString& said() const { return said_; }
  QString host(int number) const { return name_ + QString::number(number); }
  QString folder() const { return root_.filePath(name_); }
  QString hostsFile() const { return folder() + '/' + name_ + ".hosts.json"; }
  QString root() const { return root_.path(); }

  /// `tutti-lab` with these arguments; true when it has done what was asked.
  bool call(const QStringList& arguments) {
    QProcess lab;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TUTTI_LAB_DIR", root_.path());
    lab.setProcessEnvironment(environment);
    lab.setProcessChannelMode(QProcess::MergedChannels);
    lab.start(QStringLiteral(TUTTI_SOURCE_DIR "/launcher/lab/tutti-lab"),
              arguments + QStringList{"--name", name_});
    const bool done = lab.waitForFinished(60000) && lab.exitCode() == 0;
    said_ = QString::fromUtf8(lab.readAllStandardOutput()).trimmed();
    return done;
  }

  /// All that runs on a host but its own sshd and slurmd.
  QList<pid_t> processes(int number) const {
    QProcess ip;
    ip.start("ip", {"netns", "pids", host(number)});
    ip.waitForFinished(10000);
    QList<pid_t> result;
    for (const QByteArray& word : ip.readAllStandardOutput().split('\n')) {
      const pid_t pid = word.toInt();
      const QByteArray command = commandOf(pid);
      if (pid > 0 && !command.contains(".sshd") && !command.startsWith("slurmd ")) result << pid;
    }
    return result;
  }
  /// Those whose program and arguments have `command` from within the program's path on: a shell
  /// that looks at a program before a run names it too.
  QList<pid_t> processes(int number, const QByteArray& command) const {
    QList<pid_t> result;
    for (const pid_t pid : processes(number)) {
      const QByteArray words = commandOf(pid);
      const auto at = words.indexOf(command);
      if (at >= 0 && at < words.indexOf(' ')) result << pid;
    }
    return result;
  }

  static QByteArray commandOf(pid_t pid) {
    QFile file(QStringLiteral("/proc/%1/cmdline").arg(pid));
    return file.open(QIODevice::ReadOnly) ? file.readAll().replace('\0', ' ') : QByteArray();
  }

  static pid_t parentOf(pid_t pid) {
    QFile stat(QStringLiteral("/proc/%1/stat").arg(pid));
    if (!stat.open(QIODevice::ReadOnly)) return 0;
    const QByteArray text = stat.readAll();
    return text.mid(text.lastIndexOf(')') + 2).split(' ')[1].toInt();
  }

  /// Output of a command on a host, through ssh.
  QByteArray ask(int number, const QString& command) const {
    QProcess ssh;
    QFile subnet(folder() + "/subnet");
    if (!subnet.open(QIODevice::ReadOnly)) return {};
    const QString address = subnet.readAll().trimmed() + '.' + QString::number(number);
    ssh.start("ssh", {"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=3", "-o",
                      "IdentitiesOnly=yes", "-i", folder() + "/client_key", "-o",
                      "UserKnownHostsFile=" + folder() + "/known_hosts", address, command});
    ssh.waitForFinished(30000);
    return ssh.readAllStandardOutput();
  }

  /// The sample air-traffic in a file of its own, with the federates of these names on those hosts.
  QString sampleWith(const QHash<QString, int>& places, bool required = true) const {
    QHash<QString, QString> named;
    for (auto one = places.begin(); one != places.end(); ++one) named[one.key()] = host(*one);
    return sampleAt(named, required);
  }
  /// The sample without hosts, in a file of its own: its radars are to be kept apart, and
  /// radar-west needs so many cores.
  QString sampleToPlace(double cores) const {
    const QString path = sampleAt({});
    QFile file(path);
    if (!file.open(QIODevice::ReadWrite)) return {};
    auto document = QJsonDocument::fromJson(file.readAll()).object();
    auto federates = document["federates"].toObject();
    for (auto one = federates.begin(); one != federates.end(); ++one) {
      auto federate = one.value().toObject();
      const QString name = federate["name"].toString();
      if (!name.startsWith("radar-")) continue;
      federate["apart"] = QJsonArray{"radars"};
      if (name == "radar-west") federate["resources"] = QJsonObject{{"cores", cores}};
      one.value() = federate;
    }
    document["federates"] = federates;
    file.resize(0);
    file.write(QJsonDocument(document).toJson());
    return path;
  }
  QString sampleAt(const QHash<QString, QString>& places, bool required = true) const {
    QFile from(
        QStringLiteral(TUTTI_SOURCE_DIR "/resources/federations/air-traffic.federation.json"));
    QFile to(folder() + "/air.federation.json");
    if (!from.open(QIODevice::ReadOnly) || !to.open(QIODevice::WriteOnly)) return {};
    auto document = QJsonDocument::fromJson(from.readAll()).object();
    auto federates = document["federates"].toObject();
    for (auto one = federates.begin(); one != federates.end(); ++one) {
      auto federate = one.value().toObject();
      const auto place = places.constFind(federate["name"].toString());
      if (place == places.constEnd()) continue;
      federate["host"] = *place;
      federate["required"] = required;
      one.value() = federate;
    }
    document["federates"] = federates;
    to.write(QJsonDocument(document).toJson());
    return to.fileName();
  }

 private:
  QTemporaryDir root_;
  QString name_;
  QString said_;
  bool up_ = false;
};

}  // namespace tutti::launcher::test
