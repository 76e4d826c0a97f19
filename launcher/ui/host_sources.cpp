// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/host_sources.h"

#include <unistd.h>

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <QThreadPool>
#include <algorithm>

#include "composer/model/catalog.h"
#include "launcher/engine/hosts_import.h"
#include "launcher/engine/launch_plan.h"
#include "resources/theme/format.h"

namespace tutti::launcher {

namespace {

QString counted(std::size_t number) {
  return theme::formatNoun(static_cast<qint64>(number), HostSources::tr("host"),
                           HostSources::tr("hosts"));
}

QString nameOf(const QString& file) { return QFileInfo(file).fileName(); }

}  // namespace

HostSources::HostSources(HostWatch* watch, QObject* parent) : QObject(parent), watch_(watch) {}

HostSources::~HostSources() {
  if (!process_) return;
  process_->disconnect(this);
  // Half a lab is taken away by the next one that is made.
  process_->kill();
  process_->waitForFinished(1000);
}

void HostSources::begin(const QString& what) {
  ++job_;
  busyWith_ = what;
  Q_EMIT busyChanged();
}

void HostSources::end() {
  busyWith_.clear();
  Q_EMIT busyChanged();
}

void HostSources::cancel() {
  if (busyWith_.isEmpty()) return;
  ++job_;
  if (process_) process_->kill();
  end();
}

QString HostSources::target() const {
  if (!watch_->file().isEmpty()) return watch_->file();
  return newFile_ ? newFile_() : QString();
}

void HostSources::importSsh(const QString& config) {
  if (!busyWith_.isEmpty()) return;
  const QString file = target();
  if (file.isEmpty()) return;
  begin(tr("Reading %1").arg(config.isEmpty() ? QStringLiteral("~/.ssh/config") : config));
  QThreadPool::globalInstance()->start([config, file, job = job_, self = QPointer(this)] {
    auto found = hostsOfSshConfig(config);
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, job, file, found = std::move(found)] {
          if (!self || self->job_ != job) return;
          self->end();
          if (!found) {
            Q_EMIT self->failed(tr("No hosts were imported"), found.error().message());
            return;
          }
          if (found->hosts.empty()) {
            Q_EMIT self->failed(
                tr("No hosts were imported"),
                tr("The ssh configuration names none: a Host line with a name and without "
                   "wildcards. Add one there, or add a host by hand. %1")
                    .arg(found->left.join(u' ')));
            return;
          }
          const auto changed = self->watch_->change(
              file, [&](Deployment& deployment) { merge(deployment, found->hosts, {}); });
          if (!changed) {
            Q_EMIT self->failed(tr("No hosts were imported"), changed.error().message());
            return;
          }
          Q_EMIT self->done(
              found->left.isEmpty()
                  ? tr("Imported %1 into %2").arg(counted(found->hosts.size()), nameOf(file))
                  : tr("Imported %1 into %2, left out %3")
                        .arg(counted(found->hosts.size()), nameOf(file))
                        .arg(found->left.size()));
          self->watch_->askAll();
        },
        Qt::QueuedConnection);
  });
}

void HostSources::importCluster(const QString& login) {
  if (!busyWith_.isEmpty()) return;
  const QString file = target();
  if (file.isEmpty()) return;
  begin(login.isEmpty() ? tr("Asking sinfo on this machine") : tr("Asking sinfo on %1").arg(login));
  QThreadPool::globalInstance()->start([login, file, job = job_, self = QPointer(this)] {
    auto found = askSinfo(login);
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, job, file, found = std::move(found)] {
          if (!self || self->job_ != job) return;
          self->end();
          const QString title = tr("No cluster was imported");
          if (!found) {
            Q_EMIT self->failed(title, found.error().message());
            return;
          }
          const auto changed = self->watch_->change(
              file, [&](Deployment& deployment) { merge(deployment, {}, {*found}); });
          if (!changed)
            Q_EMIT self->failed(title, changed.error().message());
          else
            Q_EMIT self->done(tr("Imported the cluster %1 into %2").arg(found->name, nameOf(file)));
        },
        Qt::QueuedConnection);
  });
}

QString HostSources::put(const Host& host, const QString& before) {
  if (const QString fault = faultOfName(host.name); !fault.isEmpty()) return fault;
  if (const QString fault = faultOfDestination(host.destination); !fault.isEmpty()) return fault;
  if (host.name != before && watch_->deployment().host(host.name) != nullptr)
    return tr("There is a host %1 already. Take another name.").arg(host.name);
  const QString file = target();
  if (file.isEmpty()) return tr("The host is not added: it needs a file to be in.");
  const auto changed = watch_->change(file, [&](Deployment& deployment) {
    Host added = host;
    const Host* old = deployment.host(before);
    const bool wasSpare = !before.isEmpty() && old != nullptr && old->spare;
    std::erase_if(deployment.hosts, [&](const Host& one) {
      if (one.name != before && one.name != host.name) return false;
      added.extra = one.extra;
      return true;
    });
    deployment.hosts.push_back(added);
    // A mark that nothing follows from would be no use, nor would it be without the last one.
    if (added.spare && !wasSpare) deployment.restartsOnSpare = true;
    if (!added.spare && wasSpare && !deployment.namesSpares()) deployment.restartsOnSpare = false;
  });
  if (!changed) return changed.error().message();
  watch_->ask(host.name);
  return {};
}

