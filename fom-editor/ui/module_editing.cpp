// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/module_editing.h"

#include <QAction>
#include <QDateTime>
#include <QDir>
#include <QEventLoop>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>
#include <algorithm>
#include <numeric>
#include <utility>

#include "fom-editor/model/module_template.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"

namespace tutti::fomedit {

using theme::RunTrouble;

namespace {

QString nameOf(const QString& path) { return QFileInfo(path).fileName(); }

/// For a button or menu, where an ampersand would be a mnemonic.
QString escaped(QString text) { return text.replace(u'&', QStringLiteral("&&")); }

QString counted(int edits) {
  return theme::formatNoun(edits, ModuleEditing::tr("unsaved edit"),
                           ModuleEditing::tr("unsaved edits"));
}

/// "A.xml", "A.xml and B.xml", "A.xml, B.xml and 3 more".
QString listed(const QStringList& names) {
  if (names.size() == 1) return names.front();
  if (names.size() == 2) return ModuleEditing::tr("%1 and %2").arg(names[0], names[1]);
  return ModuleEditing::tr("%1, %2 and %3 more").arg(names[0], names[1]).arg(names.size() - 2);
}

QString haveUnsavedEdits(const QStringList& names) {
  return names.size() == 1 ? ModuleEditing::tr("%1 has unsaved edits.").arg(names.front())
                           : ModuleEditing::tr("%1 have unsaved edits.").arg(listed(names));
}

}  // namespace

ModuleEditing::ModuleEditing(QWidget* page)
    : QObject(page), page_(page), saver_(modules_), autosave_(modules_) {
  const auto action = [&](const char* name, const char* icon) {
    auto* made = new QAction(theme::icon(QString::fromLatin1(icon)), QString(), page);
    made->setObjectName(QString::fromLatin1(name));
    return made;
  };
  undo_ = action("moduleUndo", "undo");
  redo_ = action("moduleRedo", "redo");
  save_ = action("saveModules", "document-save");
  showEdits_ = action("showEdits", "layout");
  connect(undo_, &QAction::triggered, this, [this] { modules_.undo(); });
  connect(redo_, &QAction::triggered, this, [this] { modules_.redo(); });
  connect(save_, &QAction::triggered, this, &ModuleEditing::saveAll);
  connect(showEdits_, &QAction::triggered, this,
          [this] { Q_EMIT comparisonRequested(modules_.paths()); });

  connect(&modules_, &OpenModules::changed, this, &ModuleEditing::update);
  connect(&modules_, &OpenModules::changedOnDisk, this, &ModuleEditing::changed);
  connect(&modules_, &OpenModules::saved, &watch_, &ModuleWatch::forget);
  connect(&saver_, &ModuleSaver::changed, this, &ModuleEditing::update);
  connect(&saver_, &ModuleSaver::failed, this, [this](const QStringList& faults) {
    Q_EMIT failed(faults.size() == 1 ? tr("A module was not saved")
                                     : tr("%1 modules were not saved").arg(faults.size()),
                  faults.join(u' '));
  });
  connect(&finder_, &EditedItemsFinder::found, this, [this](const QSet<QString>& items) {
    if (std::exchange(editedItems_, items) != items) Q_EMIT changed();
  });
  connect(&watch_, &ModuleWatch::seen, &modules_, &OpenModules::noteOnDisk);
  connect(&autosave_, &ModuleAutosave::failed, this,
          [this](const QString& why) { Q_EMIT failed(tr("Unsaved edits are not kept"), why); });
  update();
}

ModuleEditing::~ModuleEditing() {
  modules_.disconnect(this);
  saver_.disconnect(this);
}

void ModuleEditing::update() {
  const QStringList paths = modules_.paths();
  if (paths != watched_) {
    watched_ = paths;
    watch_.setPaths(paths);
    lookForUnsavedEdits();
  }
  const QUndoStack& history = modules_.undoStack();
  undo_->setEnabled(history.canUndo());
  const QString undo = history.canUndo() ? tr("Undo: %1").arg(history.undoText()) : tr("Undo");
  undo_->setText(escaped(undo));
  undo_->setToolTip(undo + tr(" (Ctrl+Z)"));
  redo_->setEnabled(history.canRedo());
  const QString redo = history.canRedo() ? tr("Redo: %1").arg(history.redoText()) : tr("Redo");
  redo_->setText(escaped(redo));
  redo_->setToolTip(redo + tr(" (Ctrl+Shift+Z)"));
  const QList<int> modified = modules_.modified();
  const QStringList& saving = saver_.saving();
  // A file that is slow to be written keeps nobody from saving others.
  QStringList unsaved;
  for (const int module : modified) {
    if (!saving.contains(modules_.path(module))) unsaved << modules_.path(module);
  }
  save_->setEnabled(!unsaved.isEmpty());
  save_->setText(unsaved.size() == 1  ? tr("Save %1").arg(escaped(nameOf(unsaved.front())))
                 : !unsaved.isEmpty() ? tr("Save %1 modules").arg(unsaved.size())
                 : saving.size() == 1 ? tr("Saving %1…").arg(escaped(nameOf(saving.front())))
                 : !saving.isEmpty()  ? tr("Saving %1 modules…").arg(saving.size())
                                      : tr("Save modules"));
  save_->setToolTip(tr("Save all modules with unsaved edits (Ctrl+S)"));
  showEdits_->setEnabled(!modified.isEmpty());
  const int edits = editCount();
  showEdits_->setText(edits == 0   ? tr("Show edits")
                      : edits == 1 ? tr("Show 1 edit")
                                   : tr("Show %1 edits").arg(edits));
  showEdits_->setToolTip(tr("Compare the edited modules with the saved files"));
  findEditedItems();
  Q_EMIT changed();
}

void ModuleEditing::findEditedItems() {
  QList<EditedModule> edited;
  for (const int module : modules_.modified()) {
    const ModuleBytes bytes = modules_.onDisk(module);
    if (modules_.source(module) == nullptr || !bytes) continue;
    edited.append({modules_.path(module), bytes, modules_.bytes(module)});
  }
  finder_.find(edited);
}

int ModuleEditing::editCount() const {
  const QList<int> modified = modules_.modified();
  return std::accumulate(modified.begin(), modified.end(), 0,
                         [this](int sum, int m) { return sum + modules_.edits(m); });
}

QString ModuleEditing::note() const {
  const QList<int> modified = modules_.modified();
  if (modified.isEmpty()) return {};
  return tr("%1 in %2")
      .arg(counted(editCount()),
           theme::formatNoun(static_cast<int>(modified.size()), tr("module"), tr("modules")));
}

void ModuleEditing::save(const QList<int>& modules) {
  QStringList paths;
  for (const int module : modules) paths << modules_.path(module);
  saver_.save(paths);
}

QStringList ModuleEditing::awaited(const Waiting& waiting) const {
  QStringList paths;
  for (const QString& path : saver_.saving()) {
    if (waiting.isAwaited(path)) paths << path;
  }
  return paths;
}

bool ModuleEditing::isBusy(const Waiting& waiting) const {
  // New modules are not among those that are being saved.
  if (waiting.awaitsNewModules && saver_.saving().isEmpty()) return saver_.isSaving();
  return !awaited(waiting).isEmpty();
}

/// Until nothing that is awaited is being saved any more. Staying: the person does not want to wait
/// any longer, and saving goes on. Left: neither, and what is not saved is kept for recovery.
ModuleEditing::Waited ModuleEditing::waitForSaving(const Waiting& waiting) {
  // What a usual disk takes needs no words.
  constexpr int kWithoutWords = 300;
  if (isBusy(waiting)) {
    QEventLoop loop;
    connect(&saver_, &ModuleSaver::changed, &loop, [&] {
      if (!isBusy(waiting)) loop.quit();
    });
    QTimer::singleShot(kWithoutWords, &loop, &QEventLoop::quit);
    loop.exec(QEventLoop::ExcludeUserInputEvents);
  }
  if (!isBusy(waiting)) return Waited::Saved;
  QStringList names;
  for (const QString& path : awaited(waiting)) names << nameOf(path);
  QMessageBox box(page_);
  box.setObjectName(QStringLiteral("savingModules"));
  box.setIcon(QMessageBox::NoIcon);
  box.setTextFormat(Qt::PlainText);
  box.setText(names.isEmpty() ? tr("A module is being written.")
                              : tr("Saving %1.").arg(listed(names)));
  QPushButton* stay = box.addButton(waiting.stay, QMessageBox::RejectRole);
  stay->setObjectName(QStringLiteral("modulesDoNotWait"));
  box.setEscapeButton(stay);
  QPushButton* leave = nullptr;
  if (waiting.mayLeave) {
    leave =
        box.addButton(tr("Close; the edits are kept for recovery"), QMessageBox::DestructiveRole);
    leave->setObjectName(QStringLiteral("modulesLeave"));
  }
  const auto update = [&] {
    const QStringList paths = awaited(waiting);
    const bool kept = std::all_of(paths.begin(), paths.end(), [&](const QString& path) {
      return !modules_.isModified(modules_.indexOf(path)) || autosave_.isKept(path);
    });
    if (leave != nullptr) leave->setEnabled(kept);
    const QString next =
        leave == nullptr ? QString()
        : kept ? tr(" You can close now: the edits are offered again when the module is opened.")
               : tr(" The edits are being kept for recovery.");
    box.setInformativeText(tr("The disk is slow to answer. %1").arg(waiting.then) + next);
  };
  update();
  connect(&autosave_, &ModuleAutosave::kept, &box, update);
  connect(&modules_, &OpenModules::changed, &box, update);
  connect(&saver_, &ModuleSaver::changed, &box, [&] {
    if (!isBusy(waiting)) box.accept();
  });
  box.exec();
  if (!isBusy(waiting)) return Waited::Saved;
  return leave != nullptr && box.clickedButton() == leave ? Waited::Left : Waited::Staying;
}

bool ModuleEditing::mayClose(const QStringList& staying) {
  QStringList left;
  Waiting waiting{
      [&](const QString& path) { return !staying.contains(path) && !left.contains(path); },
      staying.isEmpty(), tr("Closing continues when the file is saved."), tr("Keep editing"), true};
  const auto waitUntilSaved = [&] {
    const Waited waited = waitForSaving(waiting);
    if (waited == Waited::Left) {
      const QStringList paths = awaited(waiting);
      for (const QString& path : paths) autosave_.leave(path);
      left << paths;
      waiting.awaitsNewModules = false;
    }
    return waited != Waited::Staying;
  };
  if (!waitUntilSaved()) return false;
  // By path: while the question is open, modules are read again and may change places.
  QStringList closing;
  QStringList names;
  for (const int module : modules_.modified()) {
    if (!waiting.isAwaited(modules_.path(module))) continue;
    closing << modules_.path(module);
    names << nameOf(modules_.path(module));
  }
  if (closing.isEmpty()) return true;
  QMessageBox box(page_);
  box.setObjectName(QStringLiteral("discardModules"));
  box.setIcon(QMessageBox::NoIcon);
  box.setTextFormat(Qt::PlainText);
  box.setText(haveUnsavedEdits(names));
  const QString last = modules_.undoLabel();
  if (!last.isEmpty()) box.setInformativeText(tr("The last one: %1.").arg(last));
  QPushButton* keep =
      box.addButton(names.size() == 1 ? tr("Save") : tr("Save %1 modules").arg(names.size()),
                    QMessageBox::AcceptRole);
  QPushButton* drop = box.addButton(tr("Discard edits"), QMessageBox::DestructiveRole);
  QPushButton* stay = box.addButton(tr("Keep editing"), QMessageBox::RejectRole);
  keep->setObjectName(QStringLiteral("modulesSave"));
  drop->setObjectName(QStringLiteral("modulesDiscard"));
  stay->setObjectName(QStringLiteral("modulesStay"));
  box.setDefaultButton(keep);
  box.setEscapeButton(stay);
  box.exec();
  if (box.clickedButton() != keep && box.clickedButton() != drop) return false;
  QList<int> indices;
  for (const QString& path : std::as_const(closing)) indices << modules_.indexOf(path);
  if (box.clickedButton() == keep) {
    save(indices);
    if (!waitUntilSaved()) return false;
  } else {
    modules_.discard(indices);
  }
  return std::none_of(closing.cbegin(), closing.cend(), [&](const QString& path) {
    return modules_.isModified(modules_.indexOf(path)) && !left.contains(path);
  });
}

bool ModuleEditing::mayRun(const QStringList& used) {
  const Waiting waiting{[&](const QString& path) { return used.contains(path); }, false,
                        tr("The run starts when the file is saved."), tr("Do not run"), false};
  const auto waitUntilSaved = [&] { return waitForSaving(waiting) == Waited::Saved; };
  if (!waitUntilSaved()) return false;
  QStringList paths;
  QStringList names;
  for (const int module : modules_.modified()) {
    if (!used.contains(modules_.path(module))) continue;
    paths << modules_.path(module);
    names << nameOf(paths.back());
  }
  if (paths.isEmpty()) return true;
  const bool one = paths.size() == 1;
  QMessageBox box(page_);
  box.setObjectName(QStringLiteral("runModules"));
  box.setIcon(QMessageBox::NoIcon);
  box.setTextFormat(Qt::PlainText);
  box.setText(haveUnsavedEdits(names));
  box.setInformativeText(one ? tr("A run takes the saved file.")
                             : tr("A run takes the saved files."));
  QPushButton* keep = box.addButton(tr("Save and run"), QMessageBox::AcceptRole);
  QPushButton* asSaved = box.addButton(one ? tr("Run the saved file") : tr("Run the saved files"),
                                       QMessageBox::DestructiveRole);
  QPushButton* cancel = box.addButton(tr("Do not run"), QMessageBox::RejectRole);
  keep->setObjectName(QStringLiteral("modulesSaveAndRun"));
  asSaved->setObjectName(QStringLiteral("modulesRunSaved"));
  cancel->setObjectName(QStringLiteral("modulesDoNotRun"));
  box.setDefaultButton(keep);
  box.setEscapeButton(cancel);
  box.exec();
  if (box.clickedButton() == asSaved) return true;
  if (box.clickedButton() != keep) return false;
  QList<int> indices;
  for (const QString& path : std::as_const(paths)) indices << modules_.indexOf(path);
  save(indices);
  return waitUntilSaved() &&
         std::none_of(paths.cbegin(), paths.cend(), [this](const QString& path) {
           return modules_.isModified(modules_.indexOf(path));
         });
}

tl::expected<void, QString> ModuleEditing::createModule(
    const NewModule& module, std::function<void(const QString& why)> failed) {
  const QString path = module.path;
  const QFileInfo info(path);
  if (!module.replace && info.exists()) {
    return tl::unexpected(tr("%1 is there already, in %2. Choose another name.")
                              .arg(info.fileName(), QDir::toNativeSeparators(info.path())));
  }
  const ModuleFile there = info.isFile() ? readForEditing(path) : ModuleFile{};
  const auto text =
      std::make_shared<const std::string>(moduleTemplate(info.completeBaseName(), module.type));
  const auto done = [this, path, failed = std::move(failed)](const auto& written) {
    if (!written) {
      if (failed) return failed(written.error().text);
      Q_EMIT this->failed(tr("The module was not written"), written.error().text);
      return;
    }
    watch_.forget(path);
    if (modules_.indexOf(path) >= 0) modules_.noteOnDisk(readForEditing(path));
    Q_EMIT created(path);
  };
  saver_.write({path, text, there.bytes}, done);
  return {};
}

// Notices

QList<RunTrouble> ModuleEditing::notices() const {
  QList<RunTrouble> all;
  for (int i = 0; i < modules_.count(); ++i) {
    if (modules_.isChangedOnDisk(i)) all << changedOnDisk(i);
    if (modules_.isGone(i)) all << gone(i);
  }
  for (const RecoverableModule& edits : unsaved_) all << unsaved(edits);
  return all;
}

RunTrouble ModuleEditing::changedOnDisk(int module) const {
  const QString path = modules_.path(module);
  const QString name = nameOf(path);
  auto* self = const_cast<ModuleEditing*>(this);
  RunTrouble notice;
  notice.state = theme::State::Warning;
  notice.id = QStringLiteral("module-changed/") + path;
  notice.title = tr("Another program changed %1").arg(name);
  notice.detail = tr("It has %1 here. Neither is overwritten until you choose.")
                      .arg(counted(modules_.edits(module)));
  notice.brief = tr("%1 changed").arg(name);
  // By path: another module may have the number by then.
  notice.actions
      << RunTrouble::Action{tr("Reload"),
                            [self, path] { self->modules_.reload(self->modules_.indexOf(path)); }}
      << RunTrouble::Action{tr("Keep my edits"),
                            [self, path] { self->modules_.keepMine(self->modules_.indexOf(path)); }}
      << RunTrouble::Action{tr("Compare"),
                            [self, path] { Q_EMIT self->comparisonRequested({path}); }};
  return notice;
}

RunTrouble ModuleEditing::gone(int module) const {
  const QString path = modules_.path(module);
  auto* self = const_cast<ModuleEditing*>(this);
  RunTrouble notice;
  notice.state = theme::State::Warning;
  notice.id = QStringLiteral("module-gone/") + path;
  notice.title = tr("%1 is no longer on disk").arg(nameOf(path));
  notice.detail = tr("Another program removed or renamed %1. This page still has it.").arg(path);
  notice.brief = tr("module removed");
  notice.actions << RunTrouble::Action{
      tr("Save it again"), [self, path] { self->save({self->modules_.indexOf(path)}); }};
  return notice;
}

RunTrouble ModuleEditing::unsaved(const RecoverableModule& edits) const {
  const QString name = nameOf(edits.module);
  auto* self = const_cast<ModuleEditing*>(this);
  RunTrouble notice;
  notice.state = theme::State::Info;
  notice.id = QStringLiteral("module-unsaved/") + edits.file;
  notice.title = edits.edits == 1
                     ? tr("%1 has an edit that was not saved").arg(name)
                     : tr("%1 has %2 edits that were not saved").arg(name).arg(edits.edits);
  notice.detail = tr("A console ended without saving them; they are from %1.")
                      .arg(theme::formatWhen(edits.written, QDateTime::currentDateTime()));
  notice.brief = tr("unsaved edits");
  // Copies: deciding changes the list.
  notice.actions << RunTrouble::Action{tr("Recover %1").arg(escaped(name)),
                                       [self, edits] { self->recover(edits); }}
                 << RunTrouble::Action{tr("Discard them"), [self, edits] {
                                         const auto done = ModuleRecovery::discard(edits.file);
                                         if (!done) {
                                           Q_EMIT self->failed(
                                               tr("The unsaved edits were not discarded"),
                                               done.error());
                                         }
                                         self->lookForUnsavedEdits();
                                         Q_EMIT self->changed();
                                       }};
  return notice;
}

void ModuleEditing::lookForUnsavedEdits() { unsaved_ = ModuleRecovery::list(watched_); }

void ModuleEditing::recover(const RecoverableModule& edits) {
  const auto kept = ModuleRecovery::load(edits.file);
  const auto recovered =
      kept ? modules_.recover(modules_.indexOf(edits.module), kept->bytes, kept->savedThen)
           : tl::expected<void, QString>(tl::unexpected(kept.error()));
  if (!recovered) {
    Q_EMIT failed(tr("The unsaved edits were not recovered"), recovered.error());
    lookForUnsavedEdits();
    Q_EMIT changed();
    return;
  }
  // The old file goes only when a new one has them, or the module's own file.
  autosave_.writeNow();
  if (autosave_.isKept(edits.module) || !modules_.isModified(modules_.indexOf(edits.module))) {
    // Where that fails, they are offered again.
    static_cast<void>(ModuleRecovery::discard(edits.file));
  }
  lookForUnsavedEdits();
  Q_EMIT changed();
}

}  // namespace tutti::fomedit
