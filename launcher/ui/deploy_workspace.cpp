// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/deploy_workspace.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QSaveFile>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QThreadPool>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "composer/model/command_line.h"
#include "composer/model/document.h"
#include "launcher/ui/host_panel.h"
#include "launcher/ui/launch_order_model.h"
#include "launcher/ui/launch_order_view.h"
#include "launcher/ui/preflight_panel.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

using theme::State;

namespace {

/// Leaves the RTI node out: it is no federate that could be placed.
class FederatesOnly : public QSortFilterProxyModel {
 public:
  explicit FederatesOnly(QObject* parent) : QSortFilterProxyModel(parent) {}

 protected:
  bool filterAcceptsRow(int row, const QModelIndex&) const override { return row > 0; }
  bool filterAcceptsColumn(int column, const QModelIndex&) const override {
    return column == LaunchOrderModel::Federate;
  }
};

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
      model_(new LaunchOrderModel(document, this)),
      filtered_(new QSortFilterProxyModel(this)),
      placed_(new FederatesOnly(this)) {
  filtered_->setSourceModel(model_);
  filtered_->setFilterKeyColumn(LaunchOrderModel::Federate);
  filtered_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  placed_->setSourceModel(model_);

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

  buildCentre();
  buildPanes();
  connectDocument();
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

  auto* page = new QWidget(centre_);
  page->setObjectName(QStringLiteral("placementPage"));
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* bar = new QFrame(page);
  bar->setProperty("role", QByteArray("bar"));
  bar->setFixedHeight(theme::height::kTool);
  auto* barRow = new QHBoxLayout(bar);
  barRow->setContentsMargins(12, 0, 8, 0);
  barRow->setSpacing(8);
  barRow->addWidget(theme::makeLabel(tr("Placement"), "heading", bar));
  placementCaption_ = theme::makeLabel({}, "caption", bar);
  placementCaption_->setObjectName(QStringLiteral("placementCaption"));
  barRow->addWidget(placementCaption_);
  barRow->addStretch();
  column->addWidget(bar);
  column->addWidget(theme::rule(page));

  auto* canvas = new QWidget(page);
  canvas->setAutoFillBackground(true);
  theme::followTheme(canvas, [canvas](const theme::Palette& palette) {
    auto changed = palette.toQPalette();
    changed.setColor(QPalette::Window, palette[theme::Token::BgCanvas]);
    canvas->setPalette(changed);
  });
  auto* canvasColumn = new QVBoxLayout(canvas);
  canvasColumn->setContentsMargins(16, 14, 16, 14);
  auto* box = new QFrame(canvas);
  box->setObjectName(QStringLiteral("hostBox"));
  box->setProperty("role", QByteArray("card"));
  auto* boxColumn = new QVBoxLayout(box);
  boxColumn->setContentsMargins(1, 1, 1, 1);
  boxColumn->setSpacing(0);
  auto* title = new QHBoxLayout;
  title->setContentsMargins(10, 8, 12, 8);
  title->setSpacing(8);
  auto* icon = new QLabel(box);
  theme::followTheme(icon, [icon](const theme::Palette&) {
    icon->setPixmap(theme::icon(QStringLiteral("computer")).pixmap(18, 18));
  });
  title->addWidget(icon);
  title->addWidget(theme::makeLabel(tr("this machine"), "heading", box));
  title->addStretch();
  placementNeeds_ = theme::makeLabel({}, "caption", box);
  placementNeeds_->setObjectName(QStringLiteral("placementNeeds"));
  title->addWidget(placementNeeds_);
  boxColumn->addLayout(title);
  boxColumn->addWidget(theme::rule(box));
  placement_ = new PlacementView(box);
  // The card's surface shows through.
  placement_->setProperty("role", QByteArray("clear"));
  placement_->setModel(placed_);
  auto* cards = new QVBoxLayout;
  cards->setContentsMargins(8, 8, 0, 0);
  cards->addWidget(placement_);
  boxColumn->addLayout(cards, 1);
  canvasColumn->addWidget(box);
  column->addWidget(canvas, 1);
  centre_->addWidget(page);
}

void DeployWorkspace::buildPanes() {
  host_ = new HostPanel(this);
  auto* hostPane =
      addPane(QStringLiteral("hostPane"), tr("Hosts"), host_, Qt::LeftDockWidgetArea, 288);
  titleBar(hostPane)->setCaption(tr("this machine only"));

  preflight_ = new PreflightPanel(this);
  preflightPane_ = addPane(QStringLiteral("preflightPane"), tr("Pre-flight"), preflight_,
                           Qt::RightDockWidgetArea, 380);
  connect(preflight_, &PreflightPanel::checkAgainRequested, this, &DeployWorkspace::checkAgain);
  connect(preflight_, &PreflightPanel::writePlanRequested, this, &DeployWorkspace::askWhereToWrite);
  connect(preflight_, &PreflightPanel::federateRequested, this, &DeployWorkspace::selectFederate);
  connect(preflight_, &PreflightPanel::fixRequested, this, [this](const PreflightFix& fix) {
    if (fix.edit) document_->apply(*fix.edit);
  });

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
                       Qt::BottomDockWidgetArea, 330);
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
                      Qt::BottomDockWidgetArea, 330);
  tabifyDockWidget(orderPane_, planPane_);
  orderPane_->raise();
  titleBar(planPane_)->addAction(write_);

  connect(order_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            const auto id = current.data(LaunchOrderModel::IdRole).toString();
            const auto row = placed_->mapFromSource(
                model_->index(model_->rowOf(id), LaunchOrderModel::Federate));
            if (row.isValid() && row != placement_->currentIndex())
              placement_->setCurrentIndex(row);
            showSelection();
          });
  connect(placement_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& current) {
            const auto id = model_->idAt(placed_->mapToSource(current).row());
            if (!id.isEmpty() && id != selectedFederate()) selectFederate(id);
          });
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

