// SPDX-License-Identifier: GPL-3.0-or-later
// The Object model page: what findings and the model as a whole offer to do.
#include <QAction>
#include <QFileDialog>
#include <QFileInfo>

#include "fom-editor/model/lists.h"
#include "fom-editor/model/pages/model_pages.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/object_model_workspace.h"

namespace tutti::fomedit {

/// As an edit of the module that can be undone and is saved like any other.
void ObjectModelWorkspace::applyFix(const QModelIndex& index) {
  const Finding* found = findings_->finding(index);
  if (found == nullptr || found->fix.isNull()) return;
  const Finding finding = *found;
  OpenModules& modules = editing_->modules();
  const QString name = QFileInfo(finding.file).fileName();
  const int module = modules.indexOf(finding.file);
  const ModuleSource* source = module < 0 ? nullptr : modules.source(module);
  if (source == nullptr) {
    Q_EMIT failed(tr("%1 cannot be edited").arg(name),
                  module < 0 ? tr("It is not open any more.") : modules.readOnlyReason(module));
    return;
  }
  // Edited since it was checked; the findings of the edited module are on their way.
  if (textIdOf(*source) != finding.fix.text) return;
  QString label = finding.fix.label;
  label[0] = label[0].toLower();
  if (const auto applied = modules.apply({label, {{module, finding.fix.splices}}, finding.item});
      !applied) {
    Q_EMIT failed(tr("The fix was not applied"), applied.error());
  }
}

tl::expected<void, QString> ObjectModelWorkspace::exportPages(const QString& folder) const {
  if (!loaded_.model || loaded_.paths.isEmpty()) {
    return tl::unexpected(tr("There are no modules to export. Open some first."));
  }
  const auto pages = modelPages(loaded_);
  if (!pages) return tl::unexpected(pages.error());
  return writePages(folder, *pages);
}

void ObjectModelWorkspace::choosePages() {
  const QString beside =
      loaded_.paths.isEmpty() ? QString() : QFileInfo(loaded_.paths.front()).path();
  const QString folder = QFileDialog::getExistingDirectory(
      this, tr("Export as pages into a new, empty or earlier exported folder"), beside);
  if (folder.isEmpty()) return;
  if (const auto written = exportPages(folder); !written) {
    Q_EMIT failed(tr("The pages were not written"), written.error());
  }
}

}  // namespace tutti::fomedit
