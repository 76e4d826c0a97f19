// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
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

#include "app/document_notices.h"
#include "app/finder.h"
#include "app/keys_panel.h"
#include "app/pulse_bar.h"
#include "app/rail.h"
#include "app/start_page.h"
#include "app/status_line.h"
#include "app/toast.h"
#include "composer/model/command_line.h"
#include "composer/model/document.h"
#include "resources/theme/icons.h"
#include "resources/theme/rows.h"
#include "resources/theme/widgets.h"

namespace tutti::app {

using theme::Appearance;
using theme::RunStatus;
using theme::State;

namespace {

constexpr int kMostRecent = 8;
const QLatin1String kErrorId("error");

QString appearanceKey() { return QStringLiteral("appearance"); }
QString geometryKey() { return QStringLiteral("window/geometry"); }
QString recentKey() { return QStringLiteral("recent"); }
QString pageKey() { return QStringLiteral("window/page"); }

QString fileFilter() { return QObject::tr("Compositions (*.federation.json);;All files (*)"); }

}  // namespace

MainWindow::MainWindow(Parts parts)
    : parts_(std::move(parts)), heartbeat_(new Heartbeat(this)), undoGroup_(new QUndoGroup(this)) {
  setObjectName(QStringLiteral("mainWindow"));
  setWindowIcon(theme::icon(QStringLiteral("tutti")));
  setContextMenuPolicy(Qt::NoContextMenu);
  setMinimumSize(800, 560);
  resize(1440, 900);
  buildBody();
  buildMenus();
  connectDocument();
  notices_ = new DocumentNotices(
      *parts_.document,
      {[this] { saveAs(); }, [this](const composer::Recoverable& edits) { recover(edits); }}, this);
  connect(notices_, &DocumentNotices::changed, this, &MainWindow::updateBanner);

  connect(parts_.run, &RunStatus::phaseChanged, this, &MainWindow::updateRunActions);
  connect(parts_.run, &RunStatus::phaseChanged, this, &MainWindow::updateBanner);
  connect(parts_.run, &RunStatus::changed, this, &MainWindow::updateRunActions);
  connect(parts_.run, &RunStatus::changed, this, &MainWindow::updateBanner);
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    // The find field gives the focus back to where the operator was.
    if (now && now != find_ && isAncestorOf(now)) find_->setFocusTarget(now);
  });

  restoreAll();
  updateTitle();
  updateCounts();
  updateRunActions();
  updateBanner();
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
    if (!openFile(path) || !run) return;
    showPage(QStringLiteral("run"));
    // Not the action: a fresh document is still being checked, and the run waits for that.
    parts_.run->run();
  });
  connect(start_, &StartPage::newRequested, this, &MainWindow::newComposition);
  connect(start_, &StartPage::browseRequested, this, &MainWindow::open);
  connect(start_, &StartPage::templateRequested, this, [this](const QString& path) {
    if (!mayDiscard()) return;
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

  body_ = new QWidget(outer_);
  outer_->addWidget(body_);
  auto* body = new QVBoxLayout(body_);
  body->setContentsMargins(0, 0, 0, 0);
  body->setSpacing(0);
  pulse_ = new PulseBar(parts_.run, body_);
  body->addWidget(pulse_);
  connect(pulse_, &PulseBar::pillClicked, this, [this] {
    dismissed_.clear();
    updateBanner();
    showPage(QStringLiteral("run"));
  });
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  body->addLayout(row, 1);
  rail_ = new Rail(body_);
  row->addWidget(rail_);
  auto* page = pageColumn_ = new QVBoxLayout;
  page->setSpacing(0);
  row->addLayout(page, 1);
  banner_ = new theme::Banner(body_);
  banner_->setObjectName(QStringLiteral("banner"));
  banner_->hide();
  page->addWidget(banner_);
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
    connect(workspace, &theme::Workspace::done, this,
            [this](const QString& text) { showToast(text); });
    if (QUndoStack* stack = workspace->undoStack()) undoGroup_->addStack(stack);
  }
  connect(rail_, &Rail::selected, this, [this](int index) { showPageAt(index); });

  status_ = new StatusLine(heartbeat_, this);
  setStatusBar(status_);
  toast_ = new Toast(this);
  placeBanner();

  connect(banner_, &theme::Banner::dismissed, this, [this] {
    if (bannerId_ == kErrorId)
      error_.reset();
    else
      dismissed_ << bannerId_;
    shownTrouble_ = 0;
    updateBanner();
  });
  connect(banner_, &theme::Banner::moreClicked, this, [this] {
    ++shownTrouble_;
    updateBanner();
  });
}

