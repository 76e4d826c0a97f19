// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QKeySequence>
#include <QTimer>
#include <functional>
#include <memory>

#include "monitor/engine/feed.h"
#include "monitor/engine/link_decision.h"
#include "monitor/engine/recorder.h"
#include "monitor/ui/federate_commands.h"
#include "monitor/ui/run_export.h"
#include "resources/theme/run_status.h"
#include "resources/theme/workspace.h"

class QLabel;
class QMenu;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace tutti::theme {
class EmptyView;
class SegmentedControl;
}  // namespace tutti::theme

namespace tutti::monitor {

class DeathCard;
class FederateTable;
class FederatePanel;
class LinkTable;
class LogModel;
class LogPanel;
class RunPlots;
class RunProblems;
class SelectionPanel;
class TimeAxis;
class TopologyLegend;
struct ComposedRun;
class TopologyView;

/// The page "Run": the live federation. Shows what the feed samples and the recorder has written,
/// and asks for what a person wants done; it never touches a process itself.
class RunWorkspace : public theme::Workspace {
  Q_OBJECT

 public:
  /// Neither is owned; `recorder` may be null (then log() shows lines at once).
  RunWorkspace(Feed* feed, Recorder* recorder, QWidget* parent = nullptr);

  void setCommandLine(const QString& line);
  /// What the empty page's button runs: "air-traffic". With a reason why it cannot be run the page
  /// says so and the button asks for the same: whoever runs it shows the way to mend it.
  void setRunnable(const QString& composition, const QString& whyNot);
  /// For the panel "Objects" and for what is lost when a federate dies.
  void setDeclarations(std::vector<Declarations> declarations);
  /// Groups and classes of the topology's boxes and links.
  void setComposed(ComposedRun composed);
  /// What can be done to a host of the run, for the menu of its box and for Ctrl+K.
  struct HostAction {
    QString text;
    QString command;  ///< that does the same in a terminal
    QString whyNot;   ///< empty: it can be done
    std::function<void()> run;
  };
  void setHostActions(std::function<QList<HostAction>(const QString& host)> actions) {
    hostActions_ = std::move(actions);
  }
  /// Whether another program has the run that begins next: nothing here changes it then.
  void setWatched(bool watched);
  /// Hosts that a federate of the run can be asked to be moved to (empty: this machine), in the
  /// order in which they are offered.
  void setMoveTargets(std::function<QStringList(const QString& federate)> targets) {
    moveTargets_ = std::move(targets);
  }
  /// Whose troubles the pane "Problems" shows, those of troubles() among them, and where they are
  /// dismissed. It outlives the page; null: the pane shows troubles() alone.
  void setRunStatus(theme::RunStatus* status);
  /// What a federate wrote last before it died, oldest first.
  void setLastLines(std::function<QStringList(const QString& federate)> lines);
  /// Starts an empty log; called when a run begins.
  void beginRun(const QString& title);
  /// For a workspace without a recorder.
  void log(const std::vector<LogRecord>& lines);

  /// What the monitor finds wrong, worst first; changes with troublesChanged().
  QList<theme::RunTrouble> troubles() const { return troubles_; }

  void select(const QString& federate);
  /// Likewise several.
  void selectFederates(const QStringList& federates);
  /// The one federate that is selected; empty: none, or several.
  QString selected() const { return selected_; }
  QStringList selection() const;
  TopologyView* topology() const { return topology_; }
  FederatePanel* federatePanel() const { return panel_; }

  QString commandLine() const override;
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
  void showHostMenu(const QString& host, const QPoint& at);
  void showFederateMenu(const QString& federate, const QPoint& at);
  /// What can be done to all of them; `group`: the box on the canvas that they are in.
  void showFederatesMenu(const QStringList& federates, const QPoint& at, const QString& group = {});
  /// What can be decided about a link, by its address.
  void showLinkMenu(const QString& address, const QPoint& at);
  /// Asks for more time for the host behind the link.
  void waitForHost(const QString& address);
  /// What is lost when the host behind the link is given up, and the button that does it.
  void askToGiveUp(const QString& address);
  /// What is lost when this federate ends, and the button that ends it.
  void askToEnd(const QString& federate);
  /// Likewise, and the button that has it leave the run.
  void askToRemove(const QString& federate);
  /// Likewise of several, in a question that names them; of one, in its panel.
  void askTo(tutti::monitor::FederateCommand command, const QStringList& federates,
             const QString& group = {});
  void exportAll();
  /// Writes every view and table of the run into a folder; the number of files, or why not.
  tl::expected<int, QString> exportInto(const QString& folder);

