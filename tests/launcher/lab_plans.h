// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcess>
#include <QTest>

#include "tests/launcher/lab.h"
#include "tests/launcher/supervisor_client.h"

// Plans of a folder for the hosts of a lab, and what a run of them has left there.
namespace tutti::launcher::test {

constexpr int endMs = 60000;
inline const QString tuttiProgram = QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti");

inline QByteArray content(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline QProcessEnvironment environmentOf(const Lab& lab) {
  auto result = QProcessEnvironment::systemEnvironment();
  result.insert("XDG_STATE_HOME", lab.root() + "/state");
  return result;
}

/// A folder of plans of the sample with radars on both hosts; empty, when it was not written.
inline QString planOn(const Lab& lab) {
  const QString file = lab.sampleWith({{"radar-west", 1}, {"radar-east", 2}});
  const QString folder = lab.root() + "/plans";
  QProcess process;
  process.setProcessEnvironment(environmentOf(lab));
  process.start(tuttiProgram, {"plan", file, "--hosts", lab.hostsFile(), "-o", folder});
  if (!process.waitForFinished(endMs) || process.exitCode() != 0) {
    qWarning("%s", process.readAll().constData());
    return {};
  }
  return folder;
}

/// Commands, shared memory and scripts that are left on any host.
inline QByteArray leftOn(const Lab& lab) {
  QByteArray result;
  for (const int host : {1, 2}) {
    for (const pid_t pid : lab.processes(host)) {
      if (!alive(pid)) continue;
      result += lab.host(host).toUtf8() + ": " + QByteArray::number(pid) + ' ' +
                Lab::commandOf(pid) + '\n';
    }
  }
  // Asking leaves an sshd there for a moment, which the next look would find.
  if (!result.isEmpty()) return result;
  for (const int host : {1, 2}) {
    for (const QByteArray& line :
         lab.ask(host, "ls -d /dev/shm/* /tmp/tutti-run.* 2>/dev/null").split('\n')) {
      if (!line.trimmed().isEmpty()) result += line + '\n';
    }
  }
  return result;
}

}  // namespace tutti::launcher::test
