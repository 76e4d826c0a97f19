// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHash>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QTimer>
#include <QUndoGroup>
#include <QUndoStack>
#include <QVBoxLayout>
#include <algorithm>

#include "app/document_files.h"
#include "app/document_notices.h"
#include "app/finder.h"
#include "app/guide_window.h"
#include "app/keys_panel.h"
#include "app/main_menus.h"
#include "app/pulse_bar.h"
#include "app/rail.h"
#include "app/start_page.h"
#include "app/status_line.h"
#include "app/toast.h"
#include "app/trouble_banner.h"
#include "composer/model/command_line.h"
#include "composer/model/composition.h"
#include "composer/model/document.h"
#include "composer/model/recovery.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::app {

using theme::Appearance;
using theme::RunStatus;
using theme::State;

namespace {

QString appearanceKey() { return QStringLiteral("appearance"); }
QString geometryKey() { return QStringLiteral("window/geometry"); }
/// One line for who sees a page for the first time.
QString purposeOf(const QString& page) {
  static const QHash<QString, const char*> purposes{
      {QStringLiteral("compose"),
       QT_TRANSLATE_NOOP("MainWindow", "Which components take part, and what flows between them")},
      {QStringLiteral("object-model"),
       QT_TRANSLATE_NOOP("MainWindow", "The classes and datatypes that federates exchange")},
      {QStringLiteral("deploy"),
       QT_TRANSLATE_NOOP("MainWindow", "What starts, where and in which order")},
      {QStringLiteral("run"), QT_TRANSLATE_NOOP("MainWindow", "The running federation, live")},
      {QStringLiteral("benchmarks"),
       QT_TRANSLATE_NOOP("MainWindow", "How fast the RTI is on this machine")}};
  const char* purpose = purposes.value(page);
  return purpose ? QCoreApplication::translate("MainWindow", purpose) : QString();
}

QString pageKey() { return QStringLiteral("window/page"); }

}  // namespace

MainWindow::MainWindow(Parts parts)
    : parts_(std::move(parts)), heartbeat_(new Heartbeat(this)), undoGroup_(new QUndoGroup(this)) {
  setObjectName(QStringLiteral("mainWindow"));
  setWindowIcon(theme::icon(QStringLiteral("tutti")));
  setContextMenuPolicy(Qt::NoContextMenu);
  setMinimumSize(800, 560);
  resize(1440, 900);
  files_ = new DocumentFiles(*parts_.document, *parts_.settings, parts_.samplesFolder, this);
  buildBody();
  buildMenuRow();
  connectDocument();
  notices_ = new DocumentNotices(*parts_.document,
                                 {[this] { files_->saveAs(); },
                                  [this](const composer::Recoverable& edits) { recover(edits); }},
                                 this);
  connect(notices_, &DocumentNotices::changed, troubles_, &TroubleBanner::update);

  connect(parts_.run, &RunStatus::said, this, [this](const QString& what) { showToast(what); });
  connect(parts_.run, &RunStatus::phaseChanged, this, &MainWindow::updateRunActions);
  connect(parts_.run, &RunStatus::phaseChanged, troubles_, &TroubleBanner::update);
  connect(parts_.run, &RunStatus::changed, this, &MainWindow::updateRunActions);
  connect(parts_.run, &RunStatus::changed, troubles_, &TroubleBanner::update);
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    // The find field gives the focus back to where the operator was.
    if (now && now != find_ && isAncestorOf(now)) find_->setFocusTarget(now);
  });

  restoreAll();
  updateTitle();
  updateCounts();
  updateRunActions();
  troubles_->update();
  showStartPage();
  notices_->lookForUnsavedEdits();
}

MainWindow::~MainWindow() {
  // Pages may still speak while they are destroyed; nobody listens any more.
  for (theme::Workspace* page : parts_.pages) page->disconnect(this);
  parts_.document->disconnect(this);
  parts_.run->disconnect(this);
}

