// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QString>
#include <QStringList>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/error.h"
#include "launcher/engine/launch_plan.h"
#include "launcher/engine/run_change.h"

namespace tutti::launcher {

/// A file that a run has used, as it was then.
struct RecordedFile {
  enum class Role { Executable, Library, Module, Manifest };
  QString path;
  Role role = Role::Executable;
  QByteArray sha256;      ///< Hexadecimal; empty: it could not be read.
  qint64 size = 0;        ///< Bytes.
  QStringList processes;  ///< Ids of those that use it; empty: all.
  friend bool operator==(const RecordedFile&, const RecordedFile&) = default;
};

/// "executable", "library", "FOM module", "manifest"
QString roleName(RecordedFile::Role role);

/// A log of a run on another host, as it was when that host was asked last.
struct RecordedLog {
  QString name;  ///< Of its file there, without folders.
  QString file;  ///< Of its file in the run's folder; with partOfLog behind it until it is whole.
  qint64 size = 0;    ///< Bytes there.
  bool gone = false;  ///< It is there no longer, and was not fetched whole.
  friend bool operator==(const RecordedLog&, const RecordedLog&) = default;
};

/// What follows the name of a log in the run's folder that is not whole yet.
constexpr const char* partOfLog = ".part";

/// A machine of a run, as it was then.
struct RecordedHost {
  QString name;         ///< Empty: the machine of the launch.
  QString hostName;     ///< What it calls itself, or ssh's destination of another host.
  QString processor;    ///< "x86_64"
  QString system;       ///< Kernel and release; of this machine only.
  int cores = 0;        ///< 0: not known.
  double memoryMb = 0;  ///< Of this machine: all; of another host: what was available then.
  QString folder;       ///< Of the run's logs there.
  QString copies;       ///< Where its files were copied to; empty: it had them.
  double clockAheadSeconds = 0;
  double clockUncertainSeconds = 0;
  bool logsFetched = false;         ///< They are in the run's folder, whole.
  QString logProblem;               ///< Why some are not, one or more sentences.
  std::vector<RecordedLog> logs{};  ///< By name; of other hosts, once they were asked.
  friend bool operator==(const RecordedHost&, const RecordedHost&) = default;
};

/// How a process of a run ended.
struct RecordedProcess {
  QString id;
  QString host;
  QString state;                ///< "exit code 0", "signal 11 (SIGSEGV)" ..., for people.
  std::optional<int> exitCode;  ///< When it ended by itself.
  std::optional<int> signal;    ///< When one ended it.
  int starts = 0;
  QDateTime startedAt;
  QDateTime endedAt;
  friend bool operator==(const RecordedProcess&, const RecordedProcess&) = default;
};

/// What is kept of a run besides its plans and logs: record.json of its folder.
struct RunRecord {
  QString run;
  QString federation;
  QString composition;
  QString rerunOf;  ///< The run whose plans were started again; may be empty.
  QString version;  ///< Of Tutti.
  QDateTime started;
  QDateTime ended;  ///< Invalid: it goes on, or its end was not seen.
  QString outcome;  ///< Run::outcomeWord(); empty: likewise.
  QString stopReason;
  double elapsed = 0;                      ///< Seconds.
  std::vector<RecordedHost> hosts;         ///< This machine first.
  std::vector<RecordedFile> files;         ///< By path.
  std::vector<RecordedProcess> processes;  ///< Also those that were added, and removed.
  std::vector<RunChange> changes;          ///< While it went on, oldest first.
  QStringList troubles;

  [[nodiscard]] QByteArray toBytes() const;
  static tl::expected<RunRecord, composer::Error> read(const QString& file);
  [[nodiscard]] tl::expected<void, composer::Error> save(const QString& folder) const;
  [[nodiscard]] const RecordedHost* host(const QString& name) const;

  friend bool operator==(const RunRecord&, const RunRecord&) = default;
};

constexpr const char* recordFile = "record.json";

/// The files of a plan that is not settled for any host, with their check sums: programs, their
/// shared libraries without those of the system, FOM modules, manifests. Blocks for as long as
/// reading takes; any thread.
std::vector<RecordedFile> recordedFiles(const LaunchPlan& plan);

/// This machine as it is now.
RecordedHost recordedMachine();

/// What is another way than it was in a recorded run.
struct RecordedChange {
  enum class Kind { Changed, Gone, New, Host };
  Kind kind = Kind::Changed;
  QString what;                        ///< Path, or name of the host.
  QString detail;                      ///< What it is to the run, or what has changed of the host.
  std::optional<RecordedFile> before;  ///< Of a file.
  std::optional<RecordedFile> now;
  /// "changed /path, executable of radar-west: 3f9c01ab (1.2 MB), was 88d2e4f0 (1.1 MB)"
  [[nodiscard]] QString text() const;
};

std::vector<RecordedChange> changedFiles(const std::vector<RecordedFile>& before,
                                         const std::vector<RecordedFile>& now);
std::vector<RecordedChange> changedHosts(const std::vector<RecordedHost>& before,
                                         const std::vector<RecordedHost>& now);

/// A run that has left its folder.
struct PastRun {
  QString folder;
  RunRecord record;
  bool goesOn = false;  ///< Somebody holds its plan.
  bool canRun = false;  ///< Its two plans are there.
};

/// Whether somebody holds the plan in the folder of a run: the run goes on, or its end is recorded.
bool runGoesOn(const QString& folder);

/// Newest first; those without a record are left out. Reads files; any thread.
std::vector<PastRun> pastRuns(const QString& folder = runsFolder());

}  // namespace tutti::launcher
