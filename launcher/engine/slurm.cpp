// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/slurm.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <limits>

#include "launcher/engine/slurm_json.h"
#include "launcher/engine/slurm_step.h"
#include "launcher/engine/ssh.h"

namespace tutti::launcher {

namespace {

using composer::Error;
using composer::Json;

constexpr int longestAnswerMs = 60'000;
constexpr qsizetype mostAnswer = 256 << 20;
constexpr std::size_t mostJobs = 500'000;
constexpr qsizetype mostNodes = 10'000;
constexpr qsizetype longestText = 255;
constexpr qsizetype longestComment = 4096;
constexpr qsizetype longestPath = 4096;
constexpr qsizetype mostDependencies = 20;
const QString continuesMark = QStringLiteral("tutti-continues=");

QDateTime timeIn(const Json& job, const char* key) {
  const double seconds = numberIn(job, key);
  return seconds > 0 && seconds < 1e11 ? QDateTime::fromSecsSinceEpoch(qint64(seconds))
                                       : QDateTime{};
}

int countIn(const Json& job, const char* key) { return int(std::min(numberIn(job, key), 1e9)); }

/// The jobs of "afterok:48216_*(unfulfilled),afterany:48217+5:48218".
QList<qint64> jobsOfDependency(const QString& text) {
  static const QRegularExpression job(QStringLiteral(":(\\d{1,15})"));
  QList<qint64> jobs;
  for (auto found = job.globalMatch(text); found.hasNext() && jobs.size() < mostDependencies;) {
    const qint64 id = found.next().captured(1).toLongLong();
    if (!jobs.contains(id)) jobs << id;
  }
  return jobs;
}

/// A file's name as sbatch was given it, with what Slurm puts in its place. Slurm itself tells the
/// name before that. Empty where a part of it is not known here.
QString fileOf(const SlurmJob& job, QString name, const QString& folder) {
  QString result;
  for (qsizetype i = 0; i < name.size(); ++i) {
    if (name[i] != u'%' || i + 1 == name.size()) {
      result += name[i];
      continue;
    }
    const QChar what = name[++i];
    if (what == u'%')
      result += u'%';
    else if (what == u'j' || what == u'A')
      result += QString::number(job.id);
    else if (what == u'x')
      result += job.name;
    else if (what == u'u')
      result += job.user;
    else
      return {};
  }
  if (result.isEmpty() || result.startsWith(u'/') || folder.isEmpty()) return result;
  return folder + u'/' + result;
}

/// Of a script; later versions tell it in parts.
int exitCodeOf(const Json& json) {
  const auto found = json.find("exit_code");
  if (found != json.end() && found->is_object() && found->contains("return_code")) {
    const auto& by = found->contains("signal") ? found->at("signal") : Json();
    const double signal = by.is_object() && by.contains("id") ? numberIn(by, "id")
                          : by.is_object()                    ? numberIn(by, "signal_id")
                                                              : 0;
    return signal > 0 ? -1 : int(std::min(numberIn(*found, "return_code"), 255.0));
  }
  const int status = countIn(json, "exit_code");  // as wait() gives it
  return (status & 0x7f) != 0 ? -1 : (status >> 8) & 0xff;
}

SlurmJob jobOf(const Json& json) {
  SlurmJob job;
  job.id = qint64(std::min(numberIn(json, "job_id"), 1e15));
  job.name = textIn(json, "name").left(longestText);
  job.user = textIn(json, "user_name").left(longestText);
  job.partition = textIn(json, "partition").left(longestText);
  job.state = textsIn(json, "job_state").value(0).toUpper().left(64);
  job.reason = textIn(json, "state_reason").left(longestText);
  if (job.reason == QStringLiteral("None")) job.reason.clear();
  job.nodes = nodesOfList(textIn(json, "nodes"));
  job.nodeCount = countIn(json, "node_count");
  // INFINITE and NO_VAL are the greatest numbers that fit.
  const double limit = numberIn(json, "time_limit");
  job.timeLimit = limit < 1e9 ? int(limit) : 0;
  job.priority = numberIn(json, "priority");
  job.submitted = timeIn(json, "submit_time");
  job.start = timeIn(json, "start_time");
  job.end = timeIn(json, "end_time");
  job.after = jobsOfDependency(textIn(json, "dependency"));
  job.comment = textIn(json, "comment").left(longestComment);
  const auto batch = json.find("batch_flag");
  job.isBatch = batch != json.end() && batch->is_boolean() && batch->get<bool>();
  job.script = textIn(json, "command").left(longestPath);
  if (job.isBatch)
    job.output = fileOf(job, textIn(json, "standard_output").left(longestPath),
                        textIn(json, "current_working_directory").left(longestPath));
  const QString first = textIn(json, "batch_host").left(longestText);
  // It becomes a word of commands.
  if (job.isBatch && faultOfName(first).isEmpty()) job.firstNode = first;
  job.exitCode = exitCodeOf(json);
  return job;
}

/// "[1-3,07-09]" behind `prefix`, appended.
bool addRanges(const QString& prefix, const QString& ranges, QStringList& nodes) {
  for (const QString& range : ranges.split(u',')) {
    const QStringList ends = range.split(u'-');
    bool isFirst = false;
    bool isLast = false;
    const int first = ends.value(0).toInt(&isFirst);
    const int last = ends.value(ends.size() - 1).toInt(&isLast);
    if (!isFirst || !isLast || ends.size() > 2 || first > last) return false;
    if (last - first >= mostNodes - nodes.size()) return false;
    for (int number = first; number <= last; ++number)
      nodes << prefix + QStringLiteral("%1").arg(number, int(ends[0].size()), 10, QLatin1Char('0'));
  }
  return true;
}

}  // namespace

QStringList nodesOfList(const QString& list) {
  QStringList nodes;
  qsizetype at = 0;
  while (at < list.size()) {
    qsizetype end = at;
    while (end < list.size() && list[end] != u',' && list[end] != u'[') ++end;
    const QString name = list.mid(at, end - at);
    if (end < list.size() && list[end] == u'[') {
      const auto close = list.indexOf(u']', end);
      if (close < 0 || !addRanges(name, list.mid(end + 1, close - end - 1), nodes)) return {};
      end = close + 1;
      if (end < list.size() && list[end] != u',') return {};
    } else if (name.isEmpty() || nodes.size() >= mostNodes) {
      return {};
    } else {
      nodes << name;
    }
    at = end + 1;
  }
  // They become words of commands.
  if (std::any_of(nodes.begin(), nodes.end(),
                  [](const QString& each) { return !faultOfName(each).isEmpty(); }))
    return {};
  return nodes;
}

QList<qint64> continuedJobs(const QString& comment) {
  QList<qint64> jobs;
  for (const QString& word : comment.split(u' ')) {
    if (!word.startsWith(continuesMark)) continue;
    for (const QString& number : word.mid(continuesMark.size()).split(u'+')) {
      bool isNumber = false;
      const qint64 job = number.toLongLong(&isNumber);
      if (!isNumber || job <= 0 || jobs.size() >= mostDependencies) break;
      if (!jobs.contains(job)) jobs << job;
    }
  }
  return jobs;
}

QString commentOfContinuation(const QString& comment, qint64 job) {
  QStringList words = comment.split(u' ');
  words.removeIf([](const QString& word) { return word.startsWith(continuesMark); });
  QStringList numbers{QString::number(job)};
  for (const qint64 each : continuedJobs(comment)) {
    if (each != job && numbers.size() < mostDependencies) numbers << QString::number(each);
  }
  words << continuesMark + numbers.join(u'+');
  return words.join(u' ').trimmed();
}

bool SlurmJob::isOver() const {
  static const QStringList others{QStringLiteral("CONFIGURING"), QStringLiteral("COMPLETING"),
                                  QStringLiteral("SUSPENDED"),   QStringLiteral("STOPPED"),
                                  QStringLiteral("RESIZING"),    QStringLiteral("REQUEUED"),
                                  QStringLiteral("SIGNALING"),   QStringLiteral("STAGE_OUT")};
  return !waits() && !runs() && !others.contains(state);
}

double SlurmJob::timeLeft(const QDateTime& now) const {
  if (!runs() || timeLimit == 0 || !end.isValid()) return std::numeric_limits<double>::quiet_NaN();
  return std::max(0.0, double(now.secsTo(end)));
}

tl::expected<std::vector<SlurmJob>, Error> jobsOfSqueue(const QByteArray& json) {
  const auto source = answerOf(QStringLiteral("squeue"), json);
  if (!source) return tl::unexpected(source.error());
  const auto list = source->root().find("jobs");
  if (list == source->root().end() || !list->is_array())
    return tl::unexpected(source->error("", QStringLiteral("It has no list \"jobs\".")));
  if (list->size() > mostJobs)
    return tl::unexpected(
        source->error("/jobs", QStringLiteral("It has more than %1 jobs.").arg(mostJobs)));
  std::vector<SlurmJob> jobs;
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (!(*list)[i].is_object())
      return tl::unexpected(
          source->error("/jobs/" + std::to_string(i), QStringLiteral("A job is not an object.")));
    jobs.push_back(jobOf((*list)[i]));
  }
  return jobs;
}

