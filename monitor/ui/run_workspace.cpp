// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/run_workspace.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

#include "monitor/engine/host_links.h"
#include "monitor/ui/federate_panel.h"
#include "monitor/ui/federate_table.h"
#include "monitor/ui/link_table.h"
#include "monitor/ui/log_panel.h"
#include "monitor/ui/run_legends.h"
#include "monitor/ui/run_plots.h"
#include "monitor/ui/run_problems.h"
#include "monitor/ui/selection_panel.h"
#include "monitor/ui/time_axis.h"
#include "monitor/ui/topology_view.h"
#include "monitor/ui/view_text.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

using theme::State;

namespace {

constexpr int ticksPerText = 5;  // 10 Hz and 2 Hz

/// Names in a question.
constexpr qsizetype mostNamedInBox = 12;

SuspectLink decidable(const HostLinkView& link) {
  return {linkEnd(link),  link.address,     link.suspicions,
          link.federates, link.leftSeconds, link.toHome};
}

/// What does the same in a terminal; empty where the launcher has not named the host.
QString decisionCommand(const QString& verb, const HostLinkView& link, const QString& more) {
  const QString host = hostBehind(link);
  return host.isEmpty() ? QString()
                        : QStringLiteral("tutti %1 %2 %3%4").arg(verb, runBehind(link), host, more);
}

bool hasLinkTrouble(const QList<theme::RunTrouble>& troubles) {
  return std::any_of(troubles.begin(), troubles.end(), [](const theme::RunTrouble& trouble) {
    return trouble.id.startsWith(linkTroubleId);
  });
}

QToolButton* tool(const QString& icon, const QString& tip, const char* name) {
  auto* button = new QToolButton;
  button->setObjectName(QString::fromLatin1(name));
  button->setIcon(theme::icon(icon));
  button->setIconSize({16, 16});
  button->setAutoRaise(true);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  return button;
}

}  // namespace

RunWorkspace::RunWorkspace(Feed* feed, Recorder* recorder, QWidget* parent)
    : Workspace(QStringLiteral("run"), tr("Run"), QStringLiteral("activity"), parent),
      feed_(feed),
      recorder_(recorder) {
  logModel_ = new LogModel(this);
  exportAll_ = new QAction(tr("Export all of this run…"), this);
  connect(exportAll_, &QAction::triggered, this, &RunWorkspace::exportAll);
  collapseAll_ =
      new QAction(theme::icon(QStringLiteral("collapse-all")), tr("Collapse all groups"), this);
  collapseAll_->setObjectName(QStringLiteral("runCollapseAll"));
  connect(collapseAll_, &QAction::triggered, this, [this] {
    topology_->setAllGroupsOpen(false);
    updateGroupActions();
  });
  expandAll_ =
      new QAction(theme::icon(QStringLiteral("expand-all")), tr("Expand all groups"), this);
  expandAll_->setObjectName(QStringLiteral("runExpandAll"));
  connect(expandAll_, &QAction::triggered, this, [this] {
    topology_->setAllGroupsOpen(true);
    updateGroupActions();
  });
  buildCentre();
  buildTimeDock();
  buildFederatesDock();
  buildLinksDock();
  buildLogDock();
  buildDetailsDock();
  export_ = std::make_unique<RunExport>(RunExport::Views{
      feed_, recorder_, topology_, timeAxis_, federates_, logPanel_->view(), plots_, links_});
  splitDockWidget(timeDock_, federatesDock_, Qt::Vertical);
  splitDockWidget(federatesDock_, logDock_, Qt::Horizontal);
  tabifyDockWidget(federatesDock_, linksDock_);
  linksDock_->hide();

  if (recorder_ != nullptr) {
    connect(recorder_, &Recorder::linesRecorded, this, &RunWorkspace::log);
    connect(recorder_, &Recorder::eventsRecorded, this,
            [this](const std::vector<EventRecord>& events) {
              std::vector<LogRecord> lines;
              for (const EventRecord& each : events) {
                lines.push_back({each.at, each.level, each.subject, each.text});
              }
              log(lines);
            });
    connect(recorder_, &Recorder::problemChanged, this, &Workspace::statusNotesChanged);
    connect(recorder_, &Recorder::runStarted, this, &Workspace::statusNotesChanged);
  }
  connect(feed_, &Feed::federateDied, this, [this] { turn_ = ticksPerText - 1; });
  timer_.setInterval(1000 / Feed::samplesPerSecond);
  connect(&timer_, &QTimer::timeout, this, &RunWorkspace::tick);
  timer_.start();
  showTexts(feed_->current());
}

