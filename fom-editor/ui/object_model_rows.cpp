// SPDX-License-Identifier: GPL-3.0-or-later
// How the Object model page lets rows be edited where it shows them.
#include <QLabel>

#include "fom-editor/model/outline.h"
#include "fom-editor/model/row_editor.h"
#include "fom-editor/ui/cell_editing.h"
#include "fom-editor/ui/data_type_panel.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "fom-editor/ui/views.h"

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