QAction* MainWindow::action(QMenu* menu, const QString& name, const QString& text,
                            const QString& iconName, const QList<QKeySequence>& keys,
                            std::function<void()> run) {
  auto* result = new QAction(text, this);
  result->setObjectName(name);
  if (!iconName.isEmpty()) result->setIcon(theme::icon(iconName));
  result->setShortcuts(keys);
  connect(result, &QAction::triggered, this, [run = std::move(run)] { run(); });
  menu->addAction(result);
  // The window itself holds it too, so that keys work while a menu is rebuilt.
  addAction(result);
  return result;
}

void MainWindow::buildMenus() {
  QMenuBar* bar = menuBar();
  bar->setObjectName(QStringLiteral("menuRow"));
  bar->setNativeMenuBar(false);
  bar->setFixedHeight(theme::height::kMenu);
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
  find_->addProvider([this](QList<theme::FindEntry>& into) { provideActions(into); });
  for (theme::Workspace* page : parts_.pages)
    find_->addProvider([this, page](QList<theme::FindEntry>& into) {
      const qsizetype before = into.size();
      page->provideFinds(into);
      for (qsizetype i = before; i < into.size(); ++i)
        into[i].activate = [this, page, run = into[i].activate] {
          outer_->setCurrentWidget(body_);
          showPage(page->id());
          if (run) run();
        };
    });

  fileMenu_ = bar->addMenu(tr("&File"));
  action(fileMenu_, QStringLiteral("fileNew"), tr("&New composition"),
         QStringLiteral("document-new"), {QKeySequence::New}, [this] { newComposition(); });
  action(fileMenu_, QStringLiteral("fileOpen"), tr("&Open…"), QStringLiteral("document-open"),
         {QKeySequence::Open}, [this] { open(); });
  recentMenu_ = fileMenu_->addMenu(tr("Open &recent"));
  recentMenu_->setIcon(theme::icon(QStringLiteral("document-open-recent")));
  connect(recentMenu_, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
  fileMenu_->addSeparator();
  action(fileMenu_, QStringLiteral("fileSave"), tr("&Save"), QStringLiteral("document-save"),
         {QKeySequence::Save}, [this] { save(); });
  action(fileMenu_, QStringLiteral("fileSaveAs"), tr("Save &as…"),
         QStringLiteral("document-save-as"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)},
         [this] { saveAs(); });
  fileMenu_->addSeparator();
  action(fileMenu_, QStringLiteral("fileStart"), tr("Start &page"), {}, {},
         [this] { showStartPage(); });
  action(fileMenu_, QStringLiteral("fileQuit"), tr("&Quit"), QStringLiteral("application-exit"),
         {QKeySequence::Quit, QKeySequence(Qt::CTRL | Qt::Key_Q)}, [this] { close(); });

  editMenu_ = bar->addMenu(tr("&Edit"));
  QAction* undo = undoGroup_->createUndoAction(this, tr("Undo"));
  undo->setObjectName(QStringLiteral("editUndo"));
  undo->setIcon(theme::icon(QStringLiteral("undo")));
  undo->setShortcut(QKeySequence::Undo);
  QAction* redo = undoGroup_->createRedoAction(this, tr("Redo"));
  redo->setObjectName(QStringLiteral("editRedo"));
  redo->setIcon(theme::icon(QStringLiteral("redo")));
  redo->setShortcuts(
      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
  editMenu_->addActions({undo, redo});
  addActions({undo, redo});
  editMenu_->addSeparator();
  action(editMenu_, QStringLiteral("editFind"), tr("&Find anything"), QStringLiteral("find"),
         {QKeySequence(Qt::CTRL | Qt::Key_K)}, [this] { find_->open(); });
  action(editMenu_, QStringLiteral("editFilter"), tr("Filter the &list"), QStringLiteral("filter"),
         {QKeySequence::Find}, [this] {
           if (!isStartPageShown() && currentPage()) currentPage()->focusFilter();
         });

  viewMenu_ = bar->addMenu(tr("&View"));
  for (int i = 0; i < parts_.pages.size(); ++i)
    action(viewMenu_, QStringLiteral("view-") + parts_.pages[i]->id(), parts_.pages[i]->title(),
           parts_.pages[i]->iconName(),
           {QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i))}, [this, i] {
             outer_->setCurrentWidget(body_);
             showPageAt(i);
           });
  viewMenu_->addSeparator();
  panesMenu_ = viewMenu_->addMenu(tr("&Panes"));
  connect(panesMenu_, &QMenu::aboutToShow, this, [this] {
    panesMenu_->clear();
    if (currentPage())
      for (QDockWidget* pane : currentPage()->panes())
        panesMenu_->addAction(pane->toggleViewAction());
  });
  action(viewMenu_, QStringLiteral("viewReset"), tr("&Reset layout"), {}, {},
         [this] { resetLayout(); });
  viewMenu_->addSeparator();
  backAction_ =
      action(viewMenu_, QStringLiteral("viewBack"), tr("&Back"), QStringLiteral("previous"),
             {QKeySequence(Qt::ALT | Qt::Key_Left)}, [this] { goHistory(-1); });
  forwardAction_ =
      action(viewMenu_, QStringLiteral("viewForward"), tr("&Forward"), QStringLiteral("next"),
             {QKeySequence(Qt::ALT | Qt::Key_Right)}, [this] { goHistory(1); });
  action(viewMenu_, QStringLiteral("viewNextPane"), tr("Next p&ane"), {},
         {QKeySequence(Qt::CTRL | Qt::Key_Tab)}, [this] {
           if (!isStartPageShown() && currentPage()) currentPage()->focusPane(1);
         });
  action(viewMenu_, QStringLiteral("viewPreviousPane"), tr("Previous pa&ne"), {},
         {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Tab),
          QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Backtab)},
         [this] {
           if (!isStartPageShown() && currentPage()) currentPage()->focusPane(-1);
         });
  viewMenu_->addSeparator();
  QMenu* themeMenu = viewMenu_->addMenu(tr("&Theme"));
  auto* themes = new QActionGroup(this);
  const auto addTheme = [&](const char* name, const QString& text, Appearance appearance) {
    QAction* choice = action(themeMenu, QString::fromLatin1(name), text, {}, {},
                             [this, appearance] { setAppearance(appearance); });
    choice->setCheckable(true);
    choice->setData(static_cast<int>(appearance));
    themes->addAction(choice);
  };
  addTheme("themeSystem", tr("&System"), Appearance::System);
  addTheme("themeLight", tr("&Light"), Appearance::Light);
  addTheme("themeDark", tr("&Dark"), Appearance::Dark);
  connect(themeMenu, &QMenu::aboutToShow, this, [this, themes] {
    for (QAction* choice : themes->actions())
      choice->setChecked(choice->data().toInt() == static_cast<int>(parts_.theme->appearance()));
  });
  QAction* motion =
      action(viewMenu_, QStringLiteral("viewMotion"), tr("Reduced &motion"), {}, {}, [] {});
  motion->setCheckable(true);
  motion->setChecked(parts_.settings->value(QStringLiteral("reducedMotion")).toBool());
  theme::setReducedMotion(motion->isChecked());
  connect(motion, &QAction::toggled, this, [this](bool on) {
    theme::setReducedMotion(on);
    parts_.settings->setValue(QStringLiteral("reducedMotion"), on);
  });

  QAction* rows =
      action(viewMenu_, QStringLiteral("viewLargeRows"), tr("&Large rows"), {}, {}, [] {});
  rows->setCheckable(true);
  rows->setToolTip(tr("Lists, tables and trees with rows of 36 px, for touch screens"));
  const auto setRows = [](bool large) {
    theme::setRowSize(large ? theme::RowSize::Large : theme::RowSize::Dense);
  };
  rows->setChecked(parts_.settings->value(QStringLiteral("largeRows")).toBool());
  setRows(rows->isChecked());
  connect(rows, &QAction::toggled, this, [this, setRows](bool on) {
    setRows(on);
    parts_.settings->setValue(QStringLiteral("largeRows"), on);
  });

  compositionMenu_ = bar->addMenu(tr("&Composition"));

  runMenu_ = bar->addMenu(tr("&Run"));
  runAction_ = action(runMenu_, QStringLiteral("run"), tr("&Run"), QStringLiteral("run"),
                      {QKeySequence(Qt::Key_F5)}, [this] {
                        if (parts_.run->whyNotRun().isEmpty())
                          parts_.run->run();
                        else
                          parts_.run->showWhyNotRun();
                      });
  pauseAction_ = action(runMenu_, QStringLiteral("pause"), tr("&Pause"), QStringLiteral("pause"),
                        {QKeySequence(Qt::Key_F6)}, [this] {
                          if (parts_.run->phase() == RunStatus::Phase::Paused)
                            parts_.run->resume();
                          else
                            parts_.run->pause();
                        });
  stepAction_ = action(runMenu_, QStringLiteral("step"), tr("S&tep"), QStringLiteral("step"),
                       {QKeySequence(Qt::Key_F10)}, [this] { parts_.run->step(); });
  stopAction_ = action(runMenu_, QStringLiteral("stop"), tr("&Stop"), QStringLiteral("stop"),
                       {QKeySequence(Qt::SHIFT | Qt::Key_F5)}, [this] { parts_.run->stop(); });
  runMenu_->addSeparator();
  keepAction_ = action(runMenu_, QStringLiteral("keepRunning"),
                       tr("&Keep running without this window"), {}, {}, [] {});
  keepAction_->setCheckable(true);
  connect(keepAction_, &QAction::triggered, this, [this](bool on) { parts_.run->setKept(on); });
  runMenu_->addSeparator();
  action(runMenu_, QStringLiteral("nextProblem"), tr("&Next problem"), {},
         {QKeySequence(Qt::Key_F8)}, [this] {
           if (!isStartPageShown() && currentPage()) currentPage()->showNextProblem(1);
         });
  action(runMenu_, QStringLiteral("previousProblem"), tr("Pre&vious problem"), {},
         {QKeySequence(Qt::SHIFT | Qt::Key_F8)}, [this] {
           if (!isStartPageShown() && currentPage()) currentPage()->showNextProblem(-1);
         });

  toolsMenu_ = bar->addMenu(tr("&Tools"));
  action(toolsMenu_, QStringLiteral("toolsCatalog"), tr("Read the &catalog again"),
         QStringLiteral("view-refresh"), {}, [this] {
           parts_.document->setCatalog(composer::Catalog::readDefault());
           showToast(tr("Read %1 components").arg(parts_.document->catalog().components().size()));
         });
  action(toolsMenu_, QStringLiteral("toolsCopyCommand"), tr("Copy the command &line"),
         QStringLiteral("terminal"), {}, [this] {
           QApplication::clipboard()->setText(status_->commandLine());
           showToast(tr("Copied: %1").arg(status_->commandLine()));
         });

  helpMenu_ = bar->addMenu(tr("&Help"));
  action(helpMenu_, QStringLiteral("helpKeys"), tr("All &keys"), QStringLiteral("help-contents"),
         {QKeySequence(Qt::Key_F1), QKeySequence(Qt::CTRL | Qt::Key_Slash)}, [this] {
           if (!keys_) keys_ = new KeysPanel(this);
           keys_->show();
           keys_->raise();
           keys_->activateWindow();
         });

  // The composition's name drops the recent files, to change between experiments.
  switchMenu_ = new QMenu(this);
  connect(switchMenu_, &QMenu::aboutToShow, this, [this] {
    switchMenu_->clear();
    fillRecentMenu();
    switchMenu_->addActions(recentMenu_->actions());
    switchMenu_->addSeparator();
    for (const char* name : {"fileNew", "fileOpen", "fileSave", "fileSaveAs", "fileStart"})
      if (auto* choice = findChild<QAction*>(QString::fromLatin1(name)))
        switchMenu_->addAction(choice);
  });
  pulse_->composition()->setMenu(switchMenu_);
}