void RunWorkspace::buildCentre() {
  topology_ = new TopologyView;
  bigTimeAxis_ = new TimeAxis;
  bigTimeAxis_->setObjectName(QStringLiteral("bigTimeAxis"));
  viewStack_ = new QStackedWidget;
  viewStack_->addWidget(topology_);
  viewStack_->addWidget(bigTimeAxis_);
  plots_ = new RunPlots;
  viewStack_->addWidget(plots_);

  views_ = new theme::SegmentedControl({tr("Hosts"), tr("Data flow"), tr("Time"), tr("Plots")});
  views_->setObjectName(QStringLiteral("topologyViews"));
  views_->setAccessibleName(tr("View of the topology"));
  legend_ = new TopologyLegend;
  flows_ = theme::makeLabel({}, "muted");
  zoom_ = theme::makeLabel(QStringLiteral("100\u202f%"), "table");
  zoom_->setMinimumWidth(44);
  zoom_->setAlignment(Qt::AlignCenter);
  auto* out = tool(QStringLiteral("remove"), tr("Smaller (Ctrl+wheel)"), "zoomOut");
  auto* in = tool(QStringLiteral("add"), tr("Larger (Ctrl+wheel)"), "zoomIn");
  auto* fit = tool(QStringLiteral("fit"), tr("Fit all into the view (Ctrl+9)"), "zoomFit");
  auto* save =
      tool(QStringLiteral("export"), tr("Export this view as PNG or SVG"), "exportTopology");

  auto* bar = new QFrame;
  bar->setProperty("role", QStringLiteral("bar"));
  bar->setFixedHeight(theme::height::kTool);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(12, 0, 8, 0);
  row->setSpacing(8);
  row->addWidget(theme::makeLabel(tr("Topology"), "heading"));
  row->addWidget(views_);
  row->addSpacing(8);
  row->addWidget(legend_);
  row->addStretch(1);
  row->addWidget(flows_);
  for (QAction* action : {collapseAll_, expandAll_}) {
    QToolButton* button = tool({}, action->text(), "");
    button->setDefaultAction(action);
    button->setObjectName(action->objectName() + QStringLiteral("Button"));
    groupButtons_ << button;
    row->addWidget(button);
  }
  row->addWidget(out);
  row->addWidget(zoom_);
  row->addWidget(in);
  row->addWidget(fit);
  row->addWidget(save);

  auto* live = new QWidget;
  auto* column = new QVBoxLayout(live);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(bar);
  column->addWidget(viewStack_, 1);

  empty_ = new theme::EmptyView(tr("Nothing runs. A running federation shows here, live."));
  empty_->setObjectName(QStringLiteral("runEmpty"));
  connect(empty_, &theme::EmptyView::buttonClicked, this, &RunWorkspace::runRequested);
  centre_ = new QStackedWidget;
  centre_->setObjectName(QStringLiteral("runCentre"));
  centre_->setMinimumSize(320, 160);
  centre_->addWidget(empty_);
  centre_->addWidget(live);
  setCentralWidget(centre_);
  setRunnable({}, tr("Open a composition first"));

  connect(views_, &theme::SegmentedControl::currentIndexChanged, this, [this](int index) {
    viewStack_->setCurrentIndex(std::max(0, index - 1));
    // The same axis twice would help nobody.
    if (index == 2 && timeDock_->isVisible()) {
      hidTimeDock_ = true;
      timeDock_->hide();
    } else if (index != 2 && std::exchange(hidTimeDock_, false)) {
      timeDock_->show();
    }
    if (index < 2) {
      topology_->setMode(index == 0 ? TopologyView::Mode::Hosts : TopologyView::Mode::DataFlow);
    }
    updateLegend();
  });
  connect(out, &QToolButton::clicked, this,
          [this] { topology_->setZoom(topology_->zoom() / 1.2); });
  connect(in, &QToolButton::clicked, this, [this] { topology_->setZoom(topology_->zoom() * 1.2); });
  connect(fit, &QToolButton::clicked, topology_, &TopologyView::fit);
  connect(save, &QToolButton::clicked, this, [this] {
    constexpr std::array shown{RunExport::What::Topology, RunExport::What::Topology,
                               RunExport::What::Time, RunExport::What::Plots};
    report(export_->one(shown[static_cast<std::size_t>(views_->currentIndex())], this));
  });
  connect(topology_, &TopologyView::zoomChanged, this, [this](double zoom) {
    zoom_->setText(QStringLiteral("%1\u202f%").arg(std::lround(zoom * 100)));
  });
  connect(topology_, &TopologyView::federateSelected, this, &RunWorkspace::select);
  connect(topology_, &TopologyView::federatesMenuRequested, this, &RunWorkspace::showFederatesMenu);
  connect(topology_, &TopologyView::hostMenuRequested, this, &RunWorkspace::showHostMenu);
  connect(bigTimeAxis_, &TimeAxis::federateSelected, this, &RunWorkspace::select);
}

void RunWorkspace::buildTimeDock() {
  timeAxis_ = new TimeAxis;
  timeDock_ =
      addPane(QStringLiteral("runTime"), tr("Time"), timeAxis_, Qt::BottomDockWidgetArea, 186);
  titleBar(timeDock_)->addWidget(new TimeLegend);
  auto* save = new QAction(theme::icon(QStringLiteral("export")), tr("Export as PNG or SVG"), this);
  connect(save, &QAction::triggered, this,
          [this] { report(export_->one(RunExport::What::Time, this)); });
  titleBar(timeDock_)->addAction(save);
  connect(timeAxis_, &TimeAxis::federateSelected, this, &RunWorkspace::select);
}

void RunWorkspace::buildFederatesDock() {
  federates_ = new FederateTable;
  federatesDock_ = addPane(QStringLiteral("runFederates"), tr("Federates"), federates_,
                           Qt::BottomDockWidgetArea, 280);
  theme::DockTitleBar* bar = titleBar(federatesDock_);
  federates_->placeFilters(bar);
  auto* filter = new QAction(theme::icon(QStringLiteral("filter")), tr("Filter (Ctrl+F)"), this);
  auto* save = new QAction(theme::icon(QStringLiteral("export")), tr("Export as CSV"), this);
  bar->addAction(filter);
  bar->addAction(save);
  connect(filter, &QAction::triggered, this, &RunWorkspace::focusFilter);
  connect(save, &QAction::triggered, this,
          [this] { report(export_->one(RunExport::What::Federates, this)); });
  connect(federates_, &FederateTable::selected, this, &RunWorkspace::selectFederates);
  connect(federates_, &FederateTable::activated, this, [this] { detailsDock_->raise(); });
  connect(federates_, &FederateTable::endRequested, this, [this](const QStringList& those) {
    if (those.size() == 1)
      askToEnd(those.front());
    else if (mayChange())
      askTo(FederateCommand::Stop, those);
  });
  connect(federates_, &FederateTable::menuRequested, this,
          [this](const QStringList& those, const QPoint& at) { showFederatesMenu(those, at); });
}

