// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/federate_commands.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>
#include <QSet>
#include <algorithm>

#include "monitor/engine/host_links.h"
#include "resources/theme/format.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

namespace {

/// Names in a question.
constexpr qsizetype mostNamed = 12;

QString tr(const char* text) { return QCoreApplication::translate("FederateCommands", text); }

QString followsOf(FederateCommand command) {
  switch (command) {
    case FederateCommand::Stop:
      return tr("Each is told to end (SIGTERM), so that it can resign.");
    case FederateCommand::Kill:
      return tr("Each ends at once with SIGKILL; the RTI resigns for it.");
    case FederateCommand::Restart:
      return tr(
          "Each that runs is told to end (SIGTERM). When all of them have ended they are started, "
          "in the order of the run.");
    case FederateCommand::Remove:
      return tr(
          "Each is told to end (SIGTERM) and taken out of the run, which goes on without it, even "
          "if it is required.");
  }
  return {};
}

}  // namespace

QString commandText(FederateCommand command, const QStringList& federates, const QString& group) {
  const QString count = theme::formatNoun(federates.size(), tr("federate"), tr("federates"));
  const QString whom = !group.isEmpty()        ? tr("%1 (%2)").arg(group, count)
                       : federates.size() == 1 ? federates.front()
                                               : count;
  switch (command) {
    case FederateCommand::Stop:
      return tr("Stop %1").arg(whom);
    case FederateCommand::Kill:
      return tr("Kill %1").arg(whom);
    case FederateCommand::Restart:
      return tr("Restart %1").arg(whom);
    case FederateCommand::Remove:
      return tr("Remove %1 from this run").arg(whom);
  }
  return {};
}

QStringList affectedBy(FederateCommand command, const QStringList& federates,
                       const Snapshot& snapshot) {
  QStringList result;
  const bool whoIsOver = command == FederateCommand::Restart || command == FederateCommand::Remove;
  for (const QString& name : federates) {
    const FederateView* view = snapshot.find(name);
    if (view != nullptr && (whoIsOver || !isOver(view->condition))) result << name;
  }
  return result;
}

QStringList lossesWith(const QStringList& federates, const Snapshot& snapshot,
                       const std::vector<Declarations>& declarations) {
  const QSet<QString> lost(federates.begin(), federates.end());
  std::uint64_t instances = 0;
  for (const FederateView& each : snapshot.federates) {
    if (!lost.contains(each.name) || isOver(each.condition)) continue;
    instances += each.counters.instancesRegistered -
                 std::min(each.counters.instancesRegistered, each.counters.instancesDeleted);
  }
  QSet<QString> published;
  for (const Declarations& each : declarations) {
    const FederateView* view = snapshot.find(each.federate);
    if (lost.contains(each.federate) || view == nullptr || isOver(view->condition)) continue;
    published += QSet<QString>(each.publishes.begin(), each.publishes.end());
  }
  QStringList unpublished;
  for (const Declarations& each : declarations) {
    if (!lost.contains(each.federate)) continue;
    for (const QString& name : each.publishes)
      if (!published.contains(name) && !unpublished.contains(name)) unpublished << name;
  }
  unpublished.sort();
  QStringList lines;
  if (instances > 0)
    lines << tr("%1 that they have registered; their automatic resign action says what becomes of "
                "them.")
                 .arg(theme::formatNoun(static_cast<qint64>(instances), tr("object instance"),
                                        tr("object instances")));
  if (!unpublished.isEmpty())
    lines << tr("Without a publisher then: %1.").arg(elidedNames(unpublished, mostNamed));
  return lines;
}

void askBefore(FederateCommand command, const QStringList& federates, const QString& group,
               const QStringList& losses, QWidget* parent, const std::function<void()>& run) {
  const QString what = commandText(command, federates, group);
  auto* box =
      new QMessageBox(QMessageBox::NoIcon, what, what + u'?', QMessageBox::NoButton, parent);
  box->setObjectName(QStringLiteral("federatesBox"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  QStringList lines;
  if (federates.size() > 1 || !group.isEmpty()) lines << elidedNames(federates, mostNamed) + u'.';
  lines << followsOf(command) << losses;
  box->setInformativeText(lines.join(u'\n'));
  auto* accept = box->addButton(what, QMessageBox::DestructiveRole);
  accept->setObjectName(QStringLiteral("federatesAccept"));
  if (command != FederateCommand::Restart)
    theme::setStyleProperty(accept, "role", QStringLiteral("danger"));
  box->setDefaultButton(box->addButton(tr("Let them go on"), QMessageBox::RejectRole));
  QObject::connect(accept, &QPushButton::clicked, parent, run);
  box->open();
}

}  // namespace tutti::monitor