void MainWindow::connectDocument() {
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
  const bool wanted = !bannerId_.isEmpty();
  (isStartPageShown() ? startColumn_ : pageColumn_)->insertWidget(0, banner_);
  banner_->setVisible(wanted);
}

void MainWindow::recover(const composer::Recoverable& edits) {
  if (!mayDiscard()) return;
  if (const auto recovered = parts_.document->recover(edits); !recovered) {
    showError(tr("The unsaved edits were not recovered"), recovered.error().message());
    return;
  }
  showPage(QStringLiteral("compose"));
  showToast(tr("Recovered; save to keep them"));
}

QList<QMenu*> MainWindow::menus() const {
  return {fileMenu_, editMenu_, viewMenu_, compositionMenu_, runMenu_, toolsMenu_, helpMenu_};
}

void MainWindow::provideActions(QList<theme::FindEntry>& into) const {
  const std::function<void(const QMenu*, const QString&)> walk = [&](const QMenu* menu,
                                                                     const QString& path) {
    for (QAction* choice : menu->actions()) {
      if (choice->menu()) {
        if (choice->menu() != recentMenu_ && choice->menu() != panesMenu_)
          walk(choice->menu(), path + QStringLiteral(" › ") + choice->text().remove(u'&'));
        continue;
      }
      if (choice->isSeparator() || !choice->isEnabled() || !choice->isVisible()) continue;
      into << theme::FindEntry{choice->text().remove(u'&'),
                               path,
                               tr("Action"),
                               QStringLiteral("bolt"),
                               choice->shortcut().toString(QKeySequence::NativeText),
                               [choice] { choice->trigger(); }};
    }
  };
  for (const QMenu* menu : menus()) walk(menu, menu->title().remove(u'&'));
  for (const QString& file : recentFiles())
    into << theme::FindEntry{QFileInfo(file).fileName(),
                             QFileInfo(file).path(),
                             tr("Composition"),
                             QStringLiteral("compose"),
                             {},
                             [window = const_cast<MainWindow*>(this), file] {
                               if (window->mayDiscard()) window->openFile(file);
                             }};
}