void RunWorkspace::buildLinksDock() {
  links_ = new LinkTable;
  linksDock_ =
      addPane(QStringLiteral("runLinks"), tr("Links"), links_, Qt::BottomDockWidgetArea, 280);
  theme::DockTitleBar* bar = titleBar(linksDock_);
  links_->placeFilters(bar);
  connect(links_, &LinkTable::menuRequested, this, &RunWorkspace::showLinkMenu);
  auto* filter = new QAction(theme::icon(QStringLiteral("filter")), tr("Filter links"), this);
  filter->setCheckable(true);
  auto* save = new QAction(theme::icon(QStringLiteral("export")), tr("Export as CSV"), this);
  bar->addAction(filter)->setObjectName(QStringLiteral("filterLinks"));
  bar->addAction(save)->setObjectName(QStringLiteral("exportLinks"));
  connect(filter, &QAction::toggled, links_, &LinkTable::setSearchVisible);
  connect(save, &QAction::triggered, this,
          [this] { report(export_->one(RunExport::What::Links, this)); });
}

void RunWorkspace::buildLogDock() {
  logPanel_ = new LogPanel(logModel_);
  logDock_ = addPane(QStringLiteral("runLog"), tr("Log"), logPanel_, Qt::BottomDockWidgetArea, 280);
  theme::DockTitleBar* bar = titleBar(logDock_);
  logPanel_->subjects()->setFixedSize(100, 22);
  logPanel_->levels()->setFixedSize(94, 22);
  bar->addWidget(logPanel_->subjects());
  bar->addWidget(logPanel_->levels());
  auto* search = new QAction(theme::icon(QStringLiteral("find")), tr("Search the log"), this);
  search->setCheckable(true);
  auto* save = new QAction(theme::icon(QStringLiteral("export")), tr("Export as CSV"), this);
  bar->addAction(search);
  bar->addAction(save);
  connect(search, &QAction::toggled, logPanel_, &LogPanel::setSearchVisible);
  connect(save, &QAction::triggered, this,
          [this] { report(export_->one(RunExport::What::Log, this)); });
  connect(logPanel_->view(), &LogView::subjectActivated, this, &RunWorkspace::select);
}

void RunWorkspace::buildDetailsDock() {
  panel_ = new FederatePanel(logModel_);
  problems_ = new RunProblems;
  selection_ = new SelectionPanel;
  details_ = new QStackedWidget;
  details_->addWidget(problems_);
  details_->addWidget(panel_);
  details_->addWidget(selection_);
  deathCard_ = new DeathCard;
  auto* content = new QWidget;
  content->setMinimumWidth(250);
  content->setAutoFillBackground(true);
  content->setBackgroundRole(QPalette::Base);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  // In a low pane the facts scroll, and the card is whole.
  details_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);
  layout->addWidget(details_, 1);
  layout->addWidget(deathCard_);
  detailsDock_ = addPane(QStringLiteral("runDetails"), tr("Problems"), content,
                         Qt::RightDockWidgetArea, theme::width::kRight);
  auto* copy = new QAction(theme::icon(QStringLiteral("copy")), tr("Copy all problems"), this);
  copy->setObjectName(QStringLiteral("copyProblems"));
  copyProblems_ = titleBar(detailsDock_)->addAction(copy);
  connect(copy, &QAction::triggered, this,
          [this] { QApplication::clipboard()->setText(problems_->text()); });
  auto* back = new QAction(theme::icon(QStringLiteral("undo")), tr("Back to the problems"), this);
  back_ = titleBar(detailsDock_)->addAction(back);
  connect(back, &QAction::triggered, this, [this] { select({}); });

  connect(panel_, &FederatePanel::federateSelected, this, &RunWorkspace::select);
  connect(selection_, &SelectionPanel::federateSelected, this, &RunWorkspace::select);
  connect(selection_, &SelectionPanel::commanded, this,
          [this](FederateCommand command) { askTo(command, several_); });
  const auto fill = [this] {
    panel_->setSnapshot(feed_->current(), feed_->watched(), declarations_);
  };
  connect(panel_, &FederatePanel::pageChanged, this, fill);
  connect(feed_, &Feed::consequencesChanged, this, fill);
  connect(panel_, &FederatePanel::stopRequested, this,
          [this](const QString& name) { emit stopRequested({name}); });
  connect(panel_, &FederatePanel::killRequested, this,
          [this](const QString& name) { emit killRequested({name}); });
  connect(panel_, &FederatePanel::restartRequested, this,
          [this](const QString& name) { emit restartRequested({name}); });
  connect(panel_, &FederatePanel::removeRequested, this,
          [this](const QString& name) { emit removeRequested({name}); });
  connect(panel_, &FederatePanel::dismissRequested, this, [this](const QString& name) {
    feed_->dismiss(name);
    select({});
  });
  connect(deathCard_, &DeathCard::restartRequested, this,
          [this](const QString& name) { emit restartRequested({name}); });
  connect(deathCard_, &DeathCard::logRequested, this, &RunWorkspace::showLog);
  connect(deathCard_, &DeathCard::dismissRequested, feed_, &Feed::dismiss);
  connect(deathCard_, &DeathCard::selected, this, [this](const QString& name) {
    showItem(name);
    if (panel_->federate() == name) panel_->showPage(FederatePanel::Page::IfItDies);
  });
}

