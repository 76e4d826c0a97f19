// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/deploy_workspace.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QSettings>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QThreadPool>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "composer/model/command_line.h"
#include "composer/model/document.h"
#include "launcher/engine/plan_folder.h"
#include "launcher/engine/port_use.h"
#include "launcher/ui/auto_placement.h"
#include "launcher/ui/batch_jobs.h"
#include "launcher/ui/cluster_screen.h"
#include "launcher/ui/cluster_watch.h"
#include "launcher/ui/connections_view.h"
#include "launcher/ui/deploy_export.h"
#include "launcher/ui/host_preflight.h"
#include "launcher/ui/host_sources.h"
#include "launcher/ui/host_watch.h"
#include "launcher/ui/hosts_model.h"
#include "launcher/ui/hosts_pane.h"
#include "launcher/ui/launch_order_model.h"
#include "launcher/ui/launch_order_view.h"
#include "launcher/ui/partition_placement.h"
#include "launcher/ui/placement_board.h"
#include "launcher/ui/placement_page.h"
#include "launcher/ui/preflight_panel.h"
#include "resources/theme/exporter.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

using theme::State;

namespace {

/// One line that says "…" in its middle when it does not fit; all of it is in the tool tip.
class MiddleElided : public QLabel {
 public:
  using QLabel::QLabel;
  QSize minimumSizeHint() const override { return {80, QLabel::minimumSizeHint().height()}; }
  void setFullText(const QString& text) {
    full_ = text;
    setToolTip(text);
    elide();
  }
  const QString& fullText() const { return full_; }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    QLabel::resizeEvent(event);
    elide();
  }

 private:
  void elide() { setText(fontMetrics().elidedText(full_, Qt::ElideRight, width())); }
  QString full_;
};

}  // namespace

DeployWorkspace::DeployWorkspace(composer::Document* document, QWidget* parent)
    : Workspace(QStringLiteral("deploy"), tr("Deploy"), QStringLiteral("deploy"), parent),
      document_(document),
      watch_(new HostWatch(this)),
      clusters_(new ClusterWatch(watch_, this)),
      partitions_(new PartitionPlacement(document, watch_, clusters_, this)),
      sources_(new HostSources(watch_, this)),
      autoPlacement_(new AutoPlacement(document, watch_, this)),
      hostPreflight_(new HostPreflight(watch_, this)),
      hosts_(new HostsModel(watch_, clusters_, this)),
      model_(new LaunchOrderModel(document, watch_, this)),
      filtered_(new QSortFilterProxyModel(this)) {
  filtered_->setSourceModel(model_);
  filtered_->setFilterKeyColumn(LaunchOrderModel::Federate);
  filtered_->setFilterCaseSensitivity(Qt::CaseInsensitive);

  toggle_ = new QAction(tr("Enable or disable"), this);
  toggle_->setObjectName(QStringLiteral("toggleFederates"));
  toggle_->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_E));
  toggle_->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(toggle_, &QAction::triggered, this, &DeployWorkspace::toggleSelected);
  addAction(toggle_);
  write_ = new QAction(theme::icon(QStringLiteral("document")), tr("Write launch plan…"), this);
  write_->setObjectName(QStringLiteral("writePlanAction"));
  connect(write_, &QAction::triggered, this, &DeployWorkspace::askWhereToWrite);
  again_ = new QAction(theme::icon(QStringLiteral("restart")), tr("Check again"), this);
  again_->setObjectName(QStringLiteral("checkAgainAction"));
  connect(again_, &QAction::triggered, this, &DeployWorkspace::checkAgain);

  place_ = new QAction(theme::icon(QStringLiteral("bolt")), tr("Place automatically"), this);
  place_->setObjectName(QStringLiteral("placeAction"));
  connect(place_, &QAction::triggered, autoPlacement_, &AutoPlacement::place);

  buildCentre();
  buildPanes();
  buildExports();
  buildClusterScreen();
  connectDocument();
  connectHosts();
  openHostsFile();
  planAgain();
  checkTimer_.start();
}

DeployWorkspace::~DeployWorkspace() = default;

void DeployWorkspace::buildCentre() {
  centre_ = new QStackedWidget(this);
  centre_->setObjectName(QStringLiteral("deployCentre"));
  setCentralWidget(centre_);

  auto* empty = new theme::EmptyView(tr("What runs on this machine appears here."), centre_);
  empty->setObjectName(QStringLiteral("deployEmpty"));
  empty->setDetail(tr("Compose a federation first; its federates are placed by themselves."));
  empty->setButton(tr("Show Compose"));
  connect(empty, &theme::EmptyView::buttonClicked, this,
          [this] { Q_EMIT workspaceRequested(QStringLiteral("compose"), {}); });
  centre_->addWidget(empty);

  placement_ = new PlacementPage(document_, watch_, autoPlacement_, partitions_, centre_);
  centre_->addWidget(placement_);
  connect(placement_, &PlacementPage::showOnComposeRequested, this,
          [this](const QString& id) { Q_EMIT workspaceRequested(QStringLiteral("compose"), id); });
  connect(placement_, &PlacementPage::currentChanged, this, [this](const QString& id) {
    if (id != selectedFederate()) selectFederate(id);
  });
}

