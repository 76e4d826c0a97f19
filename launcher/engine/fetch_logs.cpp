// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/fetch_logs.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "launcher/engine/ssh.h"
#include "launcher/engine/way.h"

namespace tutti::launcher {

namespace {

constexpr int longestFetchMs = 60000;
constexpr qint64 mostOfALog = 4 << 20;
constexpr qint64 mostOfAHost = 64 << 20;

/// For each log a line "log SIZE SENT NAME" and then SENT bytes of it, `end` behind the last. Hosts
/// have hundreds of logs, all hosts are asked at once, and some share their cores: one program says
/// all sizes, and an empty log takes none.
const QString question = QStringLiteral(
    "cd \"$1\" || exit 1; left=$3; wc -c *.log 2>/dev/null | while read -r size f; do "
    "case $f in *.log) ;; *) continue ;; esac; "
    "sent=$size; [ \"$sent\" -le \"$2\" ] || sent=$2; "
    "[ \"$sent\" -le \"$left\" ] || sent=0; left=$((left - sent)); "
    "printf 'log %s %s %s\\n' \"$size\" \"$sent\" \"$f\"; [ \"$sent\" != 0 ] || continue; "
    "if [ \"$sent\" = \"$size\" ]; then head -c \"$size\" \"$f\"; "
    "else head -c $((sent / 2)) \"$f\"; tail -c $((sent / 2)) \"$f\"; fi; "
    "done; echo end");

}  // namespace

FetchedLogs fetchLogs(const Host& host, const QString& from, const QString& to,
                      const std::stop_token& stop) {
  FetchedLogs result;
  const QString there = QStringLiteral("%1:%2").arg(host.name, from);
  const auto answer = askOn(
      host,
      shellCommand({QStringLiteral("sh"), QStringLiteral("-c"), question, QStringLiteral("sh"),
                    from, QString::number(mostOfALog), QString::number(mostOfAHost)}),
      {}, longestFetchMs, stop);
  if (!answer.ok) {
    result.problem = QStringLiteral("The logs of %1 could not be fetched: %2. They are in %3.")
                         .arg(host.name, answer.loss.why, there);
    return result;
  }
  QStringList shortened;
  QStringList failed;
  qsizetype at = 0;
  bool complete = false;
  while (at < answer.output.size()) {
    const auto lineEnd = answer.output.indexOf('\n', at);
    if (lineEnd < 0) break;
    const QByteArray line = answer.output.mid(at, lineEnd - at);
    at = lineEnd + 1;
    if (line == "end") {
      complete = true;
      break;
    }
    const auto words = line.split(' ');
    if (words.size() < 4 || words[0] != "log") break;
    const qint64 size = words[1].toLongLong();
    const qint64 sent = words[2].toLongLong();
    // A name of a log has no '/', but what a host answers is not ours.
    const QString name = QFileInfo(QString::fromUtf8(words.mid(3).join(' '))).fileName();
    if (sent < 0 || sent > mostOfALog || at + sent > answer.output.size() || name.isEmpty()) break;
    QByteArray bytes = answer.output.mid(at, sent);
    at += sent;
    if (sent < size) {
      shortened << name;
      if (sent == 0) continue;
      bytes.insert(sent / 2,
                   QStringLiteral("\n... %1 bytes are left out here; all of it is in %2\n")
                       .arg(size - sent)
                       .arg(there)
                       .toUtf8());
    }
    QFile file(QDir(to).filePath(name));
    if (file.exists()) continue;
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.flush()) {
      failed << QStringLiteral("%1 (%2)").arg(name, file.errorString());
      continue;
    }
    ++result.files;
    result.bytes += bytes.size();
  }
  QStringList problems;
  if (!complete)
    problems
        << QStringLiteral("The logs of %1 came only in part. All are in %2.").arg(host.name, there);
  if (!shortened.isEmpty())
    problems << QStringLiteral("Logs of %1 are too long to be fetched whole: %2. They are in %3.")
                    .arg(host.name, shortened.join(QStringLiteral(", ")), there);
  if (!failed.isEmpty())
    problems << QStringLiteral("Logs of %1 could not be written to %2: %3. They are in %4.")
                    .arg(host.name, to, failed.join(QStringLiteral(", ")), there);
  result.problem = problems.join(u' ');
  return result;
}

}  // namespace tutti::launcher
