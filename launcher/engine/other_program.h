// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <stop_token>
#include <tl/expected.hpp>

#include "composer/model/error.h"

namespace tutti::launcher {

/// How a program of others ended.
struct ProgramAnswer {
  int exitCode = 0;
  QByteArray output;  ///< standard output
  QByteArray errors;  ///< end of standard error, at most 4 KiB

  /// Last line of standard error, without its blanks; for messages.
  [[nodiscard]] QString lastError() const;
};

/// Runs `program` of PATH without input and in the C locale, and waits for its end. An error when
/// there is no such program, when it crashes, takes longer than `milliseconds`, or writes more than
/// `most` bytes, or `stop` is asked for; it is killed then. Any thread.
tl::expected<ProgramAnswer, composer::Error> askProgram(const QString& program,
                                                        const QStringList& arguments,
                                                        int milliseconds, qsizetype most,
                                                        const std::stop_token& stop = {});

}  // namespace tutti::launcher