void DeployWorkspace::buildPanes() {
  hostsPanel_ = new HostsPane(watch_, sources_, hosts_, this);
  hostsDock_ = addPane(QStringLiteral("hostPane"), tr("Hosts and clusters"), hostsPanel_,
                       Qt::LeftDockWidgetArea, 288);
  auto* add = new QAction(theme::icon(QStringLiteral("add")), tr("Add hosts"), this);
  add->setObjectName(QStringLiteral("addHosts"));
  auto* addButton = titleBar(hostsDock_)->addAction(add);
  connect(add, &QAction::triggered, this, [this, addButton] {
    hostsPanel_->menu()->exec(addButton->mapToGlobal(QPoint(0, addButton->height())));
  });

  preflight_ = new PreflightPanel(this);
  preflightPane_ = addPane(QStringLiteral("preflightPane"), tr("Pre-flight"), preflight_,
                           Qt::RightDockWidgetArea, 380);
  connect(preflight_, &PreflightPanel::checkAgainRequested, this, &DeployWorkspace::checkAgain);
  connect(preflight_, &PreflightPanel::writePlanRequested, this, &DeployWorkspace::askWhereToWrite);
  connect(preflight_, &PreflightPanel::federateRequested, this, &DeployWorkspace::selectFederate);
  connect(preflight_, &PreflightPanel::fixRequested, this, &DeployWorkspace::applyFix);
  connect(preflight_, &PreflightPanel::cancelRequested, hostPreflight_, &HostPreflight::cancel);

  connections_ = new ConnectionsView(this);
  connectionsPane_ = addPane(QStringLiteral("connectionsPane"), tr("Connections"), connections_,
                             Qt::BottomDockWidgetArea, 176);
  titleBar(connectionsPane_)->addWidget(connections_->architectures());
  connect(connections_, &ConnectionsView::architectureChosen, document_,
          &composer::Document::setArchitecture);
  connect(connections_, &ConnectionsView::hostClicked, hostsPanel_, &HostsPane::setCurrent);

  auto* orderPage = new QWidget(this);
  orderPage->setBackgroundRole(QPalette::Base);
  orderPage->setAutoFillBackground(true);
  auto* column = new QVBoxLayout(orderPage);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  order_ = new LaunchOrderView(document_, orderPage);
  order_->setModel(filtered_);
  connect(order_, &QWidget::customContextMenuRequested, this, &DeployWorkspace::showContextMenu);
  column->addWidget(order_, 1);
  column->addWidget(theme::rule(orderPage));
  auto* line = new QHBoxLayout;
  line->setContentsMargins(12, 3, 6, 3);
  line->setSpacing(8);
  prompt_ = theme::makeLabel(QStringLiteral("$"), "mono", orderPage);
  line->addWidget(prompt_);
  command_ = new MiddleElided(orderPage);
  command_->setObjectName(QStringLiteral("federateCommand"));
  command_->setProperty("role", QByteArray("mono"));
  command_->setTextFormat(Qt::PlainText);
  line->addWidget(command_, 1);
  copyCommand_ = theme::smallButton(QStringLiteral("copy"), tr("Copy the command of this federate"),
                                    orderPage);
  copyCommand_->setObjectName(QStringLiteral("copyCommand"));
  connect(copyCommand_, &QToolButton::clicked, this, [this] {
    QApplication::clipboard()->setText(static_cast<MiddleElided*>(command_)->fullText());
  });
  line->addWidget(copyCommand_);
  column->addLayout(line);
  orderPane_ = addPane(QStringLiteral("launchOrderPane"), tr("Launch order"), orderPage,
                       Qt::BottomDockWidgetArea, 230);
  splitDockWidget(connectionsPane_, orderPane_, Qt::Vertical);
  search_ = new theme::SearchField(tr("Filter federates"), QStringLiteral("Ctrl+F"), this);
  search_->setObjectName(QStringLiteral("launchOrderFilter"));
  search_->setProperty("dense", true);
  search_->setFixedWidth(180);
  search_->setFocusTarget(order_);
  titleBar(orderPane_)->addWidget(search_);
  connect(search_, &QLineEdit::textChanged, filtered_,
          &QSortFilterProxyModel::setFilterFixedString);
  connect(search_, &theme::SearchField::leftDownward, order_,
          [this] { order_->setFocus(Qt::TabFocusReason); });

  planText_ = new QPlainTextEdit(this);
  planText_->setObjectName(QStringLiteral("planText"));
  planText_->setReadOnly(true);
  planText_->setLineWrapMode(QPlainTextEdit::NoWrap);
  planText_->setFont(theme::textFont(theme::TextStyle::Mono));
  planText_->setFrameShape(QFrame::NoFrame);
  planPane_ = addPane(QStringLiteral("planPane"), tr("Launch plan"), planText_,
                      Qt::BottomDockWidgetArea, 230);
  tabifyDockWidget(orderPane_, planPane_);
  orderPane_->raise();
  titleBar(planPane_)->addAction(write_);

  connect(order_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            const auto id = current.data(LaunchOrderModel::IdRole).toString();
            if (!id.isEmpty()) placement_->setCurrent(id);
            showSelection();
          });
}