void MainWindow::buildBody() {
  auto* central = new QWidget(this);
  auto* column = startColumn_ = new QVBoxLayout(central);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  outer_ = new QStackedWidget(central);
  column->addWidget(outer_, 1);
  connect(outer_, &QStackedWidget::currentChanged, this, &MainWindow::placeBanner);
  setCentralWidget(central);

  start_ = new StartPage(&parts_.document->catalog(), parts_.samplesFolder, outer_);
  outer_->addWidget(start_);
  connect(start_, &StartPage::openRequested, this, [this](const QString& path, bool run) {
    if (!offerFile(path) || !run) return;
    showPage(QStringLiteral("run"));
    // Not the action: a fresh document is still being checked, and the run waits for that.
    parts_.run->run();
  });
  connect(start_, &StartPage::newRequested, this, &MainWindow::newComposition);
  connect(start_, &StartPage::browseRequested, this, &MainWindow::askForFile);
  connect(start_, &StartPage::templateRequested, this, [this](const QString& path) {
    if (!canRead(path) || !mayDiscard()) return;
    const auto loaded = parts_.document->load(path);
    if (!loaded) {
      showError(tr("%1 was not opened").arg(path), loaded.error().message());
      return;
    }
    outer_->setCurrentWidget(body_);
    showPage(QStringLiteral("compose"));
  });
  connect(start_, &StartPage::pageRequested, this, [this](const QString& id) {
    outer_->setCurrentWidget(body_);
    showPage(id);
  });

  connect(start_, &StartPage::guideRequested, this, &MainWindow::showGuide);

  body_ = new QWidget(outer_);
  outer_->addWidget(body_);
  auto* body = new QVBoxLayout(body_);
  body->setContentsMargins(0, 0, 0, 0);
  body->setSpacing(0);
  pulse_ = new PulseBar(parts_.run, body_);
  body->addWidget(pulse_);
  connect(pulse_, &PulseBar::pillClicked, this, [this] {
    parts_.run->showDismissed();
    showPage(QStringLiteral("run"));
  });
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  body->addLayout(row, 1);
  rail_ = new Rail(body_);
  row->addWidget(rail_);
  auto* page = new QVBoxLayout;
  page->setSpacing(0);
  row->addLayout(page, 1);
  // The banner's row is always there: nothing moves under the hand when something goes wrong. While
  // nothing does it says what the page is for.
  auto* purposeRow = new QFrame(body_);
  purposeRow->setProperty("role", QByteArray("bar"));
  purposeRow->setFixedHeight(theme::height::kBanner);
  auto* purposeText = new QHBoxLayout;
  purposeText->setContentsMargins(12, 0, 12, 1);
  purposeText->setSpacing(12);
  pageTitle_ = theme::makeLabel({}, "heading", purposeRow);
  pagePurpose_ = theme::makeLabel({}, "muted", purposeRow);
  pagePurpose_->setObjectName(QStringLiteral("pagePurpose"));
  purposeText->addWidget(pageTitle_);
  purposeText->addWidget(pagePurpose_, 1);
  bannerRow_ = new QGridLayout(purposeRow);
  bannerRow_->setContentsMargins(0, 0, 0, 0);
  bannerRow_->addLayout(purposeText, 0, 0);
  page->addWidget(purposeRow);
  banner_ = new theme::Banner(purposeRow);
  banner_->setObjectName(QStringLiteral("banner"));
  QSizePolicy policy = banner_->sizePolicy();
  policy.setRetainSizeWhenHidden(true);
  banner_->setSizePolicy(policy);
  banner_->hide();
  troubles_ = new TroubleBanner(
      *banner_, *parts_.run, [this] { return parts_.run->troubles() + notices(); }, this);
  stack_ = new QStackedWidget(body_);
  stack_->setObjectName(QStringLiteral("pages"));
  page->addWidget(stack_, 1);

  for (int i = 0; i < parts_.pages.size(); ++i) {
    theme::Workspace* workspace = parts_.pages[i];
    stack_->addWidget(workspace);
    RailButton* button = rail_->addPage(workspace->title(), workspace->iconName(),
                                        tr("%1 (Ctrl+%2)").arg(workspace->title()).arg(i + 1));
    button->setObjectName(QStringLiteral("rail-") + workspace->id());
    connect(workspace, &theme::Workspace::badgeChanged, button, [button, workspace] {
      button->setBadge(workspace->badge().state, workspace->badge().count);
    });
    button->setBadge(workspace->badge().state, workspace->badge().count);
    connect(workspace, &theme::Workspace::commandLineChanged, this, &MainWindow::updateStatus);
    connect(workspace, &theme::Workspace::statusNotesChanged, this, &MainWindow::updateStatus);
    connect(workspace, &theme::Workspace::workspaceRequested, this,
            [this](const QString& id, const QString& item) { showPage(id, item); });
    connect(workspace, &theme::Workspace::failed, this, &MainWindow::showError);
    connect(workspace, &theme::Workspace::unsavedEditsChanged, this, [this] {
      updateTitle();
      troubles_->update();
    });
    connect(workspace, &theme::Workspace::done, this,
            [this](const QString& text) { showToast(text); });
    if (QUndoStack* stack = workspace->undoStack()) undoGroup_->addStack(stack);
    connect(workspace, &theme::Workspace::undoStackChanged, this, [this, workspace] {
      undoGroup_->addStack(workspace->undoStack());
      if (workspace == currentPage()) undoGroup_->setActiveStack(workspace->undoStack());
    });
  }
  connect(rail_, &Rail::selected, this, [this](int index) { showPageAt(index); });

  status_ = new StatusLine(heartbeat_, this);
  setStatusBar(status_);
  toast_ = new Toast(this);
  placeBanner();
}

