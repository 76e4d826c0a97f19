// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <vector>

#include "launcher/engine/launch_plan.h"
#include "launcher/engine/preflight.h"
#include "resources/theme/workspace.h"

class QLabel;
class QPlainTextEdit;
class QSortFilterProxyModel;
class QStackedWidget;
class QToolButton;

namespace tutti::composer {
class Document;
}

namespace tutti::theme {
class SearchField;
}

namespace tutti::launcher {

class HostPanel;
class LaunchOrderModel;
class LaunchOrderView;
class PlacementView;
class PreflightPanel;

/// The Deploy page: this machine, what runs on it, in which order it starts, the commands, and what
/// stands in the way of a run. Edits go through the document and can be undone.
class DeployWorkspace : public theme::Workspace {
  Q_OBJECT

 public:
  explicit DeployWorkspace(composer::Document* document, QWidget* parent = nullptr);
  ~DeployWorkspace() override;

  /// False until the first check is done, and while one of its checks stops the run.
  bool mayRun() const;
  /// "Run needs 1 fix: radar 1.4 is missing"; empty when nothing stops it.
  QString whyNotRun() const;
  const std::vector<PreflightCheck>& preflightChecks() const { return checks_; }
  bool isChecking() const { return checking_ || checkTimer_.isActive(); }
  /// Whether whyNotRun() only says that there has been no check yet.
  bool isAwaitingChecks() const { return !everChecked_; }
  /// Selects a federate by id.
  void selectFederate(const QString& id);
  QString selectedFederate() const;
  /// Writes the launch plan; false with `why` when there is none or the file cannot be written.
  bool writePlan(const QString& file, QString* why);

  QString commandLine() const override;
  QStringList statusNotes() const override;
  QUndoStack* undoStack() const override;
  void provideFinds(QList<theme::FindEntry>& into) const override;
  QHash<QString, QList<QAction*>> menuActions() const override;
  void focusFilter() override;
  void showNextProblem(int direction) override;
  void setActive(bool active) override;

 Q_SIGNALS:
  /// mayRun(), whyNotRun() or preflightChecks() changed.
  void preflightChanged();

 public Q_SLOTS:
  void showItem(const QString& item) override;
  /// Checks again, files on disk included.
  void checkAgain();

 private:
  void buildCentre();
  void buildPanes();
  void connectDocument();
  void check();
  void checked(std::vector<PreflightCheck> checks, double seconds);
  void planAgain();
  void showSelection();
  void askWhereToWrite();
  void toggleSelected();
  void showContextMenu(const QPoint& position);

  composer::Document* document_;
  LaunchOrderModel* model_;
  QSortFilterProxyModel* filtered_;
  QSortFilterProxyModel* placed_;
  HostPanel* host_ = nullptr;
  LaunchOrderView* order_ = nullptr;
  PlacementView* placement_ = nullptr;
  PreflightPanel* preflight_ = nullptr;
  QStackedWidget* centre_ = nullptr;
  QLabel* placementCaption_ = nullptr;
  QLabel* placementNeeds_ = nullptr;
  QLabel* prompt_ = nullptr;
  QLabel* command_ = nullptr;
  QToolButton* copyCommand_ = nullptr;
  QPlainTextEdit* planText_ = nullptr;
  theme::SearchField* search_ = nullptr;
  QDockWidget* orderPane_ = nullptr;
  QDockWidget* planPane_ = nullptr;
  QDockWidget* preflightPane_ = nullptr;
  QAction* toggle_ = nullptr;
  QAction* write_ = nullptr;
  QAction* again_ = nullptr;
  QTimer checkTimer_;
  QTimer planTimer_;
  std::vector<PreflightCheck> checks_;
  std::optional<LaunchPlan> plan_;
  QString planProblem_;
  quint64 generation_ = 0;  ///< Of the newest check; older results are dropped.
  bool checking_ = false;
  bool everChecked_ = false;
  int problem_ = -1;  ///< The check that F8 showed last.
};

}  // namespace tutti::launcher