void DeployWorkspace::buildExports() {
  const auto add = [this](const char* name, const QString& text, const QString& what,
                          const QString& file, const QString& filters, const auto& write) {
    auto* action = new QAction(theme::icon(QStringLiteral("export")), text, this);
    action->setObjectName(QString::fromLatin1(name));
    connect(action, &QAction::triggered, this, [this, what, file, filters, write] {
      theme::exportAsked(*this, what,
                         theme::fileNameOf({document_->composition().settings.federation, file}),
                         filters, write);
    });
    exports_ << action;
    return action;
  };
  const QString pictures = tr("Pictures (*.svg *.png)");
  titleBar(orderPane_)
      ->addAction(add(
          "exportLaunchOrder", tr("Export the launch order…"), tr("The launch order"),
          QStringLiteral("launch-order.csv"), tr("Tables (*.csv)"),
          [this](const QString& path) { return exportLaunchOrder(*document_, *model_, path); }));
  titleBar(connectionsPane_)
      ->addAction(add("exportConnections", tr("Export the connections…"), tr("The connections"),
                      QStringLiteral("connections.svg"), pictures, [this](const QString& path) {
                        return exportConnections(*document_, *connections_->graph(), path);
                      }));
  add("exportPlacement", tr("Export the placement…"), tr("The placement"),
      QStringLiteral("placement.svg"), pictures, [this](const QString& path) {
        return exportPlacement(*document_, *placement_->board(), path);
      });
}

void DeployWorkspace::buildClusterScreen() {
  cluster_ = new ClusterScreen(this, watch_, clusters_, partitions_,
                               {connectionsPane_, planPane_, preflightPane_});
  orderPane_->raise();
  connect(cluster_, &ClusterScreen::changed, this, &DeployWorkspace::combineChecks);
  connect(cluster_, &ClusterScreen::federatesDropped, placement_, &PlacementPage::moveToFreeNode);
  connect(cluster_, &ClusterScreen::runRequested, this, &DeployWorkspace::runRequested);
  connect(cluster_, &ClusterScreen::placementRequested, this,
          [this] { placement_->shownView()->setFocus(Qt::OtherFocusReason); });
  connect(cluster_, &ClusterScreen::failed, this, &DeployWorkspace::failed);
  connect(cluster_, &ClusterScreen::done, this, &DeployWorkspace::done);
  cluster_->batchJobs()->setLastCheck([this] {
    return composer::canRun(document_->findings())
               ? QString()
               : tr("The composition has errors: page Compose lists them.");
  });
  // The object model is read in a worker, and nothing is right before it is.
  connect(document_, &composer::Document::findingsChanged, cluster_->batchJobs(),
          &BatchJobs::update);
  connect(cluster_->batchJobs(), &BatchJobs::watchRequested, this,
          &DeployWorkspace::watchRequested);
  connect(hostsPanel_, &HostsPane::clusterChosen, this, [this](const QString& name) {
    placement_->board()->setMarkedHost(std::nullopt);
    cluster_->choose(name);
  });
  connect(hostsPanel_, &HostsPane::askClusterRequested, clusters_, &ClusterWatch::ask);
  connect(hostsPanel_->askAgain(), &QAction::triggered, clusters_, &ClusterWatch::askAll);
  connect(placement_, &PlacementPage::refused, this, &DeployWorkspace::failed);
  connect(watch_, &HostWatch::jobNodesChanged, &planTimer_, qOverload<>(&QTimer::start));
}

