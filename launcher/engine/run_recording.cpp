// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/run_recording.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QPointer>
#include <algorithm>
#include <utility>

#include "composer/model/json_source.h"
#include "launcher/engine/fetch_logs.h"
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

}  // namespace

tl::expected<void, QString> recordChanges(const QString& folder, std::vector<RunChange> changes) {
  auto record = RunRecord::read(QDir(folder).filePath(QLatin1String(recordFile)));
  if (!record) return tl::unexpected(record.error().message());
  record->changes = std::move(changes);
  const auto saved = record->save(folder);
  if (!saved) return tl::unexpected(saved.error().message());
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
    if (phase == Run::Phase::Starting) begin();
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
  changes_ = run_.changes();
  // Of a run that is taken over all is told anew before it is begun here; end() has that.
  if (!begun_.valid() || ending_.valid()) return;
  changing_ = std::async(std::launch::async, [begun = begun_, before = changing_, folder = folder_,
                                              changes = changes_] {
                if (before.valid()) before.wait();
                RunRecord record = begun.get().record;
                record.changes = changes;
                // Whether it can be written is said when the run ends.
                [[maybe_unused]] const auto saved = record.save(folder);
              }).share();
}

void RunRecording::close(const QString& outcome) {
  if (!begun_.valid() || ending_.valid()) return;
  if (changing_.valid()) changing_.wait();
  RunRecord record = begun_.get().record;
  record.changes = changes_;
  record.ended = QDateTime::currentDateTime();
  record.outcome = outcome;
  record.elapsed = static_cast<double>(record.started.msecsTo(record.ended)) / 1000;
  [[maybe_unused]] const auto saved = record.save(folder_);
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
  ending_ = std::async(std::launch::async, [plan = run_.plan(), outcome, begun = begun_,
                                            before = changing_, stop = stop_.get_token(),
                                            self = QPointer<RunRecording>(this)] {
              Written result = begun.get();
              if (before.valid()) before.wait();
              RunRecord& record = result.record;
              record.ended = outcome.ended;
              record.outcome = outcome.outcome;
              record.stopReason = outcome.stopReason;
              record.elapsed = outcome.elapsed;
              record.processes = outcome.processes;
              record.changes = outcome.changes;
              record.troubles = outcome.troubles;
              // All hosts at once: one that is lost takes its time.
              std::vector<std::future<FetchedLogs>> fetched;
              for (const auto& one : plan.hosts)
                fetched.push_back(std::async(std::launch::async, fetchLogs, one.host, one.folder,
                                             plan.folder, stop));
              for (std::size_t index = 0; index < fetched.size(); ++index) {
                const auto logs = fetched[index].get();
                for (auto& host : record.hosts) {
                  if (host.name != plan.hosts[index].host.name) continue;
                  host.logsFetched = logs.problem.isEmpty();
                  host.logProblem = logs.problem;
                }
              }
              const auto saved = record.save(plan.folder);
              if (!saved) result.problem = saved.error().message();
              QMetaObject::invokeMethod(
                  QCoreApplication::instance(),
                  [self, result = std::move(result)] {
                    if (!self) return;
                    self->record_ = result.record;
                    self->problem_ = result.problem;
                    self->over_ = true;
                    emit self->over();
                  },
                  Qt::QueuedConnection);
            }).share();
}

}  // namespace tutti::launcher
