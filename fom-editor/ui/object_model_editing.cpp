// SPDX-License-Identifier: GPL-3.0-or-later
// The Object model page as the place where modules are edited: history, saving, questions.
#include <QAction>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QMessageBox>
#include <QMetaMethod>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

#include "fom-editor/model/lists.h"
#include "fom-editor/model/merge_session.h"
#include "fom-editor/model/model_loader.h"
#include "fom-editor/model/module_project.h"
#include "fom-editor/model/outline.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "fom-editor/ui/source_view.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

namespace {

/// A button of a bar that does what an action does, with its text.
QPushButton* pushButton(QAction* action, QWidget* parent) {
  auto* button = new QPushButton(action->text(), parent);
  const auto follow = [button, action] {
    button->setText(action->text());
    button->setToolTip(action->toolTip());
    button->setEnabled(action->isEnabled());
  };
  QObject::connect(action, &QAction::changed, button, follow);
  QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
  follow();
  return button;
}

QString textOf(const ModuleBytes& bytes) {
  if (!bytes) return {};
  const auto source = decodedByContent(*bytes);
  return source ? text(source->text) : QString::fromUtf8(*bytes);
}

}  // namespace

void ObjectModelWorkspace::buildEditing() {
  newAction_ = new QAction(theme::icon(QStringLiteral("document-new")), tr("New module…"), this);
  newAction_->setObjectName(QStringLiteral("newModule"));
  newAction_->setToolTip(tr("Write a new, empty module and show it with the others"));
  connect(newAction_, &QAction::triggered, this, &ObjectModelWorkspace::chooseNewModule);

  connect(editing_, &ModuleEditing::changed, this, &ObjectModelWorkspace::showEdits);
  connect(editing_, &ModuleEditing::failed, this, &Workspace::failed);
  connect(editing_, &ModuleEditing::created, this, &ObjectModelWorkspace::addNewModule);
  connect(editing_, &ModuleEditing::comparisonRequested, this,
          &ObjectModelWorkspace::compareWithFiles);
  OpenModules& modules = editing_->modules();
  connect(&modules, &OpenModules::changed, this, &ObjectModelWorkspace::checkEdited);
  connect(&modules, &OpenModules::saved, this, &ObjectModelWorkspace::moduleSaved);
  connect(&modules, &OpenModules::itemEdited, this,
          [this](const QString& item) { itemToShow_ = item; });
}

/// Undo and redo, and what they are about.
QWidget* ObjectModelWorkspace::buildHistory(QWidget* parent) {
  auto* bar = new QWidget(parent);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(2);
  for (QAction* action : {editing_->undoAction(), editing_->redoAction()}) {
    auto* button = new QToolButton(bar);
    button->setAutoRaise(true);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
    button->setIconSize(QSize(16, 16));
    button->setFixedSize(24, 24);
    button->setObjectName(action->objectName() + QStringLiteral("Button"));
    row->addWidget(button);
  }
  undoLabel_ = new theme::ElidedLabel("caption", bar);
  undoLabel_->setObjectName(QStringLiteral("moduleUndoLabel"));
  undoLabel_->setMaximumWidth(190);
  undoLabel_->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
  undoLabel_->hide();
  row->addSpacing(4);
  row->addWidget(undoLabel_);
  return bar;
}

/// Below the modules while some have unsaved edits.
QWidget* ObjectModelWorkspace::buildSaving(QWidget* parent) {
  savingBar_ = new QWidget(parent);
  savingBar_->setObjectName(QStringLiteral("savingBar"));
  auto* row = new QHBoxLayout(savingBar_);
  row->setContentsMargins(8, 6, 8, 8);
  row->setSpacing(6);
  QPushButton* save = pushButton(editing_->saveAction(), savingBar_);
  save->setObjectName(QStringLiteral("saveButton"));
  save->setProperty("role", QByteArray("primary"));
  QPushButton* compare = pushButton(editing_->showEditsAction(), savingBar_);
  compare->setObjectName(QStringLiteral("showEditsButton"));
  row->addWidget(save, 1);
  row->addWidget(compare);
  savingBar_->hide();
  return savingBar_;
}