void DeployWorkspace::connectDocument() {
  checkTimer_.setSingleShot(true);
  checkTimer_.setInterval(250);
  connect(&checkTimer_, &QTimer::timeout, this, &DeployWorkspace::check);
  planTimer_.setSingleShot(true);
  planTimer_.setInterval(0);
  connect(&planTimer_, &QTimer::timeout, this, &DeployWorkspace::planAgain);
  const auto changed = [this] {
    planTimer_.start();
    checkTimer_.start();
  };
  using composer::Document;
  connect(document_, &Document::wasReset, this, changed);
  connect(document_, &Document::wasReset, this, &DeployWorkspace::openHostsFile);
  connect(document_, &Document::pathChanged, this, [this] {
    // Saved under another name it keeps its hosts.
    if (watch_->file().isEmpty())
      openHostsFile();
    else
      showHostsFile();
  });
  connect(document_, &Document::federateAdded, this, changed);
  connect(document_, &Document::federateRemoved, this, changed);
  connect(document_, &Document::federateChanged, this,
          [changed](const QString&, composer::FederateChanges changes) {
            if (changes != composer::FederateChange::Position) changed();
          });
  connect(document_, &Document::settingsChanged, this, changed);
  connect(document_, &Document::findingsChanged, this, [this] { checkTimer_.start(); });
  connect(document_, &Document::catalogChanged, this, changed);
  connect(document_, &Document::pathChanged, this, &DeployWorkspace::commandLineChanged);
}

void DeployWorkspace::connectHosts() {
  connect(hosts_, &HostsModel::dropped, placement_, &PlacementPage::move);
  connect(hostsPanel_, &HostsPane::currentChanged, this, [this](const QString& key) {
    placement_->board()->setMarkedHost(watch_->hosts().size() > 1 ? std::optional(key)
                                                                  : std::nullopt);
  });
  connect(hostsPanel_, &HostsPane::moveHereRequested, this,
          [this](const QString& key) { placement_->move(placement_->selection(), key); });
  connect(hostsPanel_, &HostsPane::openRequested, this, &DeployWorkspace::askForHostsFile);
  connect(placement_, &PlacementPage::hostClicked, hostsPanel_, &HostsPane::setCurrent);
  sources_->setNewFile([this] { return newHostsFile(); });
  connect(sources_, &HostSources::failed, this, &DeployWorkspace::failed);
  connect(sources_, &HostSources::done, this, &DeployWorkspace::done);
  connect(autoPlacement_, &AutoPlacement::failed, this, &DeployWorkspace::failed);
  connect(autoPlacement_, &AutoPlacement::changed, this, [this] { combineChecks(); });
  connect(hostPreflight_, &HostPreflight::failed, this, &DeployWorkspace::failed);
  connect(hostPreflight_, &HostPreflight::done, this, &DeployWorkspace::done);
  connect(hostPreflight_, &HostPreflight::changed, this, [this] {
    preflight_->setProgress(hostPreflight_->isCopying()  ? hostPreflight_->progress()
                            : hostPreflight_->isAsking() ? tr("Asking the hosts")
                                                         : QString());
    combineChecks();
  });
  connect(watch_, &HostWatch::hostAnswered, this, &DeployWorkspace::hostAnswered);
  connect(watch_, &HostWatch::hostsChanged, this, [this] {
    showHostsFile();
    planTimer_.start();
    checkTimer_.start();
    Q_EMIT hostsFileChanged();
  });
}

// ---- the hosts file ----------------------------------------------------------------------------

void DeployWorkspace::setSettings(QSettings* settings) {
  settings_ = settings;
  openHostsFile();
}

QString DeployWorkspace::settingsKey() const {
  return QStringLiteral("deploy/hosts/") +
         QString::fromLatin1(QUrl::toPercentEncoding(document_->path()));
}

void DeployWorkspace::openHostsFile() {
  const QString& path = document_->path();
  QString file = path.isEmpty() ? QString() : hostsFileOf(path);
  // One that was chosen by hand for this composition goes before the one beside it.
  if (settings_ != nullptr && !path.isEmpty()) {
    const QString chosen = settings_->value(settingsKey()).toString();
    if (!chosen.isEmpty() && QFileInfo::exists(chosen)) file = chosen;
  }
  if (file != watch_->file())
    watch_->open(file);
  else
    showHostsFile();
}

QString DeployWorkspace::hostsFile() const { return watch_->file(); }

void DeployWorkspace::setMeasured(MeasuredSource source) {
  autoPlacement_->setMeasured(std::move(source));
}

void DeployWorkspace::useHostsFile(const QString& file) {
  watch_->open(file);
  if (active_) watch_->askAll();
}

void DeployWorkspace::showHostsFile() {
  const QString& file = watch_->file();
  titleBar(hostsDock_)
      ->setCaption(file.isEmpty() ? tr("this machine only") : QFileInfo(file).fileName());
  hostsDock_->titleBarWidget()->setToolTip(file);
  if (settings_ == nullptr || document_->path().isEmpty()) return;
  if (file.isEmpty() || file == hostsFileOf(document_->path()))
    settings_->remove(settingsKey());
  else
    settings_->setValue(settingsKey(), file);
}

QString DeployWorkspace::newHostsFile() {
  if (!document_->path().isEmpty()) {
    const QFileInfo info(document_->path());
    return info.dir().filePath(info.fileName().section(u'.', 0, 0) + QStringLiteral(".hosts.json"));
  }
  return QFileDialog::getSaveFileName(this, tr("Hosts file to make"),
                                      document_->folder() + QStringLiteral("/lab.hosts.json"),
                                      tr("Hosts files (*.hosts.json)"));
}