void MainWindow::buildMenuRow() {
  QMenuBar* bar = menuBar();
  menus_ = new MainMenus(*this, parts_, *files_, *undoGroup_);
  pulse_->composition()->setMenu(menus_->switchMenu());
  pulse_->setRunMenu(menus_->runMenu());
  pulse_->setPaceMenu(menus_->paceMenu());
  auto* mark = new QLabel(bar);
  mark->setContentsMargins(12, 0, 6, 0);
  theme::followTheme(mark, [mark](const theme::Palette&) {
    mark->setPixmap(theme::icon(QStringLiteral("tutti")).pixmap(16, 16));
  });
  bar->setCornerWidget(mark, Qt::TopLeftCorner);
  auto* holder = new QWidget(bar);
  auto* holderRow = new QHBoxLayout(holder);
  holderRow->setContentsMargins(0, 3, 8, 3);
  find_ = new FindField(holder);
  holderRow->addWidget(find_);
  bar->setCornerWidget(holder, Qt::TopRightCorner);
  find_->addProvider([this](QList<theme::FindEntry>& into) { menus_->provideFinds(into); });
  for (theme::Workspace* page : parts_.pages)
    find_->addProvider([this, page](QList<theme::FindEntry>& into) {
      const qsizetype before = into.size();
      page->provideFinds(into);
      for (qsizetype i = before; i < into.size(); ++i)
        into[i].activate = [this, page, run = into[i].activate] {
          showPage(page->id());
          if (run) run();
        };
    });
}

void MainWindow::connectDocument() {
  connect(files_, &DocumentFiles::saved, this, &MainWindow::updateTitle);
  connect(files_, &DocumentFiles::failed, this, &MainWindow::showError);
  composer::Document* document = parts_.document;
  connect(document, &composer::Document::wasReset, this, &MainWindow::updateTitle);
  connect(document, &composer::Document::settingsChanged, this, &MainWindow::updateTitle);
  connect(document, &composer::Document::pathChanged, this, &MainWindow::updateTitle);
  connect(document, &composer::Document::modifiedChanged, this, &MainWindow::updateTitle);
  connect(&document->undoStack(), &QUndoStack::indexChanged, this, &MainWindow::updateTitle);
  connect(document, &composer::Document::wasReset, this, &MainWindow::updateCounts);
  connect(document, &composer::Document::federateAdded, this, &MainWindow::updateCounts);
  connect(document, &composer::Document::federateRemoved, this, &MainWindow::updateCounts);
  connect(document, &composer::Document::federateChanged, this, &MainWindow::updateCounts);
  connect(document, &composer::Document::autosaveFailed, this,
          [this](const composer::Error& error) {
            showError(tr("Unsaved edits are not kept"), error.message());
          });
}

