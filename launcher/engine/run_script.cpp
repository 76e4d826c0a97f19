// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/run_script.h"

#include <QFileInfo>
#include <QMap>
#include <QSet>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "launcher/engine/plan_hosts.h"
#include "launcher/engine/run_script_body.h"
#include "launcher/engine/ssh.h"

namespace tutti::launcher {

namespace {

QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

/// A word in single quotes, also where it needs none: all look alike.
QString shellQuoted(QString word) {
  return u'\'' + word.replace(u'\'', QStringLiteral("'\\''")) + u'\'';
}

/// For a comment: one line, whatever a name holds.
QString inOneLine(QString words) {
  for (QChar& c : words) {
    if (!c.isPrint()) c = u'?';
  }
  return words;
}

QString counted(std::size_t number, const char* one, const char* several) {
  return QStringLiteral("%1 %2").arg(number).arg(QLatin1String(number == 1 ? one : several));
}

/// The parts of a plan, numbered as the script numbers them.
class Script {
 public:
  explicit Script(const LaunchPlan& plan) : plan_(plan) {
    // Each behind those that it waits for, else as planned.
    std::vector<const PlannedProcess*> left;
    for (const auto& one : plan.plan.processes) left.push_back(&one);
    while (!left.empty()) {
      auto next = std::find_if(left.begin(), left.end(), [&](const PlannedProcess* one) {
        return std::all_of(one->waitFor.begin(), one->waitFor.end(),
                           [&](const auto& id) { return numbers_.contains(text(id)); });
      });
      if (next == left.end()) next = left.begin();  // a circle, which plans refuse
      ordered_.push_back(*next);
      numbers_[text((*next)->id)] = static_cast<int>(ordered_.size());
      left.erase(next);
    }
  }

  QByteArray bytes() const {
    QString result = header() + settings() + describe() + execute() + hosts() + files();
    result += u'\n' + QString::fromUtf8(runScriptBody);
    return result.toUtf8();
  }

 private:
  QString header() const {
    const std::size_t hosts = plan_.hosts.size() + 1;
    return QStringLiteral(
               "#!/bin/sh\n"
               "# Runs the federation execution %1 without Tutti's console: %2 on %3.\n"
               "#\n"
               "#   sh run.sh [SECONDS]   ends it SECONDS after all federates were ready%4;\n"
               "#                         else it ends when they have ended\n"
               "#\n"
               "# Ctrl+C, SIGTERM and SIGHUP end it in order at any time. When this script ends, "
               "however it ends,\n"
               "# nothing of the run is left on any host. Exit code 0: it ended in order; 1: a "
               "federate died or was\n"
               "# never ready; 2: nothing could be started.\n"
               "#\n"
               "# It needs sh, coreutils, grep and setsid (util-linux)%5.\n"
               "# Written by `tutti plan` from launch.json and connections.json. After a change of "
               "these two,\n"
               "# `tutti plan FOLDER -o FOLDER` writes it again.\n"
               "# shellcheck disable=SC2016 # words in single quotes are meant as they are\n"
               "set -u\n\n")
        .arg(inOneLine(plan_.federation), counted(plan_.federates.size(), "federate", "federates"),
             counted(hosts, "host", "hosts"),
             plan_.stopAfter ? QStringLiteral(" (%1)").arg(stopAfter()) : QString(),
             plan_.hosts.empty()
                 ? QString()
                 : QStringLiteral(", and ssh. Other hosts need the same files at the same\n"
                                  "# paths; the run's key is copied there and removed again"));
  }

  QString stopAfter() const {
    return plan_.stopAfter ? QString::number(static_cast<qint64>(std::ceil(*plan_.stopAfter)))
                           : QString();
  }

