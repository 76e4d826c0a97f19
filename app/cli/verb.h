// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QTextStream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace tutti::app {

/// What every verb ends with; the window reports the same for the same thing.
enum ExitCode : int {
  Ok = 0,        ///< done, nothing of error severity found
  Findings = 1,  ///< done, but something is wrong with what was looked at or run
  Usage = 2,     ///< the command line or a file it names could not be understood
};

/// One call of a verb.
struct Invocation {
  QStringList arguments;  ///< after the verb, without --json
  bool json = false;      ///< print one JSON value to `out`, nothing else
  QTextStream& out;
  QTextStream& err;

  /// Prints "tutti VERB: message" and gives Usage back.
  int usage(const QString& verb, const QString& message) const;
  /// Prints why nothing was done, and gives the code back.
  int fail(const QString& why, ExitCode code = Usage) const;
  /// Prints one JSON value, as every verb does with --json.
  void print(const nlohmann::json& value) const;
  /// Takes `--name VALUE` or `--name=VALUE` out of `arguments`; nothing when absent, an empty text
  /// when it has no value.
  std::optional<QString> takeOption(const QString& name);
  /// Takes the flag `--name` out of `arguments`.
  bool takeFlag(const QString& name);
};

/// One thing the command line can do. A verb lives in a file verb_NAME.cpp of its own and registers
/// itself there:
///   const RegisterVerb registered{{"check", "FILE", "Check a composition", "...", &run}};
struct Verb {
  QString name;
  QString arguments;  ///< as shown in the synopsis, "FILE [--for SECONDS]"
  QString summary;    ///< one line
  QString details;    ///< for `tutti help NAME`
  int (*run)(Invocation& invocation);
};

/// All verbs, by name.
const std::vector<Verb>& verbs();
const Verb* findVerb(const QString& name);

struct RegisterVerb {
  explicit RegisterVerb(Verb verb);
};

}  // namespace tutti::app