// Pages

theme::Workspace* MainWindow::currentPage() const {
  return parts_.pages.value(stack_->currentIndex());
}

bool MainWindow::isStartPageShown() const { return outer_->currentWidget() == start_; }

void MainWindow::showStartPage() {
  start_->setRecent(recentFiles());
  start_->refresh();
  outer_->setCurrentWidget(start_);
  fillPageMenus();
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
  page->setActive(true);
  undoGroup_->setActiveStack(page->undoStack() ? page->undoStack() : &parts_.document->undoStack());
  if (remember && (historyAt_ < 0 || history_.value(historyAt_) != index)) {
    history_ = history_.mid(0, historyAt_ + 1);
    history_ << index;
    historyAt_ = static_cast<int>(history_.size()) - 1;
  }
  backAction_->setEnabled(historyAt_ > 0);
  forwardAction_->setEnabled(historyAt_ + 1 < history_.size());
  // The keys of the page work at once; an operator who was typing elsewhere in it stays there.
  if (page->isVisible() && !page->isAncestorOf(focusWidget()) && page->centralWidget())
    page->centralWidget()->setFocus(Qt::OtherFocusReason);
  fillPageMenus();
  updateStatus();
}

void MainWindow::goHistory(int direction) {
  const int next = historyAt_ + direction;
  if (next < 0 || next >= history_.size()) return;
  historyAt_ = next;
  showPageAt(history_[next], false);
}