// Edits become what the page shows

/// Reads and checks the modules as they are edited now, in the worker.
void ObjectModelWorkspace::checkEdited() {
  if (adopting_ || loaded_.paths.isEmpty()) return;
  const ModuleTexts texts = editing_->modules().texts();
  if (texts == requestedTexts_) return;
  // What is asked for at the moment comes with the edits, too.
  const QStringList paths = loader_->isLoading() ? requestedPaths_ : loaded_.paths;
  requestedPaths_ = paths;
  requestedTexts_ = texts;
  loader_->load(paths, texts);
}

/// The modules that are open become those that were loaded.
void ObjectModelWorkspace::adopt(const LoadedModel& loaded) {
  OpenModules& modules = editing_->modules();
  QList<ModuleFile> files;
  QList<ModuleFile> seen;
  for (const QString& path : loaded.paths) {
    const auto read = std::find_if(loaded.files.begin(), loaded.files.end(),
                                   [&](const ModuleFile& file) { return file.path == path; });
    ModuleFile file;
    file.path = path;
    if (read != loaded.files.end()) file = *read;
    const int known = modules.indexOf(path);
    // Unless it was saved since it was read.
    if (known >= 0 && file.bytes && requestedOnDisk_.value(path) == modules.onDisk(known)) {
      seen << file;
    }
    files << file;
  }
  adopting_ = true;
  modules.open(files);
  for (const ModuleFile& file : std::as_const(seen)) modules.noteOnDisk(file);
  requestedTexts_ = modules.texts();
  adopting_ = false;
}

/// How far the modules are edited: marks, captions and what can be undone.
void ObjectModelWorkspace::showEdits() {
  const OpenModules& modules = editing_->modules();
  QStringList edited;
  for (const int module : modules.modified()) edited << modules.path(module);
  project_->keep(edited);
  QHash<QString, ModuleEditState> states;
  QStringList rights;
  for (int i = 0; i < modules.count(); ++i) {
    ModuleEditState state;
    state.edits = modules.edits(i);
    state.readOnlyReason = modules.readOnlyReason(i);
    state.changedOnDisk = modules.isChangedOnDisk(i);
    state.isGone = modules.isGone(i);
    states.insert(modules.path(i), state);
    rights << modules.path(i) + u'\n' + state.readOnlyReason;
  }
  if (rights != rights_) {
    rights_ = rights;
    table_->noteRights();
    outline_->noteRights();
    if (loaded_.model) fillFacts();
  }
  modules_->setEditStates(states);
  outline_->setEdited(editing_->editedItems());
  const bool unsaved = !modules.modified().isEmpty();
  if (savingBar_ != nullptr) savingBar_->setVisible(unsaved);
  const bool canUndo = modules.canUndo();
  undoLabel_->setVisible(canUndo);
  if (canUndo) undoLabel_->setText(tr("Undo: %1").arg(modules.undoLabel()));
  showModulesCaption();
  if (views_->currentIndex() == SourceTab) source_->refresh();
  Q_EMIT statusNotesChanged();
  Q_EMIT unsavedEditsChanged();
}

void ObjectModelWorkspace::showModulesCaption() {
  const qsizetype unsaved = editing_->modules().modified().size();
  const auto taking = static_cast<int>(project_->takingPart().size());
  QString caption = project_->isOpen() ? tr("%1/%2").arg(taking).arg(project_->modules().size())
                    : openedByHand_    ? tr("%1, opened by hand").arg(loaded_.paths.size())
                    : loaded_.paths.isEmpty() ? tr("none yet")
                                              : tr("%1, merged").arg(loaded_.modules.size());
  if (unsaved > 0) {
    caption = tr("%1, %2 unsaved").arg(loaded_.modules.size()).arg(unsaved);
  }
  titleBar(modulesDock_)->setCaption(caption);
}