void RunWorkspace::setCommandLine(const QString& line) {
  if (commandLine_ == line) return;
  commandLine_ = line;
  emit commandLineChanged();
}

QString RunWorkspace::commandLine() const { return decision_.isEmpty() ? commandLine_ : decision_; }

void RunWorkspace::setDecision(const QString& command) {
  if (decision_ == command) return;
  decision_ = command;
  emit commandLineChanged();
}

std::optional<HostLinkView> RunWorkspace::suspectLink(const QString& address) const {
  for (const HostLinkView& link : feed_->current()->hostLinks) {
    if (link.suspect && link.address == address) return link;
  }
  return std::nullopt;
}

void RunWorkspace::waitForHost(const QString& address) {
  const auto link = suspectLink(address);
  if (!link) return;  // it has just answered, or is lost
  setDecision(decisionCommand(QStringLiteral("wait"), *link,
                              QStringLiteral(" %1").arg(waitSeconds, 0, 'f', 0)));
  emit waitRequested(decidable(*link), waitSeconds);
}

QString RunWorkspace::whatIsLostWith(const HostLinkView& link) const {
  QStringList lines;
  lines << (link.federates.isEmpty()
                ? tr("No federate is lost with it.")
                : tr("%1 lost: %2.")
                      .arg(theme::formatNoun(link.federates.size(), tr("federate is"),
                                             tr("federates are")),
                           elidedNames(link.federates, mostNamedInBox)));
  lines << lossesWith(link.federates, *feed_->current(), declarations_);
  if (const QStringList waiting = waitingFor(link); !waiting.isEmpty())
    lines << tr("Go on at once: %1.").arg(elidedNames(waiting, mostNamedInBox));
  lines << (link.toHome
                ? tr("This host's federates lose their connection now. It cannot be undone.")
                : tr("When %1 answers again its federates find their connection lost. It "
                     "cannot be undone.")
                      .arg(linkEnd(link)));
  return lines.join(u'\n');
}