void MainWindow::fillPageMenus() {
  for (auto [menu, actions] : pageActions_.asKeyValueRange())
    for (QAction* old : actions) {
      menu->removeAction(old);
      removeAction(old);
      if (old->isSeparator() && old->parent() == this) delete old;
    }
  pageActions_.clear();
  if (isStartPageShown() || !currentPage()) {
    compositionMenu_->menuAction()->setVisible(false);
    return;
  }
  const auto byTitle = currentPage()->menuActions();
  for (QMenu* menu : menus()) {
    const QList<QAction*> actions = byTitle.value(menu->title().remove(u'&'));
    if (actions.isEmpty()) continue;
    QList<QAction*>& placed = pageActions_[menu];
    if (!menu->actions().isEmpty()) {
      auto* separator = new QAction(this);
      separator->setSeparator(true);
      menu->addAction(separator);
      placed << separator;
    }
    for (QAction* one : actions) {
      menu->addAction(one);
      addAction(one);
      placed << one;
    }
  }
  compositionMenu_->menuAction()->setVisible(!compositionMenu_->actions().isEmpty());
}

void MainWindow::resetLayout() {
  for (theme::Workspace* page : parts_.pages) {
    parts_.settings->remove(QStringLiteral("layout/") + page->id());
    page->resetLayout();
  }
}