void DeployWorkspace::askForHostsFile() {
  const QString file = QFileDialog::getOpenFileName(
      this, tr("Open a hosts file"), document_->folder(), tr("Hosts files (*.hosts.json *.json)"));
  if (!file.isEmpty()) useHostsFile(file);
}

void DeployWorkspace::setSubmitted(const std::shared_ptr<const LaunchPlan>& plan,
                                   const std::vector<QueuePlace>& places) {
  cluster_->setSubmitted(plan, places);
}

void DeployWorkspace::setOwnRun(const QString& run) {
  const bool wentOn = std::exchange(ownRunGoesOn_, !run.isEmpty());
  if (!run.isEmpty()) {
    if (run == ownRun_ && wentOn) return;
    ownRun_ = run;
    combineChecks();
    return;
  }
  const auto hasHeld = [this](const std::vector<PreflightCheck>& checks) {
    return std::any_of(checks.begin(), checks.end(),
                       [this](const auto& check) { return runThatHolds(check) == ownRun_; });
  };
  if (!wentOn || !(hasHeld(localChecks_) || hasHeld(hostPreflight_->checks()))) return;
  checkTimer_.start();
  hostPreflight_->askAgain();
}

// ---- the plan ----------------------------------------------------------------------------------

void DeployWorkspace::planAgain() {
  partitions_->refresh();
  const auto& composition = document_->composition();
  const bool empty = composition.federates.empty();
  centre_->setCurrentIndex(empty ? 0 : 1);
  // A run has an identifier of its own; by hand, all that are started so meet at this node.
  auto plan = LaunchPlan::make(
      composition, document_->catalog(),
      {QStringLiteral("by-hand"), document_->path(), document_->folder(), {}, watch_->file()});
  plan_.reset();
  planProblem_.clear();
  if (plan) {
    plan_ = std::move(*plan);
  } else {
    QStringList lines;
    for (const auto& error : plan.error()) lines << error.message();
    planProblem_ = lines.join(u'\n');
  }
  const QString text = plan_ ? QString::fromUtf8(plan_->toBytes())
                             : tr("There is no launch plan yet.\n") + planProblem_;
  // What was written is of another plan now.
  if (planText_->toPlainText() != text) {
    written_.clear();
    planText_->setPlainText(text);
  }
  write_->setEnabled(plan_.has_value());

  hostPreflight_->setPlan(plan_);
  cluster_->setPlan(plan_, document_->catalog().binaryFolders(), composition.settings.architecture);
  hosts_->setNeeds(needsByHost(*document_, *watch_));
  placement_->refresh();
  connections_->setConnections(connectionsOf(plan_, composition.settings.architecture, *watch_));
  int enabled = 0;
  int total = 0;
  for (const auto& [id, federate] : composition.federates) {
    total += federate.count;
    if (federate.enabled) enabled += federate.count;
  }
  const auto count = enabled == total
                         ? theme::formatNoun(total, tr("federate"), tr("federates"))
                         : tr("%1 of %2")
                               .arg(enabled)
                               .arg(theme::formatNoun(total, tr("federate"), tr("federates")));
  titleBar(orderPane_)->setCaption(empty ? QString() : count);
  showSelection();
  Q_EMIT commandLineChanged();
}

bool DeployWorkspace::writePlan(const QString& folder, QString* why) {
  QString problem = planProblem_;
  if (plan_) {
    // As `tutti plan -o` writes it: the same composition gives the same bytes.
    const auto& composition = document_->composition();
    const auto plan = LaunchPlan::make(
        composition, document_->catalog(),
        {QLatin1String(runOfFiles), document_->path(), document_->folder(), {}, watch_->file()});
    if (!plan) {
      problem = plan.error().front().message();
    } else if (const auto written =
                   writePlanFolder(folder, filesOfPlan(*plan, composition.settings.architecture));
               !written) {
      problem = written.error().message();
    } else {
      written_ = folder;
      Q_EMIT commandLineChanged();
    }
  }
  if (why != nullptr) *why = problem;
  return problem.isEmpty();
}

void DeployWorkspace::askWhereToWrite() {
  // A folder of their own beside the composition. The dialogue shows only what is there, so it is
  // made for it, and goes again when it is not taken.
  QString suggested = document_->folder();
  bool isNew = false;
  if (!document_->path().isEmpty()) {
    const QFileInfo file(document_->path());
    QString name = file.completeBaseName();
    const QString kind = QStringLiteral(".federation");
    if (name.endsWith(kind)) name.chop(kind.size());
    const QString own = file.absoluteDir().filePath(name + QStringLiteral(".plan"));
    isNew = QDir().mkdir(own);
    if (QFileInfo(own).isDir()) suggested = own;
  }
  const QString folder = QFileDialog::getExistingDirectory(
      this, tr("Write the plans and scripts into a folder"), suggested);
  if (isNew && QDir(folder) != QDir(suggested)) QDir().rmdir(suggested);
  if (folder.isEmpty()) return;
  QString why;
  if (writePlan(folder, &why))
    Q_EMIT done(tr("Wrote the plans and scripts into %1").arg(folder));
  else
    Q_EMIT failed(tr("The plans were not written"), why);
}

