// SPDX-License-Identifier: GPL-3.0-or-later
// The Object model page with the modules of a folder: opened, listed, switched on and off.
#include <QAction>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QListView>
#include <QMimeData>
#include <QUrl>
#include <algorithm>

#include "fom-editor/model/lists.h"
#include "fom-editor/model/module_project.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/progress_line.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

void ObjectModelWorkspace::buildProject() {
  project_ = new ModuleProject(this);
  openFolderAction_ =
      new QAction(theme::icon(QStringLiteral("folder")), tr("Open folder of modules…"), this);
  openFolderAction_->setObjectName(QStringLiteral("openFolder"));
  openFolderAction_->setToolTip(tr("Show the FOM modules of a folder as one model"));
  connect(openFolderAction_, &QAction::triggered, this, &ObjectModelWorkspace::chooseFolder);
  connect(project_, &ModuleProject::progressed, this, [this](int files) {
    reading_->setProgress(tr("Looking for modules, %1 so far")
                              .arg(theme::formatNoun(files, tr("file"), tr("files"))));
  });
  connect(project_, &ModuleProject::opened, this, [this] {
    reading_->setProgress({});
    openedByHand_ = true;
    closeAction_->setVisible(true);
    beside_.clear();
    load(project_->takingPart());
  });
  connect(project_, &ModuleProject::failed, this,
          [this](const QString& title, const QString& detail) {
            reading_->setProgress({});
            Q_EMIT failed(title, detail);
          });
  connect(project_, &ModuleProject::changed, this, [this] {
    const QStringList paths = projectPaths();
    if (paths != requestedPaths_) load(paths);
    listModules();
  });
  connect(modules_, &ModuleListModel::switched, this, &ObjectModelWorkspace::switchModule,
          Qt::QueuedConnection);
  setAcceptDrops(true);
}

void ObjectModelWorkspace::openFolder(const QString& folder) {
  const QString path = QDir::cleanPath(QFileInfo(folder).absoluteFilePath());
  // What lies in the folder stays open with its edits.
  QStringList staying;
  for (const QString& each : editing_->modules().paths()) {
    if (isBelow(each, path)) staying << each;
  }
  if (!commitCell() || !editing_->mayClose(staying)) return;
  closeComparison();
  reading_->setProgress(tr("Looking for modules"));
  project_->open(path);
}

void ObjectModelWorkspace::chooseFolder() {
  const QString begin = project_->isOpen()        ? project_->folder()
                        : loaded_.paths.isEmpty() ? QString()
                                                  : QFileInfo(loaded_.paths.front()).path();
  const QString folder =
      QFileDialog::getExistingDirectory(this, tr("Open folder of modules"), begin);
  if (!folder.isEmpty()) openFolder(folder);
}

/// The modules of the open folder that take part, and those that were created beside them.
QStringList ObjectModelWorkspace::projectPaths() const {
  QStringList paths = project_->takingPart();
  for (const QString& path : beside_) {
    const QList<FolderModule>& listed = project_->modules();
    const bool isListed =
        std::any_of(listed.cbegin(), listed.cend(),
                    [&](const FolderModule& module) { return module.path == path; });
    if (!isListed) paths << path;
  }
  return paths;
}

/// Takes a module into the merged model, or out of it.
void ObjectModelWorkspace::switchModule(const QString& path, bool takesPart) {
  QStringList staying = projectPaths();
  if (!takesPart) staying.removeAll(path);
  if (commitCell() && editing_->mayClose(takesPart ? staying << path : staying)) {
    project_->setTakesPart(path, takesPart);
  }
}

/// The rows of the pane Modules: what is loaded, and in a folder what is not.
QList<ModuleStatus> ObjectModelWorkspace::moduleRows() const {
  QList<ModuleStatus> rows = loaded_.modules;
  for (ModuleStatus& row : rows) {
    if (row.merged) continue;
    const auto why = std::find_if(
        loaded_.findings.cbegin(), loaded_.findings.cend(),
        [&](const Finding& f) { return f.file == row.path && f.level == Level::Loads; });
    if (why != loaded_.findings.cend()) row.reason = why->text;
  }
  if (!project_->isOpen() || rows.isEmpty()) return rows;
  const QList<ModuleStatus> loaded = rows.mid(1);
  rows = {rows.front()};
  for (const FolderModule& module : project_->modules()) {
    const auto found = std::find_if(loaded.cbegin(), loaded.cend(), [&](const ModuleStatus& row) {
      return row.path == module.path;
    });
    ModuleStatus row;
    if (found != loaded.cend()) {
      row = *found;
    } else {
      row.path = module.path;
      row.edition = module.edition;
      row.merged = !module.isBroken();
      row.reason = module.reason;
    }
    row.name = module.name;
    row.kind = module.kind;
    row.hasSwitch = true;
    row.takesPart = module.takesPart;
    rows << row;
  }
  // With unsaved edits, from another place.
  for (const ModuleStatus& row : loaded) {
    const bool known = std::any_of(rows.cbegin(), rows.cend(), [&](const ModuleStatus& other) {
      return other.path == row.path;
    });
    if (!known) rows << row;
  }
  return rows;
}

void ObjectModelWorkspace::listModules() {
  modules_->setModules(moduleRows());
  fitModules();
  showModulesCaption();
  showModuleNote();
}

void ObjectModelWorkspace::showModuleNote() {
  const QModelIndex current = moduleView_->currentIndex();
  QString note = current.data(ModuleListModel::ReasonRole).toString();
  if (!note.isEmpty()) {
    note = current.data().toString() + QStringLiteral(": ") + note;
  } else if (project_->isOpen()) {
    note = project_->notes().join(u' ');
  }
  moduleNote_->setVisible(!note.isEmpty());
  moduleNote_->setText(note);
  // A pane makes room for heights only, not for those that follow from a width.
  constexpr int kMargins = 24;
  constexpr int kNarrowest = 160;
  const int width = std::max(kNarrowest, moduleView_->width() - kMargins);
  moduleNote_->setFixedHeight(moduleNote_->heightForWidth(width));
}

void ObjectModelWorkspace::dragEnterEvent(QDragEnterEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  const bool local =
      std::any_of(urls.cbegin(), urls.cend(), [](const QUrl& url) { return url.isLocalFile(); });
  if (local) event->acceptProposedAction();
}

void ObjectModelWorkspace::dropEvent(QDropEvent* event) {
  QStringList files;
  QString folder;
  for (const QUrl& url : event->mimeData()->urls()) {
    if (!url.isLocalFile()) continue;
    const QString path = url.toLocalFile();
    if (QFileInfo(path).isDir()) {
      folder = path;
    } else {
      files << path;
    }
  }
  if (folder.isEmpty() && files.isEmpty()) return;
  event->acceptProposedAction();
  // The program that the drag comes from waits until this returns.
  QMetaObject::invokeMethod(
      this,
      [this, folder, files] {
        if (!folder.isEmpty()) {
          openFolder(folder);
        } else if (commitCell() && editing_->mayClose(files)) {
          openModules(files);
        }
      },
      Qt::QueuedConnection);
}

}  // namespace tutti::fomedit
