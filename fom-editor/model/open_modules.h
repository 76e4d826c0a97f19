// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QStringList>
#include <QUndoStack>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fom-editor/model/module_file.h"

namespace tutti::fomedit {

/// One change by the person: splices for one or more modules, undone as one.
struct ModelEdit {
  QString label;  ///< "add attribute phase", shown as "Undo: add attribute phase"
  std::vector<std::pair<int, Splices>> changes;  ///< by index into OpenModules, each module once
  QString item{};                                ///< itemPath() to select after it; may be empty
  /// Content that goes from one module into another, by index.
  struct Move {
    int from = 0;
    int into = 0;
  };
  std::optional<Move> move{};
};

/// One module on its way to the disk.
struct ModuleWriting {
  QString path;
  ModuleBytes bytes;
  ModuleBytes expected;  ///< what the file has to hold before, see replaceModuleFile()
};

/// The modules that the page shows, open for editing: a ModuleSource per XML module and one history
/// over all of them; which of them are changed; saving; and what other programs did to their files.
/// Modules of HLA 1.3, those that are not well-formed and those that cannot be written are read
/// only. The MIM is none of them. Indices are places in the list of paths, until the next open().
/// GUI thread only; open(paths), save() and discard() wait for the file system.
class OpenModules : public QObject {
  Q_OBJECT
 public:
  explicit OpenModules(QObject* parent = nullptr);
  ~OpenModules() override;

  /// Shows these modules. Those that stay open keep their edits and their part of the history, the
  /// others go with theirs: see modified() before.
  void open(const QStringList& paths);
  /// The same with files that a worker has read; of what stays open they are not looked at.
  void open(const QList<ModuleFile>& files);

  // What there is
  int count() const { return static_cast<int>(modules_.size()); }
  /// As it was given.
  QString path(int module) const;
  QStringList paths() const;
  /// -1: it is not open.
  int indexOf(const QString& path) const;
  /// Null where it cannot be edited. Valid until the next change of the module.
  const ModuleSource* source(int module) const;
  /// To look rows up: also where the file cannot be written. Null where it could not be parsed.
  const ModuleSource* readableSource(int module) const;
  /// One sentence; empty: it can be edited.
  QString readOnlyReason(int module) const;
  /// With its edits; null where the file could not be read.
  ModuleBytes bytes(int module) const;
  /// What the file holds, or held before it was removed, as far as it is known; null: there was
  /// none.
  ModuleBytes onDisk(int module) const;
  /// Whether somebody removed the file. That is no edit: save() writes it again, and without edits
  /// the module follows the file when it is back.
  bool isGone(int module) const;
  /// bytes() of all that have some, by path.
  ModuleTexts texts() const;

  /// Modules with unsaved edits that have content which the edits took out of this one. They are
  /// saved before it: what moves is at no moment in no file.
  QStringList savedBefore(int module) const;

  // Edits
  /// Whether the module is something else than onDisk(). Undone or typed back to that: it is not.
  bool isModified(int module) const;
  /// Steps since it was saved; at least 1 while it is modified, else 0.
  int edits(int module) const;
  QList<int> modified() const;
  /// All modules or none. The error is text for a person. Without an effect it is no step.
  tl::expected<void, QString> apply(const ModelEdit& edit);
  /// Undo and redo for menus; its text is the label of the edit.
  QUndoStack& undoStack() { return history_; }
  bool canUndo() const { return history_.canUndo(); }
  bool canRedo() const { return history_.canRedo(); }
  QString undoLabel() const { return history_.undoText(); }
  QString redoLabel() const { return history_.redoText(); }
  void undo() { history_.undo(); }
  void redo() { history_.redo(); }

  // Files
  /// Those that are modified or gone, each all or nothing. A file that was changed on disk is not
  /// overwritten: see keepMine(). The error names each that was not saved and why. Waits for the
  /// disk; ModuleSaver does not.
  tl::expected<void, QString> save(const QList<int>& modules);
  /// What saving a module puts in the place of its file, as the module is now, for
  /// replaceModuleFile() in whatever thread. The module counts as modified until noteWritten().
  /// The error says why it is not to be written; empty: there is nothing to save.
  tl::expected<ModuleWriting, QString> beginWriting(int module);
  /// What became of it. The error says why the module was not saved.
  tl::expected<void, QString> noteWritten(const ModuleWriting& writing,
                                          const tl::expected<void, WriteFault>& result);
  /// Goes back to what the file holds, as one step.
  void discard(const QList<int>& modules);
  /// Edits that were left unsaved, as one step; `savedThen` is the digest() of what the file held
  /// when they were made. Where it holds something else now, that counts as changed on disk.
  tl::expected<void, QString> recover(int module, const ModuleBytes& edited,
                                      const QByteArray& savedThen);
  static QByteArray digest(const ModuleBytes& bytes);
  /// The digest of what the edits of a module were made on: what the file holds, unless they were
  /// recovered and the person has not decided about what another program wrote since.
  QByteArray savedDigest(int module) const;

  /// What another look at the file gave: a module without edits follows it, as a step; for one with
  /// edits it is kept until the person decides.
  void noteOnDisk(const ModuleFile& file);
  /// Whether another program changed the file of a module with edits, and nothing was decided yet.
  bool isChangedOnDisk(int module) const;
  /// Takes what is on disk instead of the edits, as a step.
  void reload(int module);
  /// Keeps the edits; the next save() overwrites what is on disk now.
  void keepMine(int module);

 Q_SIGNALS:
  /// Which modules are open, bytes of one, or what is modified or read only.
  void changed();
  /// An edit was made, undone or redone that has an item.
  void itemEdited(const QString& item);
  /// isChangedOnDisk() changed.
  void changedOnDisk(int module);
  /// The file has what bytes() says.
  void saved(const QString& path);

 private:
  class Step;
  /// What a module is made of; the whole of it changes when it is reloaded.
  struct Content {
    std::unique_ptr<ModuleSource> source;  ///< null: it cannot be edited
    ModuleBytes bytes;                     ///< as the source has them
    QString reason;                        ///< why there is no source
  };
  struct Module;

  static Content contentOf(const ModuleFile& file);
  Module* find(const QString& path) const;
  const Module* at(int module) const;
  void replace(std::vector<std::pair<Module*, Content>> contents, const QString& label);
  void dropSteps(const QStringList& paths);
  bool hasSteps(const QString& path) const;
  void forgetRedo();
  static void noteChanged(Module& module, int steps);
  static void noteSaved(Module& module, const ModuleBytes& bytes, int steps, int lost = 0);
  void decided(Module& module);

  std::vector<std::unique_ptr<Module>> modules_;
  QUndoStack history_;
  QString item_;              ///< of the step that is being done or undone
  bool rearranging_ = false;  ///< steps move in the history: they do nothing
};

}  // namespace tutti::fomedit