// ---- pre-flight --------------------------------------------------------------------------------

bool DeployWorkspace::mayRun() const { return everChecked_ && launcher::mayRun(checks_); }

QString DeployWorkspace::whyNotRun() const {
  if (!everChecked_) return tr("Run waits for the pre-flight checks");
  QStringList errors;
  for (const auto& check : checks_) {
    if (check.level == PreflightCheck::Level::Error) errors << check.title;
  }
  if (errors.isEmpty()) return {};
  return tr("Run needs %1: %2")
      .arg(theme::formatNoun(errors.size(), tr("fix"), tr("fixes")), errors.front());
}

void DeployWorkspace::checkAgain() {
  document_->recheck();
  watch_->reload();
  watch_->askAll();
  planAgain();
  hostPreflight_->askAgain();
  cluster_->askAgain();
  checkTimer_.start();
}

void DeployWorkspace::check() {
  if (document_->isChecking()) return;  // findingsChanged() follows.
  ++generation_;
  checking_ = true;
  preflight_->setChecking(true);
  const LaunchPlan::Options options{{}, document_->path(), document_->folder(), {}, watch_->file()};
  QThreadPool::globalInstance()->start(
      [composition = document_->composition(), catalog = document_->catalog(),
       findings = document_->findings(), options, generation = generation_,
       self = QPointer<DeployWorkspace>(this)] {
        QElapsedTimer timer;
        timer.start();
        auto checks = preflight(composition, catalog, findings, options, MachineState::now());
        const auto seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
        QMetaObject::invokeMethod(
            qApp,
            [self, generation, checks = std::move(checks), seconds] {
              if (self && self->generation_ == generation) self->checked(checks, seconds);
            },
            Qt::QueuedConnection);
      });
}

void DeployWorkspace::checked(std::vector<PreflightCheck> checks, double seconds) {
  checking_ = false;
  everChecked_ = true;
  localChecks_ = std::move(checks);
  titleBar(preflightPane_)
      ->setCaption(tr("%1, took %2")
                       .arg(QTime::currentTime().toString(QStringLiteral("HH:mm:ss")),
                            theme::formatDuration(seconds)));
  preflight_->setChecking(false);
  combineChecks();
}

std::vector<PreflightCheck> DeployWorkspace::placementChecks() const {
  std::vector<PreflightCheck> result;
  for (const auto& [id, federate] : document_->composition().federates) {
    if (!federate.enabled) continue;
    const HostView* host = watch_->find(federate.host);
    const auto refused = autoPlacement_->refused().find(id);
    if (refused != autoPlacement_->refused().end()) {
      const QString now = host == nullptr ? federate.host : host->name;
      result.push_back({QStringLiteral("placement-") + id,
                        PreflightCheck::Level::Error,
                        tr("%1 is not placed").arg(federate.name),
                        refused->second.reason,
                        federate.name,
                        {id},
                        {{tr("Leave it on %1").arg(now), {}, {}, QStringLiteral("leave ") + id}}});
    } else if (host == nullptr) {
      const auto node = watch_->deployment().jobNode(federate.host);
      result.push_back(
          {QStringLiteral("placement-") + id,
           PreflightCheck::Level::Error,
           tr("%1 is placed on %2, which is not there").arg(federate.name, federate.host),
           watch_->file().isEmpty() ? tr("There is no hosts file beside the composition.")
           : node && !*node
               ? node->error().message()
               : tr("%1 describes no such host.").arg(QFileInfo(watch_->file()).fileName()),
           federate.name,
           {id},
           {{tr("Move it to this machine"), {}, {}, QStringLiteral("here ") + id}}});
    }
  }
  return result;
}

