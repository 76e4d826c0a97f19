// SPDX-License-Identifier: GPL-3.0-or-later
// tutti wait, tutti give-up: what becomes of a host of a run that does not answer.
#include <algorithm>

#include "app/cli/verb.h"
#include "launcher/engine/kept_runs.h"
#include "monitor/engine/link_decision.h"
#include "observe/node_client.h"

namespace {

using namespace tutti;
using namespace tutti::app;

constexpr double usualSeconds = 60;

/// The node whose links are meant, of the run or of the designator, and the host; both are taken
/// out of the arguments.
struct Meant {
  QString node;
  QString host;
};

tl::expected<Meant, QString> meant(Invocation& invocation, const QString& designator) {
  QStringList& words = invocation.arguments;
  Meant result;
  if (designator.isEmpty()) {
    const auto run = launcher::findGoingRun(words.takeFirst());
    if (!run) return tl::unexpected(run.error());
    result.node = run->node;
  } else {
    const auto node = observe::nodeNameOf(designator.toStdString());
    if (!node) return tl::unexpected(QString::fromStdString(node.error()));
    result.node = QString::fromStdString(*node);
  }
  result.host = words.takeFirst();
  return result;
}

int decide(Invocation& invocation, const QString& verb, bool waits) {
  const QString designator = invocation.takeOption(QStringLiteral("--rti")).value_or(QString());
  const qsizetype names = designator.isEmpty() ? 2 : 1;
  const qsizetype given = invocation.arguments.size();
  for (const QString& word : std::as_const(invocation.arguments)) {
    if (word.startsWith(u'-'))
      return invocation.usage(verb, QStringLiteral("there is no option %1").arg(word));
  }
  if (given < names || given > names + (waits ? 1 : 0))
    return invocation.usage(verb, designator.isEmpty() ? QStringLiteral("needs RUN and HOST")
                                                       : QStringLiteral("needs HOST"));
  std::optional<double> seconds;
  if (waits) {
    seconds = usualSeconds;
    if (given > names) {
      bool valid = false;
      seconds = invocation.arguments.takeLast().toDouble(&valid);
      if (!valid || !(*seconds > 0 && *seconds <= 1e6))
        return invocation.usage(verb, QStringLiteral("SECONDS is above 0 and at most 1000000"));
    }
  }
  const auto which = meant(invocation, designator);
  if (!which) return invocation.fail(which.error());
  const auto links = monitor::findSuspectLinks(which->node, which->host);
  if (!links) return invocation.fail(links.error(), Findings);
  // All of them, and what holds for the first that is lost.
  std::optional<monitor::SuspectLink> link;
  std::optional<monitor::LinkDecision> decision;
  for (const monitor::SuspectLink& each : *links) {
    const auto decided = monitor::decideLink(which->node, each, seconds);
    if (!decided) return invocation.fail(decided.error(), Findings);
    if (!link) {
      link = each;
      decision = *decided;
      continue;
    }
    link->federates << each.federates;
    decision->addedSeconds = std::min(decision->addedSeconds, decided->addedSeconds);
    decision->leftSeconds = std::min(decision->leftSeconds, decided->leftSeconds);
  }
  if (invocation.json) {
    nlohmann::json federates = nlohmann::json::array();
    for (const QString& one : link->federates) federates.push_back(one.toStdString());
    invocation.print({{"host", link->host.toStdString()},
                      {"rti", "shm:" + which->node.toStdString()},
                      {"givenUp", !waits},
                      {"addedSeconds", decision->addedSeconds},
                      {"leftSeconds", decision->leftSeconds},
                      {"federates", std::move(federates)}});
    return Ok;
  }
  if (waits) {
    invocation.out << QStringLiteral("%1 is waited for %2 s longer: it is lost in %3 s")
                          .arg(link->host)
                          .arg(decision->addedSeconds, 0, 'f', 0)
                          .arg(decision->leftSeconds, 0, 'f', 1)
                   << Qt::endl;
  } else {
    invocation.out << QStringLiteral("%1 is given up: %2")
                          .arg(link->host, link->federates.isEmpty()
                                               ? QStringLiteral("no federate was behind it")
                                           : link->toHome
                                               ? QStringLiteral("federates here lose their "
                                                                "connection: ") +
                                                     link->federates.join(QStringLiteral(", "))
                                               : QStringLiteral("federates lost: ") +
                                                     link->federates.join(QStringLiteral(", ")))
                   << Qt::endl;
  }
  return Ok;
}

int runWait(Invocation& invocation) { return decide(invocation, QStringLiteral("wait"), true); }
int runGiveUp(Invocation& invocation) {
  return decide(invocation, QStringLiteral("give-up"), false);
}

const RegisterVerb wait{
    {QStringLiteral("wait"), QStringLiteral("RUN HOST [SECONDS] [--rti shm:NAME]"),
     QStringLiteral("Wait longer for a host of a run that does not answer"),
     QStringLiteral(
         "The RTI takes HOST for lost SECONDS (60) later than it would have. Until then nothing of "
         "it is lost, and what needs\n"
         "it waits. Again adds again, up to the longest wait of the run's RTI node: "
         "longestWait of\n"
         "the hosts file (tutti-rti --listen ... --longest-wait SECONDS), 0 unless it is set. It "
         "holds for this time: when HOST has answered, the next grace "
         "is "
         "as long as ever.\n"
         "With --rti the links of that RTI node of this machine are meant, and RUN is left out; "
         "HOST "
         "may be \"home\", or an\n"
         "address as tutti-rti --status has it.\n"
         "Exit code 0: it is waited for; 1: it answers, is lost already, or is waited for as long "
         "as "
         "can be; 2: there is no\n"
         "such run."),
     &runWait}};

const RegisterVerb giveUp{
    {QStringLiteral("give-up"), QStringLiteral("RUN HOST [--rti shm:NAME]"),
     QStringLiteral("Take a host of a run that does not answer for lost now"),
     QStringLiteral(
         "The RTI does not wait for HOST any longer: its federates are lost, each with its "
         "automatic "
         "resign action, and time\n"
         "goes on for the others at once. When HOST is back, its federates find their connection "
         "lost (connectionLost).\n"
         "It cannot be undone. A host that answers, also one that has come back in the same "
         "instant, "
         "is left as it is.\n"
         "With --rti the links of that RTI node of this machine are meant, and RUN is left out; "
         "\"home\" gives up the home, and\n"
         "the federates of this machine lose their connection.\n"
         "Exit code 0: it is given up; 1: it answers, or is lost already; 2: there is no such "
         "run."),
     &runGiveUp}};

}  // namespace