std::vector<SlurmJob> queueOf(const std::vector<SlurmJob>& jobs, const QString& partition) {
  std::vector<SlurmJob> queue;
  for (const SlurmJob& job : jobs) {
    // A job may ask for several partitions, "sim,long".
    if (job.waits() && (partition.isEmpty() || job.partition.split(u',').contains(partition)))
      queue.push_back(job);
  }
  std::sort(queue.begin(), queue.end(), [](const SlurmJob& a, const SlurmJob& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.id < b.id;
  });
  return queue;
}

QString ordinal(int number) {
  const int tens = number % 100;
  const int ones = number % 10;
  const char* const ending = tens >= 11 && tens <= 13 ? "th"
                             : ones == 1              ? "st"
                             : ones == 2              ? "nd"
                             : ones == 3              ? "rd"
                                                      : "th";
  return QString::number(number) + QLatin1String(ending);
}

QueuePlace placeOf(const SlurmJob& job, const std::vector<SlurmJob>& jobs, const QDateTime& now) {
  QueuePlace result;
  result.partition = job.partition;
  result.job = job.id;
  result.nodes = job.nodeCount;
  result.waits = job.waits();
  result.reason = job.reason;
  result.since = job.submitted;
  // An estimate that has passed says nothing.
  if (job.start > now) result.start = job.start;
  const auto queue = queueOf(jobs, job.partition);
  const auto place = std::find_if(queue.begin(), queue.end(),
                                  [&](const SlurmJob& each) { return each.id == job.id; });
  if (place != queue.end()) result.place = static_cast<int>(place - queue.begin()) + 1;
  return result;
}