  QString settings() const {
    QStringList others;
    for (std::size_t index = 0; index < plan_.hosts.size(); ++index)
      others << QString::number(index + 1);
    QStringList all;
    for (std::size_t index = 0; index < ordered_.size(); ++index) all << QString::number(index + 1);
    const auto* home = plan_.process(plan_.nodeProcess);
    QString result;
    const auto set = [&](const char* name, const QString& value) {
      result +=
          QLatin1String(name) + u'=' + (value.isEmpty() ? QString() : shellQuoted(value)) + u'\n';
    };
    set("federation", plan_.federation);
    set("rti", home == nullptr ? QString() : text(home->command.front()));
    set("home_log", home == nullptr ? QString() : logOf(*home));
    set("home_address", plan_.listen.address);
    set("first_port", QString::number(plan_.listen.firstPort));
    set("last_port", QString::number(plan_.listen.lastPort));
    set("stop_after", stopAfter());
    result += QStringLiteral("grace_tenths=%1 # from SIGTERM to SIGKILL\n")
                  .arg(std::lround(plan_.plan.graceSeconds * 10));
    result += QStringLiteral("silence=%1 # seconds without a word until a host ends its part\n")
                  .arg(std::lround(std::ceil(plan_.silenceOfHosts())));
    set("processes", all.join(u' '));
    set("other_hosts", others.join(u' '));
    return result + u'\n';
  }

  /// What is known of each process.
  QString describe() const {
    QString result = QStringLiteral(
        "# Each process: its number, and what there is to know.\n"
        "describe() {\n  case $1 in\n");
    for (const auto* one : ordered_) {
      const QString id = text(one->id);
      const auto* federate = plan_.federate(id);
      QStringList waits;
      for (const auto& other : one->waitFor) {
        if (numbers_.contains(text(other))) waits << QString::number(numbers_[text(other)]);
      }
      const auto [ready, words] = readiness(*one);
      result += QStringLiteral(
                    "    %1)\n      name=%2 kind=%3 host_of=%4 required=%5\n"
                    "      waits=%6 delay=%7 ready=%8 text=%9\n")
                    .arg(numbers_[id])
                    .arg(shellQuoted(id), id == plan_.nodeProcess ? QStringLiteral("home")
                                          : plan_.isNode(id)      ? QStringLiteral("node")
                                                                  : QStringLiteral("federate"))
                    .arg(numberOfHost(plan_.hostOf(id)))
                    .arg(isRequired(id, federate) ? QStringLiteral("yes") : QStringLiteral("no"),
                         shellQuoted(waits.join(u' ')))
                    .arg(std::lround(one->delaySeconds * 10))
                    .arg(ready, shellQuoted(words));
      result += QStringLiteral("      patience=%1 log=%2 ;;\n")
                    .arg(std::lround(std::ceil(one->ready.timeoutSeconds)))
                    .arg(shellQuoted(logOf(*one)));
    }
    return result + QStringLiteral("  esac\n}\n\n");
  }

  bool isRequired(const QString& id, const PlannedFederate* federate) const {
    if (federate != nullptr) return federate->required;
    if (id == plan_.nodeProcess) return true;
    const QString host = plan_.hostOf(id);
    return std::any_of(plan_.federates.begin(), plan_.federates.end(),
                       [&](const auto& one) { return one.host == host && one.required; });
  }

  std::pair<QString, QString> readiness(const PlannedProcess& one) const {
    switch (one.ready.when) {
      case ReadyWhen::Line:
        return {QStringLiteral("line"), text(one.ready.text)};
      case ReadyWhen::Output:
        return {QStringLiteral("output"), text(one.ready.text)};
      case ReadyWhen::Socket:
        return {QStringLiteral("socket"), text(one.ready.text)};
      case ReadyWhen::Port:
        // As /proc/net/tcp writes it.
        return {QStringLiteral("port"), QString::number(std::atoi(one.ready.text.c_str()), 16)
                                            .rightJustified(4, u'0')
                                            .toUpper()};
      case ReadyWhen::Delay:
        return {QStringLiteral("delay"), QString::number(one.ready.delaySeconds)};
      case ReadyWhen::Told:
        // Without a node of the run nobody can be asked who has joined.
        if (plan_.nodeProcess.isEmpty()) break;
        return {QStringLiteral("joined"),
                text(nlohmann::json(one.id).dump(-1, ' ', false,
                                                 nlohmann::json::error_handler_t::replace))};
      case ReadyWhen::Started:
        break;
    }
    return {QStringLiteral("started"), {}};
  }