/// The last one is kept: it is asked for after each edit of any module.
SourceText ObjectModelWorkspace::sourceOf(const QString& file) {
  const OpenModules& modules = editing_->modules();
  const int module = modules.indexOf(file);
  const ModuleBytes bytes = modules.bytes(module);
  if (!bytes) return {};
  const ModuleBytes saved = modules.isModified(module) ? modules.onDisk(module) : nullptr;
  if (bytes != sourceBytes_ || saved != sourceOnDisk_) {
    SourceText shown{textOf(bytes), {}};
    if (saved) shown.changes = lineChanges(textOf(saved), *shown.text);
    sourceText_ = std::make_shared<const SourceText>(std::move(shown));
    sourceBytes_ = bytes;
    sourceOnDisk_ = saved;
  }
  return *sourceText_;
}

// What the window asks

QUndoStack* ObjectModelWorkspace::undoStack() const {
  return merging_ ? &merge_->undoStack() : &editing_->modules().undoStack();
}

bool ObjectModelWorkspace::hasUnsavedEdits() const {
  return !editing_->modules().modified().isEmpty();
}

bool ObjectModelWorkspace::saveEdits() {
  // What is being written is to be saved, too.
  if (!commitCell()) return true;
  if (merging_) {
    saveMergeOver();
    return true;
  }
  if (!hasUnsavedEdits()) return false;
  editing_->saveAll();
  return true;
}

bool ObjectModelWorkspace::mayDiscardEdits() { return commitCell() && editing_->mayClose(); }

bool ObjectModelWorkspace::mayRun() { return commitCell() && editing_->mayRun(compositionPaths_); }

QList<theme::RunTrouble> ObjectModelWorkspace::notices() const { return editing_->notices(); }

// Modules

void ObjectModelWorkspace::showModuleMenu(const QPoint& at) {
  const QModelIndex index = moduleView_->indexAt(at);
  QMenu menu(this);
  const QString path = index.data(ModuleListModel::PathRole).toString();
  // An ampersand in a name is no mnemonic.
  const QString name = index.data().toString().replace(u'&', QStringLiteral("&&"));
  OpenModules& modules = editing_->modules();
  const int module = modules.indexOf(path);
  if (module >= 0) {
    const bool modified = modules.isModified(module);
    QAction* save =
        menu.addAction(theme::icon(QStringLiteral("document-save")), tr("Save %1").arg(name));
    connect(save, &QAction::triggered, this,
            [this, path] { editing_->save({editing_->modules().indexOf(path)}); });
    QAction* compare = menu.addAction(tr("Show its edits"));
    connect(compare, &QAction::triggered, this, [this, path] { compareWithFiles({path}); });
    QAction* discard = menu.addAction(tr("Discard its edits"));
    connect(discard, &QAction::triggered, this,
            [this, path] { editing_->modules().discard({editing_->modules().indexOf(path)}); });
    for (QAction* each : {save, compare, discard}) each->setEnabled(modified);
    QAction* merge = menu.addAction(tr("Merge another version into it…"));
    connect(merge, &QAction::triggered, this, [this, path] { askForMerge(path); });
    menu.addSeparator();
    QAction* copy = menu.addAction(theme::icon(QStringLiteral("copy")), tr("Copy the path"));
    connect(copy, &QAction::triggered, this,
            [path] { QGuiApplication::clipboard()->setText(QFileInfo(path).absoluteFilePath()); });
    menu.addSeparator();
  }
  if (index.data(ModuleListModel::SwitchRole).toBool()) {
    const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    QAction* turn = menu.addAction(on ? tr("Take %1 out of the merged model").arg(name)
                                      : tr("Take %1 into the merged model").arg(name));
    connect(turn, &QAction::triggered, this, [this, path, on] { switchModule(path, !on); });
    menu.addSeparator();
  }
  menu.addAction(newAction_);
  menu.addAction(openAction_);
  menu.addAction(openFolderAction_);
  menu.exec(moduleView_->viewport()->mapToGlobal(at));
}

