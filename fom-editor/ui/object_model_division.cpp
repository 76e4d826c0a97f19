// SPDX-License-Identifier: GPL-3.0-or-later
// The Object model page: modules merged to one file, and classes extracted into a new module.
#include <QAction>
#include <QFileInfo>

#include "fom-editor/ui/join_dialog.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "resources/theme/icons.h"

namespace tutti::fomedit {

void ObjectModelWorkspace::buildDivision() {
  joinAction_ =
      new QAction(theme::icon(QStringLiteral("import")), tr("Merge modules into one file…"), this);
  joinAction_->setObjectName(QStringLiteral("joinModules"));
  joinAction_->setToolTip(tr("Write what the modules give together as one module"));
  joinAction_->setEnabled(false);
  connect(joinAction_, &QAction::triggered, this, &ObjectModelWorkspace::askToJoin);
}

void ObjectModelWorkspace::askToJoin() {
  if (!commitCell() || loaded_.paths.isEmpty()) return;
  QStringList merged;
  for (const ModuleStatus& module : std::as_const(loaded_.modules)) {
    if (!module.isMim && module.merged) merged << module.path;
  }
  if (merged.isEmpty()) {
    Q_EMIT failed(tr("There is nothing to merge"),
                  tr("No module can be read. The pane Checks says what is wrong."));
    return;
  }
  ModuleTexts texts;
  const OpenModules& modules = editing_->modules();
  for (const QString& path : std::as_const(merged)) {
    const ModuleBytes bytes = modules.bytes(modules.indexOf(path));
    if (bytes) texts.insert(path, bytes);
  }
  auto* dialog = new JoinDialog(merged, texts, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

}  // namespace tutti::fomedit
