// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <QUndoStack>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "fom-editor/model/line_changes.h"
#include "fom-editor/model/loaded_model.h"
#include "fom-editor/model/module_file.h"
#include "fom-editor/model/module_merge.h"

namespace tutti::fomedit {

/// What is merged.
struct MergeRequest {
  QString base;
  QString ours;
  QString theirs;
  ModuleTexts texts{};    ///< edited texts in the place of files
  QStringList context{};  ///< modules that the result is checked with; of these it replaces ours
};

/// Three versions and what they merge into, or why they do not.
struct MergeState {
  enum Side { Base, Ours, Theirs, SideCount };

  MergeRequest request;
  bool isNew = false;                        ///< read by begin(), no change of choices
  std::array<ModuleBytes, SideCount> bytes;  ///< as read; null with a fault
  std::array<std::shared_ptr<const ModuleSource>, SideCount> sources;
  MergeChoices choices;  ///< that `merge` is of
  ModuleMerge merge;
  std::vector<MergeChange> fromOurs;    ///< what the result has of ours alone
  std::vector<MergeChange> fromTheirs;  ///< what it takes of theirs without a conflict
  QList<Finding> findings;              ///< about the result
  QString text;                         ///< the result as it is read
  LineChanges changes;                  ///< its lines against ours
  QString fault;                        ///< text for a person; empty: they merge

  QString path(int side) const;
};

/// Reads, merges and checks. `before`: versions that were read and need not be read again. May wait
/// for the file system. Thread-safe.
MergeState mergeVersions(const MergeRequest& request, const MergeChoices& choices,
                         const MergeState* before = nullptr);

/// A merge that a person decides conflict by conflict: choices with a history, and the result of
/// them, made in a worker. All calls and signals on the thread that the session lives in. The
/// destructor waits for the worker.
class MergeSession : public QObject {
  Q_OBJECT
 public:
  explicit MergeSession(QObject* parent = nullptr);
  ~MergeSession() override;

  /// Reads and merges; choices and history of an earlier merge go when it is there. Until then
  /// nothing can be chosen for that; an undo is merged when the new merge fails or is cancelled.
  void begin(const MergeRequest& request);
  bool isMerging() const { return merging_; }
  /// At once, whatever a file system does: what still reads is never reported. Choices that
  /// state() does not have yet are merged anew.
  void cancel();

  /// The latest result; null: there is none.
  const std::shared_ptr<const MergeState>& state() const { return state_; }
  /// As the person has them; state() follows.
  const MergeChoices& choices() const { return choices_; }
  /// Whether state() is of choices().
  bool isCurrent() const { return state_ && !merging_ && state_->choices == choices_; }
  /// What was chosen for a conflict, also where state() does not have it yet.
  std::optional<MergeDecision> chosen(const MergeConflict& conflict) const;
  /// Conflicts without a choice.
  int open() const;

  /// Decides about a conflict of state() as one step; nothing: it is open again. Not while the
  /// merge of begin() runs.
  void choose(const MergeConflict& conflict, const std::optional<MergeDecision>& decision);
  /// The same for all that are open and offer it.
  void chooseAllOpen(MergeChoice choice);
  /// How many that would be.
  int openThatOffer(MergeChoice choice) const;
  /// Undo and redo of choices; the texts name the conflicts.
  QUndoStack& undoStack() { return history_; }

  /// Writes the result into a file that holds `expected` (null: there is none) in a worker, all or
  /// nothing. saved() or notSaved() follows, the latter at once where there is nothing to save.
  void save(const QString& path, const ModuleBytes& expected);
  bool isSaving() const { return saving_; }

 Q_SIGNALS:
  /// Of begin(), and after each change of choices.
  void merged(const std::shared_ptr<const tutti::fomedit::MergeState>& state);
  void choicesChanged();
  /// By cancel(). isMerging() is true only where choices are merged anew.
  void cancelled();
  void saved(const QString& path);
  /// `why`: what, where, why and what next.
  void notSaved(const QString& path, const QString& why);

 private:
  class Step;
  void setChoices(const MergeChoices& choices);
  void push(MergeChoices next, const QString& label);
  void start(const MergeRequest& request, const MergeChoices& choices,
             const std::shared_ptr<const MergeState>& before);
  void deliver(const std::shared_ptr<const MergeState>& state);
  /// Where state() is of other choices.
  void mergeChoices();
  /// One sentence or two; empty: the result can be saved.
  QString whyNotSaved() const;

  std::shared_ptr<const MergeState> state_;
  MergeChoices choices_;
  QUndoStack history_;
  bool merging_ = false;
  bool beginning_ = false;  // what merges is of begin()
  bool saving_ = false;
  std::atomic<std::uint64_t> latest_ = 0;  // read by the worker, to skip what is out of date
  QThreadPool writers_;
  QThreadPool pool_;  // last: destroyed, and so waited for, first
};

}  // namespace tutti::fomedit
