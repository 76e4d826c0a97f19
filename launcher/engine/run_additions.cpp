// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/run_additions.h"

#include <QDir>
#include <algorithm>
#include <future>
#include <utility>

#include "composer/model/catalog.h"
#include "composer/model/composition.h"
#include "launcher/engine/host_check.h"
#include "launcher/engine/host_findings.h"
#include "launcher/engine/plan_folder.h"
#include "launcher/engine/plan_hosts.h"
#include "launcher/engine/port_use.h"

namespace tutti::launcher {

namespace {

using composer::Composition;
using composer::Error;
using Level = PreflightCheck::Level;

std::string bytes(const QString& text) { return text.toStdString(); }

/// Processes that a federate of the composition waits for: those of the boxes it names that are in
/// the run or come with it; any other box stands for those that it waits for itself.
std::vector<std::string> waitsOf(const LaunchPlan& run, const Composition& composition,
                                 const composer::Federate& federate, const QStringList& names) {
  std::vector<std::string> result;
  QStringList seen{federate.id};
  QStringList pending = federate.waitsFor;
  while (!pending.isEmpty()) {
    const QString id = pending.takeFirst();
    if (seen.contains(id)) continue;
    seen << id;
    const std::size_t before = result.size();
    for (const auto& one : run.federates) {
      if (one.federate == id) result.push_back(bytes(one.name));
    }
    const auto* other = composition.find(id);
    if (other == nullptr) continue;
    for (const QString& name : other->instanceNames()) {
      if (names.contains(name)) result.push_back(bytes(name));
    }
    if (result.size() == before) pending << other->waitsFor;
  }
  return result;
}

/// The architecture that the federates of a run were told; empty: none.
std::string architectureOf(const LaunchPlan& run) {
  for (const auto& one : run.plan.processes) {
    const auto found = one.env.find("TUTTI_ARCHITECTURE");
    if (found != one.env.end()) return found->second;
  }
  return {};
}

/// The host of a run that a federate is placed on, empty for this machine; the error says why it
/// can be on none.
tl::expected<QString, Error> hostIn(const LaunchPlan& run, const composer::Federate& federate,
                                    const LaunchPlan::Options& options) {
  if (federate.host.isEmpty() || run.host(federate.host) != nullptr) return federate.host;
  const QString file =
      options.hostsFile.isEmpty() ? hostsFileOf(options.compositionFile) : options.hostsFile;
  if (!file.isEmpty()) {
    const auto hosts = Deployment::read(file);
    if (!hosts) return tl::unexpected(hosts.error());
    const Host* described = hosts->host(federate.host);
    if (described != nullptr && described->isThisMachine()) return QString();
  }
  QStringList there{QStringLiteral("this machine")};
  for (const auto& one : run.hosts) there << one.host.name;
  return tl::unexpected(
      Error{options.compositionFile, 0, QStringLiteral("/federates/") + federate.id,
            QStringLiteral("%1 is placed on %2, which is no host of the run: it uses %3.")
                .arg(federate.name, federate.host, there.join(QStringLiteral(", "))),
            QStringLiteral("Place it on one of these, or start the run anew.")});
}

/// A plan with the additions of one host only, to be looked at and settled.
LaunchPlan partFor(const LaunchPlan& run, const std::vector<Addition>& additions,
                   const QString& host) {
  LaunchPlan part;
  part.run = run.run;
  part.federation = run.federation;
  part.node = run.node;
  part.folder = run.folder;
  part.fomModules = run.fomModules;
  part.plan.run = run.plan.run;
  if (const auto* known = run.host(host)) part.hosts.push_back(*known);
  for (const auto& one : additions) {
    if (one.federate.host != host) continue;
    part.federates.push_back(one.federate);
    part.plan.processes.push_back(one.process);
  }
  return part;
}

void takeBack(std::vector<Addition>& additions, const LaunchPlan& part) {
  for (auto& one : additions) {
    if (const auto* settled = part.process(one.federate.name)) one.process = *settled;
  }
}

/// Has a host get what it lacks, and puts its paths into the part's commands.
std::vector<PreflightCheck> prepareOn(LaunchPlan& part,
                                      const std::function<void(const QString&)>& progress,
                                      const std::stop_token& stop) {
  const PlannedHost host = part.hosts.front();
  const QString name = host.host.name;
  const auto files = HostFiles::of(part, name);
  if (!files) return {unreadFile(name, files.error())};
  QList<quint16> ports;
  for (const auto& [port, federates] : portsOf(part, name)) ports << port;
  HostReport report = askHost(host.host, *files, stop, 0, {}, ports);
  report.host = name;
  if (!report.reached) return {unreachedHost(report, host.host)};
  if (auto taken = portsOfHost(report, host.host, part); !mayRun(taken)) return taken;
  if (!report.toCopy.isEmpty()) {
    const QString amount = bytesText(static_cast<double>(report.bytesToCopy));
    if (progress)
      progress(
          QStringLiteral("%1 lacks files of %2, copied to %3").arg(name, amount, report.folder));
    auto copied = copyToHost(host.host, *files, report, stop);
    if (!copied) return {failedCopy(host.host, amount, copied.error())};
    report = std::move(*copied);
  }
  LaunchPlan::Site site;
  site.folder = host.folder;
  site.supervisor = host.supervisor;
  if (report.same) {
    site.there = [](const QString& word) { return word; };
  } else {
    QStringList libraries;
    for (const QString& library : files->libraries) libraries << report.folder + library;
    site.libraries = libraries.join(u':');
    site.there = [&](const QString& word) { return files->moved(word, report.folder); };
  }
  part.settle(name, site);
  return {};
}

}  // namespace

QStringList federatesNotIn(const LaunchPlan& run, const Composition& composition) {
  QStringList result;
  for (const auto* federate : composition.inStartOrder()) {
    if (!federate->enabled) continue;
    for (const QString& name : federate->instanceNames()) {
      if (run.federate(name) == nullptr) result << name;
    }
  }
  return result;
}

QStringList federatesNotIn(const LaunchPlan& run, const Composition& composition,
                           const QString& word) {
  QStringList result;
  for (const auto* federate : composition.inStartOrder()) {
    if (!federate->enabled) continue;
    const auto group = composition.groups.find(federate->group);
    const bool all = word.startsWith(u'@')
                         ? group != composition.groups.end() && group->second.name == word.mid(1)
                         : federate->id == word;
    for (const QString& name : federate->instanceNames()) {
      if ((all || name == word) && run.federate(name) == nullptr) result << name;
    }
  }
  return result;
}

tl::expected<std::vector<Addition>, std::vector<Error>> planAdditions(
    const LaunchPlan& run, const Composition& composition, const composer::Catalog& catalog,
    const LaunchPlan::Options& options, const QStringList& names) {
  std::vector<Error> errors;
  Composition wanted = composition;
  // As it was when the run began: a new name would be another federation.
  wanted.settings.federation = run.federation;
  std::map<QString, QString> hosts;  // by id of the box
  for (auto& [id, federate] : wanted.federates) {
    const auto instances = federate.instanceNames();
    federate.enabled =
        federate.enabled && std::any_of(instances.begin(), instances.end(),
                                        [&](const QString& name) { return names.contains(name); });
    federate.waitsFor.clear();
    if (!federate.enabled) continue;
    auto host = hostIn(run, federate, options);
    if (host)
      hosts[id] = *host;
    else
      errors.push_back(host.error());
    federate.host.clear();
  }
  if (!errors.empty()) return tl::unexpected(errors);
  LaunchPlan::Options there = options;
  there.run = run.run;
  auto plan = LaunchPlan::make(wanted, catalog, there);
  if (!plan) return tl::unexpected(plan.error());
  const std::string architecture = architectureOf(run);
  std::vector<Addition> result;
  for (auto& federate : plan->federates) {
    if (!names.contains(federate.name)) continue;
    PlannedProcess process = *plan->process(federate.name);
    federate.host = hosts.at(federate.federate);
    const auto* host = run.host(federate.host);
    const QString& node = host == nullptr ? run.nodeProcess : host->nodeProcess;
    process.env["TUTTI_RTI"] =
        bytes(host == nullptr ? run.designator() : QStringLiteral("shm:") + host->node);
    if (architecture.empty())
      process.env.erase("TUTTI_ARCHITECTURE");
    else
      process.env["TUTTI_ARCHITECTURE"] = architecture;
    process.logFile = bytes(logFileIn(run.folder, federate.name));
    process.waitFor.clear();
    if (!node.isEmpty()) process.waitFor.push_back(bytes(node));
    for (auto& one : waitsOf(run, composition, *composition.find(federate.federate), names))
      process.waitFor.push_back(std::move(one));
    result.push_back({federate, process, process});
  }
  return result;
}

tl::expected<Addition, QString> planMove(const LaunchPlan& run,
                                         const std::map<QString, PlannedProcess>& additions,
                                         const QString& federate, const QString& host) {
  const auto* planned = run.federate(federate);
  const auto* now = run.process(federate);
  if (planned == nullptr || now == nullptr)
    return tl::unexpected(QStringLiteral("The run %1 has no federate %2.").arg(run.run, federate));
  Addition result{*planned, *now};
  if (const auto added = additions.find(federate); added != additions.end()) {
    result.process = added->second;
  } else if (!planned->host.isEmpty()) {
    // What the run knows has the paths of that host.
    const auto kept = readPlanFolder(run.folder);
    if (!kept)
      return tl::unexpected(QStringLiteral("How %1 is started on another host is not known. %2")
                                .arg(federate, kept.error().message()));
    const LaunchPlan whole = kept->plan.renewed(run.run);
    const auto* before = whole.process(federate);
    if (before == nullptr)
      return tl::unexpected(QStringLiteral("How %1 is started on another host is not known: %2 "
                                           "does not have it.")
                                .arg(federate, run.folder));
    result.process = *before;
  }
  const auto nodeOf = [&](const QString& name) {
    const auto* place = run.host(name);
    return place == nullptr ? run.nodeProcess : place->nodeProcess;
  };
  const auto* there = run.host(host);
  auto& process = result.process;
  process.env["TUTTI_RTI"] =
      bytes(there == nullptr ? run.designator() : QStringLiteral("shm:") + there->node);
  if (const std::string architecture = architectureOf(run); !architecture.empty())
    process.env["TUTTI_ARCHITECTURE"] = architecture;
  else
    process.env.erase("TUTTI_ARCHITECTURE");
  process.logFile = bytes(logFileIn(run.folder, federate));
  // Whom it waits for may have left meanwhile.
  process.waitFor = now->waitFor;
  std::erase(process.waitFor, bytes(nodeOf(planned->host)));
  if (const QString node = nodeOf(host); !node.isEmpty())
    process.waitFor.insert(process.waitFor.begin(), bytes(node));
  result.federate.host = host;
  result.planned = process;
  return result;
}

tl::expected<Addition, QString> planOnSpare(const LaunchPlan& run,
                                            const std::map<QString, PlannedProcess>& additions,
                                            const QString& federate, const QString& spare) {
  auto result = planMove(run, additions, federate, spare);
  const auto* host = run.host(spare);
  if (!result || host == nullptr) return result;
  HostFiles files;
  files.roots = host->roots;
  LaunchPlan::Site site;
  site.folder = host->folder;
  site.supervisor = host->supervisor;
  site.libraries = host->libraries;
  site.there = [&](const QString& word) {
    return host->copies.isEmpty() ? word : files.moved(word, host->copies);
  };
  std::vector<Addition> additional{*result};
  LaunchPlan part = partFor(run, additional, spare);
  part.settle(spare, site);
  takeBack(additional, part);
  return additional.front();
}

PreparedAdditions prepareAdditions(const LaunchPlan& run, std::vector<Addition> additions,
                                   const std::function<void(const QString&)>& progress,
                                   const std::stop_token& stop) {
  PreparedAdditions result;
  QStringList hosts;
  for (const auto& one : additions) {
    if (!hosts.contains(one.federate.host)) hosts << one.federate.host;
  }
  for (const QString& host : hosts) {
    LaunchPlan part = partFor(run, additions, host);
    // Without its node, which is there already.
    auto checks = host.isEmpty() ? preflightOfPlan(part, MachineState::now())
                                 : prepareOn(part, progress, stop);
    std::move(checks.begin(), checks.end(), std::back_inserter(result.checks));
    takeBack(additions, part);
  }
  std::stable_sort(result.checks.begin(), result.checks.end(),
                   [](const auto& a, const auto& b) { return a.level > b.level; });
  if (mayRun(result.checks)) result.additions = std::move(additions);
  return result;
}

}  // namespace tutti::launcher
