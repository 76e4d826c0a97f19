// SPDX-License-Identifier: GPL-3.0-or-later
// How the Object model page lets rows be edited where it shows them.
#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "fom-editor/model/outline.h"
#include "fom-editor/model/row_editor.h"
#include "fom-editor/ui/cell_editing.h"
#include "fom-editor/ui/data_type_panel.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

void ObjectModelWorkspace::buildRowEditing() {
  rows_ = new RowEditor(editing_->modules(), this);
  tableView_->setEditor(rows_);
  outline_->setWriter(rows_);
  outlineView_->setEditor(rows_);
  dataType_->setEditor(rows_);
  connect(rows_, &RowEditor::refused, this,
          [this](const QString& reason) { Q_EMIT failed(tr("Nothing was changed"), reason); });
  connect(this, &ObjectModelWorkspace::modelShown, outlineView_, &OutlineView::nameWaiting);
}

/// "+ Attribute" or "+ Parameter" of the class that is shown.
void ObjectModelWorkspace::buildAddButton(QWidget* bar, QHBoxLayout* row) {
  addMember_ = new QPushButton(theme::icon(QStringLiteral("add")), {}, bar);
  addMember_->setObjectName(QStringLiteral("addMember"));
  addMember_->hide();
  row->addWidget(addMember_);
  connect(addMember_, &QPushButton::clicked, this, [this] {
    if (!commitCell()) return;
    views_->setCurrentIndex(MembersView);
    auto* add = tableView_->findChild<QAction*>(QStringLiteral("addRow"));
    if (add != nullptr) add->trigger();
  });
}

void ObjectModelWorkspace::showAddButton() {
  addMember_->setVisible(isClass(item_));
  if (!isClass(item_)) return;
  const bool isObject = item_.kind == ItemKind::ObjectClass;
  const Table table = tableOf(*loaded_.model, item_);
  const QString reason = readOnlyReason(*loaded_.model, itemPlace(*loaded_.model, item_));
  // A narrow page needs the room for the classes; the tool tip says it too.
  constexpr int kRoomForText = 900;
  addMember_->setText(width() < kRoomForText ? QString()
                      : isObject             ? tr("Attribute")
                                             : tr("Parameter"));
  addMember_->setAccessibleName(isObject ? tr("Add an attribute") : tr("Add a parameter"));
  addMember_->setEnabled(!table.adds.isNull());
  const QString name = itemName(*loaded_.model, item_);
  addMember_->setToolTip(!table.adds.isNull() ? (isObject ? tr("Add an attribute to %1 (Insert)")
                                                          : tr("Add a parameter to %1 (Insert)"))
                                                    .arg(name)
                         : reason.isEmpty() ? tr("The root has what the standard gives it.")
                                            : reason);
}

void ObjectModelWorkspace::resizeEvent(QResizeEvent* event) {
  theme::Workspace::resizeEvent(event);
  if (loaded_.model) showAddButton();
}

void ObjectModelWorkspace::makeFactEditable(QWidget* value, const Fact& fact) {
  QString reason = readOnlyReason(*loaded_.model, itemPlace(*loaded_.model, item_));
  if (reason.isEmpty() && !fact.cell.isEmpty()) {
    reason = rows_->readOnlyReason(rowOf(*loaded_.model, item_), fact.cell);
  }
  if (fact.cell.isEmpty() || !reason.isEmpty()) {
    value->setToolTip(reason);
    if (auto* label = qobject_cast<QLabel*>(value)) {
      label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    return;
  }
  (new CellLabel(value))->setCell(rows_, rowOf(*loaded_.model, item_), fact.cell);
}

}  // namespace tutti::fomedit
