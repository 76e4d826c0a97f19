// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/saved_parts.h"

#include <QProcess>

#include "launcher/engine/ssh.h"
#include "launcher/engine/way.h"

namespace tutti::launcher {

namespace {

constexpr int longestMs = 600000;

/// The folder in a line, then the archive; nothing behind the line when there is no such file.
const QString reading = QStringLiteral(
    "f=\"${XDG_STATE_HOME:-$HOME/.local/state}/$1\"; n=$2; printf '%s\\n' \"$f\"; "
    "cd \"$f\" 2>/dev/null || exit 0; set --; "
    "for e in \"$n\" \"$n\".*; do [ -e \"$e\" ] && set -- \"$@\" \"$e\"; done; "
    "[ $# = 0 ] || tar -cf - -- \"$@\"");

/// Beside what is there until all has come; then it takes that one's place, and no other's.
const QString writing = QStringLiteral(
    "umask 077; f=\"${XDG_STATE_HOME:-$HOME/.local/state}/$1\"; mkdir -p \"$f\" && "
    "t=$(mktemp -d \"$f/.new.XXXXXX\") || exit; "
    "if tar -C \"$t\" -xf -; then rm -rf -- \"$f/$2\" \"$f/$2\".*; "
    "for e in \"$t/$2\" \"$t/$2\".*; do [ ! -e \"$e\" ] || mv -- \"$e\" \"$f\" || exit; done; "
    "rm -rf -- \"$t\"; else rm -rf -- \"$t\"; exit 1; fi");

/// What a script prints there, or why it has failed.
tl::expected<QByteArray, QString> run(const Host* host, const QString& script,
                                      const QStringList& arguments, const QByteArray& input,
                                      const std::stop_token& stop) {
  const QStringList words =
      QStringList{QStringLiteral("-c"), script, QStringLiteral("sh")} + arguments;
  if (host != nullptr) {
    const auto answer = askOn(*host, shellCommand(QStringList{QStringLiteral("sh")} + words), input,
                              longestMs, stop);
    if (answer.ok) return answer.output;
    return tl::unexpected(
        QStringLiteral("%1: %2. %3").arg(host->name, answer.loss.why, answer.loss.next));
  }
  QProcess process;
  process.start(QStringLiteral("sh"), words);
  if (!process.waitForStarted()) return tl::unexpected(process.errorString() + u'.');
  process.write(input);
  process.closeWriteChannel();
  if (waitForEnd(process, longestMs, stop) && process.exitCode() == 0)
    return process.readAllStandardOutput();
  const QString why = QString::fromLocal8Bit(process.readAllStandardError()).trimmed();
  process.kill();
  process.waitForFinished();
  return tl::unexpected(QStringLiteral("this machine: %1.")
                            .arg(why.isEmpty() ? QStringLiteral("it was given up") : why));
}

}  // namespace

QString savedPartName(const QString& name) {
  constexpr qsizetype longest = 100;
  const QByteArray text = name.toUtf8();
  quint64 hash = 0xcbf29ce484222325U;  // FNV-1a
  QByteArray result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    hash = (hash ^ byte) * 0x100000001b3U;
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    result += plain ? QByteArray(1, c) : '%' + QByteArray(1, c).toHex().toUpper();
  }
  if (result.isEmpty()) return QStringLiteral("%");
  if (result.size() > longest) result = result.left(longest) + '%' + QByteArray::number(hash);
  return QString::fromLatin1(result);
}

QString savedPartsFolder(const QString& federation, const QString& label) {
  return QStringLiteral("tutti/federates/%1/%2")
      .arg(savedPartName(federation), savedPartName(label));
}

tl::expected<QByteArray, QString> readSavedPart(const Host* host, const QString& federation,
                                                const QString& label, const QString& federate,
                                                const std::stop_token& stop) {
  auto answer =
      run(host, reading, {savedPartsFolder(federation, label), savedPartName(federate)}, {}, stop);
  const QString name = host == nullptr ? QStringLiteral("this machine") : host->name;
  if (!answer)
    return tl::unexpected(QStringLiteral("The state that %1 has saved cannot be read from %2")
                              .arg(federate, answer.error()));
  const auto end = answer->indexOf('\n');
  if (end < 0 || end + 1 == answer->size())
    return tl::unexpected(
        QStringLiteral("%1 has left no state of this save in %2 of %3. Only what a federate keeps "
                       "there can be brought to another host.")
            .arg(federate, end < 0 ? QString() : QString::fromUtf8(answer->left(end)), name));
  return answer->mid(end + 1);
}

tl::expected<void, QString> writeSavedPart(const Host* host, const QString& federation,
                                           const QString& label, const QString& federate,
                                           const QByteArray& archive, const std::stop_token& stop) {
  const auto answer = run(
      host, writing, {savedPartsFolder(federation, label), savedPartName(federate)}, archive, stop);
  if (!answer)
    return tl::unexpected(
        QStringLiteral("The saved state cannot be written to %1").arg(answer.error()));
  return {};
}

}  // namespace tutti::launcher
