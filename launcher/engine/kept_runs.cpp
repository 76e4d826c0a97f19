// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/kept_runs.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include "launcher/engine/run_record.h"
#include "launcher/engine/supervisor/keep.h"
#include "launcher/engine/supervisor/run_socket.h"

namespace tutti::launcher {

namespace {

/// What a supervisor says first; empty when it does not in time.
QJsonObject greetingOf(const std::string& run) {
  const auto socket = connectTo(runSocketName(run));
  if (!socket) return {};
  static constexpr char attach[] = "{\"do\":\"attach\",\"output\":false}\n";
  if (::write(socket->get(), attach, sizeof attach - 1) != sizeof attach - 1) return {};
  QByteArray received;
  QElapsedTimer clock;
  clock.start();
  constexpr int longestMs = 1000;
  while (!received.contains('\n') && clock.elapsed() < longestMs) {
    pollfd readable{socket->get(), POLLIN, 0};
    if (::poll(&readable, 1, 100) <= 0) continue;
    char buffer[4096];
    const auto got = ::read(socket->get(), buffer, sizeof buffer);
    if (got <= 0) break;
    received.append(buffer, got);
  }
  return QJsonDocument::fromJson(received.left(received.indexOf('\n'))).object();
}

/// Names of those that are in a run now, as its record says.
QStringList membersOf(const LaunchPlan& plan) {
  QStringList names;
  for (const auto& one : plan.federates) names << one.name;
  const auto record = RunRecord::read(QDir(plan.folder).filePath(QLatin1String(recordFile)));
  if (!record) return names;
  for (const auto& change : record->changes) {
    if (change.kind == RunChange::Kind::Paced) continue;
    names.removeAll(change.federate);
    if (change.kind != RunChange::Kind::Removed) names << change.federate;
  }
  return names;
}

}  // namespace

std::vector<GoingRun> goingRuns(const QString& folder) {
  std::vector<GoingRun> result;
  for (const std::string& name : runsHere()) {
    const QJsonObject greeting = greetingOf(name);
    if (greeting["event"].toString() != QStringLiteral("hello")) continue;
    GoingRun run;
    run.plan.run = QString::fromStdString(name);
    const QString file = QDir(folder).filePath(run.plan.run + QStringLiteral("/plan.json"));
    // Nobody else's plan says what is executed on other hosts.
    if (QFileInfo(file).ownerId() == ::getuid()) {
      if (auto plan = LaunchPlan::load(file); plan && plan->run == run.plan.run)
        run.plan = std::move(*plan);
    }
    run.federates = membersOf(run.plan).size();
    run.attended = greeting["attended"].toBool();
    run.kept = greeting["kept"].toBool();
    result.push_back(std::move(run));
  }
  return result;
}

tl::expected<LaunchPlan, QString> findGoingRun(const QString& wanted, const QString& folder) {
  std::vector<GoingRun> all = goingRuns(folder);
  QStringList names;
  std::vector<const GoingRun*> meant;
  for (const auto& run : all) {
    names << (run.plan.federation.isEmpty()
                  ? run.plan.run
                  : QStringLiteral("%1 (%2)").arg(run.plan.run, run.plan.federation));
    if (run.plan.run.startsWith(wanted) || run.plan.federation == wanted) meant.push_back(&run);
  }
  if (all.empty())
    return tl::unexpected(
        QStringLiteral("No run is active on this machine. Start one with tutti run, or in the "
                       "window."));
  if (meant.empty())
    return tl::unexpected(QStringLiteral("There is no run \"%1\" here; there are %2.")
                              .arg(wanted, names.join(QStringLiteral(", "))));
  if (meant.size() > 1)
    return tl::unexpected(QStringLiteral("Several runs are meant: %1. Name one by its identifier.")
                              .arg(names.join(QStringLiteral(", "))));
  const LaunchPlan& plan = meant.front()->plan;
  if (plan.plan.processes.empty())
    return tl::unexpected(
        QStringLiteral("The launch plan of the run %1 is not in %2. Set XDG_STATE_HOME as where "
                       "the run was started.")
            .arg(plan.run, folder));
  return plan;
}

tl::expected<QStringList, QString> processesNamed(const LaunchPlan& plan,
                                                  const QStringList& words) {
  QStringList result;
  const auto add = [&](const QString& id) {
    if (!result.contains(id)) result << id;
  };
  for (const QString& word : words) {
    const qsizetype before = result.size();
    bool known = false;
    for (const auto& one : plan.federates) {
      const bool isMeant = word.startsWith(u'@') ? one.group == word.mid(1) && !one.group.isEmpty()
                                                 : one.name == word || one.federate == word;
      known |= isMeant;
      if (isMeant) add(one.name);
    }
    if (known || result.size() > before) continue;
    QStringList there;
    for (const auto& one : plan.federates) {
      there << one.name;
      const QString group = u'@' + one.group;
      if (!one.group.isEmpty() && !there.contains(group)) there.prepend(group);
    }
    return tl::unexpected(QStringLiteral("The run %1 has no federate or group \"%2\"; it has %3.")
                              .arg(plan.run, word, there.join(QStringLiteral(", "))));
  }
  if (words.isEmpty()) {
    for (const auto& one : plan.federates) add(one.name);
  }
  return result;
}

std::vector<KeptRun> keptRuns(const QString& folder) {
  std::vector<KeptRun> result;
  const QDir runs(folder);
  for (const QString& name :
       runs.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name | QDir::Reversed)) {
    const QDir run(runs.filePath(name));
    const QString mark = run.filePath(QString::fromLatin1(keptMark));
    const int fd = ::open(QFile::encodeName(mark), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) continue;
    const bool held = ::flock(fd, LOCK_SH | LOCK_NB) != 0;
    ::close(fd);
    if (!held) {
      QFile::remove(mark);
      continue;
    }
    if (auto plan = LaunchPlan::load(run.filePath(QStringLiteral("plan.json"))))
      result.push_back({std::move(*plan), QFileInfo(mark).lastModified()});
  }
  return result;
}

}  // namespace tutti::launcher
