// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/batch_job.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <algorithm>
#include <set>

#include "composer/model/json_source.h"
#include "launcher/engine/plan_folder.h"
#include "launcher/engine/slurm_nodes.h"
#include "launcher/engine/slurm_script.h"

namespace tutti::launcher {

namespace {

using composer::Error;

const QString scriptFile = QStringLiteral("job.sbatch");
const QString clusterFile = QStringLiteral("cluster.hosts.json");
const QString jobsFile = QStringLiteral("jobs");
const QString overFile = QStringLiteral("over");
const QString askedFile = QStringLiteral("asked-to-stop");
constexpr qint64 longestList = 64 * 1024;

tl::unexpected<Error> refused(const QString& what, const QString& next, const QString& file = {}) {
  return tl::unexpected(Error{file, 0, {}, what, next});
}

QString stateHome() {
  const QString named = qEnvironmentVariable("XDG_STATE_HOME");
  return QDir::isAbsolutePath(named) ? QDir::cleanPath(named) : QString();
}

/// Numbers that a file has, one a line; what is none is left out.
QList<qint64> numbersIn(const QString& file) {
  QList<qint64> result;
  QFile input(file);
  if (!input.open(QIODevice::ReadOnly)) return result;
  for (const QByteArray& line : input.read(longestList).split('\n')) {
    const qint64 number = line.trimmed().toLongLong();
    if (number > 0 && !result.contains(number)) result << number;
  }
  return result;
}

/// In one write, beside others that do so. Returns why it failed; empty: it did not.
QString addNumber(const QString& file, qint64 number) {
  QFile output(file);
  const QByteArray line = QByteArray::number(number) + '\n';
  if (output.open(QIODevice::WriteOnly | QIODevice::Append | QIODevice::Unbuffered) &&
      output.write(line) == line.size())
    return {};
  return QStringLiteral("%1 cannot be written: %2.").arg(file, output.errorString());
}

/// What must be at the same path where the job begins.
QStringList filesNeeded(const LaunchPlan& plan, const BatchRequest& request,
                        const QString& folder) {
  std::set<QString> files{request.tutti, QDir(folder).filePath(scriptFile)};
  for (const auto& one : plan.plan.processes) {
    if (const QString program = QString::fromStdString(one.command.front());
        program.startsWith(u'/'))
      files.insert(program);
  }
  for (const QString& module : plan.fomModules) files.insert(module);
  return {files.begin(), files.end()};
}

/// Nothing when the login host has them all, or there is none.
tl::expected<void, Error> awaitFilesThere(const Cluster& cluster, const QStringList& files,
                                          const std::stop_token& stop) {
  if (cluster.destination.isEmpty()) return {};
  const auto answer =
      callSlurm(cluster,
                QStringList{QStringLiteral("sh"), QStringLiteral("-c"),
                            QStringLiteral("for f; do [ -e \"$f\" ] || echo \"$f\"; done"),
                            QStringLiteral("sh")} +
                    files,
                stop);
  if (!answer) return tl::unexpected(answer.error());
  const QStringList lacks = QString::fromUtf8(answer->output).split(u'\n', Qt::SkipEmptyParts);
  if (answer->exitCode == 0 && lacks.isEmpty()) return {};
  return refused(
      answer->exitCode != 0
          ? QStringLiteral("The login host %1 of %2 does not say whether it has the files of the "
                           "run.")
                .arg(cluster.destination, cluster.name)
          : QStringLiteral("The login host %1 of %2 lacks %3 of the %4 files that the job needs "
                           "at the same paths, such as %5.")
                .arg(cluster.destination, cluster.name)
                .arg(lacks.size())
                .arg(files.size())
                .arg(lacks.front()),
      QStringLiteral("Log in there and submit it there, with the composition, its components and "
                     "Tutti in folders that the nodes see; or use a folder that both machines "
                     "share, also as XDG_STATE_HOME."));
}

/// The number that sbatch --parsable prints, alone or before the cluster's name; 0: none.
qint64 numberOf(const QByteArray& answer) {
  const auto lines = answer.trimmed().split('\n');
  return lines.back().split(';').front().trimmed().toLongLong();
}

/// What sbatch said.
struct SbatchAnswer {
  qint64 job = 0;  ///< 0: it did not say whether the job was taken
  QString why;     ///< then: what came instead
};

/// It was slurmctld's turn to answer, and what it has done is not known.
bool isUncertain(const ProgramAnswer& answer) {
  // 255 is also ssh's, and a signal comes as more than 128.
  if (answer.exitCode <= 0 || answer.exitCode >= 128) return true;
  const QByteArray said = answer.errors.toLower();
  return said.contains("timed out") || said.contains("zero bytes were transmitted");
}

/// The error is a refusal: nothing was submitted.
tl::expected<SbatchAnswer, Error> sbatch(const Cluster& cluster, const QString& script,
                                         const QString& restore, const std::stop_token& stop) {
  QStringList words{QStringLiteral("sbatch"), QStringLiteral("--parsable"), script};
  // Of the script, which a job that continues it gets another one of.
  if (!restore.isEmpty()) words << restore;
  if (stop.stop_requested())
    return refused(QStringLiteral("The job was not submitted: that was called off."), {});
  // These keep it from being started at all.
  const bool cannotStart =
      faultOfConfiguration(cluster) ||
      (cluster.destination.isEmpty() && QStandardPaths::findExecutable(words.front()).isEmpty());
  const auto answer = callSlurm(cluster, words, stop);
  if (!answer && cannotStart) return tl::unexpected(answer.error());
  if (!answer) return SbatchAnswer{0, answer.error().what};
  const qint64 job = answer->exitCode == 0 ? numberOf(answer->output) : 0;
  if (job > 0) return SbatchAnswer{job, {}};
  if (isUncertain(*answer)) {
    const QString last = answer->lastError();
    return SbatchAnswer{0, QStringLiteral("sbatch ended with exit code %1 and no number%2.")
                               .arg(answer->exitCode)
                               .arg(last.isEmpty() ? last : QStringLiteral(": ") + last)};
  }
  QString why = answer->lastError();
  for (const QString& lead : {QStringLiteral("sbatch: "), QStringLiteral("error: ")}) {
    if (why.startsWith(lead)) why.remove(0, lead.size());
  }
  if (answer->exitCode == 127 || why.isEmpty())
    return refused(
        QStringLiteral("sbatch%1 failed with exit code %2%3.")
            .arg(cluster.destination.isEmpty() ? QString()
                                               : QStringLiteral(" on ") + cluster.destination)
            .arg(answer->exitCode)
            .arg(why.isEmpty() ? why : QStringLiteral(": ") + why),
        QStringLiteral("Check that Slurm is there and answers: scontrol ping."));
  return refused(
      QStringLiteral("Slurm on %1 does not take the job: %2.")
          .arg(cluster.name, why.endsWith(u'.') ? why.chopped(1) : why),
      why.contains(QStringLiteral("Unable to contact slurm controller"))
          ? QStringLiteral("Check whether slurmctld answers: scontrol ping.")
          : QStringLiteral(
                "tutti clusters says what the cluster has; ask for less, or name another "
                "partition, account or qos in the hosts file."));
}

}  // namespace

QString BatchJob::script() const { return QDir(folder).filePath(scriptFile); }

QString jobsFolder() { return QDir::cleanPath(runsFolder() + QStringLiteral("/../jobs")); }

tl::expected<std::map<QString, QByteArray>, Error> filesOfBatchJob(const BatchRequest& request,
                                                                   const QString& folder) {
  // Its files name no run: each job that is started from them is one of its own.
  const LaunchPlan plan = request.plan.renewed(QLatin1String(runOfFiles));
  const QDir place(folder);
  const QString script = place.filePath(scriptFile);
  if (script.contains(u'"') || script.contains(u'\n'))
    return refused(QStringLiteral("The folder %1 has a character in its name that sbatch does not "
                                  "read.")
                       .arg(folder),
                   QStringLiteral("Name another folder."));
  QStringList command{request.tutti, QStringLiteral("run"),
                      place.filePath(QLatin1String(launchFile))};
  const auto text = sbatchScript(plan, command + request.options, {script, stateHome()});
  if (!text) return tl::unexpected(text.error());
  auto files = filesOfPlan(plan, request.architecture);
  files.erase(QStringLiteral("run.sh"));
  files.erase(QStringLiteral("README.txt"));
  files[scriptFile] = *text;
  Deployment deployment;
  deployment.clusters = {requestsOf(plan).front().cluster};
  auto& extra = deployment.clusters.front().extra;
  extra["tutti"] = request.tutti.toStdString();
  if (const QString state = stateHome(); !state.isEmpty()) extra["stateHome"] = state.toStdString();
  files[clusterFile] = deployment.toBytes();
  return files;
}

tl::expected<BatchJob, Error> submitBatchJob(const BatchRequest& request,
                                             const std::stop_token& stop) {
  const bool named = !request.folder.isEmpty();
  const QString entry = QDir(jobsFolder()).filePath(newRunIdentifier());
  const QString folder = named ? QFileInfo(request.folder).absoluteFilePath() : entry;
  const auto files = filesOfBatchJob(request, folder);
  if (!files) return tl::unexpected(files.error());
  if (QFileInfo::exists(QDir(folder).filePath(jobsFile)))
    return refused(QStringLiteral("The folder is of a job that was submitted before."),
                   QStringLiteral("Name another one, or none."), folder);
  const bool existed = QFileInfo::exists(folder);
  // Plans have what federates are told, which nobody else needs to know.
  if (!existed) {
    if (const auto made = makePrivateFolder(folder); !made)
      return refused(made.error() + u'.', QStringLiteral("Make room, or name another folder."));
  }
  const auto undo = [&] {
    if (!existed) QDir(folder).removeRecursively();
  };
  if (const auto written = writePlanFolder(folder, *files); !written) {
    undo();
    return tl::unexpected(written.error());
  }
  const LaunchPlan& plan = request.plan;
  const Cluster cluster = requestsOf(plan).front().cluster;
  auto job = awaitFilesThere(cluster, filesNeeded(plan, request, folder), stop).and_then([&] {
    return sbatch(cluster, QDir(folder).filePath(scriptFile), request.restore, stop);
  });
  if (!job) {
    undo();
    return tl::unexpected(job.error());
  }
  BatchJob result{folder, cluster, {}, plan.federation, plan.composition, false, {}};
  if (auto read = readBatchJob(folder)) result = std::move(*read);
  const QString numbers = QDir(folder).filePath(jobsFile);
  if (job->job > 0) {
    if (!result.jobs.contains(job->job)) result.jobs.prepend(job->job);
    if (const QString why = addNumber(numbers, job->job); !why.isEmpty())
      result.doubt = QStringLiteral("%1 Until the job starts, only its number finds it.").arg(why);
  } else {
    // Of one submission only; its script adds the number once it starts.
    [[maybe_unused]] const bool made = QFile(numbers).open(QIODevice::Append);
    QString name = QStringLiteral("squeue --me");
    if (!cluster.destination.isEmpty())
      name = QStringLiteral("ssh %1 %2").arg(cluster.destination, name);
    result.doubt =
        QStringLiteral(
            "It is not known whether Slurm on %1 has taken the job: %2 See whether it "
            "is there before you submit it again: %3. Its plans stay in %4.")
            .arg(cluster.name, job->why.endsWith(u'.') ? job->why : job->why + u'.', name, folder);
  }
  if (named && QDir().mkpath(jobsFolder())) QFile::link(folder, entry);
  return result;
}

tl::expected<BatchJob, Error> readBatchJob(const QString& folder) {
  const QDir place(folder);
  BatchJob result;
  result.folder = QFileInfo(folder).isSymLink() ? QFileInfo(folder).symLinkTarget()
                                                : QFileInfo(folder).absoluteFilePath();
  const auto deployment = Deployment::read(place.filePath(clusterFile));
  if (!deployment) return tl::unexpected(deployment.error());
  if (deployment->clusters.size() != 1)
    return refused(QStringLiteral("The file does not describe one cluster."), {},
                   place.filePath(clusterFile));
  result.cluster = deployment->clusters.front();
  const auto plan = LaunchPlan::load(place.filePath(QLatin1String(launchFile)));
  if (!plan) return tl::unexpected(plan.error());
  result.federation = plan->federation;
  result.composition = plan->composition;
  result.jobs = numbersIn(place.filePath(jobsFile));
  std::sort(result.jobs.begin(), result.jobs.end());
  result.over = place.exists(overFile);
  return result;
}

std::vector<BatchJob> submittedJobs(const QString& folder) {
  std::vector<BatchJob> result;
  const QDir all(folder);
  for (const QString& name :
       all.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name | QDir::Reversed)) {
    // One that is being submitted, or was moved away, is none.
    if (auto job = readBatchJob(all.filePath(name)); job && !job->jobs.isEmpty())
      result.push_back(std::move(*job));
  }
  return result;
}

