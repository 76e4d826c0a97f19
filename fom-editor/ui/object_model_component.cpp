// SPDX-License-Identifier: GPL-3.0-or-later
// The object model page: a component from its classes.
#include <QAction>
#include <QTreeView>

#include "fom-editor/ui/new_component_dialog.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/icons.h"

namespace tutti::fomedit {

void ObjectModelWorkspace::buildNewComponent() {
  newComponentAction_ =
      new QAction(theme::icon(QStringLiteral("add")), tr("New component from classes…"), this);
  newComponentAction_->setObjectName(QStringLiteral("newComponent"));
  newComponentAction_->setToolTip(
      tr("Write a federate in C++ that publishes or subscribes to classes of this model"));
  newComponentAction_->setEnabled(false);
  connect(newComponentAction_, &QAction::triggered, this, &ObjectModelWorkspace::askForComponent);
  outlineView_->setContextMenuPolicy(Qt::ActionsContextMenu);
  outlineView_->addAction(newComponentAction_);
  outlineView_->addAction(extractAction_);
  // Several classes can be extracted together.
  outlineView_->setSelectionMode(QAbstractItemView::ExtendedSelection);
}

void ObjectModelWorkspace::askForComponent() {
  if (!loaded_.model || loaded_.paths.isEmpty()) return;
  auto* dialog = new NewComponentDialog(loaded_.model, loaded_.paths, item_, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

}  // namespace tutti::fomedit