void MainWindow::placeBanner() {
  if (!banner_) return;
  // On the start page there is no pulse bar to stand under.
  const bool wanted = troubles_->isWanted();
  if (isStartPageShown())
    startColumn_->insertWidget(0, banner_);
  else
    bannerRow_->addWidget(banner_, 0, 0);
  banner_->raise();
  banner_->setVisible(wanted);
}

void MainWindow::recover(const composer::Recoverable& edits) {
  const auto readable = composer::Recovery::load(edits.file);
  if (readable && !mayDiscard()) return;
  if (const auto recovered = parts_.document->recover(edits); !recovered) {
    showError(tr("The unsaved edits were not recovered"), recovered.error().message());
    return;
  }
  showPage(QStringLiteral("compose"));
  showToast(tr("Recovered; save to keep them"));
}

// Pages

theme::Workspace* MainWindow::currentPage() const {
  return parts_.pages.value(stack_->currentIndex());
}

bool MainWindow::isStartPageShown() const { return outer_->currentWidget() == start_; }

void MainWindow::showStartPage() {
  start_->setRecent(files_->recent());
  start_->refresh();
  outer_->setCurrentWidget(start_);
  menus_->setPage(nullptr);
  updateStatus();
}

bool MainWindow::showPage(const QString& id, const QString& item) {
  for (int i = 0; i < parts_.pages.size(); ++i) {
    if (parts_.pages[i]->id() != id) continue;
    outer_->setCurrentWidget(body_);
    showPageAt(i);
    if (!item.isEmpty()) parts_.pages[i]->showItem(item);
    return true;
  }
  return false;
}

void MainWindow::showPageAt(int index, bool remember) {
  theme::Workspace* page = parts_.pages.value(index);
  if (!page) return;
  const bool changed = stack_->currentIndex() != index;
  if (changed && currentPage()) currentPage()->setActive(false);
  stack_->setCurrentIndex(index);
  rail_->setCurrent(index);
  pageTitle_->setText(page->title());
  pagePurpose_->setText(purposeOf(page->id()));
  page->setActive(true);
  undoGroup_->setActiveStack(page->undoStack() ? page->undoStack() : &parts_.document->undoStack());
  if (remember && (historyAt_ < 0 || history_.value(historyAt_) != index)) {
    history_ = history_.mid(0, historyAt_ + 1);
    history_ << index;
    historyAt_ = static_cast<int>(history_.size()) - 1;
  }
  menus_->setHistory(historyAt_ > 0, historyAt_ + 1 < history_.size());
  // The keys of the page work at once; an operator who was typing elsewhere in it stays there.
  if (page->isVisible() && !page->isAncestorOf(focusWidget()) && page->centralWidget())
    page->centralWidget()->setFocus(Qt::OtherFocusReason);
  menus_->setPage(isStartPageShown() ? nullptr : page);
  updateStatus();
}

void MainWindow::goHistory(int direction) {
  const int next = historyAt_ + direction;
  if (next < 0 || next >= history_.size()) return;
  historyAt_ = next;
  showPageAt(history_[next], false);
}

void MainWindow::resetLayout() {
  for (theme::Workspace* page : parts_.pages) {
    parts_.settings->remove(QStringLiteral("layout/") + page->id());
    page->resetLayout();
  }
}

// Files

bool MainWindow::openFile(const QString& path) {
  const auto loaded = files_->load(path);
  if (!loaded) {
    outer_->setCurrentWidget(body_);
    if (!currentPage()) showPageAt(0);
    showError(tr("%1 was not opened").arg(QFileInfo(path).fileName()), loaded.error().message());
    return false;
  }
  troubles_->withdrawError();
  // What was opened is seen, whatever page was used last.
  if (!showPage(QStringLiteral("compose"))) showPageAt(0);
  return true;
}

bool MainWindow::offerFile(const QString& path) {
  return canRead(path) && mayDiscard() && openFile(path);
}