/// Asks whether something takes the place of a file; `what` says what would be lost.
bool ObjectModelWorkspace::mayReplace(const QString& path, const QString& what) {
  const QFileInfo info(path);
  QMessageBox box(this);
  box.setObjectName(QStringLiteral("replaceModule"));
  box.setIcon(QMessageBox::NoIcon);
  box.setTextFormat(Qt::PlainText);
  box.setText(tr("%1 is there already.").arg(info.fileName()));
  box.setInformativeText(what.arg(QDir::toNativeSeparators(info.absolutePath())));
  QPushButton* replace = box.addButton(tr("Replace"), QMessageBox::DestructiveRole);
  QPushButton* keep = box.addButton(tr("Keep the file"), QMessageBox::RejectRole);
  replace->setObjectName(QStringLiteral("moduleReplace"));
  keep->setObjectName(QStringLiteral("moduleKeep"));
  box.setDefaultButton(keep);
  box.setEscapeButton(keep);
  box.exec();
  return box.clickedButton() == replace;
}

void ObjectModelWorkspace::chooseNewModule() {
  const QString folder =
      loaded_.paths.isEmpty() ? QDir::homePath() : QFileInfo(loaded_.paths.front()).path();
  QFileDialog dialog(this, tr("New module"), folder, tr("FOM modules (*.xml)"));
  dialog.setObjectName(QStringLiteral("newModuleDialog"));
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setDefaultSuffix(QStringLiteral("xml"));
  // Desktops' own dialogs ask about the name before it has its suffix.
  dialog.setOption(QFileDialog::DontConfirmOverwrite);
  dialog.selectFile(QStringLiteral("NewModule.xml"));
  if (dialog.exec() != QDialog::Accepted) return;
  const QString path = dialog.selectedFiles().value(0);
  if (path.isEmpty()) return;
  const bool exists = QFileInfo::exists(path);
  const QString lost = tr("Replaced by an empty module, what the file in %1 holds is lost.");
  if (exists && !mayReplace(path, lost)) return;
  if (const auto made = editing_->createModule(path, exists); !made) {
    Q_EMIT failed(tr("The module was not written"), made.error());
  }
}

void ObjectModelWorkspace::addNewModule(const QString& path) {
  if (path == extraction_.into) extraction_.created = true;
  QStringList paths = loaded_.paths;
  if (!paths.contains(path)) paths << path;
  itemToShow_ = QStringLiteral("module:") + path;
  if (project_->isOpen()) {
    // It is shown at once: from another place the folder does not give it, or not before long.
    if (!beside_.contains(path)) beside_ << path;
    if (isBelow(path, project_->folder())) {
      project_->setTakesPart(path, true);
      project_->lookNow();
    }
    load(projectPaths());
    return;
  }
  // Beside the composition's modules it becomes one of them, where there is a composition.
  if (openedByHand_ ||
      !isSignalConnected(QMetaMethod::fromSignal(&ObjectModelWorkspace::moduleCreated))) {
    openModules(paths);
  } else {
    load(paths);
    Q_EMIT moduleCreated(path);
  }
}

/// The files as they are saved, beside the modules as they are edited.
void ObjectModelWorkspace::compareWithFiles(const QStringList& paths) {
  ComparisonRequest request;
  request.before = loaded_.paths;
  request.after = loaded_.paths;
  request.beforeTexts = editing_->modules().texts();
  for (const QString& path : paths) request.beforeTexts.remove(path);
  request.afterTexts = editing_->modules().texts();
  if (usage_ && !shownByHand_) request.components = componentUses();
  compare(request);
}

}  // namespace tutti::fomedit