// Files

bool MainWindow::openFile(const QString& path) {
  const auto loaded = parts_.document->load(path);
  if (!loaded) {
    outer_->setCurrentWidget(body_);
    if (!currentPage()) showPageAt(0);
    showError(tr("%1 was not opened").arg(QFileInfo(path).fileName()), loaded.error().message());
    return false;
  }
  error_.reset();
  addRecent(parts_.document->path());
  outer_->setCurrentWidget(body_);
  showPageAt(std::max(0, stack_->currentIndex()));
  updateBanner();
  return true;
}

bool MainWindow::offerFile(const QString& path) { return mayDiscard() && openFile(path); }

bool MainWindow::mayLeaveRun() {
  using Phase = RunStatus::Phase;
  const Phase phase = parts_.run->phase();
  const bool active = phase == Phase::Starting || phase == Phase::Running || phase == Phase::Paused;
  if (!active || parts_.run->isKept()) return true;
  closing_ = false;
  const QString name = parts_.document->composition().settings.federation;
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

void MainWindow::open() {
  if (!mayDiscard()) return;
  const QString folder = parts_.document->path().isEmpty()
                             ? parts_.samplesFolder
                             : QFileInfo(parts_.document->path()).path();
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Open a composition"), folder, fileFilter());
  if (!path.isEmpty()) openFile(path);
}

bool MainWindow::save() {
  if (parts_.document->path().isEmpty()) return saveAs();
  const auto saved = parts_.document->save();
  if (!saved) {
    showError(tr("%1 was not saved").arg(QFileInfo(parts_.document->path()).fileName()),
              saved.error().message());
    return false;
  }
  updateTitle();
  return true;
}

bool MainWindow::saveAs() {
  QString suggestion = parts_.document->path();
  if (suggestion.isEmpty())
    suggestion =
        parts_.document->composition().settings.federation + QStringLiteral(".federation.json");
  QString path =
      QFileDialog::getSaveFileName(this, tr("Save the composition as"), suggestion, fileFilter());
  if (path.isEmpty()) return false;
  if (!path.endsWith(QStringLiteral(".json"))) path += QStringLiteral(".federation.json");
  const auto saved = parts_.document->saveAs(path);
  if (!saved) {
    showError(tr("%1 was not saved").arg(QFileInfo(path).fileName()), saved.error().message());
    return false;
  }
  addRecent(parts_.document->path());
  updateTitle();
  return true;
}

bool MainWindow::mayDiscard() {
  if (!parts_.document->isModified()) return true;
  QMessageBox box(this);
  box.setObjectName(QStringLiteral("discardChanges"));
  box.setIcon(QMessageBox::NoIcon);
  box.setText(tr("%1 has unsaved edits.").arg(parts_.document->composition().settings.federation));
  box.setInformativeText(tr("The last one: %1.").arg(parts_.document->undoStack().undoText()));
  QPushButton* keep = box.addButton(tr("Save"), QMessageBox::AcceptRole);
  QPushButton* drop = box.addButton(tr("Discard edits"), QMessageBox::DestructiveRole);
  box.addButton(tr("Go on editing"), QMessageBox::RejectRole);
  box.setDefaultButton(keep);
  box.exec();
  if (box.clickedButton() == keep) return save();
  return box.clickedButton() == drop;
}

QStringList MainWindow::recentFiles() const {
  QStringList files = parts_.settings->value(recentKey()).toStringList();
  files.removeIf([](const QString& file) { return !QFileInfo::exists(file); });
  return files;
}

void MainWindow::addRecent(const QString& path) {
  QStringList files = parts_.settings->value(recentKey()).toStringList();
  files.removeAll(path);
  files.prepend(path);
  parts_.settings->setValue(recentKey(), files.mid(0, kMostRecent));
}

void MainWindow::fillRecentMenu() {
  recentMenu_->clear();
  for (const QString& file : recentFiles()) {
    QAction* choice = recentMenu_->addAction(QFileInfo(file).fileName());
    choice->setToolTip(file);
    connect(choice, &QAction::triggered, this, [this, file] {
      if (mayDiscard()) openFile(file);
    });
  }
  if (recentMenu_->isEmpty())
    recentMenu_->addAction(tr("No composition was opened yet"))->setEnabled(false);
}

// What is shown about the document and the run

void MainWindow::updateTitle() {
  const composer::Document* document = parts_.document;
  const QString name = document->composition().settings.federation;
  setWindowTitle(tr("%1[*] – Tutti").arg(name));
  setWindowModified(document->isModified());
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
    status_->setNotes({tr("Tutti %1").arg(QStringLiteral(TUTTI_VERSION))});
    return;
  }
  theme::Workspace* page = currentPage();
  status_->setCommandLine(page ? page->commandLine() : QString());
  status_->setNotes(page ? page->statusNotes() : QStringList());
}