std::optional<BatchJob> submittedJob(qint64 job, const QString& cluster, const QString& folder) {
  for (auto& each : submittedJobs(folder)) {
    if (each.jobs.contains(job) && (cluster.isEmpty() || each.cluster.name == cluster))
      return std::move(each);
  }
  return std::nullopt;
}

std::optional<BatchJob> submittedJob(qint64 job, const Cluster& cluster, const QString& folder) {
  for (auto& each : submittedJobs(folder)) {
    if (each.jobs.contains(job) && isSameCluster(each.cluster, cluster)) return std::move(each);
  }
  return std::nullopt;
}

bool isSameCluster(const Cluster& one, const Cluster& other) {
  return one.name == other.name && one.destination == other.destination &&
         one.configuration == other.configuration;
}

void noteJobOver(const BatchJob& job) {
  QFile mark(QDir(job.folder).filePath(overFile));
  [[maybe_unused]] const bool made = mark.open(QIODevice::WriteOnly);
}

void noteAskedToStop(const BatchJob& job, qint64 number) {
  addNumber(QDir(job.folder).filePath(askedFile), number);
}

bool wasAskedToStop(const BatchJob& job, qint64 number) {
  return numbersIn(QDir(job.folder).filePath(askedFile)).contains(number);
}

}  // namespace tutti::launcher