void RunWorkspace::askToGiveUp(const QString& address) {
  const auto link = suspectLink(address);
  if (!link || findChild<QMessageBox*>(QStringLiteral("giveUpBox")) != nullptr) return;
  const QString host = linkEnd(*link);
  const QString command = decisionCommand(QStringLiteral("give-up"), *link, {});
  auto* box = new QMessageBox(
      QMessageBox::NoIcon, tr("Give up %1").arg(host),
      tr("Take %1 for lost now? It has not answered for %2\u202fs, and would be lost in %3\u202fs.")
          .arg(host)
          .arg(link->silentSeconds, 0, 'f', 0)
          .arg(link->leftSeconds, 0, 'f', 0),
      QMessageBox::NoButton, this);
  box->setObjectName(QStringLiteral("giveUpBox"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setInformativeText(whatIsLostWith(*link));
  auto* giveUp = box->addButton(tr("Give up %1").arg(host), QMessageBox::DestructiveRole);
  giveUp->setObjectName(QStringLiteral("giveUpAccept"));
  giveUp->setToolTip(command.isEmpty() ? QString() : QStringLiteral("$ ") + command);
  box->setDefaultButton(box->addButton(tr("Let it go on"), QMessageBox::RejectRole));
  // As it was asked about: one that has answered meanwhile is left as it is.
  connect(giveUp, &QPushButton::clicked, this, [this, command, meant = decidable(*link)] {
    setDecision(command);
    emit giveUpRequested(meant);
  });
  box->open();
}

void RunWorkspace::showLinkMenu(const QString& address, const QPoint& at) {
  const auto link = suspectLink(address);
  if (!link || !feed_->isSampling() || watched_) return;
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("linkMenu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  if (canWaitFor(*link)) {
    menu->addAction(tr("Wait %1\u202fs for %2").arg(waitSeconds, 0, 'f', 0).arg(linkEnd(*link)),
                    this, [this, address] { waitForHost(address); });
  }
  menu->addAction(tr("Give up %1…").arg(linkEnd(*link)), this,
                  [this, address] { askToGiveUp(address); });
  menu->popup(at);
}

void RunWorkspace::setRunnable(const QString& composition, const QString& whyNot) {
  empty_->setDetail(whyNot);
  QPushButton* button = empty_->setButton(whyNot.isEmpty() ? tr("Run %1").arg(composition)
                                                           : tr("Show what it needs"));
  theme::setStyleProperty(button, "role",
                          whyNot.isEmpty() ? QByteArray("primary") : QByteArray("secondary"));
}

void RunWorkspace::setDeclarations(std::vector<Declarations> declarations) {
  declarations_ = declarations;
  feed_->setDeclarations(std::move(declarations));
}

void RunWorkspace::setComposed(ComposedRun composed) {
  topology_->setComposed(std::move(composed));
}

void RunWorkspace::beginRun(const QString& title) {
  title_ = title;
  logModel_->clear();
  plots_->clear();
  linksOffered_ = false;
  linksDock_->hide();
  select({});
}

void RunWorkspace::log(const std::vector<LogRecord>& lines) { logModel_->append(lines); }

void RunWorkspace::showEvent(QShowEvent* event) {
  if (!settledSizes_) {
    settledSizes_ = true;
    // Before the base keeps the default layout: the table needs about two thirds.
    QTimer::singleShot(0, this, [this] {
      const int room = width() - theme::width::kRight;
      resizeDocks({federatesDock_, logDock_}, {room * 64 / 100, room * 36 / 100}, Qt::Horizontal);
    });
  }
  Workspace::showEvent(event);
}

void RunWorkspace::setActive(bool active) {
  active_ = active;
  if (active) {
    turn_ = ticksPerText - 1;
    tick();
  }
}

void RunWorkspace::tick() {
  const SnapshotPointer snapshot = feed_->current();
  const bool text = ++turn_ % ticksPerText == 0;
  const bool live = !snapshot->federates.empty();
  if (live && active_) {
    if (viewStack_->currentIndex() == 0) topology_->setSnapshot(snapshot, text);
    if (viewStack_->currentIndex() == 1) bigTimeAxis_->setSnapshot(snapshot);
    if (timeAxis_->isVisible()) timeAxis_->setSnapshot(snapshot);
  }
  if (text) showTexts(snapshot);
}

void RunWorkspace::showTexts(const SnapshotPointer& snapshot) {
  const bool live = !snapshot->federates.empty();
  centre_->setCurrentIndex(live ? 1 : 0);
  if (!live) timeAxis_->setSnapshot(snapshot);
  federates_->setSnapshot(snapshot);
  links_->setSnapshot(snapshot);
  // A run on one host has no links, and no pane of them. Once: a person may close it.
  if (!snapshot->hostLinks.empty() && !std::exchange(linksOffered_, true)) {
    linksDock_->show();
    federatesDock_->raise();
  }
  if (live && feed_->isSampling())
    plots_->setSnapshot(*snapshot, static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000);
  updateLegend();

  const auto show = [this](const QString& name) {
    emit workspaceRequested(id(), name);
    showItem(name);
  };
  const auto log = [this](const QString& name) {
    emit workspaceRequested(id(), {});
    showLog(name);
  };
  std::function<void(const QString&)> restart;
  LinkDecisions decisions;
  if (!watched_) {
    restart = [this](const QString& name) { emit restartRequested({name}); };
    decisions = {[this](const QString& address) { waitForHost(address); },
                 [this](const QString& address) { askToGiveUp(address); }};
  }
  troubles_ = troublesOf(*snapshot, show, log, restart, decisions);
  if (!hasLinkTrouble(troubles_)) setDecision({});
  emit troublesChanged();
  deathCard_->setSnapshot(snapshot);
  panel_->setRunning(feed_->isSampling());
  panel_->setSnapshot(snapshot, feed_->watched(), declarations_);

  // Who has left is selected no longer.
  QStringList left = several_;
  left.removeIf([&](const QString& name) { return snapshot->find(name) == nullptr; });
  if (left != several_) selectFederates(left);
  selection_->setSnapshot(snapshot, mayChange());
  if (!selected_.isEmpty() && snapshot->find(selected_) == nullptr) select({});
  showProblems(problems(), *snapshot);
  showTitle(*snapshot);
  emit statusNotesChanged();

  QStringList subjects;
  for (const FederateView& each : snapshot->federates) subjects << each.name;
  subjects.sort();
  if (live) subjects.prepend(QStringLiteral("rti"));
  logPanel_->setSubjects(subjects);
}

QList<theme::RunTrouble> RunWorkspace::problems() const {
  if (status_ == nullptr) return troubles_;
  QList<theme::RunTrouble> result = status_->troubles();
  result.removeIf([this](const auto& each) { return status_->isDismissed(each.id); });
  return result;
}

void RunWorkspace::showProblems(const QList<theme::RunTrouble>& problems,
                                const Snapshot& snapshot) {
  QStringList dismissed;
  if (status_ != nullptr) {
    for (const theme::RunTrouble& each : status_->troubles())
      if (status_->isDismissed(each.id)) dismissed << each.id;
  }
  problems_->setProblems(problems, dismissed, !snapshot.federates.empty());
  problems_->setLinks(snapshot.hostLinks);
  State worst = State::Idle;
  int count = 0;
  const auto add = [&](State state) {
    worst = count == 0 ? state : theme::worse(worst, state);
    ++count;
  };
  // Each federate counts, however many of them a problem is about.
  for (const FederateView& each : snapshot.federates)
    if (needsSomeone(each.condition)) add(stateOf(each.condition));
  if (hasLinkTrouble(troubles_)) add(State::Warning);
  QSet<QString> counted;
  for (const theme::RunTrouble& each : std::as_const(troubles_)) counted << each.id;
  for (const theme::RunTrouble& each : problems)
    if (!counted.contains(each.id) && each.state != State::Info) add(each.state);
  setBadge(worst, count);
}

void RunWorkspace::showTitle(const Snapshot& snapshot) {
  const FederateView* view = snapshot.find(selected_);
  theme::DockTitleBar* bar = titleBar(detailsDock_);
  const auto problems = problems_->inOrder();
  const bool none = view == nullptr && several_.isEmpty();
  back_->setVisible(!none);
  copyProblems_->setVisible(none && !problems.isEmpty());
  if (view != nullptr) {
    bar->setTitle(view->name);
    bar->setCaption(view->component.isEmpty()
                        ? view->host
                        : view->component + QStringLiteral(", ") + view->host);
    return;
  }
  if (!none) {
    bar->setTitle(theme::formatNoun(several_.size(), tr("federate"), tr("federates")));
    bar->setCaption({});
    return;
  }
  bar->setTitle(tr("Problems"));
  const auto needing =
      std::count_if(snapshot.federates.begin(), snapshot.federates.end(),
                    [](const FederateView& each) { return needsSomeone(each.condition); });
  QString caption;
  if (!problems.isEmpty()) caption = theme::formatCount(problems.size());
  if (!problems.isEmpty() && needing > 0)
    caption += QStringLiteral(", ") + theme::formatNoun(needing, tr("federate"), tr("federates"));
  bar->setCaption(caption);
}

void RunWorkspace::setRunStatus(theme::RunStatus* status) {
  status_ = status;
  problems_->setDismissable(true);
  connect(problems_, &RunProblems::dismissRequested, status, &theme::RunStatus::dismiss);
  connect(problems_, &RunProblems::dismissedWanted, status, &theme::RunStatus::showDismissed);
  const auto show = [this] {
    showProblems(problems(), *feed_->current());
    showTitle(*feed_->current());
  };
  connect(problems_, &RunProblems::dismissRequested, this, show);
  connect(problems_, &RunProblems::dismissedWanted, this, show);
}

void RunWorkspace::setLastLines(std::function<QStringList(const QString&)> lines) {
  deathCard_->setLastLines(std::move(lines));
}

void RunWorkspace::updateGroupActions() {
  const QStringList groups = topology_->groups();
  const auto open = std::count_if(groups.begin(), groups.end(), [this](const QString& group) {
    return topology_->isGroupOpen(group);
  });
  collapseAll_->setEnabled(open > 0);
  expandAll_->setEnabled(open < groups.size());
  const bool shown = viewStack_->currentIndex() == 0 && !groups.isEmpty();
  for (QToolButton* button : std::as_const(groupButtons_)) button->setVisible(shown);
}

void RunWorkspace::updateLegend() {
  updateGroupActions();
  const bool topology = viewStack_->currentIndex() == 0;
  legend_->setVisible(topology);
  legend_->setGrouped(topology_->isGrouped());
  legend_->setLinksLeft(topology_->linksLeft());
  legend_->setOutOfReach(feed_->current()->count(FederateCondition::OutOfReach) > 0);
  views_->setText(0, tr("Hosts"));
  const bool flows = topology && topology_->mode() == TopologyView::Mode::DataFlow;
  flows_->setVisible(flows && topology_->linkCount() > 0);
  if (flows) {
    flows_->setText(tr("%1 flows in %2")
                        .arg(theme::formatCount(topology_->linkCount()),
                             theme::formatNoun(topology_->bundles(), tr("bundle"), tr("bundles"))));
  }
}

void RunWorkspace::select(const QString& federate) {
  atLinks_ = false;
  if (federate == selected_ && several_.isEmpty()) return;
  // A log line may come from somebody who is no federate.
  if (!federate.isEmpty() && feed_->current()->find(federate) == nullptr) return;
  showSelected(federate);
  federates_->select(federate.isEmpty() ? QStringList() : QStringList{federate});
  turn_ = ticksPerText - 1;
  tick();
}

void RunWorkspace::showSelected(const QString& federate) {
  selected_ = federate;
  several_.clear();
  feed_->watch(federate);
  topology_->select(federate);
  timeAxis_->select(federate);
  bigTimeAxis_->select(federate);
  plots_->setFederate(federate);
  panel_->setFederate(federate);
  details_->setCurrentIndex(federate.isEmpty() ? 0 : 1);
}

void RunWorkspace::selectFederates(const QStringList& federates) {
  if (federates.size() < 2) return select(federates.value(0));
  if (federates == several_) return;
  atLinks_ = false;
  // The table is not cleared first: the selection of whoever extends it there goes on.
  showSelected({});
  several_ = federates;
  selection_->setFederates(federates);
  details_->setCurrentIndex(2);
  federates_->select(federates);
  turn_ = ticksPerText - 1;
  tick();
}

QStringList RunWorkspace::selection() const {
  return !several_.isEmpty()   ? several_
         : selected_.isEmpty() ? QStringList()
                               : QStringList{selected_};
}

void RunWorkspace::showItem(const QString& item) {
  if (item == QStringLiteral("needs:dead") || item == QStringLiteral("needs:late")) {
    federates_->setShow(item == QStringLiteral("needs:dead") ? FederateFilter::Show::Dead
                                                             : FederateFilter::Show::Late);
    federatesDock_->show();
    federatesDock_->raise();
    return;
  }
  if (item.isEmpty()) return;
  const bool links = item == linksItem;
  select(links ? QString() : item);
  atLinks_ = links;
  detailsDock_->show();
  detailsDock_->raise();
  if (!links) return;
  problems_->showLinks();
  linksDock_->show();
  linksDock_->raise();
}

void RunWorkspace::setWatched(bool watched) {
  watched_ = watched;
  panel_->setWatched(watched);
  deathCard_->setWatched(watched);
}

void RunWorkspace::askToEnd(const QString& federate) {
  showItem(federate);
  if (panel_->federate() == federate) panel_->askToEnd();
}

void RunWorkspace::askToRemove(const QString& federate) {
  showItem(federate);
  if (panel_->federate() == federate) panel_->askToRemove();
}

void RunWorkspace::askTo(FederateCommand command, const QStringList& federates,
                         const QString& group) {
  const QStringList those = affectedBy(command, federates, *feed_->current());
  if (those.isEmpty()) return;
  if (those.size() > 1 || !group.isEmpty()) {
    if (findChild<QMessageBox*>(QStringLiteral("federatesBox")) != nullptr) return;
    askBefore(command, those, group, lossesWith(those, *feed_->current(), declarations_), this,
              [this, command, those] { request(command, those); });
    return;
  }
  showItem(those.front());
  if (panel_->federate() != those.front()) return;
  if (command == FederateCommand::Remove)
    panel_->askToRemove();
  else if (command == FederateCommand::Restart)
    panel_->askToRestart();
  else
    panel_->askToEnd();
}

void RunWorkspace::request(FederateCommand command, const QStringList& federates) {
  // Who has gone since the question is left out.
  const QStringList those = affectedBy(command, federates, *feed_->current());
  if (those.isEmpty() || watched_) return;
  switch (command) {
    case FederateCommand::Stop:
      emit stopRequested(those);
      break;
    case FederateCommand::Kill:
      emit killRequested(those);
      break;
    case FederateCommand::Restart:
      emit restartRequested(those);
      break;
    case FederateCommand::Remove:
      emit removeRequested(those);
      break;
  }
}

void RunWorkspace::addActions(QMenu& menu, const QList<FederateAction>& actions) {
  menu.setToolTipsVisible(true);
  for (const FederateAction& each : actions) {
    QAction* action = menu.addAction(each.text, this, each.run);
    action->setShortcut(each.shortcut);
    action->setShortcutVisibleInContextMenu(true);
    action->setEnabled(each.whyNot.isEmpty());
    if (!each.whyNot.isEmpty()) action->setToolTip(each.whyNot);
  }
}

void RunWorkspace::showFederateMenu(const QString& federate, const QPoint& at) {
  const FederateView* view = feed_->current()->find(federate);
  if (view == nullptr) return;
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("federateMenu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  addActions(*menu, federateActions(*view));
  if (const QStringList hosts = moveTargets(federate); !hosts.isEmpty()) {
    auto* move = new QMenu(tr("Move %1 to").arg(federate), menu);
    menu->insertMenu(menu->actions().value(2), move);
    move->setObjectName(QStringLiteral("moveMenu"));
    for (const QString& host : hosts) {
      move->addAction(hostText(host), this,
                      [this, federate, host] { emit moveRequested(federate, host); });
    }
  }
  menu->popup(at);
}

void RunWorkspace::showFederatesMenu(const QStringList& federates, const QPoint& at,
                                     const QString& group) {
  if (federates.size() == 1 && group.isEmpty()) return showFederateMenu(federates.front(), at);
  const QList<FederateAction> actions = severalActions(federates, group);
  if (actions.isEmpty()) return;
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("federateMenu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  addActions(*menu, actions);
  menu->popup(at);
}

QList<RunWorkspace::FederateAction> RunWorkspace::severalActions(const QStringList& federates,
                                                                 const QString& group) {
  using Command = FederateCommand;
  const SnapshotPointer snapshot = feed_->current();
  QList<FederateAction> result;
  if (!group.isEmpty())
    result << FederateAction{
        tr("Select the %1")
            .arg(theme::formatNoun(federates.size(), tr("federate"), tr("federates"))),
        [this, federates] { selectFederates(federates); }};
  if (mayChange()) {
    for (const Command command :
         {Command::Stop, Command::Kill, Command::Restart, Command::Remove}) {
      const QStringList those = affectedBy(command, federates, *snapshot);
      result << FederateAction{
          commandText(command, those.isEmpty() ? federates : those, group) + u'…',
          [this, command, federates, group] { askTo(command, federates, group); },
          command == Command::Stop && group.isEmpty() ? QKeySequence(Qt::Key_Delete)
                                                      : QKeySequence(),
          those.isEmpty() ? tr("None of them runs") : QString()};
    }
    const QString one = tr("Select one federate for this");
    for (const QString& text : {tr("Move to another host"), tr("Adjust switches…")})
      result << FederateAction{text, [] {}, {}, one};
  }
  QStringList over;
  for (const QString& name : federates) {
    const FederateView* view = snapshot->find(name);
    if (view != nullptr && isOver(view->condition)) over << name;
  }
  if (!over.isEmpty())
    result << FederateAction{
        over.size() == 1
            ? tr("Dismiss %1").arg(over.front())
            : tr("Dismiss the %1 that have ended").arg(theme::formatCount(over.size())),
        [this, over] {
          for (const QString& name : over) feed_->dismiss(name);
        }};
  return result;
}

QList<RunWorkspace::FederateAction> RunWorkspace::federateActions(const FederateView& view) {
  const QString federate = view.name;
  QList<FederateAction> result;
  result << FederateAction{tr("Log of %1").arg(federate), [this, federate] { showLog(federate); }};
  if (mayChange()) {
    result << FederateAction{tr("Remove %1 from this run…").arg(federate),
                             [this, federate] { askToRemove(federate); }};
  }
  if (isOver(view.condition)) {
    if (!watched_)
      result << FederateAction{tr("Restart %1").arg(federate),
                               [this, federate] { emit restartRequested({federate}); }};
    result << FederateAction{tr("Dismiss %1").arg(federate),
                             [this, federate] { feed_->dismiss(federate); }};
  } else if (!watched_) {
    if (feed_->isSampling() && view.number != 0)
      result << FederateAction{tr("Adjust switches of %1…").arg(federate),
                               [this, federate] { emit adjustRequested(federate); }};
    // What is lost is said before the button that does it.
    if (feed_->isSampling())
      result << FederateAction{tr("Restart %1…").arg(federate),
                               [this, federate] { askTo(FederateCommand::Restart, {federate}); }};
    result << FederateAction{tr("Stop or kill %1…").arg(federate),
                             [this, federate] { askToEnd(federate); }, Qt::Key_Delete};
  }
  return result;
}

void RunWorkspace::showHostMenu(const QString& host, const QPoint& at) {
  const QList<HostAction> actions = hostActions_ ? hostActions_(host) : QList<HostAction>();
  if (actions.isEmpty()) return;
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("hostMenu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  menu->addSection(tr("Practice cluster"));
  for (const HostAction& each : actions) {
    QAction* action = menu->addAction(each.text, this, each.run);
    action->setEnabled(each.whyNot.isEmpty());
    action->setToolTip(each.whyNot.isEmpty() ? QStringLiteral("$ ") + each.command : each.whyNot);
  }
  menu->popup(at);
}

QStringList RunWorkspace::moveTargets(const QString& federate) const {
  return moveTargets_ && feed_->isSampling() ? moveTargets_(federate) : QStringList();
}

QString RunWorkspace::hostText(const QString& host) {
  return host.isEmpty() ? tr("this machine") : host;
}

void RunWorkspace::showLog(const QString& federate) {
  logDock_->show();
  logDock_->raise();
  logPanel_->showSubject(federate);
  logPanel_->view()->setFocus();
}

QStringList RunWorkspace::statusNotes() const {
  QStringList notes;
  if (recorder_ != nullptr && recorder_->isRecording()) {
    notes << (recorder_->problem().isEmpty()
                  ? tr("Recording, %1")
                        .arg(theme::formatBytes(static_cast<double>(recorder_->sizeBytes())))
                  : tr("Not recording"));
  }
  if (feed_->isSampling()) {
    const SnapshotPointer snapshot = feed_->current();
    notes << (snapshot->problem.isEmpty()
                  ? tr("Sampling at %1 Hz").arg(Feed::samplesPerSecond)
                  : tr("Figures %1").arg(theme::formatAge(snapshot->ageSeconds)));
  }
  return notes;
}

void RunWorkspace::provideFinds(QList<theme::FindEntry>& into) const {
  provideHostFinds(into);
  auto* self = const_cast<RunWorkspace*>(this);
  const auto offer = [&](const QString& text, const std::function<void()>& run) {
    into << theme::FindEntry{text, tr("Run"), tr("Action"), QStringLiteral("bolt"), {}, run};
  };
  for (const FederateView& each : feed_->current()->federates) {
    into << theme::FindEntry{
        each.name,
        each.component.isEmpty() ? each.host : each.component + QStringLiteral(", ") + each.host,
        tr("Federate"),
        QStringLiteral("component"),
        {},
        [self, name = each.name] { self->showItem(name); }};
    for (const FederateAction& action : self->federateActions(each)) offer(action.text, action.run);
    for (const QString& host : moveTargets(each.name))
      offer(tr("Move %1 to %2").arg(each.name, hostText(host)), [self, name = each.name, host] {
        self->showItem(name);
        emit self->moveRequested(name, host);
      });
  }
  const auto offerAll = [&](const QStringList& federates, const QString& group) {
    for (const FederateAction& action : self->severalActions(federates, group))
      if (action.whyNot.isEmpty()) offer(action.text, action.run);
  };
  if (!several_.isEmpty()) offerAll(several_, {});
  for (const QString& group : topology_->groups()) offerAll(topology_->federatesOf(group), group);
  for (int i = 0; i < views_->count(); ++i)
    offer(tr("View: %1").arg(views_->text(i)), [self, i] { self->views_->setCurrentIndex(i); });
  offer(plots_->isPaused() ? tr("Resume plots") : tr("Pause plots"),
        [self] { self->plots_->setPaused(!self->plots_->isPaused()); });
}

void RunWorkspace::provideHostFinds(QList<theme::FindEntry>& into) const {
  if (!hostActions_) return;
  for (const HostView& host : feed_->current()->otherHosts) {
    for (const HostAction& each : hostActions_(host.name)) {
      if (!each.whyNot.isEmpty()) continue;
      into << theme::FindEntry{
          each.text, each.command, tr("Practice cluster"), QStringLiteral("bolt"), {}, each.run};
    }
  }
}

QHash<QString, QList<QAction*>> RunWorkspace::menuActions() const {
  return {{QStringLiteral("View"), {collapseAll_, expandAll_}},
          {QStringLiteral("Tools"), {exportAll_}}};
}

void RunWorkspace::focusFilter() {
  federatesDock_->show();
  federatesDock_->raise();
  federates_->focusFilter();
}

void RunWorkspace::showNextProblem(int direction) {
  struct Stop {
    QString problem;
    QString item;
  };
  std::vector<Stop> stops;
  for (const theme::RunTrouble& each : problems_->inOrder()) {
    if (each.items.isEmpty()) stops.push_back({each.id, {}});
    for (const QString& item : each.items) stops.push_back({each.id, item});
  }
  if (stops.empty()) return;
  const QString item = atLinks_ ? linksItem : selected_;
  const QString problem = problems_->current();
  const auto count = static_cast<qsizetype>(stops.size());
  qsizetype at = -1;
  for (qsizetype i = 0; i < count && at < 0; ++i) {
    const Stop& stop = stops[static_cast<std::size_t>(i)];
    if (item.isEmpty() ? stop.item.isEmpty() && stop.problem == problem : stop.item == item) at = i;
  }
  const Stop& next = stops[static_cast<std::size_t>(at < 0 ? (direction > 0 ? 0 : count - 1)
                                                           : (at + direction + count) % count)];
  if (next.item.isEmpty()) {
    select({});
    detailsDock_->show();
    detailsDock_->raise();
  }
  problems_->goTo(next.problem);
  if (!next.item.isEmpty()) showItem(next.item);
}

void RunWorkspace::exportAll() { report(export_->all(this)); }

tl::expected<int, QString> RunWorkspace::exportInto(const QString& folder) {
  return export_->into(folder);
}

void RunWorkspace::report(const RunExport::Result& exported) {
  if (!exported) {
    emit failed(tr("The run was not exported"), exported.error());
  } else if (!exported->isEmpty()) {
    emit done(*exported);
  }
}

}  // namespace tutti::monitor