void MainWindow::updateRunActions() {
  using Phase = RunStatus::Phase;
  const Phase phase = parts_.run->phase();
  const bool active = phase != Phase::NotRunning && phase != Phase::Ended;
  runAction_->setEnabled(!active);
  stopAction_->setEnabled(active && phase != Phase::Stopping);
  pauseAction_->setEnabled(active && parts_.run->canPause());
  pauseAction_->setText(phase == Phase::Paused ? tr("&Resume") : tr("&Pause"));
  stepAction_->setEnabled(active && parts_.run->canPause());
  keepAction_->setEnabled(active && parts_.run->canKeep());
  keepAction_->setChecked(parts_.run->isKept());
  if (closing_ && parts_.run->isKept()) QTimer::singleShot(0, this, &QWidget::close);
}

void MainWindow::updateBanner() {
  QList<theme::RunTrouble> troubles;
  if (error_) troubles << *error_;
  QSet<QString> present;
  for (const theme::RunTrouble& trouble : parts_.run->troubles() + notices_->all()) {
    present << trouble.id;
    if (!dismissed_.contains(trouble.id)) troubles << trouble;
  }
  dismissed_.intersect(present);  // the same trouble coming back is news
  if (troubles.isEmpty()) {
    banner_->hide();
    bannerId_.clear();
    shownTrouble_ = 0;
    return;
  }
  const theme::RunTrouble& shown = troubles[shownTrouble_ % troubles.size()];
  banner_->setMessage(shown.state, shown.title, shown.detail);
  const auto others = troubles.size() - 1;
  const theme::RunTrouble& next = troubles[(shownTrouble_ + 1) % troubles.size()];
  banner_->setMore(others > 0 ? tr("%1 more: %2").arg(others).arg(next.brief) : QString());
  if (bannerId_ != shown.id || shown.id == kErrorId) {
    bannerId_ = shown.id;
    QList<QAction*> actions;
    for (const theme::RunTrouble::Action& one : shown.actions) {
      auto* button = new QAction(one.text, banner_);
      connect(button, &QAction::triggered, this, [run = one.run] { run(); });
      actions << button;
    }
    banner_->setActions(actions);
  }
  banner_->show();
}

void MainWindow::showError(const QString& title, const QString& detail) {
  theme::RunTrouble trouble;
  trouble.state = State::Error;
  trouble.id = kErrorId;
  trouble.title = title;
  trouble.detail = detail;
  trouble.brief = title;
  trouble.actions << theme::RunTrouble::Action{
      tr("Copy"), [title, detail] { QApplication::clipboard()->setText(title + u'\n' + detail); }};
  error_ = std::make_unique<theme::RunTrouble>(std::move(trouble));
  shownTrouble_ = 0;
  updateBanner();
}

void MainWindow::showToast(const QString& text, const QString& link, std::function<void()> onLink) {
  toast_->show(text, link, std::move(onLink));
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
