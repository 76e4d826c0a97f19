// SPDX-License-Identifier: GPL-3.0-or-later
// tutti lab: hosts to practise with, on this machine. The script tutti-lab does all of it.
#include <QFile>
#include <QProcess>

#include "app/cli/verb.h"
#include "composer/model/catalog.h"
#include "launcher/engine/launch_plan.h"

namespace {

using namespace tutti;
using namespace tutti::app;

int run(Invocation& invocation) {
  const QString verb = QStringLiteral("lab");
  if (invocation.arguments.isEmpty())
    return invocation.usage(verb, QStringLiteral("name what to do: up, down, status, cut ..."));
  const auto program =
      launcher::programOfTutti(QStringLiteral("tutti-lab"), composer::Catalog::binaryFolders());
  if (!program)
    return invocation.usage(verb, QStringLiteral("the program tutti-lab is not there; build it, or "
                                                 "name its folder in TUTTI_BIN"));
  QProcess lab;
  auto environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("TUTTI_LAB_PROGRAM"), QStringLiteral("tutti lab"));
  lab.setProcessEnvironment(environment);
  if (!invocation.json) lab.setProcessChannelMode(QProcess::ForwardedErrorChannel);
  lab.setInputChannelMode(QProcess::ForwardedInputChannel);
  if (invocation.json) invocation.arguments << QStringLiteral("--json");
  lab.start(*program, invocation.arguments);
  const bool ended = lab.waitForStarted() && lab.waitForFinished(-1);
  const QString said = QString::fromUtf8(lab.readAllStandardOutput());
  if (!ended || lab.exitStatus() != QProcess::NormalExit)
    return invocation.usage(verb, QStringLiteral("%1: %2").arg(*program, lab.errorString()));
  const auto code = static_cast<ExitCode>(lab.exitCode());
  if (invocation.json && code != Ok)
    return invocation.fail(QString::fromUtf8(lab.readAllStandardError()).trimmed(), code);
  if (invocation.json && invocation.arguments.value(0) != QStringLiteral("status"))
    invocation.print({{"done", said.trimmed().toStdString()}});
  else
    invocation.out << said << Qt::flush;
  return code;
}

const RegisterVerb registered{
    {QStringLiteral("lab"),
     QStringLiteral("up [COUNT] | down | status | cut|mend|kill|start HOST | slow HOST MBIT | "
                    "loss HOST PERCENT"),
     QStringLiteral("Make hosts on this machine to practise with"),
     QStringLiteral(
         "Each host is a network namespace with a host name, shared memory and an sshd of its own, "
         "joined\n"
         "by a bridge. They listen to this machine only. It needs root, iproute2 and "
         "openssh-server; loss\n"
         "needs nftables.\n"
         "  up [COUNT]         make COUNT hosts, 1 to 64 (4), and the hosts file that describes "
         "them\n"
         "    --own-files      a home folder of their own, which is empty\n"
         "    --hide PATH      with it: this folder is empty on them too; may be repeated\n"
         "    --slurm          a Slurm whose nodes they are (slurmctld, slurmd, munge); without this "
         "where it is\n"
         "                     installed, and with --no-slurm not\n"
         "  down               remove them and all that runs on them\n"
         "  status             the hosts, their state, processes, rate limit and loss\n"
         "  cut HOST           pull its cable; mend HOST plugs it in\n"
         "  kill HOST          its power goes; start HOST brings it back, with empty memory\n"
         "  slow HOST MBIT     limit it to that rate in each direction, Mbit/s; 0: no limit\n"
         "  loss HOST PERCENT  lose that share of the packets to it; 0: none\n"
         "  --name NAME        another lab beside the first, 1 to 6 of a-z and 0-9 (lab)"),
     &run}};

}  // namespace
