// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <string>

#include "recorder.h"

namespace federates {

/// A role of rti_federate: its arguments, its exit code.
using Role = int (*)(const QStringList& arguments);

int runBusy(const QStringList& arguments);
int runCrowd(const QStringList& arguments);
int runForker(const QStringList& arguments);
int runListener(const QStringList& arguments);
int runMember(const QStringList& arguments);
int runReader(const QStringList& arguments);
int runScribbler(const QStringList& arguments);
int runSender(const QStringList& arguments);
int runStarved(const QStringList& arguments);
int runStepped(const QStringList& arguments);
int runSurvivor(const QStringList& arguments);
int runVictim(const QStringList& arguments);
int runVisitor(const QStringList& arguments);
int runWatcher(const QStringList& arguments);
int runWorker(const QStringList& arguments);

/// Lines on standard input.
class Input {
 public:
  /// The next line, waited for; nothing at the end.
  std::optional<QString> line();
  /// True when line() would not wait.
  bool ready();

 private:
  std::string heard_;
};

/// One line on standard output.
void say(const QString& line);

/// What a value carries in these tests.
struct Payload {
  std::uint32_t sender = 0;
  std::uint32_t reserved = 0;
  std::uint64_t number = 0;
};

}  // namespace federates