void HostSources::remove(const QString& host) {
  const auto changed = watch_->change(watch_->file(), [&](Deployment& deployment) {
    std::erase_if(deployment.hosts, [&](const Host& one) { return one.name == host; });
  });
  if (!changed) Q_EMIT failed(tr("%1 was not removed").arg(host), changed.error().message());
}

// ---- practice hosts ----------------------------------------------------------------------------

QString HostSources::labFile() {
  const QString file = qEnvironmentVariable("TUTTI_LAB_DIR", QStringLiteral("/run/tutti-lab")) +
                       QStringLiteral("/lab/lab.hosts.json");
  return QFileInfo::exists(file) ? file : QString();
}

QString HostSources::whyNoLab() {
  if (!programOfTutti(QStringLiteral("tutti-lab"), composer::Catalog::binaryFolders()))
    return tr("The program tutti-lab is not there. Build it, or name its folder in TUTTI_BIN.");
  if (::geteuid() != 0 && elevation().isEmpty())
    return tr(
        "Network namespaces can be made by root only. Type in a terminal: "
        "sudo tutti lab up 4. Then open its hosts file here.");
  return {};
}

bool HostSources::hasSlurm() {
  // Debian has some of them where only root looks.
  QStringList folders =
      qEnvironmentVariable("PATH").split(QDir::listSeparator(), Qt::SkipEmptyParts);
  folders << QStringLiteral("/usr/sbin") << QStringLiteral("/sbin");
  const QStringList programs{QStringLiteral("munged"), QStringLiteral("mungekey"),
                             QStringLiteral("slurmctld"), QStringLiteral("slurmd"),
                             QStringLiteral("srun")};
  return std::all_of(programs.begin(), programs.end(), [&](const QString& program) {
    return !QStandardPaths::findExecutable(program, folders).isEmpty();
  });
}

QString HostSources::elevation() {
  return ::geteuid() == 0 ? QString() : QStandardPaths::findExecutable(QStringLiteral("pkexec"));
}

HostSources::Command HostSources::labCommand(const QString& lab, const QStringList& arguments,
                                             const QString& pkexec, const QString& folder) {
  if (pkexec.isEmpty()) return {lab, arguments};
  QStringList all;
  if (!folder.isEmpty())
    all << QStringLiteral("/usr/bin/env") << QStringLiteral("TUTTI_LAB_DIR=") + folder;
  return {pkexec, all + QStringList{lab} + arguments};
}

void HostSources::lab(const QStringList& arguments, const QString& what,
                      const std::function<void(const QString& said)>& whenDone) {
  if (!busyWith_.isEmpty()) return;
  const auto program =
      programOfTutti(QStringLiteral("tutti-lab"), composer::Catalog::binaryFolders());
  if (!program) {
    Q_EMIT failed(tr("There are no practice hosts"), whyNoLab());
    return;
  }
  begin(what);
  process_ = new QProcess(this);
  auto environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("TUTTI_LAB_PROGRAM"), QStringLiteral("tutti lab"));
  process_->setProcessEnvironment(environment);
  process_->setProcessChannelMode(QProcess::MergedChannels);
  connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart || !process_) return;
    const QString why = process_->errorString();
    process_->deleteLater();
    process_.clear();
    end();
    Q_EMIT failed(tr("tutti lab does not start"), why);
  });
  connect(process_, &QProcess::finished, this,
          [this, whenDone, job = job_](int code, QProcess::ExitStatus status) {
            auto* process = qobject_cast<QProcess*>(sender());
            const QString said = QString::fromUtf8(process->readAllStandardOutput()).trimmed();
            process->deleteLater();
            if (job != job_) return;  // cancelled
            process_.clear();
            end();
            if (status != QProcess::NormalExit || code != 0)
              Q_EMIT failed(tr("The practice hosts are not there"), said);
            else
              whenDone(said);
          });
  const Command command =
      labCommand(*program, arguments, elevation(), qEnvironmentVariable("TUTTI_LAB_DIR"));
  process_->start(command.program, command.arguments);
}

void HostSources::makeLab(int hosts, bool slurm) {
  QStringList arguments{QStringLiteral("up"), QString::number(hosts)};
  arguments << (slurm ? QStringLiteral("--slurm") : QStringLiteral("--no-slurm"));
  lab(arguments, tr("Making %1").arg(counted(static_cast<std::size_t>(hosts))),
      [this](const QString& said) {
        watch_->open(labFile());
        watch_->askAll();
        Q_EMIT done(said.section(u'.', 0, 0));
      });
}

void HostSources::removeLab() {
  const bool used = watch_->file() == labFile();
  lab({QStringLiteral("down")}, tr("Taking the practice hosts down"), [this, used](const QString&) {
    if (used) watch_->open({});
    Q_EMIT done(tr("The practice hosts are gone"));
  });
}

}  // namespace tutti::launcher