 signals:
  void runRequested();
  void stopRequested(const QStringList& federates);
  void killRequested(const QStringList& federates);
  void restartRequested(const QStringList& federates);
  /// They shall leave the run.
  void removeRequested(const QStringList& federates);
  /// `host`: one of the move targets.
  void moveRequested(const QString& federate, const QString& host);
  /// What the MOM reports and conveys of it shall be adjusted.
  void adjustRequested(const QString& federate);
  /// The RTI shall wait so much longer for a host.
  void waitRequested(const tutti::monitor::SuspectLink& link, double seconds);
  /// It shall be taken for lost now.
  void giveUpRequested(const tutti::monitor::SuspectLink& link);
  void troublesChanged();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  std::function<QList<HostAction>(const QString&)> hostActions_;

  void buildCentre();
  void provideHostFinds(QList<theme::FindEntry>& into) const;
  void buildTimeDock();
  void buildFederatesDock();
  void buildLinksDock();
  void buildLogDock();
  void buildDetailsDock();
  void tick();
  void showTexts(const SnapshotPointer& snapshot);
  /// In all views but the table.
  void showSelected(const QString& federate);
  void updateLegend();
  void updateGroupActions();
  /// Says what came of an export.
  void report(const RunExport::Result& exported);
  /// What can be done to a federate, but for moving it: for its menu and for Ctrl+K.
  struct FederateAction {
    QString text;
    std::function<void()> run;
    QKeySequence shortcut = {};
    QString whyNot = {};  ///< empty: it can be done
  };
  QList<FederateAction> federateActions(const FederateView& view);
  QList<FederateAction> severalActions(const QStringList& federates, const QString& group);
  void addActions(QMenu& menu, const QList<FederateAction>& actions);
  void request(FederateCommand command, const QStringList& federates);
  bool mayChange() const { return feed_->isSampling() && !watched_; }
  void showProblems(const QList<theme::RunTrouble>& problems, const Snapshot& snapshot);
  QList<theme::RunTrouble> problems() const;
  void showTitle(const Snapshot& snapshot);
  QStringList moveTargets(const QString& federate) const;
  static QString hostText(const QString& host);

  Feed* feed_;
  Recorder* recorder_;
  /// The link with that address, while it is suspect.
  std::optional<HostLinkView> suspectLink(const QString& address) const;
  QString whatIsLostWith(const HostLinkView& link) const;
  void setDecision(const QString& command);

  QString commandLine_;
  QString decision_;  ///< the command of what was decided about a host that does not answer
  QString title_;
  QString selected_;
  QStringList several_;   ///< selected; fewer than two: none are
  bool atLinks_ = false;  ///< nothing is selected, and the list of links was asked for
  std::vector<Declarations> declarations_;
  std::function<QStringList(const QString&)> moveTargets_;
  QList<theme::RunTrouble> troubles_;
  theme::RunStatus* status_ = nullptr;
  QTimer timer_;
  unsigned turn_ = 0;
  bool active_ = true;
  bool settledSizes_ = false;
  bool watched_ = false;

  QStackedWidget* centre_;
  theme::EmptyView* empty_;
  theme::SegmentedControl* views_;
  QStackedWidget* viewStack_;
  TopologyView* topology_;
  TimeAxis* bigTimeAxis_;
  RunPlots* plots_;
  TopologyLegend* legend_;
  QLabel* flows_;
  QLabel* zoom_;
  TimeAxis* timeAxis_;
  FederateTable* federates_;
  LinkTable* links_;
  LogModel* logModel_;
  LogPanel* logPanel_;
  QStackedWidget* details_;
  FederatePanel* panel_;
  SelectionPanel* selection_;
  RunProblems* problems_;
  DeathCard* deathCard_;
  QDockWidget* timeDock_;
  QDockWidget* federatesDock_;
  QDockWidget* linksDock_;
  QDockWidget* logDock_;
  QDockWidget* detailsDock_;
  QAction* exportAll_;
  QAction* collapseAll_;
  QAction* expandAll_;
  QList<QToolButton*> groupButtons_;  ///< shown while boxes are groups
  std::unique_ptr<RunExport> export_;
  QToolButton* back_;
  QToolButton* copyProblems_;
  bool linksOffered_ = false;  ///< its pane was shown in this run, and may be closed since
  bool hidTimeDock_ = false;   ///< while the centre shows time
};

}  // namespace tutti::monitor