bool MainWindow::canRead(const QString& path) {
  const auto read = composer::Composition::load(path);
  if (!read)
    showError(tr("%1 was not opened").arg(QFileInfo(path).fileName()), read.error().message());
  return read.has_value();
}

bool MainWindow::mayDiscard() {
  return files_->mayDiscard() &&
         std::all_of(parts_.pages.cbegin(), parts_.pages.cend(),
                     [](theme::Workspace* page) { return page->mayDiscardEdits(); });
}

QList<theme::RunTrouble> MainWindow::notices() const {
  QList<theme::RunTrouble> all;
  if (notices_) all << notices_->all();
  for (const theme::Workspace* page : parts_.pages) all << page->notices();
  return all;
}

bool MainWindow::mayLeaveRun() {
  using Phase = RunStatus::Phase;
  const Phase phase = parts_.run->phase();
  const bool active = phase == Phase::Starting || phase == Phase::Running || phase == Phase::Paused;
  if (!active || parts_.run->isKept() || parts_.run->isWatched()) return true;
  closing_ = false;
  const QString name = parts_.run->federation();
  QMessageBox box(this);
  box.setObjectName(QStringLiteral("leaveRun"));
  box.setIcon(QMessageBox::NoIcon);
  box.setText(tr("%1 is running.").arg(name));
  box.setInformativeText(
      parts_.run->canKeep()
          ? tr("Kept running, its federates go on without a window; the next console that starts "
               "offers to watch or to stop it. Time that is paused goes on.")
          : tr("It can be kept running as soon as all its federates are ready."));
  QPushButton* stop = box.addButton(tr("Stop %1").arg(name), QMessageBox::DestructiveRole);
  QPushButton* keep = box.addButton(tr("Keep it running"), QMessageBox::AcceptRole);
  QPushButton* stay = box.addButton(tr("Leave the window open"), QMessageBox::RejectRole);
  keep->setEnabled(parts_.run->canKeep());
  stop->setObjectName(QStringLiteral("leaveStop"));
  keep->setObjectName(QStringLiteral("leaveKeep"));
  stay->setObjectName(QStringLiteral("leaveStay"));
  box.setDefaultButton(stay);
  box.exec();
  if (box.clickedButton() == stop) return true;
  if (box.clickedButton() == keep) {
    closing_ = true;
    parts_.run->setKept(true);
  }
  return false;
}

void MainWindow::newComposition() {
  if (!mayDiscard()) return;
  parts_.document->reset();
  showPage(QStringLiteral("compose"));
}

void MainWindow::askForFile() {
  const QString path = files_->askForOne();
  if (!path.isEmpty()) offerFile(path);
}

// What is shown about the document and the run

void MainWindow::updateTitle() {
  const composer::Document* document = parts_.document;
  const QString name = document->composition().settings.federation;
  setWindowTitle(tr("%1[*] – Tutti").arg(name));
  setWindowModified(document->isModified() ||
                    std::any_of(parts_.pages.cbegin(), parts_.pages.cend(),
                                [](const auto* page) { return page->hasUnsavedEdits(); }));
  pulse_->setComposition(name, document->path());
  QUndoStack& stack = parts_.document->undoStack();
  if (document->isModified()) {
    const int edits = stack.cleanIndex() < 0 ? 0 : std::abs(stack.index() - stack.cleanIndex());
    status_->setSaveState(edits == 0   ? tr("Unsaved")
                          : edits == 1 ? tr("Unsaved: 1 edit")
                                       : tr("Unsaved: %1 edits").arg(edits));
  } else {
    status_->setSaveState(document->path().isEmpty() ? QString() : tr("Saved"));
  }
}

void MainWindow::updateCounts() {
  int federates = 0;
  QSet<QString> hosts;
  for (const auto& [id, federate] : parts_.document->composition().federates) {
    if (!federate.enabled) continue;
    federates += federate.count;
    hosts << federate.host;
  }
  pulse_->setCounts(federates, static_cast<int>(hosts.size()));
}

