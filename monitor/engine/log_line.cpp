// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/log_line.h"

#include <QRegularExpression>

namespace tutti::monitor {

namespace {

LogLevel levelOf(QChar letter) {
  switch (letter.unicode()) {
    case 'T':
      return LogLevel::Trace;
    case 'D':
      return LogLevel::Debug;
    case 'W':
      return LogLevel::Warning;
    case 'E':
    case 'C':
      return LogLevel::Error;
    default:
      return LogLevel::Info;
  }
}

}  // namespace

LogRecord logRecordOf(Milliseconds at, const QString& subject, bool isStandardError,
                      const QString& text) {
  if (!isStandardError) return {at, LogLevel::Info, subject, text};
  static const QRegularExpression ofNode(QStringLiteral(
      R"(^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} ([TDIWEC]) \[\d+\] (.*)$)"));
  const QRegularExpressionMatch match = ofNode.match(text);
  if (!match.hasMatch()) return {at, LogLevel::Warning, subject, text};
  return {at, levelOf(match.captured(1).front()), subject, match.captured(2)};
}

}  // namespace tutti::monitor