void DeployWorkspace::combineChecks() {
  if (!everChecked_) return;
  auto checks = localChecks_;
  auto placement = placementChecks();
  // The plan says of such hosts the same, and without the fix.
  if (!placement.empty())
    std::erase_if(checks,
                  [](const PreflightCheck& check) { return check.id == QStringLiteral("plan"); });
  // There is no other host to place on.
  if (watch_->hosts().size() == 1) {
    for (PreflightCheck& check : checks) {
      for (PreflightFix& fix : check.fixes) {
        if (fix.action == QStringLiteral("elsewhere "))
          fix = {tr("Add a host"), {}, {}, QStringLiteral("add-host")};
      }
    }
  }
  checks.insert(checks.begin(), placement.begin(), placement.end());
  checks.insert(checks.end(), hostPreflight_->checks().begin(), hostPreflight_->checks().end());
  const auto ofClusters = cluster_->checks();
  checks.insert(checks.end(), ofClusters.begin(), ofClusters.end());
  // The window's own run has ended before another one starts, and so has what it holds.
  for (PreflightCheck& check : checks) {
    if (!ownRunGoesOn_ || runThatHolds(check) != ownRun_) continue;
    check.level = PreflightCheck::Level::Passed;
    check.detail =
        tr("It is the run of this window, and goes on. It ends before the next one starts.");
    check.fixes.clear();
  }
  std::stable_sort(checks.begin(), checks.end(),
                   [](const auto& a, const auto& b) { return a.level > b.level; });
  const bool changed = checks != checks_;
  checks_ = std::move(checks);
  preflight_->setChecks(checks_);
  const auto errors =
      static_cast<int>(std::count_if(checks_.begin(), checks_.end(), [](const auto& check) {
        return check.level == PreflightCheck::Level::Error;
      }));
  // An empty composition is a beginning, not a fault.
  setBadge(State::Error, document_->composition().federates.empty() ? 0 : errors);
  if (changed) problem_ = -1;
  Q_EMIT statusNotesChanged();
  Q_EMIT preflightChanged();
}

void DeployWorkspace::applyFix(const PreflightFix& fix) {
  if (fix.edit) document_->apply(*fix.edit);
  const QString what = fix.action.section(u' ', 0, 0);
  const QString whom = fix.action.section(u' ', 1);
  if (what == QStringLiteral("copy")) {
    hostPreflight_->copy(whom);
  } else if (what == QStringLiteral("elsewhere")) {
    autoPlacement_->placeElsewhere(watch_->find(whom) != nullptr ? QStringList{whom}
                                                                 : whom.split(u' '));
  } else if (what == QStringLiteral("ask")) {
    watch_->ask(whom);
    hostPreflight_->askAgain();
  } else if (what == QStringLiteral("ask-cluster")) {
    cluster_->askAgain();
  } else if (what == QStringLiteral("leave")) {
    autoPlacement_->accept(whom);
  } else if (what == QStringLiteral("here")) {
    placement_->move({whom}, {});
  } else if (what == QStringLiteral("settings")) {
    hostsDock_->show();
    hostsDock_->raise();
    hostsPanel_->editHost(whom);
  } else if (what == QStringLiteral("add-host") || what == QStringLiteral("add-spare")) {
    hostsDock_->show();
    hostsDock_->raise();
    hostsPanel_->addHost(what == QStringLiteral("add-spare"));
  } else if (what == QStringLiteral("show")) {
    Q_EMIT workspaceRequested(QStringLiteral("compose"), whom);
  } else if (what == QStringLiteral("allocation")) {
    cluster_->choose(whom);
  }
}

void DeployWorkspace::showNextProblem(int direction) {
  const auto problems =
      static_cast<int>(std::count_if(checks_.begin(), checks_.end(), [](const auto& check) {
        return check.level != PreflightCheck::Level::Passed;
      }));
  if (problems == 0) return;
  // They stand before those that passed.
  problem_ = problem_ < 0 ? (direction > 0 ? 0 : problems - 1)
                          : (problem_ + direction + problems) % problems;
  const auto& check = checks_[static_cast<std::size_t>(problem_)];
  preflightPane_->show();
  preflightPane_->raise();
  if (!check.federates.isEmpty()) selectFederate(check.federates.front());
}

// ---- selection ---------------------------------------------------------------------------------

QString DeployWorkspace::selectedFederate() const {
  return order_->currentIndex().data(LaunchOrderModel::IdRole).toString();
}

void DeployWorkspace::selectFederate(const QString& id) {
  const auto source = model_->index(model_->rowOf(id), LaunchOrderModel::Federate);
  if (!source.isValid()) return;
  if (!filtered_->mapFromSource(source).isValid()) search_->clear();
  const auto row = filtered_->mapFromSource(source);
  order_->setCurrentIndex(row);
  order_->scrollTo(row);
}

void DeployWorkspace::showItem(const QString& item) {
  if (document_->federate(item) != nullptr) return selectFederate(item);
  if (const auto* federate = document_->composition().findByName(item))
    selectFederate(federate->id);
}

void DeployWorkspace::showSelection() {
  const auto row = filtered_->mapToSource(order_->currentIndex()).row();
  const auto* federate = document_->federate(model_->idAt(row));
  QString text;
  if (row == 0 && plan_) {
    text = plan_->shellLine(plan_->nodeProcess);
  } else if (federate != nullptr && plan_ && federate->enabled) {
    text = plan_->shellLine(federate->instanceNames().value(0));
  } else if (federate != nullptr && !federate->enabled) {
    text = tr("%1 is disabled: it does not start").arg(federate->name);
  } else if (federate != nullptr) {
    text = planProblem_.section(u'\n', 0, 0);
  } else {
    text = tr("Select a federate to see its command");
  }
  static_cast<MiddleElided*>(command_)->setFullText(text);
  const bool isCommand = plan_ && (row == 0 || (federate != nullptr && federate->enabled));
  copyCommand_->setEnabled(isCommand);
  prompt_->setVisible(isCommand);
}

