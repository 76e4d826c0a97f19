// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <stop_token>

#include "launcher/engine/agent.h"

class QProcess;

namespace tutti::launcher {

struct Host;

/// What ssh is given to reach a host, without the command: options and destination. Nothing is ever
/// asked of a person, no unknown host key accepted and no connection waited for longer than 5 s.
QStringList sshArguments(const Host& host);

/// Words as the shell of a host reads them: each in single quotes where it needs any.
QString shellCommand(const QStringList& words);

/// What a command on a host answered.
struct SshAnswer {
  bool ok = false;     ///< It was executed and its exit code was 0.
  QByteArray output;   ///< of its standard output
  Agent::Loss loss;    ///< unless ok
  double seconds = 0;  ///< from the start to the end
};

/// Executes `command` there with `input` as its standard input; blocks for at most `longestMs`, or
/// until `stop` is asked for. Any thread.
SshAnswer askOverSsh(const Host& host, const QString& command, const QByteArray& input,
                     int longestMs, const std::stop_token& stop = {});

/// Waits for the end of a process as long as that; false when it still runs.
bool waitForEnd(QProcess& process, int longestMs, const std::stop_token& stop);

/// Why an SSH connection has ended with that exit code and these last words: what a person can do
/// about it. `greeted`: the supervisor there had been heard.
Agent::Loss sshLoss(const QString& host, const QByteArray& words, int exitCode, bool greeted);

}  // namespace tutti::launcher
