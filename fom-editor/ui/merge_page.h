// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "fom-editor/model/merge_rows.h"
#include "fom-editor/model/merge_session.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace tutti::theme {
class ElidedLabel;
class SegmentedControl;
class StatePill;
}  // namespace tutti::theme

namespace tutti::fomedit {

class ConflictView;
class DeclarationView;
class FindingModel;
class MergeFiles;
class SourceView;
class TableModel;
class TableView;

/// Three versions of a module and what they merge into: first the files, then the conflicts with
/// what each version has and what to take, what merged by itself, the result, and what the checks
/// say about it. Who saves listens to its signals.
class MergePage : public QWidget {
  Q_OBJECT
 public:
  /// `session` outlives the page.
  explicit MergePage(MergeSession& session, QWidget* parent = nullptr);

  MergeFiles& files() { return *files_; }
  const MergeRows& rows() const { return *rows_; }
  /// Asks for the files.
  void askForFiles();
  bool isAsking() const;
  /// F8 and Shift+F8: the next open conflict, round at the ends.
  void step(int direction);
  void focusConflicts();
  /// Whether there is a result without open conflicts.
  bool canSave() const;
  /// Why there is none, and what to do; empty: there is one.
  QString whyNotSaved() const;
  /// Tells what was done, or that a file could not be written.
  void showSaved(const QString& path);

 Q_SIGNALS:
  void closed();
  void mergeRequested(const QString& base, const QString& ours, const QString& theirs);
  void saveRequested();
  void saveAsRequested();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  enum View { ConflictsView, ChangesView, ResultView };

  QWidget* buildBar();
  QWidget* buildConflicts();
  QWidget* buildDetail();
  QWidget* buildFindings();
  QWidget* buildFooter();
  void adopt(const std::shared_ptr<const MergeState>& state);
  void refresh();
  void fillVerdict();
  void fillChanges();
  void fillFindings();
  void fillDetail();
  void showView(int view);
  void choose(int row, const std::optional<MergeDecision>& decision);
  void takeOwnValue();

  MergeSession& session_;
  MergeRows* rows_;
  TableModel* changes_;
  FindingModel* findings_;
  QString saved_;                                ///< the file that has the result
  std::string shownKey_;                         ///< of the conflict whose declarations are shown
  std::shared_ptr<const ModuleSource> shownOf_;  ///< of the merge that it is of

  QStackedWidget* pages_ = nullptr;
  MergeFiles* files_ = nullptr;
  theme::StatePill* verdict_ = nullptr;
  theme::ElidedLabel* sentence_ = nullptr;
  QToolButton* undo_ = nullptr;
  QToolButton* redo_ = nullptr;
  QToolButton* previous_ = nullptr;
  QToolButton* next_ = nullptr;
  QLabel* position_ = nullptr;
  QPushButton* otherFiles_ = nullptr;
  theme::SegmentedControl* views_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  ConflictView* conflicts_ = nullptr;
  QLabel* place_ = nullptr;
  QLabel* reason_ = nullptr;
  std::array<DeclarationView*, MergeState::SideCount> declarations_{};
  QPushButton* both_ = nullptr;
  QPushButton* reopen_ = nullptr;
  QWidget* own_ = nullptr;
  QLineEdit* ownValue_ = nullptr;
  TableView* changeView_ = nullptr;
  SourceView* result_ = nullptr;
  QWidget* findingBox_ = nullptr;
  QLabel* findingTitle_ = nullptr;
  QLabel* left_ = nullptr;
  theme::ElidedLabel* outcome_ = nullptr;
  QPushButton* allOurs_ = nullptr;
  QPushButton* allTheirs_ = nullptr;
  QPushButton* saveAs_ = nullptr;
  QPushButton* save_ = nullptr;
};

}  // namespace tutti::fomedit
