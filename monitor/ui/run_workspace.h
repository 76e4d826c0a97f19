// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QTimer>

#include "monitor/engine/feed.h"
#include "monitor/engine/recorder.h"
#include "resources/theme/run_status.h"
#include "resources/theme/workspace.h"

class QLabel;
class QPushButton;
class QStackedWidget;
class QToolButton;
class QTreeView;

namespace tutti::theme {
class EmptyView;
class SearchField;
class SegmentedControl;
class StatePill;
}  // namespace tutti::theme

namespace tutti::monitor {

class DeathCard;
class FederateFilter;
class FederateModel;
class FederatePanel;
class LogModel;
class LogPanel;
class NeedsYouPanel;
class TimeAxis;
class TopologyView;

/// The page "Run": the live federation. Shows what the feed samples and the recorder has written,
/// and asks for what a person wants done; it never touches a process itself.
class RunWorkspace : public theme::Workspace {
  Q_OBJECT

 public:
  /// Neither is owned; `recorder` may be null (then log() shows lines at once).
  RunWorkspace(Feed* feed, Recorder* recorder, QWidget* parent = nullptr);

  void setCommandLine(const QString& line);
  /// What the empty page's button runs: "air-traffic"; empty disables it.
  void setRunnable(const QString& composition);
  /// For the panel "Objects" and for what is lost when a federate dies.
  void setDeclarations(std::vector<Declarations> declarations);
  /// Starts an empty log; called when a run begins.
  void beginRun(const QString& title);
  /// For a workspace without a recorder.
  void log(const std::vector<LogRecord>& lines);

  /// What the banner and the pill show, worst first; changes with troublesChanged().
  QList<theme::RunTrouble> troubles() const { return troubles_; }

  void select(const QString& federate);
  QString selected() const { return selected_; }
  TopologyView* topology() const { return topology_; }
  FederatePanel* federatePanel() const { return panel_; }

  QString commandLine() const override { return commandLine_; }
  QStringList statusNotes() const override;
  void provideFinds(QList<theme::FindEntry>& into) const override;
  QHash<QString, QList<QAction*>> menuActions() const override;
  void focusFilter() override;
  void showNextProblem(int direction) override;
  void setActive(bool active) override;

 public slots:
  void showItem(const QString& item) override;
  /// Shows one federate's log.
  void showLog(const QString& federate);
  void exportAll();

 signals:
  void runRequested();
  void stopRequested(const QString& federate);
  void killRequested(const QString& federate);
  void restartRequested(const QString& federate);
  void troublesChanged();

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildCentre();
  void buildTimeDock();
  void buildFederatesDock();
  void buildLogDock();
  void buildDetailsDock();
  void tick();
  void showTexts(const SnapshotPointer& snapshot);
  void updateLegend();
  void updateColumns();
  void updateFilters(const Snapshot& snapshot);
  void exportOne(const QString& what);
  tl::expected<void, QString> exportTo(const QString& what, const QString& path);
  QString exportTitle(const QString& what) const;

  Feed* feed_;
  Recorder* recorder_;
  QString commandLine_;
  QString title_;
  QString selected_;
  std::vector<Declarations> declarations_;
  QList<theme::RunTrouble> troubles_;
  QTimer timer_;
  unsigned turn_ = 0;
  bool active_ = true;
  bool settledSizes_ = false;

  QStackedWidget* centre_;
  theme::EmptyView* empty_;
  theme::SegmentedControl* views_;
  QStackedWidget* viewStack_;
  TopologyView* topology_;
  TimeAxis* bigTimeAxis_;
  QWidget* legend_;
  QLabel* flows_;
  QLabel* zoom_;
  TimeAxis* timeAxis_;
  FederateModel* federates_;
  FederateFilter* filter_;
  QTreeView* table_;
  QLabel* noMatch_;
  theme::SegmentedControl* show_;
  theme::SearchField* search_;
  theme::StatePill* pills_[3];
  LogModel* logModel_;
  LogPanel* logPanel_;
  QStackedWidget* details_;
  FederatePanel* panel_;
  NeedsYouPanel* needsYou_;
  DeathCard* deathCard_;
  QDockWidget* timeDock_;
  QDockWidget* federatesDock_;
  QDockWidget* logDock_;
  QDockWidget* detailsDock_;
  QAction* exportAll_;
  QToolButton* back_;
  bool hidTimeDock_ = false;  ///< while the centre shows time
};

}  // namespace tutti::monitor
