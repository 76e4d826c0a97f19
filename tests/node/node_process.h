// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcess>
#include <QProcessEnvironment>
#include <QStringList>
#include <QTemporaryDir>
#include <string>

/// Runs the real `tutti-rti`, with its log in a directory of the test.
namespace tutti::test {

inline QString nodeProgram() { return QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti-rti"); }

/// A name that no other test, nor this one when it runs twice, uses.
inline std::string uniqueNode(const char* stem) {
  static int count = 0;
  return std::string("test-") + stem + "-" + std::to_string(QCoreApplication::applicationPid()) +
         "-" + std::to_string(++count);
}

struct Ran {
  int code = -1;
  QString out;
  QString err;
};

class NodeProcess {
 public:
  NodeProcess() {
    environment_ = QProcessEnvironment::systemEnvironment();
    environment_.insert("XDG_STATE_HOME", state_.path());
    environment_.remove("TUTTI_MEMORY");
  }
  ~NodeProcess() {
    if (process_.state() == QProcess::NotRunning) return;
    process_.terminate();
    if (!process_.waitForFinished(5000)) {
      process_.kill();
      process_.waitForFinished(5000);
    }
  }

  QProcessEnvironment& environment() { return environment_; }
  QString statePath() const { return state_.path(); }
  QProcess& process() { return process_; }

  /// In the foreground; true once it listens.
  bool start(const std::string& name, const QStringList& more = {}) {
    process_.setProcessEnvironment(environment_);
    process_.start(nodeProgram(), QStringList{"--shm", QString::fromStdString(name)} + more);
    while (process_.waitForReadyRead(10000)) {
      if (process_.readAllStandardOutput().contains("ready\n")) return true;
    }
    return false;
  }
  QString log() {
    log_ += QString::fromUtf8(process_.readAllStandardError());
    return log_;
  }

  /// Any other use of the program, to its end.
  Ran run(const QStringList& arguments) {
    QProcess process;
    process.setProcessEnvironment(environment_);
    process.start(nodeProgram(), arguments);
    process.waitForFinished(20000);
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
  }

 private:
  QTemporaryDir state_;
  QProcessEnvironment environment_;
  QProcess process_;
  QString log_;
};

}  // namespace tutti::test