QString waitText(const SlurmJob& job, const std::vector<SlurmJob>& jobs, const QDateTime& now) {
  const QueuePlace is = placeOf(job, jobs, now);
  QString text = is.place == 0 ? QStringLiteral("in the queue")
                               : QStringLiteral("%1 in the queue").arg(ordinal(is.place));
  if (is.start.isValid()) {
    const bool today = is.start.date() == now.date();
    text += QStringLiteral(", starts about ") +
            is.start.toString(today ? QStringLiteral("HH:mm") : QStringLiteral("yyyy-MM-dd HH:mm"));
  }
  if (!job.after.isEmpty() && !is.start.isValid()) {
    QStringList after;
    for (const qint64 each : job.after) after << QString::number(each);
    text += QStringLiteral(", after %1, no start planned").arg(after.join(QStringLiteral(", ")));
  }
  if (!is.reason.isEmpty()) text += QStringLiteral(" (%1)").arg(is.reason);
  return text;
}

QString neverStarts(const QString& reason) {
  const auto is = [&](const char* word) { return reason == QLatin1String(word); };
  if (is("PartitionNodeLimit") || is("PartitionConfig"))
    return QStringLiteral("the partition gives no job so many nodes or so much time");
  if (is("PartitionTimeLimit")) return QStringLiteral("the partition gives no job so much time");
  if (is("PartitionDown") || is("PartitionInactive"))
    return QStringLiteral("the partition takes jobs and starts none (%1)").arg(reason);
  if (is("BadConstraints")) return QStringLiteral("no node has what is asked for");
  if (is("AccountNotAllowed") || is("QOSNotAllowed") || is("InvalidAccount") || is("InvalidQOS"))
    return QStringLiteral("the account or the quality of service may not be used (%1)").arg(reason);
  if (is("JobHeldAdmin")) return QStringLiteral("an administrator holds the job");
  if (is("DependencyNeverSatisfied"))
    return QStringLiteral("a job that it depends on can never end as it should");
  return {};
}

