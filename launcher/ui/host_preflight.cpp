// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/host_preflight.h"

#include <QCoreApplication>
#include <QPointer>
#include <algorithm>
#include <cmath>
#include <utility>

#include "composer/model/command_line.h"
#include "launcher/engine/host_files.h"
#include "launcher/engine/port_use.h"
#include "launcher/ui/host_watch.h"
#include "resources/theme/format.h"

namespace tutti::launcher {

using Level = PreflightCheck::Level;

namespace {

constexpr int afterEditMs = 700;
constexpr int atOnce = 16;
constexpr std::size_t namesShown = 6;
constexpr qsizetype mostAlike = 3;  ///< more warnings of one kind are one

QString sizeText(qint64 bytes) { return theme::formatBytes(static_cast<double>(bytes)); }

/// What the hosts of a plan need, as one text: another text, and they are to be asked again.
QString needsOf(const LaunchPlan& plan) {
  QStringList lines;
  for (const PlannedHost& one : plan.hosts) {
    QStringList parts{one.host.name,
                      one.host.destination,
                      one.host.identityFile,
                      one.host.knownHostsFile,
                      QString::number(one.host.port),
                      QString::number(one.memoryMb),
                      QString::number(one.cores)};
    QStringList components;
    for (const PlannedFederate& federate : plan.federates) {
      if (federate.host == one.host.name)
        components << federate.component + u' ' + federate.version;
    }
    components.removeDuplicates();
    components.sort();
    for (const auto& [port, federates] : portsOf(plan, one.host.name))
      components << QString::number(port) + u' ' + federates.join(u' ');
    lines << (parts + components).join(u'\x1f');
  }
  if (lines.isEmpty()) return {};
  lines.sort();
  return (lines + plan.fomModules).join(u'\n');
}

/// "atlas 0.4 s, borea 0.5 s"; of many the number and the worst.
template <typename Text>
QString each(const std::vector<const HostReport*>& reports, const HostReport* worst, Text text) {
  QStringList parts;
  if (reports.size() <= namesShown) {
    for (const HostReport* one : reports) parts << one->host + u' ' + text(*one);
    return parts.join(QStringLiteral(", "));
  }
  return HostPreflight::tr("%1 hosts, worst %2 %3")
      .arg(reports.size())
      .arg(worst->host, text(*worst));
}

template <typename Less>
const HostReport* worstOf(const std::vector<const HostReport*>& reports, Less less) {
  return *std::max_element(reports.begin(), reports.end(),
                           [&](const auto* a, const auto* b) { return less(*a, *b); });
}

/// Whether it says what a host lacks and can be copied there.
bool isOfCopies(const PreflightCheck& check) {
  static const QStringList kinds{QStringLiteral("programs"), QStringLiteral("modules"),
                                 QStringLiteral("files"), QStringLiteral("libraries")};
  return kinds.contains(check.id.section(u'-', 0, 0));
}

/// What a person can do about what a host lacks; `isOnlyKind`: it lacks nothing of another kind.
void addFixes(PreflightCheck& check, const HostReport& report, const HostWatch& watch,
              bool isOnlyKind) {
  const QString& host = report.host;
  const PreflightFix elsewhere{
      HostPreflight::tr("Place elsewhere"), {}, {}, QStringLiteral("elsewhere ") + host};
  const PreflightFix settings{
      HostPreflight::tr("Open its settings"), {}, {}, QStringLiteral("settings ") + host};
  const PreflightFix again{HostPreflight::tr("Ask again"), {}, {}, QStringLiteral("ask ") + host};
  const QString kind = check.id.section(u'-', 0, 0);
  if (isOfCopies(check) && !report.toCopy.isEmpty()) {
    const QString size = sizeText(report.bytesToCopy);
    check.fixes = {{isOnlyKind ? HostPreflight::tr("Copy it now, %1").arg(size)
                               : HostPreflight::tr("Copy all that %1 lacks, %2").arg(host, size),
                    {},
                    {},
                    QStringLiteral("copy ") + host},
                   elsewhere};
  } else if (kind == QStringLiteral("host")) {
    const HostView* view = watch.find(host);
    check.fixes = {again, elsewhere, settings};
    if (view != nullptr)
      check.fixes.push_back(
          {HostPreflight::tr("Copy the ssh command"),
           {},
           QStringLiteral("ssh ") +
               (view->host.port > 0 ? QStringLiteral("-p %1 ").arg(view->host.port) : QString()) +
               composer::shellQuoted(view->host.destination)});
  } else if (kind == QStringLiteral("files") || kind == QStringLiteral("home") ||
             kind == QStringLiteral("ports")) {
    check.fixes.insert(check.fixes.begin(), {again, elsewhere});
  } else if (kind == QStringLiteral("disk") || kind == QStringLiteral("memory")) {
    // Behind the button: the command that shows what takes it there.
    std::erase_if(check.fixes, [](const PreflightFix& fix) { return fix.command.isEmpty(); });
    for (PreflightFix& fix : check.fixes)
      fix.label = HostPreflight::tr("Copy the command that shows what takes it");
    check.fixes.insert(check.fixes.begin(), elsewhere);
  } else if (kind == QStringLiteral("machine") || kind == QStringLiteral("cores")) {
    check.fixes = {elsewhere};
  } else if (kind == QStringLiteral("clock")) {
    check.fixes = {{HostPreflight::tr("Copy the command that sets it"),
                    {},
                    QStringLiteral("ssh %1 sudo timedatectl set-ntp true").arg(host)}};
  }
}

/// Adds a fix to those of a folded check: what a button does for one host it does for all, and
/// commands are copied together.
void addFolded(std::vector<PreflightFix>& all, const PreflightFix& fix, const QString& host) {
  const auto word = [](const PreflightFix& one) { return one.action.section(u' ', 0, 0); };
  const auto same = std::find_if(all.begin(), all.end(), [&](const PreflightFix& one) {
    if (!fix.action.isEmpty()) return word(one) == word(fix);
    return fix.command.isEmpty() ? one == fix
                                 : !one.command.isEmpty() && one.label.startsWith(fix.label);
  });
  if (same == all.end()) {
    all.push_back(fix);
    // The size that the button names is that of one host.
    if (word(fix) == QStringLiteral("copy")) {
      all.back().label = HostPreflight::tr("Copy to all of them now");
      all.back().action = QStringLiteral("copy ");
    }
    if (word(fix) == QStringLiteral("settings"))
      all.back().label = HostPreflight::tr("Open the settings of %1").arg(host);
  } else if (!fix.command.isEmpty()) {
    same->command += u'\n' + fix.command;
    same->label = HostPreflight::tr("%1, of each").arg(fix.label);
  } else if (word(fix) == QStringLiteral("elsewhere")) {
    same->action += u' ' + host;
  }
}

}  // namespace

std::vector<PreflightCheck> folded(const std::vector<PreflightCheck>& checks) {
  std::map<QString, QStringList> hosts;
  std::map<QString, std::vector<PreflightFix>> fixes;
  const auto kind = [](const PreflightCheck& check) { return check.id.section(u'-', 0, 0); };
  for (const PreflightCheck& check : checks) {
    if (check.level != Level::Warning || !runThatHolds(check).isEmpty()) continue;
    hosts[kind(check)] << check.where;
    auto& all = fixes[kind(check)];
    for (const PreflightFix& fix : check.fixes) addFolded(all, fix, check.where);
  }
  std::vector<PreflightCheck> result;
  std::map<QString, bool> said;
  for (const PreflightCheck& check : checks) {
    const QStringList& names = hosts[kind(check)];
    if (check.level != Level::Warning || !runThatHolds(check).isEmpty() ||
        names.size() <= mostAlike) {
      result.push_back(check);
    } else if (!std::exchange(said[kind(check)], true)) {
      PreflightCheck one = check;
      one.id = kind(check) + QStringLiteral("-hosts");
      one.title = HostPreflight::tr("%1, and likewise %2 more hosts")
                      .arg(check.title)
                      .arg(names.size() - 1);
      one.detail = check.detail + u'\n' + names.join(QStringLiteral(", "));
      one.where.clear();
      one.federates.clear();
      one.fixes = fixes[kind(check)];
      result.push_back(std::move(one));
    }
  }
  return result;
}

std::vector<PreflightCheck> passedOf(const std::vector<HostReport>& all) {
  std::vector<const HostReport*> reached;
  for (const HostReport& one : all) {
    if (one.reached) reached.push_back(&one);
  }
  std::vector<PreflightCheck> result;
  if (reached.empty()) return result;
  const auto add = [&](const char* id, const QString& title, const QString& detail) {
    result.push_back({QLatin1String(id), Level::Passed, title, detail, {}, {}, {}});
  };
  const bool complete = reached.size() == all.size();
  const auto* slowest =
      worstOf(reached, [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  if (complete) {
    add("hosts", HostPreflight::tr("Hosts reachable"),
        each(reached, slowest,
             [](const HostReport& one) { return theme::formatDuration(one.seconds); }));
    add("keys", HostPreflight::tr("Keys accepted"),
        HostPreflight::tr("They accept a key of yours, and their host keys are the known ones"));
  }
  if (complete && std::all_of(reached.begin(), reached.end(),
                              [](const auto* one) { return one->toCopy.isEmpty(); })) {
    const auto copies =
        std::count_if(reached.begin(), reached.end(), [](const auto* one) { return !one->same; });
    add("files", HostPreflight::tr("Files present on all hosts"),
        copies == 0
            ? HostPreflight::tr("The same programs, components and object models, by check sum")
            : HostPreflight::tr("By check sum; on %1 as copies")
                  .arg(theme::formatNoun(copies, HostPreflight::tr("host"),
                                         HostPreflight::tr("hosts"))));
  }
  if (std::none_of(reached.begin(), reached.end(),
                   [](const auto* one) { return one->isClockOff(); })) {
    const auto least = [](const HostReport& one) {
      return std::max(0.0, std::abs(one.clockAheadSeconds) - one.clockUncertainSeconds);
    };
    const auto* worst =
        worstOf(reached, [&](const auto& a, const auto& b) { return least(a) < least(b); });
    add("clocks", HostPreflight::tr("Clocks agree"),
        HostPreflight::tr("Within %1, as far as the answers tell")
            .arg(theme::formatDuration(std::abs(worst->clockAheadSeconds) +
                                       worst->clockUncertainSeconds)));
  }
  const auto* fullest =
      worstOf(reached, [](const auto& a, const auto& b) { return a.diskFreeMb > b.diskFreeMb; });
  if (fullest->diskFreeMb >= 100)
    add("room", HostPreflight::tr("Disk space"),
        HostPreflight::tr("At least %1 free, on %2")
            .arg(theme::formatBytes(fullest->diskFreeMb * 1e6), fullest->host));
  return result;
}

HostPreflight::HostPreflight(HostWatch* watch, QObject* parent) : QObject(parent), watch_(watch) {
  threads_.setMaxThreadCount(atOnce);
  later_.setSingleShot(true);
  later_.setInterval(afterEditMs);
  connect(&later_, &QTimer::timeout, this, &HostPreflight::ask);
}

HostPreflight::~HostPreflight() {
  stop_.request_stop();
  threads_.waitForDone();
}

QStringList HostPreflight::hostsNamed() const {
  QStringList names;
  if (!plan_) return names;
  for (const PlannedHost& one : plan_->hosts) names << one.host.name;
  return names;
}

void HostPreflight::setPlan(const std::optional<LaunchPlan>& plan) {
  plan_ = plan;
  const QString needs = plan ? needsOf(*plan) : QString();
  if (needs == needs_) return;
  needs_ = needs;
  // What a host answered before may be wrong now, and is shown until it has answered again; a host
  // that is no longer used has nothing to say.
  const QStringList names = hostsNamed();
  std::erase_if(reports_, [&](const auto& entry) { return !names.contains(entry.first); });
  const auto before = checks_.size();
  std::erase_if(checks_, [&](const PreflightCheck& check) {
    return needs_.isEmpty() || (!check.where.isEmpty() && !names.contains(check.where));
  });
  if (needs_.isEmpty()) {
    later_.stop();
    known_.clear();
  } else if (active_) {
    later_.start();
  }
  if (checks_.size() != before) Q_EMIT changed();
}

void HostPreflight::setActive(bool active) {
  active_ = active;
  if (!active)
    later_.stop();
  else if (!needs_.isEmpty() && !asking_ && needs_ != known_)
    later_.start();
}

void HostPreflight::askAgain() {
  known_.clear();
  later_.stop();
  if (asking_)
    again_ = true;
  else
    ask();
}

void HostPreflight::ask() {
  if (!plan_ || needs_.isEmpty() || copying_ > 0) return;
  if (asking_) {
    later_.start();
    return;
  }
  asking_ = true;
  asked_ = needs_;
  Q_EMIT changed();
  threads_.start([plan = *plan_, stop = stop_.get_token(),
                  self = QPointer<HostPreflight>(this)]() mutable {
    // A node of a Slurm job is known when the job starts, which the run waits for.
    std::erase_if(plan.hosts, [](const PlannedHost& one) { return one.host.jobNode.has_value(); });
    const HostPreparation preparation = prepareHosts(plan, false, {}, stop);
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, stop, preparation] {
          if (self && !stop.stop_requested()) self->answered(preparation);
        },
        Qt::QueuedConnection);
  });
}

void HostPreflight::answered(const HostPreparation& preparation) {
  asking_ = false;
  known_ = std::exchange(again_, false) ? QString() : asked_;
  reports_.clear();
  checks_.clear();
  for (const HostReport& one : preparation.reports) {
    reports_[one.host] = one;
    watch_->take(one);
  }
  std::map<QString, int> kindsLacking;
  for (const PreflightCheck& check : preparation.checks)
    kindsLacking[check.id.section(u'-', 1)] += isOfCopies(check) ? 1 : 0;
  for (PreflightCheck check : preparation.checks) {
    if (check.level == Level::Passed) continue;
    const QString host = check.id.section(u'-', 1);
    const auto report = reports_.find(host);
    if (report != reports_.end()) addFixes(check, report->second, *watch_, kindsLacking[host] == 1);
    if (plan_ && check.level == Level::Error && check.federates.isEmpty()) {
      for (const PlannedFederate& federate : plan_->federates) {
        if (federate.host == host && !check.federates.contains(federate.federate))
          check.federates << federate.federate;
      }
    }
    checks_.push_back(std::move(check));
  }
  checks_ = folded(checks_);
  for (PreflightCheck& check : passedOf(preparation.reports)) checks_.push_back(std::move(check));
  if (known_ != needs_ && active_) later_.start();
  Q_EMIT changed();
}

void HostPreflight::copy(const QString& host) {
  if (!plan_) return;
  for (const PlannedHost& planned : plan_->hosts) {
    const auto report = reports_.find(planned.host.name);
    if (!host.isEmpty() && planned.host.name != host) continue;
    if (report == reports_.end() || report->second.toCopy.isEmpty()) continue;
    ++copying_;
    progress_ << tr("Copying %1 (%2) to %3")
                     .arg(theme::formatNoun(report->second.toCopy.size(), tr("file"), tr("files")),
                          sizeText(report->second.bytesToCopy), planned.host.name);
    threads_.start([plan = *plan_, to = planned.host, known = report->second,
                    stop = stop_.get_token(), self = QPointer<HostPreflight>(this)] {
      tl::expected<HostReport, Agent::Loss> result;
      if (const auto files = HostFiles::of(plan, to.name))
        result = copyToHost(to, *files, known, stop);
      else
        result =
            tl::unexpected(Agent::Loss{files.error().file, files.error().what, files.error().next});
      QMetaObject::invokeMethod(
          QCoreApplication::instance(),
          [self, stop, result, name = to.name] {
            if (self && !stop.stop_requested()) self->copied(name, result);
          },
          Qt::QueuedConnection);
    });
  }
  Q_EMIT changed();
}

void HostPreflight::copied(const QString& host,
                           const tl::expected<HostReport, Agent::Loss>& result) {
  --copying_;
  if (result)
    Q_EMIT done(tr("Copied what %1 lacked").arg(host));
  else
    Q_EMIT failed(tr("Nothing more was copied to %1").arg(host),
                  result.error().why + QStringLiteral(". ") + result.error().next);
  if (copying_ > 0) return;
  progress_.clear();
  known_.clear();
  Q_EMIT changed();
  ask();
}

void HostPreflight::cancel() {
  stop_.request_stop();
  stop_ = std::stop_source();
  asking_ = again_ = false;
  copying_ = 0;
  progress_.clear();
  Q_EMIT changed();
}

}  // namespace tutti::launcher
