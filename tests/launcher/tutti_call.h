// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QString>
#include <QStringList>

namespace tutti::launcher::test {

/// `tutti` with a state folder of its own, and the one run that is kept there. Other tests have
/// runs on this machine at the same time, which `tutti attach` lists too.
class TuttiCall {
 public:
  explicit TuttiCall(QString state) : state_(std::move(state)) {}

  void begin(QProcess& process, const QStringList& arguments) const {
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_STATE_HOME", state_);
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"), arguments);
    process.waitForStarted();
  }
  /// All that it prints.
  QByteArray call(const QStringList& arguments) const {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    begin(process, arguments);
    return process.waitForFinished(60000) ? process.readAllStandardOutput() : QByteArray();
  }
  /// What `tutti attach --json` says of the run; empty when it does not go on.
  QJsonObject run() const {
    QProcess process;
    begin(process, {"attach", "--json"});
    if (!process.waitForFinished(60000)) return {};
    for (const auto& value : QJsonDocument::fromJson(process.readAllStandardOutput()).array()) {
      if (value.toObject()["folder"].toString().startsWith(state_)) return value.toObject();
    }
    return {};
  }
  QString id() const { return run()["run"].toString(); }
  bool isGoing() const { return !run().isEmpty(); }
  /// Somebody has it, and it would go on without that one.
  bool isKept() const {
    const auto one = run();
    return one["attended"].toBool() && one["kept"].toBool();
  }
  bool isLeftAlone() const {
    const auto one = run();
    return !one.isEmpty() && !one["attended"].toBool();
  }

 private:
  QString state_;
};

}  // namespace tutti::launcher::test
