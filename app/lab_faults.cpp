// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab_faults.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <utility>

#include "composer/model/catalog.h"
#include "launcher/engine/launch_plan.h"
#include "launcher/ui/host_sources.h"

namespace tutti::app {

namespace {

constexpr int slowMbit = 10;
constexpr int lossPercent = 5;

}  // namespace

LabFaults::LabFaults(const QString& pkexec, QObject* parent) : QObject(parent), pkexec_(pkexec) {}

LabFaults::~LabFaults() {
  for (QProcess* process : findChildren<QProcess*>()) {
    process->disconnect(this);
    // A command that has begun is carried out, and nobody waits for it; questions are given up.
    if (process->arguments().value(0) != QStringLiteral("status")) process->setParent(nullptr);
  }
}

void LabFaults::setHostsFile(const QString& file) {
  const QFileInfo info(file);
  const QDir folder = info.dir();
  const QString name = folder.dirName();
  const bool isLab = !file.isEmpty() && info.fileName() == name + QStringLiteral(".hosts.json") &&
                     folder.exists(QStringLiteral("subnet")) &&
                     folder.exists(QStringLiteral("complete"));
  const QString lab = isLab ? name : QString();
  if (file == file_ && lab == lab_) return look();
  file_ = file;
  lab_ = lab;
  root_ = isLab ? QFileInfo(folder.absolutePath()).path() : QString();
  ++asked_;
  if (!hosts_.isEmpty()) {
    hosts_.clear();
    Q_EMIT changed();
  }
  look();
}

void LabFaults::call(const QStringList& arguments, const QString& pkexec,
                     const std::function<void(const QByteArray& said, bool ok)>& whenDone) {
  const auto program =
      launcher::programOfTutti(QStringLiteral("tutti-lab"), composer::Catalog::binaryFolders());
  if (!program) return whenDone(launcher::HostSources::whyNoLab().toUtf8(), false);
  auto* process = new QProcess(this);
  auto environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("TUTTI_LAB_PROGRAM"), QStringLiteral("tutti lab"));
  environment.insert(QStringLiteral("TUTTI_LAB_DIR"), root_);
  process->setProcessEnvironment(environment);
  process->setProcessChannelMode(QProcess::MergedChannels);
  connect(process, &QProcess::errorOccurred, this,
          [process, whenDone](QProcess::ProcessError error) {
            if (error != QProcess::FailedToStart) return;
            process->deleteLater();
            whenDone(process->errorString().toUtf8(), false);
          });
  connect(process, &QProcess::finished, this,
          [process, whenDone](int code, QProcess::ExitStatus status) {
            process->deleteLater();
            whenDone(process->readAll().trimmed(), status == QProcess::NormalExit && code == 0);
          });
  const auto command = launcher::HostSources::labCommand(
      *program, arguments + QStringList{QStringLiteral("--name"), lab_}, pkexec, root_);
  process->start(command.program, command.arguments);
}

void LabFaults::look() {
  if (lab_.isEmpty()) return;
  call({QStringLiteral("status"), QStringLiteral("--json")}, {},
       [this, asked = ++asked_](const QByteArray& said, bool ok) {
         if (ok && asked == asked_) read(said);
       });
}

void LabFaults::read(const QByteArray& status) {
  QHash<QString, State> hosts;
  const QJsonArray all = QJsonDocument::fromJson(status).array();
  for (const QJsonValue& each : all) {
    hosts.insert(each[QStringLiteral("name")].toString(),
                 {each[QStringLiteral("state")].toString(), each[QStringLiteral("mbit")].toString(),
                  each[QStringLiteral("loss")].toString()});
  }
  if (hosts == hosts_) return;
  hosts_ = std::move(hosts);
  Q_EMIT changed();
}

QString LabFaults::faultOf(const QString& host) const {
  const auto found = hosts_.constFind(host);
  if (found == hosts_.constEnd()) return {};
  QStringList faults;
  if (found->state == QStringLiteral("down")) faults << tr("powered off");
  if (found->state == QStringLiteral("cut")) faults << tr("cable pulled");
  if (!found->mbit.isEmpty()) faults << tr("limited to %1 Mbit/s").arg(found->mbit);
  if (!found->loss.isEmpty()) faults << tr("loses %1 % of packets").arg(found->loss);
  return faults.join(QStringLiteral(", "));
}

QString LabFaults::commandOf(const QStringList& arguments) const {
  QString command = QStringLiteral("tutti lab ") + arguments.join(u' ');
  if (lab_ != QStringLiteral("lab")) command += QStringLiteral(" --name ") + lab_;
  return command;
}

void LabFaults::carryOut(const QString& host, const QStringList& arguments) {
  // Two at once would undo each other half-way.
  if (!running_.isEmpty()) return;
  running_ = commandOf(arguments);
  call(arguments, pkexec_, [this, host](const QByteArray& said, bool ok) {
    const QString command = std::exchange(running_, {});
    look();
    if (ok)
      Q_EMIT done(tr("Done: %1").arg(command));
    else
      Q_EMIT failed(tr("Nothing was done to %1").arg(host), QString::fromUtf8(said));
  });
}

QList<LabFaults::Action> LabFaults::actionsFor(const QString& host) {
  const auto found = hosts_.constFind(host);
  if (found == hosts_.constEnd()) return {};
  QList<Action> actions;
  const QString whyNot =
      running_.isEmpty() ? launcher::HostSources::whyNoLab() : tr("%1 goes on").arg(running_);
  const auto add = [&](const QString& text, const QStringList& arguments) {
    actions << Action{text, commandOf(arguments), whyNot,
                      [this, host, arguments] { carryOut(host, arguments); }};
  };
  if (found->state == QStringLiteral("down")) {
    add(tr("Power on %1").arg(host), {QStringLiteral("start"), host});
    return actions;
  }
  if (found->state == QStringLiteral("cut"))
    add(tr("Plug the cable of %1 in").arg(host), {QStringLiteral("mend"), host});
  if (!found->mbit.isEmpty())
    add(tr("End the rate limit of %1").arg(host),
        {QStringLiteral("slow"), host, QStringLiteral("0")});
  if (!found->loss.isEmpty())
    add(tr("Stop losing packets to %1").arg(host),
        {QStringLiteral("loss"), host, QStringLiteral("0")});
  if (found->state != QStringLiteral("cut"))
    add(tr("Pull the cable of %1").arg(host), {QStringLiteral("cut"), host});
  if (found->mbit.isEmpty())
    add(tr("Limit %1 to %2 Mbit/s").arg(host).arg(slowMbit),
        {QStringLiteral("slow"), host, QString::number(slowMbit)});
  if (found->loss.isEmpty())
    add(tr("Lose %2 % of packets to %1").arg(host).arg(lossPercent),
        {QStringLiteral("loss"), host, QString::number(lossPercent)});
  add(tr("Power off %1: all that runs there dies").arg(host), {QStringLiteral("kill"), host});
  return actions;
}

}  // namespace tutti::app