QString stateText(const SlurmJob& job, const std::vector<SlurmJob>& jobs) {
  const QDateTime now = QDateTime::currentDateTime();
  if (job.waits()) {
    const QString never = neverStarts(job.reason);
    return waitText(job, jobs, now) + (never.isEmpty() ? QString{} : QStringLiteral("; ") + never);
  }
  if (!job.runs()) return job.state.toLower();
  QString text = QStringLiteral("runs on ") + job.nodes.join(QStringLiteral(", "));
  if (const double left = job.timeLeft(now); !std::isnan(left))
    text += QStringLiteral(", %1 left").arg(durationText(left));
  return text;
}

QString durationText(double seconds) {
  const auto whole = qint64(std::max(0.0, seconds));
  if (whole < 60) return QStringLiteral("%1 s").arg(whole);
  const auto minutes = whole / 60;
  if (minutes < 60) return QStringLiteral("%1 min").arg(minutes);
  const auto hours = minutes / 60;
  if (hours >= 48) return QStringLiteral("%1 d %2 h").arg(hours / 24).arg(hours % 24);
  return QStringLiteral("%1 h %2 min").arg(hours).arg(minutes % 60);
}

std::optional<Error> faultOfConfiguration(const Cluster& cluster) {
  if (!cluster.destination.isEmpty() || cluster.configuration.isEmpty() ||
      QFileInfo(cluster.configuration).isReadable())
    return std::nullopt;
  return Error{{},
               0,
               {},
               QStringLiteral("The configuration of %1, %2, cannot be read.")
                   .arg(cluster.name, cluster.configuration),
               QStringLiteral("Correct \"configuration\" in the hosts file, or name the login host "
                              "of the cluster as \"destination\".")};
}

namespace {

QString nextWithoutSlurm(const QString& program) {
  return QStringLiteral("%1 comes with Slurm; name the login host of a cluster where it is.")
      .arg(program);
}

}  // namespace

tl::expected<ProgramAnswer, Error> callSlurm(const Cluster& cluster, const QStringList& words,
                                             const std::stop_token& stop) {
  const QString& name = words.front();
  const auto failed = [](const QString& what, const QString& next) {
    return tl::unexpected(Error{{}, 0, {}, what, next});
  };
  if (const auto fault = faultOfConfiguration(cluster)) return tl::unexpected(*fault);
  if (const QString fault = faultOfDestination(cluster.destination); !fault.isEmpty())
    return failed(fault, {});
  QStringList command = slurmWords(cluster.loginHost(), cluster.configuration, words);
  const QString program = command.takeFirst();
  auto answer = askProgram(program, command, longestAnswerMs, mostAnswer, stop);
  if (!answer) return failed(answer.error().what, nextWithoutSlurm(name));
  if (!cluster.destination.isEmpty() && answer->exitCode == 255) {
    const auto loss = sshLoss(cluster.destination, answer->errors, answer->exitCode, false);
    return failed(
        QStringLiteral("The login host %1 cannot be asked: %2.").arg(loss.where, loss.why),
        loss.next);
  }
  return answer;
}

tl::expected<QByteArray, Error> askSlurm(const Cluster& cluster, const QStringList& words,
                                         const std::stop_token& stop) {
  const auto answer = callSlurm(cluster, words, stop);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->exitCode == 0) return answer->output;
  const QString where =
      cluster.destination.isEmpty() ? QString{} : QStringLiteral(" on ") + cluster.destination;
  const QString last = answer->lastError();
  return tl::unexpected(Error{
      {},
      0,
      {},
      QStringLiteral("%1%2 failed with exit code %3%4.")
          .arg(words.front(), where)
          .arg(answer->exitCode)
          .arg(last.isEmpty() ? QString{} : QStringLiteral(": ") + last),
      answer->exitCode == 127 ? nextWithoutSlurm(words.front())
                              : QStringLiteral("Check whether slurmctld answers: scontrol ping.")});
}

tl::expected<std::vector<SlurmJob>, Error> askQueue(const Cluster& cluster,
                                                    const std::stop_token& stop) {
  return askSlurm(cluster, {QStringLiteral("squeue"), QStringLiteral("--json")}, stop)
      .and_then(&jobsOfSqueue);
}

tl::expected<void, Error> cancelJob(const Cluster& cluster, qint64 job,
                                    const std::stop_token& stop) {
  const auto answer = askSlurm(cluster, {QStringLiteral("scancel"), QString::number(job)}, stop);
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

}  // namespace tutti::launcher