  QString execute() const {
    QString result = QStringLiteral(
        "# The commands. `run` names the RTI node of this run, `listen` and `link` where the home "
        "is reached.\nexecute() {\n  case $1 in\n");
    for (const auto* one : ordered_) {
      const QString id = text(one->id);
      result += QStringLiteral("    %1) # %2\n").arg(numbers_[id]).arg(inOneLine(id));
      if (!one->cwd.empty())
        result += QStringLiteral("      cd %1 || exit 126\n").arg(shellQuoted(text(one->cwd)));
      result += QStringLiteral("      exec setsid %1env \"TUTTI_SCRIPT_RUN=$run\"")
                    .arg(one->nice == 0 ? QString() : QStringLiteral("nice -n %1 ").arg(one->nice));
      for (const auto& [name, value] : one->env)
        result += QStringLiteral(" \\\n        %1=%2").arg(text(name), word(text(value)));
      QStringList words;
      for (std::size_t index = 0; index < one->command.size(); ++index) {
        const bool isLink = plan_.isNode(id) && index > 0 && one->command[index - 1] == "--link";
        words << (isLink ? QStringLiteral("\"$link\"") : word(text(one->command[index])));
      }
      result += QStringLiteral(" \\\n        ") + words.join(u' ');
      if (id == plan_.nodeProcess && !plan_.hosts.empty())
        result += QStringLiteral(" --listen \"$listen\" --grace %1").arg(plan_.grace);
      else if (id == plan_.nodeProcess && !plan_.listen.keyFile.isEmpty())
        result +=
            QStringLiteral(" --listen %1 --key-file %2")
                .arg(shellQuoted(addressWithPort(plan_.listen.address, plan_.listen.firstPort)),
                     shellQuoted(plan_.listen.keyFile));
      result += QStringLiteral(" ;;\n");
    }
    return result + QStringLiteral("  esac\n}\n\n");
  }

  /// A word of a command or an environment: what belongs to this run is filled in by the script.
  QString word(const QString& literal) const {
    if (literal == QStringLiteral("/proc/self/fd/%1").arg(Plan::keyDescriptor))
      return QStringLiteral("\"$folder/key\"");
    for (const auto* prefix : {"", "shm:"}) {
      const QString before = QLatin1String(prefix);
      if (literal == before + plan_.node) return u'"' + before + QStringLiteral("$run\"");
      for (const auto& host : plan_.hosts) {
        if (literal == before + host.node)
          return u'"' + before + QStringLiteral("$run.\"") + shellQuoted(host.host.name);
      }
    }
    return shellQuoted(literal);
  }

  QString hosts() const {
    QString names = QStringLiteral("host_name() {\n  case $1 in\n    0) echo 'this machine' ;;\n");
    QString ways = QStringLiteral(
        "# Executes a command on another host.\nreach() { # HOST COMMAND\n  case $1 in\n");
    for (std::size_t index = 0; index < plan_.hosts.size(); ++index) {
      const auto& host = plan_.hosts[index].host;
      names += QStringLiteral("    %1) echo %2 ;;\n").arg(index + 1).arg(shellQuoted(host.name));
      ways += QStringLiteral(
                  "    %1) ssh -o ServerAliveInterval=5 -o ServerAliveCountMax=3 %2 \"$2\" ;;\n")
                  .arg(index + 1)
                  .arg(shellCommand(sshArguments(host)));
    }
    return names + QStringLiteral("  esac\n}\n\n") + ways +
           QStringLiteral("    *) return 1 ;;\n  esac\n}\n\n");
  }

