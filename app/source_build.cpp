// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/source_build.h"

#include <QFile>
#include <QRegularExpression>
#include <algorithm>
#include <utility>

namespace tutti::app {

SourceBuild::SourceBuild(QString logFile, QObject* parent)
    : QObject(parent), logFile_(std::move(logFile)) {
  if (logFile_.isEmpty()) return;
  timer_.setInterval(1000);
  connect(&timer_, &QTimer::timeout, this, &SourceBuild::look);
  timer_.start();
  state_ = State::GoingOn;
  look();
}

QString SourceBuild::note() const {
  switch (state_) {
    case State::GoingOn:
      return steps_.isEmpty() ? tr("building samples and benchmarks")
                              : tr("building samples and benchmarks: %1").arg(steps_);
    case State::Failed:
      return tr("samples and benchmarks could not be built: scripts/build release shows why");
    case State::None:
      break;
  }
  return {};
}

void SourceBuild::look() {
  constexpr qint64 lastPart = 64 * 1024;
  QFile log(logFile_);
  if (!log.open(QIODevice::ReadOnly)) {
    // Whoever builds has ended, and took the log along.
    timer_.stop();
    state_ = State::None;
    Q_EMIT changed();
    return;
  }
  log.seek(std::max<qint64>(0, log.size() - lastPart));
  const QString text = QString::fromUtf8(log.readAll());
  const bool over = text.endsWith(QStringLiteral("[built]\n"));
  const bool failed = text.endsWith(QStringLiteral("[failed]\n"));
  if (over || failed) {
    timer_.stop();
    state_ = failed ? State::Failed : State::None;
    Q_EMIT changed();
    if (over) Q_EMIT built();
    return;
  }
  static const QRegularExpression step(QStringLiteral("\\[(\\d+)/(\\d+)\\](?!.*\\[\\d+/\\d+\\])"),
                                       QRegularExpression::DotMatchesEverythingOption);
  const auto match = step.match(text);
  const QString steps =
      match.hasMatch() ? tr("%1 of %2").arg(match.captured(1), match.captured(2)) : QString();
  if (steps == steps_) return;
  steps_ = steps;
  Q_EMIT changed();
}

}  // namespace tutti::app