void MainWindow::updateStatus() {
  if (isStartPageShown()) {
    status_->setCommandLine(start_->sample().isEmpty()
                                ? QString()
                                : QStringLiteral("tutti run ") +
                                      composer::shellQuoted(start_->sample()));
    status_->setNotes(withNote({tr("Tutti %1").arg(QStringLiteral(TUTTI_VERSION))}));
    return;
  }
  theme::Workspace* page = currentPage();
  status_->setCommandLine(page ? page->commandLine() : QString());
  status_->setNotes(withNote(page ? page->statusNotes() : QStringList()));
}

QStringList MainWindow::withNote(QStringList notes) const {
  if (!note_.isEmpty()) notes.prepend(note_);
  return notes;
}

void MainWindow::setNote(const QString& note) {
  note_ = note;
  updateStatus();
}

void MainWindow::updateRunActions() {
  menus_->updateRun();
  if (closing_ && parts_.run->isKept()) QTimer::singleShot(0, this, &QWidget::close);
}

void MainWindow::showError(const QString& title, const QString& detail) {
  troubles_->showError(title, detail);
}

void MainWindow::showToast(const QString& text, const QString& link, std::function<void()> onLink) {
  toast_->show(text, link, std::move(onLink));
}

void MainWindow::copyCommandLine() {
  QApplication::clipboard()->setText(status_->commandLine());
  showToast(tr("Copied: %1").arg(status_->commandLine()));
}

void MainWindow::showKeys() {
  if (!keys_) keys_ = new KeysPanel(this);
  keys_->show();
  keys_->raise();
  keys_->activateWindow();
}

void MainWindow::showGuide(const QString& page) {
  static const QHash<QString, QString> kFitting{
      {QStringLiteral("compose"), QStringLiteral("compose.md")},
      {QStringLiteral("object-model"), QStringLiteral("questions.md#standard-and-object-models")},
      {QStringLiteral("deploy"), QStringLiteral("several-hosts.md")},
      {QStringLiteral("run"), QStringLiteral("when-something-dies.md")},
      {QStringLiteral("benchmarks"), QStringLiteral("benchmarks.md")}};
  QString wanted = page;
  if (wanted.isEmpty() && !isStartPageShown() && currentPage())
    wanted = kFitting.value(currentPage()->id());
  if (wanted.isEmpty()) wanted = QStringLiteral("first-run.md");
  if (!guide_) guide_ = new GuideWindow(parts_.guideFolder, this);
  if (parts_.guideFolder.isEmpty() || !guide_->showPage(wanted)) {
    showError(
        tr("The guide is not here"),
        tr("The page %1 did not come with this program. It is in docs/guide of Tutti's source.")
            .arg(wanted.section(u'#', 0, 0)));
    return;
  }
  guide_->show();
  guide_->raise();
  guide_->activateWindow();
}

// Appearance and settings

void MainWindow::setAppearance(Appearance appearance) {
  parts_.settings->setValue(appearanceKey(), static_cast<int>(appearance));
  parts_.theme->apply(appearance);
}

void MainWindow::restoreAll() {
  if (!restoreGeometry(parts_.settings->value(geometryKey()).toByteArray())) {
    // The first time: as designed, or the whole of a smaller screen.
    const QRect room = screen()->availableGeometry();
    if (room.width() < width() + 40 || room.height() < height() + 60)
      setWindowState(Qt::WindowMaximized);
  }
  for (theme::Workspace* page : parts_.pages) page->restoreLayout(*parts_.settings);
  const QString last = parts_.settings->value(pageKey()).toString();
  int index = 0;
  for (int i = 0; i < parts_.pages.size(); ++i)
    if (parts_.pages[i]->id() == last) index = i;
  showPageAt(index);
}

void MainWindow::saveAll() {
  parts_.settings->setValue(geometryKey(), saveGeometry());
  for (const theme::Workspace* page : parts_.pages) page->saveLayout(*parts_.settings);
  if (currentPage()) parts_.settings->setValue(pageKey(), currentPage()->id());
  parts_.settings->sync();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!mayLeaveRun()) {
    event->ignore();
    return;
  }
  closing_ = false;
  if (!mayDiscard()) {
    event->ignore();
    return;
  }
  saveAll();
  event->accept();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  if (toast_ && toast_->isVisible()) toast_->place();
}

}  // namespace tutti::app
