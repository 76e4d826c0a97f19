// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <limits>
#include <memory>
#include <stop_token>

#include "launcher/engine/agent.h"

class QProcess;

class QProcess;

namespace tutti::launcher {

struct Host;

/// What ssh is given to reach a host, without the command: options and destination. Nothing is ever
/// asked of a person, no unknown host key accepted and no connection waited for longer than 5 s.
QStringList sshArguments(const Host& host);

/// Words as the shell of a host reads them: each in single quotes where it needs any.
QString shellCommand(const QStringList& words);

/// What a host has said, for a person to read: '?' for what no terminal should be sent, such as
/// control characters and those that turn the direction of text.
QString printable(QString text);

/// What a process has written on either channel and nobody has read yet, in bytes.
qint64 bytesWaiting(QProcess& process);

/// Waits for the end of a process as long as that, or until more waits to be read; false when it
/// still runs.
bool waitForEnd(QProcess& process, int longestMs, const std::stop_token& stop,
                qint64 mostBytes = std::numeric_limits<qint64>::max());

/// What to do when a program that leads to a host is not here.
QString nextWithout(const QString& program);

/// Why an SSH connection has ended with that exit code and these last words: what a person can do
/// about it. `greeted`: the supervisor there had been heard.
Agent::Loss sshLoss(const QString& host, const QByteArray& words, int exitCode, bool greeted);

/// Ends an ssh that nobody needs any more, and waits for nothing: it is told to end, and is killed
/// when it has not after a second. No receiver hears of it any more. To be called on a thread with
/// an event loop, from a receiver of its signals too; when this process ends first, the kernel
/// tells the ssh to end.
void letEnd(std::unique_ptr<QProcess> ssh);

}  // namespace tutti::launcher
