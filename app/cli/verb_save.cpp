// SPDX-License-Identifier: GPL-3.0-or-later
// tutti save, restore, saves: a running federation execution as a whole.
#include <QDateTime>
#include <QLocale>
#include <algorithm>

#include "app/cli/interruption.h"
#include "app/cli/running_federation.h"
#include "app/cli/verb.h"
#include "monitor/engine/federation_saves.h"

namespace {

using namespace tutti;
using namespace tutti::app;
using monitor::SaveVerb;

int operate(Invocation& invocation, SaveVerb verb, const QString& name) {
  const bool restore = verb == SaveVerb::Restore;
  const QString designator = invocation.takeOption(QStringLiteral("--rti")).value_or(QString());
  const auto given =
      invocation.takeOption(restore ? QStringLiteral("--from") : QStringLiteral("--as"));
  const auto timeout = invocation.takeOption(QStringLiteral("--timeout"));
  double seconds = 60;
  if (timeout) {
    bool valid = false;
    seconds = timeout->toDouble(&valid);
    if (!valid || !(seconds > 0 && seconds <= 1e6))
      return invocation.usage(
          name, QStringLiteral("--timeout needs seconds, above 0 and at most 1000000"));
  }
  if (invocation.arguments.size() > 1)
    return invocation.usage(name, QStringLiteral("name at most one federation"));
  const QString wanted = invocation.arguments.value(0);
  if (wanted.startsWith(u'-'))
    return invocation.usage(name, QStringLiteral("there is no option %1").arg(wanted));
  if (restore && !given)
    return invocation.usage(name, QStringLiteral("name the save with --from LABEL"));
  const QString label =
      given.value_or(QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss")));
  if (const QString fault = monitor::faultOfLabel(label); !fault.isEmpty())
    return invocation.fail(fault);
  const auto target = findFederation(wanted, designator);
  if (!target) return invocation.fail(target.error());

  const Interruption interruption;
  const auto tell = [&](const monitor::SaveProgress& progress) {
    if (invocation.json || progress.awaited.isEmpty() || progress.elapsed < 1) return;
    invocation.err << QStringLiteral("%1 s: waits for %2 of %3 federates: %4")
                          .arg(progress.elapsed, 0, 'f', 0)
                          .arg(progress.awaited.size())
                          .arg(progress.federates)
                          .arg(progress.awaited.mid(0, 5).join(QStringLiteral(", ")))
                   << Qt::endl;
  };
  const auto done = monitor::operateSave(
      target->node, target->federation, verb, label,
      std::chrono::milliseconds(static_cast<qint64>(seconds * 1000)), tell, interruption.token());
  if (!done) return invocation.fail(done.error(), Findings);
  if (invocation.json) {
    invocation.print({{"federation", target->federation.toStdString()},
                      {"rti", target->designator().toStdString()},
                      {"label", label.toStdString()}});
  } else {
    invocation.out << (restore ? QStringLiteral("%1 is restored from '%2'.")
                               : QStringLiteral("%1 is saved as '%2'."))
                          .arg(target->federation, label)
                   << Qt::endl;
  }
  return Ok;
}

int save(Invocation& invocation) {
  return operate(invocation, SaveVerb::Save, QStringLiteral("save"));
}
int restore(Invocation& invocation) {
  return operate(invocation, SaveVerb::Restore, QStringLiteral("restore"));
}

int list(Invocation& invocation) {
  const auto name = QStringLiteral("saves");
  const QString designator = invocation.takeOption(QStringLiteral("--rti")).value_or(QString());
  if (invocation.arguments.size() > 1)
    return invocation.usage(name, QStringLiteral("name at most one federation"));
  const QString wanted = invocation.arguments.value(0);
  if (wanted.startsWith(u'-'))
    return invocation.usage(name, QStringLiteral("there is no option %1").arg(wanted));
  const auto target = findFederation(wanted, designator);
  if (!target) return invocation.fail(target.error());
  const auto kept = monitor::keptSaves(target->node, target->federation);
  if (!kept) return invocation.fail(kept.error());
  if (invocation.json) {
    nlohmann::json saves = nlohmann::json::array();
    for (const auto& one : *kept)
      saves.push_back({{"label", one.label.toStdString()},
                       {"bytes", one.bytes},
                       {"savedAt", one.savedAt.toUTC().toString(Qt::ISODate).toStdString()}});
    invocation.print({{"federation", target->federation.toStdString()}, {"saves", saves}});
    return Ok;
  }
  if (kept->empty()) {
    invocation.out
        << QStringLiteral("%1 has no saves. Make one: tutti save %1").arg(target->federation)
        << Qt::endl;
    return Ok;
  }
  qsizetype width = 0;
  for (const auto& one : *kept) width = std::max(width, one.label.size());
  for (const auto& one : *kept) {
    invocation.out << one.label.leftJustified(width + 2)
                   << one.savedAt.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")) << "  "
                   << QLocale::c().formattedDataSize(one.bytes, 1, QLocale::DataSizeSIFormat)
                   << '\n';
  }
  invocation.out.flush();
  return Ok;
}

const RegisterVerb registeredSave{
    {QStringLiteral("save"),
     QStringLiteral("[FEDERATION] [--as LABEL] [--rti shm:NAME] [--timeout SECONDS]"),
     QStringLiteral("Save a running federation execution"),
     QStringLiteral(
         "Asks all federates to save (IEEE 1516.1-2010, 4.16) and waits until the federation "
         "execution is\n"
         "saved. LABEL is the current time unless it is given; an earlier save of that label is "
         "replaced.\n"
         "A save that is not done after --timeout (60 s), or when this command is interrupted, is "
         "aborted,\n"
         "and the federates that had not done their part are named.\n"
         "Exit code 0: saved; 1: not saved; 2: there is nothing to save."),
     &save}};
const RegisterVerb registeredRestore{
    {QStringLiteral("restore"),
     QStringLiteral("[FEDERATION] --from LABEL [--rti shm:NAME] [--timeout SECONDS]"),
     QStringLiteral("Restore a running federation execution from a save"),
     QStringLiteral(
         "Asks all federates to go back to what they were at that save (4.24). As many federates "
         "of "
         "each type\n"
         "must be joined as were saved. A restore that is not done after --timeout (60 s) is "
         "aborted.\n"
         "Exit code 0: restored; 1: not restored; 2: there is nothing to restore."),
     &restore}};
const RegisterVerb registeredSaves{
    {QStringLiteral("saves"), QStringLiteral("[FEDERATION] [--rti shm:NAME]"),
     QStringLiteral("List the saves of a running federation execution"),
     QStringLiteral("Each with its label, time and size, the newest first."), &list}};

}  // namespace