void DeployWorkspace::toggleSelected() {
  QStringList ids;
  for (const auto& row : order_->selectionModel()->selectedRows(LaunchOrderModel::Federate)) {
    const auto id = row.data(LaunchOrderModel::IdRole).toString();
    if (!id.isEmpty()) ids << id;
  }
  if (ids.isEmpty()) return;
  const bool anyOff = std::any_of(
      ids.begin(), ids.end(), [&](const QString& id) { return !document_->federate(id)->enabled; });
  document_->setEnabled(ids, anyOff);
}

void DeployWorkspace::showContextMenu(const QPoint& position) {
  const auto index = order_->indexAt(position);
  const auto id = index.data(LaunchOrderModel::IdRole).toString();
  QMenu menu(this);
  if (const auto* federate = document_->federate(id)) {
    menu.addAction(toggle_);
    menu.addAction(tr("Choose what %1 waits for…").arg(federate->name), this,
                   [this, index] { order_->editWaits(index); });
    menu.addAction(tr("Show %1 on Compose").arg(federate->name), this,
                   [this, id] { Q_EMIT workspaceRequested(QStringLiteral("compose"), id); });
  }
  if (copyCommand_->isEnabled())
    menu.addAction(tr("Copy the command"), copyCommand_, &QToolButton::click);
  menu.addAction(write_);
  menu.exec(order_->viewport()->mapToGlobal(position));
}

// ---- what the window asks ----------------------------------------------------------------------

QString DeployWorkspace::commandLine() const {
  if (document_->path().isEmpty()) return {};
  return QStringLiteral("tutti plan ") + composer::shellQuoted(document_->path()) + hostsOption() +
         (written_.isEmpty() ? QString()
                             : QStringLiteral(" -o ") + composer::shellQuoted(written_));
}

QString DeployWorkspace::hostsOption() const {
  const QString& file = watch_->file();
  // The one beside the composition is taken without being named, if a federate needs it.
  if (file.isEmpty() || (watch_->hosts().size() == 1 && clusters_->clusters().empty())) return {};
  return QStringLiteral(" --hosts ") + composer::shellQuoted(file);
}

QStringList DeployWorkspace::statusNotes() const {
  if (!everChecked_) return {};
  return {launcher::mayRun(checks_) ? tr("exit code 0") : tr("exit code 1")};
}

QUndoStack* DeployWorkspace::undoStack() const { return &document_->undoStack(); }

void DeployWorkspace::provideFinds(QList<theme::FindEntry>& into) const {
  auto* self = const_cast<DeployWorkspace*>(this);
  for (const HostView& host : watch_->hosts()) {
    if (host.isJobNode()) continue;
    into << theme::FindEntry{
        host.name,
        host.isHere() ? tr("%1 cores").arg(watch_->machine().cores) : host.host.destination,
        QStringLiteral("Host"),
        QStringLiteral("computer"),
        {},
        [self, key = host.key] {
          self->hostsPanel_->setCurrent(key);
          self->hostsPanel_->list()->setFocus();
        }};
  }
  // What adds hosts is in the menu of a button.
  for (QAction* action : hostsPanel_->currentMenuActions())
    into << theme::FindEntry{action->text(),
                             title() + QStringLiteral(" › ") + hostsDock_->windowTitle(),
                             QStringLiteral("Action"),
                             QStringLiteral("bolt"),
                             {},
                             [action] { action->trigger(); }};
  into << theme::FindEntry{tr("Check again"),
                           tr("pre-flight"),
                           QStringLiteral("Action"),
                           QStringLiteral("restart"),
                           {},
                           [self] { self->checkAgain(); }};
}

QHash<QString, QList<QAction*>> DeployWorkspace::menuActions() const {
  return {{QStringLiteral("Composition"), {toggle_, place_}},
          {QStringLiteral("Tools"), exports_},
          {QStringLiteral("Run"),
           {again_, write_, hostsPanel_->askAgain(), cluster_->batchJobs()->submitAction(),
            cluster_->batchJobs()->watchAction(), cluster_->batchJobs()->endAction()}}};
}

void DeployWorkspace::focusFilter() {
  orderPane_->show();
  orderPane_->raise();
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

void DeployWorkspace::setActive(bool active) {
  active_ = active;
  watch_->setActive(active);
  hostPreflight_->setActive(active);
  cluster_->setActive(active);
  // Files may have come or gone while another page was shown.
  if (active && everChecked_) checkTimer_.start();
}

}  // namespace tutti::launcher