// ---- the plan ----------------------------------------------------------------------------------

void DeployWorkspace::planAgain() {
  const auto& composition = document_->composition();
  const bool empty = composition.federates.empty();
  centre_->setCurrentIndex(empty ? 0 : 1);
  // A run has an identifier of its own; by hand, all that are started so meet at this node.
  auto plan =
      LaunchPlan::make(composition, document_->catalog(),
                       {QStringLiteral("by-hand"), document_->path(), document_->folder(), {}});
  plan_.reset();
  planProblem_.clear();
  if (plan) {
    plan_ = std::move(*plan);
  } else {
    QStringList lines;
    for (const auto& error : plan.error()) lines << error.message();
    planProblem_ = lines.join(u'\n');
  }
  planText_->setPlainText(plan_ ? QString::fromUtf8(plan_->toBytes())
                                : tr("There is no launch plan yet.\n") + planProblem_);
  write_->setEnabled(plan_.has_value());

  double cores = 0;
  double memoryMb = 0;
  int enabled = 0;
  int total = 0;
  for (const auto& [id, federate] : composition.federates) {
    total += federate.count;
    if (!federate.enabled) continue;
    enabled += federate.count;
    if (const auto* manifest = document_->manifestOf(id)) {
      cores += manifest->resources.cores * federate.count;
      memoryMb += manifest->resources.memory * federate.count;
    }
  }
  host_->setWanted(cores, memoryMb);
  const auto count = enabled == total
                         ? theme::formatNoun(total, tr("federate"), tr("federates"))
                         : tr("%1 of %2")
                               .arg(enabled)
                               .arg(theme::formatNoun(total, tr("federate"), tr("federates")));
  titleBar(orderPane_)->setCaption(empty ? QString() : count);
  placementCaption_->setText(tr("%1, all on this machine").arg(count));
  placementNeeds_->setText(tr("%1 of %2 cores, %3")
                               .arg(cores)
                               .arg(host_->machine().cores)
                               .arg(theme::formatBytes(memoryMb * 1e6)));
  placementNeeds_->setToolTip(tr("What the components' manifests say the enabled federates need"));
  showSelection();
  Q_EMIT commandLineChanged();
}

bool DeployWorkspace::writePlan(const QString& file, QString* why) {
  QString problem;
  if (!plan_) {
    problem = planProblem_;
  } else {
    QSaveFile output(file);
    if (!output.open(QIODevice::WriteOnly) ||
        output.write(plan_->renewed(newRunIdentifier()).toBytes()) < 0 || !output.flush() ||
        !output.commit())
      problem = tr("%1 cannot be written: %2").arg(file, output.errorString());
  }
  if (why != nullptr) *why = problem;
  return problem.isEmpty();
}

void DeployWorkspace::askWhereToWrite() {
  const auto name = QFileInfo(document_->path()).completeBaseName().section(u'.', 0, 0);
  const auto file = QFileDialog::getSaveFileName(this, tr("Write the launch plan"),
                                                 document_->folder() + u'/' +
                                                     (name.isEmpty() ? tr("federation") : name) +
                                                     QStringLiteral(".plan.json"),
                                                 tr("Launch plans (*.plan.json *.json)"));
  if (file.isEmpty()) return;
  QString why;
  titleBar(preflightPane_)
      ->setCaption(writePlan(file, &why) ? tr("wrote %1").arg(QFileInfo(file).fileName()) : why);
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
  planAgain();
  checkTimer_.start();
}

void DeployWorkspace::check() {
  if (document_->isChecking()) return;  // findingsChanged() follows.
  ++generation_;
  checking_ = true;
  preflight_->setChecking(true);
  const LaunchPlan::Options options{{}, document_->path(), document_->folder(), {}};
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
  const bool changed = checks != checks_;
  checks_ = std::move(checks);
  preflight_->setChecks(checks_);
  titleBar(preflightPane_)
      ->setCaption(tr("%1, took %2")
                       .arg(QTime::currentTime().toString(QStringLiteral("HH:mm:ss")),
                            theme::formatDuration(seconds)));
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
  return QStringLiteral("tutti plan ") + composer::shellQuoted(document_->path());
}

QStringList DeployWorkspace::statusNotes() const {
  if (!everChecked_) return {};
  return {launcher::mayRun(checks_) ? tr("exit code 0") : tr("exit code 1")};
}

QUndoStack* DeployWorkspace::undoStack() const { return &document_->undoStack(); }

void DeployWorkspace::provideFinds(QList<theme::FindEntry>& into) const {
  auto* self = const_cast<DeployWorkspace*>(this);
  into << theme::FindEntry{tr("this machine"),
                           tr("%1 cores").arg(host_->machine().cores),
                           QStringLiteral("Host"),
                           QStringLiteral("computer"),
                           {},
                           [self] { self->host_->setFocus(); }};
  into << theme::FindEntry{tr("Check again"),
                           tr("pre-flight"),
                           QStringLiteral("Action"),
                           QStringLiteral("restart"),
                           {},
                           [self] { self->checkAgain(); }};
}

QHash<QString, QList<QAction*>> DeployWorkspace::menuActions() const {
  return {{QStringLiteral("Composition"), {toggle_}}, {QStringLiteral("Run"), {again_, write_}}};
}

void DeployWorkspace::focusFilter() {
  orderPane_->show();
  orderPane_->raise();
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

void DeployWorkspace::setActive(bool active) {
  host_->setActive(active);
  // Files may have come or gone while another page was shown.
  if (active && everChecked_) checkTimer_.start();
}

}  // namespace tutti::launcher
