// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <memory>
#include <vector>

#include "launcher/engine/host_check.h"
#include "launcher/engine/launch_plan.h"
#include "launcher/engine/placement_input.h"
#include "launcher/engine/preflight.h"
#include "resources/theme/workspace.h"

class QLabel;
class QPlainTextEdit;
class QSettings;
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

class AutoPlacement;
class ClusterScreen;
class ClusterWatch;
class ConnectionsView;
class HostPreflight;
class HostSources;
class HostsModel;
class HostsPane;
class HostWatch;
class LaunchOrderModel;
class LaunchOrderView;
class PartitionPlacement;
class PlacementPage;
class PreflightPanel;
struct QueuePlace;

/// The Deploy page: the hosts, what runs on which, how they are connected, in which order all
/// starts, the commands, and what stands in the way of a run. Edits go through the document and can
/// be undone; hosts are kept in a hosts file.
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
  /// Writes both plans and the scripts into a folder, as `tutti plan -o` does; false with `why`
  /// when there is no plan or the folder cannot be written.
  bool writePlan(const QString& folder, QString* why);

  /// Where the choice of another hosts file is remembered; outlives the page.
  void setSettings(QSettings* settings);
  /// The hosts file that a run takes; empty: there is none.
  QString hostsFile() const;
  /// Takes another one than that beside the composition, until another composition is opened or,
  /// with settings, for as long as it is there.
  void useHostsFile(const QString& file);
  /// Rates that placing goes by in place of the declared ones.
  void setMeasured(MeasuredSource source);
  const HostWatch& hostWatch() const { return *watch_; }
  /// The plan of a run whose Slurm jobs wait at these places, as it was submitted; null: none.
  void setSubmitted(const std::shared_ptr<const LaunchPlan>& plan,
                    const std::vector<QueuePlace>& places);
  /// The run that the window has now, by its identifier; empty: none. A port that it holds is free
  /// before another run starts here.
  void setOwnRun(const QString& run);
  ClusterWatch* clusterWatch() const { return clusters_; }

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
  void hostsFileChanged();
  /// A host was asked, and has answered or refused.
  void hostAnswered(const tutti::launcher::HostReport& report);
  /// Start the composition as it is now.
  void runRequested();
  /// Watch a run in a job of this account on the first node of that.
  void watchRequested(const tutti::launcher::Host& host, const QString& run);

 public Q_SLOTS:
  void showItem(const QString& item) override;
  /// Checks again, files on disk included.
  void checkAgain();

 private:
  void buildCentre();
  void buildPanes();
  void buildExports();
  void connectDocument();
  void connectHosts();
  void buildClusterScreen();
  void openHostsFile();
  void showHostsFile();
  void askForHostsFile();
  /// The file to make when hosts are added and there is none.
  QString newHostsFile();
  QString settingsKey() const;
  QString hostsOption() const;
  std::vector<PreflightCheck> placementChecks() const;
  /// What this machine, the placement and the hosts say, together.
  void combineChecks();
  void applyFix(const PreflightFix& fix);
  void check();
  void checked(std::vector<PreflightCheck> checks, double seconds);
  void planAgain();
  void showSelection();
  void askWhereToWrite();
  void toggleSelected();
  void showContextMenu(const QPoint& position);

  composer::Document* document_;
  HostWatch* watch_;
  ClusterWatch* clusters_;
  PartitionPlacement* partitions_;
  HostSources* sources_;
  AutoPlacement* autoPlacement_;
  HostPreflight* hostPreflight_;
  HostsModel* hosts_;
  LaunchOrderModel* model_;
  QSortFilterProxyModel* filtered_;
  QSettings* settings_ = nullptr;
  HostsPane* hostsPanel_ = nullptr;
  ClusterScreen* cluster_ = nullptr;
  ConnectionsView* connections_ = nullptr;
  LaunchOrderView* order_ = nullptr;
  PlacementPage* placement_ = nullptr;
  PreflightPanel* preflight_ = nullptr;
  QStackedWidget* centre_ = nullptr;
  QLabel* prompt_ = nullptr;
  QLabel* command_ = nullptr;
  QToolButton* copyCommand_ = nullptr;
  QPlainTextEdit* planText_ = nullptr;
  theme::SearchField* search_ = nullptr;
  QDockWidget* hostsDock_ = nullptr;
  QDockWidget* connectionsPane_ = nullptr;
  QDockWidget* orderPane_ = nullptr;
  QDockWidget* planPane_ = nullptr;
  QDockWidget* preflightPane_ = nullptr;
  QAction* toggle_ = nullptr;
  QAction* write_ = nullptr;
  QAction* place_ = nullptr;
  QAction* again_ = nullptr;
  QList<QAction*> exports_;
  QTimer checkTimer_;
  QTimer planTimer_;
  std::vector<PreflightCheck> localChecks_;  ///< of this machine and the composition
  std::vector<PreflightCheck> checks_;       ///< all
  std::optional<LaunchPlan> plan_;
  QString planProblem_;
  QString written_;         ///< folder that the plan was written into; empty: it was not
  quint64 generation_ = 0;  ///< Of the newest check; older results are dropped.
  QString ownRun_;          ///< the last one that the window had
  bool ownRunGoesOn_ = false;
  bool active_ = false;
  bool checking_ = false;
  bool everChecked_ = false;
  int problem_ = -1;  ///< The check that F8 showed last.
};

}  // namespace tutti::launcher
