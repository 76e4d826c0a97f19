// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/run_recording.h"

#include <sys/file.h>

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QPointer>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "composer/model/json_source.h"
#include "launcher/engine/host_check.h"
#include "launcher/engine/plan_folder.h"
#include "launcher/engine/run.h"

namespace tutti::launcher {

namespace {

/// The architecture that the federates of a plan are told; empty: none.
QString architectureOf(const LaunchPlan& plan) {
  for (const auto& one : plan.plan.processes) {
    const auto found = one.env.find("TUTTI_ARCHITECTURE");
    if (found != one.env.end()) return QString::fromStdString(found->second);
  }
  return {};
}

/// Both plans as they were before this run, so that they can be started again.
QString savePlans(const LaunchPlan& planned, const QString& folder) {
  auto files = filesOfPlan(planned.renewed(QLatin1String(runOfFiles)), architectureOf(planned));
  std::erase_if(files, [](const auto& file) {
    return file.first != QLatin1String(launchFile) && file.first != QLatin1String(connectionsFile);
  });
  const auto written = writePlanFolder(folder, files);
  return written ? QString() : written.error().message();
}

std::vector<RecordedHost> hostsOf(const LaunchPlan& plan) {
  std::vector<RecordedHost> hosts{recordedMachine()};
  hosts.front().folder = plan.folder;
  for (const auto& one : plan.hosts) {
    RecordedHost host;
    host.name = one.host.name;
    host.hostName = one.host.destination;
    host.folder = one.folder;
    if (plan.prepared) {
      for (const auto& report : plan.prepared->reports) {
        if (report.host == host.name) describe(host, report);
      }
    }
    hosts.push_back(std::move(host));
  }
  return hosts;
}

std::vector<RecordedProcess> processesOf(const Run& run) {
  std::vector<RecordedProcess> result;
  const auto add = [&](const ProcessStatus& one) {
    RecordedProcess process{one.id, one.host,    one.description(), {},
                            {},     one.attempt, one.startedAt,     one.endedAt};
    if (one.state == ProcessStatus::State::Exited) process.exitCode = one.exitCode;
    if (one.state == ProcessStatus::State::Signalled) process.signal = one.signal;
    result.push_back(std::move(process));
  };
  for (const auto& one : run.processes()) add(one);
  for (const auto& one : run.removed()) add(one);
  return result;
}

/// A plan that is not settled, with those that are in the run now.
LaunchPlan planWith(LaunchPlan plan, const Membership& members) {
  const auto& now = members.plan;
  const auto takeOut = [&](const QString& name) {
    const std::string key = name.toStdString();
    const auto* process = plan.process(name);
    const auto waits = process == nullptr ? std::vector<std::string>() : process->waitFor;
    std::erase_if(plan.federates, [&](const auto& one) { return one.name == name; });
    std::erase_if(plan.plan.processes, [&](const auto& one) { return one.id == key; });
    if (now.federate(name) != nullptr) return;
    for (auto& other : plan.plan.processes) other.replaceWait(key, waits);
  };
  for (const auto& one : std::vector(plan.federates)) {
    if (now.federate(one.name) == nullptr || members.additions.contains(one.name))
      takeOut(one.name);
  }
  for (const auto& one : now.federates) {
    const auto added = members.additions.find(one.name);
    if (added == members.additions.end()) continue;
    plan.federates.push_back(one);
    plan.plan.processes.push_back(added->second);
  }
  // A spare that was needed is one no more, and the host that was lost is the next.
  for (auto& host : plan.hosts) {
    const bool isUsed = std::any_of(plan.federates.begin(), plan.federates.end(),
                                    [&](const auto& one) { return one.host == host.host.name; });
    const bool wasLost =
        std::any_of(members.changes.begin(), members.changes.end(), [&](const auto& change) {
          return change.kind == RunChange::Kind::Restarted && change.from == host.host.name;
        });
    host.spare = !isUsed && (host.spare || wasLost);
  }
  return plan;
}

/// The record with all changes that were written, or what it was at first.
RunRecord asRecorded(const QString& folder, RunRecord atFirst) {
  auto now = RunRecord::read(QDir(folder).filePath(QLatin1String(recordFile)));
  return now ? std::move(*now) : std::move(atFirst);
}

/// A file that only processes have used which are in the run no more.
bool isOfGoneOnly(const RecordedFile& file, const LaunchPlan& now) {
  return !file.processes.isEmpty() &&
         std::none_of(file.processes.begin(), file.processes.end(),
                      [&](const QString& id) { return now.process(id) != nullptr; });
}

}  // namespace

Membership Membership::of(const Run& run) {
  return {run.plan(), run.plannedAdditions(), run.changes()};
}

tl::expected<void, QString> recordMembership(const Membership& members) {
  const LaunchPlan& now = members.plan;
  const QString file = QDir(now.folder).filePath(QLatin1String(recordFile));
  auto record = RunRecord::read(file);
  if (!record) return tl::unexpected(record.error().message());
  record->changes = members.changes;
  QString problem;
  if (auto kept = readPlanFolder(now.folder); !kept) {
    problem = kept.error().message();
  } else if (!now.federates.empty()) {
    LaunchPlan plan = planWith(kept->plan.renewed(now.run), members);
    plan.setArchitecture(kept->architecture);
    problem = savePlans(plan, now.folder);
    for (auto& seen : recordedFiles(plan)) {
      // What those have used that are in it no more was part of the run too.
      const auto known = std::find_if(record->files.begin(), record->files.end(),
                                      [&](const auto& one) { return one.path == seen.path; });
      if (known == record->files.end())
        record->files.push_back(std::move(seen));
      else
        known->processes = seen.processes;
    }
    std::erase_if(record->files, [&](const auto& one) { return isOfGoneOnly(one, now); });
    std::sort(record->files.begin(), record->files.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
  }
  const auto saved = record->save(now.folder);
  if (!saved) return tl::unexpected(saved.error().message());
  if (!problem.isEmpty()) return tl::unexpected(problem);
  return {};
}

void describe(RecordedHost& host, const HostReport& report) {
  host.processor = report.machine;
  host.cores = report.cores;
  host.memoryMb = report.memoryAvailableMb;
  host.clockAheadSeconds = report.clockAheadSeconds;
  host.clockUncertainSeconds = report.clockUncertainSeconds;
  if (!report.same) host.copies = report.folder;
}

RunRecording::RunRecording(Run& run, QObject* parent) : QObject(parent), run_(run) {
  connect(&run, &Run::phaseChanged, this, [this](Run::Phase phase) {
    // One that is taken over may be stopped before it is known how it is; it has its record.
    const bool takenOver =
        phase == Run::Phase::Stopping && !begun_.valid() &&
        QFile::exists(QDir(run_.plan().folder).filePath(QLatin1String(recordFile)));
    if (phase == Run::Phase::Starting || takenOver) begin();
  });
  connect(&run, &Run::federateAdded, this, &RunRecording::noteChanges);
  connect(&run, &Run::federateRemoved, this, &RunRecording::noteChanges);
  connect(&run, &Run::finished, this, &RunRecording::end);
}

RunRecording::~RunRecording() {
  cancel();
  if (begun_.valid()) begun_.wait();
  if (changing_.valid()) changing_.wait();
  if (ending_.valid()) ending_.wait();
}

void RunRecording::begin() {
  RunRecord record;
  record.run = run_.plan().run;
  record.federation = run_.plan().federation;
  record.composition = run_.plan().composition;
  record.rerunOf = rerunOf_;
  folder_ = run_.plan().folder;
  held_.setFileName(run_.plan().planFile());
  if (held_.open(QIODevice::ReadOnly)) ::flock(held_.handle(), LOCK_SH | LOCK_NB);
  record.version = QCoreApplication::applicationVersion();
  record.started = QDateTime::currentDateTime();
  begun_ =
      std::async(std::launch::async, [plan = run_.plan(), record]() mutable {
        Written result{std::move(record), {}};
        // One that was kept, and is taken over, has its record.
        if (auto kept = RunRecord::read(QDir(plan.folder).filePath(QLatin1String(recordFile)))) {
          result.record = std::move(*kept);
          return result;
        }
        const LaunchPlan& planned = plan.prepared ? plan.prepared->asPlanned : plan;
        result.problem = savePlans(planned, plan.folder);
        result.record.files = recordedFiles(planned);
        result.record.hosts = hostsOf(plan);
        const auto saved = result.record.save(plan.folder);
        if (!saved) result.problem = saved.error().message();
        return result;
      }).share();
}

void RunRecording::noteChanges() {
  // Of a run that is taken over all is told anew before it is begun here; end() has that.
  if (!begun_.valid() || ending_.valid()) return;
  changing_ = std::async(std::launch::async, [begun = begun_, before = changing_,
                                              members = Membership::of(run_)] {
                begun.wait();
                if (before.valid()) before.wait();
                // Whether it can be written is said when the run ends.
                [[maybe_unused]] const auto recorded = recordMembership(members);
              }).share();
}

void RunRecording::close(const QString& outcome) {
  if (!begun_.valid() || ending_.valid()) return;
  if (changing_.valid()) changing_.wait();
  RunRecord record = asRecorded(folder_, begun_.get().record);
  record.ended = QDateTime::currentDateTime();
  record.outcome = outcome;
  record.elapsed = static_cast<double>(record.started.msecsTo(record.ended)) / 1000;
  [[maybe_unused]] const auto saved = record.save(folder_);
  held_.close();
}

void RunRecording::cancel() {
  stop_.request_stop();
  endJobs();
}

void RunRecording::endJobs() {
  for (const auto& one : jobs_) one->end();
}

void RunRecording::end() {
  if (!begun_.valid()) {  // nothing was started
    over_ = true;
    emit over();
    return;
  }
  RunRecord outcome;
  outcome.ended = QDateTime::currentDateTime();
  outcome.outcome = run_.outcomeWord();
  outcome.stopReason = run_.stopReason();
  outcome.elapsed = run_.elapsed();
  outcome.processes = processesOf(run_);
  outcome.changes = run_.changes();
  for (const auto& trouble : run_.troubles()) outcome.troubles << trouble.message();
  // Logs of nodes are fetched by steps of their jobs, which are held no longer than that may take.
  jobs_ = run_.takeAllocations();
  QTimer::singleShot(limitsAtTheEnd.longestMs, this, &RunRecording::endJobs);
  ending_ =
      std::async(std::launch::async, [plan = run_.plan(), members = Membership::of(run_), outcome,
                                      begun = begun_, before = changing_, stop = stop_.get_token(),
                                      progress = progress_, self = QPointer<RunRecording>(this),
                                      jobs = jobs_, unreachable = run_.unreachableHosts()] {
        Written result = begun.get();
        if (before.valid()) before.wait();
        if (!members.changes.empty()) {
          if (const auto recorded = recordMembership(members); !recorded)
            result.problem = recorded.error();
        }
        result.record = asRecorded(plan.folder, std::move(result.record));
        RunRecord& record = result.record;
        record.ended = outcome.ended;
        record.outcome = outcome.outcome;
        record.stopReason = outcome.stopReason;
        record.elapsed = outcome.elapsed;
        record.processes = outcome.processes;
        record.changes = outcome.changes;
        record.troubles = outcome.troubles;
        // How it ended is kept, whatever becomes of fetching.
        for (auto& host : record.hosts) {
          if (host.name.isEmpty()) continue;
          const QString why = unreachable.value(host.name);
          host.logProblem =
              QStringLiteral("The logs of %1 were not fetched%2. They are in %1:%3.")
                  .arg(host.name, why.isEmpty() ? why : QStringLiteral(": ") + why, host.folder);
        }
        auto saved = record.save(plan.folder);
        const auto fetched =
            fetchRunLogs(record, plan, limitsAtTheEnd, stop, progress.get(), unreachable.keys());
        for (const auto& one : jobs) one->end();
        if (fetched == FetchedLogs::Tried) saved = record.save(plan.folder);
        if (!saved)
          result.problem = saved.error().message();
        else if (fetched == FetchedLogs::Busy && result.problem.isEmpty())
          result.problem = QStringLiteral("The logs of other hosts were not fetched: %1.")
                               .arg(QLatin1String(busyWithLogs));
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, result = std::move(result)] {
              if (!self) return;
              self->record_ = result.record;
              self->problem_ = result.problem;
              self->held_.close();
              self->over_ = true;
              emit self->over();
            },
            Qt::QueuedConnection);
      }).share();
}

}  // namespace tutti::launcher
