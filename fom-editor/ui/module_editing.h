// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QSet>
#include <QStringList>
#include <cstdint>
#include <functional>
#include <vector>

#include "fom-editor/model/edited_items_finder.h"
#include "fom-editor/model/module_recovery.h"
#include "fom-editor/model/module_saver.h"
#include "fom-editor/model/module_watch.h"
#include "fom-editor/model/open_modules.h"
#include "resources/theme/run_status.h"

class QAction;
class QWidget;

namespace tutti::fomedit {

/// Editing on the Object model page: the open modules with their files watched and their unsaved
/// edits kept, the actions for them, and what the person is asked.
class ModuleEditing : public QObject {
  Q_OBJECT
 public:
  /// Dialogs belong to `page`.
  explicit ModuleEditing(QWidget* page);
  ~ModuleEditing() override;

  OpenModules& modules() { return modules_; }
  const OpenModules& modules() const { return modules_; }
  ModuleWatch& watch() { return watch_; }
  ModuleAutosave& autosave() { return autosave_; }

  QAction* undoAction() const { return undo_; }
  QAction* redoAction() const { return redo_; }
  QAction* saveAction() const { return save_; }
  QAction* showEditsAction() const { return showEdits_; }

  /// Begins to save these modules, or all that are modified; what could not be saved failed() says.
  void save(const QList<int>& modules);
  void saveAll() { save(modules_.modified()); }
  bool isSaving() const { return saver_.isSaving(); }
  /// Asks about the unsaved edits of modules that are not among `staying`, and waits for what is
  /// being saved of them. False: the person keeps them open, or a module could not be saved. Edits
  /// that are given up are discarded; those that a disk does not take in time may be left for
  /// recovery.
  bool mayClose(const QStringList& staying = {});
  /// Asks about unsaved edits of `used`, the modules of a run, which takes the saved files. False:
  /// the person does not want it now, or a module could not be saved.
  bool mayRun(const QStringList& used);
  /// Not saved, over all modules.
  int editCount() const;
  /// "5 unsaved edits in 2 modules"; empty: none.
  QString note() const;
  /// itemPath() of what is not saved as it is, as far as it was looked at: changed() tells.
  const QSet<QString>& editedItems() const { return editedItems_; }
  /// For the window's banner: files that other programs changed, and edits that wait to be
  /// recovered.
  QList<theme::RunTrouble> notices() const;
  struct NewModule {
    QString path;
    QString type = QStringLiteral("FOM");  ///< or "SOM"
    /// A file that is there is replaced only where the person said so.
    bool replace = false;
  };
  /// Begins to write a new module; created() tells that it is there, failed() that it is not, or
  /// `failed` where that is given. The error is text for a person.
  tl::expected<void, QString> createModule(const NewModule& module,
                                           std::function<void(const QString& why)> failed = {});
  tl::expected<void, QString> createModule(const QString& path, bool replace = false) {
    return createModule({path, QStringLiteral("FOM"), replace});
  }

 Q_SIGNALS:
  /// note(), notices() or an action changed.
  void changed();
  void failed(const QString& title, const QString& detail);
  /// Asks to compare a module as it is edited with its file.
  void comparisonRequested(const QStringList& paths);
  void created(const QString& path);

 private:
  void update();
  enum class Waited : std::uint8_t { Saved, Staying, Left };
  /// What is waited for, and what the person is told meanwhile.
  struct Waiting {
    std::function<bool(const QString& path)> isAwaited;  ///< of the modules that are being saved
    bool awaitsNewModules = false;                       ///< also files of createModule()
    QString then;                                        ///< what comes when they are saved
    QString stay;                                        ///< on the button that gives it up
    bool mayLeave = false;                               ///< edits may be left for recovery
  };
  QStringList awaited(const Waiting& waiting) const;
  bool isBusy(const Waiting& waiting) const;
  Waited waitForSaving(const Waiting& waiting);
  void lookForUnsavedEdits();
  void findEditedItems();
  void recover(const RecoverableModule& edits);
  theme::RunTrouble changedOnDisk(int module) const;
  theme::RunTrouble gone(int module) const;
  theme::RunTrouble unsaved(const RecoverableModule& edits) const;

  QWidget* page_;
  OpenModules modules_;
  ModuleSaver saver_;
  ModuleWatch watch_;
  ModuleAutosave autosave_;
  QStringList watched_;
  std::vector<RecoverableModule> unsaved_;
  QSet<QString> editedItems_;
  EditedItemsFinder finder_;
  QAction* undo_;
  QAction* redo_;
  QAction* save_;
  QAction* showEdits_;
};

}  // namespace tutti::fomedit
