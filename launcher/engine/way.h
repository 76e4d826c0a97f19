// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <stop_token>

#include "launcher/engine/agent.h"
#include "launcher/engine/hosts.h"

// How a command gets to a host: through ssh, or as a step of a Slurm job. Its standard input and
// output are the caller's either way, and nothing above this knows which way it is.
namespace tutti::launcher {

/// The program and its arguments that execute `command` there, in a shell.
QStringList wordsFor(const Host& host, const QString& command);

/// Why that program has ended with this exit code and these last words. `greeted`: what it had
/// started there was heard.
Agent::Loss lossOf(const Host& host, const QByteArray& words, int exitCode, bool greeted);

/// What a command on a host answered.
struct HostAnswer {
  bool ok = false;     ///< It was executed and its exit code was 0.
  QByteArray output;   ///< of its standard output
  Agent::Loss loss;    ///< unless ok
  int exitCode = -1;   ///< of what leads there; -1: it did not end by itself
  QByteArray errors;   ///< of its standard error, unless ok
  double seconds = 0;  ///< from the start to the end
};

/// What a host may answer, in bytes: all of it is kept in memory here.
constexpr qint64 longestAnswer = qint64{1} << 30;

/// Executes `command` there with `input` as its standard input; blocks for at most `longestMs`, or
/// until `stop` is asked for. A host that answers with more than `mostBytes` is cut off. Any
/// thread.
HostAnswer askOn(const Host& host, const QString& command, const QByteArray& input, int longestMs,
                 const std::stop_token& stop = {}, qint64 mostBytes = longestAnswer);

}  // namespace tutti::launcher