  /// Programs, working folders and FOM modules of each host.
  QString files() const {
    QString result =
        QStringLiteral("check_files() { # HOST\n  number=$1\n  lacking=0\n  case $1 in\n");
    for (int host = 0; host <= static_cast<int>(plan_.hosts.size()); ++host) {
      QStringList needed;
      const auto need = [&](const QString& file) {
        if (file.startsWith(u'/') && !needed.contains(shellQuoted(file)))
          needed << shellQuoted(file);
      };
      for (const auto* one : ordered_) {
        if (numberOfHost(plan_.hostOf(text(one->id))) != host) continue;
        need(text(one->command.front()));
        need(text(one->cwd));
      }
      for (const QString& module : plan_.fomModules) need(module);
      result += QStringLiteral("    %1) set -- \\\n        %2 ;;\n")
                    .arg(host)
                    .arg(needed.join(QStringLiteral(" \\\n        ")));
    }
    return result + QStringLiteral(
                        "  esac\n  for file; do\n    [ -e \"$file\" ] && continue\n"
                        "    lacking=1\n"
                        "    printf '%s lacks %s: install or copy it there.\\n' "
                        "\"$(host_name \"$number\")\" \"$file\" >&2\n"
                        "  done\n  return $lacking\n}\n");
  }

  QString logOf(const PlannedProcess& one) const {
    return QFileInfo(logFileIn(QStringLiteral("/"), text(one.id))).fileName();
  }

  int numberOfHost(const QString& name) const {
    for (std::size_t index = 0; index < plan_.hosts.size(); ++index) {
      if (plan_.hosts[index].host.name == name) return static_cast<int>(index) + 1;
    }
    return 0;
  }

  const LaunchPlan& plan_;
  std::vector<const PlannedProcess*> ordered_;
  QMap<QString, int> numbers_;
};

}  // namespace

// Nobody would start anything on a spare.
QByteArray runScript(const LaunchPlan& plan) {
  const LaunchPlan used = plan.withoutSpares();
  return Script(used).bytes();
}

QByteArray jobScript(const LaunchPlan& plan) {
  double cores = plan.cores;
  double memoryMb = plan.memoryMb;
  for (const auto& host : plan.hosts) {
    cores += host.cores;
    memoryMb += host.memoryMb;
  }
  QString result = QStringLiteral(
                       "#!/bin/sh\n"
                       "#SBATCH --job-name=%1\n"
                       "#SBATCH --nodes=1 --ntasks=1\n"
                       "#SBATCH --cpus-per-task=%2\n")
                       .arg(shellQuoted(inOneLine(plan.federation)))
                       .arg(std::max(1L, std::lround(std::ceil(cores))));
  // The node's shared memory, and what the programs take besides.
  if (memoryMb > 0)
    result += QStringLiteral("#SBATCH --mem=%1M\n").arg(std::lround(std::ceil(memoryMb)) + 512);
  if (plan.stopAfter)
    result += QStringLiteral("#SBATCH --time=%1\n")
                  .arg(std::lround(std::ceil((*plan.stopAfter + 120) / 60)));
  // SIGTERM a minute before the limit, so that the run ends in order.
  result += QStringLiteral(
                "#SBATCH --signal=B:TERM@60\n"
                "# Runs the federation execution %1 as a job: sbatch job.sbatch\n"
                "# Submit it from this folder. Written by `tutti plan`, as run.sh.\n")
                .arg(inOneLine(plan.federation));
  if (!plan.hosts.empty())
    result += QStringLiteral(
        "# The other hosts are reached by ssh from the node of the job, as "
        "run.sh says.\n");
  result += QStringLiteral(
      "set -u\n"
      "run=\n"
      "asked=\n"
      "trap 'asked=yes; [ -z \"$run\" ] || kill -s TERM \"$run\" 2>/dev/null' TERM INT HUP\n"
      "sh \"${SLURM_SUBMIT_DIR:-.}/run.sh\" \"$@\" &\n"
      "run=$!\n"
      "[ -z \"$asked\" ] || kill -s TERM \"$run\"\n"
      "# A signal interrupts the first wait.\n"
      "wait \"$run\"\n"
      "code=$?\n"
      "while kill -0 \"$run\" 2>/dev/null; do wait \"$run\"; code=$?; done\n"
      "exit $code\n");
  return result.toUtf8();
}

}  // namespace tutti::launcher
