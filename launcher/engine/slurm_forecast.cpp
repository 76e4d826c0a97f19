// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/slurm_forecast.h"

#include <QRegularExpression>

#include "launcher/engine/slurm.h"

namespace tutti::launcher {

using composer::Error;

namespace {

/// "sbatch: error: x" without its beginning.
QString plainWords(const QByteArray& line) {
  static const QRegularExpression begin(QStringLiteral("^(sbatch|allocation failure): (error: )?"));
  QString text = QString::fromUtf8(line).trimmed();
  while (begin.match(text).hasMatch()) text.remove(begin);
  return text.left(500);
}

/// What Slurm says when its controller is gone, which is no answer.
bool isUnanswered(const QString& words) {
  return words.contains(QStringLiteral("Unable to contact slurm controller")) ||
         words.contains(QStringLiteral("Socket timed out")) ||
         words.contains(QStringLiteral("Zero Bytes were transmitted"));
}

}  // namespace

JobForecast forecastOf(const QByteArray& words, int exitCode) {
  static const QRegularExpression start(
      QStringLiteral("to start at (\\S+) using \\d+ processors on nodes (\\S+)"));
  JobForecast result;
  for (const QByteArray& line : words.split('\n')) {
    const QString text = plainWords(line);
    if (text.isEmpty()) continue;
    result.words = text;
    const auto match = start.match(text);
    if (!match.hasMatch()) continue;
    result.start = QDateTime::fromString(match.captured(1), Qt::ISODate);
    result.nodes = match.captured(2);
  }
  result.isAllowed = exitCode == 0;
  if (!result.isAllowed) {
    result.start = {};
    result.nodes.clear();
  }
  return result;
}

tl::expected<JobForecast, Error> forecast(const Allocation::Request& request,
                                          const std::stop_token& stop) {
  const auto answer =
      callSlurm(request.cluster,
                QStringList{QStringLiteral("sbatch"), QStringLiteral("--test-only")} +
                    sallocOptions(request) + QStringList{QStringLiteral("--wrap=true")},
                stop);
  if (!answer) return tl::unexpected(answer.error());
  JobForecast result = forecastOf(answer->errors, answer->exitCode);
  if (result.isAllowed || (!isUnanswered(result.words) && answer->exitCode != 127)) return result;
  return tl::unexpected(Error{
      {},
      0,
      {},
      QStringLiteral("Slurm of %1 does not answer: %2.").arg(request.cluster.name, result.words),
      QStringLiteral("Check whether slurmctld answers: scontrol ping.")});
}

}  // namespace tutti::launcher
